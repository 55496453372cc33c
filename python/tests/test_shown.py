"""Notebooks, plots, and nets for other libraries."""

import sys
import types
import xml.etree.ElementTree

import pytest

import warpnet as wn


@pytest.fixture(scope="module")
def net():
    return wn.warps(warps=2, schedulers=1, arith=4, shared=2, global_=1)


def test_everything_shows_itself(net):
    worst = net.worst()
    shown = [net._repr_html_(), net.run(20)._repr_html_(), worst._repr_html_(), net.explore()._repr_html_()]
    shown += [net.invariants()._repr_html_(), worst.schedule._repr_svg_()]
    assert all(text.startswith("<") for text in shown)
    xml.etree.ElementTree.fromstring(worst.schedule._repr_svg_())
    assert "svg" in net._repr_html_()
    large = wn.warps(warps=64, arith=1)
    assert large._repr_html_().startswith("<code>")
    for value in (net, net.run(20), worst, worst.schedule, net.explore(), net.invariants(), net.distribution()):
        assert repr(value).startswith("<")


def test_themes(net):
    schedule = net.worst().schedule
    plain, printed = schedule.draw(), schedule.draw(theme="print", font_size=18)
    assert "url(#area1)" in printed and "url(#area1)" not in plain and "#4c78a8" not in printed
    assert net.draw(theme="dark") != net.draw()
    for refused in ({"theme": "blue"}, {"font_size": 2}, {"theme": 3}):
        with pytest.raises(wn.InputError):
            net.draw(**refused)
        with pytest.raises(wn.InputError):
            schedule.draw(**refused)


def test_names_are_escaped():
    builder = wn.NetBuilder("<script>")
    builder.place("p<b>", 1)
    for i in range(200):
        builder.place(f"q{i}")
    assert "<script>" not in builder.build()._repr_html_()


def test_plots(net):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3)
    runs, worst = net.run(100), net.worst()
    assert wn.plots.histogram(runs, axes[0], bound=worst.bound) is axes[0]
    assert sum(patch.get_height() for patch in axes[0].patches) == 100
    assert wn.plots.gantt(worst.schedule, ax=axes[1]) is axes[1]
    assert [label.get_text() for label in axes[1].get_yticklabels()][:2] == ["w1", "w2"]
    low, high = axes[1].dataLim.intervalx
    assert (low, high) == (0.5, worst.found + 0.5)
    rows = [{"kernel": k, "time_us": t, "warps": 2, "arith": 100, "shared": 0, "global": t} for k, t in (("a", 1), ("b", 3))]
    wn.plots.scatter(wn.compare(rows), ax=axes[2])
    assert runs.plot() is not axes[0]
    figure.canvas.draw()
    plt.close("all")


def test_networkx(net):
    networkx = pytest.importorskip("networkx")
    graph = net.to_networkx()
    assert graph.number_of_nodes() == len(net.places) + len(net.transitions)
    assert graph.number_of_edges() == len(net.arcs)
    assert networkx.is_bipartite(networkx.Graph(graph))
    places = {node: data["initial"] for node, data in graph.nodes(data=True) if data["kind"] == "place"}
    assert {place: tokens for place, tokens in places.items() if tokens} == net.initial_marking
    states = net.explore(semantics="maximal", graph=True).graph.to_networkx()
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(states))


class StandIn:
    """Objects with the members of pm4py's nets that are used. A stand-in: pm4py is no package of Debian."""

    def __init__(self, **members):
        self.__dict__.update(members)

    __hash__ = object.__hash__


def pm4py_like():
    places = {name: StandIn(name=name) for name in ("start", "end")}
    transition = StandIn(name="t1", label="work")
    arcs = {
        StandIn(source=places["start"], target=transition, weight=2, properties={}),
        StandIn(source=transition, target=places["end"], weight=1, properties={}),
    }
    net = StandIn(name="process", places=set(places.values()), transitions={transition}, arcs=arcs)
    return net, {places["start"]: 4}


def test_nets_shaped_like_those_of_pm4py():
    net = wn.from_pm4py(*pm4py_like())
    assert net.initial_marking == {"start": 4}
    assert sorted(net.arcs) == [wn.Arc("input", "start", "t1", 2), wn.Arc("output", "end", "t1", 1)]
    assert net.transitions[0].name == "work"
    other, marking = pm4py_like()
    next(iter(other.arcs)).properties = {"arctype": "inhibitor"}
    with pytest.raises(wn.InputError):
        wn.from_pm4py(other, marking)


def test_pm4py_itself():
    pytest.importorskip("pm4py")
    net = wn.from_pm4py(*pm4py_like())
    assert wn.from_pm4py(*wn.to_pm4py(net)[:2]) == net


def test_what_pm4py_has_no_word_for_is_refused(net):
    with pytest.raises(wn.InputError):
        wn.to_pm4py(net)  # it has inhibitor arcs

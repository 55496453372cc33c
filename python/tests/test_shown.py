"""Notebooks, plots, and nets for further libraries."""

import copy
import pickle
import re
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


WORK = {"warps": 2, "arith": 100, "shared": 0}
ROWS = [{"kernel": "a<", "time_us": 1, "global": 1, **WORK}, {"kernel": "b", "time_us": 3, "global": 3, **WORK}]
TASKS = {"kernels": [{"name": "one<", "blocks": 1, "threads": 32, "time": 4, "period": 10}]}


@pytest.fixture(scope="module")
def results(net):
    """One result of each class, by the name of the class."""
    launch = {"counts": {"fp32": 40, "loads": 2}, "blocks": 64, "block_threads": 64}
    explored = net.explore(graph=True)
    made = [net.run(20, markings=True), net.distribution(), net.worst(iterations=100), explored, explored.graph]
    made += [net.ask(max="w1_arith_left"), net.coverability(), net.invariants()]
    made += [wn.predict("GTX950", **launch), wn.respond(TASKS), wn.compare(ROWS)]
    return {type(result).__name__: result for result in made}


def test_every_result_has_a_table(results):
    expected = {
        "Distribution": "of the runs",
        "Prediction": "DRAM alone",
        "Responses": "one&lt;",
        "Comparison": "MAPE",
        "StateGraph": "edges",
    }
    shown = {name: result._repr_html_() for name, result in results.items()}
    assert len(shown) == 11
    for name, text in shown.items():
        assert text.startswith("<table>") and "</table>" in text, name
        assert expected.get(name, "") in text, name
    space = wn.predict("GTX950", counts={"fp32": 40}, blocks=64, tune="block=64..256..x2")
    assert "block=128" in space._repr_html_()


def test_results_are_values(net, results):
    for name, result in results.items():
        assert pickle.loads(pickle.dumps(result)) == result, name
        assert copy.deepcopy(result) == result and not copy.copy(result) != result, name
        assert all(result != other for kind, other in results.items() if kind != name), name
    assert results["Runs"] == net.run(20, markings=True) != net.run(20, seed=2, markings=True)
    assert results["Distribution"] != wn.warps(warps=2, schedulers=1, arith=5).distribution()


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
    # The legend has the kinds and colours of the program's picture.
    svg = worst.schedule.draw()
    for handle, label in zip(*axes[1].get_legend_handles_labels()):
        red, green, blue, _ = handle.get_facecolor()[0]
        colour = "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
        assert re.search(f'fill="{colour}"/><text [^>]*>{label}<', svg), label
    assert "arithmetic" in axes[1].get_legend_handles_labels()[1]
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
    """Objects with the used members of pm4py's nets. A stand-in, because Debian has no package of pm4py."""

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


def test_to_pm4py_hands_over_standard_pnml(monkeypatch):
    """The stand-in for pm4py's reader returns the text: namespace, page, tokens and weights of ISO 15909-2."""
    names = "pm4py.objects.petri_net.importer.variants.pnml".split(".")
    modules = [types.ModuleType(".".join(names[: i + 1])) for i in range(len(names))]
    for outer, inner in zip(modules, modules[1:]):
        setattr(outer, inner.__name__.split(".")[-1], inner)
    modules[-1].import_petri_from_string = lambda text: (text, None, None)
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    net = wn.from_pm4py(*pm4py_like())
    text = wn.to_pm4py(net)[0]
    assert wn.reads(text) == net
    in_ = {"": "http://www.pnml.org/version-2009/grammar/pnml"}
    (page,) = xml.etree.ElementTree.fromstring(text).findall("net/page", in_)
    tokens = {place.get("id"): place.findtext("initialMarking/text", "0", in_) for place in page.findall("place", in_)}
    weights = {arc.get("source"): arc.findtext("inscription/text", "1", in_) for arc in page.findall("arc", in_)}
    assert (tokens, weights) == ({"start": "4", "end": "0"}, {"start": "2", "t1": "1"})


def test_what_pm4py_has_no_word_for_is_refused(net):
    with pytest.raises(wn.InputError):
        wn.to_pm4py(net)  # it has inhibitor arcs


class BlackToken:
    def __repr__(self):
        return "dot"


class Value:
    def __init__(self, value):
        self.value = value


class MultiArc:
    def __init__(self, components):
        self._components = tuple(components)

    def __iter__(self):
        return iter(self._components)


class Test:
    __test__ = False  # no test of pytest

    def __init__(self, annotation):
        self._annotation = annotation


class Inhibitor(Test):
    def __init__(self, annotation, condition="True"):
        super().__init__(annotation)
        self._condition = condition


class SnakesNet:
    """The used part of snakes.nets.PetriNet and its errors. A stand-in, because Debian has no package of SNAKES."""

    def __init__(self, name):
        self.name, self.places, self.transitions = name, {}, {}

    def add_place(self, place):
        self.places[place.name] = place

    def add_transition(self, transition):
        self.transitions[transition.name] = transition

    def add_input(self, place, transition, label):
        assert place not in self.transitions[transition].inputs, "already connected"
        self.transitions[transition].inputs[place] = label

    def add_output(self, place, transition, label):
        assert place not in self.transitions[transition].outputs, "already connected"
        self.transitions[transition].outputs[place] = label

    def place(self):
        return list(self.places.values())

    def transition(self):
        for transition in self.transitions.values():
            transition.input = lambda t=transition: [(self.places[p], label) for p, label in t.inputs.items()]
            transition.output = lambda t=transition: [(self.places[p], label) for p, label in t.outputs.items()]
        return list(self.transitions.values())


@pytest.fixture
def snakes_nets(monkeypatch):
    """The real snakes.nets if it is installed, otherwise the stand-in."""
    try:
        from snakes import nets

        return nets
    except ImportError:
        pass
    nets = types.ModuleType("snakes.nets")
    nets.dot, nets.PetriNet = BlackToken(), SnakesNet
    nets.Value, nets.MultiArc, nets.Test, nets.Inhibitor = Value, MultiArc, Test, Inhibitor
    nets.Place = lambda name, tokens=(): StandIn(name=name, tokens=StandIn(items=lambda: list(tokens)))
    nets.Transition = lambda name, guard="True": StandIn(name=name, guard=guard, inputs={}, outputs={})
    package = types.ModuleType("snakes")
    package.nets = nets
    monkeypatch.setitem(sys.modules, "snakes", package)
    monkeypatch.setitem(sys.modules, "snakes.nets", nets)
    return nets


def all_arcs():
    builder = wn.NetBuilder("all").place("p", 3).place("q").place("r", 1).transition("t").transition("u")
    builder.arc("p", "t", 2).arc("t", "q", 3).read("r", "t").inhibitor("q", "u").arc("r", "u")
    return builder.build()


def test_nets_to_snakes_and_back(snakes_nets):
    net = all_arcs()
    there = wn.to_snakes(net)
    assert sorted(place.name for place in there.place()) == ["p", "q", "r"]
    back = wn.from_snakes(there)
    assert (back.places, sorted(back.arcs)) == (net.places, sorted(net.arcs))
    assert back.explore().states == net.explore().states


def test_snakes_made_by_hand(snakes_nets):
    made = snakes_nets.PetriNet("hand")
    made.add_place(snakes_nets.Place("in", [snakes_nets.dot] * 2))
    made.add_place(snakes_nets.Place("out", []))
    made.add_transition(snakes_nets.Transition("work"))
    made.add_input("in", "work", snakes_nets.Value(snakes_nets.dot))
    made.add_output("out", "work", snakes_nets.MultiArc([snakes_nets.Value(snakes_nets.dot)] * 2))
    net = wn.from_snakes(made)
    assert net.run(markings=True).markings.tolist() == [[0, 4]]
    coloured = snakes_nets.PetriNet("coloured")
    coloured.add_place(snakes_nets.Place("in", [1, 2]))
    with pytest.raises(wn.InputError, match="dot"):
        wn.from_snakes(coloured)
    made.add_transition(snakes_nets.Transition("coloured"))
    made.add_input("in", "coloured", snakes_nets.Value(7))
    with pytest.raises(wn.InputError, match="dot"):
        wn.from_snakes(made)


def test_what_snakes_has_no_word_for_is_refused(snakes_nets):
    def refused(change):
        builder = wn.NetBuilder("n").place("p", 1).transition("t")
        change(builder)
        with pytest.raises(wn.InputError):
            wn.to_snakes(builder.build())

    refused(lambda builder: builder.transition("u", immediate=True))
    refused(lambda builder: builder.transition("u", priority=2))
    refused(lambda builder: builder.inhibitor("p", "t", 2))
    refused(lambda builder: builder.read("p", "t", 2))
    refused(lambda builder: builder.read("p", "t").arc("p", "t"))

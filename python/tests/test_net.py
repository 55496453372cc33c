"""Reading, building, looking at and stepping nets."""

import copy
import pickle
import re

import numpy as np
import pytest

import warpnet as wn


def mutex():
    builder = wn.NetBuilder("mutex")
    builder.place("lock", 1)
    for p in ("a", "b"):
        builder.place(f"{p}_idle", 1).place(f"{p}_critical").transition(f"{p}_enter").transition(f"{p}_leave")
        builder.arc(f"{p}_idle", f"{p}_enter").arc("lock", f"{p}_enter").arc(f"{p}_enter", f"{p}_critical")
        builder.arc(f"{p}_critical", f"{p}_leave").arc(f"{p}_leave", f"{p}_idle").arc(f"{p}_leave", "lock")
    return builder.build()


def test_a_built_net_has_what_was_put_into_it():
    builder = wn.NetBuilder("n", "a name")
    builder.place("p", 2, position=(3, 4.5)).place("q", name="Q")
    builder.transition("t", "T", priority=3).transition("u", immediate=True)
    builder.arc("p", "t", 2).arc("t", "q", 5).inhibitor("q", "t", 7).read("q", "u")
    net = builder.build()
    assert (net.id, net.name) == ("n", "a name")
    assert net.places == [wn.Place("p", "p", 2, (3, 4.5)), wn.Place("q", "Q", 0, None)]
    assert net.transitions == [wn.Transition("t", "T", False, 3, None), wn.Transition("u", "u", True, 0, None)]
    assert net.arcs == [
        wn.Arc("input", "p", "t", 2),
        wn.Arc("output", "q", "t", 5),
        wn.Arc("inhibitor", "q", "t", 7),
        wn.Arc("read", "q", "u", 1),
    ]
    assert net.initial_marking == {"p": 2}
    assert net.initial_array.tolist() == [2, 0]


def test_what_makes_no_net_is_refused_at_once():
    builder = wn.NetBuilder()
    builder.place("p").transition("t")
    for wrong in (
        lambda: builder.place("p"),
        lambda: builder.place("q", -1),
        lambda: builder.place("q", 1.5),
        lambda: builder.arc("p", "absent"),
        lambda: builder.arc("p", "t", 0),
        lambda: builder.arc("p", "p"),
        lambda: builder.transition("u", priority=2**40),
    ):
        with pytest.raises(wn.InputError):
            wrong()


def test_pnml_in_memory_and_in_files_gives_the_net_back(tmp_path):
    net = wn.warps(warps=2, arith=3, shared=1, global_=1)
    assert wn.reads(net.to_pnml()) == net
    assert wn.reads(net.to_pnml().encode()) == net
    net.save(tmp_path / "net.pnml")
    assert wn.read(tmp_path / "net.pnml") == net
    assert wn.read(str(tmp_path / "net.pnml")) == net
    assert pickle.loads(pickle.dumps(net)) == net
    assert hash(pickle.loads(pickle.dumps(net))) == hash(net)
    assert len({net, wn.reads(net.to_pnml()), mutex(), mutex()}) == 2
    assert net != mutex()
    assert net != 3


def test_results_that_hold_schedules_can_be_pickled_and_copied():
    net = wn.warps(warps=1, arith=2)
    schedule = net.schedule()
    worst = net.worst()
    explored = net.explore(semantics="maximal", memory="500M")
    for held in (schedule, worst, net.run(runs=3), explored, net.invariants()):
        for again in (pickle.loads(pickle.dumps(held)), copy.copy(held), copy.deepcopy(held)):
            assert repr(again) == repr(held)
    assert copy.deepcopy(schedule) == schedule and hash(copy.deepcopy(schedule)) == hash(schedule)
    assert pickle.loads(pickle.dumps(worst)).schedule == worst.schedule


def test_memory_is_bytes_or_a_text_with_a_unit():
    net = wn.warps(warps=1, arith=2)
    assert net.explore(memory="64M").states == net.explore(memory=2**26).states
    for wrong in ("4", "4X", "G", "", "-1G", "1.5G", 0, -3, 1.5):
        with pytest.raises(wn.InputError):
            net.explore(memory=wrong)


def test_an_error_says_where(tmp_path):
    (tmp_path / "broken.pnml").write_text("<pnml>\n  <net id='n'\n", encoding="utf-8")
    with pytest.raises(wn.InputError) as caught:
        wn.read(tmp_path / "broken.pnml")
    assert isinstance(caught.value, ValueError)
    assert caught.value.file == str(tmp_path / "broken.pnml")
    assert caught.value.line in (2, 3)
    assert caught.value.column >= 1
    with pytest.raises(wn.InputError) as caught:
        wn.read(tmp_path / "nowhere.pnml")
    assert caught.value.line is None
    assert "nowhere.pnml" in str(caught.value)


def test_hostile_texts_raise_and_never_end_the_interpreter():
    whole = wn.warps(warps=1, arith=1).to_pnml()
    for cut in range(0, len(whole), 97):
        with pytest.raises(wn.InputError):
            wn.reads(whole[:cut])
    for text in ("", "\0", "<", "<a>" * 100_000, "<!DOCTYPE a [<!ENTITY b 'c'>]><pnml/>", b"\xff\xfe"):
        with pytest.raises(wn.InputError):
            wn.reads(text)


def test_what_is_probably_a_mistake_is_a_warning():
    text = re.sub(r'<arc id="[^"]*"', '<arc id="twice"', mutex().to_pnml())
    with pytest.warns(UserWarning):
        assert wn.reads(text) == mutex()


def test_markings_are_dicts_or_arrays():
    net = mutex()
    marking = {"a_critical": 1, "b_idle": 1}
    array = net.marking_array(marking)
    assert array.dtype == np.int64
    assert net.marking_dict(array) == marking
    assert net.enabled(marking) == net.enabled(array) == net.enabled(array.tolist()) == ["a_leave"]
    for wrong in ({"absent": 1}, {"lock": -1}, {"lock": 1.5}, [1], [-1, 0, 0, 0, 0], [0.5] * 5, array.reshape(1, 5)):
        with pytest.raises(wn.InputError):
            net.enabled(wrong)


def test_a_step_is_one_of_the_possible_steps():
    net = mutex()
    possible = net.possible_steps()
    assert sorted(step.fired for step in possible) == [["a_enter"], ["b_enter"]]
    chosen = {net.step(seed=seed).fired[0] for seed in range(30)}
    assert chosen == {"a_enter", "b_enter"}
    assert net.step(seed=5) == net.step(seed=5)
    assert net.step(policy="first").fired == ["a_enter"]
    assert net.step(policy="last").fired == ["b_enter"]
    assert net.step({}) is None
    with pytest.raises(wn.InputError):
        net.possible_steps(most=1)
    for wrong in ({"policy": "gto"}, {"policy": "absent"}, {"semantics": "absent"}, {"seed": -1}):
        with pytest.raises(wn.InputError):
            net.step(**wrong)


def test_steps_lead_where_a_run_leads():
    net = wn.warps(warps=2, schedulers=1, arith=3, global_=1)
    marking, steps = net.initial_marking, 0
    while (step := net.step(marking, policy="first")) is not None:
        marking, steps = step.marking, steps + (not step.immediate)
    runs = net.run(policy="first", markings=True)
    assert runs.steps.tolist() == [steps]
    assert net.marking_dict(runs.markings[0]) == marking


def test_a_net_of_immediate_transitions_steps_without_time():
    builder = wn.NetBuilder()
    builder.place("p", 1).place("q").transition("now", immediate=True).transition("later")
    builder.arc("p", "now").arc("now", "q").arc("q", "later")
    net = builder.build()
    assert net.step() == wn.Step(["now"], True, {"q": 1})
    assert net.step({"q": 1}) == wn.Step(["later"], False, {})


def test_overflow_of_a_place_is_an_error():
    builder = wn.NetBuilder()
    builder.place("p", 1).place("q", 2**63 - 1).transition("t").arc("p", "t").arc("t", "q")
    with pytest.raises(wn.InputError):
        builder.build().step()


def test_half_a_character_is_refused():
    """Uses half a character as os.fsdecode() and errors="surrogateescape" produce it."""
    with pytest.raises(wn.InputError, match="half a character") as refused:
        wn.reads(mutex().to_pnml().replace("mutex", "\udcff"), "mine.pnml")
    assert refused.value.file == "mine.pnml"

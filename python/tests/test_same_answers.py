"""The package and the program give equal answers for equal seeds."""

import pytest

import warpnet as wn


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """A small net, and its file for the program."""
    net = wn.warps(warps=4, schedulers=2, arith=20, shared=5, global_=2)
    file = tmp_path_factory.mktemp("nets") / "four.pnml"
    net.save(file)
    return net, file


RUNS = [
    {"runs": 200, "seed": 1},
    {"runs": 50, "seed": 7, "policy": "gto"},
    {"runs": 50, "seed": 7, "policy": "lrr", "first_run": 100},
    {"runs": 5, "seed": 3, "semantics": "interleaving", "max_steps": 100},
    {"runs": 20, "seed": 3, "semantics": "multiset"},
    {"runs": 20, "seed": 2, "until": "w1_active = 0 or w2_active = 0"},
    {"runs": 1, "policy": "round-robin"},
]


@pytest.mark.parametrize("options", RUNS, ids=str)
def test_runs(four, warpnet_program, options):
    net, file = four
    flags = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), value)]
    status = 4 if "max_steps" in options else 0
    printed = warpnet_program("run", file, "--marking", "--counts", *flags, status=status)
    runs = net.run(**options, markings=True, counts=True)
    assert runs.run.tolist() == [result["run"] for result in printed["results"]]
    assert runs.steps.tolist() == [result["steps"] for result in printed["results"]]
    assert runs.firings.tolist() == [result["firings"] for result in printed["results"]]
    assert runs.dead.tolist() == [result["dead"] for result in printed["results"]]
    assert [net.marking_dict(row) for row in runs.markings] == [r["marking"] for r in printed["results"]]
    counts = [{t.id: int(n) for t, n in zip(net.transitions, row) if n} for row in runs.counts]
    assert counts == [result["counts"] for result in printed["results"]]
    assert runs.summary["steps"] == printed["steps"]
    assert runs.summary["reasons"] == printed["reasons"]


def test_statistics_and_tail(four, warpnet_program):
    net, file = four
    printed = warpnet_program("run", file, "--runs", 400, "--statistics", "--tail")
    summary = net.run(400, statistics=True, tail=True).summary
    assert summary["statistics"] == printed["statistics"]
    assert summary["tail"] == printed["tail"]


def test_any_number_of_threads(four):
    net, _ = four
    assert net.run(300, threads=1).steps.tolist() == net.run(300, threads=3).steps.tolist()


def test_schedules(four, warpnet_program, tmp_path):
    net, file = four
    schedule = net.schedule(seed=5, run=3)
    warpnet_program("run", file, "--seed", 5, "--first-run", 3, "--write-schedule", tmp_path / "run.csv")
    assert schedule.to_csv() == (tmp_path / "run.csv").read_text()
    assert net.read_schedule(schedule.to_csv()) == schedule
    schedule.save(tmp_path / "again.csv")
    assert warpnet_program("run", file, "--replay", tmp_path / "again.csv")["steps"]["max"] == schedule.timed_steps
    assert schedule.replay()["dead"]
    assert net.marking_dict(schedule.markings()[-1]) == schedule.replay()["marking"]


WORST = [
    {},
    {"bound": True},
    {"best": True},
    {"policy": "gto", "iterations": 200},
    {"iterations": 300, "chains": 3, "seed": 4, "start": "random", "temperature": 0.5},
]


@pytest.mark.parametrize("options", WORST, ids=str)
def test_worst_cases(four, warpnet_program, options, tmp_path):
    net, file = four
    if "best" in options or "iterations" in options:  # slow if runs are long
        net, file = wn.warps(warps=2, schedulers=1, arith=2, global_=1), tmp_path / "tiny.pnml"
        net.save(file)
    flags = []
    for name, value in options.items():
        flags += ["--" + name] if value is True else ["--" + name, value]
    if "bound" not in options:
        flags += ["--write-schedule", tmp_path / "worst.csv"]
    printed = warpnet_program("worst", file, *flags)
    worst = net.worst(**options)
    for field in ("found", "exact", "endless", "method", "proof", "bounds", "unfinished", "start_values", "iterations"):
        assert worst.summary[field] == printed[field]
    assert worst.bound == printed["lower" if "best" in options else "upper"]
    if worst.schedule is not None:
        assert worst.schedule.to_csv() == (tmp_path / "worst.csv").read_text()
        assert worst.schedule.timed_steps == worst.found
        assert worst.schedule.replay()["dead"]


def test_worst_case_of_a_kernel_and_a_grid(warpnet_program, tmp_path):
    kernel = wn.kernel("LCCL", warps=5, units={"C": 2, "L": 1})
    kernel.save(tmp_path / "kernel.pnml")
    printed = warpnet_program("worst", tmp_path / "kernel.pnml", "--iterations", 500)
    assert kernel.worst(iterations=500).found == printed["found"]
    grid = wn.warps(warps=2, arith=3, sms=2, blocks=4)
    grid.save(tmp_path / "grid.pnml")
    printed = warpnet_program("worst", tmp_path / "grid.pnml")
    assert (grid.worst().found, grid.worst().bound) == (printed["found"], printed["upper"])


@pytest.mark.parametrize("semantics", ["interleaving", "maximal", "multiset"])
def test_explorations(warpnet_program, tmp_path, semantics):
    net = wn.warps(warps=2, schedulers=1, arith=2, global_=1)
    net.save(tmp_path / "net.pnml")
    printed = warpnet_program("explore", tmp_path / "net.pnml", "--semantics", semantics, "--plain")
    found = net.explore(semantics=semantics, graph=True)
    assert found.summary == printed
    assert found.to_deadlock.replay(semantics)["dead"]
    assert found.graph.markings.shape == (found.states, len(net.places))
    assert len(found.graph.sources) == len(found.graph.targets) == found.edges
    assert found.graph.markings[found.graph.initial].tolist() == net.initial_array.tolist()


@pytest.mark.parametrize("engine", ["auto", "explicit", "dd"])
def test_engines_of_explorations(warpnet_program, tmp_path, engine):
    net = wn.warps(warps=2, schedulers=1, arith=2, global_=1)
    net.save(tmp_path / "net.pnml")
    found = net.explore(engine=engine)
    each = [] if engine == "dd" else ["--plain"]
    assert found.summary == warpnet_program("explore", tmp_path / "net.pnml", "--engine", engine, *each)
    assert (found.states, found.edges) == (net.explore(graph=True).states, net.explore(graph=True).edges)
    assert ("diagram_nodes" in found.summary) == (engine == "dd")
    assert found.to_deadlock.replay("interleaving")["dead"]


def test_counts_of_diagrams_are_integers_of_any_size():
    builder = wn.NetBuilder()
    for part in range(100):
        builder.place(f"low{part}", 1).place(f"high{part}").transition(f"up{part}").transition(f"down{part}")
        builder.arc(f"low{part}", f"up{part}").arc(f"up{part}", f"high{part}")
        builder.arc(f"high{part}", f"down{part}").arc(f"down{part}", f"low{part}")
    net = builder.build()
    for engine in ("auto", "dd"):
        found = net.explore(engine=engine)
        assert (found.states, found.edges, found.deadlocks) == (2**100, 100 * 2**100, 0)
        assert found.complete and str(2**100) in repr(found)


@pytest.mark.parametrize("given", [{"semantics": "maximal"}, {"graph": True}, {"max_states": 10}])
def test_a_diagram_refuses_what_it_does_not_know(given):
    with pytest.raises(wn.InputError, match="engine 'dd'"):
        wn.warps(warps=1, arith=1).explore(engine="dd", **given)
    with pytest.raises(wn.InputError, match="engine: expected one of auto, explicit, dd; found 'quick'"):
        wn.warps(warps=1, arith=1).explore(engine="quick")


QUESTIONS = [
    ({"reach": "w1_arith_left = 0"}, 0),
    ({"reach": "w1_arith_left > 2"}, 1),
    ({"always": "w1_arith_left <= 2"}, 0),
    ({"always": "w1_arith_left = 2"}, 1),
    ({"max": "w1_arith_left + w2_arith_left"}, 0),
    ({"min": "w1_arith_left"}, 0),
    ({"home": "dead"}, 0),
    ({"ctl": "AF dead"}, 1),
    ({"ctl": "EF (w1_arith_left = 0 and EX w2_arith_left = 2)"}, 0),
    ({"live": "all"}, 1),
    ({"stable": True}, 0),
    ({"bounded": True}, 0),
    ({"reversible": True}, 1),
    ({"always": "w1_arith_left = 2", "semantics": "maximal"}, 1),
    ({"ctl": "AG EF dead", "max_states": 3}, 0),
]


@pytest.mark.parametrize("question, status", QUESTIONS, ids=str)
def test_questions(warpnet_program, tmp_path, question, status):
    net = wn.warps(warps=2, schedulers=1, arith=2, global_=1)
    net.save(tmp_path / "net.pnml")
    flags = []
    for name, value in question.items():
        flags += ["--" + name.replace("_", "-")] + ([] if value is True else [value])
    answer = net.ask(**question)
    assert answer.summary == warpnet_program("explore", tmp_path / "net.pnml", *flags, status=status)
    assert answer.answer is not None and str(answer.by) in repr(answer)
    if answer.witness is not None and "steps" in answer.summary:
        assert len(answer.witness) == answer.steps


def test_one_question_at_a_time():
    net = wn.warps(warps=1, arith=1)
    with pytest.raises(wn.InputError, match="ask: expected one of reach, .*; found none"):
        net.ask()
    with pytest.raises(wn.InputError, match="found reach and stable"):
        net.ask(reach="dead", stable=True)
    with pytest.raises(wn.InputError, match="nowhere"):
        net.ask(reach="nowhere = 1")
    with pytest.raises(wn.InputError, match="engine 'dd'"):
        net.ask(reach="dead", engine="dd", semantics="maximal")
    with pytest.raises(TypeError, match="answer"):
        bool(net.ask(reach="dead"))


def test_a_limit_of_an_exploration_is_said():
    found = wn.warps(warps=3, arith=5).explore(max_states=10)
    assert not found.complete
    assert found.stop == "state_limit"


def test_a_scratch_folder_changes_nothing_and_stays_empty(warpnet_program, tmp_path):
    net = wn.warps(warps=3, arith=5)
    net.save(tmp_path / "net.pnml")
    folder = tmp_path / "scratch"
    folder.mkdir()
    found = net.explore(scratch=folder, graph=True)
    assert found.summary == net.explore().summary
    assert found.summary == warpnet_program("explore", tmp_path / "net.pnml", "--plain", "--scratch", folder)
    assert found.graph.markings.shape == (found.states, len(net.places))
    assert list(folder.iterdir()) == []
    with pytest.raises(wn.InputError, match="missing"):
        net.explore(scratch=tmp_path / "missing")


def test_structure(four, warpnet_program):
    net, file = four
    printed = warpnet_program("inspect", file)
    structure = net.invariants()
    assert {name: printed[name] for name in structure.summary} == structure.summary
    for invariant in structure.p_invariants:
        for marking in net.schedule().markings():
            total = sum(weight * marking[net._place_index()[place]] for place, weight in invariant.items())
            assert total == sum(w * net.initial_marking.get(p, 0) for p, w in invariant.items())


def test_distributions(warpnet_program, tmp_path):
    net = wn.warps(warps=2, schedulers=1, arith=3, global_=1)
    net.save(tmp_path / "net.pnml")
    printed = warpnet_program("run", tmp_path / "net.pnml", "--exact")
    exact = net.distribution()
    assert exact.summary == printed
    assert abs(exact.probabilities.sum() - 1) < 1e-12
    assert exact.values.tolist() == sorted(exact.values.tolist())


def test_pictures(four, tmp_path):
    net, _ = four
    assert "<svg" in net.draw(tmp_path / "net.svg", legend=True)
    assert (tmp_path / "net.svg").read_text() == net.draw(legend=True)
    for name, start in (("net.png", b"\x89PNG"), ("net.pdf", b"%PDF"), ("net.dot", b"digraph")):
        net.draw(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    with pytest.raises(wn.InputError):
        net.draw(tmp_path / "net.jpeg")
    with pytest.raises(wn.InputError):
        net.draw(highlight=["absent"])


def test_a_gantt_chart_is_that_of_the_program(four, examples):
    net, _ = four
    assert net.worst().schedule.draw() == (examples / "starving.svg").read_text()

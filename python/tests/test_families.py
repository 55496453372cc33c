"""Every family, with the parameters of its command; predictions and comparisons."""

import json
import os
import subprocess

import pytest

import warpnet as wn

TASKS = {
    "gpu": {"sms": 2, "threads_per_sm": 2048, "blocks_per_sm": 32},
    "kernels": [
        {"name": "K1", "blocks": 2, "threads": 512, "time": 4},
        {"name": "K2", "blocks": 7, "threads": 512, "time": 6},
    ],
}

CASES = [
    (lambda: wn.warps(warps=3, arith=4, shared=1, global_=2, schedulers=1, shared_latency=3, global_latency=9),
     "warps --warps 3 --arith 4 --shared 1 --global 2 --schedulers 1 --shared-latency 3 --global-latency 9"),
    (lambda: wn.warps(warp=[(3, 1, 0), (0, 0, 2)], published=True, active=1),
     "warps --warp 3,1,0 --warp 0,0,2 --published --active 1"),
    (lambda: wn.warps(warps=2, arith=1, sms=2, blocks=5, device="GTX950"),
     "warps --warps 2 --arith 1 --sms 2 --blocks 5 --device GTX950"),
    (lambda: wn.warps(warps=3, arith=4, global_=2, schedulers=2, assignment="fixed", dispatch=2),
     "warps --warps 3 --arith 4 --global 2 --schedulers 2 --assignment fixed --dispatch 2"),
    (lambda: wn.kernel("LC", warps=3, units={"C": 1, "L": 1}, schedulers=2, assignment="fixed"),
     "kernel --string LC --warps 3 --units C=1,L=1 --schedulers 2 --assignment fixed"),
    (lambda: wn.kernel("LLCC", warps=4, units={"C": 4, "L": 1}, schedulers=2, wait={"L": 3}),
     "kernel --string LLCC --warps 4 --units C=4,L=1 --schedulers 2 --wait L=3"),
    (lambda: wn.kernel("LDC", warps=2, units={"C": 4, "L": 1, "D": "1/2"}, pessimistic=True),
     "kernel --string LDC --warps 2 --units C=4,L=1,D=1/2 --pessimistic"),
    (lambda: wn.kernel("LDC", warps=2, units={"C": 4, "L": 1, "D": 0.5}, latency={"D": 2}, pipelined="D"),
     "kernel --string LDC --warps 2 --units C=4,L=1,D=0.5 --latency D=2 --pipelined D"),
    (lambda: wn.kernel(template="fermi", repeat=2, threads=64), "kernel --template fermi --repeat 2 --threads 64"),
    (lambda: wn.cfg(synthetic="3b", seed=7, optimal=True, units=3), "cfg --synthetic 3b --seed 7 --optimal --units 3"),
    (lambda: wn.sm("GTX950", blocks=96, block_threads=256, counts={"fp32": 40, "loads": 2, "stores": 1}, sm_blocks=4),
     "sm --device GTX950 --blocks 96 --block-threads 256 --counts fp32=40,loads=2,stores=1 --sm-blocks 4"),
]


@pytest.mark.parametrize("make, command", CASES, ids=[command for _, command in CASES])
def test_a_family_gives_the_net_of_its_command(make, command, warpnet_program, tmp_path):
    file = tmp_path / "net.pnml"
    warpnet_program("generate", *command.split(), "-o", file)
    assert make() == wn.read(file)


@pytest.mark.parametrize("family", ["kernel", "warps"])
def test_ptx(family, warpnet_program, examples, tmp_path):
    ptx = examples / "kernels/ptx/matmul_naive.O0.sm_75.ptx"
    units = ["--units", "C=1,L=1,S=1,D=1"] if family == "kernel" else []
    loop = json.loads(
        subprocess.run([os.environ["WARPNET_PROGRAM"], "ptx", ptx, "--json"], capture_output=True).stdout
    )["kernels"][0]["loops"][0]["label"]
    words = ["--ptx", ptx, "--trips", f"{loop}=4", "--warps", 2, *units, "-o", tmp_path / "net.pnml"]
    warpnet_program("generate", family, *words)
    given = {"units": {letter: 1 for letter in "CLSD"}} if family == "kernel" else {}
    net = getattr(wn, family)(ptx=ptx, trips={loop: 4}, warps=2, **given)
    assert net == wn.read(tmp_path / "net.pnml")


def test_the_warps_of_a_launch(warpnet_program, examples, tmp_path):
    ptx = examples / "kernels/ptx/vector_add.O3.sm_90.ptx"
    words = ["--ptx", ptx, "--block", 96, "--grid", 4, "--device", "GTX950", "-o", tmp_path / "net.pnml"]
    warpnet_program("generate", "warps", *words)
    net = wn.warps(ptx=ptx, block=96, grid=4, device="GTX950")
    assert net == wn.read(tmp_path / "net.pnml")
    assert "w3_arith_left" in net.initial_marking and "w4_arith_left" not in net.initial_marking


def test_warps_of_a_profiled_kernel(tmp_path):
    table = tmp_path / "counters.csv"
    table.write_text("kernel,blocks,threads,fp32,shared_loads,loads,stores\nsaxpy,12,64,10,2,2,1\n")
    net = wn.warps(metrics=table, device="GTX950")
    assert net == wn.warps(warps=4, arith=10, shared=2, global_=3, device="GTX950")


def test_graphs_and_task_sets_as_objects(warpnet_program, tmp_path):
    graph = {
        "blocks": [
            {"id": "b1", "time": 3, "true": ["b2"], "false": ["b3"]},
            {"id": "b2", "time": 5},
            {"id": "b3", "time": 4},
        ],
        "root": ["b1"],
    }
    (tmp_path / "graph.json").write_text(json.dumps(graph))
    assert wn.cfg(graph, split=["b1"]) == wn.cfg(tmp_path / "graph.json", split=["b1"])
    (tmp_path / "tasks.json").write_text(json.dumps(TASKS))
    assert wn.blocks(TASKS, step=2) == wn.blocks(tmp_path / "tasks.json", step=2)
    warpnet_program("generate", "blocks", tmp_path / "tasks.json", "-o", tmp_path / "tasks.pnml")
    assert wn.blocks(TASKS) == wn.read(tmp_path / "tasks.pnml")
    graph["blocks"][1]["time"] = -1
    with pytest.raises(wn.InputError) as caught:
        wn.cfg(graph)
    assert "/tmp" not in str(caught.value)
    with pytest.raises(wn.InputError):
        wn.blocks({"no": "tasks"})


def test_responses_and_choices(warpnet_program, tmp_path):
    tasks = {
        "kernels": [
            {"name": "slow", "kind": "cpu", "time": 12, "period": 10, "choice": "filter", "variant": "core"},
            {"name": "fast", "blocks": 2, "threads": 64, "time": 4, "period": 10, "choice": "filter", "variant": "GPU"},
        ]
    }
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    chosen = wn.respond(tasks, choose=True)
    drawn = ["--choose", "--gantt", tmp_path / "drawn.svg"]
    assert chosen.summary == warpnet_program("respond", tmp_path / "tasks.json", *drawn)
    assert chosen.variants["best"][0]["chosen"] == {"filter": "GPU"}
    assert chosen.draw().startswith("<svg") and "1 operation:" in repr(chosen)
    with pytest.raises(wn.InputError) as caught:
        wn.respond(tasks)
    assert "choice 'filter' is open" in str(caught.value) and "/tmp" not in str(caught.value)
    with pytest.raises(wn.InputError):
        wn.respond(tasks, choose=True, any_order=True)
    assert wn.respond(TASKS, sporadic=True, jobs=True).jobs


def test_sms_that_share_units_of_the_chip():
    alone = wn.kernel("LCL", warps=2, units={"C": 1, "L": 1}, sms=2)
    shared = wn.kernel("LCL", warps=2, units={"C": 1, "L": 1}, sms=2, chip_units={"L": 1})
    assert "chip_L" in shared.initial_marking
    assert shared.worst().found > alone.worst().found


def test_errors_name_keyword_arguments() -> None:
    for family, expected in [(lambda: wn.warps(warps=0, arith=1), "warps: expected"),
                             (lambda: wn.warps(warps=2, arith=1, own_units="Q"), "own_units"),
                             (lambda: wn.warps(warps=2, arith=1, shared=2, global_=-1), "global_: expected")]:
        with pytest.raises(wn.InputError) as caught:
            family()
        assert expected in str(caught.value) and "--" not in str(caught.value)


def test_errors_speak_of_values_and_functions_of_python() -> None:
    with pytest.raises(wn.InputError) as caught:
        wn.predict("GTX950")
    assert "ptx=FILE" in str(caught.value) and "counts='fp32=40,loads=2'" in str(caught.value)
    for device, facts in [("GTX951", None), ("GTX950", {"absent": 1})]:
        with pytest.raises(wn.InputError) as caught:
            wn.predict(device, counts={"fp32": 1}, set=facts)
        assert "warpnet.devices()" in str(caught.value)
    with pytest.warns(UserWarning, match=r"\(blocks, block_threads\)"):
        wn.predict("GTX950", counts={"fp32": 1})
    other = "give --param NAME=VALUE or --grid; 'warpnet devices --from FILE' writes a table"
    assert str(wn.InputError(other)) == "give param='NAME=VALUE' or grid; 'warpnet devices --from FILE' writes a table"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: wn.warps(warps=0),
        lambda: wn.warps(arith=-1),
        lambda: wn.warps(arith=1.5),
        lambda: wn.warps(arith=10**30),
        lambda: wn.warps(arith=object()),
        lambda: wn.warps(colour=3),
        lambda: wn.warps(device="absent"),
        lambda: wn.warps(warp=[(1, 2)]),
        lambda: wn.kernel(),
        lambda: wn.kernel("XYZ"),
        lambda: wn.kernel("LC", units={"C": 0.3, "L": 1}),
        lambda: wn.cfg(),
        lambda: wn.blocks("nowhere.json"),
        lambda: wn.sm("GTX950", counts={"absent": 1}),
        lambda: wn.predict("absent"),
        lambda: wn.compare([]),
        lambda: wn.compare("nowhere.csv"),
        lambda: wn.compare([{"kernel": "k"}]),
        lambda: wn.warps().run(0),
        lambda: wn.warps().run(True),
        lambda: wn.warps().run(until="absent > 1"),
        lambda: wn.warps().run(policy=3),
        lambda: wn.warps().run(time_limit=-1),
        lambda: wn.warps().worst(method="guess"),
        lambda: wn.warps().worst(chains=0),
        lambda: wn.warps().explore(semantics="guess"),
        lambda: wn.warps().read_schedule("step\n"),
    ],
)
def test_wrong_parameters_raise(wrong):
    with pytest.raises(wn.InputError):
        wrong()


def test_predictions(warpnet_program):
    counts = {"fp32": 40, "integer": 20, "loads": 2, "stores": 1}
    prediction = wn.predict("GTX950", blocks=4096, block_threads=256, counts=counts, seed=3)
    words = "--device GTX950 --blocks 4096 --block-threads 256 --counts fp32=40,integer=20,loads=2,stores=1 --seed 3"
    assert prediction.summary == warpnet_program("predict", *words.split())
    assert prediction.predicted_us > 0
    worst = wn.predict(
        "GTX950", blocks=40, block_threads=256, counts=counts, worst=True, margin={"rates": 20}, dispatcher="any", deadline="2ms"
    )
    words = "--device GTX950 --blocks 40 --block-threads 256 --counts fp32=40,integer=20,loads=2,stores=1 --worst"
    assert worst.summary == warpnet_program("predict", *words.split(), *"--margin rates=20 --dispatcher any --deadline 2ms".split())
    assert worst.deadline["verdict"] == "certified"
    assert {"clock", "dispatcher", "margin"} <= {one["about"] for one in worst.worst["assumptions"]}


def test_facts_twice_as_large(warpnet_program):
    found = wn.predict("GTX950", counts={"fp32": 40, "loads": 2}, blocks=96, block_threads=256, seeds=1, what_if=True)
    words = "--device GTX950 --counts fp32=40,loads=2 --blocks 96 --block-threads 256 --seeds 1 --what-if"
    assert found.summary == warpnet_program("predict", *words.split())
    assert {"fact", "value", "us", "limited_by"} == set(found.what_if[0])
    with pytest.raises(wn.InputError):
        wn.predict("GTX950", counts={"fp32": 40}, what_if=True, worst=True)


def test_a_space_of_launches(warpnet_program):
    space = wn.predict("GTX950", counts={"fp32": 40, "loads": 2}, tune="block=64..256..x2", work=100000)
    words = "--device GTX950 --counts fp32=40,loads=2 --tune block=64..256..x2 --work 100000"
    assert space.summary == warpnet_program("predict", *words.split())
    assert [row["rank"] for row in space.rows] == [1, 2, 3]
    assert sorted(row["values"]["block"] for row in space.rows) == ["128", "256", "64"]
    assert "3 launches" in repr(space)
    same = wn.predict("GTX950", counts={"fp32": 40, "loads": 2}, tune="block=64..256..x2", work=1e5)
    assert same.summary == space.summary
    with pytest.raises(wn.InputError):
        wn.predict("GTX950", counts={"fp32": 40}, tune="block=64", work=1.5)


def test_what_a_prediction_and_a_distribution_show():
    given = {"counts": {"fp32": 40}, "blocks": 12, "block_threads": 256, "seeds": 1}
    assert "deadline" not in repr(wn.predict("GTX950", **given))
    assert "deadline 2000 µs certified" in repr(wn.predict("GTX950", worst=True, deadline="2ms", **given))
    steps = wn.warps(warps=3, schedulers=2, arith=2, shared=1).distribution()
    shown = f"{len(steps.values)} step counts from {steps.values[0]} to {steps.values[-1]}, mean {steps.steps['mean']:.2f}"
    assert shown in repr(steps) and "incomplete" not in repr(steps)


ROWS = [
    {"kernel": name, "time_us": time, "warps": warps, "arith": 100, "shared": 0, "global": 4}
    for name, time, warps in [("a", 1.0, 2), ("b", 2.1, 8), ("c", 3.9, 16), ("d", 5.2, 24)]
]


class Frame:
    """The two used members of a pandas DataFrame; pandas itself is not needed."""

    def __init__(self, rows):
        self.columns = list(rows[0])
        self._rows = rows

    def __getitem__(self, column):
        return [row[column] for row in self._rows]

    def to_dict(self):
        raise AssertionError("not used")


def test_comparisons(warpnet_program, tmp_path):
    file = tmp_path / "measured.csv"
    lines = [",".join(ROWS[0])] + [",".join(map(str, row.values())) for row in ROWS]
    file.write_text("\n".join(lines) + "\n")
    printed = warpnet_program("compare", file)
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    for measured in (ROWS, columns, Frame(ROWS), file, [str(file)]):
        comparison = wn.compare(measured)
        assert comparison.summary == printed
        assert "<svg" in comparison.draw()


def test_the_presets():
    found = {device.name: device for device in wn.devices()}
    assert found["GTX950"].facts["sms"] == 6

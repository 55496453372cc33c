"""Long calls: further threads continue, Ctrl-C ends the call, and nothing is left behind."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import warpnet as wn

ENDLESS = """
import signal, sys, time
import warpnet as wn
builder = wn.NetBuilder("coin")
builder.place("hand", 1)
for side in ("heads", "tails"):
    builder.place(side).transition("toss_" + side).transition("take_" + side)
    builder.arc("hand", "toss_" + side).arc("toss_" + side, side)
    builder.arc(side, "take_" + side).arc("take_" + side, "hand")
net = builder.build()
large = wn.warps(warps=12, schedulers=3, arith=30, shared=9, global_=5)
try:
    print("begun", flush=True)
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(wn.warps(warps=1, arith=1).run().steps.tolist(), flush=True)  # the interpreter and the engine still work
"""

CALLS = [
    "net.run(10**6, max_steps=10**15)",
    "large.run(10**8)",
    "large.explore()",
    "wn.kernel('LCCLCL' * 5, warps=6, units={'C': 2, 'L': 1}).worst(iterations=10**9)",
    "large.distribution()",
    "wn.predict('GTX950', blocks=10**6, block_threads=256, counts={'fp32': 1e6, 'loads': 1e4}, full=True, seeds=100)",
]


@pytest.mark.parametrize("call", CALLS)
def test_control_c_raises_keyboard_interrupt(call):
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS.format(call=call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.5)  # it has most likely begun by then; the result must not depend on it
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
    assert out == "interrupted\n[5]\n", err


def test_control_c_ends_the_layout_of_a_drawing(tmp_path):
    """Uses a 'dot' that reports its start and never ends by itself."""
    begun = tmp_path / "begun"
    dot = tmp_path / "dot"
    dot.write_text(f"#!/bin/sh\necho $$ > {begun}.part && mv {begun}.part {begun}\nexec sleep 100000\n")
    dot.chmod(0o755)
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS.format(call="large.draw(layout='layered', time_limit=100000)")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )
    try:
        assert child.stdout.readline() == "begun\n"
        while not begun.exists() and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
    assert out == "interrupted\n[5]\n", err
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


SIGNALLED = """
import signal
import warpnet as wn
net = wn.warps(warps=12, schedulers=3, arith=30, shared=9, global_=5)
class Late(Exception):
    pass
places = []
def handler(_, frame):
    places.append((frame.f_code, frame.f_lasti))
    if places[-10:] == places[-1:] * 10:  # so long in one call: it has begun, and 0.4 s of work is done
        signal.setitimer(signal.ITIMER_PROF, 0)
        raise {expected}
signal.signal(signal.SIGPROF, handler)
signal.setitimer(signal.ITIMER_PROF, 0.04, 0.04)
try:
    net.{call}
except {expected} as error:
    result = error.result
    assert isinstance(error, wn.Interrupted) == ({expected} is KeyboardInterrupt)
    {check}
    print("kept")
"""


# A run that the interrupt cut off is kept, too, and has not ended.
KEPT_RUNS = "assert 0 < result.ended.sum() <= len(result) < 10**8 and result.summary['interrupted']"


@pytest.mark.parametrize(
    "expected, call, check",
    [
        ("KeyboardInterrupt", "run(10**8)", KEPT_RUNS),
        ("Late", "run(10**8)", KEPT_RUNS),  # an exception of a user's handler also carries the result
        (
            "KeyboardInterrupt",
            "worst(iterations=10**9)",
            "assert result.interrupted and len(result.schedule) >= result.found > 0",
        ),
        (
            "KeyboardInterrupt",
            "explore()",
            "assert result.stop == 'interrupted' and result.states > 1 and result.graph is None",
        ),
        ("KeyboardInterrupt", "distribution()", "assert not result.complete"),
    ],
)
def test_what_was_found_before_an_interrupt_is_kept(expected, call, check):
    script = SIGNALLED.format(call=call, check=check, expected=expected)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "kept\n"), done.stderr


def test_an_interrupt_says_where_the_result_is():
    net = wn.warps(warps=1, arith=1)
    error = wn.Interrupted(net.worst())
    assert isinstance(error, KeyboardInterrupt)
    assert str(error).startswith("<Worst of 'warps': 5 steps, exact> so far")
    assert error.result.found == 5


def test_other_threads_run_meanwhile():
    """The GIL is free; otherwise two threads could not wait for each other during a long call."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        wn.warps(warps=12, schedulers=3, arith=30, shared=9, global_=5).explore(time_limit=1)
        during = counted[0] - before
    finally:
        stop.set()
        thread.join()
    assert during >= 10


def test_calls_from_several_threads_give_the_same_answers():
    net = wn.warps(warps=4, schedulers=2, arith=20, shared=5, global_=2)
    expected = net.run(100).steps.tolist()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(net.run(100).steps.tolist())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_a_time_limit_ends_a_call():
    net = wn.warps(warps=12, schedulers=3, arith=30, shared=9, global_=5)
    assert net.explore(time_limit=0.2).stop == "time_limit"
    assert len(net.run(10**8, time_limit=0.2)) < 10**8

#!/usr/bin/env python3
"""Hostile tries against the program: broken files of every format, odd flags, full disks, kills.

    tests/hostile/hostile.py build/test/warpnet --tries 5000 --seed 1

Each try must end within its limit of time, with one of the documented exit codes and a reason if it is not 0, without a
text of a library's exception, and without a file that was lost, changed or half written. A failure is printed with the
command line, and its files are kept below --keep. The same seed makes the same tries (kills come at random times of the clock).
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DOCUMENTED = {0, 1, 2, 3, 4, 130}
HANG = 120  # seconds: longer than any limit below, on a busy machine
MEMORY = 8 << 30  # of address space; a try beyond it is stopped
LIBRARY = re.compile(
    r"internal error|terminate called|std::|basic_string|vector::|_M_|json\.exception|nlohmann|Assertion|stoi|stod|"
    r"pugi::|CLI::|tbb::|boost::|Traceback|AddressSanitizer|runtime error:"
)
SOURCE = Path(__file__).resolve().parents[2]


def run(program, arguments, folder, stdin=b"", stdout=None, limit=HANG, memory=MEMORY):
    """Exit code (negative: a signal), output, messages, seconds, peak memory in bytes."""

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if stdout == "closed":
            os.close(1)

    start = time.monotonic()
    target = {None: subprocess.PIPE, "closed": subprocess.DEVNULL}.get(stdout)
    opened = None
    if target is None:
        opened = target = open(stdout, "wb")
    try:
        process = subprocess.Popen(
            [program, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=target, stderr=subprocess.PIPE, preexec_fn=prepare
        )
        try:
            out, err = process.communicate(stdin, timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "hang", b"", b"", time.monotonic() - start
    finally:
        if opened:
            opened.close()
    return process.returncode, out or b"", err, time.monotonic() - start


# ---------------------------------------------------------------- what is broken


def mutate(random_, data):
    """A damaged file, or a malicious one."""
    data = bytearray(data)
    numbers = [b"0", b"-1", b"99999999999999999999999", b"1e308", b"nan", b"2147483648", b"9223372036854775807", b"1000000000", b"", b"0x10", b"1,5"]
    for _ in range(random_.choice([1, 1, 1, 2, 3, 8])):
        size = len(data)
        at = random_.randrange(size + 1)
        kind = random_.randrange(12)
        if kind == 0 and size:
            data[at % size] ^= 1 << random_.randrange(8)
        elif kind == 1:
            del data[at : at + random_.choice([1, 4, 50, 1000])]
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = bytes(random_.randrange(256) for _ in range(random_.choice([1, 3, 30])))
        elif kind == 4:
            piece = data[at : at + random_.choice([5, 40, 400])]
            where = random_.randrange(size + 1)
            data[where:where] = piece * random_.choice([1, 1, 2, 20])
        elif kind in (5, 6, 7):
            found = list(re.finditer(rb"\d+", bytes(data)))
            if found:
                one = random_.choice(found)
                data[one.start() : one.end()] = random_.choice(numbers)
        elif kind == 8:
            lines = bytes(data).split(b"\n")
            a, b = random_.randrange(len(lines)), random_.randrange(len(lines))
            if random_.random() < 0.5:
                lines[a], lines[b] = lines[b], lines[a]
            else:
                lines[a] = lines[b]
            data = bytearray(b"\n".join(lines))
        elif kind == 9:
            found = list(re.finditer(rb"[A-Za-z_]+", bytes(data)))
            if len(found) > 1:
                one, other = random_.choice(found), random_.choice(found)
                data[one.start() : one.end()] = other.group()
        elif kind == 10:
            data = bytearray(
                random_.choice([b"\xef\xbb\xbf" + data, bytes(data).decode("latin-1").encode("utf-16"), bytes(data).replace(b"\n", b"\r\n"), b"\0" * 100, b""])
            )
        else:
            found = list(re.finditer(rb"[<>\"'{}\[\],;:=()\t]", bytes(data)))
            if found:
                one = random_.choice(found)
                data[one.start() : one.end()] = random_.choice([b"", one.group() * 2, b"<", b'"', b"\\", b"]"])
    return bytes(data)


def seeds(program, folder):
    """Valid files of every format, and the commands that read each; '@' stands for the file."""

    def made(name, arguments):
        code, _, err, _ = run(program, [*arguments, str(folder / name)], folder)
        assert code == 0, (arguments, err)
        return (folder / name).read_bytes()

    def printed(arguments):
        code, out, err, _ = run(program, arguments, folder)
        assert code == 0, (arguments, err)
        return out

    def files(pattern):
        found = [path.read_bytes() for path in sorted(SOURCE.glob(pattern)) if path.stat().st_size < 60_000]
        assert found, pattern
        return found

    net = made("net.pnml", "generate warps --warps 2 --schedulers 1 --arith 3 --global 1 --global-latency 3 -o".split())
    made("kernel.pnml", "generate kernel --string CCLC --warps 2 --units C=1,L=1 -o".split())
    nets = [net, made("kernel2.pnml", "generate kernel --string CLC --warps 2 --units C=1,L=1 -o".split()), *files("examples/nets/*.pnml")]
    lola = made("net.lola", "convert net.pnml --no-inhibitors -o".split()) if "--no-inhibitors" in printed(["convert", "--help"]).decode() else None
    text_nets = files("tests/fuzz/corpus/read_net_text/*") + ([lola] if lola else [])
    schedule = made("schedule.csv", "run net.pnml --schedule".split())
    order = made("order.csv", "worst net.pnml --iterations 50 --write-order".split())
    saved = made("runs.saved", "run net.pnml --runs 20 --resume".split())
    tasks = b"""{"gpu": {"sms": 2, "threads_per_sm": 2048, "blocks_per_sm": 32}, "kernels": [
 {"name": "a", "blocks": 6, "threads": 512, "time": 10, "period": 100, "stream": 1},
 {"name": "b", "blocks": 4, "threads": 1024, "time": 5, "release": 3, "period": 50, "stream": 2, "priority": 1}]}
"""
    limited = ["--time-limit", "1s"]
    short = ["--max-steps", "2000", *limited]
    result = {
        "pnml": (
            nets,
            "x.pnml",
            [
                ["run", "@", *short],
                ["run", "@", "--runs", "20", "--statistics", *short],
                ["run", "@", "--semantics", "multiset", "--marking", "--counts", *short],
                ["run", "@", "--semantics", "interleaving", "--json", *short],
                ["run", "@", "--exact", *limited],
                ["inspect", "@"],
                ["inspect", "@", "--json"],
                ["explore", "@", "--max-states", "2000", *limited],
                ["explore", "@", "--max-states", "2000", "--semantics", "maximal", "--graph", "out.aut", *limited],
                ["explore", "@", "--max-states", "2000", "--live", "t1", *limited],
                ["worst", "@", "--iterations", "20", *limited],
                ["worst", "@", "--bound", *limited],
                ["convert", "@", "-o", "out.lola"],
                ["convert", "@", "-o", "out.net"],
                ["convert", "@", "-o", "out.pnml"],
                ["draw", "@", "-o", "out.dot"],
                ["play", "@"],
                ["report", "@", "-o", "out.html", *limited],
            ],
        ),
        "net text": (text_nets, "x.net", [["run", "@", *short], ["inspect", "@"], ["explore", "@", "--max-states", "2000", *limited], ["convert", "@", "-o", "out.pnml"]]),
        "schedule": ([schedule], "x.csv", [["run", "net.pnml", "--replay", "@"], ["play", "net.pnml", "--replay", "@"], ["draw", "net.pnml", "--schedule", "@", "-o", "out.svg"]]),
        "order": ([order], "x.csv", [["worst", "net.pnml", "--order", "@", "--iterations", "20", *limited]]),
        "saved runs": ([saved], "x.saved", [["run", "net.pnml", "--runs", "25", "--resume", "@"]]),
        "tasks": (
            [tasks, *files("tests/fuzz/corpus/read_tasks/*")],
            "x.json",
            [["respond", "@"], ["respond", "@", "--json"], ["respond", "@", "--sporadic"], ["respond", "@", "--check", "--gantt", "out.svg"], ["generate", "blocks", "@", "-o", "out.pnml"]],
        ),
        "cfg": (files("tests/fuzz/corpus/read_cfg/*"), "x.json", [["split", "@", "--units", "2"], ["split", "@", "--units", "3", "--json"], ["generate", "cfg", "@", "-o", "out.pnml"]]),
        "table": (
            [b"kernel,warps,arith,shared,global,time_us\na,1,10,0,0,4.1\nb,2,20,1,3,8.1\n", *files("tests/fuzz/corpus/read_measured/*")],
            "x.csv",
            [["compare", "@", *limited], ["compare", "@", "--device", "GTX950", "--seeds", "1", "--json"], ["predict", "--device", "V100", "--metrics", "@", "--seeds", "1"]],
        ),
        "device": (
            [printed(["devices", "GTX950", "--table"])],
            "x.tsv",
            [["devices", "--file", "@"], ["predict", "--device", "@", "--blocks", "40", "--counts", "fp32=10,loads=2", "--seeds", "1"], ["generate", "sm", "--device", "@", "--blocks", "12", "--counts", "fp32=10", "-o", "out.pnml"]],
        ),
        "ptx": (
            files("examples/kernels/*.ptx") + files("tests/fuzz/corpus/read_ptx/*"),
            "x.ptx",
            [["ptx", "@"], ["ptx", "@", "--json"], ["predict", "--device", "V100", "--ptx", "@", "--trips", "#1=3", "--seeds", "1"], ["generate", "warps", "--ptx", "@", "--warps", "2", "--trips", "#1=3", "-o", "out.pnml"]],
        ),
        "properties": (files("tests/fuzz/corpus/read_properties/*"), "x.xml", [["explore", "net.pnml", "--properties", "@", "--max-states", "2000", *limited]]),
    }
    result["amalthea"] = (
        files("tests/**/*.amxmi"),
        "x.amxmi",
        [
            ["respond", "@", *limited],
            ["respond", "@", "--json", "--no-cpu", *limited],
            ["respond", "@", "--check", "--gantt", "out.svg", *limited],
            ["respond", "@", "--sporadic", *limited],
            ["respond", "@", "--any-order", *limited],
            ["generate", "blocks", "@", "-o", "out.pnml", *limited],
        ],
    )
    result["sass"] = (
        files("tests/**/*.sass"),
        "x.sass",
        [
            ["ptx", "@", *limited],
            ["ptx", "@", "--json", *limited],
            ["predict", "--device", "V100", "--ptx", "@", "--trips", "#1=3", "--seeds", "1", *limited],
            ["generate", "warps", "--ptx", "@", "--warps", "2", "--trips", "#1=3", "-o", "out.pnml", *limited],
            ["generate", "kernel", "--ptx", "@", "--warps", "2", "--units", "C=2,L=1,S=1,D=1", "-o", "out.pnml", *limited],
        ],
    )
    return result


# ---------------------------------------------------------------- the tries


class Tries:
    def __init__(self, program, keep):
        self.program = program
        self.keep = keep
        self.failures = []
        self.codes = {}
        self.slowest = (0, "")
        self.done = 0

    def judge(self, arguments, result, folder, limit=None, stdin_note=""):
        code, out, err, seconds = result
        self.done += 1
        self.codes[code] = self.codes.get(code, 0) + 1
        command = " ".join(repr(a) if re.search(r"[^\w./=,#-]", a) else a for a in arguments) + stdin_note
        self.slowest = max(self.slowest, (round(seconds, 1), command))
        wrong = []
        if code == "hang":
            wrong.append(f"no end after {HANG} s")
        elif code not in DOCUMENTED:
            wrong.append(f"exit code {code}")
        elif limit is not None and seconds > limit:
            wrong.append(f"{seconds:.1f} s, limit {limit:.1f} s")
        if code in (2, 3, 130) and not err.strip() and not out.strip():
            wrong.append("no reason")
        if code in (2, 3) and not err.strip() and arguments[:1] != ["play"]:
            wrong.append("no message on stderr")
        for text in (err, out[:100_000] if code != 0 else b""):
            found = LIBRARY.search(text.decode("utf-8", "replace"))
            if found:
                wrong.append(f"text of a library: {found.group()}")
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", err):
            wrong.append("control characters in a message")
        if folder:
            left = [p.name for p in Path(folder).rglob("*.tmp-*")]
            if left:
                wrong.append(f"left {left}")
        for one in wrong:
            self.fail(command, one, err, folder)
        return not wrong

    def fail(self, command, what, err, folder):
        number = len(self.failures)
        self.failures.append((command, what))
        print(f"FAILED {number}: warpnet {command}\n    {what}\n    {err.decode('utf-8', 'replace')[:400].strip()}", flush=True)
        if self.keep and folder and number < 200:
            shutil.copytree(folder, Path(self.keep) / str(number), dirs_exist_ok=True)


def try_file(tries, seed, formats, base, patience):
    """A damaged file, read by a command."""
    random_ = random.Random(seed)
    name = random_.choice(sorted(formats))
    valid, file, commands = formats[name]
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for given in ("net.pnml",):
            shutil.copy(base / "given" / given, folder)
        data = mutate(random_, random_.choice(valid))
        (Path(folder) / file).write_bytes(data)
        arguments = [file if a == "@" else a for a in random_.choice(commands)]
        outputs = [a for a in arguments if a.startswith("out.")]
        old = random_.random() < 0.3
        for output in outputs:
            if old:
                (Path(folder) / output).write_bytes(b"old")
        stdin = b"random 5\nmarking\nsteps 3\nundo 2\n" if arguments[0] == "play" else b""
        through_stdin = not stdin and file in arguments and "--replay" not in arguments and "--resume" not in arguments and random_.random() < 0.1
        if through_stdin and "--device" not in arguments:
            arguments = ["-" if a == file else a for a in arguments]
            stdin = data
        result = run(tries.program, arguments, folder, stdin)
        limit = 1 + patience if "--time-limit" in arguments else None
        fine = tries.judge(arguments, result, folder, limit)
        code = result[0]
        if "--resume" not in arguments and (Path(folder) / file).read_bytes() != data:
            tries.fail(" ".join(arguments), "changed its input", result[2], folder)
        for output in outputs:
            path = Path(folder) / output
            if code in (2, 3):
                if old and (not path.exists() or path.read_bytes() != b"old"):
                    tries.fail(" ".join(arguments), "lost the old output", result[2], folder)
                if not old and path.exists():
                    tries.fail(" ".join(arguments), "left an output", result[2], folder)
            if code == 0 and not path.exists():
                tries.fail(" ".join(arguments), "wrote nothing", result[2], folder)
        if code == 0 and "--json" in arguments and fine:
            try:
                json.loads(result[1])
            except ValueError as error:
                tries.fail(" ".join(arguments), f"JSON: {error}", result[2], folder)


def options_of(program, command, folder):
    code, out, _, _ = run(program, [*command, "--help"], folder)
    assert code == 0, command
    options = []
    for line in out.decode().splitlines():
        found = re.match(r"  (?:-\w, )?(--[\w-]+)(?: (\S+))?", line)
        if found and found.group(1) not in ("--help", "--help-all"):
            options.append((found.group(1), found.group(2)))
    return options


COMMANDS = {
    "run": ["net.pnml", "--max-steps", "500"],
    "play": ["net.pnml"],
    "worst": ["net.pnml", "--iterations", "10", "--time-limit", "1s"],
    "sweep": ["warps", "--warps", "1..2", "--arith", "2"],
    "explore": ["net.pnml", "--max-states", "500"],
    "convert": ["net.pnml", "-o", "out.pnml"],
    "inspect": ["net.pnml"],
    "respond": ["tasks.json"],
    "draw": ["net.pnml", "-o", "out.dot"],
    "report": ["net.pnml", "-o", "out.html", "--time-limit", "1s"],
    "split": ["cfg.json", "--units", "2"],
    "ptx": ["x.ptx"],
    "predict": ["--device", "V100", "--blocks", "4", "--counts", "fp32=3", "--seeds", "1"],
    "compare": ["table.csv"],
    "devices": [],
    "doctor": [],
    "completions": ["bash"],
    "help": [],
    "generate warps": ["--warps", "2", "--arith", "3", "-o", "out.pnml"],
    "generate kernel": ["--string", "CLC", "--warps", "2", "--units", "C=1,L=1", "-o", "out.pnml"],
    "generate blocks": ["tasks.json", "-o", "out.pnml"],
    "generate cfg": ["cfg.json", "-o", "out.pnml"],
    "generate sm": ["--device", "V100", "--blocks", "4", "--counts", "fp32=3", "-o", "out.pnml"],
}
VALUES = [
    None, "", " ", "0", "-1", "-0", "1", "2", "00", "1e9", "1e999", "99999999999999999999", "9223372036854775807", "4294967296", "1000000", "0.5", "nan", "inf",
    "abc", "x=y", "=", ",", "1,2,3", "a=1,a=1", "1..3", "5..1", "1..1000000000", "#1=2", "\x01", "\u00e9\u4e2d", "-", "--", "--json", "none/none.csv", ".", "/", "/dev/full", "/dev/null",
    "net.pnml", "out.csv", "out.svg", "out.png", "out.dot", "out.pnml", "out.lola", "out.xyz", "1ms", "0s", "1h", "1K", "100T", "%s%n", "'; ls", "A" * 5000,
]


def try_option(tries, seed, options, base):
    """A command with one or two odd options."""
    random_ = random.Random(seed)
    command = random_.choice(sorted(name for name in options if options[name]))
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for path in (base / "given").iterdir():
            shutil.copy(path, folder)
        given = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        arguments = command.split() + list(COMMANDS[command])
        for _ in range(random_.choice([1, 1, 2])):
            flag, type_ = random_.choice(options[command])
            value = random_.choice(VALUES)
            odd = [flag] if value is None or (type_ is None and random_.random() < 0.8) else [flag, value]
            if random_.random() < 0.2 and len(odd) == 2:
                odd = [flag + "=" + value]
            arguments += odd
        if random_.random() < 0.1:
            arguments.insert(random_.randrange(1, len(arguments) + 1), random_.choice([v for v in VALUES if v is not None]))
        limited = any(a.startswith("--time-limit") for a in arguments)
        if not limited and "--time-limit" in [f for f, _ in options[command]]:
            arguments += ["--time-limit", "2s"]
        stdout = random_.choice([None] * 8 + ["/dev/full", "closed"])
        result = run(tries.program, arguments, folder, b"random 3\n" if command == "play" else b"", stdout)
        tries.judge(arguments, result, folder, None, f" > {stdout}" if stdout else "")
        if stdout == "/dev/full" and result[0] == 0 and not wrote_nothing(tries.program, arguments, base):
            tries.fail(" ".join(arguments), "exit code 0, and what was printed is lost", result[2], folder)
        if result[0] == 2:
            for name, content in given.items():
                if (Path(folder) / name).read_bytes() != content:
                    tries.fail(" ".join(arguments), f"changed {name} after wrong usage", result[2], folder)


def wrote_nothing(program, arguments, base):
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for path in (base / "given").iterdir():
            shutil.copy(path, folder)
        return not run(program, arguments, folder)[1]


LONG = [
    (["run", "net.pnml", "--runs", "100000000", "--json"], None),
    (["run", "big.pnml", "--runs", "3000", "--resume", "out.saved", "--save-every", "20ms"], "out.saved"),
    (["worst", "big.pnml", "--schedule", "out.csv", "--iterations", "1000000000"], "out.csv"),
    (["explore", "big.pnml", "--graph", "out.aut", "--semantics", "interleaving"], "out.aut"),
    (["generate", "warps", "--warps", "600", "--arith", "9", "-o", "out.pnml"], "out.pnml"),
    (["sweep", "warps", "--warps", "1..200", "--arith", "50", "--runs", "200", "--csv", "out.csv"], "out.csv"),
    (["draw", "big.pnml", "-o", "out.svg"], "out.svg"),
    (["report", "big.pnml", "-o", "out.html"], "out.html"),
    (["inspect", "big.pnml"], None),
    (["convert", "big.pnml", "-o", "out.lola"], "out.lola"),
    (["predict", "--device", "V100", "--blocks", "100000", "--counts", "fp32=4000,loads=300", "--full", "--csv", "out.csv"], "out.csv"),
]
WHOLE = {
    ".pnml": lambda d: d.rstrip().endswith(b"</pnml>"),
    ".csv": lambda d: d.endswith(b"\n"),
    ".svg": lambda d: d.rstrip().endswith(b"</svg>"),
    ".html": lambda d: d.rstrip().endswith(b"</html>"),
    ".aut": lambda d: d.startswith(b"des") and d.endswith(b"\n"),
    ".lola": lambda d: d.rstrip().endswith(b";"),
    ".saved": lambda d: d.endswith(b"\n"),
}


def takes_signals(pid):
    """Whether the program has installed its signal handlers; on a busy machine this takes a while."""
    try:
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return False
    return caught is not None and bool(int(caught.group(1), 16) >> (signal.SIGTERM - 1) & 1)


def try_kill(tries, seed, base, patience):
    """A kill at a random time: the output file is the old one or complete, and the program ends at once."""
    random_ = random.Random(seed)
    arguments, output = random_.choice(LONG)
    number = random_.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for path in (base / "given").iterdir():
            shutil.copy(path, folder)
        old = output and not output.endswith(".saved") and random_.random() < 0.5
        if old:
            (Path(folder) / output).write_bytes(b"old")
        process = subprocess.Popen([tries.program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=random_.choice([0.01, 0.05, 0.3, 1.0]) * random_.random() + 0.005)
        except subprocess.TimeoutExpired:
            pass
        begun = takes_signals(process.pid)
        start = time.monotonic()
        process.send_signal(number)
        try:
            out, err = process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            tries.judge(arguments, ("hang", b"", b"", HANG), folder, None, f" and {signal.Signals(number).name}")
            return
        seconds = time.monotonic() - start
        code = process.returncode
        if code == -number and (number == signal.SIGKILL or not begun):
            code, err = 0, b"killed"  # by force, or before the program started
        left = tries.judge(arguments, (code, out, err if code not in (2, 3) else b"killed: " + err, seconds), folder, patience, f" and {signal.Signals(number).name}")
        path = Path(folder) / output if output else None
        if left and path and path.exists():
            content = path.read_bytes()
            if not (old and content == b"old") and not WHOLE[path.suffix](content):
                tries.fail(" ".join(arguments), f"half an output after {signal.Signals(number).name}", err, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--tries", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=["files", "options", "kills"])
    parser.add_argument("--formats", help="of the files, these alone: amalthea,sass")
    parser.add_argument("--patience", type=float, default=10, help="seconds that a program may take beyond its limit, or once it was interrupted")
    parser.add_argument("--keep", help="a folder for the files of tries that fail")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        given = base / "given"
        given.mkdir()
        formats = seeds(program, given)
        chosen = {name: formats[name] for name in (options.formats or ",".join(formats)).split(",")}
        for name, source in (("tasks.json", formats["tasks"][0][0]), ("cfg.json", formats["cfg"][0][-1]), ("x.ptx", formats["ptx"][0][0]), ("table.csv", formats["table"][0][0])):
            (given / name).write_bytes(source)
        assert run(program, "generate warps --warps 16 --schedulers 4 --arith 100 --global 20 -o big.pnml".split(), given)[0] == 0
        for extra in given.iterdir():
            if extra.name not in ("net.pnml", "big.pnml", "tasks.json", "cfg.json", "x.ptx", "table.csv"):
                extra.unlink()
        known = {command: options_of(program, command.split(), given) for command in COMMANDS}
        tries = Tries(program, options.keep)

        def one(number):
            seed = options.seed * 1_000_003 + number
            share = random.Random(seed).random()
            kind = options.only or ("files" if share < 0.6 else "options" if share < 0.96 else "kills")
            if kind == "files":
                try_file(tries, seed, chosen, base, options.patience)
            elif kind == "options":
                try_option(tries, seed, known, base)
            else:
                try_kill(tries, seed, base, options.patience)

        with ThreadPoolExecutor(options.jobs) as pool:
            for future in [pool.submit(one, number) for number in range(options.tries)]:
                future.result()
    codes = ", ".join(f"{code}: {count}" for code, count in sorted(tries.codes.items(), key=str))
    print(f"{tries.done} tries, {len(tries.failures)} failures; exit codes {codes}")
    print(f"slowest {tries.slowest[0]} s: {tries.slowest[1]}")
    return 1 if tries.failures else 0


if __name__ == "__main__":
    sys.exit(main())

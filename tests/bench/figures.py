#!/usr/bin/env python3
"""All figures of the benchmarks in one JSON file, and tables of such files.

figures.py measure BUILD [-o FILE] [--programs run,pnml] [--filter REGEX] [--repetitions N]
figures.py table FILE [--into PAGE]

BUILD is the folder of a build with -DWARPNET_BENCH=ON. A file contains the commit, the machine, and for
every benchmark the results of each repetition: seconds and counters. `table` prints medians as Markdown, or puts them
between the two marks of a page.
"""

import argparse
import datetime
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
MARKS = ("<!-- figures -->", "<!-- end of figures -->")

# Repetitions of each program; those of `annealing` and `worst` take minutes, and are medians of several seeds or fixed times.
PROGRAMS = {"run": 5, "huge": 3, "pivots": 5, "pnml": 3, "explore": 3, "annealing": 1, "worst": 1}

# Whole processes: commands in a folder. The first commands make the nets.
MAKE = [["generate", "warps", "--warps", "8", "--arith", "200", "--shared", "50", "--global", "20", "-o", "8.pnml"],
        ["generate", "warps", "--warps", "64", "--arith", "200", "--shared", "50", "--global", "20", "-o", "64.pnml"]]
SM = ["generate", "sm", "--device", "GTX950", "--blocks", "96", "--block-threads", "256"]
MAKE += [[*SM, "--counts", "fp32=40,loads=2", "-o", "sm_short.pnml"], [*SM, "--counts", "fp32=400,loads=20", "-o", "sm_long.pnml"],
         [*SM, "--counts", "fp32=100,loads=100,stores=10", "-o", "sm_memory.pnml"]]
COMMANDS = [["--version"], ["run", "8.pnml"], ["run", "64.pnml"], ["run", "64.pnml", "--runs", "1000", "--threads", "1"],
            *(["run", net, "--runs", "100", "--threads", "1"] for net in ("sm_short.pnml", "sm_long.pnml", "sm_memory.pnml")),
            ["inspect", "64.pnml"], ["convert", "64.pnml", "-o", "copy.pnml"]]
PROCESS_REPETITIONS = 21


def machine():
    """The facts on which a figure depends, apart from the source."""
    cpu = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "memory_bytes": memory, "compiler": compiler,
            "load_before": os.getloadavg()[0]}


def commit():
    git = lambda *words: subprocess.run(["git", "-C", SOURCE, *words], capture_output=True, text=True).stdout.strip()
    return {"commit": git("rev-parse", "HEAD"), "changed": git("status", "--porcelain", "--untracked-files=no") != ""}


def google_benchmarks(build, program, repetitions, pattern):
    """One entry per benchmark of a program: seconds and counters, each a list with one number per repetition."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [build / f"tests/bench/{program}_bench", f"--benchmark_out={report}", "--benchmark_out_format=json",
                   f"--benchmark_repetitions={repetitions}"]
        if pattern:
            command.append(f"--benchmark_filter={pattern}")
        subprocess.run(command, check=True, stdout=sys.stderr)
        text = report.read_text()
    return entries_of(program, json.loads(text) if text.strip() else {"benchmarks": []})


NOT_COUNTERS = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
                "threads", "iterations", "real_time", "cpu_time", "time_unit", "label"}
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def entries_of(program, report):
    entries = {}
    for row in report["benchmarks"]:
        if row.get("run_type") == "aggregate":
            continue
        if row.get("error_occurred"):
            raise SystemExit(f"{program}: {row['name']}: {row.get('error_message')}")
        name = row["run_name"]
        entry = entries.setdefault(name, {"program": program, "name": name, "wall_s": [], "cpu_s": [], "counters": {}})
        unit = UNITS[row["time_unit"]]
        entry["wall_s"].append(row["real_time"] * unit)
        entry["cpu_s"].append(row["cpu_time"] * unit)
        for counter, value in row.items():
            if counter not in NOT_COUNTERS:
                entry["counters"].setdefault(counter, []).append(value)
    return list(entries.values())


def whole_processes(build):
    """Seconds of the program from start to end, with its memory as a counter."""
    program = (build / "warpnet").resolve()
    entries = []
    with tempfile.TemporaryDirectory() as folder:
        for words in MAKE:
            subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for words in COMMANDS:
            entry = {"program": "process", "name": "warpnet " + " ".join(words), "wall_s": [], "cpu_s": [],
                     "counters": {}}
            peaks = []
            for _ in range(PROCESS_REPETITIONS):
                begun = time.perf_counter()
                process = subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode != 0:
                    raise SystemExit(f"{entry['name']}: exit code {process.returncode}")
                entry["wall_s"].append(time.perf_counter() - begun)
                entry["cpu_s"].append(usage.ru_utime + usage.ru_stime)
                peaks.append(usage.ru_maxrss)
            # A process that used less memory than this one shows this one's peak, from before its exec.
            if min(peaks) > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
                entry["counters"]["peak_bytes"] = [peak * 1024 for peak in peaks]
            entries.append(entry)
    return entries


def measure(arguments):
    build = Path(arguments.build)
    programs = arguments.programs.split(",") if arguments.programs else [*PROGRAMS, "process"]
    unknown = [program for program in programs if program not in PROGRAMS and program != "process"]
    if unknown:
        raise SystemExit(f"no benchmarks '{unknown[0]}': there are {', '.join(PROGRAMS)} and process")
    figures = {**commit(), "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
               "machine": machine(), "benchmarks": []}
    for program in programs:
        if program == "process":
            figures["benchmarks"] += whole_processes(build)
        else:
            repetitions = arguments.repetitions or PROGRAMS[program]
            figures["benchmarks"] += google_benchmarks(build, program, repetitions, arguments.filter)
    write_whole(arguments.output, json.dumps(figures, indent=1) + "\n")


def write_whole(path, text):
    """Writes the whole text or nothing; without a path, to standard output."""
    if path is None:
        sys.stdout.write(text)
        return
    part = Path(f"{path}.part")
    part.write_text(text)
    part.replace(path)


def read(path):
    try:
        figures = json.loads(Path(path).read_text())
        figures["benchmarks"], figures["machine"]["cpu"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SystemExit(f"{path}: no figures of benchmarks: {error!r}")
    return figures


def decisive(entry):
    """The time of a benchmark: wall seconds if its name says so, else CPU seconds."""
    return entry["wall_s"] if "/real_time" in entry["name"] else entry["cpu_s"]


def seconds(value):
    """The time with three digits, in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def number(value):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if abs(value) >= size:
            return f"{value / (1e3 if unit == 'k' else size):.3g} {unit}"
    return f"{value:.4g}"


def span(values, show):
    """The median, and the range if there are several."""
    middle = show(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({show(min(values))} … {show(max(values))})"


def table(figures):
    machine = figures["machine"]
    lines = [f"{machine['cpu']}, {machine['cores']} cores, {machine['compiler']}; commit {figures['commit'][:10]}"
             f"{' with changes' if figures['changed'] else ''}, {figures['date'][:10]}; medians and ranges.", "",
             "| program | benchmark | CPU | wall | counters |", "|---|---|---|---|---|"]
    for entry in figures["benchmarks"]:
        counters = ", ".join(f"{name} {span(values, number)}" for name, values in entry["counters"].items())
        lines.append(f"| {entry['program']} | `{entry['name']}` | {span(entry['cpu_s'], seconds)} | "
                     f"{span(entry['wall_s'], seconds)} | {counters} |")
    return "\n".join(lines) + "\n"


def print_table(arguments):
    text = table(read(arguments.file))
    if arguments.into is None:
        sys.stdout.write(text)
        return
    page = Path(arguments.into).read_text()
    if any(page.count(mark) != 1 for mark in MARKS):
        raise SystemExit(f"{arguments.into}: expected the marks '{MARKS[0]}' and '{MARKS[1]}' once each")
    before, rest = page.split(MARKS[0])
    write_whole(arguments.into, f"{before}{MARKS[0]}\n{text}{MARKS[1]}{rest.split(MARKS[1])[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure", help="run benchmarks of a build")
    command.add_argument("build", metavar="BUILD")
    command.add_argument("-o", "--output", "--json", metavar="FILE")
    command.add_argument("--programs", metavar="NAMES", help=f"some of {','.join(PROGRAMS)},process")
    command.add_argument("--filter", metavar="REGEX", help="benchmarks by name, of all programs but process")
    command.add_argument("--repetitions", type=int, metavar="N", help="of each benchmark but processes")
    command.set_defaults(act=measure)
    command = commands.add_parser("table", help="print figures as Markdown")
    command.add_argument("file", metavar="FILE")
    command.add_argument("--into", metavar="PAGE", help="between the marks of a page")
    command.set_defaults(act=print_table)
    arguments = parser.parse_args()
    arguments.act(arguments)


if __name__ == "__main__":
    main()

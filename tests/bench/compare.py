#!/usr/bin/env python3
"""Lists benchmarks that became slower beyond noise between two files of figures (run.sh all --json FILE).

compare.py OLD NEW [--threshold 1.03] [--all]

A benchmark is slower if every repetition of NEW took longer than every one of OLD (for single repetitions, a tenth
longer) and the median grew by more than the threshold; faster likewise. Memory is compared like time. Exit code 1 if a
benchmark is slower. Figures of different machines are compared with a warning, because only ratios on one machine
are meaningful.
"""

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figures  # noqa: E402

COSTS = {"bytes": figures.number, "peak_bytes": figures.number, "bytes_beyond_packed": figures.number}  # counters: less is better
SINGLE = 1.1  # the assumed noise of a single repetition


def measured(entry):
    """The compared figures of a benchmark: name, numbers, and a function that formats one."""
    yield "time", figures.decisive(entry), figures.seconds
    for counter, show in COSTS.items():
        if counter in entry["counters"]:
            yield counter, entry["counters"][counter], show


def verdict(old, new, threshold):
    """'slower', 'faster' or '' for two lists of costs."""
    if exceeds(new, old, threshold):
        return "slower"
    return "faster" if exceeds(old, new, threshold) else ""


def exceeds(more, less, threshold):
    if len(more) == 1 or len(less) == 1:
        threshold = max(threshold, SINGLE)
    return min(more) > max(less) and statistics.median(more) > threshold * statistics.median(less)


def rows(old, new, threshold):
    """(benchmark, what, old median, new median, ratio, verdict) for everything in both files."""
    known = {(entry["program"], entry["name"]): entry for entry in old["benchmarks"]}
    for entry in new["benchmarks"]:
        before = known.get((entry["program"], entry["name"]))
        if before is None:
            continue
        earlier = {what: values for what, values, _ in measured(before)}
        for what, values, show in measured(entry):
            if what not in earlier:
                continue
            a, b = statistics.median(earlier[what]), statistics.median(values)
            yield (f"{entry['program']}: {entry['name']}", what, show(a), show(b), b / a if a > 0 else 1.0,
                   verdict(earlier[what], values, threshold))


def only_in(one, other):
    names = {(entry["program"], entry["name"]) for entry in other["benchmarks"]}
    return [f"{entry['program']}: {entry['name']}" for entry in one["benchmarks"]
            if (entry["program"], entry["name"]) not in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--threshold", type=float, default=1.03, help="ratio of medians that counts (default 1.03)")
    parser.add_argument("--all", action="store_true", help="rows without a difference too")
    arguments = parser.parse_args()
    old, new = figures.read(arguments.old), figures.read(arguments.new)
    if old["machine"]["cpu"] != new["machine"]["cpu"]:
        print(f"warning: different machines: {old['machine']['cpu']}; {new['machine']['cpu']}", file=sys.stderr)
    compared = list(rows(old, new, arguments.threshold))
    shown = [row for row in compared if arguments.all or row[5]]
    for name, what, before, after, ratio, said in sorted(shown, key=lambda row: -row[4]):
        print(f"{said:6}  {ratio:6.3f}  {before:>9} -> {after:<9}  {what:5}  {name}")
    for name in only_in(old, new):
        print(f"only in {arguments.old}: {name}")
    for name in only_in(new, old):
        print(f"only in {arguments.new}: {name}")
    slower = sum(row[5] == "slower" for row in compared)
    faster = sum(row[5] == "faster" for row in compared)
    print(f"{len(compared)} compared: {slower} slower, {faster} faster")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()

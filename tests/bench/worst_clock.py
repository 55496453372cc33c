#!/usr/bin/env python3
"""Brackets of the worst case of sm nets, as a table: the longest run found, the certified bound, the sum of rates, the gap.

worst_clock.py WARPNET SETS [--devices GTX950,JetsonOrin,A100,H100SXM] [--only REGEX] [--rows]

WARPNET is the program, SETS the folder with gtx950/. One launch of each kernel of examples/kernels (the middle one in
examples/measurements/h100/times.csv) is predicted for each device, and the kernels of the GTX 950 for that one. --rows prints
every launch. Some minutes.

worst_clock.py WARPNET FOLDER --measured

FOLDER is one of examples/measurements. Prints how many of its launches took no longer than the bound for the
measured row of the device, with the bound multiplied by a factor. A time between two events includes event_us, which is
added to the bound.
"""

import argparse
import collections
import csv
import json
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
FACTORS = (1, 1.1, 1.25, 1.5, 2, 3)
TIMES = SOURCE / "examples/measurements/h100/times.csv"


def one_launch_each(path, out):
    """The middle launch of each kernel of a table, as a table."""
    rows = list(csv.DictReader(path.open()))
    kernels = collections.defaultdict(list)
    for row in rows:
        kernels[row["kernel"]].append(row)
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(launches[len(launches) // 2] for launches in kernels.values())
    out.flush()


def predicted(program, table, device):
    words = [program, "predict", "--device", device, "--metrics", table, "--worst", "--seeds", "1", "--json"]
    run = subprocess.run(words, capture_output=True, text=True, cwd=TIMES.parent)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {run.stderr.strip()}")
    found = json.loads(run.stdout)
    return found.get("kernels") or found.get("launches") or [found]


def gap(worst, bound="steps"):
    return 100 * (1 - worst["found_steps"] / worst[bound])


def report(name, kernels, seconds, options):
    """A line of the table, and its launches. If names are equal, the first counts."""
    bracketed = {}
    for kernel in kernels:
        worst = kernel.get("worst", {})
        if worst.get("found_steps") and re.search(options.only, kernel["kernel"]):
            bracketed.setdefault((kernel["kernel"], kernel["blocks"], kernel["threads"]), (kernel, worst))
    if options.rows:
        for kernel, worst in bracketed.values():
            print(f"  {kernel['kernel'][:40]:<40} {kernel['steps']:>10.0f} {worst['found_steps']:>10} {worst['steps']:>10} "
                  f"{worst['sum_of_rates_steps']:>10} {gap(worst):5.1f} %")
    gaps = [gap(worst) for _, worst in bracketed.values()]
    sums = [gap(worst, "sum_of_rates_steps") for _, worst in bracketed.values()]
    longer = [worst["found_steps"] / max(1, kernel["steps"]) for kernel, worst in bracketed.values()]
    print(f"| {name} | {len(gaps)} of {len(kernels)} | {statistics.median(longer):.2f} | {statistics.median(gaps):.1f} % | "
          f"{max(gaps):.1f} % | {statistics.median(sums):.1f} % | {max(sums):.1f} % | {seconds:.0f} s |", flush=True)


def covered(program, folder):
    """The number of measured times of a folder that are within the bounds, per factor."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as device:
        made = subprocess.run([program, "devices", "--from", folder], capture_output=True, text=True, check=True)
        device.write(made.stdout)
        device.flush()
        event = float(re.search(r"event_us +([0-9.]+)", made.stderr).group(1))
        tables = {"times.csv, median": ("times.csv", "time_us", 1, event), "times.csv, longest of 21": ("times.csv", "most_us", 1, event),
                  "counters.csv": ("counters.csv", "gpu__time_duration.sum", 1000, 0)}
        print(f"| times | launches | {' | '.join(f'x {factor}' for factor in FACTORS)} |")
        for name, (table, column, unit, added) in tables.items():
            rows = [row for row in csv.DictReader((folder / table).open()) if row[column][:1].isdigit()]
            measured = [float(row[column].replace(",", "")) / unit for row in rows]
            words = [program, "predict", "--device", device.name, "--metrics", table, "--worst", "--seeds", "1", "--json"]
            launches = json.loads(subprocess.run(words, capture_output=True, text=True, cwd=folder, check=True).stdout)
            bounds = [kernel["worst"]["us"] + added for kernel in launches["kernels"]]
            assert len(bounds) == len(measured)
            counts = [sum(factor * bound >= time for bound, time in zip(bounds, measured)) for factor in FACTORS]
            print(f"| {name} | {len(bounds)} | {' | '.join(map(str, counts))} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--devices", default="GTX950,JetsonOrin,A100,H100SXM")
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--measured", action="store_true")
    options = parser.parse_args()
    program = str(options.program.resolve())
    if options.measured:
        return covered(program, options.sets.resolve())
    print("| kernels | launches | found/predicted, median | gap, median | gap, most | of the sum of rates, median | most | time |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as launches:
        one_launch_each(TIMES, launches)
        tables = [("GTX 950, measured", str((options.sets / "gtx950/kernels.csv").resolve()), "GTX950")]
        tables += [(f"examples/kernels, {device}", launches.name, device) for device in options.devices.split(",")]
        for name, table, device in tables:
            begin = time.monotonic()
            kernels = predicted(program, table, device)
            report(name, kernels, time.monotonic() - begin, options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The family sm and its closed form on every public set of measurements, as one table.

clock.py WARPNET SETS [--seeds N] [--without NAME] [--ablations] [--only REGEX]

WARPNET is the program, SETS the folder with gtx950/, gpuperfpredict/ and rtx2080ti_ktt/. The program's own measurements are
in examples/measurements. --ablations: the closed form without each mechanism, one row per mechanism. Takes some minutes.
"""

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
FACTS = SOURCE / "examples/kernels/rodinia_k40_facts.csv"
SETS = {
    "GTX 950": ("gtx950/kernels.csv", "GTX950", []),
    "GTX 980": ("gpuperfpredict/GTX-980.csv", "GTX980", []),
    "K40, counters": ("gpuperfpredict/Tesla-K40.csv", "K40m", []),
    "K40, facts": ("gpuperfpredict/Tesla-K40.csv", "K40m", ["--facts", str(FACTS)]),
    "RTX 2080 Ti, convolution": ("rtx2080ti_ktt/convolution.csv", "RTX2080Ti", []),
    "RTX 2080 Ti, pnpoly": ("rtx2080ti_ktt/pnpoly.csv", "RTX2080Ti", []),
}
OWN = {"H100": "h100", "H200": "h200"}


def mechanisms(program):
    """The names that --without takes: an unknown name is answered with the list."""
    run = subprocess.run([program, "predict", "--device", "GTX950", "--without", "none", "--counts", "fp32=1"],
                         capture_output=True, text=True)
    return re.search("expected one of (.*?);", run.stderr).group(1).split(", ")


def compared(program, words):
    run = subprocess.run([program, "compare", *words, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def figures(found):
    """MAPE, median error and Spearman's coefficient per family."""
    families = found.get("families") or [found]
    return {one["family"]: (one["predicted"]["mape"], one["predicted"]["median"], one["spearman"]) for one in families}


def rows(program, sets, family, seeds, without, only):
    common = ["--family", family, "--seeds", str(seeds), *(["--without", without] if without else [])]
    for name, (file, device, extra) in SETS.items():
        if re.search(only, name):
            yield name, figures(compared(program, [str(sets / file), "--device", device, *extra, *common]))
    for name, folder in OWN.items():
        if not re.search(only, name):
            continue
        path = SOURCE / "examples/measurements" / folder
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
            row = subprocess.run([program, "devices", "--from", str(path)], capture_output=True, text=True, check=True)
            table.write(row.stdout)
            table.flush()
            found = compared(program, [str(path), "--device", table.name, *common])
        for file, one in found["tables"].items():
            yield f"{name}, {file.removesuffix('.csv')}", figures(one)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("sets", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--without", default="")
    parser.add_argument("--ablations", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if not options.ablations:
        print("| set | `sm`: MAPE / median / Spearman | closed form |\n|---|---|---|")
        for name, found in rows(options.program, options.sets, "sm,closed-form", options.seeds, options.without, options.only):
            cells = [" / ".join(f"{v:.1f}" if i < 2 else f"{v:.3f}" for i, v in enumerate(found[family]))
                     for family in ("sm", "closed-form")]
            print(f"| {name} | {cells[0]} | {cells[1]} |", flush=True)
        return
    for number, without in enumerate(["", *mechanisms(options.program)]):
        found = list(rows(options.program, options.sets, "closed-form", 1, without, options.only))
        if number == 0:
            print("| without | " + " | ".join(name for name, _ in found) + " |\n|---" + "|---" * len(found) + "|")
        cells = (f"{one['closed-form'][0]:.1f}" for _, one in found)
        print(f"| {f'`{without}`' if without else 'nothing'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

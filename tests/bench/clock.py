#!/usr/bin/env python3
"""The family sm and its closed form on every public set of measurements, as one table.

clock.py WARPNET SETS [--seeds N] [--without NAME] [--ablations [NAME,...]] [--only REGEX] [--kernels FOLDER [--every N]]

WARPNET is the program, SETS the folder with gtx950/, gpuperfpredict/, rtx2080ti_ktt/ and kernel_tuner/. The program's own
measurements are in examples/measurements. --ablations: the closed form without each mechanism, one row per mechanism. Takes
some minutes. --kernels: a checkout of AutoTuningAssociation/benchmark_hub; from its sources nvcc and ptxas make PTX and
registers of every N-th configuration in kernel_tuner/ (8), some seconds each, and the resulting tables are sets.
"""

import argparse
import csv
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


def blocks_of(size, row, *tiles):
    """Blocks that cover so many elements in one direction."""
    elements = 1
    for name in tiles:
        elements *= int(row[name])
    return -(-size // elements)


def launch_of_image(width, height):
    def launch(row):
        block = f"{row['block_size_x']}x{row['block_size_y']}x1"
        return block, (f"{blocks_of(width, row, 'block_size_x', 'tile_size_x')}x"
                       f"{blocks_of(height, row, 'block_size_y', 'tile_size_y')}x1"), {}
    return launch


def launch_of_points(row):
    return f"{row['block_size_x']}x1x1", f"{blocks_of(20000000, row, 'block_size_x', 'tile_size')}x1x1", {"param": "2=20000000"}


TUNED = {  # table, source, kernel, architecture, device, launch, bytes that its loads touch
    "RTX 3090, pnpoly": ("pnpoly_RTX3090", "currently_unused/kernels/pnpoly.cu", "cn_pnpoly", "sm_86", ["RTX3090"],
                         launch_of_points, 0),
    "A4000, dedispersion": ("dedispersion_A4000", "kernels/dedisp_milo/dedispersion.cu", "dedispersion_kernel", "sm_86",
                            ["RTXA4000"], launch_of_image(25000, 2048), 1536 * 25650),
    "A100, convolution": ("convolution_A100", "kernels/convolution_milo.cu", "convolution_kernel", "sm_80", ["A100"],
                          launch_of_image(4096, 4096), 0),
}
# Its source repeats each launch 32 times. In 192 of 4,201 configurations these times jump by a factor of 1.5 to 1.7: the card
# changes its clock, and no column records this. Its base clock is 765 MHz (NVIDIA A100 40GB PCIe, product brief).
CLOCKS = {"A100, convolution": 765}


def tuned_table(sets, kernels, work, every, tuned):
    """The set as a table of PTX, registers and times."""
    name, source, kernel, architecture, _, launch, footprint = tuned
    text = (kernels / source).read_text().replace("#pragma unroll loop_unroll_factor_channel", "")
    if 'extern "C"' not in text:
        text = text.replace(f"__global__ void {kernel}", f'extern "C" __global__ void {kernel}')
    code = work / f"{name}.cu"
    code.write_text(text)
    rows = list(csv.DictReader((sets / "kernel_tuner" / f"{name}.csv").open()))
    made = []
    for number in range(1, len(rows), every):
        row = rows[number]
        if row.get("use_shmem") == "0":
            continue  # another kernel, which the source does not have
        ptx = work / f"{name}_{number}.ptx"
        defines = [f"-D{key}={value}" for key, value in {"block_size_z": 1, **row}.items() if key not in ("time_us", "rank_in_space")]
        include = f"-I{(kernels / source).parent}"
        subprocess.run(["nvcc", "-ptx", f"-arch={architecture}", include, *defines, "-o", ptx, code], check=True, capture_output=True)
        notes = subprocess.run(["ptxas", "-v", f"-arch={architecture}", ptx, "-o", "/dev/null"], capture_output=True, text=True).stderr
        used = re.search(rf"entry function '{kernel}'.*?Used (\d+) registers", notes, re.DOTALL)
        if not used:
            continue  # more shared memory than a kernel may declare
        block, grid, more = launch(row)
        made.append({"kernel": kernel, "case": number, "ptx": ptx, "block": block, "grid": grid, "registers": used.group(1),
                     "time_us": row["time_us"], **({"load_footprint": footprint} if footprint else {}), **more})
    table = work / f"{name}.csv"
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, made[0].keys())
        writer.writeheader()
        writer.writerows(made)
    return table


def mechanisms(program):
    """The names that --without accepts: the error for an unknown name lists them."""
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


def rows(program, sets, family, seeds, without, only, tuned):
    common = ["--family", family, "--seeds", str(seeds), *(["--without", without] if without else [])]
    for name, (file, device, extra) in SETS.items():
        if re.search(only, name):
            yield name, figures(compared(program, [str(sets / file), "--device", device, *extra, *common]))
    for name, table in tuned.items():
        words = [str(table), "--device", *TUNED[name][4], *common]
        yield name, figures(compared(program, words))
        if name in CLOCKS:
            yield f"{name}, {CLOCKS[name]} MHz", figures(compared(program, [*words, "--clock", str(CLOCKS[name])]))
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
    parser.add_argument("--ablations", nargs="?", const="all")
    parser.add_argument("--only", default="")
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--every", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        tuned = {name: tuned_table(options.sets, options.kernels, Path(work), options.every, one)
                 for name, one in TUNED.items() if options.kernels and re.search(options.only, name)}
        report(options, tuned)


def report(options, tuned):
    if not options.ablations:
        print("| set | `sm`: MAPE / median / Spearman | closed form |\n|---|---|---|")
        for name, found in rows(options.program, options.sets, "sm,closed-form", options.seeds, options.without, options.only, tuned):
            cells = [" / ".join(f"{v:.1f}" if i < 2 else f"{v:.3f}" for i, v in enumerate(found[family]))
                     for family in ("sm", "closed-form")]
            print(f"| {name} | {cells[0]} | {cells[1]} |", flush=True)
        return
    names = mechanisms(options.program) if options.ablations == "all" else options.ablations.split(",")
    for number, without in enumerate(["", *names]):
        found = list(rows(options.program, options.sets, "closed-form", 1, without, options.only, tuned))
        if number == 0:
            print("| without | " + " | ".join(name for name, _ in found) + " |\n|---" + "|---" * len(found) + "|")
        cells = (f"{one['closed-form'][0]:.1f}" for _, one in found)
        print(f"| {f'`{without}`' if without else 'nothing'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

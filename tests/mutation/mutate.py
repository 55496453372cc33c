#!/usr/bin/env python3
"""Breaks the engine at random places, one at a time, and reports the changes that its tests do not notice.

    tests/mutation/mutate.py BUILD [--count 40] [--seed 1] [--minutes 25] [--cases 200] [FILE ...]

BUILD is a configured build folder of this tree. Each mutant changes one operator or constant of a source of the engine,
is compiled, and engine_test is run on it. A mutant that does not compile does not
count. The source is always restored; a tree with changes in engine/ is rejected. Exit code 1 if a mutant was not
noticed.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Pairs that a plausible bug may confuse, in both directions.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \+= ", " -= "), (r" -= ", " += "), (r" \* ", " + "),
    (r"\+\+(?=\w)", "--"), (r"--(?=\w)", "++"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\b0\b(?![.xX])", "1"), (r"\b1\b(?![.xX'])", "2"), (r"\b2\b(?![.xX'])", "1"),
    (r"std::min\b", "std::max"), (r"std::max\b", "std::min"), (r"any_of", "all_of"), (r"all_of", "any_of"),
    (r"!(?=\w)", ""), (r"\bcontinue;", "break;"), (r" \| ", " & "), (r" & ", " | "), (r" << ", " >> "),
]
SKIPPED = re.compile(r"^\s*(//|#|template|using|namespace|static_assert|constexpr std::string)|throw |InputError|\"")


def code(line):
    """The line without its comment."""
    return line.split("//", 1)[0]


def mutants(path):
    """(line number, mutated line) for every change that a line allows."""
    found = []
    for number, line in enumerate(path.read_text().split("\n")):
        if SKIPPED.search(line):
            continue
        for pattern, replacement in CHANGES:
            for at in re.finditer(pattern, code(line)):
                found.append((number, line[: at.start()] + replacement + line[at.end():]))
    return found


def build(folder):
    return subprocess.run(["ninja", "-C", folder, "engine_test"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def noticed(test, cases, seconds):
    environment = {**os.environ, "RC_PARAMS": f"seed=1 max_success={cases}"}
    try:
        result = subprocess.run([test, "--abort"], env=environment, timeout=seconds, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return "by its time"
    return "by a test" if result.returncode != 0 else ""


def chosen(files, count, chooser):
    """So many mutants, at most one per line; the chance of a file is proportional to its places to break."""
    places = [(path, number, line) for path in files for number, line in mutants(path)]
    chooser.shuffle(places)
    seen, result = set(), []
    for path, number, line in places:
        if (path, number) not in seen and len(result) < count:
            seen.add((path, number))
            result.append((path, number, line))
    return result


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=25, help="begin no mutant after so many")
    parser.add_argument("--cases", type=int, default=200, help="random cases of each property")
    parser.add_argument("files", nargs="*", help="default: all .cpp files of engine/")
    return parser.parse_args()


def main():
    options = arguments()
    dirty = subprocess.run(["git", "status", "--porcelain", "engine"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    if dirty:
        sys.exit("engine/ has changes that are not committed:\n" + dirty)
    files = [pathlib.Path(f).resolve() for f in options.files] or sorted((ROOT / "engine").rglob("*.cpp"))
    if build(options.build).returncode != 0:
        sys.exit("engine_test cannot be built as it is")
    test = str(pathlib.Path(options.build) / "tests" / "engine" / "engine_test")
    begun = time.monotonic()
    if noticed(test, options.cases, 3600):
        sys.exit("engine_test fails as it is")
    limit = 5 * (time.monotonic() - begun) + 30
    begun = time.monotonic()
    tried, missed = 0, []
    for path, number, line in chosen(files, 3 * options.count, random.Random(options.seed)):
        if tried == options.count or time.monotonic() - begun > 60 * options.minutes:
            break
        original = path.read_text()
        lines = original.split("\n")
        where = f"{path.relative_to(ROOT)}:{number + 1}"
        before, lines[number] = lines[number], line
        try:
            path.write_text("\n".join(lines))
            result = "does not compile" if build(options.build).returncode != 0 else noticed(test, options.cases, limit)
        finally:
            path.write_text(original)
        if result != "does not compile":
            tried += 1
            if not result:
                missed.append(where)
        print(f"{where}: {result or 'NOT NOTICED'}\n  - {before.strip()}\n  + {line.strip()}", flush=True)
    build(options.build)
    print(f"{tried - len(missed)} of {tried} mutants noticed" + "".join(f"\n  not: {where}" for where in missed))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

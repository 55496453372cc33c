#!/usr/bin/env python3
"""No command ignores a flag that it accepts: for every flag with every kind of main input, and for every pair
of flags of one command.

    flags_test.py WARPNET [--every N] [--command NAME]

flags.txt lists commands and a valid value for each of their flags. A flag must change what a command prints or
writes, or its exit code. If it does so alone but not with another flag, that flag disables it. The
command must then reject the pair (exit 2), unless flags.txt gives a reason for the pair. A flag in the help of
a command that flags.txt does not list is a failure, too.

flags.txt has a command line for each kind of main input of a command (a net, a string, PTX, a template, ...). Every
flag of the command is tried with each of them, with its value from another command line. It must be rejected or
change something, unless flags.txt lists it as neutral there.

Takes each N-th pair; WARPNET_CASES=N of the environment takes N times as many.
"""
import argparse
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
# Limits that these small inputs do not reach, and flags that change no result.
NEUTRAL = {"--threads", "--time-limit", "--memory", "--save-every", "--quiet"}


class Base:
    """A command line, the flags tried with it, and their exceptions."""

    def __init__(self, words):
        self.words = words
        self.flags = {}  # flag: (its words, the words that it needs)
        self.neutral = {}  # flag: why it changes nothing here
        self.masked = []  # (flag, other flag or "*", why)


def read_table(path):
    setup, bases, untried = [], [], set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        kind, _, rest = line.partition(" ")
        if kind == "$":
            setup.append(rest)
        elif kind == "=":
            bases.append(Base(shlex.split(rest)))
        elif kind == "!":
            words = rest.split()
            untried.update((tuple(command_of(words)), flag) for flag in words if flag.startswith("--"))
        elif kind == "~":  # FLAG | OTHER: reason
            pair, _, why = rest.partition(": ")
            flag, _, other = pair.partition(" | ")
            for one in flag.split():
                for two in other.split():
                    bases[-1].masked.append((one, two, why))
        elif kind == "0":  # FLAG...: reason
            flags, _, why = rest.partition(": ")
            for flag in flags.split():
                bases[-1].neutral[flag] = why
        elif kind.startswith("-"):
            words, _, needed = line.partition(" @ ")
            words = shlex.split(words)
            bases[-1].flags[words[0]] = (words, shlex.split(needed))
        else:
            sys.exit(f"{path}:{number}: expected '$', '=', '~', '0' or a flag, found '{kind}'")
    return setup, bases, untried


def command_of(words):
    return words[:2] if words[0] == "generate" else words[:1]


class Runner:
    def __init__(self, program, folder):
        self.program, self.folder, self.known = program, folder, {}
        self.kept = {path.name for path in folder.iterdir()}

    def run(self, words):
        """(exit code, everything printed and written), without values that depend on the clock."""
        key = tuple(words)
        if key in self.known:
            return self.known[key]
        result = subprocess.run([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=120, check=False,
                                env={**os.environ, "LC_ALL": "C"})
        seen = [result.stdout, result.stderr]
        for path in sorted(self.folder.iterdir()):
            if path.name in self.kept:
                continue
            seen += [path.name.encode(), path.read_bytes() if path.is_file() else b""]
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        text = b"\0".join(seen)
        text = re.sub(rb"(?m)^[0-9]+[.][0-9]{6},", b"", text)  # worst --log
        text = re.sub(rb'seconds in all[^\n]*|"(seconds|time_left)":\s*[-+.0-9e]+|"(seconds|rate)":\s*\{[^}]*\}|[.0-9]+ (s|ms)\b', b"", text)
        self.known[key] = (result.returncode, text)
        return self.known[key]


def flags_in_help(program, command):
    text = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout
    flags = set()
    for line in text.splitlines():
        if re.match(r" {2}-", line):
            head = re.split(r"\s{2,}|\s(?=[A-Z])", line.strip())[0]
            flags.update(re.findall(r"--[a-z][a-z0-9-]*", head))
    return flags - {"--help"}


def commands_in_help(program):
    """The commands, and the families of `generate`, as words of a command line."""
    commands = []
    for command in [[], ["generate"]]:
        text = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout
        listed = re.search(r"(?m)^(?:Commands|Families):\n((?:  .*\n)+)", text).group(1)
        commands += [[*command, name] for name in re.findall(r"(?m)^  ([a-z]+)", listed)]
    return commands


def check_examples(program):
    """Each flag in an example of a help is in the help of its command, so it is no older name."""
    faults = []
    for command in commands_in_help(program):
        text = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout
        for example in re.findall(r"(?m)^  ((?:mpirun -n [0-9]+ )?warpnet .*)$", re.sub(r" \\\n +", " ", text)):
            words = list(shlex.shlex(example, posix=True, punctuation_chars=True))
            for shown, parts in itertools.groupby(words, lambda word: word not in ("&&", "|", ";")):
                parts = list(parts)
                if not shown or "warpnet" not in parts:
                    continue
                parts = parts[parts.index("warpnet") + 1:]
                known = flags_in_help(program, command_of(parts))
                if parts[0] == "sweep":
                    known |= flags_in_help(program, ["generate", parts[1]])
                for flag in parts:
                    if flag.startswith("--") and flag not in known:
                        faults.append(f"warpnet {' '.join(command)} --help: {flag} of '{example}' is not in the help")
    return faults


def is_flag(word):
    return re.match(r"--?[a-z]", word) is not None


def with_words(base, *groups):
    """The base with groups of words. If a flag is in several groups, the last one counts."""
    words, values = [], {}
    for group in (base.words, *groups):
        flag = None
        for word in group:
            if is_flag(word):
                flag = {"-o": "--output"}.get(word, word)
                values[flag] = [word]
            elif flag:
                values[flag].append(word)
            else:
                words.append(word)
    return words + [word for value in values.values() for word in value]


def lent_flags(base, bases):
    """Flags of the command that are listed only with other main inputs."""
    lent = {}
    for other in bases:
        if command_of(other.words) == command_of(base.words):
            for flag, value in other.flags.items():
                lent.setdefault(flag, value)
    return {flag: value for flag, value in lent.items() if flag not in base.flags and flag not in base.words}


def check_lent(base, lent, runner):
    faults = []
    for flag, (words, needed) in lent.items():
        if flag in NEUTRAL or flag in base.neutral:
            continue
        for with_it in [[], needed] if needed else [[]]:
            after = runner.run(with_words(base, with_it, words))
            if after[0] in (2, 3) or runner.run(with_words(base, with_it)) != after:
                continue
            faults.append(f"{shlex.join(with_words(base, with_it, words))}: {flag} is ignored with this main input")
    return faults


def check(base, runner, every, turn):
    faults, tried, refused = [], 0, 0
    changed = {}
    for flag, (words, needed) in base.flags.items():
        before = runner.run(with_words(base, needed))  # may be rejected, because the flag is missing
        code, after = runner.run(with_words(base, needed, words))
        if code not in (0, 1, 4):
            faults.append(f"{shlex.join(with_words(base, needed, words))}: exit {code}: {after.decode(errors='replace')[:200]}")
            continue
        changed[flag] = before != (code, after)
        if flag in NEUTRAL:
            continue
        if not changed[flag] and flag not in base.neutral:
            faults.append(f"{shlex.join(with_words(base, needed, words))}: {flag} changes nothing")
        if changed[flag] and flag in base.neutral:
            faults.append(f"{shlex.join(with_words(base, needed, words))}: {flag} changes something and is listed as neutral")
    for flag, other in itertools.permutations(base.flags, 2):
        if not changed.get(flag) or other not in changed or flag in base.flags[other][1]:
            continue
        if any(one in (flag, "*") and two in (other, "*") for one, two, _ in base.masked):
            continue
        turn[0] += 1
        if turn[0] % every:
            continue
        tried += 1
        words, needed = base.flags[flag]
        others, needed_by_other = base.flags[other]
        without = with_words(base, needed_by_other, needed, others)
        both = with_words(base, needed_by_other, needed, others, words)
        after = runner.run(both)
        if after[0] in (2, 3):
            refused += 1
            continue
        if runner.run(without) == after:
            faults.append(f"{shlex.join(both)}: {flag} is ignored with {other}")
    return faults, tried, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--command")
    options = parser.parse_args()
    every = max(1, options.every // int(os.environ.get("WARPNET_CASES", "1")))
    setup, bases, untried = read_table(HERE / "flags.txt")
    faults, tried, refused, lent_tried, turn = check_examples(options.program), 0, 0, 0, [0]
    whole = {tuple(command_of(base.words)) for base in bases}
    for command in sorted(whole):
        listed = set().union(*(base.flags for base in bases if tuple(command_of(base.words)) == command))
        for flag in sorted(flags_in_help(options.program, command) - listed):
            if flag == "--quiet" or (command, flag) in untried:
                continue
            faults.append(f"flags.txt has no value for {' '.join(command)} {flag}")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATH": f"{Path(options.program).parent}:{os.environ['PATH']}",
                       "EXAMPLES": str(HERE.parents[1] / "examples"), "TESTS": str(HERE.parents[0])}
        for line in setup:
            subprocess.run(["bash", "-c", line], cwd=folder, check=True, env=environment, stdout=subprocess.DEVNULL)
        for base in bases:
            if options.command and options.command != " ".join(command_of(base.words)):
                continue
            runner = Runner(options.program, Path(folder))
            lent = lent_flags(base, bases)
            faults += check_lent(base, lent, runner)
            lent_tried += len(lent)
            more, count, count_refused = check(base, runner, every, turn)
            faults += more
            tried += count
            refused += count_refused
    print("\n".join(faults))
    print(f"{len(bases)} command lines, {lent_tried} flags of other main inputs, {tried} pairs tried ({refused} refused), "
          f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""The program with whose answers the tests compare the package."""

import json
import os
import pathlib
import subprocess

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]


HEAD = {"tool", "version", "command", "schema", "complete", "limits", "interrupted", "seed"}


class Answer(dict):
    """An answer of the program. Results of Python contain only a part of its head."""

    def __eq__(self, other):
        return {name: value for name, value in self.items() if name in other or name not in HEAD} == dict(other)

    __hash__ = None


@pytest.fixture(scope="session")
def warpnet_program():
    """Runs the program with arguments, and returns the JSON that it prints."""
    program = os.environ.get("WARPNET_PROGRAM")
    if not program:
        pytest.skip("WARPNET_PROGRAM does not name the program")

    def run(*arguments, status=0):
        words = [program, *map(str, arguments), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=PROJECT)
        assert done.returncode == status, done.stderr
        return Answer(json.loads(done.stdout))

    return run


@pytest.fixture(scope="session")
def examples():
    return PROJECT / "examples"

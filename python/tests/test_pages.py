"""The examples of docstrings and pages give the printed results; types are complete."""

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import warpnet

PROJECT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["warpnet"] + [f"warpnet.{module.name}" for module in pkgutil.iter_modules(warpnet.__path__)]
PAGES = ["README.md", "python/README.md", "docs/tutorials/python.md"]


@pytest.mark.parametrize("name", [name for name in MODULES if name != "warpnet._core"])
def test_examples_of_docstrings(name):
    pytest.importorskip("networkx")
    pytest.importorskip("matplotlib")
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (PROJECT / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_python_of_a_page(page, tmp_path, monkeypatch):
    """The `pycon` blocks of a page, one after the other, as one session in an empty folder."""
    pytest.importorskip("networkx")
    pytest.importorskip("matplotlib").use("Agg")
    found = blocks(page, "pycon")
    assert found
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest("\n".join(found), {}, page, page, 0)
    assert test.examples
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_every_public_name_has_a_docstring():
    for name in warpnet.__all__:
        value = getattr(warpnet, name)
        if isinstance(value, type) or inspect.isfunction(value):
            assert (value.__doc__ or "").strip(), name


def test_types_are_complete():
    pytest.importorskip("mypy")
    package = pathlib.Path(warpnet.__file__).parent
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "--ignore-missing-imports"]
    done = subprocess.run([*command, str(package)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_package_says_that_it_has_types():
    assert (pathlib.Path(warpnet.__file__).parent / "py.typed").exists()

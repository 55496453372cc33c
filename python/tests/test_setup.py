"""Where an installation by pip takes the module `_core` from."""

import importlib.util
import pathlib
import shutil
import sysconfig

import pytest

import warpnet as wn

pytest.importorskip("setuptools")

MODULE = pathlib.Path(wn._core.__file__)


@pytest.fixture
def setup(monkeypatch, tmp_path):
    """setup.py without its call of setuptools, with other folders, and with commands that are only recorded."""
    file = pathlib.Path(__file__).resolve().parents[1] / "setup.py"
    spec = importlib.util.spec_from_file_location("setup_of_warpnet", file)
    setup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(setup)
    monkeypatch.setattr(setup, "FOLDERS", [tmp_path / "release", tmp_path / "ci"])
    monkeypatch.setattr(setup, "INSTALLED", tmp_path / "installed")
    return setup


def build_folder(setup, folder, source):
    """A build folder with the module, configured for a source tree."""
    package = setup.module_of(folder)
    package.mkdir(parents=True)
    (folder / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n")
    shutil.copy(MODULE, package)
    return package / MODULE.name


def test_the_name_is_that_of_this_python():
    assert MODULE.name == "_core" + sysconfig.get_config_var("EXT_SUFFIX")


def test_nothing_is_found_without_a_build(setup):
    assert setup.built_module(MODULE.name) is None


def test_build_folders_of_this_source_tree(setup, monkeypatch, tmp_path, capsys):
    commands = []
    monkeypatch.setattr(setup.subprocess, "run", lambda words, **options: commands.append(words))
    build_folder(setup, tmp_path / "release", "/another/tree")
    module = build_folder(setup, tmp_path / "ci", setup.PROJECT)
    assert setup.built_module(MODULE.name) == module
    assert commands == [["cmake", "--build", tmp_path / "ci", "--target", "warpnet_python"]]
    assert str(tmp_path / "ci") in capsys.readouterr().err
    assert setup.built_module("_core.of-another-python.so") is None


def test_an_installed_module_of_the_same_version(setup, monkeypatch, tmp_path):
    (tmp_path / "installed").mkdir()
    shutil.copy(MODULE, tmp_path / "installed")
    assert setup.version_of(tmp_path / "installed" / MODULE.name) == wn.__version__
    assert setup.built_module(MODULE.name) == tmp_path / "installed" / MODULE.name
    monkeypatch.setattr(setup, "VERSION", "0.0.1")
    assert setup.built_module(MODULE.name) is None
    (tmp_path / "installed" / MODULE.name).write_bytes(b"no module")
    assert setup.version_of(tmp_path / "installed" / MODULE.name) is None


def test_a_full_build_says_how_long_it_takes(setup, monkeypatch, tmp_path, capsys):
    commands = []
    monkeypatch.setattr(setup.subprocess, "run", lambda words, **options: commands.append(words))
    setup.build_from_nothing(tmp_path / "cmake")
    assert len(commands) == 2
    said = capsys.readouterr().err
    assert "5 minutes" in said and "WARPNET_BUILD_DIR" in said and said.count("\n") == 1

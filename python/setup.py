"""Builds the module `_core` with CMake; pyproject.toml has the rest.

WARPNET_BUILD_DIR: a build folder that already contains the module, which is then used unchanged. Otherwise the module comes
from a build folder of this source tree, from the installed python3-warpnet of the same version, or from a full build.
libwarpnet-dev does not help: it has neither the code of the commands nor, in general, position-independent libraries.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import setuptools
from setuptools.command.build_ext import build_ext

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = PROJECT / "build" / "wheel"  # so that nothing is left among the sources


FOLDERS = [PROJECT / "build" / preset for preset in ("python", "release", "ci")]
INSTALLED = pathlib.Path("/usr/lib/python3/dist-packages/warpnet")
SLOW = """warpnet: building the C++ libraries takes about 5 minutes on 2 cores. To avoid it, set WARPNET_BUILD_DIR to a build \
folder with WARPNET_PYTHON=ON, or install python3-warpnet {version}."""
VERSION = re.search(r"project\(warpnet VERSION ([0-9.]+)", (PROJECT / "CMakeLists.txt").read_text())[1]


def module_of(folder):
    """Where a build folder has the package."""
    return folder / "python" / "warpnet"


def version_of(module):
    """The version of a built module, or None if this Python cannot load it."""
    code = f"""import importlib.util as u
spec = u.spec_from_file_location("_core", {json.dumps(str(module))})
print(u.module_from_spec(spec).version)"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return loaded.stdout.strip() if loaded.returncode == 0 else None


def configured_here(folder):
    """Whether a build folder is one of this source tree: build folders may have been copied or moved."""
    cache = folder / "CMakeCache.txt"
    return cache.exists() and f"CMAKE_HOME_DIRECTORY:INTERNAL={PROJECT}\n" in cache.read_text(errors="replace")


def built_module(name):
    """A module of this version that need not be built from nothing, brought up to date, or None."""
    for folder in FOLDERS:
        module = module_of(folder) / name
        if module.exists() and configured_here(folder):
            print(f"warpnet: uses the build folder {folder}", file=sys.stderr)
            subprocess.run(["cmake", "--build", folder, "--target", "warpnet_python"], check=True)
            return module
    installed = INSTALLED / name
    if installed.exists() and version_of(installed) == VERSION:
        print(f"warpnet: uses the installed python3-warpnet {VERSION}", file=sys.stderr)
        return installed
    return None


def build_from_nothing(folder):
    """Builds the module in a folder of its own, and returns where it is."""
    print(SLOW.format(version=VERSION), file=sys.stderr)
    settings = ["CMAKE_BUILD_TYPE=Release", "CMAKE_UNITY_BUILD=ON", "WARPNET_TESTS=OFF", "WARPNET_PYTHON=ON"]
    settings.append(f"Python_EXECUTABLE={sys.executable}")
    flags = [f"-D{setting}" for setting in settings]
    subprocess.run(["cmake", "-G", "Ninja", "-S", PROJECT, "-B", folder, *flags], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "warpnet_python"], check=True)
    return module_of(folder)


class CMakeModule(build_ext):
    """Finds or builds the module, and puts it at the place that setuptools expects."""

    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        given = os.environ.get("WARPNET_BUILD_DIR")
        if given:
            built = module_of(pathlib.Path(given).resolve()) / target.name
        else:
            built = built_module(target.name) or build_from_nothing(SCRATCH / "cmake") / target.name
        if not built.exists():
            sys.exit(f"{built} was not built: are pybind11-dev and python3-dev installed?")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))


if __name__ == "__main__":
    SCRATCH.mkdir(parents=True, exist_ok=True)
    setuptools.setup(
        version=VERSION,
        ext_modules=[setuptools.Extension("warpnet._core", sources=[])],
        cmdclass={"build_ext": CMakeModule},
        options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
    )

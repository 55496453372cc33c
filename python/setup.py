"""Builds the module `_core` with CMake; pyproject.toml has the rest.

WARPNET_BUILD_DIR: a build folder that already contains the module, which is then used unchanged.
"""
import os
import pathlib
import re
import subprocess
import sys

import setuptools
from setuptools.command.build_ext import build_ext

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = PROJECT / "build" / "wheel"  # so that nothing is left among the sources


class CMakeModule(build_ext):
    """Builds the module with CMake, and puts it at the place that setuptools expects."""

    def build_extension(self, extension):
        given = os.environ.get("WARPNET_BUILD_DIR")
        folder = pathlib.Path(given).resolve() if given else SCRATCH / "cmake"
        if not given:
            settings = ["CMAKE_BUILD_TYPE=Release", "CMAKE_UNITY_BUILD=ON", "WARPNET_TESTS=OFF", "WARPNET_PYTHON=ON"]
            settings.append(f"Python_EXECUTABLE={sys.executable}")
            flags = [f"-D{setting}" for setting in settings]
            subprocess.run(["cmake", "-G", "Ninja", "-S", PROJECT, "-B", folder, *flags], check=True)
            subprocess.run(["cmake", "--build", folder, "--target", "warpnet_python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        built = folder / "python" / "warpnet" / target.name
        if not built.exists():
            sys.exit(f"{built} was not built: are pybind11-dev and python3-dev installed?")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))


version = re.search(r"project\(warpnet VERSION ([0-9.]+)", (PROJECT / "CMakeLists.txt").read_text())[1]
SCRATCH.mkdir(parents=True, exist_ok=True)
setuptools.setup(
    version=version,
    ext_modules=[setuptools.Extension("warpnet._core", sources=[])],
    cmdclass={"build_ext": CMakeModule},
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
)

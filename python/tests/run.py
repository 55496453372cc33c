"""Runs the tests of a file by pytest: run.py FILE. Exit code 77: the required Python packages are missing."""
import importlib.util
import sys

missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {' and '.join(missing)} not installed (Debian: python3-numpy, python3-pytest)")
    sys.exit(77)

import pytest  # noqa: E402

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))

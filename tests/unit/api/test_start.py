"""`import bakeoff` costs nothing, and knows its public names."""

import subprocess
import sys
import tomllib

import pytest

import bakeoff
from tests.conftest import ROOT


def test_import_loads_nothing():
    code = "import sys; before = set(sys.modules); import bakeoff; bakeoff.__version__\n"
    code += "print(*{m.partition('.')[0] for m in set(sys.modules) - before})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = set(sys.stdlib_module_names) | {"bakeoff"}
    assert set(done.stdout.split()) <= known


def test_public_names_are_there_and_documented():
    for name in bakeoff.__all__:
        assert name in dir(bakeoff)
        assert getattr(bakeoff, name).__doc__


def test_unknown_name():
    with pytest.raises(AttributeError, match="module 'bakeoff' has no attribute 'comparee'"):
        bakeoff.comparee  # noqa: B018


def test_version_is_that_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert bakeoff.__version__ == project["version"]

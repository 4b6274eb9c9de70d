"""The public names and their arguments: one table for every door."""

import inspect
import tomllib

import pytest

import bakeoff
from bakeoff.cli import COMMANDS
from bakeoff.options import OPTIONS
from tests.conftest import ROOT

FUNCTIONS = [one for name in bakeoff.__all__ if inspect.isfunction(one := getattr(bakeoff, name))]


def test_options_of_commands_have_a_row_in_the_table():
    names = [name for spec in COMMANDS.values() for name in spec.names]
    assert {*names, *(key for spec in COMMANDS.values() for key in spec.rare.split())} <= {*OPTIONS}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_signature_is_short_and_says_what_it_takes(function):
    parameters = inspect.signature(function).parameters.values()
    assert sum(one.kind is one.KEYWORD_ONLY for one in parameters) <= 10
    assert not [one.name for one in parameters if "Any" in str(one.annotation)]
    named = [one.name for one in parameters if "VAR" not in one.kind.name]
    usual = {one.name: one.default for one in parameters if one.default not in (None, ())}
    for name in {*usual} & {*OPTIONS}:
        assert OPTIONS[name].default in (None, usual[name]), "every door has one default"
    assert not [name for name in named if name not in function.__doc__]


def test_public_names_are_there_and_documented():
    for name in bakeoff.__all__:
        assert name in dir(bakeoff)
        assert getattr(bakeoff, name).__doc__
    with pytest.raises(AttributeError, match="module 'bakeoff' has no attribute 'comparee'"):
        bakeoff.comparee  # noqa: B018


def test_version_is_that_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert bakeoff.__version__ == project["version"]

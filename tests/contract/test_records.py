"""What holds of every record and of every option: nothing changes once made; one default each."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import bakeoff

DEFAULTS = {
    "alpha": 0.05,
    "alternative": "two-sided",
    "beta": 1.0,
    "confidence_level": 0.95,
    "control": None,
    "cost": None,
    "decimals": None,
    "greater_is_better": True,
    "groups": None,
    "horizon": 1,
    "labels": None,
    "metric": "accuracy",
    "positive": None,
    "power": 0.8,
    "priors": None,
    "row_counts": None,
    "seed": 0,
    "simultaneous": True,
    "times": None,
}
"""What options of statistics are where nobody says."""


def modules():
    for found in pkgutil.walk_packages(bakeoff.__path__, "bakeoff."):
        if found.name != "bakeoff.__main__":
            yield importlib.import_module(found.name)


def defined(kind):
    """Find what each module defines itself."""
    for module in modules():
        for name, value in vars(module).items():
            if kind(value) and value.__module__ == module.__name__:
                yield f"{module.__name__}.{name}", value


def is_record(value):
    return isinstance(value, type) and dataclasses.is_dataclass(value)


@pytest.mark.parametrize(("name", "record"), [*defined(is_record)], ids=lambda v: str(v))
def test_record_cannot_change(name, record):
    assert record.__dataclass_params__.frozen, f"{name} can be changed after it was made"


@pytest.mark.parametrize(
    ("name", "function"),
    [
        (name, function)
        for name, function in defined(inspect.isfunction)
        if name.startswith("bakeoff.stats.") and not function.__name__.startswith("_")
    ],
    ids=lambda v: str(v) if isinstance(v, str) else "",
)
def test_option_has_one_default(name, function):
    for option, parameter in inspect.signature(function).parameters.items():
        given = parameter.default is not inspect.Parameter.empty
        if given and parameter.kind is inspect.Parameter.KEYWORD_ONLY and option in DEFAULTS:
            wanted = DEFAULTS[option]
            assert parameter.default == wanted, f"{name}: {option}"

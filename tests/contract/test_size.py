"""No count of lines, files or names exceeds its limit in size.json, which is only lowered."""

import argparse
import json
from pathlib import Path

import pytest

from bakeoff.cli import make_parser
from bakeoff.stats import catalogue

ROOT = Path(__file__).parents[2]
LIMITS = json.loads(Path(__file__).with_name("size.json").read_text())


def modules(folder):
    """Yield the Python files below a folder of the project."""
    return (ROOT / folder).rglob("*.py")


def lines(*folders):
    """Count the lines of the Python files below some folders."""
    files = (file for folder in folders for file in modules(folder))
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files)


def commands():
    """Count the commands of the command line."""
    actions = make_parser()._actions
    (subparsers,) = (a for a in actions if isinstance(a, argparse._SubParsersAction))
    return len(subparsers.choices)


COUNTS = {
    "lines of src": lambda: lines("src"),
    "lines of stats and comparisons": lambda: lines("src/bakeoff/stats", "src/bakeoff/comparisons"),
    "files of src": lambda: len(list(modules("src"))),
    "longest module of src": lambda: max(
        file.read_text(encoding="utf-8").count("\n") for file in modules("src")
    ),
    "lines of tests": lambda: lines("tests"),
    "lines of benchmarks": lambda: lines("benchmarks"),
    "names in the catalogue": lambda: len(catalogue()),
    "commands": commands,
}


@pytest.mark.parametrize("name", COUNTS)
def test_no_count_exceeds_its_limit(name):
    assert COUNTS[name]() <= LIMITS[name]


def test_every_limit_is_of_something_counted():
    assert set(LIMITS) == set(COUNTS)

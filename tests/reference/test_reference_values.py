"""Every reference case agrees with bakeoff; a case that no adapter maps fails."""

import json
import math
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from bakeoff import stats
from tests.reference.told import ALIASES, convention

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
CASES = [case for path in sorted(HERE.glob("*.json")) for case in json.loads(path.read_text())]


def _adapters():
    """Collect `ADAPTERS` of every adapters_*.py: (test, variant) -> inputs -> values."""
    found = {}
    for path in sorted(HERE.glob("adapters_*.py")):
        for key, adapter in import_module(f"tests.reference.{path.stem}").ADAPTERS.items():
            assert key not in found, f"{key} is mapped twice"
            found[key] = adapter
    return found


ADAPTERS = _adapters()


def _number(value):
    return float(value)  # also reads "NaN", "Infinity", "-Infinity"


def _agrees(found, expected, rel, abs_):
    if isinstance(expected, Mapping):
        return all(_agrees(found[k], v, rel, abs_) for k, v in expected.items())
    if isinstance(found, frozenset):  # of sets whose order does not matter
        return found == {frozenset(members) for members in expected}
    if isinstance(expected, list):
        return len(found) == len(expected) and all(
            _agrees(f, e, rel, abs_) for f, e in zip(found, expected, strict=True)
        )
    try:
        e = _number(expected)
    except ValueError:  # a name
        return bool(found == expected)
    x = _number(found)
    if math.isnan(e) or math.isinf(e):
        return (math.isnan(x) and math.isnan(e)) or x == e
    return abs(x - e) <= abs_ + rel * abs(e)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference_value(case):
    key = (case["test"], case["variant"])
    assert key in ADAPTERS, f"no adapter maps {key}: write one in adapters_<family>.py"
    found = ADAPTERS[key](case["inputs"])
    expected = case["expected"]
    if case.get("degenerate"):  # it is held to our own convention
        own = convention(found.get("status")) | found.get("convention", {})
        expected = expected | {name: value for name, value in own.items() if name in found}
    tolerance = case["tolerance"]
    for name, value in expected.items():
        if name not in found:
            found[name] = found.get(ALIASES.get(name))
        assert found[name] is not None, f"the adapter of {key} returns no {name!r}"
        assert _agrees(found[name], value, tolerance["rel"], tolerance["abs"]), (
            f"{name}: found {found[name]!r}, expected {value!r}"
        )


def test_page_maps_every_kind_to_functions_that_exist():
    table = PAGE.read_text().split("<!-- kinds: begin -->")[1].split("<!-- kinds: end -->")[0]
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.split("\n")[4:-2]]
    listed = {(kind, v) for kind, variants, *_ in rows for v in re.findall(r"`([\w-]+)`", variants)}
    assert listed == {(case["test"], case["variant"]) for case in CASES}
    calls = [name for row in rows for name in re.findall(r"(\w+)\(", row[2])]
    assert len(calls) >= len(rows)
    assert all(hasattr(stats, name) for name in calls)

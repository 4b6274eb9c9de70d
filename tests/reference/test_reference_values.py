"""Every reference case agrees with bakeoff; a case that no adapter maps fails."""

import json
import math
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from bakeoff import stats
from tests.reference.told import computed, convention

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
        e = float(expected)  # also reads "NaN", "Infinity", "-Infinity"
    except ValueError:  # a name
        return bool(found == expected)
    x = float(found)
    if math.isnan(e) or math.isinf(e):
        return (math.isnan(x) and math.isnan(e)) or x == e
    return abs(x - e) <= abs_ + rel * abs(e)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference_value(case):
    found, expected = computed(case, ADAPTERS), case["expected"]
    if case.get("degenerate"):  # it is held to our own convention
        own = convention(found.get("status")) | found.get("convention", {})
        expected = expected | {name: value for name, value in own.items() if name in found}
    tolerance = case["tolerance"]
    for name, value in expected.items():
        assert found[name] is not None, f"its adapter returns no {name!r}"
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

"""Every reference case agrees with what its row of README.md calls; a case without a row fails."""

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from bakeoff import stats
from tests.reference import adapters

HERE = Path(__file__).parent
TABLE = (
    (HERE / "README.md").read_text().split("<!-- kinds: begin -->")[1].split("<!-- kinds: end")[0]
)
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.split("\n")[4:-2]]
CASES = [case for path in sorted(HERE.glob("*.json")) for case in json.loads(path.read_text())]
CELLS = ("both_correct", "A_correct_B_wrong", "A_wrong_B_correct", "both_wrong")
OURS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
SIDES = ("pvalue", "pvalue_greater", "pvalue_less")
ALIASES = {
    **dict.fromkeys(("difference", "mean", "value"), "estimate"),
    **dict.fromkeys(("holm", "step_down"), "pvalue_adjusted"),
}
"""What the reference calls a number that has another name in results."""
WAYS = {}
"""By kind and variant: what is called, and what gives the numbers with another name."""
for kind, variants, call, others in ROWS:
    names = dict(re.findall(r"`([^`]+)`: `([^`]+)`", others))
    for variant in re.findall(r"`([\w-]+)`", variants):
        WAYS[kind, variant] = re.findall("`([^`]+)`", call)[0], names
INPUTS = dict.fromkeys(name for case in CASES for name in case["inputs"])
SHARED = {**INPUTS, **vars(stats), **vars(adapters)}


def shaped(inputs):
    """Return the inputs of a case, and what the calls make of several of them."""
    inputs = {**inputs, "inputs": inputs}
    for name in ("scores", "differences"):  # "NaN" is a missing cell
        if name in inputs:
            inputs[name] = np.array(inputs[name], dtype=float)
    if "both_correct" in inputs:
        counts = [inputs[cell] for cell in CELLS]
        inputs["table"] = dict(zip(OURS, counts, strict=True))
        if np.ndim(counts) == 2:  # of each cluster
            cell, cluster = (
                np.repeat(v.ravel(), np.ravel(counts)) for v in np.indices(np.shape(counts))
            )
            inputs |= {"rows": (cell < 2, cell % 2 == 0), "clusters": cluster}
    alternative = inputs.get("alternative", "two-sided")
    return inputs | {"alternative": alternative.replace(".", "-")}


def computed(case, **more):
    """Return all that the call of a case finds, by the names of the reference too."""
    call, names = WAYS[case["test"], case["variant"]]
    form = re.sub("_(two_sided|greater|less)$", "", case["variant"])
    scope = {**SHARED, "form": form, **shaped(case["inputs"]), **more}
    found = adapters.told(eval(call, scope))
    scope |= {**found, "found": found}
    return found | {name: eval(expression, scope) for name, expression in names.items()}


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


def convention(found):
    """Return our answers where formulas have none: see `docs/catalogue.md`."""
    answers = dict(found.get("convention", {}))
    if found.get("status") in ("identical_scores", "no_discordant_pairs"):
        answers |= {"statistic": 0.0, "z": 0.0, **dict.fromkeys(SIDES, 1.0)}
    elif found.get("status") == "zero_variance":
        answers |= dict.fromkeys(SIDES, "NaN")
    return {name: answer for name, answer in answers.items() if name in found or name in SIDES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference_value(case):
    found, expected, tolerance = computed(case), case["expected"], case["tolerance"]
    if case.get("degenerate"):  # it is held to our own convention
        expected = expected | convention(found)
    for name, value in expected.items():
        base, _, side = name.rpartition("_")
        if name not in found and side in ("greater", "less") and base in found:
            found[name] = computed(case, alternative=side)[base]
        number = found.get(name, found.get(ALIASES.get(name, name.lower())))
        assert number is not None, f"its row gives no {name!r}"
        assert _agrees(number, value, tolerance["rel"], tolerance["abs"]), (
            f"{name}: found {number!r}, expected {value!r}"
        )


def test_page_maps_every_kind_and_nothing_else():
    assert set(WAYS) == {(case["test"], case["variant"]) for case in CASES}

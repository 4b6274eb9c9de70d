"""How a reference case becomes a call, and what the result says by the names of the reference."""

import inspect
import re
from contextlib import contextmanager
from itertools import zip_longest
from unittest import mock

import numpy as np

from bakeoff.stats import ConfidenceInterval, PairwiseResult
from bakeoff.stats.design.groups import Leverage

THEIRS = {
    "confidence_level": ("conf_level", "confidence"),
    "correct": ("patterns",),
    "correct_a": ("successes1",),
    "correct_b": ("successes2",),
    "groups": ("clusters",),
    "horizon": ("h",),
    "items": ("clusters",),
    "n_a": ("n1",),
    "n_b": ("n2",),
    "only_a_correct": ("A_correct_B_wrong", "b"),
    "only_b_correct": ("A_wrong_B_correct", "c"),
    "row_counts": ("counts",),
    "score_a": ("scores_A",),
    "score_b": ("scores_B",),
    "time": ("times",),
    "values_a": ("losses_A",),
    "values_b": ("losses_B",),
    "y_true": ("y",),
}
"""What the reference calls a parameter of ours, where it is not the same with A or B."""
CELLS = ("both_correct", "A_correct_B_wrong", "A_wrong_B_correct", "both_wrong")
ALIASES = {
    **dict.fromkeys(("difference", "mean", "value"), "estimate"),
    **dict.fromkeys(("holm", "step_down"), "pvalue_adjusted"),
}
"""What the reference calls a number that has another name in results."""


def row(function, forms=None, /, **names):
    """Return how cases of a kind are computed: by a function that is called with what it names.

    `forms` has more options for each variant; without it the function may ask for the `form`
    itself. `names` say where a number is that the reference calls otherwise.
    """
    return function, forms, names


def computed(case, adapters):
    """Return what a call finds for a case, with p-values of one side where they are expected."""
    kind, form = case["test"], re.sub("_?(two_sided|greater|less)$", "", case["variant"])
    key = (kind, form) if (kind, form) in adapters else kind
    assert key in adapters, f"no adapter maps {kind}, {form}: write one in adapters_<family>.py"
    function, forms, names = adapters[key]
    inputs = {"form": form, "inputs": case["inputs"], **case["inputs"]} | (
        forms[form] if forms else {}
    )
    inputs |= _shaped(inputs)
    if "alternative" in inputs:
        inputs["alternative"] = inputs["alternative"].replace(".", "-")
    found = _call(function, inputs, names)
    sides = (
        ("pvalue_greater", "pvalue_less") if case.get("degenerate") and "pvalue" in found else ()
    )
    for name in (*case["expected"], *sides):
        base, _, side = name.rpartition("_")
        if name not in found and side in ("greater", "less"):
            found[name] = _call(function, inputs | {"alternative": side}, names)[base]
        elif name not in found:
            found[name] = found.get(ALIASES.get(name, name.lower()))
    return found


def _shaped(inputs):
    """Return the arguments of our functions that the reference has in another shape."""
    if isinstance(inputs.get("both_correct"), list):  # counts per cluster
        counts = np.array([inputs[cell] for cell in CELLS])
        cell, cluster = (np.repeat(v.ravel(), counts.ravel()) for v in np.indices(counts.shape))
        return {"correct_a": cell < 2, "correct_b": cell % 2 == 0, "groups": cluster}
    if isinstance(inputs.get("groups"), list) and isinstance(inputs["groups"][0], list):
        # of folds: a column for each group, the shorter ones filled up with missing folds
        scores = np.array(list(zip_longest(*inputs["groups"], fillvalue=np.nan)))
        return {"scores": scores, "groups": None}
    if "exponent" in inputs:  # losses of predicted numbers
        errors = {m: np.subtract(inputs[f"y_pred_{m}"], inputs["y_true"]) for m in "AB"}
        return {f"losses_{m}": np.abs(error) ** inputs["exponent"] for m, error in errors.items()}
    if "scores" in inputs:
        return {"scores": np.array(inputs["scores"], dtype=float)}  # "NaN" is a missing cell
    if "differences" in inputs and "scores_A" not in inputs:
        d = np.array(inputs["differences"], dtype=float)
        return {"scores_A": d, "scores_B": np.zeros_like(d)}
    return {}


def _call(function, inputs, names):
    arguments = {}
    for parameter in inspect.signature(function).parameters:
        upper = re.sub("_([ab])$", lambda end: end[0].upper(), parameter)
        theirs = (parameter, upper, *THEIRS.get(parameter, ()))
        for name in theirs:
            if name in inputs:
                arguments[parameter] = inputs[name]
    found = told(function(**arguments))
    renamed = {name: at(found) if callable(at) else found[at] for name, at in names.items()}
    return found | renamed


def told(result):
    """Return all that a result holds, under its own names; of pairs a list for each number."""
    if isinstance(result, dict):
        return result
    if isinstance(result, PairwiseResult):
        each = [told(pair) for pair in result.pairs]
        return {
            **{name: [pair.get(name) for pair in each] for name in each[0]},
            "pairs": [[pair.a, pair.b] for pair in result.pairs],
            **result.details,
        }
    values = {name: getattr(result, name) for name in dir(result) if name[0] != "_"}
    intervals = {k: list(v) for k, v in values.items() if isinstance(v, ConfidenceInterval)}
    return {
        **values.get("effect_sizes", {}),
        **values.get("details", {}),
        "ci": ["NaN", "NaN"],
        **{name: value for name, value in values.items() if value is not None},
        **intervals,
    }


def convention(status):
    """Return our answers where formulas have none: see `docs/catalogue.md`."""
    sides = ("pvalue", "pvalue_greater", "pvalue_less")
    if status in ("identical_scores", "no_discordant_pairs"):
        return {"statistic": 0.0, "z": 0.0, **dict.fromkeys(sides, 1.0)}
    return dict.fromkeys(sides, "NaN") if status == "zero_variance" else {}


@contextmanager
def as_printed():
    """Leave out the leverage of groups, and with it sign flips: the reference has neither.

    That of the package is held to `delong` and `mean_difference`, which have reference values of
    their own, in tests/unit/stats/test_metrics.py.
    """
    with mock.patch.object(Leverage, "from_codes", return_value=None):
        yield

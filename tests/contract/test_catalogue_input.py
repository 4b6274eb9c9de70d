"""Every test of the catalogue refuses what it cannot use, in words, and takes what is only unusual.

Evidence in unusual containers, rows in another order, and options that are no numbers, names or
flags: each gives the ordinary result or a `ValueError` that names the argument.
"""

import inspect
import math

import numpy as np
import pandas as pd
import pytest

from bakeoff.stats import Arity, Evidence
from tests.contract import test_catalogue as suite

NAMES = suite.NAMES
CATALOGUE = suite.CATALOGUE
NONSENSE = [None, "x", math.nan, math.inf, -1, 0, 1.5, [], [1.0, 2.0], object(), True, {}]
RIGHT_OR_WRONG = suite.having(evidence=Evidence.ROWS, reads="correctness")
PAIRED = [n for n in NAMES if CATALOGUE[n].arity is Arity.PAIR and "unpaired" not in n]


@pytest.fixture
def entry(name):
    return CATALOGUE[name]


def framed(array, index=None):
    """Turn an array into a Series or a DataFrame, where it has no more than two axes."""
    if array.ndim > 2:
        return array
    return (pd.Series if array.ndim == 1 else pd.DataFrame)(array, index=index)


def frames(entry, arguments, index=None):
    """Turn the evidence of a test into tables; runs are a list with one column each."""
    runs = entry.evidence is Evidence.RUNS
    return tuple(
        [framed(run, index) for run in a] if runs and a.ndim == 2 else framed(a, index)
        for a in arguments
    )


@pytest.mark.parametrize("name", NAMES)
def test_containers_do_not_matter(entry):
    arguments = suite.ordinary(entry)
    expected = suite.call(entry, arguments).to_dict()
    assert suite.call(entry, frames(entry, arguments)).to_dict() == expected
    for wrap in (lambda a: a.astype(object), lambda a: a.tolist(), np.asfortranarray):
        assert suite.call(entry, tuple(wrap(a) for a in arguments)).to_dict() == expected


@pytest.mark.parametrize("name", RIGHT_OR_WRONG)
def test_nullable_booleans_are_right_or_wrong(entry):
    arguments = suite.ordinary(entry)
    nullable = tuple(framed(a).astype("boolean") for a in arguments)
    assert suite.call(entry, nullable).to_dict() == suite.call(entry, arguments).to_dict()


SCORED = [n for n in NAMES if CATALOGUE[n].reads in ("scores", "criteria")]


@pytest.mark.parametrize(
    ("name", "gap"),
    [(n, gap) for n in NAMES if n != "cost_sensitive" for gap in (None, math.nan, pd.NA)]
    + [(n, gap) for n in SCORED for gap in (math.inf, -math.inf)],
)
def test_gaps_are_called_missing(entry, gap):
    arguments = suite.ordinary(entry)
    for position, argument in enumerate(suite.positional(entry)):
        holed = arguments[position].astype(object)
        holed.flat[1] = gap
        holed = (*arguments[:position], holed, *arguments[position + 1 :])
        with pytest.raises(ValueError, match=rf"{argument}.*(missing|NaN)"):
            suite.call(entry, holed)


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_is_not_ignored(entry):
    arguments = suite.ordinary(entry)
    for position, argument in enumerate(suite.positional(entry)):
        masked = np.ma.array(arguments[position], mask=False)
        assert suite.call(entry, (*arguments[:position], masked, *arguments[position + 1 :]))
        masked[1] = np.ma.masked
        with pytest.raises(ValueError, match=argument):
            suite.call(entry, (*arguments[:position], masked, *arguments[position + 1 :]))


@pytest.mark.parametrize("name", PAIRED)
def test_rows_in_another_order_are_refused(entry):
    arguments = suite.ordinary(entry)
    runs = entry.evidence is Evidence.RUNS
    rows = [f"row {i}" for i in range(arguments[0].shape[-1] if runs else len(arguments[0]))]
    same = frames(entry, arguments, rows)
    assert suite.call(entry, same).to_dict() == suite.call(entry, arguments).to_dict()
    last = [run.iloc[::-1] for run in same[-1]] if runs else same[-1].iloc[::-1]
    turned = (*same[:-1], last)
    with pytest.raises(ValueError, match=rf"{suite.positional(entry)[-1]}.*row labels"):
        suite.call(entry, turned)


@pytest.mark.parametrize("name", NAMES)
def test_evidence_of_another_kind_is_refused(entry):
    arguments = suite.ordinary(entry)
    for position, argument in enumerate(suite.positional(entry)):
        shape = arguments[position].shape
        for wrong in (
            np.full(shape, 1 + 2j),
            np.full(shape, "0.5" if entry.reads != "classes" else ""),
            np.full(shape, "2026-01-01", dtype="datetime64[D]"),
            [[0.5], [0.5, 0.6]],
            {"a": 1},
            None,
        ):
            replaced = (*arguments[:position], wrong, *arguments[position + 1 :])
            labels = entry.reads in ("classes", "predictions")
            if labels and isinstance(wrong, np.ndarray):
                continue  # any labels of one kind are labels
            with pytest.raises(ValueError, match=argument):
                suite.call(entry, replaced)


OPTIONS = [(name, option) for name in NAMES for option in CATALOGUE[name].options]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_options_of_another_kind_are_refused_by_name(entry, option):
    arguments = suite.ordinary(entry)
    for value in NONSENSE:
        try:
            result = suite.call(entry, arguments, **{option: value})
        except ValueError as error:
            refusal = str(error)
        else:
            written = inspect.signature(entry.function).parameters[option].annotation
            kind = f"{written} {entry.options[option].annotation}"  # as written, and evaluated
            assert is_of_kind(value, kind), f"{option}={value!r} was taken"
            assert result.to_dict()
            continue
        assert option in refusal, f"{option}={value!r}: {refusal}"


def is_of_kind(value, kind):
    """Say whether a value is of the type that an option's annotation names."""
    if value is None:
        return "None" in kind
    if isinstance(value, bool):
        return "bool" in kind or "ArrayLike" in kind
    if isinstance(value, (int, float)):
        whole = isinstance(value, int) or math.isfinite(value)
        return whole and any(word in kind for word in ("int", "float", "ArrayLike"))
    return isinstance(value, list) and ("ArrayLike" in kind or "Sequence" in kind)

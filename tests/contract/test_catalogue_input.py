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
    containers = [lambda a: a.astype(object), lambda a: a.tolist(), np.asfortranarray]
    if (entry.evidence, entry.reads) == (Evidence.ROWS, "correctness"):
        containers.append(lambda a: framed(a).astype("boolean"))
    for wrap in containers:
        assert suite.call(entry, tuple(wrap(a) for a in arguments)).to_dict() == expected


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


def no_evidence(entry, value):
    """Yield what is no evidence in the place of an argument, and what is said of it."""
    infinite = [math.inf, -math.inf] if entry.reads in ("scores", "criteria") else []
    for gap in [None, math.nan, pd.NA, *infinite] if entry.name != "cost_sensitive" else []:
        holed = value.astype(object)
        holed.flat[1] = gap
        yield holed, ".*(missing|NaN)"
    masked = np.ma.array(value, mask=False)
    masked[1] = np.ma.masked
    yield masked, ""
    if entry.reads not in ("classes", "predictions"):  # any labels of one kind are labels
        yield np.full(value.shape, 1 + 2j), ""
        yield np.full(value.shape, "0.5"), ""
        yield np.full(value.shape, "2026-01-01", dtype="datetime64[D]"), ""
    for wrong in ([[0.5], [0.5, 0.6]], {"a": 1}, None):
        yield wrong, ""


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_evidence_is_refused_by_name(entry):
    arguments = suite.ordinary(entry)
    for position, argument in enumerate(suite.positional(entry)):
        before, value, after = arguments[:position], arguments[position], arguments[position + 1 :]
        assert suite.call(entry, (*before, np.ma.array(value, mask=False), *after))
        for wrong, said in no_evidence(entry, value):
            with pytest.raises(ValueError, match=argument + said):
                suite.call(entry, (*before, wrong, *after))


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

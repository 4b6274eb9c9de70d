"""Turn what was given into checked values, or say what is wrong and what to use instead.

NumPy converts silently what no test should see: it ignores a mask and the labels of rows, reads
words as numbers and drops imaginary parts. Here each of these is a `ValueError`.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]

_LARGEST_SCORE = 1e100  # squares of larger ones overflow


class ArgumentError(ValueError):
    """An argument has a value that the function does not take.

    Parameters
    ----------
    argument, message : str
        Its name; what was found, what is allowed and what to pass instead.
    """

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(f"{argument}: {message}")
        self.argument = argument
        self.message = message

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[str, str]]:
        return type(self), (self.argument, self.message)


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Make an array; what a mask hides becomes None, which counts as missing."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ArgumentError(name, "its rows have different lengths, expected an array") from None
    if np.ma.is_masked(values):
        array = array.astype(object)
        array[np.ma.getmask(values)] = None
    return array


def is_missing(array: NDArray[Any]) -> BoolArray:
    """Mark NaN, None and the missing values of table libraries."""
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array), dtype=np.bool_)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, dtype=np.bool_)
    gaps = np.array([_is_gap(value) for value in array.flat], dtype=np.bool_)
    return gaps.reshape(array.shape)


def _is_gap(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas' NA has no truth value
        return True


def as_floats(values: ArrayLike, name: str) -> FloatArray:
    """Make an array of numbers, NaN where one is missing; words are not numbers."""
    array = as_array(values, name)
    if array.dtype.kind == "O":
        array = np.where(is_missing(array), np.nan, array)
    if not _holds_numbers(array):
        raise ArgumentError(name, f"expected numbers, found {_some(array)}")
    # rows first, whatever the layout given: sums are then the same to the last bit
    return np.asarray(array, dtype=np.float64, order="C")


def _holds_numbers(array: NDArray[Any]) -> bool:
    if array.dtype.kind == "O":
        return all(isinstance(value, (numbers.Real, np.bool_)) for value in array.flat)
    return array.dtype.kind in "biuf"


def as_correctness(
    values: ArrayLike,
    name: str,
    *,
    ndim: int = 1,
    kind: str = "right/wrong values",
    instead: str = "`prediction == truth`, not class labels",
) -> BoolArray:
    """Check booleans, or numbers that are all 0 or 1."""
    array = as_array(values, name)
    _check_shape(array, name, ndim)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind not in "iu":
        rows = np.flatnonzero(is_missing(array).reshape(len(array), -1).any(axis=1))
        if len(rows):
            gaps = f"{len(rows)} missing value(s), first in row {rows[0]}"
            raise ArgumentError(name, f"{gaps}; drop these rows everywhere")
    if array.dtype.kind == "O":
        array = as_array(array.tolist(), name)
    if array.dtype.kind in "biuf" and array.ndim == ndim and np.isin(array, (0, 1)).all():
        return array.astype(np.bool_)
    expected = f"expected {kind} (booleans or 0/1)"
    raise ArgumentError(name, f"{expected}, found {_some(array)}; pass {instead}")


def as_scores(
    values: ArrayLike,
    name: str,
    *,
    ndim: int = 1,
    greater_is_better: bool = True,
    unit: str = "folds",
    allow_missing: bool = False,
) -> FloatArray:
    """Check real-valued scores, one for each `unit`; negate them where smaller is better."""
    array = as_floats(values, name)
    _check_shape(array, name, ndim)
    bad = ~np.isfinite(array) & ~(np.isnan(array) & allow_missing)
    if bad.any():
        position = np.argwhere(bad)[0].tolist()
        first = position[0]
        if len(position) > 1:
            first = tuple(position)
        raise ArgumentError(
            name,
            f"{bad.sum()} value(s) are NaN or infinite, first at {first}; drop these {unit} for "
            "every model, or leave out the model",
        )
    largest = float(np.fmax.reduce(np.abs(array), axis=None))
    if largest > _LARGEST_SCORE:
        raise ArgumentError(
            name,
            f"found {largest:.3g}; squares of scores beyond {_LARGEST_SCORE:g} overflow: use "
            "another unit, or drop the model that diverged",
        )
    if greater_is_better:
        return array
    return -array


def as_counts(values: ArrayLike, name: str) -> FloatArray:
    """Check an array of counts: whole numbers, not negative."""
    counts = as_floats(values, name)
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))).all():
        raise ArgumentError(name, "must be whole numbers >= 0")
    return counts


def check_models(table: NDArray[Any], name: str, axis: int = 1) -> None:
    """Check that a table has two models or more."""
    if table.ndim <= axis or table.shape[axis] < 2:
        message = f"found shape {table.shape}, needs at least 2 models, along axis {axis}"
        raise ArgumentError(name, message)


def check_same_length(**arrays: NDArray[Any]) -> None:
    """Check that paired arrays have one length."""
    for name, array in arrays.items():
        if np.ndim(array) == 0:
            raise ArgumentError(name, "it is a single value, expected one per row")
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(f"paired arrays must have one length: {listed}; pair them by row id")


def check_same_labels(**tables: ArrayLike) -> None:
    """Refuse to pair tables by position whose row (or column) labels say otherwise."""
    for axis, kind in (("index", "row"), ("columns", "column")):
        first = ""
        first_labels: Any = None
        for name, table in tables.items():
            labels = getattr(table, axis, None)
            if not hasattr(labels, "equals"):
                continue
            if not first:
                first = name
                first_labels = labels
            elif not first_labels.equals(labels):
                raise ArgumentError(
                    name,
                    f"its {kind} labels differ from those of {first}; bring both "
                    f"into one order by their labels, or pass arrays if the {kind}s do match",
                )


def paired_scores(
    scores: Mapping[str, ArrayLike], *, unit: str, **how: Any
) -> tuple[FloatArray, FloatArray]:
    """Check the scores of two models, by their names, for the same folds, rows or data sets."""
    name_a, name_b = scores
    a = as_scores(scores[name_a], name_a, unit=unit, **how)
    b = as_scores(scores[name_b], name_b, unit=unit, **how)
    if a.shape != b.shape:
        raise ValueError(
            f"{name_a} has shape {a.shape}, {name_b} {b.shape}: both models must be scored on the "
            f"same {unit}; pair them by {unit[:-1]}"
        )
    check_same_labels(**scores)
    return a, b


def paired_correctness(correct_a: ArrayLike, correct_b: ArrayLike) -> tuple[BoolArray, BoolArray]:
    """Check the right/wrong values of two models on the same rows."""
    a = as_correctness(correct_a, "correct_a")
    b = as_correctness(correct_b, "correct_b")
    check_same_length(correct_a=a, correct_b=b)
    check_same_labels(correct_a=correct_a, correct_b=correct_b)
    return a, b


def paired_counts(a: BoolArray, b: BoolArray) -> dict[str, int]:
    """Count the rows that both models, only A, only B or neither gets right."""
    both = int(np.count_nonzero(a & b))
    only_a = int(np.count_nonzero(a)) - both
    only_b = int(np.count_nonzero(b)) - both
    return {
        "both_correct": both,
        "only_a_correct": only_a,
        "only_b_correct": only_b,
        "both_wrong": len(a) - both - only_a - only_b,
    }


def _check_shape(array: NDArray[Any], name: str, ndim: int) -> None:
    if array.ndim != ndim:
        raise ArgumentError(name, f"expected {ndim} dimension(s), found shape {array.shape}")
    if array.size == 0:
        raise ArgumentError(name, "is empty")


def _some(array: NDArray[Any]) -> str:
    """Quote the first different values of an array and its type."""
    values = map(repr, array.ravel()[:4].tolist())
    different = dict.fromkeys(values)
    return f"{', '.join(different)} (dtype {array.dtype})"

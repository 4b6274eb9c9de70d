"""Labels of any kind as class codes, and what errors between the classes cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.checks import (
    FloatArray,
    as_array,
    as_floats,
    check_same_labels,
    check_same_length,
    is_missing,
)
from bakeoff.stats.core.errors import ArgumentError

Places = NDArray[np.int64]


def as_label_codes(
    y_true: ArrayLike, pred_a: ArrayLike, pred_b: ArrayLike, classes: Sequence[Any] | None
) -> tuple[list[Any], Places, Places, Places]:
    """Return the classes, and truth and the two models' labels as positions among them."""
    given = {"y_true": y_true, "pred_a": pred_a, "pred_b": pred_b}
    labels = {name: _as_labels(values, name) for name, values in given.items()}
    check_same_length(**labels)
    check_same_labels(**given)
    names = _class_names(classes, *labels.values())
    truth, a, b = (_places(values, names, name) for name, values in labels.items())
    return names, truth, a, b


def _as_labels(values: ArrayLike, name: str) -> NDArray[Any]:
    array = as_array(values, name)
    if array.ndim != 1:
        raise ArgumentError(name, f"expected 1 dimension, found shape {array.shape}")
    if array.size == 0:
        raise ArgumentError(name, "is empty")
    missing = is_missing(array)
    if missing.any():
        raise ArgumentError(
            name,
            f"{int(missing.sum())} missing label(s), first in row "
            f"{int(np.flatnonzero(missing)[0])}; drop these rows for both models",
        )
    if all(isinstance(label, str) for label in array.flat):
        return array.astype(np.str_)  # words are words, also in an array of objects
    return array


def _class_names(classes: Sequence[Any] | None, *labels: NDArray[Any]) -> list[Any]:
    if classes is None:
        try:
            names: list[Any] = np.unique(np.concatenate([np.unique(x) for x in labels])).tolist()
        except TypeError:
            raise ValueError(
                "y_true, pred_a, pred_b: labels of several kinds cannot be sorted; give classes"
            ) from None
        if len({x.dtype.kind in "US" for x in labels}) > 1:
            raise ValueError(
                "y_true, pred_a, pred_b: some are text and some are not; use labels of one kind"
            )
        return names
    if isinstance(classes, str) or not np.iterable(classes):
        raise ArgumentError("classes", f"found {classes!r}, needs a sequence of labels")
    names = classes if isinstance(classes, list) else np.asarray(classes).tolist()
    if len(names) < 2 or len(set(names)) < len(names):
        raise ArgumentError("classes", f"found {names!r}, needs two or more different labels")
    return names


def _places(labels: NDArray[Any], names: list[Any], name: str) -> Places:
    found, inverse = np.unique(labels, return_inverse=True)
    where = {label: position for position, label in enumerate(names)}
    unknown = [label for label in found.tolist() if label not in where]
    if unknown:
        raise ArgumentError(name, f"found label {unknown[0]!r}, not among the classes {names!r}")
    places = np.array([where[label] for label in found.tolist()], dtype=np.int64)
    return places[inverse]


def as_cost(cost: ArrayLike | None, k: int) -> FloatArray:
    """Check a matrix of costs, true classes by predicted ones; 1 for every error without it."""
    if cost is None:
        return 1 - np.eye(k)
    matrix = as_floats(cost, "cost")
    if matrix.shape != (k, k):
        raise ArgumentError(
            "cost",
            f"found shape {matrix.shape}, needs ({k}, {k}): rows are true classes, columns "
            "predicted ones, in the order of classes",
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any() or np.diag(matrix).any():
        raise ArgumentError("cost", "must be finite and >= 0, with 0 on the diagonal")
    if not matrix.any():
        raise ArgumentError("cost", "is 0 everywhere, so no error matters")
    if not 1e-100 <= matrix.max() <= 1e100:
        raise ArgumentError(
            "cost", f"the largest is {matrix.max():g}; use a unit that makes it near 1"
        )
    return matrix

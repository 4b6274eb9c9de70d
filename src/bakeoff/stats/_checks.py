"""Turn array-likes into checked arrays, or say what is wrong and what to use instead."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats._result import Alternative

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def as_correctness(values: ArrayLike, name: str, *, ndim: int = 1) -> BoolArray:
    """Check right/wrong values: booleans, or numbers that are all 0 or 1.

    Class labels are refused: they are not correctness, however alike they look.
    """
    array = np.asarray(values)
    _check_shape(array, name, ndim)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind in "iuf":
        if array.dtype.kind == "f" and np.isnan(array).any():
            rows = np.flatnonzero(np.isnan(array).reshape(len(array), -1).any(axis=1))
            raise ValueError(
                f"{name}: {len(rows)} missing value(s), first in row {rows[0]}; "
                "drop these rows for every model or count them as wrong"
            )
        if np.isin(array, (0, 1)).all():
            return array.astype(np.bool_)
    found = ", ".join(repr(v) for v in dict.fromkeys(array.ravel()[:4].tolist()))
    raise ValueError(
        f"{name}: expected right/wrong values (booleans or 0/1), found {found} "
        f"(dtype {array.dtype}); pass `prediction == truth`, not class labels"
    )


def as_scores(
    values: ArrayLike, name: str, *, ndim: int = 1, greater_is_better: bool = True
) -> FloatArray:
    """Check real-valued scores; negate them where smaller is better."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers, {error}") from None
    _check_shape(array, name, ndim)
    if not np.isfinite(array).all():
        position = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(
            f"{name}: {(~np.isfinite(array)).sum()} value(s) are NaN or infinite, first at "
            f"{position if len(position) > 1 else position[0]}; "
            "the metric is undefined there: drop these folds for every model"
        )
    return array if greater_is_better else -array


def check_same_length(**arrays: NDArray[Any]) -> None:
    """Check that paired arrays have one length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(f"paired arrays must have one length: {found}; pair them by row id")


def check_alternative(alternative: str) -> Alternative:
    """Check the name of the alternative hypothesis."""
    if alternative not in get_args(Alternative):
        allowed = ", ".join(repr(a) for a in get_args(Alternative))
        raise ValueError(f"alternative: found {alternative!r}, allowed: {allowed}")
    return alternative  # type: ignore[return-value]


def check_level(value: float, name: str = "confidence_level") -> float:
    """Check a probability strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name}: found {value!r}, must lie strictly between 0 and 1")
    return float(value)


def check_choice(value: str, allowed: tuple[str, ...], name: str) -> str:
    """Check that an option is one of the allowed names."""
    if value not in allowed:
        raise ValueError(f"{name}: found {value!r}, allowed: {', '.join(map(repr, allowed))}")
    return value


def _check_shape(array: NDArray[Any], name: str, ndim: int) -> None:
    if array.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimension(s), found shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name}: is empty")

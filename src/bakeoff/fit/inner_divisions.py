"""Inner divisions of a training part: for parameters, thresholds, early stopping, calibration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from bakeoff.data.splits import blocks
from bakeoff.errors import UserError
from bakeoff.fit.threshold import Fold


def divided(
    y: NDArray[np.intp],
    into: int | float | NDArray[np.bool_],
    seed: int | None,
    groups: Any = None,
    times: Any = None,
    *,
    stratify: bool = True,
    rounded: Callable[[float], int] = round,
) -> list[Fold]:
    """Divide a training part: no group on both sides, past before future."""
    if isinstance(into, np.ndarray):
        return _named(y, into, groups, times)
    if isinstance(into, int):
        return _folds(y, into, seed, groups, times)
    if groups is not None:
        return _folds(y, max(2, min(round(1 / into), len(np.unique(groups)))), seed, groups)[:1]
    held = rounded(into * len(y))
    if not 0 < held < len(y):
        raise UserError(f"{into:g} of {len(y)} training rows is no part to validate on")
    if times is not None:
        return _consecutive(times, np.array([0, len(y) - held, len(y)]))
    divide = StratifiedShuffleSplit if stratify else ShuffleSplit
    try:
        return list(divide(1, test_size=held, random_state=seed).split(np.zeros(len(y)), y))
    except ValueError as error:  # a class of one row, or fewer rows than classes
        raise UserError(
            f"{into:g} of the training rows cannot be drawn to validate on: {error}"
        ) from None


def _folds(
    y: NDArray[np.intp], count: int, seed: int | None, groups: Any, times: Any = None
) -> list[Fold]:
    if times is not None:
        return _consecutive(times, np.linspace(0, len(y), count + 2).round().astype(int))
    if groups is not None and len(np.unique(groups)) < count:
        found = len(np.unique(groups))
        raise UserError(f"{found} groups in the training part are too few for {count} inner folds")
    if np.bincount(y).max() < count:
        raise UserError(f"{len(y)} training rows are too few for {count} inner folds")
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    divide = kind(count, shuffle=True, random_state=seed)
    return list(divide.split(np.zeros(len(y)), y, groups))


def _consecutive(times: Any, edges: NDArray[np.intp]) -> list[Fold]:
    """Cut rows in the order of time, as near to edges as ties allow: each part after the former."""
    try:
        block = blocks(np.asarray(times), np.diff(edges) / edges[-1])
    except ValueError as error:
        raise UserError(f"in the training part {error}") from None
    return [
        (np.flatnonzero(block < part), np.flatnonzero(block == part))
        for part in range(1, len(edges) - 1)
    ]


def _named(y: NDArray[np.intp], held: NDArray[np.bool_], groups: Any, times: Any) -> list[Fold]:
    """Set apart the rows of a training part that the data themselves name."""
    if held.all() or not held.any():
        raise UserError(
            f"{int(held.sum())} of {len(held)} training rows are for validation: some must be, "
            "and not all"
        )
    if len(np.unique(y[~held])) < len(np.unique(y)):
        raise UserError("a class has rows for validation only, none for training")
    if groups is not None and (both := set(groups[held]) & set(groups[~held])):
        raise UserError(
            f"{len(both)} group(s) are trained on and validated on, first {min(both)!r}"
        )
    if times is not None and (early := int((times[held] < times[~held].max()).sum())):
        raise UserError(
            f"{early} of {int(held.sum())} validation rows come before the last row that is "
            "trained on"
        )
    return [(np.flatnonzero(~held), np.flatnonzero(held))]

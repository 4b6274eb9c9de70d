"""Inner divisions of a training part, for choosing parameters and thresholds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit

from bakeoff.errors import UserError
from bakeoff.fit.threshold import Fold


def inner_folds(
    y: NDArray[np.intp], count: int, seed: int, groups: Any = None, times: Any = None
) -> list[Fold]:
    """Divide a training part as its data set demands: no group on both sides, past before future.

    Parameters
    ----------
    y : ndarray of int
        Labels of the training rows.
    count : int
        Number of folds.
    seed : int
        Shuffles the rows.
    groups, times : ndarray, optional
        Of the training rows.

    Returns
    -------
    list of (ndarray, ndarray)
        Row positions of the inner training and test parts. With `times` the first
        ``1 / (count + 1)`` of the rows is in no test part.

    Raises
    ------
    UserError
        There are fewer rows of every class, or fewer groups, than folds.
    """
    if times is not None:
        order = np.argsort(np.asarray(times), kind="stable")
        edges = np.linspace(0, len(y), count + 2).round().astype(int)[1:]
        parts = pairwise(edges)
        return [(np.sort(order[:low]), np.sort(order[low:high])) for low, high in parts]
    if groups is not None and len(np.unique(groups)) < count:
        found = len(np.unique(groups))
        raise UserError(f"{found} groups in the training part are too few for {count} inner folds")
    if np.bincount(y).max() < count:
        raise UserError(f"{len(y)} training rows are too few for {count} inner folds")
    if groups is not None:
        divide = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
    else:
        divide = StratifiedKFold(count, shuffle=True, random_state=seed)
    return [(train, test) for train, test in divide.split(np.zeros(len(y)), y, groups)]


def validation_rows(y: NDArray[np.intp], held: NDArray[np.bool_], groups: Any = None) -> list[Fold]:
    """Set apart the rows of a training part that the data themselves name.

    Parameters
    ----------
    y : ndarray of int
        Labels of the training rows.
    held : ndarray of bool
        Which of them are for validation.
    groups : ndarray, optional
        Of the training rows.

    Returns
    -------
    list of (ndarray, ndarray)
        One fold: row positions of what is trained on and of what is set apart.

    Raises
    ------
    UserError
        One side is empty, has a class alone, or shares a group with the other.
    """
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
    return [(np.flatnonzero(~held), np.flatnonzero(held))]


def validation_part(
    y: NDArray[np.intp], share: float, seed: int, groups: Any = None, times: Any = None
) -> list[Fold]:
    """Set one part of a training part aside, as its data set demands.

    Parameters
    ----------
    y : ndarray of int
        Labels of the training rows.
    share : float
        Of the rows to set aside; with groups, one of ``round(1 / share)`` folds.
    seed : int
        Draws the rows.
    groups, times : ndarray, optional
        Of the training rows; with `times` the last rows are set aside.

    Returns
    -------
    list of (ndarray, ndarray)
        One fold: row positions of what is trained on and of what is set aside.

    Raises
    ------
    UserError
        Nothing would be left on either side, or a class would be on one side alone.
    """
    if groups is not None:
        return inner_folds(y, max(2, round(1 / share)), seed, groups)[:1]
    held = round(share * len(y))
    if not 0 < held < len(y):
        raise UserError(f"{share:g} of {len(y)} training rows is no part to validate on")
    if times is not None:
        order = np.argsort(np.asarray(times), kind="stable")
        return [(np.sort(order[:-held]), np.sort(order[-held:]))]
    divide = StratifiedShuffleSplit(1, test_size=held, random_state=seed)
    try:
        ((train, test),) = divide.split(np.zeros(len(y)), y)
    except ValueError as error:  # a class of one row, or fewer rows than classes
        raise UserError(f"`validation: {share:g}` cannot be drawn: {error}") from None
    return [(np.sort(train), np.sort(test))]

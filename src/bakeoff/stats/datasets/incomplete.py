"""Tables of scores with missing cells: which models meet on a data set, and groups of data sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.errors import ArgumentError


def meeting_sets(meets: BoolArray) -> list[list[int]]:
    """Return the largest sets of models that are linked by common data sets, in order.

    Parameters
    ----------
    meets : ndarray of bool, shape (k, k)
        Whether two models have scores on a common data set.
    """
    left, found = set(range(len(meets))), []
    while left:
        own = np.flatnonzero(reached(meets, min(left))).tolist()
        found.append(own)
        left -= set(own)
    return found


def reached(links: BoolArray, start: int) -> BoolArray:
    """Tell which models can be reached from one of them, along the true entries of its row."""
    seen: BoolArray = np.zeros(len(links), dtype=np.bool_)
    edge = np.array([start])
    while len(edge):
        seen[edge] = True
        edge = np.flatnonzero(links[edge].any(axis=0) & ~seen)
    return seen


def check_connected(present: BoolArray) -> None:
    """Refuse a table whose models fall into sets that are never compared on a data set.

    Parameters
    ----------
    present : ndarray of bool, shape (N, k)
        The cells with a score, of data sets with two scores or more.
    """
    counted = present.astype(np.float64)  # BLAS knows no integers, and counts are exact
    sets = meeting_sets(np.asarray(counted.T @ counted > 0))
    if len(sets) > 1:
        told = " and ".join(", ".join(map(str, own[:8])) for own in sets[:4])
        raise ArgumentError(
            "scores",
            f"the models (columns) {told} have no data set in common: sets of models that never "
            "meet cannot be compared; leave one set out",
        )


def as_groups(groups: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Return the number of each data set's group; its own where there are no groups."""
    if groups is None:
        return np.arange(n)
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ArgumentError("groups", f"expected a label for each of {n} data sets")
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]  # in the order in which they appear


def group_means(values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    """Average rows within groups; NaN where a model lacks a value on one of the group's rows."""
    sums = np.zeros((int(codes.max()) + 1, *values.shape[1:]))
    np.add.at(sums, codes, values)
    sizes = np.bincount(codes).astype(np.float64)
    return np.asarray(sums / sizes.reshape(-1, *[1] * (values.ndim - 1)))


def with_failures_last(oriented: FloatArray) -> FloatArray:
    """Put in place of missing cells a score just below all others of its data set; they are tied.

    It is for ranks and signs: of a failure nobody knows how far behind it is.
    """
    least = np.nanmin(oriented, axis=1, keepdims=True)
    size = np.nanmax(np.abs(oriented), axis=1, keepdims=True)
    return np.where(np.isnan(oriented), least - 1e-6 * np.where(size > 0, size, 1.0), oriented)

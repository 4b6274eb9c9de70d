"""The chance that one, or each, of several attempts at an item succeeds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.checks import ArgumentError


def pass_at(right: ArrayLike, runs: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate for each item the probability that at least one of k runs is right (pass@k).

    Parameters
    ----------
    right : array_like of int, shape (n,)
        How many runs of each item are right.
    runs : array_like of int, shape (n,)
        How many runs it has, `k` at least.
    k : int
        Runs that are drawn.

    Returns
    -------
    ndarray, shape (n,)
        1 - C(runs - right, k) / C(runs, k): the share of the draws of `k` of its runs, without
        replacement, that hold a right one. It is unbiased; 1 - (1 - right / runs)**k is not.

    Raises
    ------
    ArgumentError
        `k` is not positive, or an item has fewer runs.

    Notes
    -----
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> pass_at([0, 1, 4], [10, 10, 10], k=5).round(3)
    array([0.   , 0.5  , 0.976])
    """
    found, of = _counts(right, runs, k)
    return 1 - _share(of - found, of, k)


def pass_hat(right: ArrayLike, runs: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate for each item the probability that all of k runs are right (pass^k).

    Parameters, errors and draws are those of `pass_at`; the estimate is C(right, k) / C(runs, k).

    Notes
    -----
    Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world domains,
    arXiv:2406.12045.

    Examples
    --------
    >>> pass_hat([0, 6, 10], [10, 10, 10], k=2).round(3)
    array([0.   , 0.333, 1.   ])
    """
    return _share(*_counts(right, runs, k), k)


def _counts(right: ArrayLike, runs: ArrayLike, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    found, of = np.asarray(right, dtype=np.intp), np.asarray(runs, dtype=np.intp)
    if not isinstance(k, int) or k < 1:
        raise ArgumentError("k", f"found {k}, expected a positive whole number")
    if len(of) and of.min() < k:
        raise ArgumentError("k", f"found {k}, an item has {of.min()} runs")
    return found, of


def _share(some: NDArray[np.intp], of: NDArray[np.intp], k: int) -> NDArray[np.float64]:
    """Return C(some, k) / C(of, k), each ratio of whole numbers rounded once."""
    pairs, at = np.unique(np.column_stack([some, of]), axis=0, return_inverse=True)
    ratios = np.array([math.comb(int(a), k) / math.comb(int(b), k) for a, b in pairs])
    return ratios[at.ravel()]

"""How often a model beats the others of a table of scores, with intervals."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Decimals, Level, checked
from bakeoff.stats.core.binomial import clopper_pearson
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.ranks import as_dataset_table, rank_rows
from bakeoff.stats.datasets.incomplete import as_groups

__all__ = ["WinRates", "win_rates"]


@dataclasses.dataclass(frozen=True)
class WinRates:
    """Win rates of the models of a table, against the field and against each other.

    Attributes
    ----------
    n : ndarray, shape (k,)
        The data sets, or groups of them, on which a model meets another.
    rate, se, effective_n, low, high : ndarray, shape (k,)
        The mean share of the other models that a model beats on a data set, draws half; its
        standard error; n* and the limits of Wilson's interval.
    met, wins, draws : ndarray, shape (k, k)
        Of the model of the row against that of the column: common data sets (groups), wins, draws.
    pair_rate, pair_low, pair_high : ndarray, shape (k, k)
        The share of wins with half the draws, and the limits of Clopper and Pearson's interval.
    """

    n: FloatArray
    rate: FloatArray
    se: FloatArray
    effective_n: FloatArray
    low: FloatArray
    high: FloatArray
    met: FloatArray
    wins: FloatArray
    draws: FloatArray
    pair_rate: FloatArray
    pair_low: FloatArray
    pair_high: FloatArray


@checked
def win_rates(
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> WinRates:
    """Count how often each model beats the others over data sets; NaN is a missing cell.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    groups : array_like, shape (N,), optional
        Which data sets belong together: they count as one, by the mean of their shares.

    Returns
    -------
    WinRates
        Each interval holds by itself. All depends on which models are in the table.

    Notes
    -----
    On a data set with n scores the model of rank r beats the share (n − r)/(n − 1). The interval of
    the mean m with standard error se over N data sets is Wilson's with n* = m(1 − m)/se² and the
    quantile of t with N − 1 degrees of freedom; n* is N where se is 0, or m is 0 or 1. The
    interval of a pair is Clopper and Pearson's of wins and half the draws, which agrees with the
    sign test where nothing is drawn.

    Examples
    --------
    >>> from bakeoff.stats import win_rates
    >>> found = win_rates([[0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.7, 0.5], [0.9, 0.8, 0.7]])
    >>> found.rate.round(3).tolist(), float(found.pair_low[0, 1].round(3))
    ([0.875, 0.5, 0.125], 0.194)
    """
    ranks, codes = rank_meetings(scores, groups, greater_is_better, decimals)
    n, rate, se = _by_group(ranks, codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        varied = (se > 0) & (rate > 0) & (rate < 1)
        size = np.where(varied, rate * (1 - rate) / np.square(se), n)
        reach = np.asarray(special.stdtrit(n - 1, (1 + confidence_level) / 2), dtype=np.float64)
        low, high = _wilson(rate, size, reach)
    met, wins, draws = tally(ranks, codes)
    points = wins + draws / 2
    with np.errstate(invalid="ignore"):
        limits = clopper_pearson(points, met, (1 - confidence_level) / 2)
        return WinRates(n, rate, se, size, low, high, met, wins, draws, points / met, *limits)


def rank_meetings(
    scores: ArrayLike, groups: ArrayLike | None, greater_is_better: bool, decimals: int | None
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Rank the models of data sets with two scores or more, and number the groups of these."""
    table = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=True)
    kept = (~np.isnan(table)).sum(axis=1) > 1
    if not kept.any():
        raise ArgumentError("scores", "no data set has scores of two models")
    codes = as_groups(groups, len(table))[kept]
    return rank_rows(table[kept], decimals), np.unique(codes, return_inverse=True)[1]


def tally(ranks: FloatArray, codes: NDArray[np.intp]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count meetings, wins and draws of each model (row) with each other, a group as one."""
    groups, shape = int(codes.max()) + 1, (3, ranks.shape[1], ranks.shape[1])
    met, wins, draws = np.zeros(shape)
    if groups < len(ranks):
        for group in range(groups):
            members = ranks[codes == group]
            often, won, drawn = tally(members, np.arange(len(members)))
            size = np.maximum(often, 1)
            met, wins, draws = met + (often > 0), wins + won / size, draws + drawn / size
        return met, wins, draws
    for own in ranks:
        there = ~np.isnan(own)
        met += there[:, None] & there
        wins += own[:, None] < own
        draws += own[:, None] == own
    for table in (met, draws):
        np.fill_diagonal(table, 0.0)
    return met, wins, draws


def _by_group(
    ranks: FloatArray, codes: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the number of groups, the mean share beaten in them and its standard error."""
    there = ~np.isnan(ranks)
    sizes = there.sum(axis=1, keepdims=True)
    beaten = np.where(there, (sizes - ranks) / (sizes - 1), 0.0)
    sums, counts = np.zeros((2, int(codes.max()) + 1, ranks.shape[1]))
    np.add.at(sums, codes, beaten)
    np.add.at(counts, codes, there)
    own = counts > 0
    n = own.sum(axis=0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = sums / np.maximum(counts, 1)
        mean = shares.sum(axis=0) / n
        squares = np.where(own, np.square(shares - mean), 0.0).sum(axis=0)
        squares[squares < 1e-20] = 0.0  # equal shares differ by rounding
        return n, mean, np.sqrt(squares / (n - 1) / n)


def _wilson(rate: FloatArray, n: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = np.where(rate > 0, np.maximum(centre - half, 0.0), 0.0)
    return low, np.where(rate < 1, np.minimum(centre + half, 1.0), 1.0)

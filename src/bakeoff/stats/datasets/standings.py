"""Tables of scores, data sets × models: win rates and strengths, groups and missing cells."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import AtLeast0, Decimals, Level, checked
from bakeoff.stats.core.arithmetic import as_dataset_table, rank_rows
from bakeoff.stats.core.checks import ArgumentError, BoolArray, FloatArray
from bakeoff.stats.core.distributions import clopper_pearson, wilson
from bakeoff.stats.datasets.leave_one_out import (
    Errors,
    covariance_by_units,
    laplacians,
    units_that_join,
)
from bakeoff.stats.design.clusters import Clusters, as_clusters

_PRIOR = 0.25  # wins added each way where no strengths are the most likely ones
_LONGEST_STEP = 2.0  # of Newton's method
_STEPS = 200
_SMALLEST_SE = 1e-10  # smaller ones are rounding
_MOST_NAMED_SETS = 4
_MOST_NAMED_MODELS = 8


# --- groups of data sets and missing cells


def group_means(values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    """Average rows within groups; NaN where a model lacks a value on one of the group's rows."""
    sums = np.zeros((int(codes.max()) + 1, *values.shape[1:]))
    np.add.at(sums, codes, values)
    sizes = np.bincount(codes).astype(np.float64)
    along_rows = [len(sizes)] + [1] * (values.ndim - 1)
    return np.asarray(sums / sizes.reshape(along_rows))


def with_failures_last(oriented: FloatArray) -> FloatArray:
    """Put a score just below all others of its data set in place of missing cells, for ranks."""
    lowest = np.nanmin(oriented, axis=1, keepdims=True)
    size = np.nanmax(np.abs(oriented), axis=1, keepdims=True)
    just_below = lowest - 1e-6 * np.where(size > 0, size, 1.0)
    return np.where(np.isnan(oriented), just_below, oriented)


# --- win rates


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

    Notes
    -----
    On a data set with n scores the model of rank r beats the share (n − r)/(n − 1). The interval of
    the mean m with standard error se over N data sets is Wilson's with n* = m(1 − m)/se² and the
    quantile of t with N − 1 degrees of freedom; n* is N where se is 0, or m is 0 or 1. The
    interval of a pair is Clopper and Pearson's of wins and half the draws, which agrees with the
    sign test where nothing is drawn.

    Examples
    --------
    >>> found = win_rates([[0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.7, 0.5], [0.9, 0.8, 0.7]])
    >>> found.rate.round(3).tolist(), float(found.pair_low[0, 1].round(3))
    ([0.875, 0.5, 0.125], 0.194)
    """
    ranks, clusters = _rank_meetings(scores, groups, greater_is_better, decimals)
    present = ~np.isnan(ranks)
    # (n − r)/(n − 1) on each data set, then the mean within groups and over them
    sizes = present.sum(axis=1, keepdims=True)
    sums = clusters.sums(np.where(present, (sizes - ranks) / (sizes - 1), 0.0))
    counts = clusters.sums(present)
    counted = counts > 0
    n = counted.sum(axis=0).astype(np.float64)  # groups of data sets in which a model is
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = sums / np.maximum(counts, 1)
        rate = shares.sum(axis=0) / n
        squares = np.where(counted, np.square(shares - rate), 0.0).sum(axis=0)
        squares[squares < 1e-20] = 0.0  # equal shares differ by rounding
        se = np.sqrt(squares / (n - 1) / n)
        varied = (se > 0) & (rate > 0) & (rate < 1)
        size = np.where(varied, rate * (1 - rate) / np.square(se), n)
        reach = np.asarray(special.stdtrit(n - 1, (1 + confidence_level) / 2), dtype=np.float64)
        low, high = wilson(rate * size, size, special.ndtr(-reach))
    met, wins, draws = _tally(ranks, clusters)
    points = wins + draws / 2
    with np.errstate(invalid="ignore"):
        pair_rate = points / met
        pair_low, pair_high = clopper_pearson(points, met, (1 - confidence_level) / 2)
    return WinRates(n, rate, se, size, low, high, met, wins, draws, pair_rate, pair_low, pair_high)


def _rank_meetings(
    scores: ArrayLike, groups: ArrayLike | None, greater_is_better: bool, decimals: int | None
) -> tuple[FloatArray, Clusters]:
    """Rank the models of data sets with two scores or more, and return the groups of these."""
    table = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=True)
    kept = (~np.isnan(table)).sum(axis=1) > 1
    if not kept.any():
        raise ArgumentError("scores", "no data set has scores of two models")
    codes = as_clusters(groups, len(table)).codes[kept]
    return rank_rows(table[kept], decimals), as_clusters(codes, len(codes))


def _tally(ranks: FloatArray, groups: Clusters) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count meetings, wins and draws of each model (row) with each other, a group as one."""
    k = ranks.shape[1]
    present = ~np.isnan(ranks)
    first = ranks[:, :, None]
    second = ranks[:, None, :]

    def summed(table: NDArray[np.bool_]) -> FloatArray:
        """Sum over the data sets of each group: (N, k, k) to (G, k, k)."""
        flat = np.reshape(table, (len(ranks), -1)).astype(np.float64)
        return groups.sums(flat).reshape(-1, k, k)

    meetings = summed(present[:, :, None] & present[:, None, :])
    size = np.maximum(meetings, 1)
    others = 1 - np.eye(k)
    met = (meetings > 0).sum(axis=0) * others
    wins = (summed(first < second) / size).sum(axis=0)
    draws = (summed(first == second) / size).sum(axis=0) * others
    return met, wins, draws


# --- strengths


@dataclasses.dataclass(frozen=True)
class Strengths:
    """Strengths of models: θ, with P(i beats j) = 1/(1 + exp(θ_j − θ_i)).

    Attributes
    ----------
    strength, se, low, high : ndarray, shape (k,)
        θ, which sum to 0; standard errors; limits, NaN where the standard error is 0.
    covariance : ndarray, shape (k, k)
        Of the strengths; NaN where they are not known without some data set (group).
    prior : float
        The wins that were added each way to every pair that met.
    n : int
        The data sets, or groups of them.
    points : ndarray, shape (k, k)
        Wins and half the draws of the model of the row against that of the column.
    """

    strength: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    covariance: FloatArray
    prior: float
    n: int
    points: FloatArray

    @functools.cached_property
    def win_probability(self) -> FloatArray:
        """P(the model of the row beats that of the column), shape (k, k)."""
        return _chances(self.strength)

    @functools.cached_property
    def expected_rank(self) -> FloatArray:
        """The average rank to be expected on a full table, shape (k,)."""
        chances = self.win_probability.copy()
        np.fill_diagonal(chances, 0.0)
        return np.asarray(1 + chances.sum(axis=0))

    @property
    def difference_se(self) -> FloatArray:
        """Standard errors of the differences of two strengths, shape (k, k)."""
        variance = self.covariance.diagonal()
        squares = variance[:, None] + variance - 2 * self.covariance
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


@checked
def bradley_terry(
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    prior: AtLeast0 | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
    errors: Errors = "leave_one_out",
) -> Strengths:
    """Fit Bradley and Terry's model to who beats whom on each data set; draws are half a win.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model; NaN is a missing cell.
    groups : array_like, shape (N,), optional
        Which data sets belong together: the standard errors take them for one.
    prior : float, optional
        Wins to add each way to every pair that met; default: 0, or ¼ where some models win
        everything against the others, for which no strengths are the most likely ones.
    errors : {"leave_one_out", "sandwich"}
        How standard errors are found. The sandwich is too small with few data sets.

    Notes
    -----
    Maximum likelihood by Newton's method (Bradley & Terry 1952, Biometrika 39:324-345). With H the
    information and H_g, S_g information and score of data set (group) g, the step towards the
    strengths without g is m_g = (H − H_g)⁻¹S_g, and the covariance (G − 1)/G Σ m_g m_gᵀ, as
    comparisons on one data set are not independent. The sandwich takes H⁻¹S_g and G/(G − 1) in
    their place. Limits take the quantile of t with G − 1 degrees of freedom, each interval by
    itself.

    Examples
    --------
    >>> found = bradley_terry([[0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.7, 0.5], [0.6, 0.8, 0.7]])
    >>> found.strength.round(3).tolist(), found.expected_rank.round(3).tolist()
    ([0.366, 0.366, -0.732], [1.75, 1.75, 2.5])
    """
    ranks, clusters = _rank_meetings(scores, groups, greater_is_better, decimals)
    met, wins, draws = _tally(ranks, as_clusters(None, len(ranks)))
    _check_all_meet(met)
    points = wins + draws / 2
    prior = _prior(points, prior)
    padded_points = points + prior * (met > 0)
    padded_met = met + 2 * prior * (met > 0)
    strength = most_likely(padded_points, padded_met)
    chances = _chances(strength)
    np.fill_diagonal(chances, 0.0)

    # the score of each data set, summed in groups: points less those expected
    present = ~np.isnan(ranks)
    expected = present.astype(np.float64) @ chances.T
    residuals = np.where(present, present.sum(axis=1, keepdims=True) - ranks - expected, 0.0)
    totals = clusters.sums(residuals)
    totals -= totals.mean(axis=0)
    unit_scores = np.asarray(totals - totals.mean(axis=1, keepdims=True))
    # the information P(i beats j) P(j beats i) of each meeting, from all and from each group
    weights = chances * chances.T
    met_by_unit = _meetings(present, clusters)

    def information_of(units: slice) -> FloatArray:
        """Return what some groups of data sets tell of the strengths."""
        return np.asarray(laplacians(met_by_unit[units] * weights))

    n_models = len(strength)
    joined = units_that_join(*np.nonzero(met_by_unit))
    if prior == 0 and errors == "leave_one_out" and len(joined):
        # without one of these groups some models never meet
        covariance = np.full((n_models, n_models), math.nan)
    else:
        # a constant in every cell fixes the sum, which the information leaves free
        information = laplacians(padded_met * weights) + (padded_met * weights).mean()
        covariance = covariance_by_units(information, unit_scores, information_of, errors)
    se = np.sqrt(covariance.diagonal())
    se = np.where(se <= _SMALLEST_SE, 0.0, se)
    n = clusters.count
    quantile = float(special.stdtrit(n - 1, (1 + confidence_level) / 2))
    reach = np.where(se > 0, se, np.nan) * quantile
    return Strengths(strength, se, strength - reach, strength + reach, covariance, prior, n, points)


def _check_all_meet(met: FloatArray) -> None:
    """Refuse sets of models that never meet."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    n_sets, set_of_model = connected_components(met > 0)
    if n_sets == 1:
        return
    sets = []
    for i in range(min(n_sets, _MOST_NAMED_SETS)):
        columns = np.flatnonzero(set_of_model == i)[:_MOST_NAMED_MODELS].tolist()
        sets.append(", ".join(map(str, columns)))
    raise ArgumentError(
        "scores",
        f"the models (columns) {' and '.join(sets)} have no data set in common: sets of models "
        "that never meet cannot be compared; leave one set out",
    )


def _prior(points: FloatArray, prior: float | None) -> float:
    """Return the wins to add: some where a set of models wins everything against the others."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    n_sets, _ = connected_components(points > 0, connection="strong")
    separate = n_sets > 1
    if separate and prior == 0:
        raise ArgumentError("prior", "found 0, but some models win everything against the others")
    if prior is not None:
        return prior
    if separate:
        return _PRIOR
    return 0.0


def _meetings(present: BoolArray, clusters: Clusters) -> FloatArray:
    """Count the data sets of each group on which two models meet, shape (G, k, k)."""
    k = present.shape[1]
    met = present[:, :, None] & present[:, None, :]
    met[:, np.arange(k), np.arange(k)] = False
    return clusters.sums(met.reshape(len(present), -1).astype(np.float64)).reshape(-1, k, k)


def _chances(strength: FloatArray) -> FloatArray:
    return np.asarray(special.expit(strength[:, None] - strength[None, :]))


def most_likely(points: FloatArray, total: FloatArray) -> FloatArray:
    """Maximise the likelihood of wins among meetings by Newton's method, the strengths centred."""
    # the slope of the log likelihood is Σ_j (points_ij − meetings_ij P(i beats j))
    strength = np.zeros(len(points))
    for _ in range(_STEPS):
        chances = _chances(strength)
        step = _newton_step((points - total * chances).sum(axis=1), chances, total)
        longest = float(np.abs(step).max())
        strength = strength + step * min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        if longest < 1e-12:
            break
    return strength


def _newton_step(slope: FloatArray, chances: FloatArray, total: FloatArray) -> FloatArray:
    """Solve Hx = slope with the strengths summing to 0; slope is of shape (k,) or (k, N)."""
    weights = total * chances * chances.T
    information = np.diag(weights.sum(axis=1)) - weights
    # a constant in every cell fixes the sum, which H leaves free
    return np.linalg.solve(information + weights.mean(), slope - slope.mean(axis=0))

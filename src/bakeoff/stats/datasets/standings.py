"""Scores over several data sets: win rates and strengths of all models, signed ranks of two.

The data sets are the sample, so that conclusions are about algorithms on data sets like these.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Decimals, Level, checked
from bakeoff.stats.core.arithmetic import as_dataset_table, differences, rank, rank_rows, tie_sum
from bakeoff.stats.core.checks import ArgumentError, FloatArray, paired_scores
from bakeoff.stats.core.distributions import (
    clopper_pearson,
    signed_sums,
    t_pvalue,
    tail_probability,
    wilson,
)
from bakeoff.stats.core.pairs import PairwiseResult, by_pairs
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.datasets.rank_tests import RankTable, with_ranks
from bakeoff.stats.design.clusters import Clusters, as_clusters

_PRIOR = 0.25
_LONGEST_STEP = 2.0
_STEPS = 200


# --- groups of data sets and missing cells


def group_means(values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    """Average rows within groups; NaN where a model lacks a value on one of the group's rows."""
    sums = np.zeros((int(codes.max()) + 1, *values.shape[1:]))
    np.add.at(sums, codes, values)
    sizes = np.bincount(codes).astype(np.float64)
    return np.asarray(sums / sizes.reshape(-1, *[1] * (values.ndim - 1)))


def with_failures_last(oriented: FloatArray) -> FloatArray:
    """Put a score just below all others of its data set in place of missing cells, for ranks."""
    least = np.nanmin(oriented, axis=1, keepdims=True)
    size = np.nanmax(np.abs(oriented), axis=1, keepdims=True)
    return np.where(np.isnan(oriented), least - 1e-6 * np.where(size > 0, size, 1.0), oriented)


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
        limits = clopper_pearson(points, met, (1 - confidence_level) / 2)
        return WinRates(n, rate, se, size, low, high, met, wins, draws, points / met, *limits)


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
    k, present = ranks.shape[1], ~np.isnan(ranks)
    first, second = ranks[:, :, None], ranks[:, None, :]
    met = present[:, :, None] & present[:, None, :]
    often, won, drawn = (
        groups.sums(np.reshape(table, (len(ranks), -1)).astype(np.float64)).reshape(-1, k, k)
        for table in (met, first < second, first == second)
    )
    size, apart = np.maximum(often, 1), 1 - np.eye(k)
    draws = (drawn / size).sum(axis=0) * apart
    return (often > 0).sum(axis=0) * apart, (won / size).sum(axis=0), draws


# --- strengths


@dataclasses.dataclass(frozen=True)
class Strengths:
    """Strengths of models: θ, with P(i beats j) = 1/(1 + exp(θ_j − θ_i)).

    Attributes
    ----------
    strength, se, low, high : ndarray, shape (k,)
        θ, which sum to 0; standard errors; limits, NaN where the standard error is 0.
    covariance : ndarray, shape (k, k)
        Of the strengths.
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
    prior: float | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
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

    Notes
    -----
    Maximum likelihood by Newton's method (Bradley & Terry 1952, Biometrika 39:324-345). The
    covariance is the sandwich H⁻¹BH⁻¹ with B the sum over data sets (groups) of the outer products
    of their centred scores, times G/(G − 1), as comparisons on one data set are not independent;
    limits take the quantile of t with G − 1 degrees of freedom, each interval by itself.

    Examples
    --------
    >>> found = bradley_terry([[0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.7, 0.5], [0.6, 0.8, 0.7]])
    >>> found.strength.round(3).tolist(), found.expected_rank.round(3).tolist()
    ([0.366, 0.366, -0.732], [1.75, 1.75, 2.5])
    """
    from scipy.sparse.csgraph import connected_components  # slow to import

    ranks, clusters = _rank_meetings(scores, groups, greater_is_better, decimals)
    present = ~np.isnan(ranks)
    met, wins, draws = _tally(ranks, as_clusters(None, len(ranks)))
    sets, members = connected_components(met > 0)
    if sets > 1:
        each = [np.flatnonzero(members == i)[:8].tolist() for i in range(min(sets, 4))]
        named = " and ".join(", ".join(map(str, models)) for models in each)
        raise ArgumentError(
            "scores",
            f"the models (columns) {named} have no data set in common: sets of models that never "
            "meet cannot be compared; leave one set out",
        )
    points = wins + draws / 2
    if prior is None:
        prior = 0.0 if connected_components(points > 0, connection="strong")[0] == 1 else _PRIOR
    padded, total = points + prior * (met > 0), met + 2 * prior * (met > 0)
    strength = most_likely(padded, total)
    chances = _chances(strength)
    np.fill_diagonal(chances, 0.0)
    expected = present.astype(np.float64) @ chances.T
    residuals = np.where(present, present.sum(axis=1, keepdims=True) - ranks - expected, 0.0)
    n, totals = clusters.count, clusters.sums(residuals)
    totals -= totals.mean(axis=0)
    moved = _newton_step(totals.T, chances, total).T  # what each data set adds to the strengths
    covariance = moved.T @ moved * (n / (n - 1) if n > 1 else math.nan)
    se = np.sqrt(covariance.diagonal())
    se = np.where(se > 1e-10, se, 0.0)
    quantile = float(special.stdtrit(n - 1, (1 + confidence_level) / 2))
    reach = np.where(se > 0, se, np.nan) * quantile
    return Strengths(strength, se, strength - reach, strength + reach, covariance, prior, n, points)


def _chances(strength: FloatArray) -> FloatArray:
    return np.asarray(special.expit(strength[:, None] - strength[None, :]))


def most_likely(points: FloatArray, total: FloatArray) -> FloatArray:
    """Maximise the likelihood of wins among meetings by Newton's method, the strengths centred."""
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


# --- signed ranks of two models

_AUTO_EXACT = 500
_MAX_EXACT = 1000
_FEWEST = 6
"""Data sets with scores of both models below which no pair of several is decided: the smallest
two-sided p-value of five is .0625."""
_EXACT_LIMITS = 500
"""Differences up to which the limits of the pseudo-median have exact levels."""


def _wilcoxon_pairs(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
    confidence_level: Level = 0.95,
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Test all pairs of columns, or those of the leader, with ranks for a diagram."""
    omit = missing == "omit"
    table = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=omit)
    gaps = bool(np.isnan(table).any())
    options |= {"decimals": decimals, "confidence_level": confidence_level, "missing": missing}
    if gaps:  # average ranks over different data sets do not compare
        ranks = bradley_terry(table, decimals=decimals).expected_rank
    else:
        ranks = RankTable(table, decimals=decimals).average
    if leader_only:
        options |= {"leader_only": True, "control": int(ranks.argmin())}

    @functools.wraps(wilcoxon_signed_rank)  # by_pairs reads the options that it takes
    def compare(a: FloatArray, b: FloatArray, **how: Any) -> Result:
        result: Result = wilcoxon_signed_rank(a, b, **how)
        if not gaps or result.n >= _FEWEST:
            return result
        return dataclasses.replace(result, status=Status.TOO_FEW, pvalue=math.nan)

    whole = by_pairs(compare, (), table.T, **options)
    return with_ranks(whole, ranks.tolist(), confidence_level)


@register(
    evidence=Evidence.DATASETS,
    citation="wilcoxon1945",
    all_pairs=_wilcoxon_pairs,
    null_hypothesis="The differences between the two algorithms' scores are symmetric "
    "about zero over the data sets these come from.",
)
def wilcoxon_signed_rank(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["pratt", "wilcox", "zsplit"] = "pratt",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    continuity: bool = True,
    confidence_level: Level = 0.95,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Wilcoxon signed-rank test.

    Does one algorithm tend to score higher than the other over data sets like these?

    Parameters
    ----------
    zeros : {"pratt", "wilcox", "zsplit"}
        Data sets on which both score the same: ranked, then left out (``pratt``); left out before
        ranking (``wilcox``); ranked, half of their ranks to each side (``zsplit``, as Demšar
        2006).
    method : {"auto", "exact", "asymptotic"}
        ``exact`` is the permutation distribution of these very ranks, ties included; ``auto`` is
        exact up to 500 non-zero differences.
    continuity : bool
        Continuity correction of ½ for ``asymptotic``.

    Returns
    -------
    Result
        ``statistic`` is W+, the rank sum in favour of A; ``estimate`` the Hodges-Lehmann
        pseudo-median of A − B, with Tukey's interval (conservative under ties; infinite limits
        where N is too small for the level). ``effect_sizes``: ``rank_biserial`` = (W+ − W−)/(W+ +
        W−) and ``probability_superiority`` (share of data sets won by A, draws half). ``details``:
        both rank sums, wins, losses, zeros, z and its p without continuity, Demšar's T and z.

    Warnings
    --------
    It takes one score per data set: folds or repeats of one data set are not independent
    observations. With few data sets the exact test cannot reach a level corrected for many pairs.

    Notes
    -----
    With ranks r of the differences that have a sign, W+ has mean Σr/2 and variance Σr²/4 under
    the null, which is Demšar's N(N+1)(2N+1)/24 without ties and zeros. The null is that the
    differences are symmetric about 0.

    References
    ----------
    Wilcoxon (1945); Pratt (1959) for zeros; Demšar (2006), section 3.1.3; Hollander, Wolfe &
    Chicken (2014), sections 3.1-3.3, for estimate and interval.

    Examples
    --------
    >>> a = [0.812, 0.756, 0.901, 0.683, 0.774, 0.829, 0.715, 0.866, 0.790, 0.843]
    >>> b = [0.801, 0.760, 0.880, 0.650, 0.769, 0.799, 0.708, 0.823, 0.793, 0.829]
    >>> result = wilcoxon_signed_rank(a, b)
    >>> result.statistic, result.pvalue
    (52.0, 0.009765625)
    >>> round(result.estimate, 4)
    0.0145
    """
    scores = {"scores_a": scores_a, "scores_b": scores_b}
    how = {"greater_is_better": greater_is_better, "allow_missing": missing == "omit"}
    a, b = paired_scores(scores, unit="data sets", **how)
    both = ~(np.isnan(a) | np.isnan(b))
    if not both.any():
        nan, too_few = math.nan, Status.TOO_FEW
        return Result(statistic=nan, pvalue=nan, n=0, alternative=alternative, status=too_few)
    d = differences(a[both], b[both], decimals)
    signed = SignedRanks(d, zeros)
    n_signed = len(signed.ranks)
    if method == "exact" and n_signed > _MAX_EXACT:
        raise ArgumentError(
            "method",
            f"'exact' takes up to {_MAX_EXACT} non-zero differences, found {n_signed}; "
            "use 'auto' or 'asymptotic'",
        )
    exact = method == "exact" or (method == "auto" and n_signed <= _AUTO_EXACT)
    smallest = min(1.0, 2.0 ** (1 - n_signed)) if n_signed < 1000 else 0.0
    detail = f"{n_signed} of {len(d)} data sets differ: the smallest two-sided p they could give is"
    middle = f"Mean difference {math.fsum(d) / len(d):.4g}, median {np.median(d):.4g}; they are "
    assumptions = [
        Assumption("enough data sets", smallest <= 0.05, f"{detail} {smallest:.3g}."),
        Assumption(
            "symmetric differences",
            None,
            f"{middle}close when the differences are symmetric. The sign test needs no symmetry.",
        ),
    ]
    if not exact:
        few = f"{n_signed} non-zero differences; below 25 use method='exact'."
        assumptions.append(Assumption("normal approximation", n_signed >= 25, few))
    z, p_normal, pvalue, estimate, ci = 0.0, 1.0, 1.0, 0.0, None
    if n_signed:
        excess = float(np.sign(signed.w_plus - signed.mean))
        shift = {"two-sided": 0.5 * excess, "greater": 0.5, "less": -0.5}[alternative]
        z = signed.z()
        p_normal = t_pvalue(signed.z(shift if continuity else 0.0), math.inf, alternative)
        pvalue = exact_pvalue(signed.ranks, signed.positive, alternative) if exact else p_normal
        estimate, low, high = hodges_lehmann(d, confidence_level, alternative)
        ci = ConfidenceInterval(low, high, confidence_level, "hodges-lehmann")
    # Demšar's (2006) T = min(R+, R-), zeros split evenly, and its z (no tie correction)
    n, split, w_plus, w_minus = len(d), SignedRanks(d, "zsplit"), signed.w_plus, signed.w_minus
    t = min(split.w_plus, split.w_minus)
    demsar_z = (t - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return Result(
        variant="exact" if exact else ("asymptotic_cc" if continuity else "asymptotic"),
        statistic=w_plus,
        pvalue=pvalue,
        n=n,
        alternative=alternative,
        estimate=estimate,
        ci=ci,
        effect_sizes={
            "rank_biserial": (w_plus - w_minus) / (w_plus + w_minus) if n_signed else math.nan,
            "probability_superiority": float(((d > 0) + 0.5 * (d == 0)).mean()),
        },
        status=Status.OK if n_signed else Status.IDENTICAL_SCORES,
        assumptions=tuple(assumptions),
        details={
            "zeros": zeros,
            "w_plus": w_plus,
            "w_minus": w_minus,
            "wins": int((d > 0).sum()),
            "losses": int((d < 0).sum()),
            "n_zero": int((d == 0).sum()),
            "n_nonzero": n_signed,
            "z": z,
            "p_asymptotic": p_normal,
            "demsar_t": t,
            "demsar_z": demsar_z,
            "demsar_pvalue": t_pvalue(demsar_z, math.inf, "two-sided"),
        },
    )


class SignedRanks:
    """The ranks of the absolute differences, with zeros as in `wilcoxon_signed_rank`."""

    def __init__(self, d: FloatArray, zeros: str) -> None:
        if zeros == "wilcox":
            d = d[d != 0]
        ranks, counts = rank(np.abs(d))
        signed = d != 0
        n, n_zero, zero_ranks = len(d), int((~signed).sum()), float(ranks[~signed].sum())
        self.mean, from_zeros = n * (n + 1) / 4, zero_ranks / 2
        self.variance = (n * (n + 1) * (2 * n + 1) - tie_sum(counts) / 2) / 24
        if zeros == "pratt":
            # a zero has no sign: its rank leaves the mean and the variance
            self.mean, from_zeros = self.mean - zero_ranks / 2, 0.0
            self.variance -= n_zero * (n_zero + 1) ** 2 / 16
        self.ranks = ranks[signed]
        self.positive = float(self.ranks[d[signed] > 0].sum())  # rank sum of A's wins alone
        self.w_plus = self.positive + from_zeros
        self.w_minus = float(self.ranks[d[signed] < 0].sum()) + from_zeros

    def z(self, shift: float = 0.0) -> float:
        """Return W+ standardised, less a correction for continuity."""
        return (self.w_plus - self.mean - shift) / math.sqrt(self.variance)


def exact_pvalue(ranks: FloatArray, w_plus: float, alternative: Alternative) -> float:
    """P-value of the sum of the positive ranks when every sign is a fair coin, ties included."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    unit = int(np.gcd.reduce(doubled))
    steps = doubled // unit
    observed = round(2 * w_plus) // unit
    # the distribution is symmetric: both tails are sums over the low end
    below = _signed_sums(np.sort(steps).tobytes())
    less = float(below[: observed + 1].sum())
    greater = float(below[: int(steps.sum()) - observed + 1].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(less, greater))
    return min(1.0, greater if alternative == "greater" else less)


@functools.lru_cache(maxsize=8)  # without ties all samples of one size have the same steps
def _signed_sums(sorted_steps: bytes) -> FloatArray:
    return signed_sums(np.frombuffer(sorted_steps, dtype=np.int64))


def hodges_lehmann(
    d: FloatArray, confidence: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return the median of the Walsh averages (d_i + d_j)/2, i ≤ j, and two as Tukey's limits."""
    total = len(d) * (len(d) + 1) // 2
    count = _lower_quantile(len(d), tail_probability(confidence, alternative))
    outer = [max(count, 1), min(total + 1 - count, total)]
    places = np.array([outer[0], (total + 1) // 2, total // 2 + 1, outer[1]]) - 1
    averages = np.add.outer(d, d)[np.triu_indices(len(d))] / 2
    low, left, right, high = np.partition(averages, places)[places].tolist()
    if count == 0 or alternative == "less":
        low = -math.inf
    if count == 0 or alternative == "greater":
        high = math.inf
    return (left + right) / 2, low, high


@functools.lru_cache(maxsize=256)
def _lower_quantile(n: int, tail: float) -> int:
    """Return the largest c with P(T < c) ≤ tail for the signed-rank sum T of n, 0 if none."""
    mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    if n > _EXACT_LIMITS:
        return max(0, math.floor(mean + float(special.ndtri(tail)) * sd + 0.5))
    below = np.cumsum(_signed_sums(np.arange(1, n + 1, dtype=np.int64).tobytes()))
    # a p-value that equals the level in decimal must not miss it by one bit
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))

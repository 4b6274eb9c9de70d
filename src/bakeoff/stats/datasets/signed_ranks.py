"""Two classifiers over several data sets: the signed-rank test.

Each data set gives one score per classifier. The data sets are the sample, so the conclusion is
about the two algorithms on data sets like these.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Decimals, Level
from bakeoff.stats.core.arithmetic import differences, rank, tie_sum
from bakeoff.stats.core.checks import ArgumentError, FloatArray, paired_scores
from bakeoff.stats.core.distributions import (
    signed_sums,
    t_pvalue,
    tail_probability,
)
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.datasets.all_pairs import compare_pairs

_AUTO_EXACT = 500
_MAX_EXACT = 1000
_EXACT_LIMITS = 500
"""Differences up to which the limits of the pseudo-median have exact levels."""
_ENOUGH_FOR_NORMAL = 25  # non-zero differences


def _wilcoxon_pairs(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Test all pairs of columns, or those of the leader, with ranks for a diagram."""
    how = {"missing": missing, "leader_only": leader_only, **options}
    return compare_pairs(wilcoxon_signed_rank, scores, "signed_ranks", **how)


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
    a, b = paired_scores(
        {"scores_a": scores_a, "scores_b": scores_b},
        unit="data sets",
        greater_is_better=greater_is_better,
        allow_missing=missing == "omit",
    )
    both = ~(np.isnan(a) | np.isnan(b))
    if not both.any():
        return Result(
            statistic=math.nan,
            pvalue=math.nan,
            n=0,
            alternative=alternative,
            status=Status.TOO_FEW,
        )
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
    correction = 0.0
    variant = "asymptotic"
    if continuity:
        correction = 0.5
        variant = "asymptotic_cc"
    if exact:
        variant = "exact"
    status = Status.IDENTICAL_SCORES
    z = 0.0
    p_normal = 1.0
    pvalue = 1.0
    estimate = 0.0
    ci = None
    rank_biserial = math.nan
    if n_signed:
        status = Status.OK
        z = signed.z()
        p_normal = signed.normal_pvalue(alternative, correction)
        pvalue = p_normal
        if exact:
            pvalue = exact_pvalue(signed.ranks, signed.positive, alternative)
        estimate, low, high = hodges_lehmann(d, confidence_level, alternative)
        ci = ConfidenceInterval(low, high, confidence_level, "hodges-lehmann")
        rank_biserial = (signed.w_plus - signed.w_minus) / (signed.w_plus + signed.w_minus)
    # Demšar's (2006) T = min(R+, R-), zeros split evenly, and its z (no tie correction)
    n = len(d)
    split = SignedRanks(d, "zsplit")
    demsar_t = min(split.w_plus, split.w_minus)
    demsar_z = (demsar_t - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return Result(
        variant=variant,
        statistic=signed.w_plus,
        pvalue=pvalue,
        n=n,
        alternative=alternative,
        estimate=estimate,
        ci=ci,
        effect_sizes={
            "rank_biserial": rank_biserial,
            "probability_superiority": float(((d > 0) + 0.5 * (d == 0)).mean()),
        },
        status=status,
        assumptions=_assumptions(d, n_signed, exact),
        details={
            "zeros": zeros,
            "w_plus": signed.w_plus,
            "w_minus": signed.w_minus,
            "wins": int((d > 0).sum()),
            "losses": int((d < 0).sum()),
            "n_zero": int((d == 0).sum()),
            "n_nonzero": n_signed,
            "z": z,
            "p_asymptotic": p_normal,
            "demsar_t": demsar_t,
            "demsar_z": demsar_z,
            "demsar_pvalue": t_pvalue(demsar_z, math.inf, "two-sided"),
        },
    )


def _assumptions(d: FloatArray, n_signed: int, exact: bool) -> tuple[Assumption, ...]:
    smallest = 0.0  # two-sided p-value, 2/2^n
    if n_signed < 1000:
        smallest = min(1.0, 2.0 ** (1 - n_signed))
    enough = Assumption(
        "enough data sets",
        smallest <= 0.05,
        f"{n_signed} of {len(d)} data sets differ: the smallest two-sided p they could give is "
        f"{smallest:.3g}.",
    )
    symmetric = Assumption(
        "symmetric differences",
        None,
        f"Mean difference {math.fsum(d) / len(d):.4g}, median {np.median(d):.4g}; they are close "
        "when the differences are symmetric. The sign test needs no symmetry.",
    )
    if exact:
        return (enough, symmetric)
    approximation = Assumption(
        "normal approximation",
        n_signed >= _ENOUGH_FOR_NORMAL,
        f"{n_signed} non-zero differences; below {_ENOUGH_FOR_NORMAL} use method='exact'.",
    )
    return (enough, symmetric, approximation)


class SignedRanks:
    """The ranks of the absolute differences, with zeros as in `wilcoxon_signed_rank`."""

    def __init__(self, d: FloatArray, zeros: str) -> None:
        if zeros == "wilcox":
            d = d[d != 0]
        ranks, counts = rank(np.abs(d))
        signed = d != 0
        n = len(d)
        zero_ranks = float(ranks[~signed].sum())
        from_zeros = zero_ranks / 2
        # E W+ = n(n + 1)/4 and Var W+ = (n(n + 1)(2n + 1) − Σ(t³ − t)/2)/24
        self.mean = n * (n + 1) / 4
        self.variance = (n * (n + 1) * (2 * n + 1) - tie_sum(counts) / 2) / 24
        if zeros == "pratt":
            # a zero has no sign: its rank leaves the mean and the variance
            n_zero = int((~signed).sum())
            from_zeros = 0.0
            self.mean = self.mean - zero_ranks / 2
            self.variance -= n_zero * (n_zero + 1) ** 2 / 16
        self.ranks = ranks[signed]
        self.positive = float(self.ranks[d[signed] > 0].sum())  # rank sum of A's wins alone
        self.w_plus = self.positive + from_zeros
        self.w_minus = float(self.ranks[d[signed] < 0].sum()) + from_zeros

    def z(self, shift: float = 0.0) -> float:
        """Return W+ standardised, less a correction for continuity."""
        return (self.w_plus - self.mean - shift) / math.sqrt(self.variance)

    def normal_pvalue(self, alternative: Alternative, correction: float) -> float:
        """Return the p-value by the normal distribution, W+ moved so far towards its mean."""
        shift = correction
        if alternative == "less":
            shift = -correction
        elif alternative == "two-sided":
            shift = correction * float(np.sign(self.w_plus - self.mean))
        return t_pvalue(self.z(shift), math.inf, alternative)


def exact_pvalue(ranks: FloatArray, w_plus: float, alternative: Alternative) -> float:
    """P-value of the sum of the positive ranks when every sign is a fair coin, ties included."""
    # doubled ranks are whole numbers, and so are their sums over their common divisor
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
    if alternative == "greater":
        return min(1.0, greater)
    return min(1.0, less)


@functools.lru_cache(maxsize=8)  # without ties all samples of one size have the same steps
def _signed_sums(sorted_steps: bytes) -> FloatArray:
    return signed_sums(np.frombuffer(sorted_steps, dtype=np.int64))


def hodges_lehmann(
    d: FloatArray, confidence: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return the median of the Walsh averages (d_i + d_j)/2, i ≤ j, and two as Tukey's limits."""
    total = len(d) * (len(d) + 1) // 2
    count = _lower_quantile(len(d), tail_probability(confidence, alternative))
    lower = max(count, 1)
    upper = min(total + 1 - count, total)
    order_statistics = np.array([lower, (total + 1) // 2, total // 2 + 1, upper]) - 1
    averages = np.add.outer(d, d)[np.triu_indices(len(d))] / 2
    ordered = np.partition(averages, order_statistics)
    low, left, right, high = ordered[order_statistics].tolist()
    if count == 0 or alternative == "less":
        low = -math.inf
    if count == 0 or alternative == "greater":
        high = math.inf
    return (left + right) / 2, low, high


@functools.lru_cache(maxsize=256)
def _lower_quantile(n: int, tail: float) -> int:
    """Return the largest c with P(T < c) ≤ tail for the signed-rank sum T of n, 0 if none."""
    if n > _EXACT_LIMITS:
        mean = n * (n + 1) / 4
        sd = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, math.floor(mean + float(special.ndtri(tail)) * sd + 0.5))
    below = np.cumsum(_signed_sums(np.arange(1, n + 1, dtype=np.int64).tobytes()))
    # a p-value that equals the level in decimal must not miss it by one bit
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))

"""Two classifiers over data sets whose scores are in different units: wins, and ratios of errors.

A difference in dollars does not compare with one in seconds, so that a test which ranks differences
depends on the units. What a change of a data set's unit leaves alone is which model wins there, and
of positive scores the ratio of the two.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Decimals, Level
from bakeoff.stats.core.arithmetic import differences
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_scores, paired_scores
from bakeoff.stats.core.distributions import (
    clopper_pearson,
    lower_tail,
    tail_probability,
    upper_tail,
)
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.datasets.all_pairs import compare_pairs
from bakeoff.stats.datasets.signed_ranks import wilcoxon_signed_rank

# --- wins


def _sign_test_pairs(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Test all pairs of columns, or those of the leader, with ranks for a diagram."""
    how = {"missing": missing, "leader_only": leader_only, **options}
    return compare_pairs(sign_test, scores, "signs", **how)


@register(
    evidence=Evidence.DATASETS,
    citation="conover1999",
    all_pairs=_sign_test_pairs,
    unit="share of data sets won less that lost",
    null_hypothesis="Where the two algorithms' scores differ, either is as likely to be better.",
)
def sign_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Sign test.

    Is one algorithm better than the other on more than half of the data sets like these?

    The number of data sets that A wins is Bin(N, 1/2) under the null, of N on which the scores
    differ (Conover 1999, section 3.4; Demšar 2006, section 3.1.4).

    Returns
    -------
    Result
        ``statistic`` is how many data sets A wins, ``estimate`` the share that it wins less the
        share that it loses of those where the scores differ, with the limits of Clopper and
        Pearson. ``details``: ``wins``, ``losses``, ``n_zero``.

    Warnings
    --------
    It looks at no sizes: of scores in one unit wilcoxon_signed_rank finds more.

    Examples
    --------
    >>> result = sign_test([3.1, 0.20, 41, 7.5, 0.9, 12, 5.0], [3.3, 0.25, 44, 7.9, 1.0, 13, 5.5],
    ...                    greater_is_better=False)
    >>> result.statistic, result.pvalue, result.estimate
    (7.0, 0.015625, 1.0)
    """
    scores = {"scores_a": scores_a, "scores_b": scores_b}
    a, b = paired_scores(
        scores,
        unit="data sets",
        greater_is_better=greater_is_better,
        allow_missing=missing == "omit",
    )
    both = ~(np.isnan(a) | np.isnan(b))
    if not both.any():
        return Result(
            statistic=math.nan, pvalue=math.nan, n=0, alternative=alternative, status=Status.TOO_FEW
        )
    d = differences(a[both], b[both], decimals)
    wins = int(np.count_nonzero(d > 0))
    losses = int(np.count_nonzero(d < 0))
    decided = wins + losses
    pvalue = 1.0
    estimate = 0.0
    ci = None
    status = Status.IDENTICAL_SCORES
    if decided:
        status = Status.OK
        pvalue = _sign_pvalue(wins, losses, alternative)
        estimate = (wins - losses) / decided
        ci = _limits_of_wins(wins, decided, confidence_level, alternative)
    return Result(
        variant="exact",
        statistic=float(wins),
        pvalue=pvalue,
        n=len(d),
        alternative=alternative,
        estimate=estimate,
        ci=ci,
        effect_sizes={"probability_superiority": float(((d > 0) + 0.5 * (d == 0)).mean())},
        status=status,
        assumptions=(_enough(decided, len(d)),),
        details={"wins": wins, "losses": losses, "n_zero": len(d) - decided},
    )


def _sign_pvalue(wins: int, losses: int, alternative: Alternative) -> float:
    """Return the tail of Bin(wins + losses, 1/2), of two sides twice the smaller one."""
    decided = wins + losses
    # P(X ≥ wins) and P(X ≤ wins), X ~ Bin(decided, 1/2)
    greater = float(upper_tail(wins, decided, 0.5))
    less = float(lower_tail(wins, decided, 0.5))
    if alternative == "two-sided":
        return min(1.0, 2 * min(greater, less))
    if alternative == "greater":
        return greater
    return less


def _limits_of_wins(
    wins: int, decided: int, confidence: float, alternative: Alternative
) -> ConfidenceInterval:
    """Turn Clopper and Pearson's limits of the share p of wins into those of 2p − 1."""
    tail = tail_probability(confidence, alternative)
    # the share won less the share lost is p − (1 − p) = 2p − 1
    low, high = (2 * float(limit) - 1 for limit in clopper_pearson(wins, decided, tail))
    if alternative == "less":
        low = -1.0
    if alternative == "greater":
        high = 1.0
    return ConfidenceInterval(low, high, confidence, "clopper-pearson")


def _enough(decided: int, n: int) -> Assumption:
    """Say which p-value so many data sets could give."""
    # all are wins, or all are losses: 2 · 2^−N
    smallest = min(1.0, 2.0 ** (1 - decided))
    detail = (
        f"{decided} of {n} data sets differ: the smallest two-sided p they could give is "
        f"{smallest:.3g}."
    )
    return Assumption("enough data sets", smallest <= 0.05, detail)


# --- ratios of errors


def _log_ratio_pairs(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Test all pairs of columns, or those of the leader, with ranks for a diagram."""
    table = as_scores(scores, "scores", ndim=2, unit="data sets", allow_missing=missing == "omit")
    how = {"missing": missing, "leader_only": leader_only, **options}
    test = functools.partial(_of_logs, losses=not greater_is_better)
    logs = _logs(table, "scores", greater_is_better)
    return compare_pairs(test, logs, "signed_ranks", **how)


@register(
    evidence=Evidence.DATASETS,
    citation="wilcoxon1945",
    all_pairs=_log_ratio_pairs,
    unit="log ratio",
    null_hypothesis="The logarithms of the ratio of the two algorithms' scores are symmetric about "
    "zero over the data sets these come from.",
)
def wilcoxon_log_ratios(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
) -> Result:
    """Wilcoxon signed-rank test of ratios.

    Does one algorithm tend to have a smaller error than the other, as a share of it?

    The signed-rank test (Wilcoxon 1945) of the logarithms of positive scores: it does not depend on
    their units, which may be others on other data sets.

    Returns
    -------
    Result
        ``estimate`` is the pseudo-median of the logarithm of the ratio, positive where A is better,
        with Tukey's interval. ``effect_sizes``: ``ratio``, A's score over B's by that estimate, and
        ``geometric_mean_ratio``.

    Warnings
    --------
    It is for positive scores, where a ratio means the same on every data set: errors, losses, times
    and costs.

    Examples
    --------
    >>> result = wilcoxon_log_ratios(
    ...     [3.1, 0.20, 41, 7.5, 0.9, 12, 5.0], [3.3, 0.25, 44, 7.9, 1.0, 13, 5.5],
    ...     greater_is_better=False)
    >>> result.pvalue, round(result.effect_sizes["ratio"], 3)
    (0.015625, 0.92)
    """
    scores = {"scores_a": scores_a, "scores_b": scores_b}
    a, b = paired_scores(scores, unit="data sets", allow_missing=missing == "omit")
    return _of_logs(
        _logs(a, "scores_a", greater_is_better),
        _logs(b, "scores_b", greater_is_better),
        losses=not greater_is_better,
        alternative=alternative,
        confidence_level=confidence_level,
        missing=missing,
    )


def _logs(scores: FloatArray, name: str, greater_is_better: bool) -> FloatArray:
    """Return logarithms of positive scores, those of losses with their sign turned."""
    low = float(np.nanmin(scores))
    if not low > 0:
        raise ArgumentError(
            name,
            f"found {low:g}, and a ratio needs scores above 0: use sign_test, which needs none",
        )
    logs = np.log(scores)
    return np.asarray(logs if greater_is_better else -logs)


def _of_logs(
    log_a: FloatArray,
    log_b: FloatArray,
    *,
    losses: bool,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Test logarithms of which larger ones are better, and name their differences as ratios."""
    result = wilcoxon_signed_rank(
        log_a,
        log_b,
        alternative=alternative,
        confidence_level=confidence_level,
        missing=missing,
        greater_is_better=greater_is_better,
        decimals=decimals,
    )
    # a difference of logarithms is the logarithm of a ratio: of losses it is that of B over A
    sign = -1 if losses else 1
    mean = math.nan
    if result.n:
        mean = float(np.nanmean(log_a - log_b))
    ratios = {
        "ratio": math.exp(sign * result.estimate),
        "geometric_mean_ratio": math.exp(sign * mean),
    }
    return dataclasses.replace(
        result,
        test="",
        method="",
        null_hypothesis="",
        effect_sizes={**result.effect_sizes, **ratios},
    )

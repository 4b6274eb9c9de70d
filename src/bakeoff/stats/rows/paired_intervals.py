"""Confidence intervals for two models on the same rows: accuracy difference and odds ratio.

Counts are named as in `mcnemar_from_counts`; n is their sum, b = only A right, c = only B
right. The `*_bounds` functions take arrays of counts, one entry per pair of models.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core import binomial
from bakeoff.stats.core.arguments import Count, Level, checked
from bakeoff.stats.core.arithmetic import exp
from bakeoff.stats.core.checks import FloatArray, as_counts
from bakeoff.stats.core.difference_limits import (
    DIFFERENCE_METHODS,
    Bounds,
    DifferenceMethod,
    one_sided,
)
from bakeoff.stats.core.result import Alternative, ConfidenceInterval

__all__ = ["paired_difference_ci", "paired_odds_ratio_ci"]

COUNTS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
OddsRatioMethod = Literal["midp", "exact", "wilson", "wald_log"]


@checked
def paired_difference_ci(
    *,
    both_correct: Count,
    only_a_correct: Count,
    only_b_correct: Count,
    both_wrong: Count,
    method: DifferenceMethod = "newcombe",
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for acc_A − acc_B on the same rows.

    Parameters
    ----------
    method : str
        ``"newcombe"``: square-and-add of two Wilson intervals with the correlation (Newcombe
        1998, method 10), good at every n, the default. ``"tango"``: inverts the score test
        (Tango 1998); excludes 0 exactly when the asymptotic McNemar test rejects.
        ``"exact_melded"``: excludes 0 exactly when the exact McNemar test rejects (Fay &
        Lumbard 2021). ``"agresti_min"``, ``"bonett_price"``: adjusted Wald. ``"wald"``,
        ``"wald_cc"``: textbook intervals, too short when few rows are discordant.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives [low, 1], ``"less"`` gives [−1, high].

    Returns
    -------
    ConfidenceInterval
        Limits in [−1, 1].

    Examples
    --------
    >>> low, high = paired_difference_ci(
    ...     both_correct=329, only_a_correct=22, only_b_correct=17, both_wrong=63)
    >>> round(low, 4), round(high, 4)
    (-0.0174, 0.0408)
    """
    counts = both_correct, only_a_correct, only_b_correct, both_wrong
    if not sum(counts):
        raise ValueError("all four counts are 0: there are no rows")
    low, high = difference_bounds(
        *counts, method=method, confidence_level=confidence_level, alternative=alternative
    )
    return ConfidenceInterval(float(low), float(high), confidence_level, method)


@checked
def paired_odds_ratio_ci(
    *,
    only_a_correct: Count,
    only_b_correct: Count,
    method: OddsRatioMethod = "midp",
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for the conditional odds ratio b/c of two models on the same rows.

    Each but the last transforms an interval for π = P(A right | exactly one is right) by
    π/(1 − π) (Fagerland, Lydersen & Laake 2014).

    Parameters
    ----------
    method : str
        ``"midp"`` (default) and ``"exact"`` (Clopper-Pearson) exclude 1 exactly when the
        mid-p or exact McNemar test rejects; ``"wilson"`` goes with the asymptotic test;
        ``"wald_log"``: log(b/c) ± z √(1/b + 1/c), (0, ∞) when b or c is 0.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives [low, ∞], ``"less"`` gives [0, high].

    Returns
    -------
    ConfidenceInterval
        Limits in [0, ∞]; (0, ∞) without discordant pairs.

    Examples
    --------
    >>> low, high = paired_odds_ratio_ci(only_a_correct=22, only_b_correct=17)
    >>> round(low, 4), round(high, 4)
    (0.6853, 2.4766)
    """
    low, high = odds_ratio_bounds(
        only_a_correct,
        only_b_correct,
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
    )
    return ConfidenceInterval(float(low), float(high), confidence_level, method)


def difference_bounds(
    *counts: ArrayLike,
    method: str,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Bounds:
    """Return the limits of `paired_difference_ci` for four arrays of counts of one shape."""
    tail = binomial.tail_probability(confidence_level, alternative)
    a, b, c, d = (as_counts(count, name) for count, name in zip(counts, COUNTS, strict=True))
    return one_sided(*DIFFERENCE_METHODS[method](a, b, c, d, tail), alternative)


def odds_ratio_bounds(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    *,
    method: str,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Bounds:
    """Return the limits of `paired_odds_ratio_ci` for arrays of counts of one shape."""
    tail = binomial.tail_probability(confidence_level, alternative)
    b, c = as_counts(only_a_correct, "only_a_correct"), as_counts(only_b_correct, "only_b_correct")
    lower = ODDS_RATIO_METHODS[method]
    with np.errstate(divide="ignore"):  # 1/0: an odds ratio without upper limit
        low, high = lower(b, c, tail), 1 / lower(c, b, tail)  # swapping A and B inverts the ratio
    low = np.zeros_like(low) if alternative == "less" else low
    high = np.full_like(high, np.inf) if alternative == "greater" else high
    return low, high


def _exact_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    right = special.betaincinv(np.maximum(b, 1), c + 1, tail)
    wrong = special.betainccinv(c + 1, np.maximum(b, 1), tail)
    return np.where(b > 0, right / wrong, 0.0)


def _midp_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    right = binomial.midp_lower(b, b + c, tail)
    odds: FloatArray = right / (1 - right)
    return odds


def _wilson_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    right, _ = binomial.wilson(b, b + c, tail)
    odds: FloatArray = right / (1 - right)
    return odds


def _wald_log_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    known = (b > 0) & (c > 0)
    b, c = np.where(known, b, 1.0), np.where(known, c, 1.0)
    low = b / c * exp(special.ndtri(tail) * np.sqrt(1 / b + 1 / c))
    return np.where(known, low, 0.0)


ODDS_RATIO_METHODS: dict[str, Callable[[FloatArray, FloatArray, float], FloatArray]] = {
    "midp": _midp_lower,
    "exact": _exact_lower,
    "wilson": _wilson_lower,
    "wald_log": _wald_log_lower,
}

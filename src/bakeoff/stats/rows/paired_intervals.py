"""Confidence intervals for two models on the same rows: accuracy difference and odds ratio.

Counts are named as in `mcnemar_from_counts`; n is their sum, b = only A right, c = only B
right.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from bakeoff.stats.core import binomial
from bakeoff.stats.core.arguments import Count, Level, checked
from bakeoff.stats.core.checks import as_counts
from bakeoff.stats.core.difference_limits import (
    DIFFERENCE_METHODS,
    Bounds,
    DifferenceMethod,
    one_sided,
)
from bakeoff.stats.core.result import Alternative, ConfidenceInterval

__all__ = ["paired_difference_ci", "paired_odds_ratio_ci"]

COUNTS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")


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
        Lumbard 2021).
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
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for the conditional odds ratio b/c of two models on the same rows.

    Its mid-p limits transform those for π = P(A right | exactly one is right) by π/(1 − π)
    (Fagerland, Lydersen & Laake 2014), so that they exclude 1 exactly when the mid-p McNemar test
    rejects.

    Parameters
    ----------
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
    tail = binomial.tail_probability(confidence_level, alternative)
    b, c = only_a_correct, only_b_correct
    low = 0.0 if alternative == "less" else _odds_lower(b, c, tail)
    # swapping A and B inverts the ratio
    below = 0.0 if alternative == "greater" else _odds_lower(c, b, tail)
    return ConfidenceInterval(low, 1 / below if below else math.inf, confidence_level, "midp")


def _odds_lower(b: int, c: int, tail: float) -> float:
    right = float(binomial.midp_lower(b, b + c, tail))
    return right / (1 - right)


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

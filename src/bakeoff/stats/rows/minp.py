"""The step-down min-p adjustment of McNemar p-values, which knows that they are discrete."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core import mcnemar_kernels as kernels
from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import FloatArray, as_counts, check_same_length
from bakeoff.stats.core.result import Alternative

DISCRETE = ("midp", "exact")
"""The variants whose p-values have an exact distribution."""


@checked
def mcnemar_minp(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    *,
    variant: Literal["exact", "midp"] = "exact",
    alternative: Alternative = "two-sided",
) -> FloatArray:
    """Adjust McNemar p-values by the step-down min-p procedure for discrete tests.

    Holm's procedure bounds the chance that the smallest of the remaining p-values falls to t or
    below by m t. With few discordant pairs most tests cannot come near t: the procedure adds up
    what each can reach, ``sum_j P(P_j <= t)``, from its exact distribution given its number of
    discordant pairs. A test that can never reach t costs nothing. The family-wise error is
    controlled under any dependence between the tests, and no adjusted p-value exceeds
    Holm's on the exact p-values.

    Parameters
    ----------
    only_a_correct, only_b_correct : array_like, shape (m,)
        The discordant counts of the m pairs.
    variant : {"exact", "midp"}
        Which p-values order the tests. The probabilities are exact either way.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values.

    Notes
    -----
    Westfall, Troendle & Pennello (2010), Multiple McNemar tests, Biometrics 66, 1185-1191: the
    closed-form method under minimal assumptions (not their bootstrap).

    Examples
    --------
    >>> from bakeoff.stats import mcnemar_minp
    >>> mcnemar_minp([7, 1, 0], [0, 2, 1]).round(4).tolist()  # Holm's first would be 0.0469
    [0.0156, 1.0, 1.0]
    """
    b, c = as_counts(only_a_correct, "only_a_correct"), as_counts(only_b_correct, "only_b_correct")
    check_same_length(only_a_correct=b, only_b_correct=c)
    return minp(kernels.pvalue(variant, b, c, alternative), b + c, variant, alternative)


def minp(p: FloatArray, discordant: FloatArray, variant: str, side: Alternative) -> FloatArray:
    """Adjust the p-values of tests with these numbers of discordant pairs."""
    order = np.argsort(p, kind="stable")
    thresholds = p[order]
    # tests left at step h that have n discordant pairs: those ranked h or later
    ordered_n = discordant[order]
    chance = np.zeros(len(p))
    for n in np.unique(discordant):
        left = np.cumsum((ordered_n == n)[::-1])[::-1]
        chance += left * _chance_below(thresholds, float(n), variant, side)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(np.minimum(chance, 1.0))
    return np.maximum(adjusted, p)


def _chance_below(t: FloatArray, n: float, variant: str, side: Alternative) -> FloatArray:
    """P(p-value ≤ t) under the null for ascending t, given n discordant pairs."""
    if n == 0:
        return (t >= 1).astype(np.float64)
    # below k0 every attainable p is under the smallest t, above k1 it is 1 (Hoeffding)
    reach = np.sqrt(n / 2 * math.log(4 / max(float(t[0]), 1e-307)))
    k0 = max(0.0, np.floor(n / 2 - reach) - 1)
    two_sided = side == "two-sided"
    k1 = np.floor(n / 2) if two_sided else min(n, np.ceil(n / 2 + np.sqrt(20 * n)))
    k = np.arange(k0, k1 + 1)
    pmf = kernels.half_pmf(k, n)
    cdf = kernels.exact_pvalue(k0, n - k0, "less") + np.append(0.0, np.cumsum(pmf[1:]))
    mass = np.minimum(2 * cdf, 1.0) if two_sided else np.minimum(cdf, 1.0)
    attainable = mass - (pmf if two_sided else pmf / 2) if variant == "midp" else mass
    if two_sided and n % 2 == 0:
        attainable[-1] = mass[-1] = 1.0
    reached = np.searchsorted(attainable, t * (1 + 1e-9), side="right")
    chance: FloatArray = np.append(0.0, mass)[reached]
    return chance

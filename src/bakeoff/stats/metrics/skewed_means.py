"""One-sided limits of a mean of skewed numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.design.spread import Spread


def skewness(psi: FloatArray, clusters: NDArray[np.intp] | None) -> float:
    """Return the skewness of deviations from a mean, or of their sums over clusters."""
    sums = psi if clusters is None else np.bincount(clusters, weights=psi)
    second = float(np.mean(sums**2))
    return float(np.mean(sums**3)) / second**1.5 if second > 0 else 0.0


def skewed_limits(centre: float, found: Spread, skew: float, tail: float) -> tuple[float, float]:
    """Return a lower and an upper limit, each of them missed with the probability `tail`.

    Each is the wider one of Student's t limit and of Hall's (1992, JRSS B 54, 221-228), whose cubic
    transformation takes the skewness out of the t statistic; both with the same quantile of t.
    """
    quantile = -float(special.stdtrit(found.df, tail))
    low, high = (
        sign * min(-quantile, _hall(sign * skew, quantile, found.units)) for sign in (1, -1)
    )
    return centre + low * found.se, centre + high * found.se


def skewed_pvalue(t: float, found: Spread, skew: float) -> float:
    """Return the probability below which a lower limit that is t standard errors down lies.

    The smallest `tail` at which `skewed_limits` keep their lower limit above a value t standard
    errors below the mean.
    """
    root, third = math.sqrt(found.units), skew / 3
    halls = t
    if abs(skew) >= 1e-9:
        halls = root * ((1 + third * t / root) ** 3 - 1) / skew + skew / (6 * root)
    return float(special.stdtr(found.df, -min(t, halls)))


def _hall(skew: float, quantile: float, n: float) -> float:
    """Return Hall's lower limit in standard errors."""
    if abs(skew) < 1e-9:
        return -quantile
    root = math.sqrt(n)
    inner = 1 + skew * (quantile / root - skew / (6 * n))
    return -root * 3 / skew * (math.cbrt(inner) - 1)

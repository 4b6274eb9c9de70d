"""The power of a test whose interval is known: what a run measured, read as a plan.

A symmetric interval estimate ± half belongs to a test that rejects where |estimate| > half. With
the noise it implies, the statistic at a true difference is noncentral t, or normal.
"""

from __future__ import annotations

import math

from scipy import special

from bakeoff.stats._checks import check_alternative, check_level
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._power import check_positive

__all__ = ["power_from_interval", "rows_factor"]


@fill_docstring
def power_from_interval(
    *,
    difference: float,
    half: float,
    confidence: float,
    df: float | None = None,
    alternative: str = "two-sided",
) -> float:
    """Return the chance that a test finds a true difference, from the width of its interval.

    Parameters
    ----------
    difference : float
        The true advantage of A over B, in the unit of the interval.
    half : float
        Half the width of the interval; of a one-sided one, from the estimate to its limit.
    confidence : float
        Level of the interval; 1 − it is that of the test.
    df : float, optional
        Degrees of freedom of Student's t; without them the test is normal.
    alternative : {"two-sided", "greater"}
        The side of the test.

    Returns
    -------
    float
        The power.

    Examples
    --------
    >>> round(power_from_interval(difference=0.03, half=0.02, confidence=0.95), 3)
    0.836
    """
    two_sided = check_alternative(alternative) == "two-sided"
    level = check_level(confidence, "confidence")
    check_positive(half, "half")
    tail = (1 + level) / 2 if two_sided else level
    if df is None or not df > 0:
        critical = float(special.ndtri(tail))
        effect = critical * difference / half
        power = float(special.ndtr(effect - critical))
        return power + (float(special.ndtr(-effect - critical)) if two_sided else 0.0)
    critical = float(special.stdtrit(df, tail))
    effect = critical * difference / half
    power = 1 - _below(df, effect, critical)
    return power + (_below(df, effect, -critical) if two_sided else 0.0)


def _below(df: float, effect: float, at: float) -> float:
    """P(T ≤ at) of noncentral t; far from its mean, where SciPy gives up, 0."""
    found = float(special.nctdtr(df, effect, at))
    return 0.0 if math.isnan(found) else found


@fill_docstring
def rows_factor(
    *,
    difference: float,
    power: float,
    half: float,
    confidence: float,
    df: float | None = None,
    alternative: str = "two-sided",
) -> float:
    """Return how many times the rows a test needs to find a difference with a power.

    Parameters
    ----------
    difference, half, confidence, df, alternative
        As in `power_from_interval`.
    power : float
        The power to reach.

    Returns
    -------
    float
        The factor; below 1 where fewer rows would do. The noise falls with the root of the rows.

    Examples
    --------
    >>> round(rows_factor(difference=0.01, power=0.8, half=0.02, confidence=0.95), 2)
    8.17
    """
    from scipy.optimize import brentq  # slow to import

    wanted = check_level(power, "power")

    def missing(log_factor: float) -> float:
        scaled = half / math.exp(log_factor / 2)
        found = power_from_interval(
            difference=difference,
            half=scaled,
            confidence=confidence,
            df=df,
            alternative=alternative,
        )
        return found - wanted

    return math.exp(brentq(missing, -12.0, 18.0))

"""P-values of the normal and of Student's distribution, for statistics that favour A when > 0."""

from __future__ import annotations

from scipy import special

from bakeoff.stats.core.result import Alternative


def normal_pvalue(z: float, alternative: Alternative) -> float:
    """Return the p-value of a standard normal statistic, accurate in the far tails."""
    if alternative == "greater":
        return float(special.ndtr(-z))
    if alternative == "less":
        return float(special.ndtr(z))
    return min(2 * float(special.ndtr(-abs(z))), 1.0)  # NaN stays NaN


def t_pvalue(t: float, df: float, alternative: Alternative) -> float:
    """Return the p-value of a Student t statistic, accurate in the far tails."""
    if alternative == "greater":
        return float(special.stdtr(df, -t))
    if alternative == "less":
        return float(special.stdtr(df, t))
    return min(2 * float(special.stdtr(df, -abs(t))), 1.0)

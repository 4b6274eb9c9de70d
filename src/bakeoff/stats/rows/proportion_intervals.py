"""Confidence intervals for one proportion: an accuracy or an error rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from scipy import special

from bakeoff.stats.core import binomial
from bakeoff.stats.core.arguments import Count, Level, PositiveInt, checked
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative, ConfidenceInterval

__all__ = ["proportion_ci"]

ProportionMethod = Literal[
    "wilson", "wilson_cc", "clopper_pearson", "agresti_coull", "jeffreys", "wald"
]


@checked
def proportion_ci(
    count: Count,
    n: PositiveInt,
    *,
    method: ProportionMethod = "wilson",
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
    clip: bool = True,
) -> ConfidenceInterval:
    """Confidence interval for a proportion: an accuracy or an error rate.

    Parameters
    ----------
    count, n : int
        Right (or wrong) rows, and all rows.
    method : str
        ``"wilson"`` (default): inverts the score test. ``"wilson_cc"``: with continuity
        correction (Newcombe 1998, method 4). ``"clopper_pearson"``: exact, never below its
        level, wide. ``"agresti_coull"``: Wald around (x + z²/2)/(n + z²). ``"jeffreys"``: equal
        tails of Beta(x + ½, n − x + ½), moved to 0 or 1 at x = 0 or n (Brown et al. 2001).
        ``"wald"``: p̂ ± z √(p̂(1 − p̂)/n), far too short near 0 and 1.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives [low, 1], ``"less"`` gives [0, high].
    clip : bool
        False keeps the limits of Wald and Agresti-Coull that lie outside [0, 1].

    Returns
    -------
    ConfidenceInterval
        The limits.

    Examples
    --------
    >>> low, high = proportion_ci(13, 100)
    >>> round(low, 4), round(high, 4)
    (0.0776, 0.2098)
    """
    check_counts(count, n, "count")
    tail = binomial.tail_probability(confidence_level, alternative)
    low, high = map(float, METHODS[method](count, n, tail))
    if clip:
        low, high = max(low, 0.0), min(high, 1.0)
    low, high = (0.0 if alternative == "less" else low), (1.0 if alternative == "greater" else high)
    return ConfidenceInterval(low, high, confidence_level, method)


def check_counts(count: int, n: int, name: str) -> None:
    """Check that `count` of `n` rows is possible."""
    if count > n:
        raise ArgumentError(name, f"found {count}, more than n = {n}")


def _wilson_cc(x: int, n: int, tail: float) -> tuple[float, float]:
    return _wilson_cc_lower(x, n, tail), 1 - _wilson_cc_lower(n - x, n, tail)


def _wilson_cc_lower(x: int, n: int, tail: float) -> float:
    if x == 0:
        return 0.0
    z = -float(special.ndtri(tail))
    centre = x - 0.5 + z**2 / 2
    half = z * math.sqrt(z**2 / 4 + (x - 0.5) * (1 - (x - 0.5) / n))
    return max((centre - half) / (n + z**2), 0.0)


def _agresti_coull(x: int, n: int, tail: float) -> tuple[float, float]:
    z = -float(special.ndtri(tail))
    size = n + z**2
    return _around((x + z**2 / 2) / size, size, z)


def _jeffreys(x: int, n: int, tail: float) -> tuple[float, float]:
    low = float(special.betaincinv(x + 0.5, n - x + 0.5, tail)) if x > 0 else 0.0
    high = float(special.betainccinv(x + 0.5, n - x + 0.5, tail)) if x < n else 1.0
    return low, high


def _wald(x: int, n: int, tail: float) -> tuple[float, float]:
    return _around(x / n, n, -float(special.ndtri(tail)))


def _around(centre: float, n: float, z: float) -> tuple[float, float]:
    half = z * math.sqrt(centre * (1 - centre) / n)
    return centre - half, centre + half


METHODS: dict[str, Callable[[int, int, float], tuple[Any, Any]]] = {
    "wilson": binomial.wilson,
    "wilson_cc": _wilson_cc,
    "clopper_pearson": binomial.clopper_pearson,
    "agresti_coull": _agresti_coull,
    "jeffreys": _jeffreys,
    "wald": _wald,
}

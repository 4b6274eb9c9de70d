"""Intervals of areas (AUC, average precision): on the logit scale, and of differences."""

from __future__ import annotations

import math

from scipy import special

from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.result import Alternative, ConfidenceInterval
from bakeoff.stats.metrics.influence import Influence
from bakeoff.stats.metrics.setting import Setting


def logit_interval(setting: Setting, found: Influence, level: float) -> ConfidenceInterval | None:
    """Return the t interval on the logit scale, or for an area of 0 or 1 its exact limit."""
    limits = _logit_limits(setting, found, tail_probability(level, "two-sided"))
    if limits is None:
        return None
    return ConfidenceInterval(*limits, level, "exact" if found.value in (0.0, 1.0) else "logit-t")


def _logit_limits(setting: Setting, found: Influence, tail: float) -> tuple[float, float] | None:
    """Return both limits of an area, each missed with the probability of the tail."""
    spread, value = found.tested, found.value
    if spread.se > found.noise and 0 < value < 1:
        return setting.metric.scale.limits(
            value, -float(special.stdtrit(spread.df, tail)) * spread.se
        )
    if setting.metric.by_pairs and value in (0.0, 1.0):
        far = exact_limit(setting, tail)
        return (far, 1.0) if value == 1 else (0.0, 1 - far)
    return None


def exact_limit(setting: Setting, tail: float) -> float:
    """Return the exact lower limit of an ROC area of 1; NaN for other areas."""
    if not setting.metric.by_pairs:
        return math.nan
    return float(tail ** (1 / min(setting.classes.counts)))


def hull(
    setting: Setting,
    a: Influence,
    b: Influence,
    difference: Influence,
    plain: ConfidenceInterval,
    side: Alternative,
) -> ConfidenceInterval:
    """Return the hull of the t interval and of that from the two logit intervals (Zou 2007)."""
    mover = mover_interval(setting, a, b, difference, plain.confidence, side)
    if mover is None:
        return plain
    low, high = mover
    return ConfidenceInterval(min(plain.low, low), max(plain.high, high), plain.confidence, "hull")


def mover_interval(
    setting: Setting,
    a: Influence,
    b: Influence,
    difference: Influence,
    level: float,
    side: Alternative,
) -> tuple[float, float] | None:
    """Join the intervals of two areas with the correlation of their influence values."""
    # d − √((θ_A − l_A)² − 2r(θ_A − l_A)(u_B − θ_B) + (u_B − θ_B)²), mirrored above (Zou 2007).
    tail = tail_probability(level, side)
    limits_a, limits_b = (_logit_limits(setting, model, tail) for model in (a, b))
    if limits_a is None or limits_b is None:
        return None
    se_a, se_b, se = a.tested.se, b.tested.se, difference.tested.se
    r = (se_a**2 + se_b**2 - se**2) / (2 * se_a * se_b) if se_a > 0 and se_b > 0 else 0.0
    d = difference.value
    below = _joined(a.value - limits_a[0], limits_b[1] - b.value, r)
    above = _joined(limits_a[1] - a.value, b.value - limits_b[0], r)
    return (
        -math.inf if side == "less" else max(d - below, -1.0),
        math.inf if side == "greater" else min(d + above, 1.0),
    )


def _joined(x: float, y: float, r: float) -> float:
    return math.sqrt(max(x**2 - 2 * r * x * y + y**2, 0.0))

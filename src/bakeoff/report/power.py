"""What difference a test would have seen, with the data at hand."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from bakeoff.compare import Comparison
from bakeoff.report.family import Family, as_float
from bakeoff.stats import Evidence

POWER = 0.8


def detectable(family: Family, row: Comparison) -> float:
    """Return the smallest true difference that a comparison finds with a power of 80%.

    The noise is that of the data at hand, the level is divided by the number of hypotheses when
    the p-values were adjusted. NaN when it cannot be told.
    """
    details = row.result.get("details", {})
    alpha = row.alpha / (row.family_size if row.correction not in ("none", "BH", "BY") else 1)
    if family.entry.evidence is Evidence.CORRECTNESS and "only_a_correct" in details:
        return _on_rows(row.n, details["only_a_correct"] + details["only_b_correct"], alpha)
    if family.entry.name == "cv5x2_f" and "variances" in details:
        return _on_halves([as_float(v) for v in details["variances"]], alpha)
    return _from_interval(row)


def _on_rows(n: int, discordant: int, alpha: float) -> float:
    from bakeoff.stats.planning import mcnemar_detectable_difference

    if n < 1 or not 0 < discordant < n:
        return math.nan
    # where even all of today's disagreement would be too little, ask what disagreement would do
    for rate in np.linspace(discordant / n, 1, 40):
        found = mcnemar_detectable_difference(
            n=n, discordance=float(rate), power=POWER, alpha=alpha, calculation="normal"
        ).difference
        if math.isfinite(found):
            return found
    return math.nan


def _on_halves(variances: list[float], alpha: float) -> float:
    from bakeoff.stats.planning_resampled import cv5x2_f_detectable_difference

    sd = math.sqrt(sum(variances) / len(variances))
    if not sd > 1e-12:
        return math.nan
    # in units of one fold's standard deviation the answer depends on the level alone
    if alpha not in _EFFECTS:
        _EFFECTS[alpha] = cv5x2_f_detectable_difference(
            power=POWER, sd=1.0, alpha=alpha, n_simulations=5000
        ).difference
    return _EFFECTS[alpha] * sd


_EFFECTS: dict[float, float] = {}


def _from_interval(row: Comparison) -> float:
    """Scale the half-width of the interval from its level to level and power together."""
    half = (row.ci_high - row.ci_low) / 2
    if not (half > 0 and math.isfinite(half)):
        return math.nan
    tail = (1 + row.confidence) / 2
    if row.df is not None and row.df > 0:
        level, power = special.stdtrit(row.df, tail), special.stdtrit(row.df, POWER)
    else:
        level, power = special.ndtri(tail), special.ndtri(POWER)
    return float(half * (level + power) / level)

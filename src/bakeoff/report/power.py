"""What difference a test would have seen, with the data at hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from bakeoff.compare import Comparison
from bakeoff.report.family import Family, as_float

POWER = 0.8
Planning = Callable[..., Any]


def detectable(family: Family, row: Comparison) -> float:
    """Return the smallest true difference that a comparison finds with a power of 80%.

    The noise is that of the data at hand, the level is divided by the number of hypotheses when
    the p-values were adjusted. NaN when it cannot be told.
    """
    details = row.result.get("details", {})
    alpha = row.alpha / (row.family_size if row.correction not in ("none", "BH", "BY") else 1)
    plan = family.entry.detectable
    if plan and "only_a_correct" in details:
        discordant = details["only_a_correct"] + details["only_b_correct"]
        return _on_rows(plan, row.n, discordant, alpha)
    if plan and "variances" in details:
        variances = [as_float(v) for v in details["variances"]]
        sd = math.sqrt(sum(variances) / len(variances))
        # in units of one fold's standard deviation the answer depends on the level alone
        return _for_unit_noise(plan, alpha) * sd if sd > 1e-12 else math.nan
    return _from_interval(row)


def _on_rows(plan: Planning, n: int, discordant: int, alpha: float) -> float:
    if n < 1 or not 0 < discordant < n:
        return math.nan
    # where even all of today's disagreement would be too little, ask what disagreement would do
    for rate in np.linspace(discordant / n, 1, 40):
        found = plan(n=n, discordance=float(rate), power=POWER, alpha=alpha).difference
        if math.isfinite(found):
            return float(found)
    return math.nan


@cache
def _for_unit_noise(plan: Planning, alpha: float) -> float:
    return float(plan(power=POWER, sd=1.0, alpha=alpha).difference)


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

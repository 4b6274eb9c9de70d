"""What difference a test would have seen, with the data at hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from bakeoff.comparisons import Comparison
from bakeoff.report.family import Family, as_float
from bakeoff.scores import Metric
from bakeoff.stats import Entry, Evidence, Power, detectable_difference

POWER = 0.8
Planning = Callable[..., Power]


def detectable(family: Family, row: Comparison) -> float:
    """Return the smallest true difference that a comparison finds with a power of 80%."""
    # The noise is that of the data at hand, the level is divided by the number of hypotheses when
    # the p-values were adjusted. NaN when it cannot be told, infinity where no difference that the
    # metric allows would be found.
    size, width = _detectable(family, row), _largest(family.entry, family.measure)
    return math.inf if size > width else size


def _largest(entry: Entry, measure: Metric) -> float:
    """Return how far two values of a metric can be apart; infinity where nothing limits it."""
    low, high = measure.range
    return math.inf if entry.unit else high - low


def _reach(row: Comparison, width: float) -> float:
    """Return how far the limit that matters is from the estimate."""
    below, above = row.estimate - row.ci_low, row.ci_high - row.estimate
    ends = {"greater": (False, True), "less": (True, False)}
    match ends.get(row.alternative, (row.ci_low <= -width, row.ci_high >= width)):
        case (False, True):
            return below
        case (True, False):
            return above
        case (True, True):
            return max(below, above)
    return (below + above) / 2


def _detectable(family: Family, row: Comparison) -> float:
    details = row.result.get("details", {})
    alpha = row.alpha / (row.family_size if row.correction not in ("none", "BH", "BY") else 1)
    planning = family.entry.planning
    if planning and "only_a_correct" in details and not family.entry.is_of_groups(row.variant):
        discordant = details["only_a_correct"] + details["only_b_correct"]
        how = {"alpha": alpha, "alternative": row.alternative}
        return _on_rows(planning, row.n, discordant, how)
    if planning and "variances" in details:
        variances = [as_float(v) for v in details["variances"]]
        sd = math.sqrt(math.fsum(variances) / len(variances))
        # in units of one fold's standard deviation the answer depends on the level alone
        return _for_unit_noise(planning, alpha) * sd if sd > 1e-12 else math.nan
    # where rows are counted, degrees of freedom are those of a χ², never of Student's t
    entry = family.entry
    of_influence = entry.evidence is Evidence.ROWS and entry.reads in ("predictions", "values")
    counted = entry.evidence.on_rows and not of_influence
    df = None if counted else row.df
    return _from_interval(row, df, _largest(family.entry, family.measure))


def _on_rows(planning: Planning, n: int, discordant: int, how: dict[str, Any]) -> float:
    if n < 1 or not 0 < discordant < n:
        return math.nan
    # where even all of today's disagreement would be too little, ask what disagreement would do
    for rate in np.linspace(discordant / n, 1, 40):
        found = planning(discordance=float(rate)).solve(n=n, power=POWER, **how).difference
        if math.isfinite(found):
            return abs(float(found))
    return math.nan


@cache
def _for_unit_noise(planning: Planning, alpha: float) -> float:
    return planning(sd=1.0).solve(n=1, power=POWER, alpha=alpha).difference


def _from_interval(row: Comparison, df: float | None, width: float) -> float:
    """Return the difference that the interval tells."""
    found = _reach(row, width)
    tail = (1 + row.confidence) / 2 if row.alternative == "two-sided" else row.confidence
    if not (found > 0 and math.isfinite(found)):
        return math.nan
    used = df if df is not None and df > 0 else None
    return detectable_difference(found, level=tail, power=POWER, df=used)

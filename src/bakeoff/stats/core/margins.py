"""What tests of equivalence share: two one-sided tests joined to one result."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bakeoff.stats.core.result import EquivalenceResult

SHOWN = {1: "not inferior", 2: "equivalent"}
"""What a small p-value shows, by the number of one-sided tests that it joins."""


def infinite(numerator: float) -> float:
    """Statistic with this numerator and standard error 0."""
    return math.copysign(math.inf, numerator) if numerator else math.nan


def conclude(
    *,
    statistics: tuple[float, float],
    pvalues: tuple[float, float],
    margin: float,
    alpha: float,
    what: str,
    details: dict[str, Any],
    sides: int = 2,
    **facts: Any,
) -> EquivalenceResult:
    """Join the two one-sided tests; NaN in either leaves the verdict undecided."""
    last = int(np.argmax(pvalues[:sides]))
    pvalue = math.nan if any(math.isnan(p) for p in pvalues) else pvalues[last]
    verdict = "undecided"
    if not math.isnan(pvalue):
        verdict = SHOWN[sides] if pvalue < alpha else "not shown"
    return EquivalenceResult(
        statistic=statistics[last],
        pvalue=pvalue,
        pvalue_lower=pvalues[0],
        pvalue_upper=pvalues[1],
        margin=margin,
        alpha=alpha,
        verdict=verdict,
        null_hypothesis=(
            f"The {what} differ by {margin:g} or more."
            if sides == 2
            else f"A is worse than B by {margin:g} or more."
        ),
        details=details | {"statistic_lower": statistics[0], "statistic_upper": statistics[1]},
        **facts,
    )

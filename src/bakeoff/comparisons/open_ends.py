"""One-sided intervals, which end where the metric does."""

from __future__ import annotations

import dataclasses
import math
from typing import TypeVar

from bakeoff.scores import Metric
from bakeoff.spec import Costs
from bakeoff.stats import Arity, ConfidenceInterval, Entry, PairwiseResult, Result

BY_COSTS = ("cost", "expected_cost")

R = TypeVar("R")


def range_of(metric: Metric, costs: Costs | None) -> tuple[float, float]:
    """Return the least and the greatest value of a metric; no cost exceeds the largest error's."""
    if metric.name in BY_COSTS and costs is not None:
        return metric.range[0], float(max(map(max, costs.matrix)))
    return metric.range


def ended(result: R, entry: Entry, limits: tuple[float, float]) -> R:
    """Let the open side of a result's intervals end at the limit of what they are about.

    Tests of rows know that a difference of accuracies is 1 at most; tests of scores are told no
    unit, and their one-sided intervals are open.

    Parameters
    ----------
    result : Result or PairwiseResult
        As the test gives it; what has no interval is returned as it is.
    entry : Entry
        The test: of a metric's value, or of a difference of two.
    limits : tuple of float
        The least and the greatest value of the metric.
    """
    if entry.unit or not isinstance(result, Result | PairwiseResult):
        return result
    least, greatest = limits
    if entry.arity is not Arity.ONE:
        least, greatest = least - greatest, greatest - least
    if isinstance(result, PairwiseResult):
        pairs = tuple(
            dataclasses.replace(pair, ci=_ended(pair.ci, result.alternative, least, greatest))
            for pair in result.pairs
        )
        return dataclasses.replace(result, pairs=pairs)
    return dataclasses.replace(result, ci=_ended(result.ci, result.alternative, least, greatest))


def _ended(
    ci: ConfidenceInterval | None, alternative: str, least: float, greatest: float
) -> ConfidenceInterval | None:
    if ci is None:
        return None
    if alternative == "greater" and math.isinf(ci.high):
        return dataclasses.replace(ci, high=max(greatest, ci.low))
    if alternative == "less" and math.isinf(ci.low):
        return dataclasses.replace(ci, low=min(least, ci.high))
    return ci

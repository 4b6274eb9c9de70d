"""What a metric, and a difference of two of its values, can be: intervals end there."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import numpy as np

from bakeoff.scores import Metric
from bakeoff.spec import Costs
from bakeoff.stats import Arity, ConfidenceInterval, Entry, PairwiseResult, Result

Range = tuple[float, float]

R = TypeVar("R")


def range_of(metric: Metric, costs: Costs | None) -> Range:
    """Return the least and the greatest value of a metric; no cost exceeds the largest error's."""
    if metric.priced and costs is not None:
        return metric.range[0], float(max(map(max, costs.matrix)))
    return metric.range


def clipped(ci: ConfidenceInterval | None, limits: Range) -> ConfidenceInterval | None:
    """Clip an interval to the range of its parameter."""
    if ci is None:
        return None
    low, high = (float(np.clip(limit, *limits)) for limit in (ci.low, ci.high))
    return dataclasses.replace(ci, low=low, high=high)


def bounded(result: R, entry: Entry, limits: Range) -> R:
    """Clip the intervals of a result to the metric's range."""
    if entry.unit or not isinstance(result, Result | PairwiseResult):
        return result
    least, greatest = limits
    if entry.arity is not Arity.ONE:
        least, greatest = least - greatest, greatest - least
    if isinstance(result, PairwiseResult):
        pairs = tuple(
            dataclasses.replace(pair, ci=clipped(pair.ci, (least, greatest)))
            for pair in result.pairs
        )
        results = tuple(bounded(one, entry, limits) for one in result.results)
        return dataclasses.replace(result, pairs=pairs, results=results)
    return dataclasses.replace(result, ci=clipped(result.ci, (least, greatest)))

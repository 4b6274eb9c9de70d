"""Metrics of what errors cost."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.scores.metrics.entry import Need, UndefinedMetric, View, metric


@metric(
    "mean cost",
    "cost",
    needs=Need.COSTS,
    greater_is_better=False,
    range=(0.0, math.inf),
    mean_of_rows=True,
)
def cost(view: View) -> float:
    """Mean cost of a row by the experiment's `costs:`."""
    return float((view.confusion * view.costs).sum() / view.confusion.sum())


@metric(
    "expected cost",
    "cost",
    needs=Need.PRIORS,
    greater_is_better=False,
    range=(0.0, math.inf),
)
def expected_cost(view: View) -> float:
    """Mean cost of a row where the classes are as frequent as the priors say."""
    present, priors = view.present, view.priors
    lacking = np.flatnonzero(~present & (priors > 0))
    if len(lacking):
        name = view.predictions.classes[lacking[0]]
        raise UndefinedMetric(f"no tested row is {name!r}, so what its errors cost has no value")
    counts = view.confusion[present]
    means = (counts * view.costs[present]).sum(axis=1) / counts.sum(axis=1)
    return float((priors[present] * means).sum())

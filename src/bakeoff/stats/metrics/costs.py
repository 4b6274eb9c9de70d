"""Metrics of what errors cost."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.registry import Evidence
from bakeoff.stats.metrics.decisions import Table, ratio
from bakeoff.stats.metrics.metric import Need
from bakeoff.stats.metrics.named import decision, row_mean
from bakeoff.stats.metrics.view import Term, View


def _cost(view: View) -> float:
    """Sum the counts of errors times their costs: more exact than the mean over rows."""
    counts = view.counts.rows
    return float((counts * view.options.costs(len(counts))).sum() / counts.sum())


@row_mean(
    "mean cost",
    "cost",
    needs=Need.COSTS,
    evidence=(Evidence.COSTED_LABELS,),
    greater_is_better=False,
    range=(0.0, math.inf),
    value=_cost,
)
def cost(view: View) -> FloatArray:
    """Mean cost of a row by the matrix of costs."""
    costs = view.options.costs(len(view.truth.classes))
    return np.asarray(costs[view.truth.codes, view.predicted])


@decision(
    "expected cost",
    "cost",
    needs=Need.PRIORS,
    classes="every",
    greater_is_better=False,
    range=(0.0, math.inf),
)
def expected_cost(table: Table) -> Term:
    """Mean cost of a row where the classes are as frequent as the priors say."""
    k = len(table.classes)
    costs, priors = table.options.costs(k), table.options.shares(k)
    return table.sum(
        ratio(
            table.spent(k, costs),
            table.true(k),
            f"no row is {table.classes[k]!r}, so what its errors cost has no value",
        )
        * float(priors[k])
        for k in np.flatnonzero(priors).tolist()
    )

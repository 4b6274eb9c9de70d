"""Metrics of predicted probabilities, and of what errors cost: means of a value for each row."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.metrics.decisions import Table, ratio
from bakeoff.stats.metrics.metric import POINTS, Carried, Need
from bakeoff.stats.metrics.named import decision, row_mean
from bakeoff.stats.metrics.view import Term, View

_loss = partial(row_mean, needs=Need.PROBABILITIES, greater_is_better=False)


@_loss(
    "log loss",
    "nats",
    range=(0.0, math.inf),
    classes="rarest",
    studied_by="brier",
    carried=Carried(
        "the loss not dominated by few rows",
        0.2,
        # see `alone_covered` in benchmarks/any_metric.csv
        "below a fifth of them few rows dominate the loss and intervals of one model may have less "
        "than their nominal coverage",
    ),
)
def log_loss(view: View) -> FloatArray:
    """Mean negative log-likelihood; probabilities are kept off 0 and 1 by one float epsilon."""
    p = view.probabilities
    own = p[np.arange(len(p)), view.truth.codes] / p.sum(axis=1)
    eps = np.finfo(np.float64).eps
    return np.asarray(-np.log(np.clip(own, eps, 1 - eps)))


def _squared_errors(view: View) -> FloatArray:
    p = view.probabilities
    if p.shape[1] == 2:
        return np.asarray((p[:, view.truth.positive] - view.is_positive) ** 2)
    right = np.arange(p.shape[1]) == view.truth.codes[:, None]
    return np.asarray(((p - right) ** 2).sum(axis=1))


@_loss("Brier score", "squared error", range=(0.0, 2.0), studied_by="brier")
def brier(view: View) -> FloatArray:
    """Mean squared error of the probabilities: of the positive class, or summed over K > 2."""
    return _squared_errors(view)


@_loss("root of the Brier score", "probability", range=(0.0, math.sqrt(2)), root=True)
def brier_root(view: View) -> FloatArray:
    """Square root of the Brier score: a typical error of the probabilities."""
    return _squared_errors(view)


def _among_the_first(view: View, k: int) -> FloatArray:
    """Return 1 where fewer than k classes are more probable than the true one, else 0."""
    p = view.probabilities
    own = p[np.arange(len(p)), view.truth.codes]
    return np.asarray((p > own[:, None]).sum(axis=1) < k, dtype=np.float64)


@row_mean("top-k accuracy", POINTS, needs=Need.PROBABILITIES, option="k")
def top_k_accuracy(view: View) -> FloatArray:
    """Share of rows whose class is one of the k most probable ones."""
    return _among_the_first(view, view.options.k)


@row_mean("top-2 accuracy", POINTS, needs=Need.PROBABILITIES)
def top_2_accuracy(view: View) -> FloatArray:
    """Share of rows whose class is one of the two most probable ones."""
    return _among_the_first(view, 2)


@row_mean("top-3 accuracy", POINTS, needs=Need.PROBABILITIES)
def top_3_accuracy(view: View) -> FloatArray:
    """Share of rows whose class is one of the three most probable ones."""
    return _among_the_first(view, 3)


@row_mean(
    "net benefit",
    "net true positives per row",
    needs=Need.PROBABILITIES,
    range=(-math.inf, 1.0),
    classes="called",
    instead="cost",
    option="threshold",
    method="vickers2006",
)
def net_benefit(view: View) -> FloatArray:
    """Share of true positives less that of false ones at the odds of the threshold.

    TP/n − FP/n · t/(1 − t) where rows with a probability of t or more are called positive
    (Vickers & Elkin 2006).
    """
    threshold = view.options.threshold
    assert threshold is not None
    worth = np.where(view.is_positive, 1.0, -threshold / (1 - threshold))
    return np.where(view.probabilities[:, view.truth.positive] >= threshold, worth, 0.0)


def _cost(view: View) -> float:
    """Sum the counts of errors times their costs: more exact than the mean over rows."""
    counts = view.counts.rows
    return float((counts * view.options.costs(len(counts))).sum() / counts.sum())


@row_mean(
    "mean cost",
    "cost",
    needs=Need.COSTS,
    reads="classes",
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

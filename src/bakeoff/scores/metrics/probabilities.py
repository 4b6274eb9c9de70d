"""Metrics of predicted probabilities."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from bakeoff.scores.metrics.entry import POINTS, Need, View, metric


@metric(
    "log loss",
    "nats",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    range=(0.0, math.inf),
    mean_of_rows=True,
)
def log_loss(view: View) -> float:
    """Mean negative log-likelihood; probabilities are kept off 0 and 1 by one float epsilon."""
    p = view.probabilities
    p = p / p.sum(axis=1, keepdims=True)
    eps = np.finfo(np.float64).eps
    own = np.clip(p[np.arange(len(p)), view.predictions.y_true], eps, 1 - eps)
    return float(-special.boxcox(own, 0.0).mean())


@metric(
    "Brier score",
    "squared error",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    range=(0.0, 2.0),
    mean_of_rows=True,
)
def brier(view: View) -> float:
    """Mean squared error of the probabilities: of the positive class, or summed over K > 2."""
    p = view.probabilities
    if p.shape[1] == 2:
        return float(np.mean((p[:, 1] - view.positive) ** 2))
    truth = np.eye(p.shape[1])[view.predictions.y_true]
    return float(np.mean(((p - truth) ** 2).sum(axis=1)))


@metric(
    "root of the Brier score",
    "probability",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    range=(0.0, math.sqrt(2)),
)
def brier_root(view: View) -> float:
    """Square root of the Brier score: a typical error of the probabilities."""
    return math.sqrt(brier(view))


def _among_the_first(view: View, k: int) -> float:
    """Share of rows whose true class has fewer than k classes above it."""
    p = view.probabilities
    own = p[np.arange(len(p)), view.predictions.y_true]
    return float(((p > own[:, None]).sum(axis=1) < k).mean())


@metric("top-2 accuracy", POINTS, needs=Need.PROBABILITIES, mean_of_rows=True)
def top_2_accuracy(view: View) -> float:
    """Share of rows whose class is one of the two most probable ones."""
    return _among_the_first(view, 2)


@metric("top-3 accuracy", POINTS, needs=Need.PROBABILITIES, mean_of_rows=True)
def top_3_accuracy(view: View) -> float:
    """Share of rows whose class is one of the three most probable ones."""
    return _among_the_first(view, 3)

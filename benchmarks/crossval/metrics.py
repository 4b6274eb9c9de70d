"""Score class scores, or predicted numbers, on the test rows of each split."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.crossval.data import Array

Metric = Callable[[Array, Array, Array], Array]


def right(scores: Array, y: Array) -> Array:
    """Say which rows each fit classifies rightly, shape (splits, n)."""
    found: Array = np.argmax(scores, axis=2) == y
    return found


def accuracy(scores: Array, y: Array, test: Array) -> Array:
    """Share of test rows that are right."""
    found: Array = (right(scores, y) & test).sum(axis=1) / test.sum(axis=1)
    return found


def brier(scores: Array, y: Array, test: Array) -> Array:
    """Minus the mean squared distance of the probability of class 1 from the class."""
    loss = (scores[:, :, 1] - y) ** 2
    found: Array = -(loss * test).sum(axis=1) / test.sum(axis=1)
    return found


def auc(scores: Array, y: Array, test: Array) -> Array:
    """Area under the ROC curve of two classes."""
    margin = scores[:, :, 1] - scores[:, :, 0]
    found = np.empty(len(test))
    for i, rows in enumerate(test):
        positive = y[rows] == 1
        ones, zeros = margin[i, rows][positive], np.sort(margin[i, rows][~positive])
        below, upto = (np.searchsorted(zeros, ones, side=side).sum() for side in ("left", "right"))
        found[i] = (below + upto) / (2 * len(ones) * len(zeros))
    return found


def mse(fitted: Array, y: Array, test: Array) -> Array:
    """Mean squared error."""
    found: Array = ((fitted - y) ** 2 * test).sum(axis=1) / test.sum(axis=1)
    return found


def rmse(fitted: Array, y: Array, test: Array) -> Array:
    """Root mean squared error."""
    return np.sqrt(mse(fitted, y, test))


def mae(fitted: Array, y: Array, test: Array) -> Array:
    """Mean absolute error."""
    found: Array = (np.abs(fitted - y) * test).sum(axis=1) / test.sum(axis=1)
    return found


def r2(fitted: Array, y: Array, test: Array) -> Array:
    """Coefficient of determination, of the variance of the test rows."""
    n = test.sum(axis=1)
    variance = test @ y**2 / n - (test @ y / n) ** 2
    found: Array = 1 - mse(fitted, y, test) / variance
    return found


OF_NUMBERS: dict[str, Metric] = {"mse": mse, "rmse": rmse, "r2": r2, "mae": mae}
METRICS: dict[str, Metric] = {"accuracy": accuracy, "brier": brier, "auc": auc, **OF_NUMBERS}

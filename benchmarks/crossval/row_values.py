"""Scores of folds as means of a value per tested row: of every metric, all folds at once.

ψ of a row is the loss itself, negated, or the score of its fold plus the row's influence on it, so
the mean of ψ over the rows of a fold is its score. Greater is better. All arrays have the shape
(splits, n), and 0 outside the test sets.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from benchmarks.harness import Array

DECISIONS = ("accuracy", "balanced_accuracy", "f1")
OF_CLASSES = (*DECISIONS, "roc_auc", "log_loss", "brier")
OF_NUMBERS = ("rmse", "mae", "r2")
FEW = 5
"""A class that is predicted for fewer rows of the pooled table is hardly predicted."""
FLAT = 0.15
"""Probabilities that spread less than this within folds hardly tell rows apart."""


@dataclasses.dataclass(frozen=True)
class RowValues:
    """ψ of one model by each metric, and what cautions look at.

    `predicted` are the predicted classes, for the pooled table of the metrics of decisions.
    """

    psi: dict[str, Array]
    predicted: Array | None = None
    few_predicted: bool = False
    flat: bool = False
    zero: bool = False  # some tested row has a probability of 0 for a class
    zero_met: bool = False  # and for its own


def of_classes(p: Array, y: Array, test: Array) -> RowValues:
    """Return ψ of probabilities p (splits, n, classes); F1 and AUC are macro means of 3 classes."""
    k = p.shape[2]
    predicted = np.argmax(p, axis=2)
    right = predicted == y
    truth = np.eye(k, dtype=bool)[y].T[:, None] & test  # (classes, splits, n)
    said = (predicted == np.arange(k)[:, None, None]) & test
    of_truth = np.take_along_axis(p, y[None, :, None], axis=2)[:, :, 0]
    eps = np.finfo(float).eps
    squares = ((p - np.eye(k)[y]) ** 2).sum(axis=2) / (2 if k == 2 else 1)
    psi = {
        "accuracy": right * 1.0,
        "balanced_accuracy": _balanced(truth, right, test),
        "f1": _f1(truth, said, test),
        "roc_auc": _auc(p, truth, test),
        "log_loss": np.log(np.clip(of_truth, eps, 1 - eps)),
        "brier": -squares,
    }
    tests = test.sum(axis=1)
    mean = (p * test[:, :, None]).sum(axis=1) / tests[:, None]
    spread = ((p - mean[:, None]) ** 2 * test[:, :, None]).sum(axis=1) / tests[:, None]
    weights = len(y) / (len(test) * tests)
    return RowValues(
        {metric: np.where(test, values, 0.0) for metric, values in psi.items()},
        predicted,
        few_predicted=bool(((said.sum(axis=2) @ weights) < FEW).any()),
        flat=bool(np.sqrt(spread.mean()) < FLAT),
        zero=bool((p[test] == 0).any()),
        zero_met=bool((of_truth[test] == 0).any()),
    )


def of_numbers(fitted: Array, y: Array, test: Array) -> RowValues:
    """Return ψ of predicted numbers (splits, n)."""
    tests = test.sum(axis=1, keepdims=True)
    error = np.where(test, fitted - y, 0.0)
    mse = (error**2).sum(axis=1, keepdims=True) / tests
    centre = (test * y).sum(axis=1, keepdims=True) / tests
    square = np.where(test, (y - centre) ** 2, 0.0)
    variance = square.sum(axis=1, keepdims=True) / tests
    unexplained = mse / variance
    psi = {
        "rmse": -(np.sqrt(mse) + (error**2 - mse) / (2 * np.sqrt(mse))),
        "mae": -np.abs(error),
        "r2": 1 - unexplained - (error**2 - unexplained * square) / variance,
    }
    return RowValues({metric: np.where(test, values, 0.0) for metric, values in psi.items()})


def _balanced(truth: Array, right: Array, test: Array) -> Array:
    """Return the mean recall of the classes of each fold, with influence values."""
    tests, sizes = test.sum(axis=1), truth.sum(axis=2)
    recall = (truth & right).sum(axis=2) / np.maximum(sizes, 1)
    share = np.maximum(sizes, 1) / tests
    influence = truth * (right - recall[:, :, None]) / share[:, :, None]
    classes = (sizes > 0).sum(axis=0)
    found: Array = (recall.sum(axis=0)[:, None] + influence.sum(axis=0)) / classes[:, None]
    return found


def _f1(truth: Array, said: Array, test: Array) -> Array:
    """Return F1 of class 1 of two, or its mean over classes, with influence values; 0/0 is 0."""
    tests = test.sum(axis=1)
    classes = [1] if len(truth) == 2 else range(len(truth))
    parts = []
    for at in classes:
        above, below = 2 * (truth[at] & said[at]), truth[at] * 1 + said[at]
        total = below.sum(axis=1)
        value = above.sum(axis=1) / np.maximum(total, 1)
        influence = (above - value[:, None] * below) * (tests / np.maximum(total, 1))[:, None]
        parts.append(value[:, None] + influence)
    return np.mean(parts, axis=0)


def _auc(p: Array, truth: Array, test: Array) -> Array:
    """Return the area of class 1 of two, or the mean of one against the rest; NaN of one class."""
    classes = [1] if len(truth) == 2 else range(len(truth))
    found = np.full((len(classes), *test.shape), np.nan)
    for place, at in enumerate(classes):
        for i, rows in enumerate(test):
            positive = truth[at, i, rows]
            m, n = positive.sum(), len(positive)
            if not 0 < m < n:
                continue
            score = p[i, rows, at]
            ones, zeros = np.sort(score[positive]), np.sort(score[~positive])
            above = _share_below(zeros, score[positive])
            under = 1 - _share_below(ones, score[~positive])
            area = above.mean()
            psi = np.empty(n)
            psi[positive] = area + (above - area) * n / m
            psi[~positive] = area + (under - area) * n / (n - m)
            found[place, i, rows] = psi
    area_of_all: Array = found.mean(axis=0)
    return area_of_all


def _share_below(among: Array, score: Array) -> Array:
    """Return the share that lies below each score, ties half."""
    both = np.searchsorted(among, score, side="left") + np.searchsorted(among, score, side="right")
    found: Array = both / (2 * len(among))
    return found

"""Metrics of how well rows are ranked: areas under curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.metrics.entry import Need, UndefinedMetric, View, metric


def _auc(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Mann–Whitney form: negatives below each positive, ties count one half."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        raise UndefinedMetric("the tested rows are all of one class")
    negatives, positives = np.sort(score[~positive]), np.sort(score[positive])
    below, up_to = (np.searchsorted(negatives, positives, side) for side in ("left", "right"))
    return float((below.sum() + up_to.sum()) / 2 / (n_positive * n_negative))


@metric("ROC AUC", "area", needs=Need.RANKING, binary=True, instead="roc_auc_ovr or roc_auc_ovo")
def roc_auc(view: View) -> float:
    """Area under the ROC curve of the positive class."""
    return _auc(view.positive_score, view.positive)


@metric("ROC AUC, one vs rest", "area", needs=Need.PROBABILITIES)
def roc_auc_ovr(view: View) -> float:
    """Mean over classes of the area for one class against the rest."""
    p, y = view.probabilities, view.predictions.y_true
    return float(np.mean([_auc(p[:, k], y == k) for k in range(p.shape[1])]))


@metric("ROC AUC, one vs one", "area", needs=Need.PROBABILITIES)
def roc_auc_ovo(view: View) -> float:
    """Mean over pairs of classes of the area between the two (Hand & Till 2001)."""
    p, y = view.probabilities, view.predictions.y_true
    areas = []
    for i in range(p.shape[1]):
        for j in range(i):
            rows = (y == i) | (y == j)
            areas += [_auc(p[rows, i], y[rows] == i), _auc(p[rows, j], y[rows] == j)]
    return float(np.mean(areas))


@metric(
    "average precision", "area", needs=Need.RANKING, binary=True, instead="average_precision_macro"
)
def average_precision(view: View) -> float:
    """Area under the precision–recall curve as a step function."""
    return _average_precision(view.positive_score, view.positive)


@metric("macro average precision", "area", needs=Need.PROBABILITIES)
def average_precision_macro(view: View) -> float:
    """Mean over classes of the average precision for one class against the rest."""
    p, y = view.probabilities, view.predictions.y_true
    return float(np.mean([_average_precision(p[:, k], y == k) for k in range(p.shape[1])]))


def _average_precision(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    if not positive.any():
        raise UndefinedMetric("no row is positive")
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(positive[order])
    last_of_tie = np.append(np.diff(score[order]) != 0, True)
    hits, ranks = hits[last_of_tie], np.flatnonzero(last_of_tie) + 1
    return float(np.sum(np.diff(hits, prepend=0) / hits[-1] * hits / ranks))

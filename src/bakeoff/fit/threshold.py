"""The threshold of a two-class prediction, chosen on training rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bakeoff.fit.weights import Weights

Scores = NDArray[np.float64]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def positive_scores(estimator: Any, X: Any) -> Scores:
    """Return what the threshold is set on: probabilities of class 1, or decision values."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1]
    return np.asarray(estimator.decision_function(X), dtype=np.float64).ravel()


def out_of_fold(
    estimator: Any, X: Any, y: NDArray[np.intp], folds: Sequence[Fold], weights: Any
) -> Scores:
    """Predict every training row by a fit that did not see it.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with all its parameters set.
    X, y : DataFrame, ndarray
        The training part.
    folds : sequence of (ndarray, ndarray)
        Inner training and test rows.
    weights : Callable
        From row positions to the keyword arguments of fit.
    """
    scores = np.full(len(y), np.nan)
    for inner, left_out in folds:
        fitted = clone(estimator).fit(X.iloc[inner], y[inner], **weights(inner))
        scores[left_out] = positive_scores(fitted, X.iloc[left_out])
    return scores


def best_threshold(
    y: NDArray[np.intp],
    scores: Scores,
    criterion: str,
    default: float,
    weights: Weights | None = None,
    costs: NDArray[np.float64] | None = None,
) -> float:
    """Return the threshold from which on class 1 is predicted that makes a criterion best.

    Candidates are the middles between neighbouring scores, and below and above all of them;
    of equally good ones, the nearest to the default wins.

    Parameters
    ----------
    y : ndarray of 0 and 1
        True classes.
    scores : ndarray
        Probabilities or decision values of class 1.
    criterion : {"f1", "youden", "balanced_accuracy", "cost"}
        What to make best.
    default : float
        The estimator's own threshold.
    weights : ndarray, optional
        Of the rows.
    costs : ndarray, shape (2, 2), for "cost"
        True × predicted class.

    Examples
    --------
    >>> y, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.9])
    >>> best_threshold(y, scores, "f1", default=0.5)
    0.25
    """
    w = np.ones(len(y)) if weights is None else weights
    distinct, at = np.unique(scores, return_inverse=True)
    edges = [np.nextafter(distinct[-1], np.inf)]
    candidates = np.concatenate([distinct[:1], (distinct[1:] + distinct[:-1]) / 2, edges])
    # weight of each class below each candidate: those rows are predicted negative
    below = [
        np.append(0.0, np.cumsum(np.bincount(at, w * (y == c), len(distinct)))) for c in (0, 1)
    ]
    tn, fn = below
    fp, tp = tn[-1] - tn, fn[-1] - fn
    if criterion == "f1":
        gain = 2 * tp / np.maximum(2 * tp + fp + fn, np.finfo(np.float64).tiny)
    elif criterion == "cost":
        assert costs is not None
        gain = -(costs[0, 0] * tn + costs[0, 1] * fp + costs[1, 0] * fn + costs[1, 1] * tp)
    else:  # balanced accuracy is (J + 1) / 2: both have their maximum in the same place
        gain = tp / fn[-1] + tn / tn[-1]
    best = candidates[np.isclose(gain, gain.max(), rtol=1e-12, atol=1e-12)]
    return float(best[np.abs(best - default).argmin()])

"""The threshold of a two-class prediction, chosen on training rows alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bakeoff.fit.weights import Weights
from bakeoff.spec.training_choices import Criterion

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
    """Predict every training row by a fit that did not see it."""
    scores = np.full(len(y), np.nan)
    for inner, left_out in folds:
        fitted = clone(estimator).fit(X.iloc[inner], y[inner], **weights(inner))
        scores[left_out] = positive_scores(fitted, X.iloc[left_out])
    return scores


def best_threshold(
    y: NDArray[np.intp],
    scores: Scores,
    criterion: Criterion,
    default: float,
    weights: Weights | None = None,
    costs: NDArray[np.float64] | None = None,
) -> float:
    """Return the threshold from which on class 1 is predicted that makes a criterion best."""
    w = np.ones(len(y)) if weights is None else weights
    distinct, at = np.unique(scores, return_inverse=True)
    edges = [np.nextafter(distinct[-1], np.inf)]
    candidates = np.concatenate([distinct[:1], (distinct[1:] + distinct[:-1]) / 2, edges])
    # weight of each class below each candidate: those rows are predicted negative
    below = [
        np.append(0.0, np.cumsum(np.bincount(at, w * (y == c), len(distinct)))) for c in (0, 1)
    ]
    tn, fn = below
    gain = _GAINS[criterion](tn, tn[-1] - tn, fn, fn[-1] - fn, costs)
    best = candidates[np.isclose(gain, gain.max(), rtol=1e-12, atol=1e-12)]
    return float(best[np.abs(best - default).argmin()])


def _ratio(above: Scores, below: Scores) -> Scores:
    """Divide; 0 where there is nothing to divide by, as scikit-learn has it."""
    ratio: Scores = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
    return ratio


def _cost(tn: Scores, fp: Scores, fn: Scores, tp: Scores, costs: Any) -> Scores:
    total: Scores = costs[0, 0] * tn + costs[0, 1] * fp + costs[1, 0] * fn + costs[1, 1] * tp
    return -total


def _mcc(tn: Scores, fp: Scores, fn: Scores, tp: Scores, _: Any) -> Scores:
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def _kappa(tn: Scores, fp: Scores, fn: Scores, tp: Scores, _: Any) -> Scores:
    return _ratio(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def _youden(tn: Scores, fp: Scores, fn: Scores, tp: Scores, _: Any) -> Scores:
    recalls: Scores = tp / fn[-1] + tn / tn[-1]
    return recalls


# what each criterion makes of the weights of true negatives, false positives, false negatives and
# true positives, one of each for every candidate
_GAINS: dict[Criterion, Callable[[Scores, Scores, Scores, Scores, Any], Scores]] = {
    "accuracy": lambda tn, fp, fn, tp, _: tn + tp,
    "balanced_accuracy": _youden,  # (J + 1) / 2: both have their maximum in the same place
    "cost": _cost,
    "f1": lambda tn, fp, fn, tp, _: _ratio(2 * tp, 2 * tp + fp + fn),
    "jaccard": lambda tn, fp, fn, tp, _: _ratio(tp, tp + fp + fn),
    "kappa": _kappa,
    "mcc": _mcc,
    "youden": _youden,
}

"""What the class shares of the training rows do to decisions by probabilities.

Stratified training sets all have the class shares of the sample, and models follow these: with a
larger share of a class its log odds are larger in every row. The probabilities show how many
decisions another sample would change in that way, which no difference between folds can show.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.metrics.metric import Codes

_ROUNDING = 1e-6
"""By how much the largest probability may exceed that of the predicted class."""
_STEPS = -2, -1, 1, 2
"""The standard errors by which log odds are shifted."""


def are_most_probable(probabilities: FloatArray, predicted: Codes) -> bool:
    """Say whether the predicted classes are those with the largest probabilities."""
    of_predicted = probabilities[np.arange(len(predicted)), predicted]
    return bool((of_predicted >= probabilities.max(axis=1) - _ROUNDING).all())


def with_log_odds_shifted(
    probabilities: FloatArray, predicted: Codes, code: int, shift: float
) -> Codes:
    """Return the predicted classes once the log odds of one class are shifted in every row."""
    # The odds of this class against each other one are multiplied by e^shift; among the others
    # nothing changes.
    weight = np.exp(shift) * probabilities[:, code]
    moved = predicted.copy()
    if shift > 0:
        moved[weight > probabilities[np.arange(len(predicted)), predicted]] = code
        return moved
    rows = np.flatnonzero(predicted == code)
    others = probabilities[rows]
    others[:, code] = -1.0
    second = others.argmax(axis=1)
    loses = others[np.arange(len(rows)), second] > weight[rows]
    moved[rows[loses]] = second[loses]
    return moved


def changes_by_shares(
    errors: FloatArray,
    probabilities: FloatArray,
    predicted: Codes,
    score: Callable[[Codes], float],
) -> FloatArray:
    """Return by how much a score changes per standard error of a class's log odds, (K, steps).

    Parameters are the standard errors of the classes (0 where there is none), what is predicted in
    each test, and the score as a function of the predicted classes.
    """
    value = score(predicted)
    changes = np.zeros((len(errors), len(_STEPS)))
    for code in np.flatnonzero(errors).tolist():
        for place, step in enumerate(_STEPS):
            shift = step * errors[code]
            moved = with_log_odds_shifted(probabilities, predicted, code, shift)
            changes[code, place] = (score(moved) - value) / step
    return changes


def share_variance(shares: FloatArray, changes: FloatArray) -> float:
    """Return the variance from class shares of a score, or difference, that changes so."""
    # Let g_k be the derivative of the score by the log odds of class k. The delta method with the
    # covariances of logarithms of class shares, (1/p_k − 1)/n and −1/n, gives Σ g_k²/(n p_k) =
    # Σ (1 − p_k) (g_k·error_k)², as adding a constant to all log odds changes nothing. The score is
    # a step function of them: its largest change per standard error stands for g_k·error_k.
    return float((1 - shares) @ np.abs(changes).max(axis=1) ** 2)

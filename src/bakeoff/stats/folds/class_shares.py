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


_STEPS = 1, 2
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


def share_variance(
    shares: FloatArray,
    errors: FloatArray,
    probabilities: FloatArray,
    predicted: Codes,
    score: Callable[[Codes], float],
) -> float:
    """Return the variance of a score of classes from the class shares of the training rows.

    Parameters are the shares of the classes with the standard errors of their log odds, what is
    predicted in each test, and the score as a function of the predicted classes.
    """
    # Let g_k be the derivative of the score by the log odds of class k. The delta method with the
    # variances and covariances of class shares, p_k (1 − p_k)/n and −p_j p_k/n, gives
    # Σ g_k²/(n p_k) = Σ (1 − p_k) (g_k·error_k)², as adding a constant to all log odds changes
    # nothing. The score is a step function of them: the largest change per standard error, by one
    # or two to either side, stands for g_k·error_k.
    value = score(predicted)
    variance = 0.0
    for code in np.flatnonzero((shares > 0) & (shares < 1)).tolist():
        steepest = 0.0
        for step in _STEPS:
            for sign in (-1, 1):
                shift = sign * step * errors[code]
                moved = with_log_odds_shifted(probabilities, predicted, code, shift)
                steepest = max(steepest, abs(score(moved) - value) / step)
        variance += (1 - shares[code]) * steepest**2
    return variance

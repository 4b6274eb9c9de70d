"""Scores of a constant prediction: the baseline that a model has to beat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.fit.predictions import Predictions
from bakeoff.scores.metrics import Metric, Need, score
from bakeoff.spec import Costs

_NOISE = 1e-10


class Constant(NamedTuple):
    """The same answer for every row."""

    answer: int
    score: float


def constant_number(metric: Metric, answer: float, truth: NDArray[np.float64]) -> float:
    """Score a number that is predicted for every row, as ``DummyRegressor`` does."""
    if not metric.computed or metric.takes:
        return math.nan
    n = len(truth)
    made = Predictions(np.arange(n), truth, np.full(n, answer), (), None, None, {})
    return score(metric, made)[0]


def constant_answer(
    metric: Metric,
    classes: Sequence[str],
    train: ArrayLike,
    test: ArrayLike,
    costs: Costs | None = None,
) -> Constant | None:
    """Score the constant answer that is the best by a metric on the training rows."""
    # It is one class with the shares of all classes as probabilities, as scikit-learn's
    # ``DummyClassifier(strategy="prior")`` answers: of two classes the one that the metric prefers,
    # of more the most frequent one, and by a metric of costs the one that would be the cheapest.
    if not metric.computed or metric.takes:
        return None
    seen, tested = np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)
    shares = seen / seen.sum()

    def scored(answer: int, counts: NDArray[np.int64]) -> float:
        n = int(counts.sum())
        made = Predictions(
            np.arange(n),
            np.repeat(np.arange(len(seen)), counts),
            np.full(n, answer),
            tuple(classes),
            np.broadcast_to(shares, (n, len(shares))),
            None,
            {},
        )
        return score(metric, made, costs)[0]

    answer = int(np.argmax(shares))
    if metric.priced and costs is not None:
        wanted = shares if costs.priors is None else costs.shares(tuple(classes))
        answer = int(np.argmin((wanted[:, None] * costs.of(tuple(classes))).sum(axis=0)))
    elif metric.needs is Need.LABELS and len(seen) == 2:
        sign = 1 if metric.greater_is_better else -1
        values = (sign * scored(one, seen) for one in (answer, 1 - answer))
        frequent, rare = (-math.inf if math.isnan(value) else value for value in values)
        answer = 1 - answer if rare > frequent + _NOISE else answer
    return Constant(answer, scored(answer, tested))

"""Scores of a constant prediction: the baseline that a model has to beat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.fit.predictions import Predictions
from bakeoff.scores.metrics import Metric, score
from bakeoff.spec import Costs


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
    """Score the constant answer that training rows suggest."""
    # It is the most frequent class of the training rows, with the shares of their classes as
    # probabilities, as scikit-learn's ``DummyClassifier(strategy="prior")`` answers; by a metric of
    # costs it is the class that would have been the cheapest on the training rows.
    if not metric.computed or metric.takes:
        return None
    seen, tested = np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)
    shares = seen / seen.sum()
    answer = int(np.argmax(shares))
    if metric.priced and costs is not None:
        wanted = shares if costs.priors is None else costs.shares(tuple(classes))
        answer = int(np.argmin((wanted[:, None] * costs.of(tuple(classes))).sum(axis=0)))
    n = int(tested.sum())
    made = Predictions(
        np.arange(n),
        np.repeat(np.arange(len(seen)), tested),
        np.full(n, answer),
        tuple(classes),
        np.broadcast_to(shares, (n, len(shares))),
        None,
        {},
    )
    return Constant(answer, score(metric, made, costs)[0])

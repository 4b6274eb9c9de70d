"""Fast classifiers and the rows they learn from; their expected accuracies are known."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from benchmarks.type1.trials import Array

ROWS, OWN, COMMON = 200, 4, 2


FitPredict = Callable[[Array, Array, Array, np.random.Generator], Array]


def draw_data(rng: np.random.Generator, models: int) -> tuple[Array, Array]:
    """Draw 200 rows of two classes; features are exchangeable, some common to all models.

    Algorithm m sees the common features and block m of its own. All blocks have one
    distribution, so the algorithms have exactly one expected accuracy at every training size.
    """
    y = np.repeat([0, 1], ROWS // 2)
    x = rng.normal(size=(ROWS, COMMON + OWN * models)) + 0.35 * (2 * y[:, None] - 1)
    return x, y


def view(x: Array, model: int) -> Array:
    """Return the features that an algorithm sees."""
    start = COMMON + OWN * model
    return np.hstack((x[:, :COMMON], x[:, start : start + OWN]))


def nearest_centroid(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Fit on each training set (a row of `train`) and say which rows are classified rightly."""
    weights = np.ones((len(train), x.shape[1]))
    return _centroids(x, y, train, weights)


def random_subspace(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Nearest centroid on three features that every fit draws anew."""
    weights = np.argsort(rng.random((len(train), x.shape[1])), axis=1) < 3
    return _centroids(x, y, train, weights.astype(float))


def linear_discriminant(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Fit Fisher's linear discriminant: the pooled covariance is estimated on every split."""
    weights = train.astype(float)
    means = []
    scatter = np.einsum("sn,ni,nj->sij", weights, x, x)
    for label in (0, 1):
        members = weights * (y == label)
        size = members.sum(axis=1, keepdims=True)
        mean = members @ x / size
        scatter -= size[:, :, None] * mean[:, :, None] * mean[:, None, :]
        means.append(mean)
    direction = np.linalg.solve(scatter, (means[1] - means[0])[:, :, None])[:, :, 0]
    middle = (direction * (means[0] + means[1]) / 2).sum(axis=1)
    right: Array = (direction @ x.T > middle[:, None]) == (y == 1)
    return right


def nearest_neighbour(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Give each row the class of its nearest neighbour in the training set."""
    square = (x**2).sum(axis=1)
    distance = square[:, None] + square - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1)
    first = np.argmax(train[:, order], axis=2)
    nearest = order[np.arange(len(x))[None, :], first]
    right: Array = y[nearest] == y
    return right


def _centroids(x: Array, y: Array, train: Array, weights: Array) -> Array:
    means = []
    for label in (0, 1):
        members = (train & (y == label)).astype(float)
        means.append(members @ x / members.sum(axis=1, keepdims=True))
    direction = (means[1] - means[0]) * weights
    middle = (direction * (means[0] + means[1]) / 2).sum(axis=1)
    right: Array = (direction @ x.T > middle[:, None]) == (y == 1)
    return right


@functools.cache
def true_accuracy(rows: int) -> float:
    """Return nearest centroid's expected accuracy on `rows` training rows, from 20,000 fits."""
    rng = np.random.default_rng(12345)
    n, p = rows // 2, COMMON + OWN
    means = rng.normal(size=(2, 20_000, p)) / math.sqrt(n) + 0.35 * np.array([-1, 1])[:, None, None]
    direction = means[1] - means[0]
    middle = (direction * (means[0] + means[1]) / 2).sum(axis=1)
    length = np.linalg.norm(direction, axis=1)
    signal = 0.35 * direction.sum(axis=1)
    return float((ndtr((signal - middle) / length) + ndtr((signal + middle) / length)).mean() / 2)


NEIGHBOUR_ACCURACY = {180: 0.7008, 160: 0.6996}
"""The nearest neighbour's by training rows, from 3,000 training sets: standard error .0005."""

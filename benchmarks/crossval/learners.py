"""Fit a learner on many training sets of one data set at once.

Refitting scikit-learn's estimators one by one would take days, so the quick ones that have a closed
form or a short iteration are written over all splits together; tests/unit/benchmarks hold them to
scikit-learn's predictions. The others are scikit-learn's own.

A learner takes features (n, p), classes (n,), training and test sets (splits, n) and a generator,
and returns one score for each class, shape (splits, n, classes); the largest is the prediction. One
of numbers takes numbers (n,) in place of classes and returns those predicted, (splits, n). A
learner that predicts row by row leaves the rows outside the test sets at 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special
from sklearn import config_context
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.harness import Array

Rng = np.random.Generator
Learner = Callable[[Array, Array, Array, Array, Rng], Array]


def nearest_centroid(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Nearest class mean, as `NearestCentroid`."""
    return _centroids(x, y, train, np.ones((len(train), x.shape[1])))


def random_subspace(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Nearest centroid on three features that every fit draws anew."""
    used = np.argsort(rng.random((len(train), x.shape[1])), axis=1) < 3
    return _centroids(x, y, train, used.astype(float))


def selection(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Nearest centroid on the one feature with the largest F, as `SelectKBest(k=1)` before it."""
    weights = train.astype(float)
    n = weights.sum(axis=1, keepdims=True)
    mean, square = weights @ x / n, weights @ x**2
    between = np.zeros_like(mean)
    for _, size, centre in _class_means(x, y, train):
        between += size * (centre - mean) ** 2
    within = square - n * mean**2 - between
    used = np.zeros_like(mean)
    used[np.arange(len(train)), np.argmax(between / within, axis=1)] = 1
    return _centroids(x, y, train, used)


def failing_centroid(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Nearest centroid that fails in one fit of ten: it then gives every row one class."""
    scores = nearest_centroid(x, y, train, test, rng)
    failed = rng.random(len(train)) < 0.1
    scores[failed] = np.eye(scores.shape[2])[rng.integers(scores.shape[2], size=failed.sum())][
        :, None
    ]
    return scores


def linear_discriminant(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Fisher's linear discriminant, as `LinearDiscriminantAnalysis`."""
    parts = list(_class_means(x, y, train))
    scatter = _products(x, train.astype(float))
    for _, size, mean in parts:
        scatter -= size[:, :, None] * mean[:, :, None] * mean[:, None, :]
    n = train.sum(axis=1)
    covariance = scatter / (n - len(parts))[:, None, None]
    scores = []
    for _, size, mean in parts:
        direction = np.linalg.solve(covariance, mean[:, :, None])[:, :, 0]
        constant = np.log(size[:, 0] / n) - (direction * mean).sum(axis=1) / 2
        scores.append(direction @ x.T + constant[:, None])
    return np.stack(scores, axis=2)


def quadratic_discriminant(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Discriminant with a covariance for each class, as `QuadraticDiscriminantAnalysis`."""
    n = train.sum(axis=1)
    scores = []
    for label, size, mean in _class_means(x, y, train):
        members = (train & (y == label)).astype(float)
        scatter = _products(x, members) - size[:, :, None] * mean[:, :, None] * mean[:, None, :]
        covariance = scatter / (size[:, :, None] - 1)
        centred = np.swapaxes(x - mean[:, None, :], 1, 2)
        distance = (centred * np.linalg.solve(covariance, centred)).sum(axis=1)
        constant = np.log(size[:, 0] / n) - np.linalg.slogdet(covariance)[1] / 2
        scores.append(constant[:, None] - distance / 2)
    return np.stack(scores, axis=2)


def naive_bayes(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Naive Bayes with normal features, as `GaussianNB`."""
    n = train.sum(axis=1)
    scores = []
    for label, size, mean in _class_means(x, y, train):
        variance = (train & (y == label)).astype(float) @ x**2 / size - mean**2
        precision = 1 / variance
        distance = precision @ x.T**2 - 2 * (precision * mean) @ x.T
        distance += (precision * mean**2 + np.log(variance)).sum(axis=1)[:, None]
        scores.append(np.log(size / n[:, None]) - distance / 2)
    return np.stack(scores, axis=2)


def logistic(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Logistic regression with a ridge penalty (C = 1), as `LogisticRegression`, two classes."""
    return _logistic(x, y, train, np.ones(len(train)))


def shrunken_logistic(c: float) -> Learner:
    """Logistic regression with another C, as `LogisticRegression`, any number of classes."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        newton = _logistic if y.max() == 1 else _multinomial
        return newton(x, y, train, np.full(len(train), 1 / c))

    return fit


def tuned_logistic(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Logistic regression whose C has the least log loss in 3 stratified folds of training rows."""
    newton = _logistic if y.max() == 1 else _multinomial
    # a random order of each fit's training rows within their classes, dealt to three folds
    order = np.argsort(rng.random(train.shape) + np.where(train, y, y.max() + 1), axis=1)
    fold = np.argsort(order, axis=1) % 3
    asked = train[:, None] & (fold[:, None] == np.arange(3)[:, None])
    inner = (train[:, None] & ~asked).reshape(-1, len(y))
    losses = []
    for c in TUNED_OVER:
        p = newton(x, y, inner, np.full(len(inner), 1 / c))
        of_truth = np.take_along_axis(p, y[None, :, None], axis=2)[:, :, 0]
        loss = -np.log(np.maximum(of_truth, 1e-12)).reshape(asked.shape)
        losses.append((loss * asked).sum(axis=(1, 2)))
    best = np.argmin(losses, axis=0)
    return newton(x, y, train, 1 / np.array(TUNED_OVER)[best])


TUNED_OVER = (0.01, 0.1, 1.0, 10.0)
"""The values of C that `tuned_logistic` chooses from."""


def _logistic(x: Array, y: Array, train: Array, penalty: Array) -> Array:
    z = np.column_stack((x, np.ones(len(x))))
    of_slopes = np.diag(np.r_[np.ones(x.shape[1]), 0.0])
    penalties = penalty[:, None, None] * of_slopes
    weights = np.zeros((len(train), z.shape[1]))
    for _ in range(8):  # Newton's method from 0
        p = special.expit(weights @ z.T)
        gradient = (train * (p - y)) @ z + penalty[:, None] * (weights @ of_slopes)
        hessian = _products(z, train * p * (1 - p)) + penalties
        weights -= np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
    p = special.expit(weights @ z.T)
    return np.stack((1 - p, p), axis=2)


def _multinomial(x: Array, y: Array, train: Array, penalty: Array) -> Array:
    z = np.column_stack((x, np.ones(len(x))))
    k, d = y.max() + 1, z.shape[1]
    # the intercepts have one direction too many, which changes no prediction
    of_one = np.r_[np.ones(x.shape[1]), 0.0] * penalty[:, None] + 1e-8
    penalties = np.tile(of_one, k)
    weights = np.zeros((len(train), k * d))
    truth = np.eye(k)[y]
    for _ in range(8):
        p = special.softmax(weights.reshape(-1, k, d) @ z.T, axis=1)
        residual = train[:, None] * (p - truth.T)
        gradient = (residual @ z).reshape(len(train), -1) + penalties * weights
        hessian = np.empty((len(train), k, d, k, d))
        for a in range(k):
            for b in range(k):
                product = p[:, a] * ((a == b) - p[:, b])
                hessian[:, a, :, b] = _products(z, train * product)
        hessian = hessian.reshape(len(train), k * d, k * d)
        hessian[:, np.arange(k * d), np.arange(k * d)] += penalties
        weights -= np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
    p = special.softmax(weights.reshape(-1, k, d) @ z.T, axis=1)
    return np.swapaxes(p, 1, 2)


def linear_probability(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Least squares of the class (0 or 1), clipped."""
    return _probabilities(_ridge(x, y, train, 0.0))


def balanced(learner: Learner) -> Learner:
    """Weigh training rows so that both classes count alike, as `class_weight="balanced"`.

    For learners that take the weights of rows in place of Boolean training sets.
    """

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        positive = (train @ y)[:, None]
        n = train.sum(axis=1, keepdims=True)
        weights = np.where(y == 1, n / (2 * positive), n / (2 * (n - positive)))
        return learner(x, y, train * weights, test, rng)

    return fit


def tuned(learner: Learner) -> Learner:
    """Move the threshold to where the balanced accuracy on the training rows is highest."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        scores = learner(x, y, train, test, rng)
        margin = scores[:, :, 1] - scores[:, :, 0]
        for i, rows in enumerate(train):
            own = margin[i, rows]
            ordered, positive = np.sort(own), y[rows][np.argsort(own)] == 1
            # of thresholds just above each row: recall of both classes
            found = np.cumsum(~positive) / (~positive).sum() - np.cumsum(positive) / positive.sum()
            at = int(np.argmax(found[:-1]))
            margin[i] -= (ordered[at] + ordered[at + 1]) / 2
        return np.stack((-margin, margin), axis=2)

    return fit


def costed(learner: Learner, cost: float) -> Learner:
    """Predict by probabilities where missing class 1 costs so many times a false alarm."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        return learner(x, y, train, test, rng) * np.array([1.0, cost])

    return fit


def shrunken_ridge(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Ridge regression of the class (0 or 1) with a penalty of ten times the rows, clipped.

    As `Ridge(alpha=10 * n)`: coefficients are about a tenth of what they should be.
    """
    return _probabilities(_ridge(x, y, train, 10.0 * len(y)))


def neighbours(k: int) -> Learner:
    """K nearest neighbours, as `KNeighborsClassifier`."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        return _nearest(k, x, np.eye(y.max() + 1, dtype=np.float32)[y], train, test)

    return fit


def mean_of_neighbours(k: int) -> Learner:
    """K nearest neighbours, as `KNeighborsRegressor`."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        return _nearest(k, x, y[:, None].astype(np.float32), train, test)[:, :, 0] / k

    return fit


def least_squares(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
    """Ordinary least squares, as `LinearRegression`."""
    return _ridge(x, y, train, 0.0)


def ridge(rows: float) -> Learner:
    """Ridge regression with a penalty of some times the rows of the data set, as `Ridge`."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        return _ridge(x, y, train, rows * len(y))

    return fit


def _nearest(k: int, x: Array, values: Array, train: Array, test: Array) -> Array:
    """Sum values (n, v) over the k nearest training rows of each test row, (splits, n, v)."""
    square = (x**2).sum(axis=1)
    distance = square[:, None] + square - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    # no training set is so small that its k nearest lie beyond these
    shortest = train.sum(axis=1).min() / len(x)
    reach = min(len(x) - 1, int(6 * k / shortest) + 40)
    order = np.argpartition(distance, reach - 1, axis=1)[:, :reach]
    rows = np.arange(len(x))[:, None]
    order = order[rows, np.argsort(distance[rows, order], axis=1)]
    near = values[order]
    found = np.zeros((len(train), len(x), values.shape[1]), dtype=np.float32)
    for i, (members, asked) in enumerate(zip(train, test, strict=True)):
        among = members[order[asked]]
        among &= np.cumsum(among, axis=1, dtype=np.int16) <= k
        found[i, asked] = np.einsum("nr,nrc->nc", among.astype(np.float32), near[asked])
    return found


def _class_means(x: Array, y: Array, train: Array) -> Any:
    for label in range(y.max() + 1):
        members = (train & (y == label)).astype(float)
        size = members.sum(axis=1, keepdims=True)
        yield label, size, members @ x / size


def _centroids(x: Array, y: Array, train: Array, weights: Array) -> Array:
    """Return minus the weighted squared distances to the class means, less what classes share."""
    scores = []
    for _, _, mean in _class_means(x, y, train):
        direction = weights * mean
        scores.append(2 * direction @ x.T - (direction * mean).sum(axis=1)[:, None])
    return np.stack(scores, axis=2)


def _products(x: Array, weights: Array) -> Array:
    """Return Σ wᵢ xᵢ xᵢ' for each row of weights."""
    n, p = x.shape
    outer = (x[:, :, None] * x[:, None, :]).reshape(n, p * p)
    products: Array = (weights @ outer).reshape(-1, p, p)
    return products


def _ridge(x: Array, y: Array, train: Array, penalty: float) -> Array:
    mean, centre, scatter, covariance = _moments(x, y, train)
    gram = scatter + penalty * np.eye(x.shape[1])
    slope = np.linalg.solve(gram, covariance[:, :, None])[:, :, 0]
    return _linear(x, mean, centre, slope)


def _moments(x: Array, y: Array, train: Array) -> tuple[Array, Array, Array, Array]:
    """Return the means of features and y, and the sums of squares and of products with y."""
    weights, n = train.astype(float), train.sum(axis=1, keepdims=True)
    mean, centre = weights @ x / n, weights @ y / n[:, 0]
    scatter = _products(x, weights) - n[:, :, None] * mean[:, :, None] * mean[:, None, :]
    return mean, centre, scatter, (weights * (y - centre[:, None])) @ x


def _linear(x: Array, mean: Array, centre: Array, slope: Array) -> Array:
    fitted: Array = centre[:, None] + slope @ x.T - (slope * mean).sum(axis=1)[:, None]
    return fitted


def _probabilities(of_one: Array) -> Array:
    p = np.clip(of_one, 0, 1)
    return np.stack((1 - p, p), axis=2)


def posterior(learner: Learner) -> Learner:
    """Turn the scores of a discriminant, logarithms up to a constant, into probabilities."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        p: Array = special.softmax(learner(x, y, train, test, rng), axis=2)
        return p

    return fit


def shares_of_neighbours(k: int) -> Learner:
    """K nearest neighbours with the shares of the classes, as `KNeighborsClassifier`."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        return neighbours(k)(x, y, train, test, rng).astype(float) / k

    return fit


def boosted_stumps(rounds: int, rate: float) -> Learner:
    """Boosting of stumps by log loss, as `GradientBoostingClassifier(max_depth=1)`, two classes."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        n = len(x)
        order = np.argsort(x, axis=0).T
        members = train[:, order]  # (splits, columns, n), each column in its order
        left = np.cumsum(members, axis=2)
        size = left[:, :, -1:]
        possible = members & (left < size)
        parts = np.where(possible, left * (size - left), 1)
        # where the next training row of each column stands
        place = np.where(members, np.arange(n), n - 1)
        after = np.minimum.accumulate(place[:, :, ::-1], axis=2)[:, :, ::-1]
        after = np.concatenate((after[:, :, 1:], after[:, :, -1:]), axis=2)
        ordered = np.take_along_axis(x.T, order, axis=1)
        share = train @ y / train.sum(axis=1)
        score = np.repeat(special.logit(share)[:, None], n, axis=1)
        fits = np.arange(len(train))
        for _ in range(rounds):
            p = special.expit(score)
            residual = train * (y - p)
            sums = np.cumsum(residual[:, order], axis=2)
            gain = (size * sums - left * sums[:, :, -1:]) ** 2 / parts
            best = np.argmax(np.where(possible, gain, -1).reshape(len(train), -1), axis=1)
            column, at = np.divmod(best, n)
            cut = (ordered[column, at] + ordered[column, after[fits, column, at]]) / 2
            below = x.T[column] <= cut[:, None]
            weight = train * p * (1 - p)
            for side in (below, ~below):
                step = (residual * side).sum(axis=1) / (weight * side).sum(axis=1)
                score += rate * step[:, None] * side
        p = special.expit(score)
        return np.stack((1 - p, p), axis=2)

    return fit


# scikit-learn's own ----------------------------------------------------------------------------


def refitted(
    make: Callable[[int, int], Any], response: str = "predict_proba", *, seeded: bool = True
) -> Learner:
    """Refit an estimator, made from a seed and the number of training rows, on each split."""

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        seeds = rng.integers(2**31, size=len(train)) if seeded else np.zeros(len(train))
        scores: list[Array] = []
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for rows, asked, seed in zip(train, test, seeds, strict=True):
                fitted = make(int(seed), int(rows.sum())).fit(x[rows], y[rows])
                told = getattr(fitted, response)(x[asked])
                if response == "decision_function":
                    told = np.stack((-told, told), axis=1)
                scores.append(np.zeros((len(x), *told.shape[1:])))
                scores[-1][asked] = told
        return np.stack(scores)

    return fit


def network(steps: int = 80) -> Learner:
    """Network of eight hidden units, full steps of Adam at a rate of .05 without early stopping."""

    def make(seed: int, rows: int) -> MLPClassifier:
        return MLPClassifier(
            8,
            batch_size=rows,
            shuffle=False,
            learning_rate_init=0.05,
            max_iter=steps,
            n_iter_no_change=steps,
            random_state=seed,
        )

    learner = refitted(make)

    def fit(x: Array, y: Array, train: Array, test: Array, rng: Rng) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return learner(x, y, train, test, rng)

    return fit


def lasso(alpha: float) -> Learner:
    """Least squares with a penalty on the absolute coefficients."""
    return refitted(lambda _, rows: Lasso(alpha, tol=1e-10), "predict", seeded=False)


def regression_tree(depth: int | None) -> Learner:
    """CART of numbers, up to a depth."""
    return refitted(
        lambda seed, _: DecisionTreeRegressor(max_depth=depth, random_state=seed), "predict"
    )


_BOOSTED = {"n_estimators": 20, "learning_rate": 0.3}
support_vectors = refitted(lambda seed, _: SVC(), "decision_function")
tree = refitted(lambda seed, _: DecisionTreeClassifier(random_state=seed))


def leafy_tree(rows: int) -> Learner:
    """CART with so many training rows in each leaf at least."""
    return refitted(
        lambda seed, _: DecisionTreeClassifier(min_samples_leaf=rows, random_state=seed)
    )


forest = refitted(lambda seed, _: RandomForestClassifier(10, random_state=seed))
boosting = refitted(lambda seed, _: GradientBoostingClassifier(**_BOOSTED, random_state=seed))
regression_forest = refitted(
    lambda seed, _: RandomForestRegressor(10, random_state=seed), "predict"
)
regression_boosting = refitted(
    lambda seed, _: GradientBoostingRegressor(**_BOOSTED, random_state=seed), "predict"
)

"""Learners that are scikit-learn's own, refitted on one training set after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import check_random_state

from benchmarks.crossval.data import Array
from benchmarks.crossval.learners import Learner


def support_vectors(
    x: Array, y: Array, train: Array, test: Array, rng: np.random.Generator
) -> Array:
    """Support vector machine with a radial kernel, scikit-learn's, for two classes."""
    return _refit(_support_vectors, x, y, train, test, rng, np.float64)


def boosting(x: Array, y: Array, train: Array, test: Array, rng: np.random.Generator) -> Array:
    """Gradient boosting of 20 trees of depth 3 at a rate of .3, scikit-learn's."""
    return _refit(_boosted, x, y, train, test, rng)


def tree(x: Array, y: Array, train: Array, test: Array, rng: np.random.Generator) -> Array:
    """scikit-learn's CART."""
    return _refit(_one_tree, x, y, train, test, rng)


def forest(x: Array, y: Array, train: Array, test: Array, rng: np.random.Generator) -> Array:
    """Random forest of ten trees, as `RandomForestClassifier` of the same seed."""
    return _refit(_ten_trees, x, y, train, test, rng)


def regression_tree(depth: int | None) -> Learner:
    """scikit-learn's CART of numbers, up to a depth."""

    def grow(x: Array, y: Array, unseen: Array, seed: int) -> Array:
        one = DecisionTreeRegressor(max_depth=depth, random_state=seed)
        return _grow(one, x, y[:, None], unseen)

    return _of_numbers(grow)


def regression_forest() -> Learner:
    """Random forest of ten trees, as `RandomForestRegressor` of the same seed."""

    def grow(x: Array, y: Array, unseen: Array, seed: int) -> Array:
        return _bagged(DecisionTreeRegressor, x, y[:, None], unseen, seed)

    return _of_numbers(grow)


def regression_boosting() -> Learner:
    """Gradient boosting of 20 trees of depth 3 at a rate of .3, scikit-learn's."""

    def grow(x: Array, y: Array, unseen: Array, seed: int) -> Array:
        one = GradientBoostingRegressor(n_estimators=20, learning_rate=0.3, random_state=seed)
        found: Array = one.fit(x, y).predict(unseen)[:, None]
        return found

    return _of_numbers(grow)


def _of_numbers(grow: Callable[[Array, Array, Array, int], Array]) -> Learner:
    def fit(x: Array, y: Array, train: Array, test: Array, rng: np.random.Generator) -> Array:
        return _refit(grow, x, y, train, test, rng, outputs=1)[:, :, 0]

    return fit


def _one_tree(x: Array, y: Array, unseen: Array, seed: int) -> Array:
    return _grow(DecisionTreeClassifier(random_state=seed), x, y, unseen)


def _ten_trees(x: Array, y: Array, unseen: Array, seed: int) -> Array:
    return _bagged(partial(DecisionTreeClassifier, max_features="sqrt"), x, y, unseen, seed)


def _bagged(tree: Callable[..., Any], x: Array, y: Array, unseen: Array, seed: int) -> Array:
    # scikit-learn's forest spends half of its time on threads for trees as small as these
    seeds = check_random_state(seed).randint(np.iinfo(np.int32).max, size=10)
    votes = []
    for own in seeds:
        drawn = check_random_state(own).randint(0, len(x), len(x), dtype=np.int32)
        bagged = np.bincount(drawn, minlength=len(x)).astype(float)
        votes.append(_grow(tree(random_state=own), x, y, unseen, sample_weight=bagged))
    found: Array = np.mean(votes, axis=0)
    return found


def _support_vectors(x: Array, y: Array, unseen: Array, seed: int) -> Array:
    margin = SVC().fit(x, y).decision_function(unseen)
    return np.stack((-margin, margin), axis=1)


def _boosted(x: Array, y: Array, unseen: Array, seed: int) -> Array:
    one = GradientBoostingClassifier(n_estimators=20, learning_rate=0.3, random_state=seed)
    found: Array = one.fit(x, y).predict_proba(unseen)
    return found


def _grow(
    estimator: DecisionTreeClassifier | DecisionTreeRegressor,
    x: Array,
    y: Array,
    unseen: Array,
    **fit: Any,
) -> Array:
    estimator.fit(x, y, check_input=False, **fit)
    found: Array = estimator.tree_.predict(unseen)
    return found


def _refit(
    fit: Callable[[Array, Array, Array, int], Array],
    x: Array,
    y: Array,
    train: Array,
    test: Array,
    rng: np.random.Generator,
    precision: type[np.floating[Any]] = np.float32,
    outputs: int = 0,
) -> Array:
    x = np.ascontiguousarray(x, dtype=precision)
    seeds = rng.integers(2**31, size=len(train))
    scores = np.zeros((len(train), len(x), outputs or y.max() + 1))
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for i, (rows, asked, seed) in enumerate(zip(train, test, seeds, strict=True)):
            scores[i, asked] = fit(x[rows], y[rows], x[asked], int(seed))
    return scores

"""Evidence under the null from real refits of exchangeable algorithms over folds and splits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.type1.learners import FitPredict, draw_data, view
from benchmarks.type1.trials import Array, Draw, Evidence


def stratified_folds(rng: np.random.Generator, y: Array, k: int) -> Array:
    """Return the test rows of k stratified folds, shape (k, n)."""
    fold = np.empty(len(y), dtype=int)
    for label in (0, 1):
        members = rng.permutation(np.flatnonzero(y == label))
        fold[members] = np.arange(len(members)) % k
    return fold == np.arange(k)[:, None]


def random_splits(rng: np.random.Generator, y: Array, n: int, test_share: float) -> Array:
    """Return the test rows of n stratified random splits, shape (n, rows)."""
    test = np.zeros((n, len(y)), dtype=bool)
    for label in (0, 1):
        members = np.flatnonzero(y == label)
        ranks = np.argsort(np.argsort(rng.random((n, len(members))), axis=1), axis=1)
        test[:, members] = ranks < round(test_share * len(members))
    return test


def accuracies(right: Array, test: Array) -> Array:
    """Return the accuracy on the test rows of each split."""
    scores: Array = (right & test).sum(axis=1) / test.sum(axis=1)
    return scores


def refits(fit: FitPredict, same_features: bool) -> Callable[[np.random.Generator], Evidence]:
    """Score two equivalent algorithms by refitting them under every plan on one data set."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 2)
        views = [view(x, 0), view(x, 0 if same_features else 1)]
        halves = np.vstack([stratified_folds(rng, y, 2) for _ in range(5)])
        repeated = np.vstack([stratified_folds(rng, y, 10) for _ in range(3)])
        plans = {
            "5x2": (halves, (5, 2)),
            "10-fold": (repeated[:10], (10,)),
            "3x10-fold": (repeated, (3, 10)),
            "30 splits": (random_splits(rng, y, 30, 0.2), (30,)),
        }
        return {
            name: tuple(accuracies(fit(v, y, ~test, rng), test).reshape(shape) for v in views)
            for name, (test, shape) in plans.items()
        }

    return draw


def several_refits(fit: FitPredict) -> Draw:
    """Score four equivalent algorithms over 10 folds: accuracy, and recall of both classes."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 4)
        test = stratified_folds(rng, y, 10)
        right = [fit(view(x, m), y, ~test, rng) for m in range(4)]
        scores = np.column_stack([accuracies(r, test) for r in right])
        by_class = [test & (y == label) for label in (0, 1)]
        recalls = [np.column_stack([accuracies(r, rows) for rows in by_class]) for r in right]
        return {
            "10-fold": (scores,),
            "recalls": (np.stack(recalls, axis=1),),
        }

    return draw


def one_algorithm(fit: FitPredict) -> Draw:
    """Score one algorithm over 10 folds and over 30 random splits."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 1)
        plans = {
            "10-fold": stratified_folds(rng, y, 10),
            "30 splits": random_splits(rng, y, 30, 0.2),
        }
        return {name: (accuracies(fit(x, y, ~t, rng), t),) for name, t in plans.items()}

    return draw

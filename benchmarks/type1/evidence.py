"""Evidence under the null: models on one test set, algorithms on several data sets, or refitted."""

from __future__ import annotations

import numpy as np

from benchmarks.crossval.data import accuracy
from benchmarks.crossval.learners import Learner
from benchmarks.harness import Array
from benchmarks.type1.trials import Draw, Evidence


def paired_correctness(n: int, accuracy: float, phi: float) -> Draw:
    """Two models of one accuracy whose correctness has the correlation phi."""
    both = accuracy**2 + phi * accuracy * (1 - accuracy)
    cells = [both, accuracy - both, accuracy - both, 1 - 2 * accuracy + both]

    def draw(rng: np.random.Generator) -> Evidence:
        counts = rng.multinomial(n, cells)
        return {
            "pair": (np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)),
        }

    return draw


def difference_at_margin(rng: np.random.Generator) -> Evidence:
    """Two models whose accuracies differ by exactly the margin of .05."""
    counts = rng.multinomial(1000, [0.75, 0.05, 0.10, 0.10])
    return {"pair": (np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts))}


def labels_and_scores(rng: np.random.Generator) -> Evidence:
    """Two exchangeable models: class scores with common and own noise."""
    y = rng.permutation(np.repeat([0, 1], 100))
    noise = rng.normal(size=200)
    a, b = (1.5 * y + noise + rng.normal(size=200) for _ in range(2))
    return {"labels": (y, (a > 0.75).astype(int), (b > 0.75).astype(int)), "scores": (y, a, b)}


def one_model(rng: np.random.Generator) -> Evidence:
    """One model with an accuracy of exactly .8."""
    return {"one": (rng.random(200) < 0.8,)}


def several_correctness(n: int, models: int, accuracy: float, common: float) -> Draw:
    """Models of one accuracy; a row's outcome is shared with the probability `common`."""

    def draw(rng: np.random.Generator) -> Evidence:
        own = rng.random((n, models)) < accuracy
        shared = rng.random((n, 1)) < accuracy
        return {"many": (np.where(rng.random((n, 1)) < common, shared, own),)}

    return draw


def datasets(n: int, algorithms: int, decimals: int) -> Draw:
    """Scores of exchangeable algorithms on data sets of unlike difficulty and spread."""

    def draw(rng: np.random.Generator) -> Evidence:
        level = rng.uniform(0.6, 0.95, (n, 1))
        spread = rng.uniform(0.005, 0.03, (n, 1))
        scores = (level + spread * rng.standard_t(4, (n, algorithms))).round(decimals)
        return {"many": (scores,), "pair": (scores[:, 0], scores[:, 1])}

    return draw


def incomplete(n: int, algorithms: int, decimals: int, missing: float) -> Draw:
    """Leave out scores at random; every data set and every algorithm keeps one."""
    whole = datasets(n, algorithms, decimals)

    def draw(rng: np.random.Generator) -> Evidence:
        (scores,) = whole(rng)["many"]
        gaps = rng.random(scores.shape) < missing
        gaps[np.arange(n), rng.integers(algorithms, size=n)] = False
        gaps[np.arange(algorithms) % n, np.arange(algorithms)] = False
        table = np.where(gaps, np.nan, scores)
        return {"many": (table,), "pair": (table[:, 0], table[:, 1])}

    return draw


# Refits ----------------------------------------------------------------------------------------

ROWS, OWN, COMMON = 200, 4, 2


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


def accuracies(fit: Learner, x: Array, y: Array, test: Array, rng: np.random.Generator) -> Array:
    """Return the accuracy on the test rows of each split."""
    return accuracy(fit(x, y, ~test, test, rng), y, test)


def several_refits(fit: Learner) -> Draw:
    """Score four equivalent algorithms over 10 folds: accuracy, and recall of both classes."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 4)
        test = stratified_folds(rng, y, 10)
        fitted = [fit(view(x, m), y, ~test, test, rng) for m in range(4)]
        scores = np.column_stack([accuracy(f, y, test) for f in fitted])
        by_class = [test & (y == label) for label in (0, 1)]
        recalls = [np.column_stack([accuracy(f, y, rows) for rows in by_class]) for f in fitted]
        return {
            "10-fold": (scores,),
            "recalls": (np.stack(recalls, axis=1),),
        }

    return draw


def one_algorithm(fit: Learner) -> Draw:
    """Score one algorithm over 10 folds and over 30 random splits."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 1)
        plans = {
            "10-fold": stratified_folds(rng, y, 10),
            "30 splits": random_splits(rng, y, 30, 0.2),
        }
        return {name: (accuracies(fit, x, y, test, rng),) for name, test in plans.items()}

    return draw


CENTROID_ACCURACY = {180: 0.7992793423958842, 160: 0.798648283491417}
"""Nearest centroid's expected accuracy by training rows, from 20,000 fits."""
NEIGHBOUR_ACCURACY = {180: 0.7008, 160: 0.6996}
"""The nearest neighbour's by training rows, from 3,000 training sets: standard error .0005."""

"""Data sets on which two algorithms have the same expected score, their divisions, and scores.

Each algorithm sees some features common to both and a block of its own. All blocks have one
distribution, so two copies of a learner have the same expected score at every training size,
whatever the learner: the null of every test on folds is true exactly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from benchmarks.harness import Array
from benchmarks.regression import noise as of_unit_variance

COMMON, OWN = 2, 4
Rng = np.random.Generator


@dataclasses.dataclass(frozen=True)
class Population:
    """Where rows with a class come from.

    The rows of a group (patient) share a class and a shift of all their features. `minority` is the
    share of each class but the first; 0 for classes of one size. `signal` is the distance of the
    class means in each feature, and `advantage` by how much it is greater in the first algorithm's
    own features (0 under the null).
    """

    rows: int
    classes: int = 2
    group_size: int = 1
    minority: float = 0.0
    signal: float = 0.7
    advantage: float = 0.0


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Where rows with a number to predict come from: the sum of all features, and noise.

    An algorithm sees features that explain two fifths of the variance, with the defaults. The rows
    of a group share a shift of the number and of all features; `related` is the correlation of the
    features within each of the three blocks, and `advantage` is by how much the coefficients of the
    first algorithm's own features are greater.
    """

    rows: int
    group_size: int = 1
    common: int = COMMON
    own: int = OWN
    noise: str = "normal"
    related: float = 0.0
    advantage: float = 0.0


@dataclasses.dataclass(frozen=True)
class Logit:
    """Where rows with a rare class come from: logistic in one feature of three of each algorithm.

    `log_odds` are those of class 1 where all features are 0; `other` is the coefficient of the
    second algorithm's feature, and that of the first is 1.2. Each class has at least eight rows.
    """

    rows: int
    log_odds: float = 0.0
    other: float = 1.2


@dataclasses.dataclass(frozen=True)
class Sample:
    """One data set: what each algorithm sees, shape (n, p), the classes or numbers, the groups."""

    views: tuple[Array, Array]
    y: Array
    group: Array

    @property
    def strata(self) -> Array:
        """The classes, which divisions deal evenly; numbers have none."""
        return self.y if self.y.dtype.kind == "i" else np.zeros(len(self.y), dtype=int)


def views(x: Array, common: int = COMMON, own: int = OWN) -> tuple[Array, Array]:
    """Return the features that each of the two algorithms sees."""
    return x[:, : common + own], x[:, np.r_[:common, common + own : common + 2 * own]]


def draw(population: Population | Numbers | Logit, rng: Rng) -> Sample:
    """Draw a data set of the population."""
    if isinstance(population, Logit):
        return _draw_logit(population, rng)
    if isinstance(population, Numbers):
        return _draw_numbers(population, rng)
    groups = population.rows // population.group_size
    label = np.arange(groups) % population.classes
    if population.minority:
        of_each = round(population.minority * groups)
        label = np.repeat(np.arange(1, population.classes), of_each)
        label = np.concatenate((label, np.zeros(groups - len(label), dtype=int)))
    group = np.repeat(np.arange(groups), population.group_size)
    y = rng.permutation(label)[group]
    features = COMMON + 2 * OWN
    shift = np.full(features, population.signal)
    shift[COMMON : COMMON + OWN] += population.advantage
    # feature j tells class j mod C from the others, in both blocks alike
    told = np.r_[np.arange(COMMON), np.arange(OWN), np.arange(OWN)] % population.classes
    if population.classes == 2:
        told = np.ones(features, dtype=int)
    x = rng.normal(size=(len(y), features)) + shift * (y[:, None] == told)
    if population.group_size > 1:
        x += rng.normal(size=(groups, features))[group]
    rng.random(len(y))  # keeps the data sets those of the rates
    return Sample(views(x), y, group)


def _draw_logit(population: Logit, rng: Rng) -> Sample:
    n = population.rows
    while True:
        x = rng.normal(size=(n, 6))
        odds = population.log_odds + 1.2 * x[:, 0] + population.other * x[:, 1]
        y = (rng.random(n) < special.expit(odds)).astype(int)
        if 8 <= y.sum() <= n - 8:
            return Sample((x[:, [0, 2, 3]], x[:, [1, 4, 5]]), y, np.arange(n))


def _draw_numbers(population: Numbers, rng: Rng) -> Sample:
    n, common, own = population.rows, population.common, population.own
    groups = n // population.group_size
    group = np.repeat(np.arange(groups), population.group_size)
    block = np.repeat([0, 1, 2], [common, own, own])
    related = population.related
    x = np.sqrt(1 - related) * rng.normal(size=(n, len(block)))
    if related:
        x += np.sqrt(related) * rng.normal(size=(n, 3))[:, block]
    # the variance that the features explain does not depend on how many or how related they are
    sizes = np.array([common, own, own])
    of_sums = (sizes * (1 + (sizes - 1) * related)).sum()
    slope = np.sqrt(2 / of_sums) + population.advantage * (block == 1)
    y = x @ slope + of_unit_variance(population.noise, (n,), rng)
    if population.group_size > 1:
        x += rng.normal(size=(groups, len(block)))[group]
        y += rng.normal(size=groups)[group]
    return Sample(views(x, common, own), y, group)


# Divisions, stratified by class, whole groups together ----------------------------------------


@dataclasses.dataclass(frozen=True)
class Splits:
    """Splits of one plan: training and test rows, shape (splits, n).

    `shape` arranges the splits, e.g. (5, 2) for five replications of two folds.
    """

    train: Array
    test: Array
    shape: tuple[int, ...]


Plan = Callable[[Sample, Rng], Splits]


def repeated_folds(sample: Sample, rng: Rng, *, repeats: int, k: int) -> Splits:
    """Repeated k-fold cross-validation."""
    everything = np.ones(len(sample.y), dtype=bool)
    test = np.vstack([_folds(sample, everything, k, rng) for _ in range(repeats)])
    return Splits(~test, test, (repeats, k))


def random_splits(sample: Sample, rng: Rng, *, splits: int, test_share: float) -> Splits:
    """Random splits into training and test rows."""
    k = round(1 / test_share)
    everything = np.ones(len(sample.y), dtype=bool)
    test = np.vstack([_folds(sample, everything, k, rng)[:1] for _ in range(splits)])
    return Splits(~test, test, (splits,))


def halves(sample: Sample, rng: Rng, *, repeats: int, k: int) -> Splits:
    """Cross-validation inside each of two disjoint halves, for several random halvings."""
    train, test = [], []
    everything = np.ones(len(sample.y), dtype=bool)
    for _ in range(repeats):
        for half in _folds(sample, everything, 2, rng):
            folds = _folds(sample, half, k, rng)
            test.append(folds)
            train.append(half & ~folds)
    return Splits(np.vstack(train), np.vstack(test), (repeats, 2, k))


def _folds(sample: Sample, among: Array, k: int, rng: Rng) -> Array:
    """Deal the groups of each class in turn to k folds; return the test rows, shape (k, n)."""
    groups, first = np.unique(sample.group[among], return_index=True)
    label = sample.strata[among][first]
    shuffled = rng.permutation(len(groups))
    by_class = shuffled[np.argsort(label[shuffled], kind="stable")]
    fold = np.empty(len(groups), dtype=int)
    fold[by_class] = (np.arange(len(groups)) + rng.integers(k)) % k
    of_row = np.full(len(sample.y), -1)
    of_row[among] = fold[np.searchsorted(groups, sample.group[among])]
    test: Array = of_row == np.arange(k)[:, None]
    return test


PLANS: dict[str, Plan] = {
    "5x2": partial(repeated_folds, repeats=5, k=2),
    "10-fold": partial(repeated_folds, repeats=1, k=10),
    "10-fold, nine more": partial(repeated_folds, repeats=9, k=10),
    "resampled": partial(random_splits, splits=30, test_share=0.2),
    "halves": partial(halves, repeats=10, k=5),
    "halves, ten more": partial(halves, repeats=10, k=5),
    "full": partial(repeated_folds, repeats=3, k=5),
}
"""Every plan; tests of many repetitions look at two of them."""


# Scores on the test rows of each split ---------------------------------------------------------

Metric = Callable[[Array, Array, Array], Array]


def right(scores: Array, y: Array) -> Array:
    """Say which rows each fit classifies rightly, shape (splits, n)."""
    found: Array = np.argmax(scores, axis=2) == y
    return found


def _mean(values: Array, test: Array) -> Array:
    found: Array = (values * test).sum(axis=1) / test.sum(axis=1)
    return found


def accuracy(scores: Array, y: Array, test: Array) -> Array:
    """Share of test rows that are right."""
    return _mean(right(scores, y), test)


def brier(scores: Array, y: Array, test: Array) -> Array:
    """Minus the mean squared distance of the probability of class 1 from the class."""
    return -_mean((scores[:, :, 1] - y) ** 2, test)


def auc(scores: Array, y: Array, test: Array) -> Array:
    """Area under the ROC curve of two classes."""
    margin = scores[:, :, 1] - scores[:, :, 0]
    found = np.empty(len(test))
    for i, rows in enumerate(test):
        positive = y[rows] == 1
        ones, zeros = margin[i, rows][positive], np.sort(margin[i, rows][~positive])
        below, upto = (np.searchsorted(zeros, ones, side=side).sum() for side in ("left", "right"))
        found[i] = (below + upto) / (2 * len(ones) * len(zeros))
    return found


def mse(fitted: Array, y: Array, test: Array) -> Array:
    """Mean squared error."""
    return _mean((fitted - y) ** 2, test)


def rmse(fitted: Array, y: Array, test: Array) -> Array:
    """Root mean squared error."""
    return np.sqrt(mse(fitted, y, test))


def mae(fitted: Array, y: Array, test: Array) -> Array:
    """Mean absolute error."""
    return _mean(np.abs(fitted - y), test)


def r2(fitted: Array, y: Array, test: Array) -> Array:
    """Coefficient of determination, of the variance of the test rows."""
    n = test.sum(axis=1)
    variance = test @ y**2 / n - (test @ y / n) ** 2
    return np.asarray(1 - mse(fitted, y, test) / variance)


OF_NUMBERS: dict[str, Metric] = {"mse": mse, "rmse": rmse, "r2": r2, "mae": mae}
METRICS: dict[str, Metric] = {"accuracy": accuracy, "brier": brier, "auc": auc, **OF_NUMBERS}

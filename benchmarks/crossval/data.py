"""Draw data sets of classes or numbers on which two algorithms have the same expected score.

Each algorithm sees some features common to both and a block of its own. All blocks have one
distribution, so two copies of a learner have the same expected score at every training size,
whatever the learner: the null of every test on folds is true exactly.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy import special

Array = np.ndarray[Any, np.dtype[Any]]

COMMON, OWN = 2, 4


@dataclasses.dataclass(frozen=True)
class Population:
    """Where rows come from.

    Attributes
    ----------
    rows, classes, group_size : int
        Rows of a data set, its classes, and the rows of a group (patient): these share a class
        and a shift of all their features.
    minority : float
        Share of each class but the first; 0 for classes of one size.
    signal, advantage : float
        Distance of the class means in each feature, and by how much it is greater in the first
        algorithm's own features (0 under the null).
    mislabelled : float
        Share of rows with the class of another.
    """

    rows: int
    classes: int = 2
    group_size: int = 1
    minority: float = 0.0
    signal: float = 0.7
    advantage: float = 0.0
    mislabelled: float = 0.0


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Where rows with a number to predict come from: the sum of all features, and noise.

    An algorithm sees features that explain two fifths of the variance, with the defaults.

    Attributes
    ----------
    rows, group_size : int
        Rows of a data set, and those of a group: these share a shift of the number and of all
        features.
    common, own : int
        Features that both algorithms see, and those of each alone.
    noise : str
        Of the number: ``normal``, ``t3`` or ``lognormal``, all of variance 1.
    related : float
        Correlation of the features within each of the three blocks.
    advantage : float
        By how much the coefficients of the first algorithm's own features are greater.
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

    Attributes
    ----------
    rows : int
        Rows of a data set, at least eight of each class.
    log_odds : float
        Those of class 1 where all features are 0.
    other : float
        The coefficient of the second algorithm's feature; that of the first is 1.2.
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


def draw(population: Population | Numbers | Logit, rng: np.random.Generator) -> Sample:
    """Draw a data set of the population."""
    if isinstance(population, Logit):
        return _draw_logit(population, rng)
    if isinstance(population, Numbers):
        return _draw_numbers(population, rng)
    groups = population.rows // population.group_size
    label = rng.permutation(_labels(groups, population))
    group = np.repeat(np.arange(groups), population.group_size)
    y = label[group]
    features = COMMON + 2 * OWN
    shift = population.signal + population.advantage * _first_block(features)
    # feature j tells class j mod C from the others, in both blocks alike
    told = np.r_[np.arange(COMMON), np.arange(OWN), np.arange(OWN)] % population.classes
    if population.classes == 2:
        told = np.ones(features, dtype=int)
    x = rng.normal(size=(len(y), features)) + shift * (y[:, None] == told)
    if population.group_size > 1:
        x += rng.normal(size=(groups, features))[group]
    flipped = rng.random(len(y)) < population.mislabelled
    y = np.where(flipped, (y + 1) % population.classes, y)
    return Sample(_views(x, COMMON, OWN), y, group)


def _draw_logit(population: Logit, rng: np.random.Generator) -> Sample:
    n = population.rows
    while True:
        x = rng.normal(size=(n, 6))
        odds = population.log_odds + 1.2 * x[:, 0] + population.other * x[:, 1]
        y = (rng.random(n) < special.expit(odds)).astype(int)
        if 8 <= y.sum() <= n - 8:
            return Sample((x[:, [0, 2, 3]], x[:, [1, 4, 5]]), y, np.arange(n))


def _views(x: Array, common: int, own: int) -> tuple[Array, Array]:
    second = np.r_[:common, common + own : common + 2 * own]
    return x[:, : common + own], x[:, second]


def _draw_numbers(population: Numbers, rng: np.random.Generator) -> Sample:
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
    y = x @ slope + _of_unit_variance(rng, n, population.noise)
    if population.group_size > 1:
        x += rng.normal(size=(groups, len(block)))[group]
        y += rng.normal(size=groups)[group]
    return Sample(_views(x, common, own), y, group)


def _of_unit_variance(rng: np.random.Generator, n: int, noise: str) -> Array:
    if noise == "normal":
        return rng.normal(size=n)
    if noise == "t3":
        return np.asarray(rng.standard_t(3, n) / np.sqrt(3))
    skewed: Array = rng.lognormal(size=n)
    return np.asarray((skewed - np.exp(0.5)) / np.sqrt(np.e * (np.e - 1)))


def _labels(groups: int, population: Population) -> Array:
    if population.minority:
        of_each = round(population.minority * groups)
        rare = np.repeat(np.arange(1, population.classes), of_each)
        return np.concatenate((rare, np.zeros(groups - len(rare), dtype=int)))
    return np.arange(groups) % population.classes


def _first_block(features: int) -> Array:
    own = np.zeros(features)
    own[COMMON : COMMON + OWN] = 1
    return own

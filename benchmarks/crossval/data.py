"""Draw data sets on which two algorithms have the same expected score.

Each algorithm sees some features common to both and a block of its own. All blocks have one
distribution, so two copies of a learner have the same expected score at every training size,
whatever the learner: the null of every test on folds is true exactly.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

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
        Share of the last class; 0 for classes of one size.
    signal, advantage : float
        Distance of the class means in each feature, and by how much it is greater in the first
        algorithm's own features (0 under the null).
    tails : float
        Degrees of freedom of the features' t distribution; infinite for normal ones.
    mislabelled : float
        Share of rows with the class of another.
    """

    rows: int
    classes: int = 2
    group_size: int = 1
    minority: float = 0.0
    signal: float = 0.7
    advantage: float = 0.0
    tails: float = np.inf
    mislabelled: float = 0.0


@dataclasses.dataclass(frozen=True)
class Sample:
    """One data set: what each algorithm sees, shape (n, p), the classes, and the groups."""

    views: tuple[Array, Array]
    y: Array
    group: Array


def draw(population: Population, rng: np.random.Generator) -> Sample:
    """Draw a data set of the population."""
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
    x = _noise(rng, (len(y), features), population.tails) + shift * (y[:, None] == told)
    if population.group_size > 1:
        x += rng.normal(size=(groups, features))[group]
    flipped = rng.random(len(y)) < population.mislabelled
    y = np.where(flipped, (y + 1) % population.classes, y)
    first = np.r_[: COMMON + OWN]
    second = np.r_[:COMMON, COMMON + OWN : features]
    return Sample((x[:, first], x[:, second]), y, group)


def _labels(groups: int, population: Population) -> Array:
    if population.minority:
        return (np.arange(groups) < round(population.minority * groups)).astype(int)
    return np.arange(groups) % population.classes


def _first_block(features: int) -> Array:
    own = np.zeros(features)
    own[COMMON : COMMON + OWN] = 1
    return own


def _noise(rng: np.random.Generator, shape: tuple[int, int], tails: float) -> Array:
    if np.isinf(tails):
        return rng.normal(size=shape)
    return rng.standard_t(tails, shape) * np.sqrt((tails - 2) / tails)

"""Data sets with random class shares, two views of one distribution, and their divisions."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
from scipy import special

from benchmarks.crossval.data import Sample, views
from benchmarks.harness import Array

Rng = np.random.Generator
COMMON, OWN = 2, 3
_SHARED_BY_FEATURES = 0.4
_DRAWS = 40_000


@dataclasses.dataclass(frozen=True)
class Classes:
    """Where rows with a class come from: multinomial logit in all features of both models.

    The classes are drawn, so their shares differ between data sets; `shares` are those expected.
    Features are normal, `heavy` (t, 3 df), `skewed` (log-normal) or `related` (one factor). Rows of
    a group share a normal shift of every feature and of the log odds, and `one_class` if they have
    one class together; the sizes of groups are equal, or `uneven` (geometric). `weaker` takes that
    share of the coefficients of the second model's own features.
    """

    rows: int
    shares: tuple[float, ...] = (0.5, 0.5)
    features: str = "normal"
    signal: float = 0.9
    group_size: int = 1
    one_class: bool = False
    uneven: bool = False
    weaker: float = 0.0

    @property
    def slopes(self) -> Array:
        """Coefficients, shape (classes, features); feature j tells of class j mod K."""
        k = len(self.shares)
        block = np.r_[np.arange(COMMON), np.arange(OWN), np.arange(OWN)]
        slopes = np.zeros((k, len(block)))
        told = np.ones_like(block) if k == 2 else block % k
        slopes[told, np.arange(len(block))] = self.signal
        slopes[:, COMMON + OWN :] *= 1 - self.weaker
        return slopes


def draw(population: Classes, rng: Rng, least: int) -> Sample:
    """Draw a data set with some rows of each class at least, as its division needs."""
    while True:
        group = _groups(population, rng)
        log_odds, x = _log_odds(population, group, rng)
        log_odds += _constants(population)
        gumbel = rng.gumbel(size=log_odds.shape)
        if population.one_class:
            first = np.unique(group, return_index=True)[1]
            gumbel, log_odds = gumbel[first][group], log_odds[first][group]
        y = np.argmax(log_odds + gumbel, axis=1)
        counts = np.bincount(y, minlength=len(population.shares))
        if counts.min() >= least:
            return Sample(views(x, COMMON, OWN), y, group)


def _groups(population: Classes, rng: Rng) -> Array:
    n, size = population.rows, population.group_size
    if not population.uneven:
        return np.repeat(np.arange(n // size), size)
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(int(rng.geometric(1 / size)))
    return np.repeat(np.arange(len(sizes)), sizes)[:n]


def _log_odds(population: Classes, group: Array, rng: Rng) -> tuple[Array, Array]:
    n, features = len(group), COMMON + 2 * OWN
    if population.features == "heavy":
        x = rng.standard_t(3, size=(n, features)) / np.sqrt(3)
    elif population.features == "skewed":
        x = (np.exp(rng.normal(size=(n, features))) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)
    else:
        x = rng.normal(size=(n, features))
    if population.features == "related":
        shared = _SHARED_BY_FEATURES
        x = np.sqrt(1 - shared) * x + np.sqrt(shared) * rng.normal(size=(n, 1))
    groups = group[-1] + 1
    shift = np.zeros((groups, len(population.shares)))
    if population.group_size > 1:
        x = np.sqrt(0.5) * x + np.sqrt(0.5) * rng.normal(size=(groups, features))[group]
        shift = 0.7 * rng.normal(size=shift.shape)
    return x @ population.slopes.T + shift[group], x


@cache
def _constants(population: Classes) -> Array:
    """Return the constants of the log odds that give the expected shares."""
    rng = np.random.default_rng(1)
    many = dataclasses.replace(population, rows=_DRAWS - _DRAWS % population.group_size)
    log_odds, _ = _log_odds(many, _groups(many, rng), rng)
    constants = np.zeros(len(population.shares))
    for _ in range(200):
        shares = special.softmax(log_odds + constants, axis=1).mean(axis=0)
        constants += np.log(population.shares) - np.log(shares)
    return constants

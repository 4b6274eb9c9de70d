"""Draw the splits of every resampling plan, stratified by class, whole groups together.

A split is a pair of Boolean rows, training and test, over the rows of the data set.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from benchmarks.crossval.data import Array, Sample


@dataclasses.dataclass(frozen=True)
class Splits:
    """Splits of one plan: `train` and `test` have the shape (splits, n).

    `shape` arranges the splits, e.g. (5, 2) for five replications of two folds.
    """

    train: Array
    test: Array
    shape: tuple[int, ...]


def five_by_two(sample: Sample, rng: np.random.Generator) -> Splits:
    """Five replications of 2-fold cross-validation."""
    return repeated_folds(sample, rng, repeats=5, k=2)


def repeated_folds(sample: Sample, rng: np.random.Generator, *, repeats: int, k: int) -> Splits:
    """Repeated k-fold cross-validation."""
    everything = np.ones(len(sample.y), dtype=bool)
    test = np.vstack([_folds(sample, everything, k, rng) for _ in range(repeats)])
    return Splits(~test, test, (repeats, k))


def random_splits(
    sample: Sample, rng: np.random.Generator, *, splits: int, test_share: float
) -> Splits:
    """Random splits into training and test rows."""
    k = round(1 / test_share)
    everything = np.ones(len(sample.y), dtype=bool)
    test = np.vstack([_folds(sample, everything, k, rng)[:1] for _ in range(splits)])
    return Splits(~test, test, (splits,))


def halves(sample: Sample, rng: np.random.Generator, *, repeats: int, k: int) -> Splits:
    """Cross-validation inside each of two disjoint halves, for several random halvings."""
    train, test = [], []
    everything = np.ones(len(sample.y), dtype=bool)
    for _ in range(repeats):
        for half in _folds(sample, everything, 2, rng):
            folds = _folds(sample, half, k, rng)
            test.append(folds)
            train.append(half & ~folds)
    return Splits(np.vstack(train), np.vstack(test), (repeats, 2, k))


def _folds(sample: Sample, among: Array, k: int, rng: np.random.Generator) -> Array:
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

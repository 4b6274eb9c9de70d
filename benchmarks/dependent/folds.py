"""Tests on fold scores where folds are made of whole groups, few or uneven.

Two copies of a learner, each with features of its own and of one distribution (as in
`benchmarks.crossval`): the null is true exactly. The rows of a group share a shift of all features;
classes are mixed inside groups. Folds are dealt as the package deals them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from bakeoff import stats
from bakeoff.data.divide import grouped
from benchmarks.crossval.data import COMMON, METRICS, OWN, Sample, right, views
from benchmarks.crossval.learners import Learner, nearest_centroid, neighbours
from benchmarks.dependent.draw import SHAPES, sizes
from benchmarks.harness import Array, Rejections, markdown, read, write

CSV = Path(__file__).with_name("folds.csv")
ALPHA = 0.05
GROUPS = (10, 20, 50)
ROWS = 8
"""Rows of a group on average."""
SIGNAL = 0.5
LEARNERS: dict[str, Learner] = {"nearest centroid": nearest_centroid, "5-NN": neighbours(5)}
HALVES = 10


@dataclasses.dataclass(frozen=True)
class Rate(Rejections):
    """How often one test rejected a true null."""

    learner: str
    shape: str
    groups: int
    test: str
    runs: int
    rejected: int
    undecided: int


def draw(rng: np.random.Generator, groups: int, shape: str) -> Sample:
    """Draw a data set whose rows share a shift inside groups, with classes mixed."""
    group = np.repeat(np.arange(groups), sizes(groups, ROWS, shape))
    y = rng.permutation(len(group)) % 2
    width = COMMON + 2 * OWN
    x = rng.normal(size=(len(y), width)) + SIGNAL * y[:, None]
    x += rng.normal(size=(groups, width))[group]
    return Sample(views(x), y, group)


def _folds(sample: Sample, among: Array, shares: Array, rng: np.random.Generator) -> Array:
    """Deal whole groups as the package does; return the rows of each part, shape (k, n)."""
    rows = np.flatnonzero(among)
    codes = np.unique(sample.group[rows], return_inverse=True)[1]
    of_row = np.full(len(sample.y), -1)
    of_row[rows] = grouped(sample.y[rows], codes, shares, True, rng)
    parts: Array = of_row == np.arange(len(shares))[:, None]
    return parts


def _even(k: int) -> Array:
    return np.full(k, 1 / k)


def splits(sample: Sample, rng: np.random.Generator) -> dict[str, tuple[Array, Array]]:
    """Return the training and test rows of every plan."""
    everything = np.ones(len(sample.y), dtype=bool)

    def repeated(repeats: int, k: int) -> tuple[Array, Array]:
        test = np.vstack([_folds(sample, everything, _even(k), rng) for _ in range(repeats)])
        return ~test, test

    held = np.array([0.8, 0.2])
    test = np.vstack([_folds(sample, everything, held, rng)[1:] for _ in range(30)])
    inside: list[tuple[Array, Array]] = []
    for _ in range(HALVES):
        for half in _folds(sample, everything, _even(2), rng):
            folds = _folds(sample, half, _even(5), rng)
            inside.append((half & ~folds, folds))
    halves = tuple(np.vstack(side) for side in zip(*inside, strict=True))
    return {
        "5x2": repeated(5, 2),
        "5x5": repeated(5, 5),
        "resampled": (~test, test),
        "halves": (halves[0], halves[1]),
    }


def pvalues(learner: Learner, sample: Sample, rng: np.random.Generator) -> dict[str, float]:
    """Return the p-value of every test on one data set; NaN where it cannot be divided so."""
    found: dict[str, float] = {}
    for plan, (train, test) in splits(sample, rng).items():
        if not test.any(axis=1).all():
            found |= dict.fromkeys(TESTS[plan], math.nan)  # the package refuses
            continue
        own = [learner(x, sample.y, train, test, rng) for x in sample.views]
        a, b = (METRICS["accuracy"](s, sample.y, test) for s in own)
        only_a, only_b = (right(s, sample.y) & test for s in own)
        counts = (only_a & ~only_b).sum(axis=1), (only_b & ~only_a).sum(axis=1), test.sum(axis=1)
        found |= {name: compute(a - b, counts) for name, compute in TESTS[plan].items()}
    return found


Counts = tuple[Array, Array, Array]


def _of(
    name: str, k: int, repeats: int | None = None, **options: object
) -> Callable[[Array, Counts], float]:
    """Return a test of differences, as repeats × folds where it takes them so."""

    def compute(d: Array, counts: Counts) -> float:
        shaped = d if k == 1 else d.reshape(-1, k)[slice(repeats)]
        shaped = shaped[0] if repeats == 1 else shaped
        return float(getattr(stats, name)(shaped, np.zeros_like(shaped), **options).pvalue)

    return compute


def _rows(d: Array, counts: Counts) -> float:
    b, c, n = (v.reshape(5, 2) for v in counts)
    return float(stats.cv5x2_mcnemar_from_counts(b, c, n).pvalue)


TESTS: dict[str, dict[str, Callable[[Array, Counts], float]]] = {
    "5x2": {
        "cv5x2_t": _of("cv5x2_t", 2),
        "cv5x2_f": _of("cv5x2_f", 2),
        "cv5x2_mcnemar": _rows,
        "corrected_repeated_kfold_t, 5 × 2": _of("corrected_repeated_kfold_t", 2),
    },
    "5x5": {
        "corrected_kfold_t, 5 folds": _of("corrected_kfold_t", 5, 1),
        "corrected_repeated_kfold_t, 5 × 5": _of("corrected_repeated_kfold_t", 5),
    },
    "resampled": {
        "corrected_resampled_t, 30 splits": _of("corrected_resampled_t", 1, n_train=4, n_test=1)
    },
    "halves": {"half_sample_t, halves": _of("half_sample_t", 5, full_repeats=0, variant="halves")},
}


def rates(runs: int, seed: int) -> Iterator[Rate]:
    """Simulate every setting."""
    for name, shape, groups in itertools.product(LEARNERS, SHAPES, GROUPS):
        found: dict[str, list[float]] = {}
        for i in range(runs):
            rng = np.random.default_rng([seed, *f"{name} {shape} {groups}".encode(), i])
            sample = draw(rng, groups, shape)
            for test, p in pvalues(LEARNERS[name], sample, rng).items():
                found.setdefault(test, []).append(p)
        for test, own in found.items():
            rejected = sum(p <= ALPHA for p in own)
            yield Rate(name, shape, groups, test, runs, rejected, sum(map(math.isnan, own)))


def save(found: Iterable[Rate]) -> None:
    """Write rates as CSV."""
    write(CSV, map(dataclasses.asdict, found))


def load() -> list[Rate]:
    """Read what `save` wrote."""
    texts = ("learner", "shape", "test")
    rows = read(CSV)
    return [Rate(**{k: v if k in texts else int(v) for k, v in row.items()}) for row in rows]


def table(found: Iterable[Rate]) -> str:
    """Return the rates, a line per test; liberal ones, surely above .06, in bold."""
    found = list(found)
    columns = list(itertools.product(SHAPES, GROUPS))
    heads = [f"{groups} {'even' if shape == 'equal' else 'uneven'}" for shape, groups in columns]
    lines = []
    for learner, test in dict.fromkeys((r.learner, r.test) for r in found):
        cells = []
        for shape, groups in columns:
            (own,) = (
                r
                for r in found
                if (r.learner, r.test, r.shape, r.groups) == (learner, test, shape, groups)
            )
            shown = f"{own.rate:.3f}"
            cells.append(f"**{shown}**" if own.interval[0] > 0.06 else shown)
        lines.append((learner, test, *cells))
    return markdown(("learner", "test", *heads), lines, 2)

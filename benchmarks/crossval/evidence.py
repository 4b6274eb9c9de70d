"""Make and keep the evidence: every plan run on many data sets of a regime.

Fits take hours and tests seconds, so the evidence is kept in blocks of data sets, each with a
generator of its own, and a run goes on where the last one stopped.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crossval import plans
from benchmarks.crossval.data import Array, Sample, draw
from benchmarks.crossval.metrics import METRICS, right
from benchmarks.crossval.regimes import Regime

BLOCK = 50


def one(regime: Regime, rng: np.random.Generator) -> dict[str, Array]:
    """Run every plan on one data set.

    Returns
    -------
    dict
        For each plan the differences A − B of the folds' scores; for accuracy also the counts of
        the ten halves: ``b`` only A right, ``c`` only B right, ``n_test`` rows, shape (5, 2).
    """
    sample = draw(regime.population, rng)
    found = {}
    for name, splits in _plans(sample, rng).items():
        scores = _class_scores(regime, sample, splits, rng)
        a, b = (METRICS[regime.metric](s, sample.y, splits.test) for s in scores)
        found[name] = (a - b).reshape(splits.shape)
        if name == "5x2" and regime.metric == "accuracy":
            found |= _counts(scores, sample.y, splits)
    found["halves"] = found["halves"].mean(axis=2)
    return found


def _plans(sample: Sample, rng: np.random.Generator) -> dict[str, plans.Splits]:
    return {
        "5x2": plans.five_by_two(sample, rng),
        "10x10": plans.repeated_folds(sample, rng, repeats=10, k=10),
        "resampled": plans.random_splits(sample, rng, splits=30, test_share=0.2),
        "halves": plans.halves(sample, rng, repeats=20, k=5),
        "full": plans.repeated_folds(sample, rng, repeats=3, k=5),
    }


def _class_scores(
    regime: Regime, sample: Sample, splits: plans.Splits, rng: np.random.Generator
) -> list[Array]:
    """Fit A and B on every training set and predict its test set."""
    views = (sample.views[0], sample.views[0 if regime.same_view else 1])
    return [regime.learner(x, sample.y, splits.train, splits.test, rng) for x in views]


def _counts(scores: list[Array], y: Array, splits: plans.Splits) -> dict[str, Array]:
    right_a, right_b = (right(s, y) & splits.test for s in scores)
    return {
        "b": (right_a & ~right_b).sum(axis=1).reshape(splits.shape),
        "c": (right_b & ~right_a).sum(axis=1).reshape(splits.shape),
        "n_test": splits.test.sum(axis=1).reshape(splits.shape),
    }


def make(runs: Mapping[Regime, int], folder: Path, seed: int) -> Iterator[tuple[str, int]]:
    """Make the blocks that are missing, of all regimes in turn; yield each one's name and number.

    `runs` says how many data sets of each regime are wanted.
    """
    for block in itertools.count():
        wanted = [regime for regime in runs if block * BLOCK < runs[regime]]
        if not wanted:
            return
        for regime in wanted:
            path = _path(folder, seed, regime, block)
            if path.exists():
                continue
            sets = [
                one(regime, np.random.default_rng([seed, *regime.name.encode(), block, i]))
                for i in range(min(BLOCK, runs[regime] - block * BLOCK))
            ]
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            with partial.open("wb") as file:
                np.savez_compressed(file, **{k: np.stack([s[k] for s in sets]) for k in sets[0]})
            partial.replace(path)
            yield regime.name, block


def seconds(regime: Regime, times: int = 3) -> float:
    """Return the CPU seconds that the evidence of one data set takes, the least of some times."""
    taken = []
    for i in range(times):
        start = time.process_time()
        one(regime, np.random.default_rng(i))
        taken.append(time.process_time() - start)
    return min(taken)


def seeds(folder: Path) -> list[int]:
    """List the seeds that evidence was made with."""
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal())


def read(regime: Regime, folder: Path, seed: int) -> dict[str, Array]:
    """Return the evidence of all data sets made so far, stacked along the first axis."""
    paths = sorted(_path(folder, seed, regime, 0).parent.glob("*.npz"))
    blocks = [dict(np.load(path)) for path in paths]
    return {k: np.concatenate([block[k] for block in blocks]) for k in blocks[0]} if blocks else {}


def _path(folder: Path, seed: int, regime: Regime, block: int) -> Path:
    name = "".join(c if c.isalnum() else "-" for c in regime.name)
    return folder / str(seed) / name / f"{block:03d}.npz"

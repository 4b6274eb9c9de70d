"""Make and keep the evidence: every plan run on many data sets of a regime.

Fits take hours and tests seconds, so the evidence is kept in blocks of data sets, each with a
generator of its own, and a run goes on where the last one stopped.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from bakeoff import stats
from benchmarks.crossval import plans
from benchmarks.crossval.blur import blurs
from benchmarks.crossval.data import Array, Population, Sample, draw
from benchmarks.crossval.metrics import METRICS, right
from benchmarks.crossval.regimes import Regime

BLOCK = 50


PLANS: dict[str, Callable[[Sample, np.random.Generator], plans.Splits]] = {
    "5x2": plans.five_by_two,
    "10-fold": partial(plans.repeated_folds, repeats=1, k=10),
    "10-fold, nine more": partial(plans.repeated_folds, repeats=9, k=10),
    "resampled": partial(plans.random_splits, splits=30, test_share=0.2),
    "halves": partial(plans.halves, repeats=10, k=5),
    "halves, ten more": partial(plans.halves, repeats=10, k=5),
    "full": partial(plans.repeated_folds, repeats=3, k=5),
}
"""Every plan; tests of many repetitions look at two of them."""


def one(
    regime: Regime, rng: np.random.Generator, wanted: Collection[str] = tuple(PLANS)
) -> dict[str, Array]:
    """Run the plans wanted on one data set.

    Returns
    -------
    dict
        For each plan the differences A − B of the folds' scores, for accuracy also the counts of
        the ten halves: ``b`` only A right, ``c`` only B right, ``n_test`` rows, shape (5, 2), and
        ``z``, the p-value of `cv5x2_z`, whose evidence are all rows. The first axis are the
        metrics.
    """
    sample = draw(regime.population, rng)
    blur = rng.normal(size=sample.views[0].shape) if regime.other else 0.0
    found = {}
    for name, plan in PLANS.items():
        if name not in wanted:
            continue
        splits = plan(sample, rng)
        where = sample.y, splits.train, splits.test, rng
        seen, other = sample.views[0], sample.views[0 if regime.same_view else 1]
        fitted_a = regime.learner(seen, *where)
        fitted_b = (regime.other or regime.learner)(other, *where)
        differences = []
        for metric in regime.metrics:
            if regime.other:
                by = blurs()[regime.name, name.partition(",")[0], metric]
                fitted_a = regime.learner(seen + by * blur, *where)
            a, b = (METRICS[metric](f, sample.y, splits.test) for f in (fitted_a, fitted_b))
            differences.append((a - b).reshape(splits.shape))
        found[name] = np.stack(differences)
        if name == "5x2" and regime.metrics == ("accuracy",):
            counts = _counts([fitted_a, fitted_b], sample.y, splits)
            found |= {name: count[None] for name, count in counts.items()}
    return {k: v.mean(axis=-1) if k.startswith("halves") else v for k, v in found.items()}


def _counts(scores: list[Array], y: Array, splits: plans.Splits) -> dict[str, Array]:
    right_a, right_b = (right(s, y) & splits.test for s in scores)
    fold = 2 - splits.test[::2].astype(int)
    by_replication = (rows[::2] | rows[1::2] for rows in (right_a, right_b))
    return {
        "z": np.array(stats.cv5x2_z(fold, *by_replication).pvalue),
        "b": (right_a & ~right_b).sum(axis=1).reshape(splits.shape),
        "c": (right_b & ~right_a).sum(axis=1).reshape(splits.shape),
        "n_test": splits.test.sum(axis=1).reshape(splits.shape),
    }


def make(
    runs: Mapping[Regime, int], folder: Path, seed: int, wanted: Collection[str] = tuple(PLANS)
) -> Iterator[tuple[str, int]]:
    """Make the blocks that are missing, of all regimes in turn; yield each one's name and number.

    `runs` says how many data sets of each regime are wanted, `wanted` on which plans.
    """
    for block in itertools.count():
        asked = [regime for regime in runs if block * BLOCK < runs[regime]]
        if not asked:
            return
        for regime in asked:
            path = _path(folder, seed, regime, block)
            if path.exists():
                continue
            sets = [
                one(regime, np.random.default_rng([seed, *regime.name.encode(), block, i]), wanted)
                for i in range(min(BLOCK, runs[regime] - block * BLOCK))
            ]
            path.parent.mkdir(parents=True, exist_ok=True)
            begun = path.with_suffix(".partial")
            with begun.open("wb") as file:
                np.savez_compressed(file, **{k: np.stack([s[k] for s in sets]) for k in sets[0]})
            begun.replace(path)
            yield regime.name, block


def share(wanted: Collection[str]) -> float:
    """Return the share of all fits that some plans make up."""
    rng = np.random.default_rng(0)
    fits = {name: len(plan(draw(Population(100), rng), rng).train) for name, plan in PLANS.items()}
    return sum(fits[name] for name in wanted) / sum(fits.values())


def seconds(regime: Regime, times: int = 3) -> float:
    """Return the CPU seconds that the evidence of one data set takes.

    It is the least of some times, or the first where that is above one second.
    """
    taken = []
    for i in range(times):
        start = time.process_time()
        one(regime, np.random.default_rng(i))
        taken.append(time.process_time() - start)
        if taken[0] > 1:
            break
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

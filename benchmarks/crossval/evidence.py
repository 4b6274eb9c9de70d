"""Make and keep the evidence: every plan run on many data sets of a regime.

Fits take hours and tests seconds, so the evidence is kept in blocks of data sets, each with a
generator of its own, and a run goes on where the last one stopped.

Unlike learners are equally good at one size of training sets and by one metric only, so every plan
and metric has a blur of its own: the standard deviation of noise added to each feature of the
better one.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from bakeoff import stats
from benchmarks.crossval.data import METRICS, PLANS, Splits, draw, right
from benchmarks.crossval.regimes import REGIMES, Regime
from benchmarks.harness import Array, read, write

BLOCK = 50
BLURS = Path(__file__).with_name("blurs.csv")
GRID = np.linspace(0, 2, 11)


def one(
    regime: Regime, rng: np.random.Generator, wanted: Collection[str] = tuple(PLANS)
) -> dict[str, Array]:
    """Run the plans wanted on one data set; return the differences A − B of the folds' scores.

    For accuracy there are also the counts of the ten halves: ``b`` only A right, ``c`` only B
    right, ``n_test`` rows, shape (5, 2), and ``z``, the p-value of `cv5x2_z`, whose evidence are
    all rows. The first axis are the metrics.
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


def _counts(scores: list[Array], y: Array, splits: Splits) -> dict[str, Array]:
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
    regimes: Collection[Regime],
    data_sets: int,
    folder: Path,
    seed: int,
    wanted: Collection[str] = tuple(PLANS),
) -> Iterator[tuple[str, int]]:
    """Make the blocks that are missing, of all regimes in turn; yield names and numbers."""
    for block, regime in itertools.product(range(-(-data_sets // BLOCK)), regimes):
        path = _path(folder, seed, regime, block)
        if path.exists():
            continue
        sets = [
            one(regime, np.random.default_rng([seed, *regime.name.encode(), block, i]), wanted)
            for i in range(min(BLOCK, data_sets - block * BLOCK))
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        begun = path.with_suffix(".partial")
        with begun.open("wb") as file:
            np.savez_compressed(file, **{k: np.stack([s[k] for s in sets]) for k in sets[0]})
        begun.replace(path)
        yield regime.name, block


def kept(regime: Regime, folder: Path, seed: int) -> dict[str, Array]:
    """Return the evidence of all data sets made so far, stacked along the first axis."""
    paths = sorted(_path(folder, seed, regime, 0).parent.glob("*.npz"))
    blocks = [dict(np.load(path)) for path in paths]
    return {k: np.concatenate([block[k] for block in blocks]) for k in blocks[0]} if blocks else {}


def _path(folder: Path, seed: int, regime: Regime, block: int) -> Path:
    name = "".join(c if c.isalnum() else "-" for c in regime.name)
    return folder / str(seed) / name / f"{block:03d}.npz"


# Blurs -----------------------------------------------------------------------------------------


@cache
def blurs() -> dict[tuple[str, str, str], float]:
    """Return the blurs that were found, by regime, plan and metric."""
    return {(r["regime"], r["plan"], r["metric"]): float(r["blur"]) for r in read(BLURS)}


def blurred(regime: Regime, data_sets: int) -> Iterator[dict[str, str]]:
    """Search the blur of every plan and metric of a regime on data sets of its own."""
    assert regime.other is not None
    for name, plan in PLANS.items():
        if "," in name:  # more of a plan
            continue
        gap = np.zeros((len(regime.metrics), len(GRID)))
        rng = np.random.default_rng([*regime.name.encode(), *name.encode()])
        for _ in range(data_sets):
            sample = draw(regime.population, rng)
            splits = plan(sample, rng)
            train, test, y = splits.train[:2], splits.test[:2], sample.y
            noise = rng.normal(size=sample.views[0].shape)
            fitted_b = regime.other(sample.views[1], y, train, test, rng)
            for j, blur in enumerate(GRID):
                fitted_a = regime.learner(sample.views[0] + blur * noise, y, train, test, rng)
                for i, metric in enumerate(regime.metrics):
                    a, b = (METRICS[metric](f, y, test).mean() for f in (fitted_a, fitted_b))
                    gap[i, j] += a - b
        for metric, of_metric in zip(regime.metrics, gap, strict=True):
            if not of_metric[0] < 0 < of_metric[-1]:
                raise ValueError(f"{regime.name}, {name}: no blur makes both equally good")
            blur = f"{np.interp(0, of_metric, GRID):.4f}"
            yield {"regime": regime.name, "plan": name, "metric": metric, "blur": blur}


def blur_all(data_sets: int) -> None:
    """Search the blurs of all regimes of unlike learners."""
    write(BLURS, (row for regime in REGIMES if regime.other for row in blurred(regime, data_sets)))

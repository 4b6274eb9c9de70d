"""Run the tests on data sets of every regime and count how often each rejects.

Unlike learners are equally good at one size of training sets and by one metric only, so every plan
and metric has a blur of its own: the standard deviation of noise added to each feature of the
better one.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff import stats
from benchmarks.crossval.data import METRICS, PLANS, Splits, draw, right
from benchmarks.crossval.regimes import REGIMES, Regime
from benchmarks.harness import Array, Rejections, read, write

ALPHA = 0.05
CSV, BLURS = (Path(__file__).with_name(f"{name}.csv") for name in ("rates", "blurs"))
BLOCK = 50
"""Data sets with one generator each, numbered within blocks."""
GRID = np.linspace(0, 2, 11)
Evidence = dict[str, Array]


@dataclasses.dataclass(frozen=True)
class Procedure:
    """One test on one plan: its p-value, and its cost in fits on all rows of the data.

    `evidence` names the parts of the evidence that it looks at; `by_default` is false for a variant
    that the test does not run by itself.
    """

    name: str
    test: str
    cost: float
    evidence: tuple[str, ...]
    pvalue: Callable[[Evidence], float]
    by_default: bool = True


def of(name: str, *parts: str, **options: object) -> dict[str, Any]:
    """Return the facts of a procedure that runs a test on parts of the evidence as they are."""

    def pvalue(e: Evidence) -> float:
        d = _all(e, parts) if len(parts) > 1 else e[parts[0]]
        d = d[0] if name in ("kfold_t", "corrected_kfold_t") else d  # one cross-validation
        return float(getattr(stats, name)(d, np.zeros_like(d), **options).pvalue)

    return {"test": name, "evidence": parts, "pvalue": pvalue}


def _all(e: Evidence, parts: tuple[str, ...]) -> Array:
    return np.concatenate([e[part] for part in parts])


def halves(*parts: str, full: bool = False) -> dict[str, Any]:
    """Return the facts of the half-sample t test, about the halves or about all rows."""

    def pvalue(e: Evidence) -> float:
        d, of_all = _all(e, parts).reshape(-1, 1), 0
        if full:  # K folds of the mean of each half, as the test takes scores
            d = np.vstack([np.repeat(d, e["full"].shape[1], axis=1), e["full"]])
            of_all = len(e["full"])
        how = {"full_repeats": of_all, "variant": "full" if full else "halves"}
        return float(stats.half_sample_t(d, np.zeros_like(d), **how).pvalue)

    evidence = (*parts, "full") if full else parts
    return {"test": "half_sample_t", "evidence": evidence, "pvalue": pvalue}


def _rows(e: Evidence) -> float:
    return stats.cv5x2_mcnemar_from_counts(e["b"], e["c"], e["n_test"]).pvalue


_REPEATED = of("corrected_repeated_kfold_t", "5x2")
_TWENTY = "halves", "halves, ten more"
LARGER = {
    "test": "corrected_repeated_kfold_t",
    "evidence": ("5x2", "b"),
    "pvalue": lambda e: max(_rows(e), _REPEATED["pvalue"](e)),
}
PROCEDURES: tuple[Procedure, ...] = (
    Procedure("5×2cv t", cost=5, **of("cv5x2_t", "5x2")),
    Procedure("5×2cv F", cost=5, **of("cv5x2_f", "5x2")),
    Procedure("5×2cv z", "cv5x2_z", 5, ("z",), lambda e: float(e["z"])),
    Procedure("5×2cv McNemar", "cv5x2_mcnemar", 5, ("b",), _rows),
    Procedure("corrected t, 5×2", cost=5, **_REPEATED),
    Procedure("larger p, McNemar and corrected t", cost=5, **LARGER, by_default=False),
    Procedure("10-fold t", cost=9, **of("kfold_t", "10-fold")),
    Procedure("corrected t, 10-fold", cost=9, **of("corrected_kfold_t", "10-fold")),
    Procedure(
        "corrected t, 10×10",
        cost=90,
        **of("corrected_repeated_kfold_t", "10-fold", "10-fold, nine more"),
    ),
    Procedure("t, 30 splits", cost=24, **of("resampled_t", "resampled")),
    Procedure(
        "corrected t, 30 splits",
        cost=24,
        **of("corrected_resampled_t", "resampled", n_train=4, n_test=1),
    ),
    Procedure("half-sample t, M = 20", cost=92, **halves(*_TWENTY, full=True), by_default=False),
    Procedure("half-sample t, halves", cost=80, **halves(*_TWENTY)),
    Procedure("half-sample t, halves, M = 10", cost=40, **halves("halves")),
)


def one(regime: Regime, rng: np.random.Generator) -> dict[str, Array]:
    """Run every plan on one data set; return the differences A − B of the folds' scores.

    For accuracy there are also the counts of the ten halves: ``b`` only A right, ``c`` only B
    right, ``n_test`` rows, shape (5, 2), and ``z``, the p-value of `cv5x2_z`, whose evidence are
    all rows. The first axis are the metrics.
    """
    sample = draw(regime.population, rng)
    blur = rng.normal(size=sample.views[0].shape) if regime.other else 0.0
    found = {}
    for name, plan in PLANS.items():
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


@dataclasses.dataclass(frozen=True)
class Rate(Rejections):
    """How often one procedure rejected in one regime, and the seeds of the data sets drawn."""

    kind: str
    family: str
    regime: str
    procedure: str
    test: str
    runs: int
    rejected: int
    undecided: int
    seeds: str


def rates(regime: Regime, data_sets: int, seed: int) -> Iterator[Rate]:
    """Count rejections over data sets drawn from a seed."""
    found = [
        one(regime, np.random.default_rng([seed, *regime.name.encode(), *divmod(i, BLOCK)]))
        for i in range(data_sets)
    ]
    for at, procedure in itertools.product(range(len(regime.metrics)), PROCEDURES):
        if not set(procedure.evidence) <= set(found[0]):
            continue
        p = [procedure.pvalue({part: own[at] for part, own in each.items()}) for each in found]
        yield Rate(
            "power" if regime.power else "level",
            regime.family,
            regime.by(regime.metrics[at]),
            procedure.name,
            procedure.test,
            data_sets,
            sum(one < ALPHA for one in p),
            sum(map(math.isnan, p)),
            str(seed),
        )


Counts = dict[tuple[str, str], Rate]
"""Rates by regime and procedure."""
_NUMBERS = ("runs", "rejected", "undecided")


def merge(known: Counts, found: Iterable[Rate]) -> Counts:
    """Add the counts of data sets of another seed to those known."""
    merged = dict(known)
    for rate in found:
        key = rate.regime, rate.procedure
        before = known.get(key)
        if before is not None:
            if rate.seeds in before.seeds.split():
                raise ValueError(
                    f"{rate.regime}: data sets of seed {rate.seeds} are counted already; make them "
                    "with another seed"
                )
            sums = {name: getattr(before, name) + getattr(rate, name) for name in _NUMBERS}
            rate = dataclasses.replace(rate, **sums, seeds=f"{before.seeds} {rate.seeds}")
        merged[key] = rate
    return merged


def save(counts: Counts, path: Path = CSV) -> None:
    """Write counts as CSV, in the order of the study."""
    regimes = [regime.by(metric) for regime in REGIMES for metric in regime.metrics]
    procedures = [procedure.name for procedure in PROCEDURES]
    order = sorted(counts, key=lambda k: (regimes.index(k[0]), procedures.index(k[1])))
    write(path, (dataclasses.asdict(counts[key]) for key in order))


def load(path: Path = CSV) -> list[Rate]:
    """Read what `save` wrote."""
    return [
        Rate(**{key: int(value) if key in _NUMBERS else value for key, value in row.items()})
        for row in read(path)
    ]


# Blurs ------------------------------------------------------------------------------------------


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


def simulate(data_sets: int, seed: int = 1) -> Iterator[str]:
    """Add the data sets of a seed to the regimes that have none of it yet: hours in all."""
    if not BLURS.exists():
        unlike = (regime for regime in REGIMES if regime.other)
        write(BLURS, (row for regime in unlike for row in blurred(regime, 400)))
    known = {(rate.regime, rate.procedure): rate for rate in load()}
    drawn = {rate.regime for rate in known.values() if str(seed) in rate.seeds.split()}
    for regime in REGIMES:
        if regime.by(regime.metrics[0]) not in drawn:
            known = merge(known, rates(regime, data_sets, seed))
            save(known)
            yield regime.name

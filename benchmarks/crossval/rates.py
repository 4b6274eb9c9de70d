"""Run the tests on the evidence and count how often each rejects."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from bakeoff import stats
from benchmarks.crossval.evidence import kept
from benchmarks.crossval.regimes import REGIMES, Regime
from benchmarks.harness import Array, Rejections, read, write

ALPHA = 0.05
CSV = Path(__file__).with_name("rates.csv")
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


def _of(name: str, d: Array, **options: object) -> float:
    return float(getattr(stats, name)(d, np.zeros_like(d), **options).pvalue)


_TEN = "10-fold", "10-fold, nine more"
_TWENTY = "halves", "halves, ten more"


def _all(e: Evidence, parts: tuple[str, ...]) -> Array:
    return np.concatenate([e[part] for part in parts])


def _halves(e: Evidence, parts: tuple[str, ...]) -> float:
    return _of("half_sample_t", _all(e, parts).reshape(-1, 1), full_repeats=0)


def _full(e: Evidence) -> float:
    # K folds of the mean of each half, as the test takes scores
    inside = np.repeat(_all(e, _TWENTY).reshape(-1, 1), e["full"].shape[1], axis=1)
    rows = np.vstack([inside, e["full"]])
    return _of("half_sample_t", rows, full_repeats=len(e["full"]), variant="full")


def _rows(e: Evidence) -> float:
    return stats.cv5x2_mcnemar_from_counts(e["b"], e["c"], e["n_test"]).pvalue


PROCEDURES: tuple[Procedure, ...] = (
    Procedure("5×2cv t", "cv5x2_t", 5, ("5x2",), lambda e: _of("cv5x2_t", e["5x2"])),
    Procedure("5×2cv F", "cv5x2_f", 5, ("5x2",), lambda e: _of("cv5x2_f", e["5x2"])),
    Procedure("5×2cv z", "cv5x2_z", 5, ("z",), lambda e: float(e["z"])),
    Procedure("5×2cv McNemar", "cv5x2_mcnemar", 5, ("b",), _rows),
    Procedure(
        "corrected t, 5×2",
        "corrected_repeated_kfold_t",
        5,
        ("5x2",),
        lambda e: _of("corrected_repeated_kfold_t", e["5x2"]),
    ),
    Procedure(
        "larger p, McNemar and corrected t",
        "corrected_repeated_kfold_t",
        5,
        ("5x2", "b"),
        lambda e: max(_rows(e), _of("corrected_repeated_kfold_t", e["5x2"])),
        by_default=False,
    ),
    Procedure("10-fold t", "kfold_t", 9, ("10-fold",), lambda e: _of("kfold_t", e["10-fold"][0])),
    Procedure(
        "corrected t, 10-fold",
        "corrected_kfold_t",
        9,
        ("10-fold",),
        lambda e: _of("corrected_kfold_t", e["10-fold"][0]),
    ),
    Procedure(
        "corrected t, 10×10",
        "corrected_repeated_kfold_t",
        90,
        _TEN,
        lambda e: _of("corrected_repeated_kfold_t", _all(e, _TEN)),
    ),
    Procedure(
        "t, 30 splits",
        "resampled_t",
        24,
        ("resampled",),
        lambda e: _of("resampled_t", e["resampled"]),
    ),
    Procedure(
        "corrected t, 30 splits",
        "corrected_resampled_t",
        24,
        ("resampled",),
        lambda e: _of("corrected_resampled_t", e["resampled"], n_train=4, n_test=1),
    ),
    Procedure(
        "half-sample t, M = 20",
        "half_sample_t",
        92,
        (*_TWENTY, "full"),
        _full,
        by_default=False,
    ),
    Procedure(
        "half-sample t, halves",
        "half_sample_t",
        80,
        _TWENTY,
        lambda e: _halves(e, _TWENTY),
    ),
    Procedure(
        "half-sample t, halves, M = 10",
        "half_sample_t",
        40,
        ("halves",),
        lambda e: _halves(e, ("halves",)),
    ),
)


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


def rates(regimes: Iterable[Regime], folder: Path, seed: int) -> Iterator[Rate]:
    """Count rejections over all evidence of a seed that is there."""
    for regime in regimes:
        evidence = kept(regime, folder, seed)
        if not evidence:
            continue
        runs = len(next(iter(evidence.values())))
        for at, procedure in itertools.product(range(len(regime.metrics)), PROCEDURES):
            if not set(procedure.evidence) <= set(evidence):
                continue
            own = {part: evidence[part][:, at] for part in evidence}
            found = [procedure.pvalue({k: v[i] for k, v in own.items()}) for i in range(runs)]
            yield Rate(
                "power" if regime.power else "level",
                regime.family,
                regime.by(regime.metrics[at]),
                procedure.name,
                procedure.test,
                runs,
                sum(p < ALPHA for p in found),
                sum(map(math.isnan, found)),
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

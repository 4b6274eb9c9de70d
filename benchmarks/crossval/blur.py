"""Blur what a better learner sees until its expected score is that of another one.

Unlike learners are equally good at one size of training sets and by one metric only, so every plan
and metric has a blur of its own: the standard deviation of noise added to each feature.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.crossval.data import Sample, draw
from benchmarks.crossval.metrics import METRICS
from benchmarks.crossval.plans import Splits
from benchmarks.crossval.regimes import Regime

CSV = Path(__file__).with_name("blurs.csv")
GRID = np.linspace(0, 2, 11)
Plans = dict[str, Callable[[Sample, np.random.Generator], Splits]]


@cache
def blurs() -> dict[tuple[str, str, str], float]:
    """Return what `write` wrote, by regime, plan and metric."""
    with CSV.open(newline="", encoding="utf-8") as file:
        return {
            (r["regime"], r["plan"], r["metric"]): float(r["blur"]) for r in csv.DictReader(file)
        }


def found(regime: Regime, plans: Plans, data_sets: int) -> Iterator[tuple[str, str, str, str]]:
    """Search the blur of every plan and metric of a regime on data sets of its own."""
    assert regime.other is not None
    for name, plan in plans.items():
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
            yield regime.name, name, metric, f"{np.interp(0, of_metric, GRID):.4f}"


def write(regimes: Iterable[Regime], plans: Plans, data_sets: int) -> None:
    """Search the blurs of all regimes of unlike learners."""
    rows = [row for regime in regimes if regime.other for row in found(regime, plans, data_sets)]
    with CSV.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["regime", "plan", "metric", "blur"])
        writer.writerows(rows)

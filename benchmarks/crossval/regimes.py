"""The regimes of the study: a population, a learner and a metric each."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path

from benchmarks.crossval.data import Population
from benchmarks.crossval.learners import (
    Learner,
    failing_centroid,
    forest,
    linear_discriminant,
    logistic,
    nearest_centroid,
    neighbours,
    random_subspace,
    selection,
    shrunken_ridge,
    soft_threshold,
    tree,
)


@dataclasses.dataclass(frozen=True)
class Regime:
    """One way to draw evidence.

    Attributes
    ----------
    name, family : str
        The name in the files, and the family of learners it speaks of.
    learner : Learner
        A is fitted on the first view of a data set, B on the second.
    population : Population
        Where data sets come from.
    metric : str
        A key of `metrics.METRICS`.
    same_view : bool
        B sees A's view: the two differ in their seeds alone.
    power : bool
        A is really better; else both are equally good.
    """

    name: str
    family: str
    learner: Learner
    population: Population
    metric: str = "accuracy"
    same_view: bool = False
    power: bool = False


_SIZES = (100, 300, 1000)
_SMALL = _SIZES[:2]


def _sizes(
    name: str, family: str, learner: Learner, sizes: tuple[int, ...] = _SIZES, **facts: object
) -> list[Regime]:
    metric = str(facts.pop("metric", "accuracy"))
    return [
        Regime(f"{name} {rows}", family, learner, Population(rows, **facts), metric=metric)
        for rows in sizes
    ]


LEVEL: tuple[Regime, ...] = (
    *_sizes("nearest centroid", "linear", nearest_centroid),
    *_sizes("LDA", "linear", linear_discriminant),
    *_sizes("1-NN", "neighbours", neighbours(1)),
    *_sizes("ridge, Brier", "shrunken", shrunken_ridge, metric="brier"),
    *_sizes("selection", "trees and selection", selection),
    *_sizes("logistic", "linear", logistic),
    *_sizes("5-NN", "neighbours", neighbours(5)),
    *_sizes("15-NN", "neighbours", neighbours(15)),
    *_sizes("logistic, 15 %", "linear", logistic, minority=0.15),
    *_sizes("nearest centroid, heavy tails", "linear", nearest_centroid, _SMALL, tails=3),
    *_sizes("1-NN, 10 % mislabelled", "neighbours", neighbours(1), _SMALL, mislabelled=0.1),
    *_sizes("soft threshold, Brier", "shrunken", soft_threshold, _SMALL, metric="brier"),
    *(
        Regime(
            f"seeds alone {rows}",
            "seeds alone",
            random_subspace,
            Population(rows),
            same_view=True,
        )
        for rows in _SIZES
    ),
    *_sizes("failing fits", "failing fits", failing_centroid),
    *_sizes("three classes, nearest centroid", "linear", nearest_centroid, _SMALL, classes=3),
    *_sizes("three classes, 5-NN", "neighbours", neighbours(5), _SMALL, classes=3),
    *_sizes("LDA, AUC", "linear", linear_discriminant, _SMALL, metric="auc"),
    *_sizes("5-NN, AUC", "neighbours", neighbours(5), _SMALL, metric="auc"),
    *_sizes(
        "groups of 5, nearest centroid",
        "rows in groups",
        nearest_centroid,
        _SMALL,
        group_size=5,
    ),
    *_sizes("groups of 5, 5-NN", "rows in groups", neighbours(5), _SMALL, group_size=5),
    *_sizes("tree", "trees and selection", tree, _SMALL),
    *_sizes("forest", "trees and selection", forest, _SMALL),
)

_BETTER = (
    ("nearest centroid", "linear", nearest_centroid, Population(300, advantage=0.25)),
    ("LDA", "linear", linear_discriminant, Population(300, advantage=0.25)),
    ("selection", "trees and selection", selection, Population(300, advantage=0.25)),
    ("5-NN", "neighbours", neighbours(5), Population(300, advantage=0.25)),
    ("tree", "trees and selection", tree, Population(100, advantage=0.5)),
)
POWER: tuple[Regime, ...] = tuple(
    Regime(f"better {name} {at.rows}", family, learner, at, power=True)
    for name, family, learner, at in _BETTER
)

REGIMES: tuple[Regime, ...] = (*LEVEL, *POWER)

COSTS = Path(__file__).with_name("costs.csv")
RUNS = ((0.2, 2000), (1.0, 500), (math.inf, 100))
"""Data sets wanted of a regime, by the CPU seconds that one takes at most."""


def costs() -> dict[str, float]:
    """Return the CPU seconds of one data set of each regime, as `python -m ... costs` took them."""
    with COSTS.open(newline="") as file:
        return {row["regime"]: float(row["seconds"]) for row in csv.DictReader(file)}


def wanted(seconds: float) -> int:
    """Return how many data sets a regime gets whose data sets take this many CPU seconds each."""
    return next(runs for most, runs in RUNS if seconds <= most)

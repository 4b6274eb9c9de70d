"""The regimes of the study: a population, a learner and a metric each."""

from __future__ import annotations

import dataclasses

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
    runs : int
        Data sets wanted.
    """

    name: str
    family: str
    learner: Learner
    population: Population
    metric: str = "accuracy"
    same_view: bool = False
    power: bool = False
    runs: int = 2000


_SIZES = (100, 300, 1000)


def _sizes(name: str, family: str, learner: Learner, runs: tuple[int, ...], **facts: object):
    metric = str(facts.pop("metric", "accuracy"))
    return [
        Regime(f"{name} {rows}", family, learner, Population(rows, **facts), metric=metric, runs=n)
        for rows, n in zip(_SIZES, runs, strict=False)
    ]


_FULL = (2000, 2000, 2000)
_PART = (2000, 2000, 400)

LEVEL: tuple[Regime, ...] = (
    *_sizes("nearest centroid", "linear", nearest_centroid, _FULL),
    *_sizes("LDA", "linear", linear_discriminant, _FULL),
    *_sizes("1-NN", "neighbours", neighbours(1), _PART),
    *_sizes("ridge, Brier", "shrunken", shrunken_ridge, _FULL, metric="brier"),
    *_sizes("selection", "trees and selection", selection, _FULL),
    *_sizes("logistic", "linear", logistic, _FULL),
    *_sizes("5-NN", "neighbours", neighbours(5), _PART),
    *_sizes("15-NN", "neighbours", neighbours(15), _PART),
    *_sizes("logistic, 15 %", "linear", logistic, _FULL, minority=0.15),
    *_sizes("nearest centroid, heavy tails", "linear", nearest_centroid, _PART[:2], tails=3),
    *_sizes("1-NN, 10 % mislabelled", "neighbours", neighbours(1), _PART[:2], mislabelled=0.1),
    *_sizes("soft threshold, Brier", "shrunken", soft_threshold, _FULL[:2], metric="brier"),
    *(
        Regime(
            f"seeds alone {rows}",
            "seeds alone",
            random_subspace,
            Population(rows),
            same_view=True,
            runs=runs,
        )
        for rows, runs in zip(_SIZES, _FULL, strict=True)
    ),
    *_sizes("failing fits", "failing fits", failing_centroid, _FULL),
    *_sizes("three classes, nearest centroid", "linear", nearest_centroid, _PART[:2], classes=3),
    *_sizes("three classes, 5-NN", "neighbours", neighbours(5), _PART[:2], classes=3),
    *_sizes("LDA, AUC", "linear", linear_discriminant, _PART[:2], metric="auc"),
    *_sizes("5-NN, AUC", "neighbours", neighbours(5), _PART[:2], metric="auc"),
    *_sizes(
        "groups of 5, nearest centroid",
        "rows in groups",
        nearest_centroid,
        _PART[:2],
        group_size=5,
    ),
    *_sizes("groups of 5, 5-NN", "rows in groups", neighbours(5), _PART[:2], group_size=5),
    *_sizes("tree", "trees and selection", tree, (1000, 300)),
    *_sizes("forest", "trees and selection", forest, (200,)),
)

_BETTER = (
    ("nearest centroid", "linear", nearest_centroid, Population(300, advantage=0.25), 2000),
    ("LDA", "linear", linear_discriminant, Population(300, advantage=0.25), 2000),
    ("selection", "trees and selection", selection, Population(300, advantage=0.25), 2000),
    ("5-NN", "neighbours", neighbours(5), Population(300, advantage=0.25), 2000),
    ("tree", "trees and selection", tree, Population(100, advantage=0.5), 300),
)
POWER: tuple[Regime, ...] = tuple(
    Regime(f"better {name} {at.rows}", family, learner, at, power=True, runs=runs)
    for name, family, learner, at, runs in _BETTER
)

REGIMES: tuple[Regime, ...] = (*LEVEL, *POWER)

"""The cells of the studies of scores over folds: plans, learners and populations.

Groups, three classes and tuned learners stand beside the basic cells.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from bakeoff.spec.learners import SHRUNKEN
from benchmarks.crossval import learners as fit
from benchmarks.crossval import regimes
from benchmarks.crossval.data import Numbers, Sample, Splits, random_splits, repeated_folds
from benchmarks.crossval.learners import Learner
from benchmarks.crossval.row_values import DECISIONS
from benchmarks.crossval.rows_data import Classes
from benchmarks.harness import Array

Rng = np.random.Generator


# Plans ------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Plan:
    """Repeated folds, or random splits."""

    repeats: int
    k: int
    stratified: bool = True
    one_fold: bool = False  # only the first of each k folds

    @property
    def least(self) -> int:
        """Rows of each class that a data set needs."""
        if self.one_fold:
            return 4
        return self.k if self.k == 10 else 2 * self.k

    @property
    def replications(self) -> Array:
        """The replication of each split."""
        return np.repeat(np.arange(self.repeats), 1 if self.one_fold else self.k)

    def divide(self, sample: Sample, rng: Rng) -> Splits:
        """Divide a data set."""
        if not self.stratified:
            sample = dataclasses.replace(sample, y=sample.y.astype(float))
        if self.one_fold:
            return random_splits(sample, rng, splits=self.repeats, test_share=1 / self.k)
        return repeated_folds(sample, rng, repeats=self.repeats, k=self.k)


PLANS = {
    "5x2": Plan(5, 2),
    "5x2 plain": Plan(5, 2, stratified=False),
    "5x5": Plan(5, 5),
    "10 splits": Plan(10, 3, one_fold=True),
    "5-fold": Plan(1, 5),
    "10-fold": Plan(1, 10),
}


# Cells ------------------------------------------------------------------------------------------

LEARNERS: dict[str, Learner] = {
    "logistic, C = 1": fit.shrunken_logistic(1.0),
    "logistic, C = .05": fit.shrunken_logistic(0.05),
    "logistic, C = .01": fit.shrunken_logistic(0.01),
    "logistic, C tuned": fit.tuned_logistic,
    "logistic, threshold tuned": fit.tuned(fit.logistic),
    "naive Bayes": fit.posterior(fit.naive_bayes),
    "LDA": fit.posterior(fit.linear_discriminant),
    "5-NN": fit.shares_of_neighbours(5),
    "15-NN": fit.shares_of_neighbours(15),
    "tree": fit.tree,
    "tree, leaves of 5": fit.leafy_tree(5),
    "forest": fit.forest,
    "SVM": fit.support_vectors,
    "network": fit.network(),
    "QDA": fit.posterior(fit.quadratic_discriminant),
    "nearest centroid": fit.nearest_centroid,
    "selection": fit.selection,
    "20 stumps": fit.boosted_stumps(20, 0.1),
    "60 stumps": fit.boosted_stumps(60, 0.3),
    "OLS": fit.least_squares,
    "ridge": fit.ridge(0.1),
    "ridge, strong": fit.ridge(1),
    "5-NN regression": fit.mean_of_neighbours(5),
    "regression tree of depth 3": fit.regression_tree(3),
    "regression forest": fit.regression_forest,
    "regression boosting": fit.regression_boosting,
}
KINDS = {
    "logistic, C = 1": regimes.LOGISTIC,
    "logistic, C = .05": regimes.LOGISTIC,
    "logistic, C = .01": SHRUNKEN,
    "logistic, C tuned": regimes.LOGISTIC,
    "logistic, threshold tuned": regimes.MOVED,
    "naive Bayes": "naive Bayes",
    "LDA": regimes.LDA,
    "5-NN": regimes.NEIGHBOURS,
    "15-NN": regimes.NEIGHBOURS,
    "tree": regimes.TREE,
    "tree, leaves of 5": regimes.TREE,
    "forest": regimes.FOREST,
    "SVM": "support vector machines",
    "network": "neural networks",
    "QDA": "quadratic discriminant analysis",
    "nearest centroid": regimes.CENTROID,
    "selection": regimes.SELECTION,
    "20 stumps": regimes.BOOSTING,
    "60 stumps": regimes.BOOSTING,
    "OLS": regimes.LINEAR,
    "ridge": regimes.LINEAR,
    "ridge, strong": SHRUNKEN,
    "5-NN regression": regimes.NEIGHBOURS,
    "regression tree of depth 3": regimes.TREE,
    "regression forest": regimes.FOREST,
    "regression boosting": regimes.BOOSTING,
}
"""The kinds of learners, as `bakeoff.spec.learners` names them."""
METRICS_OF = dict.fromkeys(
    ("logistic, threshold tuned", "SVM", "nearest centroid", "selection"), DECISIONS
)
"""Learners that give no probabilities."""
THREE, MIDDLE, RARE = (1 / 3, 1 / 3, 1 / 3), (0.3, 0.4, 0.3), (0.7, 0.2, 0.1)
Population = Classes | Numbers
Cell = tuple[str, Population]


def two(rows: int, positive: float, **facts: Any) -> Classes:
    """Return a population of two classes."""
    return Classes(rows, (1 - positive, positive), **facts)


BASIC: tuple[Cell, ...] = (
    ("logistic, C = 1", two(100, 0.5)),
    ("logistic, C = 1", two(200, 0.2)),
    ("logistic, C = 1", two(300, 0.1)),
    ("logistic, C = 1", two(500, 0.05)),
    ("logistic, C = .05", two(60, 0.5)),
    ("logistic, C = .05", two(150, 0.3)),
    ("logistic, C = .05", two(300, 0.1)),
    ("logistic, C = .01", two(60, 0.5)),
    ("logistic, C = .01", two(150, 0.2)),
    ("logistic, C = .01", two(300, 0.4)),
    ("logistic, C = .01", two(500, 0.1)),
    ("naive Bayes", two(60, 0.4)),
    ("naive Bayes", two(150, 0.1)),
    ("naive Bayes", two(300, 0.5)),
    ("naive Bayes", two(500, 0.2)),
    ("15-NN", two(60, 0.5)),
    ("15-NN", two(150, 0.2)),
    ("15-NN", two(300, 0.5)),
    ("15-NN", two(500, 0.1)),
    ("5-NN", two(100, 0.1)),
    ("5-NN", two(200, 0.5)),
    ("tree, leaves of 5", two(100, 0.5)),
    ("tree, leaves of 5", two(300, 0.2)),
    ("tree", two(150, 0.3)),
    ("20 stumps", two(100, 0.5)),
    ("20 stumps", two(150, 0.2)),
    ("20 stumps", two(300, 0.1)),
    ("60 stumps", two(200, 0.3)),
    ("LDA", two(60, 0.5)),
    ("LDA", two(150, 0.1)),
    ("LDA", two(300, 0.3)),
    ("logistic, C = 1", two(150, 0.3, features="heavy")),
    ("logistic, C = .05", two(200, 0.2, features="skewed")),
    ("15-NN", two(150, 0.3, features="related")),
    ("logistic, C = 1", two(100, 0.5, signal=0.0)),
    ("logistic, C = .01", two(100, 0.4, signal=0.0)),
    ("logistic, C = 1", two(100, 0.2, signal=1.8)),
    ("LDA", two(150, 0.3, signal=1.8)),
    ("logistic, threshold tuned", two(200, 0.1)),
)
FURTHER: tuple[Cell, ...] = (
    ("forest", two(100, 0.5)),
    ("forest", two(200, 0.2)),
    ("SVM", two(100, 0.5)),
    ("SVM", two(200, 0.2)),
    ("network", two(100, 0.5)),
    ("network", two(200, 0.2)),
    ("QDA", two(100, 0.5)),
    ("QDA", two(300, 0.2)),
    ("nearest centroid", two(100, 0.5)),
    ("selection", two(150, 0.4)),
)
TUNED: tuple[Cell, ...] = (
    ("logistic, C tuned", two(60, 0.5)),
    ("logistic, C tuned", two(100, 0.3)),
    ("logistic, C tuned", two(200, 0.15)),
    ("logistic, C tuned", two(300, 0.5)),
    ("logistic, C tuned", Classes(100, (0.5, 0.3, 0.2))),
)
CLASSES: tuple[Cell, ...] = (
    ("logistic, C = 1", Classes(150, THREE)),
    ("logistic, C = .01", Classes(60, THREE)),
    ("logistic, C = .01", Classes(250, MIDDLE)),
    ("naive Bayes", Classes(150, RARE)),
    ("15-NN", Classes(200, THREE)),
    ("LDA", Classes(300, RARE)),
    ("tree, leaves of 5", Classes(150, (0.4, 0.4, 0.2))),
)
GROUPS: tuple[Cell, ...] = (
    ("logistic, C = 1", two(200, 0.5, group_size=5)),
    ("logistic, C = 1", two(300, 0.3, group_size=10)),
    ("logistic, C = 1", two(200, 0.3, group_size=5, one_class=True)),
    ("logistic, C = 1", two(300, 0.3, group_size=6, uneven=True)),
    ("logistic, C = .05", two(200, 0.5, group_size=5)),
    ("logistic, C tuned", two(200, 0.3, group_size=5)),
    ("naive Bayes", two(200, 0.3, group_size=5)),
    ("15-NN", two(300, 0.5, group_size=5)),
    ("15-NN", two(300, 0.4, group_size=5, one_class=True)),
    ("LDA", two(500, 0.2, group_size=10)),
    ("tree, leaves of 5", two(200, 0.5, group_size=5)),
    ("naive Bayes", Classes(300, MIDDLE, group_size=5)),
)
PLAIN: tuple[Cell, ...] = (
    ("logistic, C = 1", two(200, 0.2)),
    ("logistic, C = .05", two(150, 0.3)),
    ("logistic, C = .01", two(60, 0.5)),
    ("logistic, C = .01", two(300, 0.4)),
    ("logistic, C = .01", Classes(250, MIDDLE)),
    ("naive Bayes", two(300, 0.2)),
    ("15-NN", two(150, 0.3)),
    ("LDA", two(150, 0.3)),
)
OTHER: tuple[Cell, ...] = (
    ("logistic, C = 1", two(200, 0.2)),
    ("logistic, C = .05", two(150, 0.3)),
    ("logistic, C = .01", two(60, 0.5)),
    ("logistic, C = .01", two(200, 0.3)),
    ("logistic, C tuned", two(100, 0.3)),
    ("naive Bayes", two(300, 0.2)),
    ("15-NN", two(200, 0.3)),
    ("tree, leaves of 5", two(200, 0.3)),
    ("20 stumps", two(150, 0.3)),
    ("LDA", two(150, 0.5)),
    ("forest", two(150, 0.3)),
    ("SVM", two(200, 0.3)),
    ("QDA", two(200, 0.3)),
    ("naive Bayes", Classes(250, RARE)),
    ("logistic, C = 1", two(200, 0.5, group_size=5)),
)
POWER: tuple[Cell, ...] = (
    ("logistic, C = 1", two(300, 0.5, weaker=0.7)),
    ("logistic, C = 1", two(300, 0.15, weaker=0.7)),
    ("logistic, C = .05", two(150, 0.4, weaker=0.7)),
    ("naive Bayes", two(200, 0.3, weaker=0.7)),
    ("15-NN", two(300, 0.4, weaker=0.7)),
    ("tree, leaves of 5", two(300, 0.5, weaker=0.7)),
    ("logistic, C = 1", two(300, 0.5, group_size=5, weaker=0.7)),
)
NUMBERS: tuple[Cell, ...] = (
    ("OLS", Numbers(60)),
    ("OLS", Numbers(200)),
    ("OLS", Numbers(100, noise="t3")),
    ("OLS", Numbers(200, noise="lognormal")),
    ("ridge", Numbers(150)),
    ("ridge, strong", Numbers(100)),
    ("ridge, strong", Numbers(300)),
    ("ridge", Numbers(100, noise="t3")),
    ("5-NN regression", Numbers(100)),
    ("5-NN regression", Numbers(300)),
    ("regression tree of depth 3", Numbers(200)),
    ("regression forest", Numbers(100)),
    ("regression boosting", Numbers(100)),
    ("OLS", Numbers(200, group_size=5)),
    ("OLS", Numbers(200, advantage=0.15)),
    ("5-NN regression", Numbers(200, advantage=0.15)),
)
CELLS: dict[str, tuple[Cell, ...]] = {
    "5x2": (*BASIC, *FURTHER, *TUNED, *CLASSES, *GROUPS, *POWER),
    "5x2 plain": (*PLAIN, *NUMBERS),
    "5x5": (*OTHER, *POWER),
    "10 splits": (*OTHER, *POWER),
    "5-fold": (*OTHER, *POWER),
    "10-fold": (*OTHER, *POWER, *NUMBERS),
}


def facts_of(learner: str, population: Population) -> dict[str, object]:
    """Say what a cell is, as the columns of the file do."""
    if isinstance(population, Numbers):
        shares, drawn, power = "", population.noise, population.advantage > 0
        three, grouped = False, population.group_size > 1
    else:
        shares = " ".join(f"{share:.2g}" for share in population.shares[1:])
        drawn = population.features
        if population.signal != Classes(1).signal:
            drawn = f"{drawn}, signal {population.signal:g}"
        power = population.weaker > 0
        three, grouped = len(population.shares) > 2, population.group_size > 1
    if grouped:
        drawn += f", groups of {population.group_size}"
        drawn += " of one class" * getattr(population, "one_class", False)
        drawn += " on average" * getattr(population, "uneven", False)
    kind = "groups" if grouped else "three classes" if three else "tuned" * ("tuned" in learner)
    return {
        "learner": learner,
        "rows": population.rows,
        "shares": shares,
        "drawn": drawn,
        "kind": kind or ("numbers" if isinstance(population, Numbers) else "basic"),
        "power": int(power),
    }

"""The regimes of the study: a population, a learner and a metric each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from bakeoff.spec.learners import REGRESSION
from benchmarks.crossval.data import OF_NUMBERS, Logit, Numbers, Population
from benchmarks.crossval.learners import (
    Learner,
    balanced,
    boosting,
    costed,
    failing_centroid,
    forest,
    lasso,
    least_squares,
    linear_discriminant,
    linear_probability,
    logistic,
    mean_of_neighbours,
    naive_bayes,
    nearest_centroid,
    neighbours,
    network,
    quadratic_discriminant,
    random_subspace,
    regression_boosting,
    regression_forest,
    regression_tree,
    ridge,
    selection,
    shrunken_ridge,
    support_vectors,
    tree,
    tuned,
)


@dataclasses.dataclass(frozen=True)
class Regime:
    """One way to draw evidence: A is fitted on the first view of a data set, B on the second.

    `family` is what it speaks of: a kind of learner (of `bakeoff.spec.learners`), by which metric
    where not by accuracy, or a situation. With `other` B is that learner, and A's features are
    blurred until both have the same expected score. With `same_view` the two differ in their seeds
    alone. With `power` A is really better; else both are equally good.
    """

    name: str
    family: str
    learner: Learner
    population: Population | Numbers | Logit
    metrics: tuple[str, ...] = ("accuracy",)
    other: Learner | None = None
    same_view: bool = False
    power: bool = False

    def by(self, metric: str) -> str:
        """Return its name by one of its metrics."""
        return f"{self.name} by {TITLES[metric]}" if len(self.metrics) > 1 else self.name


TITLES = {"mse": "MSE", "rmse": "RMSE", "r2": "R²", "mae": "MAE"}
CENTROID, LDA, LOGISTIC = "nearest centroid", "linear discriminant analysis", "logistic regression"
NEIGHBOURS, SHRUNKEN = "k-nearest neighbours", "strong shrinkage"
SELECTION, TREE, FOREST = "feature selection", "decision trees", "random forests"
BOOSTING = "gradient boosting"
UNBALANCED, MOVED = "unbalanced classes", "class weights, costs or tuned thresholds"

BY = {"auc": " by AUC", "brier": " by Brier score"}
"""What follows the name of a kind of learner, by the metric of its regimes."""

_SIZES = (100, 300, 1000)
_SMALL = _SIZES[:2]


def _sizes(
    name: str, family: str, learner: Learner, sizes: tuple[int, ...] = _SIZES, **facts: object
) -> list[Regime]:
    metric = str(facts.pop("metric", "accuracy"))
    family += BY.get(metric, "")
    return [
        Regime(f"{name} {rows}", family, learner, Population(rows, **facts), (metric,))
        for rows in sizes
    ]


_POSITIVE = {"50 %": 0.0, "25 %": -1.63, "10 %": -3.13, "5 %": -4.06}
"""The log odds that give a share of positive rows."""
_MOVING: tuple[tuple[str, Learner], ...] = (
    ("nearest centroid", nearest_centroid),
    ("least squares, balanced weights", balanced(linear_probability)),
    ("logistic, balanced weights", balanced(logistic)),
    (LOGISTIC, logistic),
    ("naive Bayes", naive_bayes),
    ("logistic, tuned threshold", tuned(logistic)),
    ("naive Bayes, tuned threshold", tuned(naive_bayes)),
    ("logistic, cost of misses 3", costed(logistic, 3)),
    ("logistic, cost of misses 1/5", costed(logistic, 1 / 5)),
)
_THREE = {"classes": 3, "minority": 0.1, "signal": 0.35}


def _unbalanced() -> Iterator[Regime]:
    for name, learner in _MOVING:
        kind, _, moved = name.partition(", ")
        for share, odds in _POSITIVE.items():
            if share == "50 %" and "weights" in moved:
                continue  # the weights are 1
            family = MOVED if moved else kind if share == "50 %" else UNBALANCED
            sizes = _SIZES[1:] if share == "5 %" else _SIZES  # else too few rows for halves
            for rows in sizes:
                yield Regime(f"{name}, {share} {rows}", family, learner, Logit(rows, odds))


LEVEL: tuple[Regime, ...] = (
    *_sizes("nearest centroid", CENTROID, nearest_centroid),
    *_sizes("LDA", LDA, linear_discriminant),
    *_sizes("1-NN", NEIGHBOURS, neighbours(1)),
    *_sizes("ridge, Brier", SHRUNKEN, shrunken_ridge, metric="brier"),
    *_sizes("selection", SELECTION, selection),
    *_sizes("logistic", LOGISTIC, logistic),
    *_sizes("5-NN", NEIGHBOURS, neighbours(5)),
    *_unbalanced(),
    *_sizes("nearest centroid, 3 unequal classes", UNBALANCED, nearest_centroid, **_THREE),
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
    *_sizes("three classes, 5-NN", NEIGHBOURS, neighbours(5), _SMALL, classes=3),
    *_sizes("LDA, AUC", LDA, linear_discriminant, _SMALL, metric="auc"),
    *_sizes("5-NN, AUC", NEIGHBOURS, neighbours(5), _SMALL, metric="auc"),
    *_sizes(
        "groups of 5, nearest centroid",
        "rows in groups",
        nearest_centroid,
        _SMALL,
        group_size=5,
    ),
    *_sizes("groups of 5, 5-NN", "rows in groups", neighbours(5), _SMALL, group_size=5),
    *_sizes("tree", TREE, tree, _SMALL),
    *_sizes("forest", FOREST, forest, _SMALL),
    *_sizes("QDA", "quadratic discriminant analysis", quadratic_discriminant),
    *_sizes("naive Bayes", "naive Bayes", naive_bayes),
    *_sizes("SVM", "support vector machines", support_vectors),
    *_sizes("boosting", BOOSTING, boosting, _SMALL),
    *_sizes("network", "neural networks", network(), _SMALL),
    *_sizes("ridge", SHRUNKEN, shrunken_ridge),
    *_sizes("logistic, AUC", LOGISTIC, logistic, _SMALL, metric="auc"),
    *_sizes(
        "QDA, AUC", "quadratic discriminant analysis", quadratic_discriminant, _SMALL, metric="auc"
    ),
    *_sizes("naive Bayes, AUC", "naive Bayes", naive_bayes, _SMALL, metric="auc"),
    *_sizes("SVM, AUC", "support vector machines", support_vectors, _SMALL, metric="auc"),
    *_sizes("boosting, AUC", BOOSTING, boosting, _SMALL[:1], metric="auc"),
    *_sizes("network, AUC", "neural networks", network(), _SMALL[:1], metric="auc"),
    *_sizes("tree, AUC", TREE, tree, _SMALL[:1], metric="auc"),
    *_sizes("forest, AUC", FOREST, forest, _SMALL[:1], metric="auc"),
    *_sizes("ridge, AUC", SHRUNKEN, shrunken_ridge, _SMALL, metric="auc"),
)

_BETTER = (
    ("nearest centroid", CENTROID, nearest_centroid, Population(300, advantage=0.25)),
    ("LDA", LDA, linear_discriminant, Population(300, advantage=0.25)),
    ("selection", SELECTION, selection, Population(300, advantage=0.25)),
    ("5-NN", NEIGHBOURS, neighbours(5), Population(300, advantage=0.25)),
    ("tree", TREE, tree, Population(100, advantage=0.5)),
    ("logistic, 50 %", LOGISTIC, logistic, Logit(300, other=0.6)),
    ("logistic, 10 %, balanced weights", MOVED, balanced(logistic), Logit(300, -3.13, 0.6)),
    ("logistic, 10 %, balanced weights", MOVED, balanced(logistic), Logit(1000, -3.13, 0.6)),
    ("logistic, cost of misses 3", MOVED, costed(logistic, 3), Logit(300, other=0.6)),
)
POWER: tuple[Regime, ...] = tuple(
    Regime(f"better {name} {at.rows}", family, learner, at, power=True)
    for name, family, learner, at in _BETTER
)

LINEAR = "linear models"


def _numbers(
    name: str, family: str, learner: Learner, sizes: tuple[int, ...] = _SIZES, **facts: object
) -> list[Regime]:
    power = "advantage" in facts
    return [
        Regime(
            f"{name} {rows}",
            family + REGRESSION,
            learner,
            Numbers(rows, **facts),
            tuple(OF_NUMBERS),
            power=power,
        )
        for rows in sizes
    ]


def _unlike(name: str, learner: Learner, other: Learner) -> list[Regime]:
    return [
        Regime(f"{name} {n}", f"unlike learners{REGRESSION}", learner, Numbers(n), _TUNED, other)
        for n in _SMALL
    ]


_TUNED = ("mse", "mae")
_WIDE = {"common": 20, "own": 40}
NUMBERS: tuple[Regime, ...] = (
    *_numbers("OLS", LINEAR, least_squares),
    *_numbers("ridge n", SHRUNKEN, ridge(1)),
    *_numbers("ridge 10n", SHRUNKEN, ridge(10)),
    *_numbers("lasso .1", SHRUNKEN, lasso(0.1)),
    *_numbers("lasso .3", SHRUNKEN, lasso(0.3)),
    *_numbers("1-NN regression", NEIGHBOURS, mean_of_neighbours(1)),
    *_numbers("5-NN regression", NEIGHBOURS, mean_of_neighbours(5)),
    *_numbers("15-NN regression", NEIGHBOURS, mean_of_neighbours(15)),
    *_numbers("regression tree", TREE, regression_tree(None)),
    *_numbers("regression tree of depth 3", TREE, regression_tree(3)),
    *_numbers("regression forest", FOREST, regression_forest, _SMALL),
    *_numbers("regression boosting", BOOSTING, regression_boosting, _SMALL),
    *_numbers("OLS, t3 noise", LINEAR, least_squares, _SMALL[:1], noise="t3"),
    *_numbers("ridge 10n, t3 noise", SHRUNKEN, ridge(10), _SMALL[:1], noise="t3"),
    *_numbers("OLS, lognormal noise", LINEAR, least_squares, _SMALL[:1], noise="lognormal"),
    *_numbers("ridge 10n, lognormal noise", SHRUNKEN, ridge(10), _SMALL[:1], noise="lognormal"),
    *_numbers("OLS, collinear", LINEAR, least_squares, _SMALL, related=0.95),
    *_numbers("ridge n, collinear", SHRUNKEN, ridge(1), _SMALL, related=0.95),
    *_numbers("lasso .1, collinear", SHRUNKEN, lasso(0.1), _SMALL, related=0.95),
    *_numbers("ridge n, wide", SHRUNKEN, ridge(1), _SMALL, **_WIDE),
    *_numbers("lasso .1, wide", SHRUNKEN, lasso(0.1), _SMALL, **_WIDE),
    *_numbers("groups of 5, OLS", "rows in groups", least_squares, _SMALL, group_size=5),
    *_numbers("groups of 5, ridge n", "rows in groups", ridge(1), _SMALL, group_size=5),
    *_numbers(
        "groups of 5, 5-NN regression",
        "rows in groups",
        mean_of_neighbours(5),
        _SMALL,
        group_size=5,
    ),
    *_unlike("OLS and 5-NN", least_squares, mean_of_neighbours(5)),
    *_unlike("OLS and ridge n", least_squares, ridge(1)),
    *_unlike("lasso .1 and 15-NN", lasso(0.1), mean_of_neighbours(15)),
    *_numbers("better OLS", LINEAR, least_squares, (300,), advantage=0.1),
    *_numbers("better 5-NN regression", NEIGHBOURS, mean_of_neighbours(5), (300,), advantage=0.15),
)

REGIMES: tuple[Regime, ...] = (*LEVEL, *POWER, *NUMBERS)

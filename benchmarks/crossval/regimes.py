"""The regimes of the study: a population, a learner and a metric each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from bakeoff.spec.learners import REGRESSION
from benchmarks.crossval import learners as fit
from benchmarks.crossval.data import OF_NUMBERS, Logit, Numbers, Population
from benchmarks.crossval.learners import Learner


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
    ("nearest centroid", fit.nearest_centroid),
    ("least squares, balanced weights", fit.balanced(fit.linear_probability)),
    ("logistic, balanced weights", fit.balanced(fit.logistic)),
    (LOGISTIC, fit.logistic),
    ("naive Bayes", fit.naive_bayes),
    ("logistic, tuned threshold", fit.tuned(fit.logistic)),
    ("naive Bayes, tuned threshold", fit.tuned(fit.naive_bayes)),
    ("logistic, cost of misses 3", fit.costed(fit.logistic, 3)),
    ("logistic, cost of misses 1/5", fit.costed(fit.logistic, 1 / 5)),
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
    *_sizes("nearest centroid", CENTROID, fit.nearest_centroid),
    *_sizes("LDA", LDA, fit.linear_discriminant),
    *_sizes("1-NN", NEIGHBOURS, fit.neighbours(1)),
    *_sizes("ridge, Brier", SHRUNKEN, fit.shrunken_ridge, metric="brier"),
    *_sizes("selection", SELECTION, fit.selection),
    *_sizes("logistic", LOGISTIC, fit.logistic),
    *_sizes("5-NN", NEIGHBOURS, fit.neighbours(5)),
    *_unbalanced(),
    *_sizes("nearest centroid, 3 unequal classes", UNBALANCED, fit.nearest_centroid, **_THREE),
    *(
        Regime(
            f"seeds alone {rows}",
            "seeds alone",
            fit.random_subspace,
            Population(rows),
            same_view=True,
        )
        for rows in _SIZES
    ),
    *_sizes("failing fits", "failing fits", fit.failing_centroid),
    *_sizes("three classes, 5-NN", NEIGHBOURS, fit.neighbours(5), _SMALL, classes=3),
    *_sizes("LDA, AUC", LDA, fit.linear_discriminant, _SMALL, metric="auc"),
    *_sizes("5-NN, AUC", NEIGHBOURS, fit.neighbours(5), _SMALL, metric="auc"),
    *_sizes(
        "groups of 5, nearest centroid",
        "rows in groups",
        fit.nearest_centroid,
        _SMALL,
        group_size=5,
    ),
    *_sizes("groups of 5, 5-NN", "rows in groups", fit.neighbours(5), _SMALL, group_size=5),
    *_sizes("tree", TREE, fit.tree, _SMALL),
    *_sizes("forest", FOREST, fit.forest, _SMALL),
    *_sizes("QDA", "quadratic discriminant analysis", fit.quadratic_discriminant),
    *_sizes("naive Bayes", "naive Bayes", fit.naive_bayes),
    *_sizes("SVM", "support vector machines", fit.support_vectors),
    *_sizes("boosting", BOOSTING, fit.boosting, _SMALL),
    *_sizes("network", "neural networks", fit.network(), _SMALL),
    *_sizes("ridge", SHRUNKEN, fit.shrunken_ridge),
    *_sizes("logistic, AUC", LOGISTIC, fit.logistic, _SMALL, metric="auc"),
    *_sizes(
        "QDA, AUC",
        "quadratic discriminant analysis",
        fit.quadratic_discriminant,
        _SMALL,
        metric="auc",
    ),
    *_sizes("naive Bayes, AUC", "naive Bayes", fit.naive_bayes, _SMALL, metric="auc"),
    *_sizes("SVM, AUC", "support vector machines", fit.support_vectors, _SMALL, metric="auc"),
    *_sizes("boosting, AUC", BOOSTING, fit.boosting, _SMALL[:1], metric="auc"),
    *_sizes("network, AUC", "neural networks", fit.network(), _SMALL[:1], metric="auc"),
    *_sizes("tree, AUC", TREE, fit.tree, _SMALL[:1], metric="auc"),
    *_sizes("forest, AUC", FOREST, fit.forest, _SMALL[:1], metric="auc"),
    *_sizes("ridge, AUC", SHRUNKEN, fit.shrunken_ridge, _SMALL, metric="auc"),
)

_BETTER = (
    ("nearest centroid", CENTROID, fit.nearest_centroid, Population(300, advantage=0.25)),
    ("LDA", LDA, fit.linear_discriminant, Population(300, advantage=0.25)),
    ("selection", SELECTION, fit.selection, Population(300, advantage=0.25)),
    ("5-NN", NEIGHBOURS, fit.neighbours(5), Population(300, advantage=0.25)),
    ("tree", TREE, fit.tree, Population(100, advantage=0.5)),
    ("logistic, 50 %", LOGISTIC, fit.logistic, Logit(300, other=0.6)),
    ("logistic, 10 %, balanced weights", MOVED, fit.balanced(fit.logistic), Logit(300, -3.13, 0.6)),
    (
        "logistic, 10 %, balanced weights",
        MOVED,
        fit.balanced(fit.logistic),
        Logit(1000, -3.13, 0.6),
    ),
    ("logistic, cost of misses 3", MOVED, fit.costed(fit.logistic, 3), Logit(300, other=0.6)),
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
    *_numbers("OLS", LINEAR, fit.least_squares),
    *_numbers("ridge n", SHRUNKEN, fit.ridge(1)),
    *_numbers("ridge 10n", SHRUNKEN, fit.ridge(10)),
    *_numbers("lasso .1", SHRUNKEN, fit.lasso(0.1)),
    *_numbers("lasso .3", SHRUNKEN, fit.lasso(0.3)),
    *_numbers("1-NN regression", NEIGHBOURS, fit.mean_of_neighbours(1)),
    *_numbers("5-NN regression", NEIGHBOURS, fit.mean_of_neighbours(5)),
    *_numbers("15-NN regression", NEIGHBOURS, fit.mean_of_neighbours(15)),
    *_numbers("regression tree", TREE, fit.regression_tree(None)),
    *_numbers("regression tree of depth 3", TREE, fit.regression_tree(3)),
    *_numbers("regression forest", FOREST, fit.regression_forest, _SMALL),
    *_numbers("regression boosting", BOOSTING, fit.regression_boosting, _SMALL),
    *_numbers("OLS, t3 noise", LINEAR, fit.least_squares, _SMALL[:1], noise="t3"),
    *_numbers("ridge 10n, t3 noise", SHRUNKEN, fit.ridge(10), _SMALL[:1], noise="t3"),
    *_numbers("OLS, lognormal noise", LINEAR, fit.least_squares, _SMALL[:1], noise="lognormal"),
    *_numbers("ridge 10n, lognormal noise", SHRUNKEN, fit.ridge(10), _SMALL[:1], noise="lognormal"),
    *_numbers("OLS, collinear", LINEAR, fit.least_squares, _SMALL, related=0.95),
    *_numbers("ridge n, collinear", SHRUNKEN, fit.ridge(1), _SMALL, related=0.95),
    *_numbers("lasso .1, collinear", SHRUNKEN, fit.lasso(0.1), _SMALL, related=0.95),
    *_numbers("ridge n, wide", SHRUNKEN, fit.ridge(1), _SMALL, **_WIDE),
    *_numbers("lasso .1, wide", SHRUNKEN, fit.lasso(0.1), _SMALL, **_WIDE),
    *_numbers("groups of 5, OLS", "rows in groups", fit.least_squares, _SMALL, group_size=5),
    *_numbers("groups of 5, ridge n", "rows in groups", fit.ridge(1), _SMALL, group_size=5),
    *_numbers(
        "groups of 5, 5-NN regression",
        "rows in groups",
        fit.mean_of_neighbours(5),
        _SMALL,
        group_size=5,
    ),
    *_unlike("OLS and 5-NN", fit.least_squares, fit.mean_of_neighbours(5)),
    *_unlike("OLS and ridge n", fit.least_squares, fit.ridge(1)),
    *_unlike("lasso .1 and 15-NN", fit.lasso(0.1), fit.mean_of_neighbours(15)),
    *_numbers("better OLS", LINEAR, fit.least_squares, (300,), advantage=0.1),
    *_numbers(
        "better 5-NN regression", NEIGHBOURS, fit.mean_of_neighbours(5), (300,), advantage=0.15
    ),
)

REGIMES: tuple[Regime, ...] = (*LEVEL, *POWER, *NUMBERS)

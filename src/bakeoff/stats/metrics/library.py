"""The built-in metrics: of decisions, rankings, probabilities, costs and numbers.

Metrics of decisions are formulas over the table of true and predicted classes; those of rankings
are areas under curves, of two classes or means of such areas; the others are functions of means of
a value for each row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from operator import add, mul
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.arithmetic import rows_below
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.design.clusters import as_clusters
from bakeoff.stats.design.groups import Leverage, spread
from bakeoff.stats.metrics.metric import (
    FISHER,
    LOG,
    LOG_COMPLEMENT,
    LOGIT,
    NO_COLUMNS,
    POINTS,
    TARGET,
    TARGET_SQUARED,
    Carried,
    Cells,
    Form,
    Functional,
    Metric,
    Need,
    NoValue,
    View,
    by_value,
    decision,
    mean,
    of_means,
    row_mean,
)

SPAN = 0.75
"""The share of the rows that a local line looks at, as loess has it by default."""
_PLACES = 101
"""With more distinct probabilities the curve is found at so many quantiles of the rows."""
_TIED = 1e-12
"""Probabilities that differ relatively by less are equal but for rounding."""
_SQUARES = "mean squared error"
_HEAVY_TAILS = Carried(
    "no heavy tails",
    0.1,
    "below a tenth of them the largest errors carry the metric, and the interval of one model may "
    "be too short: see the mean absolute error",
    shows_from=100,
)
_CARRIED = Carried(
    "the metric not dominated by few rows",
    0.2,
    "below a fifth of them few rows dominate the metric and its intervals are inaccurate",
)
_PER_CLASS = "balanced_accuracy, f1_macro or mcc"
_AVERAGED = "f1_macro or f1_weighted"


def ratio(part: Functional, whole: Functional, nothing: str) -> Functional:
    """Return part / whole, which has no value, for the reason given, where the whole is 0."""
    if whole.value <= 0:
        raise NoValue(nothing)
    return part / whole


def _sum(parts: Iterable[Functional]) -> Functional:
    return reduce(add, parts)


def _mean(parts: Iterable[Functional]) -> Functional:
    listed = list(parts)
    return _sum(listed) / len(listed)


def _recall(table: Cells, k: int) -> Functional:
    return ratio(table.right(k), table.true(k), f"no row is {table.classes[k]!r}")


def _precision(table: Cells, k: int) -> Functional:
    return ratio(table.right(k), table.predicted_as(k), f"no row is predicted {table.classes[k]!r}")


def _fbeta(table: Cells, k: int, beta: float = 1.0) -> Functional:
    """(1 + β²) TP / ((1 + β²) TP + β² FN + FP) of class k."""
    weight = beta**2
    whole = table.predicted_as(k) + weight * table.true(k)
    nothing = f"no row is or is predicted {table.classes[k]!r}"
    return ratio((1 + weight) * table.right(k), whole, nothing)


def _chance(table: Cells) -> Functional:
    """Return the agreement of independent predictions."""
    return _sum(table.true(k) * table.predicted_as(k) for k in table.seen)


def _macro(table: Cells, of_class: Callable[[Cells, int], Functional]) -> Functional:
    """Return the mean over the classes of the truth, which are the same for every model."""
    # A mean over the classes that one model predicts too would not be comparable: a model that
    # predicts a class without rows would be divided by one class more than the others are.
    return _mean(of_class(table, k) for k in table.present)


def _weighted(table: Cells, of_class: Callable[[Cells, int], Functional]) -> Functional:
    return _sum(table.true(k) * of_class(table, k) for k in table.present)


_share = partial(decision, unit=POINTS)
_correctness = partial(_share, mean_of_rows=True, reads="correctness")
_of_positive = partial(_share, classes="positive", instead=_PER_CLASS)
_of_negative = partial(_share, classes="negative", instead=_PER_CLASS)
_f = partial(decision, classes="positive", instead=_AVERAGED)
_every = partial(decision, classes="every")
_correlation = partial(_every, range=(-1.0, 1.0))


@_correctness("accuracy", counts="right")
def accuracy(table: Cells) -> Functional:
    """Share of rows predicted right."""
    return table.agreed


@_correctness("error rate", counts="wrong", greater_is_better=False)
def error(table: Cells) -> Functional:
    """Share of rows predicted wrong."""
    return 1 - table.agreed


@_every("balanced accuracy", POINTS)
def balanced_accuracy(table: Cells) -> Functional:
    """Mean of the recalls of the classes that occur."""
    return _macro(table, _recall)


@_of_positive("precision", by_predicted=True)
def precision(table: Cells) -> Functional:
    """Share of right rows among those predicted as the positive class."""
    return _precision(table, table.positive)


@_of_negative("negative predictive value", by_predicted=True)
def npv(table: Cells) -> Functional:
    """Share of right rows among those predicted as the negative class."""
    return _precision(table, 1 - table.positive)


@_of_positive("recall")
def recall(table: Cells) -> Functional:
    """Share of right rows among those of the positive class."""
    return _recall(table, table.positive)


@_of_negative("specificity")
def specificity(table: Cells) -> Functional:
    """Share of right rows among those of the negative class."""
    return _recall(table, 1 - table.positive)


@_correlation("Youden's index", "index", instead=_PER_CLASS)
def youden(table: Cells) -> Functional:
    """Recall and specificity less 1."""
    return _recall(table, table.positive) + _recall(table, 1 - table.positive) - 1


@_every("geometric mean of recalls", POINTS)
def gmean(table: Cells) -> Functional:
    """Geometric mean of the recalls of the classes that occur."""
    recalls = [_recall(table, k) for k in table.present]
    return reduce(mul, recalls) ** (1 / len(recalls))


@_f("F1", "F1")
def f1(table: Cells) -> Functional:
    """Harmonic mean of precision and recall of the positive class."""
    return _fbeta(table, table.positive)


@_f("F-beta", "F-beta", option="beta")
def fbeta(table: Cells) -> Functional:
    """Weighted harmonic mean, recall with β² times the weight of precision."""
    beta = table.options.beta
    assert beta is not None
    return _fbeta(table, table.positive, beta)


@_f("F2", "F2")
def f2(table: Cells) -> Functional:
    """F-beta with β = 2."""
    return _fbeta(table, table.positive, 2.0)


@_f("F0.5", "F0.5")
def f05(table: Cells) -> Functional:
    """F-beta with β = ½."""
    return _fbeta(table, table.positive, 0.5)


@_f("Jaccard index", "index")
def jaccard(table: Cells) -> Functional:
    """Share of right rows among those that are or are predicted as the positive class."""
    k = table.positive
    whole = table.true(k) + table.predicted_as(k) - table.right(k)
    return ratio(table.right(k), whole, f"no row is or is predicted {table.classes[k]!r}")


@_every("macro precision", POINTS, by_predicted=True)
def precision_macro(table: Cells) -> Functional:
    """Mean of the precisions of the classes that occur."""
    return _macro(table, _precision)


@_every("weighted precision", POINTS, by_predicted=True)
def precision_weighted(table: Cells) -> Functional:
    """Mean of the precisions, weighted by the shares of the classes."""
    return _weighted(table, _precision)


@_every("macro recall", POINTS)
def recall_macro(table: Cells) -> Functional:
    """Mean of the recalls of all classes, which must occur."""
    return _mean(_recall(table, k) for k in range(len(table.classes)))


@_share("weighted recall", mean_of_rows=True)
def recall_weighted(table: Cells) -> Functional:
    """Mean of the recalls, weighted by the shares of the classes: the accuracy."""
    return table.agreed


@_every("macro F1", "F1")
def f1_macro(table: Cells) -> Functional:
    """Mean of F1 of the classes that occur."""
    return _macro(table, _fbeta)


@_every("weighted F1", "F1")
def f1_weighted(table: Cells) -> Functional:
    """Mean of F1, weighted by the shares of the classes."""
    return _weighted(table, _fbeta)


@_correlation("Matthews correlation", "correlation")
def mcc(table: Cells) -> Functional:
    """Matthews correlation, multi-class (Gorodkin 2004); 0 when all predictions are one class."""
    # (agreement − chance)/√((1 − Σ p_k²)(1 − Σ t_k²)), shares p_k predicted and t_k true
    chance = _chance(table)
    predicted = 1 - _sum(table.predicted_as(k) * table.predicted_as(k) for k in table.seen)
    true = 1 - _sum(table.true(k) * table.true(k) for k in table.seen)
    product = predicted * true
    if product.value <= 1e-15:
        return Functional(0.0, np.full(len(table.weights), np.nan))
    return (table.agreed - chance) / product**0.5


@_correlation("Cohen's kappa", "kappa")
def kappa(table: Cells) -> Functional:
    """Agreement beyond that of independent predictions, as a share of what there can be."""
    chance = _chance(table)
    nothing = "truth and prediction are one and the same class throughout"
    return ratio(table.agreed - chance, 1 - chance, nothing)


def auc(positive: BoolArray, scores: FloatArray, *, unbiased: bool = True) -> Functional:
    """Return the area under the ROC curve."""
    n = len(scores)
    n_positive = int(positive.sum())
    n_negative = n - n_positive
    if n_positive == 0 or n_negative == 0:
        raise NoValue("the tested rows are all of one class")
    # the placement of a row is the share of the other class that it is ranked right against
    below = rows_below(positive, scores)
    area = float(below[positive].sum() / (n_positive * n_negative))
    psi = np.empty(n)
    psi[positive] = _influence_of_class(below[positive] / n_negative, n, unbiased)
    psi[~positive] = _influence_of_class(1 - below[~positive] / n_positive, n, unbiased)
    return Functional(area, psi)


def _influence_of_class(placement: FloatArray, n: int, unbiased: bool) -> FloatArray:
    """Return n/m·(placement − its mean) of the m rows of a class."""
    m = len(placement)
    factor = n / m
    # as if the variance of a class had been divided by m − 1
    if unbiased and m > 1:
        factor *= math.sqrt(m * (n - 1) / (n * (m - 1)))
    return np.asarray(factor * (placement - float(placement.mean())))


def average_precision(positive: BoolArray, scores: FloatArray) -> Functional:
    """Return the area under the precision-recall curve as a step function, in O(n log n)."""
    positives = int(positive.sum())
    n = len(scores)
    if not positives:
        raise NoValue("no row is positive")
    _, inverse, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    above = np.cumsum(sizes)  # rows with a score at least as high, by distinct score
    hits = np.bincount(inverse, weights=positive).astype(np.int64)
    so_far = np.cumsum(hits)
    precision = so_far / above
    value = float(np.sum(hits / positives * so_far / above))
    # Σ (recall_k − recall_(k − 1))·precision_k over the distinct scores;
    # what a row changes in the precision at its own score and at all lower ones
    per_hit = hits / above
    all_lower = np.cumsum(per_hit[::-1])[::-1]
    right_lower = np.cumsum((per_hit * precision)[::-1])[::-1]
    at_own_score = positive * (precision[inverse] - value)
    psi = n / positives * (at_own_score + positive * all_lower[inverse] - right_lower[inverse])
    return Functional(value, psi)


Curve = Callable[[BoolArray, FloatArray], Functional]
"""The area under a curve of two classes, from which rows are positive and their scores."""
_roc: Curve = partial(auc, unbiased=False)


def _check_every_class(view: View) -> None:
    """Refuse rows that lack a class, by its name: areas of every class are averaged."""
    present = np.bincount(view.truth.values, minlength=view.probabilities.shape[1]) > 0
    if present.sum() > 1 and not present.all():
        raise NoValue(f"no tested row is of the class {view.truth.classes[int(present.argmin())]}")


def _one_against_rest(curve: Curve, view: View) -> Functional:
    _check_every_class(view)
    areas = []
    for k, column in enumerate(view.probabilities.T):
        areas.append(curve(view.truth.values == k, column))
    return _mean(areas)


def _one_against_one(view: View) -> Functional:
    _check_every_class(view)
    truth = view.truth.values
    p = view.probabilities
    value = 0.0
    psi = np.zeros(len(truth))
    n_classes = p.shape[1]
    n_areas = n_classes * (n_classes - 1)
    # the mean over pairs of classes, each in turn the positive one (Hand & Till 2001)
    for i in range(n_classes):
        for j in range(i):
            rows = (truth == i) | (truth == j)
            for k in (i, j):
                area = _roc(truth[rows] == k, p[rows, k])
                value += area.value
                psi[rows] += area.psi * len(truth) / rows.sum()
    return Functional(value / n_areas, psi / n_areas)


_area = partial(of_means, unit="area", form=Form.RANKING, needs=Need.PROBABILITIES, scale=LOGIT)
_area(
    "ROC AUC",
    name="roc_auc",
    needs=Need.RANKING,
    classes="every",
    instead="roc_auc_ovr or roc_auc_ovo",
    by_pairs=True,
    reads="ranking",
    studied_by="roc_auc",
    method="delong1988",
)(  # sums over clusters have their own factor G/(G − 1)
    lambda view: auc(view.is_positive, view.scores, unbiased=not view.grouped)
)
_area("ROC AUC, one vs rest", name="roc_auc_ovr", classes="every")(partial(_one_against_rest, _roc))
_area("ROC AUC, one vs one", name="roc_auc_ovo", classes="every", method="hand2001")(
    _one_against_one
)
_by_precision = partial(_area, by_predicted=True)
_by_precision(
    "average precision",
    name="average_precision",
    needs=Need.RANKING,
    classes="positive",
    instead="average_precision_macro",
)(lambda view: average_precision(view.is_positive, view.scores))
_by_precision("macro average precision", name="average_precision_macro", classes="every")(
    partial(_one_against_rest, average_precision)
)


_probability_loss = partial(row_mean, needs=Need.PROBABILITIES, greater_is_better=False)


@_probability_loss(
    "log loss",
    "nats",
    range=(0.0, math.inf),
    classes="rarest",
    studied_by="brier",
    carried=Carried(
        "the loss not dominated by few rows",
        0.2,
        # see `alone_covered` in benchmarks/any_metric.csv
        "below a fifth of them few rows dominate the loss and intervals of one model may have less "
        "than their nominal coverage",
    ),
)
def log_loss(view: View) -> FloatArray:
    """Mean negative log-likelihood; probabilities are kept off 0 and 1 by one float epsilon."""
    p = view.probabilities
    of_truth = p[np.arange(len(p)), view.truth.values] / p.sum(axis=1)
    eps = np.finfo(np.float64).eps
    return np.asarray(-np.log(np.clip(of_truth, eps, 1 - eps)))


def _squared_errors(view: View) -> FloatArray:
    p = view.probabilities
    if p.shape[1] == 2:
        return np.asarray((p[:, view.truth.positive] - view.is_positive) ** 2)
    right = np.arange(p.shape[1]) == view.truth.values[:, None]
    return np.asarray(((p - right) ** 2).sum(axis=1))


_probability_loss(
    "Brier score", "squared error", name="brier", range=(0.0, 2.0), studied_by="brier"
)(_squared_errors)
_probability_loss(
    "root of the Brier score",
    "probability",
    name="brier_root",
    range=(0.0, math.sqrt(2)),
    root=True,
)(_squared_errors)


def _among_the_first(view: View, k: int) -> FloatArray:
    """Return how probably the true class is among the first k where ties are ordered at random."""
    # With m classes more probable than the true one and t classes as probable, itself among them,
    # k − m of the t places are among the first k: the share (k − m)/t, at least 0 and at most 1.
    p = view.probabilities
    of_truth = p[np.arange(len(p)), view.truth.values][:, None]
    rounding = _TIED * np.abs(of_truth)
    above = (p > of_truth + rounding).sum(axis=1)
    tied = (p >= of_truth - rounding).sum(axis=1) - above
    return np.asarray(np.clip((k - above) / tied, 0.0, 1.0))


_top = partial(row_mean, unit=POINTS, needs=Need.PROBABILITIES)
_top("top-k accuracy", name="top_k_accuracy", option="k")(
    lambda view: _among_the_first(view, view.options.k)
)
_top("top-2 accuracy", name="top_2_accuracy")(lambda view: _among_the_first(view, 2))
_top("top-3 accuracy", name="top_3_accuracy")(lambda view: _among_the_first(view, 3))


@row_mean(
    "net benefit",
    "net true positives per row",
    needs=Need.PROBABILITIES,
    range=(-math.inf, 1.0),
    classes="called",
    instead="cost",
    option="threshold",
    method="vickers2006",
)
def net_benefit(view: View) -> FloatArray:
    """Share of true positives less that of false ones at the odds of the threshold.

    TP/n − FP/n · t/(1 − t) where rows with a probability of t or more are called positive
    (Vickers & Elkin 2006).
    """
    threshold = view.options.threshold
    assert threshold is not None
    worth = np.where(view.is_positive, 1.0, -threshold / (1 - threshold))
    return np.where(view.probabilities[:, view.truth.positive] >= threshold, worth, 0.0)


@row_mean(
    "mean cost",
    "cost",
    needs=Need.COSTS,
    reads="classes",
    greater_is_better=False,
    range=(0.0, math.inf),
)
def cost(view: View) -> FloatArray:
    """Mean cost of a row by the matrix of costs."""
    costs = view.options.costs(len(view.truth.classes))
    return np.asarray(costs[view.truth.values, view.predicted])


@decision(
    "expected cost",
    "cost",
    needs=Need.PRIORS,
    classes="every",
    greater_is_better=False,
    range=(0.0, math.inf),
)
def expected_cost(table: Cells) -> Functional:
    """Mean cost of a row where the classes are as frequent as the priors say."""
    costs = table.options.costs(len(table.classes))
    priors = table.options.shares(len(table.classes))
    parts = []
    for k in np.flatnonzero(priors).tolist():
        of_class = np.where(table.truth == k, costs[k, table.predicted], 0.0)
        nothing = f"no row is {table.classes[k]!r}, so what its errors cost has no value"
        mean_cost = ratio(mean(of_class, table.weights), table.true(k), nothing)
        parts.append(mean_cost * float(priors[k]))
    return _sum(parts)


_loss = partial(row_mean, needs=Need.NUMBERS, greater_is_better=False, range=(0.0, math.inf))
_squared = partial(_loss, scale=LOG, carried=_HEAVY_TAILS)
_mean_of_squares = partial(_squared, null=_SQUARES, constant="mean")
_deviance = partial(_loss, unit="deviance", constant="mean")
_explained = partial(of_means, needs=Need.NUMBERS, range=(-math.inf, 1.0), scale=LOG_COMPLEMENT)
_of_pairs = partial(of_means, needs=Need.NUMBERS, range=(-1.0, 1.0), scale=FISHER)
_jump = partial(
    by_value, needs=Need.NUMBERS, greater_is_better=False, range=(0.0, math.inf), smooth=False
)


def _squared_error(view: View) -> FloatArray:
    return np.square(view.error)


_loss("mean absolute error", TARGET, name="mae", scale=LOG)(lambda view: np.abs(view.error))
_mean_of_squares("mean squared error", TARGET_SQUARED, name="mse")(_squared_error)
_mean_of_squares("root mean squared error", TARGET, name="rmse", root=True)(_squared_error)


def _variance(values: FloatArray) -> Functional:
    """Return the mean squared deviation from the mean, whose own influence is of second order."""
    return mean((values - values.mean()) ** 2, np.ones(len(values)))


def _unexplained(view: View, errors: Functional) -> Functional:
    if not np.ptp(view.observed) > 0:
        raise NoValue("the true numbers are all the same")
    return 1 - errors / _variance(view.observed)


@_explained("R²", "R²", carried=_HEAVY_TAILS, null=_SQUARES, constant="mean")
def r2(view: View) -> Functional:
    """Coefficient of determination: one less the mean squared error over the variance."""
    return _unexplained(view, mean(view.error**2, np.ones(view.truth.n)))


@_explained("explained variance", "share", carried=_HEAVY_TAILS)
def explained_variance(view: View) -> Functional:
    """One less the variance of the errors over that of the true numbers."""
    return _unexplained(view, _variance(view.error))


@_loss("mean absolute percentage error", POINTS, scale=LOG)
def mape(view: View) -> FloatArray:
    """Mean of the absolute errors as shares of the true numbers; low predictions are favoured."""
    if not view.observed.all():
        raise NoValue(f"{int((view.observed == 0).sum())} true number(s) are 0")
    return np.abs(view.error / view.observed)


@_loss("symmetric mean absolute percentage error", POINTS, range=(0.0, 2.0))
def smape(view: View) -> FloatArray:
    """Mean of absolute errors over half the sum of both absolute values; 0 where both are 0."""
    size = np.abs(view.observed) + np.abs(view.numbers)
    return np.asarray(2 * np.abs(view.error) / np.where(size > 0, size, 1.0))


def _check_inside(domain: BoolArray, outside: str) -> None:
    if not domain.all():
        raise NoValue(f"{int((~domain).sum())} {outside}")


def _log_errors(view: View) -> FloatArray:
    """Return the squared errors of log(1 + x)."""
    for name, values in (("true", view.observed), ("predicted", view.numbers)):
        _check_inside(values > -1, f"{name} number(s) are -1 or less")
    return np.asarray((np.log(1 + view.numbers) - np.log(1 + view.observed)) ** 2)


_squared("mean squared logarithmic error", "log units squared", name="msle")(_log_errors)
_squared("root mean squared logarithmic error", "log units", name="rmsle", root=True)(_log_errors)


def _deviance_domain(view: View, *, zero: bool) -> tuple[FloatArray, FloatArray]:
    """Check the true numbers, which may be 0 or not, and the predicted ones."""
    if zero:
        _check_inside(view.observed >= 0, "true number(s) are below 0")
    else:
        _check_inside(view.observed > 0, "true number(s) are 0 or less")
    _check_inside(view.numbers > 0, "predicted number(s) are 0 or less")
    return view.observed, view.numbers


@_deviance("mean Poisson deviance")
def poisson_deviance(view: View) -> FloatArray:
    """Mean deviance of counts y ≥ 0 from predictions above 0."""
    y, p = _deviance_domain(view, zero=True)
    # 2(y log(y/p) + p − y)
    return np.asarray(2 * (special.xlogy(y, y / p) + p - y))


@_deviance("mean gamma deviance")
def gamma_deviance(view: View) -> FloatArray:
    """Mean deviance of numbers y > 0 from predictions above 0, relative to their size."""
    y, p = _deviance_domain(view, zero=False)
    # 2(y/p − 1 − log(y/p))
    return np.asarray(2 * (y / p - 1 - np.log(y / p)))


@_deviance("mean Tweedie deviance of power 1.5")
def tweedie15_deviance(view: View) -> FloatArray:
    """Mean deviance of numbers y ≥ 0 with many zeros from predictions above 0."""
    y, p = _deviance_domain(view, zero=True)
    # 2(y^½/((1 − 1.5)(2 − 1.5)) − y p^−½/(1 − 1.5) + p^½/(2 − 1.5))
    return np.asarray(4 * (y / np.sqrt(p) + np.sqrt(p) - 2 * np.sqrt(y)))


def _pinball(view: View, share: float) -> FloatArray:
    # share·(y − p) for low predictions, (1 − share)·(p − y) for high ones
    below = -view.error
    return np.maximum(share * below, (share - 1) * below)


for _percent in (5, 10, 25, 50, 75, 90, 95):
    _loss(
        f"pinball loss of the {_percent} % quantile",
        TARGET,
        name=f"pinball_{_percent:02}",
        scale=LOG,
    )(partial(_pinball, share=_percent / 100))


def _standardised(values: FloatArray, which: str) -> FloatArray:
    deviations = values - values.mean()
    variance = float(deviations @ deviations) / len(values)
    # the variance of equal numbers may be that of their rounding
    if not np.ptp(values) > 0:
        raise NoValue(f"the {which} numbers are all the same")
    return np.asarray(deviations / math.sqrt(variance))


@_of_pairs("Pearson correlation", "correlation", carried=_HEAVY_TAILS)
def pearson(view: View) -> Functional:
    """Linear correlation of true and predicted numbers; it says nothing of their size."""
    y = _standardised(view.observed, "true")
    p = _standardised(view.numbers, "predicted")
    r = float(y @ p) / len(y)
    # 1 but for rounding
    if abs(r) > 1 - 1e-14:
        r = math.copysign(1.0, r)
    return Functional(r, y * p - r * (y**2 + p**2) / 2)


class _Ranks:
    """Numbers by their place in their own distribution, ties halfway."""

    def __init__(self, values: FloatArray) -> None:
        _, self.place, self.counts = np.unique(values, return_inverse=True, return_counts=True)
        below = np.cumsum(self.counts) - self.counts / 2
        self.centred = (below / len(values) - 0.5)[self.place]

    def moment(self, other: _Ranks) -> Functional:
        """Return the mean of (F − ½)(G − ½): a row moves the places of all rows above it."""
        product = mean(self.centred * other.centred, np.ones(len(self.place)))
        moved = self._moved(other.centred) + other._moved(self.centred)
        return Functional(product.value, product.psi + moved)

    def _moved(self, weights: FloatArray) -> FloatArray:
        """Return what one more row at each value adds to the weighted mean of the places."""
        sums = np.bincount(self.place, weights)
        above = np.cumsum(sums[::-1])[::-1] - sums / 2
        moved = above[self.place] / len(self.place)
        return np.asarray(moved - moved.mean())


@_of_pairs("Spearman correlation", "correlation")
def spearman(view: View) -> Functional:
    """Correlation of the ranks of true and predicted numbers; it says nothing of their size."""
    y = _Ranks(view.observed)
    p = _Ranks(view.numbers)
    variance_of_true = y.moment(y)
    variance_of_predicted = p.moment(p)
    if not variance_of_true.value > 0:
        raise NoValue("the true numbers are all the same")
    if not variance_of_predicted.value > 0:
        raise NoValue("the predicted numbers are all the same")
    return y.moment(p) / (variance_of_true * variance_of_predicted) ** 0.5


@_jump("median absolute error", TARGET)
def median_absolute_error(view: View) -> float:
    """Median of the absolute errors."""
    return float(np.median(np.abs(view.error)))


@_jump("largest absolute error", TARGET, interval=False)
def max_error(view: View) -> float:
    """Largest of the absolute errors; no interval is known for it."""
    return float(np.abs(view.error).max())


class CalibrationCurve(NamedTuple):
    """A calibration curve, each part of shape (m,)."""

    at: FloatArray  # predicted probabilities
    share: FloatArray  # the smoothed share of positive rows there
    low: FloatArray  # the pointwise band of that smooth; NaN where a line leaves nothing over
    high: FloatArray


def calibration_curve(
    positive: BoolArray,
    probabilities: FloatArray,
    groups: ArrayLike | None = None,
    level: float = 0.95,
) -> CalibrationCurve:
    """Smooth the outcome over the predicted probability, with a pointwise band.

    The smooth at a place is a weighted sum of outcomes, whose standard error is that of the sum of
    their residuals, or in groups of the sums of these; the band is on the scale of shares.
    """
    leverage = None
    if groups is not None:
        leverage = Leverage.alike(as_clusters(groups, len(positive)).codes)
    at = _points(probabilities)
    weights = [_weights(probabilities, point) for point in at]
    share = _smooth(weights, positive)
    residuals = positive - np.interp(probabilities, at, share)
    half = np.full(len(at), math.nan)
    for i, weight in enumerate(weights):
        of_sum = spread(weight * residuals * len(positive), groups=leverage)
        if of_sum.df > 0:
            half[i] = -float(special.stdtrit(of_sum.df, (1 - level) / 2)) * of_sum.se
    low = np.clip(share - half, 0, 1)
    high = np.clip(share + half, 0, 1)
    return CalibrationCurve(at, share, low, high)


def _smooth(weights: Iterable[FloatArray], positive: BoolArray) -> FloatArray:
    outcome = positive.astype(np.float64)
    return np.array([min(max(float(weight @ outcome), 0.0), 1.0) for weight in weights])


def _points(probabilities: FloatArray) -> FloatArray:
    """Return the probabilities at which the curve is found."""
    distinct = np.unique(probabilities)
    if len(distinct) <= _PLACES:
        return distinct
    return np.unique(np.quantile(probabilities, np.linspace(0, 1, _PLACES)))


def _weights(x: FloatArray, point: float) -> FloatArray:
    """Return what each outcome weighs in the local line at a point; the weights sum to 1."""
    apart = np.abs(x - point)
    n_near = math.ceil(SPAN * len(x))
    reach = np.partition(apart, n_near - 1)[n_near - 1]
    # a row at the very edge would weigh nothing, and with many ties all of them are there
    reach = max(reach * (1 + 1e-9), 1e-9)
    # (1 − (distance/reach)³)³ (Cleveland 1979)
    weight = np.clip(1 - (apart / reach) ** 3, 0, None) ** 3
    weight /= weight.sum()
    centre = float(weight @ x)
    centred = x - centre
    variance = float(weight @ (centred**2))
    slope = 0.0
    if variance > 1e-18:
        slope = (point - centre) / variance
    return np.asarray(weight * (1 + slope * centred))


@by_value(
    "integrated calibration index",
    "probability",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    instead="brier",
    smooth=False,
    interval=False,
    method="austin2019",
    calibration=True,
)
def ici(view: View) -> float:
    """Mean distance of probabilities from their calibration curve; it is above 0 by chance alone.

    A description without interval or test on rows: of few rows even perfect probabilities are at
    some distance (Austin & Steyerberg 2019).
    """
    p = view.probabilities[:, view.truth.positive]
    at = _points(p)
    share = _smooth((_weights(p, point) for point in at), view.is_positive)
    return float(np.mean(np.abs(p - np.interp(p, at, share))))


@checked
def own_metric(
    name: str,
    function: Callable[..., float],
    *,
    greater_is_better: bool = True,
    predictions: Literal["classes", "probabilities", "numbers"] = "classes",
    columns: Mapping[str, NDArray[Any]] = NO_COLUMNS,
    smooth: bool = True,
) -> Metric:
    """Return a function of your own as a metric, for the argument `metric`.

    Parameters
    ----------
    name : str
        What it is called.
    function : Callable
        From what is true, what a model predicts and the columns by name to a number; a ValueError
        or NaN says that it has no value on these rows.
    predictions : {"classes", "probabilities", "numbers"}
        Its second argument: predicted classes; probabilities of shape (n, K), of two classes
        those of the positive one, shape (n,); or predicted numbers.
    columns : Mapping of str to array_like, shape (n,)
        What else it takes of the rows.
    smooth : bool
        False: it jumps when rows are left out, like a median; its intervals come from the
        bootstrap, and there is no test.

    Returns
    -------
    Metric
    """
    needs = Need.LABELS
    if predictions != "classes":
        needs = Need(predictions)
    return Metric(
        name=name,
        title=name.replace("_", " "),
        value=partial(_called, function, predictions == "probabilities"),
        unit="units",
        needs=needs,
        greater_is_better=greater_is_better,
        range=(-math.inf, math.inf),
        carried=_CARRIED,
        smooth=smooth,
        takes=tuple(columns),
        columns=columns,
        own=True,
    )


def _called(function: Callable[..., float], by_order: bool, view: View) -> float:
    """Call a function of the user's on truth, predictions and columns."""
    try:
        if not view.truth.classes:
            return function(view.observed, view.numbers, **view.columns)
        names = np.array(view.truth.classes, dtype=object)
        if not by_order:
            predicted = names[view.predicted]
        elif len(names) == 2:
            predicted = view.scores
        else:
            predicted = view.probabilities
        return function(names[view.truth.values], predicted, **view.columns)
    except ValueError as reason:
        raise NoValue(str(reason)) from None

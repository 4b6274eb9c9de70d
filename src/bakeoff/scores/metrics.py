"""The metrics: each from one set of predictions, each knows which way is better.

They are ours, and not scikit-learn's, for speed alone: a study scores 100,000 fits, and
scikit-learn's checks cost a millisecond a call. The tests hold them to scikit-learn's values.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.fit.predictions import Predictions
from bakeoff.spec import Costs


class UndefinedMetric(Exception):
    """A metric has no value on these predictions; the text says why."""


POINTS = "percentage points"
"""The unit of what is a share of something."""


class Need(StrEnum):
    """What a metric looks at besides the true labels."""

    LABELS = "labels"
    RANKING = "ranking"
    """Probabilities or decision values."""
    PROBABILITIES = "probabilities"
    COSTS = "costs"
    """Labels, and the experiment's `costs:`."""
    PRIORS = "priors"
    """Labels, and `costs:` with `priors`."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric.

    Attributes
    ----------
    name, title : str
        The key in an experiment and the name people read.
    function : Callable
        From a `View` to a float; raises `UndefinedMetric`.
    unit : str
        What a difference of two values is measured in: `POINTS`, or a word for it.
    needs : Need
        What it looks at.
    greater_is_better : bool
        Which way is better.
    binary : bool
        Whether it is for two classes only.
    range : tuple of float
        The least and the greatest value that it can have.
    instead : str
        Of those for two classes: what to use for more.
    mean_of_rows : bool
        Whether it is the mean of a value of each row, and so means something on a single one.
    """

    name: str
    title: str
    function: Callable[[View], float]
    unit: str
    needs: Need = Need.LABELS
    greater_is_better: bool = True
    binary: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    instead: str = ""
    mean_of_rows: bool = False

    def __call__(self, predictions: Predictions, costs: Costs | None = None) -> tuple[float, str]:
        """Return the value, or NaN and the reason."""
        try:
            return float(self.function(View(predictions, costs))), ""
        except UndefinedMetric as reason:
            return float("nan"), str(reason)


class View:
    """What metrics look at, each piece computed once."""

    def __init__(self, predictions: Predictions, costs: Costs | None = None) -> None:
        self.predictions = predictions
        self._costs = costs

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Counts, rows true, columns predicted; shape (K, K)."""
        p = self.predictions
        k = len(p.classes)
        return np.bincount(p.y_true * k + p.y_pred, minlength=k * k).reshape(k, k).astype(np.int64)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, shape (n, K)."""
        if self.predictions.probabilities is None:
            raise UndefinedMetric(self._why("no class probabilities"))
        return self.predictions.probabilities

    def _why(self, lacking: str) -> str:
        """Say why there are no probabilities: those that there were may have been none."""
        return self.predictions.facts.get("no_probabilities") or f"the model gives {lacking}"

    @cached_property
    def positive_score(self) -> NDArray[np.float64]:
        """What ranks rows by how positive they are, shape (n,)."""
        ranking = self.predictions.ranking
        if ranking is None:
            raise UndefinedMetric(self._why("neither probabilities nor decision values"))
        return ranking[:, -1]

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Whether a row is of the positive (last) class, shape (n,)."""
        return np.equal(self.predictions.y_true, len(self.predictions.classes) - 1)

    @property
    def costs(self) -> NDArray[np.float64]:
        """What predicting a class (columns) for a true one (rows) costs, shape (K, K)."""
        if self._costs is None:
            raise UndefinedMetric("the experiment has no `costs:`")
        return self._costs.of(self.predictions.classes)

    @property
    def priors(self) -> NDArray[np.float64]:
        """How frequent each class is where the models will be used, shape (K,); they sum to 1."""
        if self._costs is None or self._costs.priors is None:
            raise UndefinedMetric("the experiment has no `costs:` with `priors`")
        return self._costs.shares(self.predictions.classes)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which classes occur among the true labels, shape (K,)."""
        return np.asarray(self.confusion.sum(axis=1) > 0)


class _Metrics(dict[str, Metric]):
    """The metrics by name; names joined by ``+`` are several criteria taken together."""

    def __missing__(self, name: str) -> Metric:
        if "+" not in name:
            raise KeyError(name)
        titles = [self[part].title for part in name.split("+")]
        title = f"{', '.join(titles[:-1])} and {titles[-1]}"
        return Metric(name=name, title=title, function=_no_single_value, unit="")


def _no_single_value(view: View) -> float:
    raise UndefinedMetric("several criteria have no single value")


METRICS: dict[str, Metric] = _Metrics()
_PER_CLASS = "balanced_accuracy, f1_macro or mcc"
Value = Callable[[View], float]


def metric(title: str, unit: str, **facts: Any) -> Callable[[Value], Value]:
    """Enter the decorated function among the metrics under its `Metric` facts."""

    def enter(function: Value) -> Value:
        name = function.__name__
        if name in METRICS:
            raise ValueError(f"two metrics are called {name!r}")
        METRICS[name] = Metric(name=name, title=title, function=function, unit=unit, **facts)
        return function

    return enter


@metric("accuracy", POINTS, mean_of_rows=True)
def accuracy(view: View) -> float:
    """Share of rows predicted right."""
    return float(np.trace(view.confusion) / view.confusion.sum())


@metric("error rate", POINTS, greater_is_better=False, mean_of_rows=True)
def error(view: View) -> float:
    """Share of rows predicted wrong."""
    return 1.0 - accuracy(view)


def _recalls(view: View) -> NDArray[np.float64]:
    present = view.present
    return np.asarray(np.diag(view.confusion)[present] / view.confusion.sum(axis=1)[present])


@metric("balanced accuracy", POINTS)
def balanced_accuracy(view: View) -> float:
    """Mean recall over the classes that occur."""
    return float(_recalls(view).mean())


def _binary_counts(view: View) -> tuple[int, int, int, int]:
    (tn, fp), (fn, tp) = view.confusion
    return int(tn), int(fp), int(fn), int(tp)


@metric("precision", POINTS, binary=True, instead=_PER_CLASS)
def precision(view: View) -> float:
    """TP / (TP + FP) of the positive class."""
    _, fp, _, tp = _binary_counts(view)
    if tp + fp == 0:
        raise UndefinedMetric("no row is predicted positive")
    return tp / (tp + fp)


@metric("recall", POINTS, binary=True, instead=_PER_CLASS)
def recall(view: View) -> float:
    """TP / (TP + FN) of the positive class."""
    _, _, fn, tp = _binary_counts(view)
    if tp + fn == 0:
        raise UndefinedMetric("no row is positive")
    return tp / (tp + fn)


@metric("specificity", POINTS, binary=True, instead=_PER_CLASS)
def specificity(view: View) -> float:
    """TN / (TN + FP): the recall of the negative class."""
    tn, fp, _, _ = _binary_counts(view)
    if tn + fp == 0:
        raise UndefinedMetric("no row is negative")
    return tn / (tn + fp)


@metric("Youden's index", "index", binary=True, instead=_PER_CLASS, range=(-1.0, 1.0))
def youden(view: View) -> float:
    """Recall plus specificity less 1 (Youden 1950)."""
    return recall(view) + specificity(view) - 1


@metric("geometric mean of recalls", POINTS)
def gmean(view: View) -> float:
    """Geometric mean of the recalls of the classes that occur."""
    recalls = _recalls(view)
    return float(recalls.prod() ** (1 / len(recalls)))


def _f_beta(view: View, beta: float) -> float:
    """(1 + β²) TP / ((1 + β²) TP + β² FN + FP) of the positive class."""
    _, fp, fn, tp = _binary_counts(view)
    if tp + fp + fn == 0:
        raise UndefinedMetric("no row is positive or predicted positive")
    return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


@metric("F1", "F1", binary=True, instead="f1_macro or f1_weighted")
def f1(view: View) -> float:
    """2 TP / (2 TP + FP + FN) of the positive class."""
    return _f_beta(view, 1)


@metric("F2", "F2", binary=True, instead="f1_macro or f1_weighted")
def f2(view: View) -> float:
    """5 TP / (5 TP + FP + 4 FN): recall weighs twice as much as precision."""
    return _f_beta(view, 2)


@metric("F0.5", "F0.5", binary=True, instead="f1_macro or f1_weighted")
def f05(view: View) -> float:
    """1.25 TP / (1.25 TP + FP + 0.25 FN): precision weighs twice as much as recall."""
    return _f_beta(view, 0.5)


@metric("Jaccard index", "index", binary=True, instead="f1_macro or f1_weighted")
def jaccard(view: View) -> float:
    """TP / (TP + FP + FN) of the positive class."""
    _, fp, fn, tp = _binary_counts(view)
    if tp + fp + fn == 0:
        raise UndefinedMetric("no row is positive or predicted positive")
    return tp / (tp + fp + fn)


def _precisions(view: View) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Precision and true count of each class; what is never predicted must never occur."""
    counts = view.confusion
    support, predicted = counts.sum(axis=1), counts.sum(axis=0)
    seen = support + predicted > 0
    never = np.flatnonzero(seen & (predicted == 0))
    if len(never):
        name = view.predictions.classes[never[0]]
        raise UndefinedMetric(f"no row is predicted {name!r}, so its precision has no value")
    return np.diag(counts)[seen] / predicted[seen], support[seen]


@metric("macro precision", POINTS)
def precision_macro(view: View) -> float:
    """Mean precision over the classes that occur or are predicted."""
    return float(_precisions(view)[0].mean())


@metric("weighted precision", POINTS)
def precision_weighted(view: View) -> float:
    """Mean precision over classes, weighted by their true counts."""
    values, support = _precisions(view)
    return float(np.average(values, weights=support))


@metric("macro recall", POINTS)
def recall_macro(view: View) -> float:
    """Mean recall over the classes; all of them must occur."""
    lacking = np.flatnonzero(~view.present)
    if len(lacking):
        name = view.predictions.classes[lacking[0]]
        raise UndefinedMetric(f"no tested row is {name!r}, so its recall has no value")
    return float(_recalls(view).mean())


@metric("weighted recall", POINTS)
def recall_weighted(view: View) -> float:
    """Mean recall over classes, weighted by their true counts: the accuracy."""
    return accuracy(view)


def _f1_per_class(view: View) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    counts = view.confusion
    support = counts.sum(axis=1)
    total = support + counts.sum(axis=0)
    seen = total > 0
    return 2 * np.diag(counts)[seen] / total[seen], support[seen]


@metric("macro F1", "F1")
def f1_macro(view: View) -> float:
    """Mean F1 over the classes that occur or are predicted."""
    return float(_f1_per_class(view)[0].mean())


@metric("weighted F1", "F1")
def f1_weighted(view: View) -> float:
    """Mean F1 over classes, weighted by their true counts."""
    values, support = _f1_per_class(view)
    return float(np.average(values, weights=support))


@metric("Matthews correlation", "correlation", range=(-1.0, 1.0))
def mcc(view: View) -> float:
    """Matthews correlation, multi-class (Gorodkin 2004); 0 when all predictions are one class."""
    counts = view.confusion.astype(np.float64)
    n, right = counts.sum(), np.trace(counts)
    true, predicted = counts.sum(axis=1), counts.sum(axis=0)
    spread = (n**2 - predicted @ predicted) * (n**2 - true @ true)
    return float((right * n - true @ predicted) / np.sqrt(spread)) if spread else 0.0


@metric("Cohen's kappa", "kappa", range=(-1.0, 1.0))
def kappa(view: View) -> float:
    """Cohen's kappa between truth and prediction."""
    counts = view.confusion.astype(np.float64)
    n = counts.sum()
    chance = (counts.sum(axis=1) @ counts.sum(axis=0)) / n**2
    if chance == 1:
        raise UndefinedMetric("truth and prediction are one and the same class throughout")
    return float((np.trace(counts) / n - chance) / (1 - chance))


def _auc(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Mann–Whitney form: mid-ranks, so that ties count one half."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        raise UndefinedMetric("the tested rows are all of one class")
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    midrank = np.cumsum(counts) - (counts - 1) / 2
    total = midrank[inverse][positive].sum()
    return float((total - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


@metric("ROC AUC", "area", needs=Need.RANKING, binary=True, instead="roc_auc_ovr or roc_auc_ovo")
def roc_auc(view: View) -> float:
    """Area under the ROC curve of the positive class."""
    return _auc(view.positive_score, view.positive)


@metric("ROC AUC, one vs rest", "area", needs=Need.PROBABILITIES)
def roc_auc_ovr(view: View) -> float:
    """Mean over classes of the area for one class against the rest."""
    p, y = view.probabilities, view.predictions.y_true
    return float(np.mean([_auc(p[:, k], y == k) for k in range(p.shape[1])]))


@metric("ROC AUC, one vs one", "area", needs=Need.PROBABILITIES)
def roc_auc_ovo(view: View) -> float:
    """Mean over pairs of classes of the area between the two (Hand & Till 2001)."""
    p, y = view.probabilities, view.predictions.y_true
    areas = []
    for i in range(p.shape[1]):
        for j in range(i):
            rows = (y == i) | (y == j)
            areas += [_auc(p[rows, i], y[rows] == i), _auc(p[rows, j], y[rows] == j)]
    return float(np.mean(areas))


@metric(
    "average precision", "area", needs=Need.RANKING, binary=True, instead="average_precision_macro"
)
def average_precision(view: View) -> float:
    """Area under the precision–recall curve as a step function."""
    return _average_precision(view.positive_score, view.positive)


@metric("macro average precision", "area", needs=Need.PROBABILITIES)
def average_precision_macro(view: View) -> float:
    """Mean over classes of the average precision for one class against the rest."""
    p, y = view.probabilities, view.predictions.y_true
    return float(np.mean([_average_precision(p[:, k], y == k) for k in range(p.shape[1])]))


def _average_precision(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    if not positive.any():
        raise UndefinedMetric("no row is positive")
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(positive[order])
    last_of_tie = np.append(np.diff(score[order]) != 0, True)
    hits, ranks = hits[last_of_tie], np.flatnonzero(last_of_tie) + 1
    return float(np.sum(np.diff(hits, prepend=0) / hits[-1] * hits / ranks))


@metric(
    "log loss",
    "nats",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    range=(0.0, math.inf),
    mean_of_rows=True,
)
def log_loss(view: View) -> float:
    """Mean negative log-likelihood; probabilities are kept off 0 and 1 by one float epsilon."""
    p = view.probabilities
    p = p / p.sum(axis=1, keepdims=True)
    eps = np.finfo(np.float64).eps
    own = np.clip(p[np.arange(len(p)), view.predictions.y_true], eps, 1 - eps)
    return float(-np.log(own).mean())


@metric(
    "Brier score",
    "squared error",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    range=(0.0, 2.0),
    mean_of_rows=True,
)
def brier(view: View) -> float:
    """Mean squared error of the probabilities: of the positive class, or summed over K > 2."""
    p = view.probabilities
    if p.shape[1] == 2:
        return float(np.mean((p[:, 1] - view.positive) ** 2))
    truth = np.eye(p.shape[1])[view.predictions.y_true]
    return float(np.mean(((p - truth) ** 2).sum(axis=1)))


@metric(
    "root of the Brier score",
    "probability",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    range=(0.0, math.sqrt(2)),
)
def brier_root(view: View) -> float:
    """Square root of the Brier score: a typical error of the probabilities."""
    return math.sqrt(brier(view))


def _among_the_first(view: View, k: int) -> float:
    """Share of rows whose true class has fewer than k classes above it."""
    p = view.probabilities
    own = p[np.arange(len(p)), view.predictions.y_true]
    return float(((p > own[:, None]).sum(axis=1) < k).mean())


@metric("top-2 accuracy", POINTS, needs=Need.PROBABILITIES, mean_of_rows=True)
def top_2_accuracy(view: View) -> float:
    """Share of rows whose class is one of the two most probable ones."""
    return _among_the_first(view, 2)


@metric("top-3 accuracy", POINTS, needs=Need.PROBABILITIES, mean_of_rows=True)
def top_3_accuracy(view: View) -> float:
    """Share of rows whose class is one of the three most probable ones."""
    return _among_the_first(view, 3)


@metric(
    "mean cost",
    "cost",
    needs=Need.COSTS,
    greater_is_better=False,
    range=(0.0, math.inf),
    mean_of_rows=True,
)
def cost(view: View) -> float:
    """Mean cost of a row by the experiment's `costs:`."""
    return float((view.confusion * view.costs).sum() / view.confusion.sum())


@metric(
    "expected cost",
    "cost",
    needs=Need.PRIORS,
    greater_is_better=False,
    range=(0.0, math.inf),
)
def expected_cost(view: View) -> float:
    """Mean cost of a row where the classes are as frequent as the priors say."""
    present, priors = view.present, view.priors
    lacking = np.flatnonzero(~present & (priors > 0))
    if len(lacking):
        name = view.predictions.classes[lacking[0]]
        raise UndefinedMetric(f"no tested row is {name!r}, so what its errors cost has no value")
    counts = view.confusion[present]
    means = (counts * view.costs[present]).sum(axis=1) / counts.sum(axis=1)
    return float(priors[present] @ means)

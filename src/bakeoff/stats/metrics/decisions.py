"""Metrics of decisions: formulas over the table of true and predicted classes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from operator import mul

from bakeoff.stats.metrics.metric import POINTS
from bakeoff.stats.metrics.named import decision
from bakeoff.stats.metrics.view import Cells, Counts, Functional, NoValue, Term

Table = Cells | Counts
_PER_CLASS = "balanced_accuracy, f1_macro or mcc"
_AVERAGED = "f1_macro or f1_weighted"


def ratio(part: Term, whole: Term, nothing: str) -> Term:
    """Return part / whole, which has no value, for the reason given, where the whole is 0."""
    if (whole.value if isinstance(whole, Functional) else whole) <= 0:
        raise NoValue(nothing)
    return part / whole


def _mean(table: Table, parts: Iterable[Term]) -> Term:
    listed = [*parts]
    return table.sum(listed) / len(listed)


def _recall(table: Table, k: int) -> Term:
    return ratio(table.right(k), table.true(k), f"no row is {table.classes[k]!r}")


def _precision(table: Table, k: int) -> Term:
    return ratio(table.right(k), table.said(k), f"no row is predicted {table.classes[k]!r}")


def _fbeta(table: Table, k: int, beta: float = 1.0) -> Term:
    """(1 + β²) TP / ((1 + β²) TP + β² FN + FP) of class k."""
    weight = beta**2
    whole = table.said(k) + weight * table.true(k)
    nothing = f"no row is or is predicted {table.classes[k]!r}"
    return ratio((1 + weight) * table.right(k), whole, nothing)


@decision(
    "accuracy",
    POINTS,
    mean_of_rows=True,
    counts="right",
    reads="correctness",
)
def accuracy(table: Table) -> Term:
    """Share of rows predicted right."""
    return table.agreed / table.total


@decision(
    "error rate",
    POINTS,
    greater_is_better=False,
    mean_of_rows=True,
    counts="wrong",
    reads="correctness",
)
def error(table: Table) -> Term:
    """Share of rows predicted wrong."""
    return 1 - accuracy(table)


@decision("balanced accuracy", POINTS, classes="every")
def balanced_accuracy(table: Table) -> Term:
    """Mean recall over the classes that occur."""
    return _mean(table, (_recall(table, k) for k in table.present))


@decision("precision", POINTS, classes="positive", instead=_PER_CLASS, by_predicted=True)
def precision(table: Table) -> Term:
    """TP / (TP + FP) of the positive class."""
    return _precision(table, table.positive)


@decision(
    "negative predictive value",
    POINTS,
    classes="negative",
    instead=_PER_CLASS,
    by_predicted=True,
)
def npv(table: Table) -> Term:
    """TN / (TN + FN): the precision of the negative class."""
    return _precision(table, 1 - table.positive)


@decision("recall", POINTS, classes="positive", instead=_PER_CLASS)
def recall(table: Table) -> Term:
    """TP / (TP + FN) of the positive class."""
    return _recall(table, table.positive)


@decision("specificity", POINTS, classes="negative", instead=_PER_CLASS)
def specificity(table: Table) -> Term:
    """TN / (TN + FP): the recall of the negative class."""
    return _recall(table, 1 - table.positive)


@decision("Youden's index", "index", classes="every", instead=_PER_CLASS, range=(-1.0, 1.0))
def youden(table: Table) -> Term:
    """Recall plus specificity less 1 (Youden 1950)."""
    return recall(table) + specificity(table) - 1


@decision("geometric mean of recalls", POINTS, classes="every")
def gmean(table: Table) -> Term:
    """Geometric mean of the recalls of the classes that occur."""
    recalls = [_recall(table, k) for k in table.present]
    return reduce(mul, recalls) ** (1 / len(recalls))


@decision("F1", "F1", classes="positive", instead=_AVERAGED)
def f1(table: Table) -> Term:
    """2 TP / (2 TP + FP + FN) of the positive class."""
    return _fbeta(table, table.positive)


@decision("F-beta", "F-beta", classes="positive", instead=_AVERAGED, option="beta")
def fbeta(table: Table) -> Term:
    """Weighted harmonic mean of precision and recall of the positive class."""
    return _fbeta(table, table.positive, table.options.beta)


@decision("F2", "F2", classes="positive", instead=_AVERAGED)
def f2(table: Table) -> Term:
    """5 TP / (5 TP + FP + 4 FN): recall weighs twice as much as precision."""
    return _fbeta(table, table.positive, 2.0)


@decision("F0.5", "F0.5", classes="positive", instead=_AVERAGED)
def f05(table: Table) -> Term:
    """1.25 TP / (1.25 TP + FP + 0.25 FN): precision weighs twice as much as recall."""
    return _fbeta(table, table.positive, 0.5)


@decision("Jaccard index", "index", classes="positive", instead=_AVERAGED)
def jaccard(table: Table) -> Term:
    """TP / (TP + FP + FN) of the positive class."""
    k = table.positive
    whole = table.true(k) + table.said(k) - table.right(k)
    return ratio(table.right(k), whole, f"no row is or is predicted {table.classes[k]!r}")


@decision("macro precision", POINTS, classes="every", by_predicted=True)
def precision_macro(table: Table) -> Term:
    """Mean precision over the classes that occur or are predicted."""
    return _mean(table, (_precision(table, k) for k in table.seen))


@decision("weighted precision", POINTS, classes="every", by_predicted=True)
def precision_weighted(table: Table) -> Term:
    """Mean precision over classes, weighted by their true counts."""
    parts = (table.true(k) * _precision(table, k) for k in table.seen)
    return table.sum(parts) / table.total


@decision("macro recall", POINTS, classes="every")
def recall_macro(table: Table) -> Term:
    """Mean recall over the classes; all of them must occur."""
    return _mean(table, (_recall(table, k) for k in range(len(table.classes))))


@decision("weighted recall", POINTS, mean_of_rows=True)
def recall_weighted(table: Table) -> Term:
    """Mean recall over classes, weighted by their true counts: the accuracy."""
    return accuracy(table)


@decision("macro F1", "F1", classes="every")
def f1_macro(table: Table) -> Term:
    """Mean F1 over the classes that occur or are predicted."""
    return _mean(table, (_fbeta(table, k) for k in table.seen))


@decision("weighted F1", "F1", classes="every")
def f1_weighted(table: Table) -> Term:
    """Mean F1 over classes, weighted by their true counts."""
    return table.sum(table.true(k) * _fbeta(table, k) for k in table.seen) / table.total


@decision("Matthews correlation", "correlation", classes="every", range=(-1.0, 1.0))
def mcc(table: Table) -> Term:
    """Matthews correlation, multi-class (Gorodkin 2004); 0 when all predictions are one class."""
    chance = table.sum(table.true(k) * table.said(k) for k in table.seen)
    everything = table.total * table.total
    said = everything - table.sum(table.said(k) * table.said(k) for k in table.seen)
    true = everything - table.sum(table.true(k) * table.true(k) for k in table.seen)
    spread = said * true
    covariance = table.agreed * table.total - chance
    functional = isinstance(spread, Functional)
    if (spread.value if functional else spread) <= 1e-15:
        return table.constant(0.0)
    return covariance / (spread**0.5 if functional else math.sqrt(spread))


@decision("Cohen's kappa", "kappa", classes="every", range=(-1.0, 1.0))
def kappa(table: Table) -> Term:
    """Cohen's kappa between truth and prediction."""
    products = table.sum(table.true(k) * table.said(k) for k in table.seen)
    chance = products / (table.total * table.total)
    nothing = "truth and prediction are one and the same class throughout"
    return ratio(accuracy(table) - chance, 1 - chance, nothing)

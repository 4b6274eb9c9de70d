"""Metrics of predicted classes: all from the counts of true against predicted ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.metrics.entry import POINTS, UndefinedMetric, View, metric

_PER_CLASS = "balanced_accuracy, f1_macro or mcc"


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


def _share(part: float, whole: float, otherwise: str) -> float:
    """Return part / whole, which has no value, for the reason given, where the whole is 0."""
    if whole == 0:
        raise UndefinedMetric(otherwise)
    return part / whole


@metric("precision", POINTS, binary=True, instead=_PER_CLASS)
def precision(view: View) -> float:
    """TP / (TP + FP) of the positive class."""
    _, fp, _, tp = _binary_counts(view)
    return _share(tp, tp + fp, "no row is predicted positive")


@metric("recall", POINTS, binary=True, instead=_PER_CLASS)
def recall(view: View) -> float:
    """TP / (TP + FN) of the positive class."""
    _, _, fn, tp = _binary_counts(view)
    return _share(tp, tp + fn, "no row is positive")


@metric("specificity", POINTS, binary=True, instead=_PER_CLASS)
def specificity(view: View) -> float:
    """TN / (TN + FP): the recall of the negative class."""
    tn, fp, _, _ = _binary_counts(view)
    return _share(tn, tn + fp, "no row is negative")


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
    right = (1 + beta**2) * tp
    return _share(right, right + beta**2 * fn + fp, "no row is positive or predicted positive")


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
    return _share(tp, tp + fp + fn, "no row is positive or predicted positive")


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


@metric("weighted recall", POINTS, mean_of_rows=True)
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

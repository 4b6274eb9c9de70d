"""Metrics of decisions: what they are as functions of the table of truth and predicted class."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import reduce
from operator import add, mul

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.metrics.functional import Functional, mean
from bakeoff.stats.metrics.test_rows import Codes


class NoValue(ValueError):
    """A metric has no value on these rows; the text says why."""


@dataclasses.dataclass(frozen=True)
class Cells:
    """Weighted cells of truth and prediction; rows are cells of weight 1.

    Attributes
    ----------
    truth, predicted : ndarray of int, shape (c,)
        Class codes.
    weights : ndarray, shape (c,)
        How many rows each cell stands for.
    classes : tuple
        The classes, in the order of their codes.
    positive : int
        The code of the positive class, for metrics of two classes.
    """

    truth: Codes
    predicted: Codes
    weights: FloatArray
    classes: tuple[object, ...]
    positive: int

    def share(self, marked: NDArray[np.bool_]) -> Functional:
        """Return the share of rows that are marked."""
        return mean(marked, self.weights)

    def right(self, k: int) -> Functional:
        """Return the share of rows that are of class k and predicted so."""
        return self.share((self.truth == k) & (self.predicted == k))

    def true(self, k: int) -> Functional:
        """Return the share of rows of class k."""
        return self.share(self.truth == k)

    def said(self, k: int) -> Functional:
        """Return the share of rows predicted as class k."""
        return self.share(self.predicted == k)

    @property
    def present(self) -> list[int]:
        """The classes that occur among the truth."""
        return [int(k) for k in np.unique(self.truth[self.weights > 0])]

    @property
    def seen(self) -> list[int]:
        """The classes that occur among truth or predictions."""
        there = self.weights > 0
        return [int(k) for k in np.union1d(self.truth[there], self.predicted[there])]

    def only(self, k: int) -> Cells:
        """Return the cells seen as class k against the rest."""
        return dataclasses.replace(self, positive=k)

    @property
    def negative(self) -> Cells:
        """The cells seen from the other one of two classes."""
        if len(self.classes) != 2:
            raise ArgumentError(
                "metric", f"for two classes only, found {len(self.classes)}; use its macro form"
            )
        return self.only(1 - self.positive)


def _ratio(part: Functional, whole: Functional, nothing: str) -> Functional:
    if whole.value <= 0:
        raise NoValue(nothing)
    return part / whole


def _mean(parts: Iterable[Functional]) -> Functional:
    listed = list(parts)
    return reduce(add, listed) / len(listed)


def accuracy(cells: Cells) -> Functional:
    """Return the share of rows predicted right."""
    return cells.share(cells.truth == cells.predicted)


def error(cells: Cells) -> Functional:
    """Return the share of rows predicted wrong."""
    return 1 - accuracy(cells)


def recall(cells: Cells) -> Functional:
    """Return the share of positive rows that are predicted positive."""
    k = cells.positive
    return _ratio(cells.right(k), cells.true(k), f"no row is {cells.classes[k]!r}")


def precision(cells: Cells) -> Functional:
    """Return the share of rows predicted positive that are positive."""
    k = cells.positive
    return _ratio(cells.right(k), cells.said(k), f"no row is predicted {cells.classes[k]!r}")


def specificity(cells: Cells) -> Functional:
    """Return the share of negative rows that are predicted negative."""
    return recall(cells.negative)


def fbeta(cells: Cells, beta: float = 1.0) -> Functional:
    """Return the weighted harmonic mean of precision and recall."""
    k, weight = cells.positive, beta**2
    whole = cells.said(k) + weight * cells.true(k)
    name = cells.classes[k]
    return _ratio((1 + weight) * cells.right(k), whole, f"no row is or is predicted {name!r}")


def f1(cells: Cells) -> Functional:
    """Return the harmonic mean of precision and recall."""
    return fbeta(cells)


def f2(cells: Cells) -> Functional:
    """Return F-beta in which recall weighs twice as much as precision."""
    return fbeta(cells, 2.0)


def f05(cells: Cells) -> Functional:
    """Return F-beta in which precision weighs twice as much as recall."""
    return fbeta(cells, 0.5)


def jaccard(cells: Cells) -> Functional:
    """Return the share of rows that are positive among those that are or are called so."""
    k = cells.positive
    whole = cells.true(k) + cells.said(k) - cells.right(k)
    return _ratio(cells.right(k), whole, f"no row is or is predicted {cells.classes[k]!r}")


def balanced_accuracy(cells: Cells) -> Functional:
    """Return the mean recall over the classes that occur."""
    return _mean(recall(cells.only(k)) for k in cells.present)


def gmean(cells: Cells) -> Functional:
    """Return the geometric mean of the recalls of the classes that occur."""
    recalls = [recall(cells.only(k)) for k in cells.present]
    return reduce(mul, recalls) ** (1 / len(recalls))


def youden(cells: Cells) -> Functional:
    """Return recall plus specificity less 1."""
    return recall(cells) + specificity(cells) - 1


def precision_macro(cells: Cells) -> Functional:
    """Return the mean precision over the classes seen."""
    return _mean(precision(cells.only(k)) for k in cells.seen)


def precision_weighted(cells: Cells) -> Functional:
    """Return the mean precision over the classes seen, weighted by their true counts."""
    return reduce(add, (cells.true(k) * precision(cells.only(k)) for k in cells.seen))


def recall_macro(cells: Cells) -> Functional:
    """Return the mean recall over all classes, which must all occur."""
    return _mean(recall(cells.only(k)) for k in range(len(cells.classes)))


def recall_weighted(cells: Cells) -> Functional:
    """Return the mean recall over classes, weighted by their true counts: the accuracy."""
    return accuracy(cells)


def f1_macro(cells: Cells) -> Functional:
    """Return the mean F1 over the classes seen."""
    return _mean(f1(cells.only(k)) for k in cells.seen)


def f1_weighted(cells: Cells) -> Functional:
    """Return the mean F1 over the classes seen, weighted by their true counts."""
    return reduce(add, (cells.true(k) * f1(cells.only(k)) for k in cells.seen))


def expected_cost(cells: Cells, cost: FloatArray, priors: FloatArray) -> Functional:
    """Return the mean cost of a row where the classes are as frequent as the priors say."""
    spent = cost[cells.truth, cells.predicted]
    parts = []
    for k in np.flatnonzero(priors).tolist():
        of_class = mean(np.where(cells.truth == k, spent, 0.0), cells.weights)
        nothing = f"no row is {cells.classes[k]!r}, so what its errors cost has no value"
        parts.append(_ratio(of_class, cells.true(k), nothing) * float(priors[k]))
    return reduce(add, parts)


def _agreement(cells: Cells) -> tuple[Functional, Functional]:
    """Return the observed agreement of truth and prediction, and that by chance."""
    chance = reduce(add, (cells.true(k) * cells.said(k) for k in cells.seen))
    return accuracy(cells), chance


def mcc(cells: Cells) -> Functional:
    """Return Matthews' correlation (Gorodkin 2004); 0 without influence where one is constant."""
    observed, chance = _agreement(cells)
    said = 1 - reduce(add, (cells.said(k) * cells.said(k) for k in cells.seen))
    true = 1 - reduce(add, (cells.true(k) * cells.true(k) for k in cells.seen))
    spread = said * true
    if spread.value <= 1e-15:
        return Functional(0.0, np.full(len(cells.weights), np.nan))
    return (observed - chance) / spread**0.5


def kappa(cells: Cells) -> Functional:
    """Return Cohen's kappa between truth and prediction."""
    observed, chance = _agreement(cells)
    nothing = "truth and prediction are one and the same class throughout"
    return _ratio(observed - chance, 1 - chance, nothing)

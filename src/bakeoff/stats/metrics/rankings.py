"""Metrics of how well rows are ranked: areas under curves, of two classes or as means of those."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.ranks import rows_below
from bakeoff.stats.metrics.metric import LOGIT, Form, Metric, Need
from bakeoff.stats.metrics.named import enter
from bakeoff.stats.metrics.view import Functional, NoValue, View

F = TypeVar("F", bound=Callable[..., Any])


class Curve(NamedTuple):
    """The area under a curve of two classes: its value, and with the influence of each row."""

    value: Callable[[BoolArray, FloatArray], float]
    functional: Callable[[BoolArray, FloatArray], Functional]


class TwoClasses(NamedTuple):
    """Rows of two classes: which are positive, their scores, and where they are, if not all."""

    positive: BoolArray
    scores: FloatArray
    rows: BoolArray | None = None

    def spread(self, found: Functional) -> Functional:
        """Return influence values among these rows as those among all."""
        if self.rows is None:
            return found
        psi = np.zeros(len(self.rows))
        psi[self.rows] = found.psi * len(self.rows) / self.rows.sum()
        return Functional(found.value, psi)


def ranking(
    curve: Curve,
    title: str,
    *,
    influence: Callable[[View], Functional] | None = None,
    **facts: Any,
) -> Callable[[F], F]:
    """Enter the mean of the areas that a function of a `View` says are to be taken."""

    def decorate(parts: F) -> F:
        def value(view: View) -> float:
            areas = [curve.value(p.positive, p.scores) for p in parts(view)]
            return areas[0] if len(areas) == 1 else float(np.mean(areas))

        def functional(view: View) -> Functional:
            found = [p.spread(curve.functional(p.positive, p.scores)) for p in parts(view)]
            total: Functional = reduce(add, found)
            return total / len(found)

        known = {
            "form": Form.RANKING,
            "formula": influence or functional,
            "needs": Need.PROBABILITIES,
            "scale": LOGIT,
            **facts,
        }
        enter(Metric(name=parts.__name__, title=title, unit="area", value=value, **known))
        return parts

    return decorate


def auc_value(positive: BoolArray, scores: FloatArray) -> float:
    """Return the area under the ROC curve: negatives below each positive, ties count one half."""
    return _area(positive, rows_below(positive, scores))


def _area(positive: BoolArray, below: FloatArray) -> float:
    of_positive = int(positive.sum())
    pairs = of_positive * (len(positive) - of_positive)
    if not pairs:
        raise NoValue("the tested rows are all of one class")
    return float(below[positive].sum() / pairs)


def auc(positive: BoolArray, scores: FloatArray, *, unbiased: bool = True) -> Functional:
    """Return the area under the ROC curve."""
    everyone = rows_below(positive, scores)
    area = _area(positive, everyone)
    psi, n = np.empty(len(scores)), len(scores)
    for side in (True, False):
        rows = positive if side else ~positive
        count = int(rows.sum())
        below = everyone[rows] / (n - count)
        placement = below if side else 1 - below
        factor = n / count
        if unbiased and count > 1:
            factor *= math.sqrt(count * (n - 1) / (n * (count - 1)))
        psi[rows] = factor * (placement - float(placement.mean()))
    return Functional(area, psi)


def average_precision_value(positive: BoolArray, scores: FloatArray) -> float:
    """Return the area under the precision-recall curve as a step function."""
    if not positive.any():
        raise NoValue("no row is positive")
    order = np.argsort(-scores, kind="stable")
    last_of_tie = np.append(np.diff(scores[order]) != 0, True)
    hits, above = np.cumsum(positive[order])[last_of_tie], np.flatnonzero(last_of_tie) + 1
    return _steps(np.diff(hits, prepend=0), hits, above)


def _steps(hits: NDArray[np.int64], so_far: NDArray[np.int64], above: NDArray[np.int64]) -> float:
    """Sum the precision at each score over the positive rows that have it."""
    return float(np.sum(hits / so_far[-1] * so_far / above))


def average_precision_functional(positive: BoolArray, scores: FloatArray) -> Functional:
    """Return the area under the precision-recall curve, in O(n log n)."""
    found, n = int(positive.sum()), len(scores)
    if not found:
        raise NoValue("no row is positive")
    _, inverse, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    above = np.cumsum(sizes)  # rows with a score at least as high, by distinct score
    hits = np.bincount(inverse, weights=positive).astype(np.int64)
    so_far = np.cumsum(hits)
    precision, value = so_far / above, _steps(hits, so_far, above)
    # what a row changes in the precision at its own score and at all lower ones
    per_hit = hits / above
    all_lower = np.cumsum(per_hit[::-1])[::-1]
    right_lower = np.cumsum((per_hit * precision)[::-1])[::-1]
    own = positive * (precision[inverse] - value)
    psi = n / found * (own + positive * all_lower[inverse] - right_lower[inverse])
    return Functional(value, psi)


ROC = Curve(auc_value, partial(auc, unbiased=False))
PRECISION_RECALL = Curve(average_precision_value, average_precision_functional)


def _positive_rows(view: View) -> Iterator[TwoClasses]:
    yield TwoClasses(view.is_positive, view.scores)


def _check_every_class(view: View) -> None:
    """Refuse rows that lack a class, by its name: areas of every class are averaged."""
    there = np.bincount(view.truth.codes, minlength=view.probabilities.shape[1]) > 0
    if there.sum() > 1 and not there.all():
        raise NoValue(f"no tested row is of the class {view.truth.classes[int(there.argmin())]}")


def _one_against_rest(view: View) -> Iterator[TwoClasses]:
    _check_every_class(view)
    for k, column in enumerate(view.probabilities.T):
        yield TwoClasses(view.truth.codes == k, column)


def _delong(view: View) -> Functional:
    # sums over clusters have their own factor G/(G − 1)
    return auc(view.is_positive, view.scores, unbiased=not view.grouped)


@ranking(
    ROC,
    "ROC AUC",
    needs=Need.RANKING,
    classes="every",
    instead="roc_auc_ovr or roc_auc_ovo",
    influence=_delong,
    by_pairs=True,
    reads="ranking",
    studied_by="roc_auc",
    method="delong1988",
)
def roc_auc(view: View) -> Iterator[TwoClasses]:
    """Area under the ROC curve of the positive class."""
    return _positive_rows(view)


@ranking(ROC, "ROC AUC, one vs rest", classes="every")
def roc_auc_ovr(view: View) -> Iterator[TwoClasses]:
    """Mean over classes of the area for one class against the rest."""
    return _one_against_rest(view)


@ranking(ROC, "ROC AUC, one vs one", classes="every", method="hand2001")
def roc_auc_ovo(view: View) -> Iterator[TwoClasses]:
    """Mean over pairs of classes of the area between the two (Hand & Till 2001)."""
    _check_every_class(view)
    truth, p = view.truth.codes, view.probabilities
    for i in range(p.shape[1]):
        for j in range(i):
            rows = (truth == i) | (truth == j)
            yield from (TwoClasses(truth[rows] == k, p[rows, k], rows) for k in (i, j))


@ranking(
    PRECISION_RECALL,
    "average precision",
    needs=Need.RANKING,
    classes="positive",
    instead="average_precision_macro",
    by_predicted=True,
)
def average_precision(view: View) -> Iterator[TwoClasses]:
    """Area under the precision–recall curve as a step function."""
    return _positive_rows(view)


@ranking(PRECISION_RECALL, "macro average precision", classes="every", by_predicted=True)
def average_precision_macro(view: View) -> Iterator[TwoClasses]:
    """Mean over classes of the average precision for one class against the rest."""
    return _one_against_rest(view)

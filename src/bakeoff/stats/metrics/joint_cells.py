"""The joint cells of truth and predicted classes, and how many rows are in each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import ArgumentError, FloatArray
from bakeoff.stats.core.two_by_two import both_correct
from bakeoff.stats.metrics.test_rows import Codes, TrueClasses

_MOST_CELLS = 2**26
"""More would take gigabytes: of two models some 400 classes, of one some 8,000."""
_MOST_CLASSES = 8
"""With more classes counting the rows of a pair by themselves is as quick."""


@dataclasses.dataclass(frozen=True)
class JointCells:
    """The joint cells of truth and the predictions of one or two models that can occur."""

    columns: tuple[Codes, ...]
    there: tuple[Codes, ...]
    classes: int
    counts: NDArray[np.int64] | None = None
    shares: FloatArray | None = None

    def pseudo(self, total: float) -> FloatArray:
        """Return the weights of so many pseudo-rows, shape (c,)."""
        if self.shares is not None:
            return total * self.shares
        cells = math.prod(self.sizes)
        return np.full(cells, total / cells)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The cells along each column."""
        return tuple(map(len, self.there))

    @cached_property
    def index(self) -> Codes:
        """The cell of each row."""
        small = np.min_scalar_type(math.prod(self.sizes))  # of a pair of many models each has one
        pairs = zip(self.columns, self.there, strict=True)
        at = (_positions(codes, there, self.classes).astype(small) for codes, there in pairs)
        return reduce(lambda high, low: high * len(self.there[-1]) + low, at)

    @cached_property
    def weights(self) -> FloatArray:
        """The rows in each cell."""
        if self.counts is not None:
            return self.counts[np.ix_(*self.there)].ravel().astype(np.float64)
        return np.bincount(self.index, minlength=math.prod(self.sizes)).astype(np.float64)

    @cached_property
    def _of_models(self) -> list[tuple[Codes, Codes]]:
        """True and predicted class of each cell of each model alone."""
        true, *models = self.there
        return [(np.repeat(true, len(said)), np.tile(said, len(true))) for said in models]

    def of_model(self, weights: FloatArray, model: int) -> tuple[Codes, Codes, FloatArray]:
        """Return true class, predicted class and weight of each cell of one model alone."""
        if len(self.there) == 3:
            weights = weights.reshape(self.sizes).sum(axis=2 - model).ravel()
        return *self._of_models[model], weights

    def counts_of(self, model: int) -> NDArray[np.int64] | None:
        """Return the rows of each true class and each that one model predicts, shape (K, K)."""
        if self.shares is not None:
            return None
        counts = np.zeros((self.classes, self.classes), dtype=np.int64)
        *_, weights = self.of_model(self.weights, model)
        counts[np.ix_(*(self.there[column] for column in (0, model + 1)))] = weights.reshape(
            len(self.there[0]), -1
        )
        return counts

    def of_all(self, values: FloatArray, model: int) -> FloatArray:
        """Return the values of one model's cells as those of the joint cells."""
        if len(self.there) == 2:
            return values
        table = values.reshape(len(self.there[0]), -1)
        return np.broadcast_to(np.expand_dims(table, 2 - model), self.sizes).ravel()


def joint_cells(
    truth: TrueClasses,
    models: Sequence[Codes],
    counts: NDArray[np.int64] | None = None,
    *,
    right: bool = False,
) -> JointCells:
    """Find the cells that can occur: true classes for the truth, seen ones for the models."""
    k = len(truth.classes)
    if counts is None:
        seen = sum((np.bincount(codes, minlength=k) for codes in models), truth.counts)
    else:
        axes = range(counts.ndim)
        seen = sum(counts.sum(axis=tuple(a for a in axes if a != own)) for own in axes)
    there = np.flatnonzero(seen)
    if right and k > _MOST_CLASSES:
        return _right_cells(truth, models, len(there))
    each = (np.flatnonzero(truth.counts), *(there for _ in models))
    if math.prod(map(len, each)) > _MOST_CELLS:
        most = round(_MOST_CELLS ** (1 / len(each)))
        raise ArgumentError(
            "metric",
            f"it is computed from a table of true and predicted classes, which takes up to about "
            f"{most:,} classes for {len(models)} model(s), found {len(there):,}; use accuracy or "
            "log_loss",
        )
    return JointCells((truth.codes, *models), each, k, counts)


def _right_cells(truth: TrueClasses, models: Sequence[Codes], there: int) -> JointCells:
    """Put the cells together in which each model is right (0) or wrong (1)."""
    columns = (np.zeros_like(truth.codes), *((codes != truth.codes) * 1 for codes in models))
    each = (np.arange(1), *(np.arange(2) for _ in models))
    of_one = np.array([1, there - 1]) / there
    shares = reduce(np.multiply.outer, [of_one] * len(models)).ravel()
    return JointCells(columns, each, 2, None, shares)


def pair_counts(truth: TrueClasses, models: Sequence[Codes]) -> NDArray[np.int64] | None:
    """Count the rows of each true class and each two predicted ones, for all pairs of models."""
    k, m = len(truth.classes), len(models)
    if k > _MOST_CLASSES:
        return None
    counts = np.empty((k, m * k, m * k), dtype=np.int64)
    for true in range(k):
        rows = np.flatnonzero(truth.codes == true)
        said = np.empty((m * k, len(rows)), dtype=np.bool_)
        for place, codes in enumerate(models):
            np.equal(codes[rows], np.arange(k)[:, None], out=said[place * k : place * k + k])
        counts[true] = both_correct(said.T, None) if len(rows) else 0
    return counts.reshape(k, m, k, m, k)


def _positions(codes: Codes, there: Codes, k: int) -> Codes:
    """Return the positions of codes among those that occur."""
    if len(there) == k:
        return codes
    place = np.zeros(k, dtype=np.intp)
    place[there] = np.arange(len(there))
    return place[codes]

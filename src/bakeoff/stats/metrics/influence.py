"""Influence values of any metric on one test set: what its standard error is made of."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.design.flips import GroupSums
from bakeoff.stats.design.spread import Leverage, Spread, leverage_of, spread
from bakeoff.stats.metrics.bootstrap import OwnMetric
from bakeoff.stats.metrics.contingency import Cells
from bakeoff.stats.metrics.functional import Functional, NoValue
from bakeoff.stats.metrics.joint_cells import JointCells, joint_cells
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.setting import MetricArguments, Setting, setting_of
from bakeoff.stats.metrics.test_rows import Codes, TrueNumbers
from bakeoff.stats.metrics.view import NumberView, View

PLUS_FOUR, PLUS_TWO = 4.0, 2.0
"""Weight of the pseudo-rows of one model and of a pair (Agresti & Coull 1998, Agresti & Min 2005).

For accuracies they give those papers' intervals; for other metrics of decisions they are ours."""


NOISE = 1e-12
"""What rounding makes of a metric of classes; relative to the metric's size for numbers."""


@dataclasses.dataclass(frozen=True)
class Influence:
    """A metric on test rows with the influence of each row.

    Attributes
    ----------
    metric : str
        Which.
    value : float
        The metric, as it is always computed.
    atoms : Atoms
        The influence values behind it.
    padded : Functional or None
        Value and influence values of the cells with pseudo-rows, from which a metric of decisions
        is tested; None for other metrics.
    pseudo : ndarray, shape (c,), or None
        The weights of the cells' pseudo-rows.
    noise : float
        The largest value and standard error that rounding alone makes.
    root : bool
        Whether the metric is the root of a mean.
    """

    metric: str
    value: float
    atoms: Atoms
    padded: Functional | None = None
    pseudo: FloatArray | None = None
    noise: float = NOISE
    root: bool = False

    @property
    def psi(self) -> FloatArray:
        """Influence values of the rows, shape (n,).

        Their mean is 0; the value plus their mean over other rows is what the metric would be
        there, to first order.
        """
        return self.atoms.of_rows(self.atoms.psi)

    @property
    def drawn_from(self) -> FloatArray:
        """Influence values of the rows, with pseudo-rows where there are none without."""
        if self.padded is not None and not np.isfinite(self.atoms.psi).all():
            return self.atoms.of_rows(self.padded.psi)
        return self.psi

    @cached_property
    def spread(self) -> Spread:
        """Standard error and degrees of freedom of the plain value."""
        return self.atoms.spread(self.atoms.psi)

    @property
    def estimate(self) -> float:
        """What intervals and tests are about: the plain value, or that with pseudo-rows."""
        return self.value if self.padded is None else self.padded.value

    @cached_property
    def tested(self) -> Spread:
        """Standard error and degrees of freedom that intervals and tests are made of."""
        if self.padded is None:
            return self.spread
        return self.atoms.spread(self.padded.psi, self.pseudo)

    @cached_property
    def of_groups(self) -> GroupSums | None:
        """The value to first order as a mean over groups; None where rows stand alone."""
        clusters, leverage = self.atoms.clusters, self.atoms.leverage
        if clusters is None or leverage is None or not leverage.df > 0:
            return None
        shares = leverage.shares
        psi = self.drawn_from
        sums = np.bincount(clusters, psi - psi.mean(), len(shares)) / len(psi)
        return GroupSums(sums + shares * self.value, shares)

    @property
    def design_effect(self) -> float:
        """Variance over that of independent rows, at least 1; NaN where neither is known."""
        alone = dataclasses.replace(self.atoms, clusters=None, leverage=None)
        se = alone.spread(self.atoms.psi).se
        return max(1.0, (self.spread.se / se) ** 2) if se > 0 else math.nan

    def __neg__(self) -> Influence:
        return dataclasses.replace(
            self,
            value=-self.value,
            atoms=dataclasses.replace(self.atoms, psi=-self.atoms.psi),
            padded=None if self.padded is None else -self.padded,
        )

    def __sub__(self, other: Influence) -> Influence:
        """Return the difference of two models row by row, without pseudo-rows."""
        own = self.atoms
        first, second = self._weights(other)
        psi = first * self.psi - second * other.psi
        atoms = Atoms(psi, own.clusters, leverage=own.leverage)
        noise = max(self.noise, other.noise)
        return Influence(self.metric, self.value - other.value, atoms, noise=noise)

    def _weights(self, other: Influence) -> tuple[float, float]:
        """Weigh the influence values of roots so that their difference is that of the squares."""
        # √a − √b = (a − b)/(√a + √b). Where few units carry a root its own influence values give a
        # row that both models miss by far too little weight, the less the larger the root is.
        carried = min(self.spread.df, other.spread.df) < self.spread.units / 3
        if not (self.root and self.value and other.value and carried):
            return 1.0, 1.0
        both = (self.value + other.value) / 2
        return self.value / both, other.value / both


@dataclasses.dataclass(frozen=True)
class Atoms:
    """Influence values of rows, or of the cells of a table that rows fall into."""

    psi: FloatArray
    clusters: Codes | None = None
    cells: JointCells | None = None
    leverage: Leverage | None = None

    def of_rows(self, psi: FloatArray) -> FloatArray:
        """Return the values of the rows, given those of rows or cells."""
        return psi if self.cells is None else psi[self.cells.index]

    def spread(self, psi: FloatArray, pseudo: FloatArray | None = None) -> Spread:
        """Return the spread of influence values of these rows or cells."""
        extra = None if pseudo is None else (psi, pseudo)
        if self.cells is None or self.clusters is not None:
            rows = self.of_rows(psi)
            return spread(rows, clusters=self.clusters, pseudo=extra, leverage=self.leverage)
        return spread(psi, weights=self.cells.weights, pseudo=extra)


@checked
def influence(
    y_true: ArrayLike,
    predicted: ArrayLike,
    **asked: Unpack[MetricArguments],
) -> Influence:
    """Return a metric of one model on test rows with the influence of each row.

    Parameters
    ----------
    predicted : array_like, shape (n,) or (n, K)
        Predicted classes, for metrics of decisions; else scores of the positive class or
        probabilities with a column for each class.

    Returns
    -------
    Influence

    Examples
    --------
    >>> found = influence([1, 1, 1, 0, 0], [1, 1, 0, 0, 1], metric="recall")
    >>> round(found.value, 3), found.psi.round(3).tolist()
    (0.667, [0.556, 0.556, -1.111, 0.0, 0.0])
    """
    setting, (rows,) = setting_of(y_true, [("predicted", predicted)], **asked)
    return one(setting, rows)


def one(setting: Setting, rows: Any, counts: NDArray[np.int64] | None = None) -> Influence:
    """Return the influence values of one model."""
    metric = setting.metric
    if metric.form is Form.LEFT_OUT:
        found = left_out(by_rows(setting, rows), setting.truth.n, setting.clusters)
        atoms = Atoms(found.psi, found.together, leverage=leverage_of(found.together))
        noise = _noise(setting, found.value)
        return Influence(setting.metric.name, found.value, atoms, noise=noise)
    if metric.form is not Form.DECISIONS:
        return _of_functional(setting, _formula(setting, setting.view(rows)))
    cells = joint_cells(setting.classes, [rows], counts, right=metric.mean_of_rows)
    plain, padded = (_of_model(cells, setting, 0, more) for more in (0.0, PLUS_FOUR))
    return _of_cells(setting, plain, padded, cells, PLUS_FOUR)


def pair(
    setting: Setting, rows_a: Any, rows_b: Any, counts: NDArray[np.int64] | None = None
) -> Influence:
    """Return influence values of the difference A − B by a metric of decisions."""
    right = setting.metric.mean_of_rows
    cells = joint_cells(setting.classes, [rows_a, rows_b], counts, right=right)
    plain, padded = (_contrast(setting, cells, more) for more in (0.0, PLUS_TWO))
    return _of_cells(setting, plain, padded, cells, PLUS_TWO)


def by_rows(setting: Setting, rows: Any) -> OwnMetric:
    """Return a metric of one model as a function of row numbers."""
    view = setting.view(rows)
    return lambda at: setting.metric.value(view.take(at))


def _of_functional(setting: Setting, found: Functional) -> Influence:
    atoms = Atoms(found.psi, setting.clusters, leverage=setting.leverage)
    noise, root = _noise(setting, found.value), setting.metric.root
    return Influence(setting.metric.name, found.value, atoms, noise=noise, root=root)


def _noise(setting: Setting, value: float) -> float:
    """Return the size of rounding errors: numbers and costs may have a unit of any size."""
    bounded = all(map(math.isfinite, setting.metric.range))
    return NOISE if bounded and not isinstance(setting.truth, TrueNumbers) else NOISE * abs(value)


def _of_cells(
    setting: Setting, plain: Functional, padded: Functional, cells: JointCells, more: float
) -> Influence:
    atoms = Atoms(plain.psi, setting.clusters, cells, setting.leverage)
    return Influence(setting.metric.name, plain.value, atoms, padded, cells.pseudo(more))


def _formula(setting: Setting, rows: View | NumberView | Cells) -> Functional:
    """Return a metric with influence values."""
    assert setting.metric.formula is not None
    return setting.metric.formula(rows)


def _of_model(joint: JointCells, setting: Setting, model: int, more: float) -> Functional:
    """Return the metric of one model, of cells with some more weight, spread evenly."""
    cells, truth = joint.of_model(joint.weights + joint.pseudo(more), model), setting.classes
    found = _formula(setting, Cells(*cells, truth.classes, truth.positive, setting.options))
    return Functional(found.value, joint.of_all(found.psi, model))


def _contrast(setting: Setting, joint: JointCells, more: float) -> Functional:
    parts = []
    for model, name in ((0, "A"), (1, "B")):
        try:
            parts.append(_of_model(joint, setting, model, more))
        except NoValue as reason:
            raise NoValue(f"model {name}: {reason}") from None
    return parts[0] - parts[1]


MOST_LEFT_OUT = 5_000
"""With more rows, blocks of them are left out instead of one at a time."""
_BLOCKS = 200


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A metric of all rows, and what leaving some out changes."""

    value: float
    psi: FloatArray
    together: Codes | None


def left_out(metric: OwnMetric, n: int, clusters: Codes | None) -> LeftOut:
    """Return influence values from leaving out rows, blocks of rows, or clusters."""
    value = _value(metric, np.arange(n), "all rows")
    codes = clusters
    if codes is None:
        codes = np.arange(n) if n <= MOST_LEFT_OUT else np.arange(n) % _BLOCKS
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    psi, keep = np.empty(n), np.ones(n, dtype=np.bool_)
    for part in parts:
        keep[part] = False
        without = _value(metric, np.flatnonzero(keep), f"the rows without {len(part)} of them")
        psi[part] = (n - len(part)) * (value - without) / len(part)
        keep[part] = True
    # leaving out is not quite symmetric: influence values have mean 0
    psi -= psi.mean()
    together = codes if clusters is not None or n > MOST_LEFT_OUT else None
    return LeftOut(value, psi, together)


def _value(metric: OwnMetric, rows: NDArray[np.intp], which: str) -> float:
    try:
        found = float(metric(rows))
    except ValueError as reason:
        raise NoValue(f"on {which}: {reason}") from None
    if not math.isfinite(found):
        raise NoValue(f"on {which} it is {found}")
    return found

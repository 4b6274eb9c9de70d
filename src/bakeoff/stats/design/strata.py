"""The spread of a weighted mean over fixed tasks whose rows are sampled within each of them.

With weights w_t, influence values ψ_i of the n_t rows of task t, which have mean 0 there, and sums
over the G_t groups c of the task (each row is a group of its own where nothing groups them)

    V_t = G_t/(G_t − 1) Σ_c (Σ_{i in c} ψ_i)²/n_t²,   se² = Σ_t w_t² V_t,

with Satterthwaite's (1946) degrees of freedom (Σ w_t² V_t)²/Σ (w_t² V_t)²/(G_t − 1).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats.core.checks import FloatArray, IntArray
from bakeoff.stats.core.paired_differences import UNBOUNDED, Estimate


@dataclasses.dataclass(frozen=True)
class PseudoRows:
    """Rows that are added to those which are right or wrong, spread over the tasks."""

    values: tuple[float, ...]
    """Their different values, each of which an equal share of them has."""
    count: float
    """How many there are in all tasks together."""


PAIRED = PseudoRows((1.0, -1.0, 0.0, 0.0), 2.0)
"""Of the difference of two models: half a row in each of the four cells of the paired table
(Agresti & Min 2005)."""
SINGLE = PseudoRows((1.0, 0.0), 4.0)
"""Of one model: two right and two wrong rows (Agresti & Coull 1998)."""


@dataclasses.dataclass(frozen=True)
class Strata:
    """The tasks of rows, what each weighs, and which rows belong together."""

    task: IntArray  # (n,) codes from 0
    weights: FloatArray  # (T,) they sum to 1
    groups: IntArray | None = None  # (n,) codes from 0

    @property
    def rows(self) -> FloatArray:
        """The rows of each task."""
        return np.bincount(self.task, minlength=len(self.weights)).astype(np.float64)

    @property
    def units(self) -> IntArray:
        """How many groups, or else rows, each task has."""
        if self.groups is None:
            return np.bincount(self.task, minlength=len(self.weights))
        pairs = np.unique(np.column_stack([self.task, self.groups]), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(self.weights))

    def means(self, values: FloatArray) -> FloatArray:
        """Return the mean of the rows of each task, shape (T,) or of columns (T, K)."""
        sums = np.zeros((len(self.weights), *values.shape[1:]))
        np.add.at(sums, self.task, values)
        rows = self.rows.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(sums / rows)

    def contributions(self, psi: FloatArray, extra: float = 0.0) -> tuple[IntArray, FloatArray]:
        """Return what each group adds to the mean over tasks, and its stratum.

        The strata are the tasks; where a group has rows of several tasks there is one stratum.
        `psi` has shape (n,) or, of several columns, (n, K); `extra` pseudo-rows are in each task.
        """
        share = (self.weights / (self.rows + extra))[self.task]
        added = psi * share.reshape(-1, *[1] * (psi.ndim - 1))
        if self.groups is None:
            return self.task, added
        sums = np.zeros((int(self.groups.max()) + 1, *psi.shape[1:]))
        np.add.at(sums, self.groups, added)
        lowest = np.full(len(sums), len(self.weights))
        highest = np.full(len(sums), -1)
        np.minimum.at(lowest, self.groups, self.task)
        np.maximum.at(highest, self.groups, self.task)
        if np.array_equal(lowest, highest):
            return lowest, sums
        return np.zeros(len(sums), dtype=np.intp), sums

    def covariance(self, psi: FloatArray) -> FloatArray:
        """Return the covariance of the means over tasks of several columns (n, K)."""
        stratum, sums = self.contributions(psi)
        units = np.bincount(stratum).astype(np.float64)
        factor = np.sqrt(units / np.maximum(units - 1, 1))[stratum]
        scaled = sums * factor[:, None]
        return np.asarray(scaled.T @ scaled)


@dataclasses.dataclass(frozen=True)
class StratifiedMean:
    """A mean over tasks with its standard error."""

    value: float
    """The weighted mean itself."""
    centre: float
    """That with pseudo-rows, around which intervals are; the same where there are none."""
    se: float
    df: float
    by_task: FloatArray
    """Of each task."""
    variances: FloatArray
    """Of each task by itself, with pseudo-rows; of a single one where groups cross the tasks."""
    degrees: FloatArray
    """The degrees of freedom of each of these variances."""

    def around(self) -> Estimate:
        """Return the centre with its standard error."""
        return Estimate(value=self.centre, se=self.se, df=self.df)

    def interval(
        self, level: float, side: str, bounds: tuple[float, float] = UNBOUNDED
    ) -> tuple[float, float]:
        """Return the limits of Student's t within bounds; NaN without a standard error."""
        if not (self.se > 0 and self.df > 0):
            return math.nan, math.nan
        low, high = self.around().limits(level, side)  # type: ignore[arg-type]
        return max(low, bounds[0]), min(high, bounds[1])


def stratified_mean(
    strata: Strata, by_task: FloatArray, psi: FloatArray, pseudo: PseudoRows | None = None
) -> StratifiedMean:
    """Return the weighted mean of values of tasks with its standard error.

    Parameters
    ----------
    by_task, psi : ndarray, shape (T,) and (n,)
        The value in each task, and the influence of each row on that of its task.
    pseudo : PseudoRows, optional
        They keep a task in which no row differs from seeming to be known exactly. In full in each
        task they would make the limits of many tasks too wide.
    """
    count = len(by_task)
    rows = strata.rows
    extra = 0.0
    padding = np.zeros(count)
    padded = by_task
    if pseudo is not None:
        values = np.array(pseudo.values)
        extra = pseudo.count / count
        padded = (by_task * rows + values.mean() * extra) / (rows + extra)
        # squares around the padded mean: what the rows' own mean is off, and the pseudo-rows
        off = rows * (by_task - padded) ** 2
        own = extra * ((values[:, None] - padded) ** 2).mean(axis=0)
        padding = (strata.weights / (rows + extra)) ** 2 * (off + own)
    stratum, sums = strata.contributions(psi, extra)
    units = np.bincount(stratum)
    squares = np.bincount(stratum, sums**2)
    degrees: FloatArray = (units - 1).astype(np.float64)
    factor = units / np.maximum(degrees, 1)
    if pseudo is not None and strata.groups is None:
        # the variance of the shares in a table has no n/(n − 1) (Agresti & Min 2005)
        degrees = np.asarray(rows + extra - 1, dtype=np.float64)
        factor = np.ones(count)
    if len(squares) == count:
        variances = factor * squares + padding
        scale = strata.weights**2
    else:  # groups cross the tasks
        variances = factor * squares + padding.sum()
        scale = np.ones(1)
    variance = float(variances.sum())
    se = math.nan
    df = math.nan
    # within one group the influences of a task sum up to 0, so that it would seem not to vary
    if units.min() > 1 and strata.units.min() > 1:
        se = math.sqrt(variance)
        if variance > 0:
            shares = variances / variance  # squares of huge variances would overflow
            df = 1 / float(np.sum(shares**2 / degrees))
    return StratifiedMean(
        value=float(strata.weights @ by_task),
        centre=float(strata.weights @ padded),
        se=se,
        df=df,
        by_task=by_task,
        variances=np.divide(variances, scale, out=np.zeros(len(scale)), where=scale > 0),
        degrees=degrees,
    )

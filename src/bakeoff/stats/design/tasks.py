"""Two models on the rows of several fixed tasks: the difference of their means over the tasks."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    IntArray,
    as_array,
    check_same_length,
    is_missing,
    paired_scores,
)
from bakeoff.stats.core.result import Status

_FEWEST_DEGREES = 20
"""Degrees of freedom that limits for the mean of any numbers, or of groups, need."""


@dataclasses.dataclass(frozen=True)
class MacroDifference:
    """The difference of two models in the mean over tasks, each of which weighs alike.

    Attributes
    ----------
    estimate : float
        The mean over the tasks of A's mean advantage in each; negative where A is worse, whichever
        way the values point.
    se, df : float, float
        Its standard error and degrees of freedom; NaN where a task has fewer than two independent
        rows.
    skewness : float
        Skewness of a single row's contribution, as Hall's (1992) limits take it.
    n, groups : int, int
        Rows, and groups of them; 0 for independent rows.
    tasks, differences, rows : tuple of str, tuple of float, tuple of int
        The tasks in order, the mean advantage in each and its rows.
    status : Status
        ``ok``, or why nothing is known of the precision.
    """

    estimate: float
    se: float
    df: float
    skewness: float
    n: int
    groups: int
    tasks: tuple[str, ...]
    differences: tuple[float, ...]
    rows: tuple[int, ...]
    status: Status


@checked
def macro_difference(
    values_a: ArrayLike,
    values_b: ArrayLike,
    tasks: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
) -> MacroDifference:
    """Return the difference of two models in the mean over fixed tasks.

    The mean over all rows weighs a task by its rows, so that a large task decides. Here each of the
    T tasks weighs 1/T: d = Σ_t d_t/T with the mean difference d_t of each task, and
    se² = Σ_t s²_t/n_t/T², as rows are sampled within each of the tasks.

    Parameters
    ----------
    values_a, values_b : array_like, shape (n,)
        The number of each row, in the same row order; 1 and 0 for right and wrong rows.
    tasks : array_like, shape (n,)
        The task of each row; at least two.
    greater_is_better : bool
        Whether larger values are better.
    groups : array_like, shape (n,), optional
        Rows that belong together, such as the runs of an item.

    Returns
    -------
    MacroDifference
        `macro_limits` returns one-sided limits for it.

    Notes
    -----
    With groups s²_t/n_t is G_t/(G_t − 1) Σ_g S²_g/n²_t with the sums S_g of the residuals of each
    group. The degrees of freedom are Satterthwaite's (1946), (Σ V_t)²/Σ V²_t/(G_t − 1). Where a
    group has rows of several tasks, its contributions to all of them are one sum.

    Of right and wrong rows 1/(2T) of a row is added to each of the four cells of the paired table
    of each task in its variance (Agresti & Min 2005, spread over the tasks), since a task in which
    no row is right for one model alone would seem to be known exactly.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 0, 1, 0], [60, 40, 10, 10])
    >>> b = np.repeat([1, 0, 1, 0], [50, 50, 14, 6])
    >>> found = macro_difference(a, b, np.repeat(["large", "small"], [100, 20]))
    >>> round(found.estimate, 3), [round(one, 3) for one in found.differences]
    (-0.05, [0.1, -0.2])
    """
    scores = {"values_a": values_a, "values_b": values_b}
    a, b = paired_scores(scores, unit="rows", greater_is_better=greater_is_better)
    labels = as_array(tasks, "tasks")
    check_same_length(values_a=a, tasks=labels)
    if is_missing(labels).any():
        raise ArgumentError("tasks", "a row has no task")
    names, task = np.unique(labels.astype(str), return_inverse=True)
    if len(names) < 2:
        raise ArgumentError("tasks", f"found {len(names)} task, expected two at least")
    group = np.arange(len(a))
    n_groups = 0
    if groups is not None:
        group_of_row = as_array(groups, "groups")
        check_same_length(values_a=a, groups=group_of_row)
        _, group = np.unique(group_of_row.astype(str), return_inverse=True)
        n_groups = int(group.max()) + 1
    advantage = a - b
    rows = np.bincount(task)
    means = np.bincount(task, advantage) / rows
    marks = bool(np.isin(np.abs([a, b]), (0, 1)).all())
    variances, degrees = _variances(advantage, means, task, group, marks)
    variance = float(variances.sum())
    se = math.nan
    df = math.nan
    status = Status.TOO_FEW
    if degrees.min() >= 1:
        se = math.sqrt(variance)
        # (Σ V_t)²/Σ V_t²/(G_t − 1) (Satterthwaite 1946)
        if variance > 0:
            df = variance**2 / float(np.sum(variances**2 / degrees))
        status = _status(means, variance, df, of_marks=marks and groups is None)
    return MacroDifference(
        estimate=float(means.mean()),
        se=se,
        df=df,
        skewness=_skewness(advantage, means, task, group, variance),
        n=len(a),
        groups=n_groups,
        tasks=tuple(names.tolist()),
        differences=tuple(means.tolist()),
        rows=tuple(rows.tolist()),
        status=status,
    )


def _status(means: FloatArray, variance: float, df: float, *, of_marks: bool) -> Status:
    """Name the case of a mean over tasks with at least two units in each."""
    if variance == 0:
        if means.any():
            return Status.ZERO_VARIANCE
        return Status.IDENTICAL_SCORES
    if df < _FEWEST_DEGREES and not of_marks:
        return Status.TOO_FEW
    return Status.OK


def _variances(
    advantage: FloatArray, means: FloatArray, task: IntArray, group: IntArray, marks: bool
) -> tuple[FloatArray, IntArray]:
    """Return what each task adds to the variance of the mean over tasks, and its df."""
    # G_t/(G_t − 1) Σ_g S²_g, S_g what group g adds to the mean over tasks
    count = len(means)
    rows = np.bincount(task).astype(float)
    padding = np.zeros(count)
    if marks:
        # 1/(2T) of a row in each cell: differences of 1, −1, 0 and 0, 2/T rows in all
        rows = rows + 2 / count
        means = means * np.bincount(task) / rows
        padding = (1 + 2 * means**2) / count
    stratum, sums, padded = _contributions(advantage - means[task], task, group, rows, padding)
    strata = int(stratum.max()) + 1
    units = np.bincount(stratum, minlength=strata)
    squares = np.bincount(stratum, sums**2, minlength=strata) + padded
    return squares * units / np.maximum(units - 1, 1), units - 1


def _contributions(
    residuals: FloatArray, task: IntArray, group: IntArray, rows: FloatArray, padding: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the stratum of each group, what it adds to the mean over tasks, and the padding.

    The strata are the tasks; where a group has rows of several tasks there is one stratum.
    """
    count = len(rows)
    sums: FloatArray = np.bincount(group, residuals / (rows[task] * count)).astype(np.float64)
    padded = padding / (rows * count) ** 2
    lowest: IntArray = np.full(len(sums), count, dtype=np.int64)
    highest: IntArray = np.full(len(sums), -1, dtype=np.int64)
    np.minimum.at(lowest, group, task)
    np.maximum.at(highest, group, task)
    if np.array_equal(lowest, highest):
        return lowest, sums, padded
    return np.zeros(len(sums), dtype=np.int64), sums, np.array([padded.sum()])


def _skewness(
    advantage: FloatArray, means: FloatArray, task: IntArray, group: IntArray, variance: float
) -> float:
    """Return the skewness of the mean over tasks, times the root of the independent units."""
    if variance <= 0:
        return 0.0
    rows = np.bincount(task)
    sums = np.bincount(group, (advantage - means[task]) / (rows[task] * len(rows)))
    # √G·Σ S³/V^(3/2), the S of G independent units summing to the deviation of the mean
    return float(np.sum(sums**3)) / math.pow(variance, 1.5) * math.sqrt(len(sums))

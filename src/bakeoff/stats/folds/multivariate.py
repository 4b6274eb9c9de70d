"""What the tests on several criteria share: checked vectors of scores, linear dependence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arithmetic import inner, project, solved
from bakeoff.stats.core.checks import BoolArray, FloatArray, as_array, as_scores
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Assumption, Status


def as_criteria(
    values: ArrayLike, name: str, ndim: int, greater_is_better: bool | Sequence[bool]
) -> FloatArray:
    """Check scores whose last axis are criteria; negate those where smaller is better."""
    array = as_scores(values, name, ndim=ndim)
    better = as_array(greater_is_better, "greater_is_better")
    if better.dtype != np.bool_ or better.shape not in ((), array.shape[-1:]):
        raise ArgumentError(
            "greater_is_better",
            f"expected one boolean or one for each of the {array.shape[-1]} "
            f"criteria, found {greater_is_better!r}",
        )
    turned: FloatArray = np.where(better, array, -array)
    return turned


def criteria_names(criteria: Sequence[str] | None, m: int) -> tuple[str, ...]:
    """Return the names of m criteria."""
    if criteria is None:
        return tuple(f"criterion {i}" for i in range(m))
    if isinstance(criteria, str) or not np.iterable(criteria):
        raise ArgumentError("criteria", f"found {criteria!r}, needs {m} names")
    names = tuple(str(c) for c in criteria)
    if len(names) != m or len(set(names)) != m:
        raise ArgumentError("criteria", f"expected {m} different names, found {names!r}")
    return names


def check_independent(residuals: FloatArray, noise: FloatArray, names: Sequence[str]) -> None:
    """Refuse criteria that are linear combinations of each other, and say which.

    `residuals` are rows around their expectation under the model, none of its columns constant;
    `noise` is the size of the float noise in each.
    """
    size = np.sqrt((residuals**2).sum(axis=0))
    x = residuals / size
    # in units of the columns' own lengths; a dependence is only ever exact up to float noise
    tolerance = max(1e-9, 10 * float((noise * math.sqrt(len(x)) / size).max()))
    factor = triangular_factor(x, tolerance)
    for column in np.flatnonzero(factor.diagonal() == 0).tolist():
        kept = np.flatnonzero(factor.diagonal()[:column])
        upper = factor[np.ix_(kept, kept)][::-1, ::-1]  # the last coefficient comes first
        weights = solved(upper, factor[kept, column][::-1])[0][::-1]
        sources = [names[int(k)] for k, w in zip(kept, weights, strict=True) if abs(w) > 1e-6]
        raise ArgumentError(
            "criteria",
            f"{names[column]!r} is a linear combination of "
            f"{', '.join(map(repr, sources))} on these folds; leave one of them out",
        )


def distinct_rows(rows: FloatArray, noise: FloatArray) -> int:
    """Count different rows, up to float noise.

    Centred, j different rows span j − 1 dimensions at most. Where that is less than the number of
    criteria they depend on each other whatever they are: the folds are too alike to tell.
    """
    grid = np.where(noise > 0, 4 * noise, 1.0)
    return len(np.unique(np.round((rows - rows[0]) / grid), axis=0))


def judge(
    residuals: FloatArray,
    noise: FloatArray,
    moved: BoolArray,
    names: Sequence[str],
    *,
    freedom: int,
    spanned: int,
) -> tuple[Status, Assumption]:
    """Name the case of a test from its residuals.

    `moved` are the criteria in which the models' means differ, `spanned` the dimensions that the
    different rows of the residuals can span.
    """
    m = len(names)
    flat: BoolArray = np.sqrt((residuals**2).mean(axis=0)) <= noise
    named = ", ".join(repr(n) for n, f in zip(names, flat, strict=True) if f)
    if freedom < 1:
        return Status.TOO_FEW, Assumption("criteria vary", None, "one fold has no variance")
    if flat.any():
        status = Status.ZERO_VARIANCE if (flat & moved).any() else Status.UNDEFINED
        if flat.all() and not moved.any():
            status = Status.IDENTICAL_SCORES
        detail = f"{named} has no variance over the folds: leave it out"
        return status, Assumption("criteria vary", False, detail)
    if freedom < m or spanned < m:
        detail = f"the folds differ in only {spanned} way(s), {m} criteria need at least {m}"
        status = Status.TOO_FEW if freedom < m else Status.UNDEFINED
        return status, Assumption("criteria vary", False, detail)
    return Status.OK, Assumption("criteria vary", True, "every criterion varies over the folds")


def enough_folds(freedom: int, m: int) -> Assumption:
    """Say whether the error has degrees of freedom enough for m criteria."""
    return Assumption(
        "enough folds for the criteria",
        freedom >= m + 5,
        f"{freedom} degrees of freedom of the error for {m} criteria; at least {m} are needed, "
        "and few more leave little power",
    )


def triangular_factor(residuals: FloatArray, tolerance: float = 0.0) -> FloatArray:
    """Return R with RᵀR = the sums of squares and products of the residuals.

    Solving with R instead of inverting the products keeps twice the digits. A column that is no
    further than `tolerance` from the span of those before it has 0 on the diagonal.
    """
    factor = np.zeros((residuals.shape[1],) * 2)
    basis: list[FloatArray] = []
    kept: list[int] = []
    for column, values in enumerate(residuals.T):
        factor[kept, column], rest = project(values, basis)
        size = math.sqrt(inner(rest, rest))
        if size > tolerance:
            factor[column, column] = size
            basis.append(rest / size)
            kept.append(column)
    return factor

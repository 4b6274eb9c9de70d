"""Looney's F test that several models are right equally often on the same rows."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.correctness_matrix import as_matrix, both_correct, column_totals
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Assumption, Result, Status
from bakeoff.stats.rows.correct_totals import NULL, correct_totals

__all__ = ["looney_f"]


@register(
    title="Looney's F test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.OMNIBUS,
    about="models",
    answers="Are these fitted models equally accurate, or does at least one differ?",
    plans=("holdout",),
    citation="looney1988",
    caution="It treats correctness (0 or 1) as a measurement; it is a function of Cochran's Q "
    "and nearly always agrees with it.",
    posthoc="mcnemar",
    better_test="cochran_q",
    null_hypothesis=NULL,
)
def looney_f(
    correct: ArrayLike,
    *,
    correction: Literal["none", "greenhouse-geisser"] = "none",
    row_counts: ArrayLike | None = None,
) -> Result:
    """Looney's F test of equal accuracy of several models: two-way ANOVA on right and wrong.

    Parameters
    ----------
    correction : {"none", "greenhouse-geisser"}
        ``"greenhouse-geisser"`` multiplies both degrees of freedom by the estimated ε, for
        models whose differences vary unequally. It costs a matrix product of the table.

    Returns
    -------
    Result
        F with its degrees of freedom; `details` has the sums of squares SSA (models), SSB
        (rows), SSAB (rest) and SST, the mean squares, the accuracies and, if it was asked for,
        ε. Without a row on which the models disagree F is 0 and p is 1; where every row shows
        the same disagreement there is no residual variance and p is NaN.

    Notes
    -----
    Looney (1988): F = MSA/MSAB with df M − 1 and (M − 1)(n − 1), which equals
    (n − 1)Q/(n(M − 1) − Q) in terms of Cochran's Q. Greenhouse & Geisser (1959) for ε.

    Examples
    --------
    >>> from bakeoff.stats import looney_f
    >>> patterns = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    >>> result = looney_f(patterns, row_counts=[80, 2, 2, 9, 1, 3, 3])
    >>> print(f"F({result.df1:.0f}, {result.df2:.0f}) = {result.statistic:.4f}, "
    ...       f"p = {result.pvalue:.5f}")
    F(2, 198) = 3.8729, p = 0.02239
    """
    table = correct_totals(correct, row_counts)
    n, m, total = table.n, table.models, table.total
    # all sums of squares are whole numbers over n M: what is 0 is exactly 0
    models, rows = table.between, n * table.squared_rows - total**2
    rest = n * table.within - models
    scale = n * m
    df1, df2 = float(m - 1), float((m - 1) * (n - 1))
    details: dict[str, Any] = {
        "SSA": models / scale,
        "SSB": rows / scale,
        "SSAB": rest / scale,
        "SST": (n * m * total - total**2) / scale,
        "MSA": models / scale / df1,
        "MSAB": rest / scale / df2 if df2 else math.nan,
        "accuracies": table.accuracies,
        "n_discriminating": table.discriminating,
    }
    status = Status.OK if rest else Status.ZERO_VARIANCE
    if not table.discriminating:
        status = Status.NO_DISCORDANT_PAIRS
    elif n < 2:
        status = Status.TOO_FEW
    assumptions = [INDEPENDENT_ROWS]
    if correction == "greenhouse-geisser" and status is Status.OK:
        epsilon = _epsilon(correct, row_counts)
        df1, df2 = epsilon * df1, epsilon * df2
        details["epsilon"] = epsilon
    else:
        detail = "differences between models vary equally; greenhouse-geisser does without"
        assumptions.append(Assumption("sphericity", None if m > 2 else True, detail))
    statistic, pvalue = {
        Status.NO_DISCORDANT_PAIRS: (0.0, 1.0),
        Status.ZERO_VARIANCE: (math.inf, math.nan),
    }.get(status, (math.nan, math.nan))
    if status is Status.OK:
        statistic = models * (n - 1) / rest
        pvalue = float(special.fdtrc(df1, df2, statistic))
    return Result(
        variant="two_way_anova" if correction == "none" else correction,
        statistic=statistic,
        df1=df1,
        df2=df2,
        pvalue=pvalue,
        effect_sizes={
            "partial_eta_squared": models / (models + rest) if models + rest else math.nan
        },
        n=n,
        status=status,
        assumptions=tuple(assumptions),
        details=details,
    )


def _epsilon(correct: ArrayLike, row_counts: ArrayLike | None) -> float:
    """Return the ε of Greenhouse & Geisser (1959) from the covariance of the models."""
    matrix, counts = as_matrix(correct, row_counts)
    n = len(matrix) if counts is None else counts.sum()
    accuracy = column_totals(matrix, counts) / n
    covariance = both_correct(matrix, counts) / n - np.outer(accuracy, accuracy)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centred += covariance.mean()
    return float(np.trace(centred) ** 2 / ((len(centred) - 1) * np.square(centred).sum()))

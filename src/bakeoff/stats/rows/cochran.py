"""Tests that several models are right equally often on the same rows: Cochran's Q, Looney's F."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import PositiveInt, Seed, checked
from bakeoff.stats.core.correctness_matrix import as_matrix, both_correct, column_totals
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Assumption, Result, Status
from bakeoff.stats.core.variants import Variants
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.rows.cochran_in_groups import SOURCES, in_groups
from bakeoff.stats.rows.cochran_permutation import (
    PermutationPvalue,
    exact_pvalue,
    monte_carlo_pvalue,
)
from bakeoff.stats.rows.correct_totals import CorrectTotals, correct_totals

__all__ = ["cochran_q", "cochran_q_statistic", "looney_f"]

VARIANTS = Variants(("asymptotic", "permutation"), tuple(SOURCES))
_NULL = "All these fitted models are right equally often on the population the rows come from."
# Tate & Brown (1970), Note on the Cochran Q test, JASA 65: χ² is good enough from here on.
_MIN_ROWS, _MIN_CELLS = 4, 24


@checked
def cochran_q_statistic(correct: ArrayLike, *, row_counts: ArrayLike | None = None) -> float:
    """Cochran's Q for any number of models from two up.

    Returns
    -------
    float
        (M−1)(M ΣG_j² − T²)/(M T − ΣL_i²), with the column totals G_j, the row totals L_i and
        their sum T; 0 where the models agree on every row. For M = 2 this is McNemar's
        uncorrected (b − c)²/(b + c).

    Examples
    --------
    >>> from bakeoff.stats.rows.cochran import cochran_q_statistic
    >>> two = [[1, 1], [1, 0], [0, 1], [0, 0]]
    >>> cochran_q_statistic(two, row_counts=[329, 22, 17, 63])
    0.6410256410256411
    """
    return correct_totals(correct, row_counts).q


@register(
    title="Cochran's Q test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.OMNIBUS,
    about="models",
    answers="Are these fitted models equally accurate, or does at least one differ?",
    plans=("holdout",),
    citation="cochran1950",
    caution="It does not say which models differ. With few rows on which the models disagree, "
    "use the permutation variant. With few groups its p-value assumes that group effects are "
    "distributed symmetrically about zero, which cannot be tested.",
    posthoc="mcnemar",
    variants=VARIANTS,
    in_time="diebold_mariano",
    null_hypothesis=_NULL,
)
def cochran_q(
    correct: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: Literal["asymptotic", "permutation", "sign_flip", "robust_f"] | None = None,
    allow_two_models: bool = False,
    n_resamples: PositiveInt = 9999,
    seed: Seed = 0,
    row_counts: ArrayLike | None = None,
) -> Result:
    """Cochran's Q test of equal accuracy of three or more models on the same rows.

    In groups the test of the same question by whole groups, for two or more models.

    Parameters
    ----------
    correct : array_like, shape (n, M)
        Right or wrong (booleans or 0/1) for n rows and M ≥ 3 models.
    variant : str, optional
        Independent rows: ``"asymptotic"`` (default): p from χ²(M − 1). ``"permutation"``: p from
        the permutation of right and wrong within each row: its exact distribution where that
        takes about a second, otherwise `n_resamples` random tables. Rows in groups:
        ``"sign_flip"`` (default): one coin per group for the whole vector g_k of a group's right
        rows less their mean over the models; mid-p of Σ_j(Σ_k s_k g_kj)² (Canay, Romano & Shaikh
        2017). All signs are counted for up to 20 groups that differ, else `n_resamples` drawn.
        ``"robust_f"``: Wald statistic of the M − 1 contrasts with the CR2 covariance, as
        Hotelling's T² (HTZ; Pustejovsky & Tipton 2018).
    allow_two_models : bool
        Accept M = 2 for independent rows, where Q is McNemar's uncorrected χ² and the permutation
        p its exact p.
    n_resamples : int
        Random tables, or draws of the signs, where the exact distribution is out of reach.

    Returns
    -------
    Result or ClusteredResult
        In groups `statistic` is Q = (M − 1) Σ_j(Σ_k g_kj)²/ΣΣg², Cochran's with one row per
        group, or F; `estimate` is the range of the accuracies. For independent rows
        `effect_sizes` has η²_Q = Q/(n(M − 1)) (Serlin, Carr & Marascuilo 1982), between 0 and
        1. `details` has the accuracies, the number of rows that discriminate, and for
        permutation p-values how they were found and their Monte Carlo standard error. Where
        few rows discriminate, the asymptotic variant gives the exact p in `details` as well.

    Notes
    -----
    Cochran (1950). Rows on which all models agree do not contribute to Q.

    Examples
    --------
    >>> from bakeoff.stats import cochran_q
    >>> patterns = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    >>> result = cochran_q(patterns, row_counts=[80, 2, 2, 9, 1, 3, 3])
    >>> print(f"Q = {result.statistic:.4f}, df = {result.df:.0f}, p = {result.pvalue:.5f}")
    Q = 7.5294, df = 2, p = 0.02317
    >>> right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 1],
    ...          [1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]]
    >>> result = cochran_q(right, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6])
    >>> result.variant, round(result.statistic, 3), result.pvalue
    ('sign_flip', 6.167, 0.046875)
    """
    form = VARIANTS.choose(variant, "independent" if groups is None else "groups")
    if groups is not None:
        if row_counts is not None:
            raise ArgumentError("row_counts", "counts are of independent rows, found groups")
        matrix, _ = as_matrix(correct, None)
        design = RowDesign.of(len(matrix), groups, correct=correct)
        return in_groups(matrix, design.units, form, n_resamples, seed)
    table = correct_totals(correct, row_counts)
    if table.models == 2 and not allow_two_models:
        raise ArgumentError(
            "correct",
            "found 2 models, Cochran's Q is for three or more; use mcnemar "
            "(or allow_two_models=True: Q is then McNemar's uncorrected chi-square)",
        )
    df = table.models - 1
    enough = table.discriminating >= _MIN_ROWS and (
        table.discriminating * table.models >= _MIN_CELLS
    )
    details: dict[str, Any] = {
        "accuracies": table.accuracies,
        "n_discriminating": table.discriminating,
        "row_totals": table.row_totals.tolist(),
    }
    permutation = None
    if form == "permutation":
        permutation = _permutation(table, n_resamples, seed)
    elif not enough:
        permutation = exact_pvalue(table.row_totals, table.models, table.between)
    if permutation is not None:
        details |= {
            "pvalue_permutation": permutation.pvalue,
            "permutation_method": permutation.method,
            "monte_carlo_error": permutation.error,
        }
    pvalue = float(special.chdtrc(df, table.q))
    if form == "permutation" and permutation is not None:
        details["pvalue_asymptotic"], pvalue = pvalue, permutation.pvalue
    return Result(
        variant=form,
        statistic=table.q,
        df=float(df),
        pvalue=pvalue,
        effect_sizes={"eta_squared_q": table.q / (table.n * df)},
        n=table.n,
        status=Status.OK if table.discriminating else Status.NO_DISCORDANT_PAIRS,
        assumptions=(_enough_rows(table, enough, form), INDEPENDENT_ROWS),
        details=details,
    )


def _enough_rows(table: CorrectTotals, enough: bool, variant: str) -> Assumption:
    rows, cells = table.discriminating, table.discriminating * table.models
    detail = (
        f"the models disagree on {rows} of {table.n} rows, {cells} values in all; the χ² "
        f"approximation wants {_MIN_ROWS} rows and {_MIN_CELLS} values"
    )
    if variant == "permutation":
        return Assumption("enough discriminating rows", True, f"{detail}, the permutation p none")
    return Assumption("enough discriminating rows", enough, detail)


def _permutation(table: CorrectTotals, n_resamples: int, seed: Seed) -> PermutationPvalue:
    exact = exact_pvalue(table.row_totals, table.models, table.between)
    if exact is not None:
        return exact
    return monte_carlo_pvalue(table.row_totals, table.models, table.between, n_resamples, seed)


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
    null_hypothesis=_NULL,
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
    status = _looney_status(table, rest)
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


def _looney_status(table: CorrectTotals, rest: int) -> Status:
    if not table.discriminating:
        return Status.NO_DISCORDANT_PAIRS
    if table.n < 2:
        return Status.TOO_FEW
    return Status.OK if rest else Status.ZERO_VARIANCE


def _epsilon(correct: ArrayLike, row_counts: ArrayLike | None) -> float:
    """Return the ε of Greenhouse & Geisser (1959) from the covariance of the models."""
    matrix, counts = as_matrix(correct, row_counts)
    n = len(matrix) if counts is None else counts.sum()
    accuracy = column_totals(matrix, counts) / n
    covariance = both_correct(matrix, counts) / n - np.outer(accuracy, accuracy)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centred += covariance.mean()
    return float(np.trace(centred) ** 2 / ((len(centred) - 1) * np.square(centred).sum()))

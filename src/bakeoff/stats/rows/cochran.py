"""Several classifiers on one test set: Cochran's Q, whatever relates the rows, and Looney's F."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import PositiveInt, Seed, Variants
from bakeoff.stats.core.arithmetic import helmert, permutation_pvalue
from bakeoff.stats.core.checks import ArgumentError, BoolArray, FloatArray
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Assumption, Result, Status, answered
from bakeoff.stats.core.two_by_two import as_matrix, both_correct, column_totals
from bakeoff.stats.design.clusters import (
    Clusters,
    degrees_of_freedom,
    design_effect,
    moments,
    row_units,
)
from bakeoff.stats.design.groups import (
    ClusteredResult,
    cluster_assumptions,
    joint_flip,
    too_few_clusters,
    too_few_degrees,
)

NULL = "All these fitted models are right equally often on the population the rows come from."
WholeNumbers = NDArray[np.integer[Any]]

_SOURCES = {"sign_flip": "canay2017", "robust_f": "pustejovsky2018"}
VARIANTS = Variants(("asymptotic", "permutation"), tuple(_SOURCES))
_ALPHA = 0.05
_FEW_ROWS = 30
"""Up to so many informative rows the exact distribution is the default (docs/error-rates.md)."""
# Tate & Brown (1970), Note on the Cochran Q test, JASA 65: χ² is good enough from here on.
_MIN_ROWS = 4
_MIN_VALUES = 24
_MAX_WORK = 30_000_000  # values handled by the exact recursion before it gives up: about a second
_LARGEST_KEY = 2.0**62  # of a state of the exact recursion


class CorrectTotals:
    """The sufficient counts of a rows × models table of 0/1 values, in whole numbers."""

    def __init__(self, correct: ArrayLike, row_counts: ArrayLike | None) -> None:
        matrix, counts = as_matrix(correct, row_counts)
        m = matrix.shape[1]
        columns = [int(g) for g in column_totals(matrix, counts)]  # G_j
        rows = matrix.sum(axis=1, dtype=np.int64)  # L_i
        # how many rows have 0, 1, ..., M models right, and on how many these do not all agree
        self.row_totals = np.bincount(rows, counts, m + 1).astype(np.int64)
        self.discriminating = int(self.row_totals[1:m].sum())
        self.models: int = m
        self.n = int(self.row_totals.sum())
        self.total = sum(columns)  # T = ΣG = ΣL
        self.squared_rows = sum(right**2 * int(n) for right, n in enumerate(self.row_totals))
        # how far the columns differ, M ΣG² − T², and how far the rows discriminate, M T − ΣL²
        self.between: int = m * sum(g**2 for g in columns) - self.total**2
        self.within: int = m * self.total - self.squared_rows
        self.accuracies = [g / self.n for g in columns]

    @property
    def q(self) -> float:
        """Q = (M − 1)(M ΣG² − T²)/(M T − ΣL²) (Cochran 1950)."""
        if self.within == 0:
            return 0.0
        return (self.models - 1) * self.between / self.within

    @property
    def enough_for_chi2(self) -> bool:
        """Whether Q is about χ² by the rule of Tate & Brown (1970)."""
        values = self.discriminating * self.models
        return self.discriminating >= _MIN_ROWS and values >= _MIN_VALUES


def exact_pvalue(row_totals: WholeNumbers, models: int, observed: int) -> float | None:
    """Return P(M ΣG² − (ΣG)² ≥ observed), or None where that would take too long."""
    rows = int(row_totals[1:models].sum())
    if float(rows + 1) ** (models - 1) >= _LARGEST_KEY:
        return None
    if rows == 0:
        return 1.0
    right = np.repeat(np.arange(1, models), row_totals[1:models])[:, None]
    # M times the deviations from the mean of a row, whose sums are M times as large
    table = models * (np.arange(models) < right) - right
    return permutation_pvalue(table, models * observed, _MAX_WORK // models)


def monte_carlo_pvalue(
    row_totals: WholeNumbers, models: int, observed: int, n_resamples: int, seed: int
) -> tuple[float, float]:
    """Estimate it from random tables, at a cost free of the number of rows, with standard error."""
    rng = np.random.default_rng(seed)
    left = np.zeros((models + 1, n_resamples), dtype=np.int64)
    left[1:models] = row_totals[1:models, None]
    total = np.zeros(n_resamples, dtype=np.int64)
    squares = np.zeros(n_resamples, dtype=np.int64)
    for remaining in range(models, 0, -1):
        share = np.minimum(np.arange(1, models + 1) / remaining, 1.0)
        right = rng.binomial(left[1:], share[:, None])
        left[1:] -= right
        left[:-1] += right
        column = right.sum(axis=0)
        total += column
        squares += column**2
    reached = int((models * squares - total**2 >= observed).sum())
    pvalue = (reached + 1) / (n_resamples + 1)
    return pvalue, math.sqrt(pvalue * (1 - pvalue) / n_resamples)


@register(
    evidence=Evidence.ROWS,
    citation="cochran1950",
    posthoc="mcnemar",
    variants=VARIANTS,
    in_time="diebold_mariano",
    null_hypothesis=NULL,
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
    """Cochran's Q test.

    Are these fitted models equally accurate, or does at least one differ?

    In groups the test of the same question by whole groups, for two or more models.

    Parameters
    ----------
    correct : array_like, shape (n, M)
        Right or wrong (booleans or 0/1) for n rows and M ≥ 3 models.
    variant : str, optional
        Independent rows: ``"permutation"`` (default up to 30 rows on which the models disagree):
        p from the permutation of right and wrong within each row: its exact distribution where
        that takes about a second, otherwise `n_resamples` random tables. ``"asymptotic"``
        (default from 31 such rows on): p from χ²(M − 1). Rows in groups:
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
        1. Where few rows discriminate, `details` has the exact p of any variant.

    Warnings
    --------
    It does not say which models differ. With few groups its p-value assumes that group effects are
    distributed symmetrically about zero, which cannot be tested.

    Examples
    --------
    >>> patterns = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    >>> counts = [80, 2, 2, 9, 1, 3, 3]
    >>> result = cochran_q(patterns, row_counts=counts, variant="asymptotic")
    >>> print(f"Q = {result.statistic:.4f}, df = {result.df:.0f}, p = {result.pvalue:.5f}")
    Q = 7.5294, df = 2, p = 0.02317
    """
    if groups is not None:
        in_groups = VARIANTS.choose(variant, "groups")
        if row_counts is not None:
            raise ArgumentError("row_counts", "counts are of independent rows, found groups")
        matrix, _ = as_matrix(correct, None)
        _, units = row_units(len(matrix), groups, correct=correct)
        return _in_groups(matrix, units, in_groups, n_resamples, seed)
    chosen = VARIANTS.choose(variant, "independent")
    table = CorrectTotals(correct, row_counts)
    if table.models == 2 and not allow_two_models:
        raise ArgumentError(
            "correct",
            "found 2 models, Cochran's Q is for three or more; use mcnemar "
            "(or allow_two_models=True: Q is then McNemar's uncorrected chi-square)",
        )
    if variant is None and table.discriminating <= _FEW_ROWS:
        chosen = "permutation"
    q = table.q
    df = table.models - 1
    pvalue = float(special.chdtrc(df, q))
    details: dict[str, Any] = {
        "accuracies": table.accuracies,
        "n_discriminating": table.discriminating,
        "row_totals": table.row_totals.tolist(),
    }
    if chosen == "permutation":
        permutation = _permutation(table, n_resamples, seed)
        details |= permutation
        details["pvalue_asymptotic"] = pvalue
        pvalue = permutation["pvalue_permutation"]
    elif not table.enough_for_chi2:
        details |= _exact_permutation(table)
    status = Status.OK
    if table.discriminating == 0:
        status = Status.NO_DISCORDANT_PAIRS
    return Result(
        variant=chosen,
        statistic=q,
        df=float(df),
        pvalue=pvalue,
        effect_sizes={"eta_squared_q": q / (table.n * df)},
        n=table.n,
        status=status,
        assumptions=(_enough_rows(table, chosen), INDEPENDENT_ROWS),
        details=details,
    )


def _exact_permutation(table: CorrectTotals) -> dict[str, Any]:
    """Return the p-value by all permutations within rows; nothing where that takes too long."""
    pvalue = exact_pvalue(table.row_totals, table.models, table.between)
    if pvalue is None:
        return {}
    return {
        "pvalue_permutation": pvalue,
        "permutation_method": "exact",
        "monte_carlo_error": 0.0,
    }


def _permutation(table: CorrectTotals, n_resamples: int, seed: int) -> dict[str, Any]:
    """Return the p-value by permutation within rows, from random tables where there are many."""
    exact = _exact_permutation(table)
    if exact:
        return exact
    pvalue, error = monte_carlo_pvalue(
        table.row_totals, table.models, table.between, n_resamples, seed
    )
    return {
        "pvalue_permutation": pvalue,
        "permutation_method": "monte_carlo",
        "monte_carlo_error": error,
    }


def _enough_rows(table: CorrectTotals, variant: str) -> Assumption:
    detail = (
        f"the models disagree on {table.discriminating} of {table.n} rows, "
        f"{table.discriminating * table.models} values in all; the χ² approximation wants "
        f"{_MIN_ROWS} rows and {_MIN_VALUES} values"
    )
    if variant == "permutation":
        return Assumption("enough discriminating rows", True, detail + ", the permutation p none")
    return Assumption("enough discriminating rows", table.enough_for_chi2, detail)


def _in_groups(
    matrix: BoolArray, clusters: Clusters, variant: str, n_resamples: int, seed: Seed
) -> ClusteredResult:
    """Compare several models by G_kj, the rows of cluster k that model j has right."""
    totals = clusters.sums(matrix)
    flip = joint_flip(totals, n_resamples=n_resamples, seed=seed)
    df = degrees_of_freedom(clusters.shares)
    models = matrix.shape[1]
    rows_disagree = (matrix != matrix[:, :1]).any(axis=1)
    statistic = 0.0
    pvalue = 1.0
    details: dict[str, Any] = {}
    if not rows_disagree.any():
        status = Status.NO_DISCORDANT_PAIRS
    elif flip.nonzero == 0:
        status = Status.IDENTICAL_SCORES
    elif variant == "robust_f":
        status, statistic, pvalue, details = _robust_f(totals, clusters, df)
    elif too_few_clusters(clusters.count, _ALPHA):
        status = Status.TOO_FEW
        statistic = flip.statistic
        pvalue = math.nan
    else:
        status = Status.OK
        statistic = flip.statistic
        pvalue = flip.pvalue
    df1 = None
    df2 = None
    if variant == "robust_f":
        df1 = float(models - 1)
        df2 = df - models + 2
    accuracies = totals.sum(axis=0) / clusters.n
    # the mean design effect of the models' deviations from the mean of all models
    deviation = totals - totals.mean(axis=1, keepdims=True)
    right = matrix.sum(axis=1, dtype=np.float64)
    squares = (models * ((models - 2 * right) @ matrix) + np.square(right).sum()) / models**2
    informative = np.count_nonzero(clusters.sums(rows_disagree))
    effects = design_effect(moments(deviation, squares, clusters), informative, clusters)
    effect = float(np.mean(effects))
    return ClusteredResult(
        variant=variant,
        statistic=statistic,
        df1=df1,
        df2=df2,
        pvalue=pvalue,
        estimate=float(accuracies.max() - accuracies.min()),
        n=clusters.n,
        status=status,
        assumptions=cluster_assumptions(clusters, deviation, flip.nonzero, _ALPHA),
        null_hypothesis="Exchanging the fitted models in a whole group changes nothing: all are "
        "equally accurate on the population that the groups were drawn from.",
        method=_SOURCES[variant],
        details={
            "accuracies": accuracies.tolist(),
            "n_clusters_nonzero": flip.nonzero,
            "pvalue_exact": flip.exact,
            "formula_pvalue": flip.pvalue,
            "method": flip.method,
            "monte_carlo_error": flip.error,
            "df": df,
            **details,
        },
        n_clusters=clusters.count,
        n_effective=clusters.n / effect,
        design_effect=effect,
        icc=math.nan,
    )


def _robust_f(
    totals: FloatArray, clusters: Clusters, df: float
) -> tuple[Status, float, float, dict[str, Any]]:
    """F of the contrasts with the CR2 covariance; models that agree throughout count once."""
    models = totals.shape[1]
    accuracies = totals.sum(axis=0) / clusters.n
    if clusters.count < 2:
        return Status.TOO_FEW, math.nan, math.nan, {"wald": math.nan}
    residuals = totals - clusters.sizes[:, None] * accuracies
    weighted = residuals / np.sqrt(1 - clusters.shares)[:, None] / clusters.n
    contrasts = helmert(weighted)
    varied = max(float(np.square(contrasts).sum()), float(np.square(weighted).sum()) * 1e-12)
    # Wald: Σ (contrast along an axis of the covariance)²/variance there
    variances, axes = np.linalg.eigh(contrasts.T @ contrasts)
    along = helmert(accuracies[None])[0] @ axes
    varying = variances > 1e-10 * varied
    wald = float((np.square(along[varying]) / variances[varying]).sum())
    # F = (df − q + 1)/(df q) · Wald on q and df − q + 1 degrees (Pustejovsky & Tipton 2018)
    if too_few_degrees(df - models + 2):  # so there are more clusters than models, too
        q = models - 1
        f = math.nan
        if not varying.all():
            wald = math.nan
        if df > q - 1:
            f = (df - q + 1) / (df * q) * wald
        return Status.TOO_FEW, f, math.nan, {"wald": wald}
    if (np.abs(along[~varying]) > 1e-9).any():
        return Status.ZERO_VARIANCE, math.inf, math.nan, {"wald": math.inf}
    q = int(varying.sum())
    f = (df - q + 1) / (df * q) * wald
    pvalue = float(special.fdtrc(q, df - q + 1, f))
    return Status.OK, f, pvalue, {"wald": wald, "contrasts": q}


@register(
    evidence=Evidence.ROWS,
    citation="looney1988",
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
    """Looney's F test.

    Are these fitted models equally accurate, or does at least one differ?

    Two-way ANOVA on right and wrong.

    Parameters
    ----------
    correction : {"none", "greenhouse-geisser"}
        ``"greenhouse-geisser"`` multiplies both degrees of freedom by the estimated ε, for
        models whose differences vary unequally. It costs a matrix product of the table.

    Returns
    -------
    Result
        F with its degrees of freedom; `details` has the sums of squares SSA (models), SSB
        (rows), SSAB (rest) and SST.

    Warnings
    --------
    It treats correctness (0 or 1) as a measurement; it is a function of Cochran's Q and nearly
    always agrees with it.

    Notes
    -----
    F = MSA/MSAB with df M − 1 and (M − 1)(n − 1) (Looney 1988), ε of Greenhouse & Geisser (1959).

    Examples
    --------
    >>> patterns = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    >>> result = looney_f(patterns, row_counts=[80, 2, 2, 9, 1, 3, 3])
    >>> print(f"F({result.df1:.0f}, {result.df2:.0f}) = {result.statistic:.4f}, "
    ...       f"p = {result.pvalue:.5f}")
    F(2, 198) = 3.8729, p = 0.02239
    """
    table = CorrectTotals(correct, row_counts)
    n = table.n
    m = table.models
    # all sums of squares are whole numbers over n M: what is 0 is exactly 0
    between_models = table.between
    between_rows = n * table.squared_rows - table.total**2
    rest = n * table.within - between_models
    whole = n * m * table.total - table.total**2
    df1 = float(m - 1)
    df2 = float((m - 1) * (n - 1))
    mean_square_rest = math.nan
    if df2 > 0:
        mean_square_rest = rest / (n * m) / df2
    details: dict[str, Any] = {
        "SSA": between_models / (n * m),
        "SSB": between_rows / (n * m),
        "SSAB": rest / (n * m),
        "SST": whole / (n * m),
        "MSA": between_models / (n * m) / df1,
        "MSAB": mean_square_rest,
        "accuracies": table.accuracies,
        "n_discriminating": table.discriminating,
    }
    status = Status.OK
    if table.discriminating == 0:
        status = Status.NO_DISCORDANT_PAIRS
    elif n < 2:
        status = Status.TOO_FEW
    elif rest == 0:
        status = Status.ZERO_VARIANCE

    variant = "two_way_anova"
    if correction != "none":
        variant = correction
    assumptions = [INDEPENDENT_ROWS]
    if correction == "greenhouse-geisser" and status is Status.OK:
        epsilon = _greenhouse_geisser(correct, row_counts, n)
        df1 = epsilon * df1
        df2 = epsilon * df2
        details["epsilon"] = epsilon
    else:
        assumptions.append(_sphericity(m))

    # F = MSA/MSAB
    f = math.nan
    if status is Status.OK:
        f = between_models * (n - 1) / rest
    statistic, pvalue = answered(status, f, float(special.fdtrc(df1, df2, f)), 1.0)
    partial_eta_squared = math.nan
    if between_models + rest > 0:
        partial_eta_squared = between_models / (between_models + rest)
    return Result(
        variant=variant,
        statistic=statistic,
        df1=df1,
        df2=df2,
        pvalue=pvalue,
        effect_sizes={"partial_eta_squared": partial_eta_squared},
        n=n,
        status=status,
        assumptions=tuple(assumptions),
        details=details,
    )


def _greenhouse_geisser(correct: ArrayLike, row_counts: ArrayLike | None, n: int) -> float:
    """Return ε = tr(S)²/((M − 1) Σ S_jk²), S the double-centred covariance of the models."""
    matrix, counts = as_matrix(correct, row_counts)
    models = matrix.shape[1]
    accuracy = column_totals(matrix, counts) / n
    covariance = both_correct(matrix, counts) / n - np.outer(accuracy, accuracy)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centred += covariance.mean()
    return float(np.trace(centred) ** 2 / ((models - 1) * np.square(centred).sum()))


def _sphericity(models: int) -> Assumption:
    holds = None
    # there is one difference only
    if models == 2:
        holds = True
    detail = "differences between models vary equally; greenhouse-geisser does without"
    return Assumption("sphericity", holds, detail)

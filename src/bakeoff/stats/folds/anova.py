"""Several classifiers on folds: analyses of variance.

They take folds for independent. The folds of a cross-validation share training rows, so prefer
`corrected_kfold_t` on the pairs where the decision matters.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import gram, helmert, log, root
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.folds.score_table import (
    ScoreTable,
    block_sums,
    equal_variances,
    independence,
    score_table,
)

_CORRECTIONS = ("greenhouse-geisser", "huynh-feldt", "none")
_NULL = "All learning algorithms have the same expected score on this data set."
_MANY: dict[str, Any] = {
    "evidence": Evidence.FOLD_SCORES,
    "arity": Arity.OMNIBUS,
    "about": "algorithms",
    "posthoc": "corrected_kfold_t",
}


@register(
    **_MANY,
    title="Repeated-measures analysis of variance",
    answers="Do the algorithms' mean scores differ, given that all were scored on the same folds?",
    plans=("kfold",),
    citation="greenhouse1959",
    caution="It assumes independent folds although their training sets overlap.",
    better_test="half_sample_t",
    null_hypothesis=_NULL,
)
def anova_repeated_measures(
    scores: ArrayLike,
    *,
    correction: Literal["greenhouse-geisser", "huynh-feldt", "none"] = "greenhouse-geisser",
    greater_is_better: bool = True,
) -> Result:
    """Two-way analysis of variance without replication: folds are blocks, models treatments.

    F = MS_models / MS_error with M − 1 and (M − 1)(J − 1) degrees of freedom. Where the
    differences between models have unequal variances (no sphericity) both are multiplied by an ε:
    Greenhouse & Geisser (1959), or Huynh & Feldt (1976).

    Parameters
    ----------
    correction : {"greenhouse-geisser", "huynh-feldt", "none"}
        Which ε the degrees of freedom and the p-value use; ``"none"`` assumes sphericity.

    Returns
    -------
    Result
        ``details`` holds the sums of squares, both ε (Huynh-Feldt's also unclipped), their
        p-values, Mauchly's W with its p-value (in R's and in the published form), the mean scores
        and the columns from best to worst.

    Examples
    --------
    >>> scores = [[0.93, 0.96, 0.95], [0.92, 0.93, 0.98], [0.61, 0.62, 0.72], [0.70, 0.83, 0.83]]
    >>> result = anova_repeated_measures(scores)
    >>> print(f"F = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    F = 4.632, p = 0.0636
    """
    table = score_table(scores, "raise", greater_is_better)
    y = table.values
    folds, models = y.shape
    df1, df2 = models - 1, (models - 1) * (folds - 1)
    ss, residual = block_sums(y)
    identical = float(np.abs(y - y.mean(axis=1, keepdims=True)).max()) <= table.noise
    status = _f_status(identical, math.sqrt(float((residual**2).mean())), table.noise, df2)
    f, p = _f_test(ss["ss_models"] / df1, ss["ss_error"] / max(df2, 1), df1, df2, status)
    sphericity = _sphericity(y, f, p, status)
    scale, p = {
        "none": (1.0, p),
        "greenhouse-geisser": (sphericity["epsilon_gg"], sphericity["pvalue_gg"]),
        "huynh-feldt": (sphericity["epsilon_hf"], sphericity["pvalue_hf"]),
    }[correction]
    scale = scale if math.isfinite(scale) else 1.0
    between = ss["ss_models"] + ss["ss_error"]
    return Result(
        variant=correction,
        statistic=f,
        df1=scale * df1,
        df2=scale * df2,
        pvalue=p,
        effect_sizes={
            "partial_eta_squared": _share(ss["ss_models"], between),
            "generalized_eta_squared": _share(ss["ss_models"], between + ss["ss_subjects"]),
        },
        n=folds,
        status=status,
        assumptions=(independence(folds), _mauchly_assumption(sphericity, correction)),
        details=ss | sphericity | table.ranking(),
    )


@register(
    **_MANY,
    title="One-way analysis of variance",
    answers="Do the algorithms' mean scores differ, if every model had been scored on folds of "
    "its own?",
    plans=("kfold",),
    citation="alpaydin2010",
    caution="It ignores that the models share their folds: the variation between folds counts as "
    "noise, which costs power. Prefer anova_repeated_measures.",
    better_test="half_sample_t",
    null_hypothesis=_NULL,
)
def anova_oneway(
    scores: ArrayLike,
    *,
    equal_var: bool = True,
    nan_policy: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
) -> Result:
    """One-way analysis of variance over models, classical or Welch's.

    F = MS_between / MS_within with M − 1 and N − M degrees of freedom (Alpaydin 2010, section
    19.12); Welch (1951) allows unequal variances.

    Parameters
    ----------
    equal_var : bool
        False for Welch's test.

    Returns
    -------
    Result
        ``details`` holds the sums of squares, the mean scores and the columns from best to worst.

    Examples
    --------
    >>> result = anova_oneway([[0.6, 0.75], [0.7, 0.85], [0.8, 0.95]])
    >>> print(f"F({result.df1}, {result.df2}) = {result.statistic:.3f}, p = {result.pvalue:.3f}")
    F(1, 4) = 3.375, p = 0.140
    """
    table = score_table(scores, nan_policy, greater_is_better)
    within, df2 = table.within(), int(table.counts.sum()) - table.counts.size
    means, counts = table.means, table.counts
    df1 = counts.size - 1
    between = float((counts * (means - np.average(means, weights=counts)) ** 2).sum())
    spread = math.sqrt(within / max(df2, 1))
    identical = float(np.nanmax(table.values) - np.nanmin(table.values)) <= table.noise
    status = _f_status(identical, spread, table.noise, df2)
    f, p = _f_test(between / df1, within / max(df2, 1), df1, df2, status)
    freedom: float = df2
    if not equal_var:
        f, freedom, p, status = _welch(table, f, p, status)
    mse = within / df2 if df2 > 0 else math.nan
    return Result(
        variant="f" if equal_var else "welch",
        statistic=f,
        df1=df1,
        df2=freedom,
        pvalue=p,
        effect_sizes={
            "eta_squared": _share(between, between + within),
            "omega_squared": _share(between - df1 * mse, between + within + mse),
        },
        n=int(counts.sum()),
        status=status,
        assumptions=(independence(int(counts.max())), equal_variances(table)),
        method="alpaydin2010" if equal_var else "welch1951",
        details={"ss_between": between, "ss_within": within} | table.ranking(),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _f_status(identical: bool, spread: float, noise: float, df2: float) -> Status:
    if df2 < 1:
        return Status.TOO_FEW
    if identical:
        return Status.IDENTICAL_SCORES
    return Status.ZERO_VARIANCE if spread <= noise else Status.OK


def _f_test(
    between: float, error: float, df1: float, df2: float, status: Status
) -> tuple[float, float]:
    if status is Status.OK:
        f = between / error
        return f, float(special.fdtrc(df1, df2, f))
    if status is Status.IDENTICAL_SCORES:
        return 0.0, 1.0
    return (math.inf if status is Status.ZERO_VARIANCE else math.nan), math.nan


def _sphericity(y: FloatArray, f: float, p: float, status: Status) -> dict[str, float]:
    """Return both ε with their p-values, and Mauchly's test with Box's second-order term."""
    folds, models = y.shape
    q = models - 1
    gg = hf = clipped = w = as_in_r = published = math.nan
    pvalue_gg = pvalue_hf = p
    if status is Status.OK:
        centred = y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()
        contrasts = helmert(centred / np.abs(centred).max())  # neither over- nor underflow
        covariance = gram(contrasts) / (folds - 1)
        total = float(covariance.trace())
        gg = total**2 / (q * float(np.square(covariance).sum()))
        bottom = q * (folds - 1 - q * gg)
        hf = (folds * q * gg - 2) / bottom if bottom > 0 else math.nan
        pvalue_gg = float(special.fdtrc(gg * q, gg * q * (folds - 1), f))
        # ε lies between 1/q and 1; too few folds leave Huynh and Feldt's undefined
        clipped = min(1.0, max(hf, 1 / q)) if math.isfinite(hf) else gg
        pvalue_hf = float(special.fdtrc(clipped * q, clipped * q * (folds - 1), f))
        w, as_in_r, published = _mauchly(covariance, folds - 1)
    return {
        "epsilon_gg": gg,
        "pvalue_gg": pvalue_gg,
        "epsilon_hf_unclipped": hf,
        "epsilon_hf": clipped,
        "pvalue_hf": pvalue_hf,
        "mauchly_w": w,
        "mauchly_pvalue": as_in_r,
        "mauchly_pvalue_published": published,
    }


def _mauchly(covariance: FloatArray, n: int) -> tuple[float, float, float]:
    """Return Mauchly's W of q contrasts with n degrees of freedom, and two p-values.

    Both are Box's expansion. The first is R's: `mauchly.test` puts the number of models, q + 1,
    into the linear term of the second-order weight where the published formula has q. They
    differ in the fifth decimal place.
    """
    q = len(covariance)
    if q == 1:
        return 1.0, math.nan, math.nan
    pivots = root(covariance).diagonal()  # their product is the root of the determinant
    if n < q or not pivots.all():
        return 0.0, math.nan, math.nan
    log_w = 2 * float(log(pivots).sum()) - q * math.log(float(covariance.trace()) / q)
    rho = 1 - (2 * q**2 + q + 2) / (6 * q * n)
    if rho <= 0:
        return math.exp(log_w), math.nan, math.nan
    z, df = -n * rho * log_w, q * (q + 1) / 2 - 1
    first, second = float(special.chdtrc(df, z)), float(special.chdtrc(df + 4, z))
    weight = (q + 2) * (q - 1) * (q - 2) / (288 * (n * q * rho) ** 2)
    cubic = 2 * q**3 + 6 * q**2 + 2
    as_in_r, published = (
        min(1.0, max(0.0, first + weight * (cubic + 3 * size) * (second - first)))
        for size in (q + 1, q)
    )
    return math.exp(log_w), as_in_r, published


def _mauchly_assumption(sphericity: dict[str, float], correction: str) -> Assumption:
    w, p = sphericity["mauchly_w"], sphericity["mauchly_pvalue"]
    detail = f"Mauchly's W = {w:.3f}, p = {p:.3g}; the p-value uses the correction {correction!r}"
    return Assumption("sphericity", None if math.isnan(p) else p >= 0.05, detail)


def _welch(
    table: ScoreTable, f: float, p: float, status: Status
) -> tuple[float, float, float, Status]:
    """Return Welch's F, its df2 and p; a model without variance leaves it undefined."""
    if table.counts.min() < 2:
        return math.nan, math.nan, math.nan, Status.TOO_FEW
    if status is not Status.OK:
        return f, math.nan, p, status
    variances = np.nanvar(table.values, axis=0, ddof=1)
    if math.sqrt(variances.min()) <= table.noise:
        return math.nan, math.nan, math.nan, Status.UNDEFINED
    weight = table.counts / variances
    k, total = weight.size, weight.sum()
    centre = (weight * table.means).sum() / total
    lost = ((1 - weight / total) ** 2 / (table.counts - 1)).sum() / (k**2 - 1)
    top = (weight * (table.means - centre) ** 2).sum() / (k - 1)
    statistic = float(top / (1 + 2 * (k - 2) * lost))
    df2 = float(1 / (3 * lost))
    return statistic, df2, float(special.fdtrc(k - 1, df2, statistic)), Status.OK

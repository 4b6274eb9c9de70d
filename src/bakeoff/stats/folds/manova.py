"""Two or more algorithms by several metrics at once: multivariate analysis of variance.

With two algorithms on the same folds it is Hotelling's paired T² test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from bakeoff.stats.core.checks import ArgumentError, BoolArray, FloatArray, as_array, as_scores
from bakeoff.stats.core.paired_differences import noise_level
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.folds.anova import fill_missing, independence

_ROY = Assumption(
    "exact reference distribution",
    False,
    "Roy's F is an upper bound, so its p-value is a lower bound unless there are two models",
)


@register(
    evidence=Evidence.FOLD_CRITERIA,
    about="algorithms",
    plans=("kfold",),
    caution="It assumes independent folds although their training sets overlap.",
    title="Multivariate analysis of variance",
    arity=Arity.OMNIBUS,
    answers="Do the algorithms differ in any of several criteria, taken together?",
    citation="pillai1955",
    better_test="half_sample_t",
    null_hypothesis="All learning algorithms have the same expected value of every criterion.",
)
def manova(
    scores: ArrayLike,
    *,
    statistic: Literal["wilks", "pillai", "hotelling-lawley", "roy"] = "pillai",
    blocks: bool = True,
    criteria: Sequence[str] | None = None,
    nan_policy: Literal["raise", "omit"] = "raise",
    greater_is_better: bool | Sequence[bool] = True,
) -> Result:
    """Multivariate analysis of variance of models, with folds as blocks or one-way.

    All four statistics are functions of the eigenvalues of E⁻¹H, the error and hypothesis sums of
    squares and products: Wilks' Λ (1932) with Rao's F, Pillai's trace (1955), the
    Hotelling-Lawley trace and Roy's largest root. Of two models on J folds, J − 1 times the
    Hotelling-Lawley trace is Hotelling's T² (1931), and all four have its p-value.

    Parameters
    ----------
    scores : array_like, shape (J, M, m)
        Scores by fold, model and criterion.
    statistic : {"pillai", "wilks", "hotelling-lawley", "roy"}
        Which one gives `statistic`, `pvalue` and the degrees of freedom. Pillai's trace is the
        most robust; Roy's p-value is only a lower bound.
    blocks : bool
        Whether the models share the folds, so that differences between folds are not error.
    nan_policy : {"raise", "omit"}
        ``"omit"`` drops a model's fold where a criterion is NaN, with `blocks` for every model.
    greater_is_better : bool or sequence of bool
        False for criteria where smaller is better; turns the means in ``details``.

    Returns
    -------
    Result
        `statistic` is the multivariate statistic itself. ``details`` holds, for each of the four,
        its value, its approximate F, the degrees of freedom and the p-value, and the mean of every
        criterion by model (greater is better).

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(1).normal(0.8, 0.02, size=(10, 3, 2))
    >>> result = manova(scores, criteria=("accuracy", "recall"))
    >>> print(f"V = {result.statistic:.3f}, p = {result.pvalue:.3f}")
    V = 0.137, p = 0.621
    """
    filled, missing = fill_missing(scores, nan_policy)
    y = _turned(filled, greater_is_better)
    if y.shape[1] < 2:
        raise ArgumentError(
            "scores",
            f"found {y.shape[1]} model (shape {y.shape}), need at least 2; axes are folds, "
            "models, criteria",
        )
    present: BoolArray = np.logical_not(missing.any(axis=2))
    if blocks:
        complete = present.all(axis=1)
        y, present = y[complete], present[complete]
    if not len(y) or not present.any(axis=0).all():
        raise ArgumentError(
            "scores",
            "no complete fold is left"
            + (", with blocks=True a fold counts only where every model has it" if blocks else ""),
        )
    folds, models, m = y.shape
    names = _criteria_names(criteria, m)
    noise = noise_level(scores) * np.abs(y).max(axis=(0, 1))
    counts = present.sum(axis=0)
    means = (y * present[:, :, None]).sum(axis=0) / counts[:, None]
    grand = (y * present[:, :, None]).sum(axis=(0, 1)) / counts.sum()
    effects = means - grand
    df_model = models - 1
    if blocks:
        residuals = (y - means - y.mean(axis=1, keepdims=True) + grand)[present]
        df_error = (folds - 1) * df_model
        within = (y - y.mean(axis=1, keepdims=True)).reshape(folds, -1)
        spanned = (_distinct_rows(within, np.tile(noise, models)) - 1) * df_model
    else:
        residuals = (y - means)[present]
        df_error = int(counts.sum()) - models
        own = (_distinct_rows(y[there, k], noise) - 1 for k, there in enumerate(present.T))
        spanned = sum(own)
    moved = (np.abs(effects) > noise).any(axis=0)
    status, varies = _judge(residuals, noise, moved, names, df_error, spanned)
    if status is Status.OK:
        _check_independent(residuals, noise, names)
        # solving with the triangular factor instead of inverting E keeps twice the digits
        factor = np.linalg.qr(residuals, mode="r")
        weighted = np.sqrt(counts)[:, None] * effects
        solved = linalg.solve_triangular(factor, weighted.T, trans="T")
        roots = np.linalg.svd(solved, compute_uv=False) ** 2
        four = _four_statistics(roots, m, df_model, df_error)
    else:
        same = status is Status.IDENTICAL_SCORES
        infinite = math.inf if status is Status.ZERO_VARIANCE else math.nan
        degenerate = {
            "statistic": 0.0 if same else infinite,
            "approx_F": 0.0 if same else math.nan,
            "df1": math.nan,
            "df2": math.nan,
            "pvalue": 1.0 if same else math.nan,
            "partial_eta_squared": 0.0 if same else math.nan,
        }
        four = dict.fromkeys(("wilks", "pillai", "hotelling-lawley", "roy"), degenerate)
    chosen = four[statistic]
    if status is Status.OK and math.isnan(chosen["pvalue"]):
        status = Status.TOO_FEW
    enough = Assumption(
        "enough folds for the criteria",
        df_error >= m + 5,
        f"{df_error} degrees of freedom of the error for {m} criteria; at least {m} are needed, "
        "and few more leave little power",
    )
    return Result(
        variant=statistic,
        statistic=chosen["statistic"],
        df1=chosen["df1"],
        df2=chosen["df2"],
        pvalue=chosen["pvalue"],
        effect_sizes={"partial_eta_squared": chosen["partial_eta_squared"]},
        n=folds,
        status=status,
        assumptions=(independence(folds), varies, enough) + ((_ROY,) if statistic == "roy" else ()),
        method="wilks1932" if statistic == "wilks" else "pillai1955",
        details={**four, "blocks": blocks, "criteria": names, "means": means},
    )


def _turned(values: FloatArray, greater_is_better: bool | Sequence[bool]) -> FloatArray:
    """Check scores whose last axis are criteria; negate those where smaller is better."""
    array = as_scores(values, "scores", ndim=3)
    better = as_array(greater_is_better, "greater_is_better")
    if better.dtype != np.bool_ or better.shape not in ((), array.shape[-1:]):
        raise ArgumentError(
            "greater_is_better",
            f"expected one boolean or one for each of the {array.shape[-1]} "
            f"criteria, found {greater_is_better!r}",
        )
    turned: FloatArray = np.where(better, array, -array)
    return turned


def _criteria_names(criteria: Sequence[str] | None, m: int) -> tuple[str, ...]:
    """Return the names of m criteria."""
    if criteria is None:
        return tuple(f"criterion {i}" for i in range(m))
    if isinstance(criteria, str) or not np.iterable(criteria):
        raise ArgumentError("criteria", f"found {criteria!r}, needs {m} names")
    names = tuple(str(c) for c in criteria)
    if len(names) != m or len(set(names)) != m:
        raise ArgumentError("criteria", f"expected {m} different names, found {names!r}")
    return names


def _distinct_rows(rows: FloatArray, noise: FloatArray) -> int:
    """Count different rows up to rounding; centred, j of them span at most j - 1 dimensions."""
    grid = np.where(noise > 0, 4 * noise, 1.0)
    return len(np.unique(np.round((rows - rows[0]) / grid), axis=0))


def _judge(
    residuals: FloatArray,
    noise: FloatArray,
    moved: FloatArray,
    names: Sequence[str],
    freedom: int,
    spanned: int,
) -> tuple[Status, Assumption]:
    """Name the case from the residuals and the criteria in which the models' means differ."""
    flat = np.sqrt((residuals**2).mean(axis=0)) <= noise
    if freedom < 1:
        return Status.TOO_FEW, Assumption("criteria vary", None, "one fold has no variance")
    if flat.any():
        named = ", ".join(repr(n) for n, f in zip(names, flat, strict=True) if f)
        status = Status.ZERO_VARIANCE if (flat & moved).any() else Status.UNDEFINED
        if flat.all() and not moved.any():
            status = Status.IDENTICAL_SCORES
        detail = f"{named} has no variance over the folds: leave it out"
        return status, Assumption("criteria vary", False, detail)
    m = len(names)
    if freedom < m or spanned < m:
        detail = f"the folds differ in only {spanned} way(s), {m} criteria need at least {m}"
        status = Status.TOO_FEW if freedom < m else Status.UNDEFINED
        return status, Assumption("criteria vary", False, detail)
    return Status.OK, Assumption("criteria vary", True, "every criterion varies over the folds")


def _check_independent(residuals: FloatArray, noise: FloatArray, names: Sequence[str]) -> None:
    """Refuse criteria that are linear combinations of each other."""
    size = np.sqrt((residuals**2).sum(axis=0))
    # in units of the columns' own lengths; a dependence is only ever exact up to rounding
    tolerance = max(1e-9, 10 * float((noise * math.sqrt(len(residuals)) / size).max()))
    x = residuals / size
    diagonal = np.abs(np.diagonal(np.linalg.qr(x, mode="r")))
    for column in np.flatnonzero(diagonal <= tolerance).tolist():
        weights = np.linalg.lstsq(x[:, :column], x[:, column])[0]
        sources = [names[k] for k, w in enumerate(weights) if abs(w) > 1e-6]
        raise ArgumentError(
            "criteria",
            f"{names[column]!r} is a linear combination of {', '.join(map(repr, sources))} on "
            "these folds; leave one of them out",
        )


def _four_statistics(roots: FloatArray, p: int, q: int, df: int) -> dict[str, dict[str, float]]:
    """Return the four statistics with their F approximations, as in R's ``summary.manova``."""
    s = min(p, q)
    m, n = (abs(p - q) - 1) / 2, (df - p - 1) / 2
    wilks = math.exp(-float(special.log1p(roots).sum()))
    square = p**2 + q**2 - 5
    t = math.sqrt(((p * q) ** 2 - 4) / square) if square > 0 else 1.0
    wilks_df2 = (df - (p - q + 1) / 2) * t - (p * q - 2) / 2
    pillai, trace = float((roots / (1 + roots)).sum()), float(roots.sum())
    largest, width = float(roots.max()), max(p, q)
    v1, v2 = s * (2 * m + s + 1), s * (2 * n + s + 1)
    h2 = 2 * (s * n + 1)
    wilks_f = math.expm1(-math.log(wilks) / t) * wilks_df2 / (p * q)
    # statistic, F, its degrees of freedom, partial eta squared
    found = {
        "wilks": (wilks, wilks_f, p * q, wilks_df2, 1 - wilks ** (1 / s)),
        "pillai": (pillai, v2 / v1 * pillai / (s - pillai), v1, v2, pillai / s),
        "hotelling-lawley": (trace, h2 * trace / (s * v1), v1, h2, trace / s / (1 + trace / s)),
        "roy": (
            largest,
            (df - width + q) * largest / width,
            width,
            df - width + q,
            largest / (1 + largest),
        ),
    }
    return {
        name: {
            "statistic": value,
            "approx_F": f,
            "df1": df1,
            "df2": df2,
            # the approximations need a few more folds than the statistics themselves
            "pvalue": float(special.fdtrc(df1, df2, f)) if df2 > 0 else math.nan,
            "partial_eta_squared": eta,
        }
        for name, (value, f, df1, df2, eta) in found.items()
    }

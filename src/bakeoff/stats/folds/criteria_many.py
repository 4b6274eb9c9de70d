"""Several classifiers by several criteria at once: multivariate analysis of variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import solved, squared_singular_values
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import noise_level
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.folds.anova import fill_missing, independence
from bakeoff.stats.folds.multivariate import (
    as_criteria,
    check_independent,
    criteria_names,
    distinct_rows,
    enough_folds,
    judge,
    triangular_factor,
)

_STATISTICS = ("wilks", "pillai", "hotelling-lawley", "roy")
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
    posthoc="hotelling_t2",
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
    Hotelling-Lawley trace and Roy's largest root.

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
    y, present = _cube(scores, blocks, nan_policy, greater_is_better)
    layout = _Layout(y, present, blocks)
    names = criteria_names(criteria, y.shape[2])
    noise = noise_level(scores) * np.abs(y).max(axis=(0, 1))
    residuals, effects = layout.residuals, layout.effects
    status, varies = judge(
        residuals,
        noise,
        (np.abs(effects) > noise).any(axis=0),
        names,
        freedom=layout.df_error,
        spanned=layout.spanned(noise),
    )
    if status is Status.OK:
        check_independent(residuals, noise, names)
        four = _four_statistics(_eigenvalues(layout), y.shape[2], layout.df_model, layout.df_error)
    else:
        four = {name: _degenerate(status) for name in _STATISTICS}
    chosen = four[statistic]
    if status is Status.OK and math.isnan(chosen["pvalue"]):
        status = Status.TOO_FEW
    return Result(
        variant=statistic,
        statistic=chosen["statistic"],
        df1=chosen["df1"],
        df2=chosen["df2"],
        pvalue=chosen["pvalue"],
        effect_sizes={"partial_eta_squared": chosen["partial_eta_squared"]},
        n=len(y),
        status=status,
        assumptions=(independence(len(y)), varies, enough_folds(layout.df_error, y.shape[2]))
        + ((_ROY,) if statistic == "roy" else ()),
        method="wilks1932" if statistic == "wilks" else "pillai1955",
        details={
            **four,
            "blocks": blocks,
            "criteria": names,
            "means": layout.means,
        },
    )


def _cube(
    scores: ArrayLike, blocks: bool, nan_policy: str, greater_is_better: bool | Sequence[bool]
) -> tuple[FloatArray, BoolArray]:
    """Return the scores (folds, models, criteria) and which rows are there."""
    filled, missing = fill_missing(scores, nan_policy)
    y = as_criteria(filled, "scores", 3, greater_is_better)
    if y.shape[1] < 2:
        raise ArgumentError(
            "scores",
            f"found {y.shape[1]} model (shape {y.shape}), need at least 2; axes are folds, "
            "models, criteria",
        )
    present: BoolArray = ~np.asarray(missing.any(axis=2), np.bool_)
    if blocks:
        complete = present.all(axis=1)
        y, present = y[complete], present[complete]
    if not len(y) or not present.any(axis=0).all():
        raise ArgumentError(
            "scores",
            "no complete fold is left"
            + (", with blocks=True a fold counts only where every model has it" if blocks else ""),
        )
    return y, present


class _Layout:
    """The linear model: effects of the models, and the residuals as rows."""

    def __init__(self, y: FloatArray, present: BoolArray, blocks: bool) -> None:
        self._y, self._present = y, present
        folds, models, _ = y.shape
        self.counts = present.sum(axis=0)
        weight = present[:, :, None]
        self.means: FloatArray = (y * weight).sum(axis=0) / self.counts[:, None]
        grand = (y * weight).sum(axis=(0, 1)) / self.counts.sum()
        self.effects: FloatArray = self.means - grand
        self.df_model = int(models) - 1
        if blocks:
            rest = y - self.means - y.mean(axis=1, keepdims=True) + grand
            self.df_error = (folds - 1) * (models - 1)
        else:
            rest = y - self.means
            self.df_error = int(self.counts.sum()) - models
        self.residuals: FloatArray = rest[present]
        self._blocks = blocks

    def spanned(self, noise: FloatArray) -> int:
        """Return how many dimensions the different rows of the residuals can span."""
        if self._blocks:
            within = self._y - self._y.mean(axis=1, keepdims=True)
            patterns = within.reshape(len(within), -1)
            different = distinct_rows(patterns, np.tile(noise, self.df_model + 1))
            return (different - 1) * self.df_model
        return sum(
            distinct_rows(self._y[there, model], noise) - 1
            for model, there in enumerate(self._present.T)
        )


def _eigenvalues(layout: _Layout) -> FloatArray:
    """Return the eigenvalues of E⁻¹H, through the triangular factor of the residuals."""
    factor = triangular_factor(layout.residuals)
    weighted = np.sqrt(layout.counts)[:, None] * layout.effects
    return squared_singular_values(solved(factor.T, weighted.T)[0])


def _four_statistics(roots: FloatArray, p: int, q: int, df: int) -> dict[str, dict[str, float]]:
    """Return the four statistics with their F approximations, as in R's ``summary.manova``.

    p criteria, q degrees of freedom of the hypothesis and df of the error.
    """
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
    return {
        "wilks": _approximation(
            wilks,
            math.expm1(-math.log(wilks) / t) * wilks_df2 / (p * q),
            p * q,
            wilks_df2,
            1 - wilks ** (1 / s),
        ),
        "pillai": _approximation(pillai, v2 / v1 * pillai / (s - pillai), v1, v2, pillai / s),
        "hotelling-lawley": _approximation(
            trace, h2 * trace / (s * v1), v1, h2, trace / s / (1 + trace / s)
        ),
        "roy": _approximation(
            largest,
            (df - width + q) * largest / width,
            width,
            df - width + q,
            largest / (1 + largest),
        ),
    }


def _approximation(
    statistic: float, f: float, df1: float, df2: float, eta: float
) -> dict[str, float]:
    return {
        "statistic": statistic,
        "approx_F": f,
        "df1": df1,
        "df2": df2,
        # the approximations need a few more folds than the statistics themselves
        "pvalue": float(special.fdtrc(df1, df2, f)) if df2 > 0 else math.nan,
        "partial_eta_squared": eta,
    }


def _degenerate(status: Status) -> dict[str, float]:
    same = status is Status.IDENTICAL_SCORES
    nan = math.nan
    return {
        "statistic": 0.0 if same else math.inf if status is Status.ZERO_VARIANCE else nan,
        "approx_F": 0.0 if same else nan,
        "df1": nan,
        "df2": nan,
        "pvalue": 1.0 if same else nan,
        "partial_eta_squared": 0.0 if same else nan,
    }

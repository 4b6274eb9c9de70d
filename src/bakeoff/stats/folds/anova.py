"""Several algorithms on folds: analyses of variance, and Tukey's comparison of all pairs.

They take folds for independent. The folds of a cross-validation share training rows, so prefer
`corrected_kfold_t` on the pairs where the decision matters.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.arithmetic import gram, helmert, root
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    as_array,
    as_scores,
    check_models,
)
from bakeoff.stats.core.distributions import welch_f
from bakeoff.stats.core.paired_differences import Estimate, noise_level
from bakeoff.stats.core.pairs import Pair, PairwiseResult
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Result, Status, answered

_FACTS: dict[str, Any] = {
    "evidence": Evidence.FOLD_SCORES,
    "plans": ("kfold",),
    "better_test": "fold_rows_difference",
}
_OMNIBUS = _FACTS | {
    "posthoc": "corrected_kfold_t",
    "null_hypothesis": "All learning algorithms have the same expected score on this data set.",
}


# --- scores by fold and model


class ScoreTable:
    """Scores by fold and model, NaN for a missing fold, and the sums that tests are made of."""

    def __init__(
        self, scores: ArrayLike, nan_policy: str, greater_is_better: bool, *, complete: bool = False
    ) -> None:
        y = as_scores(scores, "scores", ndim=2, allow_missing=nan_policy == "omit")
        lost = np.flatnonzero(np.isnan(y).all(axis=0))
        check_models(y, "scores")
        if len(lost):
            raise ArgumentError("scores", f"model {lost[0]} (column) has no scores; leave it out")
        self.noise = noise_level(scores) * float(np.nanmax(np.abs(y)))
        if complete:
            y = y[~np.isnan(y).any(axis=1)]
        if not len(y):
            raise ArgumentError("scores", "no fold has a score of every model; use blocks=False")
        self.y, self.counts = y, np.asarray((~np.isnan(y)).sum(axis=0), np.float64)
        self.means: FloatArray = np.nanmean(y, axis=0)
        self.advantage = self.means if greater_is_better else -self.means
        self.within = float(np.nansum((y - self.means) ** 2))

    def blocks(self) -> tuple[dict[str, float], FloatArray]:
        """Split the sum of squares of a two-way table without replication."""
        y, grand = self.y, self.y.mean()
        models, folds = y.mean(axis=0) - grand, y.mean(axis=1, keepdims=True) - grand
        residual = y - grand - models - folds
        return {
            "ss_models": float(y.shape[0] * (models**2).sum()),
            "ss_subjects": float(y.shape[1] * (folds**2).sum()),
            "ss_error": float((residual**2).sum()),
        }, residual

    def ranking(self) -> dict[str, Any]:
        """Return the mean scores and the columns from best to worst."""
        return {"means": self.means, "order": np.argsort(-self.advantage, kind="stable")}

    def equal_variances(self) -> Assumption:
        """Compare the standard deviations of the models."""
        if self.counts.min() < 2:
            return Assumption("equal variances", None, "a model with one fold has no variance")
        sd = np.nanstd(self.y, axis=0, ddof=1)
        detail = f"standard deviations of the models from {sd.min():.3g} to {sd.max():.3g}"
        return Assumption("equal variances", bool(sd.max() <= 2 * sd.min()), detail)


def independence(folds: int) -> Assumption:
    """Say how far folds are from independent."""
    share = f"{max(folds - 2, 0) / max(folds - 1, 1):.0%} of their rows, which makes p too small"
    detail = f"true for separate data; two training sets of a {folds}-fold cross-validation share"
    return Assumption("independent folds", None, f"{detail} {share}")


# --- analyses of variance


def _f_test(
    between: float, error: float, df1: float, df2: float, identical: bool, flat: bool
) -> tuple[float, float, Status]:
    """Return F of two sums of squares, its p-value and the status."""
    status = Status.ZERO_VARIANCE if flat else Status.OK
    status = Status.TOO_FEW if df2 < 1 else Status.IDENTICAL_SCORES if identical else status
    f = (between / df1) / (error / df2) if status is Status.OK else math.nan
    return *answered(status, f, float(special.fdtrc(df1, df2, f)), 1.0), status


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


@register(**_OMNIBUS, citation="greenhouse1959")
def anova_repeated_measures(
    scores: ArrayLike,
    *,
    correction: Literal["greenhouse-geisser", "huynh-feldt", "none"] = "greenhouse-geisser",
    greater_is_better: bool = True,
) -> Result:
    """Repeated-measures analysis of variance.

    Do the algorithms' mean scores differ, given that all were scored on the same folds?

    Two-way without replication: folds are blocks, models treatments. F = MS_models / MS_error with
    M − 1 and (M − 1)(J − 1) degrees of freedom. Where the differences between models have unequal
    variances (no sphericity) both are multiplied by an ε: Greenhouse & Geisser (1959), or Huynh &
    Feldt (1976).

    Parameters
    ----------
    correction : {"greenhouse-geisser", "huynh-feldt", "none"}
        Which ε the degrees of freedom and the p-value use; ``"none"`` assumes sphericity.

    Returns
    -------
    Result
        ``details`` holds the sums of squares, both ε with their p-values, Mauchly's W with its
        p-value (in R's and in the published form), the means and the columns from best to worst.

    Warnings
    --------
    It assumes independent folds although their training sets overlap.

    Examples
    --------
    >>> scores = [[0.93, 0.96, 0.95], [0.92, 0.93, 0.98], [0.61, 0.62, 0.72], [0.70, 0.83, 0.83]]
    >>> result = anova_repeated_measures(scores)
    >>> print(f"F = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    F = 4.632, p = 0.0636
    """
    table = ScoreTable(scores, "raise", greater_is_better)
    y = table.y
    folds, q = y.shape[0], y.shape[1] - 1
    df2 = q * (folds - 1)
    ss, residual = table.blocks()
    same = float(np.abs(y - y.mean(axis=1, keepdims=True)).max()) <= table.noise
    flat = math.sqrt(float((residual**2).mean())) <= table.noise
    f, p, status = _f_test(ss["ss_models"], ss["ss_error"], q, df2, same, flat)
    gg = hf = clipped = w = as_in_r = published = math.nan
    p_gg = p_hf = p
    if status is Status.OK:
        contrasts = helmert(residual / np.abs(residual).max())  # neither over- nor underflow
        covariance = gram(contrasts) / (folds - 1)
        gg = float(covariance.trace()) ** 2 / (q * float(np.square(covariance).sum()))
        bottom = q * (folds - 1 - q * gg)
        hf = (folds * q * gg - 2) / bottom if bottom > 0 else math.nan
        # ε lies between 1/q and 1; too few folds leave Huynh and Feldt's undefined
        clipped = min(1.0, max(hf, 1 / q)) if math.isfinite(hf) else gg
        p_gg, p_hf = (float(special.fdtrc(e * q, e * df2, f)) for e in (gg, clipped))
        w, as_in_r, published = _mauchly(covariance, folds - 1)
    epsilon, p = {
        "none": (1.0, p),
        "greenhouse-geisser": (gg, p_gg),
        "huynh-feldt": (clipped, p_hf),
    }[correction]
    epsilon = epsilon if math.isfinite(epsilon) else 1.0
    spherical = None if math.isnan(as_in_r) else as_in_r >= 0.05
    used = f"the p-value uses the correction {correction!r}"
    detail = f"Mauchly's W = {w:.3f}, p = {as_in_r:.3g}; {used}"
    between = ss["ss_models"] + ss["ss_error"]
    return Result(
        variant=correction,
        statistic=f,
        df1=epsilon * q,
        df2=epsilon * df2,
        pvalue=p,
        effect_sizes={
            "partial_eta_squared": _share(ss["ss_models"], between),
            "generalized_eta_squared": _share(ss["ss_models"], between + ss["ss_subjects"]),
        },
        n=folds,
        status=status,
        assumptions=(independence(folds), Assumption("sphericity", spherical, detail)),
        details={
            **ss,
            "epsilon_gg": gg,
            "pvalue_gg": p_gg,
            "epsilon_hf_unclipped": hf,
            "epsilon_hf": clipped,
            "pvalue_hf": p_hf,
            "mauchly_w": w,
            "mauchly_pvalue": as_in_r,
            "mauchly_pvalue_published": published,
            **table.ranking(),
        },
    )


def _mauchly(covariance: FloatArray, n: int) -> tuple[float, float, float]:
    """Return Mauchly's W of q contrasts with n degrees of freedom, and two p-values."""
    q = len(covariance)
    if q == 1:
        return 1.0, math.nan, math.nan
    pivots = root(covariance).diagonal()  # their product is the root of the determinant
    if n < q or not pivots.all():
        return 0.0, math.nan, math.nan
    log_w = 2 * float(np.log(pivots).sum()) - q * math.log(float(covariance.trace()) / q)
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


@register(**_OMNIBUS, citation="alpaydin2010")
def anova_oneway(
    scores: ArrayLike,
    *,
    equal_var: bool = True,
    nan_policy: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
) -> Result:
    """One-way analysis of variance.

    Do the algorithms' mean scores differ, if every model had been scored on folds of its own?

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

    Warnings
    --------
    It ignores that the models share their folds: the variation between folds counts as noise, which
    costs power. Prefer anova_repeated_measures.

    Examples
    --------
    >>> result = anova_oneway([[0.6, 0.75], [0.7, 0.85], [0.8, 0.95]])
    >>> print(f"F({result.df1}, {result.df2}) = {result.statistic:.3f}, p = {result.pvalue:.3f}")
    F(1, 4) = 3.375, p = 0.140
    """
    table = ScoreTable(scores, nan_policy, greater_is_better)
    within, means, counts, noise = table.within, table.means, table.counts, table.noise
    df1, df2 = counts.size - 1, int(counts.sum()) - counts.size
    between = float((counts * (means - np.average(means, weights=counts)) ** 2).sum())
    same = float(np.nanmax(table.y) - np.nanmin(table.y)) <= noise
    flat = math.sqrt(within / max(df2, 1)) <= noise
    f, p, status = _f_test(between, within, df1, df2, same, flat)
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
        assumptions=(independence(int(counts.max())), table.equal_variances()),
        method="alpaydin2010" if equal_var else "welch1951",
        details={"ss_between": between, "ss_within": within} | table.ranking(),
    )


def _welch(
    table: ScoreTable, f: float, p: float, status: Status
) -> tuple[float, float, float, Status]:
    """Return Welch's F, its df2 and p; a model without variance leaves it undefined."""
    counts, means = table.counts, table.means
    if counts.min() < 2:
        return math.nan, math.nan, math.nan, Status.TOO_FEW
    if status is not Status.OK:
        return f, math.nan, p, status
    variances = np.nanvar(table.y, axis=0, ddof=1)
    if math.sqrt(variances.min()) <= table.noise:
        return math.nan, math.nan, math.nan, Status.UNDEFINED
    tested = welch_f(means, np.sqrt(variances / counts), counts - 1)
    return tested["statistic"], tested["df2"], tested["pvalue"], Status.OK


# --- Tukey


@register(
    **_FACTS,
    citation="tukey1949",
    null_hypothesis="The two learning algorithms of each pair have the same expected score on "
    "this data set.",
)
def tukey_hsd(
    scores: ArrayLike,
    *,
    blocks: bool = True,
    confidence_level: Level = 0.95,
    nan_policy: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
) -> PairwiseResult:
    """Tukey's honestly significant difference.

    Which pairs of algorithms differ, with the family-wise error rate controlled?

    q = |ȳᵢ − ȳⱼ| / √(MSE/2 · (1/nᵢ + 1/nⱼ)) (Tukey 1949; Kramer 1956 for unequal numbers), where
    the error is that of the two-way table of folds and models, or of the one-way layout.

    Parameters
    ----------
    blocks : bool
        Whether all models share the folds, so that differences between folds are not error.
        False gives the one-way form of R's ``TukeyHSD(aov(y ~ g))``.
    confidence_level : float
        Simultaneous level of the intervals.
    nan_policy : {"raise", "omit"}
        ``"omit"``: a NaN is a missing fold; with `blocks` the fold is dropped for every model.

    Returns
    -------
    PairwiseResult
        Each pair's `statistic` is q and `pvalue` that of the t test with the pooled error.

    Warnings
    --------
    It assumes independent folds although their training sets overlap.

    Examples
    --------
    >>> scores = [[0.80, 0.90, 0.70], [0.80, 0.90, 0.80], [0.90, 0.80, 0.90], [0.85, 0.85, 0.70]]
    >>> result = tukey_hsd(scores, blocks=False)
    >>> [round(pair.pvalue_adjusted, 4) for pair in result.pairs]
    [0.8626, 0.4271, 0.2152]
    """
    from scipy.stats import studentized_range  # here, for scipy.stats takes long to import

    table = ScoreTable(scores, nan_policy, greater_is_better, complete=blocks)
    counts, means, k, level = table.counts, table.advantage, table.counts.size, confidence_level
    error = table.blocks()[0]["ss_error"] if blocks else table.within
    df = (k - 1) * (int(counts[0]) - 1) if blocks else int(counts.sum()) - k
    mse = error / df if df > 0 else math.nan
    critical = _critical_range(1 - level, k, df) if df > 0 else math.nan
    pairs = []
    for a, b in combinations(range(k), 2):
        d, se = float(means[a] - means[b]), math.sqrt(mse * (1 / counts[a] + 1 / counts[b]))
        status = Status.TOO_FEW if df < 1 else Status.OK
        if status is Status.OK and math.sqrt(mse) <= table.noise:
            same = abs(d) <= table.noise
            status = Status.IDENTICAL_SCORES if same else Status.ZERO_VARIANCE
        t, p = Estimate(value=d, se=se, df=df, status=status).test("two-sided")
        q, adjusted, ci = abs(t) * math.sqrt(2), p, None
        if status is Status.OK:
            reach = critical * se / math.sqrt(2)
            adjusted = float(studentized_range.sf(q, k, df))
            ci = ConfidenceInterval(d - reach, d + reach, level, "studentized-range")
        fields: dict[str, Any] = {"a": a, "b": b, "estimate": d, "df": df, "status": status}
        fields |= {"statistic": q, "pvalue": p, "pvalue_adjusted": adjusted, "ci": ci}
        pairs.append(Pair(**fields))
    statuses = {pair.status for pair in pairs}
    cost = "differences between folds count as error, which costs power"
    detail = "differences between folds are taken out of the error" if blocks else cost
    return PairwiseResult(
        variant="blocks" if blocks else "one-way",
        correction="studentized-range",
        pairs=tuple(pairs),
        n=int(counts.max()),
        method="tukey1949" if np.ptp(counts) == 0 else "kramer1956",
        status=statuses.pop() if len(statuses) == 1 else Status.ZERO_VARIANCE,
        assumptions=(
            independence(int(counts.max())),
            Assumption("folds as blocks", True if blocks else None, detail),
            table.equal_variances(),
        ),
        details={"mse": mse, "df": df, "critical_value": critical} | table.ranking(),
    )


@functools.lru_cache(maxsize=256)
def _critical_range(p: float, k: int, df: float) -> float:
    """Return the quantile of the studentized range, which takes long to find."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(p, k, df))


@register(
    evidence=Evidence.FOLD_SCORES,
    plans=("kfold",),
    citation="pillai1955",
    better_test="fold_rows_difference",
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
    """Multivariate analysis of variance.

    Do the algorithms differ in any of several criteria, taken together?

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
        False for criteria where smaller is better, one for all or one each.

    Returns
    -------
    Result
        ``details`` holds each of the four with its approximate F, degrees of freedom and p-value,
        and the means of the criteria by model, turned so that greater is better.

    Warnings
    --------
    It assumes independent folds although their training sets overlap.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(1).normal(0.8, 0.02, size=(10, 3, 2))
    >>> result = manova(scores, criteria=("accuracy", "recall"))
    >>> print(f"V = {result.statistic:.3f}, p = {result.pvalue:.3f}")
    V = 0.137, p = 0.621
    """
    y = as_scores(scores, "scores", ndim=3, allow_missing=nan_policy == "omit")
    better = as_array(greater_is_better, "greater_is_better")
    if better.dtype != np.bool_ or better.shape not in ((), y.shape[-1:]):
        expected = f"expected one boolean or one for each of the {y.shape[-1]} criteria"
        raise ArgumentError("greater_is_better", f"{expected}, found {greater_is_better!r}")
    missing = np.isnan(y)
    y = np.where(missing, 0.0, np.where(better, y, -y))
    check_models(y, "scores")
    present: BoolArray = np.logical_not(missing.any(axis=2))
    if blocks:
        complete = present.all(axis=1)
        y, present = y[complete], present[complete]
    if not len(y) or not present.any(axis=0).all():
        why = ", with blocks=True a fold counts only where every model has it" if blocks else ""
        raise ArgumentError("scores", f"no complete fold is left{why}")
    folds, models, m = y.shape
    names = tuple(f"criterion {i}" for i in range(m))
    if criteria is not None:
        names = tuple(map(str, criteria)) if np.iterable(criteria) else ()
        if isinstance(criteria, str) or len(set(names)) != m or len(names) != m:
            raise ArgumentError("criteria", f"expected {m} different names, found {criteria!r}")
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
        spanned = sum(_distinct_rows(y[at, k], noise) - 1 for k, at in enumerate(present.T))
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
        zero = 0.0 if status is Status.IDENTICAL_SCORES else math.nan
        value, p = answered(status, math.nan, math.nan, 1.0)
        degenerate = {"statistic": value, "approx_F": zero, "df1": math.nan, "df2": math.nan}
        degenerate |= {"pvalue": p, "partial_eta_squared": zero}
        four = dict.fromkeys(("wilks", "pillai", "hotelling-lawley", "roy"), degenerate)
    chosen = four[statistic]
    if status is Status.OK and math.isnan(chosen["pvalue"]):
        status = Status.TOO_FEW
    bound = Assumption(
        "exact reference distribution",
        False,
        "Roy's F is an upper bound, so its p-value is a lower bound unless there are two models",
    )
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
        assumptions=(independence(folds), varies, enough, *([bound] if statistic == "roy" else [])),
        method="wilks1932" if statistic == "wilks" else "pillai1955",
        details={**four, "blocks": blocks, "criteria": names, "means": means},
    )


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
    flat, m = np.sqrt((residuals**2).mean(axis=0)) <= noise, len(names)
    status, varies, detail = Status.OK, True, "every criterion varies over the folds"
    if freedom < 1:
        return Status.TOO_FEW, Assumption("criteria vary", None, "one fold has no variance")
    if flat.any():
        named = ", ".join(repr(n) for n, f in zip(names, flat, strict=True) if f)
        status = Status.ZERO_VARIANCE if (flat & moved).any() else Status.UNDEFINED
        if flat.all() and not moved.any():
            status = Status.IDENTICAL_SCORES
        varies, detail = False, f"{named} has no variance over the folds: leave it out"
    elif min(freedom, spanned) < m:
        status, varies = Status.TOO_FEW if freedom < m else Status.UNDEFINED, False
        detail = f"the folds differ in only {spanned} way(s), {m} criteria need at least {m}"
    return status, Assumption("criteria vary", varies, detail)


def _check_independent(residuals: FloatArray, noise: FloatArray, names: Sequence[str]) -> None:
    """Refuse criteria that are linear combinations of each other."""
    size = np.sqrt((residuals**2).sum(axis=0))
    # in units of the columns' own lengths; a dependence is only ever exact up to rounding
    tolerance = max(1e-9, 10 * float((noise * math.sqrt(len(residuals)) / size).max()))
    x = residuals / size
    dependent = np.abs(np.diagonal(np.linalg.qr(x, mode="r"))) <= tolerance
    if dependent.any():
        place = int(np.argmax(dependent))
        weights = np.linalg.lstsq(x[:, :place], x[:, place])[0]
        sources = ", ".join(repr(names[k]) for k, w in enumerate(weights) if abs(w) > 1e-6)
        raise ArgumentError(
            "criteria",
            f"{names[place]!r} is a linear combination of {sources} on these folds; leave one of "
            "them out",
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
    r2 = df - width + q
    # statistic, F, its degrees of freedom, partial eta squared
    statistics = {
        "wilks": (wilks, wilks_f, p * q, wilks_df2, 1 - wilks ** (1 / s)),
        "pillai": (pillai, v2 / v1 * pillai / (s - pillai), v1, v2, pillai / s),
        "hotelling-lawley": (trace, h2 * trace / (s * v1), v1, h2, trace / s / (1 + trace / s)),
        "roy": (largest, r2 * largest / width, width, r2, largest / (1 + largest)),
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
        for name, (value, f, df1, df2, eta) in statistics.items()
    }

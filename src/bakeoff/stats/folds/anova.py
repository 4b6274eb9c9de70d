"""Several algorithms on folds: analyses of variance, and Tukey's comparison of all pairs.

They take folds for independent. The folds of a cross-validation share training rows, so prefer
`corrected_kfold_t` on the pairs where the decision matters.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

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
_STATISTICS = ("wilks", "pillai", "hotelling-lawley", "roy")
_ROY = Assumption(
    "exact reference distribution",
    False,
    "Roy's F is an upper bound, so its p-value is a lower bound unless there are two models",
)
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
        check_models(y, "scores")
        without_scores = np.flatnonzero(np.isnan(y).all(axis=0))
        if len(without_scores):
            first = without_scores[0]
            raise ArgumentError("scores", f"model {first} (column) has no scores; leave it out")
        self.noise = noise_level(scores) * float(np.nanmax(np.abs(y)))
        if complete:
            y = y[~np.isnan(y).any(axis=1)]
        if not len(y):
            raise ArgumentError("scores", "no fold has a score of every model; use blocks=False")
        self.y = y
        self.counts = np.asarray((~np.isnan(y)).sum(axis=0), np.float64)
        self.means: FloatArray = np.nanmean(y, axis=0)
        self.advantage = self.means
        if not greater_is_better:
            self.advantage = -self.means
        # Σ (y_ij − ȳ_j)², the error of the one-way layout
        self.within = float(np.nansum((y - self.means) ** 2))

    def blocks(self) -> tuple[dict[str, float], FloatArray]:
        """Split the sum of squares of a two-way table without replication."""
        y = self.y
        n_folds, n_models = y.shape
        grand = y.mean()
        # y_ij = μ + model_j + fold_i + residual_ij
        models = y.mean(axis=0) - grand
        folds = y.mean(axis=1, keepdims=True) - grand
        residual = y - grand - models - folds
        sums_of_squares = {
            "ss_models": float(n_folds * (models**2).sum()),
            "ss_subjects": float(n_models * (folds**2).sum()),
            "ss_error": float((residual**2).sum()),
        }
        return sums_of_squares, residual

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
    share = max(folds - 2, 0) / max(folds - 1, 1)
    detail = (
        f"true for separate data; two training sets of a {folds}-fold cross-validation share "
        f"{share:.0%} of their rows, which makes p too small"
    )
    return Assumption("independent folds", None, detail)


# --- analyses of variance


def _f_test(
    between: float, error: float, df1: float, df2: float, identical: bool, flat: bool
) -> tuple[float, float, Status]:
    """Return F of two sums of squares, its p-value and the status."""
    f = math.nan
    if df2 < 1:
        status = Status.TOO_FEW
    elif identical:
        status = Status.IDENTICAL_SCORES
    elif flat:
        status = Status.ZERO_VARIANCE
    else:
        status = Status.OK
        f = (between / df1) / (error / df2)
    f, pvalue = answered(status, f, float(special.fdtrc(df1, df2, f)), 1.0)
    return f, pvalue, status


def _share(part: float, whole: float) -> float:
    if whole > 0:
        return part / whole
    return math.nan


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
    folds = y.shape[0]
    q = y.shape[1] - 1
    df2 = q * (folds - 1)
    ss, residual = table.blocks()
    same = float(np.abs(y - y.mean(axis=1, keepdims=True)).max()) <= table.noise
    flat = math.sqrt(float((residual**2).mean())) <= table.noise
    f, p, status = _f_test(ss["ss_models"], ss["ss_error"], q, df2, same, flat)
    epsilons = _Epsilons()
    sphericity = _Mauchly()
    if status is Status.OK:
        contrasts = helmert(residual / np.abs(residual).max())  # neither over- nor underflow
        covariance = gram(contrasts) / (folds - 1)
        epsilons = _epsilons(covariance, folds)
        sphericity = _mauchly(covariance, folds - 1)

    pvalue_gg = p
    pvalue_hf = p
    if status is Status.OK:
        pvalue_gg = _corrected_pvalue(f, q, df2, epsilons.greenhouse_geisser)
        pvalue_hf = _corrected_pvalue(f, q, df2, epsilons.huynh_feldt)
    epsilon = 1.0
    if correction == "greenhouse-geisser":
        epsilon = epsilons.greenhouse_geisser
        p = pvalue_gg
    elif correction == "huynh-feldt":
        epsilon = epsilons.huynh_feldt
        p = pvalue_hf
    if not math.isfinite(epsilon):
        epsilon = 1.0
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
        assumptions=(independence(folds), sphericity.assumption(correction)),
        details={
            **ss,
            "epsilon_gg": epsilons.greenhouse_geisser,
            "pvalue_gg": pvalue_gg,
            "epsilon_hf_unclipped": epsilons.huynh_feldt_unclipped,
            "epsilon_hf": epsilons.huynh_feldt,
            "pvalue_hf": pvalue_hf,
            "mauchly_w": sphericity.w,
            "mauchly_pvalue": sphericity.pvalue_in_r,
            "mauchly_pvalue_published": sphericity.pvalue_published,
            **table.ranking(),
        },
    )


class _Epsilons(NamedTuple):
    """What the degrees of freedom are multiplied by; between 1/q and 1."""

    greenhouse_geisser: float = math.nan
    huynh_feldt_unclipped: float = math.nan
    huynh_feldt: float = math.nan


def _epsilons(covariance: FloatArray, folds: int) -> _Epsilons:
    """Estimate ε from the covariance S of q = M − 1 orthonormal contrasts."""
    # Greenhouse & Geisser (1959): tr(S)²/(q tr(S²)); Huynh & Feldt (1976):
    # (J q ε − 2)/(q (J − 1 − q ε)), which too few folds leave undefined
    q = len(covariance)
    gg = float(covariance.trace()) ** 2 / (q * float(np.square(covariance).sum()))
    hf = math.nan
    clipped = gg
    denominator = q * (folds - 1 - q * gg)
    if denominator > 0:
        hf = (folds * q * gg - 2) / denominator
        clipped = min(1.0, max(hf, 1 / q))
    return _Epsilons(gg, hf, clipped)


def _corrected_pvalue(f: float, df1: float, df2: float, epsilon: float) -> float:
    return float(special.fdtrc(epsilon * df1, epsilon * df2, f))


class _Mauchly(NamedTuple):
    """Mauchly's test of sphericity."""

    w: float = math.nan
    pvalue_in_r: float = math.nan
    pvalue_published: float = math.nan

    def assumption(self, correction: str) -> Assumption:
        """Judge sphericity at the level of 5%."""
        holds = None
        if not math.isnan(self.pvalue_in_r):
            holds = self.pvalue_in_r >= 0.05
        detail = (
            f"Mauchly's W = {self.w:.3f}, p = {self.pvalue_in_r:.3g}; the p-value uses the "
            f"correction {correction!r}"
        )
        return Assumption("sphericity", holds, detail)


def _mauchly(covariance: FloatArray, n: int) -> _Mauchly:
    """Return Mauchly's W of q contrasts with n degrees of freedom, and two p-values."""
    q = len(covariance)
    if q == 1:
        return _Mauchly(w=1.0)
    # W = det(S)/(tr(S)/q)^q; −n ρ log W is about χ² with q(q + 1)/2 − 1 degrees of freedom
    pivots = root(covariance).diagonal()  # their product is the root of the determinant
    if n < q or not pivots.all():
        return _Mauchly(w=0.0)
    log_w = 2 * float(np.log(pivots).sum()) - q * math.log(float(covariance.trace()) / q)
    rho = 1 - (2 * q**2 + q + 2) / (6 * q * n)
    if rho <= 0:
        return _Mauchly(w=math.exp(log_w))
    z = -n * rho * log_w
    df = q * (q + 1) / 2 - 1
    first = float(special.chdtrc(df, z))
    second = float(special.chdtrc(df + 4, z))
    # the term of second order: R has 3(q + 1) where the published one has 3q
    weight = (q + 2) * (q - 1) * (q - 2) / (288 * (n * q * rho) ** 2)
    cubic = 2 * q**3 + 6 * q**2 + 2
    in_r = first + weight * (cubic + 3 * (q + 1)) * (second - first)
    published = first + weight * (cubic + 3 * q) * (second - first)
    return _Mauchly(math.exp(log_w), min(1.0, max(0.0, in_r)), min(1.0, max(0.0, published)))


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
    within = table.within
    means = table.means
    counts = table.counts
    noise = table.noise
    df1 = counts.size - 1
    df2 = int(counts.sum()) - counts.size
    # Σ n_j (ȳ_j − ȳ)²
    between = float((counts * (means - np.average(means, weights=counts)) ** 2).sum())
    same = float(np.nanmax(table.y) - np.nanmin(table.y)) <= noise
    flat = math.sqrt(within / max(df2, 1)) <= noise
    f, p, status = _f_test(between, within, df1, df2, same, flat)
    variant = "f"
    method = "alpaydin2010"
    df2_of_f: float = df2
    if not equal_var:
        variant = "welch"
        method = "welch1951"
        f, df2_of_f, p, status = _welch(table, f, p, status)
    mse = math.nan
    if df2 > 0:
        mse = within / df2
    return Result(
        variant=variant,
        statistic=f,
        df1=df1,
        df2=df2_of_f,
        pvalue=p,
        effect_sizes={
            "eta_squared": _share(between, between + within),
            "omega_squared": _share(between - df1 * mse, between + within + mse),
        },
        n=int(counts.sum()),
        status=status,
        assumptions=(independence(int(counts.max())), table.equal_variances()),
        method=method,
        details={"ss_between": between, "ss_within": within} | table.ranking(),
    )


def _welch(
    table: ScoreTable, f: float, p: float, status: Status
) -> tuple[float, float, float, Status]:
    """Return Welch's F, its df2 and p; a model without variance leaves it undefined."""
    counts = table.counts
    means = table.means
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
    counts = table.counts
    means = table.advantage
    k = table.counts.size
    if blocks:
        sums_of_squares, _ = table.blocks()
        error = sums_of_squares["ss_error"]
        df = (k - 1) * (int(counts[0]) - 1)
        variant = "blocks"
        as_blocks = Assumption(
            "folds as blocks", True, "differences between folds are taken out of the error"
        )
    else:
        error = table.within
        df = int(counts.sum()) - k
        variant = "one-way"
        as_blocks = Assumption(
            "folds as blocks", None, "differences between folds count as error, which costs power"
        )
    mse = math.nan
    critical = math.nan
    if df > 0:
        mse = error / df
        critical = _critical_range(1 - confidence_level, k, df)
    pairs = []
    for a, b in combinations(range(k), 2):
        d = float(means[a] - means[b])
        se = math.sqrt(mse * (1 / counts[a] + 1 / counts[b]))
        status = _status_of_pair(d, mse, df, table.noise)
        # q = √2·|t|, as the studentized range is of single means
        t, p = Estimate(value=d, se=se, df=df, status=status).test("two-sided")
        q = abs(t) * math.sqrt(2)
        adjusted = p
        ci = None
        if status is Status.OK:
            adjusted = float(studentized_range.sf(q, k, df))
            reach = critical * se / math.sqrt(2)
            ci = ConfidenceInterval(d - reach, d + reach, confidence_level, "studentized-range")
        pair = Pair(
            a=a,
            b=b,
            statistic=q,
            pvalue=p,
            pvalue_adjusted=adjusted,
            estimate=d,
            ci=ci,
            df=df,
            status=status,
        )
        pairs.append(pair)
    status = Status.ZERO_VARIANCE
    if len({pair.status for pair in pairs}) == 1:
        status = pairs[0].status
    method = "kramer1956"
    if np.ptp(counts) == 0:
        method = "tukey1949"
    folds = int(counts.max())
    return PairwiseResult(
        variant=variant,
        correction="studentized-range",
        pairs=tuple(pairs),
        n=folds,
        method=method,
        status=status,
        assumptions=(independence(folds), as_blocks, table.equal_variances()),
        details={"mse": mse, "df": df, "critical_value": critical} | table.ranking(),
    )


def _status_of_pair(d: float, mse: float, df: float, noise: float) -> Status:
    """Name the case of a difference of two means."""
    if df < 1:
        return Status.TOO_FEW
    if math.sqrt(mse) > noise:
        return Status.OK
    if abs(d) <= noise:
        return Status.IDENTICAL_SCORES
    return Status.ZERO_VARIANCE


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
    table = _CriteriaTable(scores, blocks, criteria, nan_policy, greater_is_better)
    df_model = table.models - 1
    status, varies = _judge(table)
    if status is Status.OK:
        _check_independent(table.residuals, table.noise, table.names)
        # solving with the triangular factor instead of inverting E keeps twice the digits
        factor = np.linalg.qr(table.residuals, mode="r")
        weighted = np.sqrt(table.counts)[:, None] * table.effects
        solved = linalg.solve_triangular(factor, weighted.T, trans="T")
        roots = np.linalg.svd(solved, compute_uv=False) ** 2  # the eigenvalues of E⁻¹H
        four = _four_statistics(roots, table.m, df_model, table.df_error)
    else:
        four = dict.fromkeys(_STATISTICS, _degenerate(status))
    chosen = four[statistic]
    if status is Status.OK and math.isnan(chosen["pvalue"]):
        status = Status.TOO_FEW
    method = "pillai1955"
    if statistic == "wilks":
        method = "wilks1932"
    assumptions = [independence(table.folds), varies, _enough_folds(table)]
    if statistic == "roy":
        assumptions.append(_ROY)
    return Result(
        variant=statistic,
        statistic=chosen["statistic"],
        df1=chosen["df1"],
        df2=chosen["df2"],
        pvalue=chosen["pvalue"],
        effect_sizes={"partial_eta_squared": chosen["partial_eta_squared"]},
        n=table.folds,
        status=status,
        assumptions=tuple(assumptions),
        method=method,
        details={
            **four,
            "blocks": blocks,
            "criteria": table.names,
            "means": table.means,
        },
    )


class _CriteriaTable:
    """Scores by fold, model and criterion, their effects and their residuals."""

    def __init__(
        self,
        scores: ArrayLike,
        blocks: bool,
        criteria: Sequence[str] | None,
        nan_policy: str,
        greater_is_better: bool | Sequence[bool],
    ) -> None:
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
            y = y[complete]
            present = present[complete]
        if not len(y) or not present.any(axis=0).all():
            message = "no complete fold is left"
            if blocks:
                message += ", with blocks=True a fold counts only where every model has it"
            raise ArgumentError("scores", message)
        self.folds, self.models, self.m = y.shape
        self.names = _criteria_names(criteria, self.m)
        self.noise: FloatArray = noise_level(scores) * np.abs(y).max(axis=(0, 1))
        self.counts = present.sum(axis=0)
        self.means: FloatArray = (y * present[:, :, None]).sum(axis=0) / self.counts[:, None]
        grand = (y * present[:, :, None]).sum(axis=(0, 1)) / self.counts.sum()
        self.effects: FloatArray = self.means - grand
        # `spanned`: how many dimensions the different rows span at most
        df_model = self.models - 1
        if blocks:
            fold_means = y.mean(axis=1, keepdims=True)
            self.residuals: FloatArray = (y - self.means - fold_means + grand)[present]
            self.df_error = (self.folds - 1) * df_model
            within = (y - fold_means).reshape(self.folds, -1)
            noise_of_rows = np.tile(self.noise, self.models)
            self.spanned = (_distinct_rows(within, noise_of_rows) - 1) * df_model
        else:
            self.residuals = (y - self.means)[present]
            self.df_error = int(self.counts.sum()) - self.models
            self.spanned = 0
            for model in range(self.models):
                rows = y[present[:, model], model]
                self.spanned += _distinct_rows(rows, self.noise) - 1


def _criteria_names(criteria: Sequence[str] | None, m: int) -> tuple[str, ...]:
    """Check the names of m criteria, or number them."""
    if criteria is None:
        return tuple(f"criterion {i}" for i in range(m))
    names: tuple[str, ...] = ()
    if np.iterable(criteria):
        names = tuple(map(str, criteria))
    if isinstance(criteria, str) or len(set(names)) != m or len(names) != m:
        raise ArgumentError("criteria", f"expected {m} different names, found {criteria!r}")
    return names


def _distinct_rows(rows: FloatArray, noise: FloatArray) -> int:
    """Count different rows up to rounding; centred, j of them span at most j - 1 dimensions."""
    grid = np.where(noise > 0, 4 * noise, 1.0)
    return len(np.unique(np.round((rows - rows[0]) / grid), axis=0))


def _judge(table: _CriteriaTable) -> tuple[Status, Assumption]:
    """Name the case from the residuals and the criteria in which the models' means differ."""
    if table.df_error < 1:
        return Status.TOO_FEW, Assumption("criteria vary", None, "one fold has no variance")
    flat = np.sqrt((table.residuals**2).mean(axis=0)) <= table.noise
    moved = (np.abs(table.effects) > table.noise).any(axis=0)
    if flat.any():
        status = Status.UNDEFINED
        if (flat & moved).any():
            status = Status.ZERO_VARIANCE
        if flat.all() and not moved.any():
            status = Status.IDENTICAL_SCORES
        names = ", ".join(repr(table.names[i]) for i in np.flatnonzero(flat))
        detail = f"{names} has no variance over the folds: leave it out"
        return status, Assumption("criteria vary", False, detail)
    if min(table.df_error, table.spanned) < table.m:
        status = Status.UNDEFINED
        if table.df_error < table.m:
            status = Status.TOO_FEW
        detail = (
            f"the folds differ in only {table.spanned} way(s), {table.m} criteria need at least "
            f"{table.m}"
        )
        return status, Assumption("criteria vary", False, detail)
    return Status.OK, Assumption("criteria vary", True, "every criterion varies over the folds")


def _enough_folds(table: _CriteriaTable) -> Assumption:
    detail = (
        f"{table.df_error} degrees of freedom of the error for {table.m} criteria; at least "
        f"{table.m} are needed, and few more leave little power"
    )
    return Assumption("enough folds for the criteria", table.df_error >= table.m + 5, detail)


def _degenerate(status: Status) -> dict[str, float]:
    """Return what each of the four statistics is where there are no eigenvalues."""
    value, pvalue = answered(status, math.nan, math.nan, 1.0)
    effect = math.nan
    if status is Status.IDENTICAL_SCORES:
        effect = 0.0
    return {
        "statistic": value,
        "approx_F": effect,
        "df1": math.nan,
        "df2": math.nan,
        "pvalue": pvalue,
        "partial_eta_squared": effect,
    }


def _check_independent(residuals: FloatArray, noise: FloatArray, names: Sequence[str]) -> None:
    """Refuse criteria that are linear combinations of each other."""
    size = np.sqrt((residuals**2).sum(axis=0))
    # in units of the columns' own lengths; a dependence is only ever exact up to rounding
    tolerance = max(1e-9, 10 * float((noise * math.sqrt(len(residuals)) / size).max()))
    x = residuals / size
    dependent = np.abs(np.diagonal(np.linalg.qr(x, mode="r"))) <= tolerance
    if dependent.any():
        column = int(np.argmax(dependent))
        weights = np.linalg.lstsq(x[:, :column], x[:, column])[0]
        sources = ", ".join(repr(names[k]) for k in np.flatnonzero(np.abs(weights) > 1e-6).tolist())
        raise ArgumentError(
            "criteria",
            f"{names[column]!r} is a linear combination of {sources} on these folds; leave one of "
            "them out",
        )


def _four_statistics(roots: FloatArray, p: int, q: int, df: int) -> dict[str, dict[str, float]]:
    """Return the four statistics with their F approximations, as in R's ``summary.manova``."""
    s = min(p, q)
    larger = max(p, q)
    m = (abs(p - q) - 1) / 2
    n = (df - p - 1) / 2
    v1 = s * (2 * m + s + 1)

    # Wilks' Λ = Π 1/(1 + λ) with Rao's F = (Λ^(−1/t) − 1) df2/(p q)
    wilks = math.exp(-float(special.log1p(roots).sum()))
    t = 1.0
    square = p**2 + q**2 - 5
    if square > 0:
        t = math.sqrt(((p * q) ** 2 - 4) / square)
    wilks_df2 = (df - (p - q + 1) / 2) * t - (p * q - 2) / 2
    wilks_f = math.expm1(-math.log(wilks) / t) * wilks_df2 / (p * q)

    # Pillai's V = Σ λ/(1 + λ), F = v2/v1 · V/(s − V)
    pillai = float((roots / (1 + roots)).sum())
    v2 = s * (2 * n + s + 1)
    pillai_f = v2 / v1 * pillai / (s - pillai)

    # Hotelling and Lawley's U = Σ λ, F = h2 U/(s v1)
    trace = float(roots.sum())
    h2 = 2 * (s * n + 1)
    trace_f = h2 * trace / (s * v1)

    # Roy's largest λ, F = r2 λ/max(p, q)
    largest = float(roots.max())
    r2 = df - larger + q
    roy_f = r2 * largest / larger
    return {
        "wilks": _statistic(wilks, wilks_f, p * q, wilks_df2, 1 - wilks ** (1 / s)),
        "pillai": _statistic(pillai, pillai_f, v1, v2, pillai / s),
        "hotelling-lawley": _statistic(trace, trace_f, v1, h2, trace / s / (1 + trace / s)),
        "roy": _statistic(largest, roy_f, larger, r2, largest / (1 + largest)),
    }


def _statistic(
    value: float, f: float, df1: float, df2: float, partial_eta_squared: float
) -> dict[str, float]:
    """Return one of the four statistics with its approximate p-value."""
    pvalue = math.nan
    # the approximations need a few more folds than the statistics themselves
    if df2 > 0:
        pvalue = float(special.fdtrc(df1, df2, f))
    return {
        "statistic": value,
        "approx_F": f,
        "df1": df1,
        "df2": df2,
        "pvalue": pvalue,
        "partial_eta_squared": partial_eta_squared,
    }

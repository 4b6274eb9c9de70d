"""Tests on the scores of folds: of one algorithm against a value, or of two on the same splits.

An `Estimate` is the mean of d = score of A − score of B with a standard error. The tests differ in
what that error allows for the overlap of the folds' training sets: nothing; n_test/n_train, as
Nadeau and Bengio (2003) assume; or what disjoint halves of the data show (McCarthy 1969):
(D₁ − D₂)²/4 has the expectation of the variance of their mean, whatever the learner, which no
estimate from the folds of one cross-validation has (Bengio & Grandvalet 2004).
"""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import Annotated, Any, Literal, TypedDict, Unpack

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import AtLeast0, Default, Finite, Level, check_argument, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_array, as_floats, as_scores
from bakeoff.stats.core.error_rates import TypeOneError
from bakeoff.stats.core.paired_differences import (
    Differences,
    Estimate,
    effect_sizes,
    noise_level,
    normality,
    paired_differences,
    ratio_status,
)
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    BayesResult,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.planning import FiveByTwoPower

_ALONE = "independent folds"
_EQUAL_SIZES = "equal test sets"
_HEAVIEST = 5.0
"""Above that kurtosis of fold scores intervals of simulated log-normal errors miss too often."""
_INDEPENDENT_HALVES = Assumption(
    "independent rows",
    None,
    "rows of one group (patient, user, day) would break it, unless divisions keep groups "
    "whole; then groups must be independent",
)
_FALLING_VARIANCE = Assumption(
    "the variance of a score falls with the number of rows",
    None,
    "the variance seen in halves of the data, scaled to all rows, is taken for no smaller "
    "than that of the full cross-validation; the variant halves does not need this",
)
_NULL = "The two learning algorithms have the same expected score when trained on {}."
_HALF_NULL = _NULL.format("half of this data")
_PAIR: dict[str, Any] = {"evidence": Evidence.FOLD_SCORES}
_LIBERAL = _PAIR | {"better_test": "fold_rows_difference"}


class PairOptions(TypedDict, total=False):
    """The options of a t test of two algorithms."""

    alternative: Annotated[Alternative, Default("two-sided")]
    confidence_level: Annotated[Level, Default(0.95)]
    greater_is_better: Annotated[bool, Default(True)]


@dataclasses.dataclass(frozen=True, kw_only=True)
class FoldEstimate(Estimate):
    """A mean difference over folds with its standard error, and the questions that it answers."""

    d: Differences
    n: int
    assumptions: tuple[Assumption, ...]
    details: dict[str, Any]
    null: str = _NULL.format("samples of this size from the population of this data set")
    variant: str = ""

    @property
    def shared(self) -> dict[str, Any]:
        """What a result says whatever the question."""
        return {
            "df": self.df,
            "n": self.n,
            "status": self.status,
            "variant": self.variant,
            "estimate": self.value,
            "effect_sizes": effect_sizes(self.d),
        }

    def interval(self, level: float, *how: Any) -> ConfidenceInterval | None:
        """Return the interval of Student's t; None where there is no test."""
        if self.status is Status.OK:
            return super().interval(level, *how)
        return None

    def difference(
        self, alternative: Alternative = "two-sided", confidence_level: float = 0.95, **_: Any
    ) -> Result:
        """Test for a difference."""
        statistic, pvalue = self.test(alternative)
        return Result(
            statistic=statistic,
            pvalue=pvalue,
            alternative=alternative,
            ci=self.interval(confidence_level, alternative),
            assumptions=self.assumptions,
            null_hypothesis=self.null,
            details=self.details,
            **self.shared,
        )

    def posterior(self, rope: float, level: float) -> BayesResult:
        """Weigh better, equivalent and worse; differences that do not vary leave a point."""
        assumptions = self.assumptions
        if self.status is Status.OK:
            better, equal, worse = self._regions(rope)
        else:
            better, equal, worse = self._limits_of_regions(rope)
            limits = "the posterior is a point: its probabilities are limits, no evidence"
            assumptions = (Assumption("the differences vary", False, limits), *assumptions)
        return BayesResult(
            statistic=math.nan,
            pvalue=math.nan,
            p_a_better=better,
            p_equivalent=equal,
            p_b_better=worse,
            rope=rope,
            ci=self.interval(level, "two-sided", "posterior t"),
            assumptions=assumptions,
            details={
                **self.details,
                "posterior_mean": self.value,
                "posterior_scale": self.se,
            },
            **self.shared,
        )

    def _regions(self, rope: float) -> tuple[float, float, float]:
        """Probabilities above, inside and below ±rope of Student's t around the mean."""
        # P(μ > rope) = F(−(rope − d̄)/se), F Student's t (Corani & Benavoli 2015)
        low = (-rope - self.value) / self.se
        high = (rope - self.value) / self.se
        better = float(special.stdtr(self.df, -high))
        worse = float(special.stdtr(self.df, low))
        # the other tail, where nothing cancels
        if low > 0:
            low, high = -high, -low
        equal = float(special.stdtr(self.df, high) - special.stdtr(self.df, low))
        return better, equal, worse

    def _limits_of_regions(self, rope: float) -> tuple[float, float, float]:
        """Return what the probabilities tend to where the scale goes to 0; NaN for one fold."""
        if self.status is Status.TOO_FEW:
            return math.nan, math.nan, math.nan
        mean = self.value
        if rope == mean == 0:
            return 0.5, 0.0, 0.5
        better = float(mean > rope + self.d.noise)
        worse = float(mean < -rope - self.d.noise)
        return better, 1 - better - worse, worse


def _paired(
    a: ArrayLike, b: ArrayLike, ndim: int = 0, *, greater_is_better: bool = True, **_: Any
) -> Differences:
    """Return the differences of two algorithms; `ndim` 0: one dimension or two."""
    ndim = ndim or min(as_array(a, "scores_a").ndim, 2) or 1
    return paired_differences(a, b, ndim=ndim, greater_is_better=greater_is_better)


# --- what the variance is taken to be


def _mean(d: Differences, extra: float, *assumptions: Assumption, **details: float) -> FoldEstimate:
    """Take the variance of the mean of J differences for s²(1/J + extra)."""
    x = d.values.ravel()
    mean = float(x.mean())
    df = x.size - 1
    status = Status.TOO_FEW
    sd = math.nan
    if df > 0:
        # s² = Σ(x − x̄)²/(J − 1)
        sd = float(x.std(ddof=1))
        status = ratio_status(sd, d.noise, d.identical)
    se = sd * math.sqrt(1 / x.size + extra)
    return FoldEstimate(
        value=mean,
        se=se,
        df=df,
        status=status,
        d=d,
        n=x.size,
        assumptions=(*assumptions, normality(d)),
        details={"mean_difference": mean, "sd_difference": sd, "se": se, **details},
    )


def _corrected(
    d: Differences, n_train: ArrayLike | None = None, n_test: ArrayLike | None = None
) -> FoldEstimate:
    """Take the correlation of two folds for n_test/(n_train + n_test)."""
    ratio, sizes = size_ratio(n_train, n_test, d.values.shape)
    rho = ratio / (1 + ratio)
    overlap = Assumption(
        "correlation of the folds",
        None,
        f"taken to be n_test/(n_train + n_test) = {rho:.4g}; no data can estimate it without bias",
    )
    # 1/J + n_test/n_train (Nadeau & Bengio 2003)
    factor = 1 / d.values.size + ratio
    return _mean(d, ratio, overlap, sizes, ratio=ratio, rho=rho, variance_factor=factor)


def size_ratio(
    n_train: ArrayLike | None, n_test: ArrayLike | None, shape: tuple[int, ...]
) -> tuple[float, Assumption]:
    """Return n_test/n_train of folds of this shape, the last axis that of a cross-validation."""
    if n_train is None and n_test is None:
        return _ratio_of_folds(shape)
    if n_train is None:
        raise ArgumentError("n_train", "is missing; give both n_train and n_test, or neither")
    if n_test is None:
        raise ArgumentError("n_test", "is missing; give both n_train and n_test, or neither")
    train = _as_sizes(n_train, "n_train", shape)
    test = _as_sizes(n_test, "n_test", shape)
    ratios = test / train
    ratio = float(test.sum() / train.sum())
    # folds may differ by a row
    alike = bool(np.ptp(test) <= 1 and np.ptp(train) <= 1)
    detail = f"n_test/n_train from {ratios.min():.4g} to {ratios.max():.4g}, used {ratio:.4g}"
    return ratio, Assumption(_EQUAL_SIZES, alike, detail)


def _ratio_of_folds(shape: tuple[int, ...]) -> tuple[float, Assumption]:
    k = shape[-1]
    if len(shape) > 1 and k < 2:
        raise ArgumentError(
            "scores_a",
            f"found {k} fold per repetition, shape {shape}; rows are repetitions and columns "
            "folds, or give n_train and n_test",
        )
    # a fold is one part of k, and the other k − 1 train
    detail = f"n_test/n_train = 1/({k} - 1) as in complete {k}-fold cross-validation"
    return 1 / max(k - 1, 1), Assumption(_EQUAL_SIZES, None, detail)


def _as_sizes(values: ArrayLike, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Check numbers of rows, one for all folds or one for each."""
    sizes = as_floats(values, name)
    if sizes.shape not in ((), shape):
        raise ArgumentError(name, f"expected one number or shape {shape}, found {sizes.shape}")
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ArgumentError(
            name, f"numbers of rows must be positive and finite, found {sizes.min():g}"
        )
    return np.broadcast_to(sizes, shape)


def corrected_against(
    scores: FloatArray,
    constant: FloatArray,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    confidence_level: float = 0.95,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Test models, scores (M, J), against one score a fold, (J,), as corrected_resampled_t does."""
    # Estimates, lower and upper limits, p-values; NaN where differences do not vary.
    # t = d̄/√(s²(1/J + n_test/n_train)), for all models at once
    ratio, _ = size_ratio(n_train, n_test, constant.shape)
    d = scores - constant
    sizes = np.maximum(np.abs(scores), np.abs(constant))
    level = noise_level(scores)
    folds = d.shape[1]
    d = np.where(np.abs(d) <= level * sizes, 0.0, d)
    mean = d.mean(axis=1)
    df = folds - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.full(len(d), math.nan)
        if df > 0:
            sd = d.std(axis=1, ddof=1)
        varies = (sd > level * sizes.max(axis=1)) & d.any(axis=1)
        se = np.where(varies, sd * math.sqrt(1 / folds + ratio), math.nan)
        pvalue = np.minimum(2 * special.stdtr(df, -np.abs(mean / se)), 1.0)
    pvalue = np.where(d.any(axis=1) | (df == 0), pvalue, 1.0)
    reach = se * special.stdtrit(df, 0.5 + confidence_level / 2)
    return mean, mean - reach, mean + reach, pvalue


# --- 5×2 cross-validation


def _five_by_two(a: ArrayLike, b: ArrayLike, **options: Any) -> tuple[Differences, FloatArray]:
    """Return ten differences, and the five variances of the replications."""
    for name, scores in (("scores_a", a), ("scores_b", b)):
        shape = as_array(scores, name).shape
        if shape != (5, 2):
            raise ArgumentError(
                name,
                "expected shape (5, 2), five replications of 2-fold cross-validation, found "
                f"{shape}; for other plans use corrected_kfold_t, corrected_repeated_kfold_t or "
                "corrected_resampled_t",
            )
    d = _paired(a, b, 2, **options)
    # s²ᵢ = (d_i1 − d̄ᵢ)² + (d_i2 − d̄ᵢ)²
    within = d.values - d.values.mean(axis=1, keepdims=True)
    return d, (within**2).sum(axis=1)


@register(
    **_LIBERAL,
    plans=("cv_5x2",),
    citation="dietterich1998",
    replications=True,
    null_hypothesis=_HALF_NULL,
)
def cv5x2_t(scores_a: ArrayLike, scores_b: ArrayLike, **options: Unpack[PairOptions]) -> Result:
    """5×2cv paired t test.

    Does one algorithm score higher than the other when trained on half of the data?

    t = d₁₁ / √(Σs²ᵢ/5) with s²ᵢ = (d_i1 − d̄ᵢ)² + (d_i2 − d̄ᵢ)² and 5 degrees of freedom
    (Dietterich 1998, section 3.5).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (5, 2)
        Scores of A and B: five replications (rows) of 2-fold cross-validation.

    Returns
    -------
    Result
        `estimate` is d₁₁ and `ci` belongs to it; ``details["mean_difference"]`` is the mean of all
        ten, ``details["all_ten_t"]`` what t would be had another fold come first.

    Warnings
    --------
    Its numerator is only the first of the ten differences, so its result depends on the order of
    the folds; cv5x2_f uses all ten.

    Examples
    --------
    >>> a = [[0.90, 0.91], [0.89, 0.92], [0.91, 0.90], [0.90, 0.89], [0.92, 0.91]]
    >>> b = [[0.86, 0.89], [0.86, 0.88], [0.88, 0.89], [0.88, 0.85], [0.89, 0.88]]
    >>> round(cv5x2_t(a, b).pvalue, 4)
    0.0171
    """
    d, variances = _five_by_two(scores_a, scores_b, **options)
    # t = d₁₁/√(Σs²ᵢ/5)
    se = math.sqrt(float(variances.mean()))
    status = ratio_status(se, d.noise, d.identical)
    all_ten = np.full((5, 2), math.nan)
    if status is Status.OK:
        all_ten = d.values / se
    elif d.identical:
        all_ten = np.zeros((5, 2))
    estimate = FoldEstimate(
        value=float(d.values[0, 0]),
        se=se,
        df=5,
        status=status,
        d=d,
        n=10,
        assumptions=(
            _any_order(all_ten, options.get("confidence_level", 0.95)),
            normality(d),
        ),
        details={
            "mean_difference": float(d.values.mean()),
            "se": se,
            "differences": d.values,
            "variances": variances,
            "all_ten_t": all_ten,
        },
        null="",
    )
    return estimate.difference(**options)


def _any_order(all_ten: FloatArray, confidence_level: float) -> Assumption:
    """Whether every fold in the place of the first would lead to the same decision."""
    name = "the order of the folds does not matter"
    if not np.isfinite(all_ten).all():
        return Assumption(name, None, "the ten possible t values are undefined")
    critical = float(special.stdtrit(5, 0.5 + confidence_level / 2))
    beyond = int((np.abs(all_ten) > critical).sum())
    one_sign = bool((all_ten >= 0).all() or (all_ten <= 0).all())
    detail = (
        f"{beyond} of the ten possible t values lie beyond ±{critical:.3f}; they range from "
        f"{all_ten.min():.3f} to {all_ten.max():.3f}"
    )
    return Assumption(name, beyond in (0, 10) and one_sign, detail)


@register(
    **_LIBERAL,
    title="Combined 5×2cv F test",
    plans=("cv_5x2",),
    citation="alpaydin1999",
    replications=True,
    planning=partial(FiveByTwoPower, n_simulations=5000),
    null_hypothesis=_HALF_NULL,
)
def cv5x2_f(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Alpaydin's combined 5×2cv F test: all ten differences, not the first alone.

    Do the two algorithms score differently when trained on half of the data?

    F = Σd²_ij / (2 Σs²ᵢ), referred to F(10, 5) (Alpaydin 1999). It is two-sided.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (5, 2)
        Scores of A and B: five replications (rows) of 2-fold cross-validation.

    Returns
    -------
    Result
        `estimate` is the mean of the ten differences; `ci` holds the constant differences that
        the test does not reject; ``details`` holds the numerator Σd², the denominator 2Σs² and
        the five variances s².

    Warnings
    --------
    It assumes that the two folds of a replication are independent, although each is the other's
    training set.

    Notes
    -----
    The s²ᵢ do not change when a constant δ is taken from every difference, so Σ(d_ij − δ)² ≤
    2 F* Σs²ᵢ, with the critical value F*, is a quadratic in δ: d̄ ± √(d̄² − (Σd² − 2 F* Σs²)/10).
    The interval excludes 0 exactly when the test rejects. It is absent where the test rejects
    every constant, that is, where the replications differ more than their halves.

    Examples
    --------
    >>> a = [[0.90, 0.91], [0.89, 0.92], [0.91, 0.90], [0.90, 0.89], [0.92, 0.91]]
    >>> b = [[0.86, 0.89], [0.86, 0.88], [0.88, 0.89], [0.88, 0.85], [0.89, 0.88]]
    >>> result = cv5x2_f(a, b)
    >>> print(f"F = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    F = 7.154, p = 0.0212
    """
    d, variances = _five_by_two(scores_a, scores_b, greater_is_better=greater_is_better)
    mean = float(d.values.mean())
    # F = Σd²_ij/(2 Σs²ᵢ)
    numerator = float((d.values**2).sum())
    denominator = 2 * float(variances.sum())
    status = ratio_status(math.sqrt(variances.mean()), d.noise, d.identical)
    statistic = math.nan
    ci = None
    if status is Status.OK:
        statistic = numerator / denominator
        # d̄² − Σd²/10 as minus the variance: the difference of two near-equal numbers loses digits
        critical = float(special.fdtri(10, 5, confidence_level))
        square = critical * denominator / 10 - float(((d.values - mean) ** 2).mean())
        if square >= 0:
            half = math.sqrt(square)
            ci = ConfidenceInterval(mean - half, mean + half, confidence_level, "f-inversion")
    p = float(special.fdtrc(10, 5, statistic))
    statistic, pvalue = answered(status, statistic, p, numerator)
    return Result(
        statistic=statistic,
        df1=10,
        df2=5,
        pvalue=pvalue,
        estimate=mean,
        ci=ci,
        effect_sizes=effect_sizes(d),
        n=10,
        status=status,
        assumptions=(normality(d),),
        details={
            "numerator": numerator,
            "denominator": denominator,
            "differences": d.values,
            "variances": variances,
        },
    )


# --- t tests of two algorithms


@register(**_LIBERAL, plans=("kfold",), citation="dietterich1998")
def kfold_t(scores_a: ArrayLike, scores_b: ArrayLike, **options: Unpack[PairOptions]) -> Result:
    """k-fold cross-validated paired t test.

    Does one algorithm score higher than the other over the folds?

    t = d̄ / (s/√k) with k − 1 degrees of freedom (Dietterich 1998, section 3.4).

    Warnings
    --------
    It assumes independent folds although their training sets overlap, which inflates its type I
    error. Prefer corrected_kfold_t.

    Examples
    --------
    >>> round(kfold_t([0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]).pvalue, 4)
    0.0367
    """
    d = _paired(scores_a, scores_b, 1, **options)
    k = d.values.size
    share = max(k - 2, 0) / max(k - 1, 1)
    independent = None
    if k >= 2:
        independent = k == 2
    detail = f"any two of the {k} training sets share {share:.0%} of their rows"
    apart = Assumption(_ALONE, independent, detail)
    return _mean(d, 0.0, apart).difference(**options)


@register(**_LIBERAL, plans=("resampled",), citation="dietterich1998")
def resampled_t(scores_a: ArrayLike, scores_b: ArrayLike, **options: Unpack[PairOptions]) -> Result:
    """Resampled paired t test.

    Does one algorithm score higher than the other over random splits?

    t = d̄ / (s/√J) with J − 1 degrees of freedom (Dietterich 1998, section 3.3).

    Warnings
    --------
    It assumes independent splits although random splits overlap: with enough splits it rejects
    almost any null hypothesis. Use corrected_resampled_t.

    Examples
    --------
    >>> round(resampled_t([0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]).pvalue, 4)
    0.0367
    """
    detail = "random splits share rows in their training and in their test sets"
    overlap = Assumption(_ALONE, False, detail)
    d = _paired(scores_a, scores_b, 1, **options)
    return _mean(d, 0.0, overlap).difference(**options)


@register(**_LIBERAL, plans=("resampled", "kfold"), citation="nadeau2003")
def corrected_resampled_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    **options: Unpack[PairOptions],
) -> Result:
    """Corrected resampled t test.

    Does one algorithm score higher than the other over random splits?

    t = d̄ / √(s² (1/J + n_test/n_train)) with J − 1 degrees of freedom (Nadeau & Bengio 2003).
    Unequal sizes enter as the ratio of their totals, Σn_test / Σn_train, which for the folds of one
    cross-validation is exactly 1/(k − 1) even where k does not divide the number of rows.

    Parameters
    ----------
    n_train, n_test : float or array_like, shape (J,)
        Rows in the training and test sets.

    Warnings
    --------
    It assumes a correlation between splits instead of estimating it, and has little power where
    test sets are large relative to training sets.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]
    >>> round(corrected_resampled_t(a, b, n_train=800, n_test=200).pvalue, 4)
    0.1087
    """
    d = _paired(scores_a, scores_b, 1, **options)
    return _corrected(d, n_train, n_test).difference(**options)


@register(**_LIBERAL, plans=("kfold",), citation="nadeau2003")
def corrected_kfold_t(
    scores_a: ArrayLike, scores_b: ArrayLike, **options: Unpack[PairOptions]
) -> Result:
    """Corrected k-fold t test.

    Does one algorithm score higher than the other over the folds?

    `corrected_resampled_t` with n_test/n_train = 1/(k − 1), over all k folds of one
    cross-validation (Nadeau & Bengio 2003).

    Warnings
    --------
    It assumes a correlation between folds instead of estimating it, and has little power.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]
    >>> round(corrected_kfold_t(a, b).pvalue, 4)
    0.1087
    """
    d = _paired(scores_a, scores_b, 1, **options)
    return _corrected(d).difference(**options)


@register(**_LIBERAL, plans=("kfold", "cv_5x2"), citation="bouckaert2004", replications=True)
def corrected_repeated_kfold_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    **options: Unpack[PairOptions],
) -> Result:
    """Corrected repeated k-fold t test.

    Does one algorithm score higher than the other over repeated cross-validation?

    t = d̄ / √(s² (1/(rk) + n_test/n_train)) with rk − 1 degrees of freedom; d̄ and s² are over
    all rk differences (Bouckaert & Frank 2004).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (r, k)
        Scores of A and B: rows are repetitions, columns the folds of each.

    Warnings
    --------
    It assumes a correlation between folds instead of estimating it.

    Examples
    --------
    >>> a = [[0.80, 0.84, 0.82], [0.85, 0.81, 0.83]]
    >>> b = [[0.78, 0.83, 0.81], [0.81, 0.80, 0.82]]
    >>> round(corrected_repeated_kfold_t(a, b).pvalue, 4)
    0.1527
    """
    d = _paired(scores_a, scores_b, 2, **options)
    return _corrected(d, n_train, n_test).difference(**options)


@register(**_PAIR, plans=("halves",), replications=True, citation="mccarthy1969")
def half_sample_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    full_repeats: int,
    variant: Literal["halves", "full"] = "halves",
    **options: Unpack[PairOptions],
) -> Result:
    """Half-sample t test.

    Does one algorithm have the higher expected score, whatever the metric and the learner?

    With the mean differences D_m1 and D_m2 over cross-validation inside the two halves of M
    random halvings, V = Σ(D_m1 − D_m2)²/(4M) and t = estimate/√V with M degrees of freedom.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (2M + R, K)
        Scores of A and B. Each row is a cross-validation in K folds: first the two halves of
        each of the M halvings, one after the other, then R of all rows of the data.
    variant : {"halves", "full"}
        What is estimated. ``"halves"``: the mean of all D, so about training on (1 − 1/K) n/2 rows;
        then V is not too small on average, whatever the learner. ``"full"``: the mean difference
        over the folds of all rows, so about training on (1 − 1/K) n rows. It assumes that n times
        the variance does not grow from n/2 to n rows; where strongly shrunken models or K = 2
        break that, it rejects too often.

    Returns
    -------
    Result
        `n` is the number of halvings. ``details`` has the standard error, the mean differences
        over all rows and over the halves, and the differences D, shape (M, 2).

    Warnings
    --------
    It needs the plan halves, which takes many more fits than one cross-validation.

    Notes
    -----
    The halves are the half-samples of McCarthy (1969), here drawn at random.

    Examples
    --------
    >>> a = [[0.80, 0.78], [0.84, 0.85], [0.82, 0.80], [0.83, 0.84], [0.84, 0.86]]
    >>> b = [[0.77, 0.76], [0.80, 0.79], [0.78, 0.79], [0.78, 0.78], [0.81, 0.80]]
    >>> round(half_sample_t(a, b, full_repeats=1).pvalue, 4)
    0.107
    """
    d = _paired(scores_a, scores_b, 2, **options)
    fewest = 0
    if variant == "full":
        fewest = 1
    full: int = check_argument(full_repeats, "full_repeats", Annotated[int, Ge(fewest)])
    rows = len(d.values)
    if rows - full < 2 or (rows - full) % 2:
        message = f"found {full} of {rows} rows of scores; the others must be pairs of halves"
        raise ArgumentError("full_repeats", message)
    # D_m1 and D_m2, of both halves of division m
    inside = d.values[: rows - full].mean(axis=1).reshape(-1, 2)
    whole = d.values[rows - full :]
    halves = Differences(inside, d.noise)
    m = len(inside)
    # V = Σ(D_m1 − D_m2)²/(4M) has the expectation of the variance of their mean (McCarthy 1969)
    se = math.sqrt(float(((inside[:, 0] - inside[:, 1]) ** 2).sum()) / (4 * m))
    mean_full = math.nan
    if whole.size:
        mean_full = float(whole.mean())
    used = inside
    share = "less than half"
    assumptions = [_INDEPENDENT_HALVES, normality(halves)]
    if variant == "full":
        used = whole
        share = "nearly"
        assumptions.insert(1, _FALLING_VARIANCE)
    assumptions.append(_light_tails(scores_a, scores_b))
    estimate = FoldEstimate(
        value=float(used.mean()),
        se=se,
        df=m,
        status=ratio_status(se, d.noise, not (inside.any() or used.any())),
        d=halves,
        n=m,
        assumptions=tuple(assumptions),
        details={
            "se": se,
            "mean_full": mean_full,
            "mean_halves": float(inside.mean()),
            "half_differences": inside,
        },
        null=_NULL.format(f"samples of {share} the size of this data set"),
        variant=variant,
    )
    return estimate.difference(**options)


def _light_tails(*scores: ArrayLike) -> Assumption:
    """Whether the kurtosis of the scores of a model shows heavy tails."""
    kurtosis = math.nan
    for scores_of_model in scores:
        x = np.asarray(scores_of_model, dtype=np.float64)
        size = float(np.ptp(x))
        if size > 0:
            # E(x − μ)⁴/(E(x − μ)²)², in a unit in which fourth powers do not overflow
            z = (x - x.mean()) / size
            kurtosis = np.fmax(kurtosis, float(np.mean(z**4) / np.mean(z**2) ** 2))
    light = None
    if kurtosis > _HEAVIEST:
        light = False
    detail = (
        f"kurtosis {kurtosis:.1f} of the scores of folds (3 if normal); above {_HEAVIEST:g} few "
        "rows carry them, as large squared errors do, and intervals may miss too often: see the "
        "mean absolute error; few data do not show heavy tails"
    )
    return Assumption("no heavy tails", light, detail)


# --- one algorithm


@register(**_PAIR, plans=("kfold", "resampled"), citation="alpaydin2010")
def one_sample_t(
    scores: ArrayLike,
    *,
    mu0: Finite,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """One-sample t test.

    Is this algorithm's mean score over the folds different from a given value?

    t = (x̄ − mu0)/(s/√k) with k − 1 degrees of freedom (Alpaydin 2010, section 19.9.3).

    Warnings
    --------
    It assumes independent folds although their training sets overlap, which inflates its type I
    error. Prefer the interval of corrected_mean_ci.

    Examples
    --------
    >>> round(one_sample_t([0.91, 0.90, 0.93], mu0=0.85).pvalue, 4)
    0.0188
    """
    d = _of_one(scores, 1, mu0)
    k = d.values.size
    independent = None
    if k > 2:
        independent = False
    detail = f"{k} folds of one data set share training rows; corrected_mean_ci allows for that"
    excess = _mean(d, 0.0, Assumption(_ALONE, independent, detail))
    result = excess.difference(alternative, confidence_level)
    ci = result.ci
    if ci is not None:
        ci = dataclasses.replace(ci, low=mu0 + ci.low, high=mu0 + ci.high)
    effect_sizes_of_one = {"difference": excess.value, **result.effect_sizes}
    del effect_sizes_of_one["share_a_better"]
    details = {**excess.details, "mu0": mu0}
    del details["mean_difference"]
    return dataclasses.replace(
        result,
        estimate=mu0 + excess.value,
        ci=ci,
        effect_sizes=effect_sizes_of_one,
        null_hypothesis="The learning algorithm's expected score, trained on samples of this size "
        f"from the population of this data set, is {mu0:g}.",
        details=details,
    )


@checked
def corrected_mean_ci(
    scores: ArrayLike,
    *,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> ConfidenceInterval | None:
    """Return the interval of an algorithm's expected score, corrected for overlapping folds.

    x̄ ± t √(s²(1/J + n_test/n_train)) with J − 1 degrees of freedom (Nadeau & Bengio 2003).

    Parameters
    ----------
    scores : array_like, shape (J,) or (r, k)
        One score per split; rows are repetitions and columns folds in the second form.

    Returns
    -------
    ConfidenceInterval or None
        None where the scores do not vary, or are one.

    Examples
    --------
    >>> low, high = corrected_mean_ci([0.91, 0.90, 0.93])
    >>> round(low, 3), round(high, 3)
    (0.853, 0.973)
    """
    ndim = min(as_array(scores, "scores").ndim, 2) or 1
    return _corrected(_of_one(scores, ndim), n_train, n_test).interval(confidence_level)


def _of_one(scores: ArrayLike, ndim: int, value: float = 0.0) -> Differences:
    """Return the differences of one algorithm's scores from a value."""
    values = as_scores(scores, "scores", ndim=ndim)
    return Differences.between(values, np.full_like(values, value), noise_level(scores))


# --- posteriors


@register(
    **_PAIR,
    plans=("kfold", "resampled", "cv_5x2"),
    replications=True,
    citation="corani2015",
    type1=TypeOneError.BAYESIAN,
    null_hypothesis="None is tested: the posterior weighs which of the two learning algorithms is "
    "better.",
)
def bayes_correlated_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: AtLeast0 = 0.01,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> BayesResult:
    """Bayesian correlated t test.

    How probable is it that A is better, that both are practically equivalent, or that B is better?

    The posterior of the mean difference is Student's t around d̄ with J − 1 degrees of freedom and
    the scale √(s²(1/J + n_test/n_train)) of the corrected t test (Corani & Benavoli 2015).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (J,) or (r, k)
        Scores of A and B on the same splits; rows are repetitions and columns folds in the
        second form.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores; 0 for none.
    confidence_level : float
        Probability of the credible interval `ci`.

    Returns
    -------
    BayesResult
        `estimate` is the posterior mean of A − B. Where all differences are equal the posterior is
        a point: the probabilities are its limits, no evidence, as `status` says.

    Warnings
    --------
    The region of practical equivalence (rope) is in the unit of the metric; choose it before
    looking at the scores.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]
    >>> result = bayes_correlated_t(a, b, rope=0.01)
    >>> print(f"{result.p_a_better:.3f} {result.p_equivalent:.3f} {result.p_b_better:.3f}")
    0.794 0.190 0.016
    """
    d = _paired(scores_a, scores_b, greater_is_better=greater_is_better)
    return _corrected(d, n_train, n_test).posterior(rope, confidence_level)

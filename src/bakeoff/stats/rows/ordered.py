"""Two classifiers on one test set whose rows are in the order of time.

Rows of one time are summed: D_t of n_t rows, r_t = D_t − n_t·d̄, T times. Neighbouring times may
depend on each other; the further apart, the less. The long-run variance Ω estimates Σ_h γ_h, the
transform of the series by cosines is Λ_j = √(2/T)·Σ r_t cos(πj(t − ½)/T) for j = 1, 2, ….

An average of the first B squared cosines cannot see persistence that is weak beside the noise: its
spectrum is a narrow peak at 0, and most of the B ordinates lie beside it. `_Spectra` therefore
compares white noise with a grid of spectra of an AR(1) series under white noise, by Whittle's
likelihood of the first J ordinates, and says by how much the average falls short at frequency 0.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Default, Level, PositiveInt
from bakeoff.stats.core.checks import (
    FloatArray,
    as_correctness,
    as_scores,
    paired_correctness,
    paired_counts,
)
from bakeoff.stats.core.paired_differences import Estimate, paired_differences
from bakeoff.stats.core.pairs import shared
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Result, Status
from bakeoff.stats.design.clusters import Clusters, as_clusters

Variant = Literal["ewc_corrected", "hln"]
_SOURCES = {"ewc_corrected": "lazarus2018", "hln": "harvey1997"}
_FACTS: dict[str, Any] = {
    "citation": "lazarus2018",
    "caution": "It assumes a stationary difference with short-range dependence: its type I error "
    "is inflated where the lag-1 autocorrelation exceeds .7 or the effective number of times is "
    "below 30.",
}
_LEAST_DF = 4
_STRONG = 0.7
_REACH = 30  # what fades over T/30 times is corrected for, even under noise (docs/error-rates.md)
_SHOWS = 10 * _REACH  # fewer times cannot show what fades over ten
_LEAST_EFFECTIVE = 30  # below it the dependence reaches over too much of the series to be estimated
_MOST_BETWEEN = 1.2
"""Variance over that of independent blocks of times from which eight of them reject too often."""
_SHOWS_IN_A_BLOCK = 100
"""Times of a block from which on data show that dependence fades in it (docs/error-rates.md)."""
_NOISE = 1e-24  # of a sum of squares: rounding
# 1 − φ and the shares of the variance that persist; φ is tried while T(1 − φ) ≥ 5
_FADING = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
_SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_LEAST_SPAN = 5
_ORDINATES = 6  # J = 6B: ordinates beyond the first B tell the noise from what persists


@dataclasses.dataclass(frozen=True, kw_only=True)
class SerialResult(Result):
    """A `Result` on rows that are ordered in time; `n` counts the rows.

    Attributes
    ----------
    n_times : int
        Number of different times.
    n_effective : float
        Independent times that would tell as much: T·γ₀/Ω, at most T.
    autocorrelation : float
        Lag-1 autocorrelation of the differences.
    """

    n_times: int
    n_effective: float
    autocorrelation: float


class _Options(TypedDict, total=False):
    """The options of the tests."""

    time: ArrayLike | None
    variant: Annotated[Variant, Default("ewc_corrected")]
    horizon: Annotated[PositiveInt, Default(1)]
    alternative: Annotated[Alternative, Default("two-sided")]
    confidence_level: Annotated[Level, Default(0.95)]


def diebold_mariano_pairs(
    correct: ArrayLike, pairs: Iterable[tuple[int, int]], **options: Unpack[_Options]
) -> list[SerialResult]:
    """Run `diebold_mariano` for pairs of columns, the persistence estimated over all of them."""
    right = as_correctness(correct, "correct", ndim=2)
    members = list(pairs)
    columns = [(right[:, a], right[:, b]) for a, b in members]
    differences = [first.astype(np.float64) - second for first, second in columns]
    counts = [paired_counts(first, second) for first, second in columns]
    return _results(differences, members, counts, **options)


def diebold_mariano_means_pairs(
    values: ArrayLike,
    pairs: Iterable[tuple[int, int]],
    *,
    greater_is_better: bool = True,
    **options: Unpack[_Options],
) -> list[SerialResult]:
    """Run `diebold_mariano_means` for several pairs, as `diebold_mariano_pairs` does."""
    table = as_scores(values, "values", ndim=2, unit="rows")
    members = list(pairs)
    differences = [_of_values(table[:, a], table[:, b], greater_is_better) for a, b in members]
    return _results(differences, members, **options)


def _of_values(a: ArrayLike, b: ArrayLike, greater_is_better: bool) -> FloatArray:
    return paired_differences(a, b, greater_is_better=greater_is_better, of_rows=True).values


@register(evidence=Evidence.ROWS, **_FACTS, all_pairs=shared(diebold_mariano_pairs))
def diebold_mariano(
    correct_a: ArrayLike, correct_b: ArrayLike, **options: Unpack[_Options]
) -> SerialResult:
    """Diebold-Mariano test.

    Is one of these two fitted models more accurate than the other on later rows?

    Parameters
    ----------
    time : array_like, shape (N,), optional
        The time of each row, of any kind that sorts; equal times are one. Without it the rows
        are in the order of time, one each.
    variant : {"ewc_corrected", "hln"}
        How the long-run variance is estimated. ``"ewc_corrected"`` (default): equal-weighted
        cosines (Lazarus et al. 2018), times a factor for persistence under noise, which the
        cosines miss. ``"hln"``: autocovariances below the horizon (Diebold & Mariano 1995 as
        corrected by Harvey, Leybourne & Newbold 1997); takes one-step errors for independent.
    horizon : int
        Steps ahead, for ``hln``: errors fewer steps apart overlap.

    Returns
    -------
    SerialResult
        `estimate` is the difference of the accuracies over rows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random(120) < 0.9, rng.random(120) < 0.7
    >>> result = diebold_mariano(a, b)
    >>> result.df, round(result.estimate, 3), result.pvalue < 0.05
    (9.0, 0.175, True)
    """
    right = np.column_stack(paired_correctness(correct_a, correct_b))
    return diebold_mariano_pairs(right, [(0, 1)], **options)[0]


@register(evidence=Evidence.ROWS, **_FACTS, all_pairs=shared(diebold_mariano_means_pairs))
def diebold_mariano_means(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    greater_is_better: bool = True,
    **options: Unpack[_Options],
) -> SerialResult:
    """Diebold-Mariano test of a value per row.

    Does one of these two systems have the better mean of a value per row at later times?

    `diebold_mariano` on a number per row (a loss, a score) in place of right or wrong (Diebold &
    Mariano 1995; Lazarus et al. 2018).

    Parameters
    ----------
    time, variant, horizon
        As in `diebold_mariano`.

    Returns
    -------
    SerialResult
        `estimate` is the mean difference over rows, positive where A is better.

    Examples
    --------
    >>> import numpy as np
    >>> loss = np.random.default_rng(0).gamma(2, size=(100, 2))
    >>> diebold_mariano_means(*loss.T, greater_is_better=False).df
    8.0
    """
    differences = [_of_values(values_a, values_b, greater_is_better)]
    return _results(differences, [(0, 1)], **options)[0]


def too_few_times(periods: int, variant: str, horizon: int) -> bool:
    """Whether there are too few times for a long-run variance."""
    if variant == "hln":
        return horizon >= periods
    return cosine_count(periods) < _LEAST_DF


@dataclasses.dataclass(frozen=True)
class _Method:
    """How differences in the order of time are tested."""

    times: Clusters
    variant: Variant
    horizon: int

    @property
    def cosines(self) -> bool:
        """Whether the long-run variance is the mean of the first squared cosines."""
        return self.variant == "ewc_corrected"

    @property
    def bandwidth(self) -> int:
        """Number of cosines, or of autocovariances beside that of lag 0."""
        if self.cosines:
            return cosine_count(self.times.count)
        return min(self.horizon, self.times.count) - 1

    @property
    def df(self) -> float:
        """Degrees of freedom of the long-run variance."""
        if self.cosines:
            return float(self.bandwidth)
        return self.times.count - 1.0

    @property
    def too_few(self) -> bool:
        """Whether there are too few times for it."""
        return too_few_times(self.times.count, self.variant, self.horizon)

    def long_run_variance(self, residuals: FloatArray, factor: float) -> float:
        """Estimate Ω; NaN where there is nothing to estimate it from."""
        if not self.cosines:
            # γ_0 + 2 Σ γ_h over the lags below the horizon (Diebold & Mariano 1995)
            lags = autocovariances(residuals, self.bandwidth)
            return float(lags[0] + 2 * lags[1:].sum())
        # the mean of the first B squared cosines, EWC (Lazarus et al. 2018)
        squares = np.square(cosine_transform(residuals)[: self.bandwidth])
        if len(squares) == 0:
            return math.nan
        return float(squares.mean()) * factor

    def standard_error(self, variance: float) -> float:
        """Return √(T·Ω)/N, corrected for overlapping errors; NaN where Ω is not positive."""
        if not variance > 0:
            return math.nan
        periods = self.times.count
        se = math.sqrt(periods * variance) / self.times.n
        if self.cosines:
            return se
        # over √((T + 1 − 2h + h(h − 1)/T)/T) (Harvey, Leybourne & Newbold 1997)
        h = self.horizon
        share = (periods + 1 - 2 * h + h * (h - 1) / periods) / periods
        if share <= 0:
            return math.nan
        return se / math.sqrt(share)


def _results(
    differences: Sequence[FloatArray],
    pairs: list[tuple[int, int]],
    counts: list[dict[str, int]] | None = None,
    *,
    time: ArrayLike | None = None,
    variant: Variant = "ewc_corrected",
    horizon: int = 1,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> list[SerialResult]:
    """Test the differences of pairs of models, which of right and wrong come with their counts."""
    equal = "equally accurate"
    if counts is None:
        equal = "equally good on average"
        counts = [{}] * len(differences)
    null_hypothesis = (
        f"The two fitted models are {equal} at the times to come, which are like those of the "
        "test rows."
    )
    times = as_clusters(time, len(differences[0]), "time")
    method = _Method(times, variant, horizon)
    residuals = [_residuals(d, times) for d in differences]
    factors = np.ones(len(residuals))
    # how far the mean of B squared cosines falls short of Ω
    if method.cosines:
        contrasts = len({model for pair in pairs for model in pair}) - 1
        spectra = _spectra(times.count)
        factors, _ = spectra.averages(residuals, spectra.shortfall, contrasts)
    results = []
    for d, r, factor, cells in zip(differences, residuals, factors.tolist(), counts, strict=True):
        result = _test(d, r, factor, method, alternative, confidence_level)
        details = {**cells, **result.details}
        results.append(
            dataclasses.replace(result, details=details, null_hypothesis=null_hypothesis)
        )
    return results


def _test(
    d: FloatArray,
    residuals: FloatArray,
    factor: float,
    method: _Method,
    alternative: Alternative,
    confidence_level: float,
) -> SerialResult:
    """Test the mean of one series of differences by Student's t."""
    periods = method.times.count
    variance = method.long_run_variance(residuals, factor)
    estimate = Estimate(
        value=float(d.sum()) / method.times.n,
        se=method.standard_error(variance),
        df=method.df,
        status=_status(d, residuals, variance, method),
    )
    statistic, pvalue = estimate.test(alternative)

    # γ₁/γ₀, and T·γ₀/Ω independent times
    gamma = autocovariances(residuals, min(1, periods - 1))
    lag1 = math.nan
    if len(gamma) > 1 and gamma[0] > 0:
        lag1 = float(gamma[1] / gamma[0])
    n_effective_raw = math.nan
    if variance > 0:
        n_effective_raw = periods * float(gamma[0]) / variance
    # a variance that seems smaller by chance makes no further times
    n_effective = min(n_effective_raw, float(periods))
    return SerialResult(
        variant=method.variant,
        statistic=statistic,
        df=estimate.df,
        pvalue=pvalue,
        alternative=alternative,
        estimate=estimate.value,
        ci=estimate.interval(confidence_level, alternative, method.variant),
        n=method.times.n,
        status=estimate.status,
        assumptions=_assumptions(lag1, n_effective, method),
        method=_SOURCES[method.variant],
        details={
            "se": estimate.se,
            "long_run_variance": variance,
            "n_effective_raw": n_effective_raw,
            "persistence_factor": factor,
            "bandwidth": method.bandwidth,
            "n_periods": periods,
            "formula_pvalue": estimate.pvalue(alternative),
        },
        n_times=periods,
        n_effective=n_effective,
        autocorrelation=lag1,
    )


def _status(d: FloatArray, residuals: FloatArray, variance: float, method: _Method) -> Status:
    """Name the case of a series."""
    if not d.any():
        return Status.IDENTICAL_SCORES
    if method.times.count < 2 or (method.cosines and method.too_few):
        return Status.TOO_FEW
    if not residuals.any():
        if d.sum():
            return Status.ZERO_VARIANCE
        return Status.IDENTICAL_SCORES
    if method.too_few:
        return Status.TOO_FEW
    if variance > 0:
        return Status.OK
    return Status.UNDEFINED


def _assumptions(lag1: float, n_effective: float, method: _Method) -> tuple[Assumption, ...]:
    periods = method.times.count
    fades = None
    if lag1 > _STRONG:
        fades = False
    elif periods >= _SHOWS and not math.isnan(lag1):
        fades = True
    enough = None
    if not math.isnan(n_effective):
        enough = n_effective > _LEAST_EFFECTIVE - 1e-9
    return (
        Assumption(
            "dependence that fades",
            fades,
            f"lag-1 autocorrelation of the differences {lag1:.2f}; above {_STRONG:g} the test "
            f"rejects too often; dependence under noise that reaches over more than about "
            f"{periods / _REACH:.0f} times would not show",
        ),
        Assumption(
            "enough times",
            not (method.cosines and method.too_few),
            f"{periods} different times; the cosines need 32 or more",
        ),
        Assumption(
            "enough independent times",
            enough,
            f"{periods} times are worth about {n_effective:.0f} independent ones; with fewer "
            f"than {_LEAST_EFFECTIVE} the test rejects too often",
        ),
        Assumption(
            "no drift", None, "the difference of the models must be the same early and late"
        ),
    )


def _residuals(d: FloatArray, times: Clusters) -> FloatArray:
    """Return r_t = D_t − n_t·d̄; zeros where they are nothing but rounding."""
    mean = float(d.sum()) / times.n
    sums = times.sums(d)
    residuals = sums - times.sizes * mean
    noise = _NOISE * (float(np.square(sums).sum()) + times.n * mean**2)
    if float(np.square(residuals).sum()) <= noise:
        return np.zeros_like(residuals)
    return residuals


def cosine_transform(residuals: FloatArray) -> FloatArray:
    """Return Λ_1, …, Λ_{T−1}, along the first axis."""
    from scipy import fft  # slow to import, and few tests need it

    n = len(residuals)
    transformed = fft.dct(residuals, type=2, axis=0)
    return np.asarray(transformed[1:] / math.sqrt(2 * n), dtype=np.float64)


def cosine_count(n: int) -> int:
    """Return B = ⌊0.4·T^⅔⌋, at least 1 (Lazarus et al. 2018)."""
    # not one less where the power is whole but for rounding
    return max(1, math.floor(0.4 * math.pow(n, 2 / 3) + 1e-9))


def autocovariances(residuals: FloatArray, largest: int) -> FloatArray:
    """Return γ_0, …, γ_largest with divisor T."""
    n = len(residuals)
    return np.array([residuals[lag:] @ residuals[: n - lag] / n for lag in range(largest + 1)])


class _Spectra:
    """The spectra of an AR(1) series under white noise that are tried on n times."""

    def __init__(self, n: int) -> None:
        count = cosine_count(n)
        self.ordinates = max(1, min(n // 2, _ORDINATES * count))  # J
        cosine = np.cos(np.pi * np.arange(1, self.ordinates + 1) / n)
        tried = [f for f in _FADING if n * f >= _LEAST_SPAN]
        # 1 − φ and the share that persists; the first is white noise
        self.dependence = ((1.0, 0.0), *itertools.product(tried, _SHARES))
        fading, share = np.array(self.dependence).T[:, :, None]
        phi = 1 - fading
        # v_j = share·(1 − φ²)/(1 + φ² − 2φ cos(πj/T)) + 1 − share
        peak = (1 - phi**2) / (1 + phi**2 - 2 * phi * cosine)
        spectra = share * peak + 1 - share
        self.inverse = 1 / spectra  # (m, J): 1/v_j of each spectrum
        self.constant = -np.log(spectra).sum(axis=1) / 2
        # half for white noise, half for all others together
        others = max(1, len(spectra) - 1)
        self.log_prior = np.log(np.where(np.arange(len(spectra)), 0.5 / others, 0.5))
        # v₀ over the mean of the first B ordinates
        self.shortfall = self.of_sums(n) / spectra[:, :count].mean(axis=1)

    def of_sums(self, n: float) -> FloatArray:
        """Return the variance of a sum over n times, as a multiple of that of independent ones."""
        fading, share = np.array(self.dependence).T
        phi = 1 - fading
        # Σ_{|h| < T} (1 − |h|/T) φ^|h|
        top = (1 + phi) / fading - 2 * phi * (1 - phi**n) / (n * fading**2)
        return np.asarray(share * top + 1 - share)

    def averages(
        self, residuals: Sequence[FloatArray], values: FloatArray, contrasts: int
    ) -> tuple[FloatArray, float]:
        """Average values of the spectra by what each series says of them, and by what all do."""
        log_likelihood = np.zeros((len(residuals), len(self.constant)))
        varies = np.zeros(len(residuals), dtype=np.bool_)
        for i, series in enumerate(residuals):
            squares = np.square(cosine_transform(series)[: self.ordinates])
            if squares.sum() > 0:
                log_likelihood[i] = self._log_likelihood(squares)
                varies[i] = True
        if not varies.any():
            return np.ones(len(residuals)), 1.0
        together = log_likelihood[varies].sum(axis=0) * contrasts / len(residuals)
        posterior = np.vstack([log_likelihood, together]) + self.log_prior
        weights = np.exp(posterior - posterior.max(axis=-1, keepdims=True))
        average = np.maximum(1.0, (weights * values).sum(axis=-1) / weights.sum(axis=-1))
        # a series has at least the persistence of all together
        of_each = np.where(varies, np.maximum(average[:-1], average[-1]), 1.0)
        return of_each, float(average[-1])

    def _log_likelihood(self, squares: FloatArray) -> FloatArray:
        """Whittle's, of each spectrum with the best scale, less that of white noise."""
        # −½ Σ log v_j − J/2 log(mean of Λ_j²/v_j)
        scale = (squares * self.inverse).mean(axis=1)
        log_likelihood = self.constant - self.ordinates / 2 * np.log(scale)
        return np.asarray(log_likelihood - log_likelihood[0])


_spectra = functools.lru_cache(maxsize=8)(_Spectra)


def independent_blocks(values: FloatArray, times: Clusters, blocks: int) -> Assumption:
    """Return the assumption of tests that take blocks of neighbouring times for groups."""
    columns = values.reshape(len(values), -1)
    models = columns.shape[1]
    if models > 1:
        columns = columns - columns.mean(axis=1, keepdims=True)
    residuals = [_residuals(column, times) for column in columns.T]
    n = times.count
    length = n / min(blocks, n)
    spectra = _spectra(n)
    between = spectra.of_sums(n) / spectra.of_sums(length)
    # how many times the variance of the mean exceeds that of independent blocks
    _, ratio = spectra.averages(residuals, between, max(1, models - 1))
    holds = None
    unseen = f"; blocks of fewer than {_SHOWS_IN_A_BLOCK} times cannot show that it fades"
    if ratio > _MOST_BETWEEN or length >= _SHOWS_IN_A_BLOCK:
        holds = ratio <= _MOST_BETWEEN
        unseen = ""
    return Assumption(
        "dependence that fades within a block",
        holds,
        f"dependence between blocks of {length:.0f} times makes the variance about "
        f"{ratio:.2f} times that of independent blocks; above {_MOST_BETWEEN:g} times tests "
        f"reject, and intervals miss, too often{unseen}",
    )

"""The long-run variance of a series and what is known of the t statistic that it gives.

r_t is the residual of time t (zero mean); T their number. Ω estimates Σ_h γ_h. The transform of the
series by cosines is Λ_j = √(2/T)·Σ r_t cos(πj(t − ½)/T) for j = 1, 2, ….

An average of the first B squared cosines cannot see persistence that is weak beside the noise: its
spectrum is a narrow peak at 0, and most of the B ordinates lie beside it. `Persistence` therefore
compares white noise with a grid of spectra of an AR(1) series under white noise, by Whittle's
likelihood of the first J ordinates, and says by how much the average falls short at frequency 0.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.arithmetic import exp, inner, log
from bakeoff.stats.core.checks import FloatArray


@dataclasses.dataclass(frozen=True)
class LongRun:
    """An estimate of the long-run variance.

    Attributes
    ----------
    variance : float
        Ω; may be negative for `rectangular`.
    df : float or None
        Degrees of freedom of the t statistic; None where it has another distribution.
    bandwidth : int
        Cosines, periodogram ordinates or lags used.
    factor : float
        By what `persistence` the variance was multiplied.
    """

    variance: float
    df: float | None
    bandwidth: int
    factor: float = 1.0


def floor_power(base: int, factor: float, exponent: float) -> int:
    """Return ⌊factor·base^exponent⌋, not one less where the power is whole but for rounding."""
    return math.floor(factor * math.pow(base, exponent) + 1e-9)


def cosine_transform(residuals: FloatArray) -> FloatArray:
    """Return Λ_1, …, Λ_{T−1}, along the first axis."""
    from scipy import fft  # slow to import, and few tests need it

    n = len(residuals)
    transformed = fft.dct(residuals, type=2, axis=0)
    return np.asarray(transformed[1:] / math.sqrt(2 * n), dtype=np.float64)


def cosine_count(n: int) -> int:
    """Return B = ⌊0.4·T^⅔⌋, at least 1 (Lazarus et al. 2018)."""
    return max(1, floor_power(n, 0.4, 2 / 3))


def cosines(residuals: FloatArray) -> LongRun:
    """Equal-weighted cosines (EWC; Lazarus et al. 2018): the mean of B squares, t with B df."""
    count = cosine_count(len(residuals))
    squares = np.square(cosine_transform(residuals)[:count])
    return LongRun(float(squares.mean()) if len(squares) else math.nan, float(count), count)


# 1 − φ and the shares of the variance that persist; φ is tried while T(1 − φ) ≥ 5
_FADING = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
_SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_LEAST_SPAN = 5
_ORDINATES = 6  # J = 6B: ordinates beyond the first B tell the noise from what persists


@dataclasses.dataclass(frozen=True)
class _Spectra:
    """The spectra that are tried on T times, the first that of white noise.

    Attributes
    ----------
    count, ordinates : int
        B and J.
    inverse : ndarray, shape (m, J)
        1/v_j of each spectrum.
    constant : ndarray, shape (m,)
        −½Σ_j log v_j.
    log_prior : ndarray, shape (m,)
        Half for white noise, half for all others together.
    shortfall : ndarray, shape (m,)
        v₀ over the mean of the first B ordinates.
    dependence : tuple of (float, float)
        1 − φ and the share of the variance that persists, of each spectrum.
    """

    count: int
    ordinates: int
    inverse: FloatArray
    constant: FloatArray
    log_prior: FloatArray
    shortfall: FloatArray
    dependence: tuple[tuple[float, float], ...]


@functools.lru_cache(maxsize=8)
def _spectra(n: int) -> _Spectra:
    count = cosine_count(n)
    ordinates = max(1, min(n // 2, _ORDINATES * count))
    cosine = np.cos(np.pi * np.arange(1, ordinates + 1) / n)
    tried = [f for f in _FADING if n * f >= _LEAST_SPAN]
    dependence = ((1.0, 0.0), *itertools.product(tried, _SHARES))
    found = []
    for fading, share in dependence:
        phi = 1 - fading
        peak = (1 - phi**2) / (1 + phi**2 - 2 * phi * cosine)
        found.append(share * peak + 1 - share)
    spectra = np.array(found)
    prior = np.full(len(spectra), 0.5 / max(1, len(spectra) - 1))
    prior[0] = 0.5
    return _Spectra(
        count,
        ordinates,
        1 / spectra,
        -log(spectra).sum(axis=1) / 2,
        log(prior),
        _of_sums(dependence, n) / spectra[:, :count].mean(axis=1),
        dependence,
    )


def _of_sums(dependence: Sequence[tuple[float, float]], n: float) -> FloatArray:
    """Return the variance of a sum over n times, as a multiple of that of independent times."""
    found = []
    for fading, share in dependence:
        phi = 1 - fading
        top = (1 + phi) / fading - 2 * phi * (1 - phi**n) / (n * fading**2)
        found.append(share * top + 1 - share)
    return np.array(found)


def persistence(residuals: Sequence[FloatArray], contrasts: int) -> FloatArray:
    """Return by what factor the mean of B squared cosines falls short of the long-run variance.

    Parameters
    ----------
    residuals : sequence of ndarray of shape (T,)
        The residuals of every pair of models.
    contrasts : int
        How many of the pairs are independent of each other: M − 1 of M models.

    Returns
    -------
    ndarray, one factor per pair, at least 1
        The larger of what the pair's own ordinates say and what those of all pairs say together:
        the log likelihoods against white noise summed, times contrasts over pairs. A pair without
        any difference has 1, and says nothing of the others.
    """
    spectra = _spectra(len(residuals[0]))
    relative, told = _log_likelihoods(residuals, spectra)
    if not told.any():
        return np.ones(len(residuals))
    together = relative[told].sum(axis=0) * contrasts / len(residuals)
    own, shared = (_average(spectra.shortfall, one, spectra) for one in (relative, together))
    return np.where(told, np.maximum(own, shared), 1.0)


def between_blocks(residuals: Sequence[FloatArray], contrasts: int, blocks: int) -> float:
    """Return how many times the variance of the mean exceeds that of independent blocks.

    It is 1 where dependence fades within blocks of neighbouring times.

    Parameters
    ----------
    residuals : sequence of ndarray of shape (T,)
        The residuals of one or several series.
    contrasts : int
        How many of the series are independent of each other.
    blocks : int
        Into how many blocks of T/`blocks` times the series are cut.
    """
    n = len(residuals[0])
    spectra = _spectra(n)
    relative, told = _log_likelihoods(residuals, spectra)
    if not told.any():
        return 1.0
    ratio = _of_sums(spectra.dependence, n) / _of_sums(spectra.dependence, n / blocks)
    together = relative[told].sum(axis=0) * contrasts / len(residuals)
    return float(_average(ratio, together, spectra))


def _log_likelihoods(
    residuals: Sequence[FloatArray], spectra: _Spectra
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the log likelihoods of all spectra against white noise, and which series have any."""
    relative = np.zeros((len(residuals), len(spectra.constant)))
    told = np.zeros(len(residuals), dtype=np.bool_)
    for place, one in enumerate(residuals):
        squares = np.square(cosine_transform(one)[: spectra.ordinates])
        if squares.sum() > 0:
            scale = (squares * spectra.inverse).mean(axis=1)
            fit = spectra.constant - spectra.ordinates / 2 * log(scale)
            relative[place], told[place] = fit - fit[0], True
    return relative, told


def _average(values: FloatArray, relative: FloatArray, spectra: _Spectra) -> FloatArray:
    """Average values of the spectra by their posterior probabilities; at least 1."""
    posterior = relative + spectra.log_prior
    weights = exp(posterior - posterior.max(axis=-1, keepdims=True))
    average = (weights * values).sum(axis=-1) / weights.sum(axis=-1)
    return np.asarray(np.maximum(1.0, average))


def periodogram(residuals: FloatArray) -> LongRun:
    """First ⌊T^⅓⌋ ordinates of the periodogram (WPE; Coroneo & Iacone 2020), twice as many df."""
    n = len(residuals)
    count = min(max(1, floor_power(n, 1.0, 1 / 3)), max(1, (n - 1) // 2))
    found = np.fft.fft(residuals)[1 : count + 1]
    ordinates = (np.square(found.real) + np.square(found.imag)) / n
    variance = float(ordinates.mean()) if len(ordinates) else math.nan
    return LongRun(variance, 2.0 * count, count)


def rectangular(residuals: FloatArray, horizon: int) -> LongRun:
    """Autocovariances at lags below the horizon, all in full (Diebold & Mariano 1995)."""
    lags = autocovariances(residuals, horizon - 1)
    return LongRun(float(lags[0] + 2 * lags[1:].sum()), len(residuals) - 1.0, horizon - 1)


def bartlett(residuals: FloatArray) -> LongRun:
    """Newey & West's weights 1 − j/L with L = ⌊1.3·√T⌋ + 1 (Lazarus et al. 2018)."""
    n = len(residuals)
    length = min(floor_power(n, 1.3, 0.5) + 1, n)
    lags = autocovariances(residuals, length - 1)
    weights = 1 - np.arange(1, length) / length
    return LongRun(float(lags[0] + 2 * (weights * lags[1:]).sum()), None, length)


def autocovariances(residuals: FloatArray, largest: int) -> FloatArray:
    """Return γ_0, …, γ_largest with divisor T."""
    n = len(residuals)
    found = [inner(residuals[lag:], residuals[: n - lag]) / n for lag in range(largest + 1)]
    return np.array(found)


# Kiefer & Vogelsang (2005), Table 1, Bartlett kernel: c(b) = a0 + a1 b + a2 b² + a3 b³ for the
# upper 10, 5, 2.5 and 1 % of t
_FIXED_B = np.array(
    [
        [1.2816, 1.3040, 0.5135, -0.3386],
        [1.6449, 2.1859, 0.3142, -0.3427],
        [1.9600, 2.9694, 0.4160, -0.5324],
        [2.3263, 4.1618, 0.5368, -0.9060],
    ]
)
_UPPER = np.array([0.1, 0.05, 0.025, 0.01])


def fixed_b_critical(b: float, upper: float) -> float:
    """Return the critical value of t for one of the tabled upper tails."""
    row = _FIXED_B[int(np.argmin(np.abs(_UPPER - upper)))]
    return float(np.polynomial.polynomial.polyval(b, row))


def fixed_b_upper_tail(t: float, b: float) -> float:
    """Return P(t* ≥ t) for t ≥ 0 between the tabled tails; beyond 1 % the bound 1 %.

    The critical values are interpolated on the scale of normal quantiles, from 0 at ½.
    """
    from_zero = np.concatenate(([0.0], [fixed_b_critical(b, upper) for upper in _UPPER]))
    normal = np.concatenate(([0.0], _FIXED_B[:, 0]))
    z = float(np.interp(t, from_zero, normal))
    if t >= from_zero[-1]:
        return float(_UPPER[-1])
    return 0.5 * math.erfc(z / math.sqrt(2))


def is_tabled(upper: float) -> bool:
    """Whether critical values are tabled for this upper tail."""
    return bool((np.abs(_UPPER - upper) < 1e-9).any())

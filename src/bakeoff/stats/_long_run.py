"""The long-run variance of a series and what is known of the t statistic that it gives.

r_t is the residual of time t (zero mean); T their number. Ω estimates Σ_h γ_h.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats._arithmetic import inner
from bakeoff.stats._checks import FloatArray


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
    """

    variance: float
    df: float | None
    bandwidth: int


def floor_power(base: int, factor: float, exponent: float) -> int:
    """Return ⌊factor·base^exponent⌋, not one less where the power is whole but for rounding."""
    return math.floor(factor * math.pow(base, exponent) + 1e-9)


def cosines(residuals: FloatArray) -> LongRun:
    """Equal-weighted cosines (EWC; Lazarus et al. 2018): B = ⌊0.4·T^⅔⌋ of them, t with B df."""
    n = len(residuals)
    count = max(1, floor_power(n, 0.4, 2 / 3))
    angle = math.pi * (np.arange(n) + 0.5) / n
    weights = math.sqrt(2 / n) * np.cos(np.outer(np.arange(1, count + 1), angle))
    return LongRun(float(np.square((weights * residuals).sum(axis=1)).mean()), float(count), count)


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

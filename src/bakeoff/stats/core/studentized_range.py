"""The range of k standard normal variables (the studentized range with infinite df)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import exp
from bakeoff.stats.core.checks import FloatArray

_STEP = 0.05
_REACH = 9.0


def range_sf(q: ArrayLike, k: int) -> FloatArray:
    """P(range of k independent standard normals > q), accurate in the far tail."""
    # With z the largest of the k, P = k ∫ φ(z) {Φ(z)^(k−1) − [Φ(z) − Φ(z−q)]^(k−1)} dz. The
    # trapezoidal rule converges exponentially for such integrands.
    q = np.atleast_1d(np.asarray(q, dtype=np.float64))[:, None]
    top = _REACH + max(0.0, float(q.max()) / 2)
    z = _STEP * np.arange(round(-_REACH / _STEP), round(top / _STEP) + 1)
    inside, power = special.ndtr(z), k - 1
    with np.errstate(divide="ignore", under="ignore"):
        missed = special.log1p(-np.minimum(special.ndtr(z - q) / inside, 1.0))
        density = exp(power * special.log_ndtr(z) - z**2 / 2)
        integrand = density * -special.expm1(power * missed)
    tail: FloatArray = k * integrand.sum(axis=1) * _STEP / np.sqrt(2 * np.pi)
    return np.minimum(tail, 1.0)


def range_isf(p: float, k: int) -> float:
    """Return the q whose `range_sf` is p, by bisection."""
    low, high = 0.0, 1.0
    while range_sf(high, k)[0] > p:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if range_sf(middle, k)[0] > p:
            low = middle
        else:
            high = middle
    return (low + high) / 2

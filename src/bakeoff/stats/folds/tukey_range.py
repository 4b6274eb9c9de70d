"""The studentized range with finite degrees of freedom: upper tail and critical values.

Integrated in survival form, so that tiny p-values keep their relative accuracy.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy import special

from bakeoff.stats.core.arithmetic import exp, log
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.studentized_range import range_sf

_FAR = 76.0  # the range of normals beyond this has a probability below the smallest double


def studentized_range_sf(q: float, k: int, df: float) -> float:
    """Return P(Q > q) for the range of k means over an independent s with df freedom.

    P(Q > q) = ∫ P(R > q s) g(s) ds, where R is the range of k standard normals and s = χ_df/√df
    (Tukey 1949), by the trapezoidal rule in u = ln s.
    """
    if q <= 0:
        return 1.0
    low = 0.5 * math.log(max(float(special.gammaincinv(df / 2, 1e-300)) * 2 / df, 1e-300))
    high = 0.5 * math.log(float(special.gammainccinv(df / 2, 1e-20)) * 2 / df)
    high = min(high, max(math.log(_FAR / q), low + 1e-3))
    left, right = _where_mass_is(np.linspace(low, high, 160), q, k, df)
    u = np.linspace(left, right, 301)
    tail = range_sf(np.minimum(q * exp(u), _FAR), k) * exp(_log_density(u, df))
    return float(min(1.0, np.trapezoid(tail, u)))


@functools.lru_cache(maxsize=256)
def studentized_range_isf(p: float, k: int, df: float) -> float:
    """Return the q with P(Q > q) = p, by root finding in ln q."""
    from scipy.optimize import brentq

    def excess(log_q: float) -> float:
        return math.log(max(studentized_range_sf(math.exp(log_q), k, df), 1e-300)) - math.log(p)

    return math.exp(brentq(excess, -20.0, 20.0, xtol=1e-12, rtol=1e-14))


def _where_mass_is(u: FloatArray, q: float, k: int, df: float) -> tuple[float, float]:
    """Narrow the range of u = ln s to where the integrand is within e⁻³⁸ of its maximum."""
    tail = np.maximum(range_sf(np.minimum(q * exp(u), _FAR), k), 1e-320)
    mass = _log_density(u, df) + log(tail)
    near = np.flatnonzero(mass > mass.max() - 38)
    return float(u[max(near[0] - 1, 0)]), float(u[min(near[-1] + 1, u.size - 1)])


def _log_density(u: FloatArray, df: float) -> FloatArray:
    """Return the log density of ln(χ_df/√df)."""
    constant = math.log(2) + (df / 2) * math.log(df / 2) - float(special.gammaln(df / 2))
    density: FloatArray = constant + df * u - df / 2 * exp(2 * u)
    return density

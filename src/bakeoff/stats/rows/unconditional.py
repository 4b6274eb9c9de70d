"""The exact unconditional McNemar test (Suissa & Shuster 1991)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from bakeoff.stats.core import binomial
from bakeoff.stats.core.arithmetic import exp, inner
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative

_GRID = 800
_FEW = 36  # rows
_TIES = 1e-9  # tables whose z equals the observed one up to rounding are as extreme


def unconditional_pvalue(b: int, c: int, n: int, alternative: Alternative) -> float:
    """P(a table as extreme as the observed one) in the worst case over the discordance.

    Tables are ordered by z = (b − c)/√(b + c), by |z| when two-sided. Given n_d the split is
    binomial with ½; n_d ~ Bin(n, ψ), and ψ, the nuisance parameter, is set where the
    probability is largest.
    """
    if alternative == "less":
        b, c = c, b
    if b + c == 0 or (b == c and alternative == "two-sided"):
        return 1.0
    size = abs(b - c) if alternative == "two-sided" else b - c
    extreme = _extreme_given_discordant(size / math.sqrt(b + c), n)
    if alternative == "two-sided":
        extreme = 2 * extreme
    log_choose = binomial.log_choose(np.arange(n + 1), n)

    def probability(angle: float) -> float:
        return _averaged(extreme, log_choose, n, math.sin(angle) ** 2)

    angles = _angles(n)
    values = np.array([probability(angle) for angle in angles])
    best = max(values)
    for i in np.argsort(values)[-3:]:
        around = angles[max(i - 1, 0)], angles[min(i + 1, len(angles) - 1)]
        best = max(best, _maximum(probability, *around))
    return min(float(best), 1.0)


def _angles(n: int) -> FloatArray:
    """Return the ψ to look at, as arcsines of their roots, on which Bin(n, ψ) has one width.

    The probability varies fastest where few rows are discordant, or few are not: there one row
    more or less counts, however large n is.
    """
    middle = np.linspace(0, math.pi / 2, _GRID + 1)
    end = np.arange(0, math.asin(min(1.0, math.sqrt(_FEW / n))), 0.05 / math.sqrt(n))
    return np.unique(np.concatenate((middle, end, math.pi / 2 - end)))


def _extreme_given_discordant(z: float, n: int) -> FloatArray:
    """P(Z ≥ z | n_d) for n_d = 0, ..., n; Z is 0 for n_d = 0."""
    n_d = np.arange(n + 1, dtype=np.float64)
    k = np.ceil((n_d + z * np.sqrt(n_d)) / 2 - _TIES)
    extreme = binomial.upper_tail(k, n_d, 0.5)
    extreme[0] = z <= 0
    return extreme


def _averaged(extreme: FloatArray, log_choose: FloatArray, n: int, psi: float) -> float:
    """Mean of `extreme` over n_d ~ Bin(n, psi), leaving out what is 9 deviations away."""
    reach = 9 * math.sqrt(n * psi * (1 - psi)) + 20
    n_d = np.arange(max(0, math.floor(n * psi - reach)), min(n, math.ceil(n * psi + reach)) + 1)
    log_weights = log_choose[n_d] + special.xlogy(n_d, psi) + special.xlog1py(n - n_d, -psi)
    return inner(exp(log_weights), extreme[n_d])


def _maximum(function: Callable[[float], float], low: float, high: float) -> float:
    """Maximum of a function with one peak in [low, high], by golden-section search."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(30):
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return max(at_left, at_right)

"""Limits of the difference of two accuracies on the same rows, one function for each method.

Each takes arrays of the four counts, a = both right, b = only A, c = only B, d = neither, and the
probability of one tail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core import binomial
from bakeoff.stats.core.arithmetic import exp, gauss_legendre
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative

Bounds = tuple[FloatArray, FloatArray]


def one_sided(low: FloatArray, high: FloatArray, side: Alternative) -> Bounds:
    """Keep limits of a difference in [−1, 1], and let go of that which `side` does not ask for."""
    low = np.full_like(low, -1.0) if side == "less" else np.clip(low, -1.0, 1.0)
    high = np.full_like(high, 1.0) if side == "greater" else np.clip(high, -1.0, 1.0)
    return low, high


def tango_statistic(
    only_a_correct: ArrayLike, only_b_correct: ArrayLike, n: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Score statistic of H0: acc_A − acc_B = `difference` (Tango 1998, eq. 6 and 7)."""
    b, c, n, delta = (
        np.asarray(v, dtype=np.float64) for v in (only_a_correct, only_b_correct, n, difference)
    )
    linear = (2 * n - b + c) * delta - b - c
    constant = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # the second form avoids cancellation when linear > 0
        only_b = np.where(linear > 0, -2 * constant / (linear + root), (root - linear) / (4 * n))
        variance = n * (2 * only_b + delta * (1 - delta))
        surplus = b - c - n * delta
        z: FloatArray = np.where(surplus == 0, 0.0, surplus / np.sqrt(np.maximum(variance, 0.0)))
    return z


def _newcombe(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    n = a + b + c + d
    acc_a, acc_b = (a + b) / n, (a + c) / n
    low_a, high_a = binomial.wilson(a + b, n, tail)
    low_b, high_b = binomial.wilson(a + c, n, tail)
    phi = _newcombe_phi(a, b, c, d)

    def joined(first: FloatArray, second: FloatArray) -> FloatArray:
        square = first**2 - 2 * phi * first * second + second**2
        root: FloatArray = np.sqrt(np.maximum(square, 0.0))
        return root

    difference = (b - c) / n
    low = difference - joined(acc_a - low_a, high_b - acc_b)
    high = difference + joined(high_a - acc_a, acc_b - low_b)
    return low, high


def _newcombe_phi(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Correlation of the two correctness columns, shrunk when positive (Newcombe 1998)."""
    n = a + b + c + d
    cross = a * d - b * c
    cross = np.where(cross > 0, np.maximum(cross - n / 2, 0.0), cross)
    spread = np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
    phi: FloatArray = np.where(spread > 0, cross / np.where(spread > 0, spread, 1.0), 0.0)
    return phi


def _tango(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    n = a + b + c + d
    z = -special.ndtri(tail)

    def low(b: FloatArray, c: FloatArray) -> FloatArray:
        at_most = (b - c) / n
        root = binomial.bisect(
            lambda delta: z - tango_statistic(b, c, n, delta), np.full_like(at_most, -1.0), at_most
        )
        return np.where(c == n, -1.0, root)

    return low(b, c), -low(c, b)


def _melded(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    """Exact melded limits, from the confidence distributions of discordance and its split."""
    shape = np.broadcast_shapes(a.shape, b.shape, c.shape, d.shape)
    cells = np.stack([np.broadcast_to(v, shape).ravel() for v in (b, c, a + b + c + d)], axis=1)
    low = [_melded_lower(b, c, n, tail) for b, c, n in cells]
    high = [-_melded_lower(c, b, n, tail) for b, c, n in cells]
    return np.reshape(low, shape), np.reshape(high, shape)


def _melded_lower(b: float, c: float, n: float, tail: float) -> float:
    """Value that the melded variable T (2B − 1) stays below with probability `tail`."""
    # B ~ Beta(b, c + 1) is the lower confidence distribution of the split, T the lower one of
    # the discordance, Beta(m, n − m + 1), for positive values and the upper one,
    # Beta(m + 1, n − m), for negative values (Fay & Lumbard 2021, section 3).
    if c == n:
        return -1.0
    m = b + c
    if b == 0:  # B is 0: minus the upper limit of the discordance
        return -float(special.betainccinv(m + 1, n - m, tail))
    positive = special.betainc(b, c + 1, 0.5) <= tail  # the exact one-sided test rejects
    alpha, beta = (m, n - m + 1) if positive else (m + 1, n - m)

    def excess(delta: FloatArray) -> FloatArray:
        return np.asarray(_melded_cdf(float(delta), b, c, alpha, beta) - tail)

    low, high = (0.0, 1.0) if positive else (-1.0, 0.0)
    return float(binomial.bisect(excess, np.asarray(low), np.asarray(high)))


def _melded_cdf(delta: float, b: float, c: float, alpha: float, beta: float) -> float:
    """P(T (2B − 1) ≤ delta), T ~ Beta(alpha, beta), by Gauss-Legendre quadrature over T."""
    size = abs(delta)
    if beta == 0:  # every row is discordant: T is 1
        return float(special.betainc(b, c + 1, (1 + delta) / 2))
    below = float(special.betainc(alpha, beta, size)) if delta > 0 else 0.0
    start = max(float(special.betaincinv(alpha, beta, 1e-17)), size)
    stop = float(special.betainccinv(alpha, beta, 1e-17))
    if start >= stop:
        return below
    t = start + (stop - start) * (_NODES + 1) / 2
    log_density = special.xlogy(alpha - 1, t) + special.xlog1py(beta - 1, -t)
    density = exp(np.asarray(log_density - special.betaln(alpha, beta)))
    split = special.betainc(b, c + 1, (1 + delta / t) / 2)
    return below + float((_WEIGHTS * density * split).sum()) * (stop - start) / 2


_NODES, _WEIGHTS = gauss_legendre(160)

DifferenceMethod = Literal["newcombe", "tango", "exact_melded"]
_Limits = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, float], Bounds]
DIFFERENCE_METHODS: dict[str, _Limits] = {
    "newcombe": _newcombe,
    "tango": _tango,
    "exact_melded": _melded,
}

"""The rank-sum test of two samples (Mann & Whitney 1947)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.ranks import rank, tie_sum
from bakeoff.stats.core.result import Alternative

_AUTO_EXACT = 50
_MAX_EXACT = 100


def sum_ranks(samples: list[FloatArray], method: str) -> tuple[FloatArray, bool]:
    """Rank two samples together, and tell whether their distribution is listed exactly."""
    n = sum(map(len, samples))
    if method == "exact" and n > _MAX_EXACT:
        raise ArgumentError(
            "method", f"'exact' takes up to {_MAX_EXACT} scores in a pair, found {n}; use 'auto'"
        )
    exact = method == "exact" or (method == "auto" and n <= _AUTO_EXACT)
    return rank(np.concatenate(samples))[0], exact


def exact_pvalue(ranks: FloatArray, size: int, alternative: Alternative) -> float:
    """P-value of the sum of the first `size` ranks when every choice is equally likely."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    observed, total = int(doubled[:size].sum()), int(doubled.sum())
    ways = np.zeros((size + 1, total + 1))
    ways[0, 0] = 1.0
    for step in doubled.tolist():
        ways[1:, step:] += ways[:-1, : total + 1 - step].copy()
    share = ways[size] / float(special.comb(len(ranks), size))
    less, greater = float(share[: observed + 1].sum()), float(share[observed:].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(less, greater))
    return min(1.0, less if alternative == "less" else greater)


def asymptotic_z(
    u: float,
    sizes: tuple[int, int],
    tie_counts: NDArray[np.int64],
    alternative: Alternative,
    *,
    continuity: bool,
) -> float:
    """Standardise U, corrected for ties and, if asked for, by ½ towards the null."""
    n, product = sum(sizes), sizes[0] * sizes[1]
    variance = product / 12 * ((n + 1) - tie_sum(tie_counts) / (n * (n - 1)))
    excess = u - product / 2
    shift = {"two-sided": 0.5 * float(np.sign(excess)), "greater": 0.5, "less": -0.5}
    return (excess - continuity * shift[alternative]) / math.sqrt(variance)

"""The rank-sum test of two samples (Mann & Whitney 1947)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.ranks import rank, tie_sum
from bakeoff.stats.core.result import Alternative, Pair, Status
from bakeoff.stats.core.tails import normal_pvalue

_AUTO_EXACT = 50
_MAX_EXACT = 100


def rank_sum_pair(
    a: int, b: int, both: list[FloatArray], side: Alternative, method: str, continuity: bool
) -> Pair:
    """Compare the scores of models a and b, given as `both`; see `pairwise_rank_sum`."""
    size_a, size_b = len(both[0]), len(both[1])
    n = size_a + size_b
    if method == "exact" and n > _MAX_EXACT:
        raise ArgumentError(
            "method", f"'exact' takes up to {_MAX_EXACT} scores in a pair, found {n}; use 'auto'"
        )
    ranks, counts = rank(np.concatenate(both))
    u = float(ranks[:size_a].sum()) - size_a * (size_a + 1) / 2
    exact = method == "exact" or (method == "auto" and n <= _AUTO_EXACT)
    status = Status.OK
    if len(counts) == 1:
        status, pvalue = Status.IDENTICAL_SCORES, 1.0
    elif n < 3:
        status, pvalue = Status.TOO_FEW, math.nan
    elif exact:
        pvalue = _exact_pvalue(ranks, size_a, side)
    else:
        z = _asymptotic_z(u, (size_a, size_b), counts, side, continuity=continuity)
        pvalue = normal_pvalue(z, side)
    return Pair(
        a=a,
        b=b,
        statistic=u,
        pvalue=pvalue,
        pvalue_adjusted=pvalue,
        estimate=2 * u / (size_a * size_b) - 1,
        status=status,
        details={"variant": "exact" if exact else "asymptotic"},
    )


def _exact_pvalue(ranks: FloatArray, size: int, alternative: Alternative) -> float:
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


def _asymptotic_z(
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

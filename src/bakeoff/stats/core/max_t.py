"""The largest of the t statistics of many pairs of models: p-values and intervals of all together.

Draws D ~ N(0, V) with V the covariance of the models' metrics are the Gaussian multiplier
bootstrap (Chernozhukov, Chetverikov & Kato 2013, 10.1214/13-AOS1161) without its n × B product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.arithmetic import root, times_root
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative

MAX_T = "max-t"
_NO_VARIANCE = 1e-24
"""The share of the largest variance that is rounding; the draws of other models are not to hang
on it."""


class LargestT(NamedTuple):
    """What the largest statistic of several pairs says of each of them."""

    single_step: FloatArray
    """P-values by the largest statistic of all pairs, shape (pairs,)."""
    step_down: FloatArray
    """P-values by the largest statistic of the pairs that are not yet rejected, shape (pairs,)."""
    quantile: float
    """Of the largest normal score, at the level of intervals that hold together."""


def largest_t(
    t: FloatArray,
    df: FloatArray,
    members: NDArray[np.intp],
    covariance: FloatArray,
    level: float,
    side: Alternative,
    n_resamples: int,
    seed: Seed,
) -> LargestT:
    """Draw the largest statistic of pairs of models, whose estimates have a covariance.

    `t` and `df` have shape (pairs,), `members` the places of both models, shape (pairs, 2).
    """
    # t values become normal scores first, since each pair has its own degrees of freedom
    z = normal_scores(t, df, side)
    draws, scale = draw(covariance, n_resamples, seed)
    return max_t(z, (members[:, 0], members[:, 1]), covariance, draws, level, side, scale)


def normal_scores(t: FloatArray, df: FloatArray, side: Alternative) -> FloatArray:
    """Turn t statistics into normal scores in the direction of the alternative."""
    # Through the tail probability, so that few degrees of freedom count.
    t = towards(t, side)
    upper = -special.ndtri(special.stdtr(df, -np.abs(t)))
    return np.asarray(np.where(t < 0, -upper, upper))


def draw(covariance: FloatArray, n_resamples: int, seed: Seed) -> tuple[NDArray[np.float32], float]:
    """Draw from N(0, V/s²), shape (B, M), and return the scale s with it."""
    # The scale is the largest standard deviation, so that single precision holds any unit.
    scale = float(np.sqrt(covariance.diagonal().max())) or 1.0
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((len(covariance), n_resamples), dtype=np.float32)
    return times_root(normal, root(covariance / scale**2, _NO_VARIANCE)).T, scale


def max_t(
    z: FloatArray,
    members: tuple[NDArray[np.intp], NDArray[np.intp]],
    v: FloatArray,
    draws: NDArray[np.float32],
    level: float,
    side: Alternative,
    scale: float = 1.0,
) -> LargestT:
    """Return single-step and step-down p-values by the largest statistic, and its quantile."""
    # Westfall & Young (1993), Hothorn et al. (2008), of differences of models with covariance V
    i, j = members
    order = np.argsort(z, kind="stable")  # smallest first: the maximum of a step is that so far
    # models that are always right and always wrong are drawn without spread: 0, and not 0/0
    smallest = np.finfo(np.float32).tiny
    drawn_sd = np.sqrt(np.maximum(v[i, i] + v[j, j] - 2 * v[i, j], 1e-300))
    sd = np.maximum(drawn_sd / scale, smallest).astype(np.float32)
    sizes = z.astype(np.float32)
    total = len(draws)
    by_model = np.ascontiguousarray(draws.T)
    largest = np.full(total, -np.inf, dtype=np.float32)
    p = np.empty(len(z))
    for step, c in enumerate(order):
        drawn = by_model[i[c]] - by_model[j[c]]
        np.maximum(largest, towards(drawn, side) / sd[c], out=largest)
        p[step] = (1 + np.count_nonzero(largest >= sizes[c])) / (total + 1)
    step_down = np.empty(len(z))
    # none smaller than that of a larger z
    step_down[order] = np.maximum.accumulate(p[::-1])[::-1]
    ordered = np.sort(largest)
    above = total - np.searchsorted(ordered, sizes, side="left")
    single = (1 + above) / (total + 1)
    return LargestT(single, step_down, float(np.quantile(ordered, level)))


def towards(values: FloatArray, side: Alternative) -> FloatArray:
    """Turn values so that greater ones speak for the alternative."""
    if side == "two-sided":
        return np.abs(values)
    if side == "greater":
        return values
    return -values

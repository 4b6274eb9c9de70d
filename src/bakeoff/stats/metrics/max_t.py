"""The distribution of the largest of many t statistics, drawn from influence values.

Draws D ~ N(0, V) with V the covariance of the models' metrics are the Gaussian multiplier
bootstrap (Chernozhukov, Chetverikov & Kato 2013, 10.1214/13-AOS1161) without its n × B product.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.arithmetic import root, times_root
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative


@dataclasses.dataclass(frozen=True)
class Contrasts:
    """Differences of models that are tested together."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    covariance: FloatArray

    @property
    def statistic(self) -> FloatArray:
        """Student's t of each contrast."""
        return self.estimate / self.se

    def size(self, side: Alternative) -> FloatArray:
        """Return normal scores of t in the direction of the alternative."""
        # Through its tail probability, so that few degrees of freedom count.
        t = _sized(self.statistic, side)
        upper = -special.ndtri(special.stdtr(self.df, -np.abs(t)))
        return np.asarray(np.where(t < 0, -upper, upper))

    @property
    def drawn_sd(self) -> FloatArray:
        """Standard deviation of each contrast of draws."""
        v, i, j = self.covariance, self.first, self.second
        return np.asarray(np.sqrt(np.maximum(v[i, i] + v[j, j] - 2 * v[i, j], 1e-300)))


def draw(covariance: FloatArray, n_resamples: int, seed: Seed) -> tuple[NDArray[np.float32], float]:
    """Draw from N(0, V/s²), shape (B, M), and return the scale s with it."""
    # The scale is the largest standard deviation, so that single precision holds any unit.
    scale = float(np.sqrt(covariance.diagonal().max())) or 1.0
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((len(covariance), n_resamples), dtype=np.float32)
    return times_root(normal, root(covariance / scale**2)).T, scale


@dataclasses.dataclass(frozen=True)
class MaxT:
    """What the draws say of a family of contrasts."""

    single_step: FloatArray
    step_down: FloatArray
    critical: float


def max_t(
    contrasts: Contrasts,
    draws: NDArray[np.float32],
    level: float,
    side: Alternative,
    scale: float = 1.0,
) -> MaxT:
    """Adjust p-values by the maximum statistic (Westfall & Young 1993; Hothorn et al. 2008)."""
    z = contrasts.size(side)
    order = np.argsort(z, kind="stable")  # smallest first: the maximum of a step is that so far
    # models that are always right and always wrong are drawn without spread: 0, and not 0/0
    least = np.finfo(np.float32).tiny
    sd = np.maximum(contrasts.drawn_sd / scale, least).astype(np.float32)
    sizes = z.astype(np.float32)
    total = len(draws)
    by_model = np.ascontiguousarray(draws.T)
    largest = np.full(total, -np.inf, dtype=np.float32)
    p = np.empty(len(z))
    for place, c in enumerate(order):
        drawn = by_model[contrasts.first[c]] - by_model[contrasts.second[c]]
        np.maximum(largest, _sized(drawn, side) / sd[c], out=largest)
        p[place] = (1 + np.count_nonzero(largest >= sizes[c])) / (total + 1)
    step_down = np.empty(len(z))
    # none smaller than that of a larger z
    step_down[order] = np.maximum.accumulate(p[::-1])[::-1]
    ordered = np.sort(largest)
    above = total - np.searchsorted(ordered, sizes, side="left")
    single = (1 + above) / (total + 1)
    return MaxT(single, step_down, float(np.quantile(ordered, level)))


def _sized(values: NDArray[Any], side: Alternative) -> NDArray[Any]:
    return np.asarray(
        np.abs(values) if side == "two-sided" else values if side == "greater" else -values
    )

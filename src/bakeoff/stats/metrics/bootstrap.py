"""Bootstrap intervals for a metric that gives no influence values, and for checking others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import ConfidenceInterval

OwnMetric = Callable[[NDArray[np.intp]], float]
"""From row numbers (with repetitions) to the metric of those rows."""


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """The metric of resampled rows."""

    estimate: float
    replicates: FloatArray

    @property
    def known(self) -> FloatArray:
        """The replicates with a value, sorted."""
        return np.sort(self.replicates[np.isfinite(self.replicates)])

    @property
    def bias_correction(self) -> float:
        """z₀ of BCa: the normal score of the share of replicates below the estimate."""
        ties = self.ties(self.known)
        below = (self.known[~ties] < self.estimate).sum() + ties.sum() / 2
        return float(special.ndtri(below / len(self.known)))

    def ties(self, values: FloatArray) -> NDArray[np.bool_]:
        """Mark what equals the estimate but for float noise."""
        noise = 1e-12 * np.abs(self.known).max(initial=abs(self.estimate))
        return np.isclose(values, self.estimate, rtol=0, atol=noise)

    def bca(self, level: float, acceleration: float) -> tuple[float, float]:
        """Return the bias-corrected and accelerated quantiles (Efron 1987)."""
        z0 = self.bias_correction
        limits = []
        for tail in ((1 - level) / 2, (1 + level) / 2):
            z = z0 + float(special.ndtri(tail))
            share = float(special.ndtr(z0 + z / (1 - acceleration * z)))
            limits.append(normal_quantile(self.known, share))
        return limits[0], limits[1]


def normal_quantile(ordered: FloatArray, tail: float) -> float:
    """Return a quantile of ordered values, interpolated on the normal scale (Davison & Hinkley)."""
    b = len(ordered)
    at = (b + 1) * tail
    k = math.floor(at + 1e-9)
    if k < 1 or k >= b:
        return float(ordered[0 if k < 1 else -1])
    if abs(at - k) < 1e-9:
        return float(ordered[k - 1])
    low, high, z = (float(special.ndtri(p)) for p in (k / (b + 1), (k + 1) / (b + 1), tail))
    share = (z - low) / (high - low)
    return float(ordered[k - 1] + share * (ordered[k] - ordered[k - 1]))


def acceleration_of(psi: FloatArray) -> float:
    """Return a of BCa from influence values: Σψ³/(6 (Σψ²)^1.5)."""
    second = float((psi**2).sum())
    return float((psi**3).sum()) / (6 * second**1.5) if second > 0 else 0.0


def bootstrap(
    metric: OwnMetric,
    n: int,
    *,
    clusters: NDArray[np.intp] | None = None,
    n_resamples: int = 9_999,
    seed: Seed = 0,
) -> Bootstrap:
    """Return a metric of resampled rows, or of whole clusters of them."""
    rng = np.random.default_rng(seed)
    members = None
    if clusters is not None:
        order = np.argsort(clusters, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    found = np.empty(n_resamples)
    for i in range(n_resamples):
        if members is None:
            rows = rng.integers(0, n, n)
        else:
            rows = np.concatenate([members[j] for j in rng.integers(0, len(members), len(members))])
        found[i] = _value(metric, rows)
    return Bootstrap(_value(metric, np.arange(n)), found)


def _value(metric: OwnMetric, rows: NDArray[np.intp]) -> float:
    try:
        return float(metric(rows))
    except ValueError:
        return math.nan


def bca_interval(found: Bootstrap, psi: FloatArray, level: float) -> ConfidenceInterval | None:
    """Return the BCa interval; None where too few resamples have a value or none differs."""
    known = found.known
    if len(known) < 0.9 * len(found.replicates) or known[0] == known[-1]:
        return None
    low, high = found.bca(level, acceleration_of(psi))
    return ConfidenceInterval(low, high, level, "bca")

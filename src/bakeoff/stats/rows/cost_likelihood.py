"""Likelihood ratio and χ² for a multinomial whose mean cost difference is fixed."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status


@dataclasses.dataclass(frozen=True)
class CostCells:
    """The observed cost differences and how often each occurred.

    Attributes
    ----------
    value, count : ndarray
        The distinct differences d (A's cost less B's) and their numbers of rows, all ≥ 1.
    possible : ndarray
        Every difference the cost matrix allows.
    support : tuple of float or None
        Smallest and largest difference that may have a probability without being observed.
    """

    value: FloatArray
    count: FloatArray
    possible: FloatArray
    support: tuple[float, float] | None = None

    @classmethod
    def observed(cls, d: FloatArray, counts: FloatArray) -> CostCells:
        """Collect the cells by their cost difference; only those observed count."""
        value, place = np.unique(d[counts > 0], return_inverse=True)
        count = np.bincount(place, weights=counts[counts > 0]).astype(np.float64)
        return cls(value, count, np.unique(d))

    def among(self, possible: ArrayLike) -> CostCells:
        """Allow every possible cell a probability, observed or not."""
        values = np.asarray(possible)
        support = (float(values.min()), float(values.max()))
        return dataclasses.replace(self, support=support)

    @property
    def n(self) -> float:
        """Number of rows."""
        return float(self.count.sum())

    @property
    def mean(self) -> float:
        """Mean cost difference."""
        return inner(self.count, self.value) / self.n

    def likelihood_ratio(self, mean: float) -> tuple[float, float]:
        """Return twice the log likelihood ratio against a given mean difference, and λ.

        The constrained estimate is count/(n + λ(d − mean)); cells of the support that were not
        observed need n + λ(d − mean) ≥ 0, which limits λ and gives them the rest.
        """
        x = self.value - mean
        multiplier = self._multiplier(x, mean)
        if math.isnan(multiplier):
            return math.inf, math.nan
        with np.errstate(divide="ignore"):
            logs = special.log1p(multiplier * x / self.n)
        # a rounding error below 0 at most
        return max(0.0, 2 * inner(self.count, logs)), multiplier

    def _multiplier(self, x: FloatArray, mean: float) -> float:
        from scipy.optimize import brentq

        n = self.n
        above, below = x > 0, x < 0
        # no probability exceeds 1: n + λx ≥ count
        lower = ((self.count[above] - n) / x[above]).max(initial=-math.inf)
        upper = ((self.count[below] - n) / x[below]).min(initial=math.inf)
        if self.support is not None:
            least, most = self.support[0] - mean, self.support[1] - mean
            lower = max(lower, -n / most if most > 0 else -math.inf)
            upper = min(upper, -n / least if least < 0 else math.inf)
        if not (math.isfinite(lower) and math.isfinite(upper)):
            return 0.0 if not x.any() else math.nan

        def excess(multiplier: float) -> float:
            with np.errstate(divide="ignore"):
                share = x / (n + multiplier * x)
            return inner(self.count[x != 0], share[x != 0])

        if not excess(lower) > 0:
            return float(lower)
        if not excess(upper) < 0:
            return float(upper)
        return float(brentq(excess, lower, upper, xtol=1e-13 * (upper - lower), rtol=1e-14))

    def limit(self, critical: float, *, upper: bool) -> float:
        """Return the largest (smallest) mean whose likelihood ratio stays below `critical`."""
        inside = self.mean
        ends = (float(self.value.min()), float(self.value.max()))
        outside = (self.support or ends)[1 if upper else 0]
        for _ in range(60):
            middle = (inside + outside) / 2
            if self.likelihood_ratio(middle)[0] < critical:
                inside = middle
            else:
                outside = middle
        return inside


def chi_square(d: FloatArray, counts: FloatArray) -> float:
    """Return min Σ (m − Mπ)²/m under Σdπ = 0, Σπ = 1 and π ≥ 0, with m = count + 1, M = Σm.

    In terms of u = Mπ/m the minimum has u = max(0, α − θd): where θ > 0 the cells with the
    largest d are the ones that reach 0. Without any at 0 it is D₁²/(D₂ − D₁²/M), D_r = Σ m d^r.
    """
    if inner(counts, d) < 0:
        d = -d
    weight, values = counts + 1, np.unique(d)
    total = weight.sum()
    for largest in values[::-1]:
        free = d <= largest
        m, x = weight[free], d[free]
        zeroth, first, second = float(m.sum()), inner(m, x), inner(m, np.square(x))
        theta = total * first / (zeroth * second - first**2)
        alpha = (total + theta * first) / zeroth
        if alpha - theta * largest >= 0:
            break
    u = np.where(free, alpha - theta * d, 0.0)
    return inner(weight, np.square(1 - u))


def interval(
    cells: CostCells, variant: str, status: Status, side: Alternative, level: float
) -> ConfidenceInterval | None:
    """Return the profile-likelihood interval of B's cost less A's, in the form of the test."""
    if status is Status.UNDEFINED:
        return None
    observed = variant == "likelihood_ratio" and status is Status.OK
    profile = cells if observed else cells.among(cells.possible)
    critical = float(special.ndtri(level if side != "two-sided" else (1 + level) / 2)) ** 2
    # limits for A's cost less B's, turned round
    low = -profile.limit(critical, upper=True) if side != "less" else -float(cells.possible.max())
    high = (
        -profile.limit(critical, upper=False) if side != "greater" else -float(cells.possible.min())
    )
    method = "likelihood_ratio" if observed else "likelihood_ratio_all_cells"
    return ConfidenceInterval(low, high, level, method)

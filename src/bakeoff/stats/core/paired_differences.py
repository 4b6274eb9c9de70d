"""What tests of differences share: clean differences, estimates, effect sizes."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.checks import FloatArray, paired_scores
from bakeoff.stats.core.distributions import t_pvalue, tail_probability
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status, answered

UNBOUNDED = (-math.inf, math.inf)
_ENOUGH_FOR_SKEWNESS = 8  # folds from which on their skewness says something


@dataclasses.dataclass(frozen=True)
class Differences:
    """Paired differences A − B, free of float noise."""

    values: FloatArray
    noise: float

    @classmethod
    def between(cls, a: FloatArray, b: FloatArray, level: float) -> Differences:
        """Subtract, taking differences within the relative float noise `level` for 0."""
        # what is left where decimals of one size are subtracted is a share of that size
        d = a - b
        noise = level * max(largest(a), largest(b))
        near = np.abs(d) <= noise  # few of many rows, whose own noise is found
        size = np.maximum(np.abs(a[near]), np.abs(b[near]))
        d[near] = np.where(np.abs(d[near]) <= level * size, 0.0, d[near])
        return cls(d, noise)

    @property
    def identical(self) -> bool:
        """Whether every difference is 0."""
        return not self.values.any()


def largest(values: FloatArray) -> float:
    """Return the largest absolute value."""
    return float(max(values.max(), -values.min()))


def noise_level(*scores: ArrayLike) -> float:
    """Return the relative size of float noise: single-precision scores are noisier."""
    level = 1e-12
    for array in scores:
        dtype = np.asarray(array).dtype
        if dtype.kind == "f":
            level = max(level, 16 * float(np.finfo(dtype).eps))
    return level


def paired_differences(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    ndim: int = 1,
    greater_is_better: bool = True,
    of_rows: bool = False,
) -> Differences:
    """Check two arrays of paired scores, or of values of the same rows, and subtract them."""
    name = "scores"
    unit = "folds"
    if of_rows:
        name = "values"
        unit = "rows"
    scores = {f"{name}_a": scores_a, f"{name}_b": scores_b}
    a, b = paired_scores(scores, unit=unit, ndim=ndim, greater_is_better=greater_is_better)
    return Differences.between(a, b, noise_level(scores_a, scores_b))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its standard error, and the questions that it answers by Student's t."""

    value: float
    se: float
    df: float = math.inf  # infinite: the normal distribution
    status: Status = Status.OK

    @property
    def statistic(self) -> float:
        """The number in standard errors."""
        if self.se > 0:
            return self.value / self.se
        return math.nan

    def pvalue(self, side: Alternative) -> float:
        """Return the p-value of a difference from 0, whatever the status."""
        return t_pvalue(self.statistic, self.df, side)

    def test(self, side: Alternative) -> tuple[float, float]:
        """Return the statistic and the p-value of a difference from 0."""
        return answered(self.status, self.statistic, self.pvalue(side), self.value)

    def limits(self, level: float, side: Alternative) -> tuple[float, float]:
        """Return the limits that match the test; NaN where they are unknown."""
        # value ± t_{df, 1 − tail}·se
        reach = -float(special.stdtrit(self.df, tail_probability(level, side))) * self.se
        low = self.value - reach
        high = self.value + reach
        if side == "less":
            low = -math.inf
        if side == "greater":
            high = math.inf
        return low, high

    def interval(
        self,
        level: float,
        side: Alternative = "two-sided",
        method: str = "student-t",
        bounds: tuple[float, float] = UNBOUNDED,
    ) -> ConfidenceInterval | None:
        """Return the interval within its bounds; None where the standard error is unknown or 0."""
        if not (self.se > 0 and self.df > 0):
            return None
        low, high = self.limits(level, side)
        return ConfidenceInterval(max(low, bounds[0]), min(high, bounds[1]), level, method)


def ratio_status(se: float, noise: float, identical: bool) -> Status:
    """Name the case of a statistic with the standard error `se`."""
    if identical:
        return Status.IDENTICAL_SCORES
    if se <= noise:
        return Status.ZERO_VARIANCE
    return Status.OK


def effect_sizes(d: Differences) -> dict[str, float]:
    """Return Cohen's d_z, Hedges' g_z and the share of folds that A wins (ties count half)."""
    x = d.values.ravel()
    sizes = {
        "cohen_dz": math.nan,
        "hedges_gz": math.nan,
        "share_a_better": float(np.mean(x > 0) + np.mean(x == 0) / 2),
    }
    if x.size < 2:
        return sizes
    sd = float(x.std(ddof=1))
    if sd <= d.noise:
        return sizes
    dz = float(x.mean()) / sd
    sizes["cohen_dz"] = dz
    nu = x.size - 1
    if nu > 1:
        # g_z = d_z · Γ(ν/2)/(√(ν/2) Γ((ν − 1)/2)) with ν = J − 1 (Hedges 1981, eq. 6e)
        log_j = special.gammaln(nu / 2) - special.gammaln((nu - 1) / 2) - math.log(nu / 2) / 2
        sizes["hedges_gz"] = dz * math.exp(log_j)
    return sizes


def normality(d: Differences) -> Assumption:
    """Judge whether the differences look normal by their skewness (too few: cannot tell)."""
    x = d.values.ravel()
    sd = float(x.std())
    if sd <= d.noise or x.size < 3:
        return Assumption("normal differences", None, f"cannot be judged from {x.size} folds")
    # the third moment of the standardised differences
    z = (x - x.mean()) / sd
    skewness = float((z**3).mean())
    n = x.size
    # standard error of the skewness of a normal sample (Fisher 1930)
    error = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    holds = None
    if n >= _ENOUGH_FOR_SKEWNESS:
        holds = abs(skewness) < 2 * error
    detail = f"skewness {skewness:.2f} (standard error {error:.2f}) over {n} folds"
    return Assumption("normal differences", holds, detail)

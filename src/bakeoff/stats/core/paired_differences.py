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


@dataclasses.dataclass(frozen=True)
class Differences:
    """Paired differences A − B, free of float noise."""

    values: FloatArray
    noise: float

    @classmethod
    def between(cls, a: FloatArray, b: FloatArray, level: float) -> Differences:
        """Subtract, taking differences within the relative float noise `level` for 0."""
        d, noise = a - b, level * max(largest(a), largest(b))
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
    kinds = [np.asarray(s).dtype for s in scores]
    eps = max((float(np.finfo(k).eps) for k in kinds if k.kind == "f"), default=0.0)
    return max(1e-12, 16 * eps)


def paired_differences(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    ndim: int = 1,
    greater_is_better: bool = True,
    of_rows: bool = False,
) -> Differences:
    """Check two arrays of paired scores, or of values of the same rows, and subtract them."""
    name, unit = ("values", "rows") if of_rows else ("scores", "folds")
    scores = {f"{name}_a": scores_a, f"{name}_b": scores_b}
    a, b = paired_scores(scores, unit=unit, ndim=ndim, greater_is_better=greater_is_better)
    return Differences.between(a, b, noise_level(scores_a, scores_b))


UNBOUNDED = (-math.inf, math.inf)


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
        return self.value / self.se if self.se > 0 else math.nan

    def pvalue(self, side: Alternative) -> float:
        """Return the p-value of a difference from 0, whatever the status."""
        return t_pvalue(self.statistic, self.df, side)

    def test(self, side: Alternative) -> tuple[float, float]:
        """Return the statistic and the p-value of a difference from 0."""
        return answered(self.status, self.statistic, self.pvalue(side), self.value)

    def limits(self, level: float, side: Alternative) -> tuple[float, float]:
        """Return the limits that match the test; NaN where they are unknown."""
        reach = -float(special.stdtrit(self.df, tail_probability(level, side))) * self.se
        low = -math.inf if side == "less" else self.value - reach
        return low, math.inf if side == "greater" else self.value + reach

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
    return Status.ZERO_VARIANCE if se <= noise else Status.OK


def effect_sizes(d: Differences) -> dict[str, float]:
    """Return Cohen's d_z, Hedges' g_z and the share of folds that A wins (ties count half)."""
    # g_z = d_z · Γ(ν/2) / (√(ν/2) Γ((ν−1)/2)) with ν = J − 1 (Hedges 1981, eq. 6e).
    x = d.values.ravel()
    sizes = {"share_a_better": float(np.mean(x > 0) + np.mean(x == 0) / 2)}
    sd = float(x.std(ddof=1)) if x.size > 1 else 0.0
    if sd <= d.noise:
        return {"cohen_dz": math.nan, "hedges_gz": math.nan} | sizes
    dz = float(x.mean()) / sd
    nu = x.size - 1
    log_j = special.gammaln(nu / 2) - special.gammaln((nu - 1) / 2) - math.log(nu / 2) / 2
    gz = dz * math.exp(log_j) if nu > 1 else math.nan
    return {"cohen_dz": dz, "hedges_gz": gz} | sizes


def normality(d: Differences) -> Assumption:
    """Judge whether the differences look normal by their skewness (too few: cannot tell)."""
    x = d.values.ravel()
    sd = float(x.std())
    if sd <= d.noise or x.size < 3:
        return Assumption("normal differences", None, f"cannot be judged from {x.size} folds")
    z = (x - x.mean()) / sd
    skewness, n = float((z**3).mean()), x.size
    # standard error of the skewness of a normal sample (Fisher 1930)
    error = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    detail = f"skewness {skewness:.2f} (standard error {error:.2f}) over {n} folds"
    return Assumption("normal differences", abs(skewness) < 2 * error if n >= 8 else None, detail)

"""Power of tests whose noise was measured: by a pilot, by a run's interval, by halvings.

The statistic at a true difference is noncentral t, or normal, around the difference over its
standard error.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from scipy import special

from bakeoff.stats.core.arguments import Level, PositiveFloat, check_argument
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative, Result
from bakeoff.stats.planning.solver import Power, PowerResult, normal_power, root, t_power

_CAUTION = 0.8
"""Probability with which the pilot's upper limit is at least the true standard deviation."""
_FAR = 1e3
"""Standard errors beyond which no difference is searched."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MetricPower(Power):
    """Power of the comparison of any metric on n rows, from the influence values of a pilot.

    The statistic is noncentral t with n − 1 degrees of freedom and √n·δ/sd. The n that is solved
    for is rounded up; ``details`` holds it as it is (``n_t``) and by the normal distribution,
    ((z_{1−α/2} + z_power)·sd/δ)² (``n_normal``).

    Attributes
    ----------
    sd : float
        Standard deviation of a row's influence on the difference; see `from_pilot`.

    Examples
    --------
    >>> MetricPower(sd=0.4).solve(difference=0.05, power=0.8).n
    505
    >>> round(MetricPower(sd=0.4).solve(n=505, power=0.8).difference, 3)
    0.05
    """

    test = "metric_difference"
    variant = "t"
    method = "satterthwaite1946"
    calculation = "normal"
    sd: PositiveFloat

    @classmethod
    def from_pilot(cls, pilot: Result, *, cautious: bool = True) -> MetricPower:
        """Take the noise of a pilot.

        Parameters
        ----------
        pilot : Result
            Of `metric_difference` or `mean_difference` on the pilot's rows; with groups, the
            design effect is in its standard error.
        cautious : bool
            Use the 80 % upper confidence limit sd·√(ν/χ²_{.2, ν}); with the estimate itself about
            half of all plans are too small.

        Raises
        ------
        ArgumentError
            A pilot without a standard error.
        """
        se = float(pilot.details.get("se", math.nan))
        if not (se > 0 and pilot.df):
            raise ArgumentError(
                "pilot", f"its status is {pilot.status.value}, it has no standard error"
            )
        return cls.from_error(se, pilot.df, pilot.n, cautious=cautious)

    @classmethod
    def from_error(cls, se: float, df: float, n: int, *, cautious: bool = True) -> MetricPower:
        """Take the noise of a standard error with df degrees of freedom on n rows.

        Examples
        --------
        >>> round(MetricPower.from_error(0.02, 99, 100).sd, 3)
        0.213
        """
        sd = se * math.sqrt(n)
        upper = math.sqrt(df / float(special.chdtri(df, _CAUTION))) if cautious else 1.0
        return cls(sd=sd * upper)

    @property
    def limits(self) -> tuple[float, float]:
        """A difference is at most so many standard deviations of a row."""
        return 0.0, _FAR * self.sd

    def check_n(self, n: float) -> None:
        """Refuse fewer rows than have a standard deviation."""
        if not n >= 2:
            raise ArgumentError("n", f"found {n!r}, must be at least 2")

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the noise."""
        return {"sd": self.sd}

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        return t_power(effect / self.sd * math.sqrt(n), n - 1, alpha, side) if n > 1 else 0.0

    def solve(
        self,
        *,
        n: float | None = None,
        difference: float | None = None,
        power: float | None = None,
        alpha: float = 0.05,
        alternative: Alternative = "two-sided",
    ) -> PowerResult:
        """Return the one of n, difference and power that is not given; see `Power.solve`."""
        found = super().solve(
            n=n, difference=difference, power=power, alpha=alpha, alternative=alternative
        )
        if n is not None or difference is None or power is None:
            return found
        tail = alpha / 2 if found.alternative == "two-sided" else alpha
        quantiles = float(special.ndtri(power)) - float(special.ndtri(tail))
        exact = root(
            lambda rows: self.power_at(rows, difference, alpha, found.alternative) - power,
            2.0,
            found.n,
        )
        sizes = {"n_normal": (quantiles * self.sd / difference) ** 2, "n_t": exact}
        return dataclasses.replace(found, details={**found.details, **sizes})


@dataclasses.dataclass(frozen=True, kw_only=True)
class IntervalPower(Power):
    """Power of a test whose interval is known, on n times the rows that the interval is from.

    A symmetric interval estimate ± half belongs to a test that rejects where |estimate| > half. The
    noise falls with the root of the rows.

    Attributes
    ----------
    half : float
        Half the width of the interval; of a one-sided one, from the estimate to its limit.
    confidence : float
        Level of the interval.
    sides : {1, 2}
        Sides of the interval.
    df : float, optional
        Degrees of freedom of Student's t; without them the test is normal.

    Examples
    --------
    >>> test = IntervalPower(half=0.02, confidence=0.95)
    >>> round(test.solve(n=1, difference=0.03).power, 3)
    0.836
    >>> round(test.solve(difference=0.01, power=0.8).n, 2)
    8.17
    """

    test = ""
    method = "connor1987"
    calculation = "normal"
    unit = "times the rows"
    half: PositiveFloat
    confidence: Level
    sides: Literal[1, 2] = 2
    df: float | None = None

    @property
    def limits(self) -> tuple[float, float]:
        """A difference is at most so many half widths."""
        return 0.0, _FAR * self.half

    def check_n(self, n: float) -> None:
        """Refuse a factor that is not positive."""
        check_argument(n, "n", PositiveFloat)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n times the rows at a true difference."""
        tail = (1 + self.confidence) / 2 if self.sides == 2 else self.confidence
        df = self.df if self.df is not None and self.df > 0 else None
        quantile = special.ndtri(tail) if df is None else special.stdtrit(df, tail)
        shift = float(quantile) * effect / self.half * math.sqrt(n)
        return normal_power(shift, alpha, side) if df is None else t_power(shift, df, alpha, side)

    def n_for(self, effect: float, power: float, alpha: float, side: Alternative) -> float:
        """Return the factor, which is no whole number; NaN beyond e¹⁸."""
        log = root(
            lambda size: self.power_at(math.exp(size), effect, alpha, side) - power, -12.0, 18.0
        )
        return math.exp(log)


@dataclasses.dataclass(frozen=True, kw_only=True)
class HalfSamplePower(Power):
    """Power of the half-sample t test with n halvings, from its standard error.

    The statistic is noncentral t with n degrees of freedom and noncentrality δ/√V. V is the data's,
    so only more rows lower it; more halvings add degrees of freedom, which stops to matter at about
    twenty.

    Attributes
    ----------
    se : float
        Standard error √V of the test, from a pilot run. It falls with the root of the rows: for
        r times the rows give se/√r.

    Examples
    --------
    >>> test = HalfSamplePower(se=0.01)
    >>> round(test.solve(n=20, difference=0.03).power, 3)
    0.814
    >>> round(test.solve(n=20, power=0.8).difference, 4)
    0.0295
    >>> test.solve(difference=0.035, power=0.8).n
    6
    """

    test = "half_sample_t"
    variant = "full"
    method = "mccarthy1969"
    unit = "halvings"
    start = 2
    most = 200
    se: PositiveFloat

    @property
    def limits(self) -> tuple[float, float]:
        """A difference is at most so many standard errors."""
        return 0.0, _FAR * self.se

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the standard error."""
        return {"se": self.se}

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n halvings at a true difference."""
        return t_power(effect / self.se, n, alpha, side)

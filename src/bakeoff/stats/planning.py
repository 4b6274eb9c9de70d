"""Planning: how many observations a test needs, and what difference it finds.

One class per test gives its power function; `Power.solve` finds the number of observations, the
difference or the power, whichever is not given.
"""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge
from scipy import special

from bakeoff.stats.core import distributions, two_by_two
from bakeoff.stats.core.arguments import (
    Level,
    PositiveFloat,
    Seed,
    Share,
    check_argument,
    check_fields,
    checked,
)
from bakeoff.stats.core.checks import ArgumentError, FloatArray
from bakeoff.stats.core.result import Alternative, Result

_CAUTION = 0.8  # probability that the pilot's upper limit is at least the true standard deviation
_FAR = 1e3  # standard deviations beyond which no difference is searched
_FIRST = 16  # where the search for a number of observations begins
_MOST = 10**8  # and where it gives up


@dataclasses.dataclass(frozen=True, kw_only=True)
class PowerResult:
    """The power of a test in one planned situation.

    Attributes
    ----------
    test, variant, alternative, method : str
        As in the result of the test.
    n, unit : float, str
        How many observations, in rows or multiples of the rows at hand.
    difference : float
        The true advantage of A over B; NaN where no possible difference reaches the power.
    power, alpha : float
        Probability that the test rejects, and its level.
    calculation, monte_carlo_error : {"exact", "normal", "simulation"}, float
        How the power was found, and its standard error where that is a simulation, else 0.
    details : Mapping[str, float]
        The rest of the situation, e.g. ``p10``, ``p01``, ``discordance``.
    """

    test: str
    variant: str
    n: float
    unit: str
    difference: float
    power: float
    alpha: float
    alternative: Alternative
    calculation: str
    method: str
    monte_carlo_error: float = 0.0
    details: Mapping[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Power(abc.ABC):
    """A test in a planned situation, with facts as in `PowerResult`; a subclass gives its power."""

    test: ClassVar[str]
    method: ClassVar[str]
    variant: ClassVar[str] = ""
    calculation: ClassVar[str] = "exact"
    unit: ClassVar[str] = "rows"
    steady: ClassVar[int] = 0
    """How many further n must keep the power, where it moves in small steps both ways."""

    def __post_init__(self) -> None:
        check_fields(self)

    @abc.abstractmethod
    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n observations at an effect."""

    @property
    def largest(self) -> float:
        """The largest size of a difference that is possible, or searched."""
        return float(getattr(self, "discordance", None) or _FAR * getattr(self, "sd", 0.0))

    @abc.abstractmethod
    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add what only this test knows of a result, whose n was solved for if a power is given."""

    @checked
    def solve(
        self,
        *,
        n: float | None = None,
        difference: float | None = None,
        power: Level | None = None,
        alpha: Level = 0.05,
        alternative: Alternative = "two-sided",
    ) -> PowerResult:
        """Return the one of n, difference and power that is not given, and the power reached.

        A difference that is solved for is negative for the alternative ``"less"``, and NaN where
        even the largest that is possible does not reach the power.

        Parameters
        ----------
        n : float, optional
            Number of observations, in `unit`.
        difference : float, optional
            The true advantage of A over B.
        power : float, optional
            Probability of rejecting, above `alpha`.
        """
        if [n, difference, power].count(None) != 1:
            raise ArgumentError("n", "give two of n, difference and power: the third is solved for")
        if difference is not None and not abs(difference) <= self.largest:
            raise ArgumentError(
                "difference",
                f"found {difference!r}, cannot exceed {self.largest:g}: the discordance, or "
                f"{_FAR:,.0f} standard deviations",
            )
        kind: Any = PositiveFloat
        if self.unit == "rows":
            kind = Annotated[int, Ge(2)]
        check_argument(n, "n", kind | None)
        if power is not None and power <= alpha:
            raise ArgumentError("power", f"found {power!r}, must be greater than alpha ({alpha!r})")
        wanted = power or math.nan
        power_of_n = None
        if n is None:
            assert difference is not None
            power_of_n = wanted
            n = self._n_for(difference, wanted, alpha, alternative)
        if difference is None:
            difference = self._difference_for(n, wanted, alpha, alternative)
        tried = difference
        if math.isnan(difference):
            tried = _sign(alternative) * self.largest
        result = PowerResult(
            test=self.test,
            variant=self.variant,
            unit=self.unit,
            calculation=self.calculation,
            method=self.method,
            n=n,
            difference=difference,
            power=self.power_at(n, tried, alpha, alternative),
            alpha=alpha,
            alternative=alternative,
        )
        return self.completed(result, power_of_n)

    def _difference_for(self, n: float, power: float, alpha: float, side: Alternative) -> float:
        """Return the smallest difference with a power; NaN if even the largest has less."""

        def excess(size: float) -> float:
            return self.power_at(n, _sign(side) * size, alpha, side) - power

        return _sign(side) * root(excess, 0.0, self.largest * (1 - 1e-9))

    def is_favourable(self, effect: float, side: Alternative) -> bool:
        """Tell whether more observations give power for an alternative."""
        if side == "two-sided":
            return effect != 0
        return _sign(side) * effect > 0

    def _n_for(self, effect: float, power: float, alpha: float, side: Alternative) -> int:
        """Return the smallest n with a power."""
        if not self.is_favourable(effect, side):
            none = f"no number of {self.unit} gives power for the alternative {side!r}"
            raise ArgumentError("difference", f"found {effect:g}, {none}")

        def reached(n: int) -> bool:
            return self.power_at(n, effect, alpha, side) >= power

        # double n until the power is reached, then bisect
        low = 0
        high = _FIRST
        while not reached(high):
            if high == _MOST:
                raise ArgumentError(
                    "difference",
                    f"found {effect:g}, more than {_MOST:,} {self.unit} are needed for power "
                    f"{power:g}",
                )
            low = high
            high = min(2 * high, _MOST)
        while high - low > 1:
            middle = (low + high) // 2
            if reached(middle):
                high = middle
            else:
                low = middle
        # the power moves in small steps both ways: start again after an n that falls short
        following = high
        while following - high < self.steady:
            following += 1
            if not reached(following):
                high = following + 1
        return high


def _sign(side: Alternative) -> float:
    """Return the sign of the differences that speak for an alternative."""
    if side == "less":
        return -1.0
    return 1.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class McNemarPower(Power):
    """Power of `mcnemar` on n rows.

    p10 is the probability that only A is right on a row, p01 that only B is; difference =
    p10 − p01, discordance = p10 + p01.

    Attributes
    ----------
    discordance, variant : float, {"midp", "exact", "asymptotic", "corrected"}
        Probability that exactly one model is right on a row; the variant of `mcnemar`.
    calculation : {"exact", "normal"}
        ``"exact"`` sums the rejection probability of that variant over every n_d ~ Bin(n,
        p10 + p01) and b ~ Bin(n_d, p10/(p10 + p01)). It moves in small steps both ways: the n that
        is solved for reaches the power and keeps it for the next 20 n. ``"normal"``:
        Φ((√n |δ| − z √ψ)/√(ψ − δ²)) with δ the difference and ψ the discordance (Connor 1987),
        which is the same for every variant.

    Examples
    --------
    >>> test = McNemarPower(discordance=0.10)
    >>> round(test.solve(n=1000, difference=0.03).power, 3)
    0.857
    >>> test.solve(difference=0.03, power=0.8).n
    862
    >>> round(test.solve(n=1000, power=0.8).difference, 4)
    0.0278
    """

    test = "mcnemar"
    steady = 20
    discordance: Share
    variant: two_by_two.Variant = "midp"  # type: ignore[misc]
    calculation: Literal["exact", "normal"] = "exact"  # type: ignore[misc]

    @property
    def method(self) -> str:  # type: ignore[override]
        """The citation of the calculation."""
        if self.calculation == "normal":
            return "connor1987"
        return "fagerland2013"

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the probabilities of the situation."""
        psi = self.discordance
        effect = result.difference
        details = {"p10": (psi + effect) / 2, "p01": (psi - effect) / 2, "discordance": psi}
        return dataclasses.replace(result, details=details)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        if side == "less":
            effect = -effect
            side = "greater"
        if self.calculation == "normal":
            return self._normal_power(n, effect, alpha, side)
        return self._exact_power(n, effect, alpha, side)

    def _normal_power(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Φ((√n |δ| − z √ψ)/√(ψ − δ²)) (Connor 1987)."""
        psi = self.discordance
        if side == "two-sided":
            alpha = alpha / 2
            effect = abs(effect)
        # under the null a row has the variance ψ, at the difference δ it has ψ − δ²
        surplus = math.sqrt(n) * effect + float(special.ndtri(alpha)) * math.sqrt(psi)
        spread = math.sqrt(max(psi - effect**2, 0.0))
        # every row is won by one model
        if spread == 0:
            return float(surplus >= 0)
        return float(special.ndtr(surplus / spread))

    def _exact_power(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Sum the rejection probability over n_d ~ Bin(n, ψ) and b ~ Bin(n_d, p10/ψ)."""
        # what lies beyond nine standard deviations of n_d, and 20 rows for small n, is below 1e-16
        psi = self.discordance
        reach = 9 * math.sqrt(n * psi * (1 - psi)) + 20
        first = max(0, math.floor(n * psi - reach))
        last = min(n, math.ceil(n * psi + reach))
        n_d = np.arange(first, last + 1, dtype=np.float64)
        weights = np.exp(distributions.log_pmf(n_d, int(n), psi))
        # p10/ψ, as p10 + p01 = ψ and p10 − p01 = δ
        share = (psi + effect) / (2 * psi)
        critical = self._fewest_wins(n_d, alpha, side)
        rejected = distributions.upper_tail(critical, n_d, share)
        if side == "two-sided":
            rejected = rejected + distributions.lower_tail(n_d - critical, n_d, share)
        return min(1.0, float(weights @ rejected))

    def _fewest_wins(self, n_d: FloatArray, alpha: float, side: Alternative) -> FloatArray:
        """Return the fewest wins that reject for each number of discordant rows, by bisection."""
        low = np.full_like(n_d, -1.0)
        if side == "two-sided":
            low = np.floor(n_d / 2)
        critical = n_d + 1
        while (critical - low > 1).any():
            middle = np.floor((low + critical) / 2)
            rejects = two_by_two.pvalue(self.variant, middle, n_d - middle, side) <= alpha
            between = critical - low > 1
            critical = np.where(between & rejects, middle, critical)
            low = np.where(between & ~rejects, middle, low)
        return critical


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
        """Take the noise of a pilot, a result of `metric_difference` or `mean_difference`.

        `cautious` takes the 80 % upper confidence limit sd·√(ν/χ²_{.2, ν}); with the estimate
        itself about half of all plans are too small.
        """
        se = float(pilot.details.get("se", math.nan))
        if not (se > 0 and pilot.df):
            raise ArgumentError(
                "pilot", f"its status is {pilot.status.value}, it has no standard error"
            )
        df = pilot.df
        sd = se * math.sqrt(pilot.n)
        if cautious:
            sd *= cautious_factor(df)
        return cls(sd=sd)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        if n <= 1:
            return 0.0
        # noncentral t with n − 1 degrees of freedom and the shift √n·δ/sd
        return power_of_t(effect / self.sd * math.sqrt(n), n - 1, alpha, side)

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the noise, and the number of rows before it is rounded up."""
        effect = result.difference
        alpha = result.alpha
        side = result.alternative
        details = {"sd": self.sd}
        if power is not None:
            tail = alpha
            if side == "two-sided":
                tail = alpha / 2
            # ((z_{1−α/2} + z_power)·sd/δ)²
            quantiles = float(special.ndtri(power)) - float(special.ndtri(tail))
            details["n_normal"] = (quantiles * self.sd / effect) ** 2

            def excess(n: float) -> float:
                return self.power_at(n, effect, alpha, side) - power

            details["n_t"] = root(excess, 2.0, result.n)
        return dataclasses.replace(result, details=details)


def power_of_t(shift: float, df: float, alpha: float, side: Alternative) -> float:
    """Return the power of a t test whose statistic is noncentral t with a shift."""
    tail = alpha
    if side == "two-sided":
        tail = alpha / 2
    elif side == "less":
        shift = -shift
    critical = -float(special.stdtrit(df, tail))

    def below(t: float) -> float:
        """P(T ≤ t) of noncentral t; far below its mean, where SciPy gives up, 0."""
        p = float(special.nctdtr(df, shift, t))
        if math.isnan(p):
            return 0.0
        return p

    power = 1 - below(critical)
    if side == "two-sided":
        power += below(-critical)
    return min(1.0, power)


def cautious_factor(df: float) -> float:
    """Return what a standard deviation is multiplied by for its upper 80 % limit, √(ν/χ²)."""
    return math.sqrt(df / float(special.chdtri(df, _CAUTION)))


@dataclasses.dataclass(frozen=True, kw_only=True)
class FiveByTwoPower(Power):
    """Power of the combined 5x2cv F test, by simulation.

    The ten fold differences are drawn as d = δ + σ e with independent standard normal e, so that
    everything depends on δ/σ.

    Attributes
    ----------
    discordance : float, optional
        Probability that exactly one model is right on a row. Then n counts the rows of the data
        set, and the standard deviation of one fold's difference is its sampling error on a test
        half, √((ψ − δ²)/(n/2)): the least it can be, as training on another half adds to it.
    sd : float, optional
        Instead: that standard deviation, e.g. from a pilot run. Then n multiplies its rows.
    n_simulations, seed : int
        Number of simulated cross-validations, and their seed.

    Examples
    --------
    >>> plan = FiveByTwoPower(sd=0.01).solve(n=1, difference=0.02)
    >>> round(plan.power, 2), round(plan.monte_carlo_error, 4)
    (0.59, 0.0035)
    >>> round(FiveByTwoPower(sd=0.01).solve(n=1, power=0.8).difference, 3)
    0.025
    >>> 1300 < FiveByTwoPower(discordance=0.10).solve(difference=0.03, power=0.8).n < 1400
    True
    """

    test = "cv5x2_f"
    method = "alpaydin1999"
    calculation = "simulation"
    discordance: Share | None = None
    sd: PositiveFloat | None = None
    n_simulations: Annotated[int, Ge(100)] = 20_000
    seed: Seed = 0

    def __post_init__(self) -> None:
        if (self.sd is None) == (self.discordance is None):
            raise ArgumentError("sd", "give either sd or discordance")
        super().__post_init__()

    @property
    def unit(self) -> str:  # type: ignore[override]
        """Rows, or multiples of those that `sd` is from."""
        if self.sd is None:
            return "rows"
        return "times the rows"

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the noise of one fold's difference, and the error of the simulated power."""
        sd = self._sd(result.n, result.difference)
        effect = math.inf
        if sd:
            effect = result.difference / sd
        details = {
            "sd": sd,
            "effect": effect,
            "n_simulations": self.n_simulations,
            "seed": self.seed,
        }
        if self.discordance is not None:
            details["discordance"] = self.discordance
        error = math.sqrt(result.power * (1 - result.power) / self.n_simulations)
        return dataclasses.replace(result, monte_carlo_error=error, details=details)

    def power_at(
        self, n: float, effect: float, alpha: float, side: Alternative = "two-sided"
    ) -> float:
        """Return the share of simulated tests that reject: F = Σd²/(2Σs²), (10, 5) degrees."""
        if side != "two-sided":
            raise ArgumentError("alternative", f"found {side!r}, the F test is two-sided")
        sd = self._sd(n, effect)
        if sd == 0:
            return 1.0
        # d = δ + σe, so that F depends on δ/σ alone; Σs² does not depend on δ
        noise, variances = self._draws
        total = np.square(noise + effect / sd).sum(axis=(1, 2))
        return float((special.fdtrc(10, 5, total / (2 * variances)) <= alpha).mean())

    def _sd(self, n: float, difference: float) -> float:
        """Return the standard deviation of one fold's difference."""
        if self.sd is not None:
            return self.sd / math.sqrt(n)
        assert self.discordance is not None
        return math.sqrt(max(self.discordance - difference**2, 0.0) / (n / 2))

    @cached_property
    def _draws(self) -> tuple[FloatArray, FloatArray]:
        """Standard normal fold differences, shape (n_simulations, 5, 2), and their Σs²."""
        rng = np.random.default_rng(self.seed)
        noise = rng.standard_normal((self.n_simulations, 5, 2))
        return noise, np.square(noise[:, :, 0] - noise[:, :, 1]).sum(axis=1) / 2


def detectable_difference(
    reach: float, *, level: float, power: float, df: float | None = None
) -> float:
    """Return the smallest true difference that a test with an interval finds with a power.

    Parameters
    ----------
    reach : float
        From the estimate to the limit of the interval; it falls with the root of the rows.
    level : float
        Probability below the limit: .975 for a two-sided interval of 95%.
    power : float
        Probability of rejecting, above 1 − `level`.
    df : float, optional
        Degrees of freedom of Student's t; without them the test is normal.

    Examples
    --------
    >>> round(detectable_difference(0.02, level=0.975, power=0.8), 4)
    0.0286
    """
    # δ with P(reject) = power: (quantile of the level + that of the power) standard errors
    if df is None:
        # of normal limits: (z_level + z_power)/z_level of the reach
        at_level = float(special.ndtri(level))
        at_power = float(special.ndtri(power))
    else:
        at_level = float(special.stdtrit(df, level))
        at_power = float(special.stdtrit(df, power))
    return reach * (at_level + at_power) / at_level


@checked
def smallest_discordant_count(
    *,
    alpha: Level = 0.05,
    alternative: Alternative = "two-sided",
    variant: two_by_two.Variant = "midp",
) -> int:
    """Return the smallest n_d with which McNemar's test can reach a level at all.

    Fewer discordant pairs cannot give p ≤ alpha even if one model wins all of them.

    Parameters
    ----------
    variant : {"midp", "exact", "asymptotic", "corrected"}
        As in `mcnemar`.

    Examples
    --------
    >>> smallest_discordant_count(), smallest_discordant_count(variant="exact")
    (5, 6)
    """
    # 10,000 wins in a row underflow every alpha
    n_d = np.arange(1, 10_000)
    none = np.zeros_like(n_d)
    if alternative == "less":
        p = two_by_two.pvalue(variant, none, n_d, alternative)
    else:
        p = two_by_two.pvalue(variant, n_d, none, alternative)
    return int(n_d[np.argmax(p <= alpha)])


def root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return where a growing function becomes 0; `low` if it is above 0, NaN if it stays below."""
    from scipy.optimize import brentq  # slow to import

    if excess(low) >= 0:
        return low
    if excess(high) < 0:
        return math.nan
    return float(brentq(excess, low, high, xtol=1e-12 * (high - low)))

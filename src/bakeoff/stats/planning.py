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
from typing import Annotated, ClassVar, Literal

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
from bakeoff.stats.core.checks import ArgumentError, BoolArray, FloatArray
from bakeoff.stats.core.result import Alternative, Result

_CAUTION = 0.8
"""Probability with which the pilot's upper limit is at least the true standard deviation."""
_FAR = 1e3
"""Standard deviations beyond which no difference is searched."""
_FIRST, _MOST = 16, 10**8
"""Where the search for a number of observations begins, and where it gives up."""


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
        kind = Annotated[int, Ge(2)] if self.unit == "rows" else PositiveFloat
        check_argument(n, "n", kind | None)
        if power is not None and power <= alpha:
            raise ArgumentError("power", f"found {power!r}, must be greater than alpha ({alpha!r})")
        solved_for_n, wanted = n is None, power or math.nan
        if n is None:
            assert difference is not None
            n = self._n_for(difference, wanted, alpha, alternative)
        sign = -1.0 if alternative == "less" else 1.0
        if difference is None:
            difference = sign * root(
                lambda size: self.power_at(n, sign * size, alpha, alternative) - wanted,
                0.0,
                self.largest * (1 - 1e-9),
            )
        tried = sign * self.largest if math.isnan(difference) else difference
        facts = ("test", "variant", "unit", "calculation", "method")
        result = PowerResult(
            **{name: getattr(self, name) for name in facts},
            n=n,
            difference=difference,
            power=self.power_at(n, tried, alpha, alternative),
            alpha=alpha,
            alternative=alternative,
        )
        return self.completed(result, wanted if solved_for_n else None)

    def _n_for(self, effect: float, power: float, alpha: float, side: Alternative) -> int:
        """Return the smallest n with a power."""
        against = {"two-sided": effect == 0, "greater": effect <= 0, "less": effect >= 0}
        if against[side]:
            none = f"no number of {self.unit} gives power for the alternative {side!r}"
            raise ArgumentError("difference", f"found {effect:g}, {none}")

        def reached(n: int) -> bool:
            return self.power_at(n, effect, alpha, side) >= power

        low, high = 0, _FIRST
        while not reached(high):
            if high == _MOST:
                more = f"more than {_MOST:,} {self.unit} are needed for power {power:g}"
                raise ArgumentError("difference", f"found {effect:g}, {more}")
            low, high = high, min(2 * high, _MOST)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        following = high
        while following - high < self.steady:
            following += 1
            if not reached(following):
                high = following + 1
        return high


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
        return "connor1987" if self.calculation == "normal" else "fagerland2013"

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the probabilities of the situation."""
        psi, effect = self.discordance, result.difference
        details = {"p10": (psi + effect) / 2, "p01": (psi - effect) / 2, "discordance": psi}
        return dataclasses.replace(result, details=details)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        if side == "less":
            effect, side = -effect, "greater"
        psi = self.discordance
        if self.calculation == "normal":
            if side == "two-sided":
                alpha, effect = alpha / 2, abs(effect)
            surplus = math.sqrt(n) * effect + float(special.ndtri(alpha)) * math.sqrt(psi)
            spread = math.sqrt(max(psi - effect**2, 0.0))  # 0: every row is won by one model
            return float(special.ndtr(surplus / spread)) if spread else float(surplus >= 0)
        reach = 9 * math.sqrt(n * psi * (1 - psi)) + 20  # what lies beyond is below 1e-16
        first, last = max(0, math.floor(n * psi - reach)), min(n, math.ceil(n * psi + reach))
        n_d = np.arange(first, last + 1, dtype=np.float64)
        weights = np.exp(distributions.log_pmf(n_d, int(n), psi))
        share = (psi + effect) / (2 * psi)

        def rejects(wins: FloatArray) -> BoolArray:
            pvalue = two_by_two.pvalue(self.variant, wins, n_d - wins, side)
            return np.asarray(pvalue <= alpha)

        # the fewest wins that reject, for each number of discordant rows, by bisection
        low = np.floor(n_d / 2) if side == "two-sided" else np.full_like(n_d, -1.0)
        critical = n_d + 1
        while (critical - low > 1).any():
            middle = np.floor((low + critical) / 2)
            enough, between = rejects(middle), critical - low > 1
            critical = np.where(between & enough, middle, critical)
            low = np.where(between & ~enough, middle, low)
        rejected = distributions.upper_tail(critical, n_d, share)
        if side == "two-sided":
            rejected = rejected + distributions.lower_tail(n_d - critical, n_d, share)
        return min(1.0, float(weights @ rejected))


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
        df, sd = pilot.df, se * math.sqrt(pilot.n)
        upper = math.sqrt(df / float(special.chdtri(df, _CAUTION))) if cautious else 1.0
        return cls(sd=sd * upper)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        if n <= 1:
            return 0.0
        shift, df = effect / self.sd * math.sqrt(n), n - 1
        critical = -float(special.stdtrit(df, alpha / 2 if side == "two-sided" else alpha))

        def below(t: float) -> float:
            """P(T ≤ t) of noncentral t; far below its mean, where SciPy gives up, 0."""
            p = float(special.nctdtr(df, -shift if side == "less" else shift, t))
            return 0.0 if math.isnan(p) else p

        power = 1 - below(critical)
        return min(1.0, power + below(-critical) if side == "two-sided" else power)

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the noise, and the number of rows before it is rounded up."""
        effect, alpha, side = result.difference, result.alpha, result.alternative
        details = {"sd": self.sd}
        if power is not None:
            tail = alpha / 2 if side == "two-sided" else alpha
            quantiles = float(special.ndtri(power)) - float(special.ndtri(tail))
            details["n_normal"] = (quantiles * self.sd / effect) ** 2
            details["n_t"] = root(
                lambda n: self.power_at(n, effect, alpha, side) - power, 2.0, result.n
            )
        return dataclasses.replace(result, details=details)


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
        return "rows" if self.sd is None else "times the rows"

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the noise of one fold's difference, and the error of the simulated power."""
        effect, sd = result.difference, self._sd(result.n, result.difference)
        details = {
            "sd": sd,
            "effect": effect / sd if sd else math.inf,
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
    at_level, at_power = (
        float(special.ndtri(p) if df is None else special.stdtrit(df, p)) for p in (level, power)
    )
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
    n_d = np.arange(1, 10_000)  # 10,000 wins in a row underflow every alpha
    b, c = (np.zeros_like(n_d), n_d) if alternative == "less" else (n_d, np.zeros_like(n_d))
    p = two_by_two.pvalue(variant, b, c, alternative)
    return int(n_d[np.argmax(p <= alpha)])


def root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return where a growing function becomes 0; `low` if it is above 0, NaN if it stays below."""
    from scipy.optimize import brentq  # slow to import

    if excess(low) >= 0:
        return low
    if excess(high) < 0:
        return math.nan
    return float(brentq(excess, low, high, xtol=1e-12 * (high - low)))

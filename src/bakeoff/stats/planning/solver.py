"""One solver for power, sample size and detectable difference; a test gives its power function."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import ClassVar

from scipy import special

from bakeoff.stats.core.arguments import Level, check_count, check_fields, check_number, checked
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative


@dataclasses.dataclass(frozen=True, kw_only=True)
class PowerResult:
    """The power of a test in one planned situation.

    Attributes
    ----------
    test, variant : str
        As in the result of the test.
    n : float
        How many observations, in `unit`; NaN where the noise is given for the data at hand.
    unit : str
        What `n` counts: rows, groups, halvings, or multiples of the rows at hand.
    difference : float
        The true advantage of A over B; NaN where no possible difference reaches the power.
    power : float
        Probability that the test rejects at `alpha`.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.
    calculation : {"exact", "normal", "simulation"}
        How the power was found.
    monte_carlo_error : float
        Standard error, by simulation, of what was solved for; 0 where nothing is simulated.
    method : str
        Citation key (see `bakeoff.stats.core.citations`).
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
    """A test in a planned situation; a subclass gives the power function.

    Attributes
    ----------
    test, variant, method, calculation : str
        As in `PowerResult`.
    unit : str
        What n counts.
    effect : {"difference", "margin"}
        What, besides n and the power, is solved for.
    start, most : int
        Where the search for n begins, and where it gives up.
    steady : int
        How many further n must keep the power, for a power that moves in small steps both ways.
    """

    test: ClassVar[str]
    method: ClassVar[str]
    variant: ClassVar[str] = ""
    calculation: ClassVar[str] = "exact"
    unit: ClassVar[str] = "rows"
    effect: ClassVar[str] = "difference"
    start: ClassVar[int] = 16
    most: ClassVar[int] = 10**8
    steady: ClassVar[int] = 0

    def __post_init__(self) -> None:
        check_fields(self)

    @abc.abstractmethod
    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n observations at an effect."""

    @property
    @abc.abstractmethod
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest size of an effect that is searched."""

    def check_effect(self, effect: float, side: Alternative) -> None:
        """Refuse an effect that is impossible in this situation."""
        check_number(effect, self.effect)

    def check_direction(self, effect: float, side: Alternative) -> None:
        """Refuse an effect that no n finds: a difference of 0, or away from the alternative."""
        against = {"two-sided": effect == 0, "greater": effect <= 0, "less": effect >= 0}
        if against[side]:
            raise ArgumentError(
                self.effect,
                f"found {effect:g}, no number of {self.unit} gives power for the alternative "
                f"{side!r}",
            )

    def check_n(self, n: float) -> None:
        """Refuse a number of observations that is impossible."""
        check_count(n, "n", least=1)

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the rest of the situation."""
        return {}

    def difference(self, effect: float) -> float:
        """Return the true difference."""
        return effect

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
        """Return the one of n, difference and power that is not given.

        Parameters
        ----------
        n : float, optional
            Number of observations, in `unit`.
        difference : float, optional
            The true advantage of A over B.
        power : float, optional
            Probability of rejecting, above `alpha`.

        Returns
        -------
        PowerResult
            With the missing quantity, and the power that is reached. A difference that is solved
            for is negative for the alternative ``"less"``, and NaN where even the largest that is
            possible does not reach the power.

        """
        return self._solve(n, difference, power, alpha, alternative)

    def _solve(
        self,
        n: float | None,
        effect: float | None,
        power: float | None,
        alpha: float,
        side: Alternative,
    ) -> PowerResult:
        if [n, effect, power].count(None) != 1:
            raise ArgumentError(
                "n", f"give two of n, {self.effect} and power: the third is solved for"
            )
        if effect is not None:
            self.check_effect(effect, side)
        if n is not None:
            self.check_n(n)
        if power is not None and power <= alpha:
            raise ArgumentError("power", f"found {power!r}, must be greater than alpha ({alpha!r})")
        if n is None and effect is not None and power is not None:
            self.check_direction(effect, side)
            n = self.n_for(effect, power, alpha, side)
        assert n is not None
        if effect is None and power is not None:
            effect = self._effect_for(n, power, alpha, side)
        assert effect is not None
        return self._result(n, effect, power, alpha, side)

    def n_for(self, effect: float, power: float, alpha: float, side: Alternative) -> float:
        """Return the smallest n with a power."""

        def reached(n: int) -> bool:
            return self.power_at(n, effect, alpha, side) >= power

        low, high = 0, self.start
        while not reached(high):
            low, high = high, 2 * high
            if high > self.most:
                raise ArgumentError(
                    self.effect,
                    f"found {effect:g}, more than {self.most:,} {self.unit} are needed for power "
                    f"{power:g}",
                )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        following = high
        while following - high < self.steady:
            following += 1
            if not reached(following):
                high = following + 1
        return high

    def _effect_for(self, n: float, power: float, alpha: float, side: Alternative) -> float:
        sign = -1.0 if side == "less" else 1.0
        return sign * root(
            lambda size: self.power_at(n, sign * size, alpha, side) - power, *self.limits
        )

    def _result(
        self, n: float, effect: float, power: float | None, alpha: float, side: Alternative
    ) -> PowerResult:
        none = math.isnan(effect)
        tried = math.copysign(self.limits[1], -1.0 if side == "less" else 1.0) if none else effect
        return PowerResult(
            test=self.test,
            variant=self.variant,
            n=n,
            unit=self.unit,
            difference=self.difference(effect),
            power=self.power_at(n, tried, alpha, side),
            alpha=alpha,
            alternative=side,
            calculation=self.calculation,
            method=self.method,
            details=self.details(n, effect),
        )


def root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return where a growing function becomes 0; `low` if it is above 0, NaN if it stays below."""
    from scipy.optimize import brentq  # slow to import

    if excess(low) >= 0:
        return low
    if excess(high) < 0:
        return math.nan
    return float(brentq(excess, low, high, xtol=1e-12 * (high - low)))


def check_possible(difference: float, discordance: float) -> None:
    """Check a difference that is made of the rows that one model alone has right."""
    if not abs(check_number(difference, "difference")) <= discordance:
        raise ArgumentError(
            "difference", f"found {difference!r}, cannot exceed the discordance {discordance!r}"
        )


def normal_power(shift: float, alpha: float, side: Alternative) -> float:
    """Return the power of a normal test whose statistic has a mean."""
    critical = -float(special.ndtri(alpha / 2 if side == "two-sided" else alpha))
    if side == "less":
        shift = -shift
    power = float(special.ndtr(shift - critical))
    return power + (float(special.ndtr(-shift - critical)) if side == "two-sided" else 0.0)


def t_power(shift: float, df: float, alpha: float, side: Alternative) -> float:
    """Return the power of a t test whose statistic is noncentral t."""
    critical = -float(special.stdtrit(df, alpha / 2 if side == "two-sided" else alpha))
    if side == "less":
        shift = -shift
    power = 1 - _noncentral_t(critical, df, shift)
    below = _noncentral_t(-critical, df, shift) if side == "two-sided" else 0.0
    return min(1.0, power + below)


def _noncentral_t(at: float, df: float, shift: float) -> float:
    """P(T ≤ at) of noncentral t; far below its mean, where SciPy gives up, 0."""
    found = float(special.nctdtr(df, shift, at))
    return 0.0 if math.isnan(found) else found

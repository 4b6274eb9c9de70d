"""Power of the combined 5x2cv F test, by simulation.

The ten fold differences are drawn as d = δ + σ (√ρ g + √(1 − ρ) e) with standard normal g,
shared by all ten, and e, one for each. Everything then depends on δ/σ and ρ.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Annotated

import numpy as np
from annotated_types import Ge, Lt
from scipy import special

from bakeoff.stats.core.arguments import PositiveFloat, Seed, Share, check_argument, check_count
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.planning.solver import Power, PowerResult, check_possible

_STEP = 0.05
"""Relative step of the slope that turns the error of a power into that of a difference."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class FiveByTwoPower(Power):
    """Power of the combined 5x2cv F test, by simulation.

    Attributes
    ----------
    discordance : float, optional
        Probability that exactly one model is right on a row. Then n counts the rows of the data
        set, and the standard deviation of one fold's difference is its sampling error on a test
        half, √((ψ − δ²)/(n/2)): the least it can be, as training on another half adds to it.
    sd : float, optional
        Instead: that standard deviation, e.g. from a pilot run. Then n multiplies its rows.
    correlation : float
        Correlation of the fold differences, in [0, 1). The test takes it for 0; it is not,
        and makes the test more liberal.
    n_simulations : int
        Number of simulated cross-validations.
    seed : int
        Seed of the simulation.

    Examples
    --------
    >>> found = FiveByTwoPower(sd=0.01).solve(n=1, difference=0.02)
    >>> round(found.power, 2), round(found.monte_carlo_error, 4)
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
    correlation: Annotated[float, Ge(0), Lt(1)] = 0.0
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

    @property
    def limits(self) -> tuple[float, float]:
        """From no difference to the discordance, or to 1,000 standard deviations."""
        if self.sd is not None:
            return 0.0, 1e3 * self.sd
        assert self.discordance is not None
        return 0.0, self.discordance * (1 - 1e-9)

    def check_n(self, n: float) -> None:
        """Refuse what is not two halves."""
        if self.sd is None:
            check_count(n, "n", least=2)
        else:
            check_argument(n, "n", PositiveFloat)

    def check_effect(self, effect: float, side: Alternative) -> None:
        """Refuse a difference that is impossible."""
        if not math.isfinite(effect):
            raise ArgumentError("difference", f"found {effect!r}, must be finite")
        if self.discordance is not None:
            check_possible(effect, self.discordance)

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the noise of one fold's difference, and how it was simulated."""
        sd = self._sd(n, effect)
        found = {
            "sd": sd,
            "effect": effect / sd if sd else math.inf,
            "correlation": self.correlation,
            "n_simulations": self.n_simulations,
            "seed": self.seed,
        }
        return found if self.discordance is None else {**found, "discordance": self.discordance}

    def solve(
        self,
        *,
        n: float | None = None,
        difference: float | None = None,
        power: float | None = None,
        alpha: float = 0.05,
        alternative: Alternative = "two-sided",
    ) -> PowerResult:
        """Return the one of n, difference and power that is not given, with its error."""
        if alternative != "two-sided":
            raise ArgumentError("alternative", f"found {alternative!r}, the F test is two-sided")
        found = super().solve(
            n=n, difference=difference, power=power, alpha=alpha, alternative=alternative
        )
        error = math.sqrt(found.power * (1 - found.power) / self.n_simulations)
        if power is None or math.isnan(found.difference):
            return dataclasses.replace(found, monte_carlo_error=error)
        above, below = (
            self.power_at(
                found.n * (step if n is None else 1),
                found.difference * (step if difference is None else 1),
                found.alpha,
                found.alternative,
            )
            for step in (1 + _STEP, 1 - _STEP)
        )
        solved = found.n if n is None else found.difference
        rise = (above - below) / (2 * _STEP * solved)
        return dataclasses.replace(found, monte_carlo_error=error / rise if rise > 0 else math.inf)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the share of simulated tests that reject: F = Σd²/(2Σs²), (10, 5) degrees."""
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
        each = rng.standard_normal((self.n_simulations, 5, 2))
        shared = rng.standard_normal((self.n_simulations, 1, 1))
        noise = math.sqrt(self.correlation) * shared + math.sqrt(1 - self.correlation) * each
        return noise, np.square(noise[:, :, 0] - noise[:, :, 1]).sum(axis=1) / 2

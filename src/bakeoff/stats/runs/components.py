"""Where the variance of recipes comes from, and what more runs or more rows would buy."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from bakeoff.stats.core.arguments import PositiveFloat, Rope
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative, Result
from bakeoff.stats.planning.solver import Power
from bakeoff.stats.runs.parts import Parts
from bakeoff.stats.runs.recipe import Recipe

SEEN = 0.95
"""Confidence of the bound for the share of runs that fail."""
_FAR = 1e3
_MOST_RUNS = 100_000


def lead_of_best(runs: int) -> float:
    """Return the expected largest of some standard normal numbers: what selection alone gains."""
    z = np.linspace(0, 9, 4001)
    return float(np.trapezoid(1 - special.ndtr(z) ** runs - special.ndtr(-z) ** runs, z))


def unseen_failures(runs: int) -> float:
    """Return the largest share of runs that fail where none of these did, at 95 % confidence."""
    return float(1 - (1 - SEEN) ** (1 / runs))


def described(parts: Parts, recipes: Sequence[Recipe], n: int) -> dict[str, float]:
    """Return the parts of the variance as numbers of a result."""
    return {
        "se": math.sqrt(parts.variance),
        "var_seeds": parts.of_seeds,
        "df_seeds": parts.df_seeds,
        "var_rows": parts.of_rows,
        "var_cells": parts.cells,
        "seeds": math.fsum(one.variance - one.count * one.interaction for one in recipes),
        "rows": n * parts.of_rows,
        "rest": math.fsum(n * one.count * one.interaction for one in recipes),
    }


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunsPower(Power):
    """Power of `recipe_difference` on n test rows, from the components of the variance.

    With S runs of each model and n rows the variance is seeds/S + rows/n + rest/(n S). The number
    of runs that is solved for is that of each model.

    Attributes
    ----------
    seeds : float
        The variance between runs, summed over the models.
    rows : float
        The variance of the difference of a row, in expectation over runs.
    rest : float
        The variance of a row of a single run beyond both, summed over the models.
    test_rows : float
        The number of test rows.
    method : str
        Citation key (see `bakeoff.stats.core.citations`).

    Examples
    --------
    >>> plan = RunsPower(seeds=0.0002, rows=0.08, rest=0.1, test_rows=1000)
    >>> plan.solve(difference=0.03, power=0.8).n
    10
    >>> round(plan.floor_of_runs, 4), round(plan.rows_per_run(run_cost=10, row_cost=0.1))
    (0.0089, 200)
    """

    test = "recipe_difference"
    variant = "two_t"
    method = "banerjee1960"
    calculation = "normal"
    unit = "runs"
    start = 8
    most = _MOST_RUNS
    seeds: Rope
    rows: Rope
    rest: Rope
    test_rows: PositiveFloat

    @classmethod
    def from_pilot(cls, pilot: Result, *, test_rows: float | None = None) -> RunsPower:
        """Take the components of a result of `recipe_difference`, negative ones as 0.

        Parameters
        ----------
        pilot : Result
            Of five runs or more: three leave the variance between runs nearly unknown.
        test_rows : float, optional
            The rows that are planned; those of the pilot if not given.
        """
        found = {name: pilot.details.get(name, math.nan) for name in ("seeds", "rows", "rest")}
        if any(math.isnan(value) for value in found.values()):
            raise ArgumentError("pilot", "it has no components of the variance")
        known = {name: max(value, 0.0) for name, value in found.items()}
        return cls(**known, test_rows=test_rows or pilot.n)

    def variance(self, runs: float, test_rows: float | None = None) -> float:
        """Return the variance of the difference with so many runs of each model and rows."""
        n = test_rows or self.test_rows
        return self.seeds / runs + self.rows / n + self.rest / (runs * n)

    @property
    def floor_of_runs(self) -> float:
        """The standard error that no number of runs goes below."""
        return math.sqrt(self.rows / self.test_rows)

    def floor_of_rows(self, runs: float) -> float:
        """Return the standard error that no number of rows goes below."""
        return math.sqrt(self.seeds / runs)

    def rows_per_run(self, *, run_cost: float, row_cost: float) -> float:
        """Return how many rows to take for each run of both models.

        Parameters
        ----------
        run_cost : float
            The cost of a run of both models.
        row_cost : float
            The cost of a test row.
        """
        if not (run_cost > 0 and row_cost > 0):
            raise ArgumentError("run_cost", "costs must be above 0")
        return math.sqrt(self.rows * run_cost / (self.seeds * row_cost)) if self.seeds else math.inf

    @property
    def limits(self) -> tuple[float, float]:
        """A difference is at most so many standard errors of two runs."""
        return 0.0, _FAR * math.sqrt(self.variance(2))

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the components and the floor."""
        return {
            "seeds": self.seeds,
            "rows": self.rows,
            "rest": self.rest,
            "test_rows": self.test_rows,
            "se": math.sqrt(self.variance(n)),
            "floor": self.floor_of_runs,
        }

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n runs of each model at a true difference."""
        if n < 2:
            return 0.0
        tail = alpha / 2 if side == "two-sided" else alpha
        away = -effect if side == "less" else effect
        away = abs(away) if side == "two-sided" else away
        of_runs = self.variance(n) - self.rows / self.test_rows
        half = math.hypot(
            float(special.stdtrit(2 * n - 2, tail)) * math.sqrt(of_runs),
            float(special.stdtrit(self.test_rows - 1, tail)) * self.floor_of_runs,
        )
        return float(special.ndtr((away - half) / math.sqrt(self.variance(n))))

    def n_for(self, effect: float, power: float, alpha: float, side: Alternative) -> float:
        """Return the smallest number of runs with a power; refuse what rows alone forbid."""
        most = self.power_at(self.most, effect, alpha, side)
        if most < power:
            raise ArgumentError(
                self.effect,
                f"found {effect:g}, no number of runs reaches power {power:g} with "
                f"{self.test_rows:,.0f} rows: the standard error stays above "
                f"{self.floor_of_runs:.3g}; take more rows",
            )
        return super().n_for(effect, power, alpha, side)


def limits_of_sd(runs: int, sd: float, level: float = 0.95) -> tuple[float, float]:
    """Return limits for the standard deviation of a run's value, by χ² of normal values."""
    df = runs - 1
    low, high = (float(special.chdtri(df, p)) for p in ((1 - level) / 2, (1 + level) / 2))
    return sd * math.sqrt(df / low), sd * math.sqrt(df / high)

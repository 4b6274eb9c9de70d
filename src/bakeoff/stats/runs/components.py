"""Where the variance of recipes comes from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from bakeoff.stats.runs.parts import Parts
from bakeoff.stats.runs.recipe import Recipe

SEEN = 0.95
"""Confidence of the bound for the share of runs that fail."""


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


def limits_of_sd(runs: int, sd: float, level: float = 0.95) -> tuple[float, float]:
    """Return limits for the standard deviation of a run's value, by χ² of normal values."""
    df = runs - 1
    low, high = (float(special.chdtri(df, p)) for p in ((1 - level) / 2, (1 + level) / 2))
    return sd * math.sqrt(df / low), sd * math.sqrt(df / high)

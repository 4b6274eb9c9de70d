"""How many rows a comparison by any metric needs, from a pilot's influence values."""

from __future__ import annotations

import math
from typing import Any

from scipy import special

from bakeoff.stats._checks import check_alternative, check_count, check_level, check_number
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._power import PowerResult, check_positive, check_power
from bakeoff.stats._result import Alternative, Result

_CAUTION = 0.8
"""Probability with which the pilot's upper limit is at least the true standard deviation."""


def row_sd(se: float, df: float, n: int, *, cautious: bool = True) -> float:
    """Return the standard deviation of a row's influence on a difference.

    Parameters
    ----------
    se, df : float
        Standard error of the difference and its degrees of freedom on a pilot's rows; with groups,
        the design effect is in them.
    n : int
        The pilot's rows.
    cautious : bool
        Take the 80 % upper limit sd·√(ν/χ²_{.2, ν}): with the estimate itself half of all plans
        are too small.

    Examples
    --------
    >>> round(row_sd(0.02, 99, 100), 3), row_sd(0.02, 99, 100, cautious=False)
    (0.213, 0.2)
    """
    sd = se * math.sqrt(n)
    return sd * math.sqrt(df / float(special.chdtri(df, _CAUTION))) if cautious else sd


def pilot_sd(pilot: Result, *, cautious: bool = True) -> float:
    """Return that standard deviation of a pilot.

    Parameters
    ----------
    pilot : Result
        Of `metric_difference` or `mean_difference` on the pilot's rows.
    cautious : bool
        As in `row_sd`.

    Raises
    ------
    ValueError
        A pilot without a standard error.
    """
    se = float(pilot.details.get("se", math.nan))
    if not (se > 0 and pilot.df):
        raise ArgumentError(
            "pilot", f"its status is {pilot.status.value}, it has no standard error"
        )
    return row_sd(se, pilot.df, pilot.n, cautious=cautious)


@fill_docstring
def metric_rows_needed(
    pilot: Result | float,
    difference: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    cautious: bool = True,
) -> PowerResult:
    """Return how many rows detect a difference of a metric with a power.

    rows = ((z_{1−α/2} + z_power)·sd/δ)², and the same by the noncentral t distribution.

    Parameters
    ----------
    pilot : Result or float
        A pilot's result (`metric_difference`, `mean_difference`), or the standard deviation of
        the influence differences.
    difference : float
        The true advantage of A over B.
    power, alpha : float
        Wanted probability of rejecting, and level of the test.
    alternative : {"two-sided", "greater", "less"}
        As in the test.
    cautious : bool
        As in `pilot_sd`.

    Returns
    -------
    PowerResult
        `n` is that of the t test, rounded up; ``details`` holds ``n_normal`` and ``n_t`` as they
        are, and ``sd``.

    Examples
    --------
    >>> metric_rows_needed(0.4, 0.05).n
    505.0
    """
    side, sd, delta, level, wanted = _checked(
        pilot, difference, power, alpha, alternative, cautious
    )
    from scipy.optimize import brentq  # slow to import

    size = abs(delta) / sd
    normal = ((_quantile(level, side) + float(special.ndtri(wanted))) / size) ** 2
    low, high = 2.0, max(4.0, 2 * normal + 20)

    def lacking(n: float) -> float:
        return _t_power(n, size, level, side) - wanted

    n_t = low if lacking(low) > 0 else float(brentq(lacking, low, high))
    return _plan(
        math.ceil(n_t), delta, wanted, level, side, {"sd": sd, "n_normal": normal, "n_t": n_t}
    )


@fill_docstring
def metric_detectable_difference(
    pilot: Result | float,
    n: int,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    cautious: bool = True,
) -> PowerResult:
    """Return the difference of a metric that a number of rows detects with a power.

    Parameters
    ----------
    pilot, power, alpha, alternative, cautious
        As in `metric_rows_needed`.
    n : int
        Rows of the test set.

    Returns
    -------
    PowerResult
        `difference` is positive, or negative for ``"less"``.

    Examples
    --------
    >>> round(metric_detectable_difference(0.4, 505).difference, 3)
    0.05
    """
    side, sd, _, level, wanted = _checked(pilot, 1.0, power, alpha, alternative, cautious)
    from scipy.optimize import brentq  # slow to import

    rows = check_count(n, "n", least=2)

    def lacking(size: float) -> float:
        return _t_power(rows, size, level, side) - wanted

    size = float(brentq(lacking, 0.0, 1e3))
    difference = -size * sd if side == "less" else size * sd
    return _plan(rows, difference, wanted, level, side, {"sd": sd})


def _checked(
    pilot: Result | float,
    difference: float,
    power: float,
    alpha: float,
    alternative: str,
    cautious: bool,
) -> tuple[Alternative, float, float, float, float]:
    side = check_alternative(alternative)
    sd = (
        pilot_sd(pilot, cautious=cautious)
        if isinstance(pilot, Result)
        else check_positive(pilot, "pilot")
    )
    delta = check_number(difference, "difference")
    if delta == 0 or not math.isfinite(delta):
        raise ArgumentError("difference", f"found {difference!r}, must not be 0")
    level = check_level(alpha, "alpha")
    return side, sd, delta, level, check_power(power, level)


def _quantile(alpha: float, side: Alternative) -> float:
    return -float(special.ndtri(alpha / 2 if side == "two-sided" else alpha))


def _t_power(n: float, size: float, alpha: float, side: Alternative) -> float:
    from scipy.stats import nct  # slow to import, and the whole package imports this module

    df, shift = n - 1, size * math.sqrt(n)
    critical = -float(special.stdtrit(df, alpha / 2 if side == "two-sided" else alpha))
    return float(nct.sf(critical, df, shift))


def _plan(
    n: float,
    difference: float,
    power: float,
    alpha: float,
    side: Alternative,
    details: dict[str, Any],
) -> PowerResult:
    return PowerResult(
        test="metric_difference",
        variant="t",
        n=float(n),
        difference=difference,
        power=power,
        alpha=alpha,
        alternative=side,
        calculation="normal",
        method="satterthwaite1946",
        details=details,
    )

"""How many groups and rows a test on dependent rows needs, and what difference it can see.

N rows in K groups are worth N/DE independent ones, DE = 1 + (m − 1)·icc for groups of m rows; the
test has about K − 1 degrees of freedom.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from scipy import special

from bakeoff.stats._checks import check_alternative, check_count, check_level, check_number
from bakeoff.stats._cluster_result import too_few_clusters
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._power import PowerResult, check_direction, check_discordance, fewest, smallest
from bakeoff.stats._result import Alternative

__all__ = [
    "clustered_detectable_difference",
    "clustered_power",
    "clustered_sample_size",
    "expected_design_effect",
]

_MOST_GROUPS = 10**7


@fill_docstring
def expected_design_effect(*, rows_per_group: float, icc: float) -> float:
    """Return 1 + (m − 1)·icc, the design effect of groups of m rows.

    Parameters
    ----------
    rows_per_group : float
        m; for uneven groups Σn_k²/N.
    icc : float
        Intraclass correlation of the differences per row, at least 0.

    Returns
    -------
    float
        How many dependent rows count as one.

    Examples
    --------
    >>> expected_design_effect(rows_per_group=12, icc=0.25)
    3.75
    """
    size = check_number(rows_per_group, "rows_per_group")
    correlation = check_number(icc, "icc")
    if not (size >= 1 and math.isfinite(size)):
        raise ArgumentError("rows_per_group", f"found {rows_per_group!r}, must be at least 1")
    if not 0 <= correlation <= 1:
        raise ArgumentError("icc", f"found {icc!r}, must lie between 0 and 1 (a negative one is 0)")
    return 1 + (size - 1) * correlation


@fill_docstring
def clustered_power(
    *,
    n_groups: int,
    rows_per_group: float,
    difference: float,
    discordance: float,
    icc: float | None = None,
    design_effect: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Power of a test on groups of rows (`clustered_mcnemar`).

    Parameters
    ----------
    n_groups : int
        Number of groups K.
    rows_per_group : float
        Rows of a group, on average.
    difference, discordance : float
        acc_A − acc_B, and the probability that exactly one model is right on a row.
    icc, design_effect : float, optional
        Give one: the intraclass correlation of the differences per row, or their design effect,
        for example that of an earlier run.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is more accurate.

    Returns
    -------
    PowerResult
        With `power`; 0 where so few groups could not reach the level at all.

    Notes
    -----
    Non-central t with K − 1 degrees of freedom and δ√(N/DE)/√(ψ − δ²) (Connor 1987 with the
    design effect; Gönen 2004). Uneven groups have fewer degrees of freedom and less power.

    Examples
    --------
    >>> plan = clustered_power(
    ...     n_groups=37, rows_per_group=12, difference=0.06, discordance=0.15, icc=0.1)
    >>> round(plan.power, 2)
    0.6
    """
    situation = _situation(n_groups, rows_per_group, discordance, icc, design_effect, alpha)
    side = check_alternative(alternative)
    check_discordance(discordance, difference)
    return situation.plan(difference, side)


@fill_docstring
def clustered_sample_size(
    *,
    rows_per_group: float,
    difference: float,
    discordance: float,
    icc: float | None = None,
    design_effect: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Return the groups that a test on groups of rows needs for a power.

    Parameters
    ----------
    power : float
        The power to reach.
    rows_per_group, difference, discordance, icc, design_effect, alpha, alternative
        As in `clustered_power`.

    Returns
    -------
    PowerResult
        `details` has ``n_groups``; `n` are its rows.

    Examples
    --------
    >>> plan = clustered_sample_size(
    ...     rows_per_group=12, difference=0.06, discordance=0.15, icc=0.1)
    >>> plan.details["n_groups"]
    58.0
    """
    check_level(power, "power")
    side = check_alternative(alternative)
    check_discordance(discordance, difference)
    check_direction(difference, side)

    def plan_of(groups: int) -> PowerResult:
        found = _situation(groups, rows_per_group, discordance, icc, design_effect, alpha)
        return found.plan(difference, side)

    return plan_of(
        fewest(
            lambda groups: plan_of(groups).power,
            power,
            difference,
            start=8,
            most=_MOST_GROUPS,
            unit="groups",
        )
    )


@fill_docstring
def clustered_detectable_difference(
    *,
    n_groups: int,
    rows_per_group: float,
    discordance: float,
    icc: float | None = None,
    design_effect: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Smallest accuracy difference that a test on groups of rows would find with a power.

    Parameters
    ----------
    power : float
        The power to reach.
    n_groups, rows_per_group, discordance, icc, design_effect, alpha, alternative
        As in `clustered_power`.

    Returns
    -------
    PowerResult
        With `difference`, negative for the alternative ``"less"``; NaN when even a difference
        as large as the discordance does not reach the power.

    Examples
    --------
    >>> plan = clustered_detectable_difference(
    ...     n_groups=37, rows_per_group=12, discordance=0.15, design_effect=2.1)
    >>> round(plan.difference, 3)
    0.075
    """
    check_level(power, "power")
    side = check_alternative(alternative)
    situation = _situation(n_groups, rows_per_group, discordance, icc, design_effect, alpha)
    sign = -1.0 if side == "less" else 1.0

    def plan_of(size: float) -> PowerResult:
        return situation.plan(sign * size, side)

    found = smallest(lambda size: plan_of(size).power, power, discordance)
    if math.isnan(found):
        return dataclasses.replace(plan_of(discordance), difference=math.nan)
    return plan_of(found)


@dataclasses.dataclass(frozen=True)
class _Situation:
    groups: int
    rows: float
    discordance: float
    effect: float
    alpha: float

    def plan(self, difference: float, side: Alternative) -> PowerResult:
        return PowerResult(
            test="clustered_mcnemar",
            variant="sign_flip",
            n=self.rows,
            difference=difference,
            power=self._power(difference, side),
            alpha=self.alpha,
            alternative=side,
            calculation="normal",
            method="gonen2004",
            details={
                "n_groups": float(self.groups),
                "discordance": self.discordance,
                "design_effect": self.effect,
                "n_effective": self.rows / self.effect,
            },
        )

    def _power(self, difference: float, side: Alternative) -> float:
        if too_few_clusters(self.groups, self.alpha):
            return 0.0
        df = float(self.groups - 1)
        variance = self.discordance - difference**2
        if variance <= 0:
            return 1.0
        shift = difference * math.sqrt(self.rows / self.effect / variance)
        upper: Callable[[float], float] = lambda t: 1 - float(special.nctdtr(df, shift, t))  # noqa: E731
        if side == "greater":
            return upper(-float(special.stdtrit(df, self.alpha)))
        if side == "less":
            return float(special.nctdtr(df, shift, float(special.stdtrit(df, self.alpha))))
        critical = -float(special.stdtrit(df, self.alpha / 2))
        return upper(critical) + float(special.nctdtr(df, shift, -critical))


def _situation(
    n_groups: int,
    rows_per_group: float,
    discordance: float,
    icc: float | None,
    design_effect: float | None,
    alpha: float,
) -> _Situation:
    groups = check_count(n_groups, "n_groups", least=1)
    if (icc is None) == (design_effect is None):
        raise ValueError("icc, design_effect: give one of the two")
    check_discordance(discordance)
    if icc is not None:
        effect = expected_design_effect(rows_per_group=rows_per_group, icc=icc)
    else:
        expected_design_effect(rows_per_group=rows_per_group, icc=0.0)
        effect = check_number(design_effect or math.nan, "design_effect")
        if not (effect >= 1 and math.isfinite(effect)):
            raise ArgumentError("design_effect", f"found {design_effect!r}, must be at least 1")
    rows = float(np.rint(groups * rows_per_group))
    return _Situation(groups, rows, discordance, effect, check_level(alpha, "alpha"))

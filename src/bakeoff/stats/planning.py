"""How many rows McNemar's test needs, and what difference it can see.

p10 is the probability that only A is right on a row, p01 that only B is; difference =
p10 − p01, discordance = p10 + p01. Variants are those of `mcnemar`, but for the unconditional.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from bakeoff.stats import _binomial, _mcnemar_kernels
from bakeoff.stats._arithmetic import exp, inner
from bakeoff.stats._checks import (
    FloatArray,
    check_alternative,
    check_choice,
    check_count,
    check_level,
    check_number,
)
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._power import PowerResult, check_direction, check_discordance, fewest, smallest
from bakeoff.stats._result import Alternative

__all__ = [
    "mcnemar_detectable_difference",
    "mcnemar_power",
    "mcnemar_sample_size",
    "smallest_discordant_count",
]

_MOST_ROWS = 10**8
_SETTLED = 20  # power moves in small steps both ways: how many more n must keep it up


@fill_docstring
def mcnemar_power(
    *,
    n: int,
    p10: float | None = None,
    p01: float | None = None,
    difference: float | None = None,
    discordance: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    variant: str = "midp",
    calculation: str = "exact",
) -> PowerResult:
    """Power of McNemar's test.

    Parameters
    ----------
    n : int
        Rows of the test set.
    p10, p01 : float, optional
        Probabilities that only A, only B is right on a row.
    difference, discordance : float, optional
        p10 − p01 and p10 + p01; give these two or the other two.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is more accurate.
    variant : {"midp", "exact", "asymptotic", "corrected"}
        The variant of `mcnemar` that will be used.
    calculation : {"exact", "normal"}
        ``"exact"``: sums the rejection probability of that variant over every n_d ~ Bin(n,
        p10 + p01) and b ~ Bin(n_d, p10/(p10 + p01)); no approximation. ``"normal"``:
        Φ((√n |δ| − z √ψ)/√(ψ − δ²)) with δ the difference and ψ the discordance (Connor 1987),
        which is the same for every variant.

    Returns
    -------
    PowerResult
        With `power`.

    Examples
    --------
    >>> plan = mcnemar_power(n=1000, difference=0.03, discordance=0.10)
    >>> round(plan.power, 3)
    0.857
    """
    n = check_count(n, "n", least=1)
    cells = _cells(p10, p01, difference, discordance)
    side = _check_options(alpha, alternative, variant, calculation)
    power = _power(n, *cells, alpha, side, variant, calculation)
    return _plan(n, cells, power, alpha, side, variant, calculation)


@fill_docstring
def mcnemar_sample_size(
    *,
    power: float = 0.8,
    p10: float | None = None,
    p01: float | None = None,
    difference: float | None = None,
    discordance: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    variant: str = "midp",
    calculation: str = "exact",
) -> PowerResult:
    """Rows that McNemar's test needs for a power.

    Parameters
    ----------
    power : float
        The power to reach.
    p10, p01, difference, discordance, alpha, alternative, variant, calculation
        As in `mcnemar_power`. The exact power moves in small steps both ways: the answer is
        the n that reaches it and keeps it for the next 20 n.

    Returns
    -------
    PowerResult
        With `n` and the `power` it gives.

    Examples
    --------
    >>> mcnemar_sample_size(power=0.8, difference=0.03, discordance=0.10).n
    862
    """
    check_level(power, "power")
    p10, p01 = cells = _cells(p10, p01, difference, discordance)
    side = _check_options(alpha, alternative, variant, calculation)
    check_direction(p10 - p01, side)

    def power_at(n: int) -> float:
        return _power(n, p10, p01, alpha, side, variant, calculation)

    first = fewest(power_at, power, p10 - p01, start=16, most=_MOST_ROWS, unit="rows")
    n = _settled(first, power_at, power)
    return _plan(n, cells, power_at(n), alpha, side, variant, calculation)


@fill_docstring
def mcnemar_detectable_difference(
    *,
    n: int,
    discordance: float,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    variant: str = "midp",
    calculation: str = "exact",
) -> PowerResult:
    """Smallest accuracy difference that McNemar's test would find with a power.

    Parameters
    ----------
    n : int
        Rows of the test set.
    discordance : float
        Probability that exactly one of the models is right on a row.
    power : float
        The power to reach.
    alpha, alternative, variant, calculation
        As in `mcnemar_power`.

    Returns
    -------
    PowerResult
        With `difference`, negative for the alternative ``"less"``; NaN when even a difference
        as large as the discordance does not reach the power.

    Examples
    --------
    >>> plan = mcnemar_detectable_difference(n=1000, discordance=0.10)
    >>> round(plan.difference, 4)
    0.0278
    """
    n = check_count(n, "n", least=1)
    check_level(power, "power")
    side = _check_options(alpha, alternative, variant, calculation)
    sign = -1.0 if side == "less" else 1.0
    check_discordance(discordance)

    def cells(size: float) -> tuple[float, float]:
        return (discordance + sign * size) / 2, (discordance - sign * size) / 2

    def power_at(size: float) -> float:
        return _power(n, *cells(size), alpha, side, variant, calculation)

    found = smallest(power_at, power, discordance)
    none = math.isnan(found)
    reached = power_at(discordance if none else found)
    apart = discordance if none else None
    return _plan(n, cells(found), reached, alpha, side, variant, calculation, apart)


@fill_docstring
def smallest_discordant_count(
    *, alpha: float = 0.05, alternative: str = "two-sided", variant: str = "midp"
) -> int:
    """Return the smallest n_d with which McNemar's test can reach a level at all.

    Fewer discordant pairs cannot give p ≤ alpha even if one model wins all of them.

    Parameters
    ----------
    alpha : float
        The level.
    alternative : {"two-sided", "greater", "less"}
        As in `mcnemar`.
    variant : {"midp", "exact", "asymptotic", "corrected"}
        As in `mcnemar`.

    Returns
    -------
    int
        The number of discordant pairs.

    Examples
    --------
    >>> smallest_discordant_count(), smallest_discordant_count(variant="exact")
    (5, 6)
    """
    side = _check_options(alpha, alternative, variant, "exact")
    n_d = np.arange(1, 10_000)  # 10,000 wins in a row underflow every alpha
    b, c = (np.zeros_like(n_d), n_d) if side == "less" else (n_d, np.zeros_like(n_d))
    p = _mcnemar_kernels.pvalue(variant, b, c, side)
    return int(n_d[np.argmax(p <= alpha)])


def _check_options(alpha: float, alternative: str, variant: str, calculation: str) -> Alternative:
    check_level(alpha, "alpha")
    check_choice(variant, _mcnemar_kernels.VARIANTS, "variant")
    check_choice(calculation, ("exact", "normal"), "calculation")
    return check_alternative(alternative)


def _cells(
    p10: float | None, p01: float | None, difference: float | None, discordance: float | None
) -> tuple[float, float]:
    """Return p10 and p01 from either way of giving them."""
    by_cell = p10 is not None and p01 is not None
    by_difference = difference is not None and discordance is not None
    options = {"p10": p10, "p01": p01, "difference": difference, "discordance": discordance}
    given = [check_number(value, name) for name, value in options.items() if value is not None]
    if len(given) != 2 or not (by_cell or by_difference):
        raise ValueError("give either p10 and p01, or difference and discordance")
    if difference is not None and discordance is not None:
        check_discordance(discordance, difference)
        return (discordance + difference) / 2, (discordance - difference) / 2
    assert p10 is not None
    assert p01 is not None
    if not (p10 >= 0 and p01 >= 0 and 0 < p10 + p01 <= 1):
        raise ValueError(
            f"p10, p01: found {p10!r} and {p01!r}, must be >= 0 with a sum above 0 and at most 1"
        )
    return p10, p01


def _power(
    n: int,
    p10: float,
    p01: float,
    alpha: float,
    side: Alternative,
    variant: str,
    calculation: str,
) -> float:
    if side == "less":
        p10, p01, side = p01, p10, "greater"
    if calculation == "normal":
        return _normal_power(n, p10, p01, alpha, side)
    psi = min(p10 + p01, 1.0)
    reach = 9 * math.sqrt(n * psi * (1 - psi)) + 20  # what lies beyond is below 1e-16
    first, last = max(0, math.floor(n * psi - reach)), min(n, math.ceil(n * psi + reach))
    n_d = np.arange(first, last + 1, dtype=np.float64)
    weights = exp(_binomial.log_pmf(n_d, n, psi))
    critical = _critical(n_d, alpha, side, variant)
    share = p10 / (p10 + p01)
    rejected = _binomial.upper_tail(critical, n_d, share)
    if side == "two-sided":
        rejected = rejected + _binomial.lower_tail(n_d - critical, n_d, share)
    return min(1.0, inner(weights, rejected))


def _critical(n_d: FloatArray, alpha: float, side: Alternative, variant: str) -> FloatArray:
    """Smallest b (at least n_d/2 when two-sided) with p ≤ alpha; n_d + 1 where there is none."""
    low = np.floor(n_d / 2) if side == "two-sided" else np.full_like(n_d, -1.0)
    high = n_d + 1  # rejects at high, or there is no such b; not at low
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        rejects = _mcnemar_kernels.pvalue(variant, middle, n_d - middle, side) <= alpha
        open_ = high - low > 1
        high = np.where(open_ & rejects, middle, high)
        low = np.where(open_ & ~rejects, middle, low)
    return high


def _normal_power(n: int, p10: float, p01: float, alpha: float, side: Alternative) -> float:
    psi, delta = p10 + p01, p10 - p01
    if side == "two-sided":
        alpha, delta = alpha / 2, abs(delta)
    surplus = math.sqrt(n) * delta + float(special.ndtri(alpha)) * math.sqrt(psi)
    spread = math.sqrt(max(psi - delta**2, 0.0))
    if spread == 0:  # every row is won by one model
        return float(surplus >= 0)
    return float(special.ndtr(surplus / spread))


def _settled(n: int, power_at: Callable[[int], float], power: float) -> int:
    """First n from which the power stays up for the next `_SETTLED` n."""
    candidate, following = n, n
    while following - candidate < _SETTLED:
        following += 1
        if power_at(following) < power:
            candidate = following + 1
    return candidate


def _plan(
    n: int,
    cells: tuple[float, float],
    power: float,
    alpha: float,
    side: Alternative,
    variant: str,
    calculation: str,
    discordance: float | None = None,
) -> PowerResult:
    p10, p01 = cells
    return PowerResult(
        test="mcnemar",
        variant=variant,
        n=n,
        difference=p10 - p01,
        power=power,
        alpha=alpha,
        alternative=side,
        calculation=calculation,
        method="connor1987" if calculation == "normal" else "fagerland2013",
        details={
            "p10": p10,
            "p01": p01,
            "discordance": p10 + p01 if discordance is None else discordance,
        },
    )

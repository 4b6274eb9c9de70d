"""How many rows show that two accuracies are equal, or that one is not worse, within a margin.

"Not worse" is shown by the exact melded limit, as a gate decides on a release (`accuracy_limits`).
Equality is shown as `tost_paired` shows it: by Tango's score statistic at −margin and at +margin.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from bakeoff.stats import _binomial
from bakeoff.stats._arithmetic import exp, inner
from bakeoff.stats._checks import FloatArray, check_count, check_flag, check_level, check_number
from bakeoff.stats._difference_limits import melded_pvalue, tango_statistic
from bakeoff.stats._equivalence import check_alpha
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._power import PowerResult, check_discordance, fewest

__all__ = ["margin_power", "margin_sample_size"]

_MOST_ROWS = 10**8
_NODES = 65
"""Numbers of discordant rows, at most, for which a melded limit is inverted."""
_HALVINGS = 30


def margin_power(
    *,
    n: int,
    margin: float,
    discordance: float,
    difference: float = 0.0,
    both_sides: bool = False,
    alpha: float = 0.05,
) -> PowerResult:
    """Power to show that A is not worse than B by a margin, or that both are equal within it.

    Parameters
    ----------
    n : int
        Rows of the test set.
    margin : float
        The largest accuracy difference that does not matter, between 0 and 1.
    discordance : float
        Probability that exactly one of the models is right on a row.
    difference : float
        The true acc_A − acc_B.
    both_sides : bool
        Equality within the margin (two one-sided tests) instead of non-inferiority of A.
    alpha : float
        Level of each one-sided test, below 0.5.

    Returns
    -------
    PowerResult
        Exact: the sum of the rejection probability over every number of discordant rows, for the
        rule of `accuracy_limits` and `decide_release`, or with `both_sides` that of `tost_paired`.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> round(margin_power(n=1500, margin=0.02, discordance=0.1).power, 3)
    0.763
    """
    rows = check_count(n, "n", least=1)
    gap, psi = check_level(margin, "margin"), check_discordance(discordance, difference)
    level, sides = check_alpha(alpha), check_flag(both_sides, "both_sides")
    power = _power(rows, gap, psi, difference, sides, level)
    return _result(rows, gap, psi, difference, sides, level, power)


def margin_sample_size(
    *,
    margin: float,
    discordance: float,
    difference: float = 0.0,
    both_sides: bool = False,
    power: float = 0.8,
    alpha: float = 0.05,
) -> PowerResult:
    """Rows that show that A is not worse than B by a margin, or that both are equal within it.

    Parameters
    ----------
    power : float
        The power to reach.
    margin, discordance, difference, both_sides, alpha
        As in `margin_power`.

    Returns
    -------
    PowerResult
        With `n` and the power it gives; it moves in small steps both ways as n grows.

    Raises
    ------
    ValueError
        As `margin_power`; also where the difference is beyond the margin.

    Examples
    --------
    >>> int(margin_sample_size(margin=0.02, discordance=0.1).n)
    1647
    """
    gap, psi = check_level(margin, "margin"), check_discordance(discordance, difference)
    level, sides = check_alpha(alpha), check_flag(both_sides, "both_sides")
    wanted = check_level(power, "power")
    if difference <= -gap or (sides and difference >= gap):
        raise ArgumentError(
            "difference", f"found {difference:g}, is beyond the margin {gap:g}: no rows show it"
        )

    def power_at(n: int) -> float:
        return _power(n, gap, psi, difference, sides, level)

    n = fewest(power_at, wanted, difference, start=16, most=_MOST_ROWS, unit="rows")
    return _result(n, gap, psi, difference, sides, level, power_at(n))


def _power(
    n: int, margin: float, psi: float, difference: float, both_sides: bool, alpha: float
) -> float:
    reach = 9 * math.sqrt(n * psi * (1 - psi)) + 20  # what lies beyond is below 1e-16
    first, last = max(0, math.floor(n * psi - reach)), min(n, math.ceil(n * psi + reach))
    n_d = np.arange(first, last + 1, dtype=np.float64)
    weights = exp(_binomial.log_pmf(n_d, n, psi))
    share = (psi + check_number(difference, "difference")) / (2 * psi)
    fewest_wins = (_by_score if both_sides else _by_melded_limit)(n_d, n, margin, alpha)
    shown = _binomial.upper_tail(fewest_wins, n_d, share)
    if both_sides:  # as few losses show the other side
        too_many = _binomial.upper_tail(n_d - fewest_wins + 1, n_d, share)
        shown = np.maximum(shown - too_many, 0.0)
    return min(1.0, inner(weights, shown))


def _by_score(n_d: FloatArray, n: int, margin: float, alpha: float) -> FloatArray:
    """Return the fewest wins whose score statistic is significant; n_d + 1 where none are."""
    quantile = -float(special.ndtri(alpha))
    low, high = np.full_like(n_d, -1.0), n_d + 1
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        shows = tango_statistic(middle, n_d - middle, n, -margin) > quantile
        open_ = high - low > 1
        high = np.where(open_ & shows, middle, high)
        low = np.where(open_ & ~shows, middle, low)
    return high


def _by_melded_limit(n_d: FloatArray, n: int, margin: float, alpha: float) -> FloatArray:
    """Return the fewest wins whose lower melded limit is above −margin; n_d + 1 where none are.

    The limit is a smooth function of wins and n_d, each also between whole numbers: of many n_d
    some are enough.
    """
    at = n_d if len(n_d) <= _NODES else np.linspace(n_d[0], n_d[-1], _NODES)
    low, high = np.zeros_like(at), at.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        shows = melded_pvalue(middle, at - middle, n, -margin) < alpha
        low, high = np.where(shows, low, middle), np.where(shows, middle, high)
    most_without = np.where(melded_pvalue(at, 0 * at, n, -margin) < alpha, low, at)
    most_without[melded_pvalue(0 * at, at, n, -margin) < alpha] = -1.0
    return np.floor(np.interp(n_d, at, most_without)) + 1


def _result(
    n: int,
    margin: float,
    psi: float,
    difference: float,
    both_sides: bool,
    alpha: float,
    power: float,
) -> PowerResult:
    return PowerResult(
        test="tost_paired" if both_sides else "noninferiority",
        variant="score" if both_sides else "exact_melded",
        n=n,
        difference=difference,
        power=power,
        alpha=alpha,
        alternative="two-sided" if both_sides else "greater",
        calculation="exact",
        method="liu2002" if both_sides else "fay2021",
        details={"margin": margin, "discordance": psi},
    )

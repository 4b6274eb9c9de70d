"""What the half-sample t test can find, from its standard error.

With M halvings the test statistic at a true difference δ is noncentral t with M degrees of freedom
and noncentrality δ/√V. V is the data's, so only more rows lower it; more halvings add degrees of
freedom, which ends to matter at about twenty.
"""

from __future__ import annotations

import math

from scipy import special

from bakeoff.stats._checks import check_alternative, check_count, check_level, check_number
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._power import PowerResult, check_positive, check_power
from bakeoff.stats._result import Alternative

__all__ = ["half_sample_detectable_difference", "half_sample_power", "half_sample_repeats"]


@fill_docstring
def half_sample_power(
    *,
    difference: float,
    se: float,
    repeats: int = 20,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Power of the half-sample t test at a true difference.

    Parameters
    ----------
    difference : float
        The true advantage of A over B, in the unit of the scores.
    se : float
        Standard error √V of the test, from a pilot run. It falls with the root of the rows: for
        r times the rows give se/√r.
    repeats : int
        Number of halvings, M.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.

    Returns
    -------
    PowerResult
        With `power`.

    Examples
    --------
    >>> round(half_sample_power(difference=0.03, se=0.01).power, 3)
    0.814
    """
    side, size = _checked(se, repeats, alpha, alternative)
    effect = check_number(difference, "difference") / size
    return _plan(difference, size, repeats, alpha, side, _power(effect, repeats, alpha, side))


@fill_docstring
def half_sample_detectable_difference(
    *,
    se: float,
    power: float = 0.8,
    repeats: int = 20,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Smallest difference that the half-sample t test finds with a power.

    Parameters
    ----------
    se, repeats, alpha, alternative
        As in `half_sample_power`.
    power : float
        The power to reach.

    Returns
    -------
    PowerResult
        With `difference`, negative for ``"less"``.

    Examples
    --------
    >>> round(half_sample_detectable_difference(se=0.01).difference, 4)
    0.0295
    """
    from scipy.optimize import brentq  # slow to import

    side, size = _checked(se, repeats, alpha, alternative)
    wanted = check_power(power, alpha)
    sign = -1.0 if side == "less" else 1.0
    effect = brentq(lambda e: _power(sign * e, repeats, alpha, side) - wanted, 0.0, 1e3)
    return _plan(sign * effect * size, size, repeats, alpha, side, wanted)


@fill_docstring
def half_sample_repeats(*, difference: float, se: float, power: float = 0.8) -> int | None:
    """Return the fewest halvings with which the test has a power, two-sided at .05.

    Parameters
    ----------
    difference, se
        As in `half_sample_power`.
    power : float
        The power to reach.

    Returns
    -------
    int or None
        None where 200 halvings do not suffice: only more rows would.

    Examples
    --------
    >>> half_sample_repeats(difference=0.035, se=0.01)
    6
    >>> half_sample_repeats(difference=0.01, se=0.01) is None
    True
    """
    wanted = check_level(power, "power")
    powers = (
        (m, half_sample_power(difference=difference, se=se, repeats=m).power) for m in range(2, 201)
    )
    return next((m for m, found in powers if found >= wanted), None)


def _checked(se: float, repeats: int, alpha: float, alternative: str) -> tuple[Alternative, float]:
    check_count(repeats, "repeats", least=1)
    check_level(alpha, "alpha")
    return check_alternative(alternative), check_positive(se, "se")


def _power(effect: float, df: int, alpha: float, side: Alternative) -> float:
    """P(t beyond its critical value) for noncentral t; the noncentrality is the effect."""
    if side == "less":
        effect, side = -effect, "greater"
    critical = float(special.stdtrit(df, 1 - alpha / (2 if side == "two-sided" else 1)))
    above = 1 - float(special.nctdtr(df, effect, critical))
    below = float(special.nctdtr(df, effect, -critical)) if side == "two-sided" else 0.0
    return min(1.0, above + below)


def _plan(
    difference: float, se: float, repeats: int, alpha: float, side: Alternative, power: float
) -> PowerResult:
    return PowerResult(
        test="half_sample_t",
        variant="full",
        n=math.nan,
        difference=difference,
        power=power,
        alpha=alpha,
        alternative=side,
        calculation="exact",
        method="mccarthy1969",
        details={"se": se, "repeats": repeats},
    )

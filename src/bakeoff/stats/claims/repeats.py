"""What two published means ± standard deviations over the same folds or seeds can be worth.

The paired t test needs the standard deviation of the differences, s_d² = s_A² + s_B² − 2 r s_A s_B,
and the correlation r of the two models over folds or seeds is not published. The p-value falls as r
rises, so that the ends of r give its exact range.
"""

from __future__ import annotations

import dataclasses
import math
from decimal import Decimal, InvalidOperation
from typing import Annotated

from annotated_types import Ge
from scipy import special

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.tails import t_pvalue

__all__ = ["RepeatsClaim", "repeats_claim"]


@dataclasses.dataclass(frozen=True)
class RepeatsClaim:
    """What two printed means and standard deviations allow.

    Attributes
    ----------
    difference : tuple of float
        Smallest and largest mean of A less that of B, by the rounding.
    pvalue : tuple of float
        Smallest and largest over all correlations and roundings, and over both divisors of a
        standard deviation, J and J − 1.
    pvalue_uncorrelated : float
        At the printed numbers, where the models do not vary together.
    correlation_needed : float
        The least correlation at which the printed numbers are significant; −1 where all are, NaN
        where none is.
    df : int
        Degrees of freedom, J − 1.
    """

    difference: tuple[float, float]
    pvalue: tuple[float, float]
    pvalue_uncorrelated: float
    correlation_needed: float
    df: int


@checked
def repeats_claim(
    mean_a: str | float,
    sd_a: str | float,
    mean_b: str | float,
    sd_b: str | float,
    *,
    repeats: Annotated[int, Ge(2)],
    folds: Annotated[int, Ge(2)] | None = None,
    alpha: Level = 0.05,
) -> RepeatsClaim:
    """Return what two printed means ± standard deviations over J folds or seeds can be worth.

    Parameters
    ----------
    mean_a, sd_a, mean_b, sd_b : str or float
        As printed: ``"0.870"`` says more than ``"0.87"``.
    repeats : int
        The number of scores of each model, J: seeds, or all folds of all repetitions.
    folds : int, optional
        For scores of (repeated) k-fold cross-validation: k. The variance is then that of Nadeau
        and Bengio (2003), 1/J + 1/(k − 1), because the folds share training rows.
    alpha : float
        The level for `correlation_needed`.

    Returns
    -------
    RepeatsClaim

    Notes
    -----
    The t statistic is (mean_A − mean_B)/(s_d √(1/J + q)), with q = 0 over seeds. Over seeds the
    result is about other seeds on the same test rows; it says nothing about other rows.

    Examples
    --------
    >>> claim = repeats_claim("0.87", "0.02", "0.85", "0.02", repeats=10)
    >>> [f"{p:.3f}" for p in claim.pvalue], f"{claim.correlation_needed:.2f}"
    (['0.000', '0.563'], '0.02')
    """
    given = {"mean_a": mean_a, "sd_a": sd_a, "mean_b": mean_b, "sd_b": sd_b}
    a, s, b, u = (_Printed.of(number, name) for name, number in given.items())
    for name, sd in (("sd_a", s), ("sd_b", u)):
        if sd.value < 0:
            raise ArgumentError(name, f"found {given[name]!r}, must be at least 0")
    factor = math.sqrt(1 / repeats + (0 if folds is None else 1 / (folds - 1)))
    df, divisor = repeats - 1, math.sqrt(repeats / (repeats - 1))

    def pvalue(difference: float, spread: float) -> float:
        if difference == 0:
            return 1.0
        return 0.0 if spread == 0 else t_pvalue(difference / (spread * factor), df, "two-sided")

    low, high = a.low - b.high, a.high - b.low
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    narrowest = max(0.0, s.low - u.high * divisor, u.low - s.high * divisor)
    printed, together = a.value - b.value, math.hypot(s.value, u.value)
    critical = abs(printed) / (float(special.stdtrit(df, 1 - alpha / 2)) * factor)
    return RepeatsClaim(
        (low, high),
        (
            pvalue(max(abs(low), abs(high)), narrowest),
            pvalue(nearest, (s.high + u.high) * divisor),
        ),
        pvalue(printed, together),
        _correlation(s.value, u.value, critical),
        df,
    )


def _correlation(s: float, u: float, most: float) -> float:
    """Return the least correlation at which the differences spread by no more than `most`."""
    if most == 0 or abs(s - u) > most:
        return math.nan
    if s + u <= most:
        return -1.0
    return (s**2 + u**2 - most**2) / (2 * s * u)


@dataclasses.dataclass(frozen=True)
class _Printed:
    """A number as it was printed, with the ends of what rounds to it."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, number: str | float, name: str) -> _Printed:
        text = str(number).strip()
        scale = 100 if text.endswith("%") else 1
        try:
            value = Decimal(text.removesuffix("%").strip())
            exponent = value.as_tuple().exponent
            if not isinstance(exponent, int):
                raise InvalidOperation
        except InvalidOperation:
            raise ArgumentError(name, f"found {number!r}, expected a number like 0.87") from None
        half = Decimal(5).scaleb(min(exponent, 0) - 1)
        ends = value, max(value - half, Decimal(0)) if name.startswith("sd") else value - half
        return cls(*(float(one / scale) for one in (*ends, value + half)))

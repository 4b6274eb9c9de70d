"""What a published comparison can be worth: every table of counts that its rounded numbers allow.

Two accuracies on the same n rows fix how many more rows A is right on, d = b − c, up to rounding;
they do not fix on how many rows just one of them is right, n_d = b + c. McNemar's p-value, Tango's
interval and the posterior depend on d and n_d alone, and for a given d they are monotone in n_d:
the ends of n_d for each d give the exact range over all tables.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from scipy import special

from bakeoff.stats.core import mcnemar_kernels
from bakeoff.stats.core.arguments import Level, PositiveFloat, check_count, checked
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import ConfidenceInterval
from bakeoff.stats.planning import McNemarPower
from bakeoff.stats.rows.mcnemar import difference_bounds

__all__ = ["Claim", "ClaimedTable", "Rounded", "accuracy_claim"]

_MOST_ROWS = 10**8


@dataclasses.dataclass(frozen=True)
class Rounded:
    """A share as it was printed.

    Attributes
    ----------
    value : Decimal
        The number, between 0 and 1.
    digits : int
        Its digits behind the point.
    """

    value: Decimal
    digits: int

    @classmethod
    def of(cls, number: str | float, name: str = "number", digits: int | None = None) -> Rounded:
        """Read a number as it is written: ``"0.870"`` has three digits, ``"87.0 %"`` too.

        Raises
        ------
        ValueError
            No number, one outside [0, 1], or one with more digits than `digits`.
        """
        text = str(number).strip()
        percent = text.endswith("%")
        try:
            value = Decimal(text.removesuffix("%").strip()).normalize() / (100 if percent else 1)
            found = max(-Decimal(text.removesuffix("%").strip()).as_tuple().exponent, 0)  # type: ignore[operator]
        except (InvalidOperation, TypeError):
            raise ArgumentError(name, f"found {number!r}, expected a share like 0.87") from None
        if not 0 <= value <= 1:
            hint = f"; for per cent write {text}%" if 1 < value <= 100 else ""
            raise ArgumentError(name, f"found {number!r}, must lie between 0 and 1{hint}")
        found += 2 * percent
        if digits is not None and round(value, check_count(digits, "digits")) != value:
            raise ArgumentError("digits", f"found {digits}, but {name} is {number}")
        return cls(value, found if digits is None else digits)

    def counts(self, n: int) -> range:
        """Return the whole numbers k for which k/n is printed like this; a tie goes either way."""
        scale = 10**self.digits
        printed = int(self.value * scale)
        low = -((n - 2 * printed * n) // (2 * scale))
        high = (2 * printed * n + n) // (2 * scale)
        return range(max(low, 0), min(high, n) + 1)

    def nearest(self, n: int) -> tuple[int, int]:
        """Return the whole numbers k around n times the share."""
        exact = self.value * n
        return math.floor(exact), min(math.ceil(exact), n)


@dataclasses.dataclass(frozen=True)
class ClaimedTable:
    """One table that the numbers allow, and what it would show.

    Attributes
    ----------
    only_a_correct, only_b_correct : int
        Rows on which just one model is right.
    pvalue : float
        Of McNemar's test, two-sided.
    p_false : float
        Posterior probability that A is not better than B.
    ci : ConfidenceInterval
        Tango's interval of acc_A − acc_B.
    rows_needed : int or None
        Rows that find the printed difference with the wanted power, when models disagree as here
        (Connor 1987); None where the printed numbers are equal.
    """

    only_a_correct: int
    only_b_correct: int
    pvalue: float
    p_false: float
    ci: ConfidenceInterval
    rows_needed: int | None

    @property
    def discordant(self) -> int:
        """Rows on which just one model is right."""
        return self.only_a_correct + self.only_b_correct


@dataclasses.dataclass(frozen=True)
class Claim:
    """What two printed accuracies on the same rows allow.

    Attributes
    ----------
    n : int
        Rows of the test set.
    impossible : Mapping of str to tuple of int
        The printed numbers that no whole number of rows gives, with the numbers of rows around
        them; ``agree`` also where the models would have to agree on more rows than they can.
    right_a, right_b : tuple of int
        Fewest and most right rows.
    tables : Mapping of str to ClaimedTable
        ``best`` and ``worst`` for the claim that A is better, of the smallest and the largest
        `p_false` among all tables; ``independent``: the table of models whose errors are
        independent, where nothing is said of their agreement. Empty for impossible numbers.
    pvalue, p_false : tuple of float
        Smallest and largest over all tables.
    ci : tuple of float
        Hull of the intervals of all tables.
    most_discordant : int or None
        Rows on which just one model may be right, at most, for the printed difference to be
        significant at `alpha`; None where it never is.
    """

    n: int
    impossible: Mapping[str, tuple[int, int]]
    right_a: tuple[int, int] = (0, 0)
    right_b: tuple[int, int] = (0, 0)
    tables: Mapping[str, ClaimedTable] = dataclasses.field(default_factory=dict)
    pvalue: tuple[float, float] = (math.nan, math.nan)
    p_false: tuple[float, float] = (math.nan, math.nan)
    ci: tuple[float, float] = (math.nan, math.nan)
    most_discordant: int | None = None


@checked
def accuracy_claim(
    accuracy_a: str | float | Rounded,
    accuracy_b: str | float | Rounded,
    *,
    n: Annotated[int, Ge(1), Le(_MOST_ROWS)],
    agree: str | float | Rounded | None = None,
    variant: mcnemar_kernels.Variant = "midp",
    confidence_level: Level = 0.95,
    alpha: Level = 0.05,
    power: Level = 0.8,
    prior: PositiveFloat = 1.0,
) -> Claim:
    """Return what two printed accuracies on the same n rows can be worth.

    Parameters
    ----------
    accuracy_a, accuracy_b : str, float or Rounded
        As printed: ``"0.870"`` is not ``"0.87"``.
    n : int
        Rows of the test set, up to 10⁸.
    agree : str, float or Rounded, optional
        Share of rows on which both are right or both are wrong.
    variant : {"midp", "exact", "asymptotic", "corrected"}
        Of McNemar's test.
    confidence_level : float
        Of the intervals.
    alpha, power : float
        Level of the test, and the power for which `rows_needed` plans.
    prior : float
        Parameter of the Dirichlet prior of each of the four cells; 1 is uniform (Christodoulou et
        al. 2025), ½ Jeffreys'.

    Returns
    -------
    Claim
        With the exact range of p-values, posteriors and intervals over all tables.

    Notes
    -----
    It holds for one test set with one prediction per row and independent rows; means over folds or
    seeds are no whole numbers of rows. The posterior P(p_A ≤ p_B) = P(Beta(b + prior, c + prior) ≤
    ½) takes A and B for equally likely to be the better one before the data were seen.

    Examples
    --------
    >>> claim = accuracy_claim("0.87", "0.85", n=500)
    >>> [f"{p:.3f}" for p in claim.pvalue]
    ['0.000', '0.614']
    >>> [f"{p:.3f}" for p in accuracy_claim("0.87", "0.85", n=500, agree="0.90").pvalue]
    ['0.044', '0.410']
    >>> accuracy_claim("0.873", "0.85", n=60).impossible
    {'a': (52, 53)}
    """
    given = {"a": accuracy_a, "b": accuracy_b} | ({} if agree is None else {"agree": agree})
    read = {k: v if isinstance(v, Rounded) else Rounded.of(v, k) for k, v in given.items()}
    counts = {name: number.counts(n) for name, number in read.items()}
    impossible = {name: read[name].nearest(n) for name, found in counts.items() if not found}
    if impossible:
        return Claim(n, impossible)
    right_a, right_b = counts["a"], counts["b"]
    known: dict[str, Any] = {
        "right_a": (right_a[0], right_a[-1]),
        "right_b": (right_b[0], right_b[-1]),
    }
    d, least, most = _discordance(n, right_a, right_b, counts.get("agree"))
    if not len(d):
        return Claim(n, {"agree": read["agree"].nearest(n)}, **known)
    printed = float(read["a"].value - read["b"].value)

    ends_d, ends_n = np.concatenate([d, d]), np.concatenate([least, most])
    b, c = (ends_n + ends_d) / 2, (ends_n - ends_d) / 2
    pvalues = mcnemar_kernels.pvalue(variant, b, c, "two-sided")
    false = special.betainc(b + prior, c + prior, 0.5)
    low, high = _limits(b, c, n, confidence_level)

    def table(only_a: float, only_b: float) -> ClaimedTable:
        x, y = np.asarray(only_a, dtype=float), np.asarray(only_b, dtype=float)
        lower, upper = _limits(x, y, n, confidence_level)
        return ClaimedTable(
            int(only_a),
            int(only_b),
            float(mcnemar_kernels.pvalue(variant, x, y, "two-sided")),
            float(special.betainc(x + prior, y + prior, 0.5)),
            ConfidenceInterval(float(lower), float(upper), confidence_level, "tango"),
            _rows_needed(printed, (only_a + only_b) / n, alpha, power),
        )

    order = np.lexsort((ends_n, -ends_d, false))
    best, worst = order[0], order[-1]
    tables = {"best": table(b[best], c[best])}
    if agree is None:
        tables["independent"] = table(*_independent(read["a"], read["b"], n, d, least, most))
    tables["worst"] = table(b[worst], c[worst])
    return Claim(
        n,
        {},
        **known,
        tables=tables,
        pvalue=(float(pvalues.min()), float(pvalues.max())),
        p_false=(float(false.min()), float(false.max())),
        ci=(float(low.min()), float(high.max())),
        most_discordant=_most_discordant(_central(printed, n, d), n, alpha, variant),
    )


def _discordance(
    n: int, right_a: range, right_b: range, agreed: range | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return every possible d = b − c with the fewest and the most discordant rows it allows."""
    d = np.arange(right_a[0] - right_b[-1], right_a[-1] - right_b[0] + 1, dtype=np.int64)
    # A's right rows that allow a d; of the sums s of right rows that nearest to n leaves most room
    low = np.maximum(right_a[0], right_b[0] + d)
    high = np.minimum(right_a[-1], right_b[-1] + d)
    s = 2 * np.clip((n + d) // 2, low, high) - d
    least, most = np.abs(d), np.minimum(s, 2 * n - s)
    if agreed is not None:
        fewest, largest = n - agreed[-1], n - agreed[0]
        least = np.maximum(least, fewest + (fewest - d) % 2)  # n_d is odd or even as d is
        most = np.minimum(most, largest - (largest - d) % 2)
    kept = least <= most
    return d[kept].astype(float), least[kept].astype(float), most[kept].astype(float)


def _independent(
    a: Rounded, b: Rounded, n: int, d: FloatArray, least: FloatArray, most: FloatArray
) -> tuple[float, float]:
    """Return the discordant rows of models whose errors are independent, nearest to the numbers."""
    p, q = float(a.value), float(b.value)
    at = int(np.flatnonzero(d == _central(p - q, n, d))[0])
    expected = n * (p * (1 - q) + q * (1 - p))
    steps = np.rint((np.clip(expected, least[at], most[at]) - least[at]) / 2)
    n_d = min(least[at] + 2 * steps, most[at])
    return float(n_d + d[at]) / 2, float(n_d - d[at]) / 2


def _central(difference: float, n: int, d: FloatArray) -> float:
    """Return the d that is nearest to the printed difference."""
    return float(d[np.abs(d - n * difference).argmin()])


def _most_discordant(d: float, n: int, alpha: float, variant: str) -> int | None:
    """Return the largest n_d of a d that is significant: p rises with it."""

    def significant(n_d: float) -> bool:
        b, c = (n_d + d) / 2, (n_d - d) / 2
        return float(mcnemar_kernels.pvalue(variant, b, c, "two-sided")) <= alpha

    low, high = 0, int(n - abs(d)) // 2 + 1
    if not significant(abs(d)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if significant(abs(d) + 2 * middle) else (low, middle)
    return int(abs(d)) + 2 * low


def _limits(
    b: FloatArray, c: FloatArray, n: int, confidence_level: Level
) -> tuple[FloatArray, FloatArray]:
    rest = n - b - c
    return difference_bounds(
        rest, b, c, np.zeros_like(rest), method="tango", confidence_level=confidence_level
    )


def _rows_needed(difference: float, discordance: float, alpha: float, power: float) -> int | None:
    if difference == 0:
        return None
    discordance = min(max(discordance, abs(difference)), 1.0)
    test = McNemarPower(discordance=discordance, calculation="normal")
    return int(test.solve(difference=difference, power=power, alpha=alpha).n)

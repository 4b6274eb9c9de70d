"""What published F1 scores and areas under the curve allow: less than accuracies do.

The rows behind an F1 score are not fixed by it, and an area's standard error wants an assumption;
how two models go together, which a paired test needs, neither tells.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from scipy import special

from bakeoff.stats.claims.accuracy import Rounded
from bakeoff.stats.core.arguments import Count, Level, PositiveInt, checked

__all__ = ["AreaClaim", "F1Claim", "area_claim", "f1_claim"]

_MOST_POSITIVES = 10**7


@dataclasses.dataclass(frozen=True)
class F1Claim:
    """The tables of predictions that a printed F1 score allows.

    Attributes
    ----------
    possible : bool
        Whether there is one.
    sensitivity, precision, accuracy : tuple of float
        Smallest and largest among them; NaN where there is none.
    """

    possible: bool
    sensitivity: tuple[float, float]
    precision: tuple[float, float]
    accuracy: tuple[float, float]


@dataclasses.dataclass(frozen=True)
class AreaClaim:
    """What two printed areas under the ROC curve on the same rows allow.

    Attributes
    ----------
    impossible : tuple of str
        ``a``, ``b``: the areas that no ranking of these rows has.
    se_a, se_b : float
        Hanley and McNeil's (1982) standard errors.
    pvalue_unpaired : float
        Two-sided, as if the areas came from different rows: correlation 0.
    correlation_needed : float
        Correlation of the two estimates above which the difference is significant; 0 where it is
        without any, NaN where none suffices (equal areas).
    """

    impossible: tuple[str, ...]
    se_a: float
    se_b: float
    pvalue_unpaired: float
    correlation_needed: float


@checked
def f1_claim(
    f1: str | float | Rounded,
    *,
    positives: Annotated[int, Ge(1), Le(_MOST_POSITIVES)],
    negatives: Count,
) -> F1Claim:
    """Return what a printed F1 score on these rows allows, by all tables of predictions.

    Parameters
    ----------
    f1 : str, float or Rounded
        As printed.
    positives, negatives : int
        Rows of the positive class, up to 10⁷, and the others.

    Returns
    -------
    F1Claim
        With the ranges of sensitivity, precision and accuracy.

    Examples
    --------
    >>> found = f1_claim("0.80", positives=20, negatives=80)
    >>> found.possible, [round(value, 2) for value in found.sensitivity]
    (True, [0.7, 1.0])
    >>> f1_claim("0.99", positives=10, negatives=10).possible
    False
    """
    printed = f1 if isinstance(f1, Rounded) else Rounded.of(f1, "f1")
    p, n = positives, negatives
    scale = 2 * 10**printed.digits
    twice = int(printed.value * scale)
    tp = np.arange(p + 1, dtype=np.int64)
    # (twice − 1)/scale ≤ 2 TP/(P + PP) ≤ (twice + 1)/scale, solved for PP, the predicted positives
    fewest = np.maximum(-((-2 * tp * scale) // (twice + 1)) - p, tp)
    most = tp + n if twice == 0 else np.minimum((2 * tp * scale) // (twice - 1) - p, tp + n)
    kept = fewest <= most
    if not kept.any():
        nothing = (math.nan, math.nan)
        return F1Claim(False, nothing, nothing, nothing)
    tp, fewest, most = tp[kept], fewest[kept], most[kept]
    precision = tp / np.maximum(fewest, 1), tp / np.maximum(most, 1)
    right = n - fewest + 2 * tp, n - most + 2 * tp
    rows = p + n
    return F1Claim(
        True,
        (float(tp[0] / p), float(tp[-1] / p)),
        (float(precision[1].min()), float(precision[0].max())),
        (float(right[1].min() / rows), float(right[0].max() / rows)),
    )


@checked
def area_claim(
    area_a: str | float | Rounded,
    area_b: str | float | Rounded,
    *,
    positives: PositiveInt,
    negatives: PositiveInt,
    alpha: Level = 0.05,
) -> AreaClaim:
    """Return what two printed areas under the ROC curve on the same rows can be worth.

    Parameters
    ----------
    area_a, area_b : str, float or Rounded
        As printed.
    positives, negatives : int
        Rows of the positive class, and the others.
    alpha : float
        Level at which the difference is to be significant, two-sided.

    Returns
    -------
    AreaClaim
        With the correlation that the claim needs.

    Notes
    -----
    The standard errors take exponential scores for granted (Hanley & McNeil 1982). The printed
    values are taken as they are: rounding is small beside them.

    Examples
    --------
    >>> found = area_claim("0.91", "0.88", positives=60, negatives=140)
    >>> round(found.pvalue_unpaired, 2), round(found.correlation_needed, 2)
    (0.46, 0.86)
    """
    p, n = positives, negatives
    critical = -float(special.ndtri(alpha / 2))
    read = {
        name: value if isinstance(value, Rounded) else Rounded.of(value, name)
        for name, value in (("a", area_a), ("b", area_b))
    }
    impossible = tuple(name for name, value in read.items() if not value.counts(2 * p * n))
    a, b = (float(value.value) for value in read.values())
    se_a, se_b = _hanley_mcneil(a, p, n), _hanley_mcneil(b, p, n)
    spread = math.hypot(se_a, se_b)
    if a == b:
        return AreaClaim(impossible, se_a, se_b, 1.0, math.nan)
    z = math.inf if spread == 0 else abs(a - b) / spread
    # var(a − b) = se_a² + se_b² − 2 r se_a se_b must be below ((a − b)/critical)²
    needed = 0.0
    if z < critical:
        shared = 2 * se_a * se_b
        wanted = spread**2 - ((a - b) / critical) ** 2
        needed = math.nan if shared == 0 or wanted > shared else wanted / shared
    return AreaClaim(impossible, se_a, se_b, 2 * float(special.ndtr(-z)), needed)


def _hanley_mcneil(area: float, positives: int, negatives: int) -> float:
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (positives - 1) * (q1 - area**2)
    variance += (negatives - 1) * (q2 - area**2)
    return math.sqrt(max(variance, 0.0) / (positives * negatives))

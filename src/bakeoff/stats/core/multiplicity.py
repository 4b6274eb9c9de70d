"""Adjusted p-values for a family of hypotheses, and for all pairs of k models.

An adjusted p-value is the smallest level at which the procedure rejects that hypothesis while it
controls the error rate of the whole family. Everything here works on p-values alone, so it
follows any test.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Count, Level, check_choice, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_floats


def adjust_pvalues(pvalues: ArrayLike, method: str = "holm") -> FloatArray:
    """Adjust p-values for the number of hypotheses tested.

    ====================  ==================================================================
    method                controls
    ====================  ==================================================================
    ``none``              nothing: the p-values as they are
    ``bonferroni``        family-wise error, any dependence; single step
    ``holm``              the same, never less powerful (Holm 1979); step-down
    ``hochberg``          family-wise error under positive dependence (Hochberg 1988); step-up
    ``hommel``            the same, never less powerful (Hommel 1988); closed Simes tests
    ``sidak``             family-wise error for independent or positively dependent tests
    ``holm-sidak``        the same, step-down
    ``BH``                false discovery rate under positive dependence (Benjamini & Hochberg)
    ``BY``                false discovery rate, any dependence (Benjamini & Yekutieli)
    ``shaffer``           family-wise error of *all pairs of k models* (`shaffer_static`)
    ====================  ==================================================================

    Parameters
    ----------
    pvalues : array_like, shape (m,)
        The raw p-values. NaN marks a hypothesis whose test could not decide.
    method : str
        One of the table. The last takes the pairs in the order (0, 1), (0, 2), ...,
        (1, 2), ... and needs m = k (k - 1) / 2. Case and ``_`` for ``-`` are forgiven.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values, each at least the raw one and at most 1, in the same order. A NaN
        stays NaN and still counts in the family, as if its p were 1: the undecided test was
        planned, and leaving it out would make the others look more significant.

    Raises
    ------
    ValueError
        For p-values outside [0, 1], an unknown method, or an m that no k fits.

    Notes
    -----
    Wright, S. P. (1992), Adjusted p-values for simultaneous inference, Biometrics 48.

    Examples
    --------
    >>> from bakeoff.stats.core.multiplicity import adjust_pvalues
    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust_pvalues([0.01, float("nan"), 0.03], "bonferroni").round(3).tolist()
    [0.03, nan, 0.09]
    """
    raw = _as_pvalues(pvalues)
    adjust = _METHODS[canonical_method(method)]
    if raw.size == 0:
        return raw
    missing = np.isnan(raw)
    filled = np.where(missing, 1.0, raw)
    adjusted = np.clip(adjust(filled), filled, 1.0)
    return np.where(missing, np.nan, adjusted)


def canonical_method(method: str, name: str = "method", others: tuple[str, ...] = ()) -> str:
    """Return the name of a correction as `adjust_pvalues` lists it.

    Parameters
    ----------
    method : str
        The name as given; case and ``_`` for ``-`` are forgiven.
    name : str
        What the argument is called where it was given, for the error.
    others : tuple of str
        Further names that are allowed there.

    Returns
    -------
    str
        The canonical name.

    Raises
    ------
    ValueError
        If there is no such correction.

    Examples
    --------
    >>> from bakeoff.stats.core.multiplicity import canonical_method
    >>> canonical_method("Holm_Sidak")
    'holm-sidak'
    """
    allowed = (*_METHODS, *others)
    known = {correction.lower(): correction for correction in allowed}
    if isinstance(method, str):  # None must not pass for "none"
        wanted = method.replace("_", "-").lower().removesuffix("-static")
        method = known.get(wanted, method)
    canonical: str = check_choice(method, allowed, name)
    return canonical


@checked
def simultaneous_level(confidence_level: Level, m: Count, method: str) -> float:
    """Return the level of each of m intervals that makes them hold together.

    Parameters
    ----------
    confidence_level : float
        The level wanted for all m intervals together.
    m : int
        The number of intervals.
    method : str
        A correction of `adjust_pvalues`. ``none`` leaves the level alone, ``sidak`` and
        ``holm-sidak`` give ``level ** (1 / m)``, every other one Bonferroni's
        ``1 - (1 - level) / m``: step-wise procedures have no simple intervals of their own, and
        these are valid under any dependence.

    Returns
    -------
    float
        The level of each interval.

    Examples
    --------
    >>> from bakeoff.stats.core.multiplicity import simultaneous_level
    >>> round(simultaneous_level(0.95, 5, "holm"), 4)
    0.99
    """
    method = canonical_method(method)
    if method == "none" or m <= 1:
        return confidence_level
    if method in ("sidak", "holm-sidak"):
        return math.exp(math.log(confidence_level) / m)
    return 1 - (1 - confidence_level) / m


def shaffer_static(pvalues: ArrayLike) -> FloatArray:
    """Adjust the p-values of all pairs of k models by Shaffer's static procedure (S1).

    Not every number of pairs can be equal at once: if one pair of three models differs, at most
    one of the three hypotheses is true. Holm's factor m - i + 1 is lowered to the largest
    number of true hypotheses that is logically possible.

    Parameters
    ----------
    pvalues : array_like, shape (k (k - 1) / 2,)
        In the order (0, 1), (0, 2), ..., (1, 2), ...

    Returns
    -------
    ndarray
        Adjusted p-values, in the same order.

    Notes
    -----
    Shaffer, J. P. (1986), Modified sequentially rejective multiple test procedures, JASA 81.

    Examples
    --------
    >>> from bakeoff.stats.core.multiplicity import shaffer_static
    >>> shaffer_static([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.03]
    """
    return adjust_pvalues(pvalues, "shaffer")


def _as_pvalues(pvalues: ArrayLike) -> FloatArray:
    array = as_floats(pvalues, "pvalues")
    if array.ndim != 1:
        raise ArgumentError("pvalues", f"expected 1 dimension, found shape {array.shape}")
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise ArgumentError("pvalues", f"found {array[outside][0]!r}, must lie between 0 and 1")
    return array


def _in_order(p: FloatArray, step: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Apply a procedure for ascending p-values and put the answers back."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = step(p[order])
    return adjusted


def _step_down(factors: FloatArray) -> Callable[[FloatArray], FloatArray]:
    return lambda p: np.maximum.accumulate(factors * p)


def _step_up(factors: FloatArray) -> Callable[[FloatArray], FloatArray]:
    return lambda p: np.minimum.accumulate((factors * p)[::-1])[::-1]


def _sidak_power(p: FloatArray, exponent: FloatArray | float) -> FloatArray:
    """Return 1 - (1 - p)^exponent, accurate for tiny p."""
    with np.errstate(divide="ignore"):
        power: FloatArray = -special.expm1(exponent * special.log1p(-p))
    return power


def _none(p: FloatArray) -> FloatArray:
    return p


def _bonferroni(p: FloatArray) -> FloatArray:
    return p * len(p)


def _holm(p: FloatArray) -> FloatArray:
    return _in_order(p, _step_down(np.arange(len(p), 0, -1.0)))


def _hochberg(p: FloatArray) -> FloatArray:
    return _in_order(p, _step_up(np.arange(len(p), 0, -1.0)))


def _sidak(p: FloatArray) -> FloatArray:
    return _sidak_power(p, float(len(p)))


def _holm_sidak(p: FloatArray) -> FloatArray:
    exponents = np.arange(len(p), 0, -1.0)
    return _in_order(p, lambda q: np.maximum.accumulate(_sidak_power(q, exponents)))


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    return _in_order(p, _step_up(len(p) / np.arange(1.0, len(p) + 1)))


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    ranks = np.arange(1.0, len(p) + 1)
    return _in_order(p, _step_up(len(p) * (1 / ranks).sum() / ranks))


def _hommel(p: FloatArray) -> FloatArray:
    return _in_order(p, _closed_simes)


def _closed_simes(p: FloatArray) -> FloatArray:
    """Return each hypothesis' largest Simes p over the intersections that contain it."""
    n = len(p)
    adjusted = p.copy()
    for size in range(2, n + 1):
        largest_others = size * (p[n - size + 1 :] / np.arange(2.0, size + 1)).min()
        # for a member of the `size` largest, that intersection is these `size` themselves
        first = np.minimum(p, p[n - size])
        np.maximum(adjusted, np.minimum(size * first, largest_others), out=adjusted)
    return adjusted


def _shaffer(p: FloatArray) -> FloatArray:
    """Take Holm's factors, lowered to how many hypotheses can be true when those before fell."""
    counts = np.array(_true_counts(len(p)))
    remaining = np.arange(len(p), 0, -1)
    factors = counts[np.searchsorted(counts, remaining, side="right") - 1]
    return _in_order(p, _step_down(factors.astype(np.float64)))


def _true_counts(m: int) -> list[int]:
    """Return how many of the m pairs of k models can be equal at once, ascending."""
    # If A = B and B = C then A = C: they are the pairs inside the groups of a partition of models.
    k = (1 + math.isqrt(1 + 8 * m)) // 2
    if k * (k - 1) // 2 != m:
        raise ArgumentError(
            "pvalues",
            f"found {m}, but all pairs of k models are k(k-1)/2 (1, 3, 6, 10, ...); "
            "for another family use holm or hommel",
        )
    reachable: list[set[int]] = [{0}, {0}]
    for size in range(2, k + 1):
        reachable.append(
            {
                group * (group - 1) // 2 + rest
                for group in range(1, size + 1)
                for rest in reachable[size - group]
            }
        )
    return sorted(reachable[k])


_METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "none": _none,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "sidak": _sidak,
    "holm-sidak": _holm_sidak,
    "BH": _benjamini_hochberg,
    "BY": _benjamini_yekutieli,
    "shaffer": _shaffer,
}

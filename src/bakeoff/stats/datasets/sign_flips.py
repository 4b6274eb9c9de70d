"""Pairs of many models over few data sets: the signs of all pairs are flipped together.

Holm's correction multiplies the smallest p-value, 2^(1 − N) of N data sets, by the number of pairs,
so that many models need many data sets. If no two models of the pairs differ, the differences of a
data set keep their joint distribution when the signs of all pairs of that data set are turned at
once. The largest statistic over the pairs then has a known distribution: its smallest p-value is
2^(1 − N) for any number of models (Westfall & Young 1993, Romano & Wolf 2005).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Decimals, checked
from bakeoff.stats.core.arithmetic import as_dataset_table, differences, rank
from bakeoff.stats.core.checks import ArgumentError, FloatArray
from bakeoff.stats.core.pairs import PairwiseResult, pairs_of
from bakeoff.stats.core.result import Alternative

SIGN_FLIPS = "sign-flips"
"""The name of the correction."""
MOST_FLIPPED = 16
"""Data sets up to which all patterns of signs are listed."""
_MOST_SUMS = 1 << 27
"""Pairs times patterns of signs that take a few seconds."""

Order = Literal["signed_ranks", "signs", "differences"]

_BLOCK = 1 << 18  # sums at work at a time
_EQUAL = 1e-9  # statistics that differ by less are equal but for rounding
_SIXTEENTH = 16.0  # no second statistic exceeds √16: a sixteenth of it is a quarter at most


def can_be_flipped(datasets: int, pairs: int) -> bool:
    """Tell whether all patterns of signs of so many pairs can be listed in a few seconds."""
    return 0 < datasets <= MOST_FLIPPED and pairs << datasets <= _MOST_SUMS


@dataclasses.dataclass(frozen=True)
class SignFlips:
    """What the flips of all signs say of each pair of models.

    Attributes
    ----------
    pairs : tuple of tuple of int
        The columns of the models: (0, 1), (0, 2), ..., or the control with each other.
    statistic : ndarray, shape (P,)
        Size of the sum of signed ranks, or wins less losses; of differences their t statistic.
    pvalue, pvalue_adjusted, pvalue_single_step : ndarray, shape (P,)
        Of each pair alone; adjusted step by step; by the largest statistic of all pairs.
    """

    pairs: tuple[tuple[int, int], ...]
    statistic: FloatArray
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    pvalue_single_step: FloatArray


@checked
def joint_sign_flips(
    scores: ArrayLike,
    *,
    order: Order = "signed_ranks",
    break_ties: bool = True,
    control: int | None = None,
    alternative: Alternative = "two-sided",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> SignFlips:
    """Compare all pairs of models by flipping the signs of all differences of a data set together.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model, for up to 16 data sets; NaN is a missing score.
    order : {"signed_ranks", "signs", "differences"}
        What orders the patterns of signs: Wilcoxon's signed ranks with Pratt's zeros, the number of
        wins less losses, or the mean difference in units of its root mean square.
    break_ties : bool
        Order patterns of equal signed ranks or signs by the differences: of signs, differences over
        the standard deviation of the models on that data set, which no change of unit moves.

    Returns
    -------
    SignFlips

    Notes
    -----
    With the differences d_ij of data set i and pair j, their signed ranks or signs r_ij, and signs
    s, u_j(s) = |Σ_i s_i r_ij|/√(Σ_i r²_ij) and v_j(s) = |Σ_i s_i d_ij|/√(Σ_i d²_ij). Pairs of
    values are ordered by u, equal ones by v, which alone gives the many ties of ranks an order. The
    p-value of a pair alone is the share of patterns with u_j(s) ≥ u_j of the data, Wilcoxon's exact
    one; the adjusted ones are those of Westfall and Young's step-down, and not below it.

    Examples
    --------
    >>> scores = [[0.71, 0.69, 0.66], [0.83, 0.81, 0.78], [0.90, 0.87, 0.85],
    ...           [0.89, 0.86, 0.76], [0.62, 0.59, 0.58], [0.77, 0.75, 0.70]]
    >>> joint_sign_flips(scores).pvalue_adjusted.tolist()
    [0.03125, 0.03125, 0.03125]
    """
    table = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=True)
    n, models = table.shape
    if n > MOST_FLIPPED:
        raise ArgumentError(
            "scores",
            f"found {n} data sets; the {2.0**n:.0g} patterns of signs of more than {MOST_FLIPPED} "
            "are too many to be listed: use the correction 'holm'",
        )
    members = pairs_of(models, control)
    sizes = np.column_stack([_differences(table[:, a], table[:, b], decimals) for a, b in members])
    first = _ordering(sizes, order)
    second = np.zeros_like(sizes)
    if order == "differences" or break_ties:
        second = sizes
        if order == "signs":
            second = _over_spread(sizes, table)
    return _flipped(members, first, _scaled(second), alternative, order)


def _differences(a: FloatArray, b: FloatArray, decimals: int | None) -> FloatArray:
    """Subtract without float noise; a difference with a missing score is 0: it has no sign."""
    both = ~(np.isnan(a) | np.isnan(b))
    rounded = np.zeros(len(a))
    if both.any():
        rounded[both] = differences(a[both], b[both], decimals)
    return rounded


def _ordering(sizes: FloatArray, order: Order) -> FloatArray:
    """Return doubled signed ranks, or signs, of each pair: whole numbers; zeros of differences."""
    signs = np.sign(sizes)
    if order == "differences":
        return np.zeros_like(signs)
    if order == "signs":
        return signs
    # doubled, the mean ranks of ties are whole numbers
    ranks = np.column_stack([rank(np.abs(column))[0] for column in sizes.T])
    return np.asarray(signs * np.rint(2 * ranks))


def _over_spread(sizes: FloatArray, table: FloatArray) -> FloatArray:
    """Divide the differences of a data set by the spread of its scores over the models."""
    spread = np.nanstd(table, axis=1, keepdims=True)
    return np.asarray(np.divide(sizes, spread, out=np.zeros_like(sizes), where=spread > 0))


def _scaled(columns: FloatArray) -> FloatArray:
    """Divide each column by its root sum of squares; a column of zeros stays."""
    length = np.sqrt(np.square(columns).sum(axis=0))
    return columns / np.where(length > 0, length, 1.0)


def _flipped(
    members: list[tuple[int, int]],
    first: FloatArray,
    second: FloatArray,
    side: Alternative,
    order: Order,
) -> SignFlips:
    """Count the patterns of signs that are as extreme as the data, pair by pair and over pairs."""
    codes = _Codes.of_sums(first)
    observed_sums = first.sum(axis=0)
    observed_sizes = second.sum(axis=0)
    observed = _keys(observed_sums[None], observed_sizes[None], codes, side)[0]
    enough = observed - _EQUAL
    enough_alone = enough
    # a pair alone is ordered by its ranks or signs
    if order != "differences":
        enough_alone = np.floor(observed)
    from_largest = np.argsort(-observed, kind="stable")
    at_least_alone = np.zeros(len(members))
    single = np.zeros(len(members))
    step_down = np.zeros(len(members))
    patterns = 0
    for signs in _sign_patterns(len(first), len(members), side):
        keys = _keys(signs @ first, signs @ second, codes, side)
        patterns += len(signs)
        at_least_alone += np.count_nonzero(keys >= enough_alone, axis=0)
        # the maximum over the pairs whose own statistic is not larger than that of each
        remaining = np.maximum.accumulate(keys[:, from_largest[::-1]], axis=1)[:, ::-1]
        # Westfall and Young's step-down: each pair against those that are not before it
        step_down += np.count_nonzero(remaining >= enough[from_largest], axis=0)
        single += np.count_nonzero(remaining[:, :1] >= enough, axis=0)
    pvalue = at_least_alone / patterns
    adjusted = np.empty(len(members))
    adjusted[from_largest] = np.maximum.accumulate(step_down / patterns)
    statistic = np.abs(observed_sums) / 2
    if order == "signs":
        statistic = np.abs(observed_sums) * 1.0
    if order == "differences":
        statistic = _student(np.abs(observed_sizes), len(first))
    return SignFlips(
        pairs=tuple(members),
        statistic=statistic,
        pvalue=pvalue,
        pvalue_adjusted=np.maximum(adjusted, pvalue),
        pvalue_single_step=single / patterns,
    )


def _student(sums: FloatArray, n: int) -> FloatArray:
    """Turn |Σd|/√Σd², which is at most √n, into the size of Student's t."""
    # t² = u²(n − 1)/(n − u²), as Σd² = Σ(d − d̄)² + (Σd)²/n
    left = np.maximum(n - sums**2, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(sums * np.sqrt((n - 1) / left))


@dataclasses.dataclass(frozen=True)
class _Codes:
    """A whole number for every value that a scaled sum of a pair can have, in their order.

    The sums of a pair are whole numbers, and those of two pairs compare after each is divided by
    its own root sum of squares: equal ones must be equal whatever their last digits are.
    """

    # of the sums −reach to reach of one pair after the other
    table: FloatArray
    reach: int

    @classmethod
    def of_sums(cls, first: FloatArray) -> _Codes:
        """Give the values of all sums of signed whole numbers, shape (N, P)."""
        reach = int(np.abs(first).sum(axis=0).max())
        length = np.sqrt(np.square(first).sum(axis=0))
        sums = np.arange(-reach, reach + 1.0)
        values = sums / np.where(length > 0, length, 1.0)[:, None]
        ordered = np.sort(values, axis=None)
        starts = ordered[np.diff(ordered, prepend=-math.inf) > _EQUAL]
        codes = np.searchsorted(starts, values.ravel() + _EQUAL / 2, side="right") - 1
        return cls(codes.astype(np.float64), reach)

    def of(self, sums: FloatArray) -> FloatArray:
        """Return the codes of sums, shape (patterns, P)."""
        starts = np.arange(sums.shape[1]) * (2 * self.reach + 1) + self.reach
        return np.asarray(self.table.take((sums + starts).astype(np.intp)))


def _keys(sums: FloatArray, sizes: FloatArray, codes: _Codes, side: Alternative) -> FloatArray:
    """Return numbers that order pairs of statistics: by the first one, and if equal by the second.

    Their whole part is the code of the first statistic; the second one, of size √16 at most, makes
    the rest.
    """
    if side == "two-sided":
        sums = np.abs(sums)
        sizes = np.abs(sizes)
    elif side == "less":
        sums = -sums
        sizes = -sizes
    return np.asarray(codes.of(sums) + (0.5 + sizes / _SIXTEENTH))


def _sign_patterns(n: int, pairs: int, side: Alternative) -> Iterator[FloatArray]:
    """Yield blocks of all patterns of n signs, shape (patterns, n); of two sides half of them."""
    free = n
    # a pattern and its opposite have the same sizes
    if side == "two-sided":
        free = n - 1
    block = max(1, _BLOCK // pairs)
    for start in range(0, 1 << free, block):
        numbers = np.arange(start, min(start + block, 1 << free))
        bits = (numbers[:, None] >> np.arange(n)) & 1
        yield np.asarray(1.0 - 2.0 * bits, dtype=np.float64)


def with_sign_flips(
    result: PairwiseResult,
    table: FloatArray,
    order: Order,
    *,
    control: int | None,
    decimals: int | None,
) -> PairwiseResult:
    """Adjust the p-values of a test of pairs by the flips of all signs together.

    With `control` the hypotheses are the pairs of this model, else all pairs, of which `result` may
    have those of the model that the scores chose.
    """
    flips = joint_sign_flips(
        table, order=order, control=control, alternative=result.alternative, decimals=decimals
    )
    by_pair = dict(zip(map(frozenset, flips.pairs), flips.pvalue_adjusted.tolist(), strict=True))
    pairs = []
    for pair in result.pairs:
        adjusted = by_pair[frozenset((pair.a, pair.b))]
        # an undecided pair stays so; no adjusted p-value is below that of the pair alone
        larger = math.nan if math.isnan(pair.pvalue) else max(adjusted, pair.pvalue)
        pairs.append(dataclasses.replace(pair, pvalue_adjusted=larger))
    return dataclasses.replace(result, correction=SIGN_FLIPS, pairs=tuple(pairs))

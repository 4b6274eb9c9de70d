"""Sign flips of whole clusters for several models, or several differences, at once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.arithmetic import signed_sums
from bakeoff.stats.core.checks import FloatArray, IntArray
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.sign_flip import MOST_ENUMERATED, all_sign_sums, flip_tails, sign_blocks

_TIES = 1e-9
_INNER = 12  # signs enumerated as one matrix product
_DRAWS, _SEED = 9_999, 0  # of the flips of differences
_MANY, _SMALL_SHARE = 2_000, 0.02


@dataclasses.dataclass(frozen=True)
class JointFlip:
    """The statistic of several models and its p-values.

    Attributes
    ----------
    statistic : float
        Q = (M − 1) Σ_j(Σ_k g_kj)²/ΣΣg²; 0 where no cluster differs.
    pvalue, exact : float
        Mid-p, and p with the observed value counted in full.
    nonzero : int
        Clusters in which the models differ.
    method : {"exact", "draws"}
        Whether every sign was counted.
    error : float
        Monte Carlo standard error of the p; 0 where every sign was counted.
    """

    statistic: float
    pvalue: float
    exact: float
    nonzero: int
    method: str
    error: float


def joint_flip(totals: FloatArray, *, n_resamples: int, seed: Seed) -> JointFlip:
    """Flip one sign per cluster for the vector of all models.

    Parameters
    ----------
    totals : ndarray, shape (K, M)
        Rows that each model has right in each cluster.
    n_resamples, seed : int
        Number of draws beyond 20 clusters that differ, and their seed.
    """
    models = totals.shape[1]
    # M times the deviation from the mean: whole numbers, so that ties are exact
    scaled = models * totals - totals.sum(axis=1, keepdims=True)
    scaled = scaled[scaled.any(axis=1)]
    if not len(scaled):
        return JointFlip(0.0, 1.0, 1.0, 0, "exact", 0.0)
    observed = float(np.square(scaled.sum(axis=0)).sum())
    statistic = (models - 1) * observed / float(np.square(scaled).sum())
    if models == 2:
        tails = flip_tails(totals[:, 0] - totals[:, 1], n_resamples=n_resamples, seed=seed)
        mid, exact = (float(tails.pvalue("two-sided", exact=e)[0]) for e in (False, True))
        return JointFlip(statistic, mid, exact, len(scaled), "exact", 0.0)
    enumerated = len(scaled) <= MOST_ENUMERATED
    blocks = iter(_all_flips(scaled)) if enumerated else _drawn_flips(scaled, n_resamples, seed)
    above = equal = size = 0.0
    for block in blocks:
        gap = block - observed
        tied = np.abs(gap) <= _TIES * max(observed, 1.0)
        above += float(np.count_nonzero((gap > 0) & ~tied))
        equal += float(np.count_nonzero(tied))
        size += len(block)
    if not enumerated:  # the observed signs count as one more draw
        equal, size = equal + 1, size + 1
    mid = 1.0 if observed == 0 else (above + equal / 2) / size
    error = 0.0 if enumerated else math.sqrt(mid * (1 - mid) / size)
    method = "exact" if enumerated else "draws"
    return JointFlip(statistic, mid, (above + equal) / size, len(scaled), method, error)


def _all_flips(scaled: FloatArray) -> list[FloatArray]:
    """Return the statistic of every sign vector; the first sign is fixed by symmetry."""
    inner, outer = scaled[1 : _INNER + 1], scaled[_INNER + 1 :]
    near = np.column_stack([all_sign_sums(column) for column in inner.T]) + scaled[0]
    far = np.column_stack([all_sign_sums(column) for column in outer.T])
    return [np.square(near + shift).sum(axis=1) for shift in far]


def _drawn_flips(scaled: FloatArray, n_resamples: int, seed: Seed) -> Iterator[FloatArray]:
    rng = np.random.default_rng(seed)
    for signs in sign_blocks(rng, len(scaled), n_resamples):
        yield np.square(signs @ scaled).sum(axis=1)


@dataclasses.dataclass(frozen=True)
class GroupSums:
    """A difference as a mean over groups: Σ sums / Σ shares.

    Attributes
    ----------
    sums : ndarray, shape (K,) or (K, C)
        What each group adds to the difference, or to each of C.
    shares : ndarray, shape (K,)
        The share of each group; they sum to 1.
    """

    sums: FloatArray
    shares: FloatArray

    @property
    def many_alike(self) -> bool:
        """Whether groups are so many, and none so large, that t needs no sign flips beside it."""
        return len(self.shares) > _MANY and float(self.shares.max()) <= _SMALL_SHARE

    def pvalue(self, side: Alternative) -> float:
        """Return the mid-p of one difference by sign flips of its groups."""
        alone = GroupSums(self.sums[:, None], self.shares)
        return float(max_flip(alone, np.ones(1), side).alone[0])


@dataclasses.dataclass(frozen=True)
class MaxFlip:
    """p-values of differences by sign flips of their groups, shape (C,) each.

    Attributes
    ----------
    alone : ndarray
        Mid-p of each difference by itself.
    step_down : ndarray
        Against the largest of those that are not rejected before.
    """

    alone: FloatArray
    step_down: FloatArray


def max_flip(of_groups: GroupSums, se: FloatArray, side: Alternative) -> MaxFlip:
    """Flip the signs of whole groups for all differences at once (Westfall & Young 1993).

    Parameters
    ----------
    of_groups : GroupSums
        Of C differences.
    se : ndarray, shape (C,)
        The standard errors that make differences comparable.
    side : {"two-sided", "greater", "less"}
        The alternative.

    Notes
    -----
    All signs are counted for up to 12 groups, else 9,999 drawn from a fixed seed, of which the
    observed signs are one more. Ties count by half.
    """
    scaled = of_groups.sums[in_order(of_groups.sums, of_groups.shares)] / se
    own = each_in_order(of_groups.sums, of_groups.shares)[0] / se
    observed = _towards(scaled.sum(axis=0), side)
    groups, differences = scaled.shape
    order = np.argsort(observed, kind="stable")
    beyond = np.zeros((2, differences))
    size = 0
    for signs in _signs(groups):
        together = _towards(signed_sums(signs, scaled), side)
        largest = np.empty_like(together)
        largest[:, order] = np.maximum.accumulate(together[:, order], axis=1)
        alone = _towards(signed_sums(signs, own), side)
        for place, found in enumerate((alone, largest)):
            gap = found - observed
            tied = np.abs(gap) <= _TIES * np.abs(scaled).sum(axis=0)
            beyond[place] += ((gap > 0) & ~tied).sum(axis=0) + tied.sum(axis=0) / 2
        size += len(signs)
    if groups > _INNER:
        beyond, size = beyond + 0.5, size + 1
    p = np.minimum(beyond / size, 1.0)
    p[:, observed == 0] = 1.0 if side == "two-sided" else 0.5
    p[1, order] = np.maximum.accumulate(p[1, order][::-1])[::-1]
    return MaxFlip(*p)


def each_in_order(sums: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns of sums each in its own order of groups, and the weights in all of them.

    A difference among others then has the draws that it has alone.
    """
    orders = np.stack([in_order(column, weights) for column in sums.T], axis=1)
    return np.take_along_axis(sums, orders, axis=0), weights[orders[:, 0]]


def in_order(sums: FloatArray, weights: FloatArray) -> IntArray:
    """Return an order of groups in which neither their names nor the models' order has a part.

    So that draws do not depend on either.
    """
    columns = sums.reshape(len(sums), -1)
    turned = columns * np.where(columns.sum(axis=0) < 0, -1.0, 1.0)
    keys = np.column_stack([turned, weights])
    scale = np.maximum(np.abs(keys).max(axis=0), 1e-300)
    return np.lexsort(np.round(keys / scale, 9).T)


def _signs(groups: int) -> Iterator[FloatArray]:
    if groups > _INNER:
        yield from sign_blocks(np.random.default_rng(_SEED), groups, _DRAWS)
    else:
        bits = (np.arange(1 << groups)[:, None] >> np.arange(groups)) & 1
        yield (1 - 2 * bits).astype(np.float64)


def _towards(values: FloatArray, side: Alternative) -> FloatArray:
    if side == "two-sided":
        return np.abs(values)
    return values if side == "greater" else -values

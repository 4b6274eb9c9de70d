"""Tests on rows in groups: sign flips, robust standard errors, and what results say of groups.

Exchanging two models in a whole group changes the sign of its sum D_k, so under the null the signs
are coins, and S* = Σ ±|D_k|. Whole numbers: the convolution of v(2·Bin(m, ½) − m) over the distinct
|D| = v that occur m times (Pagano & Tritchler 1983), by Fourier inversion after exponential tilting
to the observed sum, which keeps every digit of the smallest tail; a few groups with large sums one
after the other, for their transform fades at no frequency. Other numbers: all 2^K signs up to
K = 20, seeded draws beyond.

Limits come from the means of random subsets of the groups: whatever a group's share of the rows,
the true difference falls between two neighbouring means of the 2^K − 1 non-empty subsets of K
groups with one probability, 2^−K, where group differences are symmetric about it (Hartigan 1969,
10.1080/01621459.1969.10501057). So quantiles of these means are limits that invert the sign-flip
test, without a search.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.checks import FloatArray, IntArray
from bakeoff.stats.core.distributions import signed_sums, tail_probability, upper_tail
from bakeoff.stats.core.max_t import towards
from bakeoff.stats.core.paired_differences import UNBOUNDED, Estimate
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.clusters import Clusters, Dependence, degrees_of_freedom, describe

SOURCES = {
    "sign_flip": "canay2017",
    "sign_flip_exact": "canay2017",
    "influence_t": "satterthwaite1946",
    "robust_t": "bell2002",
}
"""The reference distributions, each with its source."""
FLIPS = ("sign_flip", "sign_flip_exact")
FEWEST_CLUSTERS = 5
"""With fewer clusters there is no answer."""
HULL = "subset_hull"
"""The method of an interval that was widened."""

# the signs of a sum
_MOST_ENUMERATED = 20  # groups
_TIES = 1e-9
_NEGLIGIBLE = 32.0  # in logs: e^-32 is 1e-14 of a probability
_LARGEST_LATTICE = 1 << 22
_CELLS = 1 << 22  # numbers at work at a time
_MOST_ADDED = 400  # clusters whose sums are added one after the other
_LARGE = 1 << 18  # distinct sums × lattice points from which on an inversion is slow
_INNER = 12  # signs enumerated as one matrix product
# the flips of differences
_DRAWS = 9_999
_FLIP_SEED = 0
_MANY = 2_000  # groups, of which none has more than a small share: t needs no flips beside it
_SMALL_SHARE = 0.02
# the means of subsets; those that are drawn come each with its complement
_ENUMERATED = 12  # groups
_MOST = 4_999
_LEAST = 499
_WORK = 1 << 25
_SUBSET_SEED = 0
_OPEN = 1e-9  # where an interval ends that 0 is cut off from, as a share of the estimate
# assumptions
_LEAST_DF = 4.0
_SKEWED = 1.0
_SHOWS_SKEW = 20  # groups from which on data show that differences are skewed
_SHOWS_SYMMETRY = 60  # and that they are not
_MIDP_CLUSTERS = 8  # with fewer the mid-p of numeric differences rejects 6 to 7 % at 5 %


@dataclasses.dataclass(frozen=True)
class Tails:
    """P(S* > |S|) and P(S* = |S|), exact or from drawn signs."""

    total: float  # the observed S
    above: float
    equal: float
    draws: int = 0

    def pvalue(self, side: Alternative, *, exact: bool = False) -> float:
        """Return the mid-p, or the p that counts the observed sum in full."""
        weight = 0.5  # of the observed sum
        if exact:
            weight = 1.0
        if self.total == 0:
            near = 0.5 + (weight - 0.5) * self.equal
            far = near
        else:
            near = self.above + weight * self.equal
            far = 1 - self.above - (1 - weight) * self.equal
        if side == "two-sided":
            return min(2 * min(near, far), 1.0)
        if (side == "greater") == (self.total >= 0):
            return min(near, 1.0)
        return min(far, 1.0)


def flip_tails(sums: FloatArray, *, n_resamples: int, seed: Seed) -> Tails:
    """Return the tails of the cluster sums (K,) of a pair of models."""
    magnitude = np.abs(sums[sums != 0])
    total = float(sums.sum())
    if len(magnitude) and np.array_equal(magnitude, np.rint(magnitude)):
        values, counts = np.unique(magnitude, return_counts=True)
        times = counts.astype(np.float64)
        points = _lattice(values, times)
        if points < _LARGEST_LATTICE:
            above, equal = _tails_of_whole_numbers(magnitude, values, times, points, abs(total))
            return Tails(total, above, equal)
    drawn = len(magnitude) > _MOST_ENUMERATED
    blocks = sign_sums(magnitude[:, None], _MOST_ENUMERATED, n_resamples, seed)
    above_of_one, tied, size = _beyond(blocks, np.abs([total]), magnitude.sum(), drawn)
    above = float(above_of_one[0]) / size
    equal = float(tied[0]) / size
    if drawn:
        return Tails(total, above, equal, draws=n_resamples)
    return Tails(total, above, equal)


def _tails_of_whole_numbers(
    magnitude: FloatArray, values: FloatArray, times: FloatArray, points: int, total: float
) -> tuple[float, float]:
    """Return P(S* > |S|) and P(S* = |S|) in the quickest exact way."""
    # the number of signs that point one way is binomial
    if len(values) == 1:
        one_way = (times[0] + total / values[0]) / 2
        reached, above = upper_tail([one_way, one_way + 1], times[0], 0.5).tolist()
        return above, reached - above
    if len(magnitude) <= _MOST_ADDED and len(values) * points > _LARGE:
        return _added(magnitude, total)
    return _inverted(values, times, total)


def all_sign_sums(magnitude: FloatArray) -> FloatArray:
    """Return all 2^K signed sums."""
    sums = np.zeros(1)
    for value in magnitude:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def sign_sums(columns: FloatArray, most: int, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks of column sums under all signs of up to so many rows, or under drawn signs."""
    groups = len(columns)
    if groups <= most:
        first = _sign_sums_of_columns(columns[:_INNER])
        for shift in _sign_sums_of_columns(columns[_INNER:]):
            yield first + shift
        return
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS // groups)
    for start in range(0, draws, block):
        signs = 1 - 2 * rng.integers(0, 2, (min(block, draws - start), groups))
        yield signs.astype(np.float64) @ columns


def _sign_sums_of_columns(columns: FloatArray) -> FloatArray:
    return np.column_stack([all_sign_sums(column) for column in columns.T])


def _beyond(
    blocks: Iterable[FloatArray], observed: FloatArray, scale: FloatArray | float, drawn: bool
) -> tuple[FloatArray, FloatArray, int]:
    """Count the rows of blocks above the observed values, those that tie with them, and all."""
    # of drawn signs the observed ones are one draw more
    above = np.zeros(len(observed))
    tied = np.full(len(observed), float(drawn))
    size = int(drawn)
    for block in blocks:
        gap = block - observed
        same = np.abs(gap) <= _TIES * scale
        above += ((gap > 0) & ~same).sum(axis=0)
        tied += same.sum(axis=0)
        size += len(block)
    return above, tied, size


def _added(magnitude: FloatArray, total: float) -> tuple[float, float]:
    """Return the tails from the distribution of the sum of positive signs."""
    sums = np.sort(magnitude).astype(np.intp)
    unit = int(np.gcd.reduce(sums))
    probability = signed_sums(sums // unit)
    observed = (len(probability) - 1 + round(total / unit)) // 2  # S* = 2U − Σ|D|
    return float(probability[observed + 1 :].sum()), float(probability[observed])


def _lattice(values: FloatArray, counts: FloatArray) -> int:
    """Return the lattice points of Σ v·Bin(m, q) that hold all but e^-32 of it at any q."""
    # Half the width is Bernstein's bound for the untilted (widest) spread, or the whole range.
    largest = float(values.max())
    spread = float(counts @ np.square(values)) / 4
    step = 2 * _NEGLIGIBLE / 3 * largest
    half = (step + math.sqrt(step**2 + 8 * _NEGLIGIBLE * spread)) / 2
    needed = min(2 * half, float(counts @ values) + 1)
    return 1 << max(3, math.ceil(math.log2(needed + 1)))


def _tilt(values: FloatArray, counts: FloatArray, total: float) -> float:
    """Solve Σ m v tanh(θv) = |S| for θ ≥ 0, from below (the left side is concave in θ)."""
    theta = 0.0
    target = min(total, float(counts @ values) * (1 - 1e-12))
    for _ in range(100):
        hyperbolic = 2 * special.expit(2 * theta * values) - 1
        gap = target - float((counts * values * hyperbolic).sum())
        slope = float((counts * np.square(values) * (1 - np.square(hyperbolic))).sum())
        step = max(gap, 0.0) / max(slope, 1e-300)
        theta += min(step, 1 / float(values.min()))
        if step <= 1e-9 * (theta + 1e-12):
            break
    return theta


def _inverted(values: FloatArray, counts: FloatArray, total: float) -> tuple[float, float]:
    """Return the tails by a Fourier inversion on a lattice."""
    # U = Σ v·Bin(m, ½) and S* = 2U − Σ m v. Tilted by e^(θS*) its mean is the observed sum, where
    # the density is largest; undoing the tilt multiplies by C·e^(−2θj) j points above it. The sum
    # over j is a geometric series inside the inversion, so no density is ever written down.
    size = _lattice(values, counts)
    theta = _tilt(values, counts, total)
    largest = float(counts @ values)
    room = round((largest - total) / 2)  # how far the largest possible sum is
    # every sign points one way
    if not room:
        return 0.0, float(special.exp2(-counts.sum()))
    up = special.expit(2 * theta * values)  # P(sign = +) under the tilt
    spread = 4 * up * (1 - up)

    # frequencies at which the transform is not negligible:
    # log|φ|² = Σ m log(1 − spread·sin²) ≤ −Σ m·spread·sin²
    angle = 2 * math.pi * np.arange(size // 2 + 1) / size
    bound = np.zeros(len(angle))
    for value, m, spread_of_value in zip(values, counts, spread, strict=True):
        bound += m * spread_of_value * np.square(np.sin(value * angle / 2))
    frequency = np.flatnonzero(bound < 2 * _NEGLIGIBLE)
    angle = angle[frequency]

    # the transform, turned so that the observed sum is at 0
    log_transform = -1j * np.mod(angle * ((total + largest) / 2), 2 * math.pi)
    for value, m, q in zip(values, counts, up, strict=True):
        log_transform += m * np.log(1 - q + q * np.exp(1j * np.mod(value * angle, 2 * math.pi)))
    transform = np.exp(log_transform)
    # other frequencies than those of both ends come in conjugate pairs
    both_ends = (frequency == 0) | (2 * frequency == size)
    weight = np.where(both_ends, 1.0, 2.0) / size

    # the geometric series Σ r^j for j = 1, ..., last
    log_ratio = -2 * theta - 1j * angle
    last = min(room, size // 2)
    ratio = np.exp(log_ratio)
    close = np.abs(1 - ratio) < 1e-12
    quotient = (ratio - np.exp((last + 1) * log_ratio)) / np.where(close, 1.0, 1 - ratio)
    series = np.where(close, last, quotient)
    density = float(weight @ transform.real)
    beyond = float(weight @ (transform * series).real)
    log_cosh = np.logaddexp(theta * values, -theta * values) - math.log(2)
    scale = math.exp(float((counts * log_cosh).sum()) - theta * total)
    return scale * max(beyond, 0.0), scale * max(density, 0.0)


@dataclasses.dataclass(frozen=True)
class JointFlip:
    """The statistic of several models and its p-values."""

    statistic: float  # Q = (M − 1) Σ_j(Σ_k g_kj)²/ΣΣg²; 0 where no cluster differs
    pvalue: float  # mid-p
    exact: float  # with the observed value counted in full
    nonzero: int  # clusters in which the models differ
    method: str  # "exact" or "draws"
    error: float  # Monte Carlo standard error of the p


def joint_flip(totals: FloatArray, *, n_resamples: int, seed: Seed) -> JointFlip:
    """Flip one sign per cluster for the vector of all models."""
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
        midp = tails.pvalue("two-sided")
        exact = tails.pvalue("two-sided", exact=True)
        return JointFlip(statistic, midp, exact, len(scaled), "exact", 0.0)
    drawn = len(scaled) > _MOST_ENUMERATED
    sums = sign_sums(scaled, _MOST_ENUMERATED, n_resamples, seed)
    blocks = (np.square(block).sum(axis=1, keepdims=True) for block in sums)
    above, tied, size = _beyond(blocks, np.array([observed]), max(observed, 1.0), drawn)
    exact = float(above[0] + tied[0]) / size
    midp = float(above[0] + tied[0] / 2) / size
    if observed == 0:
        midp = 1.0
    method = "exact"
    error = 0.0
    if drawn:
        method = "draws"
        error = math.sqrt(midp * (1 - midp) / size)
    return JointFlip(statistic, midp, exact, len(scaled), method, error)


@dataclasses.dataclass(frozen=True)
class GroupSums:
    """A difference as a mean over groups: Σ sums / Σ shares."""

    sums: FloatArray  # (K,) or (K, C): what each group adds to the difference, or to each of C
    shares: FloatArray  # (K,): the share of each group; they sum to 1

    @property
    def many_alike(self) -> bool:
        """Whether groups are so many, and none so large, that t needs no sign flips beside it."""
        return len(self.shares) > _MANY and float(self.shares.max()) <= _SMALL_SHARE

    def pvalue(self, side: Alternative) -> float:
        """Return the mid-p of one difference by sign flips of its groups."""
        alone = GroupSums(self.sums[:, None], self.shares)
        pvalues, _ = max_flip(alone, np.ones(1), side)
        return float(pvalues[0])

    def widened(
        self,
        ci: ConfidenceInterval,
        side: Alternative = "two-sided",
        bounds: tuple[float, float] = UNBOUNDED,
    ) -> ConfidenceInterval:
        """Return the hull of a t interval and of the limits from means of subsets of groups."""
        if self.many_alike:
            return ci
        limits = subset_limits(self.sums, self.shares, tail_probability(ci.confidence, side))
        return hull(ci, limits, side, bounds)

    def with_flips(
        self,
        pvalue: float,
        ci: ConfidenceInterval,
        estimate: float,
        side: Alternative,
        bounds: tuple[float, float] = UNBOUNDED,
    ) -> tuple[float, ConfidenceInterval]:
        """Return the larger p-value of t and of sign flips, and an interval to match."""
        if self.many_alike:
            return pvalue, ci
        larger = max(pvalue, self.pvalue(side))
        wider = self.widened(ci, side, bounds)
        return larger, agreeing(wider, larger, 1 - ci.confidence, estimate, side)


def max_flip(
    of_groups: GroupSums, se: FloatArray, side: Alternative
) -> tuple[FloatArray, FloatArray]:
    """Return mid-p values by flips of whole groups, alone and step-down (Westfall & Young 1993)."""
    scaled = of_groups.sums[in_order(of_groups.sums, of_groups.shares)] / se
    ordered_alone, _ = each_in_order(of_groups.sums, of_groups.shares)
    separately = ordered_alone / se
    observed = towards(scaled.sum(axis=0), side)
    groups, differences = scaled.shape
    order = np.argsort(observed, kind="stable")
    columns = np.hstack([scaled, separately])
    size_of = np.abs(scaled).sum(axis=0)

    def drawn() -> Iterator[FloatArray]:
        """Yield each difference alone, and the largest of those that are not beyond it."""
        for block in sign_sums(columns, _INNER, _DRAWS, _FLIP_SEED):
            sums = towards(block, side)
            largest = np.empty_like(sums[:, :differences])
            largest[:, order] = np.maximum.accumulate(sums[:, order], axis=1)
            yield np.hstack([sums[:, differences:], largest])

    above, tied, size = _beyond(drawn(), np.tile(observed, 2), np.tile(size_of, 2), groups > _INNER)
    p = np.minimum((above + tied / 2).reshape(2, differences) / size, 1.0)
    if side == "two-sided":
        p[:, observed == 0] = 1.0
    else:
        p[:, observed == 0] = 0.5
    p_alone, p_step_down = p
    # none smaller than that of a larger difference
    p_step_down[order] = np.maximum.accumulate(p_step_down[order][::-1])[::-1]
    return p_alone, p_step_down


def each_in_order(sums: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns of sums each in its own order of groups, and the weights in all of them."""
    orders = np.stack([in_order(column, weights) for column in sums.T], axis=1)
    return np.take_along_axis(sums, orders, axis=0), weights[orders[:, 0]]


def in_order(sums: FloatArray, weights: FloatArray) -> IntArray:
    """Return an order of groups in which neither their names nor the models' order has a part."""
    columns = sums.reshape(len(sums), -1)
    turned = columns * np.where(columns.sum(axis=0) < 0, -1.0, 1.0)
    keys = np.column_stack([turned, weights])
    scale = np.maximum(np.abs(keys).max(axis=0), 1e-300)
    return np.lexsort(np.round(keys / scale, 9).T)


def subset_limits(
    sums: FloatArray, weights: FloatArray, tail: float
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper limits that leave `tail` on either side."""
    columns, ordered_weights = each_in_order(sums.reshape(len(sums), -1), weights)
    means = _means(columns, ordered_weights)
    # quantiles of the means, the true difference being between two of them alike
    count = means.shape[1]
    lower = max(0, math.floor(tail * (count + 1) - 0.5))
    upper = count - 1 - lower
    low, high = np.partition(means, [lower, upper], axis=1)[:, [lower, upper]].T
    return low.reshape(sums.shape[1:]), high.reshape(sums.shape[1:])


def _means(sums: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the means of subsets, shape (P, m), each with that of its complement."""
    both = np.column_stack([weights, sums])
    total = both.sum(axis=0)
    # sums of small whole numbers are exact in single precision, which is as fast again
    whole = np.abs(both).sum(axis=0).max() < 1 << 24 and (both == np.rint(both)).all()
    kind: type[np.floating[Any]] = np.float64
    if whole:
        kind = np.float32
    parts = []
    for chosen in _subsets(len(weights)):
        inside = (chosen.astype(kind) @ both.astype(kind)).astype(np.float64)
        inside = inside[(inside[:, 0] > 0) & (inside[:, 0] < total[0])]
        outside = total - inside
        parts.append((inside[:, 1:] / inside[:, :1]).T)
        parts.append((outside[:, 1:] / outside[:, :1]).T)
    parts.append((total[1:] / total[0])[:, None])
    return np.concatenate(parts, axis=1)


@lru_cache(maxsize=1)  # all pairs of models share them: 33 million bytes at most
def _subsets(groups: int) -> list[NDArray[np.uint8]]:
    """Return rows of 0 and 1 that choose groups: all without the last one, or a seeded draw."""
    if groups <= _ENUMERATED:
        numbers = np.arange(1, 1 << (groups - 1))[:, None]
        return [((numbers >> np.arange(groups)) & 1).astype(np.uint8)]
    draws = min(_MOST, max(_LEAST, _WORK // groups))
    rng = np.random.default_rng(_SUBSET_SEED)
    block = max(1, _CELLS // groups)
    chosen = []
    for start in range(0, draws, block):
        size = (min(block, draws - start), math.ceil(groups / 8))
        drawn = rng.integers(0, 256, size, dtype=np.uint8)
        chosen.append(np.unpackbits(drawn, axis=1, count=groups))
    return chosen


def hull(
    ci: ConfidenceInterval,
    limits: Iterable[FloatArray | float],
    side: Alternative,
    bounds: tuple[float, float] = UNBOUNDED,
) -> ConfidenceInterval:
    """Return the hull of an interval and of the limits from means of subsets, within `bounds`."""
    lower, upper = map(float, limits)
    low = float(ci.low)
    high = float(ci.high)
    if side != "less":
        low = float(max(min(low, lower), bounds[0]))
    if side != "greater":
        high = float(min(max(high, upper), bounds[1]))
    return ConfidenceInterval(low, high, ci.confidence, HULL)


def agreeing(
    ci: ConfidenceInterval, pvalue: float, alpha: float, estimate: float, side: Alternative
) -> ConfidenceInterval:
    """Let an interval exclude 0 where p ≤ α, and hold it where p > α; as it is without a p."""
    low, high = ci
    if pvalue > alpha:
        low = min(low, 0.0)
        high = max(high, 0.0)
    elif pvalue <= alpha:
        least = _OPEN * abs(estimate)
        if side == "greater" or (side == "two-sided" and estimate > 0):
            low = max(low, least)
        else:
            high = min(high, -least)
    return ConfidenceInterval(low, high, ci.confidence, ci.method)


@dataclasses.dataclass(frozen=True)
class Leverage:
    """The groups of rows, and what sums over them are divided by, row by row."""

    codes: IntArray  # the group of each row
    root: FloatArray  # √(1 − p), p the share of the row's group in the rows, or in its class
    df: float  # Bell & McCaffrey's degrees of freedom; 0 where all rows of a class are in one group
    shares: FloatArray  # of each group: in the rows, or the mean of its shares in the classes
    factor: float = 1.0  # of a variance

    @classmethod
    def from_codes(cls, codes: IntArray, classes: IntArray | None = None) -> Leverage:
        """Find the leverage of rows by the codes of their groups, and of their classes."""
        if classes is None:
            classes = np.zeros(len(codes), dtype=np.intp)
        counts = np.zeros((int(classes.max()) + 1, int(codes.max()) + 1))
        np.add.at(counts, (classes, codes), 1.0)
        occupied = counts[counts.sum(axis=1) > 0]
        of_classes = occupied / occupied.sum(axis=1, keepdims=True)
        row_shares = counts[classes, codes] / counts.sum(axis=1)[classes]
        shares = of_classes.mean(axis=0)
        df = 0.0
        # no group holds a whole class
        if not (of_classes == 1).any():
            df = degrees_of_freedom(shares)
        return cls(codes, np.sqrt(np.maximum(1 - row_shares, 0.0)), df, shares)

    @classmethod
    def alike(cls, codes: IntArray) -> Leverage:
        """Divide by nothing, with the factor of as many groups of one size."""
        count = int(codes.max()) + 1
        factor = math.nan
        if count > 1:
            factor = count / (count - 1)
        return cls(codes, np.ones(len(codes)), count - 1.0, np.full(count, 1 / count), factor)


@dataclasses.dataclass(frozen=True)
class Spread:
    """How precisely a metric is known."""

    se: float
    df: float  # those of the units, or fewer where a few of them carry the variance
    units: float  # independent ones: rows, with their pseudo-rows, or clusters

    def around(self, value: float) -> Estimate:
        """Return a value that is known so precisely."""
        return Estimate(value=value, se=self.se, df=self.df)


def spread(
    psi: FloatArray,
    *,
    weights: FloatArray | None = None,
    pseudo: tuple[FloatArray, FloatArray] | None = None,
    groups: Leverage | None = None,
) -> Spread:
    """Return standard error and degrees of freedom of a metric from its influence values."""
    # se² = G/(G − 1)·ΣS²/n², S the G influence values, and ν = min(G − 1, 2s₂²/(s₄ − s₂²/G)) with
    # s_k = ΣS^k (Satterthwaite's 1946 idea applied to influence values). In groups se² = ΣS²/n², S
    # the sums by group, each divided by the root of one less its share, and ν at most Bell &
    # McCaffrey's: the same for groups of one size.
    pseudo_values = np.empty(0)
    pseudo_weights = np.empty(0)
    if pseudo is not None:
        pseudo_values, pseudo_weights = pseudo
    if weights is None:
        weights = np.ones(len(psi))
    n = float(weights.sum() + pseudo_weights.sum())
    if groups is None:
        sums = psi
        counts = weights
        units = n
        factor = math.nan
        if units > 1:
            factor = units / (units - 1)
        largest_df = units - 1
    else:
        counts = np.ones(len(groups.shares))
        units = float(len(groups.shares))
        factor = groups.factor
        largest_df = groups.df
        if not groups.df > 0:
            return Spread(math.nan, 0.0, units)
        sums = np.bincount(groups.codes, psi / groups.root * weights).astype(np.float64)
    # fourth powers of large numbers would overflow
    scale = max(_largest(sums), _largest(pseudo_values)) or 1.0
    # the slope of a root of 0 has no value
    if math.isinf(scale):
        return Spread(math.nan, largest_df, units)
    if units <= 1:
        return Spread(math.nan, math.nan, units)
    second = 0.0
    fourth = 0.0
    for values, times in ((sums, counts), (pseudo_values, pseudo_weights)):
        powers = values / scale
        powers *= powers
        second += float(times @ powers)
        powers *= powers
        fourth += float(times @ powers)
    se = scale * math.sqrt(factor * second) / n
    excess = fourth - second**2 / units
    df = largest_df
    if excess > 0:
        df = min(largest_df, 2 * second**2 / excess)
    return Spread(se, df, units)


def _largest(values: FloatArray) -> float:
    """Return the largest absolute value; 0 of none."""
    return float(max(values.max(initial=0), -values.min(initial=0)))


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusteredResult(Result):
    """A `Result` on rows that come in groups; `n` counts the rows.

    Attributes
    ----------
    n_clusters : int
        Number of groups.
    n_effective : float
        Independent rows that would tell as much: n/design_effect.
    design_effect : float
        Variance of the estimate over that of independent rows, at least 1.
    icc : float
        Intraclass correlation of the differences per row; NaN where it is undefined.
    """

    n_clusters: int
    n_effective: float
    design_effect: float
    icc: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusteredEquivalenceResult(ClusteredResult, EquivalenceResult):
    """An `EquivalenceResult` on rows that come in groups, with what `ClusteredResult` has."""


def too_few_clusters(clusters: int, alpha: float) -> bool:
    """Whether no sign flip of so many clusters could reach the level: 2^(1 − K) > α."""
    return 2.0 ** (1 - clusters) > alpha * (1 + 1e-9)


def too_few_degrees(df: float) -> bool:
    """Whether a robust variance has too few degrees of freedom to be trusted: below 4."""
    return df < _LEAST_DF - 1e-9


def enough_degrees(clusters: Clusters, df: float) -> Assumption:
    """Return the assumption that the groups give a robust variance enough degrees of freedom."""
    return Assumption(
        "enough groups",
        not too_few_degrees(df),
        f"{clusters.count} groups of these sizes give {df:.1f} degrees of freedom; it wants 4",
    )


def too_few_for_t(variant: str, clusters: int, df: float) -> bool:
    """Whether a t form of a mean or an area has too little to go by."""
    if variant in ("influence_t", "t_and_flips"):
        return clusters < FEWEST_CLUSTERS or df < 1
    return variant == "robust_t" and too_few_degrees(df)


def independent_clusters(clusters: Clusters) -> Assumption:
    """Return the assumption that the groups are independent, with their number."""
    if clusters.trivial:
        return Assumption(
            "independent rows", None, "every row is a group of its own; none were declared"
        )
    return Assumption(
        "independent groups",
        None,
        f"{clusters.n} rows in {clusters.count} groups, the largest has "
        f"{100 * float(clusters.shares.max()):.0f} % of the rows; rows of one group may depend on "
        "each other, groups may not",
    )


def symmetric_differences(weights: FloatArray, sums: FloatArray | None = None) -> Assumption:
    """Return the assumption that carries every test of few groups, and what the data say of it."""
    # Group means are skewed to the side that the estimate does not lie on where a few groups speak
    # strongly against it: had these not been drawn, all others would have agreed. Means of small
    # groups are damped, for they scatter. With fewer than 60 groups a twentieth of them is missed
    # with a probability of 5 % (.95^60) or more, so that data cannot show symmetry.
    count = len(weights)
    against = 0.0
    if sums is not None:
        against = _skewness_against(weights, sums.reshape(count, -1))
    holds: bool | None = None
    detail = (
        f"{count} groups; the differences of the groups must be as likely one way as the other, "
        f"which fewer than {_SHOWS_SYMMETRY} cannot show"
    )
    if count >= _SHOWS_SKEW and against > _SKEWED:
        holds = False
        detail = (
            f"a few of {count} groups differ strongly against the estimate (skewness "
            f"{against:.1f}); on such data true null hypotheses are rejected too often"
        )
    elif count >= _SHOWS_SYMMETRY:
        holds = True
        detail = f"{count} groups, whose differences are not skewed against the estimate"
    return Assumption("symmetric group differences", holds, detail)


def _skewness_against(weights: FloatArray, sums: FloatArray) -> float:
    """Return the skewness of damped group means away from the estimate, the largest of columns."""
    sizes = weights[:, None]
    mean = sums.sum(axis=0) / weights.sum()
    damped = (sums - sizes * mean) / (1 + sizes / np.median(sizes))
    damped = damped - damped.mean(axis=0)
    second = np.square(damped).mean(axis=0)
    third = (damped**3).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.where(second > 0, third / second**1.5, 0.0)
    return -float((skewness * np.sign(mean)).min())


def cluster_assumptions(
    clusters: Clusters, sums: FloatArray, nonzero: int, alpha: float
) -> tuple[Assumption, ...]:
    """Return what a test by sign flips assumes of the groups, and what the data say."""
    k = clusters.count
    smallest = 2.0**-nonzero
    if too_few_clusters(k, alpha):
        needed = math.ceil(1 - math.log2(alpha) - 1e-9)
        enough = Assumption(
            "enough groups",
            False,
            f"{_counted(clusters.n, 'row')} in {_counted(k, 'group')}, and at a level of "
            f"{alpha:.3g} it takes {needed} groups: the signs of fewer can never reject",
        )
    else:
        enough = Assumption(
            "enough groups that differ",
            smallest <= alpha,
            f"the models differ in {nonzero} of {k} groups: the smallest two-sided mid-p-value "
            f"that these can give is {smallest:.3g}",
        )
    return independent_clusters(clusters), enough, symmetric_differences(clusters.sizes, sums)


def _counted(n: int, noun: str) -> str:
    if n == 1:
        return f"1 {noun}"
    return f"{n:,} {noun}s"


@dataclasses.dataclass(frozen=True)
class GroupTest:
    """How a mean difference on rows in groups is tested."""

    clusters: Clusters  # the groups
    sums: FloatArray  # (K,): D_k, the sum of the differences in each group
    dependence: Dependence  # with the standard error of their mean and its degrees of freedom
    variant: str  # one of `SOURCES`
    side: Alternative
    level: float  # of the interval; 1 − it is the level that the number of groups must allow
    n_resamples: int = 0  # of the signs where the sums are no whole numbers
    seed: int = 0

    @property
    def estimate(self) -> float:
        """The mean difference over rows."""
        return float(self.sums.sum()) / self.clusters.n

    @cached_property
    def tails(self) -> Tails:
        """The distribution of the sum under sign flips."""
        return flip_tails(self.sums, n_resamples=self.n_resamples, seed=self.seed)

    @property
    def status(self) -> Status:
        """Whether the groups allow an answer."""
        if not self.sums.any():
            return Status.IDENTICAL_SCORES
        count = self.clusters.count
        flips = self.variant in FLIPS
        few = too_few_for_t(self.variant, count, self.dependence.df)
        if few or (flips and too_few_clusters(count, 1 - self.level)):
            return Status.TOO_FEW
        if flips or self.dependence.se > 0:
            return Status.OK
        return Status.ZERO_VARIANCE

    @property
    def by_t(self) -> Estimate:
        """The mean difference with its robust standard error."""
        dependence = self.dependence
        return Estimate(value=self.estimate, se=dependence.se, df=dependence.df)

    def result(
        self,
        details: dict[str, Any],
        ci: ConfidenceInterval | None,
        bounds: tuple[float, float] | None,
        **facts: Any,
    ) -> ClusteredResult:
        """Return the result; with bounds the interval becomes the hull with that of subsets."""
        dependence = self.dependence
        alpha = 1 - self.level
        status = facts.pop("status", self.status)
        df = None
        if self.variant in FLIPS:
            statistic = float(self.sums.sum())
            formula = self.tails.pvalue(self.side, exact=self.variant == "sign_flip_exact")
        else:
            statistic = self.by_t.statistic
            formula = self.by_t.pvalue(self.side)
            df = dependence.df
        statistic, pvalue = answered(status, statistic, formula, self.estimate)
        if ci is not None and bounds is not None:
            tail = tail_probability(self.level, self.side)
            limits = subset_limits(self.sums, self.clusters.sizes, tail)
            ci = hull(ci, limits, self.side, bounds)
            ci = agreeing(ci, pvalue, alpha, self.estimate, self.side)
        nonzero = int(np.count_nonzero(self.sums))  # groups that differ: K′
        assumptions = cluster_assumptions(self.clusters, self.sums, nonzero, alpha)
        ratio = math.nan
        if dependence.design_effect_raw > 0:
            ratio = dependence.design_effect_cr1 / dependence.design_effect_raw
        return ClusteredResult(
            variant=self.variant,
            statistic=statistic,
            df=df,
            pvalue=pvalue,
            alternative=self.side,
            estimate=self.estimate,
            ci=ci,
            status=status,
            assumptions=(*assumptions, *facts.pop("assumptions", ())),
            method=SOURCES[self.variant],
            details={
                "n_clusters_nonzero": nonzero,
                "largest_share": dependence.largest_share,
                "formula_pvalue": formula,
                "smallest_pvalue": 2.0**-nonzero,
                "se": dependence.se,
                "se_cr1": dependence.se * math.sqrt(ratio),
                "df": dependence.df,
                "design_effect_raw": dependence.design_effect_raw,
                **details,
            },
            **dependence.worth,
            **facts,
        )


def mean_in_groups(
    d: FloatArray,
    noise: float,
    clusters: Clusters,
    variant: str,
    side: Alternative,
    level: float,
    n_resamples: int,
    seed: int,
    details: dict[str, Any],
    **facts: Any,
) -> ClusteredResult:
    """Test the mean of differences per row, of which `noise` is none, with the interval of t."""
    # what cancels inside a group leaves float noise, not a difference
    sums = clusters.sums(d)
    sums = np.where(np.abs(sums) <= noise + 1e-12 * clusters.sums(np.abs(d)), 0.0, sums)
    dependence = describe(d, clusters)
    if variant != "robust_t":
        df = spread(d - d.mean(), groups=Leverage.from_codes(clusters.codes)).df
        dependence = dataclasses.replace(dependence, df=df)
    if not dependence.se > noise / math.sqrt(clusters.n):
        dependence = dataclasses.replace(dependence, se=0.0)
    test = GroupTest(clusters, sums, dependence, variant, side, level, n_resamples, seed)
    assumptions = []
    if variant == "sign_flip":
        assumptions.append(_enough_for_midp(clusters.count))
    if variant not in FLIPS:
        ci = test.by_t.interval(level, side, variant)
        return test.result(details, ci, None, assumptions=assumptions, **facts)

    details["pvalue_exact"] = test.tails.pvalue(side, exact=True)
    details["method"] = "exact"
    details["monte_carlo_error"] = 0.0
    draws = test.tails.draws
    if draws:
        midp = test.tails.pvalue(side)
        details["method"] = "draws"
        details["monte_carlo_error"] = math.sqrt(midp * (1 - midp) / draws)
    ci = test.by_t.interval(level, side, "influence_t")
    return test.result(details, ci, UNBOUNDED, assumptions=assumptions, **facts)


def _enough_for_midp(count: int) -> Assumption:
    detail = (
        f"{count} groups; below {_MIDP_CLUSTERS} take variant sign_flip_exact, the "
        "mid-p of numbers rejects a little too often there"
    )
    return Assumption("enough groups for the mid-p", count >= _MIDP_CLUSTERS, detail)

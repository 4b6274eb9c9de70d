"""The distribution of a sum of signed cluster sums, S* = Σ ±|D_k| with independent fair signs.

Exchanging two models in a whole cluster changes the sign of its D_k, so under the null the signs
are coins. Whole numbers: the convolution of v(2·Bin(m, ½) − m) over the distinct |D| = v that
occur m times (Pagano & Tritchler 1983), by Fourier inversion after exponential tilting to
the observed sum, which keeps every digit of the smallest tail; a few clusters with large sums one
after the other, for their transform fades at no frequency. Other numbers: all 2^K signs up to
K = 20, seeded draws beyond.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core import mcnemar_kernels as kernels
from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.arithmetic import exp, log
from bakeoff.stats.core.checks import FloatArray, IntArray
from bakeoff.stats.core.result import Alternative

FLIPS = ("sign_flip", "sign_flip_exact")
MOST_ENUMERATED = 20
_TIES = 1e-9
_NEGLIGIBLE = 32.0  # in logs: e^-32 is 1e-14 of a probability
_LARGEST_LATTICE = 1 << 22
_CELLS = 1 << 22  # numbers at work at a time
_MOST_ADDED = 400  # clusters whose sums are added one after the other
_LARGE = 1 << 18  # distinct sums × lattice points from which on an inversion is slow


@dataclasses.dataclass(frozen=True)
class Tails:
    """P(S* > |S|) and P(S* = |S|) for each pair, and how they were found.

    Attributes
    ----------
    total : ndarray
        The observed S.
    above, equal : ndarray
        The two probabilities.
    method : {"exact", "draws"}
        Whether every sign was counted.
    draws : int
        Number of draws; 0 for the exact distribution.
    signs : tuple of ndarray, optional
        Positive and negative sums of the pairs whose |D_k| are all one number, else NaN.
    """

    total: FloatArray
    above: FloatArray
    equal: FloatArray
    method: str = "exact"
    draws: int = 0
    signs: tuple[FloatArray, FloatArray] | None = None

    def pvalue(self, side: Alternative, *, exact: bool = False) -> FloatArray:
        """Return the mid-p, or the p that counts the observed sum in full."""
        weight = 1.0 if exact else 0.5
        near, far = self.above + weight * self.equal, 1 - self.above - (1 - weight) * self.equal
        tied = self.total == 0
        near = np.where(tied, 0.5 + (weight - 0.5) * self.equal, near)
        far = np.where(tied, near, far)
        positive = self.total >= 0
        greater, less = np.where(positive, near, far), np.where(positive, far, near)
        both = 2 * np.minimum(greater, less)
        chosen: FloatArray = {"greater": greater, "less": less, "two-sided": both}[side]
        chosen = np.minimum(chosen, 1.0)
        if self.signs is None:
            return chosen
        # one size of sum: McNemar's test, to the last bit
        b, c = self.signs
        known = ~np.isnan(b)
        function = kernels.exact_pvalue if exact else kernels.midp_pvalue
        chosen[known] = function(b[known], c[known], side)
        return chosen


def flip_tails(sums: FloatArray, *, n_resamples: int, seed: Seed) -> Tails:
    """Return the tails of the cluster sums (K,) of one pair."""
    magnitude = np.abs(sums[sums != 0])
    total = float(sums.sum())
    if np.array_equal(magnitude, np.rint(magnitude)):
        values, counts = np.unique(magnitude, return_counts=True)
        if len(values) and _lattice(values, counts[None, :].astype(np.float64)) < _LARGEST_LATTICE:
            return whole_tails(values, counts[None, :].astype(np.float64), np.array([total]))
    scale = float(magnitude.sum())
    if len(magnitude) <= MOST_ENUMERATED:
        drawn = all_sign_sums(magnitude)
    else:
        drawn = _drawn_sums(magnitude, n_resamples, seed)
    gap = drawn - abs(total)
    equal = np.abs(gap) <= _TIES * scale
    above = float(np.count_nonzero((gap > 0) & ~equal))
    same = float(np.count_nonzero(equal))
    if len(magnitude) <= MOST_ENUMERATED:
        size = float(len(drawn))
        return Tails(np.array([total]), np.array([above / size]), np.array([same / size]))
    # the observed sum counts as one more draw, by half on either side
    size = n_resamples + 1.0
    found = np.array([total]), np.array([above / size]), np.array([(same + 1) / size])
    return Tails(*found, "draws", n_resamples)


def all_sign_sums(magnitude: FloatArray) -> FloatArray:
    """Return all 2^K signed sums."""
    sums = np.zeros(1)
    for value in magnitude:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _drawn_sums(magnitude: FloatArray, n_resamples: int, seed: Seed) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [signs @ magnitude for signs in sign_blocks(rng, len(magnitude), n_resamples)]
    )


def sign_blocks(rng: np.random.Generator, clusters: int, draws: int) -> Iterator[FloatArray]:
    """Draw (draws, clusters) fair signs, in blocks that fit the memory."""
    block = max(1, _CELLS // clusters)
    for start in range(0, draws, block):
        size = min(block, draws - start), clusters
        yield (1 - 2 * rng.integers(0, 2, size)).astype(np.float64)


def whole_tails(values: FloatArray, counts: FloatArray, total: FloatArray) -> Tails:
    """Return the exact tails for many pairs at once.

    Parameters
    ----------
    values : ndarray, shape (V,)
        The distinct |D| > 0, whole numbers.
    counts : ndarray, shape (P, V)
        How often each occurs, per pair.
    total : ndarray, shape (P,)
        The observed S.
    """
    above, equal = np.zeros(len(total)), np.ones(len(total))
    wins, losses = (np.full(len(total), math.nan) for _ in range(2))
    distinct = (counts > 0).sum(axis=1)
    one = distinct == 1
    if one.any():
        size = values[np.argmax(counts[one] > 0, axis=1)]
        m, surplus = counts[one].sum(axis=1), total[one] / size
        wins[one], losses[one] = (m + surplus) / 2, (m - surplus) / 2
        most = np.maximum(wins[one], losses[one])
        equal[one] = kernels.half_pmf(most, m)
        above[one] = kernels.exact_pvalue(most + 1, m - most - 1, "greater")
    several = distinct > 1
    added = several & (counts.sum(axis=1) <= _MOST_ADDED)
    if added.any() and len(values) * _lattice(values, counts[added]) > _LARGE:
        for pair in np.flatnonzero(added):
            above[pair], equal[pair] = _added(values, counts[pair], abs(float(total[pair])))
        several &= ~added
    if several.any():
        used = counts[several].any(axis=0)
        found = _inverted(values[used], counts[several][:, used], np.abs(total[several]))
        above[several], equal[several] = found
    return Tails(total, above, equal, signs=(wins, losses))


def _added(values: FloatArray, counts: FloatArray, total: float) -> tuple[float, float]:
    """Return the tails of one pair, from the number of choices of positive signs per sum."""
    sums = np.repeat(values, counts.astype(np.intp)).astype(np.intp)
    unit = int(np.gcd.reduce(sums))
    sums //= unit
    ways, reach = np.zeros(int(sums.sum()) + 1), 0
    ways[0] = 1.0
    for size in sums:
        more = ways[: reach + 1].copy()
        reach += int(size)
        ways[size : reach + 1] += more
    observed = (reach + round(total / unit)) // 2  # S* = 2U − Σ|D| with U the positive part
    share = 2.0 ** -len(sums)
    return float(ways[observed + 1 :].sum()) * share, float(ways[observed]) * share


def _lattice(values: FloatArray, counts: FloatArray) -> int:
    """Return the lattice points of Σ v·Bin(m, q) that hold all but e^-32 of it at any q.

    Half the width is Bernstein's bound for the untilted (widest) spread, or the whole range.
    """
    largest = float(values.max())
    spread = float((counts @ np.square(values)).max()) / 4
    step = 2 * _NEGLIGIBLE / 3 * largest
    half = (step + math.sqrt(step**2 + 8 * _NEGLIGIBLE * spread)) / 2
    needed = min(2 * half, float((counts @ values).max()) + 1)
    return 1 << max(3, math.ceil(math.log2(needed + 1)))


def _tilt(values: FloatArray, counts: FloatArray, total: FloatArray) -> FloatArray:
    """Solve Σ m v tanh(θv) = |S| for θ ≥ 0, from below (the left side is concave in θ)."""
    theta = np.zeros(len(total))
    range_ = counts @ values
    target = np.minimum(total, range_ * (1 - 1e-12))
    for _ in range(100):
        hyperbolic = 2 * special.expit(2 * theta[:, None] * values) - 1
        gap = target - (counts * values * hyperbolic).sum(axis=1)
        slope = (counts * np.square(values) * (1 - np.square(hyperbolic))).sum(axis=1)
        step = np.maximum(gap, 0.0) / np.maximum(slope, 1e-300)
        theta = theta + np.minimum(step, 1 / values.min())
        if not (step > 1e-9 * (theta + 1e-12)).any():
            break
    return theta


def _inverted(
    values: FloatArray, counts: FloatArray, total: FloatArray
) -> tuple[FloatArray, FloatArray]:
    size = _lattice(values, counts)
    block = max(1, _CELLS // size)
    parts = [
        _invert_block(values, counts[i : i + block], total[i : i + block], size)
        for i in range(0, len(total), block)
    ]
    above, equal = (np.concatenate(column) for column in zip(*parts, strict=True))
    return above, equal


def _invert_block(
    values: FloatArray, counts: FloatArray, total: FloatArray, size: int
) -> tuple[FloatArray, FloatArray]:
    """Tails by one Fourier inversion per pair on a lattice of `size` points.

    U = Σ v·Bin(m, ½) and S* = 2U − Σ m v. Tilted by e^(θS*) its mean is the observed sum, where
    the density is largest; undoing the tilt multiplies by C·e^(−2θj) j points above it. The sum
    over j is a geometric series inside the inversion, so no density is ever written down.
    """
    theta = _tilt(values, counts, total)
    up = special.expit(2 * theta[:, None] * values)  # P(sign = +) under the tilt
    spread = 4 * up * (1 - up)
    room = np.rint((counts @ values - total) / 2)  # how far the largest possible sum is
    observed = (total + counts @ values) / 2
    angle = 2 * math.pi * np.arange(size // 2 + 1) / size
    at, where = _needed(values, counts * spread, angle)
    log_size, phase = np.zeros(len(at)), -np.mod(angle[where] * observed[at], 2 * math.pi)
    for v, value in enumerate(values):
        q, m, half = up[at, v], counts[at, v], value * angle[where] / 2
        sine, cosine = np.sin(half), np.cos(half)
        lost = spread[at, v] * np.square(sine)
        log_size += m * log(np.maximum(1 - lost, 1e-300)) / 2
        # 1 − q + q·e^(2i·half); the logarithm of a complex number knows its angle
        phase += m * np.log(1 - 2 * q * np.square(sine) + 2j * q * sine * cosine).imag
    both_ends = (where == 0) | (2 * where == size)  # other frequencies come in conjugate pairs
    weight = np.where(both_ends, 1.0, 2.0) / size
    real, imaginary = _polar(log_size, phase)
    series = _geometric(-2 * theta[at], -angle[where], np.minimum(room[at], size // 2))
    pairs = len(total)
    density = np.bincount(at, weight * real, pairs)
    beyond = np.bincount(at, weight * (real * series[0] - imaginary * series[1]), pairs)
    arm = theta[:, None] * values
    log_cosh = np.logaddexp(arm, -arm) - math.log(2)
    scale = exp((counts * log_cosh).sum(axis=1) - theta * total)
    last = room == 0  # every sign points one way
    equal = np.where(last, special.exp2(-counts.sum(axis=1)), scale * np.maximum(density, 0.0))
    return np.where(last, 0.0, scale * np.maximum(beyond, 0.0)), equal


def _needed(values: FloatArray, spread: FloatArray, angle: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the pairs and frequencies at which the transform is not negligible.

    log|φ|² = Σ m log(1 − spread·sin²) ≤ −Σ m·spread·sin², which costs one matrix product.
    """
    block = max(1, _CELLS // (len(values) + len(spread)))
    found = []
    for start in range(0, len(angle), block):
        turns = np.outer(values, angle[start : start + block])
        at, where = np.nonzero(spread @ np.square(np.sin(turns / 2)) < 2 * _NEGLIGIBLE)
        found.append((at, where + start))
    at, where = (np.concatenate(column) for column in zip(*found, strict=True))
    return at, where


def _geometric(
    log_ratio: FloatArray, turn: FloatArray, terms: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return real and imaginary part of Σ r^j for j = 1, ..., terms, log r = log_ratio + i·turn.

    In real numbers, for a product of complex ones is rounded as the processor likes.
    """
    first, last = _polar(log_ratio, turn), _polar((terms + 1) * log_ratio, (terms + 1) * turn)
    top, gap = (first[0] - last[0], first[1] - last[1]), (1 - first[0], -first[1])
    norm = np.square(gap[0]) + np.square(gap[1])
    close = norm < 1e-24
    norm = np.where(close, 1.0, norm)
    real = np.where(close, terms, (top[0] * gap[0] + top[1] * gap[1]) / norm)
    return real, np.where(close, 0.0, (top[1] * gap[0] - top[0] * gap[1]) / norm)


def _polar(log_size: FloatArray, phase: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return real and imaginary part of e^(log_size + i·phase)."""
    size = exp(log_size)
    return size * np.cos(phase), size * np.sin(phase)


def smallest_pvalue(nonzero: NDArray[np.number] | int) -> FloatArray:
    """Return 2^−K′, the smallest two-sided mid-p of K′ cluster sums that are not 0."""
    return special.exp2(-np.asarray(nonzero, dtype=np.float64))

"""Which hypotheses on all pairs of k models can be true at once, and what that gives.

If A = B and B = C then A = C: the true hypotheses are the pairs inside the groups of a partition of
the models.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError

METHODS = ("shaffer", "bergmann-hommel")
"""The corrections that use which hypotheses can be true at once."""
MOST_MODELS = 15
"""How many `bergmann_hommel` takes: its sets are all partitions of them."""


def shaffer_factors(m: int) -> FloatArray:
    """Return, for m ascending p-values, how many hypotheses can be true when those before fell."""
    counts = np.array(_true_counts(_models(m)))
    remaining = np.arange(m, 0, -1)
    factors = counts[np.searchsorted(counts, remaining, side="right") - 1]
    return factors.astype(np.float64)


def bergmann_hommel(p: FloatArray) -> FloatArray:
    """Adjust p-values: the largest |I| min p(I) over the exhaustive sets I that hold the pair."""
    k = _models(len(p))
    if k > MOST_MODELS:
        raise ArgumentError(
            "pvalues", f"bergmann-hommel takes up to {MOST_MODELS} models, found {k}; use shaffer"
        )
    thresholds = np.unique(p)
    largest = _largest_exhaustive_sets(p, k, thresholds)
    return _monotone(p, (thresholds * largest).max(axis=1))


def _monotone(p: FloatArray, adjusted: FloatArray) -> FloatArray:
    """Raise each adjusted p-value to the largest among those whose raw one is no larger.

    Raw p-values that differ by rounding errors alone count as equal, and get equal adjusted
    ones: otherwise the numbering of the models would decide between them.
    """
    mantissa, exponent = np.frexp(p)
    key = np.ldexp(np.round(mantissa * 2.0**40), exponent)
    order = np.argsort(key, kind="stable")
    last_of_ties = np.searchsorted(key[order], key, side="right") - 1
    raised: FloatArray = np.maximum.accumulate(adjusted[order])[last_of_ties]
    return raised


def _largest_exhaustive_sets(p: FloatArray, k: int, thresholds: FloatArray) -> NDArray[np.int16]:
    """Return, for each pair (rows) and threshold, the size of the largest exhaustive set.

    Only sets whose p-values all reach the threshold count; 0 where none holds the pair. A set
    of models is a bit mask; `best[S]` is the largest number of pairs that a partition of S has.
    """
    masks = np.arange(1 << k)
    size = np.array([mask.bit_count() for mask in masks.tolist()])
    weakest = _smallest_pvalue_inside(p, k)
    impossible = -k * k
    pairs_inside = (size * (size - 1) // 2)[:, None]
    gain = np.where(weakest[:, None] >= thresholds, pairs_inside, impossible).astype(np.int16)
    best = np.zeros((1 << k, len(thresholds)), dtype=np.int16)
    for whole in range(1, 1 << k):
        lowest = whole & -whole
        groups = _submasks(whole ^ lowest) | lowest
        best[whole] = (gain[groups] + best[whole ^ groups]).max(axis=0)
    with_group = gain + best[::-1]
    largest = [
        with_group[(masks >> i) & (masks >> j) & 1 == 1].max(axis=0)
        for i in range(k)
        for j in range(i + 1, k)
    ]
    found: NDArray[np.int16] = np.maximum(np.stack(largest), 0)
    return found


def _smallest_pvalue_inside(p: FloatArray, k: int) -> FloatArray:
    """Return the smallest p-value among the pairs inside each model set (inf without pairs)."""
    between = np.full((k, k), np.inf)
    between[np.triu_indices(k, 1)] = p
    between = np.minimum(between, between.T)
    weakest = np.full(1 << k, np.inf)
    for model in range(k):
        # sets whose highest model is `model`: the set without it, and its pairs with the rest
        rest = 1 << model
        to_rest = np.full(rest, np.inf)
        for other in range(model):
            half = 1 << other
            to_rest[half : 2 * half] = np.minimum(to_rest[:half], between[model, other])
        weakest[rest : 2 * rest] = np.minimum(weakest[:rest], to_rest)
    return weakest


def _submasks(mask: int) -> NDArray[np.int64]:
    """Return every subset of a bit mask."""
    subsets: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
    while mask:
        bit = mask & -mask
        subsets = np.concatenate([subsets, subsets + bit])
        mask ^= bit
    return subsets


def _models(m: int) -> int:
    k = (1 + math.isqrt(1 + 8 * m)) // 2
    if k * (k - 1) // 2 != m:
        raise ArgumentError(
            "pvalues",
            f"found {m}, but all pairs of k models are k(k-1)/2 (1, 3, 6, 10, ...); "
            "for another family use holm or hommel",
        )
    return k


def _true_counts(k: int) -> list[int]:
    """Return the numbers of pairs of k models that can be equal at once, ascending."""
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

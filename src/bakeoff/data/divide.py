"""Ways to divide rows: at random, by groups, by time. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Codes = NDArray[np.intp]
Folds = NDArray[np.int16]


def random_folds(codes: Codes, folds: int, stratify: bool, rng: np.random.Generator) -> Folds:
    """Deal shuffled rows to the folds, class after class, going on where the last class ended."""
    assigned = np.zeros(len(codes), dtype=np.int16)
    order = rng.permutation(folds)
    dealt = 0
    for rows in _strata(codes, stratify):
        turn = (dealt + np.arange(len(rows))) % folds
        assigned[rng.permutation(rows)] = order[turn] + 1
        dealt += len(rows)
    return assigned


def random_test(codes: Codes, test_size: float, stratify: bool, rng: np.random.Generator) -> Folds:
    """Mark a share of the rows; with classes the rounding is settled by largest remainders."""
    assigned = np.zeros(len(codes), dtype=np.int16)
    strata = list(_strata(codes, stratify))
    exact = np.array([len(rows) for rows in strata]) * test_size
    counts = np.floor(exact).astype(int)
    left = round(len(codes) * test_size) - int(counts.sum())
    remainders = np.argsort(-(exact - counts), kind="stable")
    counts[remainders[:left]] += 1
    for rows, count in zip(strata, counts, strict=True):
        assigned[rng.permutation(rows)[:count]] = 1
    return assigned


def _strata(codes: Codes, stratify: bool) -> Iterator[Rows]:
    if not stratify:
        yield np.arange(len(codes))
        return
    for code in range(int(codes.max()) + 1):
        yield np.flatnonzero(codes == code)


def grouped(
    codes: Codes,
    groups: NDArray[np.intp],
    shares: NDArray[np.float64],
    stratify: bool,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Deal whole groups to parts, so that sizes and classes come near the shares."""
    # Large groups first, in random order among those of about one size (so that each division
    # differs), each to the part where it least increases the sum of squared class shares,
    # relative to the part's own share.
    n_groups = int(groups.max()) + 1
    counts = np.zeros((n_groups, int(codes.max()) + 1))
    np.add.at(counts, (groups, codes), 1)
    sizes = counts.sum(axis=1)
    weight = np.column_stack([sizes / sizes.sum()])
    if stratify:
        weight = np.column_stack([weight, counts / np.maximum(counts.sum(axis=0), 1)])
    shuffled = rng.permutation(n_groups)
    order = shuffled[np.argsort(-np.frexp(sizes[shuffled])[1], kind="stable")]
    parts = rng.permutation(len(shares))
    filled = np.zeros((len(shares), weight.shape[1]))
    part_of = np.zeros(n_groups, dtype=np.intp)
    for group in order:
        group_weight = weight[group]
        added = ((2 * filled + group_weight) * group_weight).sum(axis=1) / shares
        part = parts[np.argmin(np.round(added[parts], 12))]  # ties at random
        filled[part] += group_weight
        part_of[group] = part
    return part_of[groups]


def blocks(time: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Cut rows in the order of time into blocks, as near to the shares as ties allow."""
    # Rows of one time are never separated.
    _, position, counts = np.unique(time, return_inverse=True, return_counts=True)
    if len(counts) < len(shares):
        raise ValueError(f"{len(counts)} different times cannot be cut into {len(shares)} blocks")
    before = np.cumsum(counts)
    cuts: list[int] = []
    for i, wanted in enumerate(np.cumsum(shares)[:-1] * len(time)):
        # at least one time for this block and for each of those that follow
        low, high = (cuts[-1] + 1 if cuts else 0), len(counts) - len(shares) + i
        cuts.append(low + int(np.argmin(np.abs(before[low : high + 1] - wanted))))
    return np.searchsorted(np.array(cuts), position, side="left").astype(np.intp)

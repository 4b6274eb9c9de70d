"""Sign flips of whole clusters for several models at once."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats._checks import FloatArray
from bakeoff.stats._sign_flip import MOST_ENUMERATED, all_sign_sums, flip_tails, sign_blocks

_TIES = 1e-9
_INNER = 12  # signs enumerated as one matrix product


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


def joint_flip(totals: FloatArray, *, n_resamples: int, seed: int) -> JointFlip:
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
    blocks = _all_flips(scaled) if enumerated else _drawn_flips(scaled, n_resamples, seed)
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


def _drawn_flips(scaled: FloatArray, n_resamples: int, seed: int) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [
        np.square(signs @ scaled).sum(axis=1)
        for signs in sign_blocks(rng, len(scaled), n_resamples)
    ]

"""Rows that belong together: their labels, the sums inside clusters, the robust variance.

Cluster k has n_k of the N rows and the share p_k = n_k/N; D_k is its sum of a value per row.
Whatever is computed for all pairs of models is computed from these K sums.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray, IntArray, as_array, is_missing
from bakeoff.stats.core.errors import ArgumentError

# a variance this much smaller than what it was summed from is float noise
_NOISE = 1e-24


@dataclasses.dataclass(frozen=True)
class Clusters:
    """The cluster of every row.

    Attributes
    ----------
    codes : ndarray of int, shape (N,)
        The cluster of each row, 0 to K − 1.
    sizes : ndarray, shape (K,)
        Rows of each cluster.
    """

    codes: IntArray
    sizes: FloatArray

    @property
    def n(self) -> int:
        """Number of rows N."""
        return len(self.codes)

    @property
    def count(self) -> int:
        """Number of clusters K."""
        return len(self.sizes)

    @property
    def shares(self) -> FloatArray:
        """Share of the rows in each cluster."""
        return self.sizes / self.n

    @property
    def trivial(self) -> bool:
        """Whether each row is a cluster of its own."""
        return self.count == self.n

    def sums(self, values: NDArray[np.generic]) -> FloatArray:
        """Sum values inside clusters: (N,) to (K,), (N, M) to (K, M)."""
        if values.ndim == 1:
            weights = values.astype(np.float64)
            summed = np.bincount(self.codes, weights=weights, minlength=self.count)
            return np.asarray(summed, dtype=np.float64)
        if values.dtype == np.bool_:
            counts = [np.bincount(self.codes[own], minlength=self.count) for own in values.T]
            return np.array(counts, dtype=np.float64).T
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate(([0], np.cumsum(self.sizes[:-1]))).astype(np.intp)
        total = np.add.reduceat(values[order], starts, axis=0, dtype=np.float64)
        return np.asarray(total, dtype=np.float64)


def as_clusters(groups: ArrayLike | None, n: int, name: str = "groups") -> Clusters:
    """Check one label for each of n rows; None makes every row a cluster of its own."""
    if groups is None:
        return Clusters(np.arange(n), np.ones(n))
    labels = as_array(groups, name)
    if labels.shape != (n,):
        raise ArgumentError(
            name, f"found shape {labels.shape}, needs one label for each of the {n} rows"
        )
    gaps = is_missing(labels) | (np.isnat(labels) if labels.dtype.kind in "mM" else False)
    if gaps.any():
        raise ArgumentError(
            name,
            f"{int(gaps.sum())} missing label(s), first in row "
            f"{int(np.flatnonzero(gaps)[0])}; a row of unknown origin needs a label of its own",
        )
    try:
        found, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ArgumentError(name, "labels of several kinds; use words or numbers alone") from None
    return Clusters(codes, np.bincount(codes, minlength=len(found)).astype(np.float64))


def degrees_of_freedom(shares: FloatArray) -> float:
    """Return Bell & McCaffrey's (2002) degrees of freedom for a mean; 0 for one cluster."""
    if len(shares) < 2:
        return 0.0
    weights = shares / (1 - shares)
    return float(1 / ((weights**2 * (1 - 2 * shares)).sum() + float((shares * weights).sum()) ** 2))


@dataclasses.dataclass(frozen=True)
class Moments:
    """What the robust methods need to know of a value per row, or of one for each pair.

    Each is an array with one entry per column of the cluster sums.

    Attributes
    ----------
    mean : ndarray
        Mean over rows.
    variance : ndarray
        CR2 variance of the mean, V = Σ r_k²/(1 − p_k)/N² with r_k = D_k − n_k·mean.
    variance_cr0, variance_cr1 : ndarray
        Σ r_k²/N², and K/(K − 1) times that.
    variance_independent : ndarray
        V₁ = (Σd² − N·mean²)/(N(N − 1)).
    between, within : ndarray
        Mean squares MSB and MSW of the analysis of variance.
    """

    mean: FloatArray
    variance: FloatArray
    variance_cr0: FloatArray
    variance_cr1: FloatArray
    variance_independent: FloatArray
    between: FloatArray
    within: FloatArray


def moments(sums: FloatArray, squares: ArrayLike, clusters: Clusters) -> Moments:
    """Compute the moments of values with cluster sums (K,) or (K, P) and Σd² = `squares`."""
    n, k, squares = clusters.n, clusters.count, np.asarray(squares, dtype=np.float64)
    sizes = clusters.sizes if sums.ndim == 1 else clusters.sizes[:, None]
    mean = sums.sum(axis=0) / n
    residuals = np.square(sums - sizes * mean)
    floor = _NOISE * (np.square(sums).sum(axis=0) + np.square(sizes * mean).sum(axis=0))
    cr0 = _cleaned(residuals.sum(axis=0), floor) / n**2
    shares = sizes / n
    with np.errstate(divide="ignore", invalid="ignore"):
        cr2 = _cleaned((residuals / (1 - shares)).sum(axis=0), floor) / n**2
        total = np.square(sums.sum(axis=0)) / n
        independent = np.maximum(squares - total, 0.0) / n / (n - 1)
        explained = (np.square(sums) / sizes).sum(axis=0)
        between = np.maximum(explained - total, 0.0) / np.float64(k - 1)
        within = np.maximum(squares - explained, 0.0) / np.float64(n - k)
        cr1 = cr0 * np.float64(k) / np.float64(k - 1)
    if k < 2:
        cr2, cr1, between = (np.full_like(cr0, math.nan) for _ in range(3))
    return Moments(mean, cr2, cr0, cr1, independent, between, within)


def _cleaned(sum_of_squares: FloatArray, floor: FloatArray) -> FloatArray:
    return np.where(sum_of_squares <= floor, 0.0, sum_of_squares)


def mean_size(clusters: Clusters) -> float:
    """Return n₀, the mean size that the intraclass correlation is built on."""
    if clusters.count < 2:
        return math.nan
    n = clusters.n
    return float((n - np.square(clusters.sizes).sum() / n) / (clusters.count - 1))


def intraclass_correlation(found: Moments, clusters: Clusters) -> FloatArray:
    """Return (MSB − MSW)/(MSB + (n₀ − 1) MSW); NaN where it is 0/0 or every cluster is one row."""
    n0 = mean_size(clusters)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = found.between + (n0 - 1) * found.within
        value = np.where(scale > 0, (found.between - found.within) / scale, math.nan)
    return np.asarray(value, dtype=np.float64)


def raw_design_effect(found: Moments) -> FloatArray:
    """Return V/V₁, how many times the variance of independent rows; NaN where V₁ is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        known = found.variance_independent > 0
        ratio = np.where(known, found.variance / found.variance_independent, math.nan)
    return np.asarray(ratio, dtype=np.float64)


def design_effect(found: Moments, informative: ArrayLike, clusters: Clusters) -> FloatArray:
    """Return the design effect to divide row counts by: never below 1.

    Where fewer than five clusters are `informative` (hold a row with d ≠ 0), or V₁ = 0, the
    variance cannot be estimated and each cluster counts as one row at most: at least N/K.
    """
    raw = raw_design_effect(found)
    effect = np.where(raw > 1, raw, 1.0)
    unsure = (np.asarray(informative) < _ENOUGH_INFORMATIVE) | np.isnan(raw)
    return np.where(unsure, np.maximum(effect, clusters.n / clusters.count), effect)


_ENOUGH_INFORMATIVE = 5


def equivalent_tail(df: ArrayLike, tail: ArrayLike) -> FloatArray:
    """Return the normal tail probability whose quantile is that of Student's t at `tail`.

    Formulas written for a normal quantile take the t quantile this way.
    """
    quantile = special.stdtrit(np.maximum(df, 1e-3), tail)
    return np.maximum(special.ndtr(quantile), 1e-300)

"""Rows that belong together: their labels, the sums inside clusters, the robust variance.

Cluster k has n_k of the N rows and the share p_k = n_k/N; D_k is its sum of a value per row.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Relation, checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    IntArray,
    as_array,
    as_correctness,
    as_scores,
    check_same_labels,
    is_missing,
)
from bakeoff.stats.core.two_by_two import both_correct

TIME_BLOCKS = 8
"""Into how many blocks rows in the order of time are cut by tests that sum over groups."""
_NOISE = 1e-24  # a variance this much smaller than what it was summed from is float noise
_FEWEST_INFORMATIVE = 5  # clusters that a variance can be estimated from
_SMALLEST_TAIL = 1e-300
_ROWS_AT_ONCE = 1 << 14
_FEWEST_DISCORDANT = 20  # fewer have too coarse an autocorrelation for the normal distribution


@dataclasses.dataclass(frozen=True)
class Clusters:
    """The cluster of every row."""

    codes: IntArray  # (N,): the cluster of each row, 0 to K − 1
    sizes: FloatArray  # (K,): rows of each cluster

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
            counts = [np.bincount(self.codes[column], minlength=self.count) for column in values.T]
            return np.array(counts, dtype=np.float64).T
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate(([0], np.cumsum(self.sizes[:-1]))).astype(np.intp)
        total = np.add.reduceat(values[order], starts, axis=0, dtype=np.float64)
        return np.asarray(total, dtype=np.float64)


def as_clusters(groups: ArrayLike | Clusters | None, n: int, name: str = "groups") -> Clusters:
    """Check one label for each of n rows; None makes every row a cluster of its own."""
    # groups that have been read are taken as they are
    if isinstance(groups, Clusters):
        return groups
    if groups is None:
        return Clusters(np.arange(n), np.ones(n))
    labels = as_array(groups, name)
    if labels.shape != (n,):
        raise ArgumentError(
            name, f"found shape {labels.shape}, needs one label for each of the {n} rows"
        )
    gaps = is_missing(labels)
    if labels.dtype.kind in "mM":
        gaps = np.isnat(labels)
    if gaps.any():
        first = int(np.flatnonzero(gaps)[0])
        raise ArgumentError(
            name,
            f"{int(gaps.sum())} missing label(s), first in row {first}; a row of unknown origin "
            "needs a label of its own",
        )
    try:
        codes = _codes(labels)
    except TypeError:
        raise ArgumentError(name, "labels of several kinds; use words or numbers alone") from None
    return Clusters(codes, np.bincount(codes).astype(np.float64))


def _codes(labels: NDArray[Any]) -> IntArray:
    """Return the place of each label among the different ones in sorted order."""
    if labels.dtype.kind != "O":
        _, codes = np.unique(labels, return_inverse=True)
        return codes
    # to sort the few different ones is quicker than to sort all rows
    distinct = sorted(set(labels.tolist()))
    code_of_label = {label: code for code, label in enumerate(distinct)}
    return np.array([code_of_label[label] for label in labels.tolist()])


def degrees_of_freedom(shares: FloatArray) -> float:
    """Return Bell & McCaffrey's (2002) degrees of freedom for a mean; 0 for one cluster."""
    if len(shares) < 2:
        return 0.0
    # 1/(Σ w_k²(1 − 2p_k) + (Σ p_k w_k)²) with w_k = p_k/(1 − p_k)
    weights = shares / (1 - shares)
    return float(1 / ((weights**2 * (1 - 2 * shares)).sum() + float((shares * weights).sum()) ** 2))


@dataclasses.dataclass(frozen=True)
class Moments:
    """What the robust methods need to know of a value per row, or of one for each pair."""

    mean: FloatArray  # over rows
    variance: FloatArray  # V, CR2: Σ r_k²/(1 − p_k)/N² with r_k = D_k − n_k·mean
    variance_cr0: FloatArray  # Σ r_k²/N²
    variance_cr1: FloatArray  # K/(K − 1) times that
    variance_independent: FloatArray  # V₁ = (Σd² − N·mean²)/(N(N − 1))
    between: FloatArray  # mean squares MSB and MSW of the analysis of variance
    within: FloatArray

    @property
    def design_effect(self) -> FloatArray:
        """V/V₁, how many times the variance of independent rows; NaN where V₁ is 0."""
        v1 = self.variance_independent
        return np.divide(self.variance, v1, out=np.full_like(v1, math.nan), where=v1 > 0)


def moments(sums: FloatArray, squares: ArrayLike, clusters: Clusters) -> Moments:
    """Compute the moments of values with cluster sums (K,) or (K, P) and Σd² = `squares`."""
    n = clusters.n
    k = clusters.count
    squares = np.asarray(squares, dtype=np.float64)
    sizes = clusters.sizes
    if sums.ndim > 1:
        sizes = sizes[:, None]
    # r_k² = (D_k − n_k·mean)², and what of their sum is float noise
    mean = sums.sum(axis=0) / n
    residuals = np.square(sums - sizes * mean)
    floor = _NOISE * (np.square(sums).sum(axis=0) + np.square(sizes * mean).sum(axis=0))

    def cleaned(sum_of_squares: FloatArray) -> FloatArray:
        return np.where(sum_of_squares <= floor, 0.0, sum_of_squares)

    cr0 = cleaned(residuals.sum(axis=0)) / n**2
    shares = sizes / n
    with np.errstate(divide="ignore", invalid="ignore"):
        cr2 = cleaned((residuals / (1 - shares)).sum(axis=0)) / n**2
        total = np.square(sums.sum(axis=0)) / n
        independent = np.maximum(squares - total, 0.0) / n / (n - 1)
        # MSB = (Σ D_k²/n_k − (ΣD)²/N)/(K − 1), MSW = (Σd² − Σ D_k²/n_k)/(N − K)
        explained = (np.square(sums) / sizes).sum(axis=0)
        between = np.maximum(explained - total, 0.0) / np.float64(k - 1)
        within = np.maximum(squares - explained, 0.0) / np.float64(n - k)
        cr1 = cr0 * np.float64(k) / np.float64(k - 1)
    if k < 2:
        unknown = np.full_like(cr0, math.nan)
        return Moments(mean, unknown, cr0, unknown, independent, unknown, within)
    return Moments(mean, cr2, cr0, cr1, independent, between, within)


def design_effect(spread: Moments, informative: ArrayLike, clusters: Clusters) -> FloatArray:
    """Return the design effect to divide row counts by: never below 1."""
    # Where fewer than five clusters are `informative` (hold a row with d ≠ 0), or V₁ = 0, the
    # variance cannot be estimated and each cluster counts as one row at most: at least N/K.
    raw = spread.design_effect
    effect = np.where(raw > 1, raw, 1.0)
    unsure = (np.asarray(informative) < _FEWEST_INFORMATIVE) | np.isnan(raw)
    return np.where(unsure, np.maximum(effect, clusters.n / clusters.count), effect)


def equivalent_tail(df: ArrayLike, tail: ArrayLike) -> FloatArray:
    """Return the normal tail probability whose quantile is that of Student's t at `tail`."""
    # Formulas written for a normal quantile take the t quantile this way.
    quantile = special.stdtrit(np.maximum(df, 1e-3), tail)
    return np.maximum(special.ndtr(quantile), _SMALLEST_TAIL)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Dependence:
    """How the mean of a value per row varies between clusters of rows.

    Attributes
    ----------
    n_rows, n_clusters : int
        N rows in K clusters.
    largest_share : float
        Share of the rows in the largest cluster.
    mean : float
        Mean of the value over rows.
    se : float
        Its cluster-robust standard error (CR2; Bell & McCaffrey 2002); NaN for one cluster.
    df : float
        Degrees of freedom of `se`; K − 1 for clusters of one size, less for uneven ones.
    icc : float
        Intraclass correlation (analysis of variance); may be negative, NaN where it is 0/0.
    variance_between, variance_within : float
        Variance components (MSB − MSW)/n₀ and MSW.
    mean_size : float
        n₀, the size that they are built on.
    design_effect_raw : float
        Variance of the mean over that of N independent rows; NaN without any variance.
    design_effect : float
        The same, at least 1, and at least N/K where fewer than five clusters can tell.
    design_effect_cr1, design_effect_icc : float
        The raw one with CR1, and 1 + (Σn_k²/N − 1)·icc.
    n_effective : float
        N/design_effect: the independent rows that would tell as much.
    """

    n_rows: int
    n_clusters: int
    largest_share: float
    mean: float
    se: float
    df: float
    icc: float
    variance_between: float
    variance_within: float
    mean_size: float
    design_effect_raw: float
    design_effect: float
    design_effect_cr1: float
    design_effect_icc: float
    n_effective: float

    @property
    def worth(self) -> dict[str, Any]:
        """What a result on rows in groups says of them."""
        return {
            "n": self.n_rows,
            "n_clusters": self.n_clusters,
            "n_effective": self.n_effective,
            "design_effect": self.design_effect,
            "icc": self.icc,
        }


@checked
def row_dependence(values: ArrayLike, groups: ArrayLike) -> Dependence:
    """Describe how a value per row depends on the groups of the rows.

    Parameters
    ----------
    values : array_like, shape (N,)
        One number per row: right or wrong (0/1), a loss, or the difference of two models.
    groups : array_like, shape (N,)
        The group of each row: words, numbers or dates.

    Notes
    -----
    V = Σ r_k²/(1 − p_k)/N² with the cluster residuals r_k = D_k − n_k·mean (CR2; Bell &
    McCaffrey 2002); icc = (MSB − MSW)/(MSB + (n₀ − 1) MSW). With the runs of an item as a group,
    variance_within/(n_rows·se²) is the share of the variance that more runs would remove, if
    they are drawn anew for each item (Miller 2024, arXiv:2411.00640).

    Examples
    --------
    >>> found = row_dependence([1, 1, 1, 0, 0, 0, 1, 1, 0, 1], list("aaabbbccdd"))
    >>> round(found.icc, 3), round(found.design_effect, 3), round(found.n_effective, 1)
    (0.728, 2.826, 3.5)
    """
    array = as_scores(values, "values", unit="rows")
    clusters = as_clusters(groups, len(array))
    check_same_labels(values=values, groups=groups)
    return describe(array, clusters)


def describe(values: FloatArray, clusters: Clusters) -> Dependence:
    """Return the `Dependence` of checked values."""
    spread = moments(clusters.sums(values), np.square(values).sum(), clusters)
    odd = clusters.sums((np.abs(values - np.median(values)) > 0).astype(np.float64))
    return dependence_of(spread, int(np.count_nonzero(odd)), clusters)


def dependence_of(spread: Moments, informative: int, clusters: Clusters) -> Dependence:
    """Return the `Dependence` of values with these moments, given how many clusters can tell."""
    n = clusters.n
    k = clusters.count
    sizes = clusters.sizes
    between = float(spread.between)
    within = float(spread.within)
    weighted_size = float(np.square(sizes).sum() / n)
    # n₀ = (N − Σn_k²/N)/(K − 1), icc = (MSB − MSW)/(MSB + (n₀ − 1) MSW)
    n0 = math.nan
    if k > 1:
        n0 = (n - weighted_size) / (k - 1)
    variance_between = math.nan
    if n0 != 0:
        variance_between = (between - within) / n0
    icc = math.nan
    scale = between + (n0 - 1) * within
    if scale > 0:
        icc = (between - within) / scale
    effect = float(design_effect(spread, informative, clusters))
    effect_cr1 = math.nan
    v1 = float(spread.variance_independent)
    if v1 > 0:
        effect_cr1 = float(spread.variance_cr1) / v1
    return Dependence(
        n_rows=n,
        n_clusters=k,
        largest_share=float(sizes.max() / n),
        mean=float(spread.mean),
        se=math.sqrt(float(spread.variance)),
        df=degrees_of_freedom(clusters.shares),
        icc=icc,
        variance_between=variance_between,
        variance_within=within,
        mean_size=n0,
        design_effect_raw=float(spread.design_effect),
        design_effect=effect,
        design_effect_cr1=effect_cr1,
        design_effect_icc=1 + (weighted_size - 1) * icc,
        n_effective=n / effect,
    )


def row_units(
    n: int, groups: ArrayLike | None, time: ArrayLike | None = None, **beside: ArrayLike
) -> tuple[Relation, Clusters]:
    """Return what relates n rows, and the independent units: rows, groups, or blocks of times."""
    if groups is not None and time is not None:
        raise ArgumentError("time", "found groups and times; give one of them")
    name: Relation = "groups"
    labels = groups
    if time is not None:
        name = "time"
        labels = time
    if labels is None:
        return "independent", as_clusters(None, n)
    check_same_labels(**beside, **{name: labels})
    units = as_clusters(labels, n, name)
    if time is not None and units.count >= TIME_BLOCKS:
        units = as_clusters(units.codes * TIME_BLOCKS // units.count, n)
    return name, units


@checked
def time_blocks(times: ArrayLike, blocks: Annotated[int, Ge(2)] = TIME_BLOCKS) -> FloatArray:
    """Cut rows into blocks of neighbouring times, to be used as groups.

    Long blocks are nearly independent, so any test for groups can take them (Canay, Romano &
    Shaikh 2017).

    Parameters
    ----------
    times : array_like, shape (N,)
        The time of each row, of any kind that sorts.
    blocks : int
        Number of blocks, of about equally many different times.

    Examples
    --------
    >>> time_blocks([3, 1, 2, 4, 1], blocks=2).tolist()
    [1, 0, 0, 1, 0]
    """
    clusters = as_clusters(times, np.asarray(times).size, "times")
    if clusters.count < blocks:
        raise ArgumentError(
            "times", f"found {clusters.count} different times, needs {blocks} or more"
        )
    return np.asarray(clusters.codes * blocks // clusters.count)


@dataclasses.dataclass(frozen=True, kw_only=True)
class OrderDependence:
    """How alike the disagreements of two models are on neighbouring rows.

    Attributes
    ----------
    model_a, model_b : int
        The columns of the pair with the highest autocorrelation.
    autocorrelation : float
        Lag-1 autocorrelation of right A − right B.
    pvalue : float
        Probability of as high a one in any pair, were the rows in random order (Bonferroni).
    n_effective : float
        N(1 − r)/(1 + r), at most N: the independent rows that would tell as much, if what rows
        have in common fades geometrically.
    """

    model_a: int
    model_b: int
    autocorrelation: float
    pvalue: float
    n_effective: float


@checked
def order_dependence(correct: ArrayLike, labels: ArrayLike | None = None) -> OrderDependence | None:
    """Find the pair of models whose disagreements are most alike on neighbouring rows.

    Parameters
    ----------
    correct : array_like of bool or 0/1, shape (N, M)
        Whether each model is right, the rows in their own order.
    labels : array_like, shape (N,), optional
        The class of each row. Models differ more on some classes than on others: with it the
        differences are centred inside classes, so that rows sorted by class are not taken for
        dependent.

    Returns
    -------
    OrderDependence or None
        None where no two models disagree on 20 rows or more.

    Notes
    -----
    Of independent rows the autocorrelation is about normal with mean −1/N and variance 1/N.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.random.default_rng(0).random((60, 2)).repeat(5, axis=0)
    >>> found = order_dependence(days < 0.7)
    >>> round(found.autocorrelation, 2), found.pvalue < 1e-6
    (0.84, True)
    """
    right = as_correctness(correct, "correct", ndim=2)
    n = len(right)
    both = both_correct(right, None)
    discordant = _of_differences(both)
    if labels is None:
        labels = np.zeros(n)
    classes = as_clusters(labels, n, "labels")
    totals = classes.sums(right)
    expected = totals / classes.sizes[:, None]
    # Σ_t (x_i − x_j)_t (x_i − x_j)_(t+1) of centred values, for all pairs i, j
    lagged = np.zeros_like(both)
    # a block ends with the next one's first
    for start in range(0, n - 1, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE + 1)
        block = right[rows] - expected[classes.codes[rows]]
        lagged += block[:-1].T @ block[1:]
    gamma0 = _of_differences(both - expected.T @ totals)
    gamma1 = _of_differences(lagged)
    enough = np.triu((discordant >= _FEWEST_DISCORDANT) & (gamma0 > 1e-9 * n), k=1)
    if not enough.any():
        return None
    # lag-1 autocorrelation γ₁/γ₀; ranked without their last digits
    r = np.where(enough, gamma1 / np.where(enough, gamma0, 1.0), -np.inf)
    a, b = np.unravel_index(np.argmax(np.round(r, 12)), r.shape)
    highest = float(r[a, b])
    p = float(special.ndtr(-(highest + 1 / n) * math.sqrt(n))) * int(enough.sum())
    return OrderDependence(
        model_a=int(a),
        model_b=int(b),
        autocorrelation=highest,
        pvalue=min(p, 1.0),
        n_effective=n * min(1.0, (1 - highest) / (1 + highest)),
    )


def _of_differences(products: FloatArray) -> FloatArray:
    """Turn Σ x_i y_j into Σ (x_i − x_j)(y_i − y_j)."""
    diagonal = np.diag(products)
    return np.asarray(diagonal[:, None] + diagonal - products - products.T)

"""How far the rows of a group depend on each other, and what dependent rows are worth."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import FloatArray, as_scores, check_same_labels
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import paired_differences
from bakeoff.stats.design.clusters import (
    Clusters,
    Moments,
    as_clusters,
    degrees_of_freedom,
    design_effect,
    intraclass_correlation,
    mean_size,
    moments,
    raw_design_effect,
)

__all__ = ["Dependence", "ItemsAndRuns", "items_and_runs", "row_dependence"]


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

    Returns
    -------
    Dependence
        Intraclass correlation, design effect and effective number of rows.

    Notes
    -----
    V = Σ r_k²/(1 − p_k)/N² with the cluster residuals r_k = D_k − n_k·mean (CR2; Bell &
    McCaffrey 2002); icc = (MSB − MSW)/(MSB + (n₀ − 1) MSW).

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
    found = moments(clusters.sums(values), np.square(values).sum(), clusters)
    odd = clusters.sums((np.abs(values - np.median(values)) > 0).astype(np.float64))
    return dependence_of(found, int(np.count_nonzero(odd)), clusters)


def dependence_of(found: Moments, informative: int, clusters: Clusters) -> Dependence:
    """Return the `Dependence` of values with these moments, given how many clusters can tell."""
    n, sizes = clusters.n, clusters.sizes
    n0, icc = mean_size(clusters), float(intraclass_correlation(found, clusters))
    effect = float(design_effect(found, informative, clusters))
    v1 = float(found.variance_independent)
    return Dependence(
        n_rows=n,
        n_clusters=clusters.count,
        largest_share=float(sizes.max() / n),
        mean=float(found.mean),
        se=math.sqrt(float(found.variance)),
        df=degrees_of_freedom(clusters.shares),
        icc=icc,
        variance_between=float((found.between - found.within) / n0),
        variance_within=float(found.within),
        mean_size=n0,
        design_effect_raw=float(raw_design_effect(found)),
        design_effect=effect,
        design_effect_cr1=float(found.variance_cr1) / v1 if v1 > 0 else math.nan,
        design_effect_icc=1 + (float(np.square(sizes).sum() / n) - 1) * icc,
        n_effective=n / effect,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class ItemsAndRuns:
    """Where the variance of a mean over items × runs comes from (Miller 2024).

    Attributes
    ----------
    n_items, n_runs : int
        K items with R runs each.
    variance_between_items, variance_within_items : float
        (MSB − MSW)/R and MSW.
    variance_of_mean : float
        MSB/(KR).
    share_from_runs : float
        MSW/MSB: the share of that variance that more runs would remove.
    variance_of_mean_many_runs : float
        Its floor, however many runs: variance_between_items/K (0 where that is negative).
    """

    n_items: int
    n_runs: int
    variance_between_items: float
    variance_within_items: float
    variance_of_mean: float
    share_from_runs: float
    variance_of_mean_many_runs: float


@checked
def items_and_runs(
    values_a: ArrayLike,
    values_b: ArrayLike,
    items: ArrayLike,
    *,
    greater_is_better: bool = True,
) -> ItemsAndRuns:
    """Split the variance of a mean difference into that of items and that of repeated runs.

    Parameters
    ----------
    values_a, values_b : array_like, shape (N,)
        Scores of A and B, one per item and run.
    items : array_like, shape (N,)
        The item of each row; every item has the same number of runs.

    Returns
    -------
    ItemsAndRuns
        Variance components, and how far more runs would help.

    Notes
    -----
    Miller (2024), arXiv:2411.00640. It holds for runs drawn anew for each item; training seeds
    that all items share are crossed with them, and the mean is then about these fits.

    Examples
    --------
    >>> found = items_and_runs([1, 0, 1, 1, 0, 0], [0, 0, 1, 0, 0, 0], [1, 1, 2, 2, 3, 3])
    >>> round(found.share_from_runs, 2)
    2.0
    """
    d = paired_differences(
        values_a, values_b, greater_is_better=greater_is_better, of_rows=True
    ).values
    clusters = as_clusters(items, len(d), "items")
    runs = float(clusters.sizes[0])
    if clusters.count < 2 or runs < 2 or (clusters.sizes != runs).any():
        raise ArgumentError(
            "items",
            f"found {clusters.count} item(s) with {clusters.sizes.min():.0f} to "
            f"{clusters.sizes.max():.0f} runs; needs two or more items with one number of runs, "
            "two or more (for unequal numbers use mean_difference)",
        )
    found = moments(clusters.sums(d), np.square(d).sum(), clusters)
    between, within = float(found.between), float(found.within)
    items_variance = (between - within) / runs
    return ItemsAndRuns(
        n_items=clusters.count,
        n_runs=int(runs),
        variance_between_items=items_variance,
        variance_within_items=within,
        variance_of_mean=between / len(d),
        share_from_runs=within / between if between else math.nan,
        variance_of_mean_many_runs=max(items_variance, 0.0) / clusters.count,
    )

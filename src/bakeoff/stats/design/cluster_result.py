"""What tests on clusters of rows return, when they cannot tell, and what they assume."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Assumption, EquivalenceResult, Result
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.spread import FEWEST_CLUSTERS

_LEAST_DF, _RECOMMENDED = 4.0, 15
_SHOWS_SKEW, _SHOWS_SYMMETRY = 20, 60
"""Groups from which on data show that differences are skewed, or that they are not."""
_SKEWED = 1.0


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

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | {
            "n_clusters": self.n_clusters,
            "n_effective": self.n_effective,
            "design_effect": self.design_effect,
            "icc": self.icc,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusteredEquivalenceResult(ClusteredResult, EquivalenceResult):
    """An `EquivalenceResult` on rows that come in groups, with what `ClusteredResult` has."""


def too_few_clusters(clusters: int, alpha: float) -> bool:
    """Whether no sign flip of so many clusters could reach the level: 2^(1 − K) > α."""
    return 2.0 ** (1 - clusters) > alpha * (1 + 1e-9)


def few_clusters(clusters: Clusters, alpha: float) -> tuple[Assumption, ...]:
    """Say how many groups sign flips need, where there are fewer."""
    if not too_few_clusters(clusters.count, alpha):
        return ()
    needed = math.ceil(1 - math.log2(alpha) - 1e-9)
    rows, groups = ((n, "" if n == 1 else "s") for n in (clusters.n, clusters.count))
    detail = (
        f"{rows[0]:,} row{rows[1]} in {groups[0]} group{groups[1]}, and at a level of {alpha:.3g} "
        f"it takes {needed} groups: the signs of fewer can never reject"
    )
    return (Assumption("enough groups", False, detail),)


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


def recommended_groups(units: float) -> Assumption:
    """Return the assumption that groups are enough for a t of their sums."""
    return Assumption(
        "enough groups",
        units >= _RECOMMENDED,
        f"{units:.0f} groups; at least {_RECOMMENDED} are recommended and {FEWEST_CLUSTERS} are "
        "required",
    )


def too_few_for_t(variant: str, clusters: int, df: float) -> bool:
    """Whether a t form of a mean or an area has too little to go by.

    Bell & McCaffrey's degrees of freedom are trusted from 4 on, those of the sums themselves
    (``influence_t``) from five groups on.
    """
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
    """Return the assumption that carries every test of few groups, and what the data say of it.

    Group means are skewed to the side that the estimate does not lie on where a few groups speak
    strongly against it: had these not been drawn, all others would have agreed. Means of small
    groups are damped, for they scatter. With fewer than 60 groups a twentieth of them is missed
    with a probability of 5 % (.95^60) or more, so that data cannot show symmetry.

    Parameters
    ----------
    weights : ndarray, shape (K,)
        Rows of each group, or its share.
    sums : ndarray, shape (K,) or (K, P), optional
        The sums of the differences in each group, of one pair or of several, of which the most
        skewed counts. Without them only the number of groups does.
    """
    count, name = len(weights), "symmetric group differences"
    against = 0.0 if sums is None else -float(_skewness(weights, sums.reshape(count, -1)).min())
    if count >= _SHOWS_SKEW and against > _SKEWED:
        return Assumption(
            name,
            False,
            f"a few of {count} groups differ strongly against the estimate (skewness "
            f"{against:.1f}); on such data true null hypotheses are rejected too often",
        )
    if count >= _SHOWS_SYMMETRY:
        return Assumption(
            name, True, f"{count} groups, whose differences are not skewed against the estimate"
        )
    return Assumption(
        name,
        None,
        f"{count} groups; the differences of the groups must be as likely one way as the other, "
        f"which fewer than {_SHOWS_SYMMETRY} cannot show",
    )


def _skewness(weights: FloatArray, sums: FloatArray) -> FloatArray:
    """Return the skewness of damped group means, positive towards the estimate."""
    sizes = weights[:, None]
    mean = sums.sum(axis=0) / weights.sum()
    damped = (sums - sizes * mean) / (1 + sizes / np.median(sizes))
    damped = damped - damped.mean(axis=0)
    second = np.square(damped).mean(axis=0)
    third = (damped**3).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(second > 0, third / second**1.5, 0.0) * np.sign(mean))


def cluster_assumptions(
    clusters: Clusters, sums: FloatArray, nonzero: int, alpha: float
) -> tuple[Assumption, ...]:
    """Return what a test by sign flips assumes of the groups, and what the data say.

    `sums` are those of `symmetric_differences`.
    """
    smallest = 2.0**-nonzero
    differing = Assumption(
        "enough groups that differ",
        smallest <= alpha,
        f"the models differ in {nonzero} of {clusters.count} groups: the smallest two-sided "
        f"mid-p-value that these can give is {smallest:.3g}",
    )
    return (
        independent_clusters(clusters),
        *(few_clusters(clusters, alpha) or (differing,)),
        symmetric_differences(clusters.sizes, sums),
    )

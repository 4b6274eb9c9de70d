"""What tests on clusters of rows return, when they cannot tell, and what they assume."""

from __future__ import annotations

import dataclasses
from typing import Any

from bakeoff.stats._clusters import Clusters
from bakeoff.stats._result import Assumption, EquivalenceResult, Result
from bakeoff.stats._spread import FEWEST_CLUSTERS

_LEAST_DF = 4.0
_SYMMETRIC = 20


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
        return super().to_row() | _columns(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusteredEquivalenceResult(EquivalenceResult):
    """An `EquivalenceResult` on rows that come in groups.

    Attributes
    ----------
    n_clusters, n_effective, design_effect, icc
        As in `ClusteredResult`.
    """

    n_clusters: int
    n_effective: float
    design_effect: float
    icc: float

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | _columns(self)


def _columns(result: ClusteredResult | ClusteredEquivalenceResult) -> dict[str, Any]:
    return {
        "n_clusters": result.n_clusters,
        "n_effective": result.n_effective,
        "design_effect": result.design_effect,
        "icc": result.icc,
    }


def too_few_clusters(clusters: int, alpha: float) -> bool:
    """Whether no sign flip of so many clusters could reach the level: 2^(1 − K) > α."""
    return 2.0 ** (1 - clusters) > alpha * (1 + 1e-9)


def too_few_degrees(df: float) -> bool:
    """Whether a robust variance has too few degrees of freedom to be trusted: below 4."""
    return df < _LEAST_DF - 1e-9


def too_few_for_t(variant: str, clusters: int, df: float) -> bool:
    """Whether a t form of a mean or an area has too little to go by.

    Bell & McCaffrey's degrees of freedom are trusted from 4 on, those of the sums themselves
    (``influence_t``) from five groups on.
    """
    if variant == "influence_t":
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


def symmetric_differences(clusters: Clusters) -> Assumption:
    """Return the assumption that carries a test of few groups, which no test can check."""
    enough = clusters.count >= _SYMMETRIC
    return Assumption(
        "symmetric cluster differences",
        True if enough else None,
        f"{clusters.count} groups; below {_SYMMETRIC} the differences of the groups must be as "
        "likely one way as the other, which so few cannot show",
    )


def cluster_assumptions(clusters: Clusters, nonzero: int, alpha: float) -> tuple[Assumption, ...]:
    """Return what a test by sign flips assumes of the groups, and what the data say."""
    smallest = 2.0**-nonzero
    return (
        independent_clusters(clusters),
        Assumption(
            "enough clusters that differ",
            smallest <= alpha,
            f"one model wins in {nonzero} of {clusters.count} groups: the smallest p they could "
            f"ever give is {smallest:.3g}",
        ),
        symmetric_differences(clusters),
    )

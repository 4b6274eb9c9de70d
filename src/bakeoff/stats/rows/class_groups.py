"""The classes of rows that come in groups: sums of placements, and the variance of an area."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.result import Assumption
from bakeoff.stats.design.clusters import Clusters, degrees_of_freedom
from bakeoff.stats.design.joint_flip import GroupSums
from bakeoff.stats.design.spread import degrees_of_sums
from bakeoff.stats.rows.placements import Placements

_ENOUGH = 15


_Sums = tuple[FloatArray, FloatArray]


@dataclasses.dataclass(frozen=True)
class ClassGroups:
    """Positives and negatives of each cluster: m_k and n_k."""

    positive: BoolArray
    clusters: Clusters
    m: FloatArray
    n: FloatArray

    @classmethod
    def of(cls, positive: BoolArray, clusters: Clusters) -> ClassGroups:
        """Count the classes in each group."""
        m = clusters.sums(positive)
        return cls(positive, clusters, m, clusters.sizes - m)

    @property
    def with_positives(self) -> int:
        """Groups that hold a positive row."""
        return int(np.count_nonzero(self.m))

    @property
    def with_negatives(self) -> int:
        """Groups that hold a negative row."""
        return int(np.count_nonzero(self.n))

    @property
    def in_one_cluster(self) -> bool:
        """Whether all rows of a class are in one group."""
        return min(self.with_positives, self.with_negatives) < 2

    @property
    def df(self) -> float:
        """Bell & McCaffrey's degrees of freedom for the mean share of the classes."""
        if self.in_one_cluster:
            return 0.0
        return degrees_of_freedom((self.m / self.m.sum() + self.n / self.n.sum()) / 2)

    def sum(self, placed: Placements) -> _Sums:
        """X_k/M and Y_k/N of placements less their mean."""
        codes, count = self.clusters.codes, self.clusters.count
        x = np.bincount(codes[self.positive], placed.deviations[0], count)
        y = np.bincount(codes[~self.positive], placed.deviations[1], count)
        return x / self.m.sum(), y / self.n.sum()

    def corrected(self, sums: _Sums) -> FloatArray:
        """Return ψ_k, the sums divided by what a group's share of a class takes from them."""
        if self.in_one_cluster:
            return np.full(self.clusters.count, math.nan)
        m, n = self.m / self.m.sum(), self.n / self.n.sum()
        found: FloatArray = sums[0] / np.sqrt(1 - m) + sums[1] / np.sqrt(1 - n)
        return found

    def as_means(self, sums: _Sums, difference: float) -> GroupSums:
        """Return the difference to first order as a mean over groups."""
        shares = (self.m / self.m.sum() + self.n / self.n.sum()) / 2
        return GroupSums(sums[0] + sums[1] + shares * difference, shares)

    def obuchowski(self, first: _Sums, second: _Sums) -> float:
        """Covariance of two areas (Obuchowski 1997)."""
        if self.in_one_cluster:
            return math.nan
        i1, i0, k = self.with_positives, self.with_negatives, self.clusters.count
        cross = inner(first[0], second[1]) + inner(second[0], first[1])
        return (
            i1 / (i1 - 1) * inner(first[0], second[0])
            + i0 / (i0 - 1) * inner(first[1], second[1])
            + k / (k - 1) * cross
        )

    def enough(self) -> Assumption:
        """Return the assumption that each class occurs in enough groups."""
        found = min(self.with_positives, self.with_negatives)
        return Assumption(
            "enough groups of each class",
            found >= _ENOUGH,
            f"positive rows in {self.with_positives} groups, negative ones in "
            f"{self.with_negatives}; about {_ENOUGH} of each are wanted",
        )


def degrees(sums: FloatArray, most: float) -> float:
    """Return Satterthwaite's degrees of freedom of a sum of ψ_k."""
    squares = np.square(sums)
    return degrees_of_sums(float(squares.sum()), inner(squares, squares), len(sums), most)

"""How the rows of a test set hang together: in groups, in the order of time, both, or not."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import FloatArray, check_same_labels
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Assumption
from bakeoff.stats.core.variants import Relation
from bakeoff.stats.design.cluster_result import too_few_degrees
from bakeoff.stats.design.clusters import Clusters, as_clusters
from bakeoff.stats.design.dependence import Dependence, describe

TIME_BLOCKS = 8
"""Into how many blocks rows in the order of time are cut by tests that sum over groups."""


@dataclasses.dataclass(frozen=True)
class RowDesign:
    """The groups and the times of the rows of a test set.

    Attributes
    ----------
    n : int
        Number of rows.
    groups, times : Clusters or None
        The group and the time of each row; None where none was given.
    """

    n: int
    groups: Clusters | None = None
    times: Clusters | None = None

    @classmethod
    def of(
        cls,
        n: int,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
        **beside: ArrayLike,
    ) -> RowDesign:
        """Check the labels of n rows.

        Parameters
        ----------
        n : int
            Number of rows.
        groups, time : array_like, shape (n,), optional
            The group and the time of each row.
        **beside : array_like
            An argument of the test by its name, whose row labels those of the groups must equal.

        Raises
        ------
        ArgumentError
            Missing labels, another number of them, or other row labels.
        """
        found = {}
        for name, labels in (("groups", groups), ("time", time)):
            if labels is not None:
                check_same_labels(**beside, **{name: labels})
                found[name] = as_clusters(labels, n, name)
        return cls(n, found.get("groups"), found.get("time"))

    @property
    def relation(self) -> Relation:
        """How the rows hang together."""
        if self.groups is not None:
            return "groups" if self.times is None else "crossed"
        return "independent" if self.times is None else "time"

    @cached_property
    def units(self) -> Clusters:
        """The independent units: rows, groups, or long blocks of neighbouring times.

        Where there are fewer times than blocks, each time is a unit.
        """
        if self.groups is not None:
            return self.groups
        if self.times is None:
            return as_clusters(None, self.n)
        if self.times.count < TIME_BLOCKS:
            return self.times
        return as_clusters(_blocks(self.times, TIME_BLOCKS), self.n)

    def crossed(self, d: FloatArray) -> Crossed:
        """Describe differences per row where groups are crossed with times.

        Where the design effects of groups and of times both exceed 1.2 the variance is V_groups +
        V_times − V_cells (Cameron, Gelbach & Miller 2011), the larger of the two where that is
        not positive, with the smaller degrees of freedom; else that of the one with the larger
        variance. Each V is CR2 (Bell & McCaffrey 2002).
        """
        assert self.groups is not None
        assert self.times is not None
        groups, times = describe(d, self.groups), describe(d, self.times)
        both = min(groups.design_effect_raw, times.design_effect_raw) > _NOTICEABLE
        if not both:  # also where a variance is unknown
            in_time = times.se**2 > groups.se**2
            form, larger = ("times", times) if in_time else ("groups", groups)
            return Crossed(groups, times, form, larger.se**2, larger.df)
        cells = as_clusters(self.groups.codes * self.times.count + self.times.codes, self.n)
        joined = groups.se**2 + times.se**2 - describe(d, cells).se ** 2
        variance = joined if joined > 0 else max(groups.se**2, times.se**2)
        return Crossed(groups, times, "crossed", variance, min(groups.df, times.df))


_NOTICEABLE = 1.2


@dataclasses.dataclass(frozen=True)
class Crossed:
    """How a mean difference varies where groups are crossed with times.

    Attributes
    ----------
    groups, times : Dependence
        Of the groups alone, and of the times alone.
    form : {"crossed", "groups", "times"}
        Whose variance is used.
    variance, df : float
        Of the mean difference.
    """

    groups: Dependence
    times: Dependence
    form: str
    variance: float
    df: float

    def worth(self, d: FloatArray) -> dict[str, Any]:
        """Return what a result says of the rows, as `Dependence.worth` does."""
        n = len(d)
        independent = float(np.square(d).sum() - n * float(d.mean()) ** 2) / n / max(n - 1, 1)
        known = independent > 0 and self.variance > 0
        effect = max(1.0, self.variance / independent) if known else math.nan
        return self.groups.worth | {"design_effect": effect, "n_effective": n / effect}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What is assumed of groups and times."""
        groups, times = self.groups, self.times
        return (
            Assumption(
                "rows depend through their group or their time alone",
                None,
                f"{groups.n_clusters} groups (design effect {groups.design_effect_raw:.2f}) "
                f"crossed with {times.n_clusters} times ({times.design_effect_raw:.2f})",
            ),
            Assumption(
                "enough groups and times",
                not too_few_degrees(self.df),
                f"{self.df:.1f} degrees of freedom; it wants 4, and trusts 20",
            ),
        )


@checked
def time_blocks(times: ArrayLike, blocks: Annotated[int, Ge(2)] = TIME_BLOCKS) -> FloatArray:
    """Cut rows into blocks of neighbouring times, to be used as groups.

    Blocks that are long against the dependence between neighbours are nearly independent, so any
    test for groups can take them (Canay, Romano & Shaikh 2017).

    Parameters
    ----------
    times : array_like, shape (N,)
        The time of each row, of any kind that sorts.
    blocks : int
        Number of blocks, of about equally many different times.

    Returns
    -------
    ndarray of int, shape (N,)
        The block of each row.

    Examples
    --------
    >>> time_blocks([3, 1, 2, 4, 1], blocks=2).tolist()
    [1, 0, 0, 1, 0]
    """
    found = as_clusters(times, np.asarray(times).size, "times")
    if found.count < blocks:
        raise ArgumentError("times", f"found {found.count} different times, needs {blocks} or more")
    return _blocks(found, blocks)


def _blocks(times: Clusters, count: int) -> FloatArray:
    return np.asarray(times.codes * count // times.count)

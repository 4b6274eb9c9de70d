"""How the rows of a test set hang together: in groups, in the order of time, or not."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Annotated

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import FloatArray, check_same_labels
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.variants import Relation
from bakeoff.stats.design.clusters import Clusters, as_clusters

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
            Missing labels, another number of them, other row labels, or groups and times at once.
        """
        if groups is not None and time is not None:
            raise ArgumentError("time", "found groups and times; give one of them")
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
            return "groups"
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

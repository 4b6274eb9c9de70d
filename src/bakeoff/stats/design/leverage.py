"""How much a group of rows determines the metric that its rows are held against.

A group with the share p of the rows draws the mean towards itself, so that its own sum of influence
values is too small by √(1 − p): each is divided by that (CR2; Bell & McCaffrey 2002). What is
conditional on classes goes by the shares of each class.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.design.clusters import degrees_of_freedom

Codes = NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class Leverage:
    """What sums over groups are divided by, row by row.

    Attributes
    ----------
    root : ndarray, shape (n,)
        √(1 − p), p the share that the row's group has of the rows, or of those of its class.
    df : float
        Bell & McCaffrey's degrees of freedom; 0 where all rows of a class are in one group.
    shares : ndarray, shape (K,)
        The share of each group: of the rows, or the mean of its shares of the classes.
    """

    root: FloatArray
    df: float
    shares: FloatArray

    @classmethod
    def of(cls, clusters: Codes, classes: Codes | None = None) -> Leverage:
        """Find the leverage of rows by the codes of their groups, and of their classes."""
        kinds = np.zeros(len(clusters), dtype=np.intp) if classes is None else classes
        counts = np.zeros((int(kinds.max()) + 1, int(clusters.max()) + 1))
        np.add.at(counts, (kinds, clusters), 1.0)
        there = counts[counts.sum(axis=1) > 0]
        of_classes = there / there.sum(axis=1, keepdims=True)
        own = counts[kinds, clusters] / counts.sum(axis=1)[kinds]
        alone = bool((of_classes == 1).any())
        shares = of_classes.mean(axis=0)
        df = 0.0 if alone else degrees_of_freedom(shares)
        return cls(np.sqrt(np.maximum(1 - own, 0.0)), df, shares)


def leverage_of(clusters: Codes | None) -> Leverage | None:
    """Return the leverage of groups among the rows; None where rows stand alone."""
    return None if clusters is None else Leverage.of(clusters)

"""Influence values of a metric that is a function of rows, by leaving rows out."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.metrics.bootstrap import OwnMetric
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.test_rows import Codes

MOST_LEFT_OUT = 5_000
"""With more rows, blocks of them are left out instead of one at a time."""
_BLOCKS = 200


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A metric of all rows, and what leaving some out changes.

    Attributes
    ----------
    value : float
        Of all rows.
    psi : ndarray, shape (n,)
        The influence of each row, or its share of that of the rows left out with it.
    together : ndarray of int, shape (n,), or None
        Which rows were left out together.
    """

    value: float
    psi: FloatArray
    together: Codes | None


def left_out(metric: OwnMetric, n: int, clusters: Codes | None) -> LeftOut:
    """Return influence values from leaving out rows, blocks of rows, or clusters.

    (n − m)(θ − θ without the m rows) is the sum of their influence values to first order.
    """
    value = _value(metric, np.arange(n), "all rows")
    codes = clusters
    if codes is None:
        codes = np.arange(n) if n <= MOST_LEFT_OUT else np.arange(n) % _BLOCKS
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    psi, keep = np.empty(n), np.ones(n, dtype=np.bool_)
    for part in parts:
        keep[part] = False
        without = _value(metric, np.flatnonzero(keep), f"the rows without {len(part)} of them")
        psi[part] = (n - len(part)) * (value - without) / len(part)
        keep[part] = True
    # leaving out is not quite symmetric: influence values have mean 0
    psi -= psi.mean()
    together = codes if clusters is not None or n > MOST_LEFT_OUT else None
    return LeftOut(value, psi, together)


def _value(metric: OwnMetric, rows: NDArray[np.intp], which: str) -> float:
    try:
        found = float(metric(rows))
    except ValueError as reason:
        raise NoValue(f"on {which}: {reason}") from None
    if not math.isfinite(found):
        raise NoValue(f"on {which} it is {found}")
    return found

"""The covariance of estimates by leaving out one unit (a prompt, a data set) at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray

Errors = Literal["leave_one_out", "sandwich"]
_AT_A_TIME = 1 << 22  # numbers of information matrices of units at work at a time


def covariance_by_units(
    information: FloatArray,
    scores: FloatArray,
    information_of: Callable[[slice], FloatArray],
    errors: Errors,
) -> FloatArray:
    """Return the covariance of maximum likelihood estimates whose units are independent.

    `scores` (G, p) are those of the units; `information_of` gives the information of some of them.
    """
    units = len(scores)
    if units < 2:
        return np.full_like(information, math.nan)
    moved = np.empty_like(scores)
    for part in _parts(scores.shape):
        without = np.broadcast_to(information, (part.stop - part.start, *information.shape))
        if errors == "leave_one_out":
            # one Newton step towards the estimates without unit g: m_g = (H − H_g)⁻¹ S_g
            without = information - information_of(part)
        moved[part] = np.linalg.solve(without, scores[part, :, None])[:, :, 0]
    factor = (units - 1) / units
    if errors == "sandwich":
        factor = units / (units - 1)
    return np.asarray(factor * moved.T @ moved)


def _parts(shape: tuple[int, ...]) -> Iterator[slice]:
    """Cut the units into parts whose information matrices fit into memory."""
    units, parameters = shape
    step = max(1, _AT_A_TIME // parameters**2)
    for start in range(0, units, step):
        yield slice(start, min(start + step, units))


def laplacians(weights: FloatArray) -> FloatArray:
    """Return the information about strengths of symmetric weights of pairs, shape (…, k, k)."""
    information = -weights
    models = np.arange(weights.shape[-1])
    information[..., models, models] += weights.sum(axis=-1)
    return information


def units_that_join(
    units: NDArray[np.intp], first: NDArray[np.intp], second: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the units without which the models that meet fall apart into sets.

    `units`, `first` and `second` are the unit and the two models of each meeting.
    """
    from scipy.sparse.csgraph import connected_components  # slow to import

    models = int(max(first.max(), second.max())) + 1
    pair = np.minimum(first, second) * models + np.maximum(first, second)
    unit_and_pair = np.unique(np.column_stack([units, pair]), axis=0)
    met_in = np.bincount(unit_and_pair[:, 1], minlength=models**2)
    # a unit matters if a pair met in it alone
    alone = unit_and_pair[met_in[unit_and_pair[:, 1]] == 1]
    joining = []
    for unit in np.unique(alone[:, 0]):
        met = met_in > 0
        met[alone[alone[:, 0] == unit, 1]] = False
        if connected_components(met.reshape(models, models), directed=False)[0] > 1:
            joining.append(unit)
    return np.array(joining, dtype=np.intp)

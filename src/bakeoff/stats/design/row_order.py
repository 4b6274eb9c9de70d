"""Whether rows depend on their neighbours in the order of a file."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.arithmetic import product
from bakeoff.stats.core.checks import ArgumentError, BoolArray, FloatArray, as_array, as_correctness
from bakeoff.stats.core.two_by_two import both_correct
from bakeoff.stats.design.clusters import Clusters, as_clusters

__all__ = ["OrderDependence", "order_dependence"]
_ROWS_AT_ONCE = 1 << 14
_FEWEST_DISCORDANT = 20  # fewer have too coarse an autocorrelation for the normal distribution


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
    Of independent rows the autocorrelation is about normal with mean −1/N and variance 1/N. All
    pairs come from products of M × M numbers: no difference per row and pair is formed.

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
    if labels is not None and as_array(labels, "labels").shape != (n,):
        raise ArgumentError("labels", f"needs one label for each of the {n} rows")
    both = both_correct(right, None)
    discordant = _of_differences(both)
    groups = as_clusters(np.zeros(n) if labels is None else labels, n, "labels")
    gamma1, gamma0 = map(_of_differences, _products(right, both, groups))
    known = np.triu((discordant >= _FEWEST_DISCORDANT) & (gamma0 > 1e-9 * n), k=1)
    if not known.any():
        return None
    r = np.where(known, gamma1 / np.where(known, gamma0, 1.0), -np.inf)
    a, b = (int(v) for v in np.unravel_index(np.argmax(r), r.shape))
    highest = float(r[a, b])
    p = float(special.ndtr(-(highest + 1 / n) * math.sqrt(n))) * int(known.sum())
    return OrderDependence(
        model_a=a,
        model_b=b,
        autocorrelation=highest,
        pvalue=min(p, 1.0),
        n_effective=n * min(1.0, (1 - highest) / (1 + highest)),
    )


def _products(
    right: BoolArray, both: FloatArray, groups: Clusters
) -> tuple[FloatArray, FloatArray]:
    """Return Σ x_i y_j of right and wrong less their mean in each class, shape (M, M)."""
    totals = groups.sums(right)
    expected = totals / groups.sizes[:, None]
    now, following = groups.codes[:-1], groups.codes[1:]
    lagged = np.zeros((right.shape[1],) * 2)
    for start in range(0, len(now), _ROWS_AT_ONCE):  # a block ends with the next one's first
        block = right[start : start + _ROWS_AT_ONCE + 1].astype(np.float32)
        lagged += block[:-1].T @ block[1:]
    follows = Clusters(now, groups.sizes).sums(right[1:])
    before = [
        np.bincount(following, right[:-1, i] - expected[now, i], groups.count)
        for i in range(right.shape[1])
    ]
    lagged -= product(expected.T, follows) + product(np.array(before), expected)
    return lagged, both - product(expected.T, totals)


def _of_differences(products: FloatArray) -> FloatArray:
    """Turn Σ x_i y_j into Σ (x_i − x_j)(y_i − y_j)."""
    own = np.diag(products)
    return np.asarray(own[:, None] + own - products - products.T)

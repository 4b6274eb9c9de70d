"""Looks at a running evaluation: bounds by alpha spending, and an e-process for endless streams.

A suite of N items has been run on the first n. A plain test at every look rejects true nulls in
about .2 of evaluations; bounds that spend the level over the looks keep it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, PositiveFloat, PositiveInt, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, IntArray, as_scores
from bakeoff.stats.design.groups import spread

LOOKS = 10
"""Looks at a suite, at equal parts of its items."""
FEWEST_ITEMS_OF_A_LOOK = 10
Spending = Literal["obrien_fleming", "pocock"]
_STEP = 0.02  # of the grid of the recursion, in standard deviations of a whole suite
_REACH = 8.0
_FURTHEST = 15.0  # no bound is beyond so many standard errors


# --- bounds


@dataclasses.dataclass(frozen=True)
class SpendingBounds:
    """Bounds for |z| at looks with these shares of the information.

    Attributes
    ----------
    information : ndarray, shape (L,)
        The shares of the items of the whole suite.
    z, pvalue : ndarray, shape (L,)
        What |z| must reach, and what the p-value must not exceed, for a decision at each look.
    alpha_spent : ndarray, shape (L,)
        The probability of a false decision up to each look.
    """

    information: FloatArray
    z: FloatArray
    pvalue: FloatArray
    alpha_spent: FloatArray


@checked
def spending_bounds(
    information: ArrayLike, *, alpha: Level = 0.05, spending: Spending = "obrien_fleming"
) -> SpendingBounds:
    """Return the bounds of two-sided looks that together keep a level.

    Parameters
    ----------
    information : array_like, shape (L,)
        The shares of all items at each look, increasing, at most 1.
    spending : {"obrien_fleming", "pocock"}
        How the level is spent. The first leaves nearly all of it to the end.

    Returns
    -------
    SpendingBounds

    Notes
    -----
    Lan & DeMets (1983): a side may have spent 2(1 − Φ(z₁₋α⁄₄/√t)) at the share t (O'Brien–Fleming
    type with α/2), or (α/2) ln(1 + (e − 1)t) (Pocock type). The bounds follow from the density of
    the sums that have not crossed one yet (Armitage, McPherson & Rowe 1969), on a grid.

    Examples
    --------
    >>> spending_bounds([0.5, 1]).z.round(3).tolist()
    [2.963, 1.969]
    """
    times = np.asarray(information, dtype=np.float64)
    increasing = times.ndim == 1 and len(times) > 0 and bool((np.diff(times, prepend=0) > 0).all())
    if not increasing or times[-1] > 1 + 1e-12:
        raise ArgumentError("information", "expected increasing shares above 0, 1 at most")
    spent = _spent(times, alpha, spending)
    z = np.empty(len(times))
    grid = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
    density = np.zeros(len(grid))  # of sums B = z√t that have not crossed a bound
    before = 0.0
    for look, time in enumerate(times):
        step = time - before
        wanted = float(np.diff(spent, prepend=0.0)[look])
        z[look] = _bound(grid, density, step, time, wanted, first=look == 0)
        density = _moved(grid, density, step, first=look == 0)
        density *= _share_of_cells(grid, z[look] * math.sqrt(time))
        before = time
    return SpendingBounds(times, z, 2 * special.ndtr(-z), spent)


def _spent(times: FloatArray, alpha: float, spending: Spending) -> FloatArray:
    """Return the level that both sides together have spent by each look."""
    if spending == "pocock":
        return np.asarray(alpha * np.log1p((math.e - 1) * times))
    quantile = special.ndtri(1 - alpha / 4)
    return np.asarray(4 * special.ndtr(-quantile / np.sqrt(times)))


def _moved(grid: FloatArray, density: FloatArray, step: float, *, first: bool) -> FloatArray:
    """Return the density of the sums one look later."""
    if first:
        return np.asarray(np.exp(-np.square(grid) / (2 * step)) / math.sqrt(2 * math.pi * step))
    # f(b) = ∫ f(a) φ((b − a)/√step)/√step da: a convolution on the grid
    kernel_grid = np.concatenate([grid - grid[-1], (grid - grid[0])[1:]])
    kernel = np.exp(-np.square(kernel_grid) / (2 * step)) / math.sqrt(2 * math.pi * step)
    return np.asarray(np.convolve(density, kernel, mode="valid") * _STEP)


def _crossing(
    grid: FloatArray, density: FloatArray, step: float, bound: float, *, first: bool
) -> float:
    """Return the probability that a sum inside the bounds so far crosses ± bound at this look."""
    deviation = math.sqrt(step)
    if first:
        return float(2 * special.ndtr(-bound / deviation))
    # P(a + √step Z beyond ± bound), over the density of a
    above = special.ndtr((grid - bound) / deviation)
    below = special.ndtr((-bound - grid) / deviation)
    return float((density * (above + below)).sum() * _STEP)


def _bound(
    grid: FloatArray, density: FloatArray, step: float, time: float, wanted: float, *, first: bool
) -> float:
    """Return the |z| that a look crosses with the wanted probability."""
    root = math.sqrt(time)

    def excess(z: float) -> float:
        return _crossing(grid, density, step, z * root, first=first) - wanted

    if excess(_FURTHEST) > 0:
        return _FURTHEST
    return _root(excess, 0.0, _FURTHEST, tolerance=1e-12)


def _share_of_cells(grid: FloatArray, bound: float) -> FloatArray:
    """Return how much of each cell of the grid lies between the bounds."""
    low = np.maximum(grid - _STEP / 2, -bound)
    high = np.minimum(grid + _STEP / 2, bound)
    return np.clip((high - low) / _STEP, 0.0, 1.0)


# --- looks at paired differences


class Look(NamedTuple):
    """What one look at the first items of a suite shows."""

    n: int
    difference: float
    low: float
    high: float
    pvalue: float
    needed: float
    """What the p-value must not exceed."""
    crossed: bool


@dataclasses.dataclass(frozen=True)
class Looks:
    """The looks at a suite so far.

    Attributes
    ----------
    total : int
        The items of the suite.
    done : tuple of Look
        Every look up to now; the limits of each hold at all looks together.
    coming : tuple of int
        The numbers of items at the looks to come.
    coming_needed : tuple of float
        What the p-value must not exceed at each of these.
    decided_at : int or None
        The number of items at which the bound was crossed first.
    likely : int or None
        The number of items at which it is crossed if all goes on as it did; None: at none.
    alpha : float
        The level of all looks together.
    """

    total: int
    done: tuple[Look, ...]
    coming: tuple[int, ...]
    coming_needed: tuple[float, ...]
    decided_at: int | None
    likely: int | None
    alpha: float

    @property
    def last(self) -> Look | None:
        """The look with the most items; None where no look is due."""
        if not self.done:
            return None
        return self.done[-1]

    @property
    def decisive(self) -> Look | None:
        """The look that decided, or else the last one."""
        for look in self.done:
            if look.n == self.decided_at:
                return look
        return self.last


@checked
def looks(
    differences: ArrayLike,
    total: PositiveInt,
    *,
    alpha: Level = 0.05,
    number: PositiveInt = LOOKS,
    spending: Spending = "obrien_fleming",
) -> Looks:
    """Look at the first items of a suite whose size is known, and say what is decided.

    Parameters
    ----------
    differences : array_like, shape (n,)
        A − B on the first n items, **in the order of the suite** and never in that of finishing:
        quick answers come first, and they are not like the others.
    total : int
        The items of the suite.
    number : int
        Looks at equal parts of the suite; the earlier ones are computed again from the same items.
    spending : {"obrien_fleming", "pocock"}
        As in `spending_bounds`.

    Returns
    -------
    Looks

    Notes
    -----
    Student's t of the differences at every look, its p-value against the nominal p of the bound of
    `spending_bounds`. The limits of a look have the level of its bound.

    Examples
    --------
    >>> found = looks([1, 0, 1, 0, 1, 1, 0, 1, 1, 0] * 4, 100)
    >>> found.decided_at, found.done[-1].n, found.coming[0]
    (30, 40, 50)
    """
    values = as_scores(differences, "differences", unit="items")
    if len(values) > total:
        raise ArgumentError("total", f"found {total:,}, there are {len(values):,} items")
    sizes = _sizes_of_looks(total, number)
    bounds = spending_bounds(np.array(sizes) / total, alpha=alpha, spending=spending)
    done: list[Look] = []
    decided_at = None
    for place, size in enumerate(sizes):
        if size > len(values):
            break
        look = _look(values[:size], float(bounds.pvalue[place]))
        done.append(look)
        if look.crossed and decided_at is None:
            decided_at = size
    coming = [place for place, size in enumerate(sizes) if size > len(values)]
    likely = None
    if decided_at is None and done:
        for place in coming:
            if _would_cross(values, sizes[place], float(bounds.z[place])):
                likely = sizes[place]
                break
    return Looks(
        total=total,
        done=tuple(done),
        coming=tuple(sizes[place] for place in coming),
        coming_needed=tuple(float(bounds.pvalue[place]) for place in coming),
        decided_at=decided_at,
        likely=likely,
        alpha=alpha,
    )


def _sizes_of_looks(total: int, number: int) -> list[int]:
    """Return the numbers of items at the looks, ten items or more at each."""
    sizes = {round(total * part / number) for part in range(1, number + 1)}
    return sorted(size for size in sizes if size >= FEWEST_ITEMS_OF_A_LOOK or size == total)


def _look(values: FloatArray, needed: float) -> Look:
    """Test the mean difference of the items up to a look."""
    mean = float(values.mean())
    estimated = spread(values - mean)
    if not estimated.se > 0 and mean and abs(mean) <= 1:
        # all differences are the same: one for each model is added, as for rare differences
        padded = np.append(values, [1.0, -1.0])
        estimated = spread(padded - padded.mean())
    if not estimated.se > 0:
        pvalue = 1.0 if mean == 0 else math.nan
        return Look(len(values), mean, math.nan, math.nan, pvalue, needed, crossed=False)
    df = len(values) - 1.0
    pvalue = float(2 * special.stdtr(df, -abs(mean) / estimated.se))
    reach = -float(special.stdtrit(df, needed / 2)) * estimated.se
    crossed = pvalue <= needed
    return Look(len(values), mean, mean - reach, mean + reach, pvalue, needed, crossed)


def _would_cross(values: FloatArray, size: int, z: float) -> bool:
    """Tell whether the bound of a later look is crossed if mean and spread stay as they are."""
    # z grows with the root of the items
    se = float(values.std(ddof=1)) / math.sqrt(size)
    return se > 0 and abs(float(values.mean())) / se >= z


# --- an e-process


@dataclasses.dataclass(frozen=True)
class EProcess:
    """The evidence of a stream of differences, valid at whatever time one looks.

    Attributes
    ----------
    n : int
        The differences.
    mean : float
        Their mean.
    e_value, pvalue : float
        The evidence against a mean of 0; min(1, 1/e), which may be looked at at any time.
    ci : tuple of float
        The means whose e-value is below 1/(1 − confidence_level).
    """

    n: int
    mean: float
    e_value: float
    pvalue: float
    ci: tuple[float, float]


@checked
def e_process(
    differences: ArrayLike, *, prior: PositiveFloat = 5.0, confidence_level: Level = 0.95
) -> EProcess:
    """Weigh the evidence that a stream of differences has a mean other than 0.

    Parameters
    ----------
    differences : array_like, shape (n,)
        A − B of each item, from −1 to 1; their order does not matter.
    prior : float
        The bets θ = 2p − 1 are mixed over p from Beta(prior, prior).

    Returns
    -------
    EProcess

    Notes
    -----
    E(m) = ∫ Π(1 + λ(d_i − m)) dBeta(p; a, a) with λ = θ/(1 + m) for θ > 0 and θ/(1 − m) for θ < 0:
    a bet that loses at most its stake, so that E(m) exceeds 1/α with a probability of at most α,
    however often one looks (Waudby-Smith & Ramdas 2024; Ville's inequality). For d in {−1, 0, 1} it
    is 2^(b+c) B(c + a, b + a)/B(a, a) of the discordant items. Where the number of items is known
    beforehand `looks` decides earlier.

    Examples
    --------
    >>> found = e_process([1] * 20 + [-1] * 8 + [0] * 30)
    >>> round(found.e_value, 3), round(found.pvalue, 3)
    (3.652, 0.274)
    """
    values = as_scores(differences, "differences", unit="items")
    if np.abs(values).max() > 1:
        largest = float(np.abs(values).max())
        raise ArgumentError("differences", f"found {largest:g}, they lie between -1 and 1")
    # the same number whatever the order of the rows
    different, counts = np.unique(values, return_counts=True)
    nodes = _Nodes.of(prior, different, counts)
    mean = float(different @ counts) / len(values)
    log_e = nodes.log_evidence(0.0)
    e_value = math.exp(min(log_e, 700.0))
    wanted = -math.log(1 - confidence_level)
    return EProcess(
        n=len(values),
        mean=mean,
        e_value=e_value,
        pvalue=math.exp(-max(log_e, 0.0)),
        ci=_limits(nodes, mean, wanted),
    )


_FEWEST_NODES = 60
_NODES_BY_ROOT = 3  # the evidence is the sharper in θ the more items there are, by their root
_EDGE = 1e-9  # of the means that are tried, from −1 and 1


class _Nodes(NamedTuple):
    """Gauss–Legendre nodes for θ above 0 and the log of their weights, for some differences."""

    theta: FloatArray
    log_weight: FloatArray
    values: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, prior: float, values: FloatArray, counts: IntArray) -> _Nodes:
        """Return the nodes for bets from Beta(prior, prior)."""
        number = max(_FEWEST_NODES, math.ceil(_NODES_BY_ROOT * math.sqrt(counts.sum())))
        x, weight = special.roots_legendre(number)
        theta = (x + 1) / 2
        # dBeta(p) with p = (1 + θ)/2: the density of θ is that of p over 2; the node's interval is
        # half as long as that of x
        p = (1 + theta) / 2
        log_density = (prior - 1) * (np.log(p) + np.log1p(-p)) - special.betaln(prior, prior)
        log_weight = log_density + np.log(weight) - 2 * math.log(2)
        return cls(theta, log_weight, values, counts.astype(np.float64))

    def log_evidence(self, mean: float) -> float:
        """Return log E(mean)."""
        gains = self.values - mean
        parts = []
        for sign, stake in ((1.0, 1 + mean), (-1.0, 1 - mean)):
            with np.errstate(divide="ignore", invalid="ignore"):
                growth = np.log1p(sign * self.theta[:, None] / stake * gains) @ self.counts
            parts.append(growth + self.log_weight)
        return float(special.logsumexp(np.concatenate(parts)))


def _limits(nodes: _Nodes, observed: float, threshold: float) -> tuple[float, float]:
    """Return the ends of the set of means whose evidence is below e^wanted."""
    lowest = -1 + _EDGE
    highest = 1 - _EDGE
    inside = min(max(observed, lowest), highest)

    def excess(mean: float) -> float:
        return nodes.log_evidence(mean) - threshold

    low = -1.0
    if excess(lowest) > 0:
        low = _root(excess, lowest, inside, tolerance=1e-10)
    high = 1.0
    if excess(highest) > 0:
        high = _root(excess, inside, highest, tolerance=1e-10)
    return low, high


def _root(
    function: Callable[[float], float], low: float, high: float, *, tolerance: float
) -> float:
    """Return where a function changes its sign between two numbers."""
    from scipy import optimize  # slow to import

    return float(optimize.brentq(function, low, high, xtol=tolerance))

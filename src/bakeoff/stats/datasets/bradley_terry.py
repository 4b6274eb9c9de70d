"""Strengths of models by Bradley and Terry's model, with errors from the data sets."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Decimals, Level, checked
from bakeoff.stats.core.arithmetic import exp, gram, product, root, solved
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.datasets.incomplete import check_connected, reached
from bakeoff.stats.datasets.win_rates import rank_meetings, tally

__all__ = ["Strengths", "bradley_terry"]

_PRIOR = 0.25
_LONGEST_STEP = 2.0
_STEPS = 200


@dataclasses.dataclass(frozen=True)
class Strengths:
    """Strengths of models: θ, with P(i beats j) = 1/(1 + exp(θ_j − θ_i)).

    Attributes
    ----------
    strength, se, low, high : ndarray, shape (k,)
        θ, which sum to 0; standard errors; limits, NaN where the standard error is 0.
    covariance : ndarray, shape (k, k)
        Of the strengths.
    prior : float
        The wins that were added each way to every pair that met.
    n : int
        The data sets, or groups of them.
    points : ndarray, shape (k, k)
        Wins and half the draws of the model of the row against that of the column.
    """

    strength: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    covariance: FloatArray
    prior: float
    n: int
    points: FloatArray

    @cached_property
    def win_probability(self) -> FloatArray:
        """P(the model of the row beats that of the column), shape (k, k)."""
        return _chances(self.strength)

    @cached_property
    def expected_rank(self) -> FloatArray:
        """The average rank to be expected on a full table, shape (k,).

        Without a prior it is the average rank itself where no score is missing.
        """
        chances = self.win_probability.copy()
        np.fill_diagonal(chances, 0.0)
        return np.asarray(1 + chances.sum(axis=0))

    def of(self, order: NDArray[np.intp]) -> Strengths:
        """Return the same strengths in another order, shape (k,)."""
        lines = {name: getattr(self, name)[order] for name in ("strength", "se", "low", "high")}
        tables = {
            name: getattr(self, name)[np.ix_(order, order)] for name in ("covariance", "points")
        }
        return dataclasses.replace(self, **lines, **tables)

    @property
    def difference_se(self) -> FloatArray:
        """Standard errors of the differences of two strengths, shape (k, k)."""
        variance = self.covariance.diagonal()
        found = variance[:, None] + variance - 2 * self.covariance
        return np.asarray(np.sqrt(np.maximum(found, 0.0)))


@checked
def bradley_terry(
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    prior: float | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Strengths:
    """Fit Bradley and Terry's model to who beats whom on each data set; draws are half a win.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model; NaN is a missing cell.
    groups : array_like, shape (N,), optional
        Which data sets belong together: the standard errors take them for one.
    prior : float, optional
        Wins to add each way to every pair that met; default: 0, or ¼ where some models win
        everything against the others, for which no strengths are the most likely ones.

    Returns
    -------
    Strengths
        Each interval holds by itself.

    Notes
    -----
    Maximum likelihood by Newton's method. The covariance is the sandwich H⁻¹BH⁻¹ with B the sum
    over data sets (groups) of the outer products of their centred scores, times G/(G − 1); limits
    take the quantile of t with G − 1 degrees of freedom. Comparisons on one data set are not
    independent; standard errors that take them so are too small (docs/standings.md).

    References
    ----------
    Bradley & Terry (1952), Biometrika 39:324-345.

    Examples
    --------
    >>> from bakeoff.stats import bradley_terry
    >>> found = bradley_terry([[0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.7, 0.5], [0.6, 0.8, 0.7]])
    >>> found.strength.round(3).tolist(), found.expected_rank.round(3).tolist()
    ([0.366, 0.366, -0.732], [1.75, 1.75, 2.5])
    """
    ranks, codes = rank_meetings(scores, groups, greater_is_better, decimals)
    there = ~np.isnan(ranks)
    check_connected(there)
    met, wins, draws = tally(ranks, np.arange(len(ranks)))
    points = wins + draws / 2
    if prior is None:
        beats = points > 0
        prior = 0.0 if reached(beats, 0).all() and reached(beats.T, 0).all() else _PRIOR
    padded, total = points + prior * (met > 0), met + 2 * prior * (met > 0)
    strength = most_likely(padded, total)
    chances = _chances(strength)
    np.fill_diagonal(chances, 0.0)
    expected = product(there.astype(np.float64), chances.T)
    residuals = np.where(there, there.sum(axis=1, keepdims=True) - ranks - expected, 0.0)
    n = int(codes.max()) + 1
    own = np.zeros((n, len(strength)))
    np.add.at(own, codes, residuals)
    own -= own.mean(axis=0)
    moved = _newton_step(own.T, chances, total).T  # what each data set adds to the strengths
    covariance = gram(moved) * (n / (n - 1) if n > 1 else math.nan)
    se = np.sqrt(covariance.diagonal())
    se = np.where(se > 1e-10, se, 0.0)
    quantile = float(special.stdtrit(n - 1, (1 + confidence_level) / 2))
    reach = np.where(se > 0, se, np.nan) * quantile
    return Strengths(strength, se, strength - reach, strength + reach, covariance, prior, n, points)


def _chances(strength: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + exp(strength[None, :] - strength[:, None])))


def most_likely(points: FloatArray, total: FloatArray) -> FloatArray:
    """Maximise the likelihood of wins among meetings by Newton's method, the strengths centred."""
    strength = np.zeros(len(points))
    for _ in range(_STEPS):
        chances = _chances(strength)
        step = _newton_step((points - total * chances).sum(axis=1), chances, total)
        longest = float(np.abs(step).max())
        strength = strength + step * min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        if longest < 1e-12:
            break
    return strength


def _newton_step(slope: FloatArray, chances: FloatArray, total: FloatArray) -> FloatArray:
    """Solve Hx = slope with the strengths summing to 0; slope is of shape (k,) or (k, N)."""
    weights = total * chances * chances.T
    information = np.diag(weights.sum(axis=1)) - weights
    lower = root(information[:-1, :-1])  # the last strength is 0 at first
    forward, _ = solved(lower, slope[:-1])
    back, _ = solved(lower.T[::-1, ::-1], forward[::-1])
    found = np.concatenate([back[::-1], np.zeros_like(slope[:1])])
    return np.asarray(found - found.mean(axis=0))

"""Battles of many models: strengths by Bradley and Terry's model, and which ranks are possible.

A battle has two models, an outcome (1 the first wins, 0 the second, ½ a tie) and a prompt. Battles
on one prompt are not independent: standard errors leave out one prompt at a time.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import AtLeast0, Level, Resamples, Seed, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_array, as_correctness, as_floats
from bakeoff.stats.core.max_t import largest_t
from bakeoff.stats.core.pairs import pairs_of
from bakeoff.stats.datasets.leave_one_out import Errors, covariance_by_units, units_that_join
from bakeoff.stats.datasets.standings import Strengths
from bakeoff.stats.design.clusters import Clusters, as_clusters

_PRIOR = 0.25
"""Wins each way for every pair that met, where the most likely strengths are infinite."""
_STEPS = 100
_LONGEST_STEP = 2.0
_CONVERGED = 1e-11
_INFINITE = 20.0  # log odds of the first place without a maximum
_NO_ERROR = 1e-10
_MOST_NAMED = 8
_ALIKE = 1e-9


@dataclasses.dataclass(frozen=True)
class BattleStrengths(Strengths):
    """Strengths of models from battles, in the order of `models`.

    Attributes
    ----------
    models : tuple
        The names of the models.
    position, position_se : float
        The log odds that the answer shown first wins between equal models, with its standard
        error; NaN where the order of showing is not known.
    met : ndarray, shape (k, k)
        Battles of each pair.
    joining : int
        Prompts without which the models would fall apart into sets that never met: where there are
        some, standard errors are not known.
    """

    models: tuple[Any, ...]
    position: float
    position_se: float
    met: FloatArray
    joining: int


@dataclasses.dataclass(frozen=True)
class _Cells:
    """Battles counted by the models shown first (row) and second (column)."""

    points: FloatArray  # of the row
    total: FloatArray
    with_order: bool

    @property
    def met(self) -> FloatArray:
        """Battles of each pair, in whichever order."""
        return self.total + self.total.T

    def with_prior(self, prior: float) -> _Cells:
        """Add wins each way to every pair that met, in both orders alike."""
        met = (self.met > 0).astype(np.float64)
        return _Cells(self.points + prior / 2 * met, self.total + prior * met, self.with_order)


@checked
def battle_strengths(
    model_a: ArrayLike,
    model_b: ArrayLike,
    outcome: ArrayLike,
    prompt: ArrayLike,
    *,
    first: ArrayLike | None = None,
    models: ArrayLike | None = None,
    prior: AtLeast0 | None = None,
    confidence_level: Level = 0.95,
    errors: Errors = "leave_one_out",
) -> BattleStrengths:
    """Fit Bradley and Terry's model to battles; a tie is half a win for each model.

    Parameters
    ----------
    model_a, model_b : array_like, shape (N,)
        The models of each battle.
    outcome : array_like, shape (N,)
        1 where the model of `model_a` wins, 0 for a tie, −1 where that of `model_b` wins; a
        fraction is a degree.
    prompt : array_like, shape (N,)
        The prompt of each battle: those of one prompt are left out together.
    first : array_like of bool, shape (N,), optional
        Whether the answer of `model_a` was shown first. It adds a parameter, the log odds of the
        first place.
    models : array_like, shape (k,), optional
        The models in the order wanted; default: sorted.
    prior : float, optional
        Wins to add each way to every pair that met; default: 0, or ¼ where some models win
        everything against the others, for which no strengths are the most likely ones.
    errors : {"leave_one_out", "sandwich"}
        As in `bradley_terry`.

    Returns
    -------
    BattleStrengths

    Notes
    -----
    Maximum likelihood by Newton's method (Bradley & Terry 1952). With H the information and H_g,
    S_g information and score of prompt g, the covariance is (G − 1)/G Σ m_g m_gᵀ with
    m_g = (H − H_g)⁻¹S_g; t has G − 1 degrees of freedom.

    Examples
    --------
    >>> a, b = ["x", "y", "x", "z", "y", "x"], ["y", "z", "z", "x", "x", "z"]
    >>> found = battle_strengths(a, b, [1, 1, 1, -1, 0, -1], [1, 2, 3, 4, 5, 6])
    >>> found.models, found.strength.round(2).tolist()
    (('x', 'y', 'z'), [0.53, 0.14, -0.67])
    """
    names, codes_a, codes_b = _models_of(model_a, model_b, models)
    wins = (as_floats(outcome, "outcome") + 1) / 2
    if wins.shape != codes_a.shape:
        raise ArgumentError("outcome", f"has {len(wins)} battles, model_a has {len(codes_a)}")
    if not ((wins >= 0) & (wins <= 1)).all():
        raise ArgumentError("outcome", "votes lie between -1 and 1")
    prompts = as_clusters(prompt, len(wins), "prompt")
    if first is not None:
        shown_first = as_correctness(first, "first", kind="which was first", instead="booleans")
        turned = ~shown_first
        shown = np.where(turned, codes_b, codes_a)
        codes_b = np.where(turned, codes_a, codes_b)
        codes_a = shown
        wins = np.where(turned, 1 - wins, wins)
    k = len(names)
    cells = _count(codes_a, codes_b, wins, k, with_order=first is not None)
    _check_connected(cells.met, names)
    if cells.with_order:
        _check_order(cells.total)
    cells, prior = _regular(cells, prior)
    strength, position = _most_likely(cells)
    joining = 0
    if prior == 0 and errors == "leave_one_out":
        joining = len(units_that_join(prompts.codes, codes_a, codes_b))
    if joining:
        covariance = np.full((k + 1, k + 1), math.nan)
    else:
        found = (strength, position)
        covariance = _covariance(cells, found, codes_a, codes_b, wins, prompts, errors)
    variance = covariance.diagonal()
    se = np.sqrt(variance[:k])
    se = np.where(se <= _NO_ERROR, 0.0, se)
    quantile = float(special.stdtrit(prompts.count - 1, (1 + confidence_level) / 2))
    reach = np.where(se > 0, se, np.nan) * quantile
    position_se = math.nan
    if cells.with_order:
        position_se = math.sqrt(variance[k])
    plain = _count(codes_a, codes_b, wins, k, with_order=False)
    return BattleStrengths(
        strength=strength,
        se=se,
        low=strength - reach,
        high=strength + reach,
        covariance=covariance[:k, :k],
        prior=prior,
        n=prompts.count,
        points=plain.points + (plain.total - plain.points).T,
        models=names,
        position=position,
        position_se=position_se,
        met=plain.met,
        joining=joining,
    )


def _models_of(
    model_a: ArrayLike, model_b: ArrayLike, models: ArrayLike | None
) -> tuple[tuple[Any, ...], NDArray[np.intp], NDArray[np.intp]]:
    """Return the names of the models and their places in each battle."""
    a = as_array(model_a, "model_a")
    b = as_array(model_b, "model_b")
    if a.ndim != 1 or a.shape != b.shape or len(a) == 0:
        message = f"has shape {b.shape}, model_a has {a.shape}, expected a model for each battle"
        raise ArgumentError("model_b", message)
    names = sorted({*a.tolist(), *b.tolist()})
    if models is not None:
        ordered = list(as_array(models, "models").tolist())
        if sorted(ordered) != names:
            raise ArgumentError("models", f"found {ordered}, the battles have {names}")
        names = ordered
    place = {name: i for i, name in enumerate(names)}
    codes_a = np.array([place[name] for name in a.tolist()], dtype=np.intp)
    codes_b = np.array([place[name] for name in b.tolist()], dtype=np.intp)
    itself = np.flatnonzero(codes_a == codes_b)
    if len(itself):
        message = f"{a[itself[0]]} fights itself in {len(itself)} battles, first in {itself[0]}"
        raise ArgumentError("model_b", message)
    return tuple(names), codes_a, codes_b


def _count(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    wins: FloatArray,
    k: int,
    *,
    with_order: bool,
) -> _Cells:
    """Count battles, and the points of the first model, by their two models."""
    cell = first * k + second
    points = np.bincount(cell, wins, k * k).reshape(k, k).astype(np.float64)
    total = np.bincount(cell, minlength=k * k).reshape(k, k).astype(np.float64)
    return _Cells(points, total, with_order)


def _check_connected(met: FloatArray, names: tuple[Any, ...]) -> None:
    """Refuse sets of models that never met."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    count, members = connected_components(met > 0, directed=False)
    if count == 1:
        return
    sets = []
    for number in range(min(count, 4)):
        inside = np.flatnonzero(members == number)[:_MOST_NAMED]
        sets.append(", ".join(str(names[i]) for i in inside))
    raise ArgumentError(
        "model_a",
        f"the models {' and '.join(sets)} never met each other: sets of models without a battle "
        "between them cannot be compared; leave one set out",
    )


def _check_order(total: FloatArray) -> None:
    """Refuse an order of showing that strengths alone could bring about."""
    # some pair met in both orders
    if ((total > 0) & (total.T > 0)).any():
        return
    first, second = np.nonzero(total)
    gradient = np.zeros((len(first), len(total)))
    gradient[np.arange(len(first)), first] = 1.0
    gradient[np.arange(len(first)), second] -= 1.0
    # if some strengths differ by 1 in each battle, they do what the first place does
    strengths = np.linalg.lstsq(gradient, np.ones(len(first)), rcond=None)[0]
    if np.abs(gradient @ strengths - 1).max() < _ALIKE:
        raise ArgumentError(
            "first",
            "each pair of models met in one order alone: a preference for the first place cannot "
            "be told from the strengths of the models",
        )


def _regular(cells: _Cells, prior: float | None) -> tuple[_Cells, float]:
    """Add the prior, where it is asked for or the most likely strengths are infinite."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    points = cells.points + (cells.total - cells.points).T
    separate = connected_components(points > 0, connection="strong")[0] > 1
    if cells.with_order and not separate:
        # the first place may win everything between models that are equal
        separate = not math.isfinite(_most_likely(cells)[1])
    if separate and prior == 0:
        raise ArgumentError("prior", "found 0, but some models win everything against the others")
    if prior is None:
        prior = 0.0
        if separate:
            prior = _PRIOR
    return cells.with_prior(prior), prior


def _chances(strength: FloatArray, position: float) -> FloatArray:
    """P(the model of the row, shown first, beats that of the column)."""
    return np.asarray(special.expit(strength[:, None] - strength[None, :] + position))


def _information(weights: FloatArray) -> FloatArray:
    """Return the information about strengths and position from weights by first and second."""
    k = len(weights)
    # minus the second derivatives of the log likelihood; weights are n p(1 − p) of each cell
    information = np.zeros((k + 1, k + 1))
    information[:k, :k] = np.diag(weights.sum(axis=0) + weights.sum(axis=1)) - weights - weights.T
    information[:k, k] = weights.sum(axis=1) - weights.sum(axis=0)
    information[k, :k] = information[:k, k]
    information[k, k] = weights.sum()
    return information


def _solvable(information: FloatArray, *, with_order: bool) -> FloatArray:
    """Fix the sum of the strengths, and the position where it is no parameter."""
    k = len(information) - 1
    fixed = information.copy()
    fixed[:k, :k] += information.diagonal()[:k].mean() / k
    if not with_order:
        fixed[k, :] = 0.0
        fixed[:, k] = 0.0
        fixed[k, k] = 1.0
    return fixed


def _most_likely(cells: _Cells) -> tuple[FloatArray, float]:
    """Maximise the likelihood by Newton's method; a position of NaN where it has no maximum."""
    k = len(cells.total)
    parameters = np.zeros(k + 1)
    for _ in range(_STEPS):
        chances = _chances(parameters[:k], parameters[k])
        # the score: points less those to be expected
        surplus = cells.points - cells.total * chances
        slope = np.append(surplus.sum(axis=1) - surplus.sum(axis=0), surplus.sum())
        if not cells.with_order:
            slope[k] = 0.0
        information = _information(cells.total * chances * (1 - chances))
        step = np.linalg.solve(_solvable(information, with_order=cells.with_order), slope)
        longest = float(np.abs(step).max())
        parameters += step * min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        if longest < _CONVERGED:
            break
        if abs(parameters[k]) > _INFINITE:
            return parameters[:k], math.nan
    else:
        return parameters[:k], math.nan
    position = math.nan
    if cells.with_order:
        position = float(parameters[k])
    return parameters[:k] - parameters[:k].mean(), position


def _covariance(
    cells: _Cells,
    estimates: tuple[FloatArray, float],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    wins: FloatArray,
    prompts: Clusters,
    errors: Errors,
) -> FloatArray:
    """Return the covariance of strengths and position by leaving out prompts."""
    strength = estimates[0]
    position = estimates[1] if cells.with_order else 0.0
    k = len(strength)
    chances = _chances(strength, position)
    variance = chances * (1 - chances)
    surplus = wins - chances[first, second]
    scores = np.zeros((prompts.count, k + 1))
    np.add.at(scores, (prompts.codes, first), surplus)
    np.add.at(scores, (prompts.codes, second), -surplus)
    if cells.with_order:
        np.add.at(scores, (prompts.codes, np.full(len(wins), k)), surplus)
    scores -= scores.mean(axis=0)
    order = np.argsort(prompts.codes, kind="stable")
    starts = np.append(0, np.cumsum(prompts.sizes)).astype(np.intp)

    def information_of(part: slice) -> FloatArray:
        """Return what the battles of some prompts tell of strengths and position."""
        battles = order[starts[part.start] : starts[part.stop]]
        unit = prompts.codes[battles] - part.start
        i = first[battles]
        j = second[battles]
        # the gradient of the log odds of a battle is +1 at i, −1 at j, and +1 at the position
        gradient = [(i, 1.0), (j, -1.0)]
        if cells.with_order:
            gradient.append((np.full_like(i, k), 1.0))
        weight = variance[i, j]
        information = np.zeros((part.stop - part.start, k + 1, k + 1))
        for row, of_row in gradient:
            for column, of_column in gradient:
                np.add.at(information, (unit, row, column), of_row * of_column * weight)
        return information

    whole = _solvable(_information(cells.total * variance), with_order=cells.with_order)
    return covariance_by_units(whole, scores, information_of, errors)


@dataclasses.dataclass(frozen=True)
class RankRanges:
    """The ranks that models may have; all statements hold at once.

    Attributes
    ----------
    rank_low, rank_high : ndarray, shape (k,)
        The best and the worst rank that a model may have; 1 is the strongest.
    pairs : ndarray, shape (P, 2)
        The places of the two models of each pair.
    difference, low, high, pvalue : ndarray, shape (P,)
        The difference of their strengths, its simultaneous limits and its adjusted p-value.
    pvalue_alone : ndarray, shape (P,)
        The p-value of each pair by itself.
    """

    rank_low: NDArray[np.intp]
    rank_high: NDArray[np.intp]
    pairs: NDArray[np.intp]
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    pvalue_alone: FloatArray


@checked
def rank_ranges(
    strengths: Strengths,
    *,
    confidence_level: Level = 0.95,
    n_resamples: Resamples = 19_999,
    seed: Seed = 0,
) -> RankRanges:
    """Compare all pairs of strengths at once, and return the ranks that each model may have.

    Parameters
    ----------
    strengths : Strengths
        What `battle_strengths` or `bradley_terry` found.

    Returns
    -------
    RankRanges

    Notes
    -----
    The largest |t| of all pairs is drawn from the covariance of the strengths (Hothorn, Bretz &
    Westfall 2008). A model ranks from 1 + those that are surely stronger to k − those that are
    surely weaker: with the wanted probability all these ranges hold.
    """
    k = len(strengths.strength)
    members = np.array(pairs_of(k, None), dtype=np.intp)
    i = members[:, 0]
    j = members[:, 1]
    difference = strengths.strength[i] - strengths.strength[j]
    se = strengths.difference_se[i, j]
    df = np.full(len(members), max(strengths.n - 1.0, 1.0))
    nothing = np.full(len(members), math.nan)
    # NaN compares as false
    if not (se > _NO_ERROR).all():
        ranks = np.ones(k, dtype=np.intp)
        return RankRanges(ranks, ranks * k, members, difference, nothing, nothing, nothing, nothing)
    largest = largest_t(
        difference / se,
        df,
        members,
        strengths.covariance,
        confidence_level,
        "two-sided",
        n_resamples,
        seed,
    )
    pvalue_alone = 2 * special.stdtr(df, -np.abs(difference / se))
    # the quantile of the largest normal score, as one of t
    reach = -special.stdtrit(df, special.ndtr(-largest.quantile)) * se
    low = difference - reach
    high = difference + reach
    # how many models are surely better, and surely worse, than each
    better = np.zeros(k, dtype=np.intp)
    worse = np.zeros(k, dtype=np.intp)
    np.add.at(better, j[low > 0], 1)
    np.add.at(worse, i[low > 0], 1)
    np.add.at(better, i[high < 0], 1)
    np.add.at(worse, j[high < 0], 1)
    return RankRanges(
        rank_low=1 + better,
        rank_high=k - worse,
        pairs=members,
        difference=difference,
        low=low,
        high=high,
        pvalue=np.fmax(largest.step_down, pvalue_alone),
        pvalue_alone=pvalue_alone,
    )

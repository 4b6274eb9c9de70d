"""Battles of two models: which of them is preferred, prompt by prompt.

A vote x is +1 where A wins, 0 for a tie and −1 where B wins; o is +1 where A was shown first, else
−1. All votes of a prompt are one unit, and every prompt counts once, however many votes it has.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Finite, Level, PositiveFloat, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_correctness, as_floats
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.paired_differences import Estimate, ratio_status
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import Clusters, as_clusters
from bakeoff.stats.design.groups import Spread, agreeing, flip_tails, spread, subset_limits
from bakeoff.stats.metrics.differences import mean_difference

FEWEST_PROMPTS = 20
"""Prompts from which on Student's t holds its level."""
FEWEST_IN_AN_ORDER = 10
"""Prompts that have to be seen in each of the two orders."""
_FEWEST_ON_A_SIDE = 5
"""With fewer prompts on the smaller side two prompts are added, one for each model."""
_BOUNDS = (-1.0, 1.0)
_NOISE = 1e-12
_SIGN_DRAWS = 99_999


@dataclasses.dataclass(frozen=True)
class PromptScores:
    """What the votes say of each prompt, adjusted for the order in which answers were shown.

    Attributes
    ----------
    prompts : Clusters
        The prompt of each vote.
    means, orders : ndarray, shape (n,)
        The mean vote of each prompt, and its mean order; NaN where the order is not known.
    values : ndarray, shape (n,)
        The score of each prompt, whose mean is `difference`.
    position_values : ndarray, shape (n,)
        The same for the advantage of the first place; NaN where the order is not known.
    difference, position_effect : float
        P(A wins) − P(B wins), both orders alike; P(the first wins) − P(the second wins).
    seen_first : tuple of int
        The prompts with a vote for which A, and for which B, was shown first.
    balanced : bool
        Whether every prompt was seen in both orders equally often.
    ties : int
        Votes that are ties.
    """

    prompts: Clusters
    means: FloatArray
    orders: FloatArray
    values: FloatArray
    position_values: FloatArray
    difference: float
    position_effect: float
    seen_first: tuple[int, int]
    balanced: bool
    ties: int

    @property
    def n(self) -> int:
        """The number of prompts."""
        return len(self.values)

    @property
    def order_is_known(self) -> bool:
        """Whether it is known which answer was shown first."""
        return not math.isnan(self.position_effect)

    @cached_property
    def on_smaller_side(self) -> int:
        """The prompts on which the model that wins fewer of them is preferred."""
        for_a = np.count_nonzero(self.means > _NOISE)
        for_b = np.count_nonzero(self.means < -_NOISE)
        return int(min(for_a, for_b))

    @cached_property
    def tested_values(self) -> FloatArray:
        """The scores of the prompts; with one prompt won by each model where such are rare."""
        # the variance of a rare event is 0 in most samples without it (Agresti & Min 2005 add two
        # pairs of rows for the same reason)
        if self.on_smaller_side < _FEWEST_ON_A_SIDE:
            return np.append(self.values, [1.0, -1.0])
        return self.values

    @cached_property
    def position(self) -> Estimate:
        """The advantage of the first place with its standard error."""
        estimated = _spread_of(self.position_values)
        return Estimate(value=self.position_effect, se=estimated.se, df=estimated.df)


@checked
def prompt_scores(
    outcome: ArrayLike, prompt: ArrayLike, *, first: ArrayLike | None = None
) -> PromptScores:
    """Turn the votes on two models into one score per prompt.

    Parameters
    ----------
    outcome : array_like, shape (N,)
        Of each vote 1 where A wins, 0 for a tie, −1 where B wins; a fraction is a degree.
    prompt : array_like, shape (N,)
        The prompt of each vote.
    first : array_like of bool, shape (N,), optional
        Whether the answer of A was shown first; without it nothing is adjusted.

    Returns
    -------
    PromptScores

    Notes
    -----
    Least squares of x ≈ a + b·o, each vote with the weight 1/m of its prompt's m votes, estimate
    the difference a and the advantage b of the first place. The score of a prompt is Tukey's
    pseudo-value n·a − (n − 1)·a₋ᵢ, with a₋ᵢ the fit without the prompt. Where every prompt was
    seen in both orders equally often it is the mean of its votes.

    Examples
    --------
    >>> scores = prompt_scores([1, 0, -1, 1], ["p", "p", "q", "q"], first=[True, False] * 2)
    >>> scores.values.round(2).tolist(), round(scores.position_effect, 2)
    ([0.5, 0.0], -0.25)
    """
    votes = _as_votes(outcome)
    prompts = as_clusters(prompt, len(votes), "prompt")
    # every prompt weighs the same, however many votes it has
    means = prompts.sums(votes) / prompts.sizes
    ties = int(np.count_nonzero(votes == 0))
    if first is None:
        unknown = np.full(prompts.count, np.nan)
        return PromptScores(
            prompts=prompts,
            means=means,
            orders=unknown,
            values=means,
            position_values=unknown,
            difference=float(means.mean()),
            position_effect=math.nan,
            seen_first=(0, 0),
            balanced=True,
            ties=ties,
        )
    shown_first = as_correctness(first, "first", kind="which answer was first", instead="booleans")
    if len(shown_first) != len(votes):
        raise ArgumentError("first", f"has {len(shown_first)} votes, outcome has {len(votes)}")
    order = np.where(shown_first, 1.0, -1.0)
    seen_first = _prompts_in_each_order(prompts, order)
    if min(seen_first) == 0:
        name = "A"
        if seen_first[0] == 0:
            name = "B"
        raise ArgumentError(
            "first",
            f"{name} was shown first on all {prompts.count} prompts: a preference for the first "
            "place cannot be told from one for this model",
        )
    mean_order = prompts.sums(order) / prompts.sizes
    moments = np.column_stack(
        [np.ones(prompts.count), mean_order, means, prompts.sums(votes * order) / prompts.sizes]
    )
    total = moments.sum(axis=0)
    difference, effect = _least_squares(total)
    without, effect_without = _least_squares(total - moments)
    n = prompts.count
    # Tukey's pseudo-values: their mean is the jackknife estimate, their spread its error
    values = n * difference - (n - 1) * without
    position_values = n * effect - (n - 1) * effect_without
    # it is not finite where one prompt alone has an order
    if np.isfinite(values).all():
        difference = values.mean()
        effect = position_values.mean()
    return PromptScores(
        prompts=prompts,
        means=means,
        orders=mean_order,
        values=values,
        position_values=position_values,
        difference=float(difference),
        position_effect=float(effect),
        seen_first=seen_first,
        balanced=bool(np.all(np.abs(mean_order) < _NOISE)),
        ties=ties,
    )


def _as_votes(outcome: ArrayLike) -> FloatArray:
    """Check votes, which lie between −1 and 1."""
    votes = as_floats(outcome, "outcome")
    if votes.ndim != 1 or len(votes) == 0:
        raise ArgumentError("outcome", f"expected one vote a row, found shape {votes.shape}")
    # NaN compares as false
    if not (np.abs(votes) <= 1).all():
        strange = votes[~(np.abs(votes) <= 1)]
        raise ArgumentError("outcome", f"found {strange[0]}, votes lie between -1 and 1")
    return votes


def _prompts_in_each_order(prompts: Clusters, order: FloatArray) -> tuple[int, int]:
    """Count the prompts with a vote for which A, and for which B, was shown first."""
    a_first = prompts.sums((order > 0).astype(np.float64)) > 0
    b_first = prompts.sums((order < 0).astype(np.float64)) > 0
    return int(a_first.sum()), int(b_first.sum())


def _least_squares(moments: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve for intercept and slope on the order, from sums of the weights, o, x and x·o."""
    # the weighted sum of o² is that of the weights, as o is −1 or +1
    weight = moments[..., 0]
    order = moments[..., 1]
    vote = moments[..., 2]
    product = moments[..., 3]
    # Cramer's rule for Σw · α + Σwo · β = Σwx and Σwo · α + Σw · β = Σwxo
    determinant = np.square(weight) - np.square(order)
    with np.errstate(divide="ignore", invalid="ignore"):
        intercept = (weight * vote - order * product) / determinant
        slope = (weight * product - order * vote) / determinant
    return intercept, slope


def _spread_of(values: FloatArray) -> Spread:
    """Return standard error and degrees of freedom of the mean of values."""
    if len(values) < 2 or not np.isfinite(values).all():
        return Spread(math.nan, math.nan, float(len(values)))
    return spread(values - values.mean())


@checked
def preference_difference(
    outcome: ArrayLike,
    prompt: ArrayLike,
    *,
    first: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Test whether one of two models is preferred to the other on more prompts.

    Parameters
    ----------
    outcome, prompt, first
        As in `prompt_scores`.
    groups : array_like, shape (N,), optional
        Which prompts belong together (a user, a document); all votes of a prompt are in one group.

    Returns
    -------
    Result
        `estimate` is P(A wins) − P(B wins) on a prompt, both orders alike; ``details`` holds
        ``share``, the share of prompts on which A is preferred, ties half, with its limits, and the
        advantage of the first place. ``too_few``: fewer than 20 prompts that were not all seen in
        both orders, fewer than 10 prompts in one of the orders, or fewer than 5 groups.

    Notes
    -----
    Student's t of the scores of the prompts with the degrees of freedom of their values. Below 20
    prompts all signs of the prompts are exchanged, which asks for both orders of every prompt, or
    for no order at all. With fewer than five prompts on the smaller side one prompt that each
    model wins is added.

    Examples
    --------
    >>> outcome, prompt = [1, 1, 0, 1, -1, 1] * 10, list(range(30)) * 2
    >>> found = preference_difference(outcome, prompt, first=[True] * 30 + [False] * 30)
    >>> round(found.details["share"], 2), round(found.pvalue, 4)
    (0.75, 0.0014)
    """
    scores = prompt_scores(outcome, prompt, first=first)
    few_in_an_order = scores.order_is_known and min(scores.seen_first) < FEWEST_IN_AN_ORDER
    if groups is None and scores.n < FEWEST_PROMPTS:
        result = _by_signs(scores, alternative, confidence_level)
    elif few_in_an_order:
        result = _undecided(scores, alternative)
    elif groups is not None:
        result = _in_groups(scores, groups, alternative, confidence_level)
    else:
        result = _by_t(scores, alternative, confidence_level)
    details = {**_facts(scores, confidence_level), **result.details}
    details |= _share_of(scores.difference, result.ci)
    return dataclasses.replace(
        result,
        test="preference_difference",
        estimate=scores.difference,
        n=scores.n,
        assumptions=_assumptions(scores),
        null_hypothesis="Neither model is preferred, with both orders of showing alike.",
        details=details,
    )


def _by_t(scores: PromptScores, side: Alternative, level: float) -> Result:
    """Test the mean score of the prompts by Student's t."""
    values = scores.tested_values
    estimated = _spread_of(values)
    tested = estimated.around(float(values.mean()))
    nothing_differs = not np.abs(scores.means).max() > _NOISE
    # the order explains every vote
    if estimated.se <= _NOISE:
        nothing_differs = abs(tested.value) <= _NOISE
    status = ratio_status(estimated.se, _NOISE, nothing_differs)
    statistic, pvalue = dataclasses.replace(tested, status=status).test(side)
    return Result(
        variant="t",
        statistic=statistic,
        df=tested.df,
        pvalue=pvalue,
        alternative=side,
        ci=tested.interval(level, side, bounds=_BOUNDS),
        n=scores.n,
        status=status,
        details={"se": tested.se, "padded": tested.value},
    )


def _by_signs(scores: PromptScores, side: Alternative, level: float) -> Result:
    """Test the mean score of few prompts by exchanging the models in each of them."""
    n = scores.n
    if not scores.balanced or n < 2:
        return _undecided(scores, side)
    # without a preference the two models could be exchanged in every prompt
    tails = flip_tails(scores.means, n_resamples=_SIGN_DRAWS, seed=0)
    pvalue = tails.pvalue(side, exact=True)
    shares = np.full(n, 1 / n)
    # limits from means of random subsets (Hartigan 1969)
    limits = subset_limits(scores.means / n, shares, tail_probability(level, side))
    low = -math.inf
    high = math.inf
    if side != "less":
        low = float(limits[0])
    if side != "greater":
        high = float(limits[1])
    interval = ConfidenceInterval(low, high, level, "subset_means")
    status = Status.OK
    if not np.abs(scores.means).max() > _NOISE:
        status = Status.IDENTICAL_SCORES
    return Result(
        variant="sign_flip_exact",
        statistic=float(scores.means.sum()),
        pvalue=pvalue,
        alternative=side,
        ci=agreeing(interval, pvalue, 1 - level, scores.difference, side),
        n=n,
        status=status,
        details={"pvalue_midp": tails.pvalue(side)},
    )


def _in_groups(scores: PromptScores, groups: ArrayLike, side: Alternative, level: float) -> Result:
    """Test the mean score of prompts that come in groups, as the mean of any number per row."""
    of_votes = as_clusters(groups, scores.prompts.n)
    codes = scores.prompts.codes
    _, first_votes = np.unique(codes, return_index=True)
    of_prompts = of_votes.codes[first_votes]
    if (of_votes.codes != of_prompts[codes]).any():
        raise ArgumentError("groups", "a prompt has votes in several groups: it belongs to one")
    # prompts that were added are of their own group each
    added = len(scores.tested_values) - scores.n
    labels = np.append(of_prompts, of_votes.count + np.arange(added))
    values = scores.tested_values
    result = mean_difference(
        values,
        np.zeros(len(values)),
        groups=labels,
        alternative=side,
        confidence_level=level,
    )
    ci = result.ci
    if ci is not None:
        ci = dataclasses.replace(ci, low=max(ci.low, -1.0), high=min(ci.high, 1.0))
    return dataclasses.replace(result, ci=ci, variant="t_and_flips")


def _undecided(scores: PromptScores, side: Alternative) -> Result:
    """Return the answer where the evidence is too thin for one."""
    return Result(
        statistic=math.nan,
        pvalue=math.nan,
        alternative=side,
        n=scores.n,
        status=Status.TOO_FEW,
    )


def _share_of(difference: float, ci: ConfidenceInterval | None) -> dict[str, float]:
    """Return the share of prompts on which A is preferred, with its limits."""
    # ties count half: P(A wins) + P(tie)/2 = (1 + P(A wins) − P(B wins))/2
    share = {"share": (1 + difference) / 2, "share_low": math.nan, "share_high": math.nan}
    if ci is not None:
        share["share_low"] = (1 + ci.low) / 2
        share["share_high"] = (1 + ci.high) / 2
    return share


def _facts(scores: PromptScores, level: float) -> dict[str, Any]:
    """Return the counts of votes and prompts, and the advantage of the first place."""
    facts: dict[str, Any] = {
        "votes": scores.prompts.n,
        "ties": scores.ties,
        "most_votes_of_a_prompt": int(scores.prompts.sizes.max()),
        "prompts_on_smaller_side": scores.on_smaller_side,
    }
    if scores.order_is_known:
        limits = scores.position.interval(level, bounds=_BOUNDS)
        facts |= {
            "prompts_a_first": scores.seen_first[0],
            "prompts_b_first": scores.seen_first[1],
            "position_effect": scores.position_effect,
            "position_se": scores.position.se,
            "position_pvalue": scores.position.pvalue("two-sided"),
            "position_ci": limits,
        }
    return facts


def _assumptions(scores: PromptScores) -> tuple[Assumption, ...]:
    """Say what is assumed of the order of showing and of the prompts."""
    independent = Assumption(
        "independent prompts", None, "prompts of one user or document would break it"
    )
    if not scores.order_is_known:
        detail = "it is not known which answer was shown first: nothing is adjusted for it"
        return independent, Assumption("no preference for a place", None, detail)
    fewer = min(scores.seen_first)
    detail = f"A was shown first on {scores.seen_first[0]}, B on {scores.seen_first[1]} prompts"
    enough = Assumption("enough prompts in both orders", fewer >= FEWEST_IN_AN_ORDER, detail)
    return independent, enough


@checked
def prompts_for_power(
    sd: PositiveFloat, difference: Finite, *, alpha: Level = 0.05, power: Level = 0.8
) -> int:
    """Return the prompts whose test finds a difference with this probability.

    Parameters
    ----------
    sd : float
        Standard deviation of the scores of prompts.
    difference : float
        The true P(A wins) − P(B wins).
    power : float
        The wanted probability.
    """
    # n = (z_{1−α/2} + z_power)² σ²/δ²
    z = float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
    return max(FEWEST_PROMPTS, math.ceil((z * sd / difference) ** 2))

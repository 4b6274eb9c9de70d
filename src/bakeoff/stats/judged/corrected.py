"""Marks of a judge on all items, corrected by people's marks on some of them.

F is the mark of the judge on each of N items, Y that of people on n of them, drawn at random. What
is estimated is the mean of people's marks over all N items, of one model or of a difference.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Finite, Level, PositiveFloat, PositiveInt, Share, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_floats, as_scores
from bakeoff.stats.core.paired_differences import UNBOUNDED, Estimate
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import as_clusters
from bakeoff.stats.design.groups import FEWEST_CLUSTERS

FEWEST_LABELS = 20
"""Items with a mark of people, of both models for a difference."""
_FEW_DISAGREE = 5
"""With fewer labelled items on which judge and people differ, rare errors may not be among them."""


class _Items(NamedTuple):
    """Marks of items, in groups."""

    judge: FloatArray
    human: FloatArray
    labelled: NDArray[np.bool_]
    groups: NDArray[np.intp] | None

    @property
    def n(self) -> int:
        """The number of items that people have marked."""
        return int(self.labelled.sum())

    @property
    def both_binary(self) -> bool:
        """Whether judge and people say right or wrong alone."""
        marks = np.append(self.judge, self.human[self.labelled])
        return bool(np.isin(marks, (0, 1)).all())


class _Fit(NamedTuple):
    """An estimate with its variance, and the influence of each item on it."""

    value: float
    variance: float
    influence: FloatArray
    added_variance: float
    """The part of the variance that is from half a label each way."""
    slope: float


@checked
def corrected_mean(
    judge: ArrayLike,
    human: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> Result:
    """Estimate the mean mark of people over all items, of which they have marked some.

    Parameters
    ----------
    judge : array_like, shape (N,)
        The judge's mark of each item: 0 or 1, or a grade.
    human : array_like, shape (N,)
        People's mark; NaN where they have not marked the item. The items that they have marked
        were drawn at random; of marks that are 0 or 1 at random within each mark of the judge.
    groups : array_like, shape (N,), optional
        Which items belong together (a document, a user).

    Returns
    -------
    Result
        `estimate` is the mean, `pvalue` NaN. ``details`` holds ``judge_only`` and ``human_only``,
        the means without a correction, ``correlation`` of the marks, and ``worth``, how many
        labels alone would tell as much. ``too_few``: fewer than 20 labels, or groups with one than
        5.

    Notes
    -----
    Right or wrong: strata of the judge's mark f, with half a label each way, m_f =
    (right + ½)/(n_f + 1), mean Σ w_f m_f with w_f the share of f among all N. Its variance is
    Σ w_f² m_f(1 − m_f)/(n_f + 1) + (m₁ − m₀)² w₀w₁/N. Without the halves a good judge shows no
    error among few labels, and the variance would be 0. Grades: one slope b of Y on F, mean
    Ȳ + b(F̄ of all − F̄ of the labelled), variance RSS/(n(n − 2)) + b² Σ(F − F̄)²/N² (regression in
    double sampling, Cochran, Sampling Techniques, chapter 12). Student's t with n − 2 degrees of
    freedom.

    Examples
    --------
    >>> judge = [1, 1, 0, 1, 0] * 20
    >>> human = [1, 1, 0, 0, 0] * 6 + [float("nan")] * 70
    >>> found = corrected_mean(judge, human)
    >>> round(found.estimate, 3), found.details["judge_only"]
    (0.41, 0.6)
    """
    items = _read("judge", judge, "human", human, groups)
    bounds = UNBOUNDED
    if items.both_binary:
        bounds = (0.0, 1.0)
        fit = _by_strata(items)
    else:
        fit = _by_slope(items, added=0.0)
    estimate = _estimate(items, fit)
    return Result(
        test="corrected_mean",
        variant="right_or_wrong" if items.both_binary else "graded",
        statistic=math.nan,
        pvalue=math.nan,
        df=estimate.df,
        estimate=float(fit.value),
        ci=_interval(estimate, confidence_level, "two-sided", bounds),
        n=len(items.judge),
        status=estimate.status,
        assumptions=_assumptions(items),
        details=_facts(items, fit, estimate),
    )


@checked
def corrected_difference(
    judge_a: ArrayLike,
    judge_b: ArrayLike,
    human_a: ArrayLike,
    human_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Test whether two models differ by people's marks, of which there are some.

    Parameters
    ----------
    judge_a, judge_b : array_like, shape (N,)
        The judge's marks of the answers of A and B to the same items.
    human_a, human_b : array_like, shape (N,)
        People's marks; NaN where there is none. An item counts as labelled where both have one.
    groups : array_like, shape (N,), optional
        Which items belong together.

    Returns
    -------
    Result
        `estimate` is the mean difference A − B by people's marks. ``details`` is as in
        `corrected_mean`.

    Notes
    -----
    One slope on the differences D of people and F of the judge: D̄ + b(F̄ of all − F̄ of the
    labelled), with the variance (RSS + 1)/(n(n − 1)) + b² Σ(F − F̄)²/N² of marks that are 0 or 1,
    RSS/(n(n − 2)) + … of grades. Correcting each model by itself rejects true nulls far too often.

    Examples
    --------
    >>> a, b = [1, 1, 0, 1, 0] * 20, [1, 0, 0, 1, 1] * 20
    >>> gap = [float("nan")] * 70
    >>> found = corrected_difference(a, b, a[:30] + gap, b[:30] + gap)
    >>> round(found.estimate, 3), found.details["labels"]
    (0.0, 30)
    """
    first = _read("judge_a", judge_a, "human_a", human_a, groups)
    second = _read("judge_b", judge_b, "human_b", human_b, groups)
    if len(first.judge) != len(second.judge):
        raise ArgumentError(
            "judge_b", f"has {len(second.judge)} items, judge_a has {len(first.judge)}"
        )
    binary = first.both_binary and second.both_binary
    items = _Items(
        first.judge - second.judge,
        first.human - second.human,
        first.labelled & second.labelled,
        first.groups,
    )
    bounds = UNBOUNDED
    added = 0.0
    if binary:
        bounds = (-1.0, 1.0)
        added = 1.0
    fit = _by_slope(items, added)
    estimate = _estimate(items, fit)
    statistic, pvalue = estimate.test(alternative)
    return Result(
        test="corrected_difference",
        variant="right_or_wrong" if binary else "graded",
        statistic=statistic,
        pvalue=pvalue,
        df=estimate.df,
        alternative=alternative,
        estimate=float(fit.value),
        ci=_interval(estimate, confidence_level, alternative, bounds),
        n=len(items.judge),
        status=estimate.status,
        null_hypothesis="Over all items people's marks of both models have the same mean.",
        assumptions=_assumptions(items),
        details=_facts(items, fit, estimate),
    )


def _read(
    judge_name: str,
    judge: ArrayLike,
    human_name: str,
    human: ArrayLike,
    groups: ArrayLike | None,
) -> _Items:
    """Check the marks of a judge and of people, who may have marked some items alone."""
    marks = as_scores(judge, judge_name, unit="items")
    people = as_floats(human, human_name)
    if people.shape != marks.shape:
        message = f"has shape {people.shape}, {judge_name} has {marks.shape}: one mark an item"
        raise ArgumentError(human_name, message)
    if np.isinf(people).any():
        raise ArgumentError(human_name, "found an infinite mark, expected NaN where there is none")
    codes = None
    if groups is not None:
        codes = as_clusters(groups, len(marks)).codes
    return _Items(marks, people, ~np.isnan(people), codes)


def _by_strata(items: _Items) -> _Fit:
    """Correct right or wrong marks within strata of the judge's mark, half a label each way."""
    total = len(items.judge)
    value = 0.0
    within = 0.0
    added = 0.0
    means = []
    influence = np.zeros(total)
    for mark in (0.0, 1.0):
        inside = items.judge == mark
        labelled = inside & items.labelled
        count = int(labelled.sum())
        right = items.human[labelled]
        # m_f = (right + ½)/(n_f + 1): half a label each way
        mean = (right.sum() + 0.5) / (count + 1)
        share = inside.mean()
        squares = (count + 1) * mean * (1 - mean)  # of the labels with the two halves
        plain = float(np.square(right - mean).sum())
        value += share * mean
        within += share**2 * squares / (count + 1) ** 2
        added += share**2 * max(squares - plain, 0.0) / (count + 1) ** 2
        means.append(mean)
        influence[inside] += mean
        influence[labelled] += total * share / (count + 1) * (right - mean)
    share_right = float(items.judge.mean())
    # the judge's marks of all N items vary too: (m₁ − m₀)² w₀w₁/N
    slope = means[1] - means[0]
    between = slope**2 * share_right * (1 - share_right) / total
    return _Fit(value, within + between, influence - value, added, slope)


def _by_slope(items: _Items, added: float) -> _Fit:
    """Correct by one slope of people's marks on the judge's; `added` is put to the squares."""
    total = len(items.judge)
    n = items.n
    centred = items.judge - items.judge.mean()
    nothing = np.zeros(total)
    if n < 3:
        return _Fit(math.nan, math.nan, nothing, math.nan, math.nan)
    judge = items.judge[items.labelled]
    human = items.human[items.labelled]
    spread = judge - judge.mean()
    squares = float(spread @ spread)
    slope = 0.0
    if squares > 0:
        slope = float(spread @ human) / squares
    # D̄ + b(F̄ of all − F̄ of the labelled), with b the least squares slope of D on F
    residual = human - slope * judge
    rest = residual - residual.mean()
    value = float(human.mean() + slope * (items.judge.mean() - judge.mean()))
    freedom = n - 2.0
    if added:
        freedom = n - 1.0
    # (RSS + 1)/(n(n − 1)) of marks that are 0 or 1, RSS/(n(n − 2)) of grades
    within = (float(rest @ rest) + added) / (n * freedom)
    between = slope**2 * float(centred @ centred) / total**2
    influence = slope * centred
    influence[items.labelled] += total / n * rest
    return _Fit(value, within + between, influence, added / (n * freedom), slope)


def _estimate(items: _Items, fit: _Fit) -> Estimate:
    """Return the corrected number with its standard error and degrees of freedom."""
    variance = fit.variance
    df = items.n - 2.0
    status = Status.OK
    if items.groups is not None:
        # ψ = b(F − F̄) + [labelled](N/n)(r − r̄) with r = Y − bF, summed over groups
        count = int(items.groups.max()) + 1
        sums = np.bincount(items.groups, fit.influence, count)
        factor = count / max(count - 1, 1)
        variance = factor * float(sums @ sums) / len(items.judge) ** 2 + fit.added_variance
        df = len(np.unique(items.groups[items.labelled])) - 1.0
        if df + 1 < FEWEST_CLUSTERS:
            status = Status.TOO_FEW
    if items.n < FEWEST_LABELS:
        status = Status.TOO_FEW
    elif variance == 0:
        status = Status.IDENTICAL_SCORES
        if fit.value:
            status = Status.ZERO_VARIANCE
    return Estimate(value=fit.value, se=math.sqrt(variance), df=df, status=status)


def _interval(
    estimate: Estimate, level: float, side: Alternative, bounds: tuple[float, float]
) -> ConfidenceInterval | None:
    """Return the interval; None where the answer is undecided."""
    if estimate.status is Status.TOO_FEW:
        return None
    return estimate.interval(level, side, bounds=bounds)


def _facts(items: _Items, fit: _Fit, estimate: Estimate) -> dict[str, float]:
    """Return what the judge and people say alone, and what their labels are worth."""
    facts = {
        "se": estimate.se,
        "slope": fit.slope,
        "labels": items.n,
        "judge_only": float(items.judge.mean()),
    }
    if not items.n:
        return facts
    judge = items.judge[items.labelled]
    human = items.human[items.labelled]
    correlation = 0.0
    if judge.std() > 0 and human.std() > 0:
        correlation = float(np.corrcoef(judge, human)[0, 1])
    worth = math.inf
    if abs(correlation) < 1:
        worth = items.n / (1 - correlation**2)
    return facts | {
        "human_only": float(human.mean()),
        "judge_on_labelled": float(judge.mean()),
        "human_sd": float(human.std(ddof=1)) if items.n > 1 else math.nan,
        "correlation": correlation,
        "worth": worth,
        "disagreements": int(np.count_nonzero(judge != human)),
    }


def _assumptions(items: _Items) -> tuple[Assumption, ...]:
    """Say what is assumed of the items that people have marked."""
    random = Assumption(
        "labels drawn at random",
        None,
        "which items people marked must not depend on how they would mark them",
    )
    differ = int(np.count_nonzero((items.judge != items.human) & items.labelled))
    rare = Assumption(
        "enough disagreements",
        differ >= _FEW_DISAGREE,
        f"judge and people differ on {differ} of {items.n} labelled items; with fewer than "
        f"{_FEW_DISAGREE} rare errors of the judge may not be among the labels",
    )
    return random, rare


@checked
def labels_needed(
    *,
    sd: PositiveFloat,
    correlation: Finite,
    items: PositiveInt,
    half_width: PositiveFloat,
    confidence_level: Level = 0.95,
) -> int | None:
    """Return how many labels give an interval of this half-width; None if these items cannot.

    Parameters
    ----------
    sd : float
        Standard deviation of people's marks, or of their differences between two models.
    correlation : float
        Of these with the judge's.
    items : int
        How many the judge has marked.
    half_width : float
        Half of the width of the interval of `confidence_level`.

    Notes
    -----
    The smallest n with z √((1 − ρ²)σ²/n + ρ²σ²/N) ≤ half_width.

    Examples
    --------
    >>> labels_needed(sd=0.5, correlation=0.7, items=1000, half_width=0.05)
    242
    """
    z = float(special.ndtri((1 + confidence_level) / 2))
    # (1 − ρ²)σ²/n may be what the half-width leaves beside ρ²σ²/N
    allowed = (half_width / z) ** 2 - correlation**2 * sd**2 / items
    if allowed <= 0:
        return None
    n = math.ceil((1 - correlation**2) * sd**2 / allowed * (1 - 1e-12))
    return max(n, 1) if n <= items else None


@checked
def half_width_with(
    labels: PositiveInt,
    *,
    sd: PositiveFloat,
    correlation: Finite,
    items: PositiveInt,
    confidence_level: Level = 0.95,
) -> float:
    """Return the half-width of the interval that so many labels give.

    Parameters
    ----------
    labels : int
        Items with a mark of people.
    sd, correlation, items
        As in `labels_needed`.
    """
    z = float(special.ndtri((1 + confidence_level) / 2))
    variance = (1 - correlation**2) * sd**2 / labels + correlation**2 * sd**2 / items
    return z * math.sqrt(variance)


class JudgeQuality(NamedTuple):
    """The spread of people's marks and their correlation with a judge's."""

    sd: float
    correlation: float


@checked
def judge_of_accuracy(
    accuracy: Share, *, share_right: Level = 0.5, discordance: Share | None = None
) -> JudgeQuality:
    """Return the spread of people's marks and the correlation of a judge that errs at random.

    Parameters
    ----------
    accuracy : float
        How often the judge's mark is that of people.
    share_right : float
        The share of answers of a model that are right by people.
    discordance : float, optional
        Of two models, the share of items of which people mark just one right: then spread and
        correlation are those of the differences.
    """
    # F = Y with the probability q: the covariance with Y is (2q − 1) var(Y), and the variance
    # (2q − 1)² var(Y) + q(1 − q)
    error = accuracy * (1 - accuracy)
    signal = (2 * accuracy - 1) ** 2
    variance = share_right * (1 - share_right)
    noise = error
    if discordance is not None:
        variance = discordance
        noise = 2 * error
    correlation = math.sqrt(signal * variance / (signal * variance + noise))
    return JudgeQuality(math.sqrt(variance), correlation)

"""Scores of several training runs of each model, where nothing is known of single rows.

The seeds of two trainings are independent samples, also where they have the same numbers. On one
data set that is Welch's t; on several fixed ones (tasks, environments) the runs are sampled within
each of them, and the difference of means is a contrast over all strata of a model and a task with
Satterthwaite's degrees of freedom. The percentile bootstrap of few runs, which papers use, lacks
the factor S/(S − 1) of the variance and the quantile of t.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Finite, Level, checked
from bakeoff.stats.core.arithmetic import rank
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_floats, as_scores
from bakeoff.stats.core.distributions import clopper_pearson, t_pvalue
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.strata import Strata, StratifiedMean, stratified_mean

FEWEST_SEEDS = 3
"""Runs of each model below which degrees of freedom are near 1."""
FEWEST_TASKS_OF_IQM = 6
"""Tasks below which a quarter of the scores is less than one and a half tasks."""
_PAIRS_ALIKE = 0.7
_SHOWS_PAIRS = 5
_NOISE = 1e-12


@register(
    evidence=Evidence.FOLD_SCORES,
    citation="welch1951",
    plans=("seeds",),
    paired=False,
    replications=True,
    null_hypothesis="The two algorithms have the same expected score over training seeds on these "
    "data sets.",
)
def seeds_difference(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    missing: Literal["raise", "omit"] = "raise",
    paired_seeds: bool = False,
) -> Result:
    """Welch's t test of training runs.

    Do the mean scores of two algorithms differ over new training seeds on these data sets?

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (S,) or (S, T)
        A score of each run, of several tasks a column for each; at least three runs, whose numbers
        may differ between the models.
    missing : {"raise", "omit"}
        ``omit``: NaN is no run.
    paired_seeds : bool
        Whether the runs with the same number share what the seed fixes: the division, the folds,
        the environment. The runs are then compared one by one.

    Returns
    -------
    Result
        ``estimate`` is the mean over tasks of the difference of mean scores. ``details``:
        ``value_a``, ``value_b``, ``of_tasks``, ``runs_a``, ``runs_b``, and ``correlation`` of runs
        with the same number, where they are five at least.

    Warnings
    --------
    It is about other seeds on these data sets, and about no other data sets.

    Notes
    -----
    Welch's (1947) t of one data set. Of T tasks the difference is the mean over them, its variance
    that of the means of each model in each task over T², with Satterthwaite's degrees of freedom.

    Examples
    --------
    >>> result = seeds_difference([0.811, 0.823, 0.808], [0.803, 0.799, 0.775])
    >>> round(result.estimate, 4), round(result.pvalue, 3), round(result.df, 2)
    (0.0217, 0.115, 3.02)
    """
    a = _runs(scores_a, "scores_a", missing)
    b = _runs(scores_b, "scores_b", missing)
    if a.shape[1] != b.shape[1]:
        raise ArgumentError(
            "scores_b", f"has {b.shape[1]} tasks, scores_a has {a.shape[1]}: both need the same"
        )
    if not greater_is_better:
        a = -a
        b = -b
    mean = _paired(a, b) if paired_seeds else _unpaired(a, b)
    status, t, pvalue = _decided(mean, a, b, alternative)
    ci = None
    limits = mean.interval(confidence_level, alternative)
    if not math.isnan(limits[0]):
        ci = ConfidenceInterval(*limits, confidence_level, "t")
    sign = 1 if greater_is_better else -1
    runs_a = np.count_nonzero(~np.isnan(a), axis=0)
    runs_b = np.count_nonzero(~np.isnan(b), axis=0)
    return Result(
        variant="paired" if paired_seeds else "welch",
        statistic=t,
        pvalue=pvalue,
        df=mean.df,
        n=int(min(runs_a.min(), runs_b.min())),
        alternative=alternative,
        # runs that differ by float noise do not differ
        estimate=0.0 if status is Status.IDENTICAL_SCORES else mean.value,
        ci=ci,
        status=status,
        assumptions=(_independent_seeds(paired_seeds),),
        details={
            "se": mean.se,
            "value_a": sign * float(np.nanmean(a, axis=0).mean()),
            "value_b": sign * float(np.nanmean(b, axis=0).mean()),
            "of_tasks": mean.by_task.tolist(),
            "runs_a": runs_a.tolist(),
            "runs_b": runs_b.tolist(),
            "correlation": _correlation(a, b),
        },
    )


def _runs(scores: ArrayLike, name: str, missing: str) -> FloatArray:
    """Check scores of runs, and return them as runs × tasks."""
    array = as_floats(scores, name)
    if array.ndim == 1:
        array = array[:, None]
    table = as_scores(array, name, ndim=2, unit="runs", allow_missing=missing == "omit")
    runs = np.count_nonzero(~np.isnan(table), axis=0)
    if runs.min() < FEWEST_SEEDS:
        raise ArgumentError(
            name, f"found {runs.min()} run(s) of a task, {FEWEST_SEEDS} would be the least"
        )
    return table


def _independent_seeds(paired: bool) -> Assumption:
    """Say what the runs are taken for."""
    if paired:
        detail = "runs with the same number are taken to share what the seed fixes"
        return Assumption("paired runs", None, detail)
    detail = "the runs of a model are taken for independent of each other and of the other model's"
    return Assumption("independent runs", None, detail)


def _strata(tables: tuple[FloatArray, ...], signs: tuple[int, ...]) -> tuple[Strata, FloatArray]:
    """Return a stratum for each model and task, which weighs ±1/T, and the scores of all runs."""
    tasks = tables[0].shape[1]
    codes = []
    values = []
    weights = []
    for place, (table, sign) in enumerate(zip(tables, signs, strict=True)):
        there = ~np.isnan(table)
        codes.append(place * tasks + np.nonzero(there)[1])
        values.append(table[there])
        weights.append(np.full(tasks, sign / tasks))
    strata = Strata(np.concatenate(codes), np.concatenate(weights))
    return strata, np.concatenate(values)


def _contrast(strata: Strata, values: FloatArray) -> StratifiedMean:
    """Return the weighted mean of the strata with its standard error."""
    means = strata.means(values)
    return stratified_mean(strata, means, values - means[strata.task])


def _unpaired(a: FloatArray, b: FloatArray) -> StratifiedMean:
    """Return the difference of the means of two independent samples of runs, task by task."""
    strata, values = _strata((a, b), (1, -1))
    both_models = _contrast(strata, values)
    tasks = a.shape[1]
    # d̄ = Σ_t (ā_t − b̄_t)/T, Var(d̄) = Σ_t (s²_a,t/n_a,t + s²_b,t/n_b,t)/T²
    by_task = both_models.by_task[:tasks] - both_models.by_task[tasks:]
    variances = both_models.variances[:tasks] + both_models.variances[tasks:]
    return dataclasses.replace(both_models, by_task=by_task, variances=variances)


def _paired(a: FloatArray, b: FloatArray) -> StratifiedMean:
    """Return the mean difference of runs with the same number, task by task."""
    if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        raise ArgumentError(
            "paired_seeds", "the models have other runs: pairs need the same runs of both"
        )
    strata, values = _strata((a - b,), (1,))
    return _contrast(strata, values)


def _decided(
    mean: StratifiedMean, a: FloatArray, b: FloatArray, side: Alternative
) -> tuple[Status, float, float]:
    """Return status, t and p of a difference."""
    size = max(float(np.nanmax(np.abs(a))), float(np.nanmax(np.abs(b))))
    status = Status.OK
    # what is left of equal differences after rounding is no spread
    if not mean.se > _NOISE * size:
        status = Status.ZERO_VARIANCE
        if abs(mean.value) <= _NOISE * size:
            status = Status.IDENTICAL_SCORES
    t = mean.value / mean.se if mean.se > 0 else math.nan
    return status, *answered(status, t, t_pvalue(t, mean.df, side), mean.value)


def _correlation(a: FloatArray, b: FloatArray) -> float:
    """Return the correlation of runs with the same number within tasks; NaN of fewer than five."""
    if a.shape != b.shape:
        return math.nan
    both = ~(np.isnan(a) | np.isnan(b))
    if np.count_nonzero(both, axis=0).min() < _SHOWS_PAIRS:
        return math.nan
    # Pearson's r of what is left after the mean of each task
    x = np.where(both, a, np.nan)
    y = np.where(both, b, np.nan)
    x = x - np.nanmean(x, axis=0)
    y = y - np.nanmean(y, axis=0)
    size = math.sqrt(float(np.nansum(x**2)) * float(np.nansum(y**2)))
    return float(np.nansum(x * y)) / size if size > 0 else math.nan


def seems_paired(correlation: float) -> bool:
    """Tell whether runs with the same number go together so much that they may share a split."""
    return correlation > _PAIRS_ALIKE


# --- several tasks in one normalised unit


@dataclasses.dataclass(frozen=True)
class SuiteScores:
    """What is published of the runs of one model on several tasks (Agarwal et al. 2021).

    Attributes
    ----------
    mean, median, iqm, optimality_gap : float
        The mean of all scores; the median over tasks of the mean over runs; the mean of the middle
        half of all scores; by how much scores fall short of `target` on average.
    """

    mean: float
    median: float
    iqm: float
    optimality_gap: float


@checked
def suite_scores(scores: ArrayLike, *, target: Finite = 1.0) -> SuiteScores:
    """Sum up the scores of the runs of one model on several tasks.

    Parameters
    ----------
    scores : array_like, shape (S, T)
        A score of each run on each task, in one normalised unit.
    target : float
        The score from which on more does not count for the optimality gap.

    Examples
    --------
    >>> suite_scores([[0.2, 0.9], [0.4, 0.7]]).iqm
    0.55
    """
    table = _normalised(scores, "scores")
    return SuiteScores(
        mean=float(table.mean()),
        median=float(np.median(table.mean(axis=0))),
        iqm=_trimmed_mean(table.ravel()),
        optimality_gap=target - float(np.minimum(table, target).mean()),
    )


def _normalised(scores: ArrayLike, name: str) -> FloatArray:
    """Check scores of runs × tasks without gaps."""
    return as_scores(scores, name, ndim=2, unit="runs")


def _trimmed_mean(values: FloatArray) -> float:
    """Return the mean without the lowest and the highest quarter, each rounded down."""
    cut = len(values) // 4
    return float(np.sort(values)[cut : len(values) - cut].mean())


@checked
def iqm_difference(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Return the difference of interquartile means with an interval.

    All scores of a model, clipped to their quartiles and divided by one half, have an influence on
    its interquartile mean; their stratified t is the interval. It is for six tasks or more in one
    normalised unit.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (S, T)
        A score of each run on each task.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(1.0, 1, (5, 8)), rng.normal(0.0, 1, (5, 8))
    >>> result = iqm_difference(a, b)
    >>> round(result.estimate, 2), result.ci.low > 0
    (0.57, True)
    """
    a = _normalised(scores_a, "scores_a")
    b = _normalised(scores_b, "scores_b")
    tasks = a.shape[1]
    if tasks < FEWEST_TASKS_OF_IQM:
        raise ArgumentError(
            "scores_a",
            f"found {tasks} tasks: an interquartile mean needs {FEWEST_TASKS_OF_IQM} at least",
        )
    sign = 1 if greater_is_better else -1
    clipped = _unpaired(sign * _clipped(a), sign * _clipped(b))
    estimate = sign * (_trimmed_mean(a.ravel()) - _trimmed_mean(b.ravel()))
    mean = dataclasses.replace(clipped, value=estimate, centre=estimate)
    status, t, pvalue = _decided(mean, a, b, alternative)
    low, high = mean.interval(confidence_level, alternative)
    ci = None
    if not math.isnan(low):
        ci = ConfidenceInterval(low, high, confidence_level, "t")
    return Result(
        test="iqm_difference",
        statistic=t,
        pvalue=pvalue,
        df=mean.df,
        n=len(a),
        alternative=alternative,
        estimate=estimate,
        ci=ci,
        status=status,
        details={"se": mean.se},
    )


def _clipped(table: FloatArray) -> FloatArray:
    """Clip scores to their quartiles, on the scale of the mean of the middle half."""
    # the influence of a value x on the mean without both outer quarters, but for a constant:
    # min(max(x, q₁), q₃)/(1 − 2/4)
    low, high = np.quantile(table, [0.25, 0.75])
    return np.asarray(np.clip(table, low, high) / 0.5)


@checked
def probability_of_improvement(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Return how probably a run of A beats a run of B on the same task, draws half.

    The interval is the stratified t of placements: of each run the share of the other model's runs
    on the task that it beats. It needs three tasks or more.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (S, T)
        A score of each run on each task.

    Examples
    --------
    >>> result = probability_of_improvement([[0.9, 0.8, 0.7], [0.7, 0.9, 0.8], [0.8, 0.8, 0.9]],
    ...                                     [[0.6, 0.7, 0.8], [0.7, 0.6, 0.6], [0.8, 0.7, 0.7]])
    >>> round(result.estimate, 3)
    0.852
    """
    a = _normalised(scores_a, "scores_a")
    b = _normalised(scores_b, "scores_b")
    sign = 1 if greater_is_better else -1
    beaten_by_a = _placements(sign * a, sign * b)
    beaten_by_b = _placements(sign * b, sign * a)
    # P(A > B) = mean placement of A; its variance has a part of the runs of each model
    placements = _unpaired(beaten_by_a, beaten_by_b)
    estimate = float(beaten_by_a.mean())
    mean = dataclasses.replace(placements, value=estimate, centre=estimate)
    low, high = mean.interval(confidence_level, "two-sided", (0.0, 1.0))
    status = Status.OK
    ci = None
    if math.isnan(low):
        status = Status.ZERO_VARIANCE
        # no placement differs from another: the limits of a share of pairs
        pairs = a.size
        limits = clopper_pearson(estimate * pairs, pairs, (1 - confidence_level) / 2)
        low, high = (float(end) for end in limits)
    ci = ConfidenceInterval(low, high, confidence_level, "t")
    return Result(
        test="probability_of_improvement",
        statistic=math.nan,
        pvalue=math.nan,
        df=mean.df,
        n=len(a),
        estimate=estimate,
        ci=ci,
        status=status,
        details={"se": mean.se, "of_tasks": beaten_by_a.mean(axis=0).tolist()},
    )


def _placements(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the share of the runs of B on the task that each run of A beats, draws half."""
    placements = np.empty_like(a)
    for task in range(a.shape[1]):
        together = np.concatenate([a[:, task], b[:, task]])
        # the rank among all less that among its own model's runs counts the runs of B below it
        among_all = rank(together)[0][: len(a)]
        among_own = rank(a[:, task])[0]
        placements[:, task] = (among_all - among_own) / len(b)
    return placements


@dataclasses.dataclass(frozen=True)
class PerformanceProfile:
    """The share of runs with scores above thresholds, over tasks that weigh alike.

    Attributes
    ----------
    thresholds, profile, low, high : ndarray, shape (K,)
        The thresholds; the share above each; its limits at each threshold by itself.
    """

    thresholds: FloatArray
    profile: FloatArray
    low: FloatArray
    high: FloatArray


@checked
def performance_profile(
    scores: ArrayLike, thresholds: ArrayLike, *, confidence_level: Level = 0.95
) -> PerformanceProfile:
    """Return the share of runs whose scores are above thresholds (Agarwal et al. 2021).

    Parameters
    ----------
    scores : array_like, shape (S, T)
        A score of each run on each task.
    thresholds : array_like, shape (K,)
        From which scores on a run counts, not itself included.

    Examples
    --------
    >>> performance_profile([[0.2, 0.9], [0.4, 0.7]], [0.3, 0.8]).profile.tolist()
    [0.75, 0.25]
    """
    table = _normalised(scores, "scores")
    cuts = as_scores(thresholds, "thresholds", unit="thresholds")
    runs, tasks = table.shape
    # p̂_t: of each threshold and task
    above = (table > cuts[:, None, None]).mean(axis=1)
    profile = above.mean(axis=1)
    # Var(Σ_t p̂_t/T) = Σ_t p̂_t(1 − p̂_t)/(S − 1)/T², with T(S − 1) degrees of freedom
    variance = (above * (1 - above)).sum(axis=1) / max(runs - 1, 1) / tasks**2
    reach = -float(special.stdtrit(max(tasks * (runs - 1), 1), (1 - confidence_level) / 2))
    half = reach * np.sqrt(variance)
    return PerformanceProfile(
        thresholds=cuts,
        profile=profile,
        low=np.clip(profile - half, 0.0, 1.0),
        high=np.clip(profile + half, 0.0, 1.0),
    )

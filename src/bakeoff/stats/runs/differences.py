"""Tests of recipes on their runs, and the chance that some of several attempts succeed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import Alpha, Level, Margin, checked
from bakeoff.stats.core.checks import ArgumentError
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, EquivalenceResult, Result
from bakeoff.stats.metrics.influence import MetricArguments
from bakeoff.stats.runs.recipe import Question, Runs, mean_of_values, read_runs

SomeRuns = Sequence[ArrayLike] | Runs
_CAUTION = (
    "It is about one training set. In few runs it is not seen that a model fails in rare runs, or "
    "that the scores of runs are skewed; where the other model has another number of runs or is "
    "deterministic, its type I error is then inflated. Runs must be trained independently."
)
_NULL = (
    "Trained again with other seeds on the same rows, and tested on other rows of the same "
    "population, both recipes have the same expected value of the metric."
)
SHARED: dict[str, Any] = {
    "arity": Arity.PAIR,
    "about": "recipes",
    "plans": ("holdout",),
    "citation": "banerjee1960",
    "caution": _CAUTION,
    "null_hypothesis": _NULL,
}


@checked
def compare_recipes(
    y_true: ArrayLike,
    runs: Sequence[SomeRuns],
    *,
    paired: bool = False,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    simultaneous: bool = True,
    **asked: Unpack[MetricArguments],
) -> PairwiseResult:
    """Test all pairs of recipes, or each against a control; see `recipe_difference`."""
    reader = read_runs(_each(runs), y_true, **asked)
    return Question(reader, paired).all_pairs(
        control=control,
        correction=correction,
        alternative=alternative,
        confidence_level=confidence_level,
        simultaneous=simultaneous,
    )


@checked
def compare_recipe_means(
    runs: Sequence[SomeRuns],
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    paired: bool = False,
    **family: Any,
) -> PairwiseResult:
    """Test all pairs of recipes by the mean of a value per row; see `recipe_mean_difference`."""
    reader = read_runs(_each(runs), (), mean_of_values(greater_is_better), groups=groups)
    return Question(reader, paired).all_pairs(**family)


def _each(runs: Sequence[SomeRuns]) -> list[tuple[str, SomeRuns]]:
    return [(f"runs[{place}]", own) for place, own in enumerate(runs)]


def two(runs_a: SomeRuns, runs_b: SomeRuns) -> list[tuple[str, SomeRuns]]:
    """Name the runs of two models for messages."""
    return [("runs_a", runs_a), ("runs_b", runs_b)]


@register(
    title="Difference of recipes over training runs",
    evidence=Evidence.RUNS,
    answers="Is one of two training recipes better, for other seeds and other test rows?",
    all_pairs=compare_recipes,
    **SHARED,
)
def recipe_difference(
    y_true: ArrayLike,
    runs_a: SomeRuns,
    runs_b: SomeRuns,
    *,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    **asked: Unpack[MetricArguments],
) -> Result:
    """Test the difference of a metric between two recipes, each of them trained several times.

    The variance is that of readers and cases (Obuchowski & Rockette 1995; Gallas 2006): between
    runs, and over rows without what favours single runs. In the interval each part has its own
    quantile of Student's t (Banerjee 1960); it is never narrower than that of these fits.

    Returns
    -------
    Result
        `estimate` is the expected advantage of one run of A over one of B. ``details`` holds the
        parts of the variance and ``pvalue_fits``, the p-value about these fits on other rows.
        ``too_few``: one run of a model that is not deterministic, or too few rows, groups or rows
        of a class; ``identical_scores`` (p 1): nothing differs; ``zero_variance``: nothing
        varies; ``undefined``: the metric of a run has no value.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0] * 3
    >>> a = [[1 - v if i % 9 == s else v for i, v in enumerate(y)] for s in range(3)]
    >>> b = [[1 - v if i % 4 == s else v for i, v in enumerate(y)] for s in range(3)]
    >>> result = recipe_difference(y, a, b)
    >>> round(result.estimate, 3), round(result.pvalue, 3)
    (0.122, 0.008)
    """
    reader = read_runs(two(runs_a, runs_b), y_true, **asked)
    return Question(reader, paired).difference((0, 1), alternative, confidence_level)


@register(
    title="Difference of recipes by a value per row",
    evidence=Evidence.RUN_VALUES,
    answers="Does one of two training recipes have the better mean of a value per row, for other "
    "seeds and other rows?",
    all_pairs=compare_recipe_means,
    **SHARED,
)
def recipe_mean_difference(
    runs_a: SomeRuns,
    runs_b: SomeRuns,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Test the mean difference of a value per row between two recipes trained several times.

    As `recipe_difference` (Banerjee 1960), for losses, marks and other numbers.

    Returns
    -------
    Result
        As of `recipe_difference`.

    Examples
    --------
    >>> a = [[.9, .4, .8, .7, .9, .6], [.8, .5, .9, .7, .8, .7]]
    >>> b = [[.6, .4, .5, .8, .5, .5], [.5, .3, .6, .7, .6, .4]]
    >>> result = recipe_mean_difference(a, b)
    >>> round(result.estimate, 3), round(result.pvalue, 3)
    (0.192, 0.041)
    """
    metric = mean_of_values(greater_is_better)
    reader = read_runs(two(runs_a, runs_b), (), metric, groups=groups)
    return Question(reader, paired).difference((0, 1), alternative, confidence_level)


@checked
def recipe_ci(
    y_true: ArrayLike,
    runs: SomeRuns,
    *,
    confidence_level: Level = 0.95,
    **asked: Unpack[MetricArguments],
) -> Result:
    """Return the expected metric of one run of a recipe, with its interval over seeds and rows.

    Parameters
    ----------
    runs : sequence of array_like, or Runs
        What each run predicts for the rows.

    Returns
    -------
    Result
        `pvalue` is NaN; statuses as of `recipe_difference`.
    """
    reader = read_runs([("runs", runs)], y_true, **asked)
    return Question(reader).interval(confidence_level)


@checked
def recipe_mean_ci(
    runs: SomeRuns,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> Result:
    """Return the expected mean of a value per row of one run, with its interval.

    Parameters
    ----------
    runs : sequence of array_like, or Runs
        What each run has on the rows.

    Returns
    -------
    Result
        As of `recipe_ci`.
    """
    reader = read_runs([("runs", runs)], (), mean_of_values(True), groups=groups)
    return Question(reader).interval(confidence_level)


@register(
    title="Equivalence of recipes (TOST)",
    evidence=Evidence.RUNS,
    answers="Are two training recipes equally good within the margin, for other seeds and rows?",
    **SHARED | {"null_hypothesis": ""},
)
def tost_recipes(
    y_true: ArrayLike,
    runs_a: SomeRuns,
    runs_b: SomeRuns,
    *,
    margin: Margin,
    paired: bool = False,
    alpha: Alpha = 0.05,
    **asked: Unpack[MetricArguments],
) -> EquivalenceResult:
    """Two one-sided tests of the difference of two recipes, each trained several times.

    The interval and the p-values are those of `recipe_difference` (Banerjee 1960) for the
    difference plus and less the margin; ``pvalue_lower`` is that of non-inferiority.

    Returns
    -------
    EquivalenceResult
        Statuses as of `recipe_difference`.

    Examples
    --------
    >>> y = [1, 0] * 50
    >>> a = [[1 - v if i % 20 == s else v for i, v in enumerate(y)] for s in range(5)]
    >>> b = [[1 - v if i % 19 == s else v for i, v in enumerate(y)] for s in range(5)]
    >>> tost_recipes(y, a, b, margin=0.1).verdict
    'equivalent'
    """
    reader = read_runs(two(runs_a, runs_b), y_true, **asked)
    return Question(reader, paired).equivalence(margin, alpha)


@checked
def tost_recipe_means(
    runs_a: SomeRuns,
    runs_b: SomeRuns,
    *,
    margin: Margin,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    paired: bool = False,
    alpha: Alpha = 0.05,
) -> EquivalenceResult:
    """Two one-sided tests of the difference of two recipes by a value per row.

    Parameters
    ----------
    runs_a, runs_b : sequence of array_like, or Runs
        What each run of A and of B has on the rows.
    paired : bool
        As in `recipe_difference`.

    Returns
    -------
    EquivalenceResult
        As of `tost_recipes`.
    """
    metric = mean_of_values(greater_is_better)
    reader = read_runs(two(runs_a, runs_b), (), metric, groups=groups)
    return Question(reader, paired).equivalence(margin, alpha)


def pass_at(right: ArrayLike, runs: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate for each item the probability that at least one of k runs is right (pass@k).

    Parameters
    ----------
    right : array_like of int, shape (n,)
        How many runs of each item are right.
    runs : array_like of int, shape (n,)
        How many runs it has, `k` at least.
    k : int
        Runs that are drawn.

    Returns
    -------
    ndarray, shape (n,)
        1 - C(runs - right, k) / C(runs, k): the share of the draws of `k` of its runs, without
        replacement, that hold a right one. It is unbiased; 1 - (1 - right / runs)**k is not.

    Raises
    ------
    ArgumentError
        `k` is not positive, or an item has fewer runs.

    Notes
    -----
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> pass_at([0, 1, 4], [10, 10, 10], k=5).round(3)
    array([0.   , 0.5  , 0.976])
    """
    found, of = _counts(right, runs, k)
    return 1 - _share(of - found, of, k)


def pass_hat(right: ArrayLike, runs: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate for each item the probability that all of k runs are right (pass^k).

    Parameters, errors and draws are those of `pass_at`; the estimate is C(right, k) / C(runs, k).

    Notes
    -----
    Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world domains,
    arXiv:2406.12045.

    Examples
    --------
    >>> pass_hat([0, 6, 10], [10, 10, 10], k=2).round(3)
    array([0.   , 0.333, 1.   ])
    """
    return _share(*_counts(right, runs, k), k)


def _counts(right: ArrayLike, runs: ArrayLike, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    found, of = np.asarray(right, dtype=np.intp), np.asarray(runs, dtype=np.intp)
    if not isinstance(k, int) or k < 1:
        raise ArgumentError("k", f"found {k}, expected a positive whole number")
    if len(of) and of.min() < k:
        raise ArgumentError("k", f"found {k}, an item has {of.min()} runs")
    return found, of


def _share(some: NDArray[np.intp], of: NDArray[np.intp], k: int) -> NDArray[np.float64]:
    """Return C(some, k) / C(of, k), each ratio of whole numbers rounded once."""
    pairs, at = np.unique(np.column_stack([some, of]), axis=0, return_inverse=True)
    ratios = np.array([math.comb(int(a), k) / math.comb(int(b), k) for a, b in pairs])
    return ratios[at.ravel()]

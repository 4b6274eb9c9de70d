"""Are two recipes equally good, within a margin? Two one-sided tests (TOST)."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Alpha, Margin, checked
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import EquivalenceResult
from bakeoff.stats.metrics.setting import MetricArguments
from bakeoff.stats.runs.differences import SHARED, SomeRuns, two
from bakeoff.stats.runs.question import Question
from bakeoff.stats.runs.recipe import mean_of_values, read_runs


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

"""Models on the rows of several fixed tasks: their means over the tasks.

What is published of a suite of tasks is the mean of the scores of its tasks. The mean over all rows
is another number wherever tasks differ in size and in difference. Rows are sampled within each of
the tasks, which are the same next time.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Default, Level, checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_array,
    as_scores,
    check_same_labels,
    check_same_length,
    is_missing,
)
from bakeoff.stats.core.distributions import t_pvalue, welch_f
from bakeoff.stats.core.max_t import MAX_T, largest_t
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_pvalues,
    check_correction,
    pairs_of,
    simultaneous_level,
)
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.strata import PAIRED, SINGLE, Strata, StratifiedMean, stratified_mean
from bakeoff.stats.metrics.family import FamilyArguments
from bakeoff.stats.metrics.influence import MetricArguments, one, setting_of
from bakeoff.stats.metrics.metric import Metric, NoValue, metric_called

BY_TASKS, BY_ITEMS = "tasks", "items"
"""Weights by name: each task alike, or each row."""
_METHOD = "satterthwaite1946"
_NULL = (
    "The two fitted models have the same mean over these tasks, on the populations that their rows "
    "were drawn from."
)
_NOISE = 1e-12


class SuiteArguments(TypedDict, total=False):
    """The tasks of rows, and what each weighs."""

    tasks: ArrayLike
    weights: Annotated[str | Mapping[str, float], Default(BY_TASKS)]
    groups: ArrayLike | None


class _MetricArguments(MetricArguments, total=False):
    """The tasks of rows, what each weighs, and the metric."""

    tasks: ArrayLike
    weights: Annotated[str | Mapping[str, float], Default(BY_TASKS)]


# --- what the rows of each task say of each model


@dataclasses.dataclass(frozen=True)
class Suite:
    """The values of several models in each of the tasks, and the influence of each row on them."""

    names: tuple[str, ...]
    strata: Strata
    by_task: FloatArray  # (T, K), as the metric has them
    psi: FloatArray  # (n, K)
    marks: bool
    """Whether rows are right or wrong, so that pseudo-rows are added."""
    sign: int = 1
    """−1 where smaller values are better."""
    range: tuple[float, float] = (-math.inf, math.inf)
    metric: str = ""
    weighted_by: str = BY_TASKS
    reasons: tuple[str, ...] = ()
    """Why a model has no value, where it has none."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.psi)

    @cached_property
    def by_items(self) -> Suite:
        """The same where every row weighs alike."""
        rows = self.strata.rows
        strata = dataclasses.replace(self.strata, weights=rows / rows.sum())
        return dataclasses.replace(self, strata=strata, weighted_by=BY_ITEMS)

    @cached_property
    def by_tasks(self) -> Suite:
        """The same where every task weighs alike."""
        count = len(self.names)
        strata = dataclasses.replace(self.strata, weights=np.full(count, 1 / count))
        return dataclasses.replace(self, strata=strata, weighted_by=BY_TASKS)

    @property
    def other(self) -> Suite:
        """The other mean that people know: over rows, or over tasks."""
        if self.weighted_by == BY_TASKS:
            return self.by_items
        return self.by_tasks

    def one(self, model: int) -> StratifiedMean:
        """Return the mean of one model over the tasks."""
        pseudo = None
        if self.marks:
            pseudo = SINGLE
        return stratified_mean(self.strata, self.by_task[:, model], self.psi[:, model], pseudo)

    def contrast(self, a: int, b: int) -> StratifiedMean:
        """Return the advantage of a model over another in the mean over the tasks."""
        # Σ w_t δ_t with se² = Σ w_t² V_t, V_t the variance of the mean of the rows of task t; right
        # and wrong rows get pseudo-rows in the four cells of the paired table
        pseudo = None
        if self.marks:
            pseudo = PAIRED
        by_task = self.sign * (self.by_task[:, a] - self.by_task[:, b])
        psi = self.sign * (self.psi[:, a] - self.psi[:, b])
        return stratified_mean(self.strata, by_task, psi, pseudo)

    def single(self, task: int) -> Suite:
        """Return the suite of one of the tasks alone."""
        at = self.strata.task == task
        groups = self.strata.groups
        if groups is not None:
            groups = np.unique(groups[at], return_inverse=True)[1]
        strata = Strata(np.zeros(int(at.sum()), dtype=np.intp), np.ones(1), groups)
        return dataclasses.replace(
            self,
            names=(self.names[task],),
            strata=strata,
            by_task=self.by_task[[task]],
            psi=self.psi[at],
        )


def suite_of_values(
    values: ArrayLike,
    *,
    tasks: ArrayLike,
    weights: str | Mapping[str, float] = BY_TASKS,
    groups: ArrayLike | None = None,
    greater_is_better: bool = True,
) -> Suite:
    """Read a number of each model on each row, shape (n, K)."""
    table = as_scores(values, "values", ndim=2, unit="rows")
    names, strata, weighted_by = _read_strata(tasks, weights, groups, len(table))
    # the influence of a row on the mean of its task: its number less that mean
    means = strata.means(table)
    psi = table - means[strata.task]
    marks = bool(np.isin(table, (0, 1)).all())
    limits = (-math.inf, math.inf)
    if marks:
        limits = (0.0, 1.0)
    return Suite(
        names=names,
        strata=strata,
        by_task=means,
        psi=psi,
        marks=marks,
        sign=_sign(greater_is_better=greater_is_better),
        range=limits,
        weighted_by=weighted_by,
    )


def _sign(*, greater_is_better: bool) -> int:
    """Return by what differences are multiplied, so that they are the advantage of the first."""
    if greater_is_better:
        return 1
    return -1


def suite_of_metric(
    y_true: ArrayLike,
    predicted: Sequence[Any],
    *,
    tasks: ArrayLike,
    weights: str | Mapping[str, float] = BY_TASKS,
    metric: str | Metric = "accuracy",
    groups: ArrayLike | None = None,
    names: Sequence[str] = (),
    **options: Any,
) -> Suite:
    """Read what each model predicts, and find the metric of each task with its influence values."""
    measure = metric_called(metric, smooth=True)
    called = names or [f"predicted[{place}]" for place in range(len(predicted))]
    columns = list(zip(called, predicted, strict=True))
    setting, answers = setting_of(y_true, columns, measure, **options)
    truth = setting.truth
    of_tasks, strata, weighted_by = _read_strata(tasks, weights, groups, truth.n)
    sign = _sign(greater_is_better=measure.greater_is_better)
    if measure.counts:
        # a share of rows is a mean of 0 and 1
        table = np.column_stack([values == truth.values for values in answers])
        if measure.counts == "wrong":
            table = ~table
        means = strata.means(table.astype(np.float64))
        return Suite(
            names=of_tasks,
            strata=strata,
            by_task=means,
            psi=table - means[strata.task],
            marks=True,
            sign=sign,
            range=(0.0, 1.0),
            metric=measure.name,
            weighted_by=weighted_by,
        )
    options.setdefault("labels", list(truth.classes) or None)
    by_task, psi, reasons = _metric_of_tasks(y_true, columns, measure, strata, of_tasks, options)
    return Suite(
        names=of_tasks,
        strata=strata,
        by_task=by_task,
        psi=psi,
        marks=False,
        sign=sign,
        range=measure.range,
        metric=measure.name,
        weighted_by=weighted_by,
        reasons=reasons,
    )


def _metric_of_tasks(
    y_true: ArrayLike,
    columns: Sequence[tuple[str, Any]],
    measure: Metric,
    strata: Strata,
    tasks: Sequence[str],
    options: Mapping[str, Any],
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return a metric of each task and model, the influence of rows, and why there is no value."""
    truth = _selectable(y_true)
    answers_of = [(argument, _selectable(column)) for argument, column in columns]
    by_task = np.full((len(tasks), len(columns)), math.nan)
    psi = np.zeros((len(strata.task), len(columns)))
    reasons = [""] * len(columns)
    for task, name in enumerate(tasks):
        rows = np.flatnonzero(strata.task == task)
        of_task = [(argument, column[rows]) for argument, column in answers_of]
        setting, models = setting_of(truth[rows], of_task, measure, **options)
        for model, answers in enumerate(models):
            try:
                value = one(setting, answers)
            except NoValue as reason:
                reasons[model] = reasons[model] or f"in task {name} {reason}"
                continue
            # the metric is computed inside each task: its influence values are those of its rows
            by_task[task, model] = value.value
            psi[rows, model] = value.drawn_from
    return by_task, psi, tuple(reasons)


def _selectable(column: Any) -> Any:
    """Return a column of which rows can be selected by their numbers."""
    if hasattr(column, "categories") or isinstance(column, np.ndarray):
        return column
    if hasattr(column, "to_numpy"):
        return column.to_numpy()
    return np.asarray(column)


def _read_strata(
    tasks: ArrayLike, weights: str | Mapping[str, float], groups: ArrayLike | None, n: int
) -> tuple[tuple[str, ...], Strata, str]:
    """Check the tasks of rows, what they weigh and which rows belong together."""
    labels = as_array(tasks, "tasks")
    check_same_length(rows=np.empty(n), tasks=labels)
    if is_missing(labels).any():
        raise ArgumentError("tasks", "a row has no task")
    names, task = np.unique(labels.astype(str), return_inverse=True)
    group: NDArray[np.intp] | None = None
    if groups is not None:
        by_row = as_array(groups, "groups")
        check_same_length(rows=np.empty(n), groups=by_row)
        group = np.unique(by_row.astype(str), return_inverse=True)[1]
    named = tuple(names.tolist())
    shares, weighted_by = _read_weights(weights, named, np.bincount(task))
    return named, Strata(task, shares, group), weighted_by


def _read_weights(
    weights: str | Mapping[str, float], names: tuple[str, ...], rows: NDArray[np.intp]
) -> tuple[FloatArray, str]:
    """Return the share of each task, and how the weights are called."""
    if isinstance(weights, Mapping):
        return _given_weights(weights, names), "given"
    if not isinstance(weights, str):
        raise ArgumentError("weights", f"found {weights!r}, expected a word or a mapping")
    if weights == BY_TASKS:
        return np.full(len(names), 1 / len(names)), BY_TASKS
    if weights == BY_ITEMS:
        return rows / rows.sum(), BY_ITEMS
    raise ArgumentError(
        "weights",
        f"found {weights!r}, allowed: {BY_TASKS!r}, {BY_ITEMS!r}, or a weight for each task",
    )


def _given_weights(weights: Mapping[str, float], names: tuple[str, ...]) -> FloatArray:
    """Check a weight for each task, and return the shares, which sum up to 1."""
    by_name = {str(name): weight for name, weight in weights.items()}
    for name in names:
        if name not in by_name:
            raise ArgumentError("weights", f"task {name} has none, and each task needs one")
    for name in by_name:
        if name not in names:
            allowed = ", ".join(names)
            raise ArgumentError("weights", f"{name} is none of the tasks ({allowed})")
    shares = as_scores([by_name[name] for name in names], "weights", unit="tasks")
    if (shares < 0).any():
        name = names[int(np.argmin(shares))]
        raise ArgumentError("weights", f"found {shares.min():g} for {name}, must be at least 0")
    if not shares.any():
        raise ArgumentError("weights", "are all 0, so that no task counts")
    normed: FloatArray = shares / shares.sum()
    return normed


# --- all pairs of models


@checked
def compare_suite_values(
    values: ArrayLike,
    *,
    tasks: ArrayLike,
    weights: str | Mapping[str, float] = BY_TASKS,
    groups: ArrayLike | None = None,
    greater_is_better: bool = True,
    **options: Unpack[FamilyArguments],
) -> PairwiseResult:
    """Test all pairs of models by `suite_mean_difference`, adjusted by the largest t."""
    suite = suite_of_values(
        values, tasks=tasks, weights=weights, groups=groups, greater_is_better=greater_is_better
    )
    return compare_suite(suite, **options)


class _Arguments(FamilyArguments, _MetricArguments):
    """The options of a family, and those of its metric and tasks."""


@checked
def compare_suites(
    y_true: ArrayLike, predicted: Any, **options: Unpack[_Arguments]
) -> PairwiseResult:
    """Test all pairs of models by `suite_difference`, adjusted by the largest t."""
    of_suite: dict[str, Any] = _with_tasks(options)
    of_family = {}
    for name in FamilyArguments.__annotations__:
        if name in of_suite:
            of_family[name] = of_suite.pop(name)
    columns = predicted
    if not isinstance(predicted, list):
        columns = list(np.moveaxis(as_array(predicted, "predicted"), 1, 0))
    return compare_suite(suite_of_metric(y_true, columns, **of_suite), **of_family)


def compare_suite(
    suite: Suite,
    *,
    control: int | None = None,
    correction: str = MAX_T,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_resamples: int = 99_999,
    seed: int = 0,
) -> PairwiseResult:
    """Compare all pairs of the models of a suite, or a control with each other."""
    side = alternative
    level = confidence_level
    members = pairs_of(suite.psi.shape[1], control)
    method = check_correction(correction, control, side, MAX_T)
    contrasts = []
    decisions = []
    for first, second in members:
        contrast = suite.contrast(first, second)
        contrasts.append(contrast)
        decisions.append(_decided(suite, contrast, (first, second), side))
    statuses = [status for status, _, _ in decisions]
    raw = np.array([pvalue for _, _, pvalue in decisions])
    usable = np.array([status is Status.OK for status in statuses])
    reach = None
    if method == MAX_T:
        adjusted = np.where(np.isnan(raw), math.nan, 1.0)
        if usable.any():
            statistic = np.array([t for _, t, _ in decisions])[usable]
            df = np.array([contrast.df for contrast in contrasts])[usable]
            covariance = suite.strata.covariance(suite.psi)
            largest = largest_t(
                statistic,
                df,
                np.array(members)[usable],
                covariance,
                level,
                side,
                n_resamples,
                seed,
            )
            adjusted[usable] = largest.step_down
            reach = largest.quantile
        # no adjusted p below its own p, which the draws may miss by chance
        adjusted = np.fmax(adjusted, raw)
    else:
        adjusted = adjust_pvalues(raw, method)
    each = level
    if simultaneous:
        each = _level_of_each(reach, level, len(members), method, side)
    pairs = []
    for pair, contrast, decision, p in zip(members, contrasts, decisions, adjusted, strict=True):
        status, t, pvalue = decision
        ci = _interval(suite, contrast, each, side)
        if ci is not None:
            # the intervals of the pairs hold together at this level
            ci = dataclasses.replace(ci, confidence=level, method=method if simultaneous else "t")
        pairs.append(
            Pair(
                a=pair[0],
                b=pair[1],
                statistic=t,
                pvalue=pvalue,
                pvalue_adjusted=float(p),
                estimate=contrast.value,
                ci=ci,
                df=contrast.df,
                status=status,
                details=_details(suite, contrast, pair, each, side),
            )
        )
    overall = statuses[0]
    if Status.OK in statuses:
        overall = Status.OK
    return PairwiseResult(
        variant=suite.metric,
        correction=method,
        pairs=tuple(pairs),
        n=suite.rows,
        alternative=side,
        status=overall,
        assumptions=_checks(suite, members[0]),
        details={
            "confidence_level": level,
            "confidence_level_each": each,
            "simultaneous": simultaneous,
            "control": control,
            "tasks": list(suite.names),
            "by_task": suite.by_task.T.tolist(),
        },
    )


def _level_of_each(
    reach: float | None, level: float, pairs: int, method: str, side: Alternative
) -> float:
    """Return the level of each interval that makes all of them hold together."""
    if reach is None:
        # no pair has a statistic to draw
        if method == MAX_T:
            method = "bonferroni"
        return simultaneous_level(level, pairs, method)
    # 1 − P(Z > reach), on two sides 1 − P(|Z| > reach), reach the quantile of the largest statistic
    beyond = float(special.ndtr(-reach))
    if side == "two-sided":
        beyond *= 2
    return 1 - beyond


# --- two models


@register(
    evidence=Evidence.ROWS,
    citation=_METHOD,
    all_pairs=compare_suite_values,
    null_hypothesis=_NULL,
)
def suite_mean_difference(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    **options: Unpack[SuiteArguments],
) -> Result:
    """Stratified t test of values.

    Do two fitted models differ in the mean over these tasks of a value per row?

    Parameters
    ----------
    tasks : array_like, shape (n,)
        The task of each row.
    weights : {"tasks", "items"} or Mapping of str to float
        Each task weighs alike, each row does, or the weight of each task, of which the sum does not
        matter.
    groups : array_like, shape (n,), optional
        Rows that belong together, such as the runs of an item or the questions on a document. A
        group with rows of several tasks makes the groups, not the tasks, the strata.

    Returns
    -------
    Result
        ``estimate`` is A's advantage in the weighted mean over tasks. ``details``: ``value_a``,
        ``value_b``, the difference of each task in ``of_tasks`` with ``tasks`` and ``rows``, the
        ``other`` mean, and ``heterogeneity``, the p-value of equal differences in all tasks.

    Notes
    -----
    With weights w_t and the variance V_t of the mean difference of task t, se² = Σ w_t² V_t with
    Satterthwaite's degrees of freedom. Where all values are 0 and 1, 1/(2T) of a row is added to
    each of the four cells of the paired table of each of the T tasks (Agresti & Min 2005, spread
    over the tasks), so that a task in which the models do not differ is not known exactly.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 0, 1, 0], [60, 40, 10, 10])
    >>> b = np.repeat([1, 0, 1, 0], [50, 50, 14, 6])
    >>> tasks = np.repeat(["large", "small"], [100, 20])
    >>> result = suite_mean_difference(a, b, tasks=tasks)
    >>> round(result.estimate, 3), [round(d, 3) for d in result.details["of_tasks"]]
    (-0.05, [0.1, -0.2])
    """
    check_same_labels(values_a=values_a, values_b=values_b)
    a = as_scores(values_a, "values_a", unit="rows")
    b = as_scores(values_b, "values_b", unit="rows")
    check_same_length(values_a=a, values_b=b)
    suite = suite_of_values(
        np.column_stack([a, b]), greater_is_better=greater_is_better, **_with_tasks(options)
    )
    return _result(suite, (0, 1), alternative, confidence_level)


@register(
    evidence=Evidence.ROWS,
    citation=_METHOD,
    all_pairs=compare_suites,
    null_hypothesis=_NULL,
)
def suite_difference(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    **options: Unpack[_MetricArguments],
) -> Result:
    """Stratified t test.

    Do two fitted models differ in the mean over these tasks of the chosen metric?

    Parameters
    ----------
    tasks : array_like, shape (n,)
        The task of each row.
    weights : {"tasks", "items"} or Mapping of str to float
        As in `suite_mean_difference`.

    Returns
    -------
    Result
        As that of `suite_mean_difference` (Satterthwaite 1946), of which it is the form for a
        metric: the influence values of the rows of each task take the place of their numbers.

    Warnings
    --------
    Each task needs a value of the metric: an area under the ROC curve needs rows of both classes in
    every one of them.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0, 1, 0], [60, 40, 10, 10])
    >>> a, b = y.copy(), y.copy()
    >>> a[:30], b[100:108] = 0, 0
    >>> result = suite_difference(y, a, b, tasks=np.repeat(["large", "small"], [100, 20]))
    >>> round(result.estimate, 3), round(result.details["other"]["estimate"], 3)
    (0.05, -0.183)
    """
    suite = suite_of_metric(
        y_true,
        [predicted_a, predicted_b],
        names=("predicted_a", "predicted_b"),
        **_with_tasks(options),
    )
    return _result(suite, (0, 1), alternative, confidence_level)


def _with_tasks(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that say of which task each row is, or say that they are needed."""
    if options.get("tasks") is None:
        raise ArgumentError("tasks", "is missing: the task of each row")
    return dict(options)


def _result(suite: Suite, pair: tuple[int, int], side: Alternative, level: float) -> Result:
    """Return the test of two models of a suite."""
    contrast = suite.contrast(pair[0], pair[1])
    status, t, pvalue = _decided(suite, contrast, pair, side)
    return Result(
        variant=suite.metric,
        statistic=t,
        pvalue=pvalue,
        df=contrast.df,
        n=suite.rows,
        alternative=side,
        estimate=contrast.value,
        ci=_interval(suite, contrast, level, side),
        status=status,
        assumptions=_checks(suite, pair),
        details=_details(suite, contrast, pair, level, side),
    )


def _decided(
    suite: Suite, contrast: StratifiedMean, pair: tuple[int, int], side: Alternative
) -> tuple[Status, float, float]:
    """Return status, t and p of a difference."""
    a, b = pair
    if suite.reasons and (suite.reasons[a] or suite.reasons[b]):
        return Status.UNDEFINED, math.nan, math.nan
    if math.isnan(contrast.se):
        return Status.TOO_FEW, math.nan, math.nan
    alike = not (suite.psi[:, a] - suite.psi[:, b]).any()
    equal = alike and not contrast.by_task.any()
    status = Status.OK
    if equal and suite.marks:
        status = Status.NO_DISCORDANT_PAIRS
    elif equal:
        status = Status.IDENTICAL_SCORES
    elif alike and not suite.marks:  # of right and wrong rows the pseudo-rows vary
        status = Status.ZERO_VARIANCE
    # t = Σ w_t δ_t/se, the pseudo-rows in both, with Satterthwaite's degrees of freedom
    t = math.nan
    if contrast.se > 0:
        t = contrast.centre / contrast.se
    t, pvalue = answered(status, t, t_pvalue(t, contrast.df, side), contrast.value)
    return status, t, pvalue


def _interval(
    suite: Suite, contrast: StratifiedMean, level: float, side: Alternative
) -> ConfidenceInterval | None:
    """Return the t interval of a difference within what is possible."""
    smallest, largest = suite.range
    low, high = contrast.interval(level, side, (smallest - largest, largest - smallest))
    if math.isnan(low):
        return None
    return ConfidenceInterval(low, high, level, "t")


def _checks(suite: Suite, pair: tuple[int, int]) -> tuple[Assumption, ...]:
    """Say what is assumed of the rows, and why a metric has no value in a task."""
    checks = [INDEPENDENT_ROWS]
    if suite.strata.groups is not None:
        counts = suite.strata.units
        detail = f"the fewest groups of a task are {counts.min()}; 4 at least are recommended"
        checks = [Assumption("enough groups", bool(counts.min() >= 4), detail)]
    reason = ""
    if suite.reasons:
        reason = suite.reasons[pair[0]] or suite.reasons[pair[1]]
    if reason:
        checks.append(Assumption("a defined metric", False, reason))
    elif suite.strata.rows.min() < 2:
        task = suite.names[int(np.argmin(suite.strata.rows))]
        detail = f"task {task} has one row, which says nothing of how rows of it vary"
        checks.append(Assumption("two rows of each task", False, detail))
    return tuple(checks)


def _details(
    suite: Suite,
    contrast: StratifiedMean,
    pair: tuple[int, int],
    level: float,
    side: Alternative,
) -> dict[str, Any]:
    """Return the values of both models, the differences in the tasks, and the other mean."""
    a, b = pair
    other = suite.other.contrast(a, b)
    weights = suite.strata.weights
    return {
        "se": contrast.se,
        "padded": contrast.centre,
        "value_a": float(weights @ suite.by_task[:, a]),
        "value_b": float(weights @ suite.by_task[:, b]),
        "weighted_by": suite.weighted_by,
        "tasks": list(suite.names),
        "weights": weights.tolist(),
        "rows": suite.strata.rows.astype(int).tolist(),
        "of_tasks": contrast.by_task.tolist(),
        "other": {
            "weighted_by": suite.other.weighted_by,
            "estimate": other.value,
            "ci": list(other.interval(level, side)),
        },
        "heterogeneity": heterogeneity(contrast),
    }


def heterogeneity(contrast: StratifiedMean) -> float:
    """Return the p-value of equal differences in all tasks, by Welch's test of means."""
    variances = contrast.variances
    count = len(contrast.by_task)
    if len(variances) != count or count < 2 or not (variances > 0).all():
        return math.nan
    # the variances of the tasks are estimated, so that Cochran's Q would reject too often
    return welch_f(contrast.by_task, np.sqrt(variances), contrast.degrees)["pvalue"]


# --- one model, and the tasks one by one


@checked
def suite_mean_ci(
    values: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **options: Unpack[SuiteArguments],
) -> Result:
    """Return the mean over tasks of one model with its interval.

    Parameters
    ----------
    values : array_like, shape (n,)
        The number of each row.
    tasks : array_like, shape (n,)
        The task of each row.
    weights : {"tasks", "items"} or Mapping of str to float
        As in `suite_mean_difference`.

    Examples
    --------
    >>> import numpy as np
    >>> right = np.repeat([1, 0, 1, 0], [60, 40, 10, 10])
    >>> result = suite_mean_ci(right, tasks=np.repeat(["large", "small"], [100, 20]))
    >>> round(result.estimate, 2), [round(end, 3) for end in result.ci]
    (0.55, [0.429, 0.669])
    """
    column = as_scores(values, "values", unit="rows")
    return _of_one(suite_of_values(column[:, None], **_with_tasks(options)), confidence_level)


@checked
def suite_ci(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **options: Unpack[_MetricArguments],
) -> Result:
    """Return the mean over tasks of a metric of one model with its interval.

    Parameters
    ----------
    predicted : array_like, shape (n,) or (n, K)
        As in `influence`.
    tasks : array_like, shape (n,)
        The task of each row.
    weights : {"tasks", "items"} or Mapping of str to float
        As in `suite_mean_difference`.
    """
    suite = suite_of_metric(y_true, [predicted], names=("predicted",), **_with_tasks(options))
    return _of_one(suite, confidence_level)


def _of_one(suite: Suite, level: float) -> Result:
    """Return the mean of the only model of a suite."""
    mean = suite.one(0)
    low, high = mean.interval(level, "two-sided", suite.range)
    status = Status.OK
    if suite.reasons and suite.reasons[0]:
        status = Status.UNDEFINED
    elif math.isnan(mean.se):
        status = Status.TOO_FEW
    elif not mean.se > 0:
        status = Status.ZERO_VARIANCE
    ci = None
    if status is Status.OK:
        ci = ConfidenceInterval(low, high, level, "t")
    return Result(
        test="suite_ci",
        variant=suite.metric,
        statistic=math.nan,
        pvalue=math.nan,
        df=mean.df,
        n=suite.rows,
        estimate=mean.value,
        ci=ci,
        status=status,
        assumptions=_checks(suite, (0, 0)),
        method=_METHOD,
        details={
            "se": mean.se,
            "padded": mean.centre,
            "tasks": list(suite.names),
            "of_tasks": mean.by_task.tolist(),
        },
    )


@dataclasses.dataclass(frozen=True)
class TaskDifference:
    """The difference of two models in one task of several."""

    task: str
    rows: int
    value_a: float
    value_b: float
    estimate: float
    """A's advantage."""
    low: float
    high: float
    """Limits that hold for all tasks together."""
    pvalue: float
    pvalue_adjusted: float


def task_differences(
    suite: Suite, a: int, b: int, level: float = 0.95, side: Alternative = "two-sided"
) -> list[TaskDifference]:
    """Compare two models in each task, with p-values and intervals for all tasks together.

    Tasks are independent, so that Šidák's correction is exact; it is Holm's where groups of rows
    lie in several tasks.
    """
    crossed = False
    if suite.strata.groups is not None:
        stratum, _ = suite.strata.contributions(suite.psi[:, 0])
        crossed = int(stratum.max()) + 1 < len(suite.names)
    method = "holm-sidak"
    if crossed:
        method = "holm"
    # each interval at the level (1 − α)^(1/T), or by Bonferroni's method 1 − α/T
    level_of_each = simultaneous_level(level, len(suite.names), method)
    smallest, largest = suite.range
    limits = (smallest - largest, largest - smallest)
    lines = []
    for task, name in enumerate(suite.names):
        part = suite.single(task)
        contrast = part.contrast(a, b)
        _, _, pvalue = _decided(part, contrast, (a, b), side)
        low, high = contrast.interval(level_of_each, side, limits)
        line = TaskDifference(
            task=name,
            rows=part.rows,
            value_a=float(part.by_task[0, a]),
            value_b=float(part.by_task[0, b]),
            estimate=contrast.value,
            low=low,
            high=high,
            pvalue=pvalue,
            pvalue_adjusted=pvalue,
        )
        lines.append(line)
    adjusted = adjust_pvalues([line.pvalue for line in lines], method)
    for place, pvalue in enumerate(adjusted):
        lines[place] = dataclasses.replace(lines[place], pvalue_adjusted=float(pvalue))
    return lines

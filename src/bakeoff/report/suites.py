"""What rows of several fixed tasks show: the other mean, the tasks one by one, a table of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from bakeoff.comparisons.run_tests import Comparison
from bakeoff.comparisons.suites import TaskScores, task_scores
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import p_equals
from bakeoff.report.ranking import lead_of
from bakeoff.report.study import Study
from bakeoff.stats import TaskDifference, as_float, task_differences
from bakeoff.stats.rows.suites import BY_ITEMS
from bakeoff.threads import on_one_thread

MOST_SHOWN = 10
"""Tasks at each end of the order by difference that a page or terminal shows."""
_MOST_NAMED = 3
_VARIES = 0.05


class InTasks(NamedTuple):
    """The difference of two models in each task, and the scores of all models."""

    scores: TaskScores
    models: tuple[str, str]
    differences: list[TaskDifference]
    """From the largest advantage of the first model down."""


def of_tasks(family: Family) -> bool:
    """Tell whether a family compares models in the mean over tasks."""
    return "tasks" in family.entry.options


@lru_cache(maxsize=16)
@on_one_thread
def in_tasks(study: Study, metric: str, a: str, b: str) -> InTasks | None:
    """Compare two models in each task of the first data set whose rows are of several."""
    rows = study.test_sets or study.numbers
    for _, scores in task_scores(rows, study.analysis, [metric]):
        # on a data set a model may have no results
        if not {a, b} <= {*scores.models}:
            continue
        # a suite knows models by their columns
        column_a = scores.models.index(a)
        column_b = scores.models.index(b)
        differences = task_differences(scores.suite, column_a, column_b, 1 - study.alpha)
        differences.sort(key=lambda difference: -difference.estimate)
        return InTasks(scores, (a, b), differences)
    return None


# --- sentences


def sentences(study: Study, family: Family, row: Comparison) -> list[str]:
    """Say what the other mean is where it disagrees, and in how many tasks who is better."""
    details = row.result.get("details", {})
    texts = [_other_mean(study, family, row, details), _count(study, family, row)]
    different = as_float(details.get("heterogeneity"))
    if different < _VARIES:
        texts.append(
            f"The difference varies between tasks ({p_equals(different)}): on other tasks it may "
            "be another."
        )
    return list(filter(None, texts))


def _other_mean(study: Study, family: Family, row: Comparison, details: Mapping[str, Any]) -> str:
    """Say what the mean over rows is, or that over tasks, where another model leads by it."""
    other = details.get("other", {})
    sign = 1
    if family.turned(row.model_a, row.model_b):
        sign = -1
    estimate = sign * as_float(other.get("estimate"))
    # in a turned comparison the sign changes, and the limits change places
    low, high = sorted(sign * as_float(end) for end in other.get("ci", (math.nan, math.nan)))
    shown_here = row.ci_low > 0 or row.ci_high < 0
    shown_there = low > 0 or high < 0
    # where both means show the same, one of them is enough
    if math.isnan(estimate) or (estimate * row.estimate > 0 and shown_here == shown_there):
        return ""
    if estimate == row.estimate == 0:
        return ""
    weights = "tasks"
    if other["weighted_by"] == BY_ITEMS:
        weights = "items"
    if estimate == 0:
        return f"By {weights} neither is ahead."
    leader = row.model_a
    if estimate < 0:
        leader = row.model_b
    text = f"By {weights} {study.name(leader)} is ahead by {prose.gap_of(family, estimate)}"
    if shown_there:
        smaller, larger = sorted((abs(low), abs(high)))
        limits = family.written.gap_interval(smaller, larger)
        text += f" ({prose.level_of(row)} {limits})"
    if weights == "items":
        text += _large_task(row, details)
    return f"{text}."


def _large_task(row: Comparison, details: Mapping[str, Any]) -> str:
    """Name the task that most rows belong to; empty where none has more than half of them."""
    largest = max(details["rows"])
    if 2 * largest <= row.n:
        return ""
    task = details["tasks"][details["rows"].index(largest)]
    return f": task {task} has {largest:,} of {row.n:,} items"


def _count(study: Study, family: Family, row: Comparison) -> str:
    """Count the tasks in which one model is shown better than the other."""
    by_task = in_tasks(study, family.metric, row.model_a, row.model_b)
    if by_task is None or len(by_task.differences) == 1:
        return ""
    better = []
    worse = []
    for difference in by_task.differences:
        if not _shown(difference, study):
            continue
        if difference.estimate > 0:
            better.append(difference.task)
        elif difference.estimate < 0:
            worse.append(difference.task)
    count = len(by_task.differences)
    left = count - len(better) - len(worse)
    a = study.name(row.model_a)
    b = study.name(row.model_b)
    text = (
        f"In the tasks one by one, {a} is better than {b} on {_named(better)} of {count} and worse "
        f"on {_named(worse)}"
    )
    if left:
        text += f"; on {left} a difference is not shown"
    return f"{text} (p-values adjusted for {count} tasks)."


def _shown(difference: TaskDifference, study: Study) -> bool:
    """Tell whether a difference is significant among those of all tasks."""
    return difference.pvalue_adjusted <= study.alpha


def _named(tasks: list[str]) -> str:
    """Count tasks, and name a few."""
    # of more tasks their number says enough
    if 0 < len(tasks) <= _MOST_NAMED:
        return f"{len(tasks)} ({', '.join(tasks)})"
    return f"{len(tasks)}"


# --- the table of tasks × models


class TaskLine(NamedTuple):
    """One task: its rows, the score of each model, and the difference of two of them."""

    task: str
    rows: int
    values: dict[str, float]
    """By model."""
    difference: TaskDifference


def lines(by_task: InTasks) -> list[TaskLine]:
    """Return a line for each task, sorted by the difference."""
    suite = by_task.scores.suite
    table = []
    for difference in by_task.differences:
        # a row for each task, a column for each model
        values = suite.by_task[suite.names.index(difference.task)].tolist()
        by_model = dict(zip(by_task.scores.models, values, strict=True))
        table.append(TaskLine(difference.task, difference.rows, by_model, difference))
    return table


def ends(n_tasks: int) -> tuple[int, int]:
    """Return where the tasks between the largest differences either way begin and end."""
    if n_tasks <= 2 * MOST_SHOWN:
        return n_tasks, n_tasks
    return MOST_SHOWN, n_tasks - MOST_SHOWN


def extremes(table: list[TaskLine]) -> tuple[list[TaskLine], int]:
    """Return the tasks with the largest differences either way, and how many are left out."""
    first, last = ends(len(table))
    return table[:first] + table[last:], last - first


def leading_pair(study: Study) -> tuple[Family, Comparison] | None:
    """Return the comparison of the two best models where they are compared over tasks."""
    for family in study.mains:
        if of_tasks(family):
            first, second, *_ = lead_of(study, family)
            row = family.between(first, second)
            if row is not None:
                return family, row
    return None

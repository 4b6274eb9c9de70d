"""Numbers of each row: losses, partial credit, marks of right rows, and of several runs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.asked import Asked
from bakeoff.data.missing_items import completed, each_run
from bakeoff.data.observations import Missing, Observations
from bakeoff.data.pairing import paired
from bakeoff.data.predicted import Predicted
from bakeoff.data.records import TASK
from bakeoff.data.target import Answers
from bakeoff.errors import Place, Problem, UserError, joined
from bakeoff.keys import refuse_same_names
from bakeoff.options import can_set, setting
from bakeoff.sources.common.base import as_columns
from bakeoff.spec.metrics import RIGHT, RIGHT_OR_WRONG, GivenMetric, Kind, Passing, PassingRuns


def side_by_side(
    name: str,
    files: Sequence[Observations],
    metric: Kind,
    handled: str | None,
    asked: Mapping[str, Mapping[str, Asked]],
) -> Observations:
    """Put the numbers of models side by side, and say what they mean."""
    runs = each_run(files)
    missing: Missing | None = None
    if handled is not None:
        runs, missing = completed(runs, handled, metric, asked)
    models: set[str] = set()
    for run in runs:
        models.update(run.models)
    if len(models) < 2:
        n_models = len(models) or "no"
        raise UserError(f"{name!r} has {n_models} column of numbers; comparing needs two")
    notes = _unequal_runs(runs, metric)
    meaning = [meant(run, metric) for run in runs]
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(meaning, metric):
        raise UserError(
            "every number is 0 or 1: do they say which rows are right? Then give "
            f"{setting('values', 'right')} (1 is right) or {setting('values', 'wrong')} (1 is "
            "wrong), and the test is McNemar's"
        )
    classes = RIGHT_OR_WRONG if isinstance(metric, str) else ()
    observations = paired(name, meaning, classes)
    refuse_same_names(observations.models)
    preparation = tuple(notes) + observations.preparation
    return dataclasses.replace(observations, preparation=preparation, missing=missing)


# --- what is told of them


def averages(files: Sequence[Observations]) -> list[str]:
    """Say of items of several tasks that scores are micro averages, and give the macro averages."""
    first = files[0].records
    roles = first.roles
    # of rows that have their tasks named, scores are means over these
    if TASK not in first.names or TASK in (roles.groups, roles.runs, roles.tasks):
        return []
    n_tasks = first.column(TASK).nunique()
    if n_tasks < 2:
        return []
    first_run_of: dict[str, Observations] = {}
    for file in files:
        (model,) = file.models
        first_run_of.setdefault(model, file)
    macro_averages = []
    for model, file in first_run_of.items():
        tasks = file.records.column(TASK).astype(str)
        numbers = file.only.values
        if numbers is None:  # marks of right items
            numbers = file.only.answers
        means = pd.Series(numbers).groupby(tasks).mean()
        by_task = [f"{task} {mean:.3f}" for task, mean in means.items()]
        macro_averages.append(f"{model} {means.mean():.3f} ({', '.join(by_task)})")
    return [
        f"Scores are micro averages over {first.table.num_rows:,} items of {n_tasks} tasks, which "
        f"weigh as many items as they have; macro averages over tasks: {'; '.join(macro_averages)}."
    ]


def _unequal_runs(files: Sequence[Observations], metric: Kind) -> list[str]:
    """Say that the items of models, which were run unequally often, count by their right runs."""
    if not isinstance(metric, PassingRuns) or metric.most_runs > 1:
        return []
    n_runs = {}
    for file in files:
        (model,) = file.models
        n_runs[model] = len(file.ids)
    if len(set(n_runs.values())) == 1:
        return []
    counts = [f"{n:,} of {model}" for model, n in n_runs.items()]
    return [
        f"There are unequal numbers of runs ({joined(counts)}), so that each item counts by the "
        f"share of its runs that are right ({metric.metrics[0].label})."
    ]


# --- what they mean


def may_be_right_or_wrong(files: Collection[Observations], metric: GivenMetric) -> bool:
    """Tell whether all values are 0 or 1 and no other range is declared."""
    if metric.limits not in ((-math.inf, math.inf), (0, 1)):
        return False
    has_values = False
    for file in files:
        values = file.only.values
        if values is None:
            continue
        has_values = True
        if not np.isin(values, (0, 1)).all():
            return False
    return has_values


def meant(file: Observations, metric: Kind) -> Observations:
    """Say what the numbers of a model mean: a metric of ours, or which rows are right."""
    if isinstance(metric, PassingRuns):
        return _with_only_class(_passed(file, metric))
    values = file.only.values
    assert values is not None
    if isinstance(metric, GivenMetric):
        low, high = metric.limits
        outside = (values < low) | (values > high)
        if outside.any():
            raise _wrong_number(file, outside, f"outside {low:g} to {high:g}")
        return _with_only_class(file)
    no_mark = ~np.isin(values, (0, 1))
    if no_mark.any():
        what = f"that is neither 0 nor 1, as {metric} counts"
        raise _wrong_number(file, no_mark, what, ",", _on_other_numbers())
    right = (values == RIGHT[metric]).astype(np.int32)
    true = Answers(RIGHT_OR_WRONG, np.ones(len(values), dtype=np.int32))
    return file.only_says(Predicted(Answers(RIGHT_OR_WRONG, right)), true=true)


def _with_only_class(file: Observations) -> Observations:
    """Say that every row has the only class there is, so that no truth is lacking."""
    return dataclasses.replace(file, true=Answers(("",), np.zeros(len(file.ids), np.int32)))


def _wrong_number(
    file: Observations,
    wrong: NDArray[np.bool_],
    what: str,
    comma: str = "",
    advice: str = "",
) -> Problem:
    """Say which rows have a number that has no meaning."""
    run = file.only
    assert run.values is not None
    first = int(wrong.argmax())
    column = ""
    if run.column:
        column = f"{comma} in column {run.column!r}"
    return Problem(
        file.place,
        f"{file.name}: {wrong.sum():,} of {len(wrong):,} rows have a number {what}{column}; "
        f"the first is id {file.ids[first]} with {run.values[first]:g}{advice}",
    )


def _on_other_numbers() -> str:
    """Say how numbers are compared that are neither 0 nor 1, such as partial credit."""
    if can_set("values"):
        return (
            f"; partial credit and other numbers are compared by {setting('values', 'higher')} or "
            f"{setting('values', 'lower')}"
        )
    return (
        "; partial credit and other numbers are a metric of their own, like `metrics: [{name: "
        "credit, greater_is_better: true}]`"
    )


# --- how often some of the runs of an item pass


def _passed(file: Observations, passing: PassingRuns) -> Observations:
    """Put in place of the runs of each item how often k of them pass, by each metric."""
    is_right = meant(file, passing.marks).only.answers
    if file.items is None:
        raise Problem(
            file.records.at("runs"),
            f"{file.name}: which column numbers the runs of an item, of which {passing.most_runs} "
            "are drawn?",
        )
    items, first, item_of_run, n_runs = np.unique(
        file.items,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    for place, metric in enumerate(passing.metrics):
        _check_enough_runs(file, metric, items, n_runs, place)
    constant = _constant_columns(file, item_of_run)
    _check_same_in_runs(file, constant)
    run, names = pd.factorize(file.records.column(str(file.records.roles.runs)), sort=True)
    marks = np.full((len(items), len(names)), np.nan)
    marks[item_of_run, run] = is_right
    kept = file[first]
    texts = list(map(str, items))
    related = {}
    for role, labels in kept.related.items():
        # runs without groups of their own have their items for groups
        if not np.array_equal(labels, texts):
            related[role] = labels
    return kept.only_says(
        shares_passed(marks, passing),
        records=kept.records.with_table(kept.records.table.select(constant)),
        ids=items,
        related=related,
        items=None,
    )


def shares_passed(marks: NDArray[np.float64], passing: PassingRuns) -> Predicted:
    """Return how often k runs of each item pass by each metric, of marks of shape (n, runs)."""
    by_metric = {}
    for metric in passing.metrics:
        by_metric[metric.name] = share_passed(marks, metric)
    first = by_metric[passing.metrics[0].name]
    if len(by_metric) == 1:
        by_metric = {}
    return Predicted(values=first, marks=marks, by_metric=by_metric)


def share_passed(marks: NDArray[np.float64], metric: Passing) -> NDArray[np.float64]:
    """Return how often k runs of each item pass, of marks of shape (n, runs)."""
    from bakeoff.stats import pass_at, pass_hat  # all of statistics: for this alone

    # marks are 1, 0, or NaN for a run that an item has not
    n_right = np.nansum(marks, axis=1).astype(int)
    n_runs = np.sum(~np.isnan(marks), axis=1)
    if metric.every:
        return pass_hat(n_right, n_runs, metric.k)
    return pass_at(n_right, n_runs, metric.k)


def _check_enough_runs(
    file: Observations,
    metric: Passing,
    items: NDArray[Any],
    n_runs: NDArray[np.intp],
    place: int,
) -> None:
    """Refuse items with fewer runs than are drawn by a metric, which is named at a place."""
    if n_runs.min() >= metric.k:
        return
    at: Place = ("k",)
    if len(file.place) > 1:
        at = ("metrics", place)
    fewest = int(n_runs.argmin())
    raise Problem(
        at,
        f"{file.name}: {metric.label} wants {metric.k} runs of each item, "
        f"{(n_runs < metric.k).sum():,} have fewer; the first is {items[fewest]} with "
        f"{n_runs[fewest]}",
    )


def _constant_columns(file: Observations, item_of_run: NDArray[np.intp]) -> list[str]:
    """Name the columns that have one value in all runs of an item."""
    groups = pd.Series(item_of_run)
    constant = []
    for name in file.records.names:
        n_values = file.records.column(name).groupby(groups).nunique()
        if n_values.le(1).all():
            constant.append(name)
    return constant


def _check_same_in_runs(file: Observations, constant: Collection[str]) -> None:
    """Refuse groups, times and subgroups that differ between the runs of an item."""
    roles = file.records.roles
    columns = [roles.groups, roles.time]
    for subgroup in as_columns(roles.subgroups):
        columns.append(subgroup.column)
    for column in columns:
        if column in file.records.names and column not in constant:
            text = f"{file.name}: {column!r} differs between runs of an item"
            raise Problem((*file.place[:-1], "columns"), text)

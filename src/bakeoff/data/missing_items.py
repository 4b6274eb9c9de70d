"""Items that a model lacks: they are counted as wrong, or those of all models are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.data.asked import Asked, lacking_share
from bakeoff.data.observations import Missing, Observations
from bakeoff.data.predicted import Predicted
from bakeoff.data.readers.common import SAMPLE_ID
from bakeoff.data.records import TASK
from bakeoff.data.target import Answers
from bakeoff.errors import Problem, some
from bakeoff.options import setting
from bakeoff.sources.common.base import as_columns
from bakeoff.spec.metrics import Kind, PassingRuns

_WRONG = 0.0
"""What an item that a model lacks counts as, where 1 says that an item is right."""
_WRONG_AS_ERROR = 1.0


def each_run(files: Sequence[Observations]) -> list[Observations]:
    """Observe every training run of every model by itself."""
    single = []
    for file in files:
        for model, runs in file.models.items():
            for run in runs:
                single.append(dataclasses.replace(file, models={model: (run,)}))
    return single


def lacks(file: Observations) -> NDArray[np.bool_]:
    """Tell in which rows the only model has no number, or no label, shape (n,)."""
    run = file.only
    if run.values is not None:
        return np.asarray(np.isnan(run.values))
    if run.said is None:
        return np.zeros(len(file.ids), bool)
    return run.said.missing


def completed(
    files: Sequence[Observations],
    handled: str,
    metric: Kind | None,
    asked: Mapping[str, Mapping[str, Asked]],
) -> tuple[list[Observations], Missing]:
    """Count items that a model lacks as wrong, or keep those that all models have; say how many."""
    if handled == "wrong":
        _check_labels(files, metric)
    parts = []
    ids = []
    for file in files:
        part = file[np.flatnonzero(~lacks(file))]
        parts.append(part)
        ids.append(pd.Index(list(map(str, part.ids))))
    holders = _holders(parts, ids)
    common = set(holders)
    for present in ids:
        common &= set(present)
    n_compared = len(common)
    if handled == "wrong":
        n_compared = len(holders)
    missing = _counted(parts, ids, handled, len(holders), n_compared, asked)
    if not any(missing.lacking.values()):
        return parts, missing
    if handled == "wrong":
        if metric is None:
            _refuse_without_truth(holders)
        wrong = _wrong_number(metric)
        completed_parts = []
        for part in parts:
            completed_parts.append(_with_rows(part, holders, wrong))
        return completed_parts, missing
    if not common:
        raise Problem(("missing",), "common: no item is there for all models")
    kept = []
    for part, present in zip(parts, ids, strict=True):
        kept.append(part[np.flatnonzero(present.isin(common))])
    return kept, missing


def _check_labels(files: Sequence[Observations], metric: Kind | None) -> None:
    """Refuse to count as wrong what is no label."""
    if isinstance(metric, str | PassingRuns):  # marks of right and wrong items
        return
    has_numbers = metric is not None
    for file in files:
        labels = file.only.said
        if metric is None and labels is None:
            raise Problem(
                ("missing",),
                "wrong: is for predicted labels, and a model has probabilities alone; "
                f"{setting('missing', 'common')} compares the rows that all models have",
            )
        has_numbers |= labels is not None and labels.numbers
    if has_numbers:
        raise Problem(
            ("missing",),
            f"wrong: which number is wrong? It is for labels and for {setting('values', 'right')}",
        )


def _holders(
    parts: Sequence[Observations], ids: Sequence[pd.Index[str]]
) -> dict[str, Observations]:
    """Map each item of any file to the file whose row stands for it."""
    pairs = list(zip(parts, ids, strict=True))
    # of labels the row of a table with the truth stands for that of one without
    pairs.sort(key=lambda pair: pair[0].true is None)
    holders: dict[str, Observations] = {}
    for part, present in pairs:
        holders = dict.fromkeys(present, part) | holders
    return holders


def _counted(
    parts: Sequence[Observations],
    ids: Sequence[pd.Index[str]],
    handled: str,
    n_items: int,
    n_compared: int,
    asked: Mapping[str, Mapping[str, Asked]],
) -> Missing:
    """Count the items that each model lacks in all of its training runs."""
    lacking: dict[str, int] = {}
    wanted: dict[str, int] = {}
    for part, present in zip(parts, ids, strict=True):
        (model,) = part.models
        lacking[model] = lacking.get(model, 0) + n_items - len(set(present))
        wanted[model] = wanted.get(model, 0) + n_items
    shares = {}
    for model, n_lacking in lacking.items():
        # a log that is not whole lacks items that no other file may have either
        of_logs = lacking_share(asked.get(model, {}))
        shares[model] = max(n_lacking / wanted[model], of_logs)
    tasks = _lacking_tasks(parts)
    return Missing(handled, n_items, lacking, shares, n_compared, tasks)


def _lacking_tasks(parts: Sequence[Observations]) -> dict[str, tuple[str, ...]]:
    """Name the tasks of which a model has no item, of the models that lack one."""
    tasks_by_model: dict[str, set[str]] = {}
    for part in parts:
        (model,) = part.models
        tasks = tasks_by_model.setdefault(model, set())
        if part.tasks is not None:
            tasks.update(part.tasks.tolist())
    every: set[str] = set().union(*tasks_by_model.values())
    lacking = {}
    for model, tasks in tasks_by_model.items():
        if tasks and tasks != every:
            lacking[model] = tuple(sorted(every - tasks))
    return lacking


def _refuse_without_truth(holders: Mapping[str, Observations]) -> None:
    """Refuse items of which no file says what is true: nobody knows what would be wrong."""
    without = []
    for item, part in holders.items():
        if part.true is None:
            without.append(item)
    if without:
        text = f"wrong: {len(without):,} rows have no true label in any table ({some(without)})"
        raise Problem(("missing",), text)


def _wrong_number(metric: Kind | None) -> float:
    """Return the number of an item that is wrong, by what the numbers of items say."""
    marks = metric
    if isinstance(metric, PassingRuns):
        marks = metric.marks
    if marks == "accuracy":
        return _WRONG
    return _WRONG_AS_ERROR


def _with_rows(
    file: Observations,
    holders: Mapping[str, Observations],
    wrong: float,
) -> Observations:
    """Add the rows that other files alone have, with the number that is wrong."""
    parts = [file]
    parts += _rows_of_others(file, holders)
    tables = []
    items = []
    trues = []
    for part in parts:
        if file.only.values is None:
            # what others predict says nothing of this model
            tables.append(_without_answers(part, file.records.names))
        else:
            tables.append(part.records.table)
        if part.items is not None:
            items.append(part.items)
        if part.true is not None:
            trues.append(part.true)
    related = {}
    for role in file.related:
        related[role] = np.concatenate([part.related[role] for part in parts])
    ids = np.concatenate([part.ids for part in parts])
    true = None
    if file.true is not None:
        true = _one_below_the_other(trues)
    items_of_rows = None
    if items:
        items_of_rows = np.concatenate(items)
    table = pa.concat_tables(tables, promote_options="permissive")
    return file.only_says(
        _with_wrong(file.only, len(ids), wrong),
        true=true,
        records=file.records.with_table(table),
        ids=ids,
        related=related,
        items=items_of_rows,
    )


def _rows_of_others(file: Observations, holders: Mapping[str, Observations]) -> list[Observations]:
    """Return the rows that a file lacks, file by file."""
    present = set(map(str, file.ids))
    # the items that each other file has to give, in the order in which they are met
    others: dict[int, Observations] = {}
    items_of: dict[int, set[str]] = {}
    for item, holder in holders.items():
        if item not in present:
            others[id(holder)] = holder
            items_of.setdefault(id(holder), set()).add(item)
    rows_of_others = []
    for key, other in others.items():
        is_lacking = pd.Index(list(map(str, other.ids))).isin(items_of[key])
        rows_of_others.append(other[np.flatnonzero(is_lacking)])
    return rows_of_others


def _without_answers(part: Observations, names: Collection[str]) -> pa.Table:
    """Return those columns that say something of the rows, not of a model, by some names."""
    records = part.records
    roles = records.roles
    of_rows = {"id", SAMPLE_ID, TASK, records.find("id"), records.find("truth")}
    of_rows |= {roles.groups, roles.time, roles.runs}
    for subgroup in as_columns(roles.subgroups):
        of_rows.add(subgroup.column)
    kept = of_rows & set(names)
    return records.table.select([name for name in records.names if name in kept])


def _with_wrong(run: Predicted, n_rows: int, wrong: float) -> Predicted:
    """Add wrong numbers, or missing labels, below what a model says, up to so many rows."""
    if run.values is not None:
        lacking = (0, n_rows - len(run.values))
        values = np.pad(run.values, lacking, constant_values=wrong)
        return dataclasses.replace(run, values=values)
    assert run.said is not None
    lacking = (0, n_rows - len(run.said.values))
    codes = np.pad(run.said.values, lacking, constant_values=-1)
    return Predicted(Answers(run.said.classes, codes), column=run.column)


def _one_below_the_other(parts: Sequence[Answers]) -> Answers:
    """Join labels, whose classes may differ."""
    classes: dict[str, None] = {}
    for part in parts:
        classes |= dict.fromkeys(part.classes)
    names = tuple(classes)
    values = [part.among(names) for part in parts]
    return Answers(names, np.concatenate(values))

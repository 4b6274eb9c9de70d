"""Observe what several models say of the same rows: in one table, or in one table per model."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.data.asked import Asked, lacking_share
from bakeoff.data.columns import in_order
from bakeoff.data.describe import like_ids
from bakeoff.data.given_tables import TASK, GivenTables
from bakeoff.data.model_columns import join_columns, refuse_parts_of_models
from bakeoff.data.observations import (
    NO_ANSWER,
    Missing,
    Observations,
    Predicted,
    holds_probabilities,
    no_model,
    other_spellings,
    paired,
)
from bakeoff.data.readers import SAMPLE_ID, without_missing
from bakeoff.data.records import OURS, USUAL, Records, by_run
from bakeoff.data.target import (
    Answers,
    looks_like_a_quantity,
    positive_last,
    positive_of,
    said_of_spellings,
    spelled_as,
    unclear_spellings,
)
from bakeoff.errors import Problem, UserError, joined, listed, some, unknown
from bakeoff.keys import refuse_same_names
from bakeoff.options import can_set, setting
from bakeoff.sources.common.base import as_columns
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import RIGHT, RIGHT_OR_WRONG, GivenMetric, Kind, Passing

_PAIRS = (("0", "1"), ("False", "True"))
_MARK = re.compile(
    r"(?<![a-z])(?:(?:in)?correct(?:ness)?|right|wrong|hits?|errors?)(?![a-z])", re.IGNORECASE
)
_LEAST = 0.5


def read_given(
    tables: GivenTables,
    named: GivenColumns,
    *,
    models: Sequence[str] | None = None,
    classes: Sequence[str] = (),
    positive: str | None = None,
    drop_unlabelled: bool = False,
    labels: bool = False,
    numbers: bool | None = None,
    values: Kind | None = None,
    missing: str | None = None,
) -> Observations:
    """Read predictions or numbers per row; missing items are "wrong", or "common" ones stay."""
    wide = tables.wide
    name = tables.name if wide is None else Path(wide.path).name
    parts = [
        (model, part)
        for model, file in tables.models.items()
        for part in by_run(dataclasses.replace(file, roles=named))
    ]
    asked = {model: file.asked for model, file in tables.models.items() if file.asked}
    if values is not None:
        may_lack = missing is not None
        files = [
            Observations.of_records(part, model, values=True, may_lack=may_lack)
            if wide is None
            else _of_table(part, models, values=True, may_lack=may_lack)
            for model, part in parts
        ]
        given = _of_numbers(name, files, values, missing, asked)
        told = (*tables.notes, *given.preparation)
        return dataclasses.replace(given, asked=asked, preparation=told)
    notes: list[str] = []
    lacked: Missing | None = None
    if wide is None:
        lacks = {"drop_unlabelled": drop_unlabelled, "may_lack": missing is not None}
        files = _of_files(parts, numbers, **lacks)
    else:
        how: Any = {"may_lack": drop_unlabelled, "may_lack_answers": missing is not None}
        how |= {"classes": classes, "positive": positive, "numbers": numbers}
        files = [_of_table(part, models, **how) for _, part in parts]
        one: Any = files[0].true
        if other := next((run for run in files[1:] if one.unlike(run.true).any()), None):
            text = f"{other.name}: training runs have other true labels of some rows"
            raise Problem(("columns", "seeds"), text)
    if missing is not None:
        files, lacked = _completed(_each_run(files), missing, None, asked)
    first = next((file for file in files if file.true is not None), None)
    if first is None:
        looked = listed([named.truth] if named.truth else USUAL["truth"])
        what = "numbers" if numbers else "labels"
        raise Problem(("columns", "truth"), f"no table holds the true {what} (looked for {looked})")
    true = first.labelled().true
    assert true is not None
    order = _order(true, classes, positive)
    sure = _is_sure(order, true, positive)
    if missing == "wrong" and any(_lacks(file).any() for file in files):
        if NO_ANSWER in order:
            text = f"wrong: a class is called {NO_ANSWER!r}, as missing labels are: rename it"
            raise Problem(("missing",), text)
        order = (*order, NO_ANSWER)
    given = paired(name, files, order, sure=sure)
    refuse_same_names(given.models)
    if not labels and (why := _why_unclear(given, named)):
        raise Problem(("values",), why)
    notes += given.preparation if positive is None else ()
    notes = [*tables.notes, *dict.fromkeys(n for file in files for n in file.preparation), *notes]
    return dataclasses.replace(given, preparation=tuple(notes), missing=lacked, asked=asked)


def _why_unclear(given: Observations, named: GivenColumns) -> str:
    """Say why predicted labels may rather tell which rows are right; empty if they do not."""
    classes = tuple(name for name in given.classes if name != NO_ANSWER)
    if classes not in _PAIRS:
        return ""
    called = [named.predicted or "", *given.models]
    marked = next((name for name in called if _MARK.search(name)), None)
    runs = (run for runs in given.models.values() for run in runs)
    if marked is None and any((run.answers == given.truth).mean() >= _LEAST for run in runs):
        return ""
    low, high = classes
    why = (
        "no model has the true label in half of the rows"
        if marked is None
        else f"{marked!r} is called like a mark of right rows"
    )
    return (
        f"true labels and predictions are {low} and {high}, and {why}: do they predict labels, or "
        f"does {high} say that a row is right? Give {setting('task', 'classification')}, or "
        f"{setting('values', 'right')}"
    )


def _of_table(
    file: Records,
    models: Sequence[str] | None,
    classes: Sequence[str] = (),
    positive: str | None = None,
    numbers: bool | None = None,
    *,
    values: bool = False,
    may_lack: bool = False,
    may_lack_answers: bool = False,
) -> Observations:
    """Observe what models say that are columns of a table in which each row is once."""
    truth, ids = file.find("truth"), file.find("id")
    true, claimed = None, [ids]
    if not values:
        truth = file.require("truth")
        if numbers is None:
            numbers = looks_like_a_quantity(file.column(truth))
        true = file.answers(truth, "truth", numbers=numbers, may_lack=may_lack)
        claimed.append(truth)
    elif truth is not None and models is None:
        raise Problem(
            ("models",),
            f"{file.path!r}: {truth!r} looks like the true labels, not like a model's numbers: "
            "name the columns of numbers",
        )
    rest = file.unclaimed(claimed)
    if models is None and (numbers or values) and (like := like_ids(file.table, rest)):
        raise Problem(
            ("models",),
            f"{file.path!r}: {like[0]!r} looks like an id, not like a model's numbers"
            f"{no_model(like[0])}",
        )
    order = () if true is None else _order(true, classes, positive)
    notes: tuple[str, ...] = ()
    # columns that are named stand alone
    if true is not None and order and (models is None or not set(models) <= set(rest)):
        sure = _is_sure(order, true, positive)
        file, notes = join_columns(file, rest, order, sure=sure)
        rest = file.unclaimed(claimed)
        if models is None:
            refuse_parts_of_models(file, rest, order)
    columns = _models_of(rest, order, models)
    if models is None and not numbers and not values:
        _refuse_features(file, [name for name in columns if name in rest], order)
    runs: dict[str, tuple[Predicted, ...]] = {}
    for column in columns:
        if values:
            numbers_of_rows = file.numbers(column, may_lack=may_lack, advice=without_missing())
            run = Predicted(values=numbers_of_rows, column=column)
        else:
            said = None
            if column in rest:
                said = file.answers(column, numbers=bool(numbers), may_lack=may_lack_answers)
            run = Predicted(said, column=column)
        model = run_of(column)[0]
        runs[model] = (*runs.get(model, ()), run)
    rows = Observations.of_rows(file, ids, true, runs, (*claimed, *columns))
    rows = dataclasses.replace(rows, preparation=notes)
    if true is not None and (n := len(runs)) < 2:
        raise UserError(
            f"{file.path!r} has {n} column{'s' if not n else ''} of predictions beside the "
            f"true labels in {truth!r}; comparing needs two: add a column, or give one table per "
            "model"
        )
    return rows


def _models_of(
    rest: Sequence[str], classes: Sequence[str], wanted: Sequence[str] | None
) -> list[str]:
    """Name the training runs in a table: its columns, and what has probabilities alone."""
    ends = tuple(f":{name}" for name in classes)
    runs: dict[str, dict[str, None]] = {}
    for column in rest:
        name, seed = run_of(column)
        model = name.rpartition(":")[0] if name.endswith(ends) else name
        runs.setdefault(model, {})[run_name(model, seed)] = None
    for name in wanted or ():
        if name not in runs:
            raise Problem(("models",), unknown("model", name, runs))
    models = runs if wanted is None else dict.fromkeys(wanted)
    return [run for model in models for run in runs[model]]


def _order(true: Answers, classes: Sequence[str], positive: str | None) -> tuple[str, ...]:
    """Return the classes of labels in order, with those that no row has; none of numbers."""
    if true.numbers:
        for key, given in (("classes", classes), ("positive", positive)):
            if given:
                raise Problem((key,), "numbers have no classes: leave it out")
        return ()
    named = [spelled_as(name, true.classes) for name in classes]
    if spellings := unclear_spellings(sorted({*true.classes, *named}), named):
        raise Problem(
            ("truth",),
            f"{said_of_spellings('the true labels', spellings, true.counts)}. Write each class in "
            "one way in the file; if these are different classes, list all of them, in `compare` "
            "by `--set classes=a,A,'a ',…`, in an experiment under `classes:`",
        )
    ordered = in_order({*true.classes, *named})
    return positive_last(ordered, positive, (), true.counts)


def _is_sure(order: Sequence[str], true: Answers, positive: str | None) -> bool:
    """Tell whether it is known which class is the positive one, and not only guessed."""
    if positive is not None:
        return True
    counts = {name: true.counts.get(name, 0) for name in order}
    return len(order) == 2 and positive_of(counts).sure


def _refuse_features(file: Records, names: Sequence[str], classes: Sequence[str]) -> None:
    """Refuse columns without a class or a probability among those that are taken for models."""
    models = [name for name in names if _predicts(file, name, classes)]
    strange = [name for name in names if name not in models]
    if strange and len(models) > 1:
        raise Problem(
            ("models",),
            f"{file.path!r}: {listed(strange)} {'is' if len(strange) == 1 else 'are'} no "
            f"model{'s' * (len(strange) > 1)}? There is no class ({some(sorted(classes))}) in it"
            f"{no_model(strange[0], ','.join(models))}",
        )


def _predicts(file: Records, column: str, classes: Sequence[str]) -> bool:
    """Tell whether a column holds a class, in whatever spelling, or probabilities."""
    if holds_probabilities(file, column, classes):
        return True
    labels = file.answers(column, may_lack=True)
    known = bool((labels.among(classes) >= 0).any())
    return known or bool(other_spellings(labels.classes, classes))


def _of_files(
    parts: Sequence[tuple[str, Records]],
    numbers: bool | None,
    *,
    drop_unlabelled: bool,
    may_lack: bool = False,
) -> list[Observations]:
    """Observe the training runs of models that have a table of predictions each."""
    files: list[Observations] = []
    for model, part in parts:
        # the truth may stand in one of the tables alone
        truth = part.roles.truth
        lacks = truth is not None and truth not in part.names and not truth.startswith(OURS)
        file = part.with_roles(truth=None) if lacks else part
        how = {"drop_unlabelled": drop_unlabelled, "may_lack": may_lack}
        run = Observations.of_records(file, model, numbers=bool(numbers), **how)
        if numbers is None and not lacks and run.true is not None:
            numbers = looks_like_a_quantity(file.column(file.require("truth")))
            if numbers:  # of the files before it too
                return _of_files(parts, True, **how)
        files.append(dataclasses.replace(run, true=None) if lacks else run)
    return files


def _completed(
    files: Sequence[Observations],
    missing: str,
    metric: Kind | None,
    asked: Mapping[str, Mapping[str, Asked]],
) -> tuple[list[Observations], Missing]:
    """Count items that a model lacks as wrong, or keep those that all models have; say how many."""
    of_labels = metric is None
    if missing == "wrong" and not isinstance(metric, str | Passing):
        _check_labels(files, of_labels=of_labels)
    marks = metric.marks if isinstance(metric, Passing) else metric
    parts = [file[np.flatnonzero(~_lacks(file))] for file in files]
    ids = [pd.Index(list(map(str, part.ids))) for part in parts]
    every: dict[str, Observations] = {}
    # of labels the row of a table with the truth stands for that of one without
    for part, present in sorted(zip(parts, ids, strict=True), key=lambda one: one[0].true is None):
        every = dict.fromkeys(present, part) | every
    lacking: dict[str, int] = {}
    wanted: dict[str, int] = {}
    for part, present in zip(parts, ids, strict=True):
        (model,) = part.models
        lacking[model] = lacking.get(model, 0) + len(every) - len(set(present))
        wanted[model] = wanted.get(model, 0) + len(every)
    shares = {
        model: max(n / wanted[model], lacking_share(asked.get(model, {})))
        for model, n in lacking.items()
    }
    common = set.intersection(*map(set, ids))
    compared = len(every) if missing == "wrong" else len(common)
    found = Missing(missing, len(every), lacking, shares, compared)
    if not any(lacking.values()):
        return parts, found
    if missing == "wrong":
        wrong = 0.0 if marks == "accuracy" else 1.0
        if of_labels and (bare := [one for one, part in every.items() if part.true is None]):
            text = f"wrong: {len(bare):,} rows have no true label in any table ({some(bare)})"
            raise Problem(("missing",), text)
        return [_with_rows(part, every, wrong) for part in parts], found
    if not common:
        raise Problem(("missing",), "common: no item is there for all models")
    kept = [
        part[np.flatnonzero(present.isin(common))] for part, present in zip(parts, ids, strict=True)
    ]
    return kept, found


def _with_rows(file: Observations, every: dict[str, Observations], wrong: float) -> Observations:
    """Add the rows that other files alone have, with the number that is wrong."""
    present = set(map(str, file.ids))
    lacking = {one: other for one, other in every.items() if one not in present}
    parts = [file]
    for other in {id(other): other for other in lacking.values()}.values():
        rows = [lacking.get(one) is other for one in map(str, other.ids)]
        parts.append(other[np.flatnonzero(rows)])
    ids = np.concatenate([part.ids for part in parts])
    tables = [part.records.table for part in parts]
    if file.only.values is None:
        tables = [_without_answers(part, file.records.names) for part in parts]
    table = pa.concat_tables(tables, promote_options="permissive")
    items = [part.items for part in parts if part.items is not None]
    trues = [part.true for part in parts if part.true is not None]
    return file.only_says(
        _with_wrong(file.only, len(ids), wrong),
        true=None if file.true is None else _one_below_the_other(trues),
        records=file.records.with_table(table),
        ids=ids,
        related={
            role: np.concatenate([part.related[role] for part in parts]) for role in file.related
        },
        items=np.concatenate(items) if items else None,
    )


def _each_run(files: Sequence[Observations]) -> list[Observations]:
    """Observe every training run of every model by itself."""
    return [
        dataclasses.replace(file, models={model: (run,)})
        for file in files
        for model, runs in file.models.items()
        for run in runs
    ]


def _lacks(file: Observations) -> NDArray[np.bool_]:
    """Tell in which rows the only model has no number, or no label, shape (n,)."""
    run = file.only
    if run.values is not None:
        return np.asarray(np.isnan(run.values))
    return np.zeros(len(file.ids), bool) if run.said is None else run.said.missing


def _check_labels(files: Sequence[Observations], *, of_labels: bool) -> None:
    """Refuse to count as wrong what is no label."""
    said = [file.only.said for file in files]
    if of_labels and any(one is None for one in said):
        raise Problem(
            ("missing",),
            "wrong: is for predicted labels, and a model has probabilities alone; "
            f"{setting('missing', 'common')} compares the rows that all models have",
        )
    if not of_labels or any(one is not None and one.numbers for one in said):
        raise Problem(
            ("missing",),
            f"wrong: which number is wrong? It is for labels and for {setting('values', 'right')}",
        )


def _without_answers(part: Observations, names: Collection[str]) -> pa.Table:
    """Return those columns that say something of the rows, not of a model, by some names."""
    roles = part.records.roles
    told = {"id", SAMPLE_ID, TASK, part.records.find("id"), part.records.find("truth")}
    told |= {roles.groups, roles.time, roles.runs}
    told |= {one.column for one in as_columns(roles.subgroups)}
    kept = [name for name in part.records.names if name in told and name in names]
    return part.records.table.select(kept)


def _with_wrong(run: Predicted, rows: int, wrong: float) -> Predicted:
    """Add wrong numbers, or missing labels, below what a model says, up to so many rows."""
    if run.values is not None:
        lacking = (0, rows - len(run.values))
        values = np.pad(run.values, lacking, constant_values=wrong)
        return dataclasses.replace(run, values=values)
    assert run.said is not None
    lacking = (0, rows - len(run.said.values))
    codes = np.pad(run.said.values, lacking, constant_values=-1)
    return Predicted(Answers(run.said.classes, codes), column=run.column)


def _one_below_the_other(trues: Sequence[Answers]) -> Answers:
    """Join labels, whose classes may differ."""
    classes = tuple(dict.fromkeys(name for true in trues for name in true.classes))
    return Answers(classes, np.concatenate([true.among(classes) for true in trues]))


def _of_numbers(
    name: str,
    files: Sequence[Observations],
    metric: Kind,
    missing: str | None,
    asked: Mapping[str, Mapping[str, Asked]],
) -> Observations:
    """Put the numbers of models side by side, and say what they mean."""
    lacked: Missing | None = None
    files = _each_run(files)
    if missing is not None:
        files, lacked = _completed(files, missing, metric, asked)
    if (n := len({model for file in files for model in file.models})) < 2:
        raise UserError(f"{name!r} has {n or 'no'} column of numbers; comparing needs two")
    notes = [*averages(files), *_unequal_runs(files, metric)]
    meaning = [meant(file, metric) for file in files]
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(meaning, metric):
        raise UserError(
            "every number is 0 or 1: do they say which rows are right? Then give "
            f"{setting('values', 'right')} (1 is right) or {setting('values', 'wrong')} (1 is "
            "wrong), and the test is McNemar's"
        )
    given = paired(name, meaning, RIGHT_OR_WRONG if isinstance(metric, str) else ())
    refuse_same_names(given.models)
    preparation = (*notes, *given.preparation)
    return dataclasses.replace(given, preparation=preparation, missing=lacked)


def _unequal_runs(files: Sequence[Observations], metric: Kind) -> list[str]:
    """Say that the items of models, which were run unequally often, count by their right runs."""
    runs = {next(iter(file.models)): len(file.ids) for file in files}
    if not isinstance(metric, Passing) or metric.k > 1 or len(set(runs.values())) == 1:
        return []
    counts = joined([f"{n:,} of {model}" for model, n in runs.items()])
    return [
        f"There are unequal numbers of runs ({counts}), so that each item counts by the share of "
        f"its runs that are right ({metric.label})."
    ]


def averages(files: Sequence[Observations]) -> list[str]:
    """Say of items of several tasks that scores are micro averages, and give the macro averages."""
    firsts: dict[str, Observations] = {}
    for file in files:
        firsts.setdefault(next(iter(file.models)), file)
    first = files[0].records
    if TASK not in first.names or TASK in (first.roles.groups, first.roles.runs):
        return []
    counts = first.column(TASK).nunique()
    if counts < 2:
        return []
    averages = []
    for model, file in firsts.items():
        tasks = file.records.column(TASK).astype(str)
        numbers = file.only.answers if file.only.values is None else file.only.values
        means = pd.Series(numbers).groupby(tasks).mean()
        each = ", ".join(f"{task} {mean:.3f}" for task, mean in means.items())
        averages.append(f"{model} {means.mean():.3f} ({each})")
    return [
        f"Scores are micro averages over {first.table.num_rows:,} items of {counts} tasks, which "
        f"weigh as many items as they have; macro averages over tasks: {'; '.join(averages)}."
    ]


def meant(file: Observations, metric: Kind) -> Observations:
    """Say what the numbers of a model mean: a metric of ours, or which rows are right."""
    if isinstance(metric, Passing):
        file = _passed(file, metric)
    values = file.only.values
    assert values is not None
    if isinstance(metric, GivenMetric):
        low, high = metric.limits
        wrong, what = (values < low) | (values > high), f"outside {low:g} to {high:g}"
    else:
        wrong = ~np.isin(values, (0, 1))
        what = f"that is neither 0 nor 1, as {metric} counts"
    if wrong.any():
        first = int(wrong.argmax())
        comma = "" if isinstance(metric, GivenMetric) else ","
        column = f"{comma} in column {file.only.column!r}" if file.only.column else ""
        advice = "" if isinstance(metric, GivenMetric) else _of_other_numbers()
        raise Problem(
            file.place,
            f"{file.name}: {wrong.sum():,} of {len(wrong):,} rows have a number {what}{column}; "
            f"the first is id {file.ids[first]} with {values[first]:g}{advice}",
        )
    if isinstance(metric, GivenMetric):
        return dataclasses.replace(file, true=Answers(("",), np.zeros(len(values), np.int32)))
    right = (values == RIGHT[metric]).astype(np.int32)
    true = Answers(RIGHT_OR_WRONG, np.ones(len(values), dtype=np.int32))
    return file.only_says(Predicted(Answers(RIGHT_OR_WRONG, right)), true=true)


def _of_other_numbers() -> str:
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


def _passed(file: Observations, metric: Passing) -> Observations:
    """Put in place of the runs of each item how often k of them pass."""
    right = meant(file, metric.marks).only.answers
    if file.items is None:
        raise Problem(
            (*file.place[:-1], "columns", "runs"),
            f"{file.name}: which column numbers the runs of an item, of which {metric.k} are "
            "drawn?",
        )
    items, first, at, runs = np.unique(
        file.items, return_index=True, return_inverse=True, return_counts=True
    )
    if (least := int(runs.min())) < metric.k:
        raise Problem(
            ("metrics", 0) if len(file.place) > 1 else ("k",),
            f"{file.name}: {metric.label} wants {metric.k} runs of each item, "
            f"{(runs < metric.k).sum():,} have fewer; the first is {items[runs.argmin()]} with "
            f"{least}",
        )
    kept, groups = file[first], pd.Series(at)
    constant = [
        name
        for name in file.records.names
        if file.records.column(name).groupby(groups).nunique().le(1).all()
    ]
    roles = file.records.roles
    for column in (roles.groups, roles.time, *(one.column for one in as_columns(roles.subgroups))):
        if column in file.records.names and column not in constant:
            text = f"{file.name}: {column!r} differs between runs of an item"
            raise Problem((*file.place[:-1], "columns"), text)
    numbers, names = pd.factorize(file.records.column(str(roles.runs)), sort=True)
    marks = np.full((len(items), len(names)), np.nan)
    marks[at, numbers] = right
    return kept.only_says(
        Predicted(values=share_passed(marks, metric), marks=marks),
        records=kept.records.with_table(kept.records.table.select(constant)),
        ids=items,
        # runs without groups of their own have their items for groups
        related={
            role: labels
            for role, labels in kept.related.items()
            if not np.array_equal(labels, [str(item) for item in items])
        },
        items=None,
    )


def share_passed(marks: NDArray[np.float64], metric: Passing) -> NDArray[np.float64]:
    """Return how often k runs of each item pass, of marks of shape (n, runs)."""
    from bakeoff.stats import pass_at, pass_hat  # all of statistics: for this alone

    estimate = pass_hat if metric.every else pass_at
    right = np.nansum(marks, axis=1).astype(int)
    return estimate(right, np.sum(~np.isnan(marks), axis=1), metric.k)


def may_be_right_or_wrong(files: Collection[Observations], metric: GivenMetric) -> bool:
    """Tell whether all values are 0 or 1 and no other range is declared."""
    firsts = [file.only.values for file in files if file.only.values is not None]
    ranged = isinstance(metric, Passing) or metric.limits not in ((-math.inf, math.inf), (0, 1))
    return bool(firsts) and not ranged and all(np.isin(values, (0, 1)).all() for values in firsts)

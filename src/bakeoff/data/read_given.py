"""Read what several models say of the same rows, from one table or from one table per model."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.data.columns import in_order
from bakeoff.data.describe_columns import like_ids
from bakeoff.data.file_columns import USUAL, Answers, Codes, Columns, Labels, Numbers
from bakeoff.data.given_predictions import carried, related
from bakeoff.data.given_tables import TASK, GivenTables, by_run
from bakeoff.data.predicted import (
    Predicted,
    SideBySide,
    as_subgroups,
    holds_probabilities,
    no_model,
    predicted,
)
from bakeoff.data.prediction_table import (
    LabelledRows,
    PredictionTable,
    check_same,
    items_of,
    like_groups,
    may_be_right_or_wrong,
    meant,
    relations,
    table_of,
    unclaimed,
    undeclared,
)
from bakeoff.data.target import looks_like_a_quantity, positive_last, positive_of
from bakeoff.errors import Place, Problem, Remedy, UserError, listed, some, unknown
from bakeoff.sources.common.subgroups import as_columns
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.row_columns import RowColumns
from bakeoff.spec.values import RIGHT_OR_WRONG, Kind


def models_of_columns(
    path: str, rest: Sequence[str], classes: Sequence[str], wanted: Sequence[str] | None
) -> list[str]:
    """Name the models of a table: its columns, and what has probabilities alone."""
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


_PAIRS = (("0", "1"), ("False", "True"))
_MARK = re.compile(
    r"(?<![a-z])(?:(?:in)?correct(?:ness)?|right|wrong|hits?|errors?)(?![a-z])", re.IGNORECASE
)
_LEAST = 0.5


def why_unclear(
    classes: Sequence[str], truth: Codes, predicted: Iterable[NDArray[np.integer]], names: list[str]
) -> str:
    """Say why predicted labels may rather tell which rows are right; empty if they do not."""
    if tuple(classes) not in _PAIRS:
        return ""
    marked = next((name for name in names if _MARK.search(name)), None)
    if marked is None and any((codes == truth).mean() >= _LEAST for codes in predicted):
        return ""
    low, high = classes
    why = (
        "no model has the true label in half of the rows"
        if marked is None
        else f"{marked!r} is called like a mark of right rows"
    )
    return (
        f"true labels and predictions are {low} and {high}, and {why}: do they predict labels, or "
        f"does {high} say that a row is right? Give `--task classification`, or `--values right`"
    )


_SUBGROUPS: Place = ("columns", "subgroups")
Runs = dict[str, list[PredictionTable]]
"""The table of each training run of each model; a model that was trained once has one."""


def read_given(
    tables: GivenTables,
    columns: GivenColumns,
    *,
    models: Sequence[str] | None = None,
    classes: Sequence[str] = (),
    positive: str | None = None,
    drop_unlabelled: bool = False,
    labels: bool = False,
    numbers: bool | None = None,
    values: Kind | None = None,
    missing: str | None = None,
) -> SideBySide:
    """Read the predictions, or the numbers per row, of several models.

    `missing` says what becomes of items that not all models have: ``"wrong"`` or ``"common"``.
    """
    name = tables.name if tables.wide is None else Path(tables.wide.path).name
    if values is not None:
        found = _numbers_of(tables, columns, models, may_lack=missing is not None)
        told: list[str] = []
        if missing is not None:
            found, told = _completed(found, missing, values)
        given = _of_numbers(name, found, values, columns)
        return dataclasses.replace(given, told=(*told, *_averages(given, found, columns)))
    if tables.wide is None:
        found = _of_files(tables, columns, numbers, drop_unlabelled=drop_unlabelled)
        told = []
        if missing is not None:
            found, told = _completed(found, missing, None)
    elif missing is not None:
        raise Problem(("missing",), "is for one table per model, or numbers per row (values)")
    else:
        told = []
        how = models, classes, positive, drop_unlabelled, numbers
        found = _by_model(
            [_of_columns(part, columns, *how) for _, part in by_run(tables.wide, columns)]
        )
    first = next((runs[0] for runs in found.values() if runs[0].true is not None), None)
    if first is None:
        looked = listed([columns.true] if columns.true else USUAL["true"])
        what = "numbers" if numbers else "labels"
        raise Problem(("columns", "true"), f"no table holds the true {what} (looked for {looked})")
    true = LabelledRows.of(first).labels
    order = _order(true, classes, positive)
    sure = positive is not None or (len(order) == 2 and positive_of(_counts(true, order)).sure)
    given = _paired(name, found, order, columns, sure=sure)
    given = dataclasses.replace(given, told=tuple(told))
    if labels:
        return given
    said = (one.answers for runs in given.runs.values() for one in runs)
    names = [columns.predicted or "", *given.models]
    if why := why_unclear(given.classes, given.truth, said, names):
        raise Problem(("values",), why)
    return given


def _by_model(runs: Sequence[Mapping[str, PredictionTable]]) -> Runs:
    """Sort the models of each training run by model; all runs have the same true labels."""
    first: Any = next(iter(runs[0].values())).true
    for other in runs[1:]:
        file = next(iter(other.values()))
        if first is not None and first.unlike(file.true).any():
            raise Problem(
                ("columns", "seed"),
                f"{file.path!r}: training runs have other true labels of some rows",
            )
    return {model: [run[model] for run in runs] for model in runs[0]}


def _of_columns(
    file: Columns,
    columns: GivenColumns,
    models: Sequence[str] | None,
    classes: Sequence[str],
    positive: str | None,
    drop_unlabelled: bool,
    numbers: bool | None,
) -> dict[str, PredictionTable]:
    """Take the predictions of models from the columns of a table in which each row is once."""
    path = file.path
    truth = file.find("true", columns)
    if truth is None:
        raise Problem(
            ("columns", "true"),
            f"{path!r}: which column holds the true labels? There are {', '.join(file.names)}",
        )
    name, ids, related = _rows_of(file, columns)
    if numbers is None:
        numbers = looks_like_a_quantity(file.table[truth].to_pandas())
    true = file.answers(truth, "true", numbers=numbers, may_lack=drop_unlabelled)
    rest = unclaimed(file, columns, (truth, name))
    if numbers and models is None:
        _refuse_ids(file, rest)
    order = _order(true, classes, positive)
    found = models_of_columns(path, rest, order, models)
    if models is None and not numbers:
        _refuse_features(file, [name for name in found if name in rest], order)
    if (n := len({run_of(name)[0] for name in found})) < 2:
        raise UserError(
            f"{path!r} has {n} column{'s' if not n else ''} of predictions beside the "
            f"true labels in {truth!r}; comparing needs two: add a column, or give one table per "
            "model"
        )
    like = () if related else like_groups(file, columns, (truth, name, *found))
    return {
        model: PredictionTable(
            *(file, ids, true),
            file.answers(model, numbers=numbers) if model in rest else None,
            related,
            like_groups=like,
            model=model,
        )
        for model in found
    }


def _rows_of(
    file: Columns, columns: GivenColumns
) -> tuple[str | None, NDArray[Any], dict[str, NDArray[Any]]]:
    """Return the column of ids, the ids or else the numbers of the rows, and groups or times."""
    name = file.find("id", columns)
    rows = np.arange(1, file.table.num_rows + 1)
    ids = rows if name is None else file.ids(name, file.related("run", columns))
    return name, ids, relations(file, columns, name)


def _order(true: Answers, classes: Sequence[str], positive: str | None) -> tuple[str, ...]:
    """Return the classes of labels in order, with those that no row has; none of numbers."""
    if isinstance(true, Numbers):
        for key, given in (("classes", classes), ("positive", positive)):
            if given:
                raise Problem((key,), "numbers have no classes: leave it out")
        return ()
    ordered = in_order({*true.classes, *classes})
    return positive_last(ordered, positive, (), true.counts)


def _counts(true: Answers, order: Sequence[str]) -> dict[str, int]:
    counts = true.counts if isinstance(true, Labels) else {}
    return {name: counts.get(name, 0) for name in order}


def _refuse_features(file: Columns, names: Sequence[str], classes: Sequence[str]) -> None:
    """Refuse columns without a class or a probability among those that are taken for models."""
    known = {
        name: holds_probabilities(file, name, classes)
        or bool((file.labels(name, may_lack=True).among(classes) >= 0).any())
        for name in names
    }
    strange = [name for name, is_known in known.items() if not is_known]
    models = [name for name in names if known[name]]
    if strange and len(models) > 1:
        related = f"; where rows of one value belong together, `--groups {strange[0]}` says so"
        raise Problem(
            ("models",),
            f"{file.path!r}: {listed(strange)} {'is' if len(strange) == 1 else 'are'} no "
            f"model{'s' * (len(strange) > 1)}? There is no class ({some(sorted(classes))}) in it",
            remedy=Remedy("models", ",".join(models), f"; {{}} compares the others{related}"),
        )


def _refuse_ids(file: Columns, rest: Sequence[str]) -> None:
    """Refuse a column that looks like an id among those that are taken for models."""
    if ids_of := like_ids(file.table, rest):
        raise Problem(
            ("models",),
            f"{file.path!r}: {ids_of[0]!r} looks like an id, not like a model's numbers",
            remedy=no_model(ids_of[0]),
        )


def _of_files(
    tables: GivenTables, columns: GivenColumns, numbers: bool | None, *, drop_unlabelled: bool
) -> Runs:
    """Read one table of predictions per model."""
    found: Runs = {}
    for model, whole in tables.models.items():
        # the truth may stand in one of the tables alone
        lacks = columns.true is not None and columns.true not in whole.names
        own = columns.model_copy(update={"true": None}) if lacks else columns
        how = {"drop_unlabelled": drop_unlabelled, "numbers": bool(numbers)}
        runs = [table_of(part, own, whole.place, **how) for _, part in by_run(whole, columns)]
        if numbers is None and not lacks and runs[0].true is not None:
            truth = runs[0].columns.table[runs[0].columns.find("true", own)]
            numbers = looks_like_a_quantity(truth.to_pandas())
            if numbers:  # of the files before it too
                return _of_files(tables, columns, True, drop_unlabelled=drop_unlabelled)
        found[model] = [dataclasses.replace(file, true=None) if lacks else file for file in runs]
    return found


def _completed(tables: Runs, missing: str, metric: Kind | None) -> tuple[Runs, list[str]]:
    """Count items that a model lacks as wrong, or keep those that all models have; say how many."""
    if missing == "wrong" and not isinstance(metric, str | Passing):
        raise Problem(("missing",), "wrong: which number is wrong? It is for `--values right`")
    marks = metric.marks if isinstance(metric, Passing) else metric
    wrong = 0.0 if marks == "accuracy" else 1.0
    tables = {model: [_present(run) for run in runs] for model, runs in tables.items()}
    every: dict[str, PredictionTable] = {}
    for run in (run for runs in tables.values() for run in runs):
        for one in run.ids:
            every.setdefault(str(one), run)
    found: Runs = {}
    lacking: dict[str, int] = {}
    for model, runs in tables.items():
        own = [set(map(str, run.ids)) for run in runs]
        lacking[model] = sum(len(every) - len(ids) for ids in own)
        if missing == "wrong":
            found[model] = [
                _with_rows(run, [i for i in every if i not in ids], every, wrong)
                for run, ids in zip(runs, own, strict=True)
            ]
    short = [f"{n:,} of {model}" for model, n in lacking.items() if n]
    if not short:
        return tables, []
    if missing == "wrong":
        said = f"Missing items are counted as wrong: {', '.join(short)} (of {len(every):,})."
        return found, [said]
    all_of = [set(map(str, run.ids)) for runs in tables.values() for run in runs]
    common = set.intersection(*all_of)
    if not common:
        raise Problem(("missing",), "common: no item is there for all models")
    kept = {
        model: [run[np.flatnonzero([str(i) in common for i in run.ids])] for run in runs]
        for model, runs in tables.items()
    }
    said = f"{len(common):,} of {len(every):,} items are compared, which all models have"
    return kept, [f"{said}; missing are {', '.join(short)}."]


def _present(run: PredictionTable) -> PredictionTable:
    """Return the rows with a number."""
    if run.values is None or not np.isnan(run.values).any():
        return run
    return run[np.flatnonzero(~np.isnan(run.values))]


def _with_rows(
    run: PredictionTable, lacking: list[str], known: Mapping[str, PredictionTable], wrong: float
) -> PredictionTable:
    """Add rows that other tables have, with the number that is wrong."""
    parts, values = [run], [run.values]
    for other in {id(known[one]): known[one] for one in lacking}.values():
        wanted = {one for one in lacking if known[one] is other}
        part = other[np.flatnonzero([str(i) in wanted for i in other.ids])]
        parts.append(part)
        values.append(np.full(len(part.ids), wrong))
    tables = [part.columns.table for part in parts]
    roles = {role: [part.related[role] for part in parts] for role in run.related}
    return dataclasses.replace(
        run,
        columns=dataclasses.replace(
            run.columns, table=pa.concat_tables(tables, promote_options="permissive")
        ),
        ids=np.concatenate([part.ids for part in parts]),
        values=np.concatenate([one for one in values if one is not None]),
        related={role: np.concatenate(own) for role, own in roles.items()},
        items=None
        if run.items is None
        else np.concatenate([part.items for part in parts if part.items is not None]),
    )


def _averages(given: SideBySide, tables: Runs, columns: GivenColumns) -> list[str]:
    """Say of items of several tasks that scores are micro averages, and give the macro averages."""
    first = next(iter(tables.values()))[0]
    if TASK not in first.columns.names or TASK in (columns.group, columns.run):
        return []
    tasks = pd.Series(first.columns.table[TASK].to_pandas()).astype(str)
    told = []
    for model, (run, *_) in tables.items():
        own = pd.Series(run.columns.table[TASK].to_pandas()).astype(str)
        means = pd.Series(run.values).groupby(own).mean()
        each = ", ".join(f"{task} {mean:.3f}" for task, mean in means.items())
        told.append(f"{model} {means.mean():.3f} ({each})")
    if tasks.nunique() < 2:
        return []
    return [
        f"Scores are micro averages over {len(tasks):,} items of {tasks.nunique()} tasks, which "
        f"weigh as many items as they have; macro averages over tasks: {'; '.join(told)}."
    ]


def _numbers_of(
    tables: GivenTables, columns: GivenColumns, models: Sequence[str] | None, *, may_lack: bool
) -> Runs:
    """Read the numbers of models, from the columns of one table or from one table per model."""
    if tables.wide is not None:
        parts = by_run(tables.wide, columns)
        found = [_numbers_in(part, columns, models, may_lack=may_lack) for _, part in parts]
        return _by_model(found) if found[0] else {}
    return {
        model: [
            table_of(part, columns, file.place, values=True, may_lack=may_lack)
            for _, part in by_run(file, columns)
        ]
        for model, file in tables.models.items()
    }


def _numbers_in(
    file: Columns, columns: GivenColumns, models: Sequence[str] | None, *, may_lack: bool
) -> dict[str, PredictionTable]:
    """Take the numbers of models from the columns of a table in which each row is once."""
    name, ids, related = _rows_of(file, columns)
    truth = file.find("true", columns)
    if truth is not None and models is None:
        raise Problem(
            ("models",),
            f"{file.path!r}: {truth!r} looks like the true labels, not like a model's numbers: "
            "name the columns of numbers",
        )
    rest = unclaimed(file, columns, (name,))
    if models is None:
        _refuse_ids(file, rest)
    found = models_of_columns(file.path, rest, (), models)
    like = () if related else like_groups(file, columns, (name, *found))
    return {
        model: PredictionTable(
            *(file, ids, None, None, related),
            values=file.numbers(model, ids, may_lack=may_lack),
            like_groups=like,
            items=items_of(file, columns),
        )
        for model in found
    }


def _of_numbers(name: str, tables: Runs, metric: Kind, columns: GivenColumns) -> SideBySide:
    if (n := len({run_of(model)[0] for model in tables})) < 2:
        raise UserError(f"{name!r} has {n or 'no'} column of numbers; comparing needs two")
    found = {model: [meant(run, metric, columns) for run in runs] for model, runs in tables.items()}
    firsts = [runs[0] for runs in found.values()]
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(firsts, metric):
        raise UserError(
            "every number is 0 or 1: do they say which rows are right? Then give `--values right` "
            "(1 is right) or `--values wrong` (1 is wrong), and the test is McNemar's"
        )
    return _paired(name, found, RIGHT_OR_WRONG if isinstance(metric, str) else (), columns)


def _paired(
    name: str,
    tables: Runs,
    classes: tuple[str, ...],
    columns: GivenColumns,
    *,
    sure: bool = False,
) -> SideBySide:
    """Put models side by side, in the rows of the first table with true labels."""
    firsts = {model: runs[0] for model, runs in tables.items()}
    rows = LabelledRows.of(next(file for file in firsts.values() if file.true is not None))
    # the columns of one table share their ids: its rows are looked up once
    files = {id(run.ids): run for runs in tables.values() for run in runs}
    places = {key: check_same(rows, file) for key, file in files.items()}

    def said(file: PredictionTable) -> Predicted:
        return predicted(file, places[id(file.ids)], classes, columns, sure=sure)

    several = any(len(runs) > 1 for runs in tables.values())
    wanted = RowColumns(as_columns(columns.subgroups))
    return SideBySide(
        name,
        classes,
        rows.labels.among(classes),
        {model: said(file) for model, file in firsts.items()},
        len(rows.left_out),
        related(rows, files.values()),
        subgroups=as_subgroups(carried(wanted, _SUBGROUPS, rows, files.values())),
        like_groups=undeclared(firsts.values()),
        further={m: [*map(said, runs[1:])] for m, runs in tables.items()} if several else {},
    ).by_model()

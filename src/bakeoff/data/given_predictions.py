"""Predictions of externally trained models, matched to the test rows by row id."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.columns import bare_words, canonical_ids, in_order
from bakeoff.data.file_columns import USUAL, Labels
from bakeoff.data.given_splits import given_splits
from bakeoff.data.predicted import Predicted, predicted
from bakeoff.data.prediction_table import (
    HeldModel,
    LabelledRows,
    PredictionTable,
    check_same,
    may_be_right_or_wrong,
    read_predictions,
    read_values,
    undeclared,
)
from bakeoff.data.row_columns import carry
from bakeoff.data.split_files import Split
from bakeoff.data.splits import make_splits
from bakeoff.data.table import GROUP, ROW_ID, TARGET, TIME, Table, load_table
from bakeoff.data.target import Quantity, Target, check_spread, positive_last, target_of
from bakeoff.errors import Place, Problem, listed, some, unknown
from bakeoff.keys import name_of
from bakeoff.sources.common.identifiers import to_frame
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.row_columns import RowColumns, row_columns
from bakeoff.spec.values import RIGHT_OR_WRONG

_COLUMNS = {"group": GROUP, "time": TIME}


def load_given(name: str, experiment: Experiment) -> Table:
    """Make the table of a data set without a source from the predictions."""
    spec = experiment.datasets[name]
    assert isinstance(spec, GivenData)
    plans = experiment.resampling.plans()
    files = {
        model: _read(model, experiment, name).once()
        for model, given in experiment.given.items()
        if given.on_test_rows and any(map(experiment.on_rows, plans))
    }
    metric = experiment.measured[0]
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(files.values(), metric):
        raise Problem(
            ("metrics", 0),
            "every number is 0 or 1: do they say which rows are right? Then write `- accuracy` (1 "
            "is right) or `- error` (1 is wrong), and the tests are McNemar's; where other numbers "
            "could have occurred, say which: `range: [0, 5]`",
        )
    first = next((file for file in files.values() if file.true is not None), None)
    if files and first is None:
        raise Problem(
            ("datasets", name),
            f"none of the files names the true {'numbers' if experiment.task.numbers else 'labels'}"
            f" (looked for {listed(USUAL['true'])}): add them to one at least, or say which column "
            "it is",
        )
    if first is None:
        nothing = Labels((), np.array([], np.int32))
        rows = LabelledRows(np.array([], dtype=object), nothing, "")
    else:
        rows = LabelledRows.of(first)
    for file in files.values():
        check_same(rows, file)
    classes: tuple[str, ...] = ()
    if experiment.with_values:
        classes = () if experiment.by_values else RIGHT_OR_WRONG
    elif isinstance(rows.labels, Labels) and files:
        classes = _classes(rows.labels, spec, ("datasets", name))
    truth: NDArray[Any] = rows.labels.among(classes)
    target = target_of(classes, truth)
    if isinstance(target, Quantity):
        check_spread(truth, ("datasets", name))
    kin = {_COLUMNS[role]: values for role, values in related(rows, files.values()).items()}
    frame = pd.DataFrame({ROW_ID: rows.ids, TARGET: target.stored(truth), **kin})
    files_of = experiment.given_files(name)
    card = given_card(name, spec, files_of, target, truth, len(rows.left_out))
    card["group_columns"] = undeclared(files.values())
    by = next((m for m, given in experiment.given.items() if given.columns.subgroups), "")
    place = ("models", by, "columns", "subgroups")
    along = carried(row_columns(experiment, name), place, rows, files.values())
    return Table(frame, target, along, lambda _: card)


def carried(
    wanted: RowColumns, place: Place, rows: LabelledRows, files: Collection[PredictionTable]
) -> pd.DataFrame:
    """Take the columns of subgroups and metrics from the first file that has them."""
    found = pd.DataFrame()
    names = {one.column for one in wanted.subgroups} | set(wanted.taken)
    for file in files:
        there = file.columns.table
        for column in sorted(names & set(there.column_names)):
            own = to_frame(there.select([column]))[column]
            values = own.iloc[check_same(rows, file)].reset_index(drop=True)
            if column in found and not found[column].equals(values):
                raise Problem(
                    file.columns.place,
                    f"{file.path!r} has other values of {column!r} than the files before it",
                )
            found[column] = values
    there = sorted({column for file in files for column in file.columns.names})
    paths = list(dict.fromkeys(repr(file.path) for file in files))
    where = f"{paths[0]}: " if len(paths) == 1 else ""
    for i, one in enumerate(wanted.subgroups):
        if one.column not in found:
            raise Problem((*place, i), where + unknown("column", one.column, there))
    return carry(found, wanted, place)


def related(rows: LabelledRows, files: Collection[PredictionTable]) -> dict[str, NDArray[Any]]:
    """Take the groups or times that files name."""
    found: dict[str, NDArray[Any]] = {}
    for file in files:
        for role, own in file.related.items():
            at = (*file.columns.place[:-1], "columns", role)
            values = own[check_same(rows, file)]
            if role in found and not np.array_equal(found[role], values):
                raise Problem(
                    at, f"{file.path!r} has another {role} for some rows than the files before it"
                )
            found[role] = values
    if len(found) == 2:
        first = next(iter(files)).columns.place[:-1]
        raise Problem(
            (*first, "columns", "time"), "group and time cannot be combined: keep one of them"
        )
    return found


def _read(model: str, experiment: Experiment, dataset: str, seed: int = 1) -> PredictionTable:
    given, spec = experiment.given[model], experiment.datasets[dataset]
    if isinstance(given, HeldModel):
        return given.table
    path, run = given.predictions_on(dataset, seed=seed), (seed, given.seeds)
    if given.values is not None:
        place = ("models", model, "values")
        return read_values(path, given.columns, place, experiment.measured[0], run, given.model)
    drop = isinstance(spec, GivenData) and spec.missing_target == "drop"
    place = ("models", model, "predictions" if given.results is None else "results")
    how = {"drop_unlabelled": drop, "numbers": experiment.task.numbers}
    named = given.model if given.results is None else None
    return read_predictions(path, given.columns, place, **how, run=run, model=named)


def load(name: str, experiment: Experiment) -> Table:
    """Load a data set from its source or, without one, from the models' predictions."""
    spec = experiment.datasets[name]
    if isinstance(spec, GivenData):
        return load_given(name, experiment)
    roles = experiment.resampling.given_by, row_columns(experiment, name)
    numbers = experiment.task.numbers
    return load_table(
        name, spec, experiment.seed, *roles, experiment.validation_column, numbers=numbers
    )


def divide(dataset: str, experiment: Experiment, table: Table, plan: str) -> pd.DataFrame:
    """Make the divisions of a plan; those of given rows are in the files of predictions."""
    spec, data = experiment.resampling.plans()[plan], experiment.datasets[dataset]
    if isinstance(data, GivenData):
        first = next(iter(experiment.given))
        return given_splits(_read(first, experiment, dataset), table, plan, spec)
    return make_splits(dataset, table, plan, spec, experiment.seed)


def rows_of(fit: Fit, table: Table, split: Split) -> LabelledRows:
    """Name the test rows of a data set."""
    ids = canonical_ids(table.frame[ROW_ID].iloc[split.test])
    labels = table.target.column(table.answers[split.test])
    where = "" if fit.plan == "holdout" else f", repeat {fit.repeat}, fold {fit.fold},"
    return LabelledRows(ids, labels, f"the test set{where} of {fit.dataset}")


def predictions_of(fit: Fit, experiment: Experiment, table: Table, split: Split) -> Predicted:
    """Read the predictions of a given model for the test rows of one division."""
    given, spec = experiment.given[fit.model], experiment.datasets[fit.dataset]
    file = _read(fit.model, experiment, fit.dataset, fit.seed).fold(fit.repeat, fit.fold)
    rows = rows_of(fit, table, split)
    if isinstance(spec, GivenData):
        # all others of a test set have no label, as `load_given` has proved; a fold's may differ
        row_ids = canonical_ids(table.frame[ROW_ID])
        unknown = file.ids[~np.isin(file.ids, row_ids)] if given.by_folds else file.ids
        rows = dataclasses.replace(rows, left_out=unknown)
    return predicted(file, check_same(rows, file), table.classes, given.columns)


def _classes(labels: Labels, spec: GivenData, place: Place) -> tuple[str, ...]:
    """Order the classes: as the experiment says, or sorted (2 before 10), the positive one last."""
    present = sorted(name for name, n in labels.counts.items() if n)
    if spec.classes is not None:
        ordered = [name_of(name) for name in spec.classes]
        repeated = next((name for i, name in enumerate(ordered) if name in ordered[:i]), None)
        if repeated is not None:
            raise Problem((*place, "classes"), f"class {repeated!r} appears twice")
        lacking = [name for name in present if name not in ordered]
        if lacking:
            read = [name for name in spec.classes if isinstance(name, bool)]
            hint = f"; {bare_words(read[0])}" if read else ""
            raise Problem(
                (*place, "classes"),
                f"true labels that are not listed: {some(lacking)} (listed: {some(ordered)}){hint}",
            )
        if spec.positive is None:
            return tuple(ordered)
    else:
        ordered = in_order(present)
    if len(ordered) < 2:
        raise Problem(
            place, f"all true labels are {ordered[0]!r}; name the other classes in `classes:`"
        )
    return positive_last(ordered, spec.positive, place, labels.counts)


def given_card(
    name: str,
    spec: GivenData,
    files: Mapping[str, Sequence[str]],
    target: Target,
    truth: NDArray[Any],
    left_out: int = 0,
) -> dict[str, Any]:
    """Return the card of a data set that consists of predictions or scores."""
    return {
        "dataset": name,
        "label": spec.label or name,
        "source": {"source": "given", "files": files},
        "licence": spec.licence,
        "rows": len(truth),
        **target.described(truth),
        "rows_dropped_without_target": left_out,
        "group_columns": [],
        "features": {},
        "missing_cells": 0,
        "duplicate_rows": 0,
        "near_duplicate_rows": 0,
        "pairs_by_chance": 0.0,
        "near_pairs_by_chance": 0.0,
    }

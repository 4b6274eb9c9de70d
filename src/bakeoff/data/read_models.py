"""Read the predictions of several models, from one table or from one table per model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.columns import in_order
from bakeoff.data.file_columns import USUAL, Answers, Columns, Numbers
from bakeoff.data.given_predictions import carried
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.group_columns import like_ids
from bakeoff.data.model_names import models_of_columns
from bakeoff.data.predicted import Predicted, known_answers, no_model, predicted, probabilities_in
from bakeoff.data.prediction_table import (
    PredictionTable,
    like_groups,
    relations,
    table_of,
    unclaimed,
    undeclared,
)
from bakeoff.data.row_columns import carry
from bakeoff.data.same_rows import LabelledRows, check_same
from bakeoff.data.side_by_side import SideBySide, as_subgroups
from bakeoff.data.target import looks_like_a_quantity
from bakeoff.data.training_runs import by_run
from bakeoff.data.zero_one import why_unclear
from bakeoff.errors import Place, Problem, UserError, listed, unknown
from bakeoff.sources.common.subgroups import as_columns
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.row_columns import RowColumns

NONE_FURTHER: Mapping[str, Sequence[PredictionTable]] = MappingProxyType({})
_SUBGROUPS: Place = ("columns", "subgroups")
_OF_MODEL = "{model}:" + CLASS  # as the workflow collects probabilities


def read_wide(
    table: Columns,
    columns: GivenColumns,
    *,
    models: Sequence[str] | None = None,
    classes: Sequence[str] = (),
    drop_unlabelled: bool = False,
    labels: bool = False,
    numbers: bool | None = None,
) -> SideBySide:
    """Read one table that holds the true label and one column of predictions per model.

    A model without a column of labels may have a column ``model:class`` of probabilities for each
    class.

    Parameters
    ----------
    table : Columns
        The table.
    columns : GivenColumns
        Which columns hold ids and true labels, where not the usual ones.
    models : sequence of str, optional
        Which columns to compare; default: all others.
    classes : sequence of str
        Classes that no row has.
    drop_unlabelled : bool
        Whether rows without a true label are left out, or refused.
    labels : bool
        Whether 0 and 1 are known to be labels, and not marks of right rows.
    numbers : bool, optional
        Whether numbers are true and predicted, and not classes; default: as the truth looks.

    Raises
    ------
    Problem, UserError
        A column that is not there, missing values, labels that are no class, or that may be none.
    """
    how = models, classes, drop_unlabelled, numbers
    files = [part for _, part in by_run(table, columns)]
    given, *others = (_of_table(file, columns, *how) for file in files)
    for other in others:
        if not np.array_equal(given.truth, other.truth) or given.classes != other.classes:
            raise Problem(
                ("columns", "seed"),
                f"{table.path!r}: training runs have other true labels of some rows",
            )
    given = given.with_runs(others)
    return given if labels else _clear(given, [*given.models])


def _of_table(
    file: Columns,
    columns: GivenColumns,
    models: Sequence[str] | None,
    classes: Sequence[str],
    drop_unlabelled: bool,
    numbers: bool | None,
) -> SideBySide:
    """Take the models of one table in which every row is there once."""
    path = file.path
    truth = file.find("true", columns)
    if truth is None:
        raise Problem(
            ("columns", "true"),
            f"{path!r}: which column holds the true labels? There are {', '.join(file.names)}",
        )
    ids = file.find("id", columns)
    if ids is not None:
        file.ids(ids, file.related("run", columns))
    related = relations(file, columns, ids)
    if numbers is None:
        numbers = looks_like_a_quantity(file.table[truth].to_pandas())
    true = file.answers(truth, "true", numbers=numbers, may_lack=drop_unlabelled)
    labelled = np.flatnonzero(~true.missing)
    order = _order(true, classes)
    rest = unclaimed(file, columns, (truth, ids))
    if numbers and models is None:
        refuse_ids(file, rest)
    found = {
        model: _taken(file, model, rest, order, labelled, numbers=numbers)
        for model in models_of_columns(path, rest, order, models)
    }
    if len(found) < 2:
        raise UserError(
            f"{path!r} has {len(found)} column{'s' if not found else ''} of predictions beside the "
            f"true labels in {truth!r}; comparing needs two: add a column, or give one table per "
            "model"
        )
    left_out = len(true) - len(labelled)
    kept = {role: values[labelled] for role, values in related.items()}
    answers, subgroups = true.among(order)[labelled], _subgroups_of_table(file, columns, labelled)
    name = Path(path).name
    like = () if related else like_groups(file, columns, (truth, ids, *found))
    return SideBySide(
        name, order, answers, found, left_out, kept, subgroups=subgroups, like_groups=like
    )


def _order(true: Answers, classes: Sequence[str]) -> tuple[str, ...]:
    """Return the classes of labels in order, with those that no row has; none of numbers."""
    if isinstance(true, Numbers) and classes:
        raise Problem(("classes",), "numbers have no classes: leave it out")
    return tuple(in_order({*true.classes, *classes}))


def refuse_ids(file: Columns, rest: Sequence[str]) -> None:
    """Refuse a column that looks like an id among those that are taken for models."""
    if ids_of := like_ids(file.table, rest):
        raise Problem(
            ("models",),
            f"{file.path!r}: {ids_of[0]!r} looks like an id, not like a model's numbers",
            remedy=no_model(ids_of[0]),
        )


def _subgroups_of_table(
    file: Columns, columns: GivenColumns, known: NDArray[np.intp]
) -> dict[str, pd.Categorical]:
    """Take the subgroups of the known rows of one table."""
    wanted = as_columns(columns.subgroups)
    names = [one.column for one in wanted]
    for i, name in enumerate(names):
        if name not in file.names:
            raise Problem((*_SUBGROUPS, i), f"{file.path!r}: {unknown('column', name, file.names)}")
    frame = file.table.select(names).to_pandas().iloc[known].reset_index(drop=True)
    return as_subgroups(carry(frame, RowColumns(wanted), _SUBGROUPS))


def read_each(
    tables: GivenTables,
    columns: GivenColumns,
    *,
    classes: Sequence[str] = (),
    drop_unlabelled: bool = False,
    labels: bool = False,
    numbers: bool | None = None,
) -> SideBySide:
    """Read one table per model, paired by row id; see `read_wide`.

    Raises
    ------
    Problem, UserError
        Other rows or other true labels in one of them; no true labels in any.
    """
    files, further = {}, {}
    for model, whole in tables.models.items():
        # the truth may stand in one of the tables alone
        lacks = columns.true is not None and columns.true not in whole.names
        own = columns.model_copy(update={"true": None}) if lacks else columns
        how = {"drop_unlabelled": drop_unlabelled, "numbers": bool(numbers)}
        runs = [table_of(part, own, whole.place, **how) for _, part in by_run(whole, columns)]
        if numbers is None and not lacks and runs[0].true is not None:
            numbers = _looks_like_a_quantity(runs[0], own)
            if numbers:  # of the files before it too
                return read_each(
                    tables,
                    columns,
                    classes=classes,
                    drop_unlabelled=drop_unlabelled,
                    numbers=True,
                )
        files[model], *further[model] = (
            dataclasses.replace(file, true=None) if lacks else file for file in runs
        )
    first = next((file for file in files.values() if file.true is not None), None)
    if first is None:
        looked = listed([columns.true] if columns.true else USUAL["true"])
        what = "numbers" if numbers else "labels"
        raise Problem(("columns", "true"), f"no table holds the true {what} (looked for {looked})")
    order = _order(LabelledRows.of(first).labels, classes)
    given = paired(tables.name, files, order, columns, further)
    return given if labels else _clear(given, [columns.predicted or "", *given.models])


def _looks_like_a_quantity(file: PredictionTable, columns: GivenColumns) -> bool:
    truth = file.columns.find("true", columns)
    return looks_like_a_quantity(file.columns.table[truth].to_pandas())


def paired(
    name: str,
    files: Mapping[str, PredictionTable],
    classes: tuple[str, ...],
    columns: GivenColumns,
    further: Mapping[str, Sequence[PredictionTable]] = NONE_FURTHER,
) -> SideBySide:
    """Put one table per model side by side, in the rows of the first with true labels.

    `further` are the tables of further training runs.
    """
    rows = LabelledRows.of(next(file for file in files.values() if file.true is not None))
    places = {model: check_same(rows, file) for model, file in files.items()}
    found = {
        model: predicted(file, places[model], classes, columns) for model, file in files.items()
    }
    related = {
        role: values[places[model]]
        for model, file in files.items()
        for role, values in file.related.items()
    }
    wanted = RowColumns(as_columns(columns.subgroups))
    subgroups = as_subgroups(carried(wanted, _SUBGROUPS, rows, files))
    truth, left_out = rows.labels.among(classes), len(rows.left_out)
    like = undeclared(files.values())
    runs = {
        model: [predicted(file, check_same(rows, file), classes, columns) for file in own]
        for model, own in further.items()
        if own
    }
    return SideBySide(
        name, classes, truth, found, left_out, related, True, subgroups, like, further=runs
    )


def _clear(given: SideBySide, names: list[str]) -> SideBySide:
    """Return predictions, unless they may rather tell which rows are right."""
    predicted = (one.answers for runs in given.runs.values() for one in runs)
    if why := why_unclear(given.classes, given.truth, predicted, names):
        raise Problem(("values",), why)
    return given


def _taken(
    file: Columns,
    model: str,
    rest: Sequence[str],
    classes: Sequence[str],
    known: NDArray[np.intp],
    *,
    numbers: bool,
) -> Predicted:
    pattern = _OF_MODEL.replace("{model}", model)
    rows = np.arange(1, file.table.num_rows + 1)
    there = any(pattern.replace(CLASS, name) in rest for name in classes)
    found = probabilities_in(file, classes, pattern, rows) if there else None
    values = None if found is None else found[known]
    if model in rest:
        read = file.answers(model, numbers=numbers)[known]
        return Predicted(known_answers(read, classes, file, model), values)
    assert values is not None, "the model is known by its columns"
    return Predicted(values.argmax(axis=1).astype(np.intp), values)

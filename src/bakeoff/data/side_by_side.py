"""Predictions of several models side by side, from one table or from one table per model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.columns import in_order
from bakeoff.data.file_columns import USUAL, Codes, Columns, Labels, read_columns
from bakeoff.data.given_predictions import carried
from bakeoff.data.group_columns import named_like_groups
from bakeoff.data.predicted import Predicted, known_codes, predicted, probabilities_in
from bakeoff.data.prediction_table import PredictionTable, read_predictions, relations
from bakeoff.data.row_columns import SUBGROUP, carry
from bakeoff.data.row_values import may_be_right_or_wrong, meant
from bakeoff.data.same_rows import LabelledRows, check_same
from bakeoff.data.zero_one import why_unclear
from bakeoff.errors import Place, Problem, UserError, listed, unknown
from bakeoff.sources.common.subgroups import as_columns
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.row_columns import RowColumns
from bakeoff.spec.values import RIGHT_OR_WRONG

_PLACE: Place = ("predictions",)
_SUBGROUPS: Place = ("columns", "subgroups")
_OF_MODEL = "{model}:" + CLASS  # as the workflow collects probabilities


@dataclasses.dataclass(frozen=True)
class SideBySide:
    """Predictions of several models for the same rows.

    Attributes
    ----------
    name : str
        What to call the rows.
    classes : tuple of str
        In order; of two, the positive one is the last.
    truth : ndarray of int, shape (n,)
        True classes: their places in `classes`.
    models : Mapping of str to Predicted
        What each model says of the rows: predictions, or numbers, which have no classes.
    left_out : int
        How many rows have no true label.
    related : Mapping of str to ndarray
        The ``group`` or the ``time`` of each row, where they are named.
    in_order : bool
        Whether the order of the rows may say something; counts have none.
    subgroups : Mapping of str to Categorical
        By column, the subgroup of each row.
    """

    name: str
    classes: tuple[str, ...]
    truth: Codes
    models: Mapping[str, Predicted]
    left_out: int = 0
    related: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    in_order: bool = True
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    like_groups: Sequence[Mapping[str, Any]] = ()
    """Columns beside that look like ids of groups, where none is named: see `group_columns`."""

    def check_classes(self) -> None:
        """Refuse labels of one class: no prediction can be wrong.

        Raises
        ------
        Problem
            At ``classes``.
        """
        if len(self.classes) == 1:
            raise Problem(
                ("classes",),
                f"{self.name} has one class alone, {self.classes[0]!r}, so that no prediction can "
                "be wrong; name the other classes, or take rows of several",
            )

    def with_positive(self, positive: str | None) -> SideBySide:
        """Return the same with a class of two as the positive one; None leaves it as it is.

        Raises
        ------
        Problem
            It is none of two classes.
        """
        if positive is None or (self.classes[-1:] == (positive,) and len(self.classes) == 2):
            return self
        if len(self.classes) != 2:
            raise Problem(("positive",), f"there are {len(self.classes)} classes, not two")
        if positive not in self.classes:
            raise Problem(("positive",), unknown("class", positive, self.classes))
        models = {
            name: Predicted(
                1 - one.codes, None if one.probabilities is None else one.probabilities[:, ::-1]
            )
            for name, one in self.models.items()
        }
        return dataclasses.replace(
            self, classes=self.classes[::-1], truth=1 - self.truth, models=models
        )


def read_wide(
    path: str,
    columns: GivenColumns,
    *,
    models: Sequence[str] | None = None,
    classes: Sequence[str] = (),
    drop_unlabelled: bool = False,
    labels: bool = False,
) -> SideBySide:
    """Read one table that holds the true label and one column of predictions per model.

    A model without a column of labels may have a column ``model:class`` of probabilities for each
    class.

    Parameters
    ----------
    path : str
        The file.
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

    Raises
    ------
    Problem, UserError
        A column that is not there, missing values, labels that are no class, or that may be none.
    """
    file = read_columns(path, _PLACE)
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
    true = file.labels(truth, "true", may_lack=drop_unlabelled)
    known = np.flatnonzero(true.codes >= 0)
    order = _order(true, classes)
    rest = _rest(file, columns, truth, ids)
    found = {
        model: _taken(file, model, rest, order, known)
        for model in _models(path, rest, order, models)
    }
    if len(found) < 2:
        raise UserError(
            f"{path!r} has {len(found)} column{'s' if not found else ''} of predictions beside the "
            f"true labels in {truth!r}; comparing needs two: add a column, or give one table per "
            "model"
        )
    left_out = len(true) - len(known)
    kept = {role: values[known] for role, values in related.items()}
    codes, subgroups = true.among(order)[known], _subgroups_of_table(file, columns, known)
    name = Path(path).name
    like = () if related else named_like_groups(file.table, set(rest) - set(found))
    given = SideBySide(
        name, order, codes, found, left_out, kept, subgroups=subgroups, like_groups=like
    )
    return given if labels else _clear(given, [*found])


def _rest(file: Columns, columns: GivenColumns, *told: str | None) -> list[str]:
    """Name the columns that may be models."""
    known = {*told, columns.group, columns.time, columns.run}
    known |= {one.column for one in as_columns(columns.subgroups)}
    return [name for name in file.names if name not in known]


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


def as_subgroups(frame: pd.DataFrame) -> dict[str, pd.Categorical]:
    """Return the subgroup of each row by the columns that `carry` made."""
    return {str(c).removeprefix(SUBGROUP): pd.Categorical(frame[c]) for c in frame}


def read_each(
    paths: Sequence[str],
    columns: GivenColumns,
    *,
    classes: Sequence[str] = (),
    drop_unlabelled: bool = False,
    labels: bool = False,
) -> SideBySide:
    """Read one table per model, paired by row id; see `read_wide`.

    Raises
    ------
    Problem, UserError
        Other rows or other true labels in one of them; no true labels in any.
    """
    files = {}
    for model, path in _called(paths).items():
        # the truth may stand in one of the tables alone
        lacks = columns.true is not None and columns.true not in read_columns(path, _PLACE).names
        own = columns.model_copy(update={"true": None}) if lacks else columns
        file = read_predictions(path, own, _PLACE, drop_unlabelled=drop_unlabelled)
        files[model] = dataclasses.replace(file, true=None) if lacks else file
    first = next((file for file in files.values() if file.true is not None), None)
    if first is None:
        looked = listed([columns.true] if columns.true else USUAL["true"])
        raise Problem(("columns", "true"), f"no table holds the true labels (looked for {looked})")
    rows = LabelledRows.of(first)
    order = _order(rows.labels, classes)
    found = {
        model: predicted(file, check_same(rows, file), order, columns)
        for model, file in files.items()
    }
    related = {
        role: values[check_same(rows, file)]
        for file in files.values()
        for role, values in file.related.items()
    }
    truth, left_out = rows.labels.among(order), len(rows.left_out)
    name, subgroups = f"{len(files)} files", _subgroups_of_tables(rows, files, columns)
    given = SideBySide(name, order, truth, found, left_out, related, subgroups=subgroups)
    return given if labels else _clear(given, [columns.predicted or "", *found])


def _clear(given: SideBySide, names: list[str]) -> SideBySide:
    """Return predictions, unless they may rather tell which rows are right."""
    predicted = (one.codes for one in given.models.values())
    if why := why_unclear(given.classes, given.truth, predicted, names):
        raise Problem(("values",), why)
    return given


def _subgroups_of_tables(
    rows: LabelledRows, files: Mapping[str, PredictionTable], columns: GivenColumns
) -> dict[str, pd.Categorical]:
    """Take the subgroups of rows from whichever tables have their columns."""
    wanted = RowColumns(as_columns(columns.subgroups))
    return as_subgroups(carried(wanted, _SUBGROUPS, rows, files))


def read_wide_values(
    path: str,
    columns: GivenColumns,
    metric: GivenMetric | str,
    models: Sequence[str] | None = None,
) -> SideBySide:
    """Read one table that holds a column of numbers per model.

    Parameters
    ----------
    path, columns, models
        As in `read_wide`.
    metric : GivenMetric or str
        What the numbers are, as in `bakeoff.data.row_values.read_values`.

    Raises
    ------
    Problem, UserError
        A column that is not there, or values that are no numbers.
    """
    file = read_columns(path, _PLACE)
    name = file.find("id", columns)
    rows = np.arange(1, file.table.num_rows + 1)
    ids = rows if name is None else file.ids(name, file.related("run", columns))
    related = relations(file, columns, name)
    truth = file.find("true", columns)
    if truth is not None and models is None:
        raise Problem(
            ("models",),
            f"{path!r}: {truth!r} looks like the true labels, not like a model's numbers: name the "
            "columns of numbers",
        )
    tables = {
        model: PredictionTable(file, ids, None, None, related, values=file.numbers(model, ids))
        for model in _models(path, _rest(file, columns, name), (), models)
    }
    return _of_numbers(Path(path).name, tables, metric, columns)


def read_each_values(
    paths: Sequence[str], columns: GivenColumns, metric: GivenMetric | str
) -> SideBySide:
    """Read one table of numbers per model, paired by row id; see `read_wide_values`.

    Raises
    ------
    Problem, UserError
        Other rows in one of them.
    """
    tables = {
        model: read_predictions(path, columns, _PLACE, numbers=True)
        for model, path in _called(paths).items()
    }
    return _of_numbers(f"{len(paths)} files", tables, metric, columns)


def _of_numbers(
    name: str,
    tables: Mapping[str, PredictionTable],
    metric: GivenMetric | str,
    columns: GivenColumns,
) -> SideBySide:
    if len(tables) < 2:
        raise UserError(f"{name!r} has {len(tables)} column of numbers; comparing needs two")
    files = {model: meant(table, metric) for model, table in tables.items()}
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(files.values(), metric):
        raise UserError(
            "every number is 0 or 1: do they say which rows are right? Then give `--values right` "
            "(1 is right) or `--values wrong` (1 is wrong), and the test is McNemar's"
        )
    classes = () if isinstance(metric, GivenMetric) else RIGHT_OR_WRONG
    rows = LabelledRows.of(next(iter(files.values())))
    places = {model: check_same(rows, file) for model, file in files.items()}
    found = {
        model: predicted(file, places[model], classes, GivenColumns.model_validate({}))
        for model, file in files.items()
    }
    related = {
        role: values[places[model]]
        for model, file in files.items()
        for role, values in file.related.items()
    }
    truth, subgroups = rows.labels.among(classes), _subgroups_of_tables(rows, tables, columns)
    return SideBySide(name, classes, truth, found, 0, related, subgroups=subgroups)


def _called(paths: Sequence[str]) -> dict[str, str]:
    """Name the models of several tables after their files."""
    stems = [Path(path).name.split(".")[0] for path in paths]
    models = stems if len(set(stems)) == len(stems) else list(paths)
    if len(set(models)) < len(models):
        raise UserError("the same file is given twice")
    return dict(zip(models, paths, strict=True))


def _order(labels: Labels, more: Sequence[str]) -> tuple[str, ...]:
    return tuple(in_order({*labels.classes, *more}))


def _models(
    path: str, rest: Sequence[str], classes: Sequence[str], wanted: Sequence[str] | None
) -> list[str]:
    """Name the models of a table: its columns, and what has probabilities alone."""
    ends = tuple(f":{name}" for name in classes)
    named = (name.rpartition(":")[0] if name.endswith(ends) else name for name in rest)
    known = list(dict.fromkeys(named))
    for name in wanted or ():
        if name not in known:
            raise Problem(("models",), unknown("model", name, known))
    return known if wanted is None else list(dict.fromkeys(wanted))


def _taken(
    file: Columns, model: str, rest: Sequence[str], classes: Sequence[str], known: NDArray[np.intp]
) -> Predicted:
    pattern = _OF_MODEL.replace("{model}", model)
    rows = np.arange(1, file.table.num_rows + 1)
    there = any(pattern.replace(CLASS, name) in rest for name in classes)
    found = probabilities_in(file, classes, pattern, rows) if there else None
    values = None if found is None else found[known]
    if model in rest:
        return Predicted(known_codes(file.labels(model)[known], classes, file, model), values)
    assert values is not None, "the model is known by its columns"
    return Predicted(values.argmax(axis=1).astype(np.intp), values)

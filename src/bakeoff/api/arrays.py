"""Predictions in memory, read and checked as the columns of a file are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from bakeoff.api.alignment import Rows, aligned, by_name, one_column
from bakeoff.api.parts import NO_PARTS, Parts
from bakeoff.data.columns import in_order, sorted_names
from bakeoff.data.file_columns import Columns
from bakeoff.data.predicted import (
    Predicted,
    SideBySide,
    is_number,
    known_answers,
    predicted,
    probabilities_in,
)
from bakeoff.data.prediction_table import PredictionTable, may_be_right_or_wrong, meant
from bakeoff.data.target import counted, looks_like_a_quantity, positive_last, positive_of
from bakeoff.errors import Problem, UserError, named, some, unknown
from bakeoff.keys import name_of
from bakeoff.sources.common.identifiers import arrow_column, names
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.values import RIGHT_OR_WRONG, Kind
from bakeoff.stats import Runs

_RELATED = {"group": "groups", "run": "runs", "time": "time"}
_ARGUMENTS = {"classes": "classes"}
"""The arguments that messages of the columns of files have keys for."""


def side_by_side(
    y: Any,
    predictions: Any,
    related: Mapping[str, Any],
    values: Kind | None,
    classes: Sequence[Any],
    positive: Any,
    name: str,
    parts: Parts = NO_PARTS,
    numbers: bool | None = None,
    called: str = "predictions[{!r}]",
) -> SideBySide:
    """Put the predictions of several models side by side, with the arguments of `compare`."""
    models, argument = {}, {}
    for model, one in _models(predictions).items():
        runs = training_runs(one)
        for seed, run in enumerate(runs, start=1):
            models[run_name(model, seed)] = run
            place = f"[{seed - 1}]" if len(runs) > 1 else ""
            argument[run_name(model, seed)] = called.format(model) + place
    given = {"y": y, **{argument[model]: one for model, one in models.items()}}
    given |= {_RELATED[role]: one for role, one in related.items()} | parts.arguments
    rows = aligned({what: one for what, one in given.items() if one is not None})
    try:
        kin = _kin(related, rows)
        subgroups = parts.of(rows)
        if values is not None:
            tables = {m: _number_table(what, rows[what]) for m, what in argument.items()}
            return _of_numbers(name, tables, values, kin, subgroups).by_model()
        truth = one_column("y", rows["y"])
        if looks_like_a_quantity(truth) if numbers is None else numbers:
            for key, some_given in (
                ("classes", len(classes) > 0),
                ("positive", positive is not None),
            ):
                if some_given:
                    raise UserError(f"{key}: numbers have no classes: leave it out")
            observed = _numbers("y", truth)
            predicted = {
                model: Predicted(_numbers(what, one_column(what, rows[what])), None)
                for model, what in argument.items()
            }
            side = SideBySide(name, (), observed, predicted, 0, kin, subgroups=subgroups)
            return side.by_model()
        labels = _columns("y", {"y": truth}).labels("y", "true")
        order = _Order.of(truth, classes, positive)
        found = {
            model: _taken(what, rows[what], order, by_place=_is_array(models[model]))
            for model, what in argument.items()
        }
    except Problem as problem:
        raise named(problem, _ARGUMENTS) from None
    codes = labels.among(order.classes)
    side = SideBySide(name, order.classes, codes, found, 0, kin, subgroups=subgroups)
    return side.by_model()


def training_runs(given: Any) -> Sequence[Any]:
    """Return the training runs of a model: of a list that holds arrays, or of `Runs`."""
    if isinstance(given, Runs):
        return given.predicted
    arrays = np.ndarray, pd.Series, pd.DataFrame
    several = (
        isinstance(given, list | tuple) and given and all(isinstance(g, arrays) for g in given)
    )
    return given if several else [given]


@dataclasses.dataclass(frozen=True)
class _Order:
    """The classes in order."""

    classes: tuple[str, ...]
    columns: tuple[str, ...]
    sure: bool

    @classmethod
    def of(cls, y: pd.Series[Any], classes: Sequence[Any], positive: Any) -> _Order:
        present = sorted_names(y)
        columns = [name_of(one) for one in classes] if len(classes) else present
        lacking = [one for one in present if one not in columns]
        if len(set(columns)) < len(columns) or lacking:
            raise UserError(
                f"classes: found {some(columns)}, expected every class once"
                + (f"; y has {some(lacking)} too" if lacking else "")
            )
        ordered = columns if len(classes) else in_order(columns)
        counts = counted(y)
        sure = positive is not None or len(classes) > 0
        if positive is not None:
            if len(columns) != 2:
                raise UserError(f"positive: there are {len(columns)} classes, not two")
            if name_of(positive) not in columns:
                raise UserError(unknown("class in positive:", name_of(positive), columns))
        elif len(columns) == 2 and not sure:
            sure = positive_of(counts).sure if len(counts) == 2 else False
        if positive is not None or not len(classes):
            ordered = list(positive_last(ordered, positive, (), counts))
        return cls(tuple(ordered), tuple(columns), sure)


def _models(predictions: Any) -> dict[str, Any]:
    """Name the models."""
    given = by_name(
        "predictions", predictions, "those of each model by its name: {'old': …, 'new': …}"
    )
    found = {str(model): one for model, one in given.items()}
    if len(found) < max(2, len(given.keys())):
        raise UserError(
            f"predictions: found {len(found)} model(s) ({some(found)}), comparing needs two with "
            "different names"
        )
    return found


def _is_array(given: Any) -> bool:
    return not (isinstance(given, pd.DataFrame) or hasattr(given, "to_pandas"))


def _columns(what: str, columns: Mapping[str, pd.Series[Any]]) -> Columns:
    """Take columns as if they were a file's, so that they are checked like these."""
    return Columns(what, pa.table({n: arrow_column(one) for n, one in columns.items()}), (what,))


def _kin(related: Mapping[str, Any], rows: Mapping[str, Rows]) -> dict[str, Any]:
    """Return the groups or times of the rows; no group has a run twice."""
    kin = {role: _related(role, rows[_RELATED[role]]) for role in related if _RELATED[role] in rows}
    if "run" in kin:
        pairs = pd.DataFrame({"group": kin["group"], "run": kin.pop("run")})
        twice = pairs[pairs.duplicated()].drop_duplicates()
        if len(twice):
            told = [f"{group} run {run}" for group, run in twice.itertuples(index=False)]
            raise UserError(f"runs: a group has each run once; found twice: {some(told)}")
    return kin


def _related(role: str, rows: Rows) -> Any:
    what = _RELATED[role]
    columns = GivenColumns.model_validate({role: what})
    return _columns(what, {what: one_column(what, rows)}).related(role, columns)


def _taken(what: str, rows: Rows, order: _Order, *, by_place: bool) -> Predicted:
    """Take the labels or the probabilities of one model."""
    everywhere = np.arange(len(rows))
    if isinstance(rows, pd.DataFrame) and rows.shape[1] == 1:
        only = name_of(rows.columns[0])
        rows = rows.iloc[:, 0] if by_place or only not in order.classes else rows
    if isinstance(rows, pd.DataFrame):
        by_class = _by_class(what, rows, order, by_place=by_place)
    elif _are_labels(rows, order.classes):
        _check_no_marks(what, rows, order.classes)
        labels = _columns(what, {"labels": rows})
        return Predicted(known_answers(labels.labels("labels"), order.classes, labels), None)
    elif len(order.classes) != 2:
        told = "; if numbers are predicted, say task='regression'"
        raise UserError(
            f"{what}: found numbers that are no classes ({some(order.classes)}); of "
            f"{len(order.classes)} classes give probabilities as (n, {len(order.classes)})"
            f"{told if is_number(order.classes[0]) else ''}"
        )
    elif not order.sure:
        raise UserError(
            f"positive: which class are the probabilities of {what} of? Say `positive`, of "
            f"{' and '.join(order.classes)}"
        )
    else:
        by_class = {order.classes[-1]: rows}
    file = _columns(what, by_class)
    own = {one: one for one in by_class}
    probabilities = probabilities_in(file, order.classes, own, everywhere + 1)
    if probabilities is None:
        raise UserError(f"classes: y has {order.classes[0]!r} alone; name the others too")
    return Predicted(probabilities.argmax(axis=1).astype(np.intp), probabilities)


def _check_no_marks(what: str, rows: pd.Series[Any], classes: Sequence[str]) -> None:
    """Refuse columns of 0 and 1 alone where these are no classes: their meaning is not known."""
    found = set(names(pd.Series(rows.dropna().unique())))
    if found and found <= {"0", "1", "False", "True"} and found.isdisjoint(classes):
        raise UserError(
            f"{what}: found {some(sorted(found))}, and the classes are {some(classes)}. Are they "
            f"hard probabilities of {classes[-1]!r}? Pass them as floats. Labels? Pass the classes "
            "themselves. Marks of right rows? `bakeoff.compare(None, {…}, values='right')`"
        )


def _are_labels(values: pd.Series[Any], classes: Sequence[str]) -> bool:
    """Tell labels from numbers that are none."""
    if not types.is_float_dtype(values.dtype):
        return True
    different = pd.Series(values.dropna().unique())
    return len(different) <= len(classes) and set(names(different)) <= set(classes)


def _by_class(
    what: str, rows: pd.DataFrame, order: _Order, *, by_place: bool
) -> dict[str, pd.Series[Any]]:
    """Map each class to the column of its probabilities: by its name, or by its place."""
    called = [name_of(column) for column in rows.columns]
    counted = called == [str(i) for i in range(len(called))]
    if by_place or (counted and set(called) != set(order.classes)):
        if len(called) != len(order.columns):
            raise UserError(
                f"{what}: found {len(called)} columns, there are {len(order.columns)} classes "
                f"({some(order.columns)}); name all of them in `classes`, in the order of the "
                "columns"
            )
        called = list(order.columns)
    strange = [one for one in called if one not in order.classes]
    if strange or len(set(called)) < len(called):
        raise UserError(
            f"{what}: {unknown('class', strange[0], order.classes)}"
            if strange
            else f"{what}: a class has two columns ({some(called)})"
        )
    return {one: rows.iloc[:, place] for place, one in enumerate(called)}


def _of_numbers(
    name: str,
    tables: Mapping[str, PredictionTable],
    metric: Kind,
    related: Mapping[str, Any],
    subgroups: Mapping[str, pd.Categorical],
) -> SideBySide:
    """Take a number of each model for each row, or for each item that has several."""
    if isinstance(metric, Passing):
        if "group" not in related:
            raise UserError("groups: found None, expected the items that were run several times")
        items = related["group"]
        tables = {m: dataclasses.replace(one, items=items) for m, one in tables.items()}
        subgroups = {c: _of_items(c, own, items) for c, own in subgroups.items()}
        related = {}
    meanings = {model: meant(table, metric) for model, table in tables.items()}
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(meanings.values(), metric):
        raise UserError(
            "values: every number is 0 or 1: do they say which rows are right? Then pass "
            "`values='right'` (1 is right) or `values='wrong'` (1 is wrong), and the test is "
            "McNemar's"
        )
    classes = RIGHT_OR_WRONG if isinstance(metric, str) else ()
    first = next(iter(meanings.values()))
    assert first.true is not None
    everywhere = np.arange(len(first.ids))
    columns = GivenColumns.model_validate({})
    taken = {
        model: predicted(table, everywhere, classes, columns) for model, table in meanings.items()
    }
    truth = first.true.among(classes)
    return SideBySide(name, classes, truth, taken, 0, related, subgroups=subgroups)


def _of_items(column: str, rows: pd.Categorical, items: NDArray[Any]) -> pd.Categorical:
    """Return the subgroup of each item, in their sorted order."""
    _, first, at = np.unique(items, return_index=True, return_inverse=True)
    if (rows.codes != rows.codes[first][at]).any():
        raise UserError(f"subgroups[{column!r}]: the runs of an item are in several subgroups")
    return rows[first]


def _numbers(what: str, column: pd.Series[Any]) -> NDArray[np.float64]:
    return _columns(what, {what: column}).numbers(what)


def _number_table(what: str, rows: Rows) -> PredictionTable:
    file = _columns(what, {"value": one_column(what, rows)})
    ids = np.arange(1, len(rows) + 1)
    return PredictionTable(file, ids, None, None, values=file.numbers("value", ids))

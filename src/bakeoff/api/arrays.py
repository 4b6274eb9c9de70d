"""Predictions in memory, read and checked as the columns of files are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types
from pydantic import ValidationError

from bakeoff.api.alignment import Rows, aligned, by_name, one_column
from bakeoff.data.columns import in_order, sorted_names
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.observations import PATTERNS, Observations, is_number
from bakeoff.data.read_given import read_given
from bakeoff.data.records import Records
from bakeoff.data.target import counted, looks_like_a_quantity, positive_last, positive_of
from bakeoff.errors import Problem, UserError, named, some, unknown
from bakeoff.keys import name_of
from bakeoff.sources.common.identifiers import arrow_column, names
from bakeoff.sources.common.subgroups import SubgroupColumn
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.metrics import Passing
from bakeoff.spec.values import Kind
from bakeoff.stats import Runs


@dataclasses.dataclass(frozen=True)
class Parts:
    """Columns that divide the rows."""

    columns: Mapping[str, Any]
    bins: Mapping[str, Sequence[float]]

    @classmethod
    def taken(cls, subgroups: Any, bins: Any) -> Parts:
        """Take the arguments `subgroups` and `bins` of a comparison."""
        wanted = "columns by their names: {'sex': …}, or a DataFrame"
        given = by_name("subgroups", subgroups, wanted)
        columns = {str(column): values for column, values in given.items()}
        for column in bins:
            if column not in columns:
                raise UserError(f"bins: {unknown('column', str(column), columns)}")
        return cls(columns, bins)

    @property
    def arguments(self) -> dict[str, Any]:
        """The columns by their names in messages."""
        return {_called(column): values for column, values in self.columns.items()}

    def columns_of(self, rows: Mapping[str, Rows]) -> dict[str, pd.Series[Any]]:
        """Return the columns themselves."""
        return {c: one_column(_called(c), rows[_called(c)]) for c in self.columns}

    @property
    def wanted(self) -> list[SubgroupColumn]:
        """The columns, and where they are cut."""
        return [self._column(column) for column in self.columns]

    def _column(self, name: str) -> SubgroupColumn:
        cuts = self.bins.get(name)
        try:
            return SubgroupColumn(column=name, bins=None if cuts is None else list(cuts))
        except (ValidationError, TypeError):
            raise UserError(
                f"bins: found {cuts!r} for {name!r}, expected numbers in ascending order"
            ) from None


def _called(column: str) -> str:
    return f"subgroups[{column!r}]"


NO_PARTS = Parts({}, {})


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
) -> Observations:
    """Put the predictions of several models side by side, read as the tables of files are."""
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
        shared, roles = _shared(related, rows, values)
        shared |= parts.columns_of(rows)
        asked: dict[str, Any] = {"values": values, "labels": True}
        order = None
        if values is None:
            truth = one_column("y", rows["y"])
            asked["numbers"] = looks_like_a_quantity(truth) if numbers is None else numbers
            if not asked["numbers"]:
                _columns("y", {"y": truth}).labels("y", "true")
                order = _Order.of(truth, classes, positive)
                last = order.classes[-1] if len(order.classes) == 2 else None
                asked |= {"classes": order.classes, "positive": last}
            elif len(classes) or positive is not None:
                key = "classes" if len(classes) else "positive"
                raise UserError(f"{key}: numbers have no classes: leave it out")
            else:
                _columns("y", {"y": truth}).numbers("y")
        tables = {}
        for i, (model, what) in enumerate(argument.items()):
            said = _said(what, rows[what], order, models[model], values is not None)
            truth_of = {"y": one_column("y", rows["y"])} if values is None and not i else {}
            tables[model] = _columns(what, {**shared, **truth_of, **said})
        roles |= {"true": "y"} if values is None else {}
        columns = GivenColumns.model_validate({**roles, "subgroups": parts.wanted})
        found = read_given(GivenTables(name, tables), columns, **asked)
        return dataclasses.replace(found, like_groups=())
    except Problem as problem:
        raise named(problem, _ARGUMENTS) from None


def _shared(
    related: Mapping[str, Any], rows: Mapping[str, Rows], values: Kind | None
) -> tuple[dict[str, pd.Series[Any]], dict[str, str]]:
    """Return the columns of ids, groups and times that all tables have, and their roles."""
    found = {
        role: one_column(_RELATED[role], rows[_RELATED[role]])
        for role in related
        if _RELATED[role] in rows
    }
    for role, one in found.items():
        columns = GivenColumns.model_validate({role: _RELATED[role]})
        _columns(_RELATED[role], {_RELATED[role]: one}).related(role, columns)
    if "run" in found:
        pairs = pd.DataFrame({"group": found["group"], "run": found.pop("run")}).astype(str)
        twice = pairs[pairs.duplicated()].drop_duplicates()
        if len(twice):
            told = [f"{group} run {run}" for group, run in twice.itertuples(index=False)]
            raise UserError(f"runs: a group has each run once; found twice: {some(told)}")
    if isinstance(values, Passing):
        if "group" not in found:
            raise UserError("groups: found None, expected the items that were run several times")
        items = found.pop("group")
        runs = items.groupby(items).cumcount() + 1
        return {"id": items, "run": runs}, {"id": "id", "run": "run"}
    n = len(next(iter(rows.values())))
    shared = {"id": pd.Series(np.arange(1, n + 1))}
    shared |= {_RELATED[role]: one for role, one in found.items()}
    return shared, {"id": "id", **{role: _RELATED[role] for role in found}}


def _said(
    what: str, rows: Rows, order: _Order | None, given: Any, of_values: bool
) -> dict[str, pd.Series[Any]]:
    """Return what a model says as the columns of a file."""
    if order is None:
        return {"value" if of_values else "y_pred": one_column(what, rows)}
    return _taken(what, rows, order, by_place=_is_array(given))


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


def _columns(what: str, columns: Mapping[str, pd.Series[Any]]) -> Records:
    """Take columns as if they were a file's, so that they are checked like these."""
    return Records(what, pa.table({n: arrow_column(one) for n, one in columns.items()}), (what,))


def _taken(what: str, rows: Rows, order: _Order, *, by_place: bool) -> dict[str, pd.Series[Any]]:
    """Take the labels or the probabilities of one model."""
    if isinstance(rows, pd.DataFrame) and rows.shape[1] == 1:
        only = name_of(rows.columns[0])
        rows = rows.iloc[:, 0] if by_place or only not in order.classes else rows
    if isinstance(rows, pd.DataFrame):
        by_class = _by_class(what, rows, order, by_place=by_place)
    elif _are_labels(rows, order.classes):
        _check_no_marks(what, rows, order.classes)
        return {"y_pred": rows}
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
    if len(order.classes) == 1:
        raise UserError(f"classes: y has {order.classes[0]!r} alone; name the others too")
    return {PATTERNS[0].replace(CLASS, one): values for one, values in by_class.items()}


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

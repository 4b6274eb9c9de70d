"""Arrays, Series and frames of one row each: aligned, then read as the records of files are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types
from pydantic import ValidationError

from bakeoff.data.columns import in_order, sorted_names
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.observations import PATTERNS, Observations, is_number, told_class
from bakeoff.data.read_given import read_given
from bakeoff.data.records import Records
from bakeoff.data.target import counted, looks_like_a_quantity, positive_last, positive_of
from bakeoff.errors import Problem, UserError, named, some, unknown
from bakeoff.keys import name_of
from bakeoff.sources.common.base import SubgroupColumn
from bakeoff.sources.common.identifiers import (
    arrow_column,
    names,
    series_of,
    to_frame,
    with_own_types,
)
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.metrics import Kind, Passing
from bakeoff.stats import Runs

Series: TypeAlias = "pd.Series[Any]"
Rows: TypeAlias = "pd.Series[Any] | pd.DataFrame"
_BY_POSITION = "pass `.to_numpy()` of both to pair them by position"


def side_by_side(
    y: Any,
    predictions: Any,
    related: Mapping[str, Any],
    values: Kind | None,
    classes: Sequence[Any],
    positive: Any,
    name: str,
    subgroups: Any = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    numbers: bool | None = None,
    called: str = "predictions[{!r}]",
) -> Observations:
    """Put the predictions of several models side by side, read as the tables of files are."""
    runs: dict[str, Any] = {}
    argument: dict[str, str] = {}
    for model, one in _models(predictions).items():
        several = training_runs(one)
        for seed, run in enumerate(several, start=1):
            runs[run_name(model, seed)] = run
            place = f"[{seed - 1}]" if len(several) > 1 else ""
            argument[run_name(model, seed)] = called.format(model) + place
    dividing = _subgroup_columns(subgroups, bins or {})
    given = {"y": y, **{argument[run]: one for run, one in runs.items()}}
    given |= related
    given |= {f"subgroups[{column!r}]": one for column, (one, _) in dividing.items()}
    rows = aligned({what: one for what, one in given.items() if one is not None})
    try:
        shared, roles = _shared(related, rows, values)
        for column in dividing:
            what = f"subgroups[{column!r}]"
            shared[column] = one_column(what, rows[what])
        how: dict[str, Any] = {"values": values, "labels": True}
        truth, order = pd.Series(dtype=float), None
        if values is None:
            truth = one_column("y", rows["y"])
            how["numbers"] = looks_like_a_quantity(truth) if numbers is None else numbers
            if not how["numbers"]:
                _records("y", {"y": truth}).labels("y", "truth")
                order = _order_of(truth, classes, positive)
                last = order.classes[-1] if len(order.classes) == 2 else None
                how |= {"classes": order.classes, "positive": last}
            elif len(classes) or positive is not None:
                key = "classes" if len(classes) else "positive"
                raise UserError(f"{key}: numbers have no classes: leave it out")
            else:
                _records("y", {"y": truth}).numbers("y")
            roles["truth"] = "y"
        tables: dict[str, Records] = {}
        single: dict[str, None] = {}
        for run, what in argument.items():
            if order is not None:
                taken = _labels_or_probabilities(what, rows[what], order, _is_array(runs[run]))
                if len(taken) == 1 and "y_pred" not in taken:
                    single[run_of(run)[0]] = None
            else:
                taken = {"y_pred" if values is None else "value": one_column(what, rows[what])}
            true = {"y": truth} if values is None and not tables else {}
            tables[run] = _records(what, {**shared, **true, **taken})
        wanted = [column for _, column in dividing.values()]
        columns = GivenColumns.model_validate({**roles, "subgroups": wanted})
        found = read_given(GivenTables(name, tables), columns, **how)
        guessed = order is not None and positive is None and not len(classes)
        told = told_class(list(single), order.classes[-1:]) if guessed and order else ()
        return dataclasses.replace(found, like_groups=(), told=(*found.told, *told))
    except Problem as problem:
        raise named(problem, ("classes",)) from None


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


def training_runs(given: Any) -> Sequence[Any]:
    """Return the training runs of a model: of a list that holds arrays, or of `Runs`."""
    if isinstance(given, Runs):
        return given.predicted
    arrays = np.ndarray, pd.Series, pd.DataFrame
    several = (
        isinstance(given, list | tuple) and given and all(isinstance(g, arrays) for g in given)
    )
    return given if several else [given]


def _subgroup_columns(
    subgroups: Any, bins: Mapping[str, Sequence[float]]
) -> dict[str, tuple[Any, SubgroupColumn]]:
    """Return the columns that divide the rows, and where they are cut."""
    if subgroups is None:
        return {}
    given = by_name("subgroups", subgroups, "columns by their names: {'sex': …}, or a DataFrame")
    columns = {str(column): one for column, one in given.items()}
    for column in bins:
        if column not in columns:
            raise UserError(f"bins: {unknown('column', str(column), columns)}")
    found = {}
    for column, one in columns.items():
        cuts = bins.get(column)
        try:
            cut = SubgroupColumn(column=column, bins=None if cuts is None else list(cuts))
        except (ValidationError, TypeError):
            raise UserError(
                f"bins: found {cuts!r} for {column!r}, expected numbers in ascending order"
            ) from None
        found[column] = one, cut
    return found


def _shared(
    related: Mapping[str, Any], rows: Mapping[str, Rows], values: Kind | None
) -> tuple[dict[str, Series], dict[str, str]]:
    """Return the columns of ids, groups and times that all tables have, and their roles."""
    found = {role: one_column(role, rows[role]) for role in related if role in rows}
    for role, one in found.items():
        columns = GivenColumns.model_validate({role: role})
        _records(role, {role: one}).related(role, columns)
    if "runs" in found:
        pairs = pd.DataFrame({"group": found["groups"], "run": found.pop("runs")}).astype(str)
        twice = pairs[pairs.duplicated()].drop_duplicates()
        if len(twice):
            repeated = [f"{group} run {run}" for group, run in twice.itertuples(index=False)]
            raise UserError(f"runs: a group has each run once; found twice: {some(repeated)}")
    if isinstance(values, Passing):
        if "groups" not in found:
            raise UserError("groups: found None, expected the items that were run several times")
        items = found.pop("groups")
        runs = items.groupby(items).cumcount() + 1
        return {"id": items, "runs": runs}, {"id": "id", "runs": "runs"}
    n = len(next(iter(rows.values())))
    shared = {"id": pd.Series(np.arange(1, n + 1))}
    return shared | found, {"id": "id", **{role: role for role in found}}


class _Order(NamedTuple):
    """The classes in order, those of the columns of probabilities, and whether one is positive."""

    classes: tuple[str, ...]
    columns: tuple[str, ...]
    sure: bool


def _order_of(y: Series, classes: Sequence[Any], positive: Any) -> _Order:
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
    return _Order(tuple(ordered), tuple(columns), sure)


def _is_array(given: Any) -> bool:
    return not (isinstance(given, pd.DataFrame) or hasattr(given, "to_pandas"))


def _records(what: str, columns: Mapping[str, Series]) -> Records:
    """Take columns as if they were a file's, so that they are checked like these."""
    return Records(what, pa.table({n: arrow_column(one) for n, one in columns.items()}), (what,))


def _labels_or_probabilities(
    what: str, rows: Rows, order: _Order, by_place: bool
) -> dict[str, Series]:
    """Return what one model predicts as the columns of a file."""
    if isinstance(rows, pd.DataFrame) and rows.shape[1] == 1:
        only = name_of(rows.columns[0])
        rows = rows.iloc[:, 0] if by_place or only not in order.classes else rows
    if isinstance(rows, pd.DataFrame):
        by_class = _by_class(what, rows, order, by_place=by_place)
    elif _are_labels(rows, order.classes):
        _check_no_marks(what, rows, order.classes)
        return {"y_pred": rows}
    elif len(order.classes) != 2:
        regression = "; if numbers are predicted, say task='regression'"
        raise UserError(
            f"{what}: found numbers that are no classes ({some(order.classes)}); of "
            f"{len(order.classes)} classes give probabilities as (n, {len(order.classes)})"
            f"{regression if is_number(order.classes[0]) else ''}"
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


def _check_no_marks(what: str, rows: Series, classes: Sequence[str]) -> None:
    """Refuse columns of 0 and 1 alone where these are no classes: their meaning is not known."""
    found = set(names(pd.Series(rows.dropna().unique())))
    if found and found <= {"0", "1", "False", "True"} and found.isdisjoint(classes):
        raise UserError(
            f"{what}: found {some(sorted(found))}, and the classes are {some(classes)}. Are they "
            f"hard probabilities of {classes[-1]!r}? Pass them as floats. Labels? Pass the classes "
            "themselves. Marks of right rows? `bakeoff.compare(None, {…}, values='right')`"
        )


def _are_labels(values: Series, classes: Sequence[str]) -> bool:
    """Tell labels from numbers that are none."""
    if not types.is_float_dtype(values.dtype):
        return True
    different = pd.Series(values.dropna().unique())
    return len(different) <= len(classes) and set(names(different)) <= set(classes)


def _by_class(what: str, rows: pd.DataFrame, order: _Order, *, by_place: bool) -> dict[str, Series]:
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
    if strange:
        raise UserError(f"{what}: {unknown('class', strange[0], order.classes)}")
    if len(set(called)) < len(called):
        raise UserError(f"{what}: a class has two columns ({some(called)})")
    return {one: rows.iloc[:, place] for place, one in enumerate(called)}


def aligned(arguments: Mapping[str, Any]) -> dict[str, Rows]:
    """Bring arguments with one row each into one order: by their index, or by position."""
    rows = {what: _rows_of(what, given) for what, given in arguments.items()}
    first = next(iter(rows))
    if not len(rows[first]):
        raise UserError(f"{first}: found no rows, expected a value for each row")
    for what, one in rows.items():
        if len(one) != len(rows[first]):
            raise UserError(f"{what}: found {len(one):,} rows, {first} has {len(rows[first]):,}")
    # frames of other libraries have no index
    indexed = [what for what, g in arguments.items() if isinstance(g, pd.Series | pd.DataFrame)]
    leading = indexed[0] if indexed else first
    order = rows[leading].index
    moved = [what for what in indexed if not rows[what].index.equals(order)]
    for what in moved:
        _check_index((what, rows[what].index), (leading, order))
    if moved and len(indexed) < len(rows):
        bare = next(what for what in rows if what not in indexed)
        raise UserError(
            f"{bare}: it has no index, and {moved[0]} is in another order than {leading}: give it "
            "the index of its rows, or bring all into one order"
        )
    found = {what: one.reindex(order) if what in moved else one for what, one in rows.items()}
    return {what: one.reset_index(drop=True) for what, one in found.items()}


def by_name(what: str, given: Any, expected: str) -> Mapping[Any, Any] | pd.DataFrame:
    """Return a mapping, or a frame of any library as one of pandas."""
    found = as_pandas(given)
    if not isinstance(found, Mapping | pd.DataFrame):
        raise UserError(f"{what}: found {type(found).__name__}, expected {expected}")
    return found


def as_pandas(given: Any) -> Any:
    """Return a frame or a column of any library as one of pandas, all else as it is."""
    if isinstance(given, pa.Table):
        given = to_frame(given)
    elif hasattr(given, "to_pandas"):
        given = given.to_pandas()
    if isinstance(given, pd.Series):
        own = with_own_types(given.to_frame("")).iloc[:, 0]
        own.name = given.name
        return own
    return with_own_types(given) if isinstance(given, pd.DataFrame) else given


def one_column(what: str, rows: Rows) -> Series:
    """Take the only column."""
    if isinstance(rows, pd.Series):
        return rows
    if rows.shape[1] != 1:
        raise UserError(f"{what}: found {rows.shape[1]} columns, expected one value for each row")
    return rows.iloc[:, 0]


def _rows_of(what: str, given: Any) -> Rows:
    """Return an argument as rows of pandas."""
    if isinstance(given, pd.api.extensions.ExtensionArray):
        given = pd.Series(given)
    if isinstance(given, pd.Series | pd.DataFrame) or hasattr(given, "to_pandas"):
        rows: Rows = as_pandas(given)
        return rows
    if hasattr(given, "predict"):
        raise UserError(
            f"{what}: found the estimator {type(given).__name__}, expected its predictions: pass "
            "`model.predict(X_test)`; or compare learning algorithms with `bakeoff.compare_folds("
            "{name: cross_validate(model, X, y, cv=cv), …}, cv=cv)`"
        )
    try:
        values = np.asarray(given)
        if values.dtype.kind == "U" and not isinstance(given, np.ndarray):
            values = np.asarray(given, dtype=object)  # a missing value among texts is no text
    except ValueError:  # lists of different lengths
        values = np.array(None)
    if values.ndim not in (1, 2):
        raise UserError(f"{what}: found {type(given).__name__}, expected one value for each row")
    return pd.DataFrame(values) if values.ndim == 2 else series_of(values, given)


def _check_index(one: tuple[str, pd.Index[Any]], leading: tuple[str, pd.Index[Any]]) -> None:
    """Refuse an index with other rows, or one from which the pairing of rows is ambiguous."""
    for what, index in (leading, one):
        if index.has_duplicates:
            twice = index[index.duplicated()].unique()
            raise UserError(
                f"{what}: its index has rows twice ({some(twice)}) and another order than the "
                f"others: make it unique, or {_BY_POSITION}"
            )
    (what, other), (first, order) = one, leading
    lacking, strange = order.difference(other, sort=False), other.difference(order, sort=False)
    if len(lacking):
        raise UserError(
            f"{what}: its index is another one than that of {first}: {len(lacking):,} of "
            f"{len(order):,} rows are not in it ({some(lacking)}), it has others "
            f"({some(strange)}); {_BY_POSITION}"
        )
    if _counts(other) != _counts(order):
        counting, naming = (what, first) if _counts(other) else (first, what)
        raise UserError(
            f"{counting}: its index counts its rows, that of {naming} has the same numbers in "
            f"another order: which belong together? {_BY_POSITION}, or give {counting} the index "
            "of its rows"
        )


def _counts(index: pd.Index[Any]) -> bool:
    """Tell whether an index merely counts the rows, as pandas does where none is given."""
    return isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index)))

"""Arrays, Series and frames of one row each: aligned, then read as the tables of files are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa

from bakeoff.api.build_study import without_none
from bakeoff.api.frames import as_pandas, by_name
from bakeoff.api.measured import Measured, measured_by
from bakeoff.data.columns import sorted_names
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.model_columns import columns_by_model
from bakeoff.data.observations import Observations, without_tasks
from bakeoff.data.read_given import read_given
from bakeoff.data.records import OURS, Records
from bakeoff.data.target import (
    counted,
    looks_like_a_quantity,
    said_of_spellings,
    spelled_as,
    unclear_spellings,
)
from bakeoff.errors import UserError, joined, some, unknown
from bakeoff.keys import name_of
from bakeoff.sources.common.identifiers import arrow_column, series_of
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.load import validated
from bakeoff.stats import Runs

Series: TypeAlias = "pd.Series[Any]"
Rows: TypeAlias = "pd.Series[Any] | pd.DataFrame"
_TRUTH = f"{OURS}y"
_PREDICTED = f"{OURS}y_pred"
_VALUE = f"{OURS}value"
_PROBABILITY = f"{OURS}p:{CLASS}"
TASKS = f"{OURS}tasks"
"""The column of the task of each row, in the tables that arrays are read as."""
_ARRAYS = (np.ndarray, pd.Series, pd.DataFrame)


class _Run(NamedTuple):
    """What one training run of a model says of the rows."""

    argument: str
    """What messages call it."""
    passed: Any
    """As it was passed."""


def side_by_side(
    y: Any,
    predictions: Any,
    related: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    called: str = "predictions[{!r}]",
) -> tuple[Observations, Measured]:
    """Put the predictions of several models side by side, read as the tables of files are."""
    measured = measured_by(options)
    _check_truth(y, options["values"])
    runs = _runs_of(predictions, called)
    if options.get("tasks") is not None:
        _refuse_lacking_tasks(runs, options["tasks"])
    dividing = _dividing(options)
    rows = _aligned_arguments(y, runs, related, dividing)
    shared = _shared_columns(rows, related, dividing, measured)
    answers = _answers(rows, runs, options, measured)
    tables: dict[str, Records] = {}
    for run, columns in answers.by_run.items():
        all_columns = dict(shared)
        # one table with the truth is enough
        if not tables and answers.truth is not None:
            all_columns[_TRUTH] = answers.truth
        all_columns |= columns
        texts = {}
        for name, column in all_columns.items():
            texts[name] = arrow_column(column)
        tables[run] = Records(runs[run].argument, pa.table(texts), ())
    observations = read_given(
        GivenTables(options.get("name", "the test set"), tables),
        _columns(shared, dividing, options),
        values=measured.kind,
        labels=True,
        **answers.reading,
    )
    preparation = observations.preparation + answers.notes
    # passed arrays are chosen one by one: no column is left in which groups could hide
    observations = dataclasses.replace(observations, like_groups=(), preparation=preparation)
    return observations, measured


def _check_truth(y: Any, values: str | None) -> None:
    if values is None and y is None:
        raise UserError("y: found None, expected the true labels (or say what `values` are)")
    if values is not None and y is not None:
        raise UserError("y: labels are for predictions, not for numbers per row: pass None")


# --- the arguments


def _runs_of(predictions: Any, called: str) -> dict[str, _Run]:
    """Return all training runs of all models, by names that tell them apart."""
    expected = "those of each model by its name: {'old': …, 'new': …}"
    by_model = by_name("predictions", predictions, expected)
    # names such as 1 and "1" would be one model
    if len({str(model) for model in by_model}) < max(2, len(by_model.keys())):
        raise UserError(
            f"predictions: found {some(by_model)}, comparing needs two models with different names"
        )
    runs = {}
    for model, predicted in by_model.items():
        argument = called.format(str(model))
        runs_of_model = _training_runs(predicted)
        for i, run in enumerate(runs_of_model):
            name = run_name(str(model), seed=i + 1)
            if len(runs_of_model) > 1:
                runs[name] = _Run(f"{argument}[{i}]", run)
            else:
                runs[name] = _Run(argument, run)
    return runs


def _training_runs(predicted: Any) -> Sequence[Any]:
    """Return the training runs of a model: a list of arrays holds several."""
    if isinstance(predicted, Runs):
        return predicted.predicted
    if not isinstance(predicted, list | tuple) or not predicted:
        return [predicted]
    if all(isinstance(run, _ARRAYS) for run in predicted):
        return predicted
    return [predicted]


def _dividing(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that divide the rows, by name."""
    dividing = {}
    if options["subgroups"] is not None:
        expected = "columns by their names: {'sex': …}, or a DataFrame"
        by_column = by_name("subgroups", options["subgroups"], expected)
        dividing = {str(column): values for column, values in by_column.items()}
    for column in dividing:
        if column.startswith(OURS):
            raise UserError(f"subgroups: found {column!r}, expected a name without `:` before it")
    for column in options.get("bins") or {}:
        if column not in dividing:
            raise UserError(f"bins: {unknown('column', str(column), dividing)}")
    return dividing


def _subgroup(column: str) -> str:
    """Return what messages call a column that divides the rows."""
    return f"subgroups[{column!r}]"


def _aligned_arguments(
    y: Any, runs: Mapping[str, _Run], related: Mapping[str, Any], dividing: Mapping[str, Any]
) -> dict[str, Rows]:
    """Bring all arguments with one row each into one order."""
    arguments = {"y": y}
    for run in runs.values():
        arguments[run.argument] = run.passed
    arguments |= related
    for column, values in dividing.items():
        arguments[_subgroup(column)] = values
    return aligned(without_none(arguments))


def _refuse_lacking_tasks(runs: Mapping[str, _Run], tasks: Any) -> None:
    """Refuse predictions, or numbers, of which a task has none at all."""
    labels = pd.Series(tasks)
    for run in runs.values():
        # Series are matched by their index, arrays by position
        if isinstance(run.passed, pd.Series) and isinstance(tasks, pd.Series):
            is_there = labels.index.isin(run.passed.dropna().index)
        elif isinstance(run.passed, pd.Series | np.ndarray) and len(run.passed) == len(labels):
            values = pd.DataFrame(run.passed)
            is_there = values.notna().all(axis=1).to_numpy()
        else:
            continue
        lacking = sorted(set(labels.astype(str)) - set(labels[is_there].astype(str)))
        if lacking:
            raise UserError(
                f"{without_tasks(run.argument, lacking)}: leave what it lacks out of all arguments"
            )


def _shared_columns(
    rows: Mapping[str, Rows],
    related: Mapping[str, Any],
    dividing: Mapping[str, Any],
    measured: Measured,
) -> dict[str, Series]:
    """Return the columns that the tables of all models have: ids, what relates and divides rows."""
    relating = {}
    for role in related:
        if role in rows:
            relating[role] = one_column(role, rows[role])
    runs = relating.pop("runs", None)
    if runs is not None:
        _refuse_repeated_runs(relating["groups"], runs)
    if measured.of_items:
        if "groups" not in relating:
            raise UserError("groups: found None, expected the items that were run several times")
        items = relating["groups"]
        # the runs of an item count from 1 in the order of the rows: only their number matters
        shared = {f"{OURS}id": items, f"{OURS}runs": items.groupby(items).cumcount() + 1}
        if "tasks" in relating:
            shared[TASKS] = relating["tasks"]
    else:
        n = len(next(iter(rows.values())))
        # all arguments are in one order by now, so that the number of a row can be its id
        shared = {f"{OURS}id": pd.Series(np.arange(1, n + 1))}
        for role, labels in relating.items():
            shared[f"{OURS}{role}"] = labels
    # columns of subgroups may have any names: ours begin otherwise
    for column in dividing:
        shared[column] = one_column(_subgroup(column), rows[_subgroup(column)])
    return shared


def _refuse_repeated_runs(groups: Series, runs: Series) -> None:
    pairs = pd.DataFrame({"group": groups, "run": runs}).astype(str)
    twice = pairs[pairs.duplicated()].drop_duplicates()
    if len(twice):
        repeated = (twice["group"] + " run " + twice["run"]).tolist()
        raise UserError(f"runs: a group has each run once; found twice: {some(repeated)}")


def _columns(
    shared: Mapping[str, Series], dividing: Mapping[str, Any], options: Mapping[str, Any]
) -> GivenColumns:
    """Say which column of the tables has which role."""
    roles = {
        "predicted": _PREDICTED,
        "probabilities": _PROBABILITY,
        "truth": _TRUTH,
        "value": _VALUE,
    }
    for column in shared:
        if column not in dividing:
            roles[column.removeprefix(OURS)] = column
    bins = options.get("bins") or {}
    subgroups = []
    for column in dividing:
        subgroup: dict[str, Any] = {"column": column}
        if column in bins:
            subgroup["bins"] = np.ravel(bins[column]).tolist()
        subgroups.append(subgroup)
    return validated(GivenColumns, {**roles, "subgroups": subgroups})


# --- what models say of the rows


class _Answers(NamedTuple):
    """What models say of the rows, as columns of tables, and how these are read."""

    by_run: Mapping[str, Mapping[str, Series]]
    truth: Series | None = None
    reading: Mapping[str, Any] = {}
    """What reading the tables takes beside them: kind of the answers, classes, positive class."""
    notes: tuple[str, ...] = ()


def _answers(
    rows: Mapping[str, Rows],
    runs: Mapping[str, _Run],
    options: Mapping[str, Any],
    measured: Measured,
) -> _Answers:
    """Tell numbers per row, predicted numbers, and labels or probabilities from each other."""
    if options["values"] is not None:
        return _Answers(_one_column_each(rows, runs, _VALUE))
    truth = one_column("y", rows["y"])
    if any(rows[run.argument].ndim == 2 for run in runs.values()):
        # models have no column of probabilities for classes that no row has
        truth = _without_unused_categories(truth)
    classes = options.get("classes") or ()
    numbers = measured.numbers
    if numbers is None:
        numbers = looks_like_a_quantity(truth)
    if numbers:
        reading = _reading(True, list(map(name_of, classes)), options)
        return _Answers(_one_column_each(rows, runs, _PREDICTED), truth, reading)
    names = _classes(truth, classes)
    reading = _reading(False, names if len(classes) else (), options)
    return _of_classes(rows, runs, truth, names, reading)


def _reading(numbers: bool, classes: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Say how the tables are read; `classes` are those that were passed, if any."""
    positive = options.get("positive")
    # scikit-learn has the positive class last
    if positive is None and len(classes) == 2:
        positive = classes[-1]
    if positive is not None:
        positive = name_of(positive)
    return {"numbers": numbers, "classes": classes, "positive": positive}


def _of_classes(
    rows: Mapping[str, Rows],
    runs: Mapping[str, _Run],
    truth: Series,
    classes: Sequence[str],
    reading: Mapping[str, Any],
) -> _Answers:
    """Tell labels from probabilities, and find the class of each column of these."""
    rows_by_run = {}
    for name, run in runs.items():
        rows_by_run[name] = rows[run.argument]
    _refuse_parts_of_models(rows_by_run, classes)
    by_run = {}
    unnamed = []  # models whose columns of probabilities are told by their places
    for name, run in runs.items():
        values = rows_by_run[name]
        by_place = _is_array(run.passed) or _are_counted(values, classes)
        order_was_passed = len(reading["classes"]) > 0
        if by_place and not order_was_passed and _has_columns(values):
            _check_declared_order(run.argument, truth, classes)
            model, _ = run_of(name)
            unnamed.append(model)
        by_run[name] = _labels_or_probabilities(run.argument, values, classes, by_place)
    return _Answers(by_run, truth, reading, _notes_on_order(truth, classes, unnamed))


def _has_columns(rows: Rows) -> bool:
    """Tell whether an argument has several columns."""
    return isinstance(rows, pd.DataFrame) and rows.shape[1] > 1


def _one_column_each(
    rows: Mapping[str, Rows], runs: Mapping[str, _Run], column: str
) -> dict[str, dict[str, Series]]:
    """Return the number that each run has on each row."""
    columns_by_run = {}
    for name, run in runs.items():
        columns_by_run[name] = {column: one_column(run.argument, rows[run.argument])}
    return columns_by_run


def _is_array(values: Any) -> bool:
    """Tell whether the columns of an argument have no names."""
    return not (isinstance(values, pd.DataFrame) or hasattr(values, "to_pandas"))


def _notes_on_order(
    truth: Series, classes: Sequence[str], models: Sequence[str]
) -> tuple[str, ...]:
    """Say in which order columns without names were read, where another one was possible."""
    if not models or _declared_order(truth) == list(classes):
        return ()
    names = joined(list(dict.fromkeys(models)))
    order = joined(list(map(repr, classes)))
    return (f"The columns of probabilities of {names} are read in the order {order}.",)


def _without_unused_categories(y: Series) -> Series:
    """Leave out categories that no row has."""
    if not isinstance(y.dtype, pd.CategoricalDtype):
        return y
    return y.cat.remove_unused_categories()


def _declared_order(y: Series) -> list[str]:
    """Return the classes in the order of the categories of the truth, else in sorted order."""
    if not isinstance(y.dtype, pd.CategoricalDtype):
        return sorted_names(y)
    return list(map(name_of, _without_unused_categories(y).cat.categories))


def _check_declared_order(argument: str, y: Series, classes: Sequence[str]) -> None:
    """Ask for the order of columns without names where ordered categories have one of their own."""
    declared = _declared_order(y)
    is_ordered = isinstance(y.dtype, pd.CategoricalDtype) and y.cat.ordered
    if not is_ordered or declared == list(classes):
        return
    raise UserError(
        f"{argument}: its columns of probabilities have no names, and the categories of y are "
        f"in the order {' < '.join(declared)}, whereas scikit-learn sorts its columns by class: "
        f"give the order of the columns, `classes={declared!r}` or `classes={list(classes)!r}`, or "
        "a DataFrame with a column for each class"
    )


def _refuse_parts_of_models(answers: Mapping[str, Rows], classes: Sequence[str]) -> None:
    """Refuse labels and probabilities of one model that stand as two models."""
    names = []
    numeric = []
    for name, rows in answers.items():
        if isinstance(rows, pd.Series):
            names.append(name)
            if pd.api.types.is_numeric_dtype(rows.dtype):
                numeric.append(name)
    for model, by_part in columns_by_model(names, classes, numeric).items():
        columns: list[str] = []
        for columns_of_part in by_part.values():
            columns += columns_of_part
        quoted = joined(list(map(repr, columns)))
        of_model = ""
        if model:
            of_model = f", {model}"
        raise UserError(
            f"predictions: {quoted} look like the labels and probabilities of one model{of_model}: "
            "give one of them, or call different models otherwise"
        )


def _classes(y: Series, classes: Sequence[Any]) -> list[str]:
    """Return the classes in the order of the columns of probabilities."""
    present = sorted_names(y)
    spellings = unclear_spellings(present, list(map(name_of, classes)))
    if spellings:
        raise UserError(
            f"y: {said_of_spellings('it', spellings, counted(y))}. Write each class in one way, as "
            "by `y.str.strip().str.lower()`; if these are different classes, list all of them, "
            "`classes=[…]`"
        )
    if not len(classes):
        return present
    columns = [spelled_as(name_of(name), present) for name in classes]
    lacking = [name for name in present if name not in columns]
    if len(set(columns)) < len(columns) or lacking:
        also = f"; y has {some(lacking)} too" if lacking else ""
        raise UserError(f"classes: found {some(columns)}, expected every class once{also}")
    return columns


def _labels_or_probabilities(
    argument: str, rows: Rows, classes: Sequence[str], by_place: bool
) -> dict[str, Series]:
    """Return what one model predicts as the columns of a file, those of probabilities by class."""
    if isinstance(rows, pd.Series):
        return {_PREDICTED: rows}
    names = [spelled_as(name_of(column), classes) for column in rows.columns]
    # a column that is called like no class has labels, or the probabilities of the positive one
    if len(names) == 1 and (by_place or names[0] not in classes):
        return {_PREDICTED: rows.iloc[:, 0]}
    if by_place:
        if len(names) != len(classes):
            raise UserError(
                f"{argument}: found {len(names)} columns, there are {len(classes)} classes "
                f"({some(classes)}); name all of them in `classes`, in the order of the columns"
            )
        names = list(classes)
    for name in names:
        if name not in classes:
            raise UserError(f"{argument}: {unknown('class', name, classes)}")
    if len(set(names)) < len(names):
        raise UserError(f"{argument}: a class has two columns ({some(names)})")
    columns = {}
    for place, name in enumerate(names):
        columns[_PROBABILITY.replace(CLASS, name)] = rows.iloc[:, place]
    return columns


def _are_counted(rows: Rows, classes: Sequence[str]) -> bool:
    """Tell whether the columns of a frame are numbered by their places, not called by classes."""
    if isinstance(rows, pd.Series):
        return False
    names = list(map(name_of, rows.columns))
    # a frame made of an array has the columns 0, 1, …, which may also be classes called 0 and 1
    numbers = list(map(str, range(len(names))))
    return names == numbers and set(names) != set(classes)


# --- rows in one order


def aligned(arguments: Mapping[str, Any]) -> dict[str, Rows]:
    """Bring arguments with one row each into one order: by their index, or by position."""
    rows = {}
    indexed = []
    for argument, values in arguments.items():
        rows[argument] = rows_of(argument, values)
        # frames of other libraries have no index
        if isinstance(values, pd.Series | pd.DataFrame):
            indexed.append(argument)
    first = next(iter(rows))
    _check_lengths(rows, first)
    leading = first
    if indexed:
        leading = indexed[0]
    order = rows[leading].index
    moved = []
    for argument in indexed:
        if not rows[argument].index.equals(order):
            _check_same_index(argument, rows[argument].index, leading, order)
            moved.append(argument)
    # nobody knows whether an array follows the order of the first index or of another one
    if moved and len(indexed) < len(rows):
        bare = next(argument for argument in rows if argument not in indexed)
        raise UserError(
            f"{bare}: it has no index, and {moved[0]} is in another order than {leading}: give it "
            "the index of its rows, or bring all into one order"
        )
    ordered = {}
    for argument, values in rows.items():
        if argument in moved:
            values = values.reindex(order)
        ordered[argument] = values.reset_index(drop=True)
    return ordered


def _check_lengths(rows: Mapping[str, Rows], first: str) -> None:
    n = len(rows[first])
    if not n:
        raise UserError(f"{first}: found no rows, expected a value for each row")
    for argument, values in rows.items():
        if len(values) != n:
            raise UserError(f"{argument}: found {len(values):,} rows, {first} has {n:,}")


def _check_same_index(
    argument: str, index: pd.Index[Any], leading: str, order: pd.Index[Any]
) -> None:
    """Refuse rows that cannot be brought into the order of those of another argument."""
    strange = index.difference(order)
    each_once = index.is_unique and order.is_unique
    same = each_once and not len(order.difference(index))
    # an index that only counts says nothing of rows that another one names
    if same and _counts(index) == _counts(order):
        return
    unknown_rows = ""
    if len(strange):
        unknown_rows = f" (it has {some(strange)})"
    raise UserError(
        f"{argument}: its index is another one than that of {leading}{unknown_rows}: give both the "
        "same index, in which each row is once, or pass `.to_numpy()` of both to pair them by "
        "position"
    )


def _counts(index: pd.Index[Any]) -> bool:
    """Tell whether an index merely counts the rows, as pandas does where none is given."""
    return isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index)))


def one_column(argument: str, rows: Rows) -> Series:
    """Take the only column."""
    if isinstance(rows, pd.Series):
        return rows
    if rows.shape[1] != 1:
        raise UserError(
            f"{argument}: found {rows.shape[1]} columns, expected one value for each row"
        )
    return rows.iloc[:, 0]


def rows_of(argument: str, passed: Any) -> Rows:
    """Return an argument as rows of pandas."""
    if isinstance(passed, pd.api.extensions.ExtensionArray):
        passed = pd.Series(passed)
    if isinstance(passed, pd.Series | pd.DataFrame) or hasattr(passed, "to_pandas"):
        rows: Rows = as_pandas(passed)
        return rows
    if hasattr(passed, "predict"):
        raise UserError(
            f"{argument}: found the estimator {type(passed).__name__}, expected its predictions: "
            "pass `model.predict(X_test)`; or compare learning algorithms with "
            "`bakeoff.compare_folds({name: cross_validate(model, X, y, cv=cv), …}, cv=cv)`"
        )
    try:
        values = np.asarray(passed)
        if values.dtype.kind == "U" and not isinstance(passed, np.ndarray):
            values = np.asarray(passed, dtype=object)  # a missing value among texts is no text
    except ValueError:  # lists of different lengths
        values = np.array(None)
    if values.ndim not in (1, 2):
        raise UserError(
            f"{argument}: found {type(passed).__name__}, expected one value for each row"
        )
    if values.ndim == 2:
        return pd.DataFrame(values)
    return series_of(values, passed)

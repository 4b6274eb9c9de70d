"""Predictions of the same rows, in memory or in files: compared, or held to a gate.

Arrays, Series and frames of one row each are aligned, then read as the records of files are.
"""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import ArrayLike

from bakeoff.api.build_study import (
    Measured,
    as_pandas,
    build_study,
    by_name,
    described_metric,
    measured_by,
    takes,
)
from bakeoff.api.datasets import MISSING, study_of_scores
from bakeoff.api.findings import Findings
from bakeoff.data.columns import sorted_names
from bakeoff.data.given_tables import GivenTables, read_columns, tables_of
from bakeoff.data.model_columns import columns_by_model
from bakeoff.data.observations import Observations
from bakeoff.data.open_table import read_frame
from bakeoff.data.predicted import Predicted
from bakeoff.data.read_given import read_given
from bakeoff.data.records import OURS, TASK, Records
from bakeoff.data.target import (
    Answers,
    counted,
    looks_like_a_quantity,
    said_of_spellings,
    spelled_as,
    unclear_spellings,
)
from bakeoff.errors import UserError, joined, printable, some, unknown
from bakeoff.files import is_file
from bakeoff.keys import name_of
from bakeoff.options import OPTIONS, setting
from bakeoff.release import GateRows, GateVerdict, check_margins, decide, read_terms
from bakeoff.report.numbers import count
from bakeoff.report.study import Study
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.identifiers import arrow_column, series_of
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.load import read_yaml, validated
from bakeoff.spec.metrics import RIGHT, GivenMetric, Passing, passing_of
from bakeoff.spec.related import names_repetitions
from bakeoff.stats import Release, Runs

Series: TypeAlias = "pd.Series[Any]"
Rows: TypeAlias = "pd.Series[Any] | pd.DataFrame"
RELATING = ("groups", "time", "runs", "seeds")
"""The columns that relate rows."""
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
_TRUTH, _PREDICTED, _VALUE = f"{OURS}y", f"{OURS}y_pred", f"{OURS}value"
_PROBABILITY = f"{OURS}p:{CLASS}"
"""Columns of the tables that arrays are read as."""
_MOST_TASKS = 20
_NAMES_OF_DATASETS = ("dataset", "data set", "data_set", "task", "problem", "benchmark")
_OF_SCORES = {
    *("metrics", "models", "values", "datasets", "groups", "runs", "versus", "alpha"),
    *("alternative", "correction", "format", "encoding", "missing", "missing_values", "json"),
    "output",
}
"""The options of a table of scores."""


class CompareSettings(TypedDict, total=False):
    """What few need."""

    metric: str | Sequence[str]
    bins: Mapping[str, Sequence[float]] | None
    classes: Sequence[object]
    costs: Mapping[str, object] | None
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    variant: str | None
    independent_rows: bool
    unit: str | None
    name: str


@takes(CompareSettings, name="the test set")
def compare(
    y: ArrayLike | None,
    predictions: Mapping[str, object] | pd.DataFrame,
    *,
    metrics: str | Sequence[str] = (),
    groups: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    time: ArrayLike | None = None,
    subgroups: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    values: Literal["higher", "lower", "right", "wrong"] | None = None,
    positive: object = None,
    task: Literal["classification", "regression"] | None = None,
    versus: str | None = None,
    alpha: float = 0.05,
    **settings: Unpack[CompareSettings],
) -> Findings:
    """Compare models by their predictions of the same rows.

    Arrays are paired by position; Series and DataFrames of pandas by their index, which must be
    the same. Two models are compared by McNemar's test, more by Cochran's and then McNemar's; by
    other metrics with the tests on their influence functions.

    Parameters
    ----------
    y : array_like, shape (n,), or None
        The true labels or numbers; None with `values`.
    predictions : Mapping of str to array_like, or DataFrame
        For each model its predicted labels or numbers, shape (n,); or probabilities: those of the
        positive one of two classes, shape (n,), or of every class, shape (n, K), in the order of
        `classes`, or a DataFrame with a column for each class. A DataFrame has the labels or
        numbers of each model in a column. A list of arrays holds several training runs of a model,
        each with other seeds, which are then compared by `recipe_difference`;
        ``bakeoff.stats.Runs([array], deterministic=True)`` is a model without a random part.
    metrics : str or sequence of str
        Names like ``"f1"`` or ``"rmse"``; default: accuracy, of numbers RMSE. Also called `metric`.
        ``"./mymetrics.py:profit:higher"`` is a function of your own. With `values` that say what is
        right and `groups` that are items ``"pass@5"``: how often at least one of 5 runs of an item
        is right (``"pass^5"``: all of them), by the unbiased estimate from all runs of an item.
    runs : array_like, shape (n,), optional
        Which run of its item a row is, where items were run several times and `groups` are the
        items: each has a run once.
    subgroups : Mapping of str to array_like, or DataFrame, optional
        Columns, shape (n,), that divide the rows: the models are compared in each part too, and
        whether the difference is another one there.

    Returns
    -------
    Findings
        The same numbers as `bakeoff compare` finds in files.

    Examples
    --------
    >>> import bakeoff
    >>> y = ["cat"] * 30 + ["dog"] * 30
    >>> old = ["cat"] * 20 + ["dog"] * 30 + ["cat"] * 10
    >>> new = ["cat"] * 29 + ["dog"] * 31
    >>> found = bakeoff.compare(y, {"old": old, "new": new})
    >>> print(found.verdict.splitlines()[0])
    new is better than old by accuracy.
    >>> found.comparisons.loc[0, ["model_a", "model_b", "decision"]].tolist()
    ['old', 'new', 'b_better']
    """
    related = {"groups": groups, "runs": runs, "time": time}
    if groups is not None and time is not None:
        raise UserError("groups: cannot be combined with time: keep one of them")
    if runs is not None and groups is None:
        raise UserError("runs: found no groups, expected the items that were run several times")
    if settings["bins"] is not None and subgroups is None:
        raise UserError("bins: found no subgroups, expected the columns to be cut")
    how: dict[str, Any] = {**settings, "positive": positive, "task": task, "values": values}
    how |= {"metrics": metrics, "subgroups": subgroups, "versus": versus, "alpha": alpha}
    given, measured = side_by_side(y, predictions, related, how)
    roles = () if measured.of_items else related
    columns = {role: role for role in roles if related[role] is not None}
    models = predictions.items() if isinstance(predictions, Mapping) else ()
    fixed = [str(m) for m, one in models if isinstance(one, Runs) and one.deterministic]
    how["deterministic"] = fixed
    return Findings(
        build_study(given, measured, columns, how, "bakeoff.compare(y, predictions, …)")
    )


class GateSettings(TypedDict, total=False):
    """What few need."""

    metric: str | Sequence[str] | Mapping[str, float | str]
    subgroup: ArrayLike | Mapping[str, ArrayLike]
    classes: Sequence[object]
    costs: Mapping[str, object] | None
    unit: str | None


@takes(GateSettings)
def gate(
    y: ArrayLike | None,
    base: object,
    candidate: object,
    *,
    margin: float | str | None = None,
    metrics: str | Sequence[str] | Mapping[str, float | str] = (),
    groups: ArrayLike | None = None,
    subgroups: ArrayLike | Mapping[str, ArrayLike] | None = None,
    values: Literal["higher", "lower", "right", "wrong"] | None = None,
    positive: object = None,
    superior: bool = False,
    alpha: float = 0.05,
    task: Literal["classification", "regression"] | None = None,
    **settings: Unpack[GateSettings],
) -> GateVerdict:
    """Decide whether a candidate may take the place of a base, as `bakeoff gate` does.

    Parameters
    ----------
    y : array_like, shape (n,), or None
        The true labels or numbers; None with `values`.
    base, candidate : array_like, shape (n,) or (n, K)
        What each predicts of the same rows: labels, probabilities or numbers as in `compare`, or
        with `values` a number for each row; of several training runs a list of arrays.
    margin : float or str
        The largest loss that does not matter, in the unit of the metric and less than the width of
        its range, or ``"2%"`` of the base's value; with `superior` the smallest gain that does.
        Left out where every metric has a margin of its own.
    metrics : str, sequence of str or Mapping of str to margin
        A metric of one test set, or a function of your own, ``"./mymetrics.py:profit:higher"``;
        default: accuracy, of numbers RMSE. By several the candidate must pass each, and the levels
        of harm are divided among them: ``["f1", "mcc"]`` with one margin, ``{"brier": 0.005,
        "roc_auc": "2%"}`` with a margin of each. Also called `metric`.
    subgroups : array_like, shape (n,), or Mapping of str to array_like, optional
        Block where the rows of one of its values are shown worse by more than the margin; of
        several columns each by its name.
    alpha : float
        Probability of a false ship, and of a false block.

    Returns
    -------
    GateVerdict
        `decision` is ``"ship"``, ``"block"`` or ``"undecided"``; as a text it gives the reasons.

    Examples
    --------
    >>> import bakeoff
    >>> y = ["cat", "dog"] * 500
    >>> old = ["cat", "dog"] * 450 + ["dog", "cat"] * 50
    >>> new = ["cat", "dog"] * 452 + ["dog", "cat"] * 48
    >>> found = bakeoff.gate(y, old, new, margin=0.01)
    >>> str(found.decision)
    'ship'
    """
    if subgroups is not None and not isinstance(subgroups, Mapping | pd.DataFrame):
        subgroups = {"subgroup": subgroups}
    how: dict[str, Any] = {**settings, "positive": positive, "task": task, "values": values}
    margins = _margins(metrics)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    check_margins(names, margins, margin)
    how |= {"metrics": names, "subgroups": subgroups}
    models = {"base": base, "candidate": candidate}
    given, measured = side_by_side(y, models, {"groups": groups}, how, called="{}")
    parts = {name: np.asarray(column.astype(str)) for name, column in given.subgroups.items()}
    kind = measured.kind
    better = not isinstance(kind, GivenMetric) or kind.greater_is_better
    rows = GateRows(given, parts, greater_is_better=better)
    rows = rows.measured(settings["unit"], settings["costs"])
    return decide(rows, read_terms(rows, measured.names, margins, margin, alpha, superior))


def _margins(metrics: str | Sequence[str] | Mapping[str, float | str]) -> list[float | str | None]:
    """Return the margin of each metric; None where the metrics are names alone."""
    if isinstance(metrics, Mapping):
        return list(metrics.values())
    return [None] * (1 if isinstance(metrics, str) else len(metrics))


def assert_not_worse(
    y: ArrayLike | None,
    base: Any,
    candidate: Any,
    *,
    margin: float | str | None = None,
    undecided: Literal["fail", "skip"] = "fail",
    **options: Any,
) -> GateVerdict:
    """Raise unless `gate` ships the candidate."""
    if undecided not in ("fail", "skip"):
        raise UserError(f"undecided: {unknown('answer', undecided, ('fail', 'skip'))}")
    verdict = gate(y, base, candidate, margin=margin, **options)
    if verdict.decision is Release.SHIP:
        cautions = [text for one in verdict.each for text in one.overall.limits.warnings]
        for text in dict.fromkeys(cautions):
            warnings.warn(f"shipped with caution: {text}", stacklevel=2)
        return verdict
    if verdict.decision is Release.UNDECIDED and undecided == "skip":
        import pytest

        pytest.skip(str(verdict))
    raise AssertionError(str(verdict))


# --- arrays


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
    values, numbers, bins = options["values"], measured.numbers, options.get("bins") or {}
    if values is None and y is None:
        raise UserError("y: found None, expected the true labels (or say what `values` are)")
    if values is not None and y is not None:
        raise UserError("y: labels are for predictions, not for numbers per row: pass None")
    classes, positive = options.get("classes") or (), options.get("positive")
    expected = "those of each model by its name: {'old': …, 'new': …}"
    by_model = by_name("predictions", predictions, expected)
    if len({str(model) for model in by_model}) < max(2, len(by_model.keys())):
        raise UserError(
            f"predictions: found {some(by_model)}, comparing needs two models with different names"
        )
    runs: dict[str, tuple[str, Any]] = {}
    arrays = np.ndarray, pd.Series, pd.DataFrame
    for model, one in by_model.items():
        several: Sequence[Any] = [one]
        if isinstance(one, Runs):
            several = one.predicted
        elif isinstance(one, list | tuple) and one and all(isinstance(r, arrays) for r in one):
            several = one  # of which each is a training run
        for seed, run in enumerate(several, start=1):
            place = f"[{seed - 1}]" if len(several) > 1 else ""
            runs[run_name(str(model), seed)] = called.format(str(model)) + place, run
    dividing = {}
    if options["subgroups"] is not None:
        expected = "columns by their names: {'sex': …}, or a DataFrame"
        by_column = by_name("subgroups", options["subgroups"], expected)
        dividing = {str(column): one for column, one in by_column.items()}
    if strange := [column for column in dividing if column.startswith(OURS)]:
        raise UserError(f"subgroups: found {strange[0]!r}, expected a name without `:` before it")
    for column in bins:
        if column not in dividing:
            raise UserError(f"bins: {unknown('column', str(column), dividing)}")
    arguments = {"y": y, **dict(runs.values()), **related}
    arguments |= {f"subgroups[{column!r}]": one for column, one in dividing.items()}
    rows = aligned({what: one for what, one in arguments.items() if one is not None})
    kin = {role: one_column(role, rows[role]) for role in related if role in rows}
    if "runs" in kin:
        pairs = pd.DataFrame({"group": kin["groups"], "run": kin.pop("runs")}).astype(str)
        twice = pairs[pairs.duplicated()].drop_duplicates()
        if len(twice):
            repeated = [f"{group} run {run}" for group, run in twice.itertuples(index=False)]
            raise UserError(f"runs: a group has each run once; found twice: {some(repeated)}")
    ids = pd.Series(np.arange(1, len(next(iter(rows.values()))) + 1))
    # columns of subgroups may have any names: ours begin otherwise
    shared = {f"{OURS}id": ids} | {f"{OURS}{role}": labels for role, labels in kin.items()}
    if measured.of_items:
        if "groups" not in kin:
            raise UserError("groups: found None, expected the items that were run several times")
        items = kin["groups"]
        shared = {f"{OURS}id": items, f"{OURS}runs": items.groupby(items).cumcount() + 1}
    roles = {column.removeprefix(OURS): column for column in shared}
    roles |= {"predicted": _PREDICTED, "probabilities": _PROBABILITY, "truth": _TRUTH}
    roles |= {"value": _VALUE}
    for column in dividing:
        what = f"subgroups[{column!r}]"
        shared[column] = one_column(what, rows[what])
    how: dict[str, Any] = {"values": measured.kind, "labels": True}
    columns: list[str] = []
    if values is None:
        truth = one_column("y", rows["y"])
        if any(rows[what].ndim == 2 for what, _ in runs.values()):  # of the classes that occur
            truth = _without_unused_categories(truth)
        how["numbers"] = looks_like_a_quantity(truth) if numbers is None else numbers
        columns = list(map(name_of, classes)) if how["numbers"] else _classes(truth, classes)
        how["classes"] = columns if len(classes) else ()
        if positive is None and len(classes) == 2:
            positive = columns[-1]
        how["positive"] = None if positive is None else name_of(positive)
        if not how["numbers"]:
            answers = {run: rows[what] for run, (what, _) in runs.items()}
            _refuse_parts_of_models(answers, columns)
    tables: dict[str, Records] = {}
    in_order: list[str] = []
    for run, (what, given) in runs.items():
        if values is not None or how["numbers"]:
            taken = {_PREDICTED if values is None else _VALUE: one_column(what, rows[what])}
        else:
            is_array = not (isinstance(given, pd.DataFrame) or hasattr(given, "to_pandas"))
            by_place = is_array or _are_counted(rows[what], columns)
            if by_place and rows[what].ndim == 2 and rows[what].shape[1] > 1 and not len(classes):
                _check_declared_order(what, truth, columns)
                in_order.append(run_of(run)[0])
            taken = _labels_or_probabilities(what, rows[what], columns, by_place)
        true = {_TRUTH: truth} if values is None and not tables else {}
        texts = {n: arrow_column(one) for n, one in (shared | true | taken).items()}
        tables[run] = Records(what, pa.table(texts), ())
    cut = {column: {"bins": np.ravel(cuts).tolist()} for column, cuts in bins.items()}
    parts = [{"column": column, **cut.get(column, {})} for column in dividing]
    named = validated(GivenColumns, {**roles, "subgroups": parts})
    given = read_given(GivenTables(options.get("name", "the test set"), tables), named, **how)
    notes = given.preparation
    if in_order and _declared_order(truth) != columns:
        models = joined(list(dict.fromkeys(in_order)))
        order = joined([repr(one) for one in columns])
        notes += (f"The columns of probabilities of {models} are read in the order {order}.",)
    return dataclasses.replace(given, like_groups=(), preparation=notes), measured


def _without_unused_categories(y: Series) -> Series:
    """Leave out categories that no row has: models have no column of probabilities for them."""
    return y.cat.remove_unused_categories() if isinstance(y.dtype, pd.CategoricalDtype) else y


def _declared_order(y: Series) -> list[str]:
    """Return the classes in the order of the categories of the truth, else in sorted order."""
    if not isinstance(y.dtype, pd.CategoricalDtype):
        return sorted_names(y)
    return list(map(name_of, _without_unused_categories(y).cat.categories))


def _check_declared_order(what: str, y: Series, classes: Sequence[str]) -> None:
    """Ask for the order of columns without names where ordered categories have one of their own."""
    declared = _declared_order(y)
    is_ordered = isinstance(y.dtype, pd.CategoricalDtype) and y.cat.ordered
    if not is_ordered or declared == list(classes):
        return
    raise UserError(
        f"{what}: its columns of probabilities have no names, and the categories of y are in the "
        f"order {' < '.join(declared)}, whereas scikit-learn sorts its columns by class: give the "
        f"order of the columns, `classes={declared!r}` or `classes={list(classes)!r}`, or a "
        "DataFrame with a column for each class"
    )


def _refuse_parts_of_models(answers: Mapping[str, Rows], classes: Sequence[str]) -> None:
    """Refuse labels and probabilities of one model that stand as two models."""
    alone = {name: one for name, one in answers.items() if one.ndim == 1}
    numeric = [name for name, one in alone.items() if pd.api.types.is_numeric_dtype(one.dtype)]
    for model, by_part in columns_by_model(list(alone), classes, numeric).items():
        found = joined([repr(column) for columns in by_part.values() for column in columns])
        raise UserError(
            f"predictions: {found} look like the labels and probabilities of one model"
            f"{f', {model}' if model else ''}: give one of them, or call different models otherwise"
        )


def _classes(y: Series, classes: Sequence[Any]) -> list[str]:
    """Return the classes in the order of the columns of probabilities."""
    present = sorted_names(y)
    if spellings := unclear_spellings(present, list(map(name_of, classes))):
        raise UserError(
            f"y: {said_of_spellings('it', spellings, counted(y))}. Write each class in one way, as "
            "by `y.str.strip().str.lower()`; if these are different classes, list all of them, "
            "`classes=[…]`"
        )
    if not len(classes):
        return present
    columns = [spelled_as(name_of(one), present) for one in classes]
    lacking = [one for one in present if one not in columns]
    if len(set(columns)) < len(columns) or lacking:
        raise UserError(
            f"classes: found {some(columns)}, expected every class once"
            + (f"; y has {some(lacking)} too" if lacking else "")
        )
    return columns


def _labels_or_probabilities(
    what: str, rows: Rows, classes: Sequence[str], by_place: bool
) -> dict[str, Series]:
    """Return what one model predicts as the columns of a file, those of probabilities by class."""
    if isinstance(rows, pd.Series):
        return {_PREDICTED: rows}
    names = [spelled_as(name_of(column), classes) for column in rows.columns]
    if len(names) == 1 and (by_place or names[0] not in classes):
        return {_PREDICTED: rows.iloc[:, 0]}
    if by_place:
        if len(names) != len(classes):
            raise UserError(
                f"{what}: found {len(names)} columns, there are {len(classes)} classes "
                f"({some(classes)}); name all of them in `classes`, in the order of the columns"
            )
        names = list(classes)
    strange = [one for one in names if one not in classes]
    if strange:
        raise UserError(f"{what}: {unknown('class', strange[0], classes)}")
    if len(set(names)) < len(names):
        raise UserError(f"{what}: a class has two columns ({some(names)})")
    return {_PROBABILITY.replace(CLASS, one): rows.iloc[:, i] for i, one in enumerate(names)}


def _are_counted(rows: Rows, classes: Sequence[str]) -> bool:
    """Tell whether the columns of a frame are numbered by their places, not called by classes."""
    if isinstance(rows, pd.Series):
        return False
    names = list(map(name_of, rows.columns))
    return names == [str(i) for i in range(len(names))] and set(names) != set(classes)


def aligned(arguments: Mapping[str, Any]) -> dict[str, Rows]:
    """Bring arguments with one row each into one order: by their index, or by position."""
    rows = {what: rows_of(what, given) for what, given in arguments.items()}
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
        index = rows[what].index
        strange = index.difference(order)
        same = index.is_unique and order.is_unique and not len(order.difference(index))
        if not same or _counts(index) != _counts(order):
            others = f" (it has {some(strange)})" if len(strange) else ""
            raise UserError(
                f"{what}: its index is another one than that of {leading}{others}: give both the "
                "same index, in which each row is once, or pass `.to_numpy()` of both to pair them "
                "by position"
            )
    if moved and len(indexed) < len(rows):
        bare = next(what for what in rows if what not in indexed)
        raise UserError(
            f"{bare}: it has no index, and {moved[0]} is in another order than {leading}: give it "
            "the index of its rows, or bring all into one order"
        )
    ordered = {what: one.reindex(order) if what in moved else one for what, one in rows.items()}
    return {what: one.reset_index(drop=True) for what, one in ordered.items()}


def one_column(what: str, rows: Rows) -> Series:
    """Take the only column."""
    if isinstance(rows, pd.Series):
        return rows
    if rows.shape[1] != 1:
        raise UserError(f"{what}: found {rows.shape[1]} columns, expected one value for each row")
    return rows.iloc[:, 0]


def rows_of(what: str, given: Any) -> Rows:
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


def _counts(index: pd.Index[Any]) -> bool:
    """Tell whether an index merely counts the rows, as pandas does where none is given."""
    return isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index)))


# --- files


def read_tables(
    paths: Sequence[str], options: Mapping[str, Any], subgroups: Any = ()
) -> tuple[GivenTables, GivenColumns, Measured]:
    """Read the tables of paths, and tell what is left out."""
    measured = measured_by(options)
    missing = options.get("missing")
    if missing not in (None, "wrong", "common"):
        raise UserError(f"missing: {unknown('value', missing, ('wrong', 'common'))}")
    others = [name for name in measured.metrics if name not in RIGHT]
    if missing == "wrong" and measured.kind is None and others:
        raise UserError(
            f"missing: wrong is for accuracy, and a missing label is no class by {others[0]}: "
            f"{setting('missing', 'common')} compares the rows that all models have"
        )
    tables = tables_of(paths, keys_named(options), partial=missing is not None)
    value = options["value"]
    if value is not None and (options["values"] is None or tables.wide is not None):
        raise UserError("value: is for numbers (values) in one table per model")
    if options["tasks"] is not None or (tables.tasks and options["values"] is not None):
        tables = tables.of_tasks(options["tasks"], value)
        value = "value" if "value" in tables.first.names else None
    truth = options["truth"]
    if truth is not None and is_file(truth) and truth not in tables.first.names:
        solution = read_columns(truth, ("truth",), keys_named(options))
        tables = tables.beside(solution, GivenColumns.model_validate({"id": options["id"]}))
        truth = "y_true"
    for text in tables.left_out:
        sys.stderr.write(f"{printable(text)}\n")
    keys = {"truth": truth, "id": options["id"], "predicted": options["predicted"], "value": value}
    keys |= {name: options.get(name) for name in RELATING}
    columns = validated(GivenColumns, {**keys, "subgroups": list(subgroups)})
    tables = tables.by_model(columns, options["models"])
    if options["value"] is not None and isinstance(measured.kind, GivenMetric):
        measured = measured._replace(kind=_named_like(measured.kind, options["value"]))
    if isinstance(measured.kind, str) and missing is None and _run_unequally(tables, columns):
        share = passing_of("pass@1")
        assert share is not None
        measured = measured._replace(kind=share.model_copy(update={"marks": measured.kind}))
    return tables, columns, measured


def _named_like(metric: GivenMetric, column: str) -> GivenMetric:
    """Call numbers per row, unless they are runs that pass, by the name of their column."""
    if isinstance(metric, Passing):
        return metric
    return described_metric(column, metric.greater_is_better, label=column)


def _run_unequally(tables: GivenTables, columns: GivenColumns) -> bool:
    """Tell whether models have the same items, which were run unequally often."""
    if columns.runs is None or tables.wide is not None:
        return False
    counts = []
    for one in tables.models.values():
        file = dataclasses.replace(one, roles=columns)
        counts.append(pd.Series(file.row_ids(file.require("id"))).value_counts().sort_index())
    same_items = all(one.index.equals(counts[0].index) for one in counts)
    return same_items and any((one != counts[0]).any() for one in counts)


def keys_named(options: Mapping[str, Any]) -> TableKeys:
    """Return what options say of how tables are written."""
    keys = {"format": options["format"], "missing_values": options["missing_values"]}
    if options["encoding"] is not None:
        keys["encoding"] = options["encoding"]
    return validated(TableKeys, keys)


def subgroups_named(parts: Sequence[str]) -> list[str | dict[str, Any]]:
    """Return columns that divide the rows, like ``age:40:65``, as an experiment has them."""
    columns: list[str | dict[str, Any]] = []
    for part in parts:
        name, *cuts = part.split(":")
        try:
            bins = [float(cut) for cut in cuts]
        except ValueError:
            raise UserError(
                f"subgroups: found {part!r}, expected a column like sex, or one of numbers with "
                "the places to cut it at, like age:40:65"
            ) from None
        columns.append({"column": name, "bins": bins} if bins else name)
    return columns


def costs_in(path: str | None) -> Any:
    """Read the costs of errors: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        costs = read_yaml(path)
    except UserError as error:
        raise UserError(f"costs: {error}") from None
    return costs.get("costs", costs) if isinstance(costs, Mapping) else costs


def study_of_files(options: Mapping[str, Any], command: str) -> tuple[Study, list[str]]:
    """Compare models as the options of `bakeoff compare` say; return how files are read too."""
    if options["datasets"] is not None:
        return _of_scores(options, command), []
    settings = {**options, "costs": costs_in(options["costs"])}
    if options["counts"] is not None:
        if options["files"] or options["subgroups"] is not None:
            raise UserError("--counts stands in place of files and their columns")
        counted = _called(_from_counts(options["counts"]), options["models"])
        by = Measured(metrics=tuple(options["metrics"] or ()))
        return build_study(counted, by, {}, settings, command), []
    if not options["files"]:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    subgroups = subgroups_named(options["subgroups"] or ())
    tables, columns, measured = read_tables(options["files"], options, subgroups)
    few = 1 < len(tables.tasks) <= _MOST_TASKS
    if options["subgroups"] is None and few and options["groups"] != TASK:
        # what one score hides: a task that weighs little
        columns = type(columns).model_validate({**columns.model_dump(), "subgroups": [TASK]})
    one_table = tables.wide is not None or tables.together
    models = options["models"] if one_table else None
    tables = tables.only(models)
    if tables.wide is None and len(tables.models) < 2:
        one = next(iter(tables.models))
        raise UserError(f"{tables.name} holds one model ({one}), comparing needs two")
    if measured.kind is None:
        tables.refuse_numbers()
        if tables.wide is not None and options["predicted"] is not None:
            raise UserError("predicted: is for one table per model; --models chooses columns")
    elif _counts_folds(columns.id):
        raise UserError(
            f"id: column {columns.id!r} counts folds or seeds, whose scores are no independent "
            "rows: compare scores of folds by `bakeoff.compare_folds`, or by `scores:` of an "
            "experiment; if these are rows, rename the column"
        )
    elif tables.wide is not None:
        used = {columns.groups, columns.time, columns.runs, columns.value}
        for name in tables.wide.names:
            if name.lower() in _NAMES_OF_DATASETS and name not in used:
                raise UserError(
                    f"values: a column is called {name!r}: are these data sets, with one score for "
                    f"each model? Then give {setting('datasets', name)}; rows of one test set need "
                    "another name"
                )
    given = read_given(
        tables,
        columns,
        models=models,
        classes=options["classes"],
        positive=options["positive"],
        drop_unlabelled=options["missing_target"] == "drop",
        labels=options["task"] == "classification",
        numbers=measured.numbers,
        values=measured.kind,
        missing=options["missing"],
    )
    related = {role: options[role] for role in RELATING[:3] if options[role] is not None}
    if measured.of_items:
        related.pop("runs", None)
    given = given if one_table else _called(given, options["models"])
    notes = [f"{text}." for text in tables.read_as]
    if len(given.left_out):
        notes.append(f"{count(len(given.left_out), 'row')} without a true label left out.")
    return build_study(given, measured, related, settings, command), notes


def _counts_folds(column: str | None) -> bool:
    """Tell whether a column of ids counts folds or seeds; runs may be ids of rows."""
    return column is not None and names_repetitions(column) and "run" not in column.lower()


def _of_scores(options: Mapping[str, Any], command: str) -> Study:
    """Compare models by a table of scores, data sets × models."""
    for name, option in OPTIONS.items():
        if name not in _OF_SCORES and options.get(name) not in (None, False, option.default):
            raise UserError(
                f"{name}: is for rows of a test set, not for a table of scores (datasets)"
            )
    values, files = options["values"], options["files"]
    if values in ("right", "wrong"):
        raise UserError(f"values: found {values}, a score is better if higher or lower")
    if len(files) != 1:
        raise UserError(f"datasets: expected one table, found {len(files)} files")
    settings = {"name": files[0], "decimals": None, "tests": (), "options": None, **options}
    settings |= {
        "metrics": options["metrics"] or (),
        "runs": options["runs"].split(",") if options["runs"] else (),
        "missing": options["missing"] or MISSING[0],
    }
    table = read_frame(files[0], ("table",), keys_named(options))
    return study_of_scores(table, command, settings)


def _called(given: Observations, names: Sequence[str] | None) -> Observations:
    """Give models of several tables other names."""
    if names is None:
        return given
    if len(names) != len(given.models) or len(set(names)) < len(names):
        raise UserError(
            f"models: expected {len(given.models)} different names, for {', '.join(given.models)}; "
            f"found {', '.join(names)}"
        )
    return given.called(names)


def _from_counts(text: str) -> Observations:
    """Make rows of two models from how many both, one or neither is right on."""
    counts = text.split(",")
    if len(counts) != 4 or not all(number.strip().isdecimal() for number in counts):
        raise UserError(
            f"counts: found {text!r}, expected four whole numbers: both right, only A right, only "
            "B right, both wrong; e.g. 329,22,17,63"
        )
    numbers = [int(number) for number in counts]
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise UserError(f"counts: expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")
    right, a, b = (
        Answers(("right", "wrong"), np.repeat(wrong, numbers))
        for wrong in ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1])
    )
    models = {"A": (Predicted(a),), "B": (Predicted(b),)}
    return Observations("the counts", np.arange(sum(numbers)), right, models, in_order=False)

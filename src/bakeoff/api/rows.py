"""Predictions of the same rows, in memory or in files: compared, or held to a gate.

`compare` and `gate` take arrays, which `arrays.side_by_side` reads as the tables of files are;
`study_of_files` is `bakeoff compare`. Both ways end in `build_study`, which plans and runs tests.
"""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bakeoff.api.arrays import TASKS, side_by_side
from bakeoff.api.build_study import build_study, without_none
from bakeoff.api.datasets import MISSING, study_of_scores
from bakeoff.api.findings import Findings
from bakeoff.api.judged_arrays import findings_of_call
from bakeoff.api.measured import Measured, described_metric, measured_by
from bakeoff.api.signature import takes
from bakeoff.api.tasks import over_tasks
from bakeoff.data.given_tables import GivenTables, read_columns, scores_of_folder, tables_of
from bakeoff.data.observations import Observations
from bakeoff.data.open_table import column_names, read_frame
from bakeoff.data.predicted import Predicted
from bakeoff.data.read_given import read_given
from bakeoff.data.records import MODEL, TASK
from bakeoff.data.target import Answers
from bakeoff.errors import UserError, printable, unknown
from bakeoff.files import is_file, is_folder
from bakeoff.options import OPTIONS, setting
from bakeoff.release import GateRows, GateVerdict, check_margins, decide, read_terms
from bakeoff.report.numbers import count
from bakeoff.report.study import Study
from bakeoff.sources.common.base import TableKeys
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import read_yaml, validated
from bakeoff.spec.metrics import RIGHT, GivenMetric, PassingRuns, passing_runs
from bakeoff.spec.related import names_repetitions
from bakeoff.stats import Release, Runs

RELATING = ("groups", "time", "runs", "seeds")
"""The columns that relate rows."""
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
_NAMES_OF_DATASETS = ("dataset", "data set", "data_set", "task", "problem", "benchmark")
_TASK_OF_ROW = "task of the row"
_OF_SCORES = {
    "metrics",
    "models",
    "values",
    "datasets",
    "groups",
    "runs",
    "versus",
    "alpha",
    "alternative",
    "correction",
    "tests",
    "format",
    "encoding",
    "missing",
    "missing_values",
    "impute",
    "seeds",
    "paired",
    "json",
    "output",
}
"""The options of a table of scores."""
_OF_SCORES_ALONE = ("impute", "paired", "tests")


class CompareSettings(TypedDict, total=False):
    """The rarely needed arguments of `compare`."""

    metric: str | Sequence[str]
    bins: Mapping[str, Sequence[float]] | None
    classes: Sequence[object]
    costs: Mapping[str, object] | None
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    variant: str | None
    independent_rows: bool
    unit: str | None
    tasks: ArrayLike | None
    weights: str | Mapping[str, float]
    name: str
    human: Mapping[str, ArrayLike] | None


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
    tasks : array_like, shape (n,), optional
        Which of several fixed tasks a row is of: the models are compared in the mean over tasks.
    weights : {"tasks", "items"} or Mapping of str to float, optional
        What tasks weigh: each alike, by their rows, or as given by task.
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
    if settings["human"] is not None:
        _refuse_beside_human(metrics, runs, time, subgroups, versus)
        return findings_of_call(
            predictions, settings["human"], groups=groups, values=values, alpha=alpha
        )
    if groups is not None and time is not None:
        raise UserError("groups: cannot be combined with time: keep one of them")
    if runs is not None and groups is None:
        raise UserError("runs: found no groups, expected the items that were run several times")
    if settings["bins"] is not None and subgroups is None:
        raise UserError("bins: found no subgroups, expected the columns to be cut")
    if settings["tasks"] is None and settings["weights"] is not None:
        raise UserError("weights: found no tasks, expected the task of each row")
    arguments: dict[str, Any] = {
        **settings,
        "metrics": metrics,
        "subgroups": subgroups,
        "values": values,
        "positive": positive,
        "task": task,
        "versus": versus,
        "alpha": alpha,
        "deterministic": _deterministic(predictions),
        "task_weights": settings["weights"],
    }
    related = {"groups": groups, "runs": runs, "time": time}
    of_rows = {**related, "tasks": settings["tasks"]}
    observations, measured = side_by_side(y, predictions, of_rows, arguments)
    columns = {}
    # of the runs of an item one value is left, and no rows that they would relate
    if not measured.of_items:
        for role in without_none(related):
            columns[role] = role
    if settings["tasks"] is not None:
        columns["tasks"] = TASKS
    command = "bakeoff.compare(y, predictions, …)"
    return Findings(build_study(observations, measured, columns, arguments, command))


def _deterministic(predictions: Any) -> list[str]:
    """Name the models that are said to have no random part."""
    if not isinstance(predictions, Mapping):
        return []
    deterministic = []
    for model, runs in predictions.items():
        if isinstance(runs, Runs) and runs.deterministic:
            deterministic.append(str(model))
    return deterministic


def _refuse_beside_human(metrics: Any, runs: Any, time: Any, subgroups: Any, versus: Any) -> None:
    """Refuse what says nothing of marks that people corrected."""
    arguments = {"metrics": metrics, "runs": runs, "time": time, "subgroups": subgroups}
    arguments["versus"] = versus
    for name, value in arguments.items():
        if value is not None and not (isinstance(value, str | tuple | list) and not len(value)):
            raise UserError(f"{name}: is not for marks of a judge beside those of people (human)")


class GateSettings(TypedDict, total=False):
    """The rarely needed arguments of `gate`."""

    metric: str | Sequence[str] | Mapping[str, float | str]
    subgroup: ArrayLike | Mapping[str, ArrayLike]
    classes: Sequence[object]
    costs: Mapping[str, object] | None
    unit: str | None
    tasks: ArrayLike | None
    each_task: float | None


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
    tasks : array_like, shape (n,), optional
        Which of several fixed tasks a row is of: the mean over tasks decides, and a task that is
        shown worse by the margin.
    each_task : float, optional
        Ship only what is shown not worse by this much in each task.
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
    names = list(metrics)
    if isinstance(metrics, str):
        names = [metrics]
    margins = _margins(metrics)
    check_margins(names, margins, margin)
    arguments: dict[str, Any] = {
        **settings,
        "metrics": names,
        "subgroups": subgroups,
        "values": values,
        "positive": positive,
        "task": task,
    }
    models = {"base": base, "candidate": candidate}
    tasks = settings["tasks"]
    if tasks is not None:
        # they are brought into the order of the rows as subgroups are
        labels = tasks if isinstance(tasks, pd.Series) else pd.Series(np.asarray(tasks))
        arguments["subgroups"] = {**(subgroups or {}), _TASK_OF_ROW: labels.map(str)}
    observations, measured = side_by_side(y, models, {"groups": groups}, arguments, called="{}")
    parts = {}
    for name, column in observations.subgroups.items():
        parts[name] = np.asarray(column.astype(str))
    greater_is_better = True
    if isinstance(measured.kind, GivenMetric):
        greater_is_better = measured.kind.greater_is_better
    of_tasks = parts.pop(_TASK_OF_ROW, None)
    passing = None
    if isinstance(measured.kind, PassingRuns):
        passing = measured.kind
    rows = GateRows(
        observations,
        parts,
        of_tasks,
        passing=passing,
        greater_is_better=greater_is_better,
    )
    rows = rows.measured(settings["unit"], settings["costs"])
    each_task = settings["each_task"]
    terms = read_terms(rows, measured.names, margins, margin, alpha, superior, each_task=each_task)
    return decide(rows, terms)


def _margins(metrics: str | Sequence[str] | Mapping[str, float | str]) -> list[float | str | None]:
    """Return the margin of each metric; None where the metrics are names alone."""
    if isinstance(metrics, Mapping):
        return list(metrics.values())
    if isinstance(metrics, str):
        return [None]
    return [None] * len(metrics)


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
        cautions: list[str] = []
        for of_metric in verdict.each:
            cautions += of_metric.overall.limits.warnings
        for text in dict.fromkeys(cautions):
            warnings.warn(f"shipped with caution: {text}", stacklevel=2)
        return verdict
    if verdict.decision is Release.UNDECIDED and undecided == "skip":
        import pytest

        pytest.skip(str(verdict))
    raise AssertionError(str(verdict))


# --- files: `bakeoff compare`


def study_of_files(options: Mapping[str, Any], command: str) -> tuple[Study, list[str]]:
    """Compare models as the options of `bakeoff compare` say; return how files are read too."""
    if options["datasets"] is not None or _of_training_runs(options):
        return _study_of_scores(options, command), []
    for name in _OF_SCORES_ALONE:
        if options[name]:
            raise UserError(f"{name}: is for a table of scores (datasets, seeds)")
    settings = {**options, "costs": costs_in(options["costs"])}
    if options["counts"] is not None:
        return _study_of_counts(options, settings, command), []
    if not options["files"]:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    subgroups = subgroups_named(options["subgroups"] or ())
    tables, columns, measured = read_tables(options["files"], options, subgroups)
    columns, settings["task_weights"] = over_tasks(tables, columns, options)
    # the option `models` chooses columns of one table, and renames the models of several
    in_one_table = tables.wide is not None or tables.together
    models = None
    if in_one_table:
        models = options["models"]
    tables = tables.only(models)
    _check_tables(tables, columns, measured, options)
    observations = read_given(
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
    if not in_one_table:
        observations = _called(observations, options["models"])
    notes = [f"{text}." for text in tables.read_as]
    if len(observations.left_out):
        notes.append(f"{count(len(observations.left_out), 'row')} without a true label left out.")
    relating = _relating(options, measured)
    if columns.tasks is not None:
        relating["tasks"] = columns.tasks
    return build_study(observations, measured, relating, settings, command), notes


def _of_training_runs(options: Mapping[str, Any]) -> bool:
    """Tell whether one table has the scores of training runs, and no rows of a test set."""
    of_scores = options["values"] in ("higher", "lower") and options["id"] is None
    if options["seeds"] is None or not of_scores or len(options["files"]) != 1:
        return False
    if not is_file(options["files"][0]):
        return False
    names = column_names(options["files"][0], ("table",), keys_named(options))
    # rows of a test set are repeated in every run; scores have no ids
    return not any(name.lower() in ("id", "row_id", "row") for name in names)


def _relating(options: Mapping[str, Any], measured: Measured) -> dict[str, str]:
    """Return the columns that relate rows, by role."""
    columns = {}
    for role in ("groups", "time", "runs"):
        if options[role] is not None:
            columns[role] = options[role]
    if measured.of_items:  # of the runs of an item one value is left
        columns.pop("runs", None)
    return columns


def _check_tables(
    tables: GivenTables,
    columns: GivenColumns,
    measured: Measured,
    options: Mapping[str, Any],
) -> None:
    """Refuse tables that hold something else than the options say."""
    if tables.wide is None and len(tables.models) < 2:
        model = next(iter(tables.models))
        raise UserError(f"{tables.name} holds one model ({model}), comparing needs two")
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
        _refuse_datasets(tables.wide.names, columns)


def _refuse_datasets(names: Sequence[str], columns: GivenColumns) -> None:
    """Refuse a table of data sets whose scores would be taken for rows."""
    used = {columns.groups, columns.time, columns.runs, columns.value, columns.tasks}
    for name in names:
        if name.lower() in _NAMES_OF_DATASETS and name not in used:
            raise UserError(
                f"values: a column is called {name!r}: are these data sets, with one score for "
                f"each model? Then give {setting('datasets', name)}; where rows are items of "
                f"several tasks, {setting('weights', 'tasks')}; rows of one test set need another "
                "name"
            )


def _counts_folds(column: str | None) -> bool:
    """Tell whether a column of ids counts folds or seeds; runs may be ids of rows."""
    return column is not None and names_repetitions(column) and "run" not in column.lower()


# --- from paths to tables


def read_tables(
    paths: Sequence[str], options: Mapping[str, Any], subgroups: Any = ()
) -> tuple[GivenTables, GivenColumns, Measured]:
    """Read the tables of paths, and tell what is left out."""
    measured = measured_by(options)
    _check_missing(options.get("missing"), measured)
    partial = options.get("missing") is not None
    tables = tables_of(paths, keys_named(options), partial=partial)
    if tables.datasets is not None:
        raise UserError(
            f"{tables.name} holds scores of data sets, and no rows: `bakeoff compare` compares "
            f"the models over these by {setting('datasets', tables.datasets)}"
        )
    value = options["value"]
    if value is not None and options["values"] is None:
        raise UserError(
            f"value: names the column of numbers: say by {setting('values', 'KIND')} whether they "
            "are right, wrong, higher or lower"
        )
    if options["tasks"] is not None or (tables.tasks and options["values"] is not None):
        tables = tables.of_tasks(options["tasks"], value)
        value = "value" if "value" in tables.first.names else None
    tables, truth = _with_truth(tables, options)
    for text in tables.left_out:
        sys.stderr.write(f"{printable(text)}\n")
    keys = {
        "truth": truth,
        "id": options["id"],
        "predicted": options["predicted"],
        "value": value,
        "subgroups": list(subgroups),
    }
    # what relates the rows is read as a column of each table
    for role in RELATING:
        keys[role] = options.get(role)
    if options.get("weights") is not None and TASK in tables.first.names:
        keys["tasks"] = TASK
    columns = validated(GivenColumns, keys)
    tables = tables.by_model(columns, options["models"])
    if value is not None and tables.wide is not None:
        if value not in tables.wide.names:
            raise UserError(f"value: {unknown('column', value, tables.wide.names)}")
        raise UserError(
            f"value: {tables.wide.path!r} has a column for each model: name these by "
            f"{setting('models', 'A,B')}; a table with a row for each model and item needs a "
            f"column {MODEL!r} of the models"
        )
    return tables, columns, _settled(measured, tables, columns, options)


def _check_missing(missing: str | None, measured: Measured) -> None:
    """Refuse to count missing answers as wrong where nothing is right or wrong."""
    if missing not in (None, "wrong", "common"):
        raise UserError(f"missing: {unknown('value', missing, ('wrong', 'common'))}")
    if missing != "wrong" or measured.kind is not None:
        return
    for name in measured.metrics:
        if name not in RIGHT:
            raise UserError(
                f"missing: wrong is for accuracy, and a missing label is no class by {name}: "
                f"{setting('missing', 'common')} compares the rows that all models have"
            )


def _with_truth(tables: GivenTables, options: Mapping[str, Any]) -> tuple[GivenTables, str | None]:
    """Return the tables and the column of the truth, which a file of its own may hold."""
    truth = options["truth"]
    if truth is None or not is_file(truth) or truth in tables.first.names:
        return tables, truth
    # labels of another file are joined by ids, as a column of this name
    solution = read_columns(truth, ("truth",), keys_named(options))
    ids = GivenColumns.model_validate({"id": options["id"]})
    return tables.beside(solution, ids), "y_true"


def _settled(
    measured: Measured, tables: GivenTables, columns: GivenColumns, options: Mapping[str, Any]
) -> Measured:
    """Return by what models are compared, now that the tables are known."""
    kind = measured.kind
    if isinstance(kind, GivenMetric):
        if options["value"] is None:
            return measured
        # numbers per row are called like their column
        name = options["value"]
        return measured._replace(kind=described_metric(name, kind.greater_is_better, label=name))
    if isinstance(kind, str) and options.get("missing") is None and _run_unequally(tables, columns):
        # of items that were run unequally often models are compared by the share of right runs
        share = passing_runs(["pass@1"])
        assert share is not None
        return measured._replace(kind=share.marked(kind))
    return measured


def _run_unequally(tables: GivenTables, columns: GivenColumns) -> bool:
    """Tell whether models have the same items, which were run unequally often."""
    if columns.runs is None or tables.wide is not None:
        return False
    counts = []
    for table in tables.models.values():
        # ids repeat where an item has several runs
        records = dataclasses.replace(table, roles=columns)
        items = pd.Series(records.row_ids(records.require("id")))
        counts.append(items.value_counts().sort_index())
    first = counts[0]
    unequal = False
    for of_model in counts:
        # models with other items differ in more than the number of runs
        if not of_model.index.equals(first.index):
            return False
        unequal = unequal or bool((of_model != first).any())
    return unequal


# --- what options say


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
            bins = list(map(float, cuts))
        except ValueError:
            raise UserError(
                f"subgroups: found {part!r}, expected a column like sex, or one of numbers with "
                "the places to cut it at, like age:40:65"
            ) from None
        if bins:
            columns.append({"column": name, "bins": bins})
        else:
            columns.append(name)
    return columns


def costs_in(path: str | None) -> Any:
    """Read the costs of errors: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        costs = read_yaml(path)
    except UserError as error:
        raise UserError(f"costs: {error}") from None
    if isinstance(costs, Mapping):
        return costs.get("costs", costs)
    return costs


# --- scores of data sets, and counts


def _study_of_scores(options: Mapping[str, Any], command: str) -> Study:
    """Compare models by a table of scores, data sets × models."""
    for name, option in OPTIONS.items():
        if name not in _OF_SCORES and options.get(name) not in (None, False, option.default):
            raise UserError(
                f"{name}: is for rows of a test set, not for a table of scores (datasets)"
            )
    files = options["files"]
    if options["values"] in ("right", "wrong"):
        raise UserError(f"values: found {options['values']}, a score is better if higher or lower")
    if len(files) != 1:
        raise UserError(f"datasets: expected one table, found {len(files)} files")
    arguments = {
        "name": files[0],
        "decimals": None,
        "options": None,
        **options,
        "metrics": options["metrics"] or (),
        "runs": options["runs"].split(",") if options["runs"] else (),
        "missing": options["missing"] or MISSING[0],
    }
    if is_folder(files[0]):
        table = scores_of_folder(files[0])
    else:
        table = read_frame(files[0], ("table",), keys_named(options))
    return study_of_scores(table, command, arguments)


def _study_of_counts(
    options: Mapping[str, Any], settings: Mapping[str, Any], command: str
) -> Study:
    """Compare two models by how many rows both, one or neither is right on."""
    if options["files"] or options["subgroups"] is not None:
        raise UserError("--counts stands in place of files and their columns")
    observations = _called(_from_counts(options["counts"]), options["models"])
    measured = Measured(metrics=tuple(options["metrics"] or ()))
    return build_study(observations, measured, {}, settings, command)


def _from_counts(text: str) -> Observations:
    """Make rows of two models from how many both, one or neither is right on."""
    counts = text.split(",")
    if len(counts) != 4 or not all(number.strip().isdecimal() for number in counts):
        raise UserError(
            f"counts: found {text!r}, expected four whole numbers: both right, only A right, only "
            "B right, both wrong; e.g. 329,22,17,63"
        )
    numbers = list(map(int, counts))
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise UserError(f"counts: expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")

    # class 0 is right, which is the truth of every row; 1 is wrong
    def answers(wrong: Sequence[int]) -> Answers:
        return Answers(("right", "wrong"), np.repeat(wrong, numbers))

    models = {
        "A": (Predicted(answers([0, 0, 1, 1])),),
        "B": (Predicted(answers([0, 1, 0, 1])),),
    }
    truth = answers([0, 0, 0, 0])
    return Observations("the counts", np.arange(sum(numbers)), truth, models, in_order=False)


def _called(observations: Observations, names: Sequence[str] | None) -> Observations:
    """Give models of several tables other names."""
    if names is None:
        return observations
    if len(names) != len(observations.models) or len(set(names)) < len(names):
        raise UserError(
            f"models: expected {len(observations.models)} different names, for "
            f"{', '.join(observations.models)}; found {', '.join(names)}"
        )
    return observations.called(names)

"""From the tables of a comparison to one frame: what several models say of the same rows.

The models stand in one table, as its columns, or in one table each. Their predictions, or numbers,
are observed, completed where items may be missing, and brought into one order.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bakeoff.data.columns import in_order
from bakeoff.data.describe import like_ids
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.missing_items import completed, each_run, lacks
from bakeoff.data.model_columns import join_columns, refuse_parts_of_models
from bakeoff.data.observations import Missing, Observations
from bakeoff.data.pairing import paired
from bakeoff.data.predicted import (
    NO_ANSWER,
    Predicted,
    holds_probabilities,
    no_model,
    other_spellings,
)
from bakeoff.data.records import OURS, USUAL, Records, by_run
from bakeoff.data.row_values import side_by_side
from bakeoff.data.target import (
    Answers,
    ClassOrder,
    looks_like_a_quantity,
    positive_last,
    said_of_spellings,
    spelled_as,
    unclear_spellings,
)
from bakeoff.errors import Problem, UserError, listed, some, unknown
from bakeoff.keys import refuse_same_names
from bakeoff.options import setting
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import Kind

_PAIRS = (("0", "1"), ("False", "True"))
"""Classes that may rather say which rows are right."""
_MARK = re.compile(
    r"(?<![a-z])(?:(?:in)?correct(?:ness)?|right|wrong|hits?|errors?)(?![a-z])", re.IGNORECASE
)
"""How columns are called that say which rows are right."""
_FEWEST_RIGHT = 0.5
"""A share of right rows that one of several models has at least."""


def read_given(
    tables: GivenTables,
    named: GivenColumns,
    *,
    models: Sequence[str] | None = None,
    classes: Sequence[str] = (),
    positive: str | None = None,
    drop_unlabelled: bool = False,
    labels: bool = False,
    numbers: bool | None = None,
    values: Kind | None = None,
    missing: str | None = None,
) -> Observations:
    """Read predictions or numbers per row; missing items are "wrong", or "common" ones stay."""
    name = tables.name
    if tables.wide is not None:
        name = Path(tables.wide.path).name
    asked = {model: records.asked for model, records in tables.models.items() if records.asked}
    may_lack = missing is not None
    # numbers of each row have no truth beside them
    if values is not None:
        files = _values_in(tables, named, models, may_lack=may_lack)
        observations = side_by_side(name, files, values, missing, asked)
        preparation = tables.notes + observations.preparation
        return dataclasses.replace(observations, asked=asked, preparation=preparation)
    files = _predictions_in(
        tables,
        named,
        models,
        classes,
        positive,
        numbers,
        drop_unlabelled=drop_unlabelled,
        may_lack=may_lack,
    )
    lacking: Missing | None = None
    if missing is not None:
        files, lacking = completed(each_run(files), missing, None, asked)
    order = _order_of(_truth_of(files, named, numbers), classes, positive)
    # a missing label is one more class, which is never the true one
    class_names = order.names
    if missing == "wrong" and any(lacks(file).any() for file in files):
        class_names = _with_no_answer(order.names)
    observations = paired(name, files, class_names, sure=order.sure)
    refuse_same_names(observations.models)
    if not labels:
        _refuse_marks(observations, named)
    notes: dict[str, None] = {}
    for file in files:
        notes |= dict.fromkeys(file.preparation)
    preparation = tables.notes + tuple(notes)
    if positive is None:
        preparation += observations.preparation
    return dataclasses.replace(
        observations,
        preparation=preparation,
        missing=lacking,
        asked=asked,
    )


def _parts(tables: GivenTables, named: GivenColumns) -> list[tuple[str, Records]]:
    """Return the records of each training run, with the name of the table's model."""
    parts = []
    for model, file in tables.models.items():
        for part in by_run(dataclasses.replace(file, roles=named)):
            parts.append((model, part))
    return parts


def _predictions_in(
    tables: GivenTables,
    named: GivenColumns,
    models: Sequence[str] | None,
    classes: Sequence[str],
    positive: str | None,
    numbers: bool | None,
    *,
    drop_unlabelled: bool,
    may_lack: bool,
) -> list[Observations]:
    """Observe predictions, in columns of one table or in one table for each model."""
    parts = _parts(tables, named)
    if tables.wide is None:
        return _of_files(
            parts,
            numbers,
            drop_unlabelled=drop_unlabelled,
            may_lack=may_lack,
        )
    files = []
    for _, part in parts:
        file = _columns_of_predictions(
            part,
            models,
            classes,
            positive,
            numbers,
            drop_unlabelled=drop_unlabelled,
            may_lack=may_lack,
        )
        files.append(file)
    _check_same_truth(files)
    return files


def _values_in(
    tables: GivenTables,
    named: GivenColumns,
    models: Sequence[str] | None,
    *,
    may_lack: bool,
) -> list[Observations]:
    """Observe the numbers of each row, in columns of one table or in one table for each model."""
    files = []
    for model, part in _parts(tables, named):
        if tables.wide is None:
            file = Observations.of_records(
                part,
                model,
                values=True,
                may_lack=may_lack,
            )
        else:
            file = _columns_of_values(part, models, may_lack=may_lack)
        files.append(file)
    return files


# --- checks of what was read


def _check_same_truth(files: Sequence[Observations]) -> None:
    """Refuse training runs in one table that have other true labels."""
    first: Any = files[0].true
    for file in files[1:]:
        if first.unlike(file.true).any():
            text = f"{file.name}: training runs have other true labels of some rows"
            raise Problem(("columns", "seeds"), text)


def _truth_of(files: Sequence[Observations], named: GivenColumns, numbers: bool | None) -> Answers:
    """Return the true labels or numbers of the first file that has them."""
    for file in files:
        true = file.labelled().true
        if true is not None:
            return true
    looked_for: Sequence[str] = USUAL["truth"]
    if named.truth:
        looked_for = [named.truth]
    what = "labels"
    if numbers:
        what = "numbers"
    text = f"no table holds the true {what} (looked for {listed(looked_for)})"
    raise Problem(("columns", "truth"), text)


def _with_no_answer(classes: tuple[str, ...]) -> tuple[str, ...]:
    """Add the class of labels that are missing."""
    if NO_ANSWER in classes:
        text = f"wrong: a class is called {NO_ANSWER!r}, as missing labels are: rename it"
        raise Problem(("missing",), text)
    return (*classes, NO_ANSWER)


def _refuse_marks(observations: Observations, named: GivenColumns) -> None:
    """Refuse predicted labels that may rather tell which rows are right."""
    classes = tuple(name for name in observations.classes if name != NO_ANSWER)
    if classes not in _PAIRS:
        return
    why = "no model has the true label in half of the rows"
    names = list(observations.models)
    if named.predicted is not None:
        names.insert(0, named.predicted)
    marked = _called_like_a_mark(names)
    if marked is not None:
        why = f"{marked!r} is called like a mark of right rows"
    elif _is_right_somewhere(observations):
        return
    low, high = classes
    raise Problem(
        ("values",),
        f"true labels and predictions are {low} and {high}, and {why}: do they predict labels, or "
        f"does {high} say that a row is right? Give {setting('task', 'classification')}, or "
        f"{setting('values', 'right')}",
    )


def _called_like_a_mark(names: Sequence[str]) -> str | None:
    """Return the first name that is one of a mark of right rows; None if there is none."""
    for name in names:
        if _MARK.search(name):
            return name
    return None


def _is_right_somewhere(observations: Observations) -> bool:
    """Tell whether a model has the true label in half of the rows."""
    for runs in observations.models.values():
        for run in runs:
            if (run.answers == observations.truth).mean() >= _FEWEST_RIGHT:
                return True
    return False


# --- the classes


def _order_of(true: Answers, classes: Sequence[str], positive: str | None) -> ClassOrder:
    """Order the classes of labels, with those that no row has."""
    if true.numbers:
        for key, value in (("classes", classes), ("positive", positive)):
            if value:
                raise Problem((key,), "numbers have no classes: leave it out")
        return ClassOrder((), sure=False)
    # those that are named may have no row
    named = [spelled_as(name, true.classes) for name in classes]
    every = set(true.classes) | set(named)
    spellings = unclear_spellings(sorted(every), named)
    counts = true.counts
    if spellings:
        raise Problem(
            ("truth",),
            f"{said_of_spellings('the true labels', spellings, counts)}. Write each class in "
            "one way in the file; if these are different classes, list all of them, in `compare` "
            "by `--set classes=a,A,'a ',…`, in an experiment under `classes:`",
        )
    return positive_last(in_order(every), positive, counts)


# --- a table of predictions for each model


def _of_files(
    parts: Sequence[tuple[str, Records]],
    numbers: bool | None,
    *,
    drop_unlabelled: bool,
    may_lack: bool,
) -> list[Observations]:
    """Observe the training runs of models that have a table of predictions each."""
    files: list[Observations] = []
    for model, part in parts:
        # the truth may stand in one of the tables alone
        truth = part.roles.truth
        lacks_truth = truth is not None and truth not in part.names and not truth.startswith(OURS)
        file = part
        if lacks_truth:
            file = part.with_roles(truth=None)
        run = Observations.of_records(
            file,
            model,
            numbers=bool(numbers),
            drop_unlabelled=drop_unlabelled,
            may_lack=may_lack,
        )
        if lacks_truth:
            run = dataclasses.replace(run, true=None)
        elif numbers is None and run.true is not None:
            numbers = looks_like_a_quantity(file.column(file.require("truth")))
            if numbers:  # those of the files before it are numbers too
                return _of_files(
                    parts,
                    True,
                    drop_unlabelled=drop_unlabelled,
                    may_lack=may_lack,
                )
        files.append(run)
    return files


# --- models that are columns of a table in which each row is once


def _columns_of_values(
    file: Records,
    models: Sequence[str] | None,
    *,
    may_lack: bool,
) -> Observations:
    """Observe the numbers of models."""
    truth = file.find("truth")
    ids = file.find("id")
    if truth is not None and models is None:
        raise Problem(
            ("models",),
            f"{file.path!r}: {truth!r} looks like the true labels, not like a model's numbers: "
            "name the columns of numbers",
        )
    unclaimed = file.unclaimed([ids])
    if models is None:
        _refuse_ids(file, unclaimed)
    columns = _columns_of_models(unclaimed, (), models)
    runs = []
    for column in columns:
        values = file.numbers(column, "value", may_lack=may_lack)
        runs.append(Predicted(values=values, column=column))
    taken = [ids, *columns]
    return Observations.of_rows(file, ids, None, _by_model(runs), taken)


def _columns_of_predictions(
    file: Records,
    models: Sequence[str] | None,
    classes: Sequence[str],
    positive: str | None,
    numbers: bool | None,
    *,
    drop_unlabelled: bool,
    may_lack: bool,
) -> Observations:
    """Observe the predictions of models, and the truth beside them."""
    truth = file.find("truth")
    ids = file.find("id")
    if truth is None:
        truth = file.require("truth")
    if numbers is None:
        numbers = looks_like_a_quantity(file.column(truth))
    true = file.answers(
        truth,
        "truth",
        numbers=numbers,
        may_lack=drop_unlabelled,
    )
    unclaimed = file.unclaimed([ids, truth])
    if models is None and numbers:
        _refuse_ids(file, unclaimed)
    order = _order_of(true, classes, positive)
    notes: tuple[str, ...] = ()
    # columns that are named stand alone
    if order.names and (models is None or not set(models) <= set(unclaimed)):
        file, notes = join_columns(file, unclaimed, order.names, sure=order.sure)
        unclaimed = file.unclaimed([ids, truth])
        if models is None:
            refuse_parts_of_models(file, unclaimed, order.names)
    columns = _columns_of_models(unclaimed, order.names, models)
    if models is None and not numbers:
        _refuse_features(file, columns, unclaimed, order.names)
    runs = []
    for column in columns:
        answers = None
        if column in unclaimed:  # and not probabilities alone
            answers = file.answers(column, numbers=numbers, may_lack=may_lack)
        runs.append(Predicted(answers, column=column))
    by_model = _by_model(runs)
    taken = [ids, truth, *columns]
    rows = Observations.of_rows(file, ids, true, by_model, taken)
    _refuse_single(file, by_model, truth)
    return dataclasses.replace(rows, preparation=notes)


def _by_model(runs: Sequence[Predicted]) -> dict[str, tuple[Predicted, ...]]:
    """Put the training runs of each model together, which are columns called after it."""
    by_model: dict[str, tuple[Predicted, ...]] = {}
    for run in runs:
        model, _ = run_of(run.column)
        by_model[model] = (*by_model.get(model, ()), run)
    return by_model


def _refuse_single(file: Records, runs: Mapping[str, Any], truth: str) -> None:
    """Refuse a table without two models to compare."""
    if len(runs) > 1:
        return
    n_columns = "0 columns"
    if runs:
        n_columns = "1 column"
    raise UserError(
        f"{file.path!r} has {n_columns} of predictions beside the true labels in {truth!r}; "
        "comparing needs two: add a column, or give one table per model"
    )


def _columns_of_models(
    unclaimed: Sequence[str],
    classes: Sequence[str],
    wanted: Sequence[str] | None,
) -> list[str]:
    """Name the training runs in a table: its columns, and what has probabilities alone."""
    ends = tuple(f":{name}" for name in classes)
    # the columns of each model, in the order in which they are met
    runs: dict[str, dict[str, None]] = {}
    for column in unclaimed:
        model, seed = run_of(column)
        if model.endswith(ends):
            model = model.rpartition(":")[0]
        runs.setdefault(model, {})[run_name(model, seed)] = None
    models = list(runs)
    if wanted is not None:
        models = list(dict.fromkeys(wanted))
    columns: list[str] = []
    for model in models:
        if model not in runs:
            raise Problem(("models",), unknown("model", model, runs))
        columns.extend(runs[model])
    return columns


def _refuse_ids(file: Records, columns: Sequence[str]) -> None:
    """Refuse a column of ids among those of numbers."""
    ids = like_ids(file.table, columns)
    if ids:
        raise Problem(
            ("models",),
            f"{file.path!r}: {ids[0]!r} looks like an id, not like a model's numbers"
            f"{no_model(ids[0])}",
        )


def _refuse_features(
    file: Records,
    columns: Sequence[str],
    unclaimed: Sequence[str],
    classes: Sequence[str],
) -> None:
    """Refuse columns without a class or a probability among those that are taken for models."""
    models = []
    strange = []
    for name in columns:
        if name not in unclaimed:  # a model that has probabilities alone
            continue
        if _predicts(file, name, classes):
            models.append(name)
        else:
            strange.append(name)
    if not strange or len(models) < 2:
        return
    are_no_models = "is no model"
    if len(strange) > 1:
        are_no_models = "are no models"
    raise Problem(
        ("models",),
        f"{file.path!r}: {listed(strange)} {are_no_models}? There is no class "
        f"({some(sorted(classes))}) in it{no_model(strange[0], ','.join(models))}",
    )


def _predicts(file: Records, column: str, classes: Sequence[str]) -> bool:
    """Tell whether a column holds a class, in whatever spelling, or probabilities."""
    if holds_probabilities(file, column, classes):
        return True
    labels = file.answers(column, may_lack=True)
    if (labels.among(classes) >= 0).any():
        return True
    return bool(other_spellings(labels.classes, classes))

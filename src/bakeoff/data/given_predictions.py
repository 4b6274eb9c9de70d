"""Models that were trained elsewhere: their files as the rows, folds and predictions of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import InstanceOf

from bakeoff.data.asked import cautions
from bakeoff.data.columns import bare_words, canonical_ids, in_order
from bakeoff.data.given_tables import table_of_model
from bakeoff.data.observations import Observations
from bakeoff.data.open_table import PLAIN
from bakeoff.data.pairing import Positions, carried, positions, related, undeclared
from bakeoff.data.predicted import Predicted
from bakeoff.data.records import USUAL, Records, as_table, by_run
from bakeoff.data.row_values import averages, may_be_right_or_wrong, meant
from bakeoff.data.splits import NEITHER, Folds, Split, make_splits
from bakeoff.data.table import GROUP, ROW_ID, TARGET, TIME, Table, load_table
from bakeoff.data.target import (
    Answers,
    Target,
    check_spread,
    positive_last,
    said_of_spellings,
    spelled_as,
    unclear_spellings,
)
from bakeoff.errors import Place, Problem, listed, some
from bakeoff.files import files_at, is_file, is_folder, no_file, state_of
from bakeoff.keys import name_of
from bakeoff.sources.common.base import TableKeys, first_repeated, inside
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.given_models import LOGS, GivenColumns, GivenData, GivenModel
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import RIGHT_OR_WRONG, GivenMetric, kind_of_values
from bakeoff.spec.related import row_columns
from bakeoff.spec.resampling import Halves, Holdout, Plan, Resampled

_COLUMNS = {"groups": GROUP, "time": TIME}
_KEPT = 64
"""Files whose rows are kept in memory: each fold looks some of them up."""


class HeldModel(GivenModel):
    """A model whose predictions are held in memory: the entry of a call from Python."""

    table: InstanceOf[Observations]

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        columns: GivenColumns,
        place: Place,
        *,
        numbers: bool,
        **keys: Any,
    ) -> HeldModel:
        """Make the entry of a frame of predictions."""
        at = (*place, "predictions")
        file = Records(keys["predictions"], as_table(frame), at, columns)
        table = Observations.of_records(file, numbers=numbers)
        return validated(cls, {**keys, "columns": columns, "table": table}, place)


# --- the file of a model


def _read(
    model: str,
    experiment: Experiment,
    dataset: str,
    seed: int = 1,
) -> Observations:
    """Observe what a training run of a model says of the rows of a data set."""
    entry = experiment.given[model]
    if isinstance(entry, HeldModel):
        return entry.table
    by_values = entry.values is not None
    path = entry.predictions_on(dataset, seed=seed)
    place = ("models", model, "predictions")
    if by_values:
        place = ("models", model, "values")
    if not (is_file(path) or is_folder(path)):
        raise Problem(place, no_file(path))
    spec = experiment.datasets[dataset]
    # of lists tuples, by which the cache tells files apart
    missing_values = None
    if entry.missing_values is not None:
        missing_values = tuple(entry.missing_values)
    tasks = None
    if by_values and entry.tasks is not None:
        tasks = tuple(entry.tasks)
    observed = _read_once(
        path,
        tuple(map(state_of, files_at(path, LOGS))),
        entry.columns.model_dump_json(),
        entry.model,
        missing_values,
        place,
        (seed, entry.seeds),
        tasks,
        values=by_values,
        drop_unlabelled=isinstance(spec, GivenData) and spec.missing_target == "drop",
        numbers=experiment.task.numbers,
    )
    if by_values:
        return meant(observed, kind_of_values(experiment.measured))
    return observed


@lru_cache(maxsize=_KEPT)
def _read_once(
    path: str,
    state: tuple[tuple[int, ...], ...],
    columns: str,
    model: str | None,
    missing_values: tuple[str, ...] | None,
    place: Place,
    run: tuple[int, int],
    tasks: tuple[str, ...] | None,
    *,
    values: bool,
    drop_unlabelled: bool,
    numbers: bool,
) -> Observations:
    """Read a file of one model; one that has not changed is read once."""
    named = GivenColumns.model_validate_json(columns)
    keys = PLAIN
    if missing_values is not None:
        keys = TableKeys.model_validate({"missing_values": list(missing_values)})
    table = table_of_model(
        path,
        place,
        model,
        named,
        keys,
        tasks,
    )
    parts = list(by_run(table))
    number, n_runs = run
    if named.seeds is None:
        number = 1
    elif len(parts) != n_runs:
        raise Problem(
            (*place[:-1], "seeds"),
            f"{path!r} has {len(parts)} training runs in {named.seeds!r}, `seeds` says {n_runs}; "
            "a run that failed belongs to its recipe, with the score that it has",
        )
    return Observations.of_records(
        parts[number - 1],
        values=values,
        drop_unlabelled=drop_unlabelled,
        numbers=numbers,
    )


# --- the table of a data set


def load(name: str, experiment: Experiment) -> Table:
    """Load a data set from its source or, without one, from the models' predictions."""
    spec = experiment.datasets[name]
    if isinstance(spec, GivenData):
        return load_given(name, experiment)
    return load_table(
        name,
        spec,
        experiment.seed,
        experiment.resampling.given_by,
        row_columns(experiment, name),
        numbers=experiment.task.numbers,
    )


def load_given(name: str, experiment: Experiment) -> Table:
    """Make the table of a data set without a source from the predictions."""
    spec = experiment.datasets[name]
    assert isinstance(spec, GivenData)
    models = _models_with_rows(experiment)
    # of rows that are tested in several folds each one once
    files = [_read(model, experiment, name).once() for model in models]
    _refuse_marks(files, experiment)
    rows = _rows_with_truth(name, files, experiment)
    positions_by_file = [positions(rows, file) for file in files]
    assert rows.true is not None
    classes: tuple[str, ...] = ()
    if experiment.with_values:
        if not experiment.by_values:
            classes = RIGHT_OR_WRONG
    elif files and not rows.true.numbers:
        with inside(("datasets", name)):
            classes = _classes(rows.true, spec)
    truth: NDArray[Any] = rows.true.among(classes)
    target = Target(classes, truth.dtype.kind == "f")
    if target.numbers:
        check_spread(truth, ("datasets", name))
    frame = pd.DataFrame({ROW_ID: rows.ids, TARGET: target.stored(truth)})
    for role, values in related(files, positions_by_file).items():
        frame[_COLUMNS[role]] = values
    # what the card says of the truth
    described = target
    counted = truth
    if experiment.with_values:  # right and wrong are no classes
        described = Target(())
        counted = np.full(len(truth), -1)
    card = given_card(
        name,
        spec.label or name,
        {model: entry.files(name) for model, entry in experiment.given.items()},
        described,
        counted,
        len(rows.left_out),
        spec.licence,
    )
    card["group_columns"] = undeclared(files)
    card["cautions"] = _cautions(models, files, experiment)
    along = _carried(name, files, positions_by_file, experiment)
    return Table(frame, target, along, lambda _: card)


def _models_with_rows(experiment: Experiment) -> list[str]:
    """Name the models whose files tell of single rows."""
    if not any(map(experiment.on_rows, experiment.resampling.plans())):
        return []
    return [model for model, entry in experiment.given.items() if entry.path is not None]


def _refuse_marks(files: Sequence[Observations], experiment: Experiment) -> None:
    """Refuse numbers that may rather say which rows are right."""
    metric = kind_of_values(experiment.measured)
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(files, metric):
        raise Problem(
            ("metrics", 0),
            "every number is 0 or 1: do they say which rows are right? Then write `- accuracy` (1 "
            "is right) or `- error` (1 is wrong), and the tests are McNemar's; where other numbers "
            "could have occurred, say which: `range: [0, 5]`",
        )


def _rows_with_truth(
    name: str,
    files: Sequence[Observations],
    experiment: Experiment,
) -> Observations:
    """Return the rows of the first file that names their truth; none where there is no file."""
    if not files:
        return Observations("", np.array([], dtype=object), Answers((), np.array([], np.int32)))
    for file in files:
        if file.true is not None:
            return file.labelled()
    what = "labels"
    if experiment.task.numbers:
        what = "numbers"
    raise Problem(
        ("datasets", name),
        f"none of the files names the true {what} (looked for "
        f"{listed(USUAL['truth'])}): add them to one at least, or say which column it is",
    )


def _classes(labels: Answers, spec: GivenData) -> tuple[str, ...]:
    """Order the classes: as the experiment says, or sorted (2 before 10), the positive one last."""
    present = []
    for name, n_rows in sorted(labels.counts.items()):
        if n_rows:
            present.append(name)
    if spec.classes is not None:
        order = _listed_classes(present, spec.classes)
    else:
        spellings = unclear_spellings(present)
        if spellings:
            raise Problem(
                (),
                f"{said_of_spellings('the true labels', spellings, labels.counts)}. Write each "
                "class in one way in the files; if these are different classes, list all classes "
                "under `classes:`",
            )
        order = in_order(present)
    if len(order) < 2:
        text = f"all true labels are {order[0]!r}; name the other classes in `classes:`"
        raise Problem((), text)
    if spec.classes is not None and spec.positive is None:
        return tuple(order)
    return positive_last(order, spec.positive, labels.counts).names


def _listed_classes(present: Sequence[str], wanted: Sequence[Any]) -> list[str]:
    """Return the classes that an experiment lists, which must be all that there are."""
    order = []
    for name in map(name_of, wanted):
        order.append(spelled_as(name, present))
    repeated = first_repeated(order)
    if repeated is not None:
        raise Problem(("classes",), f"class {repeated!r} appears twice")
    lacking = [name for name in present if name not in order]
    if lacking:
        text = f"true labels that are not listed: {some(lacking)} (listed: {some(order)})"
        truth_values = [name for name in wanted if isinstance(name, bool)]
        if truth_values:
            text += f"; {bare_words(truth_values[0])}"
        raise Problem(("classes",), text)
    return order


def _cautions(
    models: Sequence[str],
    files: Sequence[Observations],
    experiment: Experiment,
) -> list[str]:
    """Say what models were asked differently, and which averages scores are, by their labels."""
    asked = {}
    labelled = []
    for model, file in zip(models, files, strict=True):
        label = experiment.models[model].label or model
        labelled.append(file.called([label]))
        if file.records.asked:
            asked[label] = file.records.asked
    sentences = list(cautions(asked))
    if experiment.with_values:
        sentences += averages(labelled)
    return sentences


def _carried(
    name: str,
    files: Sequence[Observations],
    positions_by_file: Sequence[Positions],
    experiment: Experiment,
) -> pd.DataFrame:
    """Take what comparisons look at of the rows from the files."""
    first = ""
    for model, entry in experiment.given.items():
        if entry.columns.subgroups:
            first = model
            break
    place = ("models", first, "columns", "subgroups")
    return carried(row_columns(experiment, name), place, files, positions_by_file)


def given_card(
    name: str,
    label: str,
    files: Mapping[str, Sequence[str]],
    target: Target,
    truth: NDArray[Any],
    left_out: int = 0,
    licence: str | None = None,
) -> dict[str, Any]:
    """Return the card of a data set that consists of predictions or scores."""
    return {
        "dataset": name,
        "label": label,
        "source": {"source": "given", "files": files},
        "licence": licence,
        "rows": len(truth),
        **target.described(truth),
        "rows_dropped_without_target": left_out,
        "group_columns": [],
        "features": {},
        "missing_cells": 0,
        "duplicate_rows": 0,
        "pairs_by_chance": 0.0,
        "near_copies": 0,
    }


# --- the divisions


def divide(
    dataset: str,
    experiment: Experiment,
    table: Table,
    plan: str,
) -> pd.DataFrame:
    """Make the divisions of a plan; those of given rows are in the files of predictions."""
    spec = experiment.resampling.plans()[plan]
    if isinstance(experiment.datasets[dataset], GivenData):
        first = next(iter(experiment.given))
        return given_splits(
            _read(first, experiment, dataset),
            table,
            plan,
            spec,
        )
    return make_splits(dataset, table, plan, spec, experiment.seed)


def given_splits(
    file: Observations,
    table: Table,
    name: str,
    plan: Plan,
) -> pd.DataFrame:
    """Take the divisions of a plan from a model's predictions."""
    ids = table.frame[ROW_ID]
    if isinstance(plan, Holdout):
        return pd.DataFrame({ROW_ID: ids, "repeat-1": np.ones(len(ids), np.int16)})
    assert file.folds is not None
    at = (*file.place[:-1], "columns")
    _check_number_of_folds(file, name, plan, at)
    position: Positions = pd.Index(canonical_ids(ids)).get_indexer(pd.Index(file.ids))
    splits: dict[str, Any] = {ROW_ID: ids}
    folds_by_repeat = []
    for repeat in range(1, plan.rounds + 1):
        folds = _folds_of_repeat(
            file,
            repeat,
            position,
            len(ids),
            plan,
            at,
        )
        folds_by_repeat.append(folds)
        splits[f"repeat-{repeat}"] = folds
    if not isinstance(plan, Resampled):
        _check_every_row_is_tested(file, folds_by_repeat, plan, at)
    return pd.DataFrame(splits)


def _check_number_of_folds(
    file: Observations,
    name: str,
    plan: Plan,
    at: Place,
) -> None:
    """Refuse a file whose repeats and folds are not those of a plan."""
    assert file.folds is not None
    # repeats count from 1, so that there is none of the number 0
    folds_per_repeat = np.bincount(np.unique(file.folds, axis=0)[:, 0])[1:]
    is_other = folds_per_repeat != plan.folds
    if len(folds_per_repeat) == plan.rounds and not is_other.any():
        return
    n_folds = plan.folds
    if is_other.any():
        n_folds = folds_per_repeat[is_other][0]
    raise Problem(
        at,
        f"{file.name} has {len(folds_per_repeat)} repeat(s) of {n_folds} fold(s), {name} has "
        f"{plan.rounds} of {plan.folds}",
    )


def _folds_of_repeat(
    file: Observations,
    repeat: int,
    position: Positions,
    n_rows: int,
    plan: Plan,
    at: Place,
) -> Folds:
    """Return the fold in which each row of a table is tested in one repeat."""
    assert file.folds is not None
    tested = (file.folds[:, 0] == repeat) & (position >= 0)
    again = pd.Series(file.ids[tested]).duplicated().to_numpy()
    if again.any():
        raise Problem(
            at,
            f"{file.name}: {again.sum():,} of its rows are tested in two folds of repeat "
            f"{repeat}: {some(file.ids[tested][again])}",
        )
    rest = NEITHER
    if plan.folds == 1:  # the other rows are those of training
        rest = 0
    folds = np.full(n_rows, rest, dtype=np.int16)
    folds[position[tested]] = file.folds[tested, 1]
    return folds


def _check_every_row_is_tested(
    file: Observations,
    folds_by_repeat: Sequence[Folds],
    plan: Plan,
    at: Place,
) -> None:
    """Refuse halves that are none, and repeats in which some row is tested in no fold."""
    # halves come in pairs of repeats, before those with all rows
    n_pairs = 0
    if isinstance(plan, Halves):
        n_pairs = plan.repeats
    for pair in range(n_pairs):
        first = folds_by_repeat[2 * pair] != NEITHER
        second = folds_by_repeat[2 * pair + 1] != NEITHER
        wrong = first == second
        if wrong.any():
            raise Problem(
                at,
                f"{file.name}: repeats {2 * pair + 1} and {2 * pair + 2} must share no row and "
                f"hold all, as two halves; {wrong.sum():,} rows are in both or in neither",
            )
    for repeat, folds in enumerate(folds_by_repeat[2 * n_pairs :], 2 * n_pairs + 1):
        n_untested = int((folds == NEITHER).sum())
        if n_untested:
            raise Problem(
                at,
                f"{file.name}: {n_untested:,} of {len(folds):,} rows are tested in no fold of "
                f"repeat {repeat}",
            )


# --- the predictions of a fit


def predictions_of(
    fit: Fit,
    experiment: Experiment,
    table: Table,
    split: Split,
) -> Predicted:
    """Read the predictions of a given model for the test rows of one division."""
    file = _read(fit.model, experiment, fit.dataset, fit.seed).fold(fit.repeat, fit.fold)
    where = f", repeat {fit.repeat}, fold {fit.fold},"
    if fit.plan == "holdout":
        where = ""
    left_out = np.array([], dtype=np.int64)
    if isinstance(experiment.datasets[fit.dataset], GivenData):
        # all others of a test set have no label, as `load_given` has proved; a fold's may differ
        left_out = file.ids
        if experiment.given[fit.model].by_folds:
            row_ids = canonical_ids(table.frame[ROW_ID])
            left_out = file.ids[~np.isin(file.ids, row_ids)]
    # the rows that are tested, which the file must hold
    rows = Observations(
        f"the test set{where} of {fit.dataset}",
        canonical_ids(table.frame[ROW_ID].iloc[split.test]),
        Answers(table.classes, table.answers[split.test]),
        left_out=left_out,
    )
    at = positions(rows, file)
    ((run,),) = file.among(table.classes).values()
    return run[at]

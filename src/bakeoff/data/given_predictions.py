"""Models that were trained elsewhere: their files as the rows, folds and predictions of a run."""

from __future__ import annotations

import dataclasses
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
from bakeoff.data.observations import (
    Observations,
    Predicted,
    carried,
    positions,
    related,
    undeclared,
)
from bakeoff.data.read_given import averages, may_be_right_or_wrong, meant
from bakeoff.data.records import USUAL, Records, as_table, by_run
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
from bakeoff.sources.common.base import TableKeys, first_repeated
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.given_models import LOGS, GivenColumns, GivenData, GivenModel
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import RIGHT_OR_WRONG, GivenMetric
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
        cls, frame: pd.DataFrame, columns: GivenColumns, place: Place, *, numbers: bool, **keys: Any
    ) -> HeldModel:
        """Make the entry of a frame of predictions."""
        at = (*place, "predictions")
        file = Records(keys["predictions"], as_table(frame), at, columns)
        table = Observations.of_records(file, numbers=numbers)
        return validated(cls, {**keys, "columns": columns, "table": table}, place)


@lru_cache(maxsize=_KEPT)
def _read_once(
    path: str,
    state: tuple[tuple[int, ...], ...],
    columns: str,
    model: str | None,
    missing_values: tuple[str, ...] | None,
    place: Place,
    run: tuple[int, int],
    tasks: tuple[str, ...] | None = None,
    **how: Any,
) -> Observations:
    """Read a file of one model; one that has not changed is read once."""
    named = GivenColumns.model_validate_json(columns)
    missing = None if missing_values is None else list(missing_values)
    keys = TableKeys.model_validate({"missing_values": missing})
    file = table_of_model(path, place, model, named, keys, tasks)
    parts = list(by_run(file))
    which, expected = run
    if len(parts) != expected and named.seeds is not None:
        raise Problem(
            (*place[:-1], "seeds"),
            f"{path!r} has {len(parts)} training runs in {named.seeds!r}, `seeds` says {expected}; "
            "a run that failed belongs to its recipe, with the score that it has",
        )
    return Observations.of_records(parts[0 if named.seeds is None else which - 1], **how)


def _read(model: str, experiment: Experiment, dataset: str, seed: int = 1) -> Observations:
    given, spec = experiment.given[model], experiment.datasets[dataset]
    if isinstance(given, HeldModel):
        return given.table
    path, values = given.predictions_on(dataset, seed=seed), given.values is not None
    place = ("models", model, "values" if values else "predictions")
    if not (is_file(path) or is_folder(path)):
        raise Problem(place, no_file(path))
    state = tuple(map(state_of, files_at(path, LOGS)))
    missing = None if given.missing_values is None else tuple(given.missing_values)
    columns = given.columns.model_dump_json()
    key = columns, given.model, missing, place, (seed, given.seeds)
    if values:
        tasks = None if given.tasks is None else tuple(given.tasks)
        file = _read_once(path, state, *key, tasks=tasks, values=True)
        return meant(file, experiment.measured[0])
    drop = isinstance(spec, GivenData) and spec.missing_target == "drop"
    how = {"drop_unlabelled": drop, "numbers": experiment.task.numbers}
    return _read_once(path, state, *key, **how)


def load(name: str, experiment: Experiment) -> Table:
    """Load a data set from its source or, without one, from the models' predictions."""
    spec = experiment.datasets[name]
    if isinstance(spec, GivenData):
        return load_given(name, experiment)
    roles = experiment.resampling.given_by, row_columns(experiment, name)
    numbers = experiment.task.numbers
    return load_table(name, spec, experiment.seed, *roles, numbers=numbers)


def load_given(name: str, experiment: Experiment) -> Table:
    """Make the table of a data set without a source from the predictions."""
    spec = experiment.datasets[name]
    assert isinstance(spec, GivenData)
    plans = experiment.resampling.plans()
    models = [
        model
        for model, given in experiment.given.items()
        if given.path is not None and any(map(experiment.on_rows, plans))
    ]
    files = [_read(model, experiment, name).once() for model in models]
    metric = experiment.measured[0]
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(files, metric):
        raise Problem(
            ("metrics", 0),
            "every number is 0 or 1: do they say which rows are right? Then write `- accuracy` (1 "
            "is right) or `- error` (1 is wrong), and the tests are McNemar's; where other numbers "
            "could have occurred, say which: `range: [0, 5]`",
        )
    rows = Observations("", np.array([], dtype=object), Answers((), np.array([], np.int32)))
    if files:
        first = next((file for file in files if file.true is not None), None)
        if first is None:
            raise Problem(
                ("datasets", name),
                "none of the files names the true "
                f"{'numbers' if experiment.task.numbers else 'labels'} (looked for "
                f"{listed(USUAL['truth'])}): add them to one at least, or say which column it is",
            )
        rows = first.labelled()
    places = [positions(rows, file) for file in files]
    classes: tuple[str, ...] = ()
    if experiment.with_values:
        classes = () if experiment.by_values else RIGHT_OR_WRONG
    elif rows.true is not None and not rows.true.numbers and files:
        classes = _classes(rows.true, spec, ("datasets", name))
    assert rows.true is not None
    truth: NDArray[Any] = rows.true.among(classes)
    target = Target(classes, truth.dtype.kind == "f")
    if target.numbers:
        check_spread(truth, ("datasets", name))
    kin = {_COLUMNS[role]: values for role, values in related(files, places).items()}
    frame = pd.DataFrame({ROW_ID: rows.ids, TARGET: target.stored(truth), **kin})
    files_of = {m: given.files(name) for m, given in experiment.given.items()}
    labelled = Target(()) if experiment.with_values else target  # right and wrong are no classes
    counted = np.full(len(truth), -1) if experiment.with_values else truth
    label = spec.label or name
    left_out = len(rows.left_out)
    card = given_card(name, label, files_of, labelled, counted, left_out, spec.licence)
    card["group_columns"] = undeclared(files)
    labels = [experiment.models[model].label or model for model in models]
    asked = {label: file.records.asked for label, file in zip(labels, files, strict=True)}
    told = list(cautions({label: one for label, one in asked.items() if one}))
    if experiment.with_values:
        told += averages([file.called([label]) for label, file in zip(labels, files, strict=True)])
    card["cautions"] = told
    by = next((m for m, given in experiment.given.items() if given.columns.subgroups), "")
    place = ("models", by, "columns", "subgroups")
    along = carried(row_columns(experiment, name), place, files, places)
    return Table(frame, target, along, lambda _: card)


def divide(dataset: str, experiment: Experiment, table: Table, plan: str) -> pd.DataFrame:
    """Make the divisions of a plan; those of given rows are in the files of predictions."""
    spec, data = experiment.resampling.plans()[plan], experiment.datasets[dataset]
    if isinstance(data, GivenData):
        first = next(iter(experiment.given))
        return given_splits(_read(first, experiment, dataset), table, plan, spec)
    return make_splits(dataset, table, plan, spec, experiment.seed)


def given_splits(file: Observations, table: Table, name: str, plan: Plan) -> pd.DataFrame:
    """Take the divisions of a plan from a model's predictions."""
    ids = table.frame[ROW_ID]
    if isinstance(plan, Holdout):
        return pd.DataFrame({ROW_ID: ids, "repeat-1": np.ones(len(ids), np.int16)})
    assert file.folds is not None
    at = (*file.place[:-1], "columns")
    per_repeat = np.bincount(np.unique(file.folds, axis=0)[:, 0])[1:]
    if len(per_repeat) != plan.rounds or (per_repeat != plan.folds).any():
        odd = next((k for k in per_repeat.tolist() if k != plan.folds), plan.folds)
        raise Problem(
            at,
            f"{file.name} has {len(per_repeat)} repeat(s) of {odd} fold(s), {name} has "
            f"{plan.rounds} of {plan.folds}",
        )
    position = pd.Index(canonical_ids(ids)).get_indexer(pd.Index(file.ids))
    made: list[Folds] = []
    for repeat in range(1, plan.rounds + 1):
        tested = (file.folds[:, 0] == repeat) & (position >= 0)
        again = pd.Series(file.ids[tested]).duplicated().to_numpy()
        if again.any():
            raise Problem(
                at,
                f"{file.name}: {again.sum():,} of its rows are tested in two folds of repeat "
                f"{repeat}: {some(file.ids[tested][again])}",
            )
        made.append(np.full(len(ids), 0 if plan.folds == 1 else NEITHER, dtype=np.int16))
        made[-1][position[tested]] = file.folds[tested, 1]
    splits = pd.DataFrame({ROW_ID: ids, **{f"repeat-{r}": one for r, one in enumerate(made, 1)}})
    if isinstance(plan, Resampled):
        return splits
    halvings = plan.repeats if isinstance(plan, Halves) else 0
    for m in range(halvings):
        wrong = (made[2 * m] != NEITHER) == (made[2 * m + 1] != NEITHER)
        if wrong.any():
            raise Problem(
                at,
                f"{file.name}: repeats {2 * m + 1} and {2 * m + 2} must share no row and hold "
                f"all, as two halves; {wrong.sum():,} rows are in both or in neither",
            )
    for repeat, folds in enumerate(made[2 * halvings :], 2 * halvings + 1):
        if out := int((folds == NEITHER).sum()):
            raise Problem(
                at,
                f"{file.name}: {out:,} of {len(folds):,} rows are tested in no fold of repeat "
                f"{repeat}",
            )
    return splits


def predictions_of(fit: Fit, experiment: Experiment, table: Table, split: Split) -> Predicted:
    """Read the predictions of a given model for the test rows of one division."""
    given, spec = experiment.given[fit.model], experiment.datasets[fit.dataset]
    file = _read(fit.model, experiment, fit.dataset, fit.seed).fold(fit.repeat, fit.fold)
    where = "" if fit.plan == "holdout" else f", repeat {fit.repeat}, fold {fit.fold},"
    rows = Observations(
        f"the test set{where} of {fit.dataset}",
        canonical_ids(table.frame[ROW_ID].iloc[split.test]),
        Answers(table.classes, table.answers[split.test]),
    )
    if isinstance(spec, GivenData):
        # all others of a test set have no label, as `load_given` has proved; a fold's may differ
        row_ids = canonical_ids(table.frame[ROW_ID])
        others = file.ids[~np.isin(file.ids, row_ids)] if given.by_folds else file.ids
        rows = dataclasses.replace(rows, left_out=others)
    at = positions(rows, file)
    ((run,),) = file.among(table.classes).values()
    return run[at]


def _classes(labels: Answers, spec: GivenData, place: Place) -> tuple[str, ...]:
    """Order the classes: as the experiment says, or sorted (2 before 10), the positive one last."""
    present = sorted(name for name, n in labels.counts.items() if n)
    if spec.classes is None and (spellings := unclear_spellings(present)):
        raise Problem(
            place,
            f"{said_of_spellings('the true labels', spellings, labels.counts)}. Write each class "
            "in one way in the files; if these are different classes, list all classes under "
            "`classes:`",
        )
    ordered = in_order(present)
    if spec.classes is not None:
        ordered = [spelled_as(name_of(name), present) for name in spec.classes]
    if (repeated := first_repeated(ordered)) is not None:
        raise Problem((*place, "classes"), f"class {repeated!r} appears twice")
    if lacking := [name for name in present if name not in ordered]:
        bare = [name for name in spec.classes or () if isinstance(name, bool)]
        hint = f"; {bare_words(bare[0])}" if bare else ""
        text = f"true labels that are not listed: {some(lacking)} (listed: {some(ordered)}){hint}"
        raise Problem((*place, "classes"), text)
    if len(ordered) < 2:
        text = f"all true labels are {ordered[0]!r}; name the other classes in `classes:`"
        raise Problem(place, text)
    if spec.classes is not None and spec.positive is None:
        return tuple(ordered)
    return positive_last(ordered, spec.positive, place, labels.counts)


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

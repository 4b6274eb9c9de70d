"""Tables of predictions made elsewhere, each file read once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import InstanceOf

from bakeoff.data.columns import in_order
from bakeoff.data.describe_columns import named_like_groups
from bakeoff.data.file_columns import USUAL, Answers, Columns
from bakeoff.data.given_tables import table_of_model
from bakeoff.data.table_files import as_table
from bakeoff.data.training_runs import by_run
from bakeoff.errors import Place, Problem, listed
from bakeoff.files import files_at, is_file, no_file, state_of
from bakeoff.sources.common.subgroups import as_columns
from bakeoff.spec.given_models import LOGS, GivenColumns, GivenModel
from bakeoff.spec.load import validated

_KEPT = 64


@dataclasses.dataclass(frozen=True)
class PredictionTable:
    """The predictions of one model in one file, before any checks against known rows.

    Attributes
    ----------
    columns : Columns
        The file's columns.
    ids : ndarray, shape (n,)
        Unique row ids: whole numbers or texts.
    true, predicted : Labels or Numbers, or None
        Where the file has them.
    related : Mapping of str to ndarray
        The ``group`` or the ``time`` of each row, where the file is said to have them.
    folds : ndarray of int, shape (n, 2), or None
        Repeat and fold of each row, from 1, where the file is said to have them.
    values : ndarray, shape (n,), or None
        The number of each row, in a file of values.
    like_groups : sequence of Mapping
        The other columns that look like ids of groups, where none is named: see `group_columns`.
    items : ndarray, shape (n,), or None
        The item that each row is a run of, where the file is said to have runs.
    model : str
        The model, where the file has columns of several; else empty.
    """

    columns: Columns
    ids: NDArray[Any]
    true: Answers | None
    predicted: Answers | None
    related: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    folds: NDArray[np.intp] | None = None
    values: NDArray[np.float64] | None = None
    like_groups: Sequence[Mapping[str, Any]] = ()
    items: NDArray[Any] | None = None
    model: str = ""

    def __getitem__(self, rows: NDArray[np.intp]) -> PredictionTable:
        """Return some of the rows."""
        return PredictionTable(
            dataclasses.replace(self.columns, table=self.columns.table.take(rows)),
            self.ids[rows],
            None if self.true is None else self.true[rows],
            None if self.predicted is None else self.predicted[rows],
            {role: values[rows] for role, values in self.related.items()},
            None if self.folds is None else self.folds[rows],
            None if self.values is None else self.values[rows],
            self.like_groups,
            None if self.items is None else self.items[rows],
            self.model,
        )

    def once(self) -> PredictionTable:
        """Return each row once, however many folds predict it."""
        if self.folds is None:
            return self
        return self[np.flatnonzero(~pd.Series(self.ids).duplicated().to_numpy())]

    def fold(self, repeat: int, fold: int) -> PredictionTable:
        """Return the rows of one fold; all where the file has no folds."""
        if self.folds is None:
            return self
        return self[np.flatnonzero((self.folds == (repeat, fold)).all(axis=1))]

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self.columns.path


class HeldModel(GivenModel):
    """A model whose predictions are held in memory: the entry of a call from Python.

    `predictions` is what messages call the table.
    """

    table: InstanceOf[PredictionTable]

    @classmethod
    def of(
        cls, frame: pd.DataFrame, columns: GivenColumns, place: Place, *, numbers: bool, **keys: Any
    ) -> HeldModel:
        """Make the entry of a frame of predictions."""
        called, at = keys["predictions"], (*place, "predictions")
        file = Columns(called, as_table(frame, called, at), at)
        table = table_of(file, columns, at, numbers=numbers)
        return validated(cls, {**keys, "columns": columns, "table": table}, place)


def read_predictions(
    path: str,
    columns: GivenColumns,
    place: Place,
    *,
    drop_unlabelled: bool = False,
    numbers: bool = False,
    values: bool = False,
    run: tuple[int, int] = (1, 1),
    model: str | None = None,
) -> PredictionTable:
    """Read a file of predictions of one model; a file that has not changed is read once."""
    if not (is_file(path) or Path(path).is_dir()):
        raise Problem(place, no_file(path))
    state = tuple(map(state_of, files_at(path, LOGS)))
    key = columns.model_dump_json(), place, drop_unlabelled, numbers, values, run, model
    return _read_once(path, state, *key)


@lru_cache(maxsize=_KEPT)
def _read_once(
    path: str,
    state: tuple[tuple[int, ...], ...],
    columns: str,
    place: Place,
    drop_unlabelled: bool,
    numbers: bool,
    values: bool,
    run: tuple[int, int],
    model: str | None,
) -> PredictionTable:
    named = GivenColumns.model_validate_json(columns)
    parts = [part for _, part in by_run(table_of_model(path, place, model), named)]
    which, expected = run
    if len(parts) != expected and named.seed is not None:
        raise Problem(
            (*place[:-1], "seeds"),
            f"{path!r} has {len(parts)} training runs in {named.seed!r}, `seeds` says {expected}; "
            "a run that failed belongs to its recipe, with the score that it has",
        )
    part = parts[0 if named.seed is None else which - 1]
    how = {"drop_unlabelled": drop_unlabelled, "numbers": numbers, "values": values}
    return table_of(part, named, place, **how)


def table_of(
    file: Columns,
    named: GivenColumns,
    place: Place,
    *,
    drop_unlabelled: bool = False,
    numbers: bool = False,
    values: bool = False,
    may_lack: bool = False,
) -> PredictionTable:
    """Take the predictions of one model from the columns of a file; see `read_predictions`."""
    wanted = ("id", "value") if values else ("id", "true", "predicted")
    roles = {role: file.find(role, named) for role in wanted}
    if roles["id"] is None:
        raise Problem(
            (*place[:-1], "columns", "id"),
            f"{file.path!r} has no column of row ids (looked for {listed(USUAL['id'])}); rows are "
            "paired by their ids, never by their order: add one, or say which it is",
        )
    true, predicted = (
        None
        if (name := roles.get(role)) is None
        else file.answers(name, role, numbers=numbers, may_lack=may_lack)
        for role, may_lack in (("true", drop_unlabelled), ("predicted", False))
    )
    folds = _folds(file, named)
    ids = file.ids(roles["id"], file.related("run", named), folds)
    brought = file.numbers(roles["value"], ids, may_lack=may_lack) if values else None
    related = relations(file, named, roles["id"])
    like = like_groups(file, named, roles.values()) if not related else []
    items = items_of(file, named)
    return PredictionTable(file, ids, true, predicted, related, folds, brought, like, items)


def items_of(file: Columns, columns: GivenColumns) -> NDArray[Any] | None:
    """Return the item that each row is a run of; None where no column of runs is named."""
    name = file.find("id", columns)
    if columns.run is None or name is None:
        return None
    return file.row_ids(name)


def _folds(file: Columns, columns: GivenColumns) -> NDArray[np.intp] | None:
    """Return repeats and their folds, numbered in the order of their values; None without any."""
    found = {role: file.related(role, columns) for role in ("repeat", "fold")}
    if all(values is None for values in found.values()):
        return None
    one = np.full(file.table.num_rows, "1", dtype=object)
    repeat, fold = (one if values is None else values for values in found.values())
    numbers = np.ones((len(one), 2), dtype=np.intp)
    for number, name in enumerate(in_order(set(repeat.tolist())), start=1):
        in_repeat = repeat == name
        numbers[in_repeat, 0] = number
        names = in_order(set(fold[in_repeat].tolist()))
        numbers[in_repeat, 1] = pd.Categorical(fold[in_repeat], categories=names).codes + 1
    return numbers


def relations(file: Columns, columns: GivenColumns, ids: str | None) -> dict[str, NDArray[Any]]:
    """Return the groups or times of a file's rows; repeated runs of an item form a group."""
    found = {role: file.related(role, columns) for role in ("group", "time")}
    if found["group"] is None and columns.run is not None and ids is not None:
        found["group"] = file.related("group", columns.model_copy(update={"group": ids}))
    return {role: values for role, values in found.items() if values is not None}


def unclaimed(file: Columns, columns: GivenColumns, known: Iterable[str | None]) -> list[str]:
    """Name the columns that have no role yet; `known` are those that have one."""
    claimed = {*known, columns.group, columns.time, columns.run, columns.repeat, columns.fold}
    claimed |= {columns.seed}
    claimed |= {one.column for one in as_columns(columns.subgroups)}
    return [name for name in file.names if name not in claimed]


def like_groups(
    file: Columns, columns: GivenColumns, known: Iterable[str | None]
) -> list[dict[str, Any]]:
    """List the columns without a role that look like ids of groups, by name and values."""
    return named_like_groups(file.table, unclaimed(file, columns, known))


def undeclared(files: Iterable[PredictionTable]) -> list[Mapping[str, Any]]:
    """List the columns of several files that look like ids of groups, where no file names one."""
    several = list(files)
    if any(file.related for file in several):
        return []
    return [*{one["column"]: one for file in several for one in file.like_groups}.values()]

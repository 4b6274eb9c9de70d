"""Tables of predictions or numbers made elsewhere, read once and held against known rows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import InstanceOf

from bakeoff.data.columns import in_order
from bakeoff.data.describe_columns import named_like_groups
from bakeoff.data.file_columns import USUAL, Answers, Columns, Labels
from bakeoff.data.given_tables import by_run, table_of_model
from bakeoff.data.readers import QUESTION, SAMPLE_ID
from bakeoff.data.table_files import as_table
from bakeoff.errors import Place, Problem, Remedy, listed, some
from bakeoff.files import files_at, is_file, no_file, state_of
from bakeoff.sources.common.subgroups import as_columns
from bakeoff.spec.given_models import LOGS, GivenColumns, GivenModel
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.values import RIGHT, RIGHT_OR_WRONG, Kind

_KEPT = 64


@dataclasses.dataclass(frozen=True)
class PredictionTable:
    """The predictions of one model in one file, before any checks against known rows."""

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


_SHOWN = 5


@dataclasses.dataclass(frozen=True)
class LabelledRows:
    """Ids and true labels of rows."""

    ids: NDArray[Any]
    labels: Answers
    origin: str
    left_out: NDArray[Any] = dataclasses.field(default_factory=lambda: np.array([], np.int64))
    samples: pd.DataFrame | None = None

    @classmethod
    def of(cls, file: PredictionTable) -> LabelledRows:
        """Take the rows that a file is about, which holds their true labels."""
        assert file.true is not None
        missing = file.true.missing
        if not missing.any():
            return cls(file.ids, file.true, repr(file.path), samples=_samples(file))
        return cls(file.ids[~missing], file.true[~missing], repr(file.path), file.ids[missing])


def check_same(rows: LabelledRows, given: PredictionTable) -> NDArray[np.intp]:
    """Check that a file describes the expected rows."""
    position = _positions(rows, given)
    here, there = rows.samples, _samples(given)
    if here is not None and there is not None:
        asked = there["id"].to_numpy()[position]
        # a question that the other log has nowhere may be the same one in other words
        other = np.flatnonzero((here["id"] != asked) & here["id"].isin(there["id"]))
        if len(other):
            shown = [("id", rows.origin, repr(given.path))]
            shown += [(rows.ids[i], here["id"].iloc[i], asked[i]) for i in other[:_SHOWN]]
            raise Problem(
                given.columns.place,
                f"{len(other):,} of {len(asked):,} rows are another question than in "
                f"{rows.origin}; leave the column of ids out, and logs pair by their questions; "
                f"the first:\n{_aligned(shown)}",
            )
    if given.true is None:
        return position
    labels: Any = given.true[position]
    wrong = np.flatnonzero(rows.labels.unlike(labels) & ~labels.missing)
    if len(wrong):
        shown = [("id", rows.origin, repr(given.path))]
        shown += [(rows.ids[i], rows.labels.named(i), labels.named(i)) for i in wrong[:_SHOWN]]
        raise Problem(
            given.columns.place,
            f"{len(wrong):,} of {len(labels):,} rows have another {labels.what} than in "
            f"{rows.origin}; the first:\n{_aligned(shown)}",
        )
    return position


def _positions(rows: LabelledRows, given: PredictionTable) -> NDArray[np.intp]:
    """Find each row in a file that holds all of them, and none that is unknown."""
    if np.array_equal(rows.ids, given.ids):
        return np.arange(len(rows.ids))
    wanted, there, ignored = _alike(rows.ids, given.ids, rows.left_out)
    position: NDArray[np.intp] = pd.Index(there).get_indexer(pd.Index(wanted))
    lacking = wanted[position < 0]
    extra = there[~np.isin(there, wanted) & ~np.isin(there, ignored)]
    if len(lacking) or len(extra):
        parts = [f"{given.path!r} has {len(there):,} rows, {rows.origin} {len(wanted):,}"]
        parts += (
            [f"ids that are missing ({len(lacking):,}): {some(lacking)}"] if len(lacking) else []
        )
        parts += [f"ids that do not belong ({len(extra):,}): {some(extra)}"] if len(extra) else []
        remedy, one, other = None, rows.samples, _samples(given)
        if one is not None and other is not None:
            both = one.drop_duplicates().merge(other.drop_duplicates(), on=SAMPLE_ID)
            unlike = both[both["id_x"] != both["id_y"]]
            if len(unlike):
                own, *asked = unlike[[SAMPLE_ID, "id_x", "id_y"]].iloc[0]
                parts += [
                    f"of {len(both):,} ids that both logs have for samples, {len(unlike):,} stand "
                    f"for different questions, the first is {own}: {asked[0]!r} and {asked[1]!r}"
                ]
                only = "; only if both logs number the same questions alike, {} pairs so"
                remedy = Remedy("id", SAMPLE_ID, only)
        raise Problem(given.columns.place, "; ".join(parts), remedy=remedy)
    return position


def _samples(file: PredictionTable) -> pd.DataFrame | None:
    """Return questions and ids of the samples of a log; None of any other file."""
    if not {"id", SAMPLE_ID} <= set(file.columns.names):
        return None
    samples = file.columns.table.select(["id", SAMPLE_ID]).to_pandas().astype(str)
    # a table of somebody's own may have columns of these names
    return samples if samples["id"].str.contains(QUESTION).all() else None


def _alike(*ids: NDArray[Any]) -> list[NDArray[Any]]:
    """Bring ids to one type: texts, unless all are numbers."""
    filled = [values for values in ids if len(values)]
    if len({values.dtype for values in filled}) < 2:
        return [values.astype(filled[0].dtype) for values in ids]
    return [np.array([str(value) for value in values], dtype=object) for values in ids]


def _aligned(rows: Sequence[tuple[Any, ...]]) -> str:
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )


def read_values(
    path: str,
    columns: GivenColumns,
    place: Place,
    metric: Kind,
    run: tuple[int, int] = (1, 1),
    model: str | None = None,
) -> PredictionTable:
    """Read a file of numbers of one model."""
    file = read_predictions(path, columns, place, values=True, run=run, model=model)
    return meant(file, metric, columns)


def meant(file: PredictionTable, metric: Kind, columns: GivenColumns) -> PredictionTable:
    """Say what the numbers of a file mean; see `read_values`."""
    if isinstance(metric, Passing):
        file = _passed(file, metric, columns)
    values = file.values
    assert values is not None
    if isinstance(metric, GivenMetric):
        low, high = limits(metric)
        _check(file, (values < low) | (values > high), f"outside {low:g} to {high:g}")
        return dataclasses.replace(file, true=Labels(("",), np.zeros(len(values), dtype=np.int32)))
    described = Remedy("metrics", f"[{metric}]", "; {} wants 0 and 1: describe another metric")
    _check(file, ~np.isin(values, (0, 1)), "that is neither 0 nor 1", described)
    right = values == RIGHT[metric]
    return dataclasses.replace(
        file,
        true=Labels(RIGHT_OR_WRONG, np.ones(len(values), dtype=np.int32)),
        predicted=Labels(RIGHT_OR_WRONG, right.astype(np.int32)),
    )


def _passed(file: PredictionTable, asked: Passing, columns: GivenColumns) -> PredictionTable:
    """Put in place of the runs of each item how often k of them pass."""
    from bakeoff.stats import pass_at, pass_hat  # all of statistics: for this alone

    right = meant(file, asked.marks, columns).predicted
    assert right is not None
    if file.items is None:
        raise Problem(
            (*file.columns.place[:-1], "columns", "run"),
            f"{file.path!r}: which column numbers the runs of an item, of which {asked.k} are "
            "drawn?",
        )
    items, first, at, runs = np.unique(
        file.items, return_index=True, return_inverse=True, return_counts=True
    )
    if (least := int(runs.min())) < asked.k:
        raise Problem(
            ("metrics", 0) if len(file.columns.place) > 1 else ("k",),
            f"{file.path!r}: {asked.label} wants {asked.k} runs of each item, "
            f"{(runs < asked.k).sum():,} have fewer; the first is {items[runs.argmin()]} with "
            f"{least}",
        )
    for role, known in file.related.items():
        if (known != known[first][at]).any():
            raise Problem(file.columns.place, f"{file.path!r}: runs of an item differ in {role}")
    codes = right.among(RIGHT_OR_WRONG)
    estimate = pass_hat if asked.every else pass_at
    values = estimate(np.bincount(at, codes).astype(int), runs, asked.k)
    kept = file[first]
    constant = [
        name
        for name in file.columns.names
        if pd.Series(file.columns.table[name].to_pandas()).groupby(at).nunique().le(1).all()
    ]
    for one in as_columns(columns.subgroups):
        if one.column in file.columns.names and one.column not in constant:
            raise Problem(
                (*file.columns.place[:-1], "columns", "subgroups"),
                f"{file.path!r}: {one.column!r} differs between runs of an item",
            )
    own = dataclasses.replace(kept.columns, table=kept.columns.table.select(constant))
    # runs without groups of their own have their items for groups
    related = {
        role: known
        for role, known in kept.related.items()
        if not np.array_equal(known, [str(item) for item in items])
    }
    return dataclasses.replace(
        kept, columns=own, ids=items, values=values, related=related, items=None
    )


def limits(metric: GivenMetric) -> tuple[float, float]:
    """Return the least and the greatest possible number."""
    low, high = metric.range
    return -math.inf if low is None else low, math.inf if high is None else high


def may_be_right_or_wrong(files: Collection[PredictionTable], metric: GivenMetric) -> bool:
    """Tell whether all values are 0 or 1 and no other range is declared."""
    arrays = [file.values for file in files if file.values is not None]
    told = isinstance(metric, Passing) or limits(metric) not in ((-math.inf, math.inf), (0, 1))
    if not arrays or told:
        return False
    return all(bool(np.isin(values, (0, 1)).all()) for values in arrays)


def _check(
    file: PredictionTable, wrong: NDArray[Any], what: str, remedy: Remedy | None = None
) -> None:
    at = np.flatnonzero(wrong)
    if len(at):
        assert file.values is not None
        raise Problem(
            file.columns.place,
            f"{file.path!r}: {len(at):,} of {len(wrong):,} rows have a number {what}; the first "
            f"is id {file.ids[at[0]]} with {file.values[at[0]]:g}",
            remedy=remedy,
        )

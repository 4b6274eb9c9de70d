"""The canonical table: row ids, string labels, features; and the card that describes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.data import prepare
from bakeoff.data.describe_columns import describe, group_columns
from bakeoff.data.repeats import find_repeats, pairs_by_chance
from bakeoff.data.row_columns import carry
from bakeoff.data.target import Classes, Quantity, Target, read_target
from bakeoff.errors import Place, Problem, unknown
from bakeoff.files import read_parquet, reading, sha256_of, write_json, write_parquet
from bakeoff.sources import DataSet, Loaded
from bakeoff.spec.row_columns import NOTHING, RowColumns

ROW_ID = "__row_id__"
TARGET = "__target__"
WEIGHT = "__weight__"
"""Sample weight."""
GROUP = "__group__"
"""Rows of one group are never on both sides of a division."""
TIME = "__time__"
"""What orders the rows."""
PART = "__part__"
"""``train`` or ``test``, where the source came in two files."""
HOLDOUT = "__holdout__"
"""The value of the column that the plan ``holdout`` goes by."""
FOLDS = "__folds__"
"""Start of the columns that the plan ``kfold`` goes by; the number of the repeat follows."""
PROBABILITY_SLACK = 0.01
"""How far from 1 the probabilities of a row may sum up: many are rounded."""
VALIDATION = "__validation__"
"""The value of the column that searches for parameters go by."""
KEYS = (ROW_ID, TARGET, WEIGHT, GROUP, TIME, PART, HOLDOUT, VALIDATION)
DRAWN: Mapping[str, Sequence[str]] = MappingProxyType({})
"""What plans go by where all are drawn."""


@dataclasses.dataclass(frozen=True)
class Table:
    """A data set in canonical form."""

    frame: pd.DataFrame
    target: Target
    carried: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    describe: Callable[[Table], Mapping[str, Any]] = lambda table: {}

    def write(self, parquet: str | Path, card: str | Path) -> None:
        """Write the table and its card (with the SHA-256 of the table's file)."""
        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        meta = {**(table.schema.metadata or {}), b"classes": "\0".join(self.classes).encode()}
        write_parquet(parquet, table.replace_schema_metadata(meta))
        write_json(card, {**self.card, "sha256": sha256_of(parquet)})

    def write_carried(self, path: str | Path) -> None:
        """Write the columns that comparisons look at, with the ids of their rows."""
        table = self.carried.assign(**{ROW_ID: self.frame[ROW_ID]})
        write_parquet(path, pa.Table.from_pandas(table, preserve_index=False))

    @classmethod
    def read(cls, parquet: str | Path) -> Table:
        """Read a table back (without its card)."""
        table = read_parquet(parquet)
        with reading(parquet):
            named = table.schema.metadata[b"classes"].decode()
            numbers = pa.types.is_floating(table.schema.field(TARGET).type)
            target = Quantity() if numbers else Classes(tuple(named.split("\0")) if named else ())
            return cls(table.to_pandas(), target)

    @cached_property
    def card(self) -> Mapping[str, Any]:
        """Description of the data: rows, classes, column types, missing cells, licence."""
        # Computed on access, because the search for repeated rows is slow.
        return self.describe(self)

    @cached_property
    def features(self) -> pd.DataFrame:
        """The columns to learn from."""
        return self.frame.drop(columns=_keys(self.frame))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in order, of two the positive one last; none of a quantity."""
        return self.target.classes

    @cached_property
    def answers(self) -> NDArray[Any]:
        """The true answers: positions in `classes`, or numbers."""
        return self.target.answers(self.frame[TARGET])

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """What divisions keep alike: positions in `classes`; 0 for all rows of a quantity."""
        return self.target.strata(self.answers)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The sample weights, where there are any."""
        return self.frame[WEIGHT].to_numpy() if WEIGHT in self.frame else None


def _keys(frame: pd.DataFrame) -> list[Any]:
    return [c for c in frame.columns if c in KEYS or str(c).startswith(FOLDS)]


def load_table(
    name: str,
    spec: DataSet,
    seed: int,
    given_by: Mapping[str, Sequence[str]] = DRAWN,
    wanted: RowColumns = NOTHING,
    validation: tuple[str, Place] | None = None,
    *,
    numbers: bool = False,
) -> Table:
    """Load a data set from its source and bring it into canonical form."""
    place: Place = ("datasets", name)
    loaded = _load(spec, seed, place)
    pa.default_memory_pool().release_unused()  # what the file took while it was read
    frame = prepare.filtered(prepare.dated(loaded.frame, spec, place), spec, place)
    filtered = len(loaded.frame) - len(frame)
    frame, unlabelled = prepare.labelled(frame, loaded.target, spec, place)
    labels, what = read_target(frame[loaded.target], spec, place, numbers=numbers)
    other_classes = len(frame) - len(labels)
    kept = frame if len(labels) == len(frame) else frame.loc[labels.index]
    frame = prepare.derived(kept, spec, place)
    keys = {ROW_ID: prepare.row_ids(frame, spec, place), TARGET: labels}
    keys |= _roles(frame, loaded, spec, place) | _divided_by(frame, given_by)
    kept_apart = _kept_apart(spec, loaded.target, given_by)
    if validation is not None:
        keys[VALIDATION] = prepare.identifying(frame, *validation)
        kept_apart.add(validation[0])
    features = prepare.features(frame, kept_apart, spec, place)
    _check_features(features, loaded.target, spec, place)
    canonical = pd.concat([pd.DataFrame(keys, index=frame.index), features], axis=1)
    carried = carry(frame, wanted, (*place, "subgroups")).reset_index(drop=True)
    found = {
        "rows_filtered": filtered,
        "rows_dropped_without_target": unlabelled,
        "rows_of_other_classes": other_classes,
        "group_columns": group_columns(frame, kept_apart) if spec.groups is None else [],
    }
    # not with the frame that was loaded, for that takes as much room as the table
    found["notes"] = loaded.frame.attrs.get("notes", [])
    describe = partial(_card, name, spec, loaded.target, loaded.facts, found)
    return Table(canonical.reset_index(drop=True), what, carried, describe)


def _load(spec: DataSet, seed: int, place: Place) -> Loaded:
    """Load a data set from its source, which must have the target."""
    try:
        loaded = spec.load(seed)
    except Problem as problem:
        raise problem.inside(place) from problem.__cause__
    if loaded.target not in loaded.frame.columns:
        columns = map(str, loaded.frame.columns)
        raise Problem((*place, "target"), unknown("target column", loaded.target, columns))
    return loaded


def _roles(frame: pd.DataFrame, loaded: Loaded, spec: DataSet, place: Place) -> dict[str, Any]:
    """Return the columns that say how rows are weighted and divided."""
    found: dict[str, Any] = {}
    if spec.weights is not None:
        found[WEIGHT] = prepare.weights(frame, spec.weights, place)
    if spec.groups is not None:
        at = (*place, "groups")
        prepare.complete(frame, spec.groups, at)
        found[GROUP] = prepare.identifying(frame, spec.groups, at)
    if spec.time is not None:
        found[TIME] = prepare.time(frame, spec.time, place)
    if loaded.tested_from is not None:
        found[PART] = np.where(frame.index >= loaded.tested_from, "test", "train")
    return found


def _divided_by(frame: pd.DataFrame, given_by: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the columns that plans go by."""
    found = {}
    for plan, names in given_by.items():
        for repeat, name in enumerate(names, start=1):
            key = HOLDOUT if plan == "holdout" else f"{FOLDS}{repeat}"
            found[key] = prepare.identifying(frame, name, ("resampling", plan, "column"))
    return found


def _kept_apart(spec: DataSet, target: str, given_by: Mapping[str, Sequence[str]]) -> set[str]:
    dividing = (name for names in given_by.values() for name in names)
    roles = (target, spec.id, spec.weights, spec.groups, spec.time, *dividing)
    return {column for column in roles if column is not None}


def _check_features(features: pd.DataFrame, target: str, spec: DataSet, place: Place) -> None:
    for role, column in (("target", target), ("weights", spec.weights)):
        if column in (spec.features or []):
            raise Problem(
                (*place, "features"), f"{column!r} is the {role}: it cannot be a feature too"
            )
    reserved = _keys(features)
    if reserved:
        raise Problem(
            place, f"a column is called {reserved[0]!r}, a name with a meaning here: rename it"
        )


def _card(
    name: str,
    spec: DataSet,
    target: str,
    facts: Mapping[str, Any],
    found: Mapping[str, Any],
    table: Table,
) -> dict[str, Any]:
    frame, features = table.frame, table.features
    repeats, (by_chance, near_by_chance) = find_repeats(features), pairs_by_chance(features)
    described = describe(features)
    return {
        "dataset": name,
        "label": spec.label or name,
        "source": {
            **spec.described(),
            **facts,
        },
        "licence": spec.licence or facts.get("licence"),
        "rows": len(frame),
        "target": target,
        **table.target.described(table.answers),
        "merged": {new: [str(old) for old in pooled] for new, pooled in spec.merge.items()},
        **found,
        "roles": _described_roles(frame, spec),
        "features": described,
        "missing_cells": sum(one["missing"] for one in described.values()),
        "duplicate_rows": repeats.repeated,
        "near_duplicate_rows": repeats.nearly,
        "pairs_by_chance": by_chance,
        "near_pairs_by_chance": near_by_chance,
    }


def _described_roles(frame: pd.DataFrame, spec: DataSet) -> dict[str, Any]:
    """Say which columns weight and divide the rows, and what they hold."""
    found: dict[str, Any] = {}
    if WEIGHT in frame:
        weights = frame[WEIGHT]
        found["weights"] = {
            "column": spec.weights,
            "min": float(weights.min()),
            "max": float(weights.max()),
        }
    if GROUP in frame:
        found["groups"] = {"column": spec.groups, "distinct": int(frame[GROUP].nunique())}
    if TIME in frame:
        first, last = (str(frame[TIME].agg(edge)) for edge in ("min", "max"))
        found["time"] = {"column": spec.time, "first": first, "last": last}
    if PART in frame:
        found["test_rows"] = int((frame[PART] == "test").sum())
    return found

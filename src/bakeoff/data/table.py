"""The canonical table: row ids, string labels, features; and the card that describes it."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bakeoff.data.sources import SOURCES
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.files import whole, write_json
from bakeoff.spec.datasets import DataSet

ROW_ID = "__row_id__"
TARGET = "__target__"

_FUNCTIONS = {
    "log": np.log,
    "log1p": np.log1p,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "square": np.square,
}


@dataclasses.dataclass(frozen=True)
class Table:
    """A data set in canonical form.

    Attributes
    ----------
    frame : DataFrame
        `ROW_ID`, `TARGET` (strings), then the features.
    classes : tuple of str
        In order; of two, the positive class is the last.
    card : Mapping
        What the data are: rows, classes, kinds of columns, missing cells, licence.
    """

    frame: pd.DataFrame
    classes: tuple[str, ...]
    card: Mapping[str, Any]

    def write(self, parquet: str | Path, card: str | Path) -> None:
        """Write the table and its card (with the SHA-256 of the table's file)."""
        with whole(parquet) as part:
            table = pa.Table.from_pandas(self.frame, preserve_index=False)
            meta = {**(table.schema.metadata or {}), b"classes": "\0".join(self.classes).encode()}
            pq.write_table(table.replace_schema_metadata(meta), part)
            sha256 = hashlib.sha256(part.read_bytes()).hexdigest()
        write_json(card, {**self.card, "sha256": sha256})

    @classmethod
    def read(cls, parquet: str | Path) -> Table:
        """Read a table back (without its card)."""
        table = pq.read_table(parquet)
        classes = tuple(table.schema.metadata[b"classes"].decode().split("\0"))
        return cls(table.to_pandas(), classes, {})

    @property
    def features(self) -> pd.DataFrame:
        """The columns to learn from."""
        return self.frame.drop(columns=[ROW_ID, TARGET])

    @property
    def codes(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """The labels as positions in `classes`."""
        return pd.Categorical(self.frame[TARGET], categories=list(self.classes)).codes.astype(
            np.intp
        )


def load_table(name: str, spec: DataSet, seed: int) -> Table:
    """Load a data set from its source and bring it into canonical form.

    Parameters
    ----------
    name : str
        Its id; problems are reported under ``datasets.<name>``.
    spec : DataSet
        Its entry in the experiment.
    seed : int
        The experiment's seed (generators draw from it).

    Raises
    ------
    Problem
        A missing file or column, labels that cannot be learned, ...
    """
    place = ("datasets", name)
    try:
        frame, target = SOURCES[spec.source](spec, seed)  # type: ignore[attr-defined]
    except UserError as error:
        key = {"sklearn": "name", "generator": "params"}.get(spec.source, "path")  # type: ignore[attr-defined]
        key = "target" if "target column" in str(error) else key
        raise Problem((*place, key), str(error)) from None
    frame, dropped = _without_unlabelled(frame, target, spec, place)
    frame = _derive(frame, spec, place)
    ids = _row_ids(frame, spec, place)
    features = _features(frame, target, spec, place)
    labels, classes = _labels(frame[target], spec, place)
    keys = pd.DataFrame({ROW_ID: ids, TARGET: labels}, index=frame.index)
    canonical = pd.concat([keys, features], axis=1).reset_index(drop=True)
    return Table(canonical, classes, _card(name, spec, canonical, classes, target, dropped))


def _without_unlabelled(
    frame: pd.DataFrame, target: str, spec: DataSet, place: tuple[str, ...]
) -> tuple[pd.DataFrame, int]:
    missing = frame[target].isna()
    count = int(missing.sum())
    if count == len(frame):
        raise Problem((*place, "target"), f"every value of {target!r} is missing: nothing to learn")
    if count and getattr(spec, "missing_target", "error") == "error":
        raise Problem(
            (*place, "target"),
            f"{count} of {len(frame)} rows have no value in {target!r} (first in row "
            f"{int(np.flatnonzero(missing)[0]) + 1}); set `missing_target: drop` to leave them out",
        )
    return frame[~missing], count


def _derive(frame: pd.DataFrame, spec: DataSet, place: tuple[str, ...]) -> pd.DataFrame:
    """Add the derived columns; a derived column may build on an earlier one."""
    new = frame.copy(deep=False)
    for column, formula in spec.derive.items():
        at = (*place, "derive", column)
        function, source = _parse_formula(formula, at)
        if source not in new.columns:
            raise Problem(at, unknown("column", source, new.columns))
        if not pd.api.types.is_numeric_dtype(new[source]):
            raise Problem(at, f"column {source!r} is not numeric (it holds {new[source].dtype})")
        with np.errstate(all="ignore"):
            values = _FUNCTIONS[function](new[source].astype("float64"))
        undefined = ~np.isfinite(values) & new[source].notna()
        if undefined.any():
            row = int(np.flatnonzero(undefined)[0])
            raise Problem(
                at,
                f"{formula} is undefined in {int(undefined.sum())} row(s), first in row {row + 1} "
                f"where {source} = {new[source].iloc[row]!r}",
            )
        new[column] = values
    return new


def _parse_formula(formula: str, at: tuple[str, ...]) -> tuple[str, str]:
    try:
        call = ast.parse(formula.strip(), mode="eval").body
    except SyntaxError:
        call = None
    match call:
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=source)], keywords=[]):
            if function not in _FUNCTIONS:
                raise Problem(at, unknown("function", function, _FUNCTIONS))
            return function, source
    raise Problem(at, f"found {formula!r}, expected function(column), e.g. log(income)")


def _row_ids(frame: pd.DataFrame, spec: DataSet, place: tuple[str, ...]) -> Any:
    if spec.id is None:
        return np.arange(1, len(frame) + 1, dtype=np.int64)
    if spec.id not in frame.columns:
        raise Problem((*place, "id"), unknown("column", spec.id, frame.columns))
    ids = frame[spec.id]
    if ids.isna().any():
        raise Problem((*place, "id"), f"{int(ids.isna().sum())} rows have no id in {spec.id!r}")
    if ids.duplicated().any():
        raise Problem(
            (*place, "id"), f"ids must be unique: {ids[ids.duplicated()].iloc[0]!r} appears twice"
        )
    return ids if pd.api.types.is_integer_dtype(ids) else ids.astype(str)


def _features(
    frame: pd.DataFrame, target: str, spec: DataSet, place: tuple[str, ...]
) -> pd.DataFrame:
    for key, columns in (("features", spec.features or []), ("drop", spec.drop)):
        for i, column in enumerate(columns):
            if column not in frame.columns:
                raise Problem((*place, key, str(i)), unknown("column", column, frame.columns))
    if target in (spec.features or []):
        raise Problem((*place, "features"), f"{target!r} is the target: it cannot be a feature too")
    left_out = {target, *spec.drop} | ({spec.id} if spec.id not in (spec.features or []) else set())
    wanted = spec.features or list(frame.columns)
    columns = [column for column in wanted if column not in left_out]
    if not columns:
        raise Problem(place, "no feature is left to learn from")
    return frame[columns]


def _labels(
    target: pd.Series[Any], spec: DataSet, place: tuple[str, ...]
) -> tuple[pd.Series[Any], tuple[str, ...]]:
    """Turn labels into strings, classes ordered as their values are (2 before 10)."""
    values = list(pd.unique(target))
    if pd.api.types.is_float_dtype(target) and all(float(v).is_integer() for v in values):
        target = target.astype("int64")
        values = list(pd.unique(target))
    if pd.api.types.is_float_dtype(target) or len(values) > max(100, len(target) // 2):
        raise Problem(
            (*place, "target"),
            f"{len(values)} different values in {len(target)} rows look like a quantity, "
            "not like classes",
        )
    try:
        ordered = [str(value) for value in sorted(values)]
    except TypeError:
        ordered = sorted(str(value) for value in values)
    if len(ordered) < 2:
        raise Problem((*place, "target"), f"only one class, {ordered[0]!r}: nothing to compare")
    if spec.positive is not None:
        positive = str(spec.positive)
        if len(ordered) != 2:
            raise Problem((*place, "positive"), f"there are {len(ordered)} classes, not two")
        if positive not in ordered:
            raise Problem((*place, "positive"), unknown("class", positive, ordered))
        ordered.sort(key=lambda name: name == positive)
    return target.astype(str), tuple(ordered)


def _card(
    name: str,
    spec: DataSet,
    frame: pd.DataFrame,
    classes: tuple[str, ...],
    target: str,
    dropped: int,
) -> dict[str, Any]:
    features = frame.drop(columns=[ROW_ID, TARGET])
    counts = frame[TARGET].value_counts()
    return {
        "dataset": name,
        "label": spec.label or name,
        "source": spec.model_dump(mode="json", include={"source", "name", "path", "params"}),
        "licence": spec.licence,
        "rows": len(frame),
        "target": target,
        "classes": {c: int(counts[c]) for c in classes},
        "rows_dropped_without_target": dropped,
        "features": {
            str(column): {
                "kind": "number" if pd.api.types.is_numeric_dtype(values) else "category",
                "missing": int(values.isna().sum()),
                "distinct": int(values.nunique()),
            }
            for column, values in features.items()
        },
        "missing_cells": int(features.isna().to_numpy().sum()),
        "duplicate_rows": int(features.duplicated().sum()),
    }

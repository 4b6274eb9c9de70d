"""The columns of a file of predictions, found by their roles: labels as codes, numbers, ids."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype as is_number

from bakeoff.data.columns import LARGEST, beyond, canonical_ids, ordered
from bakeoff.errors import Place, Problem, Remedy, UserError, listed, some, unknown
from bakeoff.sources.common.identifiers import identifiers, names
from bakeoff.spec.given_models import GivenColumns

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id", "row"),
    "true": ("y_true", "true", "truth", "label", "target", "y"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
    "value": ("value", "score", "loss"),
}
Codes: TypeAlias = "NDArray[np.signedinteger[Any]]"
"""Classes of rows: their places among the classes."""

_WHAT = {"id": "id", "true": "true label", "predicted": "prediction"}
_SAME = 1e-6
"""How far two files may differ in a number, relatively: some round, or store single precision."""

DROP = Remedy("missing_target", "drop", "; {} leaves them out")
"""What to do about rows without a true label."""


@dataclasses.dataclass(frozen=True)
class Labels:
    """Labels of rows, as codes."""

    classes: tuple[str, ...]
    codes: Codes
    what: ClassVar[str] = "true label"

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> Labels:
        """Encode a column; its distinct values alone are written as texts."""
        if pa.types.is_null(column.type):  # a column without a value
            column = column.cast(pa.string())
        encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        texts = names(pd.Series(encoded.dictionary.to_pandas()))
        same, classes = pd.factorize(texts)
        return cls(tuple(map(str, classes)), _codes([*same, -1], len(classes))[places])

    def among(self, classes: Sequence[str]) -> Codes:
        """Return the codes as positions in other classes; -1 where a label is none of them."""
        places = {name: place for place, name in enumerate(classes)}
        positions = [places.get(name, -1) for name in self.classes]
        return _codes([*positions, -1], len(classes))[self.codes]

    def __getitem__(self, rows: Any) -> Labels:
        return Labels(self.classes, self.codes[rows])

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether a row has no label, shape (n,)."""
        missing: NDArray[np.bool_] = self.codes < 0
        return missing

    def unlike(self, other: Labels) -> NDArray[np.bool_]:
        """Tell in which rows another column has another label, shape (n,)."""
        return np.asarray(other.among(self.classes) != self.codes)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each label."""
        counted = np.bincount(self.codes[~self.missing], minlength=len(self.classes))
        return dict(zip(self.classes, counted.tolist(), strict=True))

    def named(self, row: int) -> str:
        """Return the label of a row, for messages."""
        return "" if self.codes[row] < 0 else self.classes[self.codes[row]]


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Numbers of rows, in place of `Labels`."""

    values: NDArray[np.float64]
    classes: ClassVar[tuple[str, ...]] = ()
    what: ClassVar[str] = "true number"

    def among(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the numbers, which are among no classes."""
        return self.values

    def __getitem__(self, rows: Any) -> Numbers:
        return Numbers(self.values[rows])

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether a row has no number, shape (n,)."""
        return np.isnan(self.values)

    def unlike(self, other: Numbers) -> NDArray[np.bool_]:
        """Tell in which rows another column has another number, but for rounding, shape (n,)."""
        return ~np.isclose(other.values, self.values, rtol=_SAME, atol=0)

    def named(self, row: int) -> str:
        """Return the number of a row, for messages."""
        return "" if np.isnan(self.values[row]) else f"{self.values[row]:.9g}"


Answers: TypeAlias = Labels | Numbers
"""What is true, or predicted, of rows."""


def _codes(places: Sequence[int], classes: int) -> Codes:
    """Return codes in the smallest integer type: 50 models of a million rows take 50 MB."""
    return np.array(places, dtype=np.min_scalar_type(-1 - classes))


@dataclasses.dataclass(frozen=True)
class Columns:
    """The columns of a file whose roles are not assigned yet."""

    path: str
    table: pa.Table
    place: Place

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.table.column_names)

    def find(self, role: str, columns: GivenColumns) -> str | None:
        """Find the column of a role, by its name or by the usual ones."""
        at = (*self.place[:-1], "columns", role)
        name: str | None = getattr(columns, role)
        if name is not None:
            if name not in self.names:
                raise Problem(at, f"{self.path!r}: {unknown('column', name, self.names)}")
            return name
        found = [usual for usual in USUAL.get(role, ()) if usual in self.names]
        if len(found) > 1:
            raise Problem(at, f"{self.path!r} has {listed(found)}: say which of them it is")
        return found[0] if found else None

    def labels(self, column: str, role: str = "predicted", *, may_lack: bool = False) -> Labels:
        """Return the labels of a column."""
        read = Labels.of(self.table[column])
        missing = np.flatnonzero(read.codes < 0)
        if len(missing) and not may_lack:
            raise Problem(
                self.place,
                f"{self.path!r}: {len(missing):,} of {len(read):,} rows have no {_WHAT[role]} in "
                f"column {column!r}; the first is row {missing[0] + 1}; a class that is called NA, "
                "None or the like needs `missing_values: []` (`--missing-values ''`)",
                remedy=DROP if role == "true" else None,
            )
        return read

    def answers(
        self, column: str, role: str = "predicted", *, numbers: bool = False, may_lack: bool = False
    ) -> Answers:
        """Return the labels of a column, or with `numbers` its numbers; see `labels`."""
        if not numbers:
            return self.labels(column, role, may_lack=may_lack)
        remedy = DROP if role == "true" else None
        return Numbers(self.numbers(column, may_lack=may_lack, remedy=remedy))

    def numbers(
        self,
        column: str | None,
        ids: NDArray[Any] | None = None,
        *,
        may_lack: bool = False,
        remedy: Remedy | None = None,
    ) -> NDArray[np.float64]:
        """Return the numbers of a column, shape (n,)."""
        if column is None:
            raise Problem(
                (*self.place[:-1], "columns", "value"),
                f"{self.path!r} has no column of numbers (looked for {listed(USUAL['value'])}); it "
                f"has {listed(self.names)}: say which it is",
            )
        values = self.table[column].to_pandas()
        found = values if is_number(values) else pd.to_numeric(values.astype(str), errors="coerce")
        numbers = found.to_numpy(np.float64, na_value=np.nan)
        wrong = np.flatnonzero(~np.isfinite(numbers) & ~(may_lack & values.isna()))
        if len(wrong):
            row = int(wrong[0])
            first = f"row {row + 1}" if ids is None else f"id {ids[row]}"
            raise Problem(
                self.place,
                f"{self.path!r}: {len(wrong):,} of {len(numbers):,} rows have no number in column "
                f"{column!r}; the first is {first} with {values.iloc[row]}",
                remedy=remedy if values.isna().iloc[wrong].all() else None,
            )
        largest = np.abs(numbers).max(initial=0.0, where=np.isfinite(numbers))
        if largest > LARGEST:
            raise Problem(self.place, f"{self.path!r}: column {column!r} has {beyond(largest)}")
        return np.asarray(numbers)

    def related(self, role: str, columns: GivenColumns) -> NDArray[Any] | None:
        """Return the group or time of each row; None if no column is named."""
        column = None if getattr(columns, role) is None else self.find(role, columns)
        if column is None:
            return None
        values = pd.Series(self.table[column].to_pandas())
        missing = np.flatnonzero(values.isna())
        if len(missing):
            raise Problem(
                self.place,
                f"{self.path!r}: {len(missing):,} of {len(values):,} rows have no {role} in column "
                f"{column!r}; the first is row {missing[0] + 1}",
            )
        try:
            if role != "time":
                return identifiers(values).to_numpy(dtype=object)
            return ordered(values).to_numpy()
        except UserError as error:
            raise Problem(self.place, f"{self.path!r}: column {column!r} {error}") from None

    def row_ids(self, column: str) -> NDArray[Any]:
        """Return the ids of a column, shape (n,): whole numbers, or texts."""
        try:
            return canonical_ids(pd.Series(self.table[column].to_pandas()))
        except UserError as error:
            raise Problem(self.place, f"{self.path!r}: column {column!r} {error}") from None

    def ids(
        self,
        column: str,
        run: NDArray[Any] | None = None,
        folds: NDArray[np.intp] | None = None,
    ) -> NDArray[Any]:
        """Return the row ids, shape (n,): whole numbers, or texts; unique in each run and fold."""
        values = self.table[column]
        if values.null_count:
            missing = np.flatnonzero(values.is_null().to_numpy())
            raise Problem(
                self.place,
                f"{self.path!r}: {len(missing):,} of {len(values):,} rows have no id in column "
                f"{column!r}; the first is row {missing[0] + 1}",
            )
        ids = self.row_ids(column)
        if run is not None:
            ids = np.array([f"{i} run {r}" for i, r in zip(ids, run, strict=True)], dtype=object)
        again = pd.DataFrame({"id": ids})
        if folds is not None:
            again[["repeat", "fold"]] = folds
        twice = again.duplicated().to_numpy()
        if twice.any():
            repeated = pd.unique(ids[twice])
            related = run is not None or folds is not None
            named = next((name for name in ("run", "epoch") if name in self.names), "")
            raise Problem(
                self.place,
                f"{self.path!r}: ids must be unique{' in each fold' * (folds is not None)}; "
                f"repeated ({len(repeated):,}): {some(repeated)}"
                + (
                    ""
                    if related
                    else "; where rows are predicted in several folds, their columns are `repeat` "
                    "and `fold` of an experiment; where all are predicted by every training run, "
                    "theirs is `seed`"
                ),
                remedy=None
                if related
                else Remedy("run", named, "; where they are runs of items, {} names their column"),
            )
        return ids

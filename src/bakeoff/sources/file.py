"""Tables in files."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from bakeoff.errors import Place, Problem, UserError, shown, unknown
from bakeoff.files import is_file, locate, no_file
from bakeoff.sources.common.base import ColumnName, Loaded, TableData, TableKeys, blame

if TYPE_CHECKING:
    import pandas as pd


class Join(TableKeys):
    """A table with further columns of the same rows."""

    path: str = Field(description="The file; as `path` of the data set.")
    key: ColumnName = Field(
        description="The column, in both tables, that says which rows belong together; each value "
        "once in this table. A row with a missing value there belongs to none."
    )

    @model_validator(mode="before")
    @classmethod
    def _bare_on(cls, keys: Any) -> Any:
        """Take a bare `on:`, which YAML does not read as a text, for the key that it is."""
        if not isinstance(keys, Mapping):
            return keys
        return {"on" if key is True else key: value for key, value in keys.items()}


class FileData(TableData):
    """A table in a file."""

    source: Literal["file"]
    path: str = Field(
        description="CSV, TSV, Parquet, Feather, JSON lines, Excel or Stata, also "
        "compressed (.gz, .bz2, .xz, .zip); relative to the folder `snakemake` runs "
        "in, else to the experiment file's."
    )
    test_path: str | None = Field(
        None,
        description="A second file with the same columns: the test set of the plan `holdout`. "
        "The other plans divide the rows of `path` alone.",
    )

    join: list[Join] = Field(
        [],
        description="More tables with further columns of the same rows: "
        "`[{path: lab.csv, key: patient}]`.",
    )

    def inputs(self) -> list[str]:
        """List the files."""
        own = [self.path, *([self.test_path] if self.test_path else [])]
        return [*own, *(other.path for other in self.join)]

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        found = {"path": locate(self.path, folder)}
        if self.test_path is not None:
            found["test_path"] = locate(self.test_path, folder)
        joined = [
            other.model_copy(update={"path": locate(other.path, folder)}) for other in self.join
        ]
        return self.model_copy(update={**found, "join": joined})

    @property
    def own_test_set(self) -> str | None:
        """The key that names a test set of its own, where there is one."""
        return "test_path" if self.test_path else None

    def load(self, seed: int) -> Loaded:
        """Read the table, or a training and a test table below each other."""
        from bakeoff.sources.common.identifiers import stacked

        frame = self._read("path", self.path)
        if self.test_path is None:
            return Loaded(self._joined(frame), self.target)
        tested = self._read("test_path", self.test_path)
        missing = [column for column in frame if column not in tested]
        more = [column for column in tested if column not in frame]
        if missing or more:
            lacking, column = (self.test_path, missing[0]) if missing else (self.path, more[0])
            raise Problem(
                ("test_path",),
                f"{lacking!r} has no column {column!r}; both files need the same columns",
            )
        both = stacked([frame, tested])
        return Loaded(self._joined(both), self.target, tested_from=len(frame))

    def _joined(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Add the columns of the other tables, row by row."""
        from bakeoff.sources.common.formats import read_table

        for i, other in enumerate(self.join):
            with blame("join"):
                if not is_file(other.path):
                    raise UserError(f"{no_file(other.path)}{_nearest_file(Path(other.path))}")
                more = read_table(Path(other.path), other.path, other)
                frame = _with_columns(frame, more, other, ("join", i))
        return frame

    def _read(self, key: str, path: str) -> pd.DataFrame:
        from bakeoff.sources.common.formats import read_table

        with blame(key):
            if not is_file(path):
                raise UserError(f"{no_file(path)}{_nearest_file(Path(path))}")
            return read_table(Path(path), path, self)


def _with_columns(frame: pd.DataFrame, more: pd.DataFrame, other: Join, at: Place) -> pd.DataFrame:
    """Join a table to which each row belongs once; rows without a match have missing values."""
    import pandas as pd

    from bakeoff.sources.common.identifiers import identifiers, taken

    for path, table in (("the first table", frame), (repr(other.path), more)):
        if other.key not in table.columns:
            known = unknown("column", other.key, map(str, table.columns))
            raise Problem((*at, "key"), f"{path}: {known}")
    more = more[more[other.key].notna()]  # a missing key matches nothing
    try:
        keys, wanted = identifiers(more[other.key]), identifiers(frame[other.key])
    except UserError as error:
        raise Problem((*at, "key"), f"{other.key!r} {error}") from None
    if keys.duplicated().any():
        twice = more[other.key][keys.duplicated()].iloc[0]
        raise Problem(
            (*at, "key"),
            f"{other.path!r}: {other.key!r} must be unique: {shown(twice)} appears twice",
        )
    twofold = [c for c in more.columns if c in frame.columns and c != other.key]
    if twofold:
        raise Problem(
            at, f"{other.path!r} has the column {twofold[0]!r}, which is there already: rename it"
        )
    if not wanted.isin(keys).any():
        raise Problem((*at, "key"), f"no {other.key!r} of the first table is in {other.path!r}")
    found = taken(more.drop(columns=other.key), pd.Index(keys).get_indexer(pd.Index(wanted)))
    return frame.join(found.set_axis(frame.index, axis=0))


def _nearest_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f" (there is no folder {str(path.parent)!r})"
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {str(path.parent / close[0])!r}?" if close else ""

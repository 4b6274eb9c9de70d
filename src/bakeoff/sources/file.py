"""Tables in files."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from bakeoff.errors import Problem, UserError
from bakeoff.files import is_file, is_folder, locate, no_file
from bakeoff.sources.common.base import Loaded, TableData, blame

if TYPE_CHECKING:
    import pandas as pd


class FileData(TableData):
    """A table in a file."""

    source: Literal["file"]
    path: str
    """CSV, TSV, Parquet, Feather, JSON lines, Excel or Stata, also compressed (.gz, .bz2, .xz,
    .zip); relative to the folder `snakemake` runs in, else to the experiment file's."""
    test_path: str | None = None
    """A second file with the same columns: the test set of the plan `holdout`. The other plans
    divide the rows of `path` alone."""

    def inputs(self) -> list[str]:
        """List the files."""
        return [self.path, *([self.test_path] if self.test_path else [])]

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        paths = {"path": self.path, "test_path": self.test_path}
        return self.model_copy(
            update={key: locate(path, folder) for key, path in paths.items() if path is not None}
        )

    def load(self, seed: int) -> Loaded:
        """Read the table, or a training and a test table below each other."""
        from bakeoff.sources.common.identifiers import stacked

        frame = self._read("path", self.path)
        if self.test_path is None:
            return Loaded(frame, self.target)
        tested = self._read("test_path", self.test_path)
        missing = [column for column in frame if column not in tested]
        more = [column for column in tested if column not in frame]
        if missing or more:
            lacking, column = (self.test_path, missing[0]) if missing else (self.path, more[0])
            raise Problem(
                ("test_path",),
                f"{lacking!r} has no column {column!r}; both files need the same columns",
            )
        return Loaded(stacked([frame, tested]), self.target, tested_from=len(frame))

    def _read(self, key: str, path: str) -> pd.DataFrame:
        from bakeoff.sources.common.formats import read_table

        with blame(key):
            if is_file(path):
                return read_table(path, self)
            folder, name = Path(path).parent, Path(path).name
            if not is_folder(folder):
                raise UserError(f"{no_file(path)} (there is no folder {str(folder)!r})")
            names = [entry.name for entry in folder.iterdir() if entry.is_file()]
            close = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean {str(folder / close[0])!r}?" if close else ""
            raise UserError(f"{no_file(path)}{hint}")

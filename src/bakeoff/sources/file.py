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
        if self.test_path:
            return [self.path, self.test_path]
        return [self.path]

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        paths = {"path": locate(self.path, folder)}
        if self.test_path is not None:
            paths["test_path"] = locate(self.test_path, folder)
        return self.model_copy(update=paths)

    def load(self, seed: int) -> Loaded:
        """Read the table, or a training and a test table below each other."""
        from bakeoff.sources.common.identifiers import stacked

        # the rows of the test file stand below those for training
        frame = self._read("path", self.path)
        if self.test_path is None:
            return Loaded(frame, self.target)
        tested = self._read("test_path", self.test_path)
        _check_same_columns(frame, self.path, tested, self.test_path)
        return Loaded(stacked([frame, tested]), self.target, tested_from=len(frame))

    def _read(self, key: str, path: str) -> pd.DataFrame:
        """Read one of the files, which a key names."""
        from bakeoff.sources.common.formats import read_table

        with blame(key):
            if not is_file(path):
                raise UserError(f"{no_file(path)}{_hint(Path(path))}")
            return read_table(path, self)


def _check_same_columns(
    frame: pd.DataFrame,
    path: str,
    tested: pd.DataFrame,
    test_path: str,
) -> None:
    """Refuse two files of which one has a column that the other has not."""
    advice = "both files need the same columns"
    for column in frame:
        if column not in tested:
            raise Problem(("test_path",), f"{test_path!r} has no column {column!r}; {advice}")
    for column in tested:
        if column not in frame:
            raise Problem(("test_path",), f"{path!r} has no column {column!r}; {advice}")


def _hint(path: Path) -> str:
    """Say which file beside it may be meant, or that its folder is not there."""
    folder = path.parent
    if not is_folder(folder):
        return f" (there is no folder {str(folder)!r})"
    # a slip of the pen, or an ending that was forgotten
    names = []
    for entry in folder.iterdir():
        if entry.is_file():
            names.append(entry.name)
    close = difflib.get_close_matches(path.name, names, n=1)
    if not close:
        return ""
    return f"; did you mean {str(folder / close[0])!r}?"

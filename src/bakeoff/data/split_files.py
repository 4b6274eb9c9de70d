"""The divisions of a plan as a table of rows and repeats: written, read and iterated over."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bakeoff.data.divide import Folds, Rows
from bakeoff.data.given_folds import NEITHER
from bakeoff.files import read_frame, reading, state_of, write_parquet
from bakeoff.spec.resampling import Plan


class Split(NamedTuple):
    """Row positions of the training and the test part."""

    train: Rows
    test: Rows


def write_splits(path: str | Path, splits: pd.DataFrame) -> None:
    """Write the divisions of one plan."""
    write_parquet(path, pa.Table.from_pandas(splits, preserve_index=False))


def read_splits(path: str | Path) -> pd.DataFrame:
    """Read the divisions of one plan."""
    return read_frame(path)


def read_split(path: str | Path, repeat: int, fold: int) -> Split:
    """Read one division of a file that `write_splits` wrote; `repeat` and `fold` count from 1."""
    return _parts(*_read_column(str(path), state_of(path), repeat, fold))


@lru_cache(maxsize=16)
def _read_column(path: str, state: tuple[int, ...], repeat: int, fold: int) -> tuple[Folds, int]:
    """Read the column of a division; cached, because the next model of a worker needs it again."""
    with reading(path):
        file, names = _opened(path, state)
        name, number = _column(names, repeat, fold)
        return file.read(columns=[name], use_threads=False).column(0).to_numpy(), number


@lru_cache(maxsize=4)
def _opened(path: str, state: tuple[int, ...]) -> tuple[pq.ParquetFile, frozenset[str]]:
    """Open a file of divisions and keep it open: with thousands of columns opening is slow."""
    file = pq.ParquetFile(path, page_checksum_verification=True)
    return file, frozenset(file.schema.names)


def divisions(splits: pd.DataFrame, plan: Plan) -> Iterator[tuple[int, int, Split]]:
    """Iterate over the divisions of a plan, as (repeat, fold, positions of the rows)."""
    for repeat, fold in plan.splits():
        name, number = _column(splits.columns, repeat, fold)
        yield repeat, fold, _parts(splits[name].to_numpy(), number)


def _column(names: Any, repeat: int, fold: int) -> tuple[str, int]:
    """Return the column of a division and the value that marks the test rows."""
    column = f"repeat-{repeat}.fold-{fold}"
    return (column, 1) if column in names else (f"repeat-{repeat}", fold)


def _parts(values: NDArray[Any], number: int) -> Split:
    tested = values == number
    return Split(np.flatnonzero(~tested & (values != NEITHER)), np.flatnonzero(tested))

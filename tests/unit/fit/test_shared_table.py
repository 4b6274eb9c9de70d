"""Large tables are mapped into memory, and what is learnt from them is the same."""

import os

import numpy as np
import pandas as pd
import pytest

from bakeoff.data import ROW_ID, TARGET, Table
from bakeoff.data.target import Classes
from bakeoff.files import CACHE
from bakeoff.fit import shared_table
from bakeoff.fit.shared_table import read_shared


@pytest.fixture
def parquet(tmp_path, monkeypatch):
    """Write a table of numbers, counts, texts and dates, some of them missing."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            ROW_ID: np.arange(60),
            TARGET: np.where(np.arange(60) % 2, "no", "yes"),
            "number": np.where(np.arange(60) % 7, rng.standard_normal(60), np.nan),
            "count": rng.integers(9, size=60),
            "flag": rng.integers(2, size=60).astype(np.int8),
            "text": pd.Series(np.where(np.arange(60) % 5, "a", None), dtype="str"),
            "day": pd.to_datetime(np.where(np.arange(60) % 4, "2024-05-31", None)),
        }
    )
    path = tmp_path / "d.parquet"
    Table(frame, Classes(("no", "yes"))).write(path, tmp_path / "d.json")
    return path


def mapped():
    return sorted(CACHE.rglob("*.arrow"))


def test_large_table_alone_is_mapped_and_the_same(parquet, monkeypatch):
    pd.testing.assert_frame_equal(read_shared(parquet).frame, Table.read(parquet).frame)
    assert mapped() == []
    monkeypatch.setattr(shared_table, "LARGE", 0)
    table, plain = read_shared(parquet), Table.read(parquet)
    pd.testing.assert_frame_equal(table.frame, plain.frame)
    assert table.classes == plain.classes
    assert len(mapped()) == 1
    for column in ("number", "count", "flag"):
        assert not table.frame[column].to_numpy().flags.writeable
    # what an estimator sees has the layout that it would have, so that sums round alike
    rows = np.arange(0, 60, 3)
    ours, theirs = (t.features[["number", "count"]].iloc[rows].to_numpy() for t in (table, plain))
    assert ours.tobytes("A") == theirs.tobytes("A")
    assert ours.flags["F_CONTIGUOUS"] == theirs.flags["F_CONTIGUOUS"]


def test_what_is_mapped_is_made_once_for_each_state_of_the_table(parquet, monkeypatch):
    monkeypatch.setattr(shared_table, "LARGE", 0)
    read_shared(parquet)
    first = mapped()[0].stat().st_ino
    read_shared(parquet)
    assert mapped()[0].stat().st_ino == first
    Table(Table.read(parquet).frame.head(9), Classes(("no", "yes"))).write(parquet, "d.json")
    os.utime(parquet, ns=(1, 1))
    assert len(read_shared(parquet).frame) == 9
    assert len(mapped()) == 1

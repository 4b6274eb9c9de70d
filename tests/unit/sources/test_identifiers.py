"""Whole numbers of any size identify rows, groups and runs exactly, whatever reads them."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bakeoff
from bakeoff.api.arrays import side_by_side
from bakeoff.api.tables import joined_table
from bakeoff.data.columns import in_order
from bakeoff.data.given_tables import read_columns
from bakeoff.errors import Problem, UserError
from bakeoff.sources.common import formats
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.identifiers import (
    identifiers,
    names,
    series_of,
    to_frame,
)
from bakeoff.sources.file import FileData

BEYOND = 2**53
KEYS = {
    "beyond 53 bits, one missing": [BEYOND + 1, None, BEYOND, BEYOND + 2],
    "beyond 63 bits": [2**63 + 1, 2**63, 2**63 + 2, 7],
    "beyond 63 bits, one missing": [2**63 + 1, None, 2**63, 7],
    "beyond 64 bits, one missing": [2**70 + 1, None, 2**70, 7],
    "negative and beyond 63 bits": [-BEYOND - 1, 2**63 + 1, -BEYOND, None],
}


def _lines(separator):
    def write(path, keys):
        lines = [f"k{separator}x"]
        for i, key in enumerate(_expected(keys)):
            lines.append(f"{key or ''}{separator}{i}")
        path.write_text("\n".join(lines) + "\n")

    return write


def _json_lines(path, keys):
    lines = [json.dumps({"k": key, "x": i}) for i, key in enumerate(keys)]
    path.write_text("\n".join(lines) + "\n")


def _arrow(path, keys):
    kind = pa.int64()
    if max(_present(keys)) >= 2**63:
        kind = pa.uint64()
    table = pa.table({"k": pa.array(keys, kind), "x": np.arange(len(keys))})
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    else:
        pa.feather.write_feather(table, path)


def _excel(path, keys):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["k", "x"])
    for i, key in enumerate(_expected(keys)):
        book.active.append([key, str(i)])
    book.save(path)


WRITERS = {
    "csv": _lines(","),
    "tsv": _lines("\t"),
    "jsonl": _json_lines,
    "xlsx": _excel,
    "parquet": _arrow,
    "feather": _arrow,
}


def _present(keys):
    return [key for key in keys if key is not None]


def _expected(keys):
    """Return keys as texts; a missing one is None."""
    texts = []
    for key in keys:
        if key is not None:
            key = str(key)
        texts.append(key)
    return texts


def _found(values):
    """Return what identifies the rows of a column; None where it is missing."""
    found = identifiers(values).astype(object)
    return found.where(found.notna(), None).tolist()


@pytest.mark.parametrize("case", KEYS)
@pytest.mark.parametrize("ending", WRITERS)
def test_every_reader_keeps_keys(ending, case, tmp_path):
    keys = KEYS[case]
    whole = _present(keys)
    if ending in ("parquet", "feather") and not (min(whole) >= 0 and max(whole) < 2**64):
        pytest.skip("Arrow has no such whole numbers")
    path = tmp_path / f"t.{ending}"
    WRITERS[ending](path, keys)
    frame = formats.read_table(str(path), TableKeys())
    assert _found(frame["k"]) == _expected(keys)


def test_features_are_what_they_were(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1e300,1\n0.5,\n12345678901234567890.5,3\n")
    frame = formats.read_table(str(path), TableKeys())
    assert list(map(str, frame.dtypes)) == ["float64", "float64"]


def test_test_set_of_its_own_keeps_keys(tmp_path):
    train = tmp_path / "a.csv"
    test = tmp_path / "b.csv"
    train.write_text(f"k,y\n{BEYOND + 1},0\n{BEYOND},1\n")
    test.write_text("k,y\n5,0\n,1\n")
    files = {"path": str(train), "test_path": str(test)}
    both = FileData.model_validate({"source": "file", "target": "y", **files}).load(1).frame
    assert _found(both["k"]) == _expected([BEYOND + 1, BEYOND, 5, None])


@pytest.mark.parametrize("kind", ["float64", "Float64", "double[pyarrow]", "float32"])
def test_floats_that_stand_for_several_numbers_are_refused(kind):
    bits = 53
    if kind == "float32":
        bits = 24
    with pytest.raises(UserError, match=f"{2**bits}.*store them as whole numbers or as texts"):
        identifiers(pd.Series([2.0**bits], dtype=kind))
    assert identifiers(pd.Series([2.0**bits - 1], dtype=kind)).tolist() == [str(2**bits - 1)]


def test_categories_lists_and_arrow_tables_keep_keys(tmp_path):
    kept = [BEYOND, None, BEYOND + 1]
    coded = pd.Categorical.from_codes([0, -1, 1], categories=[BEYOND, BEYOND + 1])
    of_arrow = to_frame(pa.table({"k": pa.array(kept)}))["k"]
    assert _found(pd.Series(coded)) == _found(of_arrow) == _expected(kept)
    given = [2**63 + 1, 2**63, 5]
    assert np.asarray(given).dtype == np.float64
    assert names(series_of(np.asarray(given), given)).tolist() == _expected(given)
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"k": [2**53 + 1, 2**53]}).to_excel(path, index=False)  # its numbers are floats
    with pytest.raises(UserError, match="do not tell neighbouring whole numbers apart"):
        identifiers(formats.read_table(str(path), TableKeys())["k"])


STARTS = [1, 2**53, 2**63 - 2, 12345678901234567890, 10**21]
ROWS = 6


@pytest.mark.parametrize("start", STARTS)
def test_rows_and_groups_are_told_apart(start, tmp_path):
    keys = [start + i for i in range(ROWS)]
    WRITERS["csv"](tmp_path / "p1.csv", keys)
    file = read_columns(str(tmp_path / "p1.csv"), ("x",))
    runs = read_columns(str(tmp_path / "p{seed}.csv"), ("x",))  # of which this is one
    for found in (file.with_roles(groups="k").related("groups"), file.ids("k"), runs.ids("k")):
        assert list(map(str, found)) == list(map(str, keys))


@pytest.mark.parametrize("role", ["id", "groups", "runs", "seeds", "fold"])
def test_floats_that_stand_for_several_numbers_identify_nothing(role, tmp_path):
    frame = pd.DataFrame({"who": np.arange(ROWS) * 4 + 2.0**54})
    frame.to_parquet(tmp_path / "p.parquet")
    file = read_columns(str(tmp_path / "p.parquet"), ("x",))
    read = partial(file.with_roles(**{role: "who"}).related, role)
    if role == "id":
        read = partial(file.ids, "who")
    with pytest.raises(Problem, match="'who' holds floating-point numbers"):
        read()


def test_groups_in_a_list_are_told_apart():
    groups = [2**63 + i // 2 for i in range(ROWS - 2)] + [5, 6]
    truth = [0, 1, 0, 1, 0, 1]
    other = [0, 1, 0, 1, 1, 0]
    said = str(bakeoff.compare(truth, {"a": truth, "b": other}, groups=groups))
    assert "in 4 groups" in said.replace("\n", " ")
    frame, roles = joined_table(np.zeros((ROWS, 1)), truth, {"groups": groups})
    assert list(frame[roles["groups"]]) == groups
    floats = np.arange(ROWS) + 2.0**60
    with pytest.raises(UserError, match=r"groups.* do not tell neighbouring whole numbers apart"):
        bakeoff.compare(truth, {"a": truth, "b": other}, groups=floats)


def test_subgroups_of_arrow_keep_codes():
    codes = pa.table({"site": pa.array([2**53, 2**53 + 1, None] * 4)})
    given = {"a": np.arange(12.0), "b": np.arange(12.0)[::-1]}
    options = {
        "values": "higher",
        "metrics": (),
        "subgroups": codes,
    }
    rows, _ = side_by_side(None, given, {}, options)
    found = rows.subgroups["site"]
    assert [*found.categories] == [str(2**53), str(2**53 + 1), "(missing)"]


def test_score_tables_refuse_groups_that_were_floats():
    table = pd.DataFrame({"a": np.linspace(0.5, 0.9, ROWS), "b": np.linspace(0.4, 0.8, ROWS)})
    table = table.assign(dataset=[f"d{i}" for i in range(ROWS)], who=np.arange(ROWS) + 2.0**60)
    how = {
        "datasets": "dataset",
        "groups": "who",
        "values": "higher",
    }
    with pytest.raises(UserError, match=r"groups.* do not tell neighbouring whole numbers apart"):
        bakeoff.compare_datasets(table, **how)
    with pytest.raises(UserError, match=r"groups.* 6 empty cells"):
        bakeoff.compare_datasets(table.assign(who=None), **how)


def test_codes_have_an_order_of_their_own():
    assert in_order(["7", "10", "07"]) == in_order(["07", "7", "10"]) == ["07", "7", "10"]
    assert in_order(["b", "10", "2"]) == ["10", "2", "b"]

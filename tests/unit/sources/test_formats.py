"""Files of every format, whole and broken."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest

from bakeoff.data import TARGET, load_table
from bakeoff.data.columns import plain
from bakeoff.data.table import chosen_features
from bakeoff.errors import Problem, UserError
from bakeoff.sources.common import formats
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.formats import read_table
from bakeoff.sources.file import FileData
from bakeoff.sources.sklearn import SklearnData
from tests.conftest import ROOT

PENGUINS = ROOT / "config/data/penguins.csv"


def read(path, **keys):
    return read_table(str(path), TableKeys.model_validate(keys))


def load(path, **keys):
    spec = {
        "source": "file",
        "path": str(path),
        "target": "y",
        **keys,
    }
    return load_table("d", FileData.model_validate(spec), 0).frame


@pytest.fixture(scope="module")
def penguins():
    return pd.read_csv(PENGUINS)


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "ndjson": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "dta": lambda frame, path: frame.to_stata(path, write_index=False),
}
PACKED = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
GZ = ("parquet.gz", "jsonl.gz", "ndjson.gz", "xlsx.gz", "dta.gz")


@pytest.mark.parametrize("ending", [*WRITERS, "CSV", "csv.gz", "csv.bz2", "csv.xz", "csv.zip", *GZ])
def test_every_format_gives_the_same_table(tmp_path, ending):
    frame = pd.DataFrame({"x1": [1.5, 2.0, -3.25], "x2": [4.0, 5.0, 6.0], "y": [1, 2, 1]})
    frame["pet"] = ["cat", "dog", "Bär"]
    path = tmp_path / f"p.{ending}"
    kind, _, packing = ending.lower().partition(".")
    if packing == "zip":
        frame.to_csv(path, index=False)
    else:
        written = tmp_path / f"written.{kind}"
        WRITERS[kind](frame, written)
        path.write_bytes(PACKED.get(packing, bytes)(written.read_bytes()))
    assert read(path)[frame.columns].to_dict("list") == frame.to_dict("list")


def test_format_can_be_said(tmp_path, penguins):
    path = tmp_path / "penguins.data"
    penguins.to_csv(path, index=False, header=False, sep="|", na_rep="?")
    found = read(
        path,
        format="csv",
        sep="|",
        header=False,
        missing_values=["?"],
    )
    assert list(found.columns) == [f"x{i}" for i in range(1, 8)]
    assert found["x2"].dtype == float
    assert found.isna().sum().sum() == 19


def test_missing_values_replace_the_usual_ones(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\nNone,u\n-,v\n,u\n")
    assert list(read(path)["a"].isna()) == [True, False, True]
    assert list(read(path, missing_values=["-"])["a"].isna()) == [False, True, True]


def test_byte_order_mark_and_other_encodings_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffa,y\n1,ü\n".encode())
    assert list(read(path).columns) == ["a", "y"]
    path.write_bytes("a,y\n1,ü\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"is not utf-8 text; .* `encoding: latin-1`"):
        read(path)
    assert read(path, encoding="latin-1")["y"][0] == "ü"
    with pytest.raises(UserError, match="unknown encoding: klingon"):
        read(path, encoding="klingon")


BROKEN = [
    ("a,b,y\n1,2,u\n1,2\n", "a.csv", r"line 3 has 2 values, the first line has 3"),
    ("a,y\n1,u\n1,2,u\n", "a.csv", r"line 3 has 3 values, the first line has 2"),
    ("a,y\n1,2,u\n1,2,u\n", "a.csv", r"line 2 has 3 values"),
    ('a,y\n"1\n2",u\n1\n', "a.csv", r"line 4 has 1 values"),
    ("a;y\n1;u\n", "a.csv", r"seems to be separated by ';': set `sep: ';'`"),
    ("a\ty\n1\tu\n", "a.csv", r"seems to be separated by '\\t'"),
    ("", "a.csv", "is empty"),
    ("\n\n", "a.csv", "is empty"),
    ("a,y\n", "a.csv", "has no rows, only the names of 2 columns"),
    ("a,a,y\n1,2,u\n", "a.csv", r"1 column name\(s\) more than once, first 'a'"),
    ("a,y\n", "a.csv.gz", "cannot be read as csv"),
    ("a,y\n", "a.csv.zip", "cannot be read as csv: File is not a zip file"),
    ("a,y\n", "a.docx", r"unknown file ending '.docx'.*or set `format: csv`"),
    ("a,y\n", "noending", r"unknown file ending ''"),
]


@pytest.mark.parametrize(("text", "name", "message"), BROKEN)
def test_broken_file_is_told(tmp_path, text, name, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read(path)


def test_index_of_a_stored_frame_becomes_a_column(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"a": [1, 2], "y": ["u", "v"]}, index=pd.Index([7, 8], name="patient"))
    frame.to_parquet(path)
    assert list(read(path)["patient"]) == [7, 8]
    pd.DataFrame({0: [1.0, 2.0, 3.0, 4.0], 1: ["u", "v"] * 2}).to_parquet(path)
    assert list(load(path, target="1").columns[2:]) == ["0"], "names become texts"


MANY_TYPES = {
    "whole": pd.array([1, None] * 3, dtype="Int64"),
    "yes": [True, False] * 3,
    "maybe": pd.array([True, None, False] * 2, dtype="boolean"),
    "kind": pd.Categorical(["a", "b", "c"] * 2),
    "day": pd.date_range("2024-01-01", periods=6),
    "moment": pd.date_range("2024-01-01", periods=6, tz="Europe/Berlin"),
    "lasting": pd.to_timedelta(range(6), unit="s"),
    "huge": pd.array([2**63 + i for i in range(6)], dtype="uint64"),
    "text": ["a", None] * 3,
    "y": ["u", "v"] * 3,
}


def test_columns_of_every_type_become_plain(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame(MANY_TYPES).to_parquet(path)
    found = load(path)
    assert found["whole"].tolist()[0] == 1.0
    assert found["yes"].tolist() == [1, 0] * 3
    assert found["maybe"].isna().tolist() == [False, True, False] * 2
    assert found["kind"].tolist() == ["a", "b", "c"] * 2
    assert str(found["moment"][0]) == "2023-12-31 23:00:00"
    assert found["lasting"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert [found[c].dtype.kind for c in ("huge", "day", "moment")] == ["u", "M", "M"]
    assert found["text"].isna().sum() == 3
    levels = plain(pd.Series(pd.Categorical([10, 2, None]), index=[4, 5, 6]))
    assert levels.fillna("").tolist() == ["10", "2", ""]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1], [2]], "column 'a' holds a list in each row"),
        ([np.inf, 1.0], r"column 'a' is infinite in 1 row\(s\), first in 1"),
        ([1 + 2j, 1.0], "column 'a' holds complex numbers"),
    ],
)
def test_columns_that_cannot_be_learned_from_are_told(values, message):
    spec = SklearnData.model_validate({"source": "sklearn", "name": "iris"})
    with pytest.raises(Problem, match=message):
        chosen_features(pd.DataFrame({"a": values}), set(), spec)


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (["1", "2"], ("1", "2")),
        (["2.0", "10.0"], ("2", "10")),
        (["True", "False"], ("False", "True")),
        (["99999999999999999999", "1"], ("1", "99999999999999999999")),
        (["9007199254740993", "9007199254740992"], ("9007199254740992", "9007199254740993")),
        (["x", "10"], ("10", "x")),
        (["2024-01-02", "2024-01-01"], ("2024-01-01", "2024-01-02")),
    ],
)
def test_labels_of_every_kind(tmp_path, cells, classes):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells * 4)))
    assert load(path)[TARGET].value_counts().to_dict() == dict.fromkeys(classes, 4)


def test_unnamed_and_reserved_columns_are_told_not_learned_from(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",a,y\n" + "".join(f"{i},{i},{'uv'[i % 2]}\n" for i in range(6)))
    with pytest.raises(Problem, match='set `id: "Unnamed: 0"`'):
        load(path)
    assert list(load(path, id="Unnamed: 0").columns[2:]) == ["a"]
    assert list(load(path, drop=["Unnamed: 0"]).columns[2:]) == ["a"]
    path.write_text("__target__,__a,y\n" + "1,2,u\n3,4,v\n" * 3)
    with pytest.raises(Problem, match="a column is called '__target__'"):
        load(path)
    assert list(load(path, drop=["__target__"]).columns[2:]) == ["__a"]


def test_sheet_of_a_workbook(tmp_path):
    path = tmp_path / "p.xlsx"
    with pd.ExcelWriter(path) as book:
        for i, sheet in enumerate(("hidden", "one", "two")):
            pd.DataFrame({"a": [i - 1], "y": ["u"]}).to_excel(book, sheet_name=sheet, index=False)
        book.sheets["hidden"].sheet_state = "hidden"
    assert read(path)["a"].tolist() == [0]
    assert read(path, sheet="two")["a"].tolist() == [1]
    with pytest.raises(Problem, match=r"sheet: .*unknown sheet 'too'; did you mean 'two'"):
        read(path, sheet="too")


@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [
        ("a.csv", {"sheet": "two"}, "`sheet` is for Excel, the file is csv"),
        ("a.parquet", {"sep": ";"}, "`sep` is for CSV and TSV"),
        ("a.parquet", {"header": False}, "`header` is for CSV and TSV"),
        ("a.parquet", {"missing_values": ["?"]}, "`missing_values` is for CSV and TSV"),
    ],
)
def test_keys_of_one_format_are_refused_elsewhere(
    tmp_path,
    penguins,
    name,
    keys,
    said,
):
    path = tmp_path / name
    if name == "a.csv":
        penguins.to_csv(path)
    else:
        penguins.to_parquet(path)
    with pytest.raises(UserError, match=said):
        read(path, **keys)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.bz2", "a.csv.xz", "a.csv.zip", "a.xlsx"])
def test_archives_and_workbooks_unpack_to_so_much(tmp_path, monkeypatch, name):
    path = tmp_path / name
    if name == "a.xlsx":
        kind = "excel"
        rows = 3_000
        pd.DataFrame({"a": [0] * rows}).to_excel(path, index=False)
    else:
        kind = "csv"
        rows = 50_000
        pd.DataFrame({"a": [0] * rows}).to_csv(path, index=False)
    assert len(read_table(path.name, TableKeys(), path)) == rows
    monkeypatch.setattr(formats, "LARGEST", 60_000)
    with pytest.raises(UserError, match=rf"'{name}' cannot be read as {kind}: it unpacks to more"):
        read_table(path.name, TableKeys(), path)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_tables_have_so_many_columns(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(formats, "MOST_COLUMNS", 20)
    path = tmp_path / f"a.{ending}"
    wide = pd.DataFrame({f"c{i}": [1, 2] for i in range(21)})
    WRITERS[ending](wide, path)
    with pytest.raises(UserError, match="has 21 columns, at most 20 are read"):
        read(path)


@pytest.mark.parametrize("kind", ["excel", "stata", "feather", "parquet", "jsonl"])
@pytest.mark.parametrize("content", ["zip", "csv", "empty"])
def test_a_format_that_does_not_fit_the_file_is_said(tmp_path, kind, content):
    path = tmp_path / "a.csv"
    if content == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", "{}")
            archive.writestr("other.json", "{}")
        with pytest.raises(UserError, match="holds 2 files"):
            read(path.rename(tmp_path / "a.csv.zip"))
        (tmp_path / "a.csv.zip").rename(path)
    else:
        path.write_text({"csv": "id,a\n1,2\n", "empty": ""}[content])
    with pytest.raises(UserError, match=f"cannot be read as {kind}|has no rows|is not utf-8 text"):
        read_table(path.name, TableKeys(format=kind), path)

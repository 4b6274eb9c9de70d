"""Types of columns, missing labels, codes, layouts of files: read alike at every door."""

import datetime
import decimal
import sys
import types

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import bakeoff
from bakeoff.cli import main
from bakeoff.data.given_tables import read_columns
from bakeoff.data.open_table import PLAIN, laid_out
from tests.unit.sources.helpers import card_of

N = 60
RNG = np.random.default_rng(3)
X = RNG.normal(size=N).round(3)
K = RNG.integers(0, 5, N)
Y = np.where(X + RNG.normal(size=N) > 0, "yes", "no")
ARROW = pd.ArrowDtype
BASE = pd.DataFrame({"x": X, "k": K, "c": np.resize(["u", "v"], N), "y": Y})
DAYS = pd.date_range("2020-01-01", periods=N)
TYPES = {
    "x": ARROW(pa.float64()),
    "k": ARROW(pa.int64()),
    "c": ARROW(pa.string()),
}
CODED = ARROW(pa.dictionary(pa.int32(), pa.string()))
CODES = pd.Series(pa.array(BASE["c"]).dictionary_encode(), dtype=CODED)
HOURS = [datetime.time(int(i)) for i in K]
DECIMALS = [decimal.Decimal(str(number)) for number in X]
FRAMES = {
    "arrow": BASE.astype(TYPES | {"y": ARROW(pa.string())}),
    "arrow, dictionary": BASE.assign(c=CODES),
    "arrow, decimal": BASE.assign(x=pd.Series(DECIMALS, dtype=ARROW(pa.decimal128(9, 3)))),
    "arrow, date": BASE.assign(d=pd.Series(DAYS.date, dtype=ARROW(pa.date32()))),
    "arrow, time": BASE.assign(d=pd.Series(DAYS, dtype=ARROW(pa.timestamp("us")))),
    "arrow, bool": BASE.assign(k=pd.Series(K > 2, dtype=ARROW(pa.bool_()))),
    "arrow, hour": BASE.assign(d=pd.Series(HOURS, dtype=ARROW(pa.time32("s")))),
    "nullable": BASE.convert_dtypes(),
    "decimal": BASE.assign(x=DECIMALS),
    "sparse": BASE.assign(k=pd.arrays.SparseArray(K)),
    "sparse bool": BASE.assign(k=pd.arrays.SparseArray(K > 2)),
    "categories": BASE.assign(c=pd.Categorical(BASE["c"]), y=pd.Categorical(Y)),
    "intervals": BASE.assign(c=pd.cut(X, 3)),
}
MODELS = {"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}


def card(target="y", **keys):
    return card_of(target=target, **keys)


@pytest.mark.parametrize("name", FRAMES)
def test_columns_of_any_type_are_read_alike_at_every_door(name, tmp_path, monkeypatch):
    frame = FRAMES[name]
    module = types.ModuleType("made_by_hand")
    module.load = lambda: frame
    monkeypatch.setitem(sys.modules, "made_by_hand", module)
    known = card(source="function", function="made_by_hand.load")
    kinds = {name: column["kind"] for name, column in known["features"].items()}
    assert kinds["x"] == kinds["k"] == "number"
    assert kinds["c"] == "category"
    if not isinstance(frame["k"].dtype, pd.SparseDtype) and name != "intervals":
        frame.to_parquet(tmp_path / "t.parquet")
        of_file = card(source="file", path=str(tmp_path / "t.parquet"))
        assert of_file["features"] == known["features"]
    features = frame.drop(columns="y")
    bakeoff.compare_estimators(
        MODELS,
        features,
        frame["y"],
        plan={"holdout": {}},
        preprocessing="auto",
    )
    assert list(features) == [name for name in frame if name != "y"], "it stays as it is"
    other = frame["y"].iloc[::-1].reset_index(drop=True)
    labels = bakeoff.compare(frame["y"], {"a": frame["y"], "b": other}, groups=frame["k"])
    assert labels.comparisons.loc[0, "n"] == N
    back = frame["x"].iloc[::-1].reset_index(drop=True)
    bakeoff.compare(None, {"a": frame["x"], "b": back}, values="lower")


GRADES = ["None", "Mild", "Severe", "Mild"]
NAMED = pd.DataFrame(
    {
        "label": np.resize(GRADES[:3], N),
        "a": np.resize(GRADES, N),
        "b": np.resize(GRADES[:2], N),
    }
)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_class_that_is_called_none_is_asked_for_and_read(
    ending,
    capsys,
    in_folder,
    refused,
):
    path = f"t.{ending}"
    if ending == "csv":
        NAMED.to_csv(path, index=False)
    else:
        NAMED.to_excel(path, index=False)
    refused("compare", path, said="needs `--set missing_values=`")
    assert main(["compare", path, "--set", "missing_values="]) == 0
    assert "of 60" in capsys.readouterr().out
    found = card(source="file", path=path, target="label", missing_values=[])
    assert set(found["classes"]) == {"None", "Mild", "Severe"}


def with_zeros():
    """Write a table whose ids, groups and labels are codes, most of them with zeros before them."""
    text = "id,group,label,a,b\n"
    for i in range(40):
        number = f"{'0' * (i % 2)}{i + 1}"
        group = ["7", "007", "007", "007"][i % 4]
        label = ["7", "07", "07"][i % 3]
        text += f"{number},{group},{label},07,7\n"
    return text


def test_codes_with_zeros_before_them_are_told_apart(tmp_path, capsys, in_folder):
    (tmp_path / "t.csv").write_text(with_zeros())
    found = card(
        source="file",
        path="t.csv",
        target="label",
        groups="group",
        id="id",
    )
    assert set(found["classes"]) == {"07", "7"}
    assert found["roles"]["groups"]["distinct"] == 2
    table = read_columns("t.csv", ("predictions",)).table.to_pandas()
    assert set(table["label"].astype(str)) == {"07", "7"}
    assert table["id"].astype(str).tolist()[:3] == ["1", "02", "3"]
    assert main(["compare", "t.csv", "--groups", "group"]) == 0
    assert "26 of 40" in capsys.readouterr().out


def test_codes_are_numbers_where_numbers_are_wanted(tmp_path, in_folder):
    rows = "".join(f"{i % 12 + 1:02},{i % 7},{'uv'[i % 2]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("month,x,y\n" + rows)
    found = card(
        source="file",
        path="t.csv",
        time="month",
        filter=[{"column": "month", "min": 2}],
    )
    assert found["rows_filtered"] == 4
    assert found["roles"]["time"] == {"column": "month", "first": "2", "last": "12"}


LINES = "".join(f"{i},{'uv'[i % 2]},{'uv'[i % 3 % 2]},{'uv'[i // 2 % 2]}\n" for i in range(40))
NAMES = "id,label,a,b\n"
BEFORE = {
    "nothing": ("", 0),
    "sep": ("sep=,\n", 1),
    "comment": ("# made on Monday, by hand\n#\n", 2),
    "title": ("Results of Monday\n\n", 2),
    "one title": ("Results\n", 1),
    "title and comment": ("Results of Monday\n# v2\n", 2),
}


@pytest.mark.parametrize(
    ("name", "sep"), [*((name, ",") for name in BEFORE), ("sep", ";"), ("title and comment", "\t")]
)
def test_lines_before_a_table_are_found_and_told(
    name,
    sep,
    tmp_path,
    capsys,
    in_folder,
):
    before, skip = BEFORE[name]
    text = (NAMES + LINES).replace(",", sep)
    (tmp_path / "t.csv").write_text(before.replace("sep=,", f"sep={sep}") + text)
    assert laid_out("t.csv", PLAIN).skip == skip
    assert main(["compare", "t.csv"]) == 0
    out, err = capsys.readouterr()
    assert "of 40" in out
    assert ("before the table left out" in err) == (skip > 0)
    assert main(["init", "t.csv", "--target", "label"]) == 0
    assert ("skip: " in (tmp_path / "t.yaml").read_text()) == (skip > 0)


@pytest.mark.parametrize(
    ("text", "skip"),
    [
        *(("a,b\n1,2,3\n4,5,6\n", 0), ("x\n1,5\n2,7\n", 0), (NAMES + LINES, 0)),
        ("# by hand\n#id,label\n1,u\n2,v\n", 1),  # names behind a hash are names
    ],
)
def test_the_first_line_of_a_table_is_kept(text, skip, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    assert laid_out(str(tmp_path / "t.csv"), PLAIN).skip == skip


@pytest.mark.parametrize(("sep", "quote"), [(";", ""), (",", '"'), ("\t", "")])
def test_decimal_commas_are_read_as_numbers(
    sep,
    quote,
    tmp_path,
    capsys,
    in_folder,
):
    lines = [f"{i}{sep}{quote}{i % 7},25{quote}{sep}{quote}{i % 5},5{quote}" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join([sep.join(("id", "a", "b")), *lines]))
    assert main(["compare", "t.csv", "--values", "lower"]) == 0
    assert "a" in capsys.readouterr().out


def test_an_experiment_says_how_many_lines_are_before_its_table(tmp_path):
    (tmp_path / "t.csv").write_text("Results of Monday\n\n" + NAMES + LINES)
    data = {
        "source": "file",
        "path": str(tmp_path / "t.csv"),
        "target": "label",
        "skip": 2,
    }
    assert card_of(**data)["rows"] == 40

"""Types of columns, texts for missing labels and codes: read alike at every door."""

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
from bakeoff.data.records import read_table
from tests.unit.sources.helpers import card_of

N = 60
RNG = np.random.default_rng(3)
X = RNG.normal(size=N).round(3)
K = RNG.integers(0, 5, N)
Y = np.where(X + RNG.normal(size=N) > 0, "yes", "no")
ARROW = pd.ArrowDtype
BASE = pd.DataFrame({"x": X, "k": K, "c": np.resize(["u", "v"], N), "y": Y})
DAYS = pd.date_range("2020-01-01", periods=N)
TYPES = {"x": ARROW(pa.float64()), "k": ARROW(pa.int64()), "c": ARROW(pa.string())}
CODED = ARROW(pa.dictionary(pa.int32(), pa.string()))
CODES = pd.Series(pa.array(BASE["c"]).dictionary_encode(), dtype=CODED)
HOURS = [datetime.time(int(i)) for i in K]
DECIMALS = [decimal.Decimal(str(one)) for one in X]
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
    kinds = {column: one["kind"] for column, one in known["features"].items()}
    assert kinds["x"] == kinds["k"] == "number"
    assert kinds["c"] == "category"
    if not isinstance(frame["k"].dtype, pd.SparseDtype) and name != "intervals":
        frame.to_parquet(tmp_path / "t.parquet")
        of_file = card(source="file", path=str(tmp_path / "t.parquet"))
        assert of_file["features"] == known["features"]
    features, how = frame.drop(columns="y"), {"plan": {"holdout": {}}, "preprocessing": "auto"}
    bakeoff.compare_estimators(MODELS, features, frame["y"], **how)
    assert list(features) == [name for name in frame if name != "y"], "it stays as it is"
    other = frame["y"].iloc[::-1].reset_index(drop=True)
    labels = bakeoff.compare(frame["y"], {"a": frame["y"], "b": other}, groups=frame["k"])
    assert labels.comparisons.loc[0, "n"] == N
    back = frame["x"].iloc[::-1].reset_index(drop=True)
    bakeoff.compare(None, {"a": frame["x"], "b": back}, values="lower")


GRADES = ["None", "Mild", "Severe", "Mild"]
NAMED = {"label": GRADES[:3], "a": GRADES, "b": GRADES[:2]}
NAMED = pd.DataFrame({name: np.resize(values, N) for name, values in NAMED.items()})


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_class_that_is_called_none_is_asked_for_and_read(ending, capsys, in_folder, refused):
    path = f"t.{ending}"
    NAMED.to_csv(path, index=False) if ending == "csv" else NAMED.to_excel(path, index=False)
    refused("compare", path, said="needs an empty `missing_values`")
    assert main(["compare", path, "--set", "missing_values="]) == 0
    assert "of 60" in capsys.readouterr().out
    found = card(source="file", path=path, target="label", missing_values=[])
    assert set(found["classes"]) == {"None", "Mild", "Severe"}


ZEROS = "id,group,label,a,b\n" + "".join(
    f"{'0' * (i % 2)}{i + 1},{'007' if i % 4 else '7'},{'07' if i % 3 else '7'},07,7\n"
    for i in range(40)
)


def test_codes_with_zeros_before_them_are_told_apart(tmp_path, capsys, in_folder):
    (tmp_path / "t.csv").write_text(ZEROS)
    found = card(source="file", path="t.csv", target="label", groups="group", id="id")
    assert set(found["classes"]) == {"07", "7"}
    assert found["roles"]["groups"]["distinct"] == 2
    table = read_table("t.csv", ("predictions",)).to_pandas()
    assert set(table["label"].astype(str)) == {"07", "7"}
    assert table["id"].astype(str).tolist()[:3] == ["1", "02", "3"]
    assert main(["compare", "t.csv", "--groups", "group"]) == 0
    assert "26 of 40" in capsys.readouterr().out


def test_codes_are_numbers_where_numbers_are_wanted(tmp_path, in_folder):
    rows = "".join(f"{i % 12 + 1:02},{i % 7},{'uv'[i % 2]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("month,x,y\n" + rows)
    found = card(source="file", path="t.csv", time="month", filter=[{"column": "month", "min": 2}])
    assert found["rows_filtered"] == 4
    assert found["roles"]["time"] == {"column": "month", "first": "2", "last": "12"}

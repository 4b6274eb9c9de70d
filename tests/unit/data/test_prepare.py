"""Rows filtered, classes merged, columns given a role, subgroups: on real data and on odd ones."""

import re

import numpy as np
import pandas as pd
import pytest

from bakeoff.data import ROW_ID, TARGET, WEIGHT, load_table
from bakeoff.data.table import GROUP, HOLDOUT, PART, TIME, carry
from bakeoff.errors import Problem, UserError
from bakeoff.sources.common.base import SubgroupColumn, as_columns
from bakeoff.sources.file import FileData
from bakeoff.spec import load_experiment
from bakeoff.spec.related import RowColumns
from tests.conftest import ROOT

DATA = ROOT / "config/data"
PENGUINS = {"path": str(DATA / "penguins.csv"), "target": "target"}
ARRHYTHMIA = {"path": str(DATA / "arrhythmia.csv.gz"), "target": "class"}


def load(base, holdout=None, **keys):
    spec = FileData.model_validate({"source": "file", **base, **keys})
    given_by = {}
    if holdout is not None:
        given_by = {"holdout": holdout}
    return load_table("d", spec, 0, given_by)


def stored(folder, frame):
    frame.to_csv(folder / "d.csv", index=False)
    return {"path": str(folder / "d.csv"), "target": "y"}


SMALL = {
    "n": [*range(11), None],
    "day": pd.date_range("2024-01-01", periods=12).strftime("%Y-%m-%d"),
    "kind": ["a", "b", "c"] * 4,
    "yes": [True, False] * 6,
    "w": [0.0, 2.0] * 6,
    "minus": [-1.0, 2.0] * 6,
    "label": [*"stsssttstsst"],
    "part": ["train"] * 6 + ["test"] * 4 + ["spare"] * 2,
    "y": ["u", "v"] * 6,
}


@pytest.fixture
def small(tmp_path):
    base = stored(tmp_path, pd.DataFrame(SMALL))
    return lambda holdout=None, **keys: load(base, holdout, **keys)


def test_merged_classes_are_those_of_the_documentation_of_compare_holdout():
    pool = {"WithArrhythmia": list(range(2, 16)), "NoArrhythmia": [1]}
    table = load(ARRHYTHMIA, merge=pool, classes=["NoArrhythmia", "WithArrhythmia"])
    assert table.classes == ("NoArrhythmia", "WithArrhythmia")
    assert table.card["classes"] == {"NoArrhythmia": 245, "WithArrhythmia": 185}
    assert table.card["rows_of_other_classes"] == 22
    raw = pd.read_csv(DATA / "arrhythmia.csv.gz")
    kept = raw[raw["class"] != 16]
    np.testing.assert_array_equal(table.frame[ROW_ID], kept.index + 1)
    assert ((kept["class"] == 1).to_numpy() == (table.frame[TARGET] == "NoArrhythmia")).all()


def test_order_of_classes_is_that_of_their_values():
    table = load(ARRHYTHMIA, classes=[10, 2, 1, 6])
    assert table.classes == ("1", "2", "6", "10")
    merged = load(ARRHYTHMIA, merge={"rare": [3, 4.0, "5"]}, classes=[1.0, "rare", "10"])
    assert merged.classes == ("1", "rare", "10")
    table = load(PENGUINS, merge={"Adelie": ["Chinstrap"]})
    assert table.card["classes"] == {"Adelie": 220, "Gentoo": 124}
    assert load(PENGUINS, classes=["Gentoo", "Adelie"]).classes == ("Adelie", "Gentoo")


def test_classes_that_look_alike_can_be_pooled(tmp_path):
    base = stored(tmp_path, pd.DataFrame({"x": range(12), "y": ["u", "u ", "v"] * 4}))
    assert load(base, merge={"u": ["u", "u "]}).card["classes"] == {"u": 8, "v": 4}
    kept = load(base, classes=["u", "v"])
    assert kept.card["rows_of_other_classes"] == 4


def test_column_of_any_name_can_be_derived_from(tmp_path):
    frame = pd.DataFrame({"Income (net), in $": range(1, 13), "y": ["u", "v"] * 6})
    base = stored(tmp_path, frame)
    found = load(base, derive={"log_income": "log( Income (net), in $ )"}).frame["log_income"]
    np.testing.assert_allclose(found, np.log(np.arange(1, 13)))


@pytest.mark.parametrize(
    ("one", "rows"),
    [
        ({"column": "n", "above": 4, "max": 8.5}, [6, 7, 8, 9]),
        ({"column": "n", "missing": "drop"}, range(1, 12)),
        ({"column": "n", "drop": [0, 1, 2]}, [*range(4, 13)]),
        ({"column": "day", "min": "2024-01-05"}, range(5, 13)),
        ({"column": "day", "below": "2024-01-07T12:00:00"}, range(1, 8)),
        ({"column": "yes", "keep": [True]}, range(1, 12, 2)),
        ({"column": "kind", "keep": ["a", "b"], "drop": ["b"]}, [1, 4, 7, 10]),
    ],
)
def test_every_condition(small, one, rows):
    table = small(filter=[one], target="label", features=["n", "w"])
    assert table.frame[ROW_ID].tolist() == list(rows)


def test_roles_are_kept_apart_from_features(small):
    table = small("part", weights="w", groups="kind", id="day")
    for role, column in ((WEIGHT, "w"), (GROUP, "kind"), (HOLDOUT, "part")):
        assert table.frame[role].tolist() == SMALL[column]
    assert list(table.features) == ["n", "yes", "minus", "label"]
    assert table.card["roles"]["groups"] == {"column": "kind", "distinct": 3}
    listed = small("part", groups="kind", features=["n", "kind", "part"])
    assert list(listed.features) == ["n", "kind", "part"]
    days = small(time="day")
    numbers = small(time="w")
    assert (days.frame[TIME].dtype.kind, numbers.frame[TIME].dtype.kind) == ("M", "f")
    assert days.card["roles"]["time"]["last"].startswith("2024-01-12")
    with pytest.raises(Problem, match=re.escape("resampling.holdout.column: unknown column 'prt'")):
        small("prt")


def test_test_file_is_marked(tmp_path):
    raw = pd.read_csv(DATA / "penguins.csv").sample(frac=1, random_state=1)
    raw[:200].to_csv(tmp_path / "a.csv", index=False)
    shuffled = raw[200:][list(reversed(raw.columns))]
    keys = {"path": str(tmp_path / "a.csv"), "target": "target"}
    shuffled.to_csv(tmp_path / "b.csv", index=False)
    table = load(keys, test_path=str(tmp_path / "b.csv"))
    assert table.frame[PART].value_counts().to_dict() == {"train": 200, "test": 144}
    assert table.card["roles"]["test_rows"] == 144
    assert table.frame[TARGET].tolist() == raw["target"].tolist()
    shuffled.drop(columns="sex").to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(Problem, match="has no column 'sex'; both files need the same columns"):
        load(keys, test_path=str(tmp_path / "b.csv"))


MISTAKES = [
    ({"filter": [{"column": "nn", "min": 1}]}, "filter[0].column: unknown column 'nn'"),
    ({"filter": [{"column": "n", "min": 99}]}, "filter[0]: none of 12 rows passes this filter"),
    ({"filter": [{"column": "n", "min": "x"}]}, "filter[0].min: found the text 'x'"),
    ({"filter": [{"column": "kind", "min": 1}]}, "holds neither numbers nor dates like 2024-05-31"),
    ({"filter": [{"column": "day", "min": 3}]}, "filter[0].min: found 3, expected a date"),
    ({"filter": [{"column": "kind", "keep": ["aa"]}]}, "filter[0].keep: unknown value in 'kind'"),
    ({"filter": [{"column": "n", "drop": [77]}]}, "filter[0].drop: unknown value in 'n': '77'"),
    ({"classes": ["u", "w"]}, "classes: unknown class 'w' (allowed: u, v)"),
    ({"classes": ["u", True]}, "unknown class 'True' (allowed: u, v) (YAML reads bare yes, no"),
    ({"merge": {"x": ["uu"]}}, "merge.x: unknown class 'uu'"),
    ({"merge": {"x": ["u"], "z": ["u"]}}, "class 'u' is merged into 'x' already"),
    ({"merge": {"v": ["u"], "z": ["v"]}}, "'v' is itself merged into 'z': use one name"),
    ({"merge": {"z": ["u", "v"]}}, "target: only one class, 'z'"),
    ({"merge": {"z": [3]}}, "merge.z: unknown class '3'"),
    ({"weights": "minus"}, "weights: column 'minus' has weights that are negative, infinite or"),
    ({"weights": "kind"}, "weights: column 'kind' is not numeric"),
    ({"weights": "n"}, "weights: 1 of 12 rows have no value in 'n' (first in row 12)"),
    ({"weights": "w", "features": ["w"]}, "'w' is the weights: it cannot be a feature too"),
    ({"groups": "kin"}, "groups: unknown column 'kin'; did you mean 'kind'?"),
    ({"groups": "n"}, "groups: 1 of 12 rows have no value in 'n'"),
    ({"time": "kind"}, "time: column 'kind' holds neither numbers nor dates"),
    ({"id": "n"}, "id: 1 of 12 rows have no id in 'n'"),
    ({"target": "n"}, "1 of 12 rows have no value in 'n' (first in row 12)"),
]


@pytest.mark.parametrize(("keys", "message"), MISTAKES, ids=[m[1][:40] for m in MISTAKES])
def test_mistake_is_told(small, keys, message):
    with pytest.raises(Problem, match=re.escape(message)):
        small(**keys)


def test_filter_comes_before_what_it_makes_possible(write_csv):
    base = {"path": write_csv("a,y\n" + "0,\n2,u\n3,v\n" * 3), "target": "y"}
    table = load(base, filter=[{"column": "a", "above": 0}], derive={"b": "log(a)"})
    assert table.frame[ROW_ID].tolist() == [2, 3, 5, 6, 8, 9]
    assert np.isfinite(table.frame["b"]).all()


FRAME = pd.DataFrame(
    {
        "sex": ["f", "m", None, "f", "m", "f"],
        "age": [20.0, 40.0, 64.5, 65.0, np.nan, 90.0],
        "site": [10, 2, 10, 2, 3, 3],
        "id": [f"row {i}" for i in range(6)],
        "one": ["x"] * 6,
        "smokes": [True, False, True, True, False, False],
    }
)
MANY = pd.DataFrame({"income": np.arange(50.0), "name": [f"n{i}" for i in range(50)]})


PLACE = ("datasets", "d", "subgroups")


def subgroups(*listed, frame=FRAME):
    columns = []
    for column in listed:
        if not isinstance(column, str):
            column = SubgroupColumn(**column)
        columns.append(column)
    return carry(frame, RowColumns(as_columns(columns)), PLACE)


def test_values_name_subgroups_in_their_own_order_and_missing_ones_are_the_last():
    found = subgroups("sex", "site", "smokes")
    assert list(found[":subgroup:sex"]) == ["f", "m", "(missing)", "f", "m", "f"]
    assert list(found[":subgroup:site"].cat.categories[:3]) == ["2", "3", "10"]
    assert set(found[":subgroup:smokes"]) == {"True", "False"}
    assert carry(FRAME, RowColumns(taken=("age",)), ())[":column:age"].dtype == float


def test_numbers_are_cut_where_the_experiment_says():
    found = subgroups({"column": "age", "bins": [40, 65]})[":subgroup:age"]
    names = ["below 40", "40 to below 65", "65 or more", "(missing)"]
    assert list(found.cat.categories) == names
    assert list(found.cat.codes) == [0, 1, 1, 2, 3, 2]


@pytest.mark.parametrize(
    ("frame", "listed", "message"),
    [
        (FRAME, "sax", "'sax'; did you mean 'sex'"),
        (FRAME, "one", "puts all rows into one subgroup, 'x'"),
        (FRAME, {"column": "sex", "bins": [1]}, "'sex' holds no numbers to cut"),
        (MANY, "income", "50 different numbers from 0 to 49: say where to cut them"),
        (MANY, "name", r"^datasets.d.subgroups\[0\]: .* 50 different values, 30"),
    ],
)
def test_column_that_makes_no_subgroups_is_refused(frame, listed, message):
    with pytest.raises(Problem, match=message):
        subgroups(listed, frame=frame)


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        (["sex", "sex"], "'sex' appears twice"),
        (["sex", {"column": "sex"}], "'sex' appears twice"),
        ([{"column": "age", "bins": [65, 40]}], "ascending order"),
        ([{"column": "age", "bins": []}], "bins"),
        ([{"colum": "age"}], "colum"),
        ([3], "subgroups"),
    ],
)
def test_mistakes_of_the_key_are_told(tiny, listed, message):
    tiny["datasets"]["iris"]["subgroups"] = listed
    with pytest.raises(UserError, match=message):
        load_experiment(tiny)

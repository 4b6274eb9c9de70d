"""What is told of columns, rows that repeat others, and columns that look like ids of groups."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.cli import main
from bakeoff.data import describe as module
from bakeoff.data.describe import (
    BLOCKS,
    NAMED,
    describe,
    group_columns,
    is_running_number,
    row_digests,
    telling_columns,
)
from bakeoff.errors import UserError
from tests.conftest import ROOT
from tests.unit.sources.helpers import card_of

N = 60
DAYS = pd.date_range("2021-01-01", periods=N)
NUMBERS = [str(i % 9) for i in range(N)]
UNSURE = "'03/05/2021': '%d/%m/%Y' or '%m/%d/%Y'"
COLUMNS = {
    # a column, what is remarked on it, and what of it
    "ids": (range(1000, 1000 + N), "unique", ""),
    "codes": ([f"C{i}" for i in range(N)], "unique", ""),
    "gap": ([float(i) for i in range(N)], "unique", ""),
    "measured": (np.arange(N) / 7, None, None),
    "repeated": (NUMBERS, "numbers", "like '0'"),
    "nd": ([*NUMBERS[1:], "n.d."], "numbers", "1 of 60 are none: 'n.d.'"),
    "share": ([f"{i % 9} %" for i in range(N)], "written", "like '0 %'"),
    "money": ([f"${i},234.50" for i in range(N)], "written", "like '$0,234.50'"),
    "behind": ([f"{i % 7},50 EUR" for i in range(N)], "written", "like '0,50 EUR'"),
    "zip": ([f"0{i % 9}139" for i in range(N)], None, None),
    "euro": (["1.203,50", "7,5"] * (N // 2), "written", "like '1.203,50'"),
    "dotted": (DAYS.strftime("%d.%m.%Y"), "dates", "'01.01.2021': '%d.%m.%Y'"),
    "slashed": (DAYS.strftime("%m/%d/%Y %H:%M"), "dates", "'01/01/2021 00:00': '%m/%d/%Y %H:%M'"),
    "words": (DAYS.strftime("%d %b %Y"), "dates", "'01 Jan 2021': '%d %b %Y'"),
    "unsure": (["03/05/2021", "04/06/2021"] * (N // 2), "dates", UNSURE),
    "blank": (["Basic ", "basic", "Pro"] * (N // 3), "alike", "'Basic ' and 'basic'"),
    "yes": (["yes", "no", "Y"] * (N // 3), "alike", "'yes' and 'Y'"),
    "missing": (["clerk", "n/a", "smith"] * (N // 3), "missing", "'n/a' in 20 rows"),
    "dash": (["clerk", "-", "smith"] * (N // 3), "missing", "'-' in 20 rows"),
    "nul": (["a\0", "b"] * (N // 2), "nul", "in 30 rows"),
    "iso": (["2024-05-31", "2024-06-01"] * (N // 2), None, None),
    "decimals": (["1.5", "2.5"] * (N // 2), "numbers", "like '1.5'"),
    "plain": (["red", "green", "blue"] * (N // 3), None, None),
    "versions": (["1.2.3", "1.3.0"] * (N // 2), None, None),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_odd_about_a_column_is_remarked(name):
    values, kind, said = COLUMNS[name]
    described = describe(pd.DataFrame({name: list(values)}))[name]
    if kind is None:
        assert "remark" not in described
    else:
        assert described["remark"] == [kind, said]


def test_dates_are_read_in_their_format_and_refused_in_another(in_folder):
    days = DAYS.strftime("%d.%m.%Y")
    table = pd.DataFrame({"when": days, "x": np.arange(N) % 7, "y": ["u", "v"] * (N // 2)})
    table.to_csv("t.csv", index=False)
    data = {
        "source": "file",
        "path": "t.csv",
        "target": "y",
        "time": "when",
    }
    with pytest.raises(UserError, match="neither numbers nor dates"):
        card_of(**data)
    card = card_of(**data, dates={"when": "%d.%m.%Y"})
    assert card["roles"]["time"]["last"] == "2021-03-01 00:00:00"
    with pytest.raises(UserError, match=r"dates\.when: no dates like '%m/%d/%Y': time data"):
        card_of(**data, dates={"when": "%m/%d/%Y"})


def test_check_tells_which_columns_may_be_read_otherwise(in_folder, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=N), "number": rng.permutation(N) + 5000})
    for name in ("dotted", "blank", "share"):
        table[name] = list(COLUMNS[name][0])
    table["copy"] = ["l", "r"] * (N // 2)
    table["y"] = ["u", "v"] * (N // 2)
    table.to_csv("messy.csv", index=False)
    assert main(["init", "messy.csv", "--target", "y"]) == 0
    assert main(["check", "messy.yaml"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "'blank' ('Basic ' and 'basic')" in said
    assert "'share' (like '0 %')" in said
    assert 'dotted: "%d.%m.%Y"' in Path("messy.yaml").read_text()
    config = {
        "experiment": "own",
        "datasets": {"d": {"source": "file", "path": "messy.csv", "target": "y"}},
        "models": {"m": {"estimator": "sklearn.dummy.DummyClassifier"}},
        "resampling": {"holdout": {}},
    }
    Path("own.yaml").write_text(json.dumps(config))
    assert main(["check", "own.yaml"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "like an id, and are learned from: 'number'" in said
    assert "'dotted' ('01.01.2021': '%d.%m.%Y')" in said
    assert "of d each of these tells the class by itself: 'copy' (100% of rows)" in said


def test_columns_that_give_the_class_away_are_named():
    rng = np.random.default_rng(1)
    y = rng.random(1000) < 0.1
    rows = pd.DataFrame(
        {
            "copy": np.where(y, "left", "stays"),
            "threshold": y * 10.0 + rng.random(1000),
            "missing": np.where(y, np.nan, 1.0),
            "weak": y + rng.normal(size=1000),
            "id": [f"row {i}" for i in range(1000)],
            "number": np.arange(1000),
            "constant": 1,
            "target": y,
        }
    )
    found = telling_columns(rows.iloc[:, :-1], rows["target"])
    assert found == dict.fromkeys(["copy", "threshold", "missing"], 1.0)
    assert not telling_columns(rows[["copy"]], rows["constant"]), "of one class"
    many = pd.concat([rows] * 40, ignore_index=True)  # which are sampled
    assert "copy" in telling_columns(many[["weak", "copy"]], many["target"])
    rare = np.arange(1000) < 10
    features = pd.DataFrame({"constant": np.ones(1000), "copy": rare})
    assert list(telling_columns(features, pd.Series(rare))) == ["copy"]


def fine(n=60, width=5):
    values = np.random.default_rng(0).normal(size=(n, width))
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(width)])
    return frame.assign(word=[f"w{i}" for i in range(n)])


def test_values_are_alike_as_people_see_them():
    frame = fine(4)
    # the second row is the first, and the fourth the third
    frame.loc[1] = frame.loc[0]
    frame.loc[[2, 3], ["x1", "word"]] = [np.nan, None]
    frame.loc[3] = frame.loc[2]
    frame.loc[0, "x0"] = 0.0
    frame.loc[1, "x0"] = -0.0
    assert len(set(row_digests(frame))) == 2
    assert len(set(row_digests(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})))) == 2
    assert len(set(row_digests(pd.DataFrame(index=range(5))))) == 5


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=2, max_size=30))
def test_digests_are_those_of_equal_rows(rows):
    _, digests = np.unique(row_digests(pd.DataFrame(rows)), return_inverse=True)
    _, equal = np.unique(np.array(rows), axis=0, return_inverse=True)
    assert (np.equal.outer(digests, digests) == np.equal.outer(equal, equal)).all()


def test_rows_have_the_same_hashes_however_many_are_hashed_at_once(monkeypatch):
    frame = fine().astype({"x0": "float32"}).assign(day=pd.date_range("2024-05-31", periods=60))
    whole = row_digests(frame)
    monkeypatch.setattr(module, "_TOGETHER", 7)
    np.testing.assert_array_equal(row_digests(frame), whole)


@pytest.mark.parametrize("name", ["attrition.csv", "penguins.csv", "arrhythmia.csv.gz"])
def test_shipped_data_give_no_false_alarm(name):
    frame = pd.read_csv(ROOT / "config" / "data" / name)
    assert group_columns(frame, ()) == []
    assert len(set(row_digests(frame))) == len(frame)


def test_the_speaker_of_the_vowels_is_found_under_any_name():
    frame = pd.read_csv(ROOT / "config" / "data" / "vowel.csv")
    unnamed = frame.rename(columns={"speaker": "V1"}).sort_values("V1")
    for table, name, why in ((frame, "speaker", NAMED), (unnamed, "V1", BLOCKS)):
        (group,) = group_columns(table, ("vowel",))
        assert (group["column"], group["why"]) == (name, why)


ROWS = 600
RNG = np.random.default_rng(0)
GAP = [*range(1, 300), 301]
LIKE_GROUPS = {
    # a column, why it looks like ids of groups, and whether it numbers rows
    "patient_id": (RNG.permutation(ROWS) // 5, NAMED, False),
    "customer_id": (RNG.integers(0, 100, ROWS), NAMED, False),
    "patient_no": (RNG.integers(1, 60, ROWS), NAMED, False),
    "Speaker": (RNG.integers(0, 12, ROWS).astype(str), NAMED, False),
    "batch": (np.arange(ROWS) // 20, BLOCKS, False),
    "village": (np.repeat([f"v{i}" for i in RNG.permutation(30)], 20), BLOCKS, False),
    "id": (np.arange(ROWS), "", True),
    "any": (np.arange(ROWS) + 17, "", True),
    "nr": (np.tile(np.arange(1, 151), 4), "", True),  # starts again in each of four files
    "Unnamed: 0": (np.tile(np.arange(150), 4), "", True),
    "row_number": (RNG.permutation(np.tile(np.arange(1, 301), 2)), "", True),  # shuffled
    "age": (RNG.integers(18, 90, ROWS), "", False),
    "sorted_age": (np.sort(RNG.integers(18, 90, ROWS)), "", False),
    "number_customer_service_calls": (RNG.integers(0, 12, ROWS), "", False),
    "city": (RNG.choice([f"c{i}" for i in range(40)], ROWS), "", False),
    "price": (RNG.normal(size=ROWS), "", False),
    "session_length": (RNG.integers(0, 50, ROWS), "", False),
    "site": (RNG.choice(["a", "b", "c"], ROWS), "", False),
    "group": (RNG.choice([None, *map(str, range(40))], ROWS), "", False),
    "line_number": (RNG.permutation(np.tile(GAP, 2)), "it is named like an id", False),
}


@pytest.mark.parametrize("name", LIKE_GROUPS)
def test_columns_that_look_like_ids_of_groups_are_found(name):
    values, why, running = LIKE_GROUPS[name]
    frame = pd.DataFrame({name: values})
    expected = []
    if why:
        expected = [{"column": name, "groups": frame[name].nunique(), "why": why}]
    assert group_columns(frame, ()) == expected
    assert group_columns(frame, (name,)) == []
    assert is_running_number(frame[name], name) is running

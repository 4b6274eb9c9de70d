"""What is told of each column, by whatever door a table comes in."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.cli import main
from bakeoff.cli.experiments import show_undeclared
from bakeoff.data.describe import describe, telling_columns
from bakeoff.data.given_predictions import load
from bakeoff.errors import UserError
from bakeoff.spec import load_experiment
from tests.unit.sources.helpers import card_of

N = 60
DAYS = pd.date_range("2021-01-01", periods=N)
NUMBERS = [str(i % 9) for i in range(N)]
COLUMNS = {
    # a column, what is remarked on it, and what of it
    "ids": (range(1000, 1000 + N), "unique", ""),
    "codes": ([f"C{i}" for i in range(N)], "unique", ""),
    "gap": ([float(i) for i in range(N)], "unique", ""),
    "measured": (np.arange(N) / 7, None, None),
    "repeated": (NUMBERS, "numbers", "like '0'"),
    "nd": ([*NUMBERS[1:], "n.d."], "numbers", "1 of 60 are none: 'n.d.'"),
    "share": ([f"{i % 9} %" for i in range(N)], "numbers", "like '0 %'"),
    "euro": (["1.203,50", "7,5"] * (N // 2), "numbers", "like '1.203,50'"),
    "dotted": (DAYS.strftime("%d.%m.%Y"), "dates", "%d.%m.%Y"),
    "slashed": (DAYS.strftime("%m/%d/%Y %H:%M"), "dates", "%m/%d/%Y %H:%M"),
    "words": (DAYS.strftime("%d %b %Y"), "dates", "%d %b %Y"),
    "unsure": (["03/05/2021", "04/06/2021"] * (N // 2), "dates", "' or '%m/%d/%Y"),
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
    remark = describe(pd.DataFrame({name: list(values)}))[name].get("remark", [None, ""])
    assert remark[0] == kind
    assert (said or "") in remark[1]


def test_dates_are_read_in_their_format_and_refused_in_another(in_folder):
    days = DAYS.strftime("%d.%m.%Y")
    table = pd.DataFrame({"when": days, "x": np.arange(N) % 7, "y": ["u", "v"] * (N // 2)})
    table.to_csv("t.csv", index=False)
    data = {"source": "file", "path": "t.csv", "target": "y", "time": "when"}
    with pytest.raises(UserError, match="neither numbers nor dates"):
        card_of(**data)
    card = card_of(**data, dates={"when": "%d.%m.%Y"})
    assert card["roles"]["time"]["last"] == "2021-03-01 00:00:00"
    with pytest.raises(UserError, match=r"dates\.when: no dates like '%m/%d/%Y': time data"):
        card_of(**data, dates={"when": "%m/%d/%Y"})


def test_check_tells_which_columns_may_be_read_otherwise(in_folder, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: list(COLUMNS[name][0]) for name in ("dotted", "blank", "share")})
    table = table.assign(x=rng.normal(size=N), number=rng.permutation(N) + 5000)
    table.assign(y=["u", "v"] * (N // 2)).to_csv("messy.csv", index=False)
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


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    y = rng.random(1000) < 0.1
    return pd.DataFrame(
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


def test_columns_that_give_the_class_away_are_named(rows):
    found = {one.column: one.share for one in telling_columns(rows.iloc[:, :-1], rows["target"])}
    assert list(found) == ["copy", "threshold", "missing"]
    assert found["copy"] == 1
    assert not list(telling_columns(rows[["copy"]], rows["constant"])), "of one class"
    many = pd.concat([rows] * 40, ignore_index=True)  # which are sampled
    named = [one.column for one in telling_columns(many[["weak", "copy"]], many["target"])]
    assert "copy" in named
    rare = np.arange(1000) < 10
    features = pd.DataFrame({"constant": np.ones(1000), "copy": rare})
    assert [one.column for one in telling_columns(features, pd.Series(rare))] == ["copy"]


def test_a_check_of_an_experiment_notes_them(rows, tiny, tmp_path, capsys):
    rows[["threshold", "weak", "target"]].to_csv(tmp_path / "t.csv", index=False)
    source = {"source": "file", "path": str(tmp_path / "t.csv"), "target": "target"}
    spec = load_experiment(tiny | {"datasets": {"d": source}})
    show_undeclared(spec, {"d": load("d", spec)})
    said = " ".join(capsys.readouterr().out.split())
    assert "of d each of these tells the class by itself: 'threshold' (100% of rows)" in said

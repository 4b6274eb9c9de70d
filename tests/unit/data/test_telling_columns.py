"""Columns that tell the class by themselves."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.cli.check import show_undeclared
from bakeoff.data.describe import telling_columns
from bakeoff.data.given_predictions import load
from bakeoff.spec import load_experiment


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
    assert "in d 'threshold' (100% of the rows) alone tells the class" in said

"""What `bakeoff init` guesses of a table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bakeoff.cli.init import look
from bakeoff.data import records
from bakeoff.errors import UserError


def table(folder, **columns):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=600), **columns})
    frame.to_csv(folder / "t.csv", index=False)
    return str(folder / "t.csv")


def test_labels_that_read_like_missing_values_are_labels(tmp_path):
    path = table(tmp_path, out=np.resize(["None", "Severe", "Severe"], 600), z=["?", "1.5"] * 300)
    frame, keys = records.guess(path, "out", {})
    assert "None" not in keys["missing_values"]
    assert "?" in keys["missing_values"]
    guess = look(frame, "out")
    assert guess.counts == {"Severe": 400, "None": 200}
    assert guess.unlabelled == 0


def test_labels_that_may_be_missing_beside_two_classes_are_asked_for(tmp_path):
    path = table(tmp_path, out=np.resize(["a", "b", "NA"], 600))
    with pytest.raises(UserError, match="missing_values: 'out' is 'NA' in 200 of 600 rows"):
        records.guess(path, "out", {})
    for missing, unlabelled, classes in (([], 0, 3), (["NA"], 200, 2)):
        found = look(records.guess(path, "out", {"missing_values": missing})[0], "out")
        assert (found.unlabelled, len(found.counts)) == (unlabelled, classes)
    path = table(tmp_path, out=np.resize(["a", "", "a"], 600))
    with pytest.raises(UserError, match=r"1 class .* and 200 rows without a label"):
        look(records.guess(path, "out", {})[0], "out")


@pytest.mark.parametrize("name", ["t.parquet", "t.csv.parquet", "old.csvs/t.parquet"])
def test_punctuation_is_guessed_of_text_files_alone(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    frame = pd.DataFrame({"z": ["?", "1,5"] * 20, "out": ["a", "b"] * 20})
    frame.to_parquet(tmp_path / name)
    assert records.guess(str(tmp_path / name), "out", {})[1] == {}
    frame.to_csv(tmp_path / "t.csv", sep=";", index=False)
    frame.to_csv(tmp_path / "t.txt", sep="\t", index=False)
    for path, how in (("t.csv", {}), ("t.csv", {"format": "csv"}), ("t.txt", {"format": "tsv"})):
        keys = records.guess(str(tmp_path / path), "out", how)[1]
        assert (keys["decimal"], keys["missing_values"][0]) == (",", "?")


def test_an_id_that_is_a_date_is_an_id_and_a_running_number_none(tmp_path):
    days = pd.date_range("2020-01-01", periods=600).strftime("%Y-%m-%d")
    columns = {"sample_id": days, "nr": np.tile(np.arange(1, 151), 4), "day": days}
    path = table(tmp_path, out=["a", "b"] * 300, **columns)
    guess = look(records.guess(path, "out", {})[0], "out")
    assert (guess.id, guess.groups) == ("sample_id", None)
    assert "sample_id" not in guess.drop
    assert guess.dates == {"day": []}
    assert guess.drop["nr"] == "a running number"


def test_numbers_become_a_regression_that_runs_as_it_is(bakeoff, in_folder):
    rng = np.random.default_rng(0)
    mpa, age = rng.normal(35, 10, 90).round(2), rng.integers(1, 30, 90)
    table = pd.DataFrame({"x": rng.normal(size=90), "psi": 145 * mpa, "mpa": mpa, "age": age})
    table.to_csv("t.csv", index=False)
    assert bakeoff("init", "t.csv", "--target", "mpa")[0] == 0
    written = yaml.safe_load(Path("t.yaml").read_text())
    assert written["task"] == "regression"
    assert written["datasets"]["t"]["drop"] == ["psi"]  # the target in another unit
    assert set(written["resampling"]) == {"halves", "holdout"}
    assert bakeoff("check", "t.yaml")[0] == 0
    _, _, err = bakeoff("init", "t.csv", "--target", "age", "-o", "-")
    assert "task: 'age' has" in err
    for task, said in (("regression", "# numbers: "), ("classification", "# classes: ")):
        code, out, _ = bakeoff("init", "t.csv", "--target", "age", "-o", "-", "--task", task)
        assert (code, said in out) == (0, True)


@pytest.mark.parametrize(
    ("target", "values", "task", "said"),
    [
        ("rings", list(range(1, 12)), None, "'rings' has 11 different whole numbers"),
        ("kind", [0, 1, 2], None, ""),
        ("count", [0, 1], None, ""),
        ("stars", ["*", "**", "***"], None, ""),
        ("stars", ["*", "**"], "regression", "task: 'stars' holds texts"),
    ],
)
def test_whole_numbers_that_may_be_either_are_asked_for(target, values, task, said):
    frame = pd.DataFrame({target: values * 20, "x": range(len(values) * 20)})
    if said:
        with pytest.raises(UserError, match=said):
            look(frame, target, task)
    else:
        assert not look(frame, target).numbers

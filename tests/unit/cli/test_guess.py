"""What `bakeoff init` guesses of a table."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.cli.guess import look
from bakeoff.cli.guess_format import read
from bakeoff.errors import UserError


def table(folder, **columns):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=600), **columns})
    frame.to_csv(folder / "t.csv", index=False)
    return str(folder / "t.csv")


def test_labels_that_read_like_missing_values_are_labels(tmp_path):
    path = table(tmp_path, out=np.resize(["None", "Severe", "Severe"], 600), z=["?", "1.5"] * 300)
    written = read(path, None, "out")
    assert "None" not in written.keys["missing_values"]
    assert "?" in written.keys["missing_values"]
    guess = look(written.frame, "out")
    assert guess.counts == {"Severe": 400, "None": 200}
    assert guess.unlabelled == 0


def test_missing_labels_beside_two_classes_stay_missing(tmp_path):
    path = table(tmp_path, out=np.resize(["a", "b", "NA"], 600))
    written = read(path, None, "out")
    assert look(written.frame, "out").unlabelled == 200


def test_one_class_tells_how_many_rows_have_no_label(tmp_path):
    path = table(tmp_path, out=np.resize(["a", "", "a"], 600))
    with pytest.raises(UserError, match=r"1 class .* and 200 rows without a label"):
        look(read(path, None, "out").frame, "out")


def test_an_id_that_is_a_date_is_an_id_and_a_running_number_none(tmp_path):
    days = pd.date_range("2020-01-01", periods=600).strftime("%Y-%m-%d")
    path = table(
        tmp_path, out=["a", "b"] * 300, sample_id=days, nr=np.tile(np.arange(1, 151), 4), day=days
    )
    guess = look(read(path, None, "out").frame, "out")
    assert (guess.id, guess.groups) == ("sample_id", None)
    assert "sample_id" not in guess.drop
    assert guess.dates == ("day",)
    assert guess.drop["nr"] == "a running number"

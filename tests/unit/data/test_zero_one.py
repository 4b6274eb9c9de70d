"""Columns of 0 and 1: labels where the truth says so, asked about where it may be otherwise."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.cli import main

RNG = np.random.default_rng(5)
TRUTH = (RNG.random(120) < 0.3).astype(int)
RIGHT = [(RNG.random(120) < share).astype(int) for share in (0.9, 0.8)]
SAID = [np.where(right == 1, TRUTH, 1 - TRUTH) for right in RIGHT]
ASKED = "values: true labels and predictions are 0 and 1"


pytestmark = pytest.mark.usefixtures("in_folder")


def write(values, column="", truth=TRUTH):
    if not column:
        pd.DataFrame({"y_true": truth, "a": values[0], "b": values[1]}).to_csv("w.csv", index=False)
        return ["w.csv"]
    for name, own in zip("ab", values, strict=True):
        frame = {"id": range(len(own)), "y_true": truth, column: own}
        pd.DataFrame(frame).to_csv(f"{name}.csv", index=False)
    return ["a.csv", "b.csv"]


@pytest.mark.parametrize("column", ["", "y_pred"])
def test_labels_are_told_from_the_truth(capsys, column):
    assert main(["compare", *write(SAID, column)]) == 0
    assert f"{RIGHT[0].sum()} of 120" in capsys.readouterr().out


@pytest.mark.parametrize("column", ["", "y_pred"])
def test_marks_of_right_rows_are_asked_about(capsys, refused, column):
    files = write(RIGHT, column)  # agree with the truth on a third of the rows
    refused("compare", *files, said=f"{ASKED} … no model has the true label in half of the rows")
    assert main(["compare", *files, "--task", "classification"]) == 0
    agreed = int((RIGHT[0] == TRUTH).sum())
    assert f"{agreed} of 120" in capsys.readouterr().out
    named = ["--models", "a,b"] if not column else ["--set", f"value={column}"]
    assert main(["compare", *files, "--values", "right", *named]) == 0
    assert f"{RIGHT[0].sum()} of 120" in capsys.readouterr().out


def test_a_name_that_tells_of_right_rows_is_asked_about(refused):
    files = write(RIGHT, "is_correct", 1 - TRUTH)  # agree with it on most rows
    for command in (["compare"], ["gate", "--margin", "0.1"]):
        line = [*command, *files, "--set", "predicted=is_correct"]
        said = f"{ASKED} … 'is_correct' is called like a mark of right rows"
        refused(*line, said=said, code=2 if command == ["compare"] else 3)
    assert main([*line, "--task", "classification"]) < 3


def test_numbers_beside_other_labels_and_true_labels_are_refused(refused):
    files = write(RIGHT, "y_pred", np.where(TRUTH == 1, "sick", "well"))
    refused("compare", *files, said="marks of right rows, are `values`")
    said = "models: 'w.csv': 'y_true' looks like the true labels"
    refused("compare", *write(RIGHT), "--values", "right", said=said)

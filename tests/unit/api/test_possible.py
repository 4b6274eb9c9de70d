"""What is told of intervals and of differences that would be missed is possible."""

import re

import numpy as np
import pytest

import bakeoff

SCORES = {
    "a": [0.99, 1.0, 1.0, 0.98, 1.0],
    "b": [0.2, 0.9, 1.0, 0.3, 0.95],
    "c": [0.5, 0.4, 1.0, 0.7, 0.1],
}


def compared(*names):
    scores = {name: np.array(SCORES[name]) for name in names}
    return bakeoff.compare_folds(scores, cv=5, n=100, metric="accuracy")


def test_differences_of_few_noisy_folds_are_possible():
    found = compared("a", "b", "c")
    table = found.to_frame()
    assert (table["ci_low"] >= -1).all()
    assert (table["ci_high"] <= 1).all()
    assert "Even the largest possible difference would probably be missed" in str(found)


def test_what_the_range_cuts_tells_nothing_of_the_noise():
    found = compared("a", "b")
    (row,) = found.to_frame().to_dict("records")
    assert row["ci_high"] == 1
    # as far below as above without the range, from the level to level and power
    size = float(re.search(r"below ([\d.]+) percentage points", " ".join(str(found).split()))[1])
    reach = row["estimate"] - row["ci_low"]
    assert size / 100 == pytest.approx(reach * (2.776 + 0.941) / 2.776, abs=0.001)

"""The study of differences between subgroups."""

from __future__ import annotations

from bakeoff.stats import proportion_ci
from benchmarks import any_metric_subgroups as study


def test_interaction_that_is_not_there_is_found_no_more_often_than_the_level_says():
    for row in study.read():
        low, _ = proportion_ci(int(row["rejected"]), int(row["answered"]), confidence_level=0.99)
        assert low <= 0.06, row


def test_cell_is_the_same_each_time():
    cell = ("mean", 200, "two of one size", "in 40 groups")
    found = study.rates(cell, 20)
    assert found == study.rates(cell, 20)
    assert found["answered"] == 20

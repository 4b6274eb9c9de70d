"""Rows in the order of time for tests that know groups alone."""

from __future__ import annotations

import dataclasses

import numpy as np

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.stats import catalogue


def rows(**related: object) -> PairedPredictions:
    found = PairedPredictions.from_labels(["a", "b"], list("xyxyxyxy"), [list("xxxxyyyy")] * 2)
    return dataclasses.replace(found, **related)  # type: ignore[arg-type]


def test_times_are_cut_into_eight_long_blocks() -> None:
    many = PairedPredictions.from_labels(["a"], ["x", "y"] * 20, [["x", "y"] * 20])
    blocks = dataclasses.replace(many, times=np.arange(40)[::-1]).blocks
    assert blocks is not None
    assert np.unique(blocks, return_counts=True)[1].tolist() == [5] * 8
    assert (np.diff(blocks) <= 0).all()  # neighbours in time stay together


def test_few_times_are_groups_themselves() -> None:
    times = np.array([1, 1, 2, 2, 3, 3, 4, 4])
    assert rows(times=times).blocks is times
    assert rows().blocks is None


def test_eight_times_are_eight_blocks() -> None:
    blocks = rows(times=np.arange(8) * 10).blocks
    assert blocks is not None
    assert blocks.tolist() == list(range(8))


def test_tests_for_groups_get_the_groups_before_the_blocks() -> None:
    groups, times = np.repeat([0, 1], 4), np.arange(8)
    entry = catalogue()["mcnemar"]
    assert rows(groups=groups, times=times).managed(entry)["groups"] is groups
    assert rows(times=times).managed(catalogue()["delong"])["groups"].tolist() == list(range(8))
    for name in ("mcnemar", "diebold_mariano"):
        assert rows(times=times).managed(catalogue()[name])["time"] is times

"""Data sets whose names are nearly equal."""

import numpy as np
import pytest

import bakeoff
from bakeoff.report.undeclared import alike


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["iris", "IRIS", "wine"], [["iris", "IRIS"]]),
        (["breast cancer", "breast-cancer", "Breast_Cancer"], [[0, 1, 2]]),
        (["vehicle", "vehicle-2", "vehicle v3.1"], [[0, 1, 2]]),
        (["glass v1", "glass v2", "zoo"], [[0, 1]]),
        (["monks-1", "monks-2", "monks-3"], []),
        ([f"d{i}" for i in range(12)], []),
        (["31", "37", "44", "1464"], []),
        (["c", "c4.5", "cmc"], [["c", "c4.5"]]),
        (["wine", "wine quality", "cover", "covertype"], []),
        (["日本", "日本 2"], [[0, 1]]),
        (["+", "-"], []),
    ],
)
def test_names_that_may_be_versions_of_one_data_set(names, found):
    wanted = [[names[i] if isinstance(i, int) else i for i in own] for own in found]
    assert alike(names) == wanted


def test_a_table_says_so_unless_groups_are_named():
    names = ["iris", "Iris-2", "wine", "zoo", "glass", "heart", "sonar", "vote"]
    scores = np.random.default_rng(1).normal(size=(8, 3))
    table = {m: dict(zip(names, scores[:, i], strict=True)) for i, m in enumerate("abc")}
    said = bakeoff.compare_datasets(table, values="higher").verdict
    assert "The data sets iris and Iris-2 have nearly equal names." in said
    rows = [
        {"dataset": d, "kind": d.casefold()[:4], **{m: table[m][d] for m in "abc"}} for d in names
    ]
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    grouped = bakeoff.compare_datasets(columns, datasets="dataset", groups="kind", values="higher")
    assert "nearly equal names" not in grouped.verdict

"""Data sets whose names are nearly equal."""

import pytest

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

"""Columns that comparisons look at row by row: which make subgroups, and which must be cut."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.data.table import carry
from bakeoff.errors import Problem, UserError
from bakeoff.sources.common.base import SubgroupColumn, as_columns
from bakeoff.spec import load_experiment
from bakeoff.spec.related import RowColumns

FRAME = pd.DataFrame(
    {
        "sex": ["f", "m", None, "f", "m", "f"],
        "age": [20.0, 40.0, 64.5, 65.0, np.nan, 90.0],
        "site": [10, 2, 10, 2, 3, 3],
        "id": [f"row {i}" for i in range(6)],
        "one": ["x"] * 6,
        "smokes": [True, False, True, True, False, False],
    }
)
MANY = pd.DataFrame({"income": np.arange(50.0), "name": [f"n{i}" for i in range(50)]})


PLACE = ("datasets", "d", "subgroups")


def subgroups(*listed, frame=FRAME):
    parts = [one if isinstance(one, str) else SubgroupColumn(**one) for one in listed]
    return carry(frame, RowColumns(as_columns(parts)), PLACE)


def test_values_name_subgroups_in_their_own_order_and_missing_ones_are_the_last():
    found = subgroups("sex", "site", "smokes")
    assert list(found[":subgroup:sex"]) == ["f", "m", "(missing)", "f", "m", "f"]
    assert list(found[":subgroup:site"].cat.categories[:3]) == ["2", "3", "10"]
    assert set(found[":subgroup:smokes"]) == {"True", "False"}
    assert carry(FRAME, RowColumns(taken=("age",)), ())[":column:age"].dtype == float


def test_numbers_are_cut_where_the_experiment_says():
    found = subgroups({"column": "age", "bins": [40, 65]})[":subgroup:age"]
    names = ["below 40", "40 to below 65", "65 or more", "(missing)"]
    assert list(found.cat.categories) == names
    assert list(found.cat.codes) == [0, 1, 1, 2, 3, 2]


@pytest.mark.parametrize(
    ("frame", "listed", "message"),
    [
        (FRAME, "sax", "'sax'; did you mean 'sex'"),
        (FRAME, "one", "puts all rows into one subgroup, 'x'"),
        (FRAME, {"column": "sex", "bins": [1]}, "'sex' holds no numbers to cut"),
        (MANY, "income", "50 different numbers from 0 to 49: say where to cut them"),
        (MANY, "name", r"^datasets.d.subgroups\[0\]: .* 50 different values, 30"),
    ],
)
def test_column_that_makes_no_subgroups_is_refused(frame, listed, message):
    with pytest.raises(Problem, match=message):
        subgroups(listed, frame=frame)


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        (["sex", "sex"], "'sex' appears twice"),
        (["sex", {"column": "sex"}], "'sex' appears twice"),
        ([{"column": "age", "bins": [65, 40]}], "ascending order"),
        ([{"column": "age", "bins": []}], "bins"),
        ([{"colum": "age"}], "colum"),
        ([3], "subgroups"),
    ],
)
def test_mistakes_of_the_key_are_told(tiny, listed, message):
    tiny["datasets"]["iris"]["subgroups"] = listed
    with pytest.raises(UserError, match=message):
        load_experiment(tiny)

"""Columns of ids of groups, and columns that only number rows."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.data.describe import NAMED, group_columns, is_running_number, why_groups

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("name", "values", "running"),
    [
        ("nr", np.tile(np.arange(1, 151), 4), True),  # starts again in each of four files
        ("Unnamed: 0", np.tile(np.arange(150), 4), True),
        ("row_number", RNG.permutation(np.tile(np.arange(1, 301), 2)), True),  # shuffled
        ("any", np.arange(600) + 17, True),
        ("patient_no", RNG.integers(1, 60, 600), False),
        ("customer_id", RNG.integers(0, 100, 600), False),
        ("site", np.repeat(np.arange(30), 20), False),
    ],
)
def test_running_numbers_are_no_groups(name, values, running):
    column = pd.Series(values, name=name)
    assert is_running_number(column, name) is running
    assert not running or why_groups(column, name) == ""
    found = group_columns(pd.DataFrame({name: values}), ())
    assert bool(found) is not running
    assert name != "patient_no" or why_groups(column, name) == NAMED

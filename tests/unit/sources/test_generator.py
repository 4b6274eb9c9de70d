"""Data that scikit-learn generates."""

import pandas as pd
import pytest

from bakeoff.errors import Problem
from bakeoff.execution.fingerprints import of_data
from tests.unit.sources.helpers import experiment, load


def example(folder):
    return {"source": "generator", "name": "make_moons", "params": {"n_samples": 40}}


def test_rows_are_drawn_with_the_seed(tiny, tmp_path):
    one, other = (experiment(tiny | {"seed": seed}, **example(tmp_path)) for seed in (1, 2))
    pd.testing.assert_frame_equal(load(one).frame, load(one).frame)
    assert not load(one).frame.equals(load(other).frame)
    assert of_data(one, "d") != of_data(other, "d")


def test_wrong_parameter_is_told(tiny):
    wrong = {"source": "generator", "name": "make_moons", "params": {"samples": 40}}
    with pytest.raises(Problem, match=r"datasets\.d\.params: make_moons: .*samples"):
        load(experiment(tiny, **wrong))

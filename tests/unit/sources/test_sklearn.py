"""Data sets that scikit-learn ships, or generates."""

import pandas as pd
import pytest

from bakeoff.errors import Problem
from bakeoff.execution.digests import of_data
from tests.unit.sources.helpers import experiment, load

MOONS = {"source": "generator", "name": "make_moons"}


def example(folder):
    return {"source": "sklearn", "name": "wine"}


def example_of_generator(folder):
    return {
        "source": "generator",
        "name": "make_moons",
        "params": {"n_samples": 60},
    }


@pytest.mark.parametrize(("name", "classes"), [("breast_cancer", 2), ("digits", 10), ("iris", 3)])
def test_data_sets_that_scikit_learn_ships(tiny, name, classes):
    assert len(load(experiment(tiny, source="sklearn", name=name)).classes) == classes


def test_rows_are_drawn_with_the_seed(tiny):
    params = {"n_samples": 40}
    first = experiment(tiny | {"seed": 1}, **MOONS, params=params)
    second = experiment(tiny | {"seed": 2}, **MOONS, params=params)
    pd.testing.assert_frame_equal(load(first).frame, load(first).frame)
    assert not load(first).frame.equals(load(second).frame)
    assert of_data(first, "d") != of_data(second, "d")


def test_wrong_parameter_is_told(tiny):
    with pytest.raises(Problem, match=r"datasets\.d\.params: make_moons: .*samples"):
        load(experiment(tiny, **MOONS, params={"samples": 40}))

"""Data sets that scikit-learn ships."""

import pytest

from tests.unit.sources.helpers import experiment, load


def example(folder):
    return {"source": "sklearn", "name": "wine"}


@pytest.mark.parametrize(("name", "classes"), [("breast_cancer", 2), ("digits", 10), ("iris", 3)])
def test_data_sets_that_scikit_learn_ships(tiny, name, classes):
    assert len(load(experiment(tiny, source="sklearn", name=name)).classes) == classes

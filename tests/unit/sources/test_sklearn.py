"""Data sets that scikit-learn ships."""

import pytest

from tests.unit.sources.helpers import experiment, load


def example(folder):
    return {"source": "sklearn", "name": "wine"}


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_data_sets_that_scikit_learn_ships(tiny, name):
    table = load(experiment(tiny, source="sklearn", name=name))
    assert table.card["missing_cells"] == 0
    assert len(table.classes) == {"breast_cancer": 2, "digits": 10}.get(name, 3)

"""Data sets that scikit-learn ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.helpers import experiment, load


def example(folder: Path) -> dict[str, Any]:
    """Return an entry that can be loaded."""
    return {"source": "sklearn", "name": "wine"}


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_data_sets_that_scikit_learn_ships(tiny: dict[str, Any], name: str) -> None:
    table = load(experiment(tiny, source="sklearn", name=name))
    assert table.card["missing_cells"] == 0
    assert len(table.classes) == {"breast_cancer": 2, "digits": 10}.get(name, 3)

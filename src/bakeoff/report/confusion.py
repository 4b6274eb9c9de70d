"""Which classes a model takes for which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.compare.evidence import TestSet


def confusion(tested: TestSet, model: str, classes: Sequence[str]) -> NDArray[np.int64]:
    """Count true (rows) against predicted classes (columns) of one model's test rows."""
    place = {name: i for i, name in enumerate(classes)}
    found = np.zeros((len(place), len(place)), dtype=np.int64)
    predicted = tested.predicted[:, tested.models.index(model)]
    pairs, n = np.unique(np.column_stack([tested.y_true, predicted]), axis=0, return_counts=True)
    for (true, taken), times in zip(pairs, n, strict=True):
        found[place[str(true)], place[str(taken)]] += times
    return found

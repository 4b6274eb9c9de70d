from __future__ import annotations

import numpy as np
import pytest

from benchmarks.crossval.data import right
from benchmarks.crossval.learners import neighbours
from benchmarks.type1 import NEIGHBOUR_ACCURACY, SETTINGS, run


def test_the_same_seed_gives_the_same_rates() -> None:
    setting = next(s for s in SETTINGS if "One algorithm" in s.title)
    first, again, other = (
        [row["rejected"] for row in run(setting, 30, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.slow
@pytest.mark.parametrize("rows", NEIGHBOUR_ACCURACY)
def test_accuracy_of_the_nearest_neighbour(rows: int) -> None:
    rng, found = np.random.default_rng(3), []
    for _ in range(200):
        y, tested = np.repeat([0, 1], rows // 2), np.repeat([0, 1], 200)
        sample = np.concatenate([y, tested])
        x = rng.normal(size=(len(sample), 6)) + 0.35 * (2 * sample[:, None] - 1)
        train = np.arange(len(sample))[None, :] < rows
        scores = neighbours(1)(x, sample, train, ~train, rng)
        found.append(right(scores, sample)[0, rows:].mean())
    assert np.mean(found) == pytest.approx(NEIGHBOUR_ACCURACY[rows], abs=0.007)

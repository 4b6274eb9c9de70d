from dataclasses import asdict

import numpy as np
import pytest

from bakeoff.stats import all_pairs
from bakeoff.stats.core.result import AGREE


def random_matrix(seed, n=60, models=4):
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(n, models)) < rng.uniform(0.3, 1, size=models)


def test_intervals_are_simultaneous_unless_asked_otherwise():
    x = random_matrix(6)
    together, alone = all_pairs("mcnemar", x), all_pairs("mcnemar", x, simultaneous=False)
    assert together.details["confidence_level_each"] == pytest.approx(1 - 0.05 / 6)
    for wide, narrow in zip(together.pairs, alone.pairs, strict=True):
        assert wide.ci.low <= narrow.ci.low <= narrow.estimate <= narrow.ci.high <= wide.ci.high


def test_memory_stays_that_of_the_input():
    import tracemalloc

    x = random_matrix(8, n=20_000, models=50)
    tracemalloc.start()
    all_pairs("mcnemar", x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000  # rows × models × models would be 50 million values


def test_plain_data_of_a_family_carry_its_own_checks():
    """An interval that excludes 0 does not disagree with a test of equivalence within a margin."""
    chances = np.random.default_rng(0).random((100, 3))
    correct = np.repeat((chances < [0.8, 0.8, 0.81]).astype(int), 20, axis=0)
    result = all_pairs("tost_paired", correct, margin=0.2)
    assert any(pair.ci.excludes(0) for pair in result.pairs)
    assert AGREE not in {check.name for check in result.assumptions}
    assert result.to_dict()["assumptions"] == [asdict(check) for check in result.assumptions]

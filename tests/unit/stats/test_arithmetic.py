"""Sums of products, and a root of a covariance, of equal columns."""

import numpy as np
import pytest

from bakeoff.stats.core.arithmetic import (
    gram,
    root,
    times_root,
)


def test_equal_columns_have_equal_entries_and_equal_draws():
    rows = np.random.default_rng(0).normal(size=(3000, 3))[:, [0, 1, 0, 2, 1]]
    covariance = gram(rows) / 3000
    assert (covariance[0] == covariance[2]).all()
    lower = root(covariance)
    normal = np.random.default_rng(1).standard_normal((5, 100), dtype=np.float32)
    drawn = times_root(normal, lower)
    assert (drawn[[0, 1]] == drawn[[2, 4]]).all()
    assert not (drawn[0] == drawn[3]).any()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_root_of_singular_covariances(rank, scale):
    rng = np.random.default_rng(rank)
    rows = scale * np.matmul(rng.normal(size=(50, rank)), rng.normal(size=(rank, 6)))
    covariance = gram(rows)
    lower = root(covariance)
    assert (np.triu(lower, 1) == 0).all()
    assert np.count_nonzero(lower.any(axis=0)) == rank
    atol = 1e-12 * covariance.max()
    np.testing.assert_allclose(lower @ lower.T, covariance, rtol=0, atol=atol)

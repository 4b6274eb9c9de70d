"""Sums of products, and a root of a covariance, in an order of their own."""

import math

import numpy as np
import pytest

from bakeoff.stats.core.arithmetic import (
    gram,
    helmert,
    root,
    signed_sums,
    solved,
    times_root,
)


@pytest.mark.parametrize("n", [1, 7, 2048, 5000])
def test_gram_is_the_product(n):
    rows = np.random.default_rng(n).normal(size=(n, 4))
    assert gram(rows) == pytest.approx(rows.T @ rows, rel=1e-12)


@pytest.mark.parametrize("size", [1, 3, 40, 2000])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e300, 0.0])
def test_signed_sums_do_not_depend_on_the_order_in_which_blas_adds(size, scale):
    rng = np.random.default_rng(size)
    signs = rng.integers(-1, 2, (60, size)).astype(float)
    values = rng.standard_cauchy((size, 5)) * scale
    values[:, 4] = rng.integers(-9, 9, size)
    sums = signed_sums(signs, values)
    order = rng.permutation(size)
    assert (signed_sums(signs[:, order], values[order]) == sums).all()
    exact = [[math.fsum(row * column) for column in values.T] for row in signs]
    assert (np.abs(sums - exact) <= 1e-15 * size * np.abs(values).max(axis=0)).all()


def test_signed_sums_of_no_rows_are_zero():
    assert signed_sums(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0.0] * 3] * 2


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


def test_root_by_hand_where_a_pivot_is_zero():
    covariance = np.array([[4.0, 2, 4], [2, 5, 2], [4, 2, 4]])
    assert root(covariance).tolist() == [[2, 0, 0], [1, 2, 0], [2, 0, 0]]
    constant = np.array([[0.0, 0], [0, 1]])
    assert root(constant).tolist() == [[0, 0], [0, 1]]


def test_draws_have_the_covariance():
    covariance = np.array([[4.0, 2, 4], [2, 5, 2], [4, 2, 4]])
    normal = np.random.default_rng(2).standard_normal((3, 200_000), dtype=np.float32)
    drawn = times_root(normal, root(covariance))
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.06)


def test_helmert_contrasts_are_orthonormal_and_sum_to_nothing():
    contrasts = helmert(np.eye(5))
    assert np.matmul(contrasts.T, contrasts) == pytest.approx(np.eye(4), abs=1e-14)
    assert contrasts.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-14)
    assert helmert(np.array([[3.0, 1.0]])) == pytest.approx(np.array([[2 / np.sqrt(2)]]))


def test_solved_is_the_solution_and_says_what_is_left_of_a_singular_system():
    lower = np.array([[2.0, 0, 0], [1, 0, 0], [3, 0, 4]])
    found, left = solved(lower, np.array([4.0, 5, 14]))
    assert found.tolist() == [2, 0, 2]
    assert left.tolist() == [0, 3, 0]
    rng = np.random.default_rng(0)
    full, right = np.tril(rng.normal(size=(6, 6))) + 5 * np.eye(6), rng.normal(size=(6, 4))
    found, left = solved(full, right)
    assert found == pytest.approx(np.linalg.solve(full, right))
    assert left == pytest.approx(np.zeros((6, 4)), abs=1e-13)

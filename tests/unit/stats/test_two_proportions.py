"""The z test of two proportions: oracles and corners."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.stats.rows.proportions import (
    proportion_difference,
    proportion_difference_from_counts,
)


def run(a, b, **options):
    (x, n), (y, m) = a, b
    return proportion_difference_from_counts(correct_a=x, n_a=n, correct_b=y, n_b=m, **options)


def test_rows_and_counts_agree_and_the_pairing_is_warned_of():
    a, b = np.arange(50) < 40, np.arange(50) >= 13
    result = proportion_difference(a, b)
    assert result.pvalue == run((40, 50), (37, 50)).pvalue
    assert result.assumptions[0].holds is False
    assert "McNemar" in result.assumptions[0].detail


def test_no_variance():
    same = run((20, 20), (20, 20), variant="unpooled")
    assert (same.status, same.statistic, same.pvalue) == ("identical_scores", 0.0, 1.0)
    opposite = run((20, 20), (0, 20), variant="unpooled")
    assert opposite.status == "zero_variance"
    assert opposite.statistic == math.inf
    assert math.isnan(opposite.pvalue)
    assert run((20, 20), (0, 20)).pvalue < 1e-9


def test_one_sided_intervals_end_where_differences_do():
    scores = [1, 0, 1, 1], [0, 1, 0, 0]
    assert proportion_difference(*scores, alternative="less").ci.low == -1
    assert proportion_difference(*scores, alternative="greater").ci.high == 1


def test_the_covariance_on_shared_rows_is_told():
    a, b = np.random.default_rng(1).random((2, 90)) < [[0.8], [0.7]]
    (told,) = (x for x in proportion_difference(a, b).assumptions if "test sets" in x.name)
    assert f"(covariance of their correctness {np.cov(a, b, ddof=0)[0, 1]:.3g})" in told.detail

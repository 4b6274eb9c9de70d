"""Intervals of the paired difference and of the odds ratio: identities and corners."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bakeoff.stats import mcnemar_pvalues
from bakeoff.stats.core.two_by_two import DIFFERENCE_METHODS, tango_statistic
from bakeoff.stats.rows.mcnemar import (
    difference_bounds,
    paired_difference_ci,
    paired_odds_ratio_ci,
)

cells = st.tuples(*[st.integers(0, 80)] * 4).filter(lambda t: sum(t) > 0)
methods = st.sampled_from(sorted(DIFFERENCE_METHODS))


def difference_ci(a, b, c, d, **options):
    return paired_difference_ci(
        both_correct=a, only_a_correct=b, only_b_correct=c, both_wrong=d, **options
    )


def ratio_ci(b, c, **options):
    return paired_odds_ratio_ci(only_a_correct=b, only_b_correct=c, **options)


@given(cells, methods)
@settings(deadline=None, max_examples=100)
def test_contain_the_estimate_and_shrink_with_confidence(table, method):
    a, b, c, d = table
    low, high = difference_ci(*table, method=method)
    assert -1 <= low <= high <= 1
    assert low - 1e-12 <= (b - c) / (a + b + c + d) <= high + 1e-12
    wide_low, wide_high = difference_ci(*table, method=method, confidence_level=0.99)
    assert wide_low <= low + 1e-12
    assert wide_high >= high - 1e-12


@given(cells, methods, st.sampled_from([0.8, 0.9, 0.975]))
@settings(deadline=None, max_examples=60)
def test_one_sided_limit_is_that_of_a_wider_two_sided_interval(table, method, level):
    low, high = difference_ci(*table, method=method, confidence_level=2 * level - 1)
    greater = difference_ci(*table, method=method, confidence_level=level, alternative="greater")
    less = difference_ci(*table, method=method, confidence_level=level, alternative="less")
    assert list(greater) == pytest.approx([low, 1.0], abs=1e-9)
    assert list(less) == pytest.approx([-1.0, high], abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
@settings(deadline=None, max_examples=60)
def test_odds_ratio_limits(b, c):
    low, high = ratio_ci(b, c)
    assert 0 <= low <= high <= math.inf
    if b and c:
        assert low <= b / c <= high
    wide_low, wide_high = ratio_ci(b, c, confidence_level=0.99)
    assert wide_low <= low
    assert wide_high >= high


@given(cells, st.sampled_from([0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=100)
def test_test_and_interval_agree_where_theory_says_so(table, level):
    _, b, c, _ = table
    alpha = 1 - level
    pairs = [
        ("asymptotic", difference_ci(*table, method="tango", confidence_level=level), 0.0),
        ("exact", difference_ci(*table, method="exact_melded", confidence_level=level), 0.0),
        ("midp", ratio_ci(b, c, confidence_level=level), 1.0),
    ]
    for variant, (low, high), null in pairs:
        p = float(mcnemar_pvalues(b, c, variant=variant))
        if abs(p - alpha) > 1e-7:
            assert (p < alpha) == (not low <= null <= high)


@given(cells)
@settings(deadline=None, max_examples=50)
def test_tango_limits_solve_the_score_equation(table):
    _, b, c, _ = table
    n = sum(table)
    z = stats.norm.isf(0.025)
    low, high = difference_ci(*table, method="tango")
    if low > -1:
        assert tango_statistic(b, c, n, low) == pytest.approx(z, abs=1e-5)
    if high < 1:
        assert tango_statistic(b, c, n, high) == pytest.approx(-z, abs=1e-5)


def test_tango_at_zero_is_mcnemar():
    assert tango_statistic(22, 17, 431, 0.0) ** 2 == pytest.approx((22 - 17) ** 2 / 39)


@pytest.mark.parametrize(("b", "c", "n"), [(22, 17, 431), (35, 1, 175), (6, 1, 7), (9, 0, 30)])
def test_melded_lower_limit_by_adaptive_quadrature(b, c, n):
    m = b + c
    low, _ = paired_difference_ci(
        both_correct=n - m, only_a_correct=b, only_b_correct=c, both_wrong=0, method="exact_melded"
    )
    split = stats.beta(b, c + 1)
    if low < 0 and n == m:  # every row is discordant
        tail = split.cdf((1 + low) / 2)
    else:
        outer = stats.beta(m, n - m + 1) if low > 0 else stats.beta(m + 1, n - m)
        breaks = [abs(low), *outer.ppf([0.01, 0.5, 0.99])]
        tail, _ = integrate.quad(
            lambda t: outer.pdf(t) * split.cdf(min((1 + low / t) / 2, 1.0)),
            1e-9,
            1 - 1e-9,
            points=sorted(breaks),
            limit=500,
        )
    assert tail == pytest.approx(0.025, abs=1e-6)


def test_arrays_equal_scalars():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 50, (4, 7))
    table[1:3, 0] = 0
    for method in DIFFERENCE_METHODS:
        low, high = difference_bounds(*table, method=method)
        one_by_one = [list(difference_ci(*row, method=method)) for row in table.T]
        np.testing.assert_allclose(np.stack([low, high], axis=1), one_by_one, rtol=1e-12)


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
@pytest.mark.parametrize("table", [(0, 9, 0, 0), (0, 0, 9, 0), (1, 0, 0, 0), (0, 1, 0, 0)])
def test_corners_stay_in_range(table, method):
    low, high = difference_ci(*table, method=method)
    assert -1 <= low <= (table[1] - table[2]) / sum(table) <= high <= 1


def test_one_model_wins_every_pair():
    low, high = ratio_ci(8, 0)
    assert 1 < low < high == math.inf
    assert list(ratio_ci(0, 8)) == pytest.approx([0, 1 / low])


@pytest.mark.parametrize("method", ["newcombe", "tango", "exact_melded"])
def test_a_million_rows(method):
    low, high = difference_ci(4_000_000, 500_500, 499_500, 10, method=method)
    assert 0.0002 - 0.0004 < low < 0.0002 < high < 0.0002 + 0.0004


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="method"):
        difference_ci(1, 2, 3, 4, method="score")
    with pytest.raises(ValueError, match="only_b_correct"):
        ratio_ci(1, -2)
    with pytest.raises(ValueError, match="no rows"):
        difference_ci(0, 0, 0, 0)


def test_a_difference_of_one_has_the_limit_one():
    assert difference_ci(0, 12, 0, 0, method="tango").high == 1
    assert difference_ci(0, 0, 12, 0, method="tango").low == -1

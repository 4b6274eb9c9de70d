"""Claims from means and standard deviations over folds or seeds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from bakeoff.stats import ArgumentError, corrected_kfold_t, repeats_claim

NUMBERS = st.floats(0.1, 0.9)


@given(st.integers(0, 10**6), st.integers(3, 12), st.sampled_from([0, 1]))
def test_range_holds_the_paired_test_of_the_scores(seed, count, ddof):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=count) * rng.uniform(-1, 1)
    a, b = (0.8 + 0.02 * (shared + rng.normal(size=count)) for _ in range(2))
    printed = (f"{x:.3f}" for one in (a, b) for x in (one.mean(), one.std(ddof=ddof)))
    low, high = repeats_claim(*printed, repeats=count).pvalue
    assert low <= scipy_stats.ttest_rel(a, b).pvalue <= high


def test_folds_are_corrected_as_by_the_test():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.8, 0.03, (2, 10))
    b -= np.cov(a, b)[0, 1] / np.var(a, ddof=1) * (a - a.mean())  # uncorrelated with a
    numbers = [x for one in (a, b) for x in (one.mean(), one.std(ddof=1))]
    claim = repeats_claim(*numbers, repeats=10, folds=10)
    assert claim.pvalue_uncorrelated == pytest.approx(corrected_kfold_t(a, b).pvalue)


@given(NUMBERS, st.floats(0.01, 0.05), NUMBERS, st.floats(0.01, 0.05), st.integers(2, 30))
def test_correlation_needed_is_where_p_is_alpha(a, s, b, u, count):
    assume(abs(a - b) > 1e-6)  # of nearly equal means the correlation is 1 but for rounding
    claim = repeats_claim(a, s, b, u, repeats=count)
    r = claim.correlation_needed
    if math.isnan(r) or r == -1:
        return
    spread = math.sqrt(s**2 + u**2 - 2 * r * s * u)
    t = (a - b) / (spread / math.sqrt(count))
    assert 2 * scipy_stats.t.sf(abs(t), count - 1) == pytest.approx(0.05, rel=1e-6)


def test_ends():
    assert repeats_claim("1.5", "0.2", "1.5", "0.2", repeats=5).pvalue == (0.0, 1.0)
    sure = repeats_claim("87.0%", "0.2%", "85.0%", "0.4%", repeats=5)
    assert sure.correlation_needed == -1
    assert sure.difference == pytest.approx((0.019, 0.021))
    never = repeats_claim("0.871", "0.000", "0.860", "0.200", repeats=3)
    assert math.isnan(never.correlation_needed)
    assert never.pvalue[0] > 0.05


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (("x", 0.1, 0.8, 0.1), "mean_a: found 'x', expected a number"),
        ((0.8, -0.1, 0.8, 0.1), "sd_a: found -0.1, must be at least 0"),
        (("nan", 0.1, 0.8, 0.1), "mean_a: found 'nan', expected a number"),
    ],
)
def test_wrong_numbers(numbers, told):
    with pytest.raises(ArgumentError, match=told):
        repeats_claim(*numbers, repeats=5)

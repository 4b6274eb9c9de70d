"""One model against a value: oracles, identities and corners."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from bakeoff.stats import (
    binomial_test,
    binomial_test_from_counts,
    corrected_one_sample_t,
    one_sample_t,
)
from bakeoff.stats.rows.proportions import proportion_ci

SIDES = ("two-sided", "greater", "less")
METHODS = ("wilson", "wilson_cc", "clopper_pearson", "agresti_coull", "jeffreys", "wald")
counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.floats(0.01, 0.99), st.sampled_from(SIDES))
@settings(deadline=None, max_examples=100)
def test_exact_pvalue_equals_scipy(count, p0, side):
    x, n = count
    found = binomial_test_from_counts(n_correct=x, n=n, p0=p0, alternative=side).pvalue
    # below 1e-200 SciPy's tail has lost digits itself
    assert found == pytest.approx(stats.binomtest(x, n, p0, side).pvalue, rel=1e-9, abs=1e-200)


@pytest.mark.parametrize(("x", "n", "p0"), [(500_500, 10**6, 0.5), (3, 10**6, 1e-5), (7, 20, 0.35)])
def test_exact_pvalue_of_large_counts(x, n, p0):
    found = binomial_test_from_counts(n_correct=x, n=n, p0=p0).pvalue
    assert found == pytest.approx(stats.binomtest(x, n, p0).pvalue, rel=1e-8)


@given(counts, st.floats(0.01, 0.99), st.sampled_from(["exact", "normal"]))
@settings(deadline=None, max_examples=50)
def test_accuracy_and_error_mirror_each_other(count, p0, variant):
    x, n = count
    options = {"n_correct": x, "n": n, "variant": variant}
    accuracy = binomial_test_from_counts(**options, p0=p0, alternative="greater")
    error = binomial_test_from_counts(**options, rate="error", p0=1 - p0, alternative="less")
    assert accuracy.pvalue == pytest.approx(error.pvalue, rel=1e-9, abs=1e-12)
    assert accuracy.estimate == pytest.approx(1 - error.estimate)
    assert accuracy.ci.low == pytest.approx(1 - error.ci.high, abs=1e-12)


@given(counts, st.sampled_from(METHODS), st.sampled_from([0.8, 0.95, 0.99]))
@settings(deadline=None, max_examples=100)
def test_intervals_equal_statsmodels(count, method, level):
    names = {"clopper_pearson": "beta", "wald": "normal"}
    x, n = count
    low, high = proportion_ci(x, n, method=method, confidence_level=level)
    assert 0 <= low <= high <= 1
    if method not in ("wald", "agresti_coull") and 0 < x < n and method != "jeffreys":
        assert low < x / n < high
    if method == "wilson_cc" or (method == "jeffreys" and x in (0, n)):
        return
    theirs = proportion_confint(x, n, 1 - level, names.get(method, method))
    assert (low, high) == pytest.approx(theirs, abs=1e-9)


@given(counts)
@settings(deadline=None, max_examples=50)
def test_intervals_are_nested_and_widen(count):
    x, n = count
    exact, cc, plain = (proportion_ci(x, n, method=m) for m in ("clopper_pearson", *METHODS[1::-1]))
    assert cc.low <= plain.low + 1e-12
    assert cc.high >= plain.high - 1e-12
    wide = proportion_ci(x, n, method="clopper_pearson", confidence_level=0.99)
    assert wide.low <= exact.low
    assert wide.high >= exact.high


@given(counts, st.floats(0.02, 0.98), st.sampled_from(["greater", "less"]))
@settings(deadline=None, max_examples=100)
def test_one_sided_exact_test_and_interval_agree(count, p0, side):
    x, n = count
    result = binomial_test_from_counts(
        n_correct=x, n=n, p0=p0, alternative=side, ci_method="clopper_pearson"
    )
    if abs(result.pvalue - 0.05) > 1e-9:
        assert (result.pvalue < 0.05) == (not result.ci.low <= p0 <= result.ci.high)


def test_clipping_is_optional():
    assert proportion_ci(1, 1000, method="wald").low == 0.0
    assert proportion_ci(1, 1000, method="wald", clip=False).low < 0


def test_normal_approximation_checks_its_counts():
    result = binomial_test_from_counts(n_correct=996, n=1000, p0=0.998, variant="normal")
    holds = {a.name: a.holds for a in result.assumptions}
    assert holds["n p0 >= 5"] is True
    assert holds["n (1 - p0) >= 5"] is False


@pytest.mark.parametrize("right", [0, 1])
def test_one_row_and_all_alike(right):
    for n in (1, 30):
        result = binomial_test([right] * n)
        assert result.pvalue == pytest.approx(min(1.0, 2 * 0.5**n))
        assert result.ci.low <= right <= result.ci.high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p0": 0.0}, "p0"),
        ({"p0": 1.5}, "p0"),
        ({"rate": "recall"}, "rate"),
        ({"variant": "midp"}, "variant"),
        ({"ci_method": "wilson-cc"}, "ci_method"),
        ({"n_correct": 11}, "n_correct"),
        ({"n": 0, "n_correct": 0}, "n: found 0"),
    ],
)
def test_wrong_binomial_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        binomial_test_from_counts(**({"n_correct": 5, "n": 10} | options))


scores = st.lists(st.floats(0, 1).map(lambda v: round(v, 3)), min_size=2, max_size=20)


@given(scores, st.floats(0.1, 0.9), st.sampled_from(SIDES))
@settings(deadline=None, max_examples=60)
def test_one_sample_t_equals_scipy(values, mu0, side):
    if len(set(values)) == 1:
        return
    result = one_sample_t(values, mu0=mu0, alternative=side)
    theirs = stats.ttest_1samp(values, mu0, alternative=side)
    assert result.statistic == pytest.approx(theirs.statistic, rel=1e-6, abs=1e-9)
    assert result.pvalue == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-9)
    assert list(result.ci) == pytest.approx(list(theirs.confidence_interval()), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("test", [one_sample_t, corrected_one_sample_t])
def test_the_side_is_that_of_the_number_whatever_is_better(test):
    """An error rate above its bound is ``greater`` here as in the binomial test."""
    errors = [0.30, 0.32, 0.29, 0.31]
    assert test(errors, mu0=0.2, alternative="greater").pvalue < 0.01
    assert test(errors, mu0=0.2, alternative="less").pvalue > 0.99
    rows = np.arange(200) < 140
    assert binomial_test(rows, rate="error", p0=0.2, alternative="greater").pvalue < 0.01
    assert test(errors, mu0=0.2).effect_sizes["difference"] == pytest.approx(0.105)


@pytest.mark.parametrize("test", [one_sample_t, corrected_one_sample_t])
def test_degenerate_scores(test):
    assert test([0.8], mu0=0.5).status == "too_few"
    assert math.isnan(test([0.8], mu0=0.5).pvalue)
    equal = test([0.1 + 0.2] * 5, mu0=0.3)
    assert (equal.status, equal.statistic, equal.pvalue) == ("identical_scores", 0.0, 1.0)
    constant = test([0.9, 0.9, 0.9], mu0=0.8)
    assert constant.status == "zero_variance"
    assert constant.statistic == math.inf
    assert math.isnan(constant.pvalue)
    assert constant.ci is None
    assert constant.estimate == pytest.approx(0.9)
    noisy = test([0.7 + 0.2, 0.9, 0.3 * 3], mu0=0.8)
    assert noisy.status == "zero_variance"


def test_corrected_variance():
    values = [0.81, 0.84, 0.80, 0.86, 0.82, 0.83]
    plain, corrected = one_sample_t(values, mu0=0.8), corrected_one_sample_t(values, mu0=0.8)
    factor = math.sqrt((1 / 6) / (1 / 6 + 1 / 5))
    assert corrected.statistic == pytest.approx(plain.statistic * factor)
    table = corrected_one_sample_t(np.reshape(values, (2, 3)), mu0=0.8)
    assert table.details["ratio"] == pytest.approx(0.5)
    sized = corrected_one_sample_t(values, mu0=0.8, n_train=100, n_test=50)
    assert sized.statistic == pytest.approx(table.statistic)


def test_wrong_scores_are_refused():
    with pytest.raises(ValueError, match="scores"):
        one_sample_t([0.8, math.nan], mu0=0.5)
    with pytest.raises(ValueError, match="mu0"):
        one_sample_t([0.8, 0.9], mu0=math.nan)
    with pytest.raises(ValueError, match="n_test"):
        corrected_one_sample_t([0.8, 0.9], mu0=0.5, n_train=10)


def test_effect_sizes_of_a_binomial_test_are_against_its_null() -> None:
    found = binomial_test_from_counts(n_correct=17, n=20, p0=0.7).effect_sizes
    assert found["difference"] == pytest.approx(0.15)
    assert found["cohens_h"] == pytest.approx(2 * (math.asin(0.85**0.5) - math.asin(0.7**0.5)))

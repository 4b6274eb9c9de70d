"""One model against a value, and two unpaired proportions."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats.rows.proportions import (
    proportion_ci,
    proportion_difference,
    proportion_difference_from_counts,
)


@pytest.mark.parametrize(("x", "n", "p0"), [(500_500, 10**6, 0.5), (3, 10**6, 1e-5), (7, 20, 0.35)])
def test_exact_pvalue_of_large_counts(x, n, p0):
    found = stats.binomial_test_from_counts(n_correct=x, n=n, p0=p0).pvalue
    assert found == pytest.approx(scipy_stats.binomtest(x, n, p0).pvalue, rel=1e-8)


def test_clipping_is_optional():
    assert proportion_ci(1, 1000, method="wald").low == 0.0
    assert proportion_ci(1, 1000, method="wald", clip=False).low < 0


def test_normal_approximation_checks_its_counts():
    result = stats.binomial_test_from_counts(n_correct=996, n=1000, p0=0.998, variant="normal")
    holds = {a.name: a.holds for a in result.assumptions}
    assert holds["n p0 >= 5"] is True
    assert holds["n (1 - p0) >= 5"] is False


def test_the_side_is_that_of_the_number_whatever_is_better():
    """An error rate above its bound is ``greater`` here as in the binomial test."""
    errors = [0.30, 0.32, 0.29, 0.31]
    assert stats.one_sample_t(errors, mu0=0.2, alternative="greater").pvalue < 0.01
    assert stats.one_sample_t(errors, mu0=0.2, alternative="less").pvalue > 0.99
    rows = np.arange(200) < 140
    assert stats.binomial_test(rows, rate="error", p0=0.2, alternative="greater").pvalue < 0.01
    assert stats.one_sample_t(errors, mu0=0.2).effect_sizes["difference"] == pytest.approx(0.105)


def test_the_corrected_interval_of_a_mean_is_that_of_differences_from_0():
    values = np.array([0.81, 0.84, 0.80, 0.86, 0.82, 0.83])
    found = list(stats.corrected_mean_ci(values))
    assert found == pytest.approx(list(stats.corrected_kfold_t(values, 0 * values).ci))
    table, zeros = values.reshape(2, 3), np.zeros((2, 3))
    repeated = list(stats.corrected_repeated_kfold_t(table, zeros).ci)
    assert list(stats.corrected_mean_ci(table)) == pytest.approx(repeated)
    assert list(stats.corrected_mean_ci(values, n_train=100, n_test=50)) == pytest.approx(repeated)
    assert stats.corrected_mean_ci([0.8, 0.8, 0.8]) is stats.corrected_mean_ci([0.8]) is None


def run(a, b, **options):
    (x, n), (y, m) = a, b
    return proportion_difference_from_counts(correct_a=x, n_a=n, correct_b=y, n_b=m, **options)


def test_rows_and_counts_agree_and_the_pairing_is_warned_of():
    a, b = np.arange(50) < 40, np.arange(50) >= 13
    result = proportion_difference(a, b)
    assert result.pvalue == run((40, 50), (37, 50)).pvalue
    assert result.assumptions[0].holds is False
    assert "McNemar" in result.assumptions[0].detail


def test_the_covariance_on_shared_rows_is_told():
    a, b = np.random.default_rng(1).random((2, 90)) < [[0.8], [0.7]]
    (told,) = (x for x in proportion_difference(a, b).assumptions if "test sets" in x.name)
    assert f"(covariance of their correctness {np.cov(a, b, ddof=0)[0, 1]:.3g})" in told.detail

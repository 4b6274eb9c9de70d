import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.stats.rows.cochran import cochran_q, exact_pvalue, looney_f, monte_carlo_pvalue

tables = st.tuples(st.integers(3, 5), st.integers(1, 30), st.integers(0, 2**32 - 1)).map(
    lambda size: np.random.default_rng(size[2]).uniform(size=size[1::-1]) < 0.7
)


@pytest.mark.parametrize("seed", range(3))
def test_monte_carlo_agrees_with_exact(seed):
    x = np.random.default_rng(seed).uniform(size=(40, 4)) < [0.8, 0.75, 0.7, 0.6]
    totals = np.bincount(x.sum(axis=1), minlength=5)
    observed = int(4 * (x.sum(axis=0) ** 2).sum() - x.sum() ** 2)
    exact = exact_pvalue(totals, 4, observed)
    drawn = monte_carlo_pvalue(totals, 4, observed, 20_000, seed)
    assert drawn.error == pytest.approx(math.sqrt(drawn.pvalue * (1 - drawn.pvalue) / 20_000))
    assert abs(drawn.pvalue - exact.pvalue) < 5 * drawn.error
    assert drawn == monte_carlo_pvalue(totals, 4, observed, 20_000, seed)
    assert drawn != monte_carlo_pvalue(totals, 4, observed, 20_000, seed + 1)


def test_large_tables_fall_back_to_random_ones():
    x = np.random.default_rng(0).uniform(size=(2000, 12)) < 0.7
    result = cochran_q(x, variant="permutation", n_resamples=500, seed=3)
    assert result.details["permutation_method"] == "monte_carlo"
    assert 0 < result.details["monte_carlo_error"] < 0.03
    assert result.pvalue == pytest.approx(result.details["pvalue_asymptotic"], abs=0.1)
    assert result.pvalue == cochran_q(x, variant="permutation", n_resamples=500, seed=3).pvalue


@given(tables, st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_order_does_not_matter_and_counts_are_repetitions(x, seed):
    rng = np.random.default_rng(seed)
    for test in (cochran_q, looney_f):
        first = test(x)
        shuffled = test(rng.permutation(rng.permutation(x), axis=1))
        assert shuffled.statistic == pytest.approx(first.statistic, nan_ok=True)
        assert shuffled.pvalue == pytest.approx(first.pvalue, nan_ok=True)
        twice = test(x, row_counts=np.full(len(x), 2))
        repeated = test(np.repeat(x, 2, axis=0))
        assert twice.statistic == pytest.approx(repeated.statistic, nan_ok=True)


def test_greenhouse_geisser_lowers_the_degrees_of_freedom():
    x = np.random.default_rng(6).uniform(size=(50, 4)) < [0.95, 0.5, 0.6, 0.9]
    plain, corrected = looney_f(x), looney_f(x, correction="greenhouse-geisser")
    covariance = np.cov(x.T.astype(float))
    contrasts = np.linalg.qr(np.c_[np.ones(4), np.eye(4)[:, :3]])[0][:, 1:]
    eigenvalues = np.linalg.eigvalsh(contrasts.T @ covariance @ contrasts)
    epsilon = eigenvalues.sum() ** 2 / (3 * (eigenvalues**2).sum())
    assert corrected.details["epsilon"] == pytest.approx(epsilon)
    assert corrected.df1 == pytest.approx(3 * epsilon)
    assert corrected.statistic == plain.statistic
    assert corrected.pvalue > plain.pvalue


def test_few_informative_rows_are_permuted_by_default():
    table = np.tile([[1, 0, 0], [0, 1, 1]], (16, 1))
    assert cochran_q(table[:30]).variant == "permutation"
    assert cochran_q(table[:31]).variant == "asymptotic"
    assert cochran_q(table[:30]).pvalue == cochran_q(table[:30], variant="permutation").pvalue


def test_few_discriminating_rows_come_with_the_exact_pvalue():
    # 100 rows, but the models disagree on two of them only
    few = [[1] * 10, [1] + [0] * 9]
    result = cochran_q(few, row_counts=[98, 2], variant="asymptotic")
    assert result.pvalue == pytest.approx(stats.chi2.sf(18, 9))
    assert result.details["pvalue_permutation"] == pytest.approx(0.1)
    assert not result.assumptions[0].holds


def test_partial_eta_squared_of_looney_belongs_to_its_f():
    correct = np.random.default_rng(5).random((60, 4)) < [0.5, 0.6, 0.7, 0.9]
    result = looney_f(correct)
    models = result.statistic * result.df1
    share = result.effect_sizes["partial_eta_squared"]
    assert share == pytest.approx(models / (models + result.df2))

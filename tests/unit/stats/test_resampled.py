import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats import Status, corrected_resampled_t
from bakeoff.stats.folds.t_tests import corrected_against

# squares of differences like 1e-160 vanish; no two scores differ by so little
differences = st.floats(-0.2, 0.2).map(lambda x: round(x, 9))

SIZES = {"n_train": 900, "n_test": 100}
ALL = [
    ("cv5x2_t", (5, 2), {}),
    ("cv5x2_f", (5, 2), {}),
    ("kfold_t", (10,), {}),
    ("resampled_t", (10,), {}),
    ("corrected_resampled_t", (10,), SIZES),
    ("corrected_kfold_t", (10,), {}),
    ("corrected_repeated_kfold_t", (2, 5), {}),
]


def draw(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.82, 0.03, shape).round(4), rng.normal(0.80, 0.03, shape).round(4)


def test_far_tails_keep_their_digits():
    d = 1 + np.linspace(-1e-2, 1e-2, 100)
    ours = stats.kfold_t(d, np.zeros(100), alternative="greater")
    theirs = scipy_stats.t.logsf(ours.statistic, 99)
    assert 0 < ours.pvalue < 1e-200
    assert math.log(ours.pvalue) == pytest.approx(theirs, rel=1e-12)


def test_a_first_difference_of_zero_without_variance_has_no_statistic():
    d = np.array([[0.0, 0.0], [0.1, 0.1], [0.1, 0.1], [0.1, 0.1], [0.1, 0.1]])
    result = stats.cv5x2_t(d, np.zeros_like(d))
    assert result.status is Status.ZERO_VARIANCE
    assert math.isnan(result.statistic)
    assert math.isnan(result.pvalue)


def test_disagreement_of_the_ten_t_is_told():
    d = np.array([[0.09, 0.01], [0.05, 0.04], [0.05, 0.04], [0.05, 0.04], [0.05, 0.04]])
    result = stats.cv5x2_t(d, np.zeros_like(d))
    order = next(a for a in result.assumptions if a.name.startswith("the order"))
    assert order.holds is False
    assert "of the ten possible t values" in order.detail


def test_sizes_of_a_cross_validation_or_one_repetition_give_the_k_fold_test():
    a, b = draw((3,))
    expected = pytest.approx(stats.corrected_kfold_t(a, b).pvalue)
    assert stats.corrected_repeated_kfold_t(a[None], b[None]).pvalue == expected
    # 10 rows in 3 folds
    by_size = stats.corrected_resampled_t(a, b, n_train=[6, 7, 7], n_test=[4, 3, 3])
    assert by_size.pvalue == expected
    assert by_size.assumptions[1].holds is True
    unequal = stats.corrected_resampled_t(a[:2], b[:2], n_train=[50, 90], n_test=[50, 10])
    assert unequal.details["ratio"] == pytest.approx(60 / 140)
    assert unequal.assumptions[1].holds is False


def test_hedges_g_shrinks_d():
    a, b = draw((10,))
    sizes = stats.kfold_t(a, b).effect_sizes
    # J(9) = Γ(4.5) / (√4.5 Γ(4)) = 0.9139
    assert sizes["hedges_gz"] / sizes["cohen_dz"] == pytest.approx(0.91387, abs=1e-4)


@settings(deadline=None, max_examples=100)
@given(arrays(np.float64, (5, 2), elements=differences), st.floats(0.5, 0.99))
def test_f_interval_holds_the_constants_that_are_not_rejected(d, level):
    result = stats.cv5x2_f(d, np.zeros((5, 2)), confidence_level=level)
    if result.ci is None:
        return
    low, high = result.ci
    assert low <= result.estimate <= high
    for end in (low, high):
        shifted = stats.cv5x2_f(d - end, np.zeros((5, 2)))
        if shifted.status is Status.OK:
            assert shifted.pvalue == pytest.approx(1 - level, abs=1e-6)
    assert (result.pvalue <= 1 - level + 1e-9) or (low <= 0 <= high)


def test_f_interval_is_absent_where_every_constant_is_rejected():
    d = [[0.1, 0.1001], [-0.1, -0.1001], [0.1, 0.1001], [-0.1, -0.1001], [0.1, 0.1]]
    result = stats.cv5x2_f(d, np.zeros((5, 2)))
    assert result.pvalue < 0.001
    assert result.ci is None


@pytest.mark.parametrize(("name", "shape", "options"), ALL, ids=[name for name, *_ in ALL])
def test_constant_differences_in_single_precision_are_constant(name, shape, options):
    a = draw(shape)[0].astype(np.float32)
    result = getattr(stats, name)(a, a - np.float32(0.1), **options)
    assert result.status is Status.ZERO_VARIANCE


def test_many_models_against_a_constant_are_tested_as_one_by_one():
    rng = np.random.default_rng(0)
    constant, sizes = rng.uniform(0.5, 0.9, 10).round(2), {"n_train": [90] * 9 + [91], "n_test": 10}
    models = rng.uniform(0.5, 0.9, (5, 10)).round(2)
    models[0], models[1] = constant, constant + 0.1
    tested = corrected_against(models, constant, **{k: np.full(10, v) for k, v in sizes.items()})
    for model, *answer in zip(models, *tested, strict=True):
        alone = corrected_resampled_t(model, constant, **sizes)
        expected = alone.estimate, *(alone.ci or (math.nan, math.nan)), alone.pvalue
        assert answer == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)

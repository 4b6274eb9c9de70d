"""Scores on folds: t and F tests, several models, several criteria, halves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats import Status, corrected_resampled_t
from bakeoff.stats.core.paired_differences import normality, paired_differences
from bakeoff.stats.folds.t_tests import corrected_against


def draw(shape=(10, 4), seed=0):
    rng = np.random.default_rng(seed)
    folds = rng.normal(0, 0.05, (shape[0], 1))
    return (0.8 + folds + rng.normal(0, 0.02, shape)).round(4)


@given(arrays(np.float64, (6, 2), elements=st.floats(0, 1).map(lambda x: round(x, 3))))
@settings(deadline=None, max_examples=60)
def test_two_models_give_the_t_tests(y):
    blocked = stats.anova_repeated_measures(y)
    paired = stats.kfold_t(y[:, 0], y[:, 1])
    assert blocked.status is paired.status
    tukey = stats.tukey_hsd(y).pairs[0]
    if paired.status is Status.OK:
        assert blocked.statistic == pytest.approx(paired.statistic**2, rel=1e-6)
        assert blocked.pvalue == pytest.approx(paired.pvalue, rel=1e-6)
        assert blocked.details["epsilon_gg"] == pytest.approx(1)
        assert tukey.pvalue == pytest.approx(paired.pvalue, rel=1e-6)
        assert tukey.pvalue_adjusted == pytest.approx(paired.pvalue, rel=1e-6, abs=1e-10)


def test_corrections_shrink_the_degrees_of_freedom():
    y = draw(seed=3)
    y[:, 0] += np.linspace(-0.1, 0.1, 10)
    corrections = ("none", "huynh-feldt", "greenhouse-geisser")
    results = [stats.anova_repeated_measures(y, correction=c) for c in corrections]
    assert 3 == results[0].df1 > results[1].df1 > results[2].df1 >= 1
    for r in results:
        assert r.pvalue == pytest.approx(scipy_stats.f.sf(r.statistic, r.df1, r.df2))
        assert (r.details["mauchly_pvalue"] < 0.05, r.assumptions[1].holds) == (True, False)


def test_fewer_folds_than_models_still_has_a_correction():
    result = stats.anova_repeated_measures(draw((3, 6)))
    assert (result.status, result.assumptions[1].holds) == (Status.OK, None)
    assert result.details["mauchly_w"] == 0
    assert 0.2 <= result.details["epsilon_gg"] <= 2 / 5 + 1e-12
    two = stats.anova_repeated_measures(draw((2, 3)), correction="huynh-feldt")
    assert two.pvalue == two.details["pvalue_gg"]
    assert stats.anova_repeated_measures(draw()).assumptions[1].holds


def test_normal_differences_are_judged_by_their_skewness_from_eight_folds_on():
    def judged(*values):
        return normality(paired_differences(values, np.zeros(len(values))))

    assert judged(0.1, 0.2).detail == "cannot be judged from 2 folds"
    assert judged(0.1, 0.2, 0.4).detail.startswith("skewness 0.38 ")
    assert judged(*[0.1] * 6, 0.2).holds is None
    assert judged(*[0.1] * 7, 0.2).holds is False  # skewness 2.27, twice its error 1.04
    assert judged(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8).holds is True


def test_degenerate_scores_of_several_models():
    y = draw()
    y[:, 0] = 0.8
    welch = stats.anova_oneway(y, equal_var=False)
    assert (welch.status, math.isnan(welch.pvalue)) == (Status.UNDEFINED, True)
    flat = np.tile([0.9, 0.8, 0.8], (4, 1))
    apart, _, same = stats.tukey_hsd(flat).pairs
    assert (apart.statistic, math.isnan(apart.pvalue)) == (math.inf, True)
    assert (same.statistic, same.pvalue) == (0, 1)


@pytest.mark.parametrize("name", ["anova_repeated_measures", "anova_oneway", "tukey_hsd"])
def test_order_follows_the_metric(name):
    y = draw() + np.array([0.0, 0.3, 0.2, 0.1])
    for better, order in ((True, [1, 2, 3, 0]), (False, [0, 3, 2, 1])):
        details = getattr(stats, name)(y, greater_is_better=better).details
        assert details["order"].tolist() == order
        assert details["means"] == pytest.approx(y.mean(axis=0))


# squares of differences like 1e-160 vanish; no two scores differ by so little
differences = st.floats(-0.2, 0.2).map(lambda x: round(x, 9))


def test_far_tails_keep_their_digits_and_hedges_g_shrinks_d():
    d = 1 + np.linspace(-1e-2, 1e-2, 100)
    ours = stats.kfold_t(d, np.zeros(100), alternative="greater")
    theirs = scipy_stats.t.logsf(ours.statistic, 99)
    assert 0 < ours.pvalue < 1e-200
    assert math.log(ours.pvalue) == pytest.approx(theirs, rel=1e-12)
    posterior = stats.bayes_correlated_t(d, np.zeros(100), rope=0.1)
    assert 0 < posterior.p_b_better < posterior.p_equivalent < 1e-12
    sizes = stats.kfold_t(*draw((10, 2)).T).effect_sizes
    # J(9) = Γ(4.5) / (√4.5 Γ(4)) = 0.9139
    assert sizes["hedges_gz"] / sizes["cohen_dz"] == pytest.approx(0.91387, abs=1e-4)
    assert math.isnan(stats.kfold_t([0.8, 0.9], [0.7, 0.7]).effect_sizes["hedges_gz"])


def test_the_first_difference_alone_is_the_numerator():
    apart = stats.cv5x2_t([[0.09, 0.01]] + [[0.05, 0.04]] * 4, np.zeros((5, 2)))
    assert apart.assumptions[0].holds is False
    assert "of the ten possible t values" in apart.assumptions[0].detail
    none = stats.cv5x2_t([[0.0, 0.0]] + [[0.1, 0.1]] * 4, np.zeros((5, 2)))
    assert (none.status, math.isnan(none.statistic)) == (Status.ZERO_VARIANCE, True)


def test_sizes_of_a_cross_validation_or_one_repetition_give_the_k_fold_test():
    a, b = draw((3, 2)).T
    expected = pytest.approx(stats.corrected_kfold_t(a, b).pvalue)
    assert stats.corrected_repeated_kfold_t(a[None], b[None]).pvalue == expected
    # 10 rows in 3 folds
    by_size = stats.corrected_resampled_t(a, b, n_train=[6, 7, 7], n_test=[4, 3, 3])
    assert by_size.pvalue == expected
    assert by_size.assumptions[1].holds is True
    unequal = stats.corrected_resampled_t(a[:2], b[:2], n_train=[50, 90], n_test=[50, 10])
    assert unequal.details["ratio"] == pytest.approx(60 / 140)
    assert unequal.assumptions[1].holds is False


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
    assert (result.pvalue < 0.001, result.ci) == (True, None)


@pytest.mark.parametrize("name", ["cv5x2_t", "cv5x2_f", "corrected_repeated_kfold_t"])
def test_constant_differences_in_single_precision_are_constant(name):
    a = draw((5, 2)).astype(np.float32)
    assert getattr(stats, name)(a, a - np.float32(0.1)).status is Status.ZERO_VARIANCE


def test_many_models_against_a_constant_are_tested_as_one_by_one():
    rng = np.random.default_rng(0)
    constant = rng.uniform(0.5, 0.9, 10).round(2)
    sizes = {"n_train": [90] * 9 + [91], "n_test": 10}
    models = rng.uniform(0.5, 0.9, (5, 10)).round(2)
    models[0], models[1] = constant, constant + 0.1
    tested = corrected_against(models, constant, **{k: np.full(10, v) for k, v in sizes.items()})
    for model, *answer in zip(models, *tested, strict=True):
        alone = corrected_resampled_t(model, constant, **sizes)
        expected = alone.estimate, *(alone.ci or (math.nan, math.nan)), alone.pvalue
        assert answer == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


def criteria_of(shape, seed=0):
    return np.random.default_rng(seed).normal(0.8, 0.03, shape).round(4)


NEARLY = criteria_of((10, 2, 3))
CONSTANT = criteria_of((10, 2, 3))
HARDLY = np.full((8, 2, 3), 0.8)
NEARLY[..., 2] = NEARLY[..., 0] + 1e-4 * criteria_of((10, 2), 3)
CONSTANT[..., 1] = 0.5
HARDLY[2, 0] = [0.9, 0.7, 0.85]
EQUAL = np.full((6, 2, 3), 0.3)
EQUAL[:, 0] = 0.1 + 0.2


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize(
    ("y", "status"),
    [
        (NEARLY, Status.OK),
        (EQUAL, Status.IDENTICAL_SCORES),
        (EQUAL + np.array([[0.0] * 3, [0.1, 0.0, 0.2]]), Status.ZERO_VARIANCE),
        (CONSTANT, Status.UNDEFINED),
        (HARDLY, Status.UNDEFINED),  # folds that hardly differ are no fault of the criteria
        (criteria_of((1, 2, 3)), Status.TOO_FEW),
        (criteria_of((2, 2, 3)), Status.TOO_FEW),
    ],
)
def test_status_of_degenerate_criteria(blocks, y, status):
    result = stats.manova(y, criteria=("tp", "auc", "fn"), blocks=blocks)
    assert result.status is status
    assert math.isnan(result.pvalue) == (status not in (Status.OK, Status.IDENTICAL_SCORES))
    told = any("'auc' has no variance" in x.detail for x in result.assumptions)
    assert told == (y is CONSTANT)


def test_manova_turns_criteria_and_leaves_out_missing_folds():
    y = criteria_of((10, 3, 2))
    for result in (stats.manova(y), stats.manova(y * [1, -1], greater_is_better=[True, False])):
        assert result.details["means"] == pytest.approx(y.mean(axis=0))
        assert result.pvalue == pytest.approx(stats.manova(y).pvalue)
    rest = stats.manova(np.delete(y, 4, axis=0))
    y[4, 1, 0] = np.nan
    blocks, one_way = (stats.manova(y, blocks=b, nan_policy="omit") for b in (True, False))
    assert (blocks.n, blocks.pvalue) == (9, pytest.approx(rest.pvalue))
    assert (one_way.n, one_way.status) == (10, Status.OK)


def test_statistics_of_manova_say_what_they_cannot_do():
    roy = stats.manova(criteria_of((10, 4, 3)), statistic="roy")
    assert any(x.name == "exact reference distribution" for x in roy.assumptions)
    y = criteria_of((2, 3, 2))
    assert stats.manova(y, statistic="pillai").status is Status.OK
    trace = stats.manova(y, statistic="hotelling-lawley")  # without degrees of freedom
    assert (trace.status, math.isnan(trace.pvalue)) == (Status.TOO_FEW, True)


def halvings(rng, n):
    return np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])


def divided_rows(seed, n=60):
    rng = np.random.default_rng(seed)
    fold, a, b = halvings(rng, n), *rng.random((2, 5, n))
    return fold, a < 0.8, b < rng.choice([0.55, 0.7, 0.8])


def by_half(fold, pull):
    """Return the mean pull of the training rows of the fit that tests each row."""
    return np.array([np.take([pull[half != f].mean() for f in (1, 2)], half - 1) for half in fold])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_rows_and_counts_give_one_result(seed):
    fold, a, b = divided_rows(seed)
    only_a, only_b = (
        [[int(only[r, fold[r] == f].sum()) for f in (1, 2)] for r in range(5)]
        for only in (a & ~b, b & ~a)
    )
    found = stats.cv5x2_mcnemar(fold, a, b)
    counted = stats.cv5x2_mcnemar_from_counts(only_a, only_b, np.full((5, 2), 30))
    assert found.to_dict() == counted.to_dict()


def test_one_threshold_that_turns_many_rows_at_once_is_one_piece_of_evidence():
    fold = halvings(np.random.default_rng(0), 120)
    row = np.arange(120)
    # some more rows pull up than down: each fit has the first third of the rows right, or none
    a = (by_half(fold, row % 7 - 2.7) > 0) & (row < 40)
    b = np.zeros_like(a)
    b[:, 34:46] = True
    counted = stats.cv5x2_mcnemar(fold, a, b)
    found = stats.cv5x2_z(fold, a, b)
    assert found.estimate == counted.estimate
    assert counted.pvalue < 0.05 < found.pvalue
    assert found.details["variance_training"] > found.details["variance_test"]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_interval_excludes_0_where_p_is_small(seed):
    fold, a, b = divided_rows(seed)
    found = stats.cv5x2_z(fold, a, b)
    assert (found.ci.low > 0 or found.ci.high < 0) == (found.pvalue < 0.05)
    assert stats.cv5x2_z(fold, a, b, alternative="greater").ci.high == 1
    assert stats.cv5x2_z(fold, a, b, alternative="less").ci.low == -1
    order = np.random.default_rng(seed).permutation(a.shape[1])
    again = stats.cv5x2_z(fold[:, order], a[:, order], b[:, order])
    assert again.pvalue == pytest.approx(found.pvalue, rel=1e-12)
    parts = found.details
    both = np.sqrt(parts["variance_test"]) + np.sqrt(parts["variance_training"])
    assert parts["se"] ** 2 == pytest.approx(max(1.1 * both**2, parts["variance_rows"]))


def test_variance_of_training_rows_is_found_on_average():
    # each fit is as much ahead as the mean of its training rows says: ±2 a row
    rng = np.random.default_rng(3)
    found = []
    n = 200
    for _ in range(300):
        pull = rng.choice([-2.0, 2.0], n)
        fold = halvings(rng, n)
        a = rng.random((5, n)) < 0.5 + by_half(fold, pull)
        b = np.broadcast_to(np.arange(n) % 2 == 0, (5, n))
        found.append(stats.cv5x2_z(fold, a, b).details["variance_training"])
    assert np.mean(found) == pytest.approx(2**2 / n, rel=0.15)


def test_one_division_five_times_over_leaves_the_variance_unknown():
    fold, a, b = divided_rows(4)
    result = stats.cv5x2_z(np.broadcast_to(fold[0], fold.shape), a, b)
    assert (result.status, result.ci, np.isnan(result.pvalue)) == (Status.TOO_FEW, None, True)

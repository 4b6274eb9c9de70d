"""The half-sample t test, the rows of 5×2cv, and what goes with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff import stats
from bakeoff.stats import Status

scores = st.integers(0, 2**31).map(
    lambda seed: np.random.default_rng(seed).normal(0.8, 0.05, (11, 4)).round(3)
)


@settings(deadline=None, max_examples=40)
@given(scores, scores)
def test_half_sample_t_is_the_formula_of_its_paper(a: np.ndarray, b: np.ndarray) -> None:
    result = stats.half_sample_t(a, b, full_repeats=3, variant="full")
    d = (a - b)[:8].mean(axis=1).reshape(4, 2)
    se = math.sqrt(((d[:, 0] - d[:, 1]) ** 2).sum() / 16)
    assert result.estimate == pytest.approx((a - b)[8:].mean())
    assert result.details["se"] == pytest.approx(se)
    if result.status is Status.OK:
        assert result.statistic == pytest.approx(result.estimate / se)
        assert result.df == 4
    halves = stats.half_sample_t(a, b, full_repeats=3)
    assert halves.estimate == pytest.approx(d.mean())
    assert halves.details["se"] == result.details["se"]


@settings(deadline=None, max_examples=30)
@given(scores)
def test_one_sample_form_is_that_of_differences(a: np.ndarray) -> None:
    one = stats.half_sample_one_t(a, mu0=0.75, full_repeats=3)
    two = stats.half_sample_t(a, np.full_like(a, 0.75), full_repeats=3)
    assert one.pvalue == pytest.approx(two.pvalue)
    assert one.estimate == pytest.approx(two.estimate + 0.75)


def test_equivalence_agrees_with_the_interval() -> None:
    a = np.random.default_rng(3).normal(0.8, 0.01, (23, 5))
    b = a + np.random.default_rng(4).normal(0.004, 0.01, (23, 5))
    for margin in (0.004, 0.006, 0.01, 0.05):
        result = stats.tost_half_samples(a, b, margin=margin, full_repeats=3)
        assert result.ci is not None
        inside = -margin < result.ci.low and result.ci.high < margin
        assert (result.verdict == "equivalent") == inside


@pytest.mark.parametrize(
    ("rows", "full", "variant", "message"),
    [
        (11, 4, "full", "must be pairs of halves"),
        (4, 0, "full", "full_repeats: found 0"),
        (3, 3, "full", "must be pairs of halves"),
        (4, 1.5, "halves", "full_repeats: found 1.5"),
        (5, 1, "thirds", "variant: found 'thirds'"),
    ],
)
def test_wrong_arrangements_are_named(rows: int, full: int, variant: str, message: str) -> None:
    a = np.linspace(0.5, 0.9, rows * 3).reshape(rows, 3)
    with pytest.raises(ValueError, match=message):
        stats.half_sample_t(a, a[::-1], full_repeats=full, variant=variant)


def test_constant_differences_leave_it_undecided() -> None:
    a = np.random.default_rng(0).random((5, 3))
    result = stats.half_sample_t(a + 0.1, a, full_repeats=1)
    assert (result.status, result.statistic) == (Status.ZERO_VARIANCE, math.inf)
    assert math.isnan(result.pvalue)
    same = stats.half_sample_t(a, a, full_repeats=1)
    assert (same.status, same.statistic, same.pvalue) == (Status.IDENTICAL_SCORES, 0, 1)


# ------------------------------------------------------------------------------ rows of 5×2cv


def rows(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
    return fold, rng.random((5, n)) < 0.8, rng.random((5, n)) < 0.7


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_rows_and_counts_give_one_result(seed: int) -> None:
    fold, a, b = rows(seed)
    only_a = [[int((a & ~b)[r, fold[r] == f].sum()) for f in (1, 2)] for r in range(5)]
    only_b = [[int((b & ~a)[r, fold[r] == f].sum()) for f in (1, 2)] for r in range(5)]
    found = stats.cv5x2_mcnemar(fold, a, b)
    counted = stats.cv5x2_mcnemar_from_counts(only_a, only_b, np.full((5, 2), 30))
    assert found.to_dict() == counted.to_dict()
    if not found.details["guard_active"]:
        b_e, c_e = found.details["effective_only_a"], found.details["effective_only_b"]
        assert found.statistic**2 == pytest.approx((b_e - c_e) ** 2 / (b_e + c_e))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_one_sided_p_values_add_up_and_corrected_is_never_smaller(seed: int) -> None:
    fold, a, b = rows(seed)
    greater, less = (
        stats.cv5x2_mcnemar(fold, a, b, alternative=side).pvalue for side in ("greater", "less")
    )
    assert greater + less == pytest.approx(1)
    assert stats.cv5x2_mcnemar(fold, a, b, alternative="greater").ci.high == 1
    assert stats.cv5x2_mcnemar(fold, a, b, alternative="less").ci.low == -1
    two = stats.cv5x2_mcnemar(fold, a, b)
    assert two.pvalue == pytest.approx(2 * min(greater, less))
    assert stats.cv5x2_mcnemar(fold, a, b, variant="corrected").pvalue >= two.pvalue


def test_guard_takes_over_where_whole_fits_fail() -> None:
    fold, a, _ = rows(1)
    b = a.copy()
    b[0, fold[0] == 1] = False  # one fit that is always wrong
    result = stats.cv5x2_mcnemar(fold, a, b)
    assert result.details["guard_active"]
    assert result.details["se"] ** 2 == result.details["variance_folds"]
    assert result.pvalue > stats.mcnemar(a.ravel(), b.ravel()).pvalue


def test_models_that_agree_have_no_evidence_between_them() -> None:
    fold, a, _ = rows(2)
    result = stats.cv5x2_mcnemar(fold, a, a)
    assert (result.status, result.statistic, result.pvalue) == (Status.NO_DISCORDANT_PAIRS, 0, 1)
    assert stats.tost_cv5x2(fold, a, a, margin=0.1).verdict == "not shown"


@pytest.mark.parametrize("fold", [0, 3])
def test_halves_are_one_and_two(fold: int) -> None:
    halves, a, b = rows(3)
    halves[2, 4] = fold
    with pytest.raises(ValueError, match="fold: must be 1 or 2"):
        stats.cv5x2_mcnemar(halves, a, b)


# ------------------------------------------------------------------------ variance and counts


def test_components_of_a_design_without_noise() -> None:
    exact = stats.variance_components([[0.1, 0.1], [0.3, 0.3], [0.2, 0.2]])
    assert exact.variances == pytest.approx((0.01, 0.0))
    assert exact.advice(splits=3, seeds=2).startswith("3 more splits beat")
    assert exact.best_seeds(split_cost=5) == 1
    rows = stats.variance_components([[0.1, 0.1], [0.3, 0.3], [0.2, 0.2]], variance_of_rows=1.0)
    assert rows.advice(splits=3, seeds=2) == "More fits will not help, more rows will."


def test_seeds_alone_want_more_seeds() -> None:
    rng = np.random.default_rng(0)
    parts = stats.variance_components(rng.normal(size=(30, 2)).tolist())
    now = parts.variance_with(30, 2)
    assert parts.variance_with(30, 12) < parts.variance_with(33, 2) < now
    assert parts.advice(splits=30, seeds=2).startswith("10 more seeds")


@pytest.mark.parametrize(
    ("differences", "layout"), [([[0.1], [0.2]], "nested"), ([[0.1, 0.2]], "crossed")]
)
def test_too_few_values_are_refused(differences: list[list[float]], layout: str) -> None:
    with pytest.raises(ValueError, match="differences: found"):
        stats.variance_components(differences, layout=layout)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_count_is_the_number_of_holm_rejections(pvalues: list[float]) -> None:
    found = stats.replicability_count(pvalues)
    rejected = stats.adjust_pvalues(pvalues, "holm") <= 0.05
    assert found.count == rejected.sum() == len(found.names)
    assert (np.diff(found.pvalues) >= 0).all()


def test_interval_of_prob_a_better_is_that_of_the_bootstrap() -> None:
    rng = np.random.default_rng(5)
    d = rng.choice([-1.0, 0.0, 1.0], 20, p=[0.2, 0.2, 0.6])
    result = stats.prob_a_better(d, np.zeros(20))
    drawn = rng.choice((d > 0) + 0.5 * (d == 0), (40_000, 20)).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert result.ci is not None
    assert tuple(result.ci) == pytest.approx((low, high), abs=0.026)


def test_ties_count_half_in_the_probability_that_a_is_better() -> None:
    result = stats.prob_a_better([3, 2, 2, 1, 3], [1, 2, 2, 2, 1])
    assert result.estimate == pytest.approx((2 + 2 / 2) / 5)
    assert (result.details["wins"], result.details["ties"]) == (2, 2)


@pytest.mark.parametrize(
    ("differences", "variances"),
    [
        ([[[0.1, 0.1], [0.1, 0.1]], [[0.3, 0.3], [0.3, 0.3]]], (0.02, 0, 0)),
        ([[[0.1, 0.1], [0.3, 0.3]], [[0.3, 0.3], [0.1, 0.1]]], (0, 0.02, 0)),
        ([[[0.1, 0.3], [0.1, 0.3]], [[0.1, 0.3], [0.3, 0.1]]], (0, 0, 0.02)),
    ],
)
def test_each_of_three_levels_has_the_variance_that_it_makes(differences, variances) -> None:
    parts = stats.variance_components(differences)
    assert parts.sources == ("splits", "tuning", "seeds")
    assert parts.variances == pytest.approx(variances, abs=1e-12)


def test_one_halving_is_the_fewest() -> None:
    a, b = np.random.default_rng(1).normal(0.8, 0.05, (2, 3, 4))
    found = stats.half_sample_t(a, b, full_repeats=1)
    assert (found.n, found.df) == (1, 1)


def test_advice_knows_tuning_runs() -> None:
    tuned = stats.variance_components([[[0.1, 0.1], [0.3, 0.3]], [[0.3, 0.3], [0.1, 0.1]]])
    assert tuned.variance_with(2, 2, 2) == pytest.approx(0.02 / 4)
    assert tuned.variance_with(2, 2, 4) == pytest.approx(0.02 / 8)
    assert tuned.advice(splits=2, seeds=2, tunings=2).startswith("3 more splits")


def test_crossed_seeds_are_the_same_in_every_split() -> None:
    table = np.array([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])
    parts = stats.variance_components(table, layout="crossed")
    assert parts.variance_with(3, 2) == pytest.approx(parts.variance_of_mean)
    assert parts.advice(splits=3, seeds=2).startswith("10 more seeds")


def test_components_from_means_are_those_of_the_balanced_table() -> None:
    table = np.random.default_rng(4).normal(0.1, 0.05, (6, 4))
    whole = stats.variance_components(table.tolist(), variance_of_rows=0.01)
    within = float(table.var(axis=1, ddof=1).mean())
    parts = stats.variance_components_from_means(
        table.mean(axis=1), within, seeds=4, variance_of_rows=0.01
    )
    assert parts.raw == pytest.approx(whole.raw)
    assert parts.variance_of_mean == pytest.approx(whole.variance_of_mean)
    assert parts.advice(splits=6, seeds=4) == whole.advice(splits=6, seeds=4)


def test_one_seed_leaves_the_noise_of_seeds_in_that_of_splits() -> None:
    parts = stats.variance_components_from_means([0.1, 0.3], variance_of_rows=0.01)
    assert (parts.sources, parts.variances) == (("splits",), pytest.approx((0.02,)))
    assert parts.advice(splits=2, seeds=1) == "More splits will help."
    assert parts.advice(splits=21, seeds=1) == "More fits will not help, more rows will."
    with pytest.raises(ValueError, match="means: found 1 split"):
        stats.variance_components_from_means([0.1])


def test_equivalence_is_shown_where_the_interval_lies_inside_the_margin() -> None:
    fold, a, b = rows(1)
    ci = stats.tost_cv5x2(fold, a, b, margin=0.5).ci
    assert ci.confidence == pytest.approx(0.9)
    edge = max(-ci.low, ci.high)
    for margin, verdict in ((edge + 1e-9, "equivalent"), (edge - 1e-9, "not shown")):
        assert stats.tost_cv5x2(fold, a, b, margin=margin).verdict == verdict


def test_as_many_rows_for_each_model_are_no_agreement() -> None:
    alike = stats.cv5x2_mcnemar_from_counts([[3, 2]] * 5, [[3, 2]] * 5, [[30, 30]] * 5)
    none = stats.cv5x2_mcnemar_from_counts([[0, 0]] * 5, [[0, 0]] * 5, [[30, 30]] * 5)
    assert none.status is Status.NO_DISCORDANT_PAIRS
    assert alike.status is not Status.NO_DISCORDANT_PAIRS


@pytest.mark.parametrize("variant", ["halves", "full"])
def test_scores_that_few_rows_carry_are_told(variant):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 21, 5))
    heavy = np.where(np.arange(105).reshape(21, 5) % 21 == 0, 9, a)
    for scores, holds in ((a, None), (heavy, False), (np.ones((21, 5)), None)):
        pair = stats.half_sample_t(scores, b, full_repeats=1, variant=variant)
        alone = stats.half_sample_one_t(scores, mu0=0.5, full_repeats=1, variant=variant)
        for found in (pair, alone):
            (tails,) = (one for one in found.assumptions if one.name == "no heavy tails")
            assert tails.holds is holds

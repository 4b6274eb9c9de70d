"""The half-sample t test, the rows of 5×2cv, and what goes with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff import stats
from bakeoff.stats import Status


def rows(seed, n=60):
    rng = np.random.default_rng(seed)
    fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
    return fold, rng.random((5, n)) < 0.8, rng.random((5, n)) < rng.choice([0.55, 0.7, 0.8])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_rows_and_counts_give_one_result(seed):
    fold, a, b = rows(seed)
    only_a = [[int((a & ~b)[r, fold[r] == f].sum()) for f in (1, 2)] for r in range(5)]
    only_b = [[int((b & ~a)[r, fold[r] == f].sum()) for f in (1, 2)] for r in range(5)]
    found = stats.cv5x2_mcnemar(fold, a, b)
    counted = stats.cv5x2_mcnemar_from_counts(only_a, only_b, np.full((5, 2), 30))
    assert found.to_dict() == counted.to_dict()
    if not found.details["guard_active"]:
        b_e, c_e = found.details["effective_only_a"], found.details["effective_only_b"]
        assert found.statistic**2 == pytest.approx((b_e - c_e) ** 2 / (b_e + c_e))


def test_guard_takes_over_where_whole_fits_fail():
    fold, a, _ = rows(1)
    b = a.copy()
    b[0, fold[0] == 1] = False  # one fit that is always wrong
    result = stats.cv5x2_mcnemar(fold, a, b)
    assert result.details["guard_active"]
    assert result.details["se"] ** 2 == result.details["variance_folds"]
    assert result.pvalue > stats.mcnemar(a.ravel(), b.ravel()).pvalue


def test_one_halving_is_the_fewest():
    a, b = np.random.default_rng(1).normal(0.8, 0.05, (2, 3, 4))
    found = stats.half_sample_t(a, b, full_repeats=1)
    assert (found.n, found.df) == (1, 1)


def test_as_many_rows_for_each_model_are_no_agreement():
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
        found = stats.half_sample_t(scores, b, full_repeats=1, variant=variant)
        (tails,) = (one for one in found.assumptions if one.name == "no heavy tails")
        assert tails.holds is holds


def moved(fold, pull):
    """Let the training rows decide of every fit whether it has the first third of rows right."""
    right_rows = np.zeros(fold.shape, dtype=bool)
    third = len(pull) // 3
    for r, half in enumerate(fold):
        for f in (1, 2):
            trained = pull[half != f].mean() > 0
            right_rows[r, :third] |= (half[:third] == f) & trained
    return right_rows


def test_one_threshold_that_turns_many_rows_at_once_is_one_piece_of_evidence():
    rng = np.random.default_rng(0)
    fold = np.array([rng.permutation(np.arange(120) % 2) + 1 for _ in range(5)])
    a = moved(fold, np.arange(120) % 7 - 2.7)  # some more rows pull up than down
    b = np.zeros_like(a)
    b[:, 34:46] = True
    counted, found = stats.cv5x2_mcnemar(fold, a, b), stats.cv5x2_z(fold, a, b)
    assert found.estimate == counted.estimate
    assert counted.pvalue < 0.05 < found.pvalue
    assert found.details["variance_training"] > found.details["variance_test"]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_interval_excludes_0_where_p_is_small(seed):
    fold, a, b = rows(seed)
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
    found, n = [], 200
    for _ in range(300):
        pull = rng.choice([-2.0, 2.0], n)
        fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
        ahead = np.empty((5, n))
        for r, half in enumerate(fold):
            for f in (1, 2):
                ahead[r, half == f] = pull[half != f].mean()
        a = rng.random((5, n)) < 0.5 + ahead
        b = np.broadcast_to(np.arange(n) % 2 == 0, (5, n))
        found.append(stats.cv5x2_z(fold, a, b).details["variance_training"])
    assert np.mean(found) == pytest.approx(2**2 / n, rel=0.15)


def test_one_division_five_times_over_leaves_the_variance_unknown():
    fold, a, b = rows(4)
    alike = np.broadcast_to(fold[0], fold.shape)
    result = stats.cv5x2_z(alike, a, b)
    assert (result.status, result.ci) == (Status.TOO_FEW, None)
    assert np.isnan(result.pvalue)

"""Preferences, battles, marks of judges corrected by people's, agreement, looks."""

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats import ArgumentError, Status

NAN = float("nan")


# --- preferences of two models


def test_votes_of_a_prompt_count_once_however_many():
    many = stats.preference_difference([1] * 40 + [-1] * 30 + [1] * 5, [0] * 40 + [*range(1, 36)])
    once = stats.preference_difference([1] + [-1] * 30 + [1] * 5, [*range(36)])
    assert many.estimate == once.estimate == pytest.approx(-24 / 36)
    assert many.pvalue == once.pvalue


def test_both_orders_of_each_prompt_give_the_mean_of_its_votes():
    rng = np.random.default_rng(1)
    prompt = np.repeat(np.arange(30), 2)
    outcome = rng.choice([-1, 0, 1], 60)
    scores = stats.prompt_scores(outcome, prompt, first=np.tile([True, False], 30))
    assert scores.values == pytest.approx(outcome.reshape(30, 2).mean(axis=1))
    assert scores.balanced


def test_preference_for_the_first_place_alone_is_none_for_a_model():
    first = np.array([True] * 70 + [False] * 30)
    outcome = np.where(first, 1, -1)  # the first answer wins always
    found = stats.preference_difference(outcome, np.arange(100), first=first)
    assert found.estimate == pytest.approx(0, abs=1e-12)
    assert found.details["position_effect"] == pytest.approx(1)
    assert found.pvalue > 0.9


def test_exchanged_models_exchange_the_answer():
    rng = np.random.default_rng(3)
    prompt, outcome = rng.integers(0, 40, 120), rng.choice([-1, 0, 1], 120, p=[0.3, 0.2, 0.5])
    first = rng.random(120) < 0.6
    one = stats.preference_difference(outcome, prompt, first=first)
    other = stats.preference_difference(-outcome, prompt, first=~first)
    assert other.estimate == pytest.approx(-one.estimate)
    assert other.pvalue == pytest.approx(one.pvalue)
    assert other.details["share_low"] == pytest.approx(1 - one.details["share_high"])


@pytest.mark.parametrize("name", ["A", "B"])
def test_all_prompts_in_one_order_are_refused(name):
    with pytest.raises(ArgumentError, match=f"{name} was shown first on all 30 prompts"):
        stats.preference_difference([1] * 30, range(30), first=[name == "A"] * 30)


def test_fewer_than_ten_prompts_in_an_order_are_undecided():
    first = [False] * 9 + [True] * 191
    found = stats.preference_difference([1, 0] * 100, range(200), first=first)
    assert (found.status, found.ci) == (Status.TOO_FEW, None)
    assert np.isnan(found.pvalue)
    first[9] = False
    assert stats.preference_difference([1, 0] * 100, range(200), first=first).pvalue < 0.001


def test_few_prompts_are_tested_by_their_signs_where_each_has_both_orders():
    outcome, prompt = [1, 1] * 6 + [0, 0], np.repeat(np.arange(7), 2)
    found = stats.preference_difference(outcome, prompt, first=[True, False] * 7)
    assert found.pvalue == pytest.approx(2 / 2**6)
    lacking = stats.preference_difference(outcome[:-1], prompt[:-1], first=[True, False] * 6 + [1])
    assert lacking.status is Status.TOO_FEW


def test_a_model_that_wins_everywhere_has_an_interval():
    found = stats.preference_difference([1] * 30, range(30))
    assert found.estimate == 1
    assert 0.6 < found.details["share_low"] < 0.95


def test_ties_alone_are_no_preference():
    found = stats.preference_difference([0] * 30, range(30))
    assert (found.status, found.pvalue) == (Status.IDENTICAL_SCORES, 1)


def test_prompts_in_groups_are_tested_by_groups():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(12), 10)
    outcome = np.sign(rng.normal(size=12)[groups] + rng.normal(size=120) / 2)
    grouped = stats.preference_difference(outcome, range(120), groups=groups)
    alone = stats.preference_difference(outcome, range(120))
    assert grouped.pvalue > alone.pvalue
    with pytest.raises(ArgumentError, match="several groups"):
        stats.preference_difference([1, 1], [0, 0], groups=[1, 2])


def test_votes_beyond_one_are_refused():
    with pytest.raises(ArgumentError, match=r"outcome: found 2\.0"):
        stats.prompt_scores([2, 0], [0, 1])


# --- battles of many models


def battles(n, k, seed=0, strength=None):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    strength = np.linspace(-1, 1, k) if strength is None else strength
    wins = rng.random(n) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return a, b, np.where(wins, 1, -1), rng.integers(0, n // 4, n)


def test_errors_by_leaving_out_are_those_of_refits():
    a, b, outcome, prompt = battles(200, 4)
    found = stats.battle_strengths(a, b, outcome, prompt)
    refits = []
    for left in np.unique(prompt):
        kept = prompt != left
        refits.append(stats.battle_strengths(a[kept], b[kept], outcome[kept], prompt[kept]))
    moved = np.array([refit.strength for refit in refits]) - found.strength
    n = len(moved)
    assert found.se == pytest.approx(np.sqrt((n - 1) / n * np.square(moved).sum(axis=0)), rel=0.03)
    sandwich = stats.battle_strengths(a, b, outcome, prompt, errors="sandwich")
    assert (found.se > sandwich.se).all()


def test_tables_of_scores_leave_out_data_sets():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(30, 4)) + np.arange(4) / 3
    wide = stats.bradley_terry(scores)
    a, b = np.triu_indices(4, 1)
    outcome = np.sign(scores[:, a] - scores[:, b]).ravel()
    data_set = np.repeat(np.arange(30), 6)
    long = stats.battle_strengths(np.tile(a, 30), np.tile(b, 30), outcome, data_set)
    assert wide.strength == pytest.approx(long.strength)
    assert wide.se == pytest.approx(long.se)
    # where every data set tells as much, leaving one out gives the sandwich
    assert wide.se == pytest.approx(stats.bradley_terry(scores, errors="sandwich").se)
    scores[rng.random(scores.shape) < 0.4] = np.nan
    sandwich = stats.bradley_terry(scores, errors="sandwich")
    assert (stats.bradley_terry(scores).se > sandwich.se).all()


def test_first_place_is_a_parameter():
    a, b, outcome, prompt = battles(4000, 3, strength=np.zeros(3))
    first = np.random.default_rng(1).random(4000) < 0.5
    favoured = np.where(
        np.random.default_rng(2).random(4000) < 0.3, np.where(first, 1, -1), outcome
    )
    found = stats.battle_strengths(a, b, favoured, prompt, first=first)
    assert found.position / found.position_se > 10
    turned = stats.battle_strengths(b, a, -favoured, prompt, first=~first)
    assert turned.strength == pytest.approx(found.strength)
    assert turned.position == pytest.approx(found.position)


def test_model_that_wins_all_gets_a_quarter_of_a_win_each_way():
    found = stats.battle_strengths([0, 0, 1, 2] * 5, [1, 2, 2, 1] * 5, [1, 1, 1, 1] * 5, range(20))
    assert found.prior == 0.25
    assert np.isfinite(found.strength).all()


def test_first_place_that_always_wins_gets_a_prior():
    a, b, _, prompt = battles(80, 3)
    first = np.arange(80) % 2 == 0
    found = stats.battle_strengths(a, b, np.where(first, 1, -1), prompt, first=first)
    assert found.prior == 0.25
    assert 2 < found.position < 20


def test_sets_that_never_met_are_named():
    with pytest.raises(ArgumentError, match="u, v and x, y never met"):
        stats.battle_strengths(["u", "x"], ["v", "y"], [1, -1], [0, 1])


def test_prompt_that_joins_two_sets_leaves_errors_unknown():
    a, b = [0, 1] * 20 + [2, 3] * 20 + [0], [1, 0] * 20 + [3, 2] * 20 + [2]
    found = stats.battle_strengths(a, b, [1, 1] * 20 + [1, 1] * 20 + [0], range(81))
    assert found.joining == 1
    assert np.isnan(found.se).all()
    ranges = stats.rank_ranges(found)
    assert ranges.rank_low.tolist() == [1] * 4
    assert ranges.rank_high.tolist() == [4] * 4


def test_ranges_of_ranks_hold_the_ranks():
    a, b, outcome, prompt = battles(6000, 6)
    ranges = stats.rank_ranges(stats.battle_strengths(a, b, outcome, prompt))
    assert (ranges.rank_low <= [6, 5, 4, 3, 2, 1]).all()
    assert (ranges.rank_high >= [6, 5, 4, 3, 2, 1]).all()
    assert ranges.rank_low[0] > 1
    assert (ranges.pvalue >= ranges.pvalue_alone).all()


def test_model_against_itself_is_named():
    with pytest.raises(ArgumentError, match="x fights itself in 1 battles, first in 1"):
        stats.battle_strengths(["x", "x"], ["y", "x"], [1, 0], [0, 1])


# --- judges corrected by people


def test_perfect_judge_still_leaves_an_error():
    judge = np.array([1, 1, 1, 0] * 50)
    human = np.where(np.arange(200) < 40, judge, np.nan)
    found = stats.corrected_mean(judge, human)
    assert found.details["se"] > 0.02
    both = stats.corrected_difference(judge, 1 - judge, human, 1 - human)
    assert both.details["se"] > 0.02


def test_difference_of_exchanged_models_has_the_other_sign():
    rng = np.random.default_rng(1)
    judge_a, judge_b = rng.integers(0, 2, (2, 300))
    human_a, human_b = (np.where(np.arange(300) < 60, marks, NAN) for marks in (judge_b, judge_a))
    one = stats.corrected_difference(judge_a, judge_b, human_a, human_b)
    other = stats.corrected_difference(judge_b, judge_a, human_b, human_a)
    assert one.estimate == pytest.approx(-other.estimate)
    assert one.pvalue == pytest.approx(other.pvalue)


def test_few_labels_are_undecided():
    human = [1.0] * 19 + [NAN] * 81
    found = stats.corrected_mean([1, 0] * 50, human)
    assert (found.status, found.ci) == (Status.TOO_FEW, None)
    assert found.details["labels"] == 19


def test_groups_of_labels_widen_the_interval():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(20), 20)
    shared = rng.integers(0, 2, 20)[groups]
    judge_b = np.zeros(400)
    human = np.where(np.arange(400) % 4 == 0, shared, NAN)
    zero = np.where(np.arange(400) % 4 == 0, 0.0, NAN)
    rows = stats.corrected_difference(shared, judge_b, human, zero)
    grouped = stats.corrected_difference(shared, judge_b, human, zero, groups=groups)
    assert grouped.details["se"] > 1.5 * rows.details["se"]
    assert grouped.df == 19


def test_labels_needed_give_the_half_width():
    n = stats.labels_needed(sd=0.5, correlation=0.6, items=2000, half_width=0.06)
    assert stats.half_width_with(n, sd=0.5, correlation=0.6, items=2000) <= 0.06
    assert stats.half_width_with(n - 1, sd=0.5, correlation=0.6, items=2000) > 0.06
    assert stats.labels_needed(sd=0.5, correlation=0.9, items=100, half_width=0.05) is None


# --- agreement


def test_interval_of_kappa_asks_for_five_items_of_each_mark():
    found = stats.agreement([1] * 96 + [0] * 4, [1] * 95 + [0] * 5)
    assert np.isnan(found.kappa_ci).all()
    enough = stats.agreement([1] * 95 + [0] * 5, [1] * 94 + [0] * 6)
    assert enough.kappa_ci[0] < enough.kappa < enough.kappa_ci[1]


def test_judge_passes_wrong_answers():
    rates = stats.error_rates_of_judge([1, 1, 0, 0, 1], [0, 1, 0, 1, NAN])
    assert (rates.passes_wrong, rates.fails_right) == (0.5, 0.5)


# --- looks


def test_bounds_keep_the_level_together():
    bounds = stats.spending_bounds(np.arange(1, 11) / 10)
    rng = np.random.default_rng(0)
    sums = np.cumsum(rng.standard_normal((40_000, 10)), axis=1) / np.sqrt(np.arange(1, 11))
    assert (np.abs(sums) >= bounds.z).any(axis=1).mean() == pytest.approx(0.05, abs=0.004)


def test_looks_do_not_depend_on_items_to_come():
    values = np.random.default_rng(0).choice([-1, 0, 1], 100, p=[0.1, 0.6, 0.3])
    part = stats.looks(values[:60], 100)
    whole = stats.looks(values, 100)
    assert whole.done[: len(part.done)] == part.done
    assert part.coming == (70, 80, 90, 100)


def test_more_items_than_the_suite_are_refused():
    with pytest.raises(ArgumentError, match="total: found 50, there are 60 items"):
        stats.looks([1, 0] * 30, 50)


def test_evidence_is_the_same_in_any_order():
    values = np.random.default_rng(0).uniform(-1, 1, 50)
    assert stats.e_process(values) == stats.e_process(values[::-1])


def test_evidence_of_many_items_is_that_of_the_beta_mixture():
    from scipy.special import betaln

    found = stats.e_process([1] * 21_000 + [-1] * 20_000)
    log_e = 41_000 * np.log(2) + betaln(21_005, 20_005) - betaln(5, 5)
    assert np.log(found.e_value) == pytest.approx(log_e, abs=1e-6)

"""Scores of models over several data sets, some of whose cells are missing."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats as scipy_stats
from scipy.stats import binomtest

from bakeoff import stats
from bakeoff.stats import (
    Status,
    catalogue,
    conover_friedman,
    friedman,
    friedman_posthoc,
    iman_davenport,
    kruskal_wallis,
    nemenyi,
    quade,
    wilcoxon_signed_rank,
)
from bakeoff.stats.datasets.rank_tests import cd_groups, with_ranks


def tables(max_rows=6, max_columns=4):
    shape = st.tuples(st.integers(2, max_rows), st.integers(2, max_columns))
    return hnp.arrays(np.int64, shape, elements=st.integers(0, 8)).map(lambda x: x / 10)


@settings(deadline=None, max_examples=60)
@given(tables())
def test_ranks_ignore_monotone_transformations_and_the_sense_of_the_metric(table):
    for test in (friedman, iman_davenport):
        base = test(table)
        assert test(np.exp(table)).to_dict() == base.to_dict()
        assert test(-table, greater_is_better=False).to_dict() == base.to_dict()


def test_perfect_agreement_leaves_f_undecided_but_not_friedman():
    table = np.add.outer(np.linspace(0.1, 0.5, 6), [0.0, 0.1, 0.2])
    for test in (iman_davenport, quade):
        result = test(table)
        assert result.status is Status.ZERO_VARIANCE
        assert result.statistic == math.inf
        assert math.isnan(result.pvalue)
        assert result.details["p_perfect_agreement"] == pytest.approx(6.0**-5)
    exact = friedman(table, method="exact")
    assert exact.pvalue == pytest.approx(6.0**-5)
    assert exact.effect_sizes["kendall_w"] == 1.0


def test_quade_sees_equal_ranges_through_binary_floats():
    # every range is 0.15 in decimal
    table = [[0.7, 0.75, 0.85], [0.6277, 0.7777, 0.7], [0.9325, 0.7825, 0.8]]
    assert quade(table).details["dataset_weights"] == [2.0, 2.0, 2.0]


def test_what_cannot_be_listed_falls_back_to_chi_square():
    assert friedman(np.random.default_rng(0).random((4, 9))).variant == "chi_square"


def test_the_chi_square_approximation_wants_five_scores_of_each_model():
    scores = np.random.default_rng(0).random((5, 3))
    assert [kruskal_wallis(scores[:n]).assumptions[1].holds for n in (5, 4)] == [True, False]


@pytest.mark.parametrize("name", ["friedman", "quade", "kruskal_wallis", "nemenyi"])
def test_model_that_diverged_makes_no_others_ties(name):
    scores, entry, found = np.random.default_rng(0).random((10, 4)), catalogue()[name], []
    for low in (-10.0, -1e25):
        scores[0, 3] = low
        result = entry.function(scores).to_dict()
        found.append([one["pvalue"] for one in result.get("pairs", [result])])
    assert found[0] == found[1]


def models_over(n, kind, seed, k=10):
    """Draw equal models: exchangeable, in two families, in pairs of variants, or specialists."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(n, k))
    shared = {"families": np.arange(k) * 2 // k, "variants": np.arange(k) // 2}
    if kind in shared:
        return own + 3 * rng.normal(size=(n, k))[:, shared[kind]]
    special = {"one specialist": 1, "half specialists": k // 2}.get(kind, 0)
    return own * np.where(np.arange(k) < special, 6, 1)


def holds(result):
    (found,) = (a.holds for a in result.assumptions if a.name == "exchangeable models")
    return found


@pytest.mark.parametrize(
    "test", [friedman, iman_davenport, quade, nemenyi, friedman_posthoc, conover_friedman]
)
def test_models_in_families_and_specialists_are_no_exchangeable_ones(test):
    for kind in ("families", "variants", "one specialist", "half specialists"):
        found = [holds(test(models_over(40, kind, seed))) for seed in range(20)]
        assert found.count(False) >= 18, kind
    found = [holds(test(models_over(n, "equal", seed))) for n in (10, 40) for seed in range(20)]
    assert found.count(False) <= 4
    better = [models_over(40, "equal", seed) + np.arange(10) / 4 for seed in range(20)]
    assert all(map(holds, map(test, better)))
    assert holds(test(models_over(4, "families", 0))) is None
    assert "exchangeable" in test(better[0]).null_hypothesis


# scores with two decimals: ties and zeros are common
scores = st.integers(0, 20).map(lambda i: i / 20)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=12)


def brute_force(ranks, w_plus):
    """P(W+ >= w), P(W+ <= w) by listing all 2^n sign patterns."""
    sums = [sum(itertools.compress(ranks, s)) for s in itertools.product((0, 1), repeat=len(ranks))]
    sums = np.array(sums)
    return (sums >= w_plus - 1e-9).mean(), (sums <= w_plus + 1e-9).mean()


@settings(deadline=None, max_examples=50)
@given(pairs, st.sampled_from(["pratt", "wilcox", "zsplit"]))
def test_exact_p_is_that_of_all_sign_patterns(values, zeros):
    a, b = zip(*values, strict=True)
    d = np.round(np.subtract(a, b), 10)
    if zeros == "wilcox":
        d = d[d != 0]
    ranks = scipy_stats.rankdata(np.abs(d))[d != 0]
    positive = ranks[d[d != 0] > 0].sum()
    greater, less = brute_force(ranks, positive)
    expected = {"greater": greater, "less": less, "two-sided": min(1, 2 * min(greater, less))}
    for alternative, p in expected.items():
        found = wilcoxon_signed_rank(a, b, zeros=zeros, alternative=alternative, method="exact")
        assert found.pvalue == pytest.approx(p, rel=1e-12)


def test_too_few_data_sets_for_the_level_give_an_unbounded_interval():
    result = wilcoxon_signed_rank([0.9, 0.8, 0.7], [0.8, 0.6, 0.4])
    assert list(result.ci) == [-math.inf, math.inf]
    assert result.pvalue == 0.25
    assert result.assumptions[0].holds is False


def test_hodges_lehmann_against_all_walsh_averages():
    d = np.array([0.3, -0.1, 0.25, 0.7, -0.4, 0.05])
    walsh = [(d[i] + d[j]) / 2 for i in range(6) for j in range(i, 6)]
    result = wilcoxon_signed_rank(d, np.zeros(6), confidence_level=0.9)
    assert result.estimate == pytest.approx(np.median(walsh))
    # P(T <= 2) = 3/64 <= .05 < P(T <= 3): the interval ends at the third averages
    assert list(result.ci) == pytest.approx([sorted(walsh)[2], sorted(walsh)[-3]])


def test_ties_have_a_median_of_exactly_zero_and_the_tied_values_themselves():
    d = np.repeat([-0.1, 0.1], 60)
    found = wilcoxon_signed_rank(d, np.zeros(120))
    assert (found.estimate, *found.ci) == (0.0, 0.0, 0.0)
    found = wilcoxon_signed_rank(np.append(np.full(120, 0.1), 0.9), np.zeros(121))
    assert (found.estimate, *found.ci) == (0.1, 0.1, 0.1)


def test_decimal_ties_survive_binary_floats():
    a, b = [0.85, 0.88, 0.86, 0.3], [0.84, 0.87, 0.87, 0.1 + 0.2]
    result = wilcoxon_signed_rank(a, b)
    assert result.details["n_zero"] == 1
    assert result.details["w_plus"] == 6.0  # three ties at rank 3, the zero at rank 1


def test_decimals_round_the_scores():
    a, b = [0.851, 0.72, 0.65], [0.849, 0.70, 0.60]
    assert wilcoxon_signed_rank(a, b).details["n_zero"] == 0
    assert wilcoxon_signed_rank(a, b, decimals=2).details["n_zero"] == 1


def test_constant_difference_has_an_ordinary_p():
    a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    result = wilcoxon_signed_rank(a, [x - 0.1 for x in a])
    assert result.status is Status.OK
    assert result.pvalue == pytest.approx(2 / 2**7)
    assert list(result.ci) == pytest.approx([0.1, 0.1])


def test_exact_tails_do_not_underflow_to_garbage():
    d = np.arange(1.0, 301)
    assert wilcoxon_signed_rank(d, 0 * d).pvalue == pytest.approx(2.0**-299)


def test_identical_scores_say_nothing_by_any_reckoning():
    result = wilcoxon_signed_rank([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (result.pvalue, result.details["z"], result.details["p_asymptotic"]) == (1, 0, 1)
    assert (result.details["demsar_z"], result.details["demsar_pvalue"]) == (0, 1)


SIGNED_RANK = functools.partial(stats.all_pairs, "wilcoxon_signed_rank")
TESTS = (stats.nemenyi, stats.friedman_posthoc, stats.conover_friedman, SIGNED_RANK)

rank_tables = tables(8, 5)


@settings(deadline=None, max_examples=40)
@given(rank_tables)
def test_groups_agree_with_the_pvalues(table):
    for result in (test(table) for test in TESTS):
        check_groups(result, table.shape[1], 0.05)
        check_groups(result, table.shape[1], 0.6)


def check_groups(result, k, alpha):
    groups = cd_groups(result, alpha=alpha)
    ranks = result.details["average_ranks"]
    order = sorted(range(k), key=lambda i: ranks[i])
    p = {(x.a, x.b): x.pvalue_adjusted for x in result.pairs}
    alike = lambda i, j: p[min(i, j), max(i, j)] > alpha  # noqa: E731
    for group in groups:
        start = order.index(group[0])
        assert list(group) == order[start : start + len(group)]
        assert all(alike(i, j) for i, j in itertools.combinations(group, 2))
        # maximal: the neighbour on either side differs from a member
        for neighbour in (order[start - 1 : start], order[start + len(group) :][:1]):
            assert all(not all(alike(n, i) for i in group) for n in neighbour)
    for i, j in itertools.pairwise(order):
        assert alike(i, j) == any(i in g and j in g for g in groups)


def test_nemenyi_groups_are_those_of_the_critical_difference():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = rng.normal(0, 1, (15, 7)) + np.arange(7) * 0.25
        result = stats.nemenyi(table)
        assert result.details["cd_pairs_not_shown"] == ()
        for pair in result.pairs:
            within = abs(pair.estimate) < result.details["critical_difference"]
            assert within == (pair.pvalue_adjusted > 0.05)
            assert within == (pair.ci.low <= 0 <= pair.ci.high)


def test_pairs_that_no_bar_can_show_are_listed():
    known = {"statistic": 0, "pvalue": 0}
    p = {(0, 1): 0.01, (0, 2): 0.5, (1, 2): 0.5}
    pairs = tuple(stats.Pair(a=a, b=b, pvalue_adjusted=v, **known) for (a, b), v in p.items())
    details = {"average_ranks": [1.0, 2.0, 3.0], "control": None}
    result = stats.PairwiseResult(correction="none", n=9, pairs=pairs, details=details)
    assert cd_groups(result) == ((1, 2),)
    assert with_ranks(result, [1.0, 2.0, 3.0], 0.95).details["cd_pairs_not_shown"] == ((0, 2),)


NAN = float("nan")


def normal_table(n, k, seed=1, decimals=3):
    return np.random.default_rng(seed).normal(size=(n, k)).round(decimals)


def test_pairs_are_compared_on_common_data_sets_and_few_of_them_decide_nothing():
    scores = normal_table(14, 3)
    scores[:9, 2] = NAN
    found = stats.all_pairs("wilcoxon_signed_rank", scores, missing="omit")
    assert [result.n for result in found.results] == [14, 5, 5]
    assert [pair.status.value for pair in found.pairs] == ["ok", "too_few", "too_few"]
    alone = stats.wilcoxon_signed_rank(scores[:, 0], scores[:, 1])
    assert found.pairs[0].pvalue == alone.pvalue
    expected = stats.bradley_terry(scores).expected_rank
    assert found.details["average_ranks"] == pytest.approx(expected)
    assert (
        stats.wilcoxon_signed_rank([1, NAN], [NAN, 1], missing="omit").status
        is stats.Status.TOO_FEW
    )
    with pytest.raises(ValueError, match="NaN"):
        stats.all_pairs("wilcoxon_signed_rank", scores)


def test_win_rates_follow_from_average_ranks_and_agree_with_the_sign_test():
    scores = normal_table(11, 4)
    found = stats.win_rates(scores)
    ranks = np.array(stats.friedman_posthoc(scores).details["average_ranks"])
    assert found.rate == pytest.approx((4 - ranks) / 3)
    assert found.wins + found.wins.T + found.draws == pytest.approx(found.met)
    for n in range(4, 12):
        won = stats.win_rates(np.column_stack([np.ones(n), np.zeros(n)]))
        significant = binomtest(n, n).pvalue <= 0.05
        assert (won.pair_low[0, 1] > 0.5) == significant
    assert stats.win_rates(scores, groups=np.arange(11)).se == pytest.approx(found.se)
    same = stats.win_rates(np.repeat(scores, 3, axis=0), groups=np.repeat(np.arange(11), 3))
    for one in ("n", "rate", "low", "high", "pair_low", "met"):
        assert getattr(same, one) == pytest.approx(getattr(found, one), nan_ok=True)


def test_strengths_expect_the_average_ranks_of_a_full_table():
    scores = normal_table(40, 5)
    found = stats.bradley_terry(scores)
    assert found.prior == 0
    assert found.expected_rank == pytest.approx(stats.friedman(scores).details["average_ranks"])
    assert found.strength.sum() == pytest.approx(0, abs=1e-12)
    tripled = stats.bradley_terry(np.repeat(scores, 3, axis=0), groups=np.repeat(np.arange(40), 3))
    assert tripled.se == pytest.approx(found.se)


def test_a_model_that_wins_everything_has_a_strength_by_the_prior():
    scores = np.column_stack([np.full(12, 9.0), normal_table(12, 3)])
    found = stats.bradley_terry(scores)
    assert found.prior == 0.25
    assert np.isfinite(found.strength).all()
    two = stats.bradley_terry(np.column_stack([np.ones(8), np.zeros(8)]))
    assert two.win_probability[0, 1] == pytest.approx(8.25 / 8.5)
    assert np.isnan(two.low).all()  # every data set says the same: no error can be estimated


def test_models_that_always_draw_have_an_interval_as_wide_as_the_data_sets_are_few():
    few, many = (stats.win_rates(np.full((n, 3), 0.5)) for n in (6, 60))
    assert few.rate.tolist() == [0.5] * 3
    assert (few.low < many.low).all()
    assert (many.low < 0.5).all()

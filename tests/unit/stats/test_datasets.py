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
from bakeoff.stats.datasets.rank_tests import cd_groups, with_ranks

NAN = math.nan


def tables(max_rows=6, max_columns=4):
    shape = st.tuples(st.integers(2, max_rows), st.integers(2, max_columns))
    return hnp.arrays(np.int64, shape, elements=st.integers(0, 8)).map(lambda x: x / 10)


@settings(deadline=None, max_examples=60)
@given(tables())
def test_ranks_ignore_monotone_transformations_and_the_sense_of_the_metric(table):
    for test in (stats.friedman, stats.iman_davenport):
        base = test(table)
        assert test(-np.exp(table), greater_is_better=False).to_dict() == base.to_dict()


def check_facts(result, facts):
    said = {**result.to_row(), **result.details, "ci": [*(result.ci or ())]}
    for name, value in facts.items():
        close = pytest.approx(value, rel=1e-12, abs=0, nan_ok=True)
        assert said[name] == (value if isinstance(value, str) else close), name


AGREEING = np.add.outer(np.linspace(0.1, 0.5, 6), [0.0, 0.1, 0.2])
PERFECT = 6.0**-5
UNDECIDED = {"status": "zero_variance", "statistic": math.inf, "pvalue": NAN}


@pytest.mark.parametrize(
    ("test", "table", "facts"),
    [
        (stats.iman_davenport, AGREEING, UNDECIDED | {"p_perfect_agreement": PERFECT}),
        (stats.quade, AGREEING, UNDECIDED | {"p_perfect_agreement": PERFECT}),
        (stats.friedman, AGREEING, {"variant": "exact", "pvalue": PERFECT, "effect_kendall_w": 1}),
        # every range is 0.15 in decimal
        (
            stats.quade,
            [[0.7, 0.75, 0.85], [0.6277, 0.7777, 0.7], [0.9325, 0.7825, 0.8]],
            {"dataset_weights": [2, 2, 2]},
        ),
        # too many orders to list them
        (stats.friedman, np.random.default_rng(0).random((4, 9)), {"variant": "chi_square"}),
    ],
)
def test_ranks_of_several_models(test, table, facts):
    check_facts(test(table), facts)


@pytest.mark.parametrize("name", ["friedman", "quade", "kruskal_wallis", "nemenyi"])
def test_model_that_diverged_makes_no_others_ties(name):
    scores = np.random.default_rng(0).random((10, 4))
    pvalues = []
    for low in (-10.0, -1e25):
        scores[0, 3] = low
        result = getattr(stats, name)(scores).to_dict()
        pvalues.append([one["pvalue"] for one in result.get("pairs", [result])])
    assert pvalues[0] == pvalues[1]


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


POSTHOC = (stats.nemenyi, stats.friedman_posthoc, stats.conover_friedman)


def test_models_in_families_and_specialists_are_no_exchangeable_ones():
    test = stats.iman_davenport
    for kind in ("families", "variants", "one specialist", "half specialists"):
        found = [holds(test(models_over(40, kind, seed))) for seed in range(20)]
        assert found.count(False) >= 18, kind
    found = [holds(test(models_over(n, "equal", seed))) for n in (10, 40) for seed in range(20)]
    assert found.count(False) <= 4
    assert found[:20].count(True) == 0, "ten data sets cannot show it"
    assert found[20:].count(None) == 0
    better = [models_over(40, "equal", seed) + np.arange(10) / 4 for seed in range(20)]
    assert all(map(holds, map(test, better)))
    for test in (stats.friedman, stats.quade, *POSTHOC):
        judged = [holds(test(models_over(n, "families", 0))) for n in (4, 40)]
        assert judged == [None, False]
        assert "exchangeable" in test(better[0]).null_hypothesis


def test_few_data_sets_do_not_hold_that_models_are_exchangeable():
    for n in (5, 6, 10):
        tables = [models_over(n, "families", seed, 8) for seed in range(100)]
        results = [stats.iman_davenport(table) for table in tables]
        rejected = [result for result in results if result.pvalue <= 0.05]
        assert len(rejected) >= 5
        assert not any(map(holds, rejected))
    assert holds(stats.iman_davenport(models_over(10, "equal", 0, 4))) is True
    assert holds(stats.iman_davenport(models_over(20, "equal", 0, 4))) is True


# scores with two decimals: ties and zeros are common
scores = st.integers(0, 20).map(lambda i: i / 20)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=12)


@settings(deadline=None, max_examples=50)
@given(pairs, st.sampled_from(["pratt", "wilcox", "zsplit"]))
def test_exact_p_is_that_of_all_sign_patterns(values, zeros):
    a, b = zip(*values, strict=True)
    d = np.round(np.subtract(a, b), 10)
    if zeros == "wilcox":
        d = d[d != 0]
    ranks = scipy_stats.rankdata(np.abs(d))[d != 0]
    positive = ranks[d[d != 0] > 0].sum()
    sums = np.array([*itertools.product((0, 1), repeat=len(ranks))]) @ ranks
    greater = (sums >= positive - 1e-9).mean()
    less = (sums <= positive + 1e-9).mean()
    expected = {"greater": greater, "less": less, "two-sided": min(1, 2 * min(greater, less))}
    for alternative, p in expected.items():
        how = {"zeros": zeros, "alternative": alternative, "method": "exact"}
        assert stats.wilcoxon_signed_rank(a, b, **how).pvalue == pytest.approx(p, rel=1e-12)


WALSH = np.array([0.3, -0.1, 0.25, 0.7, -0.4, 0.05])
AVERAGES = sorted(np.add.outer(WALSH, WALSH)[np.triu_indices(6)] / 2)
TIED = np.append(np.full(120, 0.1), 0.9)
DOWN = np.linspace(0.9, 0.3, 7)
TENTHS = [0.851, 0.72, 0.65]
UNLIKE = [0.849, 0.70, 0.60]


@pytest.mark.parametrize(
    ("a", "b", "options", "facts"),
    [
        # too few data sets for the level
        ([0.9, 0.8, 0.7], [0.8, 0.6, 0.4], {}, {"pvalue": 0.25, "ci": [-math.inf, math.inf]}),
        # P(T <= 2) = 3/64 <= .05 < P(T <= 3): the interval ends at the third averages
        (WALSH, 0 * WALSH, {"confidence_level": 0.9}, {"ci": [AVERAGES[2], AVERAGES[-3]]}),
        (WALSH, 0 * WALSH, {}, {"estimate": np.median(AVERAGES)}),
        # ties
        (np.repeat([-0.1, 0.1], 60), np.zeros(120), {}, {"estimate": 0, "ci": [0, 0]}),
        (TIED, 0 * TIED, {}, {"estimate": 0.1, "ci": [0.1, 0.1]}),
        # decimal ones survive binary floats: three at rank 3, the zero at rank 1
        ([0.85, 0.88, 0.86, 0.3], [0.84, 0.87, 0.87, 0.1 + 0.2], {}, {"n_zero": 1, "w_plus": 6}),
        (TENTHS, UNLIKE, {}, {"n_zero": 0}),
        (TENTHS, UNLIKE, {"decimals": 2}, {"n_zero": 1}),
        # a constant difference, and a tail that does not underflow
        (DOWN, DOWN - 0.1, {}, {"status": "ok", "pvalue": 2 / 2**7, "ci": [0.1, 0.1]}),
        (np.arange(1.0, 301), np.zeros(300), {}, {"pvalue": 2.0**-299}),
        # nothing is said by any reckoning
        (DOWN, DOWN, {}, {"pvalue": 1, "z": 0, "p_asymptotic": 1}),
        (DOWN, DOWN, {}, {"demsar_z": 0, "demsar_pvalue": 1}),
    ],
)
def test_signed_ranks(a, b, options, facts):
    result = stats.wilcoxon_signed_rank(a, b, **options)
    check_facts(result, facts)
    assert result.assumptions[0].holds == (np.count_nonzero(np.subtract(a, b)) > 5)


SIGNED_RANK = functools.partial(stats.all_pairs, "wilcoxon_signed_rank")


@settings(deadline=None, max_examples=40)
@given(tables(8, 5), st.sampled_from([*POSTHOC, SIGNED_RANK]), st.sampled_from([0.05, 0.6]))
def test_groups_agree_with_the_pvalues(table, test, alpha):
    result = test(table)
    groups = cd_groups(result, alpha=alpha)
    ranks = result.details["average_ranks"]
    order = sorted(range(len(ranks)), key=lambda i: ranks[i])
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


def test_pairs_that_no_bar_can_show_are_listed():
    known = {"statistic": 0, "pvalue": 0}
    p = {(0, 1): 0.01, (0, 2): 0.5, (1, 2): 0.5}
    pairs = tuple(stats.Pair(a=a, b=b, pvalue_adjusted=v, **known) for (a, b), v in p.items())
    details = {"average_ranks": [1.0, 2.0, 3.0], "control": None}
    result = stats.PairwiseResult(correction="none", n=9, pairs=pairs, details=details)
    assert cd_groups(result) == ((1, 2),)
    assert with_ranks(result, [1.0, 2.0, 3.0], 0.95).details["cd_pairs_not_shown"] == ((0, 2),)


def normal_table(n, k, seed=1, decimals=3):
    return np.random.default_rng(seed).normal(size=(n, k)).round(decimals)


def test_pairs_are_compared_on_common_data_sets_and_few_of_them_decide_nothing():
    scores = normal_table(14, 3)
    scores[:9, 2] = NAN
    found = SIGNED_RANK(scores, missing="omit")
    assert [result.n for result in found.results] == [14, 5, 5]
    assert [pair.status.value for pair in found.pairs] == ["ok", "too_few", "too_few"]
    expected = stats.bradley_terry(scores).expected_rank
    assert found.details["average_ranks"] == pytest.approx(expected)
    apart = stats.wilcoxon_signed_rank([1, NAN], [NAN, 1], missing="omit")
    assert apart.status is stats.Status.TOO_FEW


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
    same = stats.win_rates(np.repeat(scores, 3, axis=0), groups=np.repeat(np.arange(11), 3))
    for one in ("n", "rate", "low", "high", "pair_low", "met"):
        assert getattr(same, one) == pytest.approx(getattr(found, one), nan_ok=True)


def test_strengths_expect_the_average_ranks_of_a_full_table():
    scores = normal_table(40, 5)
    found = stats.bradley_terry(scores)
    assert found.prior == 0
    assert found.expected_rank == pytest.approx(stats.friedman(scores).details["average_ranks"])
    assert found.strength.sum() == pytest.approx(0, abs=1e-12)


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

import functools
import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bakeoff import stats
from bakeoff.stats.datasets.rank_tests import cd_groups

SIGNED_RANK = functools.partial(stats.all_pairs, "wilcoxon_signed_rank")
TESTS = (stats.nemenyi, stats.friedman_posthoc, stats.conover_friedman, SIGNED_RANK)

tables = hnp.arrays(
    np.int64, st.tuples(st.integers(2, 8), st.integers(2, 5)), elements=st.integers(0, 9)
).map(lambda x: x / 10)


@settings(deadline=None, max_examples=40)
@given(tables)
def test_pairs_are_sane_and_groups_agree_with_the_pvalues(table):
    k = table.shape[1]
    for test in TESTS:
        result = test(table)
        assert [(p.a, p.b) for p in result.pairs] == list(itertools.combinations(range(k), 2))
        for pair in result.pairs:
            if pair.status in (stats.Status.OK, stats.Status.IDENTICAL_SCORES):
                assert 0 <= pair.pvalue <= pair.pvalue_adjusted <= 1
            else:
                assert math.isnan(pair.pvalue)
                assert math.isnan(pair.pvalue_adjusted)
        check_groups(result, k, 0.05)
        check_groups(result, k, 0.6)


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
    from bakeoff.stats import Pair, PairwiseResult

    p = {(0, 1): 0.01, (0, 2): 0.5, (1, 2): 0.5}
    result = PairwiseResult(
        test="example",
        correction="none",
        n=9,
        null_hypothesis="",
        method="demsar2006",
        pairs=tuple(
            Pair(a=a, b=b, statistic=0, pvalue=v, pvalue_adjusted=v) for (a, b), v in p.items()
        ),
        details={"average_ranks": [1.0, 2.0, 3.0], "control": None},
    )
    assert cd_groups(result) == ((1, 2),)
    from bakeoff.stats.datasets.rank_tests import with_ranks

    assert with_ranks(result, [1.0, 2.0, 3.0], 0.95).details["cd_pairs_not_shown"] == ((0, 2),)

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from bakeoff.stats import Status, wilcoxon_signed_rank

# scores with two decimals: ties and zeros are common
scores = st.integers(0, 20).map(lambda i: i / 20)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=12)


def split(values):
    return [a for a, _ in values], [b for _, b in values]


def brute_force(ranks, w_plus):
    """P(W+ >= w), P(W+ <= w) by listing all 2^n sign patterns."""
    sums = [sum(itertools.compress(ranks, s)) for s in itertools.product((0, 1), repeat=len(ranks))]
    sums = np.array(sums)
    return (sums >= w_plus - 1e-9).mean(), (sums <= w_plus + 1e-9).mean()


@settings(deadline=None, max_examples=50)
@given(pairs, st.sampled_from(["pratt", "wilcox", "zsplit"]))
def test_exact_p_is_that_of_all_sign_patterns(values, zeros):
    a, b = split(values)
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


def test_long_tables_bisect_to_the_same_order_statistics(monkeypatch):
    rng = np.random.default_rng(5)
    a, b = rng.random(120), rng.random(120)
    listed = wilcoxon_signed_rank(a, b)
    monkeypatch.setattr("bakeoff.stats.datasets.two._MAX_LISTED", 100)
    # the quantile is exact up to a quarter of that, so compare the estimate, not the limits
    bisected = wilcoxon_signed_rank(a, b)
    assert bisected.estimate == pytest.approx(listed.estimate, rel=1e-9)


def test_long_tables_have_a_median_of_exactly_zero_and_the_tied_values_themselves(monkeypatch):
    monkeypatch.setattr("bakeoff.stats.datasets.two._MAX_LISTED", 100)
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

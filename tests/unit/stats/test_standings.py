"""Tables of scores with missing cells: win rates, strengths, tests on common data sets."""

import numpy as np
import pytest
from scipy.stats import binomtest

from bakeoff import stats

NAN = float("nan")


def table(n, k, seed=1, decimals=3):
    return np.random.default_rng(seed).normal(size=(n, k)).round(decimals)


def test_pairs_are_compared_on_common_data_sets_and_few_of_them_decide_nothing():
    scores = table(14, 3)
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
    with pytest.raises(ValueError, match="missing"):
        stats.all_pairs("wilcoxon_signed_rank", scores)


def test_win_rates_follow_from_average_ranks_and_agree_with_the_sign_test():
    scores = table(11, 4)
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
    scores = table(40, 5)
    found = stats.bradley_terry(scores)
    assert found.prior == 0
    assert found.expected_rank == pytest.approx(stats.friedman(scores).details["average_ranks"])
    assert found.strength.sum() == pytest.approx(0, abs=1e-12)
    tripled = stats.bradley_terry(np.repeat(scores, 3, axis=0), groups=np.repeat(np.arange(40), 3))
    assert tripled.se == pytest.approx(found.se)


def test_a_model_that_wins_everything_has_a_strength_by_the_prior():
    scores = np.column_stack([np.full(12, 9.0), table(12, 3)])
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

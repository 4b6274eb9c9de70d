"""Two one-sided tests: the verdict goes with the interval, and corners show nothing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from bakeoff import stats

cells = st.tuples(*[st.integers(0, 200)] * 4).filter(lambda t: sum(t) > 0)
margins = st.sampled_from([0.01, 0.05, 0.2])


def run(a, b, c, d, **options):
    return stats.tost_paired_from_counts(
        both_correct=a, only_a_correct=b, only_b_correct=c, both_wrong=d, **options
    )


@given(cells, margins, st.sampled_from([0.01, 0.05, 0.1]))
@settings(deadline=None, max_examples=100)
def test_equivalent_exactly_when_the_interval_lies_inside(table, margin, alpha):
    result = run(*table, margin=margin, alpha=alpha)
    assert result.pvalue == max(result.pvalue_lower, result.pvalue_upper)
    assert result.ci.confidence == pytest.approx(1 - 2 * alpha)
    # a clipped limit of 1 or -1 is never inside a margin below 1
    inside = -margin < result.ci.low and result.ci.high < margin
    if abs(result.pvalue - alpha) > 1e-7:
        assert (result.verdict == "equivalent") == inside


def test_rows_and_counts_agree():
    a = np.repeat([True, True, False, False], [80, 7, 5, 8])
    b = np.repeat([True, False, True, False], [80, 7, 5, 8])
    result = stats.tost_paired(a, b, margin=0.1)
    assert result.to_dict() == run(80, 7, 5, 8, margin=0.1).to_dict()
    assert result.to_row()["verdict"] == "equivalent"


def test_agreement_on_every_row_is_evidence_that_grows_with_the_rows():
    few, many = (run(n, 0, 0, 0, margin=0.02) for n in (50, 500))
    assert few.verdict == "not shown"
    assert many.verdict == "equivalent"
    # the score statistic without discordant pairs: sqrt(n margin / (1 - margin))
    assert many.pvalue == pytest.approx(scipy_stats.norm.sf(math.sqrt(500 * 0.02 / 0.98)))


def predictions(metric, n=150):
    """Draw the truth and two models' predictions, as a metric wants them."""
    rng = np.random.default_rng(11)
    y = rng.normal(size=n)
    said = [y + rng.standard_t(4, n) * size for size in (0.8, 0.6)]
    if metric in ("mae", "rmse", "r2", "spearman"):
        return y, said
    y = (y > 0).astype(int)
    shown = {"f1": lambda p: (p > 0).astype(int), "log_loss": lambda p: 1 / (1 + np.exp(-p))}
    return y, [shown[metric](p) for p in said]


@pytest.mark.parametrize("metric", ["mae", "rmse", "r2", "spearman", "f1", "log_loss"])
def test_metric_equivalence_is_decided_by_the_limits_of_the_metric(metric):
    y, said = predictions(metric)
    alpha = 0.1
    limits = stats.metric_limits(y, *said, metric=metric, alpha=alpha)
    beyond = max(-limits.low, limits.high)
    for factor, verdict in ((1 + 1e-6, "equivalent"), (1 - 1e-6, "not shown")):
        found = stats.metric_equivalence(
            y, *said, metric=metric, margin=beyond * factor, alpha=alpha
        )
        assert found.verdict == verdict
        assert found.pvalue == pytest.approx(alpha, rel=1e-3)
        assert [found.ci.low, found.ci.high] == pytest.approx([limits.low, limits.high])
    one_sided = {"metric": metric, "alpha": alpha, "question": "noninferiority"}
    for factor, verdict in ((1 + 1e-6, "not inferior"), (1 - 1e-6, "not shown")):
        margin = -limits.low * factor
        assert stats.metric_equivalence(y, *said, margin=margin, **one_sided).verdict == verdict


def test_metric_equivalence_in_groups_is_no_surer_than_sign_flips_of_the_groups():
    y, said = predictions("f1", 200)
    groups = np.r_[np.zeros(80, int), np.repeat(np.arange(1, 9), 15)]
    found = stats.metric_equivalence(y, *said, metric="f1", margin=0.4, groups=groups)
    alone = stats.metric_difference(y, *said, metric="f1", groups=groups)
    assert found.df == alone.df
    assert found.pvalue >= 0.5**9 / 2
    assert found.pvalue > stats.metric_equivalence(y, *said, metric="f1", margin=0.4).pvalue


def test_equal_predictions_show_no_equivalence_and_a_constant_gap_decides_nothing():
    y = np.arange(30.0)
    same = stats.metric_equivalence(y, y + 1, y + 1, metric="mae", margin=0.5)
    assert (same.pvalue, same.status, same.verdict) == (1.0, "identical_scores", "not shown")
    constant = stats.metric_equivalence(y, y + 1, y + 1.1, metric="mae", margin=0.5)
    assert (constant.status, constant.verdict) == ("zero_variance", "undecided")


def test_equivalence_in_groups_tells_whether_they_are_enough():
    rng, at = np.random.default_rng(6), np.arange(200)
    a, b = ((rng.random(200) < 0.8).astype(int) for _ in range(2))
    for groups, enough in ((at % 60, True), (np.where(at < 150, 8, at % 8), False)):
        result = stats.tost_paired(a, b, margin=0.2, groups=groups)
        held = {check.name: check.holds for check in result.assumptions}
        assert held["enough groups"] is enough

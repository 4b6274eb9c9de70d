"""Limits of a candidate's advantage, and the decisions they give."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bakeoff import stats


def limits(estimate, low, high, n=100):
    return stats.Limits(estimate, low, high, 0.05, n, 0, stats.Status.OK, "")


@pytest.mark.parametrize(
    ("low", "high", "margin", "superior", "decision"),
    [
        (-0.009, 0.01, 0.01, False, "ship"),
        (-0.01, 0.01, 0.01, False, "undecided"),
        (-0.03, -0.011, 0.01, False, "block"),
        (-0.03, -0.01, 0.01, False, "undecided"),
        (0.001, 0.1, 0.0, True, "ship"),
        (0.0, 0.1, 0.0, True, "block"),
        (0.011, 0.1, 0.01, True, "ship"),
        (0.009, 0.1, 0.01, True, "block"),
        (math.nan, math.nan, 0.01, True, "undecided"),
    ],
)
def test_decisions(low, high, margin, superior, decision):
    assert stats.decide_release(limits(0, low, high), margin, superior=superior) == decision


@pytest.mark.parametrize(("b", "c"), [(10, 3), (10, 2), (12, 3), (5, 0)])
def test_exact_limits_exclude_0_with_the_exact_test(b, c):
    counts = [80, b, c, 5]
    a = np.repeat([1, 1, 0, 0], counts)
    base = np.repeat([1, 0, 1, 0], counts)
    p = scipy_stats.binomtest(b, b + c, alternative="greater").pvalue
    assert (stats.accuracy_limits(a, base).low > 0) == (p <= 0.05)


def test_groups_give_the_limits_of_the_clustered_test():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 300)) < 0.8
    groups = np.arange(300) // 10
    got = stats.accuracy_limits(a, b, groups=groups)
    wanted = stats.noninferiority(a, b, margin=0.05, groups=groups)
    assert (got.low, got.high, got.groups) == (wanted.ci.low, wanted.ci.high, 30)
    assert (got.low > -0.05) == (wanted.pvalue < 0.05)
    few = stats.accuracy_limits(a, b, groups=np.arange(300) // 100)
    assert (few.status, stats.decide_release(few, 0.5)) == ("too_few", "undecided")


def test_any_metric_takes_two_one_sided_intervals():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    a, b = (np.where(rng.random(200) < q, y, 1 - y) for q in (0.9, 0.8))
    found = stats.metric_limits(y, a, b, metric="f1", alpha=0.1)
    both = stats.metric_difference(y, a, b, metric="f1", confidence_level=0.8).ci
    assert (found.low, found.high) == pytest.approx((both.low, both.high))


def test_means_take_the_wider_of_two_limits():
    rng = np.random.default_rng(3)
    a = rng.gamma(2, size=80)
    b = rng.gamma(2, size=80)
    found = stats.mean_limits(a, b)
    turned = stats.mean_limits(a, b, greater_is_better=False)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    plain = stats.mean_difference(a, b, confidence_level=0.9).ci
    assert found.low < plain.low
    assert found.high == pytest.approx(plain.high)
    d = a - b
    skew = scipy_stats.skew(d)
    q = scipy_stats.t.ppf(0.95, stats.mean_difference(a, b).df)
    root = np.sqrt(80)
    hall = 3 / skew * (np.cbrt(1 + skew * (q / root - skew / 480)) - 1)
    low = d.mean() - d.std(ddof=1) * max(hall, q / root)
    assert found.low == pytest.approx(low)


def log_losses(positives, n):
    """Draw the probabilities of a base and of an overconfident candidate."""
    rng = np.random.default_rng(5)
    y = (np.arange(n) < positives).astype(int)
    logit = np.log(positives / n) + 1.6 * (1.6 * y + rng.normal(size=n)) - 1.28
    base = 1 / (1 + np.exp(-logit))
    candidate = 1 / (1 + np.exp(-2 * logit))
    return y, candidate, base


def test_log_loss_takes_the_skewness_out():
    y, *predicted = log_losses(40, 400)
    found = stats.metric_limits(y, *predicted, metric="log_loss")
    rows = [np.where(y == 1, -np.log(p), -np.log1p(-p)) for p in predicted]
    means = stats.mean_limits(*rows, greater_is_better=False)
    assert found.method == "t_and_hall"
    assert (means.low, means.high) == pytest.approx((found.low, found.high))


def test_rows_to_decide_by_hand():
    # half a width of 1.645 se: (z.95 + z.8)² (se/gap)² n
    found = limits(0.0, -0.02, 0.02, n=400)
    z = scipy_stats.norm.ppf([0.95, 0.8])
    wanted = 400 * (z.sum() * 0.02 / z[0] / 0.01) ** 2
    assert stats.rows_to_decide(found, 0.01) == pytest.approx(wanted, rel=1e-3)

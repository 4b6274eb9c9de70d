import math

import numpy as np
import pytest
from scipy import optimize

from bakeoff.stats.core.result import Status
from bakeoff.stats.rows.costs import chi_square, cost_sensitive, cost_sensitive_from_counts


def _problem(k, seed, most):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, most + 1, size=(k, k, k)) * (rng.uniform(size=(k, k, k)) < 0.6)
    counts[0, 0, 0] += 1
    cost = rng.integers(1, 6, size=(k, k)).astype(float)
    np.fill_diagonal(cost, 0)
    return counts, cost


def differences(cost):
    k = len(cost)
    return np.array(
        [[[cost[t, i] - cost[t, j] for t in range(k)] for j in range(k)] for i in range(k)]
    )


def smallest(loss, d):
    """Minimize a function of the shares of cells with which the mean of d is 0."""
    return optimize.minimize(
        loss,
        np.full(len(d), 1 / len(d)),
        method="SLSQP",
        bounds=[(0, 1)] * len(d),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ d},
        ],
        options={"maxiter": 2000, "ftol": 1e-14},
    ).fun


@pytest.mark.parametrize("seed", range(5))
def test_all_cells_is_the_constrained_maximum(seed):
    counts, cost = _problem(2, seed, 20)
    n = counts.ravel()
    found = cost_sensitive_from_counts(counts, cost=cost, variant="likelihood_ratio_all_cells")

    def loss(p):
        return -float(n[n > 0] @ np.log(np.maximum(p[n > 0], 1e-300)))

    best = smallest(loss, differences(cost).ravel())
    assert found.statistic == pytest.approx(2 * (best - loss(n / n.sum())), abs=1e-4)


@pytest.mark.parametrize(
    ("d", "counts"),
    [
        ([0.0, 1.0, -1.0, 3.0, -3.0], [50, 9, 2, 1, 4]),
        # the unbounded minimum would have negative probabilities
        ([0.0, 1.0, -1.0, 20.0, -20.0], [0, 60, 0, 1, 0]),
        ([0.0, -1.0, 1.0, -20.0, 20.0], [0, 60, 0, 1, 0]),
    ],
)
def test_chi_square_is_the_constrained_minimum(d, counts):
    m, x = np.array(counts) + 1.0, np.array(d)
    best = smallest(lambda p: float((np.square(m - m.sum() * p) / m).sum()), x)
    assert chi_square(x, np.array(counts, dtype=float)) == pytest.approx(best, rel=1e-6)


def test_labels_and_counts_give_the_same_result():
    rng = np.random.default_rng(0)
    truth, a, b = rng.integers(0, 3, size=(3, 200))
    cost = [[0, 1, 10], [2, 0, 4], [7, 1, 0]]
    counts = np.zeros((3, 3, 3), dtype=int)
    np.add.at(counts, (a, b, truth), 1)
    names = np.array(["low", "middle", "high"])
    by_label = cost_sensitive(
        names[truth], names[a], names[b], cost=cost, classes=["low", "middle", "high"]
    )
    by_count = cost_sensitive_from_counts(counts, cost=cost)
    assert by_label.statistic == by_count.statistic
    assert by_label.ci == by_count.ci
    reordered = cost_sensitive(
        names[truth],
        names[a],
        names[b],
        cost=np.array(cost)[np.ix_([2, 0, 1], [2, 0, 1])],
        classes=["high", "low", "middle"],
    )
    assert reordered.statistic == pytest.approx(by_label.statistic)


def test_different_labels_of_the_same_cost_are_no_difference():
    result = cost_sensitive([2, 2, 2], [0, 0, 2], [1, 1, 2], classes=[0, 1, 2])
    assert result.status is Status.IDENTICAL_SCORES


def test_costs_of_one_sign_are_undefined_but_for_the_other_forms():
    counts = np.zeros((2, 2, 2), dtype=int)
    counts[0, 0, 0], counts[1, 0, 0], counts[1, 1, 1] = 55, 5, 43
    result = cost_sensitive_from_counts(counts)
    assert result.status is Status.UNDEFINED
    assert math.isnan(result.pvalue)
    assert result.ci is None
    assert any(a.holds is False and "no root" in a.detail for a in result.assumptions)
    whole = cost_sensitive_from_counts(counts, variant="likelihood_ratio_all_cells")
    assert whole.statistic == pytest.approx(10 * math.log(2))
    assert cost_sensitive_from_counts(counts, variant="chi_square").status is Status.OK


def test_unseen_costly_errors_are_flagged():
    counts = np.zeros((2, 2, 2), dtype=int)
    counts[0, 0] = [30, 2]
    counts[1, 0, 0], counts[0, 1, 0], counts[1, 1] = 12, 1, [2, 30]
    result = cost_sensitive_from_counts(counts, cost=[[0, 1], [5, 0]])
    flagged = {a.name: a.holds for a in result.assumptions}
    assert flagged["costly errors all observed"] is False
    whole = cost_sensitive_from_counts(
        counts, cost=[[0, 1], [5, 0]], variant="likelihood_ratio_all_cells"
    )
    assert whole.pvalue == pytest.approx(0.0474480, abs=1e-6)
    assert whole.pvalue > result.pvalue

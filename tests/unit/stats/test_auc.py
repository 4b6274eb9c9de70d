"""DeLong's test: definition, identities and corners."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from bakeoff.stats.core.ranks import rows_below
from bakeoff.stats.metrics.rankings import auc
from bakeoff.stats.rows.auc import delong


def by_definition(y, a, b):
    """Placements and covariances from every pair of a positive and a negative row."""
    y = np.asarray(y, dtype=bool)
    kernels = []
    for scores in (np.asarray(a), np.asarray(b)):
        gap = scores[y][:, None] - scores[~y][None, :]
        kernels.append((gap > 0) + 0.5 * (gap == 0))
    rows = np.cov([k.mean(axis=1) for k in kernels])
    columns = np.cov([k.mean(axis=0) for k in kernels])
    covariance = rows / y.sum() + columns / (~y).sum()
    return [k.mean() for k in kernels], covariance


@st.composite
def samples(draw):
    n = draw(st.integers(4, 40))
    y = np.array([1, 1, 0, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 4, max_size=n - 4))])
    score = st.lists(st.integers(0, 9), min_size=n, max_size=n)  # few values: many ties
    return y, np.array(draw(score), dtype=float), np.array(draw(score), dtype=float)


@given(samples())
@settings(deadline=None, max_examples=80)
def test_midranks_equal_the_definition(sample):
    y, a, b = sample
    result = delong(y, a, b)
    areas, covariance = by_definition(y, a, b)
    found = result.details
    assert (found["auc_a"], found["auc_b"]) == pytest.approx(tuple(areas))
    assert found["auc_a"] == pytest.approx(roc_auc_score(y, a))
    assert found["var_a"] == pytest.approx(covariance[0, 0], abs=1e-12)
    assert found["var_b"] == pytest.approx(covariance[1, 1], abs=1e-12)
    assert found["cov_ab"] == pytest.approx(covariance[0, 1], abs=1e-12)
    if result.status == "ok":
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        assert result.statistic == pytest.approx((areas[0] - areas[1]) / math.sqrt(variance))


@pytest.mark.parametrize("values", [3, 10**9])
def test_rows_below_are_those_of_the_other_class(values):
    rng = np.random.default_rng(values)
    scores, positive = rng.integers(0, values, 60) / 7, rng.random(60) < 0.4
    assert (len(np.unique(scores)) == 60) == (values > 3)
    found = rows_below(positive, scores)
    for row, score in enumerate(scores):
        other = scores[positive != positive[row]]
        assert found[row] == (other < score).sum() + (other == score).sum() / 2


@pytest.mark.parametrize("positives", [29, 30])
def test_the_normal_approximation_wants_thirty_of_each_class(positives):
    y = np.arange(positives + 30) < positives
    a, b = y + np.random.default_rng(0).normal(size=(2, len(y)))
    (held,) = (x.holds for x in delong(y, a, b).assumptions if x.name == "large sample")
    assert held is (positives >= 30)


@pytest.mark.parametrize("positives", [2, 3, 20])
def test_influence_values_have_delongs_variance_with_two_rows_of_a_class(positives):
    rng = np.random.default_rng(positives)
    y = np.arange(40) < positives
    a, b = y + rng.normal(size=(2, 40))
    psi = auc(y, a).psi - auc(y, b).psi
    expected = delong(y, a, b).details["se"] ** 2
    assert psi @ psi / (40 * 39) == pytest.approx(expected)

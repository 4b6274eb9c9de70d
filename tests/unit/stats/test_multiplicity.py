import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.stats.core.pairs import (
    adjust_pvalues,
    canonical_method,
    shaffer_static,
    simultaneous_level,
)

FREE = ("none", "bonferroni", "holm", "hochberg", "hommel", "sidak", "holm-sidak", "BH", "BY")

probability = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1e-300, 1e-12, 0.01, 0.05, 0.5, 1.0])
)
families = st.lists(probability, min_size=1, max_size=25)


@pytest.mark.parametrize("method", FREE)
@given(families)
@settings(deadline=None, max_examples=50)
def test_adjusted_are_pvalues_no_smaller_and_in_order(method, p):
    adjusted = adjust_pvalues(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@given(st.permutations(range(5)), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=50)
def test_numbering_of_models_does_not_matter(order, seed):
    pairs = list(itertools.combinations(range(5), 2))
    # few different values: ties are where an order could leak in
    p = np.random.default_rng(seed).integers(1, 8, size=10) / 100
    renumbered = [pairs.index(tuple(sorted((order[i], order[j])))) for i, j in pairs]
    assert shaffer_static(p[renumbered]) == pytest.approx(shaffer_static(p)[renumbered])


def test_shaffer_uses_the_possible_numbers_of_true_hypotheses():
    # k = 4: 6, then 3, 3, 3, 2, 1 hypotheses can still be true (Garcia & Herrera 2008)
    p = np.array([0.001, 0.002, 0.003, 0.004, 0.005, 0.006])
    assert shaffer_static(p) == pytest.approx([0.006, 0.006, 0.009, 0.012, 0.012, 0.012])


@pytest.mark.parametrize("method", FREE)
def test_missing_pvalue_stays_and_counts_as_one(method):
    p = [0.01, math.nan, 0.03, 0.2]
    adjusted = adjust_pvalues(p, method)
    assert np.isnan(adjusted).tolist() == [False, True, False, False]
    as_one = adjust_pvalues([0.01, 1.0, 0.03, 0.2], method)
    assert adjusted[[0, 2, 3]].tolist() == as_one[[0, 2, 3]].tolist()


def test_missing_pvalue_in_all_pairs():
    assert np.isnan(shaffer_static([0.01, math.nan, 0.03])).tolist() == [False, True, False]


def test_tiny_pvalues_are_not_lost():
    assert adjust_pvalues([1e-300, 0.5], "sidak")[0] == pytest.approx(2e-300)


def test_spellings():
    assert canonical_method("holm_sidak") == "holm-sidak"
    assert canonical_method("bh") == "BH"
    assert canonical_method("shaffer_static") == "shaffer"


def test_simultaneous_levels():
    assert simultaneous_level(0.95, 1, "holm") == 0.95
    assert simultaneous_level(0.95, 10, "none") == 0.95
    assert simultaneous_level(0.95, 10, "BH") == pytest.approx(0.995)
    assert simultaneous_level(0.95, 10, "sidak") ** 10 == pytest.approx(0.95)

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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
)


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
    for table, enough in ((scores, True), (scores[:4], False)):
        (told,) = (a for a in kruskal_wallis(table).assumptions if "chi-square" in a.name)
        assert told.holds is enough


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

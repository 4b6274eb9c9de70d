"""Training runs crossed with test rows: recipes compared over seeds and rows."""

import math

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats.design.groups import spread
from bakeoff.stats.runs.recipe import Parts, lead_of_best

RNG = np.random.default_rng(5)
N = 60
ROWS = RNG.normal(size=N)
Y = np.arange(N) % 2


def runs(count, *, shift=0.0, sd=0.3, seed=0):
    """Draw values of runs that share the difficulty of the rows."""
    rng = np.random.default_rng([seed, count])
    return ROWS + shift + sd * rng.normal(size=(count, 1)) + 0.5 * rng.normal(size=(count, N))


def right(values):
    """Turn values into predicted classes."""
    return np.where(values > -0.8, Y, 1 - Y)


A = runs(5, shift=0.3)
B = runs(5, seed=1)


def test_a_pvalue_is_found_for_all_degrees_of_freedom_of_the_runs():
    # 2.129 degrees of freedom: the t quantile of SciPy is NaN in the farthest tail
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    wrong = [rng.permutation(100) < count for count in (25, 26, 26, 28, 27, 33)]
    a, b = np.array_split(y ^ np.array(wrong), 2)
    found = stats.recipe_difference(y, a, b)
    assert found.details["df_seeds"] == pytest.approx(2.129, abs=0.001)
    low = stats.recipe_difference(y, a, b, confidence_level=1 - found.pvalue).ci.low
    assert low == pytest.approx(0, abs=1e-9)
    fits = spread(np.resize([0.3, -0.3, 0.1, -0.1], 100))
    for df_a, df_b in ((1.0, 1.0), (1.0, 4.0), (2.0, 2.0), (4.0, 4.0), (9.0, 29.0)):
        for share in np.linspace(0, 1, 41):
            seeds = ((share * 1e-4, df_a), ((1 - share) * 1e-4, df_b))
            for own in (False, True):
                pvalues = [
                    Parts(estimate, seeds, 0.0, fits, own).pvalue()
                    for estimate in (1e-3, 0.03, 1.0, 1e3, 1e9, 1e30)
                ]
                assert all(0 < p <= 1 for p in pvalues)
                assert pvalues == sorted(pvalues, reverse=True)


def test_never_surer_than_about_these_fits():
    # with runs that are all alike the answer is that about these fits
    same_a = np.tile(A[0], (4, 1))
    same_b = np.tile(B[0], (4, 1))
    alone = stats.mean_difference(A[0], B[0])
    found = stats.recipe_mean_difference(same_a, same_b)
    assert found.pvalue == pytest.approx(alone.pvalue)
    assert list(found.ci) == pytest.approx(list(alone.ci))
    assert found.details["pvalue_fits"] == pytest.approx(alone.pvalue)
    failing = [check.name for check in found.assumptions if check.holds is False]
    assert "seeds change the model" in failing
    wide = stats.recipe_mean_difference(A, B)
    assert wide.details["half_width"] >= wide.details["half_width_fits"]


def test_a_deterministic_model_has_one_run_and_no_other_model_may():
    one = stats.recipe_mean_difference(A, B[:1])
    assert (one.status, math.isnan(one.pvalue)) == (stats.Status.TOO_FEW, True)
    fixed = stats.recipe_mean_difference(A, stats.Runs(B[:1], deterministic=True))
    assert fixed.details["df_seeds"] == 4
    assert fixed.pvalue < 1
    rows_only = stats.recipe_mean_difference(
        stats.Runs(A[:1], deterministic=True), stats.Runs(B[:1], deterministic=True)
    )
    assert rows_only.pvalue == pytest.approx(stats.mean_difference(A[0], B[0]).pvalue)
    with pytest.raises(stats.ArgumentError, match="runs_b: its runs differ"):
        stats.recipe_mean_difference(A, stats.Runs(B, deterministic=True))


def test_a_run_without_a_value_is_named():
    said = right(A)
    said[2] = 0
    found = stats.recipe_difference(Y, said, right(B), metric="precision")
    assert found.status is stats.Status.UNDEFINED
    assert "runs_a[2]" in found.assumptions[0].detail


def test_all_pairs_take_models_with_unlike_numbers_of_runs():
    models = [A, runs(3, seed=7), stats.Runs(runs(1), deterministic=True)]
    found = stats.all_pairs("recipe_mean_difference", models)
    assert [pair.pvalue for pair in found.pairs] == pytest.approx(
        [stats.recipe_mean_difference(models[p.a], models[p.b]).pvalue for p in found.pairs]
    )


def test_the_best_of_runs_that_are_alike_leads_by_the_largest_of_normal_numbers():
    known = [0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)]
    assert [lead_of_best(runs) for runs in (1, 2, 3)] == pytest.approx(known, abs=1e-6)

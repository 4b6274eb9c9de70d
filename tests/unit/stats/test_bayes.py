from __future__ import annotations

import math

import baycomp
import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats import BayesResult, Status


def probabilities(result: BayesResult) -> list[float]:
    return [result.p_a_better, result.p_equivalent, result.p_b_better]


def draw(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.81, 0.03, n).round(4), rng.normal(0.80, 0.03, n).round(4)


def test_correlated_t_mirrors_the_corrected_t_test() -> None:
    a, b = draw(10)
    sizes = {"n_train": 80, "n_test": 20}
    posterior = stats.bayes_correlated_t(a, b, rope=0, **sizes)
    test = stats.corrected_resampled_t(a, b, alternative="greater", **sizes)
    assert posterior.p_b_better == pytest.approx(test.pvalue, rel=1e-12)
    two_sided = stats.corrected_resampled_t(a, b, **sizes)
    assert list(posterior.ci or ()) == pytest.approx(list(two_sided.ci or ()))


def test_correlated_t_keeps_small_probabilities() -> None:
    a = np.linspace(0.90, 0.91, 50)
    b = 2 * a - 0.95
    result = stats.bayes_correlated_t(a, b, rope=0.001)
    assert 0 < result.p_b_better < result.p_equivalent < 1e-12


def test_points_are_limits_and_say_so() -> None:
    same = stats.bayes_correlated_t([0.8, 0.7, 0.9], [0.8, 0.7, 0.9])
    assert (same.status, *probabilities(same)) == (Status.IDENTICAL_SCORES, 0, 1, 0)
    shifted = stats.bayes_correlated_t([0.8, 0.7, 0.9], [0.7, 0.6, 0.8])
    assert (shifted.status, *probabilities(shifted)) == (Status.ZERO_VARIANCE, 1, 0, 0)
    assert shifted.assumptions[0].holds is False
    single = stats.bayes_correlated_t([0.8], [0.7], n_train=80, n_test=20)
    assert single.status is Status.TOO_FEW
    assert all(map(math.isnan, probabilities(single)))


@pytest.mark.parametrize("rope", [0, 0.01, 0.03])
def test_signed_rank_agrees_with_baycomp(rope: float) -> None:
    a, b = draw(12)
    theirs = list(baycomp.SignedRankTest.probs(a, b, rope, nsamples=5000, random_state=1))
    if rope == 0:
        theirs.insert(1, 0)
    found = stats.bayes_signed_rank(a, b, rope=rope, n_samples=50_000)
    assert probabilities(found) == pytest.approx(theirs, abs=0.03)


def test_signed_rank_repeats_itself_and_states_its_error() -> None:
    a, b = draw(12)
    runs = [probabilities(stats.bayes_signed_rank(a, b, seed=s, n_samples=4000)) for s in range(40)]
    again = stats.bayes_signed_rank(a, b, seed=0, n_samples=4000)
    assert probabilities(again) == runs[0]
    stated = list(again.details["monte_carlo_error"].values())
    assert np.std(runs, axis=0) == pytest.approx(stated, rel=0.5)


def test_prior_places_pull_to_their_side() -> None:
    a, b = draw(6)
    by_place = {p: stats.bayes_signed_rank(a, b, prior=2, prior_place=p) for p in "ab"}
    assert by_place["a"].p_a_better > by_place["b"].p_a_better


@pytest.mark.parametrize(("offset", "equivalent"), [(0.9, 1.0), (1.1, 0.0)])
def test_averages_of_two_differences_are_held_to_the_rope(offset: float, equivalent: float) -> None:
    # all Walsh averages lie at one place, just within the rope or just beyond; without a prior
    a, b = np.full(20, 0.5 + 0.01 * offset), np.full(20, 0.5)
    found = stats.bayes_signed_rank(a, b, rope=0.01, prior=1e-12, n_samples=2_000)
    assert found.p_equivalent == equivalent
    assert found.p_a_better == 1 - equivalent

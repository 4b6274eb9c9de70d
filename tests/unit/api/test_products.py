"""Where features meet: combinations of arguments that are right one by one."""

import numpy as np
import pytest

import bakeoff
from bakeoff.stats import Runs

N = 60
TRUTH = np.arange(N) % 2


def flipped(rate, runs=0, seed=0):
    """Return labels of which a share is wrong, or those of several training runs."""
    rng = np.random.default_rng(seed)
    made = [TRUTH ^ (rng.random(N) < rate) for _ in range(max(runs, 1))]
    return made if runs else made[0]


@pytest.mark.parametrize("groups", [2, 15])
@pytest.mark.parametrize("models", [2, 3])
def test_training_runs_in_groups_have_a_verdict_without_a_difference(groups, models):
    given = {f"m{seed}": flipped(0.3, 3, seed) for seed in range(models)}
    found = bakeoff.compare(TRUTH, given, groups=np.arange(N) % groups)
    limited = "No result could have been significant" in found.verdict
    assert limited == (groups == 2)
    assert ("due to the seeds" in found.verdict) == (groups != 2)


def test_numbers_of_training_runs_in_groups_have_a_verdict():
    rng = np.random.default_rng(1)
    given = {name: list(rng.normal(size=(3, N))) for name in "abc"}
    found = bakeoff.compare(None, given, values="higher", groups=np.arange(N) % 3)
    assert "at least 5 groups" in found.verdict


def test_findings_show_the_pairs_of_training_runs_that_the_verdict_goes_by():
    found = bakeoff.compare(TRUTH, {"a": flipped(0.1, 3), "b": flipped(0.4, 3, 1)})
    assert set(found.to_frame()["test"]) == {"recipe_difference"}
    assert found.to_markdown() == found.to_markdown("pairs.recipe_difference")


def test_two_deterministic_models_may_lead_a_model_with_training_runs():
    fixed = {
        name: Runs([flipped(rate)], deterministic=True) for name, rate in [("a", 0), ("b", 0.1)]
    }
    found = bakeoff.compare(TRUTH, {**fixed, "c": flipped(0.4, 3, 1)})
    assert found.verdict.startswith("a ")
    assert "failure rate" not in found.verdict

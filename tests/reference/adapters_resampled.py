"""Reference cases of the tests on resampled scores and of the Bayesian tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bakeoff import stats
from tests.reference.told import SIDES, Adapter, Inputs, Values, on_all_sides, told


def _t_convention(result: Values) -> Values:
    # All differences 0 say nothing against the null: statistic 0, p 1. A variance estimate of 0
    # with a difference leaves the test undecided: p NaN, where others say 0. The statistic is the
    # first difference over 0: infinite, or NaN where just this one is 0.
    identical = not np.any(result["differences"])
    first = np.ravel(result["differences"])[0]
    undecided = np.copysign(np.inf, first) if first else np.nan
    return dict.fromkeys(SIDES, 1.0 if identical else np.nan) | {
        "statistic": 0.0 if identical else undecided,
        "all_ten_t": np.full((5, 2), 0.0 if identical else np.nan).ravel().tolist(),
    }


def cv5x2_t(inputs: Inputs) -> Values:
    d = np.asarray(inputs["differences"], dtype=float)
    found = on_all_sides(stats.cv5x2_t, d, np.zeros_like(d))
    found["all_ten_t"] = found["all_ten_t"].ravel().tolist()
    return found | {"convention": _t_convention(found)}


def cv5x2_f(inputs: Inputs) -> Values:
    d = np.asarray(inputs["differences"], dtype=float)
    result = stats.cv5x2_f(d, np.zeros_like(d))
    # all ten differences 0: F 0, p 1; zero variance with a difference: F infinite, p NaN
    zero = not d.any()
    convention = {"statistic": 0.0 if zero else np.inf, "pvalue": 1.0 if zero else np.nan}
    return told(result) | {"convention": convention}


def paired_t(inputs: Inputs) -> Values:
    side = inputs.get("alternative", "two.sided").replace(".", "-")
    result = stats.kfold_t(inputs["scores_A"], inputs["scores_B"], alternative=side)
    # identical scores: statistic 0, p 1; constant differences: infinite statistic, p NaN; neither
    # has an interval or an effect size in units of a standard deviation
    identical = result.details["mean_difference"] == 0
    sign = np.sign(result.details["mean_difference"])
    convention = {
        "statistic": 0.0 if identical else sign * np.inf,
        "pvalue": 1.0 if identical else np.nan,
    }
    return told(result) | {"convention": convention}


def _corrected(test: Callable[..., stats.Result], *sizes: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        scores = inputs["scores_A"], inputs["scores_B"]
        return on_all_sides(test, *scores, **{size: inputs[size] for size in sizes})

    return adapt


def bayes_correlated_t(inputs: Inputs) -> Values:
    a, b = (np.reshape(inputs[k], (inputs["runs"], -1)) for k in ("scores_A", "scores_B"))
    result = stats.bayes_correlated_t(a, b, rope=inputs["rope"])
    return told(result) | {
        "p_A_better": result.p_a_better,
        "p_rope": result.p_equivalent,
        "p_B_better": result.p_b_better,
        "posterior_mean_B_minus_A": -result.details["posterior_mean"],
    }


ADAPTERS: dict[tuple[str, str], Adapter] = {
    ("cv5x2_t", "dietterich_1998"): cv5x2_t,
    ("cv5x2_f", "alpaydin_1999"): cv5x2_f,
    ("paired_t", "all"): paired_t,
    ("paired_t", "two_sided"): paired_t,
    ("paired_t", "greater"): paired_t,
    ("paired_t", "less"): paired_t,
    ("corrected_resampled_t", "nadeau_bengio"): _corrected(
        stats.corrected_resampled_t, "n_train", "n_test"
    ),
    ("corrected_kfold_t", "rho_1_over_k"): _corrected(stats.corrected_kfold_t),
    ("corrected_repeated_kfold_t", "bouckaert_frank"): _corrected(
        stats.corrected_repeated_kfold_t, "n_train", "n_test"
    ),
    ("bayes_correlated_t", "posterior"): bayes_correlated_t,
}

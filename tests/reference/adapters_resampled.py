"""Reference cases of the tests on resampled scores and of the Bayesian tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bakeoff import stats

Inputs = Mapping[str, Any]
Values = dict[str, Any]


def _sides(test: Callable[..., stats.Result], *scores: Any, **sizes: Any) -> Values:
    """All three p-values, under the names the references use."""
    result = test(*scores, **sizes)
    return {
        "statistic": result.statistic,
        "df": result.df,
        "pvalue": result.pvalue,
        "pvalue_greater": test(*scores, alternative="greater", **sizes).pvalue,
        "pvalue_less": test(*scores, alternative="less", **sizes).pvalue,
        "ci": list(result.ci) if result.ci else None,
    } | dict(result.details)


def _t_convention(result: Values) -> Values:
    # All differences 0 say nothing against the null: statistic 0, p 1. A variance estimate of 0
    # with a difference leaves the test undecided: p NaN, where others say 0. The statistic is the
    # first difference over 0: infinite, or NaN where just this one is 0.
    identical = not np.any(result["differences"])
    first = np.ravel(result["differences"])[0]
    undecided = np.copysign(np.inf, first) if first else np.nan
    return {
        "statistic": 0.0 if identical else undecided,
        "pvalue": 1.0 if identical else np.nan,
        "pvalue_greater": 1.0 if identical else np.nan,
        "pvalue_less": 1.0 if identical else np.nan,
        "all_ten_t": np.full((5, 2), 0.0 if identical else np.nan).ravel().tolist(),
    }


def cv5x2_t(inputs: Inputs) -> Values:
    d = np.asarray(inputs["differences"], dtype=float)
    found = _sides(stats.cv5x2_t, d, np.zeros_like(d))
    found["all_ten_t"] = found["all_ten_t"].ravel().tolist()
    found["variances"] = found["variances"].tolist()
    return found | {"convention": _t_convention(found)}


def cv5x2_f(inputs: Inputs) -> Values:
    d = np.asarray(inputs["differences"], dtype=float)
    result = stats.cv5x2_f(d, np.zeros_like(d))
    found = {
        "statistic": result.statistic,
        "df1": result.df1,
        "df2": result.df2,
        "pvalue": result.pvalue,
        "variances": result.details["variances"].tolist(),
    } | {k: result.details[k] for k in ("numerator", "denominator")}
    # all ten differences 0: F 0, p 1; zero variance with a difference: F infinite, p NaN
    zero = not d.any()
    convention = {"statistic": 0.0 if zero else np.inf, "pvalue": 1.0 if zero else np.nan}
    return found | {"convention": convention}


def paired_t(inputs: Inputs) -> Values:
    side = inputs.get("alternative", "two.sided").replace(".", "-")
    result = stats.kfold_t(inputs["scores_A"], inputs["scores_B"], alternative=side)
    # identical scores: statistic 0, p 1; constant differences: infinite statistic, p NaN; neither
    # has an interval or an effect size in units of a standard deviation
    identical = result.details["mean_difference"] == 0
    sign = np.sign(result.details["mean_difference"])
    return {
        "statistic": result.statistic,
        "df": result.df,
        "pvalue": result.pvalue,
        "ci": list(result.ci) if result.ci else None,
        "cohen_dz": result.effect_sizes["cohen_dz"],
        "mean_difference": result.details["mean_difference"],
        "sd_difference": result.details["sd_difference"],
        "convention": {
            "statistic": 0.0 if identical else sign * np.inf,
            "pvalue": 1.0 if identical else np.nan,
        },
    }


def corrected_resampled_t(inputs: Inputs) -> Values:
    return _sides(
        stats.corrected_resampled_t,
        inputs["scores_A"],
        inputs["scores_B"],
        n_train=inputs["n_train"],
        n_test=inputs["n_test"],
    )


def corrected_kfold_t(inputs: Inputs) -> Values:
    return _sides(stats.corrected_kfold_t, inputs["scores_A"], inputs["scores_B"])


def corrected_repeated_kfold_t(inputs: Inputs) -> Values:
    return _sides(
        stats.corrected_repeated_kfold_t,
        inputs["scores_A"],
        inputs["scores_B"],
        n_train=inputs["n_train"],
        n_test=inputs["n_test"],
    )


def bayes_correlated_t(inputs: Inputs) -> Values:
    a, b = (np.reshape(inputs[k], (inputs["runs"], -1)) for k in ("scores_A", "scores_B"))
    result = stats.bayes_correlated_t(a, b, rope=inputs["rope"])
    return {
        "p_A_better": result.p_a_better,
        "p_rope": result.p_equivalent,
        "p_B_better": result.p_b_better,
        "posterior_mean_B_minus_A": -result.details["posterior_mean"],
        "posterior_scale": result.details["posterior_scale"],
        "df": result.df,
    }


ADAPTERS: dict[tuple[str, str], Callable[[Inputs], Values]] = {
    ("cv5x2_t", "dietterich_1998"): cv5x2_t,
    ("cv5x2_f", "alpaydin_1999"): cv5x2_f,
    ("paired_t", "all"): paired_t,
    ("paired_t", "two_sided"): paired_t,
    ("paired_t", "greater"): paired_t,
    ("paired_t", "less"): paired_t,
    ("corrected_resampled_t", "nadeau_bengio"): corrected_resampled_t,
    ("corrected_kfold_t", "rho_1_over_k"): corrected_kfold_t,
    ("corrected_repeated_kfold_t", "bouckaert_frank"): corrected_repeated_kfold_t,
    ("bayes_correlated_t", "posterior"): bayes_correlated_t,
}

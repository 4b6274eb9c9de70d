"""Reference cases of two models on one test set: McNemar, its intervals, z, DeLong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.mcnemar import (
    mcnemar_from_counts,
    paired_difference_ci,
    paired_odds_ratio_ci,
)
from bakeoff.stats.rows.proportions import proportion_difference_from_counts

Values = dict[str, Any]
Inputs = Mapping[str, Any]


def _counts(inputs: Inputs) -> dict[str, int]:
    return {
        "both_correct": inputs["both_correct"],
        "only_a_correct": inputs["A_correct_B_wrong"],
        "only_b_correct": inputs["A_wrong_B_correct"],
        "both_wrong": inputs["both_wrong"],
    }


def _mcnemar(variant: str, alternative: str) -> Callable[[Inputs], Values]:
    def adapt(inputs: Inputs) -> Values:
        result = mcnemar_from_counts(**_counts(inputs), variant=variant, alternative=alternative)
        return {
            "statistic": result.statistic,
            "df": result.df,
            # the cases without discordant pairs give the empty binomial's value (mid-p,
            # one-sided: 0.5) and note that our p is 1 by convention; the result has both
            "pvalue": result.details.get("empty_binomial_pvalue", result.pvalue),
            "n_discordant": result.n_discordant,
            "estimate": result.estimate,
            # no discordant pairs: statistic 0 and p 1, where others have NaN
            "convention": {} if result.n_discordant else {"statistic": 0.0, "pvalue": 1.0},
        }

    return adapt


def _difference(method: str) -> Callable[[Inputs], Values]:
    def adapt(inputs: Inputs) -> Values:
        result = mcnemar_from_counts(
            **_counts(inputs),
            variant="exact",
            ci_method=method,
            confidence_level=inputs["conf_level"],
        )
        assert result.ci == paired_difference_ci(
            **_counts(inputs), method=method, confidence_level=inputs["conf_level"]
        )
        return {"estimate": result.estimate, "ci": list(result.ci), "pvalue": result.pvalue}

    return adapt


def _odds_ratio(inputs: Inputs) -> Values:
    result = mcnemar_from_counts(**_counts(inputs), confidence_level=inputs["conf_level"])
    assert result.odds_ratio_ci == paired_odds_ratio_ci(
        only_a_correct=inputs["A_correct_B_wrong"],
        only_b_correct=inputs["A_wrong_B_correct"],
        confidence_level=inputs["conf_level"],
    )
    return {"estimate": result.effect_sizes["odds_ratio"], "ci": list(result.odds_ratio_ci)}


def _two_proportions(variant: str) -> Callable[[Inputs], Values]:
    def adapt(inputs: Inputs) -> Values:
        counts = {
            "correct_a": inputs["successes1"],
            "n_a": inputs["n1"],
            "correct_b": inputs["successes2"],
            "n_b": inputs["n2"],
        }
        two, greater, less = (
            proportion_difference_from_counts(**counts, variant=variant, alternative=alternative)
            for alternative in ("two-sided", "greater", "less")
        )
        return {
            "z": two.statistic,
            "statistic": two.details["chi2"],
            "df": two.details["chi2_df"],
            "pvalue": two.pvalue,
            "pvalue_greater": greater.pvalue,
            "pvalue_less": less.pvalue,
            "estimate": two.estimate,
            "ci": list(two.ci or ()),
            # both all right (or all wrong): no difference at all, so p 1 where R has 0/0
            "convention": {
                "z": 0.0,
                "statistic": 0.0,
                "pvalue": 1.0,
                "pvalue_greater": 1.0,
                "pvalue_less": 1.0,
            }
            if two.status == "identical_scores"
            else {
                # 0 variance with a difference: undecided
                "z": two.statistic,
                "statistic": "Infinity",
                "pvalue": "NaN",
                "pvalue_greater": "NaN",
                "pvalue_less": "NaN",
            },
        }

    return adapt


def _delong(inputs: Inputs) -> Values:
    data = (inputs["y"], inputs["scores_A"], inputs["scores_B"])
    two, greater, less = (
        delong(*data, alternative=alternative) for alternative in ("two-sided", "greater", "less")
    )
    convention: Values = {}
    if two.status == "identical_scores":
        # equal rankings: statistic 0 and p 1, as pROC reports, where 0/0 is NaN
        convention = {"statistic": 0.0, "pvalue": 1.0, "pvalue_greater": 1.0, "pvalue_less": 1.0}
    elif two.status == "zero_variance":
        # a difference without variance: the statistic is infinite and nothing is decided
        convention = {"statistic": two.statistic, "pvalue": "NaN"}
    return {
        "auc_A": two.details["auc_a"],
        "auc_B": two.details["auc_b"],
        "difference": two.estimate,
        "statistic": two.statistic,
        "pvalue": two.pvalue,
        "pvalue_greater": greater.pvalue,
        "pvalue_less": less.pvalue,
        "var_A": two.details["var_a"],
        "var_B": two.details["var_b"],
        "cov_AB": two.details["cov_ab"],
        "ci": list(two.details["ci_unclipped"]),
        "auc_A_ci_unclipped": list(two.details["auc_a_ci_unclipped"]),
        "auc_B_ci_unclipped": list(two.details["auc_b_ci_unclipped"]),
        # too few rows of a class (NaN variances) is NaN here as there
        "convention": convention,
    }


ADAPTERS = {
    ("mcnemar", "asymptotic_uncorrected_two_sided"): _mcnemar("asymptotic", "two-sided"),
    ("mcnemar", "asymptotic_one_sided_greater"): _mcnemar("asymptotic", "greater"),
    ("mcnemar", "asymptotic_one_sided_less"): _mcnemar("asymptotic", "less"),
    ("mcnemar", "asymptotic_edwards_two_sided"): _mcnemar("corrected", "two-sided"),
    ("mcnemar", "exact_two_sided"): _mcnemar("exact", "two-sided"),
    ("mcnemar", "exact_greater"): _mcnemar("exact", "greater"),
    ("mcnemar", "exact_less"): _mcnemar("exact", "less"),
    ("mcnemar", "midp_two_sided"): _mcnemar("midp", "two-sided"),
    ("mcnemar", "midp_greater"): _mcnemar("midp", "greater"),
    ("mcnemar", "midp_less"): _mcnemar("midp", "less"),
    ("accuracy_difference_paired", "newcombe_square_and_add_ci"): _difference("newcombe"),
    ("accuracy_difference_paired", "tango_score_ci"): _difference("tango"),
    ("accuracy_difference_paired", "exact_melded_ci"): _difference("exact_melded"),
    ("mcnemar_odds_ratio", "midp_ci"): _odds_ratio,
    ("proportion_difference", "pooled_z"): _two_proportions("pooled"),
    ("proportion_difference", "pooled_z_yates"): _two_proportions("yates"),
    ("proportion_difference", "unpooled_z"): _two_proportions("unpooled"),
    ("delong", "paired"): _delong,
}

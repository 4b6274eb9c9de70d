"""Reference cases of two models on one test set: McNemar, its intervals, z, DeLong."""

from __future__ import annotations

from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.mcnemar import (
    mcnemar_from_counts,
    paired_difference_ci,
    paired_odds_ratio_ci,
)
from bakeoff.stats.rows.proportions import proportion_difference_from_counts
from tests.reference.told import SIDES, Adapter, Inputs, Values, on_all_sides, told


def _counts(inputs: Inputs) -> dict[str, int]:
    return {
        "both_correct": inputs["both_correct"],
        "only_a_correct": inputs["A_correct_B_wrong"],
        "only_b_correct": inputs["A_wrong_B_correct"],
        "both_wrong": inputs["both_wrong"],
    }


def _mcnemar(variant: str, alternative: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = mcnemar_from_counts(**_counts(inputs), variant=variant, alternative=alternative)
        return told(result) | {
            # the cases without discordant pairs give the empty binomial's value (mid-p,
            # one-sided: 0.5) and note that our p is 1 by convention; the result has both
            "pvalue": result.details.get("empty_binomial_pvalue", result.pvalue),
            "n_discordant": result.n_discordant,
            # no discordant pairs: statistic 0 and p 1, where others have NaN
            "convention": {} if result.n_discordant else {"statistic": 0.0, "pvalue": 1.0},
        }

    return adapt


def _difference(method: str) -> Adapter:
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
        return told(result)

    return adapt


def _odds_ratio(inputs: Inputs) -> Values:
    result = mcnemar_from_counts(**_counts(inputs), confidence_level=inputs["conf_level"])
    assert result.odds_ratio_ci == paired_odds_ratio_ci(
        only_a_correct=inputs["A_correct_B_wrong"],
        only_b_correct=inputs["A_wrong_B_correct"],
        confidence_level=inputs["conf_level"],
    )
    return {"estimate": result.effect_sizes["odds_ratio"], "ci": list(result.odds_ratio_ci)}


def _two_proportions(variant: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        counts = {
            "correct_a": inputs["successes1"],
            "n_a": inputs["n1"],
            "correct_b": inputs["successes2"],
            "n_b": inputs["n2"],
        }
        found = on_all_sides(proportion_difference_from_counts, **counts, variant=variant)
        # both all right (or all wrong): no difference at all, so p 1 where R has 0/0
        convention: Values = dict.fromkeys(SIDES, 1.0) | {"z": 0.0, "statistic": 0.0}
        if found["status"] != "identical_scores":  # 0 variance with a difference: undecided
            undecided = {"z": found["statistic"], "statistic": "Infinity"}
            convention = dict.fromkeys(SIDES, "NaN") | undecided
        z = {"z": found["statistic"], "statistic": found["chi2"], "df": found["chi2_df"]}
        return found | z | {"convention": convention}

    return adapt


def _delong(inputs: Inputs) -> Values:
    found = on_all_sides(delong, inputs["y"], inputs["scores_A"], inputs["scores_B"])
    convention: Values = {}
    if found["status"] == "identical_scores":
        # equal rankings: statistic 0 and p 1, as pROC reports, where 0/0 is NaN
        convention = dict.fromkeys(SIDES, 1.0) | {"statistic": 0.0}
    elif found["status"] == "zero_variance":
        # a difference without variance: the statistic is infinite and nothing is decided
        convention = {"statistic": found["statistic"], "pvalue": "NaN"}
    return found | {
        "auc_A": found["auc_a"],
        "auc_B": found["auc_b"],
        "difference": found["estimate"],
        "var_A": found["var_a"],
        "var_B": found["var_b"],
        "cov_AB": found["cov_ab"],
        "ci": found["ci_unclipped"],
        "auc_A_ci_unclipped": found["auc_a_ci_unclipped"],
        "auc_B_ci_unclipped": found["auc_b_ci_unclipped"],
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

"""Reference cases of one model, of two and of several on the rows of one test set."""

from __future__ import annotations

import numpy as np

from bakeoff.stats import all_pairs, binomial_test_from_counts, one_sample_t
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.cochran import cochran_q, looney_f
from bakeoff.stats.rows.costs import cost_sensitive_from_counts
from bakeoff.stats.rows.mcnemar import (
    mcnemar_from_counts,
    paired_difference_ci,
    paired_odds_ratio_ci,
)
from bakeoff.stats.rows.proportions import proportion_ci, proportion_difference_from_counts
from tests.reference.told import SIDES, Adapter, Inputs, Values, on_all_sides, told


def _binomial(variant: str, alternative: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = binomial_test_from_counts(
            n_correct=inputs["n"] - inputs["errors"],
            n=inputs["n"],
            rate="error",
            p0=inputs["p0"],
            variant=variant,
            alternative=alternative,
            ci_method="clopper_pearson",
        )
        return told(result)

    return adapt


def _intervals(inputs: Inputs) -> Values:
    def limits(method: str, clip: bool = True) -> list[float]:
        return list(
            proportion_ci(
                inputs["errors"],
                inputs["n"],
                method=method,
                confidence_level=inputs["conf_level"],
                clip=clip,
            )
        )

    rate = binomial_test_from_counts(
        n_correct=inputs["n"] - inputs["errors"], n=inputs["n"], rate="error"
    )
    return {
        "estimate": rate.estimate,
        "clopper_pearson": limits("clopper_pearson"),
        "wilson": limits("wilson"),
        "wilson_cc": limits("wilson_cc"),
        "wald_unclipped": limits("wald", clip=False),
        "agresti_coull_unclipped": limits("agresti_coull", clip=False),
        "jeffreys": limits("jeffreys"),
    }


def _one_sample_t(alternative: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = one_sample_t(inputs["scores"], mu0=inputs["mu0"], alternative=alternative)
        convention: Values = {}
        if result.status == "identical_scores":
            # every score is mu0: no difference, p 1, no interval from a variance of 0
            convention = {"statistic": 0.0, "pvalue": 1.0, "ci": ["NaN", "NaN"]}
        elif result.status == "zero_variance":
            # equal scores that are not mu0: infinite statistic, nothing decided
            convention = {"statistic": result.statistic, "pvalue": "NaN", "ci": ["NaN", "NaN"]}
        elif result.status == "too_few":
            # a single fold: nothing can be said
            convention = {"statistic": "NaN", "pvalue": "NaN", "ci": ["NaN", "NaN"]}
        return told(result) | {"mean": result.estimate, "convention": convention}

    return adapt


ADAPTERS: dict[tuple[str, str], Adapter] = {
    ("binomial_test", "exact_two_sided"): _binomial("exact", "two-sided"),
    ("binomial_test", "exact_greater"): _binomial("exact", "greater"),
    ("binomial_test", "exact_less"): _binomial("exact", "less"),
    ("binomial_test", "normal_approx_two_sided"): _binomial("normal", "two-sided"),
    ("binomial_test", "normal_approx_greater"): _binomial("normal", "greater"),
    ("binomial_test", "normal_approx_less"): _binomial("normal", "less"),
    ("proportion_ci", "all"): _intervals,
    ("one_sample_t", "two_sided"): _one_sample_t("two-sided"),
    ("one_sample_t", "greater"): _one_sample_t("greater"),
    ("one_sample_t", "less"): _one_sample_t("less"),
}


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


ADAPTERS |= {
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


METHODS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY", "sidak", "holm_sidak")


def p_adjust(inputs: Inputs) -> Values:
    pvalues = [float(p) for p in inputs["pvalues"]]
    return {method: adjust_pvalues(pvalues, method) for method in METHODS}


def _cochran(inputs: Inputs, variant: str) -> Values:
    result = cochran_q(
        inputs["patterns"], row_counts=inputs["counts"], variant=variant, allow_two_models=True
    )
    return told(result) | {
        # the models agree on every row: no evidence of a difference, so Q = 0 and p = 1
        "convention": {"statistic": 0, "pvalue": 1},
    }


def looney(inputs: Inputs) -> Values:
    result = looney_f(inputs["patterns"], row_counts=inputs["counts"])
    return told(result) | {
        # where the reference has 0/0 because no row discriminates: F = 0 and p = 1
        "convention": {"statistic": 0, "pvalue": 1},
    }


def _pairwise(inputs: Inputs, variant: str) -> Values:
    found = {
        method: all_pairs(
            "mcnemar",
            np.repeat(inputs["patterns"], inputs["counts"], axis=0),
            variant=variant,
            correction=method,
        ).pairs
        for method in METHODS
    }
    pairs = found["holm"]
    assert [[pair.a + 1, pair.b + 1] for pair in pairs] == inputs["pairs"]
    return {
        "b": [pair.details["only_a_correct"] for pair in pairs],
        "c": [pair.details["only_b_correct"] for pair in pairs],
        "pvalue": [pair.pvalue for pair in pairs],
        "adjusted": {
            method: [pair.pvalue_adjusted for pair in adjusted]
            for method, adjusted in found.items()
        },
    }


ADAPTERS |= {
    ("p_adjust", "all_methods"): p_adjust,
    ("cochran_q", "asymptotic"): lambda inputs: _cochran(inputs, "asymptotic"),
    ("cochran_q", "exact_permutation"): lambda inputs: _cochran(inputs, "permutation"),
    ("looney_f", "two_way_anova"): looney,
    ("pairwise_mcnemar", "exact"): lambda inputs: _pairwise(inputs, "exact"),
    ("pairwise_mcnemar", "midp"): lambda inputs: _pairwise(inputs, "midp"),
}


def _cost_sensitive(inputs: Inputs, variant: str) -> Values:
    k = inputs["n_classes"]
    counts = np.zeros((k, k, k), dtype=int)
    for i, j, true, count in inputs["counts"]:
        counts[i - 1, j - 1, true - 1] += count
    result = cost_sensitive_from_counts(counts, cost=inputs["cost"], variant=variant)
    return told(result) | {
        "e1": result.details["cost_a"],
        "e2": result.details["cost_b"],
        "misclassification1": result.details["misclassification_a"],
        "misclassification2": result.details["misclassification_b"],
        # no root: status "undefined", NaN as in the reference. The labels cost the same on
        # every row: status "identical_scores", statistic 0 and p 1, also as in the reference.
        "convention": {},
    }


ADAPTERS |= {
    ("cost_sensitive", "likelihood_ratio"): lambda i: _cost_sensitive(i, "likelihood_ratio"),
    ("cost_sensitive", "chi_square"): lambda i: _cost_sensitive(i, "chi_square"),
}

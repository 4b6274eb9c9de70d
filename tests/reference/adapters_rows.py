"""Reference cases of one model, of two and of several on the rows of one test set."""

from functools import partial

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
from tests.reference.told import on_all_sides, told


def _binomial(inputs, variant, alternative):
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


def _intervals(inputs):
    def limits(method, clip=True):
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


def _one_sample_t(inputs, alternative):
    result = one_sample_t(inputs["scores"], mu0=inputs["mu0"], alternative=alternative)
    return told(result)


ADAPTERS = {
    **{
        ("binomial_test", f"{name}_{side}"): partial(
            _binomial, variant=variant, alternative=side.replace("_", "-")
        )
        for name, variant in (("exact", "exact"), ("normal_approx", "normal"))
        for side in ("two_sided", "greater", "less")
    },
    ("proportion_ci", "all"): _intervals,
    **{
        ("one_sample_t", side): partial(_one_sample_t, alternative=side.replace("_", "-"))
        for side in ("two_sided", "greater", "less")
    },
}


def _counts(inputs):
    return {
        "both_correct": inputs["both_correct"],
        "only_a_correct": inputs["A_correct_B_wrong"],
        "only_b_correct": inputs["A_wrong_B_correct"],
        "both_wrong": inputs["both_wrong"],
    }


def _mcnemar(inputs, variant, alternative):
    result = mcnemar_from_counts(**_counts(inputs), variant=variant, alternative=alternative)
    return told(result) | {
        # the cases without discordant pairs give the empty binomial's value (mid-p,
        # one-sided: 0.5) and note that our p is 1 by convention; the result has both
        "pvalue": result.details.get("empty_binomial_pvalue", result.pvalue),
        "n_discordant": result.n_discordant,
    }


def _difference(inputs, method):
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


def _odds_ratio(inputs):
    result = mcnemar_from_counts(**_counts(inputs), confidence_level=inputs["conf_level"])
    assert result.odds_ratio_ci == paired_odds_ratio_ci(
        only_a_correct=inputs["A_correct_B_wrong"],
        only_b_correct=inputs["A_wrong_B_correct"],
        confidence_level=inputs["conf_level"],
    )
    return {"estimate": result.effect_sizes["odds_ratio"], "ci": list(result.odds_ratio_ci)}


def _two_proportions(inputs, variant):
    counts = {
        "correct_a": inputs["successes1"],
        "n_a": inputs["n1"],
        "correct_b": inputs["successes2"],
        "n_b": inputs["n2"],
    }
    found = on_all_sides(proportion_difference_from_counts, **counts, variant=variant)
    return found | {"z": found["statistic"], "statistic": found["chi2"], "df": found["chi2_df"]}


def _delong(inputs):
    found = on_all_sides(delong, inputs["y"], inputs["scores_A"], inputs["scores_B"])
    return found | {"ci": found["ci_unclipped"]}


ADAPTERS |= {
    **{
        ("mcnemar", f"{name}_{side}"): partial(
            _mcnemar, variant=variant, alternative=side.replace("_", "-")
        )
        for name, variant in (
            ("asymptotic_uncorrected", "asymptotic"),
            ("asymptotic_edwards", "corrected"),
            ("asymptotic_one_sided", "asymptotic"),
            ("exact", "exact"),
            ("midp", "midp"),
        )
        for side in ("two_sided", "greater", "less")
    },
    **{
        ("accuracy_difference_paired", f"{name}_ci"): partial(_difference, method=method)
        for name, method in (
            ("newcombe_square_and_add", "newcombe"),
            ("tango_score", "tango"),
            ("exact_melded", "exact_melded"),
        )
    },
    ("mcnemar_odds_ratio", "midp_ci"): _odds_ratio,
    **{
        ("proportion_difference", name): partial(_two_proportions, variant=variant)
        for name, variant in (
            ("pooled_z", "pooled"),
            ("pooled_z_yates", "yates"),
            ("unpooled_z", "unpooled"),
        )
    },
    ("delong", "paired"): _delong,
}


METHODS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY", "sidak", "holm_sidak")


def p_adjust(inputs):
    pvalues = [float(p) for p in inputs["pvalues"]]
    return {method: adjust_pvalues(pvalues, method) for method in METHODS}


def _cochran(inputs, variant):
    result = cochran_q(
        inputs["patterns"], row_counts=inputs["counts"], variant=variant, allow_two_models=True
    )
    return told(result)


def looney(inputs):
    return told(looney_f(inputs["patterns"], row_counts=inputs["counts"]))


def _pairwise(inputs, variant):
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
    ("cochran_q", "asymptotic"): partial(_cochran, variant="asymptotic"),
    ("cochran_q", "exact_permutation"): partial(_cochran, variant="permutation"),
    ("looney_f", "two_way_anova"): looney,
    ("pairwise_mcnemar", "exact"): partial(_pairwise, variant="exact"),
    ("pairwise_mcnemar", "midp"): partial(_pairwise, variant="midp"),
}


def _cost_sensitive(inputs, variant):
    k = inputs["n_classes"]
    counts = np.zeros((k, k, k), dtype=int)
    for i, j, true, count in inputs["counts"]:
        counts[i - 1, j - 1, true - 1] += count
    return told(cost_sensitive_from_counts(counts, cost=inputs["cost"], variant=variant))


ADAPTERS |= {
    ("cost_sensitive", form): partial(_cost_sensitive, variant=form)
    for form in ("likelihood_ratio", "chi_square")
}

"""Reference cases of the rows of one test set: independent, in groups, in the order of time."""

from dataclasses import asdict
from functools import partial
from unittest import mock

import numpy as np

from bakeoff import stats
from bakeoff.stats import all_pairs, binomial_test_from_counts, one_sample_t
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.design.clusters import row_dependence
from bakeoff.stats.rows import ordered
from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.cochran import cochran_q, looney_f
from bakeoff.stats.rows.costs import cost_sensitive_from_counts
from bakeoff.stats.rows.mcnemar import (
    mcnemar_from_counts,
    paired_difference_ci,
    paired_odds_ratio_ci,
)
from bakeoff.stats.rows.proportions import proportion_ci, proportion_difference_from_counts
from tests.reference.told import SIDES, on_all_sides, told


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
    ("looney_f", "two_way_anova"): lambda inputs: told(
        looney_f(inputs["patterns"], row_counts=inputs["counts"])
    ),
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


CELLS = ("both_correct", "A_correct_B_wrong", "A_wrong_B_correct", "both_wrong")


def _rows(inputs):
    """Turn counts per cluster into rows."""
    counts = np.array([inputs[cell] for cell in CELLS])
    cell, cluster = (np.repeat(v.ravel(), counts.ravel()) for v in np.indices(counts.shape))
    return {"correct_a": cell < 2, "correct_b": cell % 2 == 0, "groups": cluster}


def _values(inputs):
    return {
        "values_a": inputs["values_A"],
        "values_b": inputs["values_B"],
        "groups": inputs["clusters"],
        "greater_is_better": inputs["greater_is_better"],
    }


_EXACT = {p.replace("pvalue", "pvalue_exact"): side for p, side in SIDES.items()}


def _found(function, data, **options):
    """Run a test on all sides; the p is the formula's where ours is undecided."""
    sides = {side: function(**data, alternative=side, **options) for side in SIDES.values()}
    two = sides["two-sided"]
    decided = two.status != "too_few"
    values = {
        name: sides[side].pvalue if decided else sides[side].details["formula_pvalue"]
        for name, side in SIDES.items()
    }
    return {**told(two), **values, "result": two, "sides": sides}


def _exact(found):
    sides = found["sides"]
    return {name: sides[side].details["pvalue_exact"] for name, side in _EXACT.items()}


def _dependent_mcnemar(inputs, variant):
    found = _found(stats.mcnemar, _rows(inputs), variant=variant, ci_method="robust_t")
    return found | _exact(found) | {"n_clusters": found["result"].n_clusters}


def _dependent_odds_ratio(inputs):
    result = stats.mcnemar(**_rows(inputs))
    return {
        "estimate": result.effect_sizes["odds_ratio"],
        "se_log": result.details["odds_ratio_se_log"],
        "df": result.n_clusters - 1,
        "ci": result.details["odds_ratio_ci"],
    }


def _newcombe(inputs):
    result, ninety = (
        stats.mcnemar(**_rows(inputs), confidence_level=level, ci_method="newcombe_effective")
        for level in (inputs["conf_level"], 0.9)
    )
    return {
        "estimate": result.estimate,
        "design_effect": result.design_effect,
        "design_effect_raw": result.details["design_effect_raw"],
        "n_effective": result.n_effective,
        "df": result.details["df"],
        "ci": list(result.ci),
        "ci_90": list(ninety.ci),
    }


def _equivalence(inputs):
    result = stats.tost_paired(**_rows(inputs), margin=inputs["margin"])
    lower = stats.noninferiority(**_rows(inputs), margin=inputs["margin"])
    pvalues = {f"pvalue_{s}": result.details[f"formula_pvalue_{s}"] for s in ("lower", "upper")}
    if result.status != "too_few":
        assert lower.pvalue == result.pvalue_lower == pvalues["pvalue_lower"]
        assert result.pvalue == max(pvalues.values())
    worth = {"design_effect": result.design_effect, "pvalue": max(pvalues.values())}
    return told(result) | pvalues | worth


def _dependent_cochran(inputs, variant):
    result = stats.cochran_q(inputs["correct"], groups=inputs["clusters"], variant=variant)
    few = result.status == "too_few" and variant == "sign_flip"
    return told(result) | {
        "pvalue": result.details["formula_pvalue"] if few else result.pvalue,
        "n_clusters": result.n_clusters,
    }


def _all_pairs(inputs):
    result = stats.all_pairs("mcnemar", inputs["correct"], groups=inputs["clusters"])
    assert result.correction == "holm"
    return {
        "pairs": [
            {
                "i": pair.a,
                "j": pair.b,
                "estimate": pair.estimate,
                "pvalue": pair.pvalue,
                "pvalue_holm": pair.pvalue_adjusted,
            }
            for pair in result.pairs
        ]
    }


def _auc(inputs, variant):
    data = (inputs[name] for name in ("y", "scores_A", "scores_B"))
    found = on_all_sides(stats.delong, *data, groups=inputs["clusters"], variant=variant)
    return found | {"ci": found["ci_unclipped"]}


def _dependent_mean(inputs, variant):
    found = _found(stats.mean_difference, _values(inputs), variant=variant)
    found["n_clusters"] = found["result"].n_clusters
    exact = _exact(found) if variant == "sign_flip" else {}
    return found | exact


def _icc(inputs):
    if "values_A" in inputs:
        sign = 1 if inputs["greater_is_better"] else -1
        d = sign * (np.array(inputs["values_A"]) - np.array(inputs["values_B"]))
        found = row_dependence(d, inputs["clusters"])
    else:
        rows = _rows(inputs)
        d = rows["correct_a"].astype(float) - rows["correct_b"]
        if inputs["of"].startswith("correctness of A"):
            d = rows["correct_a"].astype(float)
        found = row_dependence(d, rows["groups"])
    return {
        "estimate": found.icc,
        "variance_between": found.variance_between,
        "variance_within": found.variance_within,
        "n0": found.mean_size,
    }


def _items(inputs):
    values = _values(inputs)
    values["items"] = values.pop("groups")
    found = stats.items_and_runs(**values)
    return asdict(found)


def _design_effect(inputs):
    rows = _rows(inputs)
    found = row_dependence(rows["correct_a"].astype(float) - rows["correct_b"], rows["groups"])
    sizes = np.bincount(rows["groups"])
    return {
        "design_effect": found.design_effect_raw,
        "design_effect_cr1": found.design_effect_cr1,
        "design_effect_icc": found.design_effect_icc,
        "mean_size_weighted": float((sizes**2).sum() / sizes.sum()),
        "n_rows": found.n_rows,
        "n_effective": found.n_rows / np.maximum(1.0, found.design_effect_raw),
        "df": found.df,
    }


def _cosines(inputs):
    """Run the default without its correction for persistence, which the references do not have."""
    with mock.patch.object(ordered._Spectra, "averages", return_value=(np.ones(1), 1.0)):
        return _diebold_mariano(inputs, "ewc_corrected")


def _diebold_mariano(inputs, variant):
    options = {"variant": variant, "time": inputs.get("times"), "horizon": inputs.get("h", 1)}
    if "correct_A" in inputs:
        data = {"correct_a": inputs["correct_A"], "correct_b": inputs["correct_B"]}
        found = _found(stats.diebold_mariano, data, **options)
    else:
        data = {"values_a": inputs["losses_A"], "values_b": inputs["losses_B"]}
        options["greater_is_better"] = False
        found = _found(stats.diebold_mariano_means, data, **options)
    result = found["result"]
    return found | {
        "n_effective": result.details["n_effective_raw"],
        "autocorrelation_1": result.autocorrelation,
    }


ADAPTERS |= {
    **{
        (test, variant): partial(adapter, variant=variant)
        for test, adapter, variants in (
            ("clustered_mcnemar", _dependent_mcnemar, ("sign_flip", "robust_t")),
            ("clustered_cochran_q", _dependent_cochran, ("sign_flip", "robust_f")),
            ("clustered_auc_difference", _auc, ("robust_t", "obuchowski")),
            ("clustered_mean_difference", _dependent_mean, ("robust_t", "sign_flip")),
            ("diebold_mariano", _diebold_mariano, ("hln",)),
        )
        for variant in variants
    },
    ("clustered_mcnemar", "odds_ratio"): _dependent_odds_ratio,
    ("clustered_accuracy_difference", "newcombe_effective"): _newcombe,
    ("clustered_accuracy_difference", "equivalence_score"): _equivalence,
    ("clustered_cochran_q", "all_pairs_sign_flip_holm"): _all_pairs,
    ("intraclass_correlation", "anova"): _icc,
    ("intraclass_correlation", "items_and_runs"): _items,
    ("design_effect", "difference"): _design_effect,
    ("diebold_mariano", "ewc"): _cosines,
}

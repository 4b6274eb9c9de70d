"""Reference cases of the rows of one test set: independent, in groups, in the order of time."""

from unittest import mock

import numpy as np

from bakeoff import stats
from bakeoff.stats.design.clusters import row_dependence
from bakeoff.stats.rows import ordered
from tests.reference.told import row, told

METHODS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY", "sidak", "holm_sidak")
INTERVALS = ("clopper_pearson", "wilson", "wilson_cc", "jeffreys")
UNCLIPPED = ("wald", "agresti_coull")


def variants(**names):
    """Return the options of each form: which variant of ours it is."""
    return {form: {"variant": variant} for form, variant in names.items()}


def _binomial(n, errors, p0, variant, alternative):
    how = {"rate": "error", "p0": p0, "variant": variant, "alternative": alternative}
    return stats.binomial_test_from_counts(
        n_correct=n - errors, n=n, **how, ci_method="clopper_pearson"
    )


def _intervals(n, errors, confidence_level):
    rate = stats.binomial_test_from_counts(n_correct=n - errors, n=n, rate="error")
    how = {"confidence_level": confidence_level}
    found = {m: stats.proportion_ci(errors, n, method=m, **how) for m in INTERVALS}
    for method in UNCLIPPED:
        ci = stats.proportion_ci(errors, n, method=method, clip=False, **how)
        found[f"{method}_unclipped"] = ci
    return {"estimate": rate.estimate} | {name: list(ci) for name, ci in found.items()}


def _difference(both_correct, only_a_correct, only_b_correct, both_wrong, confidence_level, method):
    counts = {"both_correct": both_correct, "both_wrong": both_wrong}
    counts |= {"only_a_correct": only_a_correct, "only_b_correct": only_b_correct}
    how = counts | {"confidence_level": confidence_level}
    result = stats.mcnemar_from_counts(**how, variant="exact", ci_method=method)
    assert result.ci == stats.paired_difference_ci(**how, method=method)
    return result


def _pairwise(correct, row_counts, pairs, variant):
    rows = np.repeat(correct, row_counts, axis=0)
    results = {
        method: stats.all_pairs("mcnemar", rows, variant=variant, correction=method)
        for method in METHODS
    }
    holm = results["holm"].pairs
    assert [[pair.a + 1, pair.b + 1] for pair in holm] == pairs
    return {
        "b": [pair.details["only_a_correct"] for pair in holm],
        "c": [pair.details["only_b_correct"] for pair in holm],
        "pvalue": [pair.pvalue for pair in holm],
        "adjusted": {m: [p.pvalue_adjusted for p in r.pairs] for m, r in results.items()},
    }


def _cost_sensitive(n_classes, row_counts, cost, form):
    counts = np.zeros((n_classes,) * 3, dtype=int)
    for i, j, true, count in row_counts:
        counts[i - 1, j - 1, true - 1] += count
    return stats.cost_sensitive_from_counts(counts, cost=cost, variant=form)


def _all_pairs(correct, groups):
    result = stats.all_pairs("mcnemar", correct, groups=groups)
    assert result.correction == "holm"
    names = {"i": "a", "j": "b", "pvalue_holm": "pvalue_adjusted"}
    names |= {name: name for name in ("estimate", "pvalue")}
    pairs = [{n: getattr(pair, own) for n, own in names.items()} for pair in result.pairs]
    return {"pairs": pairs}


def _newcombe(correct_a, correct_b, groups, confidence_level):
    how = {"groups": groups, "ci_method": "newcombe_effective"}
    result, ninety = (
        stats.mcnemar(correct_a, correct_b, **how, confidence_level=level)
        for level in (confidence_level, 0.9)
    )
    return told(result) | {"df": result.details["df"], "ci_90": list(ninety.ci)}


def _equivalence(correct_a, correct_b, groups, margin):
    rows = {"correct_a": correct_a, "correct_b": correct_b, "groups": groups, "margin": margin}
    result, lower = stats.tost_paired(**rows), stats.noninferiority(**rows)
    pvalues = {f"pvalue_{s}": result.details[f"formula_pvalue_{s}"] for s in ("lower", "upper")}
    if result.status != "too_few":
        assert lower.pvalue == result.pvalue_lower == pvalues["pvalue_lower"]
        assert result.pvalue == max(pvalues.values())
    return told(result) | pvalues | {"pvalue": max(pvalues.values())}


def _icc(groups, correct_a=None, correct_b=None, values_a=None, values_b=None, of=""):
    if values_a is not None:
        values = np.subtract(values_a, values_b)
    else:
        values = (
            correct_a * 1.0 if of.startswith("correctness of A") else correct_a * 1.0 - correct_b
        )
    return told(row_dependence(values, groups))


def _design_effect(correct_a, correct_b, groups):
    found, sizes = row_dependence(correct_a * 1.0 - correct_b, groups), np.bincount(groups)
    return told(found) | {
        "design_effect": found.design_effect_raw,
        "mean_size_weighted": float((sizes**2).sum() / sizes.sum()),
        "n_effective": found.n_rows / np.maximum(1.0, found.design_effect_raw),
    }


def _diebold_mariano(
    form,
    correct_a=None,
    correct_b=None,
    values_a=None,
    values_b=None,
    time=None,
    horizon=1,
    alternative="two-sided",
):
    """Run the default without its correction for persistence, which the references do not have."""
    how = {"variant": form.replace("ewc", "ewc_corrected"), "time": time, "horizon": horizon}
    how["alternative"] = alternative
    with mock.patch.object(ordered, "persistence", lambda residuals, _: np.ones(len(residuals))):
        if correct_a is not None:
            return stats.diebold_mariano(correct_a, correct_b, **how)
        return stats.diebold_mariano_means(values_a, values_b, **how, greater_is_better=False)


def formula(found):
    """Return the p of the formula where a rule of ours leaves a test undecided."""
    undecided = found["status"] == "too_few"
    return found.get("formula_pvalue", found["pvalue"]) if undecided else found["pvalue"]


ADAPTERS = {
    "binomial_test": row(_binomial, variants(exact="exact", normal_approx="normal")),
    "proportion_ci": row(_intervals),
    "one_sample_t": row(stats.one_sample_t),
    "mcnemar": row(
        stats.mcnemar_from_counts,
        variants(
            asymptotic_uncorrected="asymptotic",
            asymptotic_edwards="corrected",
            asymptotic_one_sided="asymptotic",
            exact="exact",
            midp="midp",
        ),
        # without discordant pairs the reference has the value of the empty binomial (one-sided
        # mid-p: 0.5), where our p is 1 by convention; the result has both
        pvalue=lambda found: found.get("empty_binomial_pvalue", found["pvalue"]),
    ),
    "accuracy_difference_paired": row(
        _difference,
        {
            "newcombe_square_and_add_ci": {"method": "newcombe"},
            "tango_score_ci": {"method": "tango"},
            "exact_melded_ci": {"method": "exact_melded"},
        },
    ),
    "mcnemar_odds_ratio": row(stats.mcnemar_from_counts, estimate="odds_ratio", ci="odds_ratio_ci"),
    "proportion_difference": row(
        stats.proportion_difference_from_counts,
        variants(pooled_z="pooled", pooled_z_yates="yates", unpooled_z="unpooled"),
        z="statistic",
        statistic="chi2",
        df="chi2_df",
    ),
    "delong": row(stats.delong, {"paired": {}}, ci="ci_unclipped"),
    "p_adjust": row(
        lambda pvalues: {m: stats.adjust_pvalues(np.float64(pvalues), m) for m in METHODS}
    ),
    "cochran_q": row(
        stats.cochran_q,
        {
            form: {"variant": variant, "allow_two_models": True}
            for form, variant in (
                ("asymptotic", "asymptotic"),
                ("exact_permutation", "permutation"),
            )
        },
    ),
    "looney_f": row(stats.looney_f),
    "pairwise_mcnemar": row(_pairwise, variants(exact="exact", midp="midp")),
    "cost_sensitive": row(
        _cost_sensitive,
        e1="cost_a",
        e2="cost_b",
        misclassification1="misclassification_a",
        misclassification2="misclassification_b",
    ),
    "clustered_mcnemar": row(
        stats.mcnemar,
        {
            variant: {"variant": variant, "ci_method": "robust_t"}
            for variant in ("sign_flip", "robust_t")
        },
        pvalue=formula,
    ),
    ("clustered_mcnemar", "odds_ratio"): row(
        stats.mcnemar,
        estimate="odds_ratio",
        se_log="odds_ratio_se_log",
        df=lambda found: found["n_clusters"] - 1,
        ci="odds_ratio_ci",
    ),
    ("clustered_accuracy_difference", "newcombe_effective"): row(_newcombe),
    ("clustered_accuracy_difference", "equivalence_score"): row(_equivalence),
    "clustered_cochran_q": row(stats.cochran_q, variants(robust_f="robust_f")),
    ("clustered_cochran_q", "sign_flip"): row(
        stats.cochran_q, variants(sign_flip="sign_flip"), pvalue=formula
    ),
    ("clustered_cochran_q", "all_pairs_sign_flip_holm"): row(_all_pairs),
    "clustered_auc_difference": row(
        stats.delong, variants(robust_t="robust_t", obuchowski="obuchowski"), ci="ci_unclipped"
    ),
    "clustered_mean_difference": row(
        stats.mean_difference, variants(robust_t="robust_t", sign_flip="sign_flip"), pvalue=formula
    ),
    ("intraclass_correlation", "anova"): row(_icc, estimate="icc", n0="mean_size"),
    ("intraclass_correlation", "items_and_runs"): row(stats.items_and_runs),
    "design_effect": row(_design_effect),
    "diebold_mariano": row(
        _diebold_mariano,
        pvalue=formula,
        n_effective="n_effective_raw",
        autocorrelation_1="autocorrelation",
    ),
}

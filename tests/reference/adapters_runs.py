"""Reference adapters: training runs crossed with test rows."""

import numpy as np

from bakeoff import stats
from bakeoff.stats.runs.recipe import (
    recipe_ci,
    recipe_difference,
    recipe_mean_ci,
    recipe_mean_difference,
)
from tests.reference.told import told


def _runs(inputs, model):
    fixed = model in inputs.get("deterministic", ())
    return stats.Runs(inputs[f"runs_{model}"], deterministic=fixed)


def _evidence(inputs):
    truth = [inputs["y_true"]] if "y_true" in inputs else []
    return [*truth, _runs(inputs, "a"), _runs(inputs, "b")]


def _options(inputs):
    keys = ("metric", "positive", "groups", "paired", "greater_is_better")
    return {key: inputs[key] for key in keys if key in inputs}


def _ci(result, half):
    return [result.estimate - half, result.estimate + half]


def difference(inputs):
    test = recipe_difference if "y_true" in inputs else recipe_mean_difference
    level = inputs.get("confidence_level", 0.95)
    found = test(*_evidence(inputs), **_options(inputs), confidence_level=level)
    details = found.details
    lower = stats.METRICS[inputs["metric"]] if "metric" in inputs else None
    better = inputs.get("greater_is_better", True) and (not lower or lower.greater_is_better)
    sign = 1 if better else -1
    fits = details["se_fits"], details["df_fits"]
    return told(found) | {
        "mean_a": sign * details["value_a"],
        "mean_b": sign * details["value_b"],
        "df_rows": fits[1],
        "var_rows_fits": fits[0] ** 2,
        "variance": details["se"] ** 2,
        "ci": _ci(found, details["half_width"]),
        "fits": {
            "se": fits[0],
            "df": fits[1],
            "statistic": found.estimate / fits[0] if fits[0] else 0.0,
            "pvalue": details["pvalue_fits"],
            "ci": _ci(found, details["half_width_fits"]),
        },
    }


def margin(inputs):
    options, sign = _options(inputs), 1 if inputs["greater_is_better"] else -1
    pvalues = {}
    for side, shift in (("greater", inputs["margin"]), ("less", -inputs["margin"])):
        runs_a = np.array(inputs["runs_a"]) + sign * shift
        test = recipe_mean_difference(runs_a, inputs["runs_b"], **options, alternative=side)
        pvalues[side] = test.pvalue
    found = recipe_mean_difference(*_evidence(inputs), **options, confidence_level=0.9)
    return told(found) | {
        "pvalue_noninferior": pvalues["greater"],
        "pvalue_not_better": pvalues["less"],
        "pvalue_equivalent": max(pvalues.values()),
        "ci_90": _ci(found, found.details["half_width"]),
    }


def one_recipe(inputs):
    keys = ("metric", "positive", "groups")
    options = {key: inputs[key] for key in keys if key in inputs}
    if "y_true" in inputs:
        found = recipe_ci(inputs["y_true"], inputs["runs"], **options)
    else:
        found = recipe_mean_ci(inputs["runs"], **options)
    details = found.details
    return told(found) | {
        "var_rows_fits": details["se_fits"] ** 2,
        "df_rows": details["df_fits"],
        "ci": _ci(found, details["half_width"]),
    }


def components(inputs):
    details = recipe_mean_ci(inputs["runs"]).details
    return details | {
        "sd_of_a_run": details["sd_run_a"],
        "sd_of_a_run_ci": [details["sd_run_low_a"], details["sd_run_high_a"]],
    }


def pairs(inputs):
    found = stats.all_pairs(
        "recipe_mean_difference", inputs["runs"], correction=inputs["correction"]
    )
    return {
        "pairs": [[pair.a, pair.b] for pair in found.pairs],
        "pvalue": [pair.pvalue for pair in found.pairs],
        "pvalue_adjusted": [pair.pvalue_adjusted for pair in found.pairs],
    }


_PLAIN = ("values", "accuracy", "roc_auc", "f1", "log_loss", "precision", "recall")
ADAPTERS = {
    **{
        ("runs_and_rows", f"{name}{suffix}"): difference
        for name in (*_PLAIN, "balanced_accuracy", "brier", "mcc")
        for suffix in ("", "-groups", "-paired", "-one-fixed")
    },
    ("runs_and_rows", "degenerate"): difference,
    ("runs_and_rows", "margin"): margin,
    **{("one_recipe", name): one_recipe for name in _PLAIN},
    ("runs_components", "values"): components,
    ("runs_and_rows_pairs", "values"): pairs,
}

"""Reference cases of what came with the plan of halves and of the rows of 5×2cv."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from bakeoff import stats
from tests.reference.told import Adapter, Inputs, Values, told


def _cv5x2(inputs: Inputs, variant: str = "plain") -> stats.Result:
    return stats.cv5x2_mcnemar_from_counts(
        inputs["b"],
        inputs["c"],
        inputs["n_test"],
        variant=variant,
        confidence_level=inputs["confidence_level"],
    )


def effective_table(inputs: Inputs, variant: str = "plain") -> Values:
    # χ² of the effective table is z² with the variance of the rows, whether or not the guard is at
    # work; its p-value is that of z
    result = _cv5x2(inputs, variant)
    ratio = result.details["se"] ** 2 / result.details["variance_rows"]
    statistic = result.statistic**2 * ratio
    return {
        "b_e": result.details["effective_only_a"],
        "c_e": result.details["effective_only_b"],
        "statistic": statistic,
        "df": 1,
        "pvalue": chi2.sf(statistic, 1),
    }


def guarded(inputs: Inputs) -> Values:
    result = _cv5x2(inputs)
    return told(result)


def half_sample(inputs: Inputs) -> Values:
    halves = np.asarray(inputs["half_differences"]).reshape(-1, 1)
    full = inputs.get("full_differences")
    # the file has the means of the halves: K folds of the same mean
    rows = halves if full is None else np.vstack([np.tile(halves, len(full[0])), full])
    result = stats.half_sample_t(
        rows,
        np.zeros_like(rows),
        full_repeats=0 if full is None else len(full),
        variant="halves" if full is None else "full",
        alternative=inputs["alternative"],
        confidence_level=inputs["confidence_level"],
    )
    return told(result)


def components(inputs: Inputs, layout: str = "nested") -> Values:
    found = stats.variance_components(inputs["differences"], layout=layout)
    values: Values = {
        "mean": found.mean,
        "raw": found.raw,
        "sigma2": found.variances,
        "variance_of_mean": found.variance_of_mean,
    }
    if "candidates" in inputs:
        values["variance_at_candidates"] = [found.variance_with(*c) for c in inputs["candidates"]]
    return values


def prob_a_better(inputs: Inputs) -> Values:
    result = stats.prob_a_better(
        inputs["scores_A"],
        inputs["scores_B"],
        gamma=inputs["gamma"],
        confidence_level=inputs["confidence_level"],
    )
    return told(result)


def sample_size(inputs: Inputs) -> Values:
    return {"n": stats.prob_a_better_sample_size(**inputs)}


def replicability(inputs: Inputs, combination: str = "bonferroni") -> Values:
    found = stats.replicability_count(
        inputs["pvalues"], alpha=inputs["alpha"], combination=combination
    )
    return {
        "pvalues_at_least_u": found.pvalues.tolist(),
        "count": found.count,
        "holm_rejected": len(found.names),
    }


ADAPTERS: dict[tuple[str, str], Adapter] = {
    ("cv5x2_mcnemar", "effective_table"): effective_table,
    ("cv5x2_mcnemar", "corrected"): lambda inputs: effective_table(inputs, "corrected"),
    ("cv5x2_mcnemar", "guarded"): guarded,
    ("half_sample_t", "full"): half_sample,
    ("half_sample_t", "halves"): half_sample,
    ("variance_components", "nested_balanced"): components,
    ("variance_components", "nested_unbalanced"): components,
    ("variance_components", "nested_three"): components,
    ("variance_components", "crossed"): lambda inputs: components(inputs, "crossed"),
    ("prob_a_better", "paired"): prob_a_better,
    ("prob_a_better", "sample_size"): sample_size,
    ("replicability_count", "bonferroni"): replicability,
    ("replicability_count", "fisher"): lambda inputs: replicability(inputs, "fisher"),
}

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


ADAPTERS: dict[tuple[str, str], Adapter] = {
    ("cv5x2_mcnemar", "effective_table"): effective_table,
    ("cv5x2_mcnemar", "corrected"): lambda inputs: effective_table(inputs, "corrected"),
    ("cv5x2_mcnemar", "guarded"): guarded,
    ("half_sample_t", "full"): half_sample,
    ("half_sample_t", "halves"): half_sample,
}

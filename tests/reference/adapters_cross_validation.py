"""Reference cases of what came with the plan of halves and of the rows of 5×2cv.

Four procedures of the file are deliberately not in bakeoff.stats (docs/cross-validation.md says
why); `procedures_not_built` has them, so that their values stay checked.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff import stats

_spec = importlib.util.spec_from_file_location(
    "procedures_not_built", Path(__file__).with_name("procedures_not_built.py")
)
assert _spec is not None
assert _spec.loader is not None
rivals = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rivals)

Inputs = Mapping[str, Any]
Values = dict[str, Any]


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
    chi2 = result.statistic**2 * ratio
    return {
        "b_e": result.details["effective_only_a"],
        "c_e": result.details["effective_only_b"],
        "statistic": chi2,
        "df": 1,
        "pvalue": rivals.chi2_sf(chi2, 1),
    }


def guarded(inputs: Inputs) -> Values:
    result = _cv5x2(inputs)
    return {
        "estimate": result.estimate,
        "variance_rows": result.details["variance_rows"],
        "variance_folds": result.details["variance_folds"],
        "guard_active": result.details["guard_active"],
        "statistic": result.statistic,
        "pvalue": result.pvalue,
        "ci": list(result.ci or ()),
    }


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
    return {
        "estimate": result.estimate,
        "se": result.details["se"],
        "statistic": result.statistic,
        "df": result.df,
        "pvalue": result.pvalue,
        "ci": list(result.ci or ()),
        "status": result.status.value,
    }


ADAPTERS: dict[tuple[str, str], Callable[[Inputs], Values]] = {
    ("cv5x2_mcnemar", "effective_table"): effective_table,
    ("cv5x2_mcnemar", "corrected"): lambda inputs: effective_table(inputs, "corrected"),
    ("cv5x2_mcnemar", "guarded"): guarded,
    ("half_sample_t", "full"): half_sample,
    ("half_sample_t", "halves"): half_sample,
    ("balanced_5x2_f", "f_7_5"): rivals.balanced_5x2_f,
    ("conservative_z", "nadeau_bengio"): rivals.conservative_z,
    ("wald_cv", "all_pairs"): rivals.wald_cv,
    ("wald_cv", "within_fold"): lambda inputs: rivals.wald_cv(inputs, within=True),
    ("nested_cv", "bias_corrected"): rivals.nested_cv,
    ("nested_cv", "plain"): lambda inputs: rivals.nested_cv(inputs, bias=False),
}

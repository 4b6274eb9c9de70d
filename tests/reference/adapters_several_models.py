"""Reference adapters: p-value adjustments, Cochran's Q, Looney's F, pairwise McNemar."""

from __future__ import annotations

import numpy as np

from bakeoff.stats import all_pairs
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.rows.cochran import cochran_q, looney_f
from tests.reference.told import Inputs, Values, told

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


ADAPTERS = {
    ("p_adjust", "all_methods"): p_adjust,
    ("cochran_q", "asymptotic"): lambda inputs: _cochran(inputs, "asymptotic"),
    ("cochran_q", "exact_permutation"): lambda inputs: _cochran(inputs, "permutation"),
    ("looney_f", "two_way_anova"): looney,
    ("pairwise_mcnemar", "exact"): lambda inputs: _pairwise(inputs, "exact"),
    ("pairwise_mcnemar", "midp"): lambda inputs: _pairwise(inputs, "midp"),
}

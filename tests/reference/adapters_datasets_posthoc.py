"""Reference adapters: pairwise procedures over several data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.stats import (
    conover_friedman,
    friedman_posthoc,
    nemenyi,
)

CORRECTIONS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY")


def _p(result: Any) -> list[float]:
    return [pair.pvalue for pair in result.pairs]


def _adjusted(result: Any) -> list[float]:
    return [pair.pvalue_adjusted for pair in result.pairs]


def _posthoc_all_pairs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    results = {
        method: friedman_posthoc(inputs["scores"], correction=method)
        for method in (*CORRECTIONS, "shaffer_static")
    }
    pairs = results["holm"].pairs
    return {
        # the reference has z = (R_a − R_b)/SE, positive when a ranks worse; ours favours a
        "z": [-pair.statistic for pair in pairs],
        "pvalue": _p(results["holm"]),
        "adjusted": {method: _adjusted(result) for method, result in results.items()},
    }


def _posthoc_control(inputs: Mapping[str, Any]) -> dict[str, Any]:
    results = {
        method: friedman_posthoc(inputs["scores"], control=0, correction=method)
        for method in CORRECTIONS
    }
    return {
        "z": [pair.statistic for pair in results["holm"].pairs],
        "pvalue": _p(results["holm"]),
        "bonferroni_dunn": _adjusted(results["bonferroni"]),
        "bonferroni_dunn_cd_0.05": results["bonferroni"].details["critical_difference"],
    } | {method: _adjusted(result) for method, result in results.items()}


def _nemenyi(inputs: Mapping[str, Any]) -> dict[str, Any]:
    result = nemenyi(inputs["scores"])
    return {
        "abs_rank_difference": [abs(pair.estimate) for pair in result.pairs],
        "pvalue": _adjusted(result),
        "critical_difference": result.details["critical_differences"],
        "q_alpha_0.05": result.details["q_alpha"],
    }


def _conover(inputs: Mapping[str, Any]) -> dict[str, Any]:
    result = conover_friedman(inputs["scores"], correction="holm")
    undecided = [float("nan") if pair.status == "zero_variance" else 1.0 for pair in result.pairs]
    return {
        "t_abs": [abs(pair.statistic) for pair in result.pairs],
        "df": result.pairs[0].df,
        "pvalue": _p(result),
        "holm": _adjusted(result),
        # all data sets rank alike: no variance is left, t is infinite and p undecided; models
        # that tie on every data set do not differ
        "convention": {
            "pvalue": undecided,
            "holm": undecided,
            "t_abs": [float("inf") if p != 1.0 else 0.0 for p in undecided],
        },
    }


ADAPTERS = {
    ("friedman_posthoc_z", "all_pairs"): _posthoc_all_pairs,
    ("friedman_posthoc_z", "versus_control_first_column"): _posthoc_control,
    ("nemenyi", "all_pairs"): _nemenyi,
    ("conover_friedman", "all_pairs"): _conover,
}

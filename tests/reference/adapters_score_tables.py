"""Reference adapters: tables of scores, with missing cells, win rates and strengths."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from bakeoff import stats
from bakeoff.stats import adjust_pvalues, friedman, iman_davenport
from bakeoff.stats.datasets.standings import as_groups, group_means, with_failures_last

Inputs = Mapping[str, Any]


def _scores(inputs: Inputs) -> np.ndarray:
    return np.array(inputs["scores"], dtype=np.float64)  # "NaN" is a missing cell


def _better(inputs: Inputs) -> dict[str, bool]:
    return {"greater_is_better": inputs.get("greater_is_better", True)}


def _omnibus(table: np.ndarray, **better: bool) -> dict[str, Any]:
    chi2 = friedman(table, method="asymptotic", **better)
    f = iman_davenport(table, **better)
    return {
        "n": f.n,
        "friedman": chi2.statistic,
        "friedman_pvalue": chi2.pvalue,
        "iman_davenport": f.statistic,
        "df1": f.df1,
        "df2": f.df2,
        "iman_davenport_pvalue": f.pvalue,
        "average_ranks": chi2.details["average_ranks"],
    }


def _posthoc(inputs: Inputs) -> dict[str, Any]:
    z = stats.friedman_posthoc(_scores(inputs), **_better(inputs))
    nemenyi = stats.nemenyi(_scores(inputs), **_better(inputs))
    return {
        "pairs": [[pair.a, pair.b] for pair in z.pairs],
        "z": [pair.statistic for pair in z.pairs],
        "pvalue": [pair.pvalue for pair in z.pairs],
        "holm": [pair.pvalue_adjusted for pair in z.pairs],
        "nemenyi": [pair.pvalue_adjusted for pair in nemenyi.pairs],
        "critical_difference": nemenyi.details["critical_difference"],
    }


def _wilcoxon(inputs: Inputs) -> dict[str, Any]:
    table = _scores(inputs)
    pairs = list(combinations(range(table.shape[1]), 2))
    found = [
        stats.wilcoxon_signed_rank(
            table[:, a], table[:, b], missing="omit", method="exact", **_better(inputs)
        )
        for a, b in pairs
    ]
    return {
        "pairs": [list(pair) for pair in pairs],
        "n_common": [result.n for result in found],
        "w_plus": [result.statistic for result in found],
        "pvalue": [result.pvalue for result in found],
        "holm": adjust_pvalues([result.pvalue for result in found], "holm"),
    }


def _failures(inputs: Inputs) -> dict[str, Any]:
    oriented = _scores(inputs) * (1 if _better(inputs)["greater_is_better"] else -1)
    return _omnibus(with_failures_last(oriented))


def _groups(inputs: Inputs) -> dict[str, Any]:
    table = _scores(inputs)
    return _omnibus(group_means(table, as_groups(inputs["groups"], len(table))), **_better(inputs))


def _options(inputs: Inputs) -> dict[str, Any]:
    own = {key: inputs[key] for key in ("groups", "confidence_level", "prior") if key in inputs}
    return {**own, **_better(inputs)}


def _field(inputs: Inputs) -> dict[str, Any]:
    found = stats.win_rates(_scores(inputs), **_options(inputs))
    return {key: getattr(found, key) for key in ("n", "rate", "se", "effective_n", "low", "high")}


def _pairs(inputs: Inputs) -> dict[str, Any]:
    found = stats.win_rates(_scores(inputs), **_options(inputs))
    first, second = at = np.triu_indices(len(found.n), 1)
    return {
        "pairs": np.column_stack(at),
        "wins": found.wins[at],
        "draws": found.draws[at],
        "losses": found.wins[second, first],
        "rate": found.pair_rate[at],
        "low": found.pair_low[at],
        "high": found.pair_high[at],
    }


def _bradley_terry(inputs: Inputs) -> dict[str, Any]:
    found = stats.bradley_terry(_scores(inputs), **_options(inputs))
    first, second = at = np.triu_indices(len(found.strength), 1)
    return {
        **{key: getattr(found, key) for key in ("strength", "se", "low", "high")},
        "wins_with_half_draws": found.points,
        "pair": np.column_stack(at),
        "difference": found.strength[first] - found.strength[second],
        "difference_se": found.difference_se[at],
        "win_probability": found.win_probability[at],
    }


ADAPTERS = {
    ("score_table", "omnibus"): lambda inputs: _omnibus(_scores(inputs), **_better(inputs)),
    ("score_table", "nemenyi_and_z"): _posthoc,
    ("score_table", "wilcoxon_on_common"): _wilcoxon,
    ("score_table", "failures_worst_rank"): _failures,
    ("score_table", "groups_of_data_sets"): _groups,
    ("win_rate", "against_the_field"): _field,
    ("win_rate", "against_the_field_grouped"): _field,
    ("win_rate", "pair"): _pairs,
    ("bradley_terry", "strengths"): _bradley_terry,
    ("bradley_terry", "strengths_grouped"): _bradley_terry,
}

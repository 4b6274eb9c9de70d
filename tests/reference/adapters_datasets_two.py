"""Reference adapters: two classifiers over several data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bakeoff.stats import wilcoxon_signed_rank

ALTERNATIVE = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def _adapter(**options: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def adapt(inputs: Mapping[str, Any]) -> dict[str, Any]:
        result = wilcoxon_signed_rank(inputs["scores_A"], inputs["scores_B"], **options)
        return {
            "statistic": result.statistic,
            "pvalue": result.pvalue,
            "w_plus": result.details["w_plus"],
            "w_minus": result.details["w_minus"],
            "n_nonzero": result.details["n_nonzero"],
            "z": result.details["z"],
            "rank_biserial": result.effect_sizes["rank_biserial"],
        }

    return adapt


def _demsar(inputs: Mapping[str, Any]) -> dict[str, Any]:
    result = wilcoxon_signed_rank(
        inputs["scores_A"], inputs["scores_B"], zeros="zsplit", method="asymptotic"
    )
    return {
        "statistic": result.details["demsar_t"],
        "w_plus": result.details["w_plus"],
        "w_minus": result.details["w_minus"],
        "z": result.details["demsar_z"],
        "pvalue": result.details["demsar_pvalue"],
    }


def _all_zero(inputs: Mapping[str, Any]) -> dict[str, Any]:
    # no data set tells the two apart: there is nothing against the null, so p is 1, not undefined
    return _adapter()(inputs) | {"convention": {"pvalue": 1.0}}


ADAPTERS: dict[tuple[str, str], Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    ("wilcoxon_signed_rank", "all_zero"): _all_zero,
    ("wilcoxon_signed_rank", "demsar_zsplit_asymptotic"): _demsar,
}
for _name, _alternative in ALTERNATIVE.items():
    for _prefix, _options in {
        "asymptotic": {"zeros": "wilcox", "method": "asymptotic", "continuity": False},
        "asymptotic_cc": {"zeros": "wilcox", "method": "asymptotic", "continuity": True},
        "exact_zeros_dropped": {"zeros": "wilcox", "method": "exact"},
        "pratt_asymptotic": {"zeros": "pratt", "method": "asymptotic", "continuity": False},
        "pratt_exact": {"zeros": "pratt", "method": "exact"},
    }.items():
        ADAPTERS["wilcoxon_signed_rank", f"{_prefix}_{_name}"] = _adapter(
            alternative=_alternative, **_options
        )

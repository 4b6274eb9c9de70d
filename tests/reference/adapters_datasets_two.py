"""Reference adapters: two classifiers over several data sets."""

from __future__ import annotations

from typing import Any

from bakeoff.stats import wilcoxon_signed_rank
from tests.reference.told import Adapter, Inputs, Values, told

ALTERNATIVE = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def _adapter(**options: Any) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = wilcoxon_signed_rank(inputs["scores_A"], inputs["scores_B"], **options)
        return told(result)

    return adapt


def _demsar(inputs: Inputs) -> Values:
    result = wilcoxon_signed_rank(
        inputs["scores_A"], inputs["scores_B"], zeros="zsplit", method="asymptotic"
    )
    demsar = {name: result.details[f"demsar_{name}"] for name in ("z", "pvalue")}
    return told(result) | demsar | {"statistic": result.details["demsar_t"]}


def _all_zero(inputs: Inputs) -> Values:
    # no data set tells the two apart: there is nothing against the null, so p is 1, not undefined
    return _adapter()(inputs) | {"convention": {"pvalue": 1.0}}


ADAPTERS: dict[tuple[str, str], Adapter] = {
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

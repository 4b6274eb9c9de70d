"""Reference cases of the analyses of variance and of Tukey's test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bakeoff import stats
from tests.reference.told import Adapter, Inputs, Values, told


def _columns(groups: Sequence[Sequence[float]]) -> np.ndarray:
    """One column per group, the shorter ones filled up with missing folds."""
    table = np.full((max(map(len, groups)), len(groups)), np.nan)
    for column, group in enumerate(groups):
        table[: len(group), column] = group
    return table


def anova_repeated_measures(inputs: Inputs) -> Values:
    result = stats.anova_repeated_measures(inputs["scores"], correction="none")
    return told(result)


def _oneway(equal_var: bool) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = stats.anova_oneway(
            _columns(inputs["groups"]), equal_var=equal_var, nan_policy="omit"
        )
        return told(result)

    return adapt


def tukey_hsd(inputs: Inputs) -> Values:
    result = stats.tukey_hsd(
        _columns(inputs["groups"]),
        blocks=False,
        confidence_level=inputs["conf_level"],
        nan_policy="omit",
    )
    pairs = {(p.a + 1, p.b + 1): p for p in result.pairs}
    chosen = [pairs[tuple(pair)] for pair in inputs["pairs"]]
    # the reference subtracts the first from the second, so its limits change places too
    return {
        "diff": [-p.estimate for p in chosen],
        "ci_lower": [-p.ci.high for p in chosen if p.ci],
        "ci_upper": [-p.ci.low for p in chosen if p.ci],
        "pvalue": [p.pvalue_adjusted for p in chosen],
    }


ADAPTERS: dict[tuple[str, str], Adapter] = {
    ("anova_repeated_measures", "sphericity_assumed"): anova_repeated_measures,
    ("anova_oneway", "f"): _oneway(equal_var=True),
    ("anova_oneway", "welch"): _oneway(equal_var=False),
    ("tukey_hsd", "all_pairs"): tukey_hsd,
}

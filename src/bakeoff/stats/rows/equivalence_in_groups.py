"""Equivalence and non-inferiority of two accuracies on rows that come in groups."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, tango_statistic
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredEquivalenceResult,
    independent_clusters,
    too_few_degrees,
)
from bakeoff.stats.rows.cluster_pair import ClusterPair


def in_groups(
    pair: ClusterPair,
    margin: float,
    alpha: float,
    *,
    sides: int,
) -> ClusteredEquivalenceResult:
    """Test both margins or, of one side, the lower one; without groups each row is one."""
    effect = _design_effect(pair)
    n, (_, b, c, _) = pair.clusters.n, pair.counts
    lower, upper = (
        float(z) / math.sqrt(effect) for z in tango_statistic(b, c, n, np.array([-margin, margin]))
    )
    few = too_few_degrees(pair.df)
    formula = (
        (t_pvalue(lower, pair.df, "greater"), t_pvalue(upper, pair.df, "less"))
        if pair.df
        else (math.nan, math.nan)
    )
    last = int(np.argmax(formula[:sides]))
    pvalue = math.nan if few else formula[last]
    names = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
    return ClusteredEquivalenceResult(
        variant="score_effective" if sides == 2 else "",
        statistic=(lower, upper)[last],
        df=pair.df,
        pvalue=pvalue,
        pvalue_lower=math.nan if few else formula[0],
        pvalue_upper=math.nan if few else formula[1],
        verdict="undecided" if few else (_SHOWN[sides] if pvalue < alpha else "not shown"),
        margin=margin,
        alpha=alpha,
        status=Status.TOO_FEW if few else Status.OK,
        estimate=pair.estimate,
        ci=None if few else _interval(pair, effect, alpha),
        n=n,
        assumptions=(
            independent_clusters(pair.clusters),
            Assumption(
                "enough groups",
                not few,
                f"{pair.clusters.count} groups of these sizes give {pair.df:.1f} degrees of "
                "freedom; it wants 4",
            ),
        ),
        null_hypothesis=_NULLS[sides].format(margin=f"{margin:g}"),
        method="liu2002",
        details={
            **{name: int(value) for name, value in zip(names, pair.counts, strict=True)},
            "statistic_lower": lower,
            "statistic_upper": upper,
            "formula_pvalue_lower": formula[0],
            "formula_pvalue_upper": formula[1],
            "design_effect_raw": pair.design_effect_raw,
        },
        n_clusters=pair.clusters.count,
        n_effective=n / effect,
        design_effect=effect,
        icc=pair.icc,
    )


_SHOWN = {1: "not inferior", 2: "equivalent"}
_NULLS = {
    1: "A is less accurate than B by {margin} or more.",
    2: "The accuracies of the two fitted models differ by {margin} or more.",
}


def _design_effect(pair: ClusterPair) -> float:
    sizes, icc = pair.clusters.sizes, pair.icc
    weighted = float(np.square(sizes).sum()) / pair.clusters.n
    expected = 1 + (weighted - 1) * (max(icc, 0.0) if not math.isnan(icc) else 0.0)
    return max(pair.design_effect, expected)


def _interval(pair: ClusterPair, effect: float, alpha: float) -> ConfidenceInterval:
    """Invert the same two tests: Tango's interval at the quantile t·√(design effect)."""
    quantile = float(special.stdtrit(pair.df, 1 - alpha)) * math.sqrt(effect)
    tail = max(float(special.ndtr(-quantile)), 1e-300)
    both, b, c, neither = (np.asarray(value) for value in pair.counts)
    low, high = map(float, DIFFERENCE_METHODS["tango"](both, b, c, neither, tail))
    return ConfidenceInterval(max(low, -1.0), min(high, 1.0), 1 - 2 * alpha, "tango_effective")

"""The accuracy of one classifier on rows that come in groups."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.binomial import tail_probability, wilson
from bakeoff.stats.core.checks import BoolArray
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    independent_clusters,
    symmetric_differences,
    too_few_degrees,
)
from bakeoff.stats.design.clusters import Clusters, equivalent_tail
from bakeoff.stats.design.dependence import Dependence, describe


def in_groups(
    array: BoolArray,
    clusters: Clusters,
    rate: str,
    p0: float,
    alternative: Alternative,
    confidence_level: Level,
) -> ClusteredResult:
    """Test the share of right rows, or of wrong ones, against a value."""
    counted = array if rate == "accuracy" else ~array
    found = describe(counted.astype(np.float64), clusters)
    se = math.sqrt(p0 * (1 - p0) / found.n_effective)
    t = (found.mean - p0) / se
    few = too_few_degrees(found.df)
    return ClusteredResult(
        variant="rao_scott",
        statistic=t,
        df=found.df,
        pvalue=math.nan if few else t_pvalue(t, found.df, alternative),
        alternative=alternative,
        estimate=found.mean,
        ci=effective_wilson(found, alternative, confidence_level) if clusters.count > 1 else None,
        effect_sizes={"cohens_h": 2 * math.asin(math.sqrt(found.mean)) - 2 * math.asin(p0**0.5)},
        n=clusters.n,
        status=Status.TOO_FEW if few else Status.OK,
        assumptions=(
            independent_clusters(clusters),
            Assumption(
                "enough groups",
                not few,
                f"{clusters.count} groups of these sizes give {found.df:.1f} degrees of freedom; "
                "it wants 4",
            ),
            symmetric_differences(clusters.sizes),
        ),
        null_hypothesis=f"The model's {rate} on the population of the groups is {p0:g}.",
        method="rao1992",
        details={
            "p0": p0,
            "n_correct": int(np.count_nonzero(array)),
            "se": se,
            "se_robust": found.se,
            "largest_share": found.largest_share,
            "design_effect_raw": found.design_effect_raw,
        },
        n_clusters=clusters.count,
        n_effective=found.n_effective,
        design_effect=found.design_effect,
        icc=found.icc,
    )


def effective_wilson(found: Dependence, side: Alternative, level: float) -> ConfidenceInterval:
    """Wilson's (1927) interval on the effective number of rows, with a t quantile."""
    tail = float(equivalent_tail(found.df, tail_probability(level, side)))
    size = found.n_effective
    low, high = (float(limit) for limit in wilson(found.mean * size, size, tail))
    return ConfidenceInterval(
        0.0 if side == "less" else min(low, found.mean),
        1.0 if side == "greater" else max(high, found.mean),
        level,
        "wilson_effective",
    )

"""The mean of a difference per row on rows that come in groups: sign flips and robust t."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from bakeoff.stats.core.arguments import Level, Seed
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.result import Alternative, Assumption, answered
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    cluster_assumptions,
)
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.dependence import Dependence, describe
from bakeoff.stats.design.group_test import SOURCES, GroupTest
from bakeoff.stats.design.leverage import leverage_of
from bakeoff.stats.design.sign_flip import FLIPS, Tails, smallest_pvalue
from bakeoff.stats.design.spread import spread

GROUP_VARIANTS = tuple(SOURCES)
_MIDP_CLUSTERS = 8  # with fewer the mid-p of numeric differences rejects 6 to 7 % at 5 %


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the caller chose."""

    variant: str
    side: Alternative
    level: float
    n_resamples: int
    seed: Seed


def settings_of(
    variant: str, alternative: Alternative, confidence_level: Level, n_resamples: int, seed: Seed
) -> Settings:
    """Check the options."""
    return Settings(variant, alternative, confidence_level, n_resamples, seed)


def result_of(
    test: str, d: FloatArray, noise: float, clusters: Clusters, settings: Settings, *, null: str
) -> ClusteredResult:
    """Return the result of differences per row, of which `noise` is none."""
    # what cancels inside a group leaves float noise, not a difference
    sums = clusters.sums(d)
    sums = np.where(np.abs(sums) <= noise + 1e-12 * clusters.sums(np.abs(d)), 0.0, sums)
    found = _described(d, clusters, settings)
    se = found.se if found.se > noise / math.sqrt(clusters.n) else 0.0
    flips = settings.variant in FLIPS
    tested = GroupTest(clusters, sums, se, found.df, **dataclasses.asdict(settings))
    nonzero, status = int(np.count_nonzero(sums)), tested.status
    statistic, formula = tested.formula()
    statistic, pvalue = answered(status, statistic, formula, tested.estimate)
    ci = None
    if se > 0 and found.df > 0:
        method = "robust_t" if settings.variant == "robust_t" else "influence_t"
        ci = t_interval(tested.estimate, se, found.df, settings.level, settings.side, method)
        ci = tested.widened(ci, pvalue) if flips else ci
    return ClusteredResult(
        test=test,
        variant=settings.variant,
        statistic=statistic,
        df=None if flips else found.df,
        pvalue=pvalue,
        alternative=settings.side,
        estimate=tested.estimate,
        ci=ci,
        n=clusters.n,
        status=status,
        assumptions=(
            *cluster_assumptions(clusters, sums, nonzero, 1 - settings.level),
            *_midp(clusters, settings.variant),
        ),
        null_hypothesis=null,
        method=SOURCES[settings.variant],
        details=_details(found, tested, nonzero, formula),
        n_clusters=clusters.count,
        n_effective=found.n_effective,
        design_effect=found.design_effect,
        icc=found.icc,
    )


def _described(d: FloatArray, clusters: Clusters, settings: Settings) -> Dependence:
    """Describe the differences, with the degrees of freedom of the variant."""
    found = describe(d, clusters)
    if settings.variant == "robust_t":
        return found
    groups = clusters.codes
    sums = spread(d - d.mean(), clusters=groups, leverage=leverage_of(groups))
    return dataclasses.replace(found, df=sums.df)


def _details(found: Dependence, test: GroupTest, nonzero: int, formula: float) -> dict[str, Any]:
    se, flips = test.se, test.variant in FLIPS
    known = found.design_effect_raw > 0
    return {
        "n_clusters_nonzero": nonzero,
        "largest_share": found.largest_share,
        "formula_pvalue": formula,
        **(_of_flips(test.tails, test.side) if flips else {}),
        "smallest_pvalue": float(smallest_pvalue(nonzero)),
        "se": se,
        "se_cr1": se * math.sqrt(found.design_effect_cr1 / found.design_effect_raw)
        if known
        else math.nan,
        "df": found.df,
        "design_effect_raw": found.design_effect_raw,
    }


def _of_flips(tails: Tails, side: Alternative) -> dict[str, Any]:
    mid, exact = (float(tails.pvalue(side, exact=counted)[0]) for counted in (False, True))
    error = math.sqrt(mid * (1 - mid) / tails.draws) if tails.draws else 0.0
    return {"pvalue_exact": exact, "method": tails.method, "monte_carlo_error": error}


def _midp(clusters: Clusters, variant: str) -> tuple[Assumption, ...]:
    if variant != "sign_flip":
        return ()
    return (
        Assumption(
            "enough groups for the mid-p",
            clusters.count >= _MIDP_CLUSTERS,
            f"{clusters.count} groups; below {_MIDP_CLUSTERS} take variant sign_flip_exact, the "
            "mid-p of numbers rejects a little too often there",
        ),
    )

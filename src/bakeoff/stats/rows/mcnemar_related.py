"""McNemar's test on rows that belong together: in groups, or in groups crossed with times.

d is +1 where only A is right, −1 where only B is; D_k is its sum in cluster k, S = ΣD_k.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy import special

from bakeoff.stats.core.checks import BoolArray
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status, answered
from bakeoff.stats.core.tails import normal_pvalue, t_pvalue
from bakeoff.stats.design.cluster_result import ClusteredResult, too_few_degrees
from bakeoff.stats.design.group_test import SOURCES, GroupTest
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.design.sign_flip import FLIPS, smallest_pvalue
from bakeoff.stats.design.subset_limits import HULL
from bakeoff.stats.rows import cluster_chi_square as chi_square
from bakeoff.stats.rows.cluster_pair import ClusterPair
from bakeoff.stats.rows.mcnemar_counts import accuracies, effect_sizes

GroupedVariant = Literal[
    "sign_flip",
    "sign_flip_exact",
    "robust_t",
    "modified_obuchowski",
    "obuchowski",
    "durkalski",
    "eliasziw_donner",
]
VARIANTS = {
    **{name: SOURCES[name] for name in (*FLIPS, "robust_t")},
    "modified_obuchowski": "yang2010",
    "obuchowski": "obuchowski1998",
    "durkalski": "durkalski2003",
    "eliasziw_donner": "eliasziw1991",
}
INTERVALS = (HULL, "newcombe_effective", "robust_t")


def in_groups(
    pair: ClusterPair, variant: str, side: Alternative, level: float, ci_method: str
) -> ClusteredResult:
    """Compare two models by their counts in each group; see `mcnemar` for the options."""
    test = GroupTest(pair.clusters, pair.sums, pair.found, variant, side, level)
    status = Status.NO_DISCORDANT_PAIRS
    if pair.discordant.any():
        status = test.status
        if variant not in SOURCES and pair.sums.any():
            status = Status.TOO_FEW if pair.clusters.count < 2 else Status.OK
    statistic, df, formula, extra = _formula(pair, test)
    statistic, pvalue = answered(status, statistic, formula, test.estimate)
    return ClusteredResult(
        variant=variant,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=side,
        estimate=test.estimate,
        ci=_interval(pair, test, ci_method, pvalue if variant in SOURCES else math.nan),
        effect_sizes=effect_sizes(*pair.counts[1:3]),
        status=status,
        assumptions=test.assumptions,
        null_hypothesis="Exchanging the two fitted models in a whole group changes nothing: they "
        "are equally accurate on the population that the groups were drawn from.",
        method=VARIANTS[variant],
        details=_details(pair, test) | extra | {"formula_pvalue": formula},
        **pair.found.worth,
    )


def _formula(
    pair: ClusterPair, test: GroupTest
) -> tuple[float, float | None, float, dict[str, Any]]:
    """Statistic, degrees of freedom and p as the formula has them, whatever the status."""
    variant, side = test.variant, test.side
    if variant in SOURCES:
        statistic, pvalue = test.formula()
        return statistic, None if test.flips else pair.found.df, pvalue, {}
    extra: dict[str, Any] = {}
    if variant == "eliasziw_donner":
        found = chi_square.eliasziw_donner(pair.cells, pair.clusters)
        value, extra = found.statistic, _eliasziw_details(pair, found)
    else:
        value = chi_square.OF_SUMS[variant](pair.sums, pair.clusters)
    if side == "two-sided":
        return value, 1.0, float(special.chdtrc(1, value)), extra
    # Durkalski's test is about the mean of the cluster means, which may lean the other way
    leaning = pair.sums / pair.clusters.sizes if variant == "durkalski" else pair.sums
    root = math.copysign(math.sqrt(value), float(leaning.sum()))
    return root, None, normal_pvalue(root, side), extra


def _eliasziw_details(pair: ClusterPair, found: chi_square.EliasziwDonner) -> dict[str, float]:
    published = chi_square.eliasziw_donner(pair.cells, pair.clusters, published=True)
    return {
        "correction": found.correction,
        "rho": found.rho,
        "rho_star": found.rho_star,
        "published_statistic": published.statistic,
        "published_pvalue": float(special.chdtrc(1, published.statistic)),
        "published_correction": published.correction,
        "published_rho": published.rho,
    }


def _interval(
    pair: ClusterPair, test: GroupTest, method: str, pvalue: float
) -> ConfidenceInterval | None:
    if pair.clusters.count < 2:
        return None
    if method == "robust_t":
        return test.t_interval(method)
    plain = pair.newcombe(test.side, test.level)
    if method != HULL or pair.clusters.trivial:
        return plain
    return test.widened(plain, pvalue, (-1.0, 1.0))


def _details(pair: ClusterPair, test: GroupTest) -> dict[str, Any]:
    found = pair.found
    return {
        **accuracies(pair.named_counts),
        "n_clusters_nonzero": test.nonzero,
        "largest_share": found.largest_share,
        "pvalue_exact": float(test.tails.pvalue(test.side, exact=True)[0]),
        "smallest_pvalue": float(smallest_pvalue(test.nonzero)),
        "se": found.se,
        "se_cr0": math.sqrt(float(pair.moments.variance_cr0)),
        "se_cr1": math.sqrt(float(pair.moments.variance_cr1)),
        "df": found.df,
        "design_effect_raw": found.design_effect_raw,
        **pair.odds_ratio(test.side, test.level),
    }


def crossed(
    a: BoolArray, b: BoolArray, design: RowDesign, side: Alternative, level: float
) -> ClusteredResult:
    """Compare two models on rows whose groups are crossed with times."""
    d = a.astype(np.float64) - b
    found = design.crossed(d)
    estimate, df = float(d.mean()), found.df
    status = Status.OK if found.variance > 0 else Status.ZERO_VARIANCE
    if not d.any():
        status = Status.NO_DISCORDANT_PAIRS
    elif too_few_degrees(df):
        status = Status.TOO_FEW
    elif status is Status.ZERO_VARIANCE and not d.sum():
        status = Status.IDENTICAL_SCORES
    se = math.sqrt(found.variance) if found.variance > 0 else math.nan
    formula = t_pvalue(estimate / se, df, side) if status is Status.OK else math.nan
    statistic, pvalue = answered(status, estimate / se, formula, estimate)
    return ClusteredResult(
        variant="crossed",
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=side,
        estimate=estimate,
        ci=t_interval(estimate, se, df, level, side, "robust_t") if se > 0 and df > 0 else None,
        status=status,
        assumptions=found.assumptions,
        null_hypothesis="The two fitted models are equally accurate on the population of groups "
        "and times that the test rows were drawn from.",
        method="cameron2011",
        details={
            "form": found.form,
            "se": se,
            "n_times": found.times.n_clusters,
            "design_effect_groups": found.groups.design_effect_raw,
            "design_effect_times": found.times.design_effect_raw,
            "df_groups": found.groups.df,
            "df_times": found.times.df,
            "only_a_correct": int(np.count_nonzero(d > 0)),
            "only_b_correct": int(np.count_nonzero(d < 0)),
        },
        **found.worth(d),
    )

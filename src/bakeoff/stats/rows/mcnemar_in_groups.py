"""McNemar's test on rows that come in groups.

d is +1 where only A is right, −1 where only B is; D_k is its sum in cluster k, S = ΣD_k.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from scipy import special

from bakeoff.stats.core.arguments import check_count
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status, answered
from bakeoff.stats.core.tails import normal_pvalue
from bakeoff.stats.design.cluster_result import ClusteredResult, cluster_assumptions
from bakeoff.stats.design.group_test import SOURCES, GroupTest
from bakeoff.stats.design.sign_flip import FLIPS, smallest_pvalue
from bakeoff.stats.design.subset_limits import HULL
from bakeoff.stats.rows import cluster_chi_square as chi_square
from bakeoff.stats.rows.cluster_pair import ClusterPair

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
    se = math.sqrt(pair.variance)
    test = GroupTest(pair.clusters, pair.sums, se, pair.df, variant, side, level)
    status = _status(pair, test)
    statistic, df, formula, extra = _formula(pair, test)
    statistic, pvalue = answered(status, statistic, formula, pair.estimate)
    return ClusteredResult(
        variant=variant,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=side,
        estimate=pair.estimate,
        ci=_interval(pair, test, ci_method, pvalue if variant in SOURCES else math.nan),
        effect_sizes=_effect_sizes(pair),
        n=pair.clusters.n,
        status=status,
        assumptions=cluster_assumptions(pair.clusters, pair.sums, pair.nonzero, 1 - level),
        null_hypothesis="Exchanging the two fitted models in a whole group changes nothing: they "
        "are equally accurate on the population that the groups were drawn from.",
        method=VARIANTS[variant],
        details=_details(pair, test) | extra | {"formula_pvalue": formula},
        n_clusters=pair.clusters.count,
        n_effective=pair.clusters.n / pair.design_effect,
        design_effect=pair.design_effect,
        icc=pair.icc,
    )


def _status(pair: ClusterPair, test: GroupTest) -> Status:
    if not pair.discordant.any():
        return Status.NO_DISCORDANT_PAIRS
    if test.variant in SOURCES or not pair.sums.any():
        return test.status
    return Status.TOO_FEW if pair.clusters.count < 2 else Status.OK


def _formula(
    pair: ClusterPair, test: GroupTest
) -> tuple[float, float | None, float, dict[str, Any]]:
    """Statistic, degrees of freedom and p as the formula has them, whatever the status."""
    variant, side = test.variant, test.side
    if variant in SOURCES:
        statistic, pvalue = test.formula()
        return statistic, None if variant in FLIPS else pair.df, pvalue, {}
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
        known = test.level, test.side, method
        return t_interval(pair.estimate, test.se, pair.df, *known) if test.se > 0 else None
    plain = pair.newcombe(test.side, test.level)
    if method != HULL or pair.clusters.trivial:
        return plain
    return test.widened(plain, pvalue, (-1.0, 1.0))


def _effect_sizes(pair: ClusterPair) -> dict[str, float]:
    b, c = pair.counts[1], pair.counts[2]
    if not b + c:
        return {"cohens_g": math.nan, "odds_ratio": math.nan}
    return {"cohens_g": b / (b + c) - 0.5, "odds_ratio": b / c if c else math.inf}


def _details(pair: ClusterPair, test: GroupTest) -> dict[str, Any]:
    names = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
    both, b, c, _ = pair.counts
    return {
        **{name: check_count(value, name) for name, value in zip(names, pair.counts, strict=True)},
        "accuracy_a": (both + b) / pair.clusters.n,
        "accuracy_b": (both + c) / pair.clusters.n,
        "n_clusters_nonzero": pair.nonzero,
        "largest_share": float(pair.clusters.shares.max()),
        "pvalue_exact": float(test.tails.pvalue(test.side, exact=True)[0]),
        "smallest_pvalue": float(smallest_pvalue(pair.nonzero)),
        "se": test.se,
        "se_cr0": math.sqrt(float(pair.moments.variance_cr0)),
        "se_cr1": math.sqrt(float(pair.moments.variance_cr1)),
        "df": pair.df,
        "design_effect_raw": pair.design_effect_raw,
        **pair.odds_ratio(test.side, test.level),
    }

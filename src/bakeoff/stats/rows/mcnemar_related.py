"""McNemar's test on rows in groups.

d is +1 where only A is right, −1 where only B is; D_k is its sum in cluster k, S = ΣD_k.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status, answered
from bakeoff.stats.design.cluster_result import ClusteredResult
from bakeoff.stats.design.group_test import SOURCES, GroupTest
from bakeoff.stats.design.sign_flip import smallest_pvalue
from bakeoff.stats.design.subset_limits import HULL
from bakeoff.stats.rows.cluster_pair import ClusterPair
from bakeoff.stats.rows.mcnemar_counts import accuracies, effect_sizes

GroupedVariant = Literal["sign_flip", "sign_flip_exact", "robust_t"]
VARIANTS: tuple[str, ...] = get_args(GroupedVariant)
INTERVALS = (HULL, "newcombe_effective", "robust_t")


def in_groups(
    pair: ClusterPair, variant: str, side: Alternative, level: float, ci_method: str
) -> ClusteredResult:
    """Compare two models by their counts in each group; see `mcnemar` for the options."""
    test = GroupTest(pair.clusters, pair.sums, pair.found, variant, side, level)
    status = test.status if pair.discordant.any() else Status.NO_DISCORDANT_PAIRS
    statistic, formula = test.formula()
    statistic, pvalue = answered(status, statistic, formula, test.estimate)
    return ClusteredResult(
        variant=variant,
        statistic=statistic,
        df=None if test.flips else pair.found.df,
        pvalue=pvalue,
        alternative=side,
        estimate=test.estimate,
        ci=_interval(pair, test, ci_method, pvalue),
        effect_sizes=effect_sizes(*pair.counts[1:3]),
        status=status,
        assumptions=test.assumptions,
        null_hypothesis="Exchanging the two fitted models in a whole group changes nothing: they "
        "are equally accurate on the population that the groups were drawn from.",
        method=SOURCES[variant],
        details=_details(pair, test) | {"formula_pvalue": formula},
        **pair.found.worth,
    )


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

"""McNemar's test on rows that come in groups.

d is +1 where only A is right, −1 where only B is; D_k is its sum in cluster k, S = ΣD_k.
"""

from __future__ import annotations

import math
from typing import Any

from scipy import special

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import check_count
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status
from bakeoff.stats.core.tails import normal_pvalue, t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    cluster_assumptions,
    too_few_clusters,
    too_few_degrees,
)
from bakeoff.stats.design.sign_flip import FLIPS, Tails, flip_tails, smallest_pvalue
from bakeoff.stats.design.subset_limits import HULL, agreeing, hull, subset_limits
from bakeoff.stats.rows import cluster_chi_square as chi_square
from bakeoff.stats.rows.cluster_pair import ClusterPair

VARIANTS = {
    "sign_flip": "canay2017",
    "sign_flip_exact": "canay2017",
    "robust_t": "bell2002",
    "modified_obuchowski": "yang2010",
    "obuchowski": "obuchowski1998",
    "durkalski": "durkalski2003",
    "eliasziw_donner": "eliasziw1991",
}
INTERVALS = (HULL, "newcombe_effective", "robust_t")
_OF_SUMS = (*FLIPS, "robust_t")  # those whose p is about the estimate that the interval is of


def in_groups(
    pair: ClusterPair, variant: str, side: Alternative, level: float, ci_method: str
) -> ClusteredResult:
    """Compare two models by their counts in each group; see `mcnemar` for the options."""
    tails = flip_tails(pair.sums, n_resamples=0, seed=0)
    status = _status(pair, variant, 1 - level)
    statistic, df, formula, extra = _formula(pair, variant, side, tails)
    pvalue = formula if status is Status.OK else math.nan
    if status in (Status.NO_DISCORDANT_PAIRS, Status.IDENTICAL_SCORES):
        statistic, pvalue = 0.0, 1.0
    if status is Status.ZERO_VARIANCE:
        statistic = math.copysign(math.inf, pair.estimate)
    return ClusteredResult(
        test="mcnemar",
        variant=variant,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=side,
        estimate=pair.estimate,
        ci=_interval(pair, ci_method, side, level, pvalue if variant in _OF_SUMS else math.nan),
        effect_sizes=_effect_sizes(pair),
        n=pair.clusters.n,
        status=status,
        assumptions=cluster_assumptions(pair.clusters, pair.sums, pair.nonzero, 1 - level),
        null_hypothesis="Exchanging the two fitted models in a whole group changes nothing: they "
        "are equally accurate on the population that the groups were drawn from.",
        method=VARIANTS[variant],
        details=_details(pair, side, level, tails) | extra | {"formula_pvalue": formula},
        n_clusters=pair.clusters.count,
        n_effective=pair.clusters.n / pair.design_effect,
        design_effect=pair.design_effect,
        icc=pair.icc,
    )


def _status(pair: ClusterPair, variant: str, alpha: float) -> Status:
    if not pair.discordant.any():
        return Status.NO_DISCORDANT_PAIRS
    if not pair.sums.any():
        return Status.IDENTICAL_SCORES
    if variant in FLIPS:
        few = too_few_clusters(pair.clusters.count, alpha)
        return Status.TOO_FEW if few else Status.OK
    if variant == "robust_t":
        if too_few_degrees(pair.df):
            return Status.TOO_FEW
        return Status.OK if pair.variance > 0 else Status.ZERO_VARIANCE
    return Status.TOO_FEW if pair.clusters.count < 2 else Status.OK


def _formula(
    pair: ClusterPair, variant: str, side: Alternative, tails: Tails
) -> tuple[float, float | None, float, dict[str, Any]]:
    """Statistic, degrees of freedom and p as the formula has them, whatever the status."""
    if variant in FLIPS:
        exact = variant == "sign_flip_exact"
        return float(pair.sums.sum()), None, float(tails.pvalue(side, exact=exact)[0]), {}
    if variant == "robust_t":
        se = math.sqrt(pair.variance)
        t = pair.estimate / se if se > 0 else math.nan
        return t, pair.df, t_pvalue(t, pair.df, side) if pair.df else math.nan, {}
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
    pair: ClusterPair, method: str, side: Alternative, level: float, pvalue: float
) -> ConfidenceInterval | None:
    if pair.clusters.count < 2:
        return None
    if method == "robust_t":
        se = math.sqrt(pair.variance)
        return t_interval(pair.estimate, se, pair.df, level, side, method) if se > 0 else None
    plain = pair.newcombe(side, level)
    if method != HULL or pair.clusters.trivial:
        return plain
    limits = subset_limits(pair.sums, pair.clusters.sizes, tail_probability(level, side))
    wider = hull(plain, limits, side, (-1.0, 1.0))
    return agreeing(wider, pvalue, 1 - level, pair.estimate, side)


def _effect_sizes(pair: ClusterPair) -> dict[str, float]:
    b, c = pair.counts[1], pair.counts[2]
    if not b + c:
        return {"cohens_g": math.nan, "odds_ratio": math.nan}
    return {"cohens_g": b / (b + c) - 0.5, "odds_ratio": b / c if c else math.inf}


def _details(pair: ClusterPair, side: Alternative, level: float, tails: Tails) -> dict[str, Any]:
    names = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
    both, b, c, _ = pair.counts
    exact = {s: float(tails.pvalue(s, exact=True)[0]) for s in ("two-sided", "greater", "less")}
    return {
        **{name: check_count(value, name) for name, value in zip(names, pair.counts, strict=True)},
        "accuracy_a": (both + b) / pair.clusters.n,
        "accuracy_b": (both + c) / pair.clusters.n,
        "n_clusters_nonzero": pair.nonzero,
        "largest_share": float(pair.clusters.shares.max()),
        "pvalue_exact": exact[side],
        "smallest_pvalue": float(smallest_pvalue(pair.nonzero)),
        "se": math.sqrt(pair.variance),
        "se_cr0": math.sqrt(float(pair.moments.variance_cr0)),
        "se_cr1": math.sqrt(float(pair.moments.variance_cr1)),
        "df": pair.df,
        "design_effect_raw": pair.design_effect_raw,
        **pair.odds_ratio(side, level),
    }

"""Numbers per row (losses, scores) of two models on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import (
    FloatArray,
    check_alternative,
    check_choice,
    check_count,
    check_level,
    check_same_labels,
)
from bakeoff.stats.core.paired_differences import paired_differences, t_interval
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    cluster_assumptions,
    too_few_clusters,
    too_few_for_t,
)
from bakeoff.stats.design.clusters import Clusters, as_clusters
from bakeoff.stats.design.dependence import Dependence, describe
from bakeoff.stats.design.leverage import leverage_of
from bakeoff.stats.design.sign_flip import FLIPS, Tails, flip_tails, smallest_pvalue
from bakeoff.stats.design.spread import spread
from bakeoff.stats.design.subset_limits import agreeing, hull, subset_limits

__all__ = ["clustered_mean_difference"]

_VARIANTS = {
    "sign_flip": "canay2017",
    "sign_flip_exact": "canay2017",
    "influence_t": "satterthwaite1946",
    "robust_t": "bell2002",
}
_MIDP_CLUSTERS = 8  # with fewer the mid-p of numeric differences rejects 6 to 7 % at 5 %


@register(
    title="Difference of means of a value per row, for groups of rows",
    evidence=Evidence.VALUES,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two systems have the better mean of a number per row on new groups?",
    plans=("holdout",),
    citation="canay2017",
    caution="With few groups it needs group effects that are as likely one way as the other, "
    "which cannot be tested.",
)
def clustered_mean_difference(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: Literal["sign_flip", "sign_flip_exact", "influence_t", "robust_t"] = "sign_flip",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    greater_is_better: bool = True,
    n_resamples: int = 9_999,
    seed: int = 0,
) -> ClusteredResult:
    """Test the means of a number per row (a loss, a score) of two models on rows in groups.

    Parameters
    ----------
    values_a, values_b : array_like, shape (N,)
        The numbers of A and B on the same rows. Where each item was run several times, rows are
        runs and `groups` the items.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own.
    variant : {"sign_flip", "sign_flip_exact", "influence_t", "robust_t"}
        ``"sign_flip"`` (default): mid-p over the signs of the group sums (Canay, Romano & Shaikh
        2017). ``"sign_flip_exact"`` counts the observed sum in full: the one to take with fewer
        than eight groups. ``"robust_t"``: CR2 variance with Bell & McCaffrey's (2002) degrees of
        freedom; with groups of one size the paired t test of the group means. ``"influence_t"``:
        the same with the degrees of freedom of the group sums (Satterthwaite 1946) where these are
        fewer, as `mean_difference` has it.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.
    confidence_level : float
        Level of the interval: that of t for ``influence_t`` and ``robust_t``; for sign flips the
        hull of ``influence_t`` and of the limits from means of random subsets of groups (Hartigan
        1969), which holds 0 where p ≥ 1 − `confidence_level`, and only there.
    greater_is_better : bool
        False for losses and costs.
    n_resamples : int
        Draws of the signs where the sums are no whole numbers and more than 20 groups differ.
    seed : int
        Seed of the draws.

    Returns
    -------
    ClusteredResult
        `estimate` is the mean difference over rows, positive where A is better.

    Raises
    ------
    ValueError
        For missing values, unequal lengths, or an unknown option.

    Examples
    --------
    >>> a = [0.2, 0.1, 0.3, 0.5, 0.2, 0.1, 0.4, 0.3, 0.1, 0.2, 0.3, 0.2]
    >>> b = [0.3, 0.3, 0.4, 0.4, 0.5, 0.2, 0.6, 0.3, 0.4, 0.3, 0.2, 0.6]
    >>> result = clustered_mean_difference(
    ...     a, b, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], greater_is_better=False)
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.1333, 0.0312)
    """
    settings = settings_of(variant, alternative, confidence_level, n_resamples, seed)
    d = paired_differences(values_a, values_b, greater_is_better=greater_is_better, of_rows=True)
    clusters = as_clusters(groups, len(d.values))
    if groups is not None:
        check_same_labels(values_a=values_a, groups=groups)
    return result_of(
        "clustered_mean_difference",
        d.values,
        d.noise,
        clusters,
        settings,
        null="Exchanging the two fitted models in a whole group changes nothing: their mean is the "
        "same on the population that the groups were drawn from.",
    )


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the caller chose."""

    variant: str
    side: Alternative
    level: float
    n_resamples: int
    seed: int


def settings_of(
    variant: str, alternative: str, confidence_level: float, n_resamples: int, seed: int
) -> Settings:
    """Check the options."""
    check_choice(variant, tuple(_VARIANTS), "variant")
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    draws = check_count(n_resamples, "n_resamples", least=1)
    return Settings(variant, side, level, draws, check_count(seed, "seed"))


def result_of(
    test: str, d: FloatArray, noise: float, clusters: Clusters, settings: Settings, *, null: str
) -> ClusteredResult:
    """Return the result of differences per row, of which `noise` is none."""
    sums = clusters.sums(d)
    # what cancels inside a group leaves float noise, not a difference
    sums = np.where(np.abs(sums) <= noise + 1e-12 * clusters.sums(np.abs(d)), 0.0, sums)
    found = _described(d, clusters, settings)
    se = found.se if found.se > noise / math.sqrt(clusters.n) else 0.0
    flips = settings.variant in FLIPS
    tails = (
        flip_tails(sums, n_resamples=settings.n_resamples, seed=settings.seed) if flips else None
    )
    nonzero = int(np.count_nonzero(sums))
    estimate = float(sums.sum()) / clusters.n
    status = _status(nonzero, se, clusters.count, found.df, settings)
    statistic, formula = _formula(estimate, se, found.df, float(sums.sum()), tails, settings)
    pvalue = formula if status is Status.OK else math.nan
    if status is Status.IDENTICAL_SCORES:
        statistic, pvalue = 0.0, 1.0
    if status is Status.ZERO_VARIANCE:
        statistic = math.copysign(math.inf, estimate)
    known = se > 0 and found.df > 0
    method = "robust_t" if settings.variant == "robust_t" else "influence_t"
    ci = (
        t_interval(estimate, se, found.df, settings.level, settings.side, method) if known else None
    )
    if flips and ci is not None:
        tail = tail_probability(settings.level, settings.side)
        wider = hull(ci, subset_limits(sums, clusters.sizes, tail), settings.side)
        ci = agreeing(wider, pvalue, 1 - settings.level, estimate, settings.side)
    return ClusteredResult(
        test=test,
        variant=settings.variant,
        statistic=statistic,
        df=None if flips else found.df,
        pvalue=pvalue,
        alternative=settings.side,
        estimate=estimate,
        ci=ci,
        n=clusters.n,
        status=status,
        assumptions=(
            *cluster_assumptions(clusters, sums, nonzero, 1 - settings.level),
            *_midp(clusters, settings.variant),
        ),
        null_hypothesis=null,
        method=_VARIANTS[settings.variant],
        details=_details(found, tails, nonzero, formula, se, settings),
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


def _status(nonzero: int, se: float, clusters: int, df: float, settings: Settings) -> Status:
    if not nonzero:
        return Status.IDENTICAL_SCORES
    if settings.variant in FLIPS:
        few = too_few_clusters(clusters, 1 - settings.level)
        return Status.TOO_FEW if few else Status.OK
    if too_few_for_t(settings.variant, clusters, df):
        return Status.TOO_FEW
    return Status.OK if se > 0 else Status.ZERO_VARIANCE


def _formula(
    estimate: float, se: float, df: float, total: float, tails: Tails | None, settings: Settings
) -> tuple[float, float]:
    if tails is not None:
        exact = settings.variant == "sign_flip_exact"
        return total, float(tails.pvalue(settings.side, exact=exact)[0])
    t = estimate / se if se > 0 else math.nan
    return t, t_pvalue(t, df, settings.side) if df else math.nan


def _details(
    found: Dependence,
    tails: Tails | None,
    nonzero: int,
    formula: float,
    se: float,
    settings: Settings,
) -> dict[str, Any]:
    known = found.design_effect_raw > 0
    return {
        "n_clusters_nonzero": nonzero,
        "largest_share": found.largest_share,
        "formula_pvalue": formula,
        **({} if tails is None else _of_flips(tails, settings.side)),
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

"""Numeric losses, scores and costs of two classifiers on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats._checks import (
    FloatArray,
    check_alternative,
    check_choice,
    check_count,
    check_level,
    check_same_labels,
)
from bakeoff.stats._cluster_result import (
    ClusteredResult,
    cluster_assumptions,
    too_few_clusters,
    too_few_degrees,
)
from bakeoff.stats._clusters import Clusters, as_clusters
from bakeoff.stats._labels import as_cost, as_label_codes
from bakeoff.stats._paired import paired_differences, t_interval
from bakeoff.stats._registry import Arity, Evidence, register
from bakeoff.stats._result import Alternative, Assumption, Status
from bakeoff.stats._sign_flip import FLIPS, Tails, flip_tails, smallest_pvalue
from bakeoff.stats._tails import t_pvalue
from bakeoff.stats.dependence import Dependence, describe

__all__ = ["clustered_costs", "clustered_mean_difference"]

_VARIANTS = {"sign_flip": "canay2017", "sign_flip_exact": "canay2017", "robust_t": "bell2002"}
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
    variant: Literal["sign_flip", "sign_flip_exact", "robust_t"] = "sign_flip",
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
    variant : {"sign_flip", "sign_flip_exact", "robust_t"}
        ``"sign_flip"`` (default): mid-p over the signs of the group sums (Canay, Romano & Shaikh
        2017). ``"sign_flip_exact"`` counts the observed sum in full: the one to take with fewer
        than eight groups. ``"robust_t"``: CR2 variance with Bell & McCaffrey's (2002) degrees of
        freedom; with groups of one size the paired t test of the group means.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.
    confidence_level : float
        Level of the interval (``robust_t``).
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
    settings = _settings(variant, alternative, confidence_level, n_resamples, seed)
    d = paired_differences(values_a, values_b, greater_is_better=greater_is_better, of_rows=True)
    clusters = as_clusters(groups, len(d.values))
    if groups is not None:
        check_same_labels(values_a=values_a, groups=groups)
    return _result(
        "clustered_mean_difference",
        d.values,
        d.noise,
        clusters,
        settings,
        null="Exchanging the two fitted models in a whole group changes nothing: their mean is the "
        "same on the population that the groups were drawn from.",
    )


@register(
    title="Cost difference for groups of rows",
    evidence=Evidence.LABELS,
    arity=Arity.PAIR,
    about="models",
    answers="Do the errors of one of these two fitted models cost less on average on new groups?",
    plans=("holdout",),
    citation="canay2017",
    caution="With few groups it needs group effects that are as likely one way as the other, "
    "which cannot be tested.",
)
def clustered_costs(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    variant: Literal["sign_flip", "sign_flip_exact", "robust_t"] = "sign_flip",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    seed: int = 0,
) -> ClusteredResult:
    """Test whether two models have the same expected misclassification cost on rows in groups.

    Parameters
    ----------
    y_true, pred_a, pred_b : array_like, shape (N,)
        True labels and the labels that A and B predict, of any one kind.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own.
    cost : array_like, shape (C, C), optional
        ``cost[k, i]`` ≥ 0 is the cost of predicting class i where the truth is class k; the
        diagonal is 0. Without it every error costs 1.
    classes : sequence of length C, optional
        The labels in the order of the rows and columns of `cost`.
    variant, n_resamples, seed
        As in `clustered_mean_difference` (Canay, Romano & Shaikh 2017; Bell & McCaffrey 2002).
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better, its errors cost less.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    ClusteredResult
        `estimate` is B's mean cost less A's (positive favours A).

    Raises
    ------
    ValueError
        For unequal lengths, missing labels, labels outside `classes`, or a cost matrix that is
        not square, has negative entries or a diagonal that is not 0.

    Examples
    --------
    >>> y, a = ["no", "yes"] * 8, ["no", "yes", "no", "yes", "no", "no", "no", "yes"] * 2
    >>> b = ["yes", "yes", "no", "no", "no", "no", "yes", "yes"] * 2
    >>> result = clustered_costs(
    ...     y, a, b, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8],
    ...     cost=[[0, 1], [5, 0]], classes=["no", "yes"])
    >>> result.estimate, result.pvalue
    (0.875, 0.015625)
    """
    settings = _settings(variant, alternative, confidence_level, n_resamples, seed)
    names, truth, first, second = as_label_codes(y_true, pred_a, pred_b, classes)
    matrix = as_cost(cost, max(len(names), 2))
    cost_a, cost_b = matrix[truth, first], matrix[truth, second]
    d, noise = cost_b - cost_a, 1e-12 * float(matrix.max())
    result = _result(
        "clustered_costs",
        np.where(np.abs(d) <= noise, 0.0, d),
        noise,
        as_clusters(groups, len(d)),
        settings,
        null="The errors of the two fitted models cost the same on average on the population that "
        "the groups were drawn from.",
    )
    mean_b = float(cost_b.mean())
    own = {
        "cost_a": float(cost_a.mean()),
        "cost_b": mean_b,
        "misclassification_a": float((first != truth).mean()),
        "misclassification_b": float((second != truth).mean()),
        "n_cost_discordant": int(np.count_nonzero(d)),
        "cost": matrix.tolist(),
    }
    return dataclasses.replace(
        result,
        effect_sizes={"relative_cost_reduction": result.estimate / mean_b if mean_b else math.nan},
        details={**result.details, **own},
    )


@dataclasses.dataclass(frozen=True)
class _Settings:
    variant: str
    side: Alternative
    level: float
    n_resamples: int
    seed: int


def _settings(
    variant: str, alternative: str, confidence_level: float, n_resamples: int, seed: int
) -> _Settings:
    check_choice(variant, tuple(_VARIANTS), "variant")
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    draws = check_count(n_resamples, "n_resamples", least=1)
    return _Settings(variant, side, level, draws, check_count(seed, "seed"))


def _result(
    test: str, d: FloatArray, noise: float, clusters: Clusters, settings: _Settings, *, null: str
) -> ClusteredResult:
    sums = clusters.sums(d)
    # what cancels inside a group leaves float noise, not a difference
    sums = np.where(np.abs(sums) <= noise + 1e-12 * clusters.sums(np.abs(d)), 0.0, sums)
    found = describe(d, clusters)
    se = found.se if found.se > noise / math.sqrt(clusters.n) else 0.0
    tails = flip_tails(sums, n_resamples=settings.n_resamples, seed=settings.seed)
    nonzero = int(np.count_nonzero(sums))
    estimate = float(sums.sum()) / clusters.n
    status = _status(nonzero, se, clusters.count, found.df, settings)
    statistic, formula = _formula(estimate, se, found.df, float(sums.sum()), tails, settings)
    pvalue = formula if status is Status.OK else math.nan
    if status is Status.IDENTICAL_SCORES:
        statistic, pvalue = 0.0, 1.0
    if status is Status.ZERO_VARIANCE:
        statistic = math.copysign(math.inf, estimate)
    known = se > 0 and clusters.count > 1
    return ClusteredResult(
        test=test,
        variant=settings.variant,
        statistic=statistic,
        df=found.df if settings.variant == "robust_t" else None,
        pvalue=pvalue,
        alternative=settings.side,
        estimate=estimate,
        ci=t_interval(estimate, se, found.df, settings.level, settings.side, "robust_t")
        if known
        else None,
        n=clusters.n,
        status=status,
        assumptions=(
            *cluster_assumptions(clusters, nonzero, 1 - settings.level),
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


def _status(nonzero: int, se: float, clusters: int, df: float, settings: _Settings) -> Status:
    if not nonzero:
        return Status.IDENTICAL_SCORES
    if settings.variant in FLIPS:
        few = too_few_clusters(clusters, 1 - settings.level)
        return Status.TOO_FEW if few else Status.OK
    if too_few_degrees(df):
        return Status.TOO_FEW
    return Status.OK if se > 0 else Status.ZERO_VARIANCE


def _formula(
    estimate: float, se: float, df: float, total: float, tails: Tails, settings: _Settings
) -> tuple[float, float]:
    if settings.variant in FLIPS:
        exact = settings.variant == "sign_flip_exact"
        return total, float(tails.pvalue(settings.side, exact=exact)[0])
    t = estimate / se if se > 0 else math.nan
    return t, t_pvalue(t, df, settings.side) if df else math.nan


def _details(
    found: Dependence, tails: Tails, nonzero: int, formula: float, se: float, settings: _Settings
) -> dict[str, Any]:
    mid, exact = (float(tails.pvalue(settings.side, exact=counted)[0]) for counted in (False, True))
    error = math.sqrt(mid * (1 - mid) / tails.draws) if tails.draws else 0.0
    return {
        "n_clusters_nonzero": nonzero,
        "largest_share": found.largest_share,
        "formula_pvalue": formula,
        "pvalue_exact": exact,
        "smallest_pvalue": float(smallest_pvalue(nonzero)),
        "method": tails.method,
        "monte_carlo_error": error,
        "se": se,
        "se_cr1": se * math.sqrt(found.design_effect_cr1 / found.design_effect_raw)
        if found.design_effect_raw > 0
        else math.nan,
        "df": found.df,
        "design_effect_raw": found.design_effect_raw,
    }


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

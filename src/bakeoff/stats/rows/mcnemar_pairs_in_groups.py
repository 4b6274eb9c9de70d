"""All pairs of several classifiers on rows that come in groups, from the sums inside groups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.correctness_matrix import both_correct
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, one_sided
from bakeoff.stats.core.multiplicity import simultaneous_level
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_decided,
    check_control,
    check_correction,
)
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Status,
)
from bakeoff.stats.design.cluster_result import (
    few_clusters,
    independent_clusters,
    symmetric_differences,
    too_few_clusters,
    too_few_degrees,
)
from bakeoff.stats.design.clusters import (
    Clusters,
    degrees_of_freedom,
    design_effect,
    equivalent_tail,
    moments,
)
from bakeoff.stats.design.sign_flip import whole_pvalues
from bakeoff.stats.design.subset_limits import HULL, agreeing, subset_limits

VARIANTS = ("sign_flip", "robust_t")
_ENOUGH = 5


def pairs_in_groups(
    matrix: BoolArray,
    clusters: Clusters,
    *,
    variant: str,
    correction: str,
    control: int | None,
    alternative: Alternative,
    confidence_level: Level,
    simultaneous: bool,
) -> PairwiseResult:
    """Compare all pairs by sign flips or a robust t; see `mcnemar_pairs` for the options.

    Everything but the counts comes from the K × M sums inside groups; one model at a time is
    compared with those after it, so nothing of size N × M × M is made.
    """
    models = matrix.shape[1]
    chosen = check_control(control, models)
    method = check_correction(correction, chosen, alternative, models)
    family = models * (models - 1) // 2 if chosen is None else models - 1
    level = confidence_level
    each = simultaneous_level(level, family, method) if simultaneous else level
    settings = _Settings(variant, alternative, each, 1 - level, simultaneous)
    table = _Table(matrix, clusters, clusters.sums(matrix), both_correct(matrix, None))
    parts = [_compare(table, i, others, settings) for i, others in _contrasts(models, chosen)]
    pvalues = np.concatenate([part.pvalue for part in parts])
    adjusted = adjust_decided(pvalues, method)
    pairs = tuple(
        pair
        for part, own in zip(
            parts, np.split(adjusted, np.cumsum([len(p.pvalue) for p in parts])[:-1]), strict=True
        )
        for pair in _pairs(part, own, clusters, settings)
    )
    return PairwiseResult(
        test="mcnemar",
        variant=variant,
        correction=method,
        pairs=pairs,
        n=clusters.n,
        alternative=alternative,
        status=_overall(pairs),
        assumptions=_assumptions(clusters, parts, family, 1 - confidence_level),
        null_hypothesis="Exchanging the two fitted models of a pair in a whole group changes "
        "nothing: they are equally accurate on the population of the groups.",
        method={"sign_flip": "canay2017", "robust_t": "bell2002"}[variant],
        details={
            "accuracies": (table.totals.sum(axis=0) / clusters.n).tolist(),
            "n_clusters": clusters.count,
            "confidence_level": confidence_level,
            "confidence_level_each": each,
            "simultaneous": simultaneous,
            "control": control,
        },
    )


@dataclasses.dataclass(frozen=True)
class _Settings:
    variant: str
    side: Alternative
    level: float
    alpha: float
    simultaneous: bool


@dataclasses.dataclass(frozen=True)
class _Table:
    matrix: BoolArray
    clusters: Clusters
    totals: FloatArray  # (K, M) right rows of each model in each cluster
    together: FloatArray  # (M, M) rows that both of a pair have right


@dataclasses.dataclass(frozen=True)
class _Part:
    """One model against several: an array per quantity."""

    first: int
    others: NDArray[np.intp]
    counts: FloatArray  # (4, P)
    nonzero: NDArray[np.intp]
    effect: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    df: float
    status: list[Status]
    symmetric: Assumption


def _contrasts(models: int, control: int | None) -> Iterator[tuple[int, NDArray[np.intp]]]:
    if control is not None:
        yield control, np.delete(np.arange(models), control)
        return
    for i in range(models - 1):
        yield i, np.arange(i + 1, models)


def _compare(table: _Table, i: int, others: NDArray[np.intp], settings: _Settings) -> _Part:
    clusters, n = table.clusters, table.clusters.n
    sums = table.totals[:, [i]] - table.totals[:, others]
    both = table.together[i, others]
    b, c = table.together[i, i] - both, table.together[others, others] - both
    found = moments(sums, b + c, clusters)
    df = degrees_of_freedom(clusters.shares)
    nonzero = np.count_nonzero(sums, axis=0)
    effect = design_effect(found, _informative(table, i, others, nonzero), clusters)
    status = [
        _status(*facts, clusters.count, df, settings)
        for facts in zip(b + c, nonzero, found.variance, strict=True)
    ]
    statistic, pvalue = _decide(sums, found.mean, found.variance, df, settings)
    undecided = [s in (Status.TOO_FEW, Status.ZERO_VARIANCE) for s in status]
    alike = [s in (Status.NO_DISCORDANT_PAIRS, Status.IDENTICAL_SCORES) for s in status]
    counts = np.stack([both, b, c, n - both - b - c])
    low, high = _limits(counts / effect, sums, clusters, df, settings)
    return _Part(
        first=i,
        others=others,
        counts=counts,
        nonzero=nonzero,
        effect=effect,
        statistic=np.where(alike, 0.0, statistic),
        pvalue=np.where(alike, 1.0, np.where(undecided, math.nan, pvalue)),
        low=low,
        high=high,
        df=df,
        status=status,
        symmetric=symmetric_differences(clusters.sizes, sums),
    )


def _informative(
    table: _Table, i: int, others: NDArray[np.intp], nonzero: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Clusters that hold a discordant row, counted where those that differ are too few to tell."""
    holding = nonzero.copy()
    for place in np.flatnonzero(nonzero < _ENOUGH):
        rows = table.matrix[:, i] != table.matrix[:, others[place]]
        holding[place] = len(np.unique(table.clusters.codes[rows]))
    return holding


def _status(
    discordant: float, nonzero: int, variance: float, count: int, df: float, settings: _Settings
) -> Status:
    if not discordant:
        return Status.NO_DISCORDANT_PAIRS
    if not nonzero:
        return Status.IDENTICAL_SCORES
    if settings.variant == "sign_flip":
        return Status.TOO_FEW if too_few_clusters(count, settings.alpha) else Status.OK
    if too_few_degrees(df):
        return Status.TOO_FEW
    return Status.OK if variance > 0 else Status.ZERO_VARIANCE


def _decide(
    sums: FloatArray, mean: FloatArray, variance: FloatArray, df: float, settings: _Settings
) -> tuple[FloatArray, FloatArray]:
    if settings.variant == "robust_t":
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / np.sqrt(variance)
        tested = {"greater": -t, "less": t, "two-sided": -np.abs(t)}[settings.side]
        p = np.asarray(special.stdtr(max(df, 1e-3), tested), dtype=np.float64)
        return t, np.minimum(1.0, 2 * p) if settings.side == "two-sided" else p
    return sums.sum(axis=0), whole_pvalues(sums, settings.side)


def _limits(
    counts: FloatArray, sums: FloatArray, clusters: Clusters, df: float, settings: _Settings
) -> tuple[FloatArray, FloatArray]:
    tail = tail_probability(settings.level, settings.side)
    both, b, c, neither = counts
    normal_tail = float(equivalent_tail(df, tail))
    low, high = DIFFERENCE_METHODS["newcombe"](both, b, c, neither, normal_tail)
    if not clusters.trivial and clusters.count > 1:
        least, most = subset_limits(sums, clusters.sizes, tail)
        low, high = np.minimum(low, least), np.maximum(high, most)
    return one_sided(low, high, settings.side)


def _pairs(
    part: _Part, adjusted: FloatArray, clusters: Clusters, settings: _Settings
) -> Iterator[Pair]:
    n = float(clusters.n)
    has_df = settings.variant == "robust_t"
    known = part.df > 0
    for place, other in enumerate(part.others.tolist()):
        both, b, c, neither = (int(x) for x in part.counts[:, place])
        effect = float(part.effect[place])
        estimate, pvalue = (b - c) / n, float(part.pvalue[place])
        # where all intervals hold together each agrees with the adjusted p, else with its own
        tested = float(adjusted[place]) if settings.simultaneous else pvalue
        limits = float(part.low[place]), float(part.high[place])
        ci = ConfidenceInterval(*limits, settings.level, HULL)
        if not clusters.trivial:
            ci = agreeing(ci, tested, settings.alpha, estimate, settings.side)
        yield Pair(
            a=part.first,
            b=other,
            statistic=float(part.statistic[place]),
            pvalue=pvalue,
            pvalue_adjusted=float(adjusted[place]),
            estimate=estimate,
            ci=ci if known else None,
            df=part.df if has_df else None,
            status=part.status[place],
            details={
                "both_correct": both,
                "only_a_correct": b,
                "only_b_correct": c,
                "both_wrong": neither,
                "odds_ratio": b / c if c else (math.inf if b else math.nan),
                "cohens_g": (b - c) / (2 * (b + c)) if b + c else math.nan,
                "n_clusters": clusters.count,
                "n_clusters_nonzero": int(part.nonzero[place]),
                "design_effect": effect,
                "n_effective": n / effect,
            },
        )


def _overall(pairs: tuple[Pair, ...]) -> Status:
    found = {pair.status for pair in pairs}
    return Status.OK if Status.OK in found else pairs[0].status


def _assumptions(
    clusters: Clusters, parts: list[_Part], family: int, alpha: float
) -> tuple[Assumption, ...]:
    nonzero = np.concatenate([part.nonzero for part in parts])
    hopeless = int((2.0 ** -nonzero.astype(np.float64) * family > alpha).sum())
    return (
        independent_clusters(clusters),
        *few_clusters(clusters, alpha),
        Assumption(
            "enough groups that differ",
            hopeless == 0,
            f"{hopeless} of {family} pairs differ in so few groups (fewest {int(nonzero.min())}) "
            f"that their p could never reach {alpha:.3g}/{family}",
        ),
        min((part.symmetric for part in parts), key=lambda found: found.holds is not False),
    )

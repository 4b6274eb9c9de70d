"""All pairs of several classifiers on rows that come in groups, from the sums inside groups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, one_sided
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status
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

VARIANTS = {"sign_flip": "canay2017", "robust_t": "bell2002"}
_ENOUGH = 5


@dataclasses.dataclass(frozen=True)
class Asked:
    """The form of the test, the alternative, the level of an interval, and α of the family."""

    variant: str
    side: Alternative
    level: float
    alpha: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairTests:
    """What a form of the test says of each of P pairs.

    Attributes
    ----------
    statistic, pvalue : ndarray, shape (P,)
    limits : tuple of ndarray, shape (P,)
        The intervals, by the method `ci_method`.
    status : list of Status
    df : float or None
    assumptions, null_hypothesis, method
        As of the result.
    of_groups : Mapping of str to ndarray, shape (P,)
        What the groups say of each pair.
    trivial : bool
        Whether no interval is to agree with its p-value, for rows are no groups.
    """

    statistic: FloatArray
    pvalue: FloatArray
    limits: tuple[FloatArray, FloatArray]
    ci_method: str
    status: list[Status]
    df: float | None
    assumptions: tuple[Assumption, ...]
    null_hypothesis: str
    method: str
    of_groups: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    known: bool = True
    trivial: bool = True

    def intervals(
        self, estimates: FloatArray, pvalues: FloatArray, asked: Asked
    ) -> Sequence[ConfidenceInterval | None]:
        """Return the interval of each pair, which in groups agrees with a p-value."""
        if not self.known:
            return [None] * len(estimates)
        low, high = (ends.tolist() for ends in self.limits)
        ends = [
            ConfidenceInterval(*at, asked.level, self.ci_method)
            for at in zip(low, high, strict=True)
        ]
        if self.trivial:
            return ends
        beside = zip(ends, pvalues.tolist(), estimates.tolist(), strict=True)
        return [agreeing(ci, p, asked.alpha, estimate, asked.side) for ci, p, estimate in beside]

    def details(self, i: int) -> dict[str, Any]:
        """Return what the groups say of a pair."""
        return {name: values[i].item() for name, values in self.of_groups.items()}


def pairs_in_groups(
    matrix: BoolArray,
    cells: FloatArray,
    clusters: Clusters,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    asked: Asked,
) -> PairTests:
    """Compare pairs of models by sign flips or a robust t, given their counts, shape (4, P).

    Everything but the counts comes from the K × M sums inside groups; one model at a time is
    compared with those after it, so nothing of size N × M × M is made.
    """
    totals, df = clusters.sums(matrix), degrees_of_freedom(clusters.shares)
    first, second = pairs
    parts = [
        _compare(matrix, totals, cells[:, first == i], clusters, (i, second[first == i]), df, asked)
        for i in np.unique(first)
    ]
    of_groups = {key: np.concatenate([part[key] for part in parts]) for key in _PER_PAIR}
    statistic, pvalue, nonzero, effect = of_groups.values()
    blocks = np.array_split(np.arange(len(first)), -(-len(first) // _AT_ONCE))
    limits = [
        _limits(
            cells[:, block] / effect[block],
            totals[:, first[block]] - totals[:, second[block]],
            clusters,
            df,
            asked,
        )
        for block in blocks
    ]
    low, high = np.concatenate(limits, axis=1)
    status = [status for part in parts for status in part["status"]]
    return PairTests(
        statistic=statistic,
        pvalue=pvalue,
        limits=(low, high),
        ci_method=HULL,
        df=df if asked.variant == "robust_t" else None,
        status=status,
        assumptions=_assumptions(
            clusters, nonzero, [part["symmetric"] for part in parts], asked.alpha
        ),
        null_hypothesis="Exchanging the two fitted models of a pair in a whole group changes "
        "nothing: they are equally accurate on the population of the groups.",
        method=VARIANTS[asked.variant],
        of_groups={
            "n_clusters": np.full(len(first), clusters.count),
            "n_clusters_nonzero": nonzero,
            "design_effect": effect,
            "n_effective": clusters.n / effect,
        },
        known=df > 0,
        trivial=clusters.trivial,
    )


_PER_PAIR = ("statistic", "pvalue", "nonzero", "effect")
_AT_ONCE = 256  # pairs whose limits are computed together


def _compare(
    matrix: BoolArray,
    totals: FloatArray,
    cells: FloatArray,
    clusters: Clusters,
    models: tuple[int, NDArray[np.intp]],
    df: float,
    asked: Asked,
) -> dict[str, Any]:
    """Compare one model with several: an array per quantity of `_PER_PAIR`."""
    i, others = models
    sums = totals[:, [i]] - totals[:, others]
    discordant = cells[1] + cells[2]
    found = moments(sums, discordant, clusters)
    nonzero = np.count_nonzero(sums, axis=0)
    informative = _informative(matrix, clusters, models, nonzero)
    effect = design_effect(found, informative, clusters)
    status = [
        _status(*facts, clusters.count, df, asked)
        for facts in zip(discordant, nonzero, found.variance, strict=True)
    ]
    statistic, pvalue = _decide(sums, found.mean, found.variance, df, asked)
    undecided = [s in (Status.TOO_FEW, Status.ZERO_VARIANCE) for s in status]
    alike = [s in (Status.NO_DISCORDANT_PAIRS, Status.IDENTICAL_SCORES) for s in status]
    return {
        "statistic": np.where(alike, 0.0, statistic),
        "pvalue": np.where(alike, 1.0, np.where(undecided, math.nan, pvalue)),
        "nonzero": nonzero,
        "effect": effect,
        "status": status,
        "symmetric": symmetric_differences(clusters.sizes, sums),
    }


def _informative(
    matrix: BoolArray,
    clusters: Clusters,
    models: tuple[int, NDArray[np.intp]],
    nonzero: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Clusters that hold a discordant row, counted where those that differ are too few to tell."""
    (i, others), holding = models, nonzero.copy()
    for place in np.flatnonzero(nonzero < _ENOUGH):
        rows = matrix[:, i] != matrix[:, others[place]]
        holding[place] = len(np.unique(clusters.codes[rows]))
    return holding


def _status(
    discordant: float, nonzero: int, variance: float, count: int, df: float, asked: Asked
) -> Status:
    if not discordant:
        return Status.NO_DISCORDANT_PAIRS
    if not nonzero:
        return Status.IDENTICAL_SCORES
    if asked.variant == "sign_flip":
        return Status.TOO_FEW if too_few_clusters(count, asked.alpha) else Status.OK
    if too_few_degrees(df):
        return Status.TOO_FEW
    return Status.OK if variance > 0 else Status.ZERO_VARIANCE


def _decide(
    sums: FloatArray, mean: FloatArray, variance: FloatArray, df: float, asked: Asked
) -> tuple[FloatArray, FloatArray]:
    if asked.variant == "robust_t":
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / np.sqrt(variance)
        tested = {"greater": -t, "less": t, "two-sided": -np.abs(t)}[asked.side]
        p = np.asarray(special.stdtr(max(df, 1e-3), tested), dtype=np.float64)
        return t, np.minimum(1.0, 2 * p) if asked.side == "two-sided" else p
    return sums.sum(axis=0), whole_pvalues(sums, asked.side)


def _limits(
    counts: FloatArray, sums: FloatArray, clusters: Clusters, df: float, asked: Asked
) -> FloatArray:
    """Return the lower and upper limits of pairs, shape (2, P)."""
    tail = tail_probability(asked.level, asked.side)
    both, b, c, neither = counts
    normal_tail = float(equivalent_tail(df, tail))
    low, high = DIFFERENCE_METHODS["newcombe"](both, b, c, neither, normal_tail)
    if not clusters.trivial and clusters.count > 1:
        least, most = subset_limits(sums, clusters.sizes, tail)
        low, high = np.minimum(low, least), np.maximum(high, most)
    return np.stack(one_sided(low, high, asked.side))


def _assumptions(
    clusters: Clusters, nonzero: NDArray[np.intp], symmetric: list[Assumption], alpha: float
) -> tuple[Assumption, ...]:
    family = len(nonzero)
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
        min(symmetric, key=lambda found: found.holds is not False),
    )

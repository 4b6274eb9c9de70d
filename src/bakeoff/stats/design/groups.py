"""Tests on rows in groups: robust standard errors, their degrees of freedom, and their results."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.paired_differences import UNBOUNDED, Estimate
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.clusters import Clusters, Dependence, degrees_of_freedom, describe
from bakeoff.stats.design.flips import FLIPS, Tails, agreeing, flip_tails, hull, subset_limits

Codes = NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class Leverage:
    """What sums over groups are divided by, row by row."""

    root: FloatArray  # √(1 − p), p the share of the row's group in the rows, or in its class
    df: float  # Bell & McCaffrey's degrees of freedom; 0 where all rows of a class are in one group
    shares: FloatArray  # of each group: in the rows, or the mean of its shares in the classes

    @classmethod
    def from_codes(cls, clusters: Codes, classes: Codes | None = None) -> Leverage:
        """Find the leverage of rows by the codes of their groups, and of their classes."""
        kinds = np.zeros(len(clusters), dtype=np.intp) if classes is None else classes
        counts = np.zeros((int(kinds.max()) + 1, int(clusters.max()) + 1))
        np.add.at(counts, (kinds, clusters), 1.0)
        occupied = counts[counts.sum(axis=1) > 0]
        of_classes = occupied / occupied.sum(axis=1, keepdims=True)
        row_shares = counts[kinds, clusters] / counts.sum(axis=1)[kinds]
        alone = bool((of_classes == 1).any())
        shares = of_classes.mean(axis=0)
        df = 0.0 if alone else degrees_of_freedom(shares)
        return cls(np.sqrt(np.maximum(1 - row_shares, 0.0)), df, shares)


def leverage_of(clusters: Codes | None) -> Leverage | None:
    """Return the leverage of groups among the rows; None where rows stand alone."""
    return None if clusters is None else Leverage.from_codes(clusters)


FEWEST_CLUSTERS = 5
"""With fewer clusters there is no answer."""


@dataclasses.dataclass(frozen=True)
class Spread:
    """How precisely a metric is known."""

    se: float
    df: float  # those of the units, or fewer where a few of them carry the variance
    units: float  # independent ones: rows, with their pseudo-rows, or clusters

    def around(self, value: float) -> Estimate:
        """Return a value that is known so precisely."""
        return Estimate(value=value, se=self.se, df=self.df)

    def quantile(self, level: float, side: Alternative) -> float:
        """Return the half-width of an interval in standard errors."""
        return -float(special.stdtrit(self.df, tail_probability(level, side)))


def spread(
    psi: FloatArray,
    *,
    weights: FloatArray | None = None,
    clusters: NDArray[np.intp] | None = None,
    pseudo: tuple[FloatArray, FloatArray] | None = None,
    leverage: Leverage | None = None,
) -> Spread:
    """Return standard error and degrees of freedom of a metric from its influence values."""
    # se² = G/(G − 1)·ΣS²/n², S the influence values or their sums by cluster, G their number, and
    # ν = min(G − 1, 2s₂²/(s₄ − s₂²/G)) with s_k = ΣS^k (Satterthwaite's 1946 idea applied to
    # influence values). With leverage se² = ΣS²/n², each S divided by the root of one less its
    # cluster's share, and ν at most Bell & McCaffrey's: the same for
    # clusters of one size.
    extra, extra_weights = pseudo if pseudo is not None else (np.empty(0), np.empty(0))
    weights = _ones(len(psi)) if weights is None else weights
    if leverage is not None:
        if not leverage.df > 0:
            assert clusters is not None
            return Spread(math.nan, 0.0, float(clusters.max() + 1))
        psi = psi / leverage.root
    n = float(weights.sum() + extra_weights.sum())
    if clusters is None:
        units, sums, counts = n, psi, weights
    else:
        sums = np.bincount(clusters, weights=psi * weights).astype(np.float64)
        units, counts = float(len(sums)), np.ones(len(sums))
    # fourth powers of large numbers would overflow
    ends = (end for v in (sums, extra) for end in (v.max(initial=0), -v.min(initial=0)))
    scale = float(max(ends)) or 1.0
    second = fourth = 0.0
    for values, times in ((sums, counts), (extra, extra_weights)):
        powers = values / scale
        powers *= powers
        second += float(times @ powers)
        powers *= powers
        fourth += float(times @ powers)
    if units <= 1:
        return Spread(math.nan, math.nan, units)
    factor = units / (units - 1) if leverage is None else 1.0
    se = scale * math.sqrt(factor * second) / n
    most = units - 1 if leverage is None else leverage.df
    excess = fourth - second**2 / units
    return Spread(se, min(most, 2 * second**2 / excess) if excess > 0 else most, units)


@lru_cache(maxsize=1)
def _ones(n: int) -> FloatArray:
    """Return the weights of rows that count once, kept for the next of many models."""
    ones = np.ones(n)
    ones.flags.writeable = False
    return ones


_LEAST_DF, _RECOMMENDED = 4.0, 15
_SHOWS_SKEW, _SHOWS_SYMMETRY = 20, 60
"""Groups from which on data show that differences are skewed, or that they are not."""
_SKEWED = 1.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusteredResult(Result):
    """A `Result` on rows that come in groups; `n` counts the rows.

    Attributes
    ----------
    n_clusters : int
        Number of groups.
    n_effective : float
        Independent rows that would tell as much: n/design_effect.
    design_effect : float
        Variance of the estimate over that of independent rows, at least 1.
    icc : float
        Intraclass correlation of the differences per row; NaN where it is undefined.
    """

    n_clusters: int
    n_effective: float
    design_effect: float
    icc: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusteredEquivalenceResult(ClusteredResult, EquivalenceResult):
    """An `EquivalenceResult` on rows that come in groups, with what `ClusteredResult` has."""


def too_few_clusters(clusters: int, alpha: float) -> bool:
    """Whether no sign flip of so many clusters could reach the level: 2^(1 − K) > α."""
    return 2.0 ** (1 - clusters) > alpha * (1 + 1e-9)


def too_few_degrees(df: float) -> bool:
    """Whether a robust variance has too few degrees of freedom to be trusted: below 4."""
    return df < _LEAST_DF - 1e-9


def enough_degrees(clusters: Clusters, df: float) -> Assumption:
    """Return the assumption that the groups give a robust variance enough degrees of freedom."""
    return Assumption(
        "enough groups",
        not too_few_degrees(df),
        f"{clusters.count} groups of these sizes give {df:.1f} degrees of freedom; it wants 4",
    )


def recommended_groups(units: float) -> Assumption:
    """Return the assumption that groups are enough for a t of their sums."""
    return Assumption(
        "enough groups",
        units >= _RECOMMENDED,
        f"{units:.0f} groups; at least {_RECOMMENDED} are recommended and {FEWEST_CLUSTERS} are "
        "required",
    )


def too_few_for_t(variant: str, clusters: int, df: float) -> bool:
    """Whether a t form of a mean or an area has too little to go by."""
    if variant in ("influence_t", "t_and_flips"):
        return clusters < FEWEST_CLUSTERS or df < 1
    return variant == "robust_t" and too_few_degrees(df)


def independent_clusters(clusters: Clusters) -> Assumption:
    """Return the assumption that the groups are independent, with their number."""
    if clusters.trivial:
        return Assumption(
            "independent rows", None, "every row is a group of its own; none were declared"
        )
    return Assumption(
        "independent groups",
        None,
        f"{clusters.n} rows in {clusters.count} groups, the largest has "
        f"{100 * float(clusters.shares.max()):.0f} % of the rows; rows of one group may depend on "
        "each other, groups may not",
    )


def symmetric_differences(weights: FloatArray, sums: FloatArray | None = None) -> Assumption:
    """Return the assumption that carries every test of few groups, and what the data say of it."""
    # Group means are skewed to the side that the estimate does not lie on where a few groups speak
    # strongly against it: had these not been drawn, all others would have agreed. Means of small
    # groups are damped, for they scatter. With fewer than 60 groups a twentieth of them is missed
    # with a probability of 5 % (.95^60) or more, so that data cannot show symmetry.
    count, name, against = len(weights), "symmetric group differences", 0.0
    if sums is not None:
        columns, sizes = sums.reshape(count, -1), weights[:, None]
        mean = columns.sum(axis=0) / weights.sum()
        damped = (columns - sizes * mean) / (1 + sizes / np.median(sizes))
        damped = damped - damped.mean(axis=0)
        second, third = np.square(damped).mean(axis=0), (damped**3).mean(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            skewness = np.where(second > 0, third / second**1.5, 0.0)
        against = -float((skewness * np.sign(mean)).min())
    if count >= _SHOWS_SKEW and against > _SKEWED:
        return Assumption(
            name,
            False,
            f"a few of {count} groups differ strongly against the estimate (skewness "
            f"{against:.1f}); on such data true null hypotheses are rejected too often",
        )
    if count >= _SHOWS_SYMMETRY:
        return Assumption(
            name, True, f"{count} groups, whose differences are not skewed against the estimate"
        )
    return Assumption(
        name,
        None,
        f"{count} groups; the differences of the groups must be as likely one way as the other, "
        f"which fewer than {_SHOWS_SYMMETRY} cannot show",
    )


def cluster_assumptions(
    clusters: Clusters, sums: FloatArray, nonzero: int, alpha: float
) -> tuple[Assumption, ...]:
    """Return what a test by sign flips assumes of the groups, and what the data say."""
    k, smallest = clusters.count, 2.0**-nonzero
    if too_few_clusters(k, alpha):
        needed = math.ceil(1 - math.log2(alpha) - 1e-9)
        rows, groups = ("" if n == 1 else "s" for n in (clusters.n, k))
        enough = Assumption(
            "enough groups",
            False,
            f"{clusters.n:,} row{rows} in {k} group{groups}, and at a level of {alpha:.3g} it "
            f"takes {needed} groups: the signs of fewer can never reject",
        )
    else:
        enough = Assumption(
            "enough groups that differ",
            smallest <= alpha,
            f"the models differ in {nonzero} of {k} groups: the smallest two-sided mid-p-value "
            f"that these can give is {smallest:.3g}",
        )
    return independent_clusters(clusters), enough, symmetric_differences(clusters.sizes, sums)


SOURCES = {
    "sign_flip": "canay2017",
    "sign_flip_exact": "canay2017",
    "influence_t": "satterthwaite1946",
    "robust_t": "bell2002",
}
"""The reference distributions, each with its source."""
_MIDP_CLUSTERS = 8  # with fewer the mid-p of numeric differences rejects 6 to 7 % at 5 %


@dataclasses.dataclass(frozen=True)
class GroupTest:
    """How a mean difference on rows in groups is tested."""

    clusters: Clusters  # the groups
    sums: FloatArray  # (K,): D_k, the sum of the differences in each group
    dependence: Dependence  # with the standard error of their mean and its degrees of freedom
    variant: str  # one of `SOURCES`
    side: Alternative
    level: float  # of the interval; 1 − it is the level that the number of groups must allow
    n_resamples: int = 0  # of the signs where the sums are no whole numbers
    seed: int = 0

    @classmethod
    def of_rows(
        cls,
        d: FloatArray,
        noise: float,
        clusters: Clusters,
        variant: str,
        side: Alternative,
        level: float,
        n_resamples: int,
        seed: int,
    ) -> GroupTest:
        """Test differences per row, of which `noise` is none."""
        # what cancels inside a group leaves float noise, not a difference
        sums = clusters.sums(d)
        sums = np.where(np.abs(sums) <= noise + 1e-12 * clusters.sums(np.abs(d)), 0.0, sums)
        dependence = describe(d, clusters)
        if variant != "robust_t":
            groups = clusters.codes
            df = spread(d - d.mean(), clusters=groups, leverage=leverage_of(groups)).df
            dependence = dataclasses.replace(dependence, df=df)
        if not dependence.se > noise / math.sqrt(clusters.n):
            dependence = dataclasses.replace(dependence, se=0.0)
        return cls(clusters, sums, dependence, variant, side, level, n_resamples, seed)

    @property
    def flips(self) -> bool:
        """Whether signs are flipped."""
        return self.variant in FLIPS

    @property
    def estimate(self) -> float:
        """The mean difference over rows."""
        return float(self.sums.sum()) / self.clusters.n

    @property
    def nonzero(self) -> int:
        """Groups that differ: K′."""
        return int(np.count_nonzero(self.sums))

    @cached_property
    def tails(self) -> Tails:
        """The distribution of the sum under sign flips."""
        return flip_tails(self.sums, n_resamples=self.n_resamples, seed=self.seed)

    @property
    def status(self) -> Status:
        """Whether the groups allow an answer."""
        if not self.sums.any():
            return Status.IDENTICAL_SCORES
        count = self.clusters.count
        if self.flips:
            few = too_few_clusters(count, 1 - self.level)
        else:
            few = too_few_for_t(self.variant, count, self.dependence.df)
        if few:
            return Status.TOO_FEW
        return Status.OK if self.flips or self.dependence.se > 0 else Status.ZERO_VARIANCE

    def formula(self) -> tuple[float, float]:
        """Return the statistic and its p-value, whatever the status."""
        if self.flips:
            exact = self.variant == "sign_flip_exact"
            return float(self.sums.sum()), self.tails.pvalue(self.side, exact=exact)
        return self.by_t.statistic, self.by_t.pvalue(self.side)

    @property
    def by_t(self) -> Estimate:
        """The mean difference with its robust standard error."""
        dependence = self.dependence
        return Estimate(value=self.estimate, se=dependence.se, df=dependence.df)

    def result(
        self,
        details: dict[str, Any],
        ci: ConfidenceInterval | None,
        bounds: tuple[float, float] | None,
        **facts: Any,
    ) -> ClusteredResult:
        """Return the result; with bounds the interval becomes the hull with that of subsets."""
        dependence, varies = self.dependence, self.dependence.design_effect_raw > 0
        alpha, status = 1 - self.level, facts.pop("status", self.status)
        statistic, formula = self.formula()
        statistic, pvalue = answered(status, statistic, formula, self.estimate)
        if ci is not None and bounds is not None:
            tail = tail_probability(self.level, self.side)
            limits = subset_limits(self.sums, self.clusters.sizes, tail)
            ci = hull(ci, limits, self.side, bounds)
            ci = agreeing(ci, pvalue, alpha, self.estimate, self.side)
        assumed = cluster_assumptions(self.clusters, self.sums, self.nonzero, alpha)
        ratio = dependence.design_effect_cr1 / dependence.design_effect_raw if varies else math.nan
        return ClusteredResult(
            variant=self.variant,
            statistic=statistic,
            df=None if self.flips else dependence.df,
            pvalue=pvalue,
            alternative=self.side,
            estimate=self.estimate,
            ci=ci,
            status=status,
            assumptions=(*assumed, *facts.pop("assumptions", ())),
            method=SOURCES[self.variant],
            details={
                "n_clusters_nonzero": self.nonzero,
                "largest_share": dependence.largest_share,
                "formula_pvalue": formula,
                "smallest_pvalue": 2.0**-self.nonzero,
                "se": dependence.se,
                "se_cr1": dependence.se * math.sqrt(ratio),
                "df": dependence.df,
                "design_effect_raw": dependence.design_effect_raw,
                **details,
            },
            **dependence.worth,
            **facts,
        )

    def of_numbers(self, details: dict[str, Any], **facts: Any) -> ClusteredResult:
        """Return the result of differences of any size, with the interval of Student's t."""
        method, assumed = "influence_t", []
        if self.variant == "robust_t":
            method = self.variant
        if self.variant == "sign_flip":
            detail = (
                f"{self.clusters.count} groups; below {_MIDP_CLUSTERS} take variant "
                "sign_flip_exact, the mid-p of numbers rejects a little too often there"
            )
            enough = self.clusters.count >= _MIDP_CLUSTERS
            assumed.append(Assumption("enough groups for the mid-p", enough, detail))
        if self.flips:
            mid, exact = (self.tails.pvalue(self.side, exact=e) for e in (False, True))
            draws = self.tails.draws
            error = math.sqrt(mid * (1 - mid) / draws) if draws else 0.0
            details |= {"pvalue_exact": exact, "method": self.tails.method}
            details["monte_carlo_error"] = error
        ci = self.by_t.interval(self.level, self.side, method)
        bounds = UNBOUNDED if self.flips else None
        return self.result(details, ci, bounds, assumptions=assumed, **facts)

"""How often one algorithm scores higher than another: over runs, and over data sets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt, Lt
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_floats
from bakeoff.stats.core.paired_differences import effect_sizes, paired_differences
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Result, Status

__all__ = ["Replicability", "prob_a_better", "prob_a_better_sample_size", "replicability_count"]


@checked
def prob_a_better(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    gamma: Annotated[float, Gt(0.5), Lt(1)] = 0.75,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Describe how often A scores higher than B over paired runs (no test; no p-value).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (N,)
        Scores of A and B in the same runs: splits, seeds, or both.
    gamma : float
        The probability from which a difference is called meaningful, above 0.5.
    greater_is_better : bool
        False for losses and error rates.

    Returns
    -------
    Result
        `estimate` is the share of runs that A wins, ties counting half; `ci` its percentile
        bootstrap interval, computed exactly. ``details["verdict"]`` is ``"not significant"``,
        ``"significant, not meaningful"`` or ``"significant and meaningful"``. `pvalue` is NaN:
        runs on one data set share its rows, so as a test it would reject true nulls too often.

    Notes
    -----
    Bouthillier et al. (2021). The bootstrap mean of N values of 0, ½ and 1 is a multinomial sum;
    its quantiles need no sampling.

    Examples
    --------
    >>> result = prob_a_better([0.9, 0.8, 0.85, 0.9], [0.8, 0.7, 0.80, 0.95])
    >>> result.estimate, tuple(result.ci)
    (0.75, (0.25, 1.0))
    """
    d = paired_differences(scores_a, scores_b, greater_is_better=greater_is_better)
    wins, ties = int((d.values > 0).sum()), int((d.values == 0).sum())
    n = d.values.size
    low, high = _bootstrap_limits(wins, ties, n, confidence_level)
    verdict = "not significant"
    if low > 0.5:
        verdict = "significant and meaningful" if high > gamma else "significant, not meaningful"
    return Result(
        test="prob_a_better",
        statistic=math.nan,
        pvalue=math.nan,
        estimate=(wins + ties / 2) / n,
        ci=ConfidenceInterval(low, high, confidence_level, "percentile-bootstrap"),
        effect_sizes=effect_sizes(d),
        n=n,
        status=Status.IDENTICAL_SCORES if d.identical else Status.OK,
        assumptions=(
            Assumption(
                "independent runs", False, "runs on one data set share its rows: a description"
            ),
        ),
        null_hypothesis="None: a description of these runs.",
        method="bouthillier2021",
        details={"verdict": verdict, "gamma": gamma, "wins": wins, "ties": ties},
    )


def _bootstrap_limits(wins: int, ties: int, n: int, level: float) -> tuple[float, float]:
    """Return quantiles of the mean of n draws, with replacement, from wins, ties and losses."""
    one = np.array([n - wins - ties, ties, wins]) / n
    distribution, power = np.ones(1), one
    exponent = n
    while exponent:  # convolution by squaring
        if exponent % 2:
            distribution = np.convolve(distribution, power)
        power, exponent = np.convolve(power, power), exponent // 2
    cumulative = np.cumsum(distribution)
    tail = (1 - level) / 2
    limits = (int(np.argmax(cumulative >= q - 1e-12)) for q in (tail, 1 - tail))
    low, high = (limit / (2 * n) for limit in limits)
    return low, high


@checked
def prob_a_better_sample_size(
    *, alpha: Level = 0.05, beta: Level = 0.05, gamma: Level = 0.75
) -> int:
    """Return the runs that `prob_a_better` needs to see a probability of gamma (Noether 1987).

    Parameters
    ----------
    alpha, beta : float
        Chances of calling a coin flip better, and of missing a probability of `gamma`.
    gamma : float
        The probability that A scores higher.

    Returns
    -------
    int
        ⌈((z₁₋α − z_β)/(√6 (½ − γ)))²⌉.

    Examples
    --------
    >>> prob_a_better_sample_size()
    29
    """
    if gamma == 0.5:
        raise ArgumentError("gamma", "found 0.5, a coin flip has no sample size")
    gap = special.ndtri(1 - alpha) - special.ndtri(beta)
    return math.ceil((gap / (math.sqrt(6) * (0.5 - gamma))) ** 2)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Replicability:
    """On how many data sets one algorithm is better than another.

    Attributes
    ----------
    count : int
        The number of data sets on which A is better, at the chosen confidence.
    names : tuple of str
        Those that Holm's procedure names; for ``"bonferroni"`` `count` of them.
    pvalues : ndarray, shape (N,)
        For u = 1, ..., N: the p-value of "A is better on fewer than u data sets".
    method : str
        Citation key (see `bakeoff.stats.core.citations`).
    """

    count: int
    names: tuple[str, ...]
    pvalues: FloatArray
    method: str = "dror2017"


@checked
def replicability_count(
    pvalues: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    combination: Literal["bonferroni", "fisher"] = "bonferroni",
    alpha: Level = 0.05,
) -> Replicability:
    """Count the data sets on which A is better, from one one-sided p-value each.

    Parameters
    ----------
    pvalues : array_like, shape (N,)
        One-sided p-values, one per data set.
    names : sequence of str, optional
        The data sets; default: ``"1"``, ``"2"``, ...
    combination : {"bonferroni", "fisher"}
        ``"bonferroni"`` (default) holds under any dependence of the data sets. ``"fisher"`` finds
        more where they are independent, and cannot name them all.

    Returns
    -------
    Replicability
        The count, the data sets that can be named, and the p-values of each number.

    Notes
    -----
    Dror et al. (2017): p^{u/N} = (N − u + 1) p₍ᵤ₎, or P(χ² ≥ −2 Σ ln p₍ᵢ₎, i ≥ u) with
    2(N − u + 1) degrees of freedom; the running maxima are compared with alpha.

    Examples
    --------
    >>> found = replicability_count([0.001, 0.2, 0.01, 0.002], ["iris", "wine", "car", "zoo"])
    >>> found.count, found.names
    (3, ('iris', 'car', 'zoo'))
    """
    p = as_floats(pvalues, "pvalues")
    if p.ndim != 1 or not p.size or not ((p >= 0) & (p <= 1)).all():
        raise ArgumentError("pvalues", "must be one number between 0 and 1 per data set")
    labels = [str(i + 1) for i in range(p.size)] if names is None else [str(x) for x in names]
    if len(labels) != p.size:
        raise ArgumentError("names", f"found {len(labels)} for {p.size} p-values")
    order = np.argsort(p, kind="stable")
    left = np.arange(p.size, 0, -1)
    bonferroni = np.maximum.accumulate(np.minimum(left * p[order], 1.0))
    at_least = bonferroni
    if combination == "fisher":
        with np.errstate(divide="ignore"):
            sums = -2 * np.cumsum(np.log(p[order])[::-1])[::-1]
        at_least = np.maximum.accumulate(special.chdtrc(2 * left, sums))
    named = {int(i) for i in order[bonferroni <= alpha]}
    return Replicability(
        count=int((at_least <= alpha).sum()),
        names=tuple(label for i, label in enumerate(labels) if i in named),
        pvalues=at_least,
    )

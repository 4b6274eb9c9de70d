"""Two classifiers on one test set whose rows are ordered in time.

Rows of one time are summed: D_t of n_t rows, r_t = D_t − n_t·d̄. Neighbouring times may depend on
each other; the further apart, the less.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, PositiveInt
from bakeoff.stats.core.checks import (
    BoolArray,
    as_correctness,
    as_scores,
    paired_correctness,
    paired_counts,
)
from bakeoff.stats.core.paired_differences import paired_differences
from bakeoff.stats.core.pairwise import shared
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.clusters import Clusters, as_clusters
from bakeoff.stats.design.serial import SerialResult, SerialSettings, serial_results

__all__ = ["SerialResult", "diebold_mariano", "diebold_mariano_means"]

_CAUTION = (
    "It assumes a stationary difference with short-range dependence: its type I error is "
    "inflated where the lag-1 autocorrelation exceeds .7 or the effective number of times is "
    "below 30."
)
Variant = Literal["ewc_corrected", "ewc", "wpe", "hln", "newey_west_fixed_b"]


def diebold_mariano_pairs(
    correct: ArrayLike,
    pairs: Iterable[tuple[int, int]],
    *,
    time: ArrayLike | None = None,
    variant: Variant = "ewc_corrected",
    horizon: PositiveInt = 1,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> list[SerialResult]:
    """Run `diebold_mariano` for several pairs of models on the same rows.

    ``ewc_corrected`` takes for each pair the larger of two corrections: its own, and one for all
    pairs together, because persistence that many pairs share shows better in all of them.

    The columns A and B of each comparison are in `pairs`.
    """
    settings = SerialSettings(variant, horizon, alternative, confidence_level)
    right = as_correctness(correct, "correct", ndim=2)
    return _of_correctness(right, list(pairs), as_clusters(time, len(right), "time"), settings)


def diebold_mariano_means_pairs(
    values: ArrayLike,
    pairs: Iterable[tuple[int, int]],
    *,
    time: ArrayLike | None = None,
    variant: Variant = "ewc_corrected",
    horizon: PositiveInt = 1,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> list[SerialResult]:
    """Run `diebold_mariano_means` for several pairs, as `diebold_mariano_pairs` does."""
    settings = SerialSettings(variant, horizon, alternative, confidence_level)
    table = as_scores(values, "values", ndim=2, unit="rows")
    chosen = list(pairs)
    return serial_results(
        [
            paired_differences(
                table[:, a], table[:, b], greater_is_better=greater_is_better, of_rows=True
            ).values
            for a, b in chosen
        ],
        as_clusters(time, len(table), "time"),
        settings,
        contrasts=_contrasts(chosen),
        what="equally good on average",
    )


def _contrasts(pairs: list[tuple[int, int]]) -> int:
    """Count the contrasts that the differences of some pairs are made of."""
    return len({model for pair in pairs for model in pair}) - 1


def _of_correctness(
    right: BoolArray,
    pairs: list[tuple[int, int]],
    times: Clusters,
    settings: SerialSettings,
) -> list[SerialResult]:
    results = serial_results(
        [right[:, a].astype(np.float64) - right[:, b] for a, b in pairs],
        times,
        settings,
        contrasts=_contrasts(pairs),
        what="equally accurate",
    )
    found = []
    for (i, j), result in zip(pairs, results, strict=True):
        counts = paired_counts(right[:, i], right[:, j])
        found.append(dataclasses.replace(result, details={**counts, **result.details}))
    return found


@register(
    title="Diebold-Mariano test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Is one of these two fitted models more accurate than the other on later rows?",
    plans=("holdout",),
    citation="lazarus2018",
    caution=_CAUTION,
    all_pairs=shared(diebold_mariano_pairs),
)
def diebold_mariano(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    time: ArrayLike | None = None,
    variant: Variant = "ewc_corrected",
    horizon: PositiveInt = 1,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> SerialResult:
    """Test the accuracies of two models on rows that are ordered in time.

    Parameters
    ----------
    time : array_like, shape (N,), optional
        The time of each row, of any kind that sorts; equal times are one. Without it the rows
        are in the order of time, one each.
    variant : {"ewc_corrected", "ewc", "wpe", "hln", "newey_west_fixed_b"}
        How the long-run variance is estimated. ``"ewc"``: equal-weighted cosines (Lazarus et al.
        2018). ``"ewc_corrected"`` (default): multiplied by a factor for persistence under noise,
        which the cosines miss. ``"wpe"``: the first ordinates of the periodogram (Coroneo & Iacone
        2020). ``"hln"``: autocovariances below the horizon (Diebold & Mariano 1995 as corrected
        by Harvey, Leybourne & Newbold 1997); takes one-step errors for independent.
        ``"newey_west_fixed_b"``: Bartlett weights and the critical values of Kiefer & Vogelsang
        (2005), whose table ends at p = .02: below it the p is that bound.
    horizon : int
        Steps ahead, for ``hln``: errors fewer steps apart overlap.
    confidence_level : float
        Level of the interval; none for ``newey_west_fixed_b`` beyond its table.

    Returns
    -------
    SerialResult
        `estimate` is the difference of the accuracies over rows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random(120) < 0.9, rng.random(120) < 0.7
    >>> result = diebold_mariano(a, b)
    >>> result.df, round(result.estimate, 3), result.pvalue < 0.05
    (9.0, 0.175, True)
    """
    a, b = paired_correctness(correct_a, correct_b)
    settings = SerialSettings(variant, horizon, alternative, confidence_level)
    times_ = as_clusters(time, len(a), "time")
    return _of_correctness(np.column_stack([a, b]), [(0, 1)], times_, settings)[0]


@register(
    title="Diebold-Mariano test of a value per row",
    evidence=Evidence.VALUES,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two systems have the better mean of a value per row at later times?",
    plans=("holdout",),
    citation="lazarus2018",
    caution=_CAUTION,
    all_pairs=shared(diebold_mariano_means_pairs),
)
def diebold_mariano_means(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    time: ArrayLike | None = None,
    variant: Variant = "ewc_corrected",
    horizon: PositiveInt = 1,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> SerialResult:
    """Run `diebold_mariano` on a number per row (a loss, a score) in place of right or wrong.

    The test of Diebold & Mariano (1995) with the long-run variance of Lazarus et al. (2018).

    Parameters
    ----------
    time : array_like, shape (N,), optional
        As in `diebold_mariano`.
    variant : {"ewc_corrected", "ewc", "wpe", "hln", "newey_west_fixed_b"}
        As in `diebold_mariano`.
    horizon : int
        As in `diebold_mariano`.

    Returns
    -------
    SerialResult
        `estimate` is the mean difference over rows, positive where A is better.

    Examples
    --------
    >>> import numpy as np
    >>> loss = np.random.default_rng(0).gamma(2, size=(100, 2))
    >>> diebold_mariano_means(*loss.T, greater_is_better=False).df
    8.0
    """
    d = paired_differences(
        values_a, values_b, greater_is_better=greater_is_better, of_rows=True
    ).values
    return serial_results(
        [d],
        as_clusters(time, len(d), "time"),
        SerialSettings(variant, horizon, alternative, confidence_level),
        what="equally good on average",
    )[0]

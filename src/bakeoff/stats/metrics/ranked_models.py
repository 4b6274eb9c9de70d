"""The best models of one test set and all their pairs, from one reading of the rows."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, Resamples, Seed, checked
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.metrics.best_models import BestResult, best_of
from bakeoff.stats.metrics.family import (
    MAX_T,
    MetricFamily,
    compare_all,
    family_of_values,
    read_family,
)
from bakeoff.stats.metrics.influence import MetricArguments

Ranked = tuple[BestResult, PairwiseResult]


@checked
def ranked_models(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    confidence_level: Level,
    n_resamples: Resamples,
    seed: Seed,
    **asked: Unpack[MetricArguments],
) -> Ranked:
    """Return what `best_models` and `compare_models` return, which take the same arguments."""
    family = read_family(y_true, predicted, **asked)
    names = "best_models", "metric_difference"
    return _ranked(family, *names, confidence_level, n_resamples, seed)


@checked
def ranked_by_values(
    values: ArrayLike,
    *,
    greater_is_better: bool,
    groups: ArrayLike | None = None,
    confidence_level: Level,
    n_resamples: Resamples,
    seed: Seed,
) -> Ranked:
    """Return what `best_by_values` and `compare_values` return, which take the same arguments."""
    family = family_of_values(values, greater_is_better, groups)
    names = "best_by_values", "mean_difference"
    return _ranked(family, *names, confidence_level, n_resamples, seed)


def _ranked(
    family: MetricFamily, best: str, pairs: str, level: float, n_resamples: int, seed: int
) -> Ranked:
    return (
        best_of(family, best, level, n_resamples, seed),
        compare_all(family, pairs, None, MAX_T, "two-sided", level, True, n_resamples, seed),
    )

"""The best models of one test set and all their pairs, from one reading of the rows."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bakeoff.stats._checks import check_flag
from bakeoff.stats._left_out import MetricFunction
from bakeoff.stats._metric_family import MetricFamily, family_of_values, read_family
from bakeoff.stats._metric_setting import Options
from bakeoff.stats._metric_table import metric_called
from bakeoff.stats._result import PairwiseResult
from bakeoff.stats.best_models import BestResult, best_of
from bakeoff.stats.metric_families import MAX_T, compare_all

Ranked = tuple[BestResult, PairwiseResult]


def ranked_models(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    metric: str | MetricFunction = "accuracy",
    positive: object | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    beta: float = 1.0,
    k: int = 2,
    cost: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 99_999,
    seed: int = 0,
) -> Ranked:
    """Return what `best_models` and `compare_models` return, which take the same arguments."""
    how, options = metric_called(metric), Options(beta, k, cost, priors)
    family = read_family(y_true, predicted, how, positive, labels, groups, options)
    return _ranked(family, "models", confidence_level, n_resamples, seed)


def ranked_by_values(
    values: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 99_999,
    seed: int = 0,
) -> Ranked:
    """Return what `best_by_values` and `compare_values` return, which take the same arguments."""
    family = family_of_values(values, check_flag(greater_is_better, "greater_is_better"), groups)
    return _ranked(family, "values", confidence_level, n_resamples, seed)


def _ranked(family: MetricFamily, what: str, level: float, n_resamples: int, seed: int) -> Ranked:
    best = "best_models" if what == "models" else "best_by_values"
    pairs = compare_all(
        family, f"compare_{what}", None, MAX_T, "two-sided", level, True, n_resamples, seed
    )
    return best_of(family, best, level, n_resamples, seed), pairs

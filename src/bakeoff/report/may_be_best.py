"""Which models may be the best on test rows, what the best is worth, and which is the cheapest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import lru_cache

from bakeoff.comparisons.contenders import Contenders, contenders, contenders_by_values
from bakeoff.report.exhibit import MOST_DATASETS
from bakeoff.report.numbers import percent, score, words
from bakeoff.report.study import Study
from bakeoff.scores.metrics import Metric
from bakeoff.seeds import derive, integer


@lru_cache(maxsize=32)
def may_be_best(study: Study, metric: str) -> dict[str, Contenders]:
    """Find the models that may be the best by a metric, on each data set where that is known."""
    experiment, alpha = study.experiment, study.alpha
    seeds = {name: integer(derive(experiment.seed, "best", name)) for name in study.datasets}
    found: dict[str, Contenders | None] = {}
    for name, rows in study.test_sets.items():
        ranked = dataclasses.replace(rows, metric=metric)
        found[name] = contenders(ranked, experiment.costs_on(name), alpha, seeds[name])
    for name, numbers in study.numbers.items():
        greater = study.metrics[metric].greater_is_better
        found[name] = contenders_by_values(numbers, greater, alpha, seeds[name])
    return {name: each for name, each in found.items() if each is not None}


def worth_of_winner(study: Study, metric: Metric, found: Contenders, dataset: str) -> Iterator[str]:
    """Say what the best of several models is worth without the luck of having been chosen."""
    best, bound = found.best, found.best.ci
    if bound is None:
        return
    limit = bound.low if metric.greater_is_better else bound.high
    side = "at least" if metric.greater_is_better else "at most"
    yield (
        f"{study.label(found.models[0].model)} scores {score(best.naive)}{_on(study, dataset)}; "
        f"freed of having been chosen as the best of {len(found.models)} it is worth "
        f"{score(best.estimate)}, {side} {score(limit)} with {percent(1 - study.alpha)} confidence."
    )


def cheapest(study: Study) -> Iterator[str]:
    """Name the fastest and the smallest of the models that may be the best.

    With more data sets than have exhibits of their own, nobody is told these models, either.
    """
    if len(study.datasets) > MOST_DATASETS:
        return
    for dataset, found in may_be_best(study, study.metric.name).items():
        stay = [line.model for line in found.models if line.stays]
        own = study.timings[study.timings["dataset"] == dataset].groupby("model")
        cost = own[["fit_seconds", "peak_memory_mb"]].mean().reindex(stay)
        if len(stay) < 2 or cost.isna().any(axis=None):
            continue
        fast, small = (study.label(str(cost[name].idxmin())) for name in cost)
        which = (
            f"{fast} is the fastest to fit and takes the least memory"
            if fast == small
            else f"{fast} is the fastest to fit, {small} takes the least memory"
        )
        names = words([study.label(model) for model in stay], 5)
        yield (
            f"Of the models that may be the best{_on(study, dataset)} ({names}), {which}; none of "
            "them is shown to be better."
        )


def _on(study: Study, dataset: str) -> str:
    return f" on {study.dataset_label(dataset)}" if len(study.datasets) > 1 else ""

"""Which models may be the best on test rows, what the best is worth, and which is the cheapest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bakeoff.comparisons.contenders import NO_TESTS, Contenders, PairTests, contenders
from bakeoff.comparisons.run_tests import by_metric
from bakeoff.report.exhibit import MOST_DATASETS
from bakeoff.report.family import seen_from
from bakeoff.report.numbers import percent, words
from bakeoff.report.study import Study
from bakeoff.scores.metrics import Metric
from bakeoff.seeds import derive, integer


@lru_cache(maxsize=32)
def may_be_best(study: Study, metric: str) -> dict[str, Contenders]:
    """Find the models that may be the best by a metric, on each data set where that is known.

    It is known of single fits: there is no test of several training runs.
    """
    if study.has_runs:
        return {}
    experiment, alpha = study.experiment, study.alpha
    seeds = {name: integer(derive(experiment.seed, "best", name)) for name in study.datasets}
    found: dict[str, Contenders | None] = {}
    for name, rows in (study.test_sets or study.numbers).items():
        (ranked,) = by_metric(rows, experiment, [metric])
        tested = _tested(study, name, metric)
        found[name] = contenders(ranked, experiment.costs_on(name), alpha, seeds[name], tested)
    return {name: each for name, each in found.items() if each is not None}


def _tested(study: Study, dataset: str, metric: str) -> PairTests:
    """Return the p-values of the pairs by the test that the verdict rests on, winner first."""
    family = study.by_metric(metric, dataset, "models")
    if family is None:
        return NO_TESTS
    found = {}
    for row in family.rows:
        for seen in (row, seen_from(row, row.model_b)):
            ahead = seen.estimate > 0 and seen.alternative != "less"
            found[seen.model_a, seen.model_b] = seen.pvalue_adjusted if ahead else 1.0
    return found


def worth_of_winner(study: Study, metric: Metric, found: Contenders, dataset: str) -> Iterator[str]:
    """Say what the best of several models is worth, and how far that and the set can be trusted."""
    best, bound = found.best, found.best.ci
    leaders = [
        study.label(line.model) for line in found.models if line.value == found.models[0].value
    ]
    shown = study.written(metric.name, dataset)
    verb, whose = ("scores", "its") if len(leaders) == 1 else ("score", "this")
    text = (
        f"{words(leaders, 3)} {verb} {shown.told(best.naive)}{_on(study, dataset)}; "
        f"corrected for having been selected as the best of {len(found.models)} {whose} score is "
        f"estimated at {shown.told(best.estimate)}"
    )
    if bound is None:
        yield f"{text}."
    else:
        limit = bound.low if metric.greater_is_better else bound.high
        side = "at least" if metric.greater_is_better else "at most"
        confidence = percent(1 - study.alpha)
        yield f"{text}, and is {side} {shown.told(limit)} with {confidence} confidence."
    yield from (f"Caution: {a.detail}." for a in best.assumptions if a.holds is False)
    for line in found.models:
        if line.beaten_by:
            yield (
                f"{study.label(line.model)} may still be the best, although a pairwise test shows "
                f"{study.label(line.beaten_by)} to be better: that test alone does not exclude a "
                "model here."
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
    return f" on {study.dataset_label(dataset)}" if study.several else ""

"""Which models may be the best on test rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bakeoff.comparisons.contenders import NO_TESTS, Contenders, PairTests, contenders
from bakeoff.comparisons.run_tests import by_metric
from bakeoff.report.family import seen_from
from bakeoff.report.study import Study
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


def cautions(study: Study, found: Contenders) -> Iterator[str]:
    """Say how far the set of the models that may be the best can be trusted, if it is shown."""
    if len(study.models) == 2:
        return
    yield from (f"Caution: {a.detail}." for a in found.assumptions if a.holds is False)
    for line in found.models:
        if line.beaten_by:
            yield (
                f"{study.label(line.model)} may still be the best, although a pairwise test shows "
                f"{study.label(line.beaten_by)} to be better: that test alone does not exclude a "
                "model here."
            )

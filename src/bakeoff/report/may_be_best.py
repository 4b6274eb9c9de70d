"""Which models may be the best on test rows, by the metric that ranks them."""

from __future__ import annotations

import dataclasses
import math
import string
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from bakeoff.comparisons.evidence import (
    PairedPredictions,
    block_checks,
    difference_options,
    has_test,
)
from bakeoff.comparisons.read_evidence import by_metric
from bakeoff.comparisons.row_tables import alone
from bakeoff.report.family import seen_from
from bakeoff.report.study import Study
from bakeoff.seeds import derive, integer
from bakeoff.spec import Costs
from bakeoff.stats import Assumption, ConfidenceInterval, Status, catalogue
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.metrics.family import best_of, compare_all, family_of_values, read_family
from bakeoff.threads import on_one_thread


@lru_cache(maxsize=32)
def may_be_best(study: Study, metric: str) -> dict[str, Contenders]:
    """Find the models that may be the best by a metric, on data sets with single fits."""
    if study.has_runs:
        return {}
    by_dataset = {}
    for name, rows in (study.test_sets or study.numbers).items():
        (ranked,) = by_metric(rows, study.experiment, [metric])
        costs, seed = study.experiment.costs_on(name), derive(study.experiment.seed, "best", name)
        tested = _tested(study, name, metric)
        each = contenders(ranked, costs, study.alpha, integer(seed), tested)
        if each is not None:
            by_dataset[name] = each
    return by_dataset


def _tested(study: Study, dataset: str, metric: str) -> PairTests:
    """Return the p-values of the pairs by the test that the verdict rests on, winner first."""
    family = study.by_metric(metric, dataset, "models")
    if family is None:
        return {}
    pvalues = {}
    for row in family.rows:
        for seen in (row, seen_from(row, row.model_b)):
            ahead = seen.estimate > 0 and seen.alternative != "less"
            pvalues[seen.model_a, seen.model_b] = seen.pvalue_adjusted if ahead else 1.0
    return pvalues


def cautions(study: Study, found: Contenders) -> Iterator[str]:
    """Say how far the set of the models that may be the best can be trusted, if it is shown."""
    for a in found.assumptions if len(study.models) > 2 else ():
        if a.holds is False:
            yield f"Caution: this list is rough ({a.detail})."


DRAWS = 9_999
PairTests = Mapping[tuple[str, str], float]


@dataclasses.dataclass(frozen=True)
class Contender:
    """One model of a test set."""

    model: str
    value: float
    ci: ConfidenceInterval | None
    pvalue: float
    stays: bool
    tier: str


@dataclasses.dataclass(frozen=True)
class Contenders:
    """The models of one test set, best first, and what the set of the best assumes."""

    models: tuple[Contender, ...]
    assumptions: tuple[Assumption, ...]


@on_one_thread
def contenders(
    rows: PairedPredictions,
    costs: Costs | None,
    alpha: float,
    seed: int,
    tested: PairTests | None = None,
) -> Contenders | None:
    """Find the models that may be the best."""
    if not rows.by_values and not has_test(rows.metric):
        return None
    rows = rows.only([m for m in range(len(rows.models)) if not rows.missing([m])])
    if len(rows.models) < 2:
        return None
    options = difference_options(rows, costs)
    if not rows.by_values:
        truth, predicted = rows.matrix(catalogue()[rows.difference])
        family = read_family(truth, predicted, **options)
    else:
        family = family_of_values(rows.predicted, rows.greater_is_better, **options)
    level = 1 - alpha
    best = best_of(family, level, DRAWS, seed)
    pairs = compare_all(family, confidence_level=level, n_resamples=DRAWS, seed=seed)
    if best.status is not Status.OK:
        return None
    blocks = block_checks(rows, catalogue()["metric_difference"], costs)
    best = dataclasses.replace(best, assumptions=(*best.assumptions, *blocks))
    models = rows.models
    pvalues = np.ones((len(models), len(models)))  # of "j is better than i" in row i and column j
    for pair in pairs.pairs:
        for better, worse, ahead in (
            (pair.a, pair.b, pair.estimate > 0),
            (pair.b, pair.a, pair.estimate < 0),
        ):
            own = pair.pvalue_adjusted if ahead else 1.0
            p = (tested or {}).get((models[better], models[worse]), own)
            pvalues[worse, better] = 1.0 if math.isnan(p) else p
    order = sorted(range(len(models)), key=lambda m: -best.scores[m])
    letters = _letters(order, [(int(i), int(j)) for i, j in np.argwhere(pvalues <= alpha)])
    ranked = []
    for m in order:
        score, least = alone(rows, m, costs, level), pvalues[m].min()
        stays = bool(m in best.members or least > alpha)
        p = float(np.maximum(best.pvalues[m], least))
        line = Contender(models[m], score.estimate, score.ci, p, stays, letters[m])
        ranked.append(line)
    return Contenders(tuple(ranked), best.assumptions)


def _letters(order: list[int], different: list[tuple[int, int]]) -> list[str]:
    """Name the groups of models that do not differ, in the order of their best members."""
    place = {m: i for i, m in enumerate(order)}
    groups = compact_letters(len(order), different)
    groups = sorted(groups, key=lambda group: sorted(place[m] for m in group))
    names = [
        f"{string.ascii_lowercase[i % 26]}{i // 26 or ''}" for i in range(len(groups))
    ]  # a, b, …, z, a1, b1, …
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if m in group)
        for m in range(len(order))
    ]

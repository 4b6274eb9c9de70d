"""Which models may be the best on one test set, by the metric that ranks them."""

from __future__ import annotations

import dataclasses
import math
import string
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import PairedPredictions, RowEvidence, has_test
from bakeoff.comparisons.run_tests import TimeBlocks, difference_options
from bakeoff.comparisons.score_intervals import alone
from bakeoff.spec import Costs
from bakeoff.stats import (
    Assumption,
    BestResult,
    ConfidenceInterval,
    PairwiseResult,
    Result,
    Status,
    catalogue,
)
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.metrics.best_models import best_of
from bakeoff.stats.metrics.family import compare_all, family_of_values, read_family
from bakeoff.threads import on_one_thread

DRAWS = 9_999
PairTests = Mapping[tuple[str, str], float]
NO_TESTS: PairTests = MappingProxyType({})


@dataclasses.dataclass(frozen=True)
class Contender:
    """One model of a test set."""

    model: str
    value: float
    ci: ConfidenceInterval | None
    pvalue: float
    stays: bool
    beaten_by: str
    tier: str


@dataclasses.dataclass(frozen=True)
class Contenders:
    """The models of one test set, best first, and what the set of the best assumes."""

    models: tuple[Contender, ...]
    assumptions: tuple[Assumption, ...]


@on_one_thread
def contenders(
    rows: RowEvidence,
    costs: Costs | None,
    alpha: float,
    seed: int,
    tested: PairTests = NO_TESTS,
) -> Contenders | None:
    """Find the models that may be the best."""
    if isinstance(rows, PairedPredictions):
        if not has_test(rows.metric):
            return None
        rows = rows.only([m for m in range(len(rows.models)) if not rows.missing([m])])
    if len(rows.models) < 2:
        return None
    options = difference_options(rows, costs)
    if isinstance(rows, PairedPredictions):
        truth, predicted = rows.matrix(catalogue()[rows.difference])
        family = read_family(truth, predicted, **options)
    else:
        family = family_of_values(rows.values, rows.greater_is_better, **options)
    level = 1 - alpha
    best = best_of(family, level, DRAWS, seed)
    pairs = compare_all(family, confidence_level=level, n_resamples=DRAWS, seed=seed)
    if best.status is not Status.OK:
        return None
    blocks = TimeBlocks(rows, catalogue()["metric_difference"], costs)
    best = dataclasses.replace(best, assumptions=(*best.assumptions, *blocks.checks()))
    each = [alone(rows, m, costs, 1 - alpha) for m in range(len(rows.models))]
    return _ranked(rows.models, best, _pvalues(rows.models, pairs, tested), each, alpha)


def _pvalues(
    models: tuple[str, ...], pairs: PairwiseResult, tested: PairTests
) -> NDArray[np.float64]:
    """Return the adjusted p-value of "j is better than i" in row i and column j, else 1."""
    found = np.ones((len(models), len(models)))
    for pair in pairs.pairs:
        for better, worse, ahead in (
            (pair.a, pair.b, pair.estimate > 0),
            (pair.b, pair.a, pair.estimate < 0),
        ):
            own = pair.pvalue_adjusted if ahead else 1.0
            p = tested.get((models[better], models[worse]), own)
            found[worse, better] = 1.0 if math.isnan(p) else p
    return found


def _ranked(
    models: tuple[str, ...],
    best: BestResult,
    pvalues: NDArray[np.float64],
    each: list[Result],
    alpha: float,
) -> Contenders:
    """Put the models in order, best first, with their tiers."""
    different = [(int(i), int(j)) for i, j in np.argwhere(pvalues <= alpha)]
    order = sorted(range(len(models)), key=lambda m: -best.scores[m])
    letters = _letters(order, compact_letters(len(order), different))
    found = []
    for m in order:
        stays = m in best.members or pvalues[m].min() > alpha
        beaten = stays and pvalues[m].min() <= alpha
        found.append(
            Contender(
                models[m],
                each[m].estimate,
                each[m].ci,
                float(np.maximum(best.pvalues[m], pvalues[m].min())),
                bool(stays),
                models[int(pvalues[m].argmin())] if beaten else "",
                letters[m],
            )
        )
    return Contenders(tuple(found), best.assumptions)


def _letters(order: list[int], groups: list[frozenset[int]]) -> list[str]:
    """Name the groups in the order of their best members."""
    place = {m: i for i, m in enumerate(order)}
    ranked = sorted(groups, key=lambda group: sorted(place[m] for m in group))
    names = dict(zip(ranked, _names(), strict=False))
    return ["".join(names[group] for group in ranked if m in group) for m in range(len(order))]


def _names() -> Iterator[str]:
    yield from string.ascii_lowercase
    n = 1
    while True:
        yield from (f"{letter}{n}" for letter in string.ascii_lowercase)
        n += 1

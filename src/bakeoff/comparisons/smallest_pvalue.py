"""The smallest p-value that a test can give with so few rows, groups or data sets."""

from __future__ import annotations

import dataclasses
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.corrections import pairs_of
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    PairedPredictions,
    PairedValues,
)
from bakeoff.comparisons.family import Context, run_test
from bakeoff.comparisons.settings import takes_control
from bakeoff.errors import joined
from bakeoff.spec import Experiment, PlannedTest
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError, catalogue
from bakeoff.stats.core.multiplicity import adjust_pvalues
from bakeoff.stats.design.clusters import TIME_BLOCKS

MANY_MODELS = 30
"""With more models, tests over data sets are not run on made-up scores of all pairs."""
FEW = 40
"""From here on rows, groups and times set no limit that matters."""
_OF_CLASSES = (Evidence.PREDICTIONS, Evidence.PROBABILITIES, Evidence.RUNS)
_OF_RUNS = (Evidence.RUNS, Evidence.RUN_VALUES)
_ROWS_OF_A_UNIT = 20
"""Rows of a group, where tests want some of each class."""


class RowCounts(NamedTuple):
    """What is known of the rows of a test set before they are looked at."""

    rows: int
    groups: int | None = None
    times: int | None = None


def smallest_pvalue(
    test: PlannedTest, experiment: Experiment, size: RowCounts | None = None
) -> float:
    """Return the smallest adjusted p-value of a test if one model is always ahead."""
    entry = catalogue()[test.name]
    if entry.type1 is TypeOneError.BAYESIAN or "margin" in entry.options:
        return 0.0
    over_datasets = entry.evidence is Evidence.DATASET_SCORES and entry.arity is Arity.PAIR
    pairs = pairs_of(list(experiment.models), test.versus) if over_datasets else []
    if len(pairs) > 3:
        alone = _of_two_models(test, experiment)
        return float(np.min(adjust_pvalues([alone] * len(pairs), test.correction or "none")))
    context = Context("", experiment.metrics[0], True, costs=experiment.any_costs)
    evidence = _clearest(test, experiment, size)
    found = [row for data in evidence for row in run_test(test, data, context)]
    rows = [row for row in found if row.role == "pair"] or found
    return min(map(_at_least, rows), default=0.0)


def _of_two_models(test: PlannedTest, experiment: Experiment) -> float:
    """Return the smallest p-value of one pair: all pairs of a family can be as clear."""
    two = experiment.model_copy(update={"models": dict.fromkeys(islice(experiment.models, 2))})
    return smallest_pvalue(dataclasses.replace(test, correction="none", versus=None), two)


def _at_least(row: Comparison) -> float:
    """Return an adjusted p-value; where a test has too few groups, what kept it from answering."""
    if not math.isnan(row.pvalue_adjusted):
        return row.pvalue_adjusted
    exact = row.result.get("details", {}).get("pvalue_exact")
    return min(1.0, exact * row.family_size) if isinstance(exact, float) else 1.0


def remedies(test: PlannedTest, experiment: Experiment, size: RowCounts | None) -> str:
    """Say what would let a test reach its level that cannot: more groups, or fewer comparisons."""
    units = len(experiment.tests.units(experiment.datasets))

    def reaches(
        test: PlannedTest, size: RowCounts | None, models: Sequence[str], datasets: int = units
    ) -> bool:
        other: dict[str, Any] = {"models": dict.fromkeys(models)}
        if datasets > units:
            added = (f"another {i}" for i in range(datasets - units))
            like = next(iter(experiment.datasets.values()))
            other["datasets"] = {**experiment.datasets, **dict.fromkeys(added, like)}
        return smallest_pvalue(test, experiment.model_copy(update=other), size) <= test.alpha

    found, models = [], list(experiment.models)
    if size is None:
        n = _first(range(units + 1, FEW), lambda n: reaches(test, None, models, n))
        found += [f"at least {n} data sets"] if n else []
    else:
        unit = next((one for one in ("times", "groups") if getattr(size, one) is not None), "rows")
        sizes = range(getattr(size, unit) + 1, FEW)
        more = _first(sizes, lambda n: reaches(test, size._replace(**{unit: n}), models))
        found += [f"at least {more} {unit}"] if more else []
    if test.versus is None and len(models) > 2:
        fewer = range(len(models) - 1, 1, -1)
        most = _first(fewer, lambda m: reaches(test, size, models[:m]))
        found += [f"at most {most} models"] if most else []
        baseline = dataclasses.replace(test, versus=models[0])
        if takes_control(catalogue()[test.name]) and reaches(baseline, size, models):
            found.append("a comparison of each model with one baseline (versus)")
    return joined(found, "or")


def _first(values: Sequence[int], reaches: Callable[[int], bool]) -> int:
    """Return the first value that reaches the level, as all after it do; 0 where none does."""
    place = bisect_left(values, True, key=reaches)
    return values[place] if place < len(values) else 0


def _clearest(
    test: PlannedTest, experiment: Experiment, size: RowCounts | None
) -> Iterator[AnyEvidence]:
    """Let the first model be ahead of all others throughout, then the last one."""
    entry = catalogue()[test.name]
    models, k = tuple(experiment.models), len(experiment.models)
    if entry.evidence is Evidence.DATASET_SCORES and k <= MANY_MODELS:
        datasets = tuple(experiment.tests.units(experiment.datasets))
        n = len(datasets)
        lead = np.outer(1 + np.arange(n) / (10 * n), np.arange(k)[::-1] / (2 * k))
        noisy = lead.copy()
        noisy[0, 1:] = lead[0, :0:-1]  # some tests need noise, if only between the others
        for scores in (lead, lead[:, ::-1], noisy, noisy[:, ::-1]):
            yield DatasetScores(models, datasets, scores)
    if size is None or not entry.evidence.on_rows:
        return
    if test.independent_rows:
        size = RowCounts(size.rows)
    n, kind = _units(entry, size)
    if not 0 < n < FEW:
        return
    units = np.repeat(np.arange(n), _ROWS_OF_A_UNIT if entry.evidence in _OF_CLASSES else 1)
    related: dict[str, Any] = {kind: units} if kind else {}
    for best in (0, k - 1):
        ahead = np.zeros((len(units), k), dtype=np.int8)
        ahead[:, best] = 1
        spoilt = ahead.copy()
        spoilt[-1, best] = 0  # a variance that is estimated must not be 0
        for one in (ahead, spoilt) if kind else (ahead,):
            rows = _evidence(entry, experiment, models, one)
            # further runs of a model that are alike set the same limit as one
            crossed = entry.evidence in _OF_RUNS
            data = CrossedRuns.of(rows, fixed=models) if crossed else rows
            yield dataclasses.replace(data, **related)


def _units(entry: Entry, size: RowCounts) -> tuple[int, str]:
    """Count what a test takes for independent, and say what that is; 0 where it sets no limit."""
    alone = size.groups is None and size.times is None
    if entry.evidence is Evidence.CORRECTNESS and alone and entry.can_take_rows_for_independent:
        return size.rows, ""
    if entry.arity is Arity.ONE:
        return 0, ""
    if size.times is not None and "groups" in entry.options:
        return min(size.times, TIME_BLOCKS), "times"
    if size.times is not None and "time" in entry.options:
        return size.times, "times"
    if size.groups is not None and "groups" in entry.options:
        return size.groups, "groups"
    return 0, ""


def _evidence(
    entry: Entry, experiment: Experiment, models: tuple[str, ...], ahead: NDArray[np.int8]
) -> PairedPredictions | PairedValues:
    """Return rows on which a model is right, or has the greater number, where it is ahead."""
    if entry.evidence in (Evidence.VALUES, Evidence.RUN_VALUES):
        return PairedValues(models, ahead.astype(np.float64))
    costs = experiment.any_costs
    classes = ("no", "yes") if costs is None else tuple(costs.names[:2])
    if entry.evidence not in _OF_CLASSES:
        return PairedPredictions(models, classes, np.ones(len(ahead), np.int8), ahead)
    # the groups set the limit, whatever the metric
    truth = np.resize(np.array([0, 1], dtype=np.int8), len(ahead))
    said = np.where(ahead == 1, truth[:, None], 1 - truth[:, None])
    scores = said.astype(np.float64)
    return PairedPredictions(models, classes, truth, said, scores, metric="balanced_accuracy")

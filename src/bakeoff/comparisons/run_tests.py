"""Run a planned test on all its evidence."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.cautions import Cautions, cautions, measured
from bakeoff.comparisons.comparison import Comparison, range_of
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    FoldCriteria,
    FoldScores,
    fold_scores,
    read_fold_predictions,
    read_predictions,
    read_scores,
)
from bakeoff.comparisons.family import Context, check_related, held_out, run_test
from bakeoff.comparisons.matrix import (
    Hole,
    complete,
    cut_matrix,
    missing_cells,
    read_holes,
    read_matrix,
)
from bakeoff.comparisons.recipes import OF_RUNS, deterministic
from bakeoff.scores import metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.resampling import Halves
from bakeoff.stats import Entry, Evidence, catalogue
from bakeoff.threads import on_one_thread

MATRIX, HOLES = "matrix", "holes"


def run_planned(
    test: PlannedTest, experiment: Experiment, inputs: Mapping[str, str]
) -> list[Comparison]:
    """Run one test on every data set and metric it is meant for."""
    entry = catalogue()[test.name]
    found: list[Comparison] = []
    for dataset, metric, evidence in _evidence(entry, test, experiment, inputs):
        if evidence.models:
            found += run_on(evidence, test, experiment, dataset, metric)
    return found


def run_on_matrix(
    test: PlannedTest, experiment: Experiment, matrix: pd.DataFrame, holes: Sequence[Hole]
) -> list[Comparison]:
    """Run one test over data sets on a score matrix."""
    found: list[Comparison] = []
    for metric in test.metrics:
        cut = cut_matrix(matrix, test.plan, metric, list(experiment.models))
        evidence = _of_matrix(test, experiment, metric, *cut, holes)
        if evidence.models:
            found += run_on(evidence, test, experiment, "", metric)
    return found


def _of_matrix(
    test: PlannedTest,
    experiment: Experiment,
    metric: str,
    datasets: list[str],
    values: NDArray[np.float64],
    holes: Sequence[Hole],
) -> DatasetScores:
    """Do with missing cells and groups of data sets what the experiment says."""
    policy, units = missing_cells(experiment), experiment.tests.units(datasets)
    if test.allows_missing and policy != "failed":
        policy = "keep"
    own = [hole for hole in holes if (hole.plan, hole.metric) == (test.plan, metric)]
    return complete(
        *(list(experiment.models), datasets, values, own, policy),
        units if len(units) < len(datasets) else {},
        greater_is_better=metrics_of(experiment)[metric].greater_is_better,
    )


def run_on_scores(
    test: PlannedTest, experiment: Experiment, dataset: str, scores: pd.DataFrame
) -> list[Comparison]:
    """Run one test on the scores of one data set and plan, as collected scores have them."""
    entry = catalogue()[test.name]
    found: list[Comparison] = []
    for metric, evidence in _of_scores(entry, test, experiment, scores):
        found += run_on(evidence, test, experiment, dataset, metric)
    return found


@on_one_thread
def run_on(
    evidence: AnyEvidence, test: PlannedTest, experiment: Experiment, dataset: str, metric: str
) -> list[Comparison]:
    """Run one test on one piece of evidence, with the cautions about it."""
    found = run_test(test, evidence, context_of(experiment, dataset, metric))
    against = {
        one.name: cautions(one, experiment, evidence.left_out, metric, dataset)
        for one in AnalysisPlan((test,)).with_posthoc
    }
    warned = (_caution(against[row.test], row, evidence) for row in found)
    return [
        dataclasses.replace(row, caution=caution) if caution else row
        for row, caution in zip(found, warned, strict=True)
    ]


def _caution(known: Cautions, row: Comparison, evidence: AnyEvidence) -> str:
    """Return the cautions about one comparison; empty where there are none."""
    compared = [row.model_a, row.model_b] if row.model_a else evidence.models
    said = known.of(compared)
    if failing := measured(row):
        said.append(f"{row.test} has an inflated type I error here: {'; '.join(failing)}.")
    return " ".join(text[0].upper() + text[1:] for text in said)


def context_of(experiment: Experiment, dataset: str, metric: str) -> Context:
    """Say where the hypotheses of a test come from, and how an experiment has them tested."""
    costs = experiment.costs_on(dataset) if dataset else None
    known = metrics_of(experiment)[metric]
    return Context(
        dataset,
        metric,
        known.greater_is_better,
        experiment.seed,
        costs,
        range_of(known, costs),
    )


def matrices(tests: AnalysisPlan) -> set[tuple[str, str]]:
    """List the plans and metrics whose score matrix a test needs complete."""
    return {
        (test.plan, metric)
        for test in tests
        if test.on_datasets and not test.allows_missing
        for metric in test.metrics
    }


def _evidence(
    entry: Entry, test: PlannedTest, experiment: Experiment, inputs: Mapping[str, str]
) -> Iterator[tuple[str, str, AnyEvidence]]:
    models = list(experiment.models)
    if test.on_datasets:
        holes = read_holes(inputs[HOLES])
        for metric in test.metrics:
            datasets, values = read_matrix(inputs[MATRIX], test.plan, metric, models)
            yield "", metric, _of_matrix(test, experiment, metric, datasets, values, holes)
        return
    for dataset, path in inputs.items():
        if test.on_rows:
            of_runs = entry.evidence in OF_RUNS
            if of_runs or entry.evidence in (Evidence.PREDICTIONS, Evidence.VALUES):
                fixed = deterministic(experiment)
                for rows in held_out(experiment, dataset, path, test.metrics):
                    yield dataset, rows.metric, CrossedRuns.of(rows, fixed) if of_runs else rows
                continue
            scored = entry.evidence is Evidence.PROBABILITIES
            whole = read_predictions(path, models, scores=scored)
            check_related(experiment, dataset, whole, path)
            yield dataset, test.metrics[0], whole
            continue
        if entry.evidence is Evidence.FOLD_CORRECTNESS:
            yield dataset, test.metrics[0], read_fold_predictions(path, models)
            continue
        for metric, part in _of_scores(entry, test, experiment, read_scores(path)):
            yield dataset, metric, part


def _of_scores(
    entry: Entry, test: PlannedTest, experiment: Experiment, scores: pd.DataFrame
) -> Iterator[tuple[str, FoldScores | FoldCriteria]]:
    """Cut the scores of one data set and plan for a test, metric by metric or all together."""
    models, known = list(experiment.models), metrics_of(experiment)
    parts = {metric: fold_scores(scores, models, metric) for metric in test.metrics}
    if entry.evidence is Evidence.FOLD_CRITERIA:
        better = [known[metric].greater_is_better for metric in parts]
        yield "+".join(parts), FoldCriteria.join(parts, better)
        return
    plan = experiment.resampling.plans()[test.plan]
    full = plan.full_repeats if isinstance(plan, Halves) else 0
    for metric, part in parts.items():
        yield metric, dataclasses.replace(part, full_repeats=full)

"""Run a planned test on all its evidence."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import pandas as pd

from bakeoff.comparisons.cautions import Cautions, cautions, measured
from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    FoldCriteria,
    FoldScores,
    RowEvidence,
    fold_scores,
    read_fold_predictions,
    read_predictions,
    read_scores,
    read_values,
)
from bakeoff.comparisons.family import Context, run_test
from bakeoff.comparisons.held_out import check_related, held_out
from bakeoff.comparisons.matrix import complete, read_holes, read_matrix
from bakeoff.comparisons.ranges import range_of
from bakeoff.scores import metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.resampling import Halves
from bakeoff.stats import Entry, Evidence, catalogue
from bakeoff.threads import on_one_thread

MATRIX, HOLES = "matrix", "holes"


def run_planned(
    test: PlannedTest, experiment: Experiment, inputs: Mapping[str, str]
) -> list[Comparison]:
    """Run one test on every data set and metric it is meant for.

    Parameters
    ----------
    test : PlannedTest
        The test.
    experiment : Experiment
        Its settings.
    inputs : Mapping
        One file per data set: collected predictions or scores; for tests over data sets the
        files of the score matrix, `MATRIX` and `HOLES`.
    """
    entry = catalogue()[test.name]
    found: list[Comparison] = []
    for dataset, metric, evidence in _evidence(entry, test, experiment, inputs):
        if evidence.models:
            found += run_on(evidence, test, experiment, dataset, metric)
    return found


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
    return [
        dataclasses.replace(row, caution=_caution(against[row.test], row, evidence))
        for row in found
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


def missing_cells(experiment: Experiment) -> str:
    """Return the policy for missing cells of the score matrix.

    Where a failed fit excludes its model, the tests over data sets leave that model out too.
    """
    default = "drop_model" if experiment.on_error == "exclude" else "error"
    return experiment.tests.missing_cells or default


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
        policy = "keep" if test.allows_missing else missing_cells(experiment)
        holes = read_holes(inputs[HOLES])
        for metric in test.metrics:
            datasets, values = read_matrix(inputs[MATRIX], test.plan, metric, models)
            own = [hole for hole in holes if (hole.plan, hole.metric) == (test.plan, metric)]
            yield "", metric, complete(models, datasets, values, own, policy)
        return
    for dataset, path in inputs.items():
        if test.on_rows:
            if entry.evidence is Evidence.PREDICTIONS:
                for rows in held_out(experiment, dataset, path, test.metrics):
                    yield dataset, rows.metric, rows
                continue
            whole = _rows(entry, path, models)
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


def _rows(entry: Entry, path: str, models: list[str]) -> RowEvidence:
    """Read the evidence of a test without a metric of its own."""
    if entry.evidence is Evidence.VALUES:
        return read_values(path, models)
    return read_predictions(path, models, scores=entry.evidence is Evidence.PROBABILITIES)

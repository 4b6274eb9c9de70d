"""Check the options of the tests: names, types, and trial runs on made-up evidence."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from bakeoff.comparisons.corrections import check_correction
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    FoldCriteria,
    FoldPredictions,
    FoldScores,
    PairedPredictions,
    PairedValues,
    engine_metric,
)
from bakeoff.comparisons.family import Context, check_run
from bakeoff.comparisons.option_types import wrong_value
from bakeoff.comparisons.recipes import OF_RUNS
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    MANAGED,
    SHARED,
    allowed_options,
    compares_pairs,
    takes_control,
)
from bakeoff.errors import Problem, Remedy, unknown
from bakeoff.scores.metrics import metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.experiment import run_name
from bakeoff.spec.related import dependent
from bakeoff.spec.resampling import Halves
from bakeoff.stats import RETIRED, ArgumentError, Arity, Entry, Evidence, Metric, catalogue

_ROWS = 72
"""Rows in made-up evidence; on more than 30 models disagree, so that Cochran's Q permutes none."""
_FEW = 3
"""Models in made-up evidence for tests of pairs, which cost more with every pair."""


def check_options(experiment: Experiment, tests: AnalysisPlan) -> list[Problem]:
    """Check the options of all tests that run, post hoc tests included."""
    found: list[Problem] = []
    for test in tests.with_posthoc:
        entry = catalogue()[test.name]
        wrong = list(_names_and_types(entry, experiment))
        wrong = wrong or list(_too_wide(test, experiment))
        found += wrong or _tried(entry, test, experiment)
    return found


def _names_and_types(entry: Entry, experiment: Experiment) -> Iterator[Problem]:
    own, allowed = experiment.tests.of(entry.name), allowed_options(entry)
    for key, value in own.items():
        place = ("tests", "options", entry.name, key)
        if key in MANAGED and key in entry.options:
            yield Problem(place, f"is not set here: {MANAGED[key]}")
        elif key in ("metrics",) and key not in allowed:
            yield Problem(
                place, f"{entry.name} is about {FIXED_METRICS[entry.evidence]} and no other metric"
            )
        elif key not in allowed:
            gone = RETIRED.get(f"{entry.name}.{key}")
            yield Problem(place, gone or unknown("option", key, allowed))
        else:
            wrong = wrong_value(entry, key, value)
            if wrong:
                yield Problem(place, wrong)
    for key, option in entry.options.items():
        given = key in own or (key in SHARED and getattr(experiment.tests, key) is not None)
        if option.default is inspect.Parameter.empty and key not in MANAGED and not given:
            at = ("tests",) if key in SHARED else ("tests", "options", entry.name)
            yield Problem((*at, key), f"{entry.name} needs it, and no value is right for all data")


def _too_wide(test: PlannedTest, experiment: Experiment) -> Iterator[Problem]:
    """Refuse margins and regions that no difference of the metric could leave."""
    metrics = metrics_of(experiment)
    for key in ("margin", "rope"):
        size = test.options.get(key)
        if not isinstance(size, int | float):
            continue
        own = key in experiment.tests.of(test.name)
        place = ("tests", "options", test.name, key) if own else ("tests", key)
        for name in test.metrics:
            low, high = metrics[name].range
            if size >= high - low:
                yield Problem(
                    place,
                    f"found {size:g}, must be below {high - low:g}: {name} lies between {low:g} "
                    f"and {high:g}, so that no difference could exceed it",
                )
                break


def _tried(entry: Entry, test: PlannedTest, experiment: Experiment) -> list[Problem]:
    """Run a test on made-up evidence and report what it refuses."""
    try:
        check_correction(test, test.correction or "none")
        context = Context("", test.metrics[0], True, experiment.seed, experiment.any_costs)
        made_up = _made_up(entry, test, experiment)
        for relation in _relations(entry, experiment):
            check_run(test, dataclasses.replace(made_up, **relation), context)
    except ValueError as error:
        return [_blame(entry, experiment, error)]
    return []


def _relations(entry: Entry, experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Relate made-up rows in each way that some data set has, for tests with a form for each."""
    labels = {"group": {"groups": np.arange(_ROWS) // 2}, "time": {"times": np.arange(_ROWS)}}
    found = dependent(experiment)
    kinds = dict.fromkeys(kin.kind for kin in found.values()) if entry.variants else {}
    if len(found) < len(experiment.datasets) or not kinds:
        yield {}
    yield from (labels[kind] for kind in kinds)


def _blame(entry: Entry, experiment: Experiment, error: ValueError) -> Problem:
    """Find the key that a test's complaint is about."""
    tests, place = experiment.tests, ("tests", "options", entry.name)
    known = (*entry.options, "correction", "alpha", "versus")
    if not isinstance(error, ArgumentError) or error.argument not in known:
        return Problem(place, str(error))
    key = error.argument
    if key not in tests.of(entry.name) and hasattr(tests, key):
        alone = Remedy("options", f"{{{entry.name}: ...}}", " (or set it for this test under {})")
        return Problem(("tests", key), f"{entry.name}: {error.message}", remedy=alone)
    return Problem((*place, key), error.message)


def _made_up(entry: Entry, test: PlannedTest, experiment: Experiment) -> AnyEvidence:
    """Make ordinary evidence of the experiment's shape."""
    models = tuple(_some(entry, test, experiment))
    if entry.evidence not in OF_RUNS:
        return _of_models(entry, test, experiment, models)
    runs = tuple(run_name(model, seed) for model in models for seed in (1, 2))
    rows = _of_models(entry, test, experiment, runs)
    assert isinstance(rows, PairedPredictions | PairedValues)
    return CrossedRuns.of(rows)


def _of_models(
    entry: Entry, test: PlannedTest, experiment: Experiment, models: tuple[str, ...]
) -> AnyEvidence:
    rng = np.random.default_rng(0)
    plan = experiment.resampling.plans()[test.plan]
    folds = (plan.rounds, plan.folds)
    reasons = ("",) * len(models)
    if entry.evidence is Evidence.DATASET_SCORES:
        datasets = tuple(experiment.datasets)
        return DatasetScores(models, datasets, rng.uniform(0.6, 0.9, (len(datasets), len(models))))
    if entry.evidence is Evidence.FOLD_SCORES:
        sizes = np.full(folds, 90), np.full(folds, 10)
        scores = rng.uniform(0.6, 0.9, (*folds, len(models)))
        full = plan.full_repeats if isinstance(plan, Halves) else 0
        return FoldScores(models, scores, *sizes, reasons, full_repeats=full)
    if entry.evidence is Evidence.FOLD_CORRECTNESS:
        half = np.array([rng.permutation(np.arange(_ROWS) % 2) + 1 for _ in range(5)])
        return FoldPredictions(models, half, rng.random((5, _ROWS, len(models))) < 0.7)
    if entry.evidence is Evidence.FOLD_CRITERIA:
        shape = (folds[0] * folds[1], len(models), len(test.metrics))
        better = (True,) * len(test.metrics)
        return FoldCriteria(models, test.metrics, better, rng.uniform(0.6, 0.9, shape), reasons)
    if entry.evidence in (Evidence.VALUES, Evidence.RUN_VALUES):
        return PairedValues(models, rng.random((_ROWS, len(models))))
    # an own metric may know nothing of what is made up
    own = isinstance(engine_metric(test.metrics[0]), Metric)
    if experiment.task.numbers:
        numbers = rng.uniform(1, 2, _ROWS)
        errors = rng.uniform(0, 1, (_ROWS, len(models)))
        metric = "mae" if own else test.metrics[0]
        return PairedPredictions(models, (), numbers, numbers[:, None] + errors, metric=metric)
    costs = experiment.any_costs
    classes = costs.names if costs else ["no", "yes"]
    truth = np.resize(np.arange(len(classes)), _ROWS)
    predicted = rng.integers(len(classes), size=(_ROWS, len(models)))
    predicted[: _ROWS // 2] = truth[: _ROWS // 2, None]
    probabilities = rng.dirichlet(np.ones(len(classes)), (_ROWS, len(models)))
    asked = "accuracy" if own else test.metrics[0]
    by_metric = entry.evidence in (Evidence.PREDICTIONS, Evidence.RUNS)
    metric = asked if by_metric else ""
    return PairedPredictions(
        models,
        tuple(classes),
        truth,
        predicted,
        probabilities[..., -1],
        probabilities=probabilities,
        metric=metric,
    )


def _some(entry: Entry, test: PlannedTest, experiment: Experiment) -> list[str]:
    """Take as many models as a test of this kind needs, the control among them."""
    models = list(experiment.models)
    if not compares_pairs(entry):
        return models if entry.arity is Arity.OMNIBUS else models[:1]
    versus = test.versus if takes_control(entry) else None
    others = [model for model in models if model != versus]
    return [*([versus] if versus is not None else []), *others][:_FEW]

"""Trial runs of tests on made-up evidence: what they refuse, and their smallest p-value."""

from __future__ import annotations

import dataclasses
import inspect
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    FoldCriteria,
    FoldPredictions,
    FoldScores,
    PairedPredictions,
    engine_metric,
)
from bakeoff.comparisons.run_tests import Context, check_run, run_test
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    MANAGED,
    SHARED,
    allowed_options,
    check_correction,
    compares_pairs,
    pairs_of,
    takes_control,
    wrong_value,
)
from bakeoff.errors import Problem, Remedy, joined, unknown
from bakeoff.scores.metrics import metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.experiment import run_name
from bakeoff.spec.related import dependent
from bakeoff.spec.resampling import Halves
from bakeoff.stats import (
    RETIRED,
    ArgumentError,
    Arity,
    Entry,
    Evidence,
    Metric,
    TypeOneError,
    catalogue,
)
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.design.clusters import TIME_BLOCKS

MANY_MODELS = 30
"""With more models, tests over data sets are not run on made-up scores of all pairs."""
FEW = 40
"""From here on rows, groups and times set no limit that matters."""
_OF_CLASSES = ("predictions", "ranking")
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
    over_datasets = entry.evidence is Evidence.DATASETS and entry.arity is Arity.PAIR
    pairs = pairs_of(list(experiment.models), test.versus) if over_datasets else []
    if len(pairs) > 3:
        # all pairs of a family can be as clear as the one of two models
        two = experiment.model_copy(update={"models": dict.fromkeys(islice(experiment.models, 2))})
        alone = smallest_pvalue(dataclasses.replace(test, correction="none", versus=None), two)
        return float(np.min(adjust_pvalues([alone] * len(pairs), test.correction or "none")))
    context = Context("", experiment.metrics[0], True, costs=experiment.any_costs)
    evidence = _clearest(test, experiment, size)
    found = [row for data in evidence for row in run_test(test, data, context)]
    rows = [row for row in found if row.role == "pair"] or found
    return min(map(_at_least, rows), default=0.0)


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
    if entry.evidence is Evidence.DATASETS and k <= MANY_MODELS:
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
    units = np.repeat(np.arange(n), _ROWS_OF_A_UNIT if entry.reads in _OF_CLASSES else 1)
    related: dict[str, Any] = {kind: units} if kind else {}
    for best in (0, k - 1):
        ahead = np.zeros((len(units), k), dtype=np.int8)
        ahead[:, best] = 1
        spoilt = ahead.copy()
        spoilt[-1, best] = 0  # a variance that is estimated must not be 0
        for one in (ahead, spoilt) if kind else (ahead,):
            rows = _evidence(entry, experiment, models, one)
            # further runs of a model that are alike set the same limit as one
            crossed = entry.evidence is Evidence.RUNS
            data = CrossedRuns.of(rows, fixed=models) if crossed else rows
            yield dataclasses.replace(data, **related)


def _units(entry: Entry, size: RowCounts) -> tuple[int, str]:
    """Count what a test takes for independent, and say what that is; 0 where it sets no limit."""
    alone = size.groups is None and size.times is None
    if entry.reads == "correctness" and alone and entry.can_take_rows_for_independent:
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
) -> PairedPredictions:
    """Return rows on which a model is right, or has the greater number, where it is ahead."""
    if entry.reads == "values":
        return PairedPredictions.from_values(models, ahead.astype(np.float64))
    costs = experiment.any_costs
    classes = ("no", "yes") if costs is None else tuple(costs.names[:2])
    if entry.reads not in _OF_CLASSES:
        return PairedPredictions(models, classes, np.ones(len(ahead), np.int8), ahead)
    # the groups set the limit, whatever the metric
    truth = np.resize(np.array([0, 1], dtype=np.int8), len(ahead))
    said = np.where(ahead == 1, truth[:, None], 1 - truth[:, None])
    scores = said.astype(np.float64)
    return PairedPredictions(models, classes, truth, said, scores, metric="balanced_accuracy")


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
                place, f"{entry.name} is about {FIXED_METRICS[entry.reads]} and no other metric"
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
    if entry.evidence is not Evidence.RUNS:
        return _of_models(entry, test, experiment, models)
    runs = tuple(run_name(model, seed) for model in models for seed in (1, 2))
    rows = _of_models(entry, test, experiment, runs)
    assert isinstance(rows, PairedPredictions)
    return CrossedRuns.of(rows)


def _of_models(
    entry: Entry, test: PlannedTest, experiment: Experiment, models: tuple[str, ...]
) -> AnyEvidence:
    rng = np.random.default_rng(0)
    plan = experiment.resampling.plans()[test.plan]
    folds = (plan.rounds, plan.folds)
    reasons = ("",) * len(models)
    if entry.evidence is Evidence.DATASETS:
        datasets = tuple(experiment.datasets)
        return DatasetScores(models, datasets, rng.uniform(0.6, 0.9, (len(datasets), len(models))))
    if entry.reads == "criteria":
        shape = (folds[0] * folds[1], len(models), len(test.metrics))
        better = (True,) * len(test.metrics)
        return FoldCriteria(models, test.metrics, better, rng.uniform(0.6, 0.9, shape), reasons)
    if entry.evidence is Evidence.FOLD_SCORES:
        sizes = np.full(folds, 90), np.full(folds, 10)
        scores = rng.uniform(0.6, 0.9, (*folds, len(models)))
        full = plan.full_repeats if isinstance(plan, Halves) else 0
        return FoldScores(models, scores, *sizes, reasons, full_repeats=full)
    if entry.evidence is Evidence.FOLD_ROWS:
        half = np.array([rng.permutation(np.arange(_ROWS) % 2) + 1 for _ in range(5)])
        return FoldPredictions(models, half, rng.random((5, _ROWS, len(models))) < 0.7)
    if entry.reads == "values":
        return PairedPredictions.from_values(models, rng.random((_ROWS, len(models))))
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
    metric = asked if entry.reads == "predictions" else ""
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

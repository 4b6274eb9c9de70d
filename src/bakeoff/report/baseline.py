"""A constant answer beside the models: what it scores, and which models are shown to beat it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons import run_test
from bakeoff.comparisons.evidence import AnyEvidence, CrossedRuns, PairedPredictions, has_test
from bakeoff.comparisons.read_evidence import fold_scores
from bakeoff.comparisons.run_tests import context_of
from bakeoff.comparisons.settings import deterministic
from bakeoff.report.ranking import dataset_means, without_noise
from bakeoff.report.study import Study
from bakeoff.scores.constant import constant_answer, constant_number
from bakeoff.scores.metrics import Metric, Need
from bakeoff.spec import PlannedTest
from bakeoff.stats import ConfidenceInterval
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.folds.t_tests import corrected_against
from bakeoff.threads import on_one_thread

CORRECTION = "holm"
_OFF_MEDIAN = {"mae": "mean", "median_absolute_error": "median"}
"""Metrics that are a statistic of how far rows are from their prediction, here the median."""


class Against(NamedTuple):
    """A model against the constant answer; `difference` is positive where the model is better."""

    model: str
    difference: float
    ci: ConfidenceInterval | None
    pvalue: float
    pvalue_adjusted: float
    better: bool


@dataclasses.dataclass(frozen=True)
class Baseline:
    """The constant answer on one data set by one metric."""

    dataset: str
    metric: str
    answer: str
    """The class, or the number, that is predicted for every row."""
    score: float
    """What it scores, the mean over folds; NaN where the metric has no value."""
    holdout: float
    """What it scores on the held-out rows; NaN where there are none."""
    trained: bool
    """Whether the class was chosen by training rows; else by the tested rows themselves."""
    models: tuple[Against, ...]
    """The models that are tested against it, in the experiment's order."""

    @property
    def open(self) -> list[str]:
        """The models that are not shown to beat it."""
        return [line.model for line in self.models if not line.better]


class _Part(NamedTuple):
    """Rows of each class in the two parts of one division."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    trained: bool


def baseline(study: Study, metric: str, dataset: str) -> Baseline | None:
    """Return the constant answer on a data set; None where the rows' answers are not known."""
    measure, classes = study.metrics[metric], _classes(study, dataset)
    table = study.values(metric, study.plan).get(dataset)
    if table is not None and study.experiment.task.numbers:
        return _of_numbers(study, measure, dataset, list(table.index))
    # marks of right rows are no classes that could be predicted
    if not classes or table is None or study.experiment.with_values:
        return None
    parts = _parts(study, dataset, study.plan, classes)
    folds = [parts.get(index) for index in table.index]
    scores = _scores(study, measure, dataset, folds)
    if scores is None:
        return None
    held = _scores(study, measure, dataset, [*_parts(study, dataset, "holdout", classes).values()])
    total = sum(part.train for part in folds if part is not None)
    found = constant_answer(measure, classes, total, total, study.experiment.costs_on(dataset))
    assert found is not None
    return Baseline(
        dataset,
        metric,
        classes[found.answer],
        float(scores.mean()),
        float(held.mean()) if held is not None and len(held) else math.nan,
        all(part.trained for part in folds if part is not None),
        _tested(study, measure, dataset, found.answer, scores),
    )


def _of_numbers(
    study: Study, metric: Metric, dataset: str, folds: list[tuple[int, int]]
) -> Baseline | None:
    """Return the mean of the training rows as the answer, or their median by other metrics."""
    known, held = (_numbers(study, metric, dataset, plan) for plan in (study.plan, "holdout"))
    scores = np.array([known.get(fold, (0.0, math.nan, False))[1] for fold in folds])
    if not np.isfinite(scores).all():
        return None
    trained = all(trained for _, _, trained in known.values())
    answer = f"the {metric.constant} of the {'training' if trained else 'test'} rows"
    return Baseline(
        dataset,
        metric.name,
        answer,
        float(scores.mean()),
        next((score for _, score, _ in held.values()), math.nan),
        trained,
        _tested(study, metric, dataset, known[folds[0]][0], scores),
    )


def _numbers(
    study: Study, metric: Metric, dataset: str, plan: str
) -> dict[tuple[int, int], tuple[float, float, bool]]:
    """Map each division to the constant, what it scores, and whether training rows gave it."""
    rows = study.test_sets.get(dataset) if plan == "holdout" else None
    truth = None if rows is None or not rows.in_order else rows.truth
    found = {}
    for known in study.divisions:
        if (known["dataset"], known["plan"]) != (dataset, plan):
            continue
        for part in known["parts"]:
            train, test = (part[side].get("numbers", {}) for side in ("train", "test"))
            trained = bool(train)
            answer = (train or test).get(metric.constant, math.nan)
            seen = truth
            if seen is None and metric.null and test:
                # a mean of squares knows no more of the rows than their mean and variance
                n = part["test"]["rows"]
                seen = test["mean"] + np.array([-1, 1]) * test["sd"] * math.sqrt((n - 1) / n)
            off = part["test"].get("off_median", {}).get(_OFF_MEDIAN.get(metric.name))
            if seen is not None or off is not None:
                score = off if seen is None else constant_number(metric, answer, seen)
                found[part["repeat"], part["fold"]] = answer, score, trained
    if not found and truth is not None:
        answer = float(truth.mean() if metric.constant == "mean" else np.median(truth))
        found[1, 1] = answer, constant_number(metric, answer, truth), False
    return found


@lru_cache(maxsize=64)
def baselines(study: Study, metric: str) -> tuple[Baseline, ...]:
    """Return the constant answers of all data sets where they are known."""
    found = (baseline(study, metric, dataset) for dataset in study.datasets)
    return tuple(one for one in found if one is not None)


def _classes(study: Study, dataset: str) -> tuple[str, ...]:
    rows = study.test_sets.get(dataset)
    if rows is not None and rows.in_order:
        return rows.classes
    return tuple(study.cards[dataset].get("classes", ())) if dataset in study.cards else ()


def _parts(
    study: Study, dataset: str, plan: str, classes: tuple[str, ...]
) -> Mapping[tuple[int, int], _Part]:
    """Return the divisions of a plan; of rows that nothing was trained on, the test set alone."""
    found = {}
    for known in study.divisions:
        if (known["dataset"], known["plan"]) == (dataset, plan):
            for part in known["parts"]:
                train, test = (
                    np.array([part[side]["classes"].get(name, 0) for name in classes])
                    for side in ("train", "test")
                )
                trained = bool(train.sum())
                seen = train if trained else test
                found[part["repeat"], part["fold"]] = _Part(seen, test, trained)
    rows = study.test_sets.get(dataset)
    if not found and plan == "holdout" and rows is not None and rows.in_order:
        counts = np.bincount(rows.truth, minlength=len(classes))
        found[1, 1] = _Part(counts, counts, trained=False)
    return found


def _scores(
    study: Study, metric: Metric, dataset: str, folds: list[_Part | None]
) -> NDArray[np.float64] | None:
    """Score the constant answer fold by fold; None where it is not known on all of them."""
    costs, classes = study.experiment.costs_on(dataset), _classes(study, dataset)
    found = []
    for part in folds:
        if part is None or not part.test.sum() or not part.train.sum():
            return None
        one = constant_answer(metric, classes, part.train, part.test, costs)
        if one is None:
            return None
        found.append(one.score)
    return np.array(found)


class _Tested(NamedTuple):
    """A test of a model against the constant answer; `estimate` is positive where it is better."""

    model: str
    estimate: float
    ci: ConfidenceInterval | None
    pvalue: float


def _tested(
    study: Study, metric: Metric, dataset: str, answer: float, scores: NDArray[np.float64]
) -> tuple[Against, ...]:
    """Test each model against the constant answer, by Holm's correction for the models."""
    if study.plan == "holdout":
        found = [*_on_rows(study, metric, dataset, answer)]
    else:
        found = [*_on_folds(study, metric, dataset, scores)]
    if not found:
        return ()
    adjusted = adjust_pvalues([one.pvalue for one in found], CORRECTION)
    of_models = study, metric.name, study.plan
    return tuple(
        Against(
            one.model,
            one.estimate if without_noise(*of_models, one.estimate) else 0.0,
            one.ci,
            one.pvalue,
            float(p),
            bool(p <= study.alpha and one.estimate > 0),
        )
        for one, p in zip(found, adjusted, strict=True)
    )


@on_one_thread
def _on_folds(
    study: Study, metric: Metric, dataset: str, scores: NDArray[np.float64]
) -> list[_Tested]:
    """Test mean differences over folds, corrected for the overlap of the training sets."""
    known = fold_scores(study.scored_on(dataset, study.plan), list(study.models), metric.name)
    if known.n_train is None or known.n_test is None or not np.isfinite(scores).all():
        return []
    level, width = 1 - study.alpha, metric.range[1] - metric.range[0]
    sign = 1 if metric.greater_is_better else -1
    table = np.ascontiguousarray(known.values.reshape(-1, len(known.models)).T)
    scored = np.isfinite(table).all(axis=1)
    tests = corrected_against(
        sign * table[scored],
        sign * scores,
        n_train=known.n_train.ravel(),
        n_test=known.n_test.ravel(),
        confidence_level=level,
    )
    models = [known.models[m] for m in np.flatnonzero(scored)]
    return [
        _Tested(
            model,
            estimate,
            None
            if math.isnan(low)
            else ConfidenceInterval(max(low, -width), min(high, width), level, "student-t"),
            pvalue,
        )
        for model, (estimate, low, high, pvalue) in zip(
            models, np.column_stack(tests).tolist(), strict=True
        )
    ]


def _on_rows(study: Study, metric: Metric, dataset: str, answer: float) -> Iterator[_Tested]:
    """Test differences on the held-out rows, groups kept together."""
    rows = study.test_sets.get(dataset)
    if rows is None or not has_test(metric.name):
        return
    runs, shares = CrossedRuns.of(rows, deterministic(study.experiment)), None
    if rows.classes:
        (part,) = _parts(study, dataset, "holdout", rows.classes).values()
        shares = part.train / part.train.sum()
    for model, places in zip(runs.models, runs.runs, strict=True):
        pair = _beside(rows.only(places), metric, answer, shares)
        if pair is None:
            continue
        if len(places) == 1:
            yield _run(study, model, pair.difference, pair, metric, dataset)
        elif rows.times is None:  # no test of training runs is known for these
            *own, constant = range(len(pair.models))
            both = (tuple(own), (constant,))
            crossed = CrossedRuns((model, ""), pair, both, (False, True))
            yield _run(study, model, crossed.difference, crossed, metric, dataset)


@on_one_thread
def _run(
    study: Study, model: str, test: str, evidence: AnyEvidence, metric: Metric, dataset: str
) -> _Tested:
    planned = PlannedTest(name=test, plan=study.plan, alpha=study.alpha, correction="none")
    (found,) = run_test(planned, evidence, context_of(study.experiment, dataset, metric.name))
    ci = found.result.get("ci")
    return _Tested(model, found.estimate, ConfidenceInterval(**ci) if ci else None, found.pvalue)


def _beside(
    rows: PairedPredictions, metric: Metric, answer: float, shares: NDArray[np.float64] | None
) -> PairedPredictions | None:
    """Put the constant answer beside a model's runs, with the class shares as probabilities."""
    wanted = {Need.RANKING: rows.scores, Need.PROBABILITIES: rows.probabilities}
    if metric.needs in wanted and wanted[metric.needs] is None:
        return None
    both = dataclasses.replace(
        rows,
        metric=metric.name,
        models=(*rows.models, ""),
        predicted=_extended(rows.predicted, answer),
    )
    if shares is None:
        return both
    return dataclasses.replace(
        both,
        scores=None if rows.scores is None else _extended(rows.scores, shares[-1]),
        probabilities=None if rows.probabilities is None else _extended(rows.probabilities, shares),
    )


def _extended(values: NDArray[Any], constant: Any) -> NDArray[Any]:
    """Put a constant beside the values of the runs of a model, shape (n, S) or (n, S, K)."""
    shape = values[:, :1].shape
    beside = np.broadcast_to(np.asarray(constant, np.result_type(values, constant)), shape)
    return np.concatenate([values, beside], axis=1)


_TURNS = ("accuracy", "error", "balanced_accuracy", "mcc", "roc_auc", "youden")
"""Metrics that two classes exchanged in every prediction turn about the middle of their range."""


def worse_than_constant(study: Study, one: Baseline) -> list[str]:
    """List the models that are shown to be worse than the constant answer."""
    lines = (line for line in one.models if line.pvalue_adjusted <= study.alpha)
    return [line.model for line in lines if line.difference < 0]


def looks_reversed(study: Study) -> bool:
    """Tell whether all models lose to a constant answer that their reverse would not lose to."""
    name = study.metric.name
    found = baselines(study, name) if not study.several and name in _TURNS else ()
    if not found or len(_classes(study, found[0].dataset)) != 2:
        return False
    low, high = study.metric.range
    means = dataset_means(study, name, study.plan).loc[found[0].dataset]
    # what is wrong on every row has no variance, and so no p
    worst = low if study.metric.greater_is_better else high
    worse = means.index.isin(worse_than_constant(study, found[0])) | (means == worst)
    ahead = (low + high - means - found[0].score) * (1 if study.metric.greater_is_better else -1)
    return bool(worse.all() and (ahead >= 0).all())


PERFECT = 0.005
"""A score is nearly perfect within this share of the metric's range.

A metric without an interval describes a property that a constant can have: it is calibrated.
"""


def nearly_perfect(study: Study) -> Iterator[tuple[Metric, str, float]]:
    """List the scores that are perfect or nearly so: metric, model and mean."""
    for name in study.experiment.metrics:
        metric = study.metrics[name]
        low, high = metric.range
        means = dataset_means(study, name, study.plan)
        known = metric.computed and metric.interval
        if not (known and math.isfinite(high - low)) or means.empty:
            continue
        best = high if metric.greater_is_better else low
        for model, mean in means.mean().items():
            if abs(best - mean) <= PERFECT * (high - low):
                yield metric, str(model), float(mean)

"""The baseline of a metric: a constant prediction, what it scores, and which models beat it.

Each metric has its own one, the constant prediction that is best by this metric on the training
rows, and every text names it: always one class, the class shares as probabilities, or the mean or
median of the target.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import CrossedRuns, PairedPredictions
from bakeoff.comparisons.run_tests import context_of, run_test
from bakeoff.comparisons.settings import deterministic, has_test
from bakeoff.report.numbers import clean
from bakeoff.report.ranking import dataset_means, without_noise
from bakeoff.report.study import Study, seen_from
from bakeoff.scores.metrics import Metric, Need, constant_answer, constant_number
from bakeoff.spec import PlannedTest
from bakeoff.stats import ConfidenceInterval
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.folds.t_tests import corrected_against
from bakeoff.threads import on_one_thread

CONSTANT = "(constant)"
"""Its name among the models."""
_ROUNDING = 1e-12
_OFF_MEDIAN = {"mae": "mean", "median_absolute_error": "median"}
"""Metrics that are a statistic of how far rows are from their prediction, here the median."""


class Against(NamedTuple):
    """A model against the constant answer; `difference` is positive where the model is better."""

    model: str
    difference: float
    ci: ConfidenceInterval | None
    pvalue: float
    pvalue_adjusted: float = math.nan
    better: bool = False


@dataclasses.dataclass(frozen=True)
class Baseline:
    """The constant prediction on one data set that is the baseline of one metric."""

    dataset: str
    metric: str
    answer: str
    """The class, or which number, is predicted for every row."""
    label: str
    """Its name in tables and brackets: always 'No', class shares, mean of the training rows."""
    predicts: str
    """What it predicts for every row, in a sentence."""
    scores: tuple[float, ...]
    """What it scores on each fold."""
    score: float
    """Their mean; NaN where the metric has no value."""
    holdout: float
    """What it scores on the held-out rows; NaN where there are none."""
    trained: bool
    """Whether the class was chosen by training rows; else by the tested rows themselves."""
    models: tuple[Against, ...]
    """The models that are tested against it, in the experiment's order."""
    perfect: bool = False
    """Whether it has the best possible value, so that no model can be better."""

    @property
    def open(self) -> list[str]:
        """The models that are not shown to beat it."""
        return [line.model for line in self.models if not line.better]


class _Constant(NamedTuple):
    """The constant answer of one division: a number, or the place of a class."""

    answer: float
    score: float
    trained: bool
    counts: NDArray[np.int64] | None = None
    """The rows of each class that it was chosen by."""


@lru_cache(maxsize=64)
def baselines(study: Study, metric: str) -> tuple[Baseline, ...]:
    """Return the constant answers of all data sets where they are known."""
    constants = (baseline(study, metric, dataset) for dataset in study.datasets)
    return tuple(one for one in constants if one is not None)


def baseline(study: Study, metric: str, dataset: str) -> Baseline | None:
    """Return the constant answer on a data set; None where the rows' answers are not known."""
    measure, table = study.metrics[metric], study.values[metric, study.plan].get(dataset)
    divide = _of_numbers if study.analysis.task.numbers else _of_classes
    by_fold, held_out = (divide(study, measure, dataset, plan) for plan in (study.plan, "holdout"))
    if table is None or not by_fold.keys() >= {*table.index}:
        return None
    folds = [by_fold[index] for index in table.index]
    scores = np.array([one.score for one in folds])
    trained = all(one.trained for one in folds)
    answer, shares = folds[0].answer, None
    counts = [one.counts for one in folds if one.counts is not None]
    rows = "training rows" if trained else "test rows"
    text = f"the {measure.constant} of the {rows}"
    label, predicts = f"{measure.constant} of the {rows}", text
    if counts:
        classes, total = _classes(study, dataset), np.sum(counts, axis=0)
        best = constant_answer(
            measure, classes, total, total, study.analysis.datasets[dataset].costs
        )
        assert best is not None
        answer, text, shares = best.answer, classes[best.answer], total / total.sum()
        label, predicts = _of_class(measure, text, rows, {one.answer for one in folds})
    perfect = _is_perfect(measure, scores)
    tested = list[Against]()
    if not perfect:
        tested = _tested(study, measure, dataset, scores, answer, shares)
    held = [one.score for one in held_out.values()]
    return Baseline(
        dataset=dataset,
        metric=metric,
        answer=text,
        label=label,
        predicts=predicts,
        scores=tuple(scores.tolist()),
        score=float(scores.mean()),
        holdout=math.fsum(held) / len(held) if held else math.nan,
        trained=trained,
        models=tuple(_decided(study, metric, tested)),
        perfect=perfect,
    )


def _of_class(metric: Metric, name: str, rows: str, answers: set[float]) -> tuple[str, str]:
    """Name the prediction of a class, or of the class shares, for tables and for sentences."""
    if metric.by_order:
        return "class shares", "the class shares as probabilities"
    if len(answers) > 1:  # the classes are so alike that the best one depends on the fold
        best = f"best class of the {rows}"
        return best, f"the {best}"
    shown = repr(clean(name))
    return f"always {shown}", shown


def _is_perfect(metric: Metric, scores: NDArray[np.float64]) -> bool:
    """Tell whether a constant has the best possible value, as recall where all are positive."""
    low, high = metric.range
    best = high if metric.greater_is_better else low
    # a metric without a finite limit but 0 has values of any size, of which none is negligible
    size = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    rounding = _ROUNDING * size
    return math.isfinite(best) and bool(np.allclose(scores, best, rtol=0, atol=rounding))


def named_alike(constants: Sequence[Baseline]) -> str:
    """Return the name that the baselines of several data sets share; else empty."""
    labels = {one.label for one in constants}
    return labels.pop() if len(labels) == 1 else ""


def _tested(
    study: Study,
    metric: Metric,
    dataset: str,
    scores: NDArray[np.float64],
    answer: float,
    shares: NDArray[np.float64] | None,
) -> list[Against]:
    """Test the models against the constant on the rows of a holdout, else on folds."""
    if study.plan == "holdout":
        return _on_rows(study, metric, dataset, answer, shares)
    return _on_folds(study, metric, dataset, scores)


def _decided(study: Study, metric: str, tested: Sequence[Against]) -> Iterator[Against]:
    """Adjust the p-values for all models, and decide which are better."""
    adjusted = adjust_pvalues([one.pvalue for one in tested], "holm") if tested else ()
    for one, p in zip(tested, adjusted, strict=True):
        better = bool(p <= study.alpha and one.difference > 0)
        noise = not without_noise(study, metric, study.plan, one.difference)
        difference = 0.0 if noise else one.difference
        yield one._replace(difference=difference, pvalue_adjusted=float(p), better=better)


def _parts(study: Study, dataset: str, plan: str) -> Iterator[Mapping[str, Any]]:
    for division in study.divisions:
        if (division["dataset"], division["plan"]) == (dataset, plan):
            yield from division["parts"]


def _of_numbers(
    study: Study, metric: Metric, dataset: str, plan: str
) -> dict[tuple[int, int], _Constant]:
    """Return the mean of the training rows of each division, or their median by other metrics."""
    rows = study.test_sets.get(dataset) if plan == "holdout" else None
    truth = None if rows is None or not rows.in_order else rows.truth
    constants = {}
    for part in _parts(study, dataset, plan):
        train, test = (part[side].get("numbers", {}) for side in ("train", "test"))
        answer = (train or test).get(metric.constant, math.nan)
        seen = truth
        if seen is None and metric.null and test:
            # a mean of squares knows no more of the rows than their mean and variance
            n = part["test"]["rows"]
            seen = test["mean"] + np.array([-1, 1]) * test["sd"] * math.sqrt((n - 1) / n)
        score = part["test"].get("off_median", {}).get(_OFF_MEDIAN.get(metric.name), math.nan)
        score = score if seen is None else constant_number(metric, answer, seen)
        constants[part["repeat"], part["fold"]] = _Constant(answer, score, bool(train))
    if not constants and truth is not None:
        answer = float(truth.mean() if metric.constant == "mean" else np.median(truth))
        constants[1, 1] = _Constant(answer, constant_number(metric, answer, truth), trained=False)
    return {index: one for index, one in constants.items() if math.isfinite(one.score)}


def _of_classes(
    study: Study, metric: Metric, dataset: str, plan: str
) -> dict[tuple[int, int], _Constant]:
    """Return the best class of each division; of rows that nothing was trained on, of the rows."""
    if study.analysis.with_values:  # marks of right rows are no classes that could be predicted
        return {}
    classes, costs = _classes(study, dataset), study.analysis.datasets[dataset].costs
    counts = {
        (part["repeat"], part["fold"]): [
            np.array([part[side]["classes"].get(name, 0) for name in classes], dtype=np.int64)
            for side in ("train", "test")
        ]
        for part in _parts(study, dataset, plan)
    }
    rows = study.test_sets.get(dataset)
    if not counts and plan == "holdout" and rows is not None and rows.in_order:
        tested = np.bincount(rows.truth, minlength=len(classes))
        counts[1, 1] = [0 * tested, tested]
    constants = {}
    for index, (train, test) in counts.items():
        seen = train if train.sum() else test
        one = constant_answer(metric, classes, seen, test, costs) if test.sum() else None
        if one is not None:
            constants[index] = _Constant(one.answer, one.score, bool(train.sum()), seen)
    return constants


def _classes(study: Study, dataset: str) -> tuple[str, ...]:
    rows = study.test_sets.get(dataset)
    if rows is not None and rows.in_order:
        return rows.classes
    return tuple(study.cards[dataset].get("classes", ())) if dataset in study.cards else ()


@on_one_thread
def _on_folds(
    study: Study, metric: Metric, dataset: str, scores: NDArray[np.float64]
) -> list[Against]:
    """Test mean differences over folds: by the values of rows, or of scores alone."""
    by_rows = _by_fold_rows(study, metric, dataset)
    if by_rows:
        return by_rows
    values = study.values[metric.name, study.plan][dataset].to_numpy()
    scored = np.isfinite(values).all(axis=0)
    models = [model for model, one in zip(study.models, scored, strict=True) if one]
    sizes = study.sizes(dataset, study.plan, models[0], metric.name) if models else None
    if sizes is None or not np.isfinite(scores).all():
        return []
    level, width = 1 - study.alpha, metric.range[1] - metric.range[0]
    sign = 1 if metric.greater_is_better else -1
    table = np.ascontiguousarray(values[:, scored].T)
    tests = corrected_against(sign * table, sign * scores, confidence_level=level, **sizes)
    against = []
    for model, (estimate, low, high, p) in zip(
        models, np.column_stack(tests).tolist(), strict=True
    ):
        ci = ConfidenceInterval(max(low, -width), min(high, width), level, "student-t")
        against.append(Against(model, estimate, None if math.isnan(low) else ci, p))
    return against


def _by_fold_rows(study: Study, metric: Metric, dataset: str) -> list[Against]:
    """Return the differences that were tested by the values of rows; none without such values."""
    against = []
    for model in study.models:
        line = study.over_folds.get((dataset, study.plan, metric.name, model))
        if line is None or math.isnan(line["difference"]):
            continue
        ci = None
        if not math.isnan(line["difference_low"]):
            ends = line["difference_low"], line["difference_high"]
            ci = ConfidenceInterval(*ends, line["confidence"], "student-t")
        against.append(Against(model, line["difference"], ci, line["difference_pvalue"]))
    return against


@on_one_thread
def _on_rows(
    study: Study, metric: Metric, dataset: str, answer: float, shares: NDArray[np.float64] | None
) -> list[Against]:
    """Test differences on the held-out rows, groups kept together."""
    rows = study.test_sets.get(dataset)
    if rows is None or not has_test(metric.name):
        return []
    crossed, against = CrossedRuns.from_rows(rows, deterministic(study.analysis)), list[Against]()
    runs_of = dict(zip(crossed.models, crossed.runs, strict=True))
    single = [model for model, runs in runs_of.items() if len(runs) == 1]
    # related rows have exact tests of two models, which all models together have not
    for models in [[model] for model in single] if rows.related else [single]:
        fits = rows.only([runs_of[model][0] for model in models])
        fits = dataclasses.replace(fits, models=tuple(models))
        if models and (pair := _beside(fits, metric, answer, shares)):
            against += _run(study, pair, metric, dataset)
    for model, runs in runs_of.items():
        if len(runs) == 1 or rows.times is not None:  # no test of runs is known for rows in time
            continue
        if pair := _beside(rows.only(runs), metric, answer, shares):
            places = tuple(range(len(runs))), (len(runs),)
            both = CrossedRuns((model, CONSTANT), pair, places, (False, True))
            against += _run(study, both, metric, dataset)
    return sorted(against, key=lambda one: study.models.index(one.model))


def _run(
    study: Study, evidence: PairedPredictions | CrossedRuns, metric: Metric, dataset: str
) -> Iterator[Against]:
    """Test models against the constant, whose influence is computed once for all of them."""
    how: dict[str, Any] = {"name": evidence.difference, "plan": study.plan, "alpha": study.alpha}
    test = PlannedTest(**how, correction="none", versus=CONSTANT)
    for row in run_test(test, evidence, context_of(study.analysis, dataset, metric.name)):
        seen, ci = seen_from(row, row.model_b), row.result.get("ci")
        ends = seen.ci_low, seen.ci_high, seen.confidence
        interval = ConfidenceInterval(*ends, ci["method"]) if ci else None
        yield Against(seen.model_a, seen.estimate, interval, seen.pvalue)


def _beside(
    rows: PairedPredictions, metric: Metric, answer: float, shares: NDArray[np.float64] | None
) -> PairedPredictions | None:
    """Put the constant answer beside models or runs, with the class shares as probabilities."""
    wanted = {Need.RANKING: rows.scores, Need.PROBABILITIES: rows.probabilities}
    if metric.needs in wanted and wanted[metric.needs] is None:
        return None

    def extended(values: NDArray[Any], constant: Any) -> NDArray[Any]:
        # of shape (n, S) or (n, S, K)
        beside = np.asarray(constant, np.result_type(values, constant))
        return np.concatenate([values, np.broadcast_to(beside, values[:, :1].shape)], axis=1)

    said: dict[str, Any] = {"predicted": extended(rows.predicted, answer)}
    if shares is not None and rows.scores is not None:
        said["scores"] = extended(rows.scores, shares[-1])
    if shares is not None and rows.probabilities is not None:
        said["probabilities"] = extended(rows.probabilities, shares)
    models = (*rows.models, CONSTANT)
    return dataclasses.replace(rows, metric=metric.name, models=models, **said)


_TURNS = ("accuracy", "error", "balanced_accuracy", "mcc", "roc_auc", "youden")
"""Metrics that two classes exchanged in every prediction turn about the middle of their range."""


def worse_than_constant(study: Study, one: Baseline) -> list[str]:
    """List the models that are shown to be worse than the constant answer."""
    lines = (line for line in one.models if line.pvalue_adjusted <= study.alpha)
    return [line.model for line in lines if line.difference < 0]


def looks_reversed(study: Study) -> bool:
    """Tell whether all models lose to a constant answer that their reverse would not lose to."""
    name = study.metric.name
    constants = baselines(study, name) if not study.several and name in _TURNS else ()
    if not constants or len(_classes(study, constants[0].dataset)) != 2:
        return False
    (constant,), (low, high) = constants, study.metric.range
    means = dataset_means(study, name, study.plan).loc[constant.dataset]
    # what is wrong on every row has no variance, and so no p
    worst, sign = (low, 1) if study.metric.greater_is_better else (high, -1)
    worse = means.index.isin(worse_than_constant(study, constant)) | (means == worst)
    ahead = sign * (low + high - means - constant.score)
    return bool(worse.all() and (ahead >= 0).all())


PERFECT = 0.005
"""A score is nearly perfect within this share of the metric's range."""


def nearly_perfect(study: Study) -> Iterator[tuple[Metric, str, float]]:
    """List the scores that are perfect or nearly so: metric, model and mean."""
    for name in study.analysis.metrics:
        metric = study.metrics[name]
        low, high = metric.range
        means = dataset_means(study, name, study.plan)
        # a metric without an interval describes a property that a constant can have
        judged = metric.computed and metric.interval
        if not (judged and math.isfinite(high - low)) or means.empty:
            continue
        best = high if metric.greater_is_better else low
        for model, mean in means.mean().items():
            if abs(best - mean) <= PERFECT * (high - low):
                yield metric, str(model), float(mean)

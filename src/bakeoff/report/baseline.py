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
from bakeoff.report.family import seen_from
from bakeoff.report.numbers import clean
from bakeoff.report.ranking import dataset_means, without_noise
from bakeoff.report.study import Study
from bakeoff.scores.metrics import Metric, Need, constant_answer, constant_number
from bakeoff.spec import PlannedTest
from bakeoff.stats import ConfidenceInterval
from bakeoff.stats.core.pairs import adjust_pvalues
from bakeoff.stats.folds.t_tests import corrected_against
from bakeoff.threads import on_one_thread

CONSTANT = "(constant)"
"""Its name among the models."""
PERFECT = 0.005
"""A score is nearly perfect within this share of the metric's range."""
_ROUNDING = 1e-12
_OFF_MEDIAN = {"mae": "mean", "median_absolute_error": "median"}
"""Metrics that are a statistic of how far rows are from their prediction, here the median."""
_TURNS = ("accuracy", "error", "balanced_accuracy", "mcc", "roc_auc", "youden")
"""Metrics that two classes exchanged in every prediction turn about the middle of their range."""


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
    constants = [baseline(study, metric, dataset) for dataset in study.datasets]
    return tuple(constant for constant in constants if constant is not None)


def baseline(study: Study, metric: str, dataset: str) -> Baseline | None:
    """Return the constant answer on a data set; None where the rows' answers are not known."""
    measure = study.metrics[metric]
    by_fold = _by_division(study, measure, dataset, study.plan)
    table = study.values[metric, study.plan].get(dataset)
    # a fold without known answers has no constant, and a mean needs all folds
    if table is None or not by_fold.keys() >= set(table.index):
        return None
    folds = [by_fold[index] for index in table.index]
    scores = np.array([fold.score for fold in folds])
    prediction = _prediction(study, measure, dataset, folds)
    perfect = _is_perfect(measure, scores)
    tested = list[Against]()
    if not perfect:
        tested = _tested(study, measure, dataset, scores, prediction)
    held_out = _by_division(study, measure, dataset, "holdout").values()
    holdout = math.nan
    if held_out:
        holdout = math.fsum(constant.score for constant in held_out) / len(held_out)
    return Baseline(
        dataset=dataset,
        metric=metric,
        answer=prediction.name,
        label=prediction.label,
        predicts=prediction.text,
        scores=tuple(scores.tolist()),
        score=float(scores.mean()),
        holdout=holdout,
        trained=all(fold.trained for fold in folds),
        models=tuple(_decided(study, metric, tested)),
        perfect=perfect,
    )


class _Prediction(NamedTuple):
    """What a baseline predicts for every row."""

    answer: float
    """A number, or the place of a class."""
    name: str
    label: str
    text: str
    """For tables and for sentences."""
    shares: NDArray[np.float64] | None = None
    """Of the classes; None where numbers are predicted."""


def _prediction(
    study: Study, metric: Metric, dataset: str, folds: Sequence[_Constant]
) -> _Prediction:
    """Name what is predicted: the class that is best on all rows of which classes are known."""
    trained = all(fold.trained for fold in folds)
    rows = "test rows"
    if trained:
        rows = "training rows"
    counts = []
    for fold in folds:
        if fold.counts is not None:
            counts.append(fold.counts)
    if not counts:
        label = f"{metric.constant} of the {rows}"
        return _Prediction(folds[0].answer, f"the {label}", label, f"the {label}")
    classes = _classes(study, dataset)
    total = np.sum(counts, axis=0)
    best = constant_answer(metric, classes, total, total, study.analysis.datasets[dataset].costs)
    assert best is not None
    name = classes[best.answer]
    label, text = _of_class(metric, name, rows, {fold.answer for fold in folds})
    return _Prediction(best.answer, name, label, text, total / total.sum())


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
    best = low
    if metric.greater_is_better:
        best = high
    # a metric without a finite limit but 0 has values of any size, of which none is negligible
    size = 0.0
    for end in (low, high):
        if math.isfinite(end):
            size = max(size, abs(end))
    rounding = _ROUNDING * size
    return math.isfinite(best) and bool(np.allclose(scores, best, rtol=0, atol=rounding))


def named_alike(constants: Sequence[Baseline]) -> str:
    """Return the name that the baselines of several data sets share; else empty."""
    labels = {constant.label for constant in constants}
    if len(labels) == 1:
        return labels.pop()
    return ""


def _tested(
    study: Study,
    metric: Metric,
    dataset: str,
    scores: NDArray[np.float64],
    prediction: _Prediction,
) -> list[Against]:
    """Test the models against the constant on the rows of a holdout, else on folds."""
    if study.plan == "holdout":
        return _on_rows(study, metric, dataset, prediction)
    return _on_folds(study, metric, dataset, scores)


def _decided(study: Study, metric: str, tested: Sequence[Against]) -> Iterator[Against]:
    """Adjust the p-values for all models, and decide which are better."""
    if not tested:
        return
    # one family: the models of one data set by one metric
    adjusted = adjust_pvalues([line.pvalue for line in tested], "holm")
    for line, p in zip(tested, adjusted, strict=True):
        difference = line.difference
        better = bool(p <= study.alpha and difference > 0)
        if not without_noise(study, metric, study.plan, difference):
            difference = 0.0
        yield line._replace(difference=difference, pvalue_adjusted=float(p), better=better)


# --- the constant of each division


def _by_division(
    study: Study, metric: Metric, dataset: str, plan: str
) -> dict[tuple[int, int], _Constant]:
    """Return the constant answers of a plan by repeat and fold."""
    if study.analysis.task.numbers:
        return _of_numbers(study, metric, dataset, plan)
    return _of_classes(study, metric, dataset, plan)


def _parts(study: Study, dataset: str, plan: str) -> Iterator[Mapping[str, Any]]:
    for division in study.divisions:
        if (division["dataset"], division["plan"]) == (dataset, plan):
            yield from division["parts"]


def _of_numbers(
    study: Study, metric: Metric, dataset: str, plan: str
) -> dict[tuple[int, int], _Constant]:
    """Return the mean of the training rows of each division, or their median by other metrics."""
    rows = study.test_sets.get(dataset) if plan == "holdout" else None
    truth = None
    if rows is not None and rows.in_order:
        truth = rows.truth
    constants = {}
    for part in _parts(study, dataset, plan):
        train = part["train"].get("numbers", {})
        test = part["test"].get("numbers", {})
        answer = (train or test).get(metric.constant, math.nan)
        score = _score_of_number(metric, answer, part["test"], truth)
        constants[part["repeat"], part["fold"]] = _Constant(answer, score, bool(train))
    if not constants and truth is not None:
        answer = float(truth.mean() if metric.constant == "mean" else np.median(truth))
        constants[1, 1] = _Constant(answer, constant_number(metric, answer, truth), trained=False)
    known = {}
    for index, constant in constants.items():
        if math.isfinite(constant.score):
            known[index] = constant
    return known


def _score_of_number(
    metric: Metric, answer: float, test: Mapping[str, Any], truth: NDArray[np.float64] | None
) -> float:
    """Score a number on test rows, of which all values or only a summary are known."""
    if truth is not None:
        return constant_number(metric, answer, truth)
    numbers = test.get("numbers", {})
    if metric.null and numbers:
        # a mean of squares knows no more of the rows than their mean and variance, which two values
        # have as well: mean ± sd, with a variance that divides by n
        n = test["rows"]
        sd = numbers["sd"] * math.sqrt((n - 1) / n)
        return constant_number(metric, answer, numbers["mean"] + np.array([-1, 1]) * sd)
    of_median: float = test.get("off_median", {}).get(_OFF_MEDIAN.get(metric.name), math.nan)
    return of_median


def _of_classes(
    study: Study, metric: Metric, dataset: str, plan: str
) -> dict[tuple[int, int], _Constant]:
    """Return the best class of each division; of rows that nothing was trained on, of the rows."""
    if study.analysis.with_values:  # marks of right rows are no classes that could be predicted
        return {}
    classes = _classes(study, dataset)
    costs = study.analysis.datasets[dataset].costs
    constants = {}
    for index, (train, test) in _class_counts(study, dataset, plan).items():
        if not test.sum():
            continue
        seen = test
        if train.sum():
            seen = train
        best = constant_answer(metric, classes, seen, test, costs)
        if best is not None:
            constants[index] = _Constant(best.answer, best.score, bool(train.sum()), seen)
    return constants


def _class_counts(
    study: Study, dataset: str, plan: str
) -> dict[tuple[int, int], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Count the training and test rows of each class, by repeat and fold."""
    classes = _classes(study, dataset)

    def counted(side: Mapping[str, Any]) -> NDArray[np.int64]:
        return np.array([side["classes"].get(name, 0) for name in classes], dtype=np.int64)

    counts = {}
    for part in _parts(study, dataset, plan):
        counts[part["repeat"], part["fold"]] = (counted(part["train"]), counted(part["test"]))
    rows = study.test_sets.get(dataset)
    if not counts and plan == "holdout" and rows is not None and rows.in_order:
        # of given predictions the training rows are not known
        tested = np.bincount(rows.truth, minlength=len(classes))
        counts[1, 1] = (0 * tested, tested)
    return counts


def _classes(study: Study, dataset: str) -> tuple[str, ...]:
    rows = study.test_sets.get(dataset)
    if rows is not None and rows.in_order:
        return rows.classes
    return tuple(study.cards.get(dataset, {}).get("classes", ()))


# --- the models beside it


@on_one_thread
def _on_folds(
    study: Study, metric: Metric, dataset: str, scores: NDArray[np.float64]
) -> list[Against]:
    """Test mean differences over folds: by the values of rows, or of scores alone."""
    by_rows = _by_fold_rows(study, metric, dataset)
    if by_rows:
        return by_rows
    values = study.values[metric.name, study.plan][dataset].to_numpy()
    complete = np.isfinite(values).all(axis=0)
    models = [study.models[m] for m in np.flatnonzero(complete)]
    if not models or not np.isfinite(scores).all():
        return []
    sizes = study.sizes(dataset, study.plan, models[0], metric.name)
    if sizes is None:
        return []
    level = 1 - study.alpha
    width = metric.range[1] - metric.range[0]
    # differences are positive where the model is better: errors change their sign
    sign = 1 if metric.greater_is_better else -1
    # a row for each model, a column for each fold
    table = np.ascontiguousarray(values[:, complete].T)
    tests = corrected_against(
        sign * table,
        sign * scores,
        n_train=sizes["n_train"],
        n_test=sizes["n_test"],
        confidence_level=level,
    )
    against = []
    for model, numbers in zip(models, np.column_stack(tests).tolist(), strict=True):
        estimate, low, high, p = numbers
        ci = None
        if not math.isnan(low):
            ci = ConfidenceInterval(max(low, -width), min(high, width), level, "student-t")
        against.append(Against(model, estimate, ci, p))
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
            ci = ConfidenceInterval(
                line["difference_low"], line["difference_high"], line["confidence"], "student-t"
            )
        against.append(Against(model, line["difference"], ci, line["difference_pvalue"]))
    return against


@on_one_thread
def _on_rows(study: Study, metric: Metric, dataset: str, prediction: _Prediction) -> list[Against]:
    """Test differences on the held-out rows, groups kept together."""
    rows = study.test_sets.get(dataset)
    if rows is None or not has_test(metric.name):
        return []
    crossed = CrossedRuns.from_rows(rows, deterministic(study.analysis))
    runs_of = dict(zip(crossed.models, crossed.runs, strict=True))
    single = []
    for model, runs in runs_of.items():
        if len(runs) == 1:
            single.append(model)
    against = list[Against]()
    # related rows have exact tests of two models, which all models together have not
    together = [[model] for model in single] if rows.related else [single]
    for models in together:
        if models:
            fits = rows.only([runs_of[model][0] for model in models])
            fits = dataclasses.replace(fits, models=tuple(models))
            beside = _beside(fits, metric, prediction)
            against += _run(study, beside, metric, dataset)
    for model, runs in runs_of.items():
        if len(runs) == 1 or rows.times is not None:  # no test of runs is known for rows in time
            continue
        beside = _beside(rows.only(runs), metric, prediction)
        if beside is not None:
            # the constant is one more column behind those of the runs
            places = (tuple(range(len(runs))), (len(runs),))
            both = CrossedRuns((model, CONSTANT), beside, places, (False, True))
            against += _run(study, both, metric, dataset)
    return sorted(against, key=lambda line: study.models.index(line.model))


def _run(
    study: Study, evidence: PairedPredictions | CrossedRuns | None, metric: Metric, dataset: str
) -> Iterator[Against]:
    """Test models against the constant, whose influence is computed once for all of them."""
    if evidence is None:
        return
    test = PlannedTest(
        name=evidence.difference,
        plan=study.plan,
        alpha=study.alpha,
        correction="none",
        versus=CONSTANT,
    )
    for row in run_test(test, evidence, context_of(study.analysis, dataset, metric.name)):
        # the constant is the control, and so A: turned, A is the model
        seen = seen_from(row, row.model_b)
        ci = row.result.get("ci")
        interval = None
        if ci:
            interval = ConfidenceInterval(seen.ci_low, seen.ci_high, seen.confidence, ci["method"])
        yield Against(seen.model_a, seen.estimate, interval, seen.pvalue)


def _beside(
    rows: PairedPredictions, metric: Metric, prediction: _Prediction
) -> PairedPredictions | None:
    """Put the constant answer beside models or runs, with the class shares as probabilities."""
    if metric.needs is Need.RANKING and rows.scores is None:
        return None
    if metric.needs is Need.PROBABILITIES and rows.probabilities is None:
        return None

    def extended(values: NDArray[Any], constant: Any) -> NDArray[Any]:
        # of shape (n, S) or (n, S, K)
        beside = np.asarray(constant, np.result_type(values, constant))
        return np.concatenate([values, np.broadcast_to(beside, values[:, :1].shape)], axis=1)

    scores = rows.scores
    probabilities = rows.probabilities
    if prediction.shares is not None:
        if scores is not None:
            scores = extended(scores, prediction.shares[-1])
        if probabilities is not None:
            probabilities = extended(probabilities, prediction.shares)
    return dataclasses.replace(
        rows,
        metric=metric.name,
        models=(*rows.models, CONSTANT),
        predicted=extended(rows.predicted, prediction.answer),
        scores=scores,
        probabilities=probabilities,
    )


# --- what it says of the scores


def worse_than_constant(study: Study, constant: Baseline) -> list[str]:
    """List the models that are shown to be worse than the constant answer."""
    worse = []
    for line in constant.models:
        # two-sided p-values: the sign of the difference says in which direction
        if line.pvalue_adjusted <= study.alpha and line.difference < 0:
            worse.append(line.model)
    return worse


def looks_reversed(study: Study) -> bool:
    """Tell whether all models lose to a constant answer that their reverse would not lose to."""
    name = study.metric.name
    if study.several or name not in _TURNS:
        return False
    constants = baselines(study, name)
    if not constants or len(_classes(study, constants[0].dataset)) != 2:
        return False
    constant = constants[0]
    low, high = study.metric.range
    means = dataset_means(study, name, study.plan).loc[constant.dataset]
    worst = high
    if study.metric.greater_is_better:
        worst = low
    sign = 1 if study.metric.greater_is_better else -1
    # what is wrong on every row has no variance, and so no p
    worse = means.index.isin(worse_than_constant(study, constant)) | (means == worst)
    # turning the answers over mirrors the score in the middle of its range
    reversed_means = low + high - means
    ahead = sign * (reversed_means - constant.score)
    return bool(worse.all() and (ahead >= 0).all())


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
        best = low
        if metric.greater_is_better:
            best = high
        for model, mean in means.mean().items():
            if abs(best - mean) <= PERFECT * (high - low):
                yield metric, str(model), float(mean)

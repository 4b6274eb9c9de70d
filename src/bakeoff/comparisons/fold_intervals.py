"""The expected score of each model over the folds of a plan, and its comparison with a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.choose import metrics_by_rows
from bakeoff.comparisons.collected import read_folds
from bakeoff.comparisons.evidence import FoldPredictions
from bakeoff.comparisons.row_tables import OF_INTERVAL, own_interval
from bakeoff.scores.metrics import METRICS, constant_answer
from bakeoff.spec import Costs, Experiment
from bakeoff.stats import Assumption, Result, Status, fold_rows_difference, fold_rows_score
from bakeoff.stats.folds.fold_rows import CLASS_SHARES, FoldRows, rows_of_runs
from bakeoff.stats.metrics.metric import Metric, Need, NoValue
from bakeoff.threads import on_one_thread

COLUMNS = (
    "dataset",
    "plan",
    *OF_INTERVAL,
    "baseline",
    "difference",
    "difference_low",
    "difference_high",
    "difference_pvalue",
)
"""`difference` is that from the baseline, positive where the model is better."""


@on_one_thread
def fold_intervals(
    experiment: Experiment | Analysis,
    inputs: Mapping[tuple[str, str], str | Path | FoldPredictions],
) -> pd.DataFrame:
    """Find the interval of each metric of each model, and compare it with the baseline."""
    analysis = analysis_of(experiment)
    lines: list[dict[str, Any]] = []
    for (dataset, plan), source in inputs.items():
        metrics = metrics_by_rows(analysis, plan)
        folds = read_folds(analysis, dataset, source, metrics)
        for metric in metrics:
            for line in _of_metric(folds.by(metric), 1 - analysis.tests.alpha):
                lines.append({"dataset": dataset, "plan": plan, "metric": metric, **line})
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _of_metric(folds: FoldPredictions, level: float) -> Iterator[dict[str, Any]]:
    """Yield a line for each model."""
    try:
        baseline = constant_rows(folds)
    except NoValue:
        baseline = None
    for model, name in enumerate(folds.models):
        line: dict[str, Any] = {"model": name, "confidence": level, "n": folds.n}
        missing = folds.missing([model])
        if missing:
            yield line | {"status": Status.UNDEFINED.value, "note": missing}
            continue
        try:
            rows = folds.rows(model)
        except NoValue as reason:
            yield line | {"status": Status.UNDEFINED.value, "note": str(reason)}
            continue
        score = fold_rows_score(rows, confidence_level=level)
        line |= own_interval(score, list(filter(_is_shown, score.assumptions)))
        if baseline is not None:
            line |= _against(fold_rows_difference(rows, baseline, confidence_level=level))
            # values of rows are larger where the model is better, whichever way the metric goes
            line["baseline"] = baseline.parts.score
            if not rows.setting.metric.greater_is_better:
                line["baseline"] = -baseline.parts.score
        yield line


def _is_shown(assumption: Assumption) -> bool:
    """Say whether a page shows an assumption beside the interval of a model's own score."""
    unseen = assumption.name == CLASS_SHARES and assumption.holds is None
    return assumption.holds is False or unseen


def _against(result: Result) -> dict[str, Any]:
    """Return the columns of the comparison with the baseline."""
    line = {"difference": result.estimate, "difference_pvalue": result.pvalue}
    if result.ci is not None:
        line |= {"difference_low": result.ci.low, "difference_high": result.ci.high}
    return line


def constant_rows(folds: FoldPredictions) -> FoldRows | None:
    """Return the values of rows of the constant answer that the training rows of each fit choose.

    None for a metric that no constant answer is known for. Raises `NoValue` where it has no score.
    """
    setting = folds.setting
    design = folds.design
    metric = setting.metric
    if not metric.computed or metric.takes:
        return None
    truth = folds.truth
    # answers by repetition and row; class shares have one more axis
    predicted = _no_answers(metric, design.fold.shape, len(folds.classes))
    for repetition, fold in enumerate(design.fold):
        for fit, tested in enumerate(design.rows_by_fit(repetition)):
            # a fit is trained on the rows in use that other fits of its repetition test
            trained = truth[design.in_use[repetition] & (fold != fit)]
            predicted[repetition, tested] = _constant(
                metric, folds.classes, trained, truth[tested], folds.costs
            )
    behind = None
    if metric.of_table:
        # the same answer for all rows, whatever the class shares: its probability is 1
        behind = [np.eye(len(folds.classes))[predicted]]
    return rows_of_runs(setting, design, [predicted], behind)


def _no_answers(metric: Metric, shape: tuple[int, ...], classes: int) -> NDArray[Any]:
    """Return room for the answers to all rows: numbers, class shares, or codes of classes."""
    if not classes:
        return np.zeros(shape)
    if metric.by_order:
        return np.zeros((*shape, classes))
    return np.zeros(shape, np.intp)


def _constant(
    metric: Metric,
    classes: tuple[str, ...],
    trained: NDArray[Any],
    tested: NDArray[Any],
    costs: Costs | None,
) -> Any:
    """Return the number, the class, or the class shares that are predicted for every tested row."""
    # The mean has the least squared error of all constants, the median the least absolute one.
    if not classes and metric.constant == "mean":
        return float(trained.mean())
    if not classes:
        return float(np.median(trained))
    counts = np.bincount(trained, minlength=len(classes))
    if metric.needs in (Need.RANKING, Need.PROBABILITIES):
        return counts / counts.sum()
    measure = METRICS[metric.name]
    of_tested = np.bincount(tested, minlength=len(classes))
    constant = constant_answer(measure, classes, counts, of_tested, costs)
    if constant is None or math.isnan(constant.score):
        raise NoValue("the baseline has no score")
    return constant.answer

"""The evaluation part of a model card: the leading model with its intervals and its test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from bakeoff import __version__
from bakeoff.comparisons import Comparison
from bakeoff.report.family import seen_from
from bakeoff.report.numbers import percent, pvalue
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import PLANS, decision
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study
from bakeoff.report.tables import markdown
from bakeoff.report.verdict import Verdict
from bakeoff.report.written import Written
from bakeoff.stats import ConfidenceInterval


class Score(NamedTuple):
    """A score of a model on a data set."""

    dataset: str
    model: str
    metric: str
    plan: str
    """Whose it is; the plan is where it was measured."""
    value: float
    """On the held-out rows, or the mean over folds."""
    low: float
    high: float
    """The ends of its interval; NaN where there is none."""


def scores_of(study: Study, model: str) -> Iterator[Score]:
    """Return the known scores of a model, by data set, metric and plan."""
    plans = [*study.experiment.resampling.plans()]
    for dataset in study.datasets:
        for metric in study.experiment.metrics:
            for plan in plans:
                table = study.values(metric, plan).get(dataset)
                value = math.nan if table is None else float(table[model].mean(skipna=False))
                ci = _interval(study, dataset, metric, plan, model)
                if math.isfinite(value):
                    ends = (math.nan, math.nan) if ci is None else (ci.low, ci.high)
                    yield Score(dataset, model, metric, plan, value, *ends)


def _interval(
    study: Study, dataset: str, metric: str, plan: str, model: str
) -> ConfidenceInterval | None:
    """Return the interval on held-out rows, or on one data set that of the expected score."""
    if plan == "holdout":
        return study.interval(dataset, metric, model)
    lines = [] if study.several else ranking(study, metric, plan)
    return next((line.ci for line in lines if line.model == model), None)


def model_card(study: Study, verdict: Verdict) -> str:
    """Return Markdown about the model that scores best, with the metadata of Hugging Face's hub."""
    leader = next(iter(order(study)), "")
    if not leader:
        return f"# Evaluation\n\n{markdown(verdict.headline)}\n"
    parts = [
        _metadata(study, leader),
        f"# Evaluation of {markdown(study.label(leader))}",
        "\n\n".join(map(markdown, verdict.lines)),
        _table(_OF_SCORES, _scores(study, leader)),
        _compared(study, leader),
        _how(study),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


_OF_SCORES = ("Data set", "Metric", "Measured on", "Value", "Interval")
_OF_PAIRS = ("Other model", "Data set", "Difference", "Interval", "Adjusted p", "Result")


def _scores(study: Study, leader: str) -> Iterator[tuple[str, ...]]:
    for score in scores_of(study, leader):
        written = study.written(score.metric, score.dataset)
        yield (
            study.dataset_label(score.dataset),
            written.label,
            PLANS[score.plan],
            written.score(score.value),
            _ends(written, score.low, score.high),
        )


def _compared(study: Study, leader: str) -> str:
    """Tabulate the main test's comparisons of the leader with each other model."""
    family = next(filter(None, map(study.main, ("algorithms", "recipes", "models"))), None)
    if family is None:
        return ""
    found = (family.between(leader, model) for model in study.models if model != leader)
    rows = [_pair(study, seen_from(row, leader)) for row in found if row is not None]
    said = (
        f"By {study.metrics[family.metric].title}, {family.entry.title}, level "
        f"{percent(study.alpha)}; positive differences favour {study.label(leader)}."
    )
    return f"{_table(_OF_PAIRS, rows)}\n\n{markdown(said)}" if rows else ""


def _pair(study: Study, row: Comparison) -> tuple[str, ...]:
    written = study.written_as(row)
    return (
        study.label(row.model_b),
        study.dataset_label(row.dataset),
        written.score(row.estimate),
        _ends(written, row.ci_low, row.ci_high),
        pvalue(row.pvalue_adjusted),
        decision(study, row),
    )


def _ends(written: Written, low: float, high: float) -> str:
    return "–" if math.isnan(low + high) else written.interval(low, high)


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [" | ".join(map(markdown, row)) for row in rows]
    ruled = [" | ".join(head), " | ".join("---" for _ in head), *lines]
    return "\n".join(f"| {line} |" for line in ruled) if lines else ""


def _how(study: Study) -> str:
    intervals = f"Intervals have the level {percent(1 - study.alpha)}."
    made = study.command or (f"bakeoff run {study.file}" if study.file else "")
    again = f": `{made}`" if made else ""
    return f"{intervals} Made with bakeoff {__version__}{again}."


def _metadata(study: Study, leader: str) -> str:
    """Write the `model-index` of a model that was fitted here: its task is known."""
    if leader not in study.experiment.fitted:
        return ""
    task = "tabular-regression" if study.experiment.task.numbers else "tabular-classification"
    results = [
        {
            "task": {"type": task},
            "dataset": {"name": study.dataset_label(dataset), "type": dataset},
            "metrics": [
                {
                    "type": s.metric,
                    "name": f"{s.metric}, {PLANS[s.plan]}",
                    "value": round(s.value, 6),
                }
                for s in scores_of(study, leader)
                if s.dataset == dataset
            ],
        }
        for dataset in study.datasets
    ]
    index = {"model-index": [{"name": study.label(leader), "results": results}]}
    text = yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{text}---"

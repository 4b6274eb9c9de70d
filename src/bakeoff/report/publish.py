"""Results for other places: a model card of the leading model, and a run of MLflow for each."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.extras import require
from bakeoff.report.facts import Verdict
from bakeoff.report.family import seen_from
from bakeoff.report.numbers import pvalue
from bakeoff.report.page import render
from bakeoff.report.prose import PLANS, decision
from bakeoff.report.ranking import order, ranking
from bakeoff.report.study import Study

_LONGEST = 5_000
"""Letters of a tag; older servers take no more."""
_PARAMETER = 500
_MOST = 1_000
"""Metrics that are sent at once."""


class Score(NamedTuple):
    """A score of a model on a data set."""

    dataset: str
    metric: str
    plan: str
    """Where it was measured."""
    value: float
    """On the held-out rows, or the mean over folds."""
    low: float
    high: float
    """The ends of its interval; NaN where there is none."""


def scores_of(study: Study, model: str) -> Iterator[Score]:
    """Return the known scores of a model, by data set, metric and plan."""
    for dataset in study.datasets:
        for metric in study.experiment.metrics:
            for plan in study.experiment.resampling.plans():
                table = study.values(metric, plan).get(dataset)
                value = math.nan if table is None else float(table[model].mean(skipna=False))
                if plan == "holdout":
                    ci = study.interval(dataset, metric, model)
                else:  # on one data set that of the expected score
                    lines = [] if study.several else ranking(study, metric, plan)
                    ci = next((line.ci for line in lines if line.model == model), None)
                if math.isfinite(value):
                    ends = (math.nan, math.nan) if ci is None else (ci.low, ci.high)
                    yield Score(dataset, metric, plan, value, *ends)


def model_card(study: Study, verdict: Verdict) -> str:
    """Return Markdown about the model that scores best, with the metadata of Hugging Face's hub."""
    leader = next(iter(order(study)), "")
    main = next(filter(None, map(study.main, ("algorithms", "recipes", "models"))), None)
    pairs = []
    for model in study.models if main else ():
        row = main.between(leader, model) if main and model != leader else None
        if row is not None:
            row = seen_from(row, leader)
            written = study.written_as(row)
            ends = _interval(written.interval, row.ci_low, row.ci_high)
            result = pvalue(row.pvalue_adjusted), decision(study, row)
            of = study.label(model), study.dataset_label(row.dataset)
            pairs.append((*of, written.score(row.estimate), ends, *result))
    scores = []
    for score in scores_of(study, leader) if leader else ():
        written = study.written(score.metric, score.dataset)
        ends = _interval(written.interval, score.low, score.high)
        where = study.dataset_label(score.dataset), written.label, PLANS[score.plan]
        scores.append((*where, written.score(score.value), ends))
    return render(
        "card.md.j2",
        study=study,
        verdict=verdict,
        leader=leader,
        metadata=_metadata(study, leader) if leader in study.experiment.fitted else "",
        main=main,
        scores=scores,
        pairs=pairs,
        version=__version__,
        command=study.command or (f"bakeoff run {study.file}" if study.file else ""),
    )


def _interval(write: Any, low: float, high: float) -> str:
    return "–" if math.isnan(low + high) else str(write(low, high))


def _metadata(study: Study, leader: str) -> str:
    """Write the `model-index` of a model that was fitted here: its task is known."""
    numbers = study.experiment.task.numbers
    results = [
        {
            "task": {"type": "tabular-regression" if numbers else "tabular-classification"},
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
    return yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=100)


def write_runs(study: Study, verdict: Verdict, uri: str, artifacts: list[Path]) -> list[str]:
    """Write a finished run for each model to a tracking store, and return their ids."""
    require("mlflow", "writing runs of MLflow")
    # by default it asks a server that is not there for more than four minutes, without a word
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param, RunTag
    from mlflow.exceptions import MlflowException

    name, leader = study.experiment.experiment, next(iter(order(study)), "")
    written = []
    try:
        client = MlflowClient(tracking_uri=uri)
        known = client.get_experiment_by_name(name)
        place = client.create_experiment(name) if known is None else known.experiment_id
        for model in study.models:
            run = client.create_run(place, run_name=study.label(model)).info.run_id
            written.append(run)
            now = int(time.time() * 1000)
            metrics = [Metric(key, value, now, 0) for key, value in _metrics(study, model)]
            for first in range(0, len(metrics), _MOST):
                client.log_batch(run, metrics=metrics[first : first + _MOST])
            parameters = [Param(key, text) for key, text in _parameters(study, model)]
            tags = [RunTag(key, text) for key, text in _tags(verdict, leads=model == leader)]
            client.log_batch(run, params=parameters, tags=tags)
            for file in artifacts:
                client.log_artifact(run, str(file))
            client.set_terminated(run)
    except ImportError as error:
        lacking = f"such a store needs the package {error.name}: pip install mlflow"
        raise UserError(f"--mlflow: {uri}: {lacking}") from None
    except (MlflowException, OSError) as error:
        why = " ".join(str(error).split())
        done = f" ({len(written)} run(s) were begun)" if written else ""
        raise UserError(f"--mlflow: {uri}: {why[:300]}{done}") from None
    return written


def _metrics(study: Study, model: str) -> Iterator[tuple[str, float]]:
    """Name the scores as MLflow takes names: letters, digits, and ``_-./``."""
    for score in scores_of(study, model):
        parts = [score.plan, score.metric]
        key = "/".join([score.dataset, *parts] if study.several else parts)
        key = re.sub(r"[^\w./-]", "_", key)
        values = {"": score.value, ".ci_low": score.low, ".ci_high": score.high}
        yield from ((key + end, v) for end, v in values.items() if math.isfinite(v))


def _parameters(study: Study, model: str) -> Iterator[tuple[str, str]]:
    """Return what the experiment says of a model, and its seed."""
    plain: dict[str, Any] = study.experiment.resolved()
    yield "seed", str(plain.get("seed"))
    for key, value in plain["models"][model].items():
        if value not in (None, {}, []):
            inner = value.items() if key == "params" else [("", value)]
            yield from ((f"{key}.{k}".rstrip("."), str(v)[:_PARAMETER]) for k, v in inner)


def _tags(verdict: Verdict, *, leads: bool) -> Iterator[tuple[str, str]]:
    yield "bakeoff.verdict", verdict.headline[:_LONGEST]
    yield "bakeoff.verdict.kind", verdict.kind.value
    yield "bakeoff.leads", str(leads).lower()
    yield "bakeoff.version", __version__
    yield "mlflow.note.content", verdict.text[:_LONGEST]

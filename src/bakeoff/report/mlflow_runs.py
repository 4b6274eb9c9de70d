"""A run of MLflow for each model: metrics with intervals, the report, the verdict."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.extras import require
from bakeoff.report.card import scores_of
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict

_LONGEST = 5_000
"""Letters of a tag; older servers take no more."""
_PARAMETER = 500
_MOST = 1_000
"""Metrics that are sent at once."""


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

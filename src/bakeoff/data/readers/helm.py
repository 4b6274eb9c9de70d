"""Statistics of each instance by HELM: ``per_instance_stats.json`` in the folder of a run.

``[{"instance_id": "id7", "train_trial_index": 0, "perturbation": {"name": …}, "stats": [{"name":
{"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0, …}]}]``
(helm/benchmark/metrics/metric.py and statistic.py), in ``runs/<suite>/<scenario>:<args>,model=…/``
beside ``run_spec.json``, whose ``adapter_spec`` says how the model was asked. Trials are runs of an
instance. Perturbed copies of an instance are left out, as in HELM's accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import (
    LATENCY,
    TOKENS,
    Signature,
    check_record,
    table_of_items,
)
from bakeoff.files import parse_json

WHAT = "per-instance statistics of HELM"
recognizes = Signature(
    "[",
    (
        r'"instance_id"\s*:',
        r'"train_trial_index"\s*:',
        r'"stats"\s*:\s*\[',
    ),
)
_INSTANCE = {
    "instance_id": (str, int),
    "stats": list,
    "train_trial_index?": int,
}
_STAT = {"name": dict, "mean?": (int, float)}
_OF_MODEL = ("model", "model_deployment")
_USAGE = {
    "inference_runtime": LATENCY,
    "num_prompt_tokens": "input_tokens",
    "num_output_tokens": "output_tokens",
}
"""Statistics that are no scores, and the columns that they become."""


def named(path: Path) -> dict[str, str]:
    """Return the model and the scenario that the name of a run's folder says."""
    scenario, _, arguments = path.parent.name.partition(":")
    model = path.parent.name
    parts = [scenario]
    for argument in arguments.split(","):
        key, _, value = argument.partition("=")
        if key == "model":
            model = value
        elif argument and key not in _OF_MODEL:
            parts.append(value)
    return {"model": model, "task": "/".join(parts)}


def beside(path: Path) -> dict[str, Any]:
    """Return how the model was asked, as the specification of the run says."""
    try:
        run = parse_json(path.with_name("run_spec.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # there is none: the statistics are enough
        return {}
    if not isinstance(run, dict) or not isinstance(run.get("adapter_spec"), dict):
        return {}
    settings = dict(run["adapter_spec"])
    # that models are others is no other way of asking them
    for key in _OF_MODEL:
        settings.pop(key, None)
    return settings


def read(text: str) -> pd.DataFrame:
    """Return instances and their statistics by name; ``run`` where there are several trials."""
    rows = []
    scores: dict[str, None] = {}
    for i, instance in enumerate(parse_json(text)):
        check_record(instance, f"[{i}]", _INSTANCE)
        # copies with typing errors and the like, of which HELM gives scores of their own
        if instance.get("perturbation"):
            continue
        statistics = _means(instance, f"[{i}]")
        row = {
            "id": str(instance["instance_id"]),
            "run": (instance.get("train_trial_index") or 0) + 1,
            **statistics,
        }
        rows.append(row)
        scores |= dict.fromkeys(statistics)
    # what an answer took is no score
    scores.pop(TOKENS, None)
    for column in _USAGE.values():
        scores.pop(column, None)
    table = table_of_items(rows, list(scores))
    if table["run"].nunique() == 1:
        table = table.drop(columns="run")
    return table


def _means(instance: Mapping[str, Any], place: str) -> dict[str, float]:
    """Return the mean of each statistic, and the tokens in all."""
    means: dict[str, float] = {}
    for j, stat in enumerate(instance["stats"]):
        check_record(stat, f"{place}.stats[{j}]", _STAT)
        name = stat["name"].get("name")
        column = _USAGE.get(name, str(name))
        if column in means:
            raise ValueError(f"{place}: the instance has {name} twice")
        if stat.get("mean") is not None:  # none where nothing was counted
            means[column] = float(stat["mean"])
    if {"input_tokens", "output_tokens"} <= means.keys():
        means[TOKENS] = means["input_tokens"] + means["output_tokens"]
    return means

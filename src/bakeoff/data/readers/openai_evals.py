"""Logs of OpenAI evals (``oaieval``): JSON lines, the specification of the run and its events.

``{"spec": {"completion_fns": […], "eval_name": …, "run_config": {"eval_spec": {"args": {…}}},
"run_id": …}}``, ``{"final_report": {…}}``, and for each event ``{"run_id": …, "event_id": …,
"sample_id": "<eval>.<number>", "type": "sampling", "data": {"prompt": …, "sampled": …, "usage":
{…}}}`` or ``{"type": "match", "data": {"correct": …}}`` or ``{"type": "metrics", "data": {…}}``
(evals/record.py). Samples are worked on at once, so that events come in any order; the number in a
sample's id is its place in the file of the samples. Without a final report the run did not finish.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import (
    PROMPTS,
    SETTINGS,
    USAGE,
    LeftOut,
    Signature,
    check_record,
    json_lines,
    numbers_in,
    table_of_items,
)
from bakeoff.files import digest

WHAT = "a log of OpenAI evals"
recognizes = Signature(
    "{",
    (
        r'"spec"\s*:\s*\{',
        r'"eval_name"\s*:',
        r'"run_id"\s*:',
    ),
    in_first_line=True,
)
_EVENT = {
    "sample_id": (str, int),
    "type": str,
    "data?": dict,
}
_TOKENS = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "total_tokens": "total_tokens",
}


def read(text: str) -> pd.DataFrame:
    """Return samples with ``correct`` and the metrics that were recorded for each."""
    spec: Mapping[str, Any] = {}
    samples: dict[str, dict[str, Any]] = {}
    prompts: dict[str, str] = {}
    # events of all samples come as they end
    has_ended = False
    for place, record in json_lines(text):
        if "spec" in record:
            spec = record["spec"]
        elif "final_report" in record:
            has_ended = True
        else:
            check_record(record, place, _EVENT)
            sample = samples.setdefault(str(record["sample_id"]), {"id": str(record["sample_id"])})
            _add_event(sample, record, place, prompts)
    if has_ended:
        return _table(spec, samples, prompts)
    rows = None
    if samples:
        rows = partial(_table, spec, samples, prompts)
    raise LeftOut(
        f"it has no final report after {len(samples):,} samples: the run did not finish",
        rows,
    )


def _add_event(
    sample: dict[str, Any],
    event: Mapping[str, Any],
    place: str,
    prompts: dict[str, str],
) -> None:
    """Add the scores of an event to those of its sample, and the tokens of an answer."""
    data = event.get("data") or {}
    if event["type"] == "sampling":
        prompts.setdefault(sample["id"], digest(data.get("prompt")))
        for name, value in numbers_in(data.get("usage") or {}).items():
            if name in _TOKENS:
                column = _TOKENS[name]
                sample[column] = sample.get(column, 0.0) + value
        return
    scores: dict[str, float] = {}
    if event["type"] == "match":
        scores = {"correct": float(data["correct"])}
    elif event["type"] == "metrics":
        scores = numbers_in(data)
    # events of one sample may repeat a score, of which nobody knows which one counts
    for name, value in scores.items():
        if name in sample:
            raise ValueError(f"{place}: the sample {sample['id']} has {name} twice")
        sample[name] = value


def _table(
    spec: Mapping[str, Any],
    samples: Mapping[str, Mapping[str, Any]],
    prompts: Mapping[str, str],
) -> pd.DataFrame:
    """Return a row for each sample that has a score, and what the specification says."""
    scores: dict[str, None] = {}
    for sample in samples.values():
        scores |= dict.fromkeys(sample)
    # neither ids nor what an answer took are scores
    scores.pop("id", None)
    for column in USAGE:
        scores.pop(column, None)
    table = table_of_items(list(samples.values()), list(scores))
    models = spec.get("completion_fns") or [spec.get("model_name")]
    table.attrs["model"] = ", ".join(map(str, models))
    table.attrs["task"] = str(spec.get("eval_name"))
    table.attrs["key"] = str(spec.get("run_id"))
    arguments = ((spec.get("run_config") or {}).get("eval_spec") or {}).get("args") or {}
    digests = sorted(set(prompts.values()))
    table.attrs[SETTINGS] = {PROMPTS: digest(digests), **arguments}
    table.attrs[PROMPTS] = dict(prompts)
    return table

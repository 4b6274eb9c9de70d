"""Runs of DeepEval: test cases with the score of each metric.

``{"testCases": [{"name": …, "input": …, "actualOutput": …, "expectedOutput": …, "success": …,
"metricsData": [{"name": "Faithfulness", "threshold": 0.5, "score": 0.8, "success": true, …}],
"tokenCost": …, "completionTime": …, "order": 0}], "hyperparameters": {"model": …}, …}``
(deepeval/test_run/test_run.py and api.py); older versions wrote ``metricsMetadata`` with
``metric``. What the judge cost (``evaluationCost``) says nothing of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import (
    COST,
    LATENCY,
    SAMPLE_ID,
    Signature,
    check_record,
    question_of,
    table_of_questions,
)
from bakeoff.files import parse_json

WHAT = "a test run of DeepEval"
recognizes = Signature(
    "{",
    (
        r'"testCases"\s*:\s*\[',
        r'"(metricsData|metricsMetadata)"\s*:',
    ),
)
_RUN = {"testCases": list, "hyperparameters?": dict}
_CASE = {
    "input": str,
    "expectedOutput?": str,
    "success?": bool,
    "metricsData?": list,
    "metricsMetadata?": list,
    "additionalMetadata?": dict,
    "tokenCost?": (int, float),
    "completionTime?": (int, float),
}
_METRIC = {"score?": (int, float)}


def read(text: str) -> pd.DataFrame:
    """Return test cases with ``success`` and the score of each metric."""
    run = check_record(parse_json(text), "the file", _RUN)
    rows = []
    scores: dict[str, None] = {}
    metadata = []
    for i, case in enumerate(run["testCases"]):
        place = f"testCases[{i}]"
        check_record(case, place, _CASE)
        of_case = _scores(case, place)
        scores |= dict.fromkeys(of_case)
        row = {
            "question": question_of(case["input"], case.get("expectedOutput")),
            SAMPLE_ID: case.get("name", i),
            **of_case,
            **_usage(case),
        }
        rows.append(row)
        metadata.append(case.get("additionalMetadata") or {})
    # what a model was asked with, and which one it is
    settings = dict(run.get("hyperparameters") or {})
    model = settings.pop("model", None)
    table = table_of_questions(
        pd.DataFrame(rows),
        list(scores),
        metadata,
        settings,
    )
    if model is not None:
        table.attrs["model"] = str(model)
    return table


def _scores(case: Mapping[str, Any], place: str) -> dict[str, float]:
    """Return whether a test case succeeded, and its score by each metric."""
    scores: dict[str, float] = {}
    if case.get("success") is not None:
        scores["success"] = float(case["success"])
    for j, metric in enumerate(case.get("metricsData") or case.get("metricsMetadata") or ()):
        check_record(metric, f"{place}.metricsData[{j}]", _METRIC)
        if metric.get("score") is not None:  # none where the judge failed
            scores[str(metric.get("name") or metric.get("metric"))] = float(metric["score"])
    return scores


def _usage(case: Mapping[str, Any]) -> dict[str, float]:
    """Return what the answer cost and how long it took, where that is known."""
    usage = {}
    for field, column in (("tokenCost", COST), ("completionTime", LATENCY)):
        if case.get(field) is not None:
            usage[column] = float(case[field])
    return usage

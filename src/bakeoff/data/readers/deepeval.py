"""Test runs of DeepEval: ``test_run_<time>.json``, `.latest_run_full.json`.

``{"testCases": [{"name": …, "input": …, "success": …, "metricsData": [{"name": …, "score": …,
"success": …, "error": …}]}], "conversationalTestCases": […], "hyperparameters": …}``
(deepeval/test_run/test_run.py, api.py); `.latest_test_run.json` has it under ``testRunData``.
Absent values are left out.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from bakeoff.files import parse_json

WHAT = "a test run of DeepEval"
OF_EVALS = True
_CASES = ("testCases", "conversationalTestCases")


def recognizes(head: str) -> bool:
    """Tell whether a file is an object with test cases and their metrics."""
    return head.lstrip().startswith("{") and all(
        re.search(rf'"{key}"\s*:', head) for key in ("testCases", "metricsData")
    )


def read(text: str) -> pd.DataFrame:
    """Return ids, ``success`` and the score of each metric; ``run`` where inputs repeat.

    An id is the input of a case: names count the cases of a run.
    """
    try:
        found = parse_json(text)
        run = found.get("testRunData", found)
        cases = [case for key in _CASES for case in run.get(key, ())]
        table = pd.DataFrame(map(_row, cases))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"expected test cases with metricsData: {error!r}") from None
    if table.empty:
        raise ValueError("it has no test cases")
    times = table.groupby("id").cumcount() + 1
    return table.assign(run=times) if times.max() > 1 else table


def _row(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": str(case.get("input") or case.get("scenario") or case["name"]),
        "success": case.get("success"),
        **{one["name"]: one.get("score") for one in case.get("metricsData") or ()},
    }

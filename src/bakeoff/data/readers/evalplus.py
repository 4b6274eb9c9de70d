"""Results of EvalPlus and of BigCodeBench: which solutions pass the tests of their task.

``{"date": …, "hash": …, "eval": {"HumanEval/0": [{"task_id": …, "solution": …, "base_status":
"pass", "plus_status": "fail", …}]}}``, one object for each solution (evalplus/evaluate.py);
versions before 0.3 wrote ``{"nfiles": 1, "base": [["pass", […]]], "plus": [["fail", […]]]}`` for a
task, BigCodeBench writes ``"status"`` alone. As in EvalPlus a solution passes ``plus`` if it passes
the base tests too. Several solutions of a task are runs of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import Signature, check_record, table_of_items
from bakeoff.files import parse_json

WHAT = "results of EvalPlus or BigCodeBench"
recognizes = Signature(
    "{",
    (
        r'^\{\s*"',
        r'"eval"\s*:\s*\{\s*"[^"]+/[^"]+"\s*:',
        r'"(base|base_status|status)"\s*:',
    ),
)
_RESULTS = {"eval": dict}
_FILE = re.compile(r"(.+?)[._-]eval_results")
_PASSED = ("pass", "success")


def named(path: Path) -> dict[str, str]:
    """Return the model that a file is called after, or its folder."""
    match = _FILE.fullmatch(path.stem)
    return {"model": path.parent.name if match is None else match[1]}


def read(text: str) -> pd.DataFrame:
    """Return a row for each solution, with 1 where it passes ``base`` and ``plus``."""
    results = check_record(parse_json(text), "the file", _RESULTS)
    rows = []
    scores: dict[str, None] = {}
    for task, solutions in results["eval"].items():
        for number, passed in enumerate(_passed(solutions, task), 1):
            rows.append({"id": task, "run": number, **passed})
            scores |= dict.fromkeys(passed)
    table = table_of_items(rows, list(scores))
    if table["run"].max() == 1:
        table = table.drop(columns="run")
    suites = {str(item).rpartition("/")[0] for item in table["id"]}
    if len(suites) == 1:
        table.attrs["task"] = suites.pop()
    return table


def _passed(solutions: Any, task: str) -> list[dict[str, float]]:
    """Return what each solution of a task passes."""
    if isinstance(solutions, dict):  # before version 0.3
        base = [result[0] for result in solutions["base"]]
        plus = [result[0] for result in solutions.get("plus") or ()]
        statuses = []
        for number, status in enumerate(base):
            statuses.append({"base_status": status})
            if plus:
                statuses[number]["plus_status"] = plus[number]
        solutions = statuses
    passed = []
    for number, solution in enumerate(solutions):
        passed.append(_scores(check_record(solution, f"eval[{task!r}][{number}]", {})))
    return passed


def _scores(solution: Mapping[str, Any]) -> dict[str, float]:
    """Return what a solution passes."""
    if "status" in solution:
        return {"pass": float(solution["status"] in _PASSED)}
    base = solution["base_status"] in _PASSED
    scores = {"base": float(base)}
    if solution.get("plus_status") is not None:  # none of a run by `--base-only`
        scores["plus"] = float(base and solution["plus_status"] in _PASSED)
    return scores

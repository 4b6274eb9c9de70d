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
    if match is None:
        return {"model": path.parent.name}
    return {"model": match[1]}


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
    # tasks are called after their suite, like HumanEval/0
    suites = table["id"].astype(str).str.rpartition("/")[0].unique()
    if len(suites) == 1:
        table.attrs["task"] = suites[0]
    return table


def _passed(solutions: Any, task: str) -> list[dict[str, float]]:
    """Return what each solution of a task passes."""
    if isinstance(solutions, dict):
        solutions = _as_of_version_3(solutions)
    passed = []
    for number, solution in enumerate(solutions):
        check_record(solution, f"eval[{task!r}][{number}]", {})
        passed.append(_scores(solution))
    return passed


def _as_of_version_3(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return results as versions before 0.3 wrote them, ``["pass", …]``, as the later ones do."""
    plus = results.get("plus") or ()
    solutions = []
    for number, base in enumerate(results["base"]):
        solution = {"base_status": base[0]}
        if plus:
            solution["plus_status"] = plus[number][0]
        solutions.append(solution)
    return solutions


def _scores(solution: Mapping[str, Any]) -> dict[str, float]:
    """Return what a solution passes."""
    if "status" in solution:
        return {"pass": float(solution["status"] in _PASSED)}
    # the tests of `plus` are the base tests and more
    base = solution["base_status"] in _PASSED
    scores = {"base": float(base)}
    if solution.get("plus_status") is not None:  # none of a run by `--base-only`
        scores["plus"] = float(base and solution["plus_status"] in _PASSED)
    return scores

"""Reports of SWE-bench: which instances a model resolved.

``{"total_instances": 500, …, "submitted_ids": […], "incomplete_ids": […], "resolved_ids": […],
"empty_patch_ids": […], "error_ids": […], "schema_version": 2}`` in ``<model>.<run id>.json``
(swebench/harness/reporting.py). As its leaderboard does, an empty patch and an error count as not
resolved. An instance without a prediction is in ``incomplete_ids`` alone.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import (
    LeftOut,
    Signature,
    check_record,
    table_of_items,
)
from bakeoff.files import parse_json

WHAT = "a report of SWE-bench"
recognizes = Signature(
    "{",
    (
        r'"submitted_ids"\s*:',
        r'"resolved_ids"\s*:',
    ),
)
_MODEL_AND_RUN = re.compile(r"(.+)(?:\.(?!\d)|(?<!\d)\.)(.*)")
"""The name of a report: the dot between two digits, as in gpt-4.1, is one of the model."""
_REPORT = {
    "submitted_ids": list,
    "resolved_ids": list,
    "incomplete_ids?": list,
}


def named(path: Path) -> dict[str, str]:
    """Return the model that the name of a report begins with, before the id of the run."""
    match = _MODEL_AND_RUN.fullmatch(path.stem)
    return {"model": path.stem if match is None else match[1]}


def read(text: str) -> pd.DataFrame:
    """Return the instances that were submitted, with 1 for those that are resolved."""
    report = check_record(parse_json(text), "the report", _REPORT)
    resolved = set(report["resolved_ids"])
    incomplete = set(report.get("incomplete_ids") or ()) - resolved
    submitted = sorted((set(report["submitted_ids"]) | resolved) - incomplete)
    if not incomplete:
        return _table(submitted, resolved)
    n_instances = len(submitted) + len(incomplete)
    rows = None
    if submitted:
        rows = partial(_table, submitted, resolved)
    raise LeftOut(
        f"{len(incomplete):,} of {n_instances:,} instances have no prediction (`incomplete_ids`)",
        rows,
        len(incomplete) / n_instances,
    )


def _table(instances: list[Any], resolved: set[Any]) -> pd.DataFrame:
    """Return a row for each instance, with its repository."""
    rows = []
    for instance in instances:
        # django__django-11099 is the issue 11099 of django/django
        repository, _, _ = str(instance).rpartition("-")
        row = {
            "id": str(instance),
            "repository": repository.replace("__", "/"),
            "resolved": float(instance in resolved),
        }
        rows.append(row)
    return table_of_items(rows, ["resolved"])

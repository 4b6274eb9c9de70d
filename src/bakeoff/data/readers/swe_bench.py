"""Reports of SWE-bench's harness: the ids of the instances that a model's patches resolve.

``{"total_instances": …, "submitted_ids": […], "completed_ids": […], "resolved_ids": […],
"unresolved_ids": […], "empty_patch_ids": […], "error_ids": […], "incomplete_ids": […],
"schema_version": 2}`` in ``<model>.<run_id>.json`` (swebench/harness/reporting.py). Other lists of
resolved ids are read where they say which ids were submitted.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from bakeoff.data.readers import check_record
from bakeoff.errors import shown
from bakeoff.files import parse_json

WHAT = "a report of SWE-bench"
OF_EVALS = True
_PARTS = ("resolved_ids", "unresolved_ids", "empty_patch_ids", "error_ids")


def recognizes(head: str) -> bool:
    """Tell whether a file is an object with a list of resolved ids."""
    return bool(re.match(r"\s*\{", head) and re.search(r'"resolved(_ids)?"\s*:\s*\[', head))


def named(path: Path) -> dict[str, str]:
    """Return the model that a report is called after, before its run."""
    return {"model": path.stem.rpartition(".")[0] or path.stem}


def read(text: str) -> pd.DataFrame:
    """Return the submitted ids, with the score 1 of those that are resolved and 0 of others.

    Instances that are not submitted (``incomplete_ids``) are no rows.
    """
    try:
        report = parse_json(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    lists = {f"{key}?": list for key in (*_PARTS, "submitted_ids", "resolved")}
    check_record(report, "the report", lists)
    for key in lists:
        for i, one in enumerate(report.get(key[:-1]) or ()):
            if not isinstance(one, str):
                raise ValueError(f"{key[:-1]}[{i}]: expected an id, found {shown(one)}")
    submitted = report.get("submitted_ids")
    if submitted is None and "unresolved_ids" in report:
        submitted = [one for part in _PARTS for one in report.get(part) or ()]
    if submitted is None:
        raise ValueError(
            "it lists what is resolved and not what was submitted, so that the unresolved are not "
            "known: give the report of the harness, with submitted_ids"
        )
    resolved = set(report.get("resolved_ids") or report.get("resolved") or ())
    if strange := sorted(resolved.difference(submitted)):
        raise ValueError(f"{len(strange)} ids are resolved and not submitted, first {strange[0]!r}")
    ids = sorted(set(submitted))
    return pd.DataFrame({"id": ids, "score": [float(one in resolved) for one in ids]})

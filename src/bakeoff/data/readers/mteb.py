"""Results of MTEB: a file for each task, ``results/<model>/<revision>/<task>.json``.

``{"dataset_revision": …, "task_name": …, "mteb_version": …, "scores": {"test": [{"main_score": …,
"hf_subset": "en", "languages": […], …}]}, "evaluation_time": …}`` (mteb/results/task_result.py).
The score of a task is the mean of ``main_score`` over its splits and subsets, as `get_score` has
it. A folder is a table of scores, whose data sets are the tasks: there are no items.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from bakeoff.data.readers.common import Signature, check_record, table_of_items
from bakeoff.files import parse_json

WHAT = "results of MTEB"
recognizes = Signature(
    "{",
    (
        r'"task_name"\s*:',
        r'"mteb_version"\s*:',
        r'"scores"\s*:\s*\{',
    ),
)
DATASETS = "dataset"
_RESULT = {"task_name": str, "scores": dict}
_SCORES = {"main_score": (int, float)}


def named(path: Path) -> dict[str, str]:
    """Return the model whose folder holds those of its revisions."""
    return {"model": path.parent.parent.name or path.parent.name}


def read(text: str) -> pd.DataFrame:
    """Return one row, with the task and its score."""
    result = check_record(parse_json(text), "the file", _RESULT)
    scores = []
    for split, subsets in result["scores"].items():
        for i, subset in enumerate(subsets):
            check_record(subset, f"scores.{split}[{i}]", _SCORES)
            scores.append(float(subset["main_score"]))
    if not scores:
        raise ValueError("scores: found no split with a main_score")
    # a task is a row: what is compared are scores of data sets
    task = result["task_name"]
    row = {
        "id": task,
        DATASETS: task,
        "main_score": float(np.mean(scores)),
    }
    return table_of_items([row], ["main_score"])

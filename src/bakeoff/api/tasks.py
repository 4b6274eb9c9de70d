"""Which rows are of which task, and what the tasks weigh, as calls and command lines say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bakeoff.data.given_tables import GivenTables
from bakeoff.data.records import TASK
from bakeoff.errors import UserError, some, unknown
from bakeoff.options import setting
from bakeoff.spec.given_models import GivenColumns
from bakeoff.stats.rows.suites import BY_ITEMS, BY_TASKS

Weights = str | dict[str, float]


def over_tasks(
    tables: GivenTables, columns: GivenColumns, options: Mapping[str, Any]
) -> tuple[GivenColumns, Weights]:
    """Name the column of the tasks where the rows are of several, and what these weigh."""
    weights = options.get("weights")
    by_task = len(tables.tasks) > 1
    if not by_task and weights is not None:
        by_task = TASK in tables.first.names
        if not by_task:
            raise UserError(
                f"weights: is for rows of several tasks: no column is called {TASK!r} (found "
                f"{some(tables.first.names, 8)})"
            )
    # who takes tasks for groups asks for tasks like these, as a sample
    if not by_task or TASK in (options.get("groups"), columns.runs):
        return columns, BY_TASKS
    named = columns.model_copy(update={"tasks": TASK})
    return named, _weights(weights or BY_TASKS, tables)


def _weights(text: str, tables: GivenTables) -> Weights:
    """Read weights: a word, a weight for each task, or a column that puts tasks into groups."""
    if text in (BY_TASKS, BY_ITEMS):
        return text
    if "=" in text:
        return _of_each_task(text)
    names = tables.first.names
    if text not in names:
        allowed = [BY_TASKS, BY_ITEMS, *names]
        raise UserError(
            f"weights: {unknown('kind of weights or column', text, allowed)}; a weight for each "
            f"task is {setting('weights', 'math=2,law=1')}"
        )
    frames = []
    for records in tables.models.values():
        frames.append(records.table.select([TASK, text]).to_pandas())
    pairs = pd.concat(frames).astype(str).drop_duplicates()
    twice = pairs[pairs[TASK].duplicated()]
    if len(twice):
        task = twice[TASK].iloc[0]
        raise UserError(f"weights: task {task} has several values of {text!r}, expected one")
    # equal shares of the groups, and of the tasks within each
    sizes = pairs.groupby(text)[TASK].transform("size")
    shares = 1 / (sizes * pairs[text].nunique())
    return dict(zip(pairs[TASK], shares.tolist(), strict=True))


def _of_each_task(text: str) -> dict[str, float]:
    """Read a weight for each task, as ``math=2,law=1``."""
    weights = {}
    for part in text.split(","):
        task, _, weight = part.rpartition("=")
        try:
            weights[task.strip()] = float(weight)
        except ValueError:
            raise UserError(
                f"weights: found {part!r}, expected a weight for each task, as math=2,law=1"
            ) from None
    return weights

"""The tasks of a suite, one by one."""

from __future__ import annotations

from typing import Any

from bakeoff.report import tables
from bakeoff.report.exhibit import Section, table
from bakeoff.report.numbers import percent
from bakeoff.report.study import Study
from bakeoff.report.suites import in_tasks, leading_pair, lines
from bakeoff.report.tables import Column, Table


def _has_tasks(design: Study) -> bool:
    """Show it where rows are of several tasks, and single fits of models are compared."""
    several = len(design.models) > 1 and not design.has_runs
    return several and design.analysis.tasks is not None


@table(Section.ANSWER, 20, "Scores by task", when=_has_tasks)
def tasks(study: Study) -> Table:
    """The table has the score of each model in each task, and the difference between the two best
    models with an interval. The intervals hold for all tasks together (Šidák), and the p-values are
    adjusted for the number of tasks (Holm).
    """
    pair = leading_pair(study)
    by_task = None
    if pair is not None:
        family, row = pair
        by_task = in_tasks(study, family.metric, row.model_a, row.model_b)
    if by_task is None:
        return Table((), (), "No table: a model has no value in a task.")
    a, b = by_task.models
    rows: list[dict[str, Any]] = []
    for line in lines(by_task):
        difference = line.difference
        cells: dict[str, Any] = {"task": line.task, "rows": line.rows}
        for model, value in line.values.items():
            cells[f"model:{model}"] = value
        cells["difference"] = difference.estimate
        cells["ci"] = (difference.low, difference.high)
        cells["p_adjusted"] = difference.pvalue_adjusted
        rows.append(cells)
    columns = [Column("task", "Task"), Column("rows", "Rows", tables.COUNT)]
    for model in by_task.scores.models:
        columns.append(Column(model, study.label(model), tables.SCORE, of="model"))
    columns += [
        Column("difference", f"{study.label(a)} better than {study.label(b)} by", tables.SCORE),
        Column("ci", f"{percent(1 - study.alpha)} CI, of all tasks together", tables.INTERVAL),
        Column("p_adjusted", "Adjusted p", tables.P),
    ]
    return Table(columns, rows)

"""The subgroups of the test rows: `bakeoff check` before the run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.data import Table
from bakeoff.data.given_predictions import divide
from bakeoff.data.row_columns import SUBGROUP
from bakeoff.data.split_files import divisions
from bakeoff.report.wrapping import paragraph
from bakeoff.spec import Experiment

FEW, ENOUGH = 5, 20
"""Below these many rows of its rarest class most metrics have no answer, or a rough one."""


def show_subgroups(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Say how many test rows each subgroup has, and of its rarest class."""
    lines = [line for name, data in tables.items() for line in _lines(experiment, name, data)]
    if not lines:
        return
    head: tuple[str, ...] = ("data set", "by", "subgroup", "test rows", "of the rarest class", "")
    wanted = (
        f"Most metrics want {ENOUGH} rows of each class in a subgroup and have no answer below "
        f"{FEW}."
    )
    if experiment.task.numbers:
        head, lines = (*head[:4], head[-1]), [(*line[:4], line[-1]) for line in lines]
        wanted = f"Intervals are rough below {ENOUGH} rows in a subgroup."
    say(
        bold("Subgroups: the models are compared in each, and whether their difference differs"),
        *table(head, lines, "lllrrl"[: len(head)]),
        dim(paragraph(wanted, "  ")),
        "",
    )


def _lines(experiment: Experiment, dataset: str, data: Table) -> Iterator[tuple[str, ...]]:
    plan = experiment.resampling.plans().get("holdout")
    columns = [name for name in data.carried if str(name).startswith(SUBGROUP)]
    if plan is None or not columns:
        return
    ((_, _, split),) = divisions(divide(dataset, experiment, data, "holdout"), plan)
    tested = data.carried.iloc[split.test]
    strata = data.codes[split.test]
    for column in columns:
        for subgroup in tested[column].cat.remove_unused_categories().cat.categories:
            rows = (tested[column] == subgroup).to_numpy()
            least = n = int(rows.sum())
            if data.classes:
                least = int(np.bincount(strata[rows], minlength=len(data.classes)).min())
            remark = "too few" if least < FEW else "few" if least < ENOUGH else ""
            name = str(column).removeprefix(SUBGROUP)
            rarest = f"{least:,}" if data.classes else ""
            yield dataset, name, str(subgroup), f"{n:,}", rarest, remark

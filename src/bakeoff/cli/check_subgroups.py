"""The subgroups of the test rows: `bakeoff check` before the run."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.data import Table
from bakeoff.data.given_predictions import divide
from bakeoff.data.row_columns import SUBGROUP
from bakeoff.data.splits import divisions
from bakeoff.data.table import TARGET
from bakeoff.report.wrapping import paragraph
from bakeoff.spec import Experiment

FEW, ENOUGH = 5, 20
"""Below these many rows of its rarest class most metrics have no answer, or a rough one."""


def show_subgroups(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Say how many test rows each subgroup has, and of its rarest class."""
    lines = [line for name, data in tables.items() for line in _lines(experiment, name, data)]
    if not lines:
        return
    head = ("data set", "by", "subgroup", "test rows", "of the rarest class", "")
    say(
        bold("Subgroups: the models are compared in each, and whether their difference differs"),
        *table(head, lines, "lllrrl"),
        dim(
            paragraph(
                f"Most metrics want {ENOUGH} rows of each class in a subgroup and have no answer "
                f"below {FEW}.",
                "  ",
            )
        ),
        "",
    )


def _lines(experiment: Experiment, dataset: str, data: Table) -> Iterator[tuple[str, ...]]:
    plan = experiment.resampling.plans().get("holdout")
    columns = [name for name in data.carried if str(name).startswith(SUBGROUP)]
    if plan is None or not columns:
        return
    ((_, _, split),) = divisions(divide(dataset, experiment, data, "holdout"), plan)
    tested = data.carried.iloc[split.test]
    truth = data.frame[TARGET].iloc[split.test].to_numpy()
    for column in columns:
        counts = pd.crosstab(tested[column].to_numpy(), truth).reindex(
            columns=list(data.classes), fill_value=0
        )
        for subgroup in tested[column].cat.remove_unused_categories().cat.categories:
            class_counts = counts.loc[subgroup]
            least = int(class_counts.min())
            remark = "too few" if least < FEW else "few" if least < ENOUGH else ""
            name = str(column).removeprefix(SUBGROUP)
            yield dataset, name, str(subgroup), f"{int(class_counts.sum()):,}", f"{least:,}", remark

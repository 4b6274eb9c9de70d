"""Every metric of every model on the held-out rows, with its standard error and interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bakeoff.comparisons.evidence import has_interval
from bakeoff.report.cells import capital, ci_cell, score_cell
from bakeoff.report.exhibit import MOST_DATASETS, Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import percent
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import WHY_UNDECIDED
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import Status

COLUMNS = (
    Column("dataset", "Data set"),
    Column("metric", "Metric"),
    Column("model", "Model"),
    Column("estimate", "Score", True),
    Column("se", "SE", True),
    Column("ci_low", "CI", True),
    Column("note", "Take care"),
)


def when(asked: Asked) -> bool:
    """Show it where a metric of held-out rows has an interval, for a few data sets."""
    known = any(map(has_interval, asked.experiment.metrics))
    return asked.rows and known and len(asked.experiment.datasets) <= MOST_DATASETS


def build(item: Item, study: Study) -> PageTable:
    """List the scores data set by data set and metric by metric, in the order of the ranking."""
    found = study.intervals
    several = len(study.datasets) > 1
    place = {model: i for i, model in enumerate(order(study))}
    lines = [
        line
        for _, own in found.groupby(["dataset", "metric"], sort=False)
        for line in sorted(own.to_dict("records"), key=lambda line: place[line["model"]])
    ]
    rows = [
        ({"dataset": text(study.dataset_label(line["dataset"]))} if several else {})
        | {
            "metric": text(capital(study.metrics[line["metric"]].title)),
            "model": text(study.label(line["model"])),
            "estimate": score_cell(line["estimate"]),
            "se": score_cell(line["se"]),
            "ci_low": ci_cell(line["ci_low"], line["ci_high"]),
            "note": _note(line),
        }
        for line in lines
    ]
    note = (
        f"{percent(1 - study.alpha)} intervals of single models on the held-out rows; that two "
        "overlap does not say that the models do not differ. The standard error is that of the "
        "interval: metrics of right and wrong rows have pseudo-rows in it "
        "(docs/stats/any-metric.md), and shares Wilson's interval."
    )
    metrics = found["metric"].nunique() if len(found) else 0
    summary = f"{len(study.models)} models by {metrics} metric{'s' if metrics != 1 else ''}"
    return tabulate(item, COLUMNS, rows, note, summary=summary)


def _note(line: Mapping[Any, Any]) -> Cell:
    """Say why there is no interval, or what the interval takes for granted and does not find."""
    status, said = str(line["status"]), clean(str(line["note"])) if line["note"] else ""
    if status == Status.OK:
        return text(said, tone="open" if said else "")
    why = said or WHY_UNDECIDED.get(status, status.replace("_", " "))
    missing = isinstance(line["estimate"], float) and math.isnan(line["estimate"])
    return text(f"{'no score' if missing else 'no interval'}: {why}", tone="bad")


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=28,
    title="Every metric on the held-out rows",
    caption="Every metric of every model on the held-out rows with its standard error and its "
    "interval. Where the rows are too few for a metric there is no interval, and where the "
    "interval is a rough one the table says why.",
    when=when,
    folded="Every metric with its interval",
    build=build,
)

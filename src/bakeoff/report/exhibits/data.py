"""The data sets."""

from __future__ import annotations

import math

from bakeoff.report.cells import count_cell
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, percent, spread
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

COLUMNS = (
    Column("dataset", "Data set"),
    Column("rows", "Rows", True),
    Column("features", "Features", True),
    Column("classes", "Classes"),
    Column("rarest", "Rarest class", True),
    Column("missing_cells", "Missing cells", True),
    Column("duplicate_rows", "Duplicate rows", True),
    Column("licence", "Licence"),
    Column("sha256", "SHA-256"),
)


def build(item: Item, study: Study) -> PageTable:
    """Describe the data sets."""
    rows = []
    for name in study.datasets:
        card = study.cards[name]
        classes = card["classes"]
        shown = [f"{clean(str(c))}: {n:,}" for c, n in list(classes.items())[:4]]
        more = f" and {count(len(classes) - 4, 'other')}" if len(classes) > 4 else ""
        rarest = min(classes.values()) / card["rows"] if classes else math.nan
        rows.append(
            {
                "dataset": text(study.dataset_label(name)),
                "rows": count_cell(card["rows"]),
                "features": count_cell(len(card["features"])),
                "classes": text(", ".join(shown) + more),
                "rarest": Cell(percent(round(rarest, 3)) if classes else NONE, rarest),
                "missing_cells": count_cell(card["missing_cells"]),
                "duplicate_rows": count_cell(card["duplicate_rows"]),
                "licence": text(clean(card["licence"]) if card.get("licence") else NONE),
            }
        )
        if "sha256" in card:
            rows[-1]["sha256"] = Cell(str(card["sha256"])[:12], card["sha256"])
    hashed = any("sha256" in row for row in rows)
    note = "The hash is of the canonical table; whole in the CSV file." if hashed else ""
    sizes = [study.cards[name]["rows"] for name in study.datasets]
    summary = f"{count(len(rows), 'data set')} of {spread(sizes)} rows"
    return tabulate(item, COLUMNS, rows, note, summary=summary)


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=50,
    title="The data",
    caption="The data sets: rows, features, classes and their balance, missing cells, duplicate "
    "rows, licence, and a hash of the canonical table.",
    of_rows=True,
    build=build,
)

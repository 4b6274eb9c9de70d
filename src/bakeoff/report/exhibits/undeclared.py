"""Rows that may belong together though nobody said so."""

from __future__ import annotations

from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, PageTable, tabulate, text
from bakeoff.report.undeclared import notes

COLUMNS = (
    Column("dataset", "Data set"),
    Column("found", "Found"),
    Column("advice", "What to do"),
)


_OF_TABLES = (
    "Looked for were columns that look like ids of groups, rows that repeat other rows or all but "
    "one of their features, test rows that repeat training rows, and disagreements of the models "
    "that are alike on neighbouring test rows. Repeats that coarse features give by chance are "
    "counted, not noted. Nothing was changed."
)
_OF_PREDICTIONS = (
    "Given predictions come without features. Looked for were columns beside them in one table "
    "that are named like ids of groups, and disagreements of the models that are alike on "
    "neighbouring rows, both where no groups or times are named."
)


def build(item: Item, study: Study) -> PageTable:
    """List the notes, or say that there is none."""
    found = notes(study)
    rows = [
        {
            "dataset": text(study.dataset_label(note.dataset)),
            "found": text(note.found),
            "advice": text(note.advice),
        }
        for note in found
    ]
    seen = any(card["features"] for card in study.cards.values())
    nothing = text("nothing" if seen else "nothing, but there are no features to look at")
    none = {"dataset": text("all"), "found": nothing, "advice": text(NONE)}
    note = _OF_TABLES if seen else _OF_PREDICTIONS
    summary = count(len(found), "note") if found else "nothing found"
    return tabulate(item, COLUMNS, rows or [none], note, summary=summary)


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=55,
    title="Dependence that nobody declared",
    caption="Signs that rows belong together though the experiment does not say so: columns that "
    "look like ids of groups, repeated rows, test rows that repeat training rows, and models that "
    "disagree alike on neighbouring rows. Where rows do belong together, tests that take them for "
    "independent find differences that are not there.",
    of_rows=True,
    build=build,
)

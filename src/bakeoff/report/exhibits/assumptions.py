"""The checks of what the tests assume."""

from __future__ import annotations

from bakeoff.report.checks import Check, checked
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

COLUMNS = (
    Column("test", "Test"),
    Column("assumption", "Assumption"),
    Column("holds", "Holds"),
    Column("detail", "In detail"),
)


def build(item: Item, study: Study) -> PageTable:
    """Show the checks of what tests assume."""
    rows = [
        {
            "test": text(entry.title),
            "assumption": text(check.name),
            "holds": _holds(check),
            "detail": text(check.detail),
        }
        for entry in study.tests
        for check in checked(
            row for family in study.families if family.entry is entry for row in family.rows
        )
    ]
    note = (
        "Where a test made several comparisons, the detail is of the first that does not hold, "
        "or else of the first."
    )
    return tabulate(item, COLUMNS, rows, note)


def _holds(check: Check) -> Cell:
    """Say whether an assumption holds."""
    if check.fails:
        said = "no" if check.fails == check.of else f"not in {check.fails} of {check.of}"
        return Cell(said, tone="bad")
    if check.unknown == check.of:
        return Cell("cannot be checked", tone="open")
    seen = check.of - check.unknown
    said = "yes" if not check.unknown else f"yes, where checked ({seen} of {check.of})"
    return Cell(said, tone="good")


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=30,
    title="Assumptions, checked",
    caption='What each test assumes and what the data say of it. "Cannot be checked" marks '
    "assumptions that only knowledge of how the data came about can settle.",
    build=build,
)

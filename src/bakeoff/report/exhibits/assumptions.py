"""The checks of what the tests assume."""

from __future__ import annotations

import re

from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import MINUS
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
COLUMNS = (
    Column("test", "Test"),
    Column("assumption", "Assumption"),
    Column("holds", "Holds"),
    Column("detail", "In detail"),
)


def build(item: Item, study: Study) -> PageTable:
    """Show the checks of what tests assume."""
    rows = []
    for entry in study.tests:
        found: dict[str, list[tuple[bool | None, str]]] = {}
        for family in study.families:
            if family.entry.name == entry.name:
                for row in family.rows:
                    for a in row.result.get("assumptions", ()):
                        found.setdefault(a["name"], []).append((a["holds"], a["detail"]))
        for name, checks in found.items():
            holds, detail = _checked(checks)
            rows.append(
                {
                    "test": text(entry.title),
                    "assumption": text(name),
                    "holds": holds,
                    "detail": text(clean(_MINUS.sub(MINUS, detail))),
                }
            )
    note = (
        "Where a test made several comparisons, the detail is of the first that does not hold, "
        "or else of the first."
    )
    return tabulate(item, COLUMNS, rows, note)


def _checked(checks: list[tuple[bool | None, str]]) -> tuple[Cell, str]:
    """Say whether something holds, and the detail that is worth telling."""
    fails = [detail for holds, detail in checks if holds is False]
    unknown = [detail for holds, detail in checks if holds is None]
    n = len(checks)
    if fails:
        said = "no" if len(fails) == n else f"not in {len(fails)} of {n}"
        return Cell(said, tone="bad"), fails[0]
    if len(unknown) == n:
        return Cell("cannot be checked", tone="open"), unknown[0]
    said = "yes" if not unknown else f"yes, where checked ({n - len(unknown)} of {n})"
    return Cell(said, tone="good"), checks[0][1] if not unknown else unknown[0]


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=30,
    title="Assumptions, checked",
    caption='What each test assumes and what the data say of it. "Cannot be checked" marks '
    "assumptions that only knowledge of how the data came about can settle.",
    build=build,
)

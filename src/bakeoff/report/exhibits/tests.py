"""What each test says, assumes of its level, and would miss."""

from __future__ import annotations

import math

from bakeoff.report import prose
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.family import Family
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE
from bakeoff.report.pairs_shown import families_of, order
from bakeoff.report.power import detectable
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, PageTable, tabulate, text
from bakeoff.report.verdict.care import assumed
from bakeoff.stats import Entry, TypeOneError

COLUMNS = (
    Column("test", "Test"),
    Column("about", "About"),
    Column("null_hypothesis", "Null hypothesis"),
    Column("type1", "Error rate"),
    Column("family", "Hypotheses and correction"),
    Column("detectable", "Would probably miss"),
)


def build(item: Item, study: Study) -> PageTable:
    """Say what each test is about, how far to trust it, and what it would miss."""
    rows = []
    for entry in study.tests:
        families = [f for f in study.families if f.entry.name == entry.name]
        if not families:
            continue
        first = families[0].rows[0]
        lenient = study.type1(entry) is TypeOneError.LIBERAL
        alone = families[0].bayesian or len(families[0].rows) < 2
        null = next(
            (n for f in families for r in f.rows if (n := r.result.get("null_hypothesis"))), NONE
        )
        rows.append(
            {
                "test": text(entry.title),
                "about": text(prose.about(families[0])),
                "null_hypothesis": text(str(null)),
                "type1": text(study.type1(entry).short, tone="bad" if lenient else ""),
                "family": text(NONE if alone else prose.correction(first)),
                "detectable": text(_would_miss(study, entry)),
            }
        )
    note = (
        "A fitted model is what one training set made; an algorithm is what would be trained "
        "anew. The last column is the largest true difference that a test of a pair finds with a "
        "probability of less than 80%, given the noise of these data: it says how much "
        "'cannot tell' is worth. Corrections are within one data set and metric."
    )
    for said in dict.fromkeys(assumed(family) for family in study.families):
        note += f" {said}" if said else ""
    return tabulate(item, COLUMNS, rows, note)


def _would_miss(study: Study, entry: Entry) -> str:
    families = [f for f in families_of(study, entry.name) if f.settles]
    if len(families) == 1:
        sizes = _sizes(families[0])
        if not sizes:
            return NONE
        largest = max(sizes)
        less = "" if math.isinf(largest) else "less than "
        return f"{less}{_size(families[0], largest)}"
    two = order(study)[:2]
    sizes = [size for f in families for size in _sizes(f, *two)]
    if not sizes:
        return NONE
    low, high = (_size(families[0], size) for size in (min(sizes), max(sizes)))
    if math.isinf(min(sizes)):
        return f"between the two best {low}, on every data set"
    return f"between the two best less than {low} to {high}, by data set"


def _size(family: Family, size: float) -> str:
    return "any that is possible" if math.isinf(size) else prose.gap_of(family, size)


def _sizes(family: Family, *two: str) -> list[float]:
    """Return the detectable differences of all pairs, or of one pair, where they are known."""
    row = family.between(*two) if two else None
    rows = family.rows if not two else (row,) if row else ()
    return [size for row in rows if not math.isnan(size := detectable(family, row))]


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=20,
    title="What each test says and assumes",
    caption="For each test: whether it is about the fitted models or the learning algorithms, its "
    "null hypothesis, how it holds its level, the size of its family of hypotheses with the "
    "correction, and the largest true difference that it would probably have missed.",
    build=build,
)

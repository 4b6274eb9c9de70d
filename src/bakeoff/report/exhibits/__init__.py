"""The tables and figures of a report: a module for each topic, with its records in `EXHIBITS`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

from bakeoff.report.drawing import message, styled
from bakeoff.report.exhibit import (
    MOST_DATASETS,
    Drawing,
    Exhibit,
    FigureExhibit,
    Section,
    TableExhibit,
)
from bakeoff.report.item import Item
from bakeoff.report.pairs_shown import families_of
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import PageTable, tabulate
from bakeoff.stats import Evidence

NO_RESULT = "The test has no result"


@cache
def records() -> dict[str, Exhibit]:
    """Return every record by its name, in the order of the names.

    Raises
    ------
    TypeError
        A module without records of tables and figures.
    ValueError
        Two exhibits of one name.
    """
    found: dict[str, Exhibit] = {}
    for module in pkgutil.iter_modules(__path__):
        own = getattr(importlib.import_module(f"{__name__}.{module.name}"), "EXHIBITS", {})
        if not own or not all(isinstance(r, (FigureExhibit, TableExhibit)) for r in own.values()):
            raise TypeError(f"{__name__}.{module.name} has no EXHIBITS that draw or build")
        if twice := sorted(own.keys() & found):
            raise ValueError(f"{__name__}.{module.name}: there is another exhibit {twice[0]}")
        found |= own
    return dict(sorted(found.items()))


def exhibits(design: StudyDesign) -> list[Item]:
    """List the tables and figures of a report, in its order: tests over all data sets first."""
    order = list(Section)
    found = [
        ((order.index(record.section), record.place // 10, rank, record.place), item)
        for kind, record in records().items()
        for rank, item in _items(kind, record, design)
    ]
    return [item for _, item in sorted(found, key=lambda one: one[0])]


def _items(kind: str, record: Exhibit, design: StudyDesign) -> Iterator[tuple[int, Item]]:
    title = record.title if isinstance(record.title, str) else record.title(design)
    form = "figure" if isinstance(record, FigureExhibit) else "table"
    rest = form, record.section.value

    if record.each == "test":
        tests = sorted(design.tests, key=lambda e: e.evidence is not Evidence.DATASET_SCORES)
        for rank, entry in enumerate(tests):
            if record.when(design, entry):
                named = f"{entry.title}: {title}" if title else entry.title
                yield rank, Item(kind, entry.name, "", *rest, named, record.caption)
    elif record.when(design):
        if record.each == "study" or not design.several:
            yield 0, Item(kind, "", "", *rest, title, record.caption)
        elif len(design.datasets) <= MOST_DATASETS:
            for rank, name in enumerate(design.experiment.datasets):
                yield rank, Item(kind, "", name, *rest, f"{title}: {name}", record.caption)


def draw(item: Item, study: Study) -> Drawing:
    """Draw a figure; where the evidence allows none, it says why.

    Raises
    ------
    ValueError
        A record that draws nothing, or says nothing to who cannot see it.
    """
    record = records()[item.kind]
    assert isinstance(record, FigureExhibit)
    with styled():
        if item.test and not families_of(study, item.test):
            return message(NO_RESULT)
        drawing = record.draw(item, study)
    drawing = drawing._replace(legend=f"{item.caption} {drawing.legend}".rstrip())
    if not (drawing.figure.axes or drawing.figure.texts) or not drawing.alt.strip():
        raise ValueError(f"the figure {item.kind} lacks a drawing or a text for who cannot see it")
    return drawing


def build(item: Item, study: Study) -> PageTable:
    """Build a table."""
    record = records()[item.kind]
    assert isinstance(record, TableExhibit)
    if item.test and not study.of_test(item.test):
        return tabulate(item, study, (), (), f"{NO_RESULT}.")
    return record.build(item, study)

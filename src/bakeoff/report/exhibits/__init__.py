"""The tables and figures of a report: a module for each topic, with its records in `EXHIBITS`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache

from bakeoff.report.drawing import message, styled
from bakeoff.report.exhibit import (
    MOST_DATASETS,
    Asked,
    Drawing,
    Exhibit,
    FigureExhibit,
    Section,
    TableExhibit,
)
from bakeoff.report.item import Item
from bakeoff.report.pairs_shown import families_of
from bakeoff.report.study import Study
from bakeoff.report.tables import PageTable, tabulate
from bakeoff.spec import Experiment
from bakeoff.stats import Entry, Evidence

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


def exhibits(experiment: Experiment, tests: Sequence[Entry]) -> list[Item]:
    """List the tables and figures of an experiment's report, in the report's order.

    Parameters
    ----------
    experiment : Experiment
        What is reported.
    tests : sequence of Entry
        The tests that run; those over all data sets come first.
    """
    over_datasets_first = sorted(tests, key=lambda e: e.evidence is not Evidence.DATASET_SCORES)
    asked = Asked(experiment, over_datasets_first)
    order = list(Section)
    found = [
        ((order.index(record.section), record.place // 10, rank, record.place), item)
        for kind, record in records().items()
        for rank, item in _items(kind, record, asked)
    ]
    return [item for _, item in sorted(found, key=lambda one: one[0])]


def _items(kind: str, record: Exhibit, asked: Asked) -> Iterator[tuple[int, Item]]:
    title = record.title if isinstance(record.title, str) else record.title(asked)
    form = "figure" if isinstance(record, FigureExhibit) else "table"
    rest = form, record.section.value

    if record.each == "test":
        for rank, entry in enumerate(asked.tests):
            if record.when(asked, entry):
                named = f"{entry.title}: {title}" if title else entry.title
                yield rank, Item(kind, entry.name, "", *rest, named, record.caption)
    elif record.when(asked):
        if record.each == "study" or not asked.several:
            yield 0, Item(kind, "", "", *rest, title, record.caption)
        elif len(asked.experiment.datasets) <= MOST_DATASETS:
            for rank, name in enumerate(asked.experiment.datasets):
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
    if item.test and all(family.entry.name != item.test for family in study.families):
        return tabulate(item, study, (), (), f"{NO_RESULT}.")
    return record.build(item, study)

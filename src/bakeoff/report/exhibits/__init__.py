"""The tables and figures of a report: a module for each topic, a function for each exhibit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

from bakeoff.report.drawing import message, styled
from bakeoff.report.exhibit import MOST_DATASETS, Drawing, Exhibit, Item, Section
from bakeoff.report.study import Study
from bakeoff.report.tables import PageTable, Table, tabulate
from bakeoff.stats import Evidence

NO_RESULT = "The test has no result"


@cache
def records() -> dict[str, Exhibit]:
    """Return every exhibit by its name, in the order of the names."""
    found: dict[str, Exhibit] = {}
    for module in pkgutil.iter_modules(__path__):
        name = f"{__name__}.{module.name}"
        own = [r for r in vars(importlib.import_module(name)).values() if isinstance(r, Exhibit)]
        if not own:
            raise TypeError(f"{name} has no table and no figure")
        for record in own:
            if record.name in found:
                raise ValueError(f"{name}: there is another exhibit {record.name}")
            found[record.name] = record
    return dict(sorted(found.items()))


def exhibits(design: Study) -> list[Item]:
    """List the tables and figures of a report, in its order: tests over all data sets first."""
    order = list(Section)
    found = [
        ((order.index(record.section), record.place, rank), item)
        for record in records().values()
        for rank, item in _items(record, design)
    ]
    return [item for _, item in sorted(found, key=lambda one: one[0])]


def _items(record: Exhibit, design: Study) -> Iterator[tuple[int, Item]]:
    kind, title, rest = record.name, record.title, (record.form, record.section.value)
    if record.each == "test":
        tests = sorted(design.tests, key=lambda e: e.evidence is not Evidence.DATASETS)
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


def _made(item: Item, study: Study) -> Any:
    record = records()[item.kind]
    about = {"study": (), "test": (item.test,), "dataset": (item.dataset or study.datasets[0],)}
    return record.make(study, *about[record.each])


def draw(item: Item, study: Study) -> Drawing:
    """Draw a figure; where the evidence allows none, it says why."""
    with styled():
        if item.test and not study.of_test(item.test, "pair"):
            return message(NO_RESULT)
        drawing: Drawing = _made(item, study)
    drawing = drawing._replace(legend=f"{item.caption} {drawing.legend}".rstrip())
    if not (drawing.figure.axes or drawing.figure.texts) or not drawing.alt.strip():
        raise ValueError(f"the figure {item.kind} lacks a drawing or a text for who cannot see it")
    return drawing


def build(item: Item, study: Study) -> PageTable:
    """Build a table."""
    if item.test and not study.of_test(item.test):
        return tabulate(item, study, Table((), (), f"{NO_RESULT}."))
    return tabulate(item, study, _made(item, study))

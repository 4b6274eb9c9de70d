"""The tables and figures of a report: a module for each topic, a function for each exhibit."""

from __future__ import annotations

import importlib
import pkgutil
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
    by_name: dict[str, Exhibit] = {}
    for module in pkgutil.iter_modules(__path__):
        name = f"{__name__}.{module.name}"
        made = [r for r in vars(importlib.import_module(name)).values() if isinstance(r, Exhibit)]
        if not made:
            raise TypeError(f"{name} has no table and no figure")
        for record in made:
            if record.name in by_name:
                raise ValueError(f"{name}: there is another exhibit {record.name}")
            by_name[record.name] = record
    return dict(sorted(by_name.items()))


def exhibits(design: Study) -> list[Item]:
    """List the tables and figures of a report, in its order: tests over all data sets first."""
    tests = sorted(design.tests, key=lambda entry: entry.evidence is not Evidence.DATASETS)
    order = list(Section)
    items: list[Item] = []
    for record in sorted(records().values(), key=lambda r: (order.index(r.section), r.place)):
        kind, title, rest = record.name, record.title, (record.form, record.section.value)
        if record.each == "test":
            for entry in (entry for entry in tests if record.when(design, entry)):
                named = f"{entry.title}: {title}" if title else entry.title
                items.append(Item(kind, entry.name, "", *rest, named, record.caption))
        elif not record.when(design):
            continue
        elif record.each == "study" or not design.several:
            items.append(Item(kind, "", "", *rest, title, record.caption))
        elif len(design.datasets) <= MOST_DATASETS:
            for name in design.datasets:
                items.append(Item(kind, "", name, *rest, f"{title}: {name}", record.caption))
    return items


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

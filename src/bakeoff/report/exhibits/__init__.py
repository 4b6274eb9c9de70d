"""The tables and figures of a report: a module for each topic, a function for each exhibit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from bakeoff.report.drawing import into, message, styled
from bakeoff.report.exhibit import MOST_DATASETS, Drawing, Exhibit, Item, Section
from bakeoff.report.study import Study
from bakeoff.report.tables import PageTable, Table, tabulate
from bakeoff.stats import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_RESULT = "The test has no result"


@cache
def records() -> dict[str, Exhibit]:
    """Return every exhibit by its name, in the order of the names."""
    by_name: dict[str, Exhibit] = {}
    for module in pkgutil.iter_modules(__path__):
        name = f"{__name__}.{module.name}"
        values = vars(importlib.import_module(name)).values()
        of_module = []
        for value in values:
            if isinstance(value, Exhibit):
                of_module.append(value)
        if not of_module:
            raise TypeError(f"{name} has no table and no figure")
        for record in of_module:
            if record.name in by_name:
                raise ValueError(f"{name}: there is another exhibit {record.name}")
            by_name[record.name] = record
    return dict(sorted(by_name.items()))


def exhibits(design: Study) -> list[Item]:
    """List the tables and figures of a report, in its order: tests over all data sets first."""
    sections = list(Section)
    every = sorted(
        records().values(), key=lambda record: (sections.index(record.section), record.place)
    )
    items: list[Item] = []
    for record in every:
        if record.each == "test":
            items += _items_of_tests(design, record)
        elif record.when(design):
            items += _items_of_data(design, record)
    return items


def _items_of_tests(design: Study, record: Exhibit) -> Iterator[Item]:
    """Yield an exhibit of each test that has one."""
    for entry in sorted(design.tests, key=lambda entry: entry.evidence is not Evidence.DATASETS):
        if record.when(design, entry):
            title = entry.title
            if record.title:
                title = f"{entry.title}: {record.title}"
            yield _item(record, title, test=entry.name)


def _items_of_data(design: Study, record: Exhibit) -> Iterator[Item]:
    """Yield an exhibit of the study, or of each of a few data sets."""
    if record.each == "study" or not design.several:
        yield _item(record, record.title)
    elif len(design.datasets) <= MOST_DATASETS:
        for name in design.datasets:
            yield _item(record, f"{record.title}: {name}", dataset=name)


def _item(record: Exhibit, title: str, test: str = "", dataset: str = "") -> Item:
    return Item(
        kind=record.name,
        test=test,
        dataset=dataset,
        form=record.form,
        section=record.section.value,
        title=title,
        caption=record.caption,
    )


def _make(item: Item, study: Study) -> Any:
    """Call the function of an exhibit with what it is about."""
    record = records()[item.kind]
    if record.each == "test":
        return record.make(study, item.test)
    if record.each == "dataset":
        return record.make(study, item.dataset or study.datasets[0])
    return record.make(study)


def draw(item: Item, study: Study, axes: Axes | None = None) -> Drawing:
    """Draw a figure, into given axes if there are any; without enough evidence it says why."""
    with styled(), into(axes):
        if item.test and not study.of_test(item.test, "pair"):
            return message(NO_RESULT)
        drawing: Drawing = _make(item, study)
    drawing = drawing._replace(legend=f"{item.caption} {drawing.legend}".rstrip())
    if not (drawing.figure.axes or drawing.figure.texts) or not drawing.alt.strip():
        raise ValueError(f"the figure {item.kind} lacks a drawing or a text for who cannot see it")
    if not drawing.data:
        raise ValueError(f"the figure {item.kind} lacks the numbers that it plots")
    return drawing


def build(item: Item, study: Study) -> PageTable:
    """Build a table."""
    if item.test and not study.of_test(item.test):
        return tabulate(item, study, Table((), (), f"{NO_RESULT}."))
    return tabulate(item, study, _make(item, study))

"""Which tests ran, on what, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.report import prose
from bakeoff.report.cells import capital
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Column, PageTable, tabulate, text

_QUOTED = re.compile(r"`([^`]*)`")
COLUMNS = (
    Column("test", "Test"),
    Column("plan", "On"),
    Column("metrics", "Metrics"),
    Column("settings", "Settings"),
    Column("why", "Why"),
)


def build(item: Item, study: Study) -> PageTable:
    """Say which tests ran, on what, with which settings, and why."""
    rows = (
        {
            "test": text(test["title"]),
            "plan": text(prose.PLANS[test["plan"]]),
            "metrics": text(", ".join(study.metrics[name].title for name in test["metrics"])),
            "settings": text("; ".join(_settings(study, test))),
            "why": text(capital(clean(_QUOTED.sub(r"“\1”", test["why"])))),
        }
        for test in study.chosen
    )
    return tabulate(item, COLUMNS, rows, "" if study.command else "As in tests.json.")


def _settings(study: Study, test: Mapping[str, Any]) -> Iterator[str]:
    yield f"level {test['alpha']:g}"
    yield from _how(study, test)
    if test["posthoc"]:
        title = test["posthoc"]["title"]
        how = ", ".join(_how(study, test["posthoc"]))
        yield f"then {title}{f' ({how})' if how else ''}"


def _how(study: Study, test: Mapping[str, Any]) -> Iterator[str]:
    if test["correction"]:
        name = prose.CORRECTIONS.get(test["correction"], test["correction"])
        yield "no correction" if test["correction"] == "none" else f"{name} correction"
    if test["versus"]:
        yield f"versus {study.label(test['versus'])}"
    for key, value in test["options"].items():
        if value != "two-sided":
            yield f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=10,
    title="Which tests ran, and why",
    caption="The tests that ran: on which resampling plan and metrics, at which level, with which "
    "correction and options, and why each of them was chosen.",
    build=build,
)

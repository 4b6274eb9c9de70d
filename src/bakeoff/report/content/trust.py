"""Tables on trust: why each test runs, what it assumes, what it would miss, what failed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.report import prose
from bakeoff.report.content.cells import capital, count_cell
from bakeoff.report.exhibits import tests_of
from bakeoff.report.family import Family
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import MINUS, NONE
from bakeoff.report.power import detectable
from bakeoff.report.selection import families_of, order
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, Table, text
from bakeoff.scores import METRICS
from bakeoff.stats import Entry, TypeOneError

_QUOTED = re.compile(r"`([^`]*)`")
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


def chosen(exhibit: Exhibit, study: Study) -> Table:
    """Say which tests ran, on what, with which settings, and why."""
    columns = (
        Column("test", "Test"),
        Column("plan", "On"),
        Column("metrics", "Metrics"),
        Column("settings", "Settings"),
        Column("why", "Why"),
    )
    rows = tuple(
        (
            text(test["title"]),
            text(prose.PLANS[test["plan"]]),
            text(", ".join(METRICS[name].title for name in test["metrics"])),
            text("; ".join(_settings(study, test))),
            text(capital(clean(_QUOTED.sub(r"“\1”", test["why"])))),
        )
        for test in study.chosen
    )
    return Table(exhibit.title, columns, rows, "As in tests.json.")


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


def tests(exhibit: Exhibit, study: Study) -> Table:
    """Say what each test is about, how far to trust it, and what it would miss."""
    columns = (
        Column("test", "Test"),
        Column("about", "About"),
        Column("null_hypothesis", "Null hypothesis"),
        Column("type1", "Error rate"),
        Column("family", "Hypotheses and correction"),
        Column("detectable", "Would probably miss"),
    )
    rows = []
    for entry in tests_of(study.experiment):
        families = [f for f in study.families if f.entry.name == entry.name]
        if not families:
            continue
        first = families[0].rows[0]
        alone = families[0].bayesian or len(families[0].rows) < 2
        null = next(
            (n for f in families for r in f.rows if (n := r.result.get("null_hypothesis"))), NONE
        )
        rows.append(
            (
                text(entry.title),
                text(prose.about(families[0])),
                text(str(null)),
                text(
                    prose.TYPE_ONE_SHORT[entry.type1],
                    tone="bad" if entry.type1 is TypeOneError.LIBERAL else "",
                ),
                text(NONE if alone else prose.correction(first)),
                text(_would_miss(study, entry)),
            )
        )
    note = (
        "A fitted model is what one training set made; an algorithm is what would be trained "
        "anew. The last column is the largest true difference that a test of a pair finds with a "
        "probability of less than 80%, given the noise of these data: it says how much "
        "'cannot tell' is worth. Corrections are within one data set and metric."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _would_miss(study: Study, entry: Entry) -> str:
    families = [f for f in families_of(study, entry.name) if f.settles]
    if len(families) == 1:
        sizes = _sizes(families[0])
        return f"less than {prose.gap_of(families[0], max(sizes))}" if sizes else NONE
    two = order(study)[:2]
    sizes = [size for f in families for size in _sizes(f, *two)]
    if not sizes:
        return NONE
    low, high = (prose.gap_of(families[0], size) for size in (min(sizes), max(sizes)))
    return f"between the two best less than {low} to {high}, by data set"


def _sizes(family: Family, *two: str) -> list[float]:
    """Return the detectable differences of all pairs, or of one pair, where they are known."""
    row = family.between(*two) if two else None
    rows = family.rows if not two else (row,) if row else ()
    return [size for row in rows if math.isfinite(size := detectable(family, row))]


def assumptions(exhibit: Exhibit, study: Study) -> Table:
    """Show the checks of what tests assume."""
    columns = (
        Column("test", "Test"),
        Column("assumption", "Assumption"),
        Column("holds", "Holds"),
        Column("detail", "In detail"),
    )
    rows = []
    for entry in tests_of(study.experiment):
        found: dict[str, list[tuple[bool | None, str]]] = {}
        for family in study.families:
            if family.entry.name == entry.name:
                for row in family.rows:
                    for a in row.result.get("assumptions", ()):
                        check = (a["holds"], clean(_MINUS.sub(MINUS, a["detail"])))
                        found.setdefault(a["name"], []).append(check)
        for name, checks in found.items():
            rows.append((text(entry.title), text(name), *_checked(checks)))
    note = (
        "Where a test made several comparisons, the detail is of the first that does not hold, "
        "or else of the first."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _checked(checks: list[tuple[bool | None, str]]) -> tuple[Cell, Cell]:
    fails = [detail for holds, detail in checks if holds is False]
    unknown = [detail for holds, detail in checks if holds is None]
    n = len(checks)
    if fails:
        said = "no" if len(fails) == n else f"not in {len(fails)} of {n}"
        return Cell(said, tone="bad"), text(fails[0])
    if len(unknown) == n:
        return Cell("cannot be checked", tone="open"), text(unknown[0])
    said = "yes" if not unknown else f"yes, where checked ({n - len(unknown)} of {n})"
    return Cell(said, tone="good"), text(checks[0][1] if not unknown else unknown[0])


def excluded(exhibit: Exhibit, study: Study) -> Table:
    """Count the fits that failed, whose models were left out, by reason."""
    columns = (
        Column("model", "Model"),
        Column("dataset", "Data set"),
        Column("plan", "Plan"),
        Column("fits", "Failed fits", True),
        Column("why", "Why"),
    )
    if study.failed.empty:
        return Table(exhibit.title, columns, (), "No fit failed, no model was left out.")
    rows = []
    for key, own in study.failed.groupby(["model", "dataset", "plan", "why"], sort=False):
        model, dataset, plan, why = map(str, key)
        rows.append(
            (
                text(study.label(model)),
                text(study.dataset_label(dataset)),
                text(prose.PLANS[plan]),
                count_cell(len(own)),
                text(clean(why)),
            )
        )
    note = (
        "A model of which one fit failed is left out on that data set altogether; excluded.csv "
        "lists every failed fit."
    )
    return Table(exhibit.title, columns, tuple(rows), note)

"""Cautions of the report: models with which the type I error of a test is inflated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.cautions import inflation, measured, rates_by
from bakeoff.report.family import Family
from bakeoff.report.numbers import words
from bakeoff.report.study import Study
from bakeoff.report.verdict.wording import name, the
from bakeoff.spec.learners import LEARNERS
from bakeoff.stats import Entry, TypeOneError


def assumed(family: Family) -> str:
    """Say in one line with which learners a test rejects too often; empty where with none."""
    parts = []
    for kind in LEARNERS:
        own = [rate for rate in family.entry.rates if rate.setting == kind]
        liberal = [
            rate for rate in rates_by(own, family.metric) if rate.verdict is TypeOneError.LIBERAL
        ]
        if liberal:
            parts.append(f"{kind} ({inflation(liberal)})")
    if not parts:
        return ""
    return (
        f"In simulations the type I error of {the(family.entry)} at the .05 level is inflated with "
        f"{words(parts)}."
    )


def take_care(study: Study, found: Sequence[Family]) -> Iterator[str]:
    """Say what simulations say against a test of these models, and what to use instead.

    `found` are families of the one test, by several metrics or on several data sets.
    """
    said: dict[str, None] = {}
    for family in found:
        known = study.cautions(family.entry, family.metric)
        for text in known.of(family.models, the, lambda model: name(study, model)):
            said.setdefault(f"Caution: {text}")
    yield from said
    yield from _by_result(found[0].entry, [row for family in found for row in family.rows])


def _by_result(entry: Entry, rows: Sequence[Comparison]) -> Iterator[str]:
    """Warn of what the checks of a test found on these rows."""
    failing = [details for row in rows if (details := measured(row))]
    if failing:
        several = f" in {len(failing)} of {len(rows)} comparisons" if len(rows) > 1 else ""
        yield (
            f"Caution: {the(entry)} has an inflated type I error here{several}: "
            f"{'; '.join(failing[0])}."
        )

"""What tests on folds assume of the learners, which models here break it, what answers instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.leniency import BY_AUC, measured
from bakeoff.report.cells import capital
from bakeoff.report.family import Family
from bakeoff.report.numbers import words
from bakeoff.report.study import Study
from bakeoff.report.verdict.wording import names, the
from bakeoff.spec.learners import in_families
from bakeoff.spec.related import declared
from bakeoff.stats import Entry, catalogue

KINDS = {
    "neighbours": "nearest neighbours",
    "shrunken": "strongly shrunken models",
    "trees and selection": "trees or feature selection",
    "linear": "linear models",
    "linear by AUC": "linear models by the area under the curve",
    "neighbours by AUC": "nearest neighbours by the area under the curve",
    "seeds alone": "models that differ in their seeds alone",
    "failing fits": "fits that fail now and then",
}
"""Families of learners in plain words, by their names in docs/cross-validation.md."""
_FROM_ROWS = "cv5x2_mcnemar"


def assumed(family: Family) -> str:
    """Say in one line what a test assumes of the learners; empty for one that assumes nothing."""
    other = set() if family.metric == "roc_auc" else {k for k in KINDS if k.endswith(BY_AUC)}
    kinds = [KINDS[k] for k in family.entry.liberal_for if k in KINDS and k not in other]
    if not kinds:
        return ""
    return (
        f"{capital(the(family.entry))} assumes that the folds know nothing of each other; "
        f"{words(kinds)} break this."
    )


def take_care(study: Study, found: Sequence[Family]) -> Iterator[str]:
    """Warn of a test that finds too much, for these learners or for all: whom, and what instead.

    `found` are families of the one test, by several metrics or on several data sets.
    """
    first = found[0]
    known = [study.leniency(first.entry, family.metric) for family in found]
    compared = {model for family in found for model in family.models}
    concerned = [m for m in study.models if m in compared and any(m in one.models for one in known)]
    where = list(dict.fromkeys(text for one in known for text in one.where))
    if concerned:
        own = {kind for one in known for m in concerned for kind in one.models.get(m, ())}
        kinds = words([KINDS[kind] for kind in first.entry.liberal_for if kind in own])
        where.insert(0, f"for {kinds}, here {names(study, concerned)},")
    if where:
        yield (
            f"Take care: {' and '.join(where)} {the(first.entry)} finds differences that are not "
            f"there more often than its level says.{_instead(study, first)}"
        )
    yield from _by_result(first.entry, [row for family in found for row in family.rows])
    unknown = [m for m in study.models if m in compared and any(m in one.unknown for one in known)]
    if unknown:
        yield (
            f"Take care: {the(first.entry)} is liberal for some learners, and those like "
            f"{names(study, unknown)} were not simulated."
        )


def _by_result(entry: Entry, rows: Sequence[Comparison]) -> Iterator[str]:
    """Warn of what the checks of a test found on these rows."""
    failing = [details for row in rows if (details := measured(row))]
    if failing:
        several = f" in {len(failing)} of {len(rows)} comparisons" if len(rows) > 1 else ""
        yield (
            f"Caution: {the(entry)} has an inflated type I error here{several}: "
            f"{'; '.join(failing[0])}."
        )


def _instead(study: Study, family: Family) -> str:
    """Name the tests that hold their level for such learners; empty where none can run."""
    known, found = catalogue(), []
    if first := study.leniency(family.entry).instead:
        found.append(f"{the(first)} on the plan {first.plans[0]!r}")
    kin = declared(study.experiment, family.dataset) if family.dataset else None
    # it counts rows, which only accuracy has, and no shrunken model was simulated by accuracy
    on_rows = (family.plan, family.metric) == ("cv_5x2", "accuracy") and kin is None
    other = family.entry.name != _FROM_ROWS and not in_families(study.experiment, ("shrunken",))
    if on_rows and other:
        found.append(f"from these fits the {known[_FROM_ROWS].title}")
    return f" Instead: {', or '.join(found)}." if found else ""

"""What tests on folds assume of the learners, and which models here break it."""

from __future__ import annotations

from bakeoff.report.cells import capital
from bakeoff.report.family import Family
from bakeoff.report.numbers import words
from bakeoff.report.study import Study
from bakeoff.report.verdict.wording import names, the
from bakeoff.spec.learners import in_families
from bakeoff.spec.related import declared
from bakeoff.stats import IN_GROUPS, catalogue

KINDS = {
    "neighbours": "nearest neighbours",
    "shrunken": "strongly shrunken models",
    "trees and selection": "trees and selected features",
    "linear": "linear models",
    "linear by AUC": "linear models by the area under the curve",
    "neighbours by AUC": "nearest neighbours by the area under the curve",
    "seeds alone": "models that differ in their seeds alone",
    "failing fits": "fits that fail now and then",
}
"""Families of learners in plain words, by their names in docs/cross-validation.md."""
_FROM_ROWS = "cv5x2_mcnemar"


def assumed(study: Study, family: Family) -> str:
    """Say for which learners a test is liberal, which are compared here, and what answers instead.

    Empty for a test that is known to be liberal for none, or for all.
    """
    entry = family.entry
    if study.in_groups and IN_GROUPS in entry.liberal_for:
        return (
            f"{capital(the(family))} rejects too often for rows in groups, which these are."
            + _instead(study, family)
        )
    kinds = [KINDS[kind] for kind in entry.liberal_for if kind in KINDS]
    if not kinds:
        return ""
    said = (
        f"{capital(the(family))} assumes that the folds know nothing of each other, and rejects "
        f"too often for learners that break this: {words(kinds)}"
    )
    found = study.leniency(entry, family.metric)
    concerned = [model for model in found.models if model in family.models]
    if not concerned:
        return f"{said}; no model here is known to be one."
    return f"{said}, here {names(study, concerned)}.{_instead(study, family)}"


def _instead(study: Study, family: Family) -> str:
    """Name the tests that hold their level for such learners; empty where none can run."""
    known, found = catalogue(), []
    if first := study.instead_of(family.entry):
        title = f"{first.title[0].lower()}{first.title[1:]}"
        found.append(f"the {title} on the plan `{first.plans[0]}`")
    kin = declared(study.experiment, family.dataset) if family.dataset else None
    # by other metrics than accuracy there are no rows to count; shrinking shows in these alone
    on_rows = (family.plan, family.metric) == ("cv_5x2", "accuracy") and kin is None
    if on_rows and not in_families(study.experiment, ("shrunken",)):
        found.append(f"from these fits the {known[_FROM_ROWS].title}")
    return f" Instead: {', or '.join(found)}." if found else ""

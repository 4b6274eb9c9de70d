"""The answer where one model, the control, is compared with each of the others."""

from __future__ import annotations

import math

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.family import Family, seen_from
from bakeoff.report.numbers import p_equals, percent
from bakeoff.report.study import Study
from bakeoff.report.verdict.further_tests import by_other_metrics
from bakeoff.report.verdict.sentences import difference, in_brackets, limits, not_shown, take_care
from bakeoff.report.verdict.wording import Kind, Verdict


def against_control(study: Study, family: Family) -> Verdict:
    """Say which models are better than the control, which worse, which cannot be told from it."""
    control = study.name(family.control)
    says: dict[Decision, list[Comparison]] = {}
    for row in family.rows:
        says.setdefault(row.decision, []).append(row)
    worse, better = says.get(Decision.A_BETTER, []), says.get(Decision.B_BETTER, [])
    undecided = says.get(Decision.UNDECIDED, [])
    settled = (*better, *worse)
    left = [row for row in family.rows if row not in settled and row not in undecided]
    by = family.measure.title

    if settled:
        first, than = (better, "better") if better else (worse, "worse")
        verb = "is" if len(first) == 1 else "are"
        also = f", {_who(study, worse)} worse" if better and worse else ""
        headline = f"{_who(study, first)} {verb} {than} than the control {control} by {by}{also}."
        kind = Kind.CONTROL
    elif len(undecided) == len(family.rows):
        kind = Kind.UNDECIDED
        headline = f"No model can be compared with the control {control} by {by}."
    else:
        kind = Kind.CANNOT_TELL
        headline = (
            f"The data do not show whether any of the other models differs from {control} by {by}."
        )
    return Verdict(kind, headline, tuple(_sentences(study, family, settled, left, undecided)))


def _farthest(study: Study, family: Family, row: Comparison) -> str:
    """Give the largest difference, seen from the model that is ahead."""
    if family.dataset:
        return difference(study, family, row, ", the largest difference")
    a, b = study.name(row.model_a), study.name(row.model_b)
    gap, where = prose.gap_with_interval(row, family), prose.evidence(study, family)
    return f"Over {where} {a} is ahead of {b} by {gap}."


def _who(study: Study, rows: list[Comparison]) -> str:
    return study.names([row.model_b for row in rows])


def _sentences(
    study: Study,
    family: Family,
    settled: tuple[Comparison, ...],
    left: list[Comparison],
    undecided: list[Comparison],
) -> list[str]:
    found = []
    sized = [row for row in (settled or family.rows) if math.isfinite(row.estimate)]
    if sized:
        row = max(sized, key=lambda row: abs(row.estimate))
        ahead = row if row.estimate >= 0 else seen_from(row, row.model_b)
        found.append(_farthest(study, family, ahead))
    if settled:
        worst = p_equals(max(row.pvalue_adjusted for row in settled), prose.p_name(settled[0]))
        largest = "" if len(settled) == 1 else "largest "
        found.append(
            f"This is significant at the {percent(settled[0].alpha)} level, {largest}{worst} "
            f"{in_brackets(study, family)}."
        )
        found += take_care(study, [family])
    if left and settled:
        found.append(
            f"{_who(study, left)} {'is' if len(left) == 1 else 'are'} not shown to differ from it."
        )
    elif left:
        found.append(not_shown(study, family, tuple(left)))
    if left:
        found.append(limits(study, family, tuple(left)))
    if undecided:
        why = prose.why_undecided(undecided[0])
        found.append(f"Against {_who(study, undecided)} the test is undecided: {why}.")
    found += by_other_metrics(study, family)
    found.append("The other models were not compared with each other.")
    return found

"""The answer where each model was compared with one control."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report import prose, sentences
from bakeoff.report.answers import shared
from bakeoff.report.answers.answer import Answer, Kind
from bakeoff.report.family import Family
from bakeoff.report.ranking import lead_of
from bakeoff.report.study import Study


def versus_control(study: Study, answer: Answer) -> None:
    """Say which models are better than the control, which worse, which cannot be told from it."""
    family = study.mains[0]
    answer.leader = next(iter(lead_of(study, family)))
    by_decision = defaultdict[Decision, list[Comparison]](list)
    for row in family.rows:
        by_decision[row.decision].append(row)
    # A is the control: where A is better, the other model is worse
    worse = by_decision[Decision.A_BETTER]
    better = by_decision[Decision.B_BETTER]
    undecided = by_decision[Decision.UNDECIDED]
    settled = better + worse
    unsettled = [row for row in family.rows if row not in settled and row not in undecided]

    control = study.name(family.control)
    metric = family.measure.title
    question = f"whether any model differs from the control {control} by {metric}"
    if settled:
        answer.settle(Kind.CONTROL, _headline(study, family, better, worse))
        answer.cautions += prose.take_care(study, [family])
    elif unsettled:
        answer.settle(Kind.CANNOT_TELL, sentences.not_shown(question))
    else:
        answer.settle(Kind.UNDECIDED, sentences.not_decided(question))

    sized = [row for row in settled or family.rows if math.isfinite(row.estimate)]
    if sized:
        largest = max(sized, key=lambda row: abs(row.estimate))
        answer.comparison = largest
        answer.evidence.append(shared.ahead(study, family, largest))
    if len(settled) > 1:
        answer.better += shared.better(study, shared.winners(settled))
    shared.unproven(study, answer, family, unsettled)
    if undecided:
        place = answer.evidence
        if settled or unsettled:
            place = answer.undecided
        place.append(shared.undecided(study, family, undecided))
    shared.by_other_metrics(study, answer, family)


def _headline(
    study: Study, family: Family, better: Sequence[Comparison], worse: Sequence[Comparison]
) -> str:
    """Say which models differ significantly from the control: first the better ones."""
    but = ""
    if better and worse:
        but = f", and {shared.others(study, worse)} {shared.are(worse)} worse"
    first = better or worse
    than = "worse"
    if better:
        than = "better"
    return sentences.is_better(
        shared.others(study, first),
        shared.are(first),
        f"{than} than the control {study.name(family.control)}",
        family.measure.title,
        but,
    )

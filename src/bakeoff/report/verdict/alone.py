"""The answer for a single model: against a fixed value, or just its score."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.cells import capital
from bakeoff.report.family import Family
from bakeoff.report.numbers import count, interval, p_equals, percent, score
from bakeoff.report.ranking import Ranked
from bakeoff.report.study import TRUST, Study
from bakeoff.report.verdict.care import take_care
from bakeoff.report.verdict.kind import Kind, Verdict
from bakeoff.report.verdict.sentences import in_brackets
from bakeoff.report.verdict.wording import name, the

_KINDS = {Decision.DIFFERENT: Kind.AGAINST_VALUE, Decision.UNDECIDED: Kind.UNDECIDED}


def alone(study: Study, ranked: list[Ranked]) -> Verdict:
    """Answer for a single model: what its most trustworthy test says, or its score."""
    model = name(study, study.models[0])
    tested = [family for family in study.families if family.role == "single"]
    tested.sort(key=lambda f: (f.metric != study.metric.name, TRUST.index(study.type1(f.entry))))
    if tested and len(study.datasets) > 1:
        return _by_dataset(study, tested)
    if tested:
        row = tested[0].rows[0]
        headline = _headline(study, row)
        sentences = [sentence for family in tested for sentence in _numbers(study, family)]
        return Verdict(_KINDS.get(row.decision, Kind.CANNOT_TELL), headline, tuple(sentences))
    if not ranked:
        return Verdict(Kind.UNDECIDED, f"{model} has no complete set of scores.", ())
    line = ranked[0]
    ci = f" ({percent(line.ci.confidence)} CI {interval(*line.ci)})" if line.ci else ""
    return Verdict(
        Kind.UNTESTED,
        "One model, so there is nothing to compare.",
        (f"The {study.metric.title} of {model} is {score(line.mean)}{ci}.",),
    )


def _headline(study: Study, row: Comparison) -> str:
    of = f"the {study.metrics[row.metric].title} of {name(study, row.model_a)}"
    if row.decision is Decision.DIFFERENT:
        return f"{capital(of)} is {prose.side_of(row)}."
    if row.decision is Decision.UNDECIDED:
        return f"Undecided whether {of} {prose.asked_of(row)}."
    return f"Cannot tell whether {of} {prose.asked_of(row)}."


def _numbers(study: Study, family: Family) -> Iterator[str]:
    row = family.rows[0]
    if row.decision is Decision.UNDECIDED:
        why = prose.why_undecided(row)
        yield f"{capital(the(family.entry))} on {prose.evidence(study, family)} stayed open: {why}."
        return
    ci = f" ({prose.level_of(row)} {interval(row.ci_low, row.ci_high)})"
    shown = row.decision is Decision.DIFFERENT
    asked = f"is {prose.side_of(row)}" if shown else prose.asked_of(row)
    says = f"is shown at the {percent(row.alpha)} level" if shown else "is not shown"
    yield (
        f"The {family.measure.title} is {score(row.estimate)}{ci}; that it {asked} {says}, "
        f"{p_equals(row.pvalue_adjusted)} {in_brackets(study, family)}."
    )
    if shown:
        yield from take_care(study, [family])


def _by_dataset(study: Study, tested: list[Family]) -> Verdict:
    """Count the data sets on which the model differs from the value."""
    first = tested[0]
    found = [f.rows[0] for f in tested if (f.entry, f.metric) == (first.entry, first.metric)]
    sides = [prose.side_of(row) for row in found if row.decision is Decision.DIFFERENT]
    of = f"the {first.measure.title} of {name(study, study.models[0])}"
    counted = [f"{side} on {sides.count(side)}" for side in dict.fromkeys(sides)]
    rest = len(found) - len(sides)
    told = ", ".join([*counted, *([f"cannot be told on {rest}"] if rest else [])])
    headline = f"Of {count(len(found), 'data set')}, {of} is {told}."
    level = percent(found[0].alpha)
    sentence = f"This is what {the(first.entry)} says at the {level} level within each data set."
    return Verdict(Kind.AGAINST_VALUE if sides else Kind.CANNOT_TELL, headline, (sentence,))

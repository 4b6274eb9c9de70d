"""The answer for a single model: beside a value, or its score alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report import prose, sentences
from bakeoff.report.answers import shared
from bakeoff.report.answers.answer import Answer, Kind
from bakeoff.report.family import Family
from bakeoff.report.numbers import count, percent, words
from bakeoff.report.ranking import Ranked, ranking
from bakeoff.report.study import TRUST, Study

_ASKS = {"greater": "is above", "less": "is below"}


def one_model(study: Study, answer: Answer) -> None:
    """Answer for a single model: what its most trustworthy test says, or its score."""
    answer.leader = study.models[0]
    tested = [family for family in study.families if family.role == "single"]
    # tests by the metric that ranks come first, the most trustworthy of them at the head
    tested.sort(
        key=lambda family: (
            family.metric != study.metric.name,
            TRUST.index(study.type1(family.entry)),
        )
    )
    if not tested:
        answer.settle(Kind.UNTESTED, score(study, ranking(study)[0]))
        return
    first = tested[0]
    # the headline tells one test by one metric, on every data set that has it
    rows = []
    for family in tested:
        if family.entry == first.entry and family.metric == first.metric:
            rows.append(family.rows[0])
    name = prose.of_model(first.measure.title, study.name(study.models[0]))
    if any(row.decision is Decision.DIFFERENT for row in rows):
        headline = sentences.score_is(name, _sides(study, rows))
        answer.settle(Kind.AGAINST_VALUE, headline)
    else:
        unclear = not study.several and rows[0].decision is Decision.UNDECIDED
        kind = Kind.CANNOT_TELL
        if unclear:
            kind = Kind.UNDECIDED
        answer.settle(kind, sentences.not_shown(_question(study, name, rows)))
    if not study.several:
        answer.comparison = rows[0]
        for family in tested:
            _tell_result(study, answer, family, name, first=family is first)


def _sides(study: Study, rows: Sequence[Comparison]) -> str:
    """Say on which side of the tested value a score is, on how many data sets."""
    sides = Counter(prose.side_of(row) for row in rows if row.decision is Decision.DIFFERENT)
    if not study.several:
        return words(list(sides))
    counted = words([f"{side} on {n}" for side, n in sides.items()])
    return f"{counted} of {count(len(rows), 'data set')}"


def _question(study: Study, name: str, rows: Sequence[Comparison]) -> str:
    """Ask what the data do not show of a score."""
    asks = _ASKS.get(rows[0].alternative, "differs from")
    question = f"whether the {name} {asks} {prose.tested_value(rows[0]):g}"
    if study.several:
        question += f" on any of the {count(len(rows), 'data set')}"
    return question


def _tell_result(study: Study, answer: Answer, family: Family, name: str, *, first: bool) -> None:
    """Say what a test of a single model found: the first one as the evidence."""
    row = family.rows[0]
    if row.decision is Decision.UNDECIDED:
        models = f"{study.name(row.model_a)} with {prose.tested_value(row):g}"
        place = answer.undecided
        if first:
            place = answer.evidence
        test = shared.undecided_test(study, family)
        place.append(sentences.undecided(models, test, prose.why_undecided(row)))
        return
    ci = f"{prose.level_of(row)} {family.written.interval(row.ci_low, row.ci_high)}"
    value = f"{family.written.quantity(row.estimate)} ({ci})"
    against = f"{prose.extreme_p([row])} against {prose.tested_value(row):g}"
    place = answer.scores
    if first:
        place = answer.evidence
    test = f"{against} ({shared.test_of(study, family)})"
    place.append(sentences.score_is(name, value, test))
    if row.decision is Decision.DIFFERENT:
        answer.cautions += prose.take_care(study, [family])


def score(study: Study, line: Ranked) -> str:
    """Give the score of a model that no test is about."""
    written = study.written()
    brackets = ""
    if not study.several:
        brackets = prose.trained_on(study, study.datasets[0], study.plan)
    if line.ci:
        ci = f"{percent(line.ci.confidence)} CI {written.interval(*line.ci)}"
        brackets = f" ({ci}{brackets})"
    name = prose.of_model(study.metric.title, study.name(line.model))
    return sentences.score_is(name, f"{written.quantity(line.mean)}{brackets}")

"""From a study to its verdict."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from bakeoff.report.family import Family
from bakeoff.report.numbers import count
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study
from bakeoff.report.undeclared import notes
from bakeoff.report.verdict.against_constant import against_constant, too_good
from bakeoff.report.verdict.alone import alone
from bakeoff.report.verdict.control import against_control
from bakeoff.report.verdict.further_tests import (
    costs,
    equivalence,
    equivalents,
    fitted,
    posterior,
)
from bakeoff.report.verdict.headline import headline
from bakeoff.report.verdict.kind import Kind, Verdict
from bakeoff.report.verdict.left_out import failed, left_out
from bakeoff.report.verdict.other_metrics import by_other_metrics
from bakeoff.report.verdict.outcome import look
from bakeoff.report.verdict.sentences import about_omnibus, numbers
from bakeoff.report.verdict.subgroups import by_subgroup
from bakeoff.report.verdict.untested import without_tests
from bakeoff.report.verdict.wording import name
from bakeoff.threads import on_one_thread

_MOST_NOTES = 3


@on_one_thread
def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    ranked = ranking(study)
    algorithms, models = study.main("algorithms"), study.main("models")
    first = algorithms or models
    if len(study.models) < 2:
        verdict = alone(study, ranked)
    elif first is None:
        verdict = without_tests(study, ranked)
    elif first.control:
        verdict = against_control(study, first)
    else:
        verdict = _from_tests(study, first, models if algorithms else None)
    base = (*against_constant(study, study.metric.name), *too_good(study))
    after = (*base, *by_subgroup(study), *left_out(study), *_undeclared(study))
    sentences = (*failed(study), *verdict.sentences, *after)
    return dataclasses.replace(verdict, sentences=sentences)


def _undeclared(study: Study) -> Iterator[str]:
    """Say what looks like dependence that nobody declared."""
    found = notes(study)
    for note in found[:_MOST_NOTES]:
        yield f"Note: {note.sentence}"
    if len(found) > _MOST_NOTES:
        yield f"{count(len(found) - _MOST_NOTES, 'more note')} of this kind: see the report."


def _from_tests(study: Study, first: Family, second: Family | None) -> Verdict:
    outcome = look(study, first)
    kind, text = outcome.kind, headline(study, outcome)
    equal = equivalents(study)
    alike = (f.dataset == first.dataset and f.metric == first.metric for f, _ in equal)
    if len(study.models) == 2 and any(alike):
        a, b = (name(study, m) for m in (outcome.leader, outcome.runner_up))
        if kind is Kind.WINNER:
            text = f"{text.removesuffix('.')}, but by less than the margin that was set."
        elif kind in (Kind.CANNOT_TELL, Kind.SAME, Kind.UNDECIDED):
            kind, text = (
                Kind.EQUIVALENT,
                f"{a} and {b} are practically equivalent by {first.measure.title}.",
            )
    sentences = [
        *numbers(study, outcome),
        *about_omnibus(study, outcome),
        *equivalence(study, equal),
        *posterior(study, outcome.leader, outcome.runner_up),
        *by_other_metrics(study, first),
    ]
    if second is not None and not second.control:
        rows = look(study, second)
        sentences += [fitted(study, rows, outcome), *about_omnibus(study, rows, "fitted models")]
    sentences += costs(study, first, second)
    return Verdict(kind, text, tuple(sentences))

"""The verdict: what a study shows, in the order in which the page says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bakeoff.comparisons.run_tests import Comparison
from bakeoff.report import sentences, suites
from bakeoff.report.answers import find, remarks
from bakeoff.report.answers.against_baseline import against_baseline, exchanged, leakage
from bakeoff.report.answers.answer import Kind
from bakeoff.report.sentences import Sentence
from bakeoff.report.study import Study
from bakeoff.threads import on_one_thread

MOST = 3
"""Sentences that stand below the headline; the others are folded."""


class Verdict(NamedTuple):
    """The answer."""

    kind: Kind
    headline: str
    """One short sentence."""
    evidence: str
    """One line: the difference with its interval, the p-value, and what was tested."""
    main: tuple[Sentence, ...]
    """At most three sentences: on the baseline, the main caution, and what to do next."""
    folded: tuple[Sentence, ...]
    """Everything else, for a folded part."""
    leader: str
    """The model with the best score; empty where there is none."""
    comparison: Comparison | None
    """What the evidence is about, seen from its A; None where no comparison decides."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything below the headline."""
        sentences = (*self.main, *self.folded)
        return (self.evidence, *sentences) if self.evidence else sentences

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, then the sentences."""
        return self.headline, *self.sentences


@on_one_thread
def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    tested = find(study)
    baseline = against_baseline(study)
    # of fixed tasks the evidence names the other mean and the tasks one by one
    over_tasks = suites.leading_pair(study)
    if over_tasks is not None:
        tested.evidence += suites.sentences(study, *over_tasks)
    notes = list(remarks.notes(study, tested.kind))
    # a caution on the test stands before a note on the data
    notes_in_main = 1
    if tested.cautions:
        notes_in_main = 0

    # that no model is better than the baseline comes first: which is best is the second question
    headlines = _not_empty([baseline.headline, tested.headline])
    # in the order of importance: what stands behind the third one is folded
    main: list[str] = list(headlines[1:])
    main += baseline.by_dataset
    main += remarks.excluded(study)
    main += [exchanged(study), baseline.constant]
    main += tested.cautions[:1]
    main.append(leakage(study))
    if tested.kind is Kind.CONFLICT:
        main.append(sentences.check_scores())
    main += [tested.none_possible, tested.no_proof, tested.next_test]
    main += notes[:notes_in_main]
    sentences_below = _not_empty(main)

    folded: list[str] = list(sentences_below[MOST:])
    folded += baseline.by_other_metrics
    folded += tested.scores
    folded += tested.undecided
    folded += tested.posterior
    folded += tested.cautions[1:]
    folded += tested.better
    folded += tested.not_different
    folded.append(tested.uncorrected)
    folded += tested.margins
    folded.append(tested.of_seeds)
    folded += tested.disagreements
    folded += remarks.left_out(study)
    folded += remarks.preparation(study)
    folded += remarks.cautions_on_results(study)
    folded += remarks.interactions(study)
    folded += notes[notes_in_main:]
    return Verdict(
        kind=tested.kind,
        headline=headlines[0],
        evidence=" ".join(tested.evidence),
        main=tuple(sentences_below[:MOST]),
        folded=tuple(_not_empty(folded)),
        leader=tested.leader,
        comparison=tested.comparison,
    )


def _not_empty(texts: Iterable[str]) -> list[Sentence]:
    """Leave out sentences that have nothing to say."""
    not_empty = []
    for text in texts:
        if text:
            # all have a code, by which `verdict.json` names them
            assert isinstance(text, Sentence), text
            not_empty.append(text)
    return not_empty

"""The verdict: what a study shows, in the order in which the page says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bakeoff.report import sentences
from bakeoff.report.answers import find, remarks
from bakeoff.report.answers.against_baseline import against_baseline, exchanged, leakage
from bakeoff.report.answers.answer import Kind
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
    main: tuple[str, ...]
    """At most three sentences: on the baseline, the main caution, and what to do next."""
    more: tuple[str, ...]
    """Everything else, for a folded part."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything below the headline."""
        return tuple(_said([self.evidence, *self.main, *self.more]))

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, then the sentences."""
        return self.headline, *self.sentences


@on_one_thread
def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    tested = find(study)
    baseline = against_baseline(study)
    notes = list(remarks.notes(study, tested.kind))
    # a caution on the test stands before a note on the data
    notes_in_main = 1
    if tested.cautions:
        notes_in_main = 0

    # that no model is better than the baseline comes first: which is best is the second question
    headlines = _said([baseline.headline, tested.headline])
    main = headlines[1:]
    main += baseline.by_dataset
    main += remarks.excluded(study)
    main += [exchanged(study), baseline.constant]
    main += tested.cautions[:1]
    main.append(leakage(study))
    if tested.kind is Kind.CONFLICT:
        main.append(sentences.check_scores())
    main += [tested.none_possible, tested.no_proof, tested.next_test]
    main += notes[:notes_in_main]
    main = _said(main)

    more = main[MOST:]
    more += baseline.by_other_metrics
    more += tested.scores
    more += tested.undecided
    more += tested.posterior
    more += tested.cautions[1:]
    more += tested.better
    more += tested.not_different
    more.append(tested.uncorrected)
    more += tested.margins
    more.append(tested.of_seeds)
    more += tested.disagreements
    more += remarks.left_out(study)
    more += study.preparation
    more += remarks.cautions_on_results(study)
    more += remarks.interactions(study)
    more += notes[notes_in_main:]
    return Verdict(
        kind=tested.kind,
        headline=headlines[0],
        evidence=" ".join(tested.evidence),
        main=tuple(main[:MOST]),
        more=tuple(_said(more)),
    )


def _said(texts: Iterable[str]) -> list[str]:
    """Leave out sentences that have nothing to say."""
    return [text for text in texts if text]

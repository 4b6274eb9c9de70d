"""What the tests of a study say, by what they compare: one module for each kind of answer.

`find` chooses the kind. A new one is a module here with a function that fills an `Answer`, its
branch in `find`, its sentences in `bakeoff.report.sentences` and a line in docs/report.md.
"""

from __future__ import annotations

from bakeoff.report import sentences
from bakeoff.report.answers.answer import Answer, Kind
from bakeoff.report.answers.one_model import one_model
from bakeoff.report.answers.pairs import all_pairs
from bakeoff.report.answers.versus import versus_control
from bakeoff.report.answers.without_tests import without_tests
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study


def find(study: Study) -> Answer:
    """Answer the experiment's question by the tests that ran."""
    answer = Answer()
    if not study.mains and not ranking(study):
        question = "which of the models is best"
        if len(study.models) == 1:
            question = f"how good {study.name(study.models[0])} is"
        headline = sentences.not_decided(
            f"{question} by {study.metric.title}", "no model has a complete set of scores"
        )
        answer.settle(Kind.UNDECIDED, headline)
    elif len(study.models) == 1:
        one_model(study, answer)
    elif not study.mains:
        without_tests(study, answer)
    elif study.mains[0].control:
        versus_control(study, answer)
    else:
        all_pairs(study, answer)
    return answer

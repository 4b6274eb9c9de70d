"""The answer where no test of a difference ran: from posteriors, margins, or scores alone."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.comparisons.choose import enough_datasets, over_datasets
from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report import prose, sentences
from bakeoff.report.answers import shared
from bakeoff.report.answers.answer import Answer, Kind
from bakeoff.report.answers.one_model import score
from bakeoff.report.family import Family
from bakeoff.report.numbers import count, fixed, percent
from bakeoff.report.ranking import Ranked, ranking
from bakeoff.report.study import Study
from bakeoff.stats import catalogue


def without_tests(study: Study, answer: Answer) -> None:
    """Answer from posteriors and equivalence, or from single data sets, or not at all."""
    ranked = ranking(study)
    margins = shared.margins(study)
    of_pairs = []
    for family in study.families:
        if family.role == "pair" and family.metric == study.metric.name:
            of_pairs.append(family)
    weighed = None
    if ranked:
        answer.leader = ranked[0].model
    if len(ranked) > 1:
        leader = ranked[0].model
        runner_up = ranked[1].model
        weighed = shared.weighed(study, leader, runner_up)
        answer.evidence += shared.posterior(study, leader, runner_up)
    if weighed is not None:
        answer.comparison = weighed[1]
        _by_posterior(study, answer, study.name(leader), study.name(runner_up), weighed[1])
        answer.evidence += margins
    elif margins and not study.several:
        _within_margin(study, answer, margins)
    elif of_pairs and not study.several:
        _nothing_shown(study, answer, of_pairs[0])
    else:
        _untested(study, answer, ranked, margins)


def _by_posterior(study: Study, answer: Answer, a: str, b: str, row: Comparison) -> None:
    """Turn a posterior into an answer, at the level of the experiment."""
    metric = study.metric
    match row.decision:
        case Decision.A_BETTER:
            kind = Kind.PARTIAL
            if len(study.models) == 2:
                kind = Kind.WINNER
            headline = sentences.is_better(a, "is probably", f"better than {b}", metric.title)
            answer.settle(kind, headline)
        case Decision.EQUIVALENT:
            headline = sentences.equivalent(f"{a} and {b}", metric.title, "probably ")
            answer.settle(Kind.EQUIVALENT, headline)
        case Decision.B_BETTER:
            headline = sentences.conflict(a, prose.mean_of(metric), f"{b} is probably")
            answer.settle(Kind.CONFLICT, headline)
        case _:
            question = f"whether {a} or {b} is better by {metric.title}"
            answer.settle(Kind.CANNOT_TELL, sentences.not_shown(question))


def _within_margin(study: Study, answer: Answer, margins: Sequence[str]) -> None:
    """Answer by what is shown to be equivalent on one data set."""
    family, rows = shared.equivalents(study)[0]
    answer.comparison = rows[0]
    if len(family.rows) > 1 or prose.one_sided(rows[0]):
        answer.settle(Kind.EQUIVALENT, margins[0])
        answer.evidence += margins[1:]
        return
    models = study.names([rows[0].model_a, rows[0].model_b])
    answer.settle(Kind.EQUIVALENT, sentences.equivalent(models, study.metric.title))
    answer.evidence += margins


def _nothing_shown(study: Study, answer: Answer, family: Family) -> None:
    """Answer where tests against a margin, or posteriors, are all there is, and show nothing."""
    metric = study.metric.title
    models = study.names(family.models)
    decided = []
    for row in family.rows:
        if row.decision is not Decision.UNDECIDED:
            decided.append(row)
    if all(row.status in prose.SAME for row in family.rows):
        evidence = prose.evidence(study, family)
        answer.settle(Kind.SAME, sentences.identical(models, metric, evidence))
        answer.no_proof = sentences.no_proof(shared.IDENTICAL)
    elif decided and family.equivalence:
        answer.settle(Kind.CANNOT_TELL, shared.margin(study, family, []))
    else:
        answer.settle(Kind.UNDECIDED, sentences.not_decided(f"how {models} compare by {metric}"))
        answer.evidence.append(shared.undecided(study, family, family.rows))


def _untested(
    study: Study, answer: Answer, ranked: Sequence[Ranked], margins: Sequence[str]
) -> None:
    """Say who has the best scores, which no test compared."""
    best = ranked[0]
    tied = []
    for line in ranked:
        # equal average ranks may differ in their last digits
        if round(line.rank - best.rank, 10) == 0:
            tied.append(line.model)
    models = study.names(tied)
    has = "has"
    if len(tied) > 1:
        has = "have"
    metric = study.metric.title
    if not study.several:
        but = "no test compares the models"
        answer.settle(Kind.UNTESTED, sentences.has_the_best(models, has, metric, but))
        answer.evidence.append(score(study, best))
        answer.evidence += margins
        return
    but = "no test over data sets compares the models"
    metric = f"average rank by {metric}"
    answer.settle(Kind.UNTESTED, sentences.has_the_best(models, has, metric, but))
    if margins:
        answer.evidence += margins
        return
    which = "best"
    if len(tied) > 1:
        which = "same"
    rank = f"{fixed(best.rank, 2)}; first on {count(best.wins, 'data set')}"
    where = f"{len(study.datasets)} data sets"
    answer.evidence.append(sentences.best_rank(where, f"{models} {has} the {which}", rank))
    answer.next_test = _next_test(study)


def _next_test(study: Study) -> str:
    """Say which test over data sets answers the question, or how many more it needs."""
    least = enough_datasets(study.analysis)
    if study.units < least:
        level = percent(study.alpha)
        return sentences.too_few_datasets(str(least), level, str(study.units))
    if study.averages(study.metric.name):  # signed ranks need one unit
        entry = catalogue()[over_datasets(study.analysis).name]
        return sentences.recommended(prose.the(entry))
    return ""

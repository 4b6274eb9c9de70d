"""The answer where all pairs of models, or those of the best one, were compared."""

from __future__ import annotations

import math
from typing import NamedTuple

from bakeoff.comparisons.run_tests import Comparison, Decision, measured
from bakeoff.report import pairs_over_datasets, prose, sentences
from bakeoff.report.answers import shared
from bakeoff.report.answers.answer import Answer, Kind
from bakeoff.report.family import Family
from bakeoff.report.numbers import NONE, capital, fixed
from bakeoff.report.ranking import lead_of, ranking
from bakeoff.report.sentences import Sentence
from bakeoff.report.study import Study
from bakeoff.stats import TypeOneError, as_float

_UNCLEAR = (Decision.UNDECIDED, Decision.DIFFERENT)
"""Where two models differ and neither has the better mean, nobody knows which is better."""


class Outcome(NamedTuple):
    """The comparisons of the leader, seen from it, by what they say; and of the others."""

    family: Family
    leader: str
    runner_up: str
    tied: list[str]
    behind: str
    """The best of those that are not tied with the leader; empty where there is none."""
    beaten: list[Comparison]
    lost: list[Comparison]
    undecided: list[Comparison]
    open: list[Comparison]
    elsewhere: list[Comparison]
    """The significant comparisons of other models."""

    @property
    def kind(self) -> Kind:
        """Sum it up."""
        unresolved = self.open + self.undecided
        # a model that beats the leader contradicts the order by scores, whatever else was shown
        if self.lost:
            return Kind.CONFLICT
        if self.beaten:
            if unresolved:
                return Kind.PARTIAL
            return Kind.WINNER
        if self.elsewhere:
            return Kind.OTHERS
        if self.undecided and not self.open:
            return Kind.UNDECIDED
        if all(row.status in prose.SAME for row in unresolved):
            return Kind.SAME
        return Kind.CANNOT_TELL

    @property
    def won(self) -> list[Comparison]:
        """The significant comparisons of the leader, seen from the better model."""
        return self.beaten + list(shared.winners(self.lost))


def all_pairs(study: Study, answer: Answer) -> None:
    """Tell what the tests say: the first one decides, others answer narrower questions."""
    first = study.mains[0]
    outcome = look(study, first)
    answer.leader = outcome.leader
    answer.comparison = _compared(outcome)
    answer.settle(outcome.kind, _headline(study, outcome))
    if _equivalence_answers(study, outcome):
        headline = sentences.equivalent(_models(study, outcome), _metric(outcome))
        answer.settle(Kind.EQUIVALENT, headline)

    if outcome.kind is Kind.UNDECIDED:
        answer.none_possible = shared.none_possible(study, first, outcome.undecided[0])
        reason = not answer.none_possible
        answer.evidence.append(shared.undecided(study, first, outcome.undecided, reason=reason))
    elif outcome.kind is Kind.SAME:
        answer.evidence += _leader_and_next(study, outcome)
        answer.no_proof = sentences.no_proof(shared.IDENTICAL)
    else:
        _tell_results(study, answer, outcome)

    answer.of_seeds = of_seeds(outcome)
    shared.by_other_metrics(study, answer, first)
    for family in study.mains[1:]:
        if not family.control:
            _beside(study, answer, family)
    answer.margins += shared.margins(study)
    answer.posterior += shared.posterior(study, outcome.leader, outcome.runner_up)


def look(study: Study, family: Family) -> Outcome:
    """Find who leads on a family's evidence and what the family says of it."""
    lead = lead_of(study, family)
    leader, *others = lead
    tied = []
    behind = ""
    for model in others:
        if lead[model] == lead[leader]:
            tied.append(model)
        elif not behind:
            behind = model
    outcome = Outcome(
        family=family,
        leader=leader,
        runner_up=others[0],
        tied=tied,
        behind=behind,
        beaten=[],
        lost=[],
        undecided=[],
        open=[],
        elsewhere=[],
    )
    for model in others:
        row = family.between(leader, model)
        if row is None:
            continue
        if row.decision is Decision.A_BETTER:
            outcome.beaten.append(row)
        elif row.decision is Decision.B_BETTER:
            outcome.lost.append(row)
        elif row.decision in _UNCLEAR:
            outcome.undecided.append(row)
        else:
            outcome.open.append(row)
    for row in shared.winners(family.rows):
        if leader not in (row.model_a, row.model_b):
            outcome.elsewhere.append(row)
    return outcome


def _tell_results(study: Study, answer: Answer, outcome: Outcome) -> None:
    """Say what was found, and what was not."""
    family = outcome.family
    if family.dataset:
        answer.evidence += _leader_and_next(study, outcome)
    else:
        _tell_over_datasets(study, answer, outcome)
    # of two models the headline says already who is better
    if len(study.models) > 2 or outcome.lost:
        elsewhere = sorted(outcome.elsewhere, key=lambda row: row.pvalue_adjusted)
        answer.better += shared.better(study, outcome.won or elsewhere)
    disagreement = prose.disagreement(study, outcome.beaten + outcome.open)
    if disagreement:
        answer.disagreements.append(Sentence(disagreement.strip(), "disagreement"))
    unproven = []
    for row in outcome.open:
        if row.status not in prose.SAME:
            unproven.append(row)
    shared.unproven(study, answer, family, unproven)
    if outcome.undecided:
        answer.undecided.append(shared.undecided(study, family, outcome.undecided))
    omnibus = study.omnibus(family)
    if outcome.beaten or outcome.lost or outcome.elsewhere:
        answer.cautions += prose.take_care(study, [family])
    elif omnibus is not None and _shown_by_omnibus(study, omnibus):
        answer.cautions += prose.of_omnibus(omnibus)


# --- the headline


def _tell_over_datasets(study: Study, answer: Answer, outcome: Outcome) -> None:
    """Tell the comparison of the two best models by its own estimate, or else by their ranks."""
    row = _compared(outcome)
    if row is None or outcome.tied or not pairs_over_datasets.tells(outcome.family, row):
        answer.evidence.append(_ranks(study, outcome))
        return
    text = pairs_over_datasets.sentence(study, outcome.family, row)
    test = f"{prose.extreme_p([row])}; {shared.test_of(study, outcome.family)}"
    answer.evidence.append(sentences.over_datasets(text, test))
    contradiction = pairs_over_datasets.contradiction(study, outcome.family, row)
    if contradiction:
        answer.disagreements.append(Sentence(contradiction, "mean_contradicts"))


def _metric(outcome: Outcome) -> str:
    """Name the metric of a headline, over training seeds where these were compared."""
    title = outcome.family.measure.title
    if outcome.family.entry.about == "recipes":
        return f"{title} over training seeds and rows"
    return title


def _models(study: Study, outcome: Outcome) -> str:
    """Name the models that were compared."""
    if len(study.models) > 2:
        return "The models"
    return study.names([outcome.leader, outcome.runner_up])


def _headline(study: Study, outcome: Outcome) -> str:
    """Say in one sentence what the main test says."""
    metric = _metric(outcome)
    match outcome.kind:
        case Kind.WINNER:
            return _winner(study, outcome)
        case Kind.PARTIAL:
            return _better_than_some(study, outcome)
        case Kind.OTHERS:
            return sentences.models_differ(metric, "the best one cannot be named")
        case Kind.CONFLICT:
            return _conflict(study, outcome)
        case Kind.SAME:
            evidence = prose.evidence(study, outcome.family)
            return sentences.identical(_models(study, outcome), metric, evidence)
        case Kind.UNDECIDED:
            return sentences.not_decided(f"{_question(study, outcome)} by {metric}")
    omnibus = study.omnibus(outcome.family)
    if omnibus is not None and _shown_by_omnibus(study, omnibus):
        return sentences.models_differ(metric, "the data do not show which of them differ")
    return sentences.not_shown(f"{_question(study, outcome)} by {metric}")


def _winner(study: Study, outcome: Outcome) -> str:
    """Say that the leader is better than all others."""
    n_compared = len(outcome.beaten) + 1
    better = f"better than {shared.others(study, outcome.beaten)}"
    if len(study.models) > 2:
        better = f"the best of the {n_compared} models"
        if n_compared < len(study.models):
            better += " that were compared"
    but = ""
    reservations = _reservations(study, outcome)
    if reservations:
        but = f", but {' and '.join(reservations)}"
    return sentences.is_better(study.name(outcome.leader), "is", better, _metric(outcome), but)


def _reservations(study: Study, outcome: Outcome) -> list[str]:
    """Say what makes a significant difference less than a finding."""
    family = outcome.family
    reservations = []
    if len(study.models) == 2 and _shown_within_margin(study, family):
        reservations.append("by less than the margin that was set")
    # of learners that nobody simulated a caution tells, and no headline
    known = study.cautions(family.entry, family.metric).inflated
    liberal = family.entry.type1 is TypeOneError.LIBERAL and known
    if liberal or any(map(measured, outcome.beaten)):
        reservations.append("by a test with an inflated type I error")
    return reservations


def _better_than_some(study: Study, outcome: Outcome) -> str:
    """Say that the leader is better than some of the others."""
    leader = study.name(outcome.leader)
    metric = _metric(outcome)
    if not outcome.family.dataset:
        metric = f"average rank by {metric}"
    unresolved = outcome.open + outcome.undecided
    # who is tied with the leader is named beside it
    unresolved = [row for row in unresolved if row.model_b not in outcome.tied]
    but = ""
    if unresolved:
        but = f"is not shown to be better than {shared.others(study, unresolved)}"
    if not outcome.tied:
        return sentences.has_the_best(leader, "has", metric, but)
    reason = "their results are the same"
    if but:
        reason = f"{leader} {but}"
    models = study.names([outcome.leader, *outcome.tied])
    return sentences.has_the_best(models, "have", metric, reason)


def _conflict(study: Study, outcome: Outcome) -> str:
    """Say that the leader loses by the test."""
    measure = outcome.family.measure
    metric = f"average rank by {measure.title}"
    if outcome.family.dataset:
        metric = prose.mean_of(measure)
    lost = outcome.lost
    other = f"{shared.others(study, lost)} {shared.are(lost)} significantly"
    return sentences.conflict(study.name(outcome.leader), metric, other)


def _question(study: Study, outcome: Outcome) -> str:
    """Ask what the data do not show, or what no test could decide."""
    if len(study.models) > 2:
        return f"which of the {len(outcome.family.models)} models is best"
    row = outcome.family.rows[0]
    if row.alternative == "two-sided":
        return f"whether {study.name(outcome.leader)} or {study.name(outcome.runner_up)} is better"
    better = row.model_a
    worse = row.model_b
    if row.alternative == "less":
        better = row.model_b
        worse = row.model_a
    return f"whether {study.name(better)} is better than {study.name(worse)}"


def _shown_by_omnibus(study: Study, omnibus: Comparison) -> bool:
    """Tell whether a test of all models at once finds that more than two of them differ."""
    return len(study.models) > 2 and omnibus.decision is Decision.DIFFERENT


def _equivalence_answers(study: Study, outcome: Outcome) -> bool:
    """Tell whether equivalence answers the question: of two models that do not differ."""
    if len(study.models) > 2 or outcome.lost or outcome.beaten:
        return False
    return _shown_within_margin(study, outcome.family)


def _shown_within_margin(study: Study, family: Family) -> bool:
    """Tell whether two-sided equivalence was shown on the evidence of a family."""
    where = (family.dataset, family.metric)
    return any(
        (other.dataset, other.metric) == where and not prose.one_sided(rows[0])
        for other, rows in shared.equivalents(study)
    )


# --- the evidence


def _compared(outcome: Outcome) -> Comparison | None:
    """Return the comparison of the leader, and those that are tied with it, with the next best."""
    family = outcome.family
    other = outcome.runner_up
    # between models of the same rank there is no lead to tell
    if outcome.tied and outcome.behind:
        other = outcome.behind
    if not family.dataset:
        return family.between(outcome.leader, other)
    # the evidence is about a model that beats the leader, where there is one
    if outcome.lost:
        other = outcome.lost[0].model_b
    for model in (other, *family.models):
        row = family.between(outcome.leader, model)
        if row is not None and math.isfinite(row.estimate):
            return row
    return None


def _leader_and_next(study: Study, outcome: Outcome) -> list[str]:
    """Say how far the leader, or who is better by the test, is ahead."""
    family = outcome.family
    row = _compared(outcome)
    if row is None:
        return []
    title = family.measure.title
    # by its own estimate a test may have another model ahead than by the scores
    if row.estimate < 0:
        score = prose.of_model(title, study.name(row.model_b))
        return [shared.ahead(study, family, row, score=score, by_the_test=True)]
    tied = []
    for model in outcome.tied:
        if model != row.model_b:
            tied.append(model)
    score = ""
    if tied:
        score = prose.of_model(title, study.names([outcome.leader, *tied]))
    next_best = len(family.models) > 2 and row.model_b == outcome.runner_up
    return [shared.ahead(study, family, row, score=score, next_best=next_best)]


def _ranks(study: Study, outcome: Outcome) -> str:
    """Give the ranks that the test compares, or else those of the mean scores."""
    family = outcome.family
    ranks = _ranks_with_means(study, family)
    # pairs may be compared on unlike numbers of data sets, where scores are missing
    where = prose.evidence(study, family)
    if len({row.n for row in family.rows}) > 1:
        where = study.counted_datasets()
    models = study.names([outcome.leader, *outcome.tied])
    has = "has the best"
    if outcome.tied:
        has = "have the same"
    followed = ""
    if outcome.behind in ranks:
        followed = f", followed by {study.name(outcome.behind)} ({ranks[outcome.behind]})"
    row = _compared(outcome)
    test = ""
    if row is not None:
        test = f"{prose.extreme_p([row])} ({shared.test_of(study, family)})"
    rank = ranks.get(outcome.leader, NONE)
    return sentences.best_rank(where, f"{models} {has}", rank, followed, test)


def _ranks_with_means(study: Study, family: Family) -> dict[str, str]:
    """Write average ranks by model, with mean scores where the ranks are of all data sets."""
    ranks = family.ranks
    if not ranks:
        # who leads is said by numbers of which the largest is the best
        ranks = {model: -rank for model, rank in lead_of(study, family).items()}
    texts = {}
    for model, rank in ranks.items():
        if math.isfinite(rank):
            texts[model] = fixed(rank, 2)
    of_all = {row.n for row in family.rows} == {len(study.datasets)} and not study.excluded
    if of_all and study.averages(family.metric):
        for line in ranking(study, family.metric, family.plan):
            if line.model in texts:
                mean = study.written(family.metric).quantity(line.mean)
                texts[line.model] += f"; {prose.mean_of(family.measure)} {mean}"
    return texts


# --- beside the main test


def _beside(study: Study, answer: Answer, family: Family) -> None:
    """Add what a family says that answers a narrower question: of the fitted models."""
    outcome = look(study, family)
    test = prose.title(family.entry, family.measure)
    evidence = prose.evidence(study, family)
    won = outcome.won or outcome.elsewhere
    answer.better += shared.better(study, won, test=f"; {test} on {evidence}")
    if not won and not outcome.open:
        answer.undecided.append(shared.undecided(study, family, outcome.undecided))
    elif not won:
        models = f"{capital(family.measure.title)} does"
        tested = f"{prose.extreme_p(outcome.open)}; {test}"
        answer.not_different.append(sentences.not_different(models, f"on {evidence}", tested))
    answer.of_seeds = of_seeds(outcome) or answer.of_seeds


def of_seeds(outcome: Outcome) -> str:
    """Say how much of the error of a comparison of training runs is due to the seeds."""
    row = outcome.family.between(outcome.leader, outcome.runner_up)
    if row is None or row.decision is Decision.UNDECIDED:
        return ""
    details = row.result.get("details", {})
    if "var_seeds" not in details:
        return ""
    # a component of variance may be estimated to be negative
    var_seeds = max(as_float(details["var_seeds"]), 0.0)
    var_rows = max(as_float(details["var_rows"]), 0.0)
    if var_seeds + var_rows == 0:
        return ""
    return sentences.of_seeds(f"{100 * var_seeds / (var_seeds + var_rows):.0f}%")

"""From a study to its verdict: by tests, against a control, for one model, or without tests."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bakeoff.comparisons import Comparison, Decision
from bakeoff.comparisons.advice import enough_datasets, over_datasets
from bakeoff.comparisons.plan_tests import notes as notes_on_runs
from bakeoff.report import prose
from bakeoff.report.family import Family, seen_from
from bakeoff.report.numbers import capital, count, fixed, p_equals, percent
from bakeoff.report.pairs_shown import tally
from bakeoff.report.ranking import Ranked, ranking
from bakeoff.report.study import TRUST, Study
from bakeoff.report.undeclared import notes, related_names
from bakeoff.report.verdict.beside import (
    against_constant,
    by_subgroup,
    failed,
    left_out,
    none_better,
    too_good,
)
from bakeoff.report.verdict.sentences import (
    Kind,
    Verdict,
    about_omnibus,
    about_runs,
    alike,
    by_other_metrics,
    costs,
    difference,
    equivalence,
    equivalents,
    fitted,
    headline,
    in_brackets,
    limits,
    look,
    not_shown,
    numbers,
    posterior,
    take_care,
    the,
    the_posterior,
)
from bakeoff.threads import on_one_thread

_MOST_NOTES = 3


@on_one_thread
def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    ranked = ranking(study)
    mains = study.mains
    first = mains[0] if mains else None
    if len(study.models) < 2:
        verdict = alone(study, ranked)
    elif first is None:
        verdict = without_tests(study, ranked)
    elif first.control:
        verdict = against_control(study, first)
    else:
        verdict = _from_tests(study, *mains)
    base, said, text = tuple(against_constant(study)), verdict.sentences, verdict.headline
    if top := none_better(study):
        # which of them is better is the second question then
        said, text = (*(() if study.several else base[:1]), text, *said), top
        base = base[1:]
    after = (*base, *too_good(study), *by_subgroup(study), *left_out(study), *_undeclared(study))
    return Verdict(verdict.kind, text, (*failed(study), *said, *study.told, *after))


def _undeclared(study: Study) -> Iterator[str]:
    """Say what looks like dependence, or like training runs, that nobody declared."""
    found = notes(study)
    for note in found[:_MOST_NOTES]:
        yield f"Note: {note.sentence}"
    if len(found) > _MOST_NOTES:
        yield f"The report has {count(len(found) - _MOST_NOTES, 'more note')} of this kind."
    more = (*notes_on_runs(study.experiment), *related_names(study))
    yield from (f"Note: {note}" for note in more)


def _from_tests(study: Study, first: Family, *narrower: Family) -> Verdict:
    outcome = look(study, first)
    kind, text = outcome.kind, headline(study, outcome)
    equal = equivalents(study)
    same = (f.dataset == first.dataset and f.metric == first.metric for f, _ in alike(equal))
    if len(study.models) == 2 and any(same):
        a, b = (study.name(m) for m in (outcome.leader, outcome.runner_up))
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
        *about_runs(outcome),
        *by_other_metrics(study, first),
    ]
    for second in narrower:
        if second.control:
            continue
        rows = look(study, second)
        sentences.append(fitted(study, rows, outcome))
        if second.entry.about == "recipes":
            sentences += about_runs(rows)
        else:
            sentences += about_omnibus(study, rows, "fitted models")
    sentences += costs(study, first, *narrower)
    return Verdict(kind, text, tuple(sentences))


_KINDS = {Decision.DIFFERENT: Kind.AGAINST_VALUE, Decision.UNDECIDED: Kind.UNDECIDED}


def alone(study: Study, ranked: list[Ranked]) -> Verdict:
    """Answer for a single model: what its most trustworthy test says, or its score."""
    model = study.name(study.models[0])
    tested = [family for family in study.families if family.role == "single"]
    tested.sort(key=lambda f: (f.metric != study.metric.name, TRUST.index(study.type1(f.entry))))
    if tested and study.several:
        return _alone_by_dataset(study, tested)
    if tested:
        row = tested[0].rows[0]
        headline = _headline(study, row)
        sentences = [sentence for family in tested for sentence in _numbers(study, family)]
        return Verdict(_KINDS.get(row.decision, Kind.CANNOT_TELL), headline, tuple(sentences))
    if not ranked:
        return Verdict(Kind.UNDECIDED, f"{model} has no complete set of scores.", ())
    line, shown = ranked[0], study.written()
    ci = f" ({percent(line.ci.confidence)} CI {shown.interval(*line.ci)})" if line.ci else ""
    trained = "" if study.several else prose.trained_on(study, study.datasets[0], study.plan)
    return Verdict(
        Kind.UNTESTED,
        "There is only one model, so there is nothing to compare.",
        (f"The {study.metric.title} of {model} is {shown.told(line.mean)}{ci}{trained}.",),
    )


def _headline(study: Study, row: Comparison) -> str:
    of = f"the {study.metrics[row.metric].title} of {study.name(row.model_a)}"
    if row.decision is Decision.DIFFERENT:
        return f"{capital(of)} is {prose.side_of(row)}."
    if row.decision is Decision.UNDECIDED:
        return f"It is undecided whether {of} {prose.asked_of(row)}."
    return f"The data do not show whether {of} {prose.asked_of(row)}."


def _numbers(study: Study, family: Family) -> Iterator[str]:
    row = family.rows[0]
    if row.decision is Decision.UNDECIDED:
        why = prose.why_undecided(row)
        where = prose.evidence(study, family)
        yield f"{capital(the(family.entry))} on {where} is undecided: {why}."
        return
    ci = f" ({prose.level_of(row)} {family.written.interval(row.ci_low, row.ci_high)})"
    shown = row.decision is Decision.DIFFERENT
    if shown:
        says = f"it is significantly {prose.side_of(row)} at the {percent(row.alpha)} level"
    else:
        says = f"the test does not show that it {prose.asked_of(row)}"
    yield (
        f"The {family.measure.title} is {family.written.told(row.estimate)}{ci}; {says}, "
        f"{p_equals(row.pvalue_adjusted)} {in_brackets(study, family)}."
    )
    if shown:
        yield from take_care(study, [family])


def _alone_by_dataset(study: Study, tested: list[Family]) -> Verdict:
    """Count the data sets on which the model differs from the value."""
    first = tested[0]
    found = [f.rows[0] for f in tested if (f.entry, f.metric) == (first.entry, first.metric)]
    sides = [prose.side_of(row) for row in found if row.decision is Decision.DIFFERENT]
    of = f"the {first.measure.title} of {study.name(study.models[0])}"
    counted = [f"{side} on {sides.count(side)}" for side in dict.fromkeys(sides)]
    rest = len(found) - len(sides)
    told = ", ".join([*counted, *([f"undecided or not shown on {rest}"] if rest else [])])
    headline = f"Of {count(len(found), 'data set')}, {of} is {told}."
    level = percent(found[0].alpha)
    sentence = f"This is what {the(first.entry)} says at the {level} level within each data set."
    return Verdict(Kind.AGAINST_VALUE if sides else Kind.CANNOT_TELL, headline, (sentence,))


NO_SCORES = Verdict(
    Kind.UNDECIDED, "No comparison is possible, because no model has a complete set of scores.", ()
)


def without_tests(study: Study, ranked: list[Ranked]) -> Verdict:
    """Answer from posteriors and equivalence, or from single data sets, or not at all."""
    if not ranked:
        return NO_SCORES
    equal = equivalents(study)
    best = ranked[0]
    sentences: list[str] = []
    if len(ranked) > 1:
        sentences += posterior(study, best.model, ranked[1].model)
    sentences += equivalence(study, equal)
    if sentences:
        kind, headline = _weigh(study, ranked)
        if equal and kind is Kind.UNTESTED and not study.several:
            family, rows = equal[0]
            kind, headline = Kind.EQUIVALENT, _within_margin(study, family, len(rows))
        return Verdict(kind, headline, tuple(sentences))
    if study.several:
        return _by_dataset(study, ranked)
    for family in study.families:
        if family.role == "pair" and family.metric == study.metric.name:
            return _nothing_shown(study, family)
    return Verdict(
        Kind.UNTESTED,
        _untested(study, ranked),
        (
            f"The best {study.metric.title} is {study.written().told(best.mean)}; no test of pairs "
            "was run, so differences may be due to chance.",
        ),
    )


def _within_margin(study: Study, family: Family, shown: int) -> str:
    """Say of how many pairs a test against a margin shows what it asks."""
    row, pairs, by = family.rows[0], len(family.rows), f"by {family.measure.title}"
    a, b = study.name(row.model_a), study.name(row.model_b)
    if pairs == 1:
        says = f"{a} and {b} are practically equivalent {by}"
        if family.noninferiority:
            says = f"{a} is not worse than {b} {by} by more than the margin"
        return f"{says}." if shown else f"It is not shown that {says}."
    if family.noninferiority:
        return (
            f"The first model is shown not to be worse {by} by more than the margin in {shown} of "
            f"{pairs} pairs of models."
        )
    return f"{shown} of {pairs} pairs of models are shown to be practically equivalent {by}."


def _nothing_shown(study: Study, family: Family) -> Verdict:
    """Answer where tests against a margin, or posteriors, are all there is, and show nothing."""
    row, names = family.rows[0], study.names(list(family.models))
    by, on = f"by {family.measure.title}", in_brackets(study, family)
    if all(row.status in prose.SAME for row in family.rows):
        text = f"{names} cannot be told apart {by}: their results are identical."
        return Verdict(Kind.SAME, text, (f"This is no evidence that they are equivalent {on}.",))
    decided = [one for one in family.rows if one.decision is not Decision.UNDECIDED]
    if not (decided and family.equivalence):
        text = f"The comparison of {names} {by} is undecided."
        return Verdict(Kind.UNDECIDED, text, (f"{capital(prose.why_undecided(row))} {on}.",))
    smallest = "the smallest " if len(family.rows) > 1 else ""
    p = p_equals(min(one.pvalue_adjusted for one in decided), prose.p_name(row))
    margin = family.written.gap(row.margin)
    sentence = f"For a difference within the margin of {margin}, {smallest}{p} {on}."
    return Verdict(Kind.CANNOT_TELL, _within_margin(study, family, 0), (sentence,))


def _untested(study: Study, ranked: list[Ranked]) -> str:
    several, first = study.several, ranked[0]
    best, by = study.name(first.model), study.metric.title
    tied = [line.model for line in ranked if round(line.rank - first.rank, 10) == 0]
    if len(tied) > 1:
        what = f"average rank by {by}" if several else by
        same = f"{study.names(tied)} have the same {what}"
        rest = ", the best" if len(tied) < len(ranked) else ""
        tests = "test over the data sets" if several else "test"
        return f"{same}{rest}, and no {tests} compares the models."
    if several:
        return f"{best} ranks best on average by {by}, but this was not tested."
    return f"{best} scores best by {by}, but no test compares it with the others."


def _weigh(study: Study, ranked: list[Ranked]) -> tuple[Kind, str]:
    """Turn a posterior into an answer, at the level of the experiment."""
    best = ranked[0]
    found = the_posterior(study, best.model, ranked[1].model) if len(ranked) > 1 else None
    if found is None:
        return Kind.UNTESTED, _untested(study, ranked)
    row = found[1]
    a, b, by = study.name(row.model_a), study.name(row.model_b), study.metric.title
    match row.decision:
        case Decision.A_BETTER:
            kind = Kind.WINNER if len(study.models) == 2 else Kind.PARTIAL
            return kind, f"{a} is probably better than {b} by {by}."
        case Decision.EQUIVALENT:
            return Kind.EQUIVALENT, f"{a} and {b} are probably practically equivalent by {by}."
        case Decision.B_BETTER:
            return (
                Kind.CONFLICT,
                f"The evidence conflicts: {a} scores best by {by}, but {b} is probably better.",
            )
    return Kind.CANNOT_TELL, f"The data do not show whether {a} or {b} is better by {by}."


def _by_dataset(study: Study, ranked: list[Ranked]) -> Verdict:
    """Count the data sets on which the best model wins, where no test spans them."""
    best, mean = ranked[0], ""
    if study.averages(study.metric.name):
        mean = f" and its {prose.mean_of(study.metric)} {study.written().told(best.mean)}"
    sentences = [
        f"Over {len(study.datasets)} data sets the average rank of {study.name(best.model)} is "
        f"{fixed(best.rank, 2)}{mean}; it is first on {count(best.wins, 'data set')}."
    ]
    if len(ranked) > 1:
        behind = (line.model for line in ranked if round(line.rank - best.rank, 10) > 0)
        sentences += _counted(study, best.model, next(behind, ranked[1].model))
    chance = "No test over data sets was run, so average differences may be due to chance"
    sentences.append(f"{chance}; {_advice(study)}.")
    return Verdict(Kind.UNTESTED, _untested(study, ranked), tuple(sentences))


def _advice(study: Study) -> str:
    """Name the test over data sets that is recommended, or say how many data sets it needs."""
    experiment, least = study.experiment, enough_datasets(study.experiment)
    units = len(experiment.tests.units(experiment.datasets))
    if units >= least:
        return f"the recommended test is {over_datasets(experiment).name}"
    level = percent(study.alpha)
    return f"a signed-rank test needs {least} of them to reach the {level} level, there are {units}"


def _counted(study: Study, leader: str, second: str) -> Iterator[str]:
    compared = [
        family
        for family in study.families
        if family.settles
        and family.dataset
        and family.metric == study.metric.name
        and family.between(leader, second)
    ]
    if not compared:
        return
    entry = compared[0].entry
    says = tally([family for family in compared if family.entry is entry], leader, second)
    won, lost = says["a_better"], says["b_better"]
    yield (
        f"Data set by data set, {the(entry)} calls {study.name(leader)} better than "
        f"{study.name(second)} on {won}, worse on {lost}, and cannot tell on "
        f"{says.total() - won - lost}."
    )


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

"""The answer where no test of pairs settles it: posteriors, single data sets, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.comparisons import Comparison, Decision, advisable
from bakeoff.report import prose
from bakeoff.report.numbers import count, percent, score
from bakeoff.report.ranking import Ranked
from bakeoff.report.study import Study
from bakeoff.report.verdict.further_tests import equivalence, equivalents, posterior, the_posterior
from bakeoff.report.verdict.kind import Kind, Verdict
from bakeoff.report.verdict.wording import name, names, the

NO_SCORES = Verdict(Kind.UNDECIDED, "Undecided: no model has a complete set of scores.", ())


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
        if equal and kind is Kind.UNTESTED and len(study.datasets) == 1:
            kind, headline = Kind.EQUIVALENT, "Some models are practically equivalent."
        return Verdict(kind, headline, tuple(sentences))
    if len(study.datasets) > 1:
        return _by_dataset(study, ranked)
    return Verdict(
        Kind.UNTESTED,
        _untested(study, ranked),
        (
            f"The best {study.metric.title} is {score(best.mean)}; whether a difference is chance "
            "cannot be told without a test of pairs.",
        ),
    )


def _untested(study: Study, ranked: list[Ranked]) -> str:
    several, first = len(study.datasets) > 1, ranked[0]
    best, by = name(study, first.model), study.metric.title
    tied = [line.model for line in ranked if round(line.rank - first.rank, 10) == 0]
    if len(tied) > 1:
        what = f"average rank by {by}" if several else by
        same = f"{names(study, tied)} have the same {what}"
        rest = ", the best" if len(tied) < len(ranked) else ""
        tests = "test over the data sets" if several else "test"
        return f"{same}{rest}, and no {tests} compares the models."
    if several:
        return f"{best} ranks best on average by {by}, which is not yet tested."
    return f"{best} scores best by {by}, but no test compares it with the others."


def _weigh(study: Study, ranked: list[Ranked]) -> tuple[Kind, str]:
    """Turn a posterior into an answer, at the level of the experiment."""
    best = ranked[0]
    found = the_posterior(study, best.model, ranked[1].model) if len(ranked) > 1 else None
    if found is None:
        return Kind.UNTESTED, _untested(study, ranked)
    row = found[1]
    a, b, by = name(study, row.model_a), name(study, row.model_b), study.metric.title
    match row.decision:
        case Decision.A_BETTER:
            kind = Kind.WINNER if len(study.models) == 2 else Kind.PARTIAL
            return kind, f"{a} is probably better than {b} by {by}."
        case Decision.EQUIVALENT:
            return Kind.EQUIVALENT, f"{a} and {b} are probably practically equivalent by {by}."
        case Decision.B_BETTER:
            return (
                Kind.CONFLICT,
                f"The evidence conflicts: {a} scores best by {by}, yet {b} is probably better.",
            )
    return Kind.CANNOT_TELL, f"Cannot tell whether {a} or {b} is better by {by}."


def _by_dataset(study: Study, ranked: list[Ranked]) -> Verdict:
    """Count the data sets on which the best model wins, where no test spans them."""
    best = ranked[0]
    sentences = [
        f"Over {len(study.datasets)} data sets the average rank of {name(study, best.model)} is "
        f"{best.rank:.2f} and its {prose.mean_of(study.metric)} {score(best.mean)}; it is first on "
        f"{count(best.wins, 'data set')}."
    ]
    if len(ranked) > 1:
        behind = (line.model for line in ranked if round(line.rank - best.rank, 10) > 0)
        sentences += _counted(study, best.model, next(behind, ranked[1].model))
    chance = "No test over data sets was run: differences on average may be chance"
    sentences.append(f"{chance}, and {_advice(study)}.")
    return Verdict(Kind.UNTESTED, _untested(study, ranked), tuple(sentences))


def _advice(study: Study) -> str:
    """Name the tests over data sets that could tell, were one model ahead on all of them."""
    names = ("friedman_posthoc", "wilcoxon_signed_rank")[len(study.models) == 2 :]
    could, n = advisable(names, study.experiment), len(study.datasets)
    if could:
        return f"adding one (such as {' or '.join(could)}) would tell"
    return (
        f"no test could tell: with {count(n, 'data set')} even a lead on all of them is not "
        f"significant at the {percent(study.alpha)} level"
    )


def _counted(study: Study, leader: str, second: str) -> Iterator[str]:
    per_test: dict[str, list[Comparison]] = {}
    titles = {}
    for family in study.families:
        row = family.between(leader, second) if family.settles and family.dataset else None
        if row is not None and family.metric == study.metric.name:
            per_test.setdefault(family.entry.name, []).append(row)
            titles[family.entry.name] = the(family.entry)
    for test, rows in list(per_test.items())[:1]:
        won = sum(row.decision is Decision.A_BETTER for row in rows)
        lost = sum(row.decision is Decision.B_BETTER for row in rows)
        yield (
            f"Data set by data set, {titles[test]} calls {name(study, leader)} better than "
            f"{name(study, second)} on {won}, worse on {lost}, and cannot tell on "
            f"{len(rows) - won - lost}."
        )

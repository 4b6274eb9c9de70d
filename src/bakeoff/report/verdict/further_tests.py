"""What other tests add to the main one: equivalence, posteriors, costs, the fitted models."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import p_equals, probability, words
from bakeoff.report.study import Study
from bakeoff.report.verdict.outcome import Outcome, look
from bakeoff.report.verdict.sentences import by_how_much
from bakeoff.report.verdict.wording import name, names, the, title
from bakeoff.stats import Evidence

Equivalent = tuple[Family, list[Comparison]]


def equivalents(study: Study) -> list[Equivalent]:
    """List what is shown to be equivalent, by test, metric and data set."""
    found = []
    for family in study.families:
        rows = [row for row in family.rows if row.decision is Decision.EQUIVALENT]
        if family.equivalence and rows:
            found.append((family, rows))
    return found


def equivalence(study: Study, found: list[Equivalent]) -> Iterator[str]:
    """Say which models differ by less than the margin, and on how many data sets."""
    by_test: dict[str, list[Equivalent]] = {}
    for family, rows in found:
        by_test.setdefault(family.entry.name, []).append((family, rows))
    for of_test in by_test.values():
        family, rows = of_test[0]
        row = rows[0]
        margin = f"the margin of {prose.gap(row.margin, family.measure)}"
        if not family.dataset or len(study.datasets) == 1:
            pairs = words(
                [_pair(study, row, "and" if len(rows) == 1 else "with") for row in rows], 3
            )
            largest = "" if len(rows) == 1 else "largest "
            p = p_equals(max(row.pvalue_adjusted for row in rows), prose.p_name(row))
            yield (
                f"{pairs} are shown to differ by less than {margin} ({title(family.entry)}, "
                f"{largest}{p}, about {prose.about(family)})."
            )
            continue
        where = [f"{study.dataset_label(f.dataset)} ({len(r)})" for f, r in of_test]
        yield (
            f"Data set by data set, {the(family.entry)} shows that pairs of models differ by less "
            f"than {margin} on {len(of_test)} of {len(study.datasets)} data sets (with the number "
            f"of pairs: {words(where)}; about {prose.about(family)})."
        )


def _pair(study: Study, row: Comparison, between: str) -> str:
    return f"{name(study, row.model_a)} {between} {name(study, row.model_b)}"


def the_posterior(study: Study, leader: str, runner_up: str) -> tuple[Family, Comparison] | None:
    """Find what a Bayesian test says of two models, as the first one sees it."""
    wanted = "" if len(study.datasets) > 1 else study.datasets[0]
    for family in study.families:
        if family.bayesian and family.dataset == wanted and family.metric == study.metric.name:
            row = family.between(leader, runner_up)
            if row is not None and row.decision is not Decision.UNDECIDED:
                return family, row
    return None


def posterior(study: Study, leader: str, runner_up: str) -> Iterator[str]:
    """Give the posterior probabilities of the two best, where a Bayesian test ran."""
    found = the_posterior(study, leader, runner_up)
    if found is None:
        return
    family, row = found
    within = (
        f", that they differ by no more than {prose.gap(row.rope, family.measure)} "
        f"{probability(row.p_equivalent)}"
        if row.rope > 0
        else ""
    )
    yield (
        f"The posterior probability that {name(study, leader)} is better than "
        f"{name(study, runner_up)} is {probability(row.p_a_better)}{within}, that it is worse "
        f"{probability(row.p_b_better)} ({title(family.entry)} on {prose.evidence(study, family)})."
    )


def costs(study: Study, *told: Family | None) -> Iterator[str]:
    """Say what the test of costs says, unless it was told already; with one data set."""
    for family in study.families:
        if len(study.datasets) > 1 or family in told or not family.settles:
            continue
        if family.entry.evidence is not Evidence.LABELS or family.control:
            continue
        o = look(study, family)
        row = family.between(o.leader, o.behind) if o.behind else None
        if row is None or row.decision is Decision.UNDECIDED:
            continue
        p = p_equals(row.pvalue_adjusted, prose.p_name(row))
        says = "that is shown" if row.decision is Decision.A_BETTER else "that may be chance"
        yield (
            f"By the given costs: {_lower(by_how_much(study, o))} {says.capitalize()}, {p} "
            f"({title(family.entry)})."
        )
        return


def _lower(text: str) -> str:
    return text[0].lower() + text[1:] if text.startswith("The ") else text


def fitted(study: Study, o: Outcome, first: Outcome) -> str:
    """Add what the held-out rows say of the fitted models."""
    row = o.family.rows[0]
    where = "" if len(study.datasets) == 1 else f" of {study.dataset_label(o.family.dataset)}"
    start = f"As for the models fitted once and tested on {row.n:,} held-out rows{where}"
    leader = name(study, o.leader)
    others = words([name(study, m) for m in o.others if m not in o.tied] or ["none"])
    by = o.family.measure.title
    better, most = (text.format(by=by) for text in _SAYS[o.family.entry.evidence])
    also = "also " if o.leader == first.leader and o.kind is first.kind else ""
    match o.kind.value:
        case "winner":
            text = f"{leader} {also}{better} {others}"
        case "partial":
            beaten = words([name(study, r.model_b) for r in o.beaten])
            level = names(study, [o.leader, *o.tied])
            text = f"{level} have the same results, and " if o.tied else ""
            text += f"{leader} {better} {beaten}"
            if len(o.others) > len(o.tied):
                text += f"; that it {better} {others} is not shown"
        case "same":
            text = "their results are the same, so nothing tells them apart"
        case "undecided":
            text = "the test is undecided"
        case "conflict":
            text = f"{leader} {most}, yet {others} is called better"
        case "others":
            text = f"{leader} {most}, but is not shown to be better than any other"
        case _:
            return f"{start}: {the(o.family.entry)} cannot tell them apart."
    return f"{start}: {text} ({title(o.family.entry)})."


_SAYS = {
    Evidence.CORRECTNESS: ("is better than", "is right most often"),
    Evidence.LABELS: ("costs less than", "costs least"),
    Evidence.PROBABILITIES: ("ranks the rows better than", "ranks the rows best"),
    Evidence.PREDICTIONS: ("is better by {by} than", "is best by {by}"),
    Evidence.VALUES: ("is better by {by} than", "is best by {by}"),
}

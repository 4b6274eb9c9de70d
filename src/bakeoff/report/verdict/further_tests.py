"""What other tests and other metrics add to the main test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.family import Family, seen_from
from bakeoff.report.numbers import p_equals, percent, probability, words
from bakeoff.report.study import Study
from bakeoff.report.verdict.outcome import Outcome, look
from bakeoff.report.verdict.sentences import by_how_much
from bakeoff.report.verdict.wording import the, title
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


def alike(found: list[Equivalent]) -> list[Equivalent]:
    """Keep what is shown to be equivalent both ways, and not only to be no worse."""
    return [(family, rows) for family, rows in found if not prose.one_sided(rows[0])]


def equivalence(study: Study, found: list[Equivalent]) -> Iterator[str]:
    """Say which models differ by less than the margin, and on how many data sets."""
    by_test: dict[str, list[Equivalent]] = {}
    for family, rows in found:
        by_test.setdefault(family.entry.name, []).append((family, rows))
    for of_test in by_test.values():
        family, rows = of_test[0]
        row = rows[0]
        margin = f"the margin of {family.written.gap(row.margin)}"
        if not family.dataset or not study.several:
            pairs = words(
                [_pair(study, row, "and" if len(rows) == 1 else "with") for row in rows], 3
            )
            largest = "" if len(rows) == 1 else "largest "
            p = p_equals(max(row.pvalue_adjusted for row in rows), prose.p_name(row))
            text = f"{pairs} are shown to differ by less than {margin}"
            if prose.one_sided(row):
                pairs = words([_pair(study, row, "against") for row in rows], 3)
                text = f"The first model is shown not to be worse by {margin}: {pairs}"
            yield f"{text} ({title(family.entry)}, {largest}{p}, about {prose.about(family)})."
            continue
        says = "pairs of models differ"
        if prose.one_sided(row):
            says = "the first model of a pair is worse, if at all,"
        where = [f"{study.dataset_label(f.dataset)} ({len(r)})" for f, r in of_test]
        yield (
            f"Data set by data set, {the(family.entry)} shows that {says} by less than {margin} on "
            f"{len(of_test)} of {len(study.datasets)} data sets (with the number of pairs: "
            f"{words(where)}; about {prose.about(family)})."
        )


def _pair(study: Study, row: Comparison, between: str) -> str:
    return f"{study.name(row.model_a)} {between} {study.name(row.model_b)}"


def the_posterior(study: Study, leader: str, runner_up: str) -> tuple[Family, Comparison] | None:
    """Find what a Bayesian test says of two models, as the first one sees it."""
    wanted = "" if study.several else study.datasets[0]
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
    a, b = study.name(leader), study.name(runner_up)
    told = [f"{probability(row.p_a_better)} that {a} is better than {b}"]
    if row.rope > 0:
        rope = family.written.gap(row.rope)
        told.append(f"{probability(row.p_equivalent)} that they differ by no more than {rope}")
    told.append(f"{probability(row.p_b_better)} that {a} is worse")
    on = f"{title(family.entry)} on {prose.evidence(study, family)}"
    yield f"The posterior probabilities are {words(told)} ({on})."


def costs(study: Study, *told: Family | None) -> Iterator[str]:
    """Say what the test of costs says, unless it was told already; with one data set."""
    for family in study.families:
        if study.several or family in told or not family.settles:
            continue
        if family.entry.evidence is not Evidence.COSTED_LABELS or family.control:
            continue
        o = look(study, family)
        row = family.between(o.leader, o.behind) if o.behind else None
        if row is None or row.decision is Decision.UNDECIDED:
            continue
        p = p_equals(row.pvalue_adjusted, prose.p_name(row))
        shown = row.decision is Decision.A_BETTER
        says = "is significant" if shown else "may be due to chance"
        gap = by_how_much(study, o)
        gap = f"t{gap[1:]}" if gap.startswith("The ") else gap
        yield (f"By the given costs, {gap} This difference {says}, {p} ({title(family.entry)}).")
        return


def fitted(study: Study, o: Outcome, first: Outcome) -> str:
    """Add what the held-out rows say of the fitted models."""
    row = o.family.rows[0]
    where = "" if not study.several else f" of {study.dataset_label(o.family.dataset)}"
    fits = "the models fitted once"
    if o.family.entry.about == "recipes":
        fits = f"models trained again with other seeds ({prose.runs_of(o.family)})"
    start = f"For {fits} and tested on {row.n:,} held-out rows{where}"
    leader = study.name(o.leader)
    others = words([study.name(m) for m in o.others if m not in o.tied] or ["none"])
    by = o.family.measure.title
    better, most = (text.format(by=by) for text in _SAYS[o.family.entry.evidence])
    also = "also " if o.leader == first.leader and o.kind is first.kind else ""
    match o.kind.value:
        case "winner":
            text = f"{leader} {also}{better} {others}"
        case "partial":
            beaten = words([study.name(r.model_b) for r in o.beaten])
            level = study.names([o.leader, *o.tied])
            text = f"{level} have the same results, and " if o.tied else ""
            text += f"{leader} {better} {beaten}"
            if len(o.others) > len(o.tied):
                text += f"; it is not shown that {leader} {better} {others}"
        case "same":
            text = "their results are identical"
        case "undecided":
            text = "the test is undecided"
        case "conflict":
            text = f"{leader} {most}, but {others} is significantly better"
        case "others":
            text = f"{leader} {most}, but is not shown to be better than any other model"
        case _:
            return f"{start}, {the(o.family.entry)} does not show a difference."
    return f"{start}, {text} ({title(o.family.entry)})."


_SAYS = {
    Evidence.CORRECTNESS: ("is better than", "is right most often"),
    Evidence.COSTED_LABELS: ("costs less than", "costs least"),
    Evidence.PROBABILITIES: ("ranks the rows better than", "ranks the rows best"),
    Evidence.PREDICTIONS: ("is better by {by} than", "is best by {by}"),
    Evidence.VALUES: ("is better by {by} than", "is best by {by}"),
    Evidence.RUNS: ("is better by {by} than", "is best by {by}"),
    Evidence.RUN_VALUES: ("is better by {by} than", "is best by {by}"),
}


Findings = dict[tuple[str, str], Comparison]
_MOST_PAIRS = 3


def by_other_metrics(study: Study, first: Family) -> Iterator[str]:
    """Say by which other metrics the answer differs from that of the test that decides."""
    families = [found for m in study.experiment.metrics if (found := _family(study, first, m))]
    # what errors cost has a sentence of its own, and a metric that jumps has no test
    others = {
        f.metric: f
        for f in families
        if f.metric != first.metric
        and f.entry.evidence is not Evidence.COSTED_LABELS
        and f.measure.smooth
    }
    decided = _found(first)
    new = {
        metric: own
        for metric, family in others.items()
        if (own := {k: row for k, row in _found(family).items() if k not in decided})
    }
    if new:
        told = (_told(study, first, others[metric], own) for metric, own in new.items())
        yield f"Other metrics give other answers: {'; '.join(told)}."
    lacking = [
        family.measure.title
        for metric, family in others.items()
        if metric not in new and not decided.keys() <= _found(family).keys()
    ]
    if new:
        yield _corrected(study, len(others) + 1, new)
    if lacking:
        by, also = first.measure.title, f"significant by {words(lacking)}"
        if len(decided) == 1:
            yield f"The difference is not {also}."
        else:
            yield f"Not all significant differences by {by} are also {also}."


def _family(study: Study, first: Family, metric: str) -> Family | None:
    """Find what compares the models by a metric: the same test, else the most trustworthy one."""
    where = first.dataset, first.plan, metric
    same = (
        f
        for f in study.of_test(first.entry.name)
        if (f.evidence, f.follows) == (where, first.follows)
    )
    return next(same, None) or study.by_metric(metric, first.dataset)


def _found(family: Family) -> Findings:
    """Map winner and loser to the comparison that shows which is which, seen from the winner."""
    found = {}
    for row in family.rows:
        if row.decision in (Decision.A_BETTER, Decision.B_BETTER):
            won = row.model_a if row.decision is Decision.A_BETTER else row.model_b
            seen = seen_from(row, won)
            found[seen.model_a, seen.model_b] = seen
    return found


def _told(study: Study, first: Family, family: Family, found: Findings) -> str:
    rows = list(found.values())
    pairs = [f"{study.name(r.model_a)} is better than {study.name(r.model_b)}" for r in rows]
    worst = p_equals(max(row.pvalue_adjusted for row in rows), prose.p_name(rows[0]))
    by = f" by {prose.gap_of(family, rows[0].estimate)}" if len(rows) == 1 else ""
    largest = "largest " if len(rows) > 1 else ""
    test = "" if family.entry is first.entry else f", {title(family.entry)}"
    told = words(pairs, _MOST_PAIRS)
    return f"by {family.measure.title} {told}{by} ({largest}{worst}{test})"


def _corrected(study: Study, metrics: int, new: dict[str, Findings]) -> str:
    """Say that nothing is corrected for the number of metrics, and what would remain if it were."""
    rows = list(chain.from_iterable(found.values() for found in new.values()))
    kept = sum(row.pvalue_adjusted * metrics <= row.alpha for row in rows)
    if len(rows) == 1:
        what = f"this finding {'remains' if kept else 'does not remain'}"
    elif kept == len(rows):
        what = f"{'both' if kept == 2 else f'all {kept}'} findings remain"
    else:
        what = (
            f"{kept or 'none'} of these {len(rows)} findings {'remains' if kept < 2 else 'remain'}"
        )
    return (
        f"The p-values are not corrected for the {metrics} metrics; after a Bonferroni correction "
        f"for them {what} significant at the {percent(study.alpha)} level."
    )

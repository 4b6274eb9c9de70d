"""What the other metrics of an experiment say, where they say something else than the first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.family import Family, seen_from
from bakeoff.report.numbers import p_equals, percent, words
from bakeoff.report.study import Study
from bakeoff.report.verdict.wording import name, title
from bakeoff.stats import Evidence

Findings = dict[tuple[str, str], Comparison]
_MOST_PAIRS = 3


def by_other_metrics(study: Study, first: Family) -> Iterator[str]:
    """Say by which other metrics the answer differs from that of the test that decides.

    Parameters
    ----------
    study : Study
        What is reported.
    first : Family
        The comparisons that the headline is about.
    """
    families = [found for m in study.experiment.metrics if (found := _family(study, first, m))]
    # what errors cost has a sentence of its own
    others = {
        f.metric: f
        for f in families
        if f.metric != first.metric and f.entry.evidence is not Evidence.LABELS
    }
    decided = _found(first)
    new = {
        metric: own
        for metric, family in others.items()
        if (own := {k: row for k, row in _found(family).items() if k not in decided})
    }
    if new:
        told = (_told(study, first, others[metric], own) for metric, own in new.items())
        yield f"By other metrics the answer differs: {'; '.join(told)}."
    lacking = [
        family.measure.title
        for metric, family in others.items()
        if metric not in new and not decided.keys() <= _found(family).keys()
    ]
    if new:
        yield _corrected(study, len(others) + 1, new)
    if lacking:
        which = "The difference" if len(decided) == 1 else "Not every difference"
        verb = "is not shown" if len(decided) == 1 else "is shown"
        yield f"{which} that {first.measure.title} shows {verb} by {words(lacking)}."


def _family(study: Study, first: Family, metric: str) -> Family | None:
    """Find what compares the models by a metric: the same test, else the most trustworthy one."""
    same = (
        f
        for f in study.families
        if f.metric == metric
        and (f.entry, f.dataset, f.plan, f.follows)
        == (first.entry, first.dataset, first.plan, first.follows)
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
    pairs = [f"{name(study, r.model_a)} is better than {name(study, r.model_b)}" for r in rows]
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
        what = f"this one {'remains' if kept else 'does not remain'}"
    else:
        what = (
            f"{kept or 'none'} of these {len(rows)} findings {'remains' if kept < 2 else 'remain'}"
        )
    return (
        f"The p-values are not corrected for the {metrics} metrics; after a Bonferroni correction "
        f"for them {what} significant at the {percent(study.alpha)} level."
    )

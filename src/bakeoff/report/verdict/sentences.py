"""The sentences on the main test: by how much, how sure, on what evidence, with which cautions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from bakeoff.comparisons import Comparison, Decision
from bakeoff.comparisons.cautions import inflation, measured, of_task, rates_by
from bakeoff.comparisons.trials import remedies, smallest_pvalue
from bakeoff.report import prose
from bakeoff.report.family import Family, as_float
from bakeoff.report.numbers import count, fixed, p_equals, percent, pvalue, words
from bakeoff.report.power import detectable
from bakeoff.report.ranking import ranking, without_noise
from bakeoff.report.study import Study
from bakeoff.report.verdict.outcome import BEST, Outcome, standing
from bakeoff.report.verdict.wording import Kind, the, title
from bakeoff.scores import METRICS, Need
from bakeoff.spec.learners import LEARNERS, REGRESSION
from bakeoff.stats import Entry, Evidence, TypeOneError, catalogue


def numbers(study: Study, o: Outcome) -> Iterator[str]:
    """Say by how much, how sure and on what evidence."""
    where = prose.evidence(study, o.family)
    if o.kind is Kind.UNDECIDED:
        whom = "The comparison" if len(o.family.models) == 2 else "Each comparison"
        unable = _unable(study, o.family, o.undecided[0])
        why = "." if unable else f": {prose.why_undecided(o.undecided[0])}."
        yield f"{whom} by {the(o.family.entry)} on {where} is undecided{why}"
        if unable:
            yield unable
        return
    if o.kind is Kind.SAME:
        two = len(o.family.models) == 2
        whom = "both models" if two else f"{study.name(o.leader)} and the others"
        yield (
            f"On {where} the results of {whom} by {o.family.measure.title} are identical, so there "
            "is nothing to test. This does not prove that they are equal."
        )
        return
    yield by_how_much(study, o)
    yield _how_sure(study, o)
    if different := tuple(row for row in o.open if row.status not in prose.SAME):
        yield limits(study, o.family, different)
    if o.undecided:
        whom = study.names([row.model_b for row in o.undecided])
        yield f"Against {whom} the test is undecided: {prose.why_undecided(o.undecided[0])}."
    if o.beaten or o.lost or o.elsewhere:
        yield from take_care(study, [o.family])


def by_how_much(study: Study, o: Outcome) -> str:
    """Compare the leader with the next best."""
    family, a, b = o.family, o.leader, o.runner_up
    if not family.dataset:
        return _over_datasets(study, o)
    title = family.measure.title
    if o.tied:
        return _by_how_much_together(study, o)
    row = family.between(a, b)
    if row is None or math.isnan(row.estimate):
        return f"{study.name(a)} has the best {title}."
    if row.estimate < 0:
        return (
            f"By the mean of all folds {study.name(a)} has the best {title}, but by the test's "
            f"own estimate {study.name(b)} is ahead by {prose.gap_with_interval(row, family)}."
        )
    more = ", the next best" if len(family.models) > 2 else ""
    return difference(study, family, row, more + _ahead_on(family, row))


def _by_how_much_together(study: Study, o: Outcome) -> str:
    """Compare models with equal scores with the best of the others."""
    metric = o.family.measure
    start = f"The {metric.title} of {study.names([o.leader, *o.tied])} is the same"
    row = o.family.between(o.leader, o.behind) if o.behind else None
    if row is None or math.isnan(row.estimate):
        return f"{start}."
    ahead = prose.gap_with_interval(row, o.family)
    return f"{start}, {ahead} {prose.better(metric)} than that of {study.name(o.behind)}."


def difference(study: Study, family: Family, row: Comparison, more: str = "") -> str:
    """Say by how much A scores better than B."""
    metric = family.measure
    a, b = study.name(row.model_a), study.name(row.model_b)
    if not without_noise(study, family.metric, family.plan, row.estimate):
        return f"The {metric.title} of {a} and {b} is the same."
    if family.written.gap(row.estimate) == family.written.gap(0.0):
        return (
            f"The {metric.title} of {a} is {prose.better(metric)} than that of {b}{more}, by less "
            "than the digits shown."
        )
    means = {line.model: line.mean for line in ranking(study, family.metric, family.plan)}
    mean = ""
    if row.model_a in means:
        trained = prose.trained_on(study, family.dataset, family.plan)
        mean = f" ({family.written.told(means[row.model_a])}{trained})"
    comparative = f"{prose.better(metric)} than that of {b}"
    ahead = prose.gap_with_interval(row, family)
    return f"The {metric.title} of {a}{mean} is {ahead} {comparative}{more}."


def _over_datasets(study: Study, o: Outcome) -> str:
    """Give the ranks that the test compares, or else those of the mean scores."""
    family, metric = o.family, o.family.measure
    where, leader = prose.evidence(study, family), study.name(o.leader)
    lines = {line.model: line for line in ranking(study, family.metric, family.plan)}
    own = standing(study, family)
    ranks = family.ranks or {model: -rank for model, rank in own.items() if math.isfinite(rank)}
    if o.leader not in ranks:
        return f"Over {where} {leader} leads by {prose.unit(family)}."
    used = {row.n for row in family.rows}
    where = where if len(used) == 1 else study.counted_datasets()
    complete = used == {len(study.datasets)} and not study.excluded
    complete = complete and study.averages(family.metric)
    scores = study.written(family.metric)

    def told(model: str, mean: str = "") -> str:
        scored = f"; {mean}{scores.told(lines[model].mean)}" if complete and model in lines else ""
        return f"({fixed(ranks[model], 2)}{scored})"

    if o.tied:
        level = study.names([o.leader, *o.tied])
        text = f"Over {where} {level} have the same average rank ({fixed(ranks[o.leader], 2)})"
    else:
        text = f"Over {where} {leader} has the best average rank "
        text += told(o.leader, f"{prose.mean_of(metric)} ")
    if o.behind in ranks:
        text += f", followed by {study.name(o.behind)} {told(o.behind)}"
    return text + "."


def _ahead_on(family: Family, row: Comparison) -> str:
    """Say on how many folds A is ahead, for tests that give no interval."""
    found = row.result.get("details", {}).get("differences")
    if found is None or not math.isnan(row.ci_low):
        return ""
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    ahead = values < 0 if family.turned(row.model_a, row.model_b) else values > 0
    return f" (ahead on {int(ahead.sum())} of {len(values)} folds)"


def in_brackets(study: Study, family: Family) -> str:
    """Name the test, its evidence, its side and its correction."""
    row = family.rows[0]
    side = "" if row.alternative == "two-sided" else ", one-sided"
    corrected = f", {prose.correction(family)}" if row.family_size > 1 else ""
    return f"({title(family.entry)} on {prose.evidence(study, family)}{side}{corrected})"


def _how_sure(study: Study, o: Outcome) -> str:
    on, called = in_brackets(study, o.family), prose.p_name(o.family.rows[0])
    if o.lost:
        row = o.lost[0]
        return (
            f"However, {study.name(row.model_b)} is significantly better, "
            f"{p_equals(row.pvalue_adjusted, called)} {on}. Check the single scores before "
            "trusting either result."
        )
    if o.beaten:
        worst = p_equals(max(row.pvalue_adjusted for row in o.beaten), called)
        whom = study.names([row.model_b for row in o.beaten])
        better = BEST[o.family.entry.evidence is Evidence.COSTED_LABELS][1]
        bound = worst if len(o.beaten) == 1 else f"largest {worst}"
        return (
            f"{study.name(o.leader)} is significantly {better} than {whom} at the "
            f"{percent(o.family.rows[0].alpha)} level, {bound} {on}.{prose.disagreement(o.beaten)}"
        )
    apart = tuple(row for row in o.open if row.model_b not in o.tied)
    open_ones = apart or o.open
    said = not_shown(study, o.family, open_ones) + prose.disagreement(open_ones)
    return said + _elsewhere(study, o)


def not_shown(study: Study, family: Family, rows: tuple[Comparison, ...]) -> str:
    """Say that open comparisons may be chance, or that nobody asked for their direction."""
    best = min(rows, key=lambda row: row.pvalue_adjusted)
    smallest = "smallest " if len(rows) > 1 else ""
    p = f"{smallest}{p_equals(best.pvalue_adjusted, prose.p_name(best))}"
    on = in_brackets(study, family)
    if best.alternative == "two-sided" and len(rows) > 1:
        a, b = study.name(best.model_a), study.name(best.model_b)
        return f"No model is shown to differ from {a}: {p}, for {b} {on}."
    if best.alternative == "two-sided":
        there_is_one = without_noise(study, family.metric, family.plan, best.estimate)
        says = "This difference may be due to chance" if there_is_one else "No difference is shown"
        return f"{says}: {p} {on}."
    asked = []
    for row in rows:
        first = row.alternative == "greater"
        pair = (row.model_a, row.model_b) if first else (row.model_b, row.model_a)
        asked.append(" is better than ".join(study.name(model) for model in pair))
    shown = "this is not shown" if len(rows) == 1 else "none of these is shown"
    return f"The one-sided test asked only whether {words(asked, 3)}; {shown}: {p} {on}."


def _elsewhere(study: Study, o: Outcome) -> str:
    if not o.elsewhere:
        return ""
    pairs = []
    for row in sorted(o.elsewhere, key=lambda row: row.pvalue_adjusted):
        won = row.decision is Decision.A_BETTER
        winner, loser = (row.model_a, row.model_b) if won else (row.model_b, row.model_a)
        pairs.append(f"{study.name(winner)} is better than {study.name(loser)}")
    return f" By the same test {words(pairs, 3)}."


def limits(study: Study, family: Family, rows: tuple[Comparison, ...]) -> str:
    """Say what difference would have been missed, or that none could have been shown."""
    if unable := _unable(study, family, rows[0]):
        return unable
    sizes = [size for row in rows if not math.isnan(size := detectable(family, row))]
    if not sizes:
        return "A difference that is not shown may still exist."
    if math.isinf(max(sizes)):
        return (
            "With these data even the largest possible difference would probably not be detected."
        )
    missed = prose.gap_of(family, max(sizes))
    return f"With these data a true difference below {missed} would probably not be detected."


def _unable(study: Study, family: Family, row: Comparison) -> str:
    """Say that no result could have been significant, and what would help; empty where one could.

    Too few groups or data sets for so many pairs: more rows of the same groups do not help.
    """
    models = {model: study.experiment.models[model] for model in family.models}
    compared = study.experiment.model_copy(update={"models": models})
    size = prose.size_of(study, row) if family.entry.evidence.on_rows else None
    test = study.analysis[family.entry.name]
    smallest = smallest_pvalue(test, compared, size)
    if smallest <= row.alpha:
        return ""
    few = ""
    if size is not None and size.times:
        in_blocks = "groups" in family.entry.options
        blocks = f" in {count(size.times, 'block')} of time"
        few = blocks if in_blocks else f" at {count(size.times, 'time')}"
    elif size is not None and size.groups:
        few = f" in {count(size.groups, 'group')}"
    if row.family_size > 1:
        few += f" with {row.family_size} comparisons"
    called = "adjusted p-value" if row.family_size > 1 else "p-value"
    helping = remedies(test, compared, size)
    return (
        f"No result could have been significant: the smallest possible {called}{few} is "
        f"{pvalue(smallest)}, above {row.alpha:g}."
        + (f" Remedies: {helping}." if helping else "")
        + (" More rows of the same groups do not help." if size and size.groups else "")
    )


def about_omnibus(study: Study, o: Outcome, what: str = "models") -> Iterator[str]:
    """Say where the test of all models at once and its pairs part ways."""
    row = study.omnibus(o.family)
    if row is None or row.decision is Decision.UNDECIDED:
        return
    all_at_once = f"{catalogue()[row.test].title}, {p_equals(row.pvalue)}"
    pairs = o.beaten or o.lost or o.elsewhere
    if row.decision is Decision.DIFFERENT and not pairs:
        unable = _unable(study, o.family, o.family.rows[0])
        yield (
            f"The omnibus test finds that the {what} differ ({all_at_once}), but no single pair is "
            f"shown to differ{'.' if unable else ': more data are needed to identify it.'}"
        )
    elif row.decision is Decision.NOT_SHOWN and pairs:
        yield (
            f"The omnibus test of all models is not significant ({all_at_once}), so the finding "
            "rests on the pairwise tests alone and is tentative."
        )


def assumed(family: Family) -> str:
    """Say in one line with which learners a test rejects too often; empty where with none."""
    parts = []
    known = METRICS.get(family.metric)
    numbers = known is not None and known.needs is Need.NUMBERS
    for kind in LEARNERS:
        rates = (rate for rate in family.entry.rates if of_task(rate, numbers))
        own = [rate for rate in rates if rate.setting == kind]
        liberal = [
            rate for rate in rates_by(own, family.metric) if rate.verdict is TypeOneError.LIBERAL
        ]
        if liberal:
            parts.append(f"{kind.removesuffix(REGRESSION)} ({inflation(liberal)})")
    if not parts:
        return ""
    return (
        f"In simulations the type I error of {the(family.entry)} at the .05 level is inflated with "
        f"{words(parts)}."
    )


def take_care(study: Study, found: Sequence[Family]) -> Iterator[str]:
    """Say what simulations say against a test of these models, and what to use instead.

    `found` are families of the one test, by several metrics or on several data sets.
    """
    metrics = {family.metric for family in found}
    known = study.cautions(found[0].entry, metrics.pop() if len(metrics) == 1 else None)
    models = dict.fromkeys(model for family in found for model in family.models)
    for text in known.of(models, the, study.name):
        yield f"Caution: {text}"
    yield from _by_result(found[0].entry, [row for family in found for row in family.rows])


def _by_result(entry: Entry, rows: Sequence[Comparison]) -> Iterator[str]:
    """Warn of what the checks of a test found on these rows."""
    failing = [details for row in rows if (details := measured(row))]
    if failing:
        several = f" in {len(failing)} of {len(rows)} comparisons" if len(rows) > 1 else ""
        yield (
            f"Caution: {the(entry)} has an inflated type I error here{several}: "
            f"{'; '.join(failing[0])}."
        )

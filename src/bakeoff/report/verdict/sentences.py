"""The sentences on the tests: what they say, by how much, how sure, with which cautions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import Any

import numpy as np

from bakeoff.comparisons import Comparison, Decision
from bakeoff.comparisons.advice import inflation, of_task, rates_by, remedies, smallest_pvalue
from bakeoff.comparisons.run_tests import measured
from bakeoff.report import prose
from bakeoff.report.family import Family, as_float, seen_from
from bakeoff.report.numbers import count, fixed, p_equals, percent, probability, pvalue, words
from bakeoff.report.power import detectable
from bakeoff.report.ranking import ranking, without_noise
from bakeoff.report.standings import standings
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, Need
from bakeoff.spec.learners import LEARNERS, REGRESSION
from bakeoff.stats import Entry, TypeOneError, catalogue
from bakeoff.stats.runs.recipe import unseen_failures


class Kind(StrEnum):
    """What the answer is."""

    WINNER = "winner"
    """One model is better than each of the others."""
    PARTIAL = "partial"
    """The best one is better than some."""
    OTHERS = "others"
    """The best one is better than none, but some others differ."""
    CANNOT_TELL = "cannot_tell"
    CONFLICT = "conflict"
    """A test prefers another model to the one that scores best."""
    SAME = "same"
    """The evidence is identical."""
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    CONTROL = "control"
    """Models were compared with one of them alone, and some differ from it."""
    AGAINST_VALUE = "against_value"
    """A single model differs from a value that it was tested against."""
    UNTESTED = "untested"
    """Nothing to compare, or nothing that compares it."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer."""

    kind: Kind
    headline: str
    """One short sentence."""
    sentences: tuple[str, ...]
    """Two or more that give the numbers, the evidence and its limits."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, then the sentences."""
        return self.headline, *self.sentences

    @property
    def evidence(self) -> str:
        """One line: the difference with its interval, the p-value, and what was tested."""
        return " ".join(self.sentences[:2])

    @property
    def main(self) -> tuple[str, ...]:
        """At most three sentences: on the baseline, the main caution, and what to do next."""
        starts = ("Predicting", "Caution", "Use ")
        rest = self.sentences[2:]
        found = (next((s for s in rest if s.startswith(start)), "") for start in starts)
        return tuple(filter(None, found))

    @property
    def more(self) -> tuple[str, ...]:
        """Everything else, for a folded part."""
        return tuple(s for s in self.sentences[2:] if s not in self.main)

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.lines)


_COMMON = {
    "binomial", "combined", "corrected", "cost-sensitive", "difference", "equivalence",
    "half-sample", "multivariate", "one-sample", "one-way", "paired", "pairwise",
    "repeated-measures", "resampled", "sign", "two-sample",
}  # fmt: skip


def title(test: Entry) -> str:
    """Write a test's name as part of a sentence; only words that are no names lose capitals."""
    text = test.title
    first = text.split()[0]
    return text[0].lower() + text[1:] if first.lower() in _COMMON else text


def the(test: Entry) -> str:
    """Write a test's name with its article."""
    text = title(test)
    return text if text.split()[0].endswith(("'s", "s'")) else f"the {text}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The comparisons of the leader, seen from it, by what they say; and of the others."""

    family: Family
    leader: str
    runner_up: str
    tied: tuple[str, ...]
    behind: str
    beaten: tuple[Comparison, ...]
    open: tuple[Comparison, ...]
    undecided: tuple[Comparison, ...]
    lost: tuple[Comparison, ...]
    elsewhere: tuple[Comparison, ...]

    @property
    def kind(self) -> Kind:
        """Sum it up."""
        unresolved = self.open + self.undecided
        if self.lost:
            return Kind.CONFLICT
        if self.beaten:
            return Kind.PARTIAL if unresolved else Kind.WINNER
        if self.elsewhere:
            return Kind.OTHERS
        if self.undecided and not self.open:
            return Kind.UNDECIDED
        if all(row.status in prose.SAME for row in unresolved):
            return Kind.SAME
        return Kind.CANNOT_TELL

    @property
    def others(self) -> list[str]:
        """The models that the headline speaks of beside the leader."""
        rows = {
            Kind.CONFLICT: self.lost,
            Kind.WINNER: self.beaten,
        }.get(self.kind, self.open + self.undecided)
        return [row.model_b for row in rows]


def look(study: Study, family: Family) -> Outcome:
    """Find who leads on a family's evidence and what the family says of it."""
    lead = standing(study, family)
    order = list(lead)
    leader, runner_up = order[0], order[1]
    tied = tuple(m for m in order[1:] if lead[m] == lead[leader])
    behind = order[len(tied) + 1 :]
    kinds = {
        Decision.A_BETTER: "beaten",
        Decision.B_BETTER: "lost",
        Decision.UNDECIDED: "undecided",
        Decision.DIFFERENT: "undecided",  # which of the two is better, nobody knows
    }
    groups: dict[str, list[Comparison]] = {k: [] for k in ("beaten", "lost", "undecided", "open")}
    for model in order[1:]:
        row = family.between(leader, model)
        if row is not None:
            groups[kinds.get(row.decision, "open")].append(row)
    elsewhere = [
        row
        for row in family.rows
        if leader not in (row.model_a, row.model_b)
        and row.decision in (Decision.A_BETTER, Decision.B_BETTER)
    ]
    return Outcome(
        family,
        leader,
        runner_up,
        tied,
        behind[0] if behind else "",
        elsewhere=tuple(elsewhere),
        **{k: tuple(v) for k, v in groups.items()},
    )


def standing(study: Study, family: Family) -> dict[str, float]:
    """Order the models of a family, best on its own evidence first; equal values are ties."""
    if family.ranks:
        lead = {model: -round(rank, 10) for model, rank in family.ranks.items()}
    elif family.entry.evidence.on_rows:
        # against all others or against one control, a sum of differences orders like the scores
        sums = dict.fromkeys(family.models, 0.0)
        for row in family.rows:
            if math.isfinite(row.estimate):
                if not family.control:
                    sums[row.model_a] += row.estimate
                sums[row.model_b] -= row.estimate
        # beside a model that diverged, sums have no digits left for the others
        first = max(sums, key=lambda model: sums[model])
        lead = {}
        for model, each in sums.items():
            beside = family.between(first, model)
            apart = math.nan if beside is None else beside.estimate
            behind = apart if math.isfinite(apart) else sums[first] - each
            lead[model] = -without_noise(study, family.metric, family.plan, behind)
    else:
        # the ranking orders models of equal average rank by their mean scores
        lines = ranking(study, family.metric, family.plan)
        known = {line.model: -round(line.rank, 10) for line in lines if line.model in family.models}
        lacking = not family.dataset and len(known) < len(family.models)
        if lacking and (found := standings(study, family.metric)):
            ranks = zip(found.models, found.ranks.tolist(), strict=True)
            known = {model: -round(rank, 10) for model, rank in ranks if model in family.models}
        lead = known | {m: -math.inf for m in family.models if m not in known}
    return dict(sorted(lead.items(), key=lambda each: -each[1]))


BEST = {False: ("best", "better"), True: ("cheapest", "cheaper")}
"""What to call the best model, the cheapest one where costs are compared."""


def headline(study: Study, o: Outcome) -> str:
    """Say in one sentence what the main test says."""
    leader, many = study.name(o.leader), len(study.models) > 2
    costs = o.family.entry.reads == "classes"
    by = "" if costs else f" by {o.family.measure.title}"
    by += " over training seeds and rows" if o.family.entry.about == "recipes" else ""
    others = study.names(o.others) if o.others else "the others"
    match o.kind:
        case Kind.WINNER:
            # a test that is too lenient makes a finding, not a certainty
            liberal = study.type1(o.family.entry, o.family.metric) is TypeOneError.LIBERAL
            verb = "seems" if liberal or any(map(measured, o.beaten)) else "is"
            compared = len(o.beaten) + 1
            which = "models" if compared == len(study.models) else "models that were compared"
            best, better = BEST[costs]
            among = f"the {best} of the {compared} {which}" if many else f"{better} than {others}"
            return f"{leader} {verb} {among}{by}."
        case Kind.PARTIAL:
            better = BEST[costs][1]
            rest = [model for model in o.others if model not in o.tied]
            but = f", but {{}}is not shown to be {better} than {study.names(rest)}" if rest else ""
            if not o.tied:
                return f"{leader} leads{by}{but.format('')}."
            level = study.names([o.leader, *o.tied])
            what = "results" if o.family.dataset else "average rank"
            return f"{level} lead{by} with the same {what}{but.format(leader + ' ')}."
        case Kind.OTHERS:
            return f"Some models differ{by}, but the best one cannot be named."
        case Kind.CONFLICT:
            called = "is" if len(o.lost) == 1 else "are"
            return (
                f"The evidence conflicts: {leader} scores best{by}, but {others} {called} "
                "significantly better."
            )
        case Kind.SAME:
            which = "The models" if many else f"{leader} and {others}"
            return f"{which} cannot be told apart{by}: their results are identical."
        case Kind.UNDECIDED:
            if many:
                return f"The evidence does not allow a comparison of the models{by}."
            return f"The comparison of {leader} and {others}{by} is undecided."
    omnibus = study.omnibus(o.family)
    if many and omnibus is not None and omnibus.decision is Decision.DIFFERENT:
        return f"The models are not all equal{by}, but the data do not show which of them differ."
    best, better = BEST[costs]
    if many:
        return f"The data do not show which of the {len(o.family.models)} models is {best}{by}."
    return f"The data do not show whether {leader} or {others} is {better}{by}."


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
        better = BEST[o.family.entry.reads == "classes"][1]
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
        if family.entry.reads != "classes" or family.control:
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
    by_metric = f"is better by {by} than", f"is best by {by}"
    better, most = _SAYS.get(o.family.entry.reads, by_metric)
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
            text = f"{by} does not differ significantly"
    return f"{start}, {text} ({title(o.family.entry)})."


_SAYS = {
    "correctness": ("is better than", "is right most often"),
    "classes": ("costs less than", "costs least"),
    "ranking": ("ranks the rows better than", "ranks the rows best"),
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
        if f.metric != first.metric and f.entry.reads != "classes" and f.measure.smooth
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


_MOST = 0.9
"""The share of the variance from which on more of the other buys nothing worth naming."""


def about_runs(o: Outcome) -> Iterator[str]:
    """Say whether these fits differ where the recipes do not, and what limits the comparison."""
    if o.family.entry.about != "recipes":
        return
    row = o.family.between(o.leader, o.runner_up)
    details = {} if row is None else row.result.get("details", {})
    if row is None or "pvalue_fits" not in details:
        return
    p, runs = as_float(details["pvalue_fits"]), [int(details[f"runs_{m}"]) for m in "ab"]
    if row.decision is Decision.NOT_SHOWN and p <= row.alpha and row.family_size == 1:
        fits = f"{runs[0]} fits of each" if runs[0] == runs[1] else "fits"
        yield (
            f"These {fits} do differ on new rows ({p_equals(p)}); the difference may be luck of "
            "the seeds."
        )
    if row.decision is not Decision.UNDECIDED:
        yield from _advice(details)
    fewest = min((number for number in runs if number > 1), default=0)
    if fewest:
        yield (
            "All runs share one set of training rows, so this says nothing about other training "
            f"rows; {count(fewest, 'run')} without a failure are compatible with a failure rate of "
            f"up to {100 * unseen_failures(fewest):.0f}%."
        )


def _advice(details: Mapping[str, Any]) -> Iterator[str]:
    """Say what share of the variance is due to the seeds, and what would reduce it."""
    seeds, rows = (max(as_float(details[f"var_{part}"]), 0.0) for part in ("seeds", "rows"))
    total = seeds + rows
    if not total > 0:
        return
    share = seeds / total
    said = f"Of the variance of the difference {100 * share:.0f}% is due to the seeds"
    if share >= _MOST:
        yield f"{said}: more training runs would help, more rows would not."
    elif share <= 1 - _MOST:
        yield f"{said}: more rows would help, more training runs would not."
    else:
        left = f"{100 * math.sqrt(rows / total):.0f}%"
        yield (
            f"{said}; with these rows no number of training runs brings the standard error below "
            f"{left} of what it is."
        )

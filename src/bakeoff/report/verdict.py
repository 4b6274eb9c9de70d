"""The verdict: what a study shows, as facts that fill the sentences of templates/verdict.txt.j2."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from bakeoff.comparisons.advice import RowCounts, remedies, smallest_pvalue
from bakeoff.comparisons.choose import CASES, enough_datasets, over_datasets
from bakeoff.comparisons.plan_tests import notes as notes_on_runs
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import Comparison, Decision, measured
from bakeoff.report import prose
from bakeoff.report.baseline import (
    Baseline,
    baselines,
    looks_reversed,
    named_alike,
    nearly_perfect,
    worse_than_constant,
)
from bakeoff.report.numbers import (
    NONE,
    capital,
    clean,
    count,
    fixed,
    p_equals,
    percent,
    probability,
    pvalue,
    words,
)
from bakeoff.report.prose import of_model, take_care, title
from bakeoff.report.ranking import Ranked, lead_of, ranking, without_noise
from bakeoff.report.rare_classes import accuracy_of_rare
from bakeoff.report.study import TRUST, Family, Study, seen_from
from bakeoff.report.undeclared import notes
from bakeoff.stats import TypeOneError, as_float, detectable_difference
from bakeoff.threads import on_one_thread

MOST = 3
"""Sentences that stand below the headline; the others are folded. Also the pairs that one names."""
POWER = 0.8
"""Probability with which a difference that is called detectable is found."""
MOST_INTERACTIONS = 2
"""Sentences on interactions for a data set; the figure has all."""


class Kind(StrEnum):
    """What the answer is: docs/report.md says when it is which."""

    WINNER = "winner"
    PARTIAL = "partial"
    OTHERS = "others"
    CANNOT_TELL = "cannot_tell"
    CONFLICT = "conflict"
    SAME = "same"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    CONTROL = "control"
    AGAINST_VALUE = "against_value"
    UNTESTED = "untested"


class Verdict(NamedTuple):
    """The answer."""

    kind: Kind
    headline: str
    """One short sentence."""
    evidence: str
    """One line: the difference with its interval, the p-value, and what was tested."""
    main: tuple[str, ...]
    """At most three sentences: on the baseline, the main caution, and what to do next."""
    more: tuple[str, ...]
    """Everything else, for a folded part."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything below the headline."""
        return tuple(filter(None, (self.evidence, *self.main, *self.more)))

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, then the sentences."""
        return self.headline, *self.sentences


CITED_BESIDE = ("cv5x2_f", *filter(None, (case.beside for case in CASES.values())))
"""Tests that readers know from the literature: their p-value stands beside the main test's."""


class Facts(defaultdict[str, Any]):
    """What fills the template: texts, and lists with the slots of a sentence each."""

    def __init__(self, study: Study) -> None:
        super().__init__(list)
        self.study = study

    def add(self, sentence: str, **slots: Any) -> None:
        """Add what fills a sentence once."""
        self[sentence].append(slots)

    def answer(self, kind: Kind, headline: str = "", **slots: Any) -> None:
        """Set the kind of the verdict, which names its headline too, and what fills it."""
        self.update(slots, kind=kind, headline=headline or kind.value)


@on_one_thread
def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    facts, mains = Facts(study), study.mains
    facts |= {"name": study.name, "measure": study.metric, "metric": study.metric.title}
    facts |= {"how": partial(_how, study), "others": partial(_others, study)}
    facts |= {"p": prose.extreme_p, "value": prose.tested_value, "probability": probability}
    if not mains and not ranking(study):
        who = study.name(study.models[0]) if len(study.models) == 1 else "The models"
        because = ", because no model has a complete set of scores"
        facts.answer(Kind.UNDECIDED, models=who, because=because)
    elif len(study.models) < 2:
        _one_model(facts)
    elif not mains:
        _without_tests(facts)
    elif mains[0].control:
        _with_control(facts, mains[0])
    else:
        _all_pairs(facts, *mains)
    _failed(facts)
    _baseline(facts)
    _interactions(facts)
    facts["remarks"] += study.preparation
    facts["remarks"] += _cautions(study)
    facts["notes"] += [note.sentence for note in notes(study)[:MOST]]
    facts["notes"] += notes_on_runs(study.analysis)
    if len(study.models) > 1 and facts["kind"] not in (Kind.WINNER, Kind.CONTROL):
        rare = accuracy_of_rare(study.cards, study.metric.name, study.metric.title)
        facts["notes"] += filter(None, [rare])
    places: dict[str, list[str]] = {"headline": [], "evidence": [], "main": [], "more": []}
    for line in prose.rendered("verdict.txt.j2", facts):
        place, _, sentence = line.partition(": ")
        places[place].append(sentence)
    # that no model is better than the baseline comes first: which is best is the second question
    headline, *second = places["headline"]
    main = [*second, *places["main"]]
    more = (*main[MOST:], *places["more"])
    return Verdict(facts["kind"], headline, " ".join(places["evidence"]), tuple(main[:MOST]), more)


def _cautions(study: Study) -> list[str]:
    """Say of given results what models were asked differently, and which logs are not whole."""
    sentences = []
    for name, card in study.cards.items():
        where = f"{study.dataset_label(name)}: " if study.several else ""
        sentences += [f"{where}{text}" for text in card.get("cautions", ())]
    return sentences


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


def look(study: Study, family: Family) -> Outcome:
    """Find who leads on a family's evidence and what the family says of it."""
    lead = lead_of(study, family)
    leader, *others = lead
    tied = [model for model in others if lead[model] == lead[leader]]
    rows = [row for model in others if (row := family.between(leader, model)) is not None]
    # where two models differ and neither has the better mean, nobody knows which is better
    unclear = Decision.UNDECIDED, Decision.DIFFERENT
    return Outcome(
        family,
        leader,
        others[0],
        tied,
        next((model for model in others if model not in tied), ""),
        [row for row in rows if row.decision is Decision.A_BETTER],
        [row for row in rows if row.decision is Decision.B_BETTER],
        [row for row in rows if row.decision in unclear],
        [row for row in rows if row.decision in (Decision.NOT_SHOWN, Decision.EQUIVALENT)],
        [row for row in _winners(family.rows) if leader not in (row.model_a, row.model_b)],
    )


def _winners(rows: Iterable[Comparison]) -> Iterator[Comparison]:
    """Yield the significant comparisons, seen from the better model."""
    for row in rows:
        if row.decision in (Decision.A_BETTER, Decision.B_BETTER):
            yield seen_from(row, row.model_a if row.decision is Decision.A_BETTER else row.model_b)


def _all_pairs(facts: Facts, first: Family, *narrower: Family) -> None:
    """Tell what the tests say where all pairs, or those of the best model, were compared."""
    study, many = facts.study, len(facts.study.models) > 2
    o = look(study, first)
    _headline(facts, o)
    if o.kind is Kind.UNDECIDED:
        unable = _unable(facts, first, o.undecided[0])
        _undecided(facts, first, o.undecided, "evidence", reason=not unable)
    elif o.kind is Kind.SAME:
        _leader_and_next(facts, o)
        facts["unproven"] = "An identical result"
    else:
        (_leader_and_next if first.dataset else _ranks)(facts, o)
        if many or o.lost:
            elsewhere = sorted(o.elsewhere, key=lambda row: row.pvalue_adjusted)
            _better(facts, [*o.beaten, *_winners(o.lost)] or elsewhere)
        disagreements = (prose.disagreement([row]) for row in (*o.beaten, *o.open))
        facts["remarks"] += list(filter(None, disagreements))[:1]
        _unproven(facts, first, [row for row in o.open if row.status not in prose.SAME])
        if o.undecided:
            _undecided(facts, first, o.undecided, "more")
        if o.beaten or o.lost or o.elsewhere:
            facts["cautions"] += take_care(study, [first])
    of_runs(facts, o)
    _by_other_metrics(facts, first)
    for family in narrower:
        if not family.control:
            _beside(facts, family)
    _margins(facts, "more")
    _posterior(facts, o.leader, o.runner_up, "more")


def _headline(facts: Facts, o: Outcome) -> None:
    """Say in one sentence what the main test says."""
    study, family, metric = facts.study, o.family, o.family.measure
    many = len(study.models) > 2
    runs = " over training seeds and rows" if family.entry.about == "recipes" else ""
    leader, pair = study.name(o.leader), study.names([o.leader, o.runner_up])
    by = metric.title if family.dataset else f"average rank by {metric.title}"
    facts.answer(o.kind, metric=metric.title + runs, leader=leader, verb="has")
    facts["models"] = "The models" if many else pair
    match o.kind:
        case Kind.WINNER:
            # a test that is too lenient makes a finding, not a certainty
            liberal = study.type1(family.entry, family.metric) is TypeOneError.LIBERAL
            facts["verb"] = "seems" if liberal or any(map(measured, o.beaten)) else "is"
            n = len(o.beaten) + 1
            which = "" if n == len(study.models) else " that were compared"
            best = f"the best of the {n} models{which}" if many else ""
            facts["better"] = best or f"better than {_others(study, o.beaten)}"
        case Kind.PARTIAL:
            open_ = [row for row in o.open + o.undecided if row.model_b not in o.tied]
            rest = f"is not shown to be better than {_others(study, open_)}" if open_ else ""
            if o.tied:
                facts |= {"leader": study.names([o.leader, *o.tied]), "verb": "have"}
                rest = f"{leader} {rest}" if rest else "their results are the same"
            facts |= {"metric": by + runs, "but": rest}
        case Kind.OTHERS:
            facts["but"] = "the best one cannot be named"
        case Kind.CONFLICT:
            facts["metric"] = prose.mean_of(metric) if family.dataset else by
            facts["other"] = f"{_others(study, o.lost)} {are(o.lost)} significantly"
        case Kind.SAME:
            facts["evidence"] = prose.evidence(study, family)
        case Kind.CANNOT_TELL:
            omnibus = study.omnibus(family)
            if many and omnibus is not None and omnibus.decision is Decision.DIFFERENT:
                facts |= {"headline": "others", "but": "the data do not show which of them differ"}
                facts["cautions"] += prose.of_omnibus(omnibus)
            question = f"which of the {len(family.models)} models is best"
            if not many:
                row = family.rows[0]
                a, b = (row.model_a, row.model_b)[:: -1 if row.alternative == "less" else 1]
                question = f"whether {study.name(a)} is better than {study.name(b)}"
                if row.alternative == "two-sided":
                    question = f"whether {leader} or {study.name(o.runner_up)} is better"
            facts["question"] = f"{question} by {metric.title}{runs}"
    for other, rows in _equivalents(study) if not many else ():
        alike = (other.dataset, other.metric) == (family.dataset, family.metric)
        if not alike or prose.one_sided(rows[0]):
            continue
        if o.kind is Kind.WINNER:
            facts["but"] = ", but by less than the margin that was set"
        elif not (o.lost or o.beaten):
            facts.answer(Kind.EQUIVALENT)


def _leader_and_next(facts: Facts, o: Outcome) -> None:
    """Compare the leader, and those that are tied with it, with the next best."""
    family = o.family
    first = o.lost[0].model_b if o.lost else (o.behind if o.tied else "") or o.runner_up
    rows = (family.between(o.leader, model) for model in (first, *family.models))
    row = next((row for row in rows if row is not None and math.isfinite(row.estimate)), None)
    if row is None:
        return
    ahead = _pair(facts, family, row)
    tied = [model for model in o.tied if model != row.model_b]
    if row.estimate < 0:
        ahead["score"] = of_model(family.measure.title, facts.study.name(row.model_b))
        ahead["ahead"] = f"by the estimate of the test {ahead['ahead']}"
    elif tied:
        ahead["score"] = of_model(family.measure.title, facts.study.names([o.leader, *tied]))
    if row.estimate >= 0 and len(family.models) > 2 and row.model_b == o.runner_up:
        ahead["other"] += ", the next best"


def _pair(facts: Facts, family: Family, row: Comparison) -> dict[str, Any]:
    """Fill the sentence that compares the model that is ahead with the other one."""
    study, metric, written = facts.study, family.measure, family.written
    row = row if row.estimate >= 0 else seen_from(row, row.model_b)
    score = of_model(metric.title, study.name(row.model_a))
    means = {line.model: line.mean for line in ranking(study, family.metric, family.plan)}
    if family.dataset and row.model_a in means:
        trained = prose.trained_on(study, family.dataset, family.plan)
        score += f" ({written.quantity(means[row.model_a])}{trained})"
    better = "higher" if metric.greater_is_better else "lower"
    ahead = f"{prose.gap_with_interval(row, family)} {better} than"
    if family.entry.unit:
        score = f"{family.entry.unit} of {study.name(row.model_a)}"
        ahead = f"{fixed(row.estimate, 2)} better than"
    elif not without_noise(study, family.metric, family.plan, row.estimate):
        ahead = "the same as"
    elif written.gap(row.estimate) == written.gap(0.0):
        ahead = f"slightly {better} than"
    slots = {"row": row, "family": family, "score": score, "ahead": ahead}
    slots |= {"other": study.name(row.model_b), "beside": _test_beside(study, family, row)}
    facts["pairs"].append(slots)
    return slots


def _test_beside(study: Study, family: Family, row: Comparison) -> str:
    """Name the tests from the literature of the same two models that ran beside the main test."""
    texts = []
    for name in CITED_BESIDE:
        for other in study.of_test(name) if name != family.entry.name else ():
            same = (other.dataset, other.plan, other.metric)
            found = other.between(row.model_a, row.model_b)
            if same != (family.dataset, family.plan, family.metric) or found is None:
                continue
            if not math.isnan(found.pvalue):
                texts.append(f"; {title(other.entry)}: {prose.extreme_p([found])}")
    return "".join(texts)


def _ranks(facts: Facts, o: Outcome) -> None:
    """Give the ranks that the test compares, or else those of the mean scores."""
    study, family = facts.study, o.family
    ranks = family.ranks or {m: -rank for m, rank in lead_of(study, family).items()}
    means = {line.model: line.mean for line in ranking(study, family.metric, family.plan)}
    used = {row.n for row in family.rows}
    whole = study.averages(family.metric) and not study.excluded and used == {len(study.datasets)}
    texts = {model: fixed(rank, 2) for model, rank in ranks.items() if math.isfinite(rank)}
    for model in texts.keys() & means.keys() if whole else ():
        mean = study.written(family.metric).quantity(means[model])
        texts[model] += f"; {prose.mean_of(family.measure)} {mean}"
    who = f"{study.names([o.leader, *o.tied])} {'have the same' if o.tied else 'has the best'}"
    then = f", followed by {study.name(o.behind)} ({texts[o.behind]})" if o.behind in texts else ""
    where = prose.evidence(study, family) if len(used) == 1 else study.counted_datasets()
    row = family.between(o.leader, o.behind or o.runner_up)
    rank = texts.get(o.leader, NONE)
    facts.add("ranks", where=where, who=who, rank=rank, next=then, row=row, family=family)


def _better(
    facts: Facts, rows: Iterable[Comparison], by: str = "", gap: str = "", test: str = ""
) -> None:
    """Say which models are better than which, a sentence for each winner."""
    by_winner = defaultdict[str, list[Comparison]](list)
    for row in rows:
        by_winner[row.model_a].append(row)
    for beaten in [*by_winner.values()][:MOST]:
        facts.add("significant", rows=beaten, by=by, gap=gap, test=test)


def _others(study: Study, rows: Sequence[Comparison]) -> str:
    return study.names(row.model_b for row in rows)


def _how(study: Study, family: Family, *, article: bool = False) -> str:
    """Name the test, its evidence, its side and its correction."""
    row, named = family.rows[0], prose.the if article else title
    on = f" on {prose.evidence(study, family)}" if family.dataset else ""
    side = "" if row.alternative == "two-sided" else ", one-sided"
    corrected = f", {prose.correction(family)}" if row.family_size > 1 and not article else ""
    return f"{named(family.entry, family.measure)}{on}{side}{corrected}"


def _undecided(
    facts: Facts, family: Family, rows: Sequence[Comparison], place: str, *, reason: bool = True
) -> None:
    """Say why comparisons of A, or of all models, are undecided."""
    models = facts.study.names([rows[0].model_a, *(row.model_b for row in rows)])
    if 1 < len(rows) == len(family.rows) and not family.control:
        models = "all pairs of models"
    why = f": {prose.why_undecided(rows[0])}" if reason else ""
    facts.add("undecided", place=place, models=models, family=family, why=why)


def _unproven(facts: Facts, family: Family, rows: Sequence[Comparison]) -> None:
    """Say what rows that decide nothing do not prove, unless none could have decided."""
    if rows and not _unable(facts, family, rows[0]):
        facts["unproven"] = f"A p-value above {rows[0].alpha:g}"
        facts["found"] = _detectable(facts.study, family, rows[0])


def _detectable(study: Study, family: Family, row: Comparison) -> str:
    """Say which true difference of two models the test would find; empty where none is known."""
    if not family.dataset or family.entry.unit or row.df1 is not None or row.alpha >= POWER:
        return ""
    level, reach = 1 - (1 - row.confidence) / 2, (row.ci_high - row.ci_low) / 2
    if row.alternative != "two-sided":
        at_limit = row.ci_low if row.alternative == "greater" else row.ci_high
        level, reach = row.confidence, abs(row.estimate - at_limit)
    least, most = family.measure.range
    if not 0 < reach < most - least:
        return ""
    # from the standard error that the interval shows, not from the difference that was seen
    size = detectable_difference(reach, level=level, power=POWER, df=row.df)
    if size >= most - least:
        return ""
    pair = study.names([row.model_a, row.model_b])
    between = f" between {pair}" if len(study.models) > 2 else ""
    return f"a true difference of about {family.written.gap(size)}{between}"


def _unable(facts: Facts, family: Family, row: Comparison) -> bool:
    """Say that no result could have been significant, and what would help."""
    # too few groups or data sets for so many pairs
    asked = facts.study.analysis
    models = {model: asked.models[model] for model in family.models}
    compared = dataclasses.replace(asked, models=models)
    size, kin = None, asked.datasets[row.dataset].relation if row.dataset else None
    if family.entry.evidence.on_rows:
        details = {**row.result.get("details", {}), **row.result}
        units = details.get("n_clusters", details.get("n_times")) if kin else None
        grouped = "groups" if kin and kin.kind == "group" else "times"
        size = RowCounts(row.n, **({} if units is None else {grouped: int(units)}))
    test = facts.study.planned.by_name[family.entry.name]
    smallest = smallest_pvalue(test, compared, size)
    if smallest <= row.alpha:
        return False
    adjusted = "adjusted " if row.family_size > 1 else ""
    helping = remedies(test, compared, size)
    facts["smallest"] = f"{adjusted}p-value is {pvalue(smallest)}, above {row.alpha:g}"
    facts["remedy"] = f"; {helping} would be needed" if helping else ""
    return True


def _beside(facts: Facts, family: Family) -> None:
    """Add what a family says that answers a narrower question: of the fitted models."""
    study, name = facts.study, title(family.entry, family.measure)
    o = look(study, family)
    won = [*o.beaten, *_winners(o.lost)] or list(o.elsewhere)
    _better(facts, won, test=f"; {name} on {prose.evidence(study, family)}")
    if not (won or o.open):
        _undecided(facts, family, o.undecided, "more")
    elif not won:
        where = f"on {prose.evidence(study, family)}"
        test = f" ({prose.extreme_p(o.open)}; {name})"
        facts.add("alike", who=f"{capital(family.measure.title)} does", where=where, test=test)
    of_runs(facts, o)


def _by_other_metrics(facts: Facts, first: Family) -> None:
    """Say by which other metrics the answer differs from that of the test that decides."""
    study, lacking = facts.study, list[str]()
    decided = {(row.model_a, row.model_b) for row in _winners(first.rows)}
    metrics, new = 1, False
    for metric in study.analysis.metrics:
        same = (
            family
            for family in study.of_test(first.entry.name)
            if (family.dataset, family.plan, family.metric, family.follows)
            == (first.dataset, first.plan, metric, first.follows)
        )
        family = next(same, None) or next(iter(study.trusted(first.dataset, metric)), None)
        # a metric that jumps has no test
        if family is None or family.metric == first.metric or not family.measure.smooth:
            continue
        metrics += 1
        won = {(row.model_a, row.model_b): row for row in _winners(family.rows)}
        added = [row for pair, row in won.items() if pair not in decided]
        if not added and not decided <= won.keys():
            lacking.append(family.measure.title)
        gap = f"{prose.gap_of(family, added[0].estimate)}, " if len(added) == 1 else ""
        test = "" if family.entry is first.entry else f"; {title(family.entry, family.measure)}"
        _better(facts, added, f" by {family.measure.title}", gap, test)
        new = new or bool(added)
    facts["metrics"] = metrics if new else 0
    if lacking:
        who = f"Some of the models that differ by {first.measure.title}"
        who = study.names(next(iter(decided))) if len(decided) == 1 else who
        facts.add("alike", who=f"{who} do", where=f"by {words(lacking)}", test="")


def of_runs(facts: Facts, o: Outcome) -> None:
    """Say how much of the error of a comparison of training runs is due to the seeds."""
    row = o.family.between(o.leader, o.runner_up)
    details = {} if row is None else row.result.get("details", {})
    if row is None or row.decision is Decision.UNDECIDED or "var_seeds" not in details:
        return
    seeds, rows = (max(as_float(details[f"var_{part}"]), 0.0) for part in ("seeds", "rows"))
    if seeds + rows > 0:
        facts["seeds"] = f"{100 * seeds / (seeds + rows):.0f}%"


def _equivalents(study: Study) -> list[tuple[Family, list[Comparison]]]:
    """List what is shown to be equivalent, by test, metric and data set."""
    shown = [
        (family, [row for row in family.rows if row.decision is Decision.EQUIVALENT])
        for family in study.families
        if family.equivalence
    ]
    return [(family, rows) for family, rows in shown if rows]


def _margins(facts: Facts, place: str) -> None:
    """Say which models differ by less than the margin; of single data sets tables tell it."""
    for family, rows in _equivalents(facts.study):
        if not (family.dataset and facts.study.several):
            _margin(facts, family, rows, place)


def _margin(facts: Facts, family: Family, rows: Sequence[Comparison], place: str) -> None:
    """Say that models differ by less than the margin; `rows` are those that show it."""
    row, pairs = (rows or family.rows)[0], len(family.rows)
    a, b = facts.study.name(row.model_a), facts.study.name(row.model_b)
    some = f"{len(rows)} of {pairs}" if rows else f"any of {pairs}"
    who, differ = f"{a} and {b}" if pairs == 1 else f"{some} pairs of models", "differ by less than"
    if family.noninferiority or prose.one_sided(row):
        who, differ = a, f"is not worse than {b} by"
        if pairs > 1:
            who, differ = f"the first model of {some} pairs", "is not worse by"
    decided = [one for one in family.rows if one.decision is not Decision.UNDECIDED]
    p = prose.extreme_p(rows, largest=True) if rows else prose.extreme_p(decided)
    slots = {"who": who, "differ": differ, "margin": family.written.gap(row.margin), "p": p}
    facts.add("margins", place=place, shown=bool(rows), family=family, **slots)


def _posterior(facts: Facts, leader: str, runner_up: str, place: str) -> None:
    """Give the posterior probabilities of the two best, where a Bayesian test ran."""
    study = facts.study
    where = "" if study.several else study.datasets[0], study.metric.name
    for family in study.families:
        row = family.between(leader, runner_up)
        if not family.bayesian or (family.dataset, family.metric) != where or row is None:
            continue
        if row.decision is not Decision.UNDECIDED:
            rope = family.written.gap(row.rope) if row.rope > 0 else ""
            a, b = study.name(leader), study.name(runner_up)
            facts.add("posteriors", place=place, family=family, row=row, a=a, b=b, rope=rope)
            return


def _with_control(facts: Facts, family: Family) -> None:
    """Say which models are better than the control, which worse, which cannot be told from it."""
    study, control = facts.study, facts.study.name(family.control)
    says: dict[Decision, list[Comparison]] = defaultdict(list)
    for row in family.rows:
        says[row.decision].append(row)
    worse, better = says[Decision.A_BETTER], says[Decision.B_BETTER]
    undecided, settled = says[Decision.UNDECIDED], [*better, *worse]
    left = [row for row in family.rows if row not in settled and row not in undecided]
    facts["metric"] = family.measure.title
    if settled:
        first, than = (better, "better") if better else (worse, "worse")
        facts.answer(Kind.CONTROL, "winner", leader=_others(study, first), verb=are(first))
        facts["better"] = f"{than} than the control {control}"
        if better and worse:
            facts["but"] = f", and {_others(study, worse)} {are(worse)} worse"
        facts["cautions"] += take_care(study, [family])
    elif len(undecided) == len(family.rows):
        facts.answer(Kind.UNDECIDED, models=f"The control {control} and the other models")
    else:
        question = f"whether any model differs from the control {control} by {facts['metric']}"
        facts.answer(Kind.CANNOT_TELL, question=question)
    if sized := [row for row in (settled or family.rows) if math.isfinite(row.estimate)]:
        _pair(facts, family, max(sized, key=lambda row: abs(row.estimate)))
    if len(settled) > 1:
        _better(facts, _winners(settled))
    if left:
        _unproven(facts, family, left)
    if undecided:
        _undecided(facts, family, undecided, "more" if settled or left else "evidence")
    _by_other_metrics(facts, family)


def _one_model(facts: Facts) -> None:
    """Answer for a single model: what its most trustworthy test says, or its score."""
    study = facts.study
    tested = [family for family in study.families if family.role == "single"]
    tested.sort(key=lambda f: (f.metric != study.metric.name, TRUST.index(study.type1(f.entry))))
    if not tested:
        facts["kind"] = Kind.UNTESTED
        _score(facts, ranking(study)[0], "headline")
        return
    first, many = tested[0], study.several
    rows = [f.rows[0] for f in tested if (f.entry, f.metric) == (first.entry, first.metric)]
    sides = Counter(prose.side_of(row) for row in rows if row.decision is Decision.DIFFERENT)
    score = of_model(first.measure.title, study.name(study.models[0]))
    if sides:
        on = words([side + f" on {n}" * many for side, n in sides.items()])
        value = f"{on} of {count(len(rows), 'data set')}" if many else on
        facts["kind"] = Kind.AGAINST_VALUE
        facts.add("scores", place="headline", score=score, value=value)
    else:
        unclear = not many and rows[0].decision is Decision.UNDECIDED
        any_of = f" on any of the {count(len(rows), 'data set')}" if many else ""
        asks = {"greater": "is above", "less": "is below"}.get(rows[0].alternative, "differs from")
        question = f"whether the {score} {asks} {prose.tested_value(rows[0]):g}{any_of}"
        kind = Kind.UNDECIDED if unclear else Kind.CANNOT_TELL
        facts.answer(kind, "cannot_tell", question=question)
    for family in () if many else tested:
        row, place = family.rows[0], "evidence" if family is first else "more"
        if row.decision is Decision.UNDECIDED:
            models = f"{study.name(row.model_a)} with {prose.tested_value(row):g}"
            why = f": {prose.why_undecided(row)}"
            facts.add("undecided", place=place, models=models, family=family, why=why)
            continue
        ci = f"{prose.level_of(row)} {family.written.interval(row.ci_low, row.ci_high)}"
        value = f"{family.written.quantity(row.estimate)} ({ci})"
        facts.add("scores", place=place, score=score, value=value, row=row, family=family)
        if row.decision is Decision.DIFFERENT:
            facts["cautions"] += take_care(study, [family])


def _score(facts: Facts, line: Ranked, place: str) -> None:
    """Give the score of a model."""
    study = facts.study
    shown = study.written()
    ci = f"{percent(line.ci.confidence)} CI {shown.interval(*line.ci)}" if line.ci else ""
    trained = "" if study.several else prose.trained_on(study, study.datasets[0], study.plan)
    brackets = f" ({ci}{trained})" if ci else trained
    score = of_model(study.metric.title, study.name(line.model))
    facts.add("scores", place=place, score=score, value=f"{shown.quantity(line.mean)}{brackets}")


def _without_tests(facts: Facts) -> None:
    """Answer from posteriors and equivalence, or from single data sets, or not at all."""
    study, ranked = facts.study, ranking(facts.study)
    if len(ranked) > 1:
        _posterior(facts, ranked[0].model, ranked[1].model, "evidence")
    _margins(facts, "evidence")
    silent = [f for f in study.families if f.role == "pair" and f.metric == study.metric.name]
    if facts["posteriors"]:
        _weigh(facts, **facts["posteriors"][0])
    elif silent and not study.several and not facts["margins"]:
        _nothing_shown(facts, silent[0])
    elif facts["margins"] and not study.several:
        family, rows = _equivalents(study)[0]
        facts.answer(Kind.EQUIVALENT, models=study.names([rows[0].model_a, rows[0].model_b]))
        if len(family.rows) > 1 or prose.one_sided(rows[0]):
            facts["headline"], facts["margins"][0]["place"] = "", "headline"
    else:
        _untested(facts, ranked)


def _weigh(facts: Facts, a: str, b: str, row: Comparison, **_: Any) -> None:
    """Turn a posterior into an answer, at the level of the experiment."""
    match row.decision:
        case Decision.A_BETTER:
            kind = Kind.WINNER if len(facts.study.models) == 2 else Kind.PARTIAL
            facts.answer(kind, "winner", leader=a, verb="is probably", better=f"better than {b}")
        case Decision.EQUIVALENT:
            facts.answer(Kind.EQUIVALENT, models=f"{a} and {b}", probably="probably ")
        case Decision.B_BETTER:
            mean = prose.mean_of(facts.study.metric)
            facts.answer(Kind.CONFLICT, leader=a, metric=mean, other=f"{b} is probably")
        case _:
            question = f"whether {a} or {b} is better by {facts['metric']}"
            facts.answer(Kind.CANNOT_TELL, question=question)


def _nothing_shown(facts: Facts, family: Family) -> None:
    """Answer where tests against a margin, or posteriors, are all there is, and show nothing."""
    study = facts.study
    facts["models"] = study.names(list(family.models))
    decided = [one for one in family.rows if one.decision is not Decision.UNDECIDED]
    if all(row.status in prose.SAME for row in family.rows):
        facts.answer(Kind.SAME, evidence=prose.evidence(study, family))
        facts["unproven"] = "An identical result"
    elif decided and family.equivalence:
        facts["kind"] = Kind.CANNOT_TELL
        _margin(facts, family, [], "headline")
    else:
        facts.answer(Kind.UNDECIDED)
        _undecided(facts, family, family.rows, "evidence")


def _untested(facts: Facts, ranked: list[Ranked]) -> None:
    """Say who has the best scores, which no test compared."""
    study, best = facts.study, ranked[0]
    tied = [line.model for line in ranked if round(line.rank - best.rank, 10) == 0]
    who, verb = study.names(tied), "have" if len(tied) > 1 else "has"
    over, by = (" over data sets", "average rank by ") if study.several else ("", "")
    facts.answer(Kind.UNTESTED, leader=who, verb=verb, metric=f"{by}{study.metric.title}")
    facts["but"] = f"no test{over} compares the models"
    if not study.several:
        _score(facts, best, "evidence")
    if facts["margins"] or not study.several:
        return
    rank = f"{fixed(best.rank, 2)}; first on {count(best.wins, 'data set')}"
    has = f"{who} {verb} the {'same' if len(tied) > 1 else 'best'}"
    facts.add("ranks", where=f"{len(study.datasets)} data sets", who=has, rank=rank)
    least = enough_datasets(study.analysis)
    facts |= {"units": study.units, "level": percent(study.alpha)}
    facts["least"] = least if study.units < least else ""
    if study.units >= least and study.averages(study.metric.name):  # signed ranks need one unit
        facts["recommended"] = over_datasets(study.analysis).name


def are(many: Sequence[Any]) -> str:
    """Return the verb for one or several."""
    return "is" if len(many) == 1 else "are"


def _failed(facts: Facts) -> None:
    """Say which models were excluded or left out of the tests, where and why."""
    study, by = facts.study, ["model", "dataset"]
    for key, rows in study.failed.groupby(by, sort=False) if len(study.failed) else ():
        model, dataset = map(str, key)
        why = "; ".join(dict.fromkeys(clean(why).removesuffix(".") for why in rows["why"]))
        where = {"model": study.name(model), "dataset": study.dataset_label(dataset)}
        facts.add("failed", **where, fits=count(len(rows), "fit"), why=why)
    ranked_last = study.missing.get("policy") == "failed"
    out = () if study.several or study.failed.empty else {*study.failed["model"]}
    for model, reason in () if ranked_last else study.excluded.items():
        if model not in out:
            facts["remarks"] += [f"{study.name(model)} is left out of the ranking: {reason}."]
    spanning = (row for row in study.comparisons if not row.dataset)
    for note in dict.fromkeys(n for row in spanning for n in row.result.get("left_out", ())):
        facts["remarks"] += [f"In the tests over data sets, the {clean(note)}."]


def _baseline(facts: Facts) -> None:
    """Say what a constant prediction scores, and which models are not shown to beat it."""
    study = facts.study
    first, others = baselines(study, study.metric.name), study.analysis.metrics[1:]
    none_better = len(first) == len(study.datasets) and all(
        len(one.open) == len(study.models)
        and not all(math.isnan(line.pvalue) for line in one.models)
        for one in first
    )
    if looks_reversed(study):
        *_, positive = study.cards[study.datasets[0]]["classes"]
        facts["exchanged"] = repr(clean(positive))
    for metric in study.analysis.metrics if study.several else ():
        tested = [one for one in baselines(study, metric) if one.models]
        open_on = [one for one in tested if len(one.open) == len(one.models)]
        labels = [study.dataset_label(one.dataset) for one in open_on]
        if labels:
            place = "headline" if none_better and metric == study.metric.name else "main"
            by, on = study.metrics[metric].title, f" on {len(labels)} of {len(tested)} data sets"
            said = {"shown": "is shown to be better", "by": by, "on": f"{on} ({words(labels)})"}
            facts.add("baselines", place=place, who="No model", name=named_alike(open_on), **said)
    if first and not study.several:
        results, name = [*_results(study, first[0])], first[0].label
        if none_better or facts["exchanged"]:
            who, shown = results[0] if len(results) == 1 else ("No model", "is shown to be better")
            said = {"who": who, "shown": shown, "by": study.metric.title}
            facts.add("baselines", place="headline", name=name, **said)
        facts["constant"] = _constant(study, first[0])
        by_result = defaultdict[tuple[str, str, str], list[str]](list)
        for metric in others:
            for one in baselines(study, metric):
                for result in _results(study, one):
                    by_result[*result, one.label].append(study.metrics[metric].title)
        for (who, shown, name), titles in by_result.items():
            said = {"who": who, "shown": shown, "by": words(titles)}
            facts.add("baselines", place="more", name=name, **said)
    by_model = defaultdict[str, list[str]](list)
    for measure, model, mean in nearly_perfect(study):
        score = f"{measure.title} {study.written(measure.name).quantity(mean)}"
        by_model[study.name(model)].append(score)
    perfect = [f"{model}: {words(scores)}" for model, scores in by_model.items()]
    facts["perfect"] = words(perfect, MOST) if perfect else ""


def _results(study: Study, one: Baseline) -> Iterator[tuple[str, str]]:
    """Say which models are not shown to be better than the baseline, or which are if all are."""
    worse = worse_than_constant(study, one)
    groups = {
        "significantly better": [] if one.open else [line.model for line in one.models],
        "significantly worse": worse,
        "not shown to be better": [model for model in one.open if model not in worse],
    }
    for shown, models in groups.items():
        if len(models) == len(study.models) > 1:
            everybody = "no model" if shown.startswith("not") else "every model"
            yield everybody, f"is {shown.removeprefix('not ')}"
        elif models:
            yield study.names(models), f"{are(models)} {shown}"


def _constant(study: Study, one: Baseline) -> dict[str, str]:
    """Give the score of the baseline by the first metric, and what the models are beside it."""
    metric, worse = study.metrics[one.metric], worse_than_constant(study, one)
    vowel = metric.title[0] in "aeiouAEIO" or metric.title.startswith(("F1", "F2", "R²"))
    results = [*_results(study, one)]
    result = " and ".join(" ".join(each) for each in results)
    unclear = [line for line in one.models if not line.better and line.model not in worse]
    pvalues = [line.pvalue_adjusted for line in unclear if not math.isnan(line.pvalue)]
    if pvalues:
        p = p_equals(min(pvalues), "adjusted p" if len(one.models) > 1 else "p")
        result += f" ({'smallest ' if len(pvalues) > 1 else ''}{p})"
    elif unclear:
        who = study.names([line.model for line in unclear])
        undecided = f"whether {who} {are(unclear)} better is undecided"
        settled = [" ".join(each) for each in results if each[1].endswith("significantly worse")]
        result = " and ".join([*settled, undecided])
    elif one.perfect:
        result = "no value is better, so that no model was tested against it"
    scored = study.written(one.metric, one.dataset).quantity(one.score)
    return {
        "answer": one.predicts,
        "score": f"{'an' if vowel else 'a'} {metric.title} of {scored}",
        "result": result or "the models were not tested against it",
    }


def _interactions(facts: Facts) -> None:
    """Say for each data set on which columns the difference depends."""
    study, lines = facts.study, facts.study.subgroups
    if lines.empty:
        return
    lines = lines[(lines["role"] == INTERACTION) & (lines["metric"] == study.metric.name)]
    lines = lines[lines["decision"] == Decision.DIFFERENT.value]
    for dataset, part in lines.groupby("dataset", sort=False):
        shown = part.sort_values("pvalue_adjusted", kind="stable")[:MOST_INTERACTIONS]
        for line in shown.to_dict("records"):
            on = f"On {study.dataset_label(str(dataset))}: " if study.several else ""
            a, b = study.name(line["model_a"]), study.name(line["model_b"])
            name = "adjusted p" if line["family_size"] > 1 else "p"
            p = p_equals(line["pvalue_adjusted"], name)
            facts.add("interactions", on=on, a=a, b=b, column=repr(line["column"]), p=p)

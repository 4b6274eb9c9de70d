"""The verdict: what a study shows, as facts that fill the sentences of templates/verdict.txt.j2."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from bakeoff.comparisons import Comparison, Decision
from bakeoff.comparisons.advice import (
    RowCounts,
    enough_datasets,
    over_datasets,
    remedies,
    smallest_pvalue,
)
from bakeoff.comparisons.plan_tests import notes as notes_on_runs
from bakeoff.comparisons.run_tests import measured
from bakeoff.report import prose
from bakeoff.report.facts import (
    MOST,
    Facts,
    Kind,
    Verdict,
    are,
    baseline,
    failed,
    interactions,
    take_care,
)
from bakeoff.report.family import Family, as_float, seen_from
from bakeoff.report.numbers import NONE, capital, count, fixed, percent, probability, pvalue, words
from bakeoff.report.prose import of_model, title
from bakeoff.report.ranking import Ranked, ranking, standings, without_noise
from bakeoff.report.study import TRUST, Study
from bakeoff.report.undeclared import notes
from bakeoff.spec.related import declared
from bakeoff.stats import TypeOneError
from bakeoff.threads import on_one_thread


@on_one_thread
def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    facts = facts_of(study)
    places: dict[str, list[str]] = {"headline": [], "evidence": [], "main": [], "more": []}
    for line in prose.rendered("verdict.txt.j2", facts):
        place, _, sentence = line.partition(": ")
        places[place].append(sentence)
    # that no model is better than the baseline comes first: which is best is the second question
    headline, *second = places["headline"]
    main = [*second, *places["main"]]
    return Verdict(
        facts["kind"],
        headline,
        " ".join(places["evidence"]),
        tuple(main[:MOST]),
        (*main[MOST:], *places["more"]),
    )


def facts_of(study: Study) -> Facts:
    """Collect what fills the sentences of a study's verdict, by their names in the template."""
    facts, mains = Facts(study), study.mains
    facts |= {"name": study.name, "measure": study.metric, "probability": probability}
    facts |= {"how": partial(_how, study), "others": partial(_others, study)}
    facts |= {"p": prose.extreme_p, "value": prose.tested_value}
    if not mains and not ranking(study):
        who = study.name(study.models[0]) if len(study.models) == 1 else "The models"
        because = ", because no model has a complete set of scores"
        facts |= {"kind": Kind.UNDECIDED, "headline": "undecided", "models": who}
        facts |= {"metric": study.metric.title, "because": because}
    elif len(study.models) < 2:
        _one_model(facts)
    elif not mains:
        _without_tests(facts)
    elif mains[0].control:
        _with_control(facts, mains[0])
    else:
        _all_pairs(facts, *mains)
    failed(facts)
    baseline(facts)
    interactions(facts)
    facts["told"] += study.told
    facts["notes"] += [note.sentence for note in notes(study)[:MOST]]
    facts["notes"] += notes_on_runs(study.experiment)
    return facts


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
    lead = standing(study, family)
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
        if lacking and (table := standings(study, family.metric)):
            known = {one.model: -round(one.average_rank, 10) for one in table}
            known = {model: rank for model, rank in known.items() if model in family.models}
        lead = known | {m: -math.inf for m in family.models if m not in known}
    return dict(sorted(lead.items(), key=lambda each: -each[1]))


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
        facts["told"] += list(filter(None, disagreements))[:1]
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
    many, runs = len(study.models) > 2, ""
    if family.entry.about == "recipes":
        runs = " over training seeds and rows"
    leader, pair = study.name(o.leader), study.names([o.leader, o.runner_up])
    by = metric.title if family.dataset else f"average rank by {metric.title}"
    facts |= {"kind": o.kind, "headline": o.kind.value, "metric": metric.title + runs}
    facts |= {"leader": leader, "verb": "has", "models": "The models" if many else pair}
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
            significantly = f"{'is' if len(o.lost) == 1 else 'are'} significantly"
            facts["metric"] = prose.mean_of(metric) if family.dataset else by
            facts["other"] = f"{_others(study, o.lost)} {significantly}"
        case Kind.SAME:
            facts["evidence"] = prose.evidence(study, family)
        case Kind.CANNOT_TELL:
            omnibus = study.omnibus(family)
            if many and omnibus is not None and omnibus.decision is Decision.DIFFERENT:
                facts |= {"headline": "others", "but": "the data do not show which of them differ"}
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
        if alike and not prose.one_sided(rows[0]) and o.kind is Kind.WINNER:
            facts["but"] = ", but by less than the margin that was set"
        elif alike and not prose.one_sided(rows[0]) and not (o.lost or o.beaten):
            facts |= {"kind": Kind.EQUIVALENT, "headline": "equivalent"}


def _leader_and_next(facts: Facts, o: Outcome) -> None:
    """Compare the leader, and those that are tied with it, with the next best."""
    family = o.family
    first = o.lost[0].model_b if o.lost else (o.behind if o.tied else "") or o.runner_up
    found = (family.between(o.leader, model) for model in (first, *family.models))
    row = next((row for row in found if row is not None and math.isfinite(row.estimate)), None)
    if row is None:
        return
    if row.estimate < 0:
        ahead = _pair(facts, family, seen_from(row, row.model_b), "evidence")
        score = of_model(family.measure.title, facts.study.name(row.model_b))
        ahead |= {"score": score, "ahead": f"by the estimate of the test {ahead['ahead']}"}
    else:
        ahead = _pair(facts, family, row, "evidence")
        if tied := [model for model in o.tied if model != row.model_b]:
            names = facts.study.names([o.leader, *tied])
            ahead["score"] = of_model(family.measure.title, names)
        if len(family.models) > 2 and row.model_b == o.runner_up:
            ahead["other"] += ", the next best"
    facts["pairs"] += [ahead]


def _pair(facts: Facts, family: Family, row: Comparison, place: str) -> dict[str, Any]:
    """Fill the sentence that compares A, which is ahead, with B."""
    study, metric, written = facts.study, family.measure, family.written
    score = of_model(metric.title, study.name(row.model_a))
    means = {line.model: line.mean for line in ranking(study, family.metric, family.plan)}
    if family.dataset and row.model_a in means:
        trained = prose.trained_on(study, family.dataset, family.plan)
        score += f" ({written.told(means[row.model_a])}{trained})"
    better = "higher" if metric.greater_is_better else "lower"
    ahead = f"{prose.gap_with_interval(row, family)} {better} than"
    if family.entry.unit:
        score = f"{family.entry.unit} of {study.name(row.model_a)}"
        ahead = f"{fixed(row.estimate, 2)} better than"
    elif not without_noise(study, family.metric, family.plan, row.estimate):
        ahead = "the same as"
    elif written.gap(row.estimate) == written.gap(0.0):
        ahead = f"slightly {better} than"
    slots = {"place": place, "row": row, "family": family, "score": score, "ahead": ahead}
    return slots | {"other": study.name(row.model_b)}


def _ranks(facts: Facts, o: Outcome) -> None:
    """Give the ranks that the test compares, or else those of the mean scores."""
    study, family = facts.study, o.family
    ranks = family.ranks or {m: -rank for m, rank in standing(study, family).items()}
    means = {line.model: line.mean for line in ranking(study, family.metric, family.plan)}
    used = {row.n for row in family.rows}
    whole = study.averages(family.metric) and not study.excluded and used == {len(study.datasets)}
    texts = {
        model: f"{fixed(rank, 2)}; {prose.mean_of(family.measure)} "
        f"{study.written(family.metric).told(means[model])}"
        if whole and model in means
        else fixed(rank, 2)
        for model, rank in ranks.items()
        if math.isfinite(rank)
    }
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
    for own in [*by_winner.values()][:MOST]:
        facts.add("significant", rows=own, by=by, gap=gap, test=test)


def _others(study: Study, rows: Sequence[Comparison]) -> str:
    return study.names([row.model_b for row in rows])


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


def _unable(facts: Facts, family: Family, row: Comparison) -> bool:
    """Say that no result could have been significant, and what would help."""
    # too few groups or data sets for so many pairs
    experiment = facts.study.experiment
    models = {model: experiment.models[model] for model in family.models}
    compared = experiment.model_copy(update={"models": models})
    size, kin = None, declared(experiment, row.dataset) if row.dataset else None
    if family.entry.evidence.on_rows:
        details = {**row.result.get("details", {}), **row.result}
        units = details.get("n_clusters", details.get("n_times")) if kin else None
        grouped = "groups" if kin and kin.kind == "group" else "times"
        size = RowCounts(row.n, **({} if units is None else {grouped: int(units)}))
    test = facts.study.analysis[family.entry.name]
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
    for metric in study.experiment.metrics:
        same = (
            family
            for family in study.of_test(first.entry.name)
            if family.evidence == (first.dataset, first.plan, metric)
            and family.follows == first.follows
        )
        family = next(same, None) or study.by_metric(metric, first.dataset)
        # a metric that jumps has no test
        if family is None or family.metric == first.metric or not family.measure.smooth:
            continue
        metrics += 1
        won = {(row.model_a, row.model_b): row for row in _winners(family.rows)}
        own = [row for pair, row in won.items() if pair not in decided]
        if not own and not decided <= won.keys():
            lacking.append(family.measure.title)
        gap = f"{prose.gap_of(family, own[0].estimate)}, " if len(own) == 1 else ""
        test = "" if family.entry is first.entry else f"; {title(family.entry, family.measure)}"
        _better(facts, own, f" by {family.measure.title}", gap, test)
        new = new or bool(own)
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
    found = []
    for family in study.families:
        rows = [row for row in family.rows if row.decision is Decision.EQUIVALENT]
        if family.equivalence and rows:
            found.append((family, rows))
    return found


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
        facts |= {"kind": Kind.CONTROL, "headline": "winner", "leader": _others(study, first)}
        facts |= {"verb": are(first), "better": f"{than} than the control {control}"}
        if better and worse:
            facts["but"] = f", and {_others(study, worse)} {are(worse)} worse"
        facts["cautions"] += take_care(study, [family])
    elif len(undecided) == len(family.rows):
        models = f"The control {control} and the other models"
        facts |= {"kind": Kind.UNDECIDED, "headline": "undecided", "models": models}
    else:
        question = f"whether any model differs from the control {control} by {facts['metric']}"
        facts |= {"kind": Kind.CANNOT_TELL, "headline": "cannot_tell", "question": question}
    if sized := [row for row in (settled or family.rows) if math.isfinite(row.estimate)]:
        row = max(sized, key=lambda row: abs(row.estimate))
        ahead = row if row.estimate >= 0 else seen_from(row, row.model_b)
        facts["pairs"] += [_pair(facts, family, ahead, "evidence")]
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
        facts |= {"kind": Kind.UNDECIDED if unclear else Kind.CANNOT_TELL}
        facts |= {"headline": "cannot_tell", "question": question}
    for family in () if many else tested:
        row, place = family.rows[0], "evidence" if family is first else "more"
        if row.decision is Decision.UNDECIDED:
            models = f"{study.name(row.model_a)} with {prose.tested_value(row):g}"
            why = f": {prose.why_undecided(row)}"
            facts.add("undecided", place=place, models=models, family=family, why=why)
            continue
        ci = f"{prose.level_of(row)} {family.written.interval(row.ci_low, row.ci_high)}"
        value = f"{family.written.told(row.estimate)} ({ci})"
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
    facts.add("scores", place=place, score=score, value=f"{shown.told(line.mean)}{brackets}")


def _without_tests(facts: Facts) -> None:
    """Answer from posteriors and equivalence, or from single data sets, or not at all."""
    study = facts.study
    ranked, facts["metric"] = ranking(study), study.metric.title
    if len(ranked) > 1:
        _posterior(facts, ranked[0].model, ranked[1].model, "evidence")
    _margins(facts, "evidence")
    if facts["posteriors"]:
        _weigh(facts, facts["posteriors"][0])
        return
    silent = [f for f in study.families if f.role == "pair" and f.metric == study.metric.name]
    if silent and not study.several and not facts["margins"]:
        _nothing_shown(facts, silent[0])
        return
    _untested(facts, ranked)
    if facts["margins"] and not study.several:
        family, rows = _equivalents(study)[0]
        pair = study.names([rows[0].model_a, rows[0].model_b])
        facts |= {"kind": Kind.EQUIVALENT, "headline": "equivalent", "models": pair}
        if len(family.rows) > 1 or prose.one_sided(rows[0]):
            facts["headline"], facts["margins"][0]["place"] = "", "headline"
    elif not study.several:
        _score(facts, ranked[0], "evidence")


def _weigh(facts: Facts, posterior: Facts) -> None:
    """Turn a posterior into an answer, at the level of the experiment."""
    two, row = len(facts.study.models) == 2, posterior["row"]
    a, b = posterior["a"], posterior["b"]
    match row.decision:
        case Decision.A_BETTER:
            facts |= {"kind": Kind.WINNER if two else Kind.PARTIAL, "headline": "winner"}
            facts |= {"leader": a, "verb": "is probably", "better": f"better than {b}"}
        case Decision.EQUIVALENT:
            facts |= {"kind": Kind.EQUIVALENT, "headline": "equivalent", "models": f"{a} and {b}"}
            facts["probably"] = "probably "
        case Decision.B_BETTER:
            facts |= {"kind": Kind.CONFLICT, "headline": "conflict", "leader": a}
            facts |= {"metric": prose.mean_of(facts.study.metric), "other": f"{b} is probably"}
        case _:
            facts |= {"kind": Kind.CANNOT_TELL, "headline": "cannot_tell"}
            facts["question"] = f"whether {a} or {b} is better by {facts['metric']}"


def _nothing_shown(facts: Facts, family: Family) -> None:
    """Answer where tests against a margin, or posteriors, are all there is, and show nothing."""
    study = facts.study
    facts["models"] = study.names(list(family.models))
    decided = [one for one in family.rows if one.decision is not Decision.UNDECIDED]
    if all(row.status in prose.SAME for row in family.rows):
        facts |= {"kind": Kind.SAME, "headline": "same", "unproven": "An identical result"}
        facts["evidence"] = prose.evidence(study, family)
    elif decided and family.equivalence:
        facts["kind"] = Kind.CANNOT_TELL
        _margin(facts, family, [], "headline")
    else:
        facts |= {"kind": Kind.UNDECIDED, "headline": "undecided"}
        _undecided(facts, family, family.rows, "evidence")


def _untested(facts: Facts, ranked: list[Ranked]) -> None:
    """Say who has the best scores, which no test compared."""
    study, best = facts.study, ranked[0]
    tied = [line.model for line in ranked if round(line.rank - best.rank, 10) == 0]
    who, verb = study.names(tied), "have" if len(tied) > 1 else "has"
    over, by = (" over data sets", "average rank by ") if study.several else ("", "")
    facts |= {"kind": Kind.UNTESTED, "headline": "untested", "leader": who, "verb": verb}
    facts |= {"metric": f"{by}{study.metric.title}", "but": f"no test{over} compares the models"}
    if facts["margins"] or not study.several:
        return
    rank = f"{fixed(best.rank, 2)}; first on {count(best.wins, 'data set')}"
    has = f"{who} {verb} the {'same' if len(tied) > 1 else 'best'}"
    facts.add("ranks", where=f"{len(study.datasets)} data sets", who=has, rank=rank)
    least = enough_datasets(study.experiment)
    facts |= {"units": study.units, "level": percent(study.alpha)}
    facts["least"] = least if study.units < least else ""
    if study.units >= least and study.averages(study.metric.name):  # signed ranks need one unit
        facts["recommended"] = over_datasets(study.experiment).name

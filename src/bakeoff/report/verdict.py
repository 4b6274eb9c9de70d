"""The answer in plain sentences: who wins, by how much, how sure, on what evidence."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from enum import StrEnum

import numpy as np

from bakeoff.compare import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.numbers import count, interval, p_equals, percent, probability, score, words
from bakeoff.report.power import detectable
from bakeoff.report.ranking import Ranked, ranking
from bakeoff.report.study import Family, Study, as_float, clean
from bakeoff.stats import Evidence, TypeOneError


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
    UNTESTED = "untested"
    """Nothing to compare, or nothing that compares it."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer.

    Attributes
    ----------
    kind : Kind
        What it is.
    headline : str
        One short sentence.
    sentences : tuple of str
        Two or more that give the numbers, the evidence and its limits.
    """

    kind: Kind
    headline: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join((self.headline, *self.sentences))


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What one family says of the model that leads on its evidence."""

    family: Family
    leader: str
    runner_up: str
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


def answer(study: Study) -> Verdict:
    """Answer the experiment's question."""
    ranked = ranking(study)
    compared = [line.model for line in ranked]
    if len(study.models) < 2:
        return _alone(study, ranked)
    algorithms, models = study.main("algorithms"), study.main("models")
    first = algorithms or models
    if first is None:
        verdict = _without_tests(study, ranked)
    elif first is algorithms and len(compared) < 1:
        verdict = Verdict(Kind.UNDECIDED, "Undecided: no model has a complete set of scores.", ())
    else:
        verdict = _from_tests(study, first, algorithms and models, ranked)
    sentences = (*_failed(study), *verdict.sentences, *_left_out(study))
    return dataclasses.replace(verdict, sentences=sentences)


def _failed(study: Study) -> Iterator[str]:
    """Say which models were excluded, where and why: nobody is to overlook it."""
    if study.failed.empty:
        return
    for key, rows in study.failed.groupby(["model", "dataset"], sort=False):
        model, dataset = map(str, key)
        why = dict.fromkeys(map(clean, rows["why"]))
        reason = f"{next(iter(why))}{' (and other reasons)' if len(why) > 1 else ''}"
        yield (
            f"{study.label(model)} was excluded on {study.dataset_label(dataset)}, where "
            f"{count(len(rows), 'fit')} failed: {reason}."
        )


def _from_tests(
    study: Study, first: Family, second: Family | None, ranked: list[Ranked]
) -> Verdict:
    outcome = look(study, first, ranked)
    headline, kind = _headline(study, outcome), outcome.kind
    equivalents = list(_equivalents(study))
    sentences = [*_numbers(study, outcome, ranked), *_about_omnibus(study, outcome)]
    if equivalents and kind in (Kind.CANNOT_TELL, Kind.SAME, Kind.UNDECIDED):
        row = equivalents[0][1]
        if len(study.models) == 2:
            kind, headline = (
                Kind.EQUIVALENT,
                (
                    f"{study.label(row.model_a)} and {study.label(row.model_b)} are practically "
                    "equivalent."
                ),
            )
    sentences += [_equivalence(study, *found) for found in equivalents[:3]]
    sentences += _posterior(study, outcome.leader, outcome.runner_up)
    if second is not None:
        fitted = look(study, second, ranked)
        sentences.append(_fitted(study, fitted, outcome))
        sentences += _about_omnibus(study, fitted, "fitted models")
    return Verdict(kind, headline, tuple(sentences))


def look(study: Study, family: Family, ranked: list[Ranked]) -> Outcome:
    """Find who leads on a family's evidence and what the family says of it."""
    order = _order(study, family, ranked)
    leader, runner_up = order[0], order[1] if len(order) > 1 else ""
    by_model = {m: family.between(leader, m) for m in order[1:]}
    mine = [row for row in by_model.values() if row is not None]
    kinds = {
        Decision.A_BETTER: "beaten",
        Decision.B_BETTER: "lost",
        Decision.UNDECIDED: "undecided",
    }
    groups: dict[str, list[Comparison]] = {k: [] for k in ("beaten", "lost", "undecided", "open")}
    for row in mine:
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
        elsewhere=tuple(elsewhere),
        **{k: tuple(v) for k, v in groups.items()},
    )


def _order(study: Study, family: Family, ranked: list[Ranked]) -> list[str]:
    """Return the models of a family, best on its own evidence first."""
    if family.entry.evidence is Evidence.CORRECTNESS and family.dataset in study.test_sets:
        rows = study.test_sets[family.dataset]
        right = rows.correct.mean(axis=0)
        return [rows.models[i] for i in np.argsort(-right, kind="stable")]
    tested = {m for row in family.rows for m in (row.model_a, row.model_b)}
    known = [line.model for line in ranked if line.model in tested]
    return known + [m for m in study.models if m in tested and m not in known]


def _headline(study: Study, o: Outcome) -> str:
    leader, many = study.label(o.leader), len(study.models) > 2
    names = _names(study, o)
    match o.kind:
        case Kind.WINNER:
            # a test that is too lenient makes a finding, not a certainty
            verb = "seems" if o.family.entry.type1 is TypeOneError.LIBERAL else "is"
            compared = len(o.beaten) + 1
            which = "models" if compared == len(study.models) else "models that were compared"
            among = f"the best of the {compared} {which}" if many else f"better than {names}"
            return f"{leader} {verb} {among}."
        case Kind.PARTIAL:
            return f"{leader} leads, but is not shown to be better than {names}."
        case Kind.OTHERS:
            return "Some models differ, but the best one cannot be named."
        case Kind.CONFLICT:
            return f"The evidence conflicts: {leader} scores best, yet {names} is called better."
        case Kind.SAME:
            return (
                "The models cannot be told apart: their results are identical."
                if many
                else f"{leader} and {names} cannot be told apart: their results are identical."
            )
        case Kind.UNDECIDED:
            return (
                "Undecided: the evidence cannot tell the models apart."
                if many
                else f"Undecided between {leader} and {names}."
            )
    omnibus = study.omnibus(o.family)
    if many and omnibus is not None and omnibus.decision is Decision.DIFFERENT:
        return "The models are not all alike, but the data do not show which of them differ."
    return (
        f"Cannot tell which of the {len(study.models)} models is best."
        if many
        else f"Cannot tell whether {leader} or {names} is better."
    )


def _names(study: Study, o: Outcome) -> str:
    """Name the models that the headline speaks of beside the leader."""
    rows = {
        Kind.PARTIAL: o.open + o.undecided,
        Kind.CONFLICT: o.lost,
        Kind.WINNER: o.beaten,
    }.get(o.kind, o.open + o.undecided)
    return words([study.label(row.model_b) for row in rows]) if rows else "the others"


def _numbers(study: Study, o: Outcome, ranked: list[Ranked]) -> Iterator[str]:
    """Say by how much, how sure and on what evidence."""
    if o.undecided and not o.open and not o.beaten and not o.lost:
        row = o.undecided[0]
        whom = "The comparison" if len(study.models) == 2 else "The comparisons"
        yield (
            f"{whom} by {_the(o.family)} on {prose.evidence(study, o.family)} stayed open: "
            f"{prose.why_undecided(row)}."
        )
        return
    if o.kind is Kind.SAME:
        whom = "the two" if len(study.models) == 2 else f"{study.label(o.leader)} and the others"
        yield (
            f"On {prose.evidence(study, o.family)} there is no difference at all between "
            f"{whom}, "
            "so there is nothing to test; this is no proof that they are equal."
        )
        return
    yield _by_how_much(study, o, ranked)
    yield _how_sure(study, o)
    if o.open:
        yield from _limits(study, o)
    if o.undecided:
        names = words([study.label(row.model_b) for row in o.undecided])
        yield f"Against {names} the test is undecided: {prose.why_undecided(o.undecided[0])}."
    if o.family.entry.type1 is TypeOneError.LIBERAL and (o.beaten or o.lost or o.elsewhere):
        yield f"Take care: {_the(o.family)} {prose.TYPE_ONE[o.family.entry.type1]}."


def _by_how_much(study: Study, o: Outcome, ranked: list[Ranked]) -> str:
    family, title = o.family, study.metric.title
    row = family.between(o.leader, o.runner_up)
    lines = {line.model: line for line in ranked}
    leader, second = study.label(o.leader), study.label(o.runner_up)
    if not family.dataset and o.leader in lines:
        best = lines[o.leader]
        text = (
            f"Over {len(study.datasets)} data sets {leader} has the best average rank "
            f"({best.rank:.2f}; mean {title} {score(best.mean)})"
        )
        if o.runner_up in lines:
            text += (
                f", {second} the next ({lines[o.runner_up].rank:.2f}; "
                f"{score(lines[o.runner_up].mean)})"
            )
        return text + "."
    title = title if family.entry.about == "algorithms" else family_metric(family)
    if row is None or math.isnan(row.estimate):
        return f"{leader} has the best {title}."
    if prose.gap(row.estimate, row.metric) == prose.gap(0.0, row.metric):
        return f"The {title} of {leader} and {second} is the same to the digits shown."
    comparative = f"{prose.better(row.metric)} than that of {second}"
    ahead = prose.gap_with_interval(study, row, family)
    ranked_next = ", the next best" if len(study.models) > 2 else ""
    if row.estimate < 0:
        return (
            f"By the mean of all folds {leader} has the best {title}, but by the test's own "
            f"estimate {second} is ahead by {ahead}."
        )
    folds = _ahead_on(family, row)
    known = o.leader in lines and _on_folds(family)
    mean = f" ({score(lines[o.leader].mean)})" if known else ""
    return f"The {title} of {leader}{mean} is {ahead} {comparative}{ranked_next}{folds}."


def _ahead_on(family: Family, row: Comparison) -> str:
    """Say on how many folds A is ahead, for tests that give no interval."""
    found = row.result.get("details", {}).get("differences")
    if found is None or not math.isnan(row.ci_low):
        return ""
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    ahead = values < 0 if family.turned(row.model_a, row.model_b) else values > 0
    return f" (ahead on {int(ahead.sum())} of {len(values)} folds)"


def _on_folds(family: Family) -> bool:
    return family.entry.evidence is Evidence.FOLD_SCORES


def family_metric(family: Family) -> str:
    """Name what a family's estimates are differences of."""
    from bakeoff.scores import METRICS

    return METRICS[family.metric].title


def _how_sure(study: Study, o: Outcome) -> str:
    family = o.family
    row = family.rows[0]
    several = row.family_size > 1
    name = "adjusted p" if several and row.correction != "none" else "p"
    corrected = f", {prose.correction(row)}" if several else ""
    on = f"({_title(family)} on {prose.evidence(study, family)}{corrected})"
    if o.lost:
        row = o.lost[0]
        return (
            f"Yet {study.label(row.model_b)} is called better, "
            f"{p_equals(row.pvalue_adjusted, name)} {on}: look at the fold scores before you "
            "trust either."
        )
    if o.beaten:
        worst = max(row.pvalue_adjusted for row in o.beaten)
        whom = words([study.label(row.model_b) for row in o.beaten])
        largest = "each " if len(o.beaten) > 1 else ""
        bound = (
            f"{largest}{p_equals(worst, name)}"
            if len(o.beaten) == 1
            else (f"largest {p_equals(worst, name)}")
        )
        return (
            f"That {study.label(o.leader)} is better than {whom} is shown at the "
            f"{percent(study.alpha)} level, {bound} {on}."
        )
    best = min(o.open, key=lambda row: row.pvalue_adjusted)
    found = ""
    if o.elsewhere:
        pairs = [
            f"{study.label(r.model_a if r.decision is Decision.A_BETTER else r.model_b)} is better "
            f"than {study.label(r.model_b if r.decision is Decision.A_BETTER else r.model_a)}"
            for r in sorted(o.elsewhere, key=lambda r: r.pvalue_adjusted)
        ]
        found = f" What is shown: {words(pairs, 3)}."
    smallest = "smallest " if len(o.open) > 1 else ""
    return f"This may be chance: {smallest}{p_equals(best.pvalue_adjusted, name)} {on}.{found}"


def _limits(study: Study, o: Outcome) -> Iterator[str]:
    """Say what difference would have been missed."""
    found = [detectable(o.family, row) for row in o.open]
    sizes = [size for size in found if math.isfinite(size)]
    if sizes:
        size = prose.gap_of(study, o.family, max(sizes))
        yield f"With this much data a true difference below {size} would probably not be seen."
    else:
        yield "That no difference is shown does not show that there is none."


def _about_omnibus(study: Study, o: Outcome, what: str = "models") -> Iterator[str]:
    """Say where the test of all models at once and its pairs part ways."""
    from bakeoff.stats import catalogue

    row = study.omnibus(o.family)
    if row is None or row.decision is Decision.UNDECIDED:
        return
    title = catalogue()[row.test].title
    pairs = o.beaten or o.lost or o.elsewhere
    if row.decision is Decision.DIFFERENT and not pairs:
        yield (
            f"Taken together the {what} differ ({title}, {p_equals(row.pvalue)}), but no single "
            "pair passes the correction: more data would be needed to say which."
        )
    elif row.decision is Decision.NOT_SHOWN and pairs:
        yield (
            f"The test of all models at once does not find a difference ({title}, "
            f"{p_equals(row.pvalue)}), so the finding rests on the pairwise tests alone: take it "
            "as tentative."
        )


def _fitted(study: Study, o: Outcome, first: Outcome) -> str:
    """Add what the held-out rows say of the fitted models."""
    row = o.family.rows[0]
    title = _title(o.family)
    start = f"As for the models fitted once and tested on {row.n:,} held-out rows"
    where = "" if len(study.datasets) == 1 else f" of {study.dataset_label(o.family.dataset)}"
    leader = study.label(o.leader)
    also = "also " if o.leader == first.leader and o.kind is first.kind else ""
    match o.kind:
        case Kind.WINNER:
            text = f"{leader} is {also}better than {_names(study, o)}"
        case Kind.PARTIAL:
            beaten = words([study.label(r.model_b) for r in o.beaten])
            text = (
                f"{leader} is better than {beaten}, but not shown to be better than "
                f"{_names(study, o)}"
            )
        case Kind.SAME:
            text = "they are right on the same rows, so nothing tells them apart"
        case Kind.UNDECIDED:
            text = "the test is undecided"
        case Kind.CONFLICT:
            text = f"{leader} is right most often, yet {_names(study, o)} is called better"
        case Kind.OTHERS:
            text = f"{leader} is right most often, but is not shown to be better than any other"
        case _:
            text = f"{_the(o.family)} cannot tell them apart"
            return f"{start}{where}: {text}."
    return f"{start}{where}: {text} ({title})."


def _equivalents(study: Study) -> Iterator[tuple[Family, Comparison]]:
    wanted = "" if len(study.datasets) > 1 else study.datasets[0]
    for family in study.families:
        if family.equivalence and family.dataset in (wanted, study.datasets[0]):
            for row in family.rows:
                if row.decision is Decision.EQUIVALENT:
                    yield family, row


def _equivalence(study: Study, family: Family, row: Comparison) -> str:
    margin = as_float(row.result.get("margin"))
    return (
        f"{study.label(row.model_a)} and {study.label(row.model_b)} are shown to differ by less "
        f"than the margin of {prose.gap(margin, row.metric)} ({_title(family)}, "
        f"{p_equals(row.pvalue_adjusted)}, about {prose.about(family)})."
    )


def _posterior(study: Study, leader: str, runner_up: str) -> Iterator[str]:
    """Give the posterior probabilities of the two best, where a Bayesian test ran."""
    wanted = "" if len(study.datasets) > 1 else study.datasets[0]
    for family in study.families:
        row = family.between(leader, runner_up) if family.bayesian else None
        if row is None or family.dataset != wanted or family.metric != study.metric.name:
            continue
        if row.status != "ok":
            continue
        better, equal, worse = posterior(family, row)
        rope = as_float(row.result["rope"])
        within = (
            f", that they differ by no more than {prose.gap(rope, row.metric)} {probability(equal)}"
            if rope > 0
            else ""
        )
        yield (
            f"The posterior probability that {study.label(leader)} is better than "
            f"{study.label(runner_up)} is {probability(better)}{within}, that it is worse "
            f"{probability(worse)} ({_title(family)})."
        )
        return


def posterior(family: Family, row: Comparison) -> tuple[float, float, float]:
    """Return the probabilities that A is better, both are equivalent, B is better."""
    a, equal, b = (as_float(row.result[k]) for k in ("p_a_better", "p_equivalent", "p_b_better"))
    return (b, equal, a) if family.turned(row.model_a, row.model_b) else (a, equal, b)


def _without_tests(study: Study, ranked: list[Ranked]) -> Verdict:
    """Answer from posteriors, or from single data sets, or not at all."""
    equivalents = list(_equivalents(study))
    if not ranked:
        return Verdict(Kind.UNDECIDED, "Undecided: no model has a complete set of scores.", ())
    best = ranked[0]
    name = study.label(best.model)
    if len(study.datasets) > 1:
        return _by_dataset(study, ranked)
    if len(ranked) > 1:
        sentences = list(_posterior(study, best.model, ranked[1].model))
        if sentences or equivalents:
            kind, headline = _weigh(study, best.model, ranked[1].model)
            if equivalents and kind is Kind.UNTESTED:
                kind, headline = Kind.EQUIVALENT, "Some models are practically equivalent."
            sentences += [_equivalence(study, *found) for found in equivalents[:3]]
            return Verdict(kind, headline, tuple(sentences))
    return Verdict(
        Kind.UNTESTED,
        f"{name} scores best, but no test compares it with the others.",
        (
            f"Its {study.metric.title} is {score(best.mean)}; whether its lead is chance cannot be "
            "told without a test of pairs.",
        ),
    )


def _weigh(study: Study, leader: str, runner_up: str) -> tuple[Kind, str]:
    """Turn a posterior into an answer, at the level of the experiment."""
    names = f"{study.label(leader)} and {study.label(runner_up)}"
    for family in study.families:
        row = family.between(leader, runner_up) if family.bayesian else None
        if row is None or family.metric != study.metric.name or row.status != "ok":
            continue
        better, equal, worse = posterior(family, row)
        if better >= 1 - study.alpha:
            than = f"{study.label(leader)} is probably better than {study.label(runner_up)}"
            return Kind.WINNER if len(study.models) == 2 else Kind.PARTIAL, f"{than}."
        if equal >= 1 - study.alpha:
            return Kind.EQUIVALENT, f"{names} are probably practically equivalent."
        if worse >= 1 - study.alpha:
            return Kind.CONFLICT, f"The evidence on {names} conflicts."
        return (
            Kind.CANNOT_TELL,
            f"Cannot tell whether {names.replace(' and ', ' or ', 1)} is better.",
        )
    return (
        Kind.UNTESTED,
        f"{study.label(leader)} scores best, but no test compares it with the others.",
    )


def _by_dataset(study: Study, ranked: list[Ranked]) -> Verdict:
    """Count the data sets on which the best model wins, where no test spans them."""
    best, name = ranked[0], study.label(ranked[0].model)
    sentences = [
        f"Over {len(study.datasets)} data sets its average rank is {best.rank:.2f} and its mean "
        f"{study.metric.title} {score(best.mean)}; it is first on {count(best.wins, 'data set')}."
    ]
    if len(ranked) > 1:
        sentences += _counted(study, best.model, ranked[1].model)
    sentences.append(
        "No test over data sets was run: that it leads on average may be chance, and adding one "
        "(such as friedman_posthoc or wilcoxon_signed_rank) would tell."
    )
    return Verdict(
        Kind.UNTESTED, f"{name} ranks best on average, which is not yet tested.", tuple(sentences)
    )


def _counted(study: Study, leader: str, second: str) -> Iterator[str]:
    per_test: dict[str, list[Comparison]] = {}
    titles = {}
    for family in study.families:
        row = family.between(leader, second) if family.settles and family.dataset else None
        if row is not None and family.metric == study.metric.name:
            per_test.setdefault(family.entry.name, []).append(row)
            titles[family.entry.name] = _the(family)
    for test, rows in list(per_test.items())[:1]:
        won = sum(row.decision is Decision.A_BETTER for row in rows)
        lost = sum(row.decision is Decision.B_BETTER for row in rows)
        yield (
            f"Data set by data set, {titles[test]} calls {study.label(leader)} better than "
            f"{study.label(second)} on {won}, worse on {lost}, and cannot tell on "
            f"{len(rows) - won - lost}."
        )


def _alone(study: Study, ranked: list[Ranked]) -> Verdict:
    name = study.label(study.models[0])
    if not ranked:
        return Verdict(
            Kind.UNDECIDED, f"{name} has no complete set of scores.", tuple(_left_out(study))
        )
    line = ranked[0]
    ci = f" ({percent(line.ci.confidence)} CI {interval(*line.ci)})" if line.ci else ""
    return Verdict(
        Kind.UNTESTED,
        "One model, so there is nothing to compare.",
        (f"The {study.metric.title} of {name} is {score(line.mean)}{ci}.",),
    )


def _left_out(study: Study) -> Iterator[str]:
    for model, reason in study.excluded.items():
        yield f"{study.label(model)} is left out of the ranking: {reason}."
    spanning = (row for row in study.comparisons if not row.dataset)
    for note in dict.fromkeys(n for row in spanning for n in row.result.get("left_out", ())):
        yield f"From the tests over data sets the {clean(note)}."


_COMMON = {
    "binomial", "combined", "corrected", "cost-sensitive", "difference", "equivalence",
    "multivariate", "one-sample", "one-way", "paired", "pairwise", "repeated-measures",
    "resampled", "sign", "two-sample",
}  # fmt: skip


def _title(family: Family) -> str:
    """Write a test's name as part of a sentence; only words that are no names lose capitals."""
    title = family.entry.title
    first = title.split()[0]
    return title[0].lower() + title[1:] if first.lower() in _COMMON else title


def _the(family: Family) -> str:
    """Write a test's name with its article."""
    title = _title(family)
    return title if title.split()[0].endswith(("'s", "s'")) else f"the {title}"

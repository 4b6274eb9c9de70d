"""Sentences on the comparisons of one test, which several kinds of answers share."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from bakeoff.comparisons.advice import RowCounts, remedies, smallest_pvalue
from bakeoff.comparisons.choose import CASES
from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report import prose, sentences, suites
from bakeoff.report.answers.answer import Answer
from bakeoff.report.family import Family, seen_from
from bakeoff.report.numbers import fixed, probability, pvalue, words
from bakeoff.report.ranking import ranking, without_noise
from bakeoff.report.study import Study
from bakeoff.spec.metrics import Passing
from bakeoff.stats import Evidence, McNemarPower, detectable_difference
from bakeoff.stats.core.result import Alternative

CITED_BESIDE = ("cv5x2_f", *filter(None, (case.beside for case in CASES.values())))
"""Tests that readers know from the literature: their p-value stands beside the main test's."""
MOST_WINNERS = 3
"""Models of which it is said than which others they are better; tables have all."""
POWER = 0.8
"""Probability with which a difference that is called detectable is found."""
IDENTICAL = "An identical result"
_MOST_TIMES = 1_000
"""How many times the rows at most are named as needed."""


# --- the test, and who is compared


def are(models: Sequence[Any]) -> str:
    """Return the verb for one or several."""
    if len(models) == 1:
        return "is"
    return "are"


def others(study: Study, rows: Sequence[Comparison]) -> str:
    """Name the models that A is compared with."""
    return study.names(row.model_b for row in rows)


def winners(rows: Iterable[Comparison]) -> Iterator[Comparison]:
    """Yield the significant comparisons, seen from the better model."""
    for row in rows:
        if row.decision is Decision.A_BETTER:
            yield seen_from(row, row.model_a)
        elif row.decision is Decision.B_BETTER:
            yield seen_from(row, row.model_b)


def evidence_and_side(study: Study, family: Family) -> str:
    """Name what a test was computed from, and whether it is one-sided."""
    on = ""
    if family.dataset:
        on = f" on {prose.evidence(study, family)}"
    if family.rows[0].alternative == "two-sided":
        return on
    return f"{on}, one-sided"


def test_of(study: Study, family: Family) -> str:
    """Name the test, its evidence, its side and its correction."""
    name = prose.title(family.entry, family.measure)
    test = f"{name}{evidence_and_side(study, family)}"
    if family.rows[0].family_size > 1:
        test += f", {prose.correction(family)}"
    return test


# --- how far one model is ahead of another


def ahead(
    study: Study,
    family: Family,
    row: Comparison,
    *,
    score: str = "",
    by_the_test: bool = False,
    next_best: bool = False,
) -> str:
    """Compare the model that is ahead with the other one; `score` names what is compared."""
    if row.estimate < 0:
        row = seen_from(row, row.model_b)
    far = _how_far(study, family, row)
    if by_the_test:
        far = f"by the estimate of the test {far}"
    other = study.name(row.model_b)
    if next_best:
        other += ", the next best"
    test = f"{prose.extreme_p([row])}; {test_of(study, family)}{_tests_beside(study, family, row)}"
    return sentences.ahead(score or _score_of(study, family, row.model_a), far, other, test)


def _score_of(study: Study, family: Family, model: str) -> str:
    """Name what a test compares of a model, with its mean where it is known."""
    if family.entry.unit:
        return f"{family.entry.unit} of {study.name(model)}"
    score = prose.of_model(family.measure.title, study.name(model))
    means = {line.model: line.mean for line in ranking(study, family.metric, family.plan)}
    if family.dataset and model in means:
        trained = prose.trained_on(study, family.dataset, family.plan)
        score += f" ({family.written.quantity(means[model])}{trained})"
    return score


def _how_far(study: Study, family: Family, row: Comparison) -> str:
    """Say how far the first model of a comparison is ahead."""
    if family.entry.unit:
        return f"{fixed(row.estimate, 2)} better than"
    better = "lower"
    if family.measure.greater_is_better:
        better = "higher"
    # a difference of rounding errors is none
    if not without_noise(study, family.metric, family.plan, row.estimate):
        return "the same as"
    if family.written.gap(row.estimate) == family.written.gap(0.0):
        return f"slightly {better} than"
    return f"{prose.gap_with_interval(row, family)} {better} than"


def _tests_beside(study: Study, family: Family, row: Comparison) -> str:
    """Name the tests from the literature of the same two models that ran beside the main test."""
    where = (family.dataset, family.plan, family.metric)
    texts = []
    for name in CITED_BESIDE:
        if name == family.entry.name:
            continue
        for other in study.of_test(name):
            if (other.dataset, other.plan, other.metric) != where:
                continue
            beside = other.between(row.model_a, row.model_b)
            if beside is not None and not math.isnan(beside.pvalue):
                texts.append(f"; {prose.title(other.entry)}: {prose.extreme_p([beside])}")
    return "".join(texts)


# --- what is significant, and what has no result


def better(
    study: Study, rows: Iterable[Comparison], by: str = "", gap: str = "", test: str = ""
) -> list[str]:
    """Say which models are better than which, a sentence for each winner."""
    by_winner = defaultdict[str, list[Comparison]](list)
    for row in rows:
        by_winner[row.model_a].append(row)
    texts = list[str]()
    for winner, beaten in list(by_winner.items())[:MOST_WINNERS]:
        # the largest p-value holds for all models that are beaten
        p = f"{gap}{prose.extreme_p(beaten, largest=True)}{test}"
        models = others(study, beaten)
        texts.append(sentences.significantly_better(study.name(winner), models, by, p))
    return texts


def undecided(
    study: Study, family: Family, rows: Sequence[Comparison], *, reason: bool = True
) -> str:
    """Say why comparisons of A, or of all models, are undecided."""
    models = [rows[0].model_a]
    models += [row.model_b for row in rows]
    names = study.names(models)
    if 1 < len(rows) == len(family.rows) and not family.control:
        names = "all pairs of models"
    why = ""
    if reason:
        why = prose.why_undecided(rows[0])
    return sentences.undecided(names, undecided_test(study, family), why)


def undecided_test(study: Study, family: Family) -> str:
    """Name a test that has no result."""
    name = prose.the(family.entry, family.measure)
    return f"{name}{evidence_and_side(study, family)}"


# --- other metrics


def by_other_metrics(study: Study, answer: Answer, first: Family) -> None:
    """Say by which other metrics the answer differs from that of the test that decides."""
    decided = _significant_pairs(first)
    n_metrics = 1
    not_significant = []
    any_added = False
    for metric in study.analysis.metrics:
        family = _same_test(study, first, metric)
        # a metric that jumps has no test
        if family is None or family.metric == first.metric or not family.measure.smooth:
            continue
        n_metrics += 1
        significant = _significant_pairs(family)
        added = []
        for pair, row in significant.items():
            if pair not in decided:
                added.append(row)
        if added:
            any_added = True
            answer.better += _better_by(study, first, family, added)
        # a pair that the deciding test tells apart, and this metric does not
        elif not decided.keys() <= significant.keys():
            not_significant.append(family.measure.title)
    if any_added:
        answer.uncorrected = sentences.uncorrected(str(n_metrics))
    if not_significant:
        models = f"Some of the models that differ by {first.measure.title}"
        if len(decided) == 1:
            models = study.names(next(iter(decided)))
        by = f"by {words(not_significant)}"
        answer.not_different.append(sentences.not_different(f"{models} do", by))


def _significant_pairs(family: Family) -> dict[tuple[str, str], Comparison]:
    """Map the better and the worse model of each significant comparison to it."""
    return {(row.model_a, row.model_b): row for row in winners(family.rows)}


def _better_by(
    study: Study, first: Family, family: Family, rows: Sequence[Comparison]
) -> list[str]:
    """Say which models are better by another metric."""
    gap = ""
    if len(rows) == 1:
        gap = f"{prose.gap_of(family, rows[0].estimate)}, "
    test = ""
    if family.entry is not first.entry:
        test = f"; {prose.title(family.entry, family.measure)}"
    return better(study, rows, f" by {family.measure.title}", gap, test)


def _same_test(study: Study, first: Family, metric: str) -> Family | None:
    """Find the family of the same test by another metric, or else the most trusted one."""
    wanted = (first.dataset, first.plan, metric, first.follows)
    for family in study.of_test(first.entry.name):
        if (family.dataset, family.plan, family.metric, family.follows) == wanted:
            return family
    return next(iter(study.trusted(first.dataset, metric)), None)


# --- what no result proves


def unproven(study: Study, answer: Answer, family: Family, rows: Sequence[Comparison]) -> None:
    """Say what rows that decide nothing do not prove, or that none could have decided."""
    if not rows:
        return
    impossible = none_possible(study, family, rows[0])
    if impossible:
        answer.none_possible = impossible
    else:
        answer.no_proof = _no_proof(study, family, rows[0])


def _no_proof(study: Study, family: Family, row: Comparison) -> str:
    """Say what a comparison that decides nothing would have found, and what would show it."""
    result = f"A p-value above {row.alpha:g}"
    size = _detectable(family, row)
    if math.isnan(size):
        return sentences.no_proof(result)
    between = ""
    if len(study.models) > 2:
        between = f" between {study.names([row.model_a, row.model_b])}"
    difference = f"a true difference of about {family.written.gap(size)}{between}"
    return sentences.no_proof(result, difference, _rows_needed(study, family, row, size))


def none_possible(study: Study, family: Family, row: Comparison) -> str:
    """Say that no result could have been significant, and what would help; empty if one could."""
    # too few groups or data sets for so many pairs
    models = {model: study.analysis.models[model] for model in family.models}
    compared = dataclasses.replace(study.analysis, models=models)
    test = study.planned.by_name[family.entry.name]
    size = _row_counts(study, family, row)
    smallest = smallest_pvalue(test, compared, size)
    if smallest <= row.alpha:
        return ""
    adjusted = ""
    if row.family_size > 1:
        adjusted = "adjusted "
    remedy = remedies(test, compared, size)
    return sentences.none_possible(adjusted, pvalue(smallest), f"{row.alpha:g}", remedy)


def _row_counts(study: Study, family: Family, row: Comparison) -> RowCounts | None:
    """Count the rows of a test set, and the groups or times that they belong to."""
    if not family.entry.evidence.on_rows:
        return None
    relation = study.analysis.datasets[row.dataset].relation if row.dataset else None
    details = {**row.result.get("details", {}), **row.result}
    units = details.get("n_clusters", details.get("n_times"))
    if relation is None or units is None:
        return RowCounts(row.n)
    if relation.kind == "group":
        return RowCounts(row.n, groups=int(units))
    return RowCounts(row.n, times=int(units))


def _detectable(family: Family, row: Comparison) -> float:
    """Return which true difference of two models the test would find; NaN where none is known."""
    # ranks and F tests have no standard error in the unit of the metric
    if not family.dataset or family.entry.unit or row.df1 is not None or row.alpha >= POWER:
        return math.nan
    # a two-sided interval reaches as far as a one-sided test at half its level
    level = 1 - (1 - row.confidence) / 2
    reach = (row.ci_high - row.ci_low) / 2
    if row.alternative != "two-sided":
        limit = row.ci_high
        if row.alternative == "greater":
            limit = row.ci_low
        level = row.confidence
        reach = abs(row.estimate - limit)
    least, most = family.measure.range
    if not 0 < reach < most - least:
        return math.nan
    # from the standard error that the interval shows, not from the difference that was seen
    size = detectable_difference(reach, level=level, power=POWER, df=row.df)
    if size >= most - least:
        return math.nan
    return size


def _rows_needed(study: Study, family: Family, row: Comparison, detectable: float) -> str:
    """Write how many rows, or groups of them, would show the difference that was seen."""
    rows = (study.test_sets or study.numbers).get(row.dataset)
    if family.entry.evidence is not Evidence.ROWS or rows is None or rows.times is not None:
        return ""
    n = row.n
    noun = "rows"
    if rows.groups is not None:
        # whole groups are sampled
        n = len(np.unique(rows.groups))
        noun = "groups of rows"
        if rows.items is not None and len(np.unique(rows.items)) == n:
            noun = "items"
    if isinstance(study.analysis.given_metrics.get(family.metric), Passing):
        noun = "items"
    if suites.of_tasks(family):
        noun += " in the same shares of the tasks"
    needed = math.inf
    counts_rows = rows.groups is None and "only_a_correct" in row.result.get("details", {})
    if row.estimate and counts_rows:
        needed = _rows_of_mcnemar(row)
    elif row.estimate:
        # standard errors fall with the root of the rows: n′ = n (detectable / seen)²
        needed = n * (detectable / row.estimate) ** 2
    if not n < needed <= _MOST_TIMES * n:
        return ""
    return f"{_rounded_up(needed):,} {noun} in place of {n:,}"


def _rows_of_mcnemar(row: Comparison) -> float:
    """Return how many rows show a difference of accuracies, as `bakeoff plan` says it.

    Limits of few discordant rows are wide beyond their standard error.
    """
    details = row.result["details"]
    discordance = (details["only_a_correct"] + details["only_b_correct"]) / row.n
    test = McNemarPower(discordance=discordance, calculation="normal")
    side: Alternative = "two-sided"
    if row.alternative != "two-sided":
        side = "greater"
    planned = test.solve(
        difference=abs(row.estimate), power=POWER, alpha=1 - row.confidence, alternative=side
    )
    return float(planned.n)


def _rounded_up(number: float) -> int:
    """Return a number rounded up to its first two digits."""
    step = int(10 ** max(0, math.floor(math.log10(number)) - 1))
    return math.ceil(number / step) * step


# --- equivalence and posteriors


def equivalents(study: Study) -> list[tuple[Family, list[Comparison]]]:
    """List what is shown to be equivalent, by test, metric and data set."""
    shown = []
    for family in study.families:
        rows = []
        for row in family.rows:
            if row.decision is Decision.EQUIVALENT:
                rows.append(row)
        if family.equivalence and rows:
            shown.append((family, rows))
    return shown


def margins(study: Study) -> list[str]:
    """Say which models differ by less than the margin; of single data sets tables tell it."""
    return [
        margin(study, family, rows)
        for family, rows in equivalents(study)
        if not (family.dataset and study.several)
    ]


def margin(study: Study, family: Family, rows: Sequence[Comparison]) -> str:
    """Say that models differ by less than the margin; `rows` are those that show it."""
    verb = "is"
    row = family.rows[0]
    if rows:
        row = rows[0]
        p = prose.extreme_p(rows, largest=True)
    else:
        verb = "is not"
        decided = [row for row in family.rows if row.decision is not Decision.UNDECIDED]
        p = prose.extreme_p(decided)
    models = _within(study, family, row, len(rows))
    test = f"{p}; {test_of(study, family)}"
    return sentences.within_margin(verb, models, family.written.gap(row.margin), test)


def _within(study: Study, family: Family, row: Comparison, n_shown: int) -> str:
    """Name the models or pairs that are compared with a margin, and how."""
    n_pairs = len(family.rows)
    some = f"{n_shown} of {n_pairs}" if n_shown else f"any of {n_pairs}"
    a = study.name(row.model_a)
    b = study.name(row.model_b)
    if family.noninferiority or prose.one_sided(row):
        if n_pairs > 1:
            return f"the first model of {some} pairs is not worse by"
        return f"{a} is not worse than {b} by"
    if n_pairs > 1:
        return f"{some} pairs of models differ by less than"
    return f"{a} and {b} differ by less than"


def weighed(study: Study, leader: str, runner_up: str) -> tuple[Family, Comparison] | None:
    """Find the Bayesian comparison of the two best models, where one ran and has an answer."""
    dataset = "" if study.several else study.datasets[0]
    for family in study.families:
        if not family.bayesian or (family.dataset, family.metric) != (dataset, study.metric.name):
            continue
        row = family.between(leader, runner_up)
        if row is not None and row.decision is not Decision.UNDECIDED:
            return family, row
    return None


def posterior(study: Study, leader: str, runner_up: str) -> list[str]:
    """Give the posterior probabilities of the two best, where a Bayesian test ran."""
    comparison = weighed(study, leader, runner_up)
    if comparison is None:
        return []
    family, row = comparison
    alike = ""
    if row.rope > 0:
        rope = family.written.gap(row.rope)
        alike = f", that they differ by no more than {rope} is {probability(row.p_equivalent)}"
    text = sentences.posterior(
        study.name(leader),
        study.name(runner_up),
        probability(row.p_a_better),
        alike,
        probability(row.p_b_better),
        test_of(study, family),
    )
    return [text]

"""The tests: of all models at once, of single models, and of pairs, as tables and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report import drawing, prose, tables
from bakeoff.report.drawing import SAYS, SIZE, Colour, IntervalLine, message
from bakeoff.report.exhibit import Drawing, Section, figure, table
from bakeoff.report.family import Family
from bakeoff.report.numbers import (
    capital,
    enumerated,
    letters_for,
    p_equals,
    percent,
    probability,
    short,
)
from bakeoff.report.ranking import order, oriented
from bakeoff.report.study import Study
from bakeoff.report.tables import COUNT, METRIC, MODEL, SCORE, A, B, Cell, Column, Table
from bakeoff.stats import Arity, TypeOneError, as_float, paired_odds_ratio_ci

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PAIRS = 300
"""With more comparisons a table keeps to the metric that ranks; comparisons.csv has all."""
MOST_ROWS = 15
"""With more pairs a figure of differences has those of the leader, and the table has all."""
MOST_OTHERS = 20
"""Of more models a figure has the differences to those that come next."""
MOST_DATASETS = 40
"""Of more data sets a figure has the largest differences to either side."""
PAIR_LETTERS = 36
"""So many letters have the names of a pair together, beside a figure."""
LEAST_LABELLED = 0.17
"""A smaller share of a bar has no room for its number."""
EFFECTS = {
    "cohens_g": "Cohen's g",
    "cohens_h": "Cohen's h",
    "auc_a": "AUC of A",
    "auc_b": "AUC of B",
    "rank_biserial": "Rank-biserial r",
    "share_a_better": "Share of A better",
    "probability_superiority": "P(A above B)",
}
"""Names of effect sizes that are no plain words."""
PROBABILITIES = (
    Column("p_a_better", "P(A better)", tables.PROBABILITY),
    Column("p_equivalent", "P(equivalent)", tables.PROBABILITY),
    Column("p_b_better", "P(B better)", tables.PROBABILITY),
)
_SIDES = {"greater": "above", "less": "below"}
"""On which side of a value a one-sided test asks a score to be."""
_ASKS = {"greater": "A", "less": "B"}
"""Which model a one-sided test asks to be better."""


# --- tests of all models, and of single ones


@table(
    Section.PAIRS,
    10,
    "Omnibus tests",
    when=lambda design: any(entry.arity is Arity.OMNIBUS for entry in design.tests),
)
def omnibus(study: Study) -> Table:
    """These tests are of the hypothesis that all models are equal. A small p-value means that some
    models differ, but not which; a large one does not show this, but is no evidence that they are
    equal. Pairwise tests are computed in either case; without a significant omnibus test a
    significant pair is tentative.
    """
    families = [family for family in study.families if family.role == "omnibus"]
    # those over all data sets come first
    families.sort(key=lambda family: bool(family.dataset))
    rows = []
    for family in families:
        where = prose.evidence(study, family)
        if family.dataset:
            where = study.dataset_label(family.dataset)
        row = tables.compared(study, family.rows[0])
        row["test"] = family.entry.title
        row["dataset"] = Cell(where)
        rows.append(row)
    columns = [
        Column("test", "Test"),
        Column("dataset", "On"),
        METRIC,
        tables.STATISTIC,
        tables.DF,
        Column("pvalue", "p", tables.P),
        tables.DECISION,
    ]
    return Table(columns, rows, caption=_caption_of_omnibus(study, families))


def _caption_of_omnibus(study: Study, families: Sequence[Family]) -> str:
    """Say for a paper which hypothesis was tested, on how much and at which level."""
    evidence = []
    for family in families:
        n = ""
        if family.dataset and not family.entry.evidence.on_rows:
            n = f" (n = {family.rows[0].n:,})"
        evidence.append(f"{prose.the(family.entry)} on {prose.evidence(study, family)}{n}")
    tests = enumerated(dict.fromkeys(evidence))
    return (
        f"The hypothesis that all {len(study.models)} models are equal is tested by {tests}. The "
        f"level is {percent(study.alpha)}."
    )


@table(Section.PAIRS, 50, "", each="test", when=lambda design, entry: entry.arity is Arity.ONE)
def single(study: Study, test: str) -> Table:
    """Each model is tested by itself against a fixed value. The test does not compare models; the
    p-values are adjusted for the number of models.
    """
    families = study.of_test(test, "single")
    rows = []
    for family in families:
        for comparison in family.rows:
            row = tables.compared(study, comparison)
            row["null_value"] = prose.tested_value(comparison)
            rows.append(row)
    first = families[0].rows[0]
    note = f"The p-values are those of {prose.correction(families[0])}."
    if first.alternative in _SIDES:
        side = _SIDES[first.alternative]
        note += f" One-sided test: is the score {side} the value?"
    columns = [
        MODEL,
        Column("dataset", "Data set", tables.DATASET_LABEL),
        METRIC,
        Column("estimate", "Estimate", SCORE),
        Column("ci_low", capital(prose.levels_of([first])), tables.INTERVAL),
        Column("null_value", "Tested against", tables.NUMBER),
        tables.STATISTIC,
        tables.PVALUE,
        tables.ADJUSTED,
        tables.DECISION,
    ]
    return Table(columns, rows, note, caption=_caption_of_single(study, families))


def _caption_of_single(study: Study, families: Sequence[Family]) -> str:
    """Say for a paper what each model is tested against, on how much, and at which level."""
    evidence = dict.fromkeys(prose.evidence(study, family) for family in families)
    first = families[0]
    return (
        f"Each model is tested by itself by {prose.the(first.entry)} on {enumerated(evidence)}. "
        f"The p-values are those of {prose.correction(first)}; the level is "
        f"{percent(first.rows[0].alpha)}."
    )


# --- the table of pairs


@table(Section.PAIRS, 60, "all pairs", each="test", when=Study.pairs)
def pairs(study: Study, test: str) -> Table:
    """Every pair of models, with A and B as in comparisons.csv; the difference is positive where A
    is better. The p-value, adjusted for the number of pairs (of Bayesian tests the posterior
    probability), decides. “Not shown” means that the data do not show which of the two is better,
    not that they are equal.
    """
    families = study.ranking_families(test)
    # over several data sets the table counts what was decided on each
    if len(families) > 1:
        return _tallies(study, families)
    first = families[0]
    by_metric = [first]
    for family in study.of_test(test, "pair"):
        if family.dataset == first.dataset and family is not first:
            by_metric.append(family)
    if sum(len(family.rows) for family in by_metric) > MOST_PAIRS:
        by_metric = [first]
    compared = _in_order(study, by_metric)
    effects = dict[str, None]()
    for row in compared:
        # rows may have unlike effect sizes, each of which is a column
        effects |= dict.fromkeys(row.result.get("effect_sizes", {}))
    rows = [_values(study, row, list(effects)) for row in compared]
    columns = _columns_of_pairs(by_metric, list(effects))
    note = _note_of_pairs(study, by_metric)
    return Table(columns, rows, note, caption=_caption_of_pairs(study, by_metric))


def _in_order(study: Study, families: Sequence[Family]) -> list[Comparison]:
    """Order the comparisons of each family by the ranks of their models."""
    place = {model: i for i, model in enumerate(order(study))}

    def places_of_models(row: Comparison) -> list[int]:
        return sorted([place[row.model_a], place[row.model_b]])

    rows = list[Comparison]()
    for family in families:
        rows += sorted(family.rows, key=places_of_models)
    return rows


def _values(study: Study, row: Comparison, effects: Sequence[str]) -> dict[str, Any]:
    """Return the values of a comparison with its effect sizes, by the keys of columns."""
    values = tables.compared(study, row)
    sizes = row.result.get("effect_sizes", {})
    for name in effects:
        values[f"effect_{name}"] = as_float(sizes.get(name))
    if "n_discordant" in row.result:  # McNemar's test of independent rows
        details = row.result["details"]
        only_a = details["only_a_correct"]
        only_b = details["only_b_correct"]
        side: Any = row.alternative
        ratio = paired_odds_ratio_ci(
            only_a_correct=only_a,
            only_b_correct=only_b,
            alternative=side,
            confidence_level=row.confidence,
        )
        values["only_a_correct"] = only_a
        values["only_b_correct"] = only_b
        values["odds_ratio_low"] = tuple(ratio)
    return values


def _columns_of_pairs(families: Sequence[Family], effects: Sequence[str]) -> list[Column]:
    """Return the columns of a table of pairs, of one metric or of several."""
    first = families[0]
    columns = []
    if len(families) > 1:
        columns.append(METRIC)
    columns += [
        A,
        B,
        Column("estimate", prose.advantage_of(families), SCORE),
        Column("ci_low", capital(prose.levels_of(first.rows)), tables.INTERVAL),
        Column("only_a_correct", "Only A right", COUNT),
        Column("only_b_correct", "Only B right", COUNT),
    ]
    if first.bayesian:
        columns += PROBABILITIES
    else:
        columns += [tables.STATISTIC, tables.DF, tables.PVALUE, tables.ADJUSTED]
    columns.append(tables.DECISION)
    columns.append(Column("odds_ratio_low", "Odds ratio, CI", tables.RATIO))
    for name in effects:
        title = EFFECTS.get(name, capital(name.replace("_", " ")))
        columns.append(Column(f"effect_{name}", title, tables.NUMBER))
    return columns


def _note_of_pairs(study: Study, families: Sequence[Family]) -> str:
    """Say what the pairs were computed from, and how the p-values were adjusted."""
    first = families[0]
    row = first.rows[0]
    by = ""
    if len(families) == 1:
        by = f" by {prose.unit(first)}"
    note = f"The models are compared{by} on {prose.evidence(study, first)}."
    if first.entry.unit:
        note += f" B − A is a difference of {prose.unit(first)}s, above 0 where A is better."
    if first.bayesian:
        return note
    note += f" The p-values are those of {prose.correction(first)}"
    if len(families) > 1 and row.family_size > 1:
        note += " for each metric"
    note += "."
    if row.alternative in _ASKS:
        note += f" One-sided test: is {_ASKS[row.alternative]} better?"
    return f"{note}{prose.disagreement(study, first.rows)}"


def _caption_of_pairs(study: Study, families: Sequence[Family]) -> str:
    """Say for a paper what is compared, on how much, by which test, correction and level."""
    first = families[0]
    row = first.rows[0]
    models = "The two models are compared"
    if len(study.models) > 2:
        models = f"The {len(study.models)} models are compared in pairs"
    by = "by several metrics"
    if len(families) == 1:
        by = f"by {prose.unit(first)}"
    n = ""
    if first.dataset and not first.entry.evidence.on_rows:
        n = f" (n = {row.n:,})"
    sentences = [f"{models} {by} on {prose.evidence(study, first)}{n}"]
    sign = f"The difference {prose.advantage_of(families)} is positive where A is better"
    if not math.isnan(row.confidence):
        sign += f"; the interval is the {prose.levels_of(first.rows)}"
    sentences.append(sign)
    test = prose.the(first.entry)
    if first.bayesian:
        sentences.append(f"Posterior probabilities are those of {test}")
    else:
        each = ""
        if len(families) > 1 and row.family_size > 1:
            each = " for each metric"
        sentences.append(
            f"The p-values are those of {test} ({prose.correction(first)}{each}); the level is "
            f"{percent(row.alpha)}"
        )
    return " ".join(f"{sentence}." for sentence in sentences)


def _tallies(study: Study, families: Sequence[Family]) -> Table:
    """Count for each pair the data sets on which the test decides in each way."""
    first = families[0]
    columns = _columns_of_tallies(first)
    rows = []
    for best, other in combinations(order(study), 2):
        a, b = oriented(study, best, other)
        # that A is not worse says nothing of B: such a comparison keeps its sides
        if first.noninferiority and first.turned(a, b):
            a, b = b, a
        compared = [family.between(a, b) for family in families]
        decisions = []
        for row in compared:
            if row is not None:
                decisions.append(row.decision)
        if decisions:
            line: dict[str, Any] = {"model_a": a, "model_b": b}
            for decision, column in columns.items():
                line[column.key] = decisions.count(decision)
            rows.append(line)
    level = percent(first.rows[0].alpha)
    note = (
        f"Numbers of data sets (of {len(families)}), by {first.measure.title} at the {level} "
        "level within each data set. comparisons.csv has all single results."
    )
    caption = (
        f"The {len(study.models)} models are compared in pairs by {first.measure.title} within "
        f"each of {len(families)} data sets, by {prose.the(first.entry)} "
        f"({prose.correction(first)} on each data set). The numbers are of data sets; the level is "
        f"{level}."
    )
    return Table([A, B, *columns.values()], rows, note, caption=caption)


def _columns_of_tallies(first: Family) -> dict[Decision, Column]:
    """Return a column for each decision that a test can make."""
    columns = dict[Decision, Column]()
    if not first.equivalence:
        columns[Decision.A_BETTER] = Column("a_better", "A better on", COUNT)
        columns[Decision.B_BETTER] = Column("b_better", "B better on", COUNT)
    if first.equivalence or first.bayesian:
        title = "Equivalent on"
        if first.noninferiority:
            title = "A not worse on"
        columns[Decision.EQUIVALENT] = Column("equivalent", title, COUNT)
    columns[Decision.NOT_SHOWN] = Column("not_shown", "Not shown on", COUNT)
    columns[Decision.UNDECIDED] = Column("undecided", "Undecided on", COUNT)
    return columns


# --- which pairs a figure shows


class Row(NamedTuple):
    """One line of a figure of pairs."""

    label: str
    comparison: Comparison
    family: Family


def chosen(study: Study, families: Sequence[Family]) -> tuple[list[Row], str]:
    """Choose the pairs of a figure and say which: all, or the leader's; of data sets the best."""
    if len(families) > 1:
        return _best_two_on_datasets(study, families)
    family = families[0]
    ranked = order(study)
    if family.control:
        others = []
        for model in ranked:
            if model != family.control:
                others.append(model)
        rows = _against(study, family, family.control, others)
        return rows, f"{study.label(family.control)}, the control, against each other model"
    if len(family.rows) > MOST_ROWS:
        rows = _against(study, family, ranked[0], ranked[1 : MOST_OTHERS + 1])
    else:
        rows = _every_pair(study, family, ranked)
    if len(rows) == len(family.rows):
        return rows, "every pair, the better-ranked model first"
    which = f"the next {len(rows)}"
    if len(rows) == len(ranked) - 1:
        which = "each other model"
    return rows, f"{study.label(ranked[0])}, the best, against {which}"


def _best_two_on_datasets(study: Study, families: Sequence[Family]) -> tuple[list[Row], str]:
    """Compare the two best models on each data set, or on those with the largest differences."""
    first, second = order(study)[:2]
    rows = []
    for family in families:
        comparison = family.between(first, second)
        if comparison is not None:
            label = short(study.dataset_label(family.dataset))
            rows.append(Row(label, comparison, family))
    # no order holds among NaNs, so that they stand last
    rows.sort(key=lambda row: (math.isnan(row.comparison.estimate), -row.comparison.estimate))
    if len(rows) > MOST_DATASETS:
        rows = rows[: MOST_DATASETS // 2] + rows[-MOST_DATASETS // 2 :]
    shows = f"{study.label(first)} against {study.label(second)}, the two best, on each data set"
    if len(rows) < len(families):
        shows += f" (the {len(rows)} most extreme differences of {len(families)})"
    return rows, shows


def _against(study: Study, family: Family, first: str, others: Sequence[str]) -> list[Row]:
    """Compare one model with others."""
    letters = letters_for(map(study.label, order(study)))
    rows = []
    for model in others:
        comparison = family.between(first, model)
        if comparison is not None:
            label = f"vs {short(study.label(model), letters)}"
            rows.append(Row(label, comparison, family))
    return rows


def _every_pair(study: Study, family: Family, ranked: Sequence[str]) -> list[Row]:
    """Compare each model with those that come after it."""
    letters = letters_for(map(study.label, ranked), PAIR_LETTERS // 2)
    rows = []
    for a, b in combinations(ranked, 2):
        comparison = family.between(a, b)
        if comparison is not None:
            label = f"{short(study.label(a), letters)} vs {short(study.label(b), letters)}"
            rows.append(Row(label, comparison, family))
    return rows


# --- figures of pairs


@figure(
    Section.PAIRS,
    30,
    "differences",
    each="test",
    # several criteria at once have no single difference
    when=lambda design, entry: (
        design.pairs(entry)
        and entry.type1 is not TypeOneError.BAYESIAN
        and entry.reads != "criteria"
    ),
)
def forest(study: Study, test: str) -> Drawing:
    """The difference of two models is above zero where the first is better; p is adjusted for the
    number of pairs. A filled square marks a significant difference; an open one marks that the data
    do not show which model is better.
    """
    families = study.ranking_families(test)
    rows, shows = chosen(study, families)
    compared = [row.comparison for row in rows]
    if not any(math.isfinite(row.estimate) for row in compared):
        return message("no difference could be estimated")
    edges = _edges(compared)
    lines = [_interval_line(row, edges) for row in rows]
    unit = prose.unit(families[0])
    if len({family.written.unit for family in families}) > 1:
        unit = families[0].written.title
    axis = f"advantage of the first in {unit}"
    drawn, axes = drawing.interval_plot(lines, axis, band=compared[0].margin)

    any_ticks = _draw_single_folds(axes, rows)
    if any(row.alternative != "two-sided" for row in compared):
        axes.set_xlim(*edges)
    texts = []
    for row in rows:
        difference = row.family.written.quantity(row.comparison.estimate)
        texts.append(f"{row.label}: {difference}, {p_equals(row.comparison.pvalue_adjusted)}")
    alt = f"{families[0].entry.title}, differences with intervals. {enumerated(texts)}."
    legend = _legend_of_differences(compared, any_ticks=any_ticks)
    return Drawing(drawn, alt, legend, shows, _numbers_of_differences(study, rows))


def _legend_of_differences(compared: Sequence[Comparison], *, any_ticks: bool) -> str:
    """Say what the lines, the ticks and the band of a figure of differences are."""
    legend = []
    if not all(math.isnan(row.ci_low) for row in compared):
        legend.append(f"The line is the {prose.levels_of(compared)}.")
    if any_ticks:
        legend.append("Ticks are the differences on single folds.")
    if compared[0].margin > 0:
        legend.append("The green band is the equivalence margin.")
    if any(row.alternative != "two-sided" for row in compared):
        legend.append("The interval of a one-sided test is unbounded on the other side.")
    return " ".join(legend)


def _interval_line(row: Row, edges: tuple[float, float]) -> IntervalLine:
    """Make a line of a difference; the open end of a one-sided interval reaches to the edge."""
    comparison = row.comparison
    low = comparison.ci_low
    high = comparison.ci_high
    # the interval of a one-sided test reaches to infinity on the side that it does not ask about
    if comparison.alternative == "less" and not math.isnan(low):
        low = edges[0]
    if comparison.alternative == "greater":
        high = edges[1]
    return IntervalLine(
        label=row.label,
        note=p_equals(comparison.pvalue_adjusted),
        estimate=comparison.estimate,
        ci=(low, high),
        decision=comparison.decision,
    )


def _edges(compared: Sequence[Comparison]) -> tuple[float, float]:
    """Return where the axis ends that shows everything but the open ends of one-sided intervals."""
    ends = [0.0]
    for row in compared:
        ends += [row.estimate, row.margin, -row.margin]
        if row.alternative != "less":
            ends.append(row.ci_low)
        if row.alternative != "greater":
            ends.append(row.ci_high)
    finite = []
    for end in ends:
        if math.isfinite(end):
            finite.append(end)
    room = 0.06 * (max(finite) - min(finite)) or 0.01
    return min(finite) - room, max(finite) + room


def _draw_single_folds(axes: Axes, rows: Sequence[Row]) -> bool:
    """Draw differences on single folds where there is no interval; tell whether there are any."""
    any_drawn = False
    for place, row in enumerate(rows):
        values = _on_single_folds(row)
        if not values:
            continue
        any_drawn = True
        colour = SAYS.get(row.comparison.decision, Colour.MUTED)
        axes.plot(values, [place] * len(values), "|", color=colour, markersize=7, alpha=0.7)
    return any_drawn


def _on_single_folds(row: Row) -> list[float]:
    """Return the differences on single folds; none where an interval stands in their place."""
    comparison = row.comparison
    if not math.isnan(comparison.ci_low):
        return []
    single_folds = comparison.result.get("details", {}).get("differences", [])
    values = list(map(as_float, np.ravel(np.array(single_folds, dtype=object))))
    if row.family.turned(comparison.model_a, comparison.model_b):
        values = [-value for value in values]
    return values


def _numbers_of_differences(study: Study, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the plotted differences, and those on single folds below their own."""
    numbers = []
    for row in rows:
        comparison = row.comparison
        compared = _compared_in(study, row)
        line = {
            "mark": "difference",
            **compared,
            "estimate": comparison.estimate,
            "ci_low": comparison.ci_low,
            "ci_high": comparison.ci_high,
            "pvalue_adjusted": comparison.pvalue_adjusted,
            "decision": comparison.decision.value,
            "margin": comparison.margin,
        }
        numbers.append(line)
        for value in _on_single_folds(row):
            numbers.append({"mark": "single fold", **compared, "estimate": value})
    return numbers


def _compared_in(study: Study, row: Row) -> dict[str, Any]:
    """Return what a line of a figure compares: the data set, if it is one, and both models."""
    dataset = row.family.dataset
    if dataset:
        dataset = study.dataset_label(dataset)
    return {
        "dataset": dataset,
        "model_a": study.label(row.comparison.model_a),
        "model_b": study.label(row.comparison.model_b),
    }


@figure(
    Section.PAIRS,
    20,
    "posterior",
    each="test",
    when=lambda design, entry: design.pairs(entry) and entry.type1 is TypeOneError.BAYESIAN,
)
def posterior(study: Study, test: str) -> Drawing:
    """The bars show the posterior probabilities that the first model is better, that both are
    practically equivalent (their difference lies in the region of practical equivalence), and that
    the second model is better. They are probabilities of these statements, not p-values.
    """
    families = study.ranking_families(test)
    rows, shows = chosen(study, families)
    drawn, axes = drawing.panel([row.label for row in rows], row=0.36, top=0.42)
    texts = []
    data = []
    for place, row in enumerate(rows):
        comparison = row.comparison
        shares = [comparison.p_a_better, comparison.p_equivalent, comparison.p_b_better]
        _draw_shares(axes, place, shares)
        texts.append(f"{row.label}: {', '.join(map(probability, shares))}")
        line = _compared_in(study, row)
        line["p_a_better"] = comparison.p_a_better
        line["p_equivalent"] = comparison.p_equivalent
        line["p_b_better"] = comparison.p_b_better
        line["rope"] = comparison.rope
        data.append(line)
    axes.set_xlim(0, 1)
    axes.set_xlabel("posterior probability")

    heads = [("first better", Colour.BLUE)]
    rope = max(row.comparison.rope for row in rows)
    if rope > 0:
        heads.append((f"within ±{families[0].written.quantity(rope)}", Colour.MUTED))
    heads.append(("second better", Colour.ORANGE))
    x = 0.0
    for text, colour in heads:
        axes.text(
            x, 1.02, text, transform=axes.transAxes, va="bottom", color=colour, fontsize=SIZE - 0.5
        )
        # in shares of the width of the axes
        x += (drawing.text_width(text) + 0.15) / drawing.width_of(axes)
    title = families[0].entry.title
    alt = f"{title}, probabilities of better, equivalent, worse. {enumerated(texts)}."
    return Drawing(drawn, alt, shows=shows, data=data)


def _draw_shares(axes: Axes, place: int, shares: Sequence[float]) -> None:
    """Draw probabilities of better, equivalent and worse as one bar."""
    if not all(map(math.isfinite, shares)):
        axes.text(
            0.5, place, "undecided", color=Colour.MUTED, ha="center", va="center",
            fontsize=SIZE - 0.5,
        )  # fmt: skip
        return
    start = 0.0
    for share, colour in zip(shares, (Colour.BLUE, Colour.SOFT, Colour.ORANGE), strict=True):
        opacity: float = 1
        ink = Colour.PAPER
        if colour is Colour.SOFT:
            opacity = 0.5
            ink = Colour.INK
        axes.barh(place, share, left=start, height=0.62, color=colour, linewidth=0, alpha=opacity)
        if share > LEAST_LABELLED:
            axes.text(
                start + share / 2, place, probability(share), ha="center", va="center",
                color=ink, fontsize=SIZE - 0.5, fontweight="bold",
            )  # fmt: skip
        start += share

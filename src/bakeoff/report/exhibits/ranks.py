"""Tests of all models at once, and the critical difference diagram."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bakeoff.comparisons import Decision
from bakeoff.report import prose
from bakeoff.report.cells import DECISION, DF, METRIC, STARRED, STATISTIC, compared
from bakeoff.report.drawing import (
    LEAST,
    MOST_DRAWN,
    SIZE,
    WIDTH,
    Colour,
    canvas,
    message,
    name_of,
    text_width,
)
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section, TableExhibit
from bakeoff.report.family import Family, as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, fixed, letters_for, words
from bakeoff.report.pairs_shown import families_of
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Cell, Column, PageTable, tabulate
from bakeoff.stats import Arity, Entry, Evidence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


OMNIBUS_COLUMNS = (
    Column("test", "Test"),
    Column("dataset", "On"),
    METRIC,
    STATISTIC,
    DF,
    Column("pvalue", "p", STARRED),
    DECISION,
    Column("posthoc", "Pairwise tests"),
)
_DIFFER = (Decision.A_BETTER, Decision.B_BETTER, Decision.DIFFERENT)


def build_omnibus(item: Item, study: Study) -> PageTable:
    """Show the tests of all models at once, and how many pairs differ with them.

    Those over all data sets come first: they answer the study's question.
    """
    families = [family for family in study.families if family.role == "omnibus"]
    families.sort(key=lambda family: bool(family.dataset))
    single = [family for family in families if family.dataset]
    rows = (
        compared(study, family.rows[0])
        | {
            "test": family.entry.title,
            "dataset": Cell(prose.where(study, family)),
            "posthoc": _pairs_with(study, family),
        }
        for family in families
    )
    overall, told = len(families) - len(single), _summary(study, single)
    return tabulate(item, study, OMNIBUS_COLUMNS, rows, summary=told, overall=overall)


def _summary(study: Study, families: list[Family]) -> str:
    """Count by test and metric the data sets on which the models are not all alike."""
    counted: dict[str, list[bool]] = {}
    metrics = {family.metric for family in families}
    for family in families:
        of = f", {family.measure.title}" if len(metrics) > 1 else ""
        said = family.rows[0].decision is Decision.DIFFERENT
        counted.setdefault(f"{family.entry.title}{of}", []).append(said)
    return "; ".join(
        f"{name}: not all equal on {sum(found)} of {count(len(found), 'data set')}"
        for name, found in counted.items()
    )


def _pairs_with(study: Study, family: Family) -> str:
    for pairs in study.of_test(family.entry.posthoc or ""):
        if pairs.settles and pairs.evidence == family.evidence:
            found = sum(row.decision in _DIFFER for row in pairs.rows)
            return f"{pairs.entry.title}: {found} of {count(len(pairs.rows), 'pair')} differ"
    return NONE


def draw_ranks(item: Item, study: Study) -> Drawing:
    """Draw the average ranks that the test compares, and bars as it found them.

    Ranks, bars and p-values come from one result: the diagram cannot disagree with the table.
    """
    family = families_of(study, item.test)[0]
    if not family.ranks or not all(map(math.isfinite, family.ranks.values())):
        return message("there are no average ranks")
    groups = joined(family)
    figure, alt = _diagram(study, family, groups), _alt(study, family, groups)
    if len(family.ranks) > MOST_DRAWN:
        return Drawing(figure, alt, shows=f"the {MOST_DRAWN} best of {len(family.ranks)} models")
    apart = [" and ".join(map(study.label, pair)) for pair in _models(family, "cd_pairs_not_shown")]
    if not apart:
        return Drawing(figure, alt)
    hidden = f"not {words(apart, 3)}, which do not differ significantly but cannot be joined"
    return Drawing(figure, alt, shows=hidden)


def joined(family: Family) -> list[list[str]]:
    """Return the groups that bars join: none versus a control, which has no such groups."""
    drawn = set(_drawn(family))
    groups = [[m for m in group if m in drawn] for group in _models(family, "cd_groups")]
    return [group for group in groups if len(group) > 1]


def _drawn(family: Family) -> list[str]:
    """Return the models of the diagram, best first."""
    return sorted(family.ranks, key=lambda model: family.ranks[model])[:MOST_DRAWN]


def _models(family: Family, key: str) -> list[list[str]]:
    names = list(family.ranks)
    found = family.rows[0].result["ranks"].get(key, ())
    return [[names[i] for i in group] for group in found]


def _scale(family: Family) -> tuple[int, int, int]:
    """Return first and last rank of the axis, and the step of its ticks."""
    values = [family.ranks[model] for model in _drawn(family)]
    low, high = 1, len(values)
    if len(values) < len(family.ranks):
        low, high = math.floor(min(values)), math.floor(max(values)) + 1
    span = high - low
    return low, high, max(1, math.ceil(span / 12))


def _diagram(study: Study, family: Family, groups: list[list[str]]) -> Figure:
    from matplotlib.lines import Line2D

    average = family.ranks
    order = _drawn(family)
    k = len(order)
    first, last, step = _scale(family)
    letters = letters_for(map(study.label, order), 26)
    labels = {m: f"{name_of(study.label(m), letters)}  {fixed(average[m], 2)}" for m in order}
    left = order[: (k + 1) // 2]
    margin = max(text_width(text) for text in labels.values()) + 0.2
    critical = as_float(family.rows[0].result["ranks"].get("critical_difference"))
    fits = math.isfinite(critical) and critical <= last - first and bool(groups)
    line, bar, top = 0.24, 0.13, 0.95 if fits else 0.5
    bars_height = 0.12 + bar * len(groups)
    height = top + bars_height + line * len(left) + 0.15
    width = max(WIDTH, 2 * margin + LEAST)
    figure = canvas(width, height)
    span = width - 2 * margin

    def x(rank: float) -> float:
        return (margin + span * (rank - first) / (last - first)) / width

    def y(down: float) -> float:
        return 1 - down / height

    def stroke(xs: list[float], ys: list[float], colour: str, width: float) -> None:
        figure.add_artist(Line2D(xs, ys, color=colour, linewidth=width, solid_capstyle="butt"))

    if fits:
        stroke([x(first), x(first + critical)], [y(0.47)] * 2, Colour.MUTED, 1.6)
        figure.text(
            x(first), y(0.42), f"critical difference {fixed(critical, 2)}",
            ha="left", va="bottom", color=Colour.MUTED, fontsize=SIZE - 0.5,
        )  # fmt: skip
    stroke([x(first), x(last)], [y(top)] * 2, Colour.INK, 0.9)
    for rank in range(first, last + 1, step):
        stroke([x(rank)] * 2, [y(top), y(top - 0.07)], Colour.INK, 0.9)
        figure.text(
            x(rank),
            y(top - 0.1),
            str(rank),
            ha="center",
            va="bottom",
            color=Colour.MUTED,
            fontsize=SIZE - 0.5,
        )
    title = "average rank (1 is best)"
    figure.text(0.5, y(0.05), title, ha="center", va="top", color=Colour.MUTED)
    for i, group in enumerate(groups):
        down = top + 0.12 + i * bar
        low, high = (average[group[0]], average[group[-1]])
        stroke([x(low) - 0.006, x(high) + 0.006], [y(down)] * 2, Colour.BLUE, 3.2)
    for i, model in enumerate(order):
        is_left = i < len(left)
        depth = i if is_left else k - 1 - i
        down = top + bars_height + line * depth + 0.1
        end = (margin - 0.12) / width if is_left else 1 - (margin - 0.12) / width
        stroke([x(average[model])] * 2, [y(top), y(down)], Colour.MUTED, 0.8)
        stroke([x(average[model]), end], [y(down)] * 2, Colour.MUTED, 0.8)
        name, value = labels[model].rsplit("  ", 1)
        text = f"{name}  {value}" if is_left else f"{value}  {name}"
        figure.text(
            end + (-0.007 if is_left else 0.007), y(down), text,
            ha="right" if is_left else "left", va="center", color=Colour.INK,
        )  # fmt: skip
    return figure


def _alt(study: Study, family: Family, groups: list[list[str]]) -> str:
    order = _drawn(family)
    listed = ", ".join(f"{study.label(m)} {family.ranks[m]:.2f}" for m in order)
    bars = "; ".join(f"{study.label(g[0])} to {study.label(g[-1])}" for g in groups)
    return f"Average ranks: {listed}. No significant difference: {bars or 'no models'}."


def _over_datasets(design: StudyDesign, entry: Entry) -> bool:
    ranked = entry.arity is Arity.ALL_PAIRS or (
        entry.all_pairs is not None and len(design.models) > 2
    )
    return ranked and entry.evidence is Evidence.DATASET_SCORES and design.pairs(entry)


EXHIBITS = {
    "omnibus": TableExhibit(
        section=Section.COMPARISONS,
        place=10,
        title="Omnibus tests",
        heading="All models at once",
        caption="Tests of the hypothesis that all models are equal. A small p-value means "
        "that some models differ, but not which; a large one is not evidence that they are equal. "
        "Pairwise tests are computed in either case; without a significant omnibus test a "
        "significant pair is tentative.",
        when=lambda design: any(entry.arity is Arity.OMNIBUS for entry in design.tests),
        build=build_omnibus,
    ),
    "ranks": FigureExhibit(
        section=Section.COMPARISONS,
        place=20,
        title="average ranks",
        caption="Critical difference diagram of the average ranks that the test compares. Bars "
        "join models that do not differ significantly by the adjusted p-values of this test. Where "
        "one critical difference holds for all pairs, it is drawn to scale.",
        each="test",
        when=_over_datasets,
        draw=draw_ranks,
    ),
}

"""Average ranks over data sets: the critical difference diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bakeoff.comparisons.run_tests import Decision
from bakeoff.report import drawing, prose
from bakeoff.report.drawing import MOST_DRAWN, SAYS, SIZE, Colour, message, name_of
from bakeoff.report.exhibit import Drawing, Section, figure
from bakeoff.report.family import Family
from bakeoff.report.numbers import enumerated, fixed, letters_for, p_equals, words
from bakeoff.report.study import Study
from bakeoff.stats import Arity, Entry, Evidence, as_float

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 0.24
"""Inches that the name of a model takes."""
BAR = 0.13
"""Inches that a bar takes."""
MOST_TICKS = 12


def _ranks_all(design: Study, entry: Entry) -> bool:
    """Show it for tests of all pairs over data sets."""
    formed = entry.all_pairs is not None and len(design.models) > 2
    ranked = entry.arity is Arity.ALL_PAIRS or formed
    return ranked and entry.evidence is Evidence.DATASETS and design.pairs(entry)


@figure(Section.PAIRS, 15, "average ranks", each="test", when=_ranks_all)
def ranks(study: Study, test: str) -> Drawing:
    """The diagram shows the average ranks of the models. Bars join models that do not differ
    significantly by the p-values of this test, adjusted for the number of pairs. Where one critical
    difference holds for all pairs, it is drawn to scale.
    """
    # ranks, bars and p-values come from one result: the diagram cannot disagree with the table
    family = study.ranking_families(test)[0]
    average = family.ranks
    if not average or not all(map(math.isfinite, average.values())):
        return message("there are no average ranks")
    models = sorted(average, key=lambda model: average[model])[:MOST_DRAWN]
    groups = joined(family)
    first = 1
    last = len(models)
    if len(models) < len(average):
        first = math.floor(average[models[0]])
        last = math.floor(average[models[-1]]) + 1
    letters = letters_for(map(study.label, models), 26)
    names = {}
    for model in models:
        names[model] = name_of(study.label(model), letters)

    # names stand in two halves at the sides, bars between the axis and them; all in inches
    n_left = (len(models) + 1) // 2
    margin = max(map(drawing.text_width, names.values())) + drawing.text_width("  99.99") + 0.2
    critical = as_float(family.rows[0].result["ranks"].get("critical_difference"))
    # a critical difference beyond the axis cannot be drawn to its scale
    scaled = math.isfinite(critical) and critical <= last - first and bool(groups)
    top = 0.5
    if scaled:
        top = 0.95
    below = top + 0.22 + BAR * len(groups)
    width = max(drawing.WIDTH, 2 * margin + drawing.LEAST)
    height = below + LINE * n_left + 0.05
    place = margin / width, 0.0, 1 - 2 * margin / width, 1.0
    drawn, axes = drawing.one_panel(width, height, place)
    axes.set(xlim=(first, last), ylim=(height, 0))
    axes.axis("off")
    inch = (last - first) / drawing.width_of(axes)  # in ranks

    if scaled:
        _line(axes, [first, first + critical], [0.47] * 2, Colour.MUTED, 1.6)
        _note(axes, first, 0.42, f"critical difference {fixed(critical, 2)}", "left")
    _line(axes, [first, last], [top] * 2, Colour.INK, 0.9)
    for rank in range(first, last + 1, max(1, math.ceil((last - first) / MOST_TICKS))):
        _line(axes, [rank] * 2, [top, top - 0.07], Colour.INK, 0.9)
        _note(axes, rank, top - 0.1, str(rank), "center")
    _note(axes, (first + last) / 2, 0.18, "average rank (1 is best)", "center")
    for i, group in enumerate(groups):
        ends = [average[group[0]] - 0.04 * inch, average[group[-1]] + 0.04 * inch]
        _line(axes, ends, [top + 0.12 + BAR * i] * 2, Colour.BLUE, 3.2)
    for i, model in enumerate(models):
        value = fixed(average[model], 2)
        # lines from the axis do not cross: on both sides the outermost name is the highest
        down = below + LINE * (len(models) - 1 - i)
        end = last + 0.1 * inch
        text = f"{value}  {names[model]}"
        beside = end + 0.04 * inch
        side = "left"
        if i < n_left:
            down = below + LINE * i
            end = first - 0.1 * inch
            text = f"{names[model]}  {value}"
            beside = end - 0.04 * inch
            side = "right"
        xs = [average[model], average[model], end]
        _line(axes, xs, [top, down, down], Colour.MUTED, 0.8)
        axes.text(beside, down, text, ha=side, va="center")
    data = _numbers(study, family, models, groups)
    if scaled:
        data.append({"mark": "critical difference", "average_rank": critical})
    legend = f"{_pairs_that_differ(study, family)} {_without_a_bar(study, family)}".rstrip()
    return Drawing(
        drawn,
        _text(study, family, models, groups),
        legend,
        drawing.best_of(models, list(family.ranks)),
        data,
    )


def _line(
    axes: Axes, xs: Sequence[float], ys: Sequence[float], colour: Colour, width: float
) -> None:
    """Draw a line, beyond the axes too."""
    axes.plot(xs, ys, color=colour, lw=width, clip_on=False, solid_capstyle="butt")


def _note(axes: Axes, x: float, y: float, text: str, side: str) -> None:
    """Write a small text."""
    axes.text(x, y, text, ha=side, va="bottom", color=Colour.MUTED, fontsize=SIZE - 0.5)


def _numbers(
    study: Study, family: Family, models: Sequence[str], groups: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """Return the average ranks, and from which model to which each bar reaches."""
    rows: list[dict[str, Any]] = []
    for model in models:
        rows.append(
            {"mark": "rank", "model": study.label(model), "average_rank": family.ranks[model]}
        )
    for group in groups:
        row = {
            "mark": "bar",
            "model": study.label(group[0]),
            "average_rank": family.ranks[group[0]],
            "last_model": study.label(group[-1]),
            "last_average_rank": family.ranks[group[-1]],
        }
        rows.append(row)
    return rows


def _text(
    study: Study, family: Family, models: Sequence[str], groups: Sequence[Sequence[str]]
) -> str:
    """Say the ranks, and which models bars join, for who cannot see the figure."""
    ranked = []
    for model in models:
        ranked.append(f"{study.label(model)} {fixed(family.ranks[model], 2)}")
    bars = []
    for group in groups:
        bars.append(f"{study.label(group[0])} to {study.label(group[-1])}")
    not_different = "; ".join(bars) or "no models"
    return f"Average ranks: {', '.join(ranked)}. No significant difference: {not_different}."


def _pairs_that_differ(study: Study, family: Family) -> str:
    """Name the pairs that differ significantly, the most significant first."""
    different = [row for row in family.rows if row.decision in SAYS]
    if not different:
        return "No two models differ significantly."
    different.sort(key=lambda row: row.pvalue_adjusted)
    pairs = []
    for row in different:
        better = row.model_a
        worse = row.model_b
        if row.decision is Decision.B_BETTER:
            better = row.model_b
            worse = row.model_a
        p = p_equals(row.pvalue_adjusted, prose.p_name(row))
        pairs.append(f"{study.label(better)} is better than {study.label(worse)} ({p})")
    return f"Significant differences: {enumerated(pairs)}."


def _without_a_bar(study: Study, family: Family) -> str:
    """Name the pairs without a significant difference that no bar can stand for."""
    pairs = _groups(family, "cd_pairs_not_shown")
    if not pairs or len(family.ranks) > MOST_DRAWN:
        return ""
    hidden = []
    for pair in pairs:
        hidden.append(" and ".join(map(study.label, pair)))
    return (
        f"No bar stands for {words(hidden, 3)}, although no significant difference was found "
        "there, because a bar joins all models between its ends."
    )


def joined(family: Family) -> list[list[str]]:
    """Return the groups that bars join: none versus a control, which has no such groups."""
    drawn = sorted(family.ranks, key=lambda model: family.ranks[model])[:MOST_DRAWN]
    groups = []
    for group in _groups(family, "cd_groups"):
        shown = []
        for model in group:
            if model in drawn:
                shown.append(model)
        if len(shown) > 1:
            groups.append(shown)
    return groups


def _groups(family: Family, key: str) -> list[list[str]]:
    """Return groups of models that the test found."""
    models = list(family.ranks)
    groups = []
    # the test knows models by their places in the order of its ranks
    for group in family.rows[0].result["ranks"].get(key, ()):
        groups.append([models[place] for place in group])
    return groups

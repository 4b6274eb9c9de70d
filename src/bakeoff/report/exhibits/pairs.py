"""The tests as figures: differences of pairs, their matrix, posteriors, and average ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.drawing import (
    LEAST,
    MOST_DRAWN,
    SAYS,
    SIZE,
    WIDTH,
    Colour,
    IntervalLine,
    bare,
    canvas,
    grid,
    interval_plot,
    message,
    name_of,
    name_rows,
    text_width,
)
from bakeoff.report.exhibit import Drawing, Section, figure
from bakeoff.report.family import Family, as_float
from bakeoff.report.numbers import enumerated, fixed, letters_for, p_equals, probability, pvalue
from bakeoff.report.numbers import words as listed
from bakeoff.report.pairs_shown import (
    Row,
    difference_name,
    families_of,
    order,
    rows_of,
    what_is_shown,
)
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.written import with_unit
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NUMBERED = 30
"""With more models, cells of the matrix have colours and no numbers, which nobody could read."""
LEVELS = 16
"""Shades of a matrix without numbers."""


# --- differences -----------------------------------------------------------------------------


@figure(
    Section.COMPARISONS,
    22,
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
    """Differences between pairs of models. A filled square marks a significant difference (by the
    adjusted p-value).
    """
    families = families_of(study, test)
    rows = rows_of(study, families)
    compared = [row.comparison for row in rows]
    if not any(math.isfinite(c.estimate) for c in compared):
        return message("no difference could be estimated")
    edges = _edges(compared)
    units = len({row.written.unit for row in rows}) > 1
    lines = [_interval(row, edges, units=units) for row in rows]
    drawn, axes = interval_plot(lines, difference_name(families), band=compared[0].margin)
    ticked = False
    for place, row in enumerate(rows):
        single = _differences(row)
        if math.isnan(row.comparison.ci_low) and len(single):
            ticked = True
            colour = SAYS.get(row.comparison.decision, Colour.MUTED)
            axes.plot(single, [place] * len(single), "|", color=colour, markersize=7, alpha=0.7)
    one_sided = any(c.alternative != "two-sided" for c in compared)
    if one_sided:
        axes.set_xlim(*edges)
    parts = []
    if not all(math.isnan(c.ci_low) for c in compared):
        parts.append(f"The line is the {prose.levels_of(compared)}")
    if ticked:
        parts.append("Ticks are the differences on single folds")
    if compared[0].margin > 0:
        shown = "not worse" if any(map(prose.one_sided, compared)) else "equivalent"
        green = any(c.decision is Decision.EQUIVALENT for c in compared)
        parts.append(
            "The green band is the equivalence margin"
            + (f"; green squares are significantly {shown}" if green else "")
        )
    if one_sided:
        parts.append("The interval of a one-sided test is unbounded on the other side")
    told = (
        f"{row.label}: {row.written.told(row.comparison.estimate)}, "
        f"{p_equals(row.comparison.pvalue_adjusted)}"
        for row in rows
    )
    alt = f"{families[0].entry.title}, differences with intervals. {enumerated(told)}."
    legend = " ".join(f"{part}." for part in parts)
    return Drawing(drawn, alt, legend, what_is_shown(study, families, rows))


def _edges(found: list[Comparison]) -> tuple[float, float]:
    """Return where the axis ends that shows everything but the open ends of one-sided intervals."""
    ends = [0.0, *(c.estimate for c in found), *(s * c.margin for c in found for s in (-1, 1))]
    ends += [c.ci_low for c in found if c.alternative != "less"]
    ends += [c.ci_high for c in found if c.alternative != "greater"]
    known = [end for end in ends if math.isfinite(end)]
    room = 0.06 * (max(known) - min(known)) or 0.01
    return min(known) - room, max(known) + room


def _interval(row: Row, edges: tuple[float, float], *, units: bool) -> IntervalLine:
    c, size = row.comparison, row.written.told if units else row.written.score
    low, high, ci = math.nan, math.nan, ""
    if not math.isnan(c.ci_low):
        low = edges[0] if c.alternative == "less" else c.ci_low
        high = edges[1] if c.alternative == "greater" else c.ci_high
        ci = f" {row.written.interval(c.ci_low, c.ci_high)}"
    p = p_equals(c.pvalue_adjusted, "adj. p" if prose.p_name(c) != "p" else "p")
    note = f"{size(c.estimate)}{ci}  {p}"
    return IntervalLine(row.label, note, c.estimate, (low, high), c.decision)


def _differences(row: Row) -> NDArray[np.float64]:
    found = row.comparison.result.get("details", {}).get("differences", [])
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    return -values if row.turned else values


# --- matrix ----------------------------------------------------------------------------------


@figure(
    Section.COMPARISONS,
    23,
    "matrix",
    each="test",
    when=lambda design, entry: (
        design.pairs(entry)
        and entry.type1 is not TypeOneError.BAYESIAN
        and len(design.models) > 2
        and design.analysis[entry.name].versus is None
    ),
)
def matrix(study: Study, test: str) -> Drawing:
    """All pairs of models. Blue: the model of the row is significantly better; orange: the model of
    the column; green: both are equivalent; grey: the test cannot tell.
    """
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    families, models = families_of(study, test), order(study)
    several, family = len(families) > 1, families[0]
    names = list(map(study.label, models))
    labels = [name_of(name, letters_for(names)) for name in names]
    k = len(models)
    numbered = k <= MOST_NUMBERED
    side = 0.62 if k <= 6 else 0.5 if k <= 12 else 0.4 if numbered else 0.16
    left = max(text_width(label) for label in labels) + 0.15
    top = max(text_width(label) * 0.72 for label in labels) + 0.2
    right = max(0.2, top - side / 2)  # the last name leans over the edge
    width, height = left + k * side + right, top + k * side + 0.1
    drawn = canvas(width, height)
    axes = drawn.add_axes((left / width, 0.1 / height, k * side / width, k * side / height))
    size = SIZE if k <= 6 else SIZE - 1.5 if k <= 12 else SIZE - 2.7

    def square(i: int, j: int, n: int = 1, **how: Any) -> None:
        # the axes have their limits: no patch has to tell its own
        axes.add_artist(Rectangle((j, i), n, 1, **how))

    for i, a in enumerate(models):
        seen = [[row for f in families if (row := f.between(a, b))] for b in models]
        for j, rows in enumerate(seen if numbered else ()):
            if not rows:
                continue
            (colour, strength), row = _shade(rows, several), rows[0]
            if several:
                text, strong = str(_won(rows)), _won(rows) > 0
            else:
                written = family.written.score(row.estimate)
                text = written if i > j else pvalue(row.pvalue_adjusted)
                text = "?" if text == "undecided" else text.replace(" ", "")
                strong = row.decision in SAYS
            face = to_rgba(colour, strength)
            square(i, j, facecolor=face, edgecolor=Colour.PAPER, linewidth=1.2)
            axes.text(
                j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size,
                color=Colour.INK if strong else Colour.MUTED,
                fontweight="bold" if strong else "normal",
            )  # fmt: skip
        shades = [_shade(rows, several) if rows else None for rows in seen]
        start = 0
        for shade, own in groupby(() if numbered else shades, _level_of):
            n = len(list(own))  # neighbours of like colour are one
            if shade and shade[1]:
                square(i, start, n, facecolor=shade[0], alpha=shade[1], linewidth=0)
            start += n
        edge = Colour.PAPER if numbered else Colour.LINE
        square(i, i, facecolor=Colour.LINE, edgecolor=edge)
    axes.set_xlim(0, k)
    axes.set_ylim(k, 0)
    axes.set_xticks([i + 0.5 for i in range(k)])
    upright = {"rotation": 45, "rotation_mode": "anchor"} if numbered else {"rotation": 90}
    axes.set_xticklabels(labels, ha="left" if numbered else "center", **upright)
    axes.xaxis.tick_top()
    axes.set_yticks([i + 0.5 for i in range(k)], labels)
    axes.tick_params(length=0, labelcolor=Colour.INK)
    for spine in axes.spines.values():
        spine.set_visible(not numbered)
    if several:
        says = family.within if family.equivalence else "the model of the row is better"
        alt = f"the number of {len(families)} data sets on which {says}"
        alt = f"{family.entry.title}: for each pair of {k} models, {alt}."
    else:
        shown = sum(row.decision in SAYS for row in family.rows)
        margin = "not inferior" if family.noninferiority else "equivalent"
        alt = (
            f"{family.entry.title}: differences and adjusted p-values of {len(family.rows)} pairs "
            f"of models; {shown} of them are significantly "
            f"{margin if family.equivalence else 'different'}."
        )
    if not numbered:
        legend = "The stronger the colour, the more data sets. " if several else ""
        legend += "The table of all pairs has the numbers."
    elif several:
        legend = (
            "Each number counts the data sets on which the model of the row is significantly "
            f"better, or on green {family.within}."
        )
    else:
        legend = f"On green {family.within}. " if family.noninferiority else ""
        legend += (
            f"Below the diagonal is {with_unit('the difference', family.written.unit)}, row minus "
            "column; above it is the adjusted p-value, or a question mark where the comparison is "
            "undecided."
        )
    return Drawing(drawn, alt, legend)


def _won(rows: list[Comparison]) -> int:
    """Count the data sets on which the first model is equivalent, or else better."""
    said = [row.decision for row in rows]
    return said.count(Decision.EQUIVALENT) or said.count(Decision.A_BETTER)


def _shade(rows: list[Comparison], several: bool) -> tuple[str, float]:
    """Return the colour of a pair and how strong it is."""
    if not several:
        decision = rows[0].decision
        return SAYS.get(decision, Colour.SOFT), 0.3 if decision in SAYS else 0.12
    equal = any(row.decision is Decision.EQUIVALENT for row in rows)
    return Colour.GREEN if equal else Colour.BLUE, 0.75 * _won(rows) / len(rows)


def _level_of(shade: tuple[str, float] | None) -> tuple[str, float] | None:
    return shade and (shade[0], math.ceil(shade[1] * LEVELS) / LEVELS)


# --- posteriors ------------------------------------------------------------------------------


@figure(
    Section.COMPARISONS,
    21,
    "posterior",
    each="test",
    when=lambda design, entry: design.pairs(entry) and entry.type1 is TypeOneError.BAYESIAN,
)
def posterior(study: Study, test: str) -> Drawing:
    """Posterior probabilities that the first model is better, that both are practically equivalent
    (their difference lies in the region of practical equivalence), and that the second model is
    better. They are probabilities of these statements, not p-values. Beside them stands the
    posterior density of the difference, with the region of practical equivalence shaded.
    """
    families = families_of(study, test)
    rows, family = rows_of(study, families), families[0]
    labels = [row.label for row in rows]
    curves = [density(row.comparison) for row in rows]
    with_curves = any(curve is not None for curve in curves)
    each, top, bottom, gap = 0.42, 0.42, 0.55, 0.3
    left = max(text_width(label) for label in labels) + 0.15
    height = len(rows) * each + top + bottom
    drawn = canvas(WIDTH, height)
    room = WIDTH - left - 0.15
    bar = (room - gap) * 0.5 if with_curves else room
    vertical = bottom / height, len(rows) * each / height
    axes = drawn.add_axes((left / WIDTH, vertical[0], bar / WIDTH, vertical[1]))
    bare(axes)
    for place, row in enumerate(rows):
        _bar(axes, place, row.comparison)
    name_rows(axes, labels)
    axes.set_xlim(0, 1)
    axes.set_xlabel("posterior probability")
    rope = max(row.comparison.rope for row in rows)
    x = left
    for text, colour in (
        ("first better", Colour.BLUE),
        (f"within ±{family.written.told(rope)}" if rope > 0 else "", Colour.MUTED),
        ("second better", Colour.ORANGE),
    ):
        if text:
            drawn.text(
                x / WIDTH, 1 - (top - 0.1) / height, text, ha="left", va="bottom",
                color=colour, fontsize=SIZE - 0.5,
            )  # fmt: skip
            x += text_width(text) + 0.15
    if with_curves:
        start = (left + bar + gap) / WIDTH
        beside = drawn.add_axes((start, vertical[0], bar / WIDTH, vertical[1]), sharey=axes)
        _densities(beside, curves, rope)
        beside.set_xlabel(f"advantage of the first ({prose.unit(family)})")
    told = enumerated(
        f"{label}: {', '.join(map(probability, (c.p_a_better, c.p_equivalent, c.p_b_better)))}"
        for label, c in ((row.label, row.comparison) for row in rows)
    )
    alt = f"{family.entry.title}, probabilities of better, equivalent, worse. {told}."
    return Drawing(drawn, alt, shows=what_is_shown(study, families, rows))


def _bar(axes: Axes, place: int, row: Comparison) -> None:
    start = 0.0
    for share, colour, ink in (
        (row.p_a_better, Colour.BLUE, Colour.PAPER),
        (row.p_equivalent, Colour.SOFT, Colour.INK),
        (row.p_b_better, Colour.ORANGE, Colour.PAPER),
    ):
        if not math.isfinite(share):
            axes.text(
                0.5, place, "undecided", ha="center", va="center",
                color=Colour.MUTED, fontsize=SIZE - 0.5,
            )  # fmt: skip
            return
        axes.barh(
            place, share, left=start, height=0.62, color=colour, linewidth=0,
            alpha=0.5 if colour == Colour.SOFT else 1,
        )  # fmt: skip
        if share > 0.17:
            axes.text(
                start + share / 2, place, probability(share), ha="center", va="center",
                color=ink, fontsize=SIZE - 0.5, fontweight="bold",
            )  # fmt: skip
        start += share


def density(row: Comparison) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the posterior density of A's advantage where it is known: Student's t of one test."""
    details = row.result.get("details", {})
    if row.status != "ok" or "posterior_scale" not in details or row.df is None:
        return None
    scale = as_float(details["posterior_scale"])
    reach = float(special.stdtrit(row.df, 1 - 0.003))
    t = np.linspace(-reach, reach, 121)
    half = (row.df + 1) / 2
    constant = math.exp(special.gammaln(half) - special.gammaln(row.df / 2))
    y = constant / math.sqrt(row.df * math.pi) * (1 + t**2 / row.df) ** -half / scale
    # the estimate is the posterior's mean, already turned with the pair
    return row.estimate + t * scale, y


def _densities(axes: Axes, curves: list[tuple[np.ndarray, np.ndarray] | None], rope: float) -> None:
    bare(axes)
    axes.tick_params(axis="y", labelleft=False, left=False)
    if rope > 0:
        axes.axvspan(-rope, rope, color=Colour.SOFT, alpha=0.2, linewidth=0)
    axes.axvline(0, color=Colour.MUTED, linewidth=0.9)
    for place, curve in enumerate(curves):
        if curve is None:
            continue
        x, y = curve
        base = place + 0.31
        top = base - 0.66 * y / y.max()
        for part, colour in (
            (x >= rope, Colour.BLUE),
            (abs(x) <= rope, Colour.SOFT),
            (x <= -rope, Colour.ORANGE),
        ):
            axes.fill_between(x, base, top, where=part, color=colour, alpha=0.35, linewidth=0)
        axes.plot(x, top, color=Colour.INK, linewidth=0.9)
    grid(axes)


# --- average ranks ---------------------------------------------------------------------------


def _ranks_all(design: StudyDesign, entry: Entry) -> bool:
    """Show it for tests of all pairs over data sets."""
    formed = entry.all_pairs is not None and len(design.models) > 2
    ranked = entry.arity is Arity.ALL_PAIRS or formed
    return ranked and entry.evidence is Evidence.DATASETS and design.pairs(entry)


@figure(Section.COMPARISONS, 20, "average ranks", each="test", when=_ranks_all)
def ranks(study: Study, test: str) -> Drawing:
    """Critical difference diagram of the average ranks that the test compares. Bars join models
    that do not differ significantly by the adjusted p-values of this test. Where one critical
    difference holds for all pairs, it is drawn to scale.
    """
    # ranks, bars and p-values come from one result: the diagram cannot disagree with the table
    family = families_of(study, test)[0]
    average = family.ranks
    if not average or not all(map(math.isfinite, average.values())):
        return message("there are no average ranks")
    groups, models = joined(family), _drawn(family)
    bars = "; ".join(f"{study.label(g[0])} to {study.label(g[-1])}" for g in groups)
    alt = (
        f"Average ranks: {', '.join(f'{study.label(m)} {fixed(average[m], 2)}' for m in models)}. "
        f"No significant difference: {bars or 'no models'}."
    )
    shows = ""
    if len(average) > MOST_DRAWN:
        shows = f"the {MOST_DRAWN} best of {len(average)} models"
    elif apart := _models(family, "cd_pairs_not_shown"):
        hidden = listed([" and ".join(map(study.label, pair)) for pair in apart], 3)
        shows = f"not {hidden}, which do not differ significantly but cannot be joined"
    return Drawing(_diagram(study, family, models, groups), alt, shows=shows)


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


def _diagram(
    study: Study, family: Family, models: Sequence[str], groups: list[list[str]]
) -> Figure:
    from matplotlib.lines import Line2D

    average, k = family.ranks, len(models)
    first, last = 1, k
    if k < len(average):
        values = [average[model] for model in models]
        first, last = math.floor(min(values)), math.floor(max(values)) + 1
    letters = letters_for(map(study.label, models), 26)
    labels = {m: f"{name_of(study.label(m), letters)}  {fixed(average[m], 2)}" for m in models}
    left = models[: (k + 1) // 2]
    margin = max(text_width(text) for text in labels.values()) + 0.2
    critical = as_float(family.rows[0].result["ranks"].get("critical_difference"))
    fits = math.isfinite(critical) and critical <= last - first and bool(groups)
    line, bar, top = 0.24, 0.13, 0.95 if fits else 0.5
    bars_height = 0.12 + bar * len(groups)
    height = top + bars_height + line * len(left) + 0.15
    width = max(WIDTH, 2 * margin + LEAST)
    drawn = canvas(width, height)
    span = width - 2 * margin

    def x(rank: float) -> float:
        return (margin + span * (rank - first) / (last - first)) / width

    def y(down: float) -> float:
        return 1 - down / height

    def stroke(xs: list[float], ys: list[float], colour: str, width: float) -> None:
        drawn.add_artist(Line2D(xs, ys, color=colour, linewidth=width, solid_capstyle="butt"))

    if fits:
        stroke([x(first), x(first + critical)], [y(0.47)] * 2, Colour.MUTED, 1.6)
        drawn.text(
            x(first), y(0.42), f"critical difference {fixed(critical, 2)}",
            ha="left", va="bottom", color=Colour.MUTED, fontsize=SIZE - 0.5,
        )  # fmt: skip
    stroke([x(first), x(last)], [y(top)] * 2, Colour.INK, 0.9)
    for rank in range(first, last + 1, max(1, math.ceil((last - first) / 12))):
        stroke([x(rank)] * 2, [y(top), y(top - 0.07)], Colour.INK, 0.9)
        drawn.text(
            x(rank), y(top - 0.1), str(rank), ha="center", va="bottom",
            color=Colour.MUTED, fontsize=SIZE - 0.5,
        )  # fmt: skip
    title = "average rank (1 is best)"
    drawn.text(0.5, y(0.05), title, ha="center", va="top", color=Colour.MUTED)
    for i, group in enumerate(groups):
        low, high = average[group[0]], average[group[-1]]
        down = top + 0.12 + i * bar
        stroke([x(low) - 0.006, x(high) + 0.006], [y(down)] * 2, Colour.BLUE, 3.2)
    for i, model in enumerate(models):
        is_left = i < len(left)
        depth = i if is_left else k - 1 - i
        down = top + bars_height + line * depth + 0.1
        end = (margin - 0.12) / width if is_left else 1 - (margin - 0.12) / width
        stroke([x(average[model])] * 2, [y(top), y(down)], Colour.MUTED, 0.8)
        stroke([x(average[model]), end], [y(down)] * 2, Colour.MUTED, 0.8)
        name, value = labels[model].rsplit("  ", 1)
        drawn.text(
            end + (-0.007 if is_left else 0.007), y(down),
            f"{name}  {value}" if is_left else f"{value}  {name}",
            ha="right" if is_left else "left", va="center", color=Colour.INK,
        )  # fmt: skip
    return drawn

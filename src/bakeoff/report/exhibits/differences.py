"""Differences between pairs of models, and what tests on folds make of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.drawing import SAYS, Colour, IntervalLine, canvas, interval_plot, message
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.family import Family, as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, fixed, p_equals
from bakeoff.report.pairs_shown import Row, difference_name, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.stats import Entry, Evidence, TypeOneError


def draw_forest(item: Item, study: Study) -> Drawing:
    """Draw differences with their intervals, and where there is none the folds' differences."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    if not any(math.isfinite(row.comparison.estimate) for row in rows):
        return message("no difference could be estimated")
    edges = _edges([row.comparison for row in rows])
    units = len({row.written.unit for row in rows}) > 1
    lines = [_interval(row, edges, units=units) for row in rows]
    axis = difference_name(families)
    figure, axes = interval_plot(lines, axis, band=rows[0].comparison.margin)
    for place, row in enumerate(rows):
        differences = _differences(row)
        if math.isnan(row.comparison.ci_low) and len(differences):
            colour = SAYS.get(row.comparison.decision, Colour.MUTED)
            places = [place] * len(differences)
            axes.plot(differences, places, "|", color=colour, markersize=7, alpha=0.7)
    if any(row.comparison.alternative != "two-sided" for row in rows):
        axes.set_xlim(*edges)
    shows = what_is_shown(study, families, rows)
    return Drawing(figure, _alt(families[0], rows), _legend(rows), shows)


def _legend(rows: list[Row]) -> str:
    """Explain what is drawn, and nothing else."""
    found = [row.comparison for row in rows]
    lined = [not math.isnan(c.ci_low) for c in found]
    parts = []
    if any(lined):
        parts.append(f"The line is the {prose.levels_of(found)}")
    if any(len(_differences(row)) for row, line in zip(rows, lined, strict=True) if not line):
        parts.append("Ticks are the differences on single folds")
    if found[0].margin > 0:
        shown = "not worse" if any(map(prose.one_sided, found)) else "equivalent"
        green = f"; green squares are significantly {shown}"
        parts.append(
            "The green band is the equivalence margin"
            + green * any(c.decision is Decision.EQUIVALENT for c in found)
        )
    if any(c.alternative != "two-sided" for c in found):
        parts.append("The interval of a one-sided test is unbounded on the other side")
    return "".join(f"{part}. " for part in parts).rstrip()


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


def _alt(family: Family, rows: list[Row]) -> str:
    told = (
        f"{row.label}: {row.written.told(row.comparison.estimate)}, "
        f"{p_equals(row.comparison.pvalue_adjusted)}"
        for row in rows
    )
    return f"{family.entry.title}, differences with intervals. {enumerated(told)}."


def _differences(row: Row) -> NDArray[np.float64]:
    found = row.comparison.result.get("details", {}).get("differences", [])
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    return -values if row.turned else values


def draw_ten_t(item: Item, study: Study) -> Drawing:
    """Draw the ten t values that ten orders of the folds could have given, with F beside."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    found = [(row, values) for row in rows if len(values := ten_t_values(row)) == 10]
    if not found:
        return message("there are no t values, because the folds do not vary")
    alpha = found[0][0].comparison.alpha
    critical = float(special.stdtrit(5, 1 - alpha / 2))
    axis = f"ten possible t values; shaded: |t| < {fixed(critical, 2)}, p > {alpha:g}"
    lines = [IntervalLine(row.label, _statistic_note(row)) for row, _ in found]
    figure, axes = interval_plot(lines, axis, band=critical, tint=Colour.MUTED)
    for place, (_, values) in enumerate(found):
        for t in values:
            fill = None if abs(t) > critical else Colour.PAPER
            colour = Colour.BLUE if t > 0 else Colour.ORANGE
            axes.plot(
                t, place, "o", markersize=4.5, color=colour, markerfacecolor=fill, alpha=0.9
            )  # fmt: skip
    counts = [int(sum(abs(t) > critical for t in values)) for _, values in found]
    told = (f"{one.label}: {c} of 10 beyond" for one, c in zip(lines, counts, strict=True))
    alt = f"Ten t values for each pair, critical value {critical:.2f}. {enumerated(told)}."
    return Drawing(figure, alt, shows=what_is_shown(study, families, rows))


def ten_t_values(row: Row) -> list[float]:
    """Return the t values with each of the ten differences as the numerator."""
    details = row.comparison.result.get("details", {})
    if not {"differences", "variances"} <= set(details):
        return []
    scale = math.sqrt(math.fsum(as_float(v) for v in details["variances"]) / 5)
    if not scale > 1e-12:
        return []
    sign = -1 if row.turned else 1
    return [sign * as_float(d) / scale for pair in details["differences"] for d in pair]


def _statistic_note(row: Row) -> str:
    """Write the statistic with its letter; t has a sign, which turns with the pair."""
    c = row.comparison
    signed = c.df1 is None
    value = -c.statistic if signed and row.turned else c.statistic
    raw = " not adjusted" if prose.p_name(c) != "p" else ""
    return f"{'t' if signed else 'F'} = {fixed(value, 2)}, {p_equals(c.pvalue)}{raw}"


Points = NDArray[np.float64]


def draw_quantiles(item: Item, study: Study) -> Drawing:
    """Draw the ordered differences of every pair against the quantiles of a normal distribution."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    found = [(row, points) for row in rows if len(points := standardised(study, row))]
    if not found:
        return message("the differences do not vary, so they have no distribution to show")
    figure = canvas(3.6, 3.4)
    axes = figure.add_axes((0.16, 0.15, 0.8, 0.81))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    reach = max(2.0, *(float(np.abs(points).max()) for _, points in found)) * 1.08
    axes.plot([-reach, reach], [-reach, reach], color=Colour.SOFT, linewidth=1, zorder=0)
    for place, (_, points) in reversed(list(enumerate(found))):
        colour, size, alpha = (Colour.MUTED, 2.5, 0.35) if place else (Colour.BLUE, 4.5, 0.9)
        x = normal_quantiles(len(points))
        axes.plot(x, points, "o", color=colour, markersize=size, alpha=alpha)
    axes.set_xlim(-2.6, 2.6)
    axes.set_ylim(-reach, reach)
    axes.set_xlabel("quantiles of a normal distribution")
    axes.set_ylabel("differences over folds, standardised")
    first, points = found[0]
    worst = min(straightness(points) for _, points in found)
    alt = (
        f"{first.label}: {len(points)} differences over folds, correlation with normal quantiles "
        f"{fixed(straightness(points), 3)}; the lowest of {len(found)} shown is {fixed(worst, 3)}."
    )
    return Drawing(figure, alt, alt, what_is_shown(study, families, rows))


def standardised(study: Study, row: Row) -> Points:
    """Return the ordered differences of a pair over the folds; none where they do not vary."""
    c = row.comparison
    own = study.scores.query("dataset == @c.dataset and plan == @c.plan and metric == @c.metric")
    wide = own.pivot_table(index=["repeat", "fold"], columns="model", values="value", dropna=False)
    if not {c.model_a, c.model_b} <= set(wide.columns):
        return np.empty(0)
    a, b = (c.model_b, c.model_a) if row.turned else (c.model_a, c.model_b)
    differences: Points = (wide[a] - wide[b]).dropna().to_numpy(np.float64)
    if len(differences) < 3 or np.ptp(differences) <= 1e-12:
        return np.empty(0)
    return np.sort((differences - differences.mean()) / differences.std(ddof=1))


def normal_quantiles(n: int) -> Points:
    """Return what n ordered normal values are expected to be near (Blom 1958)."""
    found: Points = special.ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    return found


def straightness(points: Points) -> float:
    """Return the correlation with normal quantiles: 1 on a straight line."""
    wanted = normal_quantiles(len(points))  # their mean is 0
    both = (wanted * (points - points.mean())).sum()
    return float(both / (np.sqrt(np.square(wanted).sum() * len(points)) * points.std()))


def _of_scores(design: StudyDesign, entry: Entry) -> bool:
    return design.pairs(entry) and entry.evidence is Evidence.FOLD_SCORES


EXHIBITS = {
    "forest": FigureExhibit(
        section=Section.COMPARISONS,
        place=22,
        title="differences",
        caption="Differences between pairs of models. A filled square marks a significant "
        "difference (by the adjusted p-value).",
        each="test",
        # several criteria at once have no single difference
        when=lambda design, entry: (
            design.pairs(entry)
            and entry.type1 is not TypeOneError.BAYESIAN
            and entry.evidence is not Evidence.FOLD_CRITERIA
        ),
        draw=draw_forest,
    ),
    "ten_t": FigureExhibit(
        section=Section.COMPARISONS,
        place=24,
        title="ten t values",
        caption="The 5×2cv t test divides the first of ten differences by their standard error, so "
        "it depends on the order of the folds. These are the ten t values that the order allows; "
        "those in the shaded band are not significant. The combined F test uses all ten at once "
        "and does not depend on the order.",
        each="test",
        when=lambda design, entry: _of_scores(design, entry) and entry.plans == ("cv_5x2",),
        draw=draw_ten_t,
    ),
    "quantiles": FigureExhibit(
        section=Section.TRUST,
        place=32,
        title="normality of the differences",
        caption="Tests on folds assume that the differences of two models over the folds are "
        "normal. In this Q-Q plot the standardised differences of the two best models (blue) and "
        "of other pairs (grey) lie near the line if they are normal. A curve or an outlier is a "
        "reason to look at the single folds; few folds scatter around the line.",
        each="test",
        # the halves of `halves` have a mean each, which the test compares, not its folds
        when=lambda design, entry: _of_scores(design, entry) and "halves" not in entry.plans,
        folded="Q-Q plot",
        draw=draw_quantiles,
    ),
}

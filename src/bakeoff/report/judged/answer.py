"""The answer to a question about a judged evaluation, and the forms in which it is written."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bakeoff.comparisons.run_tests import Decision
from bakeoff.report.drawing import IntervalLine, interval_plot, styled, svg
from bakeoff.report.exhibit import Drawing
from bakeoff.report.numbers import MINUS, NONE, fixed, paragraph, pvalue
from bakeoff.report.page import inline_svg, render
from bakeoff.report.tables import Cell, Column, PageTable, markdown, numbers
from bakeoff.report.tables import to_latex as table_to_latex
from bakeoff.report.tables import to_markdown as table_to_markdown
from bakeoff.stats import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NUMBER = numbers(str)  # of a column: its cells are made beforehand
LEADS, UNDECIDED = "winner", "cannot_tell"
"""What an answer is: a finding, or none."""
_MOST_ON_PAGE = 300
_MOST_TICKS = 6


@dataclasses.dataclass(frozen=True)
class Plot:
    """Estimates with intervals below each other."""

    title: str
    axis: str
    lines: tuple[IntervalLine, ...]
    note: str
    centre: float = 0.0
    """Where the line of no difference stands."""
    whole_numbers: bool = False

    @property
    def data(self) -> list[dict[str, Any]]:
        """The plotted numbers, unrounded: a row for each line."""
        rows = []
        for line in self.lines:
            low, high = line.ci
            row = {
                "label": line.label,
                "estimate": line.estimate,
                "ci_low": low,
                "ci_high": high,
                "decision": line.decision.value,
            }
            rows.append(row)
        return rows


@dataclasses.dataclass(frozen=True)
class Answer:
    """What an evaluation shows, in sentences, tables and figures."""

    kind: str
    headline: str
    sentences: tuple[str, ...]
    tables: Mapping[str, PageTable]
    plots: Mapping[str, Plot]
    comparisons: tuple[Mapping[str, Any], ...]
    """One for each pair of models, as in comparisons.csv."""
    facts: Mapping[str, Any]
    """What JSON has beside verdict and comparisons."""
    shown: tuple[str, ...] = ()
    """The tables that a terminal shows."""
    notes: tuple[str, ...] = ()
    command: str = ""

    @property
    def lines(self) -> list[str]:
        """The headline, and a sentence in each line after it."""
        return [self.headline, *self.sentences]

    @property
    def all_notes(self) -> list[str]:
        """The notes on the file."""
        return list(self.notes)

    def figure(self, name: str) -> Figure:
        """Draw a plot."""
        return self.drawing(name).figure

    def drawing(self, name: str) -> Drawing:
        """Draw a plot, with the numbers in it."""
        plot = self.plots[name]
        return Drawing(drawn(plot), plot.title, plot.note, data=plot.data)

    @cached_property
    def pictures(self) -> dict[str, str]:
        """The figures as SVG files."""
        pictures = {}
        for name in self.plots:
            pictures[name] = svg(self.figure(name))
        return pictures

    @property
    def as_plain(self) -> dict[str, Any]:
        """Verdict, comparisons and all else, as plain data."""
        verdict = {
            "kind": self.kind,
            "headline": self.headline,
            "sentences": list(self.sentences),
        }
        rows = [plain(dict(row)) for row in self.comparisons]
        return {"verdict": verdict, **plain(dict(self.facts)), "comparisons": rows}

    @property
    def json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_plain, indent=2, ensure_ascii=False, allow_nan=False)

    @property
    def html(self) -> str:
        """It as a page that needs no other file."""
        pictures = {}
        for name, text in self.pictures.items():
            pictures[name] = inline_svg(text, f"fig-{name}")
        return render("judged.html.j2", answer=self, pictures=pictures, most=_MOST_ON_PAGE)

    @property
    def brief(self) -> str:
        """The answer and the tables as one text in Markdown."""
        parts = [f"**{markdown(self.headline)}**", *map(markdown, self.sentences)]
        for table in self.tables.values():
            parts.append(f"**{markdown(table.title)}**")
            parts.append(table_to_markdown(table.part(0, _MOST_ON_PAGE)))
            if table.note:
                parts.append(markdown(table.note))
        return "\n\n".join(parts) + "\n"

    @property
    def latex(self) -> str:
        """The tables for a paper, one after the other."""
        return "\n".join(map(table_to_latex, self.tables.values(), self.tables))


def drawn(plot: Plot) -> Figure:
    """Draw estimates with intervals around the line of no difference."""
    with styled():
        # interval_plot draws the line of no difference at 0
        moved = [_moved(line, plot.centre) for line in plot.lines]
        figure, axes = interval_plot(moved, plot.axis)
        if plot.centre:
            _say_numbers_themselves(axes, plot)
    return figure


def _say_numbers_themselves(axes: Axes, plot: Plot) -> None:
    """Mark an axis of distances from a centre at round numbers, and write these beside it."""
    from matplotlib.ticker import MaxNLocator

    low, high = axes.get_xlim()
    limits = (low + plot.centre, high + plot.centre)
    locator = MaxNLocator(nbins=_MOST_TICKS, integer=plot.whole_numbers)
    ticks = []
    for tick in map(float, locator.tick_values(*limits)):
        if limits[0] <= tick <= limits[1]:
            ticks.append(tick)
    # every tick has as many digits as the one that needs most
    digits = max(len(f"{tick:.6g}".partition(".")[2]) for tick in ticks)
    texts = [fixed(tick, digits) for tick in ticks]
    axes.set_xticks([tick - plot.centre for tick in ticks], texts)


def _moved(line: IntervalLine, centre: float) -> IntervalLine:
    """Return a line with its numbers relative to a centre."""
    low, high = line.ci
    return line._replace(estimate=line.estimate - centre, ci=(low - centre, high - centre))


# --- what is found


def kind_of(*, is_finding: bool) -> str:
    """Return what an answer is: a finding, or none."""
    if is_finding:
        return LEADS
    return UNDECIDED


def better_of(estimate: float) -> Decision:
    """Return which model a finding is for, by the sign of A − B."""
    if estimate > 0:
        return Decision.A_BETTER
    return Decision.B_BETTER


def decision_of(pvalue: float, alpha: float, estimate: float) -> Decision:
    """Return what a p-value decides at a level."""
    if math.isnan(pvalue):
        return Decision.UNDECIDED
    if pvalue > alpha:
        return Decision.NOT_SHOWN
    return better_of(estimate)


def place_of(effect: float) -> str:
    """Return which place wins more often."""
    if effect >= 0:
        return "first"
    return "second"


# --- cells and numbers


def words(key: str, title: str) -> Column:
    """Return a column of texts."""
    return Column(key, title)


def amounts(key: str, title: str) -> Column:
    """Return a column of numbers."""
    return Column(key, title, NUMBER)


def text(value: str) -> Cell:
    """Return a cell of words."""
    return Cell(value)


def amount(value: float, write: Callable[[float], str]) -> Cell:
    """Return a cell of a number."""
    # a number that is not known is a dash, and in files an empty cell
    if isinstance(value, float) and math.isnan(value):
        return Cell(NONE, math.nan)
    return Cell(write(value), value)


def whole_number(value: int) -> Cell:
    """Return a cell of a count."""
    return Cell(f"{value:,}", int(value))


def limits(low: float, high: float, write: Callable[[float], str]) -> Cell:
    """Return a cell of an interval, which sorts by its lower limit."""
    if math.isnan(low):
        return Cell(NONE, math.nan, high=math.nan)
    return Cell(f"{write(low)} to {write(high)}", low, high=high)


def p_cell(value: float) -> Cell:
    """Return a cell of a p-value."""
    return Cell(pvalue(value), value)


def table_of(
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    note: str,
    evidence: str = "",
) -> PageTable:
    """Return a table of cells; for a paper it says on how much evidence and at which level."""
    caption = f"{note} {evidence}".rstrip()
    return PageTable(title, tuple(columns), tuple(map(tuple, rows)), note, caption=caption)


def share(value: float) -> str:
    """Write a share in percent with one digit."""
    return f"{fixed(100 * value, 1)}%"


def points(value: float) -> str:
    """Write a difference of shares in percentage points."""
    return fixed(100 * value, 1)


def small(value: float) -> str:
    """Write a number below 1 without the zero before the point."""
    written = f"{abs(value):.3f}"
    if written.startswith("0."):
        written = written[1:]
    # what rounds to 0 has no sign
    if value < 0 and re.search("[1-9]", written):
        return MINUS + written
    return written


def p_text(value: float) -> str:
    """Write a p-value within brackets."""
    written = pvalue(value)
    # “< .001” needs no sign of equality
    if written[0] in "<>":
        return f"p {written}"
    return f"p = {written}"


def wrapped(lines: Sequence[str]) -> list[str]:
    """Break sentences into lines that fit a terminal."""
    return [paragraph(line) for line in lines]

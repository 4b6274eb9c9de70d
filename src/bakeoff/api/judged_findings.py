"""The object that comparisons of judged evaluations return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from bakeoff.api.findings import Findings, as_text
from bakeoff.errors import UserError, unknown
from bakeoff.report.drawing import into
from bakeoff.report.judged.answer import Answer
from bakeoff.report.numbers import paragraph
from bakeoff.report.page import render
from bakeoff.report.tables import PageTable, as_frame, numbers_frame, to_latex, to_markdown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class JudgedFindings(Findings):
    """The findings of preferences, of marks that people corrected, or of a look.

    It shows itself at the end of a notebook's cell and in a terminal, as `Findings` does.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    @property
    def _written(self) -> Answer:
        return self._answer

    @property
    def methods(self) -> str:
        """What was done, as the notes of the tables say it."""
        notes = [table.note for table in self._answer.tables.values()]
        notes += self._answer.notes
        return " ".join(filter(None, notes))

    @property
    def bibtex(self) -> str:
        """Empty: `methods` cites nothing."""
        return ""

    @property
    def scores(self) -> pd.DataFrame:
        """One row for each model, or look."""
        return self.to_frame(self.tables[0])

    @property
    def subgroups(self) -> pd.DataFrame:
        """Empty: there are none."""
        return pd.DataFrame()

    @property
    def verdict(self) -> str:
        """The answer: a headline, and a sentence in each line after it."""
        return "\n".join(self._answer.lines)

    @property
    def comparisons(self) -> pd.DataFrame:
        """One row for each pair of models."""
        return pd.DataFrame(list(map(dict, self._answer.comparisons)))

    @property
    def facts(self) -> dict[str, Any]:
        """What was counted and measured, as in `to_json`."""
        return self._answer.as_plain

    @property
    def figures(self) -> tuple[str, ...]:
        """The names that `figure` takes."""
        return tuple(self._answer.plots)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names that `to_frame`, `to_latex` and `to_markdown` take."""
        return tuple(self._answer.tables)

    def figure(self, name: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw one of `figures`, into `ax` if it is given; default: the first."""
        with into(ax):
            return self._answer.figure(self._plot(name))

    def figure_data(self, name: str | None = None) -> pd.DataFrame:
        """Return the numbers that one of `figures` plots, unrounded; default: the first."""
        return numbers_frame(self._answer.drawing(self._plot(name)))

    def _plot(self, name: str | None) -> str:
        """Return the name of a figure; without one that of the first."""
        if name is None:
            return self.figures[0]
        if name not in self._answer.plots:
            raise UserError(unknown("figure", name, self.figures))
        return name

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return one of `tables` with its numbers unrounded; default: `comparisons`."""
        if table is None:
            return self.comparisons
        return as_frame(self._table(table))

    def to_markdown(self, table: str | None = None) -> str:
        """Return one of `tables` in Markdown; default: the first."""
        return to_markdown(self._table(table)) + "\n"

    def to_latex(self, table: str | None = None) -> str:
        """Return one of `tables` for a paper; it needs the package booktabs."""
        return to_latex(self._table(table), table or self.tables[0])

    def to_json(self) -> str:
        """Return verdict, comparisons and all else as JSON."""
        return self._answer.json

    def __repr__(self) -> str:
        texts = list(map(paragraph, self._answer.lines))
        for name in self._answer.shown:
            texts.append("")
            texts.append(as_text(self._answer.tables[name]))
        return "\n".join(texts)

    def _repr_html_(self) -> str:
        """Show the page in a notebook; every text is escaped."""
        tables = list(map(self._table, self._answer.shown))
        return render("judged_cell.html.j2", answer=self._answer, tables=tables)

    def _table(self, name: str | None) -> PageTable:
        """Return a table by its name; the first without one."""
        if name is None:
            name = self.tables[0]
        if name not in self._answer.tables:
            raise UserError(unknown("table", name, self.tables))
        return self._answer.tables[name]

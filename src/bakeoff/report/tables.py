"""Tables: the columns that they share, and one content for the page, Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup, escape

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.errors import escaped
from bakeoff.files import no_formula
from bakeoff.report import prose
from bakeoff.report.exhibit import Drawing, Item
from bakeoff.report.numbers import NONE, capital, number, probability, pvalue, spread
from bakeoff.report.study import Study
from bakeoff.report.written import Written, with_unit

if TYPE_CHECKING:
    import pandas as pd

_BRIEF = 20
"""Letters of a cell that stay on one line."""
_LONG = 22
"""Letters of a word that may be broken."""
_FILTERS = {
    "dataset": "dataset",
    "metric": "metric",
    "model": "model",
    "model_a": "model",
    "model_b": "model",
    "decision": "decision",
}
"""What the columns of these keys can be filtered by."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """One entry."""

    text: str
    """As people read it."""
    value: Any = None
    """As machines read it; None when the text is all there is."""
    best: bool = False
    """Whether it is the best of its kind: set in bold."""
    tone: str = ""
    """``good``, ``bad`` or ``open``, for a colour beside the words."""
    high: float | None = None
    """The upper limit of an interval, whose lower one is `value`."""

    @property
    def raw(self) -> Any:
        """The value for a CSV file and for sorting."""
        if self.value is None:
            return self.text
        return _plain(self.value)

    @property
    def raw_high(self) -> Any:
        """The upper limit for a CSV file."""
        if self.high is None:
            return ""
        return _plain(self.high)

    def classes(self, number: bool) -> str:
        """Return how the style sheet of the page calls the cell: words, those of several lines."""
        classes = []
        if not number:
            classes.append("w")
        if not number and len(self.text) > _BRIEF:
            classes.append("p")
            if max(map(len, self.text.split()), default=0) > _LONG:
                classes.append("l")
        if self.best:
            classes.append("best")
        if self.tone:
            classes.append(self.tone)
        return " ".join(classes)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return ""
        return str(value)
    return value


EMPTY = Cell(NONE, math.nan)


class Kind(NamedTuple):
    """What a column holds."""

    cell: Callable[[Any, Any], Cell]
    """Makes a cell of a value and the study; or, of what is measured by a metric, of the value and
    how values of that metric are written."""
    number: bool = True
    """Whether its values are numbers."""
    measured: bool = False
    """Whether they are measured by a metric: its unit stands in the title of the column."""


def numbers(write: Callable[[Any], str]) -> Kind:
    """Return the kind of numbers that are written so, and kept unrounded."""
    return Kind(lambda study, value: Cell(write(value), value))


WORDS = Kind(lambda study, value: Cell(value), number=False)


@dataclasses.dataclass(frozen=True)
class Column:
    """One column of a table."""

    key: str
    title: str
    """For machines, and for people."""
    kind: Kind = WORDS
    """How a cell is made from the study and a value; of numbers the column is flush right."""
    of: str = ""
    """What the title names, where there is a column for each of them: ``model``."""
    several: bool = False
    """Whether only studies of several data sets have it."""
    metric: str = ""
    """What its values are measured by; empty where the row says it, or it is the first metric."""

    @property
    def number(self) -> bool:
        """Whether it holds numbers."""
        return self.kind.number

    @property
    def place(self) -> str:
        """Where rows hold its values: the id of a model may be the key of another column."""
        if self.of:
            return f"{self.of}:{self.key}"
        return self.key

    @property
    def filter(self) -> str:
        """What the page can filter the rows by, by this column; empty for nothing."""
        if self.number:
            return ""
        return _FILTERS.get(self.key, "")


@dataclasses.dataclass(frozen=True)
class PageTable:
    """A table."""

    title: str
    columns: tuple[Column, ...]
    """The first one names the rows."""
    rows: tuple[tuple[Cell, ...], ...]
    """As many cells as columns."""
    note: str = ""
    """What it shows; how to read it."""
    summary: str = ""
    """How much more there is; empty where this is all."""
    caption: str = ""
    """What stands with it in a paper, in whole sentences; empty where that is the title."""
    whole: pd.DataFrame | None = None
    """All rows for a file, where the table has the first of them alone."""

    def part(self, first: int, end: int | None = None) -> PageTable:
        """Return the table with some of its rows."""
        return dataclasses.replace(self, rows=self.rows[first:end])


class Table(NamedTuple):
    """What a table is made of: rows of values by the keys of their columns, and see `PageTable`."""

    columns: Iterable[Column]
    rows: Iterable[Mapping[Any, Any]]
    note: str = ""
    whole: pd.DataFrame | None = None
    caption: str = ""
    """For a paper, where what every such table shows does not say it all."""


def tabulate(item: Item, study: Study, table: Table) -> PageTable:
    """Make a table of rows of values by the keys of their columns."""
    rows = list(table.rows)
    columns = [column for column in table.columns if _is_shown(column, rows, study)]
    # a column of metrics says their units
    metric_named = any(column.place == "metric" for column in columns)
    shown = []
    cells_by_column = []
    for column in columns:
        head = column
        if column.kind.measured:
            head, cells = _measured(column, rows, item, study, metric_named=metric_named)
        else:
            cells = [_cell(column, row, study) for row in rows]
        cells_by_column.append(cells)
        shown.append(head)
    note = f"{item.caption} {table.note}".rstrip()
    cells_by_row = tuple(zip(*cells_by_column, strict=True))
    caption = table.caption or item.caption
    return PageTable(
        item.title, tuple(shown), cells_by_row, note, caption=caption, whole=table.whole
    )


def _measured(
    column: Column,
    rows: Sequence[Mapping[Any, Any]],
    item: Item,
    study: Study,
    *,
    metric_named: bool,
) -> tuple[Column, list[Cell]]:
    """Make the cells of a column of values of a metric; one unit of all stands in its head."""
    written = [_how_written(column, row, item, study) for row in rows]
    units = {how.unit for how in written}
    cells = []
    for row, how in zip(rows, written, strict=True):
        cell = _cell(column, row, how)
        if not metric_named and len(units) > 1:
            cell = _with_its_unit(cell, row.get(column.place), how.unit)
        cells.append(cell)
    if not metric_named and len(units) == 1:
        (unit,) = units
        column = dataclasses.replace(column, title=with_unit(column.title, unit))
    return column, cells


def _is_shown(column: Column, rows: Sequence[Mapping[Any, Any]], study: Study) -> bool:
    """Tell whether a table has a column: where any row has a value, and all if there is no row."""
    # a column that no row fills is left out, unless there are no rows at all
    if column.several and not study.several:
        return False
    return not rows or any(column.place in row for row in rows)


def _how_written(column: Column, row: Mapping[Any, Any], item: Item, study: Study) -> Any:
    """Return how a value that a metric measures is written."""
    if "written" in row and column.place != "metric":
        return row["written"]
    metric = column.metric or row.get("metric", "")
    dataset = row.get("dataset", item.dataset)
    # a cell names several data sets at once
    if isinstance(dataset, Cell):
        dataset = ""
    return study.written(metric, dataset)


def _cell(column: Column, row: Mapping[Any, Any], context: Any) -> Cell:
    """Make a cell, unless the row has one; a dash where it has no value."""
    value = row.get(column.place, EMPTY)
    if isinstance(value, Cell):
        return value
    return column.kind.cell(context, value)


def _with_its_unit(cell: Cell, value: Any, unit: str) -> Cell:
    """Add the unit to a value, where it has one."""
    if not unit or cell.text == NONE or isinstance(value, Cell):
        return cell
    return dataclasses.replace(cell, text=f"{cell.text} {unit}")


class Best(NamedTuple):
    """A score that is in bold where it is the best of its kind."""

    value: float
    best: bool


def _score(written: Written, value: float | Best) -> Cell:
    if isinstance(value, Best):
        return Cell(written.score(value.value), value.value, best=value.best)
    return Cell(written.score(value), value)


def _interval(written: Written, low: float, high: float) -> Cell:
    """Show an interval; it sorts by its lower limit."""
    return Cell(written.interval(low, high), low, high=high)


def _degrees(study: Study, df: Iterable[float | None]) -> Cell:
    """Show degrees of freedom: one number, two, or none."""
    known = []
    for degrees in df:
        if degrees is not None:
            known.append(number(degrees))
    return Cell(", ".join(known) or NONE)


def _sizes(study: Study, sizes: pd.Series[int]) -> Cell:
    """Show the least and the largest size; it sorts by the least."""
    if sizes.isna().any():
        return Cell("not known")
    return Cell(spread(list(sizes)), int(sizes.min()))


TONES = {Decision.A_BETTER: "good", Decision.B_BETTER: "bad", Decision.EQUIVALENT: "same"}

SCORE = Kind(_score, measured=True)
"""A value of a metric, or a difference of two, written as all of that metric and data set are."""
NUMBER = numbers(number)
PROBABILITY = numbers(probability)
P = numbers(pvalue)
COUNT = Kind(lambda study, n: Cell(f"{int(n):,}", int(n)))
INTERVAL = Kind(
    lambda written, ends: _interval(written, *(ends or (math.nan, math.nan))), measured=True
)
RATIO = Kind(lambda study, ends: _interval(Written(), *ends))
DEGREES = Kind(_degrees)
SIZES = Kind(_sizes)
"""The least and the largest of some sizes; given scores may come without them."""
DATASET_LABEL = Kind(lambda study, dataset: Cell(study.dataset_label(dataset)), number=False)
MODEL_LABEL = Kind(lambda study, model: Cell(study.label(model)), number=False)

DATASET = Column("dataset", "Data set", DATASET_LABEL, several=True)
MODEL = Column("model", "Model", MODEL_LABEL)
A = Column("model_a", "A", MODEL_LABEL)
B = Column("model_b", "B", MODEL_LABEL)
PLAN = Column("plan", "Plan", Kind(lambda study, plan: Cell(prose.PLANS[plan]), number=False))
METRIC = Column(
    "metric",
    "Metric",
    Kind(lambda written, metric: Cell(capital(written.label), metric), number=False, measured=True),
)
STATISTIC = Column("statistic", "Statistic", NUMBER)
DF = Column("df", "df", DEGREES)
PVALUE = Column("pvalue", "p", P)
ADJUSTED = Column("pvalue_adjusted", "Adjusted p", P)
DECISION = Column("decision", "Result")


def compared(study: Study, row: Comparison) -> dict[str, Any]:
    """Return the values of a comparison by the keys of columns."""
    # that a test of all models, or of one, finds a difference has no side
    tones = {Decision.DIFFERENT: "good"}
    if row.role == "pair":
        tones = TONES
    values = dict(vars(row))
    values["written"] = study.written_as(row)
    values["model"] = row.model_a
    values["ci_low"] = (row.ci_low, row.ci_high)
    values["df"] = (row.df, row.df1, row.df2)
    tone = tones.get(row.decision, "open")
    values["decision"] = Cell(prose.decision(study, row), tone=tone)
    return values


def to_csv(table: PageTable) -> str:
    """Write a table for machines, with texts that no spreadsheet runs."""
    if table.whole is None:
        return _csv(_keys(table), _lines(table))
    return _csv(table.whole.columns, table.whole.itertuples(index=False, name=None))


def numbers_to_csv(drawing: Drawing) -> str:
    """Write the numbers that a figure plots for machines, as tables are written."""
    keys = _keys_of_numbers(drawing)
    lines = []
    for row in drawing.data:
        lines.append([row.get(key, "") for key in keys])
    return _csv(keys, lines)


def numbers_frame(drawing: Drawing) -> pd.DataFrame:
    """Return the numbers that a figure plots as its file has them."""
    import pandas as pd

    return pd.DataFrame(list(drawing.data), columns=_keys_of_numbers(drawing))


def _keys_of_numbers(drawing: Drawing) -> list[str]:
    """Return the columns of the numbers of a figure, in the order in which rows bring them."""
    keys = dict[str, None]()
    for row in drawing.data:
        keys |= dict.fromkeys(row)
    return list(keys)


def _csv(head: Iterable[str], lines: Iterable[Iterable[Any]]) -> str:
    """Write lines of values, of which no spreadsheet runs a text as a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(no_formula, head))
    for line in lines:
        writer.writerow([no_formula(_plain(value)) for value in line])
    return buffer.getvalue()


def as_frame(table: PageTable) -> pd.DataFrame:
    """Return all rows of a table as its file has them."""
    import pandas as pd

    if table.whole is not None:
        return table.whole.copy()
    return pd.DataFrame(_lines(table), columns=_keys(table))


def _with_upper_limits(table: PageTable) -> list[bool]:
    """Tell which columns hold intervals."""
    have_limits = []
    for i in range(len(table.columns)):
        limits = [row[i].high for row in table.rows]
        # one row may have no interval, and yet its column needs two in the file
        have_limits.append(any(limit is not None for limit in limits))
    return have_limits


def _keys(table: PageTable) -> list[str]:
    """Return the keys of the columns, two of intervals."""
    keys = []
    for column, has_limit in zip(table.columns, _with_upper_limits(table), strict=True):
        keys.append(column.key)
        if has_limit:
            keys.append(f"{column.key.removesuffix('_low')}_high")
    return keys


def _lines(table: PageTable) -> list[list[Any]]:
    """Return the values of the rows, unrounded, both limits of intervals."""
    have_limits = _with_upper_limits(table)
    lines = []
    for row in table.rows:
        line = []
        for cell, has_limit in zip(row, have_limits, strict=True):
            line.append(cell.raw)
            if has_limit:
                line.append(cell.raw_high)
        lines.append(line)
    return lines


def to_markdown(table: PageTable) -> str:
    """Write a table in GitHub's Markdown."""
    titles = []
    rules = []
    for column in table.columns:
        titles.append(markdown(column.title))
        # numbers are flush right
        rules.append("--:" if column.number else ":--")
    lines = [f"| {' | '.join(titles)} |", f"|{'|'.join(rules)}|"]
    for row in table.rows:
        texts = []
        for cell in row:
            text = markdown(cell.text)
            texts.append(f"**{text}**" if cell.best else text)
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def markdown(value: str) -> str:
    """Escape a text for Markdown, HTML in it included, on one line."""
    text = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", escaped(" ".join(value.split("\n"))))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"@(?=\w)", "@\u200b", text)  # no @everyone: a forge would notify people


def breakable(text: str) -> Markup:
    """Escape a text, and let a line end within long words after an underline or a slash."""
    words = []
    for word in re.split(r"(\s+)", text):
        escaped_word = str(escape(word))
        if len(word) > _LONG:
            escaped_word = re.sub(r"(?<=\w[_/])(?=\w)", "<wbr>", escaped_word)
        words.append(escaped_word)
    return Markup("".join(words))


def to_latex(table: PageTable, label: str) -> str:
    """Write a table for a paper (needs the package booktabs)."""
    alignment = ""
    titles = []
    for column in table.columns:
        alignment += "r" if column.number else "l"
        titles.append(latex(column.title))
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{latex(table.caption or table.title)}}}",
        f"\\label{{tab:{label}}}",
        f"\\begin{{tabular}}{{{alignment}}}",
        "\\toprule",
        _latex_row(titles),
        "\\midrule",
    ]
    for row in table.rows:
        texts = []
        for cell in row:
            text = latex(cell.text)
            texts.append(rf"\textbf{{{text}}}" if cell.best else text)
        lines.append(_latex_row(texts))
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{table}", ""]
    return "\n".join(lines)


def _latex_row(texts: Iterable[str]) -> str:
    return " & ".join(texts) + r" \\"


LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "−": "$-$", "×": r"$\times$", "<": "$<$", ">": "$>$", "–": "--", "±": r"$\pm$",
    "∞": r"$\infty$", "²": "$^2$", "χ": r"$\chi$", "…": r"\ldots{}", "≤": r"$\le$", "≥": r"$\ge$",
    "α": r"$\alpha$", "ε": r"$\varepsilon$", "½": r"$\frac12$",
}  # fmt: skip
"""What stands for a letter in LaTeX."""


def latex(value: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(LATEX.get(letter, letter) for letter in value)

"""The rows of a table on a page: as little markup as they need, for a page may have many."""

from __future__ import annotations

from markupsafe import Markup, escape

from bakeoff.report.tables import Cell, Column, PageTable

MOST_SHOWN = 1_000
"""Of a longer table a page shows so many rows, and names the file that has all."""
_BRIEF = 20  # letters that stay on one line
_LONG = 22  # letters of a word that may be broken
_KINDS = {key: key for key in ("dataset", "metric", "model", "decision")}
_KINDS |= {"model_a": "model", "model_b": "model"}
"""What the columns of these keys can be filtered by."""


def head(column: Column) -> Markup:
    """Write the heading of a column, with its key and what it can be filtered by."""
    kind = "" if column.number else _KINDS.get(column.key, "")
    said = {
        "class": "number" if column.number else "",
        "data-key": column.key,
        "data-by": kind,
        "data-of": column.of,
    }
    told = Markup("").join(Markup(' {}="{}"').format(k, v) for k, v in said.items() if v)
    return Markup('<th scope="col"{}>{}</th>').format(told, column.title)


def body(table: PageTable) -> Markup:
    """Write the rows."""
    numbers = [column.number for column in table.columns]
    rows = ("".join(map(_cell, row, numbers)) for row in table.rows)
    # the first cell names the row
    named = (row.replace("<td", '<th scope="row"', 1).replace("</td>", "</th>", 1) for row in rows)
    return Markup("\n".join(f"<tr>{row}</tr>" for row in named))


def _cell(cell: Cell, number: bool) -> str:
    text, raw = cell.text, str(cell.raw)
    classes = [] if number else ["w"]
    if not number and len(text) > _BRIEF:
        classes.append("p")
        if max(map(len, text.split()), default=0) > _LONG:
            classes.append("l")
    classes += ["best"] if cell.best else []
    classes += [cell.tone] if cell.tone else []
    said = f' class="{" ".join(classes)}"' if classes else ""
    value = f' data-v="{escape(raw)}"' if raw != text else ""
    if cell.high is not None:
        value += f' data-high="{escape(str(Cell("", cell.high).raw))}"'
    mark = f"<sup>{escape(cell.mark)}</sup>" if cell.mark else ""
    return f"<td{said}{value}>{escape(text)}{mark}</td>"

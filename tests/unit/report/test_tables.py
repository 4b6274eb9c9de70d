"""Tables: for people and for machines."""

import csv
import io

import pytest
from studies import experiment, ran

from bakeoff.report.exhibits import exhibits
from bakeoff.report.tables import (
    Cell,
    Column,
    P,
    PageTable,
    Table,
    latex,
    markdown,
    stars,
    tabulate,
    to_csv,
    to_latex,
    to_markdown,
)

THREE = {"a": 0.95, "b": 0.94, "c": 0.90}
TABLE = PageTable(
    "A & B",
    (Column("model", "Model"), Column("p", "p", P)),
    (
        (Cell("x_1", best=True), Cell("< .001", 0.0002, mark="***")),
        (Cell("|y|"), Cell("–", float("nan"))),
    ),
)


def test_row_without_a_value_of_a_column_is_empty_there():
    one = ran(experiment(("a", "b", "c")), THREE)
    item = exhibits(one)[0]
    columns = Column("model", "Model"), Column("p", "p", P), Column("q", "q", P)
    rows = [{"model": "a", "p": 0.03}, {"model": Cell("b")}]
    table = tabulate(item, one, Table(columns, rows))
    assert to_csv(table) == "model,p\na,0.03\nb,\n"
    assert table.rows[1][1].text == "–"


@pytest.mark.parametrize(
    ("escape", "text", "escaped"),
    [
        (latex, r"a_b%c\d{e}", r"a\_b\%c\textbackslash{}d\{e\}"),
        (markdown, "a|b<c>*d*", r"a\|b&lt;c&gt;\*d\*"),
        (markdown, "@everyone, a@b.org @ 5", "@\u200beveryone, a@\u200bb.org @ 5"),
    ],
)
def test_texts_are_no_markup_and_notify_nobody(escape, text, escaped):
    assert escape(text) == escaped


def test_one_table_in_every_format():
    head, *rows = csv.reader(io.StringIO(to_csv(TABLE)))
    assert (head, rows) == (["model", "p"], [["x_1", "0.0002"], ["|y|", ""]])
    text = to_latex(TABLE, "t")
    best = r"\textbf{x\_1} & $<$ .001$^{{*}{*}{*}}$ \\"
    assert all(part in text for part in (r"\toprule", r"\caption{A \& B}", best))
    wanted = ["|:--|--:|", r"| **x\_1** | &lt; .001\*\*\* |", r"| \|y\| | – |"]
    assert to_markdown(TABLE).splitlines()[1:4] == wanted


@pytest.mark.parametrize(("p", "marks"), [(0.06, ""), (0.05, "*"), (0.01, "**"), (0.001, "***")])
def test_stars_start_at_the_level(p, marks):
    assert stars(p, 0.05) == marks


def test_texts_are_no_formulas_in_a_spreadsheet_and_numbers_stay():
    texts = ["=1+1", "+a", "-cmd|' /C calc'!A0", "@SUM(A1)", "\tx", "a=1", "-", "-1.5", "−2", ""]
    columns = (Column("=model", "Model"), Column("x", "x", P))
    rows = tuple((Cell(text), Cell("−0.50", -0.5)) for text in texts)
    head, *lines = csv.reader(io.StringIO(to_csv(PageTable("t", columns, rows))))
    assert head == ["'=model", "x"]
    assert [line[0] for line in lines] == [*(f"'{t}" for t in texts[:5]), *texts[5:]]
    assert {line[1] for line in lines} == {"-0.5"}

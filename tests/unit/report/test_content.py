"""Tables and figures agree with the numbers they show, in every format."""

import csv
import io
import itertools

import numpy as np
import pytest

from bakeoff.report.exhibits import build, draw, exhibits
from bakeoff.report.exhibits.ranks import joined
from bakeoff.report.ranking import dataset_means, ranks_of
from bakeoff.report.read import read_table
from bakeoff.report.tables import (
    Cell,
    Column,
    P,
    PageTable,
    Table,
    breakable,
    latex,
    markdown,
    tabulate,
    to_csv,
    to_latex,
    to_markdown,
)
from tests.unit.report.studies import experiment, ran, study


@pytest.mark.parametrize("name", ["nan", "NA", "null", "1", "007"])
def test_models_may_be_called_anything(tmp_path, name):
    path = tmp_path / "choices.csv"
    path.write_text(f"model,parameter,value,fold,inner_score\n{name},depth,{name},1,\n")
    (found,) = read_table(path).to_dict("records")
    assert (found["model"], found["value"], found["fold"]) == (name, name, 1)
    assert np.isnan(found["inner_score"])


TABLE = PageTable(
    "A & B",
    (Column("model", "Model"), Column("p", "p", P)),
    (
        (Cell("x_1", best=True), Cell("< .001", 0.0002)),
        (Cell("|y|"), Cell("–", float("nan"))),
    ),
)


def test_row_without_a_value_of_a_column_is_empty_there():
    one = study(experiment(("a", "b", "c")), (), dict.fromkeys("abc", 0.9))
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
    best = r"\textbf{x\_1} & $<$ .001 \\"
    assert all(part in text for part in (r"\toprule", r"\caption{A \& B}", best))
    wanted = ["|:--|--:|", r"| **x\_1** | &lt; .001 |", r"| \|y\| | – |"]
    assert to_markdown(TABLE).splitlines()[1:4] == wanted


def test_texts_are_no_formulas_in_a_spreadsheet_and_numbers_stay():
    texts = ["=1+1", "+a", "-cmd|' /C calc'!A0", "@SUM(A1)", "\tx", "a=1", "-", "-1.5", "−2", ""]
    columns = (Column("=model", "Model"), Column("x", "x", P))
    rows = tuple((Cell(text), Cell("−0.50", -0.5)) for text in texts)
    head, *lines = csv.reader(io.StringIO(to_csv(PageTable("t", columns, rows))))
    assert head == ["'=model", "x"]
    assert [line[0] for line in lines] == [*(f"'{t}" for t in texts[:5]), *texts[5:]]
    assert {line[1] for line in lines} == {"-0.5"}


RANK_TESTS = ("nemenyi", "friedman_posthoc", "wilcoxon_signed_rank")


@pytest.mark.parametrize("test", RANK_TESTS)
@pytest.mark.parametrize("k", [3, 8])
def test_bars_join_exactly_what_the_p_values_do_not_tell_apart(test, k):
    rng = np.random.default_rng(4)
    means = {f"model_{i}": list(0.9 - 0.012 * i + rng.normal(0, 0.02, 12)) for i in range(k)}
    spec = experiment(list(means), datasets=[f"data_{i}" for i in range(12)], tests=[test])
    one = ran(spec, means)
    family = next(f for f in one.families if f.role == "pair")
    means = dataset_means(one, "accuracy", "cv_5x2")
    average = {m: float(r) for m, r in ranks_of(means, one.metric).mean().items()}
    assert family.ranks == pytest.approx(average)
    groups = joined(family)
    for row in family.rows:
        together = any({row.model_a, row.model_b} <= set(group) for group in groups)
        if together:
            assert row.pvalue_adjusted > one.alpha
    best = sorted(one.models, key=average.get)
    for a, b in itertools.pairwise(best):
        differs = family.between(a, b).pvalue_adjusted <= one.alpha
        assert differs != any({a, b} <= set(group) for group in groups)


def test_a_figure_says_why_there_is_none():
    one = study(experiment(("a", "b"), tests=("cv5x2_f",)), (), {"a": 0.9, "b": 0.8})
    forest = next(e for e in exhibits(one) if e.kind == "forest")
    assert "no result" in draw(forest, one).alt


def test_captions_for_a_paper_are_sentences_with_test_correction_n_and_level():
    one = ran(experiment("abc", tests=("cv5x2_f",)), {"a": 0.95, "b": 0.94, "c": 0.90})
    items = {item.name: item for item in exhibits(one) if item.form == "table"}
    caption = build(items["pairs.cv5x2_f"], one).caption
    assert caption == (
        "The 3 models are compared in pairs by accuracy on 5 × 2-fold cross-validation of d "
        "(n = 10). The difference A − B is positive where A is better. The p-values "
        "are those of the combined 5×2cv F test (3 hypotheses, Bonferroni correction); the level "
        "is 5%."
    )
    for item in items.values():
        latex_caption = to_latex(build(item, one), item.name).partition(r"\caption{")[2]
        sentences = latex_caption.partition("}\n")[0]
        assert sentences.endswith("."), item.name
        # a title is no sentence
        assert not sentences.startswith(f"{item.title}."), item.name


def test_a_table_of_flips_has_all_rows_in_its_file_and_no_markup_anywhere():
    names = {"a": "<b>A</b>", "b": "=1+1"}
    means = {"a": 0.9, "b": 0.5}
    one = ran(experiment(names, tests=("mcnemar",)), means, accuracies=means)
    (item,) = (item for item in exhibits(one) if item.kind == "flips")
    table = build(item, one)
    rows = one.test_sets["d"]
    different = int((rows.predicted[:, 0] != rows.predicted[:, 1]).sum())
    assert len(table.rows) == 50 < different
    head, *lines = csv.reader(io.StringIO(to_csv(table)))
    assert head == ["id", "truth", "<b>A</b>", "'=1+1", "right"]
    assert len(lines) == different
    assert f"differ on {different} of 200 rows. These are the first 50" in table.note
    assert "<b>" not in to_markdown(table)


def test_a_long_name_may_end_a_line_after_underlines_and_nothing_else_of_it_changes():
    assert breakable("high_school_computer_science") == (
        "high_<wbr>school_<wbr>computer_<wbr>science"
    )
    assert breakable("a_b <i> &amp;") == "a_b &lt;i&gt; &amp;amp;"
    assert "<i>" not in breakable(f"{'x_' * 20}<i>")

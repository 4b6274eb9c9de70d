"""What the tables say of what a study knows beside its comparisons."""

import csv
import dataclasses
import io

import numpy as np
import pandas as pd
import pytest
from studies import experiment, pair, ran, study

from bakeoff.comparisons import Decision
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.exhibits.pairs import rows_of
from bakeoff.report.methods import methods
from bakeoff.report.numbers import fixed
from bakeoff.report.read import read_table
from bakeoff.report.tables import (
    Cell,
    Column,
    P,
    PageTable,
    Table,
    latex,
    markdown,
    tabulate,
    to_csv,
    to_latex,
    to_markdown,
)
from bakeoff.report.verdict import answer

TWO = {"a": 0.8, "b": 0.9}
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}


def rows(name, one):
    """Return the rows of a table as its file has them, and the table."""
    table = build(next(e for e in exhibits(one) if e.name == name), one)
    return list(csv.DictReader(io.StringIO(to_csv(table)))), table


@pytest.mark.parametrize("name", ["nan", "NA", "null", "1", "007"])
def test_models_may_be_called_anything(tmp_path, name):
    path = tmp_path / "choices.csv"
    path.write_text(f"model,parameter,value,fold,inner_score\n{name},depth,{name},1,\n")
    (found,) = read_table(path).to_dict("records")
    assert (found["model"], found["value"], found["fold"]) == (name, name, 1)
    assert np.isnan(found["inner_score"])


@pytest.mark.parametrize("test", ["mcnemar", "cv5x2_t", "bayes_correlated_t", "cost_sensitive"])
def test_all_numbers_of_a_pair_are_seen_from_one_side(test):
    """The better model ranks first, but statistic and effect sizes belong to A as computed."""
    spec = experiment(("a", "b"), tests=(test,), costs=COSTS)
    one = ran(spec, TWO, accuracies=TWO)
    (shown,), _ = rows(f"pairs.{test}", one)
    (row,) = one.comparisons
    assert (shown["model_a"], shown["model_b"]) == ("a", "b")
    assert float(shown["estimate"]) == row.estimate < 0
    for name, value in row.result["effect_sizes"].items():
        assert float(shown[f"effect_{name}"]) == float(value)
    if test == "bayes_correlated_t":
        assert float(shown["p_b_better"]) == row.p_b_better > row.p_a_better
    else:
        assert float(shown["statistic"]) == row.statistic
        assert (float(shown["ci_low"]), float(shown["ci_high"])) == (row.ci_low, row.ci_high)


@pytest.mark.parametrize(
    ("unit", "score", "said"),
    [("kg", "2.0000 kg", "0.5000 kg"), ("percentage points", "2.0000", "50.00 percentage points")],
)
def test_described_metric_is_told_in_its_unit_and_its_direction(unit, score, said):
    measure = {"name": "rmse", "greater_is_better": False, "label": "RMSE", "unit": unit}
    spec = experiment(("a", "b"), tests=("cv5x2_f",), metrics=[measure])
    found = pair("a", "b", 0.01, -0.5, metric="rmse", decision=Decision.B_BETTER)
    one = study(spec, [found], {"a": 2.5, "b": 2.0}, metric="rmse")
    told = answer(one).evidence
    trained = "trained on 100 of 200 rows"
    assert f"The RMSE of b ({score}, {trained}) is {said} lower than that of a" in told
    shown, table = rows("models", one)
    assert [row["model"] for row in shown] == ["b", "a"]
    (title,) = (column.title for column in table.columns if column.key == "mean")
    assert title.startswith("RMSE, mean")
    assert ("(kg)" in title) == (unit == "kg")


def test_tallies_of_equivalence_do_not_take_it_for_ignorance():
    spec = experiment(("a", "b"), datasets=("d", "e"), tests=("tost_paired",))
    more = {"test": "tost_paired", "margin": 0.1}
    found = [
        pair("a", "b", 0.01, 0.0, decision=Decision.EQUIVALENT, **more),
        pair("a", "b", 0.4, 0.0, dataset="e", **more),
    ]
    (row,), _ = rows("pairs.tost_paired", study(spec, found, TWO))
    counted = {k: row[k] for k in ("equivalent", "cannot_tell", "undecided")}
    assert counted == {"equivalent": "1", "cannot_tell": "1", "undecided": "0"}


def within(margin, *tests, models="abc"):
    run = ["tost_paired", *tests]
    spec = experiment(models, tests={"run": run, "margin": margin, "correction": "bonferroni"})
    means = {model: 0.9 - i / 50 for i, model in enumerate(models)}
    return ran(spec, means, accuracies=means)


@pytest.mark.parametrize(
    ("models", "margin", "says"),
    [
        ("ab", 0.001, "It is not shown that a and b differ by less than the margin of 0.1"),
        ("ab", 0.2, "a and b are practically equivalent by accuracy."),
        ("abc", 0.001, "It is not shown that any of 3 pairs of models differ by less than"),
        ("abc", 0.2, "It is shown that 3 of 3 pairs of models differ by less than"),
    ],
)
def test_verdict_of_an_equivalence_test_alone_says_what_it_shows(models, margin, says):
    found = " ".join(answer(within(margin, models=models)).lines)
    assert found.startswith(says)
    assert "no test" not in found


def test_intervals_of_equivalence_tests_are_simultaneous_at_twice_the_level():
    found = within(0.05, "mcnemar")
    for test, level in (("tost_paired", "90%"), ("mcnemar", "95%")):
        _, table = rows(f"pairs.{test}", found)
        assert f"Simultaneous {level} CI" in {column.title for column in table.columns}


def test_tallies_of_non_inferiority_name_the_model_that_is_not_worse():
    spec = experiment(("a", "b"), datasets=("d", "e"), tests=("metric_equivalence",))
    null = {"null_hypothesis": "A is worse than B by 0.1 or more.", "verdict": "not inferior"}
    more = {"test": "metric_equivalence", "margin": 0.1, "decision": Decision.EQUIVALENT}
    found = [pair("a", "b", 0.01, 0.0, dataset=d, result=null, **more) for d in "de"]
    one = study(spec, found, {"a": 0.8, "b": 0.9})  # b ranks first, and a is the one asked about
    (row,), table = rows("pairs.metric_equivalence", one)
    assert (row["model_a"], row["equivalent"]) == ("a", "2")
    assert "A not worse on" in [column.title for column in table.columns]


def test_choices_are_counted_and_many_numbers_summed_up():
    spec = experiment(("a", "b")).model_copy()
    one = study(spec, (), TWO)
    keys = {"dataset": "d", "model": "a", "plan": "cv_5x2"}
    few = [{**keys, "parameter": "kernel", "value": v} for v in ("rbf", "rbf", "nan")]
    many = [{**keys, "parameter": "C", "value": str(0.1 * i)} for i in range(1, 8)]
    one = dataclasses.replace(one, choices=pd.DataFrame([*few, *many]))
    rows = records()["choices"].make(one).rows
    values = {row["parameter"]: row["values"] for row in rows}
    assert values == {"kernel": "rbf (2×), nan (1×)", "C": "0.100 to 0.700, median 0.400"}


def test_with_a_control_all_its_pairs_are_drawn():
    names = [f"m{i}" for i in range(20)]
    spec = experiment(names, tests={"run": ["cv5x2_f"], "versus": "m3"})
    one = ran(spec, dict.fromkeys(names, 0.9))
    drawn = rows_of(one, one.ranking_families("cv5x2_f"))
    assert {row.comparison.model_a for row in drawn} == {"m3"}
    assert len(drawn) == 19
    (item,) = (item for item in exhibits(one) if item.name == "forest.cv5x2_f")
    assert "the control" in draw(item, one).shows


@pytest.mark.parametrize(
    ("test", "correction", "said"),
    [
        ("nemenyi", "holm", "Simultaneous 95% CI"),
        ("friedman_posthoc", "bonferroni", "Simultaneous 95% CI"),
        ("friedman_posthoc", "holm", "CI"),
        ("wilcoxon_signed_rank", "holm", "Simultaneous 95% CI"),
    ],
)
def test_intervals_of_all_pairs_say_whether_they_hold_together(test, correction, said):
    tests = {"run": [test], "correction": correction}
    spec = experiment("abc", datasets=[f"d{i}" for i in range(12)], tests=tests)
    rng = np.random.default_rng(1)
    one = ran(spec, {m: list(rng.normal(0.8, 0.05, 12)) for m in "abc"})
    _, table = rows(f"pairs.{test}", one)
    assert [c.title for c in table.columns if c.key == "ci_low"] == [said]


def in_halves(variant):
    """Make scores of which those of all rows, the last two repeats of eight, are .1 higher."""
    tests = {"run": ["half_sample_t"], "options": {"half_sample_t": {"variant": variant}}}
    plan = {"halves": {"repeats": 3, "folds": 3, "full_repeats": 2}}
    one = study(experiment("ab", tests=tests, resampling=plan), (), {"a": 0.7, "b": 0.8})
    scores = one.scores.assign(value=lambda t: t["value"].round(1) + 0.1 * (t["repeat"] > 6))
    return dataclasses.replace(one, scores=scores)


@pytest.mark.parametrize(
    ("variant", "mean", "beside", "folds", "label"),
    [
        ("halves", 0.8, 0.9, 18, "cross-validation inside random halves"),
        ("full", 0.9, 0.8, 6, "cross-validation of all rows"),
    ],
)
def test_models_are_ranked_by_the_part_that_is_tested(variant, mean, beside, folds, label):
    one = in_halves(variant)
    (first, *_), ranked = rows("models", one)
    (second, *_), other = rows("metrics", one)
    assert first["model"] == second["model"] == "b"
    assert float(first["mean"]) == pytest.approx(mean)
    assert float(second["beside"]) == pytest.approx(beside)
    assert int(second["n"]) == folds
    assert label in ranked.note
    title = {c.key: c.title for c in other.columns}["beside"]
    assert label.lower() != title.lower()


def test_the_table_of_single_models_has_the_value_and_what_follows():
    tests = {"run": ["binomial_test"], "options": {"binomial_test": {"p0": 0.8}}}
    accuracy = dict.fromkeys("ab", 0.87)
    one = ran(experiment("ab", tests=tests), accuracy, accuracies=accuracy)
    shown, _ = rows("single.binomial_test", one)
    assert [float(row["null_value"]) for row in shown] == [0.8, 0.8]
    assert {row["decision"] for row in shown} <= {"above 0.8", "cannot tell"}


THREE = {"a": 0.95, "b": 0.94, "c": 0.90}
TABLE = PageTable(
    "A & B",
    (Column("model", "Model"), Column("p", "p", P)),
    (
        (Cell("x_1", best=True), Cell("< .001", 0.0002)),
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


def regression(size, *, unit="MPa", datasets=("d",), width=0.04):
    """Two regressors, A better by a hundredth of the size; intervals so wide, relative to it."""
    spec = experiment(
        ("a", "b"),
        datasets=datasets,
        tests=("corrected_kfold_t",),
        estimator="sklearn.dummy.DummyRegressor",
        task="regression",
        metrics=["rmse"],
        resampling={"kfold": {"folds": 10}},
    )
    units = dict(zip(datasets, unit if isinstance(unit, tuple) else (unit,), strict=True))
    own = {
        name: one.model_copy(update={"unit": units[name]}) for name, one in spec.datasets.items()
    }
    spec = spec.model_copy(update={"datasets": own})
    known = {"test": "corrected_kfold_t", "metric": "rmse", "plan": "kfold", "confidence": 0.95}
    known |= {"ci_low": size * (0.01 - width / 2), "ci_high": size * (0.01 + width / 2)}
    found = [pair("a", "b", 0.01, size / 100, dataset=name, **known) for name in datasets]
    means = {"a": size, "b": size * 1.01}
    return study(spec, found, means, metric="rmse", noise=size / 50)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (12_345.6, "a (12,346 MPa) is 123 MPa (95% CI [−123, 370]) lower"),
        (1_234_567.8, "a (1,234,568 MPa) is 12,346 MPa (95% CI [−12,346, 37,037]) lower"),
        (3.456, "a (3.456 MPa) is 0.035 MPa (95% CI [−0.035, 0.104]) lower"),
        (0.000123, "a (0.0001230 MPa) is 0.0000012 MPa (95% CI [−0.0000012, 0.0000037]) lower"),
        (0.00000123, "a (1.23e−6 MPa) is 1.23e−8 MPa (95% CI [−1.23e−8, 3.69e−8]) lower"),
        (0.0123, "a (0.01230 MPa) is 0.00012 MPa (95% CI [−0.00012, 0.00037]) lower"),
    ],
)
def test_verdict_has_two_digits_of_the_standard_error_and_the_unit(size, said):
    said = said.replace(" MPa) is", " MPa, trained on 100 of 200 rows) is")
    assert said in answer(regression(size)).evidence


@pytest.mark.parametrize(
    ("difference", "low", "high", "said"),
    [
        (0.05, 0.02, 0.08, "(0.950, trained on 100 of 200 rows) is 5.0 percentage points"),
        (0.0043, -0.0012, 0.0098, "0.4 percentage points (95% CI [−0.1, 1.0]) higher"),
        # of a million rows: not "0.0 percentage points (95% CI [−0.1, 0.2])"
        (0.0004, -0.0010, 0.0018, "(0.9500, trained on 100 of 200 rows) is 0.04 percentage points"),
        (0.00004, -0.0001, 0.00018, "0.004 percentage points (95% CI [−0.010, 0.018]) higher"),
    ],
)
def test_shares_have_the_digits_of_their_standard_error(difference, low, high, said):
    row = {"ci_low": low, "ci_high": high, "confidence": 0.95}
    found = [pair("a", "b", 0.2, difference, **row)]
    spec = experiment(("a", "b"), tests=("cv5x2_f",))
    told = " ".join(answer(study(spec, found, {"a": 0.95, "b": 0.95 - difference})).sentences)
    assert said in told


@pytest.mark.parametrize(
    ("value", "decimals", "said"),
    [(36.615, 2, "36.62"), (0.0005, 3, "0.001"), (2.675, 2, "2.67"), (-0.125, 2, "−0.12")],
)
def test_one_number_has_one_text(value, decimals, said):
    near = (value, value * (1 + 2e-16), value * (1 - 2e-16), value + 1e-13)
    assert {fixed(one, decimals) for one in near} == {said}


def test_unit_stands_wherever_a_number_of_the_metric_does():
    one = regression(12_345.6)
    items = {item.name: item for item in exhibits(one)}
    models = build(items["models"], one)
    assert "Root mean squared error, mean (MPa)" in to_markdown(models)
    assert "(MPa)" in to_latex(models, "models")
    assert to_csv(models).startswith("model,mean,ci_low,ci_high\na,12345.")
    pairs = build(items["pairs.corrected_kfold_t"], one)
    assert [c.title for c in pairs.columns[2:4]] == ["B − A (MPa)", "95% CI (MPa)"]
    for name, said in (("scores", "error (MPa) on"), ("forest.corrected_kfold_t", "error in MPa")):
        assert said in draw(items[name], one).figure.axes[0].get_xlabel()
    assert "root mean squared error (MPa)" in methods(one).text


def test_each_data_set_has_its_own_unit_and_decimals():
    one = regression(12_345.6, datasets=("d", "e"), unit=("MPa", "kg"))
    items = {item.name: item for item in exhibits(one)}
    (first, second) = build(items["datasets"], one).rows
    assert first[1].text.endswith(" MPa")
    assert second[1].text.endswith(" kg")
    assert "mean root mean squared error" not in " ".join(answer(one).sentences)
    assert "mean" not in {column.key for column in build(items["models"], one).columns}
    assert "scores" not in items  # one axis has no two units
    forest = draw(items["forest.corrected_kfold_t"], one)
    assert "in root mean squared error" in forest.figure.axes[0].get_xlabel()
    assert "d: 123 MPa, p" in forest.alt
    assert "e: 123 kg, p" in forest.alt

"""What the tables say of what a study knows beside its comparisons."""

import csv
import dataclasses
import io

import numpy as np
import pandas as pd
import pytest
from studies import Decision, experiment, pair, ran, study

from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.exhibits.pairs import rows_of
from bakeoff.report.methods import methods
from bakeoff.report.read import read_table
from bakeoff.report.tables import to_csv
from bakeoff.report.verdict import answer
from bakeoff.spec import load_experiment

TWO = {"a": 0.8, "b": 0.9}
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}


def rows(name, one):
    exhibit = next(e for e in exhibits(one) if e.name == name)
    table = build(exhibit, one)
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
    plain = experiment(models, tests=("tost_paired", *tests)).resolved()
    spec = load_experiment(plain | {"tests": plain["tests"] | {"margin": margin}})
    means = {model: 0.9 - i / 50 for i, model in enumerate(models)}
    return ran(spec, means, accuracies=means)


@pytest.mark.parametrize(
    ("models", "margin", "says"),
    [
        (
            "ab",
            0.001,
            "It is not shown that a and b differ by less than the margin of 0.1",
        ),
        ("ab", 0.2, "a and b are practically equivalent by accuracy."),
        ("abc", 0.001, "It is not shown that any of 3 pairs of models differ by less than"),
        ("abc", 0.2, "It is shown that 3 of 3 pairs of models differ by less than"),
    ],
)
def test_verdict_of_an_equivalence_test_alone_says_what_it_shows(models, margin, says):
    found = answer(within(margin, models=models)).text
    assert found.startswith(says)
    assert "no test" not in found


def test_intervals_of_equivalence_tests_are_simultaneous_at_twice_the_level():
    found = within(0.05, "mcnemar")
    for test, level in (("tost_paired", "90%"), ("mcnemar", "95%")):
        _, table = rows(f"pairs.{test}", found)
        assert f"Simultaneous {level} CI" in {column.title for column in table.columns}
    assert (
        "95% simultaneous confidence intervals, those of the tests against a margin with 90%"
        in methods(found).text
    )


def test_tallies_of_non_inferiority_name_the_model_that_is_not_worse():
    spec = experiment(("a", "b"), datasets=("d", "e"), tests=("metric_equivalence",))
    null = {"null_hypothesis": "A is worse than B by 0.1 or more.", "verdict": "not inferior"}
    more = {"test": "metric_equivalence", "margin": 0.1, "decision": Decision.EQUIVALENT}
    found = [pair("a", "b", 0.01, 0.0, dataset=d, result=null, **more) for d in "de"]
    one = study(spec, found, {"a": 0.8, "b": 0.9})  # b ranks first, and a is the one asked about
    (row,), _ = rows("pairs.metric_equivalence", one)
    assert (row["model_a"], row["equivalent"]) == ("a", "2")
    (item,) = (e for e in exhibits(one) if e.name == "pairs.metric_equivalence")
    assert "A not worse on" in [c.title for c in build(item, one).columns]


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


def test_failed_fits_are_listed_or_said_not_to_be():
    spec = experiment(("a", "b"), on_error="exclude")
    one = study(spec, (), TWO)
    _, table = rows("excluded", one)
    assert not table.rows
    assert "No fit failed" in table.note
    fit = {"model": "a", "dataset": "d", "plan": "cv_5x2", "repeat": 1, "seed": 1}
    failed = [{**fit, "fold": fold, "why": "boom <b>"} for fold in (1, 2)]
    (row,), _ = rows("excluded", dataclasses.replace(one, failed=pd.DataFrame(failed)))
    assert (row["model"], row["fits"], row["why"]) == ("a", "2", "boom <b>")


def test_missing_cells_are_told_with_what_becomes_of_them():
    spec = experiment(("a", "b"), datasets=("d", "e"), tests=("wilcoxon_signed_rank",))
    where = {"plan": "cv_5x2", "metric": "accuracy", "dataset": "e", "model": "b"}
    hole = {**where, "reason": "no fit"}
    one = study(spec, (), TWO)
    one = dataclasses.replace(one, missing={"policy": "drop_model", "missing": [hole]})
    _, table = rows("datasets", one)
    assert "Missing: b on e (no fit); the models that lack a score are left out" in table.note


def test_with_a_control_all_its_pairs_are_drawn_and_no_matrix():
    names = [f"m{i}" for i in range(20)]
    tests = {"run": ["cv5x2_f"], "versus": "m3"}
    spec = experiment(names).model_dump(mode="json", exclude={"tests"}, exclude_unset=True)
    one = ran(load_experiment(spec | {"tests": tests}), dict.fromkeys(names, 0.9))
    assert "matrix" not in {e.kind for e in exhibits(one)}
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
    spec = experiment(("a", "b", "c"), datasets=[f"d{i}" for i in range(12)], tests=(test,))
    options = {"run": [test], "correction": correction}
    spec = load_experiment(spec.resolved() | {"tests": options})
    rng = np.random.default_rng(1)
    one = ran(spec, {m: list(rng.normal(0.8, 0.05, 12)) for m in "abc"})
    _, table = rows(f"pairs.{test}", one)
    assert [c.title for c in table.columns if c.key == "ci_low"] == [said]

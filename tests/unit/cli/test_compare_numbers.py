"""Predicted numbers: `bakeoff compare`, `bakeoff.compare` and their refusals."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff as package
from bakeoff.errors import UserError
from bakeoff.stats import diebold_mariano_means, metric_ci
from bakeoff.stats.metrics.family import compare_models


@pytest.fixture
def table(in_folder):
    rng = np.random.default_rng(1)
    y = rng.normal(30, 8, 120)
    found = pd.DataFrame({"id": np.arange(120), "y": y, "site": np.arange(120) // 3})
    for model, noise in (("ridge", 3.0), ("tree", 4.0), ("knn", 4.5)):
        found[model] = y + rng.normal(0, noise, 120)
        own = found[["id", "y", model]].rename(columns={model: "y_pred"})
        own.sample(frac=1, random_state=0).to_csv(f"{model}.csv", index=False)
    found.to_csv("wide.csv", index=False)
    return found


def test_numbers_are_compared_by_their_root_mean_squared_error(table, answered):
    # a fraction in the truth says so; files are paired by id; one of them alone has the truth
    pd.read_csv("knn.csv").drop(columns="y").to_csv("knn.csv", index=False)
    found = answered("compare", "ridge.csv", "tree.csv", "knn.csv")
    wanted = compare_models(table.y, table[["ridge", "tree", "knn"]].to_numpy(), metric="rmse")
    assert [row["pvalue_adjusted"] for row in found["comparisons"]] == pytest.approx(
        [pair.pvalue_adjusted for pair in wanted.pairs],
        abs=0.003,  # simulated
    )
    assert {row["metric"] for row in found["comparisons"]} == {"rmse"}
    one = metric_ci(table.y, table.ridge, metric="rmse")
    assert found["best"][0]["models"][0]["ci"]["high"] == pytest.approx(one.ci.high)


def test_rows_in_time_are_compared_with_their_long_run_variance(table, answered):
    asked = "wide.csv", "--models", "ridge,tree", "--time", "id"
    found = answered("compare", *asked, "--metric", "mae", "--metric", "median_absolute_error")
    losses = [(table[model] - table.y).abs() for model in ("ridge", "tree")]
    wanted = diebold_mariano_means(*losses, time=table.id, greater_is_better=False)
    first, second = found["comparisons"]
    assert (first["test"], second["test"]) == ("diebold_mariano_means", "metric_difference")
    assert first["pvalue"] == pytest.approx(wanted.pvalue)


def test_answer_page_and_tables_in_the_unit(compare, table):
    asked = "wide.csv", "--models", "ridge,tree,knn", "--set", "unit=MPa", "--subgroups", "site:20"
    line = *asked, "--output", "page.html", "--output", "tables", "--metric", "rmse"
    code, out, _ = compare(*line)
    page = Path("page.html").read_text()
    assert (code, "root mean squared error of ridge" in out, "MPa" in out) == (0, True, True)
    assert ("MPa" in page, "accuracy" in page) == (True, False)
    assert Path("tables/models.csv").read_text().startswith("model,mean")


def test_whole_numbers_are_classes_unless_numbers_are_asked_for(table):
    stars = np.arange(60) % 5
    guessed = {"a": stars + 0.5, "b": stars + 0.2}
    with pytest.raises(UserError, match="predicts classes that the data do not have"):
        package.compare(stars, guessed)
    found = package.compare(stars, guessed, task="regression")
    assert found.scores["metric"].unique().tolist() == ["rmse"]
    many = np.arange(300) * 7  # too many for classes
    by_itself = package.compare(many, {"a": many + 1.5 * (many % 2), "b": many + many % 5})
    assert by_itself.scores["metric"].unique().tolist() == ["rmse"]


def test_another_order_of_magnitude_is_told_and_not_refused(compare, table):
    table.assign(tree=table.tree * 1000, knn=np.log(table.knn)).to_csv("wide.csv")
    code, out, _ = compare("wide.csv", "--models", "ridge,tree,knn")
    told = [f"{model}: the mean size of the predictions is" in out for model in ("tree", "ridge")]
    assert (code, told) == (0, [True, False])


@pytest.mark.parametrize(
    ("change", "asked", "said"),
    [
        ({"tree": None}, "", "1 of 120 rows have no number in column 'tree'; the first is row 4"),
        ({"tree": "n/k"}, "", "in column 'tree'; the first is row 4 with n/k"),
        ({"tree": np.inf}, "", "in column 'tree'; the first is row 4 with inf"),
        ({"y": None}, "", "in column 'y'; the first is row 4; `missing_target: drop`"),
        ({}, "--metric rmse --metric f1", "metrics: f1 compares classes, and this is"),
        ({}, "--task classification --metric f1", "say `task: regression`"),
        ({}, "--positive 2", "positive: numbers have no classes"),
        ({}, "--set classes=a,b", "classes: numbers have no classes"),
        ({}, "--set variant=exact", "variant: it is of McNemar's test"),
        ({}, "--task classification --metric rmse", "predicts classes that the data do not have"),
        ({}, "--set costs=costs.yaml", "costs: are of errors between classes"),
        ({}, "--values lower --set unit=s", "unit: is for predictions"),
        ({}, "--groups site --set independent_rows=true", "independent_rows: "),
    ],
)
def test_refusals_name_the_argument(refused, table, change, asked, said):
    Path("costs.yaml").write_text("classes: [a, b]\nmatrix: [[0, 1], [1, 0]]\n")
    changed = table.astype(dict.fromkeys(change, object))
    for name, value in change.items():
        changed.loc[3, name] = value
    changed.to_csv("wide.csv", index=False)
    refused("compare", "wide.csv", "--models", "ridge,tree", *asked.split(), said=said)


def test_truth_of_one_file_unlike_anothers(compare, table):
    own = pd.read_csv("tree.csv").set_index("id")
    own["y"] = own["y"].astype("float32")  # rounding is no other truth
    own.to_csv("tree.csv")
    assert compare("ridge.csv", "tree.csv")[0] == 0
    own.loc[7, "y"] += 1
    own.to_csv("tree.csv")
    assert "1 of 120 rows have another true number" in compare("ridge.csv", "tree.csv")[2]

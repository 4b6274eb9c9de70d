"""Models that bring a number for each row, and columns of 0 and 1: labels, or marks of rows."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.api.findings import Findings
from bakeoff.cli import main
from bakeoff.data.given_tables import _stem
from bakeoff.data.readers import swe_bench
from bakeoff.execution.fits import run_in_process
from bakeoff.spec import load_experiment
from bakeoff.stats import mcnemar, mean_difference
from tests.conftest import GONE, change, messages

pytestmark = pytest.mark.usefixtures("in_folder")
DESCRIBED = {"name": "token_f1", "greater_is_better": True}
LOSS = {"name": "loss", "greater_is_better": False}


@pytest.fixture
def files():
    rng = np.random.default_rng(4)
    n = 80
    shared = rng.normal(size=n)
    found = {}
    for i, model in enumerate(("a", "b", "c")):
        own = 0.4 * rng.normal(size=n) - 0.2 * i
        found[model] = np.round(0.3 * shared + own, 3)
        table = pd.DataFrame({"id": range(n), "value": found[model], "item": np.arange(n) // 4})
        table.sample(frac=1, random_state=i).to_csv(f"{model}.csv", index=False)
    return found


def config(models="ab", **more):
    entries = {m: {"values": f"{m}.csv", **more.pop(m, {})} for m in models}
    return {
        "experiment": "v",
        "models": entries,
        "metrics": [DESCRIBED],
        **more,
    }


def compared(**more):
    """Run an experiment, and return it with its only comparison."""
    assert messages(config(**more)) == ""
    experiment = load_experiment(config(**more))
    study = run_in_process(experiment, "results", 1, lambda done, of: None)
    return study, Findings(study).comparisons.iloc[0]


GROUPED = {"columns": {"groups": "item"}}


@pytest.mark.parametrize(
    ("more", "options", "groups"),
    [
        ({}, {}, None),
        ({"metrics": [LOSS]}, {"greater_is_better": False}, None),
        ({"a": GROUPED, "b": GROUPED}, {"groups": np.arange(80) // 4, "n_resamples": 999}, 20),
    ],
)
def test_two_models_have_the_numbers_of_the_library(files, more, options, groups):
    study, row = compared(**more)
    direct = mean_difference(files["a"], files["b"], **options)
    named = more.get("metrics", [DESCRIBED])[0]["name"]
    assert (row.test, row.metric) == ("mean_difference", named)
    assert (row.estimate, row.ci_low) == pytest.approx((direct.estimate, direct.ci.low))
    # groups are drawn at random
    tolerance = 1e-12
    if groups:
        tolerance = 0.03
    assert row.pvalue == pytest.approx(direct.pvalue, abs=tolerance)
    assert study.scores.set_index("model")["value"]["a"] == pytest.approx(files["a"].mean())


@pytest.mark.parametrize(("metric", "one"), [("accuracy", 1), ("error", 0)])
def test_right_and_wrong_rows_have_the_numbers_of_mcnemar(files, metric, one):
    right = {m: files[m] > 0 for m in "ab"}
    for model, values in right.items():
        numbers = (values == one).astype(int)
        pd.DataFrame({"id": range(80), "score": numbers}).to_csv(f"{model}.csv", index=False)
    _, row = compared(metrics=[metric], tests={"run": ["mcnemar"]})
    direct = mcnemar(right["a"], right["b"])
    assert (row.pvalue, row.estimate) == pytest.approx((direct.pvalue, direct.estimate))


def test_what_zeros_and_ones_mean_is_asked(files):
    for model in "ab":
        table = pd.DataFrame({"id": range(80), "value": (files[model] > 0).astype(int)})
        table.to_csv(f"{model}.csv", index=False)
    asked = "metrics[0]: every number is 0 or 1: do they say which rows are right?"
    assert asked in messages(config())
    assert messages(config(metrics=[{**DESCRIBED, "range": [0, 5]}])) == ""
    said = messages(config(metrics=["accuracy"], tests={"run": ["mean_difference"]}))
    assert "the models bring right and wrong rows: use mcnemar" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metrics": GONE}, "`metrics:` must say what the numbers"),
        ({"models.b": {"predictions": "b.csv"}}, "models.b: other models bring a number for each"),
        ({"models.b.values": "gaps.csv"}, "have no number in column 'value'; the first is row"),
        ({"metrics": ["f1"]}, "metrics[0]: what are the numbers of `values:`"),
        ({"metrics": ["accuracy"]}, "have a number that is neither 0 nor 1"),
        ({"metrics": [DESCRIBED, {**DESCRIBED, "name": "b"}]}, "so there is one metric"),
        (
            {"metrics": [{**DESCRIBED, "range": [0, 1]}]},
            "have a number outside 0 to 1 in column 'value'; the first",
        ),
        ({"tests": {"run": ["mcnemar"]}}, "of each row, the models bring a number per row"),
        ({"datasets": {"v": {"source": "given", "positive": "x"}}}, "numbers per row have no"),
        ({"datasets": {"v": {"source": "sklearn", "name": "iris"}}}, "source: given"),
        ({"models.a.columns": {"value": "nope"}}, "unknown column 'nope'"),
        ({"models.a.predictions": "a.csv"}, "`values` stands alone"),
        ({"resampling": {"kfold": {}}}, "brings nothing for this plan"),
    ],
)
def test_mistakes_are_told(files, more, said):
    table = pd.read_csv("b.csv")
    table.assign(value=table["value"].where(table["id"] != 3)).to_csv("gaps.csv", index=False)
    spec = config()
    change(spec, more)
    assert said in messages(spec)


RNG = np.random.default_rng(5)
TRUTH = (RNG.random(120) < 0.3).astype(int)
RIGHT = [(RNG.random(120) < share).astype(int) for share in (0.9, 0.8)]
SAID = [np.where(right == 1, TRUTH, 1 - TRUTH) for right in RIGHT]
ASKED = "values: true labels and predictions are 0 and 1 … "
UNLIKE = f"{ASKED}no model has the true label in half of the rows"
CALLED = f"{ASKED}'is_correct' is called like a mark of right rows"
MARKED = f"{RIGHT[0].sum()} of 120"
AGREED = f"{(RIGHT[0] == TRUTH).sum()} of 120"
WORDS = np.where(TRUTH == 1, "sick", "well")
BESIDE = "marks of right rows, are for `--values lower` or `--values right`"
LABELS = "models: 'w.csv': 'y_true' looks like the true labels"


@pytest.mark.parametrize(
    ("values", "column", "truth", "line", "code", "said"),
    [
        *((SAID, column, TRUTH, "compare", 0, MARKED) for column in ("", "y_pred")),
        *((RIGHT, column, TRUTH, "compare", 2, UNLIKE) for column in ("", "y_pred")),
        (RIGHT, "", TRUTH, "compare --task classification", 0, AGREED),
        (RIGHT, "y_pred", TRUTH, "compare --task classification", 0, AGREED),
        (RIGHT, "", TRUTH, "compare --values right --models a,b", 0, MARKED),
        (RIGHT, "y_pred", TRUTH, "compare --values right --set value=y_pred", 0, MARKED),
        # agree with the truth on most rows
        (RIGHT, "is_correct", 1 - TRUTH, "compare --set predicted=is_correct", 2, CALLED),
        (RIGHT, "is_correct", 1 - TRUTH, "gate --margin 0.1 --set predicted=is_correct", 3, CALLED),
        (RIGHT, "y_pred", WORDS, "compare", 2, BESIDE),
        (RIGHT, "", TRUTH, "compare --values right", 2, LABELS),
    ],
)
def test_columns_of_0_and_1_are_labels_or_asked_about(
    says,
    values,
    column,
    truth,
    line,
    code,
    said,
):
    files = "w.csv"
    if column:
        files = "a.csv b.csv"
    pd.DataFrame({"y_true": truth, "a": values[0], "b": values[1]}).to_csv("w.csv", index=False)
    for name, own in zip("ab", values, strict=True):
        frame = {
            "id": range(120),
            "y_true": truth,
            column: own,
        }
        pd.DataFrame(frame).to_csv(f"{name}.csv", index=False)
    command, *options = line.split()
    says(" ".join([command, files, *options]), said, code)


def long_table(column="right"):
    """Write a row for each model, item and task."""
    rng = np.random.default_rng(8)
    rows = []
    for model in ("gpt-4.1", "gpt-4.1-mini"):
        for item in range(60):
            rows.append((model, item, "law" if item % 3 else "math", rng.integers(0, 2)))
    table = pd.DataFrame(rows, columns=["model", "id", "task", column])
    table.to_csv("long.csv", index=False)
    return table


def test_a_long_table_has_its_numbers_in_a_column_that_is_named(capsys):
    table = long_table()
    assert main(["compare", "long.csv", "--values", "right", "--set", "value=right", "--json"]) == 0
    named = json.loads(capsys.readouterr().out)["comparisons"]
    for model, rows in table.groupby("model"):
        rows.drop(columns="model").to_csv(f"{model}.csv", index=False)
    files = "compare gpt-4.1.csv gpt-4.1-mini.csv --values right --set value=right --json"
    assert main(files.split()) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"] == named
    table.rename(columns={"right": "value"}).to_csv("usual.csv", index=False)
    assert main(["compare", "usual.csv", "--values", "right", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"] == named


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("long.csv --set value=right", "say by `--values KIND` whether they are"),
        ("wide.csv --values right --set value=a", "'wide.csv' has a column for each model: name"),
        ("long.csv --values right --set value=rihgt", "did you mean 'right'"),
    ],
)
def test_columns_of_numbers_that_do_not_fit_are_refused(capsys, options, told):
    long_table()
    pd.DataFrame({"id": [1, 2], "a": [0, 1], "b": [1, 1]}).to_csv("wide.csv", index=False)
    assert main(["compare", *options.split()]) == 2
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("gpt-4.1.json", "gpt-4.1"),
        ("gpt-4.1.csv.gz", "gpt-4.1"),
        ("v2.0/preds.CSV", "preds"),
        ("llama-3.1-8b.eval", "llama-3.1-8b"),
        ("run_{seed}.parquet", "run"),
    ],
)
def test_a_model_is_called_after_its_file_without_the_ending_alone(name, stem):
    assert _stem(name) == stem


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-4.1.json", "gpt-4.1"),
        ("gpt-4.1.verified.json", "gpt-4.1"),
        ("gpt-4.1-mini.json", "gpt-4.1-mini"),
        ("claude.20240620.json", "claude"),
        ("plain.json", "plain"),
    ],
)
def test_a_report_of_swe_bench_is_called_after_the_model_before_the_run(name, model):
    assert swe_bench.named(Path(name)) == {"model": model}

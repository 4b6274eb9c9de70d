"""Tables of scores: wide and long ones give one table, with the numbers of the workflow."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import merged, run_planned
from bakeoff.comparisons.score_matrix import HOLES, MATRIX, score_matrix
from bakeoff.data.open_table import read_frame
from bakeoff.scores.given_results import given_scores
from bakeoff.spec import load_experiment

NAN = float("nan")
DEMSAR = Path(__file__).parents[3] / "docs/gallery/demsar-2006.csv"


def wide(n=12, models="abc", seed=1):
    """Return scores that get worse from model to model, data sets named in the index."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.8, 0.05, (n, 1)) + rng.normal(0, 0.02, (n, len(models)))
    scores -= 0.02 * np.arange(len(models))
    return pd.DataFrame(scores.round(4), [f"set {chr(97 + i)}" for i in range(n)], list(models))


def numbers(found):
    return json.loads(found.to_json())["comparisons"]


def as_long(table):
    named = table.rename_axis(index="dataset")
    return named.reset_index().melt("dataset", var_name="model", value_name="value")


def test_every_layout_of_a_table_gives_the_same_numbers():
    table = wide()
    usual = numbers(bakeoff.compare_datasets(table, values="higher"))
    long = as_long(table)
    folds = pd.concat([long.assign(fold=f, value=long["value"] + f / 10) for f in (1, -1)])
    others = {
        "index": (table, {}),
        "column": (table.rename_axis(index="d").reset_index(), {"datasets": "d"}),
        "column of texts": (table.rename_axis(index="d").reset_index(), {}),
        "rows that count": (table.reset_index(drop=True), {}),
        "mapping": (table.to_dict(), {}),
        "long": (long, {"datasets": "dataset"}),
        "long with one metric": (long.assign(metric="score"), {"datasets": "dataset"}),
        "folds": (folds, {"datasets": "dataset", "runs": "fold"}),
        "metric": (table, {"metric": "score:higher", "values": None}),
        "decimals": (table + 4e-5 * np.arange(-1, 2), {"decimals": 4}),
    }
    for name, (given, options) in others.items():
        found = bakeoff.compare_datasets(given, **{"values": "higher", **options})
        for row, other in zip(usual, numbers(found), strict=True):
            for key in ("test", "model_a", "model_b", "n", "decision"):
                assert row[key] == other[key], name
            assert row["pvalue"] == pytest.approx(other["pvalue"]), name
    with pytest.raises(bakeoff.UserError, match="1 score is missing: a on set a"):
        bakeoff.compare_datasets(folds[1:], datasets="dataset", values="higher", runs="fold")
    lower = bakeoff.compare_datasets(-table, values="lower")
    assert [row["pvalue"] for row in numbers(lower)] == [row["pvalue"] for row in usual]


@pytest.mark.parametrize("missing", ["refuse", "failed"])
def test_numbers_are_those_of_the_workflow(missing, in_folder):
    table = wide()
    if missing != "refuse":
        table.iloc[[0, 3, 4], 1] = NAN
    for name in table:
        own = pd.DataFrame({"dataset": [f"d{i}" for i in range(12)], "value": table[name]})
        own.assign(plan="holdout", metric="score").to_csv(f"{name}.csv", index=False)
    config = {
        "experiment": "same",
        "datasets": {f"d{i}": {"source": "given"} for i in range(12)},
        "models": {name: {"scores": f"{name}.csv"} for name in table},
        "metrics": [{"name": "score", "greater_is_better": True}],
        "resampling": {"holdout": {}},
        "tests": {} if missing == "refuse" else {"missing_cells": missing},
    }
    experiment = load_experiment(config)
    problems, planned = plan_tests(experiment)
    assert not problems
    scores = pd.concat(given_scores(experiment, d, "holdout")[0] for d in experiment.datasets)
    names = list(experiment.datasets), list(experiment.models), experiment.metrics
    matrix = score_matrix(scores, *names, experiment.resampling.plans())
    inputs = dict(zip((MATRIX, HOLES), matrix, strict=True))
    rows = merged(row for test in planned for row in run_planned(test, experiment, inputs))
    ours = numbers(bakeoff.compare_datasets(table, values="higher", missing=missing))
    assert len(rows) == len(ours) == 4
    assert [json.loads(json.dumps(row.to_dict())) for row in rows] == ours


def test_missing_scores_are_refused_until_their_meaning_is_said():
    table = wide().astype(object)
    table.iloc[0, 1], table.iloc[2, 1] = "timeout", None
    many = table.copy()
    many.iloc[[4, 6], 1] = "NA"
    for given, told in (
        (table[1:], r"1 score is missing: b on set c \(no score\)\. Say"),
        (table, r"2 scores are missing: b on set a \(timeout\); b on set c"),
        (many[:6], r"3 scores .* b on set e \(no score\)\. Say"),
        (many, "4 scores .* b on set e .*; and 1 more. Say"),
    ):
        with pytest.raises(bakeoff.UserError, match=told):
            bakeoff.compare_datasets(given, values="higher")
    failed = bakeoff.compare_datasets(table, values="higher", missing="failed")
    assert "the 2 missing scores were ranked last, as failures" in failed.verdict
    assert failed.comparisons["n"].tolist() == [12] * 4
    dropped = bakeoff.compare_datasets(table, values="higher", missing="drop_dataset")
    assert dropped.comparisons["n"].tolist() == [10] * 4
    with pytest.raises(bakeoff.UserError, match="ranks a failure last"):
        bakeoff.compare_datasets(table[["a", "b"]], values="higher", missing="failed")


def test_a_table_of_many_models_is_read_without_a_word(recwarn, tmp_path):
    values = np.random.default_rng(1).normal(size=(8, 120))
    table = pd.DataFrame(values, [f"set {chr(97 + i)}" for i in range(8)])
    table.rename_axis(index="task").to_csv(tmp_path / "many.csv")
    read = read_frame(str(tmp_path / "many.csv"), ("table",))
    found = bakeoff.compare_datasets(read, datasets="task", values="higher", tests=["friedman"])
    assert len(found.scores) == 960
    assert not recwarn.list


REPETITIONS = pd.DataFrame({"n": np.arange(8), "a": np.arange(8.0), "b": np.arange(8) + 0.5})


@pytest.mark.parametrize(
    "column",
    [
        "seed",
        "Seeds",
        "RUN",
        "fold",
        "Repeats",
        "split",
        "random_state",
        "training run",
        "fold_id",
        "rep",
    ],
)
def test_seeds_and_folds_of_one_data_set_are_no_data_sets(column):
    table = REPETITIONS.rename(columns={"n": column})
    named = table.assign(**{column: [f"s{i}" for i in range(8)]})
    long = table.melt(column, var_name="model")
    for given, how in (
        (table, {"datasets": column}),
        (table, {}),
        (table.set_index(column), {}),
        (named, {}),
        (long, {"datasets": column}),
    ):
        with pytest.raises(bakeoff.UserError, match=r"^datasets: .*one data set.*rename the"):
            bakeoff.compare_datasets(given, values="higher", **how)
    renamed = table.rename(columns={column: "benchmark"})
    found = bakeoff.compare_datasets(renamed, values="higher", datasets="benchmark")
    assert found.comparisons["n"].tolist() == [8]


def test_data_sets_that_are_called_like_seeds_are_refused():
    table = REPETITIONS.assign(n=[f"seed-{i}" for i in range(8)])
    with pytest.raises(bakeoff.UserError, match=r"^datasets: seed-0, seed-1, seed-2, … count s"):
        bakeoff.compare_datasets(table, datasets="n", values="higher")
    mixed = table.assign(n=["iris", *table["n"][1:]])
    assert bakeoff.compare_datasets(mixed, datasets="n", values="higher").verdict
    for names in ("cifar-seed{}", "CIFAR 10, run {}", "mnist_fold_0{}"):
        table["n"] = [names.format(i // 2) for i in range(8)]
        with pytest.raises(bakeoff.UserError, match=r"^datasets: .* count seeds, runs"):
            bakeoff.compare_datasets(table, datasets="n", values="higher")
    for name in ("running", "seedling", "manifold", "splitter"):
        named = REPETITIONS.rename(columns={"n": name})
        assert bakeoff.compare_datasets(named, datasets=name, values="higher").verdict


PERCENT = {"dataset": ["x", "y"], "a": ["60%", "61%"], "b": [1, 2]}
TURNED = {"model": ["m", "n"], "iris": [1, 2], "wine": [1, 2]}


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (lambda t: t.assign(a="x", b="y").reset_index(drop=True), {}, "datasets: which column"),
        (lambda t: t, {"values": None}, "values: is a higher or a lower score better?"),
        (lambda t: t, {"datasets": "x"}, "datasets: unknown column 'x'"),
        (lambda t: t, {"versus": "z"}, "versus: unknown model 'z'"),
        (lambda t: t, {"models": ["a"]}, "models: found 1 model"),
        (lambda t: t.assign(source="web"), {}, "models: column 'source' has no number"),
        (lambda t: pd.concat([as_long(t)] * 2), {"datasets": "dataset"}, "runs: a has 2 scores"),
        (lambda t: t.replace(t.iloc[0, 0], np.inf), {}, "table: a score is infinite"),
        (lambda t: t, {"missing": "guess"}, "missing: found 'guess'"),
        (lambda t: t, {"tests": ["mcnemar"]}, "mcnemar"),
        (lambda t: t.iloc[:1], {}, "^datasets: found one data set, expected two"),
        (lambda _: {m: {"d": 1.0} for m in "ab"}, {}, "^datasets: found one data set, expected"),
        (lambda _: PERCENT, {"datasets": "dataset"}, r"^models: column 'a' .*\(found '60%'\)"),
        (lambda _: TURNED, {"datasets": "model"}, "^datasets: column 'model' names the models"),
    ],
)
def test_mistakes_name_the_argument(change, options, said):
    with pytest.raises(bakeoff.UserError, match=said):
        bakeoff.compare_datasets(change(wide()), **{"values": "higher", **options})


def test_several_metrics_have_their_own_directions_and_families():
    long = pd.concat([as_long(wide()).assign(metric="m@1"), as_long(-wide()).assign(metric="1st")])
    options = {"datasets": "dataset", "metric": ["m@1:higher", "1st:lower"]}
    found = bakeoff.compare_datasets(long, **options)
    rows = found.comparisons
    assert rows.groupby("metric")["pvalue"].apply(list).map(tuple).nunique() == 1
    assert rows["metric"].unique().tolist() == ["m_1", "metric_1st"]
    with pytest.raises(bakeoff.UserError, match="metrics: which of the metrics"):
        bakeoff.compare_datasets(long, datasets="dataset", values="higher")


def test_the_command_answers_and_refuses_what_is_for_rows(answered, says, tmp_path, refused):
    file, keys = str(DEMSAR), ("--datasets", "dataset", "--values", "higher")
    found = answered("compare", file, *keys)
    assert found["data_sets"] == 14
    details = found["comparisons"][0]["result"]["details"]
    assert details["chi2_uncorrected"] == pytest.approx(9.857, abs=1e-3)
    assert found["standings"][0]["models"][0]["win_rate"] == pytest.approx((4 - 27 / 14) / 3)
    page = tmp_path / "page.html"
    says(f"compare {file} {' '.join(keys)} --output {page} --versus C4.5", "win rate")
    assert "</html>" in page.read_text()
    of_rows = ["--subgroups=x", "--counts=1,2,3,4", "--time=x", "--seeds=x", "--task=regression"]
    rare = ["costs=x", "deterministic=x", "missing_target=drop", "independent_rows=true"]
    for option in (*of_rows, *(f"--set={key}" for key in rare)):
        name = option.removeprefix("--set=").removeprefix("--").rpartition("=")[0]
        refused("compare", file, "--datasets", "dataset", option, said=f"{name}: is for rows")
    line = "compare", file, "--values", "higher", "--missing", "failed"
    refused(*line, said="missing: unknown value 'failed'")


@pytest.mark.parametrize("name", ["dataset", "Task", "problem", "benchmark"])
def test_a_table_of_data_sets_is_not_taken_for_rows(tmp_path, name, refused):
    file = tmp_path / "scores.csv"
    wide().rename_axis(index=name).to_csv(file)
    for more in ([], ["--id", name]):
        refused(
            "compare", str(file), "--values", "higher", *more, said=f"Then give `--datasets {name}`"
        )


def test_the_leader_of_two_models_is_the_one_of_the_standings():
    b = np.linspace(0.5, 0.9, 12)
    frame = pd.DataFrame({"a": b - 0.1, "b": b}, index=[f"d{i}" for i in range(12)])
    frame.loc["d3", "a"] = frame.loc["d7", "b"] = np.nan
    found = bakeoff.compare_datasets(frame, values="higher", missing="drop_dataset")
    headline, by, *_ = found.verdict.splitlines()
    assert headline == "b is better than a by score."
    assert re.match(r"Over 10 of 12 data sets, b has the best average rank \(1\.\d\d", by)


# --- scores in other units on other data sets

RNG = np.random.default_rng(0)
SCORES = pd.DataFrame({"a": RNG.uniform(0.1, 0.3, 12), "b": RNG.uniform(0.1, 0.3, 12) + 0.02})
SCORES.index = [f"d{i}" for i in range(12)]
UNLIKE = SCORES.mul([1e5] * 6 + [1] * 6, axis=0)
APART = pd.DataFrame({"a": 1.0, "b": np.arange(12) % 5 / 8 + 0.9}, SCORES.index)
APART /= APART.median(axis=1).to_numpy()[:, None]
LONG = SCORES.stack().rename("metric_error").rename_axis(["dataset", "method"]).reset_index()
LONG["metric"], LONG["imputed"] = np.where(LONG.index < 4, "rmse", "roc_auc"), LONG.index == 3


@pytest.mark.parametrize(
    ("table", "keys", "test"),
    [
        (SCORES, {"values": "lower"}, "wilcoxon_signed_rank"),
        (UNLIKE, {"values": "lower"}, ""),
        (APART.mul([95] + [1] * 11, axis=0), {"values": "lower"}, "wilcoxon_signed_rank"),
        (APART.mul([105] + [1] * 11, axis=0), {"values": "lower"}, ""),
        (APART.mul([0.9] + [1e-3] * 11, axis=0), {"values": "lower"}, "wilcoxon_signed_rank"),
        (APART.mul([0] + [1] * 11, axis=0), {"values": "lower"}, "wilcoxon_signed_rank"),
        (UNLIKE.iloc[5:7], {"values": "lower"}, ""),
        (UNLIKE.iloc[5:7], {"metric": "rmse"}, ""),
        (LONG, {"values": "lower", "datasets": "dataset"}, ""),
        (SCORES, {"metric": "mae"}, ""),
        (SCORES, {"metric": "log_loss"}, "wilcoxon_signed_rank"),
    ],
)
def test_signed_ranks_are_for_scores_in_one_unit(table, keys, test):
    found = bakeoff.compare_datasets(table, **keys)
    assert "".join(found.comparisons["test"]) == test
    assert ("imputed`): 1 of b" in str(found._study.notes)) == (table is LONG)
    if not test:
        assert "but no test over data sets compares" in found.verdict
        assert "recommended" not in found.verdict
        with pytest.raises(bakeoff.UserError, match=r"signed_rank looks at the size .*win rate"):
            bakeoff.compare_datasets(table, tests=["wilcoxon_signed_rank"], **keys)


@pytest.mark.parametrize("sizes", [[5, 2, 1, 1, 1, 1, 1], [2] * 6, [4, 4, 4]])
@pytest.mark.parametrize("table", [SCORES, UNLIKE])
def test_groups_of_data_sets_have_one_average_rank(sizes, table, answered, tmp_path):
    own = table.assign(c=table["a"] * 1.2, group=np.repeat([*"ABCDEFG"[: len(sizes)]], sizes))
    own.rename_axis("set").to_csv(tmp_path / "t.csv")
    keys = ["--datasets", "set", "--groups", "group", "--values", "lower"]
    told = answered("compare", str(tmp_path / "t.csv"), *keys)
    ranks = {one["model"]: one["average_rank"] for one in told["standings"][0]["models"]}
    first = rf"(has the best|have the same) average rank \({min(ranks.values()):.2f}"
    assert re.search(first, told["verdict"]["sentences"][0])
    pairs = [one for one in told["comparisons"] if one["test"] == "friedman_posthoc"]
    assert bool(pairs) == (len(sizes) > 5 or table is UNLIKE)
    for one in pairs:
        gap = ranks[one["model_b"]] - ranks[one["model_a"]]
        assert one["estimate"] == pytest.approx(gap, abs=1e-9)

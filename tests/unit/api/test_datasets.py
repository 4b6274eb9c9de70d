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
    lost = bakeoff.compare_datasets(folds[1:], datasets="dataset", values="higher", runs="fold")
    assert "1 of 72 fold scores are missing (a 1)" in lost.verdict
    assert "69 of 72 scores" in lost.verdict
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
    two = bakeoff.compare_datasets(table[["a", "b"]], values="higher", missing="failed")
    assert two.comparisons["test"].tolist() == ["sign_test"]
    how = {"missing": "failed", "tests": ["wilcoxon_signed_rank"]}
    with pytest.raises(bakeoff.UserError, match="ranks a failure last"):
        bakeoff.compare_datasets(table[["a", "b"]], values="higher", **how)


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
    of_rows = ["--subgroups=x", "--counts=1,2,3,4", "--time=x", "--task=regression"]
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
    assert by.startswith("Over 10 of 12 data sets, b is typically 0.1")


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
        (UNLIKE, {"values": "lower"}, "wilcoxon_log_ratios"),
        (UNLIKE, {"values": "higher"}, "sign_test"),
        (UNLIKE - 1, {"values": "lower"}, "sign_test"),
        (APART.mul([95] + [1] * 11, axis=0), {"values": "lower"}, "wilcoxon_signed_rank"),
        (APART.mul([105] + [1] * 11, axis=0), {"values": "lower"}, "wilcoxon_log_ratios"),
        (APART.mul([0.9] + [1e-3] * 11, axis=0), {"values": "lower"}, "wilcoxon_signed_rank"),
        (APART.mul([0] + [1] * 11, axis=0), {"values": "lower"}, "wilcoxon_signed_rank"),
        (UNLIKE.iloc[5:7], {"values": "lower"}, "wilcoxon_log_ratios"),
        (UNLIKE.iloc[5:7], {"metric": "rmse"}, "wilcoxon_log_ratios"),
        (LONG, {"values": "lower", "datasets": "dataset"}, "wilcoxon_log_ratios"),
        (SCORES, {"metric": "mae"}, "wilcoxon_log_ratios"),
        (SCORES, {"metric": "log_loss"}, "wilcoxon_signed_rank"),
    ],
)
def test_signed_ranks_are_for_scores_in_one_unit(table, keys, test):
    found = bakeoff.compare_datasets(table, **keys)
    assert "".join(found.comparisons["test"]) == test
    assert ("imputed`): 1 of b" in str(found._study.notes)) == (table is LONG)
    if test != "wilcoxon_signed_rank":
        with pytest.raises(bakeoff.UserError, match=r"signed_rank looks at the size .*log_ratios"):
            bakeoff.compare_datasets(table, tests=["wilcoxon_signed_rank"], **keys)


@pytest.mark.parametrize("sizes", [[5, 2, 1, 1, 1, 1, 1], [2] * 6, [4, 4, 4]])
@pytest.mark.parametrize("table", [SCORES, UNLIKE])
def test_groups_of_data_sets_have_one_average_rank(sizes, table, answered, tmp_path):
    own = table.assign(c=table["a"] * 1.2, group=np.repeat([*"ABCDEFG"[: len(sizes)]], sizes))
    own.rename_axis("set").to_csv(tmp_path / "t.csv")
    keys = ["--datasets", "set", "--groups", "group", "--values", "lower"]
    told = answered("compare", str(tmp_path / "t.csv"), *keys)
    ranks = {one["model"]: one["average_rank"] for one in told["standings"][0]["models"]}
    assert f"{len(sizes)} groups of 12 data sets" in told["verdict"]["sentences"][0]
    test = "sign_test" if table is UNLIKE else "wilcoxon_signed_rank"
    pairs = [one for one in told["comparisons"] if one["test"] == test]
    assert [one["n"] for one in pairs] == [len(sizes)] * 3
    assert {one["correction"] for one in pairs} == {"sign-flips"}
    (shown,) = [one for one in told["comparisons"] if one["role"] == "omnibus"]
    assert dict(
        zip("abc", shown["result"]["details"]["average_ranks"], strict=True)
    ) == pytest.approx(ranks)


# --- folds that some models lack


def of_folds(lost=()):
    """Return scores of 10 folds on 8 data sets, P best on all of them, without those lost."""
    rng = np.random.default_rng(4)
    rows = []
    for d in range(8):
        level = rng.uniform(0.6, 0.8)
        for model, lead in (("constantpredictor", -0.3), ("P", 0.02), ("Q", 0.01)):
            for fold in range(10):
                score = level + lead + rng.normal(0, 0.003)
                rows.append((f"d{d}", model, fold, score))
    table = pd.DataFrame(rows, columns=["dataset", "model", "fold", "score"])
    for dataset, model, fold, value in lost:
        at = (table["dataset"] == dataset) & (table["model"] == model) & (table["fold"] == fold)
        table["score"] = table["score"].astype(object)
        table.loc[at, "score"] = value
    return table


FOLDS = {"datasets": "dataset", "runs": "fold", "values": "higher"}


def test_a_lost_fold_is_compared_on_the_folds_that_all_have():
    pairs = bakeoff.compare_datasets(of_folds([("d0", "P", 2, None)]), models=["P", "Q"], **FOLDS)
    assert pairs.comparisons["pvalue"].tolist() == [2**-7]
    assert "1 of 160 fold scores are missing (P 1)" in pairs.verdict
    whole = bakeoff.compare_datasets(of_folds(), models=["P", "Q"], **FOLDS)
    assert "missing" not in whole.verdict


def test_a_baseline_may_stand_in_place_of_lost_folds_and_the_other_leader_is_said():
    table = of_folds([(f"d{d}", "P", d, None) for d in range(8)])
    common = bakeoff.compare_datasets(table, models=["P", "Q"], **FOLDS)
    assert common.verdict.startswith("P is better than Q")
    assert "in place of lost folds Q leads" in common.verdict
    imputed = bakeoff.compare_datasets(
        table, models=["P", "Q"], impute="constantpredictor", **FOLDS
    )
    assert imputed.verdict.startswith("Q is better than P")
    assert "On the folds that all models have, P leads instead." in imputed.verdict


@pytest.mark.parametrize(
    ("lost", "impute", "told"),
    [
        ([("d0", "P", 2, "timeout")], None, "P has 'timeout' in place of the score of a fold"),
        ([("d0", "P", 2, None)], "nobody", "impute: unknown model 'nobody'"),
        ([("d0", "P", 2, None)], "P", "impute: P has no score itself on a fold of d0"),
        ([("d0", "P", f, None) for f in range(10)], None, "1 score is missing: P on d0"),
    ],
)
def test_lost_folds_are_refused_where_their_meaning_is_unclear(lost, impute, told):
    with pytest.raises(bakeoff.UserError, match=re.escape(told)):
        bakeoff.compare_datasets(of_folds(lost), impute=impute, **FOLDS)


# --- pairs by themselves


def test_the_verdict_on_a_pair_does_not_depend_on_the_other_models():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        rng.uniform(0.6, 0.9, 15)[:, None] + [0.03, 0.02, 0.01, 0] + rng.normal(0, 0.003, (15, 4)),
        [f"d{i}" for i in range(15)],
        [f"M{m}" for m in range(1, 5)],
    )
    found = bakeoff.compare_datasets(table, values="higher")
    pairs = found.comparisons[found.comparisons["role"] == "pair"]
    assert pairs["pvalue_adjusted"].max() < 0.001
    assert set(pairs["correction"]) == {"sign-flips"}
    assert "M1 is typically" in found.verdict
    assert "M1 wins on 15 of 15" in found.verdict


def test_a_few_large_losses_are_said():
    table = pd.DataFrame({"a": [0.8] * 12, "b": [0.79] * 8 + [0.9] * 4})
    table["b"] += np.arange(12) / 1e5
    table.index = [f"d{i}" for i in range(12)]
    found = bakeoff.compare_datasets(table, values="higher")
    assert "a wins on 8 of 12 data sets, yet the mean difference is for b" in found.verdict

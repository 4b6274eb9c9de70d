"""Logs of further tools: SWE-bench, HELM, OpenAI evals, EvalPlus, MTEB, DeepEval and ragas."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.data.given_tables import tables_of
from bakeoff.errors import Problem
from bakeoff.stats import mcnemar, suite_mean_difference
from tests.logs import promptfoo, write
from tests.more_logs import deepeval, evalplus, helm, mteb, openai_evals, swe_bench

pytestmark = pytest.mark.usefixtures("in_folder")
N = 60
A = (np.random.default_rng(1).random(N) < 0.7).astype(int).tolist()
B = (np.random.default_rng(2).random(N) < 0.4).astype(int).tolist()
SHUFFLED = np.random.default_rng(3).permutation(N).tolist()


def found(capsys, *arguments):
    assert main(["compare", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def only_p(comparison):
    (test,) = comparison["comparisons"]
    return test["pvalue"]


def expected_p():
    return pytest.approx(mcnemar(A, B).pvalue)


def test_swe_bench_counts_errors_and_empty_patches_as_not_resolved(capsys):
    swe_bench("gpt.lite.json", A, errors=[A.index(0)])
    swe_bench("claude.lite.json", B, empty=[B.index(0)])
    comparison = found(
        capsys,
        "gpt.lite.json",
        "claude.lite.json",
        "--values",
        "right",
    )
    assert comparison["rows"] == N
    assert only_p(comparison) == expected_p()
    table = tables_of(["gpt.lite.json"]).first.table.to_pandas()
    assert set(table["repository"]) == {"django/django"}


def test_swe_bench_without_all_predictions_is_refused_and_told(capsys):
    swe_bench("gpt.lite.json", A)
    swe_bench("part.lite.json", B, incomplete=[0, 1, 2])
    how = ["compare", "gpt.lite.json", "part.lite.json", "--values", "right"]
    assert main(how) == 2
    assert "3 of 60 instances have no prediction" in capsys.readouterr().err
    assert main([*how, "--missing", "wrong"]) == 0
    assert "missing items are counted as wrong: 3 of part" in " ".join(
        capsys.readouterr().out.lower().split()
    )


def test_swe_bench_runs_of_a_model_in_a_folder():
    swe_bench("reports/org__gpt-4.5.run1.json", A)
    swe_bench("reports/org__gpt-4.5.run2.json", B)
    tables = tables_of(["reports"])
    assert list(tables.models) == ["org__gpt-4.5"]
    table = tables.first.table.to_pandas()
    assert table.groupby("run")["score"].sum().to_list() == [sum(A), sum(B)]


def test_helm_folders_are_tasks_by_model_in_any_order(capsys):
    marks = {"a": [list(map(float, A))] * 2, "b": [list(map(float, B)), list(map(float, A))]}
    for subject, right_a, right_b in zip(("law", "virology"), *marks.values(), strict=True):
        helm("openai_a", subject, right_a, perturbed=True)
        helm("openai_b", subject, right_b, order=SHUFFLED)
    comparison = found(capsys, "runs", "--values", "right")
    assert comparison["rows"] == 2 * N
    assert only_p(comparison) == pytest.approx(
        suite_mean_difference(np.r_[A, A], np.r_[B, A], tasks=np.repeat(["l", "v"], N)).pvalue
    )
    table = tables_of(["runs"]).models["openai_a"].table.to_pandas()
    assert set(table["task"]) == {
        "mmlu/law/multiple_choice_joint",
        "mmlu/virology/multiple_choice_joint",
    }
    assert table[["latency", "total_tokens"]].drop_duplicates().to_numpy().tolist() == [[0.5, 52.0]]


def test_helm_trials_are_runs_and_other_settings_are_told(capsys):
    helm("a", "law", A, trials=3)
    path = Path(helm("b", "law", B, trials=3)).with_name("run_spec.json")
    spec = json.loads(path.read_text())
    spec["adapter_spec"]["max_train_instances"] = 0
    write(path, spec)
    comparison = found(capsys, "runs", "--values", "right", "--runs", "run")
    assert comparison["rows"] == 3 * N
    assert "asked differently: max train instances 5 and 0" in json.dumps(comparison)


def test_openai_evals_pairs_by_samples_and_sees_the_end(capsys):
    openai_evals("logs/a.jsonl", "gpt-a", A)
    openai_evals("logs/b.jsonl", "gpt-b", B, order=SHUFFLED)
    openai_evals("logs/c.jsonl", "gpt-c", A, ended=False)
    comparison = found(capsys, "logs", "--values", "right")
    assert only_p(comparison) == expected_p()
    assert {line["model"] for line in comparison["models"]} == {"gpt-a", "gpt-b"}
    table = tables_of(["logs"]).models["gpt-b"].table.to_pandas()
    assert set(table["total_tokens"]) == {12.0}
    with pytest.raises(Problem, match="the run did not finish"):
        tables_of(["logs/c.jsonl"])


def test_openai_evals_refuses_a_sample_with_two_matches():
    path = openai_evals("a.jsonl", "gpt-a", [1, 0], order=[0, 1, 1])
    with pytest.raises(Problem, match=r"sample test-match\.s1\.1 has correct twice"):
        tables_of([path])


@pytest.mark.parametrize(("form", "score"), [("new", "plus"), ("old", "plus"), ("big", "pass")])
def test_evalplus_has_runs_of_tasks_in_all_its_forms(capsys, form, score):
    evalplus("he/gpt_temp_0.8_eval_results.json", [A, B], form=form)
    evalplus("he/llama-3.1.eval_results.json", [B, B], form=form)
    how = ["he", "--values", "right", "--runs", "run", "--set", f"value={score}"]
    comparison = found(capsys, *how, "--metric", "pass@1")
    values = {line["model"]: line["pass_at_1"] for line in comparison["models"]}
    means = {"gpt_temp_0.8": np.mean([A, B]), "llama-3.1": np.mean(B)}
    assert values == pytest.approx(means, abs=1e-3)


def test_evalplus_passes_plus_only_with_the_base_tests():
    solution = {
        "task_id": "Mbpp/2",
        "solution": "…",
        "base_status": "fail",
        "plus_status": "pass",
    }
    path = write("x_eval_results.json", {"eval": {"Mbpp/2": [solution]}})
    table = tables_of([path]).first.table.to_pandas()
    assert table[["base", "plus"]].to_numpy().tolist() == [[0.0, 0.0]]


def test_mteb_folders_are_a_table_of_scores(capsys):
    rng = np.random.default_rng(4)
    rows = []
    for model, ahead in (("e5", 0.02), ("bge", 0.0)):
        for task in range(7):
            scores = {"test": (0.5 + ahead + rng.random(2) / 100).tolist(), "dev": [0.5]}
            mteb(model, f"Task{task}", scores)
            mean = np.mean([*scores["test"], 0.5])  # over splits and subsets, as get_score has it
            rows.append({"dataset": f"Task{task}", "model": model, "value": mean})
    comparison = found(
        capsys,
        "results",
        "--datasets",
        "dataset",
        "--values",
        "higher",
    )
    table = pd.DataFrame(rows)
    by_call = bakeoff.compare_datasets(table, datasets="dataset", values="higher")
    assert comparison["data_sets"] == 7
    assert only_p(comparison) == pytest.approx(by_call.comparisons["pvalue"].iloc[0])
    assert main(["compare", "results", "--values", "higher"]) == 2
    assert "no rows: `bakeoff compare`" in capsys.readouterr().err


def test_rows_of_logs_are_no_table_of_scores(capsys):
    openai_evals("logs/a.jsonl", "gpt-a", A)
    openai_evals("logs/b.jsonl", "gpt-b", B)
    assert main(["compare", "logs", "--datasets", "task", "--values", "higher"]) == 2
    assert "`--groups task` takes these for a sample of tasks" in capsys.readouterr().err


def test_deepeval_and_ragas_pair_by_questions(capsys):
    rng = np.random.default_rng(5)
    scores_a, scores_b = rng.random((2, N)).round(3)
    deepeval("runs/a.json", "gpt-a", scores_a.tolist())
    deepeval("runs/b.json", "gpt-b", scores_b.tolist(), order=SHUFFLED)
    for name, scores, order in (("a", scores_a, slice(None)), ("b", scores_b, SHUFFLED)):
        table = pd.DataFrame(
            {
                "user_input": [f'question {i}, "quoted"\nin lines' for i in range(N)],
                "retrieved_contexts": "['context']",
                "response": "answer",
                "reference": [f"right {i}" for i in range(N)],
                "faithfulness": scores,
                "context_recall": 0.5,
            }
        )
        table.iloc[order].to_csv(f"{name}.csv", index=name == "a")
    how = ["--values", "higher", "--set"]
    by_deepeval = found(capsys, "runs", *how, "value=Faithfulness")
    by_ragas = found(capsys, "a.csv", "b.csv", *how, "value=faithfulness")
    plain = pd.DataFrame({"id": range(N), "A": scores_a, "B": scores_b})
    plain.to_csv("plain.csv", index=False)
    by_table = found(capsys, "plain.csv", "--values", "higher")
    assert only_p(by_deepeval) == pytest.approx(only_p(by_table))
    assert only_p(by_ragas) == pytest.approx(only_p(by_table))
    assert "asked differently" not in json.dumps(by_deepeval)
    costs = tables_of(["runs"]).models["gpt-a"].table.to_pandas()
    assert costs[["cost", "latency"]].drop_duplicates().to_numpy().tolist() == [[0.002, 1.5]]


def test_an_empty_score_of_ragas_is_missing(capsys):
    for name in "ab":
        table = pd.DataFrame({"user_input": list("xyzuvw"), "response": "r", "faithfulness": 0.5})
        table["faithfulness"] += np.arange(6) / 20 * (name == "a")
        table.loc[2, "faithfulness"] = 0.5
        if name == "a":
            table.loc[2, "faithfulness"] = np.nan
        table.to_csv(f"{name}.csv", index=False)
    assert main(["compare", "a.csv", "b.csv", "--values", "higher"]) == 2
    assert "`--missing common`" in capsys.readouterr().err
    how = ["a.csv", "b.csv", "--values", "higher", "--missing", "common"]
    assert found(capsys, *how)["rows"] == 5


def test_latency_of_promptfoo_is_a_guardrail(capsys):
    path = promptfoo("results.json", {"gpt": A, "claude": A})
    log = json.loads(Path(path).read_text())
    rng = np.random.default_rng(6)
    for row in log["results"]["results"]:
        slower = 0
        if row["provider"]["label"] == "claude":
            slower = 300
        row |= {"latencyMs": 500 + slower + rng.integers(50), "cost": 0.001}
        row["tokenUsage"] = {
            "total": 12,
            "prompt": 10,
            "completion": 2,
        }
        row["latencyMs"] = int(row["latencyMs"])
    write(path, log)
    how = [path, "--models", "gpt,claude", "--values", "right", "--runs", "run"]
    how += ["--set", "value=success", "--margin", "0.1", "--metric", "latency:10%:lower"]
    assert main(["gate", *how]) == 1
    assert "Block: claude is worse than gpt by more than" in capsys.readouterr().out


def test_a_shape_that_is_not_known_names_its_keys_and_the_columns_needed(capsys):
    write("a.json", {"summary": 1, "items": []})
    write("logs/b.json", [{"question": "x", "verdict": True}])
    assert main(["compare", "a.json", "--values", "right"]) == 2
    error = capsys.readouterr().err
    assert "it holds an object with summary, items: write a CSV" in error
    assert "the three columns id, model and score" in error
    assert main(["compare", "logs", "--values", "right"]) == 2
    assert "a list of 1 objects with question, verdict" in capsys.readouterr().err

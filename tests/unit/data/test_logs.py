"""Logs of evaluations as they lie on disk: files of several models, and folders."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bakeoff
from bakeoff.api.findings import Findings
from bakeoff.cli import main
from bakeoff.data.given_tables import GivenTables, table_of_model, tables_of
from bakeoff.errors import Problem, UserError
from bakeoff.execution.fingerprints import of_data, of_given
from bakeoff.execution.in_process import run_in_process
from bakeoff.preflight.experiment import check_experiment
from bakeoff.spec.load import load_experiment, report_problems
from tests.logs import deepeval, drawn, inspect, lm_eval, promptfoo, swe_bench, write


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows_of(tables: GivenTables, model: str) -> dict[str, list[Any]]:
    return dict(tables.models[model].table.to_pandas().to_dict("list"))


def test_promptfoo_holds_several_models_and_runs_of_tests() -> None:
    path = promptfoo("results.json", {"gpt": [1, 0, 1, 1], "claude": [0, 0, 0, 1]})
    tables = tables_of([path])
    assert list(tables.models) == ["claude", "gpt"]
    assert rows_of(tables, "gpt") == {
        "id": ["q=q0", "q=q0", "q=q1", "q=q1"],
        "success": [1.0, 0.0, 1.0, 1.0],
        "score": [1.0, 0.5, 1.0, 1.0],
        "tone": [0.25] * 4,
        "run": [1, 2, 1, 2],
    }
    assert tables.read_as == ("results.json was read as results of promptfoo",)
    with pytest.raises(Problem, match=r"4 of 4 tests could not be run.*429 Too Many"):
        tables_of([promptfoo("errors.json", {"gpt": [1, 0, 1, 1]}, error=True)])
    write("other.json", {"evalId": "x", "results": {"prompts": [], "results": [{}]}})
    with pytest.raises(Problem, match="expected results with promptIdx"):
        tables_of(["other.json"])


def test_prompts_of_one_provider_are_models_of_their_own() -> None:
    path = promptfoo("results.json", {"gpt": [1, 0], "same": [0, 0]})
    found = json.loads(Path(path).read_text())
    for row in found["results"]["results"]:
        row["provider"] = "openai:gpt"
        row["prompt"]["label"] = f"prompt of {row['promptIdx']}"
    assert list(tables_of([write(path, found)]).models) == [
        "openai:gpt, prompt of 0",
        "openai:gpt, prompt of 1",
    ]


def test_deepeval_pairs_by_inputs() -> None:
    tables = tables_of([deepeval("old.json", [1, 0, 1, 1]), deepeval("new.json", [1, 1, 1, 1])])
    assert rows_of(tables, "old") == {
        "id": ["a", "b", "c", "d"],
        "success": [True, False, True, True],
        "Faithfulness": [0.6, 0.1, 0.6, 0.6],
    }
    repeated = tables_of([deepeval("a.json", [1, 0, 1, 1], "aabb"), "new.json"])
    assert rows_of(repeated, "a")["run"] == [1, 2, 1, 2]
    with pytest.raises(Problem, match="DeepEval: it has no test cases"):
        tables_of([write("no.json", {"testCases": [], "metricsData": []})])


def test_swe_bench_knows_the_unresolved() -> None:
    paths = [swe_bench("gpt-4.1.run1.json", "ab", "cd"), swe_bench("x.run1.json", "abc", "d")]
    tables = tables_of(paths)
    assert rows_of(tables, "x") == {"id": ["a", "b", "c", "d"], "score": [1.0, 1.0, 1.0, 0.0]}
    one = swe_bench("list.json", "ab", "cd", submitted_ids=None)
    assert rows_of(tables_of([one, paths[1]]), "list")["score"] == [1.0, 1.0, 0.0, 0.0]
    for path in ("runs/gpt-4.1.run1.json", "runs/plain.json"):
        swe_bench(path, "ab", "cd")
    assert list(tables_of(["runs"]).models) == ["gpt-4.1", "plain"]
    for more, said in (
        ({"submitted_ids": None, "unresolved_ids": None}, "the unresolved are not known"),
        ({"submitted_ids": ["a"]}, "1 ids are resolved and not submitted, first 'b'"),
    ):
        with pytest.raises(Problem, match=said):
            tables_of([swe_bench("bad.json", "ab", "cd", **more)])


def test_a_folder_of_inspect_has_models_tasks_and_runs() -> None:
    for model in ("openai/a", "b"):
        for k in range(2):
            inspect(f"logs/{k}_{model[-1]}.json", model, [1, k])
    inspect("logs/error.json", "b", [1], status="error")
    inspect("logs/copy.json", "b", [1, 0], run={"eval_id": "logs/0_b.json"})
    inspect("logs/.hidden/x.json", "c", [1, 1])
    write("logs/listing.json", {"a": 1})
    tables = tables_of(["logs"])
    assert list(tables.models) == ["b", "openai/a"]
    assert rows_of(tables, "b") == {"id": [0, 1, 0, 1], "score": [1, 0, 1, 1], "run": [1, 1, 2, 2]}
    assert tables.read_as == (
        "logs was read as a folder of 4 files (a log of Inspect), with the models b and openai/a",
    )
    copy, error = tables.left_out
    assert copy == "logs/copy.json was left out: it is the same evaluation as logs/0_b.json."
    assert error.startswith("logs/error.json was left out: its status is 'error', with 1 samples")
    inspect("logs/z.json", "b", [1, 1], task="other")
    ids = rows_of(tables_of(["logs"]), "b")["id"]
    assert ids == ["t/0", "t/1", "t/0", "t/1", "other/0", "other/1"]


def test_logs_of_other_settings_are_no_runs() -> None:
    inspect("logs/1.json", "m", [1, 0])
    inspect("logs/2.json", "m", [1, 0], args={"cot": True})
    with pytest.raises(Problem, match=r"1\.json' and 'logs/2\.json' .* different settings"):
        tables_of(["logs"])


def test_a_log_that_was_replaced_is_read_again_whatever_its_date() -> None:
    """In one process, which reads a log once for all of its models."""
    place = ("models", "gpt", "predictions")
    marks = []
    for model in ([1, 0], [0, 1]):
        path = promptfoo("new.json", {"gpt": model})
        os.utime(path, (1e9, 1e9))
        Path(path).replace("results.json")
        marks.append(table_of_model("results.json", place, "gpt").table["success"].to_pylist())
    assert marks == [[1.0, 0.0], [0.0, 1.0]]


def test_a_folder_without_logs_is_refused_in_one_sentence() -> None:
    Path("empty").mkdir()
    with pytest.raises(Problem, match=r"'empty' is a folder without logs of items \(a test run of"):
        tables_of(["empty"])
    inspect("empty/log.json", "m", [1], status="started")
    with pytest.raises(Problem, match=r"logs that can be used\. empty/log\.json was left out"):
        tables_of(["empty"])
    write("empty/log.json", {"status": "success", "eval": {"task": "t"}, "samples": "none"})
    with pytest.raises(Problem, match=r"'empty/log.json', a log of Inspect: it has no samples"):
        tables_of(["empty"])
    with pytest.raises(UserError, match="the same file is given twice"):
        tables_of(["empty", "empty"])


def folder_of_runs() -> dict[str, list[int]]:
    """Write three runs of 30 items of two models, and return the marks of each, run by run."""
    marks: dict[str, list[int]] = {"openai/a": [], "b": []}
    for model, own in marks.items():
        for k in range(3):
            own += drawn(30, 0.4 + 0.3 * (model == "b"), seed=10 * k + len(model))
            inspect(f"logs/{k}_{model[-1]}.json", model, own[-30:])
    inspect("logs/.hidden/x.json", "c", [1] * 30)
    return marks


def experiment_of(metric: str, **keys: Any) -> dict[str, Any]:
    """Write an experiment of the models of a folder."""
    own = {"values": "logs/", "columns": {"run": "run"}}
    models = {"a": {**own, "model": "openai/a", **keys}, "b": own}
    return {"experiment": "evals", "metrics": [metric], "models": models}


def checked(config: dict[str, Any]) -> None:
    """Check an experiment as `bakeoff check` does."""
    problems, _ = check_experiment(load_experiment(config))
    if problems:
        raise report_problems(problems)


@pytest.mark.parametrize("metric", ["pass^2", "pass@2", "accuracy"])
def test_experiment_takes_the_models_of_a_folder(
    metric: str, capsys: pytest.CaptureFixture[str]
) -> None:
    marks, items = folder_of_runs(), [*range(30)] * 3
    inspect("logs/error.json", "b", [1], status="error")
    experiment = load_experiment(experiment_of(metric))
    found = Findings(run_in_process(experiment, "results", 1, lambda done, of: None)).comparisons
    assert capsys.readouterr().err.count("logs/error.json was left out") == 1
    asked = {"pass^2": {"pass_hat": 2}, "pass@2": {"pass_at": 2}, "accuracy": {}}[metric]
    arrays = {"a": marks["openai/a"], "b": marks["b"]}
    expected = bakeoff.compare(None, arrays, values="right", groups=items, **asked).comparisons
    columns = ["test", "metric", "estimate", "statistic", "pvalue", "ci_low", "ci_high", "n"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])
    assert experiment.given["b"].files("evals", {}) == [
        *(f"logs/{k}_{m}.json" for k in range(3) for m in "ab"),
        "logs/error.json",
    ]
    written = load_experiment(experiment.resolved())
    assert written.measured == experiment.measured


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"model": "c"},
            r"models.a.model: 'logs/' holds several: unknown model 'c' \(allowed: b, op",
        ),
        ({"values": "t.csv"}, r"models.a.model: 't.csv' holds one model: leave it out"),
        ({"values": "pf.json"}, r"models.a.model: 'pf.json' holds several: unknown model 'openai"),
        ({"columns": {}}, r"models.a.values: .* where they are runs of items, `run: run` names"),
        (
            {"values": None, "scores": "t.csv"},
            "models.a: `model` goes with `results`, or with logs",
        ),
        ({"values": None, "results": "r"}, "models.a: `results` wants a folder of results, and"),
        ({}, r"metrics\[0\]: 'logs/: openai/a': pass@4 wants 4 runs of each item, 30 have fewer"),
    ],
)
def test_experiments_of_logs_that_do_not_fit(change: dict[str, Any], said: str) -> None:
    folder_of_runs()
    Path("t.csv").write_text("id,value\n1,0\n2,1\n")
    promptfoo("pf.json", {"gpt": [1, 0], "claude": [0, 1]})
    with pytest.raises(UserError, match=said):
        checked(experiment_of("pass@4", **change))


def test_what_numbers_stand_for_makes_what_is_taken_of_them() -> None:
    folder_of_runs()
    values: Any = {"name": "v", "greater_is_better": True}
    metrics = ["accuracy", "error", "pass@2", "pass^2", values, {**values, "label": "V"}]
    made = [load_experiment(experiment_of(metric)) for metric in metrics]
    for of in (of_data, of_given):
        digests = [of(one, "evals" if of is of_data else "a") for one in made]
        assert len(set(digests)) == 5
        assert digests[-1] == digests[-2]


def test_a_folder_of_lm_eval_has_models_and_tasks() -> None:
    for model in ("meta__llama-3.1", "x"):
        for task in ("arc_easy", "gsm8k"):
            lm_eval(model, task, [1, 0])
    tables = tables_of(["out"])
    assert tables.left_out == ()
    assert rows_of(tables, "meta__llama-3.1") == {
        "id": ["arc_easy/0", "arc_easy/1", "gsm8k/0", "gsm8k/1"],
        "score": [1.0, 0.0, 1.0, 0.0],
        "task": ["arc_easy", "arc_easy", "gsm8k", "gsm8k"],
    }
    assert list(tables_of(["out/meta__llama-3.1", "out/x"]).models) == ["meta__llama-3.1", "x"]
    means = next(str(path) for path in Path("out/x").glob("results*"))
    with pytest.raises(Problem, match="it holds only mean scores"):
        tables_of([means])


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("compare logs", 2, "--values: logs was read as a folder of 6 files (a log of Inspect), w"),
        ("compare logs --values right", 2, "where they are runs of items, `--runs run` names th"),
        ("compare logs --values right --runs run", 0, "b is better than a by accuracy"),
        ("compare logs --values right --runs run --models a,c", 2, "--models: unknown model 'c'"),
        ("compare logs --values right --runs run --models a", 2, "holds one model (a)"),
        ("compare logs --values right --runs run --pass-at 2", 0, "b is better than a by pass@2"),
        ("compare logs --values right --runs run --pass-at 4", 2, "pass@4 wants 4 runs of each"),
        ("compare logs --values right --pass-at 2 --pass-hat 2", 2, "one of pass@k and pass^k"),
        ("compare logs --values higher --pass-at 2", 2, "--pass-at: is about runs that are righ"),
        ("compare logs --values right --runs run --pass-at 0", 2, "--pass-at: found 0, expected"),
        ("gate logs --margin 0 --values right --runs run", 3, "name the two of its models (a, b)"),
        ("gate logs --margin 0 --models a,b --values right --runs run --pass-hat 2", 0, "Ship: b"),
        ("plan --pilot logs --pair a,b --rows 9", 2, "it holds no labels but scores, `score` (0 "),
    ],
)
def test_commands_take_a_folder(
    options: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for k in range(3):
        inspect(f"logs/{k}_a.json", "a", drawn(60, 0.4, k))
        inspect(f"logs/{k}_b.json", "b", drawn(60, 0.8, 9 + k))
    assert main(options.split()) == code
    printed = capsys.readouterr()
    assert said in " ".join((printed.out + printed.err).split())


def test_scores_of_a_file_are_told_with_the_options_that_take_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = promptfoo("results.json", {"a": drawn(40, 0.4, 1), "b": drawn(40, 0.9, 2)})
    assert main(["compare", path]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "`success` (0 and 1), `score` (0.5 to 1) and `tone` (0.25 to 0.25)" in told
    assert "`--column` chooses one of them, `--runs run` names the runs" in told
    options = ["--values", "right", "--column", "success", "--runs", "run"]
    assert main(["compare", path, *options]) == 0
    assert "b is better than a" in capsys.readouterr().out


def test_the_format_of_tables_is_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["id;y;a;b", *(f"{i};x{i % 2};x{i % 2};x{i % 3 % 2}" for i in range(40))]
    Path("t.out").write_text("\n".join(rows))
    assert main(["compare", "t.out"]) == 2
    assert "unknown file ending '.out'" in (told := capsys.readouterr().err)
    assert "or set `--format csv`" in told
    for command in (
        ["compare", "t.out", "--models", "a,b"],
        ["gate", "t.out", "--models", "b,a", "--margin", "0.1"],
        ["plan", "--pilot", "t.out", "--pair", "a,b", "--difference", "0.1"],
        ["init", "t.out", "--target", "y", "-o", "-"],
    ):
        assert main([*command, "--format", "csv"]) == 0
    assert '    format: "csv"\n' in capsys.readouterr().out
    Path("s.out").write_text("data,a,b\n" + "\n".join(f"d{i},{i % 7},{i % 5}" for i in range(12)))
    scores = ["compare", "s.out", "--datasets", "data", "--values", "higher", "--format", "csv"]
    assert main(scores) == 0

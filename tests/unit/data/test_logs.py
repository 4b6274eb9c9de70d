"""Logs of evaluations, told by their content: files of one and several models, and folders.

The files are made as the tools write them: lm-evaluation-harness (lm_eval/evaluator.py), promptfoo
(src/types/index.ts) and Inspect (inspect_ai/log/_log.py).
"""

import json
import os
import re
import struct
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bakeoff
from bakeoff.api.findings import Findings
from bakeoff.cli import main
from bakeoff.data import readers
from bakeoff.data.given_tables import read_columns, table_of_model, tables_of
from bakeoff.data.observations import Observations
from bakeoff.data.readers import inspect_logs
from bakeoff.data.readers import lm_eval as of_lm
from bakeoff.data.readers import promptfoo as of_pf
from bakeoff.errors import Problem, UserError
from bakeoff.execution.digests import of_data, of_given
from bakeoff.execution.fits import run_in_process
from bakeoff.preflight import check_experiment
from bakeoff.sources.common import formats
from bakeoff.spec.load import load_experiment, report_problems
from bakeoff.stats import mcnemar
from tests.logs import beginnings, drawn, inspect, lm_eval, promptfoo, write

pytestmark = pytest.mark.usefixtures("in_folder")
RIGHT = ["--values", "right"]


def rows_of(tables, model):
    rows = dict(tables.models[model].table.to_pandas().to_dict("list"))
    return rows | {"id": beginnings(rows["id"])}


def test_promptfoo_holds_several_models_and_runs_of_tests():
    path = promptfoo("results.json", {"gpt": [1, 0, 1, 1], "claude": [0, 0, 0, 1]})
    tables = tables_of([path])
    assert list(tables.models) == ["claude", "gpt"]
    assert rows_of(tables, "gpt") == {
        "id": ["q=q0", "q=q0", "q=q1", "q=q1"],
        "success": [1.0, 0.0, 1.0, 1.0],
        "score": [1.0, 0.5, 1.0, 1.0],
        "tone": [0.25] * 4,
        "q": ["q0", "q0", "q1", "q1"],
        "run": [1, 2, 1, 2],
        "sample_id": [0, 1, 2, 3],
        "latency": [0.007] * 4,
    }
    assert tables.read_as == ("results.json was read as results of promptfoo",)
    with pytest.raises(Problem, match=r"4 of 4 tests could not be run.*429 Too Many"):
        tables_of([promptfoo("errors.json", {"gpt": [1, 0, 1, 1]}, error=True)])
    found = json.loads(Path(path).read_text())
    for row in found["results"]["results"]:  # prompts of one provider are models of their own
        row |= {"provider": "openai:gpt", "prompt": {"label": f"prompt of {row['promptIdx']}"}}
    named = ["openai:gpt, prompt of 0", "openai:gpt, prompt of 1"]
    assert list(tables_of([write(path, found)]).models) == named


def test_a_folder_of_inspect_has_models_tasks_and_runs():
    for model in ("openai/a", "b"):
        for k in range(2):
            inspect(f"logs/{k}_{model[-1]}.json", model, [1, k])
    inspect("logs/error.json", "b", [1], status="error")
    inspect("logs/copy.json", "b", [1, 0], run={"eval_id": "logs/0_b.json"})
    inspect("logs/.hidden/x.json", "c", [1, 1])
    write("logs/listing.json", {"a": 1})
    tables = tables_of(["logs"])
    assert list(tables.models) == ["b", "openai/a"]
    rows = {"id": ["q0", "q1"] * 2, "sample_id": [0, 1] * 2}
    assert rows_of(tables, "b") == {**rows, "score": [1, 0, 1, 1], "run": [1, 1, 2, 2]}
    said = "logs was read as a folder of 4 files (a log of Inspect), with the models b and openai/a"
    assert tables.read_as == (said,)
    copy, error = tables.left_out
    assert copy == "logs/copy.json was left out: it is the same evaluation as logs/0_b.json."
    assert error.startswith("logs/error.json was left out: its status is 'error', with 1 samples")
    inspect("logs/z.json", "b", [1, 1], task="other")
    ids = rows_of(tables_of(["logs"]), "b")["id"]
    assert ids == ["t/q0", "t/q1"] * 2 + ["other/q0", "other/q1"]


def settings(config, *steps):
    return {"steps": [{"solver": name, "params": of} for name, of in steps], "config": config}


OF_INSPECT = {
    "temperature": [{"plan": settings({"temperature": t, "seed": 1})} for t in (0.0, 0.7)],
    "system_message.template": [
        {"plan": settings({}, ("system_message", {"template": text}))} for text in ("Short.", "No.")
    ],
    "cot": [{"plan": settings({})}, {"plan": settings({}), "args": {"cot": True}}],
}


@pytest.mark.parametrize("setting", list(OF_INSPECT))
def test_logs_of_inspect_with_other_settings_are_other_models(setting):
    one, other = OF_INSPECT[setting]
    inspect("logs/1.json", "m", [1, 0], **one)
    inspect("logs/2.json", "m", [1, 1], **other)
    again = one["plan"] | {"config": one["plan"]["config"] | {"seed": 2}}
    inspect("logs/3.json", "m", [0, 0], **one | {"plan": again})
    inspect("logs/4.json", "m", [1, 0], "u", **other)
    tables = tables_of(["logs"])
    alone, *others = sorted(tables.models, key=len)
    assert (alone, rows_of(tables, alone)["id"]) == ("m", ["u/q0", "u/q1"])
    assert all(name.startswith(f"m ({setting} ") for name in others)
    assert sorted(len(rows_of(tables, name)["id"]) for name in others) == [2, 4]
    assert tables.read_as[0].endswith("with other settings are other models, and no runs")


def test_files_of_lm_with_other_prompts_or_temperatures_are_other_models():
    lm_eval("m", "gsm8k", [1, 0, 1])
    lm_eval("m", "gsm8k", [1, 1, 1], day=2, questions=[2, 0, 1])
    assert rows_of(tables_of(["out"]), "m")["run"] == [1, 1, 1, 2, 2, 2]
    lm_eval("m", "gsm8k", [1, 1, 0], day=3, temperature=0.7)
    named = ["m (do_sample False; temperature 0.0)", "m (do_sample True; temperature 0.7)"]
    assert list(tables_of(["out"]).models) == named
    path = Path(lm_eval("n", "gsm8k", [1, 0, 1]))
    other = path.read_text().replace("Q: q1", "few shots")
    path.with_stem("samples_gsm8k_2026-02-01T00-00-00.1").write_text(other)
    assert [name[:11] for name in tables_of(["out/n"]).models] == ["n (prompts "] * 2


PROVIDERS = {"claude": [0, 0], "gpt": [1, 0]}


def test_files_of_pf_with_other_prompts_are_other_models():
    path = promptfoo("logs/1.json", PROVIDERS)
    found = json.loads(Path(path).read_text()) | {"evalId": "eval-y"}
    found["config"] = {"providers": [{"id": "openai:gpt", "config": {"temperature": 0.7}}]}
    for row in found["results"]["results"]:
        row["provider"] = {"id": f"openai:{row['provider']['label']}"}
    write("logs/2.json", found)
    for row in found["results"]["prompts"]:
        row["raw"] = "Explain {{q}}"
    write("logs/3.json", found)
    prompts = []
    for model in PROVIDERS:
        for prompt in ("Explain", "Say"):
            prompts.append(f"openai:{model} (prompt {prompt} {{{{q}}}})")
    assert list(tables_of(["logs"]).models) == [*PROVIDERS, *prompts]
    write("logs/3.json", json.loads(Path("logs/2.json").read_text()) | {"config": {}})
    named = [f"openai:gpt (temperature {value})" for value in (0.7, "default")]
    assert [name for name in tables_of(["logs"]).models if "gpt (" in name] == named


def shuffled(marks, seed):
    """Return marks of questions in another order, and the questions."""
    order = np.random.default_rng(seed).permutation(len(marks)).tolist()
    return [marks[i] for i in order], order


def marks_of_two():
    """Return marks of 120 questions by which 18 are for the first alone, and 5 for the second."""
    first = [1] * 18 + [0] * 5
    second = [0] * 18 + [1] * 5
    alike = [1] * 60 + [0] * 37
    return first + alike, second + alike


def archive_of(path, text=""):
    """Write a log in parts, as an `.eval` file of Inspect."""
    found = json.loads(text or Path(path).read_text())
    packed = Path(path).with_suffix(".eval")
    samples = found.pop("samples")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample | {"messages": ["long"]}))
        if found["status"] == "success":
            archive.writestr("header.json", json.dumps(found))
    return packed


def compared(capsys, *options):
    assert main(["compare", *options, "--values", "right", "--json"]) == 0, capsys.readouterr().err
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    return dict(found)


@pytest.mark.parametrize("packed", [False, True])
def test_shuffled_logs_of_inspect_pair_by_questions(capsys, packed):
    a, b = marks_of_two()
    paths = []
    for name, marks, seed in (("a", a, 1), ("b", b, 2)):
        own, order = shuffled(marks, seed)
        path = inspect(f"{name}.json", name, own, questions=order)
        if packed and name == "b":
            path = str(archive_of(path))
        paths.append(path)
    expected = mcnemar(np.array(a), np.array(b))
    assert round(expected.pvalue, 4) == 0.0066
    found = compared(capsys, *paths)
    assert (found["pvalue"], found["statistic"]) == (expected.pvalue, expected.statistic)
    Path("logs").mkdir()
    for path in paths:
        Path(path).rename(f"logs/{path}")
    assert compared(capsys, "logs")["pvalue"] == expected.pvalue


def documents(name, marks, order):
    return lm_eval(name, "arc", marks, order)


def assertions_of_pairs(name, marks, order):
    """Half of the tests have the variables of the others, and ask for another thing."""
    log = json.loads(Path(promptfoo(f"{name}.json", {name: marks})).read_text())
    for row, asked in zip(log["results"]["results"], order, strict=True):
        row |= {
            "vars": {"q": f"q{asked // 2}"},
            "score": row["success"],
            "namedScores": {},
        }
        row["testCase"] = {"assert": [{"type": "equals", "value": asked % 2}]}
    return write(f"{name}.json", log)


def chats_with_choices(name, marks, order):
    """Inspect gives each message a new id, and may shuffle the choices of a question."""
    log = json.loads(Path(inspect(f"{name}.json", name, marks, questions=order)).read_text())
    for row, asked in zip(log["samples"], order, strict=True):
        row["input"] = [{"id": f"{name}{row['id']}", "role": "user", "content": "Which?"}]
        right = f"right {asked}"
        wrong = f"wrong {asked}"
        row["choices"] = [right, wrong]
        if (asked + len(name)) % 3 == 0:
            row["choices"] = [wrong, right]
        row["target"] = "AB"[row["choices"].index(right)]
    return write(f"{name}.json", log)


@pytest.mark.parametrize("made", [documents, assertions_of_pairs, chats_with_choices])
def test_logs_in_another_order_pair_by_what_is_asked(capsys, made):
    marks = drawn(80, 0.7, 3)
    paths = [made("a", marks, [*range(80)]), made("bb", *shuffled(marks, 4))]
    found = compared(capsys, *paths, "--set", "value=score")
    assert (found["statistic"], found["pvalue"]) == (0, 1)
    assert main(["gate", *paths, *RIGHT, "--set", "value=score", "--margin", "0.05"]) == 0


def test_questions_that_are_there_twice_keep_the_ids_of_the_log(capsys, refused):
    a, b = marks_of_two()
    asked = [i % 110 for i in range(120)]
    paths = [inspect(f"{m}.json", m, own, questions=asked) for m, own in (("a", a), ("b", b))]
    assert compared(capsys, *paths)["pvalue"] == mcnemar(np.array(a), np.array(b)).pvalue
    own, order = shuffled(b, 2)
    inspect("b.json", "b", own, questions=[i % 110 for i in order])
    refused(
        "compare",
        *paths,
        *RIGHT,
        said="ids that are missing ( … ): q0 [ … ] 0, ",
    )


def test_other_questions_under_the_same_ids_are_refused(capsys, refused):
    other = [*range(38), *range(100, 102)]
    paths = [inspect("a.json", "a", [1] * 40), inspect("b.json", "b", [1] * 40, questions=other)]
    said = (
        "ids that do not belong (2): q100 [ … "
        "only if both logs number the same questions alike, `--id sample_id` pairs so"
    )
    refused("compare", *paths, *RIGHT, said=said)
    assert compared(capsys, *paths, "--id", "sample_id")["n"] == 40
    inspect("b.json", "b", [1] * 40, questions=[1, 0, *range(2, 40)])
    said = "2 of 40 rows are another question than in 'a.json'; leave the column of ids out"
    refused("compare", *paths, *RIGHT, "--id", "sample_id", said=said)


def test_own_tables_may_have_columns_of_these_names(capsys):
    for name, first in (("a", 0), ("b", 1)):
        rows = (f"{i + first},s{i},{int(i % 3 > first)}\n" for i in range(40))
        Path(f"{name}.csv").write_text("id,sample_id,score\n" + "".join(rows))
    assert compared(capsys, "a.csv", "b.csv", "--id", "sample_id")["n"] == 40


def test_runs_of_a_folder_are_of_one_question(capsys):
    """Every run is shuffled in its own way; runs that agree are those of one question."""
    marks = {"a": drawn(60, 0.5, 1), "b": drawn(60, 0.7, 2)}
    for name, own in marks.items():
        for k in range(3):
            again, order = shuffled(own, 10 * k + len(name))
            inspect(f"logs/{name}{k}.json", name, again, questions=order)
    found = compared(capsys, "logs", "--runs", "run", "--metric", "pass^3")
    difference = np.mean(marks["a"]) - np.mean(marks["b"])
    assert found["estimate"] == pytest.approx(difference)
    assert found["n"] == 60


def test_a_log_that_was_replaced_is_read_again_whatever_its_date():
    """In one process, which reads a log once for all of its models."""
    for marks in ([1.0, 0.0], [0.0, 1.0]):
        path = promptfoo("new.json", {"gpt": marks})
        os.utime(path, (1e9, 1e9))
        Path(path).replace("results.json")
        file = table_of_model("results.json", ("models", "gpt", "predictions"), "gpt")
        assert file.table["success"].to_pylist() == marks


def test_a_folder_without_logs_is_refused_in_one_sentence():
    Path("empty").mkdir()
    log = {
        "status": "success",
        "eval": {"task": "t"},
        "samples": "none",
    }
    for written, said in (
        (None, r"'empty' is a folder without logs of items \(.*a log of Insp"),
        (log | {"status": "started"}, r"logs that can be used\. empty/log\.json was left out"),
        (log, r"empty/log.json was left out: it has no samples"),
    ):
        if written is not None:
            write("empty/log.json", written)
        with pytest.raises(Problem, match=said):
            tables_of(["empty"])
    with pytest.raises(UserError, match="the same file is given twice"):
        tables_of(["empty", "empty"])


def folder_of_runs():
    """Write three runs of 30 items of two models, and return the marks of each, run by run."""
    marks = {"openai/a": [], "b": []}
    for model, own in marks.items():
        for k in range(3):
            own += drawn(30, 0.4 + 0.3 * (model == "b"), seed=10 * k + len(model))
            inspect(f"logs/{k}_{model[-1]}.json", model, own[-30:])
    inspect("logs/.hidden/x.json", "c", [1] * 30)
    return marks


def experiment_of(metric, **keys):
    own = {"values": "logs/", "columns": {"runs": "run"}}
    models = {"a": {**own, "model": "openai/a", **keys}, "b": own}
    return {
        "experiment": "evals",
        "metrics": [metric],
        "models": models,
    }


def checked(config):
    problems, _ = check_experiment(load_experiment(config))
    if problems:
        raise report_problems(problems)


@pytest.mark.parametrize("metric", ["pass^2", "pass@2", "accuracy"])
def test_experiment_takes_the_models_of_a_folder(metric, capsys):
    marks = folder_of_runs()
    items = list(range(30)) * 3
    inspect("logs/error.json", "b", [1], status="error")
    experiment = load_experiment(experiment_of(metric))
    found = Findings(run_in_process(experiment, "results", 1, lambda done, of: None)).comparisons
    assert capsys.readouterr().err.count("logs/error.json was left out") == 1
    asked = {}
    if metric != "accuracy":
        asked = {"metrics": metric}
    arrays = {"a": marks["openai/a"], "b": marks["b"]}
    expected = bakeoff.compare(None, arrays, values="right", groups=items, **asked).comparisons
    columns = ["test", "metric", "estimate", "statistic", "pvalue", "ci_low", "ci_high", "n"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])
    files = []
    for run in range(3):
        files += [f"logs/{run}_a.json", f"logs/{run}_b.json"]
    assert experiment.given["b"].files("evals") == [*files, "logs/error.json"]
    written = load_experiment(experiment.resolved())
    assert written.measured == experiment.measured


def test_an_experiment_compares_by_accuracy_and_passes_together():
    marks = folder_of_runs()
    metrics = ["accuracy", "pass@2", "pass^3"]
    experiment = load_experiment({**experiment_of("accuracy"), "metrics": metrics})
    found = Findings(run_in_process(experiment, "results", 1, lambda done, of: None)).comparisons
    expected = bakeoff.compare(
        None,
        {"a": marks["openai/a"], "b": marks["b"]},
        values="right",
        groups=[*range(30)] * 3,
        metrics=metrics,
    ).comparisons
    columns = ["test", "metric", "estimate", "statistic", "pvalue", "ci_low", "ci_high", "n"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])
    assert list(dict.fromkeys(found["metric"])) == ["mean_accuracy", "pass_at_2", "pass_hat_3"]
    written = load_experiment(experiment.resolved())
    assert written.measured == experiment.measured


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"model": "c"}, r"models.a.model: 'logs/' holds several: unknown model 'c' \(allowed: b,"),
        ({"values": "t.csv"}, r"models.a.model: 't.csv' holds one model: leave it out"),
        ({"values": "pf.json"}, r"models.a.model: 'pf.json' holds several: unknown model 'openai"),
        ({"columns": {}}, r"models.a.values: .* where they are runs of items, `columns: {runs: r"),
        (
            {"values": None, "scores": "t.csv"},
            "models.a: `model` goes with logs or long tables",
        ),
        ({}, r"metrics\[0\]: 'logs/: openai/a': pass@4 wants 4 runs of each item, 30 have fewer"),
    ],
)
def test_experiments_of_logs_that_do_not_fit(keys, said):
    folder_of_runs()
    Path("t.csv").write_text("id,value\n1,0\n2,1\n")
    promptfoo("pf.json", {"gpt": [1, 0], "claude": [0, 1]})
    with pytest.raises(UserError, match=said):
        checked(experiment_of("pass@4", **keys))


@pytest.mark.parametrize(("digest", "of"), [(of_data, "evals"), (of_given, "a")])
def test_what_numbers_stand_for_makes_what_is_taken_of_them(digest, of):
    folder_of_runs()
    values = {"name": "v", "greater_is_better": True}
    metrics = ["accuracy", "error", "pass@2", "pass^2", values, {**values, "label": "V"}]
    digests = [digest(load_experiment(experiment_of(metric)), of) for metric in metrics]
    assert len(set(digests)) == 5
    assert digests[-1] == digests[-2]


def test_a_folder_of_lm_has_models_and_tasks():
    for model in ("meta__llama-3.1", "x"):
        for task in ("arc_easy", "gsm8k"):
            path = Path(lm_eval(model, task, [1, 0]))
            # separators of lines in documents are text
            path.write_text(path.read_text().replace("Q: q1", "Q:\u2028q1\x85"), encoding="utf-8")
    tables = tables_of(["out"])
    assert tables.left_out == ()
    rows = rows_of(tables, "meta__llama-3.1")
    assert rows["id"] == ["arc_easy/q0", "arc_easy/q1", "gsm8k/q0", "gsm8k/q1"]
    assert (rows["score"], rows["sample_id"]) == ([1.0, 0.0, 1.0, 0.0], [0, 1, 0, 1])
    assert rows["task"] == ["arc_easy", "arc_easy", "gsm8k", "gsm8k"]
    assert list(tables_of(["out/meta__llama-3.1", "out/x"]).models) == ["meta__llama-3.1", "x"]


RUNS = "--values right --runs run"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("compare logs", 2, "values: logs was read as a folder of 6 files (a log of Inspect), w"),
        ("compare logs --values right", 2, "where they are runs of items, `--runs run` says so"),
        (f"compare logs {RUNS}", 0, "b is better than a by accuracy"),
        (f"compare logs {RUNS} --models a,c", 2, "models: unknown model 'c'"),
        (f"compare logs {RUNS} --models a", 2, "holds one model (a)"),
        (f"compare logs {RUNS} --metric pass@2", 0, "b is better than a by pass@2"),
        (f"compare logs {RUNS} --metric accuracy --metric pass@2", 0, "(pass@2); a single"),
        (f"compare logs {RUNS} --metric pass@2 --metric f1", 2, "metrics: f1 is not about runs"),
        (f"compare logs {RUNS} --metric pass@4", 2, "pass@4 wants 4 runs of each"),
        (f"gate logs --margin 0 {RUNS}", 3, "name the two of its models (a, b)"),
        (f"gate logs --margin 0 --models a,b {RUNS} --metric pass^2", 0, "Ship: b"),
        (f"compare logs {RUNS} --set value=match", 0, "b is better than a"),
        ("compare logs --values right --set value=acc", 2, "unknown column 'acc'"),
        ("plan logs --models a,b --rows 9", 2, "it holds no labels but scores, `score`"),
        ("compare pf.json", 2, "scores, `success`, `score` and `tone`; `--values right` says that"),
        (f"compare pf.json {RUNS} --set value=success", 0, "b is better than a"),
    ],
)
def test_commands_take_a_folder(options, code, said, capsys):
    for k in range(3):
        inspect(f"logs/{k}_a.json", "a", drawn(60, 0.4, k))
        inspect(f"logs/{k}_b.json", "b", drawn(60, 0.8, 9 + k))
    promptfoo("pf.json", {"a": drawn(40, 0.4, 1), "b": drawn(40, 0.9, 2)})
    assert main(options.split()) == code
    printed = capsys.readouterr()
    assert said in " ".join((printed.out + printed.err).split())


def test_the_format_of_tables_is_an_option(capsys, refused):
    rows = ["id;y;a;b", *(f"{i};x{i % 2};x{i % 2};x{i % 3 % 2}" for i in range(40))]
    Path("t.out").write_text("\n".join(rows))
    refused("compare", "t.out", said="unknown file ending '.out' … or set `format: csv`")
    assert main(["compare", "t.out", "--models", "a,b", "--set", "format=csv"]) == 0
    assert main(["init", "t.out", "--target", "y", "-o", "-", "--set", "format=csv"]) == 0
    assert '    format: "csv"\n' in capsys.readouterr().out


def test_an_encrypted_member_is_named():
    path = archive_of(inspect("a.json", "A", [1, 0] * 20))
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[content.index(b"samples/3_epoch_1.json", central) - 46 + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(Problem, match=r"samples/3_epoch_1.json cannot be unpacked"):
        tables_of([str(path)])


def test_an_archive_that_unpacks_to_far_more_is_refused_before_it_does(monkeypatch):
    monkeypatch.setattr(formats, "_SMALL", 1 << 20)
    archive_of(inspect("a.json", "A", [1, 0], plan={"steps": " " * (1 << 21)}))
    with pytest.raises(Problem, match=r"it unpacks to more than .* 200 times the size"):
        tables_of(["a.eval"])


PLACE = ("predictions",)


def read(path):
    return read_columns(str(path), PLACE).table


def sample(doc_id, **more):
    asked = {
        "doc_id": doc_id,
        "doc": {"question": f"{doc_id} + 1?"},
        "target": str(doc_id + 1),
    }
    asked |= {
        "arguments": [["Q", {"until": ["\n"]}]],
        "resps": [["2"]],
        "filtered_resps": ["2"],
    }
    return asked | {"doc_hash": "0f", "prompt_hash": "1e", "target_hash": "2d", **more}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def log(samples, **head):
    run = {
        "run_id": "x",
        "task": "arithmetic",
        "model": "m",
        "packages": {},
    }
    usual = {
        "version": 2,
        "status": "success",
        "eval": run,
        "results": {"total_samples": 2},
    }
    return json.dumps({**usual, **head, "samples": samples})


def scored(i, value, epoch=1, scorer="match"):
    scores = {scorer: {"value": value, "answer": "2"}}
    return {
        "id": i,
        "epoch": epoch,
        "input": f"{i}?",
        "target": "2",
        "scores": scores,
    }


def test_metrics_and_filters_of_lm_keep_their_names():
    rows = [sample(0, acc=1.0, acc_norm=0.0), sample(1, acc=0.0, acc_norm=0.0)]
    assert list(of_lm.read(lines(rows)).columns) == ["id", "sample_id", "acc", "acc_norm"]
    rows = []
    for name in ("strict-match", "flexible-extract"):
        for i in (0, 1):
            row = sample(i, filter=name, metrics=["exact_match"], exact_match=float(i))
            rows.append(row)
    table = of_lm.read(lines(rows))
    named = ["exact_match,strict-match", "exact_match,flexible-extract"]
    assert list(table.columns) == ["id", "sample_id", *named]
    assert table["exact_match,strict-match"].tolist() == [0.0, 1.0]


def test_a_log_of_inspect(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(log([scored("a", "C"), scored("b", "I"), scored("c", "P"), scored("d", 0.25)]))
    assert readers.reader_of(str(path)) is inspect_logs
    found = read(path).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["a?", "b?", "c?", "d?"]
    assert found == {"sample_id": ["a", "b", "c", "d"], "score": [1.0, 0.0, 0.5, 0.25]}
    path.write_text(log([scored(1, "C", 1), scored(1, "I", 2), scored(2, True, 1)]))
    assert read(path).to_pandas()["epoch"].tolist() == [1, 2, 1]
    rows = [scored(1, {"exact": "C", "f1": 0.5}), scored(2, {"exact": "I", "f1": 0.0})]
    columns = inspect_logs.read(log(rows)).drop(columns=["id", "sample_id"]).to_dict("list")
    assert columns == {"match.exact": [1.0, 0.0], "match.f1": [0.5, 0.0]}


def promptfoo_row(**fields):
    row = {
        "promptIdx": 0,
        "provider": "m",
        "success": True,
        "score": 1,
    }
    return json.dumps({"results": {"results": [row | fields]}})


SAME = sample(0, acc=1.0)
DEEP = "[" * 100_000
ONE = {"id": 1, "epoch": 1, "input": "?", "scores": {}}
HALF = {"completed_samples": 1, "total_samples": 2}
OF_UNFINISHED = [{"status": "error", "results": None}, {"status": "cancelled"}, {"results": HALF}]
UNFINISHED = "its status is '(error|cancelled)', with 1 .*did not finish|only 1 of 2 samples were"


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (
            of_lm,
            lines([SAME, SAME]),
            "document 0 is there 2 times, which are no filters: all lines",
        ),
        (of_lm, lines([sample(0)]), "no sample has a metric that is a number"),
        (of_lm, lines([SAME]) + "{", "line 2"),
        (of_lm, lines([SAME, {"x": 1}]), "line 2: expected the field 'doc_id', found x"),
        (
            of_lm,
            lines([{**SAME, "doc": {}, "doc_hash": ""}]),
            "line 1: expected a sample with d",
        ),
        (
            of_lm,
            lines([SAME, {**SAME, "doc": {"q": "x"}}]),
            "line 2: document 0 is another one",
        ),
        (
            of_lm,
            lines([{**SAME, "doc_id": [0]}]),
            r"line 1.doc_id: expected a whole number or a",
        ),
        (of_lm, lines([SAME]).replace("1.0", "9" * 401), "line 1: a number has 401 digits"),
        (of_pf, promptfoo_row(promptIdx=[1]), r"results.results\[0\].promptIdx: expected a"),
        (of_pf, promptfoo_row(namedScores="x"), r"\[0\].namedScores: expected an object"),
        (of_lm, '{"doc_id": ' + DEEP, "it is nested too deep"),
        (inspect_logs, '{"samples": ' + DEEP, "it is nested too deep"),
        (inspect_logs, log([]), "it has no samples"),
        (inspect_logs, log([ONE | {"epoch": [1]}]), r"samples\[0\].epoch: expected a whole number"),
        (inspect_logs, log([ONE | {"scores": {"m": {}}}]), r"scores.m: expected the field 'value'"),
        (inspect_logs, log(None), "it has no samples"),
        (inspect_logs, log([ONE]), "no sample has a score"),
        (inspect_logs, log([{"id": 1, "scores": {}}]), r"\[0\]: expected the field 'input', found"),
        (inspect_logs, log([{"input": "?", "scores": {}}]), r"samples\[0\]: expected the field 'i"),
        *((inspect_logs, log([scored(1, "C")], **head), UNFINISHED) for head in OF_UNFINISHED),
        (inspect_logs, log([1]), r"samples\[0\]: expected an object, found 1"),
        (inspect_logs, log([scored(1, [1, 2])]), r"sample 1 has the score \[1, 2\]"),
        (inspect_logs, log([scored(1, "good")]), "sample 1 has the score 'good'"),
    ],
)
def test_wrong_records_are_refused(reader, text, message):
    with pytest.raises(ValueError, match=message):
        reader.read(text)


def test_an_eval_file_of_inspect(tmp_path):
    rows = [scored("a", "C", 1), scored("b", "I", 1), scored("a", "P", 2), scored("b", 1, 2)]
    path = archive_of(tmp_path / "log.eval", log(rows))
    assert readers.reader_of(str(path)) is inspect_logs
    found = read(path).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["a?", "a?", "b?", "b?"]
    assert (found["epoch"], found["score"]) == ([1, 2, 1, 2], [1.0, 0.5, 0.0, 1.0])
    text = log(rows).replace('"success"', '"started"')
    with pytest.raises(Problem, match="its status is 'started', with 4 samples"):
        read(archive_of(tmp_path / "log.eval", text))


def with_zstandard(path):
    """Pack the members of an archive by Zstandard, which zipfile writes from Python 3.14 on."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    begun = b""
    listed = b""
    for name, content in members.items():
        packed = pa.compress(content, codec="zstd", asbytes=True)
        sizes = zlib.crc32(content), len(packed), len(content), len(name), 0
        facts = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 33, *sizes)
        listed += b"PK\1\2" + struct.pack("<H", 20) + facts
        listed += struct.pack("<HHHII", 0, 0, 0, 0, len(begun)) + name.encode()
        begun += b"PK\3\4" + facts + name.encode() + packed
    count = len(members)
    end = struct.pack(
        "<HHHHIIH",
        0,
        0,
        count,
        count,
        len(listed),
        len(begun),
        0,
    )
    path.write_bytes(begun + listed + b"PK\5\6" + end)


def test_eval_files_of_today_are_packed_by_zstandard(tmp_path):
    path = archive_of(tmp_path / "log.eval", log([scored("a", "C", 1), scored("b", "I", 1)]))
    with_zstandard(path)
    assert read(path).to_pandas()["score"].tolist() == [1.0, 0.0]
    content = bytearray(path.read_bytes())
    content[content.index(b"samples/a") + 60] ^= 255
    path.write_bytes(content)
    with pytest.raises(Problem, match=r"samples/a_epoch_1.json cannot be unpacked"):
        read(path)


def test_other_archives_are_no_logs(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("t.csv", "id,score\n1,2\n")
    assert readers.reader_of(str(tmp_path / "t.csv.zip")) is None
    assert read(tmp_path / "t.csv.zip").num_rows == 1


def test_probabilities_of_a_single_class_say_nothing(tmp_path):
    path = tmp_path / "p.csv"
    pd.DataFrame({"id": [1, 2], "y_true": "a", "y_pred": "a", "p_a": 1.0}).to_csv(path, index=False)
    rows = Observations.of_records(read_columns(str(path), PLACE))
    ((found,),) = rows.among(("a",)).values()
    assert found.probabilities is None
    assert found.answers.tolist() == [0, 0]


def test_an_archive_of_an_unknown_version_is_named(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"id": [1, 2], "A": "a", "B": "b"}).to_excel(path, index=False)
    listed = b"PK\x01\x02"  # followed by the versions that wrote it, and that it needs
    newer = re.sub(
        listed + b"(..)..",
        listed + rb"\1c\0",
        path.read_bytes(),
        flags=re.DOTALL,
    )
    path.write_bytes(newer)
    with pytest.raises(Problem, match=r"cannot be read as excel: zip file version 9\.9"):
        read(path)


def test_a_column_of_several_types_is_one_of_texts(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(lines([{"id": i, "m": "a" if i != 2 else 3} for i in range(5)]))
    table = read(path)
    assert table["m"].to_pylist() == ["a", "a", "3", "a", "a"]


KNOWN = r"known here \(.*a log of Inspect; samples of .*; results of promptfoo; .*lines of mine\)"


def test_readers_of_others_are_found(tmp_path, monkeypatch):
    mine = SimpleNamespace(
        WHAT="lines of mine",
        recognizes=lambda head: head.startswith("MINE"),
        read=lambda text: pd.DataFrame({"id": [1], "score": [float(len(text))]}),
    )
    point = SimpleNamespace(load=lambda: mine)
    monkeypatch.setattr(readers.metadata, "entry_points", lambda group: [point])
    monkeypatch.setattr(readers, "_readers", readers._readers.__wrapped__)
    (tmp_path / "x.mine").write_text("MINE")
    assert read(tmp_path / "x.mine")["score"].to_pylist() == [4.0]
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(Problem, match=KNOWN):
        read(tmp_path / "x.json")
    (tmp_path / "x.mine").rename(tmp_path / "x.jsonl")
    (tmp_path / "x.json").unlink()
    mine.named = lambda path: {"model": f"the {path.stem}", "task": "t"}
    assert tables_of([str(tmp_path)]).read_as[0].endswith(", with the models the x")

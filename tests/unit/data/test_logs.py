"""Logs of evaluations as they lie on disk: files of several models, and folders."""

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.api.findings import Findings
from bakeoff.cli import main
from bakeoff.data.given_tables import table_of_model, tables_of
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
    }
    assert tables.read_as == ("results.json was read as results of promptfoo",)
    with pytest.raises(Problem, match=r"4 of 4 tests could not be run.*429 Too Many"):
        tables_of([promptfoo("errors.json", {"gpt": [1, 0, 1, 1]}, error=True)])
    write("other.json", {"evalId": "x", "results": {"prompts": [], "results": [{}]}})
    with pytest.raises(Problem, match=r"results\[0\]: expected the field .promptIdx., found none"):
        tables_of(["other.json"])


def test_prompts_of_one_provider_are_models_of_their_own():
    path = promptfoo("results.json", {"gpt": [1, 0], "same": [0, 0]})
    found = json.loads(Path(path).read_text())
    for row in found["results"]["results"]:
        row["provider"] = "openai:gpt"
        row["prompt"]["label"] = f"prompt of {row['promptIdx']}"
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
    "temperature": [settings({"temperature": t, "seed": 1}) for t in (0.0, 0.7)],
    "system_message.template": [
        settings({}, ("system_message", {"template": text})) for text in ("Be brief.", "Be long.")
    ],
}


@pytest.mark.parametrize("setting", list(OF_INSPECT))
def test_logs_of_inspect_with_other_settings_are_other_models(setting):
    one, other = OF_INSPECT[setting]
    inspect("logs/1.json", "m", [1, 0], plan=one)
    inspect("logs/2.json", "m", [1, 1], plan=other)
    inspect("logs/3.json", "m", [0, 0], plan=one | {"config": one["config"] | {"seed": 2}})
    tables = tables_of(["logs"])
    first, second = tables.models
    assert first.startswith(f"m ({setting} ")
    assert second.startswith(f"m ({setting} ")
    assert rows_of(tables, first)["run"] == [1, 1, 2, 2]
    assert rows_of(tables, second)["run"] == [1, 1]
    assert tables.read_as[0].endswith("with other settings are other models, and no runs")


def test_arguments_of_a_task_are_settings():
    inspect("logs/1.json", "m", [1, 0])
    inspect("logs/2.json", "m", [1, 0], args={"cot": True})
    inspect("logs/3.json", "m", [1, 0], task="u", args={"cot": True})
    tables = tables_of(["logs"])
    assert list(tables.models) == ["m", "m (cot True)", "m (cot default)"]
    assert rows_of(tables, "m")["id"] == ["u/q0", "u/q1"]


def test_files_of_lm_eval_with_other_prompts_or_temperatures_are_other_models():
    lm_eval("m", "gsm8k", [1, 0, 1])
    lm_eval("m", "gsm8k", [1, 1, 1], day=2, questions=[2, 0, 1])
    assert rows_of(tables_of(["out"]), "out")["run"] == [1, 1, 1, 2, 2, 2]
    lm_eval("m", "gsm8k", [1, 1, 0], day=3, temperature=0.7)
    named = ["m (do_sample False; temperature 0.0)", "m (do_sample True; temperature 0.7)"]
    assert list(tables_of(["out"]).models) == named
    path = Path(lm_eval("n", "gsm8k", [1, 0, 1]))
    other = path.read_text().replace('"p1"', '"few shots"')
    path.with_stem("samples_gsm8k_2026-02-01T00-00-00.1").write_text(other)
    assert [name[:11] for name in tables_of(["out/n"]).models] == ["n (prompts "] * 2


PROVIDERS = {"claude": [0, 0], "gpt": [1, 0]}


def test_files_of_promptfoo_with_other_prompts_are_other_models():
    path = promptfoo("logs/1.json", PROVIDERS)
    found = json.loads(Path(path).read_text()) | {"evalId": "eval-y"}
    found["config"] = {"providers": [{"id": "openai:gpt", "config": {"temperature": 0.7}}]}
    for row in found["results"]["results"]:
        row["provider"] = {"id": f"openai:{row['provider']['label']}"}
    write("logs/2.json", found)
    for row in found["results"]["prompts"]:
        row["raw"] = "Explain {{q}}"
    write("logs/3.json", found)
    prompts = [f"openai:{m} (prompt {p} {{{{q}}}})" for m in PROVIDERS for p in ("Explain", "Say")]
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
    return [1] * 18 + [0] * 5 + [1] * 60 + [0] * 37, [0] * 18 + [1] * 5 + [1] * 60 + [0] * 37


def as_eval(path, method=zipfile.ZIP_STORED, before=""):
    log = json.loads(Path(path).read_text())
    packed = path.replace(".json", ".eval")
    with zipfile.ZipFile(packed, "w", method) as archive:
        for one in log.pop("samples"):
            archive.writestr(f"samples/{one['id']}_epoch_1.json", before + json.dumps(one))
        archive.writestr("header.json", json.dumps(log))
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
        paths.append(as_eval(path) if packed and name == "b" else path)
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
        row |= {"vars": {"q": f"q{asked // 2}"}, "score": row["success"], "namedScores": {}}
        row["testCase"] = {"assert": [{"type": "equals", "value": asked % 2}]}
    return write(f"{name}.json", log)


def chats_with_choices(name, marks, order):
    """Inspect gives each message a new id, and may shuffle the choices of a question."""
    log = json.loads(Path(inspect(f"{name}.json", name, marks, questions=order)).read_text())
    for row, asked in zip(log["samples"], order, strict=True):
        row["input"] = [{"id": f"{name}{row['id']}", "role": "user", "content": "Which?"}]
        right, wrong = f"right {asked}", f"wrong {asked}"
        row["choices"] = [right, wrong] if (asked + len(name)) % 3 else [wrong, right]
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
    refused("compare", *paths, *RIGHT, said="ids that are missing ( … ): q0 [ … ] 0, ")


def test_other_questions_under_the_same_ids_are_refused(capsys, refused):
    other = [*range(30), *range(100, 110)]
    paths = [inspect("a.json", "a", [1] * 40), inspect("b.json", "b", [1] * 40, questions=other)]
    said = (
        "ids that do not belong (10): q100 [ … "
        "only if both logs number the same questions alike, `id: sample_id` pairs so"
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
    log = {"status": "success", "eval": {"task": "t"}, "samples": "none"}
    for written, said in (
        (None, r"'empty' is a folder without logs of items \(a log of Insp"),
        (log | {"status": "started"}, r"logs that can be used\. empty/log\.json was left out"),
        (log, r"'empty/log.json', a log of Inspect: it has no samples"),
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
    return {"experiment": "evals", "metrics": [metric], "models": models}


def checked(config):
    problems, _ = check_experiment(load_experiment(config))
    if problems:
        raise report_problems(problems)


@pytest.mark.parametrize("metric", ["pass^2", "pass@2", "accuracy"])
def test_experiment_takes_the_models_of_a_folder(metric, capsys):
    marks, items = folder_of_runs(), [*range(30)] * 3
    inspect("logs/error.json", "b", [1], status="error")
    experiment = load_experiment(experiment_of(metric))
    found = Findings(run_in_process(experiment, "results", 1, lambda done, of: None)).comparisons
    assert capsys.readouterr().err.count("logs/error.json was left out") == 1
    asked = {} if metric == "accuracy" else {"metrics": metric}
    arrays = {"a": marks["openai/a"], "b": marks["b"]}
    expected = bakeoff.compare(None, arrays, values="right", groups=items, **asked).comparisons
    columns = ["test", "metric", "estimate", "statistic", "pvalue", "ci_low", "ci_high", "n"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])
    files = [f"logs/{k}_{m}.json" for k in range(3) for m in "ab"]
    assert experiment.given["b"].files("evals") == [*files, "logs/error.json"]
    written = load_experiment(experiment.resolved())
    assert written.measured == experiment.measured


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"model": "c"}, r"models.a.model: 'logs/' holds several: unknown model 'c' \(allowed: b,"),
        ({"values": "t.csv"}, r"models.a.model: 't.csv' holds one model: leave it out"),
        ({"values": "pf.json"}, r"models.a.model: 'pf.json' holds several: unknown model 'openai"),
        ({"columns": {}}, r"models.a.values: .* where they are runs of items, `runs` names"),
        ({"values": None, "scores": "t.csv"}, "models.a: `model` goes with logs as `predictions`"),
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


def test_a_folder_of_lm_eval_has_models_and_tasks():
    for model in ("meta__llama-3.1", "x"):
        for task in ("arc_easy", "gsm8k"):
            path = Path(lm_eval(model, task, [1, 0]))
            # separators of lines in documents are text
            path.write_text(path.read_text().replace("Q: q1", "Q:\u2028q1\x85"), encoding="utf-8")
    tables = tables_of(["out"])
    assert tables.left_out == ()
    rows = rows_of(tables, "meta__llama-3.1")
    assert rows["id"] == ["arc_easy/q0", "arc_easy/q1", "gsm8k/q0", "gsm8k/q1"]
    assert rows["score"] == [1.0, 0.0, 1.0, 0.0]
    assert rows["task"] == ["arc_easy", "arc_easy", "gsm8k", "gsm8k"]
    assert list(tables_of(["out/meta__llama-3.1", "out/x"]).models) == ["meta__llama-3.1", "x"]


RUNS = "--values right --runs run"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("compare logs", 2, "values: logs was read as a folder of 6 files (a log of Inspect), w"),
        ("compare logs --values right", 2, "where they are runs of items, `runs` names th"),
        (f"compare logs {RUNS}", 0, "b is better than a by accuracy"),
        (f"compare logs {RUNS} --models a,c", 2, "models: unknown model 'c'"),
        (f"compare logs {RUNS} --models a", 2, "holds one model (a)"),
        (f"compare logs {RUNS} --metric pass@2", 0, "b is better than a by pass@2"),
        (f"compare logs {RUNS} --metric pass@4", 2, "pass@4 wants 4 runs of each"),
        (f"gate logs --margin 0 {RUNS}", 3, "name the two of its models (a, b)"),
        (f"gate logs --margin 0 --models a,b {RUNS} --metric pass^2", 0, "Ship: b"),
        (f"compare logs {RUNS} --set value=match", 0, "b is better than a"),
        ("compare logs --values right --set value=acc", 2, "unknown column 'acc'"),
        ("plan logs --models a,b --rows 9", 2, "it holds no labels but scores, `score`"),
        ("compare pf.json", 2, "scores, `success`, `score` and `tone`; `values: right` says that"),
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


@pytest.mark.parametrize(
    "head",
    [
        '{"status": "success", "eval": {"task": 1}, "samples": ',
        '{"doc_id": 1, "target": 1, "filtered_resps": ',
    ],
)
def test_json_nested_too_deep_is_refused(head):
    Path("a.json").write_text(head + "[" * 100_000)
    with pytest.raises(Problem, match="it is nested too deep"):
        tables_of(["a.json"])


@pytest.mark.parametrize("damage", ["bytes", "encrypted"])
def test_a_member_that_cannot_be_unpacked_is_named(damage):
    as_eval(inspect("a.json", "A", [1, 0] * 20), zipfile.ZIP_DEFLATED)
    content, name = bytearray(Path("a.eval").read_bytes()), b"samples/3_epoch_1.json"
    if damage == "bytes":
        at = content.index(name)
        content[at + 30 : at + 80] = b"\xff" * 50
    else:
        central = content.index(b"PK\x01\x02")
        content[content.index(name, central) - 46 + 8] |= 1
    Path("a.eval").write_bytes(content)
    with pytest.raises(Problem, match=r"samples/3_epoch_1.json cannot be unpacked"):
        tables_of(["a.eval"])


def test_an_archive_that_unpacks_to_far_more_is_refused_before_it_does(monkeypatch):
    monkeypatch.setattr(formats, "_SMALL", 1 << 20)
    as_eval(inspect("a.json", "A", [1, 0]), zipfile.ZIP_DEFLATED, before=" " * (1 << 21))
    with pytest.raises(Problem, match=r"it unpacks to more than .* 200 times the size"):
        tables_of(["a.eval"])

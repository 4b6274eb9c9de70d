"""Rows of logs are paired by what they are; where that cannot be told, they are refused."""

import json
import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.api.findings import Findings
from bakeoff.cli import main
from bakeoff.data.given_tables import tables_of
from bakeoff.data.readers.choices import without_order
from bakeoff.execution.fits import run_in_process
from bakeoff.preflight import check_experiment
from bakeoff.spec.load import load_experiment
from bakeoff.stats import mcnemar
from tests.logs import drawn, inspect, lm_eval, promptfoo, write

pytestmark = pytest.mark.usefixtures("in_folder")
RIGHT = ["--values", "right"]
N = 150
A = drawn(N, 0.6, 1)
# mostly the marks of a, else others
B = np.where(drawn(N, 0.9, 2), A, drawn(N, 0.5, 3)).tolist()
ORDER = np.random.default_rng(4).permutation(N).tolist()


def documents(model, marks, document, order=None, **fields):
    """Write a log in which the documents are numbered as they come."""
    rows = []
    for place, number in enumerate(order or range(N)):
        row = {
            "doc_id": place,
            "doc": document(number),
            "target": "t",
            "arguments": [],
            "resps": [],
            "filtered_resps": [],
            "filter": "none",
            "metrics": ["acc"],
            "acc": float(marks[number]),
        }
        rows.append(row | fields)
    return write(f"logs/{model}/samples_t_2026-01-01T00-00-00.1.jsonl", rows, lines=True)


def compared(capsys, *line):
    assert main(["compare", *line, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["comparisons"][0]


def by_question():
    return mcnemar(np.array(A) == 1, np.array(B) == 1).pvalue


def test_ids_of_a_log_pair_no_other_questions(refused):
    documents("a", A, lambda i: {"question": f"Why {i}?", "run": "r1"})
    documents("b", B, lambda i: {"question": f"Why {i}?", "run": "r2"}, ORDER)
    said = "rows are another question than in 'logs: a'; where both logs are about the same"
    refused("compare", "logs", *RIGHT, "--id", "sample_id", said=said)


@pytest.mark.parametrize("question", ["Why {}?", "Which of these statements about the text is {}?"])
def test_other_fields_of_a_document_keep_its_question(question, capsys):
    documents("a", A, lambda i: {"question": question.format(i), "run": "r1"})
    documents("b", B, lambda i: {"question": question.format(i), "run": "r2"})
    found = compared(capsys, "logs", *RIGHT, "--id", "sample_id")
    assert found["pvalue"] == pytest.approx(by_question())


def test_questions_that_begin_otherwise_are_told_or_refused(capsys, refused):
    def beginning_otherwise(changed):
        def document(i):
            beginning = "Why"
            if i < changed:
                beginning = "Say why"
            return {"question": f"{beginning} {i}?"}

        return document

    documents("a", A, beginning_otherwise(0))
    documents("b", B, beginning_otherwise(6))
    assert main(["compare", "logs", *RIGHT, "--id", "sample_id"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "6 of 150 questions begin differently in 'logs: a' and 'logs: b'" in said
    documents("b", B, beginning_otherwise(N))
    said = "150 of 150 rows may be another question, which begins differently, or as others do"
    refused("compare", "logs", *RIGHT, "--id", "sample_id", said=said)


def shuffled_choices(seed):
    def document(i):
        choices = [f"c{i}{k}" for k in range(4)]
        random.Random(1000 * seed + i).shuffle(choices)
        letter = "ABCD"[choices.index(f"c{i}0")]
        fields = {
            "Question": "Which?",
            "about": f"text {i}",
            "choices": choices,
            "answer": f"({letter})",
        }
        for number, choice in enumerate(choices, 1):
            fields[f"choice{number}"] = choice
        return fields

    return document


def test_choices_in_any_order_are_of_one_question(capsys):
    documents("a", A, shuffled_choices(1))
    documents("b", B, shuffled_choices(2), ORDER)
    assert compared(capsys, "logs", *RIGHT)["pvalue"] == pytest.approx(by_question())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"choices": ["x", "y"], "gold": 0}, {"choices": ["y", "x"], "gold": 1}),
        ({"options": ["x", "y"], "answer": "A"}, {"options": ["y", "x"], "answer": "B"}),
        ({"option_a": "x", "option_b": "y"}, {"option_a": "y", "option_b": "x"}),
        (
            {"choices": {"text": ["x", "y"], "label": ["A", "B"]}, "answerKey": "B"},
            {"choices": {"text": ["y", "x"], "label": ["A", "B"]}, "answerKey": "A"},
        ),
        (
            {"choices": ["x", "y"], "query": "? A. x B. y", "gold": [0]},
            {"choices": ["y", "x"], "query": "? B. x A. y", "gold": [1]},
        ),
    ],
)
def test_documents_with_shuffled_choices_are_one(one, other):
    assert without_order(one) == without_order(other)
    assert without_order(one) != without_order({**other, **dict.fromkeys(other, "z")})


def test_another_right_choice_is_another_question():
    first = {"choices": ["x", "y"], "answer": "A"}
    second = {"choices": ["x", "y"], "answer": "B"}
    assert without_order(first) != without_order(second)


def several(model, metrics, task="arc", out="mixed"):
    """Write a log of several metrics, as `filter,metric` in newer versions."""
    path = Path(lm_eval(model, task, A, out=out))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    metrics_by_filter = {}
    for key, values in metrics.items():
        metric, _, filter_name = key.partition(",")
        metrics_by_filter.setdefault(filter_name or "none", {})[metric] = values
    lines = []
    for filter_name, values_by_metric in metrics_by_filter.items():
        for i, row in enumerate(rows):
            line = {**row, "acc": None, "filter": filter_name, "metrics": list(values_by_metric)}
            for metric, values in values_by_metric.items():
                line[metric] = float(values[i])
            lines.append(line)
    write(str(path), lines, lines=True)


@pytest.fixture
def mixed():
    """Write a folder as it is left by three tasks: two filters, two metrics, one metric."""
    for model, marks, worse in (("a", A, B), ("b", B, A)):
        several(model, {"em,strict-match": worse, "em,flexible-extract": marks}, "gsm8k")
        several(model, {"acc": worse, "acc_norm": marks}, "arc")
        several(model, {"acc": marks}, "winogrande")


@pytest.mark.parametrize(
    "options",
    [
        ["--tasks", "gsm8k=em,flexible-extract,arc=acc_norm,winogrande=acc"],
        ["--tasks", "winogrande,arc=acc_norm,gsm8k=em,flexible-extract"],
        ["--tasks", "arc=acc_norm,gsm8k=em,flexible-extract,winogrande=score"],
    ],
)
def test_a_folder_of_several_metrics_is_compared_whole(mixed, options, capsys):
    found = compared(capsys, "mixed", *RIGHT, *options)
    assert found["n"] == 3 * N
    assert found["estimate"] == pytest.approx(np.mean(A) - np.mean(B))


@pytest.mark.parametrize(
    ("options", "n", "sign"),
    [
        (["--tasks", "gsm8k=em,strict-match"], N, -1),
        (["--tasks", "arc,winogrande", "--set", "value=acc"], 2 * N, 0),
        (["--tasks", "winogrande"], N, 1),
    ],
)
def test_tasks_have_metrics_of_their_own(mixed, options, n, sign, capsys):
    found = compared(capsys, "mixed", *RIGHT, *options)
    assert found["n"] == n
    assert found["estimate"] == pytest.approx(sign * (np.mean(A) - np.mean(B)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "arc has the metrics `acc` and `acc_norm`: name one … `--tasks arc=acc,gsm8k=em,str"),
        (["--tasks", "gsm8k=em"], "gsm8k has the metrics `em,strict-match` and `em,flexible-ext"),
        (["--tasks", "arc=f1"], "tasks: arc: unknown metric 'f1' (allowed: acc, acc_norm)"),
        (["--tasks", "arc=acc,nothing"], "tasks: unknown task 'nothing'"),
        (["--set", "value=acc_norm"], "tasks: gsm8k: unknown metric 'acc_norm'"),
    ],
)
def test_an_open_metric_is_asked_for(mixed, options, said, refused):
    refused("compare", "mixed", *RIGHT, *options, said=said)


def experiment_of(model, **keys):
    models = {name: {"values": "mixed", "model": name, **keys} for name in ("a", "b")}
    return load_experiment({"experiment": "e", "metrics": ["accuracy"], "models": models})


@pytest.mark.parametrize(
    ("tasks", "n", "sign"),
    [
        (["gsm8k=em,flexible-extract", "arc=acc_norm", "winogrande"], 3 * N, 1),
        (["gsm8k=em", "strict-match"], N, -1),
        (["arc=acc", "winogrande"], 2 * N, 0),
    ],
)
def test_an_experiment_names_tasks_with_their_metrics(mixed, tasks, n, sign):
    experiment = experiment_of("mixed", tasks=tasks)
    found = Findings(run_in_process(experiment, "results", 1, lambda done, of: None))
    (row,) = found.comparisons.to_dict("records")
    assert row["n"] == n
    assert row["estimate"] == pytest.approx(sign * (np.mean(A) - np.mean(B)))
    assert ("macro averages over tasks" in " ".join(found.verdict.split())) == (n > N)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {},
            r"models.a.tasks: arc has the metrics .* `tasks: \[arc=acc, gsm8k=em, strict-match, w",
        ),
        ({"tasks": ["arc=acc", "nothing"]}, "models.a.tasks: unknown task 'nothing'"),
        ({"tasks": ["arc=f1"]}, "models.a.tasks: arc: unknown metric 'f1'"),
    ],
)
def test_an_experiment_asks_for_an_open_metric(mixed, keys, said):
    problems, _ = check_experiment(experiment_of("mixed", **keys))
    message = "\n".join(map(str, problems))
    assert re.search(said, message), message


def test_an_experiment_says_where_incomplete_logs_are_compared():
    lm_eval("a", "t", A, out="mixed")
    lm_eval("b", "t", B[:20], out="mixed")
    problems, _ = check_experiment(experiment_of("mixed"))
    assert "`bakeoff compare --missing common` compares" in str(problems[0])


def test_filters_without_names_are_numbered(capsys, refused):
    for model, marks, worse in (("a", A, B), ("b", B, A)):
        path = documents(model, marks, lambda i: {"question": f"Why {i}?"})
        by_first = []
        by_second = []
        for line, mark in zip(Path(path).read_text().splitlines(), worse, strict=True):
            row = json.loads(line)
            del row["filter"]
            del row["metrics"]
            by_first.append(row)
            by_second.append({**row, "acc": float(mark)})
        write(path, by_first + by_second, lines=True)
    refused("compare", "logs", *RIGHT, said="`acc,filter-1` and `acc,filter-2`: say which it is")
    found = compared(capsys, "logs", *RIGHT, "--set", "value=acc,filter-2")
    assert found["estimate"] == pytest.approx(np.mean(B) - np.mean(A))
    write(path, by_first + by_first[:3], lines=True)
    refused("compare", "logs", *RIGHT, said="document 0 is there 2 times … other documents are not")


def test_lines_of_promptfoo_and_sessions_are_read(capsys):
    path = promptfoo("results.json", {"a": A, "b": B})
    by_success = [*RIGHT, "--set", "value=success"]
    found = compared(capsys, path, *by_success, "--runs", "run")
    log = json.loads(Path(path).read_text())
    rows = log["results"]["results"]
    for i, row in enumerate(rows):
        row["vars"] |= {"sessionId": f"s{i}", "drawn": i}
    write("sessions.json", log)
    write("results.jsonl", random.Random(0).sample(rows, len(rows)), lines=True)
    for file in ("sessions.json", "results.jsonl"):
        assert compared(capsys, file, *by_success, "--runs", "run") == found
    by_test = compared(capsys, "results.jsonl", *by_success, "--id", "sample_id")
    assert by_test["pvalue"] == pytest.approx(by_question())


def test_a_model_of_a_folder_has_its_own_name_and_unscored_logs_are_left_out(capsys, refused):
    inspect("logs/a.json", "m/a", A)
    unscored = json.loads(Path(inspect("logs/u.json", "m/a", A)).read_text())
    for sample in unscored["samples"]:
        sample["scores"] = {}
    write("logs/u.json", unscored)
    tables = tables_of(["logs"])
    assert list(tables.models) == ["m/a"]
    assert tables.left_out == ("logs/u.json was left out: no sample has a score.",)
    refused("compare", "logs", *RIGHT, said="logs holds one model (m/a), comparing needs two")
    inspect("logs/b.json", "m/b", B)
    assert compared(capsys, "logs", *RIGHT)["pvalue"] == pytest.approx(by_question())
    inspect("other/a.json", "m/a", B)
    inspect("again/a.json", "m/a", A)
    assert list(tables_of(["other", "again"]).models) == ["other", "again"]


def answered_models(capsys, *files):
    """Return the names of models, given in the order of the files, whose rows are missing."""
    names = ["--models", "first,second"]
    lacking = "first"
    if files[0] == "a.csv":
        lacking = "second"
    if len(files) == 1:
        names = []
        lacking = "b"
    assert main(["compare", *files, "--missing", "wrong", *names, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (row,) = found["comparisons"]
    scores = {model["model"]: model["accuracy"] for model in found["models"]}
    difference = scores[row["model_a"]] - scores[row["model_b"]]
    assert row["estimate"] == pytest.approx(difference)
    assert min(scores, key=scores.get) == lacking
    return [row["model_a"], row["model_b"]]


def labels(missing):
    """Write labels of two models, of which the second lacks some, in three ways."""
    truth = np.array(list("xyz") * 30)
    of_a = np.where(drawn(90, 0.8, 1), truth, "x")
    of_b = np.where(drawn(90, 0.7, 2), truth, "x")
    rows = pd.DataFrame({"id": range(90), "y_true": truth})
    rows.assign(y_pred=of_a).to_csv("a.csv", index=False)
    # rows that are not there, without the truth, or with an empty cell
    there = np.arange(90) >= missing
    present = rows.assign(y_pred=of_b)[there]
    present.to_csv("b.csv", index=False)
    present.drop(columns="y_true").to_csv("bare.csv", index=False)
    empty = pd.Series(of_b).where(there)
    rows.assign(y_pred=empty).to_csv("empty.csv", index=False)
    rows.assign(a=of_a, b=empty).to_csv("wide.csv", index=False)
    return of_a == truth, of_b == truth, there


@pytest.mark.parametrize(
    "files", ["a.csv b.csv", "b.csv a.csv", "a.csv bare.csv", "a.csv empty.csv", "wide.csv"]
)
def test_missing_labels_are_wrong_by_accuracy(files, capsys, refused):
    a, b, there = labels(12)
    found = compared(capsys, *files.split(), "--missing", "wrong")
    assert found["pvalue"] == pytest.approx(mcnemar(a, b & there).pvalue)
    found = compared(capsys, *files.split(), "--missing", "common")
    assert found["pvalue"] == pytest.approx(mcnemar(a[there], b[there]).pvalue)
    names = ["first", "second"]
    if files == "wide.csv":
        names = ["a", "b"]
    assert answered_models(capsys, *files.split()) == names
    said = "`--missing common` compares the rows that all models have, `--missing wrong` counts"
    refused("compare", *files.split(), said=said)
    said = "missing: wrong is for accuracy, and a missing label is no class by f1_macro"
    options = ["--missing", "wrong", "--metric", "f1_macro"]
    refused("compare", *files.split(), *options, said=said)


def test_missing_numbers_and_probabilities_are_not_wrong(refused):
    rows = pd.DataFrame({"id": range(40), "y_true": ["s", "w"] * 20, "p_s": np.linspace(0, 1, 40)})
    rows.to_csv("a.csv", index=False)
    rows[4:].to_csv("b.csv", index=False)
    line = ("compare", "a.csv", "b.csv", "--missing", "wrong")
    refused(*line, said="missing: wrong: is for predicted labels, and a model has probabilities")
    rows = pd.DataFrame({"id": range(40), "y_true": np.arange(40) / 3, "y_pred": np.arange(40) / 4})
    rows.to_csv("a.csv", index=False)
    rows[4:].to_csv("b.csv", index=False)
    refused(*line, said="missing: wrong: which number is wrong?")


def test_unequal_runs_count_by_the_share_that_is_right(capsys):
    for day in (1, 2, 3):
        lm_eval("a", "t", drawn(N, 0.6, day), day=day)
    for day in (1, 2):
        lm_eval("b", "t", drawn(N, 0.5, 10 + day), day=day)
    found = compared(capsys, "out", *RIGHT, "--runs", "run")
    again = compared(capsys, "out", *RIGHT, "--runs", "run", "--metric", "pass@1")
    assert (found["pvalue"], found["estimate"]) == (again["pvalue"], again["estimate"])
    assert main(["compare", "out", *RIGHT, "--runs", "run"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "There are unequal numbers of runs (450 of a and 300 of b)" in said

"""Rows of several tasks: the call, the command, the experiment and the gate say the same."""

import json

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment
from bakeoff.stats import macro_difference, suite_mean_difference

pytestmark = pytest.mark.usefixtures("in_folder")
SIZES = {"big": 400, "s1": 60, "s2": 80}
TASK = np.repeat(list(SIZES), list(SIZES.values()))
N = len(TASK)
RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < q, Y, 1 - Y) for q in (np.where(TASK == "big", 0.7, 0.9), 0.75))


def first(found):
    line = found.comparisons.iloc[0]
    return line[["estimate", "ci_low", "ci_high", "pvalue"]].astype(float).to_numpy()


def test_call_command_and_function_agree_in_any_order(capsys):
    by_call = first(bakeoff.compare(Y, {"A": A, "B": B}, tasks=TASK))
    table = pd.DataFrame({"id": range(N), "y_true": Y, "A": A, "B": B, "task": TASK})
    table.sample(frac=1, random_state=1).to_csv("t.csv", index=False)
    how = ["compare", "t.csv", "--models", "A,B", "--weights", "tasks", "--json"]
    assert main(how) == 0
    line = json.loads(capsys.readouterr().out)["comparisons"][0]
    by_command = [line[key] for key in ("estimate", "ci_low", "ci_high", "pvalue")]
    by_function = suite_mean_difference(A == Y, B == Y, tasks=TASK)
    assert by_call == pytest.approx(by_command, rel=1e-9)
    assert by_call[[0, 3]] == pytest.approx([by_function.estimate, by_function.pvalue])


def test_the_gate_of_a_call_goes_by_the_mean_over_tasks():
    found = bakeoff.gate(Y, A, B, margin=0.02, tasks=TASK)
    macro = macro_difference(B == Y, A == Y, TASK)
    assert found.macro.limits.estimate == pytest.approx(macro.estimate)
    assert found.decision == "block"
    assert [part.name for part in found.tasks] == list(SIZES)
    # rows in another order, which the index tells
    order = RNG.permutation(N)
    index = pd.Index([f"row {i}" for i in range(N)])
    shuffled = bakeoff.gate(
        pd.Series(Y, index),
        pd.Series(A, index).iloc[order],
        pd.Series(B, index),
        margin=0.02,
        tasks=pd.Series(TASK, index).iloc[order],
    )
    assert shuffled.macro.limits == found.macro.limits
    for size, decision in ((0.001, "undecided"), (0.2, "ship")):
        each = bakeoff.gate(Y, A, A, margin=0.3, tasks=TASK, each_task=size)
        assert each.decision == decision
    with pytest.raises(UserError, match="each_task: is for rows of several tasks"):
        bakeoff.gate(Y, A, B, margin=0.02, each_task=0.02)


def test_a_task_of_one_class_has_no_area_and_is_named():
    truth = np.where(TASK == "s1", 1, Y)
    chance = {
        name: np.clip(said * 0.5 + RNG.random(N) / 2, 0, 1)
        for name, said in zip("AB", (A, B), strict=True)
    }
    scores = {name: np.column_stack([1 - p, p]) for name, p in chance.items()}
    with pytest.raises(UserError, match="roc_auc has no value: in task s1 the tested rows"):
        bakeoff.compare(truth, scores, tasks=TASK, metrics="roc_auc")
    found = bakeoff.compare(Y, scores, tasks=TASK, metrics=["roc_auc", "accuracy"])
    assert set(found.comparisons["test"]) == {"suite_difference"}


def test_equal_models_have_no_leader_by_items():
    found = bakeoff.compare(Y, {"A": A, "B": A.copy()}, tasks=TASK)
    assert "is ahead" not in found.verdict


def lacking_files():
    """Write the right items of two models, of which B has no item of s1."""
    for name, right in (("A", A == Y), ("B", B == Y)):
        table = pd.DataFrame({"id": range(N), "value": right.astype(int), "task": TASK})
        if name == "B":
            table = table[TASK != "s1"]
        table.to_csv(f"{name}.csv", index=False)


LACKS = "B.csv' has no item of the task s1"
WRONG = "--values right --missing wrong --allow-missing 0.5"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("compare A.csv B.csv --values right", LACKS),
        ("compare B.csv A.csv --values right", LACKS),
        ("gate B.csv A.csv --values right --margin 0.1", LACKS),
        ("compare A.csv B.csv --values right --missing wrong", "B has no item of the task s1."),
        ("compare A.csv B.csv --values right --missing common", "B has no item of the task s1."),
        (f"gate A.csv B.csv --margin 0.1 {WRONG}", "B has no item of the task s1."),
        (f"gate A.csv B.csv --margin 0.1 {WRONG} --json", '"B": [ "s1" ]'),
    ],
)
def test_a_task_that_a_model_lacks_is_named(command, told, capsys):
    lacking_files()
    main(command.split())
    printed = capsys.readouterr()
    assert told in " ".join((printed.out + printed.err).split())


def test_a_task_that_a_model_lacks_is_named_in_calls_and_experiments():
    lacking_files()
    index = pd.Index([f"row {i}" for i in range(N)])
    a, b = (pd.Series(said == Y, index, dtype=float) for said in (A, B))
    tasks = pd.Series(TASK, index)
    told = "has no item of the task s1: leave"
    for second in (b[TASK != "s1"], b.where(TASK != "s1")):
        with pytest.raises(UserError, match=rf"predictions\['B'\] {told}"):
            bakeoff.compare(None, {"A": a, "B": second}, values="right", tasks=tasks)
        with pytest.raises(UserError, match=f"candidate {told}"):
            bakeoff.gate(None, a, second, values="right", tasks=tasks, margin=0.1)
    columns = {"tasks": "task"}
    models = {name: {"values": f"{name}.csv", "columns": columns} for name in "AB"}
    experiment = load_experiment({"experiment": "e", "models": models, "metrics": ["accuracy"]})
    problems, _ = check_experiment(experiment)
    assert LACKS in " ".join(map(str, problems))


def test_an_experiment_names_a_task_in_which_a_metric_has_no_value():
    truth = np.where(TASK == "s1", 1, Y)
    models = {}
    for name, said in zip("AB", (A, B), strict=True):
        chance = np.clip(said * 0.5 + RNG.random(N) / 2, 0, 1)
        columns = {"id": range(N), "y_true": truth, "y_pred": said, "p_1": chance, "task": TASK}
        pd.DataFrame(columns).to_csv(f"{name}.csv", index=False)
        models[name] = {"predictions": f"{name}.csv", "columns": {"tasks": "task"}}
    content = {"experiment": "e", "models": models, "metrics": ["accuracy", "roc_auc"]}
    problems, _ = check_experiment(load_experiment(content))
    (told,) = map(str, problems)
    assert told.startswith("metrics[1]: roc_auc has no value: in task s1 the tested rows are all")
    assert told.endswith("leave it out, or the rows of this task")
    problems, _ = check_experiment(load_experiment({**content, "metrics": ["accuracy", "f1"]}))
    assert problems == []

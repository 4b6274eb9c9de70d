"""`bakeoff gate` ships what it has seen: margins, missing items, tasks, runs and settings."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

import bakeoff as package
from bakeoff.cli import main
from tests.conftest import hold
from tests.logs import drawn, inspect, lm_eval, promptfoo

pytestmark = pytest.mark.usefixtures("in_folder")
SCHEMA = json.loads((Path(__file__).parents[3] / "docs/gate.schema.json").read_text())
RIGHT = "--values right"


def as_json(capsys, line):
    """Return the exit code of a gate, and what `--json` prints, which is as its schema says."""
    code = main(["gate", *line.split(), "--json"])
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    return code, answer


def clinic():
    """Write two risk models of 600 patients; the candidate is overconfident, and ranks alike."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=600)
    y = (rng.random(600) < 1 / (1 + np.exp(1.5 - x))).astype(int)
    old = 1 / (1 + np.exp(1.5 - x - 0.3 * rng.normal(size=600)))
    new = 1 / (1 + np.exp(0.7 - 1.5 * x - 0.5 * rng.normal(size=600)))
    frame = pd.DataFrame({"id": np.arange(600), "outcome": y, "old": old, "new": new})
    frame.to_csv("clinic.csv", index=False)
    return y, old, new


CLINIC = "clinic.csv --models old,new --truth outcome"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--metric brier:0.005 --metric roc_auc:0.06", 1, "Block … more than 0.005 of brier."),
        ("--metric roc_auc:0.06", 0, "Ship … by 0.06 of roc_auc"),
        ("--metric roc_auc --metric brier:0.5 --margin 0.06", 0, "0.06 of roc_auc or 0.5 of brier"),
        ("--metric roc_auc:10% --metric brier:0.5", 0, "(10% of the roc_auc of old) or 0.5 of br"),
        ("--metric brier:0.005 --metric roc_auc", 3, "margin: is missing: the largest loss of roc"),
        ("--metric brier:0.005 --metric roc_auc:0.06 --margin 1", 3, "margin: found 1, and every"),
        ("--metric brier:0.1 --metric brier:0.2", 3, "metrics: brier is named twice, with the mar"),
        ("--metric brier:small", 3, "metrics: found 'brier:small', expected a margin like brier:0"),
        ("--metric brier:-1", 3, "margin: found -1.0"),
        ("--margin 0.005 --metric brier --margin 0.06", 3, "margin: found '0.005' and '0.06', exp"),
        ("", 3, "margin: is missing: the largest loss that does not matter, as `--margin 0.01`"),
    ],
)
def test_each_metric_may_have_a_margin_of_its_own(says, options, code, said):
    clinic()
    says(f"gate {CLINIC} {options}", said, code)


def test_margins_by_metric_are_enough(says):
    y, old, new = clinic()
    for name, said in (("old", old), ("new", new)):
        frame = pd.DataFrame({"id": np.arange(600), "y_true": y, "p_1": said})
        frame.to_csv(f"{name}.csv", index=False)
    says("gate old.csv new.csv --metric roc_auc:0.06", "Ship: new is not worse", 0)


def test_margins_by_metric_in_python():
    y, old, new = clinic()
    found = package.gate(y, old, new, metrics={"brier": 0.005, "roc_auc": 0.06})
    assert found.decision == "block"
    assert [(one.terms.metric, one.terms.margin) for one in found.each] == [
        ("brier", 0.005),
        ("roc_auc", 0.06),
    ]
    assert package.gate(y, old, new, metric={"roc_auc": "10%"}).decision == "ship"
    with pytest.raises(package.UserError, match="margin: is missing: the largest loss of f1"):
        package.gate(y, old, new, metrics=["f1"])
    with pytest.raises(package.UserError, match=r"margin: found 0.1, and every metric"):
        package.gate(y, old, new, metrics={"roc_auc": 0.1}, margin=0.1)


def logs_of_which_one_is_short(n=120):
    """Write logs of 200 questions; that of the candidate, which is better, has the first n."""
    base = drawn(200, 0.5, 1)
    candidate = [max(one, other) for one, other in zip(base, drawn(200, 0.2, 2), strict=True)]
    lm_eval("old", "add", base)
    lm_eval("new", "add", candidate[:n])


MISSING = f"out --models old,new {RIGHT} --margin 0.05"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("--missing common", 2),
        ("--missing wrong", 1),
        ("--missing common --allow-missing 40%", 0),
        ("--missing common --allow-missing 0.39", 2),
    ],
)
def test_missing_items_are_told_and_hold_back_what_would_ship(capsys, options, code):
    logs_of_which_one_is_short()
    handled = options.split()[1]
    sentence = "Missing items are counted as wrong: 80 of new (of 200)."
    if handled == "common":
        sentence = "120 of 200 items are compared, which all models have; missing are 80 of new."
    ended, found = as_json(capsys, f"{MISSING} {options}")
    assert ended == code
    assert sentence in found["reasons"]
    assert found["missing"]["lacking"] == {"old": 0, "new": 80}
    assert found["missing"]["shares"]["new"] == 0.4
    main(["gate", *f"{MISSING} {options} --output c.md".split()])
    assert sentence in " ".join(capsys.readouterr().out.split())
    comment = Path("c.md").read_text()
    assert sentence in comment
    assert ("40% of the items of new are missing" in comment) == ("40%" not in options)


def test_one_missing_item_of_200_does_not_hold_back(capsys):
    logs_of_which_one_is_short(199)
    code, found = as_json(capsys, f"{MISSING} --missing common")
    assert (code, found["missing"]["lacking"]["new"]) == (0, 1)
    code, _ = as_json(capsys, f"{MISSING} --missing common --allow-missing 0")
    assert code == 2


def test_missing_labels_and_missing_answers_of_the_base_count_too(capsys, refused):
    frame = pd.DataFrame({"id": range(100), "y_true": list("xy") * 50, "y_pred": list("xy") * 50})
    frame[:90].to_csv("short.csv", index=False)
    frame.to_csv("whole.csv", index=False)
    for files, model in (("short.csv whole.csv", "short"), ("whole.csv short.csv", "short")):
        code, found = as_json(capsys, f"{files} --missing common --margin 0.1")
        assert (code, found["missing"]["lacking"][model]) == (2, 10)
    line = ["gate", "whole.csv", "short.csv", "--margin", "0.1", "--allow-missing"]
    refused(*line, "1%", said="allow_missing: is for `missing`", code=3)
    refused(*line, "7", said="allow_missing: found '7', expected a share like 0.05 or 5%", code=3)


def suite(of_tasks):
    """Write logs of old and new by lm-evaluation-harness, for each task the rates and the items."""
    for number, (task, (n, old, new)) in enumerate(of_tasks.items()):
        for model, rate in (("old", old), ("new", new)):
            ranks = np.random.default_rng([number, model == "new"]).permutation(n)
            lm_eval(model, task, (ranks < round(rate * n)).astype(int).tolist())


TASKS = f"out --models old,new {RIGHT}"


def test_a_large_task_does_not_ship_what_small_ones_lost(capsys):
    suite({"big": (2000, 0.6, 0.66), "s1": (100, 0.7, 0.48), "s2": (100, 0.7, 0.48)})
    code, found = as_json(capsys, f"{TASKS} --margin 0.02")
    assert code == 1
    assert found["overall"]["decision"] == "ship"
    assert found["overall"]["estimate"] == pytest.approx((120 - 22 - 22) / 2200)
    assert found["macro"]["estimate"] == pytest.approx((0.06 - 0.22 - 0.22) / 3)
    assert [part["name"] for part in found["tasks"]] == ["big", "s1", "s2"]
    assert found["headline"].endswith("in the mean over 3 tasks and for s1, s2.")
    code, found = as_json(capsys, f"{TASKS} --margin 0.14")
    assert code == 2
    hold(found["headline"], "Undecided: new may be worse than old by 0.14 of accuracy, or not.")
    main(["gate", *f"{TASKS} --margin 0.02 --output c.md".split()])
    hold(
        " ".join(capsys.readouterr().out.split()), "(macro average), it is 0.127 worse … s2 100 −0."
    )
    hold(Path("c.md").read_text(), "| mean over tasks | 2,200 | −0.12 … | big | 2,000 |")


def test_one_task_that_is_worse_holds_back(capsys):
    alike = {f"t{i}": (400, 0.6, 0.64) for i in range(9)}
    suite(alike | {"law": (400, 0.6, 0.46)})
    code, found = as_json(capsys, f"{TASKS} --margin 0.1")
    assert code == 2
    assert (found["overall"]["decision"], found["macro"]["decision"]) == ("ship", "ship")
    hold(found["headline"], "but it is worse in law.")
    code, found = as_json(capsys, f"{TASKS} --margin 0.01")
    assert code == 1
    hold(found["headline"], "Block: … for law.")


def test_tasks_that_agree_ship_and_may_be_groups_or_alone(capsys):
    suite({"a": (300, 0.6, 0.65), "b": (300, 0.5, 0.55)})
    code, found = as_json(capsys, f"{TASKS} --margin 0.05 --subgroups task")
    assert (code, found["subgroups"], len(found["tasks"])) == (0, [], 2)
    code, found = as_json(capsys, f"{TASKS} --margin 0.1 --set tasks=a")
    assert (code, found["macro"], found["tasks"]) == (0, None, [])
    _, found = as_json(capsys, f"{TASKS} --margin 0.1 --groups task")
    assert (found["macro"], found["overall"]["groups"]) == (None, 2)


def test_tables_of_labels_with_tasks(capsys):
    rng = np.random.default_rng(1)
    y = rng.choice(["x", "y"], 600)
    other = np.where(y == "x", "y", "x")
    for name, rate in (("old", 0.8), ("new", 0.82)):
        said = np.where(rng.random(600) < rate, y, other)
        frame = pd.DataFrame({"id": range(600), "y_true": y, "y_pred": said})
        frame.assign(task=np.arange(600) % 3).to_csv(f"{name}.csv", index=False)
    _, found = as_json(capsys, "old.csv new.csv --margin 0.2 --metric accuracy --metric f1")
    by_accuracy, by_f1 = sorted(found["by_metric"], key=lambda one: one["terms"]["metric"])
    assert (by_accuracy["macro"]["method"], by_f1["macro"]) == ("t_over_tasks", None)
    assert "The mean over the 3 tasks is not known for f1." in found["reasons"]


def runs_of_items(sd):
    rng = np.random.default_rng(4)
    rates = np.clip(rng.normal(0.6, sd, 100), 0, 1)
    for model in ("old", "new"):
        item, run = np.repeat(np.arange(100), 4), np.tile([1, 2, 3, 4], 100)
        right = (rng.random(400) < np.repeat(rates, 4)).astype(int)
        frame = pd.DataFrame({"id": item, "run": run, "score": right})
        frame.to_csv(f"{model}.csv", index=False)


def test_the_base_against_itself(capsys):
    runs_of_items(0.3)
    line = f"old.csv new.csv {RIGHT} --runs run --margin"
    _, found = as_json(capsys, f"{line} 0.06")
    shares = found["against_itself"]
    # of four runs there are three divisions into halves, either of which may be the base
    assert (shares["runs"], shares["pairs"]) == (4, 6)
    assert shares["ship"] + shares["block"] + shares["undecided"] == pytest.approx(1)
    table = pd.read_csv("old.csv").pivot(index="id", columns="run", values="score").to_numpy()
    decisions = []
    for first, second in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))):
        for base, other in ((first, second), (second, first)):
            one, two = table[:, list(base)].ravel(), table[:, list(other)].ravel()
            groups = np.repeat(np.arange(100), 2)
            how = {"values": "right", "margin": 0.06, "groups": groups}
            decisions.append(str(package.gate(None, one, two, **how).decision))
    for decision in ("ship", "block", "undecided"):
        assert shares[decision] == pytest.approx(decisions.count(decision) / 6)
    _, found = as_json(capsys, f"{line} 0.9")
    assert found["against_itself"]["ship"] == 1
    assert any("The base against itself, by the same rule on 6" in one for one in found["reasons"])


def test_the_base_against_itself_by_shares_of_runs_that_pass(capsys):
    runs_of_items(0.3)
    table = pd.read_csv("old.csv").pivot(index="id", columns="run", values="score").to_numpy()
    line = f"old.csv new.csv {RIGHT} --runs run --margin 0.04"
    for metric, passed in (("pass@2", np.max), ("pass^2", np.min), ("pass@1", np.mean)):
        _, found = as_json(capsys, f"{line} --metric {metric}")
        decisions = []
        for first, second in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))):
            for base, other in ((first, second), (second, first)):
                one = passed(table[:, list(base)], axis=1)
                two = passed(table[:, list(other)], axis=1)
                how = {"values": "higher", "margin": 0.04}
                decisions.append(str(package.gate(None, one + 1, two + 1, **how).decision))
        shares = found["against_itself"]
        assert (shares["runs"], shares["pairs"]) == (4, 6)
        for decision in ("ship", "block", "undecided"):
            assert shares[decision] == pytest.approx(decisions.count(decision) / 6)
        assert f"of {metric}" in found["headline"]
    _, found = as_json(capsys, f"{line} --metric pass@3")  # halves have two runs
    assert found["against_itself"] is None


def test_the_base_against_itself_with_fewer_runs_of_the_candidate(capsys):
    runs_of_items(0.3)
    new = pd.read_csv("new.csv")
    new[new["run"] < 3].to_csv("new.csv", index=False)
    line = f"old.csv new.csv {RIGHT} --runs run --margin 0.04"
    _, found = as_json(capsys, line)
    assert (found["against_itself"]["runs"], found["against_itself"]["pairs"]) == (4, 6)
    hold(found["headline"], "by 0.04 of pass@1")
    _, found = as_json(capsys, line.replace("old.csv new.csv", "new.csv old.csv"))
    assert (found["against_itself"]["runs"], found["against_itself"]["pairs"]) == (2, 2)


def test_the_base_against_itself_by_training_runs():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    runs = [np.where(rng.random(200) < 0.8, y, 1 - y) for _ in range(8)]
    found = package.gate(y, runs[:4], runs[4:], margin=0.3).against_itself
    assert (found.runs, found.pairs, found.ship) == (4, 6, 1)
    assert package.gate(y, runs[:3], runs[4:7], margin=0.3).against_itself is None


def test_what_was_asked_differently_is_a_reason(capsys):
    right = drawn(200, 0.6, 1)
    lm_eval("old", "add", right)
    lm_eval("new", "add", right, temperature=0.7)
    said = "old and new were asked differently: temperature 0.0 and 0.7, do sample false and true."
    code, found = as_json(capsys, f"out --models old,new {RIGHT} --margin 0.05")
    assert (code, found["cautions"]) == (0, [said])
    assert said in found["reasons"]
    main(["gate", *f"out --models old,new {RIGHT} --margin 0.05 --output c.md".split()])
    assert said in " ".join(capsys.readouterr().out.split())
    assert said in Path("c.md").read_text()


def test_an_evaluation_that_runs_does_not_ship(capsys):
    right = drawn(120, 0.6, 1)
    of_all = {"dataset": {"sample_ids": list(range(120))}}
    for model in ("old", "new"):
        inspect(f"logs/{model}.json", model, right[:70], status="started", run=of_all)
    line = f"logs --models old,new {RIGHT} --missing common --margin 0.1"
    code, found = as_json(capsys, line)
    assert code == 2
    assert found["missing"]["lacking"] == {"old": 0, "new": 0}
    assert found["missing"]["shares"] == pytest.approx({"old": 50 / 120, "new": 50 / 120})
    hold(found["cautions"][0], "The logs of old and new for t are not whole … 'started'")
    assert as_json(capsys, f"{line} --allow-missing 50%")[0] == 0


def test_prompts_of_promptfoo_are_told(capsys):
    path = promptfoo("pf.json", {"a": drawn(40, 0.5, 1), "b": drawn(40, 0.9, 2)})
    log = json.loads(Path(path).read_text())
    log["results"]["prompts"][1]["raw"] = "Say {{q}}, and think of it step by step before you do."
    Path(path).write_text(json.dumps(log))
    line = f"pf.json --models a,b {RIGHT} --runs run --set value=success --margin 0.1"
    assert as_json(capsys, line)[1]["cautions"] == [
        "a and b were asked differently: different prompts."
    ]

"""`bakeoff gate`: ship, block or undecided, and the files it writes."""

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import norm

import bakeoff as package
from bakeoff.cli import main
from bakeoff.release import Terms, decide
from bakeoff.stats import (
    Limits,
    MetricPower,
    Release,
    Status,
    metric_ci,
    metric_difference,
    metric_limits,
)
from tests.conftest import called, hold
from tests.logs import inspect

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/gate.schema.json").read_text())


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    i = np.arange(1500)
    y, sex = np.where(i % 3 == 0, "yes", "no"), np.where(i % 2 == 0, "f", "m")
    wrong = {
        "base": i % 10 == 0,
        "best": i < 0,
        "equal": (i % 10 == 0) ^ (i % 150 < 2),
        "worse": i % 10 < 2,
        "women": (i % 10 == 0) | np.isin(i % 20, (2, 4)),
    }
    for name, errs in wrong.items():
        said = np.where(errs, np.where(y == "yes", "no", "yes"), y)
        p = np.where(said == "yes", 0.8, 0.2) + 0.001 * (i * 7 % 100)
        frame = pd.DataFrame({"id": i, "y_true": y, "y_pred": said, "p_no": 1 - p, "p_yes": p})
        frame = frame.assign(sex=sex, patient=i // 10, site=i % 3, day=i % 100)
        frame.to_csv(f"{name}.csv", index=False)


def edit(*names, **columns):
    """Give tables other columns, made of what they hold."""
    for name in names:
        frame = pd.read_csv(f"{name}.csv").assign(**columns)
        frame.to_csv(f"{name}.csv", index=False)


def outcome(capsys, candidate, *options, margin="0.02"):
    """Return the exit code, and what goes to both streams."""
    code = main(["gate", "base.csv", f"{candidate}.csv", "--margin", margin, *options])
    return code, *capsys.readouterr()


def gate(capsys, candidate, *options, **more):
    """Return the exit code and the words of both streams, with single blanks between them."""
    code, *streams = outcome(capsys, candidate, *options, **more)
    return code, " ".join("".join(streams).split())


def as_json(capsys, candidate, *options, **more):
    """Return what `--json` prints, which is as its schema says."""
    answer = json.loads(outcome(capsys, candidate, "--json", *options, **more)[1])
    jsonschema.validate(answer, SCHEMA)
    return answer


F1, AREA, ACCURACY = (["--metric", name] for name in ("f1", "roc_auc", "accuracy"))
SEX, SITE = (["--subgroups", column] for column in ("sex", "site"))
DECISIONS = [
    ("equal", "0.02", [], 0, "Ship: equal is not worse than base by 0.02 … line is at −0.02."),
    ("worse", "0.02", [], 1, "Block: worse is worse than base by more than 0.02 … at −0.02."),
    ("equal", "0.001", [], 2, "line is at −0.001. … rows would decide with a probability of 80%"),
    ("worse", "0.1", [], 2, "line is at −0.1. … more rows would hardly decide"),  # what it loses
    ("equal", "0", ["--superior"], 1, "Block: equal is not shown better"),
    ("best", "0.05", ["--superior"], 0, "Ship: best is better … is 0.100 better on … is at 0.05."),
    ("women", "0.15", [], 0, "Ship"),
    ("women", "0.15", SEX, 1, "by more than 0.15 of accuracy for f."),
    ("women", "0.15", SEX + SITE, 1, "for sex: f."),
    ("women", "0.15", SITE + SEX, 1, "for sex: f."),
    ("equal", "0.02", ["--subgroups", "day"], 0, "None of the 100 subgroups is shown"),
    ("equal", "0.02", SEX, 0, "Limits of subgroups at the level 0.017 each"),
    ("worse", "0.02", [*F1, "--positive", "no"], 1, "than 0.02 of f1 (positive class: no)."),
    ("equal", "0.02", AREA + ACCURACY, 0, "by 0.02 of roc_auc or 0.02 of accuracy."),
]


@pytest.mark.parametrize(("candidate", "margin", "options", "code", "said"), DECISIONS)
def test_decisions(capsys, candidate, margin, options, code, said):
    ended, text = gate(capsys, candidate, *options, margin=margin)
    hold(text, said)
    assert ended == code
    assert re.search(r"true change is above −?0\.\d{3} and below −?0\.\d{3}, each", text)
    assert ("decide" in text) == (code == 2)


def test_subgroups_share_the_level_of_harm(capsys):
    gate(capsys, "women", *SEX, "--output", "c.md", margin="0.15")
    hold(Path("c.md").read_text(), "### ⛔ Block … | f | 750 | −0.2000 | −0.2")
    found = as_json(capsys, "equal", *SEX)
    assert [part["name"] for part in found["subgroups"]] == ["f", "m"]
    assert {part["alpha"] for part in found["subgroups"]} == {0.05 / 3}
    assert found["overall"]["alpha"] == 0.05
    found = as_json(capsys, "equal", *SITE, *SEX, *F1, "--metric", "mcc")
    assert [part["alpha"] for part in found["subgroups"]] == [0.05 / 12] * 5


def test_without_limits_nothing_follows(capsys):
    right = pd.read_csv("base.csv")["y_true"] == "yes"
    for name, high in (("base", 0.99), ("equal", 0.99), ("worse", 0.7)):  # perfect rankings
        p = np.where(right, high, 1 - high) + 0.001 * (np.arange(1500) % 10)
        edit(name, p_yes=p, p_no=1 - p)
    for candidate in ("equal", "worse"):
        code, said = gate(capsys, candidate, *AREA)
        assert code == 2
        assert "No decision follows, because no row counts differently for the two" in said
        assert " decide" not in said
        assert "same on every row" not in said
        as_json(capsys, candidate, *AREA)


def test_all_rows_and_subgroups_share_the_probability_of_a_false_block():
    """A loss on all rows that is shown at alpha, not at alpha over three questions."""

    class Rows:
        subgroups = {"sex": np.array(["f", "m"] * 50)}  # noqa: RUF012
        names, runs, unit = ("base", "candidate"), (), ""
        tasks = runs_of_items = passing = None
        given = SimpleNamespace(missing=None, cautions=(), models={"base": ()})

        def about(self, metric):
            return None

        def limits(self, metric, alpha, kept=None):
            centre, half = (-0.03 if kept is None else 0.0), 0.01 * norm.isf(alpha)
            ends = centre - half, centre + half
            return Limits(centre, *ends, alpha, 100, 0, Status.OK, "normal")

    whole = Rows()
    whole.subgroups = {}
    terms = Terms("accuracy", 0.01, superior=False, alpha=0.05)
    assert decide(whole, [terms]).decision is Release.BLOCK
    found = decide(Rows(), [terms])
    assert found.decision is Release.UNDECIDED
    assert found.overall.limits.alpha == pytest.approx(0.05 / 3)
    several = decide(whole, [terms, dataclasses.replace(terms, metric="f1")])
    assert [one.overall.limits.alpha for one in several.by_metric] == pytest.approx([0.025] * 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--metric cost", "costs: the metric cost needs"),
        ("--groups nix", "groups: 'base.csv': unknown column 'nix'"),
        ("--subgroups nix", "subgroups: 'base.csv': unknown column 'nix'"),
        ("--subgroups patient", "subgroups: 150 different values, at most 100"),
        ("--margin -1", "margin: found -1"),
        ("--margin 2 --metric mcc", "margin: found 2, must be below 2"),
        ("--positive maybe", "positive: unknown class 'maybe'"),
        ("--values right --positive yes", "is for predictions"),
        ("--values right --metric f1", "is for predictions"),
        ("--output equal.csv", "output: 'equal.csv' is read from"),
        ("--output link.csv", "output: 'link.csv' is read from"),
        ("--models base,equal", "models: names columns of one table"),
        ("--set value=score", "value: names the column of numbers: say by `--values KIND` whether"),
        ("--values right --task classification", "task: is for predictions, not for numbers"),
        ("--bogus", "unknown option '--bogus'"),
        ("base.csv equal.csv", "--margin"),
        ("base.csv --margin 0.02", "models: of one table, name the columns of the two"),
        ("base.csv bare.csv --margin 0.02 --metric roc_auc", "roc_auc needs class probabilities"),
        ("--metric accuracy --set costs=costs.yaml", "accuracy looks at no costs"),
        ("--metric expected_cost --set costs=costs.yaml", "needs `priors` too"),
        ("--metric cost --set costs=other.yaml", "the rows have no, yes"),
        ("--margin=-1%", "margin: found"),
        ("pipe.csv base.csv --margin 0.1", "'pipe.csv' is a pipe or a device, which can be read"),
        *(
            (f"--{o}=", f"{o}: expected at least 1 char")
            for o in ("groups", "truth", "id", "seeds")
        ),
        ("--set predicted=", "predicted: expected at least 1 character"),
    ],
)
def test_mistakes_end_with_3(capsys, options, message):
    pd.read_csv("equal.csv").drop(columns=["p_no", "p_yes"]).to_csv("bare.csv", index=False)
    Path("costs.yaml").write_text("classes: ['yes', 'no']\nmatrix: [[0, 5], [1, 0]]\n")
    Path("other.yaml").write_text("classes: [a, b]\nmatrix: [[0, 5], [1, 0]]\n")
    Path("link.csv").symlink_to("equal.csv")
    os.mkfifo("pipe.csv")
    before = {path: path.lstat().st_mtime_ns for path in Path().iterdir()}
    usual = ["base.csv", "equal.csv"] if options.startswith("--") else []
    usual += ["--margin", "0.02"] if usual and "--margin" not in options else []
    try:
        code = main(["gate", *usual, *options.split()])
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 3
    assert message in " ".join(capsys.readouterr().err.split())
    assert {path: path.lstat().st_mtime_ns for path in Path().iterdir()} == before


LOSSES = [("right", -1), ("wrong", 1), ("higher", -1), ("lower", 1), ("higher", 0)]


@pytest.mark.parametrize(("values", "worse"), LOSSES)
def test_numbers_per_row(values, worse):
    i = np.arange(1000)
    base = i % 2 + (0 if values in ("right", "wrong") else 0.01 * (i % 7))
    other = np.where((i % 10 < 3) & (i % 2 != (worse > 0)), base + worse, base)
    other = other if worse else base + np.where(i % 3 == 0, 0.001, -0.0005)
    for margin, decision in ((0.01, "block" if worse else "ship"), (0.9, "ship")):
        found = package.gate(None, base, other, values=values, margin=margin)
        assert found.decision == decision


def test_runs_of_items_belong_together(capsys):
    item, run = np.repeat(np.arange(100), 3), np.tile([1, 2, 3], 100)
    for name, values in (("base", item % 2), ("new", (item % 2) * (item % 20 != 1))):
        pd.DataFrame({"id": item, "run": run, "score": values}).to_csv(f"{name}.csv", index=False)
    found = as_json(capsys, "new", "--values", "right", "--runs", "run")
    assert found["overall"]["groups"] == 100


def run_action(action, inputs, code):
    """Run the script of the action's step by bash, without a terminal."""
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "gate")
    env = {k: inputs[v.split("inputs.")[1].split(" ")[0]] for k, v in step["env"].items()}
    env |= {"GITHUB_OUTPUT": "out.txt", "GITHUB_STEP_SUMMARY": "sum.md", "RUNNER_TEMP": "."}
    env["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    installed = Path("bakeoff/bin/bakeoff")
    installed.parent.mkdir(parents=True)
    installed.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m bakeoff \"$@\"\n")
    installed.chmod(0o755)
    called("bash", "-e", "-c", step["run"], cwd=None, code=code, **env)


@pytest.mark.parametrize("place", [0, 1])
def test_the_workflows_of_the_page_run(place):
    page = (ROOT / "docs" / "gate.md").read_text()
    (step,) = yaml.safe_load(re.findall(r"```yml\n(.*?)```", page, re.DOTALL)[place])
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: given.get("default", "") for name, given in action["inputs"].items()}
    assert set(step["with"]) <= set(inputs)
    inputs |= step["with"]
    base = pd.read_csv("base.csv").rename(columns={"sex": "home town"})
    copies = []
    for copy in range(5):
        ids = base[["id", "patient"]].astype(str) + f" copy {copy}"
        copies.append(base.assign(id=ids["id"], patient=ids["patient"]))
    base = pd.concat(copies)
    Path("predictions").mkdir()
    for name in ("main", "branch"):
        base.to_csv(f"predictions/{name}.csv", index=False)
    for model in ("old", "new"):
        right = [int(i % 9 > 0) for i in range(600)]
        inspect(f"logs/{model}_math.json", model, right, task="math")
        inspect(f"logs/{model}_law.json", model, right, task="law")
    run_action(action, inputs, 0)
    assert "decision=ship" in Path("out.txt").read_text()
    assert "Ship" in Path("sum.md").read_text()


SCORES, LABELS = ("old", "new", ""), "accuracy\nf1"


@pytest.mark.parametrize(
    ("base", "candidate", "metric", "options", "undecided", "code", "decision"),
    [
        ("base", "equal", LABELS, "--alpha 0.05", "fail", 0, "ship"),
        ("base", "few", LABELS, "--alpha 0.05", "fail", 2, "undecided"),
        ("base", "few", LABELS, "--alpha 0.05", "pass", 0, "undecided"),
        # scores, with names of two words
        (*SCORES, "--values right --set 'value=the score'", "fail", 0, "ship"),
        (*SCORES, '--values wrong --set "value=the score"', "fail", 1, "block"),
        (*SCORES, "--values right --set value=the score", "fail", 3, ""),
        (*SCORES, "--values right --set 'value=the score", "fail", 3, ""),
        # one table of both, and mistakes that the summary tells
        ("both", "", LABELS, "--models old,new", "fail", 0, "ship"),
        ("both", "", LABELS, "", "fail", 3, ""),
        # a folder of logs of both
        ("logs", "", "", "--models a,b --values right", "fail", 1, "block"),
        ("logs", "", "", "--models a,c --values right", "fail", 3, ""),
        ("base", "equal", LABELS, "--margin 0.01", "fail", 3, ""),
    ],
)
def test_the_action_of_github(base, candidate, metric, options, undecided, code, decision):
    Path("few.csv").write_bytes(Path("base.csv").read_bytes())
    other = pd.read_csv("base.csv")["y_pred"].map({"yes": "no", "no": "yes"})
    edit("few", y_pred=lambda frame: frame["y_pred"].mask(frame["id"] % 40 == 1, other))
    base_and_equal = (pd.read_csv(f"{name}.csv") for name in ("base", "equal"))
    old, new = (frame["y_pred"] for frame in base_and_equal)
    pd.read_csv("base.csv")[["id", "y_true"]].assign(old=old, new=new).to_csv("both.csv")
    for name, every in (("old", 2), ("new", 4)):
        right = [int(i % every > 0) for i in range(1000)]
        pd.DataFrame({"id": range(1000), "the score": right}).to_csv(f"{name}.csv", index=False)
    Path("bakeoff-gate.md").write_text("an earlier comment")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for model, every in (("a", 9), ("b", 3)):
        inspect(f"logs/{model}.json", model, [int(i % every > 0) for i in range(600)])
    place = base if base == "logs" else f"{base}.csv"
    files = {"base": place, "candidate": candidate and f"{candidate}.csv"}
    inputs = {**files, "margin": "0.03"}
    inputs |= {"metric": metric, "options": options, "undecided": undecided}
    assert set(inputs) == set(action["inputs"])
    run_action(action, inputs, code)
    if decision:
        assert f"decision={decision}" in Path("out.txt").read_text()
        summary = Path("sum.md").read_text()
        assert decision.capitalize() in summary
        assert (", f1 |" in summary) == bool(metric)
    else:
        hold(Path("sum.md").read_text(), "### bakeoff gate: no decision … : ")


def test_one_table_of_both_decides_as_two_tables(capsys):
    base, new = (pd.read_csv(f"{name}.csv") for name in ("base", "worse"))
    wide = base[["id", "y_true", "patient", "sex"]].assign(old=base["y_pred"], new=new["y_pred"])
    wide.sample(frac=1, random_state=1).to_csv("wide.csv", index=False)
    wide[["y_true", "old", "new"]].to_csv("bare.csv", index=False)
    assert main(["gate", "bare.csv", "--models", "old,new", "--margin", "0.02"]) == 1, "no ids"
    capsys.readouterr()
    related = ["--groups", "patient", *SEX]
    line = ["gate", "wide.csv", "--models", "old,new", "--margin", "0.02", "--json", *related]
    assert main(line) == 1
    one, two = json.loads(capsys.readouterr().out), as_json(capsys, "worse", *related)
    assert (one["base"], one["candidate"]) == ("old", "new")
    for part in ("overall", "subgroups", "decision"):
        assert one[part] == two[part]


def test_a_column_of_numbers_is_chosen(capsys):
    for name, shift in (("base", 0), ("new", 1)):
        frame = {"id": range(200), "f1": 0.5, "em": [(i + shift) % 2 for i in range(200)]}
        pd.DataFrame(frame).to_csv(f"{name}.csv", index=False)
    code, said = gate(capsys, "new", "--values", "right")
    assert (code, "value: 'base.csv' has no column of numbers" in said) == (3, True)
    found = as_json(capsys, "new", "--values", "right", "--set", "value=em", margin="0.2")
    assert (found["decision"], found["overall"]["n"]) == ("ship", 200)


def test_no_crash_ends_like_a_decision(capsys, monkeypatch):
    def crash(*args, **more):
        raise RuntimeError("lost")

    monkeypatch.setattr("bakeoff.release.read_rows", crash)
    code, said = gate(capsys, "equal")
    assert (code, "RuntimeError: lost" in said) == (3, True)


def test_a_reader_that_has_seen_enough_changes_no_decision():
    read, write = os.pipe()
    os.close(read)
    done = process("base.csv", "worse.csv", stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("positives", "times", "metric", "margin", "code", "said"),
    [
        (19, 0.98, "log_loss", "0.1", 2, "because 19 rows of the rarest class, 20 are needed"),
        (80, 0.98, "log_loss", "0.1", 0, ""),
        (12, 1 - 0.1 * (np.arange(400) % 3 == 0), "roc_auc", "0.3", 0, "Caution: 12 rows of"),
    ],
)
def test_few_rows_of_a_class_are_told(capsys, positives, times, metric, margin, code, said):
    y, noise = np.arange(400) < positives, np.random.default_rng(1).normal(size=400)
    for name, factor in (("base", 1), ("new", times)):
        p = factor / (1 + np.exp(3.4 - 2.5 * y - noise))
        answer, truth = (np.where(right, "yes", "no") for right in (p > 0.5, y))
        columns = {"id": range(400), "y_true": truth, "y_pred": answer, "p_no": 1 - p, "p_yes": p}
        pd.DataFrame(columns).to_csv(f"{name}.csv", index=False)
    options = ("--metric", metric, "--output", "c.md")
    ended, text = gate(capsys, "new", *options, margin=margin)
    assert ended == code
    for one in (text, Path("c.md").read_text()):
        assert said in one
        assert said or "rarest class" not in one
    warnings = as_json(capsys, "new", *options, margin=margin)["overall"]["warnings"]
    assert len(warnings) == bool(said)


def process(*arguments, **more):
    line = [sys.executable, "-u", "-m", "bakeoff", "gate", *arguments, "--margin", "0.02"]
    return subprocess.run(line, check=False, **more)


def test_output_in_any_encoding_keeps_decision_sign_and_names(monkeypatch):
    for encoding in ("ascii", "cp1252"):
        monkeypatch.setenv("PYTHONIOENCODING", encoding)
        done = process("base.csv", "worse.csv", capture_output=True)
        told = done.stdout.decode(encoding)
        assert (done.returncode, "the line is at -0.02" in told) == (1, True)
    Path("☃.csv").write_bytes(Path("equal.csv").read_bytes())
    Path("😀.csv").write_bytes(Path("base.csv").read_bytes())
    done = process("😀.csv", "☃.csv", "--json", capture_output=True)
    found = json.loads(done.stdout.decode("cp1252"))
    assert (done.returncode, found["base"], found["candidate"]) == (0, "😀", "☃")


def test_values_files_and_messages_obey_no_terminal_and_no_runner_of_a_build(capsys):
    bad = ["::add-mask::e", "\x1b[31mred\x07", "a\n::stop-commands::x", "\u2028##[error]\x9b"]
    edit("base", "women", site=lambda frame: [bad[i % 4] for i in frame["id"]])
    said = outcome(capsys, "women", "--subgroups", "site", "--output", "comment.md")[1]
    found = as_json(capsys, "women", "--subgroups", "site")
    names = [part["name"] for part in found["subgroups"]]
    assert sorted(names) == sorted(bad)
    for text in (said, Path("comment.md").read_text()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", text)
        assert not re.search(r"(?m)^\s*::|##\[", text)
        assert not re.search(r"(?m)^\|[^|]*$", text)  # half a line of a table
    assert r"\u003a:add-mask::e" in said
    assert r"\u001b[31mred\u0007" in said
    Path("x\n::add-mask::z.csv").write_bytes(Path("equal.csv").read_bytes())
    frame = pd.read_csv("equal.csv").rename(columns={"y_pred": "\x1b[2J\n::add-mask::y"})
    frame.drop(columns=["p_no", "p_yes"]).to_csv("odd.csv", index=False)
    for text in (outcome(capsys, "x\n::add-mask::z")[1], outcome(capsys, "odd")[2]):
        assert "add-mask" in text
        assert not re.search(r"(?m)^\s*::|\x1b", text)


def test_several_metrics_are_one_decision(capsys):
    useless = pd.read_csv("base.csv")["id"] % 7 / 10  # the same labels, useless probabilities
    Path("blind.csv").write_bytes(Path("base.csv").read_bytes())
    edit("blind", p_yes=useless, p_no=1 - useless)
    assert gate(capsys, "blind", *ACCURACY)[0] == 0
    for metrics in (AREA + ACCURACY, ACCURACY + AREA):
        code, said = gate(capsys, "blind", *metrics)
        assert code == 1
        assert "Block: blind is worse than base by more than 0.02 of roc_auc" in said
    found = as_json(capsys, "blind", *AREA, *ACCURACY)["by_metric"]
    assert [
        (one["terms"]["metric"], one["decision"], one["overall"]["alpha"]) for one in found
    ] == [("roc_auc", "block", 0.025), ("accuracy", "ship", 0.05)]  # harm by either; both must pass


@pytest.fixture
def table():
    rng = np.random.default_rng(5)
    y = rng.normal(300_000, 60_000, 400)
    found = pd.DataFrame({"id": np.arange(400), "y": y, "street": np.arange(400) // 4})
    for model, noise in (("base", 20_000), ("better", 19_000), ("worse", 30_000)):
        found[model] = y + rng.normal(0, noise, 400)
        found[["id", "y", model]].rename(columns={model: "y_pred"}).to_csv(f"{model}.csv")
    found.to_csv("wide.csv", index=False)
    return found


def test_decisions_in_the_unit_of_the_target(capsys, table):
    for candidate, options, code, said in (
        ("better", "--metric rmse", 0, "Ship: better is not worse than base by 2,000 of rmse."),
        ("worse", "", 1, "Block: worse is worse than base by more than 2,000 of rmse."),
    ):
        ended, text = gate(capsys, candidate, *options.split(), margin="2000")
        assert (ended, said in text) == (code, True)
        assert ".0" not in text  # prices are told without decimals
    unit = "--set", "unit=EUR"
    said = gate(capsys, "worse", "--metric", "mse", *unit, "--output", "m.md", margin="2%")[1]
    assert "EUR² worse on 400 rows" in said
    assert "| change (EUR²) |" in Path("m.md").read_text()
    code, said = gate(capsys, "worse", "--values", "lower", "--set", "value=y_pred", *unit)
    assert (code, said) == (3, "unit: is for predictions, not for numbers per row (values)")
    line = "gate wide.csv --models base,better --groups street --margin 1 --metric mae --json"
    main(line.split())
    found = json.loads(capsys.readouterr().out)["overall"]
    arrays = table.y, table.better, table.base
    wanted = metric_limits(*arrays, metric="mae", groups=table.street.astype(str))
    assert (found["low"], found["high"]) == pytest.approx((wanted.low, wanted.high))
    assert found["groups"] == 100


def test_margin_in_percent_of_the_base(capsys, table):
    value = metric_ci(table.y, table.base, metric="rmse").estimate
    tenth = "10%", f"by {value / 10:,.0f} (10% of the rmse of base)."
    for margin, said in (tenth, ("0.05%", f"by {value / 2000:.3g} (0.05% of")):
        assert said in gate(capsys, "better", "--metric", "rmse", margin=margin)[1]
    terms = as_json(capsys, "better", "--metric", "rmse", margin="10%")["terms"]
    assert (terms["percent"], terms["margin"]) == (10, pytest.approx(value / 10))
    arrays = [table[name].to_numpy() for name in ("y", "base", "better")]
    found = package.gate(*arrays, metric="rmse", margin="10%")
    assert (found.terms.margin, found.decision) == (pytest.approx(value / 10), "ship")


@pytest.mark.parametrize("values", ["lower", None])
def test_percent_of_a_base_of_several_runs_is_that_of_its_mean_run(table, values):
    rng, y = np.random.default_rng(6), table["y"].to_numpy()
    spread = ((2, 3, 9), (1, 1, 2))
    errors = [rng.normal(0, 400 * np.array(off)[:, None], (3, 400)) for off in spread]
    given = [list(np.abs(one) if values else y + one) for one in errors]
    how = {"values": values} if values else {"metric": "mae"}
    found = package.gate(None if values else y, *given, margin="10%", **how)
    base, better = (np.abs(one).mean() for one in errors)
    assert found.terms.margin == pytest.approx(base / 10)
    assert found.overall.limits.estimate == pytest.approx(base - better)


def test_rows_for_a_difference_from_a_pilot(capsys, table):
    pilot = metric_difference(table.y, table.base, table.better, metric="rmse")
    wanted = MetricPower.from_pilot(pilot).solve(n=1000, power=0.8).difference
    for options, said in (
        ("--difference 1000", "of 1000 in rmse"),
        ("--margin 2000 --metric mae", "to show that A is not worse than B by 2000 in mae"),
        ("--rows 1000 --metric rmse", ""),
    ):
        main(f"plan base.csv better.csv --json {options}".split())
        answer = json.loads(capsys.readouterr().out)
        assert said in answer["what"]
    assert answer["difference"] == pytest.approx(wanted, rel=0.005)  # of thousands, not of shares


def test_the_comment_lists_the_first_rows_on_which_the_two_differ(capsys):
    edit("base", "equal", task=lambda frame: np.where(frame["id"] < 750, "<b>old</b>", "new"))
    outcome(capsys, "equal", "--subgroups", "task", "--output", "comment.md")
    comment = Path("comment.md").read_text()
    assert "equal and base" not in comment
    assert "base and equal differ on 20 of 1,500 rows; the first 10:" in comment
    table = comment.partition("the first 10:")[2].strip().splitlines()
    assert table[0] == "| Row | Task | True class | base predicts | equal predicts | Right is |"
    # those of the task that comes first by name, in the order of their ids
    assert table[2] == "| 0 | &lt;b&gt;old&lt;/b&gt; | yes | no | yes | equal |"
    assert len(table) == 2 + 10


def test_the_comment_says_that_no_row_differs(capsys):
    Path("copy.csv").write_bytes(Path("base.csv").read_bytes())
    outcome(capsys, "copy", "--output", "comment.md")
    comment = Path("comment.md").read_text()
    assert "do not differ on any of 1,500 rows." in comment

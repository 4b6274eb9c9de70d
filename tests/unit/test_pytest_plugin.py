"""The fixture `assert_not_worse`, and `bakeoff.gate` behind it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.pytest_plugin import assert_not_worse  # noqa: F401  (also where none is installed)

N = 1000
TRUTH = np.arange(N) % 2
BASE = np.where(np.arange(N) % 10 == 0, 1 - TRUTH, TRUTH)
WORSE = np.where(np.arange(N) % 10 < 3, 1 - TRUTH, TRUTH)
NAMES = np.where(TRUTH == 1, "fraud", "ok")


def test_predictions(assert_not_worse):  # noqa: F811
    assert assert_not_worse(TRUTH, BASE, BASE, margin=0.01).overall.limits.estimate == 0
    with pytest.raises(AssertionError, match="Block: candidate is worse than base by more than"):
        assert_not_worse(TRUTH, BASE, WORSE, margin=0.01)
    assert_not_worse(TRUTH, WORSE, BASE, margin=0.0, metric="f1")


def test_right_and_wrong_or_numbers(assert_not_worse):  # noqa: F811
    right, wrong = BASE == TRUTH, WORSE == TRUTH
    found = assert_not_worse(None, wrong, right, margin=0.01, values="right")
    assert found.overall.limits.method == "exact_melded"
    found = assert_not_worse(None, wrong * 0.5, right * 0.5, margin=0.01, values="higher")
    assert found.overall.limits.method == "t_and_hall"
    with pytest.raises(AssertionError, match="Block"):
        assert_not_worse(None, wrong * 0.5, right * 0.5, margin=0.01, values="lower")


def test_undecided(assert_not_worse):  # noqa: F811
    few = TRUTH[:50], BASE[:50], BASE[:50]
    with pytest.raises(AssertionError, match="Undecided"):
        assert_not_worse(*few, margin=0.01)
    with pytest.raises(pytest.skip.Exception, match="Undecided"):
        assert_not_worse(*few, margin=0.01, undecided="skip")
    with pytest.raises(bakeoff.UserError, match="undecided: unknown answer 'pass'"):
        assert_not_worse(*few, margin=0.01, undecided="pass")


GOOD = TRUTH, BASE, BASE


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        # nothing of this is ever right, so that nothing could be worse
        ((NAMES, BASE, BASE), {}, "'base' predicts classes .* marks of right rows"),
        (([None] * N, BASE, BASE), {}, "1,000 of 1,000 rows have no true label"),
        ((NAMES, np.full(N, np.nan), NAMES), {}, "'base': 1,000 of 1,000 rows have no prediction"),
        ((TRUTH, BASE[:-1], BASE), {}, "base: found 999 rows, y has 1,000"),
        ((None, BASE, BASE), {}, "y: found None"),
        ((np.arange(N) % 3, BASE * 0.4 + 0.1, BASE), {}, "'base' predicts classes that the data"),
        (GOOD, {"margin": 1.0}, "margin: found 1, must be below 1"),
        (GOOD, {"margin": "x"}, "margin: found 'x'"),
        (GOOD, {"metric": "f1", "task": "regression"}, "metrics: f1 compares classes"),
        (GOOD, {"metric": "acuracy"}, "metrics: unknown metric 'acuracy'; did you mean"),
        (GOOD, {"metric": "roc_auc"}, "metrics: roc_auc needs class probabilities"),
        (GOOD, {"positive": 3}, "positive: .*'3'"),
        (GOOD, {"alpha": 0.7}, "alpha: found 0.7"),
    ],
)
def test_what_no_command_takes_is_refused(arguments, options, message):
    with pytest.raises(bakeoff.UserError, match=message):
        bakeoff.gate(*arguments, **{"margin": 0.01, **options})


def test_probabilities_are_taken_as_such(assert_not_worse):  # noqa: F811
    certain = np.abs(BASE - 0.2)
    assert_not_worse(TRUTH, BASE, certain, margin=0.01)
    with pytest.raises(AssertionError, match="Block"):
        assert_not_worse(TRUTH, BASE, np.abs(WORSE - 0.2), margin=0.01)


def test_python_decides_as_the_command(capsys, in_folder):
    models = {"base": np.where(BASE == 1, "fraud", "ok"), "cand": np.where(WORSE, "fraud", "ok")}
    part, patient = np.where(np.arange(N) % 4 < 2, "a", "b"), np.arange(N) // 5
    for name, said in models.items():
        columns = {"id": range(N), "y_true": NAMES, "y_pred": said}
        pd.DataFrame(columns | {"part": part, "patient": patient}).to_csv(
            f"{name}.csv", index=False
        )
    options = "--metric f1 --positive fraud --subgroups part --groups patient"
    code = main(["gate", "base.csv", "cand.csv", "--margin", "0.1", *options.split()])
    said = " ".join(capsys.readouterr().out.split())
    how = {"margin": 0.1, "metric": "f1"}
    found = bakeoff.gate(
        NAMES, *models.values(), **how, positive="fraud", subgroup=part, groups=patient
    )
    assert (code, str(found.decision)) == (1, "block")
    assert f"{found}".split("\n")[1].replace("candidate", "cand") in said
    assert found.positive == "fraud"
    other = bakeoff.gate(NAMES, *models.values(), **how, positive="ok")
    assert other.overall.limits.estimate != found.overall.limits.estimate


def test_pytest_finds_it():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"bakeoff": "bakeoff.pytest_plugin"}


def test_the_plugin_is_light():
    code = "import sys, pytest, bakeoff.pytest_plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "scipy", "bakeoff.stats"} & set(done.stdout.split())

"""The fixture `assert_not_worse`, and `bakeoff.gate` behind it."""

import subprocess
import sys
import tomllib
from contextlib import nullcontext
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


RIGHT, WRONG = (BASE == TRUTH) * 1.0, (WORSE == TRUTH) * 1.0
FEW = TRUTH[:50], BASE[:50], BASE[:50]


@pytest.mark.parametrize(
    ("arguments", "options", "raised", "message"),
    [
        ((TRUTH, BASE, BASE), {}, None, "exact_melded"),
        ((TRUTH, BASE, WORSE), {}, AssertionError, "Block: candidate is worse than base by more"),
        ((TRUTH, WORSE, BASE), {"margin": 0.0, "metric": "f1"}, None, ""),
        ((TRUTH, BASE, np.abs(BASE - 0.2)), {}, None, ""),  # probabilities are taken as such
        ((TRUTH, BASE, np.abs(WORSE - 0.2)), {}, AssertionError, "Block"),
        ((None, WRONG, RIGHT), {"values": "right"}, None, "exact_melded"),
        ((None, WRONG / 2, RIGHT / 2), {"values": "higher"}, None, "t_and_hall"),
        ((None, WRONG / 2, RIGHT / 2), {"values": "lower"}, AssertionError, "Block"),
        (FEW, {}, AssertionError, "Undecided"),
        (FEW, {"undecided": "skip"}, pytest.skip.Exception, "Undecided"),
        (FEW, {"undecided": "pass"}, bakeoff.UserError, "undecided: unknown answer 'pass'"),
    ],
)
def test_what_is_shown_not_to_be_worse_passes(
    assert_not_worse,  # noqa: F811
    arguments,
    options,
    raised,
    message,
):
    with pytest.raises(raised, match=message) if raised else nullcontext():
        decided = assert_not_worse(*arguments, **{"margin": 0.01, **options})
        assert message in decided.overall.limits.method


GOOD = TRUTH, BASE, BASE


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        # nothing of this is ever right, so that nothing could be worse
        ((NAMES, BASE, BASE), {}, "'base' predicts classes .* marks of right rows"),
        (([None] * N, BASE, BASE), {}, "1,000 of 1,000 rows have no true label"),
        ((NAMES, np.full(N, np.nan), NAMES), {}, "'base': 1,000 of 1,000 rows have no prediction"),
        ((np.arange(N) % 3, BASE * 0.4 + 0.1, BASE), {}, "'base' predicts classes that the data"),
        (GOOD, {"margin": 1.0}, "margin: found 1, must be below 1"),
        (GOOD, {"margin": "x"}, "margin: found 'x'"),
        (GOOD, {"metric": "f1", "task": "regression"}, "metrics: f1 compares classes"),
        (GOOD, {"alpha": 0.7}, "alpha: found 0.7"),
    ],
)
def test_what_no_command_takes_is_refused(arguments, options, message):
    with pytest.raises(bakeoff.UserError, match=message):
        bakeoff.gate(*arguments, **{"margin": 0.01, **options})


def test_python_decides_as_the_command(capsys, in_folder):
    models = {"base": np.where(BASE == 1, "fraud", "ok"), "cand": np.where(WORSE, "fraud", "ok")}
    part, patient = np.where(np.arange(N) % 4 < 2, "a", "b"), np.arange(N) // 5
    for name, said in models.items():
        columns = {"id": range(N), "y_true": NAMES, "y_pred": said}
        table = pd.DataFrame({**columns, "part": part, "patient": patient})
        table.to_csv(f"{name}.csv", index=False)
    options = "--metric f1 --positive fraud --subgroups part --groups patient"
    code = main(["gate", "base.csv", "cand.csv", "--margin", "0.1", *options.split()])
    said = " ".join(capsys.readouterr().out.split())
    how = {"margin": 0.1, "metric": "f1"}
    parts = {"subgroup": part, "groups": patient}
    found = bakeoff.gate(NAMES, *models.values(), **how, **parts, positive="fraud")
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

"""The fixture `assert_not_worse`."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from bakeoff.gate.assertion import check_not_worse
from bakeoff.pytest_plugin import assert_not_worse  # noqa: F401  (also where none is installed)

N = 1000
TRUTH = np.arange(N) % 2
BASE = np.where(np.arange(N) % 10 == 0, 1 - TRUTH, TRUTH)
WORSE = np.where(np.arange(N) % 10 < 3, 1 - TRUTH, TRUTH)


def test_predictions(assert_not_worse) -> None:  # noqa: F811
    assert assert_not_worse(BASE, BASE, y_true=TRUTH, margin=0.01).estimate == 0
    with pytest.raises(AssertionError, match="block: the candidate's change is"):
        assert_not_worse(BASE, WORSE, y_true=TRUTH, margin=0.01)
    assert_not_worse(WORSE, BASE, y_true=TRUTH, margin=0.0, metric="f1")


def test_right_and_wrong_or_numbers(assert_not_worse) -> None:  # noqa: F811
    right, wrong = BASE == TRUTH, WORSE == TRUTH
    assert assert_not_worse(wrong, right, margin=0.01).method == "exact_melded"
    assert assert_not_worse(wrong * 0.5, right * 0.5, margin=0.01).method == "t_influence"


def test_undecided(assert_not_worse) -> None:  # noqa: F811
    few = {"y_true": TRUTH[:50], "margin": 0.01}
    with pytest.raises(AssertionError, match="undecided"):
        assert_not_worse(BASE[:50], BASE[:50], **few)
    with pytest.raises(pytest.skip.Exception, match="undecided"):
        assert_not_worse(BASE[:50], BASE[:50], undecided="skip", **few)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="undecided: found 'pass'"):
        check_not_worse(BASE, BASE, margin=0.1, undecided="pass")
    with pytest.raises(ValueError, match="without y_true"):
        check_not_worse(BASE, BASE, margin=0.1, metric="f1")


def test_pytest_finds_it() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"bakeoff": "bakeoff.pytest_plugin"}


def test_the_plugin_is_light() -> None:
    code = "import sys, pytest, bakeoff.pytest_plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "scipy", "bakeoff.stats"} & set(done.stdout.split())

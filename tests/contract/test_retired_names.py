"""A test, function or command of before says what to write instead, wherever it is asked for."""

import argparse

import pytest

import bakeoff.stats
from bakeoff.cli import COMMANDS, main
from bakeoff.cli import RETIRED as RETIRED_COMMANDS
from bakeoff.cli import tests as tests_command
from bakeoff.comparisons import plan_tests
from bakeoff.errors import UserError
from bakeoff.spec import load_experiment
from bakeoff.stats import RETIRED, catalogue

INSTEAD = "groups belong to the data set now; write `mcnemar`"


@pytest.fixture(autouse=True)
def an_old_name(monkeypatch):
    monkeypatch.setitem(RETIRED, "mcnemar_of_old", INSTEAD)


def test_no_name_is_retired_and_in_the_catalogue():
    assert not set(RETIRED) & set(catalogue())


def test_an_experiment_is_told():
    config = {
        "experiment": "e",
        "datasets": {"iris": {"source": "sklearn", "name": "iris"}},
        "models": {m: {"estimator": "sklearn.dummy.DummyClassifier"} for m in "ab"},
        "resampling": {"holdout": {}},
        "metrics": ["accuracy"],
        "tests": {"run": ["mcnemar_of_old"], "options": {"mcnemar_of_old": {"alpha": 0.1}}},
    }
    problems, _ = plan_tests(load_experiment(config))
    assert [str(problem) for problem in problems] == [
        f"tests.run[0]: mcnemar_of_old: {INSTEAD}",
        f"tests.options.mcnemar_of_old: mcnemar_of_old: {INSTEAD}",
    ]


def test_an_option_of_before_is_told():
    models = {m: {"estimator": "sklearn.dummy.DummyClassifier", "seeds": 2} for m in "ab"}
    config = {
        "experiment": "e",
        "datasets": {"iris": {"source": "sklearn", "name": "iris"}},
        "models": models,
        "resampling": {"holdout": {}},
        "metrics": ["accuracy"],
        "tests": {
            "run": ["recipe_difference"],
            "options": {"recipe_difference": {"variant": "hillis"}},
        },
    }
    problems, _ = plan_tests(load_experiment(config))
    assert [str(one).split(": runs")[0] for one in problems] == [
        "tests.options.recipe_difference.variant: leave it out"
    ]


def test_the_command_line_is_told():
    with pytest.raises(UserError, match=INSTEAD):
        tests_command.run(argparse.Namespace(name="mcnemar_of_old"))


def test_python_is_told():
    with pytest.raises(AttributeError, match=INSTEAD):
        getattr(bakeoff.stats, "mcnemar_of_old")  # noqa: B009


def test_a_function_of_before_is_told():
    with pytest.raises(AttributeError, match="mcnemar_from_counts"):
        getattr(bakeoff.stats, "accuracy_claim")  # noqa: B009


@pytest.mark.parametrize("command", RETIRED_COMMANDS)
def test_a_command_of_before_is_told(command, capsys):
    assert command not in COMMANDS
    assert main([command, "--a", "0.87"]) == 2
    assert capsys.readouterr().err == f"bakeoff {command}: {RETIRED_COMMANDS[command]}\n"

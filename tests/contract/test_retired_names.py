"""A test, function or command of before says what to write instead, wherever it is asked for."""

import argparse
import re

import pytest

import bakeoff.stats
from bakeoff.cli import decisions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.errors import UserError
from bakeoff.spec import load_experiment
from bakeoff.stats import RETIRED, catalogue

INSTEAD = "groups belong to the data set now; write `mcnemar`"


@pytest.fixture(autouse=True)
def an_old_name(monkeypatch):
    monkeypatch.setitem(RETIRED, "mcnemar_of_old", INSTEAD)


def test_a_retired_name_is_gone_and_what_to_write_instead_is_there():
    assert not set(RETIRED) & set(catalogue())
    for told in RETIRED.values():
        named = re.findall(r"`([a-z]\w*_\w+)`", told)
        assert all(hasattr(bakeoff.stats, name) for name in named), told


OLD = f"mcnemar_of_old: {INSTEAD}"


@pytest.mark.parametrize(
    ("name", "option", "said"),
    [
        ("mcnemar_of_old", "alpha", [f"run[0]: {OLD}", f"options.mcnemar_of_old: {OLD}"]),
        ("recipe_difference", "variant", ["options.recipe_difference.variant: leave it out"]),
    ],
)
def test_an_experiment_is_told(tiny, name, option, said):
    model = {"estimator": "sklearn.dummy.DummyClassifier", "seeds": 2}
    tiny |= {"models": dict.fromkeys("ab", model), "resampling": {"holdout": {}}}
    tiny["tests"] = {"run": [name], "options": {name: {option: "hillis"}}}
    problems, _ = plan_tests(load_experiment(tiny))
    assert [str(problem).split(": runs")[0] for problem in problems] == [f"tests.{s}" for s in said]


def test_the_command_line_is_told():
    with pytest.raises(UserError, match=INSTEAD):
        decisions.tests(argparse.Namespace(name="mcnemar_of_old"))


@pytest.mark.parametrize(
    ("name", "said"), [("mcnemar_of_old", INSTEAD), ("accuracy_claim", "mcnemar_from_counts")]
)
def test_python_is_told(name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(bakeoff.stats, name)

"""Messages about mistakes."""

import datetime
import pickle

import numpy as np
import pytest

from bakeoff.errors import Problem, UserError, named, shown
from bakeoff.spec.load import report_problems

DAY = datetime.date(2026, 1, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ("a", "'a'"),
        ("a" * 1000, f"'{'a' * 57} …"),
        (DAY, "2026-01-02"),
        ([DAY, "a"], "[2026-01-02, 'a']"),
        ((DAY,), "(2026-01-02,)"),
        ({"day": DAY, np.int64(1): np.float64(0.5)}, "{'day': 2026-01-02, 1: 0.5}"),
        (np.arange(2), "[0, 1]"),
    ],
)
def test_values_are_shown_as_a_user_wrote_them(value, text):
    assert shown(value) == text


def test_a_problem_is_told_by_the_names_that_were_given():
    problem = Problem(("datasets", "d", "truth", 2), "no label")
    assert str(problem) == "datasets.d.truth[2]: no label"
    assert str(named(problem, {"truth", "costs"})) == "truth[2]: no label"
    assert str(named(problem, {"alpha"})) == "no label"
    for same in (pickle.loads(pickle.dumps(problem)), problem.inside(())):
        assert str(same) == str(problem)


def test_several_problems_are_named_one_by_one():
    found = [Problem(("tests", "alpha"), "too large"), Problem(("costs",), "none")]
    error = pickle.loads(pickle.dumps(report_problems(found)))
    assert str(error) == "tests.alpha: too large\ncosts: none"
    assert str(named(error, {"alpha", "costs"})) == "alpha: too large\ncosts: none"
    assert named(UserError("plain"), {"alpha"}).args == ("plain",)

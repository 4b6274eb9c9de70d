"""Messages about mistakes."""

import datetime
import pickle

import numpy as np
import pytest

from bakeoff.errors import Problem, UserError, joined, named, printable, shown, some, unknown
from bakeoff.spec.load import report_problems

DAY = datetime.date(2026, 1, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ("a", "'a'"),
        ("a" * 58, f"'{'a' * 58}'"),
        ("a" * 59, f"'{'a' * 57} …"),
        (DAY, "2026-01-02"),
        ([DAY, "a"], "[2026-01-02, 'a']"),
        ((DAY,), "(2026-01-02,)"),
        ({"day": DAY, np.int64(1): np.float64(0.5)}, "{'day': 2026-01-02, 1: 0.5}"),
        (np.arange(2), "[0, 1]"),
    ],
)
def test_values_are_shown_as_a_user_wrote_them(value, text):
    assert shown(value) == text


NEAREST = [
    ("x", "", "'x' (allowed: none)"),
    ("z", "abcdefghijkl", "'z' (allowed: a, b, c, d, e, f, g, h, i, j, k, l)"),
    ("z", "abcdefghijklm", "'z' (allowed: d, e, f, g, h, i, j, k, l, m, and 3 more)"),
    ("MCC", ["mcc", "mc"], "'MCC'; did you mean 'mcc'? (allowed: mc, mcc)"),
    ("a", ["abcdefgh"], "'a' (allowed: abcdefgh)"),
    ("ac", ["acidity", "accuracy"], "'ac'; did you mean 'acidity'? (allowed: accuracy, acidity)"),
    (
        "abcdefx",
        ["abcdefg", "abcde"],
        "'abcdefx'; did you mean 'abcdefg'? (allowed: abcde, abcdefg)",
    ),
    ("abcdeyyy", ["abcdefgh"], "'abcdeyyy'; did you mean 'abcdefgh'? (allowed: abcdefgh)"),
    ("abcdyyyy", ["abcdefgh"], "'abcdyyyy' (allowed: abcdefgh)"),
]


@pytest.mark.parametrize(("given", "allowed", "said"), NEAREST)
def test_the_nearest_name_is_told_and_as_many_as_can_be_read(given, allowed, said):
    assert unknown("name", given, allowed) == f"unknown name {said}"


def test_what_controls_a_terminal_is_escaped_but_for_bold_and_dimmed_text():
    assert printable("\x1b[1ma\x07\x1b[0mb\x1b[2J") == "\x1b[1ma\\u0007\x1b[0mb\\u001b[2J"


def test_things_are_listed_as_sentences_list_them():
    assert [joined("abc"[:n], "or") for n in range(4)] == ["", "a", "a or b", "a, b or c"]
    assert [some(range(n)) for n in (2, 5, 6)] == ["0, 1", "0, 1, 2, 3, 4", "0, 1, 2, 3, 4, …"]


def test_a_problem_is_told_by_the_names_that_were_given():
    problem = Problem(("datasets", "d", "truth", 2), "no label")
    assert str(problem) == "datasets.d.truth[2]: no label"
    assert str(named(problem, {"truth", "costs"})) == "truth[2]: no label"
    assert str(named(problem, {"alpha"})) == "no label"
    twice = Problem(("datasets", "d", "groups"), "no column"), Problem(("models", "a"), "none")
    told = [str(named(one, {"datasets", "groups"})) for one in twice]
    assert told == ["groups: no column", "none"]
    for same in (pickle.loads(pickle.dumps(problem)), problem.inside(())):
        assert str(same) == str(problem)


def test_several_problems_are_named_one_by_one():
    found = [Problem(("tests", "alpha"), "too large"), Problem(("costs",), "none")]
    error = pickle.loads(pickle.dumps(report_problems(found)))
    assert str(error) == "tests.alpha: too large\ncosts: none"
    assert str(named(error, {"alpha", "costs"})) == "alpha: too large\ncosts: none"
    assert named(UserError("plain"), {"alpha"}).args == ("plain",)

"""The rows on which two models differ, from the small tables that people can check by eye."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.flipped_rows import Kind, flipped_rows
from bakeoff.spec.experiment import run_name


def labels(truth, a, b, classes=("no", "yes"), **more):
    more.setdefault("ids", np.arange(1, len(truth) + 1))
    return PairedPredictions(
        ("a", "b"), tuple(classes), np.array(truth), np.array([a, b]).T, **more
    )


def numbers(truth, a, b, **more):
    return labels(np.array(truth, float), np.array(a, float), np.array(b, float), (), **more)


def lines(found):
    return found.frame.to_numpy().tolist()


def test_labels_that_differ_say_which_model_is_right():
    found = flipped_rows(
        labels([0, 1, 2, 2], [0, 1, 1, 2], [0, 2, 0, 2], ("x", "y", "z")), "a", "b", "accuracy"
    )
    assert (found.kind, found.n) == (Kind.LABELS, 4)
    assert list(found.frame) == ["id", "truth", "a", "b", "right"]
    assert lines(found) == [[2, "y", "y", "z", "a"], [3, "z", "y", "x", "neither"]]


def test_marks_are_ones_and_zeros_without_a_truth():
    rows = labels([1, 1, 1], [1, 0, 1], [1, 1, 0], ("wrong", "right"))
    found = flipped_rows(rows, "a", "b", "accuracy")
    assert (found.kind, list(found.frame)) == (Kind.MARKS, ["id", "a", "b"])
    assert lines(found) == [[2, 0, 1], [3, 1, 0]]
    # classes in the order of their names, as a file of results has them
    rows = labels([0, 0, 0], [0, 1, 0], [0, 0, 1], ("right", "wrong"))
    assert lines(flipped_rows(rows, "a", "b", "accuracy")) == [[2, 0, 1], [3, 1, 0]]


def test_of_several_runs_of_an_item_the_mean_mark_counts():
    items = np.array(["q1", "q1", "q2", "q2", "q10", "q10"], dtype=object)
    ids = np.array([f"{item} run {i % 2}" for i, item in enumerate(items)], dtype=object)
    rows = labels(
        [1] * 6, [1, 0, 1, 1, 0, 1], [0, 1, 1, 0, 0, 0], ("wrong", "right"), ids=ids, items=items
    )
    found = flipped_rows(rows, "a", "b", "accuracy")
    assert (found.n, found.noun) == (3, "item")
    # one right run of two is the same mark, whichever run it is
    assert lines(found) == [["q2", 1.0, 0.5], ["q10", 0.5, 0.0]]


def test_of_several_training_runs_the_mean_counts():
    runs = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]]).T
    rows = PairedPredictions(
        tuple(run_name(model, seed) for model in "ab" for seed in (1, 2)),
        ("no", "yes"),
        np.array([1, 1, 1]),
        runs,
        ids=np.arange(3),
    )
    found = flipped_rows(rows, "a", "b", "accuracy")
    assert lines(found) == [[1, "yes", 1.0, 0.5], [2, "yes", 0.5, 1.0]]


@pytest.mark.parametrize(
    ("metric", "loss", "losses"),
    [
        ("rmse", "squared error", [[0, 9], [4, 1]]),
        ("r2", "squared error", [[0, 9], [4, 1]]),
        ("mae", "absolute error", [[0, 3], [2, 1]]),
        ("median_absolute_error", "absolute error", [[0, 3], [2, 1]]),
        ("mape", "absolute percentage error", [[0, 0.3], [0.1, 0.05]]),
    ],
)
def test_numbers_have_the_largest_difference_in_loss_first(metric, loss, losses):
    rows = numbers([30, 20, 10], [30, 22, 10], [30, 21, 13])
    found = flipped_rows(rows, "a", "b", metric)
    assert (found.kind, found.loss) == (Kind.NUMBERS, loss)
    assert found.frame["id"].tolist() == [3, 2]
    assert found.frame[["a_loss", "b_loss"]].to_numpy() == pytest.approx(np.array(losses))


def test_values_have_the_largest_difference_first_and_no_truth():
    values = np.array([[0.5, 0.4], [1, 1], [0, 0.9], [0.4, 0.5]])
    rows = PairedPredictions.from_values(("a", "b"), values, ids=np.arange(4))
    found = flipped_rows(rows, "a", "b", "credit")
    assert lines(found) == [[2, 0, 0.9], [0, 0.5, 0.4], [3, 0.4, 0.5]]


def test_rows_are_sorted_by_task_then_other_subgroups_then_id_whatever_their_order():
    ids = np.array(["10", "9", "b", "a", "2"], dtype=object)
    subgroups = {
        "site": pd.Categorical(["x", "y", "x", "x", "x"]),
        "task": pd.Categorical(["t2", "t1", "t1", "t1", None]),
    }
    rows = labels([1] * 5, [1] * 5, [0] * 5, ids=ids, subgroups=subgroups)
    found = flipped_rows(rows, "a", "b", "accuracy")
    assert found.frame["id"].tolist() == ["a", "b", "9", "10", "2"]
    shuffled = np.random.default_rng(0).permutation(5)
    again = labels(
        [1] * 5, [1] * 5, [0] * 5,
        ids=ids[shuffled],
        subgroups={name: column[shuffled] for name, column in subgroups.items()},
    )  # fmt: skip
    other = flipped_rows(again, "a", "b", "accuracy")
    assert other.frame["id"].tolist() == found.frame["id"].tolist()


@pytest.mark.parametrize(
    "ids",
    [
        ["i1", "i2", "i10"],
        ["task/2/1", "task/2/03", "task/2/12", "task/10/0"],
        ["1a", "2", "10", "b"],
        [f"x{'9' * 5000}", f"x1{'0' * 5000}"],
    ],
)
def test_numbers_within_texts_are_sorted_by_value(ids):
    given = np.array(ids[::-1], dtype=object)
    found = flipped_rows(
        labels([1] * len(ids), [1] * len(ids), [0] * len(ids), ids=given), "a", "b", "accuracy"
    )
    assert found.frame["id"].tolist() == ids


def test_whole_numbers_among_ids_are_sorted_by_value():
    rows = labels([1] * 3, [1] * 3, [0] * 3, ids=np.array(["10", "9", "007"], dtype=object))
    assert flipped_rows(rows, "a", "b", "accuracy").frame["id"].tolist() == ["007", "9", "10"]

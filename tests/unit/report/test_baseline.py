"""Models against a constant answer, and scores that are too good."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from studies import experiment, ran

from bakeoff.api.plain_data import as_plain
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.baseline import baseline
from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.verdict import answer
from bakeoff.stats import ArgumentError, corrected_resampled_t, metric_difference


def study(a=0.95, b=0.62, *, resampling=None, datasets=("d",), **more):
    """Make a study of 60 % no and 40 % yes, where `a` beats always no and `b` hardly does."""
    tests = ("mcnemar",) if resampling == {"holdout": {}} else ("cv5x2_f", "mcnemar")
    how = {"resampling": resampling} if resampling else {}
    means = {"a": a, "b": b}
    right = {name: float(np.mean(each)) for name, each in means.items()}
    spec = experiment(("a", "b"), datasets=datasets, tests=tests, **how, **more)
    return ran(spec, means, accuracies=right)


def test_folds_are_compared_by_the_corrected_t_test():
    one = study()
    found = baseline(one, "accuracy", "d")
    assert (found.answer, found.score, found.trained) == ("no", pytest.approx(0.6), True)
    own = one.scores.query("plan == 'cv_5x2' and model == 'b'").sort_values(["repeat", "fold"])
    values = own["value"].to_numpy()
    wanted = corrected_resampled_t(values, np.full_like(values, 0.6), n_train=100, n_test=100)
    (line,) = (line for line in found.models if line.model == "b")
    assert line.difference == pytest.approx(0.02)
    assert line.pvalue == pytest.approx(wanted.pvalue)
    assert line.pvalue_adjusted >= line.pvalue


def test_rows_are_compared_by_the_difference_of_the_metric():
    one = study(resampling={"holdout": {}})
    rows = one.test_sets["d"]
    found = baseline(one, "accuracy", "d")
    wanted = metric_difference(
        rows.truth, rows.predicted[:, 1], np.zeros(rows.n, dtype=int), labels=(0, 1), positive=1
    )
    (line,) = (line for line in found.models if line.model == "b")
    assert line.difference == pytest.approx(wanted.estimate)
    assert line.pvalue == pytest.approx(wanted.pvalue)
    assert found.open == ["b"]


ON_ROWS = {"resampling": {"holdout": {}}}
PREDICTING = (
    "which predicts 'no' for every row, has an accuracy of 0.600; b is not shown to be better"
)
LEAKS = "often a sign of leakage (a: accuracy"


@pytest.mark.parametrize(
    ("how", "said", "is_said"),
    [
        (ON_ROWS, PREDICTING, True),
        ({"b": 0.45, **ON_ROWS}, "; b is significantly worse.", True),
        (
            {"a": [0.95, 0.61], "b": [0.9, 0.605], "datasets": ("d", "e")},
            "No model is shown to be better than the baseline by accuracy on 1 of 2 data sets (e).",
            True,
        ),
        ({"a": 1.0}, LEAKS, True),
        ({"a": 0.996}, LEAKS, True),
        ({"a": 0.99}, LEAKS, False),
    ],
)
def test_what_the_verdict_says_of_the_constant_and_of_scores_that_are_too_good(how, said, is_said):
    assert (said in answer(study(**how)).text) == is_said


def test_the_verdict_says_what_holds_by_the_other_metrics():
    one = study(resampling={"holdout": {}}, metrics=["accuracy", "balanced_accuracy", "f1"])
    scores = [one.scores.assign(metric=m) for m in one.experiment.metrics]
    one = dataclasses.replace(one, scores=pd.concat(scores, ignore_index=True))
    open_by = {m: baseline(one, m, "d").open for m in one.experiment.metrics}
    # always 'yes' has an F1 of .571
    assert open_by == {"accuracy": ["b"], "balanced_accuracy": [], "f1": ["b"]}
    said = "Every model is significantly better than the baseline by balanced accuracy."
    assert said in answer(one).text
    some = dataclasses.replace(one, test_sets={"d": one.test_sets["d"].only([0])})
    assert baseline(some, "f1", "d").models[0].model == "a"
    said = "a is significantly better than the baseline by balanced accuracy and F1 for class yes."
    assert said in answer(some).text


def test_a_comparison_that_is_refused_is_undecided_as_every_test(monkeypatch):
    one = study(resampling={"holdout": {}})

    def refuse(*_):
        raise ArgumentError("y_true", "too many classes")

    monkeypatch.setattr(PairedPredictions, "arguments", refuse)
    found = baseline(one, "accuracy", "d")
    assert found.open == ["a", "b"]
    assert all(math.isnan(line.pvalue) and line.ci is None for line in found.models)


def test_the_table_of_models_ends_with_it_and_the_json_has_it():
    one = study(metrics=["accuracy"])
    items = exhibits(one)
    (item,) = (item for item in items if item.kind == "models")
    last = build(item, one).rows[-1]
    assert [last[1].text, last[2].text] == ["(constant answer: no)", "0.600"]
    plain = as_plain(one, answer(one), {m: m for m in ("", "a", "b")})
    assert plain["baseline"][0]["answer"] == "no"
    assert [line["model"] for line in plain["baseline"][0]["models"]] == ["a", "b"]


def test_the_constant_answer_as_a_model_is_not_shown_to_beat_itself():
    one = study(resampling={"holdout": {}})
    rows = one.test_sets["d"]
    constant = np.column_stack([rows.predicted[:, 0], np.zeros(rows.n, dtype=int)])
    same = dataclasses.replace(one, test_sets={"d": dataclasses.replace(rows, predicted=constant)})
    (line,) = (each for each in baseline(same, "accuracy", "d").models if each.model == "b")
    assert (line.difference, line.pvalue, line.better) == (0, 1, False)


NONE = "is shown to be better than the baseline by accuracy"


@pytest.mark.parametrize(
    ("a", "b", "more", "headline", "then"),
    [
        # b is significantly worse than a, which is no better than always 'no'
        (0.61, 0.3, ON_ROWS, f"Neither model {NONE}.", "a is better than b"),
        (0.61, 0.605, {}, f"Neither model {NONE}.", "a is better than b"),
        (0.4, 0.3, ON_ROWS, "Every model is significantly worse than the baseline", "a is better"),
        (
            [0.61, 0.62],
            [0.605, 0.61],
            {"datasets": ("d", "e")},
            f"No model {NONE} on any of the 2 data sets.",
            "a has the best average rank",
        ),
        (0.95, 0.3, ON_ROWS, "a is better than b by accuracy.", "The baseline"),
        (0.95, 0.61, {}, "a is better than b by accuracy.", "The baseline"),
    ],
)
def test_it_is_the_headline_that_no_model_beats_it(a, b, more, headline, then):
    found = answer(study(a, b, **more))
    assert found.headline.startswith(headline)
    assert found.main[0].startswith(then)
    assert found.text.count("predicts 'no' for every row") <= 1

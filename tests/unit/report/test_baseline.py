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
    assert [last[0].text, last[1].text] == ["(baseline: no)", "0.600"]
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

"""What stands beside the tests: who may be the best, and a constant answer."""

import copy
import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.baseline import baseline, named_alike
from bakeoff.report.page import Page
from bakeoff.report.ranking import DRAWS, contenders
from bakeoff.report.verdict import answer
from bakeoff.stats import ArgumentError, all_pairs, corrected_resampled_t, metric_difference
from tests.unit.report.cases import scored_rows
from tests.unit.report.studies import raced


def test_one_model_is_no_contest():
    assert contenders(scored_rows("f1").only([1]), None, 0.05, 1) is None
    assert contenders(dataclasses.replace(scored_rows("f1"), metric="crps"), None, 0.05, 1) is None


@given(seed=st.integers(0, 10_000), models=st.integers(2, 6), spread=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_letters_and_who_leaves_are_as_the_p_values_say(seed, models, spread):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, models)) + np.linspace(0, spread, models)
    names = tuple(f"m{i}" for i in range(models))
    best = contenders(PairedPredictions.from_values(names, values), None, 0.05, 1)
    tiers = {line.model: set(line.tier) for line in best.models}
    pairs = all_pairs("mean_difference", values, n_resamples=DRAWS, seed=1).pairs
    for pair in pairs:
        apart = pair.pvalue_adjusted <= 0.05
        assert apart == tiers[names[pair.a]].isdisjoint(tiers[names[pair.b]])
    # who leads alone is told apart from all others
    beaten = {names[pair.b if pair.estimate > 0 else pair.a] for pair in pairs}
    assert best.models[0].model not in beaten
    # and who leaves from a better one
    for place, line in enumerate(best.models):
        apart = [b.model for b in best.models[:place] if set(b.tier).isdisjoint(line.tier)]
        assert line.stays or apart
        assert line.stays != (line.pvalue <= 0.05)


def study(tests=("mcnemar",), **more):
    """Make a study of 60 % no and 40 % yes, where `a` beats always no and `b` hardly does."""
    return raced({"a": 0.95, "b": 0.62}, tests, **more)


HELD_OUT = {"resampling": {"holdout": {}}}


def of_folds(one):
    own = one.scores.query("plan == 'cv_5x2' and model == 'b'").sort_values(["repeat", "fold"])
    values = own["value"].to_numpy()
    return corrected_resampled_t(values, np.full_like(values, 0.6), n_train=100, n_test=100)


def of_rows(one):
    rows = one.test_sets["d"]
    zeros = np.zeros(rows.n, dtype=int)
    return metric_difference(rows.truth, rows.predicted[:, 1], zeros, labels=(0, 1), positive=1)


@pytest.mark.parametrize(
    ("tests", "more", "compared", "unbeaten"),
    [(("cv5x2_f", "mcnemar"), {}, of_folds, []), (("mcnemar",), HELD_OUT, of_rows, ["b"])],
)
def test_the_baseline_is_compared_as_models_are(tests, more, compared, unbeaten):
    one = study(tests, **more)
    constant, wanted = baseline(one, "accuracy", "d"), compared(one)
    assert constant.answer == "no"
    assert constant.trained
    assert constant.score == pytest.approx(0.6)
    assert constant.open == unbeaten
    line = next(line for line in constant.models if line.model == "b")
    assert line.difference == pytest.approx(wanted.estimate)
    assert line.pvalue == pytest.approx(wanted.pvalue)
    assert line.pvalue_adjusted >= line.pvalue


def test_the_verdict_says_what_holds_by_the_other_metrics():
    one = study(**HELD_OUT, metrics=["accuracy", "balanced_accuracy", "f1"])
    scores = [one.scores.assign(metric=m) for m in one.experiment.metrics]
    one = dataclasses.replace(one, scores=pd.concat(scores, ignore_index=True))
    open_by = {m: baseline(one, m, "d").open for m in one.experiment.metrics}
    # always 'yes' has an F1 of .571
    assert open_by == {"accuracy": ["b"], "balanced_accuracy": [], "f1": ["b"]}
    better = "significantly better than the baseline"
    said = f"Every model is {better} (always 'no') by balanced accuracy."
    assert said in answer(one).sentences
    some = dataclasses.replace(one, test_sets={"d": one.test_sets["d"].only([0])})
    assert baseline(some, "f1", "d").models[0].model == "a"
    said = answer(some).sentences
    assert f"a is {better} (always 'no') by balanced accuracy." in said
    assert f"a is {better} (always 'yes') by F1 for class yes." in said


def scored_by(*metrics):
    one = study(**HELD_OUT, metrics=list(metrics))
    scores = [one.scores.assign(metric=m) for m in one.experiment.metrics]
    return dataclasses.replace(one, scores=pd.concat(scores, ignore_index=True))


def rows_of_baselines(one, table):
    """Return what stands in each column of a table, by the name of the baseline."""
    page = Page(one).tables[table]
    keys = [column.key for column in page.columns]
    cells = {row[0].text: dict(zip(keys, row, strict=True)) for row in page.rows}
    return {
        name: {key: cell.raw for key, cell in row.items() if cell.text not in (name, "–")}
        for name, row in cells.items()
        if name.startswith("(baseline")
    }


def test_every_score_of_a_constant_stands_by_the_name_of_the_constant_that_has_it():
    one = scored_by("accuracy", "f1", "balanced_accuracy", "recall", "log_loss")
    assert set(rows_of_baselines(one, "models")) == {"(baseline: always 'no')"}
    found = rows_of_baselines(one, "metrics")
    assert {name: sorted(row) for name, row in found.items()} == {
        "(baseline: always 'no')": ["mean_balanced_accuracy"],
        "(baseline: always 'yes')": ["mean_f1", "mean_recall"],
        "(baseline: class shares)": ["mean_log_loss"],
    }
    always_yes = found["(baseline: always 'yes')"]
    assert always_yes["mean_f1"] == pytest.approx(2 * 0.4 / 1.4)
    for metric in one.experiment.metrics:
        of_it = baseline(one, metric, "d")
        alone = rows_of_baselines(scored_by(metric), "models")
        assert list(alone) == [f"(baseline: {of_it.label})"]


def test_no_model_is_tested_against_a_constant_that_has_the_best_possible_value():
    one = scored_by("recall", "accuracy")
    constant = baseline(one, "recall", "d")
    assert (constant.label, constant.score, constant.perfect) == ("always 'yes'", 1, True)
    assert constant.models == ()
    verdict = answer(one)
    assert "baseline" not in verdict.headline
    (said,) = (text for text in verdict.sentences if text.startswith("The baseline, which"))
    assert said == (
        "The baseline, which predicts 'yes' for every row, has a recall for class yes of 1.000; no "
        "value is better, so that no model was tested against it."
    )


def test_a_baseline_that_depends_on_the_fold_is_named_after_no_class():
    one = study(("cv5x2_f",))
    divisions = copy.deepcopy(one.divisions)
    for division in divisions:
        for part in division["parts"][::2]:
            part["train"] = {"rows": 100, "classes": {"no": 40, "yes": 60}}
    one = dataclasses.replace(one, divisions=divisions)
    constant = baseline(one, "accuracy", "d")
    assert constant.label == "best class of the training rows"
    assert sorted(set(constant.scores)) == pytest.approx([0.4, 0.6])


def test_the_baseline_of_data_sets_has_the_name_that_theirs_share():
    of_a = baseline(study(), "accuracy", "d")
    assert named_alike([of_a, of_a]) == "always 'no'"
    assert named_alike([of_a, dataclasses.replace(of_a, label="always 'yes'")]) == ""


def test_a_comparison_that_is_refused_is_undecided_as_every_test(monkeypatch):
    one = study(**HELD_OUT)

    def refuse(*_):
        raise ArgumentError("y_true", "too many classes")

    for name in ("arguments", "matrix"):
        monkeypatch.setattr(PairedPredictions, name, refuse)
    constant = baseline(one, "accuracy", "d")
    assert constant.open == ["a", "b"]
    assert all(math.isnan(line.pvalue) and line.ci is None for line in constant.models)


def test_the_constant_answer_as_a_model_is_not_shown_to_beat_itself():
    one = study(**HELD_OUT)
    rows = one.test_sets["d"]
    constant = np.column_stack([rows.predicted[:, 0], np.zeros(rows.n, dtype=int)])
    same = dataclasses.replace(one, test_sets={"d": dataclasses.replace(rows, predicted=constant)})
    (line,) = (each for each in baseline(same, "accuracy", "d").models if each.model == "b")
    assert (line.difference, line.pvalue, line.better) == (0, 1, False)

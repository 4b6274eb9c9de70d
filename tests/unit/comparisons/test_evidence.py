"""What is cut from collected files, and the score of each data set and model."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bakeoff.comparisons import collected
from bakeoff.comparisons.collected import fold_scores, read_predictions, read_scores
from bakeoff.comparisons.run_tests import matrices
from bakeoff.comparisons.score_matrix import Hole, check_holes, complete, score_matrix
from bakeoff.comparisons.settings import planned
from bakeoff.errors import UserError
from bakeoff.spec import AnalysisPlan, HypothesisTests, PlannedTest
from bakeoff.spec.resampling import Halves, KFold
from bakeoff.stats import Evidence, catalogue
from tests.unit.comparisons.conftest import analysis
from tests.unit.report.studies import labelled


def read(folder, models=("2", "nan"), *, sizes=True):
    """Read scores of models whose names look like numbers and like nothing."""
    parts = itertools.product(("2", "nan"), (1, 2), (1, 2, 3))
    table = pd.DataFrame(parts, columns=["model", "repeat", "fold"]).assign(dataset=1, plan="kfold")
    table["n_train"], table["n_test"] = (80 + table["fold"], 20) if sizes else ("", "")
    table = table.assign(metric="f1", undefined="", value=np.arange(len(table)) / 7)
    table.sample(frac=1, random_state=0).to_csv(folder / "s.csv", index=False)
    return fold_scores(read_scores(folder / "s.csv"), list(models), "f1")


def test_scores_are_paired_by_repeat_and_fold(tmp_path):
    folds = read(tmp_path)
    expected = np.arange(12).reshape(2, 2, 3) / 7
    np.testing.assert_array_equal(folds.values, np.moveaxis(expected, 0, -1))
    np.testing.assert_array_equal(folds.n_train, [[81, 82, 83]] * 2)
    assert (folds.reasons, folds.left_out) == (("", ""), ())
    assert read(tmp_path, ("2", "gone")).left_out == ("gone has no results here",)
    with pytest.raises(UserError, match="the scores of f1 are not complete"):
        fold_scores(read_scores(tmp_path / "s.csv").iloc[1:], ["2", "nan"], "f1")


def test_tests_that_need_the_sizes_say_so(tmp_path):
    folds = read(tmp_path, sizes=False)
    assert folds.managed(catalogue()["anova_repeated_measures"]) == {}
    with pytest.raises(UserError, match="corrected_resampled_t needs the sizes"):
        folds.managed(catalogue()["corrected_resampled_t"])


def test_scores_and_sizes_have_the_shape_that_a_test_wants(tmp_path):
    folds, wanted = read(tmp_path), {"corrected_repeated_kfold_t": (2, 3)}
    for name, shape in (wanted | {"corrected_resampled_t": (6,)}).items():
        entry = catalogue()[name]
        arrays = (*folds.arguments(entry, [0, 1]), *folds.managed(entry).values())
        assert [array.shape for array in arrays] == [shape] * 4


def test_a_test_set_is_read_with_its_classes(tmp_path, monkeypatch):
    labels = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.int32()), pa.array(["no", "yes"])
    )
    columns = {":row_id": [1, 2, 3], ":y_true": labels, "a": labels, "b": labels}
    pq.write_table(pa.table({**columns, "a:yes": [0.1, 0.9, 0.2]}), tmp_path / "p.parquet")
    found = read_predictions(tmp_path / "p.parquet", ["a", "b", "gone"], ["roc_auc"])
    assert found.classes == ("no", "yes")
    assert found.models == ("a", "b")
    assert found.correct.all()
    np.testing.assert_array_equal(found.scores[:, 0], [0.1, 0.9, 0.2])
    whole = {"a:no": [0.9, 0.1, 0.8], "a:yes": [0.1, 0.9, 0.2]}
    pq.write_table(pa.table({**columns, **whole, "b:yes": [1.0, 2.0, 3.0]}), tmp_path / "q.parquet")
    both = read_predictions(tmp_path / "q.parquet", ["a", "b"], ["log_loss"]).probabilities
    assert np.isnan(both).all(axis=(0, 2)).tolist() == [False, True]
    assert np.isnan(found.scores[:, 1]).all()
    assert found.left_out == ("gone has no results here",)
    monkeypatch.setattr(collected, "_AT_ONCE", 1)  # model by model
    again = read_predictions(tmp_path / "q.parquet", ["a", "b"], ["log_loss"]).probabilities
    np.testing.assert_array_equal(again, both)
    (alone,) = read_predictions(tmp_path / "p.parquet", ["a"], ["roc_auc"]).scores.T
    np.testing.assert_array_equal(alone, [0.1, 0.9, 0.2])


def test_labels_become_codes_of_sorted_classes():
    made = labelled(["a", "b"], ["no", "yes", "no"], [["no", "no", "maybe"], ["no", "yes", "no"]])
    assert made.classes == ("maybe", "no", "yes")
    np.testing.assert_array_equal(made.truth, [1, 2, 1])
    np.testing.assert_array_equal(made.correct, [[True, True], [False, True], [False, True]])
    np.testing.assert_array_equal(made.confusion("a"), [[0, 0, 0], [1, 1, 0], [0, 1, 0]])
    labels = made.arguments(catalogue()["cost_sensitive"], [0])
    assert [list(part) for part in labels] == [["no", "yes", "no"], ["no", "no", "maybe"]]


@pytest.mark.parametrize("evidence", list(Evidence))
def test_a_plan_knows_kinds_of_evidence_as_the_catalogue_does(evidence):
    test = PlannedTest(name="any", evidence=evidence.value)
    assert test.on_predictions == (evidence.on_rows or evidence is Evidence.FOLD_ROWS)
    assert test.on_datasets == (evidence is Evidence.DATASETS)


MODELS, DATASETS = ["a", "b", "c"], ["x", "y", "z"]


def scores(*gaps):
    """Return scores of three models on two folds of three data sets, some undefined."""
    cells = [*itertools.product(DATASETS, MODELS, (1, 2))]
    table = pd.DataFrame(cells, columns=["dataset", "model", "fold"])
    table = table.assign(plan="kfold", repeat=1, metric="f1", undefined="")
    table["value"] = [DATASETS.index(d) + 10 * MODELS.index(m) + f / 10 for d, m, f in cells]
    gone = [cell in gaps for cell in cells]
    table.loc[gone, ["value", "undefined"]] = np.nan, "no row is positive"
    return table


def matrix(table):
    plans = {"kfold": KFold.model_validate({"folds": 2})}
    return score_matrix(table, DATASETS, MODELS, ["f1"], plans)


def test_a_cell_is_the_mean_over_the_folds():
    table, holes = matrix(scores())
    assert holes == []
    assert list(table.columns) == ["plan", "metric", "dataset", "a", "b", "c"]
    np.testing.assert_allclose(
        table[MODELS], np.add.outer(np.arange(3), 10 * np.arange(3)) + 0.15, rtol=1e-12
    )


def test_a_cell_of_halves_is_the_mean_inside_the_halves():
    plan = Halves.model_validate({"repeats": 2, "folds": 3, "full_repeats": 1})
    one = {"dataset": "x", "model": "a", "plan": "halves", "metric": "f1", "undefined": ""}
    rows = [{**one, "repeat": r, "fold": f, "value": r} for r, f in plan.splits()]
    table, holes = score_matrix(pd.DataFrame(rows), ["x"], ["a"], ["f1"], {"halves": plan})
    assert holes == []
    assert table["a"].tolist() == [2.5]  # and not 3, with the cross-validation of all rows


def test_a_cell_without_all_of_its_folds_is_missing():
    table, holes = matrix(scores(("y", "b", 2)))
    assert np.argwhere(table[MODELS].isna().to_numpy()).tolist() == [[1, 1]]
    assert holes == [Hole("kfold", "f1", "y", "b", "no row is positive")]
    every = scores()
    _, holes = matrix(every[~((every["dataset"] == "z") & (every["model"] == "c"))])
    assert [str(hole) for hole in holes] == ["c has no f1 on z (no fit)"]
    _, holes = matrix(every.iloc[1:])
    assert [(hole.dataset, hole.model) for hole in holes] == [("x", "a")]


def test_what_lacks_a_score_is_left_out():
    table, holes = matrix(scores(("y", "b", 2)))
    found = complete(analysis(), "f1", table.set_index("dataset")[MODELS], "drop_dataset", holes)
    assert (found.models, found.datasets) == (tuple("abc"), tuple("xz"))
    assert found.left_out == ("data set y was left out: b has no f1 on y (no row is positive)",)
    gone = [Hole("kfold", "f1", "y", model, "no fit") for model in "abcd"]
    for n, more in (3, ""), (4, "; ..."):
        given = table.set_index("dataset")[MODELS], "drop_dataset", gone[:n]
        (note,) = complete(analysis(), "f1", *given).left_out
        assert (
            note.removeprefix("data set y was left out: ") == "; ".join(map(str, gone[:3])) + more
        )
    empty = complete(analysis(), "f1", table.set_index("dataset")[MODELS] * np.nan, "drop_dataset")
    assert (empty.n, empty.missing([0, 1])) == (
        0,
        "no data set is left that every model has a score on",
    )
    kept = complete(analysis(), "f1", table.set_index("dataset")[MODELS], "keep", holes)
    assert (kept.values.shape, kept.left_out) == ((3, 3), ())
    assert kept.missing([0, 1]) == "scores are missing on 1 data set(s)"


GAPS = [
    ("a", "1 missing score was ranked last, as failures"),
    ("aeghi", "2 missing scores were ranked last, as failures"),
    ("aeghi", "1 data set without scores of any model was left out"),
    ("abcghi", "2 data sets without scores of any model were left out"),
]


@pytest.mark.parametrize(("gaps", "said"), GAPS)
def test_missing_scores_are_counted_in_the_notes(gaps, said):
    values = np.arange(15.0)
    values[["abcdefghi".index(cell) for cell in gaps]] = np.nan
    table = pd.DataFrame(values.reshape(5, 3), list("vwxyz"), MODELS)
    notes = complete(analysis(), "f1", table, "failed").left_out
    assert said in notes
    assert len(notes) == sum(one == gaps for one, _ in GAPS)


def test_missing_cells_stop_the_run_where_a_test_needs_them():
    _, holes = matrix(scores(("y", "b", 2)))
    with pytest.raises(UserError, match=r"b has no f1 on y \(no row is positive\).*drop_dataset"):
        check_holes(holes, {("kfold", "f1")}, "error")
    check_holes(holes, {("kfold", "accuracy")}, "error")
    check_holes(holes, {("kfold", "f1")}, "drop_dataset")


def test_data_sets_with_excluded_models_are_left_out_by_default():
    excluded = {"on_error": "exclude"}
    failed = excluded | {"tests": {"missing_cells": "failed"}}
    for facts, policy in ({}, "error"), (excluded, "drop_dataset"), (failed, "failed"):
        assert analysis(**facts).missing_cells == policy


@pytest.mark.parametrize("options", [{}, {"missing": "omit"}], ids=["all", "omit"])
def test_what_must_be_complete(options):
    wanted = [("friedman", "kfold"), ("kruskal_wallis", "holdout"), ("cv5x2_f", "cv_5x2")]
    settings = HypothesisTests.model_validate({"options": {"kruskal_wallis": options}})
    tests = [planned(catalogue()[name], settings).on(plan, ("f1",)) for name, plan in wanted]
    plans = ["kfold"] if options else ["kfold", "holdout"]
    assert matrices(AnalysisPlan(tests)) == {(plan, "f1") for plan in plans}

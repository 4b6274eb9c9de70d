"""What is cut from collected files: shapes, sizes, and models that are not there."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bakeoff.comparisons.read_evidence import fold_scores, read_predictions, read_scores
from bakeoff.errors import UserError
from bakeoff.spec import PlannedTest
from bakeoff.stats import Evidence, catalogue
from tests.unit.report.studies import labelled

COLUMNS = ["dataset", "model", "plan", "repeat", "fold", "n_train", "n_test"]


def written(path, *, sizes=True, models=("2", "nan")):
    """Write scores of models whose names look like numbers and like nothing."""
    rows = [
        [1, model, "kfold", repeat, fold, 80 + fold if sizes else "", 20 if sizes else ""]
        for model in models
        for repeat in (1, 2)
        for fold in (1, 2, 3)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["metric"], table["undefined"] = "f1", ""
    table["value"] = np.arange(len(table)) / 7
    table.sample(frac=1, random_state=0).to_csv(path, index=False)
    return path


def read(path, models=("2", "nan"), **how):
    return fold_scores(read_scores(written(path / "s.csv", **how)), list(models), "f1")


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


def test_scores_have_the_shape_that_a_test_wants(tmp_path):
    folds, wanted = read(tmp_path), {"corrected_repeated_kfold_t": (2, 3)}
    for name, shape in (wanted | {"corrected_resampled_t": (6,)}).items():
        entry = catalogue()[name]
        assert [a.shape for a in folds.arguments(entry, [0, 1])] == [shape] * 2
        sizes = folds.managed(entry)
        assert {key: sizes[key].shape for key in ("n_train", "n_test")} == {
            "n_train": shape,
            "n_test": shape,
        }


def test_a_test_set_is_read_with_its_classes(tmp_path):
    labels = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.int32()), pa.array(["no", "yes"])
    )
    columns = {"row_id": [1, 2, 3], "y_true": labels, "a": labels, "b": labels}
    pq.write_table(pa.table({**columns, "a:yes": [0.1, 0.9, 0.2]}), tmp_path / "p.parquet")
    found = read_predictions(tmp_path / "p.parquet", ["a", "b", "gone"], ["roc_auc"])
    assert found.classes == ("no", "yes")
    assert found.models == ("a", "b")
    assert found.correct.all()
    np.testing.assert_array_equal(found.scores[:, 0], [0.1, 0.9, 0.2])
    assert np.isnan(found.scores[:, 1]).all()
    assert found.left_out == ("gone has no results here",)


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
    assert test.on_rows == evidence.on_rows
    assert test.on_fold_rows == (evidence is Evidence.FOLD_ROWS)
    assert test.on_datasets == (evidence is Evidence.DATASETS)

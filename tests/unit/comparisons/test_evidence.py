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


def test_scores_are_paired_by_repeat_and_fold(tmp_path):
    found = fold_scores(read_scores(written(tmp_path / "s.csv")), ["2", "nan"], "f1")
    expected = np.arange(12).reshape(2, 2, 3) / 7
    np.testing.assert_array_equal(found.values, np.moveaxis(expected, 0, -1))
    np.testing.assert_array_equal(found.n_train, [[81, 82, 83]] * 2)
    assert found.reasons == ("", "")
    assert found.left_out == ()
    scores = read_scores(written(tmp_path / "s.csv"))
    assert fold_scores(scores, ["2", "gone"], "f1").left_out == ("gone has no results here",)
    with pytest.raises(UserError, match="the scores of f1 are not complete"):
        fold_scores(scores.iloc[1:], ["2", "nan"], "f1")


def test_tests_that_need_the_sizes_say_so(tmp_path):
    found = fold_scores(read_scores(written(tmp_path / "s.csv", sizes=False)), ["2", "nan"], "f1")
    assert found.managed(catalogue()["anova_repeated_measures"]) == {}
    with pytest.raises(UserError, match="corrected_resampled_t needs the sizes"):
        found.managed(catalogue()["corrected_resampled_t"])


def test_scores_have_the_shape_that_a_test_wants(tmp_path):
    found = fold_scores(read_scores(written(tmp_path / "s.csv")), ["2", "nan"], "f1")
    repeated, flat = (
        catalogue()[n] for n in ("corrected_repeated_kfold_t", "corrected_resampled_t")
    )
    assert [a.shape for a in found.arguments(repeated, [0, 1])] == [(2, 3), (2, 3)]
    assert [a.shape for a in found.arguments(flat, [0, 1])] == [(6,), (6,)]
    assert {k: v.shape for k, v in found.managed(flat).items()} == {"n_train": (6,), "n_test": (6,)}


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

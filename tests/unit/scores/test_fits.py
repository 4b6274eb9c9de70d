"""From files of single fits to tables of scores and of rows side by side."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.collected import read_fold_predictions
from bakeoff.errors import UserError
from bakeoff.files import write_json
from bakeoff.fit.fit_task import timing_of
from bakeoff.fit.predictions import Predictions
from bakeoff.scores import collect_predictions, score_fits
from bakeoff.scores.collect import collect_fold_predictions

TRUTH = np.array([0, 1, 1, 0])
P = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]])


def written(
    path, predicted, *, truth=TRUTH, row_id=range(4), probabilities=None, decision=None, **facts
):
    known = {"dataset": "d", "model": "m", "plan": "kfold", "repeat": 1, "fold": 1, "seed": 1}
    facts = {**known, "n_train": 8, "n_test": 4, **facts}
    codes = np.array(row_id), truth, np.array(predicted)
    Predictions(*codes, ("no", "yes"), probabilities, decision, facts).write(path)
    return path


def test_rows_stand_side_by_side_with_what_ranks_them(tmp_path):
    d = np.array([[-1.0], [2.0], [0.5], [-0.1]])
    paths = {
        "tree": written(tmp_path / "a", [0, 1, 0, 0], probabilities=P),
        "svm": written(tmp_path / "b", [0, 1, 1, 0], decision=d),
        "vote": written(tmp_path / "c", [1, 1, 1, 0]),
    }
    collect_predictions(paths, tmp_path / "all.parquet")
    found = pd.read_parquet(tmp_path / "all.parquet")
    assert " ".join(found) == ":row_id :y_true tree tree:no tree:yes svm svm:yes vote"
    assert found["vote"].tolist() == ["yes", "yes", "yes", "no"]
    assert found["svm:yes"].tolist() == d[:, 0].tolist()
    assert found["tree:no"].tolist() == P[:, 0].tolist()
    collect_predictions({}, tmp_path / "none.parquet")
    found = pd.read_parquet(tmp_path / "none.parquet")
    assert (list(found), len(found)) == ([":row_id", ":y_true"], 0)


def test_folds_stand_below_one_another_with_what_all_of_them_have(tmp_path):
    # a search over kinds of models chose one with probabilities in one fold alone
    second = {"fold": 2, "repeat": 3, "row_id": [4, 5, 6, 7]}
    first = [written(tmp_path / name, [0, 1, 0, 0], probabilities=P) for name in "ab"]
    some = [first[0], written(tmp_path / "c", [0, 0, 1, 1], **second)]
    every = [first[1], written(tmp_path / "d", [0, 0, 1, 1], probabilities=P, **second)]
    collect_fold_predictions({"s": some, "m": every}, tmp_path / "all.parquet")
    found = pd.read_parquet(tmp_path / "all.parquet")
    assert list(found) == [":repeat", ":fold", ":row_id", ":y_true", "s", "m", "m:no", "m:yes"]
    assert found["s"].tolist() == ["no", "yes", "no", "no", "no", "no", "yes", "yes"]
    assert found[":repeat"].tolist() == [1] * 4 + [3] * 4
    assert found[":fold"].tolist() == [1] * 4 + [2] * 4
    assert found[":row_id"].tolist() == list(range(8))


def test_rows_that_no_fold_tests_are_listed_with_their_truth(tmp_path):
    part = written(tmp_path / "a", [0, 1, 0, 0], probabilities=P)
    untested = pd.DataFrame(
        {
            ":repeat": np.int32([1, 1]),
            ":fold": np.int32([0, -1]),
            ":row_id": [8, 9],
            ":y_true": ["yes", "no"],
        }
    )
    collect_fold_predictions({"m": [part]}, tmp_path / "all.parquet", untested=untested)
    found = pd.read_parquet(tmp_path / "all.parquet").tail(2)
    assert found[[":fold", ":row_id", ":y_true"]].to_numpy().tolist() == [
        [0, 8, "yes"],
        [-1, 9, "no"],
    ]
    assert found[["m", "m:no"]].isna().all(axis=None)
    folds = read_fold_predictions(tmp_path / "all.parquet", ["m"], ["log_loss"])
    assert folds.fold.tolist() == [[1, 1, 1, 1, 0]]  # that which is never used is no row
    assert folds.truth.tolist()[-1] == folds.classes.index("yes")
    assert folds.by("log_loss").rows(0).scores.shape == (1,)


OTHERS = ([10, 11, 12, 13], r"0, 1, 2, 10, 11, 12\)"), ([1, 0, 2, 3], "their order")


@pytest.mark.parametrize(("rows", "told"), OTHERS)
def test_other_rows_are_not_paired(tmp_path, rows, told):
    a = written(tmp_path / "a", [0, 1, 0, 0])
    b = written(tmp_path / "b", [0, 1, 0, 0], row_id=rows)
    with pytest.raises(UserError, match=f"first that differ: {told}"):
        collect_predictions({"a": a, "b": b}, tmp_path / "all.parquet")
    assert not (tmp_path / "all.parquet").exists()


def test_folds_and_the_holdout_take_the_mean_over_seeds(tmp_path):
    right, half = [0, 1, 1, 0], [0, 1, 0, 1]
    files = [
        written(tmp_path / "1", right, seed=1),
        written(tmp_path / "2", half, seed=2),
        written(tmp_path / "3", half, seed=1, plan="holdout"),
        written(tmp_path / "4", right, seed=2, plan="holdout"),
    ]
    write_json(timing_of(files[1]), {"fit_seconds": 0.5, "predict_seconds": 0.1})
    scores, timings = score_fits(files, ["accuracy", "roc_auc"])
    values = scores.set_index(["plan", "metric"])["value"]
    assert values["kfold", "accuracy"] == 0.75
    assert values["holdout", "accuracy"] == 0.75
    lacking = "the model gives neither probabilities nor decision values"
    assert scores["undefined"].tolist()[:2] == ["", lacking]
    assert timings["seed"].tolist() == [1, 2, 1, 2]
    assert timings["fit_seconds"].notna().tolist() == [False, True, False, False]
    assert len(scores) == 4

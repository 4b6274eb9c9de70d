"""Predictions of all folds of a plan from elsewhere: evidence as if the models were fitted here."""

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from bakeoff.comparisons import plan_tests, run_planned
from bakeoff.data.given_predictions import divide, load
from bakeoff.data.splits import divisions
from bakeoff.scores import score_fits
from bakeoff.scores.collect import collect_fold_predictions
from bakeoff.scores.given_results import given_predictions
from bakeoff.spec import Fit, load_experiment
from tests.conftest import messages as told

ROWS = 40


def folds(repeats, count, rows=ROWS):
    rng = np.random.default_rng(repeats)
    made = [
        pd.DataFrame({"id": range(rows), "r": r, "f": rng.permutation(np.arange(rows) % count)})
        for r in range(repeats)
    ]
    return pd.concat(made, ignore_index=True)


def halves(halvings, count):
    """Divide halves of the rows into folds, and all rows once."""
    made = []
    for m in range(halvings):
        shuffled = np.random.default_rng(m).permutation(ROWS)
        for half in (shuffled[: ROWS // 2], shuffled[ROWS // 2 :]):
            made.append(
                pd.DataFrame({"id": half, "r": len(made) + 1, "f": np.arange(len(half)) % count})
            )
    last = {"id": range(ROWS), "r": len(made) + 1, "f": np.arange(ROWS) % count}
    return pd.concat([*made, pd.DataFrame(last)], ignore_index=True)


def predicted(divided, right, seed):
    """Predict each row anew in every fold, right with a certain probability."""
    truth = np.where(divided["id"] % 3 == 0, "yes", "no")
    hit = np.random.default_rng(seed).random(len(divided)) < right
    other = np.where(truth == "yes", "no", "yes")
    return divided.assign(y_true=truth, y_pred=np.where(hit, truth, other))


@pytest.fixture
def made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(divided, plan, test, *, b=None):
        predicted(divided, 0.9, 1).to_csv("a.csv", index=False)
        # another order of rows, and folds under other names
        other = predicted(divided if b is None else b, 0.6, 2).sample(frac=1, random_state=0)
        other.assign(f=other["f"] + 1).to_csv("b.csv", index=False)
        return {
            "experiment": "pets",
            "models": {
                m: {"predictions": f"{m}.csv", "columns": {"repeat": "r", "fold": "f"}}
                for m in ("a", "b")
            },
            "resampling": plan,
            "tests": {"run": [test]},
        }

    return make


def predictions(experiment, plan):
    table = load("pets", experiment)
    splits = divide("pets", experiment, table, plan)
    found = {model: [] for model in experiment.models}
    for repeat, fold, split in divisions(splits, experiment.resampling.plans()[plan]):
        for model, paths in found.items():
            fit = Fit("pets", model, plan, repeat, fold)
            paths.append(f"{model}.{repeat}.{fold}.parquet")
            given_predictions(fit, experiment, table, split).write(paths[-1])
    return found


def comparison(config, plan):
    assert told(config) == ""
    experiment = load_experiment(config)
    _, (chosen,) = plan_tests(experiment)
    paths = predictions(experiment, plan)
    if chosen.on_fold_rows:
        collect_fold_predictions(paths, "rows.parquet")
    else:
        scores, _ = score_fits([p for own in paths.values() for p in own], ["accuracy"])
        scores.to_csv("rows.parquet", index=False)
    return run_planned(chosen, experiment, {"pets": "rows.parquet"})[0].to_dict()["result"]


def fold_scores(name, divided):
    """Return a model's accuracy on every fold, repeats below one another."""
    own = pd.read_csv(f"{name}.csv").assign(hit=lambda t: t["y_true"] == t["y_pred"])
    return own.groupby(["r", "f"])["hit"].mean().unstack().to_numpy()


def test_rows_of_folds_feed_the_test_of_5x2cv(made):
    divided = folds(5, 2)
    found = comparison(made(divided, {"cv_5x2": {}}, "cv5x2_mcnemar"), "cv_5x2")
    wide = {}
    for model in ("a", "b"):
        own = pd.read_csv(f"{model}.csv").assign(hit=lambda t: t["y_true"] == t["y_pred"])
        wide[model] = own.pivot(index="r", columns="id", values="hit").to_numpy()
    half = divided.pivot(index="r", columns="id", values="f").to_numpy() + 1
    expected = stats.cv5x2_mcnemar(half, wide["a"], wide["b"])
    assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-12)
    assert found["estimate"] == pytest.approx(expected.estimate)


def test_scores_of_folds_feed_tests_with_their_true_sizes(made):
    divided = folds(2, 3)
    plan = {"kfold": {"folds": 3, "repeats": 2}}
    found = comparison(made(divided, plan, "corrected_repeated_kfold_t"), "kfold")
    tested = divided.groupby(["r", "f"]).size().unstack().to_numpy()
    expected = stats.corrected_repeated_kfold_t(
        fold_scores("a", divided),
        fold_scores("b", divided),
        n_train=ROWS - tested,
        n_test=tested,
    )
    assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-12)


def test_halves_and_random_divisions_are_taken_too(made):
    plan = {"halves": {"repeats": 2, "folds": 4, "full_repeats": 1}}
    found = comparison(made(halves(2, 4), plan, "half_sample_t"), "halves")
    assert found["df"] == 2
    tested = pd.concat(
        [
            pd.DataFrame({"id": np.random.default_rng(r).permutation(ROWS)[:10], "r": r, "f": 0})
            for r in range(4)
        ]
    )
    config = made(tested, {"resampled": {"repeats": 4}}, "resampled_t")
    del config["models"]["a"]["columns"]["fold"]
    assert comparison(config, "resampled")["n"] == 4


@pytest.mark.parametrize(
    ("divided", "plan", "message"),
    [
        (folds(1, 3), {"kfold": {"folds": 4}}, "'a.csv' has 1 repeat(s) of 3 fold(s), kfold has 1"),
        (
            folds(2, 3).iloc[1:],
            {"kfold": {"folds": 3, "repeats": 2}},
            "models.a.columns: 'a.csv': 1 of 40 rows are tested in no fold of repeat 1",
        ),
        (
            halves(2, 4).assign(id=lambda t: np.where(t["r"] == 2, (t["id"] + 1) % ROWS, t["id"])),
            {"halves": {"repeats": 2, "folds": 4, "full_repeats": 1}},
            "repeats 1 and 2 must share no row and hold all, as two halves;",
        ),
        (
            folds(5, 2),
            {"cv_5x2": {}, "kfold": {"folds": 2, "repeats": 5}},
            "models.a.columns: the folds of a are those of one plan, the experiment has cv_5x2 and",
        ),
        (
            folds(5, 2),
            {"cv_5x2": {}, "holdout": {}},
            "resampling.holdout: a brings predictions on folds, which feed no holdout",
        ),
        (
            folds(1, 3),
            {"kfold": {"folds": 3, "column": "f"}},
            "resampling.kfold.column: there are no data that hold it",
        ),
    ],
)
def test_folds_that_are_not_the_plans_are_told(made, divided, plan, message):
    found = told(made(divided, plan, "corrected_repeated_kfold_t"))
    assert message in found


def test_rows_of_other_folds_or_of_two_and_no_plan_are_told(made):
    two, plan = folds(1, 2), {"kfold": {"folds": 2}}
    theirs = two.assign(f=two["f"].where(two.index > 1, 1 - two["f"]))
    told_of_other = told(made(two, plan, "corrected_kfold_t", b=theirs))
    assert "models.b.predictions: 'b.csv' has" in told_of_other
    assert "the test set, repeat 1, fold 1, of pets" in told_of_other
    twice = pd.concat([two, two.iloc[[3]].assign(f=lambda t: 1 - t["f"])])
    config = made(twice, plan, "corrected_kfold_t")
    assert "1 of its rows are tested in two folds of repeat 1: 3" in told(config)
    del config["resampling"]
    assert "`resampling:` must say which plan the folds come from" in told(config)


def test_given_folds_mix_with_fits_on_the_same_folds(made):
    divided = folds(1, 3)
    config = made(divided, {"kfold": {"folds": 3, "column": "f"}}, "corrected_kfold_t")
    x = np.random.default_rng(0).normal(size=ROWS)
    predicted(divided, 1, 0).assign(x=x).drop(columns=["r", "y_pred"]).to_csv("d.csv", index=False)
    data = {"source": "file", "path": "d.csv", "target": "y_true", "id": "id"}
    config["datasets"] = {"pets": data}
    config["models"]["lda"] = {
        "estimator": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
    }
    assert told(config) == ""
    config["resampling"] = {"kfold": {"folds": 3}}
    assert "the test set, repeat 1, fold 1, of pets" in told(config)

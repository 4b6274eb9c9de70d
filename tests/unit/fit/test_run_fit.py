"""One fit: seeded, leak-free, honest about what it did."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.data import ROW_ID, TARGET, Table, make_splits
from bakeoff.data.splits import write_splits
from bakeoff.data.target import Classes
from bakeoff.files import read_json
from bakeoff.fit.estimator import assemble
from bakeoff.fit.fit_task import FitTask, timing_of
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.run_fit import run_fit
from bakeoff.seeds import derive
from bakeoff.spec import Fit
from bakeoff.spec.models import Model
from bakeoff.spec.resampling import Holdout

FIT = Fit("d", "m", "holdout", 1, 1)


def model(estimator, **keys):
    return Model.model_validate({"estimator": estimator, **keys})


def mixed_frame(n=80):
    """Return numbers, categories, dates and gaps: what data look like."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    size = (y + rng.normal(size=n)).round(3)
    size[::7] = np.nan
    colour = pd.Series(rng.choice(["red", "green", "blue"], n)).where(rng.random(n) > 0.1)
    return pd.DataFrame(
        {
            ROW_ID: np.arange(100, 100 + n),
            TARGET: np.where(y == 1, "yes", "no"),
            "size": size,
            "colour": colour,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "flag": rng.random(n) > 0.5,
        }
    )


@pytest.fixture
def paths(tmp_path):
    table = Table(mixed_frame(), Classes(("no", "yes")))
    table.write(tmp_path / "d.parquet", tmp_path / "d.json")
    splits = make_splits("d", table, "holdout", Holdout.model_validate({}), 1)
    write_splits(tmp_path / "s.parquet", splits)
    return {"data": tmp_path / "d.parquet", "splits": tmp_path / "s.parquet"}


MODELS = [
    "sklearn.linear_model.LogisticRegression",
    "sklearn.ensemble.RandomForestClassifier",
    "sklearn.ensemble.HistGradientBoostingClassifier",
    "sklearn.neighbors.KNeighborsClassifier",
    "sklearn.svm.LinearSVC",
    "xgboost.XGBClassifier",
]


@pytest.mark.parametrize("estimator", MODELS)
def test_mixed_columns_and_gaps_just_work(estimator, paths, tmp_path):
    run_fit(FitTask(FIT, model(estimator), 1, **paths, output=tmp_path / "p.parquet"))
    found = Predictions.read(tmp_path / "p.parquet")
    assert found.classes == ("no", "yes")
    assert len(found.y_true) == 24
    assert set(found.row_id) <= set(range(100, 180))
    if found.probabilities is None:
        assert found.decision is not None
        assert found.decision.shape == (24, 1)
    else:
        assert found.probabilities.sum(axis=1) == pytest.approx(1)
    timing = read_json(timing_of(tmp_path / "p.parquet"))
    assert timing["fit_seconds"] > 0
    assert timing["peak_memory_mb"] > 1
    assert not timing.keys() & found.facts.keys()
    assert {"python", "numpy", "scikit-learn"} <= set(found.facts["versions"])
    if "xgboost" in estimator:
        assert {"xgboost", "xgboost-cpu"} & set(found.facts["versions"])


@pytest.mark.parametrize("estimator", MODELS[1:4])
def test_same_fit_twice_gives_the_same_predictions(estimator, paths, tmp_path):
    outcomes = []
    for seed in (1, 1, 2):
        np.random.rand()  # noqa: NPY002  what ran before must not matter
        run_fit(FitTask(FIT, model(estimator), seed, **paths, output=tmp_path / "p"))
        outcomes.append(Predictions.read(tmp_path / "p").probabilities)
    np.testing.assert_array_equal(*outcomes[:2])
    assert np.array_equal(*outcomes[1:]) == (estimator not in MODELS[1])


def test_what_a_model_says_reaches_its_estimator():
    frame = pd.DataFrame({"x": [1.0]})

    def made(estimator, **keys):
        return assemble(model(estimator, **keys), frame, derive(1, "fit"))

    assert made(MODELS[1], params={"random_state": 5}).random_state == 5
    assert made(MODELS[1]).random_state is not None
    assert (made(MODELS[5]).n_jobs, made(MODELS[1], threads=2).n_jobs) == (1, 2)
    assert type(made(MODELS[0], preprocessing="none")).__name__ == "LogisticRegression"
    neighbours = {"estimator": MODELS[3], "params": {"n_neighbors": 3}}
    bagging = made("sklearn.ensemble.BaggingClassifier", params={"estimator": neighbours})
    assert bagging[-1].estimator.n_neighbors == 3


def test_preprocessing_is_fitted_on_training_rows_only(paths, tmp_path, monkeypatch):
    seen = []
    from sklearn.preprocessing import StandardScaler

    original = StandardScaler.fit
    monkeypatch.setattr(
        StandardScaler,
        "fit",
        lambda self, X, *a, **k: seen.append(len(X)) or original(self, X, *a, **k),
    )
    run_fit(FitTask(FIT, model(MODELS[0]), 1, **paths, output=tmp_path / "p"))
    assert seen == [56]


@pytest.mark.parametrize("estimator", ["ensemble.HistGradientBoostingClassifier", "svm.SVC"])
@pytest.mark.parametrize("other", ["number", "text"])
def test_column_without_a_value_is_no_obstacle(estimator, other):
    frame = pd.DataFrame({"x": np.arange(40.0), "empty": np.nan, "c": np.arange(40.0) % 3})
    if other == "text":
        frame["c"] = frame["c"].astype(str)
    y = np.arange(40) % 2
    plain = frame.drop(columns="empty")
    made = [
        assemble(model(f"sklearn.{estimator}"), known, derive(1)).fit(known, y).predict(known)
        for known in (frame, plain)
    ]
    np.testing.assert_array_equal(*made)


def test_class_missing_from_training_gets_probability_zero(tmp_path):
    frame = pd.DataFrame({ROW_ID: range(6), TARGET: list("aabbcc"), "x": np.arange(6.0)})
    table = Table(frame, Classes(("a", "b", "c")))
    table.write(tmp_path / "d", tmp_path / "c")
    write_splits(tmp_path / "s", pd.DataFrame({ROW_ID: range(6), "repeat-1": [0, 0, 0, 0, 1, 1]}))
    args = tmp_path / "d", tmp_path / "s", tmp_path / "p"
    run_fit(FitTask(FIT, model("xgboost.XGBClassifier", params={"n_estimators": 2}), 1, *args))
    found = Predictions.read(tmp_path / "p")
    assert (found.probabilities[:, 2] == 0).all()
    assert list(found.y_true) == [2, 2]

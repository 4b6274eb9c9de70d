"""One fit: seeded, leak-free, honest about what it did."""

import dataclasses
import logging
import os
import random
import sys
import time
import warnings
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import joblib
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from bakeoff.data import ROW_ID, TARGET, Table, make_splits, read_split
from bakeoff.data.splits import write_splits
from bakeoff.data.target import Target
from bakeoff.errors import UserError
from bakeoff.files import read_json, write_json
from bakeoff.fit.estimator import assemble
from bakeoff.fit.fit_task import FitTask, importance_of, kept_of, timing_of
from bakeoff.fit.predictions import Predictions, is_made, read_facts, stamp
from bakeoff.fit.run_fit import run_fit
from bakeoff.scores import METRICS, collect_predictions, score, score_fits
from bakeoff.scores.collect import importances
from bakeoff.seeds import derive, part_of
from bakeoff.spec import Fit
from bakeoff.spec.models import Model
from bakeoff.spec.resampling import Holdout

FIT = Fit("d", "m", "holdout", 1, 1)


def model(estimator, **keys):
    return Model.model_validate({"estimator": estimator, **keys})


def written(folder, frame, classes, splits):
    """Write a table and its divisions, and return the files."""
    Table(frame, Target(classes)).write(folder / "d", folder / "c")
    write_splits(folder / "s", splits)
    return {"data": folder / "d", "splits": folder / "s"}


def fitted(files, estimator, seed=1, *, run=1, leaving=(), **keys):
    """Do a fit and return its predictions."""
    output = files["data"].with_name("p")
    fit = FIT._replace(seed=run)
    run_fit(FitTask(fit, model(estimator, **keys), seed, **files, output=output, **dict(leaving)))
    return Predictions.read(output)


@pytest.fixture
def paths(tmp_path):
    """Write numbers, categories, dates and gaps: what data look like."""
    rng, n = np.random.default_rng(0), 80
    y = rng.integers(0, 2, n)
    size = (y + rng.normal(size=n)).round(3)
    size[::7] = np.nan
    columns = {
        ROW_ID: np.arange(100, 100 + n),
        TARGET: np.where(y == 1, "yes", "no"),
        "size": size,
        "colour": pd.Series(rng.choice(["red", "green", "blue"], n)).where(rng.random(n) > 0.1),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        "flag": rng.random(n) > 0.5,
    }
    frame, classes = pd.DataFrame(columns), ("no", "yes")
    plan = Holdout.model_validate({})
    splits = make_splits("d", Table(frame, Target(classes)), "holdout", plan, 1)
    return written(tmp_path, frame, classes, splits)


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
    begun = time.perf_counter()
    found = fitted(paths, estimator)
    whole = time.perf_counter() - begun
    assert found.classes == ("no", "yes")
    assert len(found.y_true) == 24
    assert set(found.row_id) <= set(range(100, 180))
    if found.probabilities is None:
        assert found.decision is not None
        assert found.decision.shape == (24, 1)
    else:
        assert found.probabilities.sum(axis=1) == pytest.approx(1)
    timing = read_json(timing_of(tmp_path / "p"))
    assert 0 < timing["fit_seconds"] < timing["fit_seconds"] + timing["predict_seconds"] < whole
    assert 1 < timing["peak_memory_mb"] < 2**20
    assert not timing.keys() & found.facts.keys()
    assert {"python", "numpy", "scikit-learn"} <= set(found.facts["versions"])
    if "xgboost" in estimator:
        assert {"xgboost", "xgboost-cpu"} & set(found.facts["versions"])


@pytest.mark.parametrize("estimator", MODELS[1:4])
def test_same_fit_twice_gives_the_same_predictions(estimator, paths):
    outcomes = []
    for seed in (1, 1, 2):
        np.random.rand()  # noqa: NPY002  what ran before must not matter
        outcomes.append(fitted(paths, estimator, seed).probabilities)
    np.testing.assert_array_equal(*outcomes[:2])
    assert np.array_equal(*outcomes[1:]) == (estimator not in MODELS[1])


def test_what_a_model_says_reaches_its_estimator():
    frame = pd.DataFrame({"x": [1.0]})

    def made(estimator, **keys):
        return assemble(model(estimator, **keys), frame, derive(1, "fit"))

    assert made(MODELS[1], params={"random_state": 5}).random_state == 5
    assert made(MODELS[1]).random_state is not None
    named = made(MODELS[5]), made(MODELS[1], threads=2), made(MODELS[1])
    assert [one.n_jobs for one in named] == [1, 2, None]
    assert type(made(MODELS[0], preprocessing="none")).__name__ == "LogisticRegression"
    neighbours = {"estimator": MODELS[3], "params": {"n_neighbors": 3}}
    bagging = made("sklearn.ensemble.BaggingClassifier", params={"estimator": neighbours})
    assert bagging[-1].estimator.n_neighbors == 3


def test_preprocessing_is_fitted_on_training_rows_only(paths):
    fit = StandardScaler.fit
    with mock.patch.object(StandardScaler, "fit", autospec=True, side_effect=fit) as learnt:
        fitted(paths, MODELS[0])
    assert [len(call.args[1]) for call in learnt.call_args_list] == [56]


@pytest.mark.parametrize("estimator", [MODELS[2], "sklearn.svm.SVC"])
@pytest.mark.parametrize("other", ["number", "text"])
def test_column_without_a_value_is_no_obstacle(estimator, other):
    frame = pd.DataFrame({"x": np.arange(40.0), "empty": np.nan, "c": np.arange(40.0) % 3})
    if other == "text":
        frame["c"] = frame["c"].astype(str)
    y = np.arange(40) % 2
    plain = frame.drop(columns="empty")
    made = [assemble(model(estimator), x, derive(1)).fit(x, y).predict(x) for x in (frame, plain)]
    np.testing.assert_array_equal(*made)


def test_class_missing_from_training_gets_probability_zero(tmp_path):
    frame = pd.DataFrame({ROW_ID: range(6), TARGET: list("aabbcc"), "x": np.arange(6.0)})
    splits = pd.DataFrame({ROW_ID: range(6), "repeat-1": [0, 0, 0, 0, 1, 1]})
    files = written(tmp_path, frame, ("a", "b", "c"), splits)
    found = fitted(files, "xgboost.XGBClassifier", params={"n_estimators": 2})
    assert (found.probabilities[:, 2] == 0).all()
    assert list(found.y_true) == [2, 2]


NO_LABEL, SHAPE = "for 24 of 24 rows", r"its probabilities have the shape \(24, 3\), expected"
# what an estimator makes of its predictions, and why that is refused
LABELS = {
    "outlier": (lambda y: np.full(len(y), -1), f"it predicts -1 {NO_LABEL}, .* on are 0 to 1"),
    "between": (lambda y: y + 0.5, f"it predicts [01].5 {NO_LABEL}"),
    "beyond": (lambda y: y + 2, f"it predicts [23] {NO_LABEL}"),
    "text": (lambda y: np.array(["a"] * len(y)), f"it predicts a {NO_LABEL}"),
    "lost": (lambda y: y[:-1], "it predicts 23 labels for 24 rows"),
    "floats": (lambda y: y.astype(float), ""),
    "column": (lambda y: y[:, None], ""),
}
PROBABILITIES = {
    "nan": (lambda p: p * np.nan, "it diverged: probabilities of 24 of 24 rows are not finite"),
    "three": (lambda p: np.column_stack([p, p[:, 0] * 0]), SHAPE),
    "rounded": (lambda p: p.round(2), ""),
}
NO_PROBABILITIES = {
    "sum": (lambda p: p * 0.9, 24),
    "negative": (lambda p: p + np.array([1, -1]), 24),
    "one_row": (lambda p: np.where(np.arange(len(p))[:, None] == 3, 1.0, p), 1),
}
AS_IT_IS = (np.asarray, "")


class Odd(DummyClassifier):
    def __init__(self, way="", strategy="prior"):
        super().__init__(strategy=strategy)
        self.way = way

    def predict(self, X):
        return np.asarray(LABELS.get(self.way, AS_IT_IS)[0](super().predict(X)))

    def predict_proba(self, X):
        ways = PROBABILITIES | NO_PROBABILITIES
        return np.asarray(ways.get(self.way, AS_IT_IS)[0](super().predict_proba(X)))


@pytest.fixture
def odd(paths):
    return lambda way: fitted(paths, f"{__name__}.Odd", params={"way": way}, features=["flag"])


def test_what_is_no_prediction_fails_the_fit_and_other_ways_to_write_them_are_taken(odd):
    plain = odd("")
    for way, (_, message) in (LABELS | PROBABILITIES).items():
        if message:
            with pytest.raises(UserError, match=message):
                odd(way)
        else:
            other = odd(way)
            np.testing.assert_array_equal(other.y_pred, plain.y_pred)
            np.testing.assert_allclose(other.probabilities, plain.probabilities, atol=0.006)


def test_odd_probabilities_are_undefined_where_they_are_needed_alone(odd):
    plain = odd("")
    for way, (_, rows) in NO_PROBABILITIES.items():
        other = odd(way)
        assert other.probabilities is None
        assert score(METRICS["accuracy"], other) == score(METRICS["accuracy"], plain)
        for metric in ("log_loss", "brier", "roc_auc"):
            value, why = score(METRICS[metric], other)
            assert np.isnan(value)
            assert why.startswith(f"its outputs for {rows} of 24 rows are no probabilities")


def test_seeds_that_the_parts_got_are_recorded(paths):
    nested = {"estimator": MODELS[1], "params": {"n_estimators": 2, "random_state": 7}}
    bagging = "sklearn.ensemble.BaggingClassifier"
    params = {"estimator": nested, "n_estimators": 2}
    seeds = fitted(paths, bagging, params=params, features=["flag"]).facts["random_states"]
    known = pd.DataFrame({"x": [1.0]})
    made = assemble(model(bagging, params=params), known, derive(1, "fit", *FIT[:5]))
    assert seeds == {"estimator__random_state": 7, "random_state": made.random_state}
    again = fitted(paths, bagging, run=2, params=params, features=["flag"])
    assert again.facts["random_states"]["random_state"] != made.random_state


def state():
    return {
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "path": list(sys.path),
        "filters": list(warnings.filters),
        "errors": np.geterr(),
        "sklearn": sklearn.get_config(),
        "level": logging.root.level,
        "depth": sys.getrecursionlimit(),
        "threads": [(one["filepath"], one["num_threads"]) for one in threadpool_info()],
        "python": random.getstate(),
        "numpy": np.random.get_state()[1].tolist(),  # noqa: NPY002
    }


class Litters(DecisionTreeClassifier):
    """Changes all that belongs to its process, and may fail then."""

    def __init__(self, fails=None):
        super().__init__()
        self.fails = fails

    def fit(self, X, y, sample_weight=None):
        if self.fails is None:
            return super().fit(X, y)
        assert all(one["num_threads"] == 1 for one in threadpool_info())
        before = state()
        os.environ["BAKEOFF_LITTER"] = "1"
        del os.environ["PATH"]
        os.chdir("/")
        sys.path.insert(0, "/")
        warnings.simplefilter("ignore")
        np.seterr(all="raise")
        sklearn.set_config(assume_finite=True, transform_output="pandas")
        logging.root.setLevel(logging.CRITICAL)
        sys.setrecursionlimit(5000)
        threadpool_limits(2)
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        assert all(value != before[name] for name, value in state().items())
        if self.fails:
            raise RuntimeError
        return super().fit(X, y)


@pytest.mark.parametrize("fails", [False, True])
def test_a_fit_leaves_its_process_as_it_was_also_if_it_fails(paths, monkeypatch, fails):
    monkeypatch.setitem(sys.modules, "litterers", sys.modules[__name__])
    fitted(paths, "litterers.Litters", features=["flag"])  # what is read once for all fits, is
    before = state()
    with pytest.raises(RuntimeError) if fails else nullcontext():
        fitted(paths, "litterers.Litters", params={"fails": fails}, features=["flag"])
    assert state() == before


def made(rows, ranked_by):
    rng = np.random.default_rng(rows)
    values = rng.dirichlet((1, 1, 1), rows)
    return Predictions(
        np.arange(rows) * 3,
        rng.integers(0, 3, rows),
        rng.integers(0, 2, rows),
        ("a", "b", "ü c"),
        values if ranked_by == "probabilities" else None,
        values if ranked_by == "decision" else None,
        {"fingerprint": "r", "n_test": rows},
    )


@pytest.mark.parametrize(
    ("rows", "ranked_by"), [(1, "nothing"), (50, "decision"), (20_000, "probabilities")]
)
def test_predictions_come_back(tmp_path, rows, ranked_by):
    path, one = tmp_path / "a.parquet", made(rows, ranked_by)
    one.write(path)
    again = Predictions.read(path)
    for field in dataclasses.fields(Predictions):
        a, b = getattr(one, field.name), getattr(again, field.name)
        assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, field.name
    assert read_facts(path)["classes"] == ["a", "b", "ü c"]
    part = Predictions.read(path, ranking=False)
    assert part.ranking is None, "what ranks the rows is left where it is not wanted"
    assert np.array_equal(part.y_pred, one.y_pred)
    assert part.facts == one.facts
    column = pq.read_metadata(path).row_group(0).column(0)
    assert (column.compression == "ZSTD") == (rows == 20_000), "only large files are packed"
    if rows == 50:  # numbers that were changed in the file are never taken for those of the model
        ranked = one.ranking[:, 0]
        path.write_bytes(path.read_bytes().replace(ranked.tobytes(), ranked[::-1].tobytes()))
        with pytest.raises(UserError, match=r"is damaged \("):
            Predictions.read(path)


def rows_of_test(files, columns):
    """Return the rows of the holdout, and their classes as numbers."""
    table, split = Table.read(files["data"]), read_split(files["splits"], 1, 1)
    return table.features.iloc[split.test][columns], table.answers[split.test]


@pytest.mark.parametrize(
    ("estimator", "keys"),
    [
        ("sklearn.linear_model.LogisticRegression", {"threshold": 0.3}),
        ("sklearn.linear_model.LogisticRegression", {"drop": ["flag"]}),
        ("xgboost.XGBClassifier", {}),
    ],
)
def test_kept_model_predicts_what_its_fit_did(estimator, keys, paths):
    plain = fitted(paths, estimator, **keys)
    with_model = fitted(paths, estimator, leaving={"keep": True}, **keys)
    np.testing.assert_array_equal(with_model.probabilities, plain.probabilities)
    place = kept_of(paths["data"].with_name("p"))
    kept = joblib.load(place)
    assert ("flag" in kept["features"]) != ("drop" in keys)
    chances = kept["estimator"].predict_proba(rows_of_test(paths, kept["features"])[0])[:, 1]
    threshold = 0.5 if kept["threshold"] is None else kept["threshold"]
    predicted = np.array(kept["classes"])[(chances >= threshold).astype(int)]
    assert list(predicted) == [plain.classes[code] for code in plain.y_pred]
    fitted(paths, estimator, **keys)
    assert not place.exists(), "it would be of another fit"


class Unwritable(DecisionTreeClassifier):
    def fit(self, X, y):
        self.callback_ = lambda: None
        return super().fit(X, y)


def test_model_that_cannot_be_written_is_told(paths):
    path = f"{__name__}.Unwritable"
    assert len(fitted(paths, path).y_pred)
    with pytest.raises(UserError, match=r"^`keep: true`: this model cannot be written \(.*lambda"):
        fitted(paths, path, leaving={"keep": True})
    assert not list(paths["data"].parent.glob(".*.part"))


@pytest.mark.parametrize(
    ("metrics", "scoring", "name", "threshold"),
    [
        (("f1", "accuracy"), "f1", "f1", None),
        (("f1", "accuracy"), "f1", "f1", 0.2),
        (("log_loss", "accuracy"), "log_loss", "neg_log_loss", None),
        (("gmean", "accuracy"), "accuracy", "accuracy", 0.2),
    ],
)
def test_importance_is_that_of_scikit_learn(metrics, scoring, name, threshold, paths):
    leaving = {"keep": True, "importance": metrics}
    estimator, keys = "sklearn.ensemble.RandomForestClassifier", {"threshold": threshold}
    keys |= {"params": {"n_estimators": 2, "max_depth": 3}}
    plain = fitted(paths, estimator, **keys)
    measured = fitted(paths, estimator, leaving=leaving, **keys)
    np.testing.assert_array_equal(measured.probabilities, plain.probabilities)
    output = paths["data"].with_name("p")
    found, kept = read_json(importance_of(output)), joblib.load(kept_of(output))
    X, y = rows_of_test(paths, kept["features"])
    whole = kept["estimator"]
    if threshold is not None:
        whole = FixedThresholdClassifier(FrozenEstimator(whole), threshold=threshold, pos_label=1)
        whole.fit(X, y)
    seed = part_of(derive(1, "fit", *FIT[:5]), "importance")
    expected = permutation_importance(whole, X, y, scoring=name, n_repeats=5, random_state=seed)
    assert (found["metric"], found["scoring"]) == (metrics[0], scoring)
    assert list(found["losses"]) == ["size", "colour", "day", "flag"]
    np.testing.assert_allclose(list(found["losses"].values()), expected.importances)


def test_importances_of_all_shuffles_of_all_fits_are_joined(tmp_path):
    paths = []
    for fold, losses in ((1, [0.1, 0.3]), (2, [0.2, None])):
        code, path = np.zeros(2, dtype=np.intp), tmp_path / f"p{fold}.parquet"
        facts = FIT._replace(plan="kfold", fold=fold)._asdict()
        Predictions(np.arange(2), code, code, ("u", "v"), None, None, facts).write(path)
        measured = {"metric": "f1", "scoring": "f1", "losses": {"size": losses, "day": [None]}}
        write_json(importance_of(path), measured)
        paths.append(path)
    size, day = importances(paths).to_dict("records")
    keys = {"dataset": "d", "model": "m", "plan": "kfold", "scoring": "f1", "fits": 2}
    spread = {"mean": pytest.approx(0.2), "sd": pytest.approx(0.0816, abs=1e-4)}
    assert size == {**keys, **spread, "feature": "size"}
    assert np.isnan([day["mean"], day["sd"]]).all()


def test_stamp_tells_what_made_a_file(tmp_path):
    data, output = tmp_path / "data", tmp_path / "p.parquet"
    data.write_text("data")
    made_by, fingerprint = stamp("fingerprint", data), {"fingerprint": "fingerprint"}
    assert not is_made(output, made_by)
    code = np.zeros(2, dtype=np.intp)
    Predictions(np.arange(2), code, code, ("u", "v"), None, None, made_by).write(output)
    assert is_made(output, made_by)
    assert is_made(output, fingerprint)
    assert not is_made(output, stamp("another", data))
    assert not is_made(output, fingerprint | {"measured": "{}"})
    data.write_text("other data")
    assert not is_made(output, stamp("fingerprint", data))
    output.write_text("half a file")
    assert not is_made(output, fingerprint)


def test_predictions_of_another_fingerprint_are_not_scored(tmp_path):
    code = np.zeros(2, dtype=np.intp)
    facts = {**FIT._asdict(), "n_train": 2, "n_test": 2, "fingerprint": "old"}
    path = tmp_path / "p.parquet"
    Predictions(np.arange(2), code, code, ("u", "v"), None, None, facts).write(path)
    scores, _ = score_fits([path], ["accuracy"], fingerprints={"d": {"m": "old"}})
    assert list(scores["value"]) == [1.0]
    new = {"d": {"m": "new"}}
    for read in (
        lambda: score_fits([path], ["accuracy"], fingerprints=new),
        lambda: collect_predictions({"m": path}, tmp_path / "c.parquet", new),
    ):
        with pytest.raises(UserError, match=r"p\.parquet was made by another state"):
            read()

"""What a model chooses, it chooses on its training part, and it chooses as it should."""

from functools import partial
from typing import get_args
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bakeoff.data.columns import plain
from bakeoff.data.target import Target
from bakeoff.errors import UserError
from bakeoff.fit.check_models import check_model
from bakeoff.fit.estimator import TextEncoder, assemble, last_step, make_classifier
from bakeoff.fit.train import TrainingPart, best_threshold, search_space, train
from bakeoff.seeds import derive, part_of
from bakeoff.spec.models import Criterion, Model

LOGISTIC = "sklearn.linear_model.LogisticRegression"
TREE = "sklearn.tree.DecisionTreeClassifier"
FOREST = "sklearn.ensemble.RandomForestClassifier"
BOOSTING = "sklearn.ensemble.HistGradientBoostingClassifier"
XGBOOST = "xgboost.XGBClassifier"
LABELS = Target(("no", "yes"))


def model(estimator=LOGISTIC, **keys):
    own = {"estimator": estimator} if estimator else {}
    return Model.model_validate({**own, **keys})


def part(n=200, seed=0, **keys):
    X, y = make_classification(n, 6, weights=[0.7], flip_y=0.2, random_state=seed)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    return TrainingPart(frame, LABELS.encoded(y.astype(np.intp)), **keys)


def learnt(own, data, seed=1, **keys):
    return train(own, data, derive(seed, "fit"), **keys)


def _number(purpose):
    return part_of(derive(1, "fit"), purpose)


def test_grid_search_is_scikit_learns_with_preprocessing_inside():
    data = part()
    own = model(tune={"space": {"C": [0.001, 0.01, 1]}, "scoring": "log_loss", "cv": 4})
    found = learnt(own, data)
    folds = StratifiedKFold(4, shuffle=True, random_state=_number("tune-folds"))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [0.001, 0.01, 1]}
    # the imputer of `auto` finds nothing to do here
    expected = GridSearchCV(pipeline, grid, cv=folds, scoring="neg_log_loss")
    expected.fit(data.X, data.target.y)
    assert found.chosen["params"] == {"C": expected.best_params_["logisticregression__C"]}
    assert found.chosen["inner_score"] == pytest.approx(expected.best_score_)
    # and then all training rows teach
    both = (made.predict_proba(data.X) for made in (found.estimator, expected))
    np.testing.assert_allclose(*both, atol=1e-12)


SPACES = [
    ({"C": {"loguniform": ["1e-4", 10]}}, 5, (1e-4, 10)),
    ({"C": {"uniform": [0.1, 1]}, "max_iter": {"randint": [90, 91]}}, 4, (0.1, 1)),
    ({"C": [0.1, 1]}, None, (0.1, 1)),
]


@pytest.mark.parametrize(("space", "n_iter", "limits"), SPACES)
def test_every_search_stays_in_its_space_and_repeats_itself(space, n_iter, limits):
    tune = {"search": "random", "n_iter": n_iter, "space": space, "cv": 2}
    first, again = (learnt(model(tune=tune), part()).chosen for _ in range(2))
    assert first == again
    assert limits[0] <= first["params"]["C"] <= limits[1]
    assert first["params"].get("max_iter", 90) in (90, 91)


def test_values_are_drawn_from_the_whole_of_a_range_and_ten_times_by_default():
    drawn = {"tol": {"loguniform": [0.1, 9]}, "C": {"uniform": [2, 5]}}
    drawn["max_iter"] = {"randint": [90, 95]}
    tune = {"search": "random", "space": drawn, "cv": 2}
    spaces = search_space(LogisticRegression(), model(tune=tune).tune).values()
    assert [one.support() for one in spaces] == [(0.1, 9), (2, 5), (90, 95)]
    for space, tries in ((drawn, 10), ({"C": [1, 2, 3], "tol": [0.1, 0.2]}, 6)):
        own = model(tune={**tune, "space": space})
        with mock.patch(f"{train.__module__}.RandomizedSearchCV", wraps=RandomizedSearchCV) as made:
            learnt(own, part(60))
        assert made.call_args.kwargs["n_iter"] == tries


def test_search_reaches_steps_nested_estimators_and_wrapped_ones():
    steps = ["sklearn.decomposition.PCA", {"estimator": LOGISTIC, "name": "last"}]
    piped = model(None, steps=steps, tune={"space": {"pca__n_components": [2, 3], "C": [1, 2]}})
    assert set(learnt(piped, part()).chosen["params"]) == {"pca__n_components", "C"}
    bagged = model(
        "sklearn.ensemble.BaggingClassifier",
        preprocessing="sklearn.preprocessing.StandardScaler",
        params={"estimator": {"estimator": TREE}, "n_estimators": 3},
        tune={"space": {"estimator__max_depth": [1, 2]}, "cv": 2},
    )
    assert learnt(bagged, part()).chosen["params"]["estimator__max_depth"] in (1, 2)


@pytest.mark.filterwarnings(
    "ignore:The least populated class", "ignore:Only one class", "ignore:One or more"
)
def test_score_undefined_on_inner_folds_is_an_error_and_odd_names_are_none():
    data = part(40)
    rare = TrainingPart(data.X, LABELS.encoded((np.arange(40) < 2).astype(np.intp)))
    own = model(tune={"space": {"C": [1, 2]}, "scoring": "roc_auc", "cv": 3})
    with pytest.raises(UserError, match="roc_auc is undefined on the inner folds"):
        learnt(own, rare)
    # XGBoost refuses names with brackets; data sets have them
    odd = data.X.set_axis(["a[1]", "b<2", "c]", "d", "e", "f"], axis=1)
    assert learnt(model(XGBOOST), TrainingPart(odd, data.target)).estimator is not None


CRITERIA = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1": partial(metrics.f1_score, zero_division=0),
    "jaccard": partial(metrics.jaccard_score, zero_division=0),
    "kappa": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
    "youden": partial(metrics.balanced_accuracy_score, adjusted=True),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("criterion", get_args(Criterion))
def test_best_threshold_is_best_of_all(criterion, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    scores = np.round(0.3 * y + rng.random(60) * 0.7, 1)  # many rows have the highest one
    weights = rng.integers(1, 4, 60).astype(float)
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])

    def gain(t):
        predicted = (scores >= t).astype(int)
        if criterion == "cost":
            return -(weights * costs[y, predicted]).sum()
        return CRITERIA[criterion](y, predicted, sample_weight=weights)

    found = best_threshold(y, scores, criterion, 0.5, weights, costs)
    best = max(gain(t) for t in np.linspace(-0.005, 1.005, 203))
    assert gain(found) == pytest.approx(best)


def test_of_equally_good_thresholds_the_nearest_to_the_default_wins():
    y, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.6, 0.9])
    assert best_threshold(y, scores, "f1", 0.5) == pytest.approx(0.5)
    nothing = np.zeros((2, 2))
    assert best_threshold(y, scores, "cost", 0.7, costs=nothing) == pytest.approx(0.75)
    for estimator, usual in ((LOGISTIC, 0.5), ("sklearn.svm.LinearSVC", 0)):
        found = learnt(model(estimator, threshold={"choose": "cost"}), part(), costs=nothing)
        assert found.threshold == pytest.approx(usual, abs=0.02)


def test_thresholds_of_probabilities_and_of_decision_values_are_kept():
    data = part()
    low, high = (learnt(model(threshold=t), data) for t in (0.1, 0.9))
    svm = learnt(model("sklearn.svm.LinearSVC", threshold={"choose": "f1"}), data)
    for found, values, threshold in (
        (low, low.estimator.predict_proba(data.X)[:, 1], 0.1),
        (svm, svm.estimator.decision_function(data.X), svm.chosen["threshold"]),
    ):
        np.testing.assert_array_equal(found.predict(data.X), (values >= threshold).astype(int))
    assert high.predict(data.X).sum() < low.predict(data.X).sum()


def test_chosen_threshold_comes_from_out_of_fold_predictions():
    """A tree knows its training rows by heart: on them, no threshold would be better than 0.5."""
    data = part(300)
    own = model(FOREST, params={"n_estimators": 30}, threshold={"choose": "youden"})
    found = learnt(own, data)
    assert 0 < found.threshold < 0.5, "the positive class is rare"
    assert found.threshold == found.chosen["threshold"]


def test_class_weights_reach_estimators_with_the_parameter_and_without():
    data = part()
    by_param = learnt(model(LOGISTIC, class_weight={"yes": 3.0}), data).estimator
    assert by_param[-1].class_weight == {0: 1.0, 1: 3.0}
    rows = TrainingPart(data.X, data.target, np.where(data.target.y == 1, 3.0, 1.0))
    by_rows = learnt(model(LOGISTIC), rows).estimator
    one, other = (made.predict_proba(data.X) for made in (by_param, by_rows))
    np.testing.assert_allclose(one, other, atol=1e-4)
    bayes = "sklearn.naive_bayes.GaussianNB"
    balanced = learnt(model(bayes, class_weight="balanced"), data)
    assert balanced.estimator[-1].class_prior_ == pytest.approx([0.5, 0.5])
    plain = learnt(model(bayes), data)
    assert balanced.predict(data.X).sum() > plain.predict(data.X).sum()
    rows = TrainingPart(data.X, data.target, np.where(data.target.y == 1, 1 / 4, 1))
    undone = learnt(model(bayes, class_weight={"yes": 4}), rows).estimator[-1].class_prior_
    assert undone == pytest.approx(plain.estimator[-1].class_prior_), "both weights are multiplied"


@pytest.mark.parametrize(
    "keys",
    [
        {"estimator": LOGISTIC},
        {"estimator": XGBOOST},
        {"estimator": TREE, "params": {"max_depth": 2}, "preprocessing": "none"},
        {"estimator": LOGISTIC, "tune": {"space": {"C": [1]}, "cv": 2}},
        {"estimator": LOGISTIC, "threshold": {"choose": "f1", "cv": 2}},
    ],
)
def test_weights_of_rows_reach_the_fit(keys):
    data, own = part(), model(**keys)
    weighted = TrainingPart(data.X, data.target, np.where(data.target.y == 1, 20.0, 0.1))
    means = [learnt(own, d).estimator.predict_proba(d.X)[:, 1].mean() for d in (data, weighted)]
    assert means[1] > means[0] + 0.1


LIBRARIES = [
    ("lightgbm.LGBMClassifier", {"n_estimators": 200, "verbose": -1}, "n_jobs"),
    ("catboost.CatBoostClassifier", {"iterations": 200, "verbose": False}, "thread_count"),
]


@pytest.mark.parametrize(("estimator", "params", "threads"), LIBRARIES)
def test_library_fits_tunes_and_gets_seeds(estimator, params, threads, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    choices = {"tune": {"space": {"max_depth": [2, 4]}, "cv": 2}, "threshold": {"choose": "f1"}}
    own = model(estimator, params=params, class_weight="balanced", **choices)
    check_model("m", own)
    data = part(weights=np.linspace(0.5, 2, 200))
    one, again = learnt(own, data), learnt(own, data)
    assert one.chosen == again.chosen
    assert one.chosen["params"]["max_depth"] in (2, 4)
    np.testing.assert_array_equal(one.predict(data.X), again.predict(data.X))
    assert not list(tmp_path.iterdir()), "nothing is left where snakemake runs"
    made = (assemble(model(estimator), data.X, derive(seed, "fit")) for seed in (1, 2))
    parameters = [last_step(one).get_params() for one in made]
    assert parameters[0]["random_state"] != parameters[1]["random_state"]
    assert parameters[0][threads] == 1


def test_files_of_catboost_are_written_where_they_are_wanted():
    for params, written in (({}, False), ({"allow_writing_files": True}, True)):
        made = make_classifier(model("catboost.CatBoostClassifier", params=params))
        assert made.get_params()["allow_writing_files"] is written


def rows_of(y, **how):
    return TrainingPart(pd.DataFrame(index=range(len(y))), Target(tuple("abc")).encoded(y), **how)


def test_inner_folds_are_stratified_and_keep_rows_of_one_time_together():
    y = np.repeat([0, 1, 2], 20)
    for learnt, tested in rows_of(y).folds(4, 0):
        assert (np.bincount(y[tested]) == 5).all()
        assert not set(learnt) & set(tested)
    assert len(rows_of(y).folds(20, 0)) == 20, "as many as a class has rows"
    assert len(rows_of(y, groups=np.arange(60) // 3).folds(20, 0)) == 20
    times = np.repeat(np.arange(8), 5)
    folds = rows_of(np.zeros(40, dtype=np.intp), times=times).folds(3, 0)
    for learnt, held in folds:
        assert times[learnt].max() < times[held].min(), "rows of one time are never separated"
    assert np.concatenate([held for _, held in folds]).tolist() == list(range(10, 40))


@pytest.mark.parametrize(
    ("y", "count", "how", "said"),
    [
        (np.repeat([0, 1, 2], 20), 21, {"groups": np.arange(60) // 3}, "20 groups in the training"),
        (np.repeat([0, 1, 2], 20), 30, {}, "60 training rows are too few for 30 inner folds"),
        (np.zeros(4, dtype=np.intp), 3, {"times": [0, 0, 1, 1]}, "2 different times cannot be cut"),
    ],
)
def test_divisions_that_cannot_be_are_told(y, count, how, said):
    with pytest.raises(UserError, match=said):
        rows_of(y, **how).folds(count, 0)


def test_validation_rows_are_a_stratified_share_whole_groups_or_the_latest():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    learnt, held = rows_of(y).validation(0.2, 0)
    assert np.bincount(y[held]).tolist() == [10, 6, 4]
    assert sorted([*learnt, *held]) == list(range(100))
    assert not np.array_equal(held, rows_of(y).validation(0.2, 1)[1]), "seeded"
    groups = np.repeat(np.arange(25), 4)
    learnt, held = rows_of(y, groups=groups).validation(0.4, 0)
    assert not set(groups[learnt]) & set(groups[held])
    assert len(held) == pytest.approx(40, abs=4)
    times = np.arange(100)[::-1] // 2
    learnt, held = rows_of(y, times=times).validation(0.3, 0)
    assert times[learnt].max() < times[held].min()
    assert len(held) == 30


@pytest.mark.parametrize(
    ("share", "how", "said"),
    [
        (0.001, {}, "0.001 of the 60 training rows would set 0 apart to validate on"),
        (0.999, {}, "0.999 of the 60 training rows would set 60 apart"),
        (0.2, {"groups": np.zeros(60)}, "training rows would set (0|60) apart"),
        (0.2, {"times": np.zeros(60)}, "in the training part 1 different times cannot be cut"),
    ],
)
def test_share_that_leaves_no_rows_on_a_side_is_told(share, how, said):
    with pytest.raises(UserError, match=said):
        rows_of(np.repeat([0, 1, 2], 20), **how).validation(share, 0)


def test_search_by_validation_rows_is_scikit_learns_with_one_division_and_refits_on_all():
    data = part()
    tune = {"space": {"C": [0.001, 0.01, 1]}, "scoring": "log_loss", "validation": 0.25}
    found = learnt(model(tune=tune), data)
    fold = data.validation(0.25, _number("tune-validation"))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [0.001, 0.01, 1]}
    expected = GridSearchCV(pipeline, grid, cv=[fold], scoring="neg_log_loss")
    expected.fit(data.X, data.target.y)
    assert found.chosen["params"] == {"C": expected.best_params_["logisticregression__C"]}
    assert found.chosen["inner_score"] == pytest.approx(expected.best_score_)
    both = (made.predict_proba(data.X) for made in (found.estimator, expected))
    np.testing.assert_allclose(*both, atol=1e-12)


def test_a_search_is_by_folds_or_by_validation_rows():
    space = {"space": {"C": [1]}}
    tune = model(tune={**space, "validation": "2e-1"}).tune
    assert (tune.cv, tune.validation) == (None, 0.2)
    for wrong, found in (({"cv": 3, "validation": 0.2}, "both"), ({"cv": None}, "neither")):
        with pytest.raises(ValidationError, match=f"or `validation` .a share., found {found}"):
            model(tune={**space, **wrong})


START = 1_700_000_000


def fitted(estimator, frame, y):
    return assemble(model(estimator), frame, derive(1, "fit")).fit(frame, y)


@pytest.mark.parametrize("estimator", ["sklearn.neighbors.KNeighborsClassifier", BOOSTING])
def test_a_text_column_changes_no_number(estimator):
    """In single precision these sixty seconds are one."""
    when = np.repeat(np.arange(START, START + 60), 2)
    y = (when >= START + 30).astype(int)
    for column in (when, pd.to_datetime(when, unit="s")):
        frame = pd.DataFrame({"when": column, "city": ["a", "b", "c"] * 40})
        assert (fitted(estimator, frame, y).predict(frame) == y).all()


def test_numbers_pass_as_they_are_beside_texts_dates_and_gaps():
    numbers = np.array([0.1, 1e17 + 16, np.nan, -3.0])
    days = ["2024-01-01", None, "2024-01-03", "2024-01-04 00:00:01"]
    frame = pd.DataFrame({"x": numbers, "text": ["a", None, "b", "a"]})
    frame["day"], frame["flag"] = pd.to_datetime(days, format="ISO8601"), [True, False] * 2
    zoned = frame["day"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    pd.testing.assert_series_equal(plain(zoned), frame["day"])  # no table has time zones
    encoder = TextEncoder().fit(frame)
    encoded = encoder.transform(frame)
    pd.testing.assert_frame_equal(TextEncoder().fit_transform(frame), encoded)
    np.testing.assert_array_equal(encoded["x"], numbers)
    assert list(encoded["flag"]) == [1, 0, 1, 0]
    assert encoded["day_seconds"].iloc[3] - encoded["day_seconds"].iloc[0] == 3 * 86400 + 1
    assert np.isnan(encoded["day_seconds"].iloc[1])
    names = list(encoded)
    order = [names.index(name) for name in ("x", "text_a", "day_month", "day_seconds", "flag")]
    assert order == sorted(order)
    assert [name for name in names if "seconds" in name] == ["day_seconds"]
    same = pd.DataFrame({"c_a": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"]})  # two c_a
    gaps = pd.DataFrame({"x": [np.nan, 1.0] * 2})  # a missing value tells something
    for estimator, known in ((TREE, same), (LOGISTIC, gaps)):
        assert fitted(estimator, known, [0, 1, 0, 1]).predict(known).tolist() == [0, 1, 0, 1]

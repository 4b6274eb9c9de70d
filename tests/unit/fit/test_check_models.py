"""What can be known of an estimator is told before anything is fitted."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.utils import all_estimators

from bakeoff.data.target import Target
from bakeoff.errors import Problem
from bakeoff.fit.check_models import check_model
from bakeoff.fit.estimator import build, parameter_value
from bakeoff.fit.train import TrainingPart, train
from bakeoff.seeds import derive
from bakeoff.spec.experiment import Task
from bakeoff.spec.models import Model

KNN = "sklearn.neighbors.KNeighborsClassifier"


class Base(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    predict = fit


class NoParams:
    fit = predict = Base.fit


class NoTags(NoParams):
    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self


class Changes(Base):
    def __init__(self, size=None):
        self.size = [size]


class Fails(Base):
    def __init__(self):
        raise RuntimeError("no licence found")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NoParams", "has no get_params: derive the class from"),
        ("NoTags", "does not say what it is"),
        ("Changes", "cannot be copied: Cannot clone object"),
        ("Fails", "cannot be made: no licence found"),
    ],
)
def test_class_that_is_no_estimator_is_told(name, message):
    path = f"{__name__}.{name}"
    with pytest.raises(Problem, match=rf"^models\.m\.(params|estimator): {path} {message}"):
        check_model("m", Model.model_validate({"estimator": path}))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"object": "sklearn.model_selection.KFolds"}, "unknown class in sklearn.model_selection"),
        ({"object": "sklearn.model_selection.KFold", "params": {"folds": 3}}, "'folds'.*n_splits"),
        ({"object": "sklearn.model_selection.KFold", "args": 3}, "found 3, expected a list of arg"),
        ({"object": "numpy.pi"}, "found 'numpy.pi', expected a class or a function"),
        ({"object": "sklearn.model_selection.KFold", "args": [1]}, "KFold cannot be made: k-fold"),
        ({"object": 3}, "found 3, expected an import path"),
        *(
            ({"object": path, "args": ["made"]}, f"{path} makes no part of an estimator")
            for path in (
                *("os.system", "subprocess.getoutput", "subprocess.Popen", "builtins.exec"),
                *("shutil.rmtree", "joblib.load", "pandas.read_pickle", "numpy.memmap"),
            )
        ),
        ({"estimator": "subprocess.Popen", "params": {"args": ["made"]}}, "Popen is of Pyth"),
        ({"estimator": "numpy.memmap", "params": {"filename": "made"}}, "memmap has no get_params"),
    ],
)
def test_objects_that_cannot_be_made(value, message):
    search = {"estimator": "sklearn.model_selection.GridSearchCV"}
    params = {"estimator": {"estimator": KNN}, "param_grid": {}, "cv": value}
    with pytest.raises(Problem, match=rf"models.m.params: .*{message}"):
        check_model("m", Model.model_validate({**search, "params": params}))


@pytest.mark.parametrize(
    ("path", "args"),
    [
        ("sklearn.metrics.make_scorer", [{"function": "sklearn.metrics.f1_score"}]),
        ("sklearn.model_selection.KFold", [3]),
        ("sklearn.compose.make_column_selector", ["x"]),
        ("sklearn.gaussian_process.kernels.RBF", []),
        ("scipy.stats.loguniform", [0.1, 1]),
        ("numpy.random.RandomState", [0]),
        ("numpy.logspace", [-2, 2, 5]),
        ("builtins.tuple", [[1, 2]]),
        ("functools.partial", [{"function": "numpy.clip"}]),
    ],
)
def test_what_serves_an_estimator_is_made(path, args):
    assert parameter_value({"object": path, "args": args}) is not None


def test_lists_become_tuples_where_tuples_are_meant():
    # YAML has no tuples, and scikit-learn takes nothing else here
    words = "sklearn.feature_extraction.text.TfidfVectorizer"
    step = {"name": "w", "estimator": words, "params": {"ngram_range": [1, 2]}}
    tune = {"space": {"w__ngram_range": [[1, 1], [1, 2]]}}
    model = Model.model_validate({"steps": [step, KNN], "tune": tune})
    check_model("m", model)
    assert build(words, model.parts[0].params).ngram_range == (1, 2)
    column = {"func": {"object": "operator.itemgetter", "args": ["x"]}}
    texts = {"estimator": "sklearn.preprocessing.FunctionTransformer", "params": column}
    model = Model.model_validate({"steps": [texts, step, KNN], "tune": tune})
    features = pd.DataFrame({"x": ["aa bb", "bb aa", "bb bb", "aa aa"] * 3})
    target = Target(("p", "q")).encoded(np.array([0, 1, 0, 1] * 3))
    chosen = train(model, TrainingPart(features, target), derive(1)).chosen["params"]
    assert chosen["w__ngram_range"] in ([1, 1], [1, 2])


TREE = {"estimator": "sklearn.tree.DecisionTreeClassifier"}
LOGISTIC = {"estimator": "sklearn.linear_model.LogisticRegression"}
NESTED = {
    "estimator": LOGISTIC,
    "estimators": [["a", LOGISTIC], ["b", TREE]],
    "steps": [["scale", {"estimator": "sklearn.preprocessing.StandardScaler"}], ["last", LOGISTIC]],
    "transformers": [["scaled", {"estimator": "sklearn.preprocessing.StandardScaler"}, ["a", "b"]]],
    "transformer_list": [["scaled", {"estimator": "sklearn.preprocessing.StandardScaler"}]],
    "param_grid": {"C": [0.1, 1]},
    "param_distributions": {"C": [0.1, 1]},
}
OTHERS = {
    "AdaBoostClassifier": {"estimator": TREE},  # and no other key
    "RandomizedSearchCV": {"n_iter": 2},
    "SequentialFeatureSelector": {"n_features_to_select": 2, "cv": 2},
    "SelfTrainingClassifier": {"estimator": {"estimator": "sklearn.naive_bayes.GaussianNB"}},
}
REFUSED = "is not a classifier|no fit and predict"
# what these do shows in their fits: several targets, and no fit at all
LATER = {"ClassifierChain", "MultiOutputClassifier", "FrozenEstimator"}


def metas():
    """Return scikit-learn's classes that have estimators among their parameters."""
    names = {"estimator", "estimators", "steps", "transformers", "transformer_list"}
    return {
        name: made
        for name, made in all_estimators()
        if names & set(inspect.signature(made).parameters) and name not in LATER
    }


def entry(name):
    """Write an experiment's entry with the estimators that a class wants and nothing else."""
    made = metas()[name]
    wanted = inspect.signature(made).parameters
    params = {key: value for key, value in NESTED.items() if key in wanted}
    path = f"{made.__module__}.{name}"
    return {"estimator": path, "params": {**params, **OTHERS.get(name, {})}}


def part():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = pd.DataFrame(rng.normal(size=(60, 3)) + y[:, None], columns=list("abc"))
    return TrainingPart(X, Target(("no", "yes")).encoded(y.astype(np.intp)))


def learns(own):
    """Check a model, and return the share of rows that it is right on after a fit."""
    check_model("m", own)
    return (train(own, part(), derive(1, "fit")).predict(part().X) == part().target.y).mean()


NO_CLASSIFIERS = {"ColumnTransformer", "FeatureUnion", "SelectFromModel", "RegressorChain"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", metas())
def test_meta_estimator_is_fitted_or_refused_before_and_may_stand_before_a_classifier(name):
    own = Model.model_validate(entry(name))
    assert own.imports[1:], "what is nested is imported before the threads are limited"
    if name.endswith(("Regressor", "Selector")) or name in NO_CLASSIFIERS:
        with pytest.raises(Problem, match=REFUSED):
            check_model("m", own)
    else:
        assert learns(own) > 0.7
    # the rest transform as the estimator they found does, or are for other targets
    if hasattr(metas()[name], "transform") and not name.endswith(("SearchCV", "Regressor")):
        step = entry(name)
        if name == "Pipeline":
            step["params"]["steps"] = NESTED["steps"][:1]
        assert learns(Model.model_validate({**LOGISTIC, "preprocessing": [step]})) > 0.6


def test_grid_over_estimators_is_no_estimator():
    grid = {"estimator": [LOGISTIC, {**TREE, "params": {"max_depth": 1}}]}
    bagging = {"estimator": "sklearn.ensemble.BaggingClassifier", "params": {"n_estimators": 2}}
    keys = {"estimator": bagging, "param_grid": grid, "cv": 2}
    search = {"estimator": "sklearn.model_selection.GridSearchCV", "params": keys}
    own = Model.model_validate(search)
    assert {path.rpartition(".")[2] for path in own.imports} == {
        *("GridSearchCV", "BaggingClassifier", "LogisticRegression", "DecisionTreeClassifier")
    }
    assert learns(own) > 0.5


def test_stacking_without_final_estimator_has_what_its_default_has():
    own = Model.model_validate({**entry("StackingClassifier"), "threshold": {"choose": "f1"}})
    check_model("m", own)
    assert 0 < train(own, part(), derive(1, "fit")).chosen["threshold"] < 1


XGBOOST = "xgboost.XGBClassifier"
WATCHED = {"estimator": XGBOOST, "params": {"early_stopping_rounds": 5}}
VOTING = {"estimators": [["a", WATCHED], ["b", LOGISTIC]]}
STOPS = [
    (WATCHED, "models.m.params: XGBClassifier stops early (`early_stopping_rounds`: 5)"),
    (
        {"estimator": "lightgbm.LGBMRegressor", "params": {"early_stopping_round": 5}},
        "models.m.params: LGBMRegressor stops early (`early_stopping_round`: 5)",
    ),
    (
        {"estimator": "catboost.CatBoostClassifier", "params": {"od_wait": 5}},
        "models.m.params: CatBoostClassifier stops early (`od_wait`: 5)",
    ),
    (
        {"estimator": "sklearn.ensemble.VotingClassifier", "params": VOTING},
        "models.m.params: XGBClassifier stops early (`early_stopping_rounds`: 5)",
    ),
    (
        {"estimator": XGBOOST, "tune": {"space": {"early_stopping_rounds": [None, 7]}}},
        "models.m.tune.space.early_stopping_rounds: XGBClassifier stops early",
    ),
    ({"steps": [LOGISTIC["estimator"], WATCHED]}, "models.m.steps[0].estimator: "),
    ({"steps": ["sklearn.preprocessing.StandardScaler", WATCHED]}, "models.m.steps[1].params: XGB"),
]


@pytest.mark.parametrize(("keys", "said"), STOPS)
def test_early_stopping_without_rows_to_watch_is_told_before_a_fit(keys, said):
    task = Task.REGRESSION if "Regressor" in str(keys) else Task.CLASSIFICATION
    with pytest.raises(Problem) as told:
        check_model("m", Model.model_validate(keys), task=task)
    assert str(told.value).startswith(said)


def test_early_stopping_by_rows_that_an_estimator_sets_apart_is_taken():
    own = {"early_stopping_rounds": 5, "eval_fraction": 0.2}
    for path, params in (("catboost.CatBoostClassifier", own), (XGBOOST, {})):
        check_model("m", Model.model_validate({"estimator": path, "params": params}))

"""What scikit-learn's users pass beside plain parameters: other objects, own code, columns."""

import functools
import operator
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import sparse, stats
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, fbeta_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import bakeoff
from bakeoff.api.estimator_input import entry_of
from bakeoff.errors import UserError
from bakeoff.fit.estimator import made_value

RNG = np.random.default_rng(3)
N = 90
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
Y = np.where(X["a"] + RNG.normal(size=N) > 0.3, "yes", "no")
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


class Held(BaseEstimator):
    def __init__(self, held=None):
        self.held = held

    def fit(self, X, y):
        return self


class Chooses:
    """An object of a user's, without get_params, that keeps its argument."""

    def __init__(self, names=("a",)):
        self.names = names

    def __call__(self, frame):
        return [name for name in frame if name in self.names]


@pytest.mark.parametrize(
    "held",
    [
        make_column_selector(dtype_include=["number", "bool"], pattern="^a"),
        StratifiedKFold(3, shuffle=True, random_state=0),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        make_scorer(fbeta_score, beta=2, greater_is_better=False),
        2.0 * RBF(1.5, (1e-3, 1e3)) + WhiteKernel() ** 2,
        Chooses(("a", "b")),
        functools.partial(np.clip, a_min=-1, a_max=[1, 2]),
        operator.itemgetter("a", "b"),
        slice(0, 2),
        float,
        np.float32,
        np.log1p,
        pd.CategoricalDtype(["low", "high"], ordered=True),
        {0: 1.0, 1: [(1, 2), (3,)]},
        BaggingClassifier(LogisticRegression(C=0.5), n_estimators=3),
        VotingClassifier([["a", GaussianNB()], ["b", SVC()]], weights=[1, 2]),
        TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
        FunctionTransformer(np.log1p, kw_args={"where": True}),
        KNeighborsClassifier(metric="minkowski", p=1),
    ],
    ids=lambda held: type(held).__name__,
)
def test_parameter_is_made_again_from_yaml(held):
    entry = yaml.safe_load(yaml.safe_dump(entry_of(Held(held), "e")))
    assert joblib.hash(made_value(entry).held) == joblib.hash(held)


class Forgets:
    """What it would be made again with is unknown."""

    def __init__(self, scale=1):
        self.scale = 2 * scale


def test_distributions_types_and_names_of_columns_that_mean_the_same():
    for held in (stats.loguniform(1e-3, 1), stats.randint(1, high=5)):
        again = made_value(yaml.safe_load(yaml.safe_dump(entry_of(Held(held), "e")))).held
        assert (again.dist.name, again.args, again.kwds) == (held.dist.name, held.args, held.kwds)
    entry = entry_of(Held([X.columns, np.dtype("f4"), np.array([True]), range(2)]), "e")
    assert entry["params"]["held"] == [["a", "b"], {"function": "numpy.float32"}, [True], [0, 1]]
    numbers = entry_of(LogisticRegression(C=np.float64(0.5), max_iter=np.int64(200)), "e")["params"]
    assert [type(numbers[name]) for name in ("C", "max_iter")] == [float, int]


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (StandardScaler().set_output(transform="pandas"), "StandardScaler has a `set_output`"),
        (Forgets(2), "is a Forgets, expected .* an object whose attributes"),
        (np.random.RandomState(0), "RandomState, and what it draws depends .* a whole number"),
        (make_scorer(lambda y, p: 1.0), "a lambda has no name"),
        ((one for one in [1]), "is a generator, expected a number"),
        (lambda x: x, "a lambda has no name to be found by: define it with `def` at the top"),
        (type("Inner", (), {"__qualname__": "f.<locals>.Inner"}), "defined inside a function"),
    ],
)
def test_parameter_that_nobody_can_make_again(held, told):
    with pytest.raises(UserError, match=rf"^e: its parameter held.*{told}"):
        entry_of(Held(held), "e")


def assert_as_cross_validated(models, x, y):
    """Compare the scores of all folds with those of scikit-learn alone."""
    found = bakeoff.compare_estimators(models, x, y, cv=FOLDS, tests=["corrected_kfold_t"])
    for name, model in models.items():
        own = found.scores.query("model == @name").sort_values("fold")["value"]
        expected = cross_val_score(model, x, np.ravel(y), cv=FOLDS, scoring="accuracy")
        np.testing.assert_allclose(own, expected, err_msg=name)
    return found


def selected(**kinds):
    numbers = ("n", StandardScaler(), make_column_selector(dtype_include="number"))
    others = ("k", OneHotEncoder(dtype=np.float32), make_column_selector(**kinds))
    return make_pipeline(ColumnTransformer([numbers, others]), LogisticRegression())


def test_scores_are_those_of_scikit_learn_on_columns_of_all_types():
    x = X.assign(
        high=X["b"] > 0.5,
        kind=pd.Categorical(np.where(X["b"] * Y.size % 2 > 1, "u", "v")),
        part=pd.cut(X["b"], 3),
    )
    scaled = [("n", MinMaxScaler((0, 2)), slice(0, 2))]
    numbers = ColumnTransformer(scaled, verbose_feature_names_out=False)
    draws = {"C": stats.loguniform(1e-2, 1e2), "gamma": stats.uniform(0.1, 1)}
    search = RandomizedSearchCV(SVC(), draws, n_iter=2, random_state=0, cv=StratifiedKFold(2))
    models = {
        "selected": selected(dtype_include=["category", "bool"]),
        "numbers": Pipeline([("scaled", numbers), ("last", search)]),
    }
    assert_as_cross_validated(models, x, Y)


@pytest.mark.parametrize("y", [Y, np.where(Y == "yes", 1, 2)[:, None]], ids=["texts", "column"])
def test_classes_that_parameters_name_are_those_of_y(y):
    no, yes = y[Y == "no"].flat[0].item(), y[Y == "yes"].flat[0].item()
    scorer = make_scorer(f1_score, pos_label=no)
    weighted = LogisticRegression(class_weight={yes: 5, no: 1})
    weights = {"class_weight": [{no: 9, yes: 1}, {no: 1, yes: 3}]}
    models = {
        "weighted": weighted,
        "searched": GridSearchCV(weighted, weights, scoring=scorer, cv=2),
    }
    assert_as_cross_validated(models, X.set_axis([0, 1], axis=1), y)


def test_texts_are_given_to_their_vectorizer():
    good, bad = ["good", "fine", "very good"], ["bad", "poor", "very bad"]
    rng = np.random.default_rng(0)
    x = [" ".join(rng.choice(good if y == "yes" else [*good, *bad], 3)) for y in Y]
    words = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    ranges = {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)]}
    found = assert_as_cross_validated({"w": words, "s": GridSearchCV(words, ranges, cv=2)}, x, Y)
    assert (found.scores["value"] > 0.5).all()


CELL = """
from sklearn.naive_bayes import GaussianNB
class OfCell(GaussianNB): pass
"""


@pytest.fixture
def session(monkeypatch):
    names = vars(sys.modules["__main__"])
    for name in ("OfCell", "GaussianNB"):
        monkeypatch.setitem(names, name, None)  # and so it is removed at the end
    exec(CELL, names)
    return names


def test_code_of_the_session_is_fitted_in_this_process_alone(session, tmp_path):
    models = {"own": session["OfCell"](), "svc": SVC()}
    found = bakeoff.compare_estimators(models, X, Y, cv="holdout")
    bare = bakeoff.compare_estimators({**models, "own": GaussianNB()}, X, Y, cv="holdout")
    assert list(found.scores["value"]) == list(bare.scores["value"])
    why = r"estimators\['own'\] needs OfCell, which is defined in your script or notebook"
    with pytest.raises(UserError, match=rf"n_jobs: {why}.* leave `n_jobs` at 1$"):
        bakeoff.compare_estimators(models, X, Y, n_jobs=2)
    with pytest.raises(UserError, match=rf"to_yaml: {why}.* import it from there$"):
        found.to_yaml(tmp_path / "x.yaml")
    assert not list(tmp_path.iterdir())
    exec(CELL, session)
    with pytest.raises(UserError, match=r"\['own'\]: your session has another OfCell by now"):
        bakeoff.compare_estimators(models, X, Y)


def test_columns_that_fit_no_table_are_refused_for_what_they_are():
    X = pd.DataFrame({"x": range(60), "odd": [1, "a"] * 30})
    models = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=1.0)}
    with pytest.raises(UserError, match="X: a column cannot be written to a table"):
        bakeoff.compare_estimators(models, X, [0, 1] * 30)
    large = sparse.csr_matrix((10**5, 10**5))
    with pytest.raises(UserError, match=r"X: a sparse matrix of shape .* would take 80 GB as a"):
        bakeoff.compare_estimators(models, large, np.zeros(10**5))

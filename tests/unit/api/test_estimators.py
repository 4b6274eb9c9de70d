"""Estimators compared by one call, the experiment written of them, and what users pass beside."""

import functools
import operator
import sys

import joblib
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
import yaml
from scipy import sparse, stats
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, fbeta_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bakeoff
from bakeoff.api.entries import entry_of
from bakeoff.api.tables import joined_table
from bakeoff.errors import UserError
from bakeoff.fit.estimator import parameter_value

RNG = np.random.default_rng(3)
N = 90
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
Y = np.where(X["a"] + RNG.normal(size=N) > 0.3, "yes", "no")
IRIS, KINDS = load_iris(return_X_y=True)
TWO = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
A, B = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
HOLDOUT = {"cv": "holdout"}
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
    assert joblib.hash(parameter_value(entry).held) == joblib.hash(held)


class Forgets:
    """What it would be made again with is unknown."""

    def __init__(self, scale=1):
        self.scale = 2 * scale


def test_distributions_types_and_names_of_columns_that_mean_the_same():
    for held in (stats.loguniform(1e-3, 1), stats.randint(1, high=5)):
        again = parameter_value(yaml.safe_load(yaml.safe_dump(entry_of(Held(held), "e")))).held
        assert (again.dist.name, again.args, again.kwds) == (held.dist.name, held.args, held.kwds)
    entry = entry_of(Held([X.columns, np.dtype("f4"), np.array([True]), range(2)]), "e")
    assert entry["params"]["held"] == [["a", "b"], {"function": "numpy.float32"}, [True], [0, 1]]
    numbers = entry_of(LogisticRegression(C=np.float64(0.5), max_iter=np.int64(200)), "e")["params"]
    assert [type(number) for number in numbers.values()] == [float, int], "and no defaults"


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
    kind = pd.Categorical(np.where(X["b"] * Y.size % 2 > 1, "u", "v"))
    x = X.assign(high=X["b"] > 0.5, kind=kind, part=pd.cut(X["b"], 3))
    scaled = [("n", MinMaxScaler((0, 2)), slice(0, 2))]
    numbers = ColumnTransformer(scaled, verbose_feature_names_out=False)
    draws = {"C": stats.loguniform(1e-2, 1e2), "gamma": stats.uniform(0.1, 1)}
    search = RandomizedSearchCV(SVC(), draws, n_iter=2, random_state=0, cv=StratifiedKFold(2))
    piped = Pipeline([("scaled", numbers), ("last", search)])
    models = {"selected": selected(dtype_include=["category", "bool"]), "numbers": piped}
    assert_as_cross_validated(models, x, Y)


def test_what_is_passed_is_fitted_and_the_methods_say_so(tmp_path):
    x, y = load_breast_cancer(return_X_y=True)
    models = {"svc": SVC(), "bayes": GaussianNB(), "near": KNeighborsClassifier()}
    found = assert_as_cross_validated(models, x, y)
    assert "svc, bayes and near used the columns without preprocessing." in found.methods
    assert "The data have 569 rows and 30 features" in found.methods
    assert "with the folds of StratifiedKFold" in found.methods
    for untrue in ("fold_1", "snakemake", "skrub", "imputed", "encoded"):
        assert untrue not in found.methods
    own = "their form is bakeoff's own and was chosen by simulation"
    assert "The standard errors of the intervals of expected scores have" in found.methods
    assert own in found.methods
    by_rows = bakeoff.compare_estimators({"a": SVC(), "b": GaussianNB()}, x, y, cv=FOLDS)
    assert "The standard errors of the row-wise t test and of the intervals" in by_rows.methods
    assert own in by_rows.methods
    auto = bakeoff.compare_estimators(models, x, y, cv="holdout", preprocessing="auto")
    said = "for svc, bayes and near on training rows only: numbers were standardised."
    assert said in auto.methods
    assert said in auto.save(tmp_path / "page.md").read_text(encoding="utf-8")


def test_codes_and_gaps_go_to_estimators_that_take_them():
    boosted = HistGradientBoostingClassifier(max_iter=5)
    x = X.assign(kind=pd.Categorical(np.where(X["b"] > 0.5, "u", "v"))).mask(X["a"] > 1)
    searched = GridSearchCV(boosted, {"max_depth": [1, 2]})
    assert_as_cross_validated({"a": boosted, "b": searched}, x, Y)
    for given, told in ((x, "no numbers in column 'kind'"), (x[["a"]], "missing in column 'a'")):
        with pytest.raises(UserError, match=rf"^X: values are {told}, which estimators\['svc'\] "):
            bakeoff.compare_estimators({"a": boosted, "svc": SVC()}, given, Y)


@pytest.mark.parametrize("y", [Y, np.where(Y == "yes", 1, 2)[:, None]], ids=["texts", "column"])
def test_classes_that_parameters_name_are_those_of_y(y):
    no, yes = y[Y == "no"].flat[0].item(), y[Y == "yes"].flat[0].item()
    scorer = make_scorer(f1_score, pos_label=no)
    weighted = LogisticRegression(class_weight={yes: 5, no: 1})
    weights = {"class_weight": [{no: 9, yes: 1}, {no: 1, yes: 3}]}
    models = {"weighted": weighted, "s": GridSearchCV(weighted, weights, scoring=scorer, cv=2)}
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


# --- by one call, and as an experiment


def same_results(one, other):
    columns = ["test", "metric", "estimate", "statistic", "pvalue", "ci_low", "ci_high", "n"]
    tables = (found.comparisons[columns] for found in (one, other))
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_workflow_of_the_written_experiment_finds_the_same(tmp_path, in_folder):
    groups = np.arange(150) // 3
    x = pd.DataFrame(IRIS, columns=[*"abcd"])
    x = x.assign(wide=x["b"] > 3, size=pd.cut(x["c"], 3))
    columns = [("n", StandardScaler(), make_column_selector(dtype_include="number"))]
    columns.append(("k", OneHotEncoder(), make_column_selector(dtype_include=["bool", "category"])))
    draws = {"max_depth": stats.randint(1, 4)}
    search = RandomizedSearchCV(DecisionTreeClassifier(), draws, n_iter=2, cv=2)
    last = {"tree": search, "stump": TWO["stump"]}
    models = {m: make_pipeline(ColumnTransformer(columns), one) for m, one in last.items()}
    given = {"cv": {"cv_5x2": {}, "holdout": {}}, "metrics": ["f1_macro"]}
    with pytest.raises(UserError, match=r"^estimators\['tree'\]: .* one group .* both"):
        bakeoff.compare_estimators(models, x, KINDS, groups=groups, **given)
    found = bakeoff.compare_estimators(models, x, KINDS, **given)
    file = found.to_yaml(tmp_path / "iris.yaml")
    same_results(bakeoff.run(file, cores=1, options=["--quiet", "all"]), found)


def test_workers_change_nothing_and_a_bar_counts_the_fits(capsys):
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    with pytest.raises(UserError, match=r"^cv: .* 2 divisions .*'folds': 3, 'repeats': 2"):
        bakeoff.compare_estimators(TWO, IRIS, KINDS, cv=splitter)
    plan = {"kfold": {"folds": 3, "repeats": 2}}
    alone = bakeoff.compare_estimators(TWO, IRIS, KINDS, cv=plan, progress=True)
    assert capsys.readouterr().err.endswith("] 12/12\n")
    same_results(bakeoff.compare_estimators(TWO, IRIS, KINDS, cv=plan, n_jobs=2), alone)
    assert capsys.readouterr().err == ""
    assert set(alone.comparisons["test"]) == {"fold_rows_difference"}


def test_regressors_and_names_that_are_no_ids():
    x, y = load_diabetes(return_X_y=True, as_frame=True)
    for name in ("r" * 60, "r" * 61, "ridge regression", "ridge, α = 1"):
        models = {name: Ridge(), "tree": DecisionTreeRegressor(max_depth=2)}
        found = bakeoff.compare_estimators(models, x[:99], y[:99], cv="holdout", unit="points")
        ids = [*models] if name == "r" * 60 else ["model-1", "model-2"]
        assert list(found._study.experiment.models) == ids
    assert all("ridge, α = 1" in text for text in (found.verdict, found.to_json()))
    assert "points" in found.verdict
    assert set(found.comparisons["metric"]) == {"rmse"}


def test_time_and_a_column_of_the_table():
    frame = pd.DataFrame(IRIS, columns=list("abcd")).assign(day=np.arange(150))
    order = np.random.default_rng(0).permutation(150)
    found = bakeoff.compare_estimators(TWO, frame, KINDS[order], cv="holdout", time="day")
    assert "follow each other in time by day" in found.methods
    taken = pd.DataFrame({"target": [1, 2], "target_1": [3, 4]})
    roles = joined_table(taken, KINDS[:2], {"groups": [5, 6]})[1]
    assert roles == {"target": "target_2", "groups": "groups"}


def test_large_tables_are_divided_once_by_default():
    x = np.arange(50_000)[:, None]
    y = (x[:, 0] + np.random.default_rng(0).normal(size=50_000) * 9000 > 25_000).astype(int)
    found = bakeoff.compare_estimators(TWO, x, y)
    assert set(found.scores["plan"]) == {"holdout"}


def pvalue(*args, **options):
    return bakeoff.compare_estimators(*args, **options).comparisons["pvalue"].tolist()


def test_estimators_are_taken_in_any_form():
    expected = pvalue({"a": A, "b": B}, IRIS, KINDS, **HOLDOUT)
    for given in ((A, B, IRIS, KINDS), ([A, B], IRIS, KINDS), ([("a", A), ("b", B)], IRIS, KINDS)):
        assert pvalue(*given, **HOLDOUT) == expected
    found = bakeoff.compare_estimators(A, A, B, IRIS, KINDS, **HOLDOUT)
    assert set(found.scores["model"]) == {"GaussianNB-1", "GaussianNB-2", "DecisionTreeClassifier"}


COLUMNS = list("abcd")


@pytest.mark.parametrize("form", [pd.DataFrame, polars.from_pandas, pa.Table.from_pandas])
def test_the_target_may_be_a_column_by_its_name(form):
    frame = pd.DataFrame(IRIS, columns=COLUMNS).assign(kind=KINDS)
    expected = pvalue(A, B, IRIS, KINDS, cv=FOLDS)
    assert pvalue(A, B, form(frame), "kind", cv=FOLDS) == expected
    with pytest.raises(UserError, match=r"^y: unknown column of X 'kinds'; did you mean 'kind'"):
        bakeoff.compare_estimators(A, B, form(frame), "kinds")
    with pytest.raises(UserError, match=r"^y: found 'kind', expected .* X is of the type ndarray"):
        bakeoff.compare_estimators(A, B, IRIS, "kind")


@pytest.mark.parametrize("preprocessing", ["auto", "none"])
def test_sparse_frames_of_numbered_columns_are_as_dense_ones(preprocessing):
    x = pd.DataFrame(np.where(IRIS > 2, IRIS, 0))
    thin = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(x))
    how = {"cv": FOLDS, "preprocessing": preprocessing}
    expected = pvalue(A, B, x, KINDS, **how)
    assert pvalue(A, B, thin, KINDS, **how) == expected
    assert pvalue(A, B, thin.assign(kind=KINDS), "kind", **how) == expected
    assert pvalue(A, B, pd.concat([thin, pd.Series(KINDS, name=4)], axis=1), 4, **how) == expected


def test_truth_of_booleans_takes_a_positive_class_of_0_and_1():
    y = np.arange(150) < 50
    how = {"cv": FOLDS, "metrics": ["f1"]}
    expected = pvalue(A, B, IRIS[:, :2], y.astype(int), positive=0, **how)
    assert pvalue(A, B, IRIS[:, :2], y, positive=0, **how) == expected
    assert pvalue(A, B, IRIS[:, :2], y.astype(int), positive=False, **how) == expected


def test_folds_by_a_column_of_groups_that_is_named():
    frame = pd.DataFrame(IRIS, columns=COLUMNS).assign(group=np.arange(150) // 5)
    expected = pvalue(A, B, IRIS, KINDS, cv=GroupKFold(5), groups=frame["group"].to_numpy())
    assert pvalue(A, B, frame, KINDS, cv=GroupKFold(5), groups="group") == expected


def test_folds_and_metrics_are_named_as_in_scikit_learn():
    expected = pvalue(A, B, IRIS, KINDS, plan={"kfold": {"folds": 5}}, metrics=["mcc"])
    assert pvalue(A, B, IRIS, KINDS, cv=np.int64(5), scoring="matthews_corrcoef") == expected
    two = ["accuracy", "neg_log_loss"]
    found = bakeoff.compare_estimators(A, B, IRIS, KINDS, cv=FOLDS, scoring=two)
    assert set(found.scores["metric"]) == {"accuracy", "log_loss"}


AUTO = {"preprocessing": "auto"}


def test_columns_are_encoded_but_for_those_of_pipelines():
    frame = pd.DataFrame(IRIS, columns=list("abcd")).assign(t=np.where(IRIS[:, 0] > 5.5, "u", "v"))
    assert pvalue(A, B, frame, KINDS, **HOLDOUT, **AUTO)
    with pytest.raises(bakeoff.UserError, match='preprocessing="auto" encodes texts'):
        bakeoff.compare_estimators(A, B, frame, KINDS, **HOLDOUT)
    scaled = LogisticRegression(C=1e-3)
    own = [make_pipeline(StandardScaler(), scaled), make_pipeline(B)]
    table = 100 * IRIS, KINDS
    raw = pvalue(make_pipeline(scaled), make_pipeline(B), *table, **HOLDOUT)
    assert pvalue(scaled, B, *table, **HOLDOUT, **AUTO) == pvalue(*own, *table, **HOLDOUT) != raw
    assert pvalue(scaled, B, *table, **HOLDOUT) == raw


NEAREST = r"^tests\.run\[0\]: unknown test 'mcnemr'; did you mean 'mcnemar'\? .* and \d+ more"
ODD = pd.DataFrame({"x": range(150), "odd": [1, "a"] * 75})
LARGE = sparse.csr_matrix((1, 2**27 + 1))
HOLED = pd.DataFrame(IRIS).replace(IRIS[0, 0], np.nan)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (({"a": GaussianNB()}, IRIS, KINDS), "estimators: expected two at least"),
        (({"a": GaussianNB, "b": SVC()}, IRIS, KINDS), r"estimators\['a'\]: found the class Gau"),
        (({"a": Ridge(), "b": GaussianNB()}, IRIS, KINDS), "a is a regressor, b is a classifier"),
        ((TWO, IRIS, KINDS[:9]), "y: found 9 values for the 150 rows of X"),
        ((TWO, IRIS, np.where(KINDS == 0, np.nan, KINDS)), "y: 50 of its 150 values are missing"),
        ((TWO, [1, 2], KINDS), r"X: found list of shape \(2,\)"),
        ((TWO, pd.DataFrame(IRIS, columns=["a", 1, 2, 3]), KINDS), "X: found the column 1, expec"),
        (
            (TWO, ODD, [0, 1] * 75),
            r"X: values are no numbers in column 'odd', which estima",
        ),
        ((TWO, ODD, [0, 1] * 75, AUTO), "X: a column cannot be written to a table"),
        ((TWO, LARGE, [0]), r"X: a sparse matrix of shape .* would take 1 GB as a"),
        (
            (TWO, HOLED, KINDS),
            r"X: values are missing in columns 'x1', 'x3', .*\['bayes'\] \(G",
        ),
        ((TWO, IRIS, pd.Series(KINDS, index=np.arange(150) + 1)), "y: its index is not that of X"),
        ({"cv": ShuffleSplit(3)}, "cv: found ShuffleSplit, expected a number of folds"),
        ({"cv": "kfolds"}, "cv: unknown plan 'kfolds'; did you mean 'kfold'"),
        ({"cv": True}, "cv: found bool, expected a number of folds"),
        ({"cv": 1}, "^resampling.kfold.folds: expect"),
        ({"cv": 3, "plan": 3}, "plan, cv: these are one"),
        ({"tests": ["mcnemr"]}, NEAREST),
        ({"cv": StratifiedKFold(99)}, "cv: StratifiedKFold cannot split these rows"),
        ({"versus": "x"}, "versus: unknown estimator 'x'"),
        ({"groups": "day"}, "groups: unknown column of X 'day'"),
        ({"metrics": ["rmse"]}, "metrics.*rmse compares numbers"),
        ({"alpha": 3}, "alpha: expected less than 1, found 3"),
        ({"n_jobs": 0}, "n_jobs: found 0, expected a number of processes"),
        ({"preprocessing": "all"}, r"estimators\['bayes'\].preprocessing"),
    ],
)
def test_mistakes_are_told(given, told):
    arguments, options = ((TWO, IRIS, KINDS), given) if isinstance(given, dict) else (given, {})
    if isinstance(arguments[-1], dict):
        *arguments, options = arguments
    with pytest.raises(UserError, match=told):
        bakeoff.compare_estimators(*arguments, **options)


def test_path_of_another_kind(tmp_path):
    found = bakeoff.compare_estimators(TWO, IRIS, KINDS, cv="holdout")
    with pytest.raises(UserError, match=r"path: found .* expected a name with .yaml"):
        found.to_yaml(tmp_path / "x.json")
    assert not list(tmp_path.glob("x*"))
    for fixed, other in (("x.yaml", "x.parquet"), ("y.parquet", "y.yaml")):
        (tmp_path / fixed).touch(0o444)
        with pytest.raises(UserError, match=f"{fixed} cannot be written: its mode is 0444"):
            found.to_yaml(tmp_path / f"{fixed[0]}.yaml")
        assert not (tmp_path / other).exists()

"""Scores and predictions of folds, and of a search, compared as the workflow compares them."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bakeoff
from bakeoff import UserError
from bakeoff.api.fold_plans import plan_of

ALL, Y = (given[:200] for given in load_breast_cancer(return_X_y=True))
X, NAMED = ALL[:, :4], np.where(Y == 1, "benign", "malign")
GROUPS = np.arange(200) // 4
LEARNERS = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=1, random_state=0),
    "other": DecisionTreeClassifier(max_depth=3, random_state=0),
}


def groups(cv):
    return GROUPS if "Group" in type(cv).__name__ else None


def results(cv, scoring="accuracy", **options):
    return {
        name: cross_validate(learner, X, Y, cv=cv, scoring=scoring, groups=groups(cv), **options)
        for name, learner in LEARNERS.items()
    }


def stratified(folds, repeats):
    return RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)


ONCE, REPEATED, DRAWN = (f"corrected_{name}_t" for name in ("kfold", "repeated_kfold", "resampled"))
THIRDS = ShuffleSplit(12, test_size=0.3, random_state=0)
ROWS = StratifiedShuffleSplit(9, test_size=33, random_state=0)
PLANS = {
    # splitter, the test for it, and its section `resampling:`
    "10 folds": (StratifiedKFold(10), ONCE, {"kfold": {"folds": 10, "repeats": 1}}),
    "7 folds": (KFold(7), ONCE, {"kfold": {"folds": 7, "repeats": 1}}),
    "an integer": (6, ONCE, {"kfold": {"folds": 6, "repeats": 1}}),
    "groups": (GroupKFold(5), ONCE, {"kfold": {"folds": 5, "repeats": 1}}),
    "repeated": (stratified(7, 3), REPEATED, {"kfold": {"folds": 7, "repeats": 3}}),
    "5x2": (stratified(2, 5), REPEATED, {"cv_5x2": {}}),
    "random": (THIRDS, DRAWN, {"resampled": {"repeats": 12, "test_size": 0.3}}),
    "rows": (ROWS, DRAWN, {"resampled": {"repeats": 9, "test_size": 0.165}}),
}


@pytest.mark.parametrize("cv", [ShuffleSplit(5, test_size=0.25, random_state=0), KFold(4)])
def test_rows_of_a_fold_are_told_where_their_number_is_known(cv):
    scores = np.random.default_rng(0).random((2, cv.get_n_splits()))
    for n, known in ((None, set()), (80, {(60, 20)})):
        found = bakeoff.compare_folds(dict(zip("ab", scores, strict=True)), cv=cv, n=n, metric="f1")
        sizes = found.scores[["n_train", "n_test"]].dropna()
        assert set(sizes.itertuples(index=False, name=None)) == known


@pytest.mark.parametrize("plan", PLANS)
def test_what_a_splitter_says_is_what_its_splits_are(plan):
    cv, test, resampling = PLANS[plan]
    own = KFold(cv) if isinstance(cv, int) else cv
    splits = list(own.split(X, Y, groups(own)))
    named, seen = plan_of(cv, len(Y), len(splits), None), plan_of(cv, None, len(splits), splits)
    assert (named.name, named.repeats, named.folds) == (seen.name, seen.repeats, seen.folds)
    ratio = [sum(p.n_test) / sum(p.n_train) for p in (named, seen)]
    assert ratio[0] == pytest.approx(ratio[1], rel=1e-12)
    if named.sized:
        assert named.n_test.tolist() == seen.n_test.tolist()
    assert (named if named.sized else seen).resampling == resampling
    found = results(cv, ["accuracy", "roc_auc"], return_indices=True)
    told, proved = (bakeoff.compare_folds(found, cv=cv, n=n).comparisons for n in (len(Y), None))
    assert set(told["test"]) == {test}
    pd.testing.assert_frame_equal(told, proved)


def test_shares_of_random_divisions_are_known_without_the_number_of_rows():
    for tested, trained, share in ((None, None, 0.1), (None, 0.8, 0.2), (0.2, 0.6, 0.25)):
        plan = plan_of(ShuffleSplit(2, test_size=tested, train_size=trained), None, 2, None)
        assert plan.resampling == {"resampled": {"repeats": 2, "test_size": pytest.approx(share)}}


def test_list_of_splits_is_known_by_its_rows():
    cv = RepeatedKFold(n_splits=5, n_repeats=2, random_state=1)
    splits = list(cv.split(X))
    found = results(splits)
    own = bakeoff.compare_folds(found, cv=splits).to_json()
    assert bakeoff.compare_folds(found, cv=cv, n=len(Y)).to_json() == own
    drawn = [np.random.default_rng(i).permutation(200) for i in range(6)]
    halves = [(rows[:100], rows[100:]) for rows in drawn]
    for n in (2, 6):
        assert plan_of(halves[:n], None, n, None).name == "resampled"


@pytest.mark.parametrize(
    ("cv", "test", "n"), [(TimeSeriesSplit(6), REPEATED, 6), (LeaveOneOut(), ONCE, 30)]
)
def test_as_many_folds_as_rows_or_training_on_more_and_more_of_them(cv, test, n):
    x, y = X[40:70], Y[40:70]
    found = {name: cross_validate(learner, x, y, cv=cv) for name, learner in LEARNERS.items()}
    table = bakeoff.compare_folds(found, cv=cv, n=30).comparisons
    assert (set(table["test"]), set(table["n"])) == ({test}, {n})
    assert plan_of(cv, 30, n, None).growing == (n == 6)


def test_tests_by_name_and_their_options():
    cv = stratified(2, 5)
    found = bakeoff.compare_folds(
        results(cv), cv=cv, metric="accuracy", tests=["cv5x2_f", "bayes_correlated_t"],
        options={"bayes_correlated_t": {"rope": 0.02}}, versus="tree", alpha=0.1,
    )  # fmt: skip
    table = found.comparisons
    assert table["test"].tolist() == ["cv5x2_f"] * 2 + ["bayes_correlated_t"] * 2
    assert set(table["model_a"]) == {"tree"}
    assert set(table["rope"].dropna()) == {0.02}
    assert set(table["alpha"]) == {0.1}


def test_scores_alone_are_taken():
    whole = bakeoff.compare_folds(results(5), cv=5)
    several = results(5, ["f1", "accuracy"])
    for how in ({"metric": "f1"}, {"metrics": ["f1"]}):
        found = bakeoff.compare_folds(several, cv=5, n=200, **how)
        assert set(found.comparisons["metric"]) == {"f1"}
    scores = {name: cross_val_score(learner, X, Y, cv=5) for name, learner in LEARNERS.items()}
    for usual in ({"cv": 5}, {}):  # five folds are scikit-learn's default
        alone = bakeoff.compare_folds(scores, values="higher", **usual)
        assert alone.to_json() == whole.to_json()
    assert set(whole.scores["metric"]) == {"score"}
    found = results(5)  # of which one fit failed
    found["tree"]["test_score"][2] = np.nan
    table = bakeoff.compare_folds(found, cv=5).to_frame().set_index(["model_a", "model_b"])
    assert table.loc[("bayes", "tree"), "decision"] == "undecided"
    assert table.loc[("bayes", "other"), "decision"] != "undecided"


# --- a search: the numbers of this example of scikit-learn are rows of tests/coming_from


@cache
def example():
    data, labels = make_moons(noise=0.352, random_state=1, n_samples=100)
    cv = stratified(10, 10)
    grid = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv)
    return search.fit(data, labels)


def test_bayesian_part_of_the_example():
    found = bakeoff.compare_search(example(), tests=["bayes_correlated_t"])
    first = found.to_frame().iloc[0]
    assert first["p_equivalent"] == pytest.approx(0.432, abs=5e-4)
    assert first["rope"] == 0.01
    assert not {"data", "undeclared", "splits"} & set(found.tables), "scores do not know these"
    assert " 0 rows" not in found.methods


def test_best_is_adjusted_for_all_pairs():
    found, whole = (bakeoff.compare_search(example(), versus=v) for v in ("best", None))
    table = found.to_frame()
    assert set(table["model_a"]) == {"kernel=rbf"}
    assert set(table["family_size"]) == {6}
    pd.testing.assert_frame_equal(found.comparisons, whole.comparisons)
    named = bakeoff.compare_search(example(), versus="kernel=rbf").to_frame()
    assert set(named["family_size"]) == {3}
    assert named["pvalue"].tolist() == table["pvalue"].tolist()
    assert len(repr(found).splitlines()) < len(repr(whole).splitlines())


def test_several_metrics_are_ranked_by_that_of_refit():
    how = {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc", "cv": 4}
    tree, depths = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2], "ccp_alpha": [0]}
    search = GridSearchCV(tree, depths, **how).fit(X, Y)
    found = bakeoff.compare_search(search)
    assert list(dict.fromkeys(found.scores["metric"])) == ["roc_auc", "accuracy"]
    assert set(found.to_frame()["metric"]) == {"roc_auc"}
    assert set(found.scores["model"]) == {"max_depth=1", "max_depth=2"}, "in what they differ"


def test_losses_of_numbers_have_our_names_and_their_own_sign():
    scoring = ["neg_root_mean_squared_error", "neg_mean_absolute_percentage_error", "r2"]
    numbers = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}
    rows = np.random.default_rng(0).normal(size=(100, 3))
    target = rows.sum(axis=1) / 9 + 1  # errors below 1 are errors all the same
    how = {"X": rows[:, :2], "y": target, "cv": 5, "scoring": scoring}
    made = {name: cross_validate(one, **how) for name, one in numbers.items()}
    found = bakeoff.compare_folds(made, cv=5, n=100)
    assert set(found.scores["metric"]) == {"rmse", "mape", "r2"}
    assert (found.scores["value"][found.scores["metric"] != "r2"] > 0).all()
    assert "root mean squared error" in found.verdict
    losses = {name: one["test_neg_root_mean_squared_error"] for name, one in made.items()}
    pvalue = found.comparisons.query("metric == 'rmse'")["pvalue"].item()
    for sign in (1, -1):  # scikit-learn's scores, or errors as they are
        own = {name: sign * values for name, values in losses.items()}
        alone = bakeoff.compare_folds(own, cv=5, n=100, metric="rmse").comparisons
        assert alone["decision"].item() == found.comparisons["decision"].iloc[0]
        assert alone["pvalue"].item() == pytest.approx(pvalue)
    poor = bakeoff.compare_folds({"a": [-3, -2, -4], "b": [-1, -2, -1]}, cv=3, metric="r2")
    assert poor.scores["value"].max() < 0, "worse than the mean, and no loss"
    grid = GridSearchCV(Ridge(), {"alpha": [0.1, 100]}, cv=5, scoring=scoring[0])
    searched = bakeoff.compare_search(grid.fit(rows[:, :2], target))
    assert "root mean squared error of alpha=0.1" in searched.verdict


ERRORS = {"good": np.array([0.32, 0.34, 0.31, 0.33, 0.32])}
ERRORS["bad"] = ERRORS["good"] + [0.05, 0.04, 0.06, 0.05, 0.045]


@pytest.mark.parametrize("metric", ["error", "log_loss", "brier", "cost", "mae", "neg_log_loss"])
@pytest.mark.parametrize("sign", [1, -1])
def test_metric_with_a_name_knows_which_way_is_better(metric, sign):
    arrays = {name: sign * values for name, values in ERRORS.items()}
    results = {name: {"test_score": values} for name, values in arrays.items()}
    for given in (arrays, results):
        pair = bakeoff.compare_folds(given, cv=5, n=300, metric=metric).to_frame().iloc[0]
        assert pair["decision"] == "a_better"
        assert pair["metric"] == metric.removeprefix("neg_")
        assert pair["estimate"] == pytest.approx(0.049)


def test_which_way_is_better_is_asked_of_arrays_and_told_by_scorers():
    turned = {"lower": "a_better", "higher": "b_better"}
    for values, decision in turned.items():
        for metric in ((), "latency"):
            found = bakeoff.compare_folds(ERRORS, cv=5, n=300, values=values, metrics=metric)
            assert found.to_frame()["decision"].item() == decision
    for name in ("accuracy", "roc_auc_ovo_weighted"):  # scikit-learn has no other direction
        assert bakeoff.compare_folds(ERRORS, cv=5, n=300, metric=name).verdict.startswith("bad is")
    of_scorers = {name: {"test_score": values} for name, values in ERRORS.items()}
    assert bakeoff.compare_folds(of_scorers, cv=5, n=300).verdict.startswith("bad is better")


@pytest.mark.parametrize("from_predictions", [False, True])
def test_learners_that_are_known_are_cautioned_about(from_predictions):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    numbers = X @ np.arange(5) + rng.normal(size=60)
    scaled = [make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (1, 9)]
    for models, y, said in (
        ([Ridge(1000), Ridge(0.1)], numbers, "with strong shrinkage (here: {0})"),
        (scaled, numbers > 0, "with k-nearest neighbours (here: {0} and {1})"),
    ):
        names = ("model-1", "model-2") if from_predictions else "01"
        cv = KFold(5)
        how = {"cv": cv, "return_estimator": True, "return_indices": True}
        results = {str(i): cross_validate(one, X, y, **how) for i, one in enumerate(models)}
        given = {"X": X, "y": y} if from_predictions else {"n": 60}
        found = bakeoff.compare_folds(results, cv=cv, tests=["kfold_t"], **given).to_frame()
        assert said.format(*names) in found.loc[0, "caution"]
        for own in results.values():
            del own["estimator"]
        if not from_predictions:
            silent = bakeoff.compare_folds(results, cv=cv, tests=["kfold_t"], **given).to_frame()
            assert silent.loc[0, "caution"] == ""
            assert silent.loc[0, "pvalue"] == found.loc[0, "pvalue"]
    search = GridSearchCV(Ridge(), {"alpha": [100, 1000]}, cv=KFold(10)).fit(X, numbers)
    candidates = bakeoff.compare_search(search, tests=["kfold_t"]).to_frame()
    assert "strong shrinkage" in candidates.loc[0, "caution"]


# --- predictions of all folds, as scikit-learn or a table brings them

MODELS = {name: LEARNERS[name] for name in ("bayes", "tree")}
CV, FOUR = StratifiedKFold(5), StratifiedKFold(4)
FITTED = {"return_estimator": True, "return_indices": True}


def fitted(cv=CV, models=MODELS):
    return {m: cross_validate(one, ALL, NAMED, cv=cv, **FITTED) for m, one in models.items()}


def tables():
    fold = np.zeros(len(NAMED), dtype=int)
    for k, (_, test) in enumerate(CV.split(ALL, NAMED)):
        fold[test] = k
    said = {name: cross_val_predict(model, ALL, NAMED, cv=CV) for name, model in MODELS.items()}
    return {name: pd.DataFrame({"fold": fold, "y_pred": own}) for name, own in said.items()}


def mixed(one, other):
    return {"a": one["bayes"], "b": other["tree"]}


def short():
    return {name: table.iloc[:-1] for name, table in tables().items()}


def changed(**columns):
    return lambda: {name: own.assign(**columns) for name, own in tables().items()}


def test_folds_estimate_what_their_scores_do_and_rows_are_compared():
    results = fitted()
    scores = {name: one["test_score"] for name, one in results.items()}
    known = bakeoff.compare_folds(scores, cv=CV, n=len(NAMED), metric="accuracy")
    for given in ({"results": results, "X": ALL}, {"results": tables()}):
        found = bakeoff.compare_folds(**given, y=NAMED)
        assert "/" not in str(found._study.cards), "nothing of a temporary file is told"
        pair, expected = found.to_frame().iloc[0], known.to_frame().iloc[0]
        assert pair["estimate"] == pytest.approx(expected["estimate"])
        # With one division the larger p-value of both tests counts, and both intervals.
        assert (pair["test"], expected["test"]) == ("fold_rows_difference", "corrected_kfold_t")
        assert pair["pvalue"] >= expected["pvalue"] - 1e-12
        assert pair["ci_low"] <= expected["ci_low"] + 1e-12
        assert pair["ci_high"] >= expected["ci_high"] - 1e-12


def test_tests_on_rows_take_five_by_two_folds_with_probabilities_or_without():
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    results = fitted(cv, MODELS | {"ridge": RidgeClassifier()})
    found = bakeoff.compare_folds(results, X=ALL, y=NAMED, versus="tree")
    assert set(found.to_frame()["test"]) == {"fold_rows_difference"}
    assert set(found.to_frame()["model_a"]) | set(found.to_frame()["model_b"]) == set(results)
    two = {name: results[name] for name in MODELS}
    areas = bakeoff.compare_folds(two, X=ALL, y=NAMED, metrics=["roc_auc"], positive="malign")
    assert areas.to_frame().iloc[0]["metric"] == "roc_auc"
    kinds, cv = np.sort(np.arange(200) % 3).astype(str), KFold(3)  # no fold knows what it tests
    blind = {m: cross_validate(one, ALL, kinds, cv=cv, **FITTED) for m, one in MODELS.items()}
    found = bakeoff.compare_folds(blind, X=ALL, y=kinds, metrics=["brier"])
    assert found.scores["value"].between(1, 2).all(), "all of them are certainly wrong"


# --- mistakes


def of(cv):
    """Return results by splits, and these splits."""
    return (lambda: results(cv)), {"cv": cv}


BOTH = {"X": ALL, "y": NAMED}
SHUFFLED = KFold(5, shuffle=True)
OVERLAPPING = [(np.arange(90), np.arange(80, 200))] * 5
UNEVEN = [(np.arange(90), np.arange(100 + i, 120 + 2 * i)) for i in range(5)]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (lambda: {"a": results(5)["tree"]}, {"cv": 5}, "results: expected two models at least"),
        (*of(SHUFFLED), "cv: KFold may draw other splits for each model"),
        (lambda: results(SHUFFLED, return_indices=True), {}, "'tree'.: split 0 has other rows"),
        (lambda: results(5), {"cv": 4}, "cv: it makes 4 splits, the results have 5 scores"),
        (lambda: {**results(5), "tree": [1, 2]}, {"cv": 5}, r"scores \(bayes 5, tree 2, other 5\)"),
        (lambda: {**results(5), "tree": {"test_f1": [1]}}, {}, "are f1, those of bayes score"),
        (lambda: {"a": {"fit_time": [1]}, "b": [1, 2]}, {"cv": 2}, "found `fit_time`, expected"),
        (lambda: {"a": "x", "b": "y"}, {"cv": 2}, "test_score holds no score for each split"),
        (lambda: LEARNERS, {"cv": 2}, "found the estimator GaussianNB"),
        (lambda: results(5, ["f1"]), {"cv": 5, "metric": "f2"}, "metric: unknown metric 'f2'"),
        (*of(PredefinedSplit(GROUPS % 5)), "cv: what splits PredefinedSplit makes is not"),
        (*of(GroupShuffleSplit(5, random_state=0)), "have: pass `return_indices=True`"),
        (*of(ShuffleSplit(5, test_size=20, random_state=0)), "n: the sizes of `cv` are rows"),
        (*of(TimeSeriesSplit(5)), "n: TimeSeriesSplit"),
        (*of(ShuffleSplit(1, random_state=0)), "cv: one random division has no spread"),
        (lambda: {**tables(), "": results(5)["tree"]}, {"y": NAMED}, "'bayes'.: found DataFrame"),
        (lambda: results(5), {"cv": "five"}, "cv: found str, expected what `cross_validate`"),
        (lambda: results(5), {"cv": 5, "versus": "trea"}, "versus: unknown model 'trea'"),
        (lambda: results(5), {"cv": 5, "tests": ["cv5x2_f"]}, "cv5x2_f needs the plan"),
        (lambda: results(5), {"cv": 5, "alpha": 0}, "^alpha: "),
        (lambda: {"a": [80] * 5, "b": [80] * 5}, {"cv": 5, "metric": "accuracy"}, "80 lies out"),
        (lambda: ERRORS, {}, "^values: is a higher or a lower score better"),
        (lambda: ERRORS, {"metric": "fit_time"}, "^values: is a higher or a lower fit_time better"),
        (lambda: ERRORS, {"values": "up"}, "^values: unknown direction 'up'"),
        (lambda: ERRORS, {"metric": "mae", "values": "higher"}, "^values: found higher, but of"),
        (lambda: ERRORS, {"metric": "f1", "values": "lower"}, "^values: found lower, but of"),
        (lambda: {**ERRORS, "c": -ERRORS["bad"]}, {"metric": "mae"}, "mae has scores above and"),
        (tables, {"y": NAMED, "values": "higher"}, "^values: it is for scores of folds"),
        (*of(OVERLAPPING), "cv: a split tests rows that it trains on"),
        (*of(UNEVEN), "cv: its splits are no cross-validation"),
        (*of([(np.arange(0, 200, 2), np.arange(1, 200, 2))]), "cv: its splits are no cross-val"),
        # predictions
        (tables, {}, r"results\['bayes'\]: found no column y_true, and no y"),
        (tables, {"y": NAMED[:99]}, "y: 101 rows have no value, the first is 99"),
        (tables, {"y": NAMED, "groups": NAMED[:9]}, "groups: 191 rows have no value, the first is"),
        (tables, {"y": NAMED, "versus": "x"}, "versus: unknown model 'x'"),
        (tables, {"y": NAMED, "metric": "acuracy"}, "unknown metric .acuracy.; did"),
        (tables, {"y": NAMED, "tests": ["cv5x2_z"]}, "needs the plan `cv_5x2`"),
        (tables, {"y": NAMED, "options": {"x": {}}}, "options.x: unknown test 'x'"),
        (changed(fold=1), {"y": NAMED}, "results: all rows are of one fold.*`bakeoff.compare`"),
        (lambda: {"": tables()["bayes"], "b": tables()["tree"]}, {"y": NAMED}, "'.: expect"),
        (changed(y_pred=None), {"y": NAMED}, r"'bayes'\]: 200 of 200 rows have no prediction"),
        (fitted, {"y": NAMED}, r"results\['bayes'\]: found `fit_time`.*return_estimator=True"),
        (fitted, {"X": ALL}, "X: it is for predictions of folds, with y"),
        (fitted, {"X": ALL, "y": NAMED[:99]}, "cv: split 0 trains on 160 and tests 40 of 99 rows"),
        (lambda: fitted(TimeSeriesSplit(3)), BOTH, "all others to be trained on"),
        (lambda: mixed(fitted(), fitted(FOUR)), BOTH, r"'b'.: split 0 has other rows t"),
        (lambda: mixed(tables(), short()), {"y": NAMED}, r"199 rows, results\['a'\] 200; ids"),
        (changed(y_pred="x"), {"y": NAMED}, r"'bayes'\] predicts classes that the data do not"),
        # candidates of a search
        (lambda: GridSearchCV(SVC(), {}), {}, "search: found GridSearchCV, expected a fitted"),
        (example, {"versus": "rbf"}, "versus: unknown model 'rbf'"),
        (example, {"alternative": "greater"}, "alternative: candidates are ordered by these very"),
        (example, {"cv": KFold(5)}, "cv: it makes 5 splits, the results have 100 scores"),
    ],
)
def test_mistake_in_folds(given, options, said):
    results = given()
    of = bakeoff.compare_search if isinstance(results, GridSearchCV) else bakeoff.compare_folds
    with pytest.raises(UserError, match=said):
        of(results, **options)

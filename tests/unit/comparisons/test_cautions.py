"""Each comparison says where the type I error of its test was inflated in simulations."""

import itertools
import re

import pytest

from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.plan_tests import with_better
from bakeoff.comparisons.settings import planned
from bakeoff.stats import catalogue
from tests.unit.comparisons.conftest import analysis

KNN = "sklearn.neighbors.KNeighborsClassifier"
LOGISTIC = "sklearn.linear_model.LogisticRegression"
QDA = "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"
FOREST = "sklearn.ensemble.RandomForestClassifier"
SVM = "sklearn.svm.SVC"


def worst(test, setting, metric=""):
    """Return the simulated rate as the cautions write it."""
    (rate,) = (r for r in catalogue()[test].rates if (r.setting, r.metric) == (setting, metric))
    return f"{rate.rate:.2f}".lstrip("0")


def test_pairs_carry_cautions_about_the_kinds_of_their_own_learners(study):
    cancer = {"cancer": study.config["datasets"]["cancer"]}
    rows = study.run({"run": ["cv5x2_f"]}, datasets=cancer, metrics=["accuracy"])
    where = {"bayes": "naive Bayes (here: bayes)", "knn": "k-nearest neighbours (here: knn)"}
    highest = {"bayes": "naive Bayes", "knn": "k-nearest neighbours"}
    for row in rows:
        kinds = [model for model in (row.model_a, row.model_b) if model in where]
        assert row.caution == (
            "cv5x2_f has an inflated type I error with "
            f"{' and '.join(where[model] for model in kinds)}: up to "
            f"{worst('cv5x2_f', highest[kinds[-1]])} at the .05 level in simulations. Use "
            "fold_rows_difference (plan cv_5x2) instead."
        )
    assert len(rows) == 3


def test_test_that_holds_carries_none(study):
    rows = study.run({"run": ["mcnemar", "half_sample_t", "iman_davenport"]})
    assert {row.caution for row in rows} == {""}


def test_test_of_all_models_and_what_comes_along_carry_their_own(study):
    rows = study.run({"run": ["anova_repeated_measures"]})
    said, *_ = [row.caution for row in rows if row.role == "omnibus"]
    assert "anova_repeated_measures has an inflated type I error with k-nearest neighbours" in said
    assert "was not simulated with learners like tree and bayes." in said
    pairs = {(row.test, row.caution) for row in rows if row.role == "pair"}
    assert pairs == {("corrected_kfold_t", "")}


def config(**changes):
    two = {"source": "file", "path": "b.csv", "target": "y"}
    datasets = {"one": {**two, "groups": "g"}, "two": two}
    usual = {"datasets": datasets, "resampling": {"cv_5x2": {}}, "metrics": ["accuracy"]}
    return analysis(**(usual | changes))


def planned_in(one, test):
    """Plan a test of an experiment, with those that could run in its place."""
    return with_better(planned(catalogue()[test], one.tests), one)


def said(test, models, metric="accuracy", dataset="two", failed=(), **changes):
    """Return the sentences about a test of models, given as in YAML or by their estimators."""
    entries = {n: {"estimator": one} if isinstance(one, str) else one for n, one in models.items()}
    one = config(models=entries, **changes)
    found = cautions(planned_in(one, test), one, failed, metric, dataset)
    return " ".join(found.sentences(list(models)))


def test_groups_of_one_data_set_are_no_caution_about_another():
    models = {"lda": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis", "log": LOGISTIC}
    assert said("cv5x2_f", models) == ""
    text = said("cv5x2_f", models, dataset="one")
    assert text.startswith("cv5x2_f has an inflated type I error with rows in groups: up to .")
    assert text.endswith("Use fold_rows_difference (plan cv_5x2) instead.")


def test_learners_that_were_not_simulated_are_told():
    text = said("cv5x2_f", {"logistic": LOGISTIC, "own": "mine.Own"})
    assert text == (
        "cv5x2_f has an inflated type I error with some learners and was not simulated with "
        "learners like own."
    )
    assert said("cv5x2_f", {"logistic": LOGISTIC}) == ""
    assert said("half_sample_t", {"own": "mine.Own"}) == ""
    for test in ("cv5x2_f", "corrected_repeated_kfold_t", "corrected_kfold_t"):
        assert said(test, {"forest": FOREST, "tree": "sklearn.tree.DecisionTreeClassifier"}) == ""
    text = said("cv5x2_mcnemar", {"logistic": LOGISTIC}, failed=["own"])
    assert text.startswith("cv5x2_mcnemar has an inflated type I error")
    assert "where some fits fail" in text


def test_every_number_is_a_rate_of_the_simulations():
    models = {"knn": KNN, "qda": QDA, "svm": SVM, "logistic": LOGISTIC, "forest": FOREST}
    for name, entry in catalogue().items():
        for metric in ("accuracy", "roc_auc", "log_loss"):
            text = said(name, models, metric)
            known = {f"{rate.rate:.2f}".lstrip("0") for rate in entry.rates}
            assert set(re.findall(r"up to (\.\d\d)", text)) <= known


def test_tests_that_are_named_instead_have_no_caution_themselves():
    one = config(models={"knn": {"estimator": KNN}, "svm": {"estimator": SVM}})
    for name, dataset in itertools.product(catalogue(), ("one", "two")):
        for other in cautions(planned_in(one, name), one, (), "accuracy", dataset).instead:
            assert not cautions(planned_in(one, other.name), one, (), "accuracy", dataset).inflated


def test_unlike_learners_are_cautioned_about_where_numbers_are_predicted():
    facts = {"task": "regression", "resampling": {"resampled": {}}, "metrics": ["rmse"]}
    facts |= {"datasets": {"d": {"source": "sklearn", "name": "diabetes"}}, "dataset": ""}
    linear = "sklearn.linear_model.LinearRegression"
    for other, unlike in (("tree.DecisionTreeRegressor", True), ("linear_model.Ridge", False)):
        models = {"a": linear, "b": f"sklearn.{other}"}
        text = said("corrected_resampled_t", models, None, **facts)
        assert ("with learners of different kinds" in text) == unlike


@pytest.mark.parametrize("changed", [{"class_weight": "balanced"}, {"threshold": 0.2}], ids=str)
def test_predictions_that_weights_or_thresholds_move_make_a_caution(changed):
    models = {"moved": {"estimator": LOGISTIC, **changed}, "plain": LOGISTIC}
    data = {"d": {"source": "file", "path": "a.csv", "target": "y"}}
    for test in ("cv5x2_mcnemar", "corrected_repeated_kfold_t", "cv5x2_f"):
        text = said(test, models, dataset="d", datasets=data)
        assert f"{test} has an inflated type I error with" in text
        assert "class weights, costs or tuned thresholds" in text
        assert "Use fold_rows_difference (plan cv_5x2) instead." in text
    assert said("cv5x2_z", models, dataset="d", datasets=data) == ""
    text = said("cv5x2_f", models, "f1", "d", datasets=data)
    assert text.endswith("Use fold_rows_difference (plan cv_5x2) instead.")
    assert "class weights" not in said("cv5x2_f", {"plain": LOGISTIC})

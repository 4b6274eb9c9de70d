"""The study on cross-validation: its learners are scikit-learn's, its plans are what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline

from benchmarks.crossval import data, learners, rates, regimes
from benchmarks.crossval.data import PLANS, Logit, Population, draw

PAIRS = {
    "nearest centroid": (learners.nearest_centroid, NearestCentroid()),
    "LDA": (learners.linear_discriminant, LinearDiscriminantAnalysis()),
    "QDA": (learners.quadratic_discriminant, QuadraticDiscriminantAnalysis()),
    "naive Bayes": (learners.naive_bayes, GaussianNB()),
    "logistic": (learners.logistic, LogisticRegression(tol=1e-10)),
    "logistic, balanced weights": (
        learners.balanced(learners.logistic),
        LogisticRegression(tol=1e-10, class_weight="balanced"),
    ),
    "logistic, cost of misses 3": (
        learners.costed(learners.logistic, 3),
        FixedThresholdClassifier(LogisticRegression(tol=1e-10), threshold=0.25),
    ),
    "least squares, balanced weights": (
        learners.balanced(learners.linear_probability),
        RidgeClassifier(alpha=1e-9, class_weight="balanced"),
    ),
    "selection": (learners.selection, make_pipeline(SelectKBest(k=1), NearestCentroid())),
    "1-NN": (learners.neighbours(1), KNeighborsClassifier(1)),
    "5-NN": (learners.neighbours(5), KNeighborsClassifier(5)),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("classes", [2, 3])
def test_learner_predicts_as_scikit_learn_does(name: str, classes: int) -> None:
    if name.startswith(("logistic", "least squares")) and classes == 3:
        return  # the study has it for two classes only
    fit, estimator = PAIRS[name]
    rng = np.random.default_rng(1)
    sample = draw(Population(120, classes=classes, minority=0.3 if "," in name else 0.0), rng)
    splits = data.repeated_folds(sample, rng, repeats=1, k=4)
    x = sample.views[0]
    found = np.argmax(fit(x, sample.y, splits.train, splits.test, rng), axis=2)
    for i, (train, test) in enumerate(zip(splits.train, splits.test, strict=True)):
        expected = estimator.fit(x[train], sample.y[train]).predict(x[test])
        assert (found[i, test] == expected).all()


def test_a_regime_has_the_rates_of_every_procedure_and_the_same_each_time() -> None:
    regime = next(one for one in regimes.REGIMES if one.name == "nearest centroid 100")
    found = list(rates.rates(regime, 2, 5))
    assert [rate.procedure for rate in found] == [one.name for one in rates.PROCEDURES]
    assert {rate.runs for rate in found} == {2}
    assert found == list(rates.rates(regime, 2, 5))


def test_shrunken_ridge_is_scikit_learns() -> None:
    rng = np.random.default_rng(2)
    sample = draw(Population(100), rng)
    splits = PLANS["5x2"](sample, rng)
    x = sample.views[1]
    found = learners.shrunken_ridge(x, sample.y, splits.train, splits.test, rng)[:, :, 1]
    for i, train in enumerate(splits.train):
        expected = Ridge(alpha=1000).fit(x[train], sample.y[train]).predict(x)
        assert found[i] == pytest.approx(np.clip(expected, 0, 1))


def test_halves_share_no_row_and_keep_groups_whole() -> None:
    rng = np.random.default_rng(3)
    sample = draw(Population(100, group_size=5), rng)
    splits = data.halves(sample, rng, repeats=3, k=5)
    rows = (splits.train | splits.test).reshape(3, 2, 5, -1)
    assert (rows == rows[:, :, :1]).all()
    assert (rows[:, 0, 0] != rows[:, 1, 0]).all()
    for train, test in zip(splits.train, splits.test, strict=True):
        assert not set(sample.group[train]) & set(sample.group[test])


def _rate(runs: int, rejected: int, seeds: str) -> rates.Rate:
    where = "level", "linear discriminant analysis", "LDA 100", "5×2cv F", "cv5x2_f"
    return rates.Rate(*where, runs, rejected, 0, seeds)


def test_counts_of_another_seed_are_added(tmp_path: Path) -> None:
    known = rates.merge({}, [_rate(100, 4, "1")])
    rates.save(rates.merge(known, [_rate(50, 3, "2")]), tmp_path / "rates.csv")
    assert rates.load(tmp_path / "rates.csv") == [_rate(150, 7, "1 2")]


def test_data_sets_of_one_seed_are_counted_once() -> None:
    known = rates.merge({}, [_rate(100, 4, "1 2")])
    with pytest.raises(ValueError, match="LDA 100: data sets of seed 2 are counted already"):
        rates.merge(known, [_rate(50, 3, "2")])


def test_tuned_threshold_has_the_highest_balanced_accuracy_of_the_training_rows() -> None:
    rng = np.random.default_rng(2)
    sample = draw(Logit(200, -2.0), rng)
    splits = PLANS["5x2"](sample, rng)
    where = sample.views[0], sample.y, splits.train, splits.test, rng
    plain, moved = (fit(*where) for fit in (learners.logistic, learners.tuned(learners.logistic)))
    for i, train in enumerate(splits.train):
        y, p = sample.y[train], plain[i, train, 1]
        best = max(balanced_accuracy_score(y, p >= cut) for cut in p)
        assert balanced_accuracy_score(y, np.argmax(moved[i, train], axis=1)) == best

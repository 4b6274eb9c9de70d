"""What an experiment takes the place of: a loop of fits with joblib, and the tests by hand.

`python benchmarks/loop.py default` fits and compares as config/config.yaml does, and
`python benchmarks/loop.py fits` makes 1,000 quick fits. `benchmarks/speed.py` measures both beside
the experiments themselves.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

SEED = 19
CORES = 2
Rows = NDArray[np.int64]


def correct_rows(model: Any, X: Any, y: Any, train: Rows, test: Rows) -> NDArray[np.bool_]:
    """Fit on some rows and tell which of the others are predicted correctly."""
    fitted = clone(model).fit(X[train], y[train])
    predicted = fitted.predict(X[test])
    if len(fitted.classes_) == 2:
        balanced_accuracy_score(y[test], predicted)
        roc_auc_score(y[test], fitted.predict_proba(X[test])[:, 1])
    accuracy_score(y[test], predicted)
    correct: NDArray[np.bool_] = predicted == y[test]
    return correct


def fitted_everywhere(
    models: dict[str, Any], X: Any, y: Any, divisions: list[tuple[Rows, Rows]]
) -> dict[str, list[NDArray[np.bool_]]]:
    """Fit each model on each division, on all cores."""
    jobs = []
    for model in models.values():
        for train, test in divisions:
            jobs.append(delayed(correct_rows)(model, X, y, train, test))
    results = Parallel(n_jobs=CORES)(jobs)
    n = len(divisions)
    return {name: results[n * i : n * (i + 1)] for i, name in enumerate(models)}


def mcnemar(correct_a: NDArray[np.bool_], correct_b: NDArray[np.bool_]) -> float:
    """Return the exact p-value of McNemar's test."""
    only_a = int(np.sum(correct_a & ~correct_b))
    only_b = int(np.sum(correct_b & ~correct_a))
    if only_a + only_b == 0:
        return 1.0
    return float(stats.binomtest(only_a, only_a + only_b).pvalue)


def cv5x2_f(scores_a: NDArray[np.float64], scores_b: NDArray[np.float64]) -> float:
    """Return the p-value of the combined 5x2cv F test."""
    differences = (scores_a - scores_b).reshape(5, 2)
    means = differences.mean(axis=1, keepdims=True)
    variances = np.sum((differences - means) ** 2, axis=1)
    if not variances.any():
        return 1.0
    statistic = np.sum(differences**2) / (2 * np.sum(variances))
    return float(stats.f.sf(statistic, 10, 5))


def default() -> None:
    """Compare the five models of the default experiment."""
    from xgboost import XGBClassifier

    X, y = load_breast_cancer(return_X_y=True)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "forest": RandomForestClassifier(n_estimators=300, n_jobs=1, random_state=SEED),
        "xgboost": XGBClassifier(n_estimators=300, learning_rate=0.1, n_jobs=1),
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=7)),
        "tree": DecisionTreeClassifier(random_state=SEED),
    }
    halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=SEED)
    divisions = list(halves.split(X, y))
    rows = np.arange(len(y))
    held_out = train_test_split(rows, test_size=0.3, stratify=y, random_state=SEED)
    correct = fitted_everywhere(models, X, y, [*divisions, tuple(held_out)])
    for a, b in combinations(models, 2):
        folds_a = np.array([fold.mean() for fold in correct[a][:-1]])
        folds_b = np.array([fold.mean() for fold in correct[b][:-1]])
        print(a, b, mcnemar(correct[a][-1], correct[b][-1]), cv5x2_f(folds_a, folds_b))


def fits() -> None:
    """Fit two quick models in 50 repetitions of a 10-fold cross-validation."""
    X, y = load_iris(return_X_y=True)
    models = {"tree": DecisionTreeClassifier(random_state=SEED), "bayes": GaussianNB()}
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=50, random_state=SEED)
    correct = fitted_everywhere(models, X, y, list(folds.split(X, y)))
    scores = {name: [fold.mean() for fold in rows] for name, rows in correct.items()}
    print(stats.ttest_rel(scores["tree"], scores["bayes"]).pvalue)


if __name__ == "__main__":
    {"default": default, "fits": fits}[sys.argv[1]]()

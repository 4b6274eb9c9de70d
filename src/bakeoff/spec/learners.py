"""Which simulated kinds of learners a model is made of, by the classes of its estimators.

The kinds are those of the simulations of tests on folds (docs/error-rates.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bakeoff.spec.models import Model, mappings

_CLASSIFIERS = {
    "nearest centroid": "sklearn.NearestCentroid",
    "linear discriminant analysis": "sklearn.LinearDiscriminantAnalysis",
    "quadratic discriminant analysis": "sklearn.QuadraticDiscriminantAnalysis",
    "logistic regression": "sklearn.LogisticRegression sklearn.LogisticRegressionCV",
    "naive Bayes": "sklearn.GaussianNB",
    "k-nearest neighbours": "sklearn.KNeighborsClassifier",
    "support vector machines": "sklearn.SVC",
    "decision trees": "sklearn.DecisionTreeClassifier",
    "random forests": "sklearn.RandomForestClassifier",
    "gradient boosting": "sklearn.GradientBoostingClassifier "
    "sklearn.HistGradientBoostingClassifier xgboost.XGBClassifier lightgbm.LGBMClassifier "
    "catboost.CatBoostClassifier",
    "neural networks": "sklearn.MLPClassifier",
}
SELECTION, SHRUNKEN = "feature selection", "strong shrinkage"
_REGRESSORS = {
    "linear models": "sklearn.LinearRegression sklearn.Ridge sklearn.RidgeCV",
    "k-nearest neighbours": "sklearn.KNeighborsRegressor",
    "decision trees": "sklearn.DecisionTreeRegressor",
    "random forests": "sklearn.RandomForestRegressor",
    "gradient boosting": "sklearn.GradientBoostingRegressor "
    "sklearn.HistGradientBoostingRegressor xgboost.XGBRegressor lightgbm.LGBMRegressor "
    "catboost.CatBoostRegressor",
    # what a penalty of these shrinks depends on the unit of the target: no value of it is safe
    SHRUNKEN: "sklearn.Lasso sklearn.LassoCV sklearn.ElasticNet sklearn.ElasticNetCV sklearn.Lars "
    "sklearn.LarsCV sklearn.LassoLars sklearn.LassoLarsCV sklearn.LassoLarsIC sklearn.SVR "
    "sklearn.NuSVR sklearn.LinearSVR",
}
REGRESSION = " (regression)"
"""What follows the kinds of learners, and the situations, of simulations with numbers."""

LEARNERS = (
    *_CLASSIFIERS,
    SELECTION,
    SHRUNKEN,
    *(f"{kind}{REGRESSION}" for kind in (*_REGRESSORS, SELECTION)),
)
"""All kinds of learners that were simulated."""
_KINDS = [
    {name: kind for kind, names in task.items() for name in names.split()}
    for task in (_CLASSIFIERS, _REGRESSORS)
]
_TREES = ("tree", "forest", "boost", "bagging", "lightgbm", "catboost", "xgb")
_SHRINKING = ("sklearn.linear_model.", "sklearn.svm.")
# they predict what their inner learner predicts
_WRAPPERS = tuple(
    f"sklearn.{module}." for module in ("pipeline", "model_selection", "calibration", "compose")
)


class Learners(NamedTuple):
    """Known properties of the learners of a model."""

    kinds: frozenset[str]
    simulated: bool


def learners(model: Model, *, numbers: bool = False) -> Learners:
    """Name the kinds of learners that a model is made of, one of numbers or of classes."""
    parts = list(_parts(model))
    kinds = {kind for path, params in parts if (kind := _kind(path, params, numbers))}
    for path, params in parts:  # a penalty far above the usual
        penalties = {"C": 1.0, "alpha": 1.0, **params, **_searched(model)}
        c, alpha = penalties["C"], penalties["alpha"]
        both_numbers = isinstance(c, (int, float)) and isinstance(alpha, (int, float))
        if path.startswith(_SHRINKING) and both_numbers and (c <= 0.01 or alpha >= 100):
            kinds.add(SHRUNKEN)
    last = model.parts[-1]
    path, params = last.estimator, last.model_dump()["params"]
    constant = path.startswith("sklearn.dummy.")  # it learns nothing from the features
    wraps = path.startswith(_WRAPPERS) and bool(kinds)
    simulated = constant or wraps or SHRUNKEN in kinds or bool(_kind(path, params, numbers))
    names = frozenset(f"{kind}{REGRESSION}" if numbers else kind for kind in kinds)
    return Learners(names, simulated)


def is_of_trees(name: str) -> bool:
    """Tell from the import path of a class whether the scale of columns says nothing to it."""
    return any(word in name.lower() for word in _TREES)


def moves_threshold(model: Model) -> bool:
    """Tell whether class weights or a threshold move what a model predicts."""
    if model.threshold is not None or model.class_weight is not None:
        return True
    return any(
        "ThresholdClassifier" in path or bool(params.get("class_weight"))
        for path, params in _parts(model)
    )


def _kind(path: str, params: Mapping[str, Any], numbers: bool) -> str:
    """Name the kind of learner of a class; empty for all others."""
    if path.startswith("sklearn.feature_selection."):
        return SELECTION
    library, name = path.partition(".")[0], path.rpartition(".")[2]
    kind = _KINDS[numbers].get(f"{library}.{name}", "")
    radial = params.get("kernel", "rbf") == "rbf"
    return kind if radial or kind != "support vector machines" else ""


def _parts(model: Model) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Go through the import paths of a model, nested estimators included, with parameters."""
    parts = [step.model_dump() for step in (*model.parts, *model.own_preprocessing)]
    parts += [model.tune.model_dump()["space"]] if model.tune else []
    for part in mappings(parts):
        if isinstance(part.get("estimator"), str):
            yield part["estimator"], part.get("params") or {}


def _searched(model: Model) -> dict[str, Any]:
    """Return the penalties that are searched for, each by the value that shrinks least."""
    least: dict[str, Any] = {}
    for name, values in (model.tune.model_dump()["space"] if model.tune else {}).items():
        key = name.rpartition("__")[2]
        if isinstance(values, Mapping):  # drawn from a range
            values = next(limits for limits in values.values() if limits is not None)
        if key in ("C", "alpha") and all(isinstance(value, (int, float)) for value in values):
            least[key] = max(values) if key == "C" else min(values)
    return least

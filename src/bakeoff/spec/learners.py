"""Which simulated kinds of learners a model is made of, by the classes of its estimators.

The kinds are those of the simulations of tests on folds (docs/error-rates.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from bakeoff.spec.models import Model, Step, mappings

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
SELECTION = "feature selection"
SHRUNKEN = "strong shrinkage"
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


def _kinds_by_class(classes_by_kind: Mapping[str, str]) -> dict[str, str]:
    """Map each class, called by its library and its name, to its kind."""
    kinds = {}
    for kind, classes in classes_by_kind.items():
        for name in classes.split():
            kinds[name] = kind
    return kinds


_CLASSIFIER_KINDS = _kinds_by_class(_CLASSIFIERS)
_REGRESSOR_KINDS = _kinds_by_class(_REGRESSORS)
_OF_NUMBERS = [f"{kind}{REGRESSION}" for kind in [*_REGRESSORS, SELECTION]]
LEARNERS = (*_CLASSIFIERS, SELECTION, SHRUNKEN, *_OF_NUMBERS)
"""All kinds of learners that were simulated."""
_USUAL_PENALTIES = {"C": 1.0, "alpha": 1.0}
_LEAST_C = 0.01
"""The inverse strength of a penalty from which on coefficients are strongly shrunken."""
_MOST_ALPHA = 100
"""The strength of a penalty from which on coefficients are strongly shrunken."""
_TREES = ("tree", "forest", "boost", "bagging", "lightgbm", "catboost", "xgb")
_SHRINKING = ("sklearn.linear_model.", "sklearn.svm.")
_WRAPPERS = (
    "sklearn.pipeline.",
    "sklearn.model_selection.",
    "sklearn.calibration.",
    "sklearn.compose.",
)
"""Modules of estimators that predict what their inner learner predicts."""


class Learners(NamedTuple):
    """Known properties of the learners of a model."""

    kinds: frozenset[str]
    simulated: bool


def learners(model: Model, *, numbers: bool = False) -> Learners:
    """Name the kinds of learners that a model is made of, one of numbers or of classes."""
    kinds = set()
    for path, params in _parts(model):
        kinds.add(_kind(path, params, numbers))
        if _is_shrunken(path, {**params, **_searched(model)}):
            kinds.add(SHRUNKEN)
    kinds.discard("")
    simulated = SHRUNKEN in kinds or _is_simulated(model.parts[-1], kinds, numbers)
    if numbers:
        kinds = {f"{kind}{REGRESSION}" for kind in kinds}
    return Learners(frozenset(kinds), simulated)


def _is_simulated(last: Step, kinds: Collection[str], numbers: bool) -> bool:
    """Tell whether the last step of a model is a learner that was simulated, or around one."""
    path = last.estimator
    # it learns nothing from the features
    if path.startswith("sklearn.dummy."):
        return True
    if path.startswith(_WRAPPERS):
        return len(kinds) > 0
    return _kind(path, last.params, numbers) != ""


def _is_shrunken(path: str, params: Mapping[str, Any]) -> bool:
    """Tell whether the penalty of a linear model is far above the usual."""
    if not path.startswith(_SHRINKING):
        return False
    # C is the inverse strength of a penalty, alpha the strength itself
    penalties = {**_USUAL_PENALTIES, **params}
    c = penalties["C"]
    alpha = penalties["alpha"]
    if not isinstance(c, (int, float)) or not isinstance(alpha, (int, float)):
        return False
    return c <= _LEAST_C or alpha >= _MOST_ALPHA


def is_of_trees(name: str) -> bool:
    """Tell from the import path of a class whether the scale of columns says nothing to it."""
    return any(word in name.lower() for word in _TREES)


def moves_threshold(model: Model) -> bool:
    """Tell whether class weights or a threshold move what a model predicts."""
    if model.threshold is not None or model.class_weight is not None:
        return True
    for path, params in _parts(model):
        if "ThresholdClassifier" in path or params.get("class_weight"):
            return True
    return False


def _kind(path: str, params: Mapping[str, Any], numbers: bool) -> str:
    """Name the kind of learner of a class; empty for all others."""
    if path.startswith("sklearn.feature_selection."):
        return SELECTION
    library = path.partition(".")[0]
    name = path.rpartition(".")[2]
    kinds = _CLASSIFIER_KINDS
    if numbers:
        kinds = _REGRESSOR_KINDS
    kind = kinds.get(f"{library}.{name}", "")
    # other kernels were not simulated
    if kind == "support vector machines" and params.get("kernel", "rbf") != "rbf":
        return ""
    return kind


def _parts(model: Model) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Go through the import paths of a model, nested estimators included, with parameters."""
    parts = [step.model_dump() for step in model.parts + model.own_preprocessing]
    parts.append(_space(model))
    for part in mappings(parts):
        if isinstance(part.get("estimator"), str):
            yield part["estimator"], part.get("params") or {}


def _space(model: Model) -> dict[str, Any]:
    """Return the parameters that are searched for, each with its values or ranges."""
    if model.tune is None:
        return {}
    space: dict[str, Any] = model.tune.model_dump()["space"]
    return space


def _searched(model: Model) -> dict[str, Any]:
    """Return the penalties that are searched for, each by the value that shrinks least."""
    least: dict[str, Any] = {}
    for name, values in _space(model).items():
        key = name.rpartition("__")[2]
        if isinstance(values, Mapping):  # drawn from a range
            values = next(limits for limits in values.values() if limits is not None)
        if not all(isinstance(value, (int, float)) for value in values):
            continue
        if key == "C":
            least[key] = max(values)
        elif key == "alpha":
            least[key] = min(values)
    return least

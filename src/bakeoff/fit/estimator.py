"""From a model's entry to one unfitted estimator: import paths, steps, class weights, seeds."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from bakeoff.errors import UserError, shown, unknown
from bakeoff.keys import DOTTED, name_of
from bakeoff.seeds import part_of
from bakeoff.spec.learners import is_of_trees
from bakeoff.spec.models import Model, is_function, is_nested, maker
from bakeoff.usercode import import_object, refuse_standard, refuse_useless, require

NAMED_PARTS = ("estimators", "steps", "transformers", "transformer_list")
"""Parameters of scikit-learn's compositions that hold a list of names and estimators."""
SEEDS = ("random_state", "random_seed", "seed")
"""How libraries call the parameter that seeds them."""
LIBRARIES = ("xgboost", "lightgbm", "catboost")
"""Packages of boosted trees that are no part of scikit-learn."""
_NAMED_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_TYPING_ERROR = 0.75
"""How alike names are of which one is taken for the other, as `difflib` measures it."""
_FIRST_DATE = pd.Timestamp(0)
_REFUSED_IN_NAMES = set('[]<>{}":,')
"""Characters that XGBoost or LightGBM refuses in the names of columns."""


# --- the whole estimator


def assemble(
    model: Model,
    features: pd.DataFrame,
    seed: np.random.SeedSequence,
    classes: Sequence[str] = (),
) -> Any:
    """Make the whole estimator of a model, unfitted."""
    classifier = make_classifier(model)
    if model.class_weight is not None and has_class_weight(classifier):
        classifier.set_params(class_weight=by_code(model.class_weight, classes))
    steps = steps_of(model, classifier)
    if model.preprocessing == "auto":
        first_step = steps[0][1]
        automatic = []
        for step in automatic_steps(first_step, classifier, features):
            automatic.append((f"auto_{type(step).__name__.lower()}", step))
        steps = automatic + steps
    estimator = classifier
    if len(steps) > 1:
        estimator = Pipeline(steps)
    _seed_open_parts(estimator, classifier, seed)
    return estimator


def _seed_open_parts(estimator: Any, classifier: Any, seed: np.random.SeedSequence) -> None:
    """Give every random part that the user left open a stream of its own."""
    # by the name of the parameter: another step beside it does not change the stream of a part
    for name, value in sorted(estimator.get_params(deep=True).items()):
        if value is None and name.rpartition("__")[2] == "random_state":
            estimator.set_params(**{name: part_of(seed, "part", name)})
    seedless = not set(SEEDS) & set(classifier.get_params(deep=False))
    if seedless and "random_state" in parameter_names(type(classifier)):
        # CatBoost's get_params tells only what was given, and its own default is always the same
        classifier.set_params(random_state=part_of(seed, "part", "final"))


def steps_of(model: Model, classifier: Any) -> list[tuple[str, Any]]:
    """Make the steps that a model names, the given classifier last."""
    steps = model.own_preprocessing + model.parts
    estimators = [build(step.estimator, step.params) for step in steps[:-1]]
    estimators.append(classifier)
    names = []
    for step, estimator in zip(steps, estimators, strict=True):
        names.append(step.name or type(estimator).__name__.lower())
    return list(zip(_numbered(names), estimators, strict=True))


def _numbered(names: Sequence[str]) -> list[str]:
    """Give those that share a name a number each, as scikit-learn's make_pipeline does."""
    numbered = []
    for i, name in enumerate(names):
        if names.count(name) > 1:
            number = names[: i + 1].count(name)
            numbered.append(f"{name}-{number}")
        else:
            numbered.append(name)
    return numbered


def make_classifier(model: Model) -> Any:
    """Build the classifier with what the workflow decides for the user: threads, no litter."""
    last = model.parts[-1]
    classifier = build(last.estimator, last.params)
    left_open = set(parameter_names(type(classifier))) - set(last.params)
    # for scikit-learn None is one thread, for others all cores
    if model.threads > 1 or not type(classifier).__module__.startswith("sklearn."):
        for name in left_open & {"n_jobs", "thread_count"}:
            classifier.set_params(**{name: model.threads})
    # CatBoost would leave a folder where snakemake runs
    if "allow_writing_files" in left_open:
        classifier.set_params(allow_writing_files=False)
    return classifier


def last_step(estimator: Any) -> Any:
    """Return the last step of an estimator that may be a pipeline."""
    if isinstance(estimator, Pipeline):
        return estimator[-1]
    return estimator


def random_states(estimator: Any) -> dict[str, Any]:
    """Return the seeds that an estimator and its parts have, by the parameter's full name."""
    classifier = last_step(estimator)
    seeds: dict[str, Any] = {}
    for name, value in sorted(estimator.get_params(deep=True).items()):
        if name.rpartition("__")[2] in SEEDS:
            seeds[name] = value
    if not seeds and "random_state" in parameter_names(type(classifier)):
        seeds["random_state"] = classifier.get_params().get("random_state")
    for name, seed in seeds.items():
        if not isinstance(seed, int | None):
            seeds[name] = repr(seed)
    return seeds


def draws_nothing(model: Model) -> bool:
    """Tell whether training has no random part: scikit-learn's estimators without a seed."""
    if model.chooses:
        return False
    for step in model.own_preprocessing + model.parts:
        if not step.estimator.startswith("sklearn."):
            return False
    steps = steps_of(model, make_classifier(model))
    return not any(random_states(estimator) for _, estimator in steps)


def has_class_weight(classifier: Any) -> bool:
    """Tell whether a classifier has a parameter for class weights."""
    return "class_weight" in classifier.get_params(deep=False)


def by_code(weight: str | Mapping[Any, float], classes: Sequence[str]) -> str | dict[int, float]:
    """Write class weights by position in `classes`; a class that is not named weighs 1."""
    if isinstance(weight, str):
        return weight
    weight_by_name = {name_of(label): value for label, value in weight.items()}
    weight_by_code = {}
    for code, name in enumerate(classes):
        weight_by_code[code] = float(weight_by_name.get(name, 1.0))
    return weight_by_code


# --- one step, by its import path


def build(path: str, params: Mapping[str, Any]) -> Any:
    """Make a new, unfitted estimator from its import path and parameters."""
    kind = import_class(path)
    refuse_standard(path, kind)
    if not hasattr(kind, "get_params"):
        raise UserError(
            f"{kind.__module__}.{kind.__name__} has no get_params: derive the class from "
            "sklearn.base.ClassifierMixin or RegressorMixin and sklearn.base.BaseEstimator"
        )
    return _call(path, kind, (), params)


def _call(path: str, called: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Call a class or a function by what an experiment says."""
    parameters = parameter_names(called)
    for name in params:
        if not accepts(called, name, parameters):
            raise UserError(unknown(f"parameter of {path}:", name, parameters))
    positional = list(map(parameter_value, args))
    signature = _signature(called)
    named = {}
    for name, value in params.items():
        default = None
        if name in signature:
            default = signature[name].default
        named[name] = parameter_value(value, default)
    try:
        return called(*positional, **named)
    # whatever the constructor of a user's class does
    except Exception as error:
        raise UserError(f"{path} cannot be made: {error}") from None


def parameter_value(value: Any, default: Any = None) -> Any:
    """Return a parameter's value: an object or a function where its import path is given."""
    if is_function(value):
        return import_object(_import_path(value["function"], "numpy.log1p"))
    if is_nested(value):
        return _nested_object(value)
    if isinstance(value, Mapping):
        return {key: parameter_value(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = list(map(parameter_value, value))
        # YAML has no tuples, and where one is the default a list may be refused
        if isinstance(default, tuple):
            return tuple(items)
        return items
    return value


def _nested_object(entry: Mapping[str, Any]) -> Any:
    """Make the object that a parameter describes by an import path and its own parameters."""
    path = _import_path(maker(entry), "sklearn.svm.SVC")
    params = entry.get("params", {})
    if not isinstance(params, Mapping) or not all(isinstance(key, str) for key in params):
        raise UserError(f"found {shown(params)}, expected the parameters of {path} by name")
    if "estimator" in entry:
        return build(path, params)
    called = import_object(path)
    if not callable(called):
        raise UserError(f"found {shown(path)}, expected a class or a function")
    args = entry.get("args", [])
    if not isinstance(args, list):
        raise UserError(f"found {shown(args)}, expected a list of arguments")
    refuse_useless(path, called)
    return _call(path, called, args, params)


def _import_path(value: Any, example: str) -> str:
    """Return a value that is an import path."""
    if not (isinstance(value, str) and re.fullmatch(DOTTED, value)):
        raise UserError(f"found {shown(value)}, expected an import path like {example}")
    return value


def import_class(path: str) -> type:
    """Import a class by its dotted path."""
    kind = import_object(path)
    if not inspect.isclass(kind):
        raise UserError(f"{path} is a {type(kind).__name__}, not a class")
    return kind


def parameter_names(called: Any) -> Sequence[str]:
    """List the parameters that a class or a function names."""
    names = set()
    for name, parameter in _signature(called).items():
        if parameter.kind in _NAMED_KINDS:
            names.add(name)
    # a function would be called to find out
    if hasattr(called, "get_params"):
        # some classes need arguments, are not scikit-learn's, or fail
        with suppress(Exception):
            names.update(called().get_params(deep=False))
    return sorted(names)


def accepts(called: Any, name: str, parameters: Sequence[str]) -> bool:
    """Tell whether a class or a function takes a parameter."""
    if name in parameters:
        return True
    kinds = {parameter.kind for parameter in _signature(called).values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        return False
    # a name that is nearly one of those is taken for a typing error
    return not difflib.get_close_matches(name, parameters, n=1, cutoff=_TYPING_ERROR)


def _signature(called: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a class or a function."""
    try:
        return inspect.signature(called).parameters
    except ValueError:
        # a compiled class does not tell what it takes
        return inspect.signature(lambda **anything: None).parameters


# --- preprocessing between columns and estimator, fitted on training rows only


def automatic_steps(first: Any, classifier: Any, features: pd.DataFrame) -> list[Any]:
    """Return the steps that an estimator needs before it for these columns."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    steps: list[Any] = []
    numeric = not no_numbers(features)
    if not numeric:
        steps.append(TextEncoder())
    if not takes_missing(first):
        steps.append(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True))
    # a tree splits at the same rows whatever the unit of a column is
    if not is_of_trees(f"{type(classifier).__module__}.{type(classifier).__name__}"):
        steps.append(StandardScaler())
    if numeric and boosting_library(first) == "histogram":
        # it takes missing values, but in scikit-learn 1.9 no column without any value
        from sklearn.compose import ColumnTransformer

        keep = ("known", "passthrough", with_values)
        steps.append(ColumnTransformer([keep], verbose_feature_names_out=False))
    has_refused_names = any(set(str(name)) & _REFUSED_IN_NAMES for name in features)
    # the names of encoded columns have texts of the data in them
    may_be_refused = has_refused_names or not numeric
    if boosting_library(first) in ("xgboost", "lightgbm") and may_be_refused:
        steps.append(FunctionTransformer(number_columns))
    return steps


def takes_missing(estimator: Any) -> bool:
    """Tell whether an estimator says that it takes missing values."""
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


def boosting_library(estimator: Any) -> str:
    """Name the boosting library that an estimator is of, or derives from; empty where of none.

    The gradient boosting by histograms of scikit-learn is called `histogram`.
    """
    if type(estimator).__module__.startswith("sklearn.ensemble._hist_gradient_boosting"):
        return "histogram"
    for kind in inspect.getmro(type(estimator)):
        package = kind.__module__.partition(".")[0]
        if package in LIBRARIES:
            return package
    return ""


def no_numbers(features: pd.DataFrame) -> list[Any]:
    """List the columns that are no numbers."""
    is_numeric = pd.api.types.is_numeric_dtype
    return [name for name, dtype in features.dtypes.items() if not is_numeric(dtype)]


def with_values(features: pd.DataFrame) -> list[Any]:
    """List the columns that have a value in the training part."""
    return list(features.columns[features.notna().any()])


def number_columns(features: Any) -> Any:
    """Give columns plain names: XGBoost and LightGBM refuse some characters in them."""
    if not isinstance(features, pd.DataFrame):
        return features
    return features.set_axis([f"x{i}" for i in range(features.shape[1])], axis=1)


class TextEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encodes the columns that are not numbers, and these alone; the order of columns stays."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> TextEncoder:
        """Learn the categories of texts."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: Any = None) -> pd.DataFrame:
        """Learn the categories of texts, and encode."""
        require("skrub", "encoding columns that are not numbers")

        # it takes a second to import
        from skrub import DatetimeEncoder, TableVectorizer

        dates = DatetimeEncoder(add_total_seconds=False)
        self.vectorizer_ = TableVectorizer(datetime=dates)
        self.others_ = no_numbers(X)
        self.known_ = set(with_values(X))
        return self._joined(X, self.vectorizer_.fit_transform(X[self.others_], y))

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Encode."""
        return self._joined(X, self.vectorizer_.transform(X[self.others_]))

    def _joined(self, X: pd.DataFrame, encoded: pd.DataFrame) -> pd.DataFrame:
        """Put encoded columns in the places of those that they stand for."""
        columns: list[Any] = []
        for name in X.columns:
            if name not in self.known_:
                continue
            if name not in self.others_:
                columns.append(X[name])
                continue
            for output in self.vectorizer_.input_to_outputs_.get(name, []):
                columns.append(encoded[output])
            if pd.api.types.is_datetime64_any_dtype(X[name].dtype):
                since = (X[name] - _FIRST_DATE) / pd.Timedelta(seconds=1)
                columns.append(since.rename(f"{name}_seconds"))
        joined: pd.DataFrame = pd.concat(columns, axis=1)
        names = list(joined.columns)
        # the name of a column of numbers may be that of a code: both get their place behind it
        for place in np.flatnonzero(joined.columns.duplicated(keep=False)):
            names[place] = f"{names[place]}#{place}"
        return joined.set_axis(names, axis=1)

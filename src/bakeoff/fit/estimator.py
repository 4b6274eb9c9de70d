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
_REFUSED = set('[]<>{}":,')


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
        automatic = automatic_steps(steps[0][1], classifier, features)
        steps = [*((f"auto_{type(step).__name__.lower()}", step) for step in automatic), *steps]
    estimator = Pipeline(steps) if len(steps) > 1 else classifier
    # every random part that the user left open gets a stream of its own
    params = estimator.get_params(deep=True)
    names = [n for n in params if n.rpartition("__")[2] == "random_state" and params[n] is None]
    for name in sorted(names):
        estimator.set_params(**{name: part_of(seed, "part", name)})
    seedless = not set(SEEDS) & set(classifier.get_params(deep=False))
    if seedless and "random_state" in parameter_names(type(classifier)):
        # CatBoost's get_params tells only what was given, and its own default is always the same
        classifier.set_params(random_state=part_of(seed, "part", "final"))
    return estimator


def steps_of(model: Model, classifier: Any) -> list[tuple[str, Any]]:
    """Make the steps that a model names, the given classifier last."""
    steps = [*model.own_preprocessing, *model.parts]
    before = [build(step.estimator, step.params) for step in steps[:-1]]
    made = [*before, classifier]
    names = [s.name or type(one).__name__.lower() for s, one in zip(steps, made, strict=True)]
    # those that share a name get a number each, as by scikit-learn's make_pipeline
    shared = {name for name in names if names.count(name) > 1}
    return [
        (f"{name}-{names[: i + 1].count(name)}" if name in shared else name, made[i])
        for i, name in enumerate(names)
    ]


def make_classifier(model: Model) -> Any:
    """Build the classifier with what the workflow decides for the user: threads, no litter."""
    last = model.parts[-1]
    classifier = build(last.estimator, last.params)
    left_open = {n for n in parameter_names(type(classifier)) if n not in last.params}
    # for scikit-learn None is one thread, for others all cores
    if model.threads > 1 or not type(classifier).__module__.startswith("sklearn."):
        for name in left_open & {"n_jobs", "thread_count"}:
            classifier.set_params(**{name: model.threads})
    if "allow_writing_files" in left_open:  # CatBoost would leave a folder where snakemake runs
        classifier.set_params(allow_writing_files=False)
    return classifier


def last_step(estimator: Any) -> Any:
    """Return the last step of an estimator that may be a pipeline."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def random_states(estimator: Any) -> dict[str, Any]:
    """Return the seeds that an estimator and its parts have, by the parameter's full name."""
    classifier = last_step(estimator)
    parameters = estimator.get_params(deep=True)
    seeds = {n: v for n, v in parameters.items() if n.rpartition("__")[2] in SEEDS}
    if not seeds and "random_state" in parameter_names(type(classifier)):
        seeds = {"random_state": classifier.get_params().get("random_state")}
    return {n: v if isinstance(v, int | None) else repr(v) for n, v in sorted(seeds.items())}


def draws_nothing(model: Model) -> bool:
    """Tell whether training has no random part: scikit-learn's estimators without a seed."""
    steps = (*model.own_preprocessing, *model.parts)
    if model.chooses or not all(step.estimator.startswith("sklearn.") for step in steps):
        return False
    return not any(random_states(one) for _, one in steps_of(model, make_classifier(model)))


def has_class_weight(classifier: Any) -> bool:
    """Tell whether a classifier has a parameter for class weights."""
    return "class_weight" in classifier.get_params(deep=False)


def by_code(weight: str | Mapping[Any, float], classes: Sequence[str]) -> str | dict[int, float]:
    """Write class weights by position in `classes`; a class that is not named weighs 1."""
    if isinstance(weight, str):
        return weight
    named = {name_of(name): value for name, value in weight.items()}
    return {code: float(named.get(name, 1.0)) for code, name in enumerate(classes)}


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


def _call(path: str, maker: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Call a class or a function by what an experiment says."""
    parameters = parameter_names(maker)
    for name in params:
        if not accepts(maker, name, parameters):
            raise UserError(unknown(f"parameter of {path}:", name, parameters))
    defaults = {name: one.default for name, one in _signature(maker).items()}
    values = {name: made_value(value, defaults.get(name)) for name, value in params.items()}
    try:
        return maker(*map(made_value, args), **values)
    except Exception as error:  # whatever the constructor of a user's class does
        raise UserError(f"{path} cannot be made: {error}") from None


def made_value(value: Any, default: Any = None) -> Any:
    """Return a parameter's value: an object or a function where its import path is given."""
    if is_function(value):
        return import_object(_import_path(value["function"], "numpy.log1p"))
    if is_nested(value):
        path, params = _import_path(maker(value), "sklearn.svm.SVC"), value.get("params", {})
        if not isinstance(params, Mapping) or not all(isinstance(key, str) for key in params):
            raise UserError(f"found {shown(params)}, expected the parameters of {path} by name")
        if "estimator" in value:
            return build(path, params)
        args, called = value.get("args", []), import_object(path)
        if not isinstance(args, list) or not callable(called):
            expected = "a list of arguments" if callable(called) else "a class or a function"
            value = args if callable(called) else path
            raise UserError(f"found {shown(value)}, expected {expected}")
        refuse_useless(path, called)
        return _call(path, called, args, params)
    if isinstance(value, Mapping):
        return {key: made_value(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (tuple if isinstance(default, tuple) else list)(map(made_value, value))
    return value


def _import_path(value: Any, example: str) -> str:
    if not (isinstance(value, str) and re.fullmatch(DOTTED, value)):
        raise UserError(f"found {shown(value)}, expected an import path like {example}")
    return value


def import_class(path: str) -> type:
    """Import a class by its dotted path."""
    kind = import_object(path)
    if not inspect.isclass(kind):
        raise UserError(f"{path} is a {type(kind).__name__}, not a class")
    return kind


def parameter_names(made: Any) -> Sequence[str]:
    """List the parameters that a class or a function names."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {n for n, p in _signature(made).items() if p.kind in kinds}
    if hasattr(made, "get_params"):  # else a function would be called to find out
        with suppress(Exception):  # classes that need arguments, are not scikit-learn's, or fail
            named |= set(made().get_params(deep=False))
    return sorted(named)


def accepts(made: Any, name: str, parameters: Sequence[str]) -> bool:
    """Tell whether a class or a function takes a parameter."""
    if name in parameters:
        return True
    kinds = {p.kind for p in _signature(made).values()}
    near = difflib.get_close_matches(name, parameters, n=1, cutoff=0.75)
    return inspect.Parameter.VAR_KEYWORD in kinds and not near


def _signature(made: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(made).parameters
    except ValueError:  # a compiled class that does not tell what it takes
        return inspect.signature(lambda **anything: None).parameters


# Preprocessing between columns and estimator, fitted on training rows only.


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
    if not is_of_trees(f"{type(classifier).__module__}.{type(classifier).__name__}"):
        steps.append(StandardScaler())
    if numeric and boosting_library(first) == "histogram":
        # it takes missing values, but in scikit-learn 1.9 no column without any value
        from sklearn.compose import ColumnTransformer

        keep = ("known", "passthrough", with_values)
        steps.append(ColumnTransformer([keep], verbose_feature_names_out=False))
    named = not numeric or any(set(str(name)) & _REFUSED for name in features)
    if boosting_library(first) in ("xgboost", "lightgbm") and named:
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
    packages = [kind.__module__.partition(".")[0] for kind in inspect.getmro(type(estimator))]
    return next((package for package in packages if package in LIBRARIES), "")


def no_numbers(features: pd.DataFrame) -> list[Any]:
    """List the columns that are no numbers."""
    return [c for c, dtype in features.dtypes.items() if not pd.api.types.is_numeric_dtype(dtype)]


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
        from skrub import DatetimeEncoder, TableVectorizer  # takes a second to import

        dates = DatetimeEncoder(add_total_seconds=False)
        self.vectorizer_ = TableVectorizer(datetime=dates)
        self.others_ = no_numbers(X)
        self.known_ = set(with_values(X))
        return self._joined(X, self.vectorizer_.fit_transform(X[self.others_], y))

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Encode."""
        return self._joined(X, self.vectorizer_.transform(X[self.others_]))

    def _joined(self, X: pd.DataFrame, encoded: pd.DataFrame) -> pd.DataFrame:
        columns: list[Any] = []
        for name in filter(self.known_.__contains__, X.columns):
            if name not in self.others_:
                columns.append(X[name])
                continue
            columns += [encoded[c] for c in self.vectorizer_.input_to_outputs_.get(name, [])]
            if pd.api.types.is_datetime64_any_dtype(X[name].dtype):
                since = (X[name] - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
                columns.append(since.rename(f"{name}_seconds"))
        joined: pd.DataFrame = pd.concat(columns, axis=1)
        twice = joined.columns.duplicated(keep=False)  # a number's name may be that of a code
        named = zip(joined.columns, twice, strict=True)
        joined.columns = pd.Index([f"{c}#{i}" if t else c for i, (c, t) in enumerate(named)])
        return joined

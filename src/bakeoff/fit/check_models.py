"""Errors of a model that can be detected before it is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import isclass
from typing import Any

from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from bakeoff.data import Table
from bakeoff.data.table import GROUP, TIME
from bakeoff.errors import Problem, UserError, shown, unknown
from bakeoff.fit.estimator import (
    NAMED_PARTS,
    SEEDS,
    assemble,
    build,
    has_class_weight,
    import_class,
    made_value,
    parameter_names,
    steps_of,
)
from bakeoff.fit.run_fit import select_features
from bakeoff.fit.train import full_names, is_for_two_classes, scorer
from bakeoff.keys import name_of
from bakeoff.seeds import derive
from bakeoff.spec.models import Distribution, Model, Step, Tune
from bakeoff.spec.task import Task

_MANY = 10_000
"""Training rows from which on histogram gradient boosting stops early by itself."""
_STOPS = ("early_stopping", "n_iter_no_change")
"""Parameters that make an estimator with `validation_fraction` watch rows; the first one rules."""
_SHARES = ("eval_fraction", "train_split")
"""Parameters by which estimators of CatBoost and skorch divide their rows."""
_NO_FOLDS = ("ClassifierChain", "RegressorChain")
"""With `cv` these make folds; without it they make none."""


def check_model(
    name: str, model: Model, without_costs: Sequence[str] = (), task: Task = Task.CLASSIFICATION
) -> Any:
    """Refuse models that cannot be fitted, before any data are read."""
    place = ("models", name)
    for key, steps in (("preprocessing", model.own_preprocessing), ("steps", model.parts[:-1])):
        for i, step in enumerate(steps):
            at = (key, i) if isinstance(getattr(model, key), list) else (key,)
            _check_step(step, (*place, *at))
    last = (*place, "steps", len(model.parts) - 1) if model.steps else place
    classifier = _check_step(model.parts[-1], last, task)
    if model.needs_costs and without_costs:
        message = (
            "needs `costs: {classes: …, matrix: …}` at the top level, or under the data set "
            f"{without_costs[0]}"
        )
        raise Problem((*place, "threshold", "choose"), message)
    if model.class_weight is not None:
        with _problems_at(*place, "class_weight"):
            if "class_weight" in model.parts[-1].params:
                raise UserError("given twice: also in `params`; leave one of them out")
            if not has_class_weight(classifier) and not _takes_weights(classifier):
                kind = type(classifier).__name__
                raise UserError(f"{kind} takes neither class weights nor sample weights")
    if model.threshold is not None:
        with _problems_at(*place, "threshold"):
            _check_threshold(model, classifier)
    if model.seeds > 1:
        with _problems_at(*place, "seeds"):
            _check_seeds(model, classifier)
    if model.tune is not None:
        with _problems_at(*place, "tune"):
            _check_tuning(Pipeline(steps_of(model, classifier)), model.tune)
    return classifier


@contextmanager
def _problems_at(*place: str | int) -> Iterator[None]:
    """Say at which key an error is."""
    try:
        yield
    except Problem as problem:
        raise problem.inside(place) from None
    except UserError as error:
        raise Problem(place, str(error)) from None


def _check_step(step: Step, place: tuple[str | int, ...], task: Task | None = None) -> Any:
    """Check a step: a transformer, or the last one, which is to learn a task."""
    with _problems_at(*place, "estimator"):
        import_class(step.estimator)
    with _problems_at(*place, "params"):
        made = build(step.estimator, step.params)
        _check_values(made, {})
    with _problems_at(*place, "estimator"):
        _check_kind(step.estimator, made, task)
    return made


def _check_kind(path: str, made: Any, task: Task | None) -> None:
    if task is None:
        if not (hasattr(made, "fit") and _has_method(made, "transform")):
            raise UserError(f"{path} has no fit and transform: it is no transformer")
        return
    if not (hasattr(made, "fit") and _has_method(made, "predict")):
        raise UserError(f"{path} has no fit and predict: it is not an estimator")
    try:
        tags = get_tags(made)
    except Exception as error:  # whatever a user's class, or one of an estimator's parts, raises
        raise UserError(f"{path} does not say what it is: {error}") from None
    if tags.estimator_type != task.learner:
        other = next((t for t in Task if t.learner == tags.estimator_type), None)
        raise UserError(
            f"{path} is not a {task.learner} (scikit-learn's is_{task.learner} says so)"
            + (f"; it is a {other.learner}, for experiments of `task: {other}`" if other else "")
        )
    if any(isinstance(part, FrozenEstimator) for part in parts_of(made)):
        raise UserError(f"{path} keeps an estimator as it was fitted, and here none is fitted yet")
    if not tags.target_tags.single_output:
        raise UserError(f"{path} predicts several targets at once, a data set here has one")


def _has_method(estimator: Any, name: str) -> bool:
    """Tell whether an estimator that is not fitted yet has a method once it is fitted."""
    # a StackingClassifier without a final estimator makes one, LogisticRegression, in fit
    left_out = getattr(estimator, "final_estimator", estimator) is None
    return hasattr(estimator, name) or (left_out and hasattr(type(estimator), name))


def _takes_weights(classifier: Any) -> bool:
    return bool(has_fit_parameter(classifier, "sample_weight"))


def _check_values(estimator: Any, values: Mapping[str, Any]) -> None:
    """Let an estimator of scikit-learn check its parameters, as it would only do in fit."""
    kind = type(estimator)
    try:
        _check_named_parts(estimator)
        made = clone(estimator)
        made.set_params(**values)
    except UserError:
        raise
    except Exception as error:  # scikit-learn's, or whatever a user's class raises
        raise UserError(f"{kind.__module__}.{kind.__name__} cannot be copied: {error}") from None
    for part in (made, *made.get_params(deep=True).values()):
        if not hasattr(part, "_parameter_constraints") or isinstance(part, type):
            continue
        try:
            part._validate_params()
        except ValueError as error:
            raise UserError(str(error)) from None


def _check_named_parts(estimator: Any) -> None:
    """Refuse estimators in a list that wants a name for each, which only a fit would look at."""
    values = estimator.get_params(deep=False)
    inner = [*values.values()]
    for key in NAMED_PARTS if hasattr(estimator, "_get_params") else ():
        for i, part in enumerate(values.get(key) or ()):
            if not (isinstance(part, list | tuple) and len(part) > 1 and isinstance(part[0], str)):
                value = part if isinstance(part, list | tuple) else type(part).__name__
                raise UserError(
                    f"{key}[{i}]: found {shown(value)}, expected a name and an estimator: "
                    f"`{key}: [[first, {{estimator: …}}], …]`"
                )
            inner.append(part[1])
    for part in inner:
        if hasattr(part, "get_params") and not isinstance(part, type):
            _check_named_parts(part)


def _check_tuning(estimator: Any, tune: Tune) -> None:
    """Refuse parameters that an estimator does not have, and values that it does not take."""
    scorer(tune.scoring)
    names, usual = full_names(estimator, tune.space), estimator.get_params(deep=True)
    for name, given in tune.space.items():
        for value in [] if isinstance(given, Distribution) else given:
            try:
                made = made_value(value, usual.get(names[name]))
                _check_values(estimator, {names[name]: made})
            except UserError as error:
                raise Problem(("space", name), str(error)) from None


def _check_threshold(model: Model, classifier: Any) -> None:
    kind = type(classifier).__name__
    graded = _has_method(classifier, "predict_proba")
    if not graded and not _has_method(classifier, "decision_function"):
        raise UserError(f"{kind} gives neither probabilities nor decision values")
    if graded and isinstance(model.threshold, float | int) and not 0 < model.threshold < 1:
        raise UserError(
            f"found {model.threshold:g}, expected a probability between 0 and 1 ({kind} gives "
            "probabilities)"
        )


def _check_seeds(model: Model, classifier: Any) -> None:
    params = model.parts[-1].params
    fixed = next((name for name in SEEDS if params.get(name) is not None), None)
    if fixed:
        raise UserError(
            f"`params: {{{fixed}: {params[fixed]}}}` makes all {model.seeds} seeds the same: leave "
            "one of the two out"
        )
    if model.deterministic:
        raise UserError(
            f"`deterministic: true` makes all {model.seeds} seeds the same: leave one out"
        )
    drawn = any(name in SEEDS for name in parameter_names(type(classifier)))
    if not drawn and not model.chooses and type(classifier).__module__.startswith("sklearn."):
        raise UserError(
            f"{type(classifier).__name__} has no random part: all of its seeds would give the same "
            "fit"
        )


def check_inner_divisions(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find estimators that divide rows that depend on each other in their own way."""
    if GROUP in table.frame:
        key, torn = "groups", "rows of one group would be on both sides"
    elif TIME in table.frame:
        key, torn = "time", "rows would be judged by earlier ones"
    else:
        return
    estimator = assemble(model, table.features, derive(0))
    space = {} if model.tune is None else model.tune.space
    names, usual = full_names(estimator, space), estimator.get_params(deep=True)
    variants = [estimator]
    for parameter, given in space.items():
        usual_value = usual.get(names[parameter])
        tried = [] if isinstance(given, Distribution) else given
        variants += [
            clone(estimator).set_params(**{names[parameter]: made_value(value, usual_value)})
            for value in tried
        ]
    for part in [part for variant in variants for part in parts_of(variant)]:
        if (division := _own_division(part, len(table.frame))) is not None:
            parameter, value = division
            yield Problem(
                ("models", name),
                f"{type(part).__name__} divides its training rows itself (`{parameter}`: "
                f"{shown(value)}): {torn} (data set {dataset} has `{key}:`); switch it off, or "
                "leave it out: `tune:` and `threshold:` divide rows as the data demand",
            )
            return


def check_model_on(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find reasons why a model cannot be fitted on a data set."""
    place = ("models", name)
    try:
        select_features(table.features, model)
    except Problem as problem:
        yield Problem((*place, *problem.path), f"{problem.message} in data set {dataset}")
    if isinstance(model.class_weight, dict):
        for label in map(name_of, model.class_weight):
            if label not in table.classes:
                message = unknown(f"class of data set {dataset}:", label, table.classes)
                yield Problem((*place, "class_weight", label), message)
    if table.weights is not None:
        classifier = build(model.parts[-1].estimator, model.parts[-1].params)
        if not _takes_weights(classifier):
            yield Problem(
                place,
                f"{type(classifier).__name__} takes no sample weights, and data set {dataset} has "
                "`weights:`; leave the model or the weights out",
            )
    if len(table.classes) in (0, 2):
        return
    count = f"{dataset} has {len(table.classes)}"
    if model.threshold is not None:
        yield Problem((*place, "threshold"), f"a threshold is for two classes, {count}")
    if model.tune is not None and is_for_two_classes(model.tune.scoring):
        yield Problem(
            (*place, "tune", "scoring"),
            f"{model.tune.scoring} is for two classes, {count}; for more use balanced_accuracy, "
            "f1_macro, roc_auc_ovr or mcc",
        )


def parts_of(estimator: Any) -> Sequence[Any]:
    """List an estimator and the estimators among its parameters."""
    inner = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    unfitted = (part for part in inner if hasattr(part, "get_params") and not isclass(part))
    return [estimator, *unfitted]


def _own_division(part: Any, rows: int) -> tuple[str, Any] | None:
    """Return the parameter by which an estimator divides its rows, and its value."""
    if not hasattr(part, "get_params"):
        return None
    params = part.get_params(deep=False)
    stops = next((key for key in _STOPS if key in params), None)
    if "cv" in params and params["cv"] != "prefit":
        none = params["cv"] is None and type(part).__name__ in _NO_FOLDS
        return None if none else ("cv", params["cv"])
    if params.get("validation_fraction") is not None and stops is not None:
        never = params[stops] in (None, False) or (params[stops] == "auto" and rows <= _MANY)
        return None if never else (stops, params[stops])
    if params.get("probability") is True and "svm" in type(part).__module__:
        return "probability", True
    return next(((key, params[key]) for key in _SHARES if params.get(key)), None)

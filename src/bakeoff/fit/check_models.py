"""Errors of a model that can be detected before it is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import isclass
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from bakeoff.data import Table
from bakeoff.data.table import GROUP, TIME
from bakeoff.errors import Problem, UserError, shown, unknown
from bakeoff.fit.estimator import (
    LIBRARIES,
    SEEDS,
    assemble,
    boosting_library,
    build,
    has_class_weight,
    import_class,
    made_value,
    steps_of,
)
from bakeoff.fit.run_fit import select_features
from bakeoff.fit.train import full_names, scorer, search_space
from bakeoff.keys import name_of
from bakeoff.seeds import derive
from bakeoff.spec.experiment import Task
from bakeoff.spec.models import Distribution, Model, Step, Tune
from bakeoff.usercode import refuse_missing

_MANY = 10_000
"""Training rows from which on histogram gradient boosting stops early by itself."""
_STOPS = ("early_stopping", "n_iter_no_change")
"""Parameters that make an estimator with `validation_fraction` watch rows; the first one rules."""
_SHARES = ("eval_fraction", "train_split")
"""Parameters by which estimators of CatBoost and skorch divide their rows."""
_ROUNDS = (
    *("early_stopping_rounds", "early_stopping_round", "early_stopping", "n_iter_no_change"),
    *("od_wait", "od_type", "od_pval", "use_best_model"),
)
"""Parameters by which XGBoost, LightGBM and CatBoost stop early, on rows that `fit` is given."""
_NO_FOLDS = ("ClassifierChain", "RegressorChain")
"""With `cv` these make folds; without it they make none."""

Place = tuple[str | int, ...]
"""The keys that lead to a part of the YAML."""


def check_model(
    name: str, model: Model, without_costs: Sequence[str] = (), task: Task = Task.CLASSIFICATION
) -> Any:
    """Refuse models that cannot be fitted, before any data are read."""
    place = ("models", name)
    refuse_missing(model.reads, place)
    classifier = _check_steps(model, place, task)
    if model.needs_costs and without_costs:
        raise Problem(
            (*place, "threshold", "choose"),
            "needs `costs: {classes: …, matrix: …}` at the top level, or under the data set "
            f"{without_costs[0]}",
        )
    if model.class_weight is not None:
        _check_class_weight(model, classifier, (*place, "class_weight"))
    if model.threshold is not None:
        _check_threshold(model, classifier, (*place, "threshold"))
    if model.seeds > 1:
        _check_seeds(model, (*place, "seeds"))
    if model.tune is not None:
        with _problems_at(*place, "tune"):
            _check_tuning(Pipeline(steps_of(model, classifier)), model.tune)
    return classifier


def _check_steps(model: Model, place: Place, task: Task) -> Any:
    """Check all steps of a model, and return the last one, unfitted."""
    for key, steps in (("preprocessing", model.own_preprocessing), ("steps", model.parts[:-1])):
        is_list = isinstance(getattr(model, key), list)
        for i, step in enumerate(steps):
            position = (i,) if is_list else ()
            _check_step(step, (*place, key, *position))
    last = (*place, "steps", len(model.parts) - 1) if model.steps else place
    return _check_step(model.parts[-1], last, task)


def _check_class_weight(model: Model, classifier: Any, place: Place) -> None:
    """Refuse class weights that are given twice or that an estimator does not take."""
    if "class_weight" in model.parts[-1].params:
        raise Problem(place, "given twice: also in `params`; leave one of them out")
    if not (has_fit_parameter(classifier, "sample_weight") or has_class_weight(classifier)):
        kind = type(classifier).__name__
        raise Problem(place, f"{kind} takes neither class weights nor sample weights")


def _check_threshold(model: Model, classifier: Any, place: Place) -> None:
    """Refuse a threshold of an estimator that gives nothing to compare with it."""
    kind = type(classifier).__name__
    gives_probabilities = _has_method(classifier, "predict_proba")
    if not gives_probabilities and not _has_method(classifier, "decision_function"):
        raise Problem(place, f"{kind} gives neither probabilities nor decision values")
    threshold = model.threshold
    if not gives_probabilities or not isinstance(threshold, float | int):
        return
    if not 0 < threshold < 1:
        expected = f"a probability between 0 and 1 ({kind} gives probabilities)"
        raise Problem(place, f"found {threshold:g}, expected {expected}")


def _check_seeds(model: Model, place: Place) -> None:
    """Refuse several seeds of a model whose training is always the same."""
    params = model.parts[-1].params
    fixed = [
        f"params: {{{name}: {params[name]}}}" for name in SEEDS if params.get(name) is not None
    ]
    if model.deterministic:
        fixed.append("deterministic: true")
    if fixed:
        raise Problem(
            place,
            f"`{fixed[0]}` makes all {model.seeds} seeds the same: leave one of the two out",
        )


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
    path, needed = step.estimator, "transform" if task is None else "predict"
    with _problems_at(*place, "estimator"):
        if not (hasattr(made, "fit") and _has_method(made, needed)):
            wanted = "no transformer" if task is None else "not an estimator"
            raise UserError(f"{path} has no fit and {needed}: it is {wanted}")
        if task is None:
            return made
        try:
            kind = get_tags(made).estimator_type
        except Exception as error:  # whatever a user's class, or an estimator's part, raises
            raise UserError(f"{path} does not say what it is: {error}") from None
        if kind != task.learner:
            other = next((t for t in Task if t.learner == kind), None)
            hint = f"; it is a {kind}, for experiments of `task: {other}`" if other else ""
            says = f"scikit-learn's is_{task.learner} says so"
            raise UserError(f"{path} is not a {task.learner} ({says}){hint}")
    return made


def _has_method(estimator: Any, name: str) -> bool:
    """Tell whether an estimator that is not fitted yet has a method once it is fitted."""
    # a StackingClassifier without a final estimator makes one, LogisticRegression, in fit
    left_out = getattr(estimator, "final_estimator", estimator) is None
    return hasattr(estimator, name) or (left_out and hasattr(type(estimator), name))


def _check_values(estimator: Any, values: Mapping[str, Any]) -> None:
    """Let an estimator of scikit-learn check its parameters, as it would only do in fit."""
    kind = type(estimator)
    try:
        made = clone(estimator)
        made.set_params(**values)
    except Exception as error:  # scikit-learn's, or whatever a user's class raises
        raise UserError(f"{kind.__module__}.{kind.__name__} cannot be copied: {error}") from None
    for part in _parts(made):
        _refuse_unwatched(part)
    for part in (made, *made.get_params(deep=True).values()):
        if hasattr(part, "_parameter_constraints") and not isclass(part):
            try:
                part._validate_params()
            except ValueError as error:
                raise UserError(str(error)) from None


def _refuse_unwatched(part: Any) -> None:
    """Refuse boosting that stops early by rows that `fit` would have to be given."""
    stops = _stopped_by(part)
    kind = type(part)
    # a class of the user's own may set rows apart in its fit, CatBoost does by `eval_fraction`
    own_fit = kind.fit.__module__.partition(".")[0] != boosting_library(part)
    if stops is None or own_fit or part.get_params(deep=False).get("eval_fraction"):
        return
    parameter, value = stops
    raise UserError(
        f"{kind.__name__} stops early (`{parameter}`: {shown(value)}) by the score on rows that "
        "its fit is given (`eval_set`), and here it is given none: leave it out, or set a part of "
        "the training rows apart in a class of your own, as the section Early stopping of "
        "docs/models.md shows"
    )


def _stopped_by(part: Any) -> tuple[str, Any] | None:
    """Return what makes an estimator of a boosting library stop early, and its value."""
    if boosting_library(part) not in LIBRARIES:
        return None
    params = part.get_params(deep=False)
    for key in _ROUNDS:
        if params.get(key):
            return key, params[key]
    return None


def _check_tuning(estimator: Any, tune: Tune) -> None:
    """Refuse parameters that an estimator does not have, and values that it does not take."""
    scorer(tune.scoring)
    names = full_names(estimator, tune.space)
    defaults = estimator.get_params(deep=True)
    for name, values in tune.space.items():
        if isinstance(values, Distribution):
            continue
        full_name = names[name]
        for value in values:
            with _problems_at("space", name):
                _check_values(estimator, {full_name: made_value(value, defaults.get(full_name))})


def check_inner_divisions(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find estimators that divide rows that depend on each other in their own way."""
    if GROUP in table.frame:
        key, torn = "groups", "rows of one group would be on both sides"
    elif TIME in table.frame:
        key, torn = "time", "rows would be judged by earlier ones"
    else:
        return
    for part in _parts_of_variants(model, table):
        division = _own_division(part, len(table.frame))
        if division is not None:
            parameter, value = division
            yield Problem(
                ("models", name),
                f"{type(part).__name__} divides its training rows itself (`{parameter}`: "
                f"{shown(value)}): {torn} (data set {dataset} has `{key}:`); switch it off, or "
                "leave it out: `tune:` and `threshold:` divide rows as the data demand",
            )
            return


def _parts_of_variants(model: Model, table: Table) -> Iterator[Any]:
    """Return the parts of an estimator, with its own parameters and with each that is tuned."""
    estimator = assemble(model, table.features, derive(0))
    yield from _parts(estimator)
    if model.tune is None:
        return
    for tuned, values in search_space(estimator, model.tune).items():
        if isinstance(values, list):
            for value in values:
                yield from _parts(clone(estimator).set_params(**{tuned: value}))


def check_model_on(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find reasons why a model cannot be fitted on a data set."""
    place = ("models", name)
    try:
        select_features(table.features, model)
    except Problem as problem:
        yield Problem((*place, *problem.path), f"{problem.message} in data set {dataset}")
    if isinstance(model.class_weight, dict):
        yield from _unknown_classes(model.class_weight, dataset, table, (*place, "class_weight"))
    if model.tune is not None and model.tune.validation is not None:
        share = model.tune.validation
        rows = len(table.frame)
        apart = round(share * rows)
        if not 0 < apart < rows:
            yield Problem(
                (*place, "tune", "validation"),
                f"found {share:g}: of the {rows} rows of {dataset} it sets {apart} apart, expected "
                "some but not all",
            )
    if table.weights is not None:
        classifier = build(model.parts[-1].estimator, model.parts[-1].params)
        if not has_fit_parameter(classifier, "sample_weight"):
            yield Problem(
                place,
                f"{type(classifier).__name__} takes no sample weights, and data set {dataset} has "
                "`weights:`; leave the model or the weights out",
            )
    if model.threshold is not None and len(table.classes) not in (0, 2):
        count = f"{dataset} has {len(table.classes)}"
        yield Problem((*place, "threshold"), f"a threshold is for two classes, {count}")


def _unknown_classes(
    weights: Mapping[Any, float], dataset: str, table: Table, place: Place
) -> Iterator[Problem]:
    """Find class weights of classes that a data set does not have."""
    for label in map(name_of, weights):
        if label not in table.classes:
            message = unknown(f"class of data set {dataset}:", label, table.classes)
            yield Problem((*place, label), message)


def _parts(estimator: Any) -> Sequence[Any]:
    """List an estimator and the estimators among its parameters."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in parts if hasattr(part, "get_params") and not isclass(part)]


def _own_division(part: Any, rows: int) -> tuple[str, Any] | None:
    """Return the parameter by which an estimator divides its rows, and its value."""
    params = part.get_params(deep=False)
    if "cv" in params and params["cv"] != "prefit":
        makes_no_folds = params["cv"] is None and type(part).__name__ in _NO_FOLDS
        return None if makes_no_folds else ("cv", params["cv"])
    stops = next((key for key in _STOPS if key in params), None)
    if params.get("validation_fraction") is not None and stops is not None:
        never = params[stops] in (None, False) or (params[stops] == "auto" and rows <= _MANY)
        return None if never else (stops, params[stops])
    if params.get("probability") is True and "svm" in type(part).__module__:
        return "probability", True
    for key in _SHARES:
        if params.get(key):
            return key, params[key]
    # boosting that stops early and is not refused sets rows apart itself
    return _stopped_by(part)

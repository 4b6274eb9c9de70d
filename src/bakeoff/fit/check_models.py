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
from bakeoff.errors import Place, Problem, UserError, shown, unknown
from bakeoff.fit.estimator import (
    LIBRARIES,
    SEEDS,
    assemble,
    boosting_library,
    build,
    has_class_weight,
    import_class,
    parameter_value,
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
    "early_stopping_rounds",
    "early_stopping_round",
    "early_stopping",
    "n_iter_no_change",
    "od_wait",
    "od_type",
    "od_pval",
    "use_best_model",
)
"""Parameters by which XGBoost, LightGBM and CatBoost stop early, on rows that `fit` is given."""
_NO_FOLDS = ("ClassifierChain", "RegressorChain")
"""With `cv` these make folds; without it they make none."""


# --- before any data are read


def check_model(
    name: str, model: Model, without_costs: Sequence[str] = (), task: Task = Task.CLASSIFICATION
) -> Any:
    """Refuse models that cannot be fitted, before any data are read."""
    with _problems_at("models", name):
        refuse_missing(model.reads)
        classifier = _check_steps(model, task)
        if model.needs_costs and without_costs:
            raise Problem(
                ("threshold", "choose"),
                "needs `costs: {classes: …, matrix: …}` at the top level, or under the data set "
                f"{without_costs[0]}",
            )
        if model.class_weight is not None:
            _check_class_weight(model, classifier)
        if model.threshold is not None:
            _check_threshold(model, classifier)
        if model.seeds > 1:
            _check_seeds(model)
        if model.tune is not None:
            with _problems_at("tune"):
                _check_tuning(Pipeline(steps_of(model, classifier)), model.tune)
    return classifier


def _check_steps(model: Model, task: Task) -> Any:
    """Check all steps of a model, and return the last one, unfitted."""
    before = model.own_preprocessing
    _check_transformers(before, "preprocessing", is_list=isinstance(model.preprocessing, list))
    _check_transformers(model.parts[:-1], "steps", is_list=True)
    last = model.parts[-1]
    if not model.steps:
        return _check_step(last, task)
    with _problems_at("steps", len(model.parts) - 1):
        return _check_step(last, task)


def _check_transformers(steps: Sequence[Step], key: str, is_list: bool) -> None:
    """Check the steps before the last one, which stand at a key of the model."""
    for i, step in enumerate(steps):
        place: Place = (key,)
        if is_list:
            place = (key, i)
        with _problems_at(*place):
            _check_step(step)


def _check_step(step: Step, task: Task | None = None) -> Any:
    """Check a step: a transformer, or the last one, which is to learn a task."""
    with _problems_at("estimator"):
        import_class(step.estimator)
    with _problems_at("params"):
        estimator = build(step.estimator, step.params)
        _check_values(estimator, {})
    with _problems_at("estimator"):
        if task is None:
            if not _learns_and_has(estimator, "transform"):
                raise UserError(f"{step.estimator} has no fit and transform: it is no transformer")
        else:
            if not _learns_and_has(estimator, "predict"):
                raise UserError(f"{step.estimator} has no fit and predict: it is not an estimator")
            _check_kind(step.estimator, estimator, task)
    return estimator


def _check_kind(path: str, estimator: Any, task: Task) -> None:
    """Refuse an estimator that does not learn what the task is to predict."""
    try:
        kind = get_tags(estimator).estimator_type
    except Exception as error:  # whatever a user's class, or an estimator's part, raises
        raise UserError(f"{path} does not say what it is: {error}") from None
    if kind == task.learner:
        return
    hint = ""
    for other in Task:
        if other.learner == kind:
            hint = f"; it is a {kind}, for experiments of `task: {other}`"
    says = f"scikit-learn's is_{task.learner} says so"
    raise UserError(f"{path} is not a {task.learner} ({says}){hint}")


def _learns_and_has(estimator: Any, method: str) -> bool:
    return hasattr(estimator, "fit") and _has_method(estimator, method)


def _check_class_weight(model: Model, classifier: Any) -> None:
    """Refuse class weights that are given twice or that an estimator does not take."""
    place = ("class_weight",)
    if "class_weight" in model.parts[-1].params:
        raise Problem(place, "given twice: also in `params`; leave one of them out")
    if not (has_fit_parameter(classifier, "sample_weight") or has_class_weight(classifier)):
        kind = type(classifier).__name__
        raise Problem(place, f"{kind} takes neither class weights nor sample weights")


def _check_threshold(model: Model, classifier: Any) -> None:
    """Refuse a threshold of an estimator that gives nothing to compare with it."""
    place = ("threshold",)
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


def _check_seeds(model: Model) -> None:
    """Refuse several seeds of a model whose training is always the same."""
    params = model.parts[-1].params
    fixed = []
    for name in SEEDS:
        if params.get(name) is not None:
            fixed.append(f"params: {{{name}: {params[name]}}}")
    if model.deterministic:
        fixed.append("deterministic: true")
    if fixed:
        raise Problem(
            ("seeds",),
            f"`{fixed[0]}` makes all {model.seeds} seeds the same: leave one of the two out",
        )


def _has_method(estimator: Any, name: str) -> bool:
    """Tell whether an estimator that is not fitted yet has a method once it is fitted."""
    # a StackingClassifier without a final estimator makes one, LogisticRegression, in fit
    left_out = getattr(estimator, "final_estimator", estimator) is None
    return hasattr(estimator, name) or (left_out and hasattr(type(estimator), name))


def _check_values(estimator: Any, values: Mapping[str, Any]) -> None:
    """Let an estimator of scikit-learn check its parameters, as it would only do in fit."""
    kind = type(estimator)
    try:
        copied = clone(estimator)
        copied.set_params(**values)
    except Exception as error:  # scikit-learn's, or whatever a user's class raises
        raise UserError(f"{kind.__module__}.{kind.__name__} cannot be copied: {error}") from None
    for part in _parts(copied):
        _refuse_unwatched(part)
    for part in (copied, *copied.get_params(deep=True).values()):
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
                tried = parameter_value(value, defaults.get(full_name))
                _check_values(estimator, {full_name: tried})


@contextmanager
def _problems_at(*place: str | int) -> Iterator[None]:
    """Say at which key an error is."""
    try:
        yield
    except Problem as problem:
        raise problem.inside(place) from None
    except UserError as error:
        raise Problem(place, str(error)) from None


# --- on a data set


def check_inner_divisions(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find estimators that divide rows that depend on each other in their own way."""
    if GROUP in table.frame:
        key = "groups"
        consequence = "rows of one group would be on both sides"
    elif TIME in table.frame:
        key = "time"
        consequence = "rows would be judged by earlier ones"
    else:
        return
    for part in _parts_of_variants(model, table):
        division = _own_division(part, len(table.frame))
        if division is not None:
            parameter, value = division
            yield Problem(
                ("models", name),
                f"{type(part).__name__} divides its training rows itself (`{parameter}`: "
                f"{shown(value)}): {consequence} (data set {dataset} has `{key}:`); switch it "
                "off, or leave it out: `tune:` and `threshold:` divide rows as the data demand",
            )
            return


def _parts_of_variants(model: Model, table: Table) -> Iterator[Any]:
    """Return the parts of an estimator, with its own parameters and with each that is tuned."""
    estimator = assemble(model, table.features, derive(0))
    yield from _parts(estimator)
    if model.tune is None:
        return
    for parameter, values in search_space(estimator, model.tune).items():
        if isinstance(values, list):
            for value in values:
                yield from _parts(clone(estimator).set_params(**{parameter: value}))


def check_model_on(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find reasons why a model cannot be fitted on a data set."""
    for problem in _problems_on(model, dataset, table):
        yield problem.inside(("models", name))


def _problems_on(model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find these reasons, at places inside the model."""
    try:
        select_features(table.features, model)
    except Problem as problem:
        yield Problem(problem.path, f"{problem.message} in data set {dataset}")
    if isinstance(model.class_weight, dict):
        yield from _unknown_classes(model.class_weight, dataset, table)
    if model.tune is not None and model.tune.validation is not None:
        share = model.tune.validation
        rows = len(table.frame)
        apart = round(share * rows)
        if not 0 < apart < rows:
            yield Problem(
                ("tune", "validation"),
                f"found {share:g}: of the {rows} rows of {dataset} it sets {apart} apart, expected "
                "some but not all",
            )
    if table.weights is not None:
        classifier = build(model.parts[-1].estimator, model.parts[-1].params)
        if not has_fit_parameter(classifier, "sample_weight"):
            yield Problem(
                (),
                f"{type(classifier).__name__} takes no sample weights, and data set {dataset} has "
                "`weights:`; leave the model or the weights out",
            )
    if model.threshold is not None and len(table.classes) not in (0, 2):
        count = f"{dataset} has {len(table.classes)}"
        yield Problem(("threshold",), f"a threshold is for two classes, {count}")


def _unknown_classes(weights: Mapping[Any, float], dataset: str, table: Table) -> Iterator[Problem]:
    """Find class weights of classes that a data set does not have."""
    for label in map(name_of, weights):
        if label not in table.classes:
            message = unknown(f"class of data set {dataset}:", label, table.classes)
            yield Problem(("class_weight", label), message)


def _parts(estimator: Any) -> Sequence[Any]:
    """List an estimator and the estimators among its parameters."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in parts if hasattr(part, "get_params") and not isclass(part)]


def _own_division(part: Any, rows: int) -> tuple[str, Any] | None:
    """Return the parameter by which an estimator divides its rows, and its value."""
    params = part.get_params(deep=False)
    # stacking, calibration and searches
    if "cv" in params and params["cv"] != "prefit":
        if params["cv"] is None and type(part).__name__ in _NO_FOLDS:
            return None
        return "cv", params["cv"]
    stops = next((key for key in _STOPS if key in params), None)
    if params.get("validation_fraction") is not None and stops is not None:
        if _never_stops(params[stops], rows):
            return None
        return stops, params[stops]
    # the probabilities of support vector machines come from folds of their own (Platt scaling)
    if params.get("probability") is True and "svm" in type(part).__module__:
        return "probability", True
    for key in _SHARES:
        if params.get(key):
            return key, params[key]
    # boosting that stops early and is not refused sets rows apart itself
    return _stopped_by(part)


def _never_stops(value: Any, rows: int) -> bool:
    """Tell whether by a value of one of `_STOPS` an estimator watches no rows."""
    if value == "auto":
        return rows <= _MANY
    return value in (None, False)

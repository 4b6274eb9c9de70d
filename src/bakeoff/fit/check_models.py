"""Errors of a model that can be detected before it is fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bakeoff.data import Table, columns
from bakeoff.data.table import GROUP, TIME, VALIDATION
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.extras import require
from bakeoff.fit.assemble import SEEDS, assemble, make_classifier, steps_of
from bakeoff.fit.early_stopping import with_early_stopping
from bakeoff.fit.estimator import (
    build,
    check_values,
    has_method,
    import_class,
    made_value,
    parameter_names,
)
from bakeoff.fit.inner_divisions import divided
from bakeoff.fit.own_divisions import Dependence, refuse_own_divisions
from bakeoff.fit.run_fit import select_features
from bakeoff.fit.tuning import check_tuning, full_names, is_for_two_classes
from bakeoff.fit.weights import check_class_weight, takes_weights
from bakeoff.keys import name_of
from bakeoff.seeds import derive
from bakeoff.spec.models import Model, Step
from bakeoff.spec.task import Task
from bakeoff.spec.training_choices import Distribution, Tune, ValidationRows

_NEIGHBOURS = KNeighborsClassifier, KNeighborsRegressor

TrainingRows = Callable[[], Sequence[NDArray[np.intp]] | None]


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
            check_class_weight(classifier, model.parts[-1].params)
    if model.early_stopping is not None:
        with _problems_at(*place, "early_stopping"):
            with_early_stopping(make_classifier(model), model.early_stopping)
    if model.threshold is not None:
        with _problems_at(*place, "threshold"):
            _check_threshold(model, classifier)
    if model.seeds > 1:
        with _problems_at(*place, "seeds"):
            _check_seeds(model, classifier)
    if model.keep:
        with _problems_at(*place, "keep"):
            require("skops", "a file of the fitted model")
    if model.tune is not None:
        with _problems_at(*place, "tune"):
            check_tuning(Pipeline(steps_of(model, classifier)), model.tune)
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
        made = build(step.estimator, step.params, step.set_output)
        check_values(made, {})
    with _problems_at(*place, "estimator"):
        if task is None:
            if not (hasattr(made, "fit") and has_method(made, "transform")):
                raise UserError(f"{step.estimator} has no fit and transform: it is no transformer")
        elif not (hasattr(made, "fit") and has_method(made, "predict")):
            raise UserError(f"{step.estimator} has no fit and predict: it is not an estimator")
        else:
            _check_learner(step.estimator, made, task)
    return made


def _check_learner(path: str, made: Any, task: Task) -> None:
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
    if any(isinstance(part, FrozenEstimator) for part in _parts(made)):
        raise UserError(f"{path} keeps an estimator as it was fitted, and here none is fitted yet")
    if not tags.target_tags.single_output:
        raise UserError(f"{path} predicts several targets at once, a data set here has one")


def _check_threshold(model: Model, classifier: Any) -> None:
    kind = type(classifier).__name__
    graded = has_method(classifier, "predict_proba")
    if not graded and not has_method(classifier, "decision_function"):
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


def _parts(estimator: Any) -> list[Any]:
    """List an estimator and the estimators among its parameters."""
    inner = estimator.get_params(deep=True).values()
    return [estimator, *(part for part in inner if hasattr(part, "get_params"))]


def check_neighbours(
    name: str, model: Model, dataset: str, table: Table, trained: TrainingRows
) -> Iterator[Problem]:
    """Find parameters that ask for more neighbours than there are training rows."""
    neighbours = [p for p in _parts(make_classifier(model)) if isinstance(p, _NEIGHBOURS)]
    parts = trained() if neighbours else None
    if parts is None:
        return
    n_train = min(map(len, parts))
    wanted = max(part.n_neighbors for part in neighbours)
    if wanted > n_train:
        yield Problem(
            ("models", name, "params"),
            f"{wanted} neighbours are more than the {n_train} rows of the smallest training part "
            f"of data set {dataset}: n_neighbors can be {n_train} at most",
        )
    tune = model.tune
    if tune is None:
        return
    inner = _fewest_inner_rows(tune, table, parts)
    for key, values in tune.space.items():
        if not key.endswith("n_neighbors") or isinstance(values, Distribution):
            continue
        most = max((v for v in values if isinstance(v, int)), default=0)
        if most > inner:
            yield Problem(
                ("models", name, "tune", "space", key),
                f"{most} neighbours are more than the {inner} rows that an inner fold of data set "
                f"{dataset} is trained on: {inner} at most",
            )


def _fewest_inner_rows(tune: Tune, table: Table, parts: Sequence[NDArray[np.intp]]) -> int:
    """Return how many rows the combinations of a search are trained on, at least."""
    if isinstance(tune.validation, ValidationRows):
        held = table.frame[VALIDATION].isin(tune.validation.names).to_numpy()
        return min(int((~held[rows]).sum()) for rows in parts)
    n_train = min(map(len, parts))
    return n_train - math.ceil(n_train * (tune.validation or 1 / tune.cv))


def check_validation(
    name: str, model: Model, dataset: str, table: Table, trained: TrainingRows
) -> Iterator[Problem]:
    """Find a search whose validation rows are missing, or are all rows, of a training part."""
    rows = model.validation
    if rows is None:
        return
    place = ("models", name, "tune", "validation")
    values = table.frame[VALIDATION]
    try:
        present = values.dropna().unique()
        columns.check_values(
            rows.values, present, f"value in {rows.column!r} of data set {dataset}:"
        )
    except UserError as error:
        yield Problem((*place, "values"), str(error))
        return
    held = values.isin(rows.names).to_numpy()
    for part in trained() or ():
        kin = (table.frame[k].to_numpy()[part] if k in table.frame else None for k in (GROUP, TIME))
        try:
            divided(table.codes[part], held[part], None, *kin)
        except UserError as error:
            yield Problem(place, f"{error} (in a training part of data set {dataset})")
            return


def check_inner_divisions(
    name: str, model: Model, dataset: str, table: Table, trained: TrainingRows
) -> Iterator[Problem]:
    """Find estimators that divide rows that depend on each other in their own way."""
    key = next((k for k, c in {"groups": GROUP, "time": TIME}.items() if c in table.frame), None)
    if key is None:
        return
    rows = max((len(part) for part in trained() or ()), default=len(table.frame))
    try:
        dependence = Dependence(key, rows)
        estimator = assemble(model, table.features, derive(0), dependence=dependence)
        for tried in _tried(estimator, model):
            refuse_own_divisions(tried, dependence, model)
    except Problem as problem:
        message = f"{problem.message} (data set {dataset})"
        yield Problem(("models", name, *problem.path), message)


def _tried(estimator: Any, model: Model) -> Iterator[Any]:
    """Return an estimator with each value that a search tries in place of its own."""
    space = {} if model.tune is None else model.tune.space
    names, usual = full_names(estimator, space), estimator.get_params(deep=True)
    for name, values in space.items():
        for value in [] if isinstance(values, Distribution) else values:
            full = names[name]
            yield clone(estimator).set_params(**{full: made_value(value, usual.get(full))})


def check_model_on(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Find reasons why a model cannot be fitted on a data set."""
    place = ("models", name)
    try:
        select_features(table.features, model)
    except Problem as problem:
        yield Problem((*place, *problem.path), f"{problem.message} in data set {dataset}")
    if isinstance(model.class_weight, dict):
        for found in map(name_of, model.class_weight):
            if found not in table.classes:
                message = unknown(f"class of data set {dataset}:", found, table.classes)
                yield Problem((*place, "class_weight", found), message)
    if table.weights is not None:
        classifier = build(model.parts[-1].estimator, model.parts[-1].params)
        if not takes_weights(classifier):
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

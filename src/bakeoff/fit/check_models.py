"""What can be known of a model to fail before it is fitted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from bakeoff.data import Table
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.fit.assemble import SEEDS, make_classifier, steps_of
from bakeoff.fit.early_stopping import with_early_stopping
from bakeoff.fit.estimator import build, check_values, import_class, parameter_names
from bakeoff.fit.task import select_features
from bakeoff.fit.tuning import check_tuning, is_for_two_classes
from bakeoff.fit.weights import check_class_weight, takes_weights
from bakeoff.keys import name_of
from bakeoff.spec import Costs
from bakeoff.spec.models import Model, Step


def check_model(name: str, model: Model, costs: Costs | None = None) -> Any:
    """Refuse, before any data are looked at, what cannot be fitted.

    Returns
    -------
    estimator
        The classifier, unfitted and without what stands before it.

    Raises
    ------
    Problem
        At the key that is wrong.
    """
    place = ("models", name)
    for key, steps in (("preprocessing", model.own_preprocessing), ("steps", model.parts[:-1])):
        for i, step in enumerate(steps):
            at = (key, i) if isinstance(getattr(model, key), list) else (key,)
            _check_step(step, (*place, *at), transformer=True)
    last = (*place, "steps", len(model.parts) - 1) if model.steps else place
    classifier = _check_step(model.parts[-1], last, transformer=False)
    if model.needs_costs and costs is None:
        message = "needs `costs: {classes: …, matrix: …}` at the top level"
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
        raise Problem((*place, *problem.path), problem.message) from None
    except UserError as error:
        raise Problem(place, str(error)) from None


def _check_step(step: Step, place: tuple[str | int, ...], transformer: bool) -> Any:
    with _problems_at(*place, "estimator"):
        import_class(step.estimator)
    with _problems_at(*place, "params"):
        made = build(step.estimator, step.params)
        check_values(made, {})
    with _problems_at(*place, "estimator"):
        if transformer:
            if not (hasattr(made, "fit") and hasattr(made, "transform")):
                raise UserError(f"{step.estimator} has no fit and transform: it is no transformer")
        elif not (hasattr(made, "fit") and hasattr(made, "predict")):
            raise UserError(f"{step.estimator} has no fit and predict: it is not an estimator")
        elif not is_classifier(made):
            raise UserError(
                f"{step.estimator} is not a classifier (scikit-learn's is_classifier says so)"
            )
    return made


def _check_threshold(model: Model, classifier: Any) -> None:
    kind = type(classifier).__name__
    graded = hasattr(classifier, "predict_proba")
    if not graded and not hasattr(classifier, "decision_function"):
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
    drawn = any(name in SEEDS for name in parameter_names(type(classifier)))
    if not drawn and not model.chooses and type(classifier).__module__.startswith("sklearn."):
        raise UserError(f"{type(classifier).__name__} draws nothing at random: all would be alike")


def check_model_on(name: str, model: Model, dataset: str, table: Table) -> Iterator[Problem]:
    """Look for what keeps a model from being fitted on a data set."""
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
    if len(table.classes) == 2:
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

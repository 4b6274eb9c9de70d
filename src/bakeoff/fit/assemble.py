"""From a model's entry to one unfitted estimator: steps, weights, early stopping, seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from bakeoff.fit.early_stopping import InnerDivided
from bakeoff.fit.estimator import build, parameter_names
from bakeoff.fit.own_divisions import Dependence, as_declared, refuse_own_divisions
from bakeoff.fit.preprocessing import automatic_steps
from bakeoff.fit.weights import by_code, has_class_weight
from bakeoff.seeds import part_of
from bakeoff.spec.models import Model

# how libraries call the parameter that seeds them
SEEDS = ("random_state", "random_seed", "seed")


def assemble(
    model: Model,
    features: pd.DataFrame,
    seed: np.random.SeedSequence,
    classes: Sequence[str] = (),
    dependence: Dependence | None = None,
) -> Any:
    """Make the whole estimator of a model, unfitted."""
    classifier = make_classifier(model)
    if model.class_weight is not None and has_class_weight(classifier):
        classifier.set_params(class_weight=by_code(model.class_weight, classes))
    steps = steps_of(model, classifier)
    if model.preprocessing == "auto":
        automatic = automatic_steps(steps[0][1], classifier, features)
        steps = [*((f"auto_{type(one).__name__.lower()}", one) for one in automatic), *steps]
    steps[-1] = steps[-1][0], as_declared(classifier, model.early_stopping, dependence)
    estimator = Pipeline(steps) if len(steps) > 1 else steps[0][1]
    if dependence is not None:
        refuse_own_divisions(estimator, dependence, model)
    _set_seeds(estimator, seed)
    return estimator


def steps_of(model: Model, classifier: Any) -> list[tuple[str, Any]]:
    """Make the steps that a model names, the given classifier last."""
    steps = [*model.own_preprocessing, *model.parts]
    made = [
        *(build(step.estimator, step.params, step.set_output) for step in steps[:-1]),
        classifier,
    ]
    names = [s.name or type(one).__name__.lower() for s, one in zip(steps, made, strict=True)]
    return _distinct(list(zip(names, made, strict=True)))


def random_states(estimator: Any) -> dict[str, Any]:
    """Return the seeds that an estimator and its parts have, by the parameter's full name."""
    classifier = final(estimator)
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


def last_step(estimator: Any) -> Any:
    """Return the last step of an estimator that may be a pipeline."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def final(estimator: Any) -> Any:
    """Return the classifier itself: no pipeline, nothing around it."""
    last = last_step(estimator)
    return last.estimator if isinstance(last, InnerDivided) else last


def keywords(estimator: Any, weights: Any, groups: Any = None, times: Any = None) -> dict[str, Any]:
    """Return what to call fit with so that what is known of the rows reaches the last step."""
    known = {"sample_weight": weights}
    if isinstance(last_step(estimator), InnerDivided):
        known |= {"row_groups": groups, "row_times": times}
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    return {f"{prefix}{name}": values for name, values in known.items() if values is not None}


def make_classifier(model: Model) -> Any:
    """Build the classifier with what the workflow decides for the user: threads, no litter."""
    last = model.parts[-1]
    classifier = build(last.estimator, last.params, last.set_output)
    open_ = {n for n in parameter_names(type(classifier)) if n not in last.params}
    # for scikit-learn None is one thread, for others all cores
    if model.threads > 1 or not type(classifier).__module__.startswith("sklearn."):
        for name in open_ & {"n_jobs", "thread_count"}:
            classifier.set_params(**{name: model.threads})
    if "allow_writing_files" in open_:  # CatBoost would leave a folder where snakemake runs
        classifier.set_params(allow_writing_files=False)
    return classifier


def _distinct(steps: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Give steps that share a name a number each, as scikit-learn's make_pipeline does."""
    names = [name for name, _ in steps]
    shared = {name for name in names if names.count(name) > 1}
    return [
        (f"{name}-{names[: i + 1].count(name)}" if name in shared else name, made)
        for i, (name, made) in enumerate(steps)
    ]


def _set_seeds(estimator: Any, seed: np.random.SeedSequence) -> None:
    """Seed every random part that the user left open, each with its own stream."""
    params = estimator.get_params(deep=True)
    names = [n for n in params if n.rpartition("__")[2] == "random_state" and params[n] is None]
    for name in sorted(names):
        estimator.set_params(**{name: part_of(seed, "part", name)})
    classifier = final(estimator)
    parameters = classifier.get_params(deep=False)
    if not set(SEEDS) & set(parameters) and "random_state" in parameter_names(type(classifier)):
        # CatBoost's get_params tells only what was given, and its own default is always the same
        classifier.set_params(random_state=part_of(seed, "part", "final"))

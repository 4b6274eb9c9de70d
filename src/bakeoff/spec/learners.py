"""Which family of learners a model belongs to, by the classes it is made of.

The families are those of the simulations on cross-validation (docs/cross-validation.md): tests on
folds reject too often for some of them. *Linear* stands for all stable learners.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bakeoff.spec.experiment import Experiment
from bakeoff.spec.models import Model

_CLASSES = {
    "linear": (
        "sklearn.linear_model.",
        "sklearn.discriminant_analysis.",
        "sklearn.naive_bayes.",
        "sklearn.dummy.",
        "sklearn.neighbors.NearestCentroid",
        "sklearn.svm.LinearSVC",
    ),
    "neighbours": (
        "sklearn.neighbors.KNeighbors",
        "sklearn.neighbors.RadiusNeighbors",
        "sklearn.neighbors.Neighborhood",
    ),
    "trees and selection": (
        "sklearn.tree.",
        "sklearn.ensemble.",
        "sklearn.feature_selection.",
        "xgboost.",
        "lightgbm.",
        "catboost.",
    ),
}
# say nothing of what they are made of
_ANY = ("sklearn.ensemble.VotingClassifier", "sklearn.ensemble.StackingClassifier")

FAMILIES = (*_CLASSES, "shrunken")
"""All families that a learner can be known to belong to."""
_SHRINKING = ("sklearn.linear_model.", "sklearn.svm.")


def families(model: Model) -> set[str]:
    """Name the families that any part of a model belongs to; empty for all others."""
    parts = list(_parts(model))
    found = {
        family
        for path, _ in parts
        for family, prefixes in _CLASSES.items()
        if path.startswith(prefixes) and path not in _ANY
    }
    searched = _searched(model)
    if any(
        path.startswith(_SHRINKING) and _shrinks({**params, **searched}) for path, params in parts
    ):
        found.add("shrunken")
    return found


def in_families(experiment: Experiment, wanted: Collection[str]) -> list[str]:
    """List the models that belong to some families, of those that are fitted here."""
    fitted = experiment.fitted.items()
    return [name for name, model in fitted if not families(model).isdisjoint(wanted)]


def _parts(model: Model) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Go through the import paths of a model, nested estimators included, with parameters."""
    plain = model.model_dump(include={"estimator", "params", "steps", "preprocessing"})
    before = plain["preprocessing"]
    for one in (
        plain,
        *(plain["steps"] or ()),
        *(before if isinstance(before, list) else [before]),
    ):
        yield from _nested({"estimator": one} if isinstance(one, str) else one)
    if model.tune is not None:
        yield from _nested(model.tune.model_dump()["space"])


def _nested(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Find estimators in parameters, whose values may be estimators or lists of them."""
    if isinstance(value, Mapping):
        if isinstance(value.get("estimator"), str):
            yield value["estimator"], value.get("params") or {}
        for key, inner in value.items():
            if key not in ("steps", "preprocessing"):
                yield from _nested(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nested(inner)


def _searched(model: Model) -> dict[str, Any]:
    """Return the penalties that are searched for, each by the value that shrinks least."""
    found: dict[str, Any] = {}
    for name, values in (model.tune.model_dump()["space"] if model.tune else {}).items():
        key = name.rpartition("__")[2]
        if isinstance(values, Mapping):  # drawn from a range
            values = next(limits for limits in values.values() if limits is not None)
        if key in ("C", "alpha") and all(isinstance(value, (int, float)) for value in values):
            found[key] = max(values) if key == "C" else min(values)
    return found


def _shrinks(params: Mapping[str, Any]) -> bool:
    """Tell whether a penalty is far above the usual: C of 0.01 or less, alpha of 100 or more."""
    c, alpha = params.get("C", 1.0), params.get("alpha", 1.0)
    numbers = isinstance(c, (int, float)) and isinstance(alpha, (int, float))
    return numbers and (c <= 0.01 or alpha >= 100)

"""Which family of learners a model belongs to, by the classes it is made of.

The families are those of the simulations on cross-validation (docs/cross-validation.md): tests on
folds reject too often for some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.spec.models import Model

_CLASSES = {
    "neighbours": ("sklearn.neighbors.",),
    "trees and selection": (
        "sklearn.tree.",
        "sklearn.ensemble.",
        "sklearn.feature_selection.",
        "xgboost.",
        "lightgbm.",
        "catboost.",
    ),
}
_SHRINKING = ("sklearn.linear_model.", "sklearn.svm.")


def families(model: Model) -> set[str]:
    """Name the families that any part of a model belongs to; empty for all others."""
    found = {
        family
        for path, _ in _parts(model)
        for family, prefixes in _CLASSES.items()
        if path.startswith(prefixes)
    }
    if any(path.startswith(_SHRINKING) and _shrinks(params) for path, params in _parts(model)):
        found.add("shrunken")
    return found


def _parts(model: Model) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Go through the import paths of a model, nested estimators included, with parameters."""
    if model.estimator is not None:
        yield model.estimator, model.params
        yield from _nested(model.params)
    for step in model.steps or ():
        path, params = (step, {}) if isinstance(step, str) else (step.estimator, step.params)
        yield path, params
        yield from _nested(params)


def _nested(params: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for value in params.values():
        if isinstance(value, Mapping):
            own = value.get("params")
            if isinstance(value.get("estimator"), str):
                yield value["estimator"], own if isinstance(own, Mapping) else {}
            yield from _nested(value)


def _shrinks(params: Mapping[str, Any]) -> bool:
    """Tell whether a penalty is far above the usual: C of 0.01 or less, alpha of 100 or more."""
    c, alpha = params.get("C", 1.0), params.get("alpha", 1.0)
    numbers = isinstance(c, (int, float)) and isinstance(alpha, (int, float))
    return numbers and (c <= 0.01 or alpha >= 100)

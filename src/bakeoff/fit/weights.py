"""Weights of rows and of classes, by whichever way the estimator takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import has_fit_parameter

from bakeoff.errors import UserError
from bakeoff.keys import name_of

Weights = NDArray[np.float64]
ClassWeight = str | Mapping[Any, float]


def has_class_weight(classifier: Any) -> bool:
    """Tell whether a classifier has a parameter for class weights."""
    return "class_weight" in classifier.get_params(deep=False)


def takes_weights(classifier: Any) -> bool:
    """Tell whether a classifier's fit takes sample weights."""
    return bool(has_fit_parameter(classifier, "sample_weight"))


def check_class_weight(classifier: Any, params: Mapping[str, Any]) -> None:
    """Refuse class weights that cannot be handed over, or that are given twice."""
    kind = type(classifier).__name__
    if "class_weight" in params:
        raise UserError("given twice: also in `params`; leave one of them out")
    if not has_class_weight(classifier) and not takes_weights(classifier):
        raise UserError(f"{kind} takes neither class weights nor sample weights")


def by_code(weight: ClassWeight, classes: Sequence[str]) -> str | dict[int, float]:
    """Write class weights by position in `classes`; a class that is not named weighs 1."""
    if isinstance(weight, str):
        return weight
    named = {name_of(name): value for name, value in weight.items()}
    return {code: float(named.get(name, 1.0)) for code, name in enumerate(classes)}


def training_weights(
    classifier: Any,
    weight: ClassWeight | None,
    labels: NDArray[np.intp],
    classes: Sequence[str],
    rows: Weights | None,
) -> Weights | None:
    """Return the sample weights of the training rows: theirs, times their class's."""
    if weight is None or has_class_weight(classifier):
        return rows
    class_weights: Weights = compute_sample_weight(by_code(weight, classes), labels)
    return class_weights if rows is None else class_weights * rows

"""What was done to the columns of these data before models were fitted on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from bakeoff.report.numbers import words
from bakeoff.report.study import Study
from bakeoff.spec.learners import is_of_trees
from bakeoff.spec.models import AS_PASSED, Model

_NUMBER = "number"
_KINDS = {"category": "texts and categories", "date": "dates"}
_LIBRARIES = ("sklearn.", "xgboost.", "lightgbm.", "catboost.")


@lru_cache(maxsize=8)
def preparations(study: Study) -> Mapping[str, list[str]]:
    """Map what was done to columns, empty where nothing was, to the names of the models."""
    models = defaultdict[str, list[str]](list)
    for name, model in study.analysis.fitted.items():
        if model.own_preprocessing:
            steps = []
            for step in model.own_preprocessing:
                _, _, class_name = step.estimator.rpartition(".")
                steps.append(class_name)
            done = f"by {', then '.join(steps)}"
        elif model.preprocessing == "auto":
            done = ", and ".join(_automatic(study, model))
        elif any(step.name != AS_PASSED for step in model.parts[:-1]):
            continue  # its steps, named with the model, are all that is done
        else:
            done = ""
        models[done].append(study.name(name))
    return models


def encodes(study: Study) -> bool:
    """Tell whether columns were encoded as numbers for a model."""
    for model in study.analysis.fitted.values():
        if model.preprocessing == "auto" and _encoded(study, model):
            return True
    return False


def _encoded(study: Study, model: Model) -> list[str]:
    """Name the kinds of columns that are encoded as numbers for a model."""
    names = []
    for kind, name in _KINDS.items():
        if _columns(study, model, kind):
            names.append(name)
    return names


def _columns(study: Study, model: Model, kind: str) -> list[Mapping[str, Any]]:
    """Return the columns of one kind that a model learns from, of all data sets."""
    columns = []
    for card in study.cards.values():
        for name, column in card["features"].items():
            learned = model.features is None or name in model.features
            if column["kind"] == kind and learned and name not in model.drop:
                columns.append(column)
    return columns


def _automatic(study: Study, model: Model) -> Iterator[str]:
    """Say what `preprocessing: auto` did to the columns of a model."""
    encoded = _encoded(study, model)
    if encoded:
        yield f"{words(encoded)} were encoded as numbers"
    measured = _columns(study, model, _NUMBER) + _columns(study, model, "date")
    if any(column["missing"] for column in measured):
        takes = _takes_missing(model)
        if takes is None:
            yield "missing values were imputed by the median, if the estimator takes none"
        elif not takes:
            yield "missing values were imputed by the median, with an indicator"
    if not is_of_trees(model.parts[-1].estimator):
        yield "numbers were standardised"


def _takes_missing(model: Model) -> bool | None:
    """Tell whether an estimator takes missing values; None where it would have to be imported."""
    if all(part.estimator.startswith(_LIBRARIES) for part in model.parts):
        with suppress(Exception):  # a library that is not installed where results are read
            from bakeoff.fit.estimator import make_classifier, steps_of, takes_missing

            return takes_missing(steps_of(model, make_classifier(model))[0][1])
    return None

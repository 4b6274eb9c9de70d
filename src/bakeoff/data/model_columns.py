"""Tables of all models in other shapes: several columns of a model, or a row for each model and id.

Both become what the readers of given tables know: a column of each model, with `model:class` for
its probabilities, or a table of each model.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bakeoff.data.records import MODEL, USUAL, Records
from bakeoff.errors import Problem, joined, listed
from bakeoff.sources.common.identifiers import names
from bakeoff.spec.given_models import CLASS

MODELS = (MODEL, "method", "algorithm", "framework", "classifier", "learner", "system")
"""What the column of a long table is called that says whose a row is."""
_LABELS = (
    "y_pred", "pred", "prediction", "predicted", "label", "class", "y_hat", "yhat", "hat",
)  # fmt: skip
_PROBABILITIES = (
    "y_prob", "y_score", "prob", "proba", "probability", "score", "p",
    "p_hat", "phat", "confidence", "conf",
)  # fmt: skip
_BETWEEN = "[ _.:-]"
_SAID = ":said"
"""What a column holds that is no probability: labels."""
_ONE = ":one"
"""What a column holds that is a probability of one class, which it does not name."""
_STARTS = ("p_", "p:", "prob_", "proba_")
"""How the columns of probabilities begin."""
_ENOUGH_ROWS = 5
"""So many rows of each label tell labels that are cut from probabilities from others."""


class _Part(NamedTuple):
    """What a column may be by its name: a model, which may have none, and what it holds."""

    model: str
    holds: str


class JoinedColumns(NamedTuple):
    """A table in which the columns of each model are called after it, and what was joined."""

    file: Records
    notes: tuple[str, ...] = ()


# --- several columns of one model


def join_columns(
    file: Records,
    columns: Sequence[str],
    classes: Sequence[str],
    *,
    sure: bool,
) -> JoinedColumns:
    """Join columns like A_pred and A_prob; `sure`: it is known which class is the positive one."""
    numeric = []
    for name in columns:
        kind = file.table.schema.field(name).type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            numeric.append(name)
    by_model = columns_by_model(columns, classes, numeric)
    if not by_model:
        return JoinedColumns(file)
    new_names: dict[str, str] = {}
    sentences: list[str] = []
    has_single = False
    for model, by_part in by_model.items():
        _refuse_ambiguous(file, by_part)
        if _ONE in by_part:
            has_single = True
            _check_single(file, by_part[_ONE][0], classes, sure=sure)
            _refuse_confidence(
                file,
                by_part[_SAID][0],
                by_part[_ONE][0],
                classes,
            )
        name = model or by_part[_SAID][0]
        of_model = _names_of_parts(name, by_part, classes)
        if list(of_model) != list(of_model.values()):
            old_names = joined(list(map(repr, of_model)))
            sentences.append(f"{old_names} of {name}")
        new_names |= of_model
    renamed = [new_names.get(name, name) for name in file.names]
    _refuse_same(file, renamed)
    if not sentences:
        return JoinedColumns(file)
    note = f"Columns of one model are joined by their names: {'; '.join(sentences)}."
    if has_single:
        note += f" A single probability of each row is read as that of {classes[-1]!r}."
    return JoinedColumns(file.with_table(file.table.rename_columns(renamed)), (note,))


def columns_by_model(
    columns: Sequence[str],
    classes: Sequence[str],
    numeric: Collection[str],
) -> dict[str, dict[str, list[str]]]:
    """Map models that have several columns to these, by what they hold; empty if none has."""
    by_model: dict[str, dict[str, list[str]]] = {}
    for column in columns:
        models = []
        for part in _parts(column, classes):
            if column in numeric or part.holds == _SAID:  # texts are no probabilities
                models.append(part)
        for part in models or [_Part(column, _SAID)]:
            by_model.setdefault(part.model, {}).setdefault(part.holds, []).append(column)
    together = {}
    for model, by_part in by_model.items():
        # labels and probabilities of one model, or those of every class
        has_labels = _SAID in by_part and len(by_part) > 1
        has_every_class = _SAID not in by_part and model and set(classes) <= set(by_part)
        if has_labels or has_every_class:
            together[model] = by_part
    return together


def _parts(column: str, classes: Sequence[str]) -> list[_Part]:
    """List what a column may be by its name."""
    if column.lower() in _LABELS:
        return [_Part("", _SAID)]
    if column.lower() in _PROBABILITIES:
        return [_Part("", _ONE)]
    parts = []
    for name in classes:
        match = re.fullmatch(rf"(.+?)({_BETWEEN}){re.escape(name)}", column)
        if match is None:
            continue
        before = match[1]
        between = match[2]
        if before.lower() in _PROBABILITIES:
            return [_Part("", name)]
        model = _model_beside(before, _PROBABILITIES)
        if model is not None:
            parts.append(_Part(model, name))
        if between == ":":
            parts.append(_Part(before, name))
    for words, holds in ((_LABELS, _SAID), (_PROBABILITIES, _ONE)):
        model = _model_beside(column, words)
        if model is not None:
            parts.append(_Part(model, holds))
    # the labels of the model that other columns are named after
    return parts or [_Part(column, _SAID)]


def _model_beside(column: str, words: Sequence[str]) -> str | None:
    """Return the name before or behind one of some words; None if there is no such word."""
    word = "|".join(map(re.escape, words))
    for pattern in (rf"(.+?){_BETWEEN}(?:{word})", rf"(?:{word}){_BETWEEN}(.+)"):
        match = re.fullmatch(pattern, column, re.IGNORECASE)
        if match is not None:
            return match[1]
    return None


def _names_of_parts(
    name: str,
    by_part: Mapping[str, Sequence[str]],
    classes: Sequence[str],
) -> dict[str, str]:
    """Map the columns of a model to what they are called where models are columns."""
    new_names = {}
    for holds, (column,) in by_part.items():
        if holds == _SAID:
            new_names[column] = name
        elif holds == _ONE:
            new_names[column] = f"{name}:{classes[-1]}"
        else:
            new_names[column] = f"{name}:{holds}"
    return new_names


def _refuse_ambiguous(file: Records, by_part: Mapping[str, Sequence[str]]) -> None:
    """Refuse several columns for the same thing, and probabilities of one class and of each."""
    for columns in by_part.values():
        if len(columns) > 1:
            raise _ambiguous(file, columns)
    of_classes = []
    for holds, (column,) in by_part.items():
        if holds not in (_SAID, _ONE):
            of_classes.append(column)
    if _ONE in by_part and of_classes:
        raise _ambiguous(file, list(by_part[_ONE]) + of_classes)


def _refuse_same(file: Records, renamed: Sequence[str]) -> None:
    """Refuse new names of columns that two of them would have."""
    old_names: dict[str, list[str]] = {}
    for old, new in zip(file.names, renamed, strict=True):
        old_names.setdefault(new, []).append(old)
    for new in sorted(old_names):
        if len(old_names[new]) > 1:
            raise _ambiguous(file, old_names[new])


def _ambiguous(file: Records, columns: Sequence[str]) -> Problem:
    return Problem(
        ("models",),
        f"{file.path!r}: {listed(columns)} may say the same of one model: leave all but one of "
        "them out of the file, or name the columns of the models that are to be compared",
    )


def _check_single(
    file: Records,
    column: str,
    classes: Sequence[str],
    *,
    sure: bool,
) -> None:
    """Refuse a single number of each row that is no probability, or nobody knows of which class."""
    if len(classes) != 2:
        raise Problem(
            ("models",),
            f"{file.path!r}: of which of the {len(classes)} classes are the probabilities in "
            f"{column!r}? Call a column for each class like {f'{column}_{classes[0]}'!r}, or name "
            "the columns of predicted labels as the models",
        )
    if not sure:
        raise Problem(("positive",), f"of which class are the probabilities in {column!r}?")
    numbers = file.numbers(column)
    if numbers.min(initial=0.0) < 0 or numbers.max(initial=1.0) > 1:
        raise Problem(
            ("models",),
            f"{file.path!r}: {column!r} has numbers outside 0 to 1, which are no probabilities: "
            "leave it out, or name the columns of predicted labels as the models",
        )


def _refuse_confidence(
    file: Records,
    label_column: str,
    column: str,
    classes: Sequence[str],
) -> None:
    """Refuse numbers that are probabilities of the predicted label, not of the positive class."""
    labels = set(names(file.column(label_column)))
    if not set(classes) <= labels or file.numbers(column).min() < 1 / len(classes):
        return
    raise Problem(
        ("models",),
        f"{file.path!r}: {column!r} is never below 0.5, and {label_column!r} says both "
        f"{classes[0]!r} and {classes[1]!r}: is it the probability of the predicted label? Write "
        f"the probability of {classes[1]!r} in every row, or name the columns of predicted labels "
        "as the models",
    )


def refuse_parts_of_models(file: Records, columns: Sequence[str], classes: Sequence[str]) -> None:
    """Refuse labels and probabilities that stand as two models, but are cut one from the other."""
    if len(classes) != 2:
        return
    # columns with both classes as labels, and those that may be probabilities
    is_positive = {}
    probabilities = {}
    for column in columns:
        values = names(file.column(column))
        kind = file.table.schema.field(column).type
        if set(values.dropna()) == set(classes) and values.value_counts().min() >= _ENOUGH_ROWS:
            is_positive[column] = (values == classes[1]).to_numpy(bool)
        elif pa.types.is_floating(kind) and not values.isna().any():
            probabilities[column] = file.numbers(column)
    for label_column, positive in is_positive.items():
        # these are read together
        own = [f"{label_column}:{name}" for name in classes]
        for column, numbers in probabilities.items():
            above = numbers[positive]
            below = numbers[~positive]
            is_cut = above.min() >= below.max() or above.max() <= below.min()
            if is_cut and column not in own:
                raise Problem(
                    ("models",),
                    f"{file.path!r}: a threshold of {column!r} gives {label_column!r} in every "
                    "row: are they the labels and the probabilities of one model? Call them like "
                    "'A_pred' and 'A_prob', or name the columns of the models that are to be "
                    "compared",
                )


# --- a row for each model and id


def tables_by_model(file: Records, kept: Collection[str] = ()) -> dict[str, Records]:
    """Cut a long table at its column of models; empty if it is none, or if the column is `kept`."""
    column = _column_of_models(file)
    if column is None or column in kept:
        return {}
    missing = file.table[column].is_null().to_numpy()
    if missing.any():
        raise file.problem(missing, "no model", column)
    models = names(file.column(column))
    parts = {}
    for model in sorted(set(models)):
        rows = pa.array((models == model).to_numpy())
        table = file.table.filter(rows).drop_columns([column])
        parts[str(model)] = dataclasses.replace(file, path=f"{file.path}: {model}", table=table)
    return parts


def _column_of_models(file: Records) -> str | None:
    """Find the column of models of a table in which ids are repeated for each of them."""
    by_lower_case: dict[str, str] = {}
    for name in file.names:
        by_lower_case.setdefault(name.lower(), name)
    column = None
    for usual in MODELS:
        if column is None and usual in by_lower_case:
            column = by_lower_case[usual]
    if column is None or not _may_name_models(file, column):
        return None
    # without repeated ids the column says something of rows, such as who measured them
    ids = file.roles.id or _usual(file, "id")
    if ids is None or ids not in file.names:
        return column
    n_ids = pc.count_distinct(file.table[ids]).as_py()
    if n_ids == len(file.table):
        return None
    return column


def _may_name_models(file: Records, column: str) -> bool:
    """Tell a column of several models, beside what they say, from a column that has a role."""
    roles = file.roles.model_dump(exclude={"subgroups", "probabilities"}).values()
    if column in roles or not _says_something(file):
        return False
    models = set(map(str, names(file.column(column)).dropna().unique()))
    if len(models) < 2:
        return False
    truth = file.roles.truth or _usual(file, "truth")
    if truth in file.names:
        # a model that is called so, whose labels these are
        return not models & set(file.answers(truth, may_lack=True).classes)
    return True


def _usual(file: Records, role: str) -> str | None:
    """Return the first of the usual columns of a role that is there."""
    for name in USUAL[role]:
        if name in file.names:
            return name
    return None


def _says_something(file: Records) -> bool:
    """Tell whether a table has a column of predictions, of probabilities or of numbers."""
    usual = {file.roles.predicted, file.roles.value}
    usual.update(USUAL["predicted"], USUAL["value"])
    if not usual.isdisjoint(file.names):
        return True
    starts = list(_STARTS)
    pattern = file.roles.probabilities
    if isinstance(pattern, str):
        starts.append(pattern.partition(CLASS)[0])
    return any(name.startswith(tuple(starts)) for name in file.names)

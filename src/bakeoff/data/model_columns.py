"""Tables of all models in other shapes: several columns of a model, or a row for each model and id.

Both become what the readers of given tables know: a column of each model, with `model:class` for
its probabilities, or a table of each model.
"""

from __future__ import annotations

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
    *("y_pred", "pred", "prediction", "predicted", "label", "class"),
    *("y_hat", "yhat", "hat"),
)
_PROBABILITIES = (
    *("y_prob", "y_score", "prob", "proba", "probability", "score", "p"),
    *("p_hat", "phat", "confidence", "conf"),
)
_BETWEEN = "[ _.:-]"
_SAID, _ONE = ":said", ":one"
"""What a column holds that is no probability of a named class: labels, or a probability of one."""
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
    file: Records, columns: Sequence[str], classes: Sequence[str], *, sure: bool
) -> JoinedColumns:
    """Join columns like A_pred and A_prob; `sure`: it is known which class is the positive one."""
    types = dict(zip(file.names, file.table.schema.types, strict=True))
    numeric = [name for name in columns if pa.types.is_integer(types[name])]
    numeric += [name for name in columns if pa.types.is_floating(types[name])]
    by_model = columns_by_model(columns, classes, numeric)
    if not by_model:
        return JoinedColumns(file)
    renamed: dict[str, str] = {}
    sentences: list[str] = []
    for model, by_part in by_model.items():
        _refuse_ambiguous(file, model, by_part)
        if _ONE in by_part:
            _check_single(file, by_part[_ONE][0], classes, sure=sure)
            _refuse_confidence(file, by_part[_SAID][0], by_part[_ONE][0], classes)
        name = model or by_part[_SAID][0]
        new_names = {_SAID: name, _ONE: f"{name}:{classes[-1]}"}
        for holds, (column,) in by_part.items():
            renamed[column] = new_names.get(holds, f"{name}:{holds}")
        every = joined([repr(column) for (column,) in by_part.values()])
        if any(renamed[column] != column for (column,) in by_part.values()):
            sentences.append(f"{every} of {name}")
    names_after = [renamed.get(name, name) for name in file.names]
    taken_twice = sorted({name for name in names_after if names_after.count(name) > 1})
    if taken_twice:
        old = [name for name in file.names if renamed.get(name, name) == taken_twice[0]]
        raise _ambiguous(file, old)
    if not sentences:
        return JoinedColumns(file)
    note = f"Columns of one model are joined by their names: {'; '.join(sentences)}."
    if any(_ONE in by_part for by_part in by_model.values()):
        note += f" A single probability of each row is read as that of {classes[-1]!r}."
    return JoinedColumns(file.with_table(file.table.rename_columns(names_after)), (note,))


def columns_by_model(
    columns: Sequence[str], classes: Sequence[str], numeric: Collection[str]
) -> dict[str, dict[str, list[str]]]:
    """Map models that have several columns to these, by what they hold; empty if none has."""
    by_model: dict[str, dict[str, list[str]]] = {}
    for column in columns:
        parts = _parts(column, classes)
        if column not in numeric:  # texts are no probabilities
            parts = [part for part in parts if part.holds == _SAID] or [_Part(column, _SAID)]
        for part in parts:
            by_model.setdefault(part.model, {}).setdefault(part.holds, []).append(column)
    return {m: by for m, by in by_model.items() if _belong_together(m, by, classes)}


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
        if match[1].lower() in _PROBABILITIES:
            return [_Part("", name)]
        parts += [_Part(model, name) for model in _models_beside(match[1], _PROBABILITIES)]
        if match[2] == ":":
            parts.append(_Part(match[1], name))
    parts += [_Part(model, _SAID) for model in _models_beside(column, _LABELS)]
    parts += [_Part(model, _ONE) for model in _models_beside(column, _PROBABILITIES)]
    # the labels of the model that other columns are named after
    return parts or [_Part(column, _SAID)]


def _models_beside(column: str, words: Sequence[str]) -> list[str]:
    """Return the name before or behind one of some words; empty if there is no such word."""
    word = "|".join(map(re.escape, words))
    for pattern in (rf"(.+?){_BETWEEN}(?:{word})", rf"(?:{word}){_BETWEEN}(.+)"):
        match = re.fullmatch(pattern, column, re.IGNORECASE)
        if match is not None:
            return [match[1]]
    return []


def _belong_together(
    model: str, by_part: Mapping[str, Sequence[str]], classes: Sequence[str]
) -> bool:
    """Tell whether columns are labels and probabilities of one model, or those of every class."""
    if _SAID in by_part:
        return len(by_part) > 1
    return bool(model) and set(classes) <= set(by_part)


def _refuse_ambiguous(file: Records, model: str, by_part: Mapping[str, Sequence[str]]) -> None:
    """Refuse several columns for the same thing, and probabilities of one class and of each."""
    for columns in by_part.values():
        if len(columns) > 1:
            raise _ambiguous(file, columns)
    of_classes = [column for holds, (column,) in by_part.items() if holds not in (_SAID, _ONE)]
    if _ONE in by_part and of_classes:
        raise _ambiguous(file, [*by_part[_ONE], *of_classes])


def _ambiguous(file: Records, columns: Sequence[str]) -> Problem:
    return Problem(
        ("models",),
        f"{file.path!r}: {listed(columns)} may say the same of one model: leave all but one of "
        "them out of the file, or name the columns of the models that are to be compared",
    )


def _check_single(file: Records, column: str, classes: Sequence[str], *, sure: bool) -> None:
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


def _refuse_confidence(file: Records, said: str, column: str, classes: Sequence[str]) -> None:
    """Refuse numbers that are probabilities of the predicted label, not of the positive class."""
    labels = names(file.column(said))
    if not set(classes) <= set(labels) or file.numbers(column).min() < 1 / len(classes):
        return
    raise Problem(
        ("models",),
        f"{file.path!r}: {column!r} is never below 0.5, and {said!r} says both {classes[0]!r} and "
        f"{classes[1]!r}: is it the probability of the predicted label? Write the probability of "
        f"{classes[1]!r} in every row, or name the columns of predicted labels as the models",
    )


def refuse_parts_of_models(file: Records, columns: Sequence[str], classes: Sequence[str]) -> None:
    """Refuse labels and probabilities that stand as two models, but are cut one from the other."""
    if len(classes) != 2:
        return
    labels = {}
    probabilities = {}
    for column in columns:
        values = names(file.column(column))
        kind = file.table.schema.field(column).type
        if set(values.dropna()) == set(classes) and values.value_counts().min() >= _ENOUGH_ROWS:
            labels[column] = (values == classes[1]).to_numpy(bool)
        elif pa.types.is_floating(kind) and not values.isna().any():
            probabilities[column] = file.numbers(column)
    for said, positive in labels.items():
        own = [f"{said}:{name}" for name in classes]
        for column, numbers in probabilities.items():
            if column in own:  # as they are called where they are read together
                continue
            above = numbers[positive]
            below = numbers[~positive]
            if above.min() >= below.max() or above.max() <= below.min():
                raise Problem(
                    ("models",),
                    f"{file.path!r}: a threshold of {column!r} gives {said!r} in every row: are "
                    "they the labels and the probabilities of one model? Call them like 'A_pred' "
                    "and 'A_prob', or name the columns of the models that are to be compared",
                )


# --- a row for each model and id


def tables_by_model(file: Records, kept: Collection[str] = ()) -> dict[str, Records]:
    """Cut a long table at its column of models; empty if it is none, or if the column is `kept`."""
    column = _column_of_models(file)
    if column is None or column in kept:
        return {}
    values = file.table[column]
    file.refuse(values.is_null().to_numpy(), "no model", column)
    models = names(file.column(column))
    parts = {}
    for model in sorted(set(models)):
        rows = pa.array((models == model).to_numpy())
        table = file.table.filter(rows).drop_columns([column])
        parts[str(model)] = Records(f"{file.path}: {model}", table, file.place, file.roles)
    return parts


def _column_of_models(file: Records) -> str | None:
    """Find the column of models of a table in which ids are repeated for each of them."""
    lower = {name.lower(): name for name in reversed(file.names)}
    column = next((lower[name] for name in MODELS if name in lower), None)
    roles = file.roles.model_dump(exclude={"subgroups", "probabilities"}).values()
    if column is None or column in roles or not _says_something(file):
        return None
    named = set(map(str, names(file.column(column)).dropna().unique()))
    truth = file.roles.truth or next((n for n in USUAL["truth"] if n in file.names), None)
    if len(named) < 2:
        return None
    if truth in file.names and named & set(file.answers(truth, may_lack=True).classes):
        return None  # a model that is called so, whose labels these are
    ids = file.roles.id or next((name for name in USUAL["id"] if name in file.names), None)
    if ids is None or ids not in file.names:
        return column
    return column if pc.count_distinct(file.table[ids]).as_py() < len(file.table) else None


def _says_something(file: Records) -> bool:
    """Tell whether a table has a column of predictions, of probabilities or of numbers."""
    usual = {*USUAL["predicted"], *USUAL["value"], file.roles.predicted, file.roles.value}
    pattern = file.roles.probabilities
    starts = ["p_", "p:", "prob_", "proba_"]
    if isinstance(pattern, str):
        starts.append(pattern.partition(CLASS)[0])
    return any(name in usual or name.startswith(tuple(starts)) for name in file.names)

"""The rows on which two models differ, and what both say of them.

Labels differ where the predicted classes do, marks where one model is right more often than the
other, and numbers where they are not equal. Of several runs of a row, or of an item, the mean
counts.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import Floats, PairedPredictions
from bakeoff.data.columns import in_order
from bakeoff.scores import METRICS, Metric
from bakeoff.spec.experiment import run_of
from bakeoff.spec.metrics import RIGHT_OR_WRONG

TASK = "task"
"""The subgroup that rows are sorted by before all others, where no other is said to be tasks."""
NEITHER = "neither"
"""Where the predicted classes differ and none of them is the true one."""
_BY_SQUARES = {"rmse": "mse", "rmsle": "msle", "r2": "mse", "explained_variance": "mse"}
"""The mean of a loss per row that other metrics of numbers are made of."""
_NUMBER = re.compile(r"(\d+)")
_ELSE = "mae"
"""Whose loss per row stands for that of all other metrics."""


class Kind(StrEnum):
    """What two models differ in."""

    LABELS = "labels"
    MARKS = "marks"
    NUMBERS = "numbers"
    VALUES = "values"


@dataclasses.dataclass(frozen=True)
class FlippedRows:
    """The rows of one test set on which two models differ, in order."""

    kind: Kind
    frame: pd.DataFrame
    """A line for each: ``id``, ``truth``, ``a`` and ``b``; of numbers ``a_loss`` and ``b_loss``."""
    parts: pd.DataFrame
    """The subgroups of these rows, by the names of the columns."""
    n: int
    """How many rows, or items, were compared."""
    noun: str = "row"
    """What is counted: rows, or items of several runs."""
    loss: str = ""
    """What the loss of each row is called."""


def flipped_rows(
    rows: PairedPredictions, a: str, b: str, metric: str, tasks: str = TASK
) -> FlippedRows:
    """Find the rows on which two models differ; the metric says what is lost on a row.

    `tasks` is the subgroup that rows are sorted by before all others.
    """
    if tasks in rows.subgroups and TASK not in rows.subgroups:
        by_name = {TASK if name == tasks else name: of for name, of in rows.subgroups.items()}
        rows = dataclasses.replace(rows, subgroups=by_name)
    if rows.ids is None:
        raise ValueError("the rows have no ids")
    runs_by_model = {"a": _places(rows, a), "b": _places(rows, b)}
    marks = are_marks(rows)
    over_runs = rows.items is not None or max(map(len, runs_by_model.values())) > 1
    kind = _kind(rows, marks=marks, over_runs=over_runs)
    answers = rows.by(metric).predicted
    if kind is Kind.MARKS:
        answers = rows.correct
    values = dict[str, NDArray[Any]]()
    for name, runs in runs_by_model.items():
        values[name] = _over_runs(answers[:, runs], kind, over_runs=over_runs)
    loss = ""
    if kind is Kind.NUMBERS:
        measure = _loss_of(metric)
        loss = measure.title.removeprefix("mean ")
        for name, runs in runs_by_model.items():
            losses = _losses(rows, runs, measure)
            values[f"{name}_loss"] = _over_runs(losses, kind, over_runs=over_runs)
    ids = rows.ids
    first = np.arange(rows.n)
    noun = "row"
    if rows.items is not None:
        noun = "item"
        ids, first, values = _over_items(rows.items, values)
    flipped = np.flatnonzero(values["a"] != values["b"])
    flipped = flipped[_order(rows, kind, ids, first, values, flipped)]
    flipped_values = {name: column[flipped] for name, column in values.items()}
    parts = {}
    for name, column in rows.subgroups.items():
        parts[name] = column[first[flipped]].astype(object)
    frame = _frame(rows, kind, ids[flipped], first[flipped], flipped_values, with_truth=not marks)
    named_parts = pd.DataFrame(parts, index=frame.index)
    return FlippedRows(kind, frame, named_parts, len(ids), noun, loss)


def _kind(rows: PairedPredictions, *, marks: bool, over_runs: bool) -> Kind:
    """Tell what models can differ in on these rows."""
    if rows.by_values:
        return Kind.VALUES
    if not rows.classes:
        return Kind.NUMBERS
    if marks or over_runs:  # labels have no mean over runs
        return Kind.MARKS
    return Kind.LABELS


def _over_runs(of_runs: NDArray[Any], kind: Kind, *, over_runs: bool) -> NDArray[Any]:
    """Return one value for each row: its label, or the mean over the training runs."""
    if kind is Kind.LABELS:
        return of_runs[:, 0]
    means: NDArray[Any] = of_runs.mean(axis=1, dtype=np.float64)
    if kind is Kind.MARKS and not over_runs:
        return means.astype(np.int64)
    return means


def are_marks(rows: PairedPredictions) -> bool:
    """Tell whether rows have no classes of their own, but are right or wrong alone."""
    if not rows.classes or not set(rows.classes) <= set(RIGHT_OR_WRONG):
        return False
    # of marks every row has the same truth, which is to be right
    truths = np.unique(rows.truth)
    return len(truths) == 1 and rows.classes[truths[0]] == RIGHT_OR_WRONG[1]


def _places(rows: PairedPredictions, model: str) -> list[int]:
    """Return the places of the training runs of a model."""
    return [place for place, name in enumerate(rows.models) if run_of(name)[0] == model]


def _loss_of(metric: str) -> Metric:
    """Return the metric that is the mean of what a row adds to a metric of numbers."""
    measure = METRICS[metric]
    if measure.mean_of_rows:
        return measure
    return METRICS[_BY_SQUARES.get(metric, _ELSE)]


def _losses(rows: PairedPredictions, runs: Sequence[int], measure: Metric) -> Floats:
    """Return the loss of each row in each run, shape (n, runs)."""
    of_measure = rows.by(measure.name)
    return np.column_stack([of_measure.row_values(place) for place in runs])


def _over_items(
    items: NDArray[Any], values: dict[str, NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[np.intp], dict[str, NDArray[Any]]]:
    """Return the items, the first row of each, and the means over the runs of each."""
    # items are numbered in the order in which they first appear
    codes, names = pd.factorize(items)
    _, first = np.unique(codes, return_index=True)
    n_runs = np.bincount(codes)
    means = {}
    for name, column in values.items():
        means[name] = np.bincount(codes, weights=column) / n_runs
    return np.asarray(names), first, means


def _order(
    rows: PairedPredictions,
    kind: Kind,
    ids: NDArray[Any],
    first: NDArray[np.intp],
    values: dict[str, NDArray[Any]],
    flipped: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Sort by tasks, other subgroups and ids; numbers by how far their losses are apart first."""
    keys: list[NDArray[Any]] = []
    if kind is Kind.VALUES:
        keys.append(-np.abs(values["a"] - values["b"])[flipped])
    elif kind is Kind.NUMBERS:
        keys.append(-np.abs(values["a_loss"] - values["b_loss"])[flipped])
    for name in sorted(rows.subgroups, key=lambda name: name != TASK):
        parts = rows.subgroups[name]
        keys.append(_places_in_order(np.asarray(parts.astype(object))[first[flipped]]))
    keys.append(_places_in_order(ids[flipped]))
    # the last key of lexsort is the first to sort by
    return np.lexsort(keys[::-1])


def _places_in_order(names: NDArray[Any]) -> NDArray[Any]:
    """Return numbers that sort as names do: numbers in them by value, missing names last."""
    if names.dtype.kind in "iuf":
        return names
    codes, present = pd.factorize(names)
    texts = list(map(str, present))
    place = {text: i for i, text in enumerate(_in_natural_order(texts))}
    # the code of a missing name is -1, which is the last place
    places = [*map(place.__getitem__, texts), len(texts)]
    return np.array(places, dtype=np.intp)[codes]


def _in_natural_order(texts: Sequence[str]) -> list[str]:
    """Sort texts as people do: i2 before i10."""
    if all(text.removeprefix("-").isdecimal() for text in texts):
        return in_order(texts)
    return sorted(texts, key=lambda text: (_parts(text), text))


def _parts(text: str) -> list[str | tuple[int, str]]:
    """Split a text into what lies between numbers, at even places, and the numbers."""
    parts: list[str | tuple[int, str]] = []
    for i, part in enumerate(_NUMBER.split(text)):
        if i % 2:
            # of two numbers the one with more digits is larger; ids may be too long to be read
            digits = part.lstrip("0")
            parts.append((len(digits), digits))
        else:
            parts.append(part)
    return parts


def _frame(
    rows: PairedPredictions,
    kind: Kind,
    ids: NDArray[Any],
    first: NDArray[np.intp],
    values: dict[str, NDArray[Any]],
    *,
    with_truth: bool,
) -> pd.DataFrame:
    """Put the flipped rows together, classes by their names."""
    frame = pd.DataFrame({"id": ids})
    classes = np.array(rows.classes, dtype=object)
    if kind is Kind.NUMBERS:
        frame["truth"] = rows.truth[first]
    elif kind is not Kind.VALUES and with_truth:
        frame["truth"] = classes[rows.truth[first]]
    if kind is not Kind.LABELS:
        return frame.assign(**values)
    truth = rows.truth[first]
    frame["a"] = classes[values["a"]]
    frame["b"] = classes[values["b"]]
    right = np.where(values["b"] == truth, "b", NEITHER)
    frame["right"] = np.where(values["a"] == truth, "a", right)
    return frame

"""Predictions that were made elsewhere, paired by row id with the rows they are for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.columns import bare_words, check_values, names
from bakeoff.data.given_file import USUAL, GivenFile, Predicted, Texts, predicted, read_given
from bakeoff.data.splits import Split, make_splits
from bakeoff.data.table import ROW_ID, TARGET, Table, load_table
from bakeoff.errors import Place, Problem, UserError, listed, some
from bakeoff.keys import name_of
from bakeoff.spec import Experiment
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.given import Given

_SHOWN = 5


@dataclasses.dataclass(frozen=True)
class Rows:
    """Who the rows are.

    Attributes
    ----------
    ids : ndarray of str, shape (n,)
        Unique.
    labels : ndarray of str, shape (n,)
        True labels.
    origin : str
        Where they come from, for messages.
    """

    ids: Texts
    labels: Texts
    origin: str


def check_same(rows: Rows, given: GivenFile, place: Place) -> NDArray[np.intp]:
    """Prove that a file is about certain rows.

    Returns
    -------
    ndarray of int
        For each row its position in the file.

    Raises
    ------
    Problem
        Other ids, or another true label for one of them; with the first that differ.
    """
    position = pd.Index(given.ids).get_indexer(pd.Index(rows.ids))
    lacking = rows.ids[position < 0]
    extra = given.ids[~np.isin(given.ids, rows.ids)]
    if len(lacking) or len(extra):
        parts = [f"{given.path!r} has {len(given.ids):,} rows, {rows.origin} {len(rows.ids):,}"]
        parts += (
            [f"ids that are missing ({len(lacking):,}): {some(lacking)}"] if len(lacking) else []
        )
        parts += [f"ids that do not belong ({len(extra):,}): {some(extra)}"] if len(extra) else []
        raise Problem(place, "; ".join(parts))
    if given.true is not None:
        labels = given.true[position]
        wrong = np.flatnonzero(labels != rows.labels)
        if len(wrong):
            shown = [("id", rows.origin, repr(given.path))]
            shown += [(rows.ids[i], rows.labels[i], labels[i]) for i in wrong[:_SHOWN]]
            raise Problem(
                place,
                f"{len(wrong):,} of {len(labels):,} rows have another true label than in "
                f"{rows.origin}; the first:\n{_aligned(shown)}",
            )
    return position


def load_given(name: str, experiment: Experiment) -> Table:
    """Make the canonical table of a data set that the models bring: ids and labels alone.

    Raises
    ------
    Problem
        The files do not agree on the rows, or name no true labels.
    """
    spec = experiment.datasets[name]
    assert isinstance(spec, GivenData)
    files = {
        model: read_given(
            given.predictions_on(name), given.columns, ("models", model, "predictions")
        )
        for model, given in experiment.given.items()
        if given.predictions is not None and experiment.on_rows("holdout")
    }
    first = next((file for file in files.values() if file.true is not None), None)
    if files and first is None:
        raise Problem(
            ("datasets", name),
            f"none of the files names the true labels (looked for {listed(USUAL['true'])}): add "
            "them to one at least, or say which column it is",
        )
    empty = np.array([], dtype=np.str_)
    rows = Rows(empty, empty, "") if first is None else rows_from(first)
    for model, file in files.items():
        check_same(rows, file, ("models", model, "predictions"))
    classes = _classes(rows.labels, spec, ("datasets", name)) if files else ()
    ids: Any = rows.ids
    if len(ids) and all(text.isdecimal() and str(int(text)) == text for text in ids.tolist()):
        ids = ids.astype(np.int64)
    frame = pd.DataFrame({ROW_ID: ids, TARGET: rows.labels.astype(object)})
    return Table(frame, classes, _card(name, spec, rows.labels, classes, experiment))


def load(name: str, experiment: Experiment) -> Table:
    """Load a data set, whether it has a source of its own or is what the models bring."""
    spec = experiment.datasets[name]
    if isinstance(spec, GivenData):
        return load_given(name, experiment)
    return load_table(name, spec, experiment.seed, experiment.resampling.given_by)


def divide(dataset: str, experiment: Experiment, table: Table, plan: str) -> pd.DataFrame:
    """Make the divisions of a plan; all rows of a given test set are tested."""
    if isinstance(experiment.datasets[dataset], GivenData):
        tested = np.ones(len(table.frame), np.int16)
        return pd.DataFrame({ROW_ID: table.frame[ROW_ID], "repeat-1": tested})
    spec = experiment.resampling.plans()[plan]
    return make_splits(dataset, table, plan, spec, experiment.seed)


def rows_from(file: GivenFile) -> Rows:
    """Take the rows that a file is about, which holds their true labels."""
    assert file.true is not None
    return Rows(file.ids, file.true, repr(file.path))


def rows_of(dataset: str, table: Table, split: Split) -> Rows:
    """Name the test rows of a data set."""
    tested = table.frame.iloc[split.test]
    ids = names(tested[ROW_ID]).to_numpy(dtype=np.str_)
    return Rows(ids, tested[TARGET].to_numpy(dtype=np.str_), f"the test set of {dataset}")


def predictions_of(model: str, given: Given, dataset: str, table: Table, split: Split) -> Predicted:
    """Read what a given model predicts for the test rows of a data set."""
    place = ("models", model, "predictions")
    file = read_given(given.predictions_on(dataset), given.columns, place)
    position = check_same(rows_of(dataset, table, split), file, place)
    return predicted(file, position, table.classes, given.columns, place)


def _classes(labels: Texts, spec: GivenData, place: Place) -> tuple[str, ...]:
    """Order the classes: as the experiment says, or sorted (2 before 10), the positive one last."""
    present = np.unique(labels).tolist()
    if spec.classes is not None:
        ordered = [name_of(name) for name in spec.classes]
        repeated = next((name for i, name in enumerate(ordered) if name in ordered[:i]), None)
        if repeated is not None:
            raise Problem((*place, "classes"), f"class {repeated!r} appears twice")
        lacking = [name for name in present if name not in ordered]
        if lacking:
            read = [name for name in spec.classes if isinstance(name, bool)]
            hint = f"; {bare_words(read[0])}" if read else ""
            raise Problem(
                (*place, "classes"),
                f"true labels that are not listed: {some(lacking)} (listed: {some(ordered)}){hint}",
            )
    elif all(name.removeprefix("-").isdecimal() for name in present):
        ordered = sorted(present, key=int)
    else:
        ordered = present
    if len(ordered) < 2:
        raise Problem(
            place, f"all true labels are {ordered[0]!r}; name the other classes in `classes:`"
        )
    if spec.positive is not None:
        if len(ordered) != 2:
            raise Problem((*place, "positive"), f"there are {len(ordered)} classes, not two")
        try:
            check_values([spec.positive], ordered, "class")
        except UserError as error:
            raise Problem((*place, "positive"), str(error)) from None
        positive = name_of(spec.positive)
        ordered.sort(key=lambda name: name == positive)
    return tuple(ordered)


def _card(
    name: str, spec: GivenData, labels: Texts, classes: tuple[str, ...], experiment: Experiment
) -> dict[str, Any]:
    files = {model: given.files(name) for model, given in experiment.given.items()}
    return {
        "dataset": name,
        "label": spec.label or name,
        "source": {"source": "given", "files": files},
        "licence": spec.licence,
        "rows": len(labels),
        "classes": {c: int((labels == c).sum()) for c in classes},
        "rows_dropped_without_target": 0,
        "features": {},
        "missing_cells": 0,
        "duplicate_rows": 0,
    }


def _aligned(rows: Sequence[tuple[Any, ...]]) -> str:
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )

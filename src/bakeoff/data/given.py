"""Predictions that were made elsewhere: read, and paired by row id with the rows they are for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.columns import names
from bakeoff.data.formats import read_table
from bakeoff.data.splits import Split, make_splits
from bakeoff.data.table import ROW_ID, TARGET, Table, load_table
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.spec import Experiment
from bakeoff.spec.datasets import GivenData, TableData
from bakeoff.spec.given import CLASS, Given, GivenColumns

Texts = NDArray[np.str_]
Place = tuple[str | int, ...]

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id", "row"),
    "true": ("y_true", "true", "truth", "label", "target", "y"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
}
PATTERNS = (f"p_{CLASS}", f"p:{CLASS}", f"prob_{CLASS}", f"proba_{CLASS}")
SHOWN = 5
_OFF = 0.01  # how far from 1 rounded probabilities may sum up


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


@dataclasses.dataclass(frozen=True)
class GivenFile:
    """A file of predictions as it is, its columns found and every value present.

    Attributes
    ----------
    path : str
        For messages.
    frame : DataFrame
        All columns.
    ids : ndarray of str, shape (n,)
        Unique row ids.
    true, predicted : ndarray of str, shape (n,), or None
        Labels, where the file has them.
    """

    path: str
    frame: pd.DataFrame
    ids: Texts
    true: Texts | None
    predicted: Texts | None


@dataclasses.dataclass(frozen=True)
class Predicted:
    """What one model says of known rows, in their order.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Predicted classes.
    probabilities : ndarray, shape (n, K), or None
        Of every class, where the file has them.
    """

    codes: NDArray[np.intp]
    probabilities: NDArray[np.float64] | None


def read_given(path: str, columns: GivenColumns, place: Place) -> GivenFile:
    """Read a file of predictions.

    Raises
    ------
    Problem
        No such file, a column that is not there or not clear, ids that repeat, missing values.
    """
    frame = read_frame(path, place)
    found = {role: _column(role, frame, path, columns, place) for role in USUAL}
    if found["id"] is None:
        raise Problem(
            (*place[:-1], "columns", "id"),
            f"{path!r} has no column of row ids (looked for {_listed(USUAL['id'])}); rows are "
            "paired by their ids, never by their order: add one, or say which it is",
        )
    ids, true, predicted = (
        None if name is None else _present(frame[name], what, path, place)
        for name, what in zip(found.values(), ("id", "true label", "prediction"), strict=True)
    )
    assert ids is not None
    repeated = pd.Series(ids)[pd.Series(ids).duplicated()].unique()
    if len(repeated):
        raise Problem(
            place,
            f"{path!r}: ids must be unique; repeated ({len(repeated):,}): {_some(repeated)}",
        )
    return GivenFile(path, frame, ids, true, predicted)


def read_frame(path: str, place: Place) -> pd.DataFrame:
    """Read a table from a file by its ending; a CSV file may have another separator."""
    if not Path(path).is_file():
        raise Problem(place, f"no file at {path!r}")
    spec = TableData.model_validate({"target": "", "sep": separator_of(path)})
    try:
        return read_table(Path(path), path, spec)
    except UserError as error:
        # there is no key for an encoding here
        text = f"{path!r} is not UTF-8 text: save it as such" if "encoding" in str(error) else error
        raise Problem(place, str(text)) from None


def separator_of(path: str) -> str | None:
    """Return what separates the names in the first line of a CSV file; None for a comma."""
    if Path(path).suffix.lower() != ".csv":
        return None
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        first = file.readline()
    found = max(",;\t|", key=first.count)
    return None if found == "," else found


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
            [f"ids that are missing ({len(lacking):,}): {_some(lacking)}"] if len(lacking) else []
        )
        parts += [f"ids that do not belong ({len(extra):,}): {_some(extra)}"] if len(extra) else []
        raise Problem(place, "; ".join(parts))
    if given.true is not None:
        labels = given.true[position]
        wrong = np.flatnonzero(labels != rows.labels)
        if len(wrong):
            shown = [("id", rows.origin, repr(given.path))]
            shown += [(rows.ids[i], rows.labels[i], labels[i]) for i in wrong[:SHOWN]]
            raise Problem(
                place,
                f"{len(wrong):,} of {len(labels):,} rows have another true label than in "
                f"{rows.origin}; the first:\n{_aligned(shown)}",
            )
    return position


def predicted(
    given: GivenFile,
    position: NDArray[np.intp],
    classes: Sequence[str],
    columns: GivenColumns,
    place: Place,
) -> Predicted:
    """Take the predictions of certain rows from a file.

    Raises
    ------
    Problem
        Unknown labels, probabilities that are none, or neither labels nor probabilities.
    """
    probabilities = _probabilities(given, classes, columns, place)
    if given.predicted is not None:
        codes = pd.Index(classes).get_indexer(pd.Index(given.predicted))
        strange = given.predicted[codes < 0]
        if len(strange):
            unknown_labels = dict.fromkeys(strange.tolist())
            raise Problem(
                place,
                f"{given.path!r} predicts classes that the data do not have, in {len(strange):,} "
                f"of {len(codes):,} rows: {_some(unknown_labels)} (classes: {_some(classes, 10)}); "
                "a class without a true label is named in `classes:` of given data",
            )
    elif probabilities is not None:
        codes = probabilities.argmax(axis=1).astype(np.intp)
    else:
        raise Problem(
            (*place[:-1], "columns"),
            f"{given.path!r} has neither predicted labels (looked for "
            f"{_listed(USUAL['predicted'])}) nor class probabilities (looked for "
            f"{_listed([p.replace(CLASS, classes[-1]) for p in PATTERNS])}); it has "
            f"{_listed(given.frame.columns)}: say which column is which",
        )
    return Predicted(codes[position], None if probabilities is None else probabilities[position])


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
            f"none of the files names the true labels (looked for {_listed(USUAL['true'])}): add "
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


def _column(
    role: str, frame: pd.DataFrame, path: str, columns: GivenColumns, place: Place
) -> str | None:
    at = (*place[:-1], "columns", role)
    name: str | None = getattr(columns, role)
    if name is not None:
        if name not in frame.columns:
            raise Problem(at, f"{path!r}: {unknown('column', name, frame.columns)}")
        return name
    found = [usual for usual in USUAL[role] if usual in frame.columns]
    if len(found) > 1:
        raise Problem(at, f"{path!r} has {_listed(found)}: say which of them it is")
    return found[0] if found else None


def _present(values: pd.Series[Any], what: str, path: str, place: Place) -> Texts:
    missing = np.flatnonzero(values.isna())
    if len(missing):
        raise Problem(
            place,
            f"{path!r}: {len(missing):,} of {len(values):,} rows have no {what} in column "
            f"{values.name!r}; the first is row {missing[0] + 1}",
        )
    return names(values).to_numpy(dtype=np.str_)


def _probabilities(
    given: GivenFile, classes: Sequence[str], columns: GivenColumns, place: Place
) -> NDArray[np.float64] | None:
    at = (*place[:-1], "columns", "probabilities")
    found = _probability_columns(given, classes, columns.probabilities, at)
    if not found:
        return None
    values = np.column_stack([_numbers(given, column, place) for column in found.values()])
    if len(found) == 1:
        (only,) = found
        other = 1.0 - values[:, 0]
        pair = (other, values[:, 0]) if only == classes[1] else (values[:, 0], other)
        return np.column_stack(pair)
    off = np.flatnonzero(np.abs(values.sum(axis=1) - 1.0) > _OFF)
    if len(off):
        row = int(off[0])
        raise Problem(
            place,
            f"{given.path!r}: the class probabilities of {len(off):,} of {len(values):,} rows do "
            f"not sum up to 1; the first is id {given.ids[row]} with {values[row].sum():.4g}",
        )
    return values


def _probability_columns(
    given: GivenFile,
    classes: Sequence[str],
    wanted: str | Mapping[str, str] | None,
    at: Place,
) -> dict[str, str]:
    """Map each class to its column, in the order of the classes."""
    have = list(given.frame.columns)
    if isinstance(wanted, Mapping):
        for name, column in wanted.items():
            if name not in classes:
                raise Problem(at, unknown("class", name, classes))
            if column not in have:
                raise Problem(at, f"{given.path!r}: {unknown('column', column, have)}")
        found = {c: wanted[c] for c in classes if c in wanted}
    else:
        found = {}
        for pattern in (wanted,) if wanted is not None else PATTERNS:
            found = {c: n for c in classes if (n := pattern.replace(CLASS, c)) in have}
            if found:
                break
        if wanted is not None and not found:
            expected = [wanted.replace(CLASS, c) for c in classes]
            raise Problem(at, f"{given.path!r} has none of the columns {_listed(expected)}")
    if found and len(found) < len(classes) and len(classes) > 2:
        lacking = [c for c in classes if c not in found]
        raise Problem(
            at,
            f"{given.path!r} has probabilities of {len(found)} of {len(classes)} classes; there is "
            f"no column for {_some(lacking)}",
        )
    return found


def _numbers(given: GivenFile, column: str, place: Place) -> NDArray[np.float64]:
    values = pd.to_numeric(given.frame[column], errors="coerce").to_numpy(
        np.float64, na_value=np.nan
    )
    for what, wrong in (
        ("no number", np.flatnonzero(np.isnan(values))),
        ("a number outside 0 to 1", np.flatnonzero((values < 0) | (values > 1))),
    ):
        if len(wrong):
            row = int(wrong[0])
            raise Problem(
                place,
                f"{given.path!r}: {len(wrong):,} of {len(values):,} rows have {what} in "
                f"{column!r}, where probabilities are expected; the first is id {given.ids[row]} "
                f"with {given.frame[column].iloc[row]}",
            )
    return values


def _classes(labels: Texts, spec: GivenData, place: Place) -> tuple[str, ...]:
    """Order the classes: as the experiment says, or sorted (2 before 10), the positive one last."""
    present = np.unique(labels).tolist()
    if spec.classes is not None:
        ordered = [str(name) for name in spec.classes]
        lacking = [name for name in present if name not in ordered]
        if lacking:
            raise Problem((*place, "classes"), f"true labels that are not listed: {_some(lacking)}")
    elif all(name.removeprefix("-").isdecimal() for name in present):
        ordered = sorted(present, key=int)
    else:
        ordered = present
    if len(ordered) < 2:
        raise Problem(
            place, f"all true labels are {ordered[0]!r}; name the other classes in `classes:`"
        )
    if spec.positive is not None:
        positive = str(spec.positive)
        if len(ordered) != 2:
            raise Problem((*place, "positive"), f"there are {len(ordered)} classes, not two")
        if positive not in ordered:
            raise Problem((*place, "positive"), unknown("class", positive, ordered))
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


def _some(things: Iterable[Any], most: int = SHOWN) -> str:
    shown = [str(thing) for thing in things]
    more = ", …" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def _listed(columns: Iterable[Any]) -> str:
    shown = [f"`{name}`" for name in columns]
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)


def _aligned(rows: Sequence[tuple[Any, ...]]) -> str:
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )

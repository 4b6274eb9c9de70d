"""A file of predictions made elsewhere, as it is: its columns found, every value checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.columns import Column, names
from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.errors import Place, Problem, UserError, listed, some, unknown
from bakeoff.files import is_file
from bakeoff.sources.common.tables import TableKeys
from bakeoff.spec.given import CLASS, GivenColumns

Texts = NDArray[np.str_]

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id", "row"),
    "true": ("y_true", "true", "truth", "label", "target", "y"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
}
PATTERNS = (f"p_{CLASS}", f"p:{CLASS}", f"prob_{CLASS}", f"proba_{CLASS}")


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
            f"{path!r} has no column of row ids (looked for {listed(USUAL['id'])}); rows are "
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
            f"{path!r}: ids must be unique; repeated ({len(repeated):,}): {some(repeated)}",
        )
    return GivenFile(path, frame, ids, true, predicted)


def read_frame(path: str, place: Place) -> pd.DataFrame:
    """Read a table from a file by its ending; a CSV file may have another separator."""
    if not is_file(path):
        raise Problem(place, f"no file at {path!r}")
    try:
        return TableKeys.model_validate({"sep": separator_of(path)}).read(Path(path), path)
    except Problem:  # the encoding: there is no key for it here
        raise Problem(place, f"{path!r} is not UTF-8 text: save it as such") from None
    except UserError as error:
        raise Problem(place, str(error)) from None


def separator_of(path: str) -> str | None:
    """Return what separates the names in the first line of a CSV file; None for a comma."""
    if Path(path).suffix.lower() != ".csv":
        return None
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        first = file.readline()
    found = max(",;\t|", key=first.count)
    return None if found == "," else found


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
                f"of {len(codes):,} rows: {some(map(repr, unknown_labels))} (classes: "
                f"{some(classes, 10)}); a class without a true label is named in `classes:` of "
                "given data",
            )
    elif probabilities is not None:
        codes = probabilities.argmax(axis=1).astype(np.intp)
    else:
        raise Problem(
            (*place[:-1], "columns"),
            f"{given.path!r} has neither predicted labels (looked for "
            f"{listed(USUAL['predicted'])}) nor class probabilities (looked for "
            f"{listed([p.replace(CLASS, classes[-1]) for p in PATTERNS])}); it has "
            f"{listed(given.frame.columns)}: say which column is which",
        )
    return Predicted(codes[position], None if probabilities is None else probabilities[position])


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
        raise Problem(at, f"{path!r} has {listed(found)}: say which of them it is")
    return found[0] if found else None


def _present(values: Column, what: str, path: str, place: Place) -> Texts:
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
    off = np.flatnonzero(np.abs(values.sum(axis=1) - 1.0) > PROBABILITY_SLACK)
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
            raise Problem(at, f"{given.path!r} has none of the columns {listed(expected)}")
    if found and len(found) < len(classes) and len(classes) > 2:
        lacking = [c for c in classes if c not in found]
        raise Problem(
            at,
            f"{given.path!r} has probabilities of {len(found)} of {len(classes)} classes; there is "
            f"no column for {some(lacking)}",
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

"""Where rows come from: one function per source."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bakeoff.data import download, functions, openml
from bakeoff.data.formats import read_table
from bakeoff.errors import UserError, unknown
from bakeoff.files import is_file
from bakeoff.spec.datasets import (
    DataSet,
    FileData,
    FunctionData,
    GeneratedData,
    OpenmlData,
    SklearnData,
    UrlData,
)


class Loaded(NamedTuple):
    """What a source gives.

    Attributes
    ----------
    frame : DataFrame
        All columns, rows numbered from 0.
    target : str
        The column to predict.
    tested_from : int, optional
        The first row of a test set of its own.
    facts : Mapping
        What the card should say about the source beside what the experiment says.
    """

    frame: pd.DataFrame
    target: str
    tested_from: int | None = None
    facts: Mapping[str, Any] = {}


def sklearn(spec: SklearnData, seed: int) -> Loaded:
    """Load one of scikit-learn's own data sets, classes by name."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{spec.name}")(as_frame=True)
    frame = bunch.data.copy()
    frame["target"] = [str(bunch.target_names[code]) for code in bunch.target]
    return Loaded(frame, "target")


def generator(spec: GeneratedData, seed: int) -> Loaded:
    """Draw from one of scikit-learn's generators; the seed is the experiment's."""
    from sklearn import datasets

    try:
        features, target = getattr(datasets, spec.name)(**{"random_state": seed, **spec.params})
    except (TypeError, ValueError) as error:
        raise UserError(f"{spec.name}: {error}") from None
    frame = pd.DataFrame(features, columns=[f"x{i}" for i in range(1, features.shape[1] + 1)])
    frame["target"] = target
    return Loaded(frame, "target")


def file(spec: FileData, seed: int) -> Loaded:
    """Read a table from a file, or from a training and a test file."""
    frame = _local(spec.path, spec)
    if spec.test_path is None:
        return Loaded(frame, spec.target)
    tested = _local(spec.test_path, spec)
    missing = [column for column in frame if column not in tested]
    more = [column for column in tested if column not in frame]
    if missing or more:
        lacking, column = (spec.test_path, missing[0]) if missing else (spec.path, more[0])
        raise UserError(f"{lacking!r} has no column {column!r}; both files need the same columns")
    joined = pd.concat([frame, tested[list(frame.columns)]], ignore_index=True)
    return Loaded(joined, spec.target, tested_from=len(frame))


def url(spec: UrlData, seed: int) -> Loaded:
    """Read a table from the web, downloaded once."""
    frame = read_table(download.download(spec.url, spec.sha256), spec.url, spec)
    return Loaded(frame, spec.target)


def openml_(spec: OpenmlData, seed: int) -> Loaded:
    """Fetch a data set from OpenML, once."""
    frame, targets, facts = openml.fetch(spec)
    if spec.target is None and len(targets) != 1:
        found = f"names {', '.join(targets)}" if targets else "names none"
        raise UserError(f"say which is the target column, `target: ...`: OpenML {found}")
    return Loaded(frame, spec.target or targets[0], facts=facts)


def function(spec: FunctionData, seed: int) -> Loaded:
    """Call a function of the user's."""
    return Loaded(*functions.call(spec, seed))


SOURCES: Mapping[str, Callable[[Any, int], Loaded]] = {
    "sklearn": sklearn,
    "generator": generator,
    "file": file,
    "url": url,
    "openml": openml_,
    "function": function,
}


def load(spec: DataSet, seed: int) -> Loaded:
    """Load a data set from its source.

    Raises
    ------
    UserError
        It cannot be loaded, or lacks the target.
    """
    loaded = SOURCES[spec.source](spec, seed)  # type: ignore[attr-defined]
    if loaded.target not in loaded.frame.columns:
        raise UserError(unknown("target column", loaded.target, map(str, loaded.frame.columns)))
    return loaded


def is_at_hand(spec: DataSet) -> bool:
    """Tell whether a data set can be loaded now, without the network and the user's code."""
    match spec:
        case UrlData():
            return download.cached(spec.sha256) is not None
        case OpenmlData():
            return openml.cached(spec) is not None
    return not isinstance(spec, FunctionData)


def _local(path: str, spec: FileData) -> pd.DataFrame:
    place = Path(path)
    if not is_file(path):
        raise UserError(f"no file at {path!r}{_nearest_file(place)}")
    return read_table(place, path, spec)


def _nearest_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f" (there is no folder {str(path.parent)!r})"
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {str(path.parent / close[0])!r}?" if close else ""

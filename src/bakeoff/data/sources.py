"""Where rows come from: one function per source, each returns a frame and its target column."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.errors import UserError, unknown
from bakeoff.spec.datasets import FileData, GeneratedData, SklearnData

Loaded = tuple[pd.DataFrame, str]

_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": lambda path: pd.read_csv(path),
    ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    ".parquet": lambda path: pd.read_parquet(path),
}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zip")


def sklearn(spec: SklearnData, seed: int) -> Loaded:
    """Load one of scikit-learn's own data sets, classes by name."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{spec.name}")(as_frame=True)
    frame = bunch.data.copy()
    frame["target"] = [str(bunch.target_names[code]) for code in bunch.target]
    return frame, "target"


def generator(spec: GeneratedData, seed: int) -> Loaded:
    """Draw from one of scikit-learn's generators; the seed is the experiment's."""
    from sklearn import datasets

    try:
        features, target = getattr(datasets, spec.name)(**{"random_state": seed, **spec.params})
    except (TypeError, ValueError) as error:
        raise UserError(f"{spec.name}: {error}") from None
    frame = pd.DataFrame(features, columns=[f"x{i}" for i in range(1, features.shape[1] + 1)])
    frame["target"] = target
    return frame, "target"


def file(spec: FileData, seed: int) -> Loaded:
    """Read a table from a file, by its ending."""
    path = Path(spec.path)
    if not path.is_file():
        raise UserError(f"no file at {spec.path!r}{_nearest_file(path)}")
    reader = _READERS.get(_format(path))
    if reader is None:
        raise UserError(f"{spec.path!r}: {unknown('file ending', _format(path), _READERS)}")
    try:
        frame = reader(path)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{spec.path!r} cannot be read: {error}") from None
    frame.columns = frame.columns.map(str)
    if spec.target not in frame.columns:
        raise UserError(unknown("target column", spec.target, frame.columns))
    return frame, spec.target


SOURCES: Mapping[str, Callable[[Any, int], Loaded]] = {
    function.__name__: function for function in (sklearn, generator, file)
}


def _format(path: Path) -> str:
    endings = [suffix.lower() for suffix in path.suffixes]
    if endings and endings[-1] in _COMPRESSED:
        endings.pop()
    return endings[-1] if endings else ""


def _nearest_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f" (there is no folder {str(path.parent)!r})"
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {str(path.parent / close[0])!r}?" if close else ""

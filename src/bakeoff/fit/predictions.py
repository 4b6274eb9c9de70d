"""The file of one fit: predictions of each row, and facts about the fit and its making."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bakeoff.errors import UserError
from bakeoff.files import reading, sha256_of, write_parquet

METADATA = b"bakeoff"  # the key of the facts in the file's metadata
_PROBABILITY = "p:"
_DECISION = "score:"
_VALUE = "value"
_LABELS = ("y_true", "y_pred")
_NO_RANKING = ["row_id", *_LABELS, _VALUE]
_PACKED = {"compression": "zstd"}
_PLAIN = {"compression": "none", "use_dictionary": _LABELS, "write_statistics": False}
_SMALL = 2**16
"""Bytes in memory up to which packing saves no block of the disk and takes as long as a fit."""


@dataclasses.dataclass(frozen=True)
class Predictions:
    """Predictions of one model on the test part of one split."""

    row_id: NDArray[Any]
    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    classes: tuple[str, ...]
    probabilities: NDArray[np.float64] | None
    decision: NDArray[np.float64] | None
    facts: Mapping[str, Any]
    values: NDArray[np.float64] | None = None

    @property
    def ranking(self) -> NDArray[np.float64] | None:
        """What orders the rows per class: probabilities, or decision values."""
        return self.probabilities if self.probabilities is not None else self.decision

    def write(self, path: str | Path) -> None:
        """Write one Parquet file."""
        columns: dict[str, Any] = {"row_id": self.row_id}
        if self.values is not None:
            columns[_VALUE] = self.values
        else:
            columns |= {name: self.stored(getattr(self, name)) for name in _LABELS}
        for prefix, values in ((_PROBABILITY, self.probabilities), (_DECISION, self.decision)):
            if values is not None:
                names = self.classes if values.shape[1] > 1 else self.classes[-1:]
                columns |= {prefix + c: values[:, k] for k, c in enumerate(names)}
        facts = {"classes": self.classes, **self.facts}
        table = pa.table(columns, metadata={METADATA: json.dumps(facts)})
        write_parquet(path, table, **(_PLAIN if table.nbytes < _SMALL else _PACKED))

    def stored(self, answers: NDArray[Any]) -> pa.Array:
        """Return true or predicted answers as files hold them: names of classes, or numbers."""
        if not self.classes:
            return pa.array(answers, pa.float64())
        names = pa.array(self.classes, pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(answers, pa.int32()), names)

    @classmethod
    def read(cls, path: str | Path, ranking: bool = True) -> Predictions:
        """Read such a file, if wanted without what orders the rows."""
        with (
            reading(path),
            pa.OSFile(str(path)) as plain,
            pq.ParquetFile(plain, pre_buffer=False, page_checksum_verification=True) as file,
        ):
            # names of columns that are not there are passed over
            table = file.read(None if ranking else _NO_RANKING, use_threads=False)
            facts = json.loads(table.schema.metadata[METADATA])
            classes = tuple(facts.pop("classes"))
        row_id = table.column("row_id").to_numpy()
        if _VALUE in table.column_names:
            none, values = np.array([], dtype=np.intp), table.column(_VALUE).to_numpy()
            return cls(row_id, none, none, (), None, None, facts, values)
        true, predicted = (_answers(table, name, classes) for name in _LABELS)
        probabilities, decision = _matrix(table, _PROBABILITY), _matrix(table, _DECISION)
        return cls(row_id, true, predicted, classes, probabilities, decision, facts)


def read_facts(path: str | Path) -> dict[str, Any]:
    """Read the facts of a file of predictions, and not its rows."""
    with reading(path):
        facts: dict[str, Any] = json.loads(pq.read_schema(path).metadata[METADATA])
    return facts


def _answers(table: pa.Table, name: str, classes: tuple[str, ...]) -> NDArray[Any]:
    column = table.column(name).combine_chunks()
    if not classes:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    codes: NDArray[np.intp] = column.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    names = column.dictionary.to_pylist()
    return np.array([classes.index(name) for name in names], dtype=np.intp)[codes]


def _matrix(table: pa.Table, prefix: str) -> NDArray[np.float64] | None:
    names = [name for name in table.column_names if name.startswith(prefix)]
    return np.column_stack([table.column(name).to_numpy() for name in names]) if names else None


# What a file says of its making: an existing fit is used again unless it is outdated.


def stamp(fingerprint: str, *inputs: str | Path) -> dict[str, str]:
    """Return what a fit's file says about its making."""
    contents = [sha256_of(path)[:16] for path in inputs]
    return {"fingerprint": fingerprint, "inputs": "+".join(contents)}


def is_made(output: str | Path, wanted: Mapping[str, str]) -> bool:
    """Tell whether a file of predictions exists and carries this stamp."""
    try:
        facts = read_facts(output)
    except (OSError, UserError):
        return False
    return all(facts.get(key) == value for key, value in wanted.items())

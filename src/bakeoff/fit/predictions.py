"""The file of one fit: predictions of each row, and facts about the fit."""

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

from bakeoff.files import reading, write_parquet

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
        if _VALUE in table.column_names:
            none, values = np.array([], dtype=np.intp), table.column(_VALUE).to_numpy()
            return cls(table.column("row_id").to_numpy(), none, none, (), None, None, facts, values)
        return cls(
            table.column("row_id").to_numpy(),
            _answers(table, "y_true", classes),
            _answers(table, "y_pred", classes),
            classes,
            _matrix(table, _PROBABILITY),
            _matrix(table, _DECISION),
            facts,
        )


def read_facts(path: str | Path) -> dict[str, Any]:
    """Read the facts of a file of predictions, and not its rows."""
    with reading(path):
        facts: dict[str, Any] = json.loads(pq.read_schema(path).metadata[METADATA])
    return facts


def no_predictions(facts: Mapping[str, Any]) -> Predictions:
    """Make the record of a failed fit: no rows, and the reason in `facts`."""
    none = np.array([], dtype=np.intp)
    return Predictions(none, none, none, (), None, None, facts)


def _answers(table: pa.Table, name: str, classes: tuple[str, ...]) -> NDArray[Any]:
    column = table.column(name).combine_chunks()
    if not classes:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    codes: NDArray[np.intp] = column.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    found = column.dictionary.to_pylist()
    if found == list(classes[: len(found)]):
        return codes
    position = np.array([classes.index(c) for c in found], dtype=np.intp)
    return position[codes]


def _matrix(table: pa.Table, prefix: str) -> NDArray[np.float64] | None:
    names = [name for name in table.column_names if name.startswith(prefix)]
    return np.column_stack([table.column(name).to_numpy() for name in names]) if names else None

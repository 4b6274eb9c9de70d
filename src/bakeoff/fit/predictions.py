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

METADATA = b"bakeoff"
"""The key of the facts in the file's metadata."""
_PROBABILITY = "p:"
_DECISION = "score:"
_VALUE = "value"
_VALUE_BY = "value:"
_LABELS = ("y_true", "y_pred")
_NO_RANKING = ["row_id", *_LABELS, _VALUE]
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
    by_metric: Mapping[str, NDArray[np.float64]] = dataclasses.field(default_factory=dict)
    """The values by each metric, where there are several; `values` are those of the first."""

    def values_by(self, metric: str) -> NDArray[np.float64]:
        """Return the values of rows by a metric."""
        values = self.by_metric.get(metric, self.values)
        assert values is not None
        return values

    def of_rows(self, kept: NDArray[np.bool_]) -> Predictions:
        """Return the predictions of some of the rows."""
        parts: dict[str, Any] = {}
        for name in ("row_id", "y_true", "y_pred", "probabilities", "decision"):
            column = getattr(self, name)
            if column is not None:
                parts[name] = column[kept]
        return dataclasses.replace(self, **parts)

    @property
    def ranking(self) -> NDArray[np.float64] | None:
        """What orders the rows per class: probabilities, or decision values."""
        if self.probabilities is None:
            return self.decision
        return self.probabilities

    def write(self, path: str | Path) -> None:
        """Write one Parquet file."""
        columns: dict[str, Any] = {"row_id": self.row_id}
        if self.values is not None:
            columns[_VALUE] = self.values
            for metric, values in self.by_metric.items():
                columns[f"{_VALUE_BY}{metric}"] = values
        else:
            columns["y_true"] = self.stored(self.y_true)
            columns["y_pred"] = self.stored(self.y_pred)
        columns |= self._by_class(_PROBABILITY, self.probabilities)
        columns |= self._by_class(_DECISION, self.decision)
        facts = {"classes": self.classes, **self.facts}
        table = pa.table(columns, metadata={METADATA: json.dumps(facts)})
        if table.nbytes < _SMALL:
            write_parquet(
                path, table, compression="none", use_dictionary=_LABELS, write_statistics=False
            )
        else:
            write_parquet(path, table, compression="zstd")

    def _by_class(
        self, prefix: str, values: NDArray[np.float64] | None
    ) -> dict[str, NDArray[np.float64]]:
        """Return the columns of a matrix by the names that they have in a file."""
        if values is None:
            return {}
        classes = self.classes
        # decision values of two classes speak for the second one
        if values.shape[1] == 1:
            classes = classes[-1:]
        return {f"{prefix}{name}": values[:, k] for k, name in enumerate(classes)}

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
            names = None
            # names that are not there are passed over
            if not ranking:
                names = list(_NO_RANKING)
                for name in file.schema_arrow.names:
                    if name.startswith(_VALUE_BY):
                        names.append(name)
            table = file.read(names, use_threads=False)
            facts = json.loads(table.schema.metadata[METADATA])
            classes = tuple(facts.pop("classes"))
        row_id = table.column("row_id").to_numpy()
        if _VALUE in table.column_names:
            no_answers = np.array([], dtype=np.intp)
            by_metric = {}
            for name in table.column_names:
                if name.startswith(_VALUE_BY):
                    by_metric[name.removeprefix(_VALUE_BY)] = table.column(name).to_numpy()
            return cls(
                row_id=row_id,
                y_true=no_answers,
                y_pred=no_answers,
                classes=(),
                probabilities=None,
                decision=None,
                facts=facts,
                values=table.column(_VALUE).to_numpy(),
                by_metric=by_metric,
            )
        return cls(
            row_id=row_id,
            y_true=_answers(table, "y_true", classes),
            y_pred=_answers(table, "y_pred", classes),
            classes=classes,
            probabilities=_matrix(table, _PROBABILITY),
            decision=_matrix(table, _DECISION),
            facts=facts,
        )


def read_facts(path: str | Path) -> dict[str, Any]:
    """Read the facts of a file of predictions, and not its rows."""
    with reading(path):
        facts: dict[str, Any] = json.loads(pq.read_schema(path).metadata[METADATA])
    return facts


def _answers(table: pa.Table, name: str, classes: tuple[str, ...]) -> NDArray[Any]:
    """Return true or predicted answers: positions in `classes`, or numbers where there are none."""
    column = table.column(name).combine_chunks()
    if not classes:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    codes: NDArray[np.intp] = column.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    # a file may have the classes in another order, or only some of them
    positions = list(map(classes.index, column.dictionary.to_pylist()))
    return np.array(positions, dtype=np.intp)[codes]


def _matrix(table: pa.Table, prefix: str) -> NDArray[np.float64] | None:
    """Return the columns whose names have a prefix, side by side; None where there are none."""
    columns = []
    for name in table.column_names:
        if name.startswith(prefix):
            columns.append(table.column(name).to_numpy())
    if not columns:
        return None
    return np.column_stack(columns)


# --- what a file says of its making: an existing fit is used again unless it is outdated


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

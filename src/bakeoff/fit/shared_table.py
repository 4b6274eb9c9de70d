"""Memory-mapped large tables, shared by all processes that fit on them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bakeoff.data import Table
from bakeoff.files import CACHE, digest, read_parquet, reading, state_of, whole

LARGE = 2**26
"""Bytes from which on a table is mapped; a smaller one is read faster than mapped."""
_MADE_FROM = b"made from"


def read_shared(parquet: str | Path) -> Table:
    """Read a table; of a large one the numbers stay in a file that processes share."""
    # Parquet has to be decoded, so that file is another: it is made by whoever finds none, or one
    # of an earlier state of the table. What is mapped cannot be written to; parts of it are copies.
    with reading(parquet):
        layout = pq.read_metadata(parquet)
    if 8 * layout.num_rows * layout.num_columns < LARGE:
        return Table.read(parquet)
    mapped = CACHE / "tables" / f"{digest(str(parquet))}.arrow"
    state = str(state_of(parquet)).encode()
    if not (mapped.is_file() and _mapped(mapped).schema.metadata.get(_MADE_FROM) == state):
        pool = pa.default_memory_pool()
        pool.release_unused()  # what was held before: the whole table is to be in memory for once
        _write(read_parquet(parquet), mapped, state)
        pool.release_unused()
    return Table.of(_mapped(mapped), copied=False)


def _mapped(path: Path) -> pa.Table:
    with reading(path), pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def _write(table: pa.Table, path: Path, state: bytes) -> None:
    """Write a table without encoding; NaN stands for what is missing, as it will in memory."""
    for place, name in enumerate(table.column_names):
        if pa.types.is_floating(table.schema.field(place).type):
            values = table.column(place).to_numpy()
            table = table.set_column(place, name, pa.array(values))
    table = table.combine_chunks()
    metadata = {**table.schema.metadata, _MADE_FROM: state}
    table = table.replace_schema_metadata(metadata)
    with whole(path) as part, pa.ipc.new_file(str(part), table.schema) as writer:
        writer.write_table(table)

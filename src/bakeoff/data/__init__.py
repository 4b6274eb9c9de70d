"""From a source to a canonical table with its card, and from the table to splits."""

from bakeoff.data.splits import Split, make_splits, read_split
from bakeoff.data.table import ROW_ID, TARGET, WEIGHT, Table, load_table

__all__ = [
    "ROW_ID",
    "TARGET",
    "WEIGHT",
    "Split",
    "Table",
    "load_table",
    "make_splits",
    "read_split",
]

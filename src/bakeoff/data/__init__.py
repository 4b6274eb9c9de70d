"""From a source to a canonical table with its card, and from the table to splits."""

from bakeoff.data.split_files import Split, read_split
from bakeoff.data.splits import make_splits
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

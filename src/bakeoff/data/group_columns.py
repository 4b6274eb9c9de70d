"""Columns that look like ids of groups: patients, users, sessions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bakeoff.data.columns import Series

LIKE_AN_ID = re.compile(
    r"(?i:(^|[_\W])(id|ids|key|uuid|guid|index|row|rownum|nr|no|number)$|^unnamed)"
    r"|(?<=[a-z])(Id|ID|IDs|Key|UUID|Number|No|Nr|Index)$"
)
_GROUPS = (
    "patient|subject|person|customer|user|client|household|family|animal|site|plot|station"
    "|participant|student|school|hospital|device|machine|session|speaker|group"
)
_NAMES_A_GROUP = re.compile(f"(?i:{_GROUPS})")
_IS_A_GROUP = re.compile(f"(?i:(^|[_\\W])({_GROUPS})s?$)|(?<=[a-z])({_GROUPS.title()})s?$")
_COUNTS = re.compile(
    r"(?i:(^|[_\W])(index|row|rownum|nr|no|number)$|^unnamed)|(?<=[a-z])(Number|No|Nr|Index)$"
)
_STEPS = 0.8
"""Share of the rows that follow their predecessor by one, where a column numbers them."""
NAMED = "it is named like an id"
BLOCKS = "the rows of each value stand together"
_FEWEST = {True: 10, False: 20}
"""Groups, where the name says what they are, and where it does not."""


def group_columns(frame: pd.DataFrame, without: Iterable[str]) -> list[dict[str, Any]]:
    """List the columns that look like ids of groups."""
    excluded = set(without)
    found = []
    for name in (str(column) for column in frame.columns if column not in excluded):
        values = frame[name]
        why = why_groups(values, name)
        if why:
            found.append({"column": name, "groups": int(values.nunique()), "why": why})
    return found


def named_like_groups(table: pa.Table, names: Iterable[str]) -> list[dict[str, Any]]:
    """List those of some columns of a table that are named, and look, like ids of groups."""
    likely = [name for name in names if LIKE_AN_ID.search(name) or _IS_A_GROUP.search(name)]
    return group_columns(table.select(likely).to_pandas(), ()) if likely else []


def like_ids(table: pa.Table, names: Iterable[str]) -> list[str]:
    """Name those of some columns that look like ids of groups or rows, not like measurements."""
    names = list(names)
    found = [group["column"] for group in named_like_groups(table, names)]
    whole = [name for name in names if pa.types.is_integer(table.schema.field(name).type)]
    numbers = table.select(whole).to_pandas()
    found += [name for name in whole if counts_up(numbers[name])]
    return list(dict.fromkeys(found))


def why_groups(values: Series, name: str) -> str:
    """Explain why a column looks like a group id; empty if it does not."""
    if is_nested(values) or (pd.api.types.is_float_dtype(values.dtype) and not _whole(values)):
        return ""
    distinct = values.nunique()
    if values.isna().any() or not 1 < distinct < 0.95 * len(values):
        return ""
    if is_running_number(values, name):
        return ""
    named = LIKE_AN_ID.search(name) or _IS_A_GROUP.search(name)
    if named and distinct >= _FEWEST[bool(_NAMES_A_GROUP.search(name))]:
        return NAMED
    if 10 <= distinct <= len(values) / 2 and _in_blocks(values, distinct):
        return BLOCKS
    return ""


def is_nested(values: Series) -> bool:
    """Tell whether a column holds lists or mappings, as JSON and Parquet allow."""
    nested = dict, list, tuple, set, np.ndarray
    return values.dtype == object and any(isinstance(value, nested) for value in values)


def is_running_number(values: Series, name: str) -> bool:
    """Tell whether a column numbers rows, by its values or its name."""
    # Numbers that start again (in each file, in each visit) repeat, but not for what they count.
    if not _numbers_without_gaps(values):
        return False
    named = _COUNTS.search(name) and not _NAMES_A_GROUP.search(name)
    return counts_up(values) or bool(
        named and values.min() in (0, 1) and values.nunique() > values.max() - 1
    )


def counts_up(values: Series) -> bool:
    """Tell whether most rows follow their predecessor by one, once or from 1 again and again."""
    if not _numbers_without_gaps(values):
        return False
    return bool((np.diff(values.to_numpy(dtype=np.float64)) == 1).mean() >= _STEPS)


def _numbers_without_gaps(values: Series) -> bool:
    if not pd.api.types.is_numeric_dtype(values.dtype) or values.isna().any() or len(values) < 2:
        return False
    return not pd.api.types.is_bool_dtype(values.dtype) and _whole(values)


def _whole(values: Series) -> bool:
    present = values.dropna()
    return all(bool((some % 1 == 0).all()) for some in (present.iloc[:1000], present))


def _in_blocks(values: Series, distinct: int) -> bool:
    """Tell whether the rows of each value stand together, and the values count the blocks."""
    codes = pd.factorize(values)[0]
    if np.count_nonzero(np.diff(codes)) + 1 != distinct:
        return False
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return not pd.api.types.is_datetime64_any_dtype(values.dtype)
    return bool(values.min() in (0, 1) and values.max() - values.min() + 1 == distinct)

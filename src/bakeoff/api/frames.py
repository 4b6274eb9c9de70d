"""Tables and columns of any library as those of pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from bakeoff.errors import UserError
from bakeoff.sources.common.identifiers import to_frame, with_own_types


def by_name(argument: str, columns: Any, expected: str) -> Mapping[Any, Any] | pd.DataFrame:
    """Return a mapping, or a frame of any library as one of pandas."""
    columns = as_pandas(columns)
    if not isinstance(columns, Mapping | pd.DataFrame):
        raise UserError(f"{argument}: found {type(columns).__name__}, expected {expected}")
    return columns


def as_pandas(values: Any) -> Any:
    """Return a frame or a column of any library as one of pandas, all else as it is."""
    if isinstance(values, pa.Table):
        values = to_frame(values)
    elif hasattr(values, "to_pandas"):
        values = values.to_pandas()
    if isinstance(values, pd.Series):
        column = with_own_types(values.to_frame("")).iloc[:, 0]
        column.name = values.name
        return column
    if isinstance(values, pd.DataFrame):
        return with_own_types(values)
    return values

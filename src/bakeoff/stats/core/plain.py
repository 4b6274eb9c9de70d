"""Results as plain data: the one way into what JSON knows, and back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Reduce a value to what JSON knows.

    NaN becomes null, infinity ``"Infinity"`` or ``"-Infinity"``; `as_float` reads them again.
    """
    if value is None or type(value) in (str, int, bool):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value)
    return value


def as_float(value: Any) -> float:
    """Read a number of plain data."""
    return math.nan if value is None else float(value)

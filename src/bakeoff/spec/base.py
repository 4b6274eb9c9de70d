"""What every part of an experiment shares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

Id = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9_-]*$",
        max_length=60,
        description="Lower-case letters, digits, `_` and `-`; it becomes a file name.",
    ),
]
Label = Annotated[
    str, Field(min_length=1, max_length=200, description="Name shown in the report, any text.")
]


class Part(BaseModel):
    """Unknown keys are refused, values are not bent into shape, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def with_numbers(value: Any) -> Any:
    """Read texts like ``1e-3`` as the numbers that people mean: YAML 1.1 wants ``1.0e-3``."""
    if isinstance(value, str):
        return float(value) if _EXPONENT.fullmatch(value) else value
    if isinstance(value, Mapping):
        return {key: with_numbers(inner) for key, inner in value.items()}
    return [with_numbers(inner) for inner in value] if isinstance(value, list) else value


_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")


def said(message: str) -> PydanticCustomError:
    """Make the error of a validator whose message is shown as it is, without the value."""
    return PydanticCustomError("said", "{text}", {"text": message})

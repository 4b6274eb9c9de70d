"""What every part of an experiment shares."""

from __future__ import annotations

from typing import Annotated

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


def said(message: str) -> PydanticCustomError:
    """Make the error of a validator whose message is shown as it is, without the value."""
    return PydanticCustomError("said", "{text}", {"text": message})

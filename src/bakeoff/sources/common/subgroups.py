"""The key `subgroups:`: columns whose values divide the test rows, and where numbers are cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from bakeoff.keys import SpecSection, said


class SubgroupColumn(SpecSection):
    """A column of subgroups."""

    column: Annotated[str, Field(min_length=1)] = Field(description="The column.")
    bins: list[float] | None = Field(
        None,
        min_length=1,
        description="Where a column of numbers is cut: `[40, 65]` makes the subgroups below 40, 40 "
        "to below 65, and 65 or more.",
    )

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if any(low >= high for low, high in pairwise(self.bins or [])):
            raise said(f"found bins {self.bins}, expected numbers in ascending order")
        return self


def as_columns(listed: Sequence[str | SubgroupColumn]) -> tuple[SubgroupColumn, ...]:
    """Return columns that are named alone as columns without cuts."""
    return tuple(
        SubgroupColumn.model_validate({"column": one}) if isinstance(one, str) else one
        for one in listed
    )


def each_once(listed: list[str | SubgroupColumn]) -> list[str | SubgroupColumn]:
    """Refuse a column that is listed twice."""
    names = [one.column for one in as_columns(listed)]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise said(f"{twice!r} appears twice")
    return listed


Subgroups = Annotated[
    list[
        Annotated[
            Annotated[str, Field(min_length=1), Tag("name")]
            | Annotated[SubgroupColumn, Tag("mapping")],
            Discriminator(lambda value: "name" if isinstance(value, str) else "mapping"),
        ]
    ],
    AfterValidator(each_once),
]

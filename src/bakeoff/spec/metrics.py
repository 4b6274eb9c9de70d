"""Metrics of an experiment: names of built-in ones, or descriptions of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Discriminator, Field, Tag, model_validator

from bakeoff.keys import Label, SpecSection, said


class GivenMetric(SpecSection):
    """A metric of given scores that is not computed here, such as RMSE or C-index."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z]\w*$", max_length=60)] = Field(
        description="What it is called in the files of `scores:`."
    )
    greater_is_better: bool = Field(description="Which way is better: it decides who wins.")
    label: Label | None = None
    unit: Label | None = Field(
        None,
        description="What a difference of two values is measured in, shown after it; `percentage "
        "points` for what is a share from 0 to 1.",
    )
    range: Annotated[list[float | None], Field(min_length=2, max_length=2)] = Field(
        [None, None],
        description="The least and the greatest possible value; other values are refused, an empty "
        "end is open: `[0, null]`.",
    )

    @model_validator(mode="after")
    def _low_before_high(self) -> Self:
        low, high = self.range
        if low is not None and high is not None and not low < high:
            raise said(f"found range: [{low:g}, {high:g}], expected [low, high] with low < high")
        return self


AnyMetric = Annotated[
    Annotated[str, Tag("name")] | Annotated[GivenMetric, Tag("described")],
    Discriminator(lambda v: "described" if isinstance(v, (Mapping, SpecSection)) else "name"),
]

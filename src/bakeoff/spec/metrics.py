"""Metrics of an experiment: names of built-in ones, or descriptions of the user's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_serializer, model_validator

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

    mixed_units: bool = Field(
        False,
        description="Whether its values are in other units on other data sets (an error that is a "
        "log loss on one and an RMSE on another): they are ranked on each, and never averaged.",
    )

    @model_validator(mode="after")
    def _low_before_high(self) -> Self:
        low, high = self.range
        if low is not None and high is not None and not low < high:
            raise said(f"found range: [{low:g}, {high:g}], expected [low, high] with low < high")
        return self


class Passing(GivenMetric):
    """How probably at least one of k runs of an item is right (pass@k), or every one (pass^k)."""

    k: int = Field(ge=1, description="Runs that are drawn.")
    every: bool = Field(description="Whether all of them must be right.")
    marks: Literal["accuracy", "error"] = Field("accuracy", description="What a 1 stands for.")

    @classmethod
    def of(cls, k: int, *, every: bool, marks: str = "accuracy") -> Self:
        """Describe it as a metric of items."""
        own = {"name": f"pass_{'hat' if every else 'at'}_{k}", "range": [0, 1], "marks": marks}
        own |= {"label": f"pass{'^' if every else '@'}{k}", "unit": "percentage points"}
        return cls.model_validate({**own, "greater_is_better": True, "k": k, "every": every})

    @model_serializer
    def _written(self) -> str:
        return str(self.label)


def passing_of(name: Any) -> Passing | None:
    """Return the metric that ``pass@k`` or ``pass^k`` names."""
    found = re.fullmatch(r"pass([@^])([1-9]\d*)", name) if isinstance(name, str) else None
    return None if found is None else Passing.of(int(found[2]), every=found[1] == "^")


def _kind(value: Any) -> str:
    described = "passing" if isinstance(value, Passing) else "described"
    return described if isinstance(value, (Mapping, SpecSection)) else "name"


AnyMetric = Annotated[
    Annotated[str, Tag("name")]
    | Annotated[Passing, Tag("passing")]
    | Annotated[GivenMetric, Tag("described")],
    Discriminator(_kind),
    BeforeValidator(lambda value: passing_of(value) or value),
]

"""The entries of `datasets:`: one of the sources, or nothing but what the models bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, Union

from pydantic import Field

from bakeoff.keys import ClassName, Label, SpecSection
from bakeoff.sources import SOURCES, DataSet
from bakeoff.sources.common.base import Costs, Unit


class GivenData(SpecSection):
    """No data but what the models bring: each has `predictions:` or `scores:` of its own."""

    source: Literal["given"]
    label: Label | None = None
    positive: ClassName | None = Field(
        None,
        description="The positive class of a two-class problem; default: the one whose name says "
        "so (yes, sick, churned, 1), else the larger number, else the rarer one.",
    )
    unit: Unit = None
    classes: Annotated[list[ClassName], Field(min_length=2)] | None = Field(
        None, description="All classes, in order; default: the true labels, sorted."
    )
    missing_target: Literal["error", "drop"] = Field(
        "error",
        description="What to do with rows that have no true label in the first file that names "
        "them; `drop` leaves them out of every file.",
    )
    costs: Costs | None = Field(
        None,
        description="What each kind of error costs on these data, in place of the "
        "experiment's `costs:`.",
    )
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")


if TYPE_CHECKING:
    AnyData: TypeAlias = DataSet | GivenData
else:
    AnyData = Annotated[
        Union[(*SOURCES.values(), GivenData)],
        Field(discriminator="source"),
    ]

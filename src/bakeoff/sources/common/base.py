"""Base of all data sources: the shared keys and the methods of a source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    BeforeValidator,
    Field,
    model_validator,
)

from bakeoff.errors import Problem, UserError
from bakeoff.keys import ClassName, Label, OneMessage, SpecSection, said, with_numbers
from bakeoff.sources.common.costs import Costs
from bakeoff.sources.common.subgroups import Subgroups

if TYPE_CHECKING:
    import pandas as pd


def _number_as_text(value: Any) -> Any:
    """Take the number of a class for its name."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


NewName = Annotated[str, BeforeValidator(_number_as_text)]
ColumnName = Annotated[str, Field(min_length=1)]
Params = Annotated[dict[str, Any], BeforeValidator(with_numbers)]
Values = Annotated[list[ClassName], Field(min_length=1)]
Unit = Annotated[
    Label | None,
    Field(description="Unit of the target of a regression, like MPa; shown after numbers."),
]
Limit = Annotated[int | float | str, OneMessage, BeforeValidator(with_numbers)]


class Filter(SpecSection):
    """Keep the rows that meet all conditions on one column."""

    column: ColumnName = Field(description="The column that is looked at.")
    keep: Values | None = Field(None, description="Keep the rows with one of these values.")
    drop: Values | None = Field(None, description="Leave out the rows with one of these values.")
    min: Limit | None = Field(None, description="Keep rows of this value or more (or later).")
    max: Limit | None = Field(None, description="Keep rows of this value or less (or earlier).")
    above: Limit | None = Field(None, description="Keep rows of more than this value.")
    below: Limit | None = Field(None, description="Keep rows of less than this value.")
    missing: Literal["drop"] | None = Field(
        None, description="`drop`: leave out the rows without a value."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set - {"column"}:
            raise said("a filter needs a condition: keep, drop, min, max, above, below or missing")
        return self


class Loaded(NamedTuple):
    """The data that a source returns."""

    frame: pd.DataFrame
    target: str
    tested_from: int | None = None
    facts: Mapping[str, Any] = {}


class DataSet(SpecSection, ABC):
    """An entry of `datasets:`: the keys that every source shares, and what a source must answer."""

    if TYPE_CHECKING:
        source: str

    drawn: ClassVar[bool] = False
    """Whether the rows depend on the experiment's seed."""

    label: Label | None = None
    positive: ClassName | None = Field(
        None,
        description="The positive class of a two-class problem; default: the one whose name says "
        "so (yes, sick, churned, 1), else the larger number, else the rarer one.",
    )
    unit: Unit = None
    id: ColumnName | None = Field(
        None,
        description="Column with unique row ids (not a feature); default: the row's number in the "
        "source, from 1.",
    )
    features: list[ColumnName] | None = Field(
        None,
        min_length=1,
        description="Columns to learn from; default: all that no other key names.",
    )
    drop: list[ColumnName] = Field([], description="Columns to leave out.")
    filter: list[Filter] = Field(
        [],
        description="Which rows to keep, before anything else is done: "
        "`[{column: age, min: 18}, {column: country, keep: [US, CA]}]`.",
    )
    dates: dict[ColumnName, str] = Field(
        {},
        description="Columns of dates that are not written like 2024-05-31, each with its format: "
        "`{admitted: '%d.%m.%Y'}` (Python's `strptime`).",
    )
    derive: dict[ColumnName, str] = Field(
        {},
        description="New columns from old ones: `log_income: log(income)`. Functions: log, log1p, "
        "exp, sqrt, abs, square.",
    )
    merge: dict[NewName, Values] = Field(
        {},
        description="Classes to pool under a new name: `WithArrhythmia: [2, 3, 4]`.",
    )
    classes: Annotated[list[ClassName], Field(min_length=2)] | None = Field(
        None,
        description="The classes to keep, after merging; rows of the others are left out.",
    )
    missing_target: Literal["error", "drop"] = Field(
        "error", description="What to do with rows that have no label."
    )
    weights: ColumnName | None = Field(
        None, description="Column with sample weights for the fits (not a feature)."
    )
    groups: ColumnName | None = Field(
        None,
        description="Column that says which rows belong together (a patient, a plot): no group is "
        "ever on both sides of a division. Not a feature unless listed in `features`.",
    )
    time: ColumnName | None = Field(
        None,
        description="Column with a number or a date: models are trained on what came before and "
        "tested on what came after. Not a feature unless listed in `features`.",
    )
    subgroups: Subgroups = Field(
        [],
        description="Columns whose values divide the test rows, like `[sex, {column: age, bins: "
        "[40, 65]}]`: the models are compared in each subgroup too, and whether their difference "
        "differs. They stay features unless `drop` or `features` leaves them out.",
    )
    costs: Costs | None = Field(
        None,
        description="What each kind of error costs on these data, in place of the "
        "experiment's `costs:`.",
    )
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")

    @model_validator(mode="after")
    def _one_kind_of_division(self) -> Self:
        if self.groups is not None and self.time is not None:
            raise said("groups and time cannot be combined: keep one of them")
        return self

    @abstractmethod
    def inputs(self) -> Sequence[str]:
        """List the files that are read: when one is edited, the data are loaded again."""

    @abstractmethod
    def load(self, seed: int) -> Loaded:
        """Load the data."""

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        return self

    def check(self) -> None:
        """Look for what can be known to fail before anything is loaded."""

    def at_hand(self) -> bool:
        """Tell whether the data can be loaded without the network and the user's code."""
        return True

    @property
    def imports(self) -> tuple[str, ...]:
        """The import paths of the user's code that makes the data."""
        return ()

    @property
    def own_test_set(self) -> str | None:
        """The key that names a test set of its own, where there is one."""
        return None

    def described(self) -> dict[str, Any]:
        """Return what the card says about the source: the keys that it adds itself."""
        own = set(type(self).__annotations__)
        return self.model_dump(mode="json", include=own, exclude_defaults=True)


@contextmanager
def blame(key: str) -> Iterator[None]:
    """Attribute errors to a key, unless they name one already."""
    try:
        yield
    except Problem:
        raise
    except UserError as error:
        raise Problem((key,), str(error)) from error.__cause__

"""Base of all data sources, imported by who reads an experiment: it computes nothing."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
)

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from bakeoff.errors import Place, Problem, UserError
from bakeoff.keys import (
    ClassName,
    Label,
    OneMessage,
    SpecSection,
    name_of,
    said,
    with_numbers,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


# --- types of keys


def _number_as_name(value: Any) -> Any:
    """Return the number of a class as its name."""
    # true and false are whole numbers to Python, and no names
    if type(value) is int:
        return str(value)
    return value


NewName = Annotated[str, BeforeValidator(_number_as_name)]
ColumnName = Annotated[str, Field(min_length=1)]
Params = Annotated[dict[str, Any], BeforeValidator(with_numbers)]
Values = Annotated[list[ClassName], Field(min_length=1)]
Unit = Annotated[
    Label | None,
    Field(description="Unit of the target of a regression, like MPa; shown after numbers."),
]
Limit = Annotated[int | float | str, OneMessage, BeforeValidator(with_numbers)]
Cost = Annotated[float, Field(ge=0)]


# --- what errors cost


class Costs(SpecSection):
    """The cost of each kind of error: rows are true classes, columns predicted ones."""

    classes: list[ClassName] = Field(min_length=2)
    """The classes in the order of the matrix's rows and columns."""
    matrix: list[list[Cost]]
    """One row per true class, one column per predicted class; at least 0, and 0 for right
    predictions."""

    priors: list[Cost] | None = None
    """How frequent each class is where the models will be used, in the order of `classes`; shares
    or counts. For the metric `expected_cost`."""

    @property
    def names(self) -> list[str]:
        """The classes as the canonical tables write them: 1.0 is the class 1."""
        return [name_of(name) for name in self.classes]

    def for_classes(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the matrix for these classes in this order, shape (K, K)."""
        import numpy as np

        order = self._places(classes)
        return np.array(self.matrix, dtype=np.float64)[np.ix_(order, order)]

    def shares(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the priors, which must be given, for these classes in this order, as shares."""
        import numpy as np

        assert self.priors is not None
        priors = np.array(self.priors)[self._places(classes)]
        return np.asarray(priors / priors.sum())

    def _places(self, classes: Sequence[str]) -> list[int]:
        """Return where these classes stand in `classes`."""
        return [self.names.index(name) for name in classes]

    @model_validator(mode="after")
    def _square(self) -> Self:
        n_classes = len(self.classes)
        repeated = first_repeated(self.names)
        if repeated is not None:
            raise said(f"class {repeated!r} appears twice")
        widths = [len(row) for row in self.matrix]
        if len(widths) != n_classes or set(widths) != {n_classes}:
            different = ", ".join(map(str, sorted(set(widths))))
            raise said(
                f"the matrix has {len(widths)} row(s) of {different} number(s), {n_classes} "
                f"classes need {n_classes} rows of {n_classes}"
            )
        return self

    @model_validator(mode="after")
    def _costs_of_errors_alone(self) -> Self:
        for i, name in enumerate(self.names):
            cost = self.matrix[i][i]
            if cost != 0:
                raise said(
                    f"a right prediction of {name!r} costs {cost:g}, must cost 0: "
                    "rows are true classes, columns predicted ones"
                )
        if math.fsum(map(math.fsum, self.matrix)) == 0:
            raise said("every error costs 0: nothing to compare")
        return self

    @model_validator(mode="after")
    def _a_prior_for_each_class(self) -> Self:
        if self.priors is None:
            return self
        n_classes = len(self.classes)
        if len(self.priors) != n_classes or not any(self.priors):
            text = f"found priors {self.priors}, expected {n_classes} numbers, not all of them 0"
            raise said(text)
        return self


# --- columns of subgroups


class SubgroupColumn(SpecSection):
    """A column of subgroups."""

    column: Annotated[str, Field(min_length=1)] = Field(description="The column.")
    bins: list[float] | None = Field(None, min_length=1)
    """Where a column of numbers is cut: `[40, 65]` makes the subgroups below 40, 40 to below 65,
    and 65 or more."""

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        for low, high in pairwise(self.bins or []):
            if low >= high:
                raise said(f"found bins {self.bins}, expected numbers in ascending order")
        return self


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that is listed a second time."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def as_columns(listed: Sequence[str | SubgroupColumn]) -> tuple[SubgroupColumn, ...]:
    """Return columns that are named alone as columns without cuts."""
    columns = []
    for column in listed:
        if isinstance(column, str):
            column = SubgroupColumn.model_validate({"column": column})
        columns.append(column)
    return tuple(columns)


def each_once(listed: list[str | SubgroupColumn]) -> list[str | SubgroupColumn]:
    """Refuse a column that is listed twice."""
    repeated = first_repeated([column.column for column in as_columns(listed)])
    if repeated is not None:
        raise said(f"{repeated!r} appears twice")
    return listed


def _name_or_mapping(value: Any) -> str:
    """Tell in which of its two forms a column of subgroups is written."""
    if isinstance(value, str):
        return "name"
    return "mapping"


Subgroups = Annotated[
    list[
        Annotated[
            Annotated[str, Field(min_length=1), Tag("name")]
            | Annotated[SubgroupColumn, Tag("mapping")],
            Discriminator(_name_or_mapping),
        ]
    ],
    AfterValidator(each_once),
]


# --- a data set


class Filter(SpecSection):
    """Keep the rows that meet all conditions on one column."""

    column: ColumnName = Field(description="The column that is looked at.")
    keep: Values | None = Field(None, description="Keep the rows with one of these values.")
    drop: Values | None = Field(None, description="Leave out the rows with one of these values.")
    min: Limit | None = Field(None, description="Keep rows of this value or more (or later).")
    max: Limit | None = Field(None, description="Keep rows of this value or less (or earlier).")
    above: Limit | None = Field(None, description="Keep rows of more than this value.")
    below: Limit | None = Field(None, description="Keep rows of less than this value.")
    missing: Literal["drop"] | None = None
    """`drop`: leave out the rows without a value."""

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

    retired: ClassVar[Mapping[str, str]] = {
        "join": "write the joined table to a file, or use `source: function` with a function that "
        "calls `pandas.merge`",
        "thousands": "write numbers without separators of thousands, or read the file by `source: "
        "function`",
    }
    drawn: ClassVar[bool] = False
    """Whether the rows depend on the experiment's seed."""

    label: Label | None = None
    positive: ClassName | None = None
    """The positive class of a two-class problem; default: the one whose name says so (yes, sick,
    churned, 1), else the larger number, else the rarer one."""
    unit: Unit = None
    id: ColumnName | None = None
    """Column with unique row ids (not a feature); default: the row's number in the source, from
    1."""
    features: list[ColumnName] | None = Field(None, min_length=1)
    """Columns to learn from; default: all that no other key names."""
    drop: list[ColumnName] = Field([], description="Columns to leave out.")
    filter: list[Filter] = Field([])
    """Which rows to keep, before anything else is done: `[{column: age, min: 18}, {column: country,
    keep: [US, CA]}]`."""
    dates: dict[ColumnName, str] = Field({})
    """Columns of dates that are not written like 2024-05-31, each with its format: `{admitted:
    '%d.%m.%Y'}` (Python's `strptime`)."""
    derive: dict[ColumnName, str] = Field({})
    """New columns from old ones: `log_income: log(income)`. Functions: log, log1p, exp, sqrt, abs,
    square."""
    merge: dict[NewName, Values] = Field({})
    """Classes to pool under a new name: `WithArrhythmia: [2, 3, 4]`."""
    classes: Annotated[list[ClassName], Field(min_length=2)] | None = None
    """The classes to keep, after merging; rows of the others are left out."""
    missing_target: Literal["error", "drop"] = "error"
    """What to do with rows that have no label."""
    weights: ColumnName | None = None
    """Column with sample weights for the fits (not a feature)."""
    groups: ColumnName | None = None
    """Column that says which rows belong together (a patient, a plot): no group is ever on both
    sides of a division. Not a feature unless listed in `features`."""
    time: ColumnName | None = None
    """Column with a number or a date: models are trained on what came before and tested on what
    came after. Not a feature unless listed in `features`."""
    subgroups: Subgroups = Field([])
    """Columns whose values divide the test rows, like `[sex, {column: age, bins: [40, 65]}]`: the
    models are compared in each subgroup too, and whether their difference differs. They stay
    features unless `drop` or `features` leaves them out."""
    costs: Costs | None = None
    """What each kind of error costs on these data, in place of the experiment's `costs:`."""
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")

    @model_validator(mode="after")
    def _one_kind_of_division(self) -> Self:
        if self.groups is not None and self.time is not None:
            raise said("groups and time cannot be combined: keep one of them")
        return self

    @abstractmethod
    def load(self, seed: int) -> Loaded:
        """Load the data."""

    @abstractmethod
    def inputs(self) -> Sequence[str]:
        """List the files that are read: when one is edited, the data are loaded again."""

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

    def described(self) -> dict[str, Any]:
        """Return what the card says about the source: the keys that it adds itself."""
        # of a subclass the annotations of its own keys alone
        keys = set(type(self).__annotations__)
        return self.model_dump(mode="json", include=keys, exclude_defaults=True)


@contextmanager
def blame(*place: str | int, before: str = "", after: str = "") -> Iterator[None]:
    """Attribute errors to a place, unless they name one already."""
    try:
        yield
    except Problem:
        raise
    except UserError as error:
        raise Problem(place, f"{before}{error}{after}") from error.__cause__


@contextmanager
def inside(place: Place) -> Iterator[None]:
    """Say of problems with keys of a section where in the experiment this section is."""
    try:
        yield
    except Problem as problem:
        raise problem.inside(place) from problem.__cause__


# --- tables in files

Format = Literal["csv", "tsv", "parquet", "feather", "jsonl", "excel", "stata"]
# the ending of a compressed file stands before that of the archive
ENDINGS: Mapping[str, str] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".feather": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "excel",
    ".dta": "stata",
}
"""The format that an ending tells."""


class TableKeys(SpecSection):
    """How a table is written in its file."""

    format: Format | None = Field(None, description="Default: by the ending of the name.")
    sheet: Annotated[str, Field(min_length=1)] | None = None
    """Excel: the name of the sheet; default: the first that is not hidden."""
    sep: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """CSV: what separates the values; default: a comma (TSV: a tab)."""
    header: bool = True
    """CSV, TSV: whether line 1 names the columns; if not, they are x1, x2, …"""
    skip: int = Field(0, ge=0)
    """CSV, TSV: lines before that of the names, such as a title."""
    encoding: str = Field("utf-8", description="CSV, TSV, JSON lines: the text's encoding.")
    missing_values: list[str] | None = None
    """CSV, TSV, Excel: texts that mean a missing value, beside empty ones; default: NA, N/A, NaN,
    null, None and their like."""

    decimal: Literal[".", ","] = "."
    """CSV, TSV: what stands before the decimals of a number."""


class TableData(TableKeys, DataSet):
    """A table in a file."""

    target: ColumnName = Field(description="The column to predict.")

"""Where the rows come from and what is done to them before any split."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from bakeoff.errors import shown
from bakeoff.files import locate
from bakeoff.spec.base import DOTTED, Label, Part, said, with_numbers


def _one_message(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Say once, not once for each kind of value, that none of them fits."""
    try:
        return handler(value)
    except ValidationError:
        raise said(f"expected one number or text, found {shown(value)}") from None


def _number_as_text(value: Any) -> Any:
    """Take the number of a class for its name."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


ClassName = Annotated[str | int | float | bool, WrapValidator(_one_message)]
NewName = Annotated[str, BeforeValidator(_number_as_text)]
Column = Annotated[str, Field(min_length=1)]
Params = Annotated[dict[str, Any], BeforeValidator(with_numbers)]
Values = Annotated[list[ClassName], Field(min_length=1)]
Limit = Annotated[int | float | str, WrapValidator(_one_message), BeforeValidator(with_numbers)]


def _looking_like(pattern: str, wanted: str) -> AfterValidator:
    """Make the check of a text against a pattern that says in words what is wanted."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise said(f"found {shown(text)}, expected {wanted}")
        return text

    return AfterValidator(check)


WebAddress = Annotated[
    str, _looking_like(r"https?://\S+", "a web address that starts with http:// or https://")
]
Server = Annotated[str, _looking_like(r"https?://[^\s/]+", "a server like https://www.openml.org")]
Sha256 = Annotated[
    str,
    _looking_like(r"[0-9a-f]{64}", "64 characters of 0-9 and a-f, as `sha256sum FILE` prints them"),
]


class Filter(Part):
    """Keep the rows that meet all conditions on one column."""

    column: Column = Field(description="The column that is looked at.")
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


class DataSet(Part):
    """The keys that every source shares."""

    label: Label | None = None
    positive: ClassName | None = Field(
        None,
        description="The positive class of a two-class problem; default: the last in sorted order.",
    )
    id: Column | None = Field(
        None,
        description="Column with unique row ids (not a feature); default: the row's number in the "
        "source, from 1.",
    )
    features: list[Column] | None = Field(
        None,
        min_length=1,
        description="Columns to learn from; default: all that no other key names.",
    )
    drop: list[Column] = Field([], description="Columns to leave out.")
    filter: list[Filter] = Field(
        [],
        description="Which rows to keep, before anything else is done: "
        "`[{column: age, min: 18}, {column: country, keep: [US, CA]}]`.",
    )
    derive: dict[Column, str] = Field(
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
    weights: Column | None = Field(
        None, description="Column with sample weights for the fits (not a feature)."
    )
    groups: Column | None = Field(
        None,
        description="Column that says which rows belong together (a patient, a plot): no group is "
        "ever on both sides of a division. Not a feature unless listed in `features`.",
    )
    time: Column | None = Field(
        None,
        description="Column with a number or a date: models are trained on what came before and "
        "tested on what came after. Not a feature unless listed in `features`.",
    )
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        return self

    @model_validator(mode="after")
    def _one_kind_of_division(self) -> Self:
        if self.groups is not None and self.time is not None:
            raise said("groups and time cannot be combined: keep one of them")
        return self


class SklearnData(DataSet):
    """A data set that scikit-learn ships."""

    source: Literal["sklearn"]
    name: Literal["breast_cancer", "digits", "iris", "wine"] = Field(
        description="Which of scikit-learn's built-in classification data sets."
    )


class GeneratedData(DataSet):
    """Data from one of scikit-learn's generators."""

    source: Literal["generator"]
    name: Literal["make_classification", "make_moons", "make_circles", "make_blobs"] = Field(
        description="Which generator of sklearn.datasets."
    )
    params: Params = Field({}, description="The generator's own parameters.")


class TableData(DataSet):
    """What can be said about a table in a file, wherever the file is."""

    target: Column = Field(description="The column to predict.")
    format: Literal["csv", "tsv", "parquet", "feather", "arff"] | None = Field(
        None, description="Default: by the ending of the name."
    )
    sep: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="CSV: what separates the values; default: a comma (TSV: a tab)."
    )
    header: bool = Field(
        True, description="CSV, TSV: whether line 1 names the columns; if not, they are x1, x2, …"
    )
    encoding: str = Field("utf-8", description="CSV, TSV, ARFF: the text's encoding.")
    missing_values: list[str] | None = Field(
        None,
        description="CSV, TSV: texts that mean a missing value, beside empty ones; default: NA, "
        "N/A, NaN, null, None and their like.",
    )


class FileData(TableData):
    """A table in a file."""

    source: Literal["file"]
    path: str = Field(
        description="CSV, TSV, Parquet, Feather or ARFF, also compressed (.gz, .bz2, .xz, .zip); "
        "relative to the folder `snakemake` runs in, else to the experiment file's."
    )
    test_path: str | None = Field(
        None,
        description="A second file with the same columns: the test set of the plan `holdout`. "
        "The other plans divide the rows of `path` alone.",
    )

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        found = {"path": locate(self.path, folder)}
        if self.test_path is not None:
            found["test_path"] = locate(self.test_path, folder)
        return self.model_copy(update=found)


class UrlData(TableData):
    """A table at a web address, downloaded once."""

    source: Literal["url"]
    url: WebAddress = Field(description="Address of the file, http or https.")
    sha256: Sha256 = Field(
        description="SHA-256 of the file as downloaded (`sha256sum FILE`): the run stops when the "
        "file behind the address has changed.",
    )


class OpenmlData(DataSet):
    """A data set from OpenML, downloaded once by scikit-learn's `fetch_openml`."""

    source: Literal["openml"]
    data_id: int | None = Field(None, ge=1, description="Its number on OpenML.")
    name: str | None = Field(None, min_length=1, description="Its name on OpenML.")
    version: int | None = Field(
        None, ge=1, description="With `name`: the version; default: the oldest active one."
    )
    target: Column | None = Field(
        None, description="The column to predict; default: the one OpenML names."
    )
    server: Server | None = Field(
        None,
        description="Address of another server with OpenML's interface; default: OpenML itself.",
    )

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if (self.data_id is None) == (self.name is None):
            raise said("give either `data_id` or `name` (with `version`)")
        if self.version is not None and self.name is None:
            raise said("`version` goes with `name`; a `data_id` is one version already")
        return self


class FunctionData(DataSet):
    """What a Python function returns."""

    source: Literal["function"]
    function: str = Field(
        pattern=DOTTED,
        description="Import path, e.g. mydata.load for `load` in mydata.py beside this file. It "
        "returns a DataFrame, or a DataFrame and the target.",
    )
    params: Params = Field({}, description="What the function is called with.")
    target: Column | None = Field(
        None, description="The column to predict, when the function returns a DataFrame alone."
    )


class GivenData(Part):
    """No data but what the models bring: each has `predictions:` or `scores:` of its own."""

    source: Literal["given"]
    label: Label | None = None
    positive: ClassName | None = Field(
        None,
        description="The positive class of a two-class problem; default: the last in sorted order.",
    )
    classes: Annotated[list[ClassName], Field(min_length=2)] | None = Field(
        None, description="All classes, in order; default: the true labels, sorted."
    )
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")


AnyData = Annotated[
    SklearnData | GeneratedData | FileData | UrlData | OpenmlData | FunctionData | GivenData,
    Field(discriminator="source"),
]

"""Where the rows come from and what is done to them before any split."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from bakeoff.spec.base import Label, Part

ClassName = str | int | float | bool
Column = str


class DataSet(Part):
    """The keys that every source shares."""

    label: Label | None = None
    positive: ClassName | None = Field(
        None,
        description="The positive class of a two-class problem; default: the last in sorted order.",
    )
    id: Column | None = Field(
        None, description="Column with unique row ids (not a feature); default: the row number."
    )
    features: list[Column] | None = Field(
        None, min_length=1, description="Columns to learn from; default: all but target and id."
    )
    drop: list[Column] = Field([], description="Columns to leave out.")
    derive: dict[Column, str] = Field(
        {},
        description="New columns from old ones: `log_income: log(income)`. Functions: log, log1p, "
        "exp, sqrt, abs, square.",
    )
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")


class SklearnData(DataSet):
    """A data set that scikit-learn ships."""

    source: Literal["sklearn"]
    name: Literal["breast_cancer", "digits", "iris", "wine"] = Field(
        description="Which of scikit-learn's built-in classification data sets."
    )


class FileData(DataSet):
    """A table in a file."""

    source: Literal["file"]
    path: str = Field(
        description="CSV, TSV or Parquet, also compressed (.gz, .bz2, .xz, .zip); relative to the "
        "folder `snakemake` runs in, or to the experiment file."
    )
    target: Column = Field(description="The column to predict.")
    missing_target: Literal["error", "drop"] = Field(
        "error", description="What to do with rows that have no label."
    )


class GeneratedData(DataSet):
    """Data from one of scikit-learn's generators."""

    source: Literal["generator"]
    name: Literal["make_classification", "make_moons", "make_circles", "make_blobs"] = Field(
        description="Which generator of sklearn.datasets."
    )
    params: dict[str, Any] = Field({}, description="The generator's own parameters.")


AnyData = Annotated[SklearnData | FileData | GeneratedData, Field(discriminator="source")]

"""The keys of a table in a file, wherever the file is, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from bakeoff.keys import SpecSection, said
from bakeoff.sources.common.base import ColumnName, DataSet

Format = Literal["csv", "tsv", "parquet", "feather", "jsonl", "excel", "stata"]
ENDINGS: Mapping[str, str] = {
    **{f".{name}": name for name in ("csv", "tsv", "parquet", "feather", "jsonl")},
    ".ndjson": "jsonl",
    ".xlsx": "excel",
    ".dta": "stata",
}
"""The format that an ending tells."""
_READ_BY = {
    "database": "pandas.read_sql",
    **dict.fromkeys(("arff", ".arff"), "scipy.io.arff.loadarff"),
    **dict.fromkeys(("spss", ".sav"), "pandas.read_spss"),
    **dict.fromkeys(("sas", "xport", ".sas7bdat", ".xpt"), "pandas.read_sas"),
    **dict.fromkeys(("libsvm", ".libsvm", ".svm"), "sklearn.datasets.load_svmlight_file"),
}
"""What reads sources, formats and endings that were read here before."""


def instead_of(name: str) -> str:
    """Say what to use instead of a source, format or ending that was read here before."""
    reader = _READ_BY.get(name)
    return f"; use `source: function` with a function that calls {reader}" if reader else ""


class TableKeys(SpecSection):
    """How a table is written in its file."""

    format: Format | None = Field(None, description="Default: by the ending of the name.")
    sheet: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="Excel: the name of the sheet; default: the first one."
    )
    sep: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="CSV: what separates the values; default: a comma (TSV: a tab)."
    )
    header: bool = Field(
        True, description="CSV, TSV: whether line 1 names the columns; if not, they are x1, x2, …"
    )
    skip: int = Field(
        0, ge=0, description="CSV, TSV: lines before that of the names, such as a title."
    )
    encoding: str = Field("utf-8", description="CSV, TSV, JSON lines: the text's encoding.")
    missing_values: list[str] | None = Field(
        None,
        description="CSV, TSV, Excel: texts that mean a missing value, beside empty ones; default: "
        "NA, N/A, NaN, null, None and their like.",
    )

    decimal: Literal[".", ","] = Field(
        ".", description="CSV, TSV: what stands before the decimals of a number."
    )
    thousands: Literal[",", ".", " ", "'"] | None = Field(
        None, description="CSV, TSV: what stands between the thousands of a number."
    )

    @model_validator(mode="after")
    def _readable_numbers(self) -> Self:
        if self.decimal == self.thousands:
            raise said(f"`decimal` and `thousands` cannot both be {self.decimal!r}")
        return self


class TableData(TableKeys, DataSet):
    """A table in a file."""

    target: ColumnName = Field(description="The column to predict.")

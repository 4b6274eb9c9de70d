"""Subgroups of the rows of a comparison, from the arguments `subgroups` and `bins`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pydantic import ValidationError

from bakeoff.api.alignment import Rows, by_name, one_column
from bakeoff.errors import UserError, unknown
from bakeoff.sources.common.subgroups import SubgroupColumn


@dataclasses.dataclass(frozen=True)
class Parts:
    """Columns that divide the rows."""

    columns: Mapping[str, Any]
    bins: Mapping[str, Sequence[float]]

    @classmethod
    def taken(cls, subgroups: Any, bins: Any) -> Parts:
        """Take the arguments `subgroups` and `bins` of a comparison."""
        wanted = "columns by their names: {'sex': …}, or a DataFrame"
        given = by_name("subgroups", subgroups, wanted)
        columns = {str(column): values for column, values in given.items()}
        for column in bins:
            if column not in columns:
                raise UserError(f"bins: {unknown('column', str(column), columns)}")
        return cls(columns, bins)

    @property
    def arguments(self) -> dict[str, Any]:
        """The columns by their names in messages."""
        return {_called(column): values for column, values in self.columns.items()}

    def columns_of(self, rows: Mapping[str, Rows]) -> dict[str, pd.Series[Any]]:
        """Return the columns themselves."""
        return {c: one_column(_called(c), rows[_called(c)]) for c in self.columns}

    @property
    def wanted(self) -> list[SubgroupColumn]:
        """The columns, and where they are cut."""
        return [self._column(column) for column in self.columns]

    def _column(self, name: str) -> SubgroupColumn:
        cuts = self.bins.get(name)
        try:
            return SubgroupColumn(column=name, bins=None if cuts is None else list(cuts))
        except (ValidationError, TypeError):
            raise UserError(
                f"bins: found {cuts!r} for {name!r}, expected numbers in ascending order"
            ) from None


def _called(column: str) -> str:
    return f"subgroups[{column!r}]"


NO_PARTS = Parts({}, {})

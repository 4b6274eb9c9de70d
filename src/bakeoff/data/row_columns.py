"""Columns kept per row for comparisons: subgroups, and inputs of the user's own metrics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from pandas.api import types

from bakeoff.data import columns
from bakeoff.errors import Place, Problem, UserError, unknown
from bakeoff.sources.common.identifiers import names
from bakeoff.sources.common.subgroups import SubgroupColumn
from bakeoff.spec.row_columns import RowColumns

SUBGROUP, TAKEN = ":subgroup:", ":column:"
"""How columns that are carried along begin; no model is called so."""
MISSING = "(missing)"
"""The subgroup of rows without a value."""
MOST_SUBGROUPS = 30
MOST_CODES = 10
"""With more different numbers a column is no code of subgroups: it must be cut."""


def carry(frame: pd.DataFrame, wanted: RowColumns, place: Place) -> pd.DataFrame:
    """Return the columns that are carried along with the rows."""
    found = {}
    for i, one in enumerate(wanted.subgroups):
        at = (*place, i)
        if one.column not in frame.columns:
            raise Problem(at, unknown("column", one.column, map(str, frame.columns)))
        found[f"{SUBGROUP}{one.column}"] = _subgroups(frame[one.column], one, at)
    for name in wanted.taken:
        if name not in frame.columns:
            raise Problem(("metrics",), unknown("column", name, map(str, frame.columns)))
        found[f"{TAKEN}{name}"] = columns.plain(frame[name])
    return pd.DataFrame(found, index=frame.index)


def _subgroups(values: columns.Series, one: SubgroupColumn, at: Place) -> columns.Series:
    """Name the subgroup of each row."""
    try:
        plain = columns.plain(values)
    except UserError as error:
        raise Problem(at, f"column {one.column!r} {error}") from None
    number = types.is_numeric_dtype(plain.dtype)
    different = int(plain.nunique())
    if one.bins is not None:
        if not number:
            raise Problem((*at, "bins"), f"column {one.column!r} holds no numbers to cut")
        order, texts = _cut(plain, one.bins)
    else:
        if number and not types.is_bool_dtype(values.dtype) and different > MOST_CODES:
            low, high = plain.min(), plain.max()
            middle = f"{(low + high) / 2:.3g}"
            raise Problem(
                at,
                f"column {one.column!r} holds {different:,} different numbers from {low:g} to "
                f"{high:g}: say where to cut them, `{{column: {one.column}, bins: [{middle}]}}`; "
                f"on the command line `{one.column}:{middle}`, in Python "
                f"`bins={{{one.column!r}: [{middle}]}}`",
            )
        order, texts = columns.sorted_names(values), names(values)
    if texts.nunique() > MOST_SUBGROUPS:
        raise Problem(
            at,
            f"column {one.column!r} has {texts.nunique():,} different values, {MOST_SUBGROUPS} at "
            "most make subgroups: pool some, or name another column",
        )
    texts = texts.where(plain.notna(), MISSING)
    if texts.nunique() < 2:
        whole = f"puts all rows into one subgroup, {texts.iloc[0]!r}"
        raise Problem(at, f"column {one.column!r} {whole}")
    categories = [*dict.fromkeys([*order, MISSING])]
    return pd.Series(pd.Categorical(texts, categories), index=values.index)


def _cut(values: columns.Series, bins: Sequence[float]) -> tuple[list[str], columns.Series]:
    """Name the intervals, and that of each number."""
    names = [f"below {bins[0]:g}"]
    names += [f"{low:g} to below {high:g}" for low, high in pairwise(bins)]
    names.append(f"{bins[-1]:g} or more")
    at = np.searchsorted(bins, values.to_numpy(np.float64), side="right")
    return names, pd.Series(np.array(names, dtype=object)[at], index=values.index)

"""Guess the contents of a table: classes, ids, groups, dates, leakage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from bakeoff.data.describe import (
    LIKE_AN_ID,
    NAMED,
    date_formats,
    is_date,
    is_nested,
    is_running_number,
    why_groups,
)
from bakeoff.data.target import Positive, looks_like_a_quantity, positive_of
from bakeoff.errors import UserError
from bakeoff.report.numbers import count, number
from bakeoff.sources.common.identifiers import names

FEWEST = 4
"""Rows of a class: two in each half of each replication."""
IMBALANCED = 0.4
"""Below this share of an even class's rows, accuracy says little of the rarest class."""

_MOST_NUMBERED = 10
"""Whole numbers of which more are different may be a quantity."""
_LIKE_A_QUANTITY = re.compile(r"(?i)(^|_)(rating|stars|score|count|age|quality|rings)s?$")
_ROUNDING = 1e-9


class Guess(NamedTuple):
    """The guessed contents of a table."""

    counts: Mapping[str, int]
    unlabelled: int
    id: str | None
    groups: str | None
    drop: Mapping[str, str]
    dates: Mapping[str, Sequence[str]]
    """Columns of dates, with the formats in which they may be written where not like 2024-05-31."""
    numbers: str = ""

    def without_groups(self) -> Guess:
        """Leave out the column of groups, which cannot be kept together."""
        reason = {str(self.groups): "an id that repeats: see `groups`"}
        return self._replace(groups=None, drop={**self.drop, **reason})

    @property
    def kept(self) -> list[str]:
        """The classes with enough rows to be divided."""
        return [name for name, n in self.counts.items() if n >= FEWEST]

    @property
    def rare(self) -> list[str]:
        """The classes with too few rows."""
        return [name for name in self.counts if name not in self.kept]

    @property
    def rarest(self) -> int:
        """Rows of the rarest class that is kept."""
        return min(self.counts[name] for name in self.kept)

    @property
    def share(self) -> float:
        """The share of the rarest class that is kept."""
        return self.rarest / sum(self.counts[name] for name in self.kept)

    @property
    def imbalanced(self) -> bool:
        """Whether the rarest class is so rare that accuracy says little of it."""
        return self.share < IMBALANCED / len(self.kept)

    @property
    def positive(self) -> Positive:
        """The positive class of two, and why it seems so."""
        return positive_of({name: self.counts[name] for name in self.kept})


def look(frame: pd.DataFrame, target: str, task: str | None = None) -> Guess:
    """Guess what the columns are."""
    labels = frame[target].dropna()
    if is_nested(labels):
        raise UserError(f"{target!r} holds lists or mappings, not one class in each row")
    if labels.empty:
        raise UserError(f"every value of {target!r} is missing: nothing to predict")
    counts = names(labels).value_counts()
    numbers = task == "regression" or (task is None and looks_like_a_quantity(labels))
    if numbers and not pd.api.types.is_numeric_dtype(labels.dtype):
        raise UserError(f"--task: {target!r} holds texts, which are classes and no numbers")
    if task is None and not numbers and (why := _in_doubt(labels, target, len(counts))):
        raise UserError(
            f"--task: {target!r} {why}: are these numbers, to be predicted as a quantity "
            "(`--task regression`), or classes (`--task classification`)?"
        )
    id_column, groups, drop = _columns(frame, target, numbers=numbers)
    kept = [c for c in frame.columns if c not in (target, id_column, groups)]
    dates = {c: date_formats(frame[c]) for c in kept if not is_nested(frame[c])}
    dates = {c: formats for c, formats in dates.items() if formats or is_date(frame[c])}
    guess = Guess(
        {} if numbers else {str(name): int(n) for name, n in counts.items()},
        int(frame[target].isna().sum()),
        id_column,
        groups,
        drop | dict.fromkeys(dates, "a date, which orders the rows: see `time`"),
        dates,
        f"{number(labels.min())} to {number(labels.max())}" if numbers else "",
    )
    if not numbers and len(guess.kept) < 2:
        missing = f", and {count(guess.unlabelled, 'row')} without a label" * bool(guess.unlabelled)
        raise UserError(
            f"{target!r} has {count(len(guess.kept), 'class', 'classes')} with {FEWEST} rows or "
            f"more{missing}; comparing classifiers needs two"
        )
    return guess


def _in_doubt(labels: pd.Series[Any], target: str, different: int) -> str:
    """Say why whole numbers may be a quantity as well as classes; empty if they are none."""
    if not pd.api.types.is_numeric_dtype(labels.dtype) or different <= 2:
        return ""
    if different > _MOST_NUMBERED:
        return f"has {different} different whole numbers"
    return "is called like a quantity" if _LIKE_A_QUANTITY.search(target) else ""


def _columns(
    frame: pd.DataFrame, target: str, *, numbers: bool
) -> tuple[str | None, str | None, dict[str, str]]:
    """Find the columns of ids and groups, and columns to exclude from the features."""
    id_column = groups = None
    drop: dict[str, str] = {}
    labels = frame[target]
    for column in (c for c in frame.columns if c != target):
        values = frame[column]
        if is_nested(values):
            drop[column] = "lists or mappings, not one value in each row"
            continue
        distinct = values.nunique()
        unique = distinct == len(values)
        like_an_id = bool(LIKE_AN_ID.search(column)) and not pd.api.types.is_float_dtype(values)
        if unique and like_an_id:
            if id_column is None:
                id_column = column
            else:
                drop[column] = "a different value in every row, like an id"
        elif unique and not pd.api.types.is_numeric_dtype(values) and len(values) >= 20:
            drop[column] = "a different value in every row, like an id"
        elif distinct <= 1:
            drop[column] = "the same value in every row"
        elif like_an_id and is_running_number(values, column):
            drop[column] = "a running number"
        elif why_groups(values, column) == NAMED:
            if groups is None:
                groups = column
            else:
                drop[column] = "an id that repeats, like `groups`"
        elif (_is_linear if numbers else _is_one_to_one)(values, labels):
            drop[column] = f"says what {target} is"
    return id_column, groups, drop


def _is_linear(values: pd.Series[Any], labels: pd.Series[Any]) -> bool:
    """Tell whether a column is the target in another unit."""
    return pd.api.types.is_numeric_dtype(values) and abs(values.corr(labels)) > 1 - _ROUNDING


def _is_one_to_one(values: pd.Series[Any], labels: pd.Series[Any]) -> bool:
    if values.nunique() != labels.nunique():
        return False
    present = values.notna() & labels.notna()
    pairs = pd.DataFrame({"value": values[present], "label": labels[present]}).drop_duplicates()
    return len(pairs) == pairs["value"].nunique() == pairs["label"].nunique()


def told(guess: Guess, keys: Mapping[str, Any]) -> Iterator[str]:
    """Say each guess, and what to write instead."""
    for key, value in keys.items():
        if key == "format":
            continue
        yield (
            f"{key}: {value!r} (guessed from the file)"
            if key != "encoding"
            else (f"encoding: {value} (--encoding says another)")
        )
    if guess.numbers:
        yield f"the target is a quantity, {guess.numbers}; `--task` says otherwise"
    else:
        yield f"{len(guess.kept)} classes, the rarest with {count(guess.rarest, 'row')}"
    if len(guess.kept) == 2:
        positive, why = guess.positive
        yield f"the positive class is {positive!r} ({why}); else write `positive:`"
    if guess.rare:
        rows = sum(guess.counts[name] for name in guess.rare)
        yield (
            f"leaves out {count(rows, 'row')} of classes with fewer than {FEWEST}: "
            f"{', '.join(guess.rare)}; `merge:` pools classes"
        )
    if guess.unlabelled:
        yield f"leaves out {count(guess.unlabelled, 'row')} without a label"
    if guess.id is not None:
        yield f"row ids in {guess.id!r} (guessed)"
    if guess.groups is not None:
        yield (
            f"rows with one {guess.groups!r} are kept together (guessed); if they do not belong "
            "together, delete `groups:`"
        )
    for column in guess.dates:
        yield (
            f"{column!r} holds dates: to train on the past and test on what follows, write "
            f"`time: {column}`"
        )

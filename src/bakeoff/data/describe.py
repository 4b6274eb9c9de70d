"""What data look like: kinds of columns, ids of groups, columns that tell the class, repeats."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from bakeoff.data.columns import Series, distinct
from bakeoff.errors import joined
from bakeoff.keys import alike_classes, spelled

Rows = NDArray[np.intp]
Hashes = NDArray[np.uint64]

# columns of ids
LIKE_AN_ID = re.compile(
    r"(?i:(^|[_\W])(id|ids|key|uuid|guid|index|row|rownum|nr|no|number)$|^unnamed)"
    r"|(?<=[a-z])(Id|ID|IDs|Key|UUID|Number|No|Nr|Index)$"
)
_GROUPS = (
    "patient|subject|person|customer|user|client|household|family|animal|site|plot|station"
    "|participant|student|school|hospital|device|machine|session|speaker|group"
)
_NAMES_A_GROUP = re.compile(f"(?i:{_GROUPS})")
_IS_A_GROUP = re.compile(f"(?i:(^|[_\\W])({_GROUPS})s?$)|(?<=[a-z])({_GROUPS.title()})s?$")
_COUNTS = re.compile(
    r"(?i:(^|[_\W])(index|row|rownum|nr|no|number)$|^unnamed)|(?<=[a-z])(Number|No|Nr|Index)$"
)
_STEPS = 0.8
"""Share of the rows that follow their predecessor by one, where a column numbers them."""
NAMED = "it is named like an id"
BLOCKS = "the rows of each value stand together"
_FEWEST_GROUPS = 10
"""Groups, where the name says what they are, or where rows stand together."""
_FEWEST_IDS = 20
"""Groups, where the name says no more than that they are ids."""
_NEARLY_UNIQUE = 0.95
"""Share of different values from which on ids are those of rows."""

# how columns are written
_FEW_ROWS = 20
"""Below so many rows, values that differ in every row say little."""
_MOSTLY = 0.8
"""Share of numbers among texts from which on the column is meant to be one of numbers."""
_NUMBER = re.compile(
    r"[-+]?(\d+|\d{1,3}([.,' ]\d{3})+)([.,]\d+)?([eE][-+]?\d+)?\s*%?|[-+]?\.\d+\s*%?"
)
_SIGNS = re.compile(
    r"(?i)[-+]?\s*([$€£¥%‰]|usd|eur|gbp|chf|kr)\s*|\s*([$€£¥%‰]|usd|eur|gbp|chf|kr)"
)
"""Signs of currencies and shares before or behind a number."""
_PLAIN = re.compile(r"[-+]?\d+([.,]\d+)?")
_CODE = re.compile(r"0\d+")
LIKE_MISSING = re.compile(
    r"(?i)[?.*\-–—/_#x\s]+|#?n[./]?[ad]\.?|k\.\s?a\.?|none|nil|null|nan|void"
    "|not (available|known|given)"
)
_DAYS = (
    "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d",
    "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y",
)  # fmt: skip
_TIMES = ("", " %H:%M", " %H:%M:%S")
_ISO = re.compile(r"\d{4}-\d{2}(-\d{2})?.*")
_ISO_DAY = r"\d{4}-\d{2}(-\d{2})?"

# columns that tell the class
NEARLY_ALL = 0.98
"""A column is told of where it gets so much of what the most frequent class leaves wrong."""
_MOST_ROWS = 20_000
_MOST_VALUES = 64

# rows that repeat others
_TOGETHER = 1 << 16
"""Rows that are hashed at once: what it takes on the way stays in the processor's cache."""
_STEP_OF_COLUMNS = 0x9E3779B97F4A7C15
_SPLITMIX64 = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""Shifts and factors of splitmix64."""


# --- columns that look like ids of groups


def group_columns(frame: pd.DataFrame, without: Iterable[str]) -> list[dict[str, Any]]:
    """List the columns that look like ids of groups."""
    excluded = set(without)
    found = []
    for name, values in frame.items():
        if name in excluded:
            continue
        why = why_groups(values, str(name))
        if why:
            found.append({"column": str(name), "groups": int(values.nunique()), "why": why})
    return found


def named_like_groups(table: pa.Table, names: Iterable[str]) -> list[dict[str, Any]]:
    """List those of some columns of a table that are named, and look, like ids of groups."""
    likely = [name for name in names if _is_named_like_groups(name)]
    if not likely:
        return []
    return group_columns(table.select(likely).to_pandas(), ())


def _is_named_like_groups(name: str) -> bool:
    """Tell whether a column is called like an id, or like what groups are."""
    return bool(LIKE_AN_ID.search(name) or _IS_A_GROUP.search(name))


def like_ids(table: pa.Table, names: Iterable[str]) -> list[str]:
    """Name those of some columns that look like ids of groups or rows, not like measurements."""
    names = list(names)
    ids = [group["column"] for group in named_like_groups(table, names)]
    for name in names:
        if not pa.types.is_integer(table.schema.field(name).type):
            continue
        if counts_up(table.column(name).to_pandas()):
            ids.append(name)
    return list(dict.fromkeys(ids))


def why_groups(values: Series, name: str) -> str:
    """Explain why a column looks like a group id; empty if it does not."""
    if is_nested(values) or (types.is_float_dtype(values.dtype) and not _whole(values)):
        return ""
    n_values = values.nunique()
    if values.isna().any() or n_values >= _NEARLY_UNIQUE * len(values):
        return ""
    if is_running_number(values, name):
        return ""
    if _is_named_like_groups(name):
        fewest = _FEWEST_IDS
        if _NAMES_A_GROUP.search(name):
            fewest = _FEWEST_GROUPS
        if n_values >= fewest:
            return NAMED
    if _FEWEST_GROUPS <= n_values <= len(values) / 2 and _stand_together(values, n_values):
        return BLOCKS
    return ""


def _stand_together(values: Series, n_values: int) -> bool:
    """Tell whether the rows of each value stand together, and numbers count the blocks."""
    codes = pd.factorize(values)[0]
    n_blocks = np.count_nonzero(np.diff(codes)) + 1
    if n_blocks != n_values or types.is_datetime64_any_dtype(values.dtype):
        return False
    if not types.is_numeric_dtype(values.dtype):
        return True
    low = values.min()
    high = values.max()
    return bool(low in (0, 1) and high - low + 1 == n_values)


def is_nested(values: Series) -> bool:
    """Tell whether a column holds lists or mappings, as JSON and Parquet allow."""
    nested = (dict, list, tuple, set, np.ndarray)
    return values.dtype == object and any(isinstance(value, nested) for value in values)


def is_running_number(values: Series, name: str) -> bool:
    """Tell whether a column numbers rows, by its values or its name."""
    # Numbers that start again (in each file, in each visit) repeat, but not for what they count.
    if counts_up(values):
        return True
    if not _COUNTS.search(name) or _NAMES_A_GROUP.search(name):
        return False
    if not _numbers_without_gaps(values):
        return False
    return bool(values.min() in (0, 1) and values.nunique() > values.max() - 1)


def counts_up(values: Series) -> bool:
    """Tell whether most rows follow their predecessor by one, once or from 1 again and again."""
    if not _numbers_without_gaps(values):
        return False
    steps = np.diff(values.to_numpy(dtype=np.float64))
    return bool((steps == 1).mean() >= _STEPS)


def _numbers_without_gaps(values: Series) -> bool:
    """Tell whether a column holds whole numbers, none of them missing."""
    if not types.is_numeric_dtype(values.dtype) or values.isna().any() or len(values) < 2:
        return False
    return not types.is_bool_dtype(values.dtype) and _whole(values)


def _whole(values: Series) -> bool:
    """Tell whether all numbers are whole, looking at the first ones first."""
    present = values.dropna()
    if not (present.iloc[:1000] % 1 == 0).all():
        return False
    return bool((present % 1 == 0).all())


# --- how columns are written


def describe(features: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Describe each column: its kind, its values, and what is odd about it."""
    described: dict[str, dict[str, Any]] = {}
    for name, values in features.items():
        n_values = distinct(values)
        column = {
            "kind": kind_of(values),
            "missing": int(values.isna().sum()),
            "distinct": n_values,
        }
        remark = _remark(values, n_values)
        if remark is not None:
            column["remark"] = remark
        described[str(name)] = column
    return described


def kind_of(values: Series) -> str:
    """Tell whether a column holds numbers, dates or categories."""
    if types.is_datetime64_any_dtype(values.dtype):
        return "date"
    if types.is_numeric_dtype(values.dtype):
        return "number"
    return "category"


def _remark(values: Series, n_values: int) -> list[str] | None:
    """Say what is odd about a column: the kind of the remark, and what was found."""
    is_unique = n_values == len(values) >= _FEW_ROWS
    kind = kind_of(values)
    if kind == "number":
        if is_unique and _whole(values):
            return ["unique", ""]
        return None
    if kind == "date":
        return None
    counts = values.dropna().astype(str).value_counts()
    odd = _odd_texts(values, counts)
    if odd is not None:
        return odd
    if is_unique:
        return ["unique", ""]
    alike = alike_classes(counts.index)
    if alike:
        return ["alike", joined(spelled(alike[0]))]
    return None


def _odd_texts(values: Series, counts: pd.Series[int]) -> list[str] | None:
    """Say of texts, with their counts, that they are damaged, dates, numbers or missing values."""
    texts = list(counts.index)
    damaged = [text for text in texts if "\0" in text]
    if damaged:
        return ["nul", f"in {int(counts[damaged].sum()):,} rows"]
    formats = date_formats(values)
    if formats:
        return ["dates", f"{texts[0]!r}: {' or '.join(map(repr, formats))}"]
    numbers = _numbers_in(counts)
    if numbers is not None:
        return numbers
    for text in texts:
        if LIKE_MISSING.fullmatch(text.strip()):
            return ["missing", f"{text!r} in {int(counts[text]):,} rows"]
    return None


def _numbers_in(counts: pd.Series[int]) -> list[str] | None:
    """Say of texts, with their counts, that they are numbers but for how they are written."""
    texts = list(counts.index)
    numbers = []
    for text in texts:
        without_signs = _SIGNS.sub("", text.strip())
        if _NUMBER.fullmatch(without_signs.strip()):
            numbers.append(text)
    n_rows = int(counts[numbers].sum())
    if not numbers or n_rows < _MOSTLY * counts.sum():
        return None
    others = counts.drop(numbers)
    if len(others):
        few = f"{int(others.sum()):,} of {counts.sum():,} are none"
        return ["numbers", f"{few}: {others.index[0]!r}"]
    if any(_CODE.fullmatch(text) for text in texts):  # zip codes, which are categories
        return None
    kind = "written"
    if all(_PLAIN.fullmatch(text.strip()) for text in texts):
        kind = "numbers"
    return [kind, f"like {texts[0]!r}"]


def numbers_as_texts(values: Series) -> bool:
    """Tell whether a column of texts holds numbers, however they are written."""
    if kind_of(values) != "category":
        return False
    return _numbers_in(values.dropna().astype(str).value_counts()) is not None


def date_formats(values: Series) -> list[str]:
    """List the formats in which all texts of a column are dates; none of ISO dates or numbers."""
    texts = values.dropna().astype(str).str.strip().unique()
    if not len(texts) or _ISO.fullmatch(texts[0]) or not any(map(str.isdigit, texts[0])):
        return []
    fitting = []
    for day in _DAYS:
        for time in _TIMES:
            date_format = day + time
            # most formats fail at the first text
            if _are_dates(texts[:1], date_format) and _are_dates(texts, date_format):
                fitting.append(date_format)
    return fitting


def _are_dates(texts: Any, date_format: str) -> bool:
    dates = pd.to_datetime(pd.Series(texts), format=date_format, errors="coerce")
    return bool(dates.notna().all())


def is_date(values: Series) -> bool:
    """Tell whether a column holds dates, or texts like 2024-05-31."""
    if kind_of(values) != "category":
        return kind_of(values) == "date"
    texts = values.dropna().astype(str)
    if texts.empty or not texts.str.match(_ISO_DAY).all():
        return False
    return bool(pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True).notna().all())


# --- columns that tell the class


def telling_columns(features: pd.DataFrame, target: Series) -> dict[str, float]:
    """Map columns whose value alone gives the class of nearly every row to the share of rows."""
    step = -(-len(target) // _MOST_ROWS)
    classes = pd.factorize(target.iloc[::step])[0]
    most_frequent = float(np.bincount(classes).max() / len(classes))
    telling: dict[str, float] = {}
    if most_frequent == 1:
        return telling
    for name in features.columns:
        values = features[name].iloc[::step]
        if types.is_numeric_dtype(values.dtype) and values.nunique() > _MOST_VALUES:
            share = _share_of_neighbours(values, classes)
        else:
            share = _share_of_values(values, classes)
        if share - most_frequent >= NEARLY_ALL * (1 - most_frequent):
            telling[str(name)] = share
    return telling


def _share_of_neighbours(values: Series, classes: Rows) -> float:
    """Return the share of rows that have the class of a neighbour in the order of a column."""
    # equal values in no order, that of the file may be that of the classes
    mixed = np.random.default_rng(0).permutation(len(values))
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    ordered = classes[mixed[np.argsort(numbers[mixed], kind="stable")]]
    same = ordered[1:] == ordered[:-1]
    like_next = np.append(same, False)
    like_last = np.append(False, same)
    return float((like_next | like_last).mean())


def _share_of_values(values: Series, classes: Rows) -> float:
    """Return the share of rows that have the most frequent class of other rows of their value."""
    codes = pd.factorize(values)[0] + 1
    counts = np.zeros((codes.max() + 1, classes.max() + 1), dtype=np.int64)
    np.add.at(counts, (codes, classes), 1)
    first, second = np.sort(counts, axis=1)[:, :-3:-1].T
    # without the row itself its class must still have as many rows as any other
    enough = first - 1 >= np.maximum(second, 1)
    return float(first[enough].sum() / len(classes))


# --- rows that repeat others


def row_digests(features: pd.DataFrame) -> Hashes:
    """Return a number for each row, the same for rows that are alike in every feature."""
    n, width = features.shape
    if not width:
        return np.arange(n, dtype=np.uint64)
    digests = np.zeros(n, dtype=np.uint64)
    for column in _hashes(features):
        digests += column
    return digests


def pairs_by_chance(features: pd.DataFrame) -> float:
    """Return how many pairs of repeated rows independent features make."""
    n = len(features)
    # a pair is alike in a column with the probability Σ p², p the shares of its values
    logs = []
    for column in _hashes(features):
        shares = np.unique(column, return_counts=True)[1] / n
        logs.append(math.log(float(np.square(shares).sum())))
    if not logs:
        return 0.0
    return n * (n - 1) / 2 * math.exp(math.fsum(logs))


def _hashes(features: pd.DataFrame) -> Iterator[Hashes]:
    """Hash one column at a time; the same value in another column has an unrelated hash."""
    for place, (_, values) in enumerate(features.items()):
        # sums of hashes stand for rows, so that they must not be linear in the place
        of_place = np.uint64((place + 1) * _STEP_OF_COLUMNS % 2**64)
        hashes = np.empty(len(values), dtype=np.uint64)
        for start in range(0, len(values), _TOGETHER):
            part = values.iloc[start : start + _TOGETHER]
            if types.is_numeric_dtype(part.dtype):
                numbers = part.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # no -0.0
                mixed = _mix(numbers.view(np.uint64))
            else:
                mixed = np.array(pd.util.hash_pandas_object(part, index=False), np.uint64)
            mixed += of_place
            hashes[start : start + _TOGETHER] = _mix(mixed)
        yield hashes


def _mix(bits: Hashes) -> Hashes:
    """Mix the bits of each number where it stands (splitmix64)."""
    for shift, factor in _SPLITMIX64:
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return bits

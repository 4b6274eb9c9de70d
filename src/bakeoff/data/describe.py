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
_FEWEST = {True: 10, False: 20}
"""Groups, where the name says what they are, and where it does not."""


def group_columns(frame: pd.DataFrame, without: Iterable[str]) -> list[dict[str, Any]]:
    """List the columns that look like ids of groups."""
    excluded = set(without)
    return [
        {"column": str(name), "groups": int(values.nunique()), "why": why}
        for name, values in frame.items()
        if name not in excluded and (why := why_groups(values, str(name)))
    ]


def named_like_groups(table: pa.Table, names: Iterable[str]) -> list[dict[str, Any]]:
    """List those of some columns of a table that are named, and look, like ids of groups."""
    likely = [name for name in names if LIKE_AN_ID.search(name) or _IS_A_GROUP.search(name)]
    return group_columns(table.select(likely).to_pandas(), ()) if likely else []


def like_ids(table: pa.Table, names: Iterable[str]) -> list[str]:
    """Name those of some columns that look like ids of groups or rows, not like measurements."""
    names = list(names)
    ids = [group["column"] for group in named_like_groups(table, names)]
    whole = [name for name in names if pa.types.is_integer(table.schema.field(name).type)]
    numbers = table.select(whole).to_pandas()
    ids += [name for name in whole if counts_up(numbers[name])]
    return list(dict.fromkeys(ids))


def why_groups(values: Series, name: str) -> str:
    """Explain why a column looks like a group id; empty if it does not."""
    if is_nested(values) or (types.is_float_dtype(values.dtype) and not _whole(values)):
        return ""
    distinct = values.nunique()
    if values.isna().any() or distinct >= 0.95 * len(values) or is_running_number(values, name):
        return ""
    named = LIKE_AN_ID.search(name) or _IS_A_GROUP.search(name)
    if named and distinct >= _FEWEST[bool(_NAMES_A_GROUP.search(name))]:
        return NAMED
    if not 10 <= distinct <= len(values) / 2:
        return ""
    # the rows of each value stand together, and the values count the blocks
    codes = pd.factorize(values)[0]
    if np.count_nonzero(np.diff(codes)) + 1 != distinct:
        return ""
    if types.is_numeric_dtype(values.dtype):
        low, high = values.min(), values.max()
        return BLOCKS if low in (0, 1) and high - low + 1 == distinct else ""
    return "" if types.is_datetime64_any_dtype(values.dtype) else BLOCKS


def is_nested(values: Series) -> bool:
    """Tell whether a column holds lists or mappings, as JSON and Parquet allow."""
    nested = dict, list, tuple, set, np.ndarray
    return values.dtype == object and any(isinstance(value, nested) for value in values)


def is_running_number(values: Series, name: str) -> bool:
    """Tell whether a column numbers rows, by its values or its name."""
    # Numbers that start again (in each file, in each visit) repeat, but not for what they count.
    if counts_up(values):
        return True
    named = _COUNTS.search(name) and not _NAMES_A_GROUP.search(name)
    if not named or not _numbers_without_gaps(values):
        return False
    return bool(values.min() in (0, 1) and values.nunique() > values.max() - 1)


def counts_up(values: Series) -> bool:
    """Tell whether most rows follow their predecessor by one, once or from 1 again and again."""
    if not _numbers_without_gaps(values):
        return False
    return bool((np.diff(values.to_numpy(dtype=np.float64)) == 1).mean() >= _STEPS)


def _numbers_without_gaps(values: Series) -> bool:
    if not types.is_numeric_dtype(values.dtype) or values.isna().any() or len(values) < 2:
        return False
    return not types.is_bool_dtype(values.dtype) and _whole(values)


def _whole(values: Series) -> bool:
    present = values.dropna()
    return all(bool((some % 1 == 0).all()) for some in (present.iloc[:1000], present))


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
_ALIKE = {"y": "yes", "n": "no", "t": "true", "f": "false"}
_DAYS = (
    *("%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y"),
)
_FORMATS = tuple(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S"))
_ISO = re.compile(r"\d{4}-\d{2}(-\d{2})?.*")


def describe(features: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Describe each column: its kind, its values, and what is odd about it."""
    described: dict[str, dict[str, Any]] = {}
    for name, values in features.items():
        column = {"kind": kind_of(values), "missing": int(values.isna().sum())}
        column["distinct"] = different = distinct(values)
        if remark := _remark(values, different):
            column["remark"] = remark
        described[str(name)] = column
    return described


def kind_of(values: Series) -> str:
    """Tell whether a column holds numbers, dates or categories."""
    if types.is_datetime64_any_dtype(values.dtype):
        return "date"
    return "number" if types.is_numeric_dtype(values.dtype) else "category"


def _remark(values: Series, different: int) -> list[str] | None:
    """Say what is odd about a column: the kind of the remark, and what was found."""
    unique = different == len(values) >= _FEW_ROWS
    if types.is_numeric_dtype(values.dtype):
        return ["unique", ""] if unique and _whole(values) else None
    if kind_of(values) == "date":
        return None
    counts = values.dropna().astype(str).value_counts()
    texts = list(counts.index)
    if broken := [text for text in texts if "\0" in text]:
        return ["nul", f"in {int(counts[broken].sum()):,} rows"]
    if formats := date_formats(values):
        return ["dates", f"{texts[0]!r}: {' or '.join(map(repr, formats))}"]
    if written := _numbers_in(counts):
        return written
    if lacking := [text for text in texts if LIKE_MISSING.fullmatch(text.strip())]:
        return ["missing", f"{lacking[0]!r} in {int(counts[lacking[0]]):,} rows"]
    if unique:
        return ["unique", ""]
    alike: dict[str, str] = {}
    for text in texts:
        plain = " ".join(text.split()).casefold()
        first = alike.setdefault(_ALIKE.get(plain, plain), text)
        if first != text:
            return ["alike", f"{first!r} and {text!r}"]
    return None


def _numbers_in(counts: pd.Series[int]) -> list[str] | None:
    """Say of texts, with their counts, that they are numbers but for how they are written."""
    texts = list(counts.index)
    numbers = [text for text in texts if _NUMBER.fullmatch(_SIGNS.sub("", text.strip()).strip())]
    rows = int(counts[numbers].sum())
    if not numbers or rows < _MOSTLY * counts.sum():
        return None
    rest = counts.drop(numbers)
    if len(rest):
        few = f"{int(rest.sum()):,} of {counts.sum():,} are none"
        return ["numbers", f"{few}: {rest.index[0]!r}"]
    if any(_CODE.fullmatch(text) for text in texts):  # zip codes, which are categories
        return None
    plainly = all(_PLAIN.fullmatch(text.strip()) for text in texts)
    return ["numbers" if plainly else "written", f"like {texts[0]!r}"]


def numbers_as_texts(values: Series) -> bool:
    """Tell whether a column of texts holds numbers, however they are written."""
    if types.is_numeric_dtype(values.dtype) or kind_of(values) == "date":
        return False
    return _numbers_in(values.dropna().astype(str).value_counts()) is not None


def date_formats(values: Series) -> list[str]:
    """List the formats in which all texts of a column are dates; none of ISO dates or numbers."""
    texts = values.dropna().astype(str).str.strip().unique()
    if not len(texts) or _ISO.fullmatch(texts[0]) or not any(map(str.isdigit, texts[0])):
        return []
    fitting = [one for one in _FORMATS if _all_in(texts[:1], one)]
    return [one for one in fitting if _all_in(texts, one)]


def _all_in(texts: Any, form: str) -> bool:
    return bool(pd.to_datetime(pd.Series(texts), format=form, errors="coerce").notna().all())


def is_date(values: Series) -> bool:
    """Tell whether a column holds dates, or texts like 2024-05-31."""
    if kind_of(values) != "category":
        return kind_of(values) == "date"
    texts = values.dropna().astype(str)
    if texts.empty or not texts.str.match(r"\d{4}-\d{2}(-\d{2})?").all():
        return False
    return bool(pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True).notna().all())


NEARLY_ALL = 0.98
"""A column is told of where it gets so much of what the most frequent class leaves wrong."""
_MOST_ROWS = 20_000
_MOST_VALUES = 64


def telling_columns(features: pd.DataFrame, target: Series) -> dict[str, float]:
    """Map columns whose value alone gives the class of nearly every row to the share of rows."""
    step = -(-len(target) // _MOST_ROWS)
    classes = pd.factorize(target.iloc[::step])[0]
    most = float(np.bincount(classes).max() / len(classes))
    telling: dict[str, float] = {}
    for name in features.columns if most < 1 else ():
        values = features[name].iloc[::step]
        if types.is_numeric_dtype(values.dtype) and values.nunique() > _MOST_VALUES:
            # equal values in no order, that of the file may be that of the classes
            mixed = np.random.default_rng(0).permutation(len(values))
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
            ordered = classes[mixed[np.argsort(numbers[mixed], kind="stable")]]
            same = ordered[1:] == ordered[:-1]  # a neighbour has the class of the row
            share = float((np.append(same, False) | np.append(False, same)).mean())
        else:
            # rows whose class is the most frequent one of the other rows with their value
            codes = pd.factorize(values)[0] + 1
            counts = np.zeros((codes.max() + 1, classes.max() + 1), dtype=np.int64)
            np.add.at(counts, (codes, classes), 1)
            first, second = np.sort(counts, axis=1)[:, :-3:-1].T
            # without the row itself its class must still have as many rows as any other
            share = float(first[first - 1 >= np.maximum(second, 1)].sum() / len(classes))
        if share - most >= NEARLY_ALL * (1 - most):
            telling[str(name)] = share
    return telling


Rows = NDArray[np.intp]
_TOGETHER = 1 << 16
"""Rows that are hashed at once: what it takes on the way stays in the processor's cache."""

Hashes = NDArray[np.uint64]


def row_digests(features: pd.DataFrame) -> Hashes:
    """Return a number for each row, the same for rows that are alike in every feature."""
    n, width = features.shape
    whole = np.zeros(n, dtype=np.uint64) if width else np.arange(n, dtype=np.uint64)
    for column in _hashes(features):
        whole += column
    return whole


def pairs_by_chance(features: pd.DataFrame) -> float:
    """Return how many pairs of repeated rows independent features make."""
    n, chances = len(features), list[float]()
    for column in _hashes(features):
        shares = np.unique(column, return_counts=True)[1] / n
        chances.append(math.log(float(np.square(shares).sum())))
    return n * (n - 1) / 2 * math.exp(math.fsum(chances)) if chances else 0.0


def _hashes(features: pd.DataFrame) -> Iterator[Hashes]:
    """Hash one column at a time; the same value in another column has an unrelated hash."""
    for place, (_, values) in enumerate(features.items()):
        hashes = np.empty(len(values), dtype=np.uint64)
        for start in range(0, len(values), _TOGETHER):
            some = values.iloc[start : start + _TOGETHER]
            if types.is_numeric_dtype(some.dtype):
                numbers = some.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # no -0.0
                mixed = _mix(numbers.view(np.uint64))
            else:
                mixed = np.array(pd.util.hash_pandas_object(some, index=False), np.uint64)
            # sums of hashes stand for rows, so that they must not be linear in the place
            mixed += np.uint64((place + 1) * 0x9E3779B97F4A7C15 % 2**64)
            hashes[start : start + _TOGETHER] = _mix(mixed)
        yield hashes


def _mix(bits: Hashes) -> Hashes:
    """Mix the bits of each number where it stands (splitmix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return bits

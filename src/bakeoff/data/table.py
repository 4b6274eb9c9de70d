"""The canonical table: row ids, string labels, features; and the card that describes it."""

from __future__ import annotations

import dataclasses
import json
import operator
import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types
from scipy import special

from bakeoff.data import columns
from bakeoff.data.describe import (
    describe,
    group_columns,
    pairs_by_chance,
    row_digests,
)
from bakeoff.data.near_copies import near_copies
from bakeoff.data.target import (
    Target,
    counted,
    read_labels,
    read_numbers,
    said_of_spellings,
    unclear_spellings,
)
from bakeoff.errors import Place, Problem, shown, unknown
from bakeoff.files import (
    read_parquet,
    reading,
    sha256_of,
    write_json,
    write_parquet,
)
from bakeoff.keys import name_of
from bakeoff.sources import DataSet, Filter, Loaded
from bakeoff.sources.common.base import SubgroupColumn, TableKeys, blame, inside
from bakeoff.sources.common.identifiers import identifiers, names
from bakeoff.spec.related import NOTHING, RowColumns

ROW_ID = "__row_id__"
TARGET = "__target__"
WEIGHT = "__weight__"
"""Sample weight."""
GROUP = "__group__"
"""Rows of one group are never on both sides of a division."""
TIME = "__time__"
"""What orders the rows."""
PART = "__part__"
"""``train`` or ``test``, where the source came in two files."""
HOLDOUT = "__holdout__"
"""The value of the column that the plan ``holdout`` goes by."""
FOLDS = "__folds__1"
"""The value of the column that the plan ``kfold`` goes by."""
KEYS = (ROW_ID, TARGET, WEIGHT, GROUP, TIME, PART, HOLDOUT, FOLDS)
PROBABILITY_SLACK = 0.01
"""How far from 1 the probabilities of a row may sum up: many are rounded."""

# columns that are carried along; no model is called so
SUBGROUP = ":subgroup:"
"""How the columns of subgroups begin."""
TAKEN = ":column:"
"""How the columns begin that own metrics take."""

# columns of collected predictions beside those of the models, whose ids begin with no colon
COLLECTED_ID = ":row_id"
COLLECTED_TRUTH = ":y_true"
COLLECTED_REPEAT = ":repeat"
COLLECTED_FOLD = ":fold"
COLLECTED_GROUP = ":group"
COLLECTED_TIME = ":time"

MISSING = "(missing)"
"""The subgroup of rows without a value."""
MOST_SUBGROUPS = 30
MOST_CODES = 10
"""With more different numbers a column is no code of subgroups: it must be cut."""
# of the C library: NumPy's logarithms and exponentials differ between processors
_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "log": lambda x: special.boxcox(x, 0.0),
    "log1p": special.log1p,
    "exp": lambda x: special.inv_boxcox(x, 0.0),
    "sqrt": np.sqrt,
    "abs": np.abs,
    "square": np.square,
}
_FORMULA = re.compile(r"\s*(\w+)\s*\(\s*(.+?)\s*\)\s*")
"""A function of a column, whose name may hold anything, brackets too."""
_LIMITS = {
    "min": operator.ge,
    "max": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}


@dataclasses.dataclass(frozen=True)
class Table:
    """A data set in canonical form."""

    frame: pd.DataFrame
    target: Target
    carried: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    describe: Callable[[Table], Mapping[str, Any]] = lambda table: {}

    def write(self, parquet: str | Path, card: str | Path) -> None:
        """Write the table and its card (with the SHA-256 of the table's file)."""
        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        metadata = {**table.schema.metadata, b"classes": json.dumps(self.classes).encode()}
        write_parquet(parquet, table.replace_schema_metadata(metadata))
        write_json(card, {**self.card, "sha256": sha256_of(parquet)})

    def write_carried(self, path: str | Path) -> None:
        """Write the columns that comparisons look at, with the ids of their rows."""
        table = self.carried.assign(**{ROW_ID: self.frame[ROW_ID]})
        write_parquet(path, pa.Table.from_pandas(table, preserve_index=False))

    @classmethod
    def read(cls, parquet: str | Path) -> Table:
        """Read a table back (without its card)."""
        table = read_parquet(parquet)
        with reading(parquet):
            classes = tuple(json.loads(table.schema.metadata[b"classes"]))
            numbers = pa.types.is_floating(table.schema.field(TARGET).type)
            return cls(table.to_pandas(), Target(classes, numbers))

    @cached_property
    def card(self) -> Mapping[str, Any]:
        """Description of the data: rows, classes, column types, missing cells, licence."""
        # Computed on access, because the search for repeated rows is slow.
        return self.describe(self)

    @cached_property
    def features(self) -> pd.DataFrame:
        """The columns to learn from."""
        return self.frame.drop(columns=list(KEYS), errors="ignore")

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in order, of two the positive one last; none of a quantity."""
        return self.target.classes

    @cached_property
    def answers(self) -> NDArray[Any]:
        """The true answers: positions in `classes`, or numbers."""
        return self.target.answers(self.frame[TARGET])

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """What divisions keep alike: positions in `classes`; 0 for all rows of a quantity."""
        return self.target.strata(self.answers)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The sample weights, where there are any."""
        if WEIGHT not in self.frame:
            return None
        return self.frame[WEIGHT].to_numpy()


def load_table(
    name: str,
    spec: DataSet,
    seed: int,
    given_by: Mapping[str, str] = {},
    wanted: RowColumns = NOTHING,
    *,
    numbers: bool = False,
) -> Table:
    """Load a data set from its source and bring it into canonical form."""
    place: Place = ("datasets", name)
    with inside(place):
        loaded = _loaded(spec, seed)
        target_column = loaded.target
        dated = _dated(loaded.frame, spec)
        filtered = _filtered(dated, spec)
        labelled = _labelled(filtered, target_column, spec)
        # labels may be pooled and selected, so that there are fewer rows than before
        if numbers:
            labels, target = read_numbers(labelled[target_column])
        else:
            labels, target = read_labels(labelled[target_column], spec)
    counts: dict[str, Any] = {
        "rows_filtered": len(loaded.frame) - len(filtered),
        "rows_dropped_without_target": len(filtered) - len(labelled),
        "rows_of_other_classes": len(labelled) - len(labels),
    }
    kept = labelled
    if len(labels) < len(labelled):
        kept = labelled.loc[labels.index]
    # columns with a role
    keys: dict[str, Any] = {}
    with inside(place):
        frame = _derived(kept, spec)
        keys[ROW_ID] = _row_ids(frame, spec)
        keys[TARGET] = labels
        keys |= _relating(frame, spec)
    if loaded.tested_from is not None:
        keys[PART] = np.where(frame.index >= loaded.tested_from, "test", "train")
    keys |= _given_divisions(frame, given_by)
    # columns to learn from: all others, where none are named
    apart = {target_column}
    apart.update(given_by.values())
    for column in (spec.id, spec.weights, spec.groups, spec.time):
        if column is not None:
            apart.add(column)
    with inside(place):
        features = chosen_features(frame, apart, spec)
        _check_features(features, target_column, spec)
    canonical = pd.concat([pd.DataFrame(keys, index=frame.index), features], axis=1)
    carried = carry(frame, wanted, ("datasets", name, "subgroups"))
    counts["group_columns"] = []
    if spec.groups is None:
        counts["group_columns"] = group_columns(frame, apart)
    return Table(
        canonical.reset_index(drop=True),
        target,
        carried.reset_index(drop=True),
        partial(_card, name, spec, target_column, loaded.facts, counts),
    )


def _loaded(spec: DataSet, seed: int) -> Loaded:
    """Load the data from their source, which must have the target."""
    loaded = spec.load(seed)
    if loaded.target not in loaded.frame.columns:
        allowed = map(str, loaded.frame.columns)
        raise Problem(("target",), unknown("target column", loaded.target, allowed))
    pa.default_memory_pool().release_unused()  # what the file took while it was read
    return loaded


def _card(
    name: str,
    spec: DataSet,
    target: str,
    facts: Mapping[str, Any],
    counts: Mapping[str, Any],
    table: Table,
) -> dict[str, Any]:
    """Describe a data set; results/README.md has every key."""
    frame = table.frame
    features = table.features
    described = describe(features)
    copies = 0
    if GROUP not in frame and TIME not in frame:
        # of rows in groups, or in time, neighbours are known to be alike
        copies = near_copies(features, pd.Series(table.answers))
    return {
        "dataset": name,
        "label": spec.label or name,
        "source": {**spec.described(), **facts},
        "licence": spec.licence or facts.get("licence"),
        "rows": len(frame),
        "target": target,
        **table.target.described(table.answers),
        "merged": {new: [str(old) for old in pooled] for new, pooled in spec.merge.items()},
        **counts,
        "roles": _roles(frame, spec),
        "features": described,
        "missing_cells": sum(column["missing"] for column in described.values()),
        "duplicate_rows": len(frame) - len(np.unique(row_digests(features))),
        "pairs_by_chance": pairs_by_chance(features),
        "near_copies": copies,
    }


def _roles(frame: pd.DataFrame, spec: DataSet) -> dict[str, Any]:
    """Describe the columns that are no features."""
    roles: dict[str, Any] = {}
    if WEIGHT in frame:
        weights = frame[WEIGHT]
        roles["weights"] = {
            "column": spec.weights,
            "min": float(weights.min()),
            "max": float(weights.max()),
        }
    if GROUP in frame:
        roles["groups"] = {"column": spec.groups, "distinct": int(frame[GROUP].nunique())}
    if TIME in frame:
        time = frame[TIME]
        roles["time"] = {
            "column": spec.time,
            "first": str(time.min()),
            "last": str(time.max()),
        }
    if PART in frame:
        roles["test_rows"] = int((frame[PART] == "test").sum())
    return roles


# --- which rows


def _dated(frame: pd.DataFrame, spec: DataSet) -> pd.DataFrame:
    """Read the columns of dates that are written in another way than 2024-05-31."""
    if not spec.dates:
        return frame
    dated = frame.copy(deep=False)
    for name, date_format in spec.dates.items():
        at = ("dates", name)
        values = _column(frame, name, at)
        texts = values.astype("str").where(values.notna())
        try:
            days = pd.to_datetime(texts, format=date_format)
        except ValueError as error:
            why = " ".join(str(error).partition(". You might")[0].split())
            raise Problem(at, f"no dates like {date_format!r}: {why}") from None
        dated[name] = columns.plain(days)
    return dated


def _filtered(frame: pd.DataFrame, spec: DataSet) -> pd.DataFrame:
    """Keep the rows that pass every filter."""
    # one after the other, so that the first that leaves nothing is named
    for i, condition in enumerate(spec.filter):
        with inside(("filter", i)):
            passing = _passing(frame, condition)
        if not passing.any():
            raise Problem(("filter", i), f"none of {len(frame)} rows passes this filter")
        frame = frame[passing]
    return frame


def _passing(frame: pd.DataFrame, condition: Filter) -> Any:
    """Tell which rows pass a filter."""
    name = condition.column
    values = _column(frame, name, ("column",))
    passing = pd.Series(True, index=values.index)
    if condition.missing == "drop":
        passing &= values.notna()
    for key in _LIMITS:
        limit = getattr(condition, key)
        if limit is not None:
            passing &= _within(values, key, limit, name)
    if condition.keep is not None:
        passing &= _is_one_of(values, condition.keep, name, "keep")
    if condition.drop is not None:
        passing &= ~_is_one_of(values, condition.drop, name, "drop")
    return passing


def _within(values: columns.Series, key: str, limit: Any, name: str) -> Any:
    """Compare with a limit; a missing value is never within."""
    comparable = _read(columns.ordered, values, ("column",))
    if types.is_datetime64_any_dtype(comparable.dtype):
        try:
            limit = pd.to_datetime(str(limit), format="ISO8601", utc=True).tz_localize(None)
        except ValueError:
            text = f"found {shown(limit)}, expected a date like 2024-05-31"
            raise Problem((key,), text) from None
    elif isinstance(limit, str):
        raise Problem((key,), f"found the text {limit!r}, column {name!r} holds numbers")
    return _LIMITS[key](comparable, limit)


def _is_one_of(values: columns.Series, wanted: list[Any], name: str, key: str) -> Any:
    """Tell which rows have one of some values."""
    texts = names(values)
    present = texts.dropna().unique()
    columns.check_values(wanted, present, f"value in {name!r}:", (key,))
    return texts.isin([name_of(value) for value in wanted])


def _labelled(frame: pd.DataFrame, target: str, spec: DataSet) -> pd.DataFrame:
    """Leave out the rows without a label, or refuse them."""
    missing = frame[target].isna()
    n_missing = int(missing.sum())
    if n_missing == len(frame):
        raise Problem(("target",), f"every value of {target!r} is missing: nothing to learn")
    if not n_missing:
        return frame
    if spec.missing_target != "error":
        return frame[~missing]
    text = (
        f"{n_missing} of {len(frame)} rows have no value in {target!r} (first in row "
        f"{int(frame.index[missing][0]) + 1}); set `missing_target: drop` to leave them out"
    )
    if isinstance(spec, TableKeys) and spec.missing_values is None:
        text += (
            "; NA, None and the like are read as missing values: if a class has such a name, "
            "list the texts that stand for a missing value under `missing_values:`"
        )
    raise Problem(("target",), text)


# --- which columns


def _derived(frame: pd.DataFrame, spec: DataSet) -> pd.DataFrame:
    """Add the derived columns; a derived column may build on an earlier one."""
    derived = frame.copy(deep=False)
    for name, formula in spec.derive.items():
        derived[name] = _computed(derived, formula, ("derive", name))
    return derived


def _computed(frame: pd.DataFrame, formula: str, at: Place) -> columns.Series:
    """Compute a function of a column."""
    call = _FORMULA.fullmatch(formula)
    if call is None:
        text = f"found {shown(formula)}, expected function(column), e.g. log(income)"
        raise Problem(at, text)
    function = call[1]
    source = call[2]
    if function not in _FUNCTIONS:
        raise Problem(at, unknown("function", function, _FUNCTIONS))
    values = _column(frame, source, at)
    if not types.is_numeric_dtype(values):
        raise Problem(at, f"column {source!r} is not numeric (it holds {values.dtype})")
    # a logarithm of 0 is refused below, with its row
    with np.errstate(all="ignore"):
        computed: columns.Series = _FUNCTIONS[function](values.astype("float64"))
    undefined = ~np.isfinite(computed) & values.notna()
    if undefined.any():
        row = int(np.flatnonzero(undefined)[0])
        raise Problem(
            at,
            f"{formula} is undefined in {int(undefined.sum())} row(s), first in row "
            f"{values.index[row] + 1} where {source} = {values.iloc[row]}",
        )
    return computed


def _column(frame: pd.DataFrame, name: str, at: Place) -> columns.Series:
    """Return a column, or say which there are."""
    if name not in frame.columns:
        raise Problem(at, unknown("column", name, map(str, frame.columns)))
    return frame[name]


def _complete(frame: pd.DataFrame, name: str, at: Place) -> columns.Series:
    """Return a column in which no value may be missing."""
    values = _column(frame, name, at)
    missing = values.isna()
    if missing.any():
        raise Problem(
            at,
            f"{int(missing.sum())} of {len(frame)} rows have no value in {name!r} (first in row "
            f"{int(frame.index[missing][0]) + 1}): leave them out with `filter: [{{column: "
            f"{name}, missing: drop}}]`",
        )
    return values


def _read(
    read: Callable[[columns.Series], columns.Series],
    values: columns.Series,
    at: Place,
) -> columns.Series:
    """Return a column as a function reads it, or say what is wrong with it."""
    with blame(*at, before=f"column {values.name!r} "):
        return read(values)


def _row_ids(frame: pd.DataFrame, spec: DataSet) -> Any:
    """Return unique ids: those of a column, or the rows' numbers in the source."""
    if spec.id is None:
        return frame.index.to_numpy(dtype=np.int64) + 1
    at = ("id",)
    ids = _column(frame, spec.id, at)
    if ids.isna().any():
        raise Problem(at, f"{int(ids.isna().sum())} of {len(ids)} rows have no id in {spec.id!r}")
    # whole numbers stay what they are, all others are texts
    if types.is_integer_dtype(ids.dtype):
        ids = _read(columns.plain, ids, at)
    else:
        ids = _read(identifiers, ids, at)
    if ids.duplicated().any():
        first = str(ids[ids.duplicated()].iloc[0])
        raise Problem(at, f"ids must be unique: {first!r} appears twice")
    return ids.to_numpy()


def _relating(frame: pd.DataFrame, spec: DataSet) -> dict[str, Any]:
    """Return what weighs rows, groups them, or orders them."""
    keys: dict[str, Any] = {}
    if spec.weights is not None:
        keys[WEIGHT] = _weights(frame, spec.weights)
    if spec.groups is not None:
        groups = _complete(frame, spec.groups, ("groups",))
        keys[GROUP] = _read(identifiers, groups, ("groups",))
    if spec.time is not None:
        time = _complete(frame, spec.time, ("time",))
        keys[TIME] = _read(columns.ordered, time, ("time",))
    return keys


def _weights(frame: pd.DataFrame, name: str) -> columns.Series:
    """Return the sample weights: numbers from 0, not all 0."""
    at = ("weights",)
    values = _complete(frame, name, at)
    if not types.is_numeric_dtype(values.dtype):
        raise Problem(at, f"column {name!r} is not numeric (it holds {values.dtype})")
    weights = values.astype("float64")
    if not np.isfinite(weights).all() or (weights < 0).any() or not (weights > 0).any():
        raise Problem(at, f"column {name!r} has weights that are negative, infinite or all 0")
    return weights


def _given_divisions(frame: pd.DataFrame, given_by: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns that plans go by."""
    keys = {}
    for plan, column in given_by.items():
        at = ("resampling", plan, "column")
        key = HOLDOUT if plan == "holdout" else FOLDS
        keys[key] = _read(identifiers, _column(frame, column, at), at)
    return keys


def chosen_features(frame: pd.DataFrame, kept_apart: set[str], spec: DataSet) -> pd.DataFrame:
    """Return the columns to learn from, in plain types."""
    for key in ("features", "drop"):
        for i, name in enumerate(getattr(spec, key) or []):
            _column(frame, name, (key, i))
    # a column with a role is no feature, unless it is named as one
    left_out = set(spec.drop)
    if spec.features:
        left_out |= kept_apart - set(spec.features)
        chosen = [name for name in spec.features if name not in left_out]
    else:
        left_out |= kept_apart
        chosen = [name for name in frame.columns if name not in left_out]
    if not chosen:
        raise Problem((), "no feature is left to learn from")
    features: dict[str, columns.Series] = {}
    for name in chosen:
        if name.startswith("Unnamed: ") and not spec.features:
            raise Problem(
                (),
                f"a column has no name in the first line and is called {name!r}; if it counts the "
                f'rows, set `id: "{name}"` or `drop: ["{name}"]`',
            )
        remedy = ": leave it out with `drop` or mend it"
        with blame(before=f"column {name!r} ", after=remedy):
            features[name] = columns.plain(frame[name])
    return pd.DataFrame(features, index=frame.index, copy=False)


def _check_features(features: pd.DataFrame, target: str, spec: DataSet) -> None:
    """Refuse the target and the weights among the features, and names with a meaning."""
    for role, used in (("target", target), ("weights", spec.weights)):
        if used in (spec.features or []):
            text = f"{used!r} is the {role}: it cannot be a feature too"
            raise Problem(("features",), text)
    for name in features:
        if name in KEYS:
            text = f"a column is called {name!r}, a name with a meaning here: rename it"
            raise Problem((), text)


# --- columns that are carried along


def carry(frame: pd.DataFrame, wanted: RowColumns, place: Place) -> pd.DataFrame:
    """Return the columns that are carried along with the rows."""
    carried = {}
    for i, subgroup in enumerate(wanted.subgroups):
        at = (*place, i)
        values = _column(frame, subgroup.column, at)
        carried[f"{SUBGROUP}{subgroup.column}"] = _subgroups(values, subgroup, at)
    if wanted.tasks is not None and f"{SUBGROUP}{wanted.tasks}" not in carried:
        at = (*place[:-1], "tasks")
        values = _column(frame, wanted.tasks, at)
        carried[f"{SUBGROUP}{wanted.tasks}"] = _tasks(values, at)
    for name in wanted.taken:
        carried[f"{TAKEN}{name}"] = columns.plain(_column(frame, name, ("metrics",)))
    return pd.DataFrame(carried, index=frame.index)


def _tasks(values: columns.Series, at: Place) -> columns.Series:
    """Name the task of each row."""
    if values.isna().any():
        raise Problem(at, f"column {values.name!r} has {int(values.isna().sum()):,} empty cells")
    return pd.Series(pd.Categorical(names(values), columns.sorted_names(values)), values.index)


def _subgroups(values: columns.Series, spec: SubgroupColumn, at: Place) -> columns.Series:
    """Name the subgroup of each row."""
    plain = _read(columns.plain, values, at)
    if spec.bins is not None:
        order, texts = _cut(plain, spec, spec.bins, at)
    else:
        order, texts = _codes(values, plain, spec, at)
    name = spec.column
    if texts.nunique() > MOST_SUBGROUPS:
        raise Problem(
            at,
            f"column {name!r} has {texts.nunique():,} different values, {MOST_SUBGROUPS} at "
            "most make subgroups: pool some, or name another column",
        )
    if plain.isna().any() and MISSING in order:
        text = f"column {name!r} has rows without a value, and others with {MISSING!r}"
        raise Problem(at, f"{text}, which stands for these: rename that value")
    texts = texts.where(plain.notna(), MISSING)
    if texts.nunique() < 2:
        text = f"column {name!r} puts all rows into one subgroup, {texts.iloc[0]!r}"
        raise Problem(at, text)
    categories = list(dict.fromkeys([*order, MISSING]))
    return pd.Series(pd.Categorical(texts, categories), index=values.index)


def _cut(
    plain: columns.Series,
    spec: SubgroupColumn,
    bins: list[float],
    at: Place,
) -> tuple[list[str], columns.Series]:
    """Cut numbers into subgroups: their names in order, and that of each row."""
    if not types.is_numeric_dtype(plain.dtype):
        raise Problem((*at, "bins"), f"column {spec.column!r} holds no numbers to cut")
    # a limit is the lowest number of the subgroup above it
    order = [f"below {bins[0]:g}"]
    for low, high in pairwise(bins):
        order.append(f"{low:g} to below {high:g}")
    order.append(f"{bins[-1]:g} or more")
    at_bins = np.searchsorted(bins, plain.to_numpy(np.float64), side="right")
    return order, pd.Series(np.array(order, dtype=object)[at_bins], index=plain.index)


def _codes(
    values: columns.Series,
    plain: columns.Series,
    spec: SubgroupColumn,
    at: Place,
) -> tuple[list[str], columns.Series]:
    """Take each value for a subgroup: their names in order, and that of each row."""
    name = spec.column
    n_different = int(plain.nunique())
    is_number = types.is_numeric_dtype(plain.dtype) and not types.is_bool_dtype(values.dtype)
    if is_number and n_different > MOST_CODES:
        low = plain.min()
        high = plain.max()
        middle = f"{(low + high) / 2:.3g}"
        raise Problem(
            at,
            f"column {name!r} holds {n_different:,} different numbers from {low:g} to "
            f"{high:g}: say where to cut them, `{{column: {name}, bins: [{middle}]}}`; "
            f"on the command line `{name}:{middle}`, in Python "
            f"`bins={{{name!r}: [{middle}]}}`",
        )
    order = columns.sorted_names(values)
    spellings = unclear_spellings(order)
    if spellings:
        text = said_of_spellings(
            f"column {name!r}",
            spellings,
            counted(values),
            "subgroup",
        )
        raise Problem(at, f"{text}. Write each subgroup in one way")
    return order, names(values)

"""Marks of the same items by a judge and by people, or one value an item, model by model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.given_tables import GivenTables
from bakeoff.data.records import Records
from bakeoff.errors import Problem, joined, some, unknown
from bakeoff.options import setting
from bakeoff.spec.given_models import GivenColumns

_IDS = ("item", "question_id", "prompt_id", "prompt", "question", "sample_id")
"""Columns of ids beside the usual ones."""
BINARY = ("right", "wrong")


@dataclasses.dataclass(frozen=True)
class Marks:
    """The marks of the judge and of people on the items of each model, greater is better."""

    name: str
    ids: NDArray[Any]
    judge: Mapping[str, NDArray[np.float64]]
    human: Mapping[str, NDArray[np.float64]]
    """NaN where people did not mark the item."""
    groups: NDArray[Any] | None
    binary: bool
    """Whether all marks are 0 or 1."""
    scales: tuple[tuple[float, float], tuple[float, float]]
    """The least and the largest mark of the judge, and of people, as they were given."""
    notes: tuple[str, ...] = ()

    @property
    def one_scale(self) -> bool:
        """Whether judge and people use one scale, so that their marks can be compared."""
        judge, human = self.scales
        inside = judge[0] <= human[0] and human[1] <= judge[1]
        around = human[0] <= judge[0] and judge[1] <= human[1]
        if self.binary:
            return True
        # 0 and 1 are right and wrong, and no grades of a wider scale
        binary_alone = {(0.0, 1.0)} & {judge, human}
        return (inside or around) and not binary_alone


def id_of(records: Records) -> str:
    """Return the column of ids, also called like items of evaluations."""
    found = records.find("id")
    if found is not None:
        return found
    for name in _IDS:
        if name in records.names:
            return name
    return records.require("id")


def read_marks(
    tables: GivenTables,
    columns: GivenColumns,
    judge: str,
    human: str,
    *,
    values: str | None,
    missing: str | None,
) -> Marks:
    """Read the marks of a judge and of people in tables of each model."""
    if tables.wide is not None:
        raise Problem(
            ("judge",),
            f"{tables.name!r} has no column of models: expected a row for each item and model, "
            "with the columns model, judge and human, or a file of each model",
        )
    series: dict[str, pd.DataFrame] = {}
    for model, records in tables.models.items():
        series[model] = _of_model(
            model,
            dataclasses.replace(records, roles=columns),
            judge,
            human,
        )
    ids, notes = _shared_items(series, missing)
    # the same items of all models, in one order
    aligned = {model: frame.loc[ids] for model, frame in series.items()}
    judged = {}
    people = {}
    for model, frame in aligned.items():
        judged[model] = frame["judge"].to_numpy(dtype=float)
        people[model] = frame["human"].to_numpy(dtype=float)
    scales = _scale(judged), _scale(people)
    binary = _are_binary(judged) and _are_binary(people)
    kind = _kind_of(values, binary=binary)
    return Marks(
        name=tables.name,
        ids=np.asarray(ids),
        judge={model: greater_is_better(marks, kind) for model, marks in judged.items()},
        human={model: greater_is_better(marks, kind) for model, marks in people.items()},
        groups=_groups(aligned),
        binary=binary,
        scales=scales,
        notes=notes,
    )


def greater_is_better(marks: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """Turn marks so that greater ones are better."""
    if kind == "wrong":
        return 1.0 - marks
    if kind == "lower":
        return -marks
    return marks


def _of_model(
    model: str,
    records: Records,
    judge: str,
    human: str,
) -> pd.DataFrame:
    """Return the marks of a model by the ids of its items."""
    for role, column in (("judge", judge), ("human", human)):
        if column not in records.names:
            text = unknown("column", column, records.names)
            raise Problem((role,), f"{records.path!r}: {text}")
    ids = records.ids(id_of(records))
    frame = pd.DataFrame(
        {
            "judge": records.numbers(judge, may_lack=True),
            "human": records.numbers(human, may_lack=True),
        },
        index=pd.Index(ids),
    )
    groups = records.related("groups")
    if groups is not None:
        frame["groups"] = groups
    if frame["judge"].isna().all():
        raise Problem(("judge",), f"{model} has no mark of the judge in column {judge!r}")
    return frame


def _shared_items(
    series: Mapping[str, pd.DataFrame], missing: str | None
) -> tuple[pd.Index[Any], tuple[str, ...]]:
    """Return the items that the judge marked of every model, in the order of the first."""
    # people mark a part of the items, the judge all that are compared
    with_judge = {}
    for model, frame in series.items():
        with_judge[model] = frame.index[frame["judge"].notna()]
    shared = next(iter(with_judge.values()))
    all_items = shared
    for ids in with_judge.values():
        shared = shared[shared.isin(ids)]
        all_items = all_items.union(ids, sort=False)
    texts = []
    for model, ids in with_judge.items():
        n_lacking = len(all_items) - len(ids)
        if n_lacking:
            texts.append(f"{n_lacking:,} of {model}")
    if not texts:
        return shared, ()
    if missing != "common" or not len(shared):
        raise Problem(
            ("judge",),
            f"the judge marked {len(all_items):,} items, and lacks {joined(texts)}: "
            f"{setting('missing', 'common')} takes the {len(shared):,} items of all models",
        )
    note = (
        f"{len(shared):,} of {len(all_items):,} items are compared, which the judge marked for all."
    )
    return shared, (note,)


def _scale(marks: Mapping[str, NDArray[np.float64]]) -> tuple[float, float]:
    """Return the least and the largest mark."""
    all_marks = np.concatenate(list(marks.values()))
    all_marks = all_marks[~np.isnan(all_marks)]
    if not len(all_marks):
        return np.nan, np.nan
    return float(all_marks.min()), float(all_marks.max())


def _are_binary(marks: Mapping[str, NDArray[np.float64]]) -> bool:
    """Tell whether marks are 0 or 1."""
    all_marks = np.concatenate(list(marks.values()))
    return bool(np.isin(all_marks[~np.isnan(all_marks)], (0, 1)).all())


def _kind_of(values: str | None, *, binary: bool) -> str:
    """Return what the marks mean: which way is better."""
    if values is None:
        if binary:
            return "right"
        raise Problem(
            ("values",),
            f"is a higher or a lower mark better? Say {setting('values', 'higher')} or "
            f"{setting('values', 'lower')}",
        )
    allowed = ("higher", "lower", *BINARY)
    if values not in allowed:
        raise Problem(("values",), unknown("value", values, allowed))
    if values in BINARY and not binary:
        raise Problem(
            ("values",),
            f"found {values}, and some marks are neither 0 nor 1: {setting('values', 'higher')} "
            "is for grades",
        )
    return values


def _groups(aligned: Mapping[str, pd.DataFrame]) -> NDArray[Any] | None:
    """Return the groups of the items, which are the same for every model."""
    first = next(iter(aligned.values()))
    if "groups" not in first:
        return None
    for model, frame in aligned.items():
        if not (frame["groups"].to_numpy() == first["groups"].to_numpy()).all():
            raise Problem(("groups",), f"{model} has items in other groups than the models before")
    return np.asarray(first["groups"].astype(str))


# --- the items of a suite, in its order


@dataclasses.dataclass(frozen=True)
class SuiteItems:
    """The values of two models on the leading items of a suite, in its order."""

    name: str
    total: int
    values: Mapping[str, NDArray[np.float64]]
    """Greater is better."""
    binary: bool
    notes: tuple[str, ...] = ()
    running: bool = False
    """Whether the logs say that the evaluation still runs."""


def leading_items(
    by_model: Mapping[str, pd.Series[Any]],
    total: int,
    *,
    name: str,
    kind: str,
    order: Sequence[Any] | None = None,
    running: bool = False,
) -> SuiteItems:
    """Take the items up to the first that a model lacks, in the order of the suite."""
    all_items: pd.Index[Any] = pd.Index([])
    for values in by_model.values():
        all_items = all_items.union(values.index, sort=False)
    if len(all_items) > total:
        raise Problem(
            ("of",),
            f"found {total:,}, and there are {len(all_items):,} items: name the whole suite",
        )
    expected = _in_order(all_items, total, order)
    finished = np.ones(len(expected), dtype=bool)
    for values in by_model.values():
        known = values.reindex(expected)
        finished &= known.notna().to_numpy()
    # up to the first item that a model has not finished
    leading = len(expected)
    if not finished.all():
        leading = int(np.argmin(finished))
    kept = expected[:leading]
    taken = {}
    for model, values in by_model.items():
        taken[model] = values.reindex(kept).to_numpy(float)
    binary = _are_binary(taken)
    if kind in BINARY and not binary:
        raise Problem(("values",), f"found {kind}, and some values are neither 0 nor 1")
    notes = []
    later = int(finished[leading:].sum())
    if later:
        notes.append(
            f"{later:,} later items are finished too; they count when those before them are: "
            "quick answers come first, and they are not like the others."
        )
    turned = {model: greater_is_better(values, kind) for model, values in taken.items()}
    return SuiteItems(name, total, turned, binary, tuple(notes), running)


def _in_order(ids: pd.Index[Any], total: int, order: Sequence[Any] | None) -> pd.Index[Any]:
    """Return the items of the suite in its order, those too that no model has finished."""
    if order is not None:
        expected: pd.Index[Any] = pd.Index(list(order))
        strange = ids.difference(expected)
        if len(strange):
            raise Problem(("order",), f"items that the suite does not name: {some(strange)}")
        return expected
    # ids that are numbers are the places of the items
    numbers = pd.to_numeric(pd.Series(ids.astype(str)), errors="coerce").to_numpy(float)
    if np.isnan(numbers).any():
        raise Problem(
            ("of",),
            "looks need the order of the suite: rows have no order column and ids are texts, like "
            f"{some(map(repr, ids), 2)}; {setting('order')} names a column of their places",
        )
    ordered: pd.Index[Any] = pd.Index(ids[np.argsort(numbers, kind="stable")])
    first = numbers.min()
    counts_from = int(first != 0)
    whole = bool((numbers == np.floor(numbers)).all()) and first in (0, 1)
    if whole and numbers.max(initial=0) < total + counts_from:
        # ids that count the suite show where it has gaps
        present = dict(zip(numbers[np.argsort(numbers, kind="stable")], ordered, strict=True))
        every = np.arange(counts_from, int(numbers.max()) + 1, dtype=float)
        items = []
        for number in every:
            items.append(present.get(number, f"(item {number:.0f})"))
        ordered = pd.Index(items)
    return ordered


def series_of_models(
    tables: GivenTables,
    columns: GivenColumns,
    models: Sequence[str] | None,
    order: str | None,
) -> tuple[dict[str, pd.Series[Any]], list[Any] | None]:
    """Return the value of each item by model, and the items in the order of a column."""
    wide = tables.wide
    if wide is not None:
        return _of_wide(dataclasses.replace(wide, roles=columns), models, order)
    by_model: dict[str, pd.Series[Any]] = {}
    place_by_item: dict[Any, float] = {}
    for model, file in tables.models.items():
        records = dataclasses.replace(file, roles=columns)
        ids = records.ids(id_of(records))
        value = records.numbers(records.require("value"), may_lack=True)
        by_model[model] = pd.Series(value, index=pd.Index(ids)).dropna()
        place_by_item |= _places(records, ids, order)
    return by_model, _sorted_by_place(place_by_item)


def _of_wide(
    records: Records,
    models: Sequence[str] | None,
    order: str | None,
) -> tuple[dict[str, pd.Series[Any]], list[Any] | None]:
    """Return the values of the columns of a table of all models."""
    column = id_of(records)
    ids = records.ids(column)
    names = list(models or records.unclaimed([column, order]))
    by_model = {}
    for name in names:
        if name not in records.names:
            raise Problem(("models",), unknown("column", name, records.names))
        by_model[name] = pd.Series(records.numbers(name, may_lack=True), pd.Index(ids)).dropna()
    return by_model, _sorted_by_place(_places(records, ids, order))


def _places(records: Records, ids: NDArray[Any], order: str | None) -> dict[Any, float]:
    """Return the place of each item in the suite by a column."""
    if order is None:
        return {}
    if order not in records.names:
        raise Problem(("order",), unknown("column", order, records.names))
    return dict(zip(ids.tolist(), records.numbers(order).tolist(), strict=True))


def _sorted_by_place(place_by_item: Mapping[Any, float]) -> list[Any] | None:
    """Return the items by their places; None without any."""
    if not place_by_item:
        return None
    return sorted(place_by_item, key=lambda item: place_by_item[item])


def refuse_one_model(models: Sequence[str], name: str) -> None:
    """Refuse what compares nothing."""
    if len(models) < 2:
        raise Problem(("models",), f"{name} holds one model ({some(models)}), comparing needs two")

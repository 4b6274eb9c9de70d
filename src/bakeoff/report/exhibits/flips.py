"""The held-out rows on which two models differ, one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.flipped_rows import NEITHER, TASK, FlippedRows, Kind, flipped_rows
from bakeoff.report import tables
from bakeoff.report.exhibit import Section, table
from bakeoff.report.numbers import capital, clean, count, fixed, number
from bakeoff.report.ranking import order
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, Table
from bakeoff.report.tables import Kind as CellKind
from bakeoff.report.written import with_unit
from bakeoff.spec.experiment import run_of

MOST_SHOWN = 50
"""Rows of the table; its file has all."""
_DECIMALS = 3
"""Of the mean mark over several runs."""
_DATASET = "dataset"


@table(
    Section.PAIRS,
    70,
    "Rows on which two models differ",
    when=lambda design: "holdout" in design.analysis.rows_of_plans and len(design.models) > 1,
)
def flips(study: Study) -> Table:
    """The table lists held-out rows on which the best model and the next one, or the control,
    differ. Rows are sorted by task, other subgroups and id; where numbers are predicted, those come
    first whose losses are furthest apart. Of several runs of a row the mean is shown; a mark is 1
    where the answer is right and 0 where it is wrong.
    """
    flipped = flips_of(study)
    if flipped is None:
        return Table((), (), "Single rows have no ids here, or fewer than two models answer them.")
    if flipped.whole.empty:
        return Table((), (), f"{flipped.sentence}.")
    note = f"{flipped.sentence}."
    caption = f"{note} The table lists these rows."
    if len(flipped.whole) > MOST_SHOWN:
        caption = f"{note} The table lists the first {MOST_SHOWN} of these."
        file = "tables/flips.csv has all"
        if study.command:
            file = 'the folder of --output and to_frame("flips") have all'
        note = f"{flipped.sentence}. These are the first {MOST_SHOWN}; {file}."
    return Table(flipped.columns, flipped.first(MOST_SHOWN), note, flipped.whole, caption)


@dataclasses.dataclass(frozen=True)
class Flips:
    """The rows on which two models differ, as tables have them."""

    models: tuple[str, str]
    """The names of A and B."""
    columns: tuple[Column, ...]
    whole: pd.DataFrame
    """All of the rows, by the keys of the columns."""
    counted: str
    """How many rows, or items, were compared, in words."""

    @property
    def sentence(self) -> str:
        """How many rows differ, without a full stop."""
        a, b = self.models
        if self.whole.empty:
            return f"{a} and {b} do not differ on any of {self.counted}"
        return f"{a} and {b} differ on {len(self.whole):,} of {self.counted}"

    def first(self, most: int) -> list[dict[Any, Any]]:
        """Return the first rows by the keys of the columns."""
        return self.whole.head(most).to_dict("records")

    def as_markdown(self, most: int) -> str:
        """Write the first rows as a table."""
        rows = []
        for row in self.first(most):
            cells = []
            for column in self.columns:
                cells.append(column.kind.cell(None, row[column.key]))
            rows.append(tuple(cells))
        return tables.to_markdown(PageTable("", self.columns, tuple(rows)))


@lru_cache(maxsize=8)
def flips_of(study: Study) -> Flips | None:
    """Return the rows on which the best model differs from the control, or from the next one."""
    test_sets = {}
    for dataset, rows in {**study.test_sets, **study.numbers}.items():
        if rows.ids is not None and rows.n:
            test_sets[dataset] = rows
    pair = _compared(study, list(test_sets.values()))
    if pair is None:
        return None
    a, b = pair
    by_dataset = {}
    names_of_datasets = {}
    units = set[str]()
    for dataset, rows in test_sets.items():
        tasks = study.analysis.tasks or TASK
        by_dataset[dataset] = flipped_rows(rows, a, b, study.metric.name, tasks)
        units.add(study.analysis.datasets[dataset].unit or "")
        if study.several:
            names_of_datasets[dataset] = study.dataset_label(dataset)
    # numbers of several units stand in one column: its title names none
    unit = ""
    if len(units) == 1:
        unit = clean(units.pop())
    return joined(by_dataset, (study.label(a), study.label(b)), unit, names_of_datasets)


def _compared(study: Study, test_sets: Sequence[PairedPredictions]) -> tuple[str, str] | None:
    """Return the best of the models that predict all test sets, and the control or next one."""
    present = set(study.models)
    for rows in test_sets:
        # several training runs of a model have names of their own
        present.intersection_update(run_of(name)[0] for name in rows.models)
    models = [model for model in order(study) if model in present]
    if not test_sets or len(models) < 2:
        return None
    # a control is what all models are compared with; the best model may be it
    control = study.analysis.tests.versus
    if control in models and control != models[0]:
        return models[0], control
    return models[0], models[1]


def joined(
    by_dataset: Mapping[str, FlippedRows],
    models: tuple[str, str],
    unit: str = "",
    names_of_datasets: Mapping[str, str] = {},
) -> Flips:
    """Put the flipped rows of test sets below each other, in columns with plain names."""
    first = next(iter(by_dataset.values()))
    parts: dict[str, None] = {}
    for flipped in by_dataset.values():
        parts |= dict.fromkeys(map(str, flipped.parts))
    columns = _columns(first, list(parts), models, unit)
    if names_of_datasets:
        columns.insert(0, Column(_DATASET, "Data set", _TEXT))
    columns = _with_own_keys(columns)
    keys = [column.key for column in columns]
    frames = []
    for dataset, flipped in by_dataset.items():
        frame = flipped.frame.drop(columns="id")
        beside = flipped.parts.reindex(columns=list(parts))
        whole = pd.concat([flipped.frame["id"], beside, frame], axis=1)
        if names_of_datasets:
            whole.insert(0, _DATASET, names_of_datasets[dataset], allow_duplicates=True)
        frames.append(whole.set_axis(keys, axis=1))
    whole = pd.concat(frames, ignore_index=True)
    if first.kind is Kind.LABELS:
        right = {"a": models[0], "b": models[1], NEITHER: NEITHER}
        last = columns[-1].key
        whole[last] = whole[last].map(right)
    n = sum(flipped.n for flipped in by_dataset.values())
    return Flips(models, tuple(columns), whole, count(n, first.noun))


def _columns(
    flipped: FlippedRows, parts: Sequence[str], models: tuple[str, str], unit: str
) -> list[Column]:
    """Return the columns in the order in which they stand."""
    columns = [Column("id", capital(flipped.noun), _TEXT)]
    for name in parts:
        columns.append(Column(name, capital(clean(name)), _TEXT))
    kind = _NUMBER
    says = ""
    truth = "True class"
    kind_of_truth = _TEXT
    if flipped.kind is Kind.LABELS:
        kind = _TEXT
        says = " predicts"
    elif flipped.kind is Kind.MARKS:
        kind = _MARK
        says = ", mark"
    elif flipped.kind is Kind.NUMBERS:
        says = with_unit(" predicts", unit)
        truth = with_unit("True number", unit)
        kind_of_truth = _NUMBER
    if "truth" in flipped.frame:
        columns.append(Column("truth", truth, kind_of_truth))
    for model in models:
        columns.append(Column(model, f"{model}{says}", kind))
    if flipped.kind is Kind.NUMBERS:
        for model in models:
            columns.append(Column(f"loss_{model}", f"{capital(flipped.loss)} of {model}", _NUMBER))
    if flipped.kind is Kind.LABELS:
        columns.append(Column("right", "Right is", _TEXT))
    return columns


def _with_own_keys(columns: Sequence[Column]) -> list[Column]:
    """Give columns of one name other keys, such as that of a model that is called ``id``."""
    keys = set[str]()
    different = []
    for column in columns:
        key = column.key
        while key in keys:
            key += "_"
        keys.add(key)
        different.append(dataclasses.replace(column, key=key))
    return different


def _text(study: Any, value: Any) -> Cell:
    if pd.isna(value):
        return tables.EMPTY
    return Cell(clean(str(value)), str(value))


def _mark(study: Any, value: float) -> Cell:
    """Show a mark, or the mean of several."""
    if value in (0, 1):
        return Cell(f"{value:.0f}", value)
    return Cell(fixed(value, _DECIMALS), value)


_TEXT = CellKind(_text, number=False)
_MARK = CellKind(_mark)
_NUMBER = tables.numbers(number)

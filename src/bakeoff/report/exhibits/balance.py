"""The share of each class in training and test parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.report import prose
from bakeoff.report.cells import share
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

_MOST_CLASSES = 6
_SHARES = {
    "train_low": "Training parts, least",
    "train_high": "most",
    "test_low": "Test parts, least",
    "test_high": "most",
}
COLUMNS = (
    Column("dataset", "Data set"),
    Column("plan", "Plan"),
    Column("class", "Class"),
    *(Column(key, title, True) for key, title in _SHARES.items()),
)


def build(item: Item, study: Study) -> PageTable:
    """Compare the share of each class between training and test parts."""
    rows = []
    for known in study.divisions:
        for name in _shown(known):
            shares = [*_extremes(known, "train", name), *_extremes(known, "test", name)]
            rows.append(
                {
                    "dataset": text(study.dataset_label(known["dataset"])),
                    "plan": text(prose.PLANS[known["plan"]]),
                    "class": text(clean(name)),
                    **{k: Cell(share(v), v) for k, v in zip(_SHARES, shares, strict=True)},
                }
            )
    note = (
        "The share of each class in the parts of all divisions. Of more than "
        f"{_MOST_CLASSES} classes the rarest and the most frequent ones are shown; "
        "splits/<data set>.<plan>.json has every part."
    )
    return tabulate(item, COLUMNS, rows, note)


def _shown(known: Mapping[str, Any]) -> list[str]:
    """Choose the classes to show: all, or the rarest and the most frequent ones."""
    part = known["parts"][0]["test"]["classes"]
    names = list(part)
    if len(names) <= _MOST_CLASSES:
        return names
    by_size = sorted(names, key=lambda name: part[name])
    half = _MOST_CLASSES // 2
    kept = {*by_size[:half], *by_size[-half:]}
    return [name for name in names if name in kept]


def _extremes(known: Mapping[str, Any], side: str, name: str) -> Iterator[float]:
    sides = [part[side] for part in known["parts"]]
    found = [one["classes"][name] / one["rows"] for one in sides if one["rows"]]
    yield min(found, default=math.nan)
    yield max(found, default=math.nan)


def _divided(asked: Asked) -> bool:
    return bool(asked.divided)


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=70,
    title="Classes in the parts",
    caption="The share of each class in the training and test parts of all divisions, the least "
    "and the most. Stratified divisions keep the shares as nearly as the counts allow; shares that "
    "differ much make the scores of single folds differ for no merit of the models.",
    when=_divided,
    folded="Classes in the parts",
    of_fits=True,
    build=build,
)

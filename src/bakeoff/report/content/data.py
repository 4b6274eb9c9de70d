"""Tables of the data and of how they were divided."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.report import prose
from bakeoff.report.content.cells import count_cell, range_cell, share
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import NONE, count, percent
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, Table, text

_MOST_CLASSES = 6
_FAR_FROM_HALF = 0.25


def data(exhibit: Exhibit, study: Study) -> Table:
    """Describe the data sets."""
    columns = (
        Column("dataset", "Data set"),
        Column("rows", "Rows", True),
        Column("features", "Features", True),
        Column("classes", "Classes"),
        Column("rarest", "Rarest class", True),
        Column("missing_cells", "Missing cells", True),
        Column("duplicate_rows", "Duplicate rows", True),
        Column("licence", "Licence"),
        Column("sha256", "SHA-256"),
    )
    rows = []
    for name in study.datasets:
        card = study.cards[name]
        classes = card["classes"]
        shown = [f"{clean(str(c))}: {n:,}" for c, n in list(classes.items())[:4]]
        more = f" and {count(len(classes) - 4, 'other')}" if len(classes) > 4 else ""
        rarest = min(classes.values()) / card["rows"] if classes else math.nan
        rows.append(
            (
                text(study.dataset_label(name)),
                count_cell(card["rows"]),
                count_cell(len(card["features"])),
                text(", ".join(shown) + more),
                Cell(percent(round(rarest, 3)) if classes else NONE, rarest),
                count_cell(card["missing_cells"]),
                count_cell(card["duplicate_rows"]),
                text(clean(card["licence"]) if card.get("licence") else NONE),
                Cell(str(card["sha256"])[:12], card["sha256"]),
            )
        )
    note = "The hash is of the canonical table; whole in the CSV file."
    return Table(exhibit.title, columns, tuple(rows), note)


def splits(exhibit: Exhibit, study: Study) -> Table:
    """Say how the rows were divided, and how good the divisions are."""
    grouped = any(known["groups"] for known in study.divisions)
    halves = any(known["overlap"] for known in study.divisions)
    columns = (
        Column("dataset", "Data set"),
        Column("plan", "Plan"),
        Column("method", "Divided"),
        Column("splits", "Divisions", True),
        Column("n_train", "Training rows", True),
        Column("n_test", "Test rows", True),
        *([Column("groups", "Groups", True)] if grouped else []),
        Column("max_class_share_difference", "Class shares differ by up to", True),
        *([Column("overlap", "Overlap of halves", True)] if halves else []),
    )
    sizes = study.scores.drop_duplicates(["dataset", "plan", "repeat", "fold"])
    by_place = {(known["dataset"], known["plan"]): known for known in study.divisions}
    rows = []
    for (dataset, plan), part in sizes.groupby(["dataset", "plan"], sort=False):
        known = by_place.get((str(dataset), str(plan)), {})
        groups = known.get("groups")
        rows.append(
            (
                text(study.dataset_label(str(dataset))),
                text(prose.PLANS[str(plan)]),
                text(_method(known)),
                count_cell(len(part)),
                range_cell(part["n_train"]),
                range_cell(part["n_test"]),
                *([count_cell(groups) if groups else Cell(NONE)] if grouped else []),
                _difference(known),
                *([_overlap(known)] if halves else []),
            )
        )
    given = any(map(study.experiment.by_scores, study.experiment.resampling.plans()))
    note = (
        "The scores were given: that they come from the same divisions is the givers' word."
        if given
        else "All models are trained and tested on the same rows of every division. Class shares "
        "are compared between the training and the test part of a division."
    )
    if halves:
        note += (
            " The halves of two replications share half of their rows on average; near 0% or "
            "100% two replications are nearly the same division."
        )
    return Table(exhibit.title, columns, tuple(rows), note)


def _method(known: Mapping[str, Any]) -> str:
    if not known:
        return "not known"
    return f"{known['method']}, stratified" if known["stratified"] else str(known["method"])


def _difference(known: Mapping[str, Any]) -> Cell:
    if not known or known["method"] == "given":
        return Cell("not known")
    value = known["max_class_share_difference"]
    return Cell(f"{100 * value:.1f} points", value)


def _overlap(known: Mapping[str, Any]) -> Cell:
    found = known.get("overlap")
    if not found:
        return Cell(NONE)
    far = max(found["max"] - 0.5, 0.5 - found["min"]) > _FAR_FROM_HALF
    shown = f"{share(found['min'], 0)} to {share(found['max'], 0)}"
    return Cell(shown, found["mean"], tone="bad" if far else "")


def balance(exhibit: Exhibit, study: Study) -> Table:
    """Compare the share of each class between training and test parts."""
    columns = (
        Column("dataset", "Data set"),
        Column("plan", "Plan"),
        Column("class", "Class"),
        Column("train_low", "Training parts, least", True),
        Column("train_high", "most", True),
        Column("test_low", "Test parts, least", True),
        Column("test_high", "most", True),
    )
    rows = []
    for known in study.divisions:
        for name in _shown(known):
            shares = [*_shares(known, "train", name), *_shares(known, "test", name)]
            rows.append(
                (
                    text(study.dataset_label(known["dataset"])),
                    text(prose.PLANS[known["plan"]]),
                    text(clean(name)),
                    *(Cell(share(value), value) for value in shares),
                )
            )
    note = (
        "The share of each class in the parts of all divisions. Of more than "
        f"{_MOST_CLASSES} classes the rarest and the most frequent ones are shown; "
        "splits/<data set>.<plan>.json has every part."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


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


def _shares(known: Mapping[str, Any], side: str, name: str) -> Iterator[float]:
    sides = [part[side] for part in known["parts"]]
    found = [one["classes"][name] / one["rows"] for one in sides if one["rows"]]
    yield min(found, default=math.nan)
    yield max(found, default=math.nan)


def overlap(exhibit: Exhibit, study: Study) -> Table:
    """Show which share of their rows the first halves of two replications have in common."""
    measured = [known for known in study.divisions if known["overlap"]]
    pairs = [tuple(pair["repeats"]) for pair in measured[0]["overlap"]["pairs"]] if measured else []
    columns = (
        Column("dataset", "Data set"),
        *(Column(f"share_{i}_{j}", f"{i} and {j}", True) for i, j in pairs),
        Column("mean", "Mean", True),
    )
    rows = []
    for known in measured:
        values = [pair["share"] for pair in known["overlap"]["pairs"]]
        values.append(known["overlap"]["mean"])
        cells = (Cell(share(value), value) for value in values)
        rows.append((text(study.dataset_label(known["dataset"])), *cells))
    note = (
        "The share of the rows of one replication's first half that are in another's first half; "
        "50% is expected of independent halves."
    )
    return Table(exhibit.title, columns, tuple(rows), note)

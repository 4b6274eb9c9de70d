"""The data, how they were divided, and how good the divisions are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from bakeoff.report import prose
from bakeoff.report.cells import count_cell, range_cell, share
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, fixed, percent, spread
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

DATA_COLUMNS = (
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


def build_data(item: Item, study: Study) -> PageTable:
    """Describe the data sets."""
    rows = []
    for name in study.datasets:
        card = study.cards[name]
        classes = card["classes"]
        shown = [f"{clean(str(c))}: {n:,}" for c, n in list(classes.items())[:4]]
        more = f" and {count(len(classes) - 4, 'other')}" if len(classes) > 4 else ""
        rarest = min(classes.values()) / card["rows"] if classes else math.nan
        rows.append(
            {
                "dataset": text(study.dataset_label(name)),
                "rows": count_cell(card["rows"]),
                "features": count_cell(len(card["features"])),
                "classes": text(", ".join(shown) + more),
                "rarest": Cell(percent(round(rarest, 3)) if classes else NONE, rarest),
                "missing_cells": count_cell(card["missing_cells"]),
                "duplicate_rows": count_cell(card["duplicate_rows"]),
                "licence": text(clean(card["licence"]) if card.get("licence") else NONE),
            }
        )
        if "sha256" in card:
            rows[-1]["sha256"] = Cell(str(card["sha256"])[:12], card["sha256"])
    hashed = any("sha256" in row for row in rows)
    note = "The hash is of the canonical table; whole in the CSV file." if hashed else ""
    sizes = [study.cards[name]["rows"] for name in study.datasets]
    summary = f"{count(len(rows), 'data set')} of {spread(sizes)} rows"
    return tabulate(item, DATA_COLUMNS, rows, note, summary=summary)


_FAR_FROM_HALF = 0.25
SPLITS_COLUMNS = (
    Column("dataset", "Data set"),
    Column("plan", "Plan"),
    Column("method", "Divided"),
    Column("splits", "Divisions", True),
    Column("n_train", "Training rows", True),
    Column("n_test", "Test rows", True),
    Column("groups", "Groups", True),
    Column("test_groups", "In a test part", True),
    Column("effective_groups", "Worth", True),
    Column("max_class_share_difference", "Class shares differ by up to", True),
    Column("overlap", "Overlap of halves", True),
)


def build_splits(item: Item, study: Study) -> PageTable:
    """Say how the rows were divided, and how good the divisions are."""
    grouped = any(known["groups"] for known in study.divisions)
    halves = any(known["overlap"] for known in study.divisions)
    sizes = study.scores.drop_duplicates(["dataset", "plan", "repeat", "fold"])
    by_place = {(known["dataset"], known["plan"]): known for known in study.divisions}
    rows = []
    for (dataset, plan), part in sizes.groupby(["dataset", "plan"], sort=False):
        known = by_place.get((str(dataset), str(plan)), {})
        groups = known.get("groups")
        row = {
            "dataset": text(study.dataset_label(str(dataset))),
            "plan": text(prose.PLANS[str(plan)]),
            "method": text(_method(known)),
            "splits": count_cell(len(part)),
            "n_train": range_cell(part["n_train"]),
            "n_test": range_cell(part["n_test"]),
            "max_class_share_difference": _difference(known),
        }
        if grouped:
            row["groups"] = count_cell(groups) if groups else Cell(NONE)
            row |= _test_groups(known)
        if halves:
            row["overlap"] = _overlap(known)
        rows.append(row)
    given = any(map(study.experiment.by_scores, study.experiment.resampling.plans()))
    note = (
        "The scores were given: that they come from the same divisions is the givers' word."
        if given
        else "All models are trained and tested on the same rows of every division. Class shares "
        "are compared between the training and the test part of a division."
    )
    if grouped:
        note += (
            " Groups are never divided; uneven ones are worth as many groups of one size as have "
            "the same sum of squared shares."
        )
    if halves:
        note += (
            " The halves of two replications share half of their rows on average; near 0% or "
            "100% two replications are nearly the same division."
        )
    far = max((_far(known) for known in study.divisions), default=0)
    summary = f"{count(len(rows), 'division plan')} of {count(len(study.datasets), 'data set')}"
    if far:
        summary += f", class shares differ by up to {100 * far:.1f} points"
    return tabulate(item, SPLITS_COLUMNS, rows, note, summary=summary)


def _test_groups(known: Mapping[str, Any]) -> dict[str, Cell]:
    if not known.get("groups"):
        return {"test_groups": Cell(NONE), "effective_groups": Cell(NONE)}
    tested = pd.DataFrame([part["test"] for part in known["parts"]])
    least = float(tested["effective_groups"].min())
    return {
        "test_groups": range_cell(tested["groups"]),
        "effective_groups": Cell(f"{fixed(least, 1)} or more", least),
    }


def _method(known: Mapping[str, Any]) -> str:
    if not known:
        return "not known"
    return f"{known['method']}, stratified" if known["stratified"] else str(known["method"])


def _far(known: Mapping[str, Any]) -> float:
    return 0.0 if known["method"] == "given" else float(known["max_class_share_difference"])


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


_MOST_CLASSES = 6
_SHARES = {
    "train_low": "Training parts, least",
    "train_high": "most",
    "test_low": "Test parts, least",
    "test_high": "most",
}
BALANCE_COLUMNS = (
    Column("dataset", "Data set"),
    Column("plan", "Plan"),
    Column("class", "Class"),
    *(Column(key, title, True) for key, title in _SHARES.items()),
)


def build_balance(item: Item, study: Study) -> PageTable:
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
    return tabulate(item, BALANCE_COLUMNS, rows, note)


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


def build_overlap(item: Item, study: Study) -> PageTable:
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
        found = known["overlap"]
        shares = [*(pair["share"] for pair in found["pairs"]), found["mean"]]
        cells = (Cell(share(value), value) for value in shares)
        named = dict(zip((column.key for column in columns[1:]), cells, strict=True))
        rows.append({"dataset": text(study.dataset_label(known["dataset"])), **named})
    note = (
        "The share of the rows of one replication's first half that are in another's first half; "
        "50% is expected of independent halves."
    )
    return tabulate(item, columns, rows, note)


EXHIBITS = {
    "data": TableExhibit(
        section=Section.TRUST,
        place=50,
        title="The data",
        caption="The data sets: rows, features, classes and their balance, missing cells, "
        "duplicate rows, licence, and a hash of the canonical table.",
        of_rows=True,
        build=build_data,
    ),
    "splits": TableExhibit(
        section=Section.TRUST,
        place=60,
        title="The splits",
        caption="How the rows were divided, and how good the divisions are: the sizes of the "
        "parts, by how much the share of a class differs at most between a training and a test "
        "part, and for 5 × 2-fold cross-validation which share of their rows the halves of two "
        "replications have in common (half of them is expected). All models are trained and tested "
        "on the same rows of every division.",
        of_fits=True,
        build=build_splits,
    ),
    "balance": TableExhibit(
        section=Section.TRUST,
        place=70,
        title="Classes in the parts",
        caption="The share of each class in the training and test parts of all divisions, the "
        "least and the most. Stratified divisions keep the shares as nearly as the counts allow; "
        "if shares differ much, the scores of single folds differ for reasons other than the "
        "models.",
        when=lambda asked: bool(asked.divided),
        folded="Classes in the parts",
        of_fits=True,
        build=build_balance,
    ),
    "overlap": TableExhibit(
        section=Section.TRUST,
        place=80,
        title="Overlap of the halves",
        caption="For 5 × 2-fold cross-validation: the share of the rows of one replication's "
        "first half that are in another's first half. Independent halves share 50% on average; "
        "near 0% or 100% two replications are nearly the same division, and their differences "
        "nearly the same evidence counted twice.",
        when=lambda asked: "cv_5x2" in asked.divided,
        folded="Overlap of the halves",
        of_fits=True,
        build=build_overlap,
    ),
}

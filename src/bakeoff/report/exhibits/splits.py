"""How the rows were divided, and how good the divisions are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bakeoff.report import prose
from bakeoff.report.cells import count_cell, range_cell, share
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, fixed
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

_FAR_FROM_HALF = 0.25
COLUMNS = (
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


def build(item: Item, study: Study) -> PageTable:
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
    return tabulate(item, COLUMNS, rows, note, summary=summary)


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


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=60,
    title="The splits",
    caption="How the rows were divided, and how good the divisions are: the sizes of the parts, "
    "by how much the share of a class differs at most between a training and a test part, and for "
    "5 × 2-fold cross-validation which share of their rows the halves of two replications have in "
    "common (half of them is expected). All models are trained and tested on the same rows of "
    "every division.",
    of_fits=True,
    build=build,
)

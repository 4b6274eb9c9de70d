"""The data, how they were divided, and how good the divisions are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from bakeoff.report.cells import COUNT, DATASET, DATASET_LABEL, PLAN, SIZES
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, fixed, percent, share, spread
from bakeoff.report.prose import of_target
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.tables import Cell, Column, Kind, PageTable, numbers, tabulate

RARE = numbers(lambda value: NONE if math.isnan(value) else percent(round(value, 3)))
POINTS = numbers(lambda value: f"{100 * value:.1f} points")
IN_SD = numbers(lambda value: f"{fixed(value, 2)} SD")
AT_LEAST = numbers(lambda value: f"{fixed(value, 1)} or more")
HASH = Kind(lambda study, value: Cell(str(value)[:12], value), number=False)
OVERLAP = Kind(lambda study, known: _overlap(known))
DATA_COLUMNS = (
    Column("dataset", "Data set", DATASET_LABEL),
    Column("rows", "Rows", COUNT),
    Column("features", "Features", COUNT),
    Column("classes", "Classes"),
    Column("target", "Target"),
    Column("rarest", "Rarest class", RARE),
    Column("missing_cells", "Missing cells", COUNT),
    Column("duplicate_rows", "Duplicate rows", COUNT),
    Column("licence", "Licence"),
    Column("sha256", "SHA-256", HASH),
)


def build_data(item: Item, study: Study) -> PageTable:
    """Describe the data sets."""
    rows = []
    for name in study.datasets:
        card = study.cards[name]
        told = {
            "features": len(card["features"]),
            **_answers(study, name, card),
            "licence": clean(card["licence"]) if card.get("licence") else NONE,
        }
        rows.append({**card, **told})
    sizes = [study.cards[name]["rows"] for name in study.datasets]
    summary = f"{count(len(rows), 'data set')} of {spread(sizes)} rows"
    return tabulate(item, study, DATA_COLUMNS, rows, summary=summary)


def _answers(study: Study, dataset: str, card: Mapping[str, Any]) -> dict[str, Any]:
    """Say which classes there are, or how large the numbers are."""
    said = of_target(card, study.experiment.datasets[dataset].unit)
    if "numbers" in card:
        return {"target": said}
    counts = card["classes"].values()
    return {"classes": said, "rarest": min(counts) / card["rows"] if counts else math.nan}


_FAR_FROM_HALF = 0.25
SPLITS_COLUMNS = (
    DATASET,
    PLAN,
    Column("method", "Method"),
    Column("splits", "Divisions", COUNT),
    Column("n_train", "Training rows", SIZES),
    Column("n_test", "Test rows", SIZES),
    Column("groups", "Groups", COUNT),
    Column("test_groups", "In a test part", SIZES),
    Column("effective_groups", "Effective number", AT_LEAST),
    Column("max_class_share_difference", "Largest difference of class shares", POINTS),
    Column("max_mean_difference", "Largest difference of means", IN_SD),
    Column("overlap", "Overlap of halves", OVERLAP),
)


def build_splits(item: Item, study: Study) -> PageTable:
    """Say how the rows were divided, and how good the divisions are."""
    sizes = study.scores.drop_duplicates(["dataset", "plan", "repeat", "fold"])
    by_place = {(known["dataset"], known["plan"]): known for known in study.divisions}
    of_numbers = study.experiment.task.numbers
    differs = "max_mean_difference" if of_numbers else "max_class_share_difference"
    rows = []
    for (dataset, plan), part in sizes.groupby(["dataset", "plan"], sort=False):
        known = by_place.get((str(dataset), str(plan)), {})
        row: dict[str, Any] = {
            "dataset": dataset,
            "plan": plan,
            "method": _method(known),
            "splits": len(part),
            "n_train": part["n_train"],
            "n_test": part["n_test"],
            differs: Cell("not known"),
        }
        if known and known["method"] != "given":
            row[differs] = known["max_class_share_difference"]
        if known.get("groups"):
            tested = pd.DataFrame([one["test"] for one in known["parts"]])
            row |= {"groups": known["groups"], "test_groups": tested["groups"]}
            row["effective_groups"] = float(tested["effective_groups"].min())
        if known.get("overlap"):
            row["overlap"] = known["overlap"]
        rows.append(row)
    given = any(map(study.experiment.by_scores, study.experiment.resampling.plans()))
    note = [
        "The scores were given; bakeoff cannot check that they come from the same divisions."
        if given
        else "All models are trained and tested on the same rows of every division."
    ]
    if any("groups" in row for row in rows):
        note.append(
            "Groups are never divided. The effective number of groups is the number of groups of "
            "equal size with the same sum of squared shares."
        )
    if any("overlap" in row for row in rows):
        note.append(
            "The halves of two replications are expected to share half of their rows; near 0% or "
            "100% two replications are nearly the same division."
        )
    measured = (row[differs] for row in rows)
    far = max((value for value in measured if not isinstance(value, Cell)), default=0)
    summary = f"{count(len(rows), 'division plan')} of {count(len(study.datasets), 'data set')}"
    if far and of_numbers:
        summary += f", means differ by up to {fixed(far, 2)} standard deviations"
    elif far:
        summary += f", class shares differ by up to {100 * far:.1f} points"
    return tabulate(item, study, SPLITS_COLUMNS, rows, " ".join(note), summary=summary)


def _method(known: Mapping[str, Any]) -> str:
    if not known:
        return "not known"
    return f"{known['method']}, stratified" if known["stratified"] else str(known["method"])


def _overlap(known: Mapping[str, float]) -> Cell:
    far = max(known["max"] - 0.5, 0.5 - known["min"]) > _FAR_FROM_HALF
    shown = f"{share(known['min'], 0)} to {share(known['max'], 0)}"
    return Cell(shown, known["mean"], tone="bad" if far else "")


EXHIBITS = {
    "data": TableExhibit(
        section=Section.TRUST,
        place=50,
        title="The data",
        caption="The data sets, with a hash of the canonical table (complete in the CSV file).",
        of_rows=True,
        build=build_data,
    ),
    "splits": TableExhibit(
        section=Section.TRUST,
        place=60,
        title="The splits",
        caption="How the rows were divided, and how much the share of a class (the mean of "
        "numbers, in standard deviations) differs at most between the training part and the test "
        "part of a division.",
        of_fits=True,
        build=build_splits,
    ),
}

"""The data, how they were divided, and how good the divisions are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from bakeoff.report.cells import COUNT, DATASET, DATASET_LABEL, PLAN, SCORE, SIZES
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, fixed, percent, share, spread
from bakeoff.report.prose import of_target
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.tables import Cell, Column, Kind, PageTable, numbers, tabulate
from bakeoff.report.written import Written, decimals

RARE = numbers(lambda value: NONE if math.isnan(value) else percent(round(value, 3)))
FINE_SHARE = numbers(share)
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


_MOST_CLASSES = 6
_SHARES = {
    "train_low": "Training parts, smallest",
    "train_high": "largest",
    "test_low": "Test parts, smallest",
    "test_high": "largest",
}
BALANCE_COLUMNS = (
    DATASET,
    PLAN,
    Column("class", "Class"),
    *(Column(key, title, FINE_SHARE) for key, title in _SHARES.items()),
)


def build_balance(item: Item, study: Study) -> PageTable:
    """Compare the share of each class between training and test parts."""
    rows = []
    for known in study.divisions:
        sizes = known["parts"][0]["test"]["classes"]
        by_size = sorted(sizes, key=lambda name: sizes[name])
        if len(sizes) > _MOST_CLASSES:
            by_size = [*by_size[: _MOST_CLASSES // 2], *by_size[-_MOST_CLASSES // 2 :]]
        for name in sizes:
            if name in by_size:
                shares = [*_extremes(known, "train", name), *_extremes(known, "test", name)]
                rows.append(
                    {"dataset": known["dataset"], "plan": known["plan"], "class": clean(name)}
                    | dict(zip(_SHARES, shares, strict=True))
                )
    note = (
        f"Of more than {_MOST_CLASSES} classes the table has the rarest and the most frequent; "
        "splits/<data set>.<plan>.json has every part."
    )
    return tabulate(item, study, BALANCE_COLUMNS, rows, note)


def _extremes(known: Mapping[str, Any], side: str, name: str) -> Iterator[float]:
    sides = [part[side] for part in known["parts"]]
    found = [one["classes"][name] / one["rows"] for one in sides if one["rows"]]
    yield min(found, default=math.nan)
    yield max(found, default=math.nan)


_OF_PART = {
    "mean_low": ("Mean, smallest", min, "mean"),
    "mean_high": ("largest", max, "mean"),
    "sd_low": ("SD, smallest", min, "sd"),
    "sd_high": ("largest", max, "sd"),
    "least": ("Least number", min, "min"),
    "greatest": ("Greatest number", max, "max"),
}
NUMBERS_COLUMNS = (
    DATASET,
    PLAN,
    Column("part", "Parts"),
    *(Column(key, title, SCORE) for key, (title, _, _) in _OF_PART.items()),
)


def _of_numbers(study: Study, dataset: str) -> Written:
    """Write the target of a data set as its mean over all rows deserves."""
    card, unit = study.cards[dataset], study.experiment.datasets[dataset].unit
    found = card["numbers"]
    digits = decimals([found["sd"] / math.sqrt(card["rows"])], [found["mean"]])
    return Written("target", clean(unit) if unit else "", digits)


def build_numbers(item: Item, study: Study) -> PageTable:
    """Compare the target between training and test parts."""
    rows: list[dict[str, Any]] = []
    for known in study.divisions:
        for side, called in (("train", "training"), ("test", "test")):
            found = [one for part in known["parts"] if (one := part[side].get("numbers"))]
            if found:
                rows.append(
                    {"dataset": known["dataset"], "plan": known["plan"], "part": called}
                    | {"written": _of_numbers(study, known["dataset"])}
                    | {key: end(o[of] for o in found) for key, (_, end, of) in _OF_PART.items()}
                )
    return tabulate(item, study, NUMBERS_COLUMNS, rows)


def build_overlap(item: Item, study: Study) -> PageTable:
    """Show which share of their rows the first halves of two replications have in common."""
    measured = [known for known in study.divisions if known["overlap"]]
    pairs = [tuple(pair["repeats"]) for pair in measured[0]["overlap"]["pairs"]] if measured else []
    columns = (
        Column("dataset", "Data set", DATASET_LABEL),
        *(Column(f"share_{i}_{j}", f"{i} and {j}", FINE_SHARE) for i, j in pairs),
        Column("mean", "Mean", FINE_SHARE),
    )
    rows = []
    for known in measured:
        found = known["overlap"]
        shares = [known["dataset"], *(pair["share"] for pair in found["pairs"]), found["mean"]]
        rows.append(dict(zip((column.key for column in columns), shares, strict=True)))
    return tabulate(item, study, columns, rows)


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
    "balance": TableExhibit(
        section=Section.TRUST,
        place=70,
        title="Class shares in the parts",
        caption="The smallest and the largest share of each class in the training parts and in the "
        "test parts of all divisions. Stratified divisions keep the shares as equal as the counts "
        "allow; if shares differ much, scores of single folds differ for reasons other than the "
        "models.",
        when=lambda design: bool(design.divided) and not design.experiment.task.numbers,
        folded="Class shares in the parts",
        of_fits=True,
        build=build_balance,
    ),
    "target": TableExhibit(
        section=Section.TRUST,
        place=70,
        title="The target in the parts",
        caption="The smallest and the largest mean and standard deviation of the target in the "
        "training parts and in the test parts of all divisions, its least and its greatest value. "
        "If means differ much, or test parts reach beyond the training parts, scores of single "
        "folds differ for reasons other than the models.",
        when=lambda design: bool(design.divided) and design.experiment.task.numbers,
        folded="The target in the parts",
        of_fits=True,
        build=build_numbers,
    ),
    "overlap": TableExhibit(
        section=Section.TRUST,
        place=80,
        title="Overlap of the halves",
        caption="For 5 × 2-fold cross-validation: the share of the rows of one replication's "
        "first half that are also in another replication's first half. Independent halves share "
        "50% on average; near 0% or 100% two replications are nearly the same division, and their "
        "differences count nearly the same evidence twice.",
        when=lambda design: "cv_5x2" in design.divided,
        folded="Overlap of the halves",
        of_fits=True,
        build=build_overlap,
    ),
}

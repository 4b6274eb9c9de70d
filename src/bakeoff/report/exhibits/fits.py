"""What the fits chose, which failed, and how they vary."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from bakeoff.report.cells import COUNT, DATASET, MODEL, PLAN, SCORE, SHARE
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, number
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.tables import Column, PageTable, tabulate


def build_seeds(item: Item, study: Study) -> PageTable:
    """Set the noise of the seeds against that of the splits."""
    columns = (
        DATASET,
        MODEL,
        PLAN,
        Column("seeds", "Seeds", COUNT),
        Column("folds", "Folds", COUNT),
        Column("mean", capital(study.metric.title), SCORE),
        Column("sd_between_seeds", "SD between seeds", SCORE),
        Column("sd_between_folds", "SD between folds", SCORE),
        Column("share_of_seeds", "Variance due to seeds", SHARE),
    )
    rows = study.seeds.to_dict("records")
    own = [line for line in rows if line["metric"] == study.metric.name]
    return tabulate(item, study, columns, own, "Other metrics are in seeds.csv.")


_MOST_VALUES = 5
CHOICES_COLUMNS = (
    DATASET,
    MODEL,
    PLAN,
    Column("parameter", "Parameter"),
    Column("fits", "Fits", COUNT),
    Column("values", "Values"),
)


def build_choices(item: Item, study: Study) -> PageTable:
    """Count what the fits chose on their training parts."""
    by = ["dataset", "model", "plan", "parameter"]
    groups = study.choices.groupby(by, sort=False) if len(study.choices) else ()
    rows = (
        dict(zip(by, key, strict=True))
        | {
            "parameter": clean(str(key[-1])),
            "fits": len(own),
            "values": _values([clean(value) for value in own["value"]]),
        }
        for key, own in groups
    )
    return tabulate(item, study, CHOICES_COLUMNS, rows, "choices.csv lists every fit.")


def _values(found: list[str]) -> str:
    """Count values; of many different numbers give the median and the range."""
    counts = Counter(found)
    numbers = [_number(value) for value in found]
    if len(counts) > _MOST_VALUES and None not in numbers:
        ordered = sorted(value for value in numbers if value is not None)
        low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
        return f"{number(low)} to {number(high)}, median {number(middle)}"
    shown = [f"{value} ({n}×)" for value, n in counts.most_common(_MOST_VALUES)]
    rest = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _number(value: str) -> float | None:
    try:
        found: Any = json.loads(value)
    except ValueError:
        return None
    return float(found) if isinstance(found, (int, float)) else None


EXCLUDED_COLUMNS = (
    MODEL,
    DATASET,
    PLAN,
    Column("fits", "Failed fits", COUNT),
    Column("why", "Reason"),
)


def build_excluded(item: Item, study: Study) -> PageTable:
    """Count the fits that failed, whose models were left out, by reason."""
    if study.failed.empty:
        none = "No fit failed and no model was left out."
        return tabulate(item, study, EXCLUDED_COLUMNS, (), none)
    by = ["model", "dataset", "plan", "why"]
    rows = (
        dict(zip(by, key, strict=True)) | {"fits": len(own), "why": clean(str(key[-1]))}
        for key, own in study.failed.groupby(by, sort=False)
    )
    return tabulate(item, study, EXCLUDED_COLUMNS, rows, "excluded.csv lists every failed fit.")


EXHIBITS = {
    "seeds": TableExhibit(
        section=Section.MODELS,
        place=50,
        title="Variation between seeds",
        caption="The standard deviation of a score between seeds on the same fold and between "
        "folds, and the share of the variance of a single fit that is due to the seed. If this "
        "share is large, a difference of that size may be due to the seeds alone; averaging over "
        "more seeds reduces it.",
        when=lambda design: any(model.seeds > 1 for model in design.experiment.fitted.values()),
        folded="Variation between seeds",
        build=build_seeds,
    ),
    "choices": TableExhibit(
        section=Section.MODELS,
        place=40,
        title="Choices made in training",
        caption="Parameters, thresholds and numbers of rounds that each fit chose on its own "
        "training rows, and how many fits chose each value. The choice is part of the compared "
        "algorithm: every fit repeats it and no test row is used for it. Choices that differ "
        "between folds are not determined well by the data.",
        when=lambda design: any(model.chooses for model in design.experiment.fitted.values()),
        folded="Choices made in training",
        build=build_choices,
    ),
    "excluded": TableExhibit(
        section=Section.TRUST,
        place=40,
        title="Fits that failed",
        caption="A model with a failed fit on a data set is left out of the comparisons on that "
        "data set, because scores on different rows cannot be compared. Results of the other "
        "models do not depend on it.",
        when=lambda design: (
            design.experiment.on_error == "exclude" and bool(design.experiment.fitted)
        ),
        build=build_excluded,
    ),
}

"""What fitting and predicting cost, by model."""

from __future__ import annotations

from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.may_be_best import cheapest
from bakeoff.report.numbers import fixed, number, seconds
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

COLUMNS = (
    Column("model", "Model"),
    Column("fits", "Fits", True),
    Column("fit_seconds", "One fit", True),
    Column("predict_seconds", "One prediction", True),
    Column("total_seconds", "All fits", True),
    Column("peak_memory_mb", "Peak memory", True),
)


def build(item: Item, study: Study) -> PageTable:
    """Tell what fitting and predicting cost, by model."""
    found = study.timings.groupby("model", sort=False).agg(
        fits=("fit_seconds", "size"),
        fit_seconds=("fit_seconds", "mean"),
        predict_seconds=("predict_seconds", "mean"),
        total_seconds=("fit_seconds", "sum"),
        peak_memory_mb=("peak_memory_mb", "max"),
    )
    rows = (
        {
            "model": text(study.label(str(model))),
            "fits": Cell(number(float(line["fits"])), line["fits"]),
            **{k: Cell(seconds(line[k]), line[k]) for k in line.index if k.endswith("_seconds")},
            "peak_memory_mb": Cell(
                f"{fixed(line['peak_memory_mb'], 0)} MB", line["peak_memory_mb"]
            ),
        }
        for model, line in found.reindex(list(study.experiment.fitted)).iterrows()
    )
    note = " ".join(["Means over all fits, and their sum.", *cheapest(study)])
    return tabulate(item, COLUMNS, rows, note)


def _fitted(asked: Asked) -> bool:
    return bool(asked.experiment.fitted)


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=60,
    title="Time and memory",
    caption="Seconds of one fit and one prediction (means), of all fits together, and peak memory. "
    "These differ from run to run; everything else in the report does not.",
    when=_fitted,
    folded="Time and memory",
    timed=True,
    of_fits=True,
    build=build,
)

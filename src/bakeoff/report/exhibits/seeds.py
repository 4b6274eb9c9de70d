"""The noise of the seeds against that of the splits."""

from __future__ import annotations

from bakeoff.report import prose
from bakeoff.report.cells import capital, count_cell, score_cell, share
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text


def build(item: Item, study: Study) -> PageTable:
    """Set the noise of the seeds against that of the splits."""
    columns = (
        Column("dataset", "Data set"),
        Column("model", "Model"),
        Column("plan", "Plan"),
        Column("seeds", "Seeds", True),
        Column("folds", "Folds", True),
        Column("mean", capital(study.metric.title), True),
        Column("sd_between_seeds", "SD between seeds", True),
        Column("sd_between_folds", "SD between folds", True),
        Column("share_of_seeds", "Variance due to seeds", True),
    )
    scored = ("mean", "sd_between_seeds", "sd_between_folds")
    rows = (
        {
            "dataset": text(study.dataset_label(line["dataset"])),
            "model": text(study.label(line["model"])),
            "plan": text(prose.PLANS[line["plan"]]),
            "seeds": count_cell(line["seeds"]),
            "folds": count_cell(line["folds"]),
            **{key: score_cell(line[key]) for key in scored},
            "share_of_seeds": Cell(share(line["share_of_seeds"], 0), line["share_of_seeds"]),
        }
        for line in study.seeds.to_dict("records")
        if line["metric"] == study.metric.name
    )
    note = (
        "The same model on the same rows scores differently with another seed. Where the seeds "
        "make much of the variance, a difference of that size is luck, whatever the split; more "
        "seeds average it out. Other metrics are in seeds.csv."
    )
    return tabulate(item, columns, rows, note)


def _seeded(asked: Asked) -> bool:
    return any(model.seeds > 1 for model in asked.experiment.fitted.values())


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=50,
    title="Noise of the seeds",
    caption="The noise of an algorithm against the noise of the splits: the standard deviation of "
    "the score of one fold between seeds, that between folds, and the share of a single fit's "
    "variance that the seed makes.",
    when=_seeded,
    folded="Noise of the seeds",
    build=build,
)

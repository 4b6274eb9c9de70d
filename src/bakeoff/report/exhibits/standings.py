"""Where models stand over several data sets: average ranks and win rates."""

from __future__ import annotations

from bakeoff.report import cells
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.exhibits.models import RANK
from bakeoff.report.item import Item
from bakeoff.report.numbers import percent
from bakeoff.report.standings import lines
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Column, PageTable, tabulate
from bakeoff.stats import Evidence

MOST_MODELS = 30
"""So many models are shown; the JSON has all."""


def build_standings(item: Item, study: Study) -> PageTable:
    """Give each model's average rank and win rate."""
    ci = f"{percent(1 - study.alpha)} CI"
    columns = (
        Column("average_rank", "Average rank", RANK),
        cells.MODEL,
        Column("win_rate", "Win rate", cells.SCORE),
        Column("win_rate_ci", ci, cells.INTERVAL),
        Column("data_sets", "Data sets", cells.COUNT),
    )
    rows = list(lines(study))
    more = len(rows) - MOST_MODELS
    summary = f"… and {more} more models" if more > 0 else ""
    return tabulate(item, study, columns, rows[:MOST_MODELS], summary=summary)


def _over_datasets(design: StudyDesign) -> bool:
    return len(design.models) > 1 and any(
        entry.evidence is Evidence.DATASET_SCORES for entry in design.tests
    )


EXHIBITS = {
    "standings": TableExhibit(
        section=Section.MODELS,
        place=15,
        title="Standings",
        caption="How the models stand among each other over all data sets. The win rate is the "
        "mean share of the other models that a model beats on a data set. Each interval holds by "
        "itself, and all depends on which models are compared.",
        when=_over_datasets,
        build=build_standings,
    ),
}

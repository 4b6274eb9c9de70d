"""Where models stand over several data sets: win rates and strengths."""

from __future__ import annotations

from bakeoff.report import cells
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.exhibits.models import RANK
from bakeoff.report.item import Item
from bakeoff.report.numbers import fixed, percent
from bakeoff.report.standings import lines, shows_strengths, standings, too_short
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Cell, Column, Kind, PageTable, tabulate
from bakeoff.stats import Evidence

MOST_MODELS = 30
"""So many models are shown; the JSON has all."""
_ELO = Kind(lambda study, value: Cell(f"{value:.0f}", value))
_ELO_CI = Kind(lambda study, ends: Cell(f"[{ends[0]:.0f}, {ends[1]:.0f}]", ends[0], high=ends[1]))
_PERCENT = Kind(lambda study, value: Cell(fixed(value, 1), value))


def build_standings(item: Item, study: Study) -> PageTable:
    """Give each model's average rank, win rate, strength and improvability."""
    found = standings(study)
    ci = f"{percent(1 - study.alpha)} CI"
    strengths = found is not None and shows_strengths(study, found)
    columns = (
        Column("average_rank", "Average rank", RANK),
        cells.MODEL,
        Column("win_rate", "Win rate", cells.SCORE),
        Column("win_rate_ci", ci, cells.INTERVAL),
        Column("data_sets", "Data sets", cells.COUNT),
        Column("elo", "Elo", _ELO),
        Column("elo_ci", f"Elo, {ci}", _ELO_CI),
        Column("improvability", "Improvability, %", _PERCENT),
    )
    hidden = () if strengths else ("elo", "elo_ci")
    rows = [
        {
            key: value
            for key, value in line.items()
            if key not in hidden and not (key == "elo_ci" and value[0] != value[0])
        }
        for line in lines(study)
    ]
    more = len(rows) - MOST_MODELS
    summary = f"… and {more} more models" if more > 0 else ""
    shown = rows[:MOST_MODELS]
    return tabulate(item, study, columns, shown, _note(study, strengths=strengths), summary=summary)


def _note(study: Study, *, strengths: bool) -> str:
    found = standings(study)
    if found is None:
        return ""
    said = []
    if found.incomplete:
        said.append(
            "Scores are missing, so the average rank is the one that the strengths expect on a "
            "full table: average ranks over different data sets do not compare."
        )
    if strengths and found.strengths.prior:
        said.append(
            "Some models win everything against others, so a quarter of a win was added each way "
            "to every pair that met."
        )
    if strengths and (short := too_short(found)):
        said.append(
            f"With {found.n} data sets the interval of the Elo of {study.names(short)} is too "
            "short."
        )
    return " ".join(said)


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
        "mean share of the other models that a model beats on a data set; Elo is the strength of "
        "Bradley and Terry's model, with a mean of 1000. Improvability describes by how many "
        "percent the best model of a data set errs less. Each interval holds by itself, and all "
        "depends on which models are compared.",
        when=_over_datasets,
        build=build_standings,
    ),
}

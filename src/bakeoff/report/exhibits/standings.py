"""Where models stand over several data sets: average ranks and win rates."""

from __future__ import annotations

from bakeoff.report import cells
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.exhibits.models import RANK
from bakeoff.report.item import Item
from bakeoff.report.numbers import fixed, percent
from bakeoff.report.standings import lines, pair_lines, standings
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Cell, Column, Kind, PageTable, tabulate
from bakeoff.stats import Evidence

MOST_MODELS = 30
"""So many models are shown; the JSON has all."""
_COUNT = Kind(lambda study, n: Cell(f"{n:g}" if n == round(n) else fixed(n, 2), n))


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


def build_wins(item: Item, study: Study) -> PageTable:
    """Count wins, draws and losses of each pair."""
    found = standings(study)
    columns = (
        cells.A,
        cells.B,
        Column("data_sets", "Data sets", _COUNT),
        Column("wins", "A wins", _COUNT),
        Column("draws", "Draws", _COUNT),
        Column("losses", "B wins", _COUNT),
        Column("win_rate", "Win rate of A", cells.SCORE),
        Column("win_rate_ci", f"{percent(1 - study.alpha)} CI", cells.INTERVAL),
    )
    best = set(() if found is None else found.models[:MOST_MODELS])
    rows = (line for line in pair_lines(study) if {line["model_a"], line["model_b"]} <= best)
    return tabulate(item, study, columns, rows)


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
    "wins": TableExhibit(
        section=Section.COMPARISONS,
        place=27,
        title="Wins of pairs",
        caption="On how many data sets each model of a pair scores better, of those on which both "
        "have a score. The win rate counts a draw as half a win; its interval (Clopper and "
        "Pearson's) holds by itself.",
        when=_over_datasets,
        build=build_wins,
    ),
}

"""From an exhibit's name to its drawing."""

from __future__ import annotations

import dataclasses

from matplotlib.figure import Figure

from bakeoff.report.figures import pairs, posterior, ranks, rows, scores
from bakeoff.report.figures.style import message, styled
from bakeoff.report.names import Exhibit
from bakeoff.report.selection import difference_name, families_of, order, rows_of, what_is_shown
from bakeoff.report.study import Study


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A figure with what a reader who cannot see it needs, and what it shows."""

    exhibit: Exhibit
    figure: Figure
    alt: str
    shows: str


def draw(exhibit: Exhibit, study: Study) -> Drawing:
    """Draw an exhibit; where the evidence allows no figure, it says why."""
    with styled():
        figure, alt, shows = _draw(exhibit, study)
    return Drawing(exhibit, figure, alt, shows)


def _draw(exhibit: Exhibit, study: Study) -> tuple[Figure, str, str]:
    if exhibit.kind == "scores":
        return *scores.scores(study), ""
    if exhibit.kind == "disagreement":
        dataset = exhibit.dataset or study.datasets[0]
        return *rows.disagreement(study, dataset, order(study)), ""
    families = families_of(study, exhibit.test)
    chosen = rows_of(study, families)
    if not chosen:
        text = f"{exhibit.title}: there is no result"
        return message(text), text, ""
    shows = what_is_shown(study, families, chosen)
    if exhibit.kind == "matrix":
        return *pairs.matrix(study, families, order(study)), ""
    if exhibit.kind == "ranks":
        return ranks.ranks(study, families[0])
    if exhibit.kind == "ten_t":
        return *pairs.ten_t(chosen), shows
    if exhibit.kind == "posterior":
        return *posterior.posteriors(chosen, families[0]), shows
    return *pairs.forest(chosen, families[0], difference_name(families[0])), shows

"""What a table or figure of the report is; one record for each is in `bakeoff.report.exhibits`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

from bakeoff.report.item import Item

if TYPE_CHECKING:  # who lists exhibits draws none
    from matplotlib.figure import Figure

    from bakeoff.report.study import Study
    from bakeoff.report.study_design import StudyDesign
    from bakeoff.report.tables import PageTable

MOST_DATASETS = 20
"""With more data sets, none has exhibits of its own."""


class Section(StrEnum):
    """The parts of the report, in their order."""

    MODELS = "Models"
    COMPARISONS = "Comparisons"
    TRUST = "Validity"
    MADE = "Methods"


class Drawing(NamedTuple):
    """A figure with what a reader who cannot see it needs.

    Attributes
    ----------
    figure : matplotlib Figure
        The picture.
    alt : str
        What it shows, in words.
    legend : str
        What its caption cannot say, for it depends on the results.
    shows : str
        Which part of the comparisons it shows; empty where it shows all there is.
    """

    figure: Figure
    alt: str
    legend: str = ""
    shows: str = ""


def always(*design: object) -> bool:
    """Show an exhibit in every report."""
    return True


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exhibit:
    """One kind of table or figure.

    Attributes
    ----------
    section : Section
        The part of the report it belongs to.
    place : int
        Where in the section: exhibits are in the order of their places, those of one ten test by
        test.
    title : str or callable
        A short name, after that of the test or before that of the data set; or made of the
        `StudyDesign`.
    caption : str
        What it means statistically and how to read it, whatever the results.
    each : {"study", "test", "dataset"}
        Whether a report has one of it, one for each test, or one for each data set.
    when : callable
        Tells whether a report has it, from the `StudyDesign`, and the test's `Entry` where it is
        of a test.
    heading : str
        A heading above it on the page; none if empty.
    folded : str
        What the page shows in place of it until it is opened; empty where it is open at once.
    fourfolds : bool
        Whether the page puts 2×2 tables of right and wrong rows below it, data set by data set.
    of_fits : bool
        Whether it is about fits and their divisions: hidden when only files are compared.
    of_rows : bool
        Whether it is about the rows of the data: hidden when only scores are given.
    citation : str
        Key in `bakeoff.stats.core.citations` of the source of what it shows; empty where that is no
        more than what the tests say.
    """

    section: Section
    place: int
    title: str | Callable[[StudyDesign], str]
    caption: str
    each: Literal["study", "test", "dataset"] = "study"
    when: Callable[..., bool] = always
    heading: str = ""
    folded: str = ""
    fourfolds: bool = False
    of_fits: bool = False
    of_rows: bool = False
    citation: str = ""

    def __post_init__(self) -> None:
        if not self.caption.strip():
            raise ValueError("an exhibit needs a caption")
        if isinstance(self.title, str) and not self.title.strip() and self.each != "test":
            raise ValueError("an exhibit needs a title")


@dataclasses.dataclass(frozen=True, kw_only=True)
class FigureExhibit(Exhibit):
    """A figure: `draw` makes its `Drawing`."""

    draw: Callable[[Item, Study], Drawing]


@dataclasses.dataclass(frozen=True, kw_only=True)
class TableExhibit(Exhibit):
    """A table: `build` makes its content."""

    build: Callable[[Item, Study], PageTable]

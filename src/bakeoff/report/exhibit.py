"""What a table or figure of the report is; `bakeoff.report.exhibits` has one function for each.

Snakemake's process reads this module and has no use for numpy and scipy: it imports neither.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:  # who lists exhibits draws none
    from matplotlib.figure import Figure


MOST_DATASETS = 20
"""With more data sets, none has exhibits of its own."""
Form = Literal["figure", "table"]


class Section(StrEnum):
    """The parts of the report, in the order in which a reader asks for them."""

    ANSWER = "Answer"
    MODELS = "Models"
    PAIRS = "Pairs of models"
    METRICS = "Other metrics"
    DATA = "Data"
    FITS = "Fits"
    VALIDITY = "Validity"


class Item(NamedTuple):
    """One table or figure of one report: all that is known of it before it is made."""

    kind: str
    test: str
    dataset: str
    """The test and the data set it is about; empty where it is about none or all of them."""
    form: str
    section: str
    """The part of the report it belongs to."""
    title: str
    caption: str

    @property
    def name(self) -> str:
        """The stem of its files."""
        return ".".join(filter(None, (self.kind, self.test, self.dataset)))


class Drawing(NamedTuple):
    """A figure with what a reader who cannot see it needs."""

    figure: Figure
    alt: str
    legend: str = ""
    """What its caption cannot say, for it depends on the results."""
    shows: str = ""
    """Which part of the comparisons it shows; empty where it shows all there is."""
    data: Sequence[Mapping[str, Any]] = ()
    """The plotted numbers, unrounded: rows of values by the names of their columns."""


class Exhibit(NamedTuple):
    """One kind of table or figure, as the decorators `table` and `figure` make it of a function."""

    name: str
    form: Form
    section: Section
    place: int
    """Exhibits of a section are in the order of their places."""
    title: str
    """A short name, after that of the test or before that of the data set."""
    caption: str
    """What it means statistically and how to read it, whatever the results."""
    make: Callable[..., Any]
    """Makes it from the study, and the test or the data set that it is about."""
    each: Literal["study", "test", "dataset"] = "study"
    when: Callable[..., bool] = lambda *design: True
    """Tells whether a report has it, from the study without results, and of a test its `Entry`."""
    citation: str = ""
    """Key in `bakeoff.stats.core.citations` of the source of what it shows; empty where that is no
    more than what the tests say."""


def _exhibit(
    form: Form, section: Section, place: int, title: str, **more: Any
) -> Callable[[Callable[..., Any]], Exhibit]:
    def decorated(make: Callable[..., Any]) -> Exhibit:
        name = make.__name__.rstrip("_")
        caption = " ".join((make.__doc__ or "").split())
        if not caption:
            raise ValueError(f"{name} needs a docstring, which is its caption")
        if not title.strip() and more.get("each") != "test":
            raise ValueError(f"{name} needs a title")
        return Exhibit(name, form, section, place, title, caption, make, **more)

    return decorated


table = functools.partial(_exhibit, "table")
figure = functools.partial(_exhibit, "figure")
"""Make an `Exhibit` of a function: its name is the exhibit's (less ``_`` at its end), its docstring
the caption. That of a table returns a `Table`, that of a figure a `Drawing`."""

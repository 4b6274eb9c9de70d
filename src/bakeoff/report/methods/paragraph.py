"""The sentences bound together, as text, for LaTeX, and beside the checklists that they answer."""

from __future__ import annotations

import dataclasses
import re
import textwrap

from bakeoff.report.methods.analysis import analysis
from bakeoff.report.methods.design import data, design
from bakeoff.report.methods.sentence import CHECKLISTS, REFORMS, TRIPOD, Sentence, author_year
from bakeoff.report.study import Study

_WIDTH = 100


@dataclasses.dataclass(frozen=True)
class Methods:
    """What was done, for the methods section of a paper.

    Attributes
    ----------
    sentences : tuple of Sentence
        In their order.
    """

    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The paragraph as plain text."""
        return " ".join(sentence.as_text() for sentence in self.sentences)

    @property
    def latex(self) -> str:
        """The paragraph for LaTeX with natbib; its keys are those of the page's BibTeX entries."""
        body = " ".join(sentence.as_latex() for sentence in self.sentences)
        return "% needs \\usepackage{natbib}\n" + textwrap.fill(
            body, _WIDTH, break_long_words=False, break_on_hyphens=False
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The sources that are named, those of the checklists last."""
        named = (key for sentence in self.sentences for key in sentence.keys)
        return tuple(dict.fromkeys([*named, *CHECKLISTS.values()]))

    @property
    def checklists(self) -> dict[str, str]:
        """The items of each checklist that the paragraph answers, by its name with its source."""
        items = {
            REFORMS: {item for sentence in self.sentences for item in sentence.reforms},
            TRIPOD: {item for sentence in self.sentences for item in sentence.tripod},
        }
        return {
            f"{name} ({author_year(CHECKLISTS[name])})": ", ".join(sorted(found, key=_place))
            for name, found in items.items()
        }


def methods(study: Study) -> Methods:
    """Say what was done in a study."""
    return Methods((*data(study), *design(study), *analysis(study)))


def _place(item: str) -> tuple[int, str]:
    number = re.match(r"\d+", item)
    return int(number[0]) if number else 0, item

"""What a table or figure of the report is called; light, for the Snakefile needs it."""

from __future__ import annotations

from typing import NamedTuple


class Exhibit(NamedTuple):
    """One table or figure.

    Attributes
    ----------
    kind : str
        What it shows; names the caption's file too.
    test : str
        The test it shows; empty where it shows none.
    form : {"figure", "table"}
        What it is.
    category : str
        The part of the report it belongs to.
    title : str
        A short name.
    dataset : str
        The data set it is about; empty where it is about all of them.
    """

    kind: str
    test: str
    form: str
    category: str
    title: str
    dataset: str = ""

    @property
    def name(self) -> str:
        """The stem of its files."""
        return ".".join(filter(None, (self.kind, self.test, self.dataset)))

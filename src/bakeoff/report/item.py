"""The name and the place of a table or figure: all that a run knows of it before it is made.

Apart from the records, which need the tests: Snakemake's process has no use for numpy and scipy.
"""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """One table or figure of one report."""

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

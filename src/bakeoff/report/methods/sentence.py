"""A sentence of a methods paragraph: its words, its sources, and what checklists it answers."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterable

from bakeoff.report.tables import latex
from bakeoff.stats.core.citations import BIBTEX

REFORMS, TRIPOD = "REFORMS", "TRIPOD+AI"
CHECKLISTS = {REFORMS: "kapoor2024", TRIPOD: "collins2024"}
"""The checklists and their sources."""


@dataclasses.dataclass(frozen=True)
class Cite:
    """A place where sources are named.

    Attributes
    ----------
    keys : tuple of str
        Keys of `BIBTEX`.
    """

    keys: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Sentence:
    """One sentence.

    Attributes
    ----------
    parts : tuple of str or Cite
        Its words, with the places where sources are named.
    reforms, tripod : tuple of str
        The items of the two checklists that it answers.
    """

    parts: tuple[str | Cite, ...]
    reforms: tuple[str, ...] = ()
    tripod: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The sources that it names."""
        return tuple(key for part in self.parts if isinstance(part, Cite) for key in part.keys)

    def as_text(self) -> str:
        """Write it with authors and years in brackets."""
        return "".join(
            part if isinstance(part, str) else f" ({'; '.join(map(author_year, part.keys))})"
            for part in self.parts
            if part
        )

    def as_latex(self) -> str:
        """Write it for LaTeX, with the keys of the sources."""
        return "".join(
            latex(part) if isinstance(part, str) else rf"~\citep{{{','.join(part.keys)}}}"
            for part in self.parts
        )


def cited(keys: Iterable[str | None]) -> Cite | str:
    """Name sources, each once; those that are no keys of `BIBTEX` are passed over."""
    known = tuple(dict.fromkeys(key for key in keys if key in BIBTEX))
    return Cite(known) if known else ""


def author_year(key: str) -> str:
    """Write a source as authors and year: ``Nadeau and Bengio 2003``."""
    entry = BIBTEX[key]
    found = re.search(r"author = \{(.*?)\}, \w+ = ", entry)
    authors = _plain(found[1] if found else key).split(" and ")
    last = [author.split(",")[0] if "Inc." not in author else author for author in authors]
    who = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
    year = re.search(r"year = \{(\d+)\}", entry)
    return f"{who} {year[1]}" if year else who


_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    '"': "\u0308",
    "^": "\u0302",
    "~": "\u0303",
    "v": "\u030c",
}


def _plain(name: str) -> str:
    """Write a name of BibTeX without its accents' commands and braces."""
    accent = r"\{\\(['`\"^~v])\{?(\w)\}?\}"
    composed = re.sub(accent, lambda m: m[2] + _ACCENTS[m[1]], name)
    return unicodedata.normalize("NFC", re.sub(r"[{}]", "", composed))

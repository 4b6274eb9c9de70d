"""Sentences of a methods paragraph, with their sources and the checklists that they answer."""

from __future__ import annotations

import dataclasses
import re
import textwrap
import unicodedata

from bakeoff.report.tables import latex
from bakeoff.stats.core.citations import BIBTEX

REFORMS, TRIPOD = "REFORMS", "TRIPOD+AI"
CHECKLISTS = {REFORMS: "kapoor2024", TRIPOD: "collins2024"}
"""The checklists and their sources."""
_WIDTH = 100


_KEY = f"@(?:{'|'.join(BIBTEX)})"
_CITED = re.compile(rf" \[({_KEY}(?:; {_KEY})*)\]")


@dataclasses.dataclass(frozen=True)
class Sentence:
    """One sentence."""

    text: str
    """Its words; sources are named as Pandoc has them: `` [@dietterich1998]``."""
    reforms: tuple[str, ...] = ()
    tripod: tuple[str, ...] = ()
    """The items of the two checklists that it answers."""

    @property
    def keys(self) -> list[str]:
        """The sources that it names."""
        return [key for found in _CITED.findall(self.text) for key in _keys(found)]

    @property
    def plain(self) -> str:
        """It with authors and years in brackets."""
        return _CITED.sub(lambda m: f" ({'; '.join(map(author_year, _keys(m[1])))})", self.text)

    @property
    def latex(self) -> str:
        """It for LaTeX, with the keys of the sources."""
        parts = _CITED.split(self.text)
        parts[::2] = map(latex, parts[::2])
        parts[1::2] = (rf"~\citep{{{','.join(_keys(part))}}}" for part in parts[1::2])
        return "".join(parts)


def _keys(cited: str) -> list[str]:
    return [key.removeprefix("@") for key in cited.split("; ")]


def cited(*keys: str | None) -> str:
    """Name sources, each once; those that are no keys of `BIBTEX` are passed over."""
    known = dict.fromkeys(key for key in keys if key in BIBTEX)
    return f" [{'; '.join(f'@{key}' for key in known)}]" if known else ""


def author_year(key: str) -> str:
    """Write a source as authors and year: ``Nadeau and Bengio 2003``."""
    entry = BIBTEX[key]
    found = re.search(r"author = \{(.*?)\}, \w+ = ", entry)
    authors = _plain(found[1] if found else key).split(" and ")
    last = [author.split(",")[0] if "Inc." not in author else author for author in authors]
    who = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
    year = re.search(r"year = \{(\d+)\}", entry)
    return f"{who} {year[1]}" if year else who


def wrapped(key: str) -> str:
    """Write the BibTeX entry of a source, one field a line."""
    head, _, body = BIBTEX[key].partition(", ")
    fields = re.split(r", (?=\w+ = \{)", body.removesuffix("}"))
    return head + ",\n" + ",\n".join(textwrap.indent(field, "  ") for field in fields) + "\n}"


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


@dataclasses.dataclass(frozen=True)
class Methods:
    """What was done, for the methods section of a paper."""

    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The paragraph as plain text."""
        return " ".join(sentence.plain for sentence in self.sentences)

    @property
    def latex(self) -> str:
        """The paragraph for LaTeX with natbib; its keys are those of the page's BibTeX entries."""
        body = " ".join(sentence.latex for sentence in self.sentences)
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
            f"{name} ({author_year(CHECKLISTS[name])})": ", ".join(sorted(found, key=_number))
            for name, found in items.items()
        }


def _number(item: str) -> tuple[int, str]:
    number = re.match(r"\d+", item)
    return int(number[0]) if number else 0, item

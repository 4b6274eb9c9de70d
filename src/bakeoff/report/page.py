"""The report: verdict, tables and figures bound together, as HTML, Markdown and LaTeX files."""

from __future__ import annotations

import dataclasses
import re
import shlex
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from jinja2 import StrictUndefined
from markupsafe import Markup

from bakeoff.files import write_text
from bakeoff.report.drawing import Colour, save, svg
from bakeoff.report.exhibit import Drawing, Item, Section
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.methods import Methods, methods, wrapped
from bakeoff.report.prose import ABOUT, TEMPLATES, take_care
from bakeoff.report.study import Study
from bakeoff.report.tables import LATEX, PageTable, markdown, to_csv, to_latex, to_markdown
from bakeoff.report.verdict import Verdict, answer
from bakeoff.stats import Entry
from bakeoff.stats.core.citations import BIBTEX

MOST_SHOWN = 300
"""Of a longer table the page shows so many rows, and names the file that has all."""
PRINTED = ("pdf", "png")
BESIDE = ("forest", "posterior", "scores")
"""What stands beside the table of models: the first of these kinds that there is."""


class Block(NamedTuple):
    """Exhibits that stand together: those of one test, or one alone."""

    title: str
    items: tuple[Item, ...]
    entry: Entry | None = None
    """The test they are all about."""
    care: tuple[str, ...] = ()
    """For which of this study's models the test finds too much, and what answers instead."""


class Picture(NamedTuple):
    """A figure as a part of the page."""

    inner: Markup
    """What is inside of the element ``svg``."""
    width: str
    height: str


@dataclasses.dataclass(frozen=True, eq=False)
class Page:
    """The report of a study: all of its exhibits, each made once."""

    study: Study
    alone: bool = False
    """Whether the page is the only file, so that it holds what else lies beside it."""

    @cached_property
    def items(self) -> list[Item]:
        """The exhibits, in order; of given files none about what these do not tell."""
        hidden = {Section.FITS, Section.DATA} if self.study.command else set()
        if any(card["rows"] for card in self.study.cards.values()):
            hidden -= {Section.DATA}
        return [item for item in exhibits(self.study) if item.section not in hidden]

    def note_of(self, item: Item, note: str) -> str:
        """Return a note on an exhibit, that on all exhibits of its kind with the first one only."""
        first = next(one for one in self.items if one.kind == item.kind)
        return note if item == first else note.removeprefix(item.caption).strip()

    @cached_property
    def verdict(self) -> Verdict:
        """The answer."""
        return answer(self.study)

    @cached_property
    def tables(self) -> dict[str, PageTable]:
        """The tables by their names."""
        return {i.name: build(i, self.study) for i in self.items if i.form == "table"}

    @cached_property
    def drawings(self) -> dict[str, Drawing]:
        """The figures by their names."""
        return {i.name: draw(i, self.study) for i in self.items if i.form == "figure"}

    @cached_property
    def pictures(self) -> dict[str, str]:
        """The figures as SVG files."""
        return {name: svg(drawing.figure) for name, drawing in self.drawings.items()}

    @cached_property
    def methods(self) -> Methods:
        """The methods paragraph."""
        return methods(self.study)

    @cached_property
    def bibtex(self) -> str:
        """The sources of the tests and their forms, of exhibits and of the methods paragraph."""
        tests = [entry.citation for entry in self.study.tests]
        used = [row.result.get("method") for row in self.study.comparisons]
        shown = [records()[item.kind].citation for item in exhibits(self.study)]
        keys = dict.fromkeys([*tests, *used, *shown, *self.methods.keys])
        return "\n\n".join(wrapped(key) for key in keys if key in BIBTEX) + "\n"

    @property
    def first(self) -> list[Item]:
        """What the first screen shows: the models, and the differences beside them."""
        models = [item for item in self.items if item.kind == "models"]
        return [*models, self.beside] if self.beside else models

    @cached_property
    def beside(self) -> Item | None:
        """The figure beside the table of models: the differences by the test that decides."""
        figures = [item for item in self.items if item.form == "figure" and item.kind in BESIDE]
        test = self.study.mains[0].entry.name if self.study.mains else ""
        deciding = [item for item in figures if item.test == test]
        return min(deciding or figures, key=lambda item: BESIDE.index(item.kind), default=None)

    @cached_property
    def sections(self) -> dict[str, list[Block]]:
        """What is folded, part by part; tests by another metric stand beside other metrics."""
        parts: dict[str, list[Block]] = {section.value: [] for section in Section}
        # the test that decides stands first, and the exhibits of each test together
        entries = {entry.name: entry for entry in self.study.tests}
        tests = [*dict.fromkeys([*(main.entry.name for main in self.study.mains), *entries])]

        def place(item: Item) -> tuple[int, float]:
            return [*parts].index(item.section), tests.index(item.test) if item.test else 0.5

        others = sorted((item for item in self.items if item not in self.first), key=place)
        for (section, test), items in groupby(others, lambda item: (item.section, item.test)):
            if not test:
                parts[section] += [Block(item.title, (item,)) for item in items]
                continue
            entry, families = entries[test], self.study.of_test(test)
            care = tuple(take_care(self.study, families)) if families else ()
            by_others = families and self.study.metric.name not in {f.metric for f in families}
            block = Block(entry.title, tuple(items), entry, care)
            parts[Section.METRICS.value if by_others else section].append(block)
        return {section: blocks for section, blocks in parts.items() if blocks}

    @property
    def html(self) -> str:
        """It as HTML that needs no other file."""
        pictures = {name: inline_svg(svg, f"fig-{name}") for name, svg in self.pictures.items()}
        experiment = self.study.experiment
        settings: dict[str, Any] = {}
        if self.alone and experiment is not None:
            settings = experiment.resolved()
        resolved = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
        more = {"pictures": pictures, "latex": LATEX, "resolved": resolved}
        return render("report.html.j2", **self._content, **more)

    @property
    def document(self) -> str:
        """The same as Markdown."""
        return render("report.md.j2", **self._content)

    @property
    def _content(self) -> dict[str, Any]:
        study = self.study
        command = study.command or f"bakeoff run {shlex.quote(study.file or 'config/config.yaml')}"
        content = {"page": self, "study": study, "verdict": self.verdict, "command": command}
        return content | {"most": MOST_SHOWN, "about": ABOUT}

    @property
    def brief(self) -> str:
        """The answer and the tables as one text in Markdown."""
        parts = [f"**{markdown(self.verdict.headline)}**", *map(markdown, self.verdict.sentences)]
        for table in self.tables.values():
            parts += [f"**{markdown(table.title)}**", *([to_markdown(table)] if table.rows else [])]
            parts += [markdown(table.note)] if table.note else []
        return "\n\n".join(parts) + "\n"

    @property
    def latex(self) -> str:
        """The tables for a paper, one after the other."""
        return "\n".join(to_latex(table, name) for name, table in self.tables.items())

    def write(self, folder: str | Path) -> None:
        """Write page, verdict, methods paragraph, figures as SVG, tables and captions."""
        files = {
            "report.html": self.html,
            "report.md": self.document,
            "verdict.txt": "\n".join(self.verdict.lines) + "\n",
            "methods.txt": self.methods.text + "\n",
            "methods.tex": self.methods.latex + "\n",
            "references.bib": self.bibtex,
        }
        files |= {f"figures/{name}.svg": picture for name, picture in self.pictures.items()}
        for name, table in self.tables.items():
            files[f"tables/{name}.csv"] = to_csv(table)
            files[f"tables/{name}.tex"] = to_latex(table, name)
        files |= {f"captions/{item.kind}.rst": f"{item.caption}\n" for item in self.items}
        for name, text in files.items():
            write_text(Path(folder) / name, text)

    def print_figures(self, folder: str | Path) -> None:
        """Write the figures as PDF and PNG, which takes longer than the page."""
        for name, drawing in self.drawings.items():
            for kind in PRINTED:
                save(drawing.figure, Path(folder) / "figures" / f"{name}.{kind}")


_PAGES = TEMPLATES.overlay(undefined=StrictUndefined)
_PAGES.filters |= {"md": markdown, "md_table": to_markdown}


def render(template: str, **content: Any) -> str:
    """Fill a template; of HTML all text in it is escaped."""
    return _PAGES.get_template(template).render(**content)


def inline_svg(svg: str, name: str) -> Picture:
    """Make an SVG file a part of the page, with ids of its own and the colours of the page."""
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    opening, _, inner = body.partition(">")
    width, height = re.search(r'viewBox="0 0 (\S+) (\S+)"', opening).groups()  # type: ignore[union-attr]
    prefix = re.sub(r"\W", "-", name)
    tags = re.split(r"(<[^<>]+>)", inner.removesuffix("</svg>\n").removesuffix("</svg>"))
    tags[1::2] = [_adopt(tag, prefix) for tag in tags[1::2]]
    return Picture(Markup("".join(tag for tag in tags if tag.strip())), width, height)


def _adopt(tag: str, prefix: str) -> str:
    """Give a tag of a picture ids and colours of the page, and no more digits than show."""
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
    for colour in Colour:
        tag = tag.replace(colour, f"var(--{colour.name.lower()})")
    return re.sub(r"(\d\.\d\d)\d+", r"\1", " ".join(tag.split()))

"""The report: verdict, tables and figures bound together, as HTML, Markdown and LaTeX files."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import shlex
from collections.abc import Iterable
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from jinja2 import StrictUndefined
from markupsafe import Markup

from bakeoff.files import write_text
from bakeoff.report import prose
from bakeoff.report.drawing import Colour, save, svg
from bakeoff.report.exhibit import Drawing, Item, Section
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.methods import Methods, methods, wrapped
from bakeoff.report.prose import ABOUT, TEMPLATES, take_care
from bakeoff.report.study import Study
from bakeoff.report.suites import ends
from bakeoff.report.tables import (
    LATEX,
    PageTable,
    breakable,
    markdown,
    numbers_to_csv,
    to_csv,
    to_latex,
    to_markdown,
)
from bakeoff.report.verdict import Verdict, answer
from bakeoff.report.verdict_data import verdict_data
from bakeoff.stats import Entry, catalogue
from bakeoff.stats.core.citations import BIBTEX

MOST_SHOWN = 300
"""Of a longer table the page shows so many rows, and names the file that has all."""
OF_GROUPS = "With few groups"
"""How a sentence begins that is about rows in groups alone."""
PRINTED = ("pdf", "png")
BESIDE = ("forest", "posterior", "scores")
"""What stands beside the table of models: the first of these kinds that there is."""

as_json = functools.partial(json.dumps, indent=2, ensure_ascii=False, allow_nan=False)
_PAGES = TEMPLATES.overlay(undefined=StrictUndefined)
_PAGES.filters |= {"md": markdown, "md_table": to_markdown, "breakable": breakable}


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
        hidden = set()
        if self.study.command:
            hidden.add(Section.FITS)
            # files of predictions or scores may not tell how many rows the data have
            rows = [card["rows"] for card in self.study.cards.values()]
            if not any(rows):
                hidden.add(Section.DATA)
        return [item for item in exhibits(self.study) if item.section not in hidden]

    def caution_of(self, entry: Entry) -> str:
        """Return what to know of a test, of groups only where rows belong to some."""
        caution = prose.in_words(self.study, entry.caution)
        if self.study.analysis.related:
            return caution
        sentences = []
        for sentence in re.split(r"(?<=\.) ", caution):
            if not sentence.startswith(OF_GROUPS):
                sentences.append(sentence)
        return " ".join(sentences)

    def note_of(self, item: Item, note: str) -> str:
        """Return a note on an exhibit, that on all exhibits of its kind with the first one only."""
        if item == self._first_of_kind[item.kind]:
            return note
        return note.removeprefix(item.caption).strip()

    @cached_property
    def _first_of_kind(self) -> dict[str, Item]:
        """The exhibit of each kind that a reader of the page meets first."""
        items = list(self.first)
        for blocks in self.sections.values():
            for block in blocks:
                items += block.items
        first: dict[str, Item] = {}
        for item in items:
            first.setdefault(item.kind, item)
        return first

    @cached_property
    def verdict(self) -> Verdict:
        """The answer."""
        return answer(self.study)

    @cached_property
    def tables(self) -> dict[str, PageTable]:
        """The tables by their names."""
        tables = {}
        for item in self.items:
            if item.form == "table":
                tables[item.name] = build(item, self.study)
        return tables

    @cached_property
    def drawings(self) -> dict[str, Drawing]:
        """The figures by their names."""
        drawings = {}
        for item in self.items:
            if item.form == "figure":
                drawings[item.name] = draw(item, self.study)
        return drawings

    @cached_property
    def pictures(self) -> dict[str, str]:
        """The figures as SVG files."""
        pictures = {}
        for name, drawing in self.drawings.items():
            pictures[name] = svg(drawing.figure)
        return pictures

    @cached_property
    def methods(self) -> Methods:
        """The methods paragraph."""
        return methods(self.study)

    @cached_property
    def bibtex(self) -> str:
        """The sources of the tests and their forms, of exhibits and of the methods paragraph."""
        keys: list[str | None] = []
        for entry in self.study.tests:
            keys.append(entry.citation)
        for row in self.study.comparisons:
            keys.append(row.result.get("method"))
        for item in exhibits(self.study):
            keys.append(records()[item.kind].citation)
        keys += self.methods.keys
        entries = []
        for key in dict.fromkeys(keys):
            if key and key in BIBTEX:
                entries.append(wrapped(key))
        return "\n\n".join(entries) + "\n"

    @property
    def first(self) -> list[Item]:
        """What the first screen shows: the models, the differences beside them, and the tasks."""
        items = []
        for item in self.items:
            if item.kind == "models":
                items.append(item)
        if self.beside:
            items.append(self.beside)
        if self.by_task:
            items.append(self.by_task)
        return items

    @cached_property
    def by_task(self) -> Item | None:
        """The table of the scores in each task, where rows are of several."""
        for item in self.items:
            if item.kind == "tasks":
                return item
        return None

    @cached_property
    def shown_tasks(self) -> list[PageTable]:
        """The table of tasks, of many in three parts: the middle one is folded."""
        if self.by_task is None:
            return []
        table = self.tables[self.by_task.name]
        first, last = ends(len(table.rows))
        return [table.part(0, first), table.part(first, last), table.part(last)]

    @cached_property
    def beside(self) -> Item | None:
        """The figure beside the table of models: the ranks or differences of the deciding test."""
        if self._of_ranks:
            return self._of_ranks
        deciding = ""
        if self.study.mains:
            deciding = self.study.mains[0].entry.name
        figures = []
        of_deciding_test = []
        for item in self.items:
            if item.kind not in BESIDE:
                continue
            figures.append(item)
            if item.test == deciding:
                of_deciding_test.append(item)
        # another test's figure is better than none, where the deciding test has no figure
        candidates = of_deciding_test or figures
        return min(candidates, key=lambda item: BESIDE.index(item.kind), default=None)

    @property
    def _of_ranks(self) -> Item | None:
        """The diagram of the average ranks that the deciding test compares, where there is one."""
        if not self.study.mains:
            return None
        family = self.study.mains[0]
        # no bars join the models that are compared with a control alone
        if not family.ranks or family.control:
            return None
        for item in self.items:
            if item.kind == "ranks" and item.test == family.entry.name:
                return item
        return None

    @cached_property
    def sections(self) -> dict[str, list[Block]]:
        """What is folded, part by part; tests by another metric stand beside other metrics."""
        blocks: dict[str, list[Block]] = {}
        for part in Section:
            blocks[part.value] = []
        sections = list(blocks)
        # the test that decides stands first, and the exhibits of each test together
        tests = [family.entry.name for family in self.study.mains]
        tests = list(dict.fromkeys([*tests, *self.study.planned.by_name]))

        def place(item: Item) -> tuple[int, float]:
            # exhibits of no test follow those of the first, deciding one
            among_tests = 0.5
            if item.test:
                among_tests = tests.index(item.test)
            return sections.index(item.section), among_tests

        folded = [item for item in self.items if item not in self.first]
        folded.sort(key=place)
        for (section, test), items in groupby(folded, lambda item: (item.section, item.test)):
            if not test:
                for item in items:
                    blocks[section].append(Block(item.title, (item,)))
            elif self._is_by_other_metrics(test):
                blocks[Section.METRICS.value].append(self._block_of(test, items))
            else:
                blocks[section].append(self._block_of(test, items))
        return {section: of_section for section, of_section in blocks.items() if of_section}

    def _is_by_other_metrics(self, test: str) -> bool:
        """Tell whether a test has results, but none by the metric that ranks."""
        metrics = {family.metric for family in self.study.of_test(test)}
        return bool(metrics) and self.study.metric.name not in metrics

    def _block_of(self, test: str, items: Iterable[Item]) -> Block:
        """Put the exhibits of a test together, with what to take care of."""
        families = self.study.of_test(test)
        care = list[str]()
        if families:
            care += take_care(self.study, families)
        entry = catalogue()[test]
        return Block(entry.title, tuple(items), entry, tuple(care))

    @property
    def html(self) -> str:
        """It as HTML that needs no other file."""
        pictures = {}
        for name, picture in self.pictures.items():
            pictures[name] = inline_svg(picture, f"fig-{name}")
        experiment = self.study.experiment
        settings: dict[str, Any] = {}
        # a run leaves its settings in a file of their own
        if self.alone and experiment is not None:
            settings = experiment.resolved()
        resolved = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
        return self._render("report.html.j2", pictures=pictures, latex=LATEX, resolved=resolved)

    @property
    def document(self) -> str:
        """The same as Markdown."""
        return self._render("report.md.j2")

    def _render(self, template: str, **content: Any) -> str:
        """Fill a template with the page and what else it needs."""
        file = shlex.quote(self.study.file or "config/config.yaml")
        return render(
            template,
            page=self,
            study=self.study,
            verdict=self.verdict,
            command=self.study.command or f"bakeoff run {file}",
            most=MOST_SHOWN,
            about=ABOUT,
            **content,
        )

    @property
    def brief(self) -> str:
        """The answer and the tables as one text in Markdown."""
        parts = [f"**{markdown(self.verdict.headline)}**"]
        parts += map(markdown, self.verdict.sentences)
        for table in self.tables.values():
            parts.append(f"**{markdown(table.title)}**")
            if table.rows:
                parts.append(to_markdown(table))
            if table.note:
                parts.append(markdown(table.note))
        return "\n\n".join(parts) + "\n"

    @property
    def latex(self) -> str:
        """The tables for a paper, one after the other."""
        return "\n".join(map(to_latex, self.tables.values(), self.tables))

    def write(self, folder: str | Path) -> None:
        """Write page, verdict, methods paragraph, figures as SVG and numbers, tables, captions."""
        files = {
            "report.html": self.html,
            "report.md": self.document,
            "verdict.txt": "\n".join(self.verdict.lines) + "\n",
            "verdict.json": f"{as_json(verdict_data(self.study, self.verdict))}\n",
            "methods.txt": self.methods.text + "\n",
            "methods.tex": self.methods.latex + "\n",
            "references.bib": self.bibtex,
        }
        for name, picture in self.pictures.items():
            files[f"figures/{name}.svg"] = picture
            files[f"figures/{name}.csv"] = numbers_to_csv(self.drawings[name])
        for name, table in self.tables.items():
            files[f"tables/{name}.csv"] = to_csv(table)
            files[f"tables/{name}.tex"] = to_latex(table, name)
        for item in self.items:
            files[f"captions/{item.kind}.rst"] = f"{item.caption}\n"
        for name, text in files.items():
            write_text(Path(folder) / name, text)

    def print_figures(self, folder: str | Path) -> None:
        """Write the figures as PDF and PNG, which takes longer than the page."""
        for name, drawing in self.drawings.items():
            for kind in PRINTED:
                save(drawing.figure, Path(folder) / "figures" / f"{name}.{kind}")


def render(template: str, **content: Any) -> str:
    """Fill a template; of HTML all text in it is escaped."""
    return _PAGES.get_template(template).render(**content)


def inline_svg(svg: str, name: str) -> Picture:
    """Make an SVG file a part of the page, with ids of its own and the colours of the page."""
    # a style in the file would be one of the whole page
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    opening, _, inner = body.partition(">")
    width, height = re.search(r'viewBox="0 0 (\S+) (\S+)"', opening).groups()  # type: ignore[union-attr]
    prefix = re.sub(r"\W", "-", name)
    tags = re.split(r"(<[^<>]+>)", inner.removesuffix("</svg>\n").removesuffix("</svg>"))
    # splitting by a group yields texts at even places and the tags between them at odd ones
    for i in range(1, len(tags), 2):
        tags[i] = _adopt(tags[i], prefix)
    inner = "".join(filter(str.strip, tags))
    return Picture(Markup(inner), width, height)


def _adopt(tag: str, prefix: str) -> str:
    """Give a tag of a picture ids and colours of the page, and no more digits than show."""
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
    # variables of the style sheet, which has other colours in the dark
    for colour in Colour:
        tag = tag.replace(colour, f"var(--{colour.name.lower()})")
    return re.sub(r"(\d\.\d\d)\d+", r"\1", " ".join(tag.split()))

"""The report: all exhibits bound together, as HTML, Markdown and LaTeX."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bakeoff.report import markup
from bakeoff.report.drawing import BROAD, Colour, svg
from bakeoff.report.exhibit import Drawing, Exhibit, Section
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.family import Family
from bakeoff.report.item import Item
from bakeoff.report.markup import MOST_SHOWN
from bakeoff.report.methods import Methods, methods, wrapped
from bakeoff.report.numbers import p_equals, short
from bakeoff.report.pairs_shown import COUNTED, chosen_pairs, families_of
from bakeoff.report.study import Study
from bakeoff.report.tables import LATEX, PageTable, markdown, to_latex, to_markdown
from bakeoff.report.verdict import Verdict, answer, take_care
from bakeoff.stats import Entry
from bakeoff.stats.core.citations import BIBTEX

_MOST_TABLES = 6


@dataclasses.dataclass(frozen=True)
class Fourfold:
    """A 2×2 table of rows that two models have right or wrong."""

    a: str
    b: str
    counts: tuple[int, ...]
    p: str


@dataclasses.dataclass(frozen=True)
class Block:
    """Exhibits that stand together: those of one test, of one ten for each data set, or one."""

    items: tuple[Item, ...]
    record: Exhibit
    entry: Entry | None
    """The test they are all about."""
    fourfolds: Mapping[str, Sequence[Fourfold]]
    """Counts of right and wrong rows; under an empty key those of the only data set."""
    care: Sequence[str] = ()
    """For which of this study's models the test finds too much, and what answers instead."""


@dataclasses.dataclass(frozen=True, eq=False)
class Page:
    """The report of a study: all of its exhibits, each made once."""

    study: Study
    alone: bool = False
    """Whether the figures are on the page alone, and not in files beside it."""

    @cached_property
    def items(self) -> list[Item]:
        """The exhibits, in order; of given files none about what these do not tell."""
        found, known = exhibits(self.study), records()
        if not self.study.command:
            return found
        rows = any(card["rows"] for card in self.study.cards.values())
        told = [item for item in found if not known[item.kind].of_fits]
        return [item for item in told if rows or not known[item.kind].of_rows]

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

    @cached_property
    def resolved(self) -> str:
        """The experiment as YAML, with all defaults."""
        plain = self.study.experiment.resolved()
        return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)

    @cached_property
    def sections(self) -> dict[str, list[Block]]:
        """The blocks of each section, in their order."""
        found: dict[str, list[Block]] = {section.value: [] for section in Section}
        together = groupby(self.items, key=_together)
        for (section, _), items in together:
            found[section].append(self._block(tuple(items)))
        # the tests that decide come first
        decide = [main.entry.name for main in self.study.mains]
        found[Section.COMPARISONS.value].sort(
            key=lambda block: (
                decide.index(block.entry.name)
                if block.entry is not None and block.entry.name in decide
                else len(decide)
            )
        )
        return found

    @property
    def html(self) -> str:
        """It as HTML that needs no other file."""
        sheet = Sheet()
        adopted = {
            name: Markup(inline_svg(picture, f"fig-{name}", self.drawings[name].alt, sheet))
            for name, picture in self.pictures.items()
        }
        return _render("report.html.j2", self, pictures=adopted, styles=Markup(sheet.css))

    @property
    def document(self) -> str:
        """The same as Markdown."""
        return _render("report.md.j2", self)

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

    def _block(self, items: tuple[Item, ...]) -> Block:
        first = items[0]
        entry = next((entry for entry in self.study.tests if entry.name == first.test), None)
        fourfolds: dict[str, tuple[Fourfold, ...]] = {}
        if entry and self.study.counts_rows(entry):
            families = families_of(self.study, entry.name)
            if len(families) == 1:
                fourfolds[""] = _fourfolds(self.study, families[0])
        elif first.dataset and records()[first.kind].fourfolds:
            counting = [entry.name for entry in self.study.tests if self.study.counts_rows(entry)]
            for family in families_of(self.study, counting[0]) if counting else ():
                fourfolds[family.dataset] = _fourfolds(self.study, family)
        tested = self.study.of_test(entry.name) if entry else []
        care = tuple(take_care(self.study, tested)) if tested else ()
        return Block(items, records()[first.kind], entry, fourfolds, care)


def _together(item: Item) -> tuple[str, str]:
    """Name the block of an exhibit: its test, its place among those of data sets, or itself."""
    ten = str(records()[item.kind].place // 10) if item.dataset else item.kind
    return item.section, item.test or ten


def _fourfolds(study: Study, family: Family) -> tuple[Fourfold, ...]:
    found = []
    for a, b in chosen_pairs(study, 1, _MOST_TABLES)[0][:_MOST_TABLES]:
        row = family.between(a, b)
        details = row.result.get("details", {}) if row else {}
        if row is None or not set(COUNTED) <= set(details):
            continue
        both, only_a, only_b, neither = (int(details[key]) for key in COUNTED)
        if family.turned(a, b):
            only_a, only_b = only_b, only_a
        counts = both, only_a, only_b, neither
        p = p_equals(row.pvalue_adjusted, "adjusted p" if row.family_size > 1 else "p")
        found.append(Fourfold(study.label(a), study.label(b), counts, p))
    return tuple(found)


def fragment(**content: Any) -> str:
    """Write a part of a notebook: verdict, table and picture, all text in it escaped."""
    return _environment(autoescape=True).get_template("findings.html.j2").render(**content)


def _environment(autoescape: bool) -> Environment:
    return Environment(
        loader=PackageLoader("bakeoff.report"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _render(template: str, page: Page, **more: Any) -> str:
    env = _environment(template.endswith(".html.j2"))
    env.filters |= {"md": markdown, "md_table": to_markdown, "short": short}
    env.filters |= {"head": markup.head, "body": markup.body}
    experiment = page.study.experiment
    return env.get_template(template).render(
        study=page.study,
        experiment=experiment,
        verdict=page.verdict,
        drawings=page.drawings,
        tables=page.tables,
        records=records(),
        sections=page.sections,
        ids={section.name.lower(): section.value for section in Section},
        resolved=page.resolved,
        bibtex=page.bibtex,
        methods=page.methods,
        command=command(page.study),
        alone=page.alone,
        most=MOST_SHOWN,
        latex=LATEX,
        **more,
    )


def command(study: Study) -> str:
    """Return the command that makes the same results."""
    return study.command or f"bakeoff run {shlex.quote(study.file or 'config/config.yaml')}"


_TAG = re.compile(r"(<[^<>]+>)")
_REFERENCE = re.compile(r'(?:url\(#|xlink:href="#)([^)"]+)')
_STYLE = re.compile(r'\s*\bstyle="([^"]*)"')
_LONG = re.compile(r"(\d\.\d\d)\d+")
_ZEROS = re.compile(r"(\.\d*?)0+(?=[^\d]|$)")
_USE = re.compile(r'<use href="(#[^"]+)" x="([^"]+)" y="([^"]+)"(.*)/>')
_RUN = 3  # so many equal marks become one path


class Sheet:
    """The styles of all pictures of a page, each of them once."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, style: str) -> str:
        """Return the class that stands for a style."""
        return self._names.setdefault(style, f"s{len(self._names):x}")

    @property
    def css(self) -> str:
        """The rules of all classes."""
        return "\n".join(f".{name} {{ {style} }}" for style, name in self._names.items())


def inline_svg(svg: str, name: str, alt: str, sheet: Sheet) -> str:
    """Return an SVG file as a part of a page."""
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    width, height = re.search(r'viewBox="0 0 (\S+) (\S+)"', body).groups()  # type: ignore[union-attr]
    tokens = [token for token in _TAG.split(body) if token.strip()]
    wanted = {found for token in tokens if token[0] == "<" for found in _REFERENCE.findall(token)}
    prefix = re.sub(r"\W", "-", name)
    tags = (_small(t, prefix, wanted, sheet) if t[0] == "<" else t for t in tokens[1:-1])
    kind = "figure broad" if float(width) > BROAD else "figure"
    opening = (
        f'<svg class="{kind}" role="img" aria-label="{escape(alt)}" viewBox="0 0 {width} {height}" '
        f'style="--w: {float(width) * 4 / 3:.0f}px">'
    )
    return "".join((opening, *_joined(_telling([tag for tag in tags if tag]), prefix), "</svg>"))


def _small(tag: str, prefix: str, wanted: set[str], sheet: Sheet) -> str:
    """Shorten a tag, and give it ids and colours of the page; empty where it draws nothing."""
    if tag[1] == "/":
        return tag
    own = re.search(r'\bid="([^"]+)"', tag)
    kept = own is not None and own[1] in wanted
    if own and not kept:
        tag = tag.replace(f" {own[0]}", "")
    if 'style="fill: none"' in tag and tag.endswith("/>") and not kept:
        return ""
    tag = re.sub(r' d="([^"]*)"', lambda path: f' d="{_path(path[1])}"', tag)
    tag = re.sub(r' transform="rotate\(-0 [^"]*"', "", _LONG.sub(r"\1", tag))
    tag = re.sub(r' id="([^"]+)"', rf' id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
    return _STYLE.sub(lambda style: _styled(style[1], sheet), tag)


def _path(data: str) -> str:
    """Write a path without what its numbers and commands do not need."""
    short = re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(_LONG.sub(r"\1", data).split()))
    return _ZEROS.sub(lambda zeros: zeros[1] if len(zeros[1]) > 1 else "", short)


def _styled(style: str, sheet: Sheet) -> str:
    for colour in Colour:
        style = style.replace(colour, f"var(--{colour.name.lower()})")
    rest = "; ".join(s for s in style.split("; ") if not s.startswith("font-family"))
    return f' class="{sheet.name(rest)}"' if rest else ""


def _telling(tokens: Iterable[str]) -> list[str]:
    """Leave out groups without a property, or without anything in them."""
    found: list[str] = []
    opened: list[int | None] = []
    for token in tokens:
        if token in ("<g>", "<g/>"):
            opened += [None] if token == "<g>" else []
        elif token.startswith(("<g ", "<defs>")) and not token.endswith("/>"):
            opened.append(len(found))
            found.append(token)
        elif token in ("</g>", "</defs>"):
            place = opened.pop()
            if place == len(found) - 1:
                found.pop()
            elif place is not None:
                found.append(token)
        elif not token.startswith(("<g ", "<defs/")):
            found.append(token)
    return found


def _joined(tokens: Sequence[str], prefix: str) -> Iterator[str]:
    """Draw equal marks that follow one another as one path whose corners are these marks."""
    for number, (mark, run) in enumerate(groupby(tokens, _mark)):
        own = list(run)
        if not mark or len(own) < _RUN:
            yield from own
            continue
        href, rest = mark
        id_ = f"{prefix}-r{number:x}"
        ends = " ".join(f'marker-{at}="url(#{id_})"' for at in ("start", "mid", "end"))
        corners = "L".join(f"{use[2]} {use[3]}" for use in map(_USE.fullmatch, own) if use)
        yield (
            f'<marker id="{id_}" overflow="visible" markerUnits="userSpaceOnUse">'
            f'<use href="{href}"{rest}/></marker><path fill="none" {ends} d="M{corners}"/>'
        )


def _mark(token: str) -> tuple[str, str] | None:
    use = _USE.fullmatch(token)
    return (use[1], use[4]) if use else None

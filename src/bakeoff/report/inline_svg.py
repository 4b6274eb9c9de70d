"""Fit SVG files into a page: small, in the page's colours, with ids of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from markupsafe import escape

from bakeoff.report.drawing import BROAD, Colour

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

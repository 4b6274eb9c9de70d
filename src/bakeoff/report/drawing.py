"""How figures look, and how they become files and parts of the page."""

from __future__ import annotations

import io
import math
import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bakeoff.comparisons.run_tests import Decision
from bakeoff.errors import UserError
from bakeoff.files import whole
from bakeoff.report.exhibit import Drawing
from bakeoff.report.numbers import capital, short

if TYPE_CHECKING:  # who lists exhibits draws none
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure


class Colour(StrEnum):
    """The colours, after Okabe and Ito for every kind of colour vision; never the sole sign."""

    INK = "#1c2126"
    MUTED = "#5a646e"
    LINE = "#e3e7eb"
    PAPER = "#fefefe"
    SOFT = "#aab4be"
    BLUE = "#0071b1"
    ORANGE = "#c85200"
    GREEN = "#00805d"


SAYS = {
    Decision.A_BETTER: Colour.BLUE,
    Decision.B_BETTER: Colour.ORANGE,
    Decision.EQUIVALENT: Colour.GREEN,
}
"""The colours of what is shown."""
WIDTH = 5.6
"""Inches: two figures, or a figure and a table, stand beside each other on the page."""
MOST_DRAWN = 30
"""Models that a figure of them all has room for: of more it shows the best."""
SIZE = 8.5
LEAST = 1.8
"""Inches that a plot keeps beside long names."""
ACROSS = 3
"""Square panels side by side."""
_WIDE = "WF"
"""East Asian characters that are as wide as two others."""

_RC: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": SIZE,
    # texts of SVG stay texts, and ids are the same in every run
    "svg.fonttype": "none",
    "svg.hashsalt": "bakeoff",
    # TrueType: many journals refuse fonts of type 3
    "pdf.fonttype": 42,
    # a name between dollar signs is no formula
    "text.parse_math": False,
    "text.color": Colour.INK,
    "axes.edgecolor": Colour.SOFT,
    "axes.labelcolor": Colour.INK,
    "axes.linewidth": 0.8,
    "axes.unicode_minus": True,
    # numbers at an axis are written out, without an offset or a power of ten beside it
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-7, 15),
    "xtick.color": Colour.MUTED,
    "ytick.color": Colour.INK,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "xtick.labelsize": SIZE - 0.5,
    "ytick.labelsize": SIZE,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""What files of figures leave out, so that the same figure is the same bytes."""


def styled() -> Any:
    """Return the context that figures are made and saved in."""
    import matplotlib as mpl

    return mpl.rc_context(_RC)


def name_of(label: str, most: int = 30) -> str:
    """Abbreviate a name for a figure; wide characters count twice."""
    n_wide = sum(unicodedata.east_asian_width(letter) in _WIDE for letter in label)
    # every wide character takes the place of one more, of half of them at most
    if n_wide:
        most = max(8, most - min(n_wide, most // 2))
    return short(label, most)


def text_width(text: str, size: float = SIZE) -> float:
    """Estimate the width of a text in inches, rather too wide than too narrow."""
    # in units of the size of the font
    units = 0.0
    for letter in text:
        if unicodedata.east_asian_width(letter) in _WIDE:
            units += 1.05
        else:
            units += 0.62
    # sizes of fonts are in points, of which an inch has 72
    return units * size / 72


_AXES: ContextVar[Axes | None] = ContextVar("_AXES", default=None)
"""The axes of a caller that the next figure is drawn into."""


@contextmanager
def into(axes: Axes | None) -> Iterator[None]:
    """Draw figures of one panel into these axes, and not into a figure of their own."""
    token = _AXES.set(axes)
    try:
        yield
    finally:
        _AXES.reset(token)


def canvas(width: float, height: float) -> Figure:
    """Make an empty figure of several panels; sizes in inches."""
    from matplotlib.figure import Figure

    if _AXES.get() is not None:
        raise UserError(
            "ax: found one Axes, but this figure has several panels; draw it as a figure of its "
            "own by `figure(name)` without `ax`, or plot the numbers of `figure_data(name)` "
            "into axes of yours"
        )
    return Figure(figsize=(width, height))


def one_panel(
    width: float, height: float, place: tuple[float, float, float, float]
) -> tuple[Figure, Axes]:
    """Make a figure of one panel at a place of it, or take the axes of the caller."""
    axes = _AXES.get()
    if axes is None:
        figure = canvas(width, height)
        return figure, figure.add_axes(place)
    figure_of_caller: Any = axes.get_figure(root=True)
    return figure_of_caller, axes


def width_of(axes: Axes) -> float:
    """Return the width of axes in inches."""
    figure: Any = axes.get_figure()
    width: float = figure.bbox.width / figure.dpi * axes.get_position().width
    return width


def panel(
    labels: list[str], *, row: float = 0.3, right: float = 0.15, top: float = 0.12
) -> tuple[Figure, Axes]:
    """Make a figure of the lines 0, 1, ... from the top with names at its left; in inches."""
    left = max(map(text_width, labels), default=0) + 0.15
    bottom = 0.55
    width = max(WIDTH, left + LEAST + right)
    height = max(len(labels), 1) * row + top + bottom
    # Matplotlib places axes by shares of the figure
    place = left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height
    figure, axes = one_panel(width, height, place)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_yticks(range(len(labels)), labels)
    # the first line is at the top
    axes.set_ylim(len(labels) - 0.45, -0.55)
    return figure, axes


def square_panels(
    labels: Mapping[str, str], most: int, x: str, y: str
) -> tuple[Figure, dict[str, Axes]]:
    """Make a square panel for each of the first models, in one scale, under their names."""
    models = list(labels)[:most]
    across = min(ACROSS, len(models))
    down = math.ceil(len(models) / across)
    figure = canvas(0.5 + across * (WIDTH - 0.5) / ACROSS, 0.4 + 1.9 * down)
    figure.set_layout_engine("constrained")
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for place, axes in enumerate(grid):
        axes.set_visible(place < len(models))
        axes.spines[["top", "right"]].set_visible(False)
        # no panel is below this one: the numbers of the axis stand here
        axes.tick_params(length=0, labelbottom=place + across >= len(models))
    panels = dict(zip(models, grid, strict=False))
    for model, axes in panels.items():
        axes.set_title(name_of(labels[model], 24), fontsize=SIZE, color=Colour.INK)
    figure.supxlabel(x, fontsize=SIZE, color=Colour.INK)
    figure.supylabel(y, fontsize=SIZE, color=Colour.INK)
    return figure, panels


def shades(palest: int) -> LinearSegmentedColormap:
    """Return the shades of blue from an opacity (0 to 255) on."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("shades", [f"{Colour.BLUE}{palest:02x}", Colour.BLUE])


def best_of(shown: Sequence[Any], every: Sequence[Any]) -> str:
    """Say that a figure leaves models out; empty where it shows all."""
    if len(shown) == len(every):
        return ""
    return f"the {len(shown)} best of {len(every)} models"


def grid(axes: Axes) -> None:
    """Draw thin vertical lines under everything, no more than numbers have room for."""
    axes.locator_params(axis="x", nbins=max(2, min(7, int(width_of(axes) / 0.6))))
    axes.grid(axis="x", color=Colour.LINE, linewidth=0.8)
    axes.set_axisbelow(True)


class IntervalLine(NamedTuple):
    """One line of an interval plot."""

    label: str
    note: str
    """What stands at its left and at its right."""
    estimate: float = math.nan
    """Where its square is; NaN for none."""
    ci: tuple[float, float] = (math.nan, math.nan)
    """The ends of its interval; NaN for none."""
    decision: Decision = Decision.UNDECIDED
    """What was found: it colours the line, and fills the square of a finding."""
    heading: bool = False
    """Whether it says something of the lines below it."""


def interval_plot(
    lines: Sequence[IntervalLine], axis: str, band: float = 0.0
) -> tuple[Figure, Axes]:
    """Draw estimates with intervals below each other, and a band that reaches so far from zero."""
    labels = [line.label for line in lines]
    right = max(text_width(line.note, SIZE - 0.5) for line in lines) + 0.15
    row = 0.3
    if len(lines) >= 16:
        row = 0.24
    figure, axes = panel(labels, right=right, row=row)
    axes.axvline(0, color=Colour.MUTED, linewidth=0.9)
    if band > 0:
        axes.axvspan(-band, band, color=Colour.GREEN, alpha=0.12, linewidth=0)
    for place, line in enumerate(lines):
        is_finding = line.decision in SAYS
        colour = SAYS.get(line.decision, Colour.MUTED)
        if not math.isnan(line.ci[0]):
            axes.plot(line.ci, [place] * 2, color=colour, linewidth=1.6)
        if math.isfinite(line.estimate):
            # colour is never the only sign: a finding has a filled square
            fill = Colour.PAPER
            if is_finding:
                fill = colour
            axes.plot(
                line.estimate, place, "s", markersize=5, color=colour, markerfacecolor=fill,
                zorder=3,
            )  # fmt: skip
        ink = Colour.MUTED
        if is_finding or line.heading:
            ink = Colour.INK
        axes.text(
            1.015, place, line.note, transform=axes.get_yaxis_transform(), va="center",
            fontsize=SIZE - 0.5, color=ink,
        )  # fmt: skip
    grid(axes)
    axes.set_xlabel(axis)
    return figure, axes


def message(text: str) -> Drawing:
    """Make a figure that only says why there is none."""
    axes = _AXES.get()
    if axes is None:
        figure = canvas(WIDTH, 0.7)
        figure.text(0.5, 0.5, text, ha="center", va="center", color=Colour.MUTED)
    else:
        figure, axes = one_panel(WIDTH, 0.7, (0, 0, 1, 1))
        axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes)
    alt = ""
    if text:
        alt = f"{capital(text)}."
    return Drawing(figure, alt, data=[{"note": alt}])


def svg(figure: Figure) -> str:
    """Draw a figure as SVG; the page and the file have it from here."""
    buffer = io.StringIO()
    _write(figure, buffer, "svg")
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write a figure for print; the suffix says as what."""
    kind = path.suffix[1:]
    options: dict[str, Any] = {}
    if kind == "png":
        options["dpi"] = 200
    with whole(path) as part:
        _write(figure, part, kind, facecolor="white", **options)


def _write(figure: Figure, target: Any, kind: str, **options: Any) -> None:
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the page has all fonts, these few
        figure.savefig(target, format=kind, metadata=_METADATA[kind], **options)

"""The figures: matplotlib's object-oriented interface, same bytes every time."""

from bakeoff.report.figures.draw import Drawing, draw

__all__ = ["Drawing", "draw"]

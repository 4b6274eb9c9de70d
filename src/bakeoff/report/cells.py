"""Cells that many tables have."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.report.numbers import NONE, interval, pvalue, score, spread
from bakeoff.report.tables import Cell, stars

TONES = {Decision.A_BETTER: "good", Decision.B_BETTER: "bad", Decision.EQUIVALENT: "same"}


def score_cell(value: float, best: bool = False) -> Cell:
    """Show a score or a difference of scores."""
    return Cell(score(value), value, best=best)


def p_cell(p: float, alpha: float) -> Cell:
    """Show a p-value with its stars."""
    return Cell(pvalue(p), p, mark=stars(p, alpha))


def ci_cell(low: float, high: float) -> Cell:
    """Show an interval; it sorts by its lower limit."""
    return Cell(interval(low, high), low)


def count_cell(n: int) -> Cell:
    """Show a number of things."""
    return Cell(f"{n:,}", int(n))


def range_cell(values: Any) -> Cell:
    """Show the least and the largest of some sizes; given scores may come without them."""
    if values.isna().any():
        return Cell("not known")
    return Cell(spread(values), int(values.min()))


def share(value: float, decimals: int = 1) -> str:
    """Write a share in percent."""
    return NONE if math.isnan(value) else f"{100 * value:.{decimals}f}%"


def capital(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]

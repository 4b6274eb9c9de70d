"""Columns of 0 and 1 beside true labels of 0 and 1: labels, or marks of right rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.file_columns import Codes

_PAIRS = (("0", "1"), ("False", "True"))
_MARK = re.compile(
    r"(?<![a-z])(?:(?:in)?correct(?:ness)?|right|wrong|hits?|errors?)(?![a-z])", re.IGNORECASE
)
_LEAST = 0.5


def why_unclear(
    classes: Sequence[str], truth: Codes, predicted: Iterable[NDArray[np.integer]], names: list[str]
) -> str:
    """Say why predicted labels may rather tell which rows are right; empty if they do not."""
    if tuple(classes) not in _PAIRS:
        return ""
    marked = next((name for name in names if _MARK.search(name)), None)
    if marked is None and any((codes == truth).mean() >= _LEAST for codes in predicted):
        return ""
    low, high = classes
    why = (
        "no model has the true label in half of the rows"
        if marked is None
        else f"{marked!r} is called like a mark of right rows"
    )
    return (
        f"true labels and predictions are {low} and {high}, and {why}: do they predict labels, or "
        f"does {high} say that a row is right? Give `--labels`, or `--values right`"
    )

"""What kinds of answers there are."""

from __future__ import annotations

import dataclasses
from enum import StrEnum


class Kind(StrEnum):
    """What the answer is."""

    WINNER = "winner"
    """One model is better than each of the others."""
    PARTIAL = "partial"
    """The best one is better than some."""
    OTHERS = "others"
    """The best one is better than none, but some others differ."""
    CANNOT_TELL = "cannot_tell"
    CONFLICT = "conflict"
    """A test prefers another model to the one that scores best."""
    SAME = "same"
    """The evidence is identical."""
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    CONTROL = "control"
    """Models were compared with one of them alone, and some differ from it."""
    AGAINST_VALUE = "against_value"
    """A single model differs from a value that it was tested against."""
    UNTESTED = "untested"
    """Nothing to compare, or nothing that compares it."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer.

    Attributes
    ----------
    kind : Kind
        What it is.
    headline : str
        One short sentence.
    sentences : tuple of str
        Two or more that give the numbers, the evidence and its limits.
    """

    kind: Kind
    headline: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join((self.headline, *self.sentences))

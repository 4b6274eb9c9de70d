"""What kinds of answers there are, and names inside sentences."""

from __future__ import annotations

import dataclasses
from enum import StrEnum

from bakeoff.stats import Entry


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
    """The answer."""

    kind: Kind
    headline: str
    """One short sentence."""
    sentences: tuple[str, ...]
    """Two or more that give the numbers, the evidence and its limits."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, then the sentences."""
        return self.headline, *self.sentences

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.lines)


_COMMON = {
    "binomial", "combined", "corrected", "cost-sensitive", "difference", "equivalence",
    "half-sample", "multivariate", "one-sample", "one-way", "paired", "pairwise",
    "repeated-measures", "resampled", "sign", "two-sample",
}  # fmt: skip


def title(test: Entry) -> str:
    """Write a test's name as part of a sentence; only words that are no names lose capitals."""
    text = test.title
    first = text.split()[0]
    return text[0].lower() + text[1:] if first.lower() in _COMMON else text


def the(test: Entry) -> str:
    """Write a test's name with its article."""
    text = title(test)
    return text if text.split()[0].endswith(("'s", "s'")) else f"the {text}"

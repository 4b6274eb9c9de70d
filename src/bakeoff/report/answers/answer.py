"""What an answer consists of, while it is found."""

from __future__ import annotations

import dataclasses
from enum import StrEnum


class Kind(StrEnum):
    """What the answer is: docs/report.md says when it is which."""

    WINNER = "winner"
    PARTIAL = "partial"
    OTHERS = "others"
    CANNOT_TELL = "cannot_tell"
    CONFLICT = "conflict"
    SAME = "same"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    CONTROL = "control"
    AGAINST_VALUE = "against_value"
    UNTESTED = "untested"


@dataclasses.dataclass
class Answer:
    """Sentences by the place that they have in a verdict, in the order of the page."""

    kind: Kind = Kind.UNTESTED
    headline: str = ""
    evidence: list[str] = dataclasses.field(default_factory=list)
    cautions: list[str] = dataclasses.field(default_factory=list)
    # what to do next
    none_possible: str = ""
    no_proof: str = ""
    next_test: str = ""
    # the folded part
    scores: list[str] = dataclasses.field(default_factory=list)
    undecided: list[str] = dataclasses.field(default_factory=list)
    posterior: list[str] = dataclasses.field(default_factory=list)
    better: list[str] = dataclasses.field(default_factory=list)
    not_different: list[str] = dataclasses.field(default_factory=list)
    uncorrected: str = ""
    margins: list[str] = dataclasses.field(default_factory=list)
    of_seeds: str = ""
    disagreements: list[str] = dataclasses.field(default_factory=list)

    def settle(self, kind: Kind, headline: str) -> None:
        """Set the kind of the answer and its headline."""
        self.kind = kind
        self.headline = headline

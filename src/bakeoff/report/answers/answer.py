"""What an answer consists of, while it is found."""

from __future__ import annotations

from enum import StrEnum

from bakeoff.comparisons.run_tests import Comparison


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


class Answer:
    """Sentences by the place that they have in a verdict, in the order of the page.

    `leader` has the best score, and `comparison` is the one that the evidence is about.
    """

    def __init__(self) -> None:
        self.kind = Kind.UNTESTED
        self.headline = ""
        self.leader = ""
        self.comparison: Comparison | None = None
        self.evidence: list[str] = []
        self.cautions: list[str] = []
        # what to do next
        self.none_possible = ""
        self.no_proof = ""
        self.next_test = ""
        # the folded part
        self.scores: list[str] = []
        self.undecided: list[str] = []
        self.posterior: list[str] = []
        self.better: list[str] = []
        self.not_different: list[str] = []
        self.uncorrected = ""
        self.margins: list[str] = []
        self.of_seeds = ""
        self.disagreements: list[str] = []

    def settle(self, kind: Kind, headline: str) -> None:
        """Set the kind of the answer and its headline."""
        self.kind = kind
        self.headline = headline

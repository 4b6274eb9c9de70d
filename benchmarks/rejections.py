"""What a count of rejections of true nulls says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol, TypeVar

from bakeoff.spec.learners import LEARNERS
from bakeoff.stats import TypeOneError, proportion_ci


class Rejections:
    """A count of rejections in a number of runs; a record of a study adds what was counted.

    Attributes
    ----------
    runs : int
        Data sets drawn.
    rejected : int
        Those on which the test rejected; an undecided test does not reject.
    """

    runs: int
    rejected: int

    @property
    def rate(self) -> float:
        """The share of rejections."""
        return self.rejected / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        low, high = proportion_ci(self.rejected, self.runs)
        return low, high

    def verdict(self, among: int = 1) -> TypeOneError:
        """Liberal: surely above .06; conservative: surely below .03; else it holds.

        Surely: by Wilson's interval, at 95 % for `among` such rates together (Bonferroni).
        """
        low, high = proportion_ci(self.rejected, self.runs, confidence_level=1 - 0.05 / among)
        if low > 0.06:
            return TypeOneError.LIBERAL
        return TypeOneError.CONSERVATIVE if high < 0.03 else TypeOneError.HOLDS


class OfFamily(Protocol):
    """A count in one regime of a family."""

    @property
    def family(self) -> str:
        """A kind of learner, or a situation."""

    def verdict(self, among: int = 1) -> TypeOneError:
        """See `Rejections.verdict`."""


R = TypeVar("R", bound=OfFamily)


def liberal(rates: Iterable[R]) -> list[R]:
    """Keep the rates of one test that are surely above .06.

    A kind of learner stands for many settings of it, sizes and kinds of classes, and the highest of
    many rates is above its true value: it is judged by all its regimes together. A situation is
    judged by each of its own.
    """
    known = list(rates)
    regimes = Counter(rate.family for rate in known)
    return [
        rate
        for rate in known
        if rate.verdict(regimes[rate.family] if _of_learners(rate.family) else 1)
        is TypeOneError.LIBERAL
    ]


def _of_learners(family: str) -> bool:
    return family.partition(" by ")[0] in LEARNERS

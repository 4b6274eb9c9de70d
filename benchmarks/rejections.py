"""What a count of rejections of true nulls says."""

from __future__ import annotations

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

    @property
    def verdict(self) -> TypeOneError:
        """Liberal: surely above .06; conservative: surely below .03; else it holds."""
        low, high = self.interval
        if low > 0.06:
            return TypeOneError.LIBERAL
        return TypeOneError.CONSERVATIVE if high < 0.03 else TypeOneError.HOLDS

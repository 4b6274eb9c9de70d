"""Type I error rates of the tests in simulations: what `error_rates.csv` holds.

`python -m benchmarks` writes the file. It is part of the package, and the only one that
`bakeoff.stats` reads.
"""

from __future__ import annotations

import csv
import dataclasses
import importlib.resources
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

FILE = "error_rates.csv"


class TypeOneError(StrEnum):
    """What simulations show of a test's rejection rate under its null, at a level of .05."""

    HOLDS = "holds"
    """At most .06 in every regime."""
    CONSERVATIVE = "conservative"
    """Below .03 in every regime."""
    LIBERAL = "liberal"
    """Above .06 in some regime."""
    UNKNOWN = "unknown"
    """Not simulated."""
    BAYESIAN = "bayesian"

    @property
    def short(self) -> str:
        """The same in two or three words."""
        return _TYPE_ONE[self][0]

    @property
    def sentence(self) -> str:
        """What it says about the type I error of a test."""
        return _TYPE_ONE[self][1]


_REJECTS = "in simulations without a true difference it rejects"
_TYPE_ONE = {
    "holds": ("holds", f"controlled: {_REJECTS} at most about as often as the level allows"),
    "conservative": (
        "conservative",
        f"conservative: {_REJECTS} less often than the level allows, which costs power",
    ),
    "liberal": ("liberal", f"inflated: {_REJECTS} more often than the level allows"),
    "unknown": ("not simulated", "not simulated yet"),
    "bayesian": ("posterior probabilities", "none: the test reports posterior probabilities"),
}


@dataclasses.dataclass(frozen=True)
class ErrorRate:
    """The highest rejection rate of a test under true nulls of one setting, at a level of .05.

    Attributes
    ----------
    setting : str
        A kind of learner (``k-nearest neighbours``) or a situation (``rows in groups``).
    metric, by : str
        The metric of a learner's simulations and its title, where that is not accuracy.
    verdict : TypeOneError
        What all rates of the setting show.
    regime : str
        The simulated regime with the highest rate.
    runs, rejected : int
        Its simulated data sets, and those on which the test rejected.
    studies : tuple of str
        The files of benchmarks/ that hold the rates of the setting.
    """

    setting: str
    metric: str
    by: str
    verdict: TypeOneError
    regime: str
    runs: int
    rejected: int
    studies: tuple[str, ...]

    @property
    def rate(self) -> float:
        """The share of rejections."""
        return self.rejected / self.runs

    @property
    def label(self) -> str:
        """The setting, with its metric where that is not accuracy."""
        return f"{self.setting} by {self.by}" if self.by else self.setting


@cache
def error_rates() -> Mapping[str, tuple[ErrorRate, ...]]:
    """Return the simulated rates of every test by its name."""
    text = importlib.resources.files("bakeoff.stats").joinpath(FILE).read_text(encoding="utf-8")
    found: dict[str, tuple[ErrorRate, ...]] = {}
    for row in csv.DictReader(text.splitlines()):
        rate = ErrorRate(
            row["setting"],
            row["metric"],
            row["by"],
            TypeOneError(row["verdict"]),
            row["regime"],
            int(row["runs"]),
            int(row["rejected"]),
            tuple(row["studies"].split(" ")),
        )
        found[row["test"]] = (*found.get(row["test"], ()), rate)
    return found


def overall(verdicts: Iterable[TypeOneError]) -> TypeOneError:
    """Sum up the settings of a test: liberal if one is, conservative if all are."""
    known = set(verdicts)
    if not known:
        return TypeOneError.UNKNOWN
    if TypeOneError.LIBERAL in known:
        return TypeOneError.LIBERAL
    alike = known == {TypeOneError.CONSERVATIVE}
    return TypeOneError.CONSERVATIVE if alike else TypeOneError.HOLDS

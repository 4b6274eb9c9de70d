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

_REJECTS = "in simulations without a true difference it rejects"


class TypeOneError(StrEnum):
    """What simulations show of a test's rejection rate under its null, at a level of .05.

    It holds with at most .06 in every regime, is conservative below .03 in every regime, and
    liberal above .06 in some regime. `short` says it in a few words, `sentence` in one sentence.
    """

    short: str
    sentence: str

    def __new__(cls, value: str, short: str = "", sentence: str = "") -> TypeOneError:
        """Make a member of its value and its two texts."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.short = short
        member.sentence = sentence
        return member

    HOLDS = "holds", "holds", f"controlled: {_REJECTS} at most about as often as the level allows"
    CONSERVATIVE = (
        "conservative",
        "conservative",
        f"conservative: {_REJECTS} less often than the level allows, which costs power",
    )
    LIBERAL = "liberal", "liberal", f"inflated: {_REJECTS} more often than the level allows"
    UNKNOWN = "unknown", "not simulated", "not simulated yet"
    BAYESIAN = (
        "bayesian",
        "posterior probabilities",
        "none: the test reports posterior probabilities",
    )


@dataclasses.dataclass(frozen=True)
class ErrorRate:
    """The highest rejection rate of a test under true nulls of one setting, at a level of .05.

    Attributes
    ----------
    setting : str
        A kind of learner (``k-nearest neighbours``) or a situation (``rows in groups``).
    metric, by : str
        The metric of a learner's simulations and its title, where that is not accuracy.
    verdict, studies : TypeOneError, tuple of str
        What all rates of the setting show, and the files of benchmarks/ that hold them.
    regime, runs, rejected : str, int, int
        The simulated regime with the highest rate, its data sets, and those that were rejected.
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
        if self.by:
            return f"{self.setting} by {self.by}"
        return self.setting


@cache
def error_rates() -> Mapping[str, tuple[ErrorRate, ...]]:
    """Return the simulated rates of every test by its name."""
    file = importlib.resources.files("bakeoff.stats") / "error_rates.csv"
    rates: dict[str, tuple[ErrorRate, ...]] = {}
    _, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines())
    for row in rows:
        test, setting, metric, by, verdict, regime, runs, rejected, studies = row
        rate = ErrorRate(
            setting,
            metric,
            by,
            TypeOneError(verdict),
            regime,
            int(runs),
            int(rejected),
            tuple(studies.split(" ")),
        )
        rates[test] = (*rates.get(test, ()), rate)
    return rates


def overall(verdicts: Iterable[TypeOneError]) -> TypeOneError:
    """Sum up the settings of a test: liberal if one is, conservative if all are."""
    kinds = set(verdicts) or {TypeOneError.UNKNOWN}
    if len(kinds) == 1:
        return kinds.pop()
    if TypeOneError.LIBERAL in kinds:
        return TypeOneError.LIBERAL
    return TypeOneError.HOLDS

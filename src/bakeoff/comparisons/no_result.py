"""What stands where a test has no answer on its evidence."""

from __future__ import annotations

import dataclasses
import math

from bakeoff.stats import Entry, Result, Status

UNDEFINED_METRIC = "undefined_metric"
"""Status where a model has no score to compare."""


class Missing(ValueError):
    """A model has no score or prediction where the test needs one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoResult(Result):
    """No result, and why."""

    reason: str
    kind: str

    @classmethod
    def of(cls, entry: Entry, alternative: str, n: int, refusal: ValueError) -> NoResult:
        """Make it from the refusal of a test."""
        return cls(
            test=entry.name,
            statistic=math.nan,
            pvalue=math.nan,
            n=n,
            null_hypothesis="",
            method=entry.citation,
            alternative=alternative,  # type: ignore[arg-type]
            reason=str(refusal),
            kind=UNDEFINED_METRIC if isinstance(refusal, Missing) else Status.UNDEFINED.value,
        )

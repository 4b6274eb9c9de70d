"""The pairs that a family of models has, their results, and which corrections fit them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from itertools import combinations, zip_longest
from typing import Any

from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import canonical_method
from bakeoff.stats.core.plain import plain
from bakeoff.stats.core.result import (
    AGREE,
    DISAGREEMENT,
    ROUNDING,
    Alternative,
    Assumption,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pair:
    """One pair inside an all-pairs result.

    `a` and `b` are column numbers: a < b, or a is the control. `estimate` is a's advantage over
    b (positive favours a).
    """

    a: int
    b: int
    statistic: float
    pvalue: float
    pvalue_adjusted: float
    estimate: float = math.nan
    ci: ConfidenceInterval | None = None
    df: float | None = None
    status: Status = Status.OK
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairwiseResult:
    """The outcome of a procedure that tests a whole family of pairs at once.

    Attributes
    ----------
    test, variant, n, null_hypothesis, method, alternative, status, assumptions, details
        As in `Result`; the null hypothesis is that of each pair.
    correction : str
        How `Pair.pvalue_adjusted` was made, e.g. ``"holm"`` or ``"studentized-range"``.
    pairs : tuple of Pair
        In the order (0, 1), (0, 2), ..., or control against the others.
    results : tuple of Result
        All that the test of two models says of each pair, where such a test was run; it is not in
        `to_dict`.
    """

    test: str = ""
    correction: str
    pairs: tuple[Pair, ...]
    n: int
    null_hypothesis: str = ""
    method: str = ""
    variant: str = ""
    alternative: Alternative = "two-sided"
    status: Status = Status.OK
    assumptions: tuple[Assumption, ...] = ()
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    results: tuple[Result, ...] = ()

    def __post_init__(self) -> None:
        known = tuple(check for check in self.assumptions if check.name != AGREE)
        object.__setattr__(self, "assumptions", (*known, *self._disagreements()))

    def each(self) -> tuple[Result, ...]:
        """Return a result of each pair: that of a test of two models, or what is known of it."""
        shared = ("test", "variant", "n", "null_hypothesis", "method", "alternative")
        own = ("statistic", "df", "pvalue", "estimate", "ci", "status")
        known = tuple(check for check in self.assumptions if check.name != AGREE)
        common = {"assumptions": known, **{k: getattr(self, k) for k in shared}}
        return self.results or tuple(
            Result(**common, **{k: getattr(pair, k) for k in own}) for pair in self.pairs
        )

    def _disagreements(self) -> Iterator[Assumption]:
        """Name the pairs whose interval disagrees with the decision by the adjusted p-value."""
        told: dict[bool, list[str]] = {}
        for pair, result in zip_longest(self.pairs, self.results):
            if pair.ci is None or math.isnan(pair.pvalue_adjusted):
                continue
            level = self.details.get("confidence_level", pair.ci.confidence)
            alpha = result.alpha if isinstance(result, EquivalenceResult) else 1 - level
            rejected = pair.pvalue_adjusted <= alpha + ROUNDING
            if rejected != (result.excludes_null if result else pair.ci.excludes(0)):
                told.setdefault(rejected, []).append(f"({pair.a}, {pair.b})")
        for rejected, pairs in told.items():
            which = f"{'pair' if len(pairs) == 1 else 'pairs'} {', '.join(pairs)}"
            yield Assumption(AGREE, False, f"{which}: {DISAGREEMENT[rejected]}")

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain data, ready for JSON; see `bakeoff.stats.plain`."""
        names = (field.name for field in dataclasses.fields(self) if field.name != "results")
        return {name: plain(getattr(self, name)) for name in names}


def check_control(control: int | None, k: int) -> int | None:
    """Check the column number of the control model."""
    if control is not None and not 0 <= control < k:
        raise ArgumentError(
            "control", f"found {control!r}, must be a column number from 0 to {k - 1}"
        )
    return control


def check_correction(
    correction: str, control: int | None, alternative: Alternative, *more: str
) -> str:
    """Check that a correction, or one `more`, fits the family; return its canonical name."""
    method = canonical_method(correction, "correction", more)
    asked = f"alternative {alternative!r}" if control is None else "one model against the others"
    if method == "shaffer" and (control is not None or alternative != "two-sided"):
        raise ArgumentError(
            "correction",
            f"{method!r} is for two-sided tests of all pairs, found {asked}; use 'holm' or "
            "'hommel'",
        )
    return method


def pairs_of(k: int, control: int | None) -> list[tuple[int, int]]:
    """Return all pairs (0, 1), (0, 2), ..., or the control, as A, against each other model."""
    if control is None:
        return list(combinations(range(k), 2))
    return [(control, j) for j in range(k) if j != control]

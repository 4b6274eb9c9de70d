"""The gate by preferences, by marks that people corrected, or at a look: ship, block, undecided."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from bakeoff.comparisons.preferences import in_one_order
from bakeoff.data.battles import Battles
from bakeoff.data.marks import Marks, SuiteItems
from bakeoff.errors import Problem
from bakeoff.stats import (
    ArgumentError,
    Limits,
    Look,
    Looks,
    Release,
    Result,
    Status,
    check_margin,
    corrected_difference,
    decide_release,
    looks,
    preference_difference,
)


@dataclasses.dataclass(frozen=True)
class JudgedGate:
    """The decision about a candidate by judged evidence."""

    decision: Release
    base: str
    candidate: str
    what: str
    """What the margin is of: the share of prompts, or people's marks."""
    unit: str
    """What is counted: prompts or items."""
    limits: Limits
    """For the candidate's advantage."""
    margin: float
    superior: bool
    next_look: int | None = None
    total: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The decision in one sentence."""
        margin = f"{self.margin:,.12g} of {self.what}"
        passes = f"{self.candidate} is not worse than {self.base} by {margin}"
        fails = f"{self.candidate} is worse than {self.base} by more than {margin}"
        if self.superior:
            by = f" by {self.what}"
            if self.margin:
                by = f" by more than {margin}"
            passes = f"{self.candidate} is better than {self.base}{by}"
            fails = f"{self.candidate} is not shown to be better than {self.base}{by}"
        if self.decision is Release.SHIP:
            return f"Ship: {passes}."
        if self.decision is Release.BLOCK:
            return f"Block: {fails}."
        if self.superior:
            return f"Undecided: whether {passes} is not known yet."
        return f"Undecided: {self.candidate} may be worse than {self.base} by {margin}, or not."

    @property
    def reasons(self) -> list[str]:
        """The sentences behind the decision."""
        limits = self.limits
        sentences = []
        if math.isnan(limits.low):
            sentences.append(f"There are no limits: {self._why_none()}.")
        else:
            sentence = (
                f"The change is {limits.estimate:+.3f} on {limits.n:,} {self.unit}, its limits at "
                f"the level {limits.alpha:g} each are {limits.low:+.3f} and {limits.high:+.3f}."
            )
            sentences.append(sentence.replace("-", "−"))
        if self.total is not None:
            sentences.append(
                f"This is a look at {limits.n:,} of {self.total:,} items; all looks together keep "
                "that level."
            )
        if self.next_look is not None and self.decision is Release.UNDECIDED:
            sentences.append(f"The next look is at {self.next_look:,} items.")
        sentences += limits.warnings
        return sentences

    def _why_none(self) -> str:
        """Say why there are no limits."""
        if self.limits.status is Status.TOO_FEW:
            return f"there are too few {self.unit}"
        return f"no {self.unit[:-1]} counts differently for the two"

    @property
    def as_plain(self) -> dict[str, Any]:
        """The decision as plain data, by the keys of other gates."""
        terms = {
            "metric": self.what,
            "margin": self.margin,
            "alpha": self.limits.alpha,
            "superior": self.superior,
            "positive": None,
        }
        overall = {"name": "", "decision": self.decision.value} | dataclasses.asdict(self.limits)
        return {
            "decision": self.decision.value,
            "headline": self.headline,
            "reasons": self.reasons,
            "base": self.base,
            "candidate": self.candidate,
            "terms": terms,
            "overall": overall,
            "cautions": list(self.notes),
        }


def gate_of_battles(
    battles: Battles, base: str, candidate: str, margin: float, alpha: float, *, superior: bool
) -> JudgedGate:
    """Decide by the share of prompts on which the candidate is preferred, less a half."""
    check_margin(margin, 0.0, 0.5)
    votes = battles.among([base, candidate]).turned(candidate)
    table = votes.votes
    groups = None
    if "groups" in table:
        groups = table["groups"].to_numpy()
    # each limit is that of a one-sided interval at the level of its own error
    sides = []
    for side in ("greater", "less"):
        try:
            result = preference_difference(
                table["outcome"].to_numpy(dtype=float),
                table["prompt"].to_numpy(),
                first=votes.first,
                groups=groups,
                alternative=side,
                confidence_level=1 - alpha,
            )
        except ArgumentError as error:
            if error.argument != "first":
                raise
            raise Problem(("order",), in_one_order(votes)) from None
        sides.append(result)
    limits = _halved(_limits(sides[0], sides[1], alpha))
    return JudgedGate(
        decision=decide_release(limits, margin, superior=superior),
        base=base,
        candidate=candidate,
        what="the share of prompts on which it is preferred",
        unit="prompts",
        limits=limits,
        margin=margin,
        superior=superior,
        notes=votes.notes,
    )


def _limits(low: Result, high: Result, alpha: float) -> Limits:
    """Take the lower limit of one result and the upper limit of the other."""
    return Limits.from_results(low, high, alpha, 0, low.variant)


def _halved(limits: Limits) -> Limits:
    """Turn a difference of two shares that sum up to 1 into the distance of one from a half."""
    # with p + q = 1: (p − q) / 2 = p − 1/2
    return dataclasses.replace(
        limits, estimate=limits.estimate / 2, low=limits.low / 2, high=limits.high / 2
    )


def _largest(*, binary: bool) -> float:
    """Return the largest difference that is possible."""
    if binary:
        return 1.0
    return math.inf


def gate_of_marks(
    marks: Marks, base: str, candidate: str, margin: float, alpha: float, *, superior: bool
) -> JudgedGate:
    """Decide by people's marks, of which the judge's on all items are corrected."""
    check_margin(margin, 0.0, _largest(binary=marks.binary))
    # as for battles: the limits of two one-sided intervals
    sides = []
    for side in ("greater", "less"):
        result = corrected_difference(
            marks.judge[candidate],
            marks.judge[base],
            marks.human[candidate],
            marks.human[base],
            groups=marks.groups,
            alternative=side,
            confidence_level=1 - alpha,
        )
        sides.append(result)
    limits = _limits(sides[0], sides[1], alpha)
    return JudgedGate(
        decision=decide_release(limits, margin, superior=superior),
        base=base,
        candidate=candidate,
        what="people's mark",
        unit="items",
        limits=limits,
        margin=margin,
        superior=superior,
        notes=marks.notes,
    )


def gate_at_look(
    items: SuiteItems, base: str, candidate: str, margin: float, alpha: float, *, superior: bool
) -> JudgedGate:
    """Decide at the first look that decides; each side spends its level over all looks."""
    check_margin(margin, 0.0, _largest(binary=items.binary))
    differences = items.values[candidate] - items.values[base]
    # the looks are two-sided: each side of the gate spends a level of alpha of its own
    planned_looks = looks(differences, items.total, alpha=2 * alpha)
    look = None
    decision = Release.UNDECIDED
    for look in planned_looks.done:
        decision = _at_look(look, planned_looks, margin, alpha, superior=superior)
        if decision is not Release.UNDECIDED:
            break
    next_look = None
    if planned_looks.coming:
        next_look = planned_looks.coming[0]
    return JudgedGate(
        decision=decision,
        base=base,
        candidate=candidate,
        what="the mean of items",
        unit="items",
        limits=_limits_of_look(look, alpha),
        margin=margin,
        superior=superior,
        next_look=next_look,
        total=items.total,
        notes=items.notes,
    )


def _at_look(
    look: Look, planned_looks: Looks, margin: float, alpha: float, *, superior: bool
) -> Release:
    """Decide by the limits of a look; what is not shown better is blocked at the last one alone."""
    limits = _limits_of_look(look, alpha)
    decision = decide_release(limits, margin, superior=superior)
    is_last = look.n == planned_looks.total
    # a gain that is not shown yet may show later: only one that is shown too small is blocked
    if superior and not is_last and decision is Release.BLOCK and limits.high >= margin:
        return Release.UNDECIDED
    return decision


def _limits_of_look(look: Look | None, alpha: float) -> Limits:
    """Return the limits of a look, which hold at all looks together."""
    if look is None:
        nothing = math.nan
        return Limits(nothing, nothing, nothing, alpha, 0, 0, Status.TOO_FEW, "obrien_fleming")
    return Limits(
        estimate=look.difference,
        low=look.low,
        high=look.high,
        alpha=alpha,
        n=look.n,
        groups=0,
        status=Status.OK,
        method="obrien_fleming",
    )

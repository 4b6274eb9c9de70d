"""The verdict of a gate: overall, and where subgroups are named for each of them."""

from __future__ import annotations

import dataclasses

import numpy as np

from bakeoff.errors import UserError
from bakeoff.release.evidence import GateRows
from bakeoff.stats import Limits, Release, decide_release, rows_to_decide

MOST_SUBGROUPS = 100


@dataclasses.dataclass(frozen=True)
class Terms:
    """The terms of a decision, fixed before seeing the data.

    Attributes
    ----------
    metric : str
        By which base and candidate are compared.
    margin : float
        The largest loss that does not matter, in the metric's unit.
    alpha : float
        Level of this decision.
    superior : bool
        Whether the candidate must be shown better, by more than the margin.
    percent : float or None
        The margin in percent of the base's value, where it was named so.
    """

    metric: str
    margin: float
    alpha: float
    superior: bool = False
    percent: float | None = None

    @classmethod
    def of(
        cls, rows: GateRows, metric: str | None, margin: float | str, alpha: float, superior: bool
    ) -> Terms:
        """Read the terms: the default metric of the task, a margin in its unit or in percent.

        Raises
        ------
        Problem, ArgumentError
            A metric that does not fit, a margin out of range.
        """
        name = metric or rows.task.metric
        size, percent = rows.margin(name, margin)
        return cls(name, size, alpha, superior, percent)


@dataclasses.dataclass(frozen=True)
class Part:
    """The decision on all rows, or on those of a subgroup.

    Attributes
    ----------
    name : str
        The subgroup; empty for all rows.
    limits : Limits
        Of the candidate's advantage there.
    decision : Release
        What they say; of a subgroup only ``block`` counts.
    """

    name: str
    limits: Limits
    decision: Release


@dataclasses.dataclass(frozen=True)
class GateVerdict:
    """The decision about a candidate, with its reasons.

    Attributes
    ----------
    decision : Release
        ``block`` where all rows or a subgroup say so; else what all rows say.
    terms : Terms
        What was asked.
    names : tuple of str
        Base and candidate.
    overall : Part
        On all rows.
    subgroups : tuple of Part
        Each by itself.
    rows_needed : int or None
        Rows with which an undecided gate would probably decide.
    positive : str or None
        The positive class, where the metric is about one of two.
    runs : tuple of int
        Training runs of base and candidate, where there are several.
    unit : str or None
        What predicted numbers are measured in.
    """

    decision: Release
    terms: Terms
    names: tuple[str, str]
    overall: Part
    subgroups: tuple[Part, ...]
    rows_needed: int | None
    positive: str | None = None
    runs: tuple[int, ...] = ()
    unit: str | None = None

    def __str__(self) -> str:
        from bakeoff.release.show import headline, reasons  # which imports this module

        return "\n".join((headline(self), *reasons(self)))

    @property
    def harmed(self) -> tuple[Part, ...]:
        """The subgroups in which the candidate is shown worse by more than the margin."""
        return tuple(part for part in self.subgroups if part.decision is Release.BLOCK)


def decide(rows: GateRows, terms: Terms) -> GateVerdict:
    """Decide on a candidate.

    Whether all rows let it pass is asked once, at alpha. Whether it does harm is asked of all rows
    and of every subgroup, each at alpha over their number (Bonferroni): any false block has at
    most the probability alpha.

    Raises
    ------
    ValueError, UserError
        A metric that does not fit.
    """
    names = [] if rows.subgroups is None else sorted(map(str, np.unique(rows.subgroups)))
    if len(names) > MOST_SUBGROUPS:
        raise UserError(f"--subgroup: {len(names):,} different values, at most {MOST_SUBGROUPS}")
    asked = len(names) + 1
    limits = rows.limits(terms.metric, terms.alpha)
    decision = decide_release(limits, terms.margin, superior=terms.superior)
    if decision is Release.BLOCK and not terms.superior and names:
        limits = rows.limits(terms.metric, terms.alpha / asked)
        decision = decide_release(limits, terms.margin)
    overall = Part("", limits, decision)
    found = []
    for name in names:
        kept = rows.subgroups == name
        own = rows.limits(terms.metric, terms.alpha / asked, np.asarray(kept))
        found.append(Part(name, own, decide_release(own, terms.margin)))
    harmed = any(part.decision is Release.BLOCK for part in found)
    final = Release.BLOCK if harmed else decision
    needed = None
    if final is Release.UNDECIDED and not rows.runs:
        needed = rows_to_decide(limits, terms.margin)
    parts = overall, tuple(found)
    about, runs = rows.about(terms.metric), tuple(map(len, rows.runs))
    return GateVerdict(final, terms, rows.names, *parts, needed, about, runs, rows.unit)

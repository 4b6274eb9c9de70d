"""Decide on a candidate: by each metric, on all rows, over tasks and in parts of the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import Problem
from bakeoff.release.halves import pairs_of_halves
from bakeoff.release.rows import GateRows
from bakeoff.release.terms import Terms
from bakeoff.release.verdict import AgainstItself, GateVerdict, Part
from bakeoff.stats import Limits, Release, decide_release, macro_limits, rows_to_decide

MOST_SUBGROUPS = 100
ALLOW_MISSING = 0.01
"""The share of items that a model may lack and the candidate still ship."""
_MACRO = "mean over tasks"
_DECIDING = (Release.BLOCK, Release.UNDECIDED, Release.SHIP)
"""Which decision goes before which, where metrics decide differently."""

Guardrail = tuple[GateRows, Terms]
"""A number of each row that must not become worse, such as its latency, with the terms of it."""


def decide(
    rows: GateRows,
    terms: Sequence[Terms],
    *,
    allow_missing: float = ALLOW_MISSING,
    guardrails: Sequence[Guardrail] = (),
) -> GateVerdict:
    """Decide on a candidate, by one metric or by several, and by guardrails."""
    verdict = _verdict(rows, terms, allow_missing, guardrails)
    return dataclasses.replace(verdict, against_itself=_against_itself(rows, terms))


def _verdict(
    rows: GateRows,
    terms: Sequence[Terms],
    allow_missing: float,
    guardrails: Sequence[Guardrail] = (),
) -> GateVerdict:
    """Decide by each metric; the decision is the first that decides."""
    subgroups = _rows_of_subgroups(rows)
    tasks = {}
    if rows.tasks is not None:
        tasks = {str(task): rows.tasks == task for task in np.unique(rows.tasks)}
    # harm is asked of all rows, of the parts, and of the mean over tasks
    n_questions = 1 + len(subgroups) + len(tasks)
    if tasks:
        n_questions += 1
    # a guardrail is one question: it is about all rows
    n_questions = len(terms) * n_questions + len(guardrails)
    verdicts = []
    for of_metric in terms:
        rule = _Rule(rows, of_metric, of_metric.alpha / n_questions)
        verdicts.append(rule.verdict(subgroups, tasks, allow_missing))
    for values, of_values in guardrails:
        rule = _Rule(values, of_values, of_values.alpha / n_questions)
        verdicts.append(rule.verdict([], {}, allow_missing=1.0))
    deciding = min(verdicts, key=lambda verdict: _DECIDING.index(verdict.decision))
    if len(verdicts) == 1:
        return deciding
    return dataclasses.replace(deciding, by_metric=tuple(verdicts))


def _rows_of_subgroups(rows: GateRows) -> list[tuple[str, NDArray[np.bool_]]]:
    """List the subgroups with their rows; two of them may have one name."""
    subgroups = []
    for column, values in rows.subgroups.items():
        for value in np.unique(values):
            name = str(value)
            if len(rows.subgroups) > 1:
                name = f"{column}: {value}"
            subgroups.append((name, values == value))
    if len(subgroups) > MOST_SUBGROUPS:
        raise Problem(
            ("subgroups",), f"{len(subgroups):,} different values, at most {MOST_SUBGROUPS}"
        )
    return subgroups


@dataclasses.dataclass(frozen=True)
class _Rule:
    """How base and candidate are compared by one metric."""

    rows: GateRows
    terms: Terms
    level_of_harm: float
    """At which harm is shown: alpha, shared by all questions (Bonferroni)."""

    def verdict(
        self,
        subgroups: Sequence[tuple[str, NDArray[np.bool_]]],
        tasks: Mapping[str, NDArray[np.bool_]],
        allow_missing: float,
    ) -> GateVerdict:
        """Decide on all rows, in the mean over tasks, and in each part of the rows."""
        rows = self.rows
        metric = self.terms.metric
        overall = self.on_all("", lambda alpha: rows.limits(metric, alpha))
        macro = None
        if tasks:
            macro = self.over_tasks()
        label = ""
        if rows.passing is not None:
            label = rows.passing.label_of(metric)
        verdict = GateVerdict(
            decision=overall.decision,
            terms=self.terms,
            names=rows.names,
            overall=overall,
            subgroups=tuple(self.on_subgroup(name, kept) for name, kept in subgroups),
            rows_needed=None,
            positive=rows.about(metric),
            runs=rows.runs,
            unit=rows.unit,
            macro=macro,
            tasks=tuple(self.on_task(name, kept) for name, kept in tasks.items()),
            missing=rows.given.missing,
            allow_missing=allow_missing,
            cautions=rows.given.cautions,
            label=label,
        )
        decision = _decision(verdict)
        rows_needed = None
        if Release.UNDECIDED is decision is verdict.whole.decision and not rows.runs:
            rows_needed = rows_to_decide(verdict.whole.limits, self.terms.margin)
        return dataclasses.replace(verdict, decision=decision, rows_needed=rows_needed)

    def on_all(self, name: str, limits_at: Callable[[float], Limits]) -> Part:
        """Ship at alpha, and block at the level that all questions of harm share."""
        limits = limits_at(self.terms.alpha)
        decision = decide_release(limits, self.terms.margin, superior=self.terms.superior)
        if decision is Release.BLOCK and not self.terms.superior:
            limits = limits_at(self.level_of_harm)
            decision = decide_release(limits, self.terms.margin)
        return Part(name, limits, decision)

    def over_tasks(self) -> Part | None:
        """Decide on the mean over tasks, where it is known."""
        difference = self.rows.macro(self.terms.metric)
        if difference is None:
            return None
        return self.on_all(_MACRO, lambda alpha: macro_limits(difference, alpha=alpha))

    def on_subgroup(self, name: str, kept: NDArray[np.bool_]) -> Part:
        """Ask whether the candidate is worse in a part of the rows."""
        return self._asked(name, kept, self.level_of_harm, self.terms.margin)

    def on_task(self, name: str, kept: NDArray[np.bool_]) -> Part:
        """Ask for harm, or that the task keeps a margin."""
        margin = self.terms.each_task
        if margin is None:
            return self.on_subgroup(name, kept)
        # all tasks have to keep it: of an intersection of claims each is tested at alpha
        # (Berger 1982); that a task is worse is one question of many, as of a subgroup
        part = self._asked(name, kept, self.terms.alpha, margin)
        if part.decision is Release.BLOCK:
            part = self._asked(name, kept, self.level_of_harm, margin)
        return part

    def _asked(self, name: str, kept: NDArray[np.bool_], alpha: float, margin: float) -> Part:
        """Decide on a part of the rows, at a level."""
        limits = self.rows.limits(self.terms.metric, alpha, kept)
        return Part(name, limits, decide_release(limits, margin))


def _decision(verdict: GateVerdict) -> Release:
    """Return the decision: harm of any part blocks, and nothing ships against an obstacle."""
    if verdict.harmed or verdict.whole.decision is Release.BLOCK:
        return Release.BLOCK
    if verdict.whole.decision is Release.SHIP and not verdict.obstacles:
        return Release.SHIP
    return Release.UNDECIDED


def _against_itself(rows: GateRows, terms: Sequence[Terms]) -> AgainstItself | None:
    """Decide by the same rule on halves of the base's runs; None where there are too few."""
    pairs, n_runs = pairs_of_halves(rows)
    if not pairs:
        return None
    decisions = [_verdict(pair, terms, allow_missing=1.0).decision for pair in pairs]
    return AgainstItself(
        runs=n_runs,
        pairs=len(pairs),
        ship=decisions.count(Release.SHIP) / len(pairs),
        block=decisions.count(Release.BLOCK) / len(pairs),
        undecided=decisions.count(Release.UNDECIDED) / len(pairs),
    )

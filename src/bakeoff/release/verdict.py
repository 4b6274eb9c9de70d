"""The verdict of a gate: the decision with the limits that it is made from, and its sentences."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import partial

from bakeoff.data.observations import Missing
from bakeoff.errors import joined
from bakeoff.release.terms import Terms
from bakeoff.report.numbers import MINUS, count, fixed, percent
from bakeoff.report.written import decimals, unit_of, varies, with_unit
from bakeoff.scores.metrics import METRICS, in_unit
from bakeoff.stats import Limits, Release, Status, rows_to_decide

_MOST_NAMED = 5
"""Parts that sentences name."""
_USUAL_DECIMALS = 3
_ERRORS_BETWEEN_LIMITS = 3.3
"""How many standard errors two limits at the level 5 % are apart: 2 × 1.645."""
_WHY_NONE = {
    Status.TOO_FEW: "there are too few groups for limits, or too few rows of a class",
    Status.IDENTICAL_SCORES: (
        "no row counts differently for the two by this metric, which gives no limits"
    ),
    Status.ZERO_VARIANCE: "the difference is the same on every row, which gives no limits",
    Status.UNDEFINED: "the metric has no value on these rows",
}


# --- what was decided


@dataclasses.dataclass(frozen=True)
class Part:
    """The decision on all rows, or on those of a subgroup."""

    name: str
    limits: Limits
    decision: Release

    @property
    def rows(self) -> str:
        """How many rows there are, and groups of them."""
        if self.limits.groups:
            return f"{self.limits.n:,} rows in {self.limits.groups:,} groups"
        return f"{self.limits.n:,} rows"


@dataclasses.dataclass(frozen=True)
class AgainstItself:
    """How the rule decides on the base in place of a candidate: on halves of its runs."""

    runs: int
    pairs: int
    """How many pairs of halves were decided on."""
    ship: float
    block: float
    undecided: float

    @property
    def sentence(self) -> str:
        """How often each decision comes."""
        return (
            f"The base against itself, by the same rule on {self.pairs} pairs of halves of its "
            f"{self.runs} runs: ship {percent(self.ship)}, undecided {percent(self.undecided)}, "
            f"block {percent(self.block)}."
        )


@dataclasses.dataclass(frozen=True)
class GateVerdict:
    """The decision about a candidate, with its reasons."""

    decision: Release
    terms: Terms
    names: tuple[str, str]
    overall: Part
    subgroups: tuple[Part, ...]
    rows_needed: int | None
    positive: str | None = None
    runs: tuple[int, ...] = ()
    unit: str | None = None
    by_metric: tuple[GateVerdict, ...] = ()
    macro: Part | None = None
    """The mean over tasks, where the rows are of several and it is known."""
    tasks: tuple[Part, ...] = ()
    missing: Missing | None = None
    allow_missing: float = 0.0
    cautions: tuple[str, ...] = ()
    """What was asked differently, and which logs are not whole."""
    against_itself: AgainstItself | None = None
    label: str = ""
    """What sentences call the metric, where not by its name."""

    def __str__(self) -> str:
        return "\n".join([headline(self), *reasons(self)])

    @property
    def each(self) -> tuple[GateVerdict, ...]:
        """The decisions by each metric."""
        return self.by_metric or (self,)

    @property
    def whole(self) -> Part:
        """What decides: the mean over tasks where it is known, else all rows."""
        if self.macro is None:
            return self.overall
        return self.macro

    @property
    def parts(self) -> tuple[Part, ...]:
        """The decisions on all rows, over tasks, and on parts of the rows."""
        parts = [self.overall]
        if self.macro is not None:
            parts.append(self.macro)
        return tuple(parts) + self.tasks + self.subgroups

    @property
    def harmed(self) -> tuple[Part, ...]:
        """The subgroups and tasks in which the candidate is shown worse by more than the margin."""
        parts = self.subgroups + self.tasks
        return tuple(part for part in parts if part.decision is Release.BLOCK)

    @property
    def is_worse_over_tasks(self) -> bool:
        """Whether the mean over tasks blocks."""
        return self.macro is not None and self.macro.decision is Release.BLOCK

    @property
    def margin_of_task(self) -> float:
        """The margin of a single task."""
        if self.terms.each_task is None:
            return self.terms.margin
        return self.terms.each_task

    @property
    def open_tasks(self) -> tuple[Part, ...]:
        """The tasks that are not shown to be within the margin that each of them has to keep."""
        if self.terms.each_task is None:
            return ()
        return tuple(part for part in self.tasks if part.decision is Release.UNDECIDED)

    @property
    def worse_tasks(self) -> tuple[Part, ...]:
        """The tasks in which the candidate is shown worse, and maybe by the margin."""
        # all of the limits are below 0, and not all of them are above −margin
        worse = []
        for part in self.tasks:
            if part.limits.high < 0 and part.limits.low <= -self.margin_of_task:
                worse.append(part)
        return tuple(worse)

    @property
    def lacking(self) -> tuple[str, ...]:
        """The models of which more items are missing than may be."""
        if self.missing is None:
            return ()
        shares = self.missing.shares
        return tuple(model for model in shares if shares[model] > self.allow_missing)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Why the candidate does not ship although it passes on all rows."""
        obstacles = []
        if self.open_tasks:
            are = "are"
            if len(self.open_tasks) == 1:
                are = "is"
            obstacles.append(
                f"{len(self.open_tasks)} of {len(self.tasks)} tasks {are} not shown to be within "
                f"{self.terms.each_task:g}"
            )
        elif self.worse_tasks:
            obstacles.append(f"it is worse in {_first_names(self.worse_tasks)}")
        if self.lacking:
            obstacles.append(f"items of {joined(self.lacking)} are missing")
        return tuple(obstacles)


# --- the headline


def headline(verdict: GateVerdict) -> str:
    """Return the decision in one sentence."""
    margin = _margins(verdict)
    if verdict.decision is Release.SHIP:
        return f"Ship: {_claim(verdict, margin)}{_over_tasks(verdict)}."
    if verdict.decision is Release.UNDECIDED:
        return f"Undecided: {_open_question(verdict, margin)}."
    return f"Block: {_harm(verdict, margin)}."


def _margins(verdict: GateVerdict) -> str:
    """Write the margins of the decision: of all metrics where all of them pass."""
    # what does not pass is said of the metric that decides
    verdicts: Sequence[GateVerdict] = (verdict,)
    if verdict.decision is Release.SHIP:
        verdicts = verdict.each
    margins = []
    for by_metric in verdicts:
        metric = _metric(by_metric)
        of_metric = f" of {metric}"
        if by_metric.terms.percent is not None:
            of_metric = f" ({by_metric.terms.percent:g}% of the {metric} of {verdict.names[0]})"
        margins.append(f"{written_margin(by_metric)}{written_unit(by_metric)}{of_metric}")
    # better by all of them, or not worse by any of them
    word = "or"
    if verdict.terms.superior:
        word = "and"
    return joined(margins, word)


def _claim(verdict: GateVerdict, margin: str) -> str:
    """Write what a candidate that ships has shown."""
    base, candidate = verdict.names
    if verdict.terms.superior:
        return f"{candidate} is better than {base}{_by_more(verdict, margin)}"
    return f"{candidate} is not worse than {base} by {margin}"


def _by_more(verdict: GateVerdict, margin: str) -> str:
    """Write the margin of a difference; a margin of zero is not written."""
    if not verdict.terms.margin:
        return ""
    return f" by more than {margin}"


def _over_tasks(verdict: GateVerdict) -> str:
    """Say of a candidate that ships that the mean over tasks is meant, or each of them."""
    if verdict.macro is None:
        return ""
    over = f" in the mean over {count(len(verdict.tasks), 'task')}"
    if verdict.terms.each_task is None:
        return over
    return f"{over}, and by {verdict.terms.each_task:g} in each of them"


def _open_question(verdict: GateVerdict, margin: str) -> str:
    """Write what is not known, or what a candidate lacks that passes on all rows."""
    base, candidate = verdict.names
    if verdict.whole.decision is not Release.SHIP:
        return f"{candidate} may be worse than {base} by {margin}, or not"
    on = f"on {verdict.overall.rows}"
    if verdict.macro is not None:
        on = f"in the mean over {count(len(verdict.tasks), 'task')}"
    return f"{_claim(verdict, margin)} {on}, but {joined(verdict.obstacles)}"


def _harm(verdict: GateVerdict, margin: str) -> str:
    """Write where a candidate that is blocked is worse."""
    base, candidate = verdict.names
    places = []
    if verdict.is_worse_over_tasks:
        places.append(f"in the mean over {count(len(verdict.tasks), 'task')}")
    if verdict.harmed:
        places.append(f"for {_first_names(verdict.harmed)}")
    where = ""
    if places:
        where = f" {joined(places)}"
    relation = "worse"
    if verdict.terms.superior and not verdict.harmed:
        relation = "not shown better"
    return f"{candidate} is {relation} than {base}{_by_more(verdict, margin)}{where}"


def _first_names(parts: Sequence[Part]) -> str:
    """Name the first few parts, and count the others."""
    names = ", ".join([part.name for part in parts[:_MOST_NAMED]])
    if len(parts) > _MOST_NAMED:
        return f"{names} and {len(parts) - _MOST_NAMED} others"
    return names


# --- the reasons


def reasons(verdict: GateVerdict) -> list[str]:
    """Return the sentences behind the decision, by each metric."""
    sentences = []
    for by_metric in verdict.each:
        sentences += _on_all_rows(by_metric)
        sentences += _on_tasks(by_metric)
        sentences += _on_parts(by_metric)
        sentences += _on_rows_needed(by_metric)
    if verdict.missing is not None and verdict.missing.sentence:
        sentences.append(verdict.missing.sentence)
    for model in verdict.lacking:
        sentences.append(too_many_missing(verdict, model))
    sentences += verdict.cautions
    if verdict.against_itself is not None:
        sentences.append(verdict.against_itself.sentence)
    return sentences


def _on_all_rows(verdict: GateVerdict) -> list[str]:
    """Return the sentences on the change by one metric on all rows."""
    limits = verdict.overall.limits
    terms = verdict.terms
    unit = written_unit(verdict)
    runs = ""
    if verdict.runs:
        runs = f" and {verdict.runs[0]} and {verdict.runs[1]} training runs"
    alike = ""
    if verdict.tasks:
        alike = ", which weigh alike (micro average)"
    sentences = [
        f"Its {_metric(verdict)} is {_moved(verdict, limits)} on {verdict.overall.rows}{runs}"
        f"{alike}."
    ]
    if math.isnan(limits.low):
        return [*sentences, f"No decision follows, because {_why_none(limits)}."]
    # not worse: the lower limit is above −margin; better: it is above the margin
    sign = MINUS
    if terms.superior or not terms.margin:
        sign = ""
    sentences.append(
        f"The true change is {_between(verdict, limits)}, each with a confidence of "
        f"{percent(1 - limits.alpha)}; the line is at {sign}{written_margin(verdict)}{unit}."
    )
    for warning in limits.warnings:
        sentences.append(f"Caution: {warning}.")
    return sentences


def _on_tasks(verdict: GateVerdict) -> list[str]:
    """Say how the mean over tasks changes, and in how many of them what is shown."""
    if not verdict.tasks:
        return []
    sentences = [_on_mean_over_tasks(verdict), _decisions_on_tasks(verdict)]
    rows_needed = []
    for part in verdict.open_tasks:
        rows = rows_to_decide(part.limits, verdict.margin_of_task)
        if rows is not None:
            rows_needed.append(rows)
    if rows_needed:
        sentences.append(f"For those about {max(rows_needed):,} items each would be needed.")
    shown = writer(verdict)
    for part in verdict.worse_tasks[:_MOST_NAMED]:
        if part.decision is not Release.BLOCK:
            sentences.append(
                f"In {part.name} ({part.rows}) it is worse: the change is "
                f"{shown(part.limits.estimate)}, below {shown(part.limits.high)}."
            )
    return sentences


def _on_mean_over_tasks(verdict: GateVerdict) -> str:
    """Say how the mean over tasks changes."""
    tasks = count(len(verdict.tasks), "task")
    if verdict.macro is None:
        unknown_for = verdict.terms.metric
        if verdict.runs:
            unknown_for = "several training runs"
        return f"The mean over the {tasks} is not known for {unknown_for}."
    limits = verdict.macro.limits
    if math.isnan(limits.low):
        known = f"there are no limits, because {_why_none(limits)}"
    else:
        known = f"the true change is {_between(verdict, limits)}"
    return (
        f"In the mean over {tasks}, which weigh alike (macro average), it is "
        f"{_moved(verdict, limits)}; {known}."
    )


def _decisions_on_tasks(verdict: GateVerdict) -> str:
    """Count the tasks by what is shown of them."""
    margin = "the margin"
    if verdict.terms.each_task is not None:
        margin = f"{verdict.terms.each_task:g}"
    decisions = [part.decision for part in verdict.tasks]
    return (
        f"Tasks: {decisions.count(Release.SHIP)} not worse by {margin}, "
        f"{decisions.count(Release.UNDECIDED)} undecided, "
        f"{decisions.count(Release.BLOCK)} worse by it."
    )


def _on_parts(verdict: GateVerdict) -> list[str]:
    """Say in which parts of the rows the candidate is worse, or that it is in no subgroup."""
    sentences = []
    if verdict.subgroups and not any(p.decision is Release.BLOCK for p in verdict.subgroups):
        sentences.append(
            f"None of the {len(verdict.subgroups)} subgroups is shown to be worse by the margin."
        )
    shown = writer(verdict)
    for part in verdict.harmed[:_MOST_NAMED]:
        sentences.append(
            f"For {part.name} ({part.rows}) the change is {shown(part.limits.estimate)}, below "
            f"{shown(part.limits.high)}."
        )
        for warning in part.limits.warnings:
            sentences.append(f"Caution, {part.name}: {warning}.")
    return sentences + _on_parts_without_limits(verdict)


def _on_parts_without_limits(verdict: GateVerdict) -> list[str]:
    """Say for which tasks and subgroups no limits are known, and why."""
    parts_by_reason: dict[str, list[Part]] = {}
    for part in (*verdict.tasks, *verdict.subgroups):
        if math.isnan(part.limits.low) and math.isnan(part.limits.high):
            parts_by_reason.setdefault(_why_none(part.limits), []).append(part)
    sentences = []
    for reason, parts in list(parts_by_reason.items())[:_MOST_NAMED]:
        sentences.append(f"There are no limits for {_first_names(parts)}, because {reason}.")
    return sentences


def _on_rows_needed(verdict: GateVerdict) -> list[str]:
    """Say how an undecided candidate could be decided on."""
    if verdict.rows_needed is not None:
        return [
            f"If this is the true change, {verdict.rows_needed:,} rows would decide with a "
            "probability of 80%."
        ]
    is_undecided = verdict.decision is Release.UNDECIDED is verdict.whole.decision
    if not is_undecided or math.isnan(verdict.whole.limits.low):
        return []
    if verdict.runs:
        return ["More training runs or more rows may decide."]
    return ["The estimate is so near the line that more rows would hardly decide."]


def too_many_missing(verdict: GateVerdict, model: str) -> str:
    """Say that too many items of a model are missing for a decision to ship."""
    assert verdict.missing is not None
    share = verdict.missing.shares[model]
    most = percent(verdict.allow_missing)
    found = f"{percent(round(share, 3))} of the items of {model} are missing"
    # of a log that is not whole and does not say how many there are
    if share == 1:
        found = f"How many items of {model} are missing is not known"
    return f"{found}; at most {most} may be (`--allow-missing`)."


def _moved(verdict: GateVerdict, limits: Limits) -> str:
    """Write by how much the candidate is better or worse."""
    if limits.estimate == 0:
        return "the same"
    side = "worse"
    if limits.estimate > 0:
        side = "better"
    return f"{writer(verdict)(abs(limits.estimate))}{written_unit(verdict)} {side}"


def _between(verdict: GateVerdict, limits: Limits) -> str:
    """Write the two limits."""
    shown = writer(verdict)
    return f"above {shown(limits.low)} and below {shown(limits.high)}{written_unit(verdict)}"


def _why_none(limits: Limits) -> str:
    """Say why there are no limits."""
    if limits.status is Status.TOO_FEW and limits.warnings:
        return "; ".join(limits.warnings)
    return _WHY_NONE.get(limits.status, limits.status.value)


# --- its numbers and names


def writer(verdict: GateVerdict, usual: int = _USUAL_DECIMALS) -> Callable[[float], str]:
    """Return how values are written: with the decimals that the limits of losses deserve."""
    limits = verdict.overall.limits
    metric = METRICS.get(verdict.terms.metric)
    if math.isnan(limits.low) or (metric is not None and not varies(metric)):
        return partial(fixed, decimals=usual)
    # the limits are about one standard error times 2 × 1.645 apart
    error = (limits.high - limits.low) / _ERRORS_BETWEEN_LIMITS
    return partial(fixed, decimals=decimals([error], [limits.estimate]))


def change(verdict: GateVerdict) -> str:
    """Head a column of changes."""
    return with_unit("change", written_unit(verdict).strip())


def written_margin(verdict: GateVerdict) -> str:
    """Write the margin as it was named, one in percent of the base's value with three digits."""
    margin = verdict.terms.margin
    if verdict.terms.percent is None:
        return f"{margin:,.12g}"
    return fixed(margin, decimals([], [margin]))


def written_unit(verdict: GateVerdict) -> str:
    """Return the unit of the metric after a space, where one is known."""
    if not verdict.unit:
        return ""
    measure = in_unit(METRICS[verdict.terms.metric], verdict.unit)
    return f" {unit_of(measure)}".rstrip()


def _metric(verdict: GateVerdict) -> str:
    """Name the metric, and the class that it is about."""
    name = verdict.label or verdict.terms.metric
    if verdict.positive is None:
        return name
    return f"{name} (positive class: {verdict.positive})"

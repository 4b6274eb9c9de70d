"""The gate of a release: whether a candidate may take the place of a base.

The evidence are the predictions of both on the same rows; the verdict are the terms, the decision,
and both as sentences, JSON and Markdown.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import __version__
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.observations import Observations
from bakeoff.data.read_given import read_given
from bakeoff.data.target import said_of_spellings, unclear_spellings
from bakeoff.errors import Problem, joined, some
from bakeoff.report.numbers import MINUS, fixed, percent
from bakeoff.report.study import decimals, unit_of, varies, with_unit
from bakeoff.report.tables import markdown
from bakeoff.scores.metrics import METRICS, check_metrics, in_unit
from bakeoff.spec import Costs
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import GivenMetric, Kind
from bakeoff.stats import (
    Limits,
    Release,
    Status,
    accuracy_limits,
    check_margin,
    decide_release,
    looks_at,
    mean_limits,
    metric_ci,
    metric_limits,
    plain,
    recipe_difference,
    recipe_mean_difference,
    rows_to_decide,
)

MOST_SUBGROUPS = 100
_SIGNS = {Release.SHIP: "✅", Release.BLOCK: "⛔", Release.UNDECIDED: "❔"}
_OF_ERRORS = 3.3
"""How many standard errors limits at the usual level are apart."""
_WHY_NONE = {
    Status.TOO_FEW: "there are too few groups for limits, or too few rows of a class",
    Status.IDENTICAL_SCORES: (
        "no row counts differently for the two by this metric, which gives no limits"
    ),
    Status.ZERO_VARIANCE: "the difference is the same on every row, which gives no limits",
    Status.UNDEFINED: "the metric has no value on these rows",
}


# --- the evidence: base and candidate on the same rows


@dataclasses.dataclass(frozen=True)
class GateRows:
    """Base and candidate on the same rows, in this order."""

    given: Observations
    subgroups: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    greater_is_better: bool = dataclasses.field(kw_only=True)
    unit: str | None = None
    costs: Costs | None = None

    def __post_init__(self) -> None:
        self.given.check_answers()
        if 1 in self.runs:
            name = self.names[self.runs.index(1)]
            lacks = f"{name} has one training run, which says nothing of its seeds: "
            raise Problem(("seeds",), lacks + "give two at least of each model")

    def measured(self, unit: str | None, costs: Any) -> GateRows:
        """Add the unit of predicted numbers, and what errors cost, as `costs:` has it."""
        if unit is not None and (self.by_values or not self.given.task.numbers):
            raise Problem(("unit",), "is for predicted numbers")
        if costs is not None:
            costs, classes = validated(Costs, costs, ("costs",)), self.given.classes
            if sorted(costs.names) != sorted(classes):
                raise Problem(
                    ("costs",),
                    f"found the classes {', '.join(costs.names)}, the rows have "
                    f"{', '.join(classes)}",
                )
        return dataclasses.replace(self, unit=unit, costs=costs)

    @property
    def names(self) -> tuple[str, str]:
        """The models' names."""
        base, candidate = self.given.models
        return base, candidate

    @property
    def by_values(self) -> bool:
        """Whether there is a number for each row in place of predictions."""
        return self.given.models[self.names[0]][0].values is not None

    @property
    def runs(self) -> tuple[int, ...]:
        """The numbers of training runs, where there are several."""
        return tuple(map(len, self.given.models.values())) if self.given.several_runs else ()

    def about(self, metric: str) -> str | None:
        """Return the class that a metric is about; None where it is about all of them."""
        two = not self.by_values and len(self.given.classes) == 2
        about_one = two and METRICS[metric].classes in ("positive", "negative")
        return self.given.classes[-1] if about_one else None

    def check(self, metrics: Sequence[str]) -> None:
        """Refuse metrics that these rows say nothing of, and costs that no metric looks at."""
        if self.by_values:
            return
        check_metrics(metrics, self.given, self.costs)
        for name in metrics:
            if not METRICS[name].interval:
                raise Problem(("metrics",), f"no interval is known for {name}, and so no limit")
        if self.costs is not None and not any(METRICS[name].priced for name in metrics):
            looks = f"{', '.join(metrics)} looks at no costs"
            raise Problem(("costs",), f"{looks}: compare by cost or expected_cost")

    def margin(self, metric: str, named: float | str) -> tuple[float, float | None]:
        """Return a margin in the unit of the metric; and in percent, if it is named so."""
        text, percent = str(named).strip(), None
        try:
            margin = float(text.removesuffix("%"))
        except ValueError:
            raise Problem(
                ("margin",), f"found {named!r}, expected a number, or a percentage like 2%"
            ) from None
        if text.endswith("%"):
            check_margin(margin)
            runs = self._seen(metric, self.names[0])
            if not self.by_values:
                how = self.how(metric) | {"groups": None}
                runs = [metric_ci(self._truth, run, **how).estimate for run in runs]
            percent, margin = margin, margin / 100 * abs(float(np.mean(runs)))
        check_margin(margin, *(() if self.by_values else METRICS[metric].range))
        return margin, percent

    def limits(self, metric: str, alpha: float, rows: NDArray[np.bool_] | None = None) -> Limits:
        """Return limits for the candidate's advantage, on some rows or on all."""
        kept, groups = slice(None) if rows is None else rows, self.given.related.get("groups")
        groups = None if groups is None else groups[kept]
        base, candidate = ([run[kept] for run in self._seen(metric, n)] for n in self.names)
        truth: list[Any] = [] if self.by_values else [self._truth[kept]]
        how = {"greater_is_better": self.greater_is_better} if self.by_values else self.how(metric)
        how |= {"groups": groups}
        if self.runs:
            test: Any = recipe_mean_difference if self.by_values else recipe_difference
            low, high = (
                test(*truth, candidate, base, **how, alternative=side, confidence_level=1 - alpha)
                for side in ("greater", "less")
            )
            count = 0 if groups is None else len(np.unique(groups.astype(str)))
            return Limits.from_results(low, high, alpha, count, "two_t")
        if self.by_values:
            return mean_limits(candidate[0], base[0], **how, alpha=alpha)
        if METRICS[metric].counts == "right":
            right = (run[0] == truth[0] for run in (candidate, base))
            return accuracy_limits(*right, groups=groups, alpha=alpha)
        return metric_limits(truth[0], candidate[0], base[0], **how, alpha=alpha)

    def seen(self, metric: str) -> tuple[Any, ...]:
        """Return the true labels and what a metric looks at of candidate and base."""
        return self._truth, *(self._seen(metric, name)[0] for name in reversed(self.names))

    def how(self, metric: str) -> dict[str, Any]:
        """Return the options of `metric_difference` for these rows."""
        classes, costs = self.given.classes, {}
        if self.costs is not None:
            priors = None if self.costs.priors is None else self.costs.shares(classes)
            costs = {"cost": self.costs.for_classes(classes), "priors": priors}
        return costs | {
            "metric": METRICS.get(metric) or metric,
            "positive": classes[-1] if len(classes) == 2 else None,
            "labels": classes or None,
            "groups": self.given.related.get("groups"),
        }

    @property
    def _truth(self) -> NDArray[Any]:
        return self._named(self.given.truth)

    def _named(self, answers: NDArray[Any]) -> NDArray[Any]:
        return np.array(self.given.classes)[answers] if self.given.classes else answers

    def _seen(self, metric: str, name: str) -> list[Any]:
        """Return what a metric looks at of each training run of a model."""
        runs = self.given.models[name]
        looked = "values" if self.by_values else looks_at(METRICS[metric])
        if looked == "values":
            return [run.values for run in runs]
        if looked == "classes":
            return [self._named(run.answers) for run in runs]
        probabilities = [run.probabilities for run in runs if run.probabilities is not None]
        return [one[:, -1] for one in probabilities] if looked == "ranking" else probabilities


def read_rows(
    tables: GivenTables,
    columns: GivenColumns,
    models: Sequence[str] | None = None,
    subgroups: Sequence[str] = (),
    values: Kind | None = None,
    **reading: Any,
) -> GateRows:
    """Read a table of predictions or numbers of each, paired by row id, or one of both."""
    if values is None:
        tables.refuse_numbers()
    wide = tables.wide
    if tables.together != (models is not None and len(models) == len(set(models)) == 2):
        raise Problem(
            ("models",),
            "names columns of one table; each of several tables is a model"
            if not tables.together
            else "of one table, name the columns of the two"
            if wide is not None
            else f"of one folder, name the two of its models ({some(tables.models)})",
        )
    tables = tables.only(models)
    if wide is None and len(tables.models) != 2:
        raise Problem(("models",), f"expected base and candidate, found {some(tables.models)}")
    reading |= {"models": models, "values": values}
    given = read_given(tables, columns, **reading)
    parts = {}
    for subgroup in subgroups:
        try:
            by = columns.model_copy(update={"groups": subgroup})
            labels = read_given(tables, by, **reading).related["groups"].astype(str)
        except Problem as problem:
            if problem.path[-1] != "groups":
                raise
            raise Problem(("subgroups",), problem.message) from None
        names, numbers = np.unique(labels, return_counts=True)
        counts = dict(zip(names.tolist(), numbers.tolist(), strict=True))
        if spellings := unclear_spellings(counts):
            text = said_of_spellings(f"column {subgroup!r}", spellings, counts, "subgroup")
            raise Problem(("subgroups",), f"{text}. Write each subgroup in one way")
        parts[subgroup] = labels
    greater = values.greater_is_better if isinstance(values, GivenMetric) else True
    return GateRows(given, parts, greater_is_better=greater)


# --- the decision


@dataclasses.dataclass(frozen=True)
class Terms:
    """The terms of a decision, fixed before seeing the data."""

    metric: str
    margin: float
    alpha: float
    superior: bool = False
    percent: float | None = None


def read_terms(
    rows: GateRows, metrics: Sequence[str], margin: float | str, alpha: float, superior: bool
) -> list[Terms]:
    """Read the terms by each metric; a margin may be in percent."""
    names = list(dict.fromkeys(metrics or [rows.given.task.metric]))
    rows.check(names)
    sizes = ((name, *rows.margin(name, margin)) for name in names)
    return [Terms(name, size, alpha, superior, percent) for name, size, percent in sizes]


@dataclasses.dataclass(frozen=True)
class Part:
    """The decision on all rows, or on those of a subgroup."""

    name: str
    limits: Limits
    decision: Release

    @property
    def rows(self) -> str:
        """How many rows there are, and groups of them."""
        rows = f"{self.limits.n:,} rows"
        return f"{rows} in {self.limits.groups:,} groups" if self.limits.groups else rows


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

    def __str__(self) -> str:
        return "\n".join((headline(self), *reasons(self)))

    @property
    def each(self) -> tuple[GateVerdict, ...]:
        """The decisions by each metric."""
        return self.by_metric or (self,)

    @property
    def harmed(self) -> tuple[Part, ...]:
        """The subgroups in which the candidate is shown worse by more than the margin."""
        return tuple(part for part in self.subgroups if part.decision is Release.BLOCK)


def decide(rows: GateRows, terms: Sequence[Terms]) -> GateVerdict:
    """Decide on a candidate, by one metric or by several."""
    # columns and values may hold anything, and two subgroups may have one name
    parts = [
        (f"{column}: {value}" if len(rows.subgroups) > 1 else str(value), values == value)
        for column, values in rows.subgroups.items()
        for value in np.unique(values)
    ]
    if len(parts) > MOST_SUBGROUPS:
        raise Problem(("subgroups",), f"{len(parts):,} different values, at most {MOST_SUBGROUPS}")
    questions = len(terms) * (len(parts) + 1)
    verdicts = tuple(_decided(rows, one, parts, questions) for one in terms)
    order = (Release.BLOCK, Release.UNDECIDED, Release.SHIP)
    deciding = min(verdicts, key=lambda verdict: order.index(verdict.decision))
    return dataclasses.replace(deciding, by_metric=verdicts) if len(terms) > 1 else deciding


def _decided(
    rows: GateRows, terms: Terms, parts: Sequence[tuple[str, NDArray[np.bool_]]], questions: int
) -> GateVerdict:
    """Decide by one metric, where harm is asked so many times in all."""

    def part(name: str, kept: NDArray[np.bool_] | None) -> Part:
        limits = rows.limits(terms.metric, terms.alpha / questions, kept)
        return Part(name, limits, decide_release(limits, terms.margin))

    limits = rows.limits(terms.metric, terms.alpha)
    overall = Part("", limits, decide_release(limits, terms.margin, superior=terms.superior))
    if overall.decision is Release.BLOCK and not terms.superior:
        overall = part("", None)
    subgroups = tuple(part(name, kept) for name, kept in parts)
    harmed = any(one.decision is Release.BLOCK for one in subgroups)
    decision = Release.BLOCK if harmed else overall.decision
    needed = None
    if decision is Release.UNDECIDED and not rows.runs:
        needed = rows_to_decide(overall.limits, terms.margin)
    about = rows.about(terms.metric)
    return GateVerdict(
        decision, terms, rows.names, overall, subgroups, needed, about, rows.runs, rows.unit
    )


def headline(verdict: GateVerdict) -> str:
    """Return the decision in one sentence."""
    base, candidate = verdict.names
    terms = verdict.terms
    margins = []
    for one in verdict.each if verdict.decision is Release.SHIP else (verdict,):
        of_metric = f" of {_metric(one)}"
        if one.terms.percent is not None:
            of_metric = f" ({one.terms.percent:g}% of the {_metric(one)} of {base})"
        margins.append(f"{_margin(one)}{_unit(one)}{of_metric}")
    margin = joined(margins, "and" if terms.superior else "or")
    more = f" by more than {margin}" if terms.margin else ""
    if verdict.decision is Release.SHIP:
        if not terms.superior:
            return f"Ship: {candidate} is not worse than {base} by {margin}."
        return f"Ship: {candidate} is better than {base}{more}."
    if verdict.decision is Release.UNDECIDED:
        return f"Undecided: {candidate} may be worse than {base} by {margin}, or not."
    if verdict.harmed:
        parts = ", ".join(part.name for part in verdict.harmed)
        return f"Block: {candidate} is worse than {base}{more} for {parts}."
    relation = "not shown better" if terms.superior else "worse"
    return f"Block: {candidate} is {relation} than {base}{more}."


def reasons(verdict: GateVerdict) -> list[str]:
    """Return the sentences behind the decision, by each metric."""
    if verdict.by_metric:
        return [sentence for one in verdict.by_metric for sentence in reasons(one)]
    limits, shown, terms = verdict.overall.limits, writer(verdict), verdict.terms
    unit, is_known = _unit(verdict), not math.isnan(limits.low)
    moved = "the same"
    if limits.estimate != 0:
        side = "better" if limits.estimate > 0 else "worse"
        moved = f"{shown(abs(limits.estimate))}{unit} {side}"
    runs = f" and {verdict.runs[0]} and {verdict.runs[1]} training runs" if verdict.runs else ""
    sentences = [f"Its {_metric(verdict)} is {moved} on {verdict.overall.rows}{runs}."]
    if is_known:
        sign = "" if terms.superior or not terms.margin else MINUS
        sentences.append(
            f"The true change is above {shown(limits.low)} and below {shown(limits.high)}{unit}, "
            f"each with a confidence of {percent(1 - limits.alpha)}; the line is at "
            f"{sign}{_margin(verdict)}{unit}."
        )
        sentences += [f"Caution: {warning}." for warning in limits.warnings]
    else:
        why = _WHY_NONE.get(limits.status, limits.status.value)
        if limits.status is Status.TOO_FEW and limits.warnings:
            why = "; ".join(limits.warnings)
        sentences.append(f"No decision follows, because {why}.")
    if verdict.subgroups and not verdict.harmed:
        sentences.append(
            f"None of the {len(verdict.subgroups)} subgroups is shown to be worse by the margin."
        )
    for part in verdict.harmed:
        sentences.append(
            f"For {part.name} ({part.rows}) the change is {shown(part.limits.estimate)}, below "
            f"{shown(part.limits.high)}."
        )
        sentences += [f"Caution, {part.name}: {warning}." for warning in part.limits.warnings]
    if verdict.rows_needed is not None:
        sentences.append(
            f"If this is the true change, {verdict.rows_needed:,} rows would decide with a "
            "probability of 80%."
        )
    elif verdict.decision is Release.UNDECIDED and is_known:
        sentences.append(
            "More training runs or more rows may decide."
            if verdict.runs
            else "The estimate is so near the line that more rows would hardly decide."
        )
    return sentences


def writer(verdict: GateVerdict, usual: int = 3) -> Callable[[float], str]:
    """Return how values are written: with the decimals that the limits of losses deserve."""
    limits, metric = verdict.overall.limits, METRICS.get(verdict.terms.metric)
    if math.isnan(limits.low) or (metric is not None and not varies(metric)):
        return partial(fixed, decimals=usual)
    error = (limits.high - limits.low) / _OF_ERRORS
    return partial(fixed, decimals=decimals([error], [limits.estimate]))


def change(verdict: GateVerdict) -> str:
    """Head a column of changes."""
    return with_unit("change", _unit(verdict).strip())


def _unit(verdict: GateVerdict) -> str:
    """Return the unit of the metric after a space, where one is known."""
    measure = verdict.unit and in_unit(METRICS[verdict.terms.metric], verdict.unit)
    return f" {unit_of(measure)}".rstrip() if measure else ""


def _margin(verdict: GateVerdict) -> str:
    """Write the margin as it was named, one in percent of the base's value with three digits."""
    margin = verdict.terms.margin
    if verdict.terms.percent is None:
        return f"{margin:,.12g}"
    return fixed(margin, decimals([], [margin]))


def _metric(verdict: GateVerdict) -> str:
    """Name the metric, and the class that it is about."""
    about = "" if verdict.positive is None else f" (positive class: {verdict.positive})"
    return f"{verdict.terms.metric}{about}"


def as_json(verdict: GateVerdict) -> dict[str, Any]:
    """Return everything as plain data, by the schema that it names."""
    base, candidate = verdict.names
    terms = {key: value for key, value in plain(verdict.terms).items() if value is not None}
    overall, *subgroups = (
        {"name": part.name, "decision": part.decision.value, **plain(part.limits)}
        for part in (verdict.overall, *verdict.subgroups)
    )
    return {
        "schema": "bakeoff-gate-1",
        "version": __version__,
        "decision": verdict.decision.value,
        "headline": headline(verdict),
        "reasons": reasons(verdict),
        "base": base,
        "candidate": candidate,
        "terms": terms | {"positive": verdict.positive},
        "overall": overall,
        "subgroups": subgroups,
        "rows_needed": verdict.rows_needed,
        **({"by_metric": list(map(as_json, verdict.by_metric))} if verdict.by_metric else {}),
    }


def as_markdown(verdict: GateVerdict) -> str:
    """Return a comment for a pull request."""
    lines = [
        *(f"### {_SIGNS[verdict.decision]} {markdown(headline(verdict))}", ""),
        *(markdown(" ".join(reasons(verdict))), ""),
        f"| rows of | rows | {change(verdict)} | lower limit | upper limit | |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for one in verdict.each:
        shown = writer(one, 4)
        for part in (one.overall, *one.subgroups):
            name = (part.name or "all") + (f", {one.terms.metric}" if verdict.by_metric else "")
            limits = part.limits
            numbers = map(shown, (limits.estimate, limits.low, limits.high))
            cells = markdown(name), f"{limits.n:,}", *numbers, part.decision.value
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"

"""The gate of a release: whether a candidate may take the place of a base.

The evidence are the predictions of both on the same rows; the verdict are the terms, the decision,
and both as sentences, JSON and Markdown.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff import __version__
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.flipped_rows import flipped_rows
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.observations import Missing, Observations
from bakeoff.data.read_given import read_given
from bakeoff.data.records import TASK
from bakeoff.data.row_values import shares_passed
from bakeoff.data.target import said_of_spellings, unclear_spellings
from bakeoff.errors import Problem, joined, some
from bakeoff.options import is_called_from_python, metric_and_margin
from bakeoff.report.exhibits.flips import Flips
from bakeoff.report.exhibits.flips import joined as joined_flips
from bakeoff.report.junit import Case
from bakeoff.report.numbers import MINUS, count, fixed, percent
from bakeoff.report.tables import markdown
from bakeoff.report.written import decimals, unit_of, varies, with_unit
from bakeoff.scores.metrics import METRICS, check_metrics, in_unit
from bakeoff.spec import Costs
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import GivenMetric, Kind, PassingRuns
from bakeoff.stats import (
    Limits,
    MacroDifference,
    Release,
    Status,
    accuracy_limits,
    check_margin,
    decide_release,
    looks_at,
    macro_difference,
    macro_limits,
    mean_limits,
    metric_ci,
    metric_limits,
    plain,
    recipe_difference,
    recipe_mean_difference,
    rows_to_decide,
)

MOST_SUBGROUPS = 100
MOST_FLIPS = 10
"""Rows on which base and candidate differ that a comment has."""
ALLOW_MISSING = 0.01
"""The share of items that a model may lack and the candidate still ship."""
_MACRO = "mean over tasks"
_MOST_NAMED = 5
"""Parts that sentences name."""
_FEWEST_SEEDS = 4
"""Training runs of a base that make two halves of two runs each."""
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
    tasks: NDArray[Any] | None = None
    """The task of each row, where they are of several."""
    runs_of_items: NDArray[Any] | None = None
    """Which run of its item a row is, where items were run several times."""
    passing: PassingRuns | None = None
    """Which shares of the runs of an item its values are, where they are such."""
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
            costs = validated(Costs, costs, ("costs",))
            classes = self.given.classes
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
        if not self.given.several_runs:
            return ()
        return tuple(map(len, self.given.models.values()))

    def about(self, metric: str) -> str | None:
        """Return the class that a metric is about; None where it is about all of them."""
        two = not self.by_values and len(self.given.classes) == 2
        if two and METRICS[metric].classes in ("positive", "negative"):
            return self.given.classes[-1]
        return None

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
        text = str(named).strip()
        percent = None
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
            percent = margin
            margin = percent / 100 * abs(float(np.mean(runs)))
        if self.by_values:
            check_margin(margin)
        else:
            low, high = METRICS[metric].range
            check_margin(margin, low, high)
        return margin, percent

    def limits(self, metric: str, alpha: float, rows: NDArray[np.bool_] | None = None) -> Limits:
        """Return limits for the candidate's advantage, on some rows or on all."""
        kept: Any = slice(None)
        if rows is not None:
            kept = rows
        groups = self.given.related.get("groups")
        if groups is not None:
            groups = groups[kept]
        base, candidate = ([run[kept] for run in self._seen(metric, n)] for n in self.names)
        if self.by_values:
            return self._limits_of_values(candidate, base, groups, alpha)
        return self._limits_of_predictions(
            metric, self._truth[kept], candidate, base, groups, alpha
        )

    def _limits_of_values(
        self, candidate: list[Any], base: list[Any], groups: NDArray[Any] | None, alpha: float
    ) -> Limits:
        """Return limits for the difference of means of a value per row."""
        better = self.greater_is_better
        if not self.runs:
            return mean_limits(
                candidate[0], base[0], greater_is_better=better, groups=groups, alpha=alpha
            )
        test = partial(
            recipe_mean_difference,
            candidate,
            base,
            greater_is_better=better,
            groups=groups,
            confidence_level=1 - alpha,
        )
        return _limits_of_runs(test, groups, alpha)

    def _limits_of_predictions(
        self,
        metric: str,
        truth: NDArray[Any],
        candidate: list[Any],
        base: list[Any],
        groups: NDArray[Any] | None,
        alpha: float,
    ) -> Limits:
        """Return limits for the difference by a metric; exact ones for accuracies."""
        how = self.how(metric) | {"groups": groups}
        if self.runs:
            test = partial(
                recipe_difference, truth, candidate, base, **how, confidence_level=1 - alpha
            )
            return _limits_of_runs(test, groups, alpha)
        if METRICS[metric].counts == "right":
            return accuracy_limits(
                candidate[0] == truth, base[0] == truth, groups=groups, alpha=alpha
            )
        return metric_limits(truth, candidate[0], base[0], **how, alpha=alpha)

    def macro(self, metric: str) -> MacroDifference | None:
        """Return the candidate's advantage in the mean over tasks; None where it is not known.

        It is known of means of a value per row: of numbers, and of how many rows are right.
        """
        right = not self.by_values and METRICS[metric].counts == "right"
        if self.tasks is None or self.runs or not (self.by_values or right):
            return None
        base, candidate = (self._seen(metric, name)[0] for name in self.names)
        better = self.greater_is_better
        if right:
            base, candidate = (said == self._truth for said in (base, candidate))
            better = True
        groups = self.given.related.get("groups")
        return macro_difference(
            candidate, base, self.tasks, greater_is_better=better, groups=groups
        )

    def of_base(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> GateRows:
        """Put rows of the base in the place of the base, and others in that of the candidate."""
        base, candidate = self.names
        (run,) = self.given.models[base]
        given = dataclasses.replace(
            self.given,
            ids=self.given.ids[first],
            true=None if self.given.true is None else self.given.true[first],
            models={base: (run[first],), candidate: (run[second],)},
            related={role: values[first] for role, values in self.given.related.items()},
        )
        subgroups = {name: values[first] for name, values in self.subgroups.items()}
        tasks = None if self.tasks is None else self.tasks[first]
        return dataclasses.replace(
            self,
            given=given,
            subgroups=subgroups,
            tasks=tasks,
            runs_of_items=None,
            passing=None,
        )

    def seen(self, metric: str) -> tuple[Any, ...]:
        """Return the true labels and what a metric looks at of candidate and base."""
        return self._truth, *(self._seen(metric, name)[0] for name in reversed(self.names))

    def how(self, metric: str) -> dict[str, Any]:
        """Return the options of `metric_difference` for these rows."""
        classes = self.given.classes
        positive = None
        if len(classes) == 2:
            positive = classes[-1]
        options: dict[str, Any] = {
            "metric": METRICS.get(metric) or metric,
            "positive": positive,
            "labels": classes or None,
            "groups": self.given.related.get("groups"),
        }
        if self.costs is not None:
            options["cost"] = self.costs.for_classes(classes)
            options["priors"] = None
            if self.costs.priors is not None:
                options["priors"] = self.costs.shares(classes)
        return options

    @property
    def _truth(self) -> NDArray[Any]:
        return self._named(self.given.truth)

    def _named(self, answers: NDArray[Any]) -> NDArray[Any]:
        if not self.given.classes:
            return answers
        named: NDArray[Any] = np.array(self.given.classes)[answers]
        return named

    def _seen(self, metric: str, name: str) -> list[Any]:
        """Return what a metric looks at of each training run of a model."""
        runs = self.given.models[name]
        if self.by_values:
            return [run.values_by(metric) for run in runs]
        looked = looks_at(METRICS[metric])
        if looked == "values":
            return [run.values for run in runs]
        if looked == "classes":
            return [self._named(run.answers) for run in runs]
        probabilities = [run.probabilities for run in runs if run.probabilities is not None]
        if looked == "ranking":
            return [of_classes[:, -1] for of_classes in probabilities]
        return probabilities


def _limits_of_runs(test: Callable[..., Any], groups: NDArray[Any] | None, alpha: float) -> Limits:
    """Return the limits of a test of training runs: two one-sided tests have one each."""
    low = test(alternative="greater")
    high = test(alternative="less")
    count = 0
    if groups is not None:
        count = len(np.unique(groups.astype(str)))
    return Limits.from_results(low, high, alpha, count, "two_t")


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
    tables = _of_two_models(tables, models)
    reading |= {"models": models, "values": values}
    given = read_given(tables, columns, **reading)
    of_tasks = len(tables.tasks) > 1 and columns.groups != TASK
    labels_of_subgroups = {}
    for column in subgroups:
        # the gate asks about each task by itself
        if of_tasks and column == TASK:
            continue
        labels = _labels(tables, columns, "subgroups", column, reading)
        _check_spellings(column, labels)
        labels_of_subgroups[column] = labels
    tasks = None
    if of_tasks:
        tasks = _labels(tables, columns, "tasks", TASK, reading)
    passing = None
    runs = None
    if isinstance(values, PassingRuns):
        passing = values
    elif columns.runs is not None:
        runs = _labels(tables, columns, "runs", columns.runs, reading)
    greater_is_better = True
    if isinstance(values, GivenMetric):
        greater_is_better = values.greater_is_better
    return GateRows(
        given,
        labels_of_subgroups,
        tasks,
        runs,
        passing,
        greater_is_better=greater_is_better,
    )


def _of_two_models(tables: GivenTables, models: Sequence[str] | None) -> GivenTables:
    """Return the tables of base and candidate, which are named where tables hold more models."""
    are_named = models is not None and len(models) == len(set(models)) == 2
    if tables.together != are_named:
        if not tables.together:
            text = "names columns of one table; each of several tables is a model"
        elif tables.wide is not None:
            text = "of one table, name the columns of the two"
        else:
            text = f"of one folder, name the two of its models ({some(tables.models)})"
        raise Problem(("models",), text)
    chosen = tables.only(models)
    if tables.wide is None and len(chosen.models) != 2:
        raise Problem(("models",), f"expected base and candidate, found {some(chosen.models)}")
    return chosen


def _labels(
    tables: GivenTables,
    columns: GivenColumns,
    role: str,
    column: str,
    reading: Mapping[str, Any],
) -> NDArray[Any]:
    """Return what a column says of each row, read as groups are."""
    by = columns.model_copy(update={"groups": column})
    try:
        return read_given(tables, by, **reading).related["groups"].astype(str)
    except Problem as problem:
        if problem.path[-1] != "groups":
            raise
        raise Problem((role,), problem.message) from None


def _check_spellings(column: str, labels: NDArray[Any]) -> None:
    """Refuse a column of subgroups in which one subgroup may be written in several ways."""
    names, numbers = np.unique(labels, return_counts=True)
    counts = dict(zip(names.tolist(), numbers.tolist(), strict=True))
    spellings = unclear_spellings(counts)
    if spellings:
        text = said_of_spellings(f"column {column!r}", spellings, counts, "subgroup")
        raise Problem(("subgroups",), f"{text}. Write each subgroup in one way")


# --- the decision


@dataclasses.dataclass(frozen=True)
class Terms:
    """The terms of a decision, fixed before seeing the data."""

    metric: str
    margin: float
    alpha: float
    superior: bool = False
    percent: float | None = None
    each_task: float | None = None
    """The margin within which each task has to be shown, where that is asked for."""


def named_margins(texts: Sequence[str]) -> tuple[list[str], list[str | None]]:
    """Return the metrics that a command line names, and the margin that stands behind each."""
    pairs = [metric_and_margin(text) for text in texts]
    for text, margin in pairs:
        name, colon, _ = text.partition(":")
        if colon and margin is None and name in METRICS:
            what = f"found {text!r}, expected a margin like {name}:0.01 or {name}:2%"
            raise Problem(("metrics",), what)
    return [name for name, _ in pairs], [margin for _, margin in pairs]


def check_margins(
    metrics: Sequence[str], margins: Sequence[Any], margin: float | str | None
) -> None:
    """Refuse metrics without a margin, and a margin that no metric is left for."""
    bare = [name for name, own in zip(metrics, margins, strict=True) if own is None]
    if margin is None and (bare or not metrics):
        of = ""
        if bare:
            of = f" of {bare[0]}"
        for_all = "--margin 0.01"
        for_one = "--metric NAME:SIZE"
        if is_called_from_python():
            for_all = "margin=0.01"
            for_one = "metrics={NAME: SIZE}"
        raise Problem(
            ("margin",),
            f"is missing: the largest loss{of} that does not matter, as `{for_all}` or 2%; a "
            f"metric has one of its own as `{for_one}`",
        )
    if margin is not None and metrics and not bare:
        text = f"found {margin}, and every metric has a margin of its own: leave one of them out"
        raise Problem(("margin",), text)


def read_terms(
    rows: GateRows,
    metrics: Sequence[str],
    margins: Sequence[float | str | None],
    margin: float | str | None,
    alpha: float,
    superior: bool,
    each_task: float | None = None,
) -> list[Terms]:
    """Read the terms by each metric, whose own margin goes before the one of all others.

    A margin may be in percent.
    """
    if each_task is not None and rows.tasks is None:
        raise Problem(("each_task",), "is for rows of several tasks, such as a folder of logs")
    if each_task is not None and superior:
        raise Problem(("each_task",), "asks that no task is worse: leave out superior")
    named: dict[str, float | str | None] = {}
    for name, own in zip(metrics, margins or [None] * len(metrics), strict=True):
        if named.setdefault(name, own) != own:
            both = f"{named[name]} and {own}"
            raise Problem(("metrics",), f"{name} is named twice, with the margins {both}")
    named = named or {rows.given.task.metric: None}
    rows.check(list(named))
    terms = []
    for name, own in named.items():
        wanted = margin if own is None else own
        assert wanted is not None  # as `check_margins` has seen
        size, in_percent = rows.margin(name, wanted)
        terms.append(Terms(name, size, alpha, superior, in_percent, each_task))
    return terms


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
        return "\n".join((headline(self), *reasons(self)))

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
    def open_tasks(self) -> tuple[Part, ...]:
        """The tasks that are not shown to be within the margin that each of them has to keep."""
        if self.terms.each_task is None:
            return ()
        return tuple(part for part in self.tasks if part.decision is Release.UNDECIDED)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The decisions on all rows, over tasks, and on parts of the rows."""
        macro = () if self.macro is None else (self.macro,)
        return (self.overall, *macro, *self.tasks, *self.subgroups)

    @property
    def harmed(self) -> tuple[Part, ...]:
        """The subgroups and tasks in which the candidate is shown worse by more than the margin."""
        parts = (*self.subgroups, *self.tasks)
        return tuple(part for part in parts if part.decision is Release.BLOCK)

    @property
    def is_worse_over_tasks(self) -> bool:
        """Whether the mean over tasks blocks."""
        return self.macro is not None and self.macro.decision is Release.BLOCK

    @property
    def lacking(self) -> tuple[str, ...]:
        """The models of which more items are missing than may be."""
        shares = self.missing.shares.items() if self.missing else ()
        return tuple(model for model, share in shares if share > self.allow_missing)

    @property
    def worse_tasks(self) -> tuple[Part, ...]:
        """The tasks in which the candidate is shown worse, and maybe by the margin."""
        return tuple(
            part
            for part in self.tasks
            if part.limits.high < 0 and part.limits.low <= -_task_margin(self)
        )

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Why the candidate does not ship although it passes on all rows."""
        found = []
        if self.open_tasks:
            are = "is" if len(self.open_tasks) == 1 else "are"
            found.append(
                f"{len(self.open_tasks)} of {len(self.tasks)} tasks {are} not shown to be within "
                f"{self.terms.each_task:g}"
            )
        elif self.worse_tasks:
            found.append(f"it is worse in {_few(self.worse_tasks)}")
        if self.lacking:
            found.append(f"items of {joined(self.lacking)} are missing")
        return tuple(found)


MOST_PAIRS = 100
"""Pairs of halves of the base's runs that are decided on."""
_SEED = 0


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
    # columns and values may hold anything, and two subgroups may have one name
    parts = [
        (f"{column}: {value}" if len(rows.subgroups) > 1 else str(value), values == value)
        for column, values in rows.subgroups.items()
        for value in np.unique(values)
    ]
    if len(parts) > MOST_SUBGROUPS:
        raise Problem(("subgroups",), f"{len(parts):,} different values, at most {MOST_SUBGROUPS}")
    tasks = {}
    if rows.tasks is not None:
        tasks = {str(task): rows.tasks == task for task in np.unique(rows.tasks)}
    asked = 1 + len(parts) + len(tasks) + bool(tasks)  # all rows, the parts, the mean over tasks
    # a guardrail is one question: it is about all rows
    questions = len(terms) * asked + len(guardrails)
    verdicts = tuple(_decided(rows, one, parts, tasks, questions, allow_missing) for one in terms)
    verdicts += tuple(_decided(beside, one, (), {}, questions, 1.0) for beside, one in guardrails)
    order = (Release.BLOCK, Release.UNDECIDED, Release.SHIP)
    deciding = min(verdicts, key=lambda verdict: order.index(verdict.decision))
    if len(verdicts) == 1:
        return deciding
    return dataclasses.replace(deciding, by_metric=verdicts)


def _decided(
    rows: GateRows,
    terms: Terms,
    parts: Sequence[tuple[str, NDArray[np.bool_]]],
    tasks: Mapping[str, NDArray[np.bool_]],
    questions: int,
    allow_missing: float,
) -> GateVerdict:
    """Decide by one metric, where harm is asked so many times in all."""
    level_of_harm = terms.alpha / questions

    def harm(name: str, kept: NDArray[np.bool_]) -> Part:
        limits = rows.limits(terms.metric, level_of_harm, kept)
        return Part(name, limits, decide_release(limits, terms.margin))

    def whole(name: str, limits_at: Callable[[float], Limits]) -> Part:
        """Ship at alpha, and block at the level that all questions of harm share."""
        limits = limits_at(terms.alpha)
        part = Part(name, limits, decide_release(limits, terms.margin, superior=terms.superior))
        if part.decision is Release.BLOCK and not terms.superior:
            limits = limits_at(level_of_harm)
            part = Part(name, limits, decide_release(limits, terms.margin))
        return part

    def of_task(name: str, kept: NDArray[np.bool_]) -> Part:
        """Ask for harm, or that the task keeps a margin: each at alpha, as all of them have to."""
        if terms.each_task is None:
            return harm(name, kept)
        # Berger (1982): of an intersection of claims each is tested at alpha
        limits = rows.limits(terms.metric, terms.alpha, kept)
        part = Part(name, limits, decide_release(limits, terms.each_task))
        if part.decision is Release.BLOCK:
            limits = rows.limits(terms.metric, level_of_harm, kept)
            part = Part(name, limits, decide_release(limits, terms.each_task))
        return part

    overall = whole("", lambda alpha: rows.limits(terms.metric, alpha))
    over_tasks = rows.macro(terms.metric) if tasks else None
    macro = None
    if over_tasks is not None:
        macro = whole(_MACRO, lambda alpha: macro_limits(over_tasks, alpha=alpha))
    label = ""
    if rows.passing is not None:
        label = rows.passing.label_of(terms.metric)
    verdict = GateVerdict(
        overall.decision,
        terms,
        rows.names,
        overall,
        tuple(harm(name, kept) for name, kept in parts),
        None,
        rows.about(terms.metric),
        rows.runs,
        rows.unit,
        macro=macro,
        tasks=tuple(of_task(name, kept) for name, kept in tasks.items()),
        missing=rows.given.missing,
        allow_missing=allow_missing,
        cautions=rows.given.cautions,
        label=label,
    )
    decision = _decision(verdict)
    needed = None
    if Release.UNDECIDED is decision is verdict.whole.decision and not rows.runs:
        needed = rows_to_decide(verdict.whole.limits, terms.margin)
    return dataclasses.replace(verdict, decision=decision, rows_needed=needed)


def _decision(verdict: GateVerdict) -> Release:
    """Return the decision: harm of any part blocks, and nothing ships against an obstacle."""
    if verdict.harmed or verdict.whole.decision is Release.BLOCK:
        return Release.BLOCK
    if verdict.whole.decision is Release.SHIP and not verdict.obstacles:
        return Release.SHIP
    return Release.UNDECIDED


# --- the base against itself


def _against_itself(rows: GateRows, terms: Sequence[Terms]) -> AgainstItself | None:
    """Decide by the same rule on halves of the base's runs; None where there are too few."""
    if rows.passing is not None:
        pairs = list(_of_passing_runs(rows, rows.passing))
        runs = _marks_of_base(rows).shape[1]
    elif rows.runs_of_items is not None:
        pairs = list(_of_runs_of_items(rows))
        runs = len(np.unique(rows.runs_of_items))
    else:
        pairs = list(_of_seeds(rows))
        runs = rows.runs[0] if rows.runs else 1
    if not pairs:
        return None
    decisions = [_verdict(pair, terms, 1.0).decision for pair in pairs]
    shares = {one.value: decisions.count(one) / len(decisions) for one in Release}
    return AgainstItself(runs, len(pairs), **shares)


def _marks_of_base(rows: GateRows) -> NDArray[np.float64]:
    """Return which runs of each item of the base are right, shape (n, runs)."""
    (run,) = rows.given.models[rows.names[0]]
    assert run.marks is not None
    return run.marks[:, ~np.isnan(run.marks).all(axis=0)]


def _of_passing_runs(rows: GateRows, passing: PassingRuns) -> Iterator[GateRows]:
    """Pair halves of the runs of the base, in the items that have enough runs in both halves."""
    base, candidate = rows.names
    marks = _marks_of_base(rows)
    is_run = ~np.isnan(marks)
    for halves in _halves(marks.shape[1]):
        first, second = (np.array(half) for half in halves)
        fewest = np.minimum(is_run[:, first].sum(axis=1), is_run[:, second].sum(axis=1))
        kept = np.flatnonzero(fewest >= passing.most_runs)
        if not len(kept):
            continue
        models = {}
        for model, half in ((base, first), (candidate, second)):
            models[model] = (shares_passed(marks[np.ix_(kept, half)], passing),)
        pair = rows.of_base(kept, kept)
        yield dataclasses.replace(pair, given=dataclasses.replace(pair.given, models=models))


def _of_runs_of_items(rows: GateRows) -> Iterator[GateRows]:
    """Pair halves of the runs of every item of the base."""
    runs = rows.runs_of_items
    assert runs is not None
    items = [
        str(row).removesuffix(f" run {run}") for row, run in zip(rows.given.ids, runs, strict=True)
    ]
    at = pd.DataFrame({"item": items, "run": runs, "at": np.arange(len(runs))})
    table = at.pivot(index="item", columns="run", values="at")
    for first, second in _halves(table.shape[1]):
        of_both = table.iloc[:, [*first, *second]].dropna().to_numpy().astype(np.intp)
        if len(of_both):
            yield rows.of_base(of_both[:, : len(first)].ravel(), of_both[:, len(first) :].ravel())


def _of_seeds(rows: GateRows) -> Iterator[GateRows]:
    """Pair halves of the training runs of the base, of two runs each at least."""
    base, candidate = rows.names
    trained = rows.given.models[base]
    if len(trained) < _FEWEST_SEEDS:
        return
    for first, second in _halves(len(trained)):
        models = {
            base: tuple(trained[seed] for seed in first),
            candidate: tuple(trained[seed] for seed in second),
        }
        yield dataclasses.replace(rows, given=dataclasses.replace(rows.given, models=models))


def _halves(count: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return different pairs of halves of so many runs, drawn by a fixed seed, without order."""
    half = count // 2
    if not half:
        return []
    draws = np.random.default_rng(_SEED)
    orders = [draws.permutation(count).tolist() for _ in range(MOST_PAIRS)]
    pairs = {
        (tuple(sorted(order[:half])), tuple(sorted(order[half : 2 * half]))) for order in orders
    }
    return sorted(pairs)


# --- the verdict in words


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
    for one in verdicts:
        of_metric = f" of {_metric(one)}"
        if one.terms.percent is not None:
            of_metric = f" ({one.terms.percent:g}% of the {_metric(one)} of {verdict.names[0]})"
        margins.append(f"{_margin(one)}{_unit(one)}{of_metric}")
    return joined(margins, "and" if verdict.terms.superior else "or")


def _by_more(verdict: GateVerdict, margin: str) -> str:
    """Write the margin of a difference; a margin of zero is not written."""
    if not verdict.terms.margin:
        return ""
    return f" by more than {margin}"


def _claim(verdict: GateVerdict, margin: str) -> str:
    """Write what a candidate that ships has shown."""
    base, candidate = verdict.names
    if verdict.terms.superior:
        return f"{candidate} is better than {base}{_by_more(verdict, margin)}"
    return f"{candidate} is not worse than {base} by {margin}"


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
        places.append(f"for {_few(verdict.harmed)}")
    relation = "worse"
    if verdict.terms.superior and not verdict.harmed:
        relation = "not shown better"
    where = ""
    if places:
        where = f" {joined(places)}"
    return f"{candidate} is {relation} than {base}{_by_more(verdict, margin)}{where}"


def _over_tasks(verdict: GateVerdict) -> str:
    """Say of a candidate that ships that the mean over tasks is meant, or each of them."""
    if verdict.macro is None:
        return ""
    over = f" in the mean over {count(len(verdict.tasks), 'task')}"
    if verdict.terms.each_task is None:
        return over
    return f"{over}, and by {verdict.terms.each_task:g} in each of them"


def reasons(verdict: GateVerdict) -> list[str]:
    """Return the sentences behind the decision, by each metric."""
    sentences = []
    for one in verdict.each:
        sentences += _reasons_by_metric(one)
    if verdict.missing is not None and verdict.missing.sentence:
        sentences.append(verdict.missing.sentence)
    sentences += [_too_many_missing(verdict, model) for model in verdict.lacking]
    sentences += verdict.cautions
    if verdict.against_itself is not None:
        sentences.append(verdict.against_itself.sentence)
    return sentences


def _reasons_by_metric(verdict: GateVerdict) -> list[str]:
    """Return the sentences on the change by one metric: on all rows, over tasks, and in parts."""
    limits = verdict.overall.limits
    terms = verdict.terms
    shown = writer(verdict)
    unit = _unit(verdict)
    runs = ""
    if verdict.runs:
        runs = f" and {verdict.runs[0]} and {verdict.runs[1]} training runs"
    alike = ""
    if verdict.tasks:
        alike = ", which weigh alike (micro average)"
    moved = _moved(verdict, limits)
    sentences = [f"Its {_metric(verdict)} is {moved} on {verdict.overall.rows}{runs}{alike}."]
    if not math.isnan(limits.low):
        sign = MINUS
        if terms.superior or not terms.margin:
            sign = ""
        sentences.append(
            f"The true change is above {shown(limits.low)} and below {shown(limits.high)}{unit}, "
            f"each with a confidence of {percent(1 - limits.alpha)}; the line is at "
            f"{sign}{_margin(verdict)}{unit}."
        )
        sentences += [f"Caution: {warning}." for warning in limits.warnings]
    else:
        sentences.append(f"No decision follows, because {_why_none(limits)}.")
    sentences += _on_tasks(verdict)
    if verdict.subgroups and not any(p.decision is Release.BLOCK for p in verdict.subgroups):
        sentences.append(
            f"None of the {len(verdict.subgroups)} subgroups is shown to be worse by the margin."
        )
    for part in verdict.harmed[:_MOST_NAMED]:
        sentences.append(
            f"For {part.name} ({part.rows}) the change is {shown(part.limits.estimate)}, below "
            f"{shown(part.limits.high)}."
        )
        sentences += [f"Caution, {part.name}: {warning}." for warning in part.limits.warnings]
    return sentences + _on_rows_needed(verdict)


def _on_tasks(verdict: GateVerdict) -> list[str]:
    """Say how the mean over tasks changes, and in how many of them what is shown."""
    if not verdict.tasks:
        return []
    shown = writer(verdict)
    unit = _unit(verdict)
    tasks = count(len(verdict.tasks), "task")
    if verdict.macro is None:
        over = "several training runs" if verdict.runs else verdict.terms.metric
        sentences = [f"The mean over the {tasks} is not known for {over}."]
    else:
        limits = verdict.macro.limits
        known = f"there are no limits, because {_why_none(limits)}"
        if not math.isnan(limits.low):
            known = (
                f"the true change is above {shown(limits.low)} and below {shown(limits.high)}{unit}"
            )
        sentences = [
            f"In the mean over {tasks}, which weigh alike (macro average), it is "
            f"{_moved(verdict, limits)}; {known}."
        ]
    by_decision = dict.fromkeys(Release, 0)
    for part in verdict.tasks:
        by_decision[part.decision] += 1
    sentences.append(
        f"Tasks: {by_decision[Release.SHIP]} not worse by {_of_each_task(verdict)}, "
        f"{by_decision[Release.UNDECIDED]} undecided, {by_decision[Release.BLOCK]} worse by it."
    )
    needed = [rows_to_decide(part.limits, _task_margin(verdict)) for part in verdict.open_tasks]
    most = max((rows for rows in needed if rows is not None), default=None)
    if most is not None:
        sentences.append(f"For those about {most:,} items each would be needed.")
    for part in verdict.worse_tasks[:_MOST_NAMED]:
        if part.decision is not Release.BLOCK:
            sentences.append(
                f"In {part.name} ({part.rows}) it is worse: the change is "
                f"{shown(part.limits.estimate)}, below {shown(part.limits.high)}."
            )
    return sentences


def _task_margin(verdict: GateVerdict) -> float:
    """Return the margin of a single task."""
    each = verdict.terms.each_task
    if each is None:
        return verdict.terms.margin
    return each


def _of_each_task(verdict: GateVerdict) -> str:
    """Write the margin of a single task."""
    if verdict.terms.each_task is None:
        return "the margin"
    return f"{verdict.terms.each_task:g}"


def _on_rows_needed(verdict: GateVerdict) -> list[str]:
    """Say how an undecided candidate could be decided on."""
    if verdict.rows_needed is not None:
        return [
            f"If this is the true change, {verdict.rows_needed:,} rows would decide with a "
            "probability of 80%."
        ]
    undecided = verdict.decision is Release.UNDECIDED is verdict.whole.decision
    if not undecided or math.isnan(verdict.whole.limits.low):
        return []
    if verdict.runs:
        return ["More training runs or more rows may decide."]
    return ["The estimate is so near the line that more rows would hardly decide."]


def _too_many_missing(verdict: GateVerdict, model: str) -> str:
    """Say that too many items of a model are missing for a decision to ship."""
    assert verdict.missing is not None
    share = verdict.missing.shares[model]
    most = percent(verdict.allow_missing)
    found = f"{percent(round(share, 3))} of the items of {model} are missing"
    if share == 1:
        found = f"How many items of {model} are missing is not known"
    return f"{found}; at most {most} may be (`--allow-missing`)."


def _moved(verdict: GateVerdict, limits: Limits) -> str:
    """Write by how much the candidate is better or worse."""
    if limits.estimate == 0:
        return "the same"
    side = "better" if limits.estimate > 0 else "worse"
    return f"{writer(verdict)(abs(limits.estimate))}{_unit(verdict)} {side}"


def _why_none(limits: Limits) -> str:
    """Say why there are no limits."""
    if limits.status is Status.TOO_FEW and limits.warnings:
        return "; ".join(limits.warnings)
    return _WHY_NONE.get(limits.status, limits.status.value)


def _few(parts: Sequence[Part]) -> str:
    """Name a few parts, and count the others."""
    names = [part.name for part in parts[:_MOST_NAMED]]
    if len(parts) > _MOST_NAMED:
        return f"{', '.join(names)} and {len(parts) - _MOST_NAMED} others"
    return ", ".join(names)


def writer(verdict: GateVerdict, usual: int = 3) -> Callable[[float], str]:
    """Return how values are written: with the decimals that the limits of losses deserve."""
    limits = verdict.overall.limits
    metric = METRICS.get(verdict.terms.metric)
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
    name = verdict.label or verdict.terms.metric
    if verdict.positive is None:
        return name
    return f"{name} (positive class: {verdict.positive})"


def rules(verdict: GateVerdict) -> list[Case]:
    """Return a test case for each rule: what it asks, and why it does not hold."""
    cases = []
    for one in verdict.each:
        by = one.label or one.terms.metric
        where = "on all rows"
        if one.macro is not None:
            where = f"in the mean over {count(len(one.tasks), 'task')}"
        limits = one.whole.limits
        shown = writer(one)
        numbers = (
            f"change {shown(limits.estimate)}, between {shown(limits.low)} and "
            f"{shown(limits.high)}{_unit(one)}; the line is at {_margin(one)}"
        )
        cases.append(_case(f"{by}: not worse {where}", one.whole.decision, numbers))
        for part in one.tasks if one.terms.each_task is not None else one.harmed:
            text = f"change {shown(part.limits.estimate)}, below {shown(part.limits.high)}"
            cases.append(_case(f"{by}: {part.name} not worse", part.decision, text))
        if one.terms.each_task is None and (one.tasks or one.subgroups) and not one.harmed:
            cases.append(Case(f"{by}: no part shown to be worse"))
    for model in verdict.lacking:
        cases.append(Case("items are complete", _too_many_missing(verdict, model), "undecided"))
    return cases


def _case(name: str, decision: Release, numbers: str) -> Case:
    """Return the case of a rule that holds where the decision is to ship."""
    if decision is Release.SHIP:
        return Case(name)
    return Case(name, f"{decision.value}: {numbers}", decision.value)


def as_json(verdict: GateVerdict) -> dict[str, Any]:
    """Return everything as plain data, by the schema that it names."""
    base, candidate = verdict.names
    terms = {key: value for key, value in plain(verdict.terms).items() if value is not None}
    missing = None
    if verdict.missing is not None:
        missing = {**plain(verdict.missing), "allowed": verdict.allow_missing}
    content: dict[str, Any] = {
        "schema": "bakeoff-gate-1",
        "version": __version__,
        "decision": verdict.decision.value,
        "headline": headline(verdict),
        "reasons": reasons(verdict),
        "base": base,
        "candidate": candidate,
        "terms": terms | {"positive": verdict.positive},
        "overall": _part_as_json(verdict.overall),
        "macro": verdict.macro and _part_as_json(verdict.macro),
        "tasks": list(map(_part_as_json, verdict.tasks)),
        "subgroups": list(map(_part_as_json, verdict.subgroups)),
        "rows_needed": verdict.rows_needed,
        "missing": missing,
        "cautions": list(verdict.cautions),
        "against_itself": plain(verdict.against_itself),
    }
    if verdict.by_metric:
        content["by_metric"] = list(map(as_json, verdict.by_metric))
    return content


def _part_as_json(part: Part) -> dict[str, Any]:
    """Return the decision on some rows as plain data."""
    return {"name": part.name, "decision": part.decision.value, **plain(part.limits)}


def flips_of(rows: GateRows, metric: str) -> Flips | None:
    """Find the rows on which base and candidate differ; None where rows have no ids."""
    beside = PairedPredictions.from_observations(rows.given)
    if beside.ids is None:
        return None
    parts = dict(rows.subgroups)
    if rows.tasks is not None:
        parts[TASK] = rows.tasks
    subgroups = {name: pd.Categorical(values) for name, values in parts.items()}
    beside = dataclasses.replace(beside, subgroups=subgroups)
    found = flipped_rows(beside, *rows.names, metric)
    return joined_flips({"": found}, rows.names, rows.unit or "")


def as_markdown(verdict: GateVerdict, flips: Flips | None = None) -> str:
    """Return a comment for a pull request, with the first rows on which the two differ."""
    lines = [
        f"### {_SIGNS[verdict.decision]} {markdown(headline(verdict))}",
        "",
        markdown(" ".join(reasons(verdict))),
        "",
        f"| rows of | rows | {change(verdict)} | lower limit | upper limit | |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for one in verdict.each:
        shown = writer(one, 4)
        for part in one.parts:
            name = part.name or "all"
            if verdict.by_metric:
                name += f", {one.label or one.terms.metric}"
            limits = part.limits
            numbers = map(shown, (limits.estimate, limits.low, limits.high))
            cells = markdown(name), f"{limits.n:,}", *numbers, part.decision.value
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, *_flipped(flips)]) + "\n"


def _flipped(flips: Flips | None) -> list[str]:
    """Return the first rows on which base and candidate differ, as lines of Markdown."""
    if flips is None:
        return []
    sentence = f"{markdown(flips.sentence)}."
    if flips.whole.empty:
        return ["", sentence]
    if len(flips.whole) > MOST_FLIPS:
        sentence = f"{markdown(flips.sentence)}; the first {MOST_FLIPS}:"
    return ["", sentence, "", flips.as_markdown(MOST_FLIPS)]

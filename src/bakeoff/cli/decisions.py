"""`bakeoff gate`, `plan`, `tests`: what to release, how many rows would tell, which tests exist."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bakeoff import release
from bakeoff.api.measured import described_metric
from bakeoff.api.rows import costs_in, read_tables
from bakeoff.api.signature import in_arguments
from bakeoff.cli import COMMANDS
from bakeoff.cli.judged_gate import is_judged_gate, judged_gate
from bakeoff.cli.plan_labels import plan_labels
from bakeoff.cli.plan_suites import (
    Design,
    items_for_runs,
    noise_of_passes,
    noise_of_runs,
    noise_over_tasks,
    of_margin,
    of_seeds,
)
from bakeoff.cli.terminal import bold, dim, outputs, say, say_json, say_notes, say_table
from bakeoff.comparisons.plan_tests import unknown_test
from bakeoff.comparisons.settings import allowed_options
from bakeoff.data.given_tables import GivenTables
from bakeoff.errors import UserError, unknown
from bakeoff.files import write_text
from bakeoff.options import guardrail, read_value
from bakeoff.report import prose
from bakeoff.report.junit import to_xml
from bakeoff.report.numbers import count, number, paragraph, percent
from bakeoff.scores import METRICS, counted_rows
from bakeoff.spec.given_models import GivenColumns
from bakeoff.stats import (
    Arity,
    Entry,
    Evidence,
    FiveByTwoPower,
    McNemarPower,
    MetricPower,
    Release,
    Result,
    RunsOfItems,
    catalogue,
    mean_difference,
    metric_difference,
)
from bakeoff.stats.planning import root

_MOST_TASKS = 5
"""Tasks that are shown one by one, the worst ones; JSON has all."""
_SIDES_OF_PARTS = "lrrrrl"
CODES = {Release.SHIP: 0, Release.BLOCK: 1, Release.UNDECIDED: 2}


def gate(args: argparse.Namespace) -> int:
    """Decide, and return the decision as exit code."""
    if is_judged_gate(vars(args)):
        return judged_gate(args)
    files = [path for path in (args.base, args.candidate) if path is not None]
    places = outputs(args.output, files)
    with in_arguments(COMMANDS[args.command].keys):
        guarded = [one for one in map(guardrail, args.metrics or ()) if one is not None]
        named = [text for text in args.metrics or () if guardrail(text) is None]
        args.metrics, margins = release.named_margins(named)
        release.check_margins(args.metrics, margins, args.margin)
        allowed = _allowed_share(args)
        tables, columns, measured = read_tables(files, vars(args))
        rows = release.read_rows(
            tables,
            columns,
            args.models,
            args.subgroups or (),
            measured.kind,
            labels=args.task == "classification",
            positive=args.positive,
            missing=args.missing,
            numbers=measured.numbers,
        )
        rows = rows.measured(args.unit, costs_in(args.costs))
        terms = release.read_terms(
            rows,
            measured.names,
            margins,
            args.margin,
            args.alpha,
            args.superior,
            args.each_task,
        )
        guardrails = []
        for name, margin, greater_is_better in guarded:
            guardrails.append(_guardrail(args, tables, columns, name, margin, greater_is_better))
        verdict = release.decide(rows, terms, allow_missing=allowed, guardrails=guardrails)
    if args.junit is not None:
        (place,) = outputs([args.junit], files)
        write_text(place, to_xml("bakeoff gate", release.rules(verdict)))
    _write_comments(places, rows, verdict)
    if args.json:
        say_json(release.as_json(verdict))
    else:
        _show_verdict(verdict)
        say_notes([f"{text}." for text in tables.read_as] + list(rows.given.preparation))
    return CODES[verdict.decision]


def _allowed_share(args: argparse.Namespace) -> float:
    """Return the share of items that a model may lack and the candidate still ship."""
    if args.allow_missing is None:
        return release.ALLOW_MISSING
    if args.missing is None:
        raise UserError("allow_missing: is for `missing`, which says what becomes of items")
    share: float = args.allow_missing
    return share


def _guardrail(
    args: argparse.Namespace,
    tables: GivenTables,
    columns: GivenColumns,
    name: str,
    margin: str,
    greater_is_better: bool,
) -> release.Guardrail:
    """Read the numbers of a column beside the answers, and the terms of it."""
    metric = described_metric(name, greater_is_better)
    of_column = columns.model_copy(update={"value": name, "tasks": None})
    rows = release.read_rows(
        tables, of_column, args.models, (), metric, missing=args.missing and "common"
    )
    rows = dataclasses.replace(rows, tasks=None, runs_of_items=None)
    (terms,) = release.read_terms(rows, [metric.name], [margin], None, args.alpha, False)
    return rows, terms


def _write_comments(
    places: Sequence[Path], rows: release.GateRows, verdict: release.GateVerdict
) -> None:
    """Write the comment for a pull request to each place."""
    if not places:
        return
    flips = release.flips_of(rows, verdict.terms.metric)
    for place in places:
        write_text(place, release.as_markdown(verdict, flips))


def _show_verdict(verdict: release.GateVerdict) -> None:
    """Print the decision with its reasons, and the limits that it is made from."""
    say(
        "",
        bold(paragraph(release.headline(verdict))),
        paragraph(" ".join(release.reasons(verdict))),
        "",
    )
    if verdict.by_metric:
        _show_metrics(verdict)
    else:
        _show_parts(verdict)
    _show_level_of_parts(verdict)


def _show_metrics(verdict: release.GateVerdict) -> None:
    """Print the limits by each metric: on all rows, over tasks, and of parts of the rows."""
    lines = []
    for by_metric in verdict.by_metric:
        metric = by_metric.label or by_metric.terms.metric
        for part in _shown_parts(by_metric):
            lines.append((metric, *_line_of_part(by_metric, part)))
    head = ("metric", *_head_of_parts(verdict, "change"))
    say_table(head, lines, f"l{_SIDES_OF_PARTS}")
    say("")


def _show_parts(verdict: release.GateVerdict) -> None:
    """Print the limits in each subgroup, and of tasks also those of all rows."""
    parts = verdict.subgroups
    if verdict.tasks:
        parts = _shown_parts(verdict)
    if not parts:
        return
    lines = [_line_of_part(verdict, part) for part in parts]
    head = _head_of_parts(verdict, release.change(verdict))
    say_table(head, lines, _SIDES_OF_PARTS)
    say("")


def _head_of_parts(verdict: release.GateVerdict, change: str) -> tuple[str, ...]:
    """Return the heads of a table of limits."""
    what = "subgroup"
    if verdict.tasks:
        what = "rows of"
    return what, "rows", change, "lower limit", "upper limit", ""


def _line_of_part(verdict: release.GateVerdict, part: release.Part) -> tuple[str, ...]:
    """Write the limits on all rows, over tasks, or on a part of the rows."""
    limits = part.limits
    shown = release.writer(verdict)
    worse = ""
    if part.decision is Release.BLOCK:
        worse = "worse"
    return (
        part.name or "all rows",
        f"{limits.n:,}",
        shown(limits.estimate),
        shown(limits.low),
        shown(limits.high),
        worse,
    )


def _show_level_of_parts(verdict: release.GateVerdict) -> None:
    """Say at which level the limits of tasks and subgroups are."""
    names = []
    if verdict.tasks:
        names.append("tasks")
    if verdict.subgroups:
        names.append("subgroups")
    parts = verdict.tasks + verdict.subgroups
    if not parts:
        return
    level = parts[0].limits.alpha
    how = "each, as all of them have to hold"
    if verdict.terms.each_task is None:
        how = "each (Bonferroni)"
    say(dim(paragraph(f"Limits of {' and '.join(names)} at the level {level:.2g} {how}.")), "")


def _shown_parts(verdict: release.GateVerdict) -> tuple[release.Part, ...]:
    """Return all parts, of many tasks those that are worst."""
    if len(verdict.tasks) <= _MOST_TASKS:
        return verdict.parts
    worst = sorted(verdict.tasks, key=lambda part: part.limits.high)[:_MOST_TASKS]
    kept = {part.name for part in worst}
    return tuple(part for part in verdict.parts if part not in verdict.tasks or part.name in kept)


# --- plan

_SIDES = ("two-sided", "greater")
_SHARES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Of the rows needed, at which the curve is shown."""
_BAR = 30
_OF_PILOT = (
    "groups",
    "id",
    "metrics",
    "models",
    "positive",
    "predicted",
    "task",
    "tasks",
    "truth",
    "value",
    "values",
    "runs",
    "datasets",
)
"""Options that are about a pilot."""
_PRECISION = 1e-3
"""Of a difference that is searched for."""
_EXACT_ROWS = 100_000
"""Beyond so many rows the power of McNemar's test is that of the normal formula."""
_ROUNDING = 1e-12
_LOWER_BOUND = (
    "Rows of the whole data set, by simulation; only the sampling of test rows is simulated, so "
    "this is a lower bound. The noise of training is known after a run: its report says which "
    "differences the tests find."
)


class Curve(NamedTuple):
    """How probably a difference is found, by the number of rows."""

    rows: int
    power: float
    points: list[tuple[int, float]]


def plan(args: argparse.Namespace) -> None:
    """Plan, and print the answer with its curve."""
    if args.human_labels:
        plan_labels(args)
        return
    if args.margin is not None:
        args.margin = read_value("difference", args.margin)
    with in_arguments(COMMANDS[args.command].keys):
        _check_goal(args)
        if args.seeds is not None:
            design = of_seeds(args)
        elif args.files:
            design = _from_pilot(args)
        else:
            design = _from_shares(args)
        curve = _curve(design, args.rows)
    if args.json:
        say_json(
            {
                "what": design.what,
                "difference": args.difference,
                "rows": curve.rows,
                "power": curve.power,
                "alpha": args.alpha,
                "assumed": list(design.assumed),
                "curve": [{"rows": rows, "power": power} for rows, power in curve.points],
            }
        )
        return
    _show_curve(design, curve)


def _check_goal(args: argparse.Namespace) -> None:
    """Refuse a plan without a goal, or with one that cannot be reached."""
    if args.alternative not in _SIDES:
        raise UserError(f"alternative: {unknown('value', args.alternative, _SIDES)}")
    if args.rows is not None and args.rows < 1:
        raise UserError(f"rows: found {args.rows}, must be at least 1")
    if args.equal and args.margin is None:
        raise UserError("equal: is for a margin, which is missing")
    if args.margin is None and args.difference is None and args.rows is None:
        raise UserError("difference: is missing; which true difference should be found?")


def _curve(design: Design, rows: int | None) -> Curve:
    """Compute the power with the rows that are wanted, or needed, and around them."""
    if rows is None:
        rows = design.rows_needed()
    points = []
    # of few rows several shares are one number
    for size in dict.fromkeys(max(2, round(rows * share)) for share in _SHARES):
        points.append((size, design.power_at(size)))
    return Curve(rows, design.power_at(rows), points)


def _show_curve(design: Design, curve: Curve) -> None:
    """Print the answer."""
    chance = f"a probability of {percent(round(curve.power, 3))}"
    say("", bold(paragraph(f"{count(curve.rows, design.unit)} give {chance} {design.what}.")), "")
    lines = []
    for rows, power in curve.points:
        filled = round(power * _BAR)
        bar = "█" * filled + "░" * (_BAR - filled)
        lines.append((f"{rows:,}", percent(round(power, 3)), bar))
    say_table((f"{design.unit}s", "power", ""), lines, "rrl")
    say("")
    say_notes(design.assumed)
    say("")


# --- a plan without a pilot


def _from_shares(args: argparse.Namespace) -> Design:
    """Return the design for models of which only shares of rows are supposed."""
    for name in _OF_PILOT:
        if getattr(args, name) is not None:
            raise UserError(f"{name}: is for a pilot: give its predictions")
    if args.test == "cv5x2_f" and args.alternative != "two-sided":
        raise UserError("alternative: cv5x2_f is two-sided: leave it out")
    if args.margin is not None:
        return _against_margin(args)
    if args.difference is None:
        args.difference = _detectable(args)
    return _of_shares(args, args.difference)


def _against_margin(args: argparse.Namespace) -> Design:
    """Return the design to show that an accuracy is not worse, of which shares are supposed."""
    if args.test != "mcnemar":
        raise UserError(f"margin: {args.test} shows no margin")
    difference = args.difference or 0.0
    discordance, assumed = _discordance(args.accuracy, args.discordance, difference)
    return of_margin(args, difference, discordance, assumed)


def _detectable(args: argparse.Namespace) -> float:
    """Return the difference that so many rows find with the wanted probability."""
    largest = 1.0
    for limit in (args.discordance, args.accuracy):
        if limit is not None:
            largest = min(largest, limit)

    def missing_power(difference: float) -> float:
        # the discordance of independent errors changes with the difference
        return _of_shares(args, difference).power_at(args.rows) - float(args.power)

    difference = root(missing_power, _PRECISION**2, largest * (1 - _PRECISION))
    if math.isnan(difference):
        raise UserError(f"rows: {args.rows:,} rows find no difference with this probability")
    return float(f"{difference:.3g}")


def _of_shares(args: argparse.Namespace, difference: float) -> Design:
    """Return the design for a difference, by a test on single rows or on 5×2 folds."""
    discordance, assumed = _discordance(args.accuracy, args.discordance, difference)
    what = f"finds a true difference of {difference:g} in accuracy"
    terms = {"difference": difference, "alpha": args.alpha}
    if args.test == "cv5x2_f":
        folds = FiveByTwoPower(discordance=discordance)
        return Design(
            f"that the 5x2cv F test {what}",
            lambda: int(folds.solve(power=args.power, **terms).n),
            lambda n: folds.solve(n=n, **terms).power,
            (assumed, _LOWER_BOUND),
        )
    exact = McNemarPower(discordance=discordance)
    normal = McNemarPower(discordance=discordance, calculation="normal")
    terms["alternative"] = args.alternative

    def rows_needed() -> int:
        rough = int(normal.solve(power=args.power, **terms).n)
        if rough > _EXACT_ROWS:
            return rough
        return int(exact.solve(power=args.power, **terms).n)

    def power_at(n: int) -> float:
        if n <= _EXACT_ROWS:
            return exact.solve(n=n, **terms).power
        return normal.solve(n=n, **terms).power

    return Design(
        f"that McNemar's mid-p test {what}",
        rows_needed,
        power_at,
        (assumed, "Independent rows; the same rows for both models."),
    )


def _discordance(
    accuracy: float | None, discordance: float | None, difference: float
) -> tuple[float, str]:
    """Return on how many rows just one model is right, and where that is from."""
    if accuracy is not None and not abs(difference) <= accuracy < 1:
        raise UserError(f"accuracy: found {accuracy:g}, must lie between the difference and 1")
    if discordance is not None:
        if accuracy is not None:
            _check_discordance(discordance, accuracy, difference)
        return discordance, (f"Just one of the two is right on {percent(discordance)} of the rows.")
    if accuracy is None:
        raise UserError("discordance: is missing; or give `accuracy`, for independent errors")
    # one model is right and the other is wrong, of each of the two
    other = accuracy - abs(difference)
    discordance = accuracy * (1 - other) + other * (1 - accuracy)
    return discordance, (
        f"Just one of the two is right on {percent(round(discordance, 3))} of the rows, as with "
        "independent errors; models of the same data mostly disagree less and need fewer rows."
    )


def _check_discordance(discordance: float, accuracy: float, difference: float) -> None:
    """Refuse more disagreement than two accuracies allow."""
    # at most all rows on which the one or the other is right, or wrong, if none is shared
    right = 2 * accuracy - abs(difference)
    most = min(right, 2 - right)
    if discordance > most + _ROUNDING:
        raise UserError(
            f"discordance: found {discordance:g}, with these accuracies just one model can be "
            f"right on {percent(round(most, 3))} of the rows at most"
        )


# --- a plan by a pilot


class Pilot(NamedTuple):
    """The predictions of two models on the same rows, and what they are compared by."""

    rows: release.GateRows
    metric: str
    is_of_values: bool
    """Whether the metric is the mean of a number for each row."""

    @property
    def measure(self) -> str:
        """The metric, with the class that it is about."""
        if self.is_of_values:
            return self.metric
        about = self.rows.about(self.metric)
        if about is None:
            return self.metric
        return f"{self.metric} (positive class: {about})"

    @property
    def noise(self) -> Result:
        """The difference of the two, with its noise."""
        rows = self.rows
        if self.is_of_values:
            _, candidate, base = rows.seen(self.metric)
            return mean_difference(candidate, base, groups=rows.given.related.get("groups"))
        truth, candidate, base = rows.seen(self.metric)
        return metric_difference(truth, candidate, base, **rows.how(self.metric))


def _from_pilot(args: argparse.Namespace) -> Design:
    """Return the design for models like the two of a pilot."""
    pilot = _read_pilot(args)
    if not pilot.is_of_values:
        _check_metric(pilot, args)
    noise = pilot.noise
    over_tasks = noise_over_tasks(pilot.rows, pilot.metric)
    of_runs = noise_of_runs(pilot.rows, pilot.metric)
    test = over_tasks or noise_of_passes(pilot.rows, pilot.metric)
    if of_runs is not None:
        test = of_runs.power(of_runs.runs)
    elif test is None:
        test = MetricPower.from_pilot(noise)
    assumed = _assumed_of_pilot(noise.n, test.sd, args, of_tasks=over_tasks is not None)
    if args.difference is None and args.margin is None:
        solved = test.solve(
            n=args.rows, power=args.power, alpha=args.alpha, alternative=args.alternative
        )
        args.difference = float(f"{solved.difference:.3g}")
    difference = args.difference or 0.0
    distance = _distance(difference, args)
    if over_tasks is None and _is_margin_of_right_rows(pilot, args):
        # the cautious variance ψ − δ² of a row is that of the pilot
        discordance = min(1.0, test.sd**2 + noise.estimate**2)
        return of_margin(args, difference, discordance, assumed[0])
    what = f"{_goal(difference, args)} in {pilot.measure}"
    return _by_noise(args, what, abs(distance), test, of_runs, assumed)


def _is_margin_of_right_rows(pilot: Pilot, args: argparse.Namespace) -> bool:
    """Tell whether a margin of accuracy is shown on independent rows, for which a test is exact."""
    if args.margin is None or counted_rows(pilot.metric) != "right":
        return False
    return not (pilot.rows.by_values or args.groups or args.runs)


def _by_noise(
    args: argparse.Namespace,
    what: str,
    distance: float,
    test: MetricPower,
    of_runs: RunsOfItems | None,
    assumed: list[str],
) -> Design:
    """Return the design of a test of means with the noise of a pilot."""
    side = "greater"
    if args.margin is None:
        side = args.alternative
    terms = {"difference": distance, "alpha": args.alpha, "alternative": side}
    wanted = args.power
    if args.equal:
        # two one-sided tests: both are right with a probability of at least 2 power − 1
        wanted = (1 + args.power) / 2

    def power_at(n: int) -> float:
        power = test.solve(n=n, **terms).power
        if args.equal:
            return max(0.0, 2 * power - 1)
        return power

    def rows_with(noise: MetricPower) -> int:
        return int(noise.solve(power=wanted, **terms).n)

    unit = "row"
    if of_runs is not None:
        unit = "item"
        assumed = [*assumed, items_for_runs(of_runs, rows_with)]
    return Design(what, lambda: rows_with(test), power_at, tuple(assumed), unit)


def _assumed_of_pilot(
    n_rows: int, sd: float, args: argparse.Namespace, *, of_tasks: bool
) -> list[str]:
    """Say where the noise is from, and in what the rows to come are like those of the pilot."""
    rows_to_come = "."
    if args.groups:
        rows_to_come = ", groups and their sizes too."
    assumed = [
        f"Noise from {n_rows:,} rows of a pilot, with the 80% upper limit of its standard "
        f"deviation ({number(sd)}); the rows to come are like the pilot's{rows_to_come}"
    ]
    if of_tasks:
        assumed.append(
            "It is about the mean over tasks, which have the shares of rows that they have in the "
            "pilot."
        )
    return assumed


def _read_pilot(args: argparse.Namespace) -> Pilot:
    """Read the predictions of two models; the second one stands for the base of a gate."""
    for name in ("accuracy", "discordance"):
        if getattr(args, name) is not None:
            raise UserError(f"{name}: the pilot tells; leave it out")
    if args.test != "mcnemar":
        raise UserError(f"test: {args.test} is planned without a pilot")
    if len(args.files) > 2:
        raise UserError(f"expected one or two tables of predictions, found {len(args.files)}")
    tables, columns, measured = read_tables(args.files[::-1], vars(args))
    if len(measured.names) > 1:
        raise UserError("metrics: a plan is for one metric")
    models = None
    if args.models is not None:
        models = args.models[::-1]
    rows = release.read_rows(
        tables,
        columns,
        models,
        (),
        measured.kind,
        labels=True,
        positive=args.positive,
        numbers=measured.numbers,
    )
    if rows.runs:
        raise UserError("found several training runs of each model, expected one of each")
    metric = rows.given.task.metric
    if measured.names:
        metric = measured.names[0]
    is_of_values = bool(measured.described)
    return Pilot(rows, metric, is_of_values)


def _check_metric(pilot: Pilot, args: argparse.Namespace) -> None:
    """Refuse a metric that the rows say nothing of, and what lies beyond its values."""
    pilot.rows.check([pilot.metric])
    pilot.rows.margin(pilot.metric, args.margin or 0.0)
    low, high = METRICS[pilot.metric].range
    if abs(args.difference or 0.0) > high - low:
        raise UserError(
            f"difference: found {args.difference:g}, values of {pilot.metric} lie between {low:g} "
            f"and {high:g}"
        )


def _distance(difference: float, args: argparse.Namespace) -> float:
    """Return how far the true difference is from what is to be refuted."""
    distance = difference
    if args.margin is not None:
        distance = args.margin + difference
        if args.equal:
            # the nearer one of the two margins
            distance = args.margin - abs(difference)
        if distance <= 0:
            raise UserError(f"difference: {difference:g} is beyond the margin: no rows show it")
    if args.alternative == "greater" and distance < 0:
        raise UserError(f"difference: found {difference:g}, A is to be the better one (one-sided)")
    return distance


def _goal(difference: float, args: argparse.Namespace) -> str:
    """Say what is to be found or shown."""
    if args.margin is None:
        return f"to find a true difference of {difference:g}"
    if args.equal:
        return f"to show that both are equal within {args.margin:g}"
    return f"to show that A is not worse than B by {args.margin:g}"


# --- tests

EVIDENCE = {
    (Evidence.ROWS, "correctness"): "correctness of each test row",
    (Evidence.ROWS, "classes"): "predicted class of each test row and the costs of errors",
    (Evidence.ROWS, "ranking"): "class probabilities of each test row",
    (Evidence.ROWS, "predictions"): "predictions of each test row, by any metric",
    (Evidence.ROWS, "values"): "one value per test row",
    (Evidence.RUNS, "predictions"): "predictions of each test row by several training runs, by any "
    "metric",
    (Evidence.RUNS, "values"): "one value per test row and training run",
    (Evidence.FOLD_SCORES, "scores"): "scores on folds",
    (Evidence.FOLD_SCORES, "criteria"): "scores on folds by several metrics",
    (Evidence.FOLD_ROWS, "correctness"): "correctness of each row in 5×2 cross-validation",
    (Evidence.FOLD_ROWS, "predictions"): "predictions of each row in every fold",
    (Evidence.DATASETS, "scores"): "one score per data set",
}
"""What tests look at, by the kind of evidence and what is read of it."""
MODELS = {
    Arity.ONE: "one",
    Arity.PAIR: "pairs",
    Arity.OMNIBUS: "all at once",
    Arity.ALL_PAIRS: "all pairs",
}
"""What tests compare."""
_INDENT = 17
"""Blanks before what is said of a test."""


def tests(args: argparse.Namespace) -> None:
    """List all tests, or explain one."""
    entries = catalogue()
    if args.name is not None:
        if args.name not in entries:
            raise UserError(unknown_test(args.name))
        _explain(entries[args.name])
        return
    for evidence, what in EVIDENCE.items():
        rows = []
        for entry in entries.values():
            if (entry.evidence, entry.reads) == evidence:
                plans = ", ".join(entry.plans)
                about = prose.ABOUT[entry.about]
                rows.append((entry.name, entry.title, MODELS[entry.arity], about, plans))
        say(bold(f"Evidence: {what}"))
        head = ("name", "title", "models", "answers for", "plans")
        say_table(head, rows, least=[("title",), ("answers for",)])
        say("")
    say(
        paragraph(
            "A test that answers for these fitted models says nothing of models that are trained "
            "again, on other rows or with other seeds. `bakeoff tests NAME` "
            "explains a test; `tests: {run: [NAME, …]}` in an experiment runs it."
        )
    )


def _explain(entry: Entry) -> None:
    """Print what a test answers, needs and can be set to."""
    from bakeoff.report.methods import wrapped

    simulated = ""
    if entry.simulated:
        studies = [f"benchmarks/{study}" for study in entry.simulated]
        simulated = f" ({', '.join(studies)})"
    facts = [
        ("answers", entry.answers),
        ("caution", entry.caution),
        ("answers for", prose.ABOUT[entry.about]),
        ("compares", MODELS[entry.arity]),
        ("evidence", EVIDENCE[entry.evidence, entry.reads]),
        ("plans", ", ".join(entry.plans)),
        ("type I error", f"{entry.type1.sentence}{simulated}"),
        ("post hoc", entry.posthoc),
        ("options", ", ".join(allowed_options(entry))),
    ]
    say(f"{bold(entry.title)} ({entry.name})", "")
    for name, text in facts:
        if text:
            lines = paragraph(text, " " * _INDENT).splitlines()
            lines[0] = f"  {dim(name.ljust(_INDENT - 4))}  {lines[0].lstrip()}"
            say("\n".join(lines))
    # the first paragraph of the docstring repeats the title; the arguments are those of Python
    notes = (inspect.getdoc(entry.function) or "").partition("Notes\n-----\n")[2]
    if notes:
        say("", re.split(r"\n.*\n-+\n", notes)[0].strip())
    say("", wrapped(entry.citation).rstrip("\n"))

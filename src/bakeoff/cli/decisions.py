"""`bakeoff gate` and `bakeoff plan`: whether to release a model, and how many rows would tell."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bakeoff.api.settings import numbers_wanted
from bakeoff.cli.given import costs_in, in_options, outputs, read_tables
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.files import write_text
from bakeoff.options import read_value
from bakeoff.release import GateRows, GateVerdict, Terms, decide, read_rows
from bakeoff.release.verdict import as_json, as_markdown, change, headline, reasons, writer
from bakeoff.report.numbers import count, number, paragraph, percent
from bakeoff.scores import METRICS, counted_rows
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats import (
    FiveByTwoPower,
    McNemarPower,
    MetricPower,
    Release,
    Result,
    mean_difference,
    metric_difference,
    simultaneous_level,
)
from bakeoff.stats.planning import root

CODES = {Release.SHIP: 0, Release.BLOCK: 1, Release.UNDECIDED: 2}


def gate(args: argparse.Namespace) -> int:
    """Decide, and return the decision as exit code."""
    files = [path for path in (args.base, args.candidate) if path is not None]
    places = outputs(args.output, files)
    with in_options(args):
        given = read_tables(files, args)
        rows = read_rows(
            given.tables,
            given.columns,
            args.models,
            args.subgroups or (),
            given.kind,
            labels=args.task == "classification",
            positive=args.positive,
            missing=args.missing,
            numbers=numbers_wanted(args.task, given.metrics),
        )
        rows = rows.measured(args.unit, costs_in(args.costs))
        kind = given.kind
        metrics = (kind.name,) if isinstance(kind, GivenMetric) else given.metrics
        verdict = decide(rows, Terms.of(rows, metrics, args.margin, args.alpha, args.superior))
    for place in places:
        write_text(place, as_markdown(verdict))
    if args.json:
        say(json.dumps(as_json(verdict), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show_verdict(verdict)
        say(*(dim(f"{text}.") for text in given.tables.read_as))
    return CODES[verdict.decision]


def _show_verdict(verdict: GateVerdict) -> None:
    say("", bold(paragraph(headline(verdict))), paragraph(" ".join(reasons(verdict))), "")
    several = bool(verdict.by_metric)
    rows = [
        (
            *([one.terms.metric] if several else []),
            part.name or "all rows",
            f"{part.limits.n:,}",
            *map(writer(one), (part.limits.estimate, part.limits.low, part.limits.high)),
            "worse" if part.decision is Release.BLOCK else "",
        )
        for one in verdict.each
        for part in (*([one.overall] if several else []), *one.subgroups)
    ]
    if rows:
        moved = "change" if several else change(verdict)
        head = ["subgroup", "rows", moved, "lower limit", "upper limit", ""]
        metric, side = (["metric"], "l") if several else ([], "")
        say(*table([*metric, *head], rows, f"{side}lrrrrl"), "")
    if verdict.subgroups:
        level = verdict.subgroups[0].limits.alpha
        say(dim(paragraph(f"Limits of subgroups at the level {level:.2g} each (Bonferroni).")), "")


# --- plan

_SHARES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Of the rows needed, at which the curve is shown."""
_BAR = 30
_OF_PILOT = (
    *("groups", "metrics", "models", "positive", "predicted", "runs", "task", "tasks", "truth"),
    *("id", "value", "values"),
)
"""Options that are about a pilot."""
_PRECISION = 1e-3
"""Of a difference that is searched for."""
_EXACT_ROWS = 100_000
"""Beyond so many rows the power of McNemar's test is that of the normal formula."""


@dataclasses.dataclass(frozen=True)
class Design:
    """One way of comparing."""

    what: str
    rows_needed: Callable[[], int]
    power_at: Callable[[int], float]
    assumed: tuple[str, ...]


def plan(args: argparse.Namespace) -> None:
    """Plan, and print the answer with its curve."""
    places = outputs(args.output, args.files)
    if wrong := next((place for place in places if place.suffix.lower() != ".svg"), None):
        raise UserError(f"--output: found {str(wrong)!r}, the curve is written as .svg")
    if args.margin is not None:
        args.margin = read_value("difference", args.margin, "--margin")
    with in_options(args):
        level = _level(args)
        if args.rows is not None and args.difference is None and args.margin is None:
            args.difference = _find_difference(args, level)
        design = _design(args, level)
        rows = args.rows if args.rows is not None else design.rows_needed()
        curve = [(n, design.power_at(n)) for n in _around(rows, _SHARES)]
        power = design.power_at(rows)
    for place in places:
        _draw(place, design, rows, args.power)
    if args.json:
        answer = {
            "what": design.what,
            "difference": args.difference,
            "rows": rows,
            "power": power,
            "alpha": level,
            "assumed": list(design.assumed),
            "curve": [{"rows": n, "power": p} for n, p in curve],
        }
        say(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))
        return
    chance = f"a probability of {percent(round(power, 3))}"
    say("", bold(paragraph(f"{count(rows, 'row')} give {chance} {design.what}.")), "")
    lines = [
        (f"{n:,}", percent(round(p, 3)), "█" * round(p * _BAR) + "░" * (_BAR - round(p * _BAR)))
        for n, p in curve
    ]
    say(*table(("rows", "power", ""), lines, "rrl"), "")
    say(*(dim(paragraph(text)) for text in design.assumed), "")


def _around(rows: int, shares: Sequence[float]) -> list[int]:
    """Return numbers of rows around one."""
    return list(dict.fromkeys(max(2, round(rows * share)) for share in shares))


def _draw(path: Path, design: Design, rows: int, wanted: float) -> None:
    from bakeoff.report.drawing import Colour, canvas, styled, svg

    steps = _around(rows, [i / 20 for i in range(2, 61)])
    with styled():
        figure = canvas(6.0, 3.4)
        axes = figure.add_axes((0.12, 0.16, 0.84, 0.78))
        axes.plot(steps, [design.power_at(n) for n in steps], color=Colour.BLUE, linewidth=1.6)
        axes.axhline(wanted, color=Colour.MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
        axes.axvline(rows, color=Colour.MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
        axes.set(xlabel="rows", ylabel="power", ylim=(0, 1.02), xlim=(0, steps[-1]))
        axes.grid(color=Colour.LINE, linewidth=0.8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        write_text(path, svg(figure))


def _level(args: argparse.Namespace) -> float:
    """Return the level of each comparison."""
    if args.comparisons < 1:
        raise Problem(("comparisons",), f"found {args.comparisons}, at least 1 is made")
    if args.comparisons == 1 and args.correction is not None:
        raise Problem(("correction",), "is for more than one of the --comparisons")
    if not 0 < args.alpha < 1:
        raise Problem(("alpha",), f"found {args.alpha:g}, must lie strictly between 0 and 1")
    if args.alternative not in ("two-sided", "greater"):
        sides = ("two-sided", "greater")
        raise Problem(("alternative",), unknown("value", args.alternative, sides))
    method = args.correction or "bonferroni"
    return 1 - simultaneous_level(1 - args.alpha, args.comparisons, method)


def _find_difference(args: argparse.Namespace, level: float) -> float:
    """Return the true difference that a number of rows finds with the wanted power."""
    if args.files:
        test = _pilot(args)[-1]
        how: dict[str, Any] = {"alpha": level, "alternative": args.alternative}
        return float(f"{test.solve(n=args.rows, power=args.power, **how).difference:.3g}")

    def surplus(difference: float) -> float:
        tried = argparse.Namespace(**{**vars(args), "difference": difference})
        return _design(tried, level).power_at(args.rows) - float(args.power)

    given = [value for value in (args.disagree, args.accuracy) if value is not None]
    largest = min(given, default=1.0) * (1 - _PRECISION)
    least = _PRECISION**2  # the discordance of independent errors changes with the difference
    difference = root(surplus, least, largest)
    if math.isnan(difference):
        raise Problem(("rows",), f"{args.rows:,} rows find no difference with this probability")
    return float(f"{difference:.3g}")


def _design(args: argparse.Namespace, level: float) -> Design:
    """Return the design that the options describe."""
    if args.equal and args.margin is None:
        raise Problem(("equal",), "within which --margin?")
    if args.margin is None and args.difference is None:
        raise Problem(("difference",), "is missing; which true difference should be found?")
    if args.files:
        design = _from_pilot(args, level)
    else:
        for name in _OF_PILOT:
            if getattr(args, name) is not None:
                what = "is for the predictions of a pilot, which are not given"
                raise Problem((name,), what)
        if args.margin is not None:
            raise Problem(("margin",), "is planned from the noise of a pilot: give its predictions")
        design = (_folds if args.test == "cv5x2_f" else _rows)(args, level)
    if args.comparisons == 1:
        return design
    shared = (
        f"{args.comparisons} comparisons: each at the level {number(level, 2)}, which "
        f"{args.correction or 'bonferroni'} grants at least."
    )
    return dataclasses.replace(design, assumed=(*design.assumed, shared))


def _rows(args: argparse.Namespace, level: float) -> Design:
    psi, assumed = _discordance(args)
    exact = McNemarPower(discordance=psi)
    normal = McNemarPower(discordance=psi, calculation="normal")
    how = {"difference": args.difference, "alpha": level, "alternative": args.alternative}

    def power_at(n: int) -> float:
        return (exact if n <= _EXACT_ROWS else normal).solve(n=n, **how).power

    def rows() -> int:
        rough = int(normal.solve(power=args.power, **how).n)
        return rough if rough > _EXACT_ROWS else int(exact.solve(power=args.power, **how).n)

    return Design(
        f"that McNemar's mid-p test finds a true difference of {args.difference:g} in accuracy",
        rows,
        power_at,
        (assumed, "Independent rows; the same rows for both models."),
    )


def _folds(args: argparse.Namespace, level: float) -> Design:
    if args.alternative != "two-sided":
        raise Problem(("alternative",), "cv5x2_f is two-sided: leave it out")
    psi, assumed = _discordance(args)
    test, how = FiveByTwoPower(discordance=psi), {"difference": args.difference, "alpha": level}
    return Design(
        f"that the 5x2cv F test finds a true difference of {args.difference:g} in accuracy",
        lambda: int(test.solve(power=args.power, **how).n),
        lambda n: test.solve(n=n, **how).power,
        (
            assumed,
            "Rows of the whole data set, by simulation; only the sampling of test rows is "
            "simulated, so this is a lower bound. The noise of training is known after a run: its "
            "report says which differences the tests find.",
        ),
    )


def _pilot(args: argparse.Namespace) -> tuple[GateRows, str, Result, MetricPower]:
    """Read the predictions of a pilot; return the metric and the noise of the difference in it."""
    for name in ("accuracy", "disagree"):
        if getattr(args, name) is not None:
            raise Problem((name,), "the pilot tells; leave it out")
    if args.test != "mcnemar":
        raise Problem(("test",), f"{args.test} is planned without a pilot")
    if len(args.files) > 2 or Path(args.files[0]).suffix in (".yaml", ".yml"):
        raise Problem(
            ("files",),
            f"found {' '.join(args.files)!r}, expected one or two tables of predictions; which "
            "differences the tests of a finished run find is said in its report",
        )
    given = read_tables(args.files[::-1], args)
    if len(given.metrics) > 1:
        raise Problem(("metrics",), "a plan is for one metric")
    rows = read_rows(
        given.tables,
        given.columns,
        None if args.models is None else args.models[::-1],
        values=given.kind,
        labels=True,
        positive=args.positive,
        numbers=numbers_wanted(args.task, given.metrics),
    )
    if rows.runs:
        raise Problem(("files",), "found several training runs of each model, expected one of each")
    if isinstance(given.kind, GivenMetric):
        values = [one.values for one in (rows.candidate, rows.base) if one.values is not None]
        noise = mean_difference(*values, groups=rows.groups)
        return rows, given.kind.name, noise, MetricPower.from_pilot(noise)
    metric = given.metrics[0] if given.metrics else rows.task.metric
    rows.check([metric])
    rows.margin(metric, args.margin or 0.0)
    difference, (low, high) = args.difference or 0.0, METRICS[metric].range
    if abs(difference) > high - low:
        raise Problem(
            ("difference",),
            f"found {difference:g}, values of {metric} lie between {low:g} and {high:g}",
        )
    noise = metric_difference(*rows.seen(metric), **rows.how(metric))
    return rows, metric, noise, MetricPower.from_pilot(noise)


def _from_pilot(args: argparse.Namespace, level: float) -> Design:
    rows, metric, result, test = _pilot(args)
    about = rows.about(metric)
    one_sided = args.alternative == "greater"
    true, margin = args.difference or 0.0, args.margin
    gap = true if margin is None else margin + (-abs(true) if args.equal else true)
    if margin is not None and gap <= 0:
        raise Problem(("difference",), f"{true:g} is beyond the margin: no rows show it")
    if one_sided and gap < 0:
        raise Problem(("difference",), f"found {true:g}, A is to be the better one (one-sided)")
    if margin is not None and counted_rows(metric) == "right" and not args.groups:
        raise Problem(
            ("margin",),
            "accuracy on independent rows is decided by an exact limit, which is not planned; "
            "`bakeoff gate` says of the pilot how many rows would decide",
        )
    side = "greater" if one_sided or margin is not None else "two-sided"
    how = {"difference": abs(gap), "alpha": level, "alternative": side}

    def power_at(n: int) -> float:
        power = test.solve(n=n, **how).power
        return max(0.0, 2 * power - 1) if args.equal else power

    if margin is None:
        goal = f"to find a true difference of {true:g}"
    elif args.equal:
        goal = f"to show that both are equal within {margin:g}"
    else:
        goal = f"to show that A is not worse than B by {margin:g}"
    wanted = (1 + args.power) / 2 if args.equal else args.power
    return Design(
        f"{goal} in {metric}" + (f" (positive class: {about})" if about else ""),
        lambda: int(test.solve(power=wanted, **how).n),
        power_at,
        (
            f"Noise from {result.n:,} rows of a pilot, with the 80% upper limit of its standard "
            f"deviation ({number(test.sd)}); the rows to come are like the pilot's"
            + (", groups and their sizes too." if args.groups else "."),
        ),
    )


def _discordance(args: argparse.Namespace) -> tuple[float, str]:
    """Return on how many rows just one model is right, and where that is from."""
    accuracy, disagree, difference = args.accuracy, args.disagree, args.difference
    if accuracy is not None and not 0 < accuracy < 1:
        raise Problem(("accuracy",), f"found {accuracy:g}, must lie between 0 and 1")
    if disagree is None:
        if accuracy is None:
            raise Problem(("disagree",), "is missing; or give --accuracy, for independent errors")
        other = accuracy - abs(difference)
        if not other >= 0:
            raise Problem(("difference",), f"found {difference:g}, more than the accuracy")
        psi = accuracy * (1 - other) + other * (1 - accuracy)
        return psi, (
            f"Just one of the two is right on {percent(round(psi, 3))} of the rows, as with "
            "independent errors; models of the same data mostly disagree less and need fewer rows."
        )
    if accuracy is not None:
        least = 2 * accuracy - abs(difference)
        most = min(least, 2 - least)
        if disagree > most + 1e-12:
            raise Problem(
                ("disagree",),
                f"found {disagree:g}, with these accuracies just one model can be right on "
                f"{percent(round(most, 3))} of the rows at most",
            )
    return disagree, f"Just one of the two is right on {percent(disagree)} of the rows."

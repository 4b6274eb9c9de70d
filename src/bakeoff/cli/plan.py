"""`bakeoff plan`: how many rows a comparison needs, before the data."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bakeoff.api.settings import kind_of, numbers_wanted
from bakeoff.cli.given import check_column, tables_named
from bakeoff.cli.naming import naming_options
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.release import GateRows, read_rows
from bakeoff.report.numbers import count, number, paragraph, percent
from bakeoff.scores import METRICS, counted_rows
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats import (
    FiveByTwoPower,
    McNemarPower,
    MetricPower,
    Result,
    mean_difference,
    metric_difference,
    simultaneous_level,
)
from bakeoff.stats.planning import root

_SHARES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Of the rows needed, at which the curve is shown."""
_BAR = 30
_OF_PILOT = ("groups", "metric", "task", "truth", "id", "pair", "positive", "values", "runs")
"""Options that are about a pilot."""
_PRECISION = 1e-3
"""Of a difference that is searched for."""
_EXACT_ROWS = 100_000
"""Beyond so many rows the power of McNemar's test is that of the normal formula."""
_OPTIONS = {
    "discordance": "--disagree",
    "n": "--rows",
    "confidence_level": "--alpha",
    "m": "--models",
    "method": "--correction",
    "group": "--groups",
    "true": "--truth",
    "id": "--id",
    "models": "--pair",
    "pilot": "--pilot",
    "metric": "--metric",
    "format": "--format",
    "positive": "--positive",
    "values": "--values",
    "value": "--column",
    "run": "--runs",
    "tasks": "--tasks",
}


@dataclasses.dataclass(frozen=True)
class Design:
    """One way of comparing."""

    what: str
    alpha: float
    rows_needed: Callable[[], int]
    power_at: Callable[[int], float]
    assumed: tuple[str, ...]

    def steps(self, rows: int, shares: Sequence[float]) -> list[int]:
        """Return numbers of rows around one."""
        return list(dict.fromkeys(max(2, round(rows * share)) for share in shares))


def run(args: argparse.Namespace) -> None:
    """Plan, and print the answer with its curve."""
    places = places_of({"figure": args.figure}, args.pilot or ())
    if args.figure is not None and places["figure"].suffix.lower() != ".svg":
        raise UserError(f"--figure: found {args.figure!r}, the curve is written as .svg")
    with naming_options(_OPTIONS):
        if args.rows is not None and args.difference is None and args.margin is None:
            args.difference = _find_difference(args)
        planned = _design(args)
        rows = args.rows if args.rows is not None else planned.rows_needed()
        curve = [(n, planned.power_at(n)) for n in planned.steps(rows, _SHARES)]
        reached = planned.power_at(rows)
    if args.figure is not None:
        _draw(places["figure"], planned, rows, args.power)
    if args.json:
        answer = {
            "what": planned.what,
            "difference": args.difference,
            "rows": rows,
            "power": reached,
            "alpha": planned.alpha,
            "assumed": list(planned.assumed),
            "curve": [{"rows": n, "power": p} for n, p in curve],
        }
        say(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(planned, rows, reached, curve)


def _show(found: Design, rows: int, reached: float, curve: Sequence[tuple[int, float]]) -> None:
    chance = f"a probability of {percent(round(reached, 3))}"
    say("", bold(paragraph(f"{count(rows, 'row')} give {chance} {found.what}.")), "")
    lines = [
        (f"{n:,}", percent(round(p, 3)), "█" * round(p * _BAR) + "░" * (_BAR - round(p * _BAR)))
        for n, p in curve
    ]
    say(*table(("rows", "power", ""), lines, "rrl"), "")
    for text in found.assumed:
        say(dim(paragraph(text)))
    say("")


def _draw(path: Path, found: Design, rows: int, wanted: float) -> None:
    from bakeoff.report.drawing import Colour, canvas, styled, svg

    steps = found.steps(rows, [i / 20 for i in range(2, 61)])
    with styled():
        figure = canvas(6.0, 3.4)
        axes = figure.add_axes((0.12, 0.16, 0.84, 0.78))
        axes.plot(steps, [found.power_at(n) for n in steps], color=Colour.BLUE, linewidth=1.6)
        axes.axhline(wanted, color=Colour.MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
        axes.axvline(rows, color=Colour.MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
        axes.set(xlabel="rows", ylabel="power", ylim=(0, 1.02), xlim=(0, steps[-1]))
        axes.grid(color=Colour.LINE, linewidth=0.8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        write_text(path, svg(figure))


def _find_difference(args: argparse.Namespace) -> float:
    """Return the true difference that a number of rows finds with the wanted power."""
    if args.pilot is not None:
        test = _pilot(args)[-1]
        how: dict[str, Any] = {"alpha": _level(args)[0]} | _side(args)
        found = test.solve(n=args.rows, power=args.power, **how).difference
        return float(f"{found:.3g}")

    def surplus(difference: float) -> float:
        planned = _design(argparse.Namespace(**{**vars(args), "difference": difference}))
        return planned.power_at(args.rows) - float(args.power)

    least = _PRECISION**2  # the discordance of independent errors changes with the difference
    found = root(surplus, least, _largest(args))
    if math.isnan(found):
        raise UserError(f"--rows: {args.rows:,} rows find no difference with this probability")
    return float(f"{found:.3g}")


def _largest(args: argparse.Namespace) -> float:
    """Return the largest difference that the options allow."""
    given = [value for value in (args.disagree, args.accuracy) if value is not None]
    return min(given, default=1.0) * (1 - _PRECISION)


def _design(args: argparse.Namespace) -> Design:
    """Return the design that the options describe."""
    level, pairs = _level(args)
    more: tuple[str, ...] = ()
    if pairs > 1:
        more = (
            f"{args.models} models, {pairs} comparisons: each at the level {number(level, 2)}, "
            f"which {args.correction} grants at least.",
        )
    if args.equal and args.margin is None:
        raise UserError("--equal: within which --margin?")
    if args.margin is None and args.difference is None:
        raise UserError("--difference: is missing; which true difference should be found?")
    if args.pilot is not None:
        found = _from_pilot(args, level)
    elif wrong := [name for name in _OF_PILOT if getattr(args, name) not in (None, "accuracy")]:
        options = ", ".join(f"--{name}" for name in wrong)
        raise UserError(
            f"{options}: only with --pilot, from which the noise of a metric is estimated"
        )
    elif args.margin is not None:
        raise UserError("--margin: is planned from the noise of a --pilot")
    elif args.test == "cv5x2_f":
        found = _folds(args, level)
    else:
        found = _rows(args, level)
    return dataclasses.replace(found, assumed=(*found.assumed, *more))


def _level(args: argparse.Namespace) -> tuple[float, int]:
    """Return the level of each comparison, and how many there are."""
    if args.models < 2:
        raise UserError(f"--models: found {args.models}, at least 2 are compared")
    if args.models == 2 and (args.versus or args.correction != "bonferroni"):
        raise UserError("--versus, --correction: are for more than two --models")
    if not 0 < args.alpha < 1:
        raise UserError(f"--alpha: found {args.alpha:g}, must lie strictly between 0 and 1")
    pairs = args.models - 1 if args.versus else args.models * (args.models - 1) // 2
    return 1 - simultaneous_level(1 - args.alpha, pairs, args.correction), pairs


def _rows(args: argparse.Namespace, level: float) -> Design:
    psi, said = _discordance(args, args.difference)
    exact, normal = (
        McNemarPower(discordance=psi),
        McNemarPower(discordance=psi, calculation="normal"),
    )
    how = {"difference": args.difference, "alpha": level} | _side(args)

    def power_at(n: int) -> float:
        return (exact if n <= _EXACT_ROWS else normal).solve(n=n, **how).power

    def rows() -> int:
        rough = int(normal.solve(power=args.power, **how).n)
        return rough if rough > _EXACT_ROWS else int(exact.solve(power=args.power, **how).n)

    return Design(
        f"that McNemar's mid-p test finds a true difference of {args.difference:g} in accuracy",
        level,
        rows,
        power_at,
        (said, "Independent rows; the same rows for both models."),
    )


def _folds(args: argparse.Namespace, level: float) -> Design:
    if args.one_sided:
        raise UserError("--test: cv5x2_f is two-sided; leave out --one-sided")
    psi, said = _discordance(args, args.difference)
    test, how = FiveByTwoPower(discordance=psi), {"difference": args.difference, "alpha": level}
    return Design(
        f"that the 5x2cv F test finds a true difference of {args.difference:g} in accuracy",
        level,
        lambda: int(test.solve(power=args.power, **how).n),
        lambda n: test.solve(n=n, **how).power,
        (
            said,
            "Rows of the whole data set, by simulation; only the sampling of test rows is "
            "simulated, so this is a lower bound. The noise of training is known after a run: its "
            "report says which differences the tests find.",
        ),
    )


def _pilot(args: argparse.Namespace) -> tuple[GateRows, str, Result, MetricPower]:
    """Read the predictions of a pilot; return the metric and the noise of the difference in it."""
    wrong = next(
        (name for name in ("accuracy", "disagree") if getattr(args, name) is not None), None
    )
    if wrong is not None:
        raise UserError(f"--{wrong}: the pilot tells; leave it out")
    if args.test != "mcnemar":
        raise UserError(f"--test: {args.test} is planned without a --pilot")
    if len(args.pilot) > 2 or Path(args.pilot[0]).suffix in (".yaml", ".yml"):
        raise UserError(
            f"--pilot: found {' '.join(args.pilot)!r}, expected one or two tables of predictions; "
            "which differences the tests of a finished run find is said in its report"
        )
    values = None if args.values is None else kind_of(args.values, None, None)
    if values is not None and any((args.metric, args.task, args.truth, args.positive)):
        raise UserError(
            "--values: these are numbers; leave out --metric, --task, --truth, --positive"
        )
    tables = tables_named(args.pilot[::-1], args)
    keys = {"group": args.groups, "true": args.truth, "id": args.id, "value": args.column}
    columns = validated(GivenColumns, keys | {"run": args.runs})
    check_column(args, tables)
    models = None if args.pair is None else [name.strip() for name in args.pair.split(",")][::-1]
    numbers = numbers_wanted(args.task, [args.metric])
    how: dict[str, Any] = {"labels": True, "positive": args.positive, "numbers": numbers}
    rows = read_rows(tables, columns, models, values=values, **how)
    if rows.runs:
        raise UserError("--pilot: found several training runs of each model, expected one of each")
    if isinstance(values, GivenMetric):
        numbers_of = [one.values for one in (rows.candidate, rows.base) if one.values is not None]
        found = mean_difference(*numbers_of, groups=rows.groups)
        return rows, values.name, found, MetricPower.from_pilot(found)
    metric = args.metric or rows.task.metric
    rows.check_costs([metric])
    rows.margin(metric, args.margin or 0.0)
    difference, (low, high) = args.difference or 0.0, METRICS[metric].range
    if abs(difference) > high - low:
        raise UserError(
            f"--difference: found {difference:g}, values of {metric} lie between {low:g} and "
            f"{high:g}"
        )
    result = metric_difference(*rows.seen(metric), **rows.how(metric))
    return rows, metric, result, MetricPower.from_pilot(result)


def _from_pilot(args: argparse.Namespace, level: float) -> Design:
    rows, metric, result, test = _pilot(args)
    about = rows.about(metric) if rows.base.values is None else ""
    true = args.difference or 0.0
    gap = true if args.margin is None else args.margin + (-abs(true) if args.equal else true)
    if args.margin is not None and gap <= 0:
        raise UserError(f"--difference: {true:g} is beyond the margin: no rows show it")
    if args.one_sided and gap < 0:
        raise UserError(f"--difference: found {true:g}, A is to be the better one (--one-sided)")
    side = "greater" if args.one_sided or args.margin is not None else "two-sided"
    wanted = (1 + args.power) / 2 if args.equal else args.power
    how = {"difference": abs(gap), "alpha": level, "alternative": side}

    noise = (
        f"Noise from {result.n:,} rows of a pilot, with the 80% upper limit of its standard "
        f"deviation ({number(test.sd)}); the rows to come are like the pilot's"
        + (", groups and their sizes too." if args.groups else ".")
    )
    if args.margin is not None and counted_rows(metric) == "right" and not args.groups:
        raise UserError(
            "--margin: accuracy on independent rows is decided by an exact limit, which is not "
            "planned; `bakeoff gate` says of the pilot how many rows would decide"
        )

    def power_at(n: int) -> float:
        found = test.solve(n=n, **how).power
        return max(0.0, 2 * found - 1) if args.equal else found

    goal = {
        (False, False): f"to find a true difference of {true:g}",
        (True, False): f"to show that A is not worse than B by {args.margin or 0:g}",
        (True, True): f"to show that both are equal within {args.margin or 0:g}",
    }[args.margin is not None, args.equal]
    return Design(
        f"{goal} in {metric}" + (f" (positive class: {about})" if about else ""),
        level,
        lambda: int(test.solve(power=wanted, **how).n),
        power_at,
        (noise,),
    )


def _discordance(args: argparse.Namespace, difference: float) -> tuple[float, str]:
    """Return on how many rows just one model is right, and where that is from."""
    if args.accuracy is not None and not 0 < args.accuracy < 1:
        raise UserError(f"--accuracy: found {args.accuracy:g}, must lie between 0 and 1")
    if args.disagree is None:
        if args.accuracy is None:
            raise UserError("--disagree: is missing; or give --accuracy, for independent errors")
        other = args.accuracy - abs(difference)
        if not other >= 0:
            raise UserError(f"--difference: found {difference:g}, more than the accuracy")
        psi = args.accuracy * (1 - other) + other * (1 - args.accuracy)
        return psi, (
            f"Just one of the two is right on {percent(round(psi, 3))} of the rows, as with "
            "independent errors; models of the same data mostly disagree less and need fewer rows."
        )
    if args.accuracy is not None:
        least = 2 * args.accuracy - abs(difference)
        most = min(least, 2 - least)
        if args.disagree > most + 1e-12:
            raise UserError(
                f"--disagree: found {args.disagree:g}, with these accuracies just one model can be "
                f"right on {percent(round(most, 3))} of the rows at most"
            )
    return args.disagree, f"Just one of the two is right on {percent(args.disagree)} of the rows."


def _side(args: argparse.Namespace) -> dict[str, str]:
    return {"alternative": "greater" if args.one_sided else "two-sided"}

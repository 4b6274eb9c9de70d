"""Designs that `bakeoff plan` can plan, each with its sample size, power and assumptions."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from bakeoff.api.settings import numbers_wanted
from bakeoff.cli.given import check_difference, tables_named
from bakeoff.errors import UserError
from bakeoff.release import GateRows, read_rows
from bakeoff.report.numbers import number, percent
from bakeoff.scores import counted_rows
from bakeoff.spec.given_models import GivenColumns
from bakeoff.stats import (
    FiveByTwoPower,
    GroupsPower,
    MarginPower,
    McNemarPower,
    MetricPower,
    Result,
    metric_difference,
    simultaneous_level,
)
from bakeoff.stats.planning.solver import root

_OF_PILOT = ("groups", "metric", "task", "truth", "id", "pair", "positive")
"""Options that are about a pilot."""
_PRECISION = 1e-3
"""Of a difference that is searched for."""
_EXACT_ROWS = 100_000
"""Beyond so many rows the power of McNemar's test is that of the normal formula."""


@dataclasses.dataclass(frozen=True)
class Design:
    """One way of comparing.

    Attributes
    ----------
    what : str
        What the power is the probability of, after "a probability of 80%".
    alpha : float
        Level of each test.
    rows_needed : callable
        Returns the rows for the wanted power.
    power_at : callable
        Returns the power of a number of rows.
    assumed : tuple of str
        What the answer takes for granted, a sentence each.
    per_group : float or None
        Rows of a group.
    """

    what: str
    alpha: float
    rows_needed: Callable[[], int]
    power_at: Callable[[int], float]
    assumed: tuple[str, ...]
    per_group: float | None = None

    def groups(self, rows: int) -> int | None:
        """Return how many groups hold so many rows."""
        return None if self.per_group is None else math.ceil(rows / self.per_group - 1e-9)

    def steps(self, rows: int, shares: Sequence[float]) -> list[int]:
        """Return numbers of rows around one, whole groups of them."""
        unit = self.per_group or 1
        candidates = (max(2, round(round(rows * share / unit) * unit)) for share in shares)
        return list(dict.fromkeys(candidates))


def detectable(args: argparse.Namespace) -> float:
    """Return the true difference that a number of rows finds with the wanted power.

    Raises
    ------
    UserError, ValueError
        As `design`; or no difference is found by so few rows.
    """
    if args.pilot is not None:
        test = _pilot(args)[-1]
        how: dict[str, Any] = {"alpha": _level(args)[0]} | _side(args)
        found = test.solve(n=args.rows, power=args.power, **how).difference
        return float(f"{found:.3g}")

    def surplus(difference: float) -> float:
        planned = design(argparse.Namespace(**{**vars(args), "difference": difference}))
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


def design(args: argparse.Namespace) -> Design:
    """Return the design that the options describe.

    Raises
    ------
    UserError, ValueError
        Options that do not go together, or out of range.
    """
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
        found = _within_margin(args, level)
    elif args.test == "cv5x2_f":
        found = _folds(args, level)
    elif args.icc is not None or args.per_group is not None:
        found = _clustered(args, level)
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


def _within_margin(args: argparse.Namespace, level: float) -> Design:
    if args.icc is not None or args.per_group is not None or args.test != "mcnemar":
        raise UserError("--margin: with groups or other tests the noise must come from --pilot")
    if args.one_sided:
        raise UserError("--one-sided: tests against a margin are one-sided already")
    return _margin_of_accuracy(args, level, *_discordance(args, args.difference or 0.0))


def _margin_of_accuracy(args: argparse.Namespace, level: float, psi: float, said: str) -> Design:
    true = args.difference or 0.0
    test = MarginPower(discordance=psi, true_difference=true, both_sides=args.equal)
    how = {"margin": args.margin, "alpha": level}
    shown = "both are equal within" if args.equal else "A is not worse than B by"
    return Design(
        f"to show that {shown} {args.margin:g} in accuracy, where the true difference is {true:g}",
        level,
        lambda: int(test.solve(power=args.power, **how).n),
        lambda n: test.solve(n=n, **how).power,
        (
            said,
            "Tango's score test on independent rows."
            if args.equal
            else "The exact limit by which `bakeoff gate` decides, on independent rows.",
        ),
    )


def _clustered(args: argparse.Namespace, level: float) -> Design:
    if args.icc is None or args.per_group is None:
        raise UserError("--icc, --per-group: go together, the correlation and the rows of a group")
    psi, said = _discordance(args, args.difference)
    test = GroupsPower(rows_per_group=args.per_group, discordance=psi, icc=args.icc)
    how = {"difference": args.difference, "alpha": level} | _side(args)

    def power_at(n: int) -> float:
        return test.solve(n=max(round(n / args.per_group), 1), **how).power

    return Design(
        f"that a test on groups finds a true difference of {args.difference:g} in accuracy",
        level,
        lambda: int(test.solve(power=args.power, **how).details["n_rows"]),
        power_at,
        (
            said,
            f"Groups of {args.per_group:g} rows: {number(test.design_effect)} rows count as one.",
        ),
        args.per_group,
    )


def _folds(args: argparse.Namespace, level: float) -> Design:
    if args.one_sided or args.icc is not None or args.per_group is not None:
        raise UserError("--test: cv5x2_f is two-sided and takes independent rows")
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
            "simulated, so this is a lower bound. The noise of training is known after a run: give "
            "its experiment as --pilot.",
        ),
    )


def _pilot(args: argparse.Namespace) -> tuple[GateRows, str, Result, MetricPower]:
    """Read the predictions of a pilot; return the metric and the noise of the difference in it."""
    others = ("accuracy", "disagree", "icc", "per_group")
    wrong = next((name for name in others if getattr(args, name) is not None), None)
    if wrong is not None:
        raise UserError(f"--{wrong.replace('_', '-')}: the pilot tells; leave it out")
    if args.test != "mcnemar":
        raise UserError(f"--test: {args.test} is planned from the experiment of a finished run")
    if len(args.pilot) > 2:
        raise UserError("--pilot: expected two tables of predictions, or a finished experiment")
    keys = {"group": args.groups, "true": args.truth, "id": args.id}
    columns = GivenColumns.model_validate(keys)
    models = None if args.pair is None else [name.strip() for name in args.pair.split(",")][::-1]
    numbers = numbers_wanted(args.task, [args.metric])
    how: dict[str, Any] = {"labels": True, "positive": args.positive, "numbers": numbers}
    rows = read_rows(tables_named(args.pilot[::-1], args), columns, models, **how)
    metric = args.metric or rows.task.metric
    rows.margin(metric, args.margin or 0.0)
    check_difference(metric, args.difference or 0.0)
    result = metric_difference(*rows.seen(metric), **rows.how(metric))
    return rows, metric, result, MetricPower.from_pilot(result)


def _from_pilot(args: argparse.Namespace, level: float) -> Design:
    rows, metric, result, test = _pilot(args)
    about = rows.about(metric)
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
        # the variance of a row's difference is the discordance, less the square of the mean
        psi = min(max(test.sd**2 + true**2, abs(true)), 1.0)
        return _margin_of_accuracy(args, level, psi, noise)

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

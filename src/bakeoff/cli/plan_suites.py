"""`bakeoff plan` of evaluations: a margin of accuracy, tasks, runs of items and training runs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from bakeoff.api.datasets import read_seeds
from bakeoff.api.rows import keys_named
from bakeoff.data.open_table import read_frame
from bakeoff.errors import UserError, some
from bakeoff.release import GateRows
from bakeoff.report.numbers import number
from bakeoff.scores import METRICS
from bakeoff.stats import MetricPower, NoninferiorityPower, RunsOfItems, SeedsPower
from bakeoff.stats.planning import cautious_factor

_RUNS = (1, 2, 4, 8, 16)
"""Runs of an item for which the items needed are told."""


class Design(NamedTuple):
    """One way of comparing."""

    what: str
    rows_needed: Callable[[], int]
    power_at: Callable[[int], float]
    assumed: tuple[str, ...]
    unit: str = "row"


# --- a margin of accuracy on independent rows


def of_margin(args: argparse.Namespace, true: float, psi: float, assumed: str) -> Design:
    """Return the design to show that an accuracy is not worse by a margin, or that two are equal.

    It is the test of `bakeoff gate`.
    """
    margin = args.margin
    gap = margin + true
    if args.equal:
        gap = margin - abs(true)
    if gap <= 0:
        raise UserError(f"difference: {true:g} is beyond the margin: no rows show it")
    test = NoninferiorityPower(discordance=psi, margin=margin)
    goal = f"to show that A is not worse than B by {margin:g} in accuracy"
    wanted = args.power
    # with this power of each of the two one-sided tests both are right as often as is wanted
    if args.equal:
        goal = f"to show that both are equal within {margin:g} in accuracy"
        wanted = (1 + args.power) / 2
        true = -abs(true)

    def power_at(n: int) -> float:
        power = test.power_at(n, true, args.alpha, "greater")
        # both one-sided tests: P(A ∩ B) ≥ P(A) + P(B) − 1
        if args.equal:
            return max(0.0, 2 * power - 1)
        return power

    def rows_needed() -> int:
        how = {"difference": true, "alpha": args.alpha}
        return int(test.solve(power=wanted, alternative="greater", **how).n)

    how = "Independent rows, the same for both models; by the exact limit of `bakeoff gate`."
    return Design(goal, rows_needed, power_at, (assumed, how))


# --- a pilot of several tasks, or with several runs of its items


def noise_over_tasks(rows: GateRows, metric: str) -> MetricPower | None:
    """Return the noise of the mean over tasks, per row; None of rows of one task."""
    if rows.tasks is None:
        return None
    macro = rows.macro(metric)
    if macro is None:
        raise UserError(
            f"metrics: a plan over tasks is for accuracy and for numbers of rows, not {metric}; "
            "`tasks` chooses one task"
        )
    if not macro.se > 0:
        raise UserError("the pilot's models do not differ on any row of any task")
    # the standard error of n rows is sd / √n
    n = macro.groups or macro.n
    return MetricPower(sd=macro.se * math.sqrt(n) * cautious_factor(macro.df))


def noise_of_passes(rows: GateRows, metric: str) -> MetricPower | None:
    """Return the noise of pass@k or pass^k per item, with an upper limit; None of another metric.

    Where k is the number of runs the values are 0 and 1, whose own test has no standard error.
    """
    if rows.passing is None:
        return None
    _, candidate, base = rows.seen(metric)
    sd = float(np.std(candidate - base, ddof=1))
    if not sd > 0:
        raise UserError("the pilot's models have the same difference on all items")
    return MetricPower(sd=sd * cautious_factor(len(base) - 1))


def noise_of_runs(rows: GateRows, metric: str) -> RunsOfItems | None:
    """Return the noise of items and of their runs; None where items were not run several times."""
    items = rows.given.related.get("groups")
    if rows.runs_of_items is None or items is None or rows.tasks is not None:
        return None
    truth, candidate, base = rows.seen(metric)
    if not rows.by_values:
        if METRICS[metric].counts != "right":
            raise UserError(f"runs: a plan of runs is for accuracy and numbers, not for {metric}")
        candidate = np.asarray(candidate == truth, float)
        base = np.asarray(base == truth, float)
    return RunsOfItems.from_pilot(candidate, base, items)


def items_for_runs(noise: RunsOfItems, needed: Callable[[MetricPower], int]) -> str:
    """Say how many items are needed with other numbers of runs, and how many answers that are."""
    parts = []
    for runs in _RUNS:
        items = needed(noise.power(runs))
        parts.append(f"{runs}: {items:,} ({items * runs:,} answers of each model)")
    limit = ""
    # more runs leave the noise of the items: σ²_items + σ²_runs/R
    if noise.sd_items > 0:
        limit = f"; however many runs, {needed(MetricPower(sd=noise.sd_items)):,} are needed"
    return f"Items needed by the number of runs of each: {', '.join(parts)}{limit}."


# --- training runs


def of_seeds(args: argparse.Namespace) -> Design:
    """Return the design of a comparison of training runs like those in a table of scores."""
    if len(args.files) != 1:
        raise UserError("seeds: expected a pilot, one table of the scores of training runs")
    for name in ("margin", "rows", "accuracy", "discordance", "groups", "truth", "runs"):
        if getattr(args, name) is not None:
            raise UserError(f"{name}: is no part of a plan of training runs (seeds)")
    settings = {
        **dict.fromkeys(("runs", "impute", "name", "decimals")),
        **vars(args),
        "metrics": args.metrics or (),
        "groups": None,
    }
    frame = read_frame(args.files[0], ("table",), keys_named(vars(args)))
    long, models, better = read_seeds(frame, settings)
    if len(models) != 2 or len(better) != 1:
        raise UserError(
            f"models: a plan is for two models and one metric, found {some(models)} by "
            f"{some(better)}: name the two"
        )
    model_a, model_b = models
    runs_a = _runs_by_dataset(long, model_a)
    runs_b = _runs_by_dataset(long, model_b)
    test = SeedsPower.from_pilot(runs_a, runs_b)
    how = {"difference": args.difference, "alpha": args.alpha, "alternative": args.alternative}
    where = ""
    if len(runs_a) > 1:
        where = f" in the mean over {len(runs_a)} data sets"
    return Design(
        f"to find a true difference of {args.difference:g} in {next(iter(better))}{where}",
        lambda: int(test.solve(power=args.power, **how).n),
        lambda n: test.solve(n=n, **how).power,
        (
            "Runs of each model, by Welch's t; noise from the runs of a pilot, with the 80% upper "
            f"limit of its standard deviation ({number(test.solve(n=3, **how).details['sd'])}).",
        ),
        "run",
    )


def _runs_by_dataset(long: pd.DataFrame, model: str) -> list[list[float]]:
    """Return the scores of the runs of a model, data set by data set."""
    of_model = long[long["model"] == model]
    return [scores["value"].to_list() for _, scores in of_model.groupby("dataset")]

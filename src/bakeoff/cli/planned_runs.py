"""`bakeoff plan --seeds`: whether more training runs or more test rows buy more."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from typing import Any

from bakeoff.api.settings import numbers_wanted
from bakeoff.cli.given import check_difference, tables_named
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.errors import UserError
from bakeoff.release import read_rows
from bakeoff.report.numbers import number, percent
from bakeoff.report.wrapping import paragraph
from bakeoff.spec.given_models import GivenColumns
from bakeoff.stats import RunsPower

_FEWEST = 5
_TIMES = (1, 2, 4)


def show(args: argparse.Namespace) -> None:
    """Tell how many training runs find a difference, and what more of them and of rows leave."""
    pilot, metric, runs = _pilot(args)
    sizes = (args.rows or pilot.test_rows, 2 * (args.rows or pilot.test_rows))
    plans = {int(n): RunsPower(**_parts(pilot), test_rows=n) for n in sizes}
    side = "greater" if args.one_sided else "two-sided"
    needed: dict[int, float] = {}
    for n, plan in plans.items():
        try:
            how = {"power": args.power, "alpha": args.alpha, "alternative": side}
            needed[n] = plan.solve(difference=args.difference, **how).n
        except ValueError:
            needed[n] = math.inf
    lines = [(k, *(math.sqrt(plan.variance(k)) for plan in plans.values())) for k in _steps(runs)]
    if args.json:
        answer = {
            "difference": args.difference,
            "runs_needed": {n: k if math.isfinite(k) else None for n, k in needed.items()},
            "floor": {n: plan.floor_of_runs for n, plan in plans.items()},
            "standard_errors": [dict(zip(("runs", *plans), line, strict=True)) for line in lines],
            "components": _parts(pilot),
        }
        say(json.dumps(answer, indent=2, allow_nan=False))
        return
    chance = f"a probability of {percent(args.power)}"
    for n, k in needed.items():
        told = f"{k:,.0f} training runs of each model give" if math.isfinite(k) else "no number of"
        told += f" {chance}" if math.isfinite(k) else f" training runs gives {chance}"
        what = f"to find a true difference of {args.difference:g} in {metric}"
        said = f"With {n:,} rows {told} {what}."
        say(bold(paragraph(said)) if n == min(plans) else paragraph(said))
    rows = [(f"{k:,}", *(number(se) for se in ses)) for k, *ses in lines]
    rows.append(("any number", *(number(plan.floor_of_runs) for plan in plans.values())))
    head = ("runs of each", *(f"standard error, {n:,} rows" for n in plans))
    say("", *table(head, rows, "rrr"), "")
    assumed = (
        f"Variances from a pilot of {runs} training runs of each model or more and "
        f"{pilot.test_rows:,.0f} rows; the runs and the rows to come are like these."
    )
    if runs < _FEWEST:
        assumed += f" {runs} runs leave the spread between runs nearly unknown."
    say(dim(paragraph(assumed)), "")


def _steps(runs: int) -> Iterator[int]:
    yield from (runs * times for times in _TIMES)


def _parts(plan: RunsPower) -> dict[str, float]:
    return {"seeds": plan.seeds, "rows": plan.rows, "rest": plan.rest}


def _pilot(args: argparse.Namespace) -> tuple[RunsPower, str, int]:
    """Take the variances of a pilot, their metric, and the fewest runs of a model in it."""
    if args.pilot is None:
        raise UserError("--seeds: is a column of the predictions of a --pilot")
    if args.difference is None:
        raise UserError("--difference: is missing; which true difference should be found?")
    others = ("accuracy", "disagree", "icc", "per_group", "margin", "figure")
    wrong = [name for name in others if getattr(args, name) is not None]
    if wrong or args.equal or args.models != 2 or args.test != "mcnemar":
        raise UserError(
            f"--seeds: plans the difference of two recipes; not with "
            f"{', '.join('--' + name.replace('_', '-') for name in wrong) or 'these options'}"
        )
    keys = {"group": args.groups, "true": args.truth, "id": args.id, "seed": args.seeds}
    columns = GivenColumns.model_validate(keys)
    models = None if args.pair is None else [name.strip() for name in args.pair.split(",")]
    numbers = numbers_wanted(args.task, [args.metric])
    how: dict[str, Any] = {"labels": True, "positive": args.positive, "numbers": numbers}
    rows = read_rows(tables_named(args.pilot, args), columns, models, **how)
    metric = args.metric or rows.task.metric
    rows.margin(metric, 0.0)
    check_difference(metric, args.difference)
    return RunsPower.from_pilot(rows.recipes(metric)), metric, min(map(len, rows.runs))

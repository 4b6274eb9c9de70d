"""`bakeoff plan`: how many rows a comparison needs, before the data."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli import planned_runs, power
from bakeoff.cli.designs import Design, design, detectable
from bakeoff.cli.naming import naming_options
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.report.numbers import count, percent
from bakeoff.report.wrapping import paragraph
from bakeoff.spec.given_models import SEED

_SHARES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Of the rows needed, at which the curve is shown."""
_BAR = 30
_EXPERIMENTS = (".yaml", ".yml")
_OPTIONS = {
    "discordance": "--disagree",
    "n": "--rows",
    "rows_per_group": "--per-group",
    "confidence_level": "--alpha",
    "m": "--models",
    "method": "--correction",
    "group": "--groups",
    "seed": "--seeds",
    "true": "--truth",
    "id": "--id",
    "models": "--pair",
    "pilot": "--pilot",
    "metric": "--metric",
    "format": "--format",
    "positive": "--positive",
}


def run(args: argparse.Namespace) -> None:
    """Plan, and print the answer with its curve."""
    if args.pilot is not None and Path(args.pilot[0]).suffix in _EXPERIMENTS:
        _from_experiment(args)
        return
    if args.seeds is not None or any(SEED in path for path in args.pilot or ()):
        with naming_options(_OPTIONS):
            planned_runs.show(args)
        return
    places = places_of({"figure": args.figure}, args.pilot or ())
    if args.figure is not None and places["figure"].suffix.lower() != ".svg":
        raise UserError(f"--figure: found {args.figure!r}, the curve is written as .svg")
    with naming_options(_OPTIONS):
        if args.rows is not None and args.difference is None and args.margin is None:
            args.difference = detectable(args)
        planned = design(args)
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
            "groups": planned.groups(rows),
            "power": reached,
            "alpha": planned.alpha,
            "assumed": list(planned.assumed),
            "curve": [{"rows": n, "power": p} for n, p in curve],
        }
        say(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(planned, rows, reached, curve)


def _from_experiment(args: argparse.Namespace) -> None:
    """Let `bakeoff power` answer: the noise of a run is in its intervals."""
    from bakeoff.cli import make_parser

    if args.difference is None:
        raise UserError("--difference: is missing; which true difference should be found?")
    usual = vars(make_parser().parse_args(["plan"])) | {"difference": args.difference}
    usual["pilot"] = args.pilot[:1]
    wrong = [name.replace("_", "-") for name in usual if getattr(args, name) != usual[name]]
    if wrong:
        options = ", ".join(f"--{name}" for name in wrong)
        raise UserError(f"{options}: not with the experiment of a finished run, whose tests tell")
    sizes = ",".join(f"{args.difference * times:g}" for times in (1, 2))
    power.run(argparse.Namespace(file=args.pilot[0], differences=sizes))


def _show(found: Design, rows: int, reached: float, curve: Sequence[tuple[int, float]]) -> None:
    groups = found.groups(rows)
    size = count(rows, "row") + ("" if groups is None else f" in {count(groups, 'group')}")
    chance = f"a probability of {percent(round(reached, 3))}"
    say("", bold(paragraph(f"{size} give {chance} {found.what}.")), "")
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

"""`bakeoff plan --human-labels`: how many items people have to mark beside a judge."""

from __future__ import annotations

import argparse
import json
import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bakeoff.api.judged import marks_of_options
from bakeoff.api.signature import in_arguments
from bakeoff.cli import COMMANDS
from bakeoff.cli.judged import refuse_others
from bakeoff.cli.terminal import bold, dim, say, say_table
from bakeoff.errors import UserError
from bakeoff.options import setting
from bakeoff.report.numbers import count, paragraph, percent
from bakeoff.stats import half_width_with, judge_of_accuracy, labels_needed
from bakeoff.stats.judged.corrected import FEWEST_LABELS

_FEWEST_OF_PILOT = 30
"""Labels of a pilot, for a correlation that says something."""
_LARGEST_CORRELATION = 0.999
"""A pilot in which the judge never errs does not show that it never does."""
_SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
"""Of the labels needed, at which the table shows the interval."""
_ALLOWED = (
    "files",
    "human_labels",
    "judge",
    "human",
    "judge_accuracy",
    "items",
    "half_width",
    "difference",
    "power",
    "alpha",
    "accuracy",
    "discordance",
    "models",
    "values",
    "id",
    "json",
    "test",
    "alternative",
    "groups",
    "format",
    "encoding",
    "missing_values",
)


class _Labels(NamedTuple):
    """What is known of people's marks and of the judge."""

    sd: float
    correlation: float
    items: int
    what: str
    """What is estimated."""
    assumed: str


def plan_labels(args: argparse.Namespace) -> None:
    """Plan the labels, and print the answer with the intervals of other numbers of them."""
    with in_arguments(COMMANDS["plan"].keys):
        refuse_others("plan", vars(args), _ALLOWED, "a plan of human labels")
        if (args.half_width is None) == (args.difference is None):
            raise UserError(
                "half_width: give it, or the difference that is to be found: "
                f"{setting('half_width', '0.05')} or {setting('difference', '0.05')}"
            )
        if args.files:
            known = _from_pilot(args)
        else:
            known = _from_accuracy(args)
        width = args.half_width
        level = 1 - args.alpha
        if width is not None:
            goal = f"an interval of ±{width:g}"
        else:
            # z √variance ≤ δ z/(z + z_power) is √variance ≤ δ/(z + z_power)
            z = float(special.ndtri(1 - args.alpha / 2))
            width = abs(args.difference) * z / (z + float(special.ndtri(args.power)))
            goal = (
                f"a probability of {percent(round(args.power, 3))} to find a difference of "
                f"{args.difference:g}"
            )
        if not width > 0:
            raise UserError(f"half_width: found {width:g}, must be above 0")
        labels = labels_needed(
            sd=known.sd,
            correlation=known.correlation,
            items=known.items,
            half_width=width,
            confidence_level=level,
        )
    _show(args, known, labels, goal, level)


def _show(
    args: argparse.Namespace, known: _Labels, labels: int | None, goal: str, level: float
) -> None:
    """Print the answer."""
    quantile = float(special.ndtri((1 + level) / 2))
    least = labels
    if labels is not None:
        least = max(labels, FEWEST_LABELS)
    lines = []
    for number in _sizes(least, known.items):
        wide = half_width_with(
            number,
            sd=known.sd,
            correlation=known.correlation,
            items=known.items,
            confidence_level=level,
        )
        # z sd / √n
        without = quantile * known.sd / math.sqrt(number)
        lines.append((number, wide, without))
    if args.json:
        answer = {
            "labels": least,
            "goal": goal,
            "of": known.what,
            "items": known.items,
            "sd": known.sd,
            "correlation": known.correlation,
            "curve": [{"labels": n, "half_width": w, "labels_alone": v} for n, w, v in lines],
            "assumed": known.assumed,
        }
        say(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))
        return
    headline = f"Not with these {known.items:,} items: even labels on all leave a wider interval."
    if least is not None:
        headline = f"{count(least, 'human label')} give {goal} {known.what}."
    rows = [(f"{n:,}", f"± {w:.3f}", f"± {v:.3f}") for n, w, v in lines]
    say("", bold(paragraph(headline)), "")
    say_table(("labels", "with the judge", "labels alone"), rows, "rrr")
    say("")
    # what the judge explains of the variance, ρ², people need not tell
    worth = 1 / (1 - known.correlation**2)
    text = (
        f"{known.assumed} A label beside the judge is worth {worth:.2f} labels alone; the judge "
        f"marks {known.items:,} items, and people mark some of these, drawn at random."
    )
    say(dim(paragraph(text)))


def _sizes(labels: int | None, items: int) -> list[int]:
    """Return the numbers of labels that the table shows."""
    middle = labels or items // 4
    sizes = {round(middle * part) for part in _SHARES}
    return sorted(size for size in sizes if FEWEST_LABELS <= size <= items)


def _from_accuracy(args: argparse.Namespace) -> _Labels:
    """Suppose a judge that errs at random with some accuracy."""
    for name in ("judge", "human"):
        if getattr(args, name) is not None:
            raise UserError(f"{name}: is for a pilot: give its file")
    for name in ("judge_accuracy", "items"):
        if getattr(args, name) is None:
            raise UserError(f"{name}: is missing; or give a pilot with the marks of both")
    if args.items < FEWEST_LABELS:
        raise UserError(f"items: found {args.items}, at least {FEWEST_LABELS} are needed")
    if not 0.5 < args.judge_accuracy < 1:
        found = args.judge_accuracy
        raise UserError(f"judge_accuracy: found {found:g}, must lie between 0.5 and 1")
    right = args.accuracy
    if right is None:
        # where the spread is largest
        right = 0.5
    discordance = args.discordance
    if discordance is None and args.difference is not None:
        # errors of the two that do not hang together
        discordance = 2 * right * (1 - right)
    quality = judge_of_accuracy(args.judge_accuracy, share_right=right, discordance=discordance)
    what = "for the share of answers that are right by people"
    assumed = f"The judge errs at random on {percent(1 - args.judge_accuracy)} of the answers"
    if discordance is None:
        assumed += f", of which {percent(right)} are right."
    else:
        what = "of two models by people's marks"
        assumed += f"; just one of the two models is right on {percent(discordance)} of the items."
    return _Labels(quality.sd, quality.correlation, args.items, what, assumed)


def _from_pilot(args: argparse.Namespace) -> _Labels:
    """Take spread and correlation from labels that there are."""
    for name in ("judge_accuracy", "accuracy", "discordance"):
        if getattr(args, name) is not None:
            raise UserError(f"{name}: the pilot tells; leave it out")
    options: dict[str, Any] = vars(args) | {"missing": None}
    marks = marks_of_options(options)
    names = list(marks.judge)
    judge = marks.judge[names[0]]
    human = marks.human[names[0]]
    what = f"for the mean mark of {names[0]} by people"
    if len(names) == 2:
        judge = judge - marks.judge[names[1]]
        human = human - marks.human[names[1]]
        what = f"of {names[0]} and {names[1]} by people's marks"
    elif len(names) > 2:
        raise UserError(f"models: a plan is for one or two, found {len(names)}")
    labelled = ~np.isnan(human)
    number = int(labelled.sum())
    if number < _FEWEST_OF_PILOT:
        raise UserError(
            f"human: the pilot has {number} labels, at least {_FEWEST_OF_PILOT} are needed"
        )
    sd = float(human[labelled].std(ddof=1))
    if not sd > 0:
        raise UserError("human: all labels of the pilot are the same")
    correlation = 0.0
    # of a judge that gives one mark it is not defined
    if judge[labelled].std() > 0:
        correlation = float(np.corrcoef(judge[labelled], human[labelled])[0, 1])
    items = args.items or len(judge)
    assumed = f"Spread and correlation ({correlation:.2f}) are those of {number:,} labels."
    return _Labels(sd, min(correlation, _LARGEST_CORRELATION), items, what, assumed)

"""`bakeoff claim --repeats`: published means ± standard deviations over folds or seeds."""

from __future__ import annotations

import argparse
import json
import math
import re

from bakeoff.cli.naming import naming_options, refuse
from bakeoff.cli.terminal import bold, dim, say
from bakeoff.errors import UserError, shown
from bakeoff.report.numbers import interval, number, p_equals, pvalue
from bakeoff.report.wrapping import paragraph
from bakeoff.stats import RepeatsClaim, plain, repeats_claim

_BETWEEN = re.compile(r"\s*(?:±|\+/?-)\s*")
_OPTIONS = {"mean_a": "--a", "sd_a": "--a", "mean_b": "--b", "sd_b": "--b"}
_OPTIONS |= {"repeats": "--repeats", "folds": "--folds", "alpha": "--alpha"}


def is_asked(args: argparse.Namespace) -> bool:
    """Tell whether means over folds or seeds are given."""
    written = _BETWEEN.search(args.a) or _BETWEEN.search(args.b)
    return bool(written) or args.repeats is not None or args.folds is not None


def answer(args: argparse.Namespace) -> None:
    """Report the p-values that the printed means are compatible with."""
    if args.repeats is None:
        raise UserError("--repeats: give the number of scores that each mean is of, folds or seeds")
    others = ("n", "positives", "agree", "digits", "variant", "power")
    refuse(args, others, "means over folds or seeds")
    if args.folds is not None and args.repeats % max(args.folds, 1):
        raise UserError(
            f"--repeats: found {args.repeats}, expected a multiple of the {args.folds} folds: the "
            "scores of all repetitions"
        )
    numbers = [part for name in ("a", "b") for part in _parts(getattr(args, name), name)]
    with naming_options(_OPTIONS):
        claim = repeats_claim(*numbers, repeats=args.repeats, folds=args.folds, alpha=args.alpha)
    if args.json:
        say(json.dumps(plain(claim), indent=2, allow_nan=False))
        return
    say("", bold(paragraph(_headline(claim, args))))
    say(
        paragraph(
            f"Over all correlations of the two models and all digits lost by rounding: p from "
            f"{pvalue(claim.pvalue[0])} to {pvalue(claim.pvalue[1])}, the difference A − B of the "
            f"means in {interval(*claim.difference)}. If the models do not vary together, "
            f"{p_equals(claim.pvalue_uncorrelated)}."
        ),
        "",
    )
    say(dim(paragraph(_assumed(args))), "")


def _parts(written: str, name: str) -> tuple[str, str]:
    parts = _BETWEEN.split(written.strip())
    if len(parts) != 2:
        raise UserError(
            f"--{name}: found {shown(written)}, expected a mean and a standard "
            "deviation like 0.87±0.02"
        )
    mean, sd = parts
    if sd.endswith("%") and not mean.endswith("%"):
        mean += "%"
    return mean, sd


def _headline(claim: RepeatsClaim, args: argparse.Namespace) -> str:
    level = f"{100 * args.alpha:g}% level"
    needed = claim.correlation_needed
    if claim.pvalue[1] <= args.alpha:
        return f"The means differ at the {level}, however the two models vary together."
    if claim.pvalue[0] > args.alpha:
        return f"No correlation of the two models makes the difference significant at the {level}."
    if math.isnan(needed) or needed == -1:
        return f"Whether the means differ at the {level} depends on the digits lost by rounding."
    return (
        f"The means differ at the {level} if the scores of the two models are correlated by "
        f"{number(needed, 2)} or more over the same {_unit(args)}; the numbers do not tell."
    )


def _unit(args: argparse.Namespace) -> str:
    return "seeds" if args.folds is None else "folds"


def _assumed(args: argparse.Namespace) -> str:
    told = (
        f"Paired t test with {args.repeats - 1} degrees of freedom, of the same {_unit(args)} for "
        "both models. The number after ± is treated as a standard deviation, with either divisor; "
        "a standard error is smaller by the square root of the number of scores."
    )
    if args.folds is None:
        return (
            f"{told} Scores of other seeds on the same test rows say nothing about other rows. For "
            "the scores of a cross-validation give --folds: they are not independent."
        )
    return (
        f"{told} The variance is corrected for folds that share training rows (Nadeau and Bengio "
        "2003)."
    )

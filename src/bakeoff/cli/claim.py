"""`bakeoff claim`: which p-values a published comparison is compatible with."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from typing import Any

from bakeoff.cli import claim_repeats
from bakeoff.cli.decision_options import CLAIMED
from bakeoff.cli.naming import naming_options, refuse
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.errors import UserError, unknown
from bakeoff.report.numbers import count, interval, number, p_equals, percent, pvalue
from bakeoff.report.wrapping import paragraph
from bakeoff.stats import Claim, ClaimedTable, Rounded, accuracy_claim, area_claim, f1_claim, plain
from bakeoff.stats.metrics.metric import POINTS, Form, Metric, Need
from bakeoff.stats.metrics.named import METRICS

_ALSO_CALLED = {"sensitivity": "recall"}
_FEW = 0.5
"""Accuracies below it may be error rates."""
_OPTIONS = {"accuracy_a": "--a", "accuracy_b": "--b"}
_TABLES = {
    "best": "best for the claim",
    "independent": "independent errors",
    "worst": "worst for the claim",
}


def run(args: argparse.Namespace) -> None:
    """Report the results that the published numbers are compatible with."""
    with naming_options(_OPTIONS):
        _answer(args)


def _answer(args: argparse.Namespace) -> None:
    if claim_repeats.is_asked(args):
        claim_repeats.answer(args)
        return
    if args.n is None:
        raise UserError(
            "--n: give the rows of the test set; or, for means over folds or seeds, both standard "
            "deviations and their number: --a 0.87±0.02 --b 0.85±0.02 --repeats 10"
        )
    if args.metric not in CLAIMED:
        known = METRICS.get(args.metric)
        if known is not None and known.needs is Need.NUMBERS:
            raise UserError(
                f"--metric: two values of {args.metric} and the number of rows agree with any "
                "p-value, because the variance of the errors of single rows is not bounded: "
                "compare the predictions with `bakeoff compare`"
            )
        raise UserError(f"--metric: {unknown('metric', args.metric, CLAIMED)}")
    numbers = {name: Rounded.of(getattr(args, name), name, args.digits) for name in ("a", "b")}
    if _of_wrong_rows(args):
        numbers = {name: Rounded(1 - one.value, one.digits) for name, one in numbers.items()}
    if _metric(args).unit != POINTS:  # it is no share of rows
        if args.positives is None or not 0 < args.positives < args.n:
            raise UserError(
                f"--positives: {args.metric} needs how many of the {args.n:,} rows are positive"
            )
        refuse(args, ("agree", "variant", "power"), args.metric)
        classes = {"positives": args.positives, "negatives": args.n - args.positives}
        show = _area if _metric(args).form is Form.RANKING else _f1
        show(numbers, classes, args)
        return
    if args.positives is not None:
        raise UserError(
            f"--positives: goes with f1 and roc_auc; for {args.metric} give the rows as --n"
        )
    agree = None if args.agree is None else Rounded.of(args.agree, "agree")
    args.variant, args.power = args.variant or "midp", 0.8 if args.power is None else args.power
    better, other = sorted(numbers, key=lambda name: numbers[name].value, reverse=True)
    claim = accuracy_claim(
        numbers[better],
        numbers[other],
        n=args.n,
        agree=agree,
        variant=args.variant,
        alpha=args.alpha,
        power=args.power,
        confidence_level=1 - args.alpha,
    )
    names = {"a": better.upper(), "b": other.upper()}
    if args.json:
        _print_json({"metric": args.metric, "better": names["a"], **plain(claim)})
    else:
        _show(claim, names, numbers, args)


def _metric(args: argparse.Namespace) -> Metric:
    return METRICS[_ALSO_CALLED.get(args.metric, args.metric)]


def _of_wrong_rows(args: argparse.Namespace) -> bool:
    return _metric(args).counts == "wrong"


def _print_json(found: dict[str, Any]) -> None:
    say(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))


def _show(
    claim: Claim, names: dict[str, str], numbers: dict[str, Rounded], args: argparse.Namespace
) -> None:
    a, b = names["a"], names["b"]
    if claim.impossible:
        say("", bold("These numbers are impossible."))
        for name, (low, high) in claim.impossible.items():
            if _of_wrong_rows(args) and name in names:
                low, high = args.n - high, args.n - low
            say(paragraph(_impossible(names.get(name, name), low, high, args)))
        say("")
        return
    say("", bold(paragraph(_headline(claim, a, b, args))))
    intervals = {a: claim.right_a, b: claim.right_b}
    if _of_wrong_rows(args):
        intervals = {
            model: (args.n - high, args.n - low) for model, (low, high) in intervals.items()
        }
    kind = "wrong" if _of_wrong_rows(args) else "right"
    rows_of = (
        f"{model}: {low:,} to {high:,}" if low < high else f"{model}: {low:,}"
        for model, (low, high) in intervals.items()
    )
    say(paragraph(f"Rows that are {kind}, of {args.n:,}, by the rounding: {'; '.join(rows_of)}."))
    if claim.most_discordant is not None:
        share = percent(round(claim.most_discordant / claim.n, 3))
        say(
            paragraph(
                f"The printed difference is significant if exactly one of the two is right on at "
                f"most {count(claim.most_discordant, 'row')} ({share}); with independent errors "
                f"the expected share is {_expected(numbers)}."
            )
        )
    level = percent(1 - args.alpha)
    head = (
        "",
        f"only {a} right",
        f"only {b} right",
        f"{b} − {a}, {level} CI" if _of_wrong_rows(args) else f"{a} − {b}, {level} CI",
        "p",
        "claim false",
        f"rows for {percent(args.power)}",
    )
    rows = [_row(_TABLES[name], intervals) for name, intervals in claim.tables.items()]
    say("", *table(head, rows, "lrrrrrr", [(head[1], head[2])]), "")
    say(
        paragraph(
            f"Over all tables that agree with the numbers: p from {pvalue(claim.pvalue[0])} to "
            f"{pvalue(claim.pvalue[1])}, the difference in {interval(*claim.ci)}."
        )
    )
    say(dim(paragraph(_assumed(a, args))))
    if _metric(args).counts == "right" and all(value.value < _FEW for value in numbers.values()):
        say(dim("Are these error rates? Then give --metric error: the smaller one is better."))
    say("")


def _row(name: str, found: ClaimedTable) -> tuple[str, ...]:
    return (
        name,
        f"{found.only_a_correct:,}",
        f"{found.only_b_correct:,}",
        interval(found.ci.low, found.ci.high),
        pvalue(found.pvalue),
        pvalue(found.p_false),
        "" if found.rows_needed is None else f"{found.rows_needed:,}",
    )


def _headline(claim: Claim, a: str, b: str, args: argparse.Namespace) -> str:
    what = f"{a} is better than {b} by {args.metric} on {count(args.n, 'row')}"
    if claim.right_a == claim.right_b:
        return f"Neither is said to be better: the printed numbers of {a} and {b} are the same."
    if claim.pvalue[0] > args.alpha:
        return (
            f"That {what} is not shown: no table that agrees with the printed numbers is "
            "significant."
        )
    if claim.pvalue[1] <= args.alpha and claim.p_false[1] < 0.5:
        return f"{what}: every table that agrees with the printed numbers is significant."
    if args.agree is not None:
        return (
            f"Whether {what} depends on the digits lost by rounding: some of the tables that agree "
            "with the printed numbers are significant."
        )
    return f"Whether {what} depends on how often the two disagree, which the numbers do not tell."


def _impossible(name: str, low: int, high: int, args: argparse.Namespace) -> str:
    rows = f"{args.n:,} rows"
    if name == "agree":
        return (
            f"The two cannot agree on {args.agree} of {rows} with the printed numbers of right "
            "rows, or no whole number of rows gives this share."
        )
    printed = args.a if name == "A" else args.b
    near = " or ".join(f"{k:,} ({k / args.n:.5g})" for k in dict.fromkeys((low, high)))
    return (
        f"{name}: no whole number of {rows} gives {printed}; the nearest are {near}. It may be a "
        "mean over folds or seeds, a weighted number, or one of another test set."
    )


def _expected(numbers: dict[str, Rounded]) -> str:
    p, q = (float(value.value) for value in numbers.values())
    return percent(round(p * (1 - q) + q * (1 - p), 3))


def _assumed(a: str, args: argparse.Namespace) -> str:
    return (
        "One test set, one prediction per row, independent rows; not means over folds or seeds. "
        f"p: McNemar's test ({args.variant}). Claim false: the posterior probability that {a} is "
        "not better, with equal prior probabilities for both models (uniform prior, Christodoulou "
        "et al. 2025). Models trained on the same data mostly disagree less often than models with "
        "independent errors."
    )


def _f1(numbers: dict[str, Rounded], classes: dict[str, int], args: argparse.Namespace) -> None:
    claims = {name.upper(): f1_claim(value, **classes) for name, value in numbers.items()}
    if args.json:
        _print_json({"metric": "f1", "models": plain(claims)})
        return
    wrong = [name for name, one in claims.items() if not one.possible]
    headline = "Tables of predictions with these F1 scores exist; this is what they have in common."
    if wrong:
        headline = f"No table of predictions gives the F1 score of {' and '.join(wrong)}."
    say("", bold(paragraph(headline)))
    rows = [
        (
            name,
            "yes" if one.possible else "no",
            *map(_range, (one.sensitivity, one.precision, one.accuracy)),
        )
        for name, one in claims.items()
    ]
    say("", *table(("", "possible", "sensitivity", "precision", "accuracy"), rows, "llrrr"), "")
    say(
        paragraph(
            "An F1 score determines neither the counts nor the dependence of two models, and no "
            "p-value follows. `bakeoff compare` tests the difference from the predictions, and "
            "accuracies from the four counts of rows."
        ),
        "",
    )


def _range(values: tuple[float, float]) -> str:
    return "" if math.isnan(values[0]) else f"{values[0]:.3f} to {values[1]:.3f}"


def _area(numbers: dict[str, Rounded], classes: dict[str, int], args: argparse.Namespace) -> None:
    claim = area_claim(numbers["a"], numbers["b"], **classes, alpha=args.alpha)
    if args.json:
        _print_json({"metric": "roc_auc", **plain(dataclasses.asdict(claim))})
        return
    r = claim.correlation_needed
    if claim.impossible:
        names = " and ".join(name.upper() for name in claim.impossible)
        headline = f"No ranking of these rows has the area of {names}."
    elif math.isnan(r):
        headline = "No correlation of the two areas makes this difference significant."
    elif r == 0:
        headline = "The difference is significant even if the two estimates are uncorrelated."
    else:
        headline = (
            f"The difference is significant where the two areas' estimates are correlated by "
            f"{number(r, 2)} or more."
        )
    say("", bold(paragraph(headline)))
    say(
        paragraph(
            f"Standard errors {number(claim.se_a, 2)} and {number(claim.se_b, 2)} (Hanley & McNeil "
            f"1982, assuming exponential scores). On different rows the difference would have "
            f"{p_equals(claim.pvalue_unpaired)}. On the same rows the estimates are correlated, "
            "more strongly if the models rank the rows similarly; the correlation can only be "
            "computed from the scores (`bakeoff compare`)."
        ),
        "",
    )

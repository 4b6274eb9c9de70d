"""`bakeoff tests`: the catalogue."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Sequence

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.advice import inflation
from bakeoff.comparisons.plan_tests import unknown_test
from bakeoff.comparisons.settings import allowed_options
from bakeoff.errors import UserError
from bakeoff.report import prose
from bakeoff.report.numbers import paragraph, words
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError, catalogue

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
    (Evidence.DATASETS, "scores"): "one score per data set",
}
MODELS = {
    Arity.ONE: "one",
    Arity.PAIR: "pairs",
    Arity.OMNIBUS: "all at once",
    Arity.ALL_PAIRS: "all pairs",
}


def tests(args: argparse.Namespace) -> None:
    """List all tests, or explain one."""
    entries = catalogue()
    if args.name is None:
        _list(list(entries.values()))
    elif args.name in entries:
        _explain(entries[args.name])
    else:
        raise UserError(unknown_test(args.name))


def _list(entries: Sequence[Entry]) -> None:
    for evidence, what in EVIDENCE.items():
        rows = [
            (e.name, e.title, MODELS[e.arity], prose.ABOUT[e.about], ", ".join(e.plans))
            for e in entries
            if (e.evidence, e.reads) == evidence
        ]
        say(bold(f"Evidence: {what}"))
        head = ("name", "title", "models", "answers for", "plans")
        say(*table(head, rows, least=[("title",), ("answers for",)]), "")
    say(
        paragraph(
            "A test that answers for these fitted models says nothing of models that are trained "
            "again, on other rows or with other seeds. `bakeoff tests NAME` "
            "explains a test; `tests: {run: [NAME, …]}` in an experiment runs it."
        )
    )


def _explain(entry: Entry) -> None:
    from bakeoff.report.methods import wrapped

    whole = prose.ABOUT[entry.about]
    facts = [
        ("answers", entry.answers),
        ("caution", entry.caution),
        ("answers for", whole),
        ("compares", MODELS[entry.arity]),
        ("evidence", EVIDENCE[entry.evidence, entry.reads]),
        ("plans", ", ".join(entry.plans)),
        ("type I error", _error_rate(entry)),
        ("post hoc", entry.posthoc),
        ("options", ", ".join(allowed_options(entry))),
    ]
    say(f"{bold(entry.title)} ({entry.name})", "")
    for name, text in facts:
        if text:
            first, *rest = paragraph(text, " " * 17).splitlines()
            say(f"  {dim(name.ljust(13))}  {first.lstrip()}", *rest)
    # the first paragraph of the docstring repeats the title; the arguments are those of Python
    notes = (inspect.getdoc(entry.function) or "").partition("Notes\n-----\n")[2]
    if notes:
        say("", *_wrapped(re.split(r"\n.*\n-+\n", notes)[0].strip()))
    say("", *wrapped(entry.citation).splitlines())


def _error_rate(entry: Entry) -> str:
    """Say whether simulations show an inflated type I error, in which settings and where."""
    text = entry.type1.sentence
    inflated = [rate for rate in entry.rates if rate.verdict is TypeOneError.LIBERAL]
    if inflated:
        inflated.sort(key=lambda rate: rate.rate)
        worst = sorted(
            {r.setting: r for r in inflated}.values(), key=lambda r: r.rate, reverse=True
        )
        rates = [f"{rate.setting} ({inflation([rate])})" for rate in worst]
        text = (
            f"inflated in simulations at the .05 level with {words(rates, len(rates))}; controlled "
            "in the other settings"
        )
    studies = ", ".join(f"benchmarks/{study}" for study in entry.simulated)
    return f"{text} ({studies})" if studies else text


def _wrapped(text: str) -> list[str]:
    """Break the paragraphs of a text anew; lists and formulas stay as they are."""
    found: list[str] = []
    for part in text.split("\n\n"):
        lines = part.splitlines()
        plain = not any(line.startswith((" ", "-", "*")) for line in lines)
        found += [*(paragraph(" ".join(lines)).splitlines() if plain else lines), ""]
    return found[:-1]

"""`bakeoff tests`: the catalogue."""

from __future__ import annotations

import argparse
import inspect
import re

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.plan_tests import unknown_test
from bakeoff.comparisons.settings import allowed_options
from bakeoff.errors import UserError
from bakeoff.report import prose
from bakeoff.report.numbers import paragraph
from bakeoff.stats import Arity, Entry, Evidence, catalogue

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
    if args.name is not None:
        if args.name not in entries:
            raise UserError(unknown_test(args.name))
        _explain(entries[args.name])
        return
    for evidence, what in EVIDENCE.items():
        rows = [
            (e.name, e.title, MODELS[e.arity], prose.ABOUT[e.about], ", ".join(e.plans))
            for e in entries.values()
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

    studies = [f"benchmarks/{study}" for study in entry.simulated]
    simulated = f" ({', '.join(studies)})" if studies else ""
    facts = [
        ("answers", entry.answers),
        ("caution", entry.caution),
        ("answers for", prose.ABOUT[entry.about]),
        ("compares", MODELS[entry.arity]),
        ("evidence", EVIDENCE[entry.evidence, entry.reads]),
        ("plans", ", ".join(entry.plans)),
        ("type I error", f"{entry.type1.sentence}{simulated}"),
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
        say("", re.split(r"\n.*\n-+\n", notes)[0].strip())
    say("", *wrapped(entry.citation).splitlines())

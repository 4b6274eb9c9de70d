"""`bakeoff tests`: the catalogue."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Sequence

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.cautions import inflation
from bakeoff.comparisons.plan_tests import unknown_test
from bakeoff.comparisons.settings import allowed_options
from bakeoff.errors import UserError
from bakeoff.report.numbers import words
from bakeoff.report.wrapping import paragraph
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError, catalogue
from bakeoff.stats.core.citations import BIBTEX

EVIDENCE = {
    Evidence.CORRECTNESS: "right or wrong on each test row",
    Evidence.LABELS: "predicted labels of each test row",
    Evidence.PROBABILITIES: "class probabilities of each test row",
    Evidence.PREDICTIONS: "predictions of each test row, by any metric",
    Evidence.VALUES: "a number per test row",
    Evidence.FOLD_SCORES: "scores on folds",
    Evidence.FOLD_CRITERIA: "scores on folds by several metrics",
    Evidence.FOLD_CORRECTNESS: "right or wrong on each row of 5×2 cross-validation",
    Evidence.DATASET_SCORES: "scores over data sets",
}
MODELS = {
    Arity.ONE: "one",
    Arity.PAIR: "pairs",
    Arity.OMNIBUS: "all at once",
    Arity.ALL_PAIRS: "all pairs",
}


def run(args: argparse.Namespace) -> None:
    """List all tests, or explain one."""
    known = catalogue()
    if args.name is None:
        _list(list(known.values()))
    elif args.name in known:
        _explain(known[args.name])
    else:
        raise UserError(unknown_test(args.name))


def _list(entries: Sequence[Entry]) -> None:
    for evidence, what in EVIDENCE.items():
        rows = [
            (e.name, e.title, MODELS[e.arity], e.about, ", ".join(e.plans))
            for e in entries
            if e.evidence is evidence
        ]
        say(bold(f"On {what}"))
        head = ("name", "title", "models", "null is about", "plans")
        say(*table(head, rows, least=[("title",), ("null is about",)]), "")
    say(
        paragraph(
            "A null about models: these fitted models, on rows like the tested ones. About "
            "algorithms: what they learn from other training sets too. `bakeoff tests NAME` "
            "explains one; `tests: {run: [NAME, …]}` in an experiment asks for it."
        )
    )


def _explain(entry: Entry) -> None:
    from bakeoff.report.citations import wrapped

    whole = "these fitted models" if entry.about == "models" else "the learning algorithms"
    facts = [
        ("answers", entry.answers),
        ("caution", entry.caution),
        ("null is about", whole),
        ("compares", MODELS[entry.arity]),
        ("evidence", EVIDENCE[entry.evidence]),
        ("plans", ", ".join(entry.plans)),
        ("error rate", _error_rate(entry)),
        ("post hoc", entry.posthoc),
        ("options", ", ".join(allowed_options(entry))),
    ]
    say(f"{bold(entry.title)} ({entry.name})", "")
    for name, text in facts:
        if text:
            first, *rest = paragraph(text, " " * 17).splitlines()
            say(f"  {dim(name.ljust(13))}  {first.lstrip()}", *rest)
    # the first paragraph of the docstring is the title again; what the arguments are is for Python
    notes = (inspect.getdoc(entry.function) or "").partition("Notes\n-----\n")[2]
    if notes:
        say("", *_wrapped(re.split(r"\n.*\n-+\n", notes)[0].strip()))
    say("", *wrapped(BIBTEX[entry.citation]).splitlines())


def _error_rate(entry: Entry) -> str:
    """Say whether a test holds its level, with which learners not, and where that is simulated."""
    text = entry.type1.sentence
    if inflated := [r for r in entry.rates if r.verdict is TypeOneError.LIBERAL]:
        rates = [f"{rate.setting} ({inflation([rate])})" for rate in inflated]
        text = f"inflated at the .05 level with {words(rates, len(rates))}, else it holds"
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

"""Write tables of the tests: of all into README.md, of the recommended ones into choosing-tests.md.

The error rates in the tables of the other pages are renewed.

Command: `python docs/stats/table.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from bakeoff.comparisons.advice import CASES, Case
from bakeoff.comparisons.settings import planned
from bakeoff.report.prose import CORRECTIONS
from bakeoff.spec.tests import HypothesisTests
from bakeoff.stats import Arity, Entry, Evidence, catalogue
from bakeoff.stats.core.registry import ANY_PLAN

HERE = Path(__file__).parent
README = HERE / "README.md"
CHOOSING = HERE.parent / "choosing-tests.md"
INDEXES = (README, HERE / "type1-error.md")
"""Pages that list all tests."""
RATES = "type I error at .05"
"""Heading of the last column of tables of tests, which is made from the simulations."""
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"

GROUPS = {
    Arity.ONE: "One classifier",
    Arity.PAIR: "Two classifiers",
    Arity.OMNIBUS: "Several classifiers: do they differ at all?",
    Arity.ALL_PAIRS: "Several classifiers: which ones differ?",
}
EVIDENCE = {
    (Evidence.ROWS, "correctness"): "right/wrong per row",
    (Evidence.ROWS, "classes"): "predicted classes per row",
    (Evidence.ROWS, "ranking"): "scores per row",
    (Evidence.ROWS, "predictions"): "predictions per row",
    (Evidence.ROWS, "values"): "a number per row",
    (Evidence.RUNS, "predictions"): "predictions per row and training run",
    (Evidence.RUNS, "values"): "a number per row and training run",
    (Evidence.FOLD_SCORES, "scores"): "a score per fold",
    (Evidence.FOLD_SCORES, "criteria"): "several scores per fold",
    (Evidence.FOLD_ROWS, "correctness"): "right/wrong per row and fold",
    (Evidence.DATASETS, "scores"): "a score per data set",
}
PLANS = {
    "holdout": "holdout",
    "cv_5x2": "5x2cv",
    "kfold": "k-fold",
    "resampled": "resampled",
    "halves": "halves",
}
ABOUT = {
    "models": "these fitted models",
    "recipes": "training them again",
    "algorithms": "the algorithms",
}


def pages(entry: Entry) -> list[str]:
    """Return the pages whose tables list the test; there should be one."""
    row = f"| `{entry.name}` |"
    return [p.name for p in sorted(HERE.glob("*.md")) if p not in INDEXES and row in p.read_text()]


def line(entry: Entry) -> str:
    """Return the row of one test."""
    anywhere = entry.evidence is Evidence.DATASETS and set(entry.plans) == set(ANY_PLAN)
    plans = "any" if anywhere else ", ".join(PLANS[p] for p in PLANS if p in entry.plans)
    found = pages(entry)
    cells = (
        f"[`{entry.name}`]({found[0]})" if found else f"`{entry.name}`",
        entry.title,
        EVIDENCE[entry.evidence, entry.reads],
        plans,
        ABOUT[entry.about],
        error_rate(entry),
    )
    return f"| {' | '.join(cells)} |\n"


def error_rate(entry: Entry) -> str:
    """Return whether it holds its level and the highest simulated rate, with a link to all."""
    word = entry.type1.short
    if not entry.rates:
        return word
    return f"[{word}](type1-error.md), highest rate {max(rate.rate for rate in entry.rates):.2f}"


def with_rates(page: str) -> str:
    """Return a page with the error rates of the tests in its tables renewed."""

    def row(match: re.Match[str]) -> str:
        entry = catalogue().get(match[2])
        return match[0] if entry is None else f"{match[1]}| {error_rate(entry)} |"

    tables = rf"(?m)^\| test \|.*\| {re.escape(RATES)} \|\n(?:\|.*\n)+"
    line = re.compile(r"(?m)^(\| `(\w+)`.*)\|[^|]*\|$")
    return re.sub(tables, lambda match: line.sub(row, match[0]), page)


def table() -> str:
    """Return one table per kind of comparison."""
    parts = []
    for arity, heading in GROUPS.items():
        entries = [entry for entry in catalogue().values() if entry.arity is arity]
        entries.sort(key=lambda e: (list(EVIDENCE).index((e.evidence, e.reads)), e.name))
        parts.append(
            f"## {heading}\n\n"
            f"| test | title | evidence | splits | its null is about | {RATES} |\n"
            "|---|---|---|---|---|---|\n" + "".join(map(line, entries))
        )
    return "\n" + "\n".join(parts) + "\n"


def recommended(case: Case) -> str:
    """Return the row of a case: the test of two models, and that of more."""
    pair, several = catalogue()[case.two], catalogue()[case.test(3)]
    if several is not pair:
        more = (
            f"{several.title} (`{several.name}`), then `{case.pairs or several.posthoc}` of pairs"
        )
    else:
        by = planned(pair, HypothesisTests.model_validate({}), 3).correction or ""
        more = f"the same for every pair, {CORRECTIONS[by]} correction"
    return f"| {case.has} | {pair.title} (`{pair.name}`) | {more} |\n"


def choices() -> str:
    """Return the table of the cases with the tests that are recommended for them."""
    head = "| the experiment has | two models | more |\n|---|---|---|\n"
    return f"\n{head}{''.join(map(recommended, CASES.values()))}\n"


def texts() -> dict[Path, str]:
    """Return the pages with tables that are made from the code, these renewed."""
    found = {}
    for page, made in ((README, table), (CHOOSING, choices)):
        before, rest = page.read_text().split(BEGIN)
        found[page] = before + BEGIN + made() + END + rest.split(END)[1]
    return found


if __name__ == "__main__":
    for made, new in texts().items():
        made.write_text(new)
    for file in HERE.glob("*.md"):
        file.write_text(with_rates(file.read_text()))

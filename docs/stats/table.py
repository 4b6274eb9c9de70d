"""Write the table of all tests into README.md: `python docs/stats/table.py`."""

from __future__ import annotations

from pathlib import Path

from bakeoff.stats import Arity, Entry, Evidence, catalogue
from bakeoff.stats.core.registry import ANY_PLAN

HERE = Path(__file__).parent
README = HERE / "README.md"
INDEXES = (README, HERE / "type1-error.md")
"""Pages that list all tests."""
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"

GROUPS = {
    Arity.ONE: "One classifier",
    Arity.PAIR: "Two classifiers",
    Arity.OMNIBUS: "Several classifiers: do they differ at all?",
    Arity.ALL_PAIRS: "Several classifiers: which ones differ?",
}
EVIDENCE = {
    Evidence.CORRECTNESS: "right/wrong per row",
    Evidence.LABELS: "predicted classes per row",
    Evidence.PROBABILITIES: "scores per row",
    Evidence.PREDICTIONS: "predictions per row",
    Evidence.VALUES: "a number per row",
    Evidence.FOLD_SCORES: "a score per fold",
    Evidence.FOLD_CRITERIA: "several scores per fold",
    Evidence.FOLD_CORRECTNESS: "right/wrong per row and fold",
    Evidence.DATASET_SCORES: "a score per data set",
}
PLANS = {
    "holdout": "holdout",
    "cv_5x2": "5x2cv",
    "kfold": "k-fold",
    "resampled": "resampled",
    "halves": "halves",
}
ABOUT = {"models": "these fitted models", "algorithms": "the algorithms"}


def pages(entry: Entry) -> list[str]:
    """Return the pages whose tables list the test; there should be one."""
    row = f"| `{entry.name}` |"
    return [p.name for p in sorted(HERE.glob("*.md")) if p not in INDEXES and row in p.read_text()]


def line(entry: Entry) -> str:
    """Return the row of one test."""
    anywhere = entry.evidence is Evidence.DATASET_SCORES and set(entry.plans) == set(ANY_PLAN)
    plans = "any" if anywhere else ", ".join(PLANS[p] for p in PLANS if p in entry.plans)
    found = pages(entry)
    cells = (
        f"[`{entry.name}`]({found[0]})" if found else f"`{entry.name}`",
        entry.title,
        EVIDENCE[entry.evidence],
        plans,
        ABOUT[entry.about],
        _level(entry),
    )
    return f"| {' | '.join(cells)} |\n"


def _level(entry: Entry) -> str:
    """Return whether it holds its level, with a link to what shows it."""
    word = entry.type1.short
    return f"[{word}](type1-error.md)" if entry.simulated else word


def table() -> str:
    """Return one table per kind of comparison."""
    parts = []
    for arity, heading in GROUPS.items():
        entries = [entry for entry in catalogue().values() if entry.arity is arity]
        entries.sort(key=lambda e: (list(Evidence).index(e.evidence), e.name))
        parts.append(
            f"## {heading}\n\n"
            "| test | title | evidence | splits | its null is about | level |\n"
            "|---|---|---|---|---|---|\n" + "".join(map(line, entries))
        )
    return "\n" + "\n".join(parts) + "\n"


def text() -> str:
    """Return the README with its table renewed."""
    before, rest = README.read_text().split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    README.write_text(text())

"""Where accuracy cannot tell models apart, because nearly all rows are of one class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.report.numbers import clean, percent, words
from bakeoff.scores import counted_rows

RARE = 0.15
"""Share of all classes but the most frequent one up to which accuracy hardly depends on them."""


def rare_share(counts: Mapping[str, int]) -> float:
    """Return the share of the rows that are not of the most frequent class; NaN without rows."""
    rows = sum(counts.values())
    return (rows - max(counts.values())) / rows if rows else float("nan")


def accuracy_of_rare(cards: Mapping[str, Mapping[str, Any]], metric: str, title: str) -> str:
    """Say that the first metric hardly shows how rare classes are predicted; empty where not so."""
    counts = {name: card.get("classes", {}) for name, card in cards.items()}
    rare = [name for name, of_class in counts.items() if rare_share(of_class) <= RARE]
    if not rare or not counted_rows(metric):
        return ""
    of_class = counts[rare[0]]
    if len(cards) == 1:
        rows, most = sum(of_class.values()), max(of_class, key=lambda name: of_class[name])
        n = rows - of_class[most]
        share = percent(round(n / rows, 3))
        found = f"{share} of the rows ({n:,} of {rows:,}) are of another class than {clean(most)!r}"
    else:
        labels = words([clean(str(cards[name]["label"])) for name in rare], 4)
        found = f"{percent(RARE)} or less of the rows of {labels} are of a rarer class"
    binary = all(len(counts[name]) == 2 for name in rare)
    ranks = "roc_auc" if binary else "roc_auc_ovr"
    return (
        f"only {found}, and {title} hardly depends on how well models recognise them: {ranks} or "
        "log_loss (of probabilities) as the first metric may find differences that it hides."
    )
